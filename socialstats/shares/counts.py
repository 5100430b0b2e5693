"""Shares of levels, by source."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray, unique_rows
from socialstats.designs.cells import kish, mass
from socialstats.designs.parts import OK, REFUSAL, Factor
from socialstats.designs.ratings import Ratings
from socialstats.designs.ratings_data import REFUSALS, REFUSED
from socialstats.errors import Caution, InputError, NothingToAnalyse, caution
from socialstats.inference.dependence import cluster_facts, cluster_text
from socialstats.inference.intervals import checked_level
from socialstats.inference.means import DrawnRaters
from socialstats.inference.proportions import clustered_share, wilson
from socialstats.inference.rows import with_ends, with_share
from socialstats.resampling import PlanUnits, bootstrap_sums, choose, jackknife_sums
from socialstats.resampling.engine import Finish
from socialstats.results import Row
from socialstats.text import count, number, quoted, shorten
from socialstats.voice import check_allowed, option

Scale = Literal["arithmetic", "geometric"]


def group_shares(strengths: FloatArray, groups: IntArray, scale: Scale) -> FloatArray:
    """Share of each group: its mean worth over the sum of the groups' mean worths.

    Parameters
    ----------
    strengths : (B, items) float64 array
        Log-strengths; adding a constant to a row changes nothing.
    groups : (items,) int64 array
        Codes from 0 without gaps.
    scale : {"arithmetic", "geometric"}
        Mean of exp(strength), or exp of the mean strength.

    Returns
    -------
    (B, groups) float64 array
        Rows sum to 1.

    Examples
    --------
    >>> group_shares(np.log([[1.0, 3.0, 6.0]]), np.array([0, 0, 1]), "arithmetic").round(3).tolist()
    [[0.25, 0.75]]
    """
    # (items, groups): 1 where the item belongs to the group
    member = np.equal.outer(groups, np.arange(int(groups.max()) + 1)).astype(np.float64)
    sizes = member.sum(axis=0)
    # the largest worth is 1, so that no exponential overflows
    top = strengths.max(axis=1, keepdims=True)
    if scale == "geometric":
        means = (strengths - top) @ member / sizes
        worth = np.exp(means - means.max(axis=1, keepdims=True))
    else:
        worth = np.exp(strengths - top) @ member / sizes
    share: FloatArray = worth / worth.sum(axis=1, keepdims=True)
    return share


def share_gradient(strengths: FloatArray, groups: IntArray, scale: Scale) -> FloatArray:
    """Derivative of each share by each log-strength: dP_g/dl_i = (1[i in g] - P_g) P_{g(i)} s_i.

    s_i is item i's share of its group's mean: worth_i over the group's total (arithmetic), 1 over the group's
    size (geometric).

    Returns
    -------
    (groups, items) float64 array
    """
    share = group_shares(strengths[None, :], groups, scale)[0]
    portion = (
        group_portions(strengths, groups)
        if scale == "arithmetic"
        else (1 / np.bincount(groups))[groups]
    )
    # (groups, items): 1[i in g]
    inside = np.equal.outer(np.arange(len(share)), groups).astype(np.float64)
    gradient: FloatArray = (inside - share[:, None]) * (share[groups] * portion)[None, :]
    return gradient


def group_portions(strengths: FloatArray, groups: IntArray) -> FloatArray:
    """Each item's portion of the total worth of its group: (items,), sums to 1 in a group."""
    worth = np.exp(strengths - strengths.max())
    portion: FloatArray = worth / np.bincount(groups, worth)[groups]
    return portion


