"""Parts of designs: arrays, factors, covariates, steps of the flow."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self, TypeAlias, TypeVar

import numpy as np

from socialstats.arrays import AnyArray, FloatArray, IntArray
from socialstats.designs.aliases import Fields, Levels, Names, Texts
from socialstats.errors import Caution, InputError
from socialstats.text import listing, quoted, shorten
from socialstats.voice import option

A_WON, B_WON, TIED = 0, 1, 2
# whether a rating is one
OK, MISSING, REFUSAL = 0, 1, 2
STATUSES = ("ok", "missing", "refusal")
StatusArray: TypeAlias = np.ndarray[Any, np.dtype[np.int8]]
T = TypeVar("T")

# probabilities are multiples of 1 / FINE, so that those of up to two million replies sum exactly
FINE = 2.0**32


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Factor:
    """A grouping variable on the cells.

    Attributes
    ----------
    name : str
    codes : (cells,) int64 array, indexes into `levels`
    levels : tuple of str
    mixed : tuple of str
        Levels that the column writes both as a number and as text, when it is read.
    """

    name: str
    codes: IntArray
    levels: Levels
    mixed: Levels = ()

    def labels(self) -> AnyArray:
        """(cells,) object array: the label of each cell, None where it has no level."""
        return np.array([*self.levels, None], dtype=object)[self.codes]

    def take(self, index: AnyArray) -> Factor:
        """Return the factor at some places, with the levels that are left; -1 (no level) stays -1."""
        codes, dense = np.unique(self.codes[index], return_inverse=True)
        # -1, where a row has no level, sorts first and stays -1
        none = int(np.sum(codes < 0))
        levels = tuple(self.levels[code] for code in codes[none:].tolist())
        return Factor(name=self.name, codes=dense.astype(np.int64) - none, levels=levels)

    def led_by(self, level: str | None) -> Factor:
        """Return the factor with one level first, the order of the others kept.

        Examples
        --------
        >>> Factor(name="stage", codes=np.array([0, 1, -1]), levels=("a", "b")).led_by("b").codes.tolist()
        [1, 0, -1]
        """
        order = sorted(self.levels, key=lambda label: label != level)
        # -1, of a cell without a level, takes the last entry
        place = np.array([*map(order.index, self.levels), -1], dtype=np.int64)
        return replace(self, codes=place[self.codes], levels=tuple(order))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UnitNames:
    """The name of each unit, and the cell that counts it.

    Attributes
    ----------
    codes : (units,) int64 array, indexes into `levels`
    levels : tuple of str
    cell : (units,) int64 array
    """

    codes: IntArray
    levels: Levels
    cell: IntArray

    def names(self) -> list[str]:
        """Return the name of each unit."""
        return [self.levels[code] for code in self.codes.tolist()]

    def take(self, index: IntArray, cells: int) -> UnitNames:
        """Return the units of some of `cells` cells."""
        cell = places_among(index, cells)[self.cell]
        return replace(self, codes=self.codes[cell >= 0], cell=cell[cell >= 0])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Covariate:
    """A variable with one value for each side of a comparison (numbers as float64, labels as str objects).

    Attributes
    ----------
    name : str
        Without the side: ``urgency`` for the columns ``urgency_a`` and ``urgency_b``.
    a, b : (cells,) arrays
    levels : tuple of str
        Labels in their order, where the table has one: the first is the reference. Else the alphabet orders them.
    """

    name: str
    a: AnyArray
    b: AnyArray
    levels: Levels = ()

    def take(self, index: AnyArray) -> Covariate:
        """Return the values of some cells."""
        return replace(self, a=self.a[index], b=self.b[index])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Replies:
    """The replies that cells are parts of, where the winner of each is a probability p.

    A reply is two cells: item_a won with count p, item_b won with count 1 - p. No number may take the parts of a reply
    as independent; scores of a reply are sums over its cells.

    Attributes
    ----------
    codes : (cells,) int64 array
        Number of the reply.
    rest : (cells,) float64 array
        Probability of other answers in the reply, outside of both items; NaN where nothing tells it.
    none : int
        Replies of the whole table that were left out for want of a probability.
    column : str
        The column of the probabilities.
    """

    codes: IntArray
    rest: FloatArray
    none: int
    column: str

    def take(self, index: AnyArray) -> Replies:
        """Return the replies of some cells."""
        return replace(self, codes=self.codes[index], rest=self.rest[index])

    @property
    def factor(self) -> Factor:
        """The replies as a cluster factor."""
        numbers, codes = np.unique(self.codes, return_inverse=True)
        levels = tuple(str(number + 1) for number in numbers.tolist())
        return Factor(name=REPLY, codes=codes.astype(np.int64), levels=levels)


REPLY = "reply"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Repeats:
    """Answers that one source gave to one unit several times; a value of the design is the mean of such answers.

    Repeats are no units: means, tests and intervals take the units as independent, never the answers.

    Attributes
    ----------
    columns : tuple of str
        Columns that tell the answers apart; empty where none does.
    sources : tuple of str
        Labels of the sources: raters, models or conditions.
    source : (values,) int64 array
        Index into `sources` of each mean.
    place : (values,) int64 array
        Where the mean stands in the design: a rating of `Ratings`, a cell of `Paired`.
    answers : (values,) float64 array
        Answers behind each mean.
    variance : (values,) float64 array
        Sample variance of these answers; NaN where there is one.
    share_of : str
        Of answers with two labels, the one that counts as 1: each mean is its share. Empty for numbers.
    levels : tuple of str
        Levels of the single answers, where these are few; empty otherwise.
    scale : str
        Their scale.
    shares : (values, levels) float64 array, or None
        Share of each level among the answers.
    first : (values,) int64 array, or None
        Index into `levels` of the first answer, in the order of the columns that tell them apart.
    """

    columns: Levels
    sources: Levels
    source: IntArray
    place: IntArray
    answers: FloatArray
    variance: FloatArray
    share_of: str = ""
    levels: Levels = ()
    scale: str = ""
    shares: FloatArray | None = None
    first: IntArray | None = None

    def take(self, index: IntArray, size: int) -> Repeats:
        """Return the repeats behind some of `size` places of the design, in the order of `index`."""
        place = places_among(index, size)[self.place]
        return replace(self, place=place)._where(place >= 0)

    def of_source(self, name: str) -> Repeats:
        """Return the repeats of one source."""
        return self._where(self.source == self.sources.index(name))

    def _where(self, index: AnyArray) -> Repeats:
        arrays = ("source", "place", "answers", "variance", "shares", "first")
        return replace(self, **taken_fields(self, arrays, index))

    @property
    def fewest(self) -> int:
        """Fewest answers behind a mean."""
        return int(self.answers.min())

    @property
    def most(self) -> int:
        """Most answers behind a mean."""
        return int(self.answers.max())

    @property
    def within(self) -> float:
        """Pooled variance of the answers of one source to one unit; NaN where all units have one answer."""
        several = self.answers > 1
        if not several.any():
            return float("nan")
        # pooled over sources and units: each has its answers less 1
        return float(np.average(self.variance[several], weights=self.answers[several] - 1))

    @property
    def reciprocal(self) -> float:
        """Mean of 1 / answers: the share of `within` that the variance of a mean of one unit holds."""
        return float((1 / self.answers).mean())


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How much of the replies the probabilities of answers tell.

    Attributes
    ----------
    replies, none : int
        Replies with probabilities, and replies of the same models without.
    rest : float or None
        Mean probability of other answers; None where nothing tells it.
    """

    replies: int
    none: int
    rest: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowStep:
    """One step from the rows read to the rows analysed: what happened, to how many rows, and why."""

    label: str
    rows: int
    note: str = ""


