r"""Tables in LaTeX that fit on a page: wide ones in smaller type, with broken cells or turned; long ones on many."""

from __future__ import annotations

import re
from collections.abc import Sequence

from socialstats.results.layout import (
    LINES,
    NORMAL,
    TURNED,
    Layout,
    estimate_and_interval,
    table_layout,
)
from socialstats.text import visible_text

__all__ = ["escaped", "latex"]

# pdfLaTeX has Greek letters in formulas only
GREEK = {
    "\u03b1": "alpha",
    "\u03b2": "beta",
    "\u03b3": "gamma",
    "\u03b4": "delta",
    "\u03b7": "eta",
    "\u03ba": "kappa",
    "\u03bc": "mu",
    "\u03c1": "rho",
    "\u03c3": "sigma",
    "\u03c4": "tau",
    "\u03c7": "chi",
    "\u03c9": "omega",
    "\u0394": "Delta",
    "\u03a3": "Sigma",
    "\u03a9": "Omega",
}
# superscripts, that are set as raised digits
RAISED = str.maketrans(
    "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079", "-0123456789"
)
ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "|": r"\textbar{}",
        "`": r"\textasciigrave{}",
        "\u2212": "$-$",
        "<": "$<$",
        ">": "$>$",
        "\ufffd": "?",
        "\u2014": "---",
        "\u2013": "--",
        "\u2010": "-",
        "\u221e": r"$\infty$",
        "\u00b1": r"$\pm$",
        "\u00d7": r"$\times$",
        "\u2264": r"$\leq$",
        "\u2265": r"$\geq$",
        "\u2260": r"$\neq$",
        "\u2248": r"$\approx$",
        "\u2192": r"$\to$",
        "\u201c": "``",
        "\u201d": "''",
        "\u2018": "`",
        "\u2019": "'",
        "\u2026": r"\ldots{}",
        **dict.fromkeys("\u00a0\u2007\u202f", "~"),
        **{letter: rf"$\{name}$" for letter, name in GREEK.items()},
    }
)
# pdfLaTeX prints the characters up to here without any package
LAST_LATIN = "\u017f"


def escaped(text: str) -> str:
    r"""Return a text that LaTeX prints as it is; control characters are printed as question marks.

    Umlauts and other letters with accents need no package. Chinese letters and emoji need XeLaTeX or LuaLaTeX and a
    font that has them.

    Examples
    --------
    >>> print(escaped("5% of a_b, p < .001, 3.1\u00d710\u207b\u2079, --no-verify"))
    5\% of a\_b, p $<$ .001, 3.1$\times$10\textsuperscript{$-$9}, -{}-no-verify
    """
    # LaTeX prints -- as a dash: {} between hyphens keeps them apart, and is not escaped itself
    safe = visible_text(text).replace("--", "-{}-").translate(ESCAPES).replace("-\\{\\}-", "-{}-")
    return re.sub(
        "[\u207b\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+",
        lambda m: rf"\textsuperscript{{{m[0].translate(RAISED).replace('-', '$-$')}}}",
        safe,
    )


