"""Write the same ten tables as LaTeX, Markdown, HTML and (five of them) PDF, and what they hold as CSV.

python tests/audit/papers/make.py        # needs pdflatex with booktabs, multirow and rotating for the PDFs
"""

from __future__ import annotations

import csv
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
PROSE = (
    "We found that trust rose, t(23) = 2.10, p = .047 (see Fig. 2, e.g., the left panel).",
    "There was an effect, χ2(1, N = 90) = 4.85, and ηp2 = .12 in both.",
)


@dataclass
class Made:
    """A table: its heads (one or two levels), rows as printed, and what it holds."""

    caption: str
    heads: list[list[str]]
    rows: list[list[str]]
    columns: list[str]
    holds: list[list[str]]
    style: str = "booktabs"
    pdf: bool = False
    bold: set[str] = field(default_factory=set)


TABLES = [
    Made(
        "Accuracy of two models, mean ± SD over seeds.",
        [["", "GPT-4", "GPT-4", "Claude"], ["Task", "Acc.", "F1", "Acc."]],
        [["A", "72.2 ± 2.8", "0.45***", "70.1 ± 1.0"], ["B", "71.0 ± 1.1", "−0.40", "69.0 ± 1.2"]],
        [
            "Task",
            "GPT-4 / Acc.",
            "GPT-4 / Acc. SD",
            "GPT-4 / F1",
            "Claude / Acc.",
            "Claude / Acc. SD",
        ],
        [["A", "72.2", "2.8", "0.45", "70.1", "1.0"], ["B", "71.0", "1.1", "−0.40", "69.0", "1.2"]],
        pdf=True,
        bold={"72.2 ± 2.8"},
    ),
    Made(
        "Ratings of three groups.",
        [["Group", "n", "M (SD)", "p"]],
        [
            ["Young", "40", "3.96 (0.28)", "<.001"],
            ["Old", "38", "4.05 (0.30)", ".042"],
            ["Other", "12", "3.10 (0.45)", "–"],
        ],
        ["Group", "n", "M", "SD", "p"],
        [
            ["Young", "40", "3.96", "0.28", "<.001"],
            ["Old", "38", "4.05", "0.30", ".042"],
            ["Other", "12", "3.10", "0.45", "–"],
        ],
        style="hline",
        pdf=True,
    ),
    Made(
        "Correct answers.",
        [["Model", "Correct", "Share"]],
        [["X", "705/976", "72.2%"], ["Y", "640/976", "65.6%"], ["Z", "12/976", "1.2%"]],
        ["Model", "Correct count", "Correct total", "Share"],
        [["X", "705", "976", "72.2%"], ["Y", "640", "976", "65.6%"], ["Z", "12", "976", "1.2%"]],
        style="grid",
        pdf=True,
    ),
    Made(
        "Patients by group.",
        [["Characteristic", "Cases", "Controls"], ["", "n (%)", "n (%)"]],
        [
            ["Women", "30 (60.0%)", "20 (50.0%)"],
            ["Men", "20 (40.0%)", "20 (50.0%)"],
            ["Total", "50 (100%)", "40 (100%)"],
        ],
        [
            "Characteristic",
            "Cases / count",
            "Cases / percent",
            "Controls / count",
            "Controls / percent",
        ],
        [
            ["Women", "30", "60.0%", "20", "50.0%"],
            ["Men", "20", "40.0%", "20", "50.0%"],
            ["Total", "50", "100%", "40", "100%"],
        ],
    ),
    Made(
        "Effects with 95% confidence intervals.",
        [["Predictor", "OR [95% CI]", "p"]],
        [["Age", "1.25 [1.10, 1.42]", ".001"], ["Sex", "0.80 [0.60, 1.07]", ".130"]],
        ["Predictor", "OR", "OR CI low", "OR CI high", "p"],
        [["Age", "1.25", "1.10", "1.42", ".001"], ["Sex", "0.80", "0.60", "1.07", ".130"]],
        style="tabularx",
        pdf=True,
    ),
    Made(
        "Regression with standard errors in parentheses.",
        [["Term", "Model 1", "Model 2"]],
        [
            ["Age", "0.45* (0.20)", "0.41 (0.21)"],
            ["Income", "1.20*** (0.15)", "1.10** (0.16)"],
            ["n", "250", "250"],
        ],
        ["Term", "Model 1", "Model 1 SE", "Model 2", "Model 2 SE"],
        [
            ["Age", "0.45", "0.20", "0.41", "0.21"],
            ["Income", "1.20", "0.15", "1.10", "0.16"],
            ["n", "250", "", "250", ""],
        ],
        style="longtable",
    ),
    Made(
        "Sizes and means by block.",
        [["Item", "n", "Mean"]],
        [
            ["Panel A"],
            ["a", "1,204", "3.20"],
            ["b", "1,100", "3.10"],
            ["Panel B"],
            ["c", "980", "2.70"],
            ["d", "970", "2.60"],
        ],
        ["section", "Item", "n", "Mean"],
        [
            ["Panel A", "a", "1,204", "3.20"],
            ["Panel A", "b", "1,100", "3.10"],
            ["Panel B", "c", "980", "2.70"],
            ["Panel B", "d", "970", "2.60"],
        ],
    ),
    Made(
        "Labels over several rows.",
        [["Model", "Set", "Acc.", "n"]],
        [
            ["GPT", "dev", "0.71", "100"],
            ["GPT", "test", "0.72", "100"],
            ["Claude", "dev", "0.61", "100"],
            ["Claude", "test", "0.62", "100"],
        ],
        ["Model", "Set", "Acc.", "n"],
        [
            ["GPT", "dev", "0.71", "100"],
            ["GPT", "test", "0.72", "100"],
            ["Claude", "dev", "0.61", "100"],
            ["Claude", "test", "0.62", "100"],
        ],
        style="multirow",
        pdf=True,
    ),
    Made(
        "Agreement.",
        [["Pair", "po", "pe", "κ"]],
        [["1-2", "0.85", "0.50", "0.70"], ["1-3", "0.75", "0.50", "0.50"]],
        ["Pair", "po", "pe", "κ"],
        [["1-2", "0.85", "0.50", "0.70"], ["1-3", "0.75", "0.50", "0.50"]],
        style="hline",
    ),
    Made(
        "Confusions.",
        [["Model", "TP", "FP", "FN", "TN", "Precision", "Recall"]],
        [
            ["a", "40", "10", "20", "30", "0.80", "0.67"],
            ["b", "30", "10", "10", "50", "0.75", "0.75"],
        ],
        ["Model", "TP", "FP", "FN", "TN", "Precision", "Recall"],
        [
            ["a", "40", "10", "20", "30", "0.80", "0.67"],
            ["b", "30", "10", "10", "50", "0.75", "0.75"],
        ],
        style="table*",
    ),
]


