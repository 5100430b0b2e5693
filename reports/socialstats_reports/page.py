"""From an outcome to the page: what each part of the template is given."""

from __future__ import annotations

import gc
import platform
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

from markupsafe import Markup

from socialstats import __version__
from socialstats.errors import Caution, UndefinedStatistic, caution
from socialstats.figures import style
from socialstats.halves import in_halves
from socialstats.progress import say
from socialstats.references import bibtex, citation
from socialstats.results import Verification, Verifications
from socialstats.studies.page import Block, Outcome, Strip, Table
from socialstats.text import count
from socialstats_reports.data import embedded
from socialstats_reports.svg import inline
from socialstats_reports.text import CELL_WIDTH, cell, ended, is_numeric, sentence, shown, typeset
from socialstats_reports.verification import verification_lines, verification_table

TEMPLATES = Path(__file__).parent / "templates"
CAUTIONS_SHOWN = 5
PHONE = 4.3  # inches: the number line once more, for phones
ROWS_OPEN = 14  # a longer table is collapsed
PACKAGES = ("numpy", "scipy", "pandas", "narwhals", "formulaic", "matplotlib", "jinja2")


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
    known = dict(facts or {})
    run = {"command": command, "facts": known, "plan_sha256": plan_sha256, "deviations": list(deviations),
           "status": status, "date": date, "versions": versions()}  # fmt: skip
    cautions = (*outcome.cautions, *display_cautions(outcome))
    drawn, checks = drawn_and_checked(outcome)
    view = {
        "o": outcome,
        "source": known.get("data", ""),
        "status": status,
        "date": date,
        "palette": palette_css(),
        "css": Markup((TEMPLATES / "report.css").read_text(encoding="utf-8")),
        "strip": None if outcome.strip is None else {"title": outcome.strip.title, "svg": drawn[0][0]},
        "cautions": cautions[:CAUTIONS_SHOWN],
        "more_cautions": cautions[CAUTIONS_SHOWN:],
        "n_cautions": len(cautions),
        "blocks": [block_view(b, *f, mark_of(b, status)) for b, f in zip(outcome.blocks, drawn[1:], strict=True)],
        "flow": flow_table(outcome),
        "tables": [table_view(table) for table in outcome.data],
        "diagnostics": outcome.diagnostics,
        "references": sorted(citation(key) for key in dict.fromkeys(outcome.references)),
        "bibtex": bibtex(sorted(set(outcome.references), key=citation)),
        "verification": verification_lines(checks) | table_view(verification_table(checks)),
        "run": run,
        "settings": {name: setting(value) for name, value in outcome.settings.items()},
        "plan_text": plan_text,
        "json": Markup(embedded(outcome, run)),
    }
    page: str = _environment().get_template("report.html").render(view)
    return page


def _environment() -> Any:
    """Return the template engine: everything is escaped, an unknown name is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, finalize=shown,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters |= {"typeset": typeset, "count": count, "ended": ended, "sentence": sentence}
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
    """Return the figures of the page, that above the fold first, and the comparisons with other packages."""
    n, names = len(outcome.blocks) + 1, list(outcome.verifications)

    def one(k: int) -> Any:
        say(f"drawing figure {k + 1} of {n}" if k < n else f"recomputing with other packages: {names[k - n]}")
        made = figure_of(outcome, k) if k < n else outcome.verifications[names[k - n]]
        gc.collect(1)  # fits of statsmodels and figures of matplotlib refer to themselves, and hold large arrays
        return made

    done = in_halves(one, n + len(names))
    checks = dict(zip(names, done[n:], strict=True))
    if isinstance(outcome.verifications, Verifications):
        outcome.verifications.keep(checks)
    return done[:n], checks


def figure_of(outcome: Outcome, number: int) -> tuple[Markup | None, str]:
    """Draw a figure of the page, or say why not: the number line above the fold (0), or that of a block (1, ...)."""
    if number == 0:
        return None if outcome.strip is None else strip_svg(outcome.strip), ""
    block = outcome.blocks[number - 1]
    if block.draw is None:
        return None, ""
    title = block.figure_title or block.question
    words = block.caption or " ".join(block.sentences) or block.question
    try:
        return inline(block.draw, title=title, description=words, prefix=f"f{number}"), ""
    except UndefinedStatistic as error:
        return None, str(error)


def strip_svg(strip: Strip) -> Markup:
    """Return the number line above the fold."""
    from socialstats import figures

    draw = partial(figures.strip, strip.marks, xlabel=strip.axis, digits=strip.digits)
    marks = "; ".join(f"{m.label} {cell(m.value, strip.digits)}" for m in strip.marks)
    wide = inline(draw, title=strip.title, description=marks, prefix="strip")
    small = inline(partial(draw, inches=PHONE), title=strip.title, description=marks, prefix="small", name="phone")
    return wide + small


def mark_of(block: Block, status: str) -> str:
    """Return whether a block is drawn as planned or exploratory: by its own status, or that of the page."""
    return block.status or ("exploratory" if status == "exploratory" else "")


def block_view(block: Block, svg: Markup | None, problem: str, mark: str) -> dict[str, Any]:
    """Return a block with its figure and its tables."""
    return {"block": block, "svg": svg, "problem": problem, "mark": mark,
            "tables": [table_view(t) for t in block.tables]}  # fmt: skip


def table_view(table: Table) -> dict[str, Any]:
    """Return a table as texts, with the columns that are set flush right; columns without any value are left out."""
    columns = {i: [row[i] for row in table.cells] for i in range(len(table.header))}
    kept = [i for i, column in columns.items() if i == 0 or any(value not in (None, "") for value in column)]
    digits = (table.digits,) * len(table.header) if isinstance(table.digits, int) else table.digits
    return {
        "caption": table.caption,
        "header": [table.header[i] for i in kept],
        "right": [is_numeric(columns[i]) for i in kept],
        "rows": [[cell(row[i], digits[i]) for i in kept] for row in table.cells],
        "open": len(table.cells) <= ROWS_OPEN,
    }


def flow_table(outcome: Outcome) -> dict[str, Any]:
    """Return the steps from the rows read to the rows analysed."""
    cells = tuple((step.label, step.rows, step.note) for step in outcome.flow)
    return table_view(Table(caption="From the rows read to the rows analysed", header=("Step", "Rows", "Note"),
                            cells=cells))  # fmt: skip


def setting(value: Any) -> str:
    """Return an option's value as text."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(setting(v) for v in value) or "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{k}: {setting(v)}" for k, v in value.items()) or "none"
    return str(value)


def display_cautions(outcome: Outcome) -> tuple[Caution, ...]:
    """Return a note when labels had to be cut or cleaned for the page."""
    tables = [*outcome.data, *(table for block in outcome.blocks for table in block.tables)]
    texts = {value for table in tables for row in table.cells for value in row if isinstance(value, str)}
    changed = [text for text in texts if len(text) > CELL_WIDTH or style.clean(text) != text]
    if not changed or any(c.code == "SS403" for c in outcome.cautions):
        return ()
    labels = count(len(changed), "label is too long or holds", "labels are too long or hold")
    detail = f"{labels} characters that cannot be printed"
    return (caution("SS403", detail, fix="the embedded JSON has them in full"),)
