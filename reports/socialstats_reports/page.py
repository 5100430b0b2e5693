"""From an outcome to the page: what each part of the template is given."""

from __future__ import annotations

import gc
import platform
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from markupsafe import Markup

from socialstats import __version__
from socialstats.cautions import ADVICE
from socialstats.errors import CAUTIONS, UndefinedStatistic
from socialstats.figures import style
from socialstats.halves import in_halves
from socialstats.progress import say
from socialstats.references import bibtex, citation
from socialstats.results import Verification, Verifications
from socialstats.studies.page import Block, Outcome, PageTable, StudyOptions
from socialstats.text import count
from socialstats_reports.arrangement import (
    AT_EITHER_END,
    LINKS,
    ROWS_OPEN,
    ROWS_SHOWN,
    TRIED,
    Numbered,
    Placed,
    arranged,
    described,
)
from socialstats_reports.data import embedded
from socialstats_reports.glossary import explain_terms, slug_of
from socialstats_reports.opening import short_answers, statistics_below
from socialstats_reports.svg import inline
from socialstats_reports.text import (
    cell,
    ended,
    is_numeric,
    latex_text,
    linked,
    sentence,
    shown,
    typeset,
)
from socialstats_reports.verification import verification_words

TEMPLATES = Path(__file__).parent / "templates"
TERMS_HERE = "<!-- terms -->"  # where the list of explained terms goes
PHONE_WIDTH = 40  # characters of a table that fit on a phone
UNBROKEN, LEAST = 16, 10  # characters of a text and of numbers that a column has room for
ALWAYS = ("level", "seed", "resamples")
PACKAGES = ("numpy", "scipy", "pandas", "narwhals", "formulaic", "jinja2")


def render(
    outcome: Outcome,
    *,
    command: str = "",
    facts: Mapping[str, str] | None = None,
    plan_text: str = "",
    plan_sha256: str = "",
    deviations: Sequence[str] = (),
    status: str = "",
    date: str = "",
) -> str:
    """Return the report as one self-contained HTML page.

    Parameters
    ----------
    outcome : Outcome
    command : str
        The command line that made the page.
    facts : mapping of str to str, optional
        What identifies the data: ``data`` (file or data set), ``sha256``.
    plan_text, plan_sha256 : str
        The analysis plan, verbatim, and its checksum.
    deviations : sequence of str
        Where the run departed from the plan.
    status : str
        ``confirmatory`` or ``exploratory``.
    date : str
        Printed when given; the clock is never read, so that the same input gives the same bytes.

    Returns
    -------
    str
        HTML. Everything that came with the data is escaped, and control characters are made visible.
    """
    identity = dict(facts or {})
    run = {
        "command": command,
        "facts": identity,
        "plan_sha256": plan_sha256,
        "deviations": list(deviations),
        "status": status,
        "date": date,
        "versions": versions(),
    }
    drawn, checks = drawn_and_checked(outcome)
    place = arranged(outcome, deviations)
    referred = place.referred
    pictures = {id(block): figure for block, figure in zip(outcome.blocks, drawn, strict=True)}
    blocks: dict[str, list[dict[str, Any]]] = {
        part: [
            block_view(placed, *pictures[id(placed.block)], mark_of(placed.block, status), referred)
            for placed in place.part(part)
        ]
        for part in ("main", "appendix")
    }
    codes = sorted({stated.caution.code for stated in (*place.cautions, *place.notes)})
    view = {
        "o": outcome,
        "source": identity.get("data", ""),
        "status": status,
        "date": date,
        "palette": palette_css(),
        "css": Markup((TEMPLATES / "report.css").read_text(encoding="utf-8")),
        "opening": next((b for b in blocks["main"] if b["block"].id == place.opening), None),
        "short": short_answers(outcome, [stated.caution for stated in place.cautions]),
        "statistics": statistics_below(outcome),
        "cautions": place.cautions,
        "tried": [stated.caution for stated in place.notes if stated.caution.code == TRIED],
        "notes": place.notes,
        "main_notes": [
            stated for stated in place.notes if stated.caution.code != TRIED and stated.touches_main
        ],
        "codes": [(code, *CAUTIONS[code], *ADVICE[code]) for code in codes],
        "links": LINKS,
        **blocks,
        "quote": quotable_sentences(outcome),
        "quote_latex": [latex_text(text) for text in quotable_sentences(outcome)],
        "beside": {
            name: [table_view(numbered.table, numbered, referred) for numbered in tables]
            for name, tables in place.beside.items()
        },
        "diagnostics": outcome.diagnostics,
        "references": [
            linked(text)
            for text in sorted(citation(key) for key in dict.fromkeys(outcome.references))
        ],
        "bibtex": bibtex(sorted(set(outcome.references), key=citation)),
        "verification": verification_words(outcome, checks),
        "run": run,
        "settings": {
            name: setting(value)
            for name, value in outcome.settings.items()
            if is_relevant(name, value)
        },
        "plan_text": plan_text,
        "json": Markup(embedded(outcome, run, place)),
    }
    page: str = _environment().get_template("report.html").render(view)
    before, after = page.split(TERMS_HERE)
    linked_page, terms = explain_terms(before)
    explained = [(slug_of(term), term, text) for term, text in terms.items()]
    listed = _environment().get_template("terms.html").render({"terms": explained})
    return f"{linked_page}{listed}{after}"


