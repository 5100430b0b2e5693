"""What is known about a number that rests on another definition: versions, issues, habits of a harness."""

from __future__ import annotations

import re

from socialstats.claims.bench import Bench
from socialstats.claims.definitions import Definition
from socialstats.claims.documented import harness_name
from socialstats.claims.types import Claim
from socialstats.text import quoted

FIXED = (0, 4, 13)
"""lm-eval: the standard error of an unweighted group follows its mean (pull request 3882)."""


def version_of(text: str | None) -> tuple[int, ...]:
    """Return the leading numbers of a version; empty where there are none.

    Examples
    --------
    >>> version_of("0.4.9.1"), version_of("0.4.13.dev0"), version_of(None)
    ((0, 4, 9, 1), (0, 4, 13), ())
    """
    found = re.match(r"\s*v?(\d+(?:\.\d+)*)", text or "")
    return tuple(int(part) for part in found[1].split(".")) if found else ()


def group_remark(bench: Bench, claim: Claim, key: str) -> str:
    """Say what is known about a formula of a group."""
    if harness_name(bench.log.harness) != "lm-eval" or claim.quantity != "std_error":
        return ""
    version = version_of(bench.log.version)
    if key == "pooled":
        known = "lm-eval took it for every group before 0.4.13, although this group's mean does not weigh by size"
        if not version:
            return f"{known}; the log does not say its version"
        return known if version < FIXED else f"{known}; version {bench.log.version} should not"
    if key in ("combined", "without_n"):
        return "an early formula of lm-eval (its pull requests 1390 and 1427), not a standard error of this mean"
    return ""


def remark(bench: Bench, claim: Claim, base: Definition, found: Definition) -> str:
    """Say what is known about a definition that departs from the documented one."""
    if base.formula.startswith("clustered") and not found.column:
        text = f"the clusters {quoted([base.column])} were ignored"
        if "headline" in claim.name:
            text += " (Inspect's table of runs carries the unclustered standard error of the headline metric)"
        return text
    if base.reading.repeats != found.reading.repeats and found.reading.repeats == "pooled":
        return "repeats of a unit are not independent of each other"
    return ""
