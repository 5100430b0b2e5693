"""Dependence that nobody declared: what each unused column that repeats would do to standard errors.

A column whose labels repeat may be a cluster: a judge, a prompt, a topic. Its effect is measured by the scores of rows.
Let u_i be the score of row i, and S_g the sum of the scores of cluster g. A cluster-robust variance adds up
T = sum of S_g'S_g, and that of independent rows E = sum of u_i'u_i. The ratio of standard errors is the root of
T / E times G / (G - 1) for G clusters, as in the errors that a declared cluster gives. Intervals are longer still, as
t has G - 1 degrees of freedom.

If rows are independent, T has mean E. Let M_g be the sum of u_i u_i' in cluster g. The variance of T is then
2 sum over g of (trace of M_g M_g - sum of (u_i'u_i)^2). A multiple of a chi-square with these two moments gives the
p-value of a variance component of the clusters (Satterthwaite 1946, doi:10.2307/3002019).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from scipy.special import chdtrc, ndtri, stdtrit

from socialstats.arrays import FloatArray, IntArray, scale_free
from socialstats.designs.aliases import Texts, TextSet
from socialstats.designs.cells import joint_codes
from socialstats.designs.options import ReadingOptions, texts
from socialstats.designs.parts import A_WON, TIED, Factor
from socialstats.designs.schema import Roles
from socialstats.designs.suspects import cluster_suspects
from socialstats.designs.vocabulary import (
    CLUSTER_NAME,
    CLUSTERS,
    COVARIATES,
    MODELS,
    ORDER_NAME,
    RATERS,
    REPEATS,
    UNITS,
    VALUES,
)
from socialstats.designs.winners import SIDE_CODES, says_tie, scheme_of
from socialstats.errors import Caution, SocialStatsError, caution
from socialstats.tables import Table
from socialstats.text import count, listing, shorten
from socialstats.voice import option

if TYPE_CHECKING:
    from socialstats.designs.column_profile import ColumnProfile
    from socialstats.designs.comparisons_data import ComparisonsData
    from socialstats.designs.groups_data import GroupsData
    from socialstats.designs.paired_data import PairedData
    from socialstats.designs.profile import TableProfile
    from socialstats.designs.ratings_data import RatingsData

# labels of a cluster
FEWEST = 3
# share of rows, or labels, that tells outcomes
ALWAYS = 0.95
# share of rows that have a label; the others are left out
FILLED = 0.8
# rows of a table with fewer say nothing on dependence; names are all there is
FEWEST_ROWS = 20
# columns that are tried
MOST_COLUMNS = 5
# rows of a table in which they are tried: each takes one more reading
MOST_ROWS = 300_000
# items or raters whose scores are added up
MOST_SCORES = 60
# rows a pair of items below which a win is compared with the items' win rates
THIN = 3.0
# a variance that is less of that of independent rows is zero
CENTRED = 1e-6
# for the tests of all columns and families together (weighted Holm)
LEVEL = 0.02
# the same for columns that are called like clusters: three or four labels give a test little power
NAMED_LEVEL = 0.1
Scores = Mapping[str, FloatArray]
D = TypeVar("D", "ComparisonsData", "GroupsData", "PairedData", "RatingsData")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependence:
    """What one column would do to the standard errors of one family of estimates.

    Attributes
    ----------
    column, family : str
    labels : int
    ratio : float
        Standard errors with the column as a cluster, beside those with the declared clusters.
    longer : float
        Intervals at 95% likewise.
    p_value : float
        Of no variance between the labels of the column.
    """

    column: str
    family: str
    labels: int
    ratio: float
    longer: float
    p_value: float

    @property
    def level(self) -> float:
        """The level of its test: a column that is called like a cluster is rather one."""
        return NAMED_LEVEL if CLUSTER_NAME.search(self.column) else LEVEL


def component(scores: FloatArray, codes: IntArray, n: FloatArray) -> tuple[float, float, float]:
    """Return T, E and the p-value of a variance component of clusters.

    Parameters
    ----------
    scores : (rows, k) float64 array
    codes : (rows,) int64 array
        Cluster of each row.
    n : (rows,) float64 array
        Rows that are alike.

    Examples
    --------
    >>> one = np.array([[1.0], [-1.0], [1.0], [-1.0]])
    >>> [round(x, 2) for x in component(one, np.array([0, 1, 0, 1]), np.ones(4))]
    [8.0, 4.0, 0.09]
    """
    weighted = scores * n[:, None]
    sums = np.zeros((int(codes.max(initial=-1)) + 1, scores.shape[1]))
    np.add.at(sums, codes, weighted)
    squares = (scores**2).sum(axis=1)
    observed = float((sums**2).sum())
    expected = float((n * squares).sum())
    products = 0.0
    order = np.argsort(codes, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(codes[order])) + 1):
        gram = scores[rows].T @ weighted[rows]
        products += float((gram**2).sum())
    variance = 2 * (products - float((n * squares**2).sum()))
    if expected <= 0 or variance <= 0:
        return observed, expected, 1.0
    df = 2 * expected**2 / variance
    return observed, expected, float(chdtrc(df, df * observed / expected))


def dependence(
    column: Factor, declared: tuple[Factor, ...], scores: Scores, n: FloatArray
) -> Iterator[Dependence]:
    """Yield what a column would do to each family, beyond the dependence that is declared."""
    for family, raw in scores.items():
        # the ratio and p do not depend on a factor, and fourth powers leave the range of floats
        u = scale_free(raw)
        codes = column.codes
        weights = n
        with_column, base, p_value = component(u, codes, weights)
        with_column *= small_sample_factor(clusters := len(np.unique(codes)))
        fewest = math.inf
        for factor in declared:
            pair_codes = joint_codes([codes, factor.codes])
            sums = np.zeros((int(pair_codes.max(initial=-1)) + 1, u.shape[1]))
            np.add.at(sums, pair_codes, u * n[:, None])
            sums_of_pairs = np.zeros(len(sums), dtype=np.int64)
            sums_of_pairs[pair_codes] = codes
            *_, beyond = component(sums, sums_of_pairs, np.ones(len(sums)))
            p_value = max(p_value, beyond)
            base = max(
                base, component(u, factor.codes, n)[0] * small_sample_factor(len(factor.levels))
            )
            fewest = min(fewest, len(factor.levels))
        # else each label holds rows that were compared with their own mean
        if with_column > CENTRED * base > 0:
            ratio = float(np.sqrt(with_column / base))
            longer = ratio * reach(min(clusters, fewest)) / reach(fewest)
            yield Dependence(
                column=column.name,
                family=family,
                labels=len(column.levels),
                ratio=ratio,
                longer=longer,
                p_value=p_value,
            )


def small_sample_factor(clusters: int) -> float:
    """Return by what a variance of few clusters is enlarged."""
    return clusters / max(clusters - 1, 1)


def reach(clusters: float) -> float:
    """Return the two-sided critical value at 95% of t for some clusters, of the normal for very many."""
    return float(ndtri(0.975) if clusters == math.inf else stdtrit(max(clusters - 1, 1), 0.975))


def of_comparisons(design: ComparisonsData) -> Scores:
    """Return the scores of strengths, and of the order effect and ties where there are any.

    A win is compared with the share of wins of its pair; where pairs are thin, with the items' win rates.
    """
    k = len(design.items)
    n = design.count
    low = np.minimum(design.item_a, design.item_b)
    high = np.maximum(design.item_a, design.item_b)
    won = np.where(
        design.outcome == TIED,
        0.5,
        ((design.outcome == A_WON) == (design.item_a == low)).astype(float),
    )
    pair = design.pair.codes
    met = np.bincount(pair, weights=n)
    share = np.bincount(pair, weights=n * won) / met
    if n.sum() / len(met) < THIN:
        wins = np.bincount(low, n * won, k) + np.bincount(high, n * (1 - won), k)
        rate = wins / np.maximum(np.bincount(low, n, k) + np.bincount(high, n, k), 1.0)
        residual = won - np.clip(0.5 + rate[low] - rate[high], 0, 1)
    else:
        residual = (won - share[pair]) * np.sqrt(met / np.maximum(met - 1, 1))[pair]
    scores: dict[str, FloatArray] = {}
    if k <= MOST_SCORES:
        items = np.zeros((len(n), k))
        np.add.at(items, (np.arange(len(n)), low), residual)
        np.add.at(items, (np.arange(len(n)), high), -residual)
        scores["strengths"] = items
    if design.order_known:
        scores["the order effect"] = (
            residual * design.first * np.where(design.item_a == low, 1, -1)
        )[:, None]
    tied = (design.outcome == TIED).astype(float)
    if 0 < tied @ n < n.sum():
        scores["ties"] = (tied - float(tied @ n / n.sum()))[:, None]
    return scores


def of_pairs(design: PairedData) -> Scores:
    """Return the scores of the difference; of nominal values those of each level."""
    if design.scale != "nominal":
        change = design.difference[:, None]
    else:
        levels = np.arange(len(design.levels))
        change = (design.first[:, None] == levels).astype(float) - (
            design.second[:, None] == levels
        )
    centre = (design.count @ change) / design.count.sum()
    return {"the difference": change - centre}


def group_scores(design: GroupsData) -> Scores:
    """Return the scores of the difference of two groups; of levels without numbers those of each level's shares."""
    levels = np.arange(len(design.levels))
    labelled = design.levels and design.scale != "binary"
    x = (design.value[:, None] == levels).astype(float) if labelled else design.value[:, None]
    n = np.bincount(design.group, design.count, 2)
    centre = np.stack([design.count * (design.group == side) @ x / n[side] for side in (0, 1)])
    return {
        "the difference": (x - centre[design.group])
        * np.array([1.0, -1.0])[design.group][:, None]
        / n[design.group][:, None]
    }


