"""Papers as they come: the same tables and sentences in every format, and files that cannot be read."""

# ruff: noqa: E501  printed tables in one line each
from __future__ import annotations

import csv
import gzip
import io
import json
from fractions import Fraction
from pathlib import Path

import pytest

import socialstats as ss
from socialstats.audit.documents.reading import read_document
from socialstats.audit.findings.show import headline
from socialstats.cli import main
from socialstats.errors import InputError, NothingToAnalyse

PAPERS = Path(__file__).parent / "papers"
SENTENCES = (
    "We found that trust rose, t(23) = 2.10, p = .047 (see Fig. 2, e.g., the left panel).",
    "There was an effect, χ2(1, N = 90) = 4.85, and {eta} = .12 in both.",
)


def plain(text: str) -> str:
    return text.replace("−", "-").replace("–", "-").replace("--", "-")


@pytest.mark.parametrize(
    "path",
    sorted(p for p in PAPERS.iterdir() if p.suffix in (".tex", ".md", ".html", ".pdf")),
    ids=lambda path: path.name,
)
def test_equal_tables_in_every_format_give_equal_sheets(path: Path) -> None:
    document = read_document(path)
    (sheet,) = document.sheets
    columns, *rows = csv.reader(io.StringIO(path.with_suffix(".csv").read_text(encoding="utf-8")))
    assert list(sheet.columns) == columns
    assert [[plain(row[c]) for c in columns] for row in sheet.rows] == [
        [plain(cell) for cell in row] for row in rows
    ]
    said = [passage.text for passage in document.passages]
    eta = "η2p" if path.suffix == ".pdf" else "ηp2"  # the order in the file
    assert SENTENCES[0] in said
    assert SENTENCES[1].format(eta=eta) in said
    assert not any("F(1, 2)" in text for text in said)  # of the references


def test_places_are_those_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "rows.tex").write_text("A & 1 & 2 \\\\\nB & 3 & 4 \\\\\n")
    file = tmp_path / "p.tex"
    file.write_text(
        "One.\n\n\\begin{tabular}{lrr}\nx & n & M \\\\ \\hline\n\\input{rows}\n\\hline\\end{tabular}\nTwo.\n"
    )
    document = read_document(file)
    (sheet,) = document.sheets
    assert list(sheet.lines) == [1, 2]  # of the file that holds them
    assert [(p.text, p.line) for p in document.passages] == [("One.", 1), ("Two.", 7)]
    assert read_document(PAPERS / "t0.pdf").sheets[0].sources[0] == "t0.pdf, page 1"


@pytest.mark.parametrize(
    ("cell", "head", "caption", "holds"),
    [
        ("72.2 ± 2.8", "Acc.", "", {"Acc.": "72.2", "Acc. ±": "2.8"}),  # nobody says what ± is
        ("72.2 ± 2.8", "Acc. ± SE", "", {"Acc.": "72.2", "Acc. SE": "2.8"}),
        (
            "72.2 ± 2.8",
            "Acc.",
            "± is the half width of the 95% CI",
            {"Acc.": "72.2", "Acc. CI half width": "2.8"},
        ),
        ("$72.2_{\\pm 2.8}$", "Acc.", "mean and SD", {"Acc.": "72.2", "Acc. SD": "2.8"}),
        ("3.96** (0.28)", "M (SD)", "", {"M": "3.96", "SD": "0.28"}),
        ("0.45 [0.40, 0.50]", "d", "", {"d": "0.45", "d CI low": "0.40", "d CI high": "0.50"}),
        (
            "0.45 (95% CI 0.40 to 0.50)",
            "d",
            "",
            {"d": "0.45", "d CI low": "0.40", "d CI high": "0.50"},
        ),
        ("705 (72.2%)", "n (%)", "", {"count": "705", "percent": "72.2%"}),
        (
            "72.2% (705/976)",
            "Correct",
            "",
            {"Correct": "72.2%", "Correct count": "705", "Correct total": "976"},
        ),
        ("[0.40, 0.50]", "95% CI", "", {"95% CI low": "0.40", "95% CI high": "0.50"}),
        ("p < .001", "sig", "", {"sig": "< .001"}),
        ("1 234", "n", "", {"n": "1 234"}),
    ],
)
def test_cells_become_columns(
    tmp_path: Path, cell: str, head: str, caption: str, holds: dict[str, str]
) -> None:
    file = tmp_path / "t.md"
    file.write_text(
        f"Table 1: {caption}.\n\n| x | {head} |\n|---|---|\n| a | {cell} |\n| b | {cell} |\n",
        encoding="utf-8",
    )
    (sheet,) = read_document(file).sheets
    assert {c: sheet.rows[0][c] for c in sheet.columns[1:]} == holds


