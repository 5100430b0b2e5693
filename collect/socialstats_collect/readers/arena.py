"""Battle files of model arenas: two models and a winner a row (csv, jsonl, json, parquet).

Winners are ``model_a``, ``model_b``, ``tie`` and ``both_bad`` (``tie (bothbad)`` in older files). Anything else is
unparsed here; arena-rank turns it into a tie without saying so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from socialstats.claims.types import Log, Status
from socialstats.tables import read_table
from socialstats.text import count, quoted
from socialstats_collect.readers.files import Source, head_of
from socialstats_collect.readers.tabular import Row, cell, flat, frame, label, row, status_notes, without_long

NAME = "arena"
NEEDS = "a table with the columns model_a, model_b and winner (arena battles)"
WINNERS = {"model_a": 1.0, "model_b": 0.0, "tie": 0.5, "both_bad": 0.5, "tie (bothbad)": 0.5, "bothbad": 0.5}
COLUMNS = ("model_a", "model_b", "winner")
IDS = ("question_id", "battle_id", "id", "conversation_id")


def recognises(source: Source) -> bool:
    """Tell whether this is a table of battles."""
    if source.kind in ("lines", "list"):
        return source.has(*COLUMNS)
    if source.kind == "object":
        return all(isinstance(source.first.get(name), list) for name in COLUMNS)
    if source.kind != "text":
        return False
    head = head_of(source.path, 65536)
    line = head.decode("utf-8-sig", "replace").partition("\n")[0].replace('"', "").strip()
    names = line.replace("\t", ",").replace(";", ",").split(",")
    return set(COLUMNS) <= {name.strip() for name in names} or (head.startswith(b"PAR1") and _parquet(source))


def _parquet(source: Source) -> bool:
    return set(COLUMNS) <= set(read_table(source.path).columns)


def read(source: Source) -> Log:
    """Read battles: a row a battle with item_a, item_b and winner, as the comparisons study reads them."""
    table = read_table(source.path)
    native: Any = table.frame
    rows = list(_rows(native.to_dict(as_series=False)))
    kept, long = without_long(rows)
    return Log(
        harness=NAME, files=(source.path.name,), rows=frame(kept), notes=(*_notes(rows), *status_notes(kept), *long)
    )


def _rows(columns: Mapping[str, list[Any]]) -> Iterator[Row]:
    ids = next((columns[name] for name in IDS if name in columns), None)
    rest = [name for name in columns if name not in COLUMNS]
    for k in range(len(columns["winner"])):
        a, b, said = (label(columns[name][k]) for name in COLUMNS)
        value = None if said is None or a is None or b is None else _value(said, a, b)
        status: Status = "ok" if value is not None else "missing" if None in (said, a, b) else "unparsed"
        winner = {1.0: a, 0.0: b, 0.5: "tie"}.get(value) if value is not None else None
        metadata = {"item_a": cell(a), "item_b": cell(b), "winner": cell(winner), "outcome": cell(said)}
        unit = label(ids[k]) if ids is not None else str(k + 1)
        yield row(
            model="", task="battles", unit=unit, scorer="winner", value=value, answer=said, status=status,
            metadata=metadata | flat({name: label(columns[name][k]) for name in rest}),
        )  # fmt: skip


def _value(said: str, a: str, b: str) -> float | None:
    """Return what item_a gets: 1 for a win, 0.5 for a tie; some files name the winner itself."""
    if said in WINNERS:
        return WINNERS[said]
    return 1.0 if said == a != b else 0.0 if said == b != a else None


def _notes(rows: list[Row]) -> Iterator[str]:
    outcomes = Counter(r["outcome"] for r in rows if r["value"] == 0.5 and r["outcome"] != "tie")
    for outcome, n in outcomes.items():
        said = quoted([str(outcome)])
        yield f"{count(n, 'battle')} with winner {said}: a tie in the column winner, told apart in outcome"
    odd = Counter(str(r["answer"]) for r in rows if r["status"] == "unparsed")
    if odd:
        listed = ", ".join(f"{quoted([said])} {n}" for said, n in odd.most_common(5))
        yield f"winners that are neither a model nor a tie: {listed}; no ties here, but arena-rank counts them as ties"
    dropped = "" if all(r["status"] == "ok" for r in rows) else " --where status=ok"
    yield f"the converted table is read by: socialstats report TABLE --study comparisons{dropped}"
    if any(r.get("judge") for r in rows):
        yield "rows of one judge depend on each other: add --cluster judge"
