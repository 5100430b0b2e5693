"""Study staged-values: which traits does a model show, stage by stage?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from socialstats import sentences
from socialstats.custom.multiverse import Variant, distinct, multiverse, without_label
from socialstats.designs.instrument import COLUMN, Instrument
from socialstats.designs.parts import OK
from socialstats.designs.ratings import Ratings
from socialstats.designs.replies import trait_replies
from socialstats.designs.trait_ratings import trait_ratings
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.inference.dependence import is_nested_in
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, Row
from socialstats.results.result import printed_alike
from socialstats.results.rows import rows_with
from socialstats.scales.paraphrase_spread import paraphrase_spread
from socialstats.scales.trait_profile import change_name, trait_profile
from socialstats.scales.trait_weights import PAPER
from socialstats.shares.reply_shares import RATER, reply_shares
from socialstats.studies.estimates import cluster_words, settings_of, verify_all
from socialstats.studies.models import FEW, comparison, tests_of
from socialstats.studies.multiverse import MOST_LEFT_OUT, multiverse_block, other_analyses
from socialstats.studies.page import (
    Block,
    Outcome,
    Study,
    StudyOptions,
    check_named,
    order_cautions,
)
from socialstats.studies.sources import replies_block
from socialstats.studies.staged_values.blocks import (
    TRAIT_CHANGES,
    activation_block,
    changes_block,
    further_block,
    lean_block,
    trait_changes_block,
    traits_block,
    trajectories_block,
    units_block,
    weights_block,
    words,
)
from socialstats.studies.staged_values.judges import (
    AGREEMENT,
    COMPOSITES,
    about,
    agreement_block,
    agreement_of,
    controls_of,
    diagnostics,
    judges_block,
    one_judge,
    scored_answers,
    unknown_zero,
    with_agreement,
    with_controls,
    with_zero,
    wordings_block,
)
from socialstats.studies.staged_values.scoring import (
    anchor,
    further_of,
    instrument_for,
    instrument_of,
    played,
    scoring,
    stages_of,
    weights_of,
    with_weights,
)
from socialstats.studies.staged_values.stances import (
    check_stances,
    read_stances,
    stance_counts,
    stances_block,
)
from socialstats.studies.staged_values.words import (
    ALL_WORDINGS,
    changes,
    codes_of,
    halving,
    in_table_order,
    last_change,
    main_wordings,
    only,
    place_of,
    range_text,
    score_table,
    verdict_on_stages,
)
from socialstats.tables import Table as DataTable
from socialstats.text import as_given, capital, count, listing, number, percent_of, quoted, shorten
from socialstats.voice import option

OWN = "as on this page"
USED = ("seed", "resamples", "level", "smallest_effect", "zero", "weights", "reference", "verify")
PARTS = ("scenario", "stage", "judge")
COLUMNS = (*PARTS, *PAPER.traits)
CONTROL = "control"
FEWEST = 3  # models from which their variation says something
BY_MODELS: dict[str, Any] = {"unit_of_analysis": "model", "cluster": None}


def single(design: Ratings, name: str) -> dict[str, Any]:
    """Return how a score is analysed alone: on its scale; without limits where an undeclared one has scores outside."""
    instrument, given = instrument_of(design), design.scores[design.value[design.status == OK]]
    low, high = instrument.further.get(name, instrument.scale)
    inside = len(given) and given.min() >= low and given.max() <= high
    bound = inside or instrument.further is not PAPER.further
    ends = {"score_range": (low, high)} if bound else {"score_range": None, "free_weights": True}
    return {"weights": {name: 1.0}, "centre": 0.0, **ends}


def profile_of(design: Ratings, **options: Any) -> Result:
    """Return the composites of one design without a by factor."""
    found: Any = trait_profile(design, **options)
    result: Result = found
    return result


def stage_multiverse(
    design: Ratings, stages: Sequence[str], options: StudyOptions, name: str = ""
) -> Block:
    """Return the multiverse of the last change: of a further score, or of the composite."""
    part = only(design, "trait", (name,) if name else instrument_of(design).traits)
    main = only(part, "wording", main_wordings(design))
    given = {
        **common_options(design, options),
        "stages": stages,
        "activation": None,
        **played(design, stages, options),
        **(single(part, name) if name else scoring(instrument_of(design))),
    }
    listed = distinct(variants(part, main, given))
    what = name or "the composite"
    change = shorten(change_name(last_change(listed[0].compute())), 50)
    quantity = f"the change of {what} ({change})"
    place = "multiverse-composite" if not name else multiverse_id(anchor(design, name))
    return multiverse_block(
        multiverse("trait_profile", quantity, listed, reference=0.0, words="0"),
        quantity=quantity,
        id=place,
        question=other_analyses(f"the change of {what}"),
        note="With other units of analysis, the mean is the same; its standard error differs.",
    )


def multiverse_id(block: str) -> str:
    """Return the anchor of the multiverse of a further score: that of commitment has no name beside it."""
    return "multiverse" if block == "commitment" else f"multiverse-{block}"


def common_options(design: Ratings, options: StudyOptions) -> dict[str, Any]:
    """Return the options that every metric of the page takes."""
    told = "status" in design.columns  # why a score is missing: its answer is left out, and counted
    return {
        "level": options.level,
        "seed": options.seed,
        "resamples": options.resamples,
        "model": "model" if "model" in design.strata else None,
        "missing_trait": "drop_unit" if told else "error",
    }


def variants(part: Ratings, main: Ratings, given: dict[str, Any]) -> list[Variant]:
    """Return every reasonable way to do the analysis, the page's own first: with models as units where they lead."""
    models, scenario = codes_of(main, "model")[1], main.strata["scenario"]
    led = len(models) >= FEWEST
    unit, own = ("model", BY_MODELS) if led else ("scenario", dict[str, Any]())

    def way(
        label: str,
        choice: str,
        data: Callable[[], Ratings] = lambda: main,
        units: dict[str, Any] = own,
        **choices: Any,
    ) -> Variant:
        return Variant(
            label=label,
            choice=choice,
            compute=lambda: profile_of(data(), **(given | units | choices)),
            lead=last_change,
        )

    made = [
        way(f"{unit}s as units, judges fixed", OWN),
        way("judges drawn at random", "judges", judges="random"),
        way(f"bootstrap of {unit}s, percentile", "interval", ci="percentile"),
    ]
    if led:
        made.append(way("scenarios as units", "units of analysis", units={}))
    elif any(
        not is_nested_in(factor, scenario) for factor in main.clusters
    ):  # clusters that hold several scenarios
        made.append(way("clusters ignored", "clusters", cluster=None))
    equal = instrument_of(main).equal
    if len(given["weights"]) > 1 and given["weights"] != equal:
        made.append(way("equal weights", "weights", weights=equal))
    if part is not main:
        made.append(way("all wordings", "wordings", lambda: part))
    groups: dict[str, tuple[Sequence[str], Callable[[list[str]], Ratings]]] = {
        "judge": (main.raters, main.of_raters),
        "model": (models, partial(only, main, "model")),
    }
    for kind, (labels, kept) in groups.items():
        for label in labels if 1 < len(labels) <= MOST_LEFT_OUT else ():
            others = [other for other in labels if other != label]
            made.append(way(without_label(kind, label), f"{kind} left out", partial(kept, others)))
    return made


