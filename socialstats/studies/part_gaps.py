"""Differences between parts of the data that share no cluster, such as domains of scenarios: Welch's t test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from socialstats.designs.parts import Factor
from socialstats.designs.ratings import Ratings
from socialstats.inference.compare import with_welch
from socialstats.results import Check, Result, Row
from socialstats.studies.estimates import numbers_text, rows_table, with_holm
from socialstats.studies.outcome import Block
from socialstats.text import count, number, p_value, shorten


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """An estimate by part: what it is of (and whose), and a row for each part."""

    what: str
    whose: str
    rows: Mapping[str, Row]


class PartGaps(Result):
    """Differences between parts; ``extras["pairs"]`` holds the two rows behind each."""

    __slots__ = ()

    def crosscheck(self) -> Sequence[Check]:
        """Recompute the differences from the two rows (which have checks of their own), by scipy."""
        from socialstats.crosscheck.part_gaps import checks_of

        checks: Sequence[Check] = checks_of(self)
        return checks


def apart(design: Ratings, stratum: str) -> bool:
    """Tell whether every declared cluster lies in one level of a stratum, so that its levels are independent."""
    codes = design.strata[stratum].codes
    return all(nested(codes, factor) for factor in design.clusters)


def nested(codes: np.ndarray, factor: Factor) -> bool:
    """Tell whether each level of a factor has one code."""
    pairs = np.unique(np.column_stack([factor.codes, codes]), axis=0)
    return len(pairs) == len(np.unique(pairs[:, 0]))


def part_gaps(parts: Sequence[Part], stratum: str, level: float) -> PartGaps | None:
    """Estimate the differences of all pairs of parts; None without two parts that have an error."""
    rows, pairs = [], []
    for part in parts:
        for one, two in combinations(part.rows, 2):
            term, group = f"{one} minus {two}", f"{part.whose}: {part.what}"
            row = Row(term=term, group=group, method="Welch's t, clusters of both parts")
            rows.append(with_welch(row, part.rows[one], part.rows[two], level, within=(-2.0, 2.0)))
            pairs.append((part.rows[one], part.rows[two]))
    tested, _ = with_holm(rows, f"differences between levels of {stratum}")
    if not any(row.p_value is not None for row in tested):
        return None
    return PartGaps(
        metric="choice_shares", title=f"Differences between levels of {shorten(stratum, 40)}", rows=tested,
        inference="t tests of independent groups of clusters, unequal variances (Welch)",
        counts={"differences": len(tested)}, settings={"level": level}, references=("welch1947",),
        words="Differences between parts that share no cluster.", extras={"pairs": tuple(pairs)},
    )  # fmt: skip


def gap_sentences(parts: Sequence[Part], gaps: PartGaps, name: str, digits: int = 3) -> tuple[str, ...]:
    """Say for each of those whose parts these are the widest difference, and how many the data settle."""
    said, rows = [], list(gaps.rows)
    for whose in dict.fromkeys(part.whose for part in parts):
        own = [part for part in parts if part.whose == whose]
        size = sum(len(part.rows) * (len(part.rows) - 1) // 2 for part in own)
        mine, rows = rows[:size], rows[size:]
        said.append(own_sentence(own, mine, digits))
    tested = [r for r in gaps.rows if r.p_value is not None]
    clear = sum(p_of(r) < 1 - (r.conf_level or 0.95) for r in tested)
    end = "" if clear == len(tested) else ", and not which lies higher" + (" in the others" if clear else "")
    what = count(len(tested), "difference")
    return (*said, f"The data settle {count(clear)} of {what} between two levels of {name} (Holm over all){end}.")


def p_of(row: Row) -> float:
    """Return the adjusted p of a row, or its p."""
    return row.p_adjusted if row.p_adjusted is not None else row.p_value if row.p_value is not None else 1.0


def own_sentence(parts: Sequence[Part], rows: Sequence[Row], digits: int) -> str:
    """Say the widest of some differences, with both values."""
    known = [k for k, r in enumerate(rows) if r.estimate is not None]
    if not known:
        return f"{shorten(parts[0].whose, 40)}: no difference between two parts has an error."
    at = max(known, key=lambda k: abs(rows[k].estimate or 0.0))
    places = [(part, pair) for part in parts for pair in combinations(part.rows, 2)]
    part, pair = places[at]
    low, high = sorted(pair, key=lambda name: part.rows[name].estimate or 0.0)
    ends = [number(part.rows[name].estimate, digits, bounded=True) for name in (low, high)]
    row = rows[at]
    name = "p" if row.p_adjusted is None else "adjusted p"
    told = "" if row.p_value is None else f", {p_value(p_of(row), name=name)}"
    return (
        f"{part.whose}: {part.what} differs most between {shorten(low, 40)} ({ends[0]}) and {shorten(high, 40)} "
        f"({ends[1]}): {shorten(row.term, 80)} {numbers_text(row, digits=digits, bounded=True)}{told}."
    )


def gaps_table_block(block: Block, parts: Sequence[Part], gaps: PartGaps | None, name: str) -> Block:
    """Add the differences between the parts to a block: sentences, table, result."""
    if gaps is None:
        return block
    labels = [f"{shorten(r.group or '', 60)}: {shorten(r.term, 60)}" for r in gaps.rows]
    table = rows_table(gaps.rows, f"Differences between levels of {name}", term="Whose and what", labels=labels)
    return replace(
        block, sentences=(*block.sentences, *gap_sentences(parts, gaps, name)), tables=(*block.tables, table),
        results=(*block.results, gaps),
    )  # fmt: skip
