"""Study staged-values: which traits does a model show, stage by stage?"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from socialstats import sentences
from socialstats.agreement.krippendorff_alpha import krippendorff_alpha
from socialstats.agreement.weighted_kappa import weighted_kappa
from socialstats.custom.multiverse import Variant, distinct, multiverse, without_label
from socialstats.designs.instrument import Instrument
from socialstats.designs.parts import OK
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, caution
from socialstats.inference.dependence import is_nested_in, small_sample_caution
from socialstats.inference.halving import clusters_to_halve
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, Row
from socialstats.results.result import printed_alike
from socialstats.results.rows import rows_with
from socialstats.scales.judge_zeros import JudgeZeros
from socialstats.scales.paraphrase_spread import paraphrase_spread
from socialstats.scales.trait_profile import change_name, changes_of, last_change, trait_profile
from socialstats.scales.trait_weights import PAPER, with_weights
from socialstats.scales.traits import composite_ratings
from socialstats.studies.alphas import TENTATIVE
from socialstats.studies.asking import attempt_result, page_of
from socialstats.studies.estimates import single
from socialstats.studies.models import FEW, comparison
from socialstats.studies.multiverse import MOST_LEFT_OUT, multiverse_block, other_analyses
from socialstats.studies.page import (
    Block,
    Diagnostic,
    Outcome,
    PageTable,
    StudyOptions,
    check_named,
    check_single,
)
from socialstats.studies.row_picking import leading_difference, pick_rows
from socialstats.studies.staged_values.declaration import (
    check_stances,
    codes_of,
    composite_options,
    further_of,
    instrument_of,
    main_wordings,
    only,
    stage_options,
    with_controls,
)
from socialstats.studies.staged_values.questions import (
    COMPOSITE,
    COMPOSITES,
    KAPPA,
    SCORES,
    Measure,
    Staged,
    baseline_of,
    change_sentences,
    lean_sentence,
    lean_sides,
    place_of,
    questions,
)
from socialstats.studies.verdicts import LABEL, Conclusion, higher_or_lower, on_scale, verdict_of
from socialstats.text import (
    as_given,
    as_words,
    count,
    listing,
    number,
    percent_of,
    quoted,
    shorten,
    shortened,
)

USED = ("seed", "resamples", "level", "smallest_effect", "zero", "weights", "reference", "verify")
FEWEST = 3  # models from which their variation says something
ERRORS = {"texts": "the means of neutral texts", "judging": "the judges' noise on control texts"}
BY_MODELS: dict[str, Any] = {"unit_of_analysis": "model", "cluster": None}
# options of a profile that its spread over wordings does not take
OF_CHANGES = ("baseline", "interaction", "activation", *BY_MODELS)
# names that anchors may have; a number alone at the end would be that of a level
PLAIN = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
LEVELS_AS_THEY_OCCUR = "SS310"  # scores and composites are on an interval scale by what they are


# prepare


def prepare(design: Ratings, options: StudyOptions) -> tuple[Ratings, StudyOptions]:
    """Return the design with the weights asked for, and the options with the judges' neutral point.

    Raises
    ------
    InputError
        For a by factor, a single stage, and options that name what is not there.
    """
    check_single(design)
    stages = design.strata["stage"].levels if "stage" in design.strata else ()
    if len(stages) == 1:
        raise InputError(
            f"this study is about changes over stages, and the only stage is '{shorten(stages[0], 40)}'; "
            "trait_profile(...) gives the composites of a single stage"
        )
    check_named("reference", options.reference, stages, "stage")
    instrument = with_weights(instrument_of(design), options.weights)
    if instrument is not PAPER:
        design = replace(design, instrument=instrument)
    if options.stances is not None:
        check_stances(options.stances, design)
    several = len(codes_of(design, "model")[1]) > FEW
    options = replace(options, weights=instrument.used, brief=several)
    return design, with_controls(options, instrument)


def profile_options(design: Ratings, options: StudyOptions, name: str) -> dict[str, Any]:
    """Return how the composite, or a score alone, is followed over the stages."""
    instrument = instrument_of(design)
    scored = composite_options(instrument)
    if name != COMPOSITE:
        part = only(design, "trait", (name,))
        scores = part.scores[part.value[part.status == OK]]
        low, high = instrument.further.get(name, instrument.scale)
        inside = len(scores) > 0 and scores.min() >= low and scores.max() <= high
        scored = {"weights": {name: 1.0}, "centre": 0.0, "score_range": (low, high)}
        if not inside and instrument.further is PAPER.further:
            # a score of that name in a table that declares nothing may have another scale
            scored |= {"score_range": None, "free_weights": True}
    # why a score is missing: its answer is left out, and counted
    missing = "drop_unit" if "status" in design.columns else "error"
    return {
        **options.chosen(),
        **stage_options(design, options.reference),
        **scored,
        "model": "model" if "model" in design.strata else None,
        "missing_trait": missing,
        "activation": None,
    }


# compute


def compute(design: Ratings, options: StudyOptions) -> Staged:
    """Compute every number of the page that does not belong to the multiverse."""
    instrument = instrument_of(design)
    extra: dict[str, Any] = {
        "zero": options.zero,
        "activation": instrument.active,
        "trait_groups": instrument.groups or None,
    }
    composite: Measure | None = None
    if instrument.active is not None:
        # shares of the traits, which scores below 0 do not have
        composite = attempt_result(follow, design, options, entropy="nats", **extra)
    composite = composite or follow(design, options, **extra)
    further = [
        follow(design, options, name, place=f"-{name}" if PLAIN.fullmatch(name) else f"-score{k}")
        for k, name in enumerate(further_of(design), 1)
    ]
    alone = () if instrument.weights else instrument.traits
    anchored = {} if options.zero is None else {"against": "zero"}
    models = rows_with(composite.scenarios.rows, "model", measure="composite", **anchored)
    lean, tests = adjust_family_by_holm(models, "models")
    spread = None
    if len(codes_of(design, "wording")[1]) > 1:
        shared = {
            name: composite.options[name] for name in composite.options if name not in OF_CHANGES
        }
        spread = attempt_result(paraphrase_spread, composite.every, **shared)
    return Staged(
        design=design,
        options=options,
        measures=(composite, *further),
        traits=tuple(follow(design, options, name) for name in alone),
        spread=spread,
        agreement=judge_agreement(composite, further),
        lean=tuple(lean),
        tests=() if tests is None else (tests,),
    )


def follow(
    design: Ratings, options: StudyOptions, name: str = COMPOSITE, place: str = "", **extra: Any
) -> Measure:
    """Return the composite or a score with each unit of analysis, and over all wordings.

    Parameters
    ----------
    design : Ratings
    options : StudyOptions
    name, place : str
        As of `Measure`.
    **extra
        Options of the profile with scenarios as units alone.
    """
    traits = instrument_of(design).traits if name == COMPOSITE else (name,)
    every = only(design, "trait", traits)
    main = only(every, "wording", main_wordings(design))
    settings = profile_options(design, options, name)
    extra["changes"] = "baseline" if options.brief else "all"
    scenarios, models, wordings = single(trait_profile(main, **settings | extra)), None, None
    if scenarios.counts["models"] >= FEWEST:
        settings |= BY_MODELS
        models = single(trait_profile(main, **settings))
        (scenarios,) = printed_alike(models, scenarios)
    if main is not every:
        wordings = single(trait_profile(every, **settings))
    return Measure(
        name=name,
        place=place,
        main=main,
        every=every,
        options=settings,
        scenarios=scenarios,
        models=models,
        wordings=wordings,
    )


def judge_agreement(composite: Measure, further: Sequence[Measure]) -> dict[str, Result]:
    """Return the agreement of the judges, in all and by stage, by what it is about; nothing of a single judge.

    Alpha (interval) of the composites, of the trait scores and of further scores, and quadratic weighted kappa of the
    composites, to whole points.
    """
    main, settings = composite.main, composite.options
    if len(main.raters) < 2:
        return {}
    scored = [settings[name] for name in ("stages", "weights", "centre")]
    how = {name: settings[name] for name in ("level", "seed", "resamples")}
    rated = {
        COMPOSITES: composite_ratings(main, *scored),
        SCORES: main,
        **{measure.name: measure.main for measure in further},
    }
    results = {
        about: single(krippendorff_alpha(ratings, stratum="stage", **how))
        for about, ratings in rated.items()
    }
    whole = composite_ratings(main, *scored, rounded=True)
    results[KAPPA] = single(weighted_kappa(whole, stratum="stage", weights="quadratic", **how))
    for about, result in results.items():
        cautions = [one for one in result.cautions if one.code != LEVELS_AS_THEY_OCCUR]
        if about not in (SCORES, KAPPA):
            cautions += low_agreement(about, result.rows[0])
        results[about] = replace(result, cautions=tuple(cautions))
    return results


def low_agreement(about: str, alpha: Row) -> tuple[Caution, ...]:
    """Return caution SS332 where the judges' alpha about a score is below the customary minimum."""
    if alpha.estimate is None or alpha.estimate >= TENTATIVE:
        return ()
    text = f"the judges' agreement about {about} was α = {sentences.estimate_text(alpha)}"
    affects = f"means and changes of {about}, which depend on the judges"
    fix = f"clarify what judges are to score as {about}, and report each judge"
    return (caution("SS332", f"{text}, below .667", affects=affects, fix=fix),)


