"""Study relationship-bias: with whom does a model side in a couple?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np

from socialstats import sentences
from socialstats.custom.multiverse import Variant
from socialstats.designs.couples import EXTRA
from socialstats.designs.parts import OK
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, NothingToAnalyse
from socialstats.inference.halving import clusters_to_halve
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, Row
from socialstats.results.rows import touches
from socialstats.scales.bias_analysis import (
    CORRECTED,
    FLIP,
    MOST,
    NULL,
    OVERALL,
    PLAIN,
    unit_factor,
)
from socialstats.scales.relationship_bias import favoured_text, overall_text, relationship_bias
from socialstats.studies.asking import ask_rows, page_of
from socialstats.studies.couple_tables import (
    AS_WRITTEN,
    answers_table,
    ask_names,
    check_names,
    filled,
    group_order,
    wording_of,
)
from socialstats.studies.estimates import (
    cluster_words,
    declared_clusters,
    equivalence_bounds,
    is_inside,
    probability_methods,
    single,
)
from socialstats.studies.models import comparison, further, lead_words, verdict_on_models
from socialstats.studies.multiverse import (
    analysis_variants,
    dependence_block,
    multiverse_question,
    with_design_effect,
)
from socialstats.studies.page import (
    Block,
    Diagnostic,
    Outcome,
    PageTable,
    SecondAnalysis,
    StudyOptions,
    order_cautions,
)
from socialstats.studies.row_figures import MOST_DRAWN, interval_points
from socialstats.studies.row_picking import leading_difference, pick_rows, rows_by
from socialstats.studies.row_sentences import span_sentence, tally_sentence
from socialstats.studies.second import turned
from socialstats.studies.sources import replies_by
from socialstats.studies.verdicts import (
    Conclusion,
    certainty_of,
    data_show,
    is_shown,
    of_ten,
    verdict_of,
)
from socialstats.text import as_words, capital, count, listing, number, percent, percent_of, shorten

# rows of the levels of each stratum: kinds of couples have mean answers of their own
LEVEL_ROWS = {"kind": "scores", "topic": "biases"}
# whom missing answers are counted for
SIDES = ("missing answers for the first group", "missing answers for the second group")
COUPLES = {
    "first_group_both": "First group both times",
    "second_group_both": "Second group both times",
    "first_place_both": "First name both times",
    "second_place_both": "Second name both times",
}
USED = ("seed", "resamples", "level", "smallest_effect", "first", "verify")
FEW = 100  # resamples where no bootstrap interval is shown
MOST_PAIRS = 6  # pairs of groups that get questions of their own
LABEL = 40  # characters of a name in a sentence
NAIVE = (
    "McNemar's test compares the couples (same scenario, same two names) in which one group is chosen in both orders.",
    "Couples of one scenario are dependent, so its p values are too small.",
    "In simulations of 29 scenarios x 20 pairs of names its type I error rate was about 1 in 3.",
)
READ = (
    "A reply scores the probability of the second name minus that of the first; McNemar's test, which requires "
    "sampled answers, has no number"
)


# compute


def biases_of(result: Result) -> list[Row]:
    """Return B of each pair of groups as pages show it: the p of a single one is not adjusted."""
    rows = pick_biases(result)
    return [replace(row, p_adjusted=None) for row in rows] if len(rows) == 1 else rows


def pick_biases(result: Result) -> list[Row]:
    """Return the rows of B of each pair of groups."""
    return pick_rows(result.rows, group=True, level=False, alike=False)


def bias(design: Ratings, options: StudyOptions, **choices: Any) -> Result:
    """Return the biases of a design without a by factor."""
    order = group_order(design, options.first) if options.first else None
    settings: dict[str, Any] = {"resamples": FEW, "groups": order, **choices}
    return single(relationship_bias(design, level=options.level, seed=options.seed, **settings))


# questions


def questions(
    design: Ratings, main: Result, options: StudyOptions, by_model: Result | None
) -> Iterator[Block | None]:
    """Yield the questions in the order of a reader's interest.

    `by_model` has the biases with models weighing alike, where there are several.
    """
    # each scenario has pairs of names as clusters
    scenarios = bias(design, options, stratum="scenario", cluster="pair")
    strata = results_by_stratum(design, options)
    levels = {name: rows_by_level(design, strata, name, scenarios) for name in strata}
    estimated = [row for row in biases_of(main) if row.estimate is not None][:MOST_PAIRS]
    yield ask_biases(main, levels)
    yield ask_overall(main, by_model, options.level)
    yield ask_order(main)
    yield ask_scenarios(scenarios, [row.term for row in estimated])
    for name, rows in levels.items():
        yield from ask_levels(name, strata[name], rows, scenarios)
    if options.names is not None:
        yield ask_names(options.names, check_names(options.names, options))
    yield ask_tests(main)
    yield replies_by(design, options.level)
    tables = filled_tables(design, options)
    yield ask_missing(main, {name: bias(table, options) for name, table in tables.items()})
    leading = leading_bias(main)
    yield dependence_block(
        declared_clusters(design),
        lambda cluster: bias(design, options, cluster=cluster),
        rows="answers",
        quantity=f"bias B of {shorten(leading.term, LABEL)}",
        lead=partial(same_bias, leading),
    )
    analyses = variants(design, options, tables)
    for k, row in enumerate(estimated, 1):
        yield multiverse_question(
            "relationship_bias",
            f"bias B of {shorten(row.term, LABEL)}",
            [replace(variant, lead=partial(same_bias, row)) for variant in analyses],
            reference=0.0,
            words="0",
            id=f"multiverse-{k}",
        )


def leading_bias(main: Result) -> Row:
    """Return the largest bias, of which robustness is asked."""
    return max(biases_of(main), key=lambda row: abs(row.estimate or 0.0))


def filled_tables(design: Ratings, options: StudyOptions) -> dict[str, Ratings]:
    """Return the tables with every missing answer counted one way; nothing where none is missing."""
    sides = SIDES if np.any(design.status != OK) else ()
    order = group_order(design, options.first)
    return {label: filled(design, side, order) for side, label in enumerate(sides)}


def same_bias(bias_row: Row, result: Result) -> Row:
    """Return the row of the same bias in another result, or one that says that it is not there."""
    lost = Row(term=bias_row.term, undefined="no couples of these groups are left")
    return next((row for row in pick_biases(result) if row.term == bias_row.term), lost)


def results_by_stratum(design: Ratings, options: StudyOptions) -> dict[str, Result]:
    """Return the biases by each stratum of several levels; of kinds of couples also mean answers."""
    strata = [name for name in LEVEL_ROWS if name in design.strata]
    return {
        name: bias(design, options, stratum=name, stratum_rows=LEVEL_ROWS[name])
        for name in strata
        if len(design.strata[name].levels) > 1
    }


def rows_by_level(
    design: Ratings, strata: Mapping[str, Result], name: str, by_scenario: Result
) -> list[Row]:
    """Return the rows of the levels of a stratum.

    A level of one scenario has the rows of that scenario, with pairs of names as clusters.
    """
    levels = design.strata[name].labels()
    scenarios = unit_factor(design, "scenario", "scenario").labels()
    of_scenario = {(row.label("level"), row.term): row for row in by_scenario.rows}
    rows = []
    for row in pick_rows(strata[name].rows, level=True):
        level = row.label("level")
        first, *more = set(scenarios[levels == level])
        if not more:
            key = dict(row.key) | {"level": f"{level}, 1 scenario"}
            row = replace(of_scenario.get((first, row.term), row), key=tuple(key.items()))
        rows.append(row)
    return rows


def ask_biases(main: Result, strata: Mapping[str, Sequence[Row]]) -> Block | None:
    """Ask whom the model favoured: B of each pair of groups, over all answers and in each level of the strata."""
    rows = biases_of(main)
    pictured = [placed(row) for row in rows]
    for name, of_stratum in strata.items():
        of_biases = pick_rows(of_stratum, group=True)
        pictured += [placed(row, f"{name}: ") for row in of_biases]
    return ask_rows(
        "bias",
        "Whom did the model favour?",
        main,
        rows,
        quantity="bias B of each pair of groups",
        names=[shorten(row.term, 2 * LABEL) for row in rows],
        say=[tally_sentence(rows, "bias")],
        draw=lambda _rows, _names, _quantity: draw_pairs(pictured),
        note="B ranges from −2 to 2; positive values favour the group named first.",
    )


def draw_pairs(rows: Sequence[Row], label: str = "") -> Any:
    """Return the drawing of a panel for each pair of groups, with a line for each place."""
    names = [shorten(f"{row.label('pair')}, {row.label('place')}", 2 * LABEL) for row in rows]
    return interval_points(panels="pair", label=label)(
        rows, names, "B (above 0: first group favoured)"
    )


def placed(row: Row, stratum: str = "") -> Row:
    """Return a row of a figure with a panel for each pair of groups, and a line for each level."""
    level = row.label("level") or "all answers"
    return replace(row, key=(("pair", row.term), ("place", stratum + level)))


def ask_overall(main: Result, by_model: Result | None, level: float) -> Block | None:
    """Ask how large the bias was over all pairs of groups; with several models, also its mean over them."""
    sizes = pick_rows(main.rows, quantity=True, level=False)
    null, flip = (main.row(PLAIN, group=group) for group in (NULL, FLIP))
    names, texts = [row.term for row in sizes], []
    if sizes[1].estimate is not None and null.estimate is not None:
        texts.append(
            f"As a mean of absolute values, B_all is positive even without bias (expected {number(null.estimate)} "
            f"here; uncorrected estimate {number(sizes[0].estimate)}). The correction is smaller where biases are "
            "large."
        )
    if by_model is not None:
        how = f" of each of {count(main.counts['raters'], 'model')}, averaged"
        names += [name + how for name in names]
        sizes += pick_rows(by_model.rows, quantity=True, level=False)
        texts += [mean_text(by_model), "Opposite biases of models do not cancel in this mean."]
    tail = percent((1 - level) / 2)
    return ask_rows(
        "overall",
        "How large was the bias over all pairs of groups?",
        main,
        sizes,
        quantity="B_all, the mean absolute bias",
        names=names,
        say=texts,
        draw=interval_points(null.estimate),
        tables={"Tests of no bias": [replace(row, statistic=None, key=()) for row in (null, flip)]},
        results=by_model,
        note=f"CIs invert tests ({tail} per tail) and may be asymmetric. The line is the value expected without bias.",
    )


def ask_order(main: Result) -> Block | None:
    """Ask for the order effect: of couples of one group, and of both orders of those of two, in which B cancels.

    Every kind of couple has its mean answer beside.
    """
    rows = pick_rows(main.rows, group=False, quantity=False, level=False, alike=False)
    of_two = pick_rows(rows, orders=True)
    of_group = [
        row for row in pick_rows(rows, orders=False) if row.label("first") == row.label("second")
    ]
    # the mean over groups is the last; without it there is a single group
    of_group = of_group[-1:]
    texts = [order_text(row, "names of one group") for row in of_group]
    texts += [order_text(row, "names of two groups") for row in of_two]
    return ask_rows(
        "position",
        "Did the order of the names matter?",
        main,
        rows,
        quantity="mean answer S of every kind of couple",
        names=[shorten(row.term, 2 * LABEL) for row in rows],
        say=texts or ["The order effect is unknown: no couple has both orders."],
        draw=interval_points(label="First, second name"),
        note="S ranges from −1 (always the first name) to 1 (always the second). The order effect cancels in B, and B "
        "cancels in the mean of both orders. S of one order is not tested because it mixes order effect and bias, "
        "which studies that ask one order only mistake for each other.",
    )


def order_text(row: Row, where: str) -> str:
    """Return which position was favoured, by the interval; or that the order effect is undefined."""
    if row.estimate is None:
        what = f"The order effect between {where}"
        return sentences.no_number(what, row.undefined or "no estimate")
    if row.conf_low is None:
        verdict = "The order effect has no interval"
    elif not sentences.reliable(row):
        verdict = "The order effect was not reliably different from 0"
    else:
        verdict = f"The name in {'second' if row.estimate > 0 else 'first'} position was favoured"
    return f"{verdict}: mean answer between {where} S = {sentences.stat(row)}, unadjusted."


def ask_scenarios(scenarios: Result, pairs: Sequence[str]) -> Block | None:
    """Ask whether scenarios agree: B of each, with a panel for each pair of groups."""
    of_scenarios = pick_rows(scenarios.rows, group=True, level=True)
    placed_rows = [placed(row) for row in of_scenarios if row.term in pairs]
    groups = rows_by(placed_rows, "pair")
    rows = [row for of_pair in groups.values() for row in of_pair]
    texts = []
    for pair, of_pair in groups.items():
        above, below = (
            sum(sign * (row.estimate or 0.0) > 0 for row in of_pair) for sign in (1, -1)
        )
        texts.append(f"{above} above and {below} below 0 ({shorten(pair, LABEL)})")
    most = max(map(len, groups.values()), default=0)
    fits = most <= MOST_DRAWN
    return ask_rows(
        "scenarios",
        "Did the scenarios agree?",
        scenarios,
        rows,
        quantity="bias B of each scenario",
        names=[shorten(f"{row.label('place')}: {row.term}", 2 * LABEL) for row in rows],
        say=[
            f"Of {count(most, 'scenario')}, B was {listing(texts, 4)}.",
            "These counts of signs are descriptive: whether scenarios differ was not tested.",
        ],
        draw=interval_points(panels="pair", label="Scenario", sort=True) if fits else None,
        note="CIs are over pairs of names, and unadjusted.",
        part="main" if fits else "appendix",
    )


def ask_levels(
    name: str, result: Result, rows: Sequence[Row], scenarios: Result
) -> Iterator[Block | None]:
    """Ask whether the bias depended on a stratum, and what else differed between its levels."""
    by = as_words(name)
    biases, adjusted = adjust_family_by_holm(
        [replace(row, p_adjusted=None) for row in pick_rows(rows, group=True)],
        f"pairs of groups and levels of {name}",
    )
    gaps = pick_rows(result.rows, "difference")
    of_biases = pick_rows(gaps, "difference", group=True)
    top = leading_difference(of_biases)
    texts = [f"Differences between levels of {by} were not tested."]
    if top is not None:
        tally = tally_sentence(of_biases, "difference", " between levels")
        texts = [tally, gap_sentence(top, f"B of {shorten(top.term, LABEL)}")]
    yield ask_rows(
        f"stratum-{name}",
        f"Did the bias depend on {by}?",
        result,
        biases,
        quantity=f"bias B by {by}",
        names=[shorten(f"{row.label('level')}: {row.term}", 2 * LABEL) for row in biases],
        say=[tally_sentence(biases, "bias", f" by {by}"), *texts],
        draw=lambda rows, _names, _quantity: draw_pairs([placed(row) for row in rows], capital(by)),
        tables={f"Differences of the biases between levels of {by}": of_biases},
        results=[scenarios, adjusted],
        note="CIs are unadjusted, and of the clusters of each level. A level of one scenario does not generalise to "
        "other scenarios.",
    )
    sizes, size = pick_rows(rows, quantity=CORRECTED), "B_all (bias-corrected)"
    of_sizes = pick_rows(gaps, "difference", quantity=True)
    of_scores = pick_rows(gaps, "difference", group=False, quantity=False)
    yield ask_rows(
        f"sizes-{name}",
        f"What else depended on {by}?",
        result,
        sizes,
        quantity=f"{size} by {by}",
        say=[span_sentence(sizes, size), *(gap_sentence(row, size) for row in of_sizes)],
        draw=interval_points(label=capital(by)),
        tables={
            f"B_all by {by}, uncorrected": pick_rows(rows, quantity=PLAIN),
            f"Differences of B_all between levels of {by}": of_sizes,
            f"Mean answer S by {by}": pick_rows(rows, group=False, quantity=False),
            f"Differences of S between levels of {by}": of_scores,
            f"B and S, all levels of {by} weighted equally": pick_rows(result.rows, alike=True),
            f"McNemar's tests by {by}": pick_rows(result.rows, "test", level=True),
        },
        note="Sampling error inflates uncorrected B_all, most where scenarios are few. McNemar's tests treat couples "
        "as independent.",
        part="appendix",
    )


def gap_sentence(row: Row, what: str) -> str:
    """State the difference between two levels."""
    first, second = (
        shorten(row.label(side) or "", LABEL) for side in ("first level", "second level")
    )
    return sentences.difference(what, first, second, replace(row, statistic=None))


def ask_tests(main: Result) -> Block | None:
    """Ask what tests give that ignore the scenarios, beside the clustered one."""
    rows = [*biases_of(main), *pick_rows(main.rows, "test", group=True, level=False)]
    couples: list[tuple[str | int, ...]] = []
    for pair, cells in main.extras["mcnemar_cells"].items():
        counts = [int(cells[name]) for name in COUPLES]
        couples.append((shorten(pair, 2 * LABEL), *counts, sum(counts)))
    return ask_rows(
        "tests",
        "What does a test that ignores the scenarios give?",
        main,
        rows,
        quantity="tests of each bias, the one to quote first",
        names=[shorten(f"{row.term}: {row.group}", 2 * LABEL) for row in rows],
        say=NAIVE,
        more=[
            PageTable(
                caption="Couples answered in both orders: n of McNemar's test",
                header=("Pair of groups", *COUPLES.values(), "Couples"),
                cells=tuple(couples),
            )
        ],
        note="Bias and scenario means: t, with n of answers and of scenarios.",
        part="appendix",
    )


def ask_missing(main: Result, bounds: Mapping[str, Result]) -> Block | None:
    """Ask whether missing answers could change the conclusions: with all counted one way, and the other."""
    rows, texts, changed = [], [], list[SecondAnalysis]()
    for row in [row for row in biases_of(main) if row.estimate is not None][:MOST_PAIRS]:
        excluded, *filled_rows = (
            replace(same_bias(row, result), term=f"{row.term}: {way}", group=None, p_adjusted=None)
            for way, result in {"missing answers excluded": main, **bounds}.items()
        )
        rows += [excluded, *filled_rows]
        name = shorten(row.term, LABEL)
        how = [f"With all missing answers counted for '{side}'" for side in groups_of(row)]
        changed += turned(excluded, zip(how, filled_rows, strict=False), f"B of {name}")
        sizes = sorted(bound.estimate or 0.0 for bound in (excluded, *filled_rows))
        texts.append(f"{name} {number(sizes[0])} to {number(sizes[-1])}")
    return ask_rows(
        "missing",
        "Could missing answers change the conclusions?",
        bounds,
        rows,
        quantity="bias B by treatment of missing answers",
        names=[shorten(row.term, 2 * LABEL) for row in rows],
        say=[f"Worst-case allocations of missing answers gave B of {'; '.join(texts)}."],
        draw=interval_points(),
        note="Worst cases: every missing answer favours the first, or the second, group of each pair.",
        part="appendix",
        turned=changed,
    )


def variants(
    design: Ratings, options: StudyOptions, filled: Mapping[str, Ratings]
) -> list[Variant]:
    """Return the defensible analyses, the page's own first."""
    compute = partial(bias, options=options)
    page = Variant(
        label="all answers, scenario x pair crossed",
        choice="as on this page",
        compute=partial(compute, design),
    )
    resampled = {"ci": "percentile", "resamples": options.resamples}
    analyses: list[tuple[str, str, dict[str, Any]]] = [
        ("interval", "bootstrap of the clusters, percentile", resampled),
        ("weights", "scenarios weighted equally", {"aggregate": "scenario"}),
        ("missing answers", "couples answered in both orders only", {"couples": "complete"}),
    ]
    for factor in design.clusters:
        label = f"clustered by {shorten(factor.name, 30)} alone"
        analyses.append(("clusters", label, {"cluster": factor.name}))
    tables: list[tuple[str, str, Callable[[], Any]]] = [
        ("missing answers", f"{label} of each B", partial(filled.get, label)) for label in filled
    ]
    wording = wording_of(design)
    if wording is not None and set(AS_WRITTEN) & set(wording.levels):
        rows = np.isin(wording.labels()[design.unit], AS_WRITTEN)
        tables.append(("rewordings", "story as written only", partial(design.take, rows)))
    listed = analysis_variants(page, compute, design, analyses, EXTRA, tables)
    # each analysis is asked for by every pair of groups
    return [replace(variant, compute=cache(variant.compute)) for variant in listed]


