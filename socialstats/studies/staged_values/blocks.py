"""Composites and traits by stage: blocks and tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from socialstats import sentences
from socialstats.figures import dumbbell, forest, multiples, trajectories
from socialstats.figures.forest import MOST_ROWS
from socialstats.figures.trajectories import MOST_ITEMS
from socialstats.paired.effect_sizes import size_interval_name
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, Row
from socialstats.results.rows import rows_with
from socialstats.scales.profile_rows import SIDES
from socialstats.scales.trait_profile import change_name, changes_of, size_of
from socialstats.studies.estimates import (
    NUMBERS,
    df_text,
    in_cell,
    p_text,
    rows_table,
    table_of,
    whole,
)
from socialstats.studies.page import Block, PageTable, StudyOptions
from socialstats.studies.staged_values.scoring import instrument_of
from socialstats.studies.staged_values.words import (
    at_stages,
    changes_text,
    ends_text,
    last_change,
    leans,
    named,
    order_note,
    place_of,
    range_text,
    scale_of,
    unit_words,
)
from socialstats.text import (
    as_given,
    capital,
    count,
    listing,
    number,
    percent_of,
    shorten,
    significance_level_text,
)

UNITS_TEXT = (
    "Models as units generalise to other models in these scenarios, scenarios as units to other scenarios with these "
    "models. The means agree; standard errors and d_z do not. Report d_z with its unit of analysis."
)
Label = Callable[[Row], str]


def cross_table(
    rows: Sequence[Row],
    caption: str,
    *,
    column: Label,
    line: Label = lambda row: row.term,
    corner: str = "Model",
) -> PageTable:
    """Return rows as a table of lines and columns, ``estimate [low, high]`` in each cell, and the adjusted p.

    Parameters
    ----------
    rows : sequence of Row
    caption : str
        What the cells are; the intervals' level, standard errors' place and n are added.
    line, column : callable
        Row -> label.
    corner : str
        What the lines are.

    Examples
    --------
    >>> row = Row(term="m", group="end", estimate=3.0, conf_low=1.0, conf_high=5.0, conf_level=0.95, n=20.0)
    >>> table = cross_table([row], "Scores", line=lambda r: r.term, column=lambda r: r.group)
    >>> table.caption, table.cells
    ('Scores: estimate [95% CI]; n = 20 each', (('m', '3.00 [1.00, 5.00]'),))
    """
    lines, columns = (list(dict.fromkeys(name(r) for r in rows)) for name in (line, column))
    cells = {(line(r), column(r)): cell_text(r) for r in rows}
    level = next(
        (f" [{percent_of(r.conf_level)} CI]" for r in rows if r.conf_level is not None), ""
    )
    holm = ", p (Holm)" if any(r.p_adjusted is not None for r in rows) else ""
    sizes = sorted({int(r.n) for r in rows if r.n is not None})
    n = (
        f"; n = {sizes[0]:,} " + ("each" if len(sizes) == 1 else f"to {sizes[-1]:,}")
        if sizes
        else ""
    )
    return PageTable(
        caption=f"{caption}: estimate{level}{holm}{n}",
        header=(corner, *(shorten(name, 40) for name in columns)),
        cells=tuple((name, *(cells.get((name, other)) for other in columns)) for name in lines),
        rows=tuple(rows),
    )


def cell_text(row: Row) -> str:
    """Write estimate, interval and adjusted p of a row, or why there is none.

    Examples
    --------
    >>> cell_text(Row(term="m", estimate=-1.5, conf_low=-2.0, conf_high=-1.0, p_value=0.01, p_adjusted=0.02))
    '−1.50 [−2.00, −1.00], .020'
    """
    text = in_cell(row)
    if text is None:
        return row.undefined or ""
    return text if row.p_adjusted is None else f"{text}, {p_text(row.p_adjusted)}"


def at(row: Row) -> str:
    """Name the stage of a row."""
    return row.label("stage") or "all stages"


def words(name: str) -> str:
    """Write the name of a trait or of a set of weights with blanks."""
    return name.replace("_", " ")


def trait_of(row: Row) -> str:
    """Write the trait of a row."""
    return shorten(words(row.term), 40)


def level_of(rows: Sequence[Row]) -> str:
    """Write the level of the intervals of rows."""
    return percent_of(next((r.conf_level for r in rows if r.conf_level is not None), 0.95))


PICKS = {"highest": "highest", "this page": "", "lowest": "lowest", "equal": "equal"}


def weights_block(profile: Result) -> Block | None:
    """Return the composites under other weights, relative to the neutral point under these where it is known.

    Parameters
    ----------
    profile : Result
        Of `trait_profile`, with models.
    """

    def found(*dimensions: str, role: str = "estimate", **facts: str) -> list[Row]:
        return named(rows_with(profile.rows, *dimensions, role=role, measure="composite", **facts))

    anchored = (
        {"against": "zero"} if found("model", "weights", pick="lowest", against="zero") else {}
    )
    chosen = {
        name: found("model", "weights", pick=pick, **anchored)
        if pick
        else found("model", **anchored)
        for name, pick in PICKS.items()
    }
    if not chosen["lowest"]:
        return None
    every = found("weights", pick="each")
    gaps = {r.term: r for r in found("weights", pick="each", role="difference")}
    cells = []
    for name in ("highest", "lowest", "equal"):
        moved = {
            r.term: r for r in found("model", "weights", pick=name, role="difference", **anchored)
        }
        for r in chosen[name]:
            gap = cell_text(moved[r.term]) if r.term in moved else None
            cells.append((r.term, name, cell_text(r), gap, words(str(r.label("weights")))))
    n = next((f"; n = {int(r.n):,}" for r in chosen["lowest"] if r.n), "")
    minus = " relative to the judges' neutral point" if anchored else ""
    sets = count(len(every), "set")
    return Block(
        id="weights",
        question="Does the answer depend on the weights of the traits?",
        part="appendix",
        sentences=(
            sides_text(chosen, f"{sets} of weights", bool(anchored)),
            gaps_text(list(gaps.values())),
        ),
        draw=partial(
            dumbbell,
            [
                replace(r, group=name, conf_low=None, conf_high=None)
                for name, rows in chosen.items()
                for r in rows
            ][: 4 * MOST_ROWS],
            targets=dict.fromkeys(PICKS),
            xlabel=f"composite{minus}",
        ),
        figure_title="Composite of each model under other weights",
        caption=f"Lowest and highest of {count(len(every), 'other set')} of weights: each trait 20% up, 20% down and "
        "left out, and equal weights. Positive and negative weights were scaled to keep their sums.",
        tables=(
            PageTable(
                caption=f"Composite{minus} of each model under other weights: estimate "
                f"[{level_of(chosen['lowest'])} CI]{n}",
                header=("Model", "Weights", "Composite", "Difference to this page", "Set"),
                cells=tuple(cells),
            ),
            PageTable(
                caption=f"Composite under every set of weights, as scored: estimate [{level_of(every)} CI]; difference "
                f"to the weights of this page, with p (Holm over {sets})",
                header=("Weights", "Composite", "Difference"),
                cells=tuple(
                    (words(r.term), cell_text(r), cell_text(gaps[r.term]))
                    for r in every
                    if r.term in gaps
                ),
            ),
        ),
    )


def sides_text(chosen: Mapping[str, list[Row]], many: str, anchored: bool) -> str:
    """Return for which models some set of weights changes the sign, is inconclusive about it, or has no interval."""
    here, low, high = (
        {r.term: r for r in chosen[name]} for name in ("this page", "lowest", "highest")
    )
    terms = [
        term
        for term, row in here.items()
        if row.estimate is not None and term in low and term in high
    ]
    known = [t for t in terms if low[t].conf_low is not None and high[t].conf_high is not None]
    flips = [t for t in terms if (low[t].estimate or 0.0) < 0 < (high[t].estimate or 0.0)]
    open_ = [t for t in known if (low[t].conf_low or 0.0) <= 0 <= (high[t].conf_high or 0.0)]
    gone = [t for t in terms if t not in known]
    names = [listing([shorten(t, 40) for t in some], most=6) for some in (flips, open_, gone)]
    place = "the judges' neutral point (same weights)" if anchored else "0, as scored"
    clear = f"{count(len(known) - len(open_))} of {count(len(terms), 'model')}"
    said = [f"Relative to {place}, the CI of {clear} excluded 0 on one side under all {many}."]
    said += [f"Some sets were inconclusive about the sign of {names[1]}."] if open_ else []
    said += [f"Some CI is undefined for {names[2]}."] if gone else []
    return " ".join(
        [*said, f"The sign changed for {names[0]}." if flips else "No estimate changed its sign."]
    )


def gaps_text(gaps: Sequence[Row]) -> str:
    """Return which set of weights had the largest effect on the composite."""
    known = [r for r in gaps if r.estimate is not None]
    if not known:
        return "No set of weights gave a difference."
    row = max(known, key=lambda r: abs(r.estimate or 0.0))
    if number(row.estimate) == number(0.0):
        return "No set of weights changed the composite."
    return (
        f"Of these sets, {shorten(words(row.term), 60)} had the largest effect (difference, paired within scenarios = "
        f"{sentences.stat(row)})."
    )


def lean_block(
    profile: Result, lean: Sequence[Row], tests: Result | None, options: StudyOptions
) -> Block:
    """Return the composite of each model against the reference."""
    place, rows = place_of(options), named(lean)
    said = [leans(lean, options) if len(lean) > 1 else range_text(lean, options)]
    tables = [rows_table(rows, f"Composite over all stages relative to {place}", term="Model")]
    if options.zero is not None:
        raw = named(rows_with(profile.rows, "model", measure="composite"))
        tables.append(
            rows_table(raw, "Composite over all stages as scored, against 0", term="Model")
        )
        tables.append(
            rows_table(at_stages(profile), "Composite at each stage, as scored", term="Stage")
        )
        cells = rows_with(profile.rows, "model", "stage", measure="composite")
        tables.append(
            cross_table(cells, "Composite of each model at each stage, as scored", column=at)
        )
        apart = sum(sentences.is_significant(r) for r in raw)
        of = f"{count(apart)} of {count(len(raw), 'model')}"
        said.append(f"Relative to 0 instead of the neutral point, {of} differed (unadjusted).")
    return Block(
        id="lean",
        question="Where did the models lean?",
        sentences=tuple(said),
        draw=partial(
            forest, rows[:MOST_ROWS], xlabel=f"composite relative to {place}", label="Model"
        ),
        figure_title=f"{composite_name(profile)} of each model over all stages",
        caption=f"Points: means over judges and scenarios, relative to {place}; {level_of(rows)} CIs "
        f"({profile.inference}).",
        tables=(*tables, *spread_tables(profile)),
        results=(profile,) if tests is None else (profile, tests),
    )


def courses(
    result: Result, stages: Sequence[str], **facts: str
) -> tuple[list[Row], partial[Any] | None, str]:
    """Return the composites of each model at each stage, their figure where they are few, and what its bars are."""
    rows = rows_with(result.rows, "model", "stage", measure="composite", **facts)
    rows = [replace(r, group=r.label("stage")) for r in rows]
    n = count(result.counts["scenarios"], "scenario")
    bars = f"Lines: models; bars: {level_of(result.rows)} CIs (t); n = {n}.{order_note(result, stages)}"
    few = 0 < len({r.term for r in rows}) <= MOST_ITEMS
    return rows, partial(trajectories, rows, stages=stages) if few else None, bars


def composite_axis(profile: Result, options: StudyOptions) -> str:
    """Name the axis of composites: with their range, or with what they are relative to."""
    if options.zero is not None:
        return f"composite relative to {place_of(options)}"
    low, high = (as_given(end) for end in profile.extras["range"])
    return f"composite, from {low} to {high}"


def composite_name(profile: Result) -> str:
    """Name the composite: weighted where weights are declared."""
    return "Weighted composite" if instrument_of(profile.design).weights else "Unweighted composite"


def measure_of(result: Result) -> str:
    """Name what the composite of a result is: that of all traits, or a single score."""
    names = list(result.extras["weights"])
    return "the composite" if len(names) > 1 else str(names[0])


def trajectories_block(profile: Result, stages: Sequence[str], options: StudyOptions) -> Block:
    """Return the course of every model's composite, relative to the judges' neutral point where it is known."""
    facts = {} if options.zero is None else {"against": "zero"}
    rows, figure, bars = courses(profile, stages, **facts)
    joint, place = at_stages(profile, **facts), place_of(options)
    than = "" if options.zero is None else f" relative to {place}"
    axis = composite_axis(profile, options)
    known = [r for r in joint if r.estimate is not None]
    many = (
        f"mean composite of all models{than}"
        if len({r.term for r in rows}) > 1
        else f"composite{than}"
    )
    said = (
        f"The {many} was {ends_text(known, at='at')}."
        if known
        else "The composite is undefined at every stage."
    )
    tables = [rows_table(joint, f"Composite of all models at each stage{than}", term="Stage")]
    tables.append(cross_table(rows, f"Composite of each model at each stage{than}", column=at))
    return Block(
        id="trajectories",
        question="How did composites change over the stages?",
        sentences=(said,),
        draw=partial(figure, lines={place.removeprefix("the judges' "): 0.0}, ylabel=axis)
        if figure
        else partial(forest, joint, sort=False, xlabel=axis),
        figure_title="Composite at each stage, one line per model",
        caption=f"{bars} Overlapping CIs do not rule out within-scenario change.",
        tables=tuple(tables),
    )


def changes_table(
    result: Result, rows: Sequence[Row], caption: str, labels: Sequence[str], term: str = "Change"
) -> PageTable:
    """Return changes with their d_z."""

    def of_size(name: str) -> Callable[[Row], Any]:
        return lambda row: None if (size := size_of(result, row)) is None else size.shown(name)

    columns: dict[str, Any] = NUMBERS | {
        "df": lambda r: df_text(r.df),
        "p": lambda r: p_text(r.p_value),
        "p (Holm)": lambda r: p_text(r.p_adjusted),
        "d_z": of_size("estimate"),
        "d_z low": of_size("conf_low"),
        "d_z high": of_size("conf_high"),
        "n": whole("n"),
        "Why not": "undefined",
    }
    known = (size_of(result, row) for row in rows)
    sizes = dict.fromkeys(
        size_interval_name(size) for size in known if size is not None and size.interval
    )
    own = f"; d_z CIs: {listing(list(sizes))}" if sizes else ""
    return table_of(rows, caption + own, (term, labels), columns)


def moved_table(result: Result, caption: str, measure: str = "composite") -> list[PageTable]:
    """Return the changes of all models (of the only one) with their d_z."""
    rows = changes_of(result, measure)
    return [changes_table(result, rows, caption, [change_name(r) for r in rows])] if rows else []


def other_tables(result: Result, what: str) -> list[PageTable]:
    """Return the changes of each model, of the stages of the play together, and between any two other stages."""
    own = rows_with(
        result.rows, "stage", "baseline", "model", role="difference", measure="composite"
    )
    tables = []
    if own != changes_of(result):
        names = [f"{r.term}: {change_name(r)}" for r in own]
        tables.append(
            changes_table(
                result,
                own,
                f"Changes in {what} of each model; p (Holm): over models and stages",
                names,
            )
        )
    for facts, caption, name in (
        (
            ("span", "baseline"),
            f"Change in {what} from the baseline to the mean of the stages of the play",
            play_name,
        ),
        (("stage", "from"), f"Changes in {what} between any two other stages", step_name),
    ):
        joint, each = (
            rows_with(result.rows, *facts, *more, role="difference", measure="composite")
            for more in ((), ("model",))
        )
        for rows, whose in (
            (joint or each, "all models" if joint else "the model"),
            (each if joint else [], "each"),
        ):
            labels = [labelled(r, name=name, whose=whose) for r in rows]
            if rows:
                tables.append(changes_table(result, rows, f"{caption}, {whose}", labels))
    return tables


def labelled(row: Row, *, name: Label, whose: str) -> str:
    """Name a change, and its model where there are several."""
    return name(row) if whose != "each" else f"{row.term}: {name(row)}"


def play_name(row: Row) -> str:
    """Return what the change of the stages of the play is called."""
    return f"{row.label('span')} minus {row.label('baseline')}"


def step_name(row: Row) -> str:
    """Return ``stage 3 minus stage 2``."""
    return f"{row.label('stage')} minus {row.label('from')}"


def play_text(result: Result, what: str) -> str:
    """Return how far a measure moved from the baseline to the stages of the play together; nothing without these."""
    joint, own = (
        rows_with(result.rows, "span", "baseline", *more, role="difference", measure="composite")
        for more in ((), ("model",))
    )
    if not (joint or own):
        return ""
    row = (joint or own)[0]
    play = listing([shorten(s, 30) for s in result.settings["interaction"]], most=6)
    return sentences.difference(
        what, f"the mean of {play}", shorten(row.label("baseline") or "", 40), row, at="at"
    )


def spread_tables(profile: Result) -> list[PageTable]:
    """Return the standard deviation of the models' composites, and of the scenarios of each model."""
    rows = [r for r in profile.rows if r.role == "spread" and r.label("measure") == "composite"]
    labels = [
        f"over {r.label('over')}" + (f": {r.label('model')}" if r.label("model") else "")
        for r in rows
    ]
    return (
        [
            rows_table(
                rows,
                "Standard deviation (n − 1) of composites: of the models' means, and of each model's "
                "scenarios",
                term="SD",
                labels=labels,
            )
        ]
        if rows
        else []
    )


