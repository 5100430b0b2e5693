"""Designs, tables and vectors in pieces, which are drawn again: copies of a unit or cluster are units of their own.

A piece is what is never cut: a rating, a pair, a comparison, a row of a table, a value of a vector. `drawn` returns the
same kind of data from some pieces, each as often as it is named. A unit, cluster or rater that is drawn twice is two,
the second with a label of its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import AnyArray, IntArray
from socialstats.designs.aliases import Fields
from socialstats.designs.cells import unequal
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.comparisons_data import take_columns
from socialstats.designs.groups import Groups
from socialstats.designs.label_lists import LabelLists
from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor, Repeats, UnitNames, taken, taken_fields
from socialstats.designs.ratings import Ratings
from socialstats.errors import DesignError, InputError, Problem
from socialstats.text import listing, quoted, shorten
from socialstats.voice import option

if TYPE_CHECKING:
    import pandas as pd

Copies = Mapping[str, IntArray]
Designs = Comparisons | Groups | Paired | Ratings | LabelLists
MARK = "#"
# alike rows that are taken apart
MOST_SINGLE = 1_000_000


def copy_labels(levels: Sequence[str], keys: IntArray, width: int) -> list[str]:
    """Return the label of each key, level x width + copy: copies after the first have a number.

    Examples
    --------
    >>> copy_labels(["ann", "bob"], np.array([0, 2, 3]), 2)
    ['ann', 'bob', 'bob#2']
    """
    # a mark that stands in no label keeps copies apart from labels that end alike
    mark = MARK
    while any(mark in level for level in levels):
        mark += MARK
    return [
        levels[key // width] + (f"{mark}{key % width + 1}" if key % width else "")
        for key in keys.tolist()
    ]


def split_levels(
    codes: IntArray, copy: IntArray, levels: Sequence[str]
) -> tuple[IntArray, tuple[str, ...], IntArray]:
    """Return codes and labels where each copy is a level of its own, and a place of each new level; labels ascend."""
    width = int(copy.max(initial=0)) + 1
    # one number for each level and copy
    keys, first, place = np.unique(codes * width + copy, return_index=True, return_inverse=True)
    labels = copy_labels(levels, keys, width)
    order = np.array(sorted(range(len(labels)), key=labels.__getitem__), dtype=np.int64)
    back = np.empty(len(order), dtype=np.int64)
    back[order] = np.arange(len(order))
    return back[place.ravel()], tuple(labels[k] for k in order.tolist()), first[order]


def joint_copy(copies: Sequence[IntArray], size: int) -> IntArray:
    """Return one number for each combination of copies; 0 for the first copies of all."""
    joint = np.zeros(size, dtype=np.int64)
    for copy in copies:
        # as digits of one number: copies of several factors are told apart
        joint = joint * (int(copy.max(initial=0)) + 1) + copy
    return joint


def entries_at(place: IntArray, index: IntArray) -> tuple[IntArray, IntArray]:
    """Return which entries stand at the places of `index`, one place after the other, and the number of the place.

    Examples
    --------
    >>> [part.tolist() for part in entries_at(np.array([0, 2, 2]), np.array([2, 0, 2]))]
    [[1, 2, 0, 1, 2], [0, 0, 1, 2, 2]]
    """
    order = np.argsort(place, kind="stable")
    many = np.bincount(place, minlength=int(index.max(initial=-1)) + 1)
    start = np.cumsum(many) - many
    times = many[index]
    new = np.repeat(np.arange(len(index)), times)
    # places count from the first entry of each run
    within = np.arange(len(new)) - np.repeat(np.cumsum(times) - times, times)
    return order[start[index][new] + within], new


def drawn_repeats(repeats: Repeats | None, index: IntArray) -> Repeats | None:
    """Return the answers behind the values at some places, which may be named several times."""
    if repeats is None:
        return None
    entry, place = entries_at(repeats.place, index)
    arrays = taken_fields(repeats, ("source", "answers", "variance", "shares", "first"), entry)
    return replace(repeats, place=place, **arrays)


def single_rows(count: AnyArray, source: str) -> IntArray:
    """Return the cell of each of its alike rows.

    Raises
    ------
    InputError
        For very many rows.
    """
    refuse_many(count.sum(), source)
    return np.repeat(np.arange(len(count)), count.astype(np.int64))


def drawn_factor(factor: Factor, index: IntArray, copies: Copies) -> Factor:
    """Return a factor of the pieces at some places; copies of its levels are levels of their own."""
    if factor.name not in copies:
        return factor.take(index)
    codes, levels, _ = split_levels(factor.codes[index], copies[factor.name], factor.levels)
    return Factor(name=factor.name, codes=codes, levels=levels)


def drawn_factors(factors: Iterable[Factor], index: IntArray, copies: Copies) -> tuple[Factor, ...]:
    """Return some factors of the pieces at some places."""
    return tuple(drawn_factor(factor, index, copies) for factor in factors)


def by_name(factors: Iterable[Factor]) -> dict[str, Factor]:
    """Return factors by their names."""
    return {factor.name: factor for factor in factors}


def over_pieces(factors: Iterable[Factor], owner: IntArray) -> dict[str, Factor]:
    """Return factors of units or raters over the pieces, by name; `owner` is the unit or rater of each."""
    return by_name(replace(factor, codes=factor.codes[owner]) for factor in factors)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pieces(ABC):
    """Data as pieces.

    Attributes
    ----------
    data : object
        What the function of one's own gets.
    size : int
        Pieces.
    noun : str
        What pieces are called, in the singular.
    factors : mapping of str to Factor
        Over the pieces: what may be resampled, exchanged, or hold strata.
    unit : str
        The factor of the units; empty where each piece is one.
    groups : str
        The factor whose levels are samples of their own; empty without.
    apart : bool
        False: a piece stands for several alike ones.
    """

    data: Any
    size: int
    noun: str
    factors: Mapping[str, Factor] = field(default_factory=dict)
    unit: str = ""
    groups: str = ""
    apart: bool = True

    @property
    def declared(self) -> tuple[str, ...]:
        """Names of the declared clusters: none of tables and vectors."""
        clusters: Sequence[Factor] = getattr(self.data, "clusters", ())
        return tuple(factor.name for factor in clusters)

    @abstractmethod
    def drawn(self, index: IntArray, copies: Copies) -> Any:
        """Return data of some pieces.

        Parameters
        ----------
        index : (n,) int64 array
            A piece may be named several times.
        copies : mapping of str to (n,) int64 array
            For each resampled factor the number of the copy, from 0.
        """

    @abstractmethod
    def labelled(self, name: str, codes: IntArray) -> Any:
        """Return data whose factor `name` has other codes."""

    def factor(self, name: str, what: str) -> Factor:
        """Return a factor by its name.

        Raises
        ------
        InputError
            For a name that is none; `what` is the option that names it.
        """
        if name not in self.factors:
            factors = quoted(list(self.factors), 12) or "none"
            raise InputError(f"{option(what, name)}: no such factor. There are: {factors}")
        return self.factors[name]

    def take(self, mask: AnyArray) -> Any:
        """Return the pieces of a mask, as they are."""
        return self.drawn(np.flatnonzero(mask), {})

    def reordered(self, names: Sequence[str]) -> Any:
        """Return all pieces in another order, and with other labels of the factors that are resampled."""
        index = np.random.Generator(np.random.PCG64(0)).permutation(self.size)
        ones = np.ones(self.size, dtype=np.int64)
        return self.drawn(index, dict.fromkeys(names, ones))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RatingPieces(Pieces):
    """Ratings, each a piece: of units in clusters and strata, by raters in groups."""

    RATER = "rater"

    @classmethod
    def of(cls, design: Ratings) -> RatingPieces:
        """Take ratings apart; alike units are units of their own."""
        if np.any(design.unit_count != 1):
            times = design.unit_count.astype(np.int64)
            refuse_many(times.sum(), design.source)
            of_rating = times[design.unit]
            index = np.repeat(np.arange(len(design.unit)), of_rating)
            copy = np.arange(len(index)) - np.repeat(np.cumsum(of_rating) - of_rating, of_rating)
            design = redrawn_ratings(design, index, {"unit": copy})
            design = replace(design, unit_count=np.ones(len(design.units)))
        names = {"unit": Factor(name="unit", codes=design.unit, levels=design.units)}
        names["rater"] = Factor(name="rater", codes=design.rater, levels=design.raters)
        names |= over_pieces(design.strata.values(), design.unit)
        # no rater lacks one
        complete = [group for group in design.rater_groups.values() if np.all(group.codes >= 0)]
        names |= over_pieces(complete, design.rater)
        names |= over_pieces(design.clusters, design.unit)
        return cls(
            data=design,
            size=len(design.unit),
            noun="rating",
            factors=names,
            unit="unit",
        )

    def drawn(self, index: IntArray, copies: Copies) -> Ratings:
        """Return the ratings of some pieces."""
        return redrawn_ratings(self.data, index, copies)

    def labelled(self, name: str, codes: IntArray) -> Ratings:
        """Return ratings by other raters, of units in other strata, or by raters of other groups."""
        design: Ratings = self.data
        if name == "rater":
            rows = np.lexsort((codes, design.unit))
            repeats = drawn_repeats(design.repeats, rows)
            return replace(
                design,
                **taken_fields(design, ("value", "status", "probabilities", "unit"), rows),
                rater=codes[rows],
                repeats=repeats,
            )
        for kind, of in (("strata", design.unit), ("rater_groups", design.rater)):
            parts: Mapping[str, Factor] = getattr(design, kind)
            if name in parts:
                new = np.full(len(parts[name].codes), -1, dtype=np.int64)
                new[of] = codes
                changed: Fields = {kind: {**parts, name: replace(parts[name], codes=new)}}
                return replace(design, **changed)
        raise InputError(
            f"{option('what', name)}: labels of {name}s are not exchanged; name the raters, a stratum of "
            "the units or a group of the raters"
        )


def redrawn_ratings(design: Ratings, index: IntArray, copies: Copies) -> Ratings:
    """Return some ratings, with copies of units, clusters and raters as others, in the order of units and raters."""
    # a rater who is drawn again is another rater, and the units stay what they are
    of_raters = {RatingPieces.RATER, *design.rater_groups}
    copies_of_raters = [copy for name, copy in copies.items() if name in of_raters]
    copies_of_units = [copy for name, copy in copies.items() if name not in of_raters]
    by_rater = joint_copy(copies_of_raters, len(index))
    by_unit = joint_copy(copies_of_units, len(index))
    unit, units, first = split_levels(design.unit[index], by_unit, design.units)
    rater, raters, heads = split_levels(design.rater[index], by_rater, design.raters)
    # what each unit, and each rater, was before
    old_unit = design.unit[index][first]
    old_rater = design.rater[index][heads]
    at_units = taken(copies, first)
    at_raters = taken(copies, heads)
    strata = drawn_factors(design.strata.values(), old_unit, at_units)
    groups = drawn_factors(design.rater_groups.values(), old_rater, at_raters)
    # designs of ratings are sorted by unit, then rater
    rows = np.lexsort((rater, unit))
    answers: Fields = {
        name: drawn_repeats(getattr(design, name), index[rows]) for name in ("repeats", "shared")
    }
    return replace(
        design,
        **design.answers_at(index[rows]),
        **answers,
        units=units,
        raters=raters,
        unit=unit[rows],
        rater=rater[rows],
        unit_count=design.unit_count[old_unit],
        unit_weight=unequal(taken(design.unit_weight, old_unit)),
        clusters=drawn_factors(design.clusters, old_unit, at_units),
        strata=dict(zip(design.strata, strata, strict=True)),
        rater_groups=dict(zip(design.rater_groups, groups, strict=True)),
        by=None,
        cautions=(),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ContrastPieces(Pieces):
    """Pairs, or units of two groups, each a piece."""

    @classmethod
    def of(cls, design: Paired | Groups) -> ContrastPieces:
        """Take a contrast apart; alike pairs or units are pieces of their own."""
        apart = bool(np.all(design.count == 1))
        if not apart:
            design = single_cells(design)
        names = by_name(design.clusters)
        noun = "pair"
        groups = ""
        if isinstance(design, Groups):
            noun = "unit"
            groups = "group"
            names = {groups: Factor(name=groups, codes=design.group, levels=design.groups), **names}
        if design.units is not None and len(design.units.cell) == len(design.count):
            unit_codes = np.empty(len(design.count), dtype=np.int64)
            unit_codes[design.units.cell] = design.units.codes
            names = {
                "unit": Factor(name="unit", codes=unit_codes, levels=design.units.levels),
                **names,
            }
        return cls(
            data=design,
            size=len(design.count),
            noun=noun,
            factors=names,
            groups=groups,
            apart=apart,
        )

    def drawn(self, index: IntArray, copies: Copies) -> Paired | Groups:
        """Return the contrast of some pieces."""
        design: Paired | Groups = self.data
        arrays = taken_fields(design, ("count", *design.CELLS), index)
        units = design.units and drawn_names(
            design.units, index, joint_copy(list(copies.values()), len(index))
        )
        return replace(
            design,
            **arrays,
            weight=unequal(taken(design.weight, index)),
            by=None,
            clusters=drawn_factors(design.clusters, index, copies),
            units=units,
            repeats=drawn_repeats(design.repeats, index),
            cautions=(),
        )

    def labelled(self, name: str, codes: IntArray) -> Paired | Groups:
        """Return pairs of which some have their conditions exchanged (codes of 1), or units in other groups."""
        design: Paired | Groups = self.data
        if isinstance(design, Groups) and name == "group":
            return replace(design, group=codes)
        if isinstance(design, Paired) and name == "condition":
            turned = codes > 0
            return replace(
                design,
                first=np.where(turned, design.second, design.first),
                second=np.where(turned, design.first, design.second),
            )
        what = "group" if isinstance(design, Groups) else "condition"
        raise InputError(
            f"{option('what', name)}: labels of this design that are exchanged are {option('what', what)}"
        )


def single_cells(design: Paired | Groups) -> Paired | Groups:
    """Return a design of which every cell is one pair or unit."""
    index = single_rows(design.count, design.source)
    units = design.units
    if units is not None and len(units.cell) == len(index):
        order = np.argsort(units.cell, kind="stable")
        index = units.cell[order]
        units = replace(units, codes=units.codes[order], cell=np.arange(len(order)))
    else:
        units = None
    arrays: Fields = taken_fields(design, ("clusters", *design.CELLS), index)
    return replace(
        design,
        **arrays,
        weight=unequal(taken(design.weight, index)),
        count=np.ones(len(index)),
        units=units,
        repeats=None,
    )


def drawn_names(units: UnitNames, index: IntArray, copy: IntArray) -> UnitNames:
    """Return the names of the units of some cells, copies of a unit with names of their own."""
    entry, cell = entries_at(units.cell, index)
    codes, levels, _ = split_levels(units.codes[entry], copy[cell], units.levels)
    return UnitNames(codes=codes, levels=levels, cell=cell)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ComparisonPieces(Pieces):
    """Comparisons, each a piece; items are never drawn, and a pair of items that is drawn twice counts twice."""

    @classmethod
    def of(cls, design: Comparisons) -> ComparisonPieces:
        """Take comparisons apart, each row for itself."""
        design = replace(design.whole(), refused=None, unread=None)
        apart = bool(np.all(design.count == 1)) or design.replies is not None
        if not apart:
            # by Cauchy and Schwarz, both are equal where all rows of a cell have one weight
            if np.any(design.weight_sq * design.count > design.weight**2 * (1 + 1e-9)):
                raise InputError(
                    f"{design.source}: rows of different weights were counted together. Resample clusters "
                    "of a table that has each row once"
                )
            index = single_rows(design.count, design.source)
            data = {
                name: getattr(design, name)[index] / design.count[index]
                for name in ("weight", "weight_sq")
            }
            design = replace(
                design, **take_columns(design, index, sums=()), **data, count=np.ones(len(index))
            )
        names = by_name(design.clusters)
        # a declared cluster may be called pair, and is meant then
        names.setdefault("pair", design.pair)
        if design.replies is not None:
            names[design.replies.factor.name] = design.replies.factor
        return cls(
            data=design,
            size=len(design.count),
            noun="comparison",
            factors=names,
            apart=apart,
            unit="" if design.replies is None else design.replies.factor.name,
        )

    def drawn(self, index: IntArray, copies: Copies) -> Comparisons:
        """Return the comparisons of some pieces, with all items."""
        design: Comparisons = self.data
        fields = take_columns(replace(design, clusters=(), by=None), index)
        done = replace(design, **fields, cautions=())
        clusters = drawn_factors(design.clusters, index, copies)
        if done.replies is not None:
            joint = joint_copy(list(copies.values()), len(index))
            # a reply that is drawn twice is two replies
            codes = done.replies.codes * (int(joint.max(initial=0)) + 1) + joint
            return replace(done, clusters=clusters, replies=replace(done.replies, codes=codes))
        return replace(done, clusters=clusters)

    def labelled(self, name: str, codes: IntArray) -> Comparisons:
        """Return comparisons of which some have the other winner (codes of 1)."""
        if name != "winner":
            raise InputError(
                f"{option('what', name)}: of comparisons, {option('what', 'winner')} is exchanged"
            )
        design: Comparisons = self.data
        swapped_outcomes = np.array([1, 0, 2], dtype=np.int8)[design.outcome]
        return replace(
            design, outcome=np.where(codes > 0, swapped_outcomes, design.outcome).astype(np.int8)
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ListPieces(Pieces):
    """Units that cite labels, each a piece."""

    @classmethod
    def of(cls, design: LabelLists) -> ListPieces:
        """Take lists apart; alike units are pieces of their own."""
        apart = bool(np.all(design.count == 1))
        index = single_rows(design.count, design.source)
        design = replace(
            design,
            **taken_fields(design, ("cited", "group", "clusters"), index),
            count=np.ones(len(index)),
        )
        grouping = [design.group] if design.group else []
        return cls(
            data=design,
            size=len(index),
            noun="unit",
            apart=apart,
            factors=by_name((*grouping, *design.clusters)),
        )

    def drawn(self, index: IntArray, copies: Copies) -> LabelLists:
        """Return the lists of some units; labels that none cites stay."""
        design: LabelLists = self.data
        return replace(
            design,
            **taken_fields(design, ("cited", "count", "group"), index),
            cautions=(),
            clusters=drawn_factors(design.clusters, index, copies),
        )

    def labelled(self, name: str, codes: IntArray) -> LabelLists:
        """Return units in other groups."""
        design: LabelLists = self.data
        if design.group is None or name != design.group.name:
            raise InputError(
                f"{option('what', name)}: of lists of labels, their group is exchanged"
            )
        return replace(design, group=replace(design.group, codes=codes))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TablePieces(Pieces):
    """Rows of a pandas data frame, each a piece.

    Attributes
    ----------
    keys : tuple of str
        Columns whose copies get values of their own: units, and clusters.
    """

    keys: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, frame: pd.DataFrame, columns: Sequence[str], unit: str | None, source: str
    ) -> TablePieces:
        """Take a table apart, with some columns as factors.

        Raises
        ------
        DesignError
            For a column that the table lacks.
        InputError
            For missing values in these columns, with their rows.
        NothingToAnalyse
            Without a row.
        """
        names = {name: column_factor(frame, name, source) for name in dict.fromkeys(columns)}
        return cls(
            data=frame,
            size=len(frame),
            noun="row",
            factors=names,
            unit=unit or "",
            keys=() if unit is None else (unit,),
        )

    def drawn(self, index: IntArray, copies: Copies) -> pd.DataFrame:
        """Return the rows of some pieces, numbered anew."""
        frame: pd.DataFrame = self.data.take(index).reset_index(drop=True)
        within = [name for name in self.keys if name not in copies]
        joint = joint_copy(list(copies.values()), len(index))
        for name, copy in (dict(copies) | dict.fromkeys(within, joint)).items():
            if name in self.factors and copy.any():
                frame[name] = other_values(frame[name], copy, self.factors[name])
        return frame

    def labelled(self, name: str, codes: IntArray) -> pd.DataFrame:
        """Return the table with the values of a column exchanged."""
        grouping = self.factors[name].codes
        first = np.zeros(len(self.factors[name].levels), dtype=np.int64)
        first[grouping[::-1]] = np.arange(self.size)[::-1]
        column = self.data[name].take(first[codes]).set_axis(self.data.index)
        done: pd.DataFrame = self.data.assign(**{name: column})
        return done


def value_factor(name: str, values: Any) -> Factor:
    """Return values as a factor, whose levels are in their order; missing ones have the code -1."""
    import pandas as pd

    codes, levels = pd.factorize(values, sort=True)
    return Factor(name=name, codes=codes.astype(np.int64), levels=tuple(map(str, levels)))


def column_factor(frame: pd.DataFrame, name: str, source: str) -> Factor:
    """Return a column of a table as a factor; levels are in the order of their values."""
    if name not in frame.columns:
        raise DesignError(
            f"{source}: no column {name!r}. Columns: {quoted([str(c) for c in frame.columns], 12)}"
        )
    lost = np.flatnonzero(frame[name].isna().to_numpy())
    if len(lost):
        raise InputError(
            Problem(
                message="missing value",
                source=source,
                column=name,
                lines=tuple(lost[:20].tolist()),
                n_rows=len(lost),
                unit="row",
                fix="Leave these rows out, or say what they belong to",
            )
        )
    return value_factor(name, frame[name])


def other_values(column: pd.Series[Any], copy: IntArray, factor: Factor) -> Any:
    """Return a column where copies have values of their own: numbers stay numbers, other values become texts."""
    if column.dtype.kind in "iuf":
        low = column.min()
        high = column.max()
        return column + copy * (int(high - low) + 1)
    values = column.astype(object).to_numpy(copy=True)
    width = int(copy.max()) + 1
    again = np.flatnonzero(copy)
    codes = {level: k for k, level in enumerate(factor.levels)}
    keys = (
        np.array([codes[str(values[k])] for k in again.tolist()], dtype=np.int64) * width
        + copy[again]
    )
    values[again] = copy_labels(factor.levels, keys, width)
    return values


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VectorPieces(Pieces):
    """Values of one vector, rows of vectors that belong together, or values of several samples.

    Attributes
    ----------
    vectors : tuple of arrays or Series
    several : bool
        Vectors are samples of their own, whose values stand one after the other.
    """

    vectors: tuple[Any, ...] = ()
    several: bool = False

    @property
    def ends(self) -> IntArray:
        """Where each sample ends among the pieces."""
        return np.cumsum([len(vector) for vector in self.vectors])

    def drawn(self, index: IntArray, copies: Copies) -> tuple[Any, ...]:
        """Return the vectors at some pieces."""
        if not self.several:
            return tuple(take_at(vector, index) for vector in self.vectors)
        sample = np.searchsorted(self.ends, index, side="right")
        start = self.ends - [len(vector) for vector in self.vectors]
        return tuple(
            take_at(vector, index[sample == k] - start[k]) for k, vector in enumerate(self.vectors)
        )

    def labelled(self, name: str, codes: IntArray) -> tuple[Any, ...]:
        """Return vectors with signs changed, values exchanged within rows, in other samples, or beside other values."""
        if name == "sign":
            return (take_at(self.vectors[0], slice(None)) * np.where(codes > 0, -1, 1),)
        if name == "pairings":
            return (self.vectors[0], *(take_at(vector, codes) for vector in self.vectors[1:]))
        if self.several:
            values = np.concatenate([np.asarray(vector) for vector in self.vectors])
            return tuple(values[codes == k] for k in range(len(self.vectors)))
        first, second = (np.asarray(vector) for vector in self.vectors)
        return np.where(codes > 0, second, first), np.where(codes > 0, first, second)


def take_at(vector: Any, index: Any) -> Any:
    """Return a vector at some places; a Series is numbered anew."""
    return vector.iloc[index].reset_index(drop=True) if hasattr(vector, "iloc") else vector[index]


def refuse_many(rows: float, source: str) -> None:
    """Refuse to take very many alike rows apart."""
    if rows > MOST_SINGLE:
        raise InputError(
            f"{source}: {rows:,.0f} alike rows are too many to draw one by one. Declare clusters"
        )


def pieces_of(design: Designs) -> Pieces:
    """Return a design in pieces.

    Examples
    --------
    >>> pairs = Paired.from_wide({"before": [1, 3, 4], "after": [2, 5, 8]}, first="after", second="before")
    >>> pieces_of(pairs).drawn(np.array([0, 0, 2]), {}).difference.tolist()
    [1.0, 1.0, 4.0]
    """
    if isinstance(design, Ratings):
        return RatingPieces.of(design)
    if isinstance(design, Comparisons):
        return ComparisonPieces.of(design)
    if isinstance(design, LabelLists):
        return ListPieces.of(design)
    return ContrastPieces.of(design)


def vectors_of(
    vectors: Sequence[Any], paired: bool | None, factors: Mapping[str, Any]
) -> VectorPieces:
    """Return vectors in pieces.

    Parameters
    ----------
    vectors : sequence of array-like
    paired : bool, optional
        Several vectors of one length belong together row by row (True), or are samples of their own (False).
    factors : mapping of str to array-like
        Clusters and strata of the pieces.

    Raises
    ------
    InputError
        For vectors that are empty, of which it is not known whether they belong together, or labels of other lengths.
    """
    arrays = [vector if hasattr(vector, "iloc") else np.asarray(vector) for vector in vectors]
    if any(np.ndim(vector) == 0 or not len(vector) for vector in arrays):
        raise InputError("a vector needs at least one value")
    sizes = [len(vector) for vector in arrays]
    alike = len(set(sizes)) == 1
    if paired is None and len(arrays) > 1 and alike:
        message = (
            f"({option('paired', True)}) or are samples of their own ({option('paired', False)})"
        )
        raise InputError(
            f"{len(arrays)} vectors of {sizes[0]} values: say whether they belong together row by row {message}"
        )
    if paired and not alike:
        raise InputError(
            f"{option('paired', True)}: vectors of {listing([str(n) for n in sizes])} values do not "
            "belong together row by row"
        )
    several = len(arrays) > 1 and not paired
    size = sum(sizes) if several else sizes[0]
    names = {name: labels_factor(name, values, size) for name, values in factors.items()}
    if several:
        sample = np.repeat(np.arange(len(arrays)), sizes)
        names["sample"] = Factor(
            name="sample", codes=sample, levels=tuple(f"sample {k + 1}" for k in range(len(arrays)))
        )
    return VectorPieces(
        data=tuple(arrays),
        size=size,
        noun="value" if several or len(arrays) == 1 else "row",
        factors=names,
        vectors=tuple(arrays),
        several=several,
        groups="sample" if several else "",
    )


def labels_factor(name: str, values: Any, size: int) -> Factor:
    """Return labels of the pieces as a factor.

    Raises
    ------
    InputError
        For another number of labels than there are pieces, and for missing ones.
    """
    labels = np.asarray(values)
    if labels.ndim != 1 or len(labels) != size:
        raise InputError(
            f"{option(name)} of vectors has one label a value: {size}, not {shorten(str(labels.shape))}"
        )
    factor = value_factor(name, labels)
    lost = int((factor.codes < 0).sum())
    if lost:
        raise InputError(f"{option(name)}: {lost} labels are missing")
    return factor
