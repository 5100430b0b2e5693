"""ADA-Met recomputed: modes by scipy and numpy, means by loops over units with ``statistics.multimode``, people drawn.

Standard errors: V = V_units + P/(P - 1) (V_people - the part that single units make), with residuals weight x
(distance - mean) of each unit or cluster; degrees of freedom by Satterthwaite's formula.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby
from statistics import multimode
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.clusters import crossing, intersections
from socialstats.crosscheck.long import compare, direct
from socialstats.crosscheck.resamples import Cells
from socialstats.crosscheck.row_arithmetic import (
    adjusted_checks,
    end_checks,
    label,
    quantile,
    relative,
    wald_checks,
)
from socialstats.crosscheck.shares import share_checks
from socialstats.results import Check, Result, Row, Verification

SAME = "the same sums in another order of arithmetic"
LOOPS = "loops over units with statistics.multimode: the same sums in another order"
CLOSEST = "the closest group has the smallest mean"
DRAWN = "the people that the seed draws, drawn by numpy; every mode found anew"
LONG = "modes of every resample would take too long"
DEALT = "people dealt anew: six Monte-Carlo errors"
TOLERANCE, CLOSE = 1e-9, 1e-6
REFUSED, NOT_ASKED = "refused", "not asked"
MOST = 8_000_000  # resamples x units x levels
FEWEST, BLOCK = 4, 50
DEALS = 100  # ways to deal the people of a pair of groups
Modes = tuple[
    list[list[float]], Any
]  # sets of modes, and which of them each unit has, (..., units)


@dataclass(frozen=True, slots=True)
class Of:
    """What answers, or their resamples, are made from: the same design and settings give the same ones."""

    design: int
    settings: tuple[Any, ...]
    source: Any = field(compare=False)


def told_of(result: Result) -> Told:
    """Return the answers behind a result, with what counts as mode and as distance of a refusal, and its groups."""
    told = tell(Of(id(result.design), reference_of(result), result))
    factor = result.design.rater_groups.get(result.settings["group"])
    if factor is None:
        return replace(told, settings=result.settings)
    of = dict(zip(result.design.raters, factor.codes.tolist(), strict=True))
    groups = {
        level: frozenset(r for r in told.pool if of[r] == code)
        for code, level in enumerate(factor.levels)
    }
    return replace(told, settings=result.settings, groups=groups)


def reference_of(result: Result) -> tuple[str, str]:
    """Return the rater group of the sources, and its level that is the reference."""
    name, chosen = result.settings["source"], result.settings["reference"]
    known = name in result.design.rater_groups
    return name if known else str(
        result.design.columns["rater_source"]
    ), "human" if chosen is None else chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A table of answers by label.

    Attributes
    ----------
    design : Ratings
    settings : mapping
        Of the result.
    pool : people with an answer, in the order of the design
    groups : level of the attribute -> its people with an answer
    people : unit -> person -> score
    models : model -> score (or pairs of score and probability), "refused", None (unparsed) or "not asked" of each unit
    weight : (units,) array of alike units
    scores : all scores, ascending
    labels : the levels in that order
    modes : people (None: all) -> their modes, as far as found
    """

    design: Any
    settings: Any
    pool: list[str]
    groups: dict[str, frozenset[str]]
    people: dict[str, dict[str, float]]
    models: dict[str, list[Any]]
    weight: FloatArray
    scores: list[float]
    labels: list[str]
    modes: dict[frozenset[str] | None, Modes]

    def modes_of(self, people: frozenset[str] | None = None) -> Modes:
        """Modes of (some of) the people, unit by unit; found once, and units with the same modes share a set."""
        if people not in self.modes:
            own = [
                tuple(
                    sorted(
                        multimode(
                            x for person, x in one.items() if people is None or person in people
                        )
                    )
                )
                for one in self.people.values()
            ]
            place = {modes: k for k, modes in enumerate(dict.fromkeys(own))}
            self.modes[people] = (
                [list(modes) for modes in place],
                np.array([place[modes] for modes in own]),
            )
        return self.modes[people]

    def inside(self, row: Row) -> Any:
        """(units,) bool array: units of the stratum of a row."""
        level = row.label("stratum")
        if level is None:
            return np.ones(len(self.people), dtype=bool)
        factor = {**{f.name: f for f in self.design.clusters}, **self.design.strata}[
            self.settings["stratum"]
        ]
        return factor.codes[self.places] == factor.levels.index(level)

    @property
    def places(self) -> list[int]:
        """Index of each unit in the design."""
        where = {unit: k for k, unit in enumerate(self.design.units)}
        return [where[unit] for unit in self.people]

    def table(self, pool: list[str]) -> FloatArray:
        """1 where a person of the pool gave a unit this level: (people, units, levels)."""
        who = {person: p for p, person in enumerate(pool)}
        out = np.zeros((len(pool), len(self.people), len(self.scores)))
        for u, own in enumerate(self.people.values()):
            for person, score in own.items():
                if person in who:
                    out[who[person], u, self.scores.index(score)] = 1
        return out

    def distance(self, modes: Sequence[float], given: Any) -> float:
        """Return the distance of one answer from (ascending) modes; NaN where it does not count."""
        ties, rule = self.settings["ties"], self.settings["refusal"]
        if given is None and self.settings["unparsed"] == "refusal":
            given = REFUSED
        if not modes or given in (None, NOT_ASKED) or (ties == "drop" and len(modes) > 1):
            return math.nan
        if given == REFUSED:
            if rule == "item_max":
                return max(self.distance(modes, score) for score in self.scores)
            width: float = self.scores[-1] - self.scores[0]
            return (
                {"max": width, "exclude": math.nan}[rule] if isinstance(rule, str) else float(rule)
            )
        if isinstance(given, tuple):
            return math.fsum(p * self.distance(modes, score) for score, p in given)
        if ties == "nearest":
            return float(min(abs(mode - given) for mode in modes))
        return float(
            abs({"low": modes[0], "high": modes[-1]}.get(ties, sum(modes) / len(modes)) - given)
        )

    def far(self, modes: Modes, given: list[Any]) -> FloatArray:
        """Distance of each unit's answer from its modes, (..., units); that from a set of modes is found once."""
        answers = {x: k for k, x in enumerate(dict.fromkeys(given))}
        each = np.array(
            [[self.distance(one, x) for x in answers] for one in modes[0]], dtype=np.float64
        )
        return np.asarray(each[modes[1], [answers[x] for x in given]])

    def at_step(self, model: str, step: float) -> FloatArray:
        """Probability that each unit's answer lies this many steps from the mode of all people."""
        sets, place = self.modes_of()
        found = []
        for given, k in zip(self.models[model], place.tolist(), strict=True):
            pairs = given if isinstance(given, tuple) else ((given, 1.0),)
            found.append(
                sum(p for x, p in pairs if np.ceil(np.round(self.distance(sets[k], x), 9)) == step)
            )
        return np.array(found, dtype=np.float64)

    def always(self, modes: Modes, name: str) -> FloatArray:
        """Distance of the same answer to every unit."""
        return self.far(modes, [self.scores[self.labels.index(name)]] * len(self.people))

    def values(self, row: Row, modes: Modes, sides: Any, other: Modes | None = None) -> FloatArray:
        """Distance (or difference) of each unit that a row is the mean of, (..., units); NaN where a unit has none.

        `sides` are the counts behind the modes; `other` the modes of the group that is subtracted.
        """
        line, model, nearest, constant = (
            row.label(name) for name in ("line", "model", "nearest", "constant")
        )
        if line == "uniform":
            found = np.mean([self.always(modes, name) for name in self.labels], axis=0)
        elif line == "ceiling":
            top = self.ceiling()
            with np.errstate(invalid="ignore", divide="ignore"):
                total = np.einsum("...ul,ul->...u", sides, np.nan_to_num(top))
                found = total / np.einsum("...ul,ul->...u", sides, 1.0 * ~np.isnan(top))
        elif line == "constant":
            found = self.always(modes, row.label("answer") or "")
        else:
            found = self.far(modes, self.models[model or ""])
            if nearest is not None or other is not None:
                found = found - self.far(other or modes, self.models[nearest or model or ""])
            elif constant is not None:
                found = found - self.always(modes, constant)
        return np.asarray(np.where(self.inside(row), found, np.nan))

    def ceiling(self) -> FloatArray:
        """Distance of an answer of each level from the mode of the other people, (units, levels); NaN where none is."""
        out = np.full((len(self.people), len(self.scores)), np.nan)
        for u, own in enumerate(self.people.values()):
            for k, score in enumerate(self.scores):
                others = list(own.values())
                if score in others:
                    others.remove(score)
                    out[u, k] = self.distance(sorted(multimode(others)), score)
        return out

    def mean(self, values: FloatArray) -> float:
        """Mean over the units that count; NaN without any."""
        known = ~np.isnan(values)
        return (
            float(values[known] @ self.weight[known] / self.weight[known].sum())
            if known.any()
            else math.nan
        )


