"""Study norm-goal: do others choose each option as often as people, where do they differ, and how similar are they?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from socialstats import sentences
from socialstats.agreement.krippendorff_alpha import krippendorff_alpha
from socialstats.arrays import BoolArray
from socialstats.custom.multiverse import Variant
from socialstats.designs.nouns import noun_or
from socialstats.designs.parts import OK, REFUSAL
from socialstats.designs.ratings import Ratings
from socialstats.designs.vocabulary import BASELINES, CONTROLS, MODELS
from socialstats.errors import Caution, InputError, caution
from socialstats.inference.dependence import is_nested_in
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.planning.part_gaps import part_gaps
from socialstats.results import Result, Row
from socialstats.results.rows import Role
from socialstats.shares.choice_shares import choice_shares, chosen_text
from socialstats.shares.counts import cells_of
from socialstats.shares.independent_ratings import independent_ratings
from socialstats.shares.js_similarity import js_similarity
from socialstats.shares.multinomial_logit import multinomial_logit
from socialstats.shares.reply_shares import reply_shares
from socialstats.shares.sources import RaterSource, human_source, raters_of
from socialstats.studies.alphas import agreement_question, kinds_sentences
from socialstats.studies.asking import ask_result, ask_rows, attempt_result, page_of
from socialstats.studies.estimates import (
    declared_clusters,
    equivalence_bounds,
    halved,
    is_inside,
    probability_methods,
)
from socialstats.studies.models import FEW, comparison, lead_words, verdict_on_models
from socialstats.studies.multiverse import (
    Way,
    analysis_variants,
    dependence_block,
    multiverse_question,
    with_design_effect,
)
from socialstats.studies.page import Block, Diagnostic, Outcome, StudyOptions, check_named
from socialstats.studies.ratings import describe, united
from socialstats.studies.row_figures import cell_map, interval_points, share_bars
from socialstats.studies.row_picking import (
    MOST_NAMED,
    compared_sides,
    leading_difference,
    leading_groups,
    name_rows,
    pick_rows,
    rows_by,
)
from socialstats.studies.row_sentences import largest_sentence, span_sentence, tally_sentence
from socialstats.studies.sources import Rule, crossed, refusal_block, replies_block
from socialstats.studies.verdicts import Conclusion, more_or_less_frequent
from socialstats.text import (
    as_given,
    as_words,
    count,
    listing,
    percent_of,
    plural_of,
    quoted,
    shorten,
)

# what the study calls a level of the values
CHOICE = "action"
BASES = (*BASELINES, *CONTROLS)
USED = ("seed", "resamples", "level", "smallest_effect", "verify", "reference")
MOST_STRATA, MOST_CELLS, MOST_SOURCES = 4, 80, 30
LABEL = 30  # characters of a name in a sentence
READ = (
    "Shares, their differences and changes, and similarities are those of these {shares}; agreement and the "
    "logit use the {drawn}"
)


# prepare


def base_of(levels: Sequence[str], reference: str | None) -> str | None:
    """Return the level that the others are compared with: the one asked for, or one that is called base or none.

    Examples
    --------
    >>> base_of(["goal", "None", "risk"], None), base_of(["a", "b"], "b"), base_of(["a", "no pressure"], None)
    ('None', 'b', 'no pressure')
    """
    if reference in levels:
        return reference
    words = {level: level.strip().casefold() for level in levels}
    called = [
        level for level in levels if f"{words[level]} ".startswith("no ") or words[level] in BASES
    ]
    return called[0] if called else None


def base_first(design: Ratings, reference: str | None) -> Ratings:
    """Return the design with the base of each stratum as its first level, the order of the others kept."""
    levels = dict.fromkeys(level for factor in design.strata.values() for level in factor.levels)
    check_named("reference", reference, [*levels], f"level of {listing([*design.strata])}")
    strata = {
        name: factor.led_by(base_of(factor.levels, reference))
        for name, factor in design.strata.items()
    }
    return replace(design, strata=strata)


def lies_apart(design: Ratings, stratum: str) -> bool:
    """Return whether every declared cluster lies in one level of a stratum, so that its levels are independent."""
    return all(is_nested_in(factor, design.strata[stratum]) for factor in design.clusters)


# compute


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceAnswers:
    """The design and the results that questions pick their rows from.

    Attributes
    ----------
    design : Ratings
    source : RaterSource
    options : StudyOptions
    shares, similar : mapping of stratum (None where there is none) to Result
        Each also has the rows of all units.
    cells : Result or None
        Similarity in every combination of the first two strata.
    alphas : mapping of source to Result
    """

    design: Ratings
    source: RaterSource
    options: StudyOptions
    shares: dict[str | None, Result]
    similar: dict[str | None, Result]
    cells: Result | None
    alphas: dict[str, Result]

    @property
    def strata(self) -> tuple[str, ...]:
        """Names of the strata that the page goes through."""
        return tuple(name for name in self.shares if name is not None)

    @property
    def rows(self) -> list[Row]:
        """Shares, differences and tests of all units."""
        return pick_rows(next(iter(self.shares.values())).rows, None, stratum=False)

    @property
    def similarity(self) -> Result:
        """The similarity of all units, with that of the levels of the first stratum."""
        return next(iter(self.similar.values()))

    @property
    def gap(self) -> Row:
        """The largest significant difference of a source to people in all units, or the largest one."""
        gaps = pick_rows(self.rows, "difference")
        return leading_difference(gaps) or gaps[0]

    @property
    def leading(self) -> str:
        """The source of that difference, of which robustness is asked."""
        return self.gap.label("source") or ""

    @property
    def people(self) -> str:
        """What the people are called."""
        return f"{shorten(self.source.human, LABEL)} raters"

    def name_of(self, label: str) -> str:
        """Return a source as a sentence needs it: a noun, as columns of models have, takes an article."""
        name = shorten(label, LABEL)
        return f"the {name}" if label.casefold() in MODELS.words else name

    def of_source(self, label: str) -> str:
        """Return whose differences are counted, where there are several sources beside people."""
        return f" of {shorten(label, LABEL)}" if len(self.source.others) > 1 else ""


def compute(design: Ratings, source: RaterSource, options: StudyOptions) -> SourceAnswers:
    """Compute the numbers that lead the page."""
    names = [name for name, f in design.strata.items() if 1 < len(f.levels) <= MOST_CELLS // 4]
    # what was crossed with the units comes first
    strata: list[str | None] = [*names[::-1][: 1 if options.brief else MOST_STRATA]]
    common = options.chosen()
    options_of: dict[str, Any] = {"source": source.name, "reference": source.human, **common}
    shares: dict[str | None, Any] = {}
    similar: dict[str | None, Any] = {}
    for name in strata or [None]:
        # changes need the one cluster in which a stratum varies
        levels = design.strata[name].levels if name and len(design.clusters) == 1 else ()
        base = base_of(levels, options.reference)
        shares[name] = choice_shares(design, stratum=name, base=base, **options_of)
        similar[name] = js_similarity(design, cell=name, **options_of)
    cells: Any = None
    pair = tuple(name for name in strata[:2] if name)
    if len(pair) == 2 and len(cells_of(design, pair, "cell").labels) <= MOST_CELLS:
        cells = js_similarity(design, cell=pair, **options_of)
    alpha = partial(attempt_result, krippendorff_alpha, design, scale="nominal", **common)
    labels = (source.human, *source.others)
    alphas = {label: alpha(raters=raters_of(design, source, label)) for label in labels}
    return SourceAnswers(
        design=design,
        source=source,
        options=options,
        shares=shares,
        similar=similar,
        cells=cells,
        alphas={name: result for name, result in alphas.items() if result is not None},
    )


# questions


def questions(a: SourceAnswers) -> Iterator[Block | None]:
    """Yield the questions in the order of a reader's interest, of each stratum and then of all."""
    for k, name in enumerate(a.shares):
        yield ask_shares(a, name, k)
        if name is not None:
            yield ask_differences(a, name, k)
            yield ask_changes(a, name, k)
        yield ask_similarity(a, name, k)
    yield ask_cells(a)
    yield ask_agreement(a)
    logit = attempt_result(multinomial_logit, a.design, terms=a.strata, level=a.options.level)
    question = f"Which factors influenced the {CHOICE}s in one model of all of them?"
    yield ask_result("logit", logit, question, part="appendix")
    yield from ask_robustness(a)


