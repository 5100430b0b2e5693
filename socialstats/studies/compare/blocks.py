"""Blocks and tables that compare items and levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from socialstats.choices.bradley_terry import BradleyTerryResult
from socialstats.choices.bradley_terry.model import ORDER
from socialstats.choices.preference_shares import preference_shares
from socialstats.choices.sensitivity import reference_values
from socialstats.errors import SocialStatsError
from socialstats.figures import forest
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, Row
from socialstats.results.rows import share_decimals
from socialstats.sentences import (
    difference,
    estimate_text,
    is_significant,
    no_number,
    some_of,
    stat,
)
from socialstats.studies.compare.numbers import Numbers
from socialstats.studies.comparisons import (
    changes_sentence,
    fits_table,
    order_results,
    sizes_text,
    turned_by_order,
)
from socialstats.studies.estimates import (
    SCALED_FIELDS,
    beside,
    ends,
    extremes,
    field_of,
    p_text,
    rows_table,
    table_of,
)
from socialstats.studies.page import Block, PageTable, StudyOptions
from socialstats.text import capital, count, listing, number, percent_of, shorten

Fits = Mapping[str, BradleyTerryResult]
Groupings = Mapping[str, Mapping[str, object]]
TESTED: dict[str, Any] = {
    "Difference": "estimate",
    "Low": "conf_low",
    "High": "conf_high",
    "p": lambda r: p_text(r.p_value),
    "p (Holm)": lambda r: p_text(r.p_adjusted),
}
MOST_ITEMS, SIDE_BY_SIDE = 15, 12
SHARE = (0.0, 1.0)  # limits of a share
MANY = 4  # levels compared from which differences stand side by side
MOST_SHOWN = 15  # differences of strengths drawn; the table has all


def clearest(rows: Sequence[Row]) -> list[Row]:
    """Return rows with the largest test statistic first."""
    return sorted(rows, key=lambda row: -abs(row.statistic or 0.0))


def leads(found: Mapping[str, Result], term: str, group: str | None = None) -> list[Row]:
    """Return one row of the result of each level, named after the level."""
    rows = ((name, result.row(term, group=group)) for name, result in found.items())
    return list(
        share_decimals(
            tuple(replace(row, term=name, group=None, places=None) for name, row in rows)
        )
    )


def differences_of_s(found: Mapping[str, Result]) -> list[Row]:
    """Return the differences in S by level: of the corrected S, or of the plug-in S where a level has no other."""
    corrected = leads(found, "S_corrected", "difference")
    return (
        corrected
        if all(row.estimate is not None for row in corrected)
        else leads(found, "S", "difference")
    )


def suffix_of(found: Mapping[str, Result]) -> str:
    """Return the suffix of the terms of S that all levels have: corrected, or none."""
    return (
        "_corrected"
        if all(r.row("S_corrected").estimate is not None for r in found.values())
        else ""
    )


def labelled(found: Mapping[str, Result], group: str) -> list[Row]:
    """Return the rows of a group of all levels, each with its level in its name where there are several."""
    several = len(found) > 1
    return [
        replace(row, term=f"{shorten(name, 30)}: {row.term}" if several else row.term, group=None)
        for name, result in found.items()
        for row in result.rows
        if row.group == group
    ]


def items_block(found: Mapping[str, Result], by: str, reference: str, level: float) -> Block | None:
    """Return how often each item is chosen against the reference, adjusted over all items and levels."""
    if not found:
        return None
    tested, _ = adjust_family_by_holm(labelled(found, "item"), "items chosen")
    clear = tuple(clearest([row for row in tested if row.p_value is not None])[:MOST_ITEMS])
    first, name = next(iter(found.values())), shorten(reference, 40)
    title = f"Differences from {name} in the share of stories in which an item is chosen"
    return Block(
        id="differences-items",
        question="Which items were chosen more often on the same stories?",
        sentences=(some_words(tested, "differences in the share chosen", reference),),
        draw=partial(
            forest, clear, xlabel=f"share chosen minus that of {shorten(reference, 30)}", sort=False
        )
        if clear
        else None,
        figure_title=title,
        caption=f"Points: the {count(len(clear))} with the largest test statistics; unadjusted "
        f"{percent_of(level)} CIs; n = {count(first.counts['stories'], 'story', 'stories')} of both"
        + (f", without {count(first.counts['ties'], 'tie')}" if first.counts["ties"] else "")
        + ".",
        tables=(changes_table(found, tested, by),),
        results=tuple(found.values()),
    )


def changes_table(found: Mapping[str, Result], tested: Sequence[Row], by: str) -> PageTable:
    """Return all numbers of one level; of several, one column per level with difference and adjusted p."""
    if 1 < len(found) <= SIDE_BY_SIDE:
        caption = "Share of stories in which an item is chosen, minus the reference's; in brackets p (Holm over "
        return side_by_side(found, "item", tested, f"{caption}{count(len(tested), 'test')})")
    discordant = [row.method for result in found.values() for row in result.rows]
    counts = {id(row): said or "" for row, said in zip(tested, discordant, strict=True)}
    more: dict[str, Any] = {
        "Stories": lambda r: int(r.n or 0),
        "Discordant": lambda r: counts[id(r)],
        "Why not": "undefined",
    }
    return table_of(
        tested,
        f"Share of stories in which an item is chosen, by {by}",
        ("Item", "term"),
        TESTED | more,
    )


def side_by_side(
    found: Mapping[str, Result], group: str, tested: Sequence[Row], caption: str
) -> PageTable:
    """Return differences of items with one column per level; their intervals are in the embedded JSON."""
    parts = iter(tested)
    columns = {
        name: {row.term: next(parts) for row in r.rows if row.group == group}
        for name, r in found.items()
    }
    items = sorted({item for column in columns.values() for item in column})
    cells = tuple(
        (item, *(in_cell(column.get(item)) for column in columns.values())) for item in items
    )
    return PageTable(caption=caption, header=("Item", *found), cells=cells, rows=tuple(tested))


def in_cell(row: Row | None) -> str:
    """Return a difference and its adjusted p, or ``none``.

    Examples
    --------
    >>> in_cell(Row(term="nun", estimate=-0.031, p_value=0.01, p_adjusted=0.21))
    '\u22120.03 (.210)'
    """
    if row is None or row.estimate is None:
        return "none"
    p = row.p_value if row.p_adjusted is None else row.p_adjusted
    return number(row.shown()) + (f" ({p_text(p)})" if p is not None else "")


def level_shares(fits: Fits, groups: Mapping[str, object], level: float) -> dict[str, Result]:
    """Return each level's shares of the groups with delta-method intervals; a level without them is left out."""
    found = {}
    by_item = {item: str(group) for item, group in groups.items()}
    for name, fit in fits.items():
        known = {item: group for item, group in by_item.items() if item in fit.strengths}
        try:
            found[name] = preference_shares(
                fit, known, ci="delta", ungrouped="leave_out", level=level
            )
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
    results = tuple(
        replace(result, title=f"{shorten(label, 40)}: shares by {name}")
        for label, result in found.items()
    )
    return Block(
        id="levels-shares",
        question=f"Which groups of items did each {shorten(by, 40)} prefer?",
        sentences=tuple(ends_sentence(label, result) for label, result in found.items()),
        tables=tuple(shares_table(name, found, by) for name, found in by_name.items()),
        caption=f"Share: mean worth of a group over the sum of the group means, from separate fits; unadjusted "
        f"{percent_of(level)} CIs (delta method). Shares hold for these items: {sizes_text(groupings[name])}.",
        results=results,
    )


