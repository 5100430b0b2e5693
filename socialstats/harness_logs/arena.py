"""Battle files of model arenas: two models and a winner a row (csv, jsonl, json, parquet).

Winners are ``model_a``, ``model_b``, ``tie`` and ``both_bad`` (``tie (bothbad)`` in older files). Anything else is
unparsed here; arena-rank turns it into a tie without saying so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from socialstats.harness_logs.files import Source
from socialstats.harness_logs.log import Log, Status, StudyReading
from socialstats.harness_logs.tables import Record, columns_of, header, records
from socialstats.harness_logs.tabular import Row, log_of, read_by, row
from socialstats.text import count, quoted

NEEDS = "a table with the columns model_a, model_b and winner (arena battles)"
COLUMNS = ("model_a", "model_b", "winner")
IDS = ("question_id", "battle_id", "id", "conversation_id")
WINNERS: dict[str | None, float] = {
    "model_a": 1.0,
    "model_b": 0.0,
    "tie": 0.5,
    "both_bad": 0.5,
    "tie (bothbad)": 0.5,
    "bothbad": 0.5,
}


def recognises(source: Source) -> bool:
    """Return whether this is a table of battles."""
    return {*COLUMNS} <= {*header(source)}


def read(source: Source) -> Log:
    """Read battles: one row per battle with item_a, item_b and winner, as the comparisons study reads them."""
    battles = list(records(columns_of(source.path)))
    named = next((name for name in IDS if name in battles[0]), None)
    rows = [
        battle_row(battle, battle[named] if named else str(k))
        for k, battle in enumerate(battles, start=1)
    ]
    return log_of(__name__, source, rows, notes=battle_notes(rows))


def battle_row(battle: Record, unit: str | None) -> Row:
    """Return a battle with what item_a gets: 1 for a win, 0.5 for a tie; some files name the winner itself."""
    a, b, outcome = (battle[name] for name in COLUMNS)
    worth = WINNERS if a == b else {a: 1.0, b: 0.0, **WINNERS}
    value = None if None in (a, b) else worth.get(outcome)
    status: Status = (
        "ok" if value is not None else "missing" if None in (outcome, a, b) else "unparsed"
    )
    winner = {1.0: a, 0.0: b, 0.5: "tie", None: None}[value]
    metadata = {name: text for name, text in battle.items() if name not in COLUMNS}
    return row(
        task="battles",
        unit=unit,
        scorer="winner",
        score=(value, status),
        answer=outcome,
        metadata={"item_a": a, "item_b": b, "winner": winner, "outcome": outcome, **metadata},
    )


def battle_notes(rows: list[Row]) -> Iterator[str | StudyReading]:
    """Yield notes on ties, on winners that are unclear, and how a study reads the rows."""
    outcomes = Counter(r["outcome"] for r in rows if r["value"] == 0.5 and r["outcome"] != "tie")
    for outcome, n in outcomes.items():
        name = quoted([str(outcome)])
        yield f"{count(n, 'battle')} with winner {name}: a tie in the column winner, told apart in outcome"
    if odd := Counter(str(r["answer"]) for r in rows if r["status"] == "unparsed"):
        listed = ", ".join(f"{quoted([name])} {n}" for name, n in odd.most_common(5))
        yield f"winners that are neither a model nor a tie: {listed}; no ties here, but arena-rank counts them as ties"
    yield read_by(rows, "comparisons")
    if any(r.get("judge") for r in rows):
        yield "rows of one judge depend on each other: add --cluster judge"
