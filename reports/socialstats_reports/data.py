"""Every number of an outcome as JSON: for ``--json``, and embedded in the page."""

from __future__ import annotations

import base64
import json
import lzma
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from socialstats import __version__
from socialstats.errors import InputError
from socialstats.references import citation
from socialstats.results import builtin_value
from socialstats.studies.grids import table_values
from socialstats.studies.page import Outcome
from socialstats.studies.recomputed import recomputed
from socialstats.text import Shown, number
from socialstats_reports.arrangement import Arrangement, Numbered, Placed, arranged

ELEMENT = "socialstats-results"
SCRIPT = re.compile(rf'<script\b[^>]*\bid="{ELEMENT}"[^>]*>([^<]+)', re.IGNORECASE)
MOST_CHECKS = 3_000
ESCAPES = {ord(ch): f"\\u{ord(ch):04x}" for ch in "<>&\u2028\u2029"}
OF_ROWS = ("rows", "grid", "labelled")  # fields of a table that its cells, or results, say
PACKED = "xz, base64"  # key of the embedded JSON
OTHER_VERSION = (
    "was written by another version of socialstats; make it again with socialstats report"
)


def as_dict(outcome: Outcome, place: Arrangement | None = None) -> dict[str, Any]:
    """Return an outcome as built-in types: what the page says and where, and the numbers behind it."""
    place = place or arranged(outcome)
    numbers = recomputed(outcome)
    return {
        "socialstats": __version__,
        "study": outcome.study,
        "title": outcome.title,
        "design": outcome.design,
        "simulated": outcome.simulated,
        "verdict": None if outcome.verdict is None else outcome.verdict.text,
        "answer": list(outcome.answer),
        "planning": list(outcome.planning),
        "opening": place.opening,
        "cautions": [asdict(caution) for caution in outcome.checked_cautions()],
        "blocks": [_block(placed) for placed in place.blocks],
        "flow": [asdict(step) for step in outcome.flow],
        "data": [_table(table) for table in place.beside["data"]],
        "beside": [
            _table(table)
            for name, tables in place.beside.items()
            if name != "data"
            for table in tables
        ],
        "diagnostics": [asdict(diagnostic) for diagnostic in outcome.diagnostics],
        "methods": list(outcome.methods),
        "references": [citation(key) for key in outcome.references],
        "verified": " ".join(numbers.sentences(" of this page")),
        "recomputed": numbers.to_dict(),
        "verification": {name: v.to_dict() for name, v in outcome.verifications.items()},
        "settings": builtin_value(outcome.settings),
    }


def as_json(outcome: Outcome, deviations: Sequence[str] = ()) -> str:
    """Return an outcome as JSON text, ASCII only, with a final newline; `deviations` as for the page."""
    return (
        json.dumps(as_dict(outcome, arranged(outcome, deviations)), indent=1, allow_nan=False)
        + "\n"
    )


def embedded(outcome: Outcome, run: Mapping[str, Any], place: Arrangement | None = None) -> str:
    """Return JSON that holds the numbers compressed; `run` says how the page was made.

    Of more than 3,000 checks, as on a page of many models, those that agree are counted: `as_json` has all.
    """
    results = as_dict(outcome, place) | {"run": builtin_value(run)}
    groups = [
        group
        for verification in results["verification"].values()
        for group in verification["groups"]
    ]
    if sum(len(group["checks"]) for group in groups) > MOST_CHECKS:
        for group in groups:
            agree = sum(check["ok"] is True for check in group["checks"])
            group |= {
                "agree": agree,
                "checks": [check for check in group["checks"] if check["ok"] is not True],
            }
    raw = json.dumps(results, separators=(",", ":"), allow_nan=False).encode()
    return json.dumps({PACKED: base64.b64encode(lzma.compress(raw)).decode()})


def read_results(page: str) -> dict[str, Any]:
    """Read the numbers back from a page that `render` made.

    Parameters
    ----------
    page : str
        The HTML text.

    Raises
    ------
    InputError
        If the page carries no results, or they cannot be read.

    Examples
    --------
    >>> read_results('<script type="application/json" id="socialstats-results">{"study": "s"}</script>')
    {'study': 's'}
    """
    element = SCRIPT.search(page)
    if element is None:
        raise InputError(
            f"this page has no element '{ELEMENT}': it was not made by socialstats report"
        )
    try:
        content: Any = json.loads(element.group(1))
    except (ValueError, RecursionError) as error:
        raise InputError(f"the element '{ELEMENT}' of this page holds no JSON ({error})") from error
    if not isinstance(content, dict):
        raise InputError(f"the element '{ELEMENT}' of this page holds no results")
    if "pool" in content:
        raise InputError(f"this page {OTHER_VERSION}")
    if set(content) != {PACKED}:
        return content
    try:
        results: dict[str, Any] = json.loads(
            lzma.decompress(base64.b64decode(content[PACKED], validate=True))
        )
    except (TypeError, ValueError, lzma.LZMAError) as error:
        raise InputError(
            f"the element '{ELEMENT}' of this page holds no results ({error})"
        ) from error
    return results


def _table(numbered: Numbered) -> dict[str, Any]:
    """Return a table of the page, with every digit, and as it is printed where that says more than the number."""
    table = numbered.table
    entry = {"number": numbered.number} | {
        f.name: getattr(table, f.name) for f in fields(table) if f.name not in OF_ROWS
    }
    entry["name"] = numbered.name
    values = table_values(table)
    if values is not None:
        entry["values"] = {"header": values[0], "cells": values[1]}
    return {name: builtin_value(value) for name, value in entry.items()} | {
        "printed": [
            [number(v) if isinstance(v, Shown) else None for v in row] for row in table.cells
        ]
    }


def _block(placed: Placed) -> dict[str, Any]:
    block = placed.block
    entry = {
        name: getattr(block, name)
        for name in ("id", "question", "level", "status", "figure_title", "caption")
    }
    results, tables = (
        [result.to_dict() for result in block.results],
        [_table(table) for table in placed.tables],
    )
    entry |= {"part": placed.part, "figure": placed.figure, "sentences": list(block.sentences)}
    return entry | {"results": results, "tables": tables}
