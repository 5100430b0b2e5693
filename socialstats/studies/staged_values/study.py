"""Study staged-values: which traits does a model show, stage by stage?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from socialstats.designs.ratings import Ratings
from socialstats.designs.trait_ratings import trait_ratings
from socialstats.errors import Caution, InputError, NothingToAnalyse
from socialstats.inference.dependence import is_inside
from socialstats.metrics.paraphrase_spread import paraphrase_spread
from socialstats.metrics.trait_profile import trait_profile
from socialstats.models.traits import EQUAL_WEIGHTS, TRAIT_WEIGHTS
from socialstats.results import Result, Row
from socialstats.studies.estimates import (
    cluster_words,
    settings_of,
    verify_all,
    with_holm,
)
from socialstats.studies.multiverse import (
    MOST_LEFT_OUT,
    Variant,
    distinct,
    multiverse,
    multiverse_block,
    without_label,
)
from socialstats.studies.page import Block, Mark, Outcome, Strip, Study, StudyOptions, order_cautions
from socialstats.studies.staged_values.blocks import (
    activation_block,
    by_models,
    changes_block,
    commitment_block,
    lean_block,
    traits_block,
    trajectories_block,
    units_block,
    weights_block,
)
from socialstats.studies.staged_values.judges import (
    Agreement,
    agreement_block,
    agreement_of,
    controls_of,
    diagnostics,
    judges_block,
    unknown_zero,
    weights_of,
    with_zero,
    wordings_block,
)
from socialstats.studies.staged_values.words import (
    COMMITMENT,
    answer,
    change_name,
    codes_of,
    last_change,
    main_wordings,
    models_changed,
    only,
    ordered_stages,
    score_table,
    without,
)
from socialstats.tables import Table as DataTable
from socialstats.text import count, level_text, number, quoted, shorten

OWN = "as on this page"


def stage_multiverses(design: Ratings, stages: Sequence[str], options: StudyOptions) -> tuple[Block, ...]:
    """Return the multiverse of the last change of the composite, and of commitment where it was scored."""
    held = COMMITMENT in design.strata["trait"].levels
    return tuple(stage_multiverse(design, stages, options, held=one) for one in (False, True)[: 1 + held])


def stage_multiverse(design: Ratings, stages: Sequence[str], options: StudyOptions, *, held: bool) -> Block:
    """Return the multiverse of the last change: of commitment (`held`), or of the composite."""
    part = only(design, "trait", (COMMITMENT,) if held else tuple(TRAIT_WEIGHTS))
    main = only(part, "wording", main_wordings(design))
    given: dict[str, Any] = {
        "stages": stages, "activation": None, "level": options.level, "seed": options.seed,
        "resamples": options.resamples, "model": "model" if "model" in design.strata else None,
    }  # fmt: skip
    given |= (
        {"weights": {COMMITMENT: 1.0}, "free_weights": True, "centre": 0.0} if held else {"weights": options.weights}
    )
    listed = distinct(variants(part, main, given))
    what = "commitment" if held else "the composite"
    name = shorten(change_name(last_change(listed[0].compute())), 50)
    quantity = f"the change of {what} ({name})"
    found = multiverse("trait_profile", quantity, listed, reference=0.0, words="0")
    return multiverse_block(
        found, id="multiverse" if held else "multiverse-composite", quantity=quantity,
        question=f"Does the change of {what} hang on the analysis?",
        note="With models as units of analysis the estimate is the same mean, with another error.",
    )  # fmt: skip


def variants(part: Ratings, main: Ratings, given: dict[str, Any]) -> list[Variant]:
    """Return every reasonable way to do the analysis, the page's own first."""

    def way(label: str, choice: str, data: Callable[[], Ratings] = lambda: main, **choices: Any) -> Variant:
        def compute() -> Result:
            found: Any = trait_profile(data(), **(given | choices))
            result: Result = found
            return result

        return Variant(label=label, choice=choice, compute=compute, lead=last_change)

    models = codes_of(main, "model")[1]
    made = [
        way("scenarios as units, judges fixed", OWN),
        way("judges drawn too", "judges", judges="random"),
        way("bootstrap of scenarios, percentile", "interval", ci="percentile"),
    ]
    scenario = main.strata["scenario"]
    if any(not is_inside(factor, scenario) for factor in main.clusters):  # clusters that hold several scenarios
        made.append(way("clusters ignored", "clusters", cluster=None))
    if given["weights"] != dict(EQUAL_WEIGHTS) and not given.get("free_weights"):
        made.append(way("equal weights of the traits", "weights", weights=EQUAL_WEIGHTS))
    if len(models) > 2:
        made.append(way("models as units", "units of analysis", unit_of_analysis="model", cluster=None))
    if part is not main:
        made.append(way("all wordings", "wordings", lambda: part))
    if 1 < len(main.raters) <= MOST_LEFT_OUT:
        made += [
            way(without_label("judge", judge), "judge left out", partial(without_judge, main, judge))
            for judge in main.raters
        ]
    if 1 < len(models) <= MOST_LEFT_OUT:
        made += [
            way(without_label("model", model), "model left out", partial(without, main, "model", model))
            for model in models
        ]
    return made


