"""Composites and traits by stage: blocks and tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from socialstats.figures import dumbbell, forest, trajectories
from socialstats.figures.forest import MOST_ROWS
from socialstats.figures.trajectories import MOST_ITEMS
from socialstats.metrics.trait_profile import change_name, changes_of, size_of
from socialstats.results import Result, Row
from socialstats.results.rows import rows_with
from socialstats.studies.estimates import p_text, rows_table
from socialstats.studies.page import Block, StudyOptions, Table
from socialstats.studies.staged_values.words import (
    at_stages,
    changes_text,
    ends_text,
    last_change,
    leans,
    named,
    place_of,
    size_text,
    with_test,
)
from socialstats.text import count, level_text, listing, number, shorten

UNITS_TEXT = (
    "Scenarios as units: would these models change in other scenarios? Models as units: would other models change in "
    "these scenarios? The means are alike, their errors and d_z are not, so that a d_z needs its unit beside it."
)
Label = Callable[[Row], str]


def cross_table(
    rows: Sequence[Row], caption: str, *, column: Label, line: Label = lambda row: row.term, digits: int = 2,
    corner: str = "Model",
) -> Table:  # fmt: skip
    """Return rows as a table of lines and columns, ``estimate [low, high]`` in each cell, and the adjusted p.

    Parameters
    ----------
    rows : sequence of Row
    caption : str
        What the cells are; the intervals' level, standard errors' place and n are added.
    line, column : callable
        Row -> label.
    digits : int
    corner : str
        What the lines are.

    Examples
    --------
    >>> row = Row(term="m", group="end", estimate=3.0, conf_low=1.0, conf_high=5.0, conf_level=0.95, n=20.0)
    >>> table = cross_table([row], "Scores", line=lambda r: r.term, column=lambda r: r.group, digits=1)
    >>> table.caption, table.cells
    ('Scores: estimate [95% CI]; n = 20 each', (('m', '3.0 [1.0, 5.0]'),))
    """
    lines, columns = (list(dict.fromkeys(name(r) for r in rows)) for name in (line, column))
    cells = {(line(r), column(r)): cell_text(r, digits) for r in rows}
    level = next((f" [{level_text(r.conf_level)} CI]" for r in rows if r.conf_level is not None), "")
    holm = ", p (Holm)" if any(r.p_adjusted is not None for r in rows) else ""
    sizes = sorted({int(r.n) for r in rows if r.n is not None})
    n = f"; n = {sizes[0]:,} " + ("each" if len(sizes) == 1 else f"to {sizes[-1]:,}") if sizes else ""
    return Table(
        caption=f"{caption}: estimate{level}{holm}{n}", header=(corner, *(shorten(name, 40) for name in columns)),
        cells=tuple((name, *(cells.get((name, other)) for other in columns)) for name in lines),
    )  # fmt: skip


def cell_text(row: Row, digits: int) -> str:
    """Write estimate, interval and adjusted p of a row, or why there is none.

    Examples
    --------
    >>> cell_text(Row(term="m", estimate=-1.5, conf_low=-2.0, conf_high=-1.0, p_value=0.01, p_adjusted=0.02), 1)
    '−1.5 [−2.0, −1.0], .020'
    """
    if row.estimate is None:
        return row.undefined or ""
    text = number(row.estimate, digits)
    if row.conf_low is not None and row.conf_high is not None:
        text += f" [{number(row.conf_low, digits)}, {number(row.conf_high, digits)}]"
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
    return level_text(next((r.conf_level for r in rows if r.conf_level is not None), 0.95))


PICKS = {"highest": "highest", "this page": "", "lowest": "lowest", "equal": "equal"}


def weights_block(profile: Result) -> Block | None:
    """Return the composites under other weights, against the judges' own zero under the same weights where it is known.

    Parameters
    ----------
    profile : Result
        Of `trait_profile`, with models.
    """

    def found(*dimensions: str, role: str = "estimate", **facts: str) -> list[Row]:
        return named(rows_with(profile.rows, *dimensions, role=role, measure="composite", **facts))

    anchored = {"against": "zero"} if found("model", "weights", pick="lowest", against="zero") else {}
    chosen = {
        name: found("model", "weights", pick=pick, **anchored) if pick else found("model", **anchored)
        for name, pick in PICKS.items()
    }
    if not chosen["lowest"]:
        return None
    every = found("weights", pick="each")
    gaps = {r.term: r for r in found("weights", pick="each", role="difference")}
    cells = []
    for name in ("highest", "lowest", "equal"):
        moved = {r.term: r for r in found("model", "weights", pick=name, role="difference", **anchored)}
        for r in chosen[name]:
            gap = cell_text(moved[r.term], 2) if r.term in moved else None
            cells.append((r.term, name, cell_text(r, 2), gap, words(str(r.label("weights")))))
    n = next((f"; n = {int(r.n):,}" for r in chosen["lowest"] if r.n), "")
    minus = " minus the judges' own zero" if anchored else ""
    sets = count(len(every), "set")
    return Block(
        id="weights",
        question="Does the answer depend on the weights of the traits?",
        sentences=(sides_text(chosen, f"{sets} of weights", bool(anchored)), gaps_text(list(gaps.values()))),
        draw=partial(dumbbell, [replace(r, group=name, conf_low=None, conf_high=None)
                                for name, rows in chosen.items() for r in rows][: 4 * MOST_ROWS],
                     targets=dict.fromkeys(PICKS), digits=1, xlabel=f"composite{minus}"),
        figure_title="Composite of each model under other weights",
        caption=f"{count(len(every), 'other set')} of weights: each trait 20% up, 20% down and left out, and all "
        "traits alike; positive and negative weights are then scaled to add up to 5 each. Lowest and highest: over "
        "these sets. Intervals are in the tables.",
        tables=(
            Table(
                caption=f"Composite{minus} of each model under other weights: estimate "
                f"[{level_of(chosen['lowest'])} CI]{n}",
                header=("Model", "Weights", "Composite", "Difference to this page", "Which"), cells=tuple(cells),
            ),
            Table(
                caption=f"Composite under every set of weights, as the judges gave it: estimate [{level_of(every)} "
                f"CI]; difference to the weights of this page: the same, and p (Holm over {sets})",
                header=("Weights", "Composite", "Difference"),
                cells=tuple((words(r.term), cell_text(r, 2), cell_text(gaps[r.term], 2))
                            for r in every if r.term in gaps),
            ),
        ),
    )  # fmt: skip


def sides_text(chosen: Mapping[str, list[Row]], many: str, anchored: bool) -> str:
    """Say for which models some set of weights changes the side, or leaves it open."""
    here, low, high = ({r.term: r for r in chosen[name]} for name in ("this page", "lowest", "highest"))
    known = [term for term, row in here.items() if row.estimate is not None and term in low and term in high]
    flips = [t for t in known if (low[t].estimate or 0.0) < 0 < (high[t].estimate or 0.0)]
    others = [t for t in known if (low[t].conf_low or 0.0) <= 0 and (high[t].conf_high or 0.0) >= 0]
    moved, unsettled = (listing([shorten(t, 40) for t in some], most=6) for some in (flips, others))
    place = "the judges' own zero (under the same weights)" if anchored else "0, as the judges gave it"
    who = "the model" if len(known) == 1 else f"{count(len(known) - len(others))} of {count(len(known), 'model')}"
    said = f"Against {place}, the interval of {who} lies on one side under every one of the {many}"
    if len(known) == 1 and others:
        said = f"Against {place}, some of the {many} leave the side of the model open"
    elif others:
        said += f"; some set leaves open the side of {unsettled}"
    return f"{said}, and moves the estimate of {moved} across." if flips else f"{said}. No estimate changes its sign."


def gaps_text(gaps: Sequence[Row]) -> str:
    """Say which set of weights moves the composite most, in pairs within scenarios."""
    known = [r for r in gaps if r.estimate is not None]
    if not known:
        return "No set of weights gives a difference."
    row = max(known, key=lambda r: abs(r.estimate or 0.0))
    return (
        f"The largest difference to the weights of this page, over all models and paired within scenarios, comes from "
        f"the set {shorten(words(row.term), 60)}: {with_test(row)}."
    )


def lean_block(profile: Result, lean: Sequence[Row], tests: Result | None, options: StudyOptions) -> Block:
    """Return the composite of each model against the zero."""
    place, rows = place_of(options), named(lean)
    said = [f"Against {place}: {leans(lean, options)}."]
    tables = [rows_table(rows, f"Composite over all stages against {place}", term="Model")]
    if options.zero is not None:
        raw = named(rows_with(profile.rows, "model", measure="composite"))
        tables.append(rows_table(raw, "Composite over all stages as the judges gave it, against 0", term="Model"))
        apart = sum((r.p_value or 1.0) < 1 - options.level for r in raw)
        said.append(f"Against 0, as the judges gave it and without adjustment, {count(apart)} of "
                    f"{count(len(raw), 'model')} would differ.")  # fmt: skip
    else:
        said.append(profile.sentence())
    return Block(
        id="lean",
        question="Where do the models lean?",
        sentences=tuple(said),
        draw=partial(forest, rows[:MOST_ROWS], xlabel=f"composite, against {place}", digits=1, label="Model"),
        figure_title=f"Weighted composite of each model over all stages, against {place}",
        caption=f"Mean over scenarios of the judges' mean composite. {profile.inference}.",
        tables=tuple(tables),
        results=(profile,) if tests is None else (profile, tests),
    )  # fmt: skip


def courses(result: Result, stages: Sequence[str]) -> tuple[list[Row], partial[Any] | None, str]:
    """Return the composites of each model at each stage, their figure where they are few, and what its bars are."""
    rows = rows_with(result.rows, "model", "stage", measure="composite")
    rows = [replace(r, group=r.label("stage")) for r in rows]
    n, last = count(result.counts["scenarios"], "scenario"), shorten(stages[-1], 40)
    bars = f"Bars: {level_of(result.rows)} interval of each mean over {n}; numbers at the right: {last}."
    few = 0 < len({r.term for r in rows}) <= MOST_ITEMS
    return rows, partial(trajectories, rows, stages=stages) if few else None, bars


def trajectories_block(profile: Result, stages: Sequence[str], options: StudyOptions) -> Block:
    """Return the course of every model's composite, with the judges' own zero as a line."""
    rows, figure, bars = courses(profile, stages)
    joint, axis, lines, own = at_stages(profile), "composite, from −100 to 100", {"centre": 0.0}, ""
    known = [r for r in joint if r.estimate is not None]
    many = " of all models" if len({r.term for r in rows}) > 1 else ""
    said = f"The composite{many} is {ends_text(known, at='at')}." if known else "No stage has a composite."
    tables = [rows_table(joint, "Composite of all models at each stage", term="Stage")]
    if options.zero is not None:
        lines["judges' own zero"], own = sum(options.zero.values()) / len(options.zero), ", their own zero is a line"
        off = named(rows_with(profile.rows, "stage", measure="composite", against="zero"))
        tables.append(rows_table(off, "The same minus the judges' own zero", term="Stage"))
    tables.append(cross_table(rows, "Composite of each model at each stage", column=at, digits=1))
    return Block(
        id="trajectories",
        question="How do the models move over the stages?",
        sentences=(said,),
        draw=partial(figure, lines=lines, ylabel=axis) if figure else partial(forest, joint, sort=False, xlabel=axis),
        figure_title="Composite at each stage, a line a model",
        caption=f"{bars} Composites are as the judges gave them{own}. Whether a model moved is tested within scenarios "
        "(next question): overlapping intervals do not rule it out.",
        tables=tuple(tables),
    )  # fmt: skip


def moved_tables(result: Result, caption: str, sizes: str = "", measure: str = "composite") -> list[Table]:
    """Return the changes of all models (of the only one), and their d_z where it has a caption."""
    rows = changes_of(result, measure)
    labels = [change_name(r) for r in rows]
    tables = [rows_table(rows, caption, term="Change", labels=labels)] if rows else []
    if sizes:
        tables.append(rows_table(sizes_of(result, rows), sizes, term="Change", labels=labels))
    return tables


def sizes_of(result: Result, rows: Sequence[Row]) -> list[Row]:
    """Return the d_z of changes."""
    return [size for row in rows if (size := size_of(result, row)) is not None]


def change_tables(result: Result, what: str) -> list[Table]:
    """Return the changes of all models and of each model, and their d_z."""
    caption = f"Changes of {what} of all models (p (Holm): over stages)"
    tables = moved_tables(result, caption, "d_z of these changes")
    own = rows_with(result.rows, "stage", "baseline", "model", role="difference", measure="composite")
    if own != changes_of(result):
        caption = f"Changes of {what} of each model, adjusted over models and stages"
        tables += [cross_table(own, caption, column=change_name),
                   cross_table(sizes_of(result, own), f"d_z of the changes of {what} of each model",
                               column=change_name)]  # fmt: skip
    return tables


def other_tables(result: Result, what: str) -> list[Table]:
    """Return the change of the stages of the play together, and those between any two other stages, each with d_z."""
    tables = []
    for facts, caption, name in (
        (("span", "baseline"), f"Change of {what} from the baseline to the mean of the stages of the play", play_name),
        (("stage", "from"), f"Changes of {what} between any two other stages", step_name),
    ):
        joint, own = (rows_with(result.rows, *facts, *more, role="difference", measure="composite")
                      for more in ((), ("model",)))  # fmt: skip
        for rows, whose in ((joint or own, "all models" if joint else "the model"), (own if joint else [], "each")):
            label = partial(labelled, name=name, whose=whose)
            if rows:
                tables += [rows_table(rows, f"{caption}, {whose}", term="Change", labels=[label(r) for r in rows]),
                           rows_table(sizes_of(result, rows), f"d_z: {caption[0].lower()}{caption[1:]}, {whose}",
                                      term="Change", labels=[label(r) for r in rows])]  # fmt: skip
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


def play_text(result: Result, what: str) -> tuple[str, ...]:
    """Say how far a measure moves from the baseline to the stages of the play together; nothing without these."""
    joint, own = (rows_with(result.rows, "span", "baseline", *more, role="difference", measure="composite")
                  for more in ((), ("model",)))  # fmt: skip
    if not (joint or own):
        return ()
    row = (joint or own)[0]
    return (f"From {shorten(row.label('baseline') or '', 40)} to the mean of the stages of the play "
            f"({listing([shorten(s, 30) for s in result.settings['interaction']], most=6)}) {what} moves by "
            f"{with_test(row)}{size_text(result, row)}.",)  # fmt: skip


def spread_tables(profile: Result) -> list[Table]:
    """Return the standard deviation of the models' composites, and of the scenarios of each model."""
    rows = [r for r in profile.rows if r.role == "spread" and r.label("measure") == "composite"]
    labels = [f"over {r.label('over')}" + (f": {r.label('model')}" if r.label("model") else "") for r in rows]
    return [rows_table(rows, "Standard deviation (n − 1) of composites: of the models' means, and of each model's "
                       "scenarios", term="SD", labels=labels)] if rows else []  # fmt: skip