# other analyses


def other_analyses_of(staged: Staged, measure: Measure) -> Block:
    """Ask whether the last change of a measure depends on the analysis variant."""
    ways = distinct(list(variants(staged, measure)))
    change = shorten(change_name(last_change(ways[0].compute())), 50)
    quantity = f"the change of {measure.name} ({change})"
    return multiverse_block(
        multiverse("trait_profile", quantity, ways, reference=0.0, words="0"),
        quantity=quantity,
        id=f"multiverse{measure.place}",
        question=other_analyses(f"the change of {measure.name}"),
        note="With other units of analysis, the mean is the same; its standard error differs.",
    )


def variants(staged: Staged, measure: Measure) -> Iterator[Variant]:
    """Yield every reasonable way to do the analysis, the page's own first: with models as units where they lead."""
    main, settings, equal = measure.main, measure.options, staged.instrument.equal
    models = codes_of(main, "model")[1]
    led = len(models) >= FEWEST
    unit = "model" if led else "scenario"

    def way(
        label: str, choice: str, data: Callable[[], Ratings] = lambda: main, **choices: Any
    ) -> Variant:
        return Variant(
            label=label,
            choice=choice,
            compute=lambda: single(trait_profile(data(), **settings | choices)),
            lead=last_change,
        )

    yield way(f"{unit}s as units, judges fixed", "as on this page")
    yield way("judges drawn at random", "judges", judges="random")
    yield way(f"bootstrap of {unit}s, percentile", "interval", ci="percentile")
    scenario = main.strata["scenario"]
    if led:
        free: dict[str, Any] = {"unit_of_analysis": "scenario", "cluster": "declared"}
        yield way("scenarios as units", "units of analysis", **free)
    elif any(not is_nested_in(factor, scenario) for factor in main.clusters):
        # clusters that hold several scenarios
        yield way("clusters ignored", "clusters", cluster=None)
    if len(settings["weights"]) > 1 and settings["weights"] != equal:
        yield way("equal weights", "weights", weights=equal)
    if measure.every is not main:
        yield way("all wordings", "wordings", lambda: measure.every)
    groups: dict[str, tuple[Sequence[str], Callable[[list[str]], Ratings]]] = {
        "judge": (main.raters, main.of_raters),
        "model": (models, partial(only, main, "model")),
    }
    for kind, (labels, restricted) in groups.items():
        for label in labels if 1 < len(labels) <= MOST_LEFT_OUT else ():
            remaining = [name for name in labels if name != label]
            yield way(
                without_label(kind, label), f"{kind} left out", partial(restricted, remaining)
            )


