"""Actions where a norm stands against a goal: does a model comply, deviate, escalate as often as people?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, NothingToAnalyse, UndefinedStatistic, caution
from socialstats.metrics.choice_shares import choice_shares
from socialstats.metrics.js_similarity import js_similarity
from socialstats.metrics.krippendorff_alpha import krippendorff_alpha
from socialstats.models.shares import cells_of
from socialstats.results import Result, Row
from socialstats.studies.base import Study, StudyOptions, order_cautions
from socialstats.studies.estimates import cluster_words, numbers_text, references_of, settings_of, verify_all
from socialstats.studies.norm_goal_blocks import (
    agreement_block,
    cells_block,
    differences_block,
    share_parts,
    shares_block,
    similarity_block,
    similarity_parts,
    widest,
)
from socialstats.studies.norm_goal_changes import base_first, base_in, changes_blocks
from socialstats.studies.norm_goal_logit import logit_block
from socialstats.studies.norm_goal_multiverse import bounds_block, variants_block
from socialstats.studies.norm_goal_naive import NAME, RatingsAlone, ratings_alone
from socialstats.studies.norm_goal_words import answer, halves
from socialstats.studies.outcome import Block, Diagnostic, Mark, Outcome, Strip
from socialstats.studies.part_gaps import apart, gaps_table_block, part_gaps
from socialstats.studies.ratings_blocks import united
from socialstats.studies.robustness import Way, dependence_block, with_design_effect
from socialstats.studies.sources import Shares, Source, crossed, human_source, raters_of, unpacked
from socialstats.text import count, level_text, listing, number, quoted, shorten

USED = ("seed", "resamples", "level", "smallest_effect", "verify", "reference")
MOST_STRATA, MOST_CELLS, MOST_SOURCES = 4, 80, 12


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

    source: Source
    strata: tuple[str, ...]
    shares: dict[str | None, Result]
    similar: dict[str | None, Result]
    cells: Result | None
    alphas: dict[str, Result]

    @property
    def whole(self) -> Shares:
        """Shares of all units."""
        return unpacked(next(iter(self.shares.values())), self.levels())

    @property
    def similarity(self) -> Result:
        """Similarity in all units."""
        return next(iter(self.similar.values()))

    def levels(self, stratum: str | None = None) -> tuple[str, ...]:
        """Labels of a stratum's cells (by default of the first)."""
        name = stratum if stratum is not None else next(iter(self.shares))
        if name is None:
            return ()
        result: Any = self.shares[name]
        return cells_of(result.design, name, "stratum").labels


def suits(design: Ratings) -> bool:
    """Tell whether the ratings are nominal, by people and others."""
    return design.scale == "nominal" and human_source(design) is not None


def run(design: Ratings, options: StudyOptions) -> Outcome:
    """Answer: do the others choose each action as often as people, where do they differ, and how sure is that?"""
    design = base_first(crossed(design), options.reference)
    source = human_source(design)
    if source is None:
        raise InputError("no rater group has a level called human beside others; say which: --map rater_source=COLUMN")
    if len(source.others) > MOST_SOURCES:
        raise InputError(f"{count(len(source.others), 'source')} beside '{source.human}'; a page holds {MOST_SOURCES}")
    numbers = compute(design, source, options)
    shown = blocks(design, numbers, options)
    results = (*numbers.shares.values(), *numbers.similar.values(), *numbers.alphas.values())
    return Outcome(
        study="norm-goal",
        title=f"How alike are the choices of {names(source)}?",
        design=describe(design, source),
        answer=tuple(
            answer(numbers.whole, numbers.similarity, source, other, options, unit_name(design))
            for other in source.others[:3]
        ),
        strip=strip(numbers),
        cautions=order_cautions(run_cautions(source, numbers.alphas), *(r.cautions for r in results), design.cautions),
        blocks=shown,
        flow=design.flow,
        data=(united(design),),
        diagnostics=diagnostics(design, source, numbers.alphas),
        methods=methods(design, numbers, options),
        references=references_of(results, shown) + (("berger1982",) if options.smallest_effect is not None else ()),
        verifications=verify_all(named(numbers), shown) if options.verify else {},
        settings=settings_of(options, USED),
        simulated=options.simulated,
    )


