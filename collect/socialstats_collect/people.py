"""People's answers to the items of a run, put below the models' in one table: joined by item, nothing multiplied."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from socialstats.errors import InputError, NothingToAnalyse, Problem
from socialstats.text import count
from socialstats.voice import option
from socialstats_collect.design import Item
from socialstats_collect.items import read_rows
from socialstats_collect.protocols.base import CollectionProtocol

HUMAN = "human"


def people_rows(
    protocol: CollectionProtocol, items: Sequence[Item], path: Path, *, scenario: bool
) -> tuple[list[dict[str, object]], str]:
    """Return people's answers to the items of a run as rows of its table, without the items' columns, and a sentence.

    Parameters
    ----------
    protocol
        Says which column the answers are in, and what may stand there.
    items
        Of the run.
    path
        One row an answer: ``item_id``, ``rater``, the answer (empty: none), and whatever is known of the rater.
        ``source`` is ``human`` unless a column says otherwise.
    scenario
        Whether the table has a column of that name that need not be in the items.

    Raises
    ------
    InputError
        For missing columns, an answer that the models could not give, a rater who answers an item twice, a column that
        contradicts the items: each with its line.
    NothingToAnalyse
        Where no row is about an item of the run.
    """
    column, labels = protocol.people
    if not column:
        raise InputError(
            f"{option('people', str(path), f'--people {path}')}: protocol {protocol.name} asks nothing of people"
        )
    given = read_rows(path)
    if absent := [name for name in ("item_id", "rater", column) if given and name not in given[0][1]]:
        raise InputError(Problem(message=f"no column {', '.join(absent)}", source=path.name))
    by_id = {item.id: item.columns for item in items}
    found: list[dict[str, object]] = []
    problems: list[Problem] = []
    lines: dict[tuple[str, str], int] = {}
    for line, row in given:
        identifier, rater, answer = (row[name].strip() for name in ("item_id", "rater", column))
        item = by_id.get(identifier)
        if item is None or not (rater or answer):
            continue
        said = "" if rater else "no rater"
        if answer and answer not in labels:
            said = f"{column} '{answer}' is not one of {', '.join(labels)}; leave it empty where nothing was chosen"
        if (first := lines.setdefault((identifier, rater), line)) != line:
            said = f"'{rater}' answered '{identifier}' in line {first} already"
        for name in row.keys() & item.keys() - {"item_id"}:
            if row[name] and row[name] != item[name]:
                said = f"{name} is '{row[name]}', in the items of the run '{item[name]}'"
        if said:
            problems.append(Problem(message=said, source=path.name, lines=(line,)))
        found.append(
            {**({"scenario": identifier} if scenario else {}), **row, "item_id": identifier, "rater": rater,
             "source": row.get("source") or HUMAN, column: answer or None, "answer_status": "ok" if answer else "empty"}
        )  # fmt: skip
    if problems:
        raise InputError(problems[:20])
    if not found:
        raise NothingToAnalyse(f"{path.name}: no answer to an item of this run")
    raters = count(len({row["rater"] for row in found}), "rater")
    about = count(len({row["item_id"] for row in found}), "item")
    other = sum(bool(row["item_id"].strip()) and row["item_id"].strip() not in by_id for _, row in given)
    left = f"; {count(other, 'row')} about other items left out" if other else ""
    return found, f"{count(len(found), 'row')} of people, {raters}, about {about}{left}"
