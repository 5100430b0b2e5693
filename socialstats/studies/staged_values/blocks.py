"""Composites and traits by stage: blocks and tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from socialstats.designs.ratings import Ratings
from socialstats.figures import dumbbell, forest, trajectories
from socialstats.figures.forest import MOST_ROWS
from socialstats.figures.trajectories import MOST_ITEMS
from socialstats.metrics.trait_profile import trait_profile
from socialstats.results import Result, Row
from socialstats.studies.estimates import p_text, rows_table
from socialstats.studies.page import Block, StudyOptions, Table
from socialstats.studies.staged_values.words import (
    ALL,
    change_name,
    changes,
    changes_text,
    ends_text,
    last_change,
    leans,
    size_of,
    with_test,
)
from socialstats.text import count, interval, level_text, listing, number, shorten


def cross_table(
    rows: Sequence[Row], caption: str, *, line: Callable[[Row], str], column: Callable[[Row], str], digits: int = 2,
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
    level = next((r.conf_level for r in rows if r.conf_level is not None), None)
    said = ["estimate" + ("" if level is None else f" [{level_text(level)} CI]")]
    said[0] += ", p (Holm)" if any(r.p_adjusted is not None for r in rows) else ""
    sizes = {int(r.n) for r in rows if r.n is not None}
    said += (
        [f"n = {min(sizes):,} each" if len(sizes) == 1 else f"n = {min(sizes):,} to {max(sizes):,}"] if sizes else []
    )
    return Table(
        caption=f"{caption}: {'; '.join(said)}", header=(corner, *(shorten(name, 40) for name in columns)),
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


def part_rows(result: Result, measure: str) -> list[Row]:
    """Return the rows of each model at each stage, the stage as their group."""
    start = f"{measure}: "
    return [replace(r, group=(r.group or "")[len(start) :]) for r in result.rows if (r.group or "").startswith(start)]


def stage_table(rows: Sequence[Row], caption: str, digits: int = 2) -> Table:
    """Return rows of models at stages, a line a model and a column a stage."""
    return cross_table(rows, caption, line=lambda r: r.term, column=lambda r: r.group or "all stages", digits=digits)


def words(trait: str) -> str:
    """Write the name of a trait with blanks."""
    return shorten(trait.replace("_", " "), 40)


LOWEST, HIGHEST, EQUAL = "lowest of other weights", "highest of other weights", "equal weights"
KINDS = {"highest": HIGHEST, "this page": "composite", "lowest": LOWEST, "equal": EQUAL}
OTHER, MINUS = "other weights", " minus these"


def of_group(result: Result, group: str) -> list[Row]:
    """Return the rows of a group, under their terms alone."""
    return [replace(r, group=None) for r in result.rows if r.group == group]


def weights_block(profile: Result) -> Block | None:
    """Return the composites under other weights, against the judges' own zero under the same weights where it is known.

    Parameters
    ----------
    profile : Result
        Of `trait_profile`, with models.
    """
    zero = " minus zero" if any(r.group == f"{LOWEST} minus zero" for r in profile.rows) else ""
    rows = {name: of_group(profile, f"{group}{zero}") for name, group in KINDS.items()}
    if not rows["lowest"]:
        return None
    every, gaps = (
        of_group(profile, f"{group} of all models") or of_group(profile, group) for group in (OTHER, OTHER + MINUS)
    )
    place = "the judges' own zero (under the same weights)" if zero else "0, as the judges gave it"
    shown = [replace(r, group=name, conf_low=None, conf_high=None) for name, found in rows.items() for r in found]
    return Block(
        id="weights",
        question="Does the answer hang on the weights of the traits?",
        sentences=(sides_text(rows, place, len(every)), gaps_text(gaps)),
        draw=partial(dumbbell, shown[: 4 * MOST_ROWS], targets=dict.fromkeys(KINDS), digits=1,
                     xlabel="composite minus the judges' own zero" if zero else "composite"),
        figure_title="Composite of each model under other weights",
        caption=f"{count(len(every), 'other set')} of weights: each trait 20 % up, 20 % down and left out, and all "
        "traits alike; positive and negative weights are then scaled to add up to 5 each. Lowest and highest: over "
        "these sets. Intervals are in the tables.",
        tables=(model_table(profile, rows, zero), set_table(every, gaps)),
    )  # fmt: skip


def sides_text(rows: dict[str, list[Row]], place: str, sets: int) -> str:
    """Say for which models some set of weights changes the side, or leaves it open."""
    here, low, high = ({r.term: r for r in rows[name]} for name in ("this page", "lowest", "highest"))
    known = [term for term, row in here.items() if row.estimate is not None and term in low and term in high]
    flips = [t for t in known if (low[t].estimate or 0.0) < 0 < (high[t].estimate or 0.0)]
    firm = [t for t in known if (low[t].conf_low or 0.0) > 0 or (high[t].conf_high or 0.0) < 0]
    others = [t for t in known if t not in firm]
    who = "the model" if len(known) == 1 else f"{count(len(firm))} of {count(len(known), 'model')}"
    many = f"{count(sets, 'set')} of weights"
    said = f"Against {place}, the interval of {who} lies on one side under every one of the {many}"
    if len(known) == 1 and not firm:
        said = f"Against {place}, some of the {many} leave the side of the model open"
    elif others:
        said += f"; some set leaves open the side of {listing([shorten(t, 40) for t in others], most=6)}"
    if flips:
        return f"{said}, and moves the estimate of {listing([shorten(t, 40) for t in flips], most=6)} across."
    return f"{said}. No estimate changes its sign."


def gaps_text(gaps: Sequence[Row]) -> str:
    """Say which set of weights moves the composite most, in pairs within scenarios."""
    known = [r for r in gaps if r.estimate is not None]
    if not known:
        return "No set of weights gives a difference."
    row = max(known, key=lambda r: abs(r.estimate or 0.0))
    return (
        f"The largest difference to the weights of this page, over all models and paired within scenarios, comes from "
        f"the set {shorten(plain(row.term), 60)}: {with_test(row)}."
    )


def plain(name: str) -> str:
    """Write the name of a set of weights with blanks."""
    return name.replace("_", " ")


def model_table(profile: Result, rows: dict[str, list[Row]], zero: str) -> Table:
    """Return each model under its lowest, highest and equal weights, with the difference to the weights of the page."""
    level = next((r.conf_level for r in rows["lowest"] if r.conf_level is not None), 0.95)
    cells = []
    for name in ("highest", "lowest", "equal"):
        gaps = {r.term: r for r in of_group(profile, f"{KINDS[name]}{zero}{MINUS}")}
        for row in rows[name]:
            which = plain((row.method or "").partition(", of ")[0]) if name != "equal" else EQUAL
            gap = gaps.get(row.term)
            cells.append((row.term, name, cell_text(row, 2), None if gap is None else cell_text(gap, 2), which))
    n = next((f"; n = {int(r.n):,}" for r in rows["lowest"] if r.n), "")
    against = " minus the judges' own zero" if zero else ""
    return Table(
        caption=f"Composite{against} of each model under other weights: estimate [{level_text(level)} CI]{n}",
        header=("Model", "Weights", "Composite", "Difference to this page", "Which"),
        cells=tuple(cells),
    )


def set_table(every: Sequence[Row], gaps: Sequence[Row]) -> Table:
    """Return the composite of all models under every set of weights, with its paired difference."""
    found = {r.term: r for r in gaps}
    level = next((r.conf_level for r in every if r.conf_level is not None), 0.95)
    return Table(
        caption=f"Composite under every set of weights, as the judges gave it: estimate [{level_text(level)} CI]; "
        f"difference to the weights of this page: the same, and p (Holm over {count(len(every), 'set')})",
        header=("Weights", "Composite", "Difference"),
        cells=tuple((plain(r.term), cell_text(r, 2), cell_text(found[r.term], 2)) for r in every if r.term in found),
    )


def zero_mean(zero: Mapping[str, float]) -> float:
    """Return the mean of the judges' zeros."""
    return sum(zero.values()) / len(zero)


