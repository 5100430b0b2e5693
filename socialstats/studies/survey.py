"""Study of a survey: what people answer to each question, and how answers of models differ from theirs.

People are the sample, and questions are fixed. Means, or shares of levels, lead; agreement and similarity are second.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from socialstats import sentences
from socialstats.agreement.krippendorff_alpha import krippendorff_alpha
from socialstats.designs.groups import Groups
from socialstats.designs.levels import opposites
from socialstats.designs.paired import Paired
from socialstats.designs.parts import MISSING, OK, REFUSAL
from socialstats.designs.ratings import Ratings
from socialstats.designs.respondents import PEOPLE
from socialstats.designs.surveys import is_respondents_design, with_people_as_units
from socialstats.errors import Caution
from socialstats.inference.dependence import small_sample_caution
from socialstats.paired.paired_difference import paired_difference
from socialstats.paired.two_means import FEWEST_CONSTANT, two_means
from socialstats.paired.two_proportions import two_proportions
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, Row
from socialstats.scales.leaderboard import leaderboard
from socialstats.scales.mean_ratings import mean_ratings
from socialstats.shares.choice_shares import choice_shares
from socialstats.shares.js_similarity import js_similarity
from socialstats.studies.asking import ask_result, ask_rows, attempt_result, page_of, results_in
from socialstats.studies.estimates import cluster_words, halved, single
from socialstats.studies.page import (
    Block,
    Outcome,
    PageTable,
    StudyOptions,
    check_single,
    order_cautions,
)
from socialstats.studies.row_figures import dot_lines, interval_points, share_bars
from socialstats.studies.row_picking import leading_groups, pick_rows, rows_by
from socialstats.studies.row_sentences import largest_sentence, span_sentence, tally_sentence
from socialstats.studies.row_tables import grid_table, line_table
from socialstats.studies.verdicts import (
    LABEL,
    Certainty,
    Conclusion,
    between,
    is_shown,
    may_be_first,
    of_ten,
    ranking,
    shown_side,
    verdict_of,
)
from socialstats.text import capital, count, listing, number, quoted, shorten

QUESTION, ORIGIN = "question", "source"
MOST_LEVELS = 12  # levels whose shares are shown
MOST_NAMED = 3  # sources that sentences are about
MOST_RANKED = 30  # questions whose ranks are computed: they need the difference of every two
MOST_DIFFERENCES = 2_000  # questions x models x levels
NOTHING_SHOWN = "The data do not show what people answer"
USED = ("seed", "resamples", "level", "verify")


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """A survey as its page takes it.

    Attributes
    ----------
    design : Ratings
        Units are people, and rounds of models; raters are questions.
    values : Ratings or None
        The same with numbers as levels: those of the answers, 0 and 1 of no and yes, 1 to k of k levels in order. None
        for other labels.
    sources : mapping of str to Ratings
        The answers of people, then those of each model.
    labelled : mapping of str to Ratings
        The same with the labels of the answers.
    of_models : str
        The stratum that tells people from models; empty without models.
    questions : tuple of str
        In their natural order: 2 before 10.
    yes : str
        The label that counts 1 where answers are yes or no; empty elsewhere.
    """

    design: Ratings
    values: Ratings | None
    sources: Mapping[str, Ratings]
    labelled: Mapping[str, Ratings]
    of_models: str
    questions: tuple[str, ...]
    yes: str

    @property
    def people(self) -> Ratings:
        """The answers of people, as `values` where there are numbers."""
        return next(iter(self.sources.values()))

    @property
    def models(self) -> list[str]:
        """Names of the models."""
        return list(self.sources)[1:]

    @property
    def quantity(self) -> str:
        """What an estimate is."""
        if self.yes:
            return f"share of '{shorten(self.yes, 30)}'"
        return "share of answers" if self.values is None else "mean answer"


def in_natural_order(labels: Sequence[str]) -> tuple[str, ...]:
    """Return labels in the order of their numbers.

    Examples
    --------
    >>> in_natural_order(["q10", "q2", "a"])
    ('a', 'q2', 'q10')
    """

    def parts(label: str) -> list[tuple[bool, int, str]]:
        pieces = re.split(r"(\d+)", label)
        return [(p.isdigit(), int(p) if p.isdigit() else 0, p) for p in pieces if p]

    return tuple(sorted(labels, key=parts))


def survey_of(design: Ratings) -> Survey:
    """Return a survey from ratings by people, or of questions by people."""
    if not is_respondents_design(design):
        design = with_people_as_units(design)
    values = numbered(design)
    main = design if values is None else values
    origin = next((n for n, f in design.strata.items() if PEOPLE in f.levels), "")
    pair = opposites(design.levels)
    # answers 1 and 0 have no words of their own
    yes = pair[1] if pair is not None and len(design.levels) == 2 else ""
    return Survey(
        design=design,
        values=values,
        sources=split_sources(main, origin),
        labelled=split_sources(design, origin),
        of_models=origin,
        questions=in_natural_order(design.raters),
        yes=yes,
    )


def split_sources(design: Ratings, origin: str) -> dict[str, Ratings]:
    """Return the answers of people, then those of each model, by a stratum that tells them apart, if there is one."""
    if not origin:
        return {PEOPLE: design}
    parts = design.split_units(origin)
    return {PEOPLE: parts.pop(PEOPLE), **parts}


def numbered(design: Ratings) -> Ratings | None:
    """Return answers with numbers as levels; None where labels have neither an order nor a yes.

    Examples
    --------
    >>> table = {"unit": [1, 2], "rater": ["q", "q"], "value": ["yes", "no"]}
    >>> numbered(Ratings.from_frame(table)).scores.tolist()
    [0.0, 1.0]
    """
    if design.numeric and (design.scale != "nominal" or set(design.scores) == {0.0, 1.0}):
        return design if design.scale != "nominal" else replace(design, scale="interval")
    pair = opposites(design.levels)
    if pair is None and design.scale == "nominal":
        return None
    order = list(design.levels if pair is None else pair)
    start = 0 if pair is not None else 1
    codes = np.array([order.index(level) for level in design.levels])
    value = np.where(design.value >= 0, codes[design.value], -1)
    scores = np.arange(len(order), dtype=np.float64) + start
    return replace(
        design,
        levels=tuple(f"{score:g}" for score in scores),
        scores=scores,
        value=value,
        scale="interval",
        numeric=True,
        ends=(float(scores[0]), float(scores[-1])),
        probabilities=None,
    )


def answers_by_question(
    survey: Survey, sources: Mapping[str, Ratings], metric: Callable[[Ratings], Any]
) -> dict[tuple[str, str], Result]:
    """Return a metric of the answers of each source to each question, by question and source."""
    results = {}
    for question in survey.questions:
        for source, answers in sources.items():
            if question in answers.raters:
                result = attempt_result(metric, answers.of_raters([question]))
                if result is not None:
                    results[question, source] = single(result)
    return results


def labelled_row(row: Row, term: str, **labels: str) -> Row:
    """Return a row under another term, whose key is labels."""
    return replace(row, term=term, group=None, key=tuple(labels.items()))


def question_rows(means: Mapping[tuple[str, str], Result]) -> list[Row]:
    """Return the row of each mean, called by its question."""
    return [
        labelled_row(result.rows[0], question, question=question, source=source)
        for (question, source), result in means.items()
    ]


def level_rows(shares: Mapping[tuple[str, str], Result]) -> list[Row]:
    """Return the rows of the shares, called by their levels."""
    rows = []
    for (question, source), result in shares.items():
        for row in pick_rows(result.rows, stratum=False):
            level = row.label("level") or row.term
            rows.append(labelled_row(row, level, question=question, source=source, level=level))
    return rows


def answers_frame(design: Ratings, question: str, level: str | None) -> Any:
    """Return the answers to a question: unit, score (1 for a level, if one is named), clusters and weight."""
    frame = design.table()
    frame = frame[(frame["rater"] == question) & (frame["status"] == "ok")]
    score = frame["score"] if level is None else (frame["value"] == level).astype(float)
    columns = [f.name for f in design.clusters] + (["weight"] if design.weighted else [])
    return frame[["unit", *columns]].assign(score=score)


def model_difference(
    people: Ratings, model: Ratings, name: str, question: str, level: str | None, how: float
) -> Result | None:
    """Return the answers of a model minus those of people to a question.

    People are drawn. Several rounds of a model vary too: Welch's t, or Newcombe's interval of shares. A single answer
    is a fixed number, so that people alone vary: the t test of their differences from it.
    """
    import pandas as pd

    of_people, of_model = (answers_frame(part, question, level) for part in (people, model))
    if len(of_people) < 2 or not len(of_model):
        return None
    read: dict[str, Any] = {"cluster": [factor.name for factor in people.clusters]}
    if people.weighted:
        read["weight"] = "weight"
    if len(of_model) == 1:
        table = of_people.assign(**{PEOPLE: of_people["score"], name: of_model["score"].iloc[0]})
        pairs = Paired.from_wide(
            table, unit="unit", first=name, second=PEOPLE, scale="numeric", **read
        )
        pairs = replace(pairs, cautions=())
        result = attempt_result(paired_difference, pairs, level=how)
        return None if result is None else single(result)
    sides = pd.concat([of_model.assign(group=name), of_people.assign(group=PEOPLE)])
    if people.weighted:
        # rounds of a model weigh the same
        sides["weight"] = sides["weight"].fillna(1.0)
    shares = set(sides["score"]) <= {0.0, 1.0}
    groups = Groups.from_frame(
        sides, unit="unit", group="group", value="score", groups=[name, PEOPLE], **read
    )
    # values were looked at when the survey was read
    groups = replace(groups, cautions=())
    result = attempt_result(two_proportions if shares else two_means, groups, level=how)
    return None if result is None else single(result)


def fixed_answers(survey: Survey) -> dict[tuple[str, str], int]:
    """Return how many answers a model gave to a question, by both, where they count as a fixed number.

    That is a single answer, and few rounds that are all alike: they do not show how much the model varies. Shares of
    several rounds have an interval of their own.
    """
    fixed = {}
    means = survey.values is not None and not survey.yes
    for name in survey.models:
        frame = survey.sources[name].table()
        answers = frame[frame["status"] == "ok"].groupby("rater", observed=True)["value"]
        for question, n, levels in answers.agg(["size", "nunique"]).itertuples():
            if n == 1 or (means and levels == 1 and n < FEWEST_CONSTANT):
                fixed[str(question), name] = int(n)
    return fixed


def fixed_answers_caution(fixed: Mapping[tuple[str, str], int]) -> tuple[Caution, ...]:
    """Return a caution where answers of models count as fixed numbers."""
    if not fixed:
        return ()
    models = list(dict.fromkeys(name for _, name in fixed))
    detail = (
        f"{quoted(models, 4)} gave one answer, or few that are all alike, in {count(len(fixed), 'case')}. "
        "They do not show how much a model varies: intervals and tests take them as fixed numbers"
    )
    fix = f"Ask each question at least {FEWEST_CONSTANT} times"
    affects = "intervals and tests of differences from people"
    least, most = min(fixed.values()), max(fixed.values())
    equal = "" if most == 1 else "equal "
    basis = f"{count(most, f'{equal}answer')} of a model to some questions"
    return small_sample_caution(
        least, FEWEST_CONSTANT, detail, affects=affects, fix=fix, basis=basis
    )


def model_differences(survey: Survey, options: StudyOptions) -> tuple[list[Row], list[Result]]:
    """Return the difference of each model from people at each question (and level of labels), adjusted over all."""
    labels = [None] if survey.values is not None else list(survey.design.levels)
    cells = len(survey.questions) * len(survey.models) * len(labels)
    if len(labels) > MOST_LEVELS or cells > MOST_DIFFERENCES:
        return [], []
    rows, results = [], []
    for question in survey.questions:
        for name in survey.models:
            for level in labels:
                result = model_difference(
                    survey.people, survey.sources[name], name, question, level, options.level
                )
                if result is None:
                    continue
                gap = next(row for row in result.rows if row.role == "difference")
                key = {QUESTION: question, ORIGIN: name} | ({"level": level} if level else {})
                rows.append(labelled_row(gap, question, **key))
                results.append(result)
    tested, adjusted = adjust_family_by_holm(rows, "questions and models")
    return list(tested), results if adjusted is None else [*results, adjusted]


def ask_means(
    survey: Survey, results: Mapping[tuple[str, str], Result], ranks: Result | None
) -> Block | None:
    """Return how high each question was answered, by whom."""
    rows = question_rows(results)
    if not rows:
        return None
    several = bool(survey.models)
    lines = [
        span_sentence(group, f"the {survey.quantity} of {shorten(name, 40)}")
        for name, group in list(rows_by(rows, ORIGIN).items())[:MOST_NAMED]
    ]
    tables = [line_table(rows, capital(survey.quantity))]
    if ranks is not None:
        ranked = pick_rows(ranks.rows, "rank")
        first = [shorten(name, 30) for name in may_be_first(ranked)]
        lines.append(
            f"{capital(count(len(first)))} of {count(len(ranked), 'question')} may be the highest by "
            f"simultaneous rank intervals ({listing(first, 5)})."
        )
        names = [row.term for row in ranked]
        tables.append(
            line_table(ranked, "Rank of each question, 1 the highest", names, heading=QUESTION)
        )
    columns = ORIGIN if several else ""
    return ask_rows(
        "means",
        "What did people and models answer?" if several else "How high was each question?",
        results,
        rows,
        quantity=survey.quantity,
        say=lines,
        draw=dot_lines(QUESTION, ORIGIN) if several else interval_points(None, sort=True),
        table=grid_table(
            rows, capital(survey.quantity), QUESTION, columns, name="questions", cell="interval"
        ),
        more=tables,
        results=ranks,
        clusters=survey.design.clusters,
        note=value_words(survey),
    )


def value_words(survey: Survey) -> str:
    """Return what the numbers of labels are."""
    design = survey.design
    if survey.values is None or design.numeric or survey.yes:
        return ""
    ends = [shorten(design.levels[k], 30) for k in (0, -1)]
    return f"Levels count 1 ({ends[0]}) to {len(design.levels)} ({ends[1]})."


def ask_shares(
    survey: Survey, results: Mapping[tuple[str, str], Result], main: bool
) -> Block | None:
    """Return the share of each level at each question."""
    rows = level_rows(results)
    if not rows:
        return None
    of_people = [row for row in rows if row.label(ORIGIN) == PEOPLE]
    leading = [largest_of(group) for group in rows_by(of_people, QUESTION).values()]
    leading.sort(key=estimate_or_zero, reverse=True)
    lines = [
        f"At {shorten(row.label(QUESTION) or '', 40)}, '{shorten(row.term, 40)}' was most frequent among people: "
        f"{sentences.estimate_text(row)}."
        for row in leading[:2]
    ]
    sides = [QUESTION, ORIGIN] if survey.models else [QUESTION]
    return ask_rows(
        "shares",
        "Which answers were given to each question?",
        results,
        rows,
        quantity="share of answers",
        say=lines,
        draw=share_bars(*reversed(sides)),
        table=grid_table(
            rows, "Share of each level", sides, "level", name="levels", cell="estimate"
        ),
        more=[line_table(rows, "Share of each level with its interval")],
        clusters=survey.design.clusters,
        part="main" if main else "appendix",
    )


def estimate_or_zero(row: Row) -> float:
    """Return the estimate of a row, 0 where it has none."""
    return row.estimate or 0.0


def largest_of(rows: Sequence[Row]) -> Row:
    """Return the row of the largest estimate."""
    return max(rows, key=estimate_or_zero)


def ask_differences(survey: Survey, rows: Sequence[Row], results: Sequence[Result]) -> Block | None:
    """Return how far each model's answers lie from those of people."""
    labels = survey.values is None
    quantity = "difference in share" if labels else f"difference in {survey.quantity}"
    title = f"{capital(quantity)}, model minus people"
    down = [QUESTION, "level"] if labels else QUESTION
    models = rows_by(rows, ORIGIN)
    largest = [
        largest_sentence(models[name], (), of=f" of {shorten(name, 40)}")
        for name in leading_groups(models)
    ]
    return ask_rows(
        "differences",
        "Where do models differ from people?",
        results,
        rows,
        quantity=f"{quantity}, model minus people",
        say=[tally_sentence(rows), *largest],
        draw=interval_points(panels=ORIGIN),
        table=grid_table(rows, title, down, ORIGIN, name="differences"),
        more=[line_table(rows, f"{capital(quantity)}: tests")],
        note="A model that answered once has no interval of its own: people alone vary.",
    )