def numbered(name: str, k: int) -> str:
    """Return the anchor of a question about the k-th stratum."""
    return f"{name}-{k + 1}" if k else name


def ask_shares(a: SourceAnswers, name: str | None, k: int) -> Block | None:
    """Ask how often each level was chosen: in all units, and in each stratum."""
    result, by = a.shares[name], f" by {as_words(name)}" if name else ""
    rows = [
        row
        for part in rows_by(pick_rows(result.rows), "stratum").values()
        for row in sorted(part, key=lambda row: row.label("source") != a.source.human)
        if row.label("stratum") or not k
    ]
    compared = pick_rows(result.rows, None, stratum=True, level=True, base=False)
    gaps = between_levels(a, name, compared, "stratum")
    tests, adjusted = whole_tests(a)
    tables = {"Entropies (bits)": pick_rows(result.rows, "component")}
    if not k:
        family = f"{CHOICE}s" + " of each source" * (len(a.source.others) > 1)
        of_all = f"Differences of shares to {a.people}, all units; p (Holm): over the {family}"
        tables[of_all] = pick_rows(a.rows, "difference")
        tables["Any difference of shares, all units"] = tests
    return ask_rows(
        numbered("shares", k),
        f"How often was each {CHOICE} chosen{by}?",
        result,
        rows,
        quantity=f"shares of the {CHOICE}s{by}",
        say=[] if k else chosen_sentences(a),
        draw=share_bars("source", "stratum" if a.strata else "", none="all units"),
        tables=tables,
        results=[None if k else adjusted],
        beside=[gaps],
        part="appendix" if k else "main",
    )


