"""Items and levels compared: blocks and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from socialstats.errors import SocialStatsError
from socialstats.figures import forest
from socialstats.metrics.bradley_terry import BradleyTerryResult
from socialstats.metrics.preference_shares import preference_shares
from socialstats.planning.adjusting import with_holm
from socialstats.results import Result, Row
from socialstats.studies.compare.numbers import Numbers
from socialstats.studies.comparisons import changes_sentence, fits_table, sizes_text
from socialstats.studies.estimates import beside, numbers_text, p_text, rows_table, span_text, table_of
from socialstats.studies.page import Block, Mark, StudyOptions, Table
from socialstats.text import count, inconclusive, number, p_value, quoted, shorten

Fits = Mapping[str, BradleyTerryResult]
Groupings = Mapping[str, Mapping[str, object]]
TESTED: dict[str, Any] = {
    "Difference": "estimate", "Low": "conf_low", "High": "conf_high", "p": lambda r: p_text(r.p_value),
    "p (Holm)": lambda r: p_text(r.p_adjusted),
}  # fmt: skip
MOST_ITEMS, SIDE_BY_SIDE = 15, 12
MANY = 4  # levels compared from which differences stand side by side
MOST_SHOWN = 15  # differences of strengths drawn; the table has all


def final_p(row: Row) -> float | None:
    """Return the adjusted p-value, or the row's own where none is adjusted."""
    return row.p_value if row.p_adjusted is None else row.p_adjusted


def settled(rows: Sequence[Row], level: float) -> list[Row]:
    """Return the rows whose (adjusted) test is significant."""
    return [row for row in rows if (p := final_p(row)) is not None and p < 1 - level]


def clearest(rows: Sequence[Row]) -> list[Row]:
    """Return rows with the largest test statistic first."""
    return sorted(rows, key=lambda row: -abs(row.statistic or 0.0))


def leads(found: Mapping[str, Result], term: str, group: str | None = None) -> list[Row]:
    """Return one row of the result of each level, named after the level."""
    return [replace(result.row(term, group=group), term=name, group=None) for name, result in found.items()]


def differences_of_s(found: Mapping[str, Result]) -> list[Row]:
    """Return the differences in S by level: corrected for noise where that exists."""
    both = zip(leads(found, "S_corrected", "difference"), leads(found, "S", "difference"), strict=True)
    return [plain if corrected.estimate is None else corrected for corrected, plain in both]


def labelled(found: Mapping[str, Result], group: str) -> list[Row]:
    """Return the rows of a group of all levels, each with its level in its name where there are several."""
    several = len(found) > 1
    return [
        replace(row, term=f"{shorten(name, 30)}: {row.term}" if several else row.term, group=None)
        for name, result in found.items() for row in result.rows if row.group == group
    ]  # fmt: skip


def items_block(found: Mapping[str, Result], by: str, reference: str, level: float) -> Block | None:
    """Return how often each item is chosen against the reference, adjusted over all items and levels."""
    if not found:
        return None
    tested, _ = with_holm(labelled(found, "item"), "items chosen")
    clear = tuple(clearest([row for row in tested if row.p_value is not None])[:MOST_ITEMS])
    called = settled(tested, level)
    few = count(len(called)) if called else "None"
    said = (
        f"{few} of {count(len(tested), 'difference')} from '{shorten(reference, 40)}' in how often an item is chosen "
    )
    said += f"{'is' if len(called) < 2 else 'are'} significant (McNemar's test clustered by pair, Holm over all)"
    said += f", most clearly {clear[0].term}: {numbers_text(clear[0], digits=3)}." if called else "."
    first = next(iter(found.values()))
    return Block(
        id="differences-items",
        question="Which items are chosen more often on the same stories?",
        sentences=(said,),
        draw=partial(forest, clear, xlabel=f"share chosen minus that of {shorten(reference, 30)}", sort=False, digits=3)
        if clear else None,
        figure_title="Differences in how often an item is chosen, with the largest test statistics",
        caption=f"Story by story: {first.inference}. {count(first.counts['stories'], 'story', 'stories')} of both"
        + (f", {count(first.counts['ties'], 'tie')} left out" if first.counts["ties"] else "") + ".",
        tables=(changes_table(found, tested, by),),
        results=tuple(found.values()),
    )  # fmt: skip