def answered_table(survey: Survey) -> PageTable:
    """Count answers, refusals and missing answers by question."""
    design = survey.design
    place = {name: k for k, name in enumerate(design.raters)}
    cells: list[tuple[str | int, ...]] = []
    for question in survey.questions:
        status = design.status[design.rater == place[question]]
        counts = [int(np.sum(status == kind)) for kind in (OK, REFUSAL, MISSING)]
        cells.append((question, *counts, len(design.units) - len(status)))
    header = ("Question", "Answers", "Refusals", "Missing", "No row")
    return PageTable("Answers by question", header, tuple(cells), name="answers")


def run(design: Ratings, options: StudyOptions) -> Outcome:
    """Answer: how high is each question, or which answers were given; and where do models differ from people?"""
    check_single(design)
    survey = survey_of(design)
    means: dict[tuple[str, str], Result] = {}
    shares: dict[tuple[str, str], Result] = {}
    if survey.values is not None:
        mean = partial(mean_ratings, level=options.level)
        means = answers_by_question(survey, survey.sources, mean)
    if len(survey.design.levels) <= MOST_LEVELS and not survey.yes:
        share = partial(choice_shares, **options.chosen())
        shares = answers_by_question(survey, survey.labelled, share)
    ranks = ranks_of(survey, options)
    gaps, tests = model_differences(survey, options)
    fixed = fixed_answers(survey) if gaps else {}
    # labels in order, and other labels, are shares first
    labels_lead = not survey.design.numeric and not survey.yes
    blocks = [
        ask_means(survey, means, ranks),
        ask_differences(survey, gaps, tests),
        ask_shares(survey, shares, labels_lead),
    ]
    if labels_lead:
        blocks.reverse()
    blocks += second_blocks(survey, options)
    answered = [block for block in blocks if block is not None]
    # low agreement is no fault of a survey
    every = [result for block in answered if block.id != "agreement" for result in block.results]
    question_means, level_shares = question_rows(means), level_rows(shares)
    planning: tuple[str, ...] = ()
    for row in (question_means or level_shares)[:1]:
        what = f"the {survey.quantity} of '{shorten(row.term, 40)}'"
        planning = halved(survey.design.clusters, row, row.n_units, what, unit="people", df=row.df)
    verdict = verdict_on_survey(survey, question_means, level_shares, ranks, gaps, fixed)
    if verdict.certainty == "fixed":
        planning = (f"Ask models each question at least {FEWEST_CONSTANT} times.",)
    leading = [*results_in(means or shares)[:1], *results_in(ranks)]
    return page_of(
        "survey",
        survey_title(survey),
        survey.design,
        options,
        describe=describe_survey(survey),
        verdict=verdict,
        answer=[
            text for block in answered[:2] if block.part == "main" for text in block.sentences[:2]
        ],
        leading={f"{result.title} {k}": result for k, result in enumerate(leading, 1)},
        blocks=answered,
        uses=USED,
        cautions=[
            order_cautions(fixed_answers_caution(fixed), *(result.cautions for result in every))
        ],
        data=[answered_table(survey)],
        methods=survey_methods(survey, every, options),
        planning=planning,
    )


