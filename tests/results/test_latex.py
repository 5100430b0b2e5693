"""Tables in LaTeX: each compiles, no line is wider than the page, and no label breaks it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import socialstats as ss
from socialstats.metrics import METRICS
from socialstats.results.latex import escaped, latex
from socialstats.results.layout import LINES
from tests.contracts.subjects import run, subject_of

HOSTILE = (
    "_ & % # $ { } \\ ~ ^ < > | ` \" ' -- \ufffd \x07 \u00fc \u0142 \u00df "
    "\u221210\u207b\u2079 \u03c7\u00b2 [x] *"
)
LONG = "a finding that needs more words than a line of the page has room for, as checks of data and fit do"
PREAMBLE = r"\documentclass{article}\usepackage{booktabs,array,longtable,rotating,pdflscape}\begin{document}"


def compiled(folder: Path, *parts: str) -> list[str]:
    """Compile texts with pdfLaTeX and return its complaints: errors, missing characters and lines that are too wide."""
    made = "\n\n\\clearpage\n".join([PREAMBLE, *parts, r"\end{document}"])
    (folder / "all.tex").write_text(made, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "all.tex"]
    subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=120)
    log = (folder / "all.log").read_text(encoding="utf-8", errors="replace")
    return re.findall(
        r"^(?:!|Missing character|Overfull \\hbox|LaTeX Warning: Float too large).*",
        log,
        re.MULTILINE,
    )


def placed(text: str) -> str:
    """Put a table where its comment says that it belongs."""
    place = re.search(r"place it in (\w+)", text.partition("\\begin")[0])
    return text if place is None else f"\\begin{{{place[1]}}}\n{text}\n\\end{{{place[1]}}}"


needs_latex = pytest.mark.skipif(
    shutil.which("pdflatex") is None, reason="pdflatex is not installed"
)


@needs_latex
@pytest.mark.slow
def test_every_metric_compiles_and_fits_on_the_page(tmp_path: Path) -> None:
    results = [run(name, (subject := subject_of(name)).design(subject.rows())) for name in METRICS]
    parts = [placed(made.to_latex()) for one in results for made in (one, ss.table(one))]
    assert len(parts) >= 60
    assert compiled(tmp_path, *parts) == []


@needs_latex
def test_hostile_labels_compile_in_narrow_wide_and_long_tables(tmp_path: Path) -> None:
    head, words = [HOSTILE, "Number of units", "Share"], [True, False, False]
    tables = [
        latex(
            [HOSTILE, "n"],
            [[HOSTILE, "1"], [HOSTILE[::-1], "2"]],
            [True, False],
            caption=escaped(HOSTILE),
        ),
        latex(head, [[HOSTILE * 3, "12", "0.5"], ["r" * 300, "3", "1"]], words, caption="c"),
        latex(head, [[LONG, "12", "0.5"]] * 50, words, caption="c"),
        latex(
            [f"Column {k} of many" for k in range(12)],
            [[LONG, *["\u22121,234.5"] * 11]] * 3,
            [True, *[False] * 11],
        ),
    ]
    tables.append(
        latex(["m", *"abcdefgh"], [["x", *["8.10 [7.44, 8.75]"] * 8]] * 20, [True, *[False] * 8])
    )
    assert compiled(tmp_path, *map(placed, tables)) == []


def test_a_narrow_table_stays_as_it_is_and_a_wide_one_has_broken_cells_in_smaller_type() -> None:
    assert latex(["term", "n"], [["x", "1"]], [True, False]).splitlines()[:2] == [
        r"% \usepackage{booktabs}",
        r"\begin{tabular}{lr}",
    ]
    wide = latex(
        ["Check", "Finding", "n of units"], [["x", LONG, "12"]], [True, True, False]
    ).splitlines()
    assert wide[0] == r"% \usepackage{booktabs,array}"
    assert re.fullmatch(
        r"\\begin\{tabular\}\{l>\{\\raggedright\\arraybackslash\}p\{0\.\d+\\linewidth\}r\}", wide[2]
    )
    assert wide[1].startswith(r"{\footnotesize")
    assert wide[4] == r"Check & Finding & \shortstack[r]{n of \\ units} \\"


def test_a_table_of_many_lines_goes_over_pages_and_one_of_many_columns_is_turned() -> None:
    long = latex(["term", "n"], [["x", "1"]] * (LINES + 1), [True, False], caption="C")
    assert long.splitlines()[1:3] == [r"\begin{longtable}{lr}", r"\caption{C} \\"]
    assert long.count(r"\endhead") == 1
    wide = latex([f"c{k}" for k in range(12)], [["1,234,567"] * 12], [False] * 12, caption="C")
    assert wide.splitlines()[1] == r"\begin{sidewaystable}"
    assert "place it in sidewaystable" in latex(
        [f"c{k}" for k in range(12)], [["1,234,567"] * 12], [False] * 12
    )
    beside = latex(["m", *"abcdefgh"], [["x", *["8.10 [7.44, 8.75]"] * 8]], [True, *[False] * 8])
    assert r"x & \begin{tabular}[t]{@{}r@{}}8.10 \\ {}[7.44, 8.75]\end{tabular} &" in beside
    wider = latex([f"c{k}" for k in range(14)], [["1,234,567"] * 14], [False] * 14)
    assert "wider than a turned page: leave columns out" in wider.splitlines()[0]


def test_letters_that_pdflatex_does_not_have_name_the_engine_that_has_them() -> None:
    made = latex(["term", "n"], [["\u6f22\u5b57 \U0001f600", "1"], ["\u00fc", "2"]], [True, False])
    assert made.splitlines()[0].startswith("% \u5b57\u6f22\U0001f600: use XeLaTeX or LuaLaTeX")


def test_a_label_in_brackets_or_with_a_star_is_no_option_of_the_line_before() -> None:
    lines = latex(
        ["term", "n"], [["[x]", "1"], ["*star", "2"], ["x [y]", "3"]], [True, False]
    ).splitlines()
    assert lines[5:8] == [r"{}[x] & 1 \\", r"{}*star & 2 \\", r"x [y] & 3 \\"]
