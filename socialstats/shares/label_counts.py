"""Label counts: how often each label is cited when a unit may cite several, against units and against labels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import as_design, reader_of, takes_formula
from socialstats.designs.label_lists import LabelLists
from socialstats.designs.parts import Factor
from socialstats.errors import DesignError
from socialstats.inference.dependence import cluster_factors, share_cautions, smallest_cluster_count
from socialstats.inference.proportions import clustered_share
from socialstats.inference.rows import with_ends, with_share
from socialstats.registry import Metric
from socialstats.resampling.options import checked_seed
from socialstats.results import Result, Row
from socialstats.results.definitions import PlainSample, RowKey, sample_of_mean
from socialstats.sentences import estimate_text
from socialstats.shares.counts import (
    METHODS,
    RESAMPLED,
    IntervalOptions,
    free_label,
    interval_options,
    merge_cells,
    ratio_interval,
    share_row,
    shares_header,
)
from socialstats.text import count, number, shorten
from socialstats.voice import option

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Ci = Literal["auto", "wilson", "percentile", "basic"]
OF_UNITS, OF_LABELS = "(share of units)", "(share of labels)"
# labels in a sentence, and rows of a figure
MOST_NAMED, MOST_DRAWN = 3, 200


@takes_formula(LabelLists.from_frame)
def label_counts(
    data: Any,
    *,
    labels: str | None = None,
    unit: str | None = None,
    sep: str | None = None,
    group: str | None = None,
    levels: Sequence[str] | None = None,
    cluster: str | Sequence[str] | None = "declared",
    ci: Ci = "auto",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **columns: Any,
) -> Result:
    """Count the labels that units cite, with both denominators: units, and labels cited.

    A unit may cite several labels, or none: the shares of units add to the labels a unit cites, not to 1. The shares of
    labels add to 1, but labels of one unit are not independent. The unit (or the named cluster) is their cluster, with
    CR2 errors and Satterthwaite's degrees of freedom.

    Parameters
    ----------
    data : LabelLists, data frame, mapping of columns, or path of a file
        Units with their labels: a text column of lists (`sep`), or one row per label (`unit`). A label that a unit
        cites twice counts once.
    labels : str
        Column of the labels.
    unit : str, optional
        Column that names the unit; without it each row is a unit.
    sep : str, optional
        What separates the labels of a row, such as ``";"``. None: one label per row.
    group : str, optional
        Column of the unit whose levels get rows of their own.
    levels : sequence of str, optional
        Every label that could be cited, in order: labels that no unit cites have rows too.
    cluster : str, sequence of str or None
        Columns whose levels are independent (two: crossed), of a table; of LabelLists also ``"declared"``. None takes
        units as independent.
    ci : {"auto", "wilson", "percentile", "basic"}
        ``"auto"`` is Wilson's; with clusters, and for shares of labels, with the number of independent answers that the
        standard error speaks for. Shares of labels may count more than the labels cited, as labels of a unit exclude
        each other. With 30 units of three labels each, .92 to .97 of simulated intervals held. With clusters, intervals
        count at most as many answers (coverage .94 to 1; without that bound .85 to .98). Else a bootstrap of units
        (clusters).
    level : float
    resamples, seed : int
        Of the bootstrap.
    **columns
        Of a data frame or file: its columns, by the keywords of `LabelLists.from_frame`.

    Returns
    -------
    Result
        For all units (group None) and each level of the group, three rows per label: ``<label>`` (units that cite it),
        ``<label> (share of units)``, ``<label> (share of labels)``. `n` is the denominator. `extras`:
        ``labels_per_unit``, ``without`` (units that cite none), by group.

    Raises
    ------
    DesignError
        If columns are missing.
    InputError
        If a unit has several rows, a label is not among `levels`, or an option is unknown.
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
    how = interval_options(ci, level, resamples, checked_seed(seed), get_args(Ci))
    named = {"labels": labels, "unit": unit, "sep": sep, "group": group}
    lists = read(data, named, cluster, columns)
    lists = lists if levels is None else lists.declared(levels)
    # clusters of a table were named while it was read, and are declared now
    declared = cluster is not None and not isinstance(data, LabelLists)
    factors = cluster_factors(lists, "declared" if declared else cluster)
    codes = [factor.codes for factor in factors]
    # all units have the group None
    members: dict[str | None, BoolArray] = {None: np.ones(len(lists.count), dtype=bool)}
    if lists.group is not None:
        members |= {name: lists.group.codes == k for k, name in enumerate(lists.group.levels)}
    rows = [
        row
        for name, inside in members.items()
        for row in label_rows(lists, name, inside, codes, how)
    ]
    size, units = lists.cited.sum(axis=1), int(lists.count.sum())
    extras: dict[str, dict[str, float]] = {"labels_per_unit": {}, "without": {}}
    all_units = free_label("all units", [name for name in members if name is not None])
    for name, inside in members.items():
        times, shown = lists.count[inside], all_units if name is None else name
        extras["labels_per_unit"][shown] = float(times @ size[inside] / times.sum())
        extras["without"][shown] = int(times[size[inside] == 0].sum())
    settings = {
        **named,
        "group": lists.group.name if lists.group else None,
        "levels": None if levels is None else tuple(levels),
        "cluster": [factor.name for factor in factors],
        "ci": how.ci,
        "level": level,
        "resamples": resamples,
        "seed": seed,
    }
    return Result(
        metric="label_counts",
        title="Label counts",
        **shares_header(how, factors, rows, nobs=units),
        rows=tuple(rows),
        counts={
            "units": units,
            "labels cited": int(lists.count @ size),
            "different labels": len(lists.labels),
        },
        settings=settings,
        cautions=(*lists.cautions, *share_cautions(lists, factors, rows)),
        references=METRIC.references,
        design=lists,
        extras=extras,
    )


