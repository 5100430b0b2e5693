"""The values of ratings: their levels in order, their scale, and which of them are refusals or missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from socialstats import text
from socialstats.designs.levels import categories, codes_in, in_order, opposites, plain_number
from socialstats.designs.parts import FloatArray, FlowStep, IntArray
from socialstats.designs.ratings import MISSING, OK, REFUSAL, Scale
from socialstats.designs.ratings_options import RatingsOptions, RatingsRoles, check_scale
from socialstats.designs.rows import Rows, missing_words
from socialstats.designs.suspects import code_suspects
from socialstats.errors import Caution, DesignError, caution
from socialstats.tables import as_number

MOSTLY = 0.5
LABELS = "if these are labels, say scale='nominal' (--scale nominal)"
ZERO_LEVELS = "no rating has a value"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rated:
    """Decoded ratings.

    Attributes
    ----------
    levels : tuple of str
    scores : (levels,) float64 array
    scale : {"nominal", "ordinal", "interval", "ratio"}
    declared, numeric : bool
        As in `Ratings`.
    value : (rows,) int64 array
        Index into `levels`; -1 where `status` is not 0.
    status : (rows,) int8 array
    cautions : tuple of Caution
    """

    levels: tuple[str, ...]
    scores: FloatArray
    scale: Scale
    declared: bool
    numeric: bool
    value: IntArray
    status: np.ndarray[Any, np.dtype[np.int8]]
    cautions: tuple[Caution, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelChoice:
    """Levels with how they came about."""

    levels: tuple[str, ...]
    scale: Scale
    declared: bool
    caution: str = ""


def rate(rows: Rows, roles: RatingsRoles, options: RatingsOptions) -> Rated:
    """Decode the value column.

    Raises
    ------
    DesignError
        For texts without an order; says what to pass.
    InputError
        For a scale that the levels do not have.
    """
    status = statuses(rows, roles, options)
    rated = rows.use & (status == OK)
    labels = rows.labels(roles.value)
    used = [labels.levels[code] for code in np.unique(labels.codes[rated]).tolist() if code >= 0]
    choice = choose_levels(rows, roles.value, options, used, rated)
    codes = np.array([*codes_in(labels.levels, choice.levels), -1], dtype=np.int64)[labels.codes]
    bad = rated & (codes < 0)
    if bad.any() and (choice.declared or not rows.problems.pending):
        message = f"'{{}}' is none of the levels ({text.quoted(choice.levels, 8)})"
        fix = "Correct it, add it to levels= (--levels), or say refusal='{}' or na='{}'"
        rows.problems.each_value(roles.value, bad, [roles.value], message, fix=fix, like=choice.levels)
    numbers = [as_number(level) for level in choice.levels]
    numeric = None not in numbers and len(set(numbers)) == len(numbers)
    scores = [x or 0.0 for x in numbers] if numeric else list(range(len(numbers)))
    found = []
    if choice.caution:
        found.append(caution("SS310", choice.caution, affects="weights and distances between levels", fix=SAY))
    if numeric and not choice.declared:
        found += code_suspects(rows.problems, [roles.value], rated)
    return Rated(
        levels=choice.levels, scores=np.array(scores, dtype=np.float64), scale=choice.scale, declared=choice.declared,
        numeric=numeric, value=np.where(status == OK, codes, -1), status=status,
        cautions=tuple(found),
    )  # fmt: skip


LONG = 16  # characters of a level, from which a caution writes it as 1e+200
SAY = "declare scale= (--scale) and levels= (--levels)"


def statuses(
    rows: Rows, roles: RatingsRoles, options: RatingsOptions
) -> np.ndarray[Any, np.dtype[np.int8]]:  # fmt: skip
    """Say for each row whether it is a rating, a refusal or missing; count the latter two in the flow."""
    labels = rows.labels(roles.value)
    is_refusal = np.array([*(label in options.refusal_labels for label in labels.levels), False])
    out = np.where(is_refusal[labels.codes], REFUSAL, np.where(labels.codes < 0, MISSING, OK)).astype(np.int8)
    if roles.status is not None:
        given = rows.labels(roles.status)
        meaning = [{"ok": OK, "refusal": REFUSAL}.get(label.strip().casefold(), MISSING) for label in given.levels]
        said = np.array([*meaning, MISSING], dtype=np.int8)[given.codes]
        out = np.where(said == OK, out, said).astype(np.int8)
        for code, label in enumerate(given.levels):
            if meaning[code] == MISSING:
                _count(rows, given.codes == code, f"status '{text.shorten(label)}'", "missing: no rating")
        _count(rows, given.codes < 0, "no status", "missing: no rating")
    absent = rows.use & (labels.codes < 0) & (out == MISSING)
    if roles.status is not None:
        absent &= said == OK
    if absent.any() and options.missing == "error":
        keep = "Fill it in, or say missing='drop' (--missing drop) to keep such ratings as missing"
        message, fix = missing_words(rows.counts, roles.value, absent, keep)
        rows.problems.add(message, absent, [roles.value], column=roles.value, fix=fix)
    _count(rows, absent, f"no value in '{text.shorten(roles.value)}'", "missing: no rating")
    _count(rows, out == REFUSAL, "refusals", "kept as refusals")
    return out


def _count(rows: Rows, which: np.ndarray[Any, np.dtype[np.bool_]], label: str, note: str) -> None:
    n = int(rows.counts.n[rows.use & which].sum())
    if n:
        rows.flow.append(FlowStep(label=label, rows=n, note=note))


def choose_levels(
    rows: Rows, column: str, options: RatingsOptions, used: Sequence[str], rated: np.ndarray[Any, np.dtype[np.bool_]]
) -> LevelChoice:
    """Decide on levels and scale: as declared, as the column's type says, as numbers; never by alphabet."""
    place = f"{rows.table.source}, column '{text.shorten(column)}'"
    levels, declared = options.level_labels, True
    if levels is None:
        levels = categories(rows.table, column)
        if levels is not None:
            levels = tuple(level for level in levels if level not in options.refusal_labels | options.na_labels)
    if levels is None:
        levels, declared = _found_levels(rows, column, options, used, rated, place), False
    check_scale(options.scale, levels, place)
    numeric = bool(levels) and None not in [as_number(level) for level in levels]
    if options.scale is not None:
        return LevelChoice(levels=levels, scale=options.scale, declared=declared)
    if not declared and not numeric:
        note = f"{text.quoted(levels)} taken as nominal" if levels else ZERO_LEVELS
        return LevelChoice(levels=levels, scale="nominal", declared=declared, caution=note)
    if not numeric:
        return LevelChoice(levels=levels, scale="ordinal", declared=declared)
    first, last = (one if len(one) <= LONG else f"{float(one):g}" for one in (levels[0], levels[-1]))
    span = f"numbers from {first} to {last}" if len(levels) > 1 else f"the number {first} only"
    note = f"{span}, taken as an interval scale"
    note += "" if declared else f" with the {text.count(len(levels), 'level')} that occur"
    return LevelChoice(levels=levels, scale="interval", declared=declared, caution=note)


