"""The questions of the study: how scores changed over the stages, what judges, traits and weights contribute."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from socialstats import sentences
from socialstats.designs.instrument import Instrument
from socialstats.designs.ratings import Ratings
from socialstats.designs.replies import trait_replies
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, Row
from socialstats.results.rows import Role, rows_with
from socialstats.scales.judge_zeros import judge_zeros
from socialstats.scales.trait_profile import (
    change_name,
    changes_of,
    last_change,
    pooled_rows,
    units_of,
)
from socialstats.shares.label_counts import cited_text, label_counts
from socialstats.shares.reply_shares import RATER, reply_shares
from socialstats.studies.asking import ask_result, ask_rows
from socialstats.studies.estimates import equivalence_bounds, planned_verdict
from socialstats.studies.page import Block, SecondAnalysis, StudyOptions
from socialstats.studies.row_figures import course_lines, dot_lines, interval_points
from socialstats.studies.row_picking import (
    add_labels,
    leading_difference,
    name_rows,
    pick_rows,
    rows_by,
    untested_rows,
)
from socialstats.studies.row_sentences import span_sentence, tally_sentence
from socialstats.studies.row_tables import grid_table, kind_tables
from socialstats.studies.second import turned
from socialstats.studies.sources import replies_block
from socialstats.studies.staged_values.declaration import (
    composite_options,
    instrument_of,
    lacks_order,
)
from socialstats.tables import Table
from socialstats.text import as_given, as_words, capital, count, listing, shorten

COMPOSITE = "the composite"
OVERLAP = "Overlapping CIs do not rule out change within scenarios."
ORDER = "Stages stand in the order in which the table names them first."


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A score that is followed over the stages: the composite of the traits, a further score, or one trait.

    Attributes
    ----------
    name : str
    place : str
        End of the anchors of its blocks.
    main, every : Ratings
        Its scores in the wordings that every stage was asked in, and in all.
    options : dict
        Of its profile, with the units of analysis that lead.
    scenarios, models : Result, Result or None
        With scenarios and with models as the units of analysis; the latter of three models or more.
    wordings : Result or None
        Over all wordings, with the units of analysis that lead; None where all stages were asked in all of them.
    """

    name: str
    place: str
    main: Ratings
    every: Ratings
    options: dict[str, Any]
    scenarios: Result
    models: Result | None
    wordings: Result | None

    @property
    def lead(self) -> Result:
        """The result whose tests the page states first."""
        return self.models or self.scenarios

    @property
    def ways(self) -> dict[str, Result]:
        """The results by their units of analysis: ``8 models``; those that lead first."""
        results = [one for one in (self.models, self.scenarios) if one is not None]
        return {units_of(result): result for result in results}


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """A table of staged values with its results.

    Attributes
    ----------
    design : Ratings
    options : StudyOptions
    measures : tuple of Measure
        The composite, then further scores.
    traits : tuple of Measure
        Each trait alone, where no weights put them together.
    spread : Result or None
        Spread over wordings.
    agreement : mapping of str to Result
        What judges agree about -> coefficient of their agreement; empty for one judge.
    lean : tuple of Row
        Composite of each model against the reference, adjusted.
    tests : tuple of Result
        The adjustment.
    """

    design: Ratings
    options: StudyOptions
    measures: tuple[Measure, ...]
    traits: tuple[Measure, ...]
    spread: Result | None
    agreement: Mapping[str, Result]
    lean: tuple[Row, ...]
    tests: tuple[Result, ...]

    @property
    def instrument(self) -> Instrument:
        """Traits, weights and scale."""
        return instrument_of(self.design)

    @property
    def profile(self) -> Result:
        """The composites, with scenarios as units."""
        return self.measures[0].scenarios

    @property
    def anchored(self) -> dict[str, str]:
        """Facts of the keys of composites relative to the judges' neutral point, where it is known."""
        return {} if self.options.zero is None else {"against": "zero"}