def read(
    table: DataTable,
    *,
    by: str | None = None,
    na: Sequence[str] = (),
    refusal: Sequence[str] = (),
    cluster: Sequence[str] = (),
    missing: str | None = None,
    weights: str | None = None,
) -> Ratings:
    """Read a table with one row per answer and judge, and one column per trait or further score.

    The table declares its instrument; where it does not, a table of weights does, or it is that of the paper.

    Raises
    ------
    InputError
        As `trait_ratings`; and for a by factor that is a part of the design.
    """
    if by in ("model", *PARTS, "wording"):
        raise InputError(
            f"--by {by}: this study compares models, stages and judges itself; leave it out"
        )
    if "stage" not in table.columns:
        raise InputError(
            f"{table.source}: no column 'stage'; this study is about changes over stages. Columns: "
            f"{quoted(table.columns, 20)}. Say which it is: --map stage=COLUMN"
        )
    instrument = instrument_for(table, weights)
    known = instrument or PAPER
    traits = [*known.used, *(name for name in known.further if name in table.columns)]
    given: dict[str, Any] = {"by": by, "na": na, "refusal": refusal, "source": table.source}
    given |= {"missing": missing} if missing else {}
    design = trait_ratings(
        table,
        traits=traits,
        model="model" if "model" in table.columns else None,
        cluster=cluster or "scenario",
        **given,
    )
    if CONTROL in design.strata["stage"].levels:
        raise InputError(
            f"{table.source}: stage '{CONTROL}': control texts are no stage. Leave them out "
            f"({option('exclude')}), and give their scores as a table of their own "
            f"({option('controls', 'FILE', '--controls FILE')})"
        )
    return in_table_order(replace(design, instrument=instrument), table)


