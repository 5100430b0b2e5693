"""Without a rules file: the checks that the names of the columns allow."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from socialstats.audit.numbers import printed
from socialstats.audit.rulebook import GIVEN, Rule, RuleBook
from socialstats.audit.sheets import Reading, Sheet, read_sheet
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.text import listing

KINDS = {
    "p": r"p|p[ _.]?val(ue)?|pvalue|sig",
    "std_error": r"se|s\.?e\.?m?|std[ _]?err(or)?|stderr|standard[ _]error",
    "n": r"n|n[ _]?(obs|total|samples?|items|responses|questions)?|sample[ _]size|samples|total[ _]n",
    "mean": r"mean|m|avg|average|mean[ _]score",
    "sd": r"sd|s\.d\.|std|std[ _]?dev|stdev|standard[ _]deviation",
    "percent": r"percent|percentage|pct|%|perc",
    "count": r"count|k|freq(uency)?|number|hits|successes|correct",
    "share": r"acc(uracy)?|proportion|prop|share|rate|p[ _]?hat|fraction|exact[ _]match|win[ _]?rate|pass[ _]?rate",
    "t": r"t|t[ _]?(stat(istic)?|val(ue)?)",
    "F": r"f|f[ _]?(stat(istic)?|val(ue)?)",
    "z": r"z|z[ _]?(stat(istic)?|val(ue)?|score)",
    "chi2": r"chi2|chi[ _-]?sq(uared?)?|χ²|χ2|x2",
    "r": r"r|corr(elation)?|pearson([ _]r)?",
    "df": r"df|dof|df2|d\.f\.|df[ _]?(residual|error|den(om)?)",
    "df1": r"df1|df[ _]?(num|model|between)",
    "total": r"total|sum|denominator|out[ _]of",
    "alpha": r"alpha|kappa|krippendorff([ _]alpha)?|cohen([ _]kappa)?",
}  # fmt: skip
NO_RULES = 'Write a rules file: [[rule]] check = "sum_to" ... (see the documentation of socialstats.audit)'


def kinds_of(columns: Sequence[str]) -> dict[str, str]:
    """Return what columns seem to hold, by their names: kind to column, the first of each kind.

    Examples
    --------
    >>> kinds_of(["model", "Acc", "Std Err", "N"])
    {'share': 'Acc', 'std_error': 'Std Err', 'n': 'N'}
    """
    found: dict[str, str] = {}
    for column in columns:
        for kind, pattern in KINDS.items():
            if re.fullmatch(pattern, column.strip().casefold()) and kind not in found:
                found[kind] = column
                break
    return found


def guess_rules(paths: Sequence[str | os.PathLike[str]]) -> RuleBook:
    """Return the generic rules for some tables.

    Raises
    ------
    InputError
        When no table is given.
    NothingToAnalyse
        When no column has a name that says what it holds.
    """
    if not paths:
        raise InputError("name a table, or give --rules with a file that names its tables")
    sheets: dict[str, Sheet] = {}
    rules: list[Rule] = []
    for path in paths:
        name = Path(path).name.split(".")[0]
        sheets[name] = read_sheet(name, [path])
        rules += _rules(sheets[name])
    if not rules:
        columns = [column for sheet in sheets.values() for column in sheet.columns]
        raise NothingToAnalyse(f"no generic check fits the columns {listing(columns, 12)}. {NO_RULES}")
    sheets[GIVEN] = next(iter(sheets.values()))
    return RuleBook(title="", source="", sheets=sheets, rules=tuple(rules))


def _rules(sheet: Sheet) -> list[Rule]:
    """Return the generic rules for one table."""
    kinds = {kind: column for kind, column in kinds_of(sheet.columns).items() if _numeric(sheet, column)}

    def made(check: str, options: dict[str, Any] | None = None, **parameters: Any) -> Rule:
        columns = [value for value in parameters.values() if isinstance(value, str)]
        return Rule(name=f"{sheet.name}: {check} of {listing(columns)}", check=check, table=sheet.name,
                    parameters=parameters, options=options or {})  # fmt: skip

    return [*_limits(made, kinds), *_spread(sheet, made, kinds), *_tests(made, kinds)]


def _limits(made: Any, kinds: dict[str, str]) -> list[Rule]:
    ends = {"p": (0, 1), "alpha": (-1, 1), "r": (-1, 1)}
    rules = [
        made("within", value=kinds[kind], low=low, high=high) for kind, (low, high) in ends.items() if kind in kinds
    ]
    rules += [made("within", value=kinds[kind], low=0) for kind in ("std_error", "sd", "n", "count") if kind in kinds]
    total = kinds.get("total", kinds.get("n"))
    if {"count", "percent"} <= set(kinds) and total:
        rules.append(made("count_percent", count=kinds["count"], percent=kinds["percent"], total=total))
    return rules


def _spread(sheet: Sheet, made: Any, kinds: dict[str, str]) -> list[Rule]:
    """Rules about means and shares; a mean of whole numbers is only assumed when the column is called a mean."""
    rules: list[Rule] = []
    n, mean, share = kinds.get("n"), kinds.get("mean"), kinds.get("share", kinds.get("percent"))
    if n and mean:
        if "sd" in kinds:
            rules.append(made("grimmer", mean=mean, sd=kinds["sd"], n=n))
        else:
            rules.append(made("grim", mean=mean, n=n))
    if share:
        percent = _in_percent(sheet, share)
        rules.append(made("within", value=share, low=0, high=100 if percent else 1))
        if n and not (kinds.get("count") and share == kinds.get("percent")):
            rules.append(made("grim", mean=share, n=n, scale=100 if percent else 1))
        if "std_error" in kinds:
            given = {"mean": share, "std_error": kinds["std_error"], **({"n": n} if n else {})}
            rules.append(made("std_error_possible", {"scale": 100 if percent else 1}, **given))
    return rules


def _tests(made: Any, kinds: dict[str, str]) -> list[Rule]:
    """Rules about test statistics beside p-values, and t beside its mean, sd and n."""
    rules: list[Rule] = []
    for kind in ("t", "F", "z", "chi2", "r"):
        frees = {"z": (), "F": ("df1", "df")}.get(kind, ("df",))
        if {kind, "p", *frees} <= set(kinds):
            given = {free: kinds[free] for free in frees}
            rules.append(made("statistic_p", {"kind": kind}, statistic=kinds[kind], p=kinds["p"], **given))
    return rules


def _numeric(sheet: Sheet, column: str) -> bool:
    """Tell whether most cells of a column are numbers."""
    numbers = 0
    for row in sheet.rows:
        try:
            printed(row[column], strip=Reading().strip)
        except InputError:
            continue
        numbers += 1
    return numbers > len(sheet.rows) / 2


def _in_percent(sheet: Sheet, column: str) -> bool:
    """Tell whether a column of shares is in percent without a sign."""
    values = []
    for row in sheet.rows:
        try:
            values.append(printed(row[column]))
        except InputError:
            continue
    return any(value.value > 1 and not value.percent for value in values)
