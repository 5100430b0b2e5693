"""Judges of traits: agreement, neutral point, and diagnostics of their scores."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from socialstats import sentences
from socialstats.agreement.krippendorff_alpha import krippendorff_alpha
from socialstats.agreement.weighted_kappa import weighted_kappa
from socialstats.designs.instrument import Instrument, declared
from socialstats.designs.ratings import Ratings
from socialstats.designs.tables import need_columns
from socialstats.designs.trait_ratings import trait_ratings
from socialstats.errors import Caution, InputError, caution
from socialstats.figures import forest
from socialstats.figures.forest import MOST_ROWS
from socialstats.inference.dependence import small_sample_caution
from socialstats.results import Result, Row
from socialstats.results.rows import rows_with
from socialstats.scales.judge_zeros import JudgeZeros, judge_zeros
from socialstats.scales.trait_weights import PAPER
from socialstats.scales.traits import ScoredAnswers, collect_answers, composites
from socialstats.studies.estimates import rows_table
from socialstats.studies.page import Block, Diagnostic, PageTable, StudyOptions
from socialstats.studies.staged_values.blocks import (
    changes_caption,
    cross_table,
    measure_of,
    moved_table,
)
from socialstats.studies.staged_values.scoring import instrument_of, scoring, with_weights
from socialstats.studies.staged_values.words import all_stages, codes_of, main_wordings, named
from socialstats.tables import Table as DataTable
from socialstats.text import as_given, count, listing, number, percent_of, quoted, shorten

LEVELS_AS_THEY_OCCUR = "SS310"  # scores and composites are on an interval scale by what they are
PAIRS = {"mean": "mean of the pairs", "pooled": "all pairs pooled"}
COMPOSITES, KAPPA = "Agreement (alpha of composites)", "Agreement (kappa of composites)"
TRAITS = "Agreement (alpha of traits)"
AGREEMENT = {
    COMPOSITES: "Krippendorff's alpha (interval) of the composites",
    KAPPA: "Quadratic weighted kappa of the judges about composites, to whole points",
    TRAITS: "Krippendorff's alpha (interval) of the trait scores",
}
NEUTRAL = re.compile(
    r"(balanced|neutral)(?![a-z])", re.IGNORECASE
)  # what the name of a neutral text starts with
FEW_TEXTS = 10  # neutral control texts below which the zero is itself a guess


def about(name: str) -> str:
    """Name the agreement about a further score."""
    return f"Agreement about {name}"


def agreement_of(
    traits: Ratings, further: Mapping[str, Ratings], stages: Sequence[str], options: dict[str, Any]
) -> dict[str, Result]:
    """Return the agreement of the judges, in all and by stage, by what it is about; nothing of a single judge.

    Alpha (interval) of the composites, of the trait scores and of further scores, and quadratic weighted kappa of the
    composites, to whole points.
    """
    if len(traits.raters) < 2:
        return {}
    values, whole = (
        composite_ratings(traits, stages, rounded=rounded) for rounded in (False, True)
    )
    found: dict[str, Any] = {
        COMPOSITES: krippendorff_alpha(values, stratum="stage", **options),
        KAPPA: weighted_kappa(whole, stratum="stage", weights="quadratic", **options),
        TRAITS: krippendorff_alpha(traits, stratum="stage", **options),
    }
    for name, scores in further.items():
        found[about(name)] = krippendorff_alpha(scores, stratum="stage", **options)
    return {
        name: replace(
            one, cautions=tuple(c for c in one.cautions if c.code != LEVELS_AS_THEY_OCCUR)
        )
        for name, one in found.items()
    }


def scored_answers(design: Ratings, stages: Sequence[str]) -> ScoredAnswers:
    """Return the answers that have all their scores."""
    names = {
        part: part if part in design.strata else None
        for part in ("model", "scenario", "stage", "wording", "trait")
    }
    return collect_answers(
        design, names, tuple(instrument_of(design).used), stages, missing="drop_unit"
    )


def composite_ratings(design: Ratings, stages: Sequence[str], *, rounded: bool = False) -> Ratings:
    """Return one rating an answer and judge: the composite, or the nearest whole number; scenarios are clusters."""
    answers, instrument = scored_answers(design, stages), instrument_of(design)
    values = composites(answers.scores, instrument.used, instrument.centre)
    n, k = values.shape
    unit, judge = np.repeat(np.arange(n), k), np.tile(np.arange(k), n)
    table = {
        "unit": unit,
        "judge": np.array(answers.judges)[judge],
        "value": np.round(values.ravel()) if rounded else values.ravel(),
        "stage": np.array(answers.stages)[answers.codes[unit, 2]],
        "scenario": np.array(answers.scenarios)[answers.codes[unit, 1]],
    }
    return Ratings.from_frame(table, strata=["stage"], cluster="scenario", source=design.source)


def agreement_block(found: Mapping[str, Result], stages: Sequence[str]) -> Block | None:
    """Return agreement of the judges by stage: about composites, trait scores and commitment."""
    if not found:
        return None
    shown = {name: by_stage(one, stages) for name, one in found.items()}
    pairs = [
        replace(r, term=PAIRS.get(r.term, r.term)) for r in found[KAPPA].rows if r.group is None
    ]
    units = f"{count(shown[COMPOSITES][0].n or 0, 'rating')} by {count(len(found[COMPOSITES].design.raters), 'judge')}"
    own = {name.removeprefix(about("")): name for name in found if name not in AGREEMENT}
    captions = AGREEMENT | {
        name: f"Krippendorff's alpha (interval) of {what}" for what, name in own.items()
    }
    kinds = {"composites": COMPOSITES, "single trait scores": TRAITS, **own}
    said = [
        f"{'Agreement' if not k else 'That'} about {what} was {alpha_of(shown[name][0])}."
        for k, (what, name) in enumerate(kinds.items())
        if name in shown
    ]
    level = shown[COMPOSITES][0].conf_level or 0.95
    clusters = found[COMPOSITES].design.clusters
    return Block(
        id="agreement",
        question="Did the judges agree?",
        sentences=tuple(said),
        draw=partial(
            forest,
            [*shown[COMPOSITES], *(replace(r, term=f"kappa {r.term}") for r in pairs)][:MOST_ROWS],
            sort=False,
            reference=None,
            xlabel="1 = perfect agreement",
        ),
        figure_title="Agreement of the judges about composites: alpha by stage, and kappa of each pair",
        caption=f"{percent_of(level)} CIs; n = {units}, "
        f"{count(len(clusters[0].levels), 'scenario') if clusters else 'no clusters'}. Offsets of judges lower "
        "agreement but do not affect comparisons of models.",
        tables=tuple(
            rows_table(shown[name], caption, term="Term" if name == KAPPA else "Stage")
            for name, caption in captions.items()
            if name in shown
        ),
        results=tuple(found.values()),
    )


def alpha_of(row: Row) -> str:
    """Return an alpha with its interval and a customary band that the interval lies in."""
    band = ""
    if row.conf_low is not None and row.conf_low >= FIRM:
        band = ", reliably at least .80"
    elif row.conf_high is not None and row.conf_high < LEAST:
        band = ", reliably below .667"
    return f"\u03b1 = {sentences.estimate_text(row)}{band}"


FIRM, LEAST = 0.8, 0.667  # Krippendorff's customary bands


def by_stage(result: Result, stages: Sequence[str]) -> list[Row]:
    """Return the rows in all and by stage, in their order, without tests of no agreement.

    They are named by the stage; kappas by the pair of judges, too.
    """
    rows = sorted(result.rows, key=lambda r: -1 if r.group is None else stages.index(r.group))
    names = [r.group or "all stages" for r in rows]
    if result.metric == "weighted_kappa":
        names = [PAIRS.get(r.term, r.term) + (f", {r.group}" if r.group else "") for r in rows]
    return [
        replace(r, term=name, group=None, statistic=None, df=None, p_value=None)
        for r, name in zip(rows, names, strict=True)
    ]


def controls_of(table: DataTable, instrument: Instrument | None = None) -> Ratings | DataTable:
    """Read control texts: columns text, judge and the traits.

    The table itself where it does not declare its traits, until the table of scores does.

    Raises
    ------
    InputError
        For a table without them; they are named in that file.
    """
    what = "control texts are rows with columns text, judge and the traits, which are named so in that file"
    found = declared(table) or instrument
    if found is None and not set(PAPER.traits) & set(table.columns):
        need_columns(table, ("text", "judge"), what)
        return table
    traits = list((found or PAPER).used)
    need_columns(table, ("text", "judge", *traits), what)
    return replace(
        trait_ratings(table, traits=traits, model=None, scenario="text", source=table.source),
        instrument=found,
    )


def with_controls(options: StudyOptions, instrument: Instrument) -> StudyOptions:
    """Return the options with control texts that are scored as the table is.

    Raises
    ------
    InputError
        Where they are scored on other traits, or another scale.
    """
    if options.controls is None:
        return options
    controls: Any = options.controls
    if isinstance(controls, DataTable):
        controls = controls_of(controls, instrument)
    own = instrument_of(controls)
    if (set(own.traits), own.scale) != (set(instrument.traits), instrument.scale):
        raise InputError(
            f"{controls.source}: control texts are scored on {scored_on(own)}, the answers on "
            f"{scored_on(instrument)}. Let the same judges score both alike"
        )
    return replace(options, controls=replace(controls, instrument=instrument))


def scored_on(instrument: Instrument) -> str:
    """Name traits and scale."""
    low, high = map(as_given, instrument.scale)
    return f"{quoted(list(instrument.traits), 12)} from {low} to {high}"


def with_zero(options: StudyOptions, instrument: Instrument = PAPER) -> StudyOptions:
    """Return the options with the judges' neutral point under the weights asked for, where neutral texts give it.

    Texts whose name starts with balanced or neutral count; where there is none, nothing gives the zero.
    """
    if (
        options.controls is None
        or options.zero is not None
        or not (texts := neutral_texts(options.controls))
    ):
        return options
    own = with_weights(instrument, options.weights)
    return replace(options, zero=judge_zeros(options.controls, texts=texts, **scoring(own)))


def control_names(controls: Ratings) -> list[str]:
    """Return the names of the control texts."""
    return [*controls.strata["scenario"].levels]


def neutral_texts(controls: Ratings) -> list[str]:
    """Return the names of the texts that are called neutral."""
    return [name for name in control_names(controls) if NEUTRAL.match(name.strip())]


def no_zero(options: StudyOptions) -> str:
    """Return why the judges' neutral point is unknown."""
    if options.controls is None:
        return "no control texts were given"
    texts = control_names(options.controls)
    return f"none of {count(len(texts), 'control text')} ({quoted(texts, 8)}) is called balanced... or neutral..."


