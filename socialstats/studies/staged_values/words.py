"""Parts of the design of stages, and sentences about composites and changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from socialstats import sentences
from socialstats.arrays import IntArray
from socialstats.designs.parts import OK
from socialstats.designs.ratings import Ratings
from socialstats.inference.halving import clusters_to_halve
from socialstats.results import Result, Row
from socialstats.results.rows import rows_with
from socialstats.scales.trait_profile import changes_of
from socialstats.studies.estimates import equivalence_bounds, planned_verdict
from socialstats.studies.page import PageTable, StudyOptions
from socialstats.studies.verdicts import LABEL, Conclusion, higher_or_lower, verdict_of
from socialstats.tables import Table as DataTable
from socialstats.text import as_given, capital, count, listing, number, quoted, shorten

BEFORE = ("baseline", "before", "pre", "start")
AFTER = ("debrief", "after", "post", "end")


def place_of(options: StudyOptions) -> str:
    """Name what leans are measured against."""
    return "the judges' neutral point" if options.zero is not None else "the centre of the scale"


def by_verdict(
    rows: Sequence[Row], options: StudyOptions, smallest: float | None = None
) -> dict[str, list[Row]]:
    """Sort rows by verdict: by their adjusted p, and by the smallest effect of interest where one was given."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        bounds = equivalence_bounds(row)
        verdict = planned_verdict(row, alpha=1 - options.level, bounds=bounds, smallest=smallest)
        found.setdefault(verdict, []).append(row)
    return found


def named(rows: Sequence[Row], *dimensions: str) -> list[Row]:
    """Return rows for a figure or a table: named by labels of their keys (by their terms without), without groups."""
    return [
        replace(r, group=None, term=", ".join(str(r.label(d)) for d in dimensions) or r.term)
        for r in rows
    ]


def at_stages(result: Result, measure: str = "composite", **facts: str) -> list[Row]:
    """Return a measure of all models (of the only one) at each stage, named by the stage."""
    joint, own = (
        rows_with(result.rows, "stage", *more, measure=measure, **facts)
        for more in ((), ("model",))
    )
    return named(joint or own, "stage")


def last_change(result: Result, measure: str = "composite") -> Row:
    """Return the change at the last stage of the play: the last but a debrief."""
    rows = changes_of(result, measure)
    declared = result.design.instrument is not None and result.design.instrument.stages
    inside = [
        r
        for r in rows
        if (
            r.label("stage") in result.settings["interaction"]
            if declared
            else not str(r.label("stage")).lower().startswith(AFTER)
        )
    ]
    return (inside or rows)[-1]


def unit_words(result: Result, row: Row) -> str:
    """Return the units of analysis behind a row: ``8 models``."""
    unit = str(result.settings["unit_of_analysis"])
    return count(row.n or result.counts[f"{unit}s"], unit)


def changed(result: Result, what: str, other: Result | None = None) -> str:
    """Return the last change with its unit of analysis; after it the same with those of another result."""
    row = last_change(result)
    stages = [shorten(str(row.label(part)), 40) for part in ("stage", "baseline")]
    said = sentences.difference(what, stages[0], stages[1], row, at="at")
    said = f"With {unit_words(result, row)} as units, {said[:1].lower()}{said[1:]}"
    if other is None:
        return said
    second = last_change(other)
    units = unit_words(other, second)
    if second.estimate is None or second.p_value is None:
        return f"{said} {sentences.no_number(f'The test with {units} as units', second.undefined or 'no test')}"
    verdict = "significant" if sentences.is_significant(second) else "not significant"
    numbers = sentences.stat(replace(second, places=row.decimals))
    return f"{said} With {units} as units, the change was {verdict} ({numbers})."


def all_wordings_text(own: Result, wide: Result | None, wordings: int) -> str:
    """Return the last change over all wordings where it is significant and that of the page is not, or the reverse."""
    if wide is None:
        return ""
    lead, row = last_change(own), last_change(wide)
    if row.p_value is None or sentences.is_significant(row) == sentences.is_significant(lead):
        return ""
    verdict = "significant" if sentences.is_significant(row) else "not significant"
    numbers = sentences.stat(replace(row, places=lead.decimals))
    return f"Over all {count(wordings, 'wording')}, at the stages that have them, the change was {verdict} ({numbers})."


