"""ADA-Met once more: modes by scipy and numpy, means by loops over units with ``statistics.multimode``, people drawn.

Standard errors: V = V_units + P/(P - 1) (V_people - the part that single units make), with residuals weight x
(distance - mean) of each unit or cluster; degrees of freedom by Satterthwaite's formula.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations
from statistics import multimode
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.agreement import direct
from socialstats.crosscheck.clusters import codes_of
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.resamples import Cells
from socialstats.crosscheck.row_arithmetic import adjusted_checks, end_checks, label, quantile, relative, wald_checks
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
AT, LINE = "share at distance", "reference line"
MOST = 8_000_000  # resamples x units x levels
FEWEST, BLOCK = 4, 50
DEALS = 100  # ways to deal the people of a pair of groups
Key = tuple[str, str | None]
Expected = dict[Key, float | None]
Apart = dict[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A table of answers as dictionaries by label.

    Attributes
    ----------
    people : unit -> person -> score
    models : model -> unit -> score, "refused" or None (unparsed)
    weight : unit -> alike units
    scores : all scores, ascending
    labels : the levels in that order
    modes : people (None: all) -> unit -> modes, as far as found
    apart : model and people -> unit -> distance, as far as found
    """

    people: dict[str, dict[str, float]]
    models: dict[str, dict[str, Any]]
    weight: dict[str, float]
    scores: list[float]
    labels: list[str]
    modes: dict[frozenset[str] | None, dict[str, list[float]]] = field(default_factory=dict)
    apart: dict[tuple[str, frozenset[str] | None], Apart] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Of:
    """What answers, or their resamples, are made from: the same design and settings give the same ones."""

    design: int
    settings: tuple[Any, ...]
    result: Result = field(compare=False)


def verify(result: Result) -> Verification:
    """Recompute every mean, difference and share; the closest group by the smallest mean."""
    told = replace(tell(Of(id(result.design), (result.settings["reference"], source_name(result)), result)),
                   apart={})  # fmt: skip
    rows = {(row.term, row.group): row for row in result.rows}
    groups = {row.group for row in result.rows}
    expected = group_means(result, told)
    checks: list[Check] = []
    if None in groups:  # of a result cut down to its groups only these are compared
        checks += by_scipy(result, told)
        expected |= {**model_means(result, told), **shares(result, told)}
    if LINE in groups:
        expected |= {**lines(result, told), **model_gaps(result, told)}
    checks += [*share_rows(result, told, rows), *error_checks(result, told)]
    for key, row in rows.items():
        theirs = expected.get(key)
        if key in expected and (theirs is not None or row.estimate is not None):  # else undefined on both sides
            checks.append(direct(label(row), row.estimate, math.nan if theirs is None else theirs, TOLERANCE, LOOPS))
    checks += [*closest(result, expected), *difference_checks(result, told), *size_checks(result, told)]
    return Verification(checks=tuple(checks))


def share_rows(result: Result, told: Told, rows: Mapping[Key, Row]) -> list[Check]:
    """Compare shares of refusals, of unparsed answers, and of units at a distance, with their errors and intervals."""
    design, found = result.design, []
    numbered = codes_of(design.factors(result.settings["cluster"]), np.arange(len(design.units)))
    codes = dict(zip(design.units, map(tuple, numbered.tolist()), strict=True))
    wilson = replace(result, settings={**result.settings, "ci": "wilson"})

    def checks(key: Key, hits: Mapping[str, bool]) -> list[Check]:
        units = {k: (float(hit), told.weight[u], codes[u]) for k, (u, hit) in enumerate(hits.items())}
        row = rows.get(key)
        return [] if row is None else share_checks(wilson, row, units, sum(w for _, w, _ in units.values()))

    for model, own in told.models.items():
        for place, inside in [("", set(told.people)), *strata_of(result)]:
            for name, kind in (("share refused", REFUSED), ("share unparsed", None)):
                found += checks((model, f"{name}{place}"), {u: x == kind for u, x in own.items() if u in inside})
        near = steps_of(told, result, model)
        for step in range(largest(told, near) + 1):
            found += checks((model, f"{AT} {step}"), {u: x == step for u, x in near.items()})
    return found


