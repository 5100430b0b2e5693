"""Krippendorff's alpha: agreement of any number of raters, at four levels of measurement, with missing ratings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np

from socialstats.agreement.rating_tables import Tallies, cost_of_levels, tallies_of
from socialstats.agreement.reliability import (
    AgreementOptions,
    CiName,
    Coefficient,
    UnitGroup,
    alpha_influence,
    alpha_sums,
    coincidence_matrix,
    largest_distance,
    level_positions,
    observed_disagreement,
    reliability,
    reliability_plot,
    reliability_sentence,
)
from socialstats.arrays import BoolArray, FloatArray
from socialstats.designs.calls import TableLike
from socialstats.designs.level_orders import SCALES, Scale
from socialstats.designs.ratings import Ratings, Refusal
from socialstats.errors import InputError
from socialstats.registry import Metric, reads
from socialstats.results import Result, ResultGroup
from socialstats.results.definitions import (
    Definition,
    DisagreementParts,
    PeerNumbers,
    PlainSample,
    RowKey,
)
from socialstats.results.peers import load_peer
from socialstats.text import shorten
from socialstats.voice import Word, check_allowed, option

# Results hold the coincidences of so many levels: 40,000 numbers.
MOST_LEVELS_SHOWN = 200
MOST_OF_PEER = 20_000_000  # numbers that the krippendorff package may hold at once


@reads(Ratings)
def krippendorff_alpha(
    ratings: Ratings | TableLike,
    *,
    scale: Scale | None = None,
    refusal: Refusal = "missing",
    raters: Sequence[str] | None = None,
    stratum: str | None = None,
    ci: CiName = "closed",
    cluster: str | Sequence[str] | None = "declared",
    on_undefined: Literal["nan", "raise"] | float = "nan",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate Krippendorff's alpha: 1 minus observed over expected disagreement.

    With o_ck the coincidences of values c and k within units, n_c their margins, n their sum and d_ck^2 the squared
    distance of two values, alpha = 1 - (n - 1) sum o_ck d_ck^2 / sum n_c n_k d_ck^2 (Krippendorff 2011). Distances:
    nominal 0 or 1; ordinal the difference of pooled mid-ranks; interval c - k; ratio (c - k)/(c + k).

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        With a ``by`` factor: one result a level. Units with fewer than two ratings do not enter.
    scale : {"nominal", "ordinal", "interval", "ratio"}, optional
        Distance between values; that of the design by default. Interval and ratio distances need numbers, ordinal
        ones the order of the levels.
    refusal : {"missing", "level"}
        A refusal is no rating, or a level of its own (nominal only).
    raters : sequence of str, optional
        Only these raters.
    stratum : str, optional
        A declared stratum (or cluster) of the units: one more row for each of its levels.
    ci : {"closed", "percentile", "basic", "bca"}
        ``"closed"``: t interval with the linearised standard error (for ordinal distances the change of the ranks is
        included). It is cut at 1, and at -1/(m - 1), the lowest alpha of units with m ratings or more: with two
        raters at -1. Else bootstrap of units with their own margins. Without disagreement
        the lower end is that of Korn and Graubard (1998); of clusters see `socialstats.inference.infer.infer`.
    cluster : str, sequence of str or None
        Declared factors whose levels are independent (two: crossed); None takes units as independent.
    on_undefined : {"nan", "raise", 1.0}
        Where the ratings do not vary alpha is undefined: a row with the reason, an exception, or the number 1.
    level : float
    resamples, seed : int
        Of the bootstrap.
    **columns
        Of a data frame or file: its columns, by the keywords of `read_ratings`.

    Returns
    -------
    Result
        Row ``alpha`` (group None: all units; other groups: levels of the stratum); with ``ci="closed"`` also t, df
        and p of alpha = 0. `extras` (all units): ``observed_disagreement`` = sum o_ck d_ck^2 / n,
        ``expected_disagreement`` = sum n_c n_k d_ck^2 / (n (n - 1)), ``n_pairable`` = n, ``levels``, ``margins`` and
        ``coincidences`` (levels x levels, up to 200 levels).

    Raises
    ------
    InputError
        For an unknown option, an order or distance that the levels do not have, or negative values with ratio.
    NothingToAnalyse
        If no unit has two ratings.
    UndefinedStatistic
        With ``on_undefined="raise"``.

    References
    ----------
    Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability. University of Pennsylvania.
    Gwet, K. L. (2014). Handbook of inter-rater reliability (4th ed.). Advanced Analytics.

    Examples
    --------
    >>> rows = {"unit": [1, 1, 2, 2, 3, 3, 4, 4], "rater": ["a", "b"] * 4, "value": [1, 1, 2, 3, 3, 3, 1, 2]}
    >>> result = krippendorff_alpha(rows, unit="unit", rater="rater", value="value", scale="ordinal")
    >>> round(result.row("alpha").estimate, 4)
    0.7083
    """
    options = AgreementOptions(
        refusal=refusal,
        raters=raters,
        stratum=stratum,
        ci=ci,
        cluster=cluster,
        on_undefined=on_undefined,
        level=level,
        resamples=resamples,
        seed=seed,
    )
    used = checked_scale(ratings, scale, options.refusal)
    return reliability(
        "krippendorff_alpha",
        ratings,
        options,
        partial(alpha, scale=used),
        term="alpha",
        title=f"Krippendorff's alpha ({used})",
        least=2,
        settings={"scale": used},
        extras=partial(extras, scale=used),
        references=METRIC.references,
    )