@lru_cache(maxsize=2)
def tell(of: Of) -> Told:
    """Write the design by labels; units that only one side answered are left out."""
    design, (name, reference) = of.source.design, of.settings
    source = design.rater_groups[name]
    people: dict[str, dict[str, float]] = {}
    models: dict[str, dict[str, Any]] = {}
    columns = (design.unit, design.rater, design.value, design.status)
    scores, person = (
        design.scores.tolist(),
        (source.codes == source.levels.index(reference)).tolist(),
    )
    read = design.read_as().tolist() if design.probabilities is not None else None
    for k, (u, r, v, status) in enumerate(
        zip(*(column.tolist() for column in columns), strict=True)
    ):
        told: Any = scores[v] if read is None else tuple(zip(scores, read[k], strict=True))
        unit, rater = design.units[u], design.raters[r]
        if not person[r]:
            models.setdefault(rater, {})[unit] = (
                told if status == 0 else REFUSED if status == 2 else None
            )
        elif status == 0:
            people.setdefault(unit, {})[rater] = scores[v]
    asked = {unit for own in models.values() for unit in own}
    people = {unit: own for unit, own in people.items() if unit in asked}
    seen = {person for own in people.values() for person in own}
    count = dict(zip(design.units, design.unit_count.tolist(), strict=True))
    order = np.argsort(design.scores, kind="stable").tolist()
    return Told(
        design=design,
        settings={},
        pool=[r for r in design.raters if r in seen],
        groups={},
        people=people,
        weight=np.array([count[unit] for unit in people]),
        models={
            model: [own.get(unit, NOT_ASKED) for unit in people] for model, own in models.items()
        },
        scores=[scores[k] for k in order],
        labels=[design.levels[k] for k in order],
        modes={},
    )


