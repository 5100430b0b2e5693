"""HTML and Markdown as tables and running text: Markdown becomes HTML first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from socialstats.audit.documents.cells import BOLD
from socialstats.audit.documents.data_tables import data_tables
from socialstats.audit.documents.grids import Grid, Spanning, spread
from socialstats.audit.documents.sentences import read_math, without_math
from socialstats.errors import InputError

Piece = tuple[str, str, int]
WORDS = data_tables("words")["pages"]
SILENT, HEADINGS = frozenset(WORDS["silent"]), frozenset(WORDS["headings"])
BLOCKS = frozenset(WORDS["blocks"])
MOST_TABLES = 5000
REFERENCES = re.compile(
    r"\s*(?:\d+\.?\s*)?(?:references|bibliography|works cited|literature(?: cited)?)\s*:?\s*", re.I
)
CITED = re.compile(r"\b(?:references|bibliography|ltx_bibliography|reflist)\b")
CAPTION = re.compile(
    r"\s*(?:\*\*)?(?:supplementary |appendix )?tab(?:le|\.)\s*[\w.]+\s*[.:|—–]?.*", re.I | re.S
)
RAISED = re.compile(r"\s*[*†‡§a-z,]+\s*|\s*\[?\d{1,2}\]?\s*")


def read_html(text: str, source: str, *, lined: bool = False) -> tuple[list[Grid], Iterator[Piece]]:
    """Return the tables of an HTML page, and its running text in pieces; `lined` where elements know their lines."""
    from lxml import html

    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    if len(re.findall("<table", text, re.I)) > MOST_TABLES:
        raise InputError(
            f"{source}: it has more than {MOST_TABLES:,} tables. Save those to be audited as a file"
        )
    root = html.document_fromstring(text.encode("utf-8", "replace") or b"<p></p>", parser=parser)
    for element in () if lined else root.iter():
        element.set("data-line", str(element.sourceline or 1))
    grids = [_grid(table, source) for table in root.iter("table") if table.find(".//table") is None]
    return grids, _pieces(root, source)


def read_markdown(text: str, source: str) -> tuple[list[Grid], Iterator[Piece]]:
    """Return the tables of a Markdown text, and its running text in pieces."""
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    lines = text.split("\n")
    if lines[0].strip() == "---" and "---" in [
        line.strip() for line in lines[1:]
    ]:  # settings before the text
        end = [line.strip() for line in lines].index("---", 1)
        lines[: end + 1] = [""] * (end + 1)
    tokens = reader.parse(_formulas("\n".join(lines)))
    for token in tokens:
        if token.map and token.nesting == 1:
            token.attrSet("data-line", str(token.map[0] + 1))
    return read_html(reader.renderer.render(tokens, reader.options, {}), source, lined=True)


def _formulas(text: str) -> str:
    """Write formulas as they would be read, outside code: stars and lines in them are no markup."""
    parts = re.split(r"(```.*?```|`[^`\n]*`)", text, flags=re.DOTALL)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(
            r"\$\$?[^$\n]+\$\$?", lambda m: without_math(m[0]).replace("*", r"\*"), parts[i]
        )
    return "".join(parts)


def _line(element: Any) -> int:
    """Return the line of an element, or of the nearest one around it that has one."""
    around = (ancestor.get("data-line", "") for ancestor in (element, *element.iterancestors()))
    return next((int(line) for line in around if line.isdigit()), 1)


def _text_of_element(element: Any) -> str:
    """Return the text of a cell or a caption; raised letters and stars are marked as footnotes."""
    if (
        element.tag in SILENT - {"code"}
        or element.tag == "table"
        or not isinstance(element.tag, str)
    ):
        return ""
    if element.tag == "annotation":
        return ""
    inner = (element.text or "") + "".join(
        _text_of_element(child) + (child.tail or "") for child in element
    )
    if element.tag == "sup" and RAISED.fullmatch(inner):
        return f"^{inner.strip()}"
    return f" {inner} " if element.tag in BLOCKS else inner


def _span_of(element: Any, name: str) -> int:
    match = re.match(r"\s*(\d{1,9})", element.get(name) or "")
    return int(match[1]) if match else 1


def _is_bold(cell: Any) -> bool:
    """Whether a cell begins with bold text, as ``**72.1** ± 0.3`` does."""
    bold = " ".join(_text_of_element(part) for part in cell.iter("b", "strong")).strip()
    return bool(bold) and _text_of_element(cell).strip().startswith(bold)


def _grid(table: Any, source: str) -> Grid:
    """Return one table; nested tables are tables of their own."""
    rows = list(table.iter("tr"))
    cells, lines, heads = [], [], 0
    for i, row in enumerate(rows):
        row_cells = [cell for cell in row if cell.tag in ("td", "th")]
        spans = [
            Spanning(
                text=" ".join(without_math(_text_of_element(cell)).split()) + BOLD * _is_bold(cell),
                columns=_span_of(cell, "colspan"),
                rows=_span_of(cell, "rowspan") or len(rows),
            )
            for cell in row_cells
        ]
        in_head = row.getparent().tag == "thead" or (
            bool(row_cells) and all(cell.tag == "th" for cell in row_cells)
        )
        heads = i + 1 if in_head and heads == i else heads
        cells.append(spans)
        lines.append(_line(row))
    caption = next((_text_of_element(element) for element in table.iter("caption")), "") or _near(
        table
    )
    return Grid(
        rows=spread(cells, f"{source} line {_line(table)}"),
        lines=lines,
        heads=heads,
        source=source,
        caption=" ".join(without_math(caption).split()),
    )


def _near(table: Any) -> str:
    """Return the caption of a figure that holds the table, or a paragraph beside it that begins with "Table"."""
    outside = table
    while (
        (parent := outside.getparent()) is not None
        and parent.tag in ("div", "section")
        and len(parent) == 1
    ):
        outside = parent
    figure = next(table.iterancestors("figure"), None)
    if figure is not None and (
        text := " ".join(_text_of_element(element) for element in figure.iter("figcaption"))
    ):
        return text
    for beside in (outside.getprevious(), outside.getnext()):
        if (
            beside is not None
            and beside.tag in BLOCKS
            and CAPTION.fullmatch(text := _text_of_element(beside))
        ):
            return text
    return ""


def _pieces(root: Any, source: str) -> Iterator[Piece]:
    """Yield the running text outside tables and code, up to the references."""
    lined = root.find(".//*[@data-line]") is not None
    todo: list[tuple[str, Any]] = [("open", root)]
    line = 1
    while todo:
        what, element = todo.pop()
        if what == "tail" or not isinstance(element.tag, str):
            if element.tail:
                yield without_math(element.tail), source, line
                line += element.tail.count("\n")
            continue
        if what == "close":
            yield "\n\n", source, line
            continue
        if lined and (at := element.get("data-line", "")).isdigit():
            line = int(at)
        elif not lined and element.sourceline:
            line = int(element.sourceline)
        if element.tag in HEADINGS and REFERENCES.fullmatch(_text_of_element(element)):
            return
        named = f"{element.get('class') or ''} {element.get('id') or ''}"
        skipped = element.tag in SILENT or element.tag == "table" or bool(CITED.search(named))
        if element.tag == "math" and (alt := element.get("alttext")):
            yield read_math(alt), source, line
            skipped = True
        if element.tag in BLOCKS:
            yield "\n\n", source, line
            todo.append(("close", element))
        if not skipped:
            todo_children: list[tuple[str, Any]] = []
            if element.text:
                raised = element.tag in ("sup", "sub") and not element.text.strip().isdigit()
                yield (
                    ("" if raised and element.tag == "sup" else without_math(element.text)),
                    source,
                    line,
                )
                line += element.text.count("\n")
            for child in element:
                todo_children += [("open", child), ("tail", child)]
            todo += reversed(todo_children)