def checked_scale(design: Ratings, scale: str | None, refusal: str) -> str:
    """Return the scale to use.

    Raises
    ------
    InputError
        If the levels do not have the order or the distances that the scale needs.
    """
    used = design.scale if scale is None else scale
    check_allowed("scale", used, SCALES)
    # a refusal has no distance from the levels of a scale
    if refusal == "level" and used != "nominal":
        raise InputError(
            f"{option('refusal', 'level')} needs {option('scale', 'nominal')}: a refusal has no place on "
            f"the {used} scale"
        )
    # numbers have all distances, and labels are the same or not
    if used == "nominal" or design.numeric:
        return used
    if used in ("interval", "ratio"):
        raise InputError(
            f"{option('scale', used)} needs numbers; the levels are {', '.join(map(shorten, design.levels[:5]))}. "
            f"Use {option('scale', 'ordinal')} for levels in order, else 'nominal'"
        )
    if not design.levels_declared:
        raise InputError(
            f"{option('scale', used)} needs the order of the levels: declare "
            f"{option('levels', [Word('lowest'), Word('...'), Word('highest')])}; they are "
            f"{', '.join(map(shorten, design.levels[:5]))}"
        )
    return used


def alpha(group: UnitGroup, scale: str) -> Coefficient | None:
    """Alpha of a group of units; None where ratings do not vary, and of one unit (0 whatever its ratings are)."""
    counts = group.counts
    if not counts.varies or counts.n_units < 2:
        return None
    sums, largest = alpha_sums(counts, scale), largest_distance(counts, scale)
    _, (expected,), (n,) = sums.finish(sums.total())
    # D_o and D_e over the largest distance, so that both are shares between 0 and 1
    disagreement = (
        observed_disagreement(counts, scale, level_positions(counts, scale)) / counts.size / largest
    )
    return Coefficient(
        estimate=float(sums.alpha(sums.total())[0, 0]),
        statistics=sums.statistics,
        finish=sums.alpha,
        values=lambda: counts.n_units * alpha_influence(counts, scale),
        disagreement=disagreement,
        weight=counts.size,
        expected=float(expected / (n * (n - 1))) / largest,
        least=lowest_alpha(int(counts.size.min())),
    )


def lowest_alpha(fewest: int) -> float:
    """Return the lowest alpha of units with so many ratings or more, however many units there are.

    Squared distances within a unit of m ratings add up to m times their sum of squares. Within all units these are at
    most the sum of squares of all values. So observed disagreement is at most m / (m - 1) times that by chance.

    Examples
    --------
    >>> lowest_alpha(2), lowest_alpha(5)
    (-1.0, -0.25)
    """
    return -1 / (fewest - 1)


def extras(group: UnitGroup, scale: str) -> dict[str, Any]:
    """Observed and expected disagreement (0 where ratings do not vary), margins and coincidences of all units."""
    counts, n = group.counts, float(group.counts.n_ratings)
    observed_sum, expected = 0.0, 0.0
    if counts.varies:
        by_unit = observed_disagreement(counts, scale, level_positions(counts, scale))  # (units,)
        observed_sum = float(counts.copies @ by_unit)
        sums = alpha_sums(counts, scale)
        expected = float(sums.finish(sums.total())[1][0])
    shown = len(counts.levels) <= MOST_LEVELS_SHOWN
    coincidences = {"coincidences": coincidence_matrix(counts)} if shown else {}
    # D_o = sum o_ck d_ck^2 / n, D_e = sum n_c n_k d_ck^2 / (n (n - 1)) (Krippendorff 2011)
    return {
        "observed_disagreement": observed_sum / n,
        "expected_disagreement": expected / (n * (n - 1)),
        "n_pairable": counts.n_ratings,
        "levels": counts.levels,
        "margins": counts.margins,
        **coincidences,
    }