def steps_of(told: Told, result: Result, model: str) -> dict[str, int]:
    """Whole distances of the units that count."""
    return {u: round(round(x, 9)) for u, x in distances(told, result, model).items() if x is not None}


def largest(told: Told, near: Mapping[str, int]) -> int:
    """Largest distance that has a share."""
    return math.ceil(max([told.scores[-1] - told.scores[0], *near.values()]))


@lru_cache(maxsize=2)
def tell(of: Of) -> Told:
    """Write the design as dictionaries; units that only one side answered are left out."""
    design, settings = of.result.design, of.result.settings
    source = design.rater_groups[source_name(of.result)]
    reference = source.levels.index("human" if settings["reference"] is None else settings["reference"])
    people: dict[str, dict[str, float]] = {}
    models: dict[str, dict[str, Any]] = {}
    columns = (design.unit, design.rater, design.value, design.status)
    scores, person = design.scores.tolist(), (source.codes == reference).tolist()
    for u, r, v, status in zip(*(column.tolist() for column in columns), strict=True):
        unit, rater = design.units[u], design.raters[r]
        if not person[r]:
            models.setdefault(rater, {})[unit] = scores[v] if status == 0 else REFUSED if status == 2 else None
        elif status == 0:
            people.setdefault(unit, {})[rater] = scores[v]
    asked = {unit for own in models.values() for unit in own}
    order = np.argsort(design.scores, kind="stable").tolist()
    return Told(
        people={unit: own for unit, own in people.items() if unit in asked},
        models={model: {u: x for u, x in own.items() if u in people} for model, own in models.items()},
        weight=dict(zip(design.units, design.unit_count.tolist(), strict=True)),
        scores=[scores[k] for k in order], labels=[design.levels[k] for k in order],
    )  # fmt: skip


def source_name(result: Result) -> str:
    """Return the rater group of the sources."""
    name: str = result.settings["source"]
    return name if name in result.design.rater_groups else str(result.design.columns["rater_source"])


def from_modes(modes: Sequence[float], given: Any, told: Told, settings: Mapping[str, Any]) -> float | None:
    """Return the distance of one answer from (ascending) modes; None where it does not count."""
    ties, rule = settings["ties"], settings["refusal"]
    if given is None and settings["unparsed"] == "refusal":
        given = REFUSED
    if not modes or given is None or (ties == "drop" and len(modes) > 1):
        return None
    if given != REFUSED:
        return one_distance(modes, given, ties)
    if rule == "exclude":
        return None
    if rule == "item_max":
        return max(one_distance(modes, score, ties) for score in told.scores)
    return told.scores[-1] - told.scores[0] if rule == "max" else float(rule)


def one_distance(modes: Sequence[float], given: float, ties: str) -> float:
    """Return the distance of a score from modes, several of them joined as `ties` says."""
    if ties == "nearest":
        return min(abs(mode - given) for mode in modes)
    mode = modes[-1] if ties == "high" else sum(modes) / len(modes) if ties == "mean" else modes[0]
    return abs(mode - given)


def mean(values: Mapping[str, float | None], told: Told) -> float | None:
    """Mean over units that count; None without any."""
    kept = [(x, told.weight[unit]) for unit, x in values.items() if x is not None]
    return sum(x * w for x, w in kept) / sum(w for _, w in kept) if kept else None


def distances(told: Told, result: Result, model: str, people: frozenset[str] | None = None) -> Apart:
    """Distance of each unit of a model from the mode of (some of) the people; found once."""
    if (model, people) not in told.apart:
        modes, settings = modes_of(told, people), result.settings
        told.apart[model, people] = {u: from_modes(modes[u], x, told, settings) for u, x in told.models[model].items()}
    return told.apart[model, people]


def modes_of(told: Told, people: frozenset[str] | None) -> dict[str, list[float]]:
    """Modes of (some of) the people, unit by unit; found once."""
    if people not in told.modes:
        told.modes[people] = {
            unit: sorted(multimode(x for person, x in own.items() if people is None or person in people))
            for unit, own in told.people.items()
        }
    return told.modes[people]