def ends_sentence(label: str, result: Result) -> str:
    """Return which group a level preferred most and which least."""
    rows = [row for row in result.rows if row.group == "arithmetic" and row.estimate is not None]
    most, least = (pick(rows, key=lambda row: row.estimate or 0.0) for pick in (max, min))
    told = [
        f"({estimate_text(replace(row, limits=SHARE), kind='unadjusted')})" for row in (most, least)
    ]
    return (
        f"For {shorten(label, 40)}, {shorten(most.term, 30)} had the largest share {told[0]} and "
        f"{shorten(least.term, 30)} the smallest {told[1]}."
    )


def shares_table(name: str, found: Mapping[str, Result], by: str) -> PageTable:
    """Return the shares of one grouping with one column per level."""
    rows = {
        label: {(row.term, row.group): row for row in result.rows}
        for label, result in found.items()
    }
    kind = name.replace("_", " ")
    return beside(
        f"Preference shares by {kind} and {by}, with intervals",
        (kind.capitalize(), "Mean"),
        rows,
        list(dict.fromkeys(key for part in rows.values() for key in part)),
    )


def sensitivity_block(found: Mapping[str, Result], by: str, options: StudyOptions) -> Block | None:
    """Return S of every level, corrected for sampling error where all levels have that, beside reference choosers."""
    if not found:
        return None
    end, first = suffix_of(found), next(iter(found.values()))
    name = f"{'corrected' if end else 'plug-in'} sensitivity S"
    rows, reference = tuple(leads(found, f"S{end}")), reference_values(first)
    lines = listing([f"{x.label} {number(x.value)}" for x in reference[:3]])
    parts = [f"{part}{end}" for part in ("S_higher", "S_equal", "S_lower")]
    cells = tuple(
        (level, *ends(row), *(r.row(term).shown() for term in (*parts, "S")))
        for row, (level, r) in zip(rows, found.items(), strict=True)
    )
    header = (
        by,
        "S",
        "Low",
        "High",
        "Part of higher",
        "Part of equal",
        "Part of lower",
        "Plug-in S",
    )
    title = f"{capital(name)} by {shorten(by, 40)}"
    return Block(
        id="levels-s",
        question=f"How far was each {shorten(by, 40)} from following {options.covariate} alone?",
        sentences=(range_words(f"The {name}", rows), f"Reference values of S: {lines}."),
        draw=partial(forest, rows, reference=reference[1].value, xlabel="S", label=by),
        figure_title=title,
        caption=f"Points: separate estimates; unadjusted {percent_of(options.level)} CIs "
        f"({first.inference}); line: {reference[1].label}.",
        tables=(
            PageTable(caption=f"{title}, with its parts", header=header, cells=cells),
            PageTable(
                caption="S of reference choosers on these pairs",
                header=("Chooser", "S"),
                cells=tuple((x.label, x.value) for x in reference[:3]),
            ),
        ),
        results=tuple(found.values()),
    )


