"""Changes of choice shares from one stratum to another, within clusters that hold both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from socialstats.arrays import BoolArray, FloatArray
from socialstats.errors import InputError, UndefinedStatistic
from socialstats.inference.clustered_mean import clustered_mean
from socialstats.inference.means import DrawnRaters, dense_codes
from socialstats.inference.rows import with_mean
from socialstats.paired.matched_pairs import hotelling
from socialstats.paired.robust_tests import robust_wald
from socialstats.resampling.permutation import sign_flip_test
from socialstats.results import Row
from socialstats.results.definitions import PeerNumbers, PlainSample, sample_of_mean
from socialstats.results.peers import load_peer
from socialstats.shares.counts import ONE_PERSON
from socialstats.shares.plain_ratings import PlainRatings
from socialstats.shares.ratings_by_source import (
    RatingsBySource,
    fill_f_test,
    holm_adjusted,
    row_of_level,
)
from socialstats.text import quoted, shorten
from socialstats.voice import option

BY_RATER = "t over units (clusters) and raters"
TESTED = "t over clusters; p by flipping the signs of whole clusters"
JOINT = "Hotelling's T-squared of all levels"
# flips of signs where there are too many clusters to try them all
FLIPS = 20_000


def share_change_rows(counted: RatingsBySource) -> list[Row]:
    """Rows of the changes of each source, then of the other sources less the reference; nothing without `base`."""
    cells = counted.cells
    base = counted.settings["base"]
    sources = range(len(counted.data.sources))
    first = counted.first
    if base is None:
        return []
    if counted.data.weight is not None:
        raise InputError(
            f"{option('base', shorten(base))} compares shares within clusters, which count alike, and units have "
            f"sampling weights. Leave {option('base')} or {option('weight')} out"
        )
    if base not in cells.labels:
        raise InputError(
            f"{option('base', shorten(base))}: {option('stratum')} has no such level. Levels: "
            f"{quoted(cells.labels, 10) or 'none'}"
        )
    if len(counted.codes) != 1:
        raise InputError(
            f"{option('base', shorten(base))} compares strata within clusters: declare one "
            f"{option('cluster', typed='--cluster')}, such as the scenario that each stratum varies, not "
            f"{len(counted.codes)}"
        )
    shares, sizes = shares_by_cluster(counted)
    base_stratum = cells.labels.index(base)
    rows = []
    for sides in [*((k,) for k in sources), *((k, first) for k in counted.further)]:
        levels: list[Row] = []
        joint_tests = []
        for q, label in enumerate(cells.labels):
            if q == base_stratum:
                continue
            n = sizes[:, [base_stratum, q]][:, :, sides]  # (clusters, strata, sides)
            rated = (n > 0).all(axis=(1, 2))
            change = (shares[:, q] - shares[:, base_stratum])[rated][:, sides]
            group = f"{counted.name_of(sides)}: {label} - {base}"
            counts = {"n": float(n[rated].sum()), "n_clusters": int(rated.sum())}
            row = counted.base(sides, label, group=group, **counts)
            row = replace(row, key=(*row.key, ("base", base)))
            drawn = []
            for k, sign in zip(sides, (1.0, -1.0), strict=False):
                drawn += drawn_changes(counted, k, (q, base_stratum), np.asarray(rated), sign)
            # (clusters, levels): of one source, or of a source less the reference
            changes = change[:, 0] - change[:, 1:].sum(axis=1)
            level_rows, test = rows_of_mean_changes(counted, row, changes, float(len(sides)), drawn)
            levels += level_rows
            joint_tests.append(test)
        rows += [*holm_adjusted(levels, "levels and strata"), *holm_adjusted(joint_tests, "strata")]
    return rows


def drawn_changes(
    counted: RatingsBySource, k: int, strata: tuple[int, int], rated: BoolArray, sign: float
) -> list[DrawnRaters]:
    """Return what the people of a source, if they are a sample, add to the mean change over some clusters.

    Parameters
    ----------
    counted : RatingsBySource
    k : int
        Place of the source.
    strata : pair of int
        The stratum, and the base that is subtracted.
    rated : (clusters,) bool array
        Clusters with ratings in both.
    sign : float
        Of the change in the difference of two changes.
    """
    data = counted.data
    cells = counted.cells
    people = data.people[k] if data.people else None
    if people is None:
        return []
    cluster_codes = np.unique(counted.codes[0], return_inverse=True)[1]
    units = rated[cluster_codes] & np.isin(cells.codes, strata)
    rows, weight, cluster = people.rows(data.copies, counted.codes, units)
    if not len(rows):
        return []
    unit = people.unit[rows]
    stratum = cells.codes[unit]
    sizes = shares_by_cluster(counted)[1][:, :, k]
    # clusters count alike: a rating has the weight of 1 in those of its cluster and stratum
    weight = weight / sizes[cluster_codes[unit], stratum] / rated.sum()
    scores, shares = np.zeros((2, len(rows), len(data.levels)))
    for k_stratum, direction in zip(strata, (sign, -sign), strict=True):
        in_stratum = stratum == k_stratum
        share = weight[in_stratum] / weight[in_stratum].sum()
        values = people.counts[rows[in_stratum]]
        deviations = values - share @ values
        scores[in_stratum] = direction * weight[in_stratum, None] * deviations
        shares[in_stratum] = share[:, None]
    return [
        DrawnRaters(
            scores=scores,
            shares=shares,
            cluster=dense_codes(cluster)[0],
            rater=dense_codes(people.rater[rows])[0],
            second=np.asarray(stratum == strata[1]),
        )
    ]


def shares_by_cluster(counted: RatingsBySource) -> tuple[FloatArray, FloatArray]:
    """Shares by cluster, stratum and source, (clusters, strata, sources, levels), and numbers of ratings."""
    data = counted.data
    cells = counted.cells
    cluster_codes = np.unique(counted.codes[0], return_inverse=True)[1]
    shape = len(cells.labels), len(data.sources), len(data.levels)
    counts = np.zeros((int(cluster_codes.max()) + 1, *shape))
    np.add.at(counts, (cluster_codes, cells.codes), data.counts * data.copies[:, None, None])
    sizes = counts.sum(axis=3)
    with np.errstate(invalid="ignore", divide="ignore"):
        return counts / sizes[..., None], sizes


def rows_of_mean_changes(
    counted: RatingsBySource,
    base: Row,
    values: FloatArray,
    reach: float,
    drawn: Sequence[DrawnRaters],
) -> tuple[list[Row], Row]:
    """Rows of the mean changes of the levels, from (clusters, levels) changes, and the row of any change.

    `reach` is the largest size that a change can have: 1, or 2 for a difference of changes. Signs of clusters are
    flipped where raters are fixed; raters who are a sample have t and F tests, with clusters and raters as factors.
    """
    settings = counted.settings
    levels = counted.data.levels
    joint = replace(base, term=counted.terms_of_tests()[0], role="test", test="f")
    undefined: dict[str, Any] = {}
    if not len(values):
        undefined = {"undefined": "no cluster has ratings in both strata", "reason": "no_data"}
    if any(group.raters < 2 for group in drawn):
        undefined = {"undefined": ONE_PERSON, "reason": "unidentified"}
    if undefined:
        rows = [row_of_level(base, level, role="difference", **undefined) for level in levels]
        return rows, replace(joint, **undefined)
    rows = []
    # clusters count alike, however many ratings they hold
    ones = np.ones(len(values))
    for j, level in enumerate(levels):
        raters = [group.column(j) for group in drawn]
        mean = clustered_mean(values[:, j], ones, magnitude=1.0, drawn=raters)
        row = row_of_level(base, level, role="difference", estimate=mean.mean)
        row = replace(row, method=BY_RATER if drawn else TESTED)
        row = with_mean(row, mean, settings["level"], within=(-reach, reach))
        if not drawn:
            row = replace(row, p_value=None, test=None)
            if not row.undefined:
                # rounded: equal changes that differ in the last bits are tied
                with suppress(UndefinedStatistic):
                    test = sign_flip_test(
                        np.round(values[:, j], 12), flips=FLIPS, seed=settings["seed"]
                    )
                    row = replace(row, p_value=float(test.p_value[0]), test="sign_flip")
        rows.append(row)
    if drawn:
        wald = robust_wald(values, ones, [np.arange(len(values))], drawn)
        return rows, fill_f_test(joint, wald)
    # changes of all levels sum to 0: one of them says nothing more
    t_squared = hotelling(values[:, :-1])
    if t_squared.undefined:
        return rows, replace(joint, undefined=t_squared.undefined, reason=t_squared.reason)
    joint = replace(joint, statistic=t_squared.statistic, df=float(t_squared.df), method=JOINT)
    return rows, replace(joint, p_value=t_squared.p_value)


def change_sample(ratings: PlainRatings, row: Row) -> PlainSample:
    """Return the change of a share of each cluster from the base; of two sources its difference."""
    changes = changes_by_cluster(ratings, row, row.term)
    sample = sample_of_mean((row.group, row.term), changes, np.ones(len(changes)))
    note = "people are a sample within two strata" if of_people(ratings, row).any() else ""
    return replace(sample, unbiased=True, yes_or_no=False, no_errors=note)


def parts_of_change(ratings: PlainRatings, row: Row) -> Iterator[tuple[int, BoolArray]]:
    """Yield the ratings of each share that a change is made from, with the sign of the share."""
    names = [name for name in (row.label("source"), row.label("reference")) if name is not None]
    for name, sign in zip(names, (1, -1), strict=False):
        yield sign, ratings.inside(name, row.label("stratum"))
        yield -sign, ratings.inside(name, row.label("base"))


def changes_by_cluster(ratings: PlainRatings, row: Row, level: str) -> FloatArray:
    """Return the change of the share of a level in each cluster, NaN where a share has no rating."""
    (cluster,) = ratings.clusters
    changes = np.zeros(int(cluster.codes.max()) + 1)
    for sign, inside in parts_of_change(ratings, row):
        size = np.bincount(cluster.codes[inside], minlength=len(changes))
        hits = np.bincount(cluster.codes[inside], ratings.hits(level)[inside], len(changes))
        changes += sign * np.where(size > 0, hits / np.maximum(size, 1), np.nan)
    return changes


def of_people(ratings: PlainRatings, row: Row) -> BoolArray:
    """Return which ratings of a change are of people who are a sample."""
    inside = np.zeros(len(ratings.unit), dtype=bool)
    for _, part in parts_of_change(ratings, row):
        inside |= part
    return ratings.person & inside


def ask_for_hotelling(ratings: PlainRatings, row: Row) -> Iterator[PeerNumbers]:
    """Hotelling's test of statsmodels, of the changes of all levels but one, as they sum to 0."""
    counts_refusals = bool(ratings.shares[:, -1].any())
    levels = ratings.levels if counts_refusals else ratings.levels[:-1]
    changes = np.column_stack([changes_by_cluster(ratings, row, level) for level in levels])
    changes = changes[~np.isnan(changes).any(axis=1)]
    # with as many clusters as means there is no test, and statsmodels divides by 0
    if len(changes) > changes.shape[1]:
        theirs = load_peer("statsmodels.stats.multivariate", "test_mvmean")(changes)
        numbers = {"statistic": float(theirs.t2), "p_value": float(theirs.pvalue)}
        yield PeerNumbers(package="statsmodels", row=(row.group, row.term), numbers=numbers)