def questions(staged: Staged) -> Iterator[Block | None]:
    """Yield the questions in the order of a reader's interest; None for one that the data do not allow."""
    composite, *further = staged.measures
    yield course(staged, composite)
    yield changes(composite)
    yield from (course(staged, measure) for measure in further)
    if staged.traits:
        yield trait_changes(staged.traits)
    yield lean(staged)
    for measure in further:
        block = changes(measure)
        yield block and replace(block, part="appendix")
    yield from map(sizes, staged.measures)
    yield agreement(staged)
    yield judges(staged)
    if staged.options.stances is not None:
        yield stances(staged.options.stances, staged.options)
    yield replies(staged)
    yield wordings(staged)
    yield traits(staged)
    yield activation(staged)
    yield weights_block(staged)


# changes over the stages


CHANGED = ("stage", "baseline")


def baseline_of(result: Result) -> str:
    """Return the stage that others are compared with."""
    return shorten(str(result.settings["baseline"]), 40)


def scale_of(result: Result) -> str:
    """Return the scale of a measure whose ends are known: `` (0 to 5)``."""
    scale = result.settings["score_range"]
    return f" ({as_given(scale[0])} to {as_given(scale[1])})" if scale else ""


def place_of(options: StudyOptions) -> str:
    """Name what leans are measured against."""
    return "the judges' neutral point" if options.zero is not None else "the centre of the scale"


def relative_to(options: StudyOptions) -> str:
    """Return what composites are relative to; nothing where they are as scored."""
    return f" relative to {place_of(options)}" if options.zero is not None else ""


def change_sentences(measure: Measure) -> Iterator[str]:
    """Yield the change at the last stage of the play, after the clearest change where that is at another stage."""
    last, clearest = last_change(measure.lead), leading_difference(changes_of(measure.lead))
    if clearest is not None and clearest != last and sentences.is_significant(clearest):
        yield change_sentence(measure, clearest)
    yield change_sentence(measure, last)


def units_first(result: Result, text: str, name: str = "") -> str:
    """Return a sentence that starts with the units of analysis; a name at its start keeps its own first letter."""
    start = name if name and text.startswith(capital(name)) else text[:1].lower()
    return f"Tested over {units_of(result)}, {start}{text[len(start) :]}"


def change_sentence(measure: Measure, row: Row) -> str:
    """State a change from the baseline, with the units of analysis that lead."""
    stage, base = (shorten(str(row.label(name)), 40) for name in CHANGED)
    name = measure.name if measure.name == COMPOSITE else measure.name + scale_of(measure.lead)
    text = sentences.difference(name, stage, base, row, at="at")
    return units_first(measure.lead, text, name)


def changes_sentence(measure: Measure) -> str:
    """State how many changes from the baseline were significant, and the largest."""
    rows = changes_of(measure.lead)
    where = f" in {measure.name} from {baseline_of(measure.lead)}"
    text = units_first(measure.lead, tally_sentence(rows, "change", where))
    top = leading_difference(rows)
    if top is None:
        return text
    which = "largest significant one" if sentences.is_significant(top) else "largest"
    stage = shorten(str(top.label("stage")), 40)
    return f"{text} The {which} was at {stage} ({sentences.estimate_text(top)})."


def turned_changes(measure: Measure) -> tuple[SecondAnalysis, ...]:
    """Return which other analyses turn the conclusion on the last change: other units, and all wordings."""
    row = last_change(measure.lead)
    analyses = {f"Tested over {units_of(measure.scenarios)}": measure.scenarios}
    if measure.wordings is not None:
        wordings = count(measure.wordings.counts.get("wordings", 1), "wording")
        analyses[f"Over all {wordings}"] = measure.wordings
    stage = shorten(str(row.label("stage")), 40)
    what = f"the change in {measure.name} from {baseline_of(measure.lead)} to {stage}"
    rows = [
        (how, replace(last_change(result), places=row.decimals)) for how, result in analyses.items()
    ]
    return turned(row, rows, what)


