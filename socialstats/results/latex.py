r"""Tables in LaTeX that fit on a page: wide ones in smaller type, with broken cells or turned; long ones on many."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from socialstats.figures.style import clean

__all__ = ["escaped", "latex"]

GREEK = {"\u03b1": "alpha", "\u03b2": "beta", "\u03b3": "gamma", "\u03b4": "delta", "\u03b7": "eta", "\u03ba": "kappa",
         "\u03bc": "mu", "\u03c1": "rho", "\u03c3": "sigma", "\u03c4": "tau", "\u03c7": "chi", "\u03c9": "omega",
         "\u0394": "Delta", "\u03a3": "Sigma", "\u03a9": "Omega"}  # fmt: skip
RAISED = str.maketrans("\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079", "-0123456789")
ESCAPES = str.maketrans({
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "|": r"\textbar{}", "`": r"\textasciigrave{}",
    "\u2212": "$-$", "<": "$<$", ">": "$>$", "\ufffd": "?",
    "\u2014": "---", "\u2013": "--", "\u2010": "-", "\u221e": r"$\infty$", "\u00b1": r"$\pm$", "\u00d7": r"$\times$",
    "\u2264": r"$\leq$", "\u2265": r"$\geq$", "\u2260": r"$\neq$", "\u2248": r"$\approx$", "\u2192": r"$\to$",
    "\u201c": "``", "\u201d": "''", "\u2018": "`", "\u2019": "'", "\u2026": r"\ldots{}",
    **dict.fromkeys("\u00a0\u2007\u202f", "~"),
    **{letter: rf"$\{name}$" for letter, name in GREEK.items()},
})  # fmt: skip
# characters on a line of 345 pt, that of class article: at 10 pt; at 8 pt; at 8 pt on a turned page of 550 pt
NORMAL, SMALL, TURNED = 66, 78, 124
GAP, SMALL_GAP = 2.4, 1.5  # characters between columns: 12 pt at 10 pt, and 6 pt at 8 pt
LEAST = 16  # characters of a column of words whose cells are broken
LAST_LATIN = "\u017f"  # pdfLaTeX prints the characters up to here without any package
LINES = 34  # lines on a page; a table that has more goes over several pages


def escaped(text: str) -> str:
    r"""Return a text that LaTeX prints as it is; control characters are printed as question marks.

    Umlauts and other letters with accents need no package. Chinese letters and emoji need XeLaTeX or LuaLaTeX and a
    font that has them.

    Examples
    --------
    >>> print(escaped("5% of a_b, p < .001, 3.1\u00d710\u207b\u2079, --no-verify"))
    5\% of a\_b, p $<$ .001, 3.1$\times$10\textsuperscript{$-$9}, -{}-no-verify
    """
    safe = clean(text).replace("--", "-{}-").translate(ESCAPES).replace("-\\{\\}-", "-{}-")
    return re.sub(
        "[\u207b\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+",
        lambda m: rf"\textsuperscript{{{m[0].translate(RAISED).replace('-', '$-$')}}}",
        safe,
    )


@dataclass(frozen=True, slots=True)
class Layout:
    """How a table is set: characters of each broken column (0 for others), of all and that there is room for; lines."""

    widths: tuple[int, ...]
    needed: float
    capacity: int
    lines: int

    @property
    def long(self) -> bool:
        return self.lines > LINES

    @property
    def packages(self) -> str:
        used = {"booktabs": True, "array": any(self.widths), "longtable": self.long,
                ("pdflscape" if self.long else "rotating"): self.capacity == TURNED}  # fmt: skip
        return ",".join(name for name, needed in used.items() if needed)


def laid_out(head: Sequence[str], cells: Sequence[Sequence[str]], words: Sequence[bool]) -> Layout:
    """Decide how a table is set: as it is, in small type with cells broken, or on a turned page."""
    columns = list(zip(*cells, strict=True)) if cells else [()] * len(head)
    longest = [max(map(len, column), default=0) for column in columns]
    whole = [max(len(name), size) for name, size in zip(head, longest, strict=True)]
    if (needed := sum(whole) + GAP * len(head)) <= NORMAL:
        return Layout((0,) * len(head), needed, NORMAL, len(cells))
    natural = [max(size, *map(len, [*name.split(), ""])) for name, size in zip(head, longest, strict=True)]
    fixed = sum(size for size, word in zip(natural, words, strict=True) if not word) + SMALL_GAP * len(head)
    texts = [k for k, word in enumerate(words) if word]
    needed = fixed + sum(min(natural[k], LEAST) for k in texts)
    capacity = SMALL if needed <= SMALL else TURNED
    widths, left = [0] * len(head), capacity - fixed
    for place, k in enumerate(sorted(texts, key=lambda k: natural[k])):
        share = int(left / (len(texts) - place))
        widths[k] = 0 if natural[k] <= share else max(share, LEAST)
        left -= widths[k] or natural[k]
    heights = [max((-(-len(line[k]) // (width - 2)) for k, width in enumerate(widths) if width), default=1)
               for line in cells]  # fmt: skip
    return Layout(tuple(widths), needed, capacity, sum(max(1, height) for height in heights))


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
    layout = laid_out(head, cells, words)
    kinds = "".join(
        rf">{{\raggedright\arraybackslash}}p{{{0.97 * width / layout.capacity:.3f}\linewidth}}" if width
        else "l" if word else "r" for width, word in zip(layout.widths, words, strict=True)
    )  # fmt: skip
    body = [start + _line(line, layout) for start, line in zip(before or [""] * len(cells), cells, strict=True)]
    heads = " & ".join(
        _head(name, [line[k] for line in cells], "l" if words[k] else "r", layout, k) for k, name in enumerate(head)
    )
    kind = "longtable" if layout.long else "tabular"
    made = [rf"\begin{{{kind}}}{{{kinds}}}", r"\toprule", rf"{heads} \\", r"\midrule", *body, r"\bottomrule",
            rf"\end{{{kind}}}"]  # fmt: skip
    if layout.long:
        made.insert(4, r"\endhead")
        made[1:1] = [rf"\caption{{{caption}}} \\"] * bool(caption)
    if layout.capacity > NORMAL:
        wide = r"\setlength{\LTcapwidth}{\linewidth}" if layout.long else ""
        made = [rf"{{\footnotesize\setlength{{\tabcolsep}}{{3pt}}{wide}", *made[:-1], made[-1] + "}"]
    made += [notes] if notes else []
    turned = layout.capacity == TURNED
    around = ("landscape" if turned else "") if layout.long else "sidewaystable" if turned else "table"
    said = rf"% \usepackage{{{layout.packages}}}"
    if layout.needed > TURNED:
        said += "; wider than a turned page: leave columns out"
    if caption and not layout.long:
        made.insert(0, rf"\caption{{{caption}}}")
    if caption and around:
        made = [rf"\begin{{{around}}}", *made, rf"\end{{{around}}}"]
    elif turned:
        said += f"; wider than an upright page: place it in {around}"
    elif layout.long and not caption:
        said += "; longer than a page: not inside a float"
    made.insert(0, said)
    foreign = sorted({one for one in "".join(made) if one > LAST_LATIN})
    if foreign:
        made.insert(0, f"% {''.join(foreign[:9])}: use XeLaTeX or LuaLaTeX with a font that has these characters")
    return "\n".join(made)


def _line(line: Sequence[str], layout: Layout) -> str:
    parts = [_broken(cell, width) if width else escaped(cell) for cell, width in zip(line, layout.widths, strict=True)]
    # after \\, LaTeX reads a leading [ or * as an option of the line break
    return ("{}" if line[0].startswith(("[", "*")) else "") + " & ".join(parts) + r" \\"


def _broken(cell: str, width: int) -> str:
    """Return a cell whose words longer than its column can be broken, first after their punctuation."""
    said = []
    for word in cell.split(" "):
        pieces = [word] if len(word) <= width - 2 else re.findall(rf"[^_/.\-]{{1,{width - 4}}}[_/.\-]*|[_/.\-]+", word)
        said.append(r"\allowbreak{}".join(map(escaped, pieces)))
    return " ".join(said)


def _head(name: str, column: Sequence[str], side: str, layout: Layout, k: int) -> str:
    """Return a head, broken where it is longer than every cell of its column."""
    room = max(map(len, [*column, *name.split(), ""]))
    if layout.capacity == NORMAL or layout.widths[k] or len(name) <= room:
        return escaped(name)
    broken = r" \\ ".join(map(escaped, textwrap.wrap(name, room, break_long_words=False)))
    return rf"\shortstack[{side}]{{{broken}}}"
