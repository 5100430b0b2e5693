"""LaTeX as tables and running text."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from socialstats.audit.grids import Grid, Spanning, spread
from socialstats.audit.sentences import plain
from socialstats.errors import InputError
from socialstats.tables.limits import check_limit
from socialstats.tables.sources import small_file

Piece = tuple[str, str, int]
TABULARS = {
    "tabular": "[{",
    "tabular*": "{[{",
    "tabularx": "{[{",
    "tabulary": "{[{",
    "longtable": "[{",
    "tblr": "[{",
    "NiceTabular": "[{",
    "supertabular": "[{",
    "xltabular": "[{{",
}
FLOATS = {
    "table",
    "table*",
    "wraptable",
    "sidewaystable",
    "sidewaystable*",
    "SCtable",
    "threeparttable",
}
PICTURES = {"figure", "figure*", "wrapfigure", "subfigure", "sidewaysfigure"}
SILENT = {
    "verbatim",
    "lstlisting",
    "minted",
    "thebibliography",
    "tikzpicture",
    "algorithm",
    "algorithmic",
    "comment",
    "filecontents",
    "filecontents*",
    "references",
    "Verbatim",
    "CCSXML",
    "tcolorbox",
}
HEADINGS = {
    "title",
    "part",
    "chapter",
    "section",
    "subsection",
    "subsubsection",
    "paragraph",
    "subparagraph",
}
DROPPED = {
    "cellcolor": "[{",
    "rowcolor": "[{",
    "columncolor": "[{",
    "rowcolors": "[{{{",
    "color": "[{",
    "label": "{",
    "vspace": "*{",
    "hspace": "*{",
    "phantom": "{",
    "hphantom": "{",
    "vphantom": "{",
    "tnote": "{",
    "tablefootnote": "[{",
    "footnote": "[{",
    "footnotemark": "[",
    "footnotetext": "[{",
    "addlinespace": "[",
    "setlength": "{{",
    "renewcommand": "*{[[{",
    "newcommand": "*{[[{",
    "providecommand": "*{[[{",
    "def": "",
    "usepackage": "[{",
    "sisetup": "{",
    "arraystretch": "",
    "tabcolsep": "",
    "includegraphics": "*[{",
    "bibliography": "{",
    "bibliographystyle": "{",
    "fontsize": "{{",
    "selectfont": "",
    "specialrule": "{{{",
    "morecmidrules": "",
    "captionsetup": "[{",
    "index": "{",
    "todo": "[{",
    "input": "{",
    "url": "{",
    "thispagestyle": "{",
    "pagestyle": "{",
    "hypersetup": "{",
    "graphicspath": "{",
    "setcounter": "{{",
    "centering": "",
    **dict.fromkeys(
        (
            "cite",
            "citep",
            "citet",
            "citealt",
            "citealp",
            "citeauthor",
            "citeyear",
            "citeyearpar",
            "parencite",
            "textcite",
            "autocite",
            "footcite",
            "Citet",
            "Citep",
        ),
        "*[[{",
    ),
    **dict.fromkeys(("ref", "autoref", "cref", "Cref", "eqref", "pageref", "nameref"), "*{"),
}
KEPT = {
    "multicolumn": ("{{{", 3),
    "multirow": ("[{[{[{", 6),
    "makecell": ("*[{", 3),
    "thead": ("*[{", 3),
    "shortstack": ("[{", 2),
    "rotatebox": ("[{{", 3),
    "resizebox": ("*{{{", 4),
    "scalebox": ("{[{", 3),
    "textcolor": ("[{{", 3),
    "colorbox": ("{{", 2),
    "num": ("[{", 2),
    "tablenum": ("[{", 2),
    "SI": ("[{{", 2),
    "qty": ("[{{", 2),
    "underline": ("{", 1),
    "uline": ("{", 1),
    "bm": ("{", 1),
    "mathbf": ("{", 1),
    "hl": ("{", 1),
    "boldsymbol": ("{", 1),
    "href": ("{{", 2),
    "adjustbox": ("{{", 2),
    "mbox": ("{", 1),
    "ensuremath": ("{", 1),
    "parbox": ("[{{", 3),
    "raisebox": ("{[[{", 4),
    "textsc": ("{", 1),
    "caption": ("*[{", 3),
    "captionof": ("{[{", 3),
    "textnormal": ("{", 1),
    "operatorname": ("*{", 2),
}
SIGNS = {"textsuperscript": "{", "textsubscript": "{"}
RULES = ("hline", "midrule", "toprule", "bottomrule", "Xhline", "hhline", "thickhline")
PARTIAL = re.compile(
    r"\\(?:cmidrule|cline|cdashline|cdashlinelr)\s*(?:\[[^\]\n]*\])?\s*(?:\([^)\n]*\))?\s*\{[^}\n]*\}"
)
INPUT = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:input|include|subfile)\s*\{\s*([^}\n]+?)\s*\}")
BRACED = r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"
DEFINED = re.compile(
    rf"\\(?:(?:re)?new|provide)command\*?\s*\{{?\s*\\([A-Za-z]+)\s*\}}?\s*(?:\[(\d)\])?\s*{BRACED}"
    rf"|\\def\s*\\([A-Za-z]+)\s*{BRACED}"
)
MOST_INCLUDED = 5  # files within files


def real(path: Path) -> Path:
    """Return a path without links; one in a loop of links stays as it is."""
    return Path(os.path.realpath(path))


def with_inputs(path: Path, text: str) -> list[tuple[str, str, int]]:
    """Return the lines of a file with those of the files that it includes; each with its file and its number.

    Raises
    ------
    InputError
        If they have more characters than the limits allow.
    """
    lines, size = [], 0
    for line in _lines(path, text, (real(path),)):
        lines.append(line)
        size += len(line[0]) + 1
        check_limit("characters", size, path.name)
    return lines


def _lines(path: Path, text: str, above: tuple[Path, ...]) -> Iterator[tuple[str, str, int]]:
    """Yield the lines of a file; `above` are the files that include it, which it does not include again."""
    for number, line in enumerate(text.split("\n"), start=1):
        code = re.split(r"(?<!\\)%", line, maxsplit=1)[0]
        include = INPUT.search(code)
        other = (path.parent / include[2]) if include else path
        other = other if other.suffix in (".tex", ".txt") else other.with_name(other.name + ".tex")
        beside = (
            real(other).is_relative_to(real(path.parent))
            and other.is_file()
            and real(other) not in above
        )
        if not include or not beside or len(above) > MOST_INCLUDED:
            yield line, path.name, number
            continue
        yield code[: include.start()] + include[1], path.name, number
        yield from _lines(
            other, small_file(other).decode("utf-8", "replace"), (*above, real(other))
        )
        yield line[include.end() :], path.name, number


def _argument(use: re.Match[str], place: re.Match[str]) -> str:
    """Return the argument of a use of a command that ``#1`` to ``#9`` in its definition stands for."""
    number = int(place[1])
    return use[number] if number <= use.re.groups else ""


