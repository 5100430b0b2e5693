"""Tables that hold no answers to compare, or groups of different units: what they hold, and what is needed instead."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from itertools import combinations, permutations, product

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from socialstats.designs.column_pairs import WON, same_scale
from socialstats.designs.column_profile import ColumnProfile
from socialstats.designs.group_columns import GroupColumn, independent_groups, only_measure
from socialstats.designs.profile import TableProfile, names_text
from socialstats.designs.repeated_answers import APART
from socialstats.designs.roles import model_columns
from socialstats.designs.tables import TOTALS
from socialstats.designs.vocabulary import (
    ARENA,
    BATTLES,
    BENCHMARKS,
    BOARD_SUMMARIES,
    BOUNDS,
    CALLS,
    CODEBOOKS,
    COSTS,
    COVARIATES,
    INTERVALS,
    LOSSES,
    MARGINS,
    MEANS,
    MODELS,
    SITES,
    SIZES,
    SPREADS,
    STEPS,
    UNSHARED_SCALES,
    VALUES,
    VERDICT_MARKS,
    bare,
)
from socialstats.designs.winners import SIDE_CODES
from socialstats.proposals.readings.contests import contests, has_sides, is_signed, item_pairs
from socialstats.text import count, listing, quoted, shorten

RANKING = re.compile(r"\s*[^\s<>=,;]+(?:\s*(?:[<>=≻≺]|>=|=>)\s*[^\s<>=,;]+){2,}\s*")  # A>B=C>D
SIDED = re.compile(r"\[*[AB]\s*[<>=≻≺]+\s*[AB]\]*")  # [[A>>B]], A=B
BOTH_ENDS = re.compile(r"[\[(]?\s*-?[\d.]+\s*[,;–-]\s*-?[\d.]+\s*[\])]?")  # [3.51, 3.81]
MARKED = re.compile(r"\[(\w+)\]")  # [PASS] The answer is ...
MOST_OPTIONS = 12  # columns of options
UNLIKE = 10  # ratio of the sizes of two averages from which their scales differ
ONE_SIDE = (
    "left",
    "right",
    "first",
    "second",
    "top",
    "links",
    "rechts",
    "izquierda",
    "esquerda",
    "gauche",
)
SURE_CONTEST = 8.0  # score from which a table holds comparisons
FEWEST_MET = 3  # rows an item
MOST_SITES = 3  # labels of a column of groups
ROUNDED = 0.02  # what sums of rounded shares may differ from 1 by
MOST_GRADES = 20  # from the lowest grade to the highest


def refusal(profile: TableProfile) -> str:
    """Return what a table holds that no design reads, and what is needed instead; an empty text for other tables."""
    return next((words for look in LOOKS if (words := look(profile))), "")


def rankings(profile: TableProfile) -> str:
    """Return a word on whole rankings in one text."""
    for column in (c for c in profile.varying() if c.text):
        ranked = [
            level
            for level in column.levels
            if RANKING.fullmatch(level) and re.search("[<>≻≺]", level)
        ]
        if 2 * len(ranked) > column.size:
            return (
                f"{column} holds whole rankings in a text, such as '{shorten(ranked[0], 30)}'. They "
                "are no labels to agree on. Write one row for each two items of a ranking: item_a, item_b and winner "
                "('tie' for =). Say --cluster with the column of the prompt"
            )
    return ""


def arena_scores(profile: TableProfile) -> str:
    """Return a word on scores of an arena, which were estimated from battles."""
    columns = [*profile.every]
    score = next((c for c in columns if c.called(ARENA) and not c.text), None)
    beside = [c for c in columns if c.called(BATTLES) and c is not score]
    if score is None or not beside:
        return ""
    return (
        f"{score} holds strengths that were estimated from battles ({names_text(beside)} "
        "stand beside it). Nothing can be tested with them again. The battles are needed: one row each, with the two "
        "models and the winner"
    )


def mixed_averages(profile: TableProfile) -> str:
    """Return a word on averages of models, a row each, of which some are no shares or points: Elo, perplexity."""
    models = [c for c in profile.every if c.unique and c.text and c.called(MODELS)]
    numbers = [c for c in profile.varying() if not (c.text or c.describes or c.numbers_rows)]
    unscaled = [c for c in numbers if c.says(UNSHARED_SCALES)]
    if not models or not unscaled or len(numbers) - len(unscaled) < 1:
        return ""
    return (
        f"Each row holds averages of one {models[0]}, and {names_text(unscaled, 4)} "
        f"{'have scales' if len(unscaled) > 1 else 'has a scale'} that no share has. A mean over them says nothing, "
        "and nothing tells how sure an average is. The scores of each item are needed: one row for each model and item"
    )


def one_side_named(profile: TableProfile) -> str:
    """Return a word on verdicts for a side, beside a column that says what stood on one side alone."""
    for side in (c for c in profile.varying() if c.text and 1 < c.size <= MOST_SITES):
        words = [word for word in side.tokens if word in ONE_SIDE]
        verdicts = [
            c for c in profile.varying() if c is not side and words and is_sided(c, words[0])
        ]
        if len(verdicts) == 1 and not any(contests(profile)):
            label, name = shorten(verdicts[0].name), shorten(side.name)
            return (
                f"'{label}' tells sides, and '{name}' says what stood on one of them ({quoted(side.levels, 3)}). A "
                "comparison needs both items. Write what stood on each side in a column of its own; then name them "
                f"with --map item_a=COLUMN --map item_b=COLUMN --map winner={label}"
            )
    return ""


def is_sided(column: ColumnProfile, word: str) -> bool:
    """Whether labels are codes of sides, one of them a word, or numbers are grades to either side of 0."""
    if column.numbers is not None:
        return is_signed(column.numbers)
    folded = {label.casefold() for label in column.levels}
    return any(word in scheme and {*scheme} <= folded for scheme in SIDE_CODES)


def separate_pools(profile: TableProfile) -> str:
    """Return a word on comparisons of items that fall into pools, which were never compared with each other."""
    likely = max(
        (row_a for row_a in contests(profile) if "item_a" in row_a.parts),
        key=lambda row_a: row_a.score,
        default=None,
    )
    if likely is None or likely.score < SURE_CONTEST:
        return ""
    a, b = likely.parts["item_a"][0], likely.parts["item_b"][0]
    items = sorted(a.labels | b.labels)
    row_a, row_b = (
        labels.mapped(items.index, -1, np.int64) for labels in profile.combined(a, b)[1]
    )
    met = coo_array((np.ones(len(row_a)), (row_a, row_b)), shape=(len(items), len(items)))
    n, pool = connected_components(met, directed=False)
    pools = [
        [item for item, k in zip(items, pool, strict=True) if k == k_pool] for k_pool in range(n)
    ]
    if n < 2 or profile.rows < FEWEST_MET * len(items) or min(map(len, pools)) < 2:
        return ""
    listed = listing(
        [
            f"{listing([shorten(item, 30) for item in k_pool], 4)} ({count(len(k_pool), 'item')})"
            for k_pool in pools
        ],
        3,
    )
    return (
        f"The items of {a} and {b} fall into pools that were never compared with each "
        f"other: {listed}. No order holds all of them. Take the rows of one pool"
    )


def unlike_tasks(profile: TableProfile) -> str:
    """Return a word on averages, a row for each model and task, whose tasks have numbers of different sizes."""
    tasks = [
        c
        for c in profile.varying()
        if c.text and c.called(BENCHMARKS) and 1 < c.size <= MOST_GRADES
    ]
    models = [c for c in profile.varying() if c.text and c.called(MODELS)] or model_columns(profile)
    numbers = [
        c
        for c in profile.varying()
        if not (c.text or c.describes or c.numbers_rows or c.identifies)
    ]
    for task, model in product(tasks, models):
        if len(numbers) != 1 or task is model or not profile.distinct(task, model):
            continue
        _, (of_task, values) = profile.combined(task, numbers[0])
        code, x = of_task.codes, values.numbers()
        sizes = [float(np.nanmedian(np.abs(x[code == k]))) for k in range(task.size)]
        if min(sizes) > 0 and max(sizes) >= UNLIKE * min(sizes):
            return (
                f"{numbers[0]} holds averages of {model}, whose sizes differ by "
                f"{task}, from {min(sizes):g} to {max(sizes):g}. Their scales differ, so a mean over "
                "them says nothing. The scores of each item are needed: one row for each model and item"
            )
    return ""


def confounded_groups(profile: TableProfile) -> str:
    """Return a word on groups of which each is one school, site or the like: nothing tells the two apart."""
    few = [
        c
        for c in profile.varying()
        if c.text and c.size <= MOST_SITES and c.filled == c.rows and profile.enough(c)
    ]
    for site, group in permutations(few, 2):
        alias = profile.constant(site, group) and profile.constant(group, site)
        if alias and site.called(SITES) and not group.called(SITES, COVARIATES):
            return (
                f"Each label of {group} is one {site} ({quoted(site.levels, 3)}). What "
                "differs between them may be either. Several of them in each group are needed to compare groups"
            )
    return ""


def summaries(profile: TableProfile) -> str:
    """Return a word on rows that hold a mean beside its spread, interval or size."""
    columns = [c for c in profile.every if not c.text]
    spread = [c for c in columns if c.says(SPREADS)]
    pairs = [
        (a, b) for a in columns for b in columns for x, y in BOUNDS if x in a.words and y in b.words
    ]
    bounds = [c for two in pairs if {*INTERVALS} & (two[0].words | two[1].words) for c in two]
    bounds += [
        c
        for c in profile.every
        if c.text and c.called(INTERVALS) and all(map(BOTH_ENDS.fullmatch, c.levels))
    ]
    means = [c for c in columns if c not in spread and c not in bounds and c.called(MEANS)]
    sizes = [c for c in columns if c.whole and c.says(SIZES)]
    further = [c for c in columns if c not in (*means, *spread, *bounds, *sizes)]
    beside = [c for c in further if same_scale(c, *means[:1])] if means else []
    if len(means) != 1 or beside or not (spread or bounds) or not (sizes or (spread and bounds)):
        return ""  # the mean of people beside ratings of models is a column like these
    parts = names_text((*sizes, *means, *spread, *bounds), 6)
    return (
        f"Each row is a summary already: {parts} stand beside each other. The answers themselves are needed to compare "
        "models on the same units: one row for each model and item"
    )


def training_log(profile: TableProfile) -> str:
    """Return a word on the course of one run over its steps."""
    steps = next((c for c in profile.every if c.whole and c.called(STEPS) and c.unique), None)
    losses = [c.name for c in profile.every if not c.text and c.called(LOSSES)]
    if steps is None or not losses:
        return ""
    return (
        f"The rows are the course of a run over {steps} ({quoted(losses, 4)}). They depend on each "
        "other, and are no units to compare. Scores of the final models on the same items are needed: one row for each "
        "model and item"
    )


def marked_texts(profile: TableProfile) -> str:
    """Return a word on texts that begin with a verdict in brackets."""
    marked = []
    for column in (c for c in profile.varying() if c.text):
        marks = [MARKED.match(level) for level in column.levels]
        verdicts = {mark[1] for mark in marks if mark is not None}
        are_verdicts = {verdict.casefold() for verdict in verdicts} <= {*VERDICT_MARKS}
        if all(marks) and column.size > len(verdicts) and are_verdicts:
            marked.append((column, sorted(verdicts)))
    if not marked:
        return ""
    column, words = marked[0]
    names = names_text([c for c, _ in marked], 4)
    marks_text = listing([f"[{word}]" for word in words])
    return (
        f"Texts in {names} begin with a verdict ({marks_text}), and the answers follow it. Keep the verdict only, in a "
        f"column for each model; then name the columns with --raters, and the rows with --map unit=COLUMN"
    )


def graded_numbers(profile: TableProfile) -> str:
    """Return a word on numbers that say how much better one of two items was."""
    pair = next(
        (two for two in item_pairs(profile) if has_sides(*two) and all(c.size > 1 for c in two)),
        None,
    )
    free = [c for c in profile.varying() if pair is not None and c not in pair]
    results = [c for c in free if c.called(WON, MARGINS)]
    if pair is None or len(results) != 1 or results[0].numbers is None:
        return ""
    if any(
        "wins_a" in proposal.parts or "winner" in proposal.parts for proposal in contests(profile)
    ):
        return ""
    numbers = results[0].numbers
    low, high = min(numbers), max(numbers)
    if len(numbers) < 4 or 0 <= low <= high <= 1 or high - low > MOST_GRADES:
        return ""
    a, b = (shorten(c.name, 30) for c in pair)
    return (
        f"{results[0]} holds grades from {low:g} to {high:g} of '{a}' against '{b}', and no design "
        "uses how much better one was. Write a column with the name of the winner, and tie for the middle; then name "
        "it with --map winner=COLUMN"
    )


def menus(profile: TableProfile) -> str:
    """Return a word on choices among three options or more, each in a column, and the one that was taken."""
    texts = [c for c in profile.varying() if c.text and not c.unique and c.size > 2]
    for choice in texts:
        options = [c for c in texts if c is not choice and c.labels == choice.labels][:MOST_OPTIONS]
        if len(options) < 3 or not all(profile.opposed(*two) for two in combinations(options, 2)):
            continue
        names = names_text(options, MOST_OPTIONS)
        return (
            f"{choice} holds the one of {names} that was taken. A choice among {len(options)} options "
            "is no comparison of two. Write a row for each option that was left: item_a is the one that was taken, and "
            "the winner. Say --cluster with the column of the choice"
        )
    return ""


def counts_of_groups(profile: TableProfile) -> str:
    """Return a word on counts by group, whose last row holds their sums."""
    head = profile.columns.get(profile.table.columns[0])
    integers = [c for c in profile.every if c is not head and c.whole and c.filled == c.rows]
    if head is None or not head.unique or not head.text or len(integers) < len(profile.columns) - 1:
        return ""
    totals = [k for k, label in enumerate(head.levels) if bare(label) in TOTALS]
    if len(totals) != 1 or not integers:
        return ""
    _, (heads, *counted) = profile.combined(head, *integers)
    last = heads.codes == totals[0]
    if any(labels.numbers()[~last].sum() != labels.numbers()[last].sum() for labels in counted):
        return ""
    return (
        f"Rows of {head} are counts of groups, and '{shorten(head.levels[totals[0]])}' is their sum. "
        "Groups are no units of a test. Counts of answers by two raters, or under two conditions, are read with "
        "--crosstab; else give one row for each answer"
    )


def counts_of_answers(profile: TableProfile) -> str:
    """Return a word on counts of answers out of a total, a row for each source and group."""
    numbers = [c for c in profile.varying() if not c.text and not (c.describes or c.numbers_rows)]
    integers = [c for c in numbers if c.whole and {*c.tokens[:1]} & {*SIZES} and len(c.tokens) > 1]
    if len(integers) < len(numbers):
        return ""
    for part, total in permutations(integers, 2):
        part_values, total_values = profile.values([part, total])
        if len(integers) == 2 and (part_values <= total_values).all() and total_values.max() > 1:
            return (
                f"{part} counts answers out of {total} in each row. Counts of groups "
                "are no scores of units. The answers are needed: one row each, with the source, the item and the answer"
            )
    return ""


def verdicts_without_items(profile: TableProfile) -> str:
    """Return a word on verdicts between sides A and B in a table that does not say which items these are."""
    sided = [c for c in profile.varying() if c.text and all(map(SIDED.fullmatch, c.levels))]
    if len(sided) < 2:
        return ""
    return (
        f"{names_text(sided, 4)} hold verdicts between sides A and B, and no column names "
        "the two items. Where the columns show them in different orders, one letter means different items. Write a row "
        "for each verdict, with item_a, item_b and winner, and say --cluster with the column of the question"
    )


def prices(profile: TableProfile) -> str:
    """Return a word on a list of prices: half of the numbers and more are costs of a number of tokens or calls."""
    numbers = [c for c in profile.varying() if not c.text and not c.numbers_rows]
    costs = [c for c in numbers if c.called(COSTS)]
    priced = [c.name for c in costs if "per" in c.tokens]
    if not priced or 2 * len(costs) < len(numbers) or any(c.called(VALUES) for c in numbers):
        return ""
    return (
        f"{quoted(priced, 4)} are prices. The rows are a list of what is offered, and nothing in them was judged. "
        "Answers of the models to the same items are needed to compare them"
    )


def shares_of_options(profile: TableProfile) -> str:
    """Return a word on shares of options, a row each, that add up to 1 within a question."""
    numbers = [
        c
        for c in profile.varying()
        if c.numbers is not None and 0 <= min(c.numbers) <= max(c.numbers) <= 1
    ]
    numbers = [c for c in numbers if not (c.whole or c.describes)]
    for question in (
        [c for c in profile.repeating if 2 < c.size <= profile.rows / 2][:MOST_OPTIONS]
        if numbers
        else ()
    ):
        n, (at, *shares) = profile.combined(question, *numbers)
        sums = [np.bincount(at.codes, weights=n * labels.numbers()) for labels in shares]
        complete = [
            c
            for c, total in zip(numbers, sums, strict=True)
            if np.allclose(total, 1, rtol=0, atol=ROUNDED)
        ]
        if complete:
            return (
                f"{names_text(complete, 4)} add up to 1 within each {question}: they are shares of options. "
                "Their mean difference is 0 whatever was answered. The answers are needed: a row for each, with the "
                "source, the question and the answer. Counts of the answers are read with --count"
            )
    return ""


def codebook(profile: TableProfile) -> str:
    """Return a word on a list of variables with their meaning and codes."""
    names, meanings, codings = (
        [c for c in profile.every if bare(c.name) in words] for words in CODEBOOKS
    )
    if (
        not (names and meanings and codings)
        or len({c.name for c in (*names, *meanings, *codings)}) < 3
    ):
        return ""
    return (
        f"The rows describe variables: {names[0]} beside {meanings[0]} and "
        f"{codings[-1]}. A codebook holds no answers. The table that it describes is needed"
    )


def mixed_measures(profile: TableProfile) -> str:
    """Return a word on rows that are models, whose columns are measures of different kinds."""
    model = next((c for c in profile.every if c.unique and c.text and c.called(MODELS)), None)
    numbers = [
        c for c in profile.varying() if c.numbers is not None and not c.describes and c.size > 2
    ]
    numbers = [
        c
        for c in numbers
        if not c.called(CALLS, ARENA, BATTLES, BOARD_SUMMARIES) and max(c.numbers or [0.0]) > 0
    ]
    if model is None or len(numbers) < 3:
        return ""
    tops = {c.name: max(c.numbers or [0.0]) for c in numbers}
    low, high = min(tops, key=lambda name: tops[name]), max(tops, key=lambda name: tops[name])
    turned = [c.name for c in numbers if "↓" in c.name]
    if tops[high] < APART * tops[low] and not turned:
        return ""
    return (
        f"Each row is a {model} with measures of different kinds: '{shorten(low)}' ends at "
        f"{tops[low]:g}, '{shorten(high)}' at {tops[high]:g}. Their mean says nothing. Scores of the models on "
        "the same items are needed: one row for each model and item"
    )


LOOKS: tuple[Callable[[TableProfile], str], ...] = (
    rankings,
    arena_scores,
    summaries,
    training_log,
    marked_texts,
    graded_numbers,
    mixed_averages,
    separate_pools,
    one_side_named,
    unlike_tasks,
    confounded_groups,
    menus,
    counts_of_groups,
    counts_of_answers,
    prices,
    verdicts_without_items,
    shares_of_options,
    codebook,
    mixed_measures,
)
UNJUDGED = (
    "Nothing in the table judges the answers: its numbers say when or how long, how much, or of whom. A column of "
    "scores, labels or choices is needed to compare them. If one of these numbers is what you compare, say "
)
NO_PAIRS = "Groups are no matched pairs: compare them as independent samples, with --design groups"


def what_is_needed(profile: TableProfile, measured: bool = False) -> list[str]:
    """Return what a table lacks for every design, or for some, in sentences; empty where it lacks nothing.

    `measured` says that somebody named the column of values.
    """
    if words := refusal(profile):
        return [f"{words}."]
    groups = independent_groups(profile)
    lacks = [f"{groups_told(groups)}."] if groups is not None else []
    unjudged = profile.unjudged and not measured and only_measure(profile, groups) is None
    return [*lacks, f"{UNJUDGED}{value_option(groups)}."] if unjudged else lacks


def value_option(groups: GroupColumn | None) -> str:
    """Return the options that name what is compared, of groups or of the same units."""
    value = "--map value=COLUMN"
    if groups is None:
        return value
    return f"--design groups --map {shlex.quote(f'group={groups.group.name}')} {value}"


def groups_told(groups: GroupColumn) -> str:
    """Return a word on groups of different units."""
    group, unit = groups.group, groups.unit
    labels = quoted(group.levels, 4)
    head = f"{group} ({labels}) tells groups of different units apart"
    if unit is None:
        return f"{head}: each row is a unit of its own. {NO_PAIRS}"
    of_units = f"each of {count(unit.size, 'label')} of {unit} is in one"
    if not groups.several:
        return f"{head}: {of_units}. {NO_PAIRS}"
    samples = names_text([unit, *groups.crossed])
    role = "as crossed clusters" if groups.crossed else "as the unit or as the cluster"
    return (
        f"{head}: {of_units}, with several rows. Compare the groups as independent samples, with {samples} {role}. "
        "Its rows depend on each other, and other columns make no matched pairs of them"
    )