def by_scipy(result: Result, told: Told) -> list[Check]:
    """Models over all units: scipy.stats.mode where one level has most answers, numpy.unique where several have."""
    modes = scipy_modes(Of(id(result.design), (result.settings["reference"], source_name(result)), result))
    tied = sum(len(m) > 1 for m in modes.values())
    note = f"numpy.unique for {tied} of {len(modes)} units, with tied modes" if tied else ""
    checks = []
    for row in result.rows:
        if row.group is None and row.term in told.models:
            own = {u: from_modes(modes[u], x, told, result.settings) for u, x in told.models[row.term].items()}
            checks.append(compare(row.term, row.estimate, mean(own, told), package="scipy", tolerance=TOLERANCE,
                                  why=SAME, note=note))  # fmt: skip
    return checks


@lru_cache(maxsize=2)
def scipy_modes(of: Of) -> dict[str, list[float]]:
    """Modes of all people, unit by unit."""
    from scipy import stats

    told = tell(of)
    names = sorted({person for own in told.people.values() for person in own})
    beyond, modes = told.scores[-1] + 1, {}
    for unit, own in told.people.items():
        # who did not answer has a number of their own, larger than any score: scipy names the smallest mode
        line = np.array([own.get(person, beyond + k) for k, person in enumerate(names)])
        values, times = np.unique(line[line < beyond], return_counts=True)
        best = values[times == times.max()]
        modes[unit] = [float(stats.mode(line).mode)] if len(best) == 1 else best.tolist()
    return modes


def model_means(result: Result, told: Told) -> Expected:
    """Expected rows of models over all units, by stratum, and of the shares of units at each distance."""
    out: Expected = {}
    for model in told.models:
        own, near = distances(told, result, model), steps_of(told, result, model)
        out[model, None] = mean(own, told)
        total = sum(told.weight[unit] for unit in near)
        for step in range(largest(told, near) + 1):
            share = sum(told.weight[unit] for unit, x in near.items() if x == step) / total if total else None
            out[model, f"{AT} {step}"] = share
        for group, inside in level_units(result):
            out[model, group] = mean({unit: x for unit, x in own.items() if unit in inside}, told)
    return out


def level_units(result: Result) -> list[tuple[str, set[str]]]:
    """How the levels of the stratum are written as groups, and their units."""
    design, name = result.design, result.settings["stratum"]
    if name is None:
        return []
    factor = {**{f.name: f for f in design.clusters}, **design.strata}[name]
    return [
        (f"{name} = {level}", {u for u, c in zip(design.units, factor.codes.tolist(), strict=True) if c == code})
        for code, level in enumerate(factor.levels)
    ]


def strata_of(result: Result) -> list[tuple[str, set[str]]]:
    """How the levels of the stratum are written in shares, and their units."""
    return [(f", {group}", units) for group, units in level_units(result)]


def gap_keys(result: Result, told: Told) -> dict[Key, str]:
    """Every possible row that is a model's distance less another one, and whose: a model's, or a constant answer's."""
    others = {f"minus nearest = {model}": model for model in told.models}
    others |= {f"minus constant = always {name}": f"always {name}" for name in told.labels}
    shown = {(row.term, row.group) for row in result.rows}
    return {(m, g): other for m in told.models for g, other in others.items() if (m, g) in shown}


def model_gaps(result: Result, told: Told) -> Expected:
    """Expected differences from the nearest model and from a constant answer, over the units of both."""
    out: Expected = {}
    constant = {f"always {name}": score for name, score in zip(told.labels, told.scores, strict=True)}
    for (model, group), name in gap_keys(result, told).items():
        other = distances(told, result, name) if name in told.models else always(told, result, constant[name])
        own = distances(told, result, model)
        both = {u: x - y for u, x in own.items() if x is not None and (y := other.get(u)) is not None}
        out[model, group] = mean(both, told)
    return out


def people_of(result: Result, told: Told) -> dict[str, frozenset[str]]:
    """Return the people with an answer of each group."""
    design, name = result.design, result.settings["group"]
    factor = design.rater_groups[name]
    seen = {person for own in told.people.values() for person in own}
    found: dict[str, set[str]] = {}
    for rater, code in zip(design.raters, factor.codes.tolist(), strict=True):
        if code >= 0 and rater in seen:
            found.setdefault(factor.levels[code], set()).add(rater)
    return {level: frozenset(found[level]) for level in factor.levels if level in found}