def course(staged: Staged, measure: Measure) -> Block | None:
    """Ask how a measure changed over the stages: its course for each model, and the mean of all."""
    result, name, lines = measure.scenarios, measure.name, {}
    facts = staged.anchored if name == COMPOSITE else {}
    if name == COMPOSITE:
        name += relative_to(staged.options)
        lines = {place_of(staged.options).removeprefix("the judges' "): 0.0}
    else:
        name += scale_of(result)
    of_models = rows_with(result.rows, "model", "stage", measure="composite", **facts)
    joint = pooled_rows(result, "stage", role="estimate", measure="composite", **facts)
    if not lines:
        # the tests against 0 are of no interest: it is an end of the scale
        joint = untested_rows(joint)
    several = len(rows_by(of_models, "model")) > 1
    drawn = course_lines("model", "stage", measure.options["stages"], lines=lines)
    return ask_rows(
        f"trajectories{measure.place}",
        f"How did {measure.name} change over the stages?",
        result,
        of_models,
        quantity=name.removeprefix("the "),
        say=[span_sentence(joint, f"the mean of {measure.name}" if several else measure.name)],
        draw=lambda *drawing: (
            drawn(*drawing) or interval_points(None)(joint, name_rows(joint), name)
        ),
        table=grid_table(of_models, capital(name), "model", "stage"),
        note=f"{ORDER} {OVERLAP}" if lacks_order(staged.design) else OVERLAP,
    )


def changes(measure: Measure) -> Block | None:
    """Ask what the stages changed, with each unit of analysis."""
    name, base = measure.name, baseline_of(measure.scenarios)
    block = ask_rows(
        f"changes{measure.place}",
        f"At which stages did {name} differ from {base}?",
        (measure.models, measure.scenarios, measure.wordings),
        by_units(measure, "difference"),
        quantity=f"change in {name} from {base}",
        say=[changes_sentence(measure)],
        draw=interval_points(panels="units"),
    )
    return block and replace(block, turned=turned_changes(measure))


def by_units(measure: Measure, role: Role) -> list[Row]:
    """Return the changes from the baseline, or their sizes, with each unit of analysis."""
    rows = []
    for units, result in measure.ways.items():
        changed = pooled_rows(result, *CHANGED, role=role, measure="composite")
        rows += add_labels(changed, units=units)
    return rows


def sizes(measure: Measure) -> Block | None:
    """Ask how large the changes were, in which models, and between which other stages."""
    name, base = measure.name, baseline_of(measure.scenarios)
    pooled = [] if measure.scenarios.counts["models"] > 1 else changes_of(measure.scenarios)
    others = [
        row
        for row in measure.scenarios.rows
        if row.role in ("difference", "effect_size")
        and row.label("measure") == "composite"
        and (
            (row.label("baseline") and row.label("model")) or row.label("span") or row.label("from")
        )
        and row not in pooled
    ]
    facts = {"against": "zero"} if pick_rows(measure.scenarios.rows, against="zero") else {}
    joint = pooled_rows(measure.scenarios, "stage", role="estimate", measure="composite", **facts)
    if not facts:
        joint = untested_rows(joint)
    tables = [*kind_tables(joint, f"mean of {name}"), *kind_tables(others, name)]
    if measure.wordings is not None:
        tables += kind_tables(changes_of(measure.wordings), f"{name} over all wordings")
    return ask_rows(
        f"sizes{measure.place}",
        f"How large were the changes in {name}, and in which models?",
        measure.lead,
        by_units(measure, "effect_size"),
        quantity=f"size of the change in {name} from {base} (d_z)",
        draw=interval_points(panels="units"),
        more=tables,
        note="d_z differs between units of analysis.",
        part="appendix",
    )


def trait_changes(measures: Sequence[Measure]) -> Block | None:
    """Ask which traits changed, where no weights put them together; adjusted over traits and stages."""
    lead, every, levels = measures[0].lead, list[Row](), list[Row]()
    for measure in measures:
        levels += add_labels(
            pooled_rows(measure.lead, "stage", measure="composite"), trait=measure.name
        )
        for row in add_labels(changes_of(measure.lead), trait=measure.name):
            name = f"{as_words(measure.name)}: {change_name(row)}"
            every.append(replace(row, term=name, group=None))
    rows, tests = adjust_family_by_holm(every, "traits and stages")
    top = leading_difference(rows)
    return ask_rows(
        "trait-changes",
        "Which traits changed over the stages?",
        [*(measure.lead for measure in measures), tests],
        rows,
        quantity=f"change in the mean score of each trait from {baseline_of(lead)}",
        say=[
            units_first(lead, tally_sentence(rows, "change", " of traits")),
            f"The largest was {top.term} ({sentences.stat(top)})." if top is not None else "",
        ],
        draw=interval_points(),
        more=kind_tables(levels, "mean score"),
    )


