"""A study by levels of a factor, and why a table does not suit a study."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from socialstats.designs.comparisons import Comparisons
from socialstats.designs.groups import Groups
from socialstats.designs.nouns import noun_of
from socialstats.designs.paired import Paired
from socialstats.designs.ratings import Ratings
from socialstats.errors import (
    Caution,
    DesignError,
    InputError,
    NothingToAnalyse,
    SocialStatsError,
    UndefinedStatistic,
)
from socialstats.figures import forest
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.registry import refuse_weights
from socialstats.results import Row, Verifications, combine_verifications
from socialstats.results.rows import difference_places, subtracts
from socialstats.scales.compare_models import common_text, left_out_caution
from socialstats.scales.model_numbers import COMPARISON_RULES
from socialstats.scales.plain_models import MODELS_COMPARED
from socialstats.sentences import no_number
from socialstats.shares.sources import human_source, models_of, raters_of
from socialstats.studies.estimates import rows_table, settings_of, verify_all
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
    KINDS,
    Block,
    Design,
    Outcome,
    PageTable,
    Study,
    StudyOptions,
    named,
    order_cautions,
    reason_of,
)
from socialstats.studies.reread import with_reread
from socialstats.studies.second import with_turned
from socialstats.studies.sources import replies_by
from socialstats.tables import as_number
from socialstats.text import count, listing, quoted, shorten

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


def run_study(study: Study, design: Design, options: StudyOptions) -> Outcome:
    """Run a study on a design, or on each level of its by factor; with `options.reread`, on another reading too.

    More than four levels have their leading blocks each, more than thirty only the comparison of all.

    Raises
    ------
    InputError
        Whatever the study raises, naming the level; for units with sampling weights, which no page has.
    """
    refuse_weights(design, f"the page '{study.name}'", study.weighted)
    outcome = with_turned(run_levels(study, design, options))
    told = (
        r.cautions
        for b in outcome.blocks
        if not b.level
        for r in b.results
        # cautions of comparisons are about the whole page
        if r.check is MODELS_COMPARED
    )
    outcome = replace(outcome, cautions=order_cautions(*told, outcome.cautions, once=False))
    results = [r for b in outcome.blocks for r in b.results]
    if any(r.metric == "multiverse" for r in results) or not all_subtract(
        [r.rows for r in results]
    ):
        outcome = replace(outcome, methods=(*outcome.methods, UNROUNDED))
    if any(
        r.p_adjusted is not None and r.conf_low is not None for one in results for r in one.rows
    ):
        outcome = replace(outcome, methods=(*outcome.methods, UNADJUSTED))
    return outcome if options.reread is None else with_reread(outcome, design, options)


UNROUNDED = (
    "Differences were computed from unrounded estimates. They can differ by one unit of the last decimal from the "
    "differences of printed estimates."
)
UNADJUSTED = (
    "CIs are unadjusted also where they stand beside Holm-adjusted p values, unless "
    "they are called simultaneous."
)


def all_subtract(results: Sequence[Sequence[Row]]) -> bool:
    """Return whether each difference is printed as that of two estimates printed in the same result."""
    for rows in results:
        places = {triple.difference: triple for triple in difference_places(rows)}
        for at, row in enumerate(rows):
            if (
                row.role == "difference"
                and row.estimate is not None
                and (at not in places or not subtracts(rows, places[at], row.decimals))
            ):
                return False
    return True


def run_levels(study: Study, design: Design, options: StudyOptions) -> Outcome:
    """Run a study on a design, or on each level of its by factor; `run_study` documents it."""
    if design.by is None:
        return study.run(design, options)
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
    both = [model for model, levels in lacking.items() if not levels]
    if not both or len(both) == len(every):
        return None
    try:
        outcomes = {
            level: study.run(
                replace(part.of_raters(both), by=None), replace(options, brief=True, verify=False)
            )
            for level, part in parts.items()
            if isinstance(part, Ratings)
        }
    except SocialStatsError:
        return None
    left = {model: f"not at {quoted(levels, 5)}" for model, levels in lacking.items() if levels}
    return Alike(outcomes=outcomes, both=tuple(both), left=left)


def noted(compared: tuple[Block, ...], alike: Alike | None, by: str) -> tuple[Block, ...]:
    """State in sentence and caution of a comparison on which models it is, where some were left out."""
    if alike is None or not compared or not compared[0].results:
        return compared
    (first, *rest), (found, *more) = compared, compared[0].results
    common = replace(
        found,
        words=found.sentence() + common_text(alike.both, alike.left, shorten(by, 40)),
        cautions=(*left_out_caution(alike.both, alike.left), *found.cautions),
    )
    said = common_text(alike.both, alike.left, shorten(by, 40)).strip()
    return (replace(first, sentences=(said, *first.sentences), results=(common, *more)), *rest)


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
    compared = noted(
        compared_levels(outcomes if alike is None else alike.outcomes, by, options, lost), alike, by
    )
    replies = None if isinstance(design, Groups | Paired) else replies_by(design, options.level)
    over_levels = tables_over_levels(outcomes, by)
    before = (*compared, *(block for block in (replies, over_levels) if block is not None))
    named = list(outcomes.items()) if len(outcomes) <= MOST_LEVELS else []
    room = MOST_MAIN - sum(block.part == "main" for block in before)
    blocks = [
        _labelled(block, level, k, main=not j and len(named) <= room)
        for k, (level, o) in enumerate(named)
        for j, block in enumerate(o.blocks[: MOST_BRIEF if options.brief else None])
    ]
    checks = {
        f"{shorten(level)}: {label}": partial(o.verifications.__getitem__, label)
        for level, o in named
        for label in list(o.verifications)[: 1 if options.brief else None]
    }
    said = [
        f"{shorten(level)}: {o.answer[0]}"
        for level, o in named
        if not options.brief or not compared
    ]
    said += [no_number(f"the result of {shorten(level)}", why) for level, why in lost.items()]
    lead, found = (
        lead_words(compared),
        compared[0].results[0] if compared and compared[0].results else None,
    )
    ranked = bool(lead) and found is not None and bool(found.extras["kind"].ranked)
    if found is not None and not (lead and options.brief):
        alone = alone_words(found) if lead else compared[0].sentences[:1]
        said += [f"These p values are unadjusted. {text}" for text in alone]
    said = [*lead, *said] if ranked else [*said, *lead]
    if len(outcomes) > 1 and not lead:
        said.append(f"Differences between levels of {shorten(by, 40)} were not tested.")
    brief = tuple(text + matched_words(compared, by) for text in first.methods[:1])
    if len(outcomes) > 1 and brief:
        own = f"'{shorten(next(iter(outcomes)), 40)}'; other levels were analysed in the same way"
        same = len({o.methods[:1] for o in outcomes.values()}) == 1
        brief = (f"{brief[0]} These numbers are of {'each level' if same else own}.",)
    return replace(
        first,
        title=f"{first.title.rstrip('?')}, by {shorten(by, 40)}?",
        design=f"{count(design.n_rows, ROWS[type(design).__name__])}, "
        f"{count(len(outcomes) + len(lost), f'{by} level')}",
        verdict=verdict_on_models(compared) or verdict_on_levels(before),
        answer=tuple(said),
        cautions=_cautions(outcomes),
        blocks=(*before, *blocks),
        flow=design.flow,
        planning=()
        if options.brief
        else tuple(f"{shorten(level)}: {text}" for level, o in named for text in o.planning),
        methods=(*brief, *first.methods[1:]),
        data=()
        if options.brief
        else tuple(
            replace(t, caption=f"{shorten(level)}: {t.caption}")
            for level, o in named
            for t in o.data
        ),
        diagnostics=()
        if options.brief
        else tuple(
            replace(d, check=f"{shorten(level)}: {d.check}")
            for level, o in named
            for d in o.diagnostics
        ),
        references=tuple(
            dict.fromkeys(
                [
                    *(key for o in outcomes.values() for key in o.references),
                    *(key for b in before for r in b.results for key in r.references),
                ]
            )
        ),
        verifications=combine_verifications(
            Verifications(checks), verify_all({}, before) if options.verify else {}
        ),
        settings=settings_of(options, tuple(first.settings)) | dict(first.settings),
    )


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
    known = {
        level: next(
            (
                r
                for b in o.blocks
                for r in b.results
                if r.metric in COMPARISON_RULES and not r.check
            ),
            None,
        )
        for level, o in outcomes.items()
    }
    found = {level: result for level, result in known.items() if result is not None}
    made = comparison(found, options, by, further(found), lost, led=True) if len(found) > 1 else ()
    return made or leading(outcomes, by)


def leading(outcomes: Mapping[str, Outcome], by: str) -> tuple[Block, ...]:
    """Return the leading estimates of all levels side by side, their tests adjusted as one family."""
    first = {
        level: o.blocks[0]
        for level, o in outcomes.items()
        if o.blocks and o.blocks[0].id in LEADING
    }
    shown = {level: block.results[0] for level, block in first.items() if block.results}
    if len(shown) < 2:
        return ()
    rows = [replace(result.rows[0], term=level, group=None) for level, result in shown.items()]
    tested, adjusted = adjust_family_by_holm(rows, f"levels of {by}")
    title, named = next(iter(shown.values())).title, shorten(by, 40)
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
    found = [c for c in next(iter(outcomes.values())).cautions if (c.code, c.detail) in shared]
    for told in apart.values():
        more = f" (and {count(len(told) - 1, 'more level')})" if len(told) > FEW else ""
        found += [
            replace(c, detail=f"{quoted([level])}: {c.detail}{more}")
            for level, c in (told[:1] if more else told)
        ]
    return order_cautions(tuple(found), once=False)


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


def urgency(design: Comparisons) -> str:
    """State what keeps urgency from being compared: no columns, words instead of numbers, the same on both sides."""
    found = design.covariates.get("urgency")
    if found is None:
        others = listing(list(design.covariates)) or "none"
        return (
            f"there are no columns urgency_a and urgency_b (covariates found: {others}). Name them with "
            "--map urgency_a=COLUMN --map urgency_b=COLUMN"
        )
    if not np.issubdtype(found.a.dtype, np.number):
        labels = dict.fromkeys(str(v) for v in np.concatenate([found.a, found.b]) if v is not None)
        words = [label for label in labels if as_number(label) is None]
        return f"urgency is words ({quoted(words)}), and its steps are counted: write numbers, such as 1, 2, 3"
    if len(design.items) < 3:
        return (
            f"all comparisons are between {quoted(design.items)}: S and the win rates vary over pairs of items, and "
            "one pair says nothing about others. Add items, or take --study comparisons"
        )
    rows = float(design.count.sum())
    where = "the one comparison" if rows == 1 else f"all {count(rows, 'comparison')}"
    return f"urgency is the same on both sides of {where}, so its effect cannot be estimated"


def people(design: Ratings) -> str:
    """State that no group of raters is called human, or that nothing is beside it; empty where people are found."""
    if human_source(design) is not None:
        return ""
    if not design.rater_groups:
        return (
            "which raters are people is undeclared: name the column with --map rater_source=COLUMN "
            "(people are called human, say)"
        )
    said = design.columns.get("rater_source", "")
    name = said if said in design.rater_groups else next(iter(design.rater_groups))
    factor = design.rater_groups[name]
    used = [factor.levels[code] for code in np.unique(factor.codes).tolist() if code >= 0]
    if len(used) == 1:
        return (
            f"all raters are of one source, '{shorten(used[0])}' (column '{shorten(name)}'): "
            f"nothing to compare it with"
        )
    return f"no source of raters is called human or people; column '{shorten(name)}' says {quoted(used)}"


def actions(design: Ratings) -> str:
    """State what keeps the actions of people and others from being compared."""
    if design.scale != "nominal":
        return f"its actions have no order, and the scale is {design.scale}: say --scale nominal"
    return people(design)


def alignment(design: Ratings) -> str:
    """State what keeps the distance of others to people from being measured."""
    if design.scale == "nominal":
        return f"its levels have an order, and these have none: say --levels with {quoted(design.levels)} in order"
    source = human_source(design)
    if not design.raters_known or source is None:
        return (
            people(design)
            if design.raters_known
            else "there is no rater column: name the column with --map rater=COLUMN"
        )
    n = len(raters_of(design, source, source.human))
    return f"a mode of people needs five of them or more; '{shorten(source.human)}' has {count(n, 'rater')}"


def stages(design: Ratings) -> str:
    """State that there is a single stage; empty where something else is missing."""
    found = design.strata["stage"].levels if "stage" in design.strata else ()
    if len(found) != 1:
        return ""
    return f"it is about changes over stages, and the only stage is '{shorten(found[0])}'"


def levels(design: Any) -> str:
    """State that there is nothing to compare by."""
    if design.by is None:
        return "what is compared is undeclared: name the column with --by COLUMN"
    return (
        f"column '{shorten(design.by.name)}' has the single value '{shorten(design.by.levels[0])}'"
    )


def models(design: Any) -> str:
    """Return that a leaderboard has a single model, or a single label of what it compares."""
    return (
        f"it has one {noun_of(design)}, {quoted(design.raters)}" if len(design.raters) == 1 else ""
    )


WHY: dict[str, Callable[[Any], str]] = {
    "role-conflict": urgency,
    "norm-goal": actions,
    "ordinal-alignment": alignment,
    "staged-values": stages,
    "compare": levels,
    "compare-ratings": levels,
    "leaderboard": models,
}


def why(study: str, design: Any) -> str:
    """Return why this design does not suit a study; empty where nothing more than its needs can be said.

    Examples
    --------
    >>> from socialstats import Comparisons
    >>> same = {"urgency_a": [1, 2], "urgency_b": [1, 2]}
    >>> table = {"item_a": ["nun", "son"], "item_b": ["son", "judge"], "winner": ["nun", "judge"], **same}
    >>> why("role-conflict", Comparisons.from_frame(table))
    'urgency is the same on both sides of all 2 comparisons, so its effect cannot be estimated'
    """
    return WHY[study](design) if study in WHY else ""


def pick(studies: Mapping[str, Study], name: str | None, design: Design) -> Study:
    """Return the study by name (or the one that it names for tables which lack what it needs), or the most specific.

    Raises
    ------
    InputError
        For an unknown name, a study of another design, or one whose columns are missing.
    """
    if name is None:
        return next(study for study in studies.values() if study.applies(design))
    study = named(studies, name)
    if not isinstance(design, KINDS[study.design]):
        raise InputError(
            f"study '{name}' is for {study.design}; this table was read as {type(design).__name__.lower()}"
        )
    if not study.applies(design):
        if study.otherwise and studies[study.otherwise].applies(design):
            return studies[study.otherwise]
        reason = why(name, design)
        raise InputError(
            f"study '{name}' cannot be run: {reason}"
            if reason
            else f"study '{name}' needs {study.needs}"
        )
    return study
