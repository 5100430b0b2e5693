"""Similarity of answers of two sources: one minus their Jensen-Shannon divergence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from socialstats import sentences
from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.ratings import Ratings
from socialstats.designs.ratings_data import Refusal
from socialstats.errors import Caution, InputError, NothingToAnalyse, caution
from socialstats.inference.clustered_mean import ClusteredMean, clustered_mean
from socialstats.inference.dependence import (
    cluster_cautions,
    cluster_factors,
    cluster_text,
    largest_share,
    shape_cautions,
    small_sample_caution,
)
from socialstats.inference.how import RESAMPLED
from socialstats.inference.intervals import checked_level, critical_value, critical_values
from socialstats.inference.means import DrawnRaters, MeanErrors, dense_codes, with_drawn
from socialstats.inference.power import quadratic_intervals
from socialstats.inference.rows import cut_at_limits, with_ends, with_t
from socialstats.paired.robust_tests import WaldTest
from socialstats.registry import Metric, reads
from socialstats.resampling import ChanceTest, PlanUnits, Replicates, bootstrap_sums, choose
from socialstats.resampling.engine import Finish
from socialstats.resampling.permutation import checked_draws, checked_seed
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.rows import Reason
from socialstats.rounding import no_variation_reason
from socialstats.shares.counts import (
    RaterCounts,
    SourceCounts,
    StratumCells,
    cells_of,
    free_label,
    probabilities_text,
    source_cautions,
    source_counts,
)
from socialstats.shares.divergence import (
    RaterTable,
    bootstrap_with_raters,
    exchange_test,
    jackknife_moments,
    jensen_shannon,
    quadratic_moments,
    unit_corrected,
    with_raters,
)
from socialstats.shares.plain_similarity import ask_for_distances, sample_similarities
from socialstats.shares.sources import People, population, population_cautions
from socialstats.shares.split_half import (
    divergence_of_sides,
    half_parts,
    log_error,
    mean_divergence,
    mean_of_units,
    split_half,
)
from socialstats.shares.two_sources import PairTable, f_text, joint_share_test, swap_test
from socialstats.text import count, listing, number, p_value, quoted, shorten
from socialstats.voice import check_allowed, option

if TYPE_CHECKING:
    from matplotlib.axes import Axes


LEAST = 5  # units with a rating of each level from which intervals hold (tests/calibration/source_studies.py)
PLAIN = "jackknife t of what as many ratings give on average"
OUTER = "wider limits of the jackknife t and of the corrected interval less the correction"
ALONE = "a single independent unit: no correction, no interval and no test"
SINGLE = "a source with a single rating of a unit: that unit's divergence has no correction"
ONE_UNIT = "a single independent unit: no interval"
TOO_FEW = "no unit with four ratings, whose halves could be corrected"
REASONS: dict[str, Reason] = {
    ALONE: "one_unit",
    ONE_UNIT: "one_unit",
    SINGLE: "unidentified",
    **{no_variation_reason(what): "no_variation" for what in ("units", "clusters", "resamples")},
}


def still(codes: Sequence[IntArray]) -> str:
    """State that independent units, or their clusters, are alike."""
    return no_variation_reason("clusters" if codes else "units")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Found:
    """Divergences and intervals of similarities of m groups of units (`Cells.groups`).

    Attributes
    ----------
    plain, corrected : (m,) float64 arrays
        Divergences; NaN where there is none.
    test : ChanceTest or None
        Of all units and of each cell.
    low, high, error : (m,) float64 arrays
        Of the corrected similarities.
    df : (m,) float64 array or None
        Of t intervals within units.
    plain_df : (m,) float64 array or None
        Of t around the plug-in values; None: independent units less one.
    why : tuple of str
        Why there is no interval; empty where there is one.
    lost : Caution or None
        Of resamples without a value.
    mean : ClusteredMean or None
        Of divergences of all units, for t intervals within units.
    """

    plain: FloatArray
    corrected: FloatArray
    test: ChanceTest | JointTests | None = None
    low: FloatArray
    high: FloatArray
    error: FloatArray
    df: FloatArray | None = None
    plain_df: FloatArray | None = None
    why: tuple[str, ...]
    lost: Caution | None = None
    mean: ClusteredMean | None = None

    @classmethod
    def alone(
        cls, plain: FloatArray, corrected: FloatArray, test: ChanceTest | None = None
    ) -> Found:
        """Return values without an interval: there are not two independent units."""
        none = np.full(len(plain), math.nan)
        return cls(
            plain=plain,
            corrected=corrected,
            test=test,
            low=none,
            high=none,
            error=none,
            why=(ALONE,) * len(plain),
        )


def independent(entered: BoolArray, copies: FloatArray, codes: Sequence[IntArray]) -> FloatArray:
    """(groups,) numbers of independent units: levels of the factor with fewer, or units."""
    return np.array(
        [
            min((len(np.unique(code[used])) for code in codes), default=float(copies[used].sum()))
            for used in entered.T
        ],
        dtype=np.float64,
    )


def pooled(
    first: FloatArray,
    second: FloatArray,
    copies: FloatArray,
    cells: StratumCells,
    codes: tuple[IntArray, ...],
    settings: Mapping[str, Any],
    people: Sequence[tuple[int, RaterCounts]] = (),
) -> Found:
    """Compare the pooled shares of two sources, (units, levels) counts, in each group of units.

    `people` are the raters of either source (0 or 1) who are a sample.
    """
    flat = cells.in_columns(np.concatenate([first, second], axis=1) * copies[:, None])
    finish = cells.by_group(divergence_of_sides)
    plain = finish(flat.sum(axis=0)[None, :])[0]
    entered = cells.units_in_groups((first + second).sum(axis=1) > 0)
    if independent(np.ones((len(copies), 1), dtype=bool), copies, codes)[0] < 2:
        return Found.alone(plain, np.full(len(plain), math.nan))
    moments = jackknife_moments(flat, finish, copies, codes, entered)
    raters = rater_table(people, copies, cells, codes, entered)
    if raters is not None:
        moments = with_raters(moments, flat.sum(axis=0), finish, raters)
    bias = moments.bias
    if cells.labels:
        bias[-1] = bias[1:-1].mean()
    corrected = plain - bias
    table = flat.reshape(len(flat), cells.size, 2, -1)
    test = (
        swaps(table, codes, copies, settings)
        if raters is None
        else (joint_tests(first, second, copies, cells, codes, people))
    )
    if settings["ci"] != "noncentral":  # a replicate has the bias twice: of the sample, and its own
        return resampled(
            flat,
            finish,
            2 * bias,
            plain,
            corrected,
            test,
            copies,
            codes,
            settings,
            raters,
            moments.df,
        )
    mean, square = np.array(
        [
            quadratic_moments(part, copies, codes, own)
            for part, own in parts_of(table, raters, cells)
        ]
    ).T
    low, high = quadratic_intervals(plain, mean, square, settings["level"])
    error = moments.std_error
    reach = critical_values(settings["level"], moments.df) * error
    # the lower end alone says whether shares may be equal: a jackknife, of a statistic that is flat there, says yes
    low, high = np.where(np.isnan(low), corrected - reach, low), np.fmax(high, corrected + reach)
    why = tuple(still(codes) if flat else "" for flat in np.isnan(error).tolist())
    return Found(
        plain=plain,
        corrected=corrected,
        test=test,
        low=1 - high,
        high=1 - low,
        error=error,
        why=why,
        plain_df=moments.df,
    )


def rater_table(
    people: Sequence[tuple[int, RaterCounts]],
    copies: FloatArray,
    cells: StratumCells,
    codes: tuple[IntArray, ...],
    entered: BoolArray,
) -> RaterTable | None:
    """Return the ratings of raters who are a sample as rows of the sums of both sources in all cells."""
    found = []
    for side, own in people:
        rows, weight, cluster = own.rows(copies, codes, np.ones(len(copies), dtype=bool))
        unit, counts = own.unit[rows], own.counts[rows] * weight[:, None]
        both = np.concatenate([counts, np.zeros_like(counts)][:: 1 - 2 * side], axis=1)
        table = replace(cells, codes=cells.codes[unit]).in_columns(both)
        found.append((table, unit, cluster, own.rater[rows], entered[unit]))
    if not found:
        return None
    table, row, cluster, rater, touched = (
        np.concatenate(parts) for parts in zip(*found, strict=True)
    )
    return RaterTable(table=table, row=row, cluster=cluster, rater=rater, touched=touched)


def parts_of(
    table: FloatArray, raters: RaterTable | None, cells: StratumCells
) -> list[tuple[FloatArray, RaterTable | None]]:
    """Return the (units, k, 2, levels) counts of all units, of each cell and of all cells, with those of raters."""
    shape = table.shape[1:]
    given = None if raters is None else raters.table.reshape(-1, *shape)

    def cut(counts: FloatArray) -> list[FloatArray]:
        return [counts.sum(axis=1, keepdims=True), *np.split(counts, cells.size, axis=1), counts]

    parts = cut(table) if cells.labels else [table]
    if given is None or raters is None:
        return [(part, None) for part in parts]
    own = cut(given) if cells.labels else [given]
    there = [part.sum(axis=(1, 2, 3)) > 0 for part in own]
    return [
        (
            part,
            replace(
                raters,
                table=mine[some].reshape(int(some.sum()), -1),
                row=raters.row[some],
                cluster=raters.cluster[some],
                rater=raters.rater[some],
                touched=raters.touched[some],
            )
            if some.any()
            else None,
        )
        for part, mine, some in zip(parts, own, there, strict=True)
    ]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointTests:
    """F tests of equal shares, with units and raters as crossed factors, of all units and of each cell.

    Attributes
    ----------
    found : tuple of WaldTest or str
        The reason where there is no test.
    """

    found: tuple[WaldTest | str, ...]

    @property
    def p_value(self) -> FloatArray:
        """(groups,) float64 array: NaN without a test."""
        return np.array([math.nan if isinstance(test, str) else test.p for test in self.found])


def joint_tests(
    first: FloatArray,
    second: FloatArray,
    copies: FloatArray,
    cells: StratumCells,
    codes: tuple[IntArray, ...],
    people: Sequence[tuple[int, RaterCounts]],
) -> JointTests:
    """Test equal shares of all units and of each cell."""
    every = np.ones(len(copies), dtype=bool)
    groups = [every, *(cells.codes == k for k in range(len(cells.labels)))]
    found: list[WaldTest | str] = []
    for among in groups:
        used = among & ((first + second).sum(axis=1) > 0)
        pair = PairTable(
            first=first[used],
            second=second[used],
            copies=copies[used],
            codes=tuple(code[used] for code in codes),
        )
        if np.any(pair.totals.sum(axis=1) <= 0):
            found.append("no ratings of both")
            continue
        drawn = [
            group
            for side, own in people
            for group in own.drawn(
                copies, codes, used, total=float(pair.totals[side].sum()), sign=1.0 - 2.0 * side
            )
        ]
        found.append(joint_share_test(pair, drawn))
    return JointTests(found=tuple(found))


def swaps(
    table: FloatArray, codes: tuple[IntArray, ...], copies: FloatArray, settings: Mapping[str, Any]
) -> ChanceTest | None:
    """Test equal shares of all units and of each cell by swapping the sources, (units, cells, 2, levels) counts."""
    every = np.concatenate([table.sum(axis=1, keepdims=True), table], axis=1)
    totals = every.sum(axis=(0, 3))
    sides = every / np.where(totals > 0, totals, 1.0)[None, :, :, None]
    groups, levels = every.shape[1], every.shape[3]

    def finish(one: FloatArray, two: FloatArray) -> FloatArray:
        return jensen_shannon(one.reshape(-1, groups, levels), two.reshape(-1, groups, levels))

    first, second = (sides[:, :, k].reshape(len(sides), -1) for k in (0, 1))
    return swap_test(
        first,
        second,
        finish,
        copies,
        codes,
        permutations=settings["permutations"],
        seed=settings["seed"],
    )


def within_units(
    first: FloatArray,
    second: FloatArray,
    copies: FloatArray,
    cells: StratumCells,
    codes: tuple[IntArray, ...],
    settings: Mapping[str, Any],
    people: Sequence[tuple[int, RaterCounts]] = (),
) -> Found:
    """Average over units the divergence within the unit, of the units that both sources rated."""
    kept = np.flatnonzero((first.sum(axis=1) > 0) & (second.sum(axis=1) > 0))
    if not len(kept):
        none = np.full(len(cells.groups), math.nan)
        return Found.alone(none, none)
    one, two, copies, codes = (
        first[kept],
        second[kept],
        copies[kept],
        tuple(code[kept] for code in codes),
    )
    cells = replace(cells, codes=cells.codes[kept])
    values = [
        jensen_shannon(one, two),
        unit_corrected(one, two),
        unit_corrected(one, two, 1),
        np.ones(len(kept)),
    ]
    flat = cells.in_columns(np.column_stack(values) * copies[:, None])
    means = [cells.by_group(partial(mean_of_column, column=k)) for k in range(3)]
    plain, corrected, first_order = (mean(flat.sum(axis=0)[None, :])[0] for mean in means)
    raters = [
        drawn
        for side, own in people
        if (drawn := unit_drawn(own, kept, (one, two)[:: 1 - 2 * side], copies, cells, codes))
    ]
    test = (
        None
        if raters
        else exchange_test(
            one,
            two,
            copies,
            cells.codes,
            cells.size,
            permutations=settings["permutations"],
            seed=settings["seed"],
        )
    )
    entered = cells.units_in_groups(np.ones(len(kept), dtype=bool))
    df = independent(entered, copies, codes) - 1
    if df[0] < 1:
        return Found.alone(plain, corrected, test)
    flat = np.nan_to_num(flat)
    if settings["ci"] != "t":
        return resampled(flat, means[1], 0.0, plain, corrected, test, copies, codes, settings)
    moments = jackknife_moments(flat, means[1], copies, codes, entered)
    spread = moments.std_error
    if raters:
        none = np.zeros(len(df))
        over_units = MeanErrors(
            variance=moments.variance,
            df=df,
            clusters=df + 1,
            effective=df + 1,
            largest=none,
            plain=moments.variance,
            rounding=moments.rounding,
        )
        both = with_drawn(over_units, raters)
        spread, df = both.std_error, both.df
    error = np.hypot(
        spread, (corrected - first_order) / 2
    )  # about half of the second order, for the bias that is left
    reach = critical_values(settings["level"], df) * error
    why = [
        still(codes) if not e > 0 else ALONE if g < 1 else ""
        for e, g in zip(error, df, strict=True)
    ]
    return Found(
        plain=plain,
        corrected=corrected,
        test=test,
        low=1 - corrected - reach,
        high=1 - corrected + reach,
        error=error,
        df=df,
        plain_df=df,
        why=tuple(why),
        mean=clustered_mean(jensen_shannon(one, two), copies, codes, magnitude=1.0),
    )


def unit_drawn(
    people: RaterCounts,
    kept: IntArray,
    sides: Sequence[FloatArray],
    copies: FloatArray,
    cells: StratumCells,
    codes: Sequence[IntArray],
) -> DrawnRaters | None:
    """Return what people who are a sample add to the mean divergence within units, by its derivative.

    The divergence of shares p and q with the mean m has the derivative log2(p / m) / 2 by the share p of a level.

    Parameters
    ----------
    people : RaterCounts
    kept : (units,) int64 array
        Places of the units that both sources rated.
    sides : pair of (units, levels) float64 arrays
        Counts of their source, and of the other.
    copies, cells, codes
        Of these units.
    """
    place = np.full(int(max(people.unit.max(initial=0), kept.max())) + 1, -1)
    place[kept] = np.arange(len(kept))
    there = place[people.unit] >= 0
    if not there.any():
        return None
    own = RaterCounts(
        unit=place[people.unit[there]], rater=people.rater[there], counts=people.counts[there]
    )
    rows, weight, cluster = own.rows(copies, codes, np.ones(len(kept), dtype=bool))
    unit, values = own.unit[rows], own.counts[rows]
    p, q = (side / side.sum(axis=1, keepdims=True) for side in sides)
    ratio = np.divide(2 * p, p + q, out=np.ones_like(p), where=p > 0)
    slope = np.log2(ratio) / 2
    n = np.bincount(unit, weight, len(kept))
    moved = ((values - p[unit]) * slope[unit]).sum(axis=1) * weight / (n / copies)[unit]
    share = weight / (n / copies)[unit]
    inside = np.equal.outer(cells.codes[unit], np.arange(cells.size)) / np.bincount(
        cells.codes, copies, cells.size
    )
    groups = [np.full(len(rows), 1 / copies.sum()), *inside.T, inside.mean(axis=1)][
        : len(cells.groups)
    ]
    scores, shares = (
        np.column_stack([each * group for group in groups]) for each in (moved, share)
    )
    return DrawnRaters(
        scores=scores,
        shares=shares / shares.sum(axis=0),
        cluster=dense_codes(cluster)[0],
        rater=dense_codes(own.rater[rows])[0],
    )


def mean_of_column(sums: FloatArray, *, column: int) -> FloatArray:
    """Mean over units of one of three values, from their sums and the number of units in the last column."""
    return np.asarray(sums[..., column] / sums[..., 3])


def resampled(
    flat: FloatArray,
    finish: Finish,
    shift: FloatArray | float,
    plain: FloatArray,
    corrected: FloatArray,
    test: ChanceTest | JointTests | None,
    copies: FloatArray,
    codes: tuple[IntArray, ...],
    settings: Mapping[str, Any],
    raters: RaterTable | None = None,
    df: FloatArray | None = None,
) -> Found:
    """Add bootstrap intervals of units or clusters (and raters); values of the resamples are moved by `shift`."""
    units = PlanUnits.clusters(*codes) if codes else PlanUnits.rows(copies)
    make = bootstrap_sums if raters is None else partial(bootstrap_with_raters, raters=raters)
    boot: Replicates = make(
        flat, finish, units, resamples=settings["resamples"], seed=settings["seed"]
    )
    similar = Replicates(
        estimate=1 - corrected,
        replicates=1 - (boot.replicates - shift),
        n_degenerate=boot.n_degenerate,
    )
    ends = choose(settings["ci"], similar, level=settings["level"])
    return Found(
        plain=plain,
        corrected=corrected,
        test=test,
        low=ends.low,
        high=ends.high,
        error=similar.std_error,
        plain_df=None if raters is None else df,
        why=ends.undefined,
        lost=similar.caution(),
    )


def sized(
    row: Row, ratings: FloatArray, used: BoolArray, copies: FloatArray, codes: Sequence[IntArray]
) -> Row:
    """Add the numbers of ratings, units and clusters to a row."""
    return replace(
        row,
        n=float((ratings * copies)[used].sum()),
        n_units=int(copies[used].sum()),
        n_clusters=min((len(np.unique(code[used])) for code in codes), default=None),
    )


def undefined(row: Row, why: str) -> Row:
    """Return a row without an estimate or an interval, with the reason."""
    return replace(
        row,
        undefined=why,
        reason=REASONS.get(why, "no_data" if row.estimate is None else "no_interval"),
    )


def key_of(source: str, group: str | None) -> tuple[tuple[str, str], ...]:
    """Return what a row is about: a source, in a cell (all units without)."""
    return ("source", source), *((("cell", group),) if group is not None else ())


def similarity_rows(
    data: SourceCounts,
    pair: tuple[int, int],
    found: Found,
    cells: StratumCells,
    codes: Sequence[IntArray],
    settings: Mapping[str, Any],
) -> list[tuple[Row, Row]]:
    """Two rows a group of units, corrected and plug-in, of one source."""
    name, inside = data.sources[pair[1]], settings["aggregate"] == "unit"
    n = data.n[:, list(pair)]
    entered = cells.units_in_groups((n > 0).sum(axis=1) > int(inside))
    names = " and ".join(f"'{shorten(data.sources[k])}'" for k in pair)
    nothing = (
        f"no unit rated by both {names}" if inside else f"no ratings of both {names} in every cell"
    )
    out = []
    for k, label in enumerate(cells.groups):
        base = Row(term=name, group=label, key=key_of(name, label), role="estimate")
        base = sized(base, n.sum(axis=1), entered[:, k], data.copies, codes)
        plain = replace(
            base,
            term=free_label(f"{name} (plug-in)", data.sources),
            role="component",
            method="plug-in",
        )
        if math.isnan(found.plain[k]):
            out.append((undefined(base, nothing), undefined(plain, nothing)))
        else:
            out.append(
                (corrected_row(base, found, k, settings), plain_row(plain, found, k, settings))
            )
    return out


def plain_row(row: Row, found: Found, k: int, settings: Mapping[str, Any]) -> Row:
    """Row of a plug-in similarity, with an interval of what as many ratings give on average.

    The interval is the jackknife's t; for pooled shares, its limits and those of the corrected interval minus the
    correction, whichever lies outside. The value is flat near equal shares, where t alone held .87 to .93 (6 to 200
    units, 3 to 30 ratings each; now .95 to .99).
    """
    error, groups = float(found.error[k]), (row.n_clusters or row.n_units or 0) - 1.0
    df = groups if found.plain_df is None else float(found.plain_df[k])
    row = replace(row, estimate=1 - float(found.plain[k]), method=f"plug-in, {PLAIN}")
    if found.why[k] or not error > 0 or not df >= 1:
        return undefined(
            row,
            found.why[k] or no_variation_reason("units" if row.n_clusters is None else "clusters"),
        )
    row = replace(with_t(row, error, df, settings["level"], within=(0.0, 1.0), test=False), df=df)
    if settings["ci"] != "noncentral":
        return row
    gain = float(found.plain[k] - found.corrected[k])
    low = min(float(row.conf_low or 0.0), float(found.low[k]) - gain)
    high = max(float(row.conf_high or 0.0), float(found.high[k]) - gain)
    return with_ends(
        row,
        low,
        high,
        settings["level"],
        within=(0.0, 1.0),
        interval="outer_ends",
        method=f"plug-in, {OUTER}, {PLAIN.partition(' t ')[2]}",
    )


def corrected_row(row: Row, found: Found, k: int, settings: Mapping[str, Any]) -> Row:
    """Row of a corrected similarity with its interval and test."""
    row, value = tested(row, found.test, k, settings), 1 - float(found.corrected[k])
    if math.isnan(value):
        return undefined(row, SINGLE if settings["aggregate"] == "unit" else ALONE)
    row = cut_at_limits(row, value, (0.0, 1.0))
    if found.why[k]:
        return undefined(row, found.why[k])
    kind: Any = {"noncentral": "noncentral_chi2"}.get(settings["ci"], settings["ci"])
    return with_ends(
        row,
        float(found.low[k]),
        float(found.high[k]),
        settings["level"],
        within=(0.0, 1.0),
        hold=True,
        std_error=float(found.error[k]) or None,
        df=None if found.df is None else float(found.df[k]),
        interval=kind,
    )


def tested(
    row: Row, test: ChanceTest | JointTests | None, k: int, settings: Mapping[str, Any]
) -> Row:
    """Add the method of correction, and the test of equal shares where there is one."""
    named = {
        "noncentral": "noncentral chi-square, lower end not above the jackknife t's",
        "t": "t interval with an allowance for the bias left",
    }
    how = named.get(settings["ci"], f"{settings['ci']} bootstrap")
    method = f"{'jackknife' if settings['aggregate'] == 'pooled' else 'rating-jackknife'}-corrected, {how}"
    alone = (row.n_clusters or row.n_units or 0) < 2
    if alone or test is None or k >= len(test.p_value) or math.isnan(test.p_value[k]):
        return replace(row, method=method)
    if isinstance(test, JointTests):
        one = test.found[k]
        assert isinstance(one, WaldTest)
        return replace(
            row, statistic=one.statistic, p_value=one.p, test="f", method=f"{method}; {f_text(one)}"
        )
    return replace(
        row,
        statistic=float(test.statistic[k]),
        p_value=float(test.p_value[k]),
        test="permutation",
        method=f"{method}; {test.method}, {count(test.draws, 'draw')}",
    )


def ceiling(
    data: SourceCounts,
    reference: int,
    cells: StratumCells,
    codes: tuple[IntArray, ...],
    settings: Mapping[str, Any],
) -> tuple[list[tuple[Row, Row]], tuple[float, ...]]:
    """Rows of how alike two random halves of the reference's ratings are, corrected and plug-in, and their
    Monte-Carlo errors.

    The interval of the plug-in divergence is itself times exp(-+ t s.e. of its logarithm), t with G - 1 df. The s.e. is
    that of the jackknife over independent units: pooled, of the second-order form of the divergence. Within units, of
    the mean of what the units' own halves give. The corrected one is less its bias, as those of the sources are:
    pooled, that of the jackknife over independent units of the second-order form; within units, of the ratings. Its
    interval is the same, moved by the bias.
    """
    own, name, inside = (
        data.counts[:, reference],
        data.sources[reference],
        settings["aggregate"] == "unit",
    )
    read = bool(np.any(own % 1))  # probabilities, which have no halves
    own = np.zeros_like(own) if read else own
    ratings, splits = own.sum(axis=1), settings["splits"]
    used = ratings >= 2
    drawn, units, less_bias = split_half(own, data.copies, cells, splits=splits, pooled=not inside)
    values, drawing = drawn.mean(axis=0), drawn.std(axis=0, ddof=1) / math.sqrt(splits)
    parts = np.column_stack([np.where(used, units, 0.0), used]) if inside else half_parts(own)
    finish = cells.by_group(mean_of_units if inside else mean_divergence)
    entered = cells.units_in_groups(used)
    spread = cells.in_columns(parts * data.copies[:, None])
    errors = log_error(spread, finish, data.copies, codes, entered)
    errors = np.hypot(errors, drawing / np.where(values > 0, values, math.nan))
    if not inside:
        bias = jackknife_moments(spread, finish, data.copies, codes, entered).bias
        if cells.labels:
            bias[-1] = bias[1:-1].mean()
        less_bias = values - bias
    rows = []
    for k, label in enumerate(cells.groups):
        row = Row(
            term=free_label(f"{name} (split-half, plug-in)", data.sources),
            group=label,
            key=key_of(name, label),
            role="component",
            method=f"plug-in, mean of {count(splits, 'random halving')}; t interval of the logarithm "
            "of the divergence, by the jackknife",
        )
        row, less = sized(row, ratings, entered[:, k], data.copies, codes), float(values[k])
        better = replace(
            row,
            term=free_label(f"{name} (split-half)", data.sources),
            role="reference",
            method=f"{row.method}; less its bias",
        )
        if math.isnan(less):
            why = (
                f"replies of '{shorten(name)}' count with probabilities, which have no halves"
                if read
                else (f"no unit with two ratings of '{shorten(name)}'")
            )
            rows.append((undefined(better, why), undefined(row, why)))
            continue
        row, df = (
            replace(row, estimate=1 - less),
            float((row.n_units if not codes else row.n_clusters) or 0) - 1,
        )
        groups = entered[:, 1:-1] if k and k == len(cells.groups) - 1 else entered[:, [k]]
        rare = "" if inside else rare_level(own * data.copies[:, None], groups, data.levels)
        lost = (
            (ONE_UNIT if df < 1 else rare or still(codes))
            if df < 1 or rare or not errors[k] > 0
            else ""
        )
        moved = less - float(less_bias[k])
        if math.isnan(moved):
            better = undefined(better, TOO_FEW if inside else ONE_UNIT)
        else:
            better = cut_at_limits(better, 1 - less + moved, (0.0, 1.0))
        if lost:
            rows.append(
                (better if better.undefined else undefined(better, lost), undefined(row, lost))
            )
            continue
        reach = math.exp(critical_value(settings["level"], df) * float(errors[k]))
        ends = 1 - less * reach, 1 - less / reach
        facts: dict[str, Any] = {"std_error": less * float(errors[k]), "df": df}
        row = with_ends(row, *ends, settings["level"], within=(0.0, 1.0), interval="t", **facts)
        if not better.undefined:
            better = with_ends(
                better,
                ends[0] + moved,
                ends[1] + moved,
                settings["level"],
                within=(0.0, 1.0),
                hold=True,
                interval="t",
                **facts,
            )
        rows.append((better, row))
    return rows, tuple(drawing.tolist())


def rare_level(counts: FloatArray, groups: BoolArray, levels: Sequence[str]) -> str:
    """Return that some level is rare in some group of units, so that the ceiling of pooled ratings has no interval.

    Whether a level occurs once or not at all moves the noise of pooled halves as much as a frequent level does. The
    sample does not show how often it would.
    """
    for given in groups.T.astype(np.float64) @ counts:
        if given.min() < LEAST:
            level = shorten(levels[int(given.argmin())], 40)
            return f"'{level}' was given {count(float(given.min()), 'time')}: no interval below {LEAST}"
    return ""


Aggregate = Literal["pooled", "unit"]
Ci = Literal["noncentral", "t", "percentile", "basic"]
SAID, MOST_DRAWN = 3, 200


@reads(Ratings, labels="shares")
def js_similarity(
    ratings: Ratings | TableLike,
    *,
    reference: str = "human",
    source: str | None = None,
    cell: str | Sequence[str] | None = None,
    aggregate: Aggregate = "pooled",
    refusal: Refusal = "missing",
    ci: Ci | None = None,
    permutations: int = 2000,
    splits: int = 200,
    cluster: str | Sequence[str] | None = "declared",
    people: People = "auto",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate how alike the answers of each source and of a reference source are: 1 minus their JS divergence.

    JSS = 1 - (KL(p || m) + KL(q || m))/2 in bits, with p and q the shares of the levels and m = (p + q)/2 (Lin 1991): 1
    for equal shares, 0 where the sources share no level. The plug-in value is too small, most with few ratings. The
    corrected one takes off its jackknife bias, estimated from the independent units (clusters). Repeated runs of a
    model therefore count as dependent. Within units the jackknife leaves out one and two ratings of the unit, of one
    source after the other (its second order). A value may exceed 1 by chance: equal sources have about 1 on average.

    Pooled replies with `probabilities` count with these. They carry no noise of drawing, and the jackknife, which knows
    units alone, takes off what noise there is. Within units it leaves single answers out, and all count as drawn.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        With a ``by`` factor: one result a level.
    reference : str
        The source that the others are compared with.
    source : str, optional
        Declared group of raters that says the source, or ``"rater"`` (each rater is a source). By default the only
        one, or the one called source; without any, each rater.
    cell : str or sequence of str, optional
        Declared strata: one cell for each combination of their levels, and the mean of the cells.
    aggregate : {"pooled", "unit"}
        Shares of all ratings of a cell, or the mean over units of the similarity within the unit.
    refusal : {"missing", "level"}
        A refusal is no rating, or a level of its own.
    ci : {"noncentral", "t", "percentile", "basic"}, optional
        By default ``"noncentral"`` for pooled shares, ``"t"`` within units (the only kinds there are for each beside
        the bootstraps). ``"t"`` has G - 1 degrees of freedom for G units (clusters). For the remaining bias it adds the
        square of half of the correction's second-order change to the jackknife's variance (92 to 98% in simulations of
        20 to 960 units). ``"noncentral"`` takes the plug-in divergence as a scaled noncentral chi-square, which knows
        that it cannot be below 0 (Rao & Scott 1984). Its upper end (the lower one of the similarity) reaches at least
        that of the jackknife t around the corrected one. Its degrees of freedom come from the kurtosis of what units
        add (`socialstats.inference.influence`). It was simulated 600 to 1,000 times each for 10, 30, 80 and 200 units
        with three people and five runs. Shares were even, uneven or equal, and common to all units or not. It covered
        .93 to .995 (.98/.02 against .90/.10 with 30 units: .92), 1.0 to 1.3 times as long as four standard deviations
        of the estimate. The others are bootstraps of units (clusters), moved by twice the bias (the sample has it, and
        the resamples again). They are cut at 0 and 1 but never short of the estimate. Percentiles covered 93 to 100%
        (100% for equal shares), basic intervals 78 to 100%.
    permutations : int
        Of the test of equal shares.
    splits : int
        Random halvings for the ceiling. They do not depend on `seed`.
    cluster : str, sequence of str or None
        Declared factors whose levels are independent (two: crossed); None takes units as independent.
    people : {"auto", "random", "fixed"}
        Whether human raters are a sample, as in `choice_shares`. The ceiling is of these people alone.
    level : float
    resamples, seed : int
    **columns
        Of a data frame or file: its columns, by the keywords of `read_ratings`.

    Returns
    -------
    Result
        For all units (group None), each cell, and the mean of the cells: a row named after each source (corrected, with
        interval). ``<source> (plug-in)`` has an interval of what as many ratings give on average, the jackknife's t.
        For pooled shares it has the wider limits of that and of the corrected interval less the correction.
        ``<reference> (split-half)`` is the ceiling: how alike two random halves of the reference's ratings of each unit
        are. It is corrected as the sources are, and so 1 but for chance. ``<reference> (split-half, plug-in)`` is the
        ceiling of plug-in values. It has a t interval of the logarithm of the divergence, by the jackknife over
        independent units. The corrected ceiling has the same interval less the bias. Neither has one where the
        reference gave a level fewer than five times. `statistic` is the plug-in divergence, p that of equal shares.
        Pooled, the two sources swap their names in whole clusters (not with two crossed factors); by unit, raters are
        exchanged within units. `extras`: ``uncut``: the corrected similarities of all units before they are cut at 0
        and 1; ``ceiling_error``: Monte-Carlo errors of the ceiling, group by group. ``levels``, ``shares`` (of each
        source in all units).

    Raises
    ------
    InputError
        For an unknown option, source, stratum or cluster.
    NothingToAnalyse
        If there is a single source, or no rating.

    References
    ----------
    Lin, J. (1991). Divergence measures based on the Shannon entropy. doi:10.1109/18.61115
    Rao, J. N. K., & Scott, A. J. (1984). The Annals of Statistics, 12(1), 46-60. doi:10.1214/aos/1176346391
    Quenouille, M. H. (1956). Notes on bias in estimation. doi:10.1093/biomet/43.3-4.353
    Schucany, W. R., Gray, H. L., & Owen, D. B. (1971). On bias reduction in estimation.
    doi:10.1080/01621459.1971.10482296
    Efron, B., & Tibshirani, R. J. (1993). An introduction to the bootstrap. Chapman & Hall.
    Canay, I. A., Romano, J. P., & Shaikh, A. M. (2017). doi:10.3982/ECTA13081

    Examples
    --------
    >>> import pandas as pd
    >>> from socialstats.designs.ratings import Ratings
    >>> rows = pd.DataFrame({"unit": list("pqrstuvw") * 2, "rater": ["ann"] * 8 + ["bot"] * 8,
    ...                      "source": ["human"] * 8 + ["model"] * 8, "value": list("xxxxxyyzxyyzzzzz")})
    >>> design = Ratings.from_frame(rows, scale="nominal", rater_source="source")
    >>> result = js_similarity(design)
    >>> round(result.row("model (plug-in)").estimate, 4), round(result.row("model").estimate, 4)
    (0.7375, 0.944)
    """
    check_allowed("aggregate", aggregate, get_args(Aggregate))
    settings = {
        "reference": reference,
        "source": source,
        "cell": cell,
        "aggregate": aggregate,
        "refusal": refusal,
        "ci": chosen_ci(ci, aggregate),
        "permutations": checked_draws(permutations, "permutations"),
        "splits": checked_draws(splits, "splits"),
        "cluster": cluster,
        "people": people,
        "level": checked_level(level),
        "resamples": resamples,
        "seed": checked_seed(seed),
    }
    return estimate(ratings, settings)


