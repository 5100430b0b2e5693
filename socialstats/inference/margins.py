"""Tests of an estimate against a margin: equivalence (two one-sided tests) and noninferiority (one)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Literal, TypeAlias

import numpy as np
from scipy.special import ndtr, stdtr

from socialstats.crosscheck.comparing import compare
from socialstats.crosscheck.row_arithmetic import end_checks, field_checks, label, quantile, tail_p
from socialstats.errors import InputError
from socialstats.inference.intervals import critical_value, not_zero
from socialstats.inference.rows import row_at_level
from socialstats.inference.sides import has_open_end
from socialstats.results import Check, Result, Row
from socialstats.results.result import Checker
from socialstats.results.rows import Test
from socialstats.sentences import apa_interval
from socialstats.text import as_given, count, number, p_value
from socialstats.voice import check_allowed, option

MarginTest = Literal["equivalence", "noninferiority"]
TESTS = ("equivalence", "noninferiority")
REFERENCES = {
    "equivalence": ("schuirmann1987", "lakens2018"),
    "noninferiority": ("blackwelder1982",),
}
SMALLEST = float(np.finfo(np.float64).tiny)  # no p is 0
TAILS = "estimate less bound over its error, and scipy's tails"
BEYOND = {
    "different": "; the CI lies outside the bounds",
    "inferior": "; the CI lies below the margin",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoTests:
    """Both one-sided tests, with the interval that decides.

    Attributes
    ----------
    above, below : float
        Statistics of difference > low and difference < high.
    p_above, p_below : float
    interval : pair of float
    df : float or None
        Of t and noncentral t; None for the normal distribution.
    """

    above: float
    below: float
    p_above: float
    p_below: float
    interval: tuple[float, float]
    df: float | None

    def verdict(
        self, bounds: tuple[float, float], level: float, test: MarginTest = "equivalence"
    ) -> str:
        """Return what follows from the interval (the tests say the same)."""
        # 0.95 is no binary fraction: 1 less it is not 0.05
        alpha = round(1 - level, 12)
        if test == "noninferiority":
            if self.p_above < alpha:
                return "noninferior"
            return "inferior" if self.interval[1] < bounds[0] else "undecided"
        if max(self.p_above, self.p_below) < alpha:
            return "equivalent"
        outside = self.interval[0] > bounds[1] or self.interval[1] < bounds[0]
        return "different" if outside else "undecided"

    def rows(self, blank: Row, test: MarginTest, name: str) -> tuple[Row, ...]:
        """Return the rows of the tests: both sides and the larger p, or the one of noninferiority.

        Parameters
        ----------
        blank : Row
            What all of them share.
        test : {"equivalence", "noninferiority"}
        name : str
            Of the tests, for `method`.
        """
        above, below = (
            (self.above, self.p_above, "one-sided"),
            (self.below, self.p_below, "one-sided"),
        )
        # the claim needs both tests: the larger p is that of the claim
        worse = above if self.p_above >= self.p_below else below
        shown = {
            "above low": above,
            "below high": below,
            "equivalence": (*worse[:2], "the larger p of two"),
        }
        if test == "noninferiority":
            shown = {"noninferiority": above}
        return tuple(
            replace(
                blank,
                term=term,
                statistic=t if np.isfinite(t) else None,
                df=self.df,
                p_value=p,
                method=f"{name}, {how}",
            )
            for term, (t, p, how) in shown.items()
        )


Tested: TypeAlias = Callable[[Row, tuple[float, float], float], tuple[TwoTests, Row]]


def test_terms(test: MarginTest) -> tuple[str, ...]:
    """Return the terms of the tests' rows."""
    return (
        ("noninferiority",)
        if test == "noninferiority"
        else ("above low", "below high", "equivalence")
    )


