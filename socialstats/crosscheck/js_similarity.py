"""Jensen-Shannon similarity recomputed: scipy's jensenshannon on pandas tables, one cluster left out at a time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.clusters import Errors, cochran
from socialstats.crosscheck.long import IS, compare, rated_table, with_levels
from socialstats.crosscheck.people import Part, joined_errors, joint_checks, numbers
from socialstats.crosscheck.resamples import (
    MOST_NUMBERS,
    OTHER,
    RESAMPLED,
    TOO_MANY,
    WHY,
    Cells,
    Redrawn,
    half_width,
    spread_error,
)
from socialstats.crosscheck.row_arithmetic import end_checks, kurtosis_df, label, quantile
from socialstats.crosscheck.swapping import exchange_check, swap_check
from socialstats.results import Check, Result, Row, Verification

if TYPE_CHECKING:
    import pandas as pd

CLOSED = "the same closed form in another order of arithmetic"
OUTER = (
    "scipy's ncx2 with eigenvalues of the covariance of shares, and its t of leave-one-out values"
)
LEFT_OUT = "leave-one-out values of another implementation"
BY_RATING = "every one and every two ratings of a unit left out"
BY_UNIT = "one unit (cluster) left out at a time"
DRAWN = "both are means of random halvings: five Monte-Carlo errors"
VARIANCES = "leave-one-out values with variances from scipy's hypergeometric distribution"
EXACT = "ours are means of random halvings, theirs of all: fifteen per cent"
FAR = 2_000.0  # scaled values beyond are normal
MOST_UNITS, MOST_GROUPS, MOST_PATTERNS = 3000, 4, 200
SHUFFLES, WIDE = 60, 5.0


def verify(result: Result) -> Verification:
    """Recompute similarities, plug-in and corrected, their errors, intervals and tests, and the ceiling."""
    settings, reference = result.settings, str(result.settings["reference"])
    table = with_levels(rated_table(result, "cell"), result.design, result.extras["levels"])
    checks: list[Check] = []
    for name in sorted(set(table["source"]) - {reference}):
        both = table[table["source"].isin([reference, name])]
        rows, plain = (
            [row for row in result.rows if row.role == role and row.label("source") == name]
            for role in ("estimate", "component")
        )
        if settings["aggregate"] == "pooled":
            checks += pooled_checks(rows, plain, both, [reference, name], result)
            continue
        for row, other in zip(rows, plain, strict=True):
            if row.group is None or row.group in set(both["cell"]):
                part = both if row.group is None else both[both["cell"] == row.group]
                checks += unit_checks(row, other, part, settings)
        checks += unit_bootstrap_checks(rows, both, [reference, name], result)
    return Verification(checks=(*checks, *ceiling_checks(result, table)))


def near(name: str, ours: float | None, theirs: float, why: str, tolerance: float = 1e-7) -> Check:
    """Compare to an absolute tolerance."""
    return compare(name, ours, theirs, package="scipy", tolerance=tolerance, why=why)


def divergences(one: Any, two: Any) -> FloatArray:
    """Squares of scipy's distances of (..., levels) counts; its nan for shares equal up to rounding is 0."""
    from scipy.spatial.distance import jensenshannon

    one, two = np.asarray(one, dtype=np.float64), np.asarray(two, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.asarray(jensenshannon(one, two, axis=-1, base=2)) ** 2
    empty = (one.sum(axis=-1) <= 0) | (two.sum(axis=-1) <= 0)
    return np.where(empty, np.nan, np.nan_to_num(found))


def mean_of_parts(counts: Any) -> FloatArray:
    """Mean divergence of (..., parts, 2, levels) counts over the parts."""
    return np.asarray(divergences(counts[..., 0, :], counts[..., 1, :]).mean(axis=-1))


def pooled_checks(
    rows: Sequence[Row], plain: Sequence[Row], both: pd.DataFrame, names: list[str], result: Result
) -> list[Check]:
    """Compare pooled similarities of all units, of each cell and of their mean; the jackknife leaves a cluster out."""
    settings, cells = result.settings, list(both.attrs["cells"]) or [""]
    factors, people = cluster_sums(both, cells, names), people_sums(both, cells, names)
    checks: list[Check] = []
    biases: list[float] = []
    known = len(factors[0]) <= MOST_UNITS and not (len(factors) > 1 and people)
    every = [of_groups(table, cells) for table in (*factors, *people)]
    boot = (
        pooled_draws(result, both, cells, names) if settings["ci"] in RESAMPLED and known else None
    )
    for k, (row, other) in enumerate(zip(rows, plain, strict=True)):
        if other.estimate is None:
            biases.append(math.nan)
            continue
        tables = [of_group[k][of_group[k].sum(axis=(1, 2, 3)) > 0] for of_group in every]
        own = tables[0]
        total, g = own.sum(axis=0), len(own)
        value = float(mean_of_parts(total))
        if len(tables) == 3 and len(tables[1]) == len(
            tables[2]
        ):  # each person in one cluster: clusters alone count
            tables = tables[:1]
        moments = left_out_moments(value, total, tables)
        biases.append(moments.bias)
        bias = float(np.mean(biases[1:-1])) if len(biases) == len(cells) + 2 else biases[-1]
        checks.append(near(label(other), other.estimate, 1 - value, CLOSED, 1e-9))
        ends = (math.nan, math.nan)
        if settings["ci"] == "noncentral" and known and other.conf_low is not None:
            ends = outer_ends(value, value - bias, moments, chance_of(tables), settings["level"])
            checks += plain_ends(other, moments, (1 - ends[1] - bias, 1 - ends[0] - bias))
        if row.estimate is None or not known:
            continue
        checks.append(
            near(label(row), row.estimate, min(max(1 - value + bias, 0.0), 1.0), LEFT_OUT)
        )
        if row.conf_low is not None and settings["ci"] == "noncentral":
            checks.append(
                near(
                    label(row, "s.e."), row.std_error, moments.error, LEFT_OUT, 1e-6 * moments.error
                )
            )
            checks += held_ends(row, 1 - ends[1], 1 - ends[0], OUTER)
        elif row.conf_low is not None and settings["ci"] in RESAMPLED:
            # a resample's divergence has the bias of the sample, and one of its own
            checks += bootstrap_checks(row, boot, k, 1 - value + bias, 2 * bias, settings)
            if boot is not None and boot.seeded:
                error = float(np.nanstd(boot.values[:, k], ddof=1))
                groups = min(len(table) for table in tables[: min(len(factors), 2)])
                checks += plain_ends(
                    other,
                    Moments(bias=bias, error=error, df=moments.df if people else groups - 1.0),
                )
        if row.test == "f":
            part = both if k == 0 else both[both["cell"] == cells[k - 1]]
            checks += equal_shares_checks(row, part, names)
        elif row.p_value is not None and len(factors) == 1:
            sides = own[:, 0, 0] / total[0, 0].sum(), own[:, 0, 1] / total[0, 1].sum()
            checks.append(
                swap_check(row, sides, np.arange(g), divergences, settings["permutations"])
            )
            checks.append(near(label(row, "statistic"), row.statistic, value, LEFT_OUT, 1e-9))
    return checks


def cluster_sums(both: pd.DataFrame, cells: list[str], names: list[str]) -> list[FloatArray]:
    """Sums by unit (cluster): (groups, cells, 2, levels); of crossed clusters by the second factor, and by both."""
    ways = [["g0"], ["g1"], ["g0", "g1"]] if both["crossed"].any() else [["left"]]
    return [summed(both, keys, cells, names) for keys in ways]


def summed(part: pd.DataFrame, keys: list[str], cells: list[str], names: list[str]) -> FloatArray:
    """Sums of what ratings count for each level, by groups of rows in the order of their names."""
    levels = [name for name in part if str(name).startswith(IS)]
    code: Any = part.groupby(keys, sort=False).ngroup().to_numpy()
    table = np.zeros((code.max() + 1, len(cells), 2, len(levels)))
    cell, side = (
        np.array([known.index(label) for label in part[name]])
        for known, name in ((cells, "cell"), (names, "source"))
    )
    np.add.at(table, (code, cell, side), part[levels].to_numpy(dtype=float))
    return table


def of_groups(table: FloatArray, cells: list[str]) -> list[FloatArray]:
    """Return the sums of all units, of each cell, and of all cells; of all units alone without cells."""
    whole = table.sum(axis=1, keepdims=True)
    return [whole] if cells == [""] else [whole, *np.split(table, len(cells), axis=1), table]


def draws_of(result: Result, kept: Sequence[int]) -> Cells:
    """Return some units of the design as what the bootstrap draws: alike units, in their clusters."""
    design, places = result.design, np.asarray(kept, dtype=np.int64)
    codes = [factor.codes[places] for factor in design.factors(result.settings["cluster"])]
    return Cells.of(np.asarray(design.unit_count)[places], codes)


def pooled_draws(
    result: Result, both: pd.DataFrame, cells: list[str], names: list[str]
) -> Draws | None:
    """Return the divergences of all groups of units in every resample of units (clusters), and of raters if drawn."""
    settings, units = result.settings, list(result.design.units)
    drawn = draws_of(result, range(len(units)))
    first = both[both["unit"].str.endswith(" #0")]  # one of alike units
    place = dict(zip(units, range(len(units)), strict=True))
    at = first["unit"].str.removesuffix(" #0").map(place).to_numpy()
    person = (
        first["person"].to_numpy()
        if people_sums(both, cells, names)
        else np.zeros(len(first), dtype=bool)
    )
    if settings["resamples"] * (len(units) + int(person.sum()) + 200) * len(cells) > MOST_NUMBERS:
        return None
    levels = [name for name in first if str(name).startswith(IS)]
    read, cell, side = (
        first[levels].to_numpy(dtype=float),
        first["cell"].map(cells.index).to_numpy(),
        first["source"].map(names.index).to_numpy(),
    )
    fixed = np.zeros((len(units), len(cells), 2, len(levels)))
    np.add.at(fixed, (at[~person], cell[~person], side[~person]), read[~person])
    raters = numbers(first["rater"][person])
    of_raters = Cells.of(
        np.ones(int(raters.max(initial=0)) + 1), [np.arange(int(raters.max(initial=0)) + 1)]
    )
    seed = int(np.random.SeedSequence([settings["seed"], 1]).generate_state(1)[0])
    found = []
    for times, again in zip(
        drawn.draws(settings["resamples"], settings["seed"]),
        of_raters.draws(settings["resamples"], seed),
        strict=True,
    ):
        sums = np.asarray(np.tensordot(times, fixed, 1), dtype=np.float64)
        weight = times[at[person]] * again[raters]
        np.add.at(sums, (cell[person], side[person]), weight[:, None] * read[person])
        found.append([float(mean_of_parts(group[0])) for group in of_groups(sums[None], cells)])
    return Draws(values=np.array(found), seeded=drawn.seeded)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Draws:
    """Divergences of each group of units, (resamples, groups), and whether they are those of the library."""

    values: FloatArray
    seeded: bool


def bootstrap_checks(
    row: Row, boot: Draws | None, k: int, estimate: float, shift: float, settings: Mapping[str, Any]
) -> list[Check]:
    """Compare standard error and ends with those of similarities of resamples, moved by `shift`."""
    if boot is None:
        return [skipped_bootstrap(row)]
    drawn = Redrawn(
        estimate=np.array([estimate]),
        replicates=1 - boot.values[:, [k]] + shift,
        left=None,
        copies=None,
    )
    x, ends = drawn.finite(0), drawn.ends(settings["ci"], 0, settings["level"])
    if boot.seeded:
        return [
            near(label(row, "s.e."), row.std_error, drawn.std_error(0) or 0.0, WHY),
            *held_ends(row, *ends, WHY),
        ]
    level, value = settings["level"], float(row.estimate or 0.0)
    room = [half_width(x, (1 - level) / 2), half_width(x, (1 + level) / 2)]
    low, high = min(max(ends[0], 0.0), value), max(min(ends[1], 1.0), value)
    return [
        near(
            label(row, "s.e."),
            row.std_error,
            float(x.std(ddof=1)),
            OTHER,
            spread_error(x) * float(x.std(ddof=1)),
        ),
        near(label(row, "low"), row.conf_low, low, OTHER, room[0]),
        near(label(row, "high"), row.conf_high, high, OTHER, room[1]),
    ]


def skipped_bootstrap(row: Row) -> Check:
    """Return the check that says that too many resamples would have to be computed."""
    return compare(
        label(row, "bootstrap"),
        row.conf_low,
        None,
        package="numpy",
        tolerance=0,
        why=WHY,
        note=TOO_MANY,
    )


def unit_bootstrap_checks(
    rows: Sequence[Row], both: pd.DataFrame, names: list[str], result: Result
) -> list[Check]:
    """Compare bootstrap intervals of means over units of all units, of each cell and of their mean."""
    settings, cells = result.settings, list(both.attrs["cells"]) or [""]
    rows = [row for row in rows if row.conf_low is not None and row.estimate is not None]
    if settings["ci"] not in RESAMPLED or not rows:
        return []
    sums = summed(both, ["unit"], cells, names).sum(axis=1)
    order = list(dict.fromkeys(both["unit"]))
    line = {
        unit: (tuple(map(int, one)), tuple(map(int, two)))
        for unit, (one, two) in zip(order, sums, strict=True)
    }
    kept = [
        k
        for k, unit in enumerate(result.design.units)
        if all(map(any, line.get(f"{unit} #0", ((), ())))) and f"{unit} #0" in line
    ]
    pairs = [line[f"{result.design.units[k]} #0"] for k in kept]
    drawn = draws_of(result, kept)
    if len(set(pairs)) > MOST_PATTERNS or settings["resamples"] * len(kept) > MOST_NUMBERS:
        return [skipped_bootstrap(row) for row in rows]
    found = {pair: extrapolated(*pair, 2) for pair in set(pairs)}
    values, where = (
        np.array([found[pair] for pair in pairs]),
        dict(zip(both["unit"], both["cell"], strict=True)),
    )
    own = np.array([cells.index(where[f"{result.design.units[k]} #0"]) for k in kept])
    inside = np.equal.outer(np.arange(len(cells)), own).astype(float)
    groups = [None] if cells == [""] else [None, *cells]

    def mean_over(times: FloatArray) -> list[float]:
        with np.errstate(invalid="ignore"):
            of_cells = inside @ (times * values) / (inside @ times)
        whole = float(times @ values) / float(times.sum())
        return [whole] if cells == [""] else [whole, *of_cells.tolist(), float(of_cells.mean())]

    replicates = [
        mean_over(times) for times in drawn.draws(settings["resamples"], settings["seed"])
    ]
    boot = Draws(values=np.array(replicates), seeded=drawn.seeded)
    checks: list[Check] = []
    for row in rows:
        k = groups.index(row.group) if row.group in groups else boot.values.shape[1] - 1
        checks += bootstrap_checks(row, boot, k, 1 - mean_over(drawn.count)[k], 0.0, settings)
    return checks


@dataclass(frozen=True, slots=True, kw_only=True)
class Moments:
    """Bias, standard error and degrees of freedom of leave-one-out values."""

    bias: float
    error: float
    df: float


def people_sums(both: pd.DataFrame, cells: list[str], names: list[str]) -> list[FloatArray]:
    """Sums of people who are a sample, by person, and by cluster and person: (groups, cells, 2, levels) each."""
    own = both[both["person"]]
    if not len(own) or not own.groupby("rater")["left"].nunique().gt(1).any():
        return []
    return [summed(own, keys, cells, names) for keys in (["rater"], ["left", "rater"])]


def left_out_moments(value: float, total: FloatArray, tables: Sequence[FloatArray]) -> Moments:
    """Jackknife by cluster; with people also by person, and by both, whose bias and variance are subtracted."""
    bias, variance, df = [], [], []
    for table in tables:
        left, g = mean_of_parts(total - table), len(table)
        bias.append((g - 1) * (float(left.mean()) - value))
        still = g < 2 or float(np.ptp(left)) <= STILL
        variance.append(0.0 if still else (g - 1) * float(np.var(left)))
        df.append(g - 1.0 if still else kurtosis_df(left))
    if len(tables) == 1:
        return Moments(bias=bias[0], error=math.sqrt(variance[0]), df=df[0])
    joint = max(variance[0], variance[1], variance[0] + variance[1] - variance[2])
    return Moments(
        bias=bias[0] + bias[1] - bias[2], error=math.sqrt(joint), df=cochran(variance[:2], df[:2])
    )


def equal_shares_checks(row: Row, part: pd.DataFrame, names: list[str]) -> list[Check]:
    """Compare the F test of equal pooled shares, with units (or clusters) and people as crossed factors."""
    levels = [name for name in part if str(name).startswith(IS)]
    gap, people, n = np.zeros(len(levels)), [], part["unit"].nunique()
    units: Any = 0.0
    for name, sign in zip(names, (1.0, -1.0), strict=True):
        own = part[part["source"] == name]
        x = own[levels].to_numpy(dtype=float)
        gap += sign * x.mean(axis=0)
        off = own[levels].astype(float)
        off.loc[:, :] = sign * (x - x.mean(axis=0)) / len(x)
        units = (
            off.groupby(own["unit"]).sum().reindex(part["unit"].unique(), fill_value=0.0) + units
        )
        people.append(Part.of(own, x, np.full(len(x), 1 / len(x)), sign=sign))
    left = part.drop_duplicates("unit").set_index("unit").loc[units.index, "left"].to_numpy()
    return joint_checks(row, gap, units.to_numpy(), np.full(n, 1 / n), left, people)


def plain_ends(
    row: Row, moments: Moments, other: tuple[float, float] = (math.inf, -math.inf)
) -> list[Check]:
    """Compare error and ends of a plug-in value with those of its leave-one-out values, or `other` ones beyond."""
    if row.conf_low is None:
        return []
    error, df = moments.error, moments.df
    reach, value = quantile(row.conf_level or 0.95, df) * error, float(row.estimate or 0.0)
    return [
        near(label(row, "s.e."), row.std_error, error, LEFT_OUT, 1e-6 * error),
        near(label(row, "df"), row.df, df, LEFT_OUT, 1e-6 * df),
        *end_checks(
            row,
            max(min(value - reach, other[0]), 0.0),
            min(max(value + reach, other[1]), 1.0),
            "scipy",
            LEFT_OUT,
            1e-6,
        ),
    ]


def held_ends(row: Row, low: float, high: float, why: str) -> list[Check]:
    """Compare ends that are cut at 0 and 1 and hold the estimate."""
    estimate = float(row.estimate or 0.0)
    return end_checks(
        row, min(max(low, 0.0), estimate), max(min(high, 1.0), estimate), "scipy", why, 1e-6
    )


def chance_of(tables: Sequence[FloatArray]) -> FloatArray:
    """Eigenvalues of AV: the covariance of the differences of shares by clusters, over 8 ln 2 times their middle.

    Parameters
    ----------
    tables : sequence of (clusters, k, 2, levels) float64 arrays
        Counts of the k pairs of shares whose mean divergence is taken; of people also by person, and by both.
    """
    sizes = tables[0].sum(axis=(0, 3))[..., None]
    shares = tables[0].sum(axis=0) / sizes
    middle = shares.mean(axis=1).ravel()
    scale = 1 / np.sqrt(8 * math.log(2) * len(sizes) * middle[middle > 0])
    found = []
    for k, own in enumerate(tables):
        given = own.sum(axis=(0, 3))[..., None]
        around = shares if k == 0 else own.sum(axis=0) / np.where(given > 0, given, 1.0)
        off = (own - own.sum(axis=3, keepdims=True) * around) / sizes
        gap = (off[:, :, 0] - off[:, :, 1]).reshape(len(own), -1)[:, middle > 0]
        found.append(np.atleast_2d(np.cov(gap.T)) * len(own) * np.outer(scale, scale))
    if len(found) > 1:
        found = [
            max(
                (found[0], found[1], found[0] + found[1] - found[2]),
                key=lambda v: float(np.trace(v)),
            )
        ]
    return np.asarray(np.linalg.eigvalsh(found[0]))


def outer_ends(
    value: float, corrected: float, moments: Moments, roots: FloatArray, level: float
) -> tuple[float, float]:
    """Ends of a divergence by `chi_square_ends`, the upper one by scipy's t of the values left where it is larger."""
    first, second = float(roots.sum()), float((roots**2).sum())
    reach = quantile(level, moments.df) * moments.error
    if not (value > 0 and first > 0 and second > 0):
        return corrected - reach, corrected + reach
    low, high = chi_square_ends(value, first, second, level)
    return low, max(high, corrected + reach)


def chi_square_ends(value: float, mean: float, square: float, level: float) -> tuple[float, float]:
    """Truths for which the divergence is a quantile of scale times a noncentral chi-square, by scipy's roots.

    The scale is square / mean, the degrees of freedom mean / scale, the noncentrality truth / scale.
    """
    from scipy.optimize import brentq
    from scipy.stats import chi2, ncx2

    scale = square / mean
    if value / scale > FAR:
        reach = quantile(level, None) * math.sqrt(2 * square + 4 * scale * max(value - mean, 0.0))
        return max(0.0, value - mean - reach), value - mean + reach

    def truth(tail: float) -> float:
        def above(nc: float) -> float:
            x, df = value / scale, mean / scale
            return float(ncx2.cdf(x, df, nc) if nc > 0 else chi2.cdf(x, df)) - tail

        if above(0.0) <= 0:
            return 0.0
        top = 1.0
        while above(top) > 0:
            top *= 2
        return scale * float(brentq(above, 0.0, top, xtol=1e-11 * top))

    return truth((1 + level) / 2), truth((1 - level) / 2)


def unit_checks(
    row: Row, plain: Row, part: pd.DataFrame, settings: Mapping[str, Any]
) -> list[Check]:
    """Compare means over units, and the correction by leaving out every rating of a unit in turn."""
    where = f"{row.term} [{row.group or 'all units'}]"
    if plain.estimate is None:
        return []
    sizes = part.groupby(["unit", "source", "value"]).size().unstack("value", fill_value=0)
    sides = [sizes.xs(name, level="source") for name in (str(settings["reference"]), row.term)]
    both = sides[0].index.intersection(sides[1].index)
    pairs = list(
        zip(
            *([tuple(line) for line in side.loc[both].to_numpy().tolist()] for side in sides),
            strict=True,
        )
    )
    patterns = Counter(pairs)
    mean = float(divergences(*np.swapaxes(pairs, 0, 1)).mean())
    checks = [near(f"{where}, plug-in", plain.estimate, 1 - mean, CLOSED)]
    if row.estimate is None or len(patterns) > MOST_PATTERNS:
        return checks
    found = {
        (one, two): (extrapolated(one, two, 2), extrapolated(one, two, 1)) for one, two in patterns
    }
    values, first = np.array([found[one, two] for one, two in pairs]).T
    corrected = 1 - float(values.mean())
    checks.append(
        near(f"{where}, corrected", row.estimate, min(max(corrected, 0.0), 1.0), BY_RATING)
    )
    if row.p_value is not None:
        checks.append(near(f"{where}, statistic", row.statistic, mean, CLOSED))
        given = [(one, two, times) for (one, two), times in patterns.items()]
        checks.append(exchange_check(row, given, divergences, settings["permutations"]))
    if settings["ci"] != "t" or row.conf_low is None or part["crossed"].any():
        return checks
    left = part.groupby("unit")["left"].first().loc[both].to_numpy()
    less = [
        values[left != one].mean() for one in np.unique(left)
    ]  # and half of what the second order takes off
    variance, df = (len(less) - 1) * float(np.var(less)), len(less) - 1.0
    if part["person"].any():
        units = Errors(
            variance=variance, df=df, effective=df + 1, largest=1 / len(less), plain=variance
        )
        whole = joined_errors(units, people_of_units(part[part["unit"].isin(both)], row, settings))
        variance, df = whole.variance, whole.df
    error = math.hypot(math.sqrt(variance), float(values.mean() - first.mean()) / 2)
    reach = quantile(row.conf_level or 0.95, df) * error
    low, high = (min(max(corrected + end, 0.0), 1.0) for end in (-reach, reach))
    return [
        *checks,
        near(f"{where}, s.e.", row.std_error, error, BY_UNIT),
        near(f"{where}, df", row.df, df, BY_UNIT),
        near(f"{where}, low", row.conf_low, min(low, row.estimate), BY_UNIT),
        near(f"{where}, high", row.conf_high, max(high, row.estimate), BY_UNIT),
    ]


STILL = 1e-14  # leave-one-out values that differ by rounding
STEP = 1e-5  # step of a numerical derivative


def people_of_units(part: pd.DataFrame, row: Row, settings: Mapping[str, Any]) -> list[Part | None]:
    """Return what people who are a sample add to the mean divergence within units, by numerical derivatives."""
    names, found = (str(settings["reference"]), row.term), list[Part | None]()
    import pandas as pd

    rated = pd.get_dummies(
        part["value"], dtype=float
    )  # within units ratings count with their values
    n = part["unit"].nunique()
    means = rated.groupby([part["source"], part["unit"]]).mean()
    for name, other in (names, names[::-1]):
        own = part[(part["source"] == name) & part["person"]]
        if not len(own):
            continue
        p, q = (means.xs(who, level="source").loc[own["unit"]].to_numpy() for who in (name, other))
        way = rated.loc[own.index].to_numpy() - p
        moved = (divergences(p + STEP * way, q) - divergences(p - STEP * way, q)) / (2 * STEP)
        weight = 1 / (
            part[part["source"] == name].groupby("unit").size().loc[own["unit"]].to_numpy() * n
        )
        found.append(
            Part(
                e=(moved * weight)[:, None],
                f=weight / weight.sum(),
                left=numbers(own["left"]),
                rater=numbers(own["rater"]),
            )
        )
    return found


@lru_cache(maxsize=4096)
def extrapolated(one: tuple[int, ...], two: tuple[int, ...], order: int) -> float:
    """Jackknife of first or second order of the divergence of two lists of counts, over the ratings of each."""
    sizes = [sum(side) for side in (one, two)]
    weights = [
        (n * n / 2, -((n - 1) ** 2), (n - 2) ** 2 / 2) if order == 2 else (n, 1 - n) for n in sizes
    ]
    total = 0.0
    for (r, u), (s, v) in product(*map(enumerate, weights)):
        if u * v:
            kept = product(remainders(one, r), remainders(two, s))
            total += u * v * sum(p * q * float(divergences(a, b)) for (a, p), (b, q) in kept)
    return total


def remainders(counts: Sequence[int], left: int) -> Iterator[tuple[FloatArray, float]]:
    """Yield what can be left of a list of counts without some ratings, and how likely each is."""
    from scipy.stats import multivariate_hypergeom

    for one in product(*(range(min(c, left) + 1) for c in counts)):
        if sum(one) == left:
            chance = float(multivariate_hypergeom.pmf(one, counts, left)) if left else 1.0
            yield np.subtract(counts, one), chance


def ceiling_checks(result: Result, table: pd.DataFrame) -> list[Check]:
    """Recompute the ceiling of some groups of units: estimate, error and ends."""
    reference = result.settings["reference"]
    rows = [
        row for row in result.rows if row.role == "component" and row.label("source") == reference
    ]
    better = [row for row in result.rows if row.role == "reference"]
    own = table[table["source"] == result.settings["reference"]]
    own = own[own.groupby("unit")["value"].transform("size") >= 2]
    make = pooled_ceiling if result.settings["aggregate"] == "pooled" else unit_ceiling
    checks: list[Check] = []
    known = zip(
        rows[: 1 + len(table.attrs["cells"])], better, result.extras["ceiling_error"], strict=False
    )
    for row, other, drawing in list(known)[:MOST_GROUPS]:
        if row.estimate is not None:
            part = own if row.group is None else own[own["cell"] == row.group]
            checks += make(row, part, drawing, f"{row.term} [{row.group or 'all units'}]")
            checks += corrected_ceiling(row, other, part, drawing, pooled=make is pooled_ceiling)
    return checks


def corrected_ceiling(
    row: Row, other: Row, part: pd.DataFrame, drawing: float, *, pooled: bool
) -> list[Check]:
    """Compare a corrected ceiling with the plug-in one less a bias found by leaving out clusters, or ratings.

    Its ends are those of the plug-in one, moved by the same; where these are cut at 0 or 1, nobody can say how far.
    """
    less, where = 1 - float(row.estimate or 0.0), f"{other.term} [{other.group or 'all units'}]"
    if other.estimate is None or part["crossed"].any() or part["left"].nunique() > MOST_UNITS:
        return []
    if pooled:
        sums = noise_parts(part)
        total, g = sums.sum(axis=0), len(sums)
        left = [quadratic(total - one) for one in sums]
        corrected, tolerance, why = (
            less - (g - 1) * (float(np.mean(left)) - quadratic(total)),
            1e-9,
            LEFT_OUT,
        )
    else:
        counts = part.groupby(["unit", "value"]).size().unstack(fill_value=0)
        lines = Counter(tuple(line) for line in counts.to_numpy().tolist() if sum(line) >= 4)
        if len(lines) > MOST_PATTERNS:
            return []
        values = {
            line: sum(
                p * extrapolated(tuple(map(int, half)), tuple(map(int, np.subtract(line, half))), 2)
                for half, p in remainders(line, sum(line) // 2)
            )
            for line in lines
        }
        corrected = sum(values[line] * n for line, n in lines.items()) / sum(lines.values())
        tolerance, why = 0.15 * less + WIDE * drawing + 1e-12, EXACT
    checks = [near(where, other.estimate, min(max(1 - corrected, 0.0), 1.0), why, tolerance)]
    if other.conf_low is None or row.conf_low is None or row.conf_high is None:
        return checks
    moved = less - corrected
    ends = (
        min(max(row.conf_low + moved, 0.0), other.estimate),
        max(min(row.conf_high + moved, 1.0), other.estimate),
    )
    both = zip(
        ("low", "high"),
        (other.conf_low, other.conf_high),
        ends,
        (row.conf_low, row.conf_high),
        strict=True,
    )
    return [
        *checks,
        *(
            near(f"{where}, {name}", a, b, why, tolerance)
            for name, a, b, end in both
            if 0 < end < 1
        ),
    ]


def pooled_ceiling(row: Row, part: pd.DataFrame, drawing: float, where: str) -> list[Check]:
    """Compare the similarity of pooled halves with fresh halvings, and its interval with a jackknife by hand."""
    values = shuffled(part)
    error = math.hypot(drawing, float(values.std(ddof=1)) / math.sqrt(SHUFFLES))
    checks = [near(where, row.estimate, 1 - float(values.mean()), DRAWN, WIDE * error + 1e-12)]
    if row.conf_low is None or part["crossed"].any() or part["left"].nunique() > MOST_UNITS:
        return checks
    sums = noise_parts(part)
    return checks + ceiling_ends(
        row, [quadratic(sums.sum(axis=0) - one) for one in sums], drawing, where, VARIANCES, 1e-9
    )


def ceiling_ends(
    row: Row,
    left: Sequence[float],
    drawing: float,
    where: str,
    why: str,
    share: float,
    *,
    redrawn: bool = False,
) -> list[Check]:
    """Compare s.e. and ends with those of a jackknife of logs.

    `share` is the tolerance as a share of each divergence. `redrawn`: our jackknife leaves clusters out of a mean of
    random halvings. The error of drawing is in it once more, with G - 1 degrees of freedom of its own.
    """
    less, groups = 1 - float(row.estimate or 0.0), len(left)
    jackknifed, drawn = math.sqrt((groups - 1) * float(np.var(np.log(left)))), drawing / less
    error = math.hypot(jackknifed, drawn)
    times = 2 + 2 * math.sqrt(2 / (groups - 1)) if redrawn else 1.0
    spare = math.hypot(jackknifed, math.sqrt(times) * drawn) - error
    critical = quantile(row.conf_level or 0.95, groups - 1.0)
    reach, further = math.exp(critical * error), share + math.expm1(critical * spare)
    wanted = (
        ("s.e.", row.std_error, less * error, (share * error + spare) * less),
        ("low", row.conf_low, 1 - less * reach, further * less * reach),
        ("high", row.conf_high, 1 - less / reach, further * less / reach),
        ("df", row.df, groups - 1.0, share),
    )
    return [
        near(f"{where}, {name}", ours, max(theirs, 0.0), why, tolerance + 1e-12)
        for name, ours, theirs, tolerance in wanted
    ]


def shuffled(part: pd.DataFrame) -> FloatArray:
    """(SHUFFLES,) divergences of halves of freshly shuffled ratings; of an odd number either half has one more."""
    rng = np.random.default_rng(97)
    unit, value = (
        part[name].astype("category").cat.codes.to_numpy().astype(int) for name in ("unit", "value")
    )
    size = np.bincount(unit)
    start = np.concatenate([[0], size.cumsum()[:-1]])
    out = []
    for _ in range(SHUFFLES):
        order = np.lexsort((rng.random(len(unit)), unit))
        half = (size + rng.integers(0, 2, len(size)) * (size % 2)) // 2
        first = np.arange(len(unit)) - start[unit[order]] < half[unit[order]]
        counts = [
            np.bincount(value[order][first == one], minlength=value.max() + 1)
            for one in (True, False)
        ]
        out.append(float(divergences(*counts)))
    return np.array(out)


def noise_parts(part: pd.DataFrame) -> FloatArray:
    """(clusters, 5, levels) sums: variance of the difference of two halves, what odd units add, counts."""
    from scipy.stats import hypergeom

    counts = part.groupby(["unit", "value"]).size().unstack(fill_value=0)
    n, left = counts.sum(axis=1), part.groupby("unit")["left"].first()
    odd = n % 2 == 1
    share = counts.div(n, axis=0).mul(odd, axis=0)
    size = n.to_numpy()[:, None]
    spread = counts * 0.0 + 4 * np.asarray(hypergeom.var(size, counts.to_numpy(), size // 2))
    tables = (spread, share**2, share, counts, counts * 0 + odd.to_numpy()[:, None])
    return np.stack(
        [table.groupby(left.loc[counts.index]).sum().to_numpy(dtype=float) for table in tables],
        axis=1,
    )


def quadratic(sums: FloatArray) -> float:
    """Mean divergence to second order, from (5, levels) sums."""
    spread, squares, shares, count, odd = sums
    total = float(count.sum())
    p = count / total
    with np.errstate(invalid="ignore", divide="ignore"):
        each = np.where(p > 0, (spread + squares - 2 * p * shares + p * p * odd) / p, 0.0)
    return float(each.sum()) / (total / 2) ** 2 / (8 * math.log(2))


def unit_ceiling(row: Row, part: pd.DataFrame, drawing: float, where: str) -> list[Check]:
    """Compare the mean over units, and its interval, with all halvings of each unit."""
    counts = part.groupby(["unit", "value"]).size().unstack(fill_value=0)
    lines = [tuple(line) for line in counts.to_numpy().tolist()]
    patterns = {}
    if len(set(lines)) > MOST_PATTERNS:
        return []
    for line in set(lines):
        halves = remainders(line, sum(line) // 2)
        patterns[line] = sum(
            chance * float(divergences(half, np.subtract(line, half))) for half, chance in halves
        )
    values = np.array([patterns[line] for line in lines])
    checks = [near(where, row.estimate, 1 - float(values.mean()), DRAWN, WIDE * drawing + 1e-12)]
    if row.conf_low is None or part["crossed"].any():
        return checks
    left = part.groupby("unit")["left"].first().loc[counts.index].to_numpy()
    less = [float(values[left != one].mean()) for one in np.unique(left)]
    return checks + ceiling_ends(row, less, drawing, where, EXACT, 0.15, redrawn=True)
