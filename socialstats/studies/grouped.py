"""A study run once for each level of a by factor, on one page."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from socialstats.errors import Caution, InputError, SocialStatsError
from socialstats.figures import forest
from socialstats.results import Verifications, joined
from socialstats.studies.base import Design, Study, StudyOptions, order_cautions
from socialstats.studies.estimates import rows_table, verify_all, with_holm
from socialstats.studies.outcome import Block, Mark, Outcome, Strip
from socialstats.studies.reread_blocks import with_reread
from socialstats.text import count, shorten

MOST_LEVELS = 12
LEADING = ("difference", "agreement", "judge")  # blocks whose first result starts with the answer
ROWS = {"Comparisons": "comparison", "Paired": "pair", "Ratings": "rating"}


def run_study(study: Study, design: Design, options: StudyOptions) -> Outcome:
    """Run a study on a design, or on each level of its by factor; with `options.reread`, on another reading too.

    Raises
    ------
    InputError
        For more than 12 levels; and whatever the study raises, naming the level.
    """
    outcome = run_levels(study, design, options)
    return outcome if options.reread is None else with_reread(outcome, design, options)


def run_levels(study: Study, design: Design, options: StudyOptions) -> Outcome:
    """Run a study on a design, or on each level of its by factor; `run_study` documents it."""
    if design.by is None:
        return study.run(design, options)
    parts = design.split()
    if len(parts) > MOST_LEVELS:
        raise InputError(
            f"'{design.by.name}' has {count(len(parts), 'level')}; a page holds at most {MOST_LEVELS}. Use --where"
        )
    if study.levels is not None and len(parts) > 1:
        return study.levels(design, options)
    outcomes = {level: _one(study, level, part, design.by.name, options) for level, part in parts.items()}
    return merge(outcomes, design)


def _one(study: Study, level: str, part: Design, by: str, options: StudyOptions) -> Outcome:
    try:
        return study.run(replace(part, by=None), options)
    except SocialStatsError as error:
        error.args = (f"{by} = {shorten(level)}: {error}",)
        raise


def merge(outcomes: dict[str, Outcome], design: Design) -> Outcome:
    """Put the outcomes of all levels on one page, each block under its level."""
    first = next(iter(outcomes.values()))
    by = design.by.name if design.by is not None else "by"
    compared = _compared(outcomes, by)
    return replace(
        first,
        title=f"{first.title} By {by}",
        design=f"{count(design.n_rows, ROWS[type(design).__name__])}, {count(len(outcomes), f'{by} level')}",
        answer=tuple(f"{shorten(level)}: {o.answer[0]}" for level, o in outcomes.items()),
        strip=_strip(outcomes),
        cautions=_cautions(outcomes),
        blocks=compared
        + tuple(_labelled(block, level, k) for k, (level, o) in enumerate(outcomes.items()) for block in o.blocks),
        flow=design.flow,
        data=tuple(
            replace(t, caption=f"{shorten(level)}: {t.caption}") for level, o in outcomes.items() for t in o.data
        ),
        diagnostics=tuple(
            replace(d, check=f"{shorten(level)}: {d.check}") for level, o in outcomes.items() for d in o.diagnostics
        ),
        references=tuple(dict.fromkeys(key for o in outcomes.values() for key in o.references)),
        verifications=joined(
            Verifications(
                {
                    f"{shorten(level)}: {label}": partial(o.verifications.__getitem__, label)
                    for level, o in outcomes.items()
                    for label in o.verifications
                }
            ),
            verify_all({}, compared) if first.verifications else {},
        ),
    )


def _cautions(outcomes: dict[str, Outcome]) -> tuple[Caution, ...]:
    """Return the cautions of all levels: once where all levels have the same words (of the table), else by level."""
    shared = set.intersection(*({(c.code, c.detail) for c in o.cautions} for o in outcomes.values()))
    return order_cautions(
        *[
            tuple(
                c if (c.code, c.detail) in shared else replace(c, detail=f"{shorten(level)}: {c.detail}")
                for c in o.cautions
            )
            for level, o in outcomes.items()
        ],
        once=False,
    )


def _compared(outcomes: dict[str, Outcome], by: str) -> tuple[Block, ...]:
    """Put the leading estimates of all levels beside each other, their tests adjusted as one family."""
    first = {level: o.blocks[0] for level, o in outcomes.items() if o.blocks and o.blocks[0].id in LEADING}
    leads = {
        level: block.results[0] for level, block in first.items()
        if block.results and block.results[0].metric != "symmetry"
    }  # fmt: skip
    if len(leads) < 2:
        return ()
    rows = [replace(result.rows[0], term=level, group=None) for level, result in leads.items()]
    tested, adjusted = with_holm(rows, f"levels of {by}")
    title = next(iter(leads.values())).title
    block = Block(
        id="levels",
        question=f"How do the levels of {shorten(by, 40)} compare?",
        sentences=(f"{title}, for each of {count(len(leads), 'level')} of {shorten(by, 40)} by itself.",),
        draw=partial(forest, tested, sort=False, digits=3, label=by, xlabel=title),
        figure_title=f"{title} by {shorten(by, 40)}",
        caption="Each level by itself: whether two levels differ is not tested here.",
        tables=(rows_table(tested, f"{title} by {shorten(by, 40)}", term=shorten(by, 40)),),
        results=() if adjusted is None else (adjusted,),
    )
    return (block,)


def _labelled(block: Block, level: str, k: int) -> Block:
    return replace(block, id=f"{block.id}-{k + 1}", level=level, question=f"{shorten(level)}: {block.question}")


def _strip(outcomes: dict[str, Outcome]) -> Strip | None:
    """Return the leading estimate of every level beside the reference lines of the first."""
    strips = {level: o.strip for level, o in outcomes.items() if o.strip is not None}
    if not strips:
        return None
    first = next(iter(strips.values()))
    marks = [m for m in first.marks if m.kind == "reference"]
    for level, strip in strips.items():
        lead = next(m for m in strip.marks if m.kind != "reference")
        marks.append(
            Mark(label=shorten(level, 30), value=lead.value, low=lead.low, high=lead.high, undefined=lead.undefined)
        )
    return replace(first, marks=tuple(marks))