def expanded(text: str, source: str) -> str:
    """Write out the short commands that a paper defines for itself, such as ``\\newcommand{\\sd}[1]{$\\pm$#1}``."""
    code = re.sub(r"(?<!\\)%[^\n]*", "", text)
    found = [
        (a or b, int(n or 0), (c or d).replace("\n", " "))
        for a, n, c, b, d in DEFINED.findall(code)
    ]
    own = {name: (n, body) for name, n, body in found if len(body) < 200}
    for _ in range(3):
        for name, (n, body) in own.items():
            pattern = re.compile(
                rf"(?<!command\{{)(?<!def)(?<!command)\\{name}(?![A-Za-z])" + rf"\s*{BRACED}" * n
            )
            if f"\\{name}" in body:
                continue
            pieces, at, size = [], 0, len(text)
            for use in pattern.finditer(text):
                given = re.sub(r"#([1-9])", partial(_argument, use), body)
                pieces += [text[at : use.start()], given]
                at = use.end()
                size += len(given) - len(use[0])
                check_limit(
                    "characters",
                    size,
                    source,
                    fix="Its commands stand for each other: write them out",
                )
            text = "".join([*pieces, text[at:]])
    return text


class Paper:
    """A LaTeX file: its tables and the pieces of its running text.

    Attributes
    ----------
    grids : list of Grid
    pieces : list of (text, file, line)
    """

    def __init__(self, path: Path, text: str) -> None:
        from pylatexenc.latex2text import (
            LatexNodes2Text,
            MacroTextSpec,
            get_default_latex_context_db,
        )
        from pylatexenc.latexwalker import LatexWalker
        from pylatexenc.latexwalker import get_default_latex_context_db as get_walker_db
        from pylatexenc.macrospec import EnvironmentSpec, MacroSpec

        lines = with_inputs(path, text)
        whole = "\n".join(line for line, _, _ in lines)
        whole = PARTIAL.sub("", expanded(whole, path.name)).replace("\\tabularnewline", "\\\\")
        whole = re.sub(r"\\(begin|end)\s+\{", r"\\\1{", whole)
        self.places = [(source, number) for _, source, number in lines]
        self.starts = [0, *(m.end() for m in re.finditer("\n", whole))]
        database = get_walker_db()
        specs = DROPPED | {name: spec for name, (spec, _) in KEPT.items()} | SIGNS
        macros = [MacroSpec(name, spec) for name, spec in specs.items()]
        environments = [EnvironmentSpec(name, spec) for name, spec in TABULARS.items()]
        database.add_context_category(
            "tables", macros=macros, environments=environments, prepend=True
        )
        texts = get_default_latex_context_db()
        said = [MacroTextSpec(name, "") for name in DROPPED]
        said += [MacroTextSpec(name, f"%({which})s") for name, (_, which) in KEPT.items()]
        said += [
            MacroTextSpec("textsuperscript", "^%(1)s"),
            MacroTextSpec("textsubscript", "_%(1)s"),
            MacroTextSpec("\\", " "),
            MacroTextSpec("checkmark", "✓"),
        ]
        texts.add_context_category("tables", macros=said, prepend=True)
        self.convert = LatexNodes2Text(
            latex_context=texts, math_mode="text", strict_latex_spaces=False
        )
        self.grids: list[Grid] = []
        self.pieces: list[Piece] = []
        try:
            nodes, _, _ = LatexWalker(
                whole, latex_context=database, tolerant_parsing=True
            ).get_latex_nodes()
            inner = [node for node in nodes if getattr(node, "environmentname", "") == "document"]
            self.walk(inner[0].nodelist if inner else nodes, "")
        except RecursionError as error:
            raise InputError(
                f"{path.name}: its groups are nested too deep to be LaTeX that is printed"
            ) from error

    def place(self, position: int) -> tuple[str, int]:
        """Return the file and the line of a position."""
        return self.places[min(bisect_right(self.starts, position), len(self.places)) - 1]

    def text(self, nodes: Sequence[Any]) -> str:
        """Return nodes as plain text."""
        try:
            return plain(str(self.convert.nodelist_to_text(list(nodes))))
        except (
            KeyError,
            TypeError,
            ValueError,
            IndexError,
            AttributeError,
        ):  # a command without what it needs
            return "".join(node.latex_verbatim() for node in nodes if node is not None)

    def say(self, text: str, position: int) -> None:
        """Add a piece of running text."""
        self.pieces.append((text, *self.place(position)))

    def walk(self, nodes: Sequence[Any], caption: str) -> None:
        """Read nodes in order."""
        later: list[Any] = []
        for node in nodes:
            if node is None:
                continue
            name = getattr(node, "environmentname", "")
            macro = getattr(node, "macroname", "")
            if name in TABULARS:
                self.grids.append(self.grid(node, caption or self.captions([node])))
            elif name in FLOATS:
                said = self.captions([node])
                self.say(f"\n\n{said}\n\n", node.pos)
                self.walk(self.tabulars([node]), caption or f"{said} {self.notes(node)}".strip())
            elif name in PICTURES:
                self.say(f"\n\n{self.captions([node])}\n\n", node.pos)
                self.walk(self.tabulars([node]), self.captions([node]))
            elif name in SILENT or macro in ("bibliography", "printbibliography"):
                continue
            elif name:
                self.say("\n\n" if not _is_math(name) else " ", node.pos)
                self.walk(node.nodelist, caption) if not _is_math(name) else self.say(
                    self.text([node]), node.pos
                )
                self.say("\n\n" if not _is_math(name) else " ", node.pos + node.len - 1)
            elif macro in ("footnote", "footnotetext"):
                later += [arg for arg in node.nodeargd.argnlist[-1:] if arg is not None]
            elif macro in HEADINGS:
                self.say(f"\n\n{self.text([node])}\n\n", node.pos)
            elif (
                macro in KEPT
                and node.nodeargd
                and (inside := self.tabulars(node.nodeargd.argnlist))
            ):
                self.walk(inside, caption)
            elif getattr(node, "nodelist", None) and self.tabulars(node.nodelist):
                self.walk(node.nodelist, caption)
            elif type(node).__name__ == "LatexCharsNode":
                self.say(node.chars, node.pos)
            else:
                self.say(self.text([node]), node.pos)
        for note in later:
            self.say(f"\n\n{self.text([note])}\n\n", note.pos)

    def tabulars(self, nodes: Sequence[Any]) -> list[Any]:
        """Return the tables inside nodes, at any depth outside another table."""
        found = []
        for node in nodes:
            if getattr(node, "environmentname", "") in TABULARS:
                found.append(node)
            elif node is not None:
                found += self.tabulars(_children(node))
        return found

    def captions(self, nodes: Sequence[Any]) -> str:
        """Return the captions inside nodes."""
        found = []
        for node in nodes:
            if getattr(node, "macroname", "") in ("caption", "captionof"):
                found.append(" ".join(self.text([node]).split()))
            elif node is not None:
                found += [self.captions(_children(node))]
        return " ".join(text for text in found if text)

    def notes(self, node: Any) -> str:
        """Return what stands in a float beside its table: notes that say what is in parentheses."""
        if getattr(node, "environmentname", "") in TABULARS or getattr(node, "macroname", "") in (
            "caption",
            "label",
        ):
            return ""
        if getattr(node, "environmentname", "") or getattr(node, "nodelist", None):
            return " ".join(
                filter(None, (self.notes(child) for child in _children(node) if child is not None))
            )[:600]
        if getattr(node, "macroname", "") in KEPT and self.tabulars(_children(node)):
            return ""
        return " ".join(self.text([node]).split())

    def grid(self, node: Any, caption: str) -> Grid:
        """Return one table."""
        rows: list[list[list[Any]]] = [[[]]]
        starts, rules, head = [node.pos], list[int](), 0
        drop: list[tuple[int, int]] = []
        began = 0
        for child in node.nodelist:
            macro = getattr(child, "macroname", "")
            if getattr(child, "specials_chars", "") == "&":
                rows[-1].append([])
            elif macro == "\\":
                rows.append([[]])
                starts.append(child.pos + child.len)
            elif macro in RULES:
                rules.append(len(rows) - 1)
            elif macro in ("endfirsthead", "endhead", "endfoot", "endlastfoot"):
                if macro in ("endfirsthead", "endhead") and not head:
                    head = len(rows) - 1
                else:
                    drop.append((began, len(rows) - 1))
                began = len(rows) - 1
            elif macro != "caption":
                rows[-1][-1].append(child)
        kept = [i for i in range(len(rows)) if not any(a <= i < b for a, b in drop)]
        source, line = self.place(node.pos)
        cells = [[self.spanning(cell) for cell in rows[i]] for i in kept]
        firsts = [self.first(rows[i], starts[i]) for i in kept]
        filled = [i for i, row in enumerate(cells) if any(cell.text for cell in row)]
        first = filled[0] if filled else 0
        heads = head or next((rule for rule in rules if rule > kept[first]), 0) if kept else 0
        made = spread(cells, f"{source} line {line}", placeholders=True)
        return Grid(
            rows=[made[i] for i in filled],
            lines=[firsts[i] for i in filled],
            caption=caption,
            source=source,
            heads=sum(kept[i] < heads for i in filled) if len(set(rules)) > 1 or head else 0,
        )

    def first(self, row: Sequence[Sequence[Any]], start: int) -> int:
        """Return the line where a row begins."""
        nodes = (n for cell in row for n in cell if type(n).__name__ != "LatexCommentNode")
        for n in nodes:
            chars = getattr(n, "chars", "x")
            if chars.strip():
                return self.place(n.pos + len(chars) - len(chars.lstrip()))[1]
        return self.place(start)[1]

    def spanning(self, nodes: Sequence[Any]) -> Spanning:
        """Return one cell with what it spans."""
        columns = rows = 1
        inside = list(nodes)
        while found := next(
            (n for n in inside if getattr(n, "macroname", "") in ("multicolumn", "multirow")), None
        ):
            args = found.nodeargd.argnlist if found.nodeargd else []
            if len(args) < 3 or args[-1] is None:
                break
            number = (
                re.sub(r"\D", "", self.text([args[0 if found.macroname == "multicolumn" else 1]]))
                or "1"
            )
            if found.macroname == "multicolumn":
                columns = min(int(number), 10_000)
            else:
                rows = min(int(number), 10_000)
            inside = (
                [n for n in inside if n is not found] + _children(args[-1])
                if _children(args[-1])
                else [args[-1]]
            )
        return Spanning(text=" ".join(self.text(inside).split()), columns=columns, rows=rows)


def _children(node: Any) -> list[Any]:
    nodes = [*(getattr(node, "nodelist", None) or [])]
    if getattr(node, "macroname", "") and getattr(node, "nodeargd", None):
        nodes += [arg for arg in node.nodeargd.argnlist if arg is not None]
    return nodes


def _is_math(name: str) -> bool:
    return name.rstrip("*") in (
        "equation",
        "align",
        "gather",
        "displaymath",
        "eqnarray",
        "multline",
        "math",
    )


def read_latex(path: Path, text: str) -> tuple[list[Grid], Iterator[Piece]]:
    """Return the tables of a LaTeX file, and its running text in pieces."""
    paper = Paper(path, text)
    return paper.grids, iter(paper.pieces)