def changes_table(found: Mapping[str, Result], tested: Sequence[Row], by: str) -> Table:
    """Return all numbers of one level; for several, a column each with difference and adjusted p."""
    if 1 < len(found) <= SIDE_BY_SIDE:
        caption = "Share of stories in which an item is chosen, minus the reference's; in brackets p (Holm over "
        return side_by_side(found, "item", tested, f"{caption}{count(len(tested), 'test')})", 3)
    discordant = [row.method for result in found.values() for row in result.rows]
    counts = {id(row): said or "" for row, said in zip(tested, discordant, strict=True)}
    more: dict[str, Any] = {"Stories": lambda r: int(r.n or 0), "Discordant": lambda r: counts[id(r)],
                            "Why not": "undefined"}  # fmt: skip
    return table_of(tested, f"Share of stories in which an item is chosen, {by}", ("Item", "term"), TESTED | more)


def side_by_side(
    found: Mapping[str, Result], group: str, tested: Sequence[Row], caption: str, digits: int
) -> Table:  # fmt: skip
    """Return differences of items with a column a level; their intervals are in the embedded JSON."""
    parts = iter(tested)
    columns = {name: {row.term: next(parts) for row in r.rows if row.group == group} for name, r in found.items()}
    items = sorted({item for column in columns.values() for item in column})
    cells = tuple((item, *(in_cell(column.get(item), digits) for column in columns.values())) for item in items)
    return Table(caption=caption, header=("Item", *found), cells=cells)


def in_cell(row: Row | None, digits: int = 3) -> str:
    """Write a difference and its adjusted p, or why there is none.

    Examples
    --------
    >>> in_cell(Row(term="nun", estimate=-0.031, p_value=0.01, p_adjusted=0.21))
    '\u22120.031 (.210)'
    """
    if row is None or row.estimate is None:
        return "none"
    p = final_p(row)
    return f"{number(row.estimate, digits)}" + (f" ({p_text(p)})" if p is not None else "")


def level_shares(fits: Fits, groups: Mapping[str, object], level: float) -> dict[str, Result]:
    """Return each level's shares of the groups with delta-method intervals; a level without them is left out."""
    found = {}
    by_item = {item: str(group) for item, group in groups.items()}
    for name, fit in fits.items():
        known = {item: group for item, group in by_item.items() if item in fit.strengths}
        try:
            found[name] = preference_shares(fit, known, ci="delta", ungrouped="leave_out", level=level)
        except SocialStatsError:
            continue
    return found


def share_levels_block(fits: Fits, groupings: Groupings, by: str, level: float) -> Block | None:
    """Return the shares of groups of items by level (P_d, P_g); its results are those of the first grouping."""
    by_name = {name: level_shares(fits, groups, level) for name, groups in groupings.items()}
    by_name = {name: found for name, found in by_name.items() if found}
    if not by_name:
        return None
    name, found = next(iter(by_name.items()))
    results = tuple(replace(result, title=f"{shorten(label, 40)}: shares by {name}") for label, result in found.items())
    return Block(
        id="levels-shares",
        question="Which groups does each prefer?",
        sentences=tuple(ends_sentence(label, result) for label, result in found.items()),
        tables=tuple(shares_table(name, found, by) for name, found in by_name.items()),
        caption=f"Mean worth of a group over the sum of the group means, each {by} by its own model. Intervals: "
        f"{results[0].inference}, {next(iter(fits.values())).inference}. {name}: {sizes_text(groupings[name])}.",
        results=results,
    )  # fmt: skip


def ends_sentence(label: str, result: Result) -> str:
    """State which group a level prefers most and least."""
    rows = [row for row in result.rows if row.group == "arithmetic" and row.estimate is not None]
    ends = [pick(rows, key=lambda row: row.estimate or 0.0) for pick in (max, min)]
    most, least = (f"{shorten(row.term, 30)} ({numbers_text(row, digits=3, bounded=True)})" for row in ends)
    return f"{shorten(label, 40)}: most {most}, least {least}, by the arithmetic mean."


def shares_table(name: str, found: Mapping[str, Result], by: str) -> Table:
    """Return the shares of one grouping with a column a level."""
    rows = {label: {(row.term, row.group): row for row in result.rows} for label, result in found.items()}
    kind = name.replace("_", " ")
    return beside(f"Preference shares by {kind} and {by}, with intervals", (kind.capitalize(), "Mean"), rows,
                  list(dict.fromkeys(key for part in rows.values() for key in part)), 3, bounded=True)  # fmt: skip


