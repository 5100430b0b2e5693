"""Study of one source: its mean, and the share of each level, with their intervals."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from socialstats import sentences
from socialstats.designs.levels import opposites
from socialstats.designs.nouns import unit_noun
from socialstats.designs.parts import REFUSAL
from socialstats.designs.ratings import Ratings
from socialstats.figures import forest
from socialstats.figures.squares import MOST_LEVELS
from socialstats.results import Result, Row
from socialstats.scales.mean_ratings import mean_ratings
from socialstats.shares.choice_shares import choice_shares
from socialstats.studies.estimates import (
    cluster_words,
    ending,
    halved,
    rows_table,
    single,
)
from socialstats.studies.multiverse import Way, dependence_block, with_design_effect
from socialstats.studies.page import (
    Block,
    Diagnostic,
    Outcome,
    Study,
    StudyOptions,
    check_single,
    order_cautions,
)
from socialstats.studies.repeats import each_answer, repeats_block
from socialstats.studies.verdicts import Conclusion, of_ten, verdict_of
from socialstats.text import as_words, capital, count, percent_of, plural_of, shorten

USED = ("level", "seed", "resamples", "verify")
MOST_STRATA = 3  # among the results of the page


def suits(design: Ratings) -> bool:
    """Return whether all values are of one source, and have a mean or few levels."""
    return (
        len(design.raters) == 1
        and design.raters_known
        and (has_mean(design) or len(design.levels) <= MOST_LEVELS)
    )


def has_mean(design: Ratings) -> bool:
    """Return whether the values are numbers that can be averaged."""
    return design.numeric and design.scale != "nominal"


def is_share(design: Ratings) -> bool:
    """Return whether the mean of the values is a share: of ones among zeros and ones, also of repeated answers."""
    return (
        has_mean(design)
        and design.ends == (0.0, 1.0)
        and (len(design.levels) == 2 or design.repeats is not None)
    )


def is_yes_no(design: Ratings) -> bool:
    """Return whether the two labels are opposites, such as no and yes: then the share of the second is asked for."""
    return not has_mean(design) and opposites(design.levels) is not None


def run(design: Ratings, options: StudyOptions) -> Outcome:
    """Answer: how high is the mean or share of this source, and how certain is that?"""
    check_single(design)
    mean = compute_mean(design, options) if has_mean(design) else None
    counted = len(design.levels) <= MOST_LEVELS and design.repeats is None and not is_share(design)
    shares = compute_shares(design, options) if counted else None
    results = [result for result in (mean, shares) if result is not None]
    lead = mean.rows[0] if mean is not None else leading(design, shares_of(results[0]))
    shown = blocks(design, options, mean, shares, lead)
    return Outcome(
        study="one-source",
        title=title(design),
        design=describe(design),
        verdict=verdict_on_source(design, lead),
        answer=(answer(design, lead),),
        planning=halved(design.clusters, lead, lead.n_units, "the estimate", df=lead.df),
        cautions=order_cautions(*(result.cautions for result in results), design.cautions),
        diagnostics=diagnostics(design),
        methods=methods(design, results, options),
        **ending(design, options, {result.title: result for result in results}, shown, USED),
    )


def compute_mean(design: Ratings, options: StudyOptions, cluster: Way = "declared") -> Result:
    """Return the mean over units, and that of each stratum."""
    return single(mean_ratings(design, level=options.level, cluster=cluster))


def compute_shares(design: Ratings, options: StudyOptions, cluster: Way = "declared") -> Result:
    """Return the share of each level."""
    return single(choice_shares(design, cluster=cluster, **options.chosen()))


def shares_of(result: Result) -> list[Row]:
    """Return the rows of the shares of all levels."""
    return [row for row in result.rows if row.role == "estimate" and row.label("stratum") is None]


def leading(design: Ratings, rows: list[Row]) -> Row:
    """Return the share of yes, or of the level that occurs most, the first of several."""
    return rows[-1] if is_yes_no(design) else max(rows, key=lambda row: row.estimate or 0.0)


def source_of(design: Ratings) -> str:
    """Return who gave the values: the source, or the column where no column says who."""
    return design.raters[0]


def named(design: Ratings) -> str:
    """Name the column of the values."""
    return f"'{as_words(design.columns.get('value', source_of(design)), 30)}'"


def title(design: Ratings) -> str:
    """Return the question of the page."""
    known = has_mean(design) or is_yes_no(design)
    return (
        f"How high is {quantity(design)}?"
        if known
        else f"Which level of {named(design)} is the most frequent?"
    )


def quantity(design: Ratings) -> str:
    """Name what is estimated: ``the share of 1 in 'correct'``, ``the mean of 'score'``."""
    of = (
        ""
        if source_of(design) == design.columns.get("value")
        else f" of {as_words(source_of(design), 30)}"
    )
    if is_share(design):
        return f"the share of 1 in {named(design)}{of}"
    if is_yes_no(design):
        return f"the share of '{shorten(design.levels[-1], 30)}' in {named(design)}{of}"
    return f"the mean of {named(design)}{of}"


def label(design: Ratings, lead: Row) -> str:
    """Name the axis of the answer."""
    return (
        quantity(design).removeprefix("the ")
        if has_mean(design)
        else f"share of '{shorten(lead.term, 30)}'"
    )


def answer(design: Ratings, lead: Row) -> str:
    """Return the mean, or the share of yes or of the most frequent level, in one sentence."""
    if has_mean(design) or is_yes_no(design):
        return f"{capital(quantity(design))} was {sentences.estimate_text(lead)} ({sample(design, lead)})."
    what = f"The most frequent level of {named(design)} was '{shorten(lead.term, 40)}', with a share of"
    return f"{what} {sentences.estimate_text(lead)} ({sample(design, lead)})."


def verdict_on_source(design: Ratings, lead: Row) -> Conclusion:
    """Return the mean or share in everyday terms, with what the data leave open."""
    if lead.estimate is None:
        return verdict_of(f"The data do not show {quantity(design)}", certainty="open")
    ends = lead.ends()
    if has_mean(design) and not is_share(design):
        open_ = f"; the data leave open {ends[0]:.2g} to {ends[1]:.2g}" if ends else ""
        return verdict_of(
            f"{capital(quantity(design))} is about {lead.estimate:.2g}", open_, certainty="interval"
        )
    label = design.repeats.share_of if design.repeats is not None else ""
    level = label or (design.levels[-1] if is_share(design) else lead.term)
    open_ = (
        f"; the data leave open {round(100 * ends[0])} to {round(100 * ends[1])} of 100"
        if ends
        else ""
    )
    share = f"'{shorten(level, 40)}' is the value of {of_ten(lead.estimate)} {plural_of(unit_noun(design))}"
    return verdict_of(share, open_, certainty="interval")


def sample(design: Ratings, lead: Row) -> str:
    """Return the number of units; of a share of single answers, how many of them these are."""
    units = count(lead.n_units or 0, unit_noun(design))
    share = is_share(design) or not has_mean(design)
    if share and lead.estimate is not None and lead.n == lead.n_units and design.repeats is None:
        return f"{count(round(lead.estimate * (lead.n or 0.0)))} of {units}"
    return units


def blocks(
    design: Ratings, options: StudyOptions, mean: Result | None, shares: Result | None, lead: Row
) -> tuple[Block, ...]:
    """Return the blocks of the page: mean, strata, shares, repeats, dependence."""
    found: list[Block | None] = [] if mean is None else [mean_block(design, mean)]
    found += [] if shares is None else [shares_block(design, shares)]
    found += (
        []
        if mean is None
        else [stratum_block(mean, k, name) for k, name in enumerate(design.strata)]
    )
    found.append(repeats_block(design.repeats))
    compute, of = (compute_mean, None) if mean is not None else (compute_shares, lead.term)

    def top(result: Result) -> Row:
        return result.rows[0] if of is None else result.row(of, group=lead.group)

    found.append(
        dependence_block(
            design.clusters,
            lambda way: compute(design, options, way),
            rows="units",
            lead=top,
            quantity=label(design, lead),
        )
    )
    return with_design_effect(
        [block for block in found if block is not None], design.clusters, lead=top
    )


def mean_block(design: Ratings, mean: Result) -> Block:
    """Return the mean over all units."""
    rows = [replace(mean.rows[0], term=quantity(design).removeprefix("the "), group=None)]
    return Block(
        id="mean",
        question=f"How high was {quantity(design)}?",
        sentences=(f"{capital(quantity(design))} was {sentences.estimate_text(mean.rows[0])}.",),
        draw=partial(
            forest, rows, sort=False, reference=None, xlabel=quantity(design).removeprefix("the ")
        ),
        figure_title=capital(quantity(design).removeprefix("the ")),
        caption=f"Point and bar: estimate and {percent_of(mean.settings['level'])} CI ({mean.inference}); "
        f"n = {count(rows[0].n_units or 0, 'unit')}.",
        tables=(rows_table(rows, "Estimate over all units", units=True),),
        results=(mean,),
    )


def drawn(rows: list[Row]) -> list[Row]:
    """Return rows with labels that a figure and its description have room for."""
    return [replace(row, term=shorten(row.term, 100)) for row in rows]


def stratum_block(mean: Result, k: int, name: str) -> Block:
    """Return the mean at each level of a stratum."""
    rows = [replace(row, group=None) for row in mean.rows if row.label("stratum") == name]
    called = as_words(name)
    return Block(
        id=f"stratum-{k + 1}",
        question=f"How high was it at each level of {called}?",
        sentences=(f"Differences between levels of {called} were not tested.",),
        draw=partial(forest, drawn(rows), sort=False, reference=None, xlabel="mean", label=called),
        figure_title=f"Mean by {called}",
        caption=f"Points and bars: means and {percent_of(mean.settings['level'])} CIs, unadjusted.",
        tables=(rows_table(rows, f"Mean by {called}", term=capital(called), units=True),),
        part="main" if k < MOST_STRATA else "appendix",
    )


def shares_block(design: Ratings, shares: Result) -> Block:
    """Return the share of each level."""
    rows = [replace(row, group=None) for row in shares_of(shares)]
    top = max(rows, key=lambda row: row.estimate or 0.0)
    return Block(
        id="shares",
        question=f"How often did each level of {named(design)} occur?",
        sentences=(
            f"'{shorten(top.term, 40)}' occurred most: its share was {sentences.estimate_text(top)}.",
        ),
        draw=partial(
            forest, drawn(rows), sort=False, reference=None, xlabel="share of values", label="level"
        ),
        figure_title=f"Share of each level of {named(design)}",
        caption=f"Points and bars: shares and {percent_of(shares.settings['level'])} CIs ({shares.inference}), "
        "unadjusted. Shares sum to 1.",
        tables=(rows_table(rows, "Share of each level", term="Level", units=True),),
        results=(shares,),
    )


def describe(design: Ratings) -> str:
    """Return the design in one line: kind, and n at every level."""
    refused = int((design.status == REFUSAL).sum())
    parts = [
        count(design.n_rows, "value"),
        *([count(refused, "refusal")] if refused else []),
        count(design.unit_count.sum(), unit_noun(design)),
        *([each_answer(design.repeats)] if design.repeats is not None else []),
        f"{design.scale} scale",
        *cluster_words(design),
    ]
    return "Values of one source: " + ", ".join(parts)


def diagnostics(design: Ratings) -> tuple[Diagnostic, ...]:
    """Return whether every unit has a value."""
    lost = int((design.unit_count * (design.level_counts().sum(axis=1) == 0)).sum())
    found = f"No: {count(lost, 'unit has', 'units have')} none." if lost else "Yes."
    so_what = "Estimates are of the units with a value." if lost else "All units were used."
    return (Diagnostic(check="Does every unit have a value?", found=found, so_what=so_what),)


def methods(design: Ratings, results: list[Result], options: StudyOptions) -> tuple[str, ...]:
    """Return the methods: what was estimated, and the interval of each."""
    units, level = count(design.unit_count.sum(), unit_noun(design)), percent_of(options.level)
    what = (
        f"{capital(quantity(design))} was"
        if has_mean(design)
        else f"Shares of the levels of {named(design)} were"
    )
    averaged = (
        " Repeated answers to a unit were averaged first." if design.repeats is not None else ""
    )
    first, *others = results
    return (
        f"{what} estimated over {units}.{averaged} {level} CIs: {first.inference}.",
        *(f"{result.title}: {result.inference}." for result in others),
    )


STUDY = Study(
    name="one-source",
    title="How high is the mean or share of one source?",
    design="ratings",
    needs="unit and value, all of one source (or a rater column with one label)",
    suits=suits,
    run=run,
)