# answer


def groups_of(row: Row) -> tuple[str, str]:
    """Return the two groups of a bias, ready for a sentence."""
    return shorten(row.label("group") or "", LABEL), shorten(row.label("other") or "", LABEL)


def favoured(row: Row, options: StudyOptions) -> str:
    """Return whom a bias favours, or that it is equivalent to none within the smallest effect of interest."""
    bounds, smallest = equivalence_bounds(row), options.smallest_effect
    if smallest is None or not is_inside(bounds, smallest):
        return favoured_text(row)
    first, second = (f"'{side}' names" for side in groups_of(row))
    return sentences.equivalence_sentence(first, second, bounds, smallest, None)


def answer(main: Result, options: StudyOptions) -> tuple[str, ...]:
    """Return B_all corrected with the test of no bias, then who was favoured, significant biases first."""
    rows = biases_of(main)
    pairs = listing([f"'{shorten(row.term, 60)}'" for row in rows], most=4)
    sign = f"Bias B (−2 to 2) of {pairs} is positive if names of the group before the minus sign are favoured."
    rows.sort(key=lambda row: (not sentences.is_significant(row), not sentences.with_p(row)))
    return overall_text(main), " ".join([sign, *(favoured(row, options) for row in rows)])


def mean_text(by_model: Result) -> str:
    """Return B_all averaged over models that weigh alike."""
    size, n = by_model.row(CORRECTED, group=OVERALL), count(by_model.counts["raters"], "model")
    text = sentences.estimate_text(size)
    return f"The mean of B_all (bias-corrected) over these {n} was {text}."