def whole_tests(a: SourceAnswers) -> tuple[list[Row], Result | None]:
    """Return the test of any difference of each source to people in all units, adjusted over sources."""
    tests = [row for row in pick_rows(a.rows, "test") if row.test != "chi2"]
    rows, adjusted = adjust_family_by_holm(tests, "any difference of shares")
    return list(rows), adjusted


def between_levels(
    a: SourceAnswers, name: str | None, rows: Sequence[Row], dimension: str
) -> Result | None:
    """Return the differences between the levels of a stratum that share no cluster."""
    if name is None or a.options.brief or not lies_apart(a.design, name):
        return None
    return part_gaps(rows, dimension, name, a.options.level)


def chosen_sentences(a: SourceAnswers) -> list[str]:
    """State how many differences to people were significant, and which levels the leading sources chose more often."""
    rows = pick_rows(a.rows, "difference")
    groups = rows_by(rows, "source")
    tally = tally_sentence(rows, "difference", f" in shares from {a.people}")
    return [tally, *(chosen_text(groups[label]) for label in leading_groups(groups))]


def source_sentences(
    a: SourceAnswers, rows: Sequence[Row], every: Sequence[Row], what: str = ""
) -> list[str]:
    """State the largest difference of the leading sources to people, and how many were significant."""
    groups = rows_by(rows, "source")
    largest = [
        largest_sentence(groups[label], every, of=what + a.of_source(label))
        for label in leading_groups(groups)
    ]
    return [*largest, tally_sentence(rows, "difference", what)]


def ask_differences(a: SourceAnswers, name: str, k: int) -> Block | None:
    """Ask in which levels of a stratum sources differed from people."""
    result, by = a.shares[name], as_words(name)
    rows = pick_rows(result.rows, "difference", reference=True, stratum=True, base=False)
    whose = " within each source," * (len(a.source.others) > 1)
    tests = f"Any difference of shares by {by}; p (Holm):{whose} over levels of {by}"
    return ask_rows(
        f"differences-{k + 1}",
        f"Where did sources differ from {a.people}, by {by}?",
        result,
        rows,
        quantity=f"share minus that of {a.people}, by {by}",
        say=source_sentences(a, rows, result.rows),
        draw=interval_points(panels="level", label=by),
        tables={tests: pick_rows(result.rows, "test", stratum=True, base=False)},
        note=f"p values Holm-adjusted over levels of {by} and {CHOICE}s.",
    )