def read(
    data: Any,
    columns_named: dict[str, str | None],
    cluster: str | Sequence[str] | None,
    columns: dict[str, Any],
) -> LabelLists:
    """Return label lists, read from a table where they are not read yet."""
    keywords = {name: value for name, value in columns_named.items() if value is not None} | columns
    if not isinstance(data, LabelLists):
        reader_of(keywords, [LabelLists.from_frame], "label_counts()", [])
        if "labels" not in keywords:
            raise DesignError(
                f"the column of the labels is not named: {option('labels', 'COLUMN')}"
            )
        # LabelLists have their clusters already, a table is read with them
        keywords |= {"cluster": cluster} if cluster not in (None, "declared") else {}
    lists: LabelLists = as_design(data, keywords, LabelLists.from_frame, name="label_counts()")
    return lists


def label_rows(
    lists: LabelLists,
    group: str | None,
    inside: BoolArray,
    codes: Sequence[IntArray],
    how: IntervalOptions,
) -> Iterator[Row]:
    """Return three rows per label: units that cite it, and its shares of units and of labels."""
    size, copies = lists.cited[inside].sum(axis=1), lists.count[inside]
    codes_inside = [code[inside] for code in codes]
    n = float(copies.sum())
    clusters = smallest_cluster_count(codes_inside)
    of_group = () if group is None else (("group", group),)
    for label, hit in zip(lists.labels, lists.cited[inside].T, strict=True):
        row = Row(
            term=label,
            group=group,
            key=(("label", label), *of_group),
            n=n,
            n_units=int(n),
            n_clusters=clusters,
        )
        terms = [free_label(f"{label} {what}", lists.labels) for what in (OF_UNITS, OF_LABELS)]
        yield replace(row, estimate=float(copies @ hit), method="units that cite it", role="count")
        # both shares are of the same label: the key says of what
        shares = [
            replace(row, term=term, key=(*row.key, ("denominator", of)), role="estimate")
            for term, of in zip(terms, ("units", "labels"), strict=True)
        ]
        yield share_row(shares[0], merge_cells(hit, copies, codes_inside, n), how)
        yield label_share(shares[1], hit, size, copies, codes_inside, how)


def label_share(
    row: Row,
    hit: FloatArray,
    size: FloatArray,
    copies: FloatArray,
    codes: Sequence[IntArray],
    how: IntervalOptions,
) -> Row:
    """Row of the share of a label among the labels cited: a ratio of sums over units.

    Parameters
    ----------
    row : Row
    hit, size, copies : (cells,) float64 arrays
        Whether a unit cites the label, how many labels it cites, alike units.
    codes : sequence of (cells,) int64 arrays
    how : IntervalOptions
    """
    # a label's share of labels is the mean of its share of each unit's labels, weighted by how many these are
    cites, cited = float(copies @ size), size > 0
    row = replace(row, n=cites, limits=(0.0, 1.0))
    if cites == 0:
        return replace(row, undefined="no label is cited", reason="no_data")
    codes_cited = [code[cited] for code in codes]
    share = clustered_share(
        hit[cited] / size[cited],
        (copies * size)[cited],
        codes_cited,
        trials=cites if codes else math.inf,
        level=how.level,
        alike=copies[cited],
    )
    row = replace(
        row,
        estimate=share.estimate,
        std_error=share.std_error,
        leverage=share.largest if codes else None,
        method=f"{METHODS[how.ci]}, ratio",
    )
    if share.undefined:
        why = "a single independent unit cites labels: no interval"
        return replace(row, undefined=why, reason="one_unit")
    if how.ci in RESAMPLED:
        # numerators and denominators of the ratio are resampled together
        low, high, why = ratio_interval(hit * copies, size * copies, copies, codes, how)
        return with_ends(row, low, high, how.level, why=why)
    return with_share(row, share, how.level, clustered=bool(codes))