def family_block(
    found: Mapping[str, Result],
    rows: Sequence[Row],
    family: str,
    quantity: str,
    by: str,
    reference: str,
    *,
    xlabel: str,
    more: Sequence[PageTable] = (),
    **shown: Any,
) -> Block:
    """Return the differences of one number from the reference, one per level, adjusted as one family.

    Parameters
    ----------
    found : mapping of level to Result
    rows : sequence of Row
        The difference of each level.
    family : str
        Its name, such as ``differences in S``.
    quantity : str
        What differs, for the sentences.
    by, reference : str
        The by factor and its level that the others are compared with.
    xlabel : str
    more : sequence of Table
        After the table of the differences.
    **shown
        Other fields of the block.
    """
    tested, adjusted = adjust_family_by_holm(rows, family)
    return Block(
        sentences=told(tested, reference, quantity),
        draw=partial(
            forest, tested, xlabel=f"{xlabel} minus that of {shorten(reference, 30)}", label=by
        ),
        tables=(rows_table(tested, f"D{family[1:]}", term=by), *more),
        results=(*found.values(), *(() if adjusted is None else (adjusted,))),
        **shown,
    )


def differences_block(
    found: Mapping[str, Result], by: str, reference: str, options: StudyOptions
) -> Block | None:
    """Return the differences in S from the reference, adjusted as one family."""
    if not found:
        return None
    rows, ref = differences_of_s(found), shorten(reference, 40)
    name = f"{'corrected' if rows[0].label('kind') == 'corrected' else 'plug-in'} sensitivity S"
    title = f"Differences in {name} from {ref}"
    return family_block(
        found,
        rows,
        "differences in S",
        name,
        by,
        reference,
        xlabel="S",
        id="differences-s",
        question=f"Which differed from {ref} on the same pairs?",
        figure_title=title,
        caption=f"Below 0: closer to following {options.covariate}; unadjusted {percent_of(options.level)} "
        f"CIs ({next(iter(found.values())).inference}).",
    )


