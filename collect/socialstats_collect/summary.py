"""What a log amounts to: counts by cell of the design, and the paragraph of a methods section."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from socialstats.errors import InputError, Problem
from socialstats.text import count, shorten
from socialstats_collect.parse import VERSION, printable
from socialstats_collect.tally import CallTally
from socialstats_collect.tidy import LogTable

LONGEST_CELL = 40  # characters of a level in the table by cell: a prefix may be a paragraph
KINDS = {"ok": "answered", "corrected": "corrected", "refusal": "refusal", "missing": "missing"}
COUNTED = ("corrected", "refusal", "blocked", "unread", "missing")
DEFAULTS = "the endpoint's defaults"


class Summary:
    """Rows of a table counted by the cells of the design.

    Attributes
    ----------
    factors
        Those by which rows are counted: the models, and each factor with several levels.
    rows
        Number of rows.
    has_probabilities
        Whether any row has probabilities of answers.
    """

    def __init__(self, table: LogTable) -> None:
        several = [name for name in table.factors if len(table.levels(name)) > 1]
        self.factors = [*dict.fromkeys(["model", *several])]
        self.rows = 0
        self._cells: dict[tuple[str, ...], Counter[str]] = {}
        self.has_probabilities = False

    def add(self, row: Mapping[str, object]) -> None:
        """Count a row."""
        self.rows += 1
        cell = tuple(str(row.get(name, "")) for name in self.factors)
        kind = KINDS.get(str(row.get("answer_status")), "unread")
        if row.get("reply_status") == "blocked":
            kind = "blocked"
        self._cells.setdefault(cell, Counter())[kind] += 1
        self.has_probabilities |= row.get("p_rest") is not None

    @property
    def missing(self) -> int:
        """Number of rows without an answer."""
        return sum(counts["missing"] for counts in self._cells.values())

    def table(self) -> list[dict[str, object]]:
        """Return counts by cell, and the share refused: of replies, and of all if none or all of the missing were."""
        lines = []
        for cell, counts in sorted(self._cells.items()):
            n, missing = counts.total(), counts["missing"]
            refused = counts["refusal"] + counts["blocked"]
            rate = f"{refused / (n - missing):.0%}" if n > missing else "-"
            line: dict[str, object] = dict(zip(self.factors, cell, strict=True))
            line |= {"rows": n, "answered": counts["answered"] + counts["corrected"]}
            line |= {kind: counts[kind] for kind in COUNTED}
            line["refused"] = f"{rate} ({refused / n:.0%} to {(refused + missing) / n:.0%})"
            lines.append(line)
        return lines


def summary_of_cells(table: LogTable) -> Summary:
    """Return the rows of a table counted by the factors that vary."""
    summary = Summary(table)
    for rows, control in table.tidied():
        for row in () if control else rows:
            summary.add(row)
    return summary


def as_text(table: Sequence[Mapping[str, object]]) -> str:
    """Return a table of counts as aligned text.

    Examples
    --------
    >>> print(as_text([{"model": "m", "rows": 2000}]))
    model  rows
        m 2,000
    """
    import pandas as pd

    cells = [{name: _shown_cell(value) for name, value in row.items()} for row in table]
    return str(pd.DataFrame(cells).to_string(index=False)) if cells else ""


def _shown_cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else shorten(str(value), LONGEST_CELL)


def failures(tally: CallTally) -> list[str]:
    """State how often which failure was met, the most frequent first."""
    return [f"{times:,} x {name}" for name, times in tally.errors.most_common(5)]


def methods_text(table: LogTable) -> str:
    """Return a paragraph for a paper's methods section: models as returned, dates, parameters, counts.

    Everything in it comes from the log, once all was tidied.

    Raises
    ------
    InputError
        Where the log has lost its design.
    """
    if not table.designs:
        fix = "Run the run file again with this log: it writes the design anew."
        source = table.log.path.name
        raise InputError(Problem(message="the design cannot be read", source=source, fix=fix))
    return printable(" ".join(_methods_sentences(table)))


def _methods_sentences(table: LogTable) -> Iterator[str]:
    design, tally = table.designs[-1], table.log.tally
    protocol, settings = design.protocol, design.protocol.settings
    version = design.versions.get("socialstats", "")
    collected = f"Responses were collected with socialstats {version} on {_days(tally)}"
    yield f"{collected} (protocol {protocol.name})."
    yield f"Models asked: {_served(tally, table.levels('model'))}."
    parameters = ", ".join(f"{name} {value}" for name, value in settings.parameters.items())
    yield f"Parameters: {parameters or DEFAULTS}."
    several = {name: table.levels(name) for name in table.factors if name != "model"}
    factors = [f"{name}: {', '.join(names)}" for name, names in several.items() if len(names) > 1]
    if factors:
        yield f"Factors: {'; '.join(factors)}."
    if len(protocol.orders) > 1:
        yield f"Order of the options: {design.order}, seed {design.seed}."
    if settings.judges:
        yield f"Judges: {_served(tally, settings.judges)}."
    units = f"{count(table.units, 'unit')} planned, {table.asked:,} asked"
    answers = f"{count(tally.calls, 'attempt')} that brought {count(tally.answers, 'answer')}"
    blocked = tally.by_status["blocked"]
    blocks = f", {blocked:,} of them blocks by a filter" if blocked else ""
    yield f"{units}, in {answers}{blocks}."
    yield f"Replies were read by parser version {VERSION}."


def _days(tally: CallTally) -> str:
    days = sorted(tally.days)
    if len(days) > 1:
        return f"{days[0]} to {days[-1]}"
    return days[0] if days else "an unknown day"


def _served(tally: CallTally, models: Sequence[str]) -> str:
    """Return the models as they were asked, and as they were returned."""
    kind = "model_returned"
    names = sorted({name for what, model, name in tally.served if what == kind and model in models})
    return ", ".join(models) + (f" (returned as {', '.join(names)})" if names else "")