def test_decimal_commas_are_seen_and_odd_cells_named(tmp_path: Path) -> None:
    file = tmp_path / "t.md"
    file.write_text(
        "| x | M (SD) | n |\n|---|---|---|\n| a | 5,19 (1,02) | 40 |\n| b | 1.234,5 (3,1) | ~200 |\n"
    )
    (sheet,) = read_document(file).sheets
    assert sheet.reading.decimal == ","
    assert float(sheet.cell(1, "M").number.value) == 1234.5
    (tmp_path / "t.csv").write_text("x;M (SD);n\na;5,19 (1,02);40\nb;4,00 (0,98);40\n")
    (sheet,) = read_document(tmp_path / "t.csv").sheets
    assert (sheet.cell(0, "SD").number.value, sheet.reading.decimal) == (Fraction(102, 100), ",")
    file.write_text(
        "| x | Mean rating (1-7) | n |\n|---|---|---|\n| a | 5.2 | 40 |\n| b | 3.96 (0.28 | 40 |\n| c | 4.1 | ~200 |\n"
    )
    odd = {one.column: one.odd for one in ss.audit.audit(file).unread if one.odd}
    assert odd == {"Mean rating (1-7)": ("line 4: '3.96 (0.28'",), "n": ("line 5: '~200'",)}


def test_pasted_text(tmp_path: Path) -> None:
    rows = [
        ["Model", "n", "M (SD)", "p"],
        ["GPT 4", "40", "3.96 (0.28)", "<.001"],
        ["Claude 3", "40", "4.05 (0.30)", ".042"],
    ]
    wide = [max(len(row[j]) for row in rows) for j in range(4)]
    texts = {
        "tab": "\n".join("\t".join(row) for row in rows),
        "pipe": "\n".join(" | ".join(row) for row in rows),
        "semicolon": "\n".join(";".join(row) for row in rows),
        "spaces": "\n".join(
            "  ".join(cell.ljust(w) for cell, w in zip(row, wide, strict=True)) for row in rows
        ),
        "right": "\n".join(
            row[0].ljust(10)
            + "".join(c.rjust(w + 3) for c, w in zip(row[1:], wide[1:], strict=True))
            for row in rows
        ),
    }
    for name, text in texts.items():
        file = tmp_path / f"{name}.txt"
        file.write_text(f"Table 2: Scores\n{text}\n\nWe found t(38) = 2.1, p = .04. Fine.\n")
        document = read_document(file)
        (sheet,) = document.sheets
        assert sheet.columns == ("Model", "n", "M", "SD", "p"), name
        assert [row["SD"] for row in sheet.rows] == ["0.28", "0.30"]
        assert [p.text for p in document.passages][-2:] == [
            "We found t(38) = 2.1, p = .04.",
            "Fine.",
        ]


def test_markdown_called_csv_says_so_and_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "t.csv"
    file.write_text(
        "| x | Accuracy | Correct | Total |\n|---|---|---|---|\n| a | 72.2 | 705 | 976 |\n| b | 71.2 | 640 | 976 |\n"
    )
    assert main(["audit", str(file), "--fail-on", "disagree"]) == 1
    out = capsys.readouterr().out
    assert "t.csv is Markdown, and was read as that." in out
    assert "71.2 is printed, 100 x 640 / 976 gives 65.574" in out