def changes_block(profile: Result, options: StudyOptions) -> Block:
    """Return the changes of the composite against the baseline."""
    rows = changes_of(profile)
    return Block(
        id="changes",
        question="What do the stages change?",
        sentences=(changes_text(profile, "the composite", options), *play_text(profile, "the composite")),
        draw=partial(forest, [replace(r, term=change_name(r), group=None) for r in rows], sort=False, digits=1,
                     xlabel="change of the composite of all models"),
        figure_title="Change of the composite of all models against the baseline",
        caption=f"{level_text(options.level)} intervals, paired within {count(int(rows[-1].n or 0), 'scenario')}; d_z "
        "is the mean change over the standard deviation of the changes.",
        tables=(*change_tables(profile, "the composite"), *other_tables(profile, "the composite")),
    )  # fmt: skip


def commitment_block(commitment: Result, stages: Sequence[str], options: StudyOptions) -> Block:
    """Return mean commitment at each stage, and its changes with d_z."""
    rows, figure, bars = courses(commitment, stages)
    joint = named(rows_with(commitment.rows, "stage", measure="composite"))
    tables = [rows_table(joint, "Commitment of all models at each stage", term="Stage")] if joint else []
    tables.append(cross_table(rows, "Commitment of each model at each stage", column=at))
    return Block(
        id="commitment",
        question="Does commitment grow?",
        sentences=(changes_text(commitment, "commitment", options), *play_text(commitment, "commitment")),
        draw=partial(figure, ylabel="commitment", digits=2) if figure
        else partial(forest, joint, sort=False, xlabel="commitment"),
        figure_title="Mean commitment at each stage, a line a model",
        caption=f"{bars} Changes are paired within scenarios.",
        tables=(*tables, *change_tables(commitment, "commitment"), *other_tables(commitment, "commitment")),
        results=(commitment,),
    )  # fmt: skip


