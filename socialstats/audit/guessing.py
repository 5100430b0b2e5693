"""Without a rules file: the checks that the names of the columns allow."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from socialstats.audit.numbers import Printed, is_number, printed
from socialstats.audit.rules import GIVEN, Rule, RuleBook
from socialstats.audit.sheets import MISSING, Reading, Sheet, read_sheet
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.text import listing

KINDS = {
    "p": "p pval pvalue p_value sig",
    "std_error": "se s.e. sem stderr std_err std_error standard_error",
    "n": "n nobs n_obs n_total n_samples n_items n_questions sample_size samples",
    "mean": "mean m avg average",
    "sd": "sd s.d. std stdev std_dev standard_deviation",
    "percent": "percent percentage pct %",
    "count": "count k freq frequency hits successes correct n_correct",
    "share": "acc accuracy proportion prop share rate fraction exact_match win_rate winrate pass_rate",
    "t": "t t_stat t_statistic t_value",
    "F": "f f_stat f_statistic f_value",
    "z": "z z_stat z_statistic z_value z_score",
    "chi2": "chi2 chisq chi_sq chi_squared chi_square χ² χ2 x2",
    "r": "r corr correlation pearson pearson_r",
    "df": "df dof df2 d.f. df_residual df_error df_den",
    "df1": "df1 df_num df_model df_between",
    "total": "total sum denominator out_of",
    "alpha": "kappa krippendorff krippendorff_alpha cohen_kappa fleiss_kappa",
}
SPLIT = re.compile(r"[\s_.,;:/()\[\]-]+")
STEMMED = ("p", "std_error", "n", "mean", "sd", "percent", "count", "t", "df")  # may be parts of longer names
SHARED = ("n", "df", "total")  # one column for all families of a table
MARKS = "*†‡§"  # of significance and footnotes
NO_RULES = 'Write a rules file: [[rule]] check = "sum_to" ... (socialstats audit --help has an example)'


def kind_of(column: str) -> tuple[str, str]:
    """Return what a column seems to hold, and the rest of its name.

    Examples
    --------
    >>> kind_of("Std Err"), kind_of("acc_stderr"), kind_of("SD (harm)"), kind_of("model")
    (('std_error', ''), ('std_error', 'acc'), ('sd', 'harm'), ('', 'model'))
    """
    plain = column.strip().casefold()
    words = [word for word in SPLIT.split(plain) if word] or [plain]
    whole = "_".join(words)
    for kind, names in KINDS.items():
        if whole in names.split() or plain in names.split():
            return kind, ""
    for kind in STEMMED:
        for name in KINDS[kind].split():
            parts = name.split("_")
            if len(words) > len(parts) and parts in (words[: len(parts)], words[-len(parts) :]):
                rest = words[len(parts) :] if words[: len(parts)] == parts else words[: -len(parts)]
                return kind, "_".join(rest)
    return "", whole


def families(sheet: Sheet) -> list[dict[str, str]]:
    """Return, for each measure of a table, the columns of its kinds; sizes without a measure belong to all."""
    found: dict[str, dict[str, str]] = {}
    named: dict[str, str] = {}
    for column in sheet.columns:
        if not _numeric(sheet, column):
            continue
        kind, stem = kind_of(column)
        named["_".join(word for word in SPLIT.split(column.strip().casefold()) if word)] = column
        if kind:
            found.setdefault(stem, {}).setdefault(kind, column)
    shared = {kind: column for kind, column in found.get("", {}).items() if kind in SHARED}
    for stem, kinds in found.items():
        if stem in named and not {"mean", "share", "percent"} & set(kinds):
            kinds["share" if kind_of(stem)[0] == "share" else "value"] = named[stem]
    for kinds in found.values():
        for kind in [kind for kind in ("share", "percent") if kind in kinds and not _usable(sheet, kind, kinds[kind])]:
            del kinds[kind]
    return [{**shared, **kinds} for kinds in found.values()]


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
    rules: dict[str, Rule] = {}
    for path in paths:
        stem = Path(path).name.split(".")[0]
        name = f"{stem} (#{len(sheets) + 1})" if stem in sheets else stem
        sheets[name] = read_sheet(name, [path], reading=Reading(strip=MARKS))
        for kinds in families(sheets[name]):
            rules |= {rule.name: rule for rule in _rules(sheets[name], kinds)}
    if not rules:
        columns = [column for sheet in sheets.values() for column in sheet.columns]
        raise NothingToAnalyse(f"no generic check fits the columns {listing(columns, 12)}. {NO_RULES}")
    sheets[GIVEN] = next(iter(sheets.values()))
    return RuleBook(title="", source="", sheets=sheets, rules=tuple(rules.values()))


def _rules(sheet: Sheet, kinds: dict[str, str]) -> Iterator[Rule]:
    """Yield the generic rules for one measure of a table."""
    for check, options, parameters in (*_limits(sheet, kinds), *_spread(sheet, kinds), *_tests(kinds)):
        columns = listing([value for value in parameters.values() if isinstance(value, str)])
        yield Rule(name=f"{sheet.name}: {check} of {columns}", check=check, table=sheet.name, parameters=parameters,
                   options=options)  # fmt: skip


Wanted = tuple[str, dict[str, Any], dict[str, Any]]
"""A check, its options and its parameters."""


def _limits(sheet: Sheet, kinds: dict[str, str]) -> Iterator[Wanted]:
    ends: dict[str, dict[str, int]] = {"p": {"low": 0, "high": 1}, "alpha": {"low": -1, "high": 1}}
    ends |= {kind: {"low": 0} for kind in ("std_error", "sd", "n", "count")}
    ends |= {k: {"low": 0, "high": _scale(sheet, kinds[k])} for k in ("share", "percent") if k in kinds}
    for kind in (kind for kind in ends if kind in kinds):
        yield "within", {}, {"value": kinds[kind], **ends[kind]}
    total = kinds.get("total", kinds.get("n"))
    if {"count", "percent"} <= set(kinds) and total:
        yield "count_percent", {}, {"count": kinds["count"], "percent": kinds["percent"], "total": total}


def _spread(sheet: Sheet, kinds: dict[str, str]) -> Iterator[Wanted]:
    """Rules about means and shares; whole numbers are only assumed where the names say mean or share."""
    n, share = kinds.get("n"), kinds.get("share", kinds.get("percent"))
    if n and "mean" in kinds:
        sd = {"sd": kinds["sd"]} if "sd" in kinds else {}
        yield "grimmer" if sd else "grim", {}, {**sd, "mean": kinds["mean"], "n": n}
    if n and share and "count" not in kinds:
        yield "grim", {}, {"mean": share, "n": n, "scale": _scale(sheet, share)}
    if share and "std_error" in kinds:
        given = {"mean": share, "std_error": kinds["std_error"], **({"n": n} if n else {})}
        yield "std_error_possible", {"scale": _scale(sheet, share)}, given


def _tests(kinds: dict[str, str]) -> Iterator[Wanted]:
    """Rules about test statistics beside p-values."""
    for kind in ("t", "F", "z", "chi2", "r"):
        frees = {"z": (), "F": ("df1", "df")}.get(kind, ("df",))
        if {kind, "p", *frees} <= set(kinds):
            given = {free: kinds[free] for free in frees}
            yield "statistic_p", {"kind": kind}, {"statistic": kinds[kind], "p": kinds["p"], **given}


def _numbers(sheet: Sheet, column: str) -> list[Printed]:
    """Return the cells of a column that are numbers; the others are labels, or named when a rule needs them."""
    return [printed(row[column], strip=MARKS) for row in sheet.rows if is_number(row[column], strip=MARKS)]


def _numeric(sheet: Sheet, column: str) -> bool:
    """Tell whether most cells of a column that are not missing are numbers."""
    present = sum(row[column].strip().casefold() not in MISSING for row in sheet.rows)
    return len(_numbers(sheet, column)) > present / 2


def _usable(sheet: Sheet, kind: str, column: str) -> bool:
    """Tell whether a column surely holds shares or percentages: rates may be anything, percentages up to 1 shares."""
    numbers = _numbers(sheet, column)
    if any(number.value < 0 or number.value > 100 for number in numbers):
        return False
    return kind == "share" or any(number.percent or number.value > 1 for number in numbers)


def _scale(sheet: Sheet, column: str) -> int:
    """Return 100 for a column of shares in percent, 1 for shares (and for numbers with a percent sign)."""
    plain = [number for number in _numbers(sheet, column) if not number.percent]
    signs = len(plain) < len(_numbers(sheet, column))
    return 100 if signs or any(number.value > 1 for number in plain) else 1
