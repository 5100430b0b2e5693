"""Do raters give each story the labels that it was written with? One row for each story and rater."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product
from typing import Any

import numpy as np

from socialstats.agreement.krippendorff_alpha import krippendorff_alpha
from socialstats.agreement.majority_vote_accuracy import majority_vote_accuracy
from socialstats.agreement.weighted_kappa import weighted_kappa
from socialstats.designs.parts import OK
from socialstats.designs.people import is_people
from socialstats.designs.ratings import Ratings
from socialstats.designs.tables import groupings
from socialstats.errors import (
    DesignError,
    InputError,
    NothingToAnalyse,
    UndefinedStatistic,
)
from socialstats.results import Result, Row
from socialstats.sentences import estimate_text
from socialstats.studies.asking import (
    add_labels,
    ask_rows,
    interval_points,
    name_rows,
    pick_rows,
    rows_by,
    span_sentence,
)
from socialstats.studies.estimates import single
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
    people, judges : tuple of str
        The other raters; all are people where the table does not tell.
    """

    ratings: Ratings
    reference: str
    people: tuple[str, ...]
    judges: tuple[str, ...]

    @property
    def kinds(self) -> dict[str, tuple[str, ...]]:
        """Raters of each kind."""
        return {PEOPLE: self.people, JUDGES: self.judges}


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
    kind = next(
        (name for name in KINDS if name in table.columns and name not in columns.values()), None
    )
    ratings = read_label_ratings(table, columns, kind)
    kinds = dict.fromkeys(ratings.raters, "")
    if kind is not None:
        labels = ratings.rater_groups[kind].labels().tolist()
        kinds = {
            rater: (label or "").strip().casefold()
            for rater, label in zip(ratings.raters, labels, strict=True)
        }
    reference = reference_rater(table, kinds)
    labellers = [rater for rater in ratings.raters if rater != reference]
    if not labellers:
        raise InputError(f"{table.source}: no rater but the reference labelled a {STORY[0]}")
    people = tuple(rater for rater in labellers if kind is None or is_people(kinds[rater]))
    judges = tuple(rater for rater in labellers if rater not in people)
    return LabelCheck(ratings=ratings, reference=reference, people=people, judges=judges)


def column_of(table: DataTable, part: str) -> str:
    """Return the column of a part of the table."""
    names = LABEL_COLUMNS[part]
    column = next((name for name in names if name in table.columns), None)
    if column is None:
        raise DesignError(
            f"{table.source}: no column for the {part} (looked for {listing(names)}). Columns: "
            f"{quoted(list(table.columns), 20)}. Rename the one that holds it to '{names[0]}'"
        )
    return column


def read_label_ratings(table: DataTable, columns: Mapping[str, str], kind: str | None) -> Ratings:
    """Read labels as ordinal ratings, with the fix that this table has for a label of another coding."""
    label = columns["label"]
    column = table.counts([label], None, frozenset()).columns[label]
    texts = [str(text) for text in column.labels(frozenset()).levels]
    try:
        return Ratings.from_frame(
            table,
            unit=columns["story"],
            rater=columns["rater"],
            value=label,
            scale="ordinal",
            levels=spelled_levels(texts),
            missing="drop",
            rater_groups=kind or (),
        )
    except InputError as error:
        raise InputError(
            [
                replace(problem, fix=LABEL_FIX) if problem.column == label else problem
                for problem in error.problems
            ]
        ) from None


def spelled_levels(texts: Sequence[str]) -> list[str]:
    """Return the labels of the coding that most texts fit, in order, as the texts spell them.

    Examples
    --------
    >>> spelled_levels(["B", "Tie", "maybe"]), spelled_levels(["+1", "-1"])
    (['a', 'Tie', 'B'], ['-1', '0', '+1'])
    """

    def spelled(words: Sequence[str]) -> list[str]:
        forms = {
            f"{sign}{word}{end}": word for word in words for sign in ("", "+") for end in ("", ".0")
        }
        spellings = {forms.get(text.strip().casefold()): text for text in texts}
        return [spellings.get(word, word) for word in words]

    return max(map(spelled, CODINGS), key=lambda levels: len(set(levels) & set(texts)))


def reference_rater(table: DataTable, kinds: Mapping[str, str]) -> str:
    """Return the rater who is the reference: by name, or by kind."""
    for word in REFERENCES:
        for rater in kinds:
            if rater.strip().casefold() == word:
                return rater
    by_kind = [rater for rater, kind in kinds.items() if kind in REFERENCES]
    if not by_kind:
        names = listing([shorten(rater, 30) for rater in kinds], most=8)
        raise InputError(
            f"{table.source}: no rater is the reference that the labels are checked against "
            f"(raters: {names}). Call its rater 'reference'"
        )
    return by_kind[0]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelNumbers:
    """What was computed of a check of labels.

    Attributes
    ----------
    results : mapping of name to Result
        Their rows have the rule, the kind of rater, the rater, the weights and the stories in their keys.
    problems : tuple of str
        What could not be computed, and why.
    """

    results: Mapping[str, Result]
    problems: tuple[str, ...] = ()

    def rows(self, metric: str, **labels: str) -> list[Row]:
        """Return rows of a metric by the labels of their keys."""
        results = [result for result in self.results.values() if result.metric == metric]
        return pick_rows([row for result in results for row in result.rows], **labels)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelAttempt:
    """A number to compute: its name, the labels of its rows, and what computes it."""

    name: str
    labels: Mapping[str, str]
    compute: Callable[..., Any]