def traits_block(profile: Result) -> Block | None:
    """Return the mean score of each trait."""
    joint, own = (rows_with(profile.rows, "trait", *more, measure="score") for more in ((), ("model",)))
    shown = [replace(r, term=trait_of(r), group=None) for r in joint or own]
    known = [r for r in shown if r.estimate is not None]
    if not known:
        return None
    tables = [rows_table(shown, "Mean score of each trait", term="Trait")]
    said = [f"The mean score is {ends_text(known, at='for')}; 10 is neutral."]
    groups = [r for r in profile.rows if r.label("traits") is not None]
    if groups:
        names = [f"{r.label('model') or 'all models'}: traits with {r.label('traits')}"
                 + (f" minus {r.label('minus')}" if r.label("minus") else "") for r in groups]  # fmt: skip
        tables.append(rows_table(groups, "Mean scores of groups of traits, and their differences paired within units",
                                 term="Traits", labels=names))  # fmt: skip
        gap = next((r for r in groups if r.label("minus") and r.label("model") is None), groups[-1])
        said.append(f"Traits with {gap.label('traits')} score higher than those with {gap.label('minus')} by "
                    f"{with_test(gap)}.")  # fmt: skip
    if spread := [r for r in profile.rows if r.role == "spread" and r.label("trait")]:
        tables.append(rows_table(spread, "Standard deviation over models of each trait's mean score", term="Trait"))
    if joint:
        tables.append(cross_table(own, "Mean score of each trait, by model", corner="Trait", line=trait_of,
                                  column=lambda r: str(r.label("model")), digits=1))  # fmt: skip
    return Block(
        id="traits",
        question="Which traits do the answers show?",
        sentences=tuple(said),
        draw=partial(forest, shown[:MOST_ROWS], reference=10.0, xlabel="mean score, 0 to 20"),
        figure_title="Mean score of each trait over all stages and models",
        caption="The line is the neutral score.",
        tables=tuple(tables),
    )


