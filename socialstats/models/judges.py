"""Raters who are people and raters who are judges: which group is which, and kappa of both with people."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.ratings import OK, Ratings
from socialstats.errors import InputError
from socialstats.text import quoted, shorten

NONE_LEFT, ROUNDING = 1e-12, 1e-14
AT_ONCE = 4_000_000  # numbers of one dense product

PEOPLE = {
    "human", "humans", "people", "person", "persons", "crowd", "crowdworker", "crowdworkers", "turker", "turkers",
    "mturk", "prolific", "annotator", "annotators", "worker", "workers", "participant", "participants", "volunteer",
    "volunteers", "student", "students", "expert", "experts",
}  # fmt: skip
MACHINES = {"model", "models", "llm", "llms", "ai", "gpt", "machine", "machines", "bot", "bots", "algorithm"}
JUDGES = MACHINES | {"judge", "judges"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """The rater group that tells people from judges.

    Attributes
    ----------
    group : str
        Name of the rater group.
    level : str
        Its level that holds the people.
    people, judges : tuple of str
        Raters of this level, and of every other.
    left_out : tuple of str
        Raters whom the group does not tell.
    """

    group: str
    level: str
    people: tuple[str, ...]
    judges: tuple[str, ...]
    left_out: tuple[str, ...]

    @property
    def named(self) -> str:
        """People, or the raters of the level where its name does not say that they are people."""
        return "people" if is_people(self.level) else f"raters of '{shorten(self.level, 40)}'"


def words_of(label: str) -> set[str]:
    """Split a label into its words, in lower case."""
    return set(re.findall(r"[^\W\d_]+", label.casefold()))


def is_people(label: str) -> bool:
    """Whether a label says people and no machine.

    Examples
    --------
    >>> is_people("Human raters"), is_people("crowd_1"), is_people("simulated human, LLM"), is_people("gpt-4")
    (True, True, False, False)
    """
    return bool(words_of(label) & PEOPLE) and not words_of(label) & MACHINES


def is_judge(label: str) -> bool:
    """Whether a label says a machine or a judge, and no people."""
    return bool(words_of(label) & JUDGES) and not is_people(label)


def people_and_judges(design: Ratings, source: str | None = None, reference: str | None = None) -> Sides | None:
    """Return which raters are people and which are judges; None where no rater group tells.

    Parameters
    ----------
    design : Ratings
    source : str, optional
        Name of the rater group; by default that of ``rater_source=`` and then every other, until one tells.
    reference : str, optional
        Its level that holds the people. By default the only level whose name says people (human, people, crowd,
        annotators, ...); or the only one beside levels that say judges (model, llm, judge, ...); or, of the two levels
        of ``rater_source=`` (or of `source`), the one with several raters beside the one with a single rater.

    Raises
    ------
    InputError
        If there is no such rater group, or it has no such level.
    """
    if not design.raters_known:
        return None
    said = source if source is not None else design.columns.get("rater_source")
    if source is not None and source not in design.rater_groups:
        raise InputError(f"source='{shorten(source)}' is no rater group; declared: {quoted(list(design.rater_groups))}")
    names = [source] if source is not None else sorted(design.rater_groups, key=lambda name: name != said)
    for name in names:
        factor = design.rater_groups[name]
        members: dict[str, list[str]] = {}
        left_out: list[str] = []
        for rater, code in zip(design.raters, factor.codes.tolist(), strict=True):
            (members.setdefault(factor.levels[code], []) if code >= 0 else left_out).append(rater)
        level = level_of_people(members, declared=name == said) if reference is None else reference
        if level in members and len(members) > 1:
            judges = [rater for other, raters in members.items() if other != level for rater in raters]
            return Sides(group=name, level=level, people=tuple(members[level]), judges=tuple(sorted(judges)),
                         left_out=tuple(left_out))  # fmt: skip
    if reference is not None:
        raise InputError(f"reference='{shorten(reference)}' is no level beside others of {quoted(names) or 'a group'}")
    return None


def level_of_people(members: dict[str, list[str]], *, declared: bool) -> str | None:
    """Return the level that holds the people, by names and (of a declared source) by sizes; None where it is open."""
    people = [level for level in members if is_people(level)]
    if people:
        return people[0] if len(people) == 1 else None
    others = [level for level in members if not is_judge(level)]
    if len(others) == 1:
        return others[0]
    small, large = sorted(members, key=lambda level: len(members[level])) if len(members) == 2 else ("", "")
    return large if small and declared and len(members[small]) == 1 < len(members[large]) else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judged:
    """Units that a judge and two people or more rated.

    Attributes
    ----------
    unit, rater, level : (ratings,) int64 arrays
        The people's ratings.
    given : (units,) int64 array
        The judge's level.
    copies : (units,) float64 array
        Alike units.
    index : (units,) int64 array
        Position of each unit in the design.
    n_shared : int
        Units that the judge and any person rated.
    """

    unit: IntArray
    rater: IntArray
    level: IntArray
    given: IntArray
    copies: FloatArray
    index: IntArray
    n_shared: int

    @property
    def n_units(self) -> int:
        """Units, alike ones counted."""
        return int(self.copies.sum())

    @property
    def n_ratings(self) -> int:
        """Ratings by people in these units."""
        return int(self.copies[self.unit].sum())

    def kappas(self, v: FloatArray) -> tuple[Kappa, Kappa]:
        """Kappa of the judge with people and of people with each other.

        Parameters
        ----------
        v : (levels, levels) float64 array
            Disagreement of two levels, 0 on the diagonal.

        Notes
        -----
        With r_u the people's ratings of unit u by level, m_u their number, N = sum_u r_u, n = sum_u m_u, N_p and n_p
        those of person p, y_u the judge's level and J = sum_u m_u e(y_u): people have Do = sum_u r_u'V r_u / (m_u - 1)
        / n and De = (N'VN - sum_p N_p'V N_p) / (n^2 - sum_p n_p^2), over ratings of different people (Conger 1980 when
        nothing is missing); the judge has Do = sum_u (V r_u)_y / n and De = J'VN / n^2.
        """
        w, m = self.copies[self.unit], self.per_unit(np.ones(len(self.unit)))
        people, judge = (np.asarray(np.bincount(at, weights, len(v)), dtype=np.float64)
                         for at, weights in ((self.level, w), (self.given, m * self.copies)))  # fmt: skip
        n, far_people, far_judge = float(w.sum()), v @ people, v @ judge
        same = within(self.rater, self.level, w, v)
        n_own = np.asarray(np.bincount(self.rater, w), dtype=np.float64)
        between = kappa_of(
            self.per_unit(within(self.unit, self.level, np.ones(len(w)), v)) / (m - 1), self.copies, m,
            expected=(float(people @ far_people - w @ same), 2 * self.per_unit(far_people[self.level] - same)),
            pairs=(n**2 - float(n_own @ n_own), 2 * (n * m - self.per_unit(n_own[self.rater]))),
        )  # fmt: skip
        judged = kappa_of(
            self.per_unit(v[self.given[self.unit], self.level]), self.copies, m,
            expected=(float(judge @ far_people), m * far_people[self.given] + self.per_unit(far_judge[self.level])),
            pairs=(n**2, 2 * n * m),
        )  # fmt: skip
        return judged, between

    def per_unit(self, values: FloatArray) -> FloatArray:
        """Sum a value of each of the people's ratings over the ratings of a unit, (units,)."""
        return np.bincount(self.unit, weights=values, minlength=len(self.given)).astype(np.float64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Kappa:
    """Kappa (NaN where no disagreement is expected) and linearised values of the units, whose mean has its error."""

    value: float
    influence: FloatArray


def kappa_of(
    own: FloatArray, copies: FloatArray, m: FloatArray, *, expected: tuple[float, FloatArray],
    pairs: tuple[float, FloatArray],
) -> Kappa:  # fmt: skip
    """Kappa = 1 - (S/n) / (Q/T), and its derivative by the weight of each unit, times the number of units.

    Parameters
    ----------
    own : (units,) array
        What one unit adds to S.
    copies, m : (units,) arrays
        Alike units, and ratings by people, with n = sum of both multiplied.
    expected, pairs : (float, (units,) array)
        Q and T, each with its derivative by the weight of each unit.
    """
    (q, d_q), (t, d_t), n = expected, pairs, float(copies @ m)
    if not q > NONE_LEFT * t:
        return Kappa(value=math.nan, influence=np.zeros(len(own)))
    ratio = float(copies @ own) * t / (n * q)
    slope = -(own * t / (n * q) + ratio * (d_t / t - d_q / q - m / n))
    return Kappa(value=0.0 if abs(1 - ratio) < ROUNDING else 1 - ratio, influence=copies.sum() * slope)


def within(group: IntArray, level: IntArray, weight: FloatArray, v: FloatArray) -> FloatArray:
    """Sum of v from each rating's level to those of all ratings of its group, by their weights, (ratings,)."""
    from scipy.sparse import csr_array

    groups, place = np.unique(group, return_inverse=True)
    table = csr_array((weight, (place, level)), shape=(len(groups), len(v)))
    out = np.empty(len(level))
    order = np.argsort(place, kind="stable")
    step = max(1, AT_ONCE // len(v))
    for start in range(0, len(groups), step):
        first, last = np.searchsorted(place[order], (start, start + step))
        some = order[first:last]
        product = np.asarray(csr_array(table[start : start + step]) @ v)
        out[some] = product[place[some] - start, level[some]]
    return out


def judged_units(design: Ratings, sides: Sides) -> dict[str, Judged]:
    """Return for each judge the units that two people or more rated as well; refusals are no ratings."""
    codes = {name: code for code, name in enumerate(design.raters)}
    ok = design.status == OK
    people = np.zeros(len(design.raters), dtype=bool)
    people[[codes[name] for name in sides.people]] = True
    by_people = np.flatnonzero(ok & people[design.rater])
    m = np.bincount(design.unit[by_people], minlength=len(design.units))
    found = {}
    for name in sides.judges:
        mine = ok & (design.rater == codes[name])
        given = np.full(len(design.units), -1, dtype=np.int64)
        given[design.unit[mine]] = design.value[mine]
        index = np.flatnonzero((given >= 0) & (m > 1))
        place = np.full(len(design.units), -1, dtype=np.int64)
        place[index] = np.arange(len(index))
        kept = by_people[place[design.unit[by_people]] >= 0]
        found[name] = Judged(
            unit=place[design.unit[kept]], rater=design.rater[kept], level=design.value[kept], given=given[index],
            copies=design.unit_count[index], index=index, n_shared=int(design.unit_count[(given >= 0) & (m > 0)].sum()),
        )  # fmt: skip
    return found
