"""A page that was made before gives its tables, figures and quotation as files."""

from __future__ import annotations

import csv
import io
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import docx
import pytest
from docx.enum.text import WD_ALIGN_PARAGRAPH
from made_up import outcome

from socialstats.cli import main
from socialstats.errors import MissingDependency
from socialstats.results import Row
from socialstats.studies import estimates
from socialstats_reports import read_results, render
from socialstats_reports.exports import as_pdf, figure_of, quote_of, table_of, tables_in


@pytest.fixture(scope="module")
def html() -> str:
    return render(outcome())


@pytest.fixture
def page(html: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("page.html").write_text(html, encoding="utf-8")
    return "page.html"


def test_tables_are_those_of_the_page(html: str) -> None:
    found = read_results(html)
    assert list(tables_in(found)) == ["1", "A1", "A2", "A3", "A4"]
    rows = list(csv.reader(io.StringIO(table_of(found, "1", "csv"))))
    assert rows[0] == ["Role", "Log-strength", "SE", "p", "n", "Empty"]
    assert float(rows[1][1]) == pytest.approx(
        outcome().blocks[0].results[0].rows[0].estimate, abs=1e-7
    )
    assert rows[-1][1] == ""
    assert "| role number 63 | \u22121.26 | 0.20 | < .001 | 214 |\n" in table_of(found, "1", "md")
    latex = table_of(found, "a1", "latex")
    assert latex.splitlines()[1:4] == [
        r"\begin{table}",
        r"\caption{From the rows read to the rows analysed}",
        r"\begin{tabular}{lrl}",
    ]
    assert "rows read & 14,000 & friend \\\\" in latex


def test_a_file_of_a_table_has_every_digit_of_p_and_df() -> None:
    """A page prints `< .001`; whoever adjusts p-values needs the number."""
    row = Row(
        term="gap", estimate=1 / 3, statistic=-5.0, df=21.3456789012, p_value=1.234567890123e-5
    )
    tests = estimates.tests_table([row], "Tests")
    first = outcome().blocks[0]
    made = replace(outcome(), blocks=(replace(first, tables=(tests,)),))
    found = read_results(render(made))
    cells = next(csv.DictReader(io.StringIO(table_of(found, "1", "csv"))))
    assert (float(cells["df"]), float(cells["p"])) == (21.3456789012, 1.234567890123e-5)
    assert "| 21.3 | < .001 |" in table_of(found, "1", "md")


def test_a_table_is_a_word_file_with_the_cells_of_the_page(
    page: str, html: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):  # its own file is replaced
        assert main(["show", page, "--table", "1", "-o", "one.docx"]) == 0
    document = docx.Document("one.docx")
    lines = [[cell.text for cell in row.cells] for row in document.tables[0].rows]
    printed = table_of(read_results(html), "1", "md").split("\n\n")
    assert document.paragraphs[0].text == printed[0]
    assert [f"| {' | '.join(line)} |" for line in lines[1:]] == printed[1].strip().split("\n")[2:]
    assert [cell.paragraphs[0].alignment for cell in document.tables[0].rows[1].cells][:2] == [
        WD_ALIGN_PARAGRAPH.LEFT,
        WD_ALIGN_PARAGRAPH.RIGHT,
    ]
    columns = document.tables[0].columns
    assert [column.width for column in columns] == [
        cell.width for cell in document.tables[0].rows[1].cells
    ]
    assert columns[0].width > columns[1].width
    Path("mine.docx").write_bytes(b"PK\x03\x04 mine")
    assert main(["show", page, "--table", "1", "-o", "mine.docx"]) == 2
    assert "exists, and is an archive" in capsys.readouterr().err


def test_a_figure_is_a_file_of_its_own_and_has_no_variables(html: str) -> None:
    drawn = figure_of(html, "2")
    root = ElementTree.fromstring(drawn)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "var(" not in drawn
    assert "role number 3" in drawn
    assert "href" not in drawn
    assert figure_of(html, "1") != figure_of(html, "2")


def test_the_quotation_is_answer_and_first_paragraph_of_the_methods(html: str) -> None:
    found = read_results(html)
    assert quote_of(found).split("\n\n") == [
        " ".join(outcome().answer),
        outcome().methods[0] + "\n",
    ]
    assert "\\textit{S} = 41.63, 95\\% CI [39.06, 42.92]" in quote_of(found, "latex")
    hostile = quote_of(
        read_results(render(replace(outcome(), answer=("50% of a_b & {x} \\input{y} $1",)))),
        "latex",
    )
    assert hostile.startswith(r"50\% of a\_b \& \{x\} \textbackslash{}input\{y\} \$1")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--table 9", "there is no table 9; there are 1, A1, A2, A3 and A4. Names: strengths"),
        ("--table strenths", "there is no table strenths; there are 1, A1"),
        ("--table strenths", "Did you mean 'strengths'?"),
        ("--figure A1", "there is no figure A1; there are 1 and 2. Names: strengths and "),
        ("--table 1 --format svg", "this is written as csv, md, latex and docx, not as svg"),
        ("--quote -o quote.pdf", "this is written as text and latex, not as pdf"),
        ("--format json", "this is written as text and md, not as json"),
    ],
)
def test_what_a_page_does_not_have_is_said(
    page: str, words: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", page, *words.split()]) == 2
    message = capsys.readouterr().err
    assert message.startswith(f"error: {page}: ")
    assert said in message


def test_a_table_and_a_figure_have_names_that_show_lists(
    page: str, html: str, capsys: pytest.CaptureFixture[str]
) -> None:
    results = read_results(html)
    names = [table["name"] for table in tables_in(results).values()]
    assert len({*names}) == len(names)
    for number, table in tables_in(results).items():
        assert table_of(results, table["name"], "csv") == table_of(results, number, "csv")
    assert figure_of(html, results["blocks"][0]["id"]) == figure_of(html, "1")
    assert main(["show", page]) == 0
    lines = capsys.readouterr().out.splitlines()
    listed = lines[
        lines.index("tables and figures (--table NAME, --figure NAME; rows x columns)") :
    ]
    for name in names:
        assert any(line.split()[0] == name for line in listed[1:])


@pytest.mark.parametrize(
    ("words", "name", "start"),
    [
        ("--table 1", "t.csv", "Role,Log-strength"),
        ("--table 1", "t.md", "Table 1. Strengths"),
        ("--table 1", "t.tex", "% \\usepackage{booktabs,longtable}"),
        ("--figure 2", "f.svg", "<svg xmlns"),
        ("--quote", "q.txt", "S = 41.63"),
        ("--quote", "q.tex", "\\textit{S} = 41.63"),
        ("--json", "n.json", '{\n "socialstats"'),
        ("", "s.txt", "Does urg"),
    ],
)
def test_outputs_go_by_the_name_of_the_file(
    page: str, words: str, name: str, start: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", page, *words.split(), "-o", name]) == 0
    assert Path(name).read_text(encoding="utf-8").startswith(start)
    assert main(["show", page, *words.split(), "-o", name]) == 0
    Path(name).write_text("my own notes", encoding="utf-8")
    assert main(["show", page, *words.split(), "-o", name]) == 2
    assert Path(name).read_text(encoding="utf-8") == "my own notes"
    assert main(["show", page, *words.split(), "-o", name, "--overwrite"]) == 0


def test_a_pdf_names_the_extra_that_makes_it(html: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "svglib.svglib", None)
    monkeypatch.setitem(sys.modules, "reportlab.graphics", None)
    with pytest.raises(MissingDependency, match=r"pip install 'socialstats\[figures\]'"):
        as_pdf(figure_of(html, "2"))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_figure_as_pdf_is_the_same_bytes_every_time(html: str) -> None:
    pytest.importorskip("svglib")
    made = as_pdf(figure_of(html, "2"))
    assert made.startswith(b"%PDF-")
    assert as_pdf(figure_of(html, "2")) == made