def ask_changes(a: SourceAnswers, name: str, k: int) -> Block | None:
    """Ask how much each source changed from the base of a stratum, and how much more than people."""
    result, by = a.shares[name], as_words(name)
    base = result.settings["base"]
    first = f"'{shorten(str(base), LABEL)}'"
    changes = pick_rows(result.rows, "difference", base=True)
    if not any(row.has_interval for row in changes):
        return None
    beyond = pick_rows(changes, "difference", reference=True)
    recognised = "" if base == a.options.reference else f" {first} is the base by its name."
    tests = f"Any change from {first}, all {CHOICE}s at once"
    return ask_rows(
        f"changes-{k + 1}" if k else "changes",
        f"How much did each source change from {first}?",
        result,
        beyond,
        quantity=f"change from {first}, minus that of {a.people}",
        say=source_sentences(a, beyond, changes, " between changes"),
        draw=interval_points(panels="level", label=by),
        tables={
            f"Changes from {first}": pick_rows(changes, "difference", reference=False),
            tests: pick_rows(result.rows, "test", base=True),
        },
        note=f"p values Holm-adjusted over {by} and {CHOICE}s.{recognised}",
    )


def ask_similarity(a: SourceAnswers, name: str | None, k: int) -> Block | None:
    """Ask how similar all shares were, in all units and in each level, beside two halves of the people."""
    result, by = a.similar[name], f" by {as_words(name)}" if name else ""
    cells, adjusted = adjust_family_by_holm(
        pick_rows(result.rows, None, cell=True), f"cells of {name}"
    )
    of_all = [] if k else pick_rows(result.rows, None, cell=False)
    levels = a.design.strata[name].levels if name else ()
    of_levels = [row for row in pick_rows(cells) if row.label("cell") in levels]
    gaps = between_levels(a, name, of_levels, "cell")
    return ask_rows(
        numbered("similarity", k),
        f"How similar were the shares of all {CHOICE}s{by}?",
        result,
        [*pick_rows(of_all), *pick_rows(of_all, "reference"), *pick_rows(cells)],
        quantity=f"Jensen-Shannon similarity{by}",
        say=[span_sentence(of_levels, "the similarity") if name else ""],
        draw=interval_points(1.0),
        tables={
            "Plug-in similarity": pick_rows([*of_all, *cells], "component"),
            "Two halves of the people": pick_rows(cells, "reference"),
        },
        results=[adjusted],
        beside=[gaps],
        note=f"1: equal shares. {shorten(a.source.human, LABEL)}: two random halves of its ratings.",
        part="appendix" if k else "main",
    )


def ask_cells(a: SourceAnswers) -> Block | None:
    """Ask in which combination of two strata sources were least similar to people."""
    if a.cells is None:
        return None
    first, second = pair = a.strata[:2]
    rows = pick_rows(a.cells.rows, **dict.fromkeys(pair, True))
    across = ["source", first] if len(a.source.others) > 1 else [first]
    return ask_rows(
        "cells",
        f"In which {as_words(second)} and {as_words(first)} were they least similar?",
        a.cells,
        rows,
        quantity="Jensen-Shannon similarity in each cell",
        say=[span_sentence(rows, "the similarity"), "No difference between cells was tested."],
        draw=cell_map(second, *across, neutral=1.0, extreme=0.2),
        names=name_rows(rows, without=["cell"]),
        tables={
            "Plug-in similarity in each cell": pick_rows(
                a.cells.rows, "component", **dict.fromkeys(pair, True)
            )
        },
        note="Darkest colour: .80 and below. Values above 1 reflect sampling error.",
    )


def ask_agreement(a: SourceAnswers) -> Block | None:
    """Ask whether raters of one source agreed within units, which a similarity of shares does not measure."""
    alphas = {(f"within {shorten(name, LABEL)}", "nominal"): a.alphas[name] for name in a.alphas}
    say = (
        "Equal shares do not imply agreement within units. Repeated runs do not add units: intervals and tests count "
        "units or clusters."
    )
    return agreement_question(
        alphas,
        [*kinds_sentences(alphas), say],
        question=f"Did raters of one source choose the same {CHOICE} in the same unit?",
    )