def changes_block(profile: Result, models: Result | None) -> Block:
    """Return the changes of the composite against the baseline: with models as units where there are enough.

    Parameters
    ----------
    profile : Result
        With scenarios as the units of analysis.
    models : Result or None
        With models as the units.
    """
    lead = models or profile
    ways = {
        unit_words(one, rows[-1]): rows
        for one in (models, profile)
        if one is not None and (rows := changes_of(one))
    }
    panels = {
        f"{unit} as units": [replace(r, term=change_name(r), group=None) for r in rows]
        for unit, rows in ways.items()
    }
    tables = moved_table(lead, changes_caption(lead, "the composite"))
    beside = (
        play_text(profile, "the composite")
        if models is None
        else changes_text(profile, "the composite", brief=True)
    )
    return Block(
        id="changes",
        question="What did the stages change?",
        sentences=(changes_text(lead, "the composite"), *filter(None, [beside])),
        draw=partial(multiples, panels, sort=False, xlabel="change in the composite"),
        figure_title="Change in the composite from the baseline"
        + ", by unit of analysis" * (len(panels) > 1),
        caption=f"Points: means over all models; unadjusted {level_of(changes_of(lead))} CIs (paired t).",
        tables=(*tables, *(other_tables(profile, "the composite") if models is None else ())),
        results=() if models is None else (models,),
    )


