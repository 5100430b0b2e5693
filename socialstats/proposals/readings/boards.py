"""Scores of models: a column of models, or a column for each, as the study `leaderboard` reads them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace

from socialstats.designs.column_pairs import same_scale
from socialstats.designs.column_profile import FEW, ColumnProfile, Columns
from socialstats.designs.model_scores import score_columns
from socialstats.designs.people import HUMANS
from socialstats.designs.profile import TableProfile, stem
from socialstats.designs.roles import FAMILIES, model_columns, names_a_count
from socialstats.designs.vocabulary import (
    CALLS,
    JUDGEMENTS,
    KEY_VALUES,
    KEYS,
    MEASURES,
    MET_WORDS,
    MODELS,
    NO_SCORES,
    RATERS,
    RIGHT,
    SCORING,
    SUMMARIES,
    TASKS,
    TREATMENTS,
    bare,
)
from socialstats.proposals.readings.proposal import Proposal, Proposals, ends_of
from socialstats.tables import rows_where
from socialstats.text import count, listing, shorten

LEADERBOARD = {"study": "leaderboard"}
FEWEST = 3  # models of a leaderboard
MANY = 5  # columns of numbers that may be models by what they hold


def score_tables(profile: TableProfile) -> Proposals:
    """Look for scores of models in each shape of `model_scores`; every part is named."""
    if measures_in(profile) is not None:
        yield from of_one_measure(profile, score_tables)
    elif not model_columns(profile):
        rows = [c for c in profile.every if c.called(MODELS) and c.unique and c.text]
        yield from row_a_model(profile, rows[0]) if len(rows) == 1 else column_a_model(profile)


def of_one_measure(profile: TableProfile, look: Callable[[TableProfile], Proposals]) -> Proposals:
    """Yield the proposals for the rows of one measure, where the labels of a column are different measures."""
    metric = measures_in(profile)
    if metric is None:
        return
    level = next((level for level in metric.levels if bare(level) in RIGHT), metric.levels[0])
    entry = f"{metric.name}={level}"
    for proposal in look(TableProfile(rows_where(profile.table, metric.name, level)[0])):
        means = f"{proposal.means}, of the rows where {metric} is {level}"
        yield replace(proposal, means=means, options={**proposal.options, "where": [entry]})


def measures_in(profile: TableProfile) -> ColumnProfile | None:
    """Return the column whose labels are different measures, or scorings of one answer, in the rows of one column."""
    texts = [c for c in profile.varying() if c.text and c.size <= FEW and not c.unique]
    valued = any(bare(c.name) in KEY_VALUES and not c.text for c in profile.every)
    named = [c for c in texts if bare(c.name) in MEASURES or (valued and bare(c.name) in KEYS)]
    if named:
        return named[0]
    scorers = [c for c in texts if bare(c.name) in SCORING and not profile.has_partner(c)]
    return next(
        (
            c
            for c in scorers
            if any(crossed_with(profile, model, c) for model in model_columns(profile))
        ),
        None,
    )


def crossed_with(profile: TableProfile, model: ColumnProfile, scorer: ColumnProfile) -> bool:
    """Whether each model has rows of each label."""
    return profile.combinations(model, scorer) == model.size * scorer.size


def scores_in(profile: TableProfile, used: Columns) -> list[ColumnProfile]:
    """Return the columns that may be scores: numbers or yes/no, no summaries, covariates or parts of a plan."""
    free = [c for c in profile.varying() if c not in used and (not c.text or c.yes_no)]
    free = [c for c in free if c.name not in profile.no_values and not c.unique_key]
    free = [c for c in free if not c.called(NO_SCORES, TREATMENTS, CALLS)]
    return [c for c in free if bare(c.name) not in (*SUMMARIES, *TASKS.names)]


def row_a_model(profile: TableProfile, model: ColumnProfile) -> Proposals:
    """Look for a column of scores for each task: those with fractions, where two or more have them."""
    scores = [c for c in scores_in(profile, [model]) if "," not in c.name]
    shares = [c for c in scores if not c.whole]
    tasks = shares if len(shares) > 1 and 2 * len(shares) >= len(scores) else scores
    names = [c.name for c in tasks]
    names = [
        *score_columns(profile.table, [c for c in profile.table.columns if c not in names])
    ]  # without their averages
    names = (
        names
        if len(names) > 1
        else [name for name in score_columns(profile.table, [model.name]) if "," not in name]
    )
    if len(names) < 2:
        return
    means = f"a leaderboard: {model} names the models, the tasks are "
    means += listing([shorten(name, 30) for name in names], 6)
    parts = {"rater": [model], "task": [profile.columns[name] for name in names]}
    yield Proposal("ratings", 9, means, parts, LEADERBOARD)


def each_answer(answers: tuple[int, int]) -> str:
    """Return how many answers a model gave to a unit, in words."""
    least, most = answers
    return f"{count(most, 'answer')} each" if least == most else f"{least} to {most} answers each"


def called_rater(column: ColumnProfile, shared: str = "") -> bool:
    """Whether the first or the last word of a name says that the column holds ratings; some models are coders.

    A last word that all columns share, such as empathy, is what was scored: people are one of the sources then.
    """
    if shared and column.tokens[-1:] == (shared,) and shared not in JUDGEMENTS:
        return False
    words = {*column.tokens[:1], *column.tokens[-1:]}
    return bool((words - {"coder"} if FAMILIES.search(column.name) else words) & {*RATERS, *HUMANS})


def families_in(names: Iterable[str]) -> int:
    """Return how many names are those of families of models."""
    return sum(bool(FAMILIES.search(name)) for name in names)


def column_a_model(profile: TableProfile) -> Proposals:
    """Look for a column that names tasks or problems, a row each, beside scores in columns called like models."""
    keys = [c for c in profile.every if c.unique and c.names_things]
    key = min(keys, key=lambda c: not c.text, default=None)
    tasked = key is not None and key.called(TASKS)
    named = key is not None and (key.text or tasked)
    if profile.is_cross or not (named or families_in(profile.columns) >= FEWEST):
        return
    free = scores_in(profile, [key] if key else [])
    last = Counter(c.tokens[-1] for c in free if len(c.tokens) > 1).most_common(1)
    shared = last[0][0] if last and last[0][1] >= FEWEST else ""
    scores = [c for c in free if not called_rater(c, shared)]
    alike = [
        c
        for c in scores
        if 2 * sum(same_scale(c, d) for d in scores) > len(scores) or FAMILIES.search(c.name)
    ]
    scores = alike if len(alike) >= FEWEST else scores
    names = [c.name for c in scores]
    sources = [c for c in profile.every if not names_a_count(c)]
    rated = any(called_rater(c, shared) for c in sources) and not tasked
    rated = rated or (key is not None and key.called(MET_WORDS))  # those who rated each answer
    if rated or len(scores) < FEWEST or len({*map(stem, names)}) < len(names) / 2:
        return
    are_models = families_in(names) > len(names) / 2
    shares = all(
        c.numbers and not c.whole and 0 <= min(c.numbers) <= max(c.numbers) <= 1 for c in scores
    )
    unnamed = key is not None and not key.name.strip()
    few = key is not None and key.text and profile.rows <= len(scores)
    content = (tasked or few) and one_scale(scores)
    right = key is not None and not are_models and all(c.yes_no for c in scores)  # models or raters
    numbers = are_models or (shares and (tasked or unnamed)) or content
    if not (right or numbers):
        return
    score = (
        6.4
        if right
        else 6.9
        if content and not are_models
        else 8.4
        if are_models or tasked
        else 7.6
    )
    means = f"a leaderboard: {count(len(names), 'model')} in columns, one row per unit"
    parts = {"raters": scores, "unit": [] if key is None or unnamed else [key]}
    yield Proposal("ratings", score, means, parts, LEADERBOARD)


def one_scale(scores: Columns) -> bool:
    """Whether many columns, most with fractions, have one largest value, or largest values of one order."""
    tops = [ends_of(c)[1] for c in scores]
    parts = sum(not (c.text or c.whole) for c in scores)
    near = min(tops) > 0 and max(tops) <= 10 * min(tops)
    positive = all(not c.text and ends_of(c)[0] >= 0 for c in scores)
    limited = 2 * max(map(tops.count, tops)) >= len(tops)
    return len(scores) >= MANY and 2 * parts > len(scores) and positive and (near or limited)
