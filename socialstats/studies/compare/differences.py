"""Differences of levels (models, prompts) from one of them: one question, and one family of tests, for each number."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from socialstats import sentences
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, Row
from socialstats.results.rows import share_decimals
from socialstats.studies.asking import Part, ask_rows
from socialstats.studies.page import Block, PageTable, check_named
from socialstats.studies.row_figures import interval_points
from socialstats.studies.row_picking import rows_by
from socialstats.studies.row_sentences import largest_sentence, tally_sentence
from socialstats.studies.row_tables import grid_table, kind_tables
from socialstats.text import listing, shorten

# what a level is called that others are compared with, where no option names one
DEFAULTS = ("default", "baseline", "base", "none", "no persona", "original", "control", "neutral")


def reference_of(names: Sequence[str], named: str | None) -> str:
    """Return the level that the others are compared with: the one asked for, one called default, or the first."""
    check_named("reference", named, names, "level")
    if named is not None:
        return named
    defaults = [name for word in DEFAULTS for name in names if name.casefold().strip() == word]
    return (*defaults, *names)[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    """Differences from the reference in one kind of number, adjusted as one family.

    Attributes
    ----------
    name : str
        What differs: ``strength``.
    reference : str
    results : mapping of level to Result
    rows : tuple of Row
        Named by their level, and by the number where a level has several.
    adjusted : tuple of Result
        The adjustment.
    own : tuple of Row
        The numbers of each level by itself.
    dimension : str
        What the numbers are of.
    """

    name: str
    reference: str
    results: Mapping[str, Result]
    rows: tuple[Row, ...]
    adjusted: tuple[Result, ...]
    own: tuple[Row, ...] = ()
    dimension: str = "number"

    @property
    def single(self) -> bool:
        """Whether each level has one number."""
        return all(len(rows) == 1 for rows in rows_by(self.rows, "level").values())


def compare_levels(
    name: str,
    reference: str,
    results: Mapping[str, Result],
    pick: Callable[[Result], Sequence[Row]],
    own: Sequence[Row] = (),
    dimension: str = "number",
) -> Differences | None:
    """Return the differences of some rows of the result of each level; None where there are none.

    Parameters
    ----------
    name, reference : str
    results : mapping of level to Result
    pick : callable
        Result -> its rows of this kind.
    own : sequence of Row
        The numbers of each level by itself, which are printed beside the differences.
    dimension : str
        What the numbers are of: ``item``.
    """
    picked = {level: pick(result) for level, result in results.items()}
    single = all(len(rows) == 1 for rows in picked.values())
    labelled = [
        replace(
            row,
            term=level if single else f"{level}: {row.term}",
            group=None,
            places=None,
            key=(("level", level), ("minus", reference), (dimension, row.term)),
        )
        for level, rows in picked.items()
        for row in rows
    ]
    if not labelled:
        return None
    printed = share_decimals((*own, *labelled))
    rows, adjusted = adjust_family_by_holm(printed[len(own) :], f"differences in {name}")
    return Differences(
        name=name,
        reference=reference,
        results=results,
        rows=tuple(rows),
        adjusted=() if adjusted is None else (adjusted,),
        own=printed[: len(own)],
        dimension=dimension,
    )


def difference_sentences(differences: Differences) -> list[str]:
    """State how each level differed from the reference; of several numbers, how many differed, and the largest.

    Examples
    --------
    >>> rows = [Row(term=level, key=(("level", level),), estimate=x, conf_low=x - 1, conf_high=x + 1, p_value=p,
    ...             p_adjusted=p) for level, x, p in (("m1", -3.0, 0.002), ("m2", 0.4, 0.4), ("m3", 0.5, 0.6))]
    >>> found = Differences(name="score", reference="base", results={}, rows=tuple(rows), adjusted=())
    >>> for text in difference_sentences(found):
    ...     print(text)
    The score was lower for m1 than base (difference = −3.00, 95% CI [−4.00, −2.00], p_Holm = .002).
    The score did not differ significantly from base for m2 and m3.
    """
    name, reference = differences.name, shorten(differences.reference, 40)
    if not differences.single:
        text = tally_sentence(differences.rows, "difference", f" in {name} from {reference}")
        if not any(map(sentences.is_significant, differences.rows)):
            return [text]
        return [text, largest_sentence(differences.rows, ())]
    texts, unclear = [], []
    for row in differences.rows:
        level = shorten(row.label("level") or "", 40)
        if len(differences.rows) > 1 and row.p_value and not sentences.is_significant(row):
            unclear.append(level)
        else:
            texts.append(sentences.difference(f"the {name}", level, reference, row))
    if unclear:
        texts.append(
            f"The {name} did not differ significantly from {reference} for {listing(unclear)}."
        )
    return texts


def ask_differences(
    differences: Differences | None,
    id: str,
    question: str,
    *,
    note: str = "",
    part: Part = "main",
    results: Sequence[Result] = (),
    more: Sequence[PageTable] = (),
) -> Block | None:
    """Ask which levels differed from the reference; no question where there is no difference.

    Parameters
    ----------
    differences : Differences or None
    id, question, note, part
        As of `ask_rows`.
    results : sequence of Result
        Further results whose rows the block shows.
    more : sequence of PageTable
        Further tables, before that of the levels by themselves.
    """
    if differences is None:
        return None
    quantity = f"difference in {differences.name} from {shorten(differences.reference, 40)}"
    many = not differences.single and len(differences.results) > 1
    return ask_rows(
        f"differences-{id}",
        question,
        differences.results,
        differences.rows,
        quantity=quantity,
        say=difference_sentences(differences),
        draw=interval_points(),
        names=[shorten(row.term, 60) for row in differences.rows],
        table=grid_table(differences.rows, quantity, differences.dimension, "level")
        if many
        else None,
        results=[*differences.adjusted, *results],
        more=[*more, *kind_tables(differences.own, differences.name)],
        note=note,
        part=part,
    )
