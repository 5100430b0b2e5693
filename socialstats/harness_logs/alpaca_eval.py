"""Annotations of AlpacaEval: a preference of each instruction between two outputs, with the leaderboard beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from socialstats.harness_logs.files import Source, json_lines, load_json
from socialstats.harness_logs.log import Claim, Log, Quantity
from socialstats.harness_logs.tables import columns_of, records
from socialstats.harness_logs.tabular import (
    Members,
    Row,
    cell,
    is_number,
    log_of,
    objects,
    row,
    text,
)
from socialstats.tables import as_number
from socialstats.text import quoted

NEEDS = "a JSON list, or JSON lines, with 'generator_1', 'generator_2' and 'preference' (AlpacaEval's annotations)"
FORMS = (
    ("list lines", "generator_1", "generator_2", "preference"),
    ("list", "instruction", "output_1", "preference"),
)
SHOWN: dict[str, Quantity] = {"win_rate": "mean", "standard_error": "std_error", "n_total": "count"}
CONTROLLED = "length_controlled_winrate comes from a model of length and is not recomputed here"


def read(source: Source) -> Log:
    """Read a row an annotation: what generator_2 gets, its preference less 1 (0 and 1.5 are draws)."""
    if source.kind == "lines":
        annotations = [annotation for _, annotation in json_lines(source.path, nan=True)]
    else:
        annotations = objects(load_json(source.path, nan=True))
    board = source.path.parent / "leaderboard.csv"
    firsts = (text(annotation, "generator_1") for annotation in annotations)
    baselines = dict.fromkeys(filter(None, firsts))
    models = {str(annotation.get("generator_2")) for annotation in annotations}
    against = f"A score of 1 is a win over {quoted([*baselines])}, 0.5 a draw, 0 a loss"
    return log_of(
        __name__,
        source,
        annotation_rows(annotations),
        about={"task": "alpaca_eval"},
        files=(source.path.name, *[board.name] * board.is_file()),
        notes=(against, CONTROLLED),
        claims=board_claims(board, models) if board.is_file() else (),
    )


def annotation_rows(annotations: Iterable[Members]) -> Iterator[Row]:
    """Yield the rows; several generators that answered one instruction have its number as their unit."""
    numbers: dict[str, int] = {}
    answers: Counter[tuple[str, str, str]] = Counter()
    for k, annotation in enumerate(annotations):
        instruction = str(annotation.get("instruction") or f"row {k}")
        key = (instruction, str(annotation.get("generator_1")), str(annotation.get("generator_2")))
        answers[key] += 1
        yield annotation_row(
            annotation, numbers.setdefault(instruction, len(numbers)), answers[key]
        )


def annotation_row(annotation: Members, unit: int, epoch: int) -> Row:
    """Return what generator_2 gets in one annotation."""
    preference = annotation.get("preference")
    valid = is_number(preference) and (preference == 0 or 1 <= preference <= 2)
    value = (preference or 1.5) - 1 if valid else None
    texts = {name: cell(annotation.get(name)) for name in ("dataset", "generator_1", "annotator")}
    return row(
        unit=unit,
        epoch=epoch,
        model=annotation.get("generator_2"),
        scorer="win_rate",
        score=(value, "ok" if valid else "unparsed"),
        answer=preference,
        metadata=texts,
    )


def board_claims(board: Path, models: set[str]) -> Iterator[Claim]:
    """Yield the printed numbers of the models that were annotated; win rates and errors are percentages."""
    for record in records(columns_of(board)):
        model = str(next(iter(record.values())))
        for name, quantity in SHOWN.items() if model in models else ():
            text = record.get(name)
            if text and as_number(text) is not None:
                printed = text if quantity == "count" else f"{text}%"
                select, where = (
                    {"scorer": "win_rate", "model": model},
                    f"{board.name}: {model}.{name}",
                )
                yield Claim(
                    name=f"{model} {name}",
                    quantity=quantity,
                    printed=printed,
                    where=where,
                    select=select,
                )