def ask_robustness(a: SourceAnswers) -> Iterator[Block | None]:
    """Yield what the answer rests on: clusters, unusable replies, refusals, and the analysis variant."""
    label, level = shorten(a.leading, LABEL), shorten(a.gap.term, LABEL)

    def compare(way: Way) -> Any:
        return choice_shares(
            a.design, cluster=way, permutations=a.options.resamples, **share_options(a)
        )

    naive = attempt_result(
        independent_ratings,
        a.design,
        source=a.source.name,
        first=a.leading,
        second=a.source.human,
        choice=a.gap.term,
        level=a.options.level,
    )
    yield dependence_block(
        declared_clusters(a.design),
        compare,
        rows="units",
        quantity=f"difference of shares of {level}",
        lead=partial(same_row, a.gap),
        naive=None if naive is None else ("ratings independent", naive),
    )
    stratum = next(iter(a.strata), None)
    replies = reply_shares(a.design, source=a.source.name, stratum=stratum, level=a.options.level)
    yield replies_block(a.design, replies)
    yield ask_refusals(a)
    yield multiverse_question(
        "js_similarity",
        f"similarity of {label}",
        variants(a, a.leading),
        reference=1.0,
        words="1 (equal shares)",
        what="similarity",
        note="Within units, sources are compared unit by unit, which requires more than equal overall shares.",
    )


def share_options(a: SourceAnswers) -> dict[str, Any]:
    """Return the options of a comparison of shares in all units."""
    chosen = a.options.chosen("level", "seed")
    return {"source": a.source.name, "reference": a.source.human, **chosen}


def same_row(gap: Row, result: Result) -> Row:
    """Return the row of the same difference in another result; the row of one that has no other."""
    return next((row for row in result.rows if row.key == gap.key), result.rows[0])


def ask_refusals(a: SourceAnswers) -> Block | None:
    """Ask how much refusals could change a difference to people: of the source that refused most.

    The bounds of further sources are not shown; those that turn a conclusion are in the answer too.
    """
    factor, refusals = a.design.rater_groups[a.source.name], a.design.status == REFUSAL
    answered = factor.codes[a.design.rater]
    refused = {label: refusals & (answered == k) for k, label in enumerate(factor.levels)}
    groups = rows_by(pick_rows(a.rows, "difference"), "source")
    gaps = {label: leading_difference(rows) for label, rows in groups.items()}
    # the first of these is shown
    order = sorted(gaps, key=lambda label: -refused[label].sum())
    bounds = [
        bounds_of(a, gap, refused[label])
        for label in order[: 1 if a.options.brief else FEW]
        if (gap := gaps[label]) is not None
    ]
    blocks = [block for block in bounds if block is not None]
    turned = tuple(analysis for block in blocks for analysis in block.turned)
    return replace(blocks[0], turned=turned) if blocks else None


def bounds_of(a: SourceAnswers, gap: Row, refused: BoolArray) -> Block | None:
    """Return a difference under each rule of counting refusals; None without refusals."""
    place = a.design.levels.index(gap.term)

    def bound(rule: Rule) -> Any:
        # against a level, any other counts
        level = place if rule == "for" else (place + 1) % len(a.design.levels)
        counted = refused & (rule != "drop")
        status = np.where(counted, OK, a.design.status).astype(np.int8)
        design = replace(a.design, value=np.where(counted, level, a.design.value), status=status)
        return choice_shares(design, permutations=99, **share_options(a))

    label = shorten(gap.label("source") or "", LABEL)
    return refusal_block(
        bound,
        int(refused.sum()),
        lead=partial(same_row, gap),
        quantity=f"difference of shares of '{shorten(gap.term, LABEL)}', {label} minus {a.people}",
    )


def variants(a: SourceAnswers, source: str) -> list[Variant]:
    """Return the analyses: bias, aggregation, interval, clusters, raters, cells, refusals, a level left out."""
    compute = partial(
        js_similarity,
        **share_options(a),
        resamples=a.options.resamples,
        permutations=min(a.options.resamples, 199),
        splits=99,
    )

    def lead(result: Result, role: Role = "estimate") -> Row:
        rows = pick_rows(result.rows, role, source=source)
        # the page's result has further cells; of others the mean of cells comes last
        return rows[0] if result is a.similarity else rows[-1]

    page = Variant(
        label="pooled, corrected for bias",
        choice="as on this page",
        compute=lambda: a.similarity,
        lead=lead,
    )
    plain = replace(
        page,
        label="plug-in, without correction",
        choice="bias",
        lead=partial(lead, role="component"),
    )
    analyses: list[tuple[str, str, dict[str, Any]]] = [
        ("aggregation", "within units, then averaged", {"aggregate": "unit"}),
        ("interval", "bootstrap of units (percentile)", {"ci": "percentile"}),
    ]
    if a.similarity.settings["people"] == "random":
        analyses.append(("raters", f"for these {a.source.human} raters", {"people": "fixed"}))
    for name in a.strata:
        analyses.append(("macro or micro", f"mean of the cells of {name}", {"cell": name}))
    if (a.design.status == REFUSAL).any():
        analyses.append(("refusals", "refusals as an action", {"refusal": "level"}))
    variants_of = analysis_variants(page, compute, a.design, analyses, a.strata)
    return [page, plain, *variants_of[1:]]