def control_table(
    controls: Ratings, weights: Mapping[str, float] | str | None, level: float
) -> PageTable:
    """Return the composites of the control texts by judge, their mean with its interval, and the SD (n - 1)."""
    found = judge_zeros(controls, **scoring(with_weights(instrument_of(controls), weights)))
    cells = tuple(
        (
            text,
            *map(number, values),
            number(mean.mean),
            *((None, None) if mean.undefined else map(number, mean.interval(level))),
            number(mean.sd) if len(values) > 1 else None,
        )
        for text, values, mean in zip(
            found.texts, found.composites().tolist(), found.text_means(), strict=True
        )
    )
    return PageTable(
        caption="Composites of the control texts, by judge; mean over judges with its t interval, and SD (n − 1)",
        header=("Text", *(shorten(j, 30) for j in found.judges), "Mean", "Low", "High", "SD"),
        cells=cells,
    )


def judges_block(profile: Result, options: StudyOptions) -> Block | None:
    """Return how far each judge lies from the judges' mean, and what leaving each out does."""
    rows = named(rows_with(profile.rows, "judge", role="difference", measure="composite"))
    if not rows:
        return None
    anchored = options.zero is not None
    facts = {"measure": "composite", **({"against": "zero"} if anchored else {})}
    out = [
        *rows_with(profile.rows, "without", "model", **facts),
        *rows_with(profile.rows, "without", **facts),
    ]
    ends = [pick(rows, key=lambda r: r.estimate or 0.0) for pick in (min, max)]
    told = [f"{sentences.estimate_text(r)} ({shorten(r.term, 40)})" for r in ends]
    said = [
        f"Relative to the judges' mean, offsets ranged from {told[0]} to {told[1]}.",
        *without_text(out, anchored=anchored),
    ]
    tables = [rows_table(rows, "Composite of each judge minus the judges' mean", term="Judge")]
    tables += zero_tables(options)
    what = (
        "Composite relative to the neutral point of the other judges" if anchored else "Composite"
    )
    tables.append(
        cross_table(
            out,
            f"{what}, without each judge",
            line=who,
            column=lambda r: f"without {r.label('without')}",
        )
    )
    fixed = "fixed" if profile.settings["judges"] == "fixed" else "drawn at random"
    return Block(
        id="judges",
        question="Do conclusions depend on any one judge?",
        sentences=tuple(said),
        draw=partial(
            forest, rows[:MOST_ROWS], sort=False, xlabel="composite minus the judges' mean"
        ),
        figure_title="Offset of each judge",
        caption=f"Points: means over answers; {percent_of(rows[0].conf_level or 0.95)} CIs (t); n = "
        f"{count(len(rows), 'judge')}, {fixed}.",
        tables=tuple(tables),
    )


