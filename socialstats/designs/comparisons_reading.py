"""From a table to comparisons: which columns, which rows, and what of them stays with the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from socialstats.arrays import AnyArray, BoolArray, FloatArray, IntArray
from socialstats.designs.aliases import Fields, Levels, Pair
from socialstats.designs.cells import joint_codes, several
from socialstats.designs.columns import Contest, assign
from socialstats.designs.comparisons_data import ComparisonsData, drop_unused_items, merged
from socialstats.designs.covariates import continuous, read_covariates
from socialstats.designs.frequencies import Frequency, frequency, unused_beside_wins
from socialstats.designs.options import DEFAULT_TIES, Options
from socialstats.designs.parts import MISSING, OK, REFUSAL, TIED, FlowStep, Replies
from socialstats.designs.rows import Rows, begin
from socialstats.designs.scan import Scan, fits, stays, with_texts
from socialstats.designs.schema import NAMING, NEEDED
from socialstats.designs.statuses import statuses_of
from socialstats.designs.suspects import (
    label_cautions,
    mirror_suspects,
    probability_cautions,
    repeated_rows,
)
from socialstats.designs.tables import refuse_totals, set_weights_aside, whole_numbers
from socialstats.designs.undeclared import of_comparisons, with_dependence
from socialstats.designs.winners import (
    Expanded,
    ItemSides,
    drawn_rows,
    each_once,
    first_shown,
    tells_order,
    tied_replies,
    winners,
)
from socialstats.errors import Caution, InputError, caution
from socialstats.tables import Table, missing_names
from socialstats.tables.lazy import asks
from socialstats.text import shorten
from socialstats.voice import option

# rows; of more, no caution is worth another pass and a cell for each row
MOST_SEARCHED = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """Clusters and covariates that stay with the table: they make no cells."""

    clusters: Levels = ()
    covariates: Mapping[str, Pair] = field(default_factory=dict)

    @property
    def columns(self) -> set[str]:
        """The columns of both."""
        return {*self.clusters, *(column for pair in self.covariates.values() for column in pair)}


@dataclass(slots=True, kw_only=True)
class Draft:
    """A table on its way to a design.

    Attributes
    ----------
    rows : Rows
    roles : Contest
    options : Options
    times : (rows,) float64 array
        Comparisons that each row stands for.
    cautions : tuple of Caution
        What was noticed of frequencies.
    refused, unread : (rows,) bool arrays
        Rows without a choice, which are not in use: refusals, and replies that are missing or unreadable.
    drawn : (rows,) bool array
        Rows that a column says are ties.
    stored : Stored
    """

    rows: Rows
    roles: Contest
    options: Options
    times: FloatArray
    cautions: tuple[Caution, ...]
    refused: BoolArray
    unread: BoolArray
    drawn: BoolArray
    stored: Stored


def draft(table: Table, options: Options) -> Draft:
    """Assign the columns, count the cells, and set aside what is missing or weighs nothing."""
    roles = assign(table, options)
    frequencies = frequencies_of(table, roles, options)
    roles = roles.counted(frequencies.column)
    table, stored = stored_columns(table, roles, options)
    rows = _begin(table, roles, options, stored)
    if stored.columns and not fits(rows.counts):
        stored = Stored()
        rows = _begin(table, roles, options, stored)
    # an empty field cites no label, and tells no rest
    needed = [
        c
        for c in roles.of(*NEEDED)
        if c not in (*stored.columns, *roles.of("value", "status", "note"))
    ]
    rows.set_missing_aside(needed, drop=options.missing == "drop")
    if roles["weight"]:
        set_weights_aside(rows, roles["weight"], options)
    times = np.broadcast_to(1.0, len(rows.use))
    if roles["count"]:
        refuse_totals(roles.names_of_rows("item"), rows)
        times = whole_numbers(roles["count"], rows)
        rows.leave_out(~(times > 0), "every count is 0", "neither a win nor a tie")
    drawn = drawn_rows(rows, roles)
    refused, unread = set_replies_aside(rows, roles, options, drawn)
    return Draft(
        rows=rows,
        roles=roles,
        options=options,
        times=times,
        cautions=frequencies.cautions,
        refused=refused,
        unread=unread,
        drawn=drawn,
        stored=stored,
    )


def _begin(table: Table, roles: Contest, options: Options, stored: Stored) -> Rows:
    """Count the distinct rows of all columns but those that stay with the table."""
    keys = [key for key in roles.keys_of_cells() if key not in stored.columns]
    return begin(table, keys, options.na_labels, roles.of(*NAMING), roles["weight"] or None)


def frequencies_of(table: Table, roles: Contest, options: Options) -> Frequency:
    """Return the column of frequencies, if there is one.

    Raises
    ------
    InputError
        For weights or counts of probabilities.
    """
    count = options.count
    weight = roles["weight"] or None
    na = options.na_labels
    if options.winner_coding == "probability":
        if weight is not None or count:
            raise InputError(
                f"{table.source}: {option('winner_coding', 'probability')} takes one reply per row, without weights "
                f"and counts; leave out {option('weight' if weight is not None else 'count')}"
            )
        count = False
    used = {*roles.keys_of_cells(), *roles.of("weight")}
    if count is None and roles.of("wins"):
        return unused_beside_wins(table, roles.of("wins"), used, na)
    unique = roles.names_of_rows("item", "score", "order", "by")
    return frequency(
        table, count, unique, used, na, weight, counted=lambda: _both_won(table, roles)
    )


def stored_columns(table: Table, roles: Contest, options: Options) -> tuple[Table, Stored]:
    """Return the clusters and covariates that stay with the table, and the table with clusters that can."""
    clusters = roles.of("cluster")
    na = options.na_labels
    counted = roles["count"] or not roles["winner"] or options.winner_coding == "probability"
    if counted or (roles.pair_cluster and clusters):
        return table, Stored()
    free = {name: pair for name, pair in roles.covariates.items() if name not in options.allowed}
    covariates = continuous(table, free, roles.items, na)
    key_columns = {*roles.replaced(cluster=()).keys_of_cells()}
    table = with_texts(table, [column for column in clusters if column not in key_columns])
    stay = stays(table, clusters, missing_names(na), eager=bool(covariates))
    if clusters and not stay:
        return table, Stored()
    # a cluster that is an item, a level or a winner as well is counted with the cells
    apart = stay and key_columns.isdisjoint(clusters)
    return table, Stored(clusters=tuple(clusters) if apart else (), covariates=covariates)


def _both_won(table: Table, roles: Contest) -> bool:
    """Return whether each of two items won in the rows of at least one pair, as in a table that was counted."""
    items = roles.of("item")
    winner = roles["winner"]
    return bool(winner) and len(table.counts([*items, winner]).n) > len(table.counts(items).n)


@asks
def build(table: Table, options: Options) -> ComparisonsData:
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
    rows = begun.rows
    roles = begun.roles
    sides = _item_codes(rows, roles.items)
    different = sides.a != sides.b
    design = _finish_comparisons(begun, sides, winners(rows, roles, sides, options, begun.drawn))
    aside: Fields = {}
    for name, cells in (("refused", begun.refused), ("unread", begun.unread)):
        if cells.any():
            part = replace(begun, rows=replace(rows, use=cells & different, flow=[*rows.flow]))
            ties = each_once(np.full(len(rows.use), TIED, dtype=np.int64))
            if design.replies is not None:
                ties = tied_replies(rows.n, cells & different)
            aside[name] = _merge_cells(_finish_comparisons(part, sides, ties), roles)
            del part, ties
    # 300 MB of four million cells, while merging takes more
    del begun, rows, sides, different
    design = replace(_merge_cells(design, roles), **aside)
    if roles.of("count", "wins") or design.n_rows > MOST_SEARCHED:
        return design
    tried = design.replies is None and design.scan is None
    return with_dependence(
        design,
        table,
        roles,
        options,
        design.n_rows,
        of_comparisons,
        (lambda _, wider: build(table, wider)) if tried else None,
        what="comparison",
        within=partial(_in_pairs, table, roles),
    )


def set_replies_aside(
    rows: Rows, roles: Contest, options: Options, drawn: BoolArray
) -> tuple[BoolArray, BoolArray]:
    """Stop using cells without a choice; return which of them are refusals, and which missing or unreadable.

    A row that was drawn needs no winner.
    """
    start = rows.use
    column = roles["winner"]
    if not column:
        return np.zeros_like(start), np.zeros_like(start)
    statuses = statuses_of(rows, roles)
    refusals = options.refusal_labels
    label = (statuses.kind == OK) & ~drawn
    refused: BoolArray = label & rows.labels(column).mapped(lambda level: level in refusals, False)
    refused = start & (refused | (statuses.kind == REFUSAL))
    rows.leave_out(statuses.blocked, "blocked by a filter of the provider", "counted as refused")
    rows.leave_out(refused, "refused", f"no choice in '{shorten(column)}'")
    for words, which in statuses.unread.items():
        rows.leave_out(which, words, "missing or unreadable: no choice")
    rows.set_missing_aside([column], drop=options.missing == "drop", among=label)
    absent = label & (rows.codes(column) < 0) & (options.missing == "drop")
    return refused, start & ((statuses.kind == MISSING) | absent)


def _item_codes(rows: Rows, columns: Pair) -> ItemSides:
    """Code the two items, and refuse items that meet themselves."""
    sides = ItemSides.of(columns, *map(rows.labels, columns))
    meets_itself = rows.use & (sides.a == sides.b)
    message = "'{}' is compared with itself"
    rows.each_value(
        columns[0], meets_itself, columns, message, fix="Remove such rows, or correct one side"
    )
    rows.use = rows.use & ~meets_itself
    return sides


def _finish_comparisons(begun: Draft, sides: ItemSides, won: Expanded) -> ComparisonsData:
    """Decode the rest, raise what was collected, and keep the cells in use."""
    rows = begun.rows
    roles = begun.roles
    options = begun.options
    stored = begun.stored
    first: AnyArray = np.ones(len(rows.use), dtype=np.int8)
    unused: list[Caution] = []
    if roles["order"] and options.order is None and not tells_order(roles["order"], sides, rows):
        message = f"'{shorten(roles['order'])}' does not say which of the two items was shown first"
        unused = [caution("SS307", message, affects="nothing")]
        roles = roles.replaced(order=())
    if roles["order"]:
        first = first_shown(roles["order"], sides, rows)
    covariates, cautions = read_covariates(rows, roles, options, stored.covariates)
    rows.raise_if_any()
    # a million labels are made again faster than they are held
    rows.known.clear()
    keep = rows.use[won.cell]
    cell = won.cell[keep]
    if not len(cell):
        raise rows.nothing("row")
    times = won.times[keep] * begun.times[cell]
    count = times * rows.n[cell] if won.reply is None else times
    weight = count
    weight_sq = count
    if roles["weight"]:
        weight = rows.counts.weight[cell] * times
        weight_sq = rows.counts.weight_sq[cell] * times
    outcome = won.outcome[keep].astype(np.int8)
    cited = None
    # an empty field has a level of its own
    if roles["values"]:
        cited = rows.factor(roles["values"], cell)
        cited = replace(
            cited, codes=(cited.codes + 1).astype(np.int64), levels=("", *cited.levels), mixed=()
        )
    fields: Fields = {
        "item_a": sides.a[cell],
        "item_b": sides.b[cell],
        "outcome": outcome,
        "first": first[cell].astype(np.int8),
        "count": count,
        "weight": weight,
        "weight_sq": weight_sq,
        "covariates": {name: covariate.take(cell) for name, covariate in covariates.items()},
        "by": rows.by(roles, cell),
        "cited": cited,
        "clusters": () if stored.clusters else rows.factors(roles.of("cluster"), cell),
        "scan": _scan(begun, cell),
    }
    if won.reply is not None:
        fields["replies"] = _replies(rows, roles, won.reply[keep], cell)
    ties_declared = options.tie_labels != DEFAULT_TIES or options.winner_coding in (
        "score",
        "grade",
    )
    may_tie = (
        roles["ties"] or roles["score_a"] or roles["drawn"] or (roles["winner"] and ties_declared)
    )
    design = ComparisonsData(
        **drop_unused_items(fields, sides.items),
        order_known=bool(roles["order"]),
        source=rows.table.source,
        columns=roles.parts(),
        weighted=bool(roles["weight"]),
        ties_possible=bool(may_tie or (outcome == TIED).any()),
        flow=_flow(begun, cell, count),
    )
    return replace(design, cautions=(*unused, *cautions, *_reading_cautions(begun, design)))


def _scan(begun: Draft, cell: IntArray) -> Scan | None:
    """Return what stays with the table; None for nothing."""
    rows = begun.rows
    stored = begun.stored
    if not stored.columns:
        return None
    of_row = np.full(len(rows.use), -1, dtype=np.int32)
    of_row[cell] = np.arange(len(cell), dtype=np.int32)
    return Scan.of(
        rows.table,
        stored.clusters,
        rows.counts,
        of_row,
        weight=begun.roles["weight"] or None,
        na=begun.options.na_labels,
        covariates=stored.covariates,
    )


def _replies(rows: Rows, roles: Contest, codes: IntArray, cell: IntArray) -> Replies:
    """Return the replies of which cells are parts, with the number of those that have no probability."""
    ties = (
        rows.labels(roles["rest"]).numbers()[cell] if roles["rest"] else np.full(len(cell), np.nan)
    )
    silent = (statuses_of(rows, roles).kind == OK) & (rows.codes(roles["winner"]) < 0)
    return Replies(codes=codes, rest=ties, none=int(rows.n[silent].sum()), column=roles["winner"])


def _merge_cells(design: ComparisonsData, roles: Contest) -> ComparisonsData:
    """Return the design with alike cells as one."""
    design = merged(design)
    return (
        replace(design, clusters=(*design.clusters, design.pair)) if roles.pair_cluster else design
    )


def _flow(begun: Draft, cell: IntArray, count: FloatArray) -> tuple[FlowStep, ...]:
    rows = begun.rows
    empty = int(rows.n[rows.use & ~np.isin(np.arange(len(rows.use)), cell)].sum())
    steps = (
        [FlowStep(label="every count is 0", rows=empty, note="neither a win nor a tie")]
        if empty
        else []
    )
    label = "rows analysed"
    note = ""
    if begun.roles.of("wins", "count"):
        label = "comparisons analysed"
        note = "each row counts several comparisons"
    return (*rows.flow, *steps, FlowStep(label=label, rows=round(float(count.sum())), note=note))


def _in_pairs(table: Table, roles: Contest, column: str) -> bool:
    """Return whether each value of a column lies in one pair of items, which is the cluster of a page anyway."""
    coded = table.counts([column, *roles.items]).columns
    label, *labels = (coded[name].labels() for name in (column, *roles.items))
    sides = ItemSides.of(roles.items, *labels)
    pair = joint_codes([np.minimum(sides.a, sides.b), np.maximum(sides.a, sides.b)])
    return not len(several(label.codes + 1, pair))


def _reading_cautions(begun: Draft, design: ComparisonsData) -> list[Caution]:
    rows = begun.rows
    roles = begun.roles
    cautions = [*begun.cautions]
    read = rows.flow[0].rows
    left = int(rows.n[rows.use].sum())
    if left < read:
        cautions.append(caution("SS301", f"{read - left:,} of {read:,} rows ({rows.steps()})"))
    if not roles.of("wins", "weight", "count"):
        cautions += repeated_rows(rows.table)
    cautions += mirror_suspects(design, rows.table.columns)
    if design.coverage is not None:
        cautions += probability_cautions(design.coverage)
    alike = design.scan.alike() if design.scan is not None else {}
    stored = {f"column '{shorten(name)}'": labels for name, labels in alike.items()}
    return cautions + label_cautions(
        {"items": design.items, **stored}, (design.by, *design.clusters)
    )