def chosen_ci(ci: str | None, aggregate: str) -> str:
    """Return the kind of interval.

    Raises
    ------
    InputError
        For an unknown kind, or one that does not fit the aggregate.
    """
    own, other = ("noncentral", "t") if aggregate == "pooled" else ("t", "noncentral")
    if ci is not None and ci not in get_args(Ci):
        raise InputError(f"{option('ci', ci)} is not one of {', '.join(get_args(Ci))}")
    if ci == "noncentral" and ci == other:
        raise InputError(
            f"{option('ci', 'noncentral')} is for pooled shares; with {option('aggregate', 'unit')} use "
            f"{option('ci', 't')}"
        )
    if ci == other:
        raise InputError(
            f"{option('ci', 't')} is for {option('aggregate', 'unit')}; for pooled shares use "
            f"{option('ci', 'noncentral')}"
        )
    return ci or own


def estimate(design: Ratings, settings: dict[str, Any]) -> Result:
    """Compare the sources of one design."""
    factors = cluster_factors(design, settings["cluster"])
    whole = settings["aggregate"] == "pooled"  # within units the correction counts single answers
    unable = (
        ""
        if whole or settings["ci"] == "t"
        else "resamples within units take the ratings of a unit as they are"
    )
    whose = population(design, settings["people"], factors, unable=unable)
    data = source_counts(
        design, settings["source"], settings["refusal"], probable=whole, drawn=whose.drawn
    )
    whose = whose.for_sources(data.people)
    first, cells = (
        data.index(settings["reference"], "reference"),
        cells_of(design, settings["cell"], "cell"),
    )
    others = [k for k in range(len(data.sources)) if k != first]
    if not others:
        raise NothingToAnalyse(
            f"{design.source}: '{shorten(settings['reference'])}' is the only {data.name}"
        )
    codes = tuple(factor.codes for factor in factors)
    compare = pooled if whole else within_units
    sampled = dict(enumerate(data.people))
    found = {
        k: compare(
            data.counts[:, first],
            data.counts[:, k],
            data.copies,
            cells,
            codes,
            settings,
            [
                (side, own)
                for side, at in enumerate((first, k))
                if (own := sampled.get(at)) is not None
            ],
        )
        for k in others
    }
    parts = [
        similarity_rows(data, (first, k), one, cells, codes, settings) for k, one in found.items()
    ]
    top, drawing = ceiling(data, first, cells, codes, settings)
    rows = [
        row
        for g, limits in enumerate(top)
        for row in (*(one for part in parts for one in part[g]), *limits)
    ]
    totals = (data.counts * data.copies[:, None, None]).sum(axis=0)
    largest = largest_share(data.copies, factors)
    lost = [one.lost for one in found.values() if one.lost is not None]
    shaped = {data.sources[k]: one.mean for k, one in found.items() if one.mean is not None}
    shapes = shape_cautions(shaped.values(), names=[*shaped], what="units")
    return Result(
        metric="js_similarity",
        title=f"Jensen-Shannon similarity to {shorten(settings['reference'])} ({settings['aggregate']})"
        + (probabilities_text(design) if whole else ""),
        inference=f"{interval_text(settings)}; {cluster_text(factors, 'units')}; {whose.text()}",
        rows=tuple(rows),
        counts={
            "ratings": round(totals.sum()),
            "units": int(data.copies[data.n.sum(axis=1) > 0].sum()),
            "sources compared": len(others),
            **({"cells": len(cells.labels)} if cells.labels else {}),
        },
        fit={
            "nobs": round(totals.sum()),
            "n_clusters": rows[0].n_clusters,
            "method": settings["ci"],
            "seed": settings["seed"],
            "resamples": settings["resamples"],
            "effective_df": min((row.df for row in rows if row.df is not None), default=None)
            if factors
            else None,
            "largest_leverage": largest if factors else None,
        },
        settings=settings | {"source": data.name, "people": whose.setting},
        cautions=(
            *own_cautions([pair for part in parts for pair in part]),
            *rare_levels(data, codes, settings),
            *rare_people(data),
            *shapes,
            *source_cautions(data),
            *cluster_cautions(
                design, factors, df=[None] if settings["ci"] in RESAMPLED else None, largest=largest
            ),
            *population_cautions(whose),
            *lost[:1],
        ),
        references=METRIC.references,
        design=design,
        extras={
            "people": whose.names(design),
            "levels": data.levels,
            "uncut": {data.sources[k]: 1 - float(one.corrected[0]) for k, one in found.items()},
            "shares": {
                name: tuple((one / max(one.sum(), 1.0)).tolist())
                for name, one in zip(data.sources, totals, strict=True)
            },
            "ceiling_error": drawing,
        },
    )