def lean_block(profile: Result, lean: Sequence[Row], tests: Result | None, options: StudyOptions) -> Block:
    """Return the composite of each model against the zero."""
    anchored = options.zero is not None
    place = "the judges' own zero" if anchored else "the centre of the scale"
    rows = [replace(r, group=None) for r in lean]
    said = [f"Against {place}: {leans(lean, options)}."]
    tables = [rows_table(rows, f"Composite over all stages against {place}", term="Model")]
    if anchored:
        raw = of_group(profile, "composite")
        tables.append(rows_table(raw, "Composite over all stages as the judges gave it, against 0", term="Model"))
        apart = sum((r.p_value or 1.0) < 1 - options.level for r in raw)
        said.append(f"Against 0, as the judges gave it and without adjustment, {count(apart)} of "
                    f"{count(len(raw), 'model')} would differ.")  # fmt: skip
    else:
        said.append(profile.sentence())
    pairs = of_group(profile, "composite difference")
    if pairs:
        said.append(pairs_text(pairs))
        tables.append(
            rows_table(
                pairs,
                "Differences of any two models, paired within scenarios; the judges' zero does "
                f"not touch them (p (Holm): over {count(len(pairs), 'pair')})",
                term="Models",
            )
        )
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


def pairs_text(pairs: Sequence[Row]) -> str:
    """Say which models differ from each other."""
    clear = [r for r in pairs if r.p_adjusted is not None and r.p_adjusted < 0.05]
    rest = [shorten(r.term, 60) for r in pairs if r not in clear]
    said = (
        f"Compared with each other in the same scenarios, {count(len(clear))} of {count(len(pairs), 'pair')} of models"
    )
    differ = f"{said} {'differs' if len(clear) == 1 else 'differ'} (Holm-adjusted p < .05)"
    return f"{differ}; open: {listing(rest, most=6)}." if rest else f"{differ}."