def changes_caption(result: Result, what: str) -> str:
    """Return the caption of the changes of all models."""
    return f"Changes in {what}, {result.settings['unit_of_analysis']}s as units (p (Holm): over stages)"


def further_block(
    name: str, scores: Result, models: Result | None, stages: Sequence[str], *, id: str
) -> Block:
    """Return the mean of a further score at each stage, and its changes; units of analysis as in `changes_block`."""
    rows, figure, bars = courses(scores, stages)
    joint, lead = named(rows_with(scores.rows, "stage", measure="composite")), models or scores
    alone = [
        replace(row, statistic=None, df=None, p_value=None) for row in joint
    ]  # tests against 0: off the scale
    what, axis = capital(name), f"{name}{scale_of(scores)}"
    tables = (
        [rows_table(alone, f"{what} of all models at each stage", term="Stage")] if joint else []
    )
    tables += [
        cross_table(rows, f"{what} of each model at each stage", column=at),
        *moved_table(lead, changes_caption(lead, name)),
    ]
    return Block(
        id=id,
        question=f"Did {name} grow?",
        sentences=(changes_text(lead, name),),
        draw=partial(figure, ylabel=axis)
        if figure
        else partial(forest, joint, sort=False, xlabel=axis),
        figure_title=f"Mean {name} at each stage, one line per model",
        caption=bars,
        tables=(*tables, *(other_tables(scores, name) if models is None else ())),
        results=(scores,) if models is None else (scores, models),
    )