def interval_text(settings: Mapping[str, Any]) -> str:
    """Describe how the intervals were obtained."""
    if settings["ci"] == "noncentral":
        return "noncentral chi-square intervals, widened to the lower limit of the jackknife t"
    if settings["ci"] == "t":
        return (
            "t intervals over units by the jackknife, with an allowance for the bias that is left"
        )
    return f"{settings['ci']} bootstrap intervals, {count(settings['resamples'])} resamples, seed {settings['seed']}"


def own_cautions(pairs: Sequence[tuple[Row, Row]], where: str = "here") -> tuple[Caution, ...]:
    """Caution SS304: by how much the plug-in values are too small; `pairs` are corrected and plug-in rows."""
    gains = [
        one.estimate - two.estimate
        for one, two in pairs
        if one.estimate is not None and two.estimate is not None
    ]
    if not gains:
        return ()
    said = (
        f"sampling noise makes plug-in similarities too small, by up to "
        f"{number(max(gains), 3, bounded=True)} {where}"
    )
    return (
        caution(
            "SS304",
            said,
            affects="rows called plug-in",
            fix="quote the corrected rows",
            rows=[plain.term for _, plain in pairs],
        ),
    )


def rare_levels(
    data: SourceCounts, codes: Sequence[IntArray], settings: Mapping[str, Any]
) -> tuple[Caution, ...]:
    """Caution SS312: pooled shares of levels that a source gave to fewer than five units (or clusters).

    In simulated tables nominal 95% intervals then covered .88 to .93. Runs of a unit mostly agreed, and a level with a
    share of .01 to .1 was given to fewer than five of 20 to 200 units. Units are counted because such ratings are many.
    """
    if settings["ci"] != "noncentral":
        return ()
    given = (data.counts > 0) * data.copies[:, None, None]
    for code in codes[:1]:
        given = np.stack([(given[code == k] > 0).any(axis=0) for k in np.unique(code)])
    carriers = given.sum(axis=0)
    least = {
        name: float(own[carriers.sum(axis=0) > 0].min())
        for name, own in zip(data.sources, carriers, strict=True)
        if own.sum()
    }
    few = [name for name, n in least.items() if n < LEAST]
    return small_sample_caution(
        min(least.values(), default=LEAST),
        LEAST,
        f"{quoted(few)} gave a level to fewer than {LEAST} {'clusters' if codes else 'units'}",
        affects="pooled similarities, whose 95% intervals held .88 to .995 in such simulations",
        fix="collect more units",
    )


