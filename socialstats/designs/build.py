"""From a table to Comparisons: the columns, the cells, the checks, the flow."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from socialstats import text
from socialstats.arrays import AnyArray, BoolArray, FloatArray, IntArray
from socialstats.designs.aggregate import (
    Expanded,
    expand,
    frequency,
    plain,
    refuse_totals,
    unused_beside_wins,
    whole_numbers,
)
from socialstats.designs.cells import drop_unused_items, merged
from socialstats.designs.columns import Roles, assign
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.labels import label_cautions
from socialstats.designs.levels import other_spelling
from socialstats.designs.options import DEFAULT_TIES, Options
from socialstats.designs.parts import TIED, Covariate, Factor, FlowStep
from socialstats.designs.problems import Problems, na_of
from socialstats.designs.rows import FILL_OR_DROP, missing_words
from socialstats.designs.sides import covariate
from socialstats.designs.suspects import code_suspects, mirror_suspects, repeated_rows
from socialstats.designs.winners import Sides, first_shown, higher_score, outcomes
from socialstats.errors import Caution, NothingToAnalyse, caution
from socialstats.tables import Counts, Table
from socialstats.tables.table import (
    LARGEST_WEIGHT,
    SMALLEST_WEIGHT,
    WEIGHT_EXTREME,
    WEIGHT_MISSING,
    WEIGHT_NEGATIVE,
    WEIGHT_NO_NUMBER,
    WEIGHT_ZERO,
    text_weight,
)

WEIGHT_PROBLEMS = {
    WEIGHT_NEGATIVE: ("a weight is negative", "Weights are finite numbers from 0 upwards"),
    WEIGHT_NO_NUMBER: ("a weight is not a finite number", "Weights are finite numbers from 0 upwards"),
    WEIGHT_EXTREME: (
        f"a weight is below {SMALLEST_WEIGHT:g} or above {LARGEST_WEIGHT:g}", "Divide all weights by a common factor"
    ),
}  # fmt: skip
UNUSED_LABELS = 50


@dataclass(slots=True, kw_only=True)
class Draft:
    """A table on its way to a design: its cells, which of them count, what was left out, what is wrong."""

    table: Table
    roles: Roles
    options: Options
    counts: Counts
    problems: Problems
    use: BoolArray
    times: FloatArray
    noticed: tuple[Caution, ...] = ()
    flow: list[FlowStep] = field(default_factory=list)

    def leave_out(self, bad: BoolArray, label: str, note: str) -> None:
        """Stop using some cells, and count their rows."""
        left = self.use & bad
        if left.any():
            self.flow.append(FlowStep(label=label, rows=int(self.counts.n[left].sum()), note=note))
            self.use = self.use & ~bad


def draft(table: Table, options: Options) -> Draft:
    """Assign the columns, count the cells, and set aside what is missing or weighs nothing."""
    roles = assign(table, options)
    parts = {*roles.keys_of_cells(), *([roles.weight] if roles.weight else [])}
    unique = [
        c for c in (roles.item_a, roles.item_b, roles.winner, *roles.scores, roles.order, roles.by) if c is not None
    ]
    texts, asked = options.na_labels, options.count
    if roles.wins and asked is None:
        counted = unused_beside_wins(table, roles.wins, parts, texts)
    else:
        counted = frequency(table, asked, unique, parts, texts, roles.weight, counted=lambda: _both_won(table, roles))
    roles = replace(roles, count=counted.column)
    cells = table.counts(roles.keys_of_cells(), roles.weight, options.na_labels)
    if not len(cells.n):
        raise NothingToAnalyse(f"{table.source} has no rows: there is nothing to analyse")
    na = na_of([*cells.columns], options.na_labels, roles.names())
    labels = {name: column.labels(na[name]) for name, column in cells.columns.items()}
    problems = Problems(table, labels, cells.n, na)
    use = np.ones(len(cells.n), dtype=bool)
    begun = Draft(
        table=table, roles=roles, options=options, counts=cells, problems=problems, use=use,
        times=np.ones(len(cells.n)), noticed=counted.cautions,
    )  # fmt: skip
    begun.flow.append(FlowStep(label="rows read", rows=int(cells.n.sum()), note=table.source))
    _set_missing_aside(begun)
    _set_weights_aside(begun)
    if roles.count is not None:
        refuse_totals([c for c in (roles.item_a, roles.item_b, roles.winner) if c], begun.use, problems)
        begun.times = whole_numbers(roles.count, begun.use, problems)
        begun.use &= begun.times > 0
    return begun


def _both_won(table: Table, roles: Roles) -> bool:
    """Return whether each of two items won in the rows of at least one pair, as in a table that was counted."""
    if roles.winner is None:
        return False
    pairs, rows = (len(table.counts(keys).n) for keys in (
        [roles.item_a, roles.item_b], [roles.item_a, roles.item_b, roles.winner]))  # fmt: skip
    return rows > pairs


def _set_missing_aside(begun: Draft) -> None:
    for column in begun.roles.keys_of_cells():
        if column == begun.roles.values:
            continue  # an empty field: no label is cited
        bad = begun.problems.labels[column].codes < 0
        if not bad.any():
            continue
        if begun.options.missing == "error":
            message, fix = missing_words(begun.counts, column, bad, FILL_OR_DROP)
            begun.problems.add(message, bad, [column], column=column, fix=fix)
            begun.use &= ~bad
        else:
            name = text.shorten(column)
            begun.leave_out(bad, f"no value in '{name}'", f"missing='drop': the value of '{name}' is missing")


def _set_weights_aside(begun: Draft) -> None:
    column, status = begun.roles.weight, begun.counts.status
    if column is None:
        return
    absent = status == WEIGHT_MISSING
    if absent.any() and begun.options.missing == "drop":
        begun.leave_out(absent, f"no value in '{text.shorten(column)}'", "missing='drop': the weight is missing")
    elif absent.any():
        fix = FILL_OR_DROP
        _add_weight_problem(begun, "the weight is missing", WEIGHT_MISSING, fix)
    for state, (message, fix) in WEIGHT_PROBLEMS.items():
        if (status == state).any():
            _add_weight_problem(begun, message, state, fix)
    begun.use &= (status == 0) | (status == WEIGHT_ZERO)
    begun.leave_out(status == WEIGHT_ZERO, f"weight 0 in '{text.shorten(column)}'", "rows of weight 0 say nothing")


def _add_weight_problem(begun: Draft, message: str, state: int, fix: str) -> None:
    """Report the rows whose weights have one status, with the first such weight."""
    column = begun.roles.weight or ""
    na = begun.options.na_labels
    seen: list[str | None] = []

    def wanted(row: tuple[str | None, ...]) -> bool:
        value = None if row[0] in na else row[0]
        found = text_weight(value)[1] == state
        if found:
            seen.append(value)
        return found

    begun.table.positions([column], [wanted], 1)
    spelled = other_spelling([value for value in seen if value is not None])
    fix = spelled[1] if spelled else fix
    shown = f": {text.shorten(seen[0])}" if seen and seen[0] is not None else ""
    rows = int(begun.counts.n[begun.counts.status == state].sum())
    begun.problems.add_rows(f"{message}{shown}", column, wanted, rows, fix)


def build(table: Table, options: Options) -> Comparisons:
    """Read a table as comparisons.

    Raises
    ------
    DesignError
        When columns are missing.
    InputError
        When values are wrong: up to 20 problems of all kinds at once, with places.
    NothingToAnalyse
        When no row is left.
    """
    begun = draft(table, options)
    sides = _sides(begun)
    refusing = _set_refusals_aside(begun)
    winner = begun.roles.winner
    if begun.roles.scores:
        rows = plain(higher_score(begun.roles.scores, begun.use, begun.problems))
    elif winner is None:
        rows = expand(begun.roles.wins, begun.use, begun.problems)
    else:
        rows = plain(outcomes(winner, sides, begun.use, begun.problems, options))
    design = _finish(begun, sides, rows)
    if not refusing.any():
        return design
    aside = replace(begun, use=refusing, flow=[*begun.flow])
    return replace(design, refused=_finish(aside, sides, plain(np.full(len(refusing), TIED, dtype=np.int64))))


def _set_refusals_aside(begun: Draft) -> BoolArray:
    """Stop using the cells whose winner is a refusal, and return them."""
    none = np.zeros(len(begun.use), dtype=bool)
    if begun.roles.winner is None or not begun.options.refusal_labels:
        return none
    winner = begun.problems.labels[begun.roles.winner]
    refused = np.array([level in begun.options.refusal_labels for level in winner.levels] + [False])[winner.codes]
    refused &= begun.use
    begun.leave_out(refused, "refused", f"no choice in '{text.shorten(begun.roles.winner)}'")
    return np.asarray(refused)


def _sides(begun: Draft) -> Sides:
    """Code the two items, and refuse items that meet themselves."""
    columns = (begun.roles.item_a, begun.roles.item_b)
    sides = Sides.of(columns, begun.problems.labels[columns[0]], begun.problems.labels[columns[1]])
    same = begun.use & (sides.a == sides.b)
    if same.any():
        message = "'{}' is compared with itself"
        begun.problems.each_value(columns[0], same, columns, message, fix="Remove such rows, or correct one side")
        begun.use &= ~same
    return sides


def _finish(begun: Draft, sides: Sides, rows: Expanded) -> Comparisons:
    """Decode the rest, raise what was collected, and keep the cells in use."""
    roles, problems, use = begun.roles, begun.problems, begun.use
    first = np.ones(len(use), dtype=np.int64)
    if roles.order is not None:
        first = first_shown(roles.order, sides, use, problems)
    covariates, cautions = _covariates(begun)
    problems.raise_if_any()
    keep = use[rows.cell]
    cell = rows.cell[keep]
    times = rows.times[keep] * begun.times[cell]
    _refuse_nothing(begun, bool(keep.any()))
    fields: dict[str, Any] = {
        "item_a": sides.a[cell], "item_b": sides.b[cell], "outcome": rows.outcome[keep].astype(np.int8),
        "first": first[cell].astype(np.int8), "count": begun.counts.n[cell] * times,
        "weight": begun.counts.weight[cell] * times, "weight_sq": begun.counts.weight_sq[cell] * times,
        "covariates": {n: Covariate(name=n, a=c.a[cell], b=c.b[cell]) for n, c in covariates.items()},
        "by": _factor(begun, roles.by, cell) if roles.by else None,
        "cited": _cited(begun, roles.values, cell) if roles.values else None,
        "clusters": tuple(_factor(begun, column, cell) for column in roles.clusters),
    }  # fmt: skip
    design = Comparisons(
        **drop_unused_items(fields, sides.items), order_known=roles.order is not None, source=begun.table.source,
        columns=roles.parts(), weighted=roles.weight is not None,
        ties_possible=_ties_possible(begun, fields["outcome"]), flow=_flow(begun, cell, fields["count"]),
    )  # fmt: skip
    done = merged(replace(design, cautions=(*cautions, *_cautions(begun, design))))
    return replace(done, clusters=(*done.clusters, done.pair)) if roles.pair_cluster else done


def _ties_possible(begun: Draft, outcome: AnyArray) -> bool:
    """Return whether the table has a way to say that a comparison was tied: a column, a declared label, a tie."""
    options = begun.options
    declared = options.tie_labels != DEFAULT_TIES or options.winner_coding == "score"
    return (
        len(begun.roles.wins) == 3
        or bool(begun.roles.scores)
        or (begun.roles.winner is not None and declared)
        or bool((outcome == TIED).any())
    )


def _refuse_nothing(begun: Draft, left: bool) -> None:
    if not left:
        steps = "; ".join(f"{step.label}: {step.rows:,}" for step in begun.flow[1:]) or "every count is 0"
        raise NothingToAnalyse(f"{begun.table.source}: no row is left to analyse ({steps})")


def _flow(begun: Draft, cell: IntArray, count: FloatArray) -> tuple[FlowStep, ...]:
    counted = bool(begun.roles.wins) or begun.roles.count is not None
    empty = begun.use & ~np.isin(np.arange(len(begun.use)), cell)
    rows = int(begun.counts.n[empty].sum())
    nothing = [FlowStep(label="every count is 0", rows=rows, note="neither a win nor a tie")] if rows else []
    note = "each row counts several comparisons" if counted else ""
    label = "comparisons analysed" if counted else "rows analysed"
    return (*begun.flow, *nothing, FlowStep(label=label, rows=int(count.sum()), note=note))


def _covariates(begun: Draft) -> tuple[dict[str, Covariate], list[Caution]]:
    """Decode the covariates; texts that were only found by name and nearly identify the rows are left out."""
    done: dict[str, Covariate] = {}
    unused: list[str] = []
    odd: list[Caution] = []
    rows = float(begun.counts.n.sum())
    for name, columns in begun.roles.covariates.items():
        values = max(len(begun.problems.labels[column].levels) for column in columns)
        decoded = covariate(name, columns, begun.use, begun.problems, begun.options.allowed.get(name))
        if decoded is None:
            continue
        is_text = decoded.a.dtype == object
        if not is_text:
            odd += code_suspects(begun.problems, columns, begun.use)
        if is_text and name in begun.roles.found and values > max(UNUSED_LABELS, rows / 10):
            unused.append(name)
        else:
            done[name] = decoded
    if not unused:
        return done, odd
    detail = f"{text.quoted(unused)} hold text that differs in most rows; declare covariates= to use them"
    return done, [*odd, caution("SS307", detail)]


def _factor(begun: Draft, column: str, cell: IntArray) -> Factor:
    labels = begun.problems.labels[column].take(cell)
    return Factor(name=column, codes=labels.codes, levels=labels.levels, mixed=labels.mixed)


def _cited(begun: Draft, column: str, cell: IntArray) -> Factor:
    """Return the column of cited labels as a factor; an empty field is a level of its own."""
    labels = begun.problems.labels[column].take(cell)
    levels = ("", *labels.levels)
    return Factor(name=column, codes=(labels.codes + 1).astype(np.int64), levels=levels)


def _cautions(begun: Draft, design: Comparisons) -> list[Caution]:
    found = [*begun.noticed]
    read, left = begun.flow[0].rows, int(begun.counts.n[begun.use].sum())
    if left < read:
        steps = "; ".join(f"{step.label}: {step.rows:,}" for step in begun.flow[1:])
        found.append(caution("SS301", f"{read - left:,} of {read:,} rows ({steps})"))
    if not begun.roles.wins and begun.roles.weight is None and begun.roles.count is None:
        found += repeated_rows(begun.table)
    return (
        found
        + mirror_suspects(design, begun.table.columns)
        + label_cautions({"items": design.items}, (design.by, *design.clusters))
    )
