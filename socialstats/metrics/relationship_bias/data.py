"""From ratings to answers of -1 and +1, with the groups of both names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from socialstats.arrays import IntArray
from socialstats.designs.levels import codes_in
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import OK, Ratings
from socialstats.errors import DesignError, InputError, NothingToAnalyse
from socialstats.metrics.relationship_bias.options import Options
from socialstats.models.couple_orders import Couples, both_orders, couples
from socialstats.models.couples import Answers
from socialstats.tables import as_text
from socialstats.text import count, listing, quoted, shorten

MOST_LISTED = 200


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Data:
    """Everything that is known about the answers.

    Attributes
    ----------
    design : Ratings
    answers : Answers
        Of the groups asked for.
    groups : tuple of str
    pairs : tuple of (int, int)
        Two groups that met, in the order of `groups`.
    matched : mapping of pair to Couples
        Before incomplete ones were left out.
    scenarios, names : Factor
        Over units: the scenario, and the pair of names.
    factors : tuple of Factor
        Clusters.
    """

    design: Ratings
    answers: Answers
    groups: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    matched: dict[tuple[int, int], Couples]
    scenarios: Factor
    names: Factor
    factors: tuple[Factor, ...]

    @property
    def codes(self) -> tuple[IntArray, ...]:
        """Clusters of the units."""
        return tuple(factor.codes for factor in self.factors)

    def label(self, pair: tuple[int, int]) -> str:
        """Name a bias: the group that a positive number favours first."""
        return f"{self.groups[pair[0]]} - {self.groups[pair[1]]}"


def read(design: Ratings, options: Options, factors: tuple[Factor, ...]) -> Data:
    """Take the answers and their groups from a design.

    Raises
    ------
    DesignError
        If a factor is not declared, or an answer is neither of the two.
    InputError
        For groups that do not occur.
    NothingToAnalyse
        If nothing was answered.
    """
    found = {
        name: unit_factor(design, getattr(options, name), name)
        for name in ("scenario", "pair", "group_first", "group_second")
    }
    first, second = found["group_first"], found["group_second"]
    groups = chosen_groups(design, (*first.levels, *second.levels), options.groups)
    answers = all_answers(design, found, groups, options)
    if not len(answers.score):
        raise NothingToAnalyse(f"{design.source}: no couple of {quoted(groups)} was answered")
    met = {(a, b) for a, b in combinations(range(len(groups)), 2) if both_orders(answers, a, b).any()}
    if not met:
        raise DesignError(f"{design.source}: no couple of two different groups was answered; relationship_bias "
                          f"compares couples (a, b) with couples (b, a) of {quoted(groups)}")  # fmt: skip
    matched = {pair: couples(answers, *pair) for pair in sorted(met)}
    if options.couples == "complete":
        answers = complete_only(answers, matched)
        if not len(answers.score):
            raise NothingToAnalyse(f"{design.source}: no couple was answered in both orders (couples='complete')")
    return Data(
        design=design, answers=answers, groups=groups, pairs=tuple(sorted(met)), matched=matched,
        scenarios=found["scenario"], names=found["pair"], factors=factors,
    )  # fmt: skip


def unit_factor(design: Ratings, name: str, option: str) -> Factor:
    """Return a stratum or cluster of the units.

    Raises
    ------
    DesignError
        If it is not declared.
    """
    known = {**design.strata, **{factor.name: factor for factor in design.clusters}}
    if name not in known:
        listed = ", ".join(f"'{shorten(n)}'" for n in known) or "none"
        raise DesignError(f"{design.source}: no stratum or cluster '{shorten(name)}' of the units. Declared: {listed}; "
                          f"name it with {option}=, or pass the table itself, one answer a row")  # fmt: skip
    return known[name]


def chosen_groups(design: Ratings, present: Sequence[str], asked: tuple[str, ...] | None) -> tuple[str, ...]:
    """Return the groups in the order asked for, or sorted."""
    known = sorted(set(present))
    if asked is None:
        return tuple(known)
    unknown = [group for group in asked if group not in known]
    if unknown:
        raise InputError(f"groups: no group '{shorten(str(unknown[0]))}'. Groups: {quoted(known, 20)}")
    if len(set(asked)) < len(asked) or len(asked) < 2:
        raise InputError(
            f"groups={listing(list(asked))!r} must be at least two different groups of {quoted(known, 20)}"
        )
    return asked


def all_answers(design: Ratings, found: dict[str, Factor], groups: tuple[str, ...], options: Options) -> Answers:
    """Turn values into -1 and 1, and labels of groups into their places in `groups`."""
    ok = np.flatnonzero(design.status == OK)
    unit = design.unit[ok]
    wanted = answer_codes(design, options.answers, design.value[ok])
    place = {
        name: np.array([groups.index(g) if g in groups else -1 for g in found[name].levels])[found[name].codes[unit]]
        for name in ("group_first", "group_second")
    }
    answers = Answers(
        score=np.where(design.value[ok] == wanted[1], 1.0, -1.0), count=design.unit_count[unit], unit=unit,
        scenario=found["scenario"].codes[unit], pair=found["pair"].codes[unit], rater=design.rater[ok],
        first=place["group_first"].astype(np.int64), second=place["group_second"].astype(np.int64),
    )  # fmt: skip
    return answers.take((answers.first >= 0) & (answers.second >= 0))


def answer_codes(design: Ratings, answers: tuple[Any, ...], values: IntArray) -> list[int]:
    """Return the places of both answers among the levels; refuse any other answer that occurs."""
    labels = [as_text(answer) or "" for answer in answers]
    wanted = codes_in(labels, design.levels)
    other = [design.levels[code] for code in np.unique(values).tolist() if code not in wanted]
    if other:
        n = int(np.isin(values, wanted, invert=True).sum())
        raise DesignError(f"{design.source}: {count(n, 'answer')} neither '{shorten(labels[0])}' (the first name) nor "
                          f"'{shorten(labels[1])}' (the second): {quoted(other)}. Say which two answers count with "
                          "answers=(first, second), and declare the others as refusal= or na=")  # fmt: skip
    return wanted


def complete_only(answers: Answers, matched: dict[tuple[int, int], Couples]) -> Answers:
    """Leave out couples that were answered in one order only; couples of one group stay."""
    keep = np.ones(len(answers.score), dtype=bool)
    for (a, b), found in matched.items():
        keep[both_orders(answers, a, b)] = found.complete[found.of_answer]
    return answers.take(keep)


def one_order_only(data: Data) -> tuple[int, tuple[dict[str, str], ...]]:
    """Count the couples that were answered in one order only, and list the first of them."""
    total = 0.0
    listed: list[dict[str, str]] = []
    for (a, b), found in data.matched.items():
        gone = ~found.complete
        total += float(found.count[gone].sum())
        for key, score in zip(found.key[gone].tolist(), found.score[gone].tolist(), strict=True):
            if len(listed) == MOST_LISTED:
                break
            first, second = (a, b) if np.isnan(score[0]) else (b, a)
            listed.append({
                "scenario": data.scenarios.levels[key[0]], "pair": data.names.levels[key[1]],
                "rater": data.design.raters[key[2]], "no_answer_with_first": data.groups[first],
                "and_second": data.groups[second],
            })  # fmt: skip
    return int(total), tuple(listed)


def of_stratum(data: Data, stratum: Factor, code: int) -> Data:
    """Return the answers of one level of a stratum."""
    return replace(data, answers=data.answers.take(stratum.codes[data.answers.unit] == code))
