"""Means of the answers that one source gave to one unit several times."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.designs.aliases import Levels, Texts
from socialstats.designs.column_profile import ColumnProfile
from socialstats.designs.parts import FlowStep, Repeats, taken, taken_fields
from socialstats.designs.rows import Rows
from socialstats.designs.schema import UNIT, Roles
from socialstats.designs.vocabulary import PERSONS, RATERS, SCORERS
from socialstats.errors import Caution, InputError, caution
from socialstats.tables import Table
from socialstats.text import count as counted
from socialstats.text import quoted, shorten
from socialstats.voice import option

# who gives answers: a sample of their own, which the means leave out
NAMES_OF_RATERS = (
    *RATERS,
    *PERSONS,
    *SCORERS,
)
# a step of the flow that leaves no row out
AVERAGED = "answers averaged"
# kinds of columns that tell values apart
APART = (*UNIT, "rater", "source", "condition", "by")


DIGITS = 12  # digits of means
MEAN_EPSILON = 0.5 * 10.0 ** (1 - DIGITS)  # relative rounding error of a mean


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Means:
    """Means of the rows that share a unit, a source and a condition.

    Attributes
    ----------
    columns : tuple of str
        Columns that number the answers.
    key : (rows,) int64 array
        What is averaged over shares a key; -1 for rows not in use.
    first : (used keys,) int64 array
        A row of each key in use, one with a value where there is one.
    values : (rows,) float64 array
        The mean in the first row of its key; NaN in all others, and where there is none.
    answers, variance : (keys,) float64 arrays
        NaN is the variance of one answer.
    share_of : str
        The label that each mean is the share of, where answers have two; empty for numbers.
    note : Caution
    levels : tuple of str
        Levels of the single answers, where these are few; empty otherwise.
    scale : str
        Their scale.
    shares : (keys, levels) float64 array, or None
        Share of each level among the answers of each key.
    code : (rows,) int64 array, or None
        Index into `levels` of each row.
    """

    columns: Levels
    key: IntArray
    first: IntArray
    values: FloatArray
    answers: FloatArray
    variance: FloatArray
    share_of: str
    note: Caution
    levels: Levels = ()
    scale: str = ""
    shares: FloatArray | None = None
    code: IntArray | None = None

    def behind(self, rows: IntArray, sources: Levels, source: IntArray, place: IntArray) -> Repeats:
        """Return the answers behind the means of some rows: of which source, and their places in the design."""
        cell = self.key[rows]
        there = np.flatnonzero(self.answers[cell] > 0)
        arrays = taken_fields(self, ("answers", "variance", "shares"), cell[there])
        return Repeats(
            columns=self.columns,
            sources=sources,
            source=source[there],
            place=place[there],
            share_of=self.share_of,
            levels=self.levels,
            scale=self.scale,
            first=taken(self.code, rows[there]),
            **arrays,
        )

    def with_levels(
        self, rows: Rows, levels: Levels, scale: str, code: IntArray, answered: BoolArray
    ) -> Means:
        """Return the means with the share of each level, and the level of each row.

        Parameters
        ----------
        rows : Rows
        levels : tuple of str
        scale : str
        code : (rows,) int64 array
            Index into `levels`.
        answered : (rows,) bool array
            Rows in use with an answer.
        """
        counts = np.zeros((len(self.answers), len(levels)))
        np.add.at(counts, (self.key[answered], code[answered]), rows.n[answered])
        shares = counts / np.maximum(self.answers, 1.0)[:, None]
        return replace(self, levels=levels, scale=scale, shares=shares, code=code)


def mean_answers(rows: Rows, roles: Roles, values: FloatArray, share_of: str = "") -> Means:
    """Keep one row of each unit, source and condition in use, and say in the flow how many were averaged.

    Parameters
    ----------
    rows : Rows
    roles : Roles
        With the columns that number the answers, if any does.
    values : (rows,) float64 array
        NaN where a row has no value.
    share_of : str
        As in `Means`.
    """
    key = rows.key(roles.of(*APART))
    there = rows.use & ~np.isnan(values)
    n = rows.n[there]
    present = values[there]
    size = int(key.max(initial=-1)) + 1
    answers = np.bincount(key[there], weights=n, minlength=size)
    sums = np.bincount(key[there], weights=n * present, minlength=size)
    mean = sums / np.where(answers > 0, answers, 1.0)
    # means do not depend on the order of rows
    mean = np.array([float(f"{x:.{DIGITS}g}") for x in mean])
    squares = np.bincount(key[there], weights=n * (present - mean[key[there]]) ** 2, minlength=size)
    order = np.lexsort((~there, key))
    order = order[rows.use[order]]
    first = order[np.unique(key[order], return_index=True)[1]]
    means = np.full(len(key), np.nan)
    means[first] = np.where(answers > 0, mean, np.nan)[key[first]]
    repeat = tuple(roles.of("repeat"))
    # rows without an answer are no answers
    repeats = answers[answers > 0].astype(np.int64)
    fewest = repeats.min()
    most = repeats.max()
    size_of = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    by = f", told apart by {quoted(repeat)}" if repeat else ""
    sources = roles.of("condition", "source", "rater")
    who = [name for name in repeat if is_sample(rows.table, name, sources)]
    fixed = f"; intervals speak of these labels of {quoted(who)}, and of no others" if who else ""
    rows.flow.append(
        FlowStep(label=AVERAGED, rows=int(repeats.sum()), note=f"{size_of} to a mean{by}")
    )
    detail = (
        f"{repeats.sum():,} answers to {counted(len(repeats), 'mean')}, {size_of} each{by}{fixed}"
    )
    rows.use = rows.use & np.isin(np.arange(len(key)), first)
    return Means(
        columns=repeat,
        key=key,
        first=first,
        values=means,
        answers=answers.astype(np.float64),
        variance=np.where(answers > 1, squares / np.maximum(answers - 1, 1), np.nan),
        share_of=share_of,
        note=caution(
            "SS341", detail, affects="nothing: units, not repeats, are taken as independent"
        ),
    )


def is_sample(table: Table, repeat: str, sources: Texts) -> bool:
    """Whether labels of a column of repeats are a sample of their own: who gave answers, or labels of one source each.

    Names of persons of two groups, for instance, are other names in each group.
    """
    if ColumnProfile(name=repeat, levels=(), rows=0, filled=0).called(NAMES_OF_RATERS):
        return True
    if not (sources and table.has(repeat)):
        return False
    several = len(table.counts([*sources]).n) > 1
    labels = table.counts([repeat]).n
    return several and len(table.counts([repeat, *sources]).n) == len(labels) < labels.sum() / 2


def refuse_averaging(rows: Rows, roles: Roles, *, numeric: bool) -> None:
    """Refuse to average labels, ordered ones too, and probabilities of levels.

    Raises
    ------
    InputError
        With the ways out.
    """
    repeat = roles.of("repeat")
    unit = roles.of(*UNIT)
    place = rows.table.place(roles["value"])
    apart = f"told apart by {quoted(repeat)}" if repeat else "that no column numbers"
    ways = []
    if repeat and repeat[0] in rows.table.columns:
        first = rows.table.levels(repeat[0])[0]
        ways.append(f"Keep one answer each: --where {shorten(repeat[0])}={shorten(first)}")
    if numeric:
        ways.append(
            f"Say {option('scale', 'interval', '--scale interval')} if levels are equally spaced"
        )
    if repeat:
        joint = option("unit", [*unit, *repeat], f"--map unit={','.join([*unit, *repeat])}")
        cluster = option("cluster", unit[0], f"--cluster {unit[0]}")
        ways.append(
            f"Agreement may take each answer as a unit within clusters: {joint} and {cluster}"
        )
    raise InputError(
        f"{place}: a unit has several answers of one source, {apart}, and labels have no mean. {'. '.join(ways)}"
    )