def changes_text(result: Result, what: str, *, brief: bool = False) -> str:
    """Return at which stages a measure changed significantly from the baseline (`brief`: at how many)."""
    rows = changes_of(result)
    base, tested = (
        shorten(str(result.settings["baseline"]), 40),
        [r for r in rows if r.p_value is not None],
    )
    gone = [
        f"{shorten(str(r.label('stage')), 40)} ({r.undefined})" for r in rows if r.estimate is None
    ]
    lost = f" Undefined: {listing(gone)}." if gone else ""
    if not tested:
        return f"No change in {what} from {base} has a test.{lost}"
    clear = sorted(
        (r for r in tested if sentences.is_significant(r)), key=lambda r: -abs(r.estimate or 0.0)
    )
    start = f"With {unit_words(result, tested[0])} as units, "
    if len(tested) == 1:
        (row,) = tested
        verdict = f"was {'' if clear else 'not '}significant ({sentences.stat(row)})"
        return f"{start}the change in {what} from {base} {verdict}.{lost}"
    if not clear:
        none = sentences.no_significance_sentence(len(tested), f"changes in {what} from {base}")
        return f"{start}{none[:1].lower()}{none[1:]}{lost}"
    if brief:
        verb = "was" if len(clear) == 1 else "were"
        return f"{start}{count(len(clear))} of {count(len(tested))} {verb}.{lost}"
    named = clear if len(clear) <= MOST_TOLD else (clear[0], clear[-1])
    told = [f"{shorten(str(r.label('stage')), 40)} ({sentences.estimate_text(r)})" for r in named]
    where = (
        listing(told) if len(clear) <= MOST_TOLD else f"largest at {told[0]}, smallest at {told[1]}"
    )
    sizes = f": {where}" if len(clear) <= 1 else f". {capital(where)}"
    verb = "was" if len(clear) == 1 else "were"
    many = f"{count(len(clear))} of {count(len(tested))} changes in {what} from {base}"
    signs = {(r.estimate or 0.0) > 0 for r in clear}
    side = (
        ""
        if len(clear) == 1 or len(signs) > 1
        else f", all {'positive' if signs == {True} else 'negative'}"
    )
    return f"{start}{many} {verb} significant (Holm){side}{sizes}.{lost}"


MOST_TOLD = 2  # significant changes that are named one by one


def leans(rows: Sequence[Row], options: StudyOptions) -> str:
    """Return how many models scored above and below the reference, and for how many the test is undefined."""
    found, of = by_verdict(rows, options, options.smallest_effect), count(len(rows), "model")
    listed = {
        verdict: listing([shorten(r.term, 30) for r in some], most=6)
        for verdict, some in found.items()
    }
    size = "" if options.smallest_effect is None else as_given(options.smallest_effect)
    words = {
        "above": "scored above {}",
        "below": "scored below {}",
        "equal": f"were equivalent to {{}} within \u00b1{size}",
        "open": "did not differ significantly from {}",
    }
    parts = [(len(found[v]), word, listed[v]) for v, word in words.items() if v in found]
    why: dict[str, list[str]] = {}
    for row in found.get("none", []):
        why.setdefault(row.undefined or "no interval", []).append(shorten(row.term, 30))
    parts += [
        (len(names), "had no test", f"{listing(names, most=6)}: {reason}")
        for reason, names in why.items()
    ]
    said = [
        f"{count(n)}{f' of {of}' if not k else ''} {word.format(place_of(options) if not k else 'it')} ({names})"
        for k, (n, word, names) in enumerate(parts)
    ]
    adjusted = (
        "After Holm adjustment, "
        if any(r.p_adjusted is not None for r in rows) and len(rows) > 1
        else ""
    )
    first, *rest = said
    return capital(f"{adjusted}{first}.") + (
        f" By the same tests, {listing(rest)}." if rest else ""
    )


