"""Blocks of the compare study: every level beside the others, and its difference from the reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from socialstats.figures import forest
from socialstats.metrics.bradley_terry import BradleyTerryResult
from socialstats.results import Result, Row
from socialstats.studies.base import StudyOptions
from socialstats.studies.compare_items import in_cell
from socialstats.studies.compare_levels import effects_table, strength_tables
from socialstats.studies.comparisons import sizes_text
from socialstats.studies.estimates import numbers_text, p_text, rows_table, span_text, with_holm
from socialstats.studies.order_effect import Pairs, changes_sentence, fits_table
from socialstats.studies.outcome import Block, Mark, Strip, Table
from socialstats.text import count, number, p_value, quoted, shorten

MANY = 4  # levels compared from which differences stand side by side
MOST_SHOWN = 15  # differences of strengths drawn; the table has all


def strip_of(found: Mapping[str, Result]) -> Strip | None:
    """Return S of every level beside choosers of known kinds; None without S."""
    if not found:
        return None
    marks = [
        Mark(label=shorten(name, 30), value=row.estimate, low=row.conf_low, high=row.conf_high)
        for name, result in found.items() for row in (result.row("S"),)
    ]  # fmt: skip
    first = next(iter(found.values()))
    marks += [Mark(label=x.label, value=x.value, kind="reference") for x in first.extras["reference_lines"][:4]]
    return Strip(title="Sensitivity S of every level", axis="S (0 = follows the rule alone)", marks=tuple(marks),
                 digits=1)  # fmt: skip


def sensitivity_block(found: Mapping[str, Result], by: str, options: StudyOptions) -> Block | None:
    """Return S of every level by itself."""
    if not found:
        return None
    rows = tuple(replace(r.row("S"), term=name, group=None) for name, r in found.items())
    first = next(iter(found.values()))
    lines = ", ".join(f"{number(x.value, 1)} = {x.label}" for x in first.extras["reference_lines"][:3])
    cells = tuple(
        (name, *(r.row(t).estimate for t in ("S", "S_corrected", "S_higher", "S_equal", "S_lower")),
         r.row("S").conf_low, r.row("S").conf_high)
        for name, r in found.items()
    )  # fmt: skip
    header = (by, "S", "Noise off", "Part of higher", "Of equal", "Of lower", "Low", "High")
    return Block(
        id="levels-s",
        question=f"How far is each from following {options.covariate} alone?",
        sentences=(
            f"S {span_text(rows)}; {lines}.",
        ),
        draw=partial(forest, rows, reference=first.extras["reference_lines"][1].value, xlabel="S", label=by),
        figure_title=f"Sensitivity S by {by}",
        caption=f"Each by itself; the line is coin flips. Intervals: {first.inference}.",
        tables=(Table(caption=f"S and its parts by {by}", header=header, cells=cells, digits=2),),
        results=tuple(found.values()),
    )  # fmt: skip


def differences_block(found: Mapping[str, Result], by: str, reference: str, options: StudyOptions) -> Block | None:
    """Return the differences in S from the reference, adjusted as one family."""
    if not found:
        return None
    leads = []
    for name, result in found.items():
        row = result.row("S_corrected", group="difference")
        row = row if row.estimate is not None else result.row("S", group="difference")
        leads.append(replace(row, term=name, group=None))
    rows, adjusted = with_holm(leads, "differences in S")
    words = (f"closer to following {options.covariate} than", f"farther from following {options.covariate} than")
    return Block(
        id="differences-s",
        question=f"Which differ from '{shorten(reference, 40)}' on the same pairs?",
        sentences=told(rows, reference, words, options.level) if adjusted else one_sentence(found),
        draw=partial(forest, rows, xlabel=f"S minus that of {shorten(reference, 30)}", label=by),
        figure_title=f"Differences in S from {shorten(reference, 40)}",
        caption="Corrected for noise; negative: closer to following "
        f"{options.covariate}. Intervals: {next(iter(found.values())).inference}.",
        tables=(rows_table(rows, "Differences in S", term=by),),
        results=(*found.values(), *(() if adjusted is None else (adjusted,))),
    )  # fmt: skip


def effects_block(
    fits: Mapping[str, BradleyTerryResult], ratios: Mapping[str, Result | None], rates: Mapping[str, Result | None],
    models: Mapping[str, Result], beside: Pairs, by: str, reference: str, options: StudyOptions,
) -> Block | None:  # fmt: skip
    """Return the effects beside the strengths, of every level and their differences from the reference."""
    terms = [r.term for r in next(iter(fits.values())).rows if r.group in ("covariate", "order")]
    if not terms:
        return None
    lead = options.covariate if options.covariate in terms else terms[0]
    own = tuple(
        replace(row, term=name, group=None) for name, fit in fits.items() for row in fit.rows
        if row.term == lead and row.group in ("covariate", "order")
    )  # fmt: skip
    changes = [
        replace(r, term=f"{name}: {r.term}", group=None)
        for name, result in models.items() for r in result.rows if r.group == "effect"
    ]  # fmt: skip
    tested, adjusted = with_holm(changes, "differences of effects")
    tables = [effects_table(fits, terms, ratios, rates, by)]
    if tested:
        caption = f"Effects minus those of {shorten(reference, 40)}"
        tables.append(rows_table(tested, caption, term=by))
    tables += [fits_table(beside)] if beside else []
    return Block(
        id="levels-effects",
        question=f"How much does {lead} weigh in each?",
        sentences=(
            f"What one step of {lead} adds to the log-odds of being chosen {span_text(own)}.",
            *([changes_sentence(beside)] if beside else []),
        ),
        draw=partial(forest, own, xlabel=f"log-odds of one step of {lead}", label=by),
        figure_title=f"Effect of one step of {lead} by {by}",
        caption=f"Each from a model of its own ({next(iter(fits.values())).inference}).",
        tables=tuple(tables),
        results=() if adjusted is None else (adjusted,),
    )


def shares_block(
    models: Mapping[str, Result], reference: str, groupings: Mapping[str, Mapping[str, object]]
) -> Block | None:
    """Return the differences in preference shares of groups of items (P_d, P_g), and how many items each group has."""
    rows = _of(models, "share")
    if not rows:
        return None
    tested, adjusted = with_holm(rows, "differences of shares")
    return Block(
        id="differences-shares",
        question="Do the preferences between groups differ?",
        sentences=(_settled(tested, "share", reference),),
        draw=partial(forest, tested[:60], xlabel="difference of shares (P)", digits=3, sort=False),
        figure_title=f"Preference shares minus those of {shorten(reference, 40)}",
        caption="Share: mean worth of a group over the sum of the group means. Intervals from refits on the same "
        f"resampled pairs. {'; '.join(f'{name}: {sizes_text(groups)}' for name, groups in groupings.items())}.",
        tables=(rows_table(tested, "Differences of shares", term="Share"),),
        results=() if adjusted is None else (adjusted,),
    )


def strengths_block(fits: Mapping[str, BradleyTerryResult], models: Mapping[str, Result], reference: str) -> Block:
    """Return the strengths of every level side by side, and the differences that stand out."""
    items = list(dict.fromkeys(item for fit in fits.values() for item in fit.strengths))
    first = fits[reference].strengths
    items.sort(key=lambda item: -first.get(item, float("-inf")))
    tested, _ = with_holm(_of(models, "strength"), "differences of strengths")
    order = sorted(tested, key=lambda r: -abs(r.statistic or 0.0))[:MOST_SHOWN]
    tables = strength_tables(fits, items)
    if tested:
        tables.append(differences_table(tested) if len(models) < MANY else side_by_side(models, tested))
    return Block(
        id="levels-strengths",
        question="Which items are preferred more by one than by another?",
        sentences=(_settled(tested, "strength", reference),),
        draw=partial(forest, tuple(order), xlabel=f"log-strength minus that of {shorten(reference, 30)}", sort=False)
        if order else None,
        figure_title="Differences of strengths with the largest test statistics",
        caption=f"The {count(len(order))} largest of {count(len(tested))}; all are in the table. Joint refits.",
        tables=tuple(tables),
        results=tuple(models.values()),
    )  # fmt: skip


def side_by_side(models: Mapping[str, Result], rows: Sequence[Row]) -> Table:
    """Return the differences of strengths with a column a level; their intervals are in the embedded JSON."""
    parts = iter(rows)
    columns = {
        name: {row.term: next(parts) for row in result.rows if row.group == "strength"}
        for name, result in models.items()
    }
    items = sorted({item for column in columns.values() for item in column})
    return Table(
        caption=f"Differences of strengths; in brackets p (Holm over {count(len(rows), 'test')})",
        header=("Item", *models),
        cells=tuple((item, *(in_cell(column.get(item), 2) for column in columns.values())) for item in items),
    )


def differences_table(rows: Sequence[Row]) -> Table:
    """Return the differences of strengths in a narrow table."""
    cells = tuple((r.term, r.estimate, r.conf_low, r.conf_high, p_text(r.p_value), p_text(r.p_adjusted)) for r in rows)
    return Table(caption=f"Differences of strengths; Holm over {count(len(rows), 'test')}", cells=cells, digits=2,
                 header=("Item", "Difference", "Low", "High", "p", "p (Holm)"))  # fmt: skip


def _of(models: Mapping[str, Result], kind: str) -> list[Row]:
    several = len(models) > 1
    return [
        replace(r, term=f"{shorten(name, 30)}: {r.term}" if several else r.term, group=None)
        for name, result in models.items() for r in result.rows if r.group == kind
    ]  # fmt: skip


def _settled(rows: Sequence[Row], what: str, reference: str) -> str:
    """Say how many differences the adjusted tests settle, and name the clearest."""
    if not rows:
        return f"No difference of a {what} could be tested."
    level = next((r.conf_level for r in rows if r.conf_level is not None), None) or 0.95
    found = [r for r in rows if (r.p_adjusted if r.p_adjusted is not None else r.p_value or 1.0) < 1 - level]
    text = f"{count(len(found)) if found else 'None'} of {count(len(rows), 'difference')} of a {what} from "
    text += f"'{shorten(reference, 40)}' {'is' if len(found) < 2 else 'are'} settled (Holm over all)"
    if not found:
        return f"{text}: the data leave open whether there is any."
    top = sorted(found, key=lambda r: -abs(r.statistic or 0.0))[:3]
    return f"{text}, most clearly {quoted([r.term for r in top])} ({numbers_text(top[0], digits=3)}" + (
        " for the first)." if len(top) > 1 else ").")  # fmt: skip


def one_sentence(found: Mapping[str, Result]) -> tuple[str, ...]:
    """Return the sentences of the results themselves: right where no p-value is adjusted."""
    return tuple(result.sentence() for result in found.values())


def told(
    rows: Sequence[Row], reference: str, words: tuple[str, str], level: float, *, digits: int = 2
) -> tuple[str, ...]:
    """Say which levels lie below the reference, above it, and for which the adjusted tests leave it open.

    Examples
    --------
    >>> rows = [Row(term=name, estimate=x, conf_low=x - 1, conf_high=x + 1, p_value=p, p_adjusted=p)
    ...         for name, x, p in (("m1", -3.0, 0.002), ("m2", 0.4, 0.4))]
    >>> for text in told(rows, "base", ("lower than", "higher than"), 0.95):
    ...     print(text)
    m1: lower than 'base' (−3.00, 95% CI [−4.00, −2.00], adjusted p = .002).
    The data do not settle it for m2 (0.40, 95% CI [−0.60, 1.40], adjusted p = .400).
    """
    found: list[str] = []
    left: list[str] = []
    for row in rows:
        p = row.p_adjusted if row.p_adjusted is not None else row.p_value
        numbers = numbers_text(row, digits=digits) + ("" if p is None else f", adjusted {p_value(p)}")
        if p is None or p >= 1 - level:
            left.append(f"{shorten(row.term, 40)} ({numbers})")
        else:
            word = words[(row.estimate or 0.0) > 0]
            found.append(f"{shorten(row.term, 40)}: {word} '{shorten(reference, 40)}' ({numbers}).")
    return (*found, *([f"The data do not settle it for {'; '.join(left)}."] if left else []))


def entropy_block(found: Mapping[str, Result], by: str, reference: str, level: float = 0.95) -> Block | None:
    """Return the differences in how undecided the choices are."""
    if not found:
        return None
    rows = [replace(r.row("H", group="difference"), term=name, group=None) for name, r in found.items()]
    tested, adjusted = with_holm(rows, "differences in entropy")
    return Block(
        id="differences-entropy",
        question="Which are more undecided?",
        sentences=told(tested, reference, ("less undecided than", "more undecided than"), level, digits=3) if adjusted
        else one_sentence(found),
        draw=partial(forest, tested, xlabel=f"entropy (bits) minus that of {shorten(reference, 30)}", label=by,
                     digits=3),
        figure_title=f"Differences in choice entropy from {shorten(reference, 40)}",
        caption=f"Paired by pairs of items: {next(iter(found.values())).inference}.",
        tables=(
            rows_table(tested, "Differences in entropy", term=by),
            rows_table([replace(r.row("d_z", group="difference"), term=name, group=None) for name, r in found.items()],
                       "Sizes of the differences in entropy, d_z over pairs of items", term=by),
        ),
        results=(*found.values(), *(() if adjusted is None else (adjusted,))),
    )  # fmt: skip