def ranks_of(survey: Survey, options: StudyOptions) -> Result | None:
    """Return the ranks of the questions by the means of people; None where models are compared with people."""
    if survey.values is None or survey.models or survey.design.weighted:
        return None
    if not 1 < len(survey.questions) <= MOST_RANKED:
        return None
    board = attempt_result(leaderboard, survey.people, task=None, level=options.level)
    return None if board is None else attempt_result(single(board).ranks)  # type: ignore[attr-defined]


def second_blocks(survey: Survey, options: StudyOptions) -> list[Block | None]:
    """Return similarity of models to people, or agreement of people, for the appendix."""
    if survey.design.weighted or len(survey.questions) < 2:
        return []
    of_questions = with_people_as_units(survey.design)
    of_questions = replace(of_questions, clusters=())
    if survey.models:
        alike = attempt_result(
            js_similarity,
            of_questions,
            reference=PEOPLE,
            source=survey.of_models,
            aggregate="unit",
            **options.chosen(),
        )
        question = "How alike are the answers of each model and those of people?"
        return [ask_result("similarity", alike, question, part="appendix")]
    alpha = attempt_result(krippendorff_alpha, of_questions, **options.chosen())
    question = "How far did people agree on the questions?"
    note = "Low agreement is no fault of a survey: people differ in what they are asked about."
    return [ask_result("agreement", alpha, question, note=note, part="appendix")]


