"""One estimate under every reasonable choice of analysis: table, figure, and the choice that moves it most."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from socialstats.errors import InputError, SocialStatsError
from socialstats.figures import forest
from socialstats.halves import in_halves
from socialstats.progress import say
from socialstats.results import KINDS, Check, Result, Row, marked
from socialstats.studies.outcome import Block, Table
from socialstats.text import count, interval, number, quoted, shorten

Side = Literal["above", "below", "holds", "unknown"]
MOST_LEFT_OUT = 12  # levels of a factor that are left out one at a time
SAME = 1e-9  # estimates nearer than this to each other, relative to their size, count as the same
SIDES: dict[Side, str] = {
    "above": "lies above it", "below": "lies below it", "holds": "holds it", "unknown": "does not exist",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One way to do the analysis.

    Attributes
    ----------
    label : str
        In words; no two variants share one.
    choice : str
        The decision that it takes differently, such as ``ties``; the page's own analysis has ``"as on this page"``.
    compute : callable
        () -> Result.
    lead : callable
        Result -> the row of the estimate; by default the first.
    """

    label: str
    choice: str
    compute: Callable[[], Result]
    lead: Callable[[Result], Row] = lambda result: result.rows[0]


OWN = "socialstats"


class Multiverse(Result):
    """An estimate under every choice: one row a variant, ``extras["results"]`` the Result of each by its label."""

    __slots__ = ()

    def crosscheck(self) -> Iterator[Check]:
        """Recompute the estimate that lies farthest from the page's own by the crosscheck of its metric.

        The rows must also be those of the analyses that they name: one that is not is a check that fails.
        """
        leads: Mapping[str, Row] = self.extras["leads"]
        for row in known(self.rows):
            for name in KINDS:
                if getattr(row, name) != getattr(leads[row.term], name):
                    yield Check(quantity=f"{row.term}: {name}", ours=getattr(row, name), version="", tolerance=0.0,
                                theirs=getattr(leads[row.term], name), package=OWN, ok=False,
                                why="copied from the analysis of that name")  # fmt: skip
        base = leads[self.rows[0].term].estimate or 0.0
        farthest = max(leads, key=lambda label: abs((leads[label].estimate or 0.0) - base))
        result, shown = self.extras["results"][farthest], {row.term: row for row in self.rows}
        lead = next(k for k, row in enumerate(result.rows) if row is leads[farthest])
        for check in result.verify():
            named = replace(check, quantity=f"{farthest}: {check.quantity}", row=None, field="")
            if check.row == lead and check.ours is not None and check.field in KINDS:
                yield replace(named, ours=marked(check.ours, getattr(shown[farthest], check.field)))
            elif check.ok is not None:
                yield named
        others = "of all analyses, the one farthest from the page's own was recomputed"
        for row in self.rows:
            for name in KINDS if row.term != farthest else ():
                if (value := getattr(row, name)) is not None:
                    yield Check(quantity=f"{row.term}: {name}", ours=value, theirs=None, package="", version="",
                                tolerance=0.0, ok=None, note=others)  # fmt: skip