# answer


def verdict_on_stages(staged: Staged) -> Conclusion:
    """Return at which stage the composite changed most from the baseline, and how many models lean to one side."""
    result = staged.measures[0].lead
    rows, base = changes_of(result), shorten(baseline_of(result), LABEL)
    scores, sizes = kind_of_scores(staged.instrument), []
    sides = lean_sides(staged)
    side = max(("above", "below"), key=lambda name: len(sides.get(name, ())))
    if len(staged.lean) > 1 and side in sides:
        models = f"{count(len(sides[side]))} of {count(len(staged.lean), 'model')}"
        place = "neutral point" if staged.options.zero is not None else "centre"
        sizes = [f"; {models} lean {side} the {place}"]
    top = leading_difference(rows)
    if top is None or not sentences.is_significant(top):
        stages = [shorten(str(row.label("stage")), LABEL) for row in rows]
        places = stages[0] if len(stages) == 1 else f"any of {count(len(stages), 'stage')}"
        unseen = f"The data do not show a change of {scores} from {base} at {places}"
        return verdict_of(unseen, *sizes, certainty="open")
    stage = shorten(str(top.label("stage")), LABEL)
    by = f", by {number(abs(top.estimate or 0.0), top.decimals)}"
    scales = on_scale(result.extras["limits"]["composite"])
    # the scale goes before the word that says it is a mean
    size = [*(f"{by} {scale}" for scale in scales), f"{by} on average"]
    return higher_or_lower(
        top, scores, f"at {stage}", f"at {base}", size, alike_models(staged, top), *sizes
    )


