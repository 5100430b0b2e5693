"""Study of a survey: what people answer to each question, and how answers of models differ from theirs.

People are the sample, and questions are fixed. Means, or shares of levels, lead; agreement and similarity are second.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
from socialstats.designs.surveys import (
    is_respondents_design,
    with_people_as_units,
)
from socialstats.paired.paired_difference import paired_difference
from socialstats.paired.two_means import two_means
from socialstats.paired.two_proportions import two_proportions
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, Row
from socialstats.scales.leaderboard import leaderboard
from socialstats.scales.mean_ratings import mean_ratings
from socialstats.shares.choice_shares import choice_shares
from socialstats.shares.js_similarity import js_similarity
from socialstats.studies.asking import (
    add_labels,
    ask_result,
    ask_rows,
    attempt_result,
    dot_lines,
    grid_table,
    interval_points,
    page_of,
    rows_by,
    share_bars,
    span_sentence,
    tally_sentence,
)
from socialstats.studies.estimates import cluster_words, halved, rows_table, single
from socialstats.studies.page import (
    Block,
    Outcome,
    PageTable,
    StudyOptions,
    check_single,
    order_cautions,
)
from socialstats.studies.verdicts import (
    LABEL,
    Conclusion,
    is_shown,
    may_be_first,
    of_ten,
    ranking,
    verdict_of,
)
from socialstats.text import capital, count, listing, number, shorten

QUESTION, ORIGIN = "question", "source"
MOST_LEVELS = 12  # levels whose shares are shown
MOST_RANKED = 30  # questions whose ranks are computed: they need the difference of every two
MOST_DIFFERENCES = 2_000  # questions x models x levels
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
    sources = {PEOPLE: main}
    if origin:
        parts = main.split_units(origin)
        sources = {PEOPLE: parts.pop(PEOPLE), **parts}
    pair = opposites(design.levels)
    # answers 1 and 0 have no words of their own
    yes = pair[1] if pair is not None and len(design.levels) == 2 else ""
    return Survey(
        design=design,
        values=values,
        sources=sources,
        of_models=origin,
        questions=in_natural_order(design.raters),
        yes=yes,
    )


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


def question_results(survey: Survey, options: StudyOptions) -> dict[tuple[str, str], Result]:
    """Return the mean answer of each source to each question, by question and source."""
    results = {}
    for question in survey.questions:
        for source, answers in survey.sources.items():
            if question not in answers.raters:
                continue
            part = answers.of_raters([question])
            result = attempt_result(mean_ratings, part, level=options.level)
            if result is not None:
                results[question, source] = single(result)
    return results


def question_rows(results: Mapping[tuple[str, str], Result]) -> list[Row]:
    """Return the row of each mean, called by its question."""
    rows = []
    for (question, source), result in results.items():
        row = replace(result.rows[0], term=question, group=None, key=())
        rows += add_labels([row], question=question, source=source)
    return rows


def level_results(survey: Survey, options: StudyOptions) -> dict[tuple[str, str], Result]:
    """Return the shares of the levels among the answers of each source to each question."""
    sources = {PEOPLE: survey.design}
    if survey.of_models:
        parts = survey.design.split_units(survey.of_models)
        sources = {source: parts[source] for source in survey.sources}
    results = {}
    for question in survey.questions:
        for source, answers in sources.items():
            if question not in answers.raters:
                continue
            part = answers.of_raters([question])
            result = attempt_result(choice_shares, part, **options.chosen())
            if result is not None:
                results[question, source] = single(result)
    return results


def level_rows(results: Mapping[tuple[str, str], Result]) -> list[Row]:
    """Return the rows of the shares, called by their levels."""
    rows = []
    for (question, source), result in results.items():
        for row in result.rows:
            if row.role == "estimate" and row.label("stratum") is None:
                level = row.label("level") or row.term
                renamed = replace(row, term=level, group=None, key=())
                rows += add_labels([renamed], question=question, source=source, level=level)
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
                gap = replace(gap, term=question, group=None, key=())
                rows += add_labels([gap], **key)
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
    groups = rows_by(rows, ORIGIN)
    lines = [
        span_sentence(group, f"the {survey.quantity} of {shorten(name, 40)}")
        for name, group in list(groups.items())[:3]
    ]
    ranked = [] if ranks is None else [row for row in ranks.rows if row.role == "rank"]
    if ranked:
        first = may_be_first(ranked)
        lines.append(
            f"{capital(count(len(first)))} of {count(len(ranked), 'question')} may be the highest by "
            f"simultaneous rank intervals ({listing([shorten(name, 30) for name in first], 5)})."
        )
    wide = grid_table(
        rows,
        capital(survey.quantity),
        QUESTION,
        ORIGIN if several else "",
        name="questions",
        cell="interval",
    )
    full = rows_table(rows, capital(survey.quantity), term="Question", labels=full_names(rows))
    more = [full]
    if ranked:
        more.append(rows_table(ranked, "Rank of each question, 1 the highest", term="Question"))
    question = "What did people and models answer?" if several else "How high was each question?"
    return ask_rows(
        "means",
        question,
        next(iter(results.values())),
        rows,
        quantity=survey.quantity,
        say=lines,
        draw=dot_lines(QUESTION, ORIGIN) if several else interval_points(None, sort=True),
        names=full_names(rows),
        table=wide,
        more=more,
        results=[*list(results.values())[1:], *([] if ranks is None else [ranks])],
        clusters=survey.design.clusters,
        note=value_words(survey),
    )


def full_names(rows: Sequence[Row]) -> list[str]:
    """Return the question of each row, with its source where there are several."""
    several = len({row.label(ORIGIN) for row in rows}) > 1
    return [f"{row.term}: {row.label(ORIGIN)}" if several else row.term for row in rows]


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
    leading = {
        question: max(group, key=lambda row: row.estimate or 0.0)
        for question, group in rows_by(of_people, QUESTION).items()
    }
    top = sorted(leading.items(), key=lambda entry: -(entry[1].estimate or 0.0))
    lines = [
        f"At {shorten(question, 40)}, '{shorten(row.term, 40)}' was most frequent among people: "
        f"{sentences.estimate_text(row)}."
        for question, row in top[:2]
    ]
    several = bool(survey.models)
    sides = [QUESTION, ORIGIN] if several else [QUESTION]
    table = grid_table(rows, "Share of each level", sides, "level", name="levels", cell="estimate")
    bars = share_bars(ORIGIN, QUESTION) if several else share_bars(QUESTION)
    return ask_rows(
        "shares",
        "Which answers were given to each question?",
        next(iter(results.values())),
        rows,
        quantity="share of answers",
        say=lines,
        draw=bars,
        names=[f"{name}: {row.term}" for name, row in zip(full_names_of(rows), rows, strict=True)],
        table=table,
        more=[
            rows_table(
                rows,
                "Share of each level with its interval",
                term="Question and level",
                labels=[f"{n}: {r.term}" for n, r in zip(full_names_of(rows), rows, strict=True)],
            )
        ],
        results=list(results.values())[1:],
        clusters=survey.design.clusters,
        part="main" if main else "appendix",
    )


def full_names_of(rows: Sequence[Row]) -> list[str]:
    """Return question and source of rows that are called by their levels."""
    several = len({row.label(ORIGIN) for row in rows}) > 1
    names = []
    for row in rows:
        question = row.label(QUESTION) or ""
        names.append(f"{question}, {row.label(ORIGIN)}" if several else question)
    return names


def ask_differences(survey: Survey, rows: Sequence[Row], results: Sequence[Result]) -> Block | None:
    """Return how far each model's answers lie from those of people."""
    if not rows:
        return None
    labels = survey.values is None
    quantity = f"difference in {survey.quantity}" if not labels else "difference in share"
    down = [QUESTION, "level"] if labels else QUESTION
    lines = [tally_sentence(rows)]
    for name, group in list(rows_by(rows, ORIGIN).items())[:3]:
        estimated = [row for row in group if row.estimate is not None]
        if not estimated:
            continue
        largest = max(estimated, key=lambda row: abs(row.estimate or 0.0))
        level = f" ('{shorten(largest.label('level') or '', 30)}')" if labels else ""
        lines.append(
            f"Answers of {shorten(name, 40)} lay farthest from people's at {shorten(largest.term, 40)}{level}: "
            f"{sentences.stat(largest)}."
        )
    names = [
        ", ".join(filter(None, (row.term, row.label("level"), row.label(ORIGIN)))) for row in rows
    ]
    return ask_rows(
        "differences",
        "Where do models differ from people?",
        results[0],
        rows,
        quantity=f"{quantity}, model minus people",
        say=lines,
        draw=interval_points(0.0, panels=ORIGIN),
        names=names,
        table=grid_table(
            rows, f"{capital(quantity)}, model minus people", down, ORIGIN, name="differences"
        ),
        more=[
            rows_table(rows, f"{capital(quantity)}: tests", term="Question and model", labels=names)
        ],
        results=results[1:],
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
    means = question_results(survey, options) if survey.values is not None else {}
    few = len(survey.design.levels) <= MOST_LEVELS
    shares = level_results(survey, options) if few and not survey.yes else {}
    ranks = ranks_of(survey, options)
    gaps, tests = model_differences(survey, options) if survey.models else ([], [])
    # labels in order, and other labels, are shares first
    labels_lead = not survey.design.numeric and not survey.yes
    leading = list((means or shares).values())[:1] + ([] if ranks is None else [ranks])
    blocks = [
        ask_means(survey, means, ranks),
        ask_differences(survey, gaps, tests),
        ask_shares(survey, shares, labels_lead),
    ]
    if labels_lead:
        blocks = [blocks[2], blocks[1], blocks[0]]
    blocks += second_blocks(survey, options)
    answered = [block for block in blocks if block is not None]
    of_answers = [block for block in answered if block.id != "agreement"]
    every = [result for block in of_answers for result in block.results]
    question_means, level_shares = question_rows(means), level_rows(shares)
    planning: list[str] = []
    for row in (question_means or level_shares)[:1]:
        clusters, what = (
            survey.design.clusters,
            f"the {survey.quantity} of '{shorten(row.term, 40)}'",
        )
        planning += halved(clusters, row, row.n_units, what, unit="people", df=row.df)
    main = [block for block in answered[:2] if block.part == "main"]
    return page_of(
        "survey",
        survey_title(survey),
        survey.design,
        options,
        describe=describe_survey(survey),
        verdict=verdict_on_survey(survey, question_means, level_shares, ranks, gaps),
        answer=[text for block in main for text in block.sentences[:2]],
        leading={f"{result.title} {k}": result for k, result in enumerate(leading, 1)},
        blocks=answered,
        uses=USED,
        cautions=[order_cautions(*(result.cautions for result in every))],
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
        return f"Do {models} answer {questions} as people do?"
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
) -> Conclusion:
    """Return which question is rated highest, what most people say, or where models differ from people."""
    if survey.models:
        return verdict_beside_people(survey, gaps)
    if survey.values is None:
        return verdict_on_labels(shares)
    estimated = [row for row in means if row.estimate is not None]
    if not estimated:
        return verdict_of("The data do not show what people answer", certainty="open")
    top = max(estimated, key=lambda row: row.estimate or 0.0)
    name, value = shorten(top.term, LABEL), top.estimate or 0.0
    size = of_ten(value) if survey.yes else f"{value:.1f} on average"
    ranked = [] if ranks is None else [row for row in ranks.rows if row.role == "rank"]
    if ranked:
        best = f"has the most '{shorten(survey.yes, 15)}'" if survey.yes else "is rated highest"
        ahead = (
            f"have more '{shorten(survey.yes, 15)}' than" if survey.yes else "are rated higher than"
        )
        return ranking(ranked, best, ahead, QUESTION, f": {size}")
    if len(estimated) == 1:
        if survey.yes:
            statement = f"{of_ten(value)} people say '{shorten(survey.yes, 15)}' to {name}"
        else:
            statement = f"people rate {name} at about {value:.1f} on average"
        return verdict_of(statement, certainty="interval")
    statement = f"the highest of {count(len(estimated), QUESTION)} in these data is {name}"
    return verdict_of(statement, f", {size}", "; differences were not tested", certainty="open")


def verdict_on_labels(rows: Sequence[Row]) -> Conclusion:
    """Return the question at which most people give one answer, and this answer."""
    estimated = [row for row in rows if row.estimate is not None]
    if not estimated:
        return verdict_of("The data do not show what people answer", certainty="open")
    top = max(estimated, key=lambda row: row.estimate or 0.0)
    question, level = shorten(top.label(QUESTION) or "", LABEL), shorten(top.term, LABEL)
    often = of_ten(top.estimate or 0.0)
    several = len(rows_by(estimated, QUESTION)) > 1
    start = "People agree most on" if several else "The most frequent answer to"
    verb = ":" if several else f" is {level}:"
    end = f"{often} say {level}" if several else often
    return verdict_of(f"{start} {question}{verb} {end}", certainty="interval")


def verdict_beside_people(survey: Survey, gaps: Sequence[Row]) -> Conclusion:
    """Return at how many questions models differ from people."""
    groups = rows_by(gaps, ORIGIN)
    differing = {
        name: {row.label(QUESTION) for row in group if is_shown(row)}
        for name, group in groups.items()
    }
    ranked = sorted(differing.items(), key=lambda entry: -len(entry[1]))
    total = count(len(survey.questions), QUESTION)
    differ_at = [(shorten(name, LABEL), len(at)) for name, at in ranked if at]
    if not differ_at:
        who = shorten(ranked[0][0], LABEL) if len(ranked) == 1 else "any model"
        return verdict_of(
            f"The data do not show whether {who} differs from people", certainty="open"
        )
    (first, most), *further = differ_at
    if len(ranked) == 1:
        directions = [row for row in groups[ranked[0][0]] if is_shown(row)]
        higher = sum((row.estimate or 0.0) > 0 for row in directions)
        sides = f": higher at {higher}, lower at {len(directions) - higher}"
        return verdict_of(
            f"The data show that {first} differs from people at {most} of {total}",
            sides if survey.values is not None else "",
            certainty="shown",
        )
    verb = "differs" if len(differ_at) == 1 else "differ"
    return verdict_of(
        f"The data show that {len(differ_at)} of {count(len(ranked), 'model')} {verb} from people",
        f": {first} at {most} of {total}",
        "".join(f", {name} at {n}" for name, n in further[:2]),
        certainty="shown",
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