def rare_people(data: SourceCounts) -> tuple[Caution, ...]:
    """Caution SS212: a level of which fewer than one of the people who are a sample would account for all ratings.

    Log-odds of people differed with a standard deviation of 1, and a level had a share of .07. Nominal 95% intervals
    held .89 (7 people, 100 units), and .945 with 30 people.
    """
    few = {}
    for name, people, counts in zip(
        data.sources, data.people, data.counts.transpose(1, 0, 2), strict=False
    ):
        share = data.copies @ counts
        n = 0 if people is None else len(np.unique(people.rater))
        if n and share[share > 0].min() * n < share.sum():
            few[name] = n
    if not few:
        return ()
    return (
        caution(
            "SS212",
            f"fewer than one of {listing([f'{count(n)} people of {quoted([name])}' for name, n in few.items()])} "
            "would account for the rarest level",
            affects="similarities: nominal 95% intervals held in .89 to .95 of simulations",
            fix="ask more people",
        ),
    )


def sentence(result: Result) -> str:
    """State the similarity of each source in all units, and its ceiling."""
    whole = [row for row in result.rows if row.group is None]
    *pairs, (top, plain) = zip(whole[::2], whole[1::2], strict=True)
    said = "; ".join(one_source(one, two) for one, two in pairs[:SAID])
    more = f"; and {count(len(pairs) - SAID)} more" if len(pairs) > SAID else ""
    own = shorten(str(result.settings["reference"]))
    halves = one_source(replace(top, term=f"Two random halves of the {own} ratings:"), plain)
    limit = "" if plain.estimate is None else f" {halves}."
    return (
        f"Jensen-Shannon similarity to {own} over {count(result.counts['units'], 'unit')} and "
        f"{count(result.counts['ratings'], 'rating')}: {said}{more}.{limit}"
    )