def without_text(rows: Sequence[Row], *, anchored: bool) -> list[str]:
    """Return how far leaving out a judge moves the composite of all models, and of the model most affected."""
    found: dict[str, list[float]] = {}
    for row in rows:
        if row.estimate is not None:
            found.setdefault(who(row), []).append(row.estimate)
    if not found:
        return []
    place = " (neutral point of the other judges)" if anchored else ""
    ends = {
        term: f"{number(min(values))} to {number(max(values))}" for term, values in found.items()
    }
    joint = found.pop("all models", None)
    most = max(found, key=lambda term: max(found[term]) - min(found[term]), default="all models")
    if joint is None or not found:
        return [
            f"Without any one judge, the composite of {shorten(most, 40)} was {ends[most]}{place}."
        ]
    return [
        f"Without any one judge, the composite of all models was {ends['all models']}{place}.",
        f"That of {shorten(most, 40)}, the most affected model, was {ends[most]}.",
    ]


def who(row: Row) -> str:
    """Name the model of a row without a judge."""
    return row.label("model") or "all models"


def zero_tables(options: StudyOptions) -> list[PageTable]:
    """Return the composites of all control texts; of their mean alone where nothing else is known."""
    if options.controls is not None:
        return [control_table(options.controls, options.weights, options.level)]
    if options.zero is None:
        return []
    cells = tuple((judge, number(value)) for judge, value in options.zero.items())
    caption = "The judges' neutral point: composite of neutral control texts"
    return [PageTable(caption=caption, header=("Judge", "Composite"), cells=cells)]