def of_ratings(design: RatingsData) -> Scores:
    """Return the scores of the means of units and of differences between raters; of labels those of their shares."""
    values = design.matrix()
    n = design.unit_count
    there = ~np.isnan(values)
    if not design.numeric and len(design.levels) > 2:
        counts = design.level_counts()
        share = (n @ counts) / max((n @ counts).sum(), 1.0)
        return {"shares": counts - counts.sum(axis=1, keepdims=True) * share}
    scores = np.append(design.scores, np.nan)[
        np.where(there, values, len(design.scores)).astype(np.int64)
    ]
    weights = n[:, None] * there
    centre = np.where(there, scores, 0.0).T @ n / np.maximum(weights.sum(axis=0), 1.0)
    apart = np.where(there, scores - centre, 0.0)
    raters = np.maximum(there.sum(axis=1, keepdims=True), 1)
    scores_by = {"means": apart.sum(axis=1, keepdims=True) / raters}
    if 1 < len(design.raters) <= MOST_SCORES:
        scores_by["differences"] = np.where(
            there, apart - apart.sum(axis=1, keepdims=True) / raters, 0.0
        )
    return scores_by


NAMING = (*UNITS, *RATERS, *MODELS, *CLUSTERS, "user", "session", "group", "block", "batch")


def profile_of(table: Table) -> TableProfile:
    """Return the profile of a table; its module loads where columns are tried."""
    from socialstats.designs.profile import TableProfile

    return TableProfile(table)