def suits(design: Ratings) -> bool:
    """Return whether the design holds trait scores of stages, under the names that `trait_ratings` gives them."""
    if not {"scenario", "stage", "trait"} <= set(design.strata):
        return False
    return set(instrument_of(design).traits) <= set(design.strata["trait"].levels) and (
        len(design.strata["stage"].levels) > 1
    )


def run(design: Ratings, options: StudyOptions) -> Outcome:
    """Answer: where do the models lean, how does that change over the stages, and do the judges agree?"""
    if design.by is not None:
        raise InputError(
            f"the report takes one '{design.by.name}' at a time; filter the table, or leave "
            f"{option('by')} out"
        )
    stages = design.strata["stage"].levels if "stage" in design.strata else ()
    if len(stages) == 1:
        raise InputError(
            f"this study is about changes over stages, and the only stage is '{shorten(stages[0], 40)}'; "
            "trait_profile(...) gives the composites of a single stage"
        )
    check_named("reference", options.reference, stages, "stage")
    chosen = with_weights(instrument_of(design), options.weights)
    if chosen is not PAPER:
        design = replace(design, instrument=chosen)
    options = with_controls(replace(options, weights=chosen.used), chosen)
    if options.stances is not None:
        check_stances(options.stances, design)
    several = len(codes_of(design, "model")[1]) > FEW
    options = replace(with_zero(options, chosen), brief=several)
    stages, results, units = compute(design, options)
    profile, results = (
        results["Composites"],
        results | {f"{what}, models as units": r for what, r in units.items()},
    )
    group = {} if options.zero is None else {"against": "zero"}
    lean, tests = adjust_family_by_holm(
        rows_with(profile.rows, "model", measure="composite", **group), "models"
    )
    if tests is not None:
        results = {"Composites": profile, "Lean of the models": tests, **results}
    first = compared(comparison(profile, options))
    shown = (*first, *blocks(design, stages, results, lean, options))
    apart = next((block for block in shown if block.id == TRAIT_CHANGES), None)
    known = [r.cautions for r in results.values() if r not in units.values()]
    cautions = order_cautions(unknown_zero(options), *known, design.cautions)
    few = [c for r in units.values() for c in r.cautions if c.code == "SS312"][
        :1
    ]  # models as units lead
    low = tuple(
        c for r in results.values() for c in r.cautions if c.code == "SS332"
    )  # two scores may have one each
    cautions = order_cautions(cautions, tuple(few), low, one_judge(design), once=False)
    return Outcome(
        study="staged-values",
        title="Where did the models lean, and what did the stages change?",
        design=describe(design, profile),
        verdict=verdict_on_stages(
            units.get("the composite", profile), lean, kind_of_scores(chosen), options
        ),
        opening="trajectories",
        answer=(
            *(() if apart is None else apart.sentences),
            range_text(lean, options),
            *differences(first),
            *changes(results, units, len(codes_of(design, "wording")[1]), further_of(design)),
        ),
        planning=halving(results, units),
        cautions=cautions,
        blocks=shown,
        flow=design.flow,
        data=(score_table(design),),
        diagnostics=diagnostics(design, profile, options),
        methods=methods(profile, chosen, units, options),
        references=tuple(
            dict.fromkeys([*(key for r in results.values() for key in r.references), "steegen2016"])
        ),
        verifications=verify_all(results, shown) if options.verify else {},
        settings=settings_of(options, USED)
        | {"zero": None if options.zero is None else dict(options.zero)},
        simulated=options.simulated,
    )