# models against the reference


SIDES = {
    "above": "scored above {}",
    "below": "scored below {}",
    "equal": "were equivalent to {} within \u00b1{}",
    "open": "did not differ significantly from {}",
    "none": "had no test against {}",
}


def lean_sides(staged: Staged) -> dict[str, list[Row]]:
    """Return the composites of models by what their tests show, with the smallest effect of interest."""
    options = staged.options
    sides: dict[str, list[Row]] = {side: [] for side in SIDES}
    for row in staged.lean:
        side = planned_verdict(
            row,
            alpha=1 - options.level,
            bounds=equivalence_bounds(row),
            smallest=options.smallest_effect,
        )
        sides[side].append(row)
    return {side: rows for side, rows in sides.items() if rows}


def lean_sentence(staged: Staged) -> str:
    """State how many models lean to which side of the reference; of one model, its composite."""
    options, place = staged.options, place_of(staged.options)
    if len(staged.lean) == 1:
        row = replace(staged.lean[0], p_adjusted=None)
        return sentences.reference_sentence("The composite", row, 0.0, place)
    size = "" if options.smallest_effect is None else as_given(options.smallest_effect)
    texts: list[str] = []
    for side, rows in lean_sides(staged).items():
        reason = rows[0].undefined if side == "none" else None
        why = f" ({sentences.because(reason)})" if reason else ""
        verb = SIDES[side].format("it" if texts else place, size)
        texts.append(f"{count(len(rows))} {verb}{why}")
    return f"Of {count(len(staged.lean), 'model')}, {listing(texts)}{' (Holm)' if staged.tests else ''}."


def lean(staged: Staged) -> Block | None:
    """Ask where the models lean; of several models, their comparison has the same numbers."""
    profile, alone = staged.profile, len(staged.lean) == 1
    levels = [row for row in profile.rows if is_level(row)]
    means = rows_with(profile.rows, "model", measure="composite")
    spreads = pick_rows(levels, "spread", model=True)
    kind = "weighted" if staged.instrument.weights else "unweighted"
    title = f"{kind} composite over all stages as scored, SD over scenarios (n \u2212 1)"
    return ask_rows(
        "lean",
        "Where did the models lean?",
        profile,
        staged.lean,
        quantity=f"{kind} composite over all stages relative to {place_of(staged.options)}",
        say=[span_sentence(staged.lean, f"the composite{relative_to(staged.options)}")],
        draw=interval_points(sort=True),
        more=[
            grid_table(
                [*means, *spreads], title, "model", name="leans", cell="mean_sd", headings=M_SD
            ),
            *kind_tables(levels, "composite as scored", none="all models"),
        ],
        results=staged.tests,
        part="main" if alone else "appendix",
    )


M_SD = {"": "M (SD)"}


def is_level(row: Row) -> bool:
    """Return whether a row is a composite as scored, or how composites spread."""
    names = {name for name, _ in row.key}
    return row.label("measure") == "composite" and (
        row.role == "spread" or (row.role == "estimate" and names <= {"measure", "model", "stage"})
    )


# judges


PAIRS = {"mean": "mean of the pairs", "pooled": "all pairs pooled"}
COMPOSITES, KAPPA, SCORES = "composites", "composites to whole points", "single trait scores"