RESAMPLED = ("percentile", "basic", "bca")
NO_RESAMPLES = "resamples of units and raters need people alone, and percentile or basic ends"
ONE_PERSON = "a single person rated here, who is no sample of people"
METHODS = {
    "wilson": "Wilson",
    "percentile": "bootstrap, percentile",
    "basic": "bootstrap, basic",
    "bca": "bootstrap, BCa",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ShareCells:
    """Values of units, as cells.

    Attributes
    ----------
    values : (cells,) float64 array
        Between 0 and 1.
    count : (cells,) float64 array
        Units in the cell.
    clusters : tuple of (cells,) int64 arrays
        None, one or two cluster factors.
    trials : float
        Yes-or-no answers behind the values; an interval never counts more.
    drawn : tuple of DrawnRaters
        Groups of raters who are samples too.
    weight : (cells,) float64 array, or None
        Sampling weight of each unit of a cell.
    """

    values: FloatArray
    count: FloatArray
    clusters: tuple[IntArray, ...] = ()
    trials: float = math.inf
    drawn: tuple[DrawnRaters, ...] = ()
    weight: FloatArray | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalOptions:
    """How the interval is made: ``"wilson"`` or a bootstrap of `RESAMPLED`."""

    ci: str
    level: float
    resamples: int
    seed: int


def interval_options(
    ci: str, level: float, resamples: int, seed: int, allowed: Sequence[str]
) -> IntervalOptions:
    """Return how the interval is made, its options checked; ``"auto"`` is Wilson's."""
    check_allowed("ci", ci, allowed)
    return IntervalOptions(
        ci="wilson" if ci == "auto" else ci,
        level=checked_level(level),
        resamples=resamples,
        seed=seed,
    )


def shares_header(
    how: IntervalOptions, factors: Sequence[Factor], rows: Sequence[Row], **fit: Any
) -> dict[str, Any]:
    """Return what the head of a result of shares of units says of its intervals: `inference` and `fit`."""
    kind = "Wilson" if how.ci == "wilson" else f"bootstrap ({how.ci})"
    resampling = {"seed": how.seed, "resamples": how.resamples} if how.ci in RESAMPLED else {}
    facts = cluster_facts(rows) if factors else {}
    inference = f"{kind} intervals; {cluster_text(factors, 'units')}"
    return {"inference": inference, "fit": {**fit, "method": how.ci, **facts, **resampling}}


def share_row(row: Row, data: ShareCells, how: IntervalOptions) -> Row:
    """Fill a row with the mean of the values, its standard error and interval.

    Wilson's interval of independent yes-or-no values takes n units, with s.e. sqrt(p (1 - p) / n). Else s.e. and
    interval are those of `clustered_share`, which counts at most `trials` answers. Where this cap binds, `method` says
    so, and the s.e. stays that of the values.

    Parameters
    ----------
    row : Row
        With term and group.
    data : Shares
        At least one unit.
    how : How

    Returns
    -------
    Row
    """
    mean = clustered_share(
        data.values,
        mass(data.count, data.weight),
        data.clusters,
        trials=data.trials,
        level=how.level,
        alike=data.count,
        drawn=data.drawn,
        sampled=data.weight is not None,
    )
    n, p, clustered = float(data.count.sum()), mean.estimate, bool(data.clusters)
    row = replace(
        row,
        estimate=p,
        n=n,
        n_units=int(n),
        n_clusters=mean.clusters if clustered else None,
        method=METHODS[how.ci],
        leverage=mean.largest if clustered else None,
        limits=(0.0, 1.0),
    )
    if any(group.raters < 2 for group in data.drawn):
        return replace(row, undefined=ONE_PERSON, reason="unidentified")
    if mean.undefined:
        return replace(row, undefined=mean.undefined)
    plain = is_plain(data)
    # sqrt(p (1 - p) / n) is 0 where all values are equal: there is then no error
    error = math.sqrt(p * (1 - p) / n) or None if plain else mean.std_error
    row = replace(row, std_error=error)
    if how.ci in RESAMPLED and data.drawn:
        low, high, why = ratio_interval_with_raters(data, how)
        return with_ends(row, low, high, how.level, why=why)
    if how.ci in RESAMPLED:
        low, high, why = ratio_interval(
            data.values * data.count, data.count, data.count, data.clusters, how
        )
        return with_ends(row, low, high, how.level, why=why)
    if plain:
        low, high = (float(end[0]) for end in wilson(np.array([p]), np.array([n]), level=how.level))
        return with_ends(row, low, high, how.level)
    # the number of answers that this error stands for is more than there are
    if error is not None and p * (1 - p) / error**2 > data.trials * (1 + 1e-9):
        capped = f"n at most {number(data.trials, 0)} answers (s.e. without this cap)"
        row = replace(row, method=f"{METHODS[how.ci]}, {capped}")
    return with_share(
        row, mean, how.level, clustered=clustered or bool(data.drawn) or data.weight is not None
    )


def is_plain(data: ShareCells) -> bool:
    """Return whether the values are independent and all yes or no."""
    plain = not data.clusters and not data.drawn and data.weight is None
    return plain and bool(np.all((data.values == 0) | (data.values == 1)))


def ratio_interval(
    numerator: FloatArray,
    denominator: FloatArray,
    count: FloatArray,
    clusters: Sequence[IntArray],
    how: IntervalOptions,
) -> tuple[float, float, str]:
    """Bootstrap interval of a ratio of sums over units or clusters, or why there is none.

    Parameters
    ----------
    numerator, denominator : (cells,) float64 arrays
        Sums over the units of a cell.
    count : (cells,) float64 array
        Units.
    clusters : sequence of (cells,) int64 arrays
    how : How
    """
    table = np.column_stack([numerator, denominator])
    units = PlanUnits.clusters(*clusters) if clusters else PlanUnits.rows(count)
    boot = bootstrap_sums(table, mean_of_sums, units, resamples=how.resamples, seed=how.seed)
    jack = (
        jackknife_sums(table, mean_of_sums, units)
        if how.ci == "bca" and len(clusters) < 2
        else None
    )
    interval = choose(how.ci, boot, level=how.level, jack=jack)
    return float(interval.low[0]), float(interval.high[0]), interval.undefined[0]


def ratio_interval_with_raters(data: ShareCells, how: IntervalOptions) -> tuple[float, float, str]:
    """Bootstrap interval of a share over units (clusters) and raters, or why there is none."""
    if how.ci == "bca" or len(data.drawn) != 1 or not data.drawn[0].alone:
        return math.nan, math.nan, NO_RESAMPLES
    group = data.drawn[0]
    weight = group.shares[:, 0]
    share = float(np.average(data.values, weights=data.count))
    # influences of ratings around the share, turned back into hits: the ratio of sums is the share
    hits = group.scores[:, 0] + weight * share
    return ratio_interval(hits, weight, np.ones(len(weight)), (group.cluster, group.rater), how)


def mean_of_sums(sums: FloatArray) -> FloatArray:
    """(resamples, 2) sums of values and of units -> (resamples, 1) means."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return sums[:, :1] / sums[:, 1:]


def merge_cells(
    values: FloatArray, count: FloatArray, clusters: Sequence[IntArray], trials: float
) -> ShareCells:
    """Merge cells of one value in one cluster."""
    keys = np.column_stack([*clusters, values])
    distinct, _, cell = unique_rows(keys)
    totals = np.bincount(cell, weights=count, minlength=len(distinct)).astype(np.float64)
    codes = tuple(distinct[:, j].astype(np.int64) for j in range(len(clusters)))
    return ShareCells(
        values=distinct[:, -1].astype(np.float64), count=totals, clusters=codes, trials=trials
    )


EACH_RATER = "rater"
USUAL = "source"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RaterCounts:
    """Ratings of the people of one source who are a sample.

    Attributes
    ----------
    unit, rater : (ratings,) int64 arrays
    counts : (ratings, levels) float64 array
    """

    unit: IntArray
    rater: IntArray
    counts: FloatArray

    def rows(
        self,
        copies: FloatArray,
        codes: Sequence[IntArray],
        among: BoolArray,
        sampling_weight: FloatArray | None = None,
    ) -> tuple[IntArray, FloatArray, IntArray]:
        """Return the ratings of some units, what each counts, and its cluster; alike units apart where units are.

        Parameters
        ----------
        copies : (units,) float64 array
        codes : none or one (units,) int64 array
        among : (units,) bool array
        sampling_weight : (units,) float64 array, optional
            Sampling weights.
        """
        rows = np.flatnonzero(among[self.unit])
        unit = self.unit[rows]
        if codes:
            return (
                rows,
                copies[unit] * (1.0 if sampling_weight is None else sampling_weight[unit]),
                codes[0][unit],
            )
        n_alike = copies[unit].astype(np.int64)
        # the alike units of a row are numbered from 0: each is a cluster
        copy = np.arange(n_alike.sum()) - np.repeat(np.cumsum(n_alike) - n_alike, n_alike)
        unit = np.repeat(unit, n_alike)
        weight = np.ones(len(unit)) if sampling_weight is None else sampling_weight[unit]
        return np.repeat(rows, n_alike), weight, unit + copy * len(copies)

    def drawn(
        self,
        copies: FloatArray,
        codes: Sequence[IntArray],
        among: BoolArray,
        *,
        total: float,
        sign: float = 1.0,
        sampling_weight: FloatArray | None = None,
    ) -> list[DrawnRaters]:
        """Return what these people add to the shares of all levels in some units, of `total` ratings of the source."""
        rows, weight, cluster = self.rows(copies, codes, among, sampling_weight)
        if not len(rows):
            return []
        # more than these people's ratings: fixed raters are part of the source
        total_of_source = total if total > weight.sum() * (1 + 1e-9) else None
        return [
            DrawnRaters.of_means(
                self.counts[rows],
                weight,
                cluster,
                self.rater[rows],
                total=total_of_source,
                sign=sign,
            )
        ]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SourceCounts:
    """Ratings by unit, source and level.

    Attributes
    ----------
    name : str
        What the sources are called; empty where all raters are one source.
    sources, levels : tuple of str
    counts : (units, sources, levels) float64 array
    copies : (units,) float64 array
        Alike units.
    left_out : int
        Ratings of raters without a source.
    people : tuple of RaterCounts or None
        By source, the ratings of people who are a sample; none where raters are fixed.
    weight : (units,) float64 array, or None
        Sampling weights.
    """

    name: str
    sources: tuple[str, ...]
    levels: tuple[str, ...]
    counts: FloatArray
    copies: FloatArray
    left_out: int = 0
    people: tuple[RaterCounts | None, ...] = ()
    weight: FloatArray | None = None

    def drawn(
        self, k: int, codes: Sequence[IntArray], among: BoolArray, *, sign: float = 1.0
    ) -> list[DrawnRaters]:
        """Return what the people of a source, if they are a sample, add to its shares in some units."""
        people = self.people[k] if self.people else None
        if people is None:
            return []
        unit_mass = self.copies if self.weight is None else self.copies * self.weight
        total = float(unit_mass[among] @ self.n[among, k])
        return people.drawn(
            self.copies, codes, among, total=total, sign=sign, sampling_weight=self.weight
        )

    @property
    def n(self) -> FloatArray:
        """(units, sources) float64 array: ratings."""
        sizes: FloatArray = self.counts.sum(axis=2)
        return sizes

    def index(self, source: str, setting: str) -> int:
        """Return the place of a source, or raise InputError listing those there are."""
        if source not in self.sources:
            raise InputError(
                f"{option(setting, shorten(source))} is no {self.name or USUAL}; there are {quoted(self.sources, 10)}"
            )
        return self.sources.index(source)


def source_counts(
    design: Ratings,
    source: str | None,
    refusal: str,
    *,
    alone: bool = False,
    probable: bool = False,
    drawn: BoolArray | None = None,
) -> SourceCounts:
    """Count the ratings of each source.

    Parameters
    ----------
    design : Ratings
    source : str or None
        A declared group of raters, or ``"rater"``: each rater is a source. None: the only declared group, or the one
        called source; without any, each rater is a source (with `alone`, all raters are one).
    refusal : {"missing", "level"}
    alone : bool
    probable : bool
        Whether a reply counts for each level with its probability, where the design has them.
    drawn : (raters,) bool array, optional
        Raters who are a sample. A source of a single rater has none.

    Raises
    ------
    InputError
        For an unknown group or option, or several groups of which none is called source.
    NothingToAnalyse
        If there is no rating.
    """
    check_allowed("refusal", refusal, REFUSALS)
    factor = source_factor(design, source, alone)
    levels, value, is_rated = design.levels, design.value, design.status == OK
    if refusal == "level" and np.any(design.status == REFUSAL):
        refused = REFUSED if REFUSED not in levels else f"{REFUSED} "
        value = np.where(design.status == REFUSAL, len(levels), value)
        levels, is_rated = (*levels, refused), is_rated | (design.status == REFUSAL)
    code = factor.codes[design.rater]
    used = is_rated & (code >= 0)
    if not used.any():
        raise NothingToAnalyse(f"{design.source}: no rating has a value and a source")
    n_units, n_sources, n_levels = len(design.units), len(factor.levels), len(levels)
    cell = design.unit[used] * n_sources + code[used]
    probabilities = None  # (ratings, levels)
    if probable and design.probabilities is not None:
        probabilities = design.read_as(refusals=n_levels > len(design.levels))
        sums = [np.bincount(cell, p, n_units * n_sources) for p in probabilities[used].T]
        flat = np.asarray(np.stack(sums, axis=1), dtype=np.float64)
    else:
        cell = cell * n_levels + value[used]
        flat = np.bincount(cell, minlength=n_units * n_sources * n_levels).astype(np.float64)
    counts = flat.reshape(n_units, n_sources, n_levels)
    people: list[RaterCounts | None] = []
    for k in range(n_sources if drawn is not None and drawn.any() else 0):
        of_source = used & (code == k)
        rows = np.flatnonzero(of_source & np.asarray(drawn)[design.rater])
        # a single rater is no sample of raters
        if not len(rows) or len(np.unique(design.rater[of_source])) < 2:
            people.append(None)
            continue
        rating_counts = (
            np.eye(n_levels)[value[rows]] if probabilities is None else probabilities[rows]
        )
        people.append(
            RaterCounts(unit=design.unit[rows], rater=design.rater[rows], counts=rating_counts)
        )
    return SourceCounts(
        name=factor.name,
        sources=factor.levels,
        levels=levels,
        counts=counts,
        copies=design.unit_count,
        weight=design.unit_weight,
        left_out=int((is_rated & (code < 0)).sum()),
        people=tuple(people),
    )


def probabilities_text(design: Ratings) -> str:
    """Return what a title says of a design whose replies count with probabilities."""
    if design.shared is not None:
        return ", of repeated answers"
    return "" if design.probabilities is None else ", of probabilities"


def source_factor(design: Ratings, source: str | None, alone: bool) -> Factor:
    """Return the source of each rater as a factor."""
    groups, n = design.rater_groups, len(design.raters)
    if source is None and groups:
        if len(groups) > 1 and USUAL not in groups:
            raise InputError(
                f"several groups of raters are declared: say {option('source')} one of "
                f"{quoted(list(groups), 10)}"
            )
        source = USUAL if USUAL in groups else next(iter(groups))
    if source is None and alone:
        return Factor(
            name="",
            codes=np.zeros(n, dtype=np.int64),
            levels=("all raters" if n > 1 else "this source",),
        )
    if source is not None and source in groups:
        return groups[source]
    if source not in (None, EACH_RATER):
        listed = quoted([*groups, EACH_RATER], 10)
        raise InputError(
            f"{option('source', shorten(str(source)))} is no declared group of raters; use one of "
            f"{listed}"
        )
    if not design.raters_known:
        raise InputError("who gave which rating is not known: raters cannot be compared as sources")
    return Factor(name=EACH_RATER, codes=np.arange(n, dtype=np.int64), levels=design.raters)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StratumCells:
    """Cells of units: the levels of a stratum, or the combinations of several that occur.

    Attributes
    ----------
    names : tuple of str
        The strata; empty where all units are one cell.
    labels : tuple of str
        In the order of the strata's levels.
    codes : (units,) int64 array
    parts : tuple of tuple of str
        The level of each stratum in each cell.
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    codes: IntArray
    parts: tuple[tuple[str, ...], ...] = ()

    @property
    def groups(self) -> tuple[str | None, ...]:
        """All units (None), each cell and, where there are cells, their mean."""
        if not self.labels:
            return (None,)
        return None, *self.labels, free_label(f"mean of {len(self.labels)} cells", self.labels)

    def key(self, group: str | None) -> tuple[tuple[str, str], ...]:
        """Return the key of a group of units: its cell and, of combinations, the level of each stratum."""
        if group is None:
            return ()
        levels = dict(zip(self.labels, self.parts, strict=True)).get(group, ())
        strata = zip(self.names, levels, strict=True) if len(levels) > 1 else ()
        return (("cell", group), *strata)

    @property
    def size(self) -> int:
        """Number of cells; 1 where all units are one."""
        return max(len(self.labels), 1)

    def in_columns(self, values: FloatArray) -> FloatArray:
        """Return (units, k) values as (units, cells * k), each in the columns of its unit's cell."""
        table = np.zeros((len(values), self.size, values.shape[1]))
        table[np.arange(len(values)), self.codes] = values
        return table.reshape(len(values), -1)

    def units_in_groups(self, used: BoolArray) -> BoolArray:
        """Return the (units, groups) array of which units, of those used, enter which group."""
        all_units = used[:, None]
        if not self.labels:
            return all_units
        in_cell = self.in_columns(all_units.astype(np.float64)) > 0
        # the last group is the mean of the cells, which all units enter
        return np.concatenate([all_units, in_cell, all_units], axis=1)

    def by_group(self, statistic: Callable[[FloatArray], FloatArray]) -> Finish:
        """Return the function from (B, cells * k) sums to (B, groups) values of a statistic of (B, groups, k) sums.

        The value of the last group is the mean of the values of the cells.
        """

        def finish(sums: FloatArray) -> FloatArray:
            by_cell = sums.reshape(len(sums), self.size, -1)
            total = by_cell.sum(axis=1, keepdims=True)
            with np.errstate(invalid="ignore", divide="ignore"):
                values = statistic(np.concatenate([total, by_cell], axis=1))
            if not self.labels:
                return values[:, :1]
            return np.concatenate([values, values[:, 1:].mean(axis=1, keepdims=True)], axis=1)

        return finish


def cells_of(design: Ratings, names: str | Sequence[str] | None, setting: str) -> StratumCells:
    """Return the cells that declared strata (or clusters) make.

    Raises
    ------
    InputError
        If nothing of a name is declared.
    """
    if names is None:
        named: tuple[str, ...] = ()
    else:
        named = (names,) if isinstance(names, str) else tuple(names)
    declared = {**{factor.name: factor for factor in design.clusters}, **design.strata}
    for name in named:
        if name not in declared:
            listed = quoted(list(declared), 10) or "none"
            raise InputError(
                f"{option(setting, shorten(str(name)))} is no stratum. Declared: {listed}; declare with "
                f"{option('strata')}"
            )
    if not named:
        return StratumCells(names=(), labels=(), codes=np.zeros(len(design.units), dtype=np.int64))
    factors = [declared[name] for name in named]
    keys, _, codes = unique_rows(np.column_stack([f.codes for f in factors]))
    parts = [tuple(f.levels[k] for f, k in zip(factors, key, strict=True)) for key in keys.tolist()]
    return StratumCells(names=named, labels=join_labels(parts), codes=codes, parts=tuple(parts))


def join_labels(parts: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Join the labels of each combination, so that no two combinations have one name.

    Examples
    --------
    >>> join_labels([("a", "b"), ("c", "d")]), join_labels([("a, b", "c"), ("a", "b, c")])
    (('a, b', 'c, d'), ("'a, b' | 'c'", "'a' | 'b, c'"))
    """
    labels = tuple(", ".join(part) for part in parts)
    if len(set(labels)) == len(labels):
        return labels
    return tuple(" | ".join(map(repr, part)) for part in parts)


def free_label(label: str, labels: Sequence[str]) -> str:
    """Return a label of our own that no label of the data has."""
    while label in labels:
        label += "'"
    return label


def source_cautions(data: SourceCounts) -> tuple[Caution, ...]:
    """Caution SS301 when raters have no source."""
    if not data.left_out:
        return ()
    message = f"{count(data.left_out, 'rating')} of raters without a '{shorten(data.name)}'"
    fix = f"give every rater one, or choose another {option('source')}"
    return (caution("SS301", message, affects="all rows", fix=fix),)


def level_share_cells(
    counts: FloatArray,
    level: int,
    copies: FloatArray,
    codes: Sequence[IntArray],
    *,
    probable: bool = False,
    drawn: Sequence[DrawnRaters] = (),
    sampled: FloatArray | None = None,
) -> ShareCells:
    """Ratings of a level among all ratings, in clusters.

    Ratings of one unit are not independent: without declared clusters the units are the clusters (unless each has
    one rating).

    Parameters
    ----------
    counts : (units, levels) float64 array
        Of one source; units without a rating take no part.
    level : int
    copies : (units,) float64 array
    codes : sequence of (units,) int64 arrays
    probable : bool
        Whether replies count with probabilities. They vary less than drawn values, and no number of answers is the
        most that the interval may count.
    drawn : sequence of DrawnRaters
        What people who are a sample add to the shares of all levels.
    sampled : (units,) float64 array, optional
        Sampling weights.
    """
    n = counts.sum(axis=1)
    rated = np.flatnonzero(n > 0)
    in_level, size, weight = counts[rated, level], n[rated], copies[rated]
    clusters = [code[rated] for code in codes]
    sampling = np.ones(len(rated)) if sampled is None else sampled[rated]
    if not clusters and (probable or np.any(size > 1)):  # identical units stay separate clusters
        times = weight.astype(np.int64)
        in_level, size, sampling = (np.repeat(x, times) for x in (in_level, size, sampling))
        weight, clusters = np.ones(len(size)), [np.arange(len(size))]
    # two cells for each unit: its ratings in the level, and those in others
    values = np.repeat([1.0, 0.0], len(size))
    count = np.concatenate([weight * in_level, weight * (size - in_level)])
    filled = count > 0
    values, count = values[filled], count[filled]
    clusters = [np.tile(code, 2)[filled] for code in clusters]
    if np.ptp(sampling):
        sampling = np.tile(sampling, 2)[filled]
        trials = math.inf if probable else kish(count, sampling)
        cells = ShareCells(
            values=values, count=count, clusters=tuple(clusters), trials=trials, weight=sampling
        )
    else:
        cells = merge_cells(values, count, clusters, math.inf if probable else float(count.sum()))
    return replace(cells, drawn=tuple(group.column(level) for group in drawn))
