"""LaTeX as tables and running text."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from socialstats.audit.documents.cells import BOLD
from socialstats.audit.documents.data_tables import data_tables
from socialstats.audit.documents.grids import Grid, Spanning, spread
from socialstats.audit.documents.sentences import plain_text
from socialstats.errors import InputError
from socialstats.tables.limits import check_limit
from socialstats.tables.sources import small_file

Piece = tuple[str, str, int]
TABLES = data_tables("latex")
TABULARS: Mapping[str, str] = TABLES["tables"]
DROPPED: Mapping[str, str] = TABLES["dropped"]
KEPT: Mapping[str, tuple[str, int]] = TABLES["kept"]
SIGNS: Mapping[str, str] = TABLES["signs"]
ENVIRONMENTS: Mapping[str, Sequence[str]] = TABLES["environments"]
COMMANDS: Mapping[str, Sequence[str]] = TABLES["commands"]
CAPTIONS = ("caption", "captionof")
FOOTNOTES = ("footnote", "footnotetext")
BIBLIOGRAPHIES = ("bibliography", "printbibliography")
HEADS_END, PARTS_END = ("endfirsthead", "endhead"), ("endfoot", "endlastfoot")
SPANS = ("multicolumn", "multirow")
MOST_SPANNED = 10_000
NOTE_LENGTH = 600  # characters of the notes of a table that are read
PARTIAL = re.compile(
    r"\\(?:cmidrule|cline|cdashline|cdashlinelr)\s*(?:\[[^\]\n]*\])?\s*(?:\([^)\n]*\))?\s*\{[^}\n]*\}"
)
INPUT = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:input|include|subfile)\s*\{\s*([^}\n]+?)\s*\}")
BRACED = r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"
DEFINED = re.compile(
    rf"\\(?:(?:re)?new|provide)command\*?\s*\{{?\s*\\([A-Za-z]+)\s*\}}?\s*(?:\[(\d)\])?\s*{BRACED}"
    rf"|\\def\s*\\([A-Za-z]+)\s*{BRACED}"
)
SPACED = re.compile(r"\\(begin|end)\s+\{")
MOST_INCLUDED = 5  # files within files


def path_without_links(path: Path) -> Path:
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
    for line in _lines_with_inputs(path, text, (path_without_links(path),)):
        lines.append(line)
        size += len(line[0]) + 1
        check_limit("characters", size, path.name)
    return lines


def _lines_with_inputs(
    path: Path, text: str, above: tuple[Path, ...]
) -> Iterator[tuple[str, str, int]]:
    """Yield the lines of a file; `above` are the files that include it, which it does not include again."""
    for number, line in enumerate(text.split("\n"), start=1):
        code = re.split(r"(?<!\\)%", line, maxsplit=1)[0]
        include = INPUT.search(code)
        included = (path.parent / include[2]) if include else path
        included = (
            included
            if included.suffix in (".tex", ".txt")
            else included.with_name(included.name + ".tex")
        )
        beside = (
            path_without_links(included).is_relative_to(path_without_links(path.parent))
            and included.is_file()
            and path_without_links(included) not in above
        )
        if not include or not beside or len(above) > MOST_INCLUDED:
            yield line, path.name, number
            continue
        yield code[: include.start()] + include[1], path.name, number
        yield from _lines_with_inputs(
            included,
            small_file(included).decode("utf-8", "replace"),
            (*above, path_without_links(included)),
        )
        yield line[include.end() :], path.name, number


def _argument(use: re.Match[str], place: re.Match[str]) -> str:
    """Return the argument of a use of a command that ``#1`` to ``#9`` in its definition stands for."""
    number = int(place[1])
    return use[number] if number <= use.re.groups else ""