def pair_names(groups: Mapping[str, frozenset[str]]) -> dict[tuple[str, str], str]:
    """How two groups of people are written as a difference: quoted where a label holds what stands between them."""
    say = json.dumps if any(" - " in level for level in groups) else str
    return {(one, other): f"{say(one)} - {say(other)}" for one, other in combinations(groups, 2)}


def group_means(result: Result, told: Told) -> Expected:
    """Expected rows by group of people, and of their differences over the units that both have."""
    name = result.settings["group"]
    out: Expected = {}
    if name is None:
        return {}
    groups = people_of(result, told)
    for model in told.models:
        own = {level: distances(told, result, model, people) for level, people in groups.items()}
        for level, values in own.items():
            out[model, f"{name} = {level}"] = mean(values, told)
        for (one, other), pair in pair_names(groups).items():
            both = {
                unit: x - y for unit, x in own[one].items() if x is not None and (y := own[other][unit]) is not None
            }
            gap, sizes = mean(both, told), result.extras["permuted_differences"][pair][model]
            out[model, f"{name}: {pair}"] = None if gap is None or sizes is None else gap - sizes
    return out


def shares(result: Result, told: Told) -> Expected:
    """Expected shares of refusals and of unparsed answers, over all units and by stratum."""
    out: Expected = {}
    for place, kept in [("", set(told.people)), *strata_of(result)]:
        for model, own in told.models.items():
            some = {unit: given for unit, given in own.items() if unit in kept}
            total = sum(told.weight[unit] for unit in some)
            for name, kind in (("share refused", REFUSED), ("share unparsed", None)):
                if total:
                    share = sum(told.weight[u] for u, given in some.items() if given == kind) / total
                    out[model, f"{name}{place}"] = share
    return out


def lines(result: Result, told: Told) -> Expected:
    """Expected reference lines: each answer always, any answer, and a person against the mode of the others."""
    settings, group = result.settings, LINE
    out: Expected = {}
    constant = {}
    for answer, score in zip(told.labels, told.scores, strict=True):
        constant[answer] = always(told, result, score)
        out[f"always {answer}", group] = mean(constant[answer], told)
    known = [x for label in told.labels if (x := out[f"always {label}", group]) is not None]
    out["uniform answer", group] = sum(known) / len(known) if known else None
    own_units: dict[str, float | None] = {}
    for unit, own in told.people.items():
        others = {given: modes_without(list(own.values()), given) for given in set(own.values())}
        each = [from_modes(others[given], given, told, settings) for given in own.values()]
        some = [x for x in each if x is not None]
        own_units[unit] = sum(some) / len(some) if some else None
    top = next(row.term for row in result.rows if row.group == group)
    out[top, group] = mean(own_units, told)
    return out


def always(told: Told, result: Result, score: float) -> Apart:
    """Distance of the same answer to every unit."""
    return {unit: from_modes(modes, score, told, result.settings) for unit, modes in modes_of(told, None).items()}


def modes_without(answers: list[float], one: float) -> list[float]:
    """Modes of answers without one of them."""
    answers.remove(one)
    return sorted(multimode(answers))


def closest(result: Result, expected: Expected) -> list[Check]:
    """Compare the mean of each group that is named closest with the smallest mean of any group."""
    name, checks = result.settings["group"], []
    if name is None:
        return []
    groups = [f"{name} = {level}" for level in result.design.rater_groups[name].levels]
    named = {f"closest {group}": group for group in groups}
    for row in result.rows:
        if row.group in named:
            means = {group: expected.get((row.term, group)) for group in groups}
            smallest = min(x for x in means.values() if x is not None)
            chosen = means[named[row.group]]
            checks.append(direct(label(row, "its mean"), smallest if chosen is None else chosen, smallest, TOLERANCE,
                                 CLOSEST))  # fmt: skip
    return checks


