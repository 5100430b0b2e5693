"""From items to scores: a table with a row for each answer and scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.options import texts
from socialstats.designs.parts import FlowStep
from socialstats.designs.stacking import free_name
from socialstats.designs.suspects import label_cautions
from socialstats.errors import Caution, InputError, NothingToAnalyse, Problem, caution
from socialstats.studies.declared.declaration import (
    SCALE,
    Declaration,
    Scale,
    Texts,
    check_columns,
)
from socialstats.tables import Table, as_number, as_table, missing_labels
from socialstats.tables.aliases import Lines, Positions
from socialstats.tables.joining import pandas_of
from socialstats.text import as_given, number, quoted, shorten

if TYPE_CHECKING:
    import pandas as pd

ROW = "row"  # the column of units of a table that names none
FEWEST_ANSWERS = 10  # from which the items of a scale are compared
LOW_CORRELATION = -0.1
MOST_LINES = 20  # rows that a message lists


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """The table as read, and the scores.

    Attributes
    ----------
    answers : Table
    scores : Table
        A row for each answer and scale; the answers where there are no scales.
    value : str
        The column of scores.
    flow : tuple of FlowStep
    cautions : tuple of Caution
        Labels that are nearly identical, and items that point in another direction than the others of their scale.
    """

    answers: Table
    scores: Table
    value: str
    flow: tuple[FlowStep, ...] = ()
    cautions: tuple[Caution, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """Values of items: a row for each answer, a column for each item, NaN where there is none.

    `rows` are the positions of the answers in the table; of several rows of an answer, the first.
    """

    keys: pd.DataFrame
    items: tuple[str, ...]
    values: FloatArray
    rows: IntArray

    def of(self, item: str) -> FloatArray:
        """Return the values of an item."""
        values: FloatArray = self.values[:, self.items.index(item)]
        return values


def score_table(table: Table, declaration: Declaration) -> Scored:
    """Return the scores of a table.

    Raises
    ------
    InputError
        For columns that are not there, and values that are no numbers, no options, or out of range.
    NothingToAnalyse
        Where no answer has a score.
    """
    check_columns(declaration, table)
    read = FlowStep(label="rows read", rows=table.height)
    named = {f"column '{shorten(name)}'": table.levels(name) for name in label_columns(declaration)}
    spellings = label_cautions(named)
    if not declaration.scales:
        value = next(iter(declaration.of("value")), "")
        return Scored(
            answers=table, scores=table, value=value, flow=(read,), cautions=tuple(spellings)
        )
    if SCALE in declaration.columns(table):
        fix = "Rename it: a question says scale of the declared scales"
        raise InputError(
            Problem(source=table.source, message=f"a column is called '{SCALE}'", fix=fix)
        )
    answers = (
        stacked_items(table, declaration)
        if declaration.of("item")
        else items_in_columns(table, declaration)
    )
    value = free_name(answers.keys.columns, "score")
    parts = []
    rows = []
    flow = [read]
    for scale in declaration.scales.values():
        score = scores_of(answers, scale)
        part = answers.keys.copy()
        part[SCALE] = scale.name
        part[value] = score
        part = part[np.isfinite(score)]
        rows.append(answers.rows[np.isfinite(score)])
        lost = len(score) - len(part)
        if lost:
            note = f"fewer than {scale.fewest} of {len(scale.items)} items have a value"
            flow.append(
                FlowStep(
                    label=f"answers without a score of {shorten(scale.name)}", rows=lost, note=note
                )
            )
        parts.append(part)
    import pandas as pd

    stacked = pd.concat(parts, ignore_index=True)
    if not len(stacked):
        raise NothingToAnalyse(f"{table.source}: no answer has a score of any scale")
    scores = located_in(table, as_table(stacked, f"scores of {table.source}"), np.concatenate(rows))
    flow.append(FlowStep(label="scores", rows=len(stacked)))
    opposites = [opposed(answers, scale) for scale in declaration.scales.values()]
    return Scored(
        answers=table,
        scores=scores,
        value=value,
        flow=tuple(flow),
        cautions=(*spellings, *(note for note in opposites if note is not None)),
    )


def located_in(table: Table, scores: Table, rows: IntArray) -> Table:
    """Return scores whose places, in messages, are those of the rows of a table that they were made of."""

    def locate(positions: Positions) -> Lines:
        origins = rows[np.array([*positions], dtype=np.int64)].tolist()
        places = table.places(origins)
        return [places[row] for row in origins]

    return replace(scores, unit=table.unit, locate=locate)


def label_columns(declaration: Declaration) -> Texts:
    """Return the columns whose labels are compared as they are written: parts, contrasts and cells, but no values."""
    named = [name for part, names in declaration.parts.items() if part != "value" for name in names]
    named += [contrast.column for contrast in declaration.contrasts.values()]
    named += [name for question in declaration.questions.values() for name in question.each or ()]
    return tuple(name for name in dict.fromkeys(named) if name != SCALE)


def scores_of(answers: Answers, scale: Scale) -> FloatArray:
    """Return the score of each answer: the weighted mean of its items, turned where they are worded the other way.

    Examples
    --------
    >>> import pandas as pd
    >>> scale = Scale(name="s", title="s", items=("a", "b"), turned=("b",), ends=(1, 5), weights={"a": 3}, fewest=1)
    >>> values = np.array([[5.0, 2.0], [np.nan, 2.0]])
    >>> keys = pd.DataFrame(index=[0, 1])
    >>> scores_of(Answers(keys=keys, items=("a", "b"), values=values, rows=np.arange(2)), scale).tolist()
    [4.75, 4.0]
    """
    values = keyed_values(answers, scale)
    weights = np.array([float(scale.weights.get(item, 1.0)) for item in scale.items])
    answered = np.isfinite(values)
    total = np.where(answered, values, 0.0) @ weights
    weight = answered @ weights
    enough = answered.sum(axis=1) >= scale.fewest
    score = np.full(len(values), np.nan)
    score[enough] = total[enough] / weight[enough]
    return score * weights.sum() if scale.total else score


def keyed_values(answers: Answers, scale: Scale) -> FloatArray:
    """Return the values of the items of a scale, a column each; those that are worded the other way are turned."""
    columns = []
    for item in scale.items:
        value = answers.of(item)
        if item in scale.turned and scale.ends is not None:
            value = sum(scale.ends) - value
        columns.append(value)
    return np.column_stack(columns)


def opposed(answers: Answers, scale: Scale) -> Caution | None:
    """Caution SS346: items that correlate negatively with the others of their scale, as it is declared."""
    correlations = rest_correlations(keyed_values(answers, scale))
    low = {item: r for item, r in zip(scale.items, correlations.tolist(), strict=True) if r < 0}
    if not low:
        return None
    named = ", ".join(
        f"'{shorten(item, 40)}' ({number(r, 2, bounded=True)})" for item, r in low.items()
    )
    return caution(
        "SS346",
        f"items of {shorten(scale.name, 40)} correlate negatively with its others: {named}",
        affects=f"scores of {shorten(scale.name, 40)}",
        fix="name the items that are worded the other way in reversed",
    )


def rest_correlations(values: FloatArray) -> FloatArray:
    """Return the correlation of each column with the sum of the others; 0 where it is not clearly negative.

    Examples
    --------
    >>> x = np.arange(20.0)
    >>> rest_correlations(np.column_stack([x, x % 7 + x, -x])).round(2).tolist()
    [0.0, 0.0, -0.99]
    """
    values = values[np.isfinite(values).all(axis=1)]
    correlations = np.zeros(values.shape[1])
    for k, column in enumerate(values.T):
        rest = values.sum(axis=1) - column
        if len(values) >= FEWEST_ANSWERS and np.ptp(column) > 0 and np.ptp(rest) > 0:
            correlations[k] = np.corrcoef(column, rest)[0, 1]
    # two standard errors of a correlation of independent columns
    least = min(LOW_CORRELATION, -2 / np.sqrt(max(len(values), 1)))
    return np.where(correlations < least, correlations, 0.0)


def items_in_columns(table: Table, declaration: Declaration) -> Answers:
    """Return the answers of a table with a row for each answer and a column for each item."""
    items = declaration.items
    problems: list[Problem] = []
    columns = [
        item_numbers(
            table, item, [declaration.scale_of(item)] * table.height, declaration, problems
        )
        for item in items
    ]
    if problems:
        raise InputError(problems)
    keys = pandas_of(table)[[*declaration.columns(table)]]
    if not declaration.of("unit"):
        # rows are units where no column names them
        keys = keys.assign(**{ROW: np.arange(1, len(keys) + 1)})
    rows = np.arange(len(keys))
    return Answers(keys=keys, items=items, values=np.column_stack(columns), rows=rows)


def stacked_items(table: Table, declaration: Declaration) -> Answers:
    """Return the answers of a table with a row for each item: those that share all columns that the study names.

    Raises
    ------
    InputError
        Where an answer has two values of an item.
    """
    (item,), (value,) = declaration.of("item"), declaration.of("value")
    items, labels = declaration.items, table.texts(item)
    problems: list[Problem] = []
    scales = [declaration.scale_of(label) for label in labels]
    numbers = item_numbers(table, value, scales, declaration, problems)
    rows = np.array([row for row, label in enumerate(labels) if label in items], dtype=np.int64)
    names = [*declaration.columns(table)]
    keys = pandas_of(table)[names].iloc[rows]
    groups = keys.groupby(names, dropna=False, sort=False)
    answer = groups.ngroup().to_numpy()
    column = np.array([items.index(labels[row] or "") for row in rows], dtype=np.int64)
    _, first = np.unique(answer * len(items) + column, return_index=True)
    twice = np.delete(rows, first)
    if twice.size:
        fix = "Name the column that tells these rows apart in map, such as repeat or rater"
        message = (
            f"an answer has two values of an item; answers are told apart by {quoted(names, 8)}"
        )
        problems.append(at_rows(table, item, twice.tolist(), message, fix))
    if problems:
        raise InputError(problems)
    values = np.full((groups.ngroups, len(items)), np.nan)
    values[answer, column] = numbers[rows]
    first_rows = rows[np.unique(answer, return_index=True)[1]]
    keys = groups.head(1).reset_index(drop=True)
    return Answers(keys=keys, items=items, values=values, rows=first_rows)


def item_numbers(
    table: Table,
    column: str,
    scales: Sequence[Scale | None],
    declaration: Declaration,
    problems: list[Problem],
) -> FloatArray:
    """Return a column as numbers, options by their place; NaN where a value is missing or refused.

    Values that are neither are added to `problems`. `scales` has the scale of each row; None: the row is not used.
    """
    missing = missing_labels(texts(declaration.reading.get("na")))
    missing |= {*texts(declaration.reading.get("refusal"))}
    labels = table.texts(column)
    numbers = np.full(len(labels), np.nan)
    wrong: dict[tuple[str, str], list[int]] = {}
    for row, (label, scale) in enumerate(zip(labels, scales, strict=True)):
        if label is None or label in missing or scale is None:
            continue
        number_of_label = value_number(label, scale)
        if number_of_label is None:
            wrong.setdefault((label, allowed_values(scale)), []).append(row)
        else:
            numbers[row] = number_of_label
    texts_alone = [label for label, _ in wrong if as_number(label) is None]
    if len(texts_alone) > 1 and not np.isfinite(numbers).any():
        rows = sorted(row for several in wrong.values() for row in several)
        fix = (
            "Write options = [LOWEST, ..., HIGHEST] in the scale: the order of labels is not known"
        )
        problems.append(at_rows(table, column, rows, f"labels: {quoted(texts_alone, 8)}", fix))
        return numbers
    for (label, allowed), rows in list(wrong.items())[:MOST_LINES]:
        fix = f"Write na = [{label!r}] in [data] where it means that there is no answer"
        problems.append(at_rows(table, column, rows, f"'{shorten(label)}' is not {allowed}", fix))
    return numbers


def value_number(label: str, scale: Scale) -> float | None:
    """Return the number that a value stands for: the place of an option, or the number itself if it is in range."""
    if scale.options:
        return float(scale.options.index(label) + 1) if label in scale.options else None
    value = as_number(label)
    outside = value is not None and scale.ends and not scale.ends[0] <= value <= scale.ends[1]
    return None if outside else value


def allowed_values(scale: Scale) -> str:
    """Return what values a scale has, in words."""
    if scale.options:
        return f"one of its options {quoted(scale.options, 8)}"
    if scale.ends is None:
        return "a number"
    low, high = map(as_given, scale.ends)
    return f"a number from {low} to {high}"


def at_rows(table: Table, column: str, rows: Sequence[int], message: str, fix: str) -> Problem:
    """Return a problem of some rows, with their lines."""
    lines = table.places(rows[:MOST_LINES])
    return Problem(
        source=table.source,
        column=column,
        lines=tuple(lines[row] for row in rows[:MOST_LINES]),
        n_rows=len(rows),
        message=message,
        fix=fix,
        unit="line" if table.unit == "line" else "row",
    )
