"""Units that people and judges rated: who is a judge, and how far each group disagrees within itself."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.parts import OK
from socialstats.designs.people import MACHINES, is_people, words_of_label
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError
from socialstats.text import quoted, shorten
from socialstats.voice import option

NONE_LEFT = 1e-12  # share of the pairs below which expected disagreement is rounding
ROUNDING = 1e-14  # distance from 1 of a ratio of disagreements that is rounding
AT_ONCE = 4_000_000  # numbers of one dense product
JUDGES = {*MACHINES, "judge", "judges"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleAndJudges:
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
    def description(self) -> str:
        """People, or the raters of the level where its name does not say that they are people."""
        return "people" if is_people(self.level) else f"raters of '{shorten(self.level, 40)}'"


def is_judge(label: str) -> bool:
    """Whether a label says a machine or a judge, and no people."""
    return bool(words_of_label(label) & JUDGES) and not is_people(label)


def people_and_judges(
    design: Ratings, source: str | None = None, reference: str | None = None
) -> PeopleAndJudges | None:
    """Return which raters are people and which are judges; None where no rater group tells.

    Parameters
    ----------
    design : Ratings
    source : str, optional
        Name of the rater group; by default that of ``rater_source=`` and then every other, until one tells.
    reference : str, optional
        Its level that holds the people. By default the only level whose name says people (human, people, crowd,
        annotators, ...); or the only one beside levels that say judges (model, llm, judge, ...). Or, of the two levels
        of ``rater_source=`` (or of `source`), the one with several raters beside the one with a single rater.

    Raises
    ------
    InputError
        If there is no such rater group, or it has no such level.
    """
    if not design.raters_known:
        return None
    declared_source = source if source is not None else design.columns.get("rater_source")
    if source is not None and source not in design.rater_groups:
        raise InputError(
            f"{option('source', shorten(source))} is no rater group; declared: "
            f"{quoted(list(design.rater_groups))}"
        )
    names = (
        [source]
        if source is not None
        else sorted(design.rater_groups, key=lambda name: name != declared_source)
    )
    for name in names:
        factor = design.rater_groups[name]
        members: dict[str, list[str]] = {}
        left_out: list[str] = []
        for rater, code in zip(design.raters, factor.codes.tolist(), strict=True):
            (members.setdefault(factor.levels[code], []) if code >= 0 else left_out).append(rater)
        level = reference
        if reference is None:
            level = level_of_people(members, declared=name == declared_source)
        if level in members and len(members) > 1:
            judges: list[str] = []
            for group_level, raters in members.items():
                if group_level != level:
                    judges += raters
            return PeopleAndJudges(
                group=name,
                level=level,
                people=tuple(members[level]),
                judges=tuple(sorted(judges)),
                left_out=tuple(left_out),
            )
    if reference is not None:
        raise InputError(
            f"{option('reference', shorten(reference))} is not one of several levels of "
            f"{quoted(names) or 'a group'}"
        )
    return None


def level_of_people(members: dict[str, list[str]], *, declared: bool) -> str | None:
    """Return the level that holds the people, by names and (of a declared source) by sizes; None where it is open."""
    people = [level for level in members if is_people(level)]
    if people:
        return people[0] if len(people) == 1 else None
    not_judges = [level for level in members if not is_judge(level)]
    if len(not_judges) == 1:
        return not_judges[0]
    if not declared or len(members) != 2:
        return None
    # a single rater beside several: the judge beside the people
    small, large = sorted(members, key=lambda level: len(members[level]))
    return large if small and len(members[small]) == 1 < len(members[large]) else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedUnits:
    """Units that a judge and two people or more rated.

    Attributes
    ----------
    unit, rater, level : (ratings,) int64 arrays
        The people's ratings.
    judge_level : (units,) int64 array
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
    judge_level: IntArray
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
        r_u are the people's ratings of unit u by level, m_u their number, N = sum_u r_u, n = sum_u m_u, N_p and n_p
        those of person p. y_u is the judge's level and J = sum_u m_u e(y_u). People have Do = sum_u r_u'V r_u / (m_u -
        1) / n and De = (N'VN - sum_p N_p'V N_p) / (n^2 - sum_p n_p^2), over ratings of different people (Conger 1980
        when nothing is missing). The judge has Do = sum_u (V r_u)_y / n and De = J'VN / n^2.
        """
        w, m = self.copies[self.unit], self.per_unit(np.ones(len(self.unit)))
        people = np.asarray(np.bincount(self.level, w, len(v)), dtype=np.float64)  # N
        judge = np.asarray(
            np.bincount(self.judge_level, m * self.copies, len(v)), dtype=np.float64
        )  # J
        n, from_people, from_judge = float(w.sum()), v @ people, v @ judge
        # disagreement with the same person's ratings, which does not count, and their number
        same_person = group_disagreement(self.rater, self.level, w, v)
        n_person = np.asarray(np.bincount(self.rater, w), dtype=np.float64)
        same_unit = group_disagreement(self.unit, self.level, np.ones(len(w)), v)
        between = kappa_of_sums(
            self.per_unit(same_unit) / (m - 1),
            self.copies,
            m,
            expected=(
                float(people @ from_people - w @ same_person),
                2 * self.per_unit(from_people[self.level] - same_person),
            ),
            pairs=(
                n**2 - float(n_person @ n_person),
                2 * (n * m - self.per_unit(n_person[self.rater])),
            ),
        )
        d_expected = m * from_people[self.judge_level] + self.per_unit(from_judge[self.level])
        with_judge = kappa_of_sums(
            self.per_unit(v[self.judge_level[self.unit], self.level]),
            self.copies,
            m,
            expected=(float(judge @ from_people), d_expected),
            pairs=(n**2, 2 * n * m),
        )
        return with_judge, between

    def per_unit(self, values: FloatArray) -> FloatArray:
        """Sum a value of each of the people's ratings over the ratings of a unit, (units,)."""
        return np.bincount(self.unit, weights=values, minlength=len(self.judge_level)).astype(
            np.float64
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Kappa:
    """Kappa (NaN where no disagreement is expected) and linearised values of the units, whose mean has its error."""

    value: float
    influence: FloatArray


def kappa_of_sums(
    disagreement: FloatArray,
    copies: FloatArray,
    m: FloatArray,
    *,
    expected: tuple[float, FloatArray],
    pairs: tuple[float, FloatArray],
) -> Kappa:
    """Kappa = 1 - (S/n) / (Q/T), and its derivative by the weight of each unit, times the number of units.

    Parameters
    ----------
    disagreement : (units,) array
        What one unit adds to S.
    copies, m : (units,) arrays
        Alike units, and ratings by people, with n = sum of both multiplied.
    expected, pairs : (float, (units,) array)
        Q and T, each with its derivative by the weight of each unit.
    """
    # the quotient rule: d(S T / (n Q)) by the weight of each unit
    (q, d_q), (t, d_t), n = expected, pairs, float(copies @ m)
    if not q > NONE_LEFT * t:
        return Kappa(value=math.nan, influence=np.zeros(len(disagreement)))
    ratio = float(copies @ disagreement) * t / (n * q)
    slope = -(disagreement * t / (n * q) + ratio * (d_t / t - d_q / q - m / n))
    value = 0.0 if abs(1 - ratio) < ROUNDING else 1 - ratio
    return Kappa(value=value, influence=copies.sum() * slope)


def group_disagreement(
    group: IntArray, level: IntArray, weight: FloatArray, v: FloatArray
) -> FloatArray:
    """Sum of v from each rating's level to those of all ratings of its group, by their weights, (ratings,)."""
    from scipy.sparse import csr_array

    groups, row = np.unique(group, return_inverse=True)
    # (groups, levels): weighted ratings of each group by level
    table = csr_array((weight, (row, level)), shape=(len(groups), len(v)))
    sums = np.empty(len(level))
    order = np.argsort(row, kind="stable")
    step = max(1, AT_ONCE // len(v))
    for start in range(0, len(groups), step):
        first, last = np.searchsorted(row[order], (start, start + step))
        block = order[first:last]
        product = np.asarray(csr_array(table[start : start + step]) @ v)
        sums[block] = product[row[block] - start, level[block]]
    return sums


def judged_units(design: Ratings, sides: PeopleAndJudges) -> dict[str, JudgedUnits]:
    """Return for each judge the units that two people or more rated as well; refusals are no ratings."""
    codes = {name: code for code, name in enumerate(design.raters)}
    ok = design.status == OK
    people = np.zeros(len(design.raters), dtype=bool)
    people[[codes[name] for name in sides.people]] = True
    by_people = np.flatnonzero(ok & people[design.rater])
    m = np.bincount(design.unit[by_people], minlength=len(design.units))
    judged = {}
    for name in sides.judges:
        by_judge = ok & (design.rater == codes[name])
        # -1 where the judge has no rating; likewise in new_index where a unit is left out
        judge_level = np.full(len(design.units), -1, dtype=np.int64)
        judge_level[design.unit[by_judge]] = design.value[by_judge]
        has_judge = judge_level >= 0
        index = np.flatnonzero(has_judge & (m > 1))
        new_index = np.full(len(design.units), -1, dtype=np.int64)
        new_index[index] = np.arange(len(index))
        kept = by_people[new_index[design.unit[by_people]] >= 0]
        judged[name] = JudgedUnits(
            unit=new_index[design.unit[kept]],
            rater=design.rater[kept],
            level=design.value[kept],
            judge_level=judge_level[index],
            copies=design.unit_count[index],
            index=index,
            n_shared=int(design.unit_count[has_judge & (m > 0)].sum()),
        )
    return judged
