"""Results side by side: what stands in a cell, what the notes say, and that no format loses or breaks a label."""

from __future__ import annotations

import re
from pathlib import Path

import docx
import pytest

import socialstats as ss
from socialstats.errors import Caution, InputError
from socialstats.results import Result, Row
from socialstats.results.side_by_side import ROLES
from socialstats.text import Shown, number

HOSTILE = "a_b & <b>c</b> | 100% *d* $e$ #f"


def result(*rows: Row, **more: object) -> Result:
    return Result(metric="mean_ratings", title="Means", inference="t", rows=rows, **more)  # type: ignore[arg-type]


def row(term: str, estimate: float | None = 0.5, **more: object) -> Row:
    ends = (
        {}
        if estimate is None
        else {"conf_low": estimate - 0.1, "conf_high": estimate + 0.1, "conf_level": 0.95}
    )
    return Row(
        term=term, estimate=estimate, **{"role": "estimate", "std_error": 0.05, **ends, **more}
    )  # type: ignore[arg-type]


def cells(made: ss.ResultTable, label: str) -> tuple[str, ...]:
    return next(line.cells for line in made.lines if line.label == label)


def test_terms_of_all_results_stand_in_lines_and_decimals_are_those_of_the_smallest_error() -> None:
    made = ss.table(
        {"m1": result(row("x"), row("y")), "m2": result(row("y", 0.25, std_error=0.0004), row("z"))}
    )
    assert [line.label for line in made.lines if line.what == "term"] == ["x", "y", "z"]
    assert cells(made, "x") == ("0.50", "")
    assert cells(made, "z") == ("", "0.50")
    one, other = cells(made, "y")
    assert len(one) == len(other) > 4
    assert made.tidy()["result"].tolist() == ["m1", "m1", "m2", "m2"]


def test_shares_have_no_leading_zero_and_a_missing_number_names_its_reason() -> None:
    share = row("share", 0.25, limits=(0.0, 1.0))
    gone = row("share", None, undefined="all answers are equal", std_error=None)
    made = ss.table([result(share), result(gone)])
    assert cells(made, "share") == (".250", "— (a)")
    assert "(a) all answers are equal." in made.notes
    assert made.notes[0] == "(1) Means; (2) Means."


def test_stars_follow_the_adjusted_p_and_stand_only_on_request() -> None:
    found = result(
        row("x", p_value=0.001, p_adjusted=0.03, family="items"), row("y", p_value=0.0001)
    )
    assert cells(ss.table([found]), "x") == ("0.50",)
    made = ss.table([found], stars=True)
    assert (cells(made, "x"), cells(made, "y")) == (("0.50*",), ("0.50***",))
    assert any("Holm-adjusted where a family is tested" in note for note in made.notes)


@pytest.mark.parametrize(
    ("below", "cell"),
    [("std_error", "(0.05)"), ("p_value", "p = .040"), ("interval", "[0.40, 0.60]")],
)
def test_what_stands_below_an_estimate(below: str, cell: str) -> None:
    made = ss.table([result(row("x", p_value=0.04))], below=below)  # type: ignore[arg-type]
    assert [line.cells for line in made.lines if line.what == "below"] == [(cell,)]
    assert not any(
        line.what == "below" for line in ss.table([result(row("x"))], below="none").lines
    )


def test_cautions_are_notes_with_the_results_they_belong_to() -> None:
    cautious = result(
        row("x"), cautions=(Caution(code="SS202", severity="caution", short="few clusters"),)
    )
    made = ss.table({"a": cautious, "b": result(row("x"))})
    assert "Caution on a: SS202 few clusters." in made.notes


def test_labels_of_users_break_no_format() -> None:
    made = ss.table({HOSTILE: result(row(HOSTILE), row("y", group="<g>"))}, title=HOSTILE)
    assert "<b>" not in made.to_html()
    assert "<b>" not in made.to_great_tables().as_raw_html()
    assert (
        len({line.count(" | ") for line in made.to_markdown().split("\n") if line.startswith("| ")})
        == 1
    )
    assert not re.search(
        r"(?<!\\)[&%#_](?! )", made.to_latex().split(r"\toprule")[1].split("\n")[1]
    )


def test_html_has_rules_and_numbers_on_the_right_of_their_columns() -> None:
    made = ss.table({"m1": result(row("x", group="g"), row("y", group="h"))})
    assert (
        made.to_html().count("border-bottom:1px solid") == 4
    )  # two cells of the head, and two of the last line
    assert re.search(
        r'<td style="text-align:right;white-space:nowrap;[^"]*">\[0.40, 0.60\]</td>', made.to_html()
    )
    assert "[0.40,\u00a00.60]" in made.to_great_tables().as_raw_html()
    notebook = result(row("x"))._repr_html_()
    assert re.search(
        r'<td style="text-align:left">x</td><td style="text-align:right;[^"]*">0.5000</td>',
        notebook,
    )