TRAIT_CHANGES = "trait-changes"


def trait_changes_block(apart: Mapping[str, Result]) -> Block:
    """Return the mean score of each trait at each stage, and the changes, adjusted over traits and stages.

    Parameters
    ----------
    apart : mapping of str to Result
        Each trait -> its scores, analysed alone.
    """
    lead = next(iter(apart.values()))
    every = [
        replace(row, term=f"{words(name)}: {change_name(row)}", group=None)
        for name, one in apart.items()
        for row in changes_of(one)
    ]
    rows, tests = adjust_family_by_holm(every, "traits and stages")
    levels = [
        replace(row, group=words(name)) for name, one in apart.items() for row in at_stages(one)
    ]
    clear = [row for row in rows if sentences.is_significant(row)]
    tested = sum(row.p_value is not None for row in rows)
    units = unit_words(lead, rows[0])
    many = sentences.some_of(len(clear), tested, "changes of traits")
    said = [f"With {units} as units, {many[:1].lower()}{many[1:]}"]
    if clear:
        told = [
            f"{shorten(row.term, 60)} ({sentences.estimate_text(row)})"
            for row in clear[:MOST_CHANGES]
        ]
        few = "It was" if len(clear) == 1 else "They were"
        said.append(
            f"{'The first of them were' if len(clear) > MOST_CHANGES else few} {listing(told)}."
        )
    return Block(
        id=TRAIT_CHANGES,
        question="Which traits changed over the stages?",
        sentences=tuple(said),
        draw=partial(forest, rows[:MOST_ROWS], sort=False, xlabel="change in the mean score"),
        figure_title="Change of each trait from the baseline",
        caption=f"Points: means over all models; unadjusted {level_of(rows)} CIs (paired t).",
        tables=(
            cross_table(
                levels,
                "Mean score of each trait at each stage",
                corner="Stage",
                column=lambda row: str(row.group),
            ),
            rows_table(
                rows,
                "Changes of each trait from the baseline; p (Holm): over traits and stages",
                term="Trait and change",
            ),
        ),
        results=(*apart.values(), *([] if tests is None else [tests])),
    )