def agreement(staged: Staged) -> Block | None:
    """Ask whether the judges agreed, about what, and at which stages."""
    if not staged.agreement:
        return None
    # all stages, then each in its order
    order = [None, *staged.measures[0].options["stages"]]
    coefficients = {
        about: sorted(untested_rows(result.rows), key=lambda row: order.index(row.label("stratum")))
        for about, result in staged.agreement.items()
    }
    kappas = [
        row if row.label("pair") else add_labels([row], pair=PAIRS[row.term])[0]
        for row in coefficients.pop(KAPPA)
    ]
    alphas = [row for about, rows in coefficients.items() for row in add_labels(rows, about=about)]
    return ask_rows(
        "agreement",
        "Did the judges agree?",
        staged.agreement,
        alphas,
        quantity="Krippendorff's alpha (interval) of the judges",
        say=[
            f"Agreement about {about} was α = {sentences.estimate_text(result.rows[0])}."
            for about, result in staged.agreement.items()
            if about != KAPPA
        ],
        draw=interval_points(None, panels="about"),
        more=[grid_table(kappas, "Quadratic weighted kappa of the judges", "pair", "stratum")],
        clusters=staged.agreement[COMPOSITES].design.clusters,
        note="Offsets of judges lower agreement but do not affect comparisons of models.",
        part="appendix",
    )


def judges(staged: Staged) -> Block | None:
    """Ask whether conclusions depend on any one judge: offsets, and composites without each."""
    profile, controls = staged.profile, staged.options.controls
    rows = rows_with(profile.rows, "judge", role="difference", measure="composite")
    facts = staged.anchored
    without_judge = rows_with(profile.rows, "without", "model", measure="composite", **facts)
    joint = rows_with(profile.rows, "without", measure="composite", **facts)
    place = " relative to the neutral point of the other judges" if facts else ""
    name = f"composite{place}, without one judge"
    tables = kind_tables([*without_judge, *joint], name)
    if controls is not None:
        zeros = judge_zeros(controls, **composite_options(instrument_of(controls)))
        tables += kind_tables(zeros.rows(staged.options.level), "composite of the control texts")
    return ask_rows(
        "judges",
        "Do conclusions depend on any one judge?",
        profile,
        rows,
        quantity="composite minus the judges' mean",
        say=[
            span_sentence(rows, "the offset of a judge from the judges' mean"),
            span_sentence(joint, f"the {name}, of all models,") if joint else "",
        ],
        draw=interval_points(),
        more=tables,
        note=f"Judges are {'fixed' if profile.settings['judges'] == 'fixed' else 'drawn at random'}.",
        part="appendix",
    )


def wordings(staged: Staged) -> Block | None:
    """Ask how much answers depended on the wording."""
    note = "SDs hold the noise of models and judges too."
    question = "How much did answers depend on the wording?"
    return ask_result("wordings", staged.spread, question, note=note, part="appendix")


# stances and replies


def stances(table: Table, options: StudyOptions) -> Block | None:
    """Ask which stances the answers took, by model, with scenarios as clusters."""
    named = {part: part if part in table.columns else None for part in ("model", "scenario")}
    result = label_counts(
        table,
        labels="stance",
        unit="answer",
        group=named["model"],
        cluster=named["scenario"],
        **options.chosen(),
    )
    block = ask_result("stances", result, "Which stances did the answers take?")
    text = cited_text(result, unit=("answer", "answers"), label=("stance", "stances"))
    return block and replace(block, sentences=(text,))


def replies(staged: Staged) -> Block | None:
    """Ask which replies could not be used."""
    design = trait_replies(staged.design)
    source = RATER if len(design.raters) > 1 else None
    shares = reply_shares(design, source=source, stratum="stage", level=staged.options.level)
    return replies_block(design, shares)


# traits and weights


def traits(staged: Staged) -> Block | None:
    """Ask which traits the answers showed."""
    profile, instrument = staged.profile, staged.instrument
    rows = pooled_rows(profile, "trait", measure="score")
    trait_rows = [row for row in profile.rows if row.label("measure") in ("score", "group")]
    gaps = pooled_rows(profile, "traits", "minus", role="difference", measure="group")
    low, high = map(as_given, instrument.scale)
    say = [f"{span_sentence(rows, 'the mean score')} {as_given(instrument.centre)} is neutral."]
    for gap in gaps[:1]:
        sides = [f"traits of '{gap.label(name)}'" for name in ("traits", "minus")]
        say.append(sentences.difference("the mean score", sides[0], sides[1], gap))
    return ask_rows(
        "traits",
        "Which traits did the answers show?",
        profile,
        rows,
        quantity=f"mean score of each trait, {low} to {high}",
        say=say,
        draw=interval_points(instrument.centre, sort=True),
        more=kind_tables([row for row in trait_rows if row not in rows], "mean score"),
        note="The line is the neutral score.",
        part="main" if staged.traits else "appendix",
    )


