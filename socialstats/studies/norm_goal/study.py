"""Study norm-goal: the actions of models and people, by pressure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from socialstats import sentences
from socialstats.agreement.krippendorff_alpha import krippendorff_alpha
from socialstats.custom.multiverse import Variant, distinct, multiverse, without_label
from socialstats.designs.nouns import noun_or
from socialstats.designs.parts import OK, REFUSAL
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, NothingToAnalyse, UndefinedStatistic, caution
from socialstats.inference.halving import clusters_to_halve
from socialstats.planning.part_gaps import part_gaps
from socialstats.results import Result, Row
from socialstats.shares.choice_shares import choice_shares
from socialstats.shares.counts import cells_of, source_counts
from socialstats.shares.independent_ratings import independent_ratings
from socialstats.shares.js_similarity import js_similarity, plug_in_cautions
from socialstats.shares.reply_shares import reply_shares
from socialstats.shares.sources import RaterSource, human_source, raters_of
from socialstats.studies.estimates import (
    Verdict,
    cluster_words,
    equivalence_bounds,
    is_inside,
    probability_methods,
    references_of,
    rows_table,
    settings_of,
    single,
    verify_all,
)
from socialstats.studies.models import FEW, comparison, lead_words, verdict_on_models
from socialstats.studies.multiverse import (
    MOST_LEFT_OUT,
    Way,
    dependence_block,
    multiverse_block,
    other_analyses,
    with_design_effect,
)
from socialstats.studies.norm_goal.logit import logit_block
from socialstats.studies.norm_goal.shares import (
    MOST_NAMED,
    SWAPPED,
    agreement_block,
    any_tests,
    apart,
    base_first,
    base_in,
    both_shares,
    cells_block,
    changes_blocks,
    differences_block,
    foremost,
    gaps_table_block,
    halves,
    largest,
    near_one,
    of_source,
    share_parts,
    shares_block,
    side_sentences,
    similar_row,
    similarity_block,
    similarity_parts,
    widest,
    words,
)
from socialstats.studies.page import (
    Block,
    Diagnostic,
    Outcome,
    Study,
    StudyOptions,
    order_cautions,
)
from socialstats.studies.ratings import united
from socialstats.studies.sources import (
    Rule,
    Shares,
    crossed,
    refusal_block,
    replies_block,
    unpacked,
)
from socialstats.studies.verdicts import LABEL, Conclusion, more_or_less_frequent
from socialstats.text import as_given, count, listing, percent_of, plural_of, quoted, shorten


def shares_verdict(
    gaps: Sequence[Row], test: Row, *, alpha: float, smallest: float | None = None
) -> Verdict:
    """Return the verdict on the differences of all shares of two sources together.

    Parameters
    ----------
    gaps : sequence of Row
        One row an action: the difference of shares with its t interval.
    test : Row
        The test of any difference.
    alpha : float
        Level of the test.
    smallest : float, optional
        The smallest difference of shares of interest.

    Returns
    -------
    {"equal", "differs", "open", "none"}
        "equal" where two one-sided tests put every difference within the smallest effect of interest. Each test is at
        level alpha, which then holds for all of them together (Berger, 1982). This may hold even if the test of any
        difference is significant. "none" without a test.

    Examples
    --------
    >>> gap = Row(term="comply", estimate=0.01, std_error=0.01, conf_low=-0.0096, conf_high=0.0296, conf_level=0.95)
    >>> shares_verdict([gap], Row(term="any", p_value=0.3), alpha=0.05, smallest=0.05)
    'equal'
    >>> shares_verdict([gap], Row(term="any", p_value=0.3), alpha=0.05)
    'open'

    References
    ----------
    Berger, R. L. (1982). Multiparameter hypothesis testing and acceptance sampling. Technometrics, 24(4), 295-300.
    doi:10.2307/1267823
    """
    if (
        smallest is not None
        and gaps
        and all(is_inside(equivalence_bounds(row), smallest) for row in gaps)
    ):
        return "equal"
    if test.p_value is None:
        return "none"
    return "differs" if sentences.is_significant(test, alpha) else "open"


def verdict_on_sources(numbers: Numbers, source: RaterSource, first: Sequence[Block]) -> Conclusion:
    """Return which action the only other source, or which of several sources, differs in from people."""
    if len(source.others) > 1:
        told = verdict_on_models(first)
        if told is not None:
            return told
    name, human = numbers.lead, source.human
    gap = widest(numbers.whole.gaps[name, None])
    shares = [
        row.estimate
        for who in (name, human)
        for row in numbers.whole.shares[who, None]
        if row.term == gap.term and row.estimate is not None
    ]
    return more_or_less_frequent(
        gap,
        f"'{shorten(gap.term, LABEL)}'",
        f"among choices of {shorten(name, LABEL)}",
        f"of {shorten(human, LABEL)} raters",
        (shares[0], shares[1]) if len(shares) == 2 else None,
    )


def answer(
    whole: Shares,
    similarity: Result,
    source: RaterSource,
    other: str,
    options: StudyOptions,
    units: str = "units",
) -> str:
    """Return the verdict on one source, its largest difference and its similarity.

    Parameters
    ----------
    whole : Shares
    similarity : Result
    source : Source
    other : str
    options : StudyOptions
    units : str
        What the test permutes, with its number: ``160 scenarios``.
    """
    human, name, test = (
        shorten(source.human, 30),
        shorten(other, 30),
        any_tests(whole, source)[0][other],
    )
    beside = beside_text(similarity, other, human)
    gaps = whole.gaps[other, None]
    gap = widest(gaps)
    both = both_shares(whole, gap, source, other, None)
    far = f"The {largest(gap, gaps)} difference{of_source(source, other)} was for '{shorten(gap.term, 30)}': {both}."
    found = shares_verdict(gaps, test, alpha=1 - options.level, smallest=options.smallest_effect)
    over = (
        f"F test over {units} and {human} raters" if test.test == "f" else f"{SWAPPED} over {units}"
    )
    tested = "" if test.p_value is None else f"{over}, {sentences.p_of(test)}"
    if found == "equal":
        near = as_given(options.smallest_effect or 0.0)
        also = f" (test of any difference: {tested})" if tested else ""
        return f"{name} was equivalent to {human} raters in every share within ±{near}{also}. {far} {beside}"
    if found == "none":
        said = sentences.no_number(
            f"the comparison of {name} with {human} raters", test.undefined or "no test"
        )
        apart = test.reason == "no_data"  # shares and similarity are then of different units
        return said if apart else f"{said} {beside}"
    verdict = "differed" if found == "differs" else "did not differ significantly"
    return (
        f"The choices of {name} {verdict} from those of {human} raters ({tested}). {far} {beside}"
    )


def beside_text(similarity: Result, other: str, human: str) -> str:
    """Return the similarity of a source, beside its ceiling."""
    top = halves(similarity)
    shares = "Jensen-Shannon similarity of the shares over all units"
    said = f"{shares} was {sentences.estimate_text(similar_row(similarity, other))}"
    if top.estimate is None:
        return f"{said}."
    return f"{said} (equal shares: 1; two random halves of the {human} ratings: {near_one(top)})."


def ceiling_text(similarity: Result, human: str) -> str:
    """Return the similarity of two halves of the people, the ceiling of that of the sources."""
    top = near_one(halves(similarity))
    return f"Equal shares have similarity 1; two random halves of the {shorten(human, 30)} ratings have {top}."


NAME = "ratings independent"


def variants_block(
    design: Ratings,
    similar: Result,
    source: RaterSource,
    first: str,
    strata: Sequence[str],
    options: StudyOptions,
) -> Block | None:
    """Return the similarity of one source under each analysis variant."""
    made = multiverse(
        "js_similarity",
        f"the similarity of {shorten(first, 30)}",
        distinct(variants(design, similar, source, first, strata, options)),
        reference=1.0,
        words="1 (equal shares)",
    )
    return multiverse_block(
        made,
        id="multiverse",
        question=other_analyses("the similarity"),
        quantity=f"similarity of {shorten(first, 30)}",
        note="Within units, sources are compared unit by unit, which requires more than equal overall shares.",
    )


def variants(
    design: Ratings,
    similar: Result,
    source: RaterSource,
    first: str,
    strata: Sequence[str],
    options: StudyOptions,
) -> list[Variant]:
    """Return the analyses: bias, aggregation, interval, clusters, raters, cells, refusals, a level left out."""

    def of(role: str, at: int, kept: Any = None, **more: Any) -> dict[str, Any]:
        def compute() -> Any:
            table = design if kept is None else design.take(kept, note="one level left out")
            return js_similarity(
                table,
                source=source.name,
                reference=source.human,
                level=options.level,
                seed=options.seed,
                resamples=options.resamples,
                permutations=min(options.resamples, 199),
                splits=99,
                **more,
            )

        return {"compute": compute, "lead": partial(own_row, role=role, at=at)}

    def own_row(result: Result, *, role: str, at: int) -> Row:
        return [r for r in result.rows if r.role == role and r.label("source") == first][at]

    found = [
        (
            "pooled, corrected for bias",
            "as on this page",
            of("estimate", 0) | {"compute": lambda: similar},
        ),
        ("plug-in, without correction", "bias", of("component", 0)),
        ("within units, then averaged", "aggregation", of("estimate", 0, aggregate="unit")),
        ("bootstrap of units (percentile)", "interval", of("estimate", 0, ci="percentile")),
    ]
    if design.clusters:
        found.append(("units independent", "clusters", of("estimate", 0, cluster=None)))
    if similar.settings["people"] == "random":
        found.append(
            (f"for these {source.human} raters", "raters", of("estimate", 0, people="fixed"))
        )
    found += [
        (f"mean of the cells of {name}", "macro or micro", of("estimate", -1, cell=name))
        for name in strata
    ]
    if (design.status == REFUSAL).any():
        found.append(("refusals as an action", "refusals", of("estimate", 0, refusal="level")))
    for name in strata:
        factor = design.strata[name]
        for code, level in enumerate(factor.levels if len(factor.levels) <= MOST_LEFT_OUT else ()):
            kept = factor.codes[design.unit] != code
            found.append(
                (without_label(name, level), f"leave one {name} out", of("estimate", 0, kept))
            )
    return [Variant(label=label, choice=choice, **how) for label, choice, how in found]


def bounds_block(
    design: Ratings, whole: Shares, source: RaterSource, options: StudyOptions
) -> Block | None:
    """Return bounds of a difference to people: of the source that refused most and has one; None without refusals.

    The bounds of further sources are not shown; those that turn a conclusion are in the answer too.
    """
    factor = design.rater_groups[source.name]
    refused = {
        other: (factor.codes[design.rater] == factor.levels.index(other))
        & (design.status == REFUSAL)
        for other in source.others
    }
    known = [
        other for other in source.others if whole.gaps[other, None][0].estimate is not None
    ] or source.others
    order = sorted(known, key=lambda other: -int(refused[other].sum()))[
        : 1 if options.brief else FEW
    ]
    first, *rest = [
        bounds_of(design, whole, source, other, refused[other], options) for other in order
    ]
    return first and replace(
        first, turned=tuple(text for block in (first, *rest) if block for text in block.turned)
    )


def bounds_of(
    design: Ratings,
    whole: Shares,
    source: RaterSource,
    other: str,
    mine: Any,
    options: StudyOptions,
) -> Block | None:
    """Return the bounds of the widest difference of one source to people; None where it refused nothing."""
    place = whole.gaps[other, None].index(widest(whole.gaps[other, None]))
    action = shorten(design.levels[place], 30)

    def compute(rule: Rule) -> Any:
        return choice_shares(
            design if rule == "drop" else answered(design, mine, place, rule == "for"),
            source=source.name,
            reference=source.human,
            level=options.level,
            seed=options.seed,
            permutations=99,
        )

    return refusal_block(
        compute,
        int(mine.sum()),
        lead=lambda result: unpacked(result).gaps[other, None][place],
        quantity=f"difference of shares of '{action}', {shorten(other, 30)} minus {shorten(source.human, 30)} raters",
    )


def answered(design: Ratings, refused: Any, place: int, hit: bool) -> Ratings:
    """Return the design with some refusals as answers: this level, or (for it does not matter which) another."""
    other = place if hit else (place + 1) % len(design.levels)
    return replace(
        design,
        value=np.where(refused, other, design.value),
        status=np.where(refused, OK, design.status).astype(np.int8),
    )


USED = ("seed", "resamples", "level", "smallest_effect", "verify", "reference")
MOST_STRATA, MOST_CELLS, MOST_SOURCES = 4, 80, 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """What the study computes.

    Attributes
    ----------
    source : Source
    strata : tuple of str
        Strata that the page goes through; the first results are those of the first of them.
    shares, similar : mapping of stratum (None where there is none) to Result
        Each also has the rows of all units.
    cells : Result or None
        Similarity in every combination of the first two strata.
    alphas : mapping of source to Result
    """

    source: RaterSource
    strata: tuple[str, ...]
    shares: dict[str | None, Result]
    similar: dict[str | None, Result]
    cells: Result | None
    alphas: dict[str, Result]

    @property
    def whole(self) -> Shares:
        """Shares of all units."""
        return unpacked(next(iter(self.shares.values())))

    @property
    def lead(self) -> str:
        """Source of which blocks about one source speak: of the largest significant difference, else the largest."""
        return foremost({other: self.whole.gaps[other, None] for other in self.source.others})[0]

    @property
    def similarity(self) -> Result:
        """Similarity in all units."""
        return next(iter(self.similar.values()))


def suits(design: Ratings) -> bool:
    """Return whether the ratings are nominal, by people and others."""
    return design.scale == "nominal" and human_source(design) is not None


def run(design: Ratings, options: StudyOptions) -> Outcome:
    """Answer whether the others choose each action as often as people, where they differ, and how certain that is."""
    design = base_first(crossed(design.of_answers()), options.reference)
    source = human_source(design)
    if source is None:
        raise InputError(
            "no rater group has a level called human beside others; say which: --map rater_source=COLUMN"
        )
    options = replace(options, brief=len(source.others) > FEW)
    if len(source.others) > MOST_SOURCES:
        raise InputError(
            f"{count(len(source.others), 'source')} beside '{source.human}'; a page holds {MOST_SOURCES}"
        )
    numbers = compute(design, source, options)
    first = comparison(numbers.similarity, options, source.name)
    shown = (*first, *blocks(design, numbers, options))
    told = () if options.brief and first else source.others[:FEW]
    results = (*numbers.shares.values(), *numbers.similar.values(), *numbers.alphas.values())
    return Outcome(
        study="norm-goal",
        title=f"How similar were the choices of {names(source)}?",
        design=describe(design, source),
        verdict=verdict_on_sources(numbers, source, first),
        answer=(
            *lead_words(first),
            *(() if told else side_sentences(numbers.whole, source)),
            *refused_units(design, source),
            *(() if told else [ceiling_text(numbers.similarity, source.human)]),
            *(
                answer(
                    numbers.whole, numbers.similarity, source, other, options, units_text(design)
                )
                for other in told
            ),
        ),
        cautions=order_cautions(
            run_cautions(source, numbers.alphas),
            noise_cautions(numbers),
            *(r.cautions for r in results),
            design.cautions,
        ),
        blocks=shown,
        flow=design.flow,
        data=(united(design),),
        diagnostics=diagnostics(design, source, numbers.alphas),
        methods=methods(design, numbers, options),
        references=references_of(results, shown)
        + (("berger1982",) if options.smallest_effect is not None else ()),
        verifications=verify_all(named(numbers), shown) if options.verify else {},
        settings=settings_of(options, USED),
        simulated=options.simulated,
    )


def refused_units(design: Ratings, source: RaterSource) -> tuple[str, ...]:
    """Return which sources beside people refused in every unit, or in some, without any other answer there."""
    factor = design.rater_groups[source.name]
    every, some = [], []
    for other in source.others:
        mine = factor.codes[design.rater] == factor.levels.index(other)
        asked, answered = (
            np.unique(design.unit[mine]),
            np.unique(design.unit[mine & (design.status == OK)]),
        )
        refused = np.setdiff1d(design.unit[mine & (design.status == REFUSAL)], answered)
        if len(refused) == len(asked):
            every.append(shorten(other, 30))
        elif len(refused):
            some.append(
                f"{shorten(other, 30)} {count(len(refused))} of {count(len(asked), 'unit')}"
            )
    has = "has" if len(every) == 1 else "have"
    return (
        *([f"{listing(every)} refused in every unit and {has} no similarity."] if every else []),
        *([f"Units with refusals alone: {listing(some)}."] if some else []),
    )


def run_cautions(source: RaterSource, alphas: Mapping[str, Result]) -> tuple[Caution, ...]:
    """Caution SS322 where the raters of a source agree more than people, by intervals that do not overlap."""
    rows = {name: result.rows[0] for name, result in alphas.items()}
    people = rows.get(source.human)
    most = None if people is None else people.conf_high
    found = {name: rows[name] for name in source.others if name in rows}
    more = {
        name: row
        for name, row in found.items()
        if row.conf_low is not None and most is not None and row.conf_low > most
    }
    if people is None or not more:
        return ()
    said = listing(
        [f"{shorten(name, 30)} {sentences.estimate_text(row)}" for name, row in more.items()],
        most=4,
    )
    detail = (
        f"repeated answers of a source agreed more than {shorten(source.human, 30)} raters, by CIs that do not overlap "
        f"(α: {said}; {shorten(source.human, 30)} {sentences.estimate_text(people)}). Repeated runs do "
        "not add units"
    )
    return (
        caution(
            "SS322",
            detail,
            affects="anything that counts rows",
            fix="count units or clusters, as here",
        ),
    )


def noise_cautions(numbers: Numbers) -> tuple[Caution, ...]:
    """Return one caution of all plug-in similarities, where the page has them by several strata."""
    found = [r for r in (*numbers.similar.values(), numbers.cells) if r is not None]
    pairs = []
    for rows in [r.rows for r in found] if len(found) > 1 else ():
        plain = {row.key: row for row in rows if row.role == "component"}
        pairs += [
            (row, plain[row.key]) for row in rows if row.role == "estimate" and row.key in plain
        ]
    return plug_in_cautions(pairs, "in some level or cell")


def unit_name(design: Ratings) -> str:
    """Return what tests take as independent, in the singular: the one declared cluster, or the unit."""
    return noun_or(design.clusters[0].name, "cluster") if len(design.clusters) == 1 else "unit"


def units_text(design: Ratings) -> str:
    """Return what the tests permute, with its number: ``160 scenarios``."""
    n = (
        len(design.clusters[0].levels)
        if len(design.clusters) == 1
        else int(design.unit_count.sum())
    )
    return count(n, unit_name(design))


def names(source: RaterSource) -> str:
    """Return the sources for the heading."""
    human = f"{shorten(source.human, 30)} raters"
    if len(source.others) > MOST_NAMED:
        return f"{count(len(source.others), 'source')} and of {human}"
    return listing([*(shorten(o, 30) for o in source.others), human])


def compute(design: Ratings, source: RaterSource, options: StudyOptions) -> Numbers:
    """Compute the leading numbers of the page."""
    common: dict[str, Any] = {
        "level": options.level,
        "seed": options.seed,
        "resamples": options.resamples,
    }
    strata = ordered_strata(design)[: 1 if options.brief else None]
    both: dict[str, Any] = {"source": source.name, "reference": source.human, **common}
    keys: tuple[str | None, ...] = strata or (None,)
    found_shares: dict[str | None, Any] = {
        name: choice_shares(
            design, stratum=name, base=base_in(design, name, options.reference), **both
        )
        for name in keys
    }
    similar: dict[str | None, Any] = {
        name: js_similarity(design, cell=name, **both) for name in keys
    }
    cells: Any = None
    if len(strata) > 1 and len(cells_of(design, strata[:2], "cell").labels) <= MOST_CELLS:
        cells = js_similarity(design, cell=strata[:2], **both)
    return Numbers(
        source=source,
        strata=strata,
        shares=found_shares,
        similar=similar,
        cells=cells,
        alphas=alphas(design, source, common),
    )


def ordered_strata(design: Ratings) -> tuple[str, ...]:
    """Return the strata with two levels to a page's worth, what was crossed with the units first."""
    fit = [
        name for name, factor in design.strata.items() if 1 < len(factor.levels) <= MOST_CELLS // 4
    ]
    return tuple(reversed(fit))[:MOST_STRATA]