def checked_bounds(
    low: float | None, high: float | None, margin: float | None, test: MarginTest
) -> tuple[float, float]:
    """Return both bounds, or raise `InputError`; `margin` stands for -margin and margin.

    Examples
    --------
    >>> checked_bounds(None, None, 0.2, "noninferiority")
    (-0.2, 0.2)
    """
    check_allowed("test", test, TESTS)
    if margin is not None:
        if low is not None or high is not None:
            raise InputError(
                f"{option('margin', margin)} stands for {option('low', -margin)} and "
                f"{option('high', margin)}: leave these out, or the margin"
            )
        if not _finite(margin, "margin") > 0:
            raise InputError(
                f"{option('margin', margin)} must be above 0: the largest difference that does not matter"
            )
        return -float(margin), float(margin)
    if test == "noninferiority":
        raise InputError(
            f"a test of noninferiority needs {option('margin')}: the largest loss that does not matter"
        )
    if low is None or high is None:
        raise InputError(
            f"equivalence needs {option('margin')}, or {option('low')} and {option('high')}: the smallest "
            "and largest difference that would not matter"
        )
    ends = _finite(low, "low"), _finite(high, "high")
    if not ends[0] < ends[1]:
        raise InputError(f"{option('low', low)} must be below {option('high', high)}")
    return ends