def check_labels(check: LabelCheck, options: StudyOptions) -> LabelNumbers:
    """Compute accuracy of the majority of human raters, ordinal alphas, and kappas of each rater with the reference."""
    results: dict[str, Result] = {}
    problems: dict[str, None] = {}
    for attempt in label_attempts(check):
        try:
            result = single(attempt.compute(**options.chosen()))
        except (UndefinedStatistic, NothingToAnalyse, InputError) as error:
            problems[f"{attempt.name}: {error.reason}"] = None
        else:
            # only the accuracy depends on the rule for ties
            repeated = attempt.labels.get("rule") in list(RULES.values())[1:]
            rows = (result.row("accuracy"),) if repeated else result.rows
            labelled = tuple(add_labels(rows, **attempt.labels))
            results[attempt.name] = replace(result, rows=labelled)
    return LabelNumbers(results=results, problems=tuple(problems))


def label_attempts(check: LabelCheck) -> Iterator[LabelAttempt]:
    """Yield every number of a check."""
    truth = check.reference

    def of_raters(
        metric: Callable[..., Any], raters: Sequence[str], ratings: Ratings, **more: Any
    ) -> Any:
        return lambda **options: metric(ratings.of_raters(raters), **more, **options)

    for (stories, ratings), weights in product(ratings_by_stories(check).items(), WEIGHTS):
        for kind, rater in (
            (kind, rater) for kind, raters in check.kinds.items() for rater in raters
        ):
            pair = (truth, rater)
            yield LabelAttempt(
                name=f"{weights} kappa of {shorten(rater, 30)}, {stories}",
                labels={"weights": weights, "stories": stories, "kind": kind},
                compute=of_raters(weighted_kappa, pair, ratings, weights=weights, pairs=pair),
            )
    for rule, words in RULES.items() if check.people else ():
        majority = of_raters(
            majority_vote_accuracy, [*check.people, truth], check.ratings, truth=truth, ties=rule
        )
        yield LabelAttempt(name=f"majority, {words}", labels={"rule": words}, compute=majority)
    for kind, raters in check.kinds.items():
        if len(raters) > 1:
            alpha = of_raters(krippendorff_alpha, raters, check.ratings)
            yield LabelAttempt(name=f"alpha of the {kind}", labels={"kind": kind}, compute=alpha)


def ratings_by_stories(check: LabelCheck) -> dict[str, Ratings]:
    """Return the ratings of all stories, and of those to which the reference gives an unequal label."""
    ratings = check.ratings
    by_reference = (ratings.rater == ratings.raters.index(check.reference)) & (ratings.status == OK)
    unequal = np.zeros(len(ratings.units), dtype=bool)
    unequal[ratings.unit[by_reference & (ratings.value != 1)]] = (
        True  # 1 is the middle of three levels
    )
    if not unequal.any() or unequal.all():
        return {ALL: ratings}
    return {ALL: ratings, UNEQUAL: ratings.take(unequal[ratings.unit], note="labels differ")}


def labels_question(check: LabelCheck, numbers: LabelNumbers, about: str) -> Block | None:
    """Return the question whether raters agreed with the labels; `about` is what these say of a story."""
    kappas = numbers.rows("weighted_kappa")
    alphas = numbers.rows("krippendorff_alpha")
    majority = numbers.rows("majority_vote_accuracy")
    rows = kappas or majority or alphas
    results = list(numbers.results.values())  # in the same order: the caption is of the first
    accuracy = [result for result in results if result.metric == "majority_vote_accuracy"]
    first = [
        row for row in kappas if (row.label("weights"), row.label("stories")) == (WEIGHTS[0], ALL)
    ]
    among = [f"{estimate_text(row)}, among {row.label('kind')}" for row in alphas]
    lacking = listing(list(numbers.problems), most=4)
    raters = [count(len(names), kind[:-1]) for kind, names in check.kinds.items() if names]
    not_computed = f"Not computed: {lacking}." if lacking else ""
    question = f"Did raters agree with the intended {about}?"
    if not results:
        return Block(id="labels", question=question, sentences=(not_computed,))
    return ask_rows(
        "labels",
        question,
        results[0],
        rows,
        quantity="weighted κ with the reference",
        say=(
            *(result.sentence() for result in accuracy[:1]),
            f"Ordinal Krippendorff's α was {listing(among)}." if among else "",
            separation_sentence(first),
            *(
                span_sentence(group, f"linear κ of {kind} with the reference")
                for kind, group in rows_by(first, "kind").items()
            ),
            not_computed,
        ),
        draw=interval_points(),
        names=name_rows(rows, without=["kind"]),
        tables={
            "Majority of the human raters against the reference, by rule for tied votes": majority,
            "Krippendorff's alpha (ordinal) without the reference": alphas,
        },
        results=results[1:],
        note=f"{count(len(check.ratings.units), *STORY)}; {listing([*raters, 'the reference'])}.",
    )


def separation_sentence(kappas: Sequence[Row]) -> str:
    """Return whether all judges agreed less with the reference than all human raters, or more, as far as CIs tell."""
    kinds = rows_by([row for row in kappas if row.estimate is not None], "kind")
    if len(kinds) < 2:
        return ""
    if any(
        row.conf_low is None or row.conf_high is None for rows in kinds.values() for row in rows
    ):
        return "Judges and human raters were not compared: some CI is undefined."
    for less, more in permutations(kinds):
        highest = max(row.conf_high or 0.0 for row in kinds[less])
        if highest < min(row.conf_low or 0.0 for row in kinds[more]):
            return f"{capital(less)} agreed less with the reference than {more}: all CIs were separate."
    return "CIs of human raters and judges overlapped; no difference was tested."