def compared(found: tuple[Block, ...]) -> tuple[Block, ...]:
    """Return the comparison of models with the reference as a line; the differences stand in the appendix."""
    if not found:
        return ()
    lead, *more = found
    if isinstance(lead.draw, partial) and "reference" in lead.draw.keywords:
        lead = replace(lead, draw=partial(lead.draw, reference=0.0))
    return (lead, *(replace(block, part="appendix") for block in more))


def differences(found: Sequence[Block]) -> tuple[str, ...]:
    """Return how many differences between models were significant; nothing without a comparison."""
    if not found:
        return ()
    tested, clear = tests_of(found[0].results[0])
    return (
        (sentences.some_of(len(clear), len(tested), "differences between models"),)
        if tested
        else ()
    )


def compute(
    design: Ratings, options: StudyOptions
) -> tuple[tuple[str, ...], dict[str, Result], dict[str, Result]]:
    """Compute every number of the page that does not belong to the multiverse.

    Returns
    -------
    stages : tuple of str
        In their order.
    results : dict of str to Result
        By a name of its own: ``Composites``, and where there are such ``Commitment``, ``Spread over wordings`` and the
        agreement of the judges.
    units : dict of str to Result
        What is measured -> the same with models as the units of analysis; empty for one or two models.
    """
    instrument, stages = instrument_of(design), stages_of(design)
    common = common_options(design, options)
    main = only(design, "wording", main_wordings(design))
    traits, alone = only(main, "trait", instrument.traits), dict[str, Ratings]()
    changes = "baseline" if options.brief else "all"
    plain = {**common, "stages": stages, **scoring(instrument_of(design))}
    full = plain | played(design, stages, options)
    measured = {"the composite": (traits, full)}
    counted = {
        "activation": instrument.active,
        "entropy": entropy_of(traits, stages),
        "trait_groups": instrument.groups or None,
    }
    results = {
        "Composites": profile_of(traits, zero=options.zero, changes=changes, **counted, **full)
    }
    for name in further_of(design):
        alone[name] = only(main, "trait", (name,))
        measured[name] = alone[name], full | single(alone[name], name)
        results[capital(name)] = profile_of(
            alone[name], activation=None, changes=changes, **measured[name][1]
        )
    units = {}
    if results["Composites"].counts["models"] >= FEWEST:
        for name, (what, (data, given)) in zip(list(results), measured.items(), strict=True):
            units[what] = profile_of(data, activation=None, **(given | BY_MODELS))
            (results[name],) = printed_alike(units[what], results[name])
    if main is not design:
        for name, (what, (_, given)) in zip(list(results), measured.items(), strict=True):
            whole = only(design, "trait", instrument.traits if name == "Composites" else (what,))
            by = BY_MODELS if units else {}
            results[f"{name}{ALL_WORDINGS}"] = profile_of(whole, activation=None, **(given | by))
    if not instrument.weights:
        results |= {
            of_trait(t): trait_alone(main, t, full, by_models=bool(units))
            for t in instrument.traits
        }
    spread = spread_of(only(design, "trait", instrument.traits), plain)
    if spread is not None:
        results["Spread over wordings"] = spread
    del common["model"], common["missing_trait"]
    agreed = agreement_of(traits, alone, stages, common)
    results["Composites"] = with_agreement(results["Composites"], agreed, COMPOSITES, "composites")
    for name in alone:
        results[capital(name)] = with_agreement(results[capital(name)], agreed, about(name), name)
    return stages, results | agreed, units