def difference_checks(result: Result, told: Told) -> list[Check]:
    """Compare interval, t and p of each tested difference with scipy's, and adjusted p with statsmodels'."""
    checks: list[Check] = []
    families: dict[Key, list[Row]] = {}
    from_others = gap_keys(result, told)
    for row in result.rows:
        if row.p_value is None or row.df is None or row.std_error is None or row.estimate is None:
            continue
        one_group = (row.term, row.group) in from_others
        families.setdefault(("", row.group) if one_group else (row.term, None), []).append(row)
        plain = replace(row, df=None)  # the row's own
        checks += wald_checks(plain, result.settings["level"], float(row.estimate), float(row.std_error), float(row.df))
    checks = [check for check in checks if check.ours is not None]
    return [*checks, *(check for rows in families.values() for check in adjusted_checks(rows))]


def size_checks(result: Result, told: Told) -> list[Check]:
    """Deal the people of each pair of groups anew, and compare what their numbers alone give."""
    name = result.settings["group"]
    if name is None:
        return []
    groups, stored = people_of(result, told), result.extras["permuted_differences"]
    names, shown = pair_names(groups), {row.group for row in result.rows}
    if not any(f"{name}: {pair}" in shown for pair in names.values()):
        return []
    rng, dealt, checks = np.random.default_rng(0), Dealt(told, result), []
    for (one, other), pair in names.items():
        if len(groups[one]) == len(groups[other]):
            continue  # nothing is subtracted
        pool = [*sorted(groups[one]), *sorted(groups[other])]
        first = np.array([rng.permutation(len(pool)) < len(groups[one]) for _ in range(DEALS)])
        found = dealt.gaps(answers_table(told, list(told.people), pool), first)
        for k, model in enumerate(told.models):
            ours, drawn = stored[pair][model], found[~np.isnan(found[:, k]), k]
            if ours is None or len(drawn) < DEALS // 2:
                continue
            error = float(drawn.std(ddof=1)) * math.sqrt(1 / len(drawn) + 1 / result.extras["permutations"])
            label = f"{model} [{name}: {one} - {other}], by sizes alone"
            checks.append(direct(label, ours, float(drawn.mean()), 6 * error + 1e-9, DEALT))
    return checks


def answers_table(told: Told, units: list[str], pool: list[str]) -> FloatArray:
    """1 where a person of the pool gave a unit this level: (people, units, levels)."""
    place, who = {score: k for k, score in enumerate(told.scores)}, {person: p for p, person in enumerate(pool)}
    table = np.zeros((len(pool), len(units), len(told.scores)))
    for u, unit in enumerate(units):
        for person, score in told.people[unit].items():
            if person in who:
                table[who[person], u, place[score]] = 1
    return table


def codes_of_modes(side: Any) -> Any:
    """Number the sets of modes of counts (..., units, levels): the sum of 2^level."""
    return ((side == side.max(axis=-1, keepdims=True)) & (side > 0)) @ (1 << np.arange(side.shape[-1]))


