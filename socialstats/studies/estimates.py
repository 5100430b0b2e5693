"""Estimates, tests and verdicts as sentences and tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter, methodcaller
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.special import chdtrc

from socialstats.designs.comparisons import Comparisons
from socialstats.designs.parts import Factor
from socialstats.errors import InputError
from socialstats.inference.halving import clusters_to_halve
from socialstats.inference.intervals import critical_value, not_zero, two_sided_p
from socialstats.inference.rows import with_t
from socialstats.inference.sides import one_tail
from socialstats.results import Result, ResultGroup, Row, Verifications
from socialstats.sentences import more_clusters_sentence, more_of
from socialstats.studies.page import Block, Design, PageTable
from socialstats.text import PValue, Shown, count, listing, number, percent, shorten

if TYPE_CHECKING:
    from socialstats.designs.ratings import Ratings

Verdict = Literal["above", "below", "equal", "open", "differs", "none"]
Alternative = Literal["two-sided", "greater", "less"]
ALTERNATIVES = ("two-sided", "greater", "less")
# what a quantity is where nothing is going on, if not 0
NULLS = {"odds_ratio": 1.0, "superiority": 0.5}
SAME = 1e-6  # two numbers nearer than this (relative) are one


def probability_methods(design: Comparisons | Ratings, read: str = "") -> tuple[str, ...]:
    """Return the methods paragraph on what was sampled of each reply and what was read; none where nothing was read.

    `read` says which numbers of ratings are of probabilities (``{shares}``), and which of the sampled levels
    (``{drawn}``). Of repeated answers these are the shares of the levels, and the first answers.
    """
    if design.kind == "ratings" and design.shared is not None:
        used = read.format(shares="shares", drawn="first answer")
        return (
            f"Raters who answered a unit several times count with the shares of their answers. {used}.",
        )
    read = read.format(shares="probabilities", drawn="sampled levels")
    coverage = design.coverage
    if coverage is None:
        return ()
    others = "How much probability other answers held is not recorded."
    if coverage.rest is not None:
        others = f"Other answers held {percent(coverage.rest)} of the probability on average."
    sampled = "Of each reply an answer was sampled; what was read is the probability of"
    condition = "from the log-probabilities of its token and given that it is"
    missing = f"{count(coverage.none, 'reply', 'replies')} without probabilities"
    if design.kind == "ratings":
        by_level = f" {missing} counted by the sampled level." if coverage.none else ""
        return (
            f"{sampled} each level at the answer's place, {condition} one of the levels "
            f"({count(coverage.replies, 'reply', 'replies')}). {read}. {others}{by_level}",
        )
    lost = (
        f" {missing} {'was' if coverage.none == 1 else 'were'} left out." if coverage.none else ""
    )
    column = "" if design.replies is None else f", column '{shorten(design.replies.column)}'"
    return (
        f"{sampled} the first item at the answer's place, {condition} one of the two items "
        f"({count(coverage.replies, 'reply', 'replies')}{column}). No sampling variance of winners was assumed: errors "
        f"are those of clusters or of single replies. {others}{lost}",
    )


def verdict(row: Row, *, bounds: Row | None = None, smallest: float | None = None) -> Verdict:
    """State what the interval shows.

    Parameters
    ----------
    row : Row
        A difference with its interval.
    bounds : Row, optional
        The same difference with the interval of the test of equivalence, at level 1 - 2 alpha.
    smallest : float, optional
        Differences smaller than this, either way, are practically nothing.

    Returns
    -------
    {"above", "below", "equal", "open"}
        "equal" wherever the interval of the test of equivalence lies inside, even if it also excludes zero.

    Examples
    --------
    >>> verdict(Row(term="d", estimate=0.3, conf_low=0.1, conf_high=0.5))
    'above'
    >>> near = Row(term="d", estimate=0.0, conf_low=-0.1, conf_high=0.1)
    >>> verdict(near), verdict(near, bounds=near, smallest=0.2)
    ('open', 'equal')
    """
    if bounds is not None and smallest is not None and is_inside(bounds, smallest):
        return "equal"
    null = NULLS.get(row.term, 0.0)
    if row.conf_low is not None and row.conf_low > null:
        return "above"
    if row.conf_high is not None and row.conf_high < null:
        return "below"
    return "open"


def is_inside(bounds: Row, smallest: float) -> bool:
    """Return whether an interval lies between minus and plus the smallest effect that matters."""
    low, high = bounds.conf_low, bounds.conf_high
    return low is not None and high is not None and -smallest < low and high < smallest


def planned_verdict(
    row: Row, *, alpha: float, bounds: Row | None = None, smallest: float | None = None
) -> Verdict:
    """State what a planned test shows, by its p-value (adjusted where the row has that).

    A test without direction (a chi-square of several df, or one without an estimate) can only say ``differs``. A row
    with neither p-value nor interval settles nothing: ``none``.

    Examples
    --------
    >>> planned_verdict(Row(term="d", estimate=0.3, p_value=0.01, p_adjusted=0.08), alpha=0.05)
    'open'
    >>> planned_verdict(Row(term="chi2", statistic=12.0, df=3.0, p_value=0.007), alpha=0.05)
    'differs'
    """
    if bounds is not None and smallest is not None and is_inside(bounds, smallest):
        return "equal"
    p = row.p_value if row.p_adjusted is None else row.p_adjusted
    if p is None:
        return "none" if row.conf_low is None and row.conf_high is None else verdict(row)
    if p >= alpha:
        return "open"
    null = NULLS.get(row.term, 0.0)
    if row.estimate is None or row.estimate == null:
        return "differs"
    return "above" if row.estimate > null else "below"


def equivalence_bounds(row: Row) -> Row:
    """Return the row with the interval of two one-sided tests, at level 1 - 2 alpha, where it follows from the row.

    The interval must be estimate +- critical value x s.e. (normal, or t with the row's df). Any other row is returned
    as it is: its longer interval at level 1 - alpha is the stricter test. So is one of a level of 1/2 or less, where
    1 - 2 alpha leaves no interval.

    Examples
    --------
    >>> wide = Row(term="d", estimate=0.0, std_error=1.0, conf_low=-1.959964, conf_high=1.959964, conf_level=0.95)
    >>> round(equivalence_bounds(wide).conf_high, 3)
    1.645
    """
    level = row.conf_level
    if (
        row.estimate is None
        or row.std_error is None
        or level is None
        or row.conf_low is None
        or row.conf_high is None
    ):
        return row
    if level <= 0.5:
        return row
    for df in dict.fromkeys((row.df, None)):
        reach = critical_value(level, df) * row.std_error
        gaps = (row.estimate - row.conf_low - reach, row.conf_high - row.estimate - reach)
        if all(abs(gap) <= SAME * reach for gap in gaps):
            return with_t(row, row.std_error, df, 2 * level - 1, test=False)
    return row


def one_sided_p(row: Row, alternative: Alternative) -> float | None:
    """Return the p-value of an alternative, or None where the row's p allows none.

    Halving is right for the two-sided p of a z, a t, or a chi-square of 1 df with an estimate that has a direction:
    p/2 on the side of the estimate, 1 - p/2 on the other.

    Examples
    --------
    >>> row = Row(term="d", estimate=1.0, statistic=1.959964, p_value=0.05)
    >>> round(one_sided_p(row, "greater"), 4), round(one_sided_p(row, "less"), 4)
    (0.025, 0.975)
    """
    p = row.p_value
    if alternative == "two-sided" or p is None:
        return p
    if row.estimate is None or row.statistic is None or not _is_two_sided(row, p):
        return None
    return one_tail(p, row.estimate - NULLS.get(row.term, 0.0), alternative)


def _is_two_sided(row: Row, p: float) -> bool:
    statistic = float(row.statistic or 0.0)
    two_sided = [
        float(two_sided_p(np.array(statistic), row.df)),
        float(two_sided_p(np.array(statistic), None)),
    ]
    if row.df in (None, 1.0) and statistic >= 0:
        two_sided.append(float(not_zero(chdtrc(1.0, statistic))))
    return any(abs(value - p) <= SAME * max(value, p) + 1e-300 for value in two_sided)


Column = str | Callable[[Row], Any]  # a field of a row, or what makes a cell of it
NUMBERS: dict[str, Column] = {
    "Estimate": "estimate",
    "SE": "std_error",
    "Low": "conf_low",
    "High": "conf_high",
    "Statistic": "statistic",
}
SCALED_FIELDS = ("estimate", "std_error", "conf_low", "conf_high")
WHOLE = 1e-6  # degrees of freedom nearer than this to a whole number are printed as one
WORDS = {"odds_ratio": "odds ratio", "cohens_g": "Cohen's g", "alpha": "alpha", "r": "correlation"}
SILENT = (None, "test", "proportion", "margin", "mean")  # groups that a label need not name


def label_of(row: Row) -> str:
    """Name a row for a reader: its term in words, and its group where that matters.

    Examples
    --------
    >>> label_of(Row(term="odds_ratio")), label_of(Row(term="difference", group="ignoring clusters"))
    ('odds ratio', 'difference (ignoring clusters)')
    """
    term = WORDS.get(row.term, row.term)
    return term if row.group in SILENT else f"{term} ({row.group})"


def table_of(
    rows: Sequence[Row],
    caption: str,
    first: tuple[str, Column | Sequence[str]],
    columns: Mapping[str, Column],
) -> PageTable:
    """Return rows as a table: for each column, by its header, a field of the row or what a function makes of the row.

    `first` is the header of the first column, which may be any word, with such a field or function, or with labels.

    Examples
    --------
    >>> table_of([Row(term="a", n=3.0)], "Counts", ("Term", "term"), {"n": whole("n")}).cells
    (('a', 3),)
    """
    fields = [
        field_of(column) if isinstance(column, str) else column for column in columns.values()
    ]
    name, label_field = first
    read = attrgetter(label_field) if isinstance(label_field, str) else label_field
    labels = [read(row) for row in rows] if callable(read) else read
    cells = tuple(
        (label, *(make(row) for make in fields)) for label, row in zip(labels, rows, strict=True)
    )
    return PageTable(caption, (name, *columns), cells, rows=tuple(rows))


def field_of(name: str) -> Callable[[Row], Any]:
    """Return what reads a field of a row; estimate, error and limits have the decimals of the row.

    Examples
    --------
    >>> number(field_of("estimate")(Row(term="share", estimate=0.25, limits=(0.0, 1.0))))
    '.250'
    """
    return methodcaller("shown", name) if name in SCALED_FIELDS else attrgetter(name)


def whole(name: str) -> Callable[[Row], int | None]:
    """Return what reads a field of a row as a whole number; None where the row does not have it."""

    def read(row: Row) -> int | None:
        value = getattr(row, name)
        return None if value is None else int(value)

    return read


def in_cell(row: Row) -> str | None:
    """Return ``2.21 [1.88, 2.55]``, or the bare estimate of a row without an interval."""
    ends = (
        ""
        if row.conf_low is None or row.conf_high is None
        else " [{}, {}]".format(*(number(row.shown(name)) for name in ("conf_low", "conf_high")))
    )
    return None if row.estimate is None else number(row.shown()) + ends


def rows_table(
    rows: Sequence[Row],
    caption: str,
    *,
    term: str = "Term",
    labels: Sequence[str] | None = None,
    units: bool = False,
) -> PageTable:
    """Return rows as a table of the page; what a row does not have stays empty, and the last column says why.

    With `units`, the size of rows whose n counts different things is that of their units.
    """
    columns = NUMBERS | {
        "Statistic": statistic_beside_error,
        "df": lambda r: df_cell(r.df),
        "p": lambda r: p_cell(r.p_value),
        "p (Holm)": lambda r: p_cell(r.p_adjusted),
        **({"Units": whole("n_units")} if units else {"n": whole("n")}),
        "Clusters": "n_clusters",
        "Why not": "undefined",
    }
    if any(row.statistic is not None and statistic_beside_error(row) is None for row in rows):
        caption += "; test statistics are left out where they are not estimate / SE"
    return table_of(rows, caption + family_words(rows), (term, labels or label_of), columns)


def statistic_beside_error(row: Row) -> float | None:
    """Return the statistic of a row, or None where it is not the estimate over the standard error beside it.

    Examples
    --------
    >>> statistic_beside_error(Row(term="alpha", estimate=0.6, std_error=0.1, statistic=5.1))
    >>> statistic_beside_error(Row(term="d", estimate=0.6, std_error=0.1, statistic=6.0))
    6.0
    """
    if row.statistic is None or row.estimate is None or not row.std_error:
        return row.statistic
    ratio = (row.estimate - NULLS.get(row.term, 0.0)) / row.std_error
    return row.statistic if abs(row.statistic - ratio) <= SAME * max(1.0, abs(ratio)) else None


def counts_table(
    caption: str, header: Sequence[str], parts: Sequence[tuple[str, float]], total: float
) -> PageTable:
    """Return counts with their shares of a total: a line for each label and count."""
    cells = tuple((label, round(n), Shown(float(n / total), 3, True)) for label, n in parts)
    return PageTable(caption, tuple(header), cells)


def family_words(rows: Sequence[Row]) -> str:
    """Name the families over which the p-values of these rows were adjusted, with their sizes.

    Examples
    --------
    >>> family_words([Row(term="a", p_adjusted=0.02, key=(("family", "'pairs' (m = 3)"),))])
    "; p (Holm): over the family 'pairs' (m = 3)"
    """
    named = dict.fromkeys(f"over the family {r.label('family')}" for r in rows if r.label("family"))
    return f"; p (Holm): {listing(list(named))}" if named else ""


def tests_table(rows: Sequence[Row], caption: str) -> PageTable:
    """Return tests as a table: name, statistic, df, p, and the clusters that they respect."""
    cells = tuple(
        (
            (r.method or r.term.replace("_", " ")) + ("" if r.group in SILENT else f" ({r.group})"),
            r.statistic,
            df_cell(r.df),
            p_cell(r.p_value),
            r.n_clusters,
            r.undefined,
        )
        for r in rows
    )
    return PageTable(
        caption=caption,
        header=("Test", "Statistic", "df", "p", "Clusters", "Why not"),
        cells=cells,
        rows=tuple(rows),
    )


def df_cell(df: float | None) -> Shown | None:
    """Return degrees of freedom for a cell: printed whole where they are, else with one decimal.

    Examples
    --------
    >>> number(df_cell(24.0)), number(df_cell(21.34)), df_cell(None)
    ('24', '21.3', None)
    """
    if df is None:
        return None
    return Shown(df, 0 if abs(df - round(df)) < WHOLE else 1)


def p_cell(p: float | None) -> PValue | None:
    """Return a p-value for a cell, printed as ``.031`` or ``< .001``.

    Examples
    --------
    >>> number(p_cell(0.0312)), number(p_cell(1e-9)), p_cell(None)
    ('.031', '< .001', None)
    """
    return None if p is None else PValue(p)


def extremes(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return the rows of the smallest and of the largest estimate; nothing where there is no estimate."""
    estimated = [row for row in rows if row.estimate is not None]
    return (
        tuple(pick(estimated, key=lambda row: row.estimate or 0.0) for pick in (min, max))
        if estimated
        else ()
    )


def single(result: Result | ResultGroup) -> Result:
    """Return the result of a design without a by factor.

    Raises
    ------
    InputError
        For the results of several levels.
    """
    if isinstance(result, ResultGroup):
        raise InputError("one model at a time")
    return result


def declared_clusters(design: Design) -> tuple[str, ...]:
    """Return the names of the declared clusters, also of those that stay with a table outside the memory."""
    if isinstance(design, Comparisons):
        return design.declared
    return tuple(factor.name for factor in design.clusters)


def cluster_ways(names: Sequence[str], rows: str) -> dict[str, str | tuple[str, str] | None]:
    """Return every assumption about dependence that clusters of some names allow, by its label."""
    ways: dict[str, str | tuple[str, str] | None] = {f"{rows} independent": None}
    ways |= {f"clustered by {shorten(name, 40)}": name for name in names}
    if len(names) == 2:
        first, second = names
        label = f"clustered by {shorten(first, 40)} x {shorten(second, 40)}"
        ways[label] = (first, second)
    return ways


def cluster_words(design: Design) -> list[str]:
    """Count the levels of each declared cluster: ``25 clusters of scenario``."""
    return [f"{count(len(c.levels), 'cluster')} of {shorten(c.name, 40)}" for c in design.clusters]


def verify_all(named: Mapping[str, Result], blocks: Sequence[Block]) -> Verifications:
    """Recompute, when asked for, every result of a page: those with a name, then all others of its blocks.

    Some rows of a result, as a block shows them, are recomputed with the whole result.
    """
    results = dict(named)
    checked = {id(row) for result in named.values() for row in result.rows}
    for result in (result for block in blocks for result in block.results):
        rows = {id(row) for row in result.rows}
        if rows <= checked:
            continue
        checked |= rows
        label = shorten(f"{result.title}: {result.inference.split('; ')[-1]}", 80)
        k = 1 + sum(name == label or name.startswith(f"{label} (") for name in results)
        results[label if k == 1 else f"{label} ({k})"] = result
    return verify_named(results)


def verify_named(named: Mapping[str, Result]) -> Verifications:
    """Recompute results by name, when asked for."""
    return Verifications({name: result.verify for name, result in named.items()})


def design_effect(clustered: Row, independent: Row) -> float | None:
    """Return by how many times the dependence of the rows multiplies the variance of an estimate.

    (SE with clusters / SE without)^2. From the lengths of the intervals, at one level, where there are no standard
    errors. Kish (1965) calls it deff; n / deff is the sample of independent rows that is worth as much.

    Examples
    --------
    >>> design_effect(Row(term="d", std_error=0.2), Row(term="d", std_error=0.1))
    4.0
    """
    with_clusters, without = _spread(clustered), _spread(independent)
    if (
        with_clusters is None
        or without is None
        or with_clusters[0] != without[0]
        or without[1] <= 0
    ):
        return None
    return (with_clusters[1] / without[1]) ** 2


def _spread(row: Row) -> tuple[str, float] | None:
    if row.std_error is not None:
        return "SE", row.std_error
    if row.conf_low is None or row.conf_high is None:
        return None
    return f"interval at {row.conf_level}", row.conf_high - row.conf_low


def clusters_caption(factors: Sequence[Factor], effect: float | None) -> str:
    """Return what a caption says of the dependence: ``clusters: 29 of scenario (design effect 3.4)``; nothing without.

    Examples
    --------
    >>> import numpy as np
    >>> clusters_caption([Factor(name="story", codes=np.array([0, 1]), levels=("a", "b"))], 3.41)
    'clusters: 2 of story (design effect 3.4)'
    """
    if not factors:
        return ""
    names = " x ".join(f"{count(len(f.levels))} of {shorten(f.name, 40)}" for f in factors)
    return f"clusters: {names}" + (
        "" if effect is None else f" (design effect {number(effect, 1)})"
    )


def halved(
    clusters: Sequence[Factor],
    row: Row,
    n: int | None,
    what: str,
    *,
    unit: str = "units",
    df: float | None = None,
) -> tuple[str, ...]:
    """Return how many more units, or clusters of them, halve the interval of an estimate.

    There is nothing for two crossed factors, nor for clusters that cannot be collected.

    Parameters
    ----------
    clusters : sequence of Factor
        Those of the design.
    row : Row
        The estimate.
    n : int or None
        Units, where the row has no clusters.
    what, unit : str
        What the estimate is; what is collected where there are no clusters, in the plural.
    df : float, optional
        As of `clusters_to_halve`.
    """
    if len(clusters) > 1:
        return ()
    return halving_text(row, n, clusters[0].name if clusters else None, what, unit=unit, df=df)


def halving_text(
    row: Row,
    n: int | None,
    cluster: str | None,
    what: str,
    *,
    unit: str = "units",
    df: float | None = None,
) -> tuple[str, ...]:
    """Return how many more units, or clusters of a name, halve the interval of an estimate, as `halved` says."""
    more = clusters_to_halve(row, row.n_clusters or n, df=df)
    collected = more_of(cluster, unit)
    return (more_clusters_sentence(more, collected, what),) if more and collected else ()


def literature(results: Sequence[Result], more: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the keys of the literature of some results, and more keys, each once."""
    return tuple(dict.fromkeys([*(key for result in results for key in result.references), *more]))


def pairs_left(design: Comparisons) -> int:
    """Return how many pairs of the design's items were never compared."""
    return math.comb(len(design.items), 2) - len(design.pair.levels)


def pairs_to_halve(
    more: int, design: Comparisons, item: str, quantity: str, *, drawn: bool = False
) -> tuple[str, ...]:
    """Return how many more pairs halve an interval, and how many new items they take beyond those that are left.

    Nothing where pairs are lacking, unless items are `drawn` from many, such as roles: other items, such as models,
    are those that the table is about.
    """
    k, left, now = (
        len(design.items),
        pairs_left(design),
        more_clusters_sentence(more, f"pairs of {item}s", quantity),
    )
    if more <= left:
        return (now,)
    if not drawn:
        return ()
    there = f"have {count(left, 'further pair')}" if left else "have no further pair"
    enough = math.ceil(
        (1 + math.sqrt(1 + 8 * (math.comb(k, 2) - left + more))) / 2
    )  # C(enough, 2) pairs
    return (
        now,
        f"These {count(k, item)} {there}, so add about {count(enough - k, item)}: "
        f"the answer is then about more {item}s.",
    )