def alike_models(staged: Staged, top: Row) -> str:
    """Return how many of several models changed in the direction of their mean, as the end of a sentence."""
    place = {name: str(top.label(name)) for name in ("measure", "stage", "baseline")}
    rows = pick_rows(staged.profile.rows, "difference", model=True, **place)
    changes = [row.estimate for row in rows if row.estimate is not None]
    alike = sum(change * (top.estimate or 0.0) > 0 for change in changes)
    return f", in {alike} of {count(len(changes), 'model')}" if len(changes) > 1 else ""


def kind_of_scores(instrument: Instrument) -> str:
    """Return what composites are."""
    return "weighted trait scores" if instrument.weights else "unweighted means of the trait scores"


def run(design: Ratings, options: StudyOptions) -> Outcome:
    """Answer: how do models' values change over the stages, where do they lean, and do the judges agree?"""
    design, options = prepare(design, options)
    staged = compute(design, options)
    compared = comparison(staged.profile, options)
    course, changes, *further = questions(staged)
    lead = staged.measures[0].lead
    row, unit = last_change(lead), lead.settings["unit_of_analysis"]
    more = clusters_to_halve(row, int(row.n or 0))
    planned = sentences.more_clusters_sentence(
        more or 0, f"{unit}s", f"the change in {kind_of_scores(staged.instrument)}"
    )
    variants_of = () if options.brief else staged.measures
    zero = None if options.zero is None else dict(options.zero)
    return page_of(
        "staged-values",
        "What did the stages change, and where did the models lean?",
        design,
        replace(options, zero=zero),
        describe=describe(staged),
        verdict=verdict_on_stages(staged),
        answer=[
            *(text for measure in staged.measures for text in change_sentences(measure)),
            lean_sentence(staged),
        ],
        planning=[planned] if more else [],
        leading=leading_results(staged),
        blocks=[
            course,
            changes,
            *compared[:1],
            *further,
            *(replace(block, part="appendix") for block in compared[1:]),
            *(other_analyses_of(staged, measure) for measure in variants_of),
        ],
        uses=USED,
        cautions=[cautions_of(staged)],
        data=[score_table(design)],
        diagnostics=diagnostics(staged),
        methods=methods(staged),
        references=["steegen2016"],
        opening="trajectories",
    )


