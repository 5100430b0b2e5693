"""One engine that computes a result again from plain definitions and the numbers of other packages.

A metric states what its rows are estimated from and how (`PlainSample`), and which packages have some of its numbers
(`PeerNumbers`). From these the engine recomputes the estimates. Standard errors and degrees of freedom follow from
derivatives of the plain definition, t tests and intervals from both, bootstrap intervals from drawn counts.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.crosscheck.clusters import (
    CR2,
    SMOOTH,
    Errors,
    disagreement_ends,
    effective_number,
    fisher_ends,
    unfloored_check,
)
from socialstats.crosscheck.comparing import set_aside
from socialstats.crosscheck.contributions import Contributions, with_added
from socialstats.crosscheck.equations import equation_checks
from socialstats.crosscheck.influences import MANY_NUMBERS, Influences
from socialstats.crosscheck.jackknife import (
    LEFT,
    MANY,
    MOST_LEFT_OUT,
    crossed_jackknife,
    hull_checks,
    jackknife_t,
    short_of_zero,
    values_left_out,
)
from socialstats.crosscheck.profile_score import effective_pairs, score_checks
from socialstats.crosscheck.resamples import RESAMPLED, Cells, redrawn, resampled_checks
from socialstats.crosscheck.row_arithmetic import (
    MULTIPLETESTS,
    adjusted_checks,
    end_checks,
    field_checks,
    inner_level,
    label,
    statistic_checks,
    wald_checks,
    with_open_end,
)
from socialstats.crosscheck.shares import ROOTS, clustered_share_checks, wilson_roots
from socialstats.designs.parts import Factor
from socialstats.results import Check, Result, Row, Verification
from socialstats.results.definitions import (
    PeerNumbers,
    PlainSample,
    RowKey,
    key_of_row,
    ways_to_leave_out,
)
from socialstats.results.equations import EquationSample
from socialstats.results.verification import Published, as_published

JACKKNIFED = ("jackknife", "outer_ends", "noncentral_t")  # intervals of units left out one by one
IGNORING = "ignoring clusters"  # the group of rows that take units as independent
MOST_ROWS = 2_000_000  # pairs that a check writes out one by one
PLAIN = "the plain definition of the metric, by counting"


def verify(
    result: Result,
    *,
    samples: Iterable[PlainSample],
    equations: Iterable[EquationSample | str],
    peers: Iterable[PeerNumbers],
    family: Callable[[Row], object],
) -> Verification:
    """Recompute the estimates of a result, their errors, tests and intervals, and what other packages have.

    The parameters are those of a `Definition`, read for this result.
    """
    checks: list[Check] = []
    index = RowIndex(result.rows)
    for sample in samples:
        checks += SampleChecks(result, sample, index).checks()
    for equation in equations:
        checks += equation_checks(result, equation)
    rows = {key_of_row(row): row for row in result.rows}
    for theirs in peers:
        if theirs.row in rows:
            checks += check_numbers(rows[theirs.row], theirs)
    checks += check_families(result, family)
    return Verification(checks=(*checks, *check_copies(result, checks)))


class RowIndex:
    """The rows of a result by key and by term: a result of many samples is not searched for each of them."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self.places: defaultdict[object, set[int]] = defaultdict(set)
        for place, row in enumerate(rows):
            self.places[key_of_row(row)].add(place)
            self.places[row.term].add(place)

    def of_sample(self, sample: PlainSample, estimates: Iterable[RowKey]) -> list[Row]:
        """Return the rows that a sample estimates or tests, in the order of the result."""
        # tests are named by their terms
        names = (*estimates, *sample.signs, *sample.tests)
        places = set().union(*(self.places[name] for name in names if name in self.places))
        return [self.rows[place] for place in sorted(places)]