def activation(staged: Staged) -> Block | None:
    """Ask how many traits were active, and how evenly scores were spread over traits."""
    profile = staged.profile
    n = profile.counts["traits"]
    names = {
        "activation": f"the mean number of active traits of {n}",
        "active": "the share of answers in which a trait is active",
        "entropy": f"the entropy of the trait shares, in nats (at most ln {n}),",
    }
    rows = pooled_rows(profile, "stage", measure="activation")
    say, tables = [], []
    for measure, name in names.items():
        levels = pooled_rows(profile, "trait" if measure == "active" else "stage", measure=measure)
        moved = changes_of(profile, measure)
        if levels:
            say.append(span_sentence(levels, name))
        if moved:
            say.append(tally_sentence(moved, "change", f" in {measure}"))
        every = [row for row in profile.rows if row.label("measure") == measure]
        tables += kind_tables([row for row in every if row not in rows], measure)
    return ask_rows(
        "activation",
        "How many traits were active, and how evenly were scores spread over traits?",
        profile,
        rows,
        quantity=f"active traits of {n}",
        say=say,
        draw=interval_points(None),
        more=tables,
        note="Thresholding discards information; see composites and scores.",
        part="appendix",
    )


PICKS = ("this page", "highest", "lowest", "equal")


def weights_block(staged: Staged) -> Block | None:
    """Ask whether the answer depends on the weights, relative to the neutral point under these where it is known."""
    profile, facts = staged.profile, staged.anchored
    here = rows_with(profile.rows, "model", measure="composite", **facts)
    sets = pick_rows(profile.rows, pick="each", model=False)
    gaps = pick_rows(profile.rows, "difference", pick="each", model=False)
    anchor = facts.get("against", False)
    picked = pick_rows(profile.rows, None, pick=True, model=True, against=anchor)
    means, top = pick_rows(picked), leading_difference(gaps)
    name = f"composite{relative_to(staged.options)} under other weights"
    sets_n = count(len(sets), "other set")
    return ask_rows(
        "weights",
        "Does the answer depend on the weights of the traits?",
        profile,
        [*add_labels(here, pick="this page"), *means] if picked else [],
        quantity=name,
        say=[
            signs_sentence(means, sets_n),
            f"Of these sets, {top.label('weights')} had the largest effect (difference = {sentences.stat(top)})."
            if top is not None
            else "",
        ],
        draw=dot_lines("model", "pick"),
        more=[
            *kind_tables([row for row in picked if row not in means], name),
            *kind_tables([*sets, *gaps], "composite of all models under other weights, as scored"),
        ],
        note=f"Lowest and highest of {sets_n} of weights: each trait 20% up, 20% down and left out, and equal weights. "
        "Positive and negative weights were scaled to keep their sums.",
        part="appendix",
    )


def signs_sentence(means: Sequence[Row], sets_n: str) -> str:
    """State for which models some set of weights changes the sign, or is inconclusive about it."""
    changed, unsure = [], []
    models = rows_by(means, "model")
    for model, rows in models.items():
        values = [row.estimate for row in rows if row.estimate is not None]
        if values and min(values) < 0 < max(values):
            changed.append(shorten(model, 40))
        elif "none" in map(sentences.direction, rows):
            unsure.append(shorten(model, 40))
    parts = [f"the sign changed for {listing(changed, most=6)}" if changed else "no sign changed"]
    if unsure:
        parts.append(f"some sets were inconclusive about {listing(unsure, most=6)}")
    return f"Under {sets_n} of weights, {listing(parts)} (of {count(len(models), 'model')})."