def entropy_block(
    found: Mapping[str, Result], by: str, reference: str, level: float = 0.95
) -> Block | None:
    """Return the differences in how undecided the choices are."""
    if not found:
        return None
    sizes, ref = (
        "Sizes of the differences in entropy, d_z over pairs of items",
        shorten(reference, 40),
    )
    title = f"Differences in choice entropy from {ref}"
    return family_block(
        found,
        leads(found, "H", "difference"),
        "differences in entropy",
        "choice entropy (bits)",
        by,
        reference,
        xlabel="entropy (bits)",
        more=[rows_table(leads(found, "d_z", "difference"), sizes, term=by)],
        id="differences-entropy",
        question=f"Which differed from {ref} in choice entropy?",
        figure_title=title,
        caption=f"Above 0: less consistent choices; unadjusted {percent_of(level)} CIs "
        f"({next(iter(found.values())).inference}).",
        part="appendix",
    )


def effects_block(numbers: Numbers, by: str, options: StudyOptions) -> Block | None:
    """Return the effects beside the strengths, of every level and their differences from the reference."""
    effects = {
        name: [row for row in fit.rows if row.group in ("covariate", "order")]
        for name, fit in numbers.fits.items()
    }
    if not numbers.fits:
        return None
    first = next(iter(numbers.fits.values()))
    terms = [row.term for row in effects[next(iter(effects))]]
    if not terms:
        return None
    lead = options.covariate if options.covariate in terms else terms[0]
    own = tuple(
        replace(row, term=name, group=None)
        for name, rows in effects.items()
        for row in rows
        if row.term == lead
    )
    changes = [
        replace(r, term=f"{name}: {r.term}", group=None)
        for name, result in numbers.models.items()
        for r in result.rows
        if r.group == "effect"
    ]
    tested, adjusted = adjust_family_by_holm(changes, "differences of effects")
    tables = [
        effects_table(
            numbers, {k: [r for r in v if r.term in terms] for k, v in effects.items()}, by
        )
    ]
    if tested:
        tables.append(
            rows_table(tested, f"Effects minus those of {shorten(numbers.reference, 40)}", term=by)
        )
    step = "being shown first" if lead == ORDER else f"one step of {lead}"
    title = f"Effect of {step} by {shorten(by, 40)}"
    said = [range_words(f"The effect of {step} on the log-odds of being chosen", own)]
    if numbers.beside:
        tables.append(fits_table(numbers.beside))
        said.append(changes_sentence(numbers.beside))
    return Block(
        id="levels-effects",
        question=f"How large was the effect of {lead} in each {shorten(by, 40)}?",
        sentences=tuple(said),
        draw=partial(forest, own, xlabel=f"log-odds of {step}", label=by),
        figure_title=title,
        caption=f"Points: log-odds from separate fits, adjusted for item strength; unadjusted "
        f"{percent_of(options.level)} CIs; {first.inference}.",
        tables=tuple(tables),
        results=(*(() if adjusted is None else (adjusted,)), *order_results(numbers.beside)),
        turned=turned_by_order(numbers.beside),
    )