class SampleChecks:
    """The checks of the rows that are estimated from one sample.

    Parameters
    ----------
    result : Result
    sample : PlainSample
    index : RowIndex
        That of the result.
    """

    def __init__(self, result: Result, sample: PlainSample, index: RowIndex) -> None:
        self.result, self.sample = result, sample
        if sample.level is not None:
            self.level, self.side = sample.level, "two_sided"
        else:
            self.level = inner_level(result.settings)
            self.side = str(result.settings.get("alternative", "two_sided"))
        with np.errstate(all="ignore"):
            self.estimates = sample.plain(sample.count)
        self.influences = Influences(sample, self.estimates)
        self.rows = index.of_sample(sample, self.estimates)

    def checks(self) -> list[Check]:
        """Return the checks of all rows of the sample."""
        checks: list[Check] = []
        for row in self.rows:
            value = self.estimates.get(key_of_row(row), math.nan)
            if row.estimate is not None and not math.isnan(value):
                if row.limits is not None:
                    # a corrected estimate beyond what is possible is shown as the limit
                    value = min(max(value, row.limits[0]), row.limits[1])
                checks += field_checks(row, "numpy", PLAIN, size=self.sample.size, estimate=value)
            if self.is_left_out(row):
                checks += self.check_left_out(row)
            elif not (self.is_resampled(row) and self.sample.resampled_errors):
                checks += self.check_error(row)
            checks += self.check_score(row)
        return checks + self.check_resamples()

    def is_resampled(self, row: Row) -> bool:
        """Whether the interval of a row is a bootstrap's, or would be if it existed."""
        if row.interval is not None:
            return row.interval in RESAMPLED
        has_error = row.has_interval or row.std_error is not None
        return has_error and self.result.settings.get("ci") in RESAMPLED

    def is_left_out(self, row: Row) -> bool:
        """Whether a row has the error of units that are left out one by one."""
        if self.sample.left_out is not None:
            return True
        standardised = key_of_row(row) in self.sample.standardised
        return row.interval == "jackknife" or (standardised and row.interval in JACKKNIFED)

    def is_share(self, row: Row) -> bool:
        """Whether a row is a share with Wilson's interval."""
        if row.role == "difference" or self.is_resampled(row):
            return False
        if self.sample.yes_or_no:
            return row.interval in ("score", None)
        return row.interval == "score" and row.limits is not None

    def limits(self, row: Row) -> tuple[float, float] | None:
        """Return where the interval of a row is cut: those of estimates around others where the sample says so."""
        key = key_of_row(row)
        of_sample = self.sample.limits.get(key)
        return of_sample if key in self.sample.centres else row.limits or of_sample

    def crossed(self) -> list[Factor]:
        """Return the factors of the sample; people who rated are one of them."""
        people = self.sample.people
        return [*self.sample.factors, *([] if people is None else [people])]

    def codes(self, factors: Sequence[Factor]) -> IntArray:
        """Return the clusters of each cell, (cells, factors)."""
        columns = [factor.codes for factor in factors]
        shape = (len(columns), len(self.sample.count))
        return np.array(columns, dtype=np.int64).reshape(shape).T

    def estimated(self, row: Row) -> tuple[RowKey, float] | None:
        """Return the key and the value of the estimate that a row is about; None for rows of other samples."""
        key = key_of_row(row)
        if row.term in self.sample.tests:
            key = None, self.sample.tests[row.term].term
        value = self.estimates.get(key, math.nan)
        return None if math.isnan(value) else (key, value)

    def check_error(self, row: Row) -> list[Check]:
        """Compare standard error, df, test and interval of a row with those of the estimate that it is about."""
        is_test = row.term in self.sample.tests
        subject = self.estimated(row)
        if subject is None or (is_test and row.test == "score"):
            # the statistic of a score test has an error of its own (`check_score`)
            return []
        key, estimate = subject
        if self.sample.errors_of_rows:
            return self.check_with_row_error(row, estimate)
        is_share = self.is_share(row)
        # shares of 0 and 1, and full agreement, have ends and no standard error
        needs_none = row.has_interval and (is_share or key in self.sample.disagreements)
        if (row.statistic if is_test else row.std_error) is None and not needs_none:
            return []
        factors = factors_of_row(row, self.sample.factors)
        contributions = self.influences.contributions(key, factors)
        if isinstance(contributions, str):
            return [set_aside(label(row, "s.e."), row.std_error, None, "numpy", contributions)]
        # the df of a chi-square or F test are those of the test
        has_df = row.df is not None and row.test not in ("chi2", "f")
        uses_t = has_df or row.interval == "t"
        errors = self.errors_of_row(row, key, contributions, uses_t)
        checks = []
        if not is_test:
            # a large-sample error is shown as it is, beside a test that takes n - 1
            of_error = contributions.errors() if self.sample.large_sample else errors
            error, rounding = math.sqrt(of_error.variance), self.influences.rounding
            checks += field_checks(row, "numpy", CR2, SMOOTH, rounding, std_error=error)
        if row is self.result.rows[0] and "unfloored_std_error" in self.result.extras:
            checks.append(unfloored_check(self.result.extras["unfloored_std_error"], errors))
        if is_share:
            return checks + self.check_share(row, key, estimate, errors, contributions)
        if key in self.sample.disagreements or row.interval == "fisher_z":
            return checks + self.check_agreement(row, key, estimate, errors)
        df = errors.df if contributions.clustered or uses_t else None
        return checks + self.check_test(row, estimate, errors, df)

    def errors_of_row(
        self, row: Row, key: RowKey, contributions: Contributions, uses_t: bool
    ) -> Errors:
        """Return variance and df as the test and the interval of a row take them."""
        sample = self.sample
        errors = contributions.errors()
        # z intervals of independent units have the divisor n
        takes_df = uses_t or sample.unbiased or sample.large_sample
        independent = not contributions.clustered and contributions.strata is None
        if contributions.second is not None:
            errors = contributions.errors_of_difference(
                contributions.second, unbiased=sample.unbiased
            )
        elif independent and takes_df and row.interval != "z":
            # a variance estimated from n units has n - 1 df
            n = contributions.total
            errors = replace(errors, variance=errors.variance * n / (n - 1))
        elif sample.unbiased and contributions.alone:
            errors = replace(errors, variance=contributions.linearised_variance())
        if key in sample.added:
            errors = with_added(errors, *sample.added[key])
        return errors

    def check_test(
        self, row: Row, estimate: float, errors: Errors, df: float | None
    ) -> list[Check]:
        """Compare the t or z test of a row, and its t or z interval."""
        tested = row
        if row.test not in ("t", "z", None):
            # another test, whose numbers do not follow from the error
            tested = replace(row, statistic=None, df=None, p_value=None)
        null, side = self.hypothesis(row)
        level = self.sample.level or self.result.settings["level"]
        error = math.sqrt(errors.variance)
        # the error by differences has fewer digits where values are large
        lost = self.influences.rounding / error if error > 0 else 0.0
        close = SMOOTH * max(1.0, lost)
        limits = row.limits or self.sample.limits.get(key_of_row(row))
        return wald_checks(
            tested,
            level,
            estimate,
            error,
            df,
            null=null,
            alternative=side,
            cut=limits,
            ends=row.interval in ("t", "z"),
            why=CR2,
            close=close,
        )

    def check_with_row_error(self, row: Row, estimate: float) -> list[Check]:
        """Compare the t test of a row, and its t interval, with those of its own standard error and df."""
        if row.std_error is None or row.df is None:
            return []
        df = row.df
        errors = Errors(
            variance=row.std_error**2, df=df, effective=df, largest=1 / df, plain=row.std_error**2
        )
        # the row's df is where the test is taken from: it is no number to compare
        checks = self.check_test(replace(row, df=None), estimate, errors, df)
        return [check for check in checks if check.ours is not None]

    def hypothesis(self, row: Row) -> tuple[float, str]:
        """Return with what a test compares its estimate, and on which side."""
        test = self.sample.tests.get(row.term)
        null, side = self.sample.null, self.side
        # a test has its own null; that of the sample is of the estimates
        if test is not None:
            null, side = test.null, test.side or side
        if null is None:
            null = self.result.settings.get("null", 0.0)
        return (float(null) if isinstance(null, int | float) else 0.0), side

    def check_share(
        self,
        row: Row,
        key: RowKey,
        estimate: float,
        errors: Errors,
        contributions: Contributions,
    ) -> list[Check]:
        """Compare Wilson's interval of a share, whose scale may begin elsewhere than at 0."""
        low, high = row.limits or (0.0, 1.0)
        width = high - low
        # Wilson's interval is of a share from 0 to 1
        share = (estimate - low) / width
        scaled = replace(errors, variance=errors.variance / width**2)
        answers = self.sample.answers.get(key, contributions.total)
        if contributions.clustered:
            shifted = replace(
                row,
                std_error=None,
                conf_low=rescaled(row.conf_low, low, width),
                conf_high=rescaled(row.conf_high, low, width),
            )
            return clustered_share_checks(
                shifted, share, scaled, answers=answers, level=self.level, side=self.side
            )
        checks, trials = [], contributions.total
        if row.df is not None:
            checks = field_checks(row, "numpy", CR2, df=errors.df)
            trials = effective_number(share * (1 - share), scaled, answers)
        df = None if row.df is None else errors.df
        least, most = wilson_roots(share, trials, self.level, df)
        ends = with_open_end(low + least * width, low + most * width, self.side, row.limits)
        return checks + end_checks(row, *ends, "numpy", ROOTS, SMOOTH, least=width * 1e-3)

    def check_agreement(
        self, row: Row, key: RowKey, estimate: float, errors: Errors
    ) -> list[Check]:
        """Compare test and interval of a coefficient of agreement, on Fisher's scale or by its disagreements."""
        error = row.std_error or math.sqrt(errors.variance)
        if self.sample.large_sample and not self.sample.factors:
            error *= n_factor(errors)
        checks = []
        if row.statistic is None:
            checks += field_checks(row, "numpy", CR2, df=errors.df)
        elif row.test != "z":
            tested = replace(row, std_error=error) if row.interval == "fisher_z" else row
            checks += statistic_checks(tested, df=errors.df, alternative=self.side)
        if row.interval in ("t", "z"):
            alone = replace(row, statistic=None, df=None, p_value=None)
            df = None if row.interval == "z" else errors.df
            return checks + self.check_test(alone, estimate, errors, df)
        limits = row.limits
        if row.interval == "fisher_z":
            low, high = fisher_ends(estimate, error, errors.df, self.level)
            # the scale of Fisher's z is that of a correlation
            limits = limits or (-1.0, 1.0)
        else:
            low, high = self.disagreement_ends(key, estimate)
        if row.interval == "outer_ends":
            fisher = fisher_ends(estimate, error, errors.df, self.level)
            low, high = min(low, fisher[0]), max(high, fisher[1])
        # a coefficient is 1 less a ratio, with the rounding of 1
        ends = with_open_end(low, high, self.side, limits)
        return checks + end_checks(row, *ends, least=1.0)

    def disagreement_ends(self, key: RowKey, estimate: float) -> tuple[float, float]:
        """Return the ends of a coefficient of agreement by Korn and Graubard's interval of its disagreements."""
        parts = self.sample.disagreements[key]
        codes = self.codes(self.sample.factors)
        # clusters of units that do not count say nothing of which factors are nested
        entering = np.flatnonzero(parts.weight > 0)
        units = np.repeat(entering, self.sample.count[entering].astype(np.int64))
        _, low, high = disagreement_ends(
            estimate,
            parts.within[units],
            parts.weight[units],
            parts.expected,
            codes[units],
            self.level,
        )
        return low, high

    def check_score(self, row: Row) -> list[Check]:
        """Compare Tango's interval of a difference of paired shares, and its test, by a numerical likelihood."""
        sample, key = self.sample, key_of_row(row)
        if row.term in sample.tests:
            key = None, sample.tests[row.term].term
        if key not in sample.signs or "score" not in (row.interval, row.test):
            return []
        if sample.count.sum() > MOST_ROWS:
            return []
        times = sample.count.astype(np.int64)
        difference = np.repeat(sample.signs[key], times)
        factors = factors_of_row(row, sample.factors)
        groups = np.repeat(self.codes(factors), times, axis=0) if factors else None
        pairs = effective_pairs(difference, groups)
        if pairs is None:
            return []
        null, side = self.hypothesis(row)
        return score_checks(row, *pairs, level=self.level, side=side, null=null)

    @cached_property
    def estimates_left_out(self) -> dict[RowKey, FloatArray]:
        """The estimates without one unit, (units,) for each key; all rows of the sample share them."""
        sample = self.sample
        cells = Cells.of(sample.count, [factor.codes for factor in sample.factors])
        with np.errstate(all="ignore"):
            estimates = [sample.plain(times) for times in cells.without_one()]
        return {key: np.array([values[key] for values in estimates]) for key in self.estimates}

    def check_left_out(self, row: Row) -> list[Check]:
        """Compare error, df and ends of a row with the jackknife's, or with those of the noncentral t beside it."""
        subject = self.estimated(row)
        if subject is None:
            return []
        key, estimate = subject
        if self.sample.left_out is not None:
            return self.check_jackknife(row)
        cells = Cells.of(self.sample.count, [factor.codes for factor in self.sample.factors])
        if cells.units > MOST_LEFT_OUT or len(cells.codes) > 1:
            return [set_aside(label(row, "s.e."), row.std_error, None, "numpy", MANY)]
        ends = math.nan, math.nan
        checks = []
        if row.std_error is not None or row.interval == "outer_ends":
            left = self.estimates_left_out[key]
            centre = self.estimates[self.sample.centres.get(key, key)]
            again = jackknife_t(
                centre, left, cells.copies, self.level, units_df=self.sample.units_df
            )
            checks = field_checks(
                row, "numpy", LEFT, SMOOTH, std_error=again.std_error, df=again.df
            )
            ends = again.low, again.high
            if key in self.sample.centres:
                ends = min(ends[0], estimate), max(ends[1], estimate)
                tested = replace(row, estimate=centre)
                checks += statistic_checks(tested, df=again.df, alternative=self.side)
        if row.interval == "jackknife":
            ends = with_open_end(*ends, "two_sided", self.limits(row))
            open_ends = row.limits or (-math.inf, math.inf)
            if self.side == "less":
                ends = open_ends[0], ends[1]
            elif self.side == "greater":
                ends = ends[0], open_ends[1]
            return checks + end_checks(row, *ends, "scipy", LEFT, SMOOTH)
        if key not in self.sample.standardised:
            return checks
        # mean / sd has noncentral t, and Hedges' g is a multiple of it
        factor, n = self.sample.standardised[key], float(self.sample.count.sum())
        t = estimate / factor * math.sqrt(n)
        ends = short_of_zero((ends[0] / factor, ends[1] / factor), t, n, self.level)
        return checks + hull_checks(row, t, n, ends, self.level, factor=factor)

    def check_jackknife(self, row: Row) -> list[Check]:
        """Compare error and df of a row with the jackknife's of the statistic that units (clusters) are left out of."""
        if row.std_error is None:
            return []
        jackknife = self.sample.no_errors or self.jackknife
        if isinstance(jackknife, str):
            return [set_aside(label(row, "s.e."), row.std_error, None, "numpy", jackknife)]
        error, df = jackknife
        return field_checks(row, "numpy", LEFT, SMOOTH, std_error=error, df=df)

    @cached_property
    def jackknife(self) -> tuple[float, float] | str:
        """Standard error and df of the statistic of the sample by the jackknife, or why there are none."""
        statistic, count = self.sample.left_out, self.sample.count
        assert statistic is not None
        crossed = self.crossed()
        ways = ways_to_leave_out([factor.codes for factor in crossed])
        levels = sum(len(np.unique(way[way >= 0])) for way in ways)
        if levels > MOST_LEFT_OUT or levels * len(count) * self.sample.cost > MANY_NUMBERS:
            return MANY
        return crossed_jackknife([values_left_out(statistic, count, way) for way in ways])

    def check_resamples(self) -> list[Check]:
        """Compare bootstrap errors and ends with those of the counts that the seed draws."""
        if self.sample.errors_of_rows or self.sample.no_errors:
            return []
        keys = list(self.estimates)
        resampled = {
            key_of_row(row): row
            for row in self.rows
            if self.is_resampled(row) and key_of_row(row) in self.estimates
        }
        if not resampled:
            return []
        kind = str(next(iter(resampled.values())).interval or self.result.settings["ci"])
        if kind == "studentized":
            # each resample has an error of its own, which the definition does not state
            return []
        crossed = self.crossed()
        if any((factor.codes < 0).any() for factor in crossed):
            # people beside raters who are no sample: resamples would need the rows of both
            return []
        cells = Cells.of(self.sample.count, [factor.codes for factor in crossed])

        plain = self.sample.plain

        def statistic(times: FloatArray) -> FloatArray:
            values = plain(times)
            return np.array([values[key] for key in keys])

        settings = self.result.settings
        drawn = redrawn(
            cells,
            statistic,
            ci=kind,
            resamples=settings["resamples"],
            seed=settings["seed"],
            cost=self.sample.cost,
        )
        checks = []
        for key, resampled_row in resampled.items():
            row = resampled_row
            least, most = self.limits(row) or (-math.inf, math.inf)
            shift = 0.0
            # the end beyond a one-sided alternative is no number of the resamples
            if self.side == "less":
                row = replace(row, conf_low=None)
            elif self.side == "greater":
                row = replace(row, conf_high=None)
            if kind == "basic" and key in self.sample.resampled_centres:
                shift = self.estimates[self.sample.resampled_centres[key]] - self.estimates[key]
            checks += resampled_checks(
                row,
                drawn,
                kind,
                self.level,
                column=keys.index(key),
                error=self.sample.resampled_errors,
                least=least,
                most=most,
                shift=shift,
                hold=key in self.sample.centres,
            )
            if key in self.sample.centres:
                checks += statistic_checks(row, alternative=self.side)
        return checks