HOSTILE = {
    "empty.md": (b"", "is empty"),
    "bin.tex": (b"a\0b" * 99, "binary"),
    "none.pdf": (b"%!PS", "not a PDF"),
    "torn.pdf": (b"%PDF-1.4\n1 0 obj", "damaged"),
    "deep.tex": (b"{" * 50_000, "nested too deep"),
    "wide.html": (
        b"<table><tr>" + b"<td>1" * 10_000 + b"<tr><td>1</table>",
        "more than 1,000 columns",
    ),
    "span.html": (
        b'<table><tr><td colspan="99999999" rowspan="99999999">1<tr><td>2</table>',
        "columns",
    ),
    "many.html": (b"<table><tr><td>1</table>" * 6000, "more than 5,000 tables"),
    "fake.xlsx": (b"PK\x03\x04", "damaged"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_files_that_cannot_be_read_say_why(tmp_path: Path, name: str) -> None:
    content, said = HOSTILE[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises((InputError, NothingToAnalyse), match=said):
        read_document(tmp_path / name)


@pytest.mark.parametrize(
    "text",
    [
        " " * 300_000 + "x",
        "|" * 200_000,
        "$" * 50_000,
        "1  2  " * 50_000 + "\n" + "1  2  " * 50_000,
        "a. " * 100_000,
        "| a | n |\n|---|---|\n| x | " + "1,111" * 9_999 + " |\n| y | 1 |\n",
        "\\begin{tabular}{lr} a & b \\\\ \\midrule x & \\num \\\\ \\multicolumn{2 & z \\end{table} $t(23",
        "\\newcommand{\\a}{\\b\\b\\b\\b}\\newcommand{\\b}{\\a\\a\\a\\a}\\a\\a",
    ],
)
@pytest.mark.parametrize(
    "suffix", [".txt", ".md", pytest.param(".tex", marks=pytest.mark.slow), ".html"]
)
def test_odd_text_is_read_or_refused(tmp_path: Path, text: str, suffix: str) -> None:
    file = tmp_path / f"odd{suffix}"
    file.write_text(text)
    assert read_document(file).source == file.name


def test_entities_and_includes_open_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "in").mkdir()
    page = tmp_path / "in" / "x.html"
    page.write_text('<!DOCTYPE f [<!ENTITY x SYSTEM "../secret.txt">]><p>&x; t(3) = 2.</p>')
    assert "secret" not in str(read_document(page).passages).replace("secret.txt", "")
    paper = tmp_path / "in" / "x.tex"
    paper.write_text("\\input{../secret.txt}\\input{x} t(3) = 2.")
    assert "secret" not in str(read_document(paper).passages)


def test_nothing_checked_is_not_called_agreement(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("Model,Mean,SD,N\nA,0.613,0.212,40\nB,0.577,0.198,40\nC,0.491,0.241,37\n")
    report = ss.audit.audit(file)
    assert report.tally()["disagree"] == 0  # scores in [0, 1] are no whole numbers
    assert not [f for f in report.findings if f.rule in ("grim", "grimmer")]
    assert "9 of 9 cells unchecked" in headline(report)
    assert "only the ranges" in headline(report)
    held = json.loads(json.dumps(report.to_dict()))
    assert (held["numbers"], held["unread_cells"]) == (9, 9)
    assert {one["column"] for one in held["unread"]} == {"Mean", "SD", "N"}


@pytest.mark.parametrize(
    ("text", "odd"),
    [
        ("g,n,Accuracy,Correct,Total\na,1,72.2,705,976\nb,1,65.0,640,976\n", {"count_percent"}),
        ("| g | n |\n|---|---|\n| a | 12 |\n| b | 18 |\n| c | 10 |\n| Total | 41 |\n", {"sum_to"}),
        (
            "| g | X | Y | Avg. |\n|---|---|---|---|\n| a | 1.0 | 2.0 | 1.5 |\n| b | 3.0 | 2.0 | 2.5 |\n| c | 4.0 | 2.0 | 3.6 |\n",
            {"mean_of"},
        ),
        (
            "| g | n | Acc. |\n|---|---|---|\n| a | 10 | 0.50 |\n| b | 30 | 0.70 |\n| All | 40 | 0.60 |\n",
            set(),
        ),  # not by n
        (
            "| g | X | Y | Avg. |\n|---|---|---|---|\n| a | 1.0 | 2.0 | 1.8 |\n| b | 3.0 | 2.0 | 2.2 |\n| c | 4.0 | 2.0 | 2.9 |\n",
            set(),
        ),
        (
            "| | Control (n = 102) |\n|---|---|\n| Age | 47.7 (16.8) |\n| Sex | |\n| Women | 54 (52.9%) |\n| Men | 48 (58.1%) |\n",
            {"count_percent"},
        ),
        ('g,Mean,95% CI\na,5.2,"[5.4, 6.1]"\nb,5.0,"[4.4, 6.1]"\n', {"within"}),
        (
            "cond,M,SD,n\na,512.34,80.12,20\nb,498.77,75.31,20\n",
            set(),
        ),  # reaction times are no whole numbers
        ("cond,Mean rating (1-7),SD,n\na,5.19,1.02,40\nb,4.55,0.97,40\n", {"grimmer"}),
    ],
)
def test_totals_means_and_whole_numbers_are_weighed(
    tmp_path: Path, text: str, odd: set[str]
) -> None:
    file = tmp_path / ("t.md" if text.startswith("|") else "t.csv")
    file.write_text(text)
    assert {f.rule for f in ss.audit.audit(file).of("disagree")} == odd


def test_gzipped_tables_are_read_as_before(tmp_path: Path) -> None:
    file = tmp_path / "t.csv.gz"
    file.write_bytes(gzip.compress(b"a,n\nx,1\n"))
    assert read_document(file).sheets[0].columns == ("a", "n")


def test_heads_over_rules_of_pasted_text_and_notes_below_a_table(tmp_path: Path) -> None:
    file = tmp_path / "t.txt"
    file.write_text(
        "                 Group A           Group B\n             -------------     -------------\n"
        "Measure       M      SD         M      SD       p\n-------------------------------------------------\n"
        "Trust        4.10   1.01       4.30   1.10    .21\nWarmth       3.90   0.95       3.10   1.00   <.001\n"
    )
    (sheet,) = read_document(file).sheets
    assert sheet.columns == (
        "Measure",
        "Group A / M",
        "Group A / SD",
        "Group B / M",
        "Group B / SD",
        "p",
    )
    file = tmp_path / "t.tex"
    file.write_text(
        "\\begin{tabular}{lc}\n & (1) \\\\ \\hline\nAge & 0.45*** \\\\\n & (0.10) \\\\\nSize & 1.20 \\\\\n & (0.15) \\\\ \\hline\n"
        "\\multicolumn{2}{l}{Standard errors in parentheses.} \\\\\n\\end{tabular}\n"
    )
    (sheet,) = read_document(file).sheets
    assert [list(row.values()) for row in sheet.rows] == [
        ["Age", "0.45", "0.10"],
        ["Size", "1.20", "0.15"],
    ]
    assert sheet.columns == ("row", "(1)", "(1) SE")


def test_a_question_mark_of_a_pdf_is_text(tmp_path: Path) -> None:
    from matplotlib.figure import Figure

    text = "Do the groups differ? They differed, and the names ?1 and ?2 stay."
    figure = Figure()
    figure.text(0.05, 0.5, text)
    figure.savefig(tmp_path / "page.pdf")
    passages = read_document(tmp_path / "page.pdf").passages
    assert " ".join(passage.text for passage in passages) == text