def spans(row: list[str]) -> list[tuple[str, int]]:
    """Join equal neighbours of an upper head."""
    found: list[tuple[str, int]] = []
    for cell in row:
        if found and cell and found[-1][0] == cell:
            found[-1] = (cell, found[-1][1] + 1)
        else:
            found.append((cell, 1))
    return found


def tex_cell(text: str, made: Made) -> str:
    """Write a cell as LaTeX, in one of the ways that papers use."""
    stars = len(text) - len(text.replace("*", ""))
    plain = (
        text.replace("*", "")
        .replace("%", r"\%")
        .replace("−", "$-$")
        .replace(" ± ", r" $\pm$ ")
        .replace("<", "$<$")
    )
    plain = (
        plain.replace("–", "--")
        .replace("κ", r"$\kappa$")
        .replace("Acc.", r"\textsc{Acc.}" if made.bold else "Acc.")
    )
    if stars:
        head, space, tail = plain.partition(" ")
        plain = f"{head}$^{{{'*' * stars}}}${space}{tail}"
    return rf"\textbf{{{plain}}}" if text in made.bold else plain


def as_tex(made: Made) -> str:
    """Return a paper with the table."""
    width = len(made.heads[-1])
    rule, mid, last = (
        (r"\hline",) * 3
        if made.style in ("hline", "grid", "longtable")
        else (r"\toprule", r"\midrule", r"\bottomrule")
    )
    lines = [rule]
    for level, head in enumerate(made.heads):
        cells = spans(head) if level < len(made.heads) - 1 else [(cell, 1) for cell in head]
        lines.append(
            " & ".join(
                rf"\multicolumn{{{n}}}{{c}}{{{tex_cell(c, made)}}}" if n > 1 else tex_cell(c, made)
                for c, n in cells
            )
            + r" \\"
        )
    lines += [mid, *([r"\endhead"] if made.style == "longtable" else [])]
    before = ""
    for i, row in enumerate(made.rows):
        cells = [tex_cell(cell, made) for cell in row]
        if len(row) == 1:
            cells = [rf"\multicolumn{{{width}}}{{l}}{{\textit{{{row[0]}}}}}"]
        elif made.style == "multirow":
            cells[0] = "" if row[0] == before else rf"\multirow{{2}}{{*}}{{{row[0]}}}"
            lines += [mid] if i and row[0] != before else []
        before = row[0]
        lines.append(
            " & ".join(cells)
            + r" \\"
            + (r" \hline" if made.style == "grid" and i < len(made.rows) - 1 else "")
        )
    lines.append(last)
    columns = ("|" + "l|" * width) if made.style == "grid" else "l" + "r" * (width - 1)
    caption = made.caption.replace("±", r"$\pm$").replace("%", r"\%")
    if made.style == "longtable":
        table = (
            rf"\begin{{longtable}}{{{columns}}}\caption{{{caption}}}\\"
            + "\n"
            + "\n".join(lines)
            + "\n\\end{longtable}"
        )
    else:
        name, args = ("tabularx", r"{\linewidth}") if made.style == "tabularx" else ("tabular", "")
        columns = columns.replace("l", "X", 1) if name == "tabularx" else columns
        body = (
            rf"\begin{{{name}}}{args}{{{columns}}}"
            + "\n"
            + "\n".join(lines)
            + "\n"
            + rf"\end{{{name}}}"
        )
        body = rf"\resizebox{{\linewidth}}{{!}}{{%{chr(10)}{body}}}" if made.bold else body
        place = "table*" if made.style == "table*" else "table"
        table = (
            rf"\begin{{{place}}}[ht]\centering\caption{{{caption}}} % a comment & \\"
            + f"\n{body}\n\\end{{{place}}}"
        )
    prose = PROSE[0].replace("t(23) = 2.10", "$t(23) = 2.10$").replace("Fig. 2", "Fig.~2") + "\n"
    prose += r"There was an effect, $\chi^2(1, N = 90) = 4.85$, and $\eta_p^{2} = .12$ in both."
    packages = r"\usepackage{booktabs,multirow,tabularx,longtable,graphicx}"
    return "\n".join(
        [
            r"\documentclass{article}",
            packages,
            r"\begin{document}",
            prose,
            table,
            r"\end{document}",
            "",
        ]
    )