def verify(result: Result) -> Verification:
    """Recompute every mean, difference and share; the closest group by the smallest mean."""
    told = told_of(result)
    factors = told.design.factors(result.settings["cluster"])
    codes = (
        np.array([factor.codes[told.places] for factor in factors])
        .reshape(len(factors), len(told.places))
        .T
    )
    sides = told.table(told.pool).sum(axis=0)
    checks: list[Check] = []
    for row in result.rows:
        if row.role == "rank":
            checks += closest(told, row)
            continue
        one, two = row.label("people"), row.label("versus")
        other = None if two is None else told.modes_of(told.groups[two])
        values = told.values(
            row, told.modes_of(None if one is None else told.groups[one]), sides, other
        )
        if row.role == "component":
            values = hits(told, row, values)
            wilson = replace(result, settings={**result.settings, "ci": "wilson"})
            known = np.flatnonzero(~np.isnan(values)).tolist()
            units = {
                u: (float(values[u]), float(told.weight[u]), tuple(codes[u].tolist()))
                for u in known
            }
            most = math.inf if np.any(values[known] % 1) else float(told.weight[known].sum())
            checks += share_checks(wilson, row, units, most)
        if row.key == (("model", row.term),):
            checks.append(by_scipy(told, row))
        theirs = told.mean(values)
        if two is not None and row.estimate is not None:
            theirs -= sizes_of(result, row)
        if row.estimate is not None or not math.isnan(theirs):  # else undefined on both sides
            checks.append(
                direct(label(row), row.estimate, theirs, TOLERANCE * max(1.0, abs(theirs)), LOOPS)
            )
    shown = [row for row in result.rows if row.std_error is not None and not row.label("people")]
    checks += error_checks(told, [row for row in shown if row.role != "component"], codes)
    return Verification(checks=(*checks, *difference_checks(result), *size_checks(result, told)))


def hits(told: Told, row: Row, distances: FloatArray) -> FloatArray:
    """1 where a unit is of the kind whose share a row is, else 0; NaN for units that do not count."""
    step, kind = row.label("distance"), REFUSED if row.label("share") == "refused" else None
    if step is not None:
        return np.where(np.isnan(distances), np.nan, told.at_step(row.term, float(step)))
    given = told.models[row.term]
    found = np.array([math.nan if x == NOT_ASKED else float(x == kind) for x in given])
    return np.where(told.inside(row), found, np.nan)


def by_scipy(told: Told, row: Row) -> Check:
    """A model over all units: scipy.stats.mode where one level has most answers, numpy.unique where several have."""
    modes = scipy_modes(Of(id(told.design), tuple(told.people), told))
    tied = sum(len(m) > 1 for m in modes)
    note = f"numpy.unique for {tied} of {len(modes)} units, with tied modes" if tied else ""
    theirs = told.mean(told.far((modes, np.arange(len(modes))), told.models[row.term]))
    return compare(
        row.term,
        row.estimate,
        None if math.isnan(theirs) else theirs,
        package="scipy",
        tolerance=TOLERANCE,
        why=SAME,
        note=note,
    )