def alphas(design: Ratings, source: RaterSource, common: dict[str, Any]) -> dict[str, Result]:
    """Return nominal alpha within each source that has two raters of a unit."""
    found: dict[str, Any] = {}
    for name in (source.human, *source.others):
        try:
            found[name] = krippendorff_alpha(
                design, raters=raters_of(design, source, name), scale="nominal", **common
            )
        except (InputError, UndefinedStatistic, NothingToAnalyse):
            continue
    return found


def blocks(design: Ratings, numbers: Numbers, options: StudyOptions) -> tuple[Block, ...]:
    """Return the questions in the order of a reader's interest."""
    whole = numbers.whole
    found: list[Block | None] = [*all_shares(design, numbers, options)]
    found += changes_blocks(numbers.shares, numbers.source, options.reference)
    found.append(logit_block(design, numbers.source, numbers.strata, options))
    similar = similarity_block(numbers.similar, numbers.source)
    for name in (n for n in numbers.strata if apart(design, n) and not options.brief):
        parts = similarity_parts(numbers.similar[name], numbers.source)
        similar = gaps_table_block(similar, part_gaps(parts, name, options.level), words(name))
    found.append(similar)
    found.append(
        cells_block(design, numbers.cells, numbers.source, numbers.strata[:2], numbers.lead)
    )
    found.append(agreement_block(numbers.alphas, numbers.source))
    first = numbers.lead
    place = whole.gaps[first, None].index(widest(whole.gaps[first, None]))

    def gap(way: Way) -> Any:
        return choice_shares(
            design,
            source=numbers.source.name,
            reference=numbers.source.human,
            cluster=way,
            level=options.level,
            seed=options.seed,
            permutations=options.resamples,
        )

    def lead(result: Result) -> Row:
        return (
            result.rows[0] if len(result.rows) == 1 else unpacked(result).gaps[first, None][place]
        )

    action = shorten(design.levels[place], 30)
    found.append(
        dependence_block(
            design.clusters,
            gap,
            rows="units",
            quantity=f"difference of shares of {action}",
            lead=lead,
            naive=naive(design, numbers.source, first, place, options),
        )
    )
    condition = next(iter(numbers.strata), None)
    found.append(
        replies_block(
            design,
            reply_shares(
                design, source=numbers.source.name, stratum=condition, level=options.level
            ),
        )
    )
    found.append(bounds_block(design, whole, numbers.source, options))
    found.append(
        variants_block(design, numbers.similarity, numbers.source, first, numbers.strata, options)
    )
    return with_design_effect([b for b in found if b is not None], design.clusters, lead=lead)