def run_cautions(source: Source, alphas: Mapping[str, Result]) -> tuple[Caution, ...]:
    """Caution SS322 where the raters of a source agree with each other more than people do: runs repeat each other."""
    people = alphas[source.human].rows[0].estimate if source.human in alphas else None
    found = {name: alphas[name].rows[0].estimate for name in source.others if name in alphas}
    more = {name: x for name, x in found.items() if x is not None and people is not None and x > people}
    if not more:
        return ()
    said = listing([f"{shorten(name, 30)} {number(x, 2, bounded=True)}" for name, x in more.items()], most=4)
    detail = (
        f"answers of one source to the same unit agree more than people's do (alpha {said}; "
        f"{shorten(source.human, 30)} {number(people, 2, bounded=True)}): runs of a unit are not more units"
    )
    return (caution("SS322", detail, affects="anything that counts rows", fix="count units or clusters, as here"),)


def unit_name(design: Ratings) -> str:
    """Name what the tests take as independent: the one declared cluster, or the unit."""
    return shorten(design.clusters[0].name, 30) if len(design.clusters) == 1 else "unit"


def names(source: Source) -> str:
    """Name the sources for the heading."""
    return f"{listing([shorten(o, 30) for o in source.others], most=3)} and {shorten(source.human, 30)} raters"


def compute(design: Ratings, source: Source, options: StudyOptions) -> Numbers:
    """Compute the leading numbers of the page."""
    common: dict[str, Any] = {"level": options.level, "seed": options.seed, "resamples": options.resamples}
    strata = ordered_strata(design)
    both: dict[str, Any] = {"source": source.name, "reference": source.human, **common}
    keys: tuple[str | None, ...] = strata or (None,)
    found_shares: dict[str | None, Any] = {
        name: choice_shares(design, stratum=name, base=base_in(design, name, options.reference), **both)
        for name in keys
    }
    similar: dict[str | None, Any] = {name: js_similarity(design, cell=name, **both) for name in keys}
    cells: Any = None
    if len(strata) > 1 and len(cells_of(design, strata[:2], "cell").labels) <= MOST_CELLS:
        cells = js_similarity(design, cell=strata[:2], **both)
    return Numbers(
        source=source, strata=strata, shares=found_shares, similar=similar, cells=cells,
        alphas=alphas(design, source, common),
    )  # fmt: skip