def of_trait(name: str) -> str:
    """Name the result of one trait, which no further score may take."""
    return f"Trait {name}"


def trait_alone(design: Ratings, name: str, given: Mapping[str, Any], *, by_models: bool) -> Result:
    """Return the scores of one trait and their changes, with the units of analysis of the page."""
    part = only(design, "trait", (name,))
    units = BY_MODELS if by_models else {}
    return profile_of(part, activation=None, **{**given, **single(part, name), **units})


def entropy_of(traits: Ratings, stages: Sequence[str]) -> str | None:
    """Return the unit of the entropy of the traits' shares; None without a threshold, or where an answer has none."""
    if instrument_of(traits).active is None:
        return None
    scores = scored_answers(traits, stages).scores.mean(axis=1)
    return "nats" if scores.min() >= 0 and scores.sum(axis=1).min() > 0 else None


def spread_of(design: Ratings, options: dict[str, Any]) -> Result | None:
    """Return the spread over wordings, or None where no question has two."""
    if "wording" not in design.strata or len(design.strata["wording"].levels) < 2:
        return None
    try:
        found: Any = paraphrase_spread(design, **options)
    except NothingToAnalyse:
        return None
    result: Result = found
    return result


def blocks(
    design: Ratings,
    stages: Sequence[str],
    results: Mapping[str, Result],
    lean: Sequence[Row],
    options: StudyOptions,
) -> tuple[Block, ...]:
    """Return the questions in the order of a reader's interest."""
    profile, spread = results["Composites"], results.get("Spread over wordings")
    further = {name: results[capital(name)] for name in further_of(design)}
    both = {"the composite": profile, **further}
    units = {what: results.get(f"{what}, models as units") for what in both}
    pairs = {what: (one, by_model) for what, one in both.items() if (by_model := units[what])}
    apart = {
        t: results[of_trait(t)] for t in instrument_of(design).traits if of_trait(t) in results
    }
    replies = trait_replies(design)
    source = RATER if len(replies.raters) > 1 else None
    agreed = (*AGREEMENT, *map(about, further))
    block = lean_block(profile, lean, results.get("Lean of the models"), options)
    found = (
        replace(block, part="appendix")
        if len(lean) > 1
        else block,  # the same numbers as those of the comparison
        trait_changes_block(apart) if apart else None,
        changes_block(profile, units["the composite"]),
        trajectories_block(profile, stages, options),
        *(
            further_block(name, one, units[name], stages, id=anchor(design, name))
            for name, one in further.items()
        ),
        agreement_block({name: results[name] for name in agreed if name in results}, stages),
        judges_block(profile, options),
        None if options.stances is None else stances_block(stance_counts(options.stances, options)),
        replies_block(
            replies, reply_shares(replies, source=source, stratum="stage", level=options.level)
        ),
        None
        if spread is None
        else wordings_block(spread, [results[k] for k in results if k.endswith(ALL_WORDINGS)]),
        traits_block(profile, main=bool(apart)),
        units_block(pairs),
        activation_block(profile),
        weights_block(profile),
        None if options.brief else stage_multiverse(design, stages, options),
        *(
            stage_multiverse(design, stages, options, name)
            for name in (() if options.brief else further)
        ),
    )
    return tuple(block for block in found if block is not None)


