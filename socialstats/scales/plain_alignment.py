"""Plain definition of ADA-Met: answers by label, the modes of people, and how far answers are from them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from statistics import multimode
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.parts import OK, REFUSAL, Factor
from socialstats.designs.ratings import Ratings
from socialstats.results import Result, Row
from socialstats.results.definitions import PlainSample, key_of_row, sample_of_mean

REFUSED, UNPARSED, NO_ROW = "refused", "unparsed", "no row"
MOST_ANSWERS = 100_000  # different answers to different modes whose distances are remembered
Modes = tuple[float, ...]


class DistanceRule:
    """The distance of an answer from the modes of people, by the settings of a result.

    Parameters
    ----------
    settings : mapping
    scores : sequence of float
        Of the levels, ascending.
    """

    def __init__(self, settings: Any, scores: Sequence[float]) -> None:
        self.ties, self.refusal = settings["ties"], settings["refusal"]
        self.unparsed = settings["unparsed"]
        self.scores = scores
        self.distance = lru_cache(maxsize=MOST_ANSWERS)(self._distance)

    def _distance(self, modes: Modes, answer: Any) -> float:
        """Return the distance from ascending modes; NaN for an answer that does not count."""
        if answer == UNPARSED and self.unparsed == "refusal":
            answer = REFUSED
        tied = self.ties == "drop" and len(modes) > 1
        if not modes or tied or answer in (UNPARSED, NO_ROW):
            return math.nan
        if answer == REFUSED:
            return self.distance_of_refusal(modes)
        if isinstance(answer, tuple):
            return math.fsum(p * self.distance(modes, score) for score, p in answer)
        if self.ties == "nearest":
            return float(min(abs(mode - answer) for mode in modes))
        chosen = {"low": modes[0], "high": modes[-1]}.get(self.ties, sum(modes) / len(modes))
        return float(abs(chosen - answer))

    def distance_of_refusal(self, modes: Modes) -> float:
        """Return the distance that a refusal counts as."""
        if self.refusal == "item_max":
            return max(self.distance(modes, score) for score in self.scores)
        if self.refusal == "max":
            return self.scores[-1] - self.scores[0]
        return math.nan if self.refusal == "exclude" else float(self.refusal)


class PlainAlignment:
    """Answers of people and models to the units that both answered.

    Parameters
    ----------
    design : Ratings
    settings : mapping
        Of a result of `ada_met`.

    Attributes
    ----------
    people : list of mapping
        Of each unit: person -> score.
    answers : mapping of str to list
        Of each model, by unit: a score, or scores with their probabilities, or why there is none.
    unit : (units,) int64 array
        Place of each in the design.
    """

    def __init__(self, design: Ratings, settings: Any) -> None:
        self.design, self.settings = design, settings
        self.scores = sorted(design.scores.tolist())
        self.rule = DistanceRule(settings, self.scores)
        is_person = self.is_person()
        people: dict[int, dict[str, float]] = {}
        answers: dict[str, dict[int, Any]] = {}
        rows = zip(design.unit.tolist(), design.rater.tolist(), self.row_answers(), strict=True)
        for unit, rater, answer in rows:
            name = design.raters[rater]
            if not is_person[rater]:
                answers.setdefault(name, {})[unit] = answer
            elif answer not in (REFUSED, UNPARSED):
                people.setdefault(unit, {})[name] = answer
        of_models = {unit for by_unit in answers.values() for unit in by_unit}
        units = [unit for unit in people if unit in of_models]
        self.people = [people[unit] for unit in units]
        self.unit = np.array(units, dtype=np.int64)
        self.answers = {
            model: [by_unit.get(unit, NO_ROW) for unit in units]
            for model, by_unit in answers.items()
        }
        self._modes: dict[str | None, list[Modes]] = {}

    def is_person(self) -> list[bool]:
        """Return which raters are the reference."""
        name, level = self.settings["source"], self.settings["reference"]
        if name not in self.design.rater_groups:
            name = str(self.design.columns["rater_source"])
        source = self.design.rater_groups[name]
        code = source.levels.index("human" if level is None else level)
        return [of_rater == code for of_rater in source.codes.tolist()]

    def row_answers(self) -> Iterator[Any]:
        """Yield the answer of each row of the design; a person's is a score."""
        design, is_person = self.design, self.is_person()
        scores = design.scores.tolist()
        shares = None if design.probabilities is None else design.read_as().tolist()
        rows = zip(
            design.status.tolist(), design.value.tolist(), design.rater.tolist(), strict=True
        )
        for k, (status, value, rater) in enumerate(rows):
            if status != OK:
                yield REFUSED if status == REFUSAL else UNPARSED
            elif shares is None or is_person[rater]:
                yield scores[value]
            else:
                yield tuple(zip(scores, shares[k], strict=True))

    def modes(self, group: str | None) -> list[Modes]:
        """Return the modes of each unit, of all people or of those of a level of the attribute."""
        if group not in self._modes:
            members = set(self.design.raters)
            if group is not None:
                labels = self.design.rater_groups[self.settings["group"]].labels()
                raters = zip(self.design.raters, labels.tolist(), strict=True)
                members = {rater for rater, label in raters if label == group}
            self._modes[group] = [
                tuple(sorted(multimode(x for who, x in by_person.items() if who in members)))
                for by_person in self.people
            ]
        return self._modes[group]

    def distances(self, modes: Sequence[Modes], answers: Sequence[Any]) -> FloatArray:
        """Return the distance of each unit's answer from its modes."""
        pairs = zip(modes, answers, strict=True)
        return np.array([self.rule.distance(*pair) for pair in pairs], dtype=np.float64)

    def of_answer(self, modes: Sequence[Modes], label: str) -> FloatArray:
        """Return the distances of the same answer to every unit."""
        score = float(self.design.scores[self.design.levels.index(label)])
        return self.distances(modes, [score] * len(self.people))

    def of_people(self) -> FloatArray:
        """Return the mean distance of each unit's people from the mode of the other people."""
        means = np.full(len(self.people), np.nan)
        for unit, by_person in enumerate(self.people):
            scores = list(by_person.values())
            distances = []
            for k, score in enumerate(scores):
                modes = tuple(sorted(multimode(scores[:k] + scores[k + 1 :])))
                distances.append(self.rule.distance(modes, score))
            counted = [distance for distance in distances if not math.isnan(distance)]
            if counted:
                means[unit] = math.fsum(counted) / len(counted)
        return means

    def values(self, row: Row) -> FloatArray:
        """Return the distance (or difference, or share) of each unit whose mean a row is; NaN without one."""
        modes, line = self.modes(row.label("people")), row.label("line")
        if line == "ceiling":
            values = self.of_people()
        elif line == "uniform":
            values = np.mean([self.of_answer(modes, name) for name in self.design.levels], axis=0)
        elif line == "constant":
            values = self.of_answer(modes, str(row.label("answer")))
        else:
            values = self.values_of_model(row, modes)
        return np.where(self.inside(row), values, np.nan)

    def values_of_model(self, row: Row, modes: Sequence[Modes]) -> FloatArray:
        """Return distances of a model, what they are more than others, or whether they are of the kind of a share."""
        answers = self.answers[str(row.label("model"))]
        if row.label("share") is not None:
            has_row = np.array([answer != NO_ROW for answer in answers])
            kind = np.array([answer == row.label("share") for answer in answers])
            return np.where(has_row, kind.astype(np.float64), np.nan)
        distances = self.distances(modes, answers)
        nearest, constant, versus = (row.label(name) for name in ("nearest", "constant", "versus"))
        if row.label("distance") is not None:
            at_step = self.share_at(float(str(row.label("distance"))), modes, answers)
            return np.where(np.isnan(distances), np.nan, at_step)
        if nearest is not None:
            return distances - self.distances(modes, self.answers[nearest])
        if constant is not None:
            return distances - self.of_answer(modes, constant)
        if versus is not None:
            return distances - self.distances(self.modes(versus), answers)
        return distances

    def share_at(self, step: float, modes: Sequence[Modes], answers: Sequence[Any]) -> FloatArray:
        """Return the probability that each unit's answer is this many steps away, which are rounded up."""
        shares = []
        for modes_of_unit, answer in zip(modes, answers, strict=True):
            parts = answer if isinstance(answer, tuple) else ((answer, 1.0),)
            steps = [
                (np.ceil(round(self.rule.distance(modes_of_unit, score), 9)), p)
                for score, p in parts
                if not math.isnan(self.rule.distance(modes_of_unit, score))
            ]
            shares.append(sum(p for distance, p in steps if distance == step))
        return np.array(shares, dtype=np.float64)

    def inside(self, row: Row) -> Any:
        """Return which units are of the stratum of a row."""
        level = row.label("stratum")
        if level is None:
            return np.ones(len(self.unit), dtype=bool)
        name, design = self.settings["stratum"], self.design
        factor = design.strata[name] if name in design.strata else design.factors(name)[0]
        return factor.labels()[self.unit] == level


