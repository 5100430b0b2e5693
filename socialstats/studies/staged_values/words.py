"""Parts of the design of stages, and what is said of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from socialstats.arrays import IntArray
from socialstats.designs.ratings import OK, Ratings
from socialstats.metrics.trait_profile import change_name, changes_of, size_of
from socialstats.results import Result, Row
from socialstats.results.rows import rows_with
from socialstats.studies.estimates import df_text, equivalence_bounds, numbers_text, planned_verdict
from socialstats.studies.page import StudyOptions, Table
from socialstats.text import capital, count, inconclusive, interval, listing, number, p_value, quoted, shorten

COMMITMENT = "commitment"
BEFORE = ("baseline", "before", "pre", "start")
AFTER = ("debrief", "after", "post", "end")
WHERE = {"above": "above", "below": "below", "equal": "practically at"}


def place_of(options: StudyOptions) -> str:
    """Name what leans are measured against."""
    return "the judges' own zero" if options.zero is not None else "the centre of the scale"


def by_verdict(rows: Sequence[Row], options: StudyOptions, smallest: float | None = None) -> dict[str, list[Row]]:
    """Sort rows by what they settle: by their adjusted p, and by the smallest effect where one was given."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        bounds = equivalence_bounds(row)
        verdict = planned_verdict(row, alpha=1 - options.level, bounds=bounds, smallest=smallest)
        found.setdefault(verdict, []).append(row)
    return found


def with_test(row: Row, digits: int = 2) -> str:
    """Write estimate, interval and test of a row, with the adjusted p where it has one."""
    text = numbers_text(row, digits=digits)
    if row.statistic is None or row.p_value is None:
        return text
    p = p_value(row.p_value) if row.p_adjusted is None else p_value(row.p_adjusted, name="Holm-adjusted p")
    return f"{text}, t({df_text(row.df)}) = {number(row.statistic)}, {p}"


def named(rows: Sequence[Row], *dimensions: str) -> list[Row]:
    """Return rows for a figure or a table: named by labels of their keys (by their terms without), without groups."""
    return [replace(r, group=None, term=", ".join(str(r.label(d)) for d in dimensions) or r.term) for r in rows]


def at_stages(result: Result, measure: str = "composite", **facts: str) -> list[Row]:
    """Return a measure of all models (of the only one) at each stage, named by the stage."""
    joint, own = (rows_with(result.rows, "stage", *more, measure=measure, **facts) for more in ((), ("model",)))
    return named(joint or own, "stage")


def last_change(result: Result, measure: str = "composite") -> Row:
    """Return the change at the last stage of the play: the last but a debrief."""
    rows = changes_of(result, measure)
    inside = [r for r in rows if not str(r.label("stage")).lower().startswith(AFTER)]
    return (inside or rows)[-1]


def size_text(result: Result, row: Row, *, ends: bool = True) -> str:
    """Write d_z of a change (with its interval), after a comma."""
    size = size_of(result, row)
    if size is None or size.estimate is None:
        return ""
    text = f", d_z = {number(size.estimate)}"
    if ends and size.conf_low is not None:
        text += f", {interval(size.conf_low, size.conf_high, level=size.conf_level or 0.95)}"
    return text


def changed(result: Result, what: str, options: StudyOptions) -> str:
    """Say what the last change settles, with d_z, as a sentence."""
    row = last_change(result)
    name, inside = shorten(change_name(row), 60), f"{with_test(row)}{size_text(result, row)}"
    (verdict,) = by_verdict([row], options)
    if row.estimate is None or verdict == "none":
        return f"No verdict on the change of {what} ({name}): {inside}."
    if verdict == "open":
        return f"{capital(inconclusive(f'{what} changed'))} ({name}: {inside})."
    return f"{capital(what)} {'rose' if verdict == 'above' else 'fell'} ({name}: {inside})."


def changes_text(result: Result, what: str, options: StudyOptions) -> str:
    """Say at which stages a measure rose, fell, or did neither for sure, each with interval and d_z."""
    words = {
        "above": f"{what} rose at", "below": f"{what} fell at", "equal": f"{what} is practically the same at",
        "open": inconclusive(f"{what} changed at"), "none": f"no verdict on {what} at",
    }  # fmt: skip
    rows = changes_of(result)
    found = {
        verdict: listing([f"{shorten(str(r.label('stage')), 40)} ({numbers_text(r)}{size_text(result, r, ends=False)})"
                          for r in some])
        for verdict, some in by_verdict(rows, options).items()
    }  # fmt: skip
    parts = [f"{word} {found[verdict]}" for verdict, word in words.items() if verdict in found]
    text = f"Against {shorten(str(result.settings['baseline']), 40)}, {'; '.join(parts)}."
    p = [r.p_adjusted for r in rows if r.p_adjusted is not None]
    if not p:
        return text
    if len(p) == 1:
        return f"{text} {p_value(p[0], name='Holm-adjusted p')}."
    return f"{text} Largest of the {count(len(p))} Holm-adjusted p-values: {p_value(max(p))}."


def leans(rows: Sequence[Row], options: StudyOptions) -> str:
    """Say how many models lie above, below, practically at, or undecided about the zero."""
    found = by_verdict(rows, options, options.smallest_effect)
    listed = {verdict: listing([shorten(r.term, 30) for r in some], most=6) for verdict, some in found.items()}
    parts = [f"{count(len(found[v]))} {word} it ({listed[v]})" for v, word in WHERE.items() if v in found]
    if "open" in found:
        after = " after adjustment" if any(r.p_adjusted is not None for r in found["open"]) else ""
        parts.append(f"{count(len(found['open']))} inconclusive{after} ({listed['open']})")
    if "none" in found:
        why: dict[str, list[str]] = {}
        for row in found["none"]:
            why.setdefault(row.undefined or "there is no interval", []).append(shorten(row.term, 30))
        told = "; ".join(f"{listing(names, most=6)}: {reason}" for reason, names in why.items())
        parts.append(f"for {count(len(found['none']))} there is no test ({told})")
    return listing(parts)