def trajectories_block(profile: Result, stages: Sequence[str], options: StudyOptions) -> Block:
    """Return the course of every model's composite, with the judges' own zero as a line."""
    rows = part_rows(profile, "composite")
    joint = of_group(profile, f"composite {ALL}") or [replace(r, term=r.group or "", group=None) for r in rows]
    known = [r for r in joint if r.estimate is not None]
    lines, anchored = {"centre": 0.0}, options.zero is not None
    if options.zero is not None:
        lines = {"centre": 0.0, "judges' own zero": zero_mean(options.zero)}
    many = len({r.term for r in rows}) > 1
    said = "No stage has a composite."
    if known:
        said = f"The composite{' of all models' if many else ''} is {ends_text(known, at='at')}."
    few = rows[: MOST_ITEMS * len(stages)] if len({r.term for r in rows}) <= MOST_ITEMS else []
    tables = [rows_table(joint, "Composite of all models at each stage", term="Stage")]
    if options.zero is not None:
        off = of_group(profile, f"composite minus zero {ALL}")
        tables.append(rows_table(off, "The same minus the judges' own zero", term="Stage"))
    tables.append(stage_table(rows, "Composite of each model at each stage", 1))
    return Block(
        id="trajectories",
        question="How do the models move over the stages?",
        sentences=(said,),
        draw=partial(trajectories, few, stages=stages, lines=lines, ylabel="composite, from −100 to 100") if few
        else partial(forest, joint, sort=False, xlabel="composite, from −100 to 100"),
        figure_title="Composite at each stage, a line a model",
        caption=f"{bars_text(profile, stages)} Composites are as the judges gave them"
        f"{', their own zero is a line' if anchored else ''}. Whether a model moved is tested within scenarios (next "
        "question): overlapping bars do not say that it did not.",
        tables=tuple(tables),
    )  # fmt: skip


def bars_text(result: Result, stages: Sequence[str]) -> str:
    """Say what the bars and the numbers of trajectories are."""
    n = count(result.counts["scenarios"], "scenario")
    level = next((r.conf_level for r in result.rows if r.conf_level is not None), 0.95)
    last = shorten(stages[-1], 40)
    return f"Bars: {level_text(level)} interval of each mean over {n}; numbers at the right: {last}."


def change_tables(result: Result, what: str) -> tuple[Table, ...]:
    """Return the changes of all models and of each model, and their d_z."""
    rows = changes(result)
    own = [r for r in result.rows if (r.group or "").startswith("composite change: ")]
    names = [change_name(r) for r in rows]
    holm = "p (Holm): over stages"
    tables = [rows_table(rows, f"Changes of {what} of all models ({holm})", term="Change", labels=names)]
    sizes = [s for r in rows for s in [size_of(result, r)] if s is not None]
    tables.append(rows_table(sizes, "d_z of these changes", term="Change", labels=names))
    if own != rows:
        caption = f"Changes of {what} of each model, adjusted over models and stages"
        tables.append(cross_table(own, caption, line=lambda r: r.term, column=change_name))
        sizes = [s for r in own for s in [size_of(result, r)] if s is not None]
        tables.append(cross_table(sizes, f"d_z of the changes of {what} of each model", line=lambda r: r.term,
                                  column=change_name))  # fmt: skip
    return tuple(tables)


def changes_block(profile: Result, options: StudyOptions) -> Block:
    """Return the changes of the composite against the baseline."""
    rows = changes(profile)
    shown = [replace(r, term=change_name(r), group=None) for r in rows]
    return Block(
        id="changes",
        question="What do the stages change?",
        sentences=(changes_text(profile, "the composite", options),),
        draw=partial(forest, shown, sort=False, digits=1, xlabel="change of the composite of all models"),
        figure_title="Change of the composite of all models against the baseline",
        caption=f"{level_text(options.level)} intervals, paired within {count(int(rows[-1].n or 0), 'scenario')}; d_z "
        "is the mean change over the standard deviation of the changes.",
        tables=change_tables(profile, "the composite"),
    )


