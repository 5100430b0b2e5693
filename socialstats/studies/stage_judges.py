"""Questions about judges and wordings that the study of staged values answers, one block each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from socialstats.figures import forest
from socialstats.figures.forest import MOST_ROWS
from socialstats.metrics.trait_profile import control_composites
from socialstats.results import Result, Row
from socialstats.studies.base import StudyOptions
from socialstats.studies.estimates import numbers_text, rows_table
from socialstats.studies.outcome import Block, Table
from socialstats.studies.stage_controls import control_table
from socialstats.studies.stage_tables import cross_table
from socialstats.text import count, level_text, listing, number, shorten

WITHOUT, QUOTE = "without judge '", "'"


def judges_block(profile: Result, options: StudyOptions) -> Block | None:
    """Return how far each judge lies from the judges' mean, and what leaving each out does."""
    rows = [replace(r, group=None) for r in profile.rows if r.group == "judge offset"]
    if not rows:
        return None
    said = [
        "Against the judges' mean, "
        + "; ".join(f"{shorten(r.term, 40)} gives {numbers_text(r)}" for r in rows) + "."
    ]  # fmt: skip
    out = without_rows(profile)
    said += without_text(out, anchored=options.zero is not None)
    tables = [rows_table(rows, "Composite of each judge minus the judges' mean", term="Judge")]
    if options.zero is not None:
        said.append(
            "To neutral control texts the judges give "
            + listing([f"{number(v)} ({shorten(j, 40)})" for j, v in options.zero.items()], most=8)
            + f": that is their own zero{error_text(profile)}."
        )
        tables.append(zero_table(options))
        said += control_text(options)
    what = "Composite minus the zero of the judges left" if options.zero is not None else "Composite"
    tables.append(cross_table(out, f"{what}, without each judge", line=who, digits=1, column=left_out))
    return Block(
        id="judges",
        question="How far do the judges lie apart, and does the answer hang on one of them?",
        sentences=tuple(said),
        draw=partial(forest, rows[:MOST_ROWS], sort=False, digits=1, xlabel="composite minus the judges' mean"),
        figure_title="Offset of each judge",
        caption=f"Judges are {'fixed' if profile.settings['judges'] == 'fixed' else 'drawn'}: with "
        f"{count(len(rows))} of them nothing is said about others.",
        tables=tuple(tables),
    )


def without_rows(profile: Result) -> list[Row]:
    """Return the composites without each judge: against the zero of the judges left, where that is known."""
    rows = [r for r in profile.rows if (r.group or "").startswith("without judge '")]
    anchored = [r for r in rows if " minus zero" in (r.group or "").rpartition("'")[2]]
    return anchored or rows


def left_out(row: Row) -> str:
    """Name the judge that a row is without."""
    return f"without {(row.group or '').removeprefix(WITHOUT).rpartition(QUOTE)[0]}"


def without_text(rows: Sequence[Row], *, anchored: bool) -> list[str]:
    """Say how far leaving out a judge moves the composite of all models, and of the model most affected."""
    found: dict[str, list[float]] = {}
    for row in rows:
        if row.estimate is not None:
            found.setdefault(who(row), []).append(row.estimate)
    if not found:
        return []
    place = "Against the zero of the judges left" if anchored else "As the judges gave it"
    ends = {term: f"from {number(min(values))} to {number(max(values))}" for term, values in found.items()}
    joint = found.pop("all models", None)
    most = max(found, key=lambda term: max(found[term]) - min(found[term]), default="all models")
    if joint is None or not found:
        return [f"{place}, without any one judge the composite of {shorten(most, 40)} lies {ends[most]}."]
    return [f"{place}, without any one judge the composite of all models lies {ends['all models']}, and that of "
            f"{shorten(most, 40)}, the most affected, {ends[most]}."]  # fmt: skip


def control_text(options: StudyOptions) -> list[str]:
    """Say what the judges give to each control text, on average: texts that lean should lie far apart."""
    if options.controls is None:
        return []
    found = control_composites(options.controls, weights=options.weights)
    means = [f"{shorten(text, 30)} {number(sum(one.values()) / len(one))}" for text, one in found.items()]
    return [f"Judges' means of all control texts: {listing(means, most=8)}."] if len(means) > 1 else []


def error_text(profile: Result) -> str:
    """Write the standard error of the zero, after a comma; nothing where it is not known."""
    error = profile.settings.get("zero_error")
    return "" if error is None else f", SE of their mean {number(error['std_error'])}"


def who(row: Row) -> str:
    """Name the model of a row without a judge."""
    return "all models" if (row.group or "").endswith(" of all models") else row.term


def zero_table(options: StudyOptions) -> Table:
    """Return the composites of all control texts; of their mean alone where nothing else is known."""
    if options.controls is not None:
        return control_table(options.controls, options.weights, options.level)
    cells = tuple((judge, number(value)) for judge, value in (options.zero or {}).items())
    caption = "The judges' own zero: composite of neutral control texts"
    return Table(caption=caption, header=("Judge", "Composite"), cells=cells)


def wordings_block(spread: Result) -> Block:
    """Return the spread over wordings and its change."""
    rows = [replace(r, group=None) for r in spread.rows if r.group == "spread"]
    own = [replace(r, term=f"{r.term}, {(r.group or '').partition(': ')[2]}", group=None)
           for r in spread.rows if (r.group or "").startswith("spread: ")]  # fmt: skip
    moved = [replace(r, group=None) for r in spread.rows if r.group == "change"]
    said = [spread.sentence()]
    row = moved[0] if moved else None
    if row is not None and row.estimate is not None and row.conf_low is not None and row.conf_high is not None:
        first, last = (shorten(stage, 40) for stage in spread.settings["change"])
        said.insert(0, (
            f"Answers depend more on the wording at {first} than at {last}." if row.conf_low > 0
            else f"Answers depend less on the wording at {first} than at {last}." if row.conf_high < 0
            else f"The data do not settle whether the spread over wordings differs between {first} and {last}."
        ))  # fmt: skip
    tables = [rows_table(rows, "Mean standard deviation over wordings", term="Stage")]
    tables += [rows_table(own, "The same, by model", term="Model, stage")] if own else []
    named = {"wilcoxon": "Wilcoxon's signed ranks", "d_z": "d_z of the change"}
    labels = [named.get(r.term, r.term) for r in moved]
    tables += [rows_table(moved, "Its change", term="Change", labels=labels)] if moved else []
    return Block(
        id="wordings",
        question="How much do the answers hang on the wording?",
        sentences=tuple(said),
        draw=partial(forest, [*rows, *own][:MOST_ROWS], sort=False, reference=None,
                     xlabel="standard deviation of the composite over wordings"),
        figure_title="Standard deviation of the composite over wordings of the same question",
        caption=f"{level_text(rows[0].conf_level or 0.95)} intervals, {count(int(rows[0].n or 0), 'scenario')}. The "
        "noise of models and judges is part of every standard deviation, at all stages alike: that of wordings alone "
        "is smaller.",
        tables=tuple(tables),
        results=(spread,),
    )  # fmt: skip
