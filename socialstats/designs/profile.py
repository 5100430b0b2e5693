"""What the columns of a table hold, and what they may be by their names and values: one profile for all proposals."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from functools import cached_property
from itertools import combinations

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.aliases import Pair
from socialstats.designs.cells import joint_codes
from socialstats.designs.column_pairs import (
    differing,
    label_overlap,
    odd_labels,
    paired_names,
    same_scale,
)
from socialstats.designs.column_profile import FEW, MOST_GRADES, MOST_OF, ColumnProfile, Columns
from socialstats.designs.frequencies import frequency_columns
from socialstats.designs.vocabulary import (
    CONDITIONS,
    DATES,
    MODELS,
    RATERS,
    REPEATS,
    ROW_NAMES,
    TASKS,
    UNITS,
    VALUES,
    bare,
)
from socialstats.errors import InputError
from socialstats.tables import Table, missing_labels
from socialstats.tables.labels import Labels
from socialstats.text import listing

# columns that are looked at; columns that may name units, raters or conditions
MOST_COLUMNS = 300
MOST_KEYS = 10
# in a table with more, whole numbers name units only where the column is called so
FEW_COLUMNS = 6
# cells from which what they have in common is a plan
FEWEST_CELLS = 6
# pairs of equal labels within a cell, beside what chance makes, up to which they were planned
RARELY = 0.02

DIFFERENCES = ("diff", "difference", "delta", "change", "gain")
DERIVED = (*DIFFERENCES, "total", "sum", "mean", "average")

ARM = re.compile(
    r"n[._ ]?(?:\d|[ectp]|trt|treat\w*|exp\w*|int\w*|ctrl|con\w*|pla\w*)[._ ]?i?|n\di",
    re.IGNORECASE,
)
# a matrix of questions in an export: 'How often? [Story 1]'
BRACKETED = re.compile(r"[^\[]+\[[^\[\]]+\](?:\W*\[[^\[\]]+\])?")


class TableProfile:
    """The columns of a table as the generators look at them."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._read: dict[str, ColumnProfile | None] = {}
        self._distinct: dict[frozenset[str], bool] = {}
        self._constant: dict[Pair, bool] = {}

    def column(self, name: str) -> ColumnProfile | None:
        """Return what one column holds; None where it holds no labels."""
        if name not in self._read:
            try:
                cells = self.table.counts([name])
                labels = cells.columns[name].labels(missing_labels(()))
            except (InputError, TypeError):
                self._read[name] = None
            else:
                n = np.bincount(
                    labels.codes[labels.codes >= 0], cells.n[labels.codes >= 0], len(labels.levels)
                )
                odd = odd_labels(dict(zip(labels.levels, n.tolist(), strict=True)))
                positions = [k for k, level in enumerate(labels.levels) if level not in odd]
                self._read[name] = ColumnProfile(
                    name=name,
                    levels=tuple(labels.levels[k] for k in positions),
                    rows=int(cells.n.sum()),
                    filled=int(n[positions].sum()),
                    odd=odd,
                )
        return self._read[name]

    @cached_property
    def columns(self) -> dict[str, ColumnProfile]:
        """The first columns that hold labels, by name."""
        every = {
            name: c
            for name in self.table.columns[:MOST_COLUMNS]
            if (c := self.column(name)) is not None
        }
        for column in every.values():
            if column.numbers_rows and bare(column.name) not in ROW_NAMES:
                column.ranks = sum(column.labels == second.labels for second in every.values()) > 3
        return every

    @property
    def every(self) -> Collection[ColumnProfile]:
        """The first columns that hold labels."""
        return self.columns.values()

    @cached_property
    def rows(self) -> int:
        """Rows of the table."""
        return max((column.rows for column in self.every), default=0)

    @cached_property
    def frequencies(self) -> list[str]:
        """Names of columns of frequencies; what is the same in all rows of a unit says something of the unit."""
        every = self.every
        owners = [c for c in every if c.called(UNITS, RATERS) and 2 < c.size <= self.rows / 2]
        counts = [
            c for c in frequency_columns(self.table, (), missing_labels(())) if c not in self.totals
        ]
        return [
            n
            for n in counts
            if not any(c.name != n and self.constant(self.columns[n], c) for c in owners)
        ]

    def varying(self) -> list[ColumnProfile]:
        """Return the columns that vary and are no frequencies."""
        return [c for c in self.every if c.size > 1 and c.name not in self.frequencies]

    def combined(self, *columns: ColumnProfile) -> tuple[FloatArray, list[Labels]]:
        """Return the combinations of labels that occur: in how many rows, and the label of each column."""
        cells = self.table.counts([c.name for c in columns])
        return cells.n, [cells.columns[c.name].labels() for c in columns]

    def combinations(self, *columns: ColumnProfile) -> int:
        """How many combinations of the labels of some columns occur."""
        return len(self.table.counts([c.name for c in columns]).n)

    def distinct(self, *columns: ColumnProfile) -> bool:
        """Whether the combinations of some columns are all different."""
        key = frozenset(c.name for c in columns)
        if key not in self._distinct:
            # fewer repeat
            enough = math.prod(c.size + (c.filled < c.rows) for c in columns) >= self.rows
            self._distinct[key] = enough and self.combinations(*columns) == self.rows
        return self._distinct[key]

    def constant(self, inner: ColumnProfile, outer: ColumnProfile) -> bool:
        """Whether a column has one value for each value of another."""
        key = (inner.name, outer.name)
        if key not in self._constant:
            few = inner.size <= outer.size
            self._constant[key] = few and self.combinations(inner, outer) == outer.size
        return self._constant[key]

    def values(self, columns: Columns) -> FloatArray:
        """Return columns of numbers, one row per column; their rows sorted, NaN where a value is missing."""
        cells = self.table.counts([c.name for c in columns])
        labels = [cells.columns[c.name].labels(missing_labels(c.odd)) for c in columns]
        numbers = [
            np.array([*column.levels, np.nan], dtype=np.float64)[column.codes] for column in labels
        ]
        return np.repeat(np.array(numbers), cells.n.astype(np.int64), axis=1)

    def most_and_least(self, columns: Columns) -> tuple[float, float]:
        """Return the largest and the smallest sum of columns of numbers in a row without a gap."""
        sums = self.values(columns).sum(axis=0)
        return float(np.nanmax(sums, initial=-np.inf)), float(np.nanmin(sums, initial=np.inf))

    def opposed(self, first: ColumnProfile, second: ColumnProfile) -> bool:
        """Whether two columns of the same texts never agree in a row, as two sides do; raters and conditions would."""
        if (
            first.numbers is not None
            or second.numbers is not None
            or label_overlap(first, second) < 1
        ):
            return False
        _, (a, b) = self.combined(first, second)
        shared_rows = [
            a.levels[i] == b.levels[j]
            for i, j in zip(a.codes, b.codes, strict=True)
            if min(i, j) >= 0
        ]
        enough = self.rows >= FEWEST_CELLS * max(len(first.levels), len(second.levels))
        return enough and not any(shared_rows)

    def concordance(self, first: ColumnProfile, second: ColumnProfile) -> float:
        """Return Lin's (1989) concordance coefficient of two columns of numbers; 0 where there is none."""
        rows = self.values([first, second])
        x, y = rows[:, np.isfinite(rows).all(axis=0)]
        if len(x) < 3:
            return 0.0
        cov = np.cov(x, y, ddof=0)
        spread = np.trace(cov) + (x.mean() - y.mean()) ** 2
        return float(2 * cov[0, 1] / spread) if spread > 0 else 0.0

    @cached_property
    def no_values(self) -> frozenset[str]:
        """Names of columns that hold no measurement: row numbers, times, design constants, differences of others."""
        every = [c for c in self.every if not c.text]
        return frozenset(
            c.name
            for c in every
            if c.numbers_rows
            or c.identifies
            or c.numbering
            or self.enumerates(c)
            or c.name in self.triples
            or c.name in self.aside
        )

    @cached_property
    def aside(self) -> frozenset[str]:
        """Names of columns that describe an answer or its author; none where nothing else is there."""
        numbers = [c for c in self.varying() if not c.text and not (c.numbers_rows or c.numbering)]
        plain = all(not c.describes or c.words <= {*DATES} for c in numbers)
        # entry and week: neither is a date
        lone = len(numbers) == 2 and plain and same_scale(*numbers)
        every = () if lone or self.unjudged else self.every
        return frozenset(c.name for c in every if c.describes)

    @cached_property
    def unjudged(self) -> bool:
        """Whether no column but times, costs, dates and the like may hold a measurement."""
        plays = (*UNITS, *RATERS, *CONDITIONS, *REPEATS, *MODELS, *TASKS)
        varying = self.varying()
        few = [c for c in varying if not c.text or c.size <= FEW]
        free = [c for c in few if not (c.describes or c.identifies or c.numbers_rows)]
        free = [c for c in free if not c.numbering or c.size <= MOST_GRADES]
        described = any(c.describes and not c.text for c in varying)
        texts = [c.levels for c in free if c.text]
        if len({*texts}) < len(texts):
            # raters in columns
            return False
        return described and all(c.called(plays) and not c.called(VALUES) for c in free)

    def enumerates(self, column: ColumnProfile) -> bool:
        """Whether whole numbers are part of a plan: balanced, counted up in each cell, or one for each label.

        The labels are those of a column of texts that repeat, such as the number of dimensions of each benchmark.
        """
        if not column.whole or column.unique or column.size < 2 or column.filled < column.rows:
            return False
        numbers = sorted(column.numbers or [])
        n, _ = self.combined(column)
        in_turn = numbers[0] in (0.0, 1.0) and numbers[-1] - numbers[0] == len(numbers) - 1
        if len(numbers) > 2 and in_turn and n.min() == n.max() > 1 and self.rows >= 12:
            return bool(self.owners) or column.called(REPEATS)
        if column.name in self.planned:
            return True
        return any(c is not column and self.constant(column, c) for c in self.owners)

    @cached_property
    def planned(self) -> frozenset[str]:
        """Names of columns whose labels were planned: within the cells of one or two others, none occurs twice.

        Answers come as they come: equal ones meet within a cell as often as their frequencies say.
        """
        keys = [c for c in self.repeating if not c.prose][:MOST_KEYS]
        return frozenset(c.name for c in keys if self._is_planned(c, keys))

    def _is_planned(self, column: ColumnProfile, keys: Columns) -> bool:
        """Whether hardly two rows of the same labels of any two other columns have the same label of a column."""
        cells = combinations([c for c in keys if c is not column], 2)
        return any(self._never_twice(column, cell) for cell in cells)

    def _never_twice(self, column: ColumnProfile, cell: Columns) -> bool:
        """Whether hardly two rows of one cell have the same label, where chance would make several do."""
        n, (label, *of_cell) = self.combined(column, *cell)
        if (n > 1).mean() > 1 - MOST_OF:
            return False
        share = np.bincount(label.codes, weights=n) / n.sum()
        sizes = np.bincount(joint_codes([labels.codes for labels in of_cell]), weights=n)
        pairs = (sizes * (sizes - 1)).sum() / 2
        met = (n * (n - 1)).sum() / 2
        by_chance = pairs * (share**2).sum()
        return bool(by_chance >= FEWEST_CELLS and met <= RARELY * by_chance)

    @cached_property
    def repeating(self) -> list[ColumnProfile]:
        """Columns that name things, and whose labels repeat."""
        return [c for c in self.every if c.names_things and self.enough(c)]

    @cached_property
    def owners(self) -> list[ColumnProfile]:
        """Columns of texts whose labels repeat, three times or more each on average."""
        return [c for c in self.every if c.names_things and c.text and 2 < c.size <= self.rows / 3][
            :MOST_KEYS
        ]

    @cached_property
    def shares(self) -> frozenset[str]:
        """Names of columns of numbers that are labels of another column: a probability, or 0 and 1, of each label."""
        texts = [c for c in self.every if c.text and not c.unique and 1 < c.size <= FEW]
        labels = [{bare(level) for level in c.levels} for c in texts]
        numbers = [
            c.name for c in self.every if c.numbers and 0 <= min(c.numbers) <= max(c.numbers) <= 1
        ]
        return frozenset(
            name
            for names in labels
            for name in numbers
            if sum(bare(second) in names for second in numbers) >= max(2, len(names) / 2)
            and bare(name) in names
        )

    @cached_property
    def triples(self) -> dict[str, frozenset[str]]:
        """Columns of numbers that are the difference or the sum of two others in every row, and these two."""
        numbers = [c for c in self.every if not c.text and c.size > 2 and not c.unique_key]
        numbers = numbers[-12:]
        if len(numbers) < 3:
            return {}
        rows = self.values(numbers)
        rows = rows[:, np.isfinite(rows).all(axis=0)]
        if rows.shape[1] < 5:
            return {}
        derived: dict[str, frozenset[str]] = {}
        for i, j, k in combinations(range(len(numbers)), 3):
            near = 1e-9 * max(1.0, float(np.abs(rows[[i, j, k]]).max()))
            signs = ((1, 1, -1), (1, -1, 1), (1, -1, -1))
            if any(
                np.abs(a * rows[i] + b * rows[j] + c * rows[k]).max() <= near for a, b, c in signs
            ):
                three = [numbers[m] for m in (i, j, k)]
                total = next((c.name for c in three if c.called(DERIVED)), three[-1].name)
                derived[total] = frozenset(c.name for c in three if c.name != total)
        return derived

    @cached_property
    def arm_sizes(self) -> list[str]:
        """Names of columns that are called like sizes of two groups of a study, such as n1i, n2i or n_treat, n_ctrl."""
        sizes = [c.name for c in self.every if c.whole and ARM.fullmatch(c.name.strip())]
        return sizes if len(sizes) == 2 else []

    @cached_property
    def totals(self) -> dict[str, list[str]]:
        """Columns of whole numbers that are the sum of several neighbouring ones in every row, and these."""
        integer_columns = [
            c
            for c in self.every
            if c.whole and c.filled == c.rows and not c.identifies and c.size > 1
        ][:FEW]
        if len(integer_columns) < 3 or self.rows < 5:
            return {}
        rows = self.values(integer_columns)
        sums_of = {}
        # the others are looked at where these add up
        sampled = rows[:, :: max(1, rows.shape[1] // 200)]
        for k, total in enumerate(integer_columns):
            parts = [j for j in range(len(integer_columns)) if j != k]
            sums = np.vstack([np.zeros(sampled.shape[1]), sampled[parts].cumsum(axis=0)])
            runs = sorted(combinations(range(len(sums)), 2), key=lambda run: run[0] - run[1])
            for start, end in (run for run in runs if run[1] - run[0] > 1):
                run = parts[start:end]
                if (
                    np.array_equal(sums[end] - sums[start], sampled[k])
                    and (rows[run].sum(axis=0) == rows[k]).all()
                ):
                    sums_of[total.name] = [integer_columns[j].name for j in run]
                    break
        return sums_of

    def subtracted(self, first: ColumnProfile, second: ColumnProfile) -> bool:
        """Whether a column called like a difference is that of two columns."""
        two = frozenset({first.name, second.name})
        derived = [self.columns[name] for name, parts in self.triples.items() if parts == two]
        return any(c.called(DIFFERENCES) for c in derived)

    def filled_only(self, column: ColumnProfile, kind: ColumnProfile, label: str) -> bool:
        """Whether a column has a value in nearly all rows of one kind, and in no others."""
        cells = self.table.counts([column.name, kind.name])
        there = cells.columns[column.name].labels(missing_labels(column.odd)).codes >= 0
        kinds = cells.columns[kind.name].labels()
        of_kind = kinds.codes == (kinds.levels.index(label) if label in kinds.levels else -1)
        return bool(
            not (there & ~of_kind).any()
            and cells.n[there].sum() >= MOST_OF * cells.n[of_kind].sum()
        )

    def nearly_constant(self, column: ColumnProfile) -> bool:
        """Whether more than nine of ten rows hold one of two labels: such answers hardly differ."""
        if column.size != 2:
            return False
        n, _ = self.combined(column)
        return bool(n.max() > 0.9 * n.sum())

    def enough(self, column: ColumnProfile) -> bool:
        """Whether the labels of a column occur in several rows each."""
        return column.size * 2 <= self.rows

    def has_partner(self, column: ColumnProfile) -> bool:
        """Whether another column is called as this one is, of the other side or condition."""
        remaining = [c for c in self.every if c is not column]
        return column.name in self.counterparts or any(
            paired_names(column, second) for second in remaining
        )

    @cached_property
    def counterparts(self) -> frozenset[str]:
        """Names of columns in which the same two words tell several pairs apart: base_pred, ft_pred, base_ok, ft_ok."""
        pairs: dict[Pair, set[str]] = {}
        for first, second in combinations(self.every, 2):
            two = differing(first, second)
            # numbers tell questions apart
            if two is not None and "".join(two).isalpha():
                pairs.setdefault(two, set()).update({first.name, second.name})
        return frozenset(name for names in pairs.values() if len(names) > 2 for name in names)

    @cached_property
    def siblings(self) -> frozenset[str]:
        """Names of three or more columns of one scale that are called alike but for a number."""
        kinds: dict[str, list[ColumnProfile]] = {}
        for c in self.every:
            if c.discrete and c.size > 1:
                kinds.setdefault(stem(c.name), []).append(c)
        groups = (group for group in kinds.values() if len(group) > 2)
        return frozenset(
            c.name for g in groups if all(same_scale(g[0], d) for d in g[1:]) for c in g
        )

    def numbered_alike(self, column: ColumnProfile) -> list[ColumnProfile]:
        """Return the columns of one scale that are called as a column is but for a number, it among them."""
        name = stem(column.name)
        named = [c for c in self.every if c.size > 1 and stem(c.name) == name != bare(c.name)]
        alike = (
            bool(name)
            and column in named
            and all(c is column or same_scale(column, c) for c in named)
        )
        return named if alike else [column]

    @cached_property
    def crossed(self) -> frozenset[str]:
        """Names of columns of whole numbers that name things: with another column they number all rows once."""
        sized = [
            (a, b)
            for a, b in combinations(self.repeating[:MOST_KEYS], 2)
            if len(a.levels) * b.size == self.rows >= 8
        ]
        plans = [(a, b) for a, b in sized if (a.whole is not b.whole) and self.distinct(a, b)]
        return frozenset(c.name for pair in plans for c in pair if c.whole)

    @cached_property
    def is_cross(self) -> bool:
        """Whether the labels of the first column are the names of the others, whatever the cells hold."""
        first, *remaining = self.table.columns
        column = self.columns.get(first)
        rows = (
            {bare(level) for level in column.levels}
            if column is not None and column.unique
            else set()
        )
        if column is None or not column.text:
            return False
        return (
            len(rows) > 1
            and rows <= {bare(name) for name in remaining}
            and len(remaining) <= len(rows) + 1
        )

    @cached_property
    def long(self) -> bool:
        """Whether a column called like a unit or a rater repeats its labels: a table of several rows a unit."""
        named = [c for c in self.repeating if c.tokens]
        if self.row_id() is not None or any(c.numbers_rows for c in self.every):
            # few numbers beside one row per unit may be values, and few labels its topic
            keys = [c for c in self.repeating if c.text or c.identifies or c.numbering][:MOST_KEYS]
            apart = [c for c in named if c.text and self.told_apart(c, keys)]
            named = [c for c in named if c in apart or (c.size > 12 and self.planned)]
        named = [c for c in named if c.tokens[-1].removesuffix("id") in (*UNITS, *RATERS, "id")]
        return bool(self.rated_by_name) or not all(map(self.has_partner, named))

    @cached_property
    def plan(self) -> tuple[ColumnProfile, ColumnProfile] | None:
        """Two columns of texts that make a plan of several rows a unit: nearly all of their pairs, once each.

        The one with more labels comes first.
        """
        texts = [c for c in self.repeating if c.text]
        for two in combinations(texts[:MOST_KEYS], 2):
            more, less = sorted(two, key=lambda c: -c.size)
            met = MOST_OF * len(more.levels) * len(less.levels) <= self.rows
            if len(more.levels) >= FEWEST_CELLS and met and self.distinct(more, less):
                return more, less
        return None

    @cached_property
    def rated_by_name(self) -> frozenset[str]:
        """Names of columns whose labels repeat, and meet each label of one column called like a rater at most once."""
        every = [c for c in self.every if c.tokens and c.names_things and not c.unique]
        raters = [
            c for c in every if {*c.tokens[-2:]} - {"id"} <= {*RATERS} and 2 * c.size <= self.rows
        ]
        raters = [c for c in raters if not self.has_partner(c)]
        return frozenset(
            c.name for c in every for r in raters[:1] if c is not r and self.distinct(c, r)
        )

    def told_apart(self, unit: ColumnProfile, keys: Columns) -> bool:
        """Whether one or two further columns that repeat tell the rows of a unit apart."""
        further_keys = [c for c in keys if c is not unit]
        return any(
            self.distinct(unit, *two) for size in (1, 2) for two in combinations(further_keys, size)
        )

    def row_id(self) -> str | None:
        """Return a column that names the rows: called so, without a name, or text at the start."""
        free = [c for c in self.every if c.unique and c.names_things]
        named = [c for c in free if c.called(UNITS) or c.numbering or not c.name.strip()]
        first = [c for c in free if c.name == next(iter(self.columns)) and c.text]
        who = [c for c in free if c.text and c.called("user", "username", "email", "nickname")]
        return next(
            (c.name for c in (*named, *(who if first and first[0].timing else first), *first)), None
        )

    def telling_apart(self, key: Columns, free: Columns) -> list[ColumnProfile]:
        """Return the fewest further columns that tell the rows of a key apart; empty where three do not."""
        for size in (1, 2, 3):
            for added in combinations(free[:MOST_KEYS], size):
                if self.distinct(*key, *added):
                    return [*added]
        return []


def names_text(columns: Columns, most: int = 5) -> str:
    """Return the names of columns as messages write them."""
    return listing([*map(str, columns)], most)


def stem(name: str) -> str:
    """Return a name without its numbers, and without a single capital letter or brackets with a text at its end."""
    if BRACKETED.fullmatch(name.strip()):
        return bare(name[: name.index("[")])
    return bare(re.sub(r"\d+|(?<=[a-z_. ])[A-Z]\W*$", "", name.strip()))