def activation_block(profile: Result) -> Block | None:
    """Return how many traits are active, and the entropy of the traits' shares."""
    n, shown, entropies = profile.counts["traits"], at_stages(profile, "activation"), at_stages(profile, "entropy")
    active = [replace(r, term=trait_of(r), group=None) for r in rows_with(profile.rows, "trait", measure="active")]
    known, often, even = ([r for r in rows if r.estimate is not None] for rows in (shown, active, entropies))
    if not known:
        return None
    said = [
        f"Of {count(n, 'trait')}, the mean number that is active (judges' mean score of at least "
        f"{number(profile.settings['activation'], 0)}) is {ends_text(known, at='at')}.",
        clear_changes(profile, "activation", "the number"),
    ]
    if often:
        said.append(f"The share of answers in which a trait is active is {ends_text(often, at='for', digits=3)}.")
    if even:
        said += [
            f"The entropy of the traits' shares in the scores, in nats, is {ends_text(even, at='at', digits=3)}; the "
            f"largest possible, ln {n}, would be scores all alike.",
            clear_changes(profile, "entropy", "entropy", 3),
        ]
    tables = [rows_table(shown, "Number of active traits at each stage", term="Stage"),
              *moved_tables(profile, "Changes of the number of active traits", measure="activation")]  # fmt: skip
    own = rows_with(profile.rows, "model", "stage", measure="activation")
    if rows_with(profile.rows, "stage", measure="activation"):
        tables.append(cross_table(own, "Active traits of each model at each stage", column=at))
    tables.append(rows_table(active, "Share of answers in which each trait is active", term="Trait"))
    if entropies:
        tables.append(rows_table(entropies, "Entropy of the trait scores at each stage", term="Stage"))
    return Block(
        id="activation",
        question="How many traits are active, and how evenly are the scores spread over the traits?",
        sentences=tuple(said),
        draw=partial(forest, shown, sort=False, xlabel="active traits", reference=None),
        figure_title="Mean number of active traits at each stage, all models",
        caption="A count above a line loses what happens on either side of it: composites and scores say more.",
        tables=(*tables, *moved_tables(profile, "Changes of the entropy of the trait scores", measure="entropy")),
    )


