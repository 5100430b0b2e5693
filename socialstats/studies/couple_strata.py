"""The bias of couples topic by topic, and kind by kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from socialstats.designs.ratings import Ratings
from socialstats.figures import forest
from socialstats.figures.forest import MOST_ROWS
from socialstats.results import Result, Row
from socialstats.studies.couple_parts import factor_of
from socialstats.studies.estimates import numbers_text, rows_table, with_holm
from socialstats.studies.outcome import Block
from socialstats.studies.outcome import Table as Shown
from socialstats.text import count, listing, p_value, shorten

ALL, CORRECTED, PLACE = "B_all", "B_all corrected", "same groups"
ALONE = "1 scenario"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stratum:
    """The rows of every level of a stratum.

    Attributes
    ----------
    name : str
    levels : tuple of str
    rows : mapping of level to tuple of Row
        Of a level with a single scenario the rows of that scenario, with pairs of names as clusters.
    alone : frozenset of str
        Levels with a single scenario.
    gaps : tuple of Row
        Differences of two levels.
    biases : frozenset of str
        Terms of B.
    results : tuple of Result
    """

    name: str
    levels: tuple[str, ...]
    rows: dict[str, tuple[Row, ...]]
    alone: frozenset[str]
    gaps: tuple[Row, ...]
    biases: frozenset[str]
    results: tuple[Result, ...]

    def label(self, level: str) -> str:
        """Name a level, and say where it is one scenario."""
        return f"{level} ({ALONE})" if level in self.alone else level

    def of(self, *terms: str) -> list[tuple[str, Row]]:
        """Rows of some terms with their levels' labels."""
        return [(self.label(level), r) for level in self.levels for r in self.rows[level] if r.term in terms]


def stratum_of(design: Ratings, name: str, result: Result, scenarios: Result) -> Stratum:
    """Sort the rows of a result by level; a level of one scenario has those of that scenario."""
    factor, scenario = design.strata[name], factor_of(design, "scenario")
    terms = {r.term for r in result.rows if r.group == "bias"}
    rows: dict[str, tuple[Row, ...]] = {}
    alone = set()
    for code, level in enumerate(factor.levels):
        own = tuple(r for r in result.rows if r.group == f"{name} = {level}")
        codes = np.unique(scenario.codes[factor.codes == code])
        if own and len(codes) == 1:
            only = f"scenario = {scenario.levels[int(codes[0])]}"
            mine = tuple(r for r in scenarios.rows if r.group == only)
            other = tuple(r for r in own if r.term not in {r.term for r in mine})
            own = (*mine, *other)
            alone.add(level)
        if own:
            rows[level] = own
    gaps = tuple(r for r in result.rows if " - " in (r.group or "") and not (r.group or "").startswith(f"{name} = "))
    return Stratum(
        name=name, levels=tuple(rows), rows=rows, alone=frozenset(alone), gaps=gaps, biases=frozenset(terms),
        results=(result, scenarios) if alone else (result,),
    )  # fmt: skip


def strata_blocks(design: Ratings, strata: Mapping[str, Result], scenarios: Result) -> tuple[Block, ...]:
    """Return B and B_all by level of each stratum; tests of B adjusted over all its levels."""
    known = [stratum_of(design, name, result, scenarios) for name, result in strata.items()]
    return tuple(block for one in known for block in (biases_block(one), sizes_block(one)) if block is not None)


def biases_block(found: Stratum) -> Block:
    """Return a forest of the biases by level."""
    title = shorten(found.name, 40)
    own = [replace(r, term=f"{level}: {r.term}", group=None, p_adjusted=None)
           for level, r in found.of(*found.biases)]  # fmt: skip
    rows, adjusted = with_holm(own, f"pairs of groups and levels of {found.name}")
    gaps = [r for r in found.gaps if r.term in found.biases]
    return Block(
        id=f"stratum-{found.name}",
        question=f"Does the bias differ by {title}?",
        sentences=stratum_sentences(title, rows, gaps),
        draw=partial(forest, rows[:MOST_ROWS], sort=False, label=title.capitalize(),
                     xlabel="B (above 0: the group named first is favoured)"),
        figure_title=f"Bias B of each pair of groups by {title}",
        caption=f"Each level by itself, with the clusters it has: few scenarios make long intervals, cut where B ends "
        f"(−2 and 2).{alone_text(found)}",
        tables=tuple(bias_tables(found, rows, gaps, title)),
        results=found.results if adjusted is None else (*found.results, adjusted),
    )  # fmt: skip


def alone_text(found: Stratum) -> str:
    """Say how a level of one scenario is treated."""
    if not found.alone:
        return ""
    return (
        f" A level of one scenario ({listing([shorten(x, 40) for x in sorted(found.alone)])}) says nothing about other "
        "scenarios: its numbers are about that scenario, over pairs of names alone."
    )