def all_shares(design: Ratings, numbers: Numbers, options: StudyOptions) -> list[Block]:
    """Return the shares and their differences to people by each stratum."""
    found: list[Block] = []
    for k, (name, result) in enumerate(numbers.shares.items()):
        rows = unpacked(result)
        shown = shares_block(rows, result, numbers.source, name, k)
        if name is not None and apart(design, name) and not options.brief:
            gaps = part_gaps(share_parts(rows, numbers.source), name, options.level)
            shown = gaps_table_block(shown, gaps, words(name))
        if k == 0:
            shown = replace(
                shown, sentences=(*shown.sentences, *halving_words(rows, numbers.lead, design))
            )
        entropies = [
            replace(row, term=f"{row.term}, {row.group}", group=None)
            for row in result.rows
            if row.label("entropy") is not None
        ]
        if entropies:
            told = "Entropies (bits) of replies with probabilities: H of units, H_reply of single replies"
            shown = replace(shown, tables=(*shown.tables, rows_table(entropies, told)))
        found.append(shown)
        if name is not None:
            found.append(differences_block(rows, result, numbers.source, name, k))
    return found


def halving_words(rows: Shares, other: str, design: Ratings) -> tuple[str, ...]:
    """Return how many more clusters halve the interval of the largest difference of a source."""
    gap = widest(rows.gaps[other, None])
    more = clusters_to_halve(gap, gap.n_clusters or gap.n_units)
    quantity = f"the difference of {shorten(other, 30)} for '{shorten(gap.term, 30)}'"
    return (
        ()
        if more is None
        else (sentences.more_clusters_sentence(more, plural_of(unit_name(design)), quantity),)
    )