def n_factor(errors: Errors) -> float:
    """Return the root of n / (n - 1) of independent units, which have n - 1 degrees of freedom."""
    return math.sqrt((errors.df + 1) / errors.df)


def rescaled(end: float | None, low: float, width: float) -> float | None:
    """Return an end of an interval on the scale from 0 to 1, which still stands for the published one."""
    return None if end is None else as_published((end - low) / width, end)


def factors_of_row(row: Row, factors: Sequence[Factor]) -> tuple[Factor, ...]:
    """Return the clusters that a row takes into account: none where it ignores them, or those it names."""
    if row.group == IGNORING:
        return ()
    named = row.label("factor")
    return tuple(factor for factor in factors if named in (None, factor.name))


def check_numbers(row: Row, theirs: PeerNumbers) -> Iterator[Check]:
    """Compare fields of a row with what another package gives for them."""
    package, why = theirs.package, f"{theirs.package}'s own function"
    if theirs.note:
        for name, value in theirs.numbers.items():
            number = None if math.isnan(value) else value
            yield set_aside(label(row, name), getattr(row, name), number, package, theirs.note)
        return
    yield from field_checks(row, package, why, theirs.close, **theirs.numbers)
    if theirs.ends is not None:
        # an interval with an open end has no half width
        reach = (theirs.ends[1] - theirs.ends[0]) / 2
        least = reach if math.isfinite(reach) else 0.0
        yield from end_checks(row, *theirs.ends, package, why, theirs.close, least)


