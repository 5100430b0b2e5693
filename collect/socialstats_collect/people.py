"""People's answers to the items of a run, put below the models' in one table: joined by item, nothing multiplied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from socialstats.errors import InputError, NothingToAnalyse, Problem
from socialstats.text import count
from socialstats.voice import option
from socialstats_collect.items import read_rows
from socialstats_collect.protocols.base import CollectionProtocol

HUMAN = "human"


def with_people(
    rows: Sequence[Mapping[str, object]], protocol: CollectionProtocol, items: Mapping[str, Mapping[str, str]],
    path: Path,
) -> tuple[list[Mapping[str, object]], str]:  # fmt: skip
    """Return the models' rows with people's below, and a sentence about these.

    Parameters
    ----------
    rows
        Of the models.
    protocol
        Says which column the answers are in, and what may stand there.
    items
        Identifier to columns, which people's rows are given.
    path
        One row an answer: ``item_id``, ``rater``, the answer (empty: none), and whatever is known of the rater.
        ``source`` is ``human`` unless a column says otherwise.

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
    scenario = any("scenario" in row for row in rows)
    found: list[Mapping[str, object]] = []
    problems: list[Problem] = []
    lines: dict[tuple[str, str], int] = {}
    for line, row in given:
        identifier, rater, answer = (row[name].strip() for name in ("item_id", "rater", column))
        item = items.get(identifier)
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
            {**({"scenario": identifier} if scenario else {}), **row, **item, "item_id": identifier, "rater": rater,
             "source": row.get("source") or HUMAN, column: answer or None, "answer_status": "ok" if answer else "empty"}
        )  # fmt: skip
    if problems:
        raise InputError(problems[:20])
    if not found:
        raise NothingToAnalyse(f"{path.name}: no answer to an item of this run")
    raters = count(len({row["rater"] for row in found}), "rater")
    about = count(len({row["item_id"] for row in found}), "item")
    other = sum(bool(row["item_id"].strip()) and row["item_id"].strip() not in items for _, row in given)
    left = f"; {count(other, 'row')} about other items left out" if other else ""
    return [*rows, *found], f"{count(len(found), 'row')} of people, {raters}, about {about}{left}"
