"""ADA-Met once more: modes by scipy and numpy, and every mean by loops over units with ``statistics.multimode``."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from statistics import multimode
from typing import Any

import numpy as np

from socialstats.crosscheck.agreement_direct import direct
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.row_arithmetic import label
from socialstats.crosscheck.shares import share_checks
from socialstats.results import Check, Result, Verification

SAME = "the same sums in another order of arithmetic"
LOOPS = "loops over units with statistics.multimode: the same sums in another order"
CLOSEST = "the closest group has the smallest mean"
TOLERANCE = 1e-9
REFUSED, AT, LINE = "refused", "share at distance", "reference line"
Expected = dict[tuple[str, str | None], float | None]
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
    """

    people: dict[str, dict[str, float]]
    models: dict[str, dict[str, Any]]
    weight: dict[str, float]
    scores: list[float]
    labels: list[str]
    modes: dict[frozenset[str] | None, dict[str, list[float]]] = field(default_factory=dict)


def verify(result: Result) -> Verification:
    """Recompute every mean, difference and share; the closest group by the smallest mean."""
    from socialstats.crosscheck.ada_met_errors import error_checks
    from socialstats.crosscheck.ada_met_halves import population_checks
    from socialstats.crosscheck.ada_met_tests import difference_checks, size_checks

    told = tell(result)
    groups = {row.group for row in result.rows}
    expected = group_means(result, told)
    checks: list[Check] = []
    if None in groups:  # of a result cut down to its groups only these are compared
        checks += [*by_scipy(result, told), *population_checks(result, told)]
        expected |= {**model_means(result, told), **shares(result, told)}
    if LINE in groups:
        expected |= lines(result, told)
        expected |= model_gaps(result, told)
    checks += [*share_rows(result, told), *error_checks(result, told)]
    for row in result.rows:
        if (row.term, row.group) not in expected:
            continue
        theirs = expected[row.term, row.group]
        if theirs is None and row.estimate is None:
            continue  # undefined on both sides
        checks.append(direct(label(row), row.estimate, math.nan if theirs is None else theirs, TOLERANCE, LOOPS))
    return Verification(
        checks=(*checks, *closest(result, expected), *difference_checks(result), *size_checks(result, told))
    )


def share_rows(result: Result, told: Told) -> list[Check]:
    """Compare shares of refusals, of unparsed answers, and of units at a distance, with their errors and intervals."""
    design, found = result.design, []
    clusters = [factor.codes.tolist() for factor in design.factors(result.settings["cluster"])]
    codes = {unit: tuple(code[u] for code in clusters) for u, unit in enumerate(design.units)}
    places = dict(strata_of(result))
    for row in result.rows:
        group = row.group or ""
        kind, _, place = group.partition(", ")
        inside = places.get(f", {place}", set(told.people))
        if kind in ("share refused", "share unparsed"):
            wanted = REFUSED if kind == "share refused" else None
            hits = {u: float(x == wanted) for u, x in told.models[row.term].items() if u in inside}
        elif group.startswith(AT):
            apart = {u: x for u, x in distances(told, result, row.term).items() if x is not None}
            hits = {u: float(round(round(x, 9)) == int(group.removeprefix(AT))) for u, x in apart.items()}
        else:
            continue
        units = {k: (hit, told.weight[u], codes[u]) for k, (u, hit) in enumerate(hits.items())}
        settings = replace(result, settings={**result.settings, "ci": "wilson"})
        found += share_checks(settings, row, units, sum(weight for _, weight, _ in units.values()))
    return found


def tell(result: Result) -> Told:
    """Write the design as dictionaries; units that only one side answered are left out."""
    design, settings = result.design, result.settings
    source = next(f for name, f in design.rater_groups.items() if name == source_name(result))
    reference = source.levels.index("human" if settings["reference"] is None else settings["reference"])
    people: dict[str, dict[str, float]] = {}
    models: dict[str, dict[str, Any]] = {}
    for u, r, v, status in zip(design.unit, design.rater, design.value, design.status, strict=True):
        unit, rater = design.units[u], design.raters[r]
        if source.codes[r] != reference:
            given = float(design.scores[v]) if status == 0 else REFUSED if status == 2 else None
            models.setdefault(rater, {})[unit] = given
        elif status == 0:
            people.setdefault(unit, {})[rater] = float(design.scores[v])
    asked = {unit for own in models.values() for unit in own}
    order = np.argsort(design.scores, kind="stable").tolist()
    return Told(
        people={unit: own for unit, own in people.items() if unit in asked},
        models={model: {u: x for u, x in own.items() if u in people} for model, own in models.items()},
        weight=dict(zip(design.units, design.unit_count.tolist(), strict=True)),
        scores=[float(design.scores[k]) for k in order], labels=[design.levels[k] for k in order],
    )  # fmt: skip


def source_name(result: Result) -> str:
    """Return the rater group of the sources."""
    name: str = result.settings["source"]
    return name if name in result.design.rater_groups else str(result.design.columns["rater_source"])