def without_judge(design: Ratings, judge: str) -> Ratings:
    """Return the ratings of the other judges."""
    return design.of_raters([rater for rater in design.raters if rater != judge])


USED = ("seed", "resamples", "level", "smallest_effect", "zero", "weights", "verify")
PARTS = ("scenario", "stage", "judge")
COLUMNS = (*PARTS, *TRAIT_WEIGHTS)
SINGLE: dict[str, Any] = {"weights": {COMMITMENT: 1.0}, "free_weights": True, "centre": 0.0}  # a score by itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """What the study computes.

    Attributes
    ----------
    stages : tuple of str
        In their order.
    profile : Result
        Composites, activation, judges and weights.
    lean : tuple of Row
        Composite of each model over all stages, against the judges' own zero where that is known; Holm-adjusted.
    lean_tests : Result or None
        What holds the adjusted tests.
    commitment, spread : Result or None
    units : mapping of str to pair of Result
        What is measured -> with scenarios, and with models as the units of analysis; empty for one or two models.
    agreement : Agreement or None
        Of the judges, in all and by stage; None with a single judge.
    """

    stages: tuple[str, ...]
    profile: Result
    lean: tuple[Row, ...]
    lean_tests: Result | None
    commitment: Result | None
    spread: Result | None
    units: Mapping[str, tuple[Result, Result]]
    agreement: Agreement | None

    def all(self) -> dict[str, Result]:
        """Return every result by a name of its own."""
        found = {
            "Composites": self.profile, "Lean of the models": self.lean_tests, "Commitment": self.commitment,
            "Spread over wordings": self.spread, **({} if self.agreement is None else self.agreement.all()),
        }  # fmt: skip
        found |= {f"{what}, models as units": models for what, (_, models) in self.units.items()}
        return {name: result for name, result in found.items() if result is not None}


def read(
    table: DataTable, *, by: str | None = None, na: Sequence[str] = (), refusal: Sequence[str] = (),
    cluster: Sequence[str] = (), missing: str | None = None,
) -> Ratings:  # fmt: skip
    """Read a table with one row an answer and judge, one column a trait, and a column ``commitment`` if there is one.

    Raises
    ------
    InputError
        As `trait_ratings`; and for a by factor that is a part of the design.
    """
    if by in ("model", *PARTS, "wording"):
        raise InputError(f"--by {by}: this study compares models, stages and judges itself; leave it out")
    if "stage" not in table.columns:
        raise InputError(f"{table.source}: no column 'stage'; this study is about changes over stages. Columns: "
                         f"{quoted(table.columns, 20)}. Say which it is: --map stage=COLUMN")  # fmt: skip
    traits = [*TRAIT_WEIGHTS, *([COMMITMENT] if COMMITMENT in table.columns else [])]
    given: dict[str, Any] = {"by": by, "na": na, "refusal": refusal, "source": table.source}
    given |= {"missing": missing} if missing else {}
    return trait_ratings(
        table, traits=traits, model="model" if "model" in table.columns else None, cluster=cluster or "scenario",
        **given,
    )  # fmt: skip


def suits(design: Ratings) -> bool:
    """Tell whether the design holds trait scores of stages, under the names that `trait_ratings` gives them."""
    if not {"scenario", "stage", "trait"} <= set(design.strata):
        return False
    traits = set(design.strata["trait"].levels)
    return set(TRAIT_WEIGHTS) <= traits and len(design.strata["stage"].levels) > 1


def run(design: Ratings, options: StudyOptions) -> Outcome:
    """Answer: where do the models lean, how does that change over the stages, and do the judges agree?"""
    if design.by is not None:
        raise InputError(f"the report takes one '{design.by.name}' at a time; filter the table, or leave by= out")
    stages = design.strata["stage"].levels if "stage" in design.strata else ()
    if len(stages) == 1:
        raise InputError(
            f"this study is about changes over stages, and the only stage is '{shorten(stages[0], 40)}'; "
            "trait_profile(...) gives the composites of a single stage"
        )
    options = with_zero(options)
    numbers = compute(design, options)
    results = numbers.all().values()
    shown = blocks(design, numbers, options)
    return Outcome(
        study="staged-values",
        title="Where do the models lean, and what do the stages change?",
        design=describe(design, numbers),
        answer=answer(numbers.profile, numbers.lean, numbers.commitment, options),
        strip=strip(numbers, options),
        cautions=order_cautions(unknown_zero(options), *cautions_of(numbers), design.cautions),
        blocks=shown,
        flow=design.flow,
        data=(score_table(design),),
        diagnostics=diagnostics(design, numbers.profile, numbers.stages, options),
        methods=methods(numbers, options),
        references=tuple(dict.fromkeys([*(key for r in results for key in r.references), "steegen2016"])),
        verifications=verify_all(numbers.all(), shown) if options.verify else {},
        settings=settings_of(options, USED) | {"zero": None if options.zero is None else dict(options.zero)},
        simulated=options.simulated,
    )


def compute(design: Ratings, options: StudyOptions) -> Numbers:
    """Compute every number of the page that does not belong to the multiverse."""
    stages = ordered_stages(design.strata["stage"].levels)
    main = only(design, "wording", main_wordings(design))
    traits = only(main, "trait", tuple(TRAIT_WEIGHTS))
    common: dict[str, Any] = {"level": options.level, "seed": options.seed, "resamples": options.resamples}
    names: dict[str, Any] = {"model": "model" if "model" in design.strata else None}
    weighted = names | common | {"weights": options.weights}
    profile: Any = trait_profile(traits, stages=stages, zero=options.zero, entropy="nats", **weighted)
    lean, tests = leaning(profile, options)
    held = COMMITMENT in main.strata["trait"].levels
    alone = only(main, "trait", (COMMITMENT,)) if held else None
    commitment = None if alone is None else commitment_of(alone, stages, names | common)
    return Numbers(
        stages=stages, profile=profile, lean=lean, lean_tests=tests, commitment=commitment,
        units=units_of(profile, traits, commitment, alone, weighted | {"stages": stages}),
        spread=spread_of(only(design, "trait", tuple(TRAIT_WEIGHTS)), stages, weighted),
        agreement=agreement_of(traits, alone, stages, options.weights, common),
    )  # fmt: skip


def leaning(profile: Result, options: StudyOptions) -> tuple[tuple[Row, ...], Result | None]:
    """Return the models' composites against the zero that is known, adjusted over the models."""
    group = "composite" if options.zero is None else "composite minus zero"
    return with_holm([row for row in profile.rows if row.group == group], "models")