def expanded(text: str, source: str) -> str:
    """Write out the short commands that a paper defines for itself, such as ``\\newcommand{\\sd}[1]{$\\pm$#1}``."""
    code = re.sub(r"(?<!\\)%[^\n]*", "", text)
    definitions = [
        (a or b, int(n or 0), (c or d).replace("\n", " "))
        for a, n, c, b, d in DEFINED.findall(code)
    ]
    commands = {name: (n, body) for name, n, body in definitions if len(body) < 200}
    for _ in range(3):
        for name, (n, body) in commands.items():
            pattern = re.compile(
                rf"(?<!command\{{)(?<!def)(?<!command)\\{name}(?![A-Za-z])" + rf"\s*{BRACED}" * n
            )
            if f"\\{name}" in body:
                continue
            pieces, at, size = [], 0, len(text)
            for use in pattern.finditer(text):
                text_of_use = re.sub(r"#([1-9])", partial(_argument, use), body)
                pieces += [text[at : use.start()], text_of_use]
                at = use.end()
                size += len(text_of_use) - len(use[0])
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
        lines = with_inputs(path, text)
        code = "\n".join(line for line, _, _ in lines)
        code = PARTIAL.sub("", expanded(code, path.name)).replace("\\tabularnewline", "\\\\")
        code = SPACED.sub(r"\\\1{", code)
        self.places = [(source, number) for _, source, number in lines]
        self.starts = [0, *(m.end() for m in re.finditer("\n", code))]
        self.convert = _converter()
        self.grids: list[Grid] = []
        self.pieces: list[Piece] = []
        try:
            self.walk(_nodes_of(code), "")
        except RecursionError as error:
            fault = "its groups are nested too deep to be LaTeX that is printed"
            raise InputError(f"{path.name}: {fault}") from error

    def place(self, position: int) -> tuple[str, int]:
        """Return the file and the line of a position."""
        return self.places[min(bisect_right(self.starts, position), len(self.places)) - 1]

    def text(self, nodes: Sequence[Any]) -> str:
        """Return nodes as plain text."""
        try:
            return plain_text(str(self.convert.nodelist_to_text(list(nodes))))
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

    def say_apart(self, text: str, position: int) -> None:
        """Add a paragraph of running text."""
        self.say(f"\n\n{text}\n\n", position)

    def walk(self, nodes: Sequence[Any], caption: str) -> None:
        """Read nodes in order; footnotes come after them."""
        footnotes: list[Any] = []
        for node in nodes:
            if getattr(node, "macroname", "") in FOOTNOTES:
                footnotes += [text for text in node.nodeargd.argnlist[-1:] if text is not None]
            elif getattr(node, "environmentname", ""):
                self.walk_environment(node, caption)
            elif node is not None:
                self.walk_command(node, caption)
        for note in footnotes:
            self.say_apart(self.text([note]), note.pos)

    def walk_environment(self, node: Any, caption: str) -> None:
        """Read a table, a float, a formula or another environment."""
        name = node.environmentname
        if name in TABULARS:
            self.grids.append(self.grid(node, caption or self.captions([node])))
        elif name in ENVIRONMENTS["floats"]:
            title = self.captions([node])
            self.say_apart(title, node.pos)
            self.walk(self.tabulars([node]), caption or f"{title} {self.notes(node)}".strip())
        elif name in ENVIRONMENTS["pictures"]:
            title = self.captions([node])
            self.say_apart(title, node.pos)
            self.walk(self.tabulars([node]), title)
        elif name.rstrip("*") in ENVIRONMENTS["math"]:
            self.say(f" {self.text([node])} ", node.pos)
        elif name not in ENVIRONMENTS["silent"]:
            self.say("\n\n", node.pos)
            self.walk(node.nodelist, caption)
            self.say("\n\n", node.pos + node.len - 1)

    def walk_command(self, node: Any, caption: str) -> None:
        """Read a command, a group or plain characters; tables may stand in both."""
        command = getattr(node, "macroname", "")
        arguments = node.nodeargd.argnlist if command in KEPT and node.nodeargd else []
        inside = self.tabulars(arguments)
        group = getattr(node, "nodelist", None) or []
        if command in BIBLIOGRAPHIES:
            return
        if command in COMMANDS["headings"]:
            self.say_apart(self.text([node]), node.pos)
        elif inside:
            self.walk(inside, caption)
        elif self.tabulars(group):
            self.walk(group, caption)
        elif type(node).__name__ == "LatexCharsNode":
            self.say(node.chars, node.pos)
        else:
            self.say(self.text([node]), node.pos)

    def tabulars(self, nodes: Sequence[Any]) -> list[Any]:
        """Return the tables inside nodes, at any depth outside another table."""
        tables = []
        for node in nodes:
            if getattr(node, "environmentname", "") in TABULARS:
                tables.append(node)
            elif node is not None:
                tables += self.tabulars(_children(node))
        return tables

    def captions(self, nodes: Sequence[Any]) -> str:
        """Return the captions inside nodes."""
        texts = []
        for node in nodes:
            if getattr(node, "macroname", "") in CAPTIONS:
                texts.append(" ".join(self.text([node]).split()))
            elif node is not None:
                texts += [self.captions(_children(node))]
        return " ".join(text for text in texts if text)

    def notes(self, node: Any) -> str:
        """Return what stands in a float beside its table: notes that say what is in parentheses."""
        name, command = getattr(node, "environmentname", ""), getattr(node, "macroname", "")
        if name in TABULARS or command in ("caption", "label"):
            return ""
        if name or getattr(node, "nodelist", None):
            notes = [self.notes(child) for child in _children(node) if child is not None]
            return " ".join(filter(None, notes))[:NOTE_LENGTH]
        if command in KEPT and self.tabulars(_children(node)):
            return ""
        return " ".join(self.text([node]).split())

    def grid(self, node: Any, caption: str) -> Grid:
        """Return one table."""
        rows = _rows_of(node)
        shown_rows = [row for row in range(len(rows.cells)) if row not in rows.repeated]
        cells = [[self.spanning(cell) for cell in rows.cells[row]] for row in shown_rows]
        filled = [i for i, row in enumerate(cells) if any(cell.text for cell in row)]
        first = shown_rows[filled[0]] if filled else 0
        heads = rows.heads or next((rule for rule in rows.rules if rule > first), 0)
        ruled = rows.heads or len(set(rows.rules)) > 1
        source, line = self.place(node.pos)
        spread_rows = spread(cells, f"{source} line {line}", placeholders=True)
        return Grid(
            rows=[spread_rows[i] for i in filled],
            lines=[
                self.first(rows.cells[shown_rows[i]], rows.starts[shown_rows[i]]) for i in filled
            ],
            caption=caption,
            source=source,
            heads=sum(shown_rows[i] < heads for i in filled) if ruled else 0,
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
        spans = dict.fromkeys(SPANS, 1)
        inside = list(nodes)
        while macros := [n for n in inside if getattr(n, "macroname", "") in SPANS]:
            macro = macros[0]
            arguments = macro.nodeargd.argnlist if macro.nodeargd else []
            if len(arguments) < 3 or arguments[-1] is None:
                break
            size = arguments[SPANS.index(macro.macroname)]
            digits = re.sub(r"\D", "", self.text([size]))
            spans[macro.macroname] = min(int(digits or 1), MOST_SPANNED)
            content = _children(arguments[-1])
            beside = [n for n in inside if n is not macro]
            inside = beside + content if content else [arguments[-1]]
        columns, rows = (spans[name] for name in SPANS)
        text = " ".join(self.text(inside).split()) + BOLD * any(map(_prints_bold, inside))
        return Spanning(text=text, columns=columns, rows=rows)


@dataclass(slots=True)
class LatexRows:
    """The rows of a table as they stand in the file.

    Attributes
    ----------
    cells : list of list of list of node
    starts : list of int
        Positions where rows begin.
    rules : list of int
        Rows before which a line is drawn.
    repeated : set of int
        Rows of heads and feet that a long table prints again on each page.
    heads : int
        Rows of its head; 0 where only lines tell.
    """

    cells: list[list[list[Any]]]
    starts: list[int]
    rules: list[int] = field(default_factory=list)
    repeated: set[int] = field(default_factory=set)
    heads: int = 0


def _rows_of(node: Any) -> LatexRows:
    rows = LatexRows(cells=[[[]]], starts=[node.pos])
    part = 0  # the row where the head or the foot of a long table begins
    for child in node.nodelist:
        macro = getattr(child, "macroname", "")
        last = len(rows.cells) - 1
        if getattr(child, "specials_chars", "") == "&":
            rows.cells[-1].append([])
        elif macro == "\\":
            rows.cells.append([[]])
            rows.starts.append(child.pos + child.len)
        elif macro in COMMANDS["rules"]:
            rows.rules.append(last)
        elif macro in HEADS_END and not rows.heads:
            rows.heads = part = last
        elif macro in HEADS_END or macro in PARTS_END:
            rows.repeated.update(range(part, last))
            part = last
        elif macro != "caption":
            rows.cells[-1][-1].append(child)
    return rows


def _nodes_of(code: str) -> list[Any]:
    """Return the nodes of the document, or of a file without one."""
    from pylatexenc.latexwalker import LatexWalker, get_default_latex_context_db
    from pylatexenc.macrospec import EnvironmentSpec, MacroSpec

    specs = {**DROPPED, **{name: spec for name, (spec, _) in KEPT.items()}, **SIGNS}
    database = get_default_latex_context_db()
    database.add_context_category(
        "tables",
        macros=[MacroSpec(name, spec) for name, spec in specs.items()],
        environments=[EnvironmentSpec(name, spec) for name, spec in TABULARS.items()],
        prepend=True,
    )
    walker = LatexWalker(code, latex_context=database, tolerant_parsing=True)
    nodes: list[Any] = walker.get_latex_nodes()[0]
    documents = [n for n in nodes if getattr(n, "environmentname", "") == "document"]
    return documents[0].nodelist if documents else nodes


def _converter() -> Any:
    """Return what turns nodes into plain text."""
    from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, get_default_latex_context_db

    printed = dict.fromkeys(DROPPED, "")
    printed |= {name: f"%({which})s" for name, (_, which) in KEPT.items()}
    printed |= {"textsuperscript": "^%(1)s", "textsubscript": "_%(1)s"}
    printed |= {"\\": " ", "checkmark": "✓"}
    texts = get_default_latex_context_db()
    macros = [MacroTextSpec(name, text) for name, text in printed.items()]
    texts.add_context_category("tables", macros=macros, prepend=True)
    return LatexNodes2Text(latex_context=texts, math_mode="text", strict_latex_spaces=False)


def _prints_bold(node: Any) -> bool:
    """Whether a node, or one within it, is printed bold."""
    return getattr(node, "macroname", "") in COMMANDS["bold"] or any(
        map(_prints_bold, _children(node))
    )


def _children(node: Any) -> list[Any]:
    nodes = [*(getattr(node, "nodelist", None) or [])]
    if getattr(node, "macroname", "") and getattr(node, "nodeargd", None):
        nodes += [arg for arg in node.nodeargd.argnlist if arg is not None]
    return nodes


def read_latex(path: Path, text: str) -> tuple[list[Grid], Iterator[Piece]]:
    """Return the tables of a LaTeX file, and its running text in pieces."""
    paper = Paper(path, text)
    return paper.grids, iter(paper.pieces)