def bias_tables(found: Stratum, rows: Sequence[Row], gaps: Sequence[Row], title: str) -> list[Shown]:
    """Return the tables of biases, effects of the place, scores, and differences."""
    heading = title.capitalize()
    place = [replace(r, term=level, group=None) for level, r in found.of(PLACE)]
    known = {*found.biases, ALL, CORRECTED, PLACE}
    terms = {r.term for level in found.levels for r in found.rows[level]} - known
    scores = [replace(r, term=f"{level}: {r.term if ', ' in r.term else f'{r.term}, {r.term}'}", group=None)
              for level, r in found.of(*terms)]  # fmt: skip
    tables = [rows_table(rows, f"Bias B by {title}", term=heading)]
    if place:
        tables.append(rows_table(place, f"Effect of the place by {title}: mean answer S between names of one group",
                                 term=heading))  # fmt: skip
    if scores:
        tables.append(rows_table(scores, f"Mean answer S of every kind of couple by {title}",
                                 term=f"{heading}: first, second name"))  # fmt: skip
    if gaps:
        tables.append(rows_table(gaps, f"Differences of the biases between the two levels of {title} (p (Holm): "
                                 "over the pairs of groups)", term="Difference"))  # fmt: skip
    return tables


def stratum_sentences(title: str, rows: Sequence[Row], gaps: Sequence[Row]) -> tuple[str, ...]:
    """Say which levels differ from no bias after adjustment, and whether two levels differ from each other."""
    known = [r for r in rows if r.p_adjusted is not None]
    clear = [r for r in known if r.p_adjusted is not None and r.p_adjusted < 0.05]
    differ = "differs" if len(clear) == 1 else "differ"
    named = listing([f"{shorten(r.term, 60)} ({numbers_text(r)})" for r in clear], most=6)
    lost = len(rows) - len(known)
    cannot = f"{count(lost)} cannot be tested ({untested(rows)}); of the other {count(len(known))}, "
    said = [
        f"Of {count(len(rows), 'bias', 'biases')} by {title}, {cannot if lost else ''}"
        + (f"{count(len(clear))} {differ} from 0 after adjustment (Holm-adjusted p below .05): {named}." if clear else
           "none differs from 0 after adjustment (Holm-adjusted p below .05); the data do not settle them one by one.")
    ]  # fmt: skip
    for row in gaps:
        if row.estimate is None or row.p_value is None:
            continue
        p = p_value(row.p_adjusted, name="Holm-adjusted p")
        clear_gap = row.p_adjusted is not None and row.p_adjusted < 0.05
        which = "differs" if clear_gap else "is not settled to differ"
        said.append(
            f"B of {shorten(row.term, 40)} {which} between the two levels ({shorten(row.group or '', 60)}: "
            f"{numbers_text(row)}, {p})."
        )
    return tuple(said)


def untested(rows: Sequence[Row]) -> str:
    """Say why some biases have no test."""
    return listing(list(dict.fromkeys(shorten(r.undefined or "no test", 90) for r in rows if r.p_adjusted is None)), 2)


def sizes_block(found: Stratum) -> Block | None:
    """Return B_all of every level with its interval; None where no level has one."""
    title = shorten(found.name, 40)
    plain, better = ([replace(r, term=level, group=None) for level, r in found.of(term)] for term in (ALL, CORRECTED))
    if not any(r.conf_low is not None for r in better):
        return None
    gaps = [replace(r, term=f"difference: {r.group}", group=None) for r in found.gaps if r.term == CORRECTED]
    return Block(
        id=f"sizes-{found.name}",
        question=f"How large is the bias over all pairs of groups, by {title}?",
        sentences=size_sentences(title, better, gaps),
        draw=partial(forest, [*better, *gaps][:MOST_ROWS], sort=False, label=title.capitalize(),
                     xlabel="B_all, corrected: mean size of B"),
        figure_title=f"Mean size of the biases, B_all corrected, by {title}",
        caption="B_all is the mean of |B| over the pairs of groups. Chance adds to it, most where scenarios are few: "
        "compare corrected values, by their intervals." + alone_text(found),
        tables=(rows_table(plain, f"B_all by {title}, as it is", term=title.capitalize()),
                rows_table([*better, *gaps], f"B_all by {title}, corrected for what chance adds",
                           term=title.capitalize())),
    )  # fmt: skip


def size_sentences(title: str, rows: Sequence[Row], gaps: Sequence[Row]) -> tuple[str, ...]:
    """Say from where to where B_all runs, and whether the levels can be told apart."""
    known = sorted((r for r in rows if r.conf_low is not None), key=lambda r: r.estimate or 0.0)
    above = [r for r in known if (r.conf_low or 0.0) > 0]
    said = []
    if len(known) > 1:
        low, high = known[0], known[-1]
        said.append(f"B_all, corrected, lies between {numbers_text(low)} ({shorten(low.term, 50)}) and "
                    f"{numbers_text(high)} ({shorten(high.term, 50)}).")  # fmt: skip
    said.append(
        f"The interval leaves 0 out in {count(len(above))} of {count(len(known), 'level')}: "
        f"{listing([shorten(r.term, 50) for r in above], most=6)}." if above else
        "Every interval reaches 0: no level by itself settles that somebody is favoured."
    )  # fmt: skip
    for row in gaps:
        if row.conf_low is None or row.conf_high is None:
            continue
        open_ = row.conf_low <= 0 <= row.conf_high
        said.append(f"Between the two levels it differs by {numbers_text(row)}"
                    + (": the data do not settle which is larger." if open_ else "."))  # fmt: skip
    if not gaps and len(known) > 1:
        apart = max(r.conf_low or 0.0 for r in known) > min(r.conf_high or 0.0 for r in known)
        said.append("Some of these intervals do not overlap." if apart else
                    f"All these intervals overlap: the data do not settle which {title} has more.")  # fmt: skip
    return tuple(said)