def test_a_word_file_holds_the_table_and_replaces_only_its_like(tmp_path: Path) -> None:
    made = ss.table({"m1": result(row("x"))}, title="Title")
    made.to_word(tmp_path / "a.docx")
    made.to_word(tmp_path / "a.docx")
    document = docx.Document(str(tmp_path / "a.docx"))
    assert [[cell.text for cell in line.cells] for line in document.tables[0].rows] == [
        ["", "m1"],
        ["x", "0.50"],
        ["", "[0.40,\u00a00.60]"],
    ]
    other = docx.Document()
    other.save(str(tmp_path / "b.docx"))
    before = (tmp_path / "b.docx").read_bytes()
    with pytest.raises(InputError, match="exists, and is an archive"):
        made.to_word(tmp_path / "b.docx")
    assert (tmp_path / "b.docx").read_bytes() == before


def test_a_wide_word_file_is_turned_and_its_groups_span_the_table(tmp_path: Path) -> None:
    fit = result(row("x", group="first"), row("y", group="second"))
    ss.table({f"model-{k}-instruct": fit for k in range(8)}).to_word(tmp_path / "a.docx")
    document = docx.Document(str(tmp_path / "a.docx"))
    page, lines = document.sections[0], document.tables[0].rows
    assert page.page_width > page.page_height
    assert lines[0].cells[1].text == "model-0-\ninstruct"
    assert "w:tblHeader" in lines[0]._tr.xml
    assert {cell.text for cell in lines[1].cells} == {"first"}
    assert lines[1].cells[0]._tc.grid_span == 9
    assert lines[2].cells[0].text == "\u2003x"
    formats = [cell.paragraphs[0].paragraph_format for line in lines for cell in line.cells]
    assert {one.space_after for one in formats} == {0}
    assert not any(
        paragraph.text for paragraph in document.paragraphs if paragraph.text == "Note. "
    )


@pytest.mark.parametrize(
    ("results", "options", "words"),
    [
        ([], {}, "table() takes results"),
        ("fit", {}, "table() takes results"),
        ([1], {}, "one of them is an int"),
        ([result(row("x"))], {"terms": ["z"]}, "no result has the term 'z'; terms: 'x'"),
        ([result(row("x"))], {"roles": ["estimates"]}, "no row has the role 'estimates'"),
        ([result(row("x"))], {"names": ["a", "b"]}, "names must be 1 different name"),
        ([result(row("x"))], {"below": "se"}, "below must be one of"),
        (
            [result(row("x")), result(row("x", conf_level=0.9))],
            {},
            "different levels (0.9 and 0.95)",
        ),
        ([result(row("x"), row("x"))], {}, "term 'x' stands twice in (1)"),
        ([result(row("x", role="count"))], {}, "give roles= some of theirs, 'count'"),
    ],
)
def test_errors_say_what_to_give(results: object, options: dict[str, object], words: str) -> None:
    with pytest.raises(InputError) as raised:
        ss.table(results, **options)  # type: ignore[call-overload]
    assert words in str(raised.value)


def test_another_level_is_that_of_all_intervals() -> None:
    fits = [ss.bradley_terry(ss.datasets.journal_citations(), level=level) for level in (0.95, 0.9)]
    one, other = (line.cells for line in ss.table(fits, level=0.9, terms=["JASA"]).lines[:2])
    assert one[0] == one[1]
    assert other[0] == other[1]


def test_a_group_of_results_has_a_column_for_each_level() -> None:
    rows = {
        "model": [*"mmmnnn"],
        "item_a": [*"xxxxxx"],
        "item_b": [*"yyyyyy"],
        "winner": [*"xxyxyy"],
    }
    made = ss.table(ss.bradley_terry(ss.Comparisons.from_frame(rows, by="model")))
    assert made.names == ("m", "n")


def test_every_estimate_of_a_fit_stands_in_its_table() -> None:
    fit = ss.bradley_terry(ss.datasets.journal_citations())
    text = ss.table([fit]).to_text()
    for one in (r for r in fit.rows if r.role in ROLES and r.estimate is not None):
        assert re.search(
            rf"{re.escape(one.term)}\s+{re.escape(number(Shown(one.estimate, one.decimals)))}", text
        )
