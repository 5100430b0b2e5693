"""A study by levels of a factor: a page of each, and their comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from socialstats.designs.comparisons import Comparisons
from socialstats.designs.groups import Groups
from socialstats.designs.paired import Paired
from socialstats.designs.ratings import Ratings
from socialstats.errors import (
    Caution,
    DesignError,
    NothingToAnalyse,
    SocialStatsError,
    UndefinedStatistic,
)
from socialstats.figures import forest
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, Row, Verification, Verifications, combine_verifications
from socialstats.scales.compare_models import common_text, left_out_caution
from socialstats.scales.model_numbers import COMPARISON_RULES
from socialstats.sentences import no_number
from socialstats.shares.sources import models_of
from socialstats.studies.estimates import literature, rows_table, verify_all
from socialstats.studies.grids import stacked_grids
from socialstats.studies.models import (
    FEW,
    alone_words,
    comparison,
    further,
    lead_words,
    matched_words,
    own_tests,
    verdict_on_levels,
    verdict_on_models,
)
from socialstats.studies.page import (
    Block,
    Design,
    Diagnostic,
    Outcome,
    PageTable,
    Study,
    StudyOptions,
    order_cautions,
    reason_of,
)
from socialstats.studies.sources import replies_by
from socialstats.text import count, quoted, shorten

MOST_MAIN = (
    8  # blocks among the results; of each level the first one where there is room for all levels
)
MOST_LEVELS = 30  # levels with sections of their own
MOST_BRIEF = 2  # blocks of a level among many
LEADING = ("agreement", "judge")  # blocks whose first result starts with the answer
ROWS = {"Comparisons": "comparison", "Groups": "unit", "Paired": "pair", "Ratings": "rating"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike:
    """Outcomes of all levels on the models that all of them have, and why each other model is left out."""

    outcomes: dict[str, Outcome]
    both: tuple[str, ...]
    left: dict[str, str]


def run_levels(study: Study, design: Design, options: StudyOptions) -> Outcome:
    """Run a study on each level of the by factor of a design; `run_study` documents it."""
    assert design.by is not None
    parts = design.split()
    options = replace(options, brief=len(parts) > FEW)
    if study.levels is not None and len(parts) > 1 and np.all(design.by.codes >= 0):
        return study.levels(design, options)
    outcomes: dict[str, Outcome] = {}
    lost: dict[str, SocialStatsError] = {}
    for level, part in parts.items():
        try:
            outcomes[level] = study.run(replace(part, by=None), options)
        except (
            DesignError,
            NothingToAnalyse,
            UndefinedStatistic,
        ) as error:  # other levels may have a page
            lost[level] = error
        except SocialStatsError as error:
            raise at_level(error, design.by.name, level) from None
    if not outcomes:
        level, first = next(iter(lost.items()))
        raise at_level(first, design.by.name, level)
    silent = design.silent() if isinstance(design, Comparisons) else {}
    reasons = {level: reason_of(error) for level, error in lost.items()} | silent
    return merge(outcomes, design, options, reasons, same_models(study, parts, options))


def same_models(study: Study, parts: Mapping[str, Design], options: StudyOptions) -> Alike | None:
    """Run a study on the models that all levels have, where levels pool their models and some lack one; else None.

    None too where no model has all levels (the levels are models), or the study finds nothing in these alone.
    """
    has = {
        level: models_of(part) if isinstance(part, Ratings) else () for level, part in parts.items()
    }
    every = list(dict.fromkeys(model for models in has.values() for model in models))
    lacking = {
        model: [level for level, models in has.items() if model not in models] for model in every
    }
    shared = [model for model, levels in lacking.items() if not levels]
    if not shared or len(shared) == len(every):
        return None
    try:
        outcomes = {
            level: study.run(
                replace(part.of_raters(shared), by=None), replace(options, brief=True, verify=False)
            )
            for level, part in parts.items()
            if isinstance(part, Ratings)
        }
    except SocialStatsError:
        return None
    left = {model: f"not at {quoted(levels, 5)}" for model, levels in lacking.items() if levels}
    return Alike(outcomes=outcomes, both=tuple(shared), left=left)


def noted(compared: tuple[Block, ...], alike: Alike | None, by: str) -> tuple[Block, ...]:
    """State in sentence and caution of a comparison on which models it is, where some were left out."""
    if alike is None or not compared or not compared[0].results:
        return compared
    (first, *further_blocks), (comparison, *more) = compared, compared[0].results
    common = replace(
        comparison,
        words=comparison.sentence() + common_text(alike.both, alike.left, shorten(by, 40)),
        cautions=(*left_out_caution(alike.both, alike.left), *comparison.cautions),
    )
    note = common_text(alike.both, alike.left, shorten(by, 40)).strip()
    return (
        replace(first, sentences=(note, *first.sentences), results=(common, *more)),
        *further_blocks,
    )


def at_level(error: SocialStatsError, by: str, level: str) -> SocialStatsError:
    """Return an error that names the level of the by factor."""
    error.args = (f"{by} = {shorten(level)}: {error}",)
    return error


def merge(
    outcomes: dict[str, Outcome],
    design: Design,
    options: StudyOptions,
    lost: Mapping[str, str] | None = None,
    alike: Alike | None = None,
) -> Outcome:
    """Merge the outcomes of all levels into one page: their comparison first, then each block under its level.

    `lost`: why levels have none. `alike`: the outcomes that are compared, where some models are left out of them.
    """
    lost = lost or {}
    first = next(iter(outcomes.values()))
    by = design.by.name if design.by is not None else "by"
    name = shorten(by, 40)
    comparable = outcomes if alike is None else alike.outcomes
    compared = noted(compared_levels(comparable, by, options, lost), alike, by)
    replies = None if isinstance(design, Groups | Paired) else replies_by(design, options.level)
    further_blocks = [replies, tables_over_levels(outcomes, by)]
    before = (*compared, *(block for block in further_blocks if block is not None))
    # few levels have all blocks, more of them the leading ones, and many none
    detailed = outcomes if len(outcomes) <= MOST_LEVELS else {}
    room = MOST_MAIN - sum(block.part == "main" for block in before)
    checks: dict[str, Callable[[], Verification]] = {}
    blocks = []
    for k, (level, outcome) in enumerate(detailed.items()):
        for j, block in enumerate(outcome.blocks[: MOST_BRIEF if options.brief else None]):
            main = not j and len(detailed) <= room
            blocks.append(_labelled(block, level, k, main=main))
        for label in list(outcome.verifications)[: 1 if options.brief else None]:
            check = partial(outcome.verifications.__getitem__, label)
            checks[f"{shorten(level)}: {label}"] = check
    verified = verify_all({}, before) if options.verify else {}
    references = [key for outcome in outcomes.values() for key in outcome.references]
    references += literature([result for block in before for result in block.results])
    rows = count(design.n_rows, ROWS[type(design).__name__])
    page = replace(
        first,
        title=f"{first.title.rstrip('?')}, by {name}?",
        design=f"{rows}, {count(len(outcomes) + len(lost), f'{by} level')}",
        verdict=verdict_on_models(compared) or verdict_on_levels(before),
        answer=tuple(answers_of_levels(compared, outcomes, detailed, lost, by, options)),
        cautions=_cautions(outcomes),
        blocks=(*before, *blocks),
        flow=design.flow,
        methods=methods_of_levels(compared, outcomes, by),
        references=tuple(dict.fromkeys(references)),
        verifications=combine_verifications(Verifications(checks), verified),
    )
    return with_details(page, {} if options.brief else detailed)


def with_details(page: Outcome, outcomes: Mapping[str, Outcome]) -> Outcome:
    """Return a page with what is said of the data, checks and planning of some levels, each under its level."""
    planning: list[str] = []
    data: list[PageTable] = []
    diagnostics: list[Diagnostic] = []
    for level, outcome in outcomes.items():
        name = shorten(level)
        planning += [f"{name}: {text}" for text in outcome.planning]
        data += [replace(table, caption=f"{name}: {table.caption}") for table in outcome.data]
        diagnostics += [
            replace(item, check=f"{name}: {item.check}") for item in outcome.diagnostics
        ]
    return replace(page, planning=tuple(planning), data=tuple(data), diagnostics=tuple(diagnostics))


def methods_of_levels(
    compared: Sequence[Block], outcomes: Mapping[str, Outcome], by: str
) -> tuple[str, ...]:
    """Return the methods of the first level, with how levels were compared and whose numbers they have."""
    level, first = next(iter(outcomes.items()))
    if len(outcomes) == 1 or not first.methods:
        return first.methods
    of = f"'{shorten(level, 40)}'; other levels were analysed in the same way"
    if len({outcome.methods[:1] for outcome in outcomes.values()}) == 1:
        of = "each level"
    brief = f"{first.methods[0]}{matched_words(compared, by)} These numbers are of {of}."
    return (brief, *first.methods[1:])


def answers_of_levels(
    compared: Sequence[Block],
    outcomes: Mapping[str, Outcome],
    detailed: Mapping[str, Outcome],
    lost: Mapping[str, str],
    by: str,
    options: StudyOptions,
) -> list[str]:
    """Return the answer of a page by levels: how they compare, first where they are ranked, and that of each."""
    lead = [*lead_words(compared)]
    board = next((result for block in compared[:1] for result in block.results), None)
    texts = [
        f"{shorten(level)}: {outcome.answer[0]}"
        for level, outcome in detailed.items()
        if not options.brief or not compared
    ]
    texts += [no_number(f"the result of {shorten(level)}", why) for level, why in lost.items()]
    if board is not None and not (lead and options.brief):
        alone = alone_words(board) if lead else compared[0].sentences[:1]
        texts += [f"These p values are unadjusted. {text}" for text in alone]
    ranked = bool(lead) and board is not None and bool(board.extras["kind"].ranked)
    texts = [*lead, *texts] if ranked else [*texts, *lead]
    if len(outcomes) > 1 and not lead:
        texts.append(f"Differences between levels of {shorten(by, 40)} were not tested.")
    return texts


def tables_over_levels(outcomes: Mapping[str, Outcome], by: str) -> Block | None:
    """Return the tables by keys of all levels, each as one table with the levels as a further dimension; or None."""
    layouts: dict[str, dict[str, PageTable]] = {}
    for level, outcome in outcomes.items():
        for table in (table for block in outcome.blocks for table in block.tables):
            if table.grid is not None and table.name:
                layouts.setdefault(table.name, {})[level] = table
    stacked = [stacked_grids(by, tables) for tables in layouts.values()]
    tables = tuple(table for table in stacked if table is not None)
    if not tables:
        return None
    name = shorten(by, 40)
    return Block(
        id="whole-tables",
        question=f"How do the tables of all levels of {name} look in one?",
        sentences=(f"Cells are those of the levels of {name}; differences were not tested.",),
        tables=tables,
        part="appendix",
    )


def compared_levels(
    outcomes: Mapping[str, Outcome], by: str, options: StudyOptions, lost: Mapping[str, str]
) -> tuple[Block, ...]:
    """Compare the levels by the first number of their pages that `compare_models` knows, and its further rows."""
    by_level: dict[str, Result] = {}
    for level, outcome in outcomes.items():
        results = [result for block in outcome.blocks for result in block.results]
        comparisons = [r for r in results if r.metric in COMPARISON_RULES and not r.check]
        if comparisons:
            by_level[level] = comparisons[0]
    blocks: tuple[Block, ...] = ()
    if len(by_level) > 1:
        blocks = comparison(by_level, options, by, further(by_level), lost, led=True)
    return blocks or leading(outcomes, by)


def leading(outcomes: Mapping[str, Outcome], by: str) -> tuple[Block, ...]:
    """Return the leading estimates of all levels side by side, their tests adjusted as one family."""
    first = {
        level: o.blocks[0]
        for level, o in outcomes.items()
        if o.blocks and o.blocks[0].id in LEADING
    }
    by_level = {level: block.results[0] for level, block in first.items() if block.results}
    if len(by_level) < 2:
        return ()
    rows = [replace(result.rows[0], term=level, group=None) for level, result in by_level.items()]
    tested, adjusted = adjust_family_by_holm(rows, f"levels of {by}")
    title, named = next(iter(by_level.values())).title, shorten(by, 40)
    block = Block(
        id="levels",
        question=f"How did the levels of {named} compare?",
        sentences=(none_or_some(tested, adjusted is not None),),
        draw=partial(forest, tested, sort=False, label=by, xlabel=title),
        figure_title=f"{title} by {named}",
        caption="Points: separate estimates with unadjusted CIs; differences between levels were not tested.",
        tables=(rows_table(tested, f"{title} by {named}", term=named),),
        results=() if adjusted is None else (adjusted,),
    )
    return (block,)


def none_or_some(rows: Sequence[Row], adjusted: bool) -> str:
    """Return how many levels were significant, or that none was tested."""
    if not adjusted:
        return f"Estimates of {count(len(rows), 'level')} stand side by side."
    return own_tests(rows)


def _cautions(outcomes: dict[str, Outcome]) -> tuple[Caution, ...]:
    """Return the cautions of all levels: once where all levels have the same words (of the table), else by level.

    Of more than four levels with words of their own the first is told, with the number of the others.
    """
    shared = set.intersection(
        *({(c.code, c.detail) for c in o.cautions} for o in outcomes.values())
    )
    apart: dict[str, list[tuple[str, Caution]]] = {}
    for level, o in outcomes.items():
        for c in o.cautions:
            if (c.code, c.detail) not in shared:
                apart.setdefault(c.code, []).append((level, c))
    cautions = [c for c in next(iter(outcomes.values())).cautions if (c.code, c.detail) in shared]
    for of_code in apart.values():
        more = f" (and {count(len(of_code) - 1, 'more level')})" if len(of_code) > FEW else ""
        cautions += [
            replace(c, detail=f"{quoted([level])}: {c.detail}{more}")
            for level, c in (of_code[:1] if more else of_code)
        ]
    return order_cautions(tuple(cautions), once=False)


def _labelled(block: Block, level: str, k: int, *, main: bool) -> Block:
    tables = tuple(
        replace(table, name=f"{table.name}-{k + 1}") if table.name else table
        for table in block.tables
    )
    return replace(
        block,
        tables=tables,
        id=f"{block.id}-{k + 1}",
        level=level,
        question=f"{shorten(level)}: {block.question}",
        part="main" if main else "appendix",
    )