def effects_table(numbers: Numbers, effects: Mapping[str, Sequence[Row]], by: str) -> PageTable:
    """Return the effects of every level, the leading one in SDs of the strengths, and the share of the higher side."""
    cells: list[tuple[str | float | None, ...]] = []
    for name, own in effects.items():
        level, rows = numbers.levels[name], list(own)
        rows += [] if level.ratio is None else level.ratio.rows[:1]
        if level.rates is not None:
            won = f"share won by the side with higher {level.rates.settings['covariate']}"
            rows.append(replace(level.rates.row("all", group="higher"), term=won))
        cells += [(name, row.term, *(field_of(x)(row) for x in SCALED_FIELDS)) for row in rows]
    return PageTable(
        caption=f"Effects in log-odds by {by}, in SDs of the strengths, and shares won",
        cells=tuple(cells),
        header=(by, "Effect", "Estimate", "SE", "Low", "High"),
    )


def clustered(models: Mapping[str, Result]) -> str:
    """Return the errors of differences in words, with the number of clusters where all levels have the same."""
    said = {result.inference for result in models.values()}
    return said.pop() if len(said) == 1 else "CR2; clusters as declared, else pairs of items"


def shares_block(
    models: Mapping[str, Result], reference: str, groupings: Groupings
) -> Block | None:
    """Return the differences in preference shares of groups of items (P_d, P_g), and how many items each group has."""
    rows = labelled(models, "share")
    if not rows:
        return None
    tested, adjusted = adjust_family_by_holm(rows, "differences of shares")
    title = f"Differences in preference shares from {shorten(reference, 40)}"
    sizes = "; ".join(sizes_text(groups) for groups in groupings.values())
    return Block(
        id="differences-shares",
        question="Did the preferences between groups of items differ?",
        sentences=(some_words(tested, "differences in preference shares", reference),),
        draw=partial(forest, tested[:60], xlabel="difference of shares (P)", sort=False),
        figure_title=title,
        caption=f"Points: differences; unadjusted CIs ({clustered(models)}). Shares hold for these items: {sizes}.",
        tables=(rows_table(tested, "Differences of shares", term="Share"),),
        results=() if adjusted is None else (adjusted,),
    )


def strengths_block(
    fits: Fits, models: Mapping[str, Result], reference: str, lost: Mapping[str, str], why: str = ""
) -> Block:
    """Return the strengths of every level side by side, and their largest differences.

    `lost`: why levels have none; `why`: why no difference was tested.
    """
    without = tuple(
        no_number(f"the strengths of {shorten(name, 40)}", why, plural=True)
        for name, why in lost.items()
    )
    if not fits:
        return Block(
            id="levels-strengths", question="Which items differed in strength?", sentences=without
        )
    first = fits[reference].strengths if reference in fits else {}
    items = sorted(
        dict.fromkeys(item for fit in fits.values() for item in fit.strengths),
        key=lambda item: -first.get(item, float("-inf")),
    )
    strengths = {
        name: {r.term: r for r in fit.rows if r.group == "strength"} for name, fit in fits.items()
    }
    worths = {name: {r.term: r for r in fit.worth().rows} for name, fit in fits.items()}
    tables = [
        beside("Log-strengths (0 = average item), with intervals", ("Item",), strengths, items),
        beside(
            "RPI: worths that sum to 1 (tested as log-strengths), with intervals",
            ("Item",),
            worths,
            items,
        ),
    ]
    tested, _ = adjust_family_by_holm(labelled(models, "strength"), "differences of strengths")
    if tested:
        tables.append(strength_differences(models, tested))
    said = "Differences in strength were not tested on this page."  # a page with many levels
    if tested or why:
        said = some_words(tested, "differences in strength", reference, why)
    order, title = (
        tuple(clearest(tested)[:MOST_SHOWN]),
        f"Differences in log-strength from {shorten(reference, 40)}",
    )
    return Block(
        id="levels-strengths",
        question="Which items differed in strength?",
        sentences=(said, *without),
        draw=partial(
            forest, order, xlabel=f"log-strength minus that of {shorten(reference, 30)}", sort=False
        )
        if order
        else None,
        figure_title=title,
        caption=f"Points: the {count(len(order))} of {count(len(tested))} with the largest test statistics; "
        f"unadjusted CIs ({clustered(models)})."
        if order
        else "",
        tables=tuple(tables),
        results=tuple(models.values()),
    )


