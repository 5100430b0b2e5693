"""A table, a figure or the quotation of a page that was made before, as a file of another kind."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from socialstats.errors import InputError, MissingDependency
from socialstats.figures import style
from socialstats.results.latex import latex
from socialstats.results.rows import markdown_table
from socialstats.results.side_by_side import WORD
from socialstats.results.word import word_table
from socialstats.studies.page import PageTable
from socialstats.tables.writing import write_rows
from socialstats.text import listing, meant, shorten
from socialstats.text import markdown as escaped
from socialstats_reports.data import OTHER_VERSION, read_results
from socialstats_reports.page import table_view
from socialstats_reports.text import latex_text

__all__ = [
    "as_pdf",
    "columns_of",
    "contents_of",
    "figure_of",
    "markdown_of",
    "quote_of",
    "table_of",
    "tables_in",
    "word_of",
]

MOST_OF_CAPTION = 60  # characters of a caption in a list
FONT, LONGEST = "DejaVu Sans", 10_000  # characters of a caption
ROOT = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" '
    'width="{0}pt" height="{1}pt" data-made="socialstats" fill="{2}" font-size="9px" '
    f'font-family="{FONT}, sans-serif" stroke-linejoin="round">'
)


def tables_in(results: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the tables of a page (its JSON) by number, in reading order.

    Raises
    ------
    InputError
        For a page of another version, whose tables have no numbers.
    """
    tables = [table for block in results["blocks"] for table in block["tables"]]
    tables += [*results.get("beside", ()), *results["data"]]
    if any("number" not in table for table in tables) or "beside" not in results:
        raise InputError(f"this page {OTHER_VERSION}")
    return {table["number"]: table for table in sorted(tables, key=lambda t: _place(t["number"]))}


def _place(number: str) -> tuple[bool, int]:
    return number.startswith("A"), int(number.lstrip("A"))


def _chosen(kind: str, name: str, numbers: Sequence[str], names: Sequence[str]) -> str:
    """Return the number as the page has it, or raise with the nearest name and those that there are."""
    number = name.upper().removeprefix(kind.upper()).strip()
    if number not in numbers:
        near = meant(name, names)
        there = listing(list(numbers), 99) or "none"
        names_there = f"{near}Names: {listing(names, 99)}" if names else ""
        raise InputError(f"there is no {kind} {name}; there are {there}. {names_there}".strip())
    return number


def table_of(results: Mapping[str, Any], number: str, format: str) -> str:
    """Return a table: ``csv`` with every digit, ``md`` and ``latex`` (package booktabs) as the page prints it.

    As csv, a table whose cells have several numbers has a column for each of them.
    """
    table = _table(results, number)
    if format == "csv":
        values = table.get("values", table)
        out = io.StringIO()
        write_rows(out, [values["header"], *values["cells"]])
        return out.getvalue()
    view = _view(table)
    if format == "md":
        title = f"Table {table['number']}. {escaped(table['caption'], LONGEST)}"
        return f"{title}\n\n{markdown_table(view['header'], view['rows'], view['right'])}\n"
    words = [not right for right in view["right"]]
    return latex(view["header"], view["rows"], words, caption=latex_text(table["caption"])) + "\n"


def word_of(results: Mapping[str, Any], number: str) -> bytes:
    """Return a table as the page prints it, as a Word file.

    Raises
    ------
    MissingDependency
        Without python-docx.
    """
    table = _table(results, number)
    view, title = _view(table), f"Table {table['number']}. {table['caption']}"
    try:
        return word_table(
            title, view["header"], view["rows"], [not right for right in view["right"]], WORD.name
        )
    except ImportError as error:
        raise MissingDependency(
            "a table as docx needs python-docx: pip install 'socialstats[tables]'"
        ) from error