def sentence(result: Result) -> str:
    """Return how many labels were cited, and those cited most."""
    return cited_text(result, unit=("unit", "units"), label=("label", "labels"))


def cited_text(result: Result, *, unit: tuple[str, str], label: tuple[str, str]) -> str:
    """Return the same in the words, singular and plural, that a study has for units and labels."""
    overall = [row for row in result.rows if row.group is None]
    # each label has three rows in turn: its count, its share of units, its share of labels
    trios = [overall[k : k + 3] for k in range(0, len(overall), 3)]
    trios.sort(key=lambda trio: -(trio[0].estimate or 0.0))
    per_unit, without = (
        next(iter(result.extras[name].values())) for name in ("labels_per_unit", "without")
    )
    most_cited = "; ".join(
        f"{shorten(cited.term)} by {count(cited.estimate or 0.0, *unit)} "
        f"(share of {unit[1]} {estimate_text(of_units)}; of {label[1]} {estimate_text(of_labels)})"
        for cited, of_units, of_labels in trios[:MOST_NAMED]
    )
    least = f"{count(without)} cited none" if without else "each cited at least one"
    return (
        f"{count(result.counts['units'], *unit)} cited {count(result.counts['labels cited'], *label)} "
        f"({number(per_unit)} per {unit[0]}; {least}), most often {most_cited}."
    )


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the shares of units with their intervals, by group (of all units beyond 200 rows)."""
    from socialstats.figures import forest

    # each label has three rows in turn; the second is its share of units
    pairs = [(result.rows[k], result.rows[k + 1]) for k in range(0, len(result.rows), 3)]
    if len(pairs) > MOST_DRAWN:
        pairs = [pair for pair in pairs if pair[0].group is None][:MOST_DRAWN]
    shown = []
    for cited, of_units in pairs:
        label = cited.term if cited.group is None else f"{cited.term} ({cited.group})"
        shown.append(replace(of_units, term=label))
    settings = {"xlabel": "Share of units that cite the label", "sort": False, "reference": None}
    return forest(shown, ax=ax, **{**settings, **options})


def sample_lists(result: Result) -> Iterator[PlainSample]:
    """Yield units with the labels that they cite: counts, shares of the units, and shares of the labels cited."""
    lists: LabelLists = result.design
    factors = lists.factors(result.settings["cluster"] or None)
    groups = {row.group for row in result.rows}
    for group in sorted(groups, key=str):
        inside = np.ones(len(lists.count), dtype=bool)
        if group is not None and lists.group is not None:
            inside = lists.group.labels() == group
        for k in range(len(lists.labels)):
            yield from label_samples(lists, group, inside, k, factors)


def label_samples(
    lists: LabelLists, group: str | None, inside: BoolArray, k: int, factors: Sequence[Factor]
) -> Iterator[PlainSample]:
    """Yield the samples of one label: its shares of units, and its count with its share of all labels cited."""
    label = lists.labels[k]
    of_units, of_labels = (
        (group, free_label(f"{label} {what}", lists.labels)) for what in (OF_UNITS, OF_LABELS)
    )
    cites, cited = lists.cited[:, k], lists.cited.sum(axis=1)
    yield sample_of_mean(of_units, np.where(inside, cites, np.nan), lists.count, factors)

    def estimates(count: FloatArray) -> dict[RowKey, float]:
        citing, labels = float(count @ cites[inside]), float(count @ cited[inside])
        return {(group, label): citing, of_labels: citing / labels if labels else math.nan}

    yield PlainSample(
        count=lists.count[inside],
        plain=estimates,
        factors=tuple(replace(factor, codes=factor.codes[inside]) for factor in factors),
        alike=np.column_stack([cites, cited])[inside],
        counted={of_labels: cited[inside]},
        # labels of a unit exclude each other: more independent answers than labels are possible
        answers={} if factors else {of_labels: math.inf},
        resampled_errors=False,
    )


METRIC = Metric(
    name="label_counts",
    title="Label counts",
    design="labels",
    function=label_counts,
    sentence=sentence,
    plot=plot,
    definition=Definition(samples=sample_lists),
    estimand="The share of units that cite a label, and its share of all labels cited.",
    assumptions=(
        "units (or the named clusters of units) are independent",
        "spellings of a label are the same",
    ),
    references=("wilson1927", "korngraubard1998", "raoscott1981"),
)