# answer


def answer(a: SourceAnswers, label: str) -> str:
    """Return the verdict on one source, and its largest difference.

    Two one-sided tests at level alpha that all are inside the smallest difference hold for all of them together
    (Berger, 1982). This may be so even if the test of any difference is significant.
    """
    name, smallest = a.name_of(label), a.options.smallest_effect
    gaps = pick_rows(a.rows, "difference", source=label)
    (test,) = pick_rows(whole_tests(a)[0], "test", source=label)
    largest = largest_sentence(gaps, a.rows, of=a.of_source(label))
    how = "F test" if test.test == "f" else "cluster permutation test"
    tested = "" if test.p_value is None else f"{how}, {sentences.p_of(test)}"
    if smallest is not None and all(is_inside(equivalence_bounds(row), smallest) for row in gaps):
        also = f" (test of any difference: {tested})" if tested else ""
        near = as_given(smallest)
        equal = f"The choices of {name} were equivalent to those of {a.people} in every share"
        return f"{equal} within ±{near}{also}. {largest}"
    if not tested:
        what = f"the comparison of {name} with {a.people}"
        return sentences.no_number(what, test.undefined or "no test")
    significant = sentences.is_significant(test, 1 - a.options.level)
    verb = "differed" if significant else "did not differ significantly"
    return f"The choices of {name} {verb} from those of {a.people} ({tested}). {largest}"


def answers(a: SourceAnswers, compared: Sequence[Block]) -> Iterator[str]:
    """Yield the answer on each source, of many how they compare, and their similarity to people."""
    yield from lead_words(compared)
    if not (a.options.brief and compared):
        yield from (answer(a, label) for label in a.source.others[:FEW])
    for row in pick_rows(a.similarity.rows, cell=False):
        if row.estimate is None:
            what = f"the similarity of {shorten(row.term, LABEL)}"
            yield sentences.no_number(what, row.undefined or "no rating")
    yield a.similarity.sentence()


def verdict(a: SourceAnswers, compared: Sequence[Block]) -> Conclusion:
    """Return which level the only other source differs in from people, or how several sources rank."""
    sides = compared_sides(a.gap, a.rows)
    shares = [side.estimate for side in sides or () if side.estimate is not None]
    return verdict_on_models(compared) or more_or_less_frequent(
        a.gap,
        f"'{shorten(a.gap.term, LABEL)}'",
        f"among choices of {a.name_of(a.leading)}",
        f"of {a.people}",
        (shares[0], shares[1]) if len(shares) == 2 else None,
    )


# the page