def as_markdown(made: Made) -> str:
    """Return a Markdown text with the table."""
    heads = [
        [
            "" if level < len(made.heads) - 1 and j and head[j] == head[j - 1] else cell
            for j, cell in enumerate(head)
        ]
        for level, head in enumerate(made.heads)
    ]
    rows = [
        [f"**{c}**" if c in made.bold else c.replace("*", r"\*") for c in row] for row in made.rows
    ]
    body = [*heads[1:], *(row + [""] * (len(heads[0]) - len(row)) for row in rows)]
    lines = ["| " + " | ".join(row) + " |" for row in (heads[0], ["---"] * len(heads[0]), *body)]
    prose = (
        "We found that trust rose, *t*(23) = 2.10, *p* = .047 (see Fig. 2, e.g., the left panel).\n"
    )
    prose += r"There was an effect, $\chi^2(1, N = 90) = 4.85$, and $\eta_p^2 = .12$ in both."
    return (
        f"# Results\n\n{prose}\n\nTable 1. {made.caption}\n\n"
        + "\n".join(lines)
        + "\n\n## References\n\nF(1, 2) = 3.\n"
    )


def as_html(made: Made) -> str:
    """Return a page with the table."""
    lines = [f"<table><caption>Table 1. {made.caption}</caption><thead>"]
    for level, head in enumerate(made.heads):
        cells = spans(head) if level < len(made.heads) - 1 else [(cell, 1) for cell in head]
        lines.append("<tr>" + "".join(f'<th colspan="{n}">{c}</th>' for c, n in cells) + "</tr>")
    lines.append("</thead><tbody>")
    before = ""
    for row in made.rows:
        cells = [cell.replace("<", "&lt;").replace("***", "<sup>***</sup>") for cell in row]
        tags = "".join(f"<td>{f'<b>{c}</b>' if c in made.bold else c}</td>" for c in cells)
        if len(row) == 1:
            tags = f'<td colspan="{len(made.heads[-1])}"><em>{row[0]}</em></td>'
        elif made.style == "multirow":
            tags = (f'<td rowspan="2">{row[0]}</td>' if row[0] != before else "") + "".join(
                f"<td>{c}</td>" for c in cells[1:]
            )
        before = row[0]
        lines.append(f"<tr>{tags}</tr>")
    prose = (
        "<p>We found that trust rose, <i>t</i>(23)&nbsp;= 2.10, <i>p</i> = .047 (see Fig. 2, e.g., the left panel).\n"
        "There was an effect, χ<sup>2</sup>(1, <i>N</i> = 90) = 4.85, and η<sub>p</sub><sup>2</sup> = .12 in both.</p>"
    )
    return (
        "<!doctype html>\n<html><body>\n"
        + prose
        + "\n"
        + "\n".join([*lines, "</tbody></table>", "</body></html>", ""])
    )


def main() -> None:
    """Write all files."""
    for number, made in enumerate(TABLES):
        stem = HERE / f"t{number}"
        stem.with_suffix(".tex").write_text(as_tex(made), encoding="utf-8")
        stem.with_suffix(".md").write_text(as_markdown(made), encoding="utf-8")
        stem.with_suffix(".html").write_text(as_html(made), encoding="utf-8")
        with stem.with_suffix(".csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([made.columns, *made.holds])
        if made.pdf:
            with tempfile.TemporaryDirectory() as place:
                options = [
                    "-interaction=batchmode",
                    f"-output-directory={place}",
                    str(stem.with_suffix(".tex")),
                ]
                subprocess.run(["pdflatex", *options], check=True, capture_output=True)
                stem.with_suffix(".pdf").write_bytes(
                    (Path(place) / f"{stem.name}.pdf").read_bytes()
                )


if __name__ == "__main__":
    main()