def sentence(result: Result) -> str:
    """State alpha with its interval and sample."""
    return reliability_sentence(result, f"Krippendorff's alpha ({result.settings['scale']})")


def sample_alpha(result: Result) -> Iterator[PlainSample]:
    """Yield units with two ratings or more, by level, and alpha from the distances of all pairs of ratings."""
    scale = result.settings["scale"]
    scores = np.append(result.design.scores, np.nan)
    for group, tallies in tallies_of(result, 2):
        if len(tallies.count):
            used = tallies.table.sum(axis=0) > 0
            yield alpha_sample(group, tallies, used, scores[used], scale)


def alpha_sample(
    group: str | None, tallies: Tallies, used: BoolArray, scores: FloatArray, scale: str
) -> PlainSample:
    """Return the sample of one alpha: 1 - (n - 1) sum o_ck d_ck^2 / sum n_c n_k d_ck^2 of n ratings."""
    table, size = tallies.table[:, used], tallies.size
    key, linear = (group, "alpha"), (group, "alpha with n for n - 1")

    def disagreements(count: FloatArray) -> tuple[FloatArray, FloatArray, float]:
        margins = count @ table
        distance = squared_distances(scale, scores, margins)
        within = ((table @ distance) * table).sum(axis=1) / (size - 1)
        return distance, within, float(margins @ distance @ margins)

    def estimates(count: FloatArray) -> dict[RowKey, float]:
        _, within, of_all = disagreements(count)
        n = float(count @ size)
        ratio = float(count @ within) / of_all if of_all > 0 else np.nan
        return {key: 1 - (n - 1) * ratio, linear: 1 - n * ratio}

    distance, within, of_all = disagreements(tallies.count)
    n, largest = float(tallies.count @ size), float(distance.max())
    parts = {}
    if largest > 0:
        expected = of_all / (n * (n - 1)) / largest
        parts[key] = DisagreementParts(
            within=within / size / largest, weight=size, expected=expected
        )
    return PlainSample(
        count=tallies.count,
        plain=estimates,
        factors=tallies.factors,
        alike=table,
        # a linear approximation has no factor for small samples
        linear={key: linear},
        disagreements=parts,
        cost=cost_of_levels(len(scores)),
    )


def squared_distances(scale: str, scores: FloatArray, margins: FloatArray) -> FloatArray:
    """Return the squared distances of all pairs of levels on a scale, (levels, levels)."""
    x = np.cumsum(margins) - margins / 2 if scale == "ordinal" else scores
    if scale == "nominal":
        return 1 - np.eye(len(margins))
    apart = x[:, None] - x
    if scale == "ratio":
        total = x[:, None] + x
        apart = apart / np.where(total > 0, total, 1.0)
    return np.asarray(apart**2)


def ask_krippendorff(result: Result) -> Iterator[PeerNumbers]:
    """Alpha of the krippendorff package.

    It takes float counts, as small integers overflow in it, and the ascending values that occur as its domain.
    """
    scores = np.append(result.design.scores, result.design.scores.max(initial=0.0) + 1)
    for group, tallies in tallies_of(result, 2):
        used = np.flatnonzero(tallies.count @ tallies.table)
        units, row = int(tallies.count.sum()), (group, "alpha")
        if len(used) < 2:
            continue
        if units * len(used) ** 2 > MOST_OF_PEER:
            note = f"needs {units:,} x {len(used):,} x {len(used):,} numbers at once"
            numbers = {"estimate": np.nan}
        else:
            theirs = load_peer("krippendorff", "alpha")
            value = theirs(
                value_counts=tallies.units()[:, used],
                value_domain=scores[used].tolist(),
                level_of_measurement=result.settings["scale"],
            )
            note, numbers = "", {"estimate": float(value)}
        yield PeerNumbers(package="krippendorff", row=row, numbers=numbers, note=note)


METRIC = Metric(
    name="krippendorff_alpha",
    title="Krippendorff's alpha",
    design="ratings",
    function=krippendorff_alpha,
    sentence=sentence,
    plot=reliability_plot,
    definition=Definition(samples=sample_alpha, peers=ask_krippendorff),
    estimand="One minus the ratio of disagreement within units to disagreement between any two of the values used.",
    assumptions=(
        "units (or the named clusters) are independent draws from the units of interest",
        "raters are interchangeable; whether a rating is missing does not depend on its value",
        "the distance between values is that of the scale",
    ),
    references=("krippendorff2011", "krippendorff2019", "gwet2014"),
    swap="invariant",
)