def wordings_block(spread: Result, wide: Sequence[Result] = ()) -> Block:
    """Return the spread over wordings and its change; `wide`: changes from the baseline over all wordings."""
    rows, own = (
        named(rows_with(spread.rows, *names), *names) for names in (("stage",), ("model", "stage"))
    )
    moved = [replace(r, group=None) for r in spread.rows if r.label("baseline") is not None]
    said = [spread.sentence()]
    row = moved[0] if moved else None
    if row is not None:
        first, last = (shorten(stage, 40) for stage in spread.settings["change"])
        said = [sentences.difference("the SD over wordings", first, last, row, at="at")]
    tables = [rows_table(rows, "Mean SD over wordings", term="Stage")]
    tables += [rows_table(own, "The same, by model", term="Model, stage")] if own else []
    names = {"test": "Wilcoxon's signed ranks", "effect_size": "d_z of the change"}
    labels = [names.get(str(r.role), r.term) for r in moved]
    tables += [rows_table(moved, "Its change", term="Change", labels=labels)] if moved else []
    return Block(
        id="wordings",
        question="How much did answers depend on the wording?",
        sentences=tuple(said),
        draw=partial(
            forest,
            [*rows, *own][:MOST_ROWS],
            sort=False,
            reference=None,
            xlabel="SD of the composite over wordings",
        ),
        figure_title="SD of the composite over wordings of the same question",
        caption=f"Points: mean SDs, noise of models and judges included; {percent_of(rows[0].conf_level or 0.95)} "
        f"CIs; n = {count(int(rows[0].n or 0), 'scenario')}.",
        tables=(
            *tables,
            *(
                table
                for one in wide
                for table in moved_table(
                    one, changes_caption(one, f"{measure_of(one)} over all wordings")
                )
            ),
        ),
        results=(spread, *wide),
    )


