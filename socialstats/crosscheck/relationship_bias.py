"""Relationship bias once more: pandas' group means, errors by clusters, McNemar and t elsewhere.

The table is read from the design again, one record an answer, with labels for everything; B is a contrast of a
saturated (weighted) regression of the answers on their cells. Every number of every row is compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from socialstats.crosscheck.adjusting import adjusted_p
from socialstats.crosscheck.couple_bootstrap import overall_ends, resampled, term_ends
from socialstats.crosscheck.couple_errors import Answers
from socialstats.crosscheck.couple_records import (
    CELL,
    Key,
    bias_contrasts,
    cell_means,
    mean_contrast,
    position_contrasts,
    records,
    score_contrasts,
    value_of,
    weighted,
)
from socialstats.crosscheck.couple_sizes import Sizes, gap_checks, null_checks, size_checks, sizes_of
from socialstats.crosscheck.couple_tests import (
    couple_table,
    mcnemar_checks,
    overall_flip_checks,
    scenario_checks,
    scenario_values,
    size_of,
)
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.paired_tables import MOST_ROWS, TOO_MANY, near, set_aside
from socialstats.crosscheck.row_arithmetic import label, same_p, statistic_checks, t_ends
from socialstats.results import Check, FloatArray, Result, Row, Verification

if TYPE_CHECKING:
    import pandas as pd

SAME = "the same means in another order of arithmetic"
SANDWICH = "CR2 by sums of clusters, on deviations from the means of cells"


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A row that is a contrast of cell means: its coefficients rater by rater, and what it can reach."""

    row: Row
    parts: list[dict[Key, float]]
    reach: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Recount:
    """What everything is recomputed from.

    Attributes
    ----------
    result : Result
    plain : DataFrame
        Records.
    table : DataFrame
        The same with weights, those of each level of the stratum below those of all answers; `answers` for errors.
    means, cells : mapping
        Means of the cells of `table`, and their codes.
    pairs : list of (term, first group, second group)
    levels : tuple of str
        Of the stratum.
    """

    result: Result
    plain: pd.DataFrame
    table: pd.DataFrame
    answers: Answers
    means: dict[Key, float]
    cells: dict[Key, int]
    pairs: list[tuple[str, str, str]]
    levels: tuple[str, ...]

    @property
    def size(self) -> FloatArray:
        """Answers of each cell."""
        return np.bincount(self.answers.cell)

    def error(self, contrast: dict[Key, float]) -> tuple[float, float]:
        """Standard error and degrees of freedom of a contrast."""
        return self.answers.error(contrast, self.cells)

    def sizes(self, level: str) -> Sizes | None:
        """Every B of a level of the stratum, or of all answers (empty text)."""
        return sizes_of(self.answers, self.means, self.cells, self.pairs, level)

    def rows(self, group: str) -> dict[str, Row]:
        """Rows of a group by their terms."""
        return {row.term: row for row in self.result.rows if row.group == group}


def verify(result: Result) -> Verification:
    """Recompute every row: B, S, B_all, levels of the stratum and their differences, and the tests beside them."""
    counted = recount(result)
    made = (main_checks, level_checks, scenario_rows, mcnemar_rows, without_bias)
    return Verification(checks=tuple(check for checks_of in made for check in checks_of(counted)))


def recount(result: Result) -> Recount:
    """Read the records, and average them in every cell."""
    import pandas as pd

    plain = records(result)
    stratum = result.settings["stratum"]
    levels = tuple(sorted(set(plain["stratum"]))) if stratum is not None else ()
    aggregate = result.settings["aggregate"]
    table = pd.concat([weighted(plain, aggregate, level) for level in ("", *levels)], ignore_index=True)
    table["cell"] = table.groupby(CELL).ngroup()
    first = table.drop_duplicates("cell")
    cells = dict(zip(first[CELL].itertuples(index=False, name=None), first["cell"].tolist(), strict=True))
    groups = result.extras["groups"]
    terms = {row.term for row in result.rows if row.group == "bias"}
    every = [(f"{a} - {b}", a, b) for i, a in enumerate(groups) for b in groups[i + 1 :]]
    return Recount(result=result, plain=plain, table=table, answers=Answers.of(table), means=cell_means(table),
                   cells=cells, levels=levels, pairs=[one for one in every if one[0] in terms])  # fmt: skip