def multiverse(
    metric: str, quantity: str, variants: Sequence[Variant], *, reference: float, digits: int = 2, words: str = ""
) -> Multiverse:
    """Compute every variant of an estimate; the first is the page's own.

    Parameters
    ----------
    metric : str
        Registry name of the metric.
    quantity : str
        What is estimated, in words.
    variants : sequence of Variant
        At least two; the first is the analysis that all others are compared with.
    reference : float
        The value that the conclusion turns on, such as no effect.
    digits : int
        Decimals in sentences.
    words : str
        What `reference` is, for the sentence; by default the number.

    Returns
    -------
    Multiverse
        One row a variant: term = its label, group = the choice, estimate and interval of the variant; an
        undefined one says why.

    Raises
    ------
    InputError
        For fewer than two variants, or two of one name.
    SocialStatsError
        Whatever the page's own analysis raises.

    Examples
    --------
    >>> row = lambda value: Result(metric="x", title="x", rows=(Row(term="m", estimate=value),))
    >>> found = multiverse("x", "the mean", [
    ...     Variant(label="all", choice="as on this page", compute=lambda: row(1.0)),
    ...     Variant(label="without ties", choice="ties", compute=lambda: row(1.5)),
    ...     Variant(label="pooled", choice="weights", compute=lambda: row(0.9)),
    ... ], reference=0.0)
    >>> moves(found.rows)
    {'ties': 0.5, 'weights': -0.1}

    References
    ----------
    Steegen, S., Tuerlinckx, F., Gelman, A., & Vanpaemel, W. (2016). Increasing transparency through a multiverse
    analysis. Perspectives on Psychological Science, 11(5), 702-712. doi:10.1177/1745691616658637
    """
    labels = [v.label for v in variants]
    if len(labels) < 2 or len(set(labels)) < len(labels):
        raise InputError(f"a multiverse needs at least two variants, each with a name of its own; got {quoted(labels)}")
    results, leads, rows = {}, {}, []
    for variant, result in zip(variants, [variants[0].compute(), *_computed(variants[1:])], strict=True):
        if isinstance(result, str):
            rows.append(Row(term=variant.label, group=variant.choice, undefined=result))
            continue
        results[variant.label], leads[variant.label] = result, variant.lead(result)
        rows.append(_row(variant, leads[variant.label], result))
    own = results[labels[0]]
    return Multiverse(
        metric=metric, title=f"{quantity[0].upper()}{quantity[1:]} under {count(len(rows), 'analysis', 'analyses')}",
        rows=tuple(rows), inference="the interval of each analysis; nothing is pooled", counts=own.counts,
        settings={"reference": reference, "digits": digits}, references=("steegen2016",), design=own.design,
        words=_words(tuple(rows), quantity, reference, digits, words or f"{reference:g}"),
        extras={"results": results, "leads": leads},
    )  # fmt: skip


def _computed(variants: Sequence[Variant]) -> list[Result | str]:
    """Compute each variant, or say why it has no result."""

    def one(k: int) -> Result | str:
        say(f"analysis variant: {variants[k].label}")
        try:
            return variants[k].compute()
        except SocialStatsError as error:
            return str(error).split("\n")[0]

    return in_halves(one, len(variants))


def _row(variant: Variant, lead: Row, result: Result) -> Row:
    """Return the row of a variant: its numbers under the variant's name."""
    return replace(lead, term=variant.label, group=variant.choice, by=None, method=result.inference)


def distinct(variants: Sequence[Variant]) -> list[Variant]:
    """Give variants that share a label a number each: labels of the data were cut, or differ only in what is unseen."""
    found: list[Variant] = []
    taken: set[str] = set()
    for variant in variants:
        label, k = variant.label, 1
        while label in taken:
            k += 1
            label = f"{variant.label} ({k})"
        taken.add(label)
        found.append(replace(variant, label=label))
    return found


def without_label(factor: str, level: str) -> str:
    """Name the analysis that leaves out one level; a level that says its factor is not said twice.

    Examples
    --------
    >>> without_label("topic", "money"), without_label("judge", "judge 2"), without_label("model", "Model-3")
    ('without topic money', 'without judge 2', 'without Model-3')
    """
    kind, named = shorten(factor, 20), shorten(level, 30)
    said = named.lower().startswith(kind.lower()) and not named[len(kind) : len(kind) + 1].isalpha()
    return f"without {named}" if said else f"without {kind} {named}"