def run(design: Ratings, options: StudyOptions) -> Outcome:
    """Answer whether the others choose each level as often as people, where they differ, and how certain that is."""
    design = base_first(crossed(design.of_answers()), options.reference)
    source = human_source(design)
    if source is None:
        raise InputError(
            "no rater group has a level called human beside others; say which: --map rater_source=COLUMN"
        )
    n = count(len(source.others), "source")
    if len(source.others) > MOST_SOURCES:
        raise InputError(f"{n} beside '{source.human}'; a page holds {MOST_SOURCES}")
    a = compute(design, source, replace(options, brief=len(source.others) > FEW))
    compared = comparison(a.similarity, a.options, source.name)
    blocks = with_design_effect(
        [block for block in questions(a) if block is not None],
        design.clusters,
        lead=partial(same_row, a.gap),
    )
    who = listing([*(a.name_of(label) for label in source.others), a.people])
    if len(source.others) > MOST_NAMED:
        who = f"{n} and of {a.people}"
    results = [a.cells, *a.shares.values(), *a.similar.values(), *a.alphas.values()]
    leading = {f"{r.title} ({k + 1})": r for k, r in enumerate(results) if r is not None}
    what = f"the difference of {a.name_of(a.leading)} for '{shorten(a.gap.term, LABEL)}'"
    return page_of(
        "norm-goal",
        f"How similar were the choices of {who}?",
        design,
        options,
        describe=describe_sources(a),
        verdict=verdict(a, compared),
        answer=answers(a, compared),
        planning=halved(design.clusters, a.gap, a.gap.n_units, what),
        leading=leading,
        blocks=(*compared, *blocks),
        uses=USED,
        cautions=(run_cautions(a),),
        data=(united(design),),
        diagnostics=diagnostics(a),
        methods=methods(a),
        references=("berger1982",) if options.smallest_effect is not None else (),
        opening="shares",
    )


def run_cautions(a: SourceAnswers) -> tuple[Caution, ...]:
    """Caution SS322 where the raters of a source agree more than people, by intervals that do not overlap."""
    rows = {name: result.rows[0] for name, result in a.alphas.items()}
    most = rows[a.source.human].conf_high if a.source.human in rows else None
    if most is None or all((row.conf_low or most) <= most for row in rows.values()):
        return ()
    alphas = [
        f"{shorten(name, LABEL)} {sentences.estimate_text(row)}" for name, row in rows.items()
    ]
    detail = (
        f"repeated answers of a source agreed more than {a.people}, by CIs that do not overlap (α: "
        f"{'; '.join(alphas)}). Repeated runs do not add units"
    )
    fix = "count units or clusters, as here"
    return (caution("SS322", detail, affects="anything that counts rows", fix=fix),)


def describe_sources(a: SourceAnswers) -> str:
    """Return the design in one line: kind, n at every level, and the raters of each source."""
    raters = [
        f"{count(len(raters_of(a.design, a.source, name)))} {shorten(name, LABEL)}"
        for name in (a.source.human, *a.source.others)
    ]
    return f"{describe(a.design)}. Raters: {listing(raters, most=4)}"


def diagnostics(a: SourceAnswers) -> tuple[Diagnostic, ...]:
    """Return how many units each source and people both rated."""
    by_source = rows_by(pick_rows(a.rows, "difference"), "source")
    shared = [
        f"{shorten(label, LABEL)} {count(rows[0].n_units or 0)}"
        for label, rows in by_source.items()
    ]
    return (
        Diagnostic(
            check="Which units did a source and people both rate?",
            found=f"Of {count(a.design.unit_count.sum(), 'unit')}: {listing(shared)}.",
            so_what="Differences rest on the units that both sources rated.",
        ),
    )


def methods(a: SourceAnswers) -> tuple[str, ...]:
    """Return the methods: brief, then in full."""
    shares, human = next(iter(a.shares.values())), shorten(a.source.human, LABEL)
    clusters = a.design.clusters
    many = plural_of(noun_or(clusters[0].name, "cluster") if len(clusters) == 1 else "unit")
    whose = f"over {many}, for these raters. Sources were permuted in whole {many}"
    if shares.settings["people"] == "random":
        whose = f"over samples of {many} and raters, and by F"
    strata = quoted([as_words(name) for name in a.strata]) or "none"
    return (
        f"Shares of {count(len(a.design.levels), CHOICE)} were compared with those of {human} raters by differences "
        f"with {percent_of(a.options.level)} t intervals {whose}. Jensen-Shannon similarity (1 minus the divergence "
        f"in bits; 1: equal shares) was bias-corrected; its ceiling is two random halves of the {human} ratings. p "
        f"values were Holm-adjusted over {CHOICE}s and levels.",
        *probability_methods(a.design, READ),
        f"Shares: {shares.inference}. {a.similarity.title}: 1 minus the Jensen-Shannon divergence in bits, "
        "bias-corrected by the jackknife. Values above 1 were set to 1, differences computed before. CIs: "
        f"{a.similarity.inference}. Halves are of the {human} ratings of each unit and are corrected alike. "
        f"The tables name what p values were adjusted over. Strata: {strata}.",
    )