def _table(results: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return the table of a name, a number or a caption."""
    tables = tables_in(results)
    by_name: dict[str, Mapping[str, Any]] = {}
    for field in ("caption", "name"):
        by_name |= {table[field]: table for table in reversed(tables.values())}
    names = [table["name"] for table in tables.values()]
    return by_name.get(key) or tables[_chosen("table", key, list(tables), names)]


def figures_in(results: Mapping[str, Any]) -> dict[str, str]:
    """Return the names of a page's figures, which are those of their blocks, by number."""
    return {block["figure"]: block["id"] for block in results["blocks"] if block["figure"]}


def contents_of(results: Mapping[str, Any]) -> list[str]:
    """Return a line for each table and figure of a page: name, number, rows x columns, caption."""
    lines = [
        (table["name"], f"Table {number}", f"{len(table['cells'])} x {len(table['header'])}", table)
        for number, table in tables_in(results).items()
    ]
    captions = {block["id"]: block["figure_title"] for block in results["blocks"]}
    width = max([len(name) for name, *_ in lines] + [len(name) for name in captions])
    listed = [
        f"{name:<{width}}  {number:<10} {size:>9}  {shorten(table['caption'], MOST_OF_CAPTION)}"
        for name, number, size, table in lines
    ]
    figures = sorted(figures_in(results).items(), key=lambda entry: _place(entry[0]))
    return listed + [
        f"{name:<{width}}  {f'Figure {number}':<10} {'':>9}  {shorten(captions[name], MOST_OF_CAPTION)}"
        for number, name in figures
    ]


def _view(table: Mapping[str, Any]) -> dict[str, Any]:
    digits = tuple(table["digits"]) if isinstance(table["digits"], list) else table["digits"]
    cells = tuple(
        tuple(value if text is None else text for value, text in zip(row, texts, strict=True))
        for row, texts in zip(table["cells"], table["printed"], strict=True)
    )
    return table_view(PageTable(table["caption"], tuple(table["header"]), cells, digits))


def columns_of(results: Mapping[str, Any], number: str) -> list[str]:
    """Return the names of a table's columns as csv."""
    table = _table(results, number)
    return list(table.get("values", table)["header"])


def quote_of(results: Mapping[str, Any], format: str = "text") -> str:
    """Return the result and the methods of a page as paragraphs to quote, as text or LaTeX."""
    paragraphs = [" ".join(results["answer"]), *results["methods"][:1]]
    return (
        "\n\n".join(latex_text(text) if format == "latex" else text for text in paragraphs) + "\n"
    )


def markdown_of(results: Mapping[str, Any]) -> str:
    """Return the main part of a page as Markdown: answer, cautions, then each result with its tables; no figure.

    Parameters
    ----------
    results : mapping
        A page as JSON (`as_json`).
    """

    def text_of(text: str) -> str:
        return escaped(text, LONGEST)

    status = results["run"].get("status") or "exploratory"
    lines = [
        f"# {text_of(results['title'])}",
        f"{text_of(results['design'])}. Study {results['study']}, {status}. "
        f"Made by socialstats {results['socialstats']}.",
    ]
    lines += [text_of(results["simulated"])] if results["simulated"] else []
    verdict = results.get("verdict")
    lines += [f"**{text_of(verdict)}**"] if verdict else []
    lines += [text_of(text) for text in (*results["answer"], *results["planning"])]
    if results["cautions"]:
        listed_cautions = (
            (f"{c['severity'].capitalize()} {c['code']}", c["short"], c["detail"])
            for c in results["cautions"]
        )
        lines += [
            "## Cautions",
            "\n".join("- " + text_of(": ".join(filter(None, parts))) for parts in listed_cautions),
        ]
    tables_in(results)  # raises for a page of another version
    for block in (block for block in results["blocks"] if block["part"] == "main"):
        lines.append(
            f"## {text_of(block['question'])}"
            + (f" ({text_of(block['status'])})" if block["status"] else "")
        )
        lines += [text_of(text) for text in block["sentences"]]
        lines += [table_of(results, table["number"], "md").strip() for table in block["tables"]]
    if results["methods"]:
        lines += ["## Methods", text_of(results["methods"][0]), text_of(results["verified"])]
    return "\n\n".join(lines) + "\n"


def figure_of(page: str, number: str) -> str:
    """Return a figure of a page as an SVG file, in light colours.

    Raises
    ------
    InputError
        For a number that the page does not have.
    """
    starts = {
        match[1]: match.end()
        for match in re.finditer(r'<figure[^>]*\bid="figure-(A?\d+)"[^>]*>', page)
    }
    names = figures_in(read_results(page))
    number = {name: label for label, name in names.items()}.get(number, number)
    at = starts[_chosen("figure", number, list(starts), list(names.values()))]
    drawing = re.compile(r"<svg\b([^>]*)>(.*?)</svg>", re.DOTALL).search(page, at)
    if drawing is None or drawing.start() > page.index("</figure>", at):
        raise InputError(f"figure {number} has no drawing")
    width, height = re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', drawing[1])[0]
    inside = drawing[2]
    for name, color in style.LIGHT.items():
        inside = inside.replace(f"var(--{name})", color)
    inside = inside.replace("<text ", '<text stroke="none" xml:space="preserve" ')
    return f"{ROOT.format(width, height, style.LIGHT['ink'])}{inside}</svg>\n"


def as_pdf(drawing: str) -> bytes:
    """Return an SVG drawing as a PDF of one page, the same bytes every time.

    Raises
    ------
    MissingDependency
        Without svglib and ReportLab.
    """
    try:
        from reportlab.graphics import renderPDF
        from reportlab.pdfgen.canvas import Canvas
        from svglib.svglib import register_font, svg2rlg
    except ImportError as error:
        raise MissingDependency(
            "a figure as PDF needs svglib: pip install 'socialstats[figures]'"
        ) from error
    import matplotlib

    fonts = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    register_font(FONT, str(fonts / "DejaVuSans.ttf"))
    register_font(FONT, str(fonts / "DejaVuSans-Bold.ttf"), weight="bold")
    plain = drawing.replace(f"{FONT}, sans-serif", FONT).replace(
        "font-weight:600", "font-weight:bold"
    )
    drawn = svg2rlg(io.BytesIO(plain.encode()))
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(drawn.width, drawn.height), invariant=True)
    canvas.setCreator("socialstats")
    renderPDF.draw(drawn, canvas, 0, 0)
    canvas.save()
    return out.getvalue()