def strength_differences(models: Mapping[str, Result], rows: Sequence[Row]) -> PageTable:
    """Return the differences of strengths in a narrow table; of many levels, with one column per level."""
    tests = f"Holm over {count(len(rows), 'test')}"
    if len(models) >= MANY:
        return side_by_side(
            models, "strength", rows, f"Differences of strengths; in brackets p ({tests})"
        )
    return table_of(rows, f"Differences of strengths; {tests}", ("Item", "term"), TESTED)


def some_words(rows: Sequence[Row], what: str, reference: str, why: str = "") -> str:
    """Return how many differences from the reference were significant, and the one with the largest statistic.

    `why`: the reason where no row has one.
    """
    tested = [row for row in rows if row.p_value is not None]
    if not tested:
        reason = next((row.undefined for row in rows if row.undefined), why)
        if not reason:
            return f"{capital(what)} from {shorten(reference, 40)} were not tested."
        return no_number(f"tests of {what} from {shorten(reference, 40)}", reason, plural=True)
    clear = clearest([row for row in tested if is_significant(row)])
    text = some_of(len(clear), len(tested), f"{what} from {shorten(reference, 40)}")
    return (
        f"{text} The largest was {shorten(clear[0].term, 60)} ({stat(clear[0])})."
        if clear
        else text
    )


def range_words(quantity: str, rows: Sequence[Row]) -> str:
    """Return where estimates of several levels ranged, each end with its interval.

    Examples
    --------
    >>> rows = [Row(term=t, estimate=x) for t, x in (("m1", 0.29), ("m2", 0.31))]
    >>> range_words("The mean", rows)
    'The mean ranged from 0.29 (m1) to 0.31 (m2).'
    """
    found = extremes(rows)
    if not found:
        return no_number(
            quantity, next((row.undefined for row in rows if row.undefined), "no estimate")
        )
    known = [row for row in rows if row.estimate is not None]
    if len({number(row.shown()) for row in known}) == 1 and len(known) > 1:
        return f"{quantity} was {number(known[0].shown())} in all {count(len(known))}."
    said = [f"{estimate_text(row)} ({shorten(row.term, 40)})" for row in found]
    return (
        f"{quantity} ranged from {said[0]} to {said[1]}."
        if len(known) > 1
        else f"{quantity} was {said[0]}."
    )


def told(rows: Sequence[Row], reference: str, quantity: str) -> tuple[str, ...]:
    """Return for each level how a quantity differed from the reference; nonsignificant levels in one sentence.

    Examples
    --------
    >>> rows = [Row(term=name, estimate=x, conf_low=x - 1, conf_high=x + 1, p_value=p, p_adjusted=p)
    ...         for name, x, p in (("m1", -3.0, 0.002), ("m2", 0.4, 0.4), ("m3", 0.5, 0.6))]
    >>> for text in told(rows, "base", "score"):
    ...     print(text)
    The score was lower for m1 than base (difference = −3.00, 95% CI [−4.00, −2.00], p_Holm = .002).
    The score did not differ significantly from base for m2 and m3.
    """
    ref = shorten(reference, 40)
    tested = [row for row in rows if row.p_value is not None]
    left = [row for row in tested if not is_significant(row)]
    found = [
        difference(f"the {quantity}", shorten(row.term, 40), ref, row)
        for row in rows
        if row not in left or len(tested) == 1
    ]
    if left and len(tested) > 1:
        names = listing([shorten(row.term, 40) for row in left])
        found.append(f"The {quantity} did not differ significantly from {ref} for {names}.")
    return tuple(found)