def cautions_of(numbers: Numbers) -> list[tuple[Caution, ...]]:
    """Return the cautions of every result but those with models as units, whose sentence says what they are."""
    beside = [id(models) for _, models in numbers.units.values()]
    return [result.cautions for result in numbers.all().values() if id(result) not in beside]


def units_of(
    profile: Result, traits: Ratings, commitment: Result | None, alone: Ratings | None, options: dict[str, Any]
) -> dict[str, tuple[Result, Result]]:
    """Return composite and commitment with scenarios and with models as the units of analysis."""
    n = profile.counts["models"]
    found = {"the composite": (profile, by_models(traits, n, options))}
    if commitment is not None and alone is not None:
        found["commitment"] = (commitment, by_models(alone, n, options | SINGLE))
    return {what: (one, other) for what, (one, other) in found.items() if other is not None}


def commitment_of(design: Ratings, stages: tuple[str, ...], options: dict[str, Any]) -> Result:
    """Return mean commitment and its changes: a composite of one score with weight 1 and centre 0."""
    found: Any = trait_profile(design, activation=None, stages=stages, **SINGLE, **options)
    result: Result = found
    return result


def spread_of(design: Ratings, stages: tuple[str, ...], options: dict[str, Any]) -> Result | None:
    """Return the spread over wordings, or None where no question has two."""
    if "wording" not in design.strata or len(design.strata["wording"].levels) < 2:
        return None
    try:
        found: Any = paraphrase_spread(design, stages=stages, **options)
    except NothingToAnalyse:
        return None
    result: Result = found
    return result


