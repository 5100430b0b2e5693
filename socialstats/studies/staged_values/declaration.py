"""What the tables of this study declare: traits, weights and stages; and the tables that stand beside the scores."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from socialstats.arrays import IntArray
from socialstats.designs.instrument import Instrument, declared
from socialstats.designs.ratings import Ratings
from socialstats.designs.tables import need_columns
from socialstats.designs.trait_ratings import trait_ratings
from socialstats.errors import InputError
from socialstats.scales.judge_zeros import judge_zeros
from socialstats.scales.profile_rows import end_of
from socialstats.scales.trait_weights import PAPER, instrument_of_table
from socialstats.studies.page import StudyOptions
from socialstats.tables import Table
from socialstats.text import as_given, quoted
from socialstats.voice import option

# names by which tables that declare nothing are read
PARTS = ("scenario", "stage", "judge")
CONTROL = "control"
NEUTRAL = re.compile(r"(balanced|neutral)(?![a-z])", re.IGNORECASE)
STANCES = ("answer", "stance")


# the scores


def read_scores(
    table: Table,
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
    instrument = instrument_of_table(table, weights)
    scores = instrument or PAPER
    reading: dict[str, Any] = {"by": by, "na": na, "refusal": refusal, "source": table.source}
    if missing:
        reading["missing"] = missing
    design = trait_ratings(
        table,
        traits=[*scores.used, *(name for name in scores.further if name in table.columns)],
        model="model" if "model" in table.columns else None,
        cluster=cluster or "scenario",
        **reading,
    )
    if CONTROL in design.strata["stage"].levels:
        raise InputError(
            f"{table.source}: stage '{CONTROL}': control texts are no stage. Leave them out "
            f"({option('exclude')}), and give their scores as a table of their own "
            f"({option('controls', 'FILE', '--controls FILE')})"
        )
    return in_table_order(replace(design, instrument=instrument), table)


def instrument_of(design: Ratings) -> Instrument:
    """Return the instrument of a design: as declared, else that of the paper."""
    return design.instrument or PAPER


def further_of(design: Ratings) -> tuple[str, ...]:
    """Return the scores beside the traits that a design has."""
    levels = design.strata["trait"].levels
    return tuple(name for name in instrument_of(design).further if name in levels)


def composite_options(instrument: Instrument) -> dict[str, Any]:
    """Return how metrics are told what the composite is."""
    return {
        "weights": instrument.used,
        "score_range": instrument.scale,
        "centre": instrument.centre,
    }


# stages


def stages_of(design: Ratings) -> tuple[str, ...]:
    """Return the stages in the order declared; without one as `ordered_stages`."""
    levels, order = design.strata["stage"].levels, instrument_of(design).stages
    if not order:
        return ordered_stages(levels)
    return tuple(dict.fromkeys(stage for stage in (*order, *levels) if stage in levels))


def ordered_stages(levels: Sequence[str]) -> tuple[str, ...]:
    """Return the stages in order: a baseline first, a debrief last, others as given (`in_table_order`).

    Examples
    --------
    >>> ordered_stages(["baseline", "debrief", "stage 1", "stage 2"])
    ('baseline', 'stage 1', 'stage 2', 'debrief')
    """
    return tuple(sorted(levels, key=end_of))


def lacks_order(design: Ratings) -> bool:
    """Return whether neither a declaration nor numbers in the labels order the stages between baseline and debrief."""
    inner = [label for label in design.strata["stage"].levels if not end_of(label)]
    numbered = all(any(map(str.isdigit, label)) for label in inner)
    return not instrument_of(design).stages and len(inner) > 1 and not numbered


def in_table_order(design: Ratings, table: Table) -> Ratings:
    """Return the design with stages that nothing orders in the order in which the table names them first."""
    if not lacks_order(design):
        return design
    factor = design.strata["stage"]
    matches = [lambda row, level=level: row == (level,) for level in factor.levels]
    places = table.positions(["stage"], matches, 1)
    order = np.argsort([place[0] if place else table.height for place in places])
    ordered = replace(
        factor,
        codes=np.where(factor.codes < 0, -1, np.argsort(order)[factor.codes]),
        levels=tuple(factor.levels[k] for k in order.tolist()),
    )
    return replace(design, strata={**design.strata, "stage": ordered})


def stage_options(design: Ratings, reference: str | None = None) -> dict[str, Any]:
    """Return the stages for metrics: their order, the baseline, and the play where it is declared."""
    instrument, stages = instrument_of(design), stages_of(design)
    if not instrument.stages:
        return {"stages": stages, "baseline": reference}
    declared_base = instrument.baseline if instrument.baseline in stages else stages[0]
    base = reference or declared_base
    play = tuple(stage for stage in instrument.play if stage in stages and stage != base)
    return {"stages": stages, "baseline": base, "interaction": play}


# levels of the parts


def codes_of(design: Ratings, part: str) -> tuple[IntArray, tuple[str, ...]]:
    """Return the codes of a part over the ratings, and its labels; one nameless level where the part is absent."""
    factor = design.strata.get(part)
    if factor is None:
        return np.zeros(len(design.unit), dtype=np.int64), ("all",)
    return factor.codes[design.unit], factor.levels


def only(design: Ratings, part: str, levels: Sequence[str]) -> Ratings:
    """Return the ratings of some levels of a part; the design itself where these are all, or the part is absent."""
    codes, labels = codes_of(design, part)
    if part not in design.strata or set(labels) <= set(levels):
        return design
    chosen = [k for k, level in enumerate(labels) if level in levels]
    return design.take(np.isin(codes, chosen), note=f"{part} {quoted(list(levels), 4)}")


def main_wordings(design: Ratings) -> tuple[str, ...]:
    """Return the wordings that every stage was asked in; all, where there is none."""
    wording, names = codes_of(design, "wording")
    stage, stages = codes_of(design, "stage")
    answered = np.zeros((len(names), len(stages)), dtype=bool)
    answered[wording, stage] = True
    full = [name for name, at_stages in zip(names, answered, strict=True) if at_stages.all()]
    return tuple(full or names)


# control texts


def read_controls(table: Table, instrument: Instrument | None = None) -> Ratings | Table:
    """Read control texts: columns text, judge and the traits.

    The table itself where it does not declare its traits, until the table of scores does.

    Raises
    ------
    InputError
        For a table without them; they are named in that file.
    """
    what = "control texts are rows with columns text, judge and the traits, which are named so in that file"
    instrument = declared(table) or instrument
    if instrument is None and not set(PAPER.traits) & set(table.columns):
        need_columns(table, ("text", "judge"), what)
        return table
    traits = list((instrument or PAPER).used)
    need_columns(table, ("text", "judge", *traits), what)
    design = trait_ratings(table, traits=traits, model=None, scenario="text", source=table.source)
    return replace(design, instrument=instrument)


def with_controls(options: StudyOptions, instrument: Instrument) -> StudyOptions:
    """Return the options with control texts that are scored as the table is, and the neutral point that they give.

    Texts whose name starts with balanced or neutral give it; where there is none, nothing does.

    Raises
    ------
    InputError
        Where they are scored on other traits, or another scale.
    """
    controls: Any = options.controls
    if controls is None:
        return options
    if isinstance(controls, Table):
        controls = read_controls(controls, instrument)
    scored = instrument_of(controls)
    if (set(scored.traits), scored.scale) != (set(instrument.traits), instrument.scale):
        raise InputError(
            f"{controls.source}: control texts are scored on {scored_on(scored)}, the answers on "
            f"{scored_on(instrument)}. Let the same judges score both alike"
        )
    controls = replace(controls, instrument=instrument)
    options = replace(options, controls=controls)
    texts = neutral_texts(controls)
    if options.zero is not None or not texts:
        return options
    zero = judge_zeros(controls, texts=texts, **composite_options(instrument))
    return replace(options, zero=zero)


def scored_on(instrument: Instrument) -> str:
    """Name traits and scale."""
    low, high = map(as_given, instrument.scale)
    return f"{quoted(list(instrument.traits), 12)} from {low} to {high}"


def neutral_texts(controls: Ratings) -> list[str]:
    """Return the names of the control texts that are called neutral."""
    return [name for name in controls.strata["scenario"].levels if NEUTRAL.match(name.strip())]


# stances in words


def read_stances(table: Table) -> Table:
    """Return the table of stances: columns ``answer`` and ``stance``, best with ``model`` and ``scenario``.

    Raises
    ------
    InputError
        For columns that are not there.
    """
    need_columns(table, STANCES, "stances have answer, stance, model, scenario")
    return table


def check_stances(table: Table, design: Ratings) -> None:
    """Raise InputError for models and scenarios that the scores do not have, which would be counted as answers."""
    for part in ("model", "scenario"):
        if part not in table.columns or part not in design.strata:
            continue
        declared = design.strata[part].levels
        labels = table.counts([part]).columns[part].labels().levels
        extra = [label for label in labels if label not in declared]
        if extra:
            raise InputError(
                f"{table.source}, column '{part}': the scores have no {part} {quoted(extra, 5)}; they "
                f"have {quoted(declared, 10)}. Correct the names, or leave these answers out"
            )