def reference_marks(found: Mapping[str, Result]) -> tuple[Mark, ...]:
    """Return S of choosers of known kinds."""
    lines = next(iter(found.values())).extras["reference_lines"][:4] if found else ()
    return tuple(Mark(label=x.label, value=x.value, kind="reference") for x in lines)


def sensitivity_block(found: Mapping[str, Result], by: str, options: StudyOptions) -> Block | None:
    """Return S of every level by itself."""
    if not found:
        return None
    rows = tuple(leads(found, "S"))
    first = next(iter(found.values()))
    reference = first.extras["reference_lines"]
    lines = ", ".join(f"{number(x.value, 1)} = {x.label}" for x in reference[:3])
    parts = ("S", "S_corrected", "S_higher", "S_equal", "S_lower")
    cells = tuple(
        (name, *(r.row(term).estimate for term in parts), r.row("S").conf_low, r.row("S").conf_high)
        for name, r in found.items()
    )
    header = (by, "S", "Noise off", "Part of higher", "Of equal", "Of lower", "Low", "High")
    return Block(
        id="levels-s",
        question=f"How far is each from following {options.covariate} alone?",
        sentences=(f"S {span_text(rows)}; {lines}.",),
        draw=partial(forest, rows, reference=reference[1].value, xlabel="S", label=by),
        figure_title=f"Sensitivity S by {by}",
        caption=f"Each by itself; the line is coin flips. Intervals: {first.inference}.",
        tables=(Table(caption=f"S and its parts by {by}", header=header, cells=cells, digits=2),),
        results=tuple(found.values()),
    )


def family_block(
    found: Mapping[str, Result], rows: Sequence[Row], family: str, words: tuple[str, str], by: str, reference: str,
    level: float, *, xlabel: str, digits: int = 2, more: Sequence[Table] = (), **shown: Any,
) -> Block:  # fmt: skip
    """Return the differences of one number from the reference, one a level, adjusted as one family.

    Parameters
    ----------
    found : mapping of level to Result
    rows : sequence of Row
        The difference of each level.
    family : str
        Its name, such as ``differences in S``.
    words : (str, str)
        For `told`.
    by, reference : str
        The by factor and its level that the others are compared with.
    level : float
    xlabel : str
    digits : int
    more : sequence of Table
        After the table of the differences.
    **shown
        Other fields of the block.
    """
    tested, adjusted = with_holm(rows, family)
    own = tuple(result.sentence() for result in found.values())  # right where no p-value is adjusted
    return Block(
        sentences=told(tested, reference, words, level, digits=digits) if adjusted else own,
        draw=partial(forest, tested, xlabel=f"{xlabel} minus that of {shorten(reference, 30)}", label=by,
                     digits=digits),
        tables=(rows_table(tested, f"D{family[1:]}", term=by), *more),
        results=(*found.values(), *(() if adjusted is None else (adjusted,))),
        **shown,
    )  # fmt: skip


def differences_block(found: Mapping[str, Result], by: str, reference: str, options: StudyOptions) -> Block | None:
    """Return the differences in S from the reference, adjusted as one family."""
    if not found:
        return None
    rule = options.covariate
    return family_block(
        found, differences_of_s(found), "differences in S",
        (f"closer to following {rule} than", f"farther from following {rule} than"), by, reference, options.level,
        xlabel="S",
        id="differences-s",
        question=f"Which differ from '{shorten(reference, 40)}' on the same pairs?",
        figure_title=f"Differences in S from {shorten(reference, 40)}",
        caption=f"Corrected for noise; negative: closer to following {rule}. Intervals: "
        f"{next(iter(found.values())).inference}.",
    )  # fmt: skip


def entropy_block(found: Mapping[str, Result], by: str, reference: str, level: float = 0.95) -> Block | None:
    """Return the differences in how undecided the choices are."""
    if not found:
        return None
    sizes = "Sizes of the differences in entropy, d_z over pairs of items"
    return family_block(
        found, leads(found, "H", "difference"), "differences in entropy",
        ("less undecided than", "more undecided than"), by, reference, level,
        xlabel="entropy (bits)", digits=3, more=[rows_table(leads(found, "d_z", "difference"), sizes, term=by)],
        id="differences-entropy",
        question="Which are more undecided?",
        figure_title=f"Differences in choice entropy from {shorten(reference, 40)}",
        caption=f"Paired by pairs of items: {next(iter(found.values())).inference}.",
    )  # fmt: skip