def verdict_on_groups(main: Result) -> Conclusion:
    """Return whose side the model takes, most clearly, or that the data do not show it."""
    rows = [row for row in biases_of(main) if row.estimate is not None]
    significant = [row for row in rows if is_shown(row, 0.0)]
    if not significant:
        text = "The data do not show that the model sides with any group of names"
        return verdict_of(text, certainty="open")
    row = max(significant, key=lambda row: abs(row.estimate or 0.0))
    first, second = groups_of(row)
    high, low = (first, second) if (row.estimate or 0.0) > 0 else (second, first)
    # B is 2 where all answers of both orders take one side, so (B + 2) / 4 of the choices
    share = (abs(row.estimate or 0.0) + MOST) / (2 * MOST)
    text = f"{data_show(row)} '{high}' names are favoured over '{low}' names"
    size = f", {of_ten(share)} times"
    unclear = [groups_of(row) for row in rows if row not in significant]
    conclusion = verdict_of(text, size, unclear_text(unclear), certainty=certainty_of(row))
    return replace(conclusion, claim="a bias")


def unclear_text(pairs: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Return the pairs of groups without a significant bias: by their names, and as their number.

    Examples
    --------
    >>> unclear_text([("man", "neutral"), ("man", "woman")])
    ("; 'man' against 'neutral' or 'woman' is unclear", '; 2 other pairs are unclear')
    """
    if not pairs:
        return ()
    number = f"; {count(len(pairs), 'other pair')} {'is' if len(pairs) == 1 else 'are'} unclear"
    shared = [name for name in pairs[0] if all(name in pair for pair in pairs)]
    if not shared:
        return (number,)
    side = shared[0]
    opponents = [f"'{b if a == side else a}'" for a, b in pairs]
    return f"; '{side}' against {' or '.join(opponents)} is unclear", number


def planning(main: Result) -> tuple[str, ...]:
    """Return by how many clusters of every factor the interval of B_all is halved; nothing without an interval.

    The interval inverts tests of correlated t's. It is taken to have the quantile of that with the fewest degrees of
    freedom, which grow with the clusters. The sentence says `about`: a mean over several biases has quantiles that fall
    less, and an end that is cut at 0 does not move.
    """
    size, df = main.row(CORRECTED, group=OVERALL), main.fit["effective_df"]
    scenarios, pairs = (
        clusters_to_halve(size, main.counts[name], df=df)
        for name in ("scenarios", "pairs of names")
    )
    if not scenarios or not pairs:
        return ()
    more = f"scenarios and {count(pairs)} more pairs of names"
    return (sentences.more_clusters_sentence(scenarios, more, "the mean absolute bias"),)


# the page


def run(design: Ratings, options: StudyOptions) -> Outcome:
    """Answer whom the model favours, how much the order of names matters, and how certain that is."""
    main = bias(design, options, resamples=options.resamples)
    if options.brief:
        # many models: the page has the biases and B_all of each
        rows = [row for row in main.rows if row.label("group") or row.label("quantity")]
        inside = replace(main, rows=tuple(row for row in rows if row.role != "test"))
        return page(inside, options, [ask_biases(inside, {})], answer(inside, options))
    if all(row.estimate is None for row in biases_of(main)):
        why = "no pair of groups was answered in both orders, which B compares"
        raise NothingToAnalyse(f"{design.source}: {why}")
    several = len(np.unique(design.rater)) > 1
    by_model = bias(design, options, aggregate="rater") if several else None
    blocks = [block for block in questions(design, main, options, by_model) if block is not None]
    lead = partial(same_bias, leading_bias(main))
    first, *more = with_design_effect(blocks, design.clusters, lead=lead)
    compared, texts = by_rater(design, options), answer(main, options)
    if compared:
        first = replace(first, question="Whom did the models favour, with their answers pooled?")
    if compared and by_model is not None:
        texts = (*lead_words(compared), mean_text(by_model))
    outcome = page(main, options, [*compared, first, *more], texts, compared)
    of_levels = [block.results for block in blocks if block.id.startswith(("scen", "stratum"))]
    few = few_clusters(*(result for results in of_levels for result in results))
    return replace(
        outcome,
        cautions=order_cautions(outcome.cautions, few, once=False),
        data=(answers_table(design),),
        diagnostics=diagnostics(design, main),
    )


def page(
    main: Result,
    options: StudyOptions,
    blocks: Sequence[Block | None],
    texts: Sequence[str],
    compared: Sequence[Block] = (),
) -> Outcome:
    """Return the page of the biases of a table."""
    design: Any = main.design
    who = "models" if compared or options.brief else "the model"
    return page_of(
        "relationship-bias",
        f"With whom did {who} side in a couple?",
        design,
        options,
        describe=describe(design, main),
        verdict=verdict_on_models(compared) or verdict_on_groups(main),
        answer=texts,
        planning=planning(main),
        leading={"Biases": main},
        blocks=blocks,
        uses=USED,
        methods=(*methods(main, options), *probability_methods(design, READ)),
        opening="bias",
    )


def few_clusters(*levels: Result) -> tuple[Caution, ...]:
    """Return the cautions SS202 that are about levels."""
    return tuple(
        caution
        for result in levels
        for caution in result.cautions
        if caution.code == "SS202"
        and any(
            touches(caution, row)
            for row in result.rows
            if row.label("level") or row.role == "difference"
        )
    )


def by_rater(design: Ratings, options: StudyOptions) -> tuple[Block, ...]:
    """Compare the models that are the raters of one table; nothing with one."""
    raters = [design.raters[code] for code in np.unique(design.rater).tolist()]
    if len(raters) < 2:
        return ()
    results = {rater: bias(design.of_raters([rater]), options) for rater in raters}
    noun = design.columns.get("rater", "model")
    return comparison(results, options, noun, further(results))


def describe(design: Ratings, main: Result) -> str:
    """Return the design in one line: kind, and n at every level."""
    n = main.counts
    parts = [
        count(n["answers"], "answer"),
        count(len(main.extras["groups"]), "group of names", "groups of names"),
        f"{count(n['complete couples'], 'couple')} answered in both orders",
        *(count(n[name], "model") for name in n if name == "raters"),
        *cluster_words(design),
    ]
    return "Couples asked in both orders: " + ", ".join(parts)


def diagnostics(design: Ratings, main: Result) -> tuple[Diagnostic, ...]:
    """Return how balanced both orders are, and what missing answers mean for B."""
    single = main.counts["couples answered in one order only"]
    couples = count(main.counts["complete couples"] + single, "couple")
    so_what = "The order effect cancels in B."
    if np.any(design.status != OK):
        so_what = (
            "B compares the two orders and is biased if orders are not missing at random; the bounds count all "
            "missing answers one way."
        )
    lacking = f"{count(single, 'couple was', 'couples were')} not, of {couples}."
    return (
        Diagnostic(
            check="Was every couple answered in both orders?",
            found=lacking if single else "Yes.",
            so_what=so_what,
        ),
    )


def methods(main: Result, options: StudyOptions) -> tuple[str, ...]:
    """Return the methods: brief, then in full."""
    groups = listing([f"'{shorten(group, 30)}'" for group in main.extras["groups"]])
    clusters = listing([factor.name for factor in main.design.clusters])
    m = sum(row.p_adjusted is not None for row in biases_of(main))
    holm = f"p values were Holm-adjusted over the pairs of groups (m = {m}). " if m else ""
    return (
        "Bias B is the mean answer (−1 first name, +1 second) with the group before the minus sign second, minus that "
        f"with it first. {percent_of(options.level)} CIs used t with crossed clusters of {clusters}. {holm}B_all, the "
        "mean absolute bias, was bias-corrected, with a CI by test inversion.",
        f"S is the mean answer to couples of two groups of names ({groups}) in one order. B ranges from −2 to 2. "
        f"{main.inference}. Verdicts rest on the {'adjusted ' * bool(m)}p values. B_all is positive even without "
        "bias. Its expected value then follows from the clustered standard errors. Its CI contains all values that a "
        "test does not reject. McNemar's test treats couples of one scenario as independent and is shown for "
        "comparison with publications.",
    )