def ordered_strata(design: Ratings) -> tuple[str, ...]:
    """Return the strata with two levels to a page's worth, what was crossed with the units first."""
    fit = [name for name, factor in design.strata.items() if 1 < len(factor.levels) <= MOST_CELLS // 4]
    return tuple(reversed(fit))[:MOST_STRATA]


def alphas(design: Ratings, source: Source, common: dict[str, Any]) -> dict[str, Result]:
    """Return nominal alpha within each source that has two raters of a unit."""
    found: dict[str, Any] = {}
    for name in (source.human, *source.others):
        try:
            found[name] = krippendorff_alpha(design, raters=raters_of(design, source, name), scale="nominal", **common)
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
    for name in (n for n in numbers.strata if apart(design, n)):
        parts = similarity_parts(numbers.similar[name], numbers.source, numbers.levels(name))
        similar = gaps_table_block(similar, parts, part_gaps(parts, name, options.level), shorten(name, 40))
    found.append(similar)
    found.append(cells_block(design, numbers.cells, numbers.source, numbers.strata[:2]))
    found.append(agreement_block(numbers.alphas, numbers.source))
    first = numbers.source.others[0]
    place = whole.gaps[first, None].index(widest(whole.gaps[first, None]))

    def gap(way: Way) -> Any:
        return choice_shares(
            design, source=numbers.source.name, reference=numbers.source.human, cluster=way, level=options.level,
            seed=options.seed, permutations=options.resamples,
        )  # fmt: skip

    def lead(result: Result) -> Row:
        return result.rows[0] if isinstance(result, RatingsAlone) else unpacked(result).gaps[first, None][place]

    action = shorten(design.levels[place], 30)
    found.append(
        dependence_block(design.clusters, gap, rows="units", quantity=f"difference of shares of {action}",
                         bounded=True, lead=lead, naive=naive(design, numbers.source, place, options))
    )  # fmt: skip
    found.append(bounds_block(design, numbers.source, place, options))
    found.append(variants_block(design, numbers.similarity, numbers.source, numbers.strata, options))
    return with_design_effect([b for b in found if b is not None], design.clusters, lead=lead)


def all_shares(design: Ratings, numbers: Numbers, options: StudyOptions) -> list[Block]:
    """Return the shares and their differences to people by each stratum."""
    found = []
    for k, (name, result) in enumerate(numbers.shares.items()):
        labels = numbers.levels(name) if name is not None else ()
        rows = unpacked(result, labels)
        shown = shares_block(rows, result, numbers.source, name, labels, k)
        if name is not None and apart(design, name):
            parts = share_parts(rows, numbers.source, labels)
            gaps = part_gaps(parts, name, options.level)
            shown = gaps_table_block(shown, parts, gaps, shorten(name, 40))
        found.append(shown)
        if name is not None:
            found.append(differences_block(rows, result, numbers.source, name, labels, k))
    return found


def naive(design: Ratings, source: Source, place: int, options: StudyOptions) -> tuple[str, Result] | None:
    """Return the difference as if ratings were independent, with its label; None where no unit has both sources."""
    try:
        return NAME, ratings_alone(design, source, source.others[0], place, options.level)
    except NothingToAnalyse:
        return None


def strip(numbers: Numbers) -> Strip:
    """Return the similarity of each source beside the ceiling."""
    top = halves(numbers.similarity)
    marks = [Mark(label=f"two halves of {shorten(numbers.source.human, 30)}", value=top.estimate, kind="reference",
                  undefined=top.undefined or "")]  # fmt: skip
    for other in numbers.source.others:
        r = next(r for r in numbers.similarity.rows if r.term == other and r.group is None)
        marks.append(Mark(label=shorten(other, 40), value=r.estimate, low=r.conf_low, high=r.conf_high,
                          undefined=r.undefined or ""))  # fmt: skip
    title = f"Jensen-Shannon similarity to {shorten(numbers.source.human, 30)} raters, beside its ceiling"
    return Strip(title=title, axis="1 = equal shares of all actions", marks=tuple(marks), digits=3)


def describe(design: Ratings, source: Source) -> str:
    """Return the design in one line: kind, and n at every level."""
    people = [f"{count(len(raters_of(design, source, name)))} {shorten(name, 30)}"
              for name in (source.human, *source.others)]  # fmt: skip
    parts = [
        count(design.n_rows, "choice"), count(design.unit_count.sum(), "unit"), f"raters: {listing(people, most=6)}",
        *cluster_words(design),
    ]  # fmt: skip
    return "Choices: " + ", ".join(parts)


def diagnostics(design: Ratings, source: Source, alphas: Mapping[str, Result]) -> tuple[Diagnostic, ...]:
    """Say whether every unit was rated by all sources, and what repeated runs are worth."""
    agree = listing([f"{shorten(name, 30)} {numbers_text(r.rows[0], bounded=True)}" for name, r in alphas.items()
                     if r.rows[0].estimate is not None], most=6)  # fmt: skip
    factor = design.rater_groups[source.name]
    code = factor.codes[design.rater]
    sets = [set(design.unit[(code == factor.levels.index(s)) & (design.status == 0)].tolist())
            for s in (source.human, *source.others)]  # fmt: skip
    shared, every = len(set.intersection(*sets)), len(set.union(*sets))
    return (
        Diagnostic(
            check="Was every unit rated by every source?",
            found="Yes." if shared == every else f"No: {count(shared)} of {count(every, 'unit')}.",
            so_what="Differences are those of the units that both sources rated.",
        ),
        Diagnostic(
            check="Are runs of a model independent decisions?",
            found=f"Nominal alpha within each source: {agree}." if agree else "No source has two ratings of a unit.",
            so_what="Runs that agree more than people repeat each other. Intervals and tests count units or their "
            "clusters, not runs.",
        ),
    )


def methods(design: Ratings, numbers: Numbers, options: StudyOptions) -> tuple[str, ...]:
    """Return the methods paragraph."""
    shares, like = next(iter(numbers.shares.values())), numbers.similarity
    parts = "" if not numbers.strata else f" Strata: {quoted(list(numbers.strata))}."
    return (
        f"Shares of {count(len(design.levels), 'action')} by source ({shares.inference}). {like.title}: 1 minus the "
        f"Jensen-Shannon divergence in bits, corrected for bias by the jackknife ({like.inference}); its ceiling is "
        f"the plug-in similarity of two random halves of the {shorten(numbers.source.human, 30)} ratings of each unit. "
        f"{level_text(options.level)} intervals.{parts} Differences are adjusted by Holm over the levels and strata.",
    )


def named(numbers: Numbers) -> dict[str, Result]:
    """Return the results that lead the page, by name."""
    found: dict[str, Result] = {}
    for what, results in (("Shares", numbers.shares), ("Similarity", numbers.similar)):
        found |= {what if name is None else f"{what} by {shorten(name, 40)}": r for name, r in results.items()}
    found |= {"Similarity by cell": numbers.cells} if numbers.cells is not None else {}
    return found | {f"Agreement of {shorten(name, 40)}": r for name, r in numbers.alphas.items()}


STUDY = Study(
    name="norm-goal",
    title="Does a model choose each action as often as people do?",
    design="ratings",
    needs="unit, rater, value (nominal), a source of each rater that says human or another",
    suits=suits,
    run=run,
    levels=run,
    scale="nominal",
)