def survey_title(survey: Survey) -> str:
    """Return the question of the page."""
    questions = count(len(survey.questions), "question")
    if survey.models:
        models = count(len(survey.models), "model")
        verb = "Does" if len(survey.models) == 1 else "Do"
        return f"{verb} {models} answer {questions} as people do?"
    if survey.values is None:
        return f"What do people answer to {questions}?"
    if survey.yes:
        return f"How many people say '{shorten(survey.yes, 30)}' to {questions}?"
    return f"How high do people rate {questions}?"


def describe_survey(survey: Survey) -> str:
    """Return the design in one line."""
    design = survey.design
    parts = [
        count(design.n_rows, "answer"),
        count(len(survey.people.units), "person", "people"),
        count(len(survey.questions), "question"),
        f"{count(len(design.levels), 'level')}",
        *([count(len(survey.models), "model")] if survey.models else []),
        *cluster_words(survey.people),
    ]
    if design.weighted:
        parts.append("sampling weights")
    return "Survey: " + ", ".join(parts)


def verdict_on_survey(
    survey: Survey,
    means: Sequence[Row],
    shares: Sequence[Row],
    ranks: Result | None,
    gaps: Sequence[Row],
    fixed: Mapping[tuple[str, str], int],
) -> Conclusion:
    """Return which question is rated highest, what most people say, or where models differ from people."""
    if survey.models:
        return verdict_beside_people(survey, gaps, fixed)
    if survey.values is None:
        return verdict_on_labels(shares)
    estimated = [row for row in means if row.estimate is not None]
    if not estimated:
        return verdict_of(NOTHING_SHOWN, certainty="open")
    top = largest_of(estimated)
    name, value = shorten(top.term, LABEL), estimate_or_zero(top)
    yes = shorten(survey.yes, 15)
    size = of_ten(value) if yes else f"{value:.1f} on average"
    if ranks is not None:
        best, ahead = "is rated highest", "are rated higher than"
        if yes:
            best, ahead = f"has the most '{yes}'", f"have more '{yes}' than"
        return ranking(pick_rows(ranks.rows, "rank"), best, ahead, QUESTION, f": {size}")
    if len(estimated) == 1:
        statement = f"people rate {name} at about {size}"
        if yes:
            statement = f"{size} people say '{yes}' to {name}"
        return verdict_of(statement, certainty="interval", within=within_of(top, share=bool(yes)))
    statement = f"the highest of {count(len(estimated), QUESTION)} in these data is {name}"
    return verdict_of(statement, f", {size}", "; differences were not tested", certainty="open")