def _found_levels(
    rows: Rows, column: str, options: RatingsOptions, used: Sequence[str], rated: np.ndarray[Any, np.dtype[np.bool_]],
    place: str,
) -> tuple[str, ...]:  # fmt: skip
    """Return the levels that occur: numbers ascending, nominal labels sorted; other texts have no order."""
    numbers = {label: as_number(label) for label in used}
    if options.scale == "nominal":
        return in_order(used)
    rows.problems.refuse_spellings([column], rated, LABELS)
    if None not in numbers.values():
        return tuple(plain_number(x) for x in sorted({x for x in numbers.values() if x is not None}))
    if pair := opposites(used):
        return pair
    labels = rows.labels(column)
    words = rated & np.array([*(as_number(label) is None for label in labels.levels), False])[labels.codes]
    n = rows.counts.n
    if options.scale in ("interval", "ratio") or n[words].sum() < MOSTLY * n[rated].sum():
        fix = "Correct it, or say refusal='{}' (--refusal) or na='{}' (--na), or scale='nominal' if these are labels"
        rows.problems.each_value(column, words, [column], "'{}' is not a finite number", fix=fix)
        found = {x for x in numbers.values() if x is not None}
        return tuple(plain_number(x) for x in sorted(found))
    raise DesignError(
        f"{place}: the values are texts, and nothing says their order: {text.quoted(in_order(used), 12)}. Pass all "
        "levels, the lowest first, as in levels=['low', 'medium', 'high'] (--levels low,medium,high), or say "
        "scale='nominal' (--scale nominal) if they have none; a refusal is no level: refusal='F' (--refusal F)"
    )