def main_terms(counted: Recount) -> Iterator[Term]:
    """Every B, S and effect of the position of all answers."""
    biases, position, score, mean = (counted.rows(g) for g in ("bias", "position", "score", "position, mean"))
    for term, a, b in counted.pairs:
        yield Term(row=biases[term], parts=bias_contrasts(counted.means, a, b), reach=2.0)
    for a in counted.result.extras["groups"]:
        for b in counted.result.extras["groups"]:
            row = position.get(a) if a == b else score.get(f"{a}, {b}")
            if row is not None:
                yield Term(row=row, parts=score_contrasts(counted.means, a, b), reach=1.0)
    for row in mean.values():
        yield Term(row=row, parts=position_contrasts(counted.means), reach=1.0)


def term_checks(counted: Recount, term: Term, *, closed: bool = True) -> list[Check]:
    """Compare estimate, n, standard error, df, t, p and (closed) the t interval of a contrast."""
    row, settings = term.row, counted.result.settings
    if row.estimate is None or not term.parts:
        return [compare(label(row), row.estimate, None, package="pandas", tolerance=0, why=SAME)] if term.parts else []
    contrast = mean_contrast(term.parts)
    checks = [near(label(row), row.estimate, value_of(contrast, counted.means), "pandas", SAME)]
    if row.n is not None:
        n = counted.size[[counted.cells[key] for key in contrast]].sum()
        checks.append(near(label(row, "n"), row.n, float(n), "pandas", SAME))
    if row.std_error is None:
        return checks
    if len(counted.plain) > MOST_ROWS:
        return [*checks, set_aside(label(row, "s.e."), row.std_error, None, "statsmodels", TOO_MANY)]
    error, df = counted.error(contrast)
    checks.append(near(label(row, "s.e."), row.std_error, error, "numpy", SANDWICH, 1e-7))
    checks += statistic_checks(row, df=df)
    if closed:
        checks += t_ends(row, settings["level"], df, cut=(-term.reach, term.reach))
    return checks


def main_checks(counted: Recount) -> list[Check]:
    """Compare all answers' B, S, positions and B_all, with Holm's adjustment and the bootstrap."""
    settings = counted.result.settings
    terms = [term for term in main_terms(counted) if term.parts]
    closed = settings["ci"] == "closed"
    checks = [check for term in terms for check in term_checks(counted, term, closed=closed)]
    checks += holm_checks([row for row in counted.result.rows if row.group == "bias"])
    whole = counted.table[counted.table["level"] == ""]
    sizes = [bias_contrasts(counted.means, a, b) for _, a, b in counted.pairs]
    listed = [mean_contrast(term.parts) for term in terms]
    rows = list(counted.rows("overall").values())
    if not closed and any(row.conf_low is not None for row in (*rows, *(t.row for t in terms))):
        drawn = resampled(counted.result, whole, listed, sizes)
        checks += [c for k, t in enumerate(terms) for c in term_ends(t.row, drawn, k, counted.result, t.reach)]
        checks += overall_ends(rows, drawn, settings["level"])
    return checks + overall_checks(counted)


def holm_checks(rows: list[Row]) -> list[Check]:
    """Adjust the p-values of a family with statsmodels."""
    known = [row for row in rows if row.p_value is not None]
    if not known:
        return []
    adjusted = adjusted_p([row.p_value for row in known])
    return [same_p(label(row, "Holm"), row.p_adjusted, float(p), "statsmodels", SAME)
            for row, p in zip(known, adjusted, strict=True)]  # fmt: skip


