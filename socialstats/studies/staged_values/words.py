"""Parts of the design of stages, and what is said of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from socialstats.arrays import IntArray
from socialstats.designs.ratings import OK, Ratings
from socialstats.results import Result, Row
from socialstats.studies.estimates import (
    Verdict,
    df_text,
    equivalence_bounds,
    numbers_text,
    planned_verdict,
)
from socialstats.studies.page import StudyOptions, Table
from socialstats.text import count, interval, listing, number, p_value, quoted, shorten

ALL = "by stage of all models"


def settled(row: Row, options: StudyOptions, smallest: float | None = None) -> Verdict:
    """Say what a row settles: by its adjusted p, and by the smallest effect where one was given."""
    return planned_verdict(row, alpha=1 - options.level, bounds=equivalence_bounds(row), smallest=smallest)


def with_test(row: Row, digits: int = 2) -> str:
    """Write estimate, interval and test of a row, with the adjusted p where it has one."""
    text = numbers_text(row, digits=digits)
    if row.statistic is None or row.p_value is None:
        return text
    p = p_value(row.p_value) if row.p_adjusted is None else p_value(row.p_adjusted, name="Holm-adjusted p")
    return f"{text}, t({df_text(row.df)}) = {number(row.statistic)}, {p}"


def changes(result: Result, measure: str = "composite") -> list[Row]:
    """Return the changes of all models against the baseline; of the only model where there is one."""
    joint = [r for r in result.rows if r.group == f"{measure} change {ALL}"]
    start = f"{measure} change: "
    return joint or [r for r in result.rows if (r.group or "").startswith(start)]


def change_name(row: Row) -> str:
    """Return ``stage 4 minus baseline`` of a row of changes."""
    group = row.group or ""
    return group.partition(": ")[2] if ": " in group else row.term


def size_of(result: Result, row: Row, measure: str = "composite") -> Row | None:
    """Return the d_z of a change."""
    group = (row.group or "").replace(f"{measure} change", f"{measure} d_z")
    return next((r for r in result.rows if r.group == group and r.term == row.term), None)


def last_change(result: Result, measure: str = "composite") -> Row:
    """Return the change at the last stage of the play: the last but a debrief."""
    rows = changes(result, measure)
    inside = [r for r in rows if not change_name(r).lower().startswith(("debrief", "after", "post", "end"))]
    return (inside or rows)[-1]


def changed(result: Result, row: Row, what: str, options: StudyOptions, measure: str = "composite") -> str:
    """Say what a change settles, with d_z."""
    size = size_of(result, row, measure)
    d_z = ""
    if size is not None and size.estimate is not None:
        d_z = f", d_z = {number(size.estimate)}"
        if size.conf_low is not None:
            d_z += f", {interval(size.conf_low, size.conf_high, level=size.conf_level or 0.95)}"
    name, inside = shorten(change_name(row), 60), f"{with_test(row)}{d_z}"
    verdict = settled(row, options)
    if row.estimate is None or verdict == "none":
        return f"no verdict on the change of {what} ({name}): {inside}"
    if verdict == "open":
        return f"the data do not settle whether {what} changed ({name}: {inside})"
    return f"{what} {'rose' if verdict == 'above' else 'fell'} ({name}: {inside})"


def changes_text(
    result: Result, what: str, options: StudyOptions, measure: str = "composite"
) -> str:  # fmt: skip
    """Say at which stages a measure rose, fell, or did not settle, each with interval and d_z."""
    words = {
        "above": f"{what} rose at", "below": f"{what} fell at", "equal": f"{what} is practically the same at",
        "open": f"the data do not settle whether {what} changed at", "none": f"no verdict on {what} at",
    }  # fmt: skip
    found: dict[str, list[str]] = {}
    for row in changes(result, measure):
        stage = change_name(row).removesuffix(f" minus {result.settings['baseline']}")
        size = size_of(result, row, measure)
        d_z = f", d_z = {number(size.estimate)}" if size is not None and size.estimate is not None else ""
        found.setdefault(settled(row, options), []).append(f"{shorten(stage, 40)} ({numbers_text(row)}{d_z})")
    parts = [f"{word} {listing(found[verdict])}" for verdict, word in words.items() if verdict in found]
    text = f"Against {shorten(str(result.settings['baseline']), 40)}, {'; '.join(parts)}."
    known = [r.p_adjusted for r in changes(result, measure) if r.p_adjusted is not None]
    return f"{text} {largest_p(known)}" if known else text


def largest_p(known: Sequence[float]) -> str:
    """Say how large the adjusted p-values are."""
    if len(known) == 1:
        return f"{p_value(known[0], name='Holm-adjusted p')}."
    return f"Largest of the {count(len(known))} Holm-adjusted p-values: {p_value(max(known))}."


def models_changed(profile: Result) -> str:
    """Name the families of the tests of changes."""
    models = profile.counts["models"]
    return "the stages" if models == 1 else "models and stages, and over the stages for all models together"


def leans(rows: Sequence[Row], options: StudyOptions) -> str:
    """Say how many models lie above, below, practically at, or undecided about the zero."""
    where = {"above": "above", "below": "below", "equal": "practically at"}
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(settled(row, options, options.smallest_effect), []).append(row)
    parts = []
    for verdict, word in where.items():
        if verdict in found:
            names = listing([shorten(r.term, 30) for r in found[verdict]], most=6)
            parts.append(f"{count(len(found[verdict]))} {word} it ({names})")
    if "open" in found:
        names = listing([shorten(r.term, 30) for r in found["open"]], most=6)
        after = " after adjustment" if any(r.p_adjusted is not None for r in found["open"]) else ""
        parts.append(f"for {count(len(found['open']))} the data do not settle it{after} ({names})")
    if "none" in found:
        names = listing([shorten(r.term, 30) for r in found["none"]], most=6)
        why = found["none"][0].undefined or "there is no interval"
        parts.append(f"for {count(len(found['none']))} there is no test ({names}: {why})")
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
    profile: Result, lean: Sequence[Row], commitment: Result | None, options: StudyOptions
) -> tuple[str, ...]:  # fmt: skip
    """Return where the models lean, what the stages change, and how commitment moves."""
    place = "the judges' own zero" if options.zero is not None else "the centre of the scale"
    known = sorted((r for r in lean if r.estimate is not None), key=lambda r: -(r.estimate or 0.0))
    first = f"Against {place}, of {count(len(lean), 'model')}: {leans(lean, options)}."
    if len(known) > 1 and number(known[0].estimate or 0.0) == number(known[-1].estimate or 0.0):
        first += f" All have the same composite, {number(known[0].estimate or 0.0)}."
    elif len(known) > 1:
        high, low = (f"{shorten(r.term, 40)} ({with_test(r)})" for r in (known[0], known[-1]))
        first += f" The highest is {high}, the lowest {low}."
    elif known:
        first += f" {shorten(known[0].term, 40)}: {with_test(known[0])}."
    moved = changed(profile, last_change(profile), "the composite", options)
    said = [first, f"{moved[0].upper()}{moved[1:]}."]
    if commitment is not None:
        row = last_change(commitment)
        text = changed(commitment, row, "commitment", options)
        said.append(f"{text[0].upper()}{text[1:]}.")
    return tuple(said)


COMMITMENT = "commitment"


BEFORE = ("baseline", "before", "pre", "start")


AFTER = ("debrief", "after", "post", "end")


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


def without(design: Ratings, part: str, level: str) -> Ratings:
    """Return the ratings outside one level of a part."""
    codes, known = codes_of(design, part)
    return design.take(codes != known.index(level), note=f"without {part} {quoted([level])}")


def main_wordings(design: Ratings) -> tuple[str, ...]:
    """Return the wordings that every stage was asked in; all, where there is none."""
    wording, names = codes_of(design, "wording")
    stage, stages = codes_of(design, "stage")
    seen = np.zeros((len(names), len(stages)), dtype=bool)
    seen[wording, stage] = True
    full = [name for name, has in zip(names, seen, strict=True) if has.all()]
    return tuple(full or names)


def all_stages(design: Ratings, stages: Sequence[str]) -> bool:
    """Tell whether every model has every scenario at every stage."""
    parts = [codes_of(design, part) for part in ("model", "scenario", "stage")]
    seen = np.zeros([len(names) for _, names in parts], dtype=bool)
    ok = design.status == OK
    seen[tuple(codes[ok] for codes, _ in parts)] = True
    return bool(seen.all())


def score_table(design: Ratings) -> Table:
    """Describe the scores of each trait: how many, their range, mean and standard deviation."""
    trait, names = codes_of(design, "trait")
    ok = design.status == OK
    cells = []
    for k, name in enumerate(names):
        mine = trait == k
        values = design.scores[design.value[mine & ok]]
        lost = int((mine & ~ok).sum())
        if len(values):
            sd = number(float(values.std(ddof=1))) if len(values) > 1 else None
            ends = (number(float(values.min()), 0), number(float(values.max()), 0))
            cells.append((name.replace("_", " "), len(values), lost, *ends, number(float(values.mean())), sd))
    return Table(caption="Scores of each trait, all judges and answers",
                 header=("Trait", "Scores", "Missing", "Lowest", "Highest", "Mean", "SD"),
                 cells=tuple(cells))  # fmt: skip