def candidates(
    table: Table, used: TextSet, units: float, outcomes: Callable[[Table, ColumnProfile], bool]
) -> list[str]:
    """Return the unused columns that may hold clusters: labels that repeat, and that no answer or measurement makes."""
    if not is_tried(table):
        return []
    profile = profile_of(table)
    names = []
    for name in table.columns:
        column = profile.column(name) if name not in used else None
        if (
            column is None
            or not FEWEST <= column.size <= units / 2
            or column.filled < FILLED * column.rows
        ):
            continue
        if column.timing or column.called(COVARIATES, VALUES) or ORDER_NAME.search(name):
            continue
        named = column.called(NAMING) or column.numbering
        listed = column.text or (column.whole and (named or column.is_enumeration))
        if listed and ((named and not column.text) or not outcomes(table, column)):
            names.append(name)
        if len(names) == MOST_COLUMNS:
            break
    return names


def holds_outcomes(items: Texts, values: Texts, table: Table, column: ColumnProfile) -> bool:
    """Return whether a column holds outcomes, such as those of another game or question.

    Its labels are sides, in each row one of the two items, or labels of the values that the design reads. Judges may be
    called like items: they hold no outcomes where they judge others.

    Parameters
    ----------
    items, values : sequence of str
        Columns of the two items, if there are any, and of outcomes that the design reads.
    table : Table
    column : Column
    """
    decided = frozenset(label for label in column.labels if not says_tie(label))
    sides = frozenset[str]()
    if items:
        cells = table.counts([column.name, *items])
        effect, *two = (
            cells.columns[name].labels().mapped(str, "", object) for name in (column.name, *items)
        )
        says = np.isin(effect, [*decided])
        inside = np.any([effect == item for item in two], axis=0)
        if (
            scheme_of(decided, SIDE_CODES)
            or cells.n[says & inside].sum() >= ALWAYS * cells.n[says].sum()
        ):
            return True
        sides = frozenset(chain.from_iterable(two))
    factors = (
        frozenset(chain.from_iterable(table.levels(name) for name in values if table.has(name)))
        - sides
    )
    return len(decided & factors) >= ALWAYS * len(decided)


