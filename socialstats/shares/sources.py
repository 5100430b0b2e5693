"""Which raters are people, and which are models: the rater group that tells them apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from socialstats.arrays import BoolArray
from socialstats.designs.parts import OK
from socialstats.designs.people import (
    HUMANS,
    MACHINES,
    PERSONS,
    is_people,
    people_level,
    words_of_label,
)
from socialstats.designs.ratings import Ratings
from socialstats.designs.roles import FAMILIES
from socialstats.errors import Caution, InputError, caution
from socialstats.text import count
from socialstats.voice import check_allowed, option

__all__ = ["MODEL_COLUMNS", "RaterSource", "human_source", "models_of", "people_of", "raters_of"]

People = Literal["auto", "random", "fixed"]
# people whom "auto" takes as a sample: of fewer, intervals are several times as long
FEWEST_PEOPLE = 5
MODEL_COLUMNS = ("model", "llm", "language_model")  # columns of raters that are models


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterSource:
    """The rater group that says the source: its name, the human level, and the others in order."""

    name: str
    human: str
    others: tuple[str, ...]


def human_source(design: Ratings) -> RaterSource | None:
    """Return the rater group of which one level names people; None where there is none, or nothing beside it.

    In the group that is declared as the source, people may be called by what they do, such as annotators.
    """
    declared = design.columns.get("rater_source")
    for name, factor in design.rater_groups.items():
        used = [factor.levels[code] for code in np.unique(factor.codes).tolist() if code >= 0]
        level = people_level(used, PERSONS if name == declared else HUMANS)
        if level:
            return RaterSource(
                name=name, human=level, others=tuple(other for other in used if other != level)
            )
    return None


def raters_of(design: Ratings, source: RaterSource, level: str) -> tuple[str, ...]:
    """Return the raters of a source."""
    factor = design.rater_groups[source.name]
    code = factor.levels.index(level)
    return tuple(
        rater
        for rater, of_rater in zip(design.raters, factor.codes.tolist(), strict=True)
        if of_rater == code
    )


def attributes_of_people(design: Ratings, source: RaterSource, most: int) -> list[str]:
    """Return the rater groups that divide the people into two groups or more, and not into more than `most`."""
    factor = design.rater_groups[source.name]
    people = factor.codes == factor.levels.index(source.human)
    # a negative code is a person without a level
    sizes = {
        name: len(np.unique(group.codes[people & (group.codes >= 0)]))
        for name, group in design.rater_groups.items()
    }
    return [name for name, n in sizes.items() if name != source.name and 2 <= n <= most]


def raters_by_kind(
    design: Ratings, raters: Sequence[str], besides: str = ""
) -> dict[str, tuple[str, ...]]:
    """Return the raters of each level of each rater group, such as models of one maker: several, but not all.

    `besides` names a rater group that is left out.
    """
    kinds: dict[str, tuple[str, ...]] = {}
    for name, factor in design.rater_groups.items():
        codes = dict(zip(design.raters, factor.codes.tolist(), strict=True))
        for code, level in enumerate(factor.levels):
            members = tuple(rater for rater in raters if codes[rater] == code)
            if name != besides and 1 < len(members) < len(raters):
                kinds[f"{name} = {level}"] = members
    return kinds


def models_of(design: Ratings) -> tuple[str, ...]:
    """Return the raters that are models: those of a column called model; of couples, which models judge, all."""
    couples = {"group_first", "group_second"} <= set(design.strata)
    named_model = design.columns.get("rater", "").casefold() in MODEL_COLUMNS
    return design.raters if design.raters_known and (couples or named_model) else ()


def says_model(label: str) -> bool:
    """Whether the label of a rater says a language model.

    Examples
    --------
    >>> says_model("gpt-4o"), says_model("llama2_70b"), says_model("judge model 1"), says_model("Robert")
    (True, True, True, False)
    """
    words = words_of_label(label)
    return not is_people(label) and any(
        word in MACHINES or FAMILIES.fullmatch(word) for word in words
    )


def people_of(design: Ratings) -> BoolArray:
    """(raters,) bool array: which raters are people.

    The declared source of the raters says it, where the name of a level says people. Else a rater group with a level
    called human does. Without such a level, a declared source means models. Without a source, a rater is a person
    unless the column of the raters is called model, or the rater's label says a model. Nobody is, where raters are not
    known.
    """
    nobody = np.zeros(len(design.raters), dtype=bool)
    if not design.raters_known:
        return nobody
    declared = design.columns.get("rater_source")
    for name, factor in design.rater_groups.items():
        of_people = np.array(
            [is_people(level, PERSONS if name == declared else HUMANS) for level in factor.levels]
        )
        if of_people.any():
            # the code -1, of a rater without a level, takes the last entry
            return np.asarray(np.append(of_people, False)[factor.codes])
    if declared is not None or models_of(design):
        return nobody
    return np.array([not says_model(label) for label in design.raters], dtype=bool)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Population:
    """Whose population intervals speak of: people taken as a sample, or the raters as they are.

    Attributes
    ----------
    drawn : (raters,) bool array
        People who are a sample; nobody where raters are fixed.
    n : int
        People with a rating.
    raters : int
        Raters with a rating.
    few : str
        Why people are fixed although nobody asked for it; empty where they are drawn, or where no person rated.
    raters_known : bool
        Whether it is known who rated.
    """

    drawn: BoolArray
    n: int
    raters: int
    few: str = ""
    raters_known: bool = True

    def for_sources(self, people: Sequence[object]) -> Population:
        """Return the same for sources of which none has several people: each is a rater, taken as it is.

        `people` has something other than None for each source with people who are a sample.
        """
        if any(of_source is not None for of_source in people):
            return self
        return replace(self, drawn=np.zeros_like(self.drawn))

    def names(self, design: Ratings) -> tuple[str, ...]:
        """Return the labels of the people who are a sample."""
        return tuple(
            label
            for label, is_drawn in zip(design.raters, self.drawn.tolist(), strict=True)
            if is_drawn
        )

    @property
    def setting(self) -> str:
        """Return what was done: ``"random"`` or ``"fixed"``."""
        return "random" if self.drawn.any() else "fixed"

    def text(self, who: str = "rater") -> str:
        """Name the population in words.

        Examples
        --------
        >>> Population(drawn=np.array([True, True, False]), n=2, raters=3).text()
        '2 human raters as a sample, 1 other as it is'
        >>> Population(drawn=np.array([False]), n=0, raters=1).text()
        'for this source'
        """
        if not self.raters_known:
            return "raters not known, taken as they are"
        if not self.drawn.any():
            few = f" ({self.few})" if self.few else ""
            return (
                f"for this source{few}"
                if self.raters == 1
                else f"for these {count(self.raters, who)}{few}"
            )
        n_fixed = self.raters - self.n
        if not n_fixed:
            return f"{count(self.n, who)} as a sample"
        fixed = "other as it is" if n_fixed == 1 else "others as they are"
        return f"{count(self.n, f'human {who}')} as a sample, {count(n_fixed)} {fixed}"


def population(
    design: Ratings,
    people: str,
    factors: Sequence[object],
    *,
    used: BoolArray | None = None,
    unable: str = "",
) -> Population:
    """Return whose population the intervals of a metric speak of.

    Parameters
    ----------
    design : Ratings
    people : {"auto", "random", "fixed"}
        ``"random"``: people are a sample, beside units (or one cluster factor). ``"auto"``: so they are, where five or
        more are known.
    factors : sequence of Factor
        Declared clusters that errors use.
    used : (ratings,) bool array, optional
        Ratings that count; default those with a value.
    unable : str
        Why the intervals that were asked for cannot take people as a sample.

    Raises
    ------
    InputError
        For an unknown option, or where ``"random"`` has fewer than two people, or two clusters beside them.
    """
    check_allowed("people", people, get_args(People))
    used = design.status == OK if used is None else used
    rated = np.bincount(design.rater[used], minlength=len(design.raters)) > 0
    rated_people = people_of(design) & rated
    n, raters = int(rated_people.sum()), int(rated.sum())
    why = unable
    if len(factors) > 1:
        why = "two crossed clusters are declared, and people would be a third"
    if n < 2:
        why = "fewer than two people are known as raters"
    if people == "random" and why:
        raise InputError(f"{option('people', 'random')}: {why}. Use {option('people', 'fixed')}")
    few = f"fewer than {FEWEST_PEOPLE} people do not stand for others" if n < FEWEST_PEOPLE else why
    if people == "fixed" or (people == "auto" and few):
        few_text = few if people == "auto" and n > 1 else ""
        return Population(
            drawn=np.zeros_like(rated_people),
            n=n,
            raters=raters,
            few=few_text,
            raters_known=design.raters_known,
        )
    return Population(drawn=rated_people, n=n, raters=raters)


def population_cautions(population: Population) -> tuple[Caution, ...]:
    """Caution SS215, where several people rated and intervals speak of these people alone without being asked to."""
    if not population.few:
        return ()
    fix = f"collect ratings of {FEWEST_PEOPLE} people or more, or use {option('people', 'random')}"
    return (
        caution(
            "SS215",
            f"{count(population.n, 'person', 'people')} rated and are taken as they are: {population.few}",
            affects="intervals and tests, which do not speak of other people",
            fix=fix,
        ),
    )