def known(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that have an estimate."""
    return [row for row in rows if row.estimate is not None]


def ends(rows: Sequence[Row]) -> tuple[Row, Row]:
    """Return the rows of the smallest and the largest estimate."""
    found = sorted(known(rows), key=lambda row: row.estimate or 0.0)
    return found[0], found[-1]


def moves(rows: Sequence[Row]) -> dict[str, float]:
    """Return for each choice the largest shift of the estimate from the page's own, largest first."""
    base = rows[0].estimate or 0.0
    shifts: dict[str, float] = {}
    for row in known(rows[1:]):
        shift = round((row.estimate or 0.0) - base, 12)
        if abs(shift) >= abs(shifts.get(row.group or "", 0.0)):
            shifts[row.group or ""] = shift
    return dict(sorted(shifts.items(), key=lambda pair: -abs(pair[1])))


def side(row: Row, reference: float) -> Side:
    """Say where the interval of a row lies from the reference value."""
    if row.conf_low is None or row.conf_high is None:
        return "unknown"
    return "above" if row.conf_low > reference else "below" if row.conf_high < reference else "holds"


def _words(rows: tuple[Row, ...], quantity: str, reference: float, digits: int, name: str) -> str:
    """Return range, the choice that moves the estimate most, and how often the conclusion stays."""
    low, high = ends(rows)
    if len(known(rows)) < 2:
        return f"On this page {quantity} is {number(rows[0].estimate, digits)}. {_mover(rows, digits)}"
    text = (
        f"Over {count(len(known(rows)), 'analysis', 'analyses')}, {quantity} runs from {number(low.estimate, digits)} "
        f"({shorten(low.term, 60)}) to {number(high.estimate, digits)} ({shorten(high.term, 60)}); on this page it is "
        f"{number(rows[0].estimate, digits)}. {_mover(rows, digits)}"
    )
    inside = [row for row in rows if row.conf_low is not None]
    mine = side(rows[0], reference)
    if mine == "unknown" or len(inside) < 2:
        return text
    others = [row for row in inside if side(row, reference) != mine]
    verdict = f"The interval on this page {SIDES[mine].replace('it', name)}; so "
    if not others:
        return f"{text} {verdict}do those of all {count(len(inside) - 1)} others."
    told = ", ".join(f"{shorten(row.term, 60)} ({_interval(row, digits, reference)})" for row in others[:3])
    more = f" and {count(len(others) - 3)} more" if len(others) > 3 else ""
    return f"{text} {verdict}do those of {count(len(inside) - 1 - len(others))} others, but not: {told}{more}."


def _interval(row: Row, digits: int, reference: float) -> str:
    """Write an interval, with as many more decimals (at most three) as show on which side of the reference it lies."""
    for more in range(4):
        shown = replace(row, conf_low=round(row.conf_low or 0.0, digits + more),
                        conf_high=round(row.conf_high or 0.0, digits + more))  # fmt: skip
        if side(shown, reference) == side(row, reference):
            digits += more
            break
    return interval(row.conf_low, row.conf_high, digits, level=row.conf_level or 0.95)


def _mover(rows: tuple[Row, ...], digits: int) -> str:
    """Say which choice moves the estimate most."""
    shifts = moves(rows)
    if not shifts:
        return "No other analysis has an estimate."
    choice, shift = next(iter(shifts.items()))
    if abs(shift) <= SAME * max(1.0, abs(rows[0].estimate or 0.0)):
        return "No choice moves it."
    sign = "+" if shift > 0 else ""
    return f"What moves it most is {choice} ({sign}{number(shift, digits)})."


def multiverse_block(found: Multiverse, *, id: str, question: str, quantity: str, note: str = "") -> Block:
    """Show a multiverse: one line an analysis, the page's own as the vertical line."""
    digits = found.settings["digits"]
    shown = tuple(replace(row, undefined=row.undefined or None) for row in found.rows)
    low, high = ends(found.rows)
    caption = (
        f"From {number(low.estimate, digits)} to {number(high.estimate, digits)}; the line is the analysis of this "
        f"page. {_mover(found.rows, digits)} Intervals: of each analysis by itself."
    )
    return Block(
        id=id,
        question=question,
        sentences=(found.sentence(),),
        draw=partial(forest, shown, sort=False, digits=digits, label="Analysis", xlabel=quantity,
                     reference=found.rows[0].estimate),
        figure_title=f"{quantity[0].upper()}{quantity[1:]} under every choice of analysis",
        caption=f"{caption} {note}".strip(),
        tables=(multiverse_table(found, quantity),),
        results=(found,),
    )  # fmt: skip


def multiverse_table(found: Multiverse, quantity: str) -> Table:
    """Return every variant with what it changes."""
    base = found.rows[0].estimate or 0.0
    cells = tuple(
        (row.term, row.group, row.estimate, None if row.estimate is None else row.estimate - base, row.std_error,
         row.conf_low, row.conf_high, None if row.n is None else int(row.n), row.method, row.undefined)
        for row in found.rows
    )  # fmt: skip
    header = ("Analysis", "Choice", "Estimate", "Shift", "SE", "Low", "High", "n", "Interval", "Why not")
    return Table(caption=f"{quantity[0].upper()}{quantity[1:]} under every choice of analysis", header=header,
                 cells=cells, digits=max(3, found.settings["digits"]))  # fmt: skip