def taken(part: T, index: AnyArray) -> T:
    """Return a part of a design at some places: an array, a factor or covariate, several of them; None stays None."""
    value: Any = part
    if isinstance(value, np.ndarray):
        value = value[index]
    elif isinstance(value, tuple):
        value = tuple(taken(inner, index) for inner in value)
    elif isinstance(value, Mapping):
        value = {name: taken(inner, index) for name, inner in value.items()}
    elif value is not None:
        value = value.take(index)
    selected: T = value
    return selected


def taken_fields(design: Any, names: Texts, index: AnyArray) -> Fields:
    """Return some fields of a design at some places."""
    return {name: taken(getattr(design, name), index) for name in names}


def places_among(index: AnyArray, size: int) -> IntArray:
    """(size,) int64 array: the place of each cell among those taken (indexes, or a mask), -1 for others."""
    place = np.full(size, -1, dtype=np.int64)
    # a mask has as many places as it takes cells
    place[index] = np.arange(len(place[index]))
    return place


def stack_factors(factors: Sequence[Factor]) -> Factor:
    """Return the factor of several tables below each other."""
    levels = tuple(sorted({level for factor in factors for level in factor.levels}))
    place = {level: k for k, level in enumerate(levels)}
    codes = [
        np.array([place[level] for level in factor.levels], dtype=np.int64)[factor.codes]
        for factor in factors
    ]
    return Factor(name=factors[0].name, codes=np.concatenate(codes), levels=levels)