MOST_CHANGES = 6  # significant changes of traits that are named one by one


def group_words(group: str) -> str:
    """Name the traits of a group: by the side of their weights, or by the name that the group was given."""
    return f"traits with {group}" if group in SIDES else f"traits of '{shorten(group, 40)}'"


def traits_block(profile: Result, *, main: bool = False) -> Block | None:
    """Return the mean score of each trait."""
    instrument = instrument_of(profile.design)
    (low, high), centre = map(as_given, instrument.scale), as_given(instrument.centre)
    joint, own = (
        rows_with(profile.rows, "trait", *more, measure="score") for more in ((), ("model",))
    )
    shown = [replace(r, term=trait_of(r), group=None) for r in joint or own]
    known = [r for r in shown if r.estimate is not None]
    if not known:
        return None
    tables = [rows_table(shown, "Mean score of each trait", term="Trait")]
    said = [f"The mean score was {ends_text(known, at='for')}; {centre} is neutral."]
    groups = [r for r in profile.rows if r.label("traits") is not None]
    if groups:
        names = [
            f"{r.label('model') or 'all models'}: {group_words(str(r.label('traits')))}"
            + (f" minus {r.label('minus')}" if r.label("minus") else "")
            for r in groups
        ]
        tables.append(
            rows_table(
                groups,
                "Mean scores of groups of traits, and their paired differences",
                term="Traits",
                labels=names,
            )
        )
        gap = next((r for r in groups if r.label("minus") and r.label("model") is None), groups[-1])
        if gap.label("minus"):
            one, other = (group_words(str(gap.label(name))) for name in ("traits", "minus"))
            said.append(sentences.difference("the mean score", one, other, gap))
    if spread := [r for r in profile.rows if r.role == "spread" and r.label("trait")]:
        tables.append(
            rows_table(
                spread, "Standard deviation over models of each trait's mean score", term="Trait"
            )
        )
    if joint:
        tables.append(
            cross_table(
                own,
                "Mean score of each trait, by model",
                corner="Trait",
                line=trait_of,
                column=lambda r: str(r.label("model")),
            )
        )
    return Block(
        id="traits",
        question="Which traits did the answers show?",
        sentences=tuple(said),
        draw=partial(
            forest,
            shown[:MOST_ROWS],
            reference=instrument.centre,
            xlabel=f"mean score, {low} to {high}",
        ),
        part="main" if main else "appendix",
        figure_title="Mean score of each trait",
        caption=f"Points: means over all stages and models; {level_of(shown)} CIs (t). The line is the neutral score.",
        tables=tuple(tables),
    )


