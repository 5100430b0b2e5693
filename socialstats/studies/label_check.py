"""The label check of role-conflict: which situation is more urgent to people and judges, beside the reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from socialstats.designs.ratings import OK, Ratings
from socialstats.errors import SHOWN_AT_MOST, DesignError, InputError, NothingToAnalyse, Problem, UndefinedStatistic
from socialstats.metrics.krippendorff_alpha import krippendorff_alpha
from socialstats.metrics.majority_vote_accuracy import majority_vote_accuracy
from socialstats.metrics.weighted_kappa import weighted_kappa
from socialstats.results import Result
from socialstats.studies.base import StudyOptions
from socialstats.studies.sources import HUMANS
from socialstats.tables import Table as DataTable
from socialstats.text import listing, quoted, shorten

UNITS = ("unit", "scenario", "story", "item", "pair")
RATERS = ("rater", "annotator", "worker", "judge", "person", "model")
LABELS = ("label", "value", "rating", "answer", "vote")
KINDS = ("kind", "source", "rater_source")
REFERENCES = ("reference", "truth", "gold", "label", "designed")
CODINGS: tuple[tuple[str, ...], ...] = (("-1", "0", "1"), ("a", "tie", "b"))
RULES = {
    "split": "ties broken at random", "wrong": "ties counted as wrong", "drop": "ties left out",
}  # fmt: skip
WEIGHTS = ("linear", "quadratic")
MANY = 1_000_000  # rows of one wrong label that are counted
ALL, UNEQUAL = "all stories", "stories of unequal urgency"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelCheck:
    """Labels of stories by several raters.

    Attributes
    ----------
    ratings : Ratings
        Ordinal: side a, tie, side b.
    reference : str
        The rater whose labels are the ones to check.
    people, judges : tuple of str
        The other raters; all are people where the table does not tell.
    """

    ratings: Ratings
    reference: str
    people: tuple[str, ...]
    judges: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """Results of a label check: accuracy by rule of ties, alpha by kind of rater, kappas by stories and weights.

    `problems` says what could not be computed, and why.
    """

    accuracy: Mapping[str, Result]
    alphas: Mapping[str, Result]
    kappas: Mapping[tuple[str, str], Mapping[str, Result]]
    problems: tuple[str, ...] = ()

    def all(self) -> tuple[Result, ...]:
        """Return every result."""
        kappas = (result for found in self.kappas.values() for result in found.values())
        return (*self.accuracy.values(), *self.alphas.values(), *kappas)

    def named(self) -> dict[str, Result]:
        """Return what other packages recompute, by a name that says what it is; no number twice.

        Of the rules for tied votes only the first brings the rows that do not depend on the rule.
        """
        found = {
            f"majority, {RULES[rule]}": replace(result, rows=result.rows if k == 0 else (result.row("accuracy"),))
            for k, (rule, result) in enumerate(self.accuracy.items())
        }
        found |= {f"alpha of the {kind}": result for kind, result in self.alphas.items()}
        for (stories, weights), results in self.kappas.items():
            for rater, result in results.items():
                name = f"{weights} kappa of {shorten(rater, 30)}, {stories}"
                again = sum(key == name or key.startswith(f"{name} (") for key in found)
                found[f"{name} ({again + 1})" if again else name] = result
        return {f"Label check: {name}": result for name, result in found.items()}


def read_labels(table: DataTable) -> LabelCheck:
    """Read the labels of stories, one row a story and rater.

    Parameters
    ----------
    table : Table
        Columns of the story (``unit``, ``scenario``, ``story`` or ``item``), of the rater (``rater``, ``annotator``,
        ...) and of the label (``label``, ``value``, ...): -1, 0, 1 or A, Tie, B. One rater is called ``reference``
        (or ``truth``, ``gold``). Optional: ``kind`` (``person`` or ``human`` for people, anything else for judges).

    Raises
    ------
    DesignError
        If a column is missing.
    InputError
        For labels of another coding, no reference, or nobody beside it.
    """
    unit, rater, label = (named(table, part, names) for part, names in
                          (("story", UNITS), ("rater", RATERS), ("label", LABELS)))  # fmt: skip
    kind = next((name for name in KINDS if name in table.columns and name not in (unit, rater, label)), None)
    ratings = Ratings.from_frame(
        table, unit=unit, rater=rater, value=label, scale="ordinal", levels=coding(table, label), missing="drop",
        **({"rater_groups": kind} if kind else {}),
    )  # fmt: skip
    kinds = kinds_of(ratings, kind)
    reference = next((name for word in REFERENCES for name in ratings.raters if word == name.strip().casefold()), None)
    reference = reference or next((n for n in ratings.raters if kinds[n].strip().casefold() in REFERENCES), None)
    others = tuple(name for name in ratings.raters if name != reference)
    if reference is None:
        raise InputError(
            f"{table.source}: no rater is the reference that the labels are checked against (raters: "
            f"{listing([shorten(n, 30) for n in ratings.raters], most=8)}). Call its rater 'reference'"
        )
    if not others:
        raise InputError(f"{table.source}: nobody but the reference labelled a story")
    people = tuple(name for name in others if kind is None or kinds[name].strip().casefold() in HUMANS)
    return LabelCheck(
        ratings=ratings, reference=reference, people=people, judges=tuple(n for n in others if n not in people)
    )


def named(table: DataTable, part: str, names: Sequence[str]) -> str:
    """Return the column of a part, by the first of its names."""
    found = next((name for name in names if name in table.columns), None)
    if found is None:
        raise DesignError(
            f"{table.source}: no column for the {part} (looked for {listing(list(names))}). Columns: "
            f"{quoted(list(table.columns), 20)}. Rename the one that holds it to '{names[0]}'"
        )
    return found


def coding(table: DataTable, label: str) -> list[str]:
    """Return the three labels in order, as the table spells them.

    Raises
    ------
    InputError
        For labels that are neither -1, 0, 1 nor A, Tie, B.
    """
    seen = [str(text) for text in table.counts([label], None, frozenset()).columns[label].labels(frozenset()).levels]
    for words in CODINGS:
        spelled = {word: [text for text in seen if text.strip().casefold() in (word, f"+{word}", f"{word}.0")]
                   for word in words}  # fmt: skip
        if seen and sum(map(len, spelled.values())) == len(seen):
            return [text for word in words for text in (spelled[word] or [word])]
    strange = [text for text in seen if not any(text.strip().casefold() in words for words in CODINGS)]
    raise InputError([_no_label(table, label, text) for text in (strange or seen)[:SHOWN_AT_MOST]])


def _no_label(table: DataTable, column: str, text: str) -> Problem:
    """Return what is wrong with a text that stands where a label should, with its lines."""
    (rows,) = table.positions([column], [lambda row: row == (text,)], MANY)
    places = table.places(rows)
    return Problem(
        message=f"'{shorten(text)}' is no label", source=table.source, column=shorten(column), unit=table.unit,
        lines=tuple(places[row] for row in rows), n_rows=len(rows),
        fix="Write -1, 0, 1 or A, Tie, B (which situation is more urgent: that of role a, neither, that of role b)",
    )  # fmt: skip


def kinds_of(ratings: Ratings, kind: str | None) -> dict[str, str]:
    """Return the kind of each rater; empty where the table does not tell."""
    if kind is None:
        return dict.fromkeys(ratings.raters, "")
    factor = ratings.rater_groups[kind]
    return {
        name: factor.levels[code] if code >= 0 else ""
        for name, code in zip(ratings.raters, factor.codes.tolist(), strict=True)
    }


def check_labels(check: LabelCheck, options: StudyOptions) -> Checked:
    """Compute accuracy of the people's majority, ordinal alphas, and kappas of every rater with the reference."""
    common: dict[str, Any] = {"level": options.level, "seed": options.seed, "resamples": options.resamples}
    problems: list[str] = []
    voters = partial(check.ratings.of_raters, [*check.people, check.reference])
    accuracy = {
        rule: attempt("majority vote accuracy", problems, majority_vote_accuracy, voters, truth=check.reference,
                      ties=rule, **common)
        for rule in (RULES if check.people else ())
    }  # fmt: skip
    alphas = {
        kind: attempt(f"alpha of the {kind}", problems, krippendorff_alpha, partial(check.ratings.of_raters, raters),
                      **common)
        for kind, raters in (("people", check.people), ("judges", check.judges)) if len(raters) > 1
    }  # fmt: skip
    kappas = {
        (stories, weights): kept({
            rater: attempt(f"kappa of {shorten(rater, 30)}, {stories}", problems, weighted_kappa,
                           partial(ratings.of_raters, [check.reference, rater]), weights=weights,
                           pairs=(check.reference, rater), **common)
            for rater in (*check.people, *check.judges)
        })
        for stories, ratings in of_stories(check) for weights in WEIGHTS
    }  # fmt: skip
    return Checked(accuracy=kept(accuracy), alphas=kept(alphas), kappas=kappas, problems=tuple(dict.fromkeys(problems)))