def effects_block(numbers: Numbers, by: str, options: StudyOptions) -> Block | None:
    """Return the effects beside the strengths, of every level and their differences from the reference."""
    effects = {name: [row for row in fit.rows if row.group in ("covariate", "order")]
               for name, fit in numbers.fits.items()}  # fmt: skip
    if not numbers.fits:
        return None
    first = next(iter(numbers.fits.values()))
    terms = [row.term for row in effects[next(iter(effects))]]
    if not terms:
        return None
    lead = options.covariate if options.covariate in terms else terms[0]
    own = tuple(
        replace(row, term=name, group=None) for name, rows in effects.items() for row in rows if row.term == lead
    )
    changes = [
        replace(r, term=f"{name}: {r.term}", group=None)
        for name, result in numbers.models.items() for r in result.rows if r.group == "effect"
    ]  # fmt: skip
    tested, adjusted = with_holm(changes, "differences of effects")
    tables = [effects_table(numbers, {k: [r for r in v if r.term in terms] for k, v in effects.items()}, by)]
    if tested:
        tables.append(rows_table(tested, f"Effects minus those of {shorten(numbers.reference, 40)}", term=by))
    said = [f"What one step of {lead} adds to the log-odds of being chosen {span_text(own)}."]
    if numbers.beside:
        tables.append(fits_table(numbers.beside))
        said.append(changes_sentence(numbers.beside))
    return Block(
        id="levels-effects",
        question=f"How much does {lead} weigh in each?",
        sentences=tuple(said),
        draw=partial(forest, own, xlabel=f"log-odds of one step of {lead}", label=by),
        figure_title=f"Effect of one step of {lead} by {by}",
        caption=f"Each from a model of its own ({first.inference}).",
        tables=tuple(tables),
        results=() if adjusted is None else (adjusted,),
    )


def effects_table(numbers: Numbers, effects: Mapping[str, Sequence[Row]], by: str) -> Table:
    """Return the effects of every level, the leading one in sds of the strengths, and how often the higher side won."""
    cells: list[tuple[str | float | None, ...]] = []
    for name, own in effects.items():
        level, rows = numbers.levels[name], list(own)
        rows += [] if level.ratio is None else level.ratio.rows[:1]
        if level.rates is not None:
            won = f"the side with more {level.rates.settings['covariate']} wins"
            rows.append(replace(level.rates.row("all", group="higher"), term=won))
        cells += [(name, row.term, row.estimate, row.std_error, row.conf_low, row.conf_high) for row in rows]
    return Table(
        caption=f"Effects in log-odds by {by}, in sds of the strengths, and win rates", cells=tuple(cells),
        header=(by, "Effect", "Estimate", "SE", "Low", "High"),
    )  # fmt: skip


def shares_block(models: Mapping[str, Result], reference: str, groupings: Groupings) -> Block | None:
    """Return the differences in preference shares of groups of items (P_d, P_g), and how many items each group has."""
    rows = labelled(models, "share")
    if not rows:
        return None
    tested, adjusted = with_holm(rows, "differences of shares")
    return Block(
        id="differences-shares",
        question="Do the preferences between groups differ?",
        sentences=(settled_sentence(tested, "share", reference),),
        draw=partial(forest, tested[:60], xlabel="difference of shares (P)", digits=3, sort=False),
        figure_title=f"Preference shares minus those of {shorten(reference, 40)}",
        caption="Share: mean worth of a group over the sum of the group means. Intervals from refits on the same "
        f"resampled pairs. {'; '.join(f'{name}: {sizes_text(groups)}' for name, groups in groupings.items())}.",
        tables=(rows_table(tested, "Differences of shares", term="Share"),),
        results=() if adjusted is None else (adjusted,),
    )