def is_tried(table: Table) -> bool:
    """Return whether unused columns are tried as clusters: in tables in memory of usual size."""
    return not table.lazy and FEWEST_ROWS <= table.height <= MOST_ROWS


def undeclared(
    table: Table,
    used: TextSet,
    units: float,
    outcomes: Callable[[Table, ColumnProfile], bool],
    again: Callable[[str], Any],
    scores_of: Callable[[Any], Scores],
) -> list[Caution]:
    """Return what each unused column that repeats would do: a caution where it is significant (SS311), else a note.

    Parameters
    ----------
    table : Table
    used : collection of str
        Columns that play a part.
    units : float
        Comparisons, pairs or units that are taken as independent.
    outcomes : function of a table and a column
        Whether the column holds outcomes, which are no clusters.
    again : function of a column
        Reads the table with the column as a further cluster.
    scores_of : function of a design
        Scores of its rows (comparisons and pairs: cells; ratings: units), by family.
    """
    effects: list[Dependence] = []
    for name in candidates(table, used, units, outcomes):
        try:
            read = again(name)
            read = read.whole() if getattr(read, "scan", None) is not None else read
        except SocialStatsError:
            # a unit lies in several of its labels, say
            continue
        column = next(factor for factor in read.clusters if factor.name == name)
        declared = tuple(factor for factor in read.clusters if factor is not column)
        effects += dependence(column, declared, scores_of(read), read.count)
    return undeclared_cautions(effects)


def with_dependence(
    design: D,
    table: Table,
    roles: Roles,
    options: ReadingOptions,
    units: float,
    scores_of: Callable[[D], Scores],
    again: Callable[[Any, Any], D] | None,
    *,
    used: TextSet = (),
    **suspects: Any,
) -> D:
    """Return a design with the cautions on columns that were not declared and may be clusters.

    Parameters
    ----------
    design : Comparisons, Groups, Paired or Ratings
    table : Table
    roles : Roles
    options : Reading
    units : float
        What is taken as independent.
    scores_of : function of a design
    again : function of roles and options, or None
        Reads the table with one more cluster; None where columns are not tried.
    used : collection of str
        Further columns that play a part.
    **suspects
        As `cluster_suspects`, which names columns of tables in which none is tried.
    """
    values = [*roles.of("value", "score"), *used]
    used = [*roles.columns(), *used]

    def wider(name: str) -> D:
        names = (*roles.of("cluster"), name)
        changed = replace(
            options, cluster=(*texts(options.cluster), name), missing="drop", try_clusters=False
        )
        return again(roles.replaced(cluster=names), changed) if again is not None else design

    notes: list[Caution] = []
    if not is_tried(table):
        notes = cluster_suspects(table, used, int(units), **suspects)
    elif options.try_clusters and again is not None:
        notes = undeclared(
            table, used, units, partial(holds_outcomes, roles.of("item"), values), wider, scores_of
        )
    if options.try_clusters:
        notes = [*notes, *averaged_sample(table, roles, options, scores_of, again)]
    done: D = replace(design, cautions=(*design.cautions, *notes))
    return done


