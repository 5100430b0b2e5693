"""Means of the answers that one source gave to one unit several times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from socialstats import text
from socialstats.arrays import IntArray
from socialstats.designs.parts import FlowStep, Repeats
from socialstats.designs.rows import Averaged, Rows
from socialstats.errors import Caution, InputError, caution
from socialstats.voice import option

AVERAGED = "answers averaged"  # a step of the flow that leaves no row out


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Means:
    """What was averaged: the columns that number the answers, the cell of each row, and the mean of each cell.

    Means of two labels are shares of the second, `share_of`.
    """

    columns: tuple[str, ...]
    key: IntArray
    cells: Averaged
    share_of: str = ""


def note_means(rows: Rows, cells: Averaged, repeat: Sequence[str]) -> Caution:
    """Add the step of averaging to the flow, and return the note on it (SS341)."""
    n = cells.answers[cells.answers > 0]  # rows without an answer are no answers
    total, most, least = int(n.sum()), int(n.max()), int(n.min())
    each = f"{least}" if least == most else f"{least} to {most}"
    by = f", told apart by {text.quoted(repeat)}" if repeat else ""
    rows.flow.append(FlowStep(label=AVERAGED, rows=total, note=f"{each} to a mean{by}"))
    detail = f"{total:,} answers to {text.count(len(n), 'mean')}, {each} each{by}"
    return caution("SS341", detail, affects="nothing: units, not repeats, are taken as independent")


def refuse_means(rows: Rows, value: str, repeat: Sequence[str], unit: Sequence[str], *, numeric: bool) -> None:
    """Refuse to average labels, ordered ones too, and probabilities of levels.

    Raises
    ------
    InputError
        With the ways out.
    """
    told = f"told apart by {text.quoted(repeat)}" if repeat else "that no column numbers"
    ways = []
    if repeat and repeat[0] in rows.table.columns:
        first = rows.table.counts([repeat[0]]).columns[repeat[0]].labels().levels[0]
        ways.append(f"Keep one answer each: --where {text.shorten(repeat[0])}={text.shorten(first)}")
    if numeric:
        ways.append(f"Say {option('scale', 'interval', '--scale interval')} if levels are equally spaced")
    if repeat:
        joint = option("unit", [*unit, *repeat], f"--map unit={','.join([*unit, *repeat])}")
        cluster = option("cluster", unit[0], f"--cluster {unit[0]}")
        ways.append(f"Agreement may take each answer as a unit within clusters: {joint} and {cluster}")
    raise InputError(
        f"{rows.table.place(value)}: a unit has several answers of one source, {told}, and labels have no mean. "
        f"{'. '.join(ways)}"
    )


def repeats_behind(
    means: Means, rows: IntArray, sources: tuple[str, ...], source: IntArray, place: IntArray
) -> Repeats:
    """Return the answers behind the means of some rows: of which source, and at which place of the design they are."""
    cell = means.key[rows]
    there = np.flatnonzero(means.cells.answers[cell] > 0)
    return Repeats(
        columns=means.columns,
        sources=sources,
        source=source[there],
        place=place[there],
        answers=means.cells.answers[cell[there]],
        variance=means.cells.variance[cell[there]],
        share_of=means.share_of,
    )