def leading_results(staged: Staged) -> dict[str, Result]:
    """Return the results by the names that their checks have."""
    results: dict[str, Result] = {}
    for measure in (*staged.measures, *staged.traits):
        for units, result in measure.ways.items():
            results[f"{measure.name}, {units}"] = result
    results |= {f"agreement about {about}": one for about, one in staged.agreement.items()}
    return results


# cautions and checks


def cautions_of(staged: Staged) -> tuple[Caution, ...]:
    """Return the cautions of the neutral point and of the judges, and of few models as units."""
    cautions = list(
        small_sample_caution(
            len(staged.design.raters),
            2,
            "one judge gave all scores; the agreement of judges is unknown",
            affects="composites and leans, which include the bias of this judge",
            fix="let a second judge score the same answers",
        )
    )
    zero = staged.options.zero
    if isinstance(zero, JudgeZeros):
        cautions += zero.cautions()
    if zero is None:
        detail = f"{no_zero(staged.options)}: the judges' neutral point is unknown"
        affects = "leans of models, not changes and differences between models"
        fix = "let the same judges score neutral control texts, named balanced... or neutral..."
        cautions.append(caution("SS318", detail, affects=affects, fix=fix))
    # each is about other scores
    alphas = staged.agreement.values()
    cautions += [one for alpha in alphas for one in alpha.cautions if one.code == "SS332"]
    for measure in staged.measures:
        few = () if measure.models is None else measure.models.cautions
        cautions += [one for one in few if one.code == "SS312" and one not in cautions]
    return tuple(cautions)


def no_zero(options: StudyOptions) -> str:
    """Return why the judges' neutral point is unknown."""
    if options.controls is None:
        return "no control texts were given"
    texts = options.controls.strata["scenario"].levels
    named = f"{count(len(texts), 'control text')} ({quoted(texts, 8)})"
    return f"none of {named} is called balanced... or neutral..."


def diagnostics(staged: Staged) -> list[Diagnostic]:
    """Return what is known of the neutral point, which wordings the page uses, and which judges are judged."""
    design, profile = staged.design, staged.profile
    checks = [zero_diagnostic(staged)]
    used, every = main_wordings(design), codes_of(design, "wording")[1]
    if len(every) > 1:
        use = "Those asked at every stage; the others enter the SD over wordings only."
        named = f"{listing(shortened(used), most=6)} (of {listing(shortened(every), most=6)})"
        so_what = use if len(used) < len(every) else "All, averaged."
        checks.append(Diagnostic("Which wordings does the page use?", named, so_what))
    judged = sorted(set(profile.design.raters) & set(codes_of(design, "model")[1]))
    if judged:
        so_what = "A model may favour its own answers: see the composite without that judge."
        checks.append(Diagnostic("Is a judge also judged?", f"Yes: {quoted(judged)}.", so_what))
    parts = ("models", "scenarios", "stages", "wordings")
    if profile.counts["answers"] < math.prod(profile.counts.get(part, 1) for part in parts):
        so_what = (
            "Column n gives the scenarios of each row; changes use scenarios with both stages."
        )
        check = "Does every model have every scenario at every stage?"
        checks.append(Diagnostic(check, "No.", so_what))
    return checks


def zero_diagnostic(staged: Staged) -> Diagnostic:
    """Return what is known of the judges' neutral point, and what its error does to the intervals."""
    check, zero = "Is the judges' neutral point known?", staged.options.zero
    if zero is None:
        so_what = "Leans may reflect judge bias; interpret only changes and model differences."
        return Diagnostic(check, f"No: {no_zero(staged.options)}.", so_what)
    values = [f"{shorten(judge, 30)} {number(value)}" for judge, value in zero.items()]
    mean = number(sum(zero.values()) / len(zero))
    taken_as_exact = staged.profile.settings.get("zero_error") is None
    error = "is not in the CIs" if taken_as_exact else "makes their CIs longer than those against 0"
    so_what = f"Leans are relative to it; its error {error}."
    return Diagnostic(check, f"Yes: {listing(values, most=8)}; mean {mean}.", so_what)


