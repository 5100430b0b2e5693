"""Do raters give each story the labels that it was written with? One row for each story and rater."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

import numpy as np

from socialstats.agreement.krippendorff_alpha import krippendorff_alpha
from socialstats.agreement.majority_vote_accuracy import majority_vote_accuracy
from socialstats.agreement.weighted_kappa import weighted_kappa
from socialstats.designs.parts import OK
from socialstats.designs.people import is_people
from socialstats.designs.ratings import Ratings
from socialstats.designs.tables import groupings
from socialstats.errors import DesignError, InputError
from socialstats.results import Result, Row
from socialstats.sentences import estimate_text
from socialstats.studies.asking import ask_rows, attempt_result
from socialstats.studies.page import Block, StudyOptions
from socialstats.studies.role_conflict.declaration import (
    CODINGS,
    ITEM_COLUMNS,
    KINDS,
    LABEL_COLUMNS,
    LABEL_FIX,
    REFERENCES,
    STORY,
)
from socialstats.studies.row_figures import interval_points
from socialstats.studies.row_picking import add_labels, name_rows, pick_rows, rows_by
from socialstats.studies.row_sentences import span_sentence
from socialstats.tables import Table as DataTable
from socialstats.text import capital, count, listing, quoted, shorten

RULES = {
    "split": "ties broken at random",
    "wrong": "ties counted as wrong",
    "drop": "ties excluded",
}
WEIGHTS = ("linear", "quadratic")
PEOPLE, JUDGES = "human raters", "judges"
ALL, UNEQUAL = f"all {STORY[1]}", f"unequal {STORY[1]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelCheck:
    """Labels of stories by several raters.

    Attributes
    ----------
    ratings : Ratings
        Ordinal: side a, tie, side b.
    reference : str
        The rater whose labels are the ones to check.
    kinds : mapping of kind to tuple of str
        The other raters, people and judges; all are people where the table does not tell.
    """

    ratings: Ratings
    reference: str
    kinds: Mapping[str, tuple[str, ...]]


# reading


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
    columns = {part: column_of(table, part) for part in LABEL_COLUMNS}
    free = [name for name in KINDS if name in table.columns and name not in columns.values()]
    ratings = read_label_ratings(table, columns, free[:1])
    kinds = dict.fromkeys(ratings.raters, "person")
    for name in free[:1]:
        labels = ratings.rater_groups[name].labels().tolist()
        texts = [(label or "").strip().casefold() for label in labels]
        kinds = dict(zip(ratings.raters, texts, strict=True))
    reference = reference_rater(table, kinds)
    labellers = {rater: is_people(kind) for rater, kind in kinds.items() if rater != reference}
    if not labellers:
        raise InputError(f"{table.source}: no rater but the reference labelled a {STORY[0]}")
    by_kind = {
        kind: tuple(rater for rater, person in labellers.items() if person == people)
        for kind, people in ((PEOPLE, True), (JUDGES, False))
    }
    return LabelCheck(ratings=ratings, reference=reference, kinds=by_kind)


def column_of(table: DataTable, part: str) -> str:
    """Return the column of a part of the table."""
    names = LABEL_COLUMNS[part]
    columns = [name for name in names if name in table.columns]
    if not columns:
        raise DesignError(
            f"{table.source}: no column for the {part} (looked for {listing(names)}). Columns: "
            f"{quoted(list(table.columns), 20)}. Rename the one that holds it to '{names[0]}'"
        )
    return columns[0]


def read_label_ratings(
    table: DataTable, columns: Mapping[str, str], kinds: Sequence[str]
) -> Ratings:
    """Read labels as ordinal ratings, with the fix that this table has for a label of another coding."""
    label = columns["label"]
    texts = dict.fromkeys(text for text in table.texts(label) if text)
    try:
        return Ratings.from_frame(
            table,
            unit=columns["story"],
            rater=columns["rater"],
            value=label,
            scale="ordinal",
            levels=spelled_levels([*texts]),
            missing="drop",
            rater_groups=kinds,
        )
    except InputError as error:
        problems = [
            replace(problem, fix=LABEL_FIX) if problem.column == label else problem
            for problem in error.problems
        ]
        raise InputError(problems) from None


def spelled_levels(texts: Sequence[str]) -> list[str]:
    """Return the labels of the coding that most texts fit, in order, as the texts spell them.

    Examples
    --------
    >>> spelled_levels(["B", "Tie", "maybe"]), spelled_levels(["+1", "-1"])
    (['a', 'Tie', 'B'], ['-1', '0', '+1'])
    """
    # "+1" and "1.0" are spellings of "1"
    spellings = {text.strip().casefold().lstrip("+").removesuffix(".0"): text for text in texts}
    coding = max(CODINGS, key=lambda words: len(set(words) & set(spellings)))
    return [spellings.get(word, word) for word in coding]


def reference_rater(table: DataTable, kinds: Mapping[str, str]) -> str:
    """Return the rater who is the reference: by name, or by kind."""
    names = {rater.strip().casefold(): rater for rater in kinds}
    references = [names[word] for word in REFERENCES if word in names]
    references += [rater for rater, kind in kinds.items() if kind in REFERENCES]
    if not references:
        raters = listing([shorten(rater, 30) for rater in kinds], most=8)
        raise InputError(
            f"{table.source}: no rater is the reference that the labels are checked against "
            f"(raters: {raters}). Call its rater 'reference'"
        )
    return references[0]


def read_item_groups(table: DataTable) -> Mapping[str, Mapping[str, str]]:
    """Read groupings of items, such as the gender, income or religion of roles.

    Parameters
    ----------
    table : Table
        One column that names the item (``item``, ``role``, ``name``, ...), and one for each grouping. An empty field:
        the item is in no group of that grouping.

    Returns
    -------
    mapping of grouping to mapping of item to group

    Raises
    ------
    DesignError
        If no column names the items, or there is no other column.
    InputError
        If an item has two rows.

    Examples
    --------
    >>> from socialstats.tables import as_table
    >>> read_item_groups(as_table({"role": ["nun", "judge"], "gender": ["female", ""]}))
    {'gender': {'nun': 'female'}}
    """
    return groupings(table, ITEM_COLUMNS, "item")[1]


# computing


def check_labels(check: LabelCheck, options: StudyOptions) -> dict[str, Result]:
    """Return kappas of each rater with the reference, accuracies of the majority, and alphas of raters, by name.

    Their rows have the kind of rater, the weights, the stories and the rule in their keys. What the data do not give is
    left out.
    """
    results: dict[str, Result] = {}

    def add(name: str, metric: Any, raters: Sequence[str], ratings: Ratings, **how: Any) -> None:
        labels = how.pop("labels")
        design = ratings.of_raters(raters)
        result = attempt_result(metric, design, **how, **options.chosen())
        if result is None:
            return
        # only the accuracy depends on the rule for ties
        repeated = how.get("ties", "split") != "split"
        rows = (result.row("accuracy"),) if repeated else result.rows
        results[name] = replace(result, rows=tuple(add_labels(rows, **labels)))

    truth, ratings = check.reference, check.ratings
    for stories, of_stories in ratings_by_stories(check).items():
        for weights in WEIGHTS:
            labels = {"weights": weights, "stories": stories}
            for kind, rater in (
                (kind, rater) for kind, raters in check.kinds.items() for rater in raters
            ):
                pair, name = (truth, rater), f"{weights} kappa of {shorten(rater, 30)}, {stories}"
                how: dict[str, Any] = {"weights": weights, "pairs": pair}
                add(name, weighted_kappa, pair, of_stories, **how, labels=labels | {"kind": kind})
    people = check.kinds[PEOPLE]
    for rule, words in RULES.items() if people else ():
        how, labels = {"truth": truth, "ties": rule}, {"rule": words}
        add(
            f"majority, {words}",
            majority_vote_accuracy,
            [*people, truth],
            ratings,
            **how,
            labels=labels,
        )
    for kind, raters in check.kinds.items():
        if len(raters) > 1:
            add(f"alpha of the {kind}", krippendorff_alpha, raters, ratings, labels={"kind": kind})
    return results


def ratings_by_stories(check: LabelCheck) -> dict[str, Ratings]:
    """Return the ratings of all stories, and of those to which the reference gives an unequal label."""
    ratings = check.ratings
    by_reference = (ratings.rater == ratings.raters.index(check.reference)) & (ratings.status == OK)
    unequal = np.zeros(len(ratings.units), dtype=bool)
    # 1 is the middle of three levels
    unequal[ratings.unit[by_reference & (ratings.value != 1)]] = True
    if not unequal.any() or unequal.all():
        return {ALL: ratings}
    return {ALL: ratings, UNEQUAL: ratings.take(unequal[ratings.unit], note="labels differ")}


def rows_of_metric(results: Mapping[str, Result], metric: str, **labels: str) -> list[Row]:
    """Return rows of a metric by the labels of their keys."""
    rows = [row for result in results.values() if result.metric == metric for row in result.rows]
    return pick_rows(rows, **labels)


# asking


def labels_question(check: LabelCheck, results: Mapping[str, Result], about: str) -> Block | None:
    """Return the question whether raters agreed with the labels; `about` is what these say of a story."""
    kappas = rows_of_metric(results, "weighted_kappa")
    alphas = rows_of_metric(results, "krippendorff_alpha")
    accuracies = rows_of_metric(results, "majority_vote_accuracy")
    linear = pick_rows(kappas, weights=WEIGHTS[0], stories=ALL)
    majority = [result for result in results.values() if result.metric == "majority_vote_accuracy"]
    among = [f"{estimate_text(row)}, among {row.label('kind')}" for row in alphas]
    raters = [count(len(names), kind[:-1]) for kind, names in check.kinds.items() if names]
    first, *more = results.values() if results else (None,)
    return ask_rows(
        "labels",
        f"Did raters agree with the intended {about}?",
        first,
        kappas,
        quantity="weighted κ with the reference",
        say=[
            *(result.sentence() for result in majority[:1]),
            f"Ordinal Krippendorff's α was {listing(among)}." if among else "",
            separation_sentence(linear),
            *(
                span_sentence(rows, f"linear κ of {kind} with the reference")
                for kind, rows in rows_by(linear, "kind").items()
            ),
        ],
        draw=interval_points(),
        names=name_rows(kappas, without=["kind"]),
        tables={
            "Majority of the human raters against the reference, by rule for tied votes": accuracies,
            "Krippendorff's alpha (ordinal) without the reference": alphas,
        },
        results=more,
        note=f"{count(len(check.ratings.units), *STORY)}; {listing([*raters, 'the reference'])}.",
    )


def separation_sentence(kappas: Sequence[Row]) -> str:
    """Return whether all judges agreed less with the reference than all human raters, or more, as far as CIs tell."""
    kinds = rows_by([row for row in kappas if row.estimate is not None], "kind")
    if len(kinds) < 2 or not all(row.has_interval for rows in kinds.values() for row in rows):
        return ""
    for less, more in permutations(kinds):
        highest = max(row.conf_high or 0.0 for row in kinds[less])
        if highest < min(row.conf_low or 0.0 for row in kinds[more]):
            return f"{capital(less)} agreed less with the reference than {more}: all CIs were separate."
    return "CIs of human raters and judges overlapped; no difference was tested."