def ends_text(rows: Sequence[Row], *, at: str) -> str:
    """Return where a measure is highest and lowest, or that it is the same everywhere (as far as it is printed).

    Examples
    --------
    >>> rows = [Row(term="start", estimate=3.0), Row(term="end", estimate=3.001)]
    >>> ends_text(rows, at="at"), ends_text(rows[:1], at="at")
    ('the same at all of them (start and end): 3.00', '3.00 at start')
    """
    high, low = (
        max(rows, key=lambda r: r.estimate or 0.0),
        min(rows, key=lambda r: r.estimate or 0.0),
    )
    if len(rows) == 1:
        return f"{sentences.estimate_text(high)} {at} {shorten(high.term, 40)}"
    if number(high.shown()) == number(low.shown()):
        names = listing([shorten(r.term, 40) for r in rows], most=6)
        return f"the same {at} all of them ({names}): {number(high.shown())}"
    ends = [f"{at} {shorten(r.term, 40)} ({sentences.estimate_text(r)})" for r in (high, low)]
    return f"highest {ends[0]} and lowest {ends[1]}"


def changes(
    results: Mapping[str, Result],
    units: Mapping[str, Result],
    wordings: int,
    further: Sequence[str],
) -> tuple[str, ...]:
    """Return the last change of each measure: with models as units where there are enough, and scenarios beside.

    Where it is not significant, those that are follow, and so does the change over all wordings if it is.
    """
    said = []
    for name, measure in {
        "Composites": "the composite",
        **{capital(one): one for one in further},
    }.items():
        own = units.get(measure, results[name])
        scaled = measure if name == "Composites" else f"{measure}{scale_of(own)}"
        said.append(changed(own, scaled, results[name] if measure in units else None))
        said.append(all_wordings_text(own, results.get(f"{name}{ALL_WORDINGS}"), wordings))
        if not sentences.is_significant(last_change(own)) and any(
            map(sentences.is_significant, changes_of(own))
        ):
            said.append(changes_text(own, measure))
    return tuple(filter(None, said))


def scale_of(result: Result) -> str:
    """Return the scale of a measure whose ends are known: `` (0 to 5)``."""
    scale = result.settings["score_range"]
    return f" ({as_given(scale[0])} to {as_given(scale[1])})" if scale else ""


ALL_WORDINGS = ", all wordings"


def halving(results: Mapping[str, Result], units: Mapping[str, Result]) -> tuple[str, ...]:
    """Return how many more models (scenarios) halve the interval of the last change of the composite."""
    lead = units.get("the composite", results["Composites"])
    row = last_change(lead)
    more = clusters_to_halve(row, int(row.n or 0))
    unit = f"{lead.settings['unit_of_analysis']}s"
    return (
        (sentences.more_clusters_sentence(more, unit, "the change in the composite"),)
        if more
        else ()
    )


def range_text(lean: Sequence[Row], options: StudyOptions) -> str:
    """Return how the models lie to the reference, and from where to where they range."""
    known = sorted((r for r in lean if r.estimate is not None), key=lambda r: -(r.estimate or 0.0))
    if len(lean) == 1 and known:
        row = replace(known[0], p_adjusted=None)
        return sentences.reference_sentence("The composite", row, 0.0, place_of(options))
    said = leans(lean, options)
    if len(known) < 2:
        return said
    high, low = known[0], known[-1]
    if number(high.shown()) == number(low.shown()):
        return f"{said} All models had the same composite, {number(high.shown())}."
    ends = [f"{sentences.estimate_text(r)} ({shorten(r.term, 40)})" for r in (low, high)]
    return f"{said} {capital(composites(options))} ranged from {ends[0]} to {ends[1]}."


def verdict_on_stages(
    result: Result, lean: Sequence[Row], scores: str, options: StudyOptions
) -> Conclusion:
    """Return at which stage the composite changed most from the baseline, and how many models lean to one side.

    Parameters
    ----------
    result : Result
        With the units of analysis that lead the page.
    lean : sequence of Row
        The composite of each model against the reference.
    scores : str
        What composites are called: ``weighted trait scores``.
    options : StudyOptions
    """
    sizes = lean_sizes(lean, options)
    tested = [row for row in changes_of(result) if row.p_value is not None]
    clear = [row for row in tested if sentences.is_significant(row)]
    base = shorten(str(result.settings["baseline"]), LABEL)
    if not clear:
        stages = count(len(changes_of(result)), "stage")
        unseen = f"The data do not show a change of {scores} from {base} at any of {stages}"
        return verdict_of(unseen, *sizes, certainty="open")
    top = max(clear, key=lambda row: abs(row.estimate or 0.0))
    stage = shorten(str(top.label("stage")), LABEL)
    return higher_or_lower(top, scores, f"at {stage}", f"at {base}", *sizes)