def strengths_block(fits: Fits, models: Mapping[str, Result], reference: str, lost: Mapping[str, str]) -> Block:
    """Return the strengths of every level side by side, and the differences that stand out.

    `lost`: why levels have none.
    """
    without = tuple(f"{shorten(name, 40)} has no strengths: {why}." for name, why in lost.items())
    if not fits:
        return Block(id="levels-strengths", question="Which items are preferred more by one than by another?",
                     sentences=without)  # fmt: skip
    first = fits[reference].strengths if reference in fits else {}
    items = sorted(dict.fromkeys(item for fit in fits.values() for item in fit.strengths),
                   key=lambda item: -first.get(item, float("-inf")))  # fmt: skip
    strengths = {name: {r.term: r for r in fit.rows if r.group == "strength"} for name, fit in fits.items()}
    worths = {name: {r.term: r for r in fit.worth().rows} for name, fit in fits.items()}
    tables = [
        beside("Log-strengths (0 = average item), with intervals", ("Item",), strengths, items, 2),
        beside("RPI: worths that sum to 1 (tested as log-strengths), with intervals", ("Item",), worths, items, 4),
    ]
    tested, _ = with_holm(labelled(models, "strength"), "differences of strengths")
    if tested:
        tables.append(strength_differences(models, tested))
    order = tuple(clearest(tested)[:MOST_SHOWN])
    return Block(
        id="levels-strengths",
        question="Which items are preferred more by one than by another?",
        sentences=(settled_sentence(tested, "strength", reference), *without),
        draw=partial(forest, order, xlabel=f"log-strength minus that of {shorten(reference, 30)}", sort=False)
        if order else None,
        figure_title="Differences of strengths with the largest test statistics",
        caption=f"The {count(len(order))} largest of {count(len(tested))}; all are in the table. Joint refits.",
        tables=tuple(tables),
        results=tuple(models.values()),
    )  # fmt: skip


def strength_differences(models: Mapping[str, Result], rows: Sequence[Row]) -> Table:
    """Return the differences of strengths in a narrow table; of many levels, with a column each."""
    tests = f"Holm over {count(len(rows), 'test')}"
    if len(models) >= MANY:
        return side_by_side(models, "strength", rows, f"Differences of strengths; in brackets p ({tests})", 2)
    return table_of(rows, f"Differences of strengths; {tests}", ("Item", "term"), TESTED, 2)


def settled_sentence(rows: Sequence[Row], what: str, reference: str) -> str:
    """State how many differences are significant after adjustment, and name the clearest."""
    if not rows:
        return f"No difference of a {what} could be tested."
    level = next((r.conf_level for r in rows if r.conf_level is not None), None) or 0.95
    found = settled(rows, level)
    text = f"{count(len(found)) if found else 'None'} of {count(len(rows), 'difference')} of a {what} from "
    text += f"'{shorten(reference, 40)}' {'is' if len(found) < 2 else 'are'} significant (Holm over all)"
    if not found:
        return f"{text}; {inconclusive('there is any')}."
    top = clearest(found)[:3]
    return f"{text}, most clearly {quoted([r.term for r in top])} ({numbers_text(top[0], digits=3)}" + (
        " for the first)." if len(top) > 1 else ").")  # fmt: skip


def told(
    rows: Sequence[Row], reference: str, words: tuple[str, str], level: float, *, digits: int = 2
) -> tuple[str, ...]:
    """State which levels lie below the reference, above it, and for which that is inconclusive after adjustment.

    Examples
    --------
    >>> rows = [Row(term=name, estimate=x, conf_low=x - 1, conf_high=x + 1, p_value=p, p_adjusted=p)
    ...         for name, x, p in (("m1", -3.0, 0.002), ("m2", 0.4, 0.4))]
    >>> for text in told(rows, "base", ("lower than", "higher than"), 0.95):
    ...     print(text)
    m1: lower than 'base' (−3.00, 95% CI [−4.00, −2.00], adjusted p = .002).
    Inconclusive: m2 (0.40, 95% CI [−0.60, 1.40], adjusted p = .400).
    """
    found: list[str] = []
    left: list[str] = []
    for row in rows:
        p = final_p(row)
        numbers = numbers_text(row, digits=digits) + ("" if p is None else f", adjusted {p_value(p)}")
        if p is None or p >= 1 - level:
            left.append(f"{shorten(row.term, 40)} ({numbers})")
        else:
            word = words[(row.estimate or 0.0) > 0]
            found.append(f"{shorten(row.term, 40)}: {word} '{shorten(reference, 40)}' ({numbers}).")
    return (*found, *([f"Inconclusive: {'; '.join(left)}."] if left else []))