@lru_cache(maxsize=2)
def scipy_modes(of: Of) -> list[list[float]]:
    """Modes of all people, unit by unit."""
    from scipy import stats

    pool, beyond, modes = of.source.pool, of.source.scores[-1] + 1, []
    for own in of.source.people.values():
        # who did not answer has a number of their own, larger than any score: scipy names the smallest mode
        line = np.array([own.get(person, beyond + k) for k, person in enumerate(pool)])
        values, times = np.unique(line[line < beyond], return_counts=True)
        best = values[times == times.max()]
        modes.append([float(stats.mode(line).mode)] if len(best) == 1 else best.tolist())
    return modes


def closest(told: Told, row: Row) -> list[Check]:
    """Compare the mean of the group that is named closest (one of several have none) with the smallest of any group."""
    given = told.models[row.term]
    means = {
        level: told.mean(told.far(told.modes_of(people), given))
        for level, people in told.groups.items()
    }
    if row.label("closest") not in means:
        return []
    chosen, smallest = (
        means[row.label("closest") or ""],
        min(x for x in means.values() if not math.isnan(x)),
    )
    return [direct(label(row, "its mean"), chosen, smallest, TOLERANCE, CLOSEST)]


def difference_checks(result: Result) -> list[Check]:
    """Compare interval, t and p of each tested difference with scipy's, and adjusted p with statsmodels'."""
    checks: list[Check] = []
    tested = [
        row for row in result.rows if None not in (row.p_value, row.df, row.std_error, row.estimate)
    ]
    for row in tested:
        numbers = float(row.estimate or 0.0), float(row.std_error or 0.0), float(row.df or 0.0)
        checks += wald_checks(
            replace(row, df=None), result.settings["level"], *numbers
        )  # the row's own df
    checks = [check for check in checks if check.ours is not None]
    for _, family in groupby(sorted(tested, key=family_of), key=family_of):
        checks += adjusted_checks(family)
    return checks


def family_of(row: Row) -> tuple[str, str]:
    """Return the family of tests: differences from one model or answer, or between the groups of people of a model."""
    return (row.term, "") if row.label("people") else ("", row.group or "")


def sizes_of(result: Result, row: Row) -> float:
    """What sizes alone give, as the result says."""
    stored = result.extras["permuted_differences"][row.label("contrast")][row.term]
    return math.nan if stored is None else float(stored)


def size_checks(result: Result, told: Told) -> list[Check]:
    """Deal the people of each pair of groups anew, and compare what their numbers alone give."""
    rng, checks = np.random.default_rng(0), []
    pairs = {
        (row.label("people") or "", row.label("versus") or ""): row
        for row in result.rows
        if row.label("versus")
    }
    for (one, other), first in pairs.items():
        sides = [sorted(told.groups[level]) for level in (one, other)]
        if len(sides[0]) == len(sides[1]):
            continue  # nothing is subtracted
        table = told.table([*sides[0], *sides[1]])
        dealt = np.array([rng.permutation(len(table)) < len(sides[0]) for _ in range(DEALS)])
        modes = [counted_modes(told, np.tensordot(chosen, table, 1)) for chosen in (dealt, ~dealt)]
        for model, given in told.models.items():
            gap = told.far(modes[0], given) - told.far(modes[1], given)
            drawn = np.array([x for x in map(told.mean, gap) if not math.isnan(x)])
            ours = sizes_of(result, replace(first, term=model))
            if math.isnan(ours) or len(drawn) < DEALS // 2:
                continue
            error = float(drawn.std(ddof=1)) * math.sqrt(
                1 / len(drawn) + 1 / result.extras["permutations"]
            )
            name = f"{model} [{result.settings['group']}: {one} - {other}], by sizes alone"
            checks.append(direct(name, ours, float(drawn.mean()), 6 * error + 1e-9, DEALT))
    return checks


def counted_modes(told: Told, sides: Any) -> Modes:
    """Modes of counts (..., units, levels); sets of them are numbered by the sum of 2^level."""
    codes = ((sides == sides.max(axis=-1, keepdims=True)) & (sides > 0)) @ (
        1 << np.arange(sides.shape[-1])
    )
    kinds, place = np.unique(codes, return_inverse=True)
    sets = [
        [score for k, score in enumerate(told.scores) if code >> k & 1] for code in kinds.tolist()
    ]
    return sets, place.reshape(codes.shape)