def ends_text(rows: Sequence[Row], *, at: str, digits: int = 2) -> str:
    """Say where a measure is highest and lowest, or that it is the same everywhere (as far as it is printed).

    Examples
    --------
    >>> rows = [Row(term="start", estimate=3.0), Row(term="end", estimate=3.001)]
    >>> ends_text(rows, at="at"), ends_text(rows[:1], at="at")
    ('the same at all of them (start and end): 3.00', '3.00 at start')
    >>> ends_text(rows, at="at", digits=3)
    'highest at end (3.001) and lowest at start (3.000)'
    """
    high, low = max(rows, key=lambda r: r.estimate or 0.0), min(rows, key=lambda r: r.estimate or 0.0)
    if len(rows) == 1:
        return f"{numbers_text(high, digits=digits)} {at} {shorten(high.term, 40)}"
    if number(high.estimate or 0.0, digits) == number(low.estimate or 0.0, digits):
        names = listing([shorten(r.term, 40) for r in rows], most=6)
        return f"the same {at} all of them ({names}): {number(high.estimate or 0.0, digits)}"
    ends = [f"{at} {shorten(r.term, 40)} ({numbers_text(r, digits=digits)})" for r in (high, low)]
    return f"highest {ends[0]} and lowest {ends[1]}"


def answer(
    results: Mapping[str, Result], lean: Sequence[Row], options: StudyOptions, *, several: bool
) -> tuple[str, ...]:
    """Return where the models lean, what the stages change, and how commitment moves.

    With `several` models the comparison stands before: their range is said there, and changes are means over them.
    """
    known = sorted((r for r in lean if r.estimate is not None), key=lambda r: -(r.estimate or 0.0))
    said = [f"Against {place_of(options)}, of {count(len(lean), 'model')}: {leans(lean, options)}."]
    over = f"Averaged over the {count(len(lean), 'model')}, "
    if several:
        known = []
    if len(known) > 1 and number(known[0].estimate) == number(known[-1].estimate):
        said[0] += f" All have the same composite, {number(known[0].estimate)}."
    elif len(known) > 1:
        high, low = (f"{shorten(r.term, 40)} ({with_test(r)})" for r in (known[0], known[-1]))
        said[0] += f" The highest is {high}, the lowest {low}."
    elif known:
        said[0] += f" {shorten(known[0].term, 40)}: {with_test(known[0])}."
    measured = {"Composites": "the composite", "Commitment": "commitment"}
    changes = [changed(results[name], what, options) for name, what in measured.items() if name in results]
    return (*said, *((f"{over}{text[:1].lower()}{text[1:]}" for text in changes) if several else changes))


def ordered_stages(levels: Sequence[str]) -> tuple[str, ...]:
    """Return the stages in order: a baseline first, a debrief last, others as they are sorted.

    Examples
    --------
    >>> ordered_stages(["baseline", "debrief", "stage 1", "stage 2"])
    ('baseline', 'stage 1', 'stage 2', 'debrief')
    """

    def place(label: str) -> int:
        low = label.strip().lower()
        return -1 if low in BEFORE else 1 if low in AFTER else 0

    return tuple(sorted(levels, key=place))


def codes_of(design: Ratings, part: str) -> tuple[IntArray, tuple[str, ...]]:
    """Return the codes of a part over the ratings, and its labels; one nameless level where the part is absent."""
    factor = design.strata.get(part)
    if factor is None:
        return np.zeros(len(design.unit), dtype=np.int64), ("all",)
    return factor.codes[design.unit], factor.levels


def only(design: Ratings, part: str, levels: Sequence[str]) -> Ratings:
    """Return the ratings of some levels of a part; the design itself where these are all, or the part is absent."""
    codes, known = codes_of(design, part)
    if part not in design.strata or set(known) <= set(levels):
        return design
    wanted = [k for k, level in enumerate(known) if level in levels]
    return design.take(np.isin(codes, wanted), note=f"{part} {quoted(list(levels), 4)}")


def main_wordings(design: Ratings) -> tuple[str, ...]:
    """Return the wordings that every stage was asked in; all, where there is none."""
    wording, names = codes_of(design, "wording")
    stage, stages = codes_of(design, "stage")
    seen = np.zeros((len(names), len(stages)), dtype=bool)
    seen[wording, stage] = True
    full = [name for name, has in zip(names, seen, strict=True) if has.all()]
    return tuple(full or names)


def all_stages(design: Ratings) -> bool:
    """Tell whether every model has every scenario at every stage."""
    parts = [codes_of(design, part) for part in ("model", "scenario", "stage")]
    seen = np.zeros([len(names) for _, names in parts], dtype=bool)
    ok = design.status == OK
    seen[tuple(codes[ok] for codes, _ in parts)] = True
    return bool(seen.all())


def score_table(design: Ratings) -> Table:
    """Describe the scores of each trait: how many, their range, mean and standard deviation."""
    cells = []
    for name, given in design.table().groupby("trait")["score"]:
        scores = given.dropna()
        low, high = number(scores.min(), 0), number(scores.max(), 0)
        sd = number(scores.std()) if len(scores) > 1 else None
        lost = len(given) - len(scores)
        if len(scores):
            cells.append((str(name).replace("_", " "), len(scores), lost, low, high, number(scores.mean()), sd))
    return Table(caption="Scores of each trait, all judges and answers",
                 header=("Trait", "Scores", "Missing", "Lowest", "Highest", "Mean", "SD"),
                 cells=tuple(cells))  # fmt: skip