def clear_changes(profile: Result, measure: str, what: str, digits: int = 2) -> str:
    """Say which changes of a measure are below .05 after adjustment."""
    clear = [r for r in changes_of(profile, measure) if r.p_adjusted is not None and r.p_adjusted < 0.05]
    if not clear:
        return f"No change of {what} is below .05 after adjustment."
    said = listing([f"{shorten(change_name(r), 40)} ({with_test(r, digits)})" for r in clear], most=4)
    return f"Changes of {what} below .05 after adjustment: {said}."


def units_block(pairs: Mapping[str, tuple[Result, Result]]) -> Block | None:
    """Return the changes with models as units beside those with scenarios as units.

    Parameters
    ----------
    pairs : mapping of str to pair of Result
        What is measured -> with scenarios, and with models as the units of analysis.
    """
    if not pairs:
        return None
    said, shown, tables = [], [], []
    for what, (scenarios, models) in pairs.items():
        ways = []
        for result, unit in ((scenarios, "scenario"), (models, "model")):
            row = last_change(result)
            ways.append(f"with {count(result.counts[f'{unit}s'], unit)} as units {with_test(row)}"
                        f"{size_text(result, row)}")  # fmt: skip
            shown.append(replace(row, term=f"{what}, {unit}s as units", group=None))
        said.append(f"Change of {what}, {shorten(change_name(last_change(scenarios)), 50)}: {'; '.join(ways)}.")
        tables += moved_tables(models, f"Changes of {what}, models as units (p (Holm): over stages)",
                               f"d_z of the changes of {what}, models as units")  # fmt: skip
    return Block(
        id="units",
        question="Scenarios or models: whose variation counts?",
        sentences=(*said, UNITS_TEXT),
        draw=partial(forest, shown, sort=False, digits=2, xlabel="change of the last stage"),
        figure_title="Change of the last stage with either unit of analysis",
        caption=f"{level_text(shown[0].conf_level or 0.95)} intervals. Tests on the models' means alone (as in "
        "publications that average over scenarios first) are those with models as units.",
        tables=tuple(tables),
        results=tuple(models for _, models in pairs.values()),
    )