def lean_sizes(lean: Sequence[Row], options: StudyOptions) -> list[str]:
    """Return on which side of the reference most models lean, as a size of a verdict; nothing where none does."""
    found = by_verdict(lean, options)
    sides = {side: len(found.get(side, ())) for side in ("above", "below")}
    side = max(sides, key=sides.__getitem__)
    if len(lean) < 2 or not sides[side]:
        return []
    place = "the neutral point" if options.zero is not None else "the centre"
    models = count(len(lean), "model")
    return [f"; {count(sides[side])} of {models} lean {side} {place}"]


def composites(options: StudyOptions) -> str:
    """Name composites as the page has them."""
    return "composites" if options.zero is None else f"composites relative to {place_of(options)}"


def ordered_stages(levels: Sequence[str]) -> tuple[str, ...]:
    """Return the stages in order: a baseline first, a debrief last, others as given (`in_table_order`).

    Examples
    --------
    >>> ordered_stages(["baseline", "debrief", "stage 1", "stage 2"])
    ('baseline', 'stage 1', 'stage 2', 'debrief')
    """

    return tuple(sorted(levels, key=end_of))


def end_of(label: str) -> int:
    """Return -1 for a baseline, 1 for a debrief, 0 for another stage."""
    low = label.strip().lower()
    return -1 if low in BEFORE else 1 if low in AFTER else 0


def unnumbered(levels: Sequence[str]) -> bool:
    """Return whether there are several stages between baseline and debrief of which some have no number.

    Examples
    --------
    >>> unnumbered(["baseline", "role", "debate"]), unnumbered(["baseline", "stage 1", "stage 2"])
    (True, False)
    """
    inner = [label for label in levels if not end_of(label)]
    return len(inner) > 1 and not all(any(map(str.isdigit, label)) for label in inner)


def in_table_order(design: Ratings, table: DataTable) -> Ratings:
    """Return the design with stages that have no numbers in the order in which the table names them first."""
    factor = design.strata["stage"]
    told = design.instrument is not None and design.instrument.stages
    if told or not unnumbered(factor.levels):
        return design
    wanted = [lambda row, level=level: row == (level,) for level in factor.levels]
    order = np.argsort(
        [found[0] if found else table.height for found in table.positions(["stage"], wanted, 1)]
    )
    place = np.argsort(order)
    own = replace(
        factor,
        codes=np.where(factor.codes < 0, -1, place[factor.codes]),
        levels=tuple(factor.levels[k] for k in order.tolist()),
    )
    return replace(design, strata={**design.strata, "stage": own})


def order_note(result: Result, stages: Sequence[str]) -> str:
    """Return how stages without numbers are ordered, for a caption; those that are declared need no note."""
    told = result.design.instrument is not None and result.design.instrument.stages
    return " Stages stand in the order in which the table names them first." * (
        not told and unnumbered(stages)
    )


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
    """Return whether every model has every scenario at every stage."""
    parts = [codes_of(design, part) for part in ("model", "scenario", "stage")]
    seen = np.zeros([len(names) for _, names in parts], dtype=bool)
    ok = design.status == OK
    seen[tuple(codes[ok] for codes, _ in parts)] = True
    return bool(seen.all())


def score_table(design: Ratings) -> PageTable:
    """Describe the scores of each trait: how many, their range, mean and standard deviation."""
    cells = []
    for name, given in design.table().groupby("trait")["score"]:
        scores = given.dropna()
        low, high = number(scores.min(), 0), number(scores.max(), 0)
        sd = number(scores.std()) if len(scores) > 1 else None
        lost = len(given) - len(scores)
        if len(scores):
            cells.append(
                (
                    str(name).replace("_", " "),
                    len(scores),
                    lost,
                    low,
                    high,
                    number(scores.mean()),
                    sd,
                )
            )
    return PageTable(
        caption="Scores of each trait, all judges and answers",
        header=("Trait", "Scores", "Missing", "Lowest", "Highest", "Mean", "SD"),
        cells=tuple(cells),
    )