def unknown_zero(options: StudyOptions) -> tuple[Caution, ...]:
    """Return caution SS318 where no neutral control texts say what the judges give to a neutral answer."""
    if options.zero is not None:
        return few_controls(options)
    return (
        caution(
            "SS318",
            f"{no_zero(options)}: the judges' neutral point is unknown",
            affects="leans of models, not changes and differences between models",
            fix="let the same judges score neutral control texts, named balanced... or neutral...",
        ),
    )


def with_agreement(result: Result, found: Mapping[str, Result], name: str, what: str) -> Result:
    """Return scores with caution SS332 where the judges' alpha about them is below the customary minimum."""
    row = found[name].rows[0] if name in found else Row(term="")
    if row.estimate is None or row.estimate >= LEAST:
        return result
    told = caution(
        "SS332",
        f"the judges' agreement about {what} was α = {sentences.estimate_text(row)}, below .667",
        affects=f"means and changes of {what}, which depend on the judges",
        fix=f"clarify what judges are to score as {what}, and report each judge",
    )
    return replace(result, cautions=(*result.cautions, told))


def one_judge(design: Ratings) -> tuple[Caution, ...]:
    """Return a caution where one judge gave all scores: its bias cannot be told from what the models said."""
    return small_sample_caution(
        len(design.raters),
        2,
        "one judge gave all scores; the agreement of judges is unknown",
        affects="composites and leans, which include the bias of this judge",
        fix="let a second judge score the same answers",
    )


def few_controls(options: StudyOptions) -> tuple[Caution, ...]:
    """Return a caution where few neutral texts give the neutral point, whose error may then outweigh a model's."""
    if options.controls is None:
        return ()
    texts = neutral_texts(options.controls)
    judges = options.zero or {}
    ends = (
        f", by judge from {number(min(judges.values()))} to {number(max(judges.values()))}"
        if judges
        else ""
    )
    give = "gives" if len(texts) == 1 else "give"
    return small_sample_caution(
        len(texts),
        FEW_TEXTS,
        f"{count(len(texts), 'neutral text')} {give} the judges' neutral point{ends}; {known_error(options)}",
        affects="leans of models",
        fix=f"let the judges score {FEW_TEXTS} or more neutral texts; compare models with each other",
    )


def known_error(options: StudyOptions) -> str:
    """Return which error of the neutral point is in the intervals."""
    error = options.zero.error() if isinstance(options.zero, JudgeZeros) else None
    if error is None:
        return "it is taken as known, and its error is not in the CIs"
    if error.basis == "texts":
        degrees = count(int(error.df), "degree")
        return (
            f"its standard error, {number(error.std_error)} ({degrees} of freedom), is in the CIs"
        )
    return (
        f"the judges' noise (SE = {number(error.std_error)}) is in the CIs, the variation "
        f"between neutral texts is not"
    )