def error_checks(told: Told, rows: Sequence[Row], codes: Any) -> list[Check]:
    """Compare standard errors, degrees of freedom and ends of the means over all people."""
    settings = told.settings
    if settings["ci"] != "two_way" or not rows:
        return []
    if settings["resamples"] * len(told.people) * len(told.scores) > MOST:
        return [
            compare(label(row, name), value, None, package="numpy", tolerance=0, why="", note=LONG)
            for row in rows
            for name in ("std_error", "conf_low", "conf_high", "df")
            if (value := getattr(row, name)) is not None
        ]
    key = (settings["reference"], settings["source"], settings["resamples"], settings["seed"])
    sides, modes = redrawn(Of(id(told.design), key, told))
    out: list[Check] = []
    for row in rows:
        each = told.values(row, modes, sides)
        known = ~np.isnan(each)
        off = np.where(known, each - told.mean(each[0]), 0.0)
        out += row_checks(row, off, known[0], codes, told.weight, len(told.pool), settings)
    return out


@lru_cache(maxsize=2)
def redrawn(of: Of) -> tuple[Any, Modes]:
    """Counts of each level, (1 + B, units, levels), and their modes: of the sample, then of people drawn."""
    told: Told = of.source
    table, size = told.table(told.pool), len(told.pool)
    seed = int(np.random.SeedSequence([told.settings["seed"], 1]).generate_state(1)[0])
    times = np.array(
        [
            np.ones(size),
            *Cells.of(np.ones(size), [np.arange(size)]).draws(told.settings["resamples"], seed),
        ]
    )
    sides = np.empty((len(times), *table.shape[1:]), dtype=np.uint16)
    for start in range(0, len(times), BLOCK):
        side = times[start : start + BLOCK] @ table.reshape(size, -1)
        sides[start : start + BLOCK] = side.reshape(-1, *table.shape[1:])
    return sides, counted_modes(told, sides)


def row_checks(
    row: Row,
    off: FloatArray,
    counted: Any,
    codes: Any,
    weight: FloatArray,
    people: int,
    settings: Any,
) -> list[Check]:
    """Compare standard error, df and ends with sums of residuals, (1 + B, units), the sample first."""
    total = float(weight @ counted)
    if codes.shape[1]:
        # a unit that the sample leaves out, for a tie of its modes, counts where drawn people have none
        kept, every = (
            crossing(codes[counted]),
            [np.unique(code, return_inverse=True)[1].ravel() for code in codes.T],
        )
        if kept.shape[1] < len(every):  # the coarser of two nested factors alone counts
            sizes = [len(np.unique(code[counted])) for code in every]
            every = [every[int(np.argmin(sizes))]]
        columns = [(code, 1.0) for code in every]
        if len(columns) == 2:
            columns.append((intersections(*every), -1.0))
        pieces = float(min(len(np.unique(code)) for code in kept.T))
        sums = [(by_code(off * weight, code), sign) for code, sign in columns]
    else:
        pieces, sums = total, [(off * np.sqrt(weight), 1.0)]
    squares = [(sign, float((x[0] ** 2).sum())) for x, sign in sums]
    own = sum(sign * float(x[1:].var(axis=0, ddof=1).sum()) for x, sign in sums)
    units = max(
        sum(sign * value for sign, value in squares),
        *(value for sign, value in squares if sign > 0),
    )
    v_units = pieces / (pieces - 1) * units / total**2
    v_people = (
        max(float((off[1:] @ weight).var(ddof=1)) - own, 0.0)
        / total**2
        * people
        / max(people - 1, 1)
    )
    df = (v_units + v_people) ** 2 / (v_units**2 / (pieces - 1) + v_people**2 / max(people - 1, 1))
    if people < FEWEST:
        df = min(df, max(people - 1, 1))
    error, value = math.sqrt(v_units + v_people), float(row.estimate or 0.0)
    out = [relative(label(row, "s.e."), row.std_error, error, "numpy", DRAWN, CLOSE)]
    if row.df is not None:
        out.append(relative(label(row, "df"), row.df, df, "numpy", DRAWN, CLOSE))
    if row.statistic is not None:  # its ends are those of the test
        return out
    reach = quantile(settings["level"], df) * error
    return [
        *out,
        *end_checks(
            row, max(value - reach, 0.0), value + reach, "scipy", DRAWN, CLOSE, least=reach
        ),
    ]


def by_code(values: FloatArray, code: Any) -> FloatArray:
    """Sum columns by their code."""
    order = np.argsort(code, kind="stable")
    return np.add.reduceat(values[:, order], np.unique(code[order], return_index=True)[1], axis=1)