def distance(answers: Iterable[float], given: Any, told: Told, settings: Mapping[str, Any]) -> float | None:
    """Return the distance of one answer from the mode of some answers; None where it does not count."""
    return from_modes(sorted(multimode(answers)), given, told, settings)


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
    """Distance of each unit of a model from the mode of (some of) the people."""
    modes = modes_of(told, people)
    return {unit: from_modes(modes[unit], given, told, result.settings) for unit, given in told.models[model].items()}


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
    from scipy import stats

    names = sorted({person for own in told.people.values() for person in own})
    units = sorted(told.people)
    matrix = np.array([[told.people[unit].get(person, np.nan) for person in names] for unit in units])
    low = np.asarray(stats.mode(matrix, axis=1, nan_policy="omit").mode, dtype=float)
    modes: dict[str, list[float]] = {}
    for unit, line, one in zip(units, matrix, low, strict=True):
        values, times = np.unique(line[~np.isnan(line)], return_counts=True)
        best = values[times == times.max()]
        modes[unit] = [float(one)] if len(best) == 1 else best.tolist()
    checks = []
    tied = sum(len(m) > 1 for m in modes.values())
    for row in result.rows:
        if row.group is not None or row.term not in told.models:
            continue
        values_of = {
            u: from_modes(modes[u], given, told, result.settings) for u, given in told.models[row.term].items()
        }
        note = f"numpy.unique for {tied} of {len(units)} units, with tied modes" if tied else ""
        checks.append(
            compare(
                row.term, row.estimate, mean(values_of, told), package="scipy", tolerance=TOLERANCE, why=SAME, note=note
            )
        )
    return checks


def model_means(result: Result, told: Told) -> Expected:
    """Expected rows of models over all units and by stratum."""
    design, name = result.design, result.settings["stratum"]
    out: Expected = {}
    factors = {**design.strata, **{f.name: f for f in design.clusters}}
    for model in told.models:
        own = distances(told, result, model)
        out[model, None] = mean(own, told)
        near = {unit: round(round(x, 9)) for unit, x in own.items() if x is not None}
        total = sum(told.weight[unit] for unit in near)
        for step in range(math.ceil(max([told.scores[-1] - told.scores[0], *near.values()])) + 1):
            share = sum(told.weight[unit] for unit, x in near.items() if x == step) / total if total else None
            out[model, f"{AT} {step}"] = share
        if name is None:
            continue
        level_of = {u: factors[name].levels[c] for u, c in zip(design.units, factors[name].codes, strict=True)}
        for level in factors[name].levels:
            inside = {unit: x for unit, x in own.items() if level_of[unit] == level}
            out[model, f"{name} = {level}"] = mean(inside, told)
    return out


def model_gaps(result: Result, told: Told) -> Expected:
    """Expected differences from the nearest model and from a constant answer, over the units of both."""
    out: Expected = {}
    for row in result.rows:
        kind, _, name = (row.group or "").partition(" = ")
        if kind not in ("minus nearest", "minus constant"):
            continue
        label = name.removeprefix("always ")
        if kind == "minus nearest":
            other = distances(told, result, name)
        else:
            score = told.scores[told.labels.index(label)]
            other = always(told, result, score)
        own = distances(told, result, row.term)
        both = {u: x - y for u, x in own.items() if x is not None and (y := other.get(u)) is not None}
        out[row.term, row.group] = mean(both, told)
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


def group_means(result: Result, told: Told) -> Expected:
    """Expected rows by group of people, and of their differences over the units that both have."""
    name = result.settings["group"]
    out: Expected = {}
    if name is None:
        return {}
    groups = people_of(result, told)
    say = json.dumps if any(" - " in level for level in groups) else str
    for model in told.models:
        own = {level: distances(told, result, model, people) for level, people in groups.items()}
        for level, values in own.items():
            out[model, f"{name} = {level}"] = mean(values, told)
        for one, other in combinations(groups, 2):
            both = {
                unit: x - y for unit, x in own[one].items() if x is not None and (y := own[other][unit]) is not None
            }
            gap, pair = mean(both, told), f"{say(one)} - {say(other)}"
            sizes = result.extras["permuted_differences"][pair][model]
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


def strata_of(result: Result) -> list[tuple[str, set[str]]]:
    """How the levels of the stratum are written in shares, and their units."""
    design, name = result.design, result.settings["stratum"]
    if name is None:
        return []
    factor = {**{f.name: f for f in design.clusters}, **design.strata}[name]
    return [
        (f", {name} = {level}", {u for u, c in zip(design.units, factor.codes.tolist(), strict=True) if c == code})
        for code, level in enumerate(factor.levels)
    ]


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
    for row in result.rows:
        prefix = f"closest {name} = "
        if name is None or row.group is None or not row.group.startswith(prefix):
            continue
        means = {g: x for (term, g), x in expected.items() if term == row.term and g and g.startswith(f"{name} = ")}
        chosen = row.group.removeprefix("closest ")
        smallest = min(x for x in means.values() if x is not None)
        named = means.get(chosen, smallest)
        checks.append(direct(f"{row.term} [{row.group}]: its mean", named, smallest, TOLERANCE, CLOSEST))
    return checks