def zero_diagnostic(profile: Result, options: StudyOptions) -> Diagnostic:
    """Return what is known of the judges' neutral point, and what its error does to the intervals."""
    check = "Is the judges' neutral point known?"
    if options.zero is None:
        return Diagnostic(
            check=check,
            found=f"No: {no_zero(options)}.",
            so_what="Leans may reflect judge bias; interpret only changes and model differences.",
        )
    given = [f"{shorten(judge, 30)} {number(value)}" for judge, value in options.zero.items()]
    mean = sum(options.zero.values()) / len(options.zero)
    wider = widening(profile)
    said = "Leans are relative to it" + (
        f"; its error makes their CIs {number(wider, 2)} times as long as those against 0 (median of the models)."
        if wider is not None
        else ", taken as known: its error is not in the CIs."
    )
    return Diagnostic(
        check=check, found=f"Yes: {listing(given, most=8)}; mean {number(mean)}.", so_what=said
    )


def judge_diagnostics(profile: Result) -> tuple[Diagnostic, ...]:
    """Return how far the judges' levels lie apart, and that they are fixed."""
    rows = rows_with(profile.rows, "judge", role="difference", measure="composite")
    known = [r for r in rows if r.estimate is not None]
    if len(known) < 2:
        return ()
    ends = [pick(known, key=lambda r: r.estimate or 0.0) for pick in (min, max)]
    low, high = (f"{number(r.estimate)} ({shorten(r.term, 30)})" for r in ends)
    return (
        Diagnostic(
            check="Do the judges give the same level?",
            found=f"From {low} to {high} around their mean composite.",
            so_what="Agreement about order does not imply agreement about level; compare models and stages, or use "
            "control texts.",
        ),
        Diagnostic(
            check="To which judges do the CIs generalise?",
            found=f"These {count(len(known), 'judge')}, fixed.",
            so_what="Results do not generalise to other judges; an analysis variant draws judges at random.",
        ),
    )


def widening(profile: Result) -> float | None:
    """Return by how many times the error of the neutral point makes intervals longer, in the median; None without."""
    if profile.settings.get("zero_error") is None:
        return None
    lengths: list[dict[str | None, float]] = []
    for facts in ({}, {"against": "zero"}):
        rows = [
            r
            for more in ((), ("model",))
            for r in rows_with(profile.rows, *more, measure="composite", **facts)
        ]
        lengths.append(
            {
                r.label("model"): r.conf_high - r.conf_low
                for r in rows
                if r.conf_low is not None and r.conf_high is not None
            }
        )
    plain, wider = lengths
    found = [length / plain[model] for model, length in wider.items() if model in plain]
    return float(np.median(found)) if found else None


def diagnostics(design: Ratings, profile: Result, options: StudyOptions) -> tuple[Diagnostic, ...]:
    """Return what is known of the neutral point, which wordings the trajectories use, and which judges are judged."""
    found = [zero_diagnostic(profile, options)]
    if "wording" in design.strata and len(design.strata["wording"].levels) > 1:
        used, every = main_wordings(design), design.strata["wording"].levels
        found.append(
            Diagnostic(
                check="Which wordings does the page use?",
                found=f"{listing([shorten(w, 30) for w in used], most=6)} (of {listing(every, most=6)})",
                so_what="Those asked at every stage; the others enter the SD over wordings only."
                if set(used) != set(every)
                else "All, averaged.",
            )
        )
    judged = sorted(set(profile.design.raters) & set(codes_of(design, "model")[1]))
    if judged:
        found.append(
            Diagnostic(
                check="Is a judge also judged?",
                found=f"Yes: {quoted(judged)}.",
                so_what="A model may favour its own answers: see the composite without that judge.",
            )
        )
    found += judge_diagnostics(profile)
    if not all_stages(design):
        found.append(
            Diagnostic(
                check="Does every model have every scenario at every stage?",
                found="No.",
                so_what="Column n gives the scenarios of each row; changes use scenarios with both stages.",
            )
        )
    return tuple(found)