def attempt(
    what: str, problems: list[str], metric: Callable[..., Any], ratings: Callable[[], Ratings], **options: Any
) -> Result | None:
    """Return the result of a metric on some ratings; None, and why in `problems`, where there is none."""
    try:
        result: Result = metric(ratings(), **options)
    except (UndefinedStatistic, NothingToAnalyse, InputError) as error:
        problems.append(f"{what}: {str(error).split(chr(10))[0]}")
        return None
    return result


def kept(found: Mapping[str, Result | None]) -> dict[str, Result]:
    """Return the results that exist."""
    return {name: result for name, result in found.items() if result is not None}


def of_stories(check: LabelCheck) -> tuple[tuple[str, Ratings], ...]:
    """Return the ratings of all stories, and of those to which the reference gives different urgencies."""
    ratings = check.ratings
    own = (ratings.rater == ratings.raters.index(check.reference)) & (ratings.status == OK)
    differs = np.zeros(len(ratings.units), dtype=bool)
    middle = next((float(k) for k, name in enumerate(ratings.levels) if name.strip().casefold() in ("0", "tie")), 1.0)
    differs[ratings.unit[own & (ratings.value != middle)]] = True
    whole = (ALL, ratings)
    if not differs.any() or differs.all():
        return (whole,)
    return whole, (UNEQUAL, ratings.take(differs[ratings.unit], note="urgencies differ"))