def named_factors(
    clusters: Sequence[Factor],
    by: Factor | None,
    names: Names | None,
    pair: Callable[[], Factor] | None = None,
) -> tuple[Factor, ...]:
    """Return declared factors by name.

    Parameters
    ----------
    clusters : sequence of Factor
    by : Factor or None
        May be named too.
    names : str, sequence of str or None
        ``"declared"``: all of `clusters`; None: none.
    pair : callable, optional
        Makes the factor ``"pair"`` where none of this name is declared.

    Raises
    ------
    InputError
        If a name is not declared.
    """
    if names is None:
        return ()
    if isinstance(names, str) and names == "declared":
        return tuple(clusters)
    by_name = {factor.name: factor for factor in (by, *clusters) if factor is not None}
    chosen = (names,) if isinstance(names, str) else tuple(names)
    if pair is not None and "pair" in chosen and "pair" not in by_name:
        by_name["pair"] = pair()
    for name in chosen:
        if name not in by_name:
            there = dict.fromkeys([*by_name, *(["pair"] if pair else [])])
            listed = ", ".join(f"'{key}'" for key in there) or "none"
            what = "Clusters" if pair else "Clusters declared"
            raise InputError(
                f"no cluster '{name}'. {what}: {listed}; declare others with {option('cluster')}"
            )
    return tuple(by_name[name] for name in chosen)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Read:
    """What every design says of the table that it was read from, and its clusters."""

    clusters: tuple[Factor, ...] = ()
    flow: tuple[FlowStep, ...] = ()
    source: str = "data frame"
    cautions: tuple[Caution, ...] = ()

    def cluster_words(self) -> list[str]:
        """Return the clusters for a representation; nothing without any."""
        names = [factor.name for factor in self.clusters]
        return [f"clusters {shorten(listing(names))}"] if names else []


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Design(Read, ABC):
    """Comparisons, pairs or ratings, which a column may split."""

    kind: ClassVar[str]
    by: Factor | None = None
    columns: Mapping[str, str] = field(default_factory=dict)

    def splits(self) -> list[Factor]:
        """Return the factors that split the design: `by` and the clusters."""
        return [*([self.by] if self.by else []), *self.clusters]

    @abstractmethod
    def take(self, mask: AnyArray, *, note: str = "") -> Self:
        """Return a part of the design."""

    def split(self) -> dict[str, Self]:
        """Return one design a level of `by` (just this one, under ``"all"``, without `by`)."""
        if self.by is None:
            return {"all": self}
        # below 0: of all levels
        name = self.by.name
        codes = self.by.codes
        return {
            level: replace(
                self.take((codes == code) | (codes < 0), note=f"{name} = {level}"), by=None
            )
            for code, level in enumerate(self.by.levels)
        }


def rename_labels(labels: Texts, new: Mapping[str, str], what: str) -> list[str]:
    """Return labels (of items, raters) with some of them replaced.

    Raises
    ------
    InputError
        If a name is none of the labels, or two would have the same one.
    """
    unknown = [name for name in new if name not in labels]
    if unknown:
        raise InputError(
            f"{quoted(unknown)}: no such {what}. {what.capitalize()}s: {quoted(labels, 10)}"
        )
    replaced = [new.get(name, name) for name in labels]
    if len(set(replaced)) < len(replaced):
        twice = sorted({name for name in replaced if replaced.count(name) > 1})
        raise InputError(
            f"two {what}s would be called {quoted(twice)}. Give every {what} a label of its own"
        )
    return replaced