def describe(design: Ratings, profile: Result) -> str:
    """Return the design in one line: kind, and n at every level."""
    n = [
        count(profile.counts[f"{what}s"], what)
        for what in ("model", "scenario", "stage", "judge", "trait")
    ]
    n[-1] += "".join(f" and {shorten(name, 40)}" for name in further_of(design))
    used, every = main_wordings(design), codes_of(design, "wording")[1]
    scores = count(design.n_rows, "score")
    if len(used) < len(every):
        led = count(only(design, "wording", used).n_rows)
        scores = f"{led} of {scores} (wording {listing([shorten(one, 30) for one in used])} of {count(len(every))})"
    scenario = design.strata["scenario"]
    # clusters inside scenarios are these scenarios, which are counted already
    wider = [factor for factor in design.clusters if not is_nested_in(factor, scenario)]
    clusters = cluster_words(replace(design, clusters=tuple(wider)))
    return f"Trait scores by judges: {', '.join([*n, scores, *clusters])}"


def kind_of_scores(instrument: Instrument) -> str:
    """Return what composites are."""
    return "weighted trait scores" if instrument.weights else "unweighted means of the trait scores"


def methods(
    profile: Result, instrument: Instrument, units: Mapping[str, Result], options: StudyOptions
) -> tuple[str, ...]:
    """Return the methods paragraphs, the first one brief."""
    low, high = (as_given(end) for end in profile.extras["range"])
    weights = ", ".join(
        f"{words(name)} {number(w, 3)}" for name, w in profile.extras["weights"].items()
    )
    error, told, level = profile.settings.get("zero_error"), "", percent_of(options.level)
    if error is not None:
        source = (
            "the means of neutral texts"
            if error["basis"] == "texts"
            else "the judges' noise on control texts"
        )
        told = f" The error of the neutral point, from {source}, is in these CIs (Cochran's weighted critical value)."
    over = "models and stages" if profile.counts["models"] > 1 else "stages"
    of = f"{count(profile.counts['models'], 'model')} (for other models) and " if units else ""
    zero = "" if options.zero is None else f"; 0: {place_of(options)}"
    wide = " (for other scenarios)" if units else ""
    up, down = (
        listing(
            [words(name) for name, w in profile.extras["weights"].items() if w * sign > 0], most=1
        )
        for sign in (1, -1)
    )
    sides = "; ".join(
        f"{side} for {names}" for side, names in (("higher", up), ("lower", down)) if names
    )
    kind = kind_of_scores(instrument)
    families = ["stages", "models", *(["pairs of models"] if profile.counts["models"] > 2 else [])]
    brief = (
        f"Composites ({kind} averaged over judges, {low} to {high}{zero}) are "
        f"{sides}. Changes had paired t tests with {of}{count(profile.counts['scenarios'], 'scenario')}{wide} as "
        "units. "
        f"{level} CIs are unadjusted t intervals; p values were Holm-adjusted over {listing(families)}."
    )
    none, active, centre = "", "", as_given(instrument.centre)
    if not instrument.weights:
        none = "No weights were declared: the composite is the mean of all traits minus the centre of the scale. "
    if instrument.active is not None:
        least, most = as_given(instrument.active), as_given(instrument.scale[1])
        active = f" A trait is active from a mean score of {least} of {most}."
    composite = f"the sum over traits of weight x (score \u2212 {centre})"
    return (
        brief,
        (
            f"{none}The composite of an answer, as one judge scores it, is {composite}. "
            f"Weights: {weights}. Intervals: {profile.inference}.{told} Changes of single models "
            f"were Holm-adjusted over "
            f"{over}. d_z is the mean change over the SD of the changes. Its CI "
            f"has the wider limits of noncentral t and jackknife t.{active}"
        ),
    )


STUDY = Study(
    name="staged-values",
    title="Where do models lean in staged role play, and what do the stages change?",
    design="ratings",
    needs="scenario, stage, judge and the traits that the table declares, or "
    f"{', '.join(PAPER.traits)}; best with model, wording, commitment",
    suits=suits,
    uses=("reference",),
    run=run,
    read=read,
    columns=COLUMNS,
    declared=(*PARTS, COLUMN),
    takes=("weights",),
    beside={"controls": controls_of, "weights": weights_of, "stances": read_stances},
)