def check_families(result: Result, family: Callable[[Row], object]) -> Iterator[Check]:
    """Compare adjusted p-values with statsmodels', family by family; Holm's where a result does not name others."""
    families: defaultdict[object, list[Row]] = defaultdict(list)
    for row in result.rows:
        name = family(row)
        if row.p_adjusted is not None and name is not None:
            families[name].append(row)
    method = MULTIPLETESTS[result.extras.get("adjust", "holm")]
    for rows in families.values():
        yield from adjusted_checks(rows, method)


def check_copies(result: Result, checks: Sequence[Check]) -> Iterator[Check]:
    """Compare the test that the first row shows with the row of this test (`lead`), which was recomputed."""
    recomputed = {
        check.ours.at: check for check in checks if isinstance(check.ours, Published) and check.ok
    }
    row = result.rows[0]
    lead = next((test for test in result.rows if test.term == result.extras.get("lead")), row)
    if lead is row:
        return
    for name in ("statistic", "df", "p_value"):
        ours, of_test = getattr(row, name), getattr(lead, name)
        check = recomputed.get(of_test.at) if isinstance(of_test, Published) else None
        if ours is not None and check is not None:
            agrees = abs(ours - (check.theirs or 0.0)) <= check.tolerance
            yield replace(check, quantity=label(row, name), ours=ours, ok=agrees)