def averaged_sample(
    table: Table,
    roles: Roles,
    options: ReadingOptions,
    scores_of: Callable[[Any], Scores],
    again: Callable[[Any, Any], Any] | None,
) -> list[Caution]:
    """Return the caution that a mean over persons, items or raters leaves out how much these differ.

    The table is read again with each answer as a unit, and with the units and who answered as crossed clusters.
    """
    unit, repeat = roles.of("unit"), roles.of("repeat")
    if again is None or len(unit) != 1 or len(repeat) != 1 or not is_tried(table):
        return []
    column = profile_of(table).column(repeat[0])
    if column is None or column.size < FEWEST or column.called(REPEATS):
        return []
    clusters = tuple(roles.of("cluster") or unit)
    if len(clusters) > 1:
        return []
    joint_unit, crossed = (*unit, *repeat), (*clusters, *repeat)
    changed = replace(options, cluster=crossed, repeat=None, missing="drop", try_clusters=False)
    try:
        read = again(roles.replaced(unit=joint_unit, repeat=(), cluster=crossed), changed)
    except SocialStatsError:
        # several answers of one person to a unit, say
        return []
    sample, *declared = sorted(read.clusters, key=lambda factor: factor.name != column.name)
    effects = [*dependence(sample, tuple(declared), scores_of(read), read.count)]
    clear = [effect for effect in effects if effect.p_value <= effect.level and effect.ratio > 1]
    if not clear:
        return []
    typed = f"--map unit={','.join(joint_unit)} " + " ".join(
        f"--cluster {name}" for name in crossed
    )
    ways = [option("unit", [*joint_unit], typed)]
    if not ways[0].endswith(typed):
        ways.append(option("cluster", [*crossed]))
    source = roles["rater"]
    if source:
        # several models on one board have one cluster factor
        condition = option("condition", source, f"--map condition={source}")
        ways = [f"Compare two labels of '{source}' as pairs, with {condition}", *ways]
    return [
        caution(
            "SS311",
            f"answers are averaged over {effects_text([column.name], clear)}",
            affects="standard errors, intervals, p-values",
            fix=" and ".join(ways),
        )
    ]


def undeclared_cautions(effects: Sequence[Dependence]) -> list[Caution]:
    """Return the caution and the note on columns that were not declared."""
    ordered = sorted(effects, key=lambda effect: effect.p_value / effect.level)
    clear: list[Dependence] = []
    for k, effect in enumerate(ordered):
        if effect.p_value * (len(ordered) - k) > effect.level or effect.ratio <= 1:
            break
        clear.append(effect)
    names = list(dict.fromkeys(effect.column for effect in clear))
    remaining = list(
        dict.fromkeys(effect.column for effect in effects if effect.column not in names)
    )
    cautions = []
    if names:
        typed = " ".join(f"--cluster {shorten(name)}" for name in names)
        fix = option("cluster", names if len(names) > 1 else names[0], typed)
        affects = "standard errors, intervals, p-values"
        cautions.append(caution("SS311", effects_text(names, effects), affects=affects, fix=fix))
    if remaining:
        cautions.append(
            caution("SS344", effects_text(remaining, effects), affects="none of the numbers")
        )
    return cautions


def effects_text(columns: Texts, effects: Sequence[Dependence]) -> str:
    """Return by how much each column would change the standard errors of each family."""
    return "; ".join(
        _effect_words([effect for effect in effects if effect.column == column])
        for column in columns
    )


def _effect_words(effects: Sequence[Dependence]) -> str:
    ratios = listing([f"{effect.ratio:.2f} ({effect.family})" for effect in effects])
    wider = max(effects, key=lambda effect: effect.longer)
    intervals = (
        f", and intervals up to {wider.longer:.1f} times as long"
        if wider.longer > 1.05 * wider.ratio
        else ""
    )
    return (
        f"'{shorten(wider.column)}' ({count(wider.labels, 'value')}; with it as a cluster, standard errors are "
        f"{ratios} times as large{intervals})"
    )