def activation_block(profile: Result) -> Block | None:
    """Return how many traits are active, and the entropy of the traits' shares."""
    n, shown, entropies = (
        profile.counts["traits"],
        at_stages(profile, "activation"),
        at_stages(profile, "entropy"),
    )
    active = [
        replace(r, term=trait_of(r), group=None, limits=(0.0, 1.0))
        for r in rows_with(profile.rows, "trait", measure="active")
    ]
    known, often, even = (
        [r for r in rows if r.estimate is not None] for rows in (shown, active, entropies)
    )
    if not known:
        return None
    least = number(profile.settings["activation"], 0)
    said = [
        f"The mean number of active traits of {n} (mean score of at least {least}) was {ends_text(known, at='at')}.",
        clear_changes(profile, "activation", "the number of active traits"),
    ]
    if often:
        said.append(f"Shares of active traits were {ends_text(often, at='for')}.")
    if even:
        said += [
            f"The entropy of the trait shares, in nats (at most ln {n}), was {ends_text(even, at='at')}.",
            clear_changes(profile, "entropy", "entropy"),
        ]
    tables = [
        rows_table(shown, "Number of active traits at each stage", term="Stage"),
        *moved_table(profile, "Changes in the number of active traits", measure="activation"),
    ]
    own = rows_with(profile.rows, "model", "stage", measure="activation")
    if rows_with(profile.rows, "stage", measure="activation"):
        tables.append(cross_table(own, "Active traits of each model at each stage", column=at))
    tables.append(
        rows_table(active, "Share of answers in which each trait is active", term="Trait")
    )
    if entropies:
        tables.append(
            rows_table(entropies, "Entropy of the trait scores at each stage", term="Stage")
        )
    return Block(
        id="activation",
        question="How many traits were active, and how evenly were scores spread over traits?",
        sentences=tuple(said),
        draw=partial(forest, shown, sort=False, xlabel="active traits", reference=None),
        figure_title="Mean number of active traits at each stage, all models",
        caption=f"Points: means over all models; {level_of(shown)} CIs (t). Thresholding discards information; see "
        "composites and scores.",
        part="appendix",
        tables=(
            *tables,
            *moved_table(profile, "Changes in the entropy of the trait scores", measure="entropy"),
        ),
    )