def blocks(design: Ratings, numbers: Numbers, options: StudyOptions) -> tuple[Block, ...]:
    """Return the questions in the order of a reader's interest."""
    profile, stages = numbers.profile, numbers.stages
    found = (
        lean_block(profile, numbers.lean, numbers.lean_tests, options),
        trajectories_block(profile, stages, options),
        changes_block(profile, options),
        None if numbers.commitment is None else commitment_block(numbers.commitment, stages, options),
        units_block(numbers.units),
        activation_block(profile),
        agreement_block(numbers.agreement, stages),
        judges_block(profile, options),
        None if numbers.spread is None else wordings_block(numbers.spread),
        weights_block(profile),
        traits_block(profile),
        *stage_multiverses(design, numbers.stages, options),
    )
    return tuple(block for block in found if block is not None)


def describe(design: Ratings, numbers: Numbers) -> str:
    """Return the design in one line: kind, and n at every level."""
    n = numbers.profile.counts
    parts = [
        count(n["models"], "model"), count(n["scenarios"], "scenario"), count(n["stages"], "stage"),
        count(n["judges"], "judge"), count(n["traits"], "trait"), count(design.n_rows, "score"),
        *cluster_words(design),
    ]  # fmt: skip
    return "Trait scores by judges: " + ", ".join(parts)


def strip(numbers: Numbers, options: StudyOptions) -> Strip | None:
    """Return the composite of the models that lean most, and of all, beside the zero."""
    anchored = options.zero is not None
    label = "the judges' own zero" if anchored else "centre of the scale"
    known = sorted((r for r in numbers.lean if r.estimate is not None), key=lambda r: -(r.estimate or 0.0))
    if not known:
        return None
    shown = known if len(known) <= 4 else [known[0], known[1], known[-2], known[-1]]
    marks = [Mark(label=label, value=0.0, kind="reference")]
    marks += [Mark(label=shorten(r.term, 30), value=r.estimate, low=r.conf_low, high=r.conf_high) for r in shown]
    which = "" if len(shown) == len(known) else ": the two highest and the two lowest models"
    axis = "composite minus the judges' own zero" if anchored else "composite, from −100 to 100"
    return Strip(title=f"Weighted composite over all stages{which}", axis=axis, digits=1, marks=tuple(marks))


def methods(numbers: Numbers, options: StudyOptions) -> tuple[str, ...]:
    """Return the methods paragraph."""
    low, high = numbers.profile.extras["range"]
    weights = ", ".join(f"{name.replace('_', ' ')} {number(w, 3)}"
                        for name, w in numbers.profile.extras["weights"].items())  # fmt: skip
    text = (
        f"The composite of an answer, as a judge sees it, is the sum over traits of weight x (score − 10), from "
        f"{number(low, 0)} to {number(high, 0)} (weights: {weights}); it is averaged over judges, and scenarios are "
        f"the units of analysis. {numbers.profile.inference}; {level_text(options.level)} intervals. Leans: t tests of "
        f"{'the judges’ own zero' if options.zero is not None else '0'}{zero_words(numbers.profile)}, "
        "p-values adjusted by Holm's method over the models, verdicts by the adjusted p. Changes: paired t tests "
        "against the baseline, adjusted over "
        f"{models_changed(numbers.profile)}; d_z is their mean over their standard deviation, with a noncentral t "
        "interval. A trait is active from a mean score of 14 of 20."
    )
    return (text,)


def zero_words(profile: Result) -> str:
    """Say how the error of the judges' zero enters."""
    error = profile.settings.get("zero_error")
    if error is None:
        return ""
    source = "by the means of neutral texts" if error["basis"] == "texts" else "by the judges' noise on control texts"
    return f" (its error, {source}, adds to theirs; degrees of freedom by Cochran's weighted critical value)"


STUDY = Study(
    name="staged-values",
    title="Where do models lean in staged role play, and what do the stages change?",
    design="ratings",
    needs=f"scenario, stage, judge and the traits {', '.join(TRAIT_WEIGHTS)}; best with model, wording, commitment",
    suits=suits,
    run=run,
    read=read,
    columns=COLUMNS,
    beside={"controls": controls_of, "weights": weights_of},
)