def within_of(row: Row, *, share: bool) -> str:
    """Return the ends of an interval of a share or a mean in everyday terms; empty without an interval."""
    ends = row.ends()
    if ends is None:
        return ""
    low, high = ends
    return between(low, high) if share else f"about {low:.1f} to {high:.1f}"


def verdict_on_labels(rows: Sequence[Row]) -> Conclusion:
    """Return the question at which most people give one answer, and this answer."""
    estimated = [row for row in rows if row.estimate is not None]
    if not estimated:
        return verdict_of(NOTHING_SHOWN, certainty="open")
    top = largest_of(estimated)
    question, level = shorten(top.label(QUESTION) or "", LABEL), shorten(top.term, LABEL)
    often = of_ten(estimate_or_zero(top))
    text = f"The most frequent answer to {question} is {level}: {often}"
    if len(rows_by(estimated, QUESTION)) > 1:
        text = f"People agree most on {question}: {often} say {level}"
    return verdict_of(text, certainty="interval", within=within_of(top, share=True))


def verdict_beside_people(
    survey: Survey, gaps: Sequence[Row], fixed: Mapping[tuple[str, str], int]
) -> Conclusion:
    """Return at how many questions models differ from people, as far as answers that count as fixed show it."""
    differing = [row for row in gaps if is_shown(row)]
    significant = rows_by(differing, ORIGIN)
    places = [(row.label(QUESTION), row.label(ORIGIN)) for row in differing]
    rounds = [n for place, n in fixed.items() if place in places]
    start = "The data show that"
    certainty: Certainty = "shown"
    if rounds:
        certainty = "fixed"
        start = f"As far as {count(max(rounds), 'answer')} each can show,"
    at = {name: len(rows_by(rows, QUESTION)) for name, rows in significant.items()}
    names = sorted(at, key=lambda name: -at[name])
    models, total = list(rows_by(gaps, ORIGIN)), count(len(survey.questions), QUESTION)
    who = shorten(models[0], LABEL) if len(models) == 1 else "any model"
    if not names:
        unseen = f"The data do not show whether {who} differs from people"
        return verdict_of(unseen, certainty="open")
    if len(models) == 1:
        sides = [shown_side(row) for row in gaps]
        higher = f": higher at {sides.count('above')}, lower at {sides.count('below')}"
        text = f"{start} {who} differs from people at {at[models[0]]} of {total}"
        # a share that is higher at one level is lower at another
        return verdict_of(text, "" if survey.values is None else higher, certainty=certainty)
    first, *further = (f"{shorten(name, LABEL)} at {at[name]}" for name in names)
    verb = "differ" if further else "differs"
    return verdict_of(
        f"{start} {len(names)} of {count(len(models), 'model')} {verb} from people",
        f": {first} of {total}",
        "".join(f", {place}" for place in further[:2]),
        certainty=certainty,
    )


def survey_methods(survey: Survey, results: Sequence[Result], options: StudyOptions) -> list[str]:
    """Return the methods: people are drawn, questions are fixed; then the inference of each metric."""
    inference = list(dict.fromkeys(f"{r.title}: {r.inference}." for r in results))
    brief = (
        f"People were taken as a sample and questions as fixed. CIs have level "
        f"{number(100 * options.level, 0)}% and are over people."
    )
    if survey.models:
        brief += " Each difference is that of a model minus people; p values were adjusted by Holm's method."
    return [brief, *inference[:8]]