def latex(
    head: Sequence[str],
    cells: Sequence[Sequence[str]],
    words: Sequence[bool],
    *,
    before: Sequence[str] | None = None,
    caption: str = "",
    notes: str = "",
) -> str:
    r"""Return a LaTeX table with the rules of package booktabs, after a comment that names its packages.

    Parameters
    ----------
    head, cells : sequences of str
        As text; they are escaped here.
    words : sequence of bool
        Which columns hold words, and are set flush left.
    before : sequence of str, optional
        What stands before each line of cells, as LaTeX.
    caption, notes : str
        As LaTeX. With a caption the table is a float, or has several pages.

    Examples
    --------
    >>> print(latex(["term", "p_value"], [["a_b", "<.0001"]], [True, False]))
    % \usepackage{booktabs}
    \begin{tabular}{lr}
    \toprule
    term & p\_value \\
    \midrule
    a\_b & $<$.0001 \\
    \bottomrule
    \end{tabular}
    """
    layout = table_layout(head, cells, words)
    kinds, heads = _column_specs(head, layout, words)
    body = [
        start + _row_of_cells(line, layout, words)
        for start, line in zip(before or [""] * len(cells), cells, strict=True)
    ]
    long = layout.lines > LINES
    turned = layout.capacity == TURNED
    kind = "longtable" if long else "tabular"
    output = [
        rf"\begin{{{kind}}}{{{''.join(kinds)}}}",
        r"\toprule",
        rf"{' & '.join(heads)} \\",
        r"\midrule",
        *body,
        r"\bottomrule",
        rf"\end{{{kind}}}",
    ]
    if long:
        # what stands above is repeated on each page
        output.insert(4, r"\endhead")
        output[1:1] = [rf"\caption{{{caption}}} \\"] * bool(caption)
    if layout.capacity > NORMAL:
        # longtable sets captions in a box of its own width, 4 inches unless it is told
        caption_width = r"\setlength{\LTcapwidth}{\linewidth}" if long else ""
        output[0] = (
            rf"{{\footnotesize\setlength{{\tabcolsep}}{{3pt}}{caption_width}" + "\n" + output[0]
        )
        output[-1] += "}"
    output += [notes] if notes else []
    environment = "sidewaystable" if turned else "table"
    # a longtable cannot be in a float
    if long:
        environment = "landscape" if turned else ""
    packages = {
        "booktabs": True,
        "array": any(layout.broken),
        "longtable": long,
        ("pdflscape" if long else "rotating"): turned,
    }
    comment = rf"% \usepackage{{{','.join(name for name, needed in packages.items() if needed)}}}"
    if layout.needed > TURNED:
        comment += "; wider than a turned page: leave columns out"
    if caption and not long:
        output.insert(0, rf"\caption{{{caption}}}")
    if caption and environment:
        output = [rf"\begin{{{environment}}}", *output, rf"\end{{{environment}}}"]
    elif turned:
        comment += f"; wider than an upright page: place it in {environment}"
    elif long and not caption:
        comment += "; longer than a page: not inside a float"
    output.insert(0, comment)
    foreign = "".join(sorted({c for c in "".join(output) if c > LAST_LATIN})[:9])
    if foreign:
        fonts = "use XeLaTeX or LuaLaTeX with a font that has these characters"
        output.insert(0, f"% {foreign}: {fonts}")
    return "\n".join(output)


def _column_specs(
    head: Sequence[str], layout: Layout, words: Sequence[bool]
) -> tuple[list[str], list[str]]:
    """Return the specification of each column, such as ``r`` or ``p{...}``, and its head."""
    kinds = []
    heads = []
    for name, lines, size, broken, word in zip(
        head, layout.heads, layout.sizes, layout.broken, words, strict=True
    ):
        side = "l" if word else "r"
        # a little less than the share: characters differ in width
        share = 0.97 * size / layout.capacity
        width = rf">{{\raggedright\arraybackslash}}p{{{share:.3f}\linewidth}}"
        kinds.append(width if broken else side)
        stack = r" \\ ".join(map(escaped, lines))
        heads.append(
            escaped(name) if broken or len(lines) < 2 else rf"\shortstack[{side}]{{{stack}}}"
        )
    return kinds, heads


def _row_of_cells(line: Sequence[str], layout: Layout, words: Sequence[bool]) -> str:
    parts = []
    for cell, size, broken, word in zip(line, layout.sizes, layout.broken, words, strict=True):
        if broken:
            parts.append(_breakable_cell(cell, size))
        else:
            parts.append(_stacked_cell(cell) if layout.stacked and not word else escaped(cell))
    # after \\, LaTeX reads a leading [ or * as an option of the line break
    return ("{}" if line[0].startswith(("[", "*")) else "") + " & ".join(parts) + r" \\"


def _stacked_cell(cell: str) -> str:
    """Return an estimate with its interval below it."""
    lines = [escaped(part) for part in estimate_and_interval(cell)]
    # {}: the bracket of the interval is no option of \\
    stack = r" \\ {}".join(lines)
    return (
        rf"\begin{{tabular}}[t]{{@{{}}r@{{}}}}{stack}\end{{tabular}}" if len(lines) > 1 else stack
    )


def _breakable_cell(cell: str, width: int) -> str:
    """Return a cell whose words longer than its column can be broken, first after their punctuation."""
    words = []
    for word in cell.split(" "):
        pieces = [word]
        if len(word) > width - 2:
            pieces = re.findall(rf"[^_/.\-]{{1,{width - 4}}}[_/.\-]*|[_/.\-]+", word)
        words.append(r"\allowbreak{}".join(map(escaped, pieces)))
    return " ".join(words)