def naive(
    design: Ratings, source: RaterSource, first: str, place: int, options: StudyOptions
) -> tuple[str, Result] | None:
    """Return the difference as if ratings were independent, with its label; None where no unit has both sources."""
    try:
        return NAME, single(
            independent_ratings(
                design,
                source=source.name,
                first=first,
                second=source.human,
                choice=design.levels[place],
                level=options.level,
            )
        )
    except NothingToAnalyse:
        return None


def describe(design: Ratings, source: RaterSource) -> str:
    """Return the design in one line: kind, and n at every level."""
    raters = {name: len(raters_of(design, source, name)) for name in (source.human, *source.others)}
    listed = listing([f"{count(n)} {shorten(name, 30)}" for name, n in raters.items()], most=4)
    if len(source.others) > MOST_NAMED:
        people = f"{count(raters[source.human])} {shorten(source.human, 30)}"
        others = count(sum(raters[name] for name in source.others))
        listed = f"{people} and {others} of {count(len(source.others), 'other source')}"
    parts = [
        count(design.n_rows, "choice"),
        count(design.unit_count.sum(), "unit"),
        f"raters: {listed}",
        *cluster_words(design),
    ]
    return "Choices: " + ", ".join(parts)


def diagnostics(
    design: Ratings, source: RaterSource, alphas: Mapping[str, Result]
) -> tuple[Diagnostic, ...]:
    """Return whether every unit was rated by all sources, and how dependent repeated runs are."""
    lines = {name: result.rows[0] for name, result in alphas.items()}
    agree = listing(
        [
            f"{shorten(name, 30)} {sentences.estimate_text(row)}"
            for name, row in lines.items()
            if row.estimate is not None
        ],
        most=6,
    )
    data = source_counts(design, source.name, "missing")
    rated = data.n[:, [data.index(name, "source") for name in (source.human, *source.others)]] > 0
    shared, every = int(rated.all(axis=1).sum()), int(rated.any(axis=1).sum())
    return (
        Diagnostic(
            check="Was every unit rated by every source?",
            found="Yes." if shared == every else f"No: {count(shared)} of {count(every, 'unit')}.",
            so_what="Differences rest on the units that both sources rated.",
        ),
        Diagnostic(
            check="Are runs of a model independent decisions?",
            found=f"Nominal α within each source: {agree}."
            if agree
            else "No source has two ratings of a unit.",
            so_what="Runs that agree more than human raters are dependent. Intervals and tests count units or "
            "clusters, not runs.",
        ),
    )


