"""The compare study in words: the answer, the methods, the cautions, and what each level has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from socialstats.designs.comparisons import Comparisons
from socialstats.errors import Caution
from socialstats.results import Result, Row
from socialstats.studies.base import StudyOptions, order_cautions
from socialstats.studies.compare_numbers import Numbers
from socialstats.studies.estimates import with_holm
from socialstats.studies.order_effect import change_cautions
from socialstats.studies.outcome import Table
from socialstats.text import count, interval, listing, number, p_value, percent, shorten


def answer(numbers: Numbers, options: StudyOptions) -> tuple[str, ...]:
    """Return the verdicts: which levels follow the covariate more or less than the reference, or are preferred."""
    if numbers.s:
        return s_answer(numbers, options)
    kinds = {kind: of_kind(numbers, kind) for kind in ("strength", "share")}
    said = [level_answer(name, {kind: rows[name] for kind, rows in kinds.items()}, numbers, options.level)
            for name in numbers.models]  # fmt: skip
    why = "; ".join(numbers.problems)
    return tuple(said) or (f"No difference could be computed{f': {why}' if why else ''}.",)


def of_kind(numbers: Numbers, kind: str) -> dict[str, list[Row]]:
    """Return the differences of a kind by level, adjusted over all levels, as in the tables of the page."""
    rows = [(name, r) for name, result in numbers.models.items() for r in result.rows if r.group == kind]
    marked = [replace(r, term=f"{k}", group=None) for k, (_, r) in enumerate(rows)]
    tested, _ = with_holm(marked, f"differences of {kind}s")
    found: dict[str, list[Row]] = {name: [] for name in numbers.models}
    for (name, row), done in zip(rows, tested, strict=True):
        found[name].append(replace(row, p_adjusted=done.p_adjusted))
    return found


def level_answer(name: str, found: Mapping[str, list[Row]], numbers: Numbers, level: float) -> str:
    """Say how many strengths and shares of a level are settled to differ, and the clearest of them."""
    settled, counts = [], []
    for kind, rows in found.items():
        clear = [r for r in rows if (p := r.p_adjusted if r.p_adjusted is not None else r.p_value) is not None
                 and p < 1 - level]  # fmt: skip
        settled += clear
        counts += [f"{count(len(clear))} of {count(len(rows), f'difference of {kind}s', f'differences of {kind}s')}"
                   ] if rows else []  # fmt: skip
    text = f"'{shorten(name)}' and '{shorten(numbers.reference)}': {listing(counts)} "
    text += f"{'is' if len(settled) == 1 else 'are'} settled (Holm over each kind)"
    if not settled:
        return f"{text}: the data do not settle whether the two differ."
    top = max(settled, key=lambda r: abs(r.statistic or 0.0))
    what = f"'{shorten(top.term, 40)}'" if top.group == "strength" else shorten(top.term, 60)
    unit = " log-odds" if top.group == "strength" else ""
    return (
        f"{text}, most clearly {what}: {number(top.estimate, 3)}{unit}, "
        f"{interval(top.conf_low, top.conf_high, 3, level=level)}."
    )


def s_answer(numbers: Numbers, options: StudyOptions) -> tuple[str, ...]:
    """Return the answer about S: how many levels differ, and the largest difference."""
    rows, _ = with_holm(s_rows(numbers.s), "differences in S")
    ref, cov = f"'{shorten(numbers.reference)}'", options.covariate
    alpha = 1 - options.level
    tests = {r.term: (r.p_adjusted if r.p_adjusted is not None else r.p_value) for r in rows}
    settled = [r for r in rows if (p := tests[r.term]) is not None and p < alpha]
    closer = [r for r in settled if (r.estimate or 0.0) < 0]
    farther = [r for r in settled if (r.estimate or 0.0) > 0]
    open_ = [f"'{shorten(r.term, 30)}'" for r in rows if r not in settled]
    parts = []
    for found, word in ((closer, "closer to"), (farther, "farther from")):
        if found:
            names = [f"'{shorten(r.term, 30)}'" for r in found]
            parts.append(f"{listing(names, most=4)} {'is' if len(found) == 1 else 'are'} {word} following {cov} than "
                         f"{ref}")  # fmt: skip
    if open_:
        start = "for" if parts else "For"
        parts.append(f"{start} {listing(open_, most=4)} the data do not settle which is closer to following {cov}")
    most = max(rows, key=lambda r: abs(r.statistic or 0.0))
    test = p_value(tests[most.term]) if tests[most.term] is not None else str(most.undefined)
    first = (
        f"{'; '.join(parts)}. Difference in S, {shorten(most.term, 40)} minus {shorten(numbers.reference, 40)}: "
        f"{number(most.estimate)}, {interval(most.conf_low, most.conf_high, level=options.level)}, {test}"
        f"{' (Holm)' if len(rows) > 1 else ''}."
    )
    higher = {k: v.rates.row("all", group="higher") for k, v in numbers.levels.items() if v.rates is not None}
    low, high = (pick(higher, key=lambda k: higher[k].estimate or 0.0) for pick in (min, max))
    ends = [percent(higher[name].estimate) for name in (low, high)]
    won = f"{ends[0]} of the time for each" if ends[0] == ends[1] else (
        f"from {ends[0]} ({shorten(low, 40)}) to {ends[1]} ({shorten(high, 40)}) of the time")  # fmt: skip
    return (first, f"The higher {cov} won {won}.", *effect_answer(numbers, options))


def effect_answer(numbers: Numbers, options: StudyOptions) -> tuple[str, ...]:
    """Return the answer about the effect of one step of the covariate, beside strengths of their own."""
    changes = [
        replace(row, term=name, group=None)
        for name, result in numbers.models.items() for row in result.rows
        if row.group == "effect" and row.term == options.covariate
    ]  # fmt: skip
    if not changes:
        return ()
    rows, _ = with_holm(changes, "differences of the effect")
    tests = {r.term: (r.p_adjusted if r.p_adjusted is not None else r.p_value) for r in rows}
    settled = [r for r in rows if (p := tests[r.term]) is not None and p < 1 - options.level]
    most = max(rows, key=lambda r: abs(r.statistic or 0.0))
    return (
        f"With roles of every strength held equal, one step of {options.covariate} weighs differently than for "
        f"'{shorten(numbers.reference)}' in {count(len(settled))} of {count(len(rows), 'level')}"
        f"{' (Holm)' if len(rows) > 1 else ''}; {shorten(most.term, 40)} minus {shorten(numbers.reference, 40)}: "
        f"{number(most.estimate)} log-odds, {interval(most.conf_low, most.conf_high, level=options.level)}.",
    )


def s_rows(found: Mapping[str, Result]) -> list[Row]:
    """Return the differences in S by level: corrected for noise where that exists."""
    rows = []
    for name, result in found.items():
        row = result.row("S_corrected", group="difference")
        row = row if row.estimate is not None else result.row("S", group="difference")
        rows.append(replace(row, term=name, group=None))
    return rows


def cautions_of(numbers: Numbers, design: Comparisons) -> tuple[Caution, ...]:
    """Return the cautions of the table, of every level and of the differences."""
    levels = [c for v in numbers.levels.values() for r in (v.fit, v.s) if r is not None for c in r.cautions]
    pairs = [c for group in (numbers.s, numbers.models, numbers.entropy) for r in group.values() for c in r.cautions]
    return order_cautions(change_cautions(numbers.beside), numbers.left, tuple(pairs), tuple(levels), design.cautions)


def level_table(numbers: Numbers, by: str) -> Table:
    """Count rows, pairs and ties of every level; and what could not be computed."""
    cells: list[tuple[str | float | int | None, ...]] = [
        (name, v.design.n_rows, len(v.design.pair.levels), v.design.n_ties, "reference" if name == numbers.reference
         else "; ".join(p for p in numbers.problems if p.startswith(f"{shorten(name)} minus ")))
        for name, v in numbers.levels.items()
    ]  # fmt: skip
    return Table(caption=f"What each level of {by} has", header=(by, "Rows", "Pairs", "Ties", "Note"),
                 cells=tuple(cells))  # fmt: skip


def methods(numbers: Numbers, options: StudyOptions) -> str:
    """Return the methods paragraph."""
    return (
        f"Every level is compared with '{shorten(numbers.reference)}' on the pairs of items that both have. Pairs are "
        f"resampled in both together (seed {options.seed}), so what makes a pair hard for both cancels; p-values of a "
        "family are adjusted by Holm's method. Entropies are compared by paired t tests over pairs."
    )