def _environment() -> Any:
    """Return the template engine: everything is escaped, an unknown name is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "typeset": typeset,
        "count": count,
        "ended": ended,
        "sentence": sentence,
    }
    return environment


def versions() -> dict[str, str]:
    """Return the versions that produced the numbers."""
    ours = {"Python": platform.python_version(), "socialstats": __version__}
    return ours | {name: metadata.version(name) for name in PACKAGES}


def palette_css() -> Markup:
    """Return the palette as CSS: light by default and on paper, dark where the reader's system is."""
    light = "".join(f"--{name}:{color};" for name, color in style.LIGHT.items())
    dark = "".join(f"--{name}:{color};" for name, color in style.DARK.items())
    return Markup(
        f":root{{color-scheme:light;{light}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root{{color-scheme:dark;{dark}}}}}\n"
    )


def drawn_and_checked(
    outcome: Outcome,
) -> tuple[list[tuple[Markup | None, str]], Mapping[str, Verification]]:
    """Return the figure of each block, and the comparisons with other packages."""
    n, names = len(outcome.blocks), list(outcome.verifications)

    def part_of(k: int) -> Any:
        say(
            f"drawing figure {k + 1} of {n}"
            if k < n
            else f"recomputing with other packages: {names[k - n]}"
        )
        part = figure_of(outcome.blocks[k], k) if k < n else outcome.verifications[names[k - n]]
        # fits of statsmodels and figures of matplotlib refer to themselves, and hold large arrays
        gc.collect(1)
        return part

    done = in_halves(part_of, n + len(names), border=n)
    checks = dict(zip(names, done[n:], strict=True))
    if isinstance(outcome.verifications, Verifications):
        outcome.verifications.keep(checks)
    return done[:n], checks


def figure_of(block: Block, place: int) -> tuple[Markup | None, str]:
    """Draw the figure of a block, or say why not; `place` makes its ids differ from those of other figures."""
    if block.draw is None:
        return None, ""
    title = block.figure_title or block.question
    try:
        return inline(block.draw, title=title, description=described(block), prefix=f"f{place}"), ""
    except UndefinedStatistic as error:
        return None, str(error)


def mark_of(block: Block, status: str) -> str:
    """Return whether a block is drawn as planned or exploratory: by its own status, or that of the page."""
    return block.status or ("exploratory" if status == "exploratory" else "")


def block_view(
    placed: Placed, svg: Markup | None, problem: str, mark: str, referred: frozenset[str]
) -> dict[str, Any]:
    """Return a block with its figure and its tables, which are printed where open cautions refer to them."""
    tables = [table_view(numbered.table, numbered, referred) for numbered in placed.tables]
    texts = {"sentences": placed.sentences, "caption": placed.caption, "problem": problem}
    return texts | {
        "block": placed.block,
        "figure": placed.figure,
        "svg": svg,
        "mark": mark,
        "referred": f"figure {placed.figure}" in referred,
        "tables": tables,
    }


def table_view(
    table: PageTable, numbered: Numbered | None = None, referred: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """Return a table as texts, with the columns that are set flush right; columns without any value are left out.

    Under its number, as on the page, a table of more than 200 rows has its first and last 15.
    """
    columns = {i: [row[i] for row in table.cells] for i in range(len(table.header))}
    filled = [
        i
        for i, column in columns.items()
        if i == 0 or any(value not in (None, "") for value in column)
    ]
    digits = (table.digits,) * len(table.header) if isinstance(table.digits, int) else table.digits
    rows = [[cell(row[i], digits[i]) for i in filled] for row in table.cells]
    header = [table.header[i] for i in filled]
    right = [is_numeric(columns[i]) for i in filled]
    printed = rows
    if numbered and len(rows) > ROWS_SHOWN:
        printed = [*rows[:AT_EITHER_END], *rows[-AT_EITHER_END:]]
    wide = sum(
        width_of(column, number)
        for column, number in zip(zip(header, *rows, strict=True), right, strict=True)
    )
    return {
        "number": numbered.number if numbered else "",
        "referred": numbered is not None and f"table {numbered.number}" in referred,
        "caption": table.caption,
        "title": table.caption.split("; ")[0],
        "header": header,
        "right": right,
        "rows": printed,
        "of": len(rows),
        "left_out": len(rows) - len(printed),
        "gap": AT_EITHER_END,
        "open": numbered.open if numbered else len(table.cells) <= ROWS_OPEN,
        "scrolls": wide > PHONE_WIDTH,
    }


def width_of(column: Sequence[str], numeric: bool) -> int:
    """Return the characters that a column takes with the space beside it; words are broken, numbers are not."""
    longest = max(map(len, column[1:]))
    words = max(map(len, column[0].split(" ")))
    return max(longest + 2, words + 2, LEAST) if numeric else min(longest, UNBROKEN) + 2


def quotable_sentences(outcome: Outcome) -> list[str]:
    """Return result and methods as sentences to quote: the answer, and the first paragraph of the methods."""
    return [" ".join(outcome.answer), *outcome.methods[:1]]


def is_relevant(name: str, value: Any) -> bool:
    """Return whether an option is listed: where it is not at its default, or decides intervals on every page."""
    defaults = StudyOptions().echo()
    return (
        name in ALWAYS
        or name not in defaults
        or (value != defaults[name] and value not in (None, (), [], ""))
    )


def setting(value: Any) -> str:
    """Return an option's value as text."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(setting(v) for v in value) or "none"
    if isinstance(value, Mapping):
        return (
            ", ".join(f"{str(k).replace('_', ' ')}: {setting(v)}" for k, v in value.items())
            or "none"
        )
    return str(value)