def sample_alignment(result: Result) -> Iterator[PlainSample]:
    """Yield the units of each row, with the distances or shares whose mean it is.

    Errors of distances are those of people who are drawn too, whose modes jump: no derivative has them.
    """
    design, settings = result.design, result.settings
    plain = PlainAlignment(design, settings)
    count = design.unit_count[plain.unit].astype(np.float64)
    factors: list[Factor] = [
        factor.take(plain.unit) for factor in design.factors(settings["cluster"])
    ]
    for row in result.rows:
        if row.role == "rank":
            continue
        key, values = key_of_row(row), plain.values(row)
        if np.isnan(values).all():
            continue
        if row.role == "component":
            counted = ~np.isnan(values)
            answers = float(count[counted].sum())
            # shares of several possible answers are no yes or no
            answers = math.inf if (values[counted] % 1).any() else answers
            yield sample_of_mean(key, values, count, factors, answers)
            continue
        sample = sample_of_mean(key, values, count)
        if row.label("versus") is not None:
            sample = less_by(sample, by_sizes_alone(result, row))
        limits = {} if row.role == "difference" else {key: (0.0, math.inf)}
        yield replace(sample, limits=limits, errors_of_rows=True)


def by_sizes_alone(result: Result, row: Row) -> float:
    """Return the difference that the numbers of people of two groups alone give, by people dealt at random."""
    by_model = result.extras["permuted_differences"][row.label("contrast")]
    number = by_model[row.term]
    return math.nan if number is None else float(number)


def less_by(sample: PlainSample, number: float) -> PlainSample:
    """Return the sample of the estimates less a number."""
    return replace(
        sample,
        plain=lambda count: {key: x - number for key, x in sample.plain(count).items()},
    )