def _finite(value: float, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not np.isfinite(float(value)):
        raise InputError(f"{option(name, value)} is not a finite number")
    return float(value)


def refuse_impossible(
    bounds: tuple[float, float], limits: tuple[float, float] | None, test: MarginTest
) -> None:
    """Refuse bounds that no difference can pass: the claim would be shown by any data.

    Parameters
    ----------
    bounds : (low, high)
    limits : (low, high) or None
        What the difference can be.
    test : {"equivalence", "noninferiority"}

    Raises
    ------
    InputError
        Naming the limit.
    """
    low, high = limits or (-np.inf, np.inf)
    beyond = [
        bound
        for bound, out in ((bounds[0], bounds[0] <= low), (bounds[1], bounds[1] >= high))
        if out
    ]
    if not beyond or (test == "noninferiority" and bounds[0] > low):
        return
    # percentage points are the usual mistake
    hundredth = abs(beyond[0]) / 100
    meant = f"; did you mean {hundredth:g}?" if high == 1 and hundredth < 1 else ""
    raise InputError(
        f"a bound of {beyond[0]:g} cannot be reached: the difference lies within {low:g} and {high:g}, so any data "
        f"would show {test}{meant}"
    )


def checked_alpha(level: float) -> float:
    """Return a level above .5, of which 1 minus it is the error rate of each one-sided test."""
    if not isinstance(level, Real) or not 0.5 < level < 1:
        raise InputError(
            f"level must be above 0.5 for one-sided tests, and below 1; it is {level!r}"
        )
    return float(level)


def two_tests(row: Row, bounds: tuple[float, float], level: float) -> tuple[TwoTests, Row]:
    """Return the one-sided tests of a row by its estimate, standard error and df, and the row at 2 `level` - 1.

    Raises
    ------
    InputError
        Where the row's own interval does not follow from these three (a score or bootstrap interval).
    """
    value, error = row.estimate, row.std_error
    if value is None or error is None or not error > 0:
        raise InputError(
            f"{row.name}: a test against a margin needs an estimate and a standard error. This row has "
            f"none: {row.undefined or 'its metric has no standard error'}"
        )
    # tests at 1 - level reject where the interval at 2 level - 1 lies inside the bounds
    df, inner = None if row.interval == "z" else row.df, round(2 * level - 1, 12)
    reach = critical_value(inner, df) * error
    at_inner_level: Row | None = replace(
        row, conf_low=value - reach, conf_high=value + reach, conf_level=inner
    )
    if row.conf_level is not None:
        at_inner_level = row_at_level(row, inner)
    if at_inner_level is None and has_open_end(row):
        raise InputError(
            f"{row.name}: its interval is one-sided, and tests against a margin need both ends. Leave "
            f"{option('alternative')} out"
        )
    if at_inner_level is None:
        raise InputError(
            f"{row.name}: its interval is of the kind '{row.interval}', which does not follow from "
            "estimate, error and df. Use equivalence() of a table of pairs, or t intervals"
        )
    # both one-sided tests of Schuirmann (1987): value > low and value < high
    above, below = ((value - bound) / error for bound in bounds)
    p_above, p_below = (
        float(not_zero(ndtr(t) if df is None else stdtr(df, t))) for t in (-above, below)
    )
    tests = TwoTests(
        above=above,
        below=below,
        p_above=p_above,
        p_below=p_below,
        interval=(value - reach, value + reach),
        df=df,
    )
    return tests, replace(
        at_inner_level, statistic=None, p_value=None, p_adjusted=None, test=None, family=None
    )


def against_margin(
    source: Result | Row,
    *,
    low: float | None = None,
    high: float | None = None,
    margin: float | None = None,
    test: MarginTest = "equivalence",
    level: float = 0.95,
    tested: Tested | None = None,
    check: Checker | None = None,
) -> Result:
    """Test differences that a result has against a margin.

    Parameters
    ----------
    source : Result or Row
        Of a result, all rows whose role is a difference; or any one row with estimate and standard error.
    low, high, margin : float
        Bounds of equivalence; a margin stands for -margin and margin.
    test : {"equivalence", "noninferiority"}
    level : float
        1 minus the error rate of each test.
    tested : callable, optional
        Returns the tests of a row whose interval is not of t or z, and the row at 2 `level` - 1.
    check : callable, optional
        Recomputes the result; by default `recheck_margin_tests`.

    Returns
    -------
    Result
        The differences with intervals at 2 `level` - 1, each followed by its tests.

    Raises
    ------
    InputError
        For missing or crossed bounds, results without a difference, and rows without t or z interval.

    Examples
    --------
    >>> row = Row(term="a - b", estimate=0.05, std_error=0.06, df=20.0)
    >>> result = against_margin(row, margin=0.2)
    >>> [round(r.p_value, 4) for r in result.rows[1:]], result.extras["verdict"]
    ([0.0002, 0.0106, 0.0106], 'equivalent')
    """
    bounds, level = checked_bounds(low, high, margin, test), checked_alpha(level)
    result = (
        source
        if isinstance(source, Result)
        else Result(metric="equivalence", title="Difference", rows=(source,))
    )
    places = [
        k for k, row in enumerate(result.rows) if source is not result or row.role == "difference"
    ]
    if source is result:
        # rows of other groups, such as those without clusters, are beside those of the first group
        lead = result.rows[places[0]].group if places else None
        defined = [k for k in places if result.rows[k].undefined is None]
        with_error = [k for k in defined if tested or result.rows[k].std_error is not None]
        reasons = [result.rows[k].undefined for k in places if result.rows[k].undefined]
        why = f": {reasons[0]}" if reasons else ""
        places = with_error if any(result.rows[k].group == lead for k in with_error) else []
        if not places:
            raise InputError(
                f"{result.title}: no row is a difference with a standard error{why}. Pass a row of it, "
                "equivalence(result.row(TERM), ...)"
            )
    rows: list[Row] = []
    verdicts: dict[str, str] = {}
    for k in places:
        refuse_impossible(bounds, result.rows[k].limits, test)
        tests, row = (tested or two_tests)(result.rows[k], bounds, level)
        verdicts[row.name] = tests.verdict(bounds, level, test)
        group = "test" if len(places) == 1 else f"test of {row.name}"
        kind: Test = "z" if tests.df is None else "t"
        if tested:
            kind = "score"
        blank = Row(
            term="",
            group=group,
            key=row.key,
            role="test",
            n=row.n,
            n_units=row.n_units,
            n_clusters=row.n_clusters,
            test=kind,
        )
        rows += [row, *tests.rows(blank, test, f"inverted {row.method}" if tested else kind)]
    claim, how = "Noninferiority", "one-sided test"
    if test == "equivalence":
        claim, how = "Equivalence", "two one-sided tests"
    source_inference = f"; {result.inference}" if result.inference else ""
    return Result(
        metric=result.metric,
        title=f"{claim}: {result.title[:1].lower()}{result.title[1:]}",
        rows=tuple(rows),
        inference=f"{how} of each difference{source_inference}",
        counts=result.counts,
        fit={name: result.fit[name] for name in ("nobs", "n_clusters") if name in result.fit},
        settings={
            "low": bounds[0],
            "high": bounds[1] if test == "equivalence" else None,
            "test": test,
            "level": level,
        },
        cautions=result.cautions,
        references=(*REFERENCES[test], *result.references),
        design=result.design,
        extras={
            "verdict": next(iter(verdicts.values())),
            "verdicts": verdicts,
            "bounds": bounds,
            "source": result,
            "at": tuple(places),
        },
        words=margin_text(rows, list(verdicts.values()), bounds, test),
        check=check or recheck_margin_tests,
    )


def recheck_margin_tests(result: Result) -> Iterator[Check]:
    """Compare each difference with what its source's own checks found, and its tests with scipy's tails."""
    source, places = result.extras["source"], result.extras["at"]
    # a row alone has no metric that recomputes it
    of_source = source.verify().checks if source.title != "Difference" else ()
    step = len(result.rows) // len(places)
    for k, place in enumerate(places):
        row, *tests = result.rows[k * step : (k + 1) * step]
        for check in of_source:
            if check.row == place and check.field in ("estimate", "std_error"):
                yield from compare_with_source(row, check)
        df = tests[0].df
        value, error = row.estimate or 0.0, row.std_error or 1.0
        reach = quantile(2 * result.settings["level"] - 1, df) * error
        yield from end_checks(row, value - reach, value + reach, "scipy", TAILS, least=reach)
        if df is not None:
            for test in tests:
                yield from field_checks(test, "scipy", TAILS, df=source.rows[place].df)
        yield from recheck_sides(tests, value, error, df, result.extras["bounds"])


def compare_with_source(row: Row, check: Check) -> Iterator[Check]:
    """Compare a number of a row with that of the check of its source, where there was one."""
    if check.theirs is not None:
        yield compare(
            label(row, check.field),
            getattr(row, check.field),
            check.theirs,
            package=check.package,
            tolerance=check.tolerance,
            why=check.note,
        )


def recheck_sides(
    tests: Sequence[Row],
    value: float,
    error: float,
    df: float | None,
    bounds: tuple[float, float],
) -> Iterator[Check]:
    """Compare the test above the lower bound, that below the upper one, and the row that shows the larger p."""
    low, high = ((value - bound) / error for bound in bounds)
    above = low, max(tail_p(low, df, "greater"), SMALLEST)
    below = high, max(tail_p(high, df, "less"), SMALLEST)
    worse = above if above[1] >= below[1] else below
    # a test of noninferiority has the first of the three only
    for test, (statistic, p) in zip(tests, (above, below, worse), strict=False):
        yield from field_checks(test, "scipy", TAILS, statistic=statistic, p_value=p)


def margin_test_words(bounds: tuple[float, float], test: MarginTest) -> str:
    """Return what is tested, in words: equivalence within bounds, or noninferiority by a margin."""
    if test == "noninferiority":
        return f"Noninferiority with a margin of {as_given(-bounds[0])}"
    return f"Equivalence within [{as_given(bounds[0])}, {as_given(bounds[1])}]"


def margin_text(
    rows: Sequence[Row], verdicts: list[str], bounds: tuple[float, float], test: MarginTest
) -> str:
    """Return the difference and whether the claim was shown; of several, how many."""
    shown = sum(verdict in ("equivalent", "noninferior") for verdict in verdicts)
    name = "TOST p" if test == "equivalence" else "one-sided p"
    if len(verdicts) > 1:
        differences = count(len(verdicts), "difference")
        return f"{margin_test_words(bounds, test)} was shown for {shown} of {differences} (unadjusted)."
    row, last = rows[0], rows[-1]
    was = "was shown" if shown else "was not shown"
    sentence = f"{row.term} = {number(row.shown())}, {apa_interval(row)}. {margin_test_words(bounds, test)} {was}"
    return f"{sentence} ({p_value(last.p_value, name=name)}){BEYOND.get(verdicts[0], '')}."
