"""Contracts that hold on every page: what the answer quotes, what cautions advise, and what stands in tables agree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain

import example_pages
import pytest
from study_examples import PAGES

from socialstats.results import Row
from socialstats.results.rows import difference_places
from socialstats.studies.page import Block, Outcome, PageTable
from socialstats.studies.running import UNROUNDED
from socialstats.text import Shown, interval, number
from socialstats_reports.arrangement import arranged

NUMBER = r"[−-]?\d*\.?\d+"
ADVISED = re.compile(rf"\b(?:quote|report)\b[^.;]*?\(({NUMBER})\)")
CI = re.compile(r"\d% CI")
RAW = ("Statistic", "F", "T-squared")  # no estimates
pages = pytest.mark.parametrize("name", PAGES, scope="module")  # one worker makes a page
pytestmark = pytest.mark.slow


def outcome(name: str) -> Outcome:
    return example_pages.made(name)[0]


def rows_of(block: Block) -> Iterator[Row]:
    for result in block.results:
        yield from result.rows


def tables_of(found: Outcome) -> Iterator[PageTable]:
    for block in found.blocks:
        yield from block.tables


def text_of(found: Outcome) -> str:
    """Return the sentences of the answer and of all blocks."""
    return " ".join(
        [*found.answer, *(sentence for block in found.blocks for sentence in block.sentences)]
    )


def values_of(text: str) -> set[float]:
    return {float(one.replace("−", "-")) for one in re.findall(NUMBER, text)}


@pages
def test_what_a_caution_says_to_quote_is_what_the_answer_quotes(name: str) -> None:
    """Case 1: the answer led with S, a caution said to quote the corrected S."""
    found = outcome(name)
    advised = {
        float(number.replace("−", "-"))
        for one in found.cautions
        for number in ADVISED.findall(one.fix)
    }
    assert advised <= values_of(" ".join(found.answer))


@pages
def test_the_interval_of_the_answer_belongs_to_its_estimate(name: str) -> None:
    """Case 1: the interval of another quantity stood behind S. Rows of the opening figure are those of results."""
    found = outcome(name)
    known = [
        (row.estimate, row.conf_low, row.conf_high)
        for block in found.blocks
        for row in rows_of(block)
    ]
    opening = next((block for block in found.blocks if block.draw is not None), None)
    drawn = () if opening is None else opening.drawn
    for row in drawn:
        if row.estimate is not None and row.conf_low is not None and row.conf_high is not None:
            assert row.conf_low <= row.estimate <= row.conf_high, row.term
            assert (row.estimate, row.conf_low, row.conf_high) in known, row.term


@pages
def test_an_interval_that_a_caution_touches_is_called_approximate(name: str) -> None:
    """Case 1: rank sets that a caution listed as affected stood in the answer as if they were not."""
    found = outcome(name)
    ends: dict[bool, set[str]] = {True: set(), False: set()}
    for row in (
        row for block in found.blocks for row in rows_of(block) if row.conf_low is not None
    ):
        ends[row.approximate].add(
            interval(row.conf_low, row.conf_high, row.decimals, bounded=row.bounded).split("CI ")[1]
        )
    for text in found.answer:
        for kind, said in re.findall(
            r"(approximate )?\d+% (?:simultaneous |marginal )?CI (\[[^\]]*\])", text
        ):
            assert kind or said not in ends[True] - ends[False], text
            assert not kind or said not in ends[False] - ends[True], text


def printed(row: Row) -> Fraction:
    return Fraction(number(row.shown()).replace("\u2212", "-").replace(",", ""))


@pages
def test_printed_estimates_subtract_to_printed_differences(name: str) -> None:
    """Case 2: the difference in S was that of other values than the two that were shown.

    To one unit of the last decimal where the page says that differences are those of unrounded estimates.
    """
    found = outcome(name)
    for result in (result for block in found.blocks for result in block.results):
        for a, b, gap in difference_places(result.rows):
            rows = [result.rows[k] for k in (a, b, gap)]
            off = abs(printed(rows[0]) - printed(rows[1]) - printed(rows[2]))
            unit = max(Fraction(1, 10**row.decimals) for row in rows)
            assert off <= (unit if UNROUNDED in found.methods else 0), [row.term for row in rows]


@pages
def test_declared_levels_raise_no_caution_about_undeclared_ones(name: str) -> None:
    """Case 3: the caution said that levels were not declared, Methods that they were."""
    found = outcome(name)
    undeclared = [c for c in found.cautions if c.code == "SS310" and "level" in c.detail]
    assert not (
        undeclared and any("levels were declared" in paragraph for paragraph in found.methods)
    )


@pages
def test_a_direction_of_several_claims_has_an_adjusted_p(name: str) -> None:
    """Case 4: five unadjusted intervals over six attributes carried claims of more than an equal share."""
    for block in outcome(name).blocks:
        for sentence in block.sentences:
            if "equal share" in sentence and re.search(
                r"\b(?:more|less|above|below) than\b|\bdiffered\b", sentence
            ):
                assert "Holm" in sentence or "unadjusted" in sentence or "did not" in sentence, (
                    sentence
                )


@pages
def test_no_range_runs_from_a_number_to_itself(name: str) -> None:
    """Case 5: the difference ran from -7.26 to -7.26."""
    said = re.findall(rf"from ({NUMBER})(?: \([^)]*\))? to ({NUMBER})", text_of(outcome(name)))
    assert not [pair for pair in said if pair[0] == pair[1]]


@pages
def test_a_verdict_stands_beside_its_own_p(name: str) -> None:
    """Case 5: `different` stood beside the p of the failed equivalence."""
    for found in re.finditer(r"[^.]*?\bp(?:_Holm)? ([=<>]) (\.\d+)[^.]*\.", text_of(outcome(name))):
        sentence, p = found.group(), float(found.group(2))
        large = found.group(1) == ">" or (found.group(1) == "=" and p >= 0.05)
        assert not (
            large and re.search(r"\bwas (?:higher|lower|greater)\b|: different", sentence)
        ), sentence


@pages
def test_a_share_has_one_format_on_a_page(name: str) -> None:
    """Case 6: 61.2 %, .625 and .612 stood for the share of choices of the more urgent item."""
    found = outcome(name)
    said = text_of(found)
    assert not re.search(r"\d%, (?:\w+ )*\d+% CI", said), (
        "a share with an interval is no percentage"
    )
    percents = {float(one) for one in re.findall(r"(\d+\.\d)%(?! CI)", said)} - {100.0, 0.0}
    cells = {
        round(100 * v, 1)
        for table in tables_of(found)
        for row in table.cells
        for v in row
        if isinstance(v, Shown) and v.bounded
    }
    shares = {round(100 * float(one), 1) for one in re.findall(r"(?<![\d.])(\.\d{3})\b", said)}
    assert not percents & (shares | cells)


@pages
def test_a_number_of_a_row_has_one_printed_value_on_a_page(name: str) -> None:
    """28.019 stood in one block and 28.02 in the others; .21 in the answer and .212 in the table."""
    found = outcome(name)
    cells = [
        v for table in tables_of(found) for row in table.cells for v in row if isinstance(v, Shown)
    ]
    said = [*found.answer, *(sentence for block in found.blocks for sentence in block.sentences)]
    words = {word for text in said for word in re.findall(r"[\u2212]?[\d,]*\.\d+", text)}
    others = [
        v for table in tables_of(found) for row in table.cells for v in row if isinstance(v, str)
    ]
    printed = {
        *map(number, cells),
        *(word for text in others for word in re.findall(r"[\u2212]?[\d,]*\.\d+", text)),
    }
    for value in cells:
        for digits in {1, 2, 3, 4, 5} - {value.digits}:
            other = number(Shown(float(value), digits, value.bounded))
            if len(other.strip("\u2212.0").replace(".", "")) > 2 and other not in printed:
                assert other not in words, (number(value), other)


@pages
def test_a_number_has_the_same_decimals_in_all_tables(name: str) -> None:
    """-1.465 stood in one table, -1.46 in the next and -1.4646 in the third."""
    decimals: dict[str, set[int]] = {}
    for table in tables_of(outcome(name)):
        for row in table.cells:
            for column, v in zip(table.header, row, strict=True):
                chance = (
                    isinstance(v, Shown)
                    and abs(Fraction(v).limit_denominator(1000) - Fraction(v)) < 1e-9
                )
                if isinstance(v, Shown) and not chance and column not in ("SE", "Low", "High"):
                    decimals.setdefault(f"{abs(v):.9g}", set()).add(v.digits)
    assert [value for value, found in decimals.items() if len(found) > 1] == []


@pages
def test_leading_zeros_follow_one_rule_on_a_page(name: str) -> None:
    """Shares of one table had leading zeros, those of the next had none."""
    found = outcome(name)
    for block in found.blocks:
        for row in (row for row in rows_of(block) if row.bounded and row.estimate is not None):
            assert not number(row.shown()).lstrip("\u2212").startswith("0"), row
    for table in tables_of(found):
        for k, head in enumerate(table.header):
            share = re.search(
                r"(?i)share|rate of|kappa|alpha|similarity", f"{head} {table.caption}"
            )
            cells = [row[k] for row in table.cells if isinstance(row[k], float)]
            assert all(isinstance(cell, Shown) for cell in cells) or not share or head in RAW, (
                head,
                table.caption,
            )


@pages
def test_one_sentence_says_what_halves_an_interval(name: str) -> None:
    """The block of models had a second one, beside that of the main result."""
    found = outcome(name)
    said = [
        *found.planning,
        *(s for block in found.blocks if block.part == "main" for s in block.sentences),
    ]
    assert len([text for text in said if text.startswith("To halve")]) <= 1
    assert not any(text.startswith("To halve") for text in found.answer), (
        "the quotation of a result plans no study"
    )


@pages
def test_a_caption_does_not_repeat_the_title_of_its_figure(name: str) -> None:
    assert not [
        b.id
        for b in outcome(name).blocks
        if b.figure_title and b.caption.startswith(b.figure_title)
    ]


@pages
def test_no_number_has_a_bracket_within_its_bracket(name: str) -> None:
    """m2 (1.00 (no interval: ...))."""
    assert not re.search(r"\([^()]*\d \(no interval", text_of(outcome(name)))


@pages
def test_estimates_of_a_table_subtract_to_its_differences_as_printed(name: str) -> None:
    """To one unit of the last decimal where the page says so: each is then rounded by itself."""
    for table in tables_of(outcome(name)):
        by_label = {
            str(row[0]): next((v for v in row[1:] if isinstance(v, Shown)), None)
            for row in table.cells
        }
        for label, value in by_label.items():
            one, minus, two = (
                label.partition(" minus ") if " minus " in label else label.partition(" - ")
            )
            a, b = by_label.get(one), by_label.get(two)
            if minus and value is not None and a is not None and b is not None:
                unit = (
                    10.0 ** -min(v.digits for v in (value, a, b))
                    if UNROUNDED in outcome(name).methods
                    else 0.0
                )
                rounded = [
                    float(number(v).replace("\u2212", "-").replace(",", "")) for v in (a, b, value)
                ]
                assert abs(rounded[0] - rounded[1] - rounded[2]) < 1.01 * unit + 1e-9, (
                    table.caption,
                    label,
                )


def holds(table: PageTable, rows: Sequence[Row], *names: str) -> bool:
    """Return whether a line of a table has these numbers of one of the rows, two or more different ones of several."""
    lines = [{float(value) for value in line if isinstance(value, Shown)} for line in table.cells]
    # one number is that of any row, and several are of rows with an interval
    known = [
        {getattr(row, name) for name in names}
        for row in rows
        if row.conf_low is not None or (len(names) == 1 and row.estimate is not None)
    ]
    return any(one <= line for one in known if len(one) > (len(names) > 1) for line in lines)


@pages
def test_a_caution_links_to_the_tables_that_hold_its_rows_and_to_no_others(name: str) -> None:
    """Cautions linked to every table of a block: to coefficients where shares were rare, to means for differences."""
    place = arranged(outcome(name))
    results = {id(result): result for b in place.blocks for result in b.block.results}.values()
    for said in (*place.cautions, *place.notes):
        named = set(said.caution.rows or ())
        carriers = [result for result in results if said.caution in result.cautions]
        rows = [
            row
            for result in carriers
            for row in result.rows
            if named & {row.name, row.term, row.group, row.role, *(label for _, label in row.key)}
        ]
        made = [
            row
            for result in results
            if result not in carriers
            for row in result.rows
            if said.caution in row.cautions
        ]
        for own, table in (
            (b.block.results, table)
            for b in place.blocks
            for table in b.tables
            if named and carriers
        ):
            linked, numbers = (
                table.number in said.tables,
                any(isinstance(v, Shown) for v in chain(*table.table.cells)),
            )
            what = (said.caution.code, table.table.caption)
            if any(
                result in carriers for result in own
            ):  # another result may have the same numbers
                assert linked or not holds(
                    table.table, rows, "estimate", "conf_low", "conf_high"
                ), what
            # a row that moves to another result keeps its cautions, such as the rank of a mean
            moved = [
                row
                for row in table.table.rows
                if any(
                    (c.code, c.detail) == (said.caution.code, said.caution.detail)
                    for c in row.cautions
                )
            ]
            every = [*rows, *made, *moved]
            assert not linked or not numbers or holds(table.table, every, "estimate"), what


@pages
def test_statistic_and_error_of_a_table_belong_together(name: str) -> None:
    """Case 6: the standard error of kappa stood beside a z of another standard error."""
    for table in tables_of(outcome(name)):
        heads = [head.casefold() for head in table.header]
        wanted = [heads.index(one) for one in ("estimate", "se", "statistic", "df") if one in heads]
        if len(wanted) < 4:
            continue
        for row in table.cells:
            estimate, error, statistic, _ = (row[k] for k in wanted)
            if all(isinstance(value, float) for value in (estimate, error, statistic)) and error:
                assert statistic == pytest.approx(estimate / error, rel=0.02, abs=0.02), (
                    table.caption,
                    row[0],
                )