READ = (
    "Shares, their differences and changes, and similarities are those of these {shares}; agreement and the "
    "logit use the {drawn}"
)


def methods(design: Ratings, numbers: Numbers, options: StudyOptions) -> tuple[str, ...]:
    """Return the methods: brief, then in full."""
    shares, like, human = (
        next(iter(numbers.shares.values())),
        numbers.similarity,
        shorten(numbers.source.human, 30),
    )
    parts = (
        ""
        if not numbers.strata
        else f" Strata: {quoted([words(name) for name in numbers.strata])}."
    )
    many = plural_of(unit_name(design))
    whose = f"over {many}, for these raters. Sources were permuted in whole {many}"
    if shares.settings["people"] == "random":
        whose = f"over samples of {many} and raters, and by F"
    return (
        f"Shares of {count(len(design.levels), 'action')} were compared with those of {human} raters by differences "
        f"with {percent_of(options.level)} t intervals {whose}. Jensen-Shannon similarity (1 minus the divergence in "
        f"bits; 1: equal shares) was bias-corrected; its ceiling is two random halves of the {human} ratings. p values "
        "were Holm-adjusted over actions and levels.",
        *probability_methods(design, READ),
        f"Shares: {shares.inference}. {like.title}: 1 minus the Jensen-Shannon divergence in bits, bias-corrected by "
        f"the jackknife. Values above 1 were set to 1, differences computed before. CIs: {like.inference}. "
        f"Halves are of the {human} ratings of each unit and are corrected alike. "
        f"The tables name what p values were adjusted over.{parts}",
    )


def named(numbers: Numbers) -> dict[str, Result]:
    """Return the results that lead the page, by name."""
    found: dict[str, Result] = {}
    for what, results in (("Shares", numbers.shares), ("Similarity", numbers.similar)):
        found |= {
            what if name is None else f"{what} by {shorten(name, 40)}": r
            for name, r in results.items()
        }
    found |= {"Similarity by cell": numbers.cells} if numbers.cells is not None else {}
    return found | {f"Agreement of {shorten(name, 40)}": r for name, r in numbers.alphas.items()}


STUDY = Study(
    name="norm-goal",
    title="Does a model choose each action as often as people do?",
    design="ratings",
    needs="unit, rater, value (nominal), a source of each rater that says human or another",
    suits=suits,
    uses=("reference",),
    run=run,
    levels=run,
    scale="nominal",
    otherwise="compare-ratings",
)
