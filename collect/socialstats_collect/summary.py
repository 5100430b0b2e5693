"""What a log holds, in words and by cell: answers, refusals, what could not be read, and what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from socialstats.text import count, shorten
from socialstats_collect.tally import Tally
from socialstats_collect.tidy import Record

LONGEST_CELL = 40  # characters of a level in the table by cell: a prefix may be a paragraph
COLUMNS = ("answered", "refusal", "unread", "missing")


def by_cell(rows: Iterable[Mapping[str, object]], factors: Sequence[str]) -> list[dict[str, object]]:
    """Count a table's rows by the cells of the design.

    Examples
    --------
    >>> rows = [{"model": "m", "answer_status": "ok"}, {"model": "m", "answer_status": "refusal"}]
    >>> by_cell(rows, ["model"])
    [{'model': 'm', 'rows': 2, 'answered': 1, 'refusal': 1, 'unread': 0, 'missing': 0}]
    """
    counts: dict[tuple[str, ...], Counter[str]] = {}
    for row in rows:
        cell = tuple(str(row.get(name, "")) for name in factors)
        counts.setdefault(cell, Counter())[_kind(str(row.get("answer_status")))] += 1
    return [
        {**dict(zip(factors, cell, strict=True)), "rows": found.total(), **{name: found[name] for name in COLUMNS}}
        for cell, found in sorted(counts.items())
    ]


def _kind(status: str) -> str:
    return {"ok": "answered", "refusal": "refusal", "missing": "missing"}.get(status, "unread")


def as_text(table: Sequence[Mapping[str, object]]) -> str:
    """Return a table of counts as aligned text.

    Examples
    --------
    >>> print(as_text([{"model": "m", "rows": 2}]))
    model  rows
    m         2
    """
    if not table:
        return ""
    names = list(table[0])
    cells = [names, *([_cell(row[name]) for name in names] for row in table)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(names))]
    right = [isinstance(table[0][name], int) for name in names]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in cells
    )


def _cell(value: object) -> str:
    text = f"{value:,}" if isinstance(value, int) else shorten(str(value), LONGEST_CELL)
    return "".join(character if character.isprintable() else "?" for character in text)


def failures(tally: Tally) -> list[str]:
    """Say how often which failure was met, the most frequent first."""
    return [f"{count:,} x {name}" for name, count in tally.errors.most_common(5)]


def methods(record: Record) -> str:
    """Return a paragraph for a paper's methods section: models as returned, dates, parameters, counts.

    Everything in it comes from the log.
    """
    run = record.runs[-1]
    asked = ", ".join(str(model) for model in run["factors"]["model"])
    returned = ", ".join(sorted(record.returned))
    days = sorted(record.days)
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}" if days else "an unknown day"
    given = ", ".join(f"{name} {value}" for name, value in run["parameters"].items()) or "the endpoint's defaults"
    factors = "; ".join(
        f"{name}: {', '.join(str(level) for level in levels)}"
        for name, levels in run["factors"].items()
        if name != "model" and len(levels) > 1
    )
    parts = [
        f"Responses were collected with socialstats {run['versions'].get('socialstats', '')} on {when} "
        f"(protocol {run['protocol']}).",
        f"Models asked: {asked}" + (f" (returned as {returned})" if returned else "") + ".",
        f"Parameters: {given}.",
        f"Factors: {factors}." if factors else "",
        f"Order of the options: {run['order']}, seed {run['seed']}." if run["orders"] > 1 else "",
        f"Judges: {', '.join(run['judges'])}." if run.get("judges") else "",
        f"{count(run['n_units'], 'unit')} planned, {len(record.seen):,} asked, in "
        f"{count(record.attempts, 'attempt')} that brought {count(len(record.answers), 'answer')}.",
        f"Replies were read by parser version {run['parser_version']}.",
    ]
    return " ".join(part for part in parts if part)