def one_source(row: Row, plain: Row) -> str:
    """State the similarity of one source with interval and test."""
    beside = "" if plain.estimate is None else f" (plug-in {number(plain.shown())})"
    test = "" if row.p_value is None else f", {p_value(row.p_value)} against equal shares"
    return f"{shorten(row.term)} {sentences.estimate_text(row)}{beside}{test}"


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the corrected similarities with intervals, each group with its ceiling (of all units beyond 200 rows)."""
    from socialstats.figures import forest

    shown = [r for r in result.rows if r.role != "component"]
    if len(shown) > MOST_DRAWN:
        shown = [r for r in shown if r.group is None]
    named = [r if r.group is None else replace(r, term=f"{r.term}, {r.group}") for r in shown]
    settings = {"xlabel": result.title, "sort": False, "reference": None}
    return forest(named, ax=ax, **{**settings, **options})


METRIC = Metric(
    name="js_similarity",
    title="Jensen-Shannon similarity",
    design="ratings",
    function=js_similarity,
    sentence=sentence,
    plot=plot,
    definition=Definition(samples=sample_similarities, peers=ask_for_distances),
    estimand="One minus the Jensen-Shannon divergence, in bits, of the shares of the levels in two sources.",
    assumptions=(
        "units (or the named clusters) are independent draws from the units of interest",
        "the test of pooled shares: which source is which is exchangeable, cluster by cluster",
        "aggregate='unit': ratings of a unit are independent draws from their source's shares in that unit",
    ),
    references=(
        "lin1991",
        "raoscott1984",
        "quenouille1956",
        "schucany1971",
        "efrontibshirani1993",
        "canay2017",
        "phipsonsmyth2010",
    ),
    values="sources",
)