class Dealt:
    """Distances of answers from the modes of counts; that of an answer from a set of modes is found once."""

    def __init__(self, told: Told, result: Result) -> None:
        self.told, self.settings = told, result.settings
        units = list(told.people)
        self.weight = np.array([told.weight[unit] for unit in units])
        own = [[told.models[model].get(unit, NOT_ASKED) for unit in units] for model in told.models]
        self.given = list({x for one in own for x in one})
        self.asked = np.array([[self.given.index(x) for x in one] for one in own])

    def distances(self, side: Any) -> FloatArray:
        """Distance of each model to each unit, (..., models, units), from counts (..., units, levels); NaN: none."""
        kinds, place = np.unique(codes_of_modes(side), return_inverse=True)
        return np.asarray(self.table(kinds)[place.reshape(side.shape[:-1])[..., None, :], self.asked])

    def table(self, kinds: Any) -> FloatArray:
        """Distance of each answer (columns) from sets of modes, given by their codes."""
        modes = [[score for k, score in enumerate(self.told.scores) if code >> k & 1] for code in kinds.tolist()]
        return np.array([[self.far(one, x) for x in self.given] for one in modes], dtype=np.float64)

    def far(self, modes: list[float], given: Any) -> float:
        """Distance of one answer from modes; NaN where it does not count."""
        found = None if given == NOT_ASKED else from_modes(modes, given, self.told, self.settings)
        return math.nan if found is None else found

    def gaps(self, table: FloatArray, first: Any) -> FloatArray:
        """Mean differences between the people `first`, (draws, people), and the others: (draws, models)."""
        sides = [np.tensordot(chosen, table, 1) for chosen in (first, ~first)]
        gap = self.distances(sides[0]) - self.distances(sides[1])
        weight = self.weight * ~np.isnan(gap)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.nansum(gap * weight, axis=-1) / weight.sum(axis=-1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """A row that is a mean over units of a distance, or of a distance minus another one.

    `one`, `other`: names of columns of distances; `units`: which units count.
    """

    row: Row
    one: str
    other: str
    units: FloatArray


def error_checks(result: Result, told: Told) -> list[Check]:
    """Compare standard errors, degrees of freedom and ends of the means over all people."""
    settings, design = result.settings, result.design
    if settings["ci"] != "two_way":
        return []
    shown = [mean for mean in means_of(result, told) if mean.row.std_error is not None]
    if not shown:
        return []
    if settings["resamples"] * len(told.people) * len(told.scores) > MOST:
        return [compare(label(m.row, name), value, None, package="numpy", tolerance=0, why="", note=LONG)
                for m in shown for name in ("std_error", "conf_low", "conf_high", "df")
                if (value := getattr(m.row, name)) is not None]  # fmt: skip
    drawn, people = Drawn(result, told), len({person for own in told.people.values() for person in own})
    weight = np.array([told.weight[unit] for unit in told.people])
    codes = codes_of(design.factors(settings["cluster"]), [design.units.index(unit) for unit in told.people])
    out = []
    for mean in shown:
        each = drawn.of(mean.one) - drawn.of(mean.other) if mean.other else drawn.of(mean.one)
        known = ~np.isnan(each) & mean.units
        value = float(np.where(known[0], each[0], 0) @ weight / (weight * known[0]).sum())
        off = np.where(known, each - value, 0.0)
        out += row_checks(mean.row, off, known[0], codes, weight, people, settings)
    return out


@lru_cache(maxsize=2)
def redrawn(of: Of) -> tuple[Any, Any, Any]:
    """Counts of each level, (1 + B, units, levels), kinds of sets of modes, and that of each unit, (1 + B, units)."""
    told = tell(Of(of.design, of.settings[:2], of.result))
    pool = sorted({person for own in told.people.values() for person in own}, key=of.result.design.raters.index)
    table = answers_table(told, list(told.people), pool)
    seed = int(np.random.SeedSequence([of.settings[3], 1]).generate_state(1)[0])
    times = np.array([np.ones(len(pool)), *drawn_people(len(pool), of.settings[2], seed)])
    sides = np.empty((len(times), *table.shape[1:]), dtype=np.uint16)
    for start in range(0, len(times), BLOCK):
        side = times[start : start + BLOCK] @ table.reshape(len(pool), -1)
        sides[start : start + BLOCK] = side.reshape(-1, *table.shape[1:])
    kinds, place = np.unique(codes_of_modes(sides), return_inverse=True)
    return sides, kinds, place.reshape(sides.shape[:2])


class Drawn:
    """Distances of models, constant answers, the uniform answer and a person in every resample, (1 + B, units)."""

    def __init__(self, result: Result, told: Told) -> None:
        settings = result.settings
        key = (settings["reference"], source_name(result), settings["resamples"], settings["seed"])
        self.sides, kinds, self.kind = redrawn(Of(id(result.design), key, result))
        constants = {f"always {name}": dict.fromkeys(told.people, told.scores[k]) for k, name in enumerate(told.labels)}
        self.constants, self.columns = list(constants), [*told.models, *constants]
        self.dealt = Dealt(replace(told, models={**told.models, **constants}), result)
        self.far = self.dealt.table(kinds)
        self.top = ceiling_values(result, told, list(told.people))

    def of(self, name: str) -> FloatArray:
        """Return a column by its name."""
        if name in self.columns:
            return np.asarray(self.far[self.kind, self.dealt.asked[self.columns.index(name)]])
        if name == "uniform answer":
            return np.asarray(np.mean([self.of(one) for one in self.constants], axis=0))
        with np.errstate(invalid="ignore", divide="ignore"):
            total = np.einsum("bul,ul->bu", self.sides, np.nan_to_num(self.top))
            return np.asarray(total / np.einsum("bul,ul->bu", self.sides, 1.0 * ~np.isnan(self.top)))


def means_of(result: Result, told: Told) -> Iterator[Mean]:
    """Yield rows that are means over all people: not those of groups of people and shares."""
    whole = np.ones(len(told.people), dtype=bool)
    parts: dict[str | None, Any] = {None: whole}
    parts |= {group: np.array([u in units for u in told.people]) for group, units in level_units(result)}
    gaps, constants = gap_keys(result, told), {*(f"always {name}" for name in told.labels), "uniform answer"}
    for row in result.rows:
        if row.group == LINE:
            yield Mean(row=row, one=row.term if row.term in constants else "person", other="", units=whole)
        elif (row.term, row.group) in gaps:
            yield Mean(row=row, one=row.term, other=gaps[row.term, row.group], units=whole)
        elif row.term in told.models and row.group in parts:
            yield Mean(row=row, one=row.term, other="", units=parts[row.group])


def drawn_people(size: int, resamples: int, seed: int) -> Iterator[FloatArray]:
    """How often each person is drawn; a single one always once."""
    if size < 2:
        return iter([np.ones(size)] * resamples)
    return Cells.of(np.ones(size), [np.arange(size)]).draws(resamples, seed)


def ceiling_values(result: Result, told: Told, units: list[str]) -> FloatArray:
    """Distance of an answer of each level from the mode of the other people, (units, levels); NaN where none is."""
    out = np.full((len(units), len(told.scores)), np.nan)
    for u, unit in enumerate(units):
        answers = list(told.people[unit].values())
        for k, score in enumerate(told.scores):
            others = modes_without(list(answers), score) if score in answers else None
            found = from_modes(others, score, told, result.settings) if others else None
            out[u, k] = math.nan if found is None else found
    return out


def row_checks(
    row: Row, off: FloatArray, counted: Any, codes: Any, weight: FloatArray, people: int, settings: Any
) -> list[Check]:
    """Compare standard error, df and ends with sums of residuals, (1 + B, units), the sample first."""
    total = float(weight @ counted)
    if codes.shape[1]:
        columns = [(code, 1.0) for code in codes.T]
        if len(columns) == 2:
            columns.append((np.unique(codes, axis=0, return_inverse=True)[1].ravel(), -1.0))
        pieces = float(min(len(np.unique(code[counted])) for code in codes.T))
        sums = [(by_code(off * weight, code), sign) for code, sign in columns]
    else:
        pieces, sums = total, [(off * np.sqrt(weight), 1.0)]
    squares = [(sign, float((x[0] ** 2).sum())) for x, sign in sums]
    own = sum(sign * float(x[1:].var(axis=0, ddof=1).sum()) for x, sign in sums)
    units = max(sum(sign * value for sign, value in squares), *(value for sign, value in squares if sign > 0))
    v_units = pieces / (pieces - 1) * units / total**2
    v_people = max(float((off[1:] @ weight).var(ddof=1)) - own, 0.0) / total**2 * people / max(people - 1, 1)
    df = (v_units + v_people) ** 2 / (v_units**2 / (pieces - 1) + v_people**2 / max(people - 1, 1))
    if people < FEWEST:
        df = min(df, max(people - 1, 1))
    error, value = math.sqrt(v_units + v_people), float(row.estimate or 0.0)
    out = [relative(label(row, "s.e."), row.std_error, error, "numpy", DRAWN, CLOSE)]
    if row.df is not None:
        return [*out, relative(label(row, "df"), row.df, df, "numpy", DRAWN, CLOSE)]
    reach = quantile(settings["level"], df) * error
    return [*out, *end_checks(row, max(value - reach, 0.0), value + reach, "scipy", DRAWN, CLOSE, least=reach)]


def by_code(values: FloatArray, code: Any) -> FloatArray:
    """Sum columns by their code."""
    order = np.argsort(code, kind="stable")
    return np.add.reduceat(values[:, order], np.unique(code[order], return_index=True)[1], axis=1)
