"""The rows of a result as a table of text: aligned, Markdown, LaTeX."""

from __future__ import annotations

from collections.abc import Sequence

from socialstats.results.rows import TEXT_COLUMNS, TIDY_COLUMNS, Row
from socialstats.text import number, shorten

SMALLEST_P = 0.00005
LONGEST = 40  # characters of a cell
WHOLE = ("n", "n_units", "n_clusters")
NOT_PRINTED = ("method", "conf_level")
ESCAPED = str.maketrans({
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\u2212": "$-$", "<": "$<$", ">": "$>$",
    "\u2014": "---", "\u221e": r"$\infty$", "\u00b1": r"$\pm$",
})  # fmt: skip


def printed(rows: Sequence[Row], by: str = "by") -> tuple[list[str], list[list[str]]]:
    """Return the columns that hold something and the cells of rows, as text; `by` heads the column of levels."""
    shown = [c for c in TIDY_COLUMNS if c not in NOT_PRINTED and any(getattr(r, c) is not None for r in rows)]
    shown.sort(key=lambda column: column != "by")
    return [by if c == "by" else c for c in shown], [[_cell(row, c) for c in shown] for row in rows]


def _cell(row: Row, column: str) -> str:
    value = getattr(row, column)
    if isinstance(value, str):
        return shorten(value, LONGEST)
    if column in ("p_value", "p_adjusted") and value is not None and value < SMALLEST_P:
        return "<.0001"
    whole = column in WHOLE or (column == "df" and value is not None and value % 1 == 0)
    return number(value, 0 if whole else 4)


def aligned(head: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    """Return a table with words on the left and numbers on the right of their columns."""
    lines = [list(head), *cells]
    widths = [max(len(line[k]) for line in lines) for k in range(len(head))]
    left = [name in TEXT_COLUMNS or (k == 0 and name not in TIDY_COLUMNS) for k, name in enumerate(head)]
    return "\n".join(
        "  ".join(c.ljust(w) if words else c.rjust(w) for c, w, words in zip(line, widths, left, strict=True)).rstrip()
        for line in lines
    )


def markdown(head: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    r"""Return a Markdown table.

    Examples
    --------
    >>> print(markdown(["term", "estimate"], [["a|b", "0.5"]]))
    | term | estimate |
    |:--|--:|
    | a\|b | 0.5 |
    """
    rule = "|".join(":--" if name in TEXT_COLUMNS or name not in TIDY_COLUMNS else "--:" for name in head)
    lines = [[cell.replace("|", "\\|") for cell in line] for line in (head, *cells)]
    body = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([body[0], f"|{rule}|", *body[1:]])


def latex(head: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    r"""Return a LaTeX tabular with the rules of package booktabs.

    Examples
    --------
    >>> print(latex(["term", "p_value"], [["a_b", "<.0001"]]))
    \begin{tabular}{lr}
    \toprule
    term & p\_value \\
    \midrule
    a\_b & $<$.0001 \\
    \bottomrule
    \end{tabular}
    """
    kinds = "".join("l" if name in TEXT_COLUMNS or name not in TIDY_COLUMNS else "r" for name in head)
    first, *rest = [" & ".join(cell.translate(ESCAPED) for cell in line) + r" \\" for line in (head, *cells)]
    parts = [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule", first, r"\midrule", *rest, r"\bottomrule", r"\end{tabular}"]
    return "\n".join(parts)
