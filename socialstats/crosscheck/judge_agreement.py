"""A judge against people recomputed: disagreement of every pair of ratings, and slopes in the weight of every unit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from socialstats.arrays import AnyArray, FloatArray
from socialstats.crosscheck.clusters import codes_of, fisher_ends, mean_error
from socialstats.crosscheck.long import compare, direct
from socialstats.crosscheck.row_arithmetic import end_checks, label, relative, wald_checks
from socialstats.results import Check, Result, Verification

SAME = "the same sums, over every pair of ratings"
SLOPES = "central differences of the same sums, error about h^2"
TERMS = ("difference", "judge with people", "people with people")
STEP = 1e-4
MOST_STEPS = 100_000_000  # judges x units x (ratings, and people x levels): slopes of a few seconds


def verify(result: Result) -> Verification:
    """Recompute both kappas, their difference, standard errors, intervals and tests, of every judge."""
    checks: list[Check] = []
    for judge in result.extras["judges"]:
        rows = [result.row(term, group=judge) for term in TERMS]
        if all(row.estimate is None for row in rows):
            continue
        units = Units.of(result, judge)
        for row, value in zip(rows, units.values(units.copies), strict=True):
            if row.estimate is not None:
                checks.append(direct(label(row, "estimate"), row.estimate, value, 1e-9, SAME))
        steps = len(units.copies) * (len(units.place) + units.own.size)
        quick = len(result.extras["judges"]) * steps <= MOST_STEPS
        slopes = units.slopes() if quick else np.zeros((0, 3))
        for k, row in enumerate(rows):
            if row.std_error is None:
                continue
            name = label(row, "s.e.")
            one = units.clusters.shape[1] < 2
            df = mean_error(np.zeros(len(units.of_each)), units.clusters)[1] if one else row.df
            if quick:
                each = len(units.of_each) * slopes[units.of_each, k]
                error, df = mean_error(each, units.clusters)
                checks.append(direct(name, row.std_error, error, 1e-6 * max(1.0, error), SLOPES))
            else:
                note = f"slopes of {len(units.copies):,} units would take too long"
                checks.append(
                    compare(
                        name, row.std_error, None, package="numpy", tolerance=0.0, why="", note=note
                    )
                )
            cut = None if k == 0 else (-np.inf, 1.0)
            value, own, level = (
                float(row.estimate or 0.0),
                float(row.std_error),
                result.settings["level"],
            )
            if k > 0:
                checks.append(relative(label(row, "df"), row.df, df))
                checks += end_checks(row, *fisher_ends(value, own, df or 1.0, level))
            else:
                checks += wald_checks(row, level, value, own, df, cut=cut)
    return Verification(checks=tuple(checks))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Units:
    """Units that one judge and two people or more rated.

    Attributes
    ----------
    v : (levels, levels) float64 array
        Disagreement.
    copies : (units,) float64 array
        Alike units; `of_each` has the place of each of them.
    place : (ratings, 3) int array
        Unit, person and level of the people's ratings.
    size, people, judge : (units,) float64 arrays
        Number of people. Sums of v over ordered pairs of two people, over one less than their number, and over pairs of
        the judge and a person.
    own : (people, levels) float64 array
        Zeros to count in.
    given : (units,) int array
    clusters : (single units, factors) int array
    """

    v: FloatArray
    copies: FloatArray
    of_each: AnyArray
    place: AnyArray
    size: FloatArray
    people: FloatArray
    judge: FloatArray
    own: FloatArray
    given: AnyArray
    clusters: AnyArray

    @classmethod
    def of(cls, result: Result, judge: str) -> Units:
        """Collect them from the ratings, one by one."""
        design, mine = result.design, result.design.raters.index(judge)
        codes = {name: code for code, name in enumerate(design.raters)}
        person = {codes[name]: k for k, name in enumerate(result.extras["people"])}
        rated: dict[int, list[tuple[int, int]]] = {}
        given: dict[int, int] = {}
        columns = (design.unit, design.rater, design.value, design.status)
        for unit, rater, value, status in zip(
            *(column.tolist() for column in columns), strict=True
        ):
            if status == 0 and rater == mine:
                given[unit] = value
            elif status == 0 and rater in person:
                rated.setdefault(unit, []).append((person[rater], value))
        kept = [unit for unit in given if len(rated.get(unit, ())) > 1]
        v = 1 - np.asarray(result.extras["weights"])
        times = np.array(
            [np.bincount([level for _, level in rated[unit]], minlength=len(v)) for unit in kept]
        )
        size, own = times.sum(axis=1).astype(float), np.array([given[unit] for unit in kept])
        copies = design.unit_count[kept]
        of_each = np.repeat(np.arange(len(kept)), copies.astype(int))
        return cls(
            v=v,
            copies=copies,
            of_each=of_each,
            place=np.array([(u, p, c) for u, unit in enumerate(kept) for p, c in rated[unit]]),
            size=size,
            people=((times @ v) * times).sum(axis=1) / (size - 1),
            judge=(times * v[own]).sum(axis=1),
            own=np.zeros((len(person), len(v))),
            given=own,
            clusters=codes_of(design.factors(result.settings["cluster"]), np.array(kept)[of_each]),
        )

    def values(self, times: FloatArray) -> tuple[float, float, float]:
        """Difference, judge with people, people with people, of units that count `times` each."""
        unit, person, level = self.place.T
        own, judge = self.own.copy(), np.zeros(len(self.v))
        np.add.at(own, (person, level), times[unit])
        np.add.at(judge, self.given, times * self.size)
        whole, n = own.sum(axis=0), float(times @ self.size)
        apart = float(whole @ self.v @ whole - ((own @ self.v) * own).sum())
        pairs = n**2 - float((own.sum(axis=1) ** 2).sum())
        chance = apart / pairs, float(judge @ self.v @ whole) / n**2
        theirs, mine = (
            1 - float(times @ met) / n / far if far > 1e-12 else float("nan")
            for met, far in zip((self.people, self.judge), chance, strict=True)
        )
        return mine - theirs, mine, theirs

    def slopes(self) -> FloatArray:
        """Return the derivatives of the three values by the weight of each unit, (units, 3)."""
        out = np.empty((len(self.copies), 3))
        for k in range(len(out)):
            moved = STEP * (np.arange(len(out)) == k)
            up, down = (np.array(self.values(self.copies + sign * moved)) for sign in (1, -1))
            out[k] = (up - down) / (2 * STEP)
        return out