def clear_changes(profile: Result, measure: str, what: str) -> str:
    """Return the significant changes of a measure."""
    rows = [r for r in changes_of(profile, measure) if r.p_value is not None]
    clear = [r for r in rows if sentences.is_significant(r)]
    if not rows:
        return f"No change in {what} has a test."
    if not clear:
        none = sentences.no_significance_sentence(len(rows), f"changes in {what}")
        return (
            none
            if len(rows) > 1
            else f"The change in {what} was not significant ({sentences.p_of(rows[0])})."
        )
    alpha = significance_level_text(rows[0].conf_level or 0.95)
    said = listing([f"{shorten(change_name(r), 40)} ({sentences.stat(r)})" for r in clear], most=4)
    return f"Significant changes in {what} (p_Holm < {alpha}): {said}."


def units_block(pairs: Mapping[str, tuple[Result, Result]]) -> Block | None:
    """Return the changes with scenarios as units, those of each model and between other stages.

    Parameters
    ----------
    pairs : mapping of str to pair of Result
        What is measured -> with scenarios, and with models as the units of analysis.
    """
    if not pairs:
        return None
    said, shown, tables = [], [], []
    for what, (scenarios, models) in pairs.items():
        for result in (models, scenarios):
            row = last_change(result)
            shown.append(
                replace(
                    row, term=f"{what}, {result.settings['unit_of_analysis']}s as units", group=None
                )
            )
        said += [changes_text(scenarios, what), play_text(scenarios, what)]
        tables += [
            *moved_table(scenarios, changes_caption(scenarios, what)),
            *other_tables(scenarios, what),
        ]
    return Block(
        id="units",
        question="How do changes depend on the unit of analysis?",
        sentences=(UNITS_TEXT, *filter(None, said)),
        draw=partial(
            forest, shown, sort=False, xlabel=f"change, {change_name(last_change(models))}"
        ),
        figure_title="Change of the last stage of the play, by unit of analysis",
        caption=f"{percent_of(shown[0].conf_level or 0.95)} CIs (paired t), unadjusted.",
        tables=tuple(tables),
        part="appendix",
    )