def commitment_block(commitment: Result, stages: Sequence[str], options: StudyOptions) -> Block:
    """Return mean commitment at each stage, and its changes with d_z."""
    rows = part_rows(commitment, "composite")
    joint = of_group(commitment, f"composite {ALL}")
    few = rows if rows and len({r.term for r in rows}) <= MOST_ITEMS else []
    tables = [rows_table(joint, "Commitment of all models at each stage", term="Stage")] if joint else []
    tables.append(stage_table(rows, "Commitment of each model at each stage"))
    return Block(
        id="commitment",
        question="Does commitment grow?",
        sentences=(changes_text(commitment, "commitment", options),),
        draw=partial(trajectories, few, stages=stages, ylabel="commitment", digits=2) if few
        else partial(forest, joint, sort=False, xlabel="commitment"),
        figure_title="Mean commitment at each stage, a line a model",
        caption=f"{bars_text(commitment, stages)} Changes are paired within scenarios.",
        tables=(*tables, *change_tables(commitment, "commitment")),
        results=(commitment,),
    )  # fmt: skip


def traits_block(profile: Result) -> Block | None:
    """Return the mean score of each trait."""
    joint = of_group(profile, "score of all models")
    own = [r for r in profile.rows if (r.group or "").startswith("score: ")]
    shown = joint or [replace(r, group=None) for r in own]
    known = [r for r in shown if r.estimate is not None]
    if not known:
        return None
    named = [replace(r, term=words(r.term)) for r in shown]
    tables = [rows_table(named, "Mean score of each trait", term="Trait")]
    if joint:
        tables.append(cross_table(own, "Mean score of each trait, by model", corner="Trait",
                                  line=lambda r: words(r.term), column=lambda r: (r.group or "").partition(": ")[2],
                                  digits=1))  # fmt: skip
    return Block(
        id="traits",
        question="Which traits do the answers show?",
        sentences=(f"The mean score is {ends_text([r for r in named if r.estimate is not None], at='for')}; 10 is "
                   "neutral.",),
        draw=partial(forest, named[:MOST_ROWS], reference=10.0, xlabel="mean score, 0 to 20"),
        figure_title="Mean score of each trait over all stages and models",
        caption="The line is the neutral score.",
        tables=tuple(tables),
    )  # fmt: skip


def activation_block(profile: Result) -> Block | None:
    """Return how many traits are active, and the entropy of the traits' shares."""
    rows, joint = part_rows(profile, "activation"), of_group(profile, f"activation {ALL}")
    shown = joint or [replace(r, term=r.group or "", group=None) for r in rows]
    known = [r for r in shown if r.estimate is not None]
    if not known:
        return None
    said = (
        f"Of {count(profile.counts['traits'], 'trait')}, the mean number that is active (judges' mean score of at "
        f"least {number(profile.settings['activation'], 0)}) is {ends_text(known, at='at')}."
    )
    return Block(
        id="activation",
        question="How many traits are active, and how evenly are the scores spread over the traits?",
        sentences=(said, clear_changes(profile, "activation", "the number"), *active_text(profile),
                   *entropy_sentences(profile)),
        draw=partial(forest, shown, sort=False, xlabel="active traits", reference=None),
        figure_title="Mean number of active traits at each stage, all models",
        caption="A count above a line loses what happens on either side of it: composites and scores say more.",
        tables=(
            *measure_tables(profile, "activation", "the number of active traits", shown),
            *([stage_table(rows, "Active traits of each model at each stage")] if joint else []),
            *([rows_table([replace(r, term=words(r.term)) for r in active_rows(profile)],
                          "Share of answers in which each trait is active", term="Trait")]),
            *measure_tables(profile, "entropy", "the entropy of the trait scores", entropy_stages(profile)),
        ),
    )  # fmt: skip


def active_rows(profile: Result) -> list[Row]:
    """Return the share of answers in which each trait is active."""
    return of_group(profile, "active of all models") or of_group(profile, "active")


def active_text(profile: Result) -> tuple[str, ...]:
    """Say which traits are active most and least often."""
    known = [replace(r, term=words(r.term)) for r in active_rows(profile) if r.estimate is not None]
    return (
        (f"The share of answers in which a trait is active is {ends_text(known, at='for', digits=3)}.",)
        if known
        else ()
    )