# what was read, and how it was analysed


def describe(staged: Staged) -> str:
    """Return the design in one line: kind, and n at every level."""
    design, composite = staged.design, staged.measures[0]
    counts = composite.scenarios.counts
    # clusters of the metric are wider than scenarios, which are counted already
    n = [
        count(counts[f"{part}s"], part) for part in ("model", "scenario", "stage", "judge", "trait")
    ]
    stages = staged.measures[0].options["stages"]
    if len(stages) > 2:
        n[2] += f" from {shorten(stages[0], LABEL)} to {shorten(stages[-1], LABEL)}"
    n += further_of(design)
    n += [f"{count(size)} {name}" for name, size in counts.items() if name.startswith("clusters")]
    scores = count(design.n_rows, "score")
    if composite.every is not composite.main:
        used = main_wordings(design)
        rows = count(only(design, "wording", used).n_rows)
        wordings = len(codes_of(design, "wording")[1])
        wording = f"wording {listing(shortened(used), most=6)}"
        scores = f"{rows} scores of {wording} (all {count(wordings, 'wording')}: {scores})"
    return f"Trait scores by judges: {', '.join([*n, scores])}"


def score_table(design: Ratings) -> PageTable:
    """Describe the scores of each trait: how many, their range, mean and standard deviation."""
    cells = []
    for name, column in design.table().groupby("trait")["score"]:
        scores = column.dropna()
        if not len(scores):
            continue
        ends = [number(scores.min(), 0), number(scores.max(), 0)]
        sd = number(scores.std()) if len(scores) > 1 else None
        lost = len(column) - len(scores)
        cells.append((as_words(str(name)), len(scores), lost, *ends, number(scores.mean()), sd))
    return PageTable(
        caption="Scores of each trait, all judges and answers",
        header=("Trait", "Scores", "Missing", "Lowest", "Highest", "Mean", "SD"),
        cells=tuple(cells),
    )


def methods(staged: Staged) -> tuple[str, ...]:
    """Return the methods paragraphs, the first one brief."""
    profile, instrument, options = staged.profile, staged.instrument, staged.options
    low, high = map(as_given, profile.extras["range"])
    zero = "" if options.zero is None else f"; 0: {place_of(options)}"
    units = listing(list(staged.measures[0].ways))
    families = ["stages", "models", *(["pairs of models"] if len(staged.lean) > 2 else [])]
    brief = (
        f"Composites are {kind_of_scores(instrument)} averaged over judges ({low} to {high}{zero}). Changes had "
        f"paired t tests with {units} as units. {percent_of(options.level)} CIs are unadjusted t intervals; p values "
        f"were Holm-adjusted over {listing(families)}."
    )
    weights = [
        f"{as_words(name)} {number(weight, 3)}"
        for name, weight in profile.extras["weights"].items()
    ]
    full = [
        f"The composite of an answer, as one judge scores it, is the sum over traits of weight x (score \u2212 "
        f"{as_given(instrument.centre)}).",
        f"Weights{'' if instrument.weights else ' (none were declared)'}: {', '.join(weights)}.",
        f"Intervals: {profile.inference}. Changes of single models were Holm-adjusted over models and stages.",
        "Models as units generalise to other models in these scenarios, scenarios as units to other scenarios with "
        "these models. Here d_z is the mean change over the SD of the changes. Its CI has the wider limits of "
        "noncentral t and jackknife t.",
    ]
    error = profile.settings.get("zero_error")
    if error is not None:
        source = ERRORS[error["basis"]]
        full.append(
            f"The error of the neutral point, from {source}, is in these CIs (Cochran's weighted critical value)."
        )
    if instrument.active is not None:
        least, most = as_given(instrument.active), as_given(instrument.scale[1])
        full.append(f"A trait is active from a mean score of {least} of {most}.")
    return brief, " ".join(full)
