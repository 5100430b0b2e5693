"""The verdict of the role-conflict study, and its first sentence."""

from __future__ import annotations

import numpy as np

from socialstats.results import Result, Row
from socialstats.studies.base import StudyOptions
from socialstats.text import interval, number, percent


def lead_sentence(s: Result, pooled: Result, options: StudyOptions) -> str:
    """Return the verdict with the win rate of the more urgent role, and S beside its reference lines."""
    high, total, fixed = pooled.row("all", group="higher"), s.row("S"), s.row("S_corrected")
    lines = s.extras["reference_lines"]
    known = ", ".join(f"{number(line.value, 1)} = {line.label}" for line in lines[:3])
    noise = ""
    if total.estimate is not None and fixed.estimate is not None:
        noise = f"; corrected for the scatter of single answers, {number(fixed.estimate)}"
    few = any(caution.code == "SS202" for caution in s.cautions)
    reserve = " They rest on few clusters, and the interval of S allows for that." if few else ""
    return (
        f"{verdict(total, high, lines[1].value, options.covariate)}: the role with the higher {options.covariate} was "
        f"chosen {percent(high.estimate)} of the time, {percent_interval(high)}, and S = {number(total.estimate)}, "
        f"{interval(total.conf_low, total.conf_high, level=options.level)} ({known}){noise}.{reserve}"
    )


def verdict(total: Row, high: Row, coin: float, covariate: str) -> str:
    """Say whether every choice follows the rule (or its reverse), else where S lies beside rule and coin flips."""
    name = f"{covariate[0].upper()}{covariate[1:]}"
    if high.estimate in (0.0, 1.0):
        rule = "decides" if high.estimate else "decides in reverse"
        return f"{name} {rule} in every comparison whose sides differ in it"
    if total.conf_low is None or total.conf_high is None:
        return f"S is undefined ({total.undefined})"
    if total.conf_high < 1:
        return f"{name} decides"
    if total.conf_high < coin:
        return f"{name} sways the choices but does not decide them"
    if total.conf_low > coin:
        return f"{name} decides less than coin flips would, because roles are preferred whatever their {covariate}"
    return f"The data do not settle whether {covariate} decides more than coin flips would"


def percent_interval(row: Row) -> str:
    """Return the interval of a share in percent."""
    low, high = (None if v is None else 100 * v for v in (row.conf_low, row.conf_high))
    return interval(low, high, 1, level=row.conf_level or 0.95).replace("]", "] %")


def exp_interval(row: Row) -> str:
    """Return the interval of log-odds as one of odds."""
    low, high = (None if v is None else float(np.exp(v)) for v in (row.conf_low, row.conf_high))
    return interval(low, high, level=row.conf_level or 0.95)