def measure_tables(profile: Result, measure: str, what: str, stages: Sequence[Row]) -> tuple[Table, ...]:
    """Return a measure at each stage, and its changes."""
    moved = changes(profile, measure)
    tables = [rows_table(stages, f"{what[4].upper()}{what[5:]} at each stage", term="Stage")] if stages else []
    if moved:
        names = [change_name(r) for r in moved]
        tables.append(rows_table(moved, f"Changes of {what}", term="Change", labels=names))
    return tuple(tables)


def clear_changes(profile: Result, measure: str, what: str, digits: int = 2) -> str:
    """Say which changes of a measure are below .05 after adjustment."""
    clear = [r for r in changes(profile, measure) if r.p_adjusted is not None and r.p_adjusted < 0.05]
    named = listing([f"{shorten(change_name(r), 40)} ({with_test(r, digits)})" for r in clear], most=4)
    if not clear:
        return f"No change of {what} is below .05 after adjustment."
    return f"Changes of {what} below .05 after adjustment: {named}."


def entropy_stages(profile: Result) -> list[Row]:
    """Return the entropy at each stage."""
    own = [replace(r, term=r.group or "", group=None) for r in part_rows(profile, "entropy")]
    return of_group(profile, f"entropy {ALL}") or own


def entropy_sentences(profile: Result) -> tuple[str, ...]:
    """Say where the scores are spread most and least evenly over the traits, and what changed."""
    known = [r for r in entropy_stages(profile) if r.estimate is not None]
    if not known:
        return ()
    return (
        f"The entropy of the traits' shares in the scores, in nats, is {ends_text(known, at='at', digits=3)}; the "
        f"largest possible, ln {profile.counts['traits']}, would be scores all alike.",
        clear_changes(profile, "entropy", "entropy", 3),
    )


FEWEST = 3  # models from which their variation says something


def by_models(design: Ratings, models: int, options: Mapping[str, Any]) -> Result | None:
    """Return composites with models as the units of analysis; None where there are fewer than three."""
    if models < FEWEST:
        return None
    found: Any = trait_profile(design, **{**options, "unit_of_analysis": "model", "cluster": None, "activation": None})
    result: Result = found
    return result


def units_block(pairs: Mapping[str, tuple[Result, Result]]) -> Block | None:
    """Return the changes with models as units beside those with scenarios as units.

    Parameters
    ----------
    pairs : mapping of str to pair of Result
        What is measured -> with scenarios, and with models as the units of analysis.
    """
    if not pairs:
        return None
    tables: list[Table] = []
    said, shown = [], []
    for what, (scenarios, models) in pairs.items():
        one, other = last_change(scenarios), last_change(models)
        n, m = count(models.counts["models"], "model"), count(scenarios.counts["scenarios"], "scenario")
        said.append(
            f"Change of {what}, {shorten(change_name(one), 50)}: with {m} as units {with_test(one)}"
            f"{size_text(scenarios, one)}; with {n} as units {with_test(other)}"
            f"{size_text(models, other)}."
        )
        shown += [replace(row, term=f"{what}, {unit}", group=None)
                  for row, unit in ((one, "scenarios as units"), (other, "models as units"))]  # fmt: skip
        rows = changes(models)
        names = [change_name(r) for r in rows]
        sizes = [s for r in rows for s in [size_of(models, r)] if s is not None]
        tables += [
            rows_table(
                rows, f"Changes of {what}, models as units (p (Holm): over stages)", term="Change", labels=names
            ),
            rows_table(sizes, f"d_z of the changes of {what}, models as units", term="Change", labels=names),
        ]
    said.append(
        "Scenarios as units: would these models change in other scenarios? Models as units: would other models change "
        "in these scenarios? The means are alike, their errors and d_z are not, so that a d_z needs its unit beside it."
    )
    return Block(
        id="units",
        question="Scenarios or models: whose variation counts?",
        sentences=tuple(said),
        draw=partial(forest, shown, sort=False, digits=2, xlabel="change of the last stage"),
        figure_title="Change of the last stage with either unit of analysis",
        caption=f"{level_text(shown[0].conf_level or 0.95)} intervals. Tests on the models' means alone (as in "
        "publications that average over scenarios first) are those with models as units.",
        tables=tuple(tables),
        results=tuple(models for _, models in pairs.values()),
    )


def size_text(result: Result, row: Row) -> str:
    """Write d_z of a change with its interval, after a comma."""
    size = size_of(result, row)
    if size is None or size.estimate is None:
        return ""
    text = f", d_z = {number(size.estimate)}"
    if size.conf_low is not None:
        text += f", {interval(size.conf_low, size.conf_high, level=size.conf_level or 0.95)}"
    return text
