"""Scores of models: a column of models, or a column for each, as the study `leaderboard` reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from socialstats.cli.readings.proposal import Proposal, two_conditions
from socialstats.designs.model_scores import scores_of
from socialstats.designs.profile import FEW, Column, Profile, same_scale, stem
from socialstats.designs.roles import FAMILIES, Board, Cells, find_board, models_of
from socialstats.designs.tables import bare
from socialstats.designs.vocabulary import (
    CALLS,
    CONDITIONS,
    KEYS,
    MEASURES,
    MODELS,
    RATERS,
    RIGHT,
    SUMMARIES,
    TASKS,
    TREATMENTS,
)
from socialstats.tables import rows_where
from socialstats.text import count, listing, shorten

FEWEST = 3  # models of a leaderboard
KEY_VALUES = ("value", "score", "wert", "valor", "valeur")  # beside a column of keys
SCORING = ("scorer", "filter")  # rules by which one answer is scored
MANY = 5  # columns of numbers that may be models by what they hold


def score_tables(seen: Profile) -> Iterator[Proposal]:
    """Look for scores of models in each shape of `model_scores`; every part is named."""
    metric = measures_in(seen)
    if metric is not None:  # one at a time
        level = next((level for level in metric.levels if bare(level) in RIGHT), metric.levels[0])
        entry = f"{metric.name}={level}"
        for one in score_tables(Profile(rows_where(seen.table, metric.name, level)[0])):
            means = f"{one.means}, of the rows where '{metric.name}' is {level}"
            yield replace(one, means=means, settings={**one.settings, "where": [entry]})
        return
    models = models_of(seen)
    yield from long_board(seen)
    if not models:
        rows = [c for c in seen.columns.values() if c.called(MODELS.words) and c.unique and c.numbers is None]
        yield from row_a_model(seen, rows[0]) if len(rows) == 1 else column_a_model(seen)


def measures_in(seen: Profile) -> Column | None:
    """Return the column whose labels are different measures, or scorings of one answer, in the rows of one column."""
    texts = [c for c in seen.varying() if c.numbers is None and len(c.levels) <= FEW and not c.unique]
    valued = any(bare(c.name) in KEY_VALUES and c.numbers is not None for c in seen.columns.values())
    named = [c for c in texts if bare(c.name) in MEASURES or (valued and bare(c.name) in KEYS)]
    if named:
        return named[0]
    scorers = [c for c in texts if bare(c.name) in SCORING and not seen.has_partner(c)]
    return next((c for c in scorers if any(crossed_with(seen, model, c) for model in models_of(seen))), None)


def crossed_with(seen: Profile, model: Column, scorer: Column) -> bool:
    """Whether each model has rows of each label."""
    return len(seen.table.counts([model.name, scorer.name]).n) == len(model.levels) * len(scorer.levels)


def scores_in(seen: Profile, used: Sequence[Column]) -> list[Column]:
    """Return the columns that may be scores: numbers or yes/no, no summaries, covariates or parts of a plan."""
    return [
        c for c in seen.varying() if c not in used and (c.numbers is not None or yes_no(c))
        and c.name not in seen.no_values and not c.unique_key
        and not c.called(("mean", "average", "overall", *TREATMENTS))
        and bare(c.name) not in (*SUMMARIES, *TASKS.names) and not c.called(("rank", *CALLS))
    ]  # fmt: skip


def yes_no(column: Column) -> bool:
    """Whether a column holds yes and no, 0 and 1, or two words for right and wrong such as PASS and FAIL."""
    return column.yes_no


def row_a_model(seen: Profile, model: Column) -> Iterator[Proposal]:
    """Look for a column of scores for each task: those with fractions, where two or more have them."""
    scores = [c for c in scores_in(seen, [model]) if "," not in c.name]
    parts = [c for c in scores if not c.whole]
    tasks = parts if len(parts) > 1 and 2 * len(parts) >= len(scores) else scores
    names = [c.name for c in tasks]
    names = [*scores_of(seen.table, [c for c in seen.table.columns if c not in names])]  # without their averages
    names = names if len(names) > 1 else [name for name in scores_of(seen.table, [model.name]) if "," not in name]
    if len(names) < 2:
        return
    settings = {"study": "leaderboard", "map": [f"rater={model.name}", f"task={','.join(names)}"]}
    listed = listing([shorten(name, 30) for name in names], 6)
    yield Proposal("ratings", 9, f"a leaderboard: '{model.name}' names the models, the tasks are {listed}", settings)


def long_board(seen: Profile) -> Iterator[Proposal]:
    """Propose a leaderboard of a table with one row per answer of a model."""
    found = find_board(seen, scores_in(seen, models_of(seen)))
    if found is None:
        return
    source, joint = seen.columns[found.model], ",".join(found.unit)
    of = listing([f"'{name}'" for name in found.unit]) + (f" of each '{found.task}'" if found.task is not None else "")
    several = f", with {each_answer(found.answers)} averaged" if found.answers[1] > 1 else ""
    beside = [*(f"repeat={name}" for name in found.repeat)]
    clusters: dict[str, Any] = {"cluster": [found.cluster]} if found.cluster is not None else {}
    sure = found.task is not None or found.named or found.answers[1] > 1
    if source not in models_of(seen) and len(source.levels) == 2 and (found.repeat or found.answers[1] == 1):
        parts = [f"unit={joint}", f"condition={source.name}", f"value={found.value}", *beside]
        settings = {"map": parts, "conditions": two_conditions(source), "missing": "drop", **clusters}
        means = f"'{found.value}' of the same {of} under two of '{source.name}'{several}"
        yield Proposal("paired", 7.4 if found.repeat else 5, means, settings)
        return
    yield from conditions_within(seen, found)
    parts = [f"rater={source.name}", f"unit={joint}", f"value={found.value}"]
    parts += [f"task={found.task}"] if found.task is not None else []
    conditions = any(seen.columns[name].called(CONDITIONS.words) for name in found.repeat)
    conditions = conditions or any(conditions_within(seen, found))
    likely = 9.4 if sure and not conditions else 8.2  # conditions are rather compared than averaged
    yield Proposal(
        "ratings",
        likely if source in models_of(seen) else 7.3 if found.answers[1] > 1 else 5,
        f"a leaderboard: '{source.name}' names the models, a unit is {of}{several}, '{found.value}' is the score",
        {"study": "leaderboard", "map": [*parts, *beside], **clusters},
    )


def conditions_within(seen: Profile, board: Board) -> Iterator[Proposal]:
    """Propose two conditions that each unit met under each source: they are rather compared than averaged."""
    cells = Cells(seen, board.unit, [board.model], board.value)
    if len(seen.columns[board.model].levels) < 2 or not cells.repeated:
        return
    two = [one.name for one in cells.within if one.kind == "factor" and len(seen.columns[one.name].levels) == 2]
    for name in two[:1]:
        below = Cells(seen, board.unit, [board.model, name], board.value)
        repeat = below.repeats() if below.repeated else ()
        if below.repeated and not repeat:
            continue
        parts = [f"unit={','.join(board.unit)}", f"condition={name}", f"value={board.value}"]
        parts += [f"repeat={column}" for column in repeat]
        settings = {"map": parts, "conditions": two_conditions(seen.columns[name]), "by": board.model}
        of = listing([f"'{unit}'" for unit in board.unit])
        means = f"'{board.value}' of the same {of} under two of '{name}', for each '{board.model}'"
        yield Proposal("paired", 8.6, means, settings | {"missing": "drop"})


def each_answer(answers: tuple[int, int]) -> str:
    """Return how many answers a model gave to a unit, in words."""
    least, most = answers
    return f"{count(most, 'answer')} each" if least == most else f"{least} to {most} answers each"


def called_rater(column: Column) -> bool:
    """Whether the first or the last word of a name says that the column holds ratings; some models are coders."""
    words = {*column.tokens[:1], *column.tokens[-1:]}
    return bool((words - {"coder"} if FAMILIES.search(column.name) else words) & {*RATERS.words, "human"})


def column_a_model(seen: Profile) -> Iterator[Proposal]:
    """Look for a column that names tasks or problems, a row each, beside scores in columns called like models."""
    keys = [c for c in seen.columns.values() if c.unique and c.names_things]
    keys = [c for c in keys if c.numbers is None or c.unique_key or c.called(TASKS.words)]
    key = min(keys, key=lambda c: c.numbers is not None, default=None)
    families = sum(bool(FAMILIES.search(name)) for name in seen.columns)
    tasked = key is not None and key.called(TASKS.words)
    if seen.is_cross or ((key is None or (key.numbers is not None and not tasked)) and families < FEWEST):
        return
    scores = [c for c in scores_in(seen, [key] if key else []) if not called_rater(c)]
    scores = [c for c in scores if FAMILIES.search(c.name) or not c.called(RATERS.words)]
    alike = [c for c in scores if 2 * sum(same_scale(c, d) for d in scores) > len(scores) or FAMILIES.search(c.name)]
    scores = alike if len(alike) >= FEWEST else scores
    names = [c.name for c in scores]
    if any(map(called_rater, seen.columns.values())) and not tasked:
        return
    if len(scores) < FEWEST or len({stem(name) for name in names}) < len(names) / 2:
        return
    known = sum(bool(FAMILIES.search(name)) for name in names) > len(names) / 2
    shares = all(c.numbers is not None and not c.whole and 0 <= min(c.numbers) <= max(c.numbers) <= 1 for c in scores)
    unnamed = key is not None and not key.name.strip()
    few = key is not None and key.numbers is None and seen.rows <= len(scores)
    content = (tasked or few) and len(scores) == len(seen.columns) - 1 and one_scale(scores)
    right = key is not None and not known and all(map(yes_no, scores))  # right or wrong, of models or of raters
    if not right and (not (known or (shares and (tasked or unnamed)) or content) or any(map(yes_no, scores)) > known):
        return
    settings: dict[str, Any] = {"study": "leaderboard", "raters": names}
    settings |= {"map": [f"unit={key.name}"]} if key is not None and not unnamed else {}
    told = f"a leaderboard: {count(len(names), 'model')} in columns, one row per unit"
    by_content = content and not (known or shares)
    score = 6.4 if right else 6.9 if by_content else 8.4 if known or tasked else 7.6
    yield Proposal("ratings", score, told, settings)


def one_scale(scores: Sequence[Column]) -> bool:
    """Whether many columns, most with fractions, have one largest value, or largest values of one order."""
    tops = [max(c.numbers or [0.0]) for c in scores]
    parts = sum(c.numbers is not None and not c.whole for c in scores)
    near = min(tops) > 0 and max(tops) <= 10 * min(tops)
    positive = all(min(c.numbers or [-1.0]) >= 0 for c in scores)
    limited = 2 * max(map(tops.count, tops)) >= len(tops)
    return len(scores) >= MANY and 2 * parts > len(scores) and positive and (near or limited)
