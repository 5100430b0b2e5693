"""Label counts: how often each label is cited when a unit may cite several, against units and against labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.designs.calls import as_design, reader_of
from socialstats.designs.label_lists import LabelLists
from socialstats.errors import DesignError, InputError
from socialstats.inference.dependence import cluster_factors, cluster_facts, cluster_text, share_cautions
from socialstats.inference.intervals import checked_level
from socialstats.inference.proportions import clustered_share
from socialstats.inference.rows import with_ends, with_share
from socialstats.models.shares import RESAMPLED, SAME, How, free_label, merged, share_row, share_text
from socialstats.registry import Metric
from socialstats.resampling import Units, bootstrap, choose
from socialstats.resampling.permutation import checked_seed
from socialstats.results import Result, Row
from socialstats.text import count, number, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Ci = Literal["auto", "wilson", "percentile", "basic"]
OF_UNITS, OF_LABELS = "(share of units)", "(share of labels)"
SAID, MOST_DRAWN = 3, 200


def label_counts(
    data: Any,
    *,
    labels: str | None = None,
    unit: str | None = None,
    sep: str | None = None,
    group: str | None = None,
    cluster: str | Sequence[str] | None = "declared",
    ci: Ci = "auto",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **columns: Any,
) -> Result:
    """Count the labels that units cite, with both denominators: units, and labels cited.

    A unit may cite several labels, or none: the shares of units add to the labels a unit cites, not to 1. The shares
    of labels add to 1, but labels of one unit are not independent: the unit (or the named cluster) is their cluster,
    with CR2 errors and Satterthwaite's degrees of freedom.

    Parameters
    ----------
    data : LabelLists, data frame, mapping of columns, or path of a file
        Units with their labels: a text column of lists (`sep`), or one row a label (`unit`). A label that a unit
        cites twice counts once.
    labels : str
        Column of the labels.
    unit : str, optional
        Column that names the unit; without it each row is a unit.
    sep : str, optional
        What stands between the labels of a row, such as ``";"``. None: one label a row.
    group : str, optional
        Column of the unit whose levels get rows of their own.
    cluster : str, sequence of str or None
        Columns whose levels are independent (two: crossed), of a table; of LabelLists also ``"declared"``. None takes
        units as independent.
    ci : {"auto", "wilson", "percentile", "basic"}
        ``"auto"`` is Wilson's; with clusters, and for shares of labels, with the number of independent answers that
        the standard error speaks for. Shares of labels may count more than the labels cited, as labels of a unit
        exclude each other (30 units with three labels each: .92 to .97 of simulated intervals held); with clusters
        they count at most these (.94 to 1 held, without that bound .85 to .98). Else a bootstrap of units (clusters).
    level : float
    resamples, seed : int
        Of the bootstrap.
    **columns
        Of a data frame or file: its columns, by the keywords of `LabelLists.from_frame`.

    Returns
    -------
    Result
        For all units (group None) and each level of the group, three rows a label: ``<label>`` (units that cite it),
        ``<label> (share of units)``, ``<label> (share of labels)``. `n` is the denominator. `extras`:
        ``labels_per_unit``, ``without`` (units that cite none), by group.

    Raises
    ------
    DesignError
        If columns are missing.
    InputError
        If a unit has several rows, or an option is unknown.
    NothingToAnalyse
        If no label is cited.

    References
    ----------
    Wilson, E. B. (1927). doi:10.1080/01621459.1927.10502953
    Korn, E. L., & Graubard, B. I. (1998). Survey Methodology, 24(2), 193-201.
    Rao, J. N. K., & Scott, A. J. (1981). doi:10.1080/01621459.1981.10477633

    Examples
    --------
    >>> rows = {"story": [1, 2, 3, 4], "cites": ["care; duty", "care", "duty", "care"]}
    >>> result = label_counts(rows, labels="cites", sep=";")
    >>> result.row("care").estimate, result.row("care (share of units)").estimate
    (3.0, 0.75)
    >>> round(result.row("care (share of labels)").estimate, 4)
    0.6
    """
    if ci not in get_args(Ci):
        raise InputError(f"ci='{ci}' is not one of {', '.join(get_args(Ci))}")
    lists = read(data, {"labels": labels, "unit": unit, "sep": sep, "group": group}, cluster, columns)
    factors = cluster_factors(lists, cluster if isinstance(data, LabelLists) or cluster is None else "declared")
    how = How(
        ci="wilson" if ci == "auto" else ci, level=checked_level(level), resamples=resamples, seed=checked_seed(seed)
    )  # fmt: skip
    groups = groups_of(lists)
    codes = tuple(factor.codes for factor in factors)
    rows = [row for name, kept in groups for row in group_rows(lists, name, kept, codes, how)]
    whole = free_label("all units", [name for name, _ in groups if name is not None])
    facts = {whole if name is None else name: described(lists, kept) for name, kept in groups}
    made = "Wilson" if how.ci == "wilson" else f"bootstrap ({how.ci})"
    cites = int(lists.count @ lists.cited.sum(axis=1))
    return Result(
        metric="label_counts",
        title="Label counts",
        inference=f"{made} intervals; {cluster_text(factors, 'units')}",
        rows=tuple(rows),
        counts={"units": int(lists.count.sum()), "labels cited": cites, "different labels": len(lists.labels)},
        fit={"nobs": int(lists.count.sum()), "method": how.ci, **(cluster_facts(rows) if factors else {})}
        | ({"seed": seed, "resamples": resamples} if how.ci in RESAMPLED else {}),
        settings={"labels": labels, "unit": unit, "sep": sep, "group": lists.group.name if lists.group else None,
                  "cluster": [f.name for f in factors], "ci": how.ci, "level": level, "resamples": resamples,
                  "seed": seed},
        cautions=(*lists.cautions, *share_cautions(lists, factors, rows)),
        references=METRIC.references,
        design=lists,
        extras={name: {k: one[j] for k, one in facts.items()} for j, name in enumerate(("labels_per_unit", "without"))},
    )  # fmt: skip


def read(
    data: Any, named: dict[str, str | None], cluster: str | Sequence[str] | None, columns: dict[str, Any]
) -> LabelLists:  # fmt: skip
    """Return label lists, read from a table where they are not read yet."""
    given = {name: value for name, value in named.items() if value is not None} | columns
    if not isinstance(data, LabelLists):
        reader_of(given, [LabelLists.from_frame], "label_counts()", [])
        if "labels" not in given:
            raise DesignError("say which column holds the labels: labels='COLUMN'")
        given |= {"cluster": cluster} if cluster not in (None, "declared") else {}
    lists: LabelLists = as_design(data, given, LabelLists.from_frame, name="label_counts()")
    return lists


def groups_of(lists: LabelLists) -> list[tuple[str | None, BoolArray]]:
    """All units, then those of each level of the group."""
    found: list[tuple[str | None, BoolArray]] = [(None, np.ones(len(lists.count), dtype=bool))]
    if lists.group is not None:
        found += [(name, lists.group.codes == k) for k, name in enumerate(lists.group.levels)]
    return found


def described(lists: LabelLists, kept: BoolArray) -> tuple[float, int]:
    """Labels a unit, and units without a label."""
    size, times = lists.cited[kept].sum(axis=1), lists.count[kept]
    return float(times @ size / times.sum()), int(times[size == 0].sum())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Part:
    """Cells of one group: whether they cite the label, how many labels they cite, units, clusters."""

    hit: FloatArray
    size: FloatArray
    times: FloatArray
    codes: tuple[IntArray, ...]


def group_rows(
    lists: LabelLists, name: str | None, kept: BoolArray, codes: tuple[IntArray, ...], how: How
) -> list[Row]:
    """Three rows a label."""
    rows = []
    size, times, own = lists.cited[kept].sum(axis=1), lists.count[kept], tuple(c[kept] for c in codes)
    clusters = min((len(np.unique(c)) for c in own), default=None)
    for k, label in enumerate(lists.labels):
        part = Part(hit=lists.cited[kept, k], size=size, times=times, codes=own)
        base = Row(term=label, group=name, n=float(times.sum()), n_units=int(times.sum()), n_clusters=clusters)
        terms = [free_label(f"{label} {what}", lists.labels) for what in (OF_UNITS, OF_LABELS)]
        shares = merged(part.hit, times, own, float(times.sum()))
        rows.append(replace(base, estimate=float(times @ part.hit), method="units that cite it"))
        rows.append(share_row(replace(base, term=terms[0]), shares, how))
        rows.append(label_share(replace(base, term=terms[1]), part, how))
    return rows


def label_share(row: Row, part: Part, how: How) -> Row:
    """Row of the share of a label among the labels cited: a ratio of sums over units."""
    cites, cited = float(part.times @ part.size), part.size > 0
    row = replace(row, n=cites)
    if cites == 0:
        return replace(row, undefined="no label is cited")
    units = part.times[cited]
    found = clustered_share(
        np.divide(part.hit, part.size, out=np.zeros(len(cited)), where=cited)[cited], units * part.size[cited],
        [code[cited] for code in part.codes], trials=cites if part.codes else math.inf, level=how.level, alike=units,
    )  # fmt: skip
    row = replace(
        row, estimate=found.estimate, std_error=found.std_error, leverage=found.largest if part.codes else None,
        method=f"{'Wilson' if how.ci == 'wilson' else f'bootstrap, {how.ci}'}, ratio",
    )  # fmt: skip
    if found.undefined:
        return replace(row, undefined="a single independent unit cites labels: no interval")
    if how.ci in RESAMPLED:
        low, high, why = resampled(part, how)
        return with_ends(row, low, high, how.level, why=why)
    return with_share(row, found, how.level, clustered=bool(part.codes))


def resampled(part: Part, how: How) -> tuple[float, float, str]:
    """Bootstrap interval of a ratio over units or clusters, or why there is none."""
    table = np.column_stack([part.hit, part.size]) * part.times[:, None]

    def finish(sums: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(sums[:, :1] / sums[:, 1:])

    units = Units.clusters(*part.codes) if part.codes else Units.rows(part.times)
    boot = bootstrap(table, finish, units, resamples=how.resamples, seed=how.seed)
    if boot.is_constant[0]:
        return math.nan, math.nan, SAME
    found = choose(how.ci, boot, level=how.level)
    return float(found.low[0]), float(found.high[0]), found.undefined[0]


def sentence(result: Result) -> str:
    """Say how many labels were cited, and those cited most."""
    return cited_text(result, unit=("unit", "units"), label=("label", "labels"))


def cited_text(result: Result, *, unit: tuple[str, str], label: tuple[str, str]) -> str:
    """Say the same in the words, singular and plural, that a study has for units and labels."""
    whole = [row for row in result.rows if row.group is None]
    trios = [whole[k : k + 3] for k in range(0, len(whole), 3)]
    trios.sort(key=lambda trio: -(trio[0].estimate or 0.0))
    per_unit, without = (next(iter(result.extras[name].values())) for name in ("labels_per_unit", "without"))
    said = "; ".join(
        f"{shorten(one.term)} by {count(one.estimate or 0.0, *unit)} (share of {unit[1]} {share_text(of_units)}; "
        f"of {label[1]} {share_text(of_labels)})"
        for one, of_units, of_labels in trios[:SAID]
    )
    least = f"{count(without)} cited none" if without else "each cited one at least"
    return (
        f"{count(result.counts['units'], *unit)} cited {count(result.counts['labels cited'], *label)} "
        f"({number(per_unit)} a {unit[0]}; {least}), most often {said}."
    )


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the shares of units with their intervals, by group (of all units beyond 200 rows)."""
    from socialstats.figures import forest

    kept = [(result.rows[k], result.rows[k + 1]) for k in range(0, len(result.rows), 3)]
    if len(kept) > MOST_DRAWN:
        kept = [pair for pair in kept if pair[0].group is None][:MOST_DRAWN]
    shown = [replace(s, term=c.term if c.group is None else f"{c.term} ({c.group})") for c, s in kept]
    settings = {"xlabel": "Share of units that cite the label", "sort": False, "reference": None, "digits": 3}
    return forest(shown, ax=ax, **{**settings, **options})


METRIC = Metric(
    name="label_counts",
    title="Label counts",
    design="labels",
    function=label_counts,
    sentence=sentence,
    plot=plot,
    crosscheck="socialstats.crosscheck.label_counts:verify",
    estimand="The share of units that cite a label, and its share of all labels cited.",
    assumptions=("units (or the named clusters of units) are independent", "spellings of a label are the same"),
    references=("wilson1927", "korngraubard1998", "raoscott1981"),
)