def overall_checks(counted: Recount, level: str = "") -> list[Check]:
    """Compare B_all, and B_all corrected, with their interval where it is no bootstrap's."""
    settings = counted.result.settings
    rows = counted.rows(f"{settings['stratum']} = {level}" if level else "overall")
    if "B_all" not in rows or rows["B_all"].estimate is None:
        return []
    plain, better = rows["B_all"], rows["B_all corrected"]
    checks = [near(label(plain), plain.estimate, size_of(counted.means, counted.pairs, level), "pandas", SAME)]
    checks += [c for row in (plain, better) for c in answers_check(counted, row, level)]
    if len(counted.plain) > MOST_ROWS:
        return [*checks, *(set_aside(label(row, "interval"), row.conf_low, None, "scipy", TOO_MANY)
                           for row in (plain, better) if row.conf_low is not None)]  # fmt: skip
    closed = settings["ci"] == "closed" or bool(level)
    return checks + size_checks(plain, better, counted.sizes(level), settings, closed=closed)


def answers_check(counted: Recount, row: Row, level: str) -> list[Check]:
    """Compare the number of answers to couples of two groups."""
    table = counted.table
    n = ((table["level"] == level) & (table["group_first"] != table["group_second"])).sum()
    return [] if row.n is None else [near(label(row, "n"), row.n, float(n), "pandas", SAME)]


def without_bias(counted: Recount) -> list[Check]:
    """Compare the mean of B_all without any bias, and the test of that."""
    row = counted.rows("overall, without any bias")["B_all"]
    return [] if row.estimate is None else [*null_checks(row, counted.sizes("")), *answers_check(counted, row, "")]


def level_checks(counted: Recount) -> list[Check]:
    """Compare B, B_all and the place within every level of the stratum, and the differences of two levels."""
    checks: list[Check] = []
    name = counted.result.settings["stratum"]
    for level in counted.levels:
        rows = counted.rows(f"{name} = {level}")
        terms = [Term(row=rows[term], parts=bias_contrasts(counted.means, a, b, level), reach=2.0)
                 for term, a, b in counted.pairs if term in rows]  # fmt: skip
        if "same groups" in rows:
            parts = position_contrasts(counted.means, level)
            terms.append(Term(row=rows["same groups"], parts=parts, reach=1.0))
        terms += [Term(row=rows[name], parts=score_contrasts(counted.means, a, b, level), reach=1.0)
                  for name, a, b in kinds(counted.result.extras["groups"]) if name in rows]  # fmt: skip
        checks += [check for term in terms for check in term_checks(counted, term)]
        checks += overall_checks(counted, level)
    return checks + difference_checks(counted)


def kinds(groups: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """Term, first and second group of the score of every kind of couple; those of one group have its name."""
    return [(a if a == b else f"{a}, {b}", a, b) for a in groups for b in groups]


def difference_checks(counted: Recount) -> list[Check]:
    """Compare the differences of the biases between two levels, with Holm's adjustment."""
    if len(counted.levels) != 2:
        return []
    one, two = counted.levels
    rows = counted.rows(f"{one} - {two}")
    checks = []
    for term, a, b in counted.pairs:
        first, second = (bias_contrasts(counted.means, a, b, level) for level in (one, two))
        if term in rows and first and second:
            gap = mean_contrast(first) | {key: -value for key, value in mean_contrast(second).items()}
            checks += term_checks(counted, Term(row=rows[term], parts=[gap], reach=4.0))
    if "B_all corrected" in rows:
        name = counted.result.settings["stratum"]
        levels = [counted.rows(f"{name} = {level}")["B_all corrected"] for level in counted.levels]
        checks += gap_checks(rows.pop("B_all corrected"), *levels)
    return checks + holm_checks(list(rows.values()))


def scenario_rows(counted: Recount) -> list[Check]:
    """Compare the tests of one difference a scenario."""
    checks = []
    means, flips = counted.rows("scenario means"), counted.rows("scenario sign flip")
    for term, a, b in counted.pairs:
        values = scenario_values(counted.plain, a, b)
        checks += scenario_checks(means[term], flips[term], values, counted.result.settings["level"])
    return checks + overall_flip_checks(counted.result, counted.plain, counted.pairs)


def mcnemar_rows(counted: Recount) -> list[Check]:
    """Compare McNemar's tests of every pair of groups."""
    chi, mid = (counted.rows(f"{name}, ignoring clusters") for name in ("McNemar", "McNemar mid-p"))
    return [check for term, a, b in counted.pairs
            for check in mcnemar_checks(chi[term], mid[term], couple_table(counted.plain, a, b))]  # fmt: skip
