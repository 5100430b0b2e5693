"""Study of one source: its mean, and the share of each level, with their intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from socialstats import sentences
from socialstats.designs.levels import opposites
from socialstats.designs.nouns import unit_noun
from socialstats.designs.parts import REFUSAL
from socialstats.designs.ratings import Ratings
from socialstats.figures.squares import MOST_LEVELS
from socialstats.results import Result, Row
from socialstats.scales.mean_ratings import mean_ratings
from socialstats.shares.choice_shares import choice_shares
from socialstats.studies.asking import ask_rows, page_of
from socialstats.studies.estimates import cluster_words, declared_clusters, halved, single
from socialstats.studies.multiverse import Way, dependence_block, with_design_effect
from socialstats.studies.page import Block, Diagnostic, Outcome, StudyOptions, check_single
from socialstats.studies.rating_means import label_of_mean
from socialstats.studies.repeats import each_answer, repeats_block
from socialstats.studies.row_figures import interval_points
from socialstats.studies.row_picking import pick_rows, row_term, rows_by
from socialstats.studies.row_sentences import span_sentence
from socialstats.studies.tables_of_ratings import has_mean
from socialstats.studies.verdicts import Conclusion, of_ten, verdict_of
from socialstats.text import as_words, count, percent_of, plural_of, shorten

USED = ("level", "seed", "resamples", "verify")


@dataclass(frozen=True, kw_only=True)
class SourcePage:
    """What the page of one table rests on.

    Attributes
    ----------
    design : Ratings
    options : StudyOptions
    mean : Result or None
        The mean over units, and that of each stratum; None of labels.
    shares : Result or None
        The share of each level; None of many levels, of repeated answers, and where the mean is a share.
    """

    design: Ratings
    options: StudyOptions
    mean: Result | None
    shares: Result | None

    @property
    def lead(self) -> Row:
        """The mean, or the share of yes, or of the level that occurs most, the first of several."""
        if self.mean is not None:
            return self.mean.rows[0]
        rows = shares_of_levels(self.shares)
        if is_yes_no(self.design):
            return rows[-1]
        return max(rows, key=lambda row: row.estimate or 0.0)

    def lead_of(self, result: Result) -> Row:
        """Return the row of this estimate in the result of another analysis."""
        if self.mean is not None:
            return result.rows[0]
        return result.row(self.lead.term, group=self.lead.group)


def is_share(design: Ratings) -> bool:
    """Return whether the mean of the values is a share: of ones among zeros and ones, also of repeated answers."""
    binary = len(design.levels) == 2 or design.repeats is not None
    return has_mean(design) and design.ends == (0.0, 1.0) and binary


def is_yes_no(design: Ratings) -> bool:
    """Return whether the two labels are opposites, such as no and yes: then the share of the second is asked for."""
    return not has_mean(design) and opposites(design.levels) is not None


def compute(design: Ratings, options: StudyOptions) -> SourcePage:
    """Compute the mean of numbers, and the shares of few levels."""
    counted = len(design.levels) <= MOST_LEVELS and design.repeats is None and not is_share(design)
    return SourcePage(
        design=design,
        options=options,
        mean=compute_mean(design, options) if has_mean(design) else None,
        shares=compute_shares(design, options) if counted or not has_mean(design) else None,
    )


def compute_mean(design: Ratings, options: StudyOptions, cluster: Way = "declared") -> Result:
    """Return the mean over units, and that of each stratum."""
    return single(mean_ratings(design, level=options.level, cluster=cluster))


def compute_shares(design: Ratings, options: StudyOptions, cluster: Way = "declared") -> Result:
    """Return the share of each level."""
    return single(choice_shares(design, cluster=cluster, **options.chosen()))


def shares_of_levels(result: Result | None) -> list[Row]:
    """Return the shares of all levels over all units."""
    return [] if result is None else pick_rows(result.rows, stratum=False)


# names


def value_name(design: Ratings) -> str:
    """Name the column of the values; the source where the values have no column."""
    return f"'{as_words(design.columns.get('value', design.raters[0]), 30)}'"


def quantity(design: Ratings) -> str:
    """Name what is estimated: ``share of 1 in 'correct'``, ``mean of 'score'``."""
    name = f"mean of {value_name(design)}"
    if is_share(design):
        name = f"share of 1 in {value_name(design)}"
    elif is_yes_no(design):
        name = f"share of '{shorten(design.levels[-1], 30)}' in {value_name(design)}"
    source = design.raters[0]
    if source == design.columns.get("value"):
        return name
    return f"{name} of {as_words(source, 30)}"


def sample(design: Ratings, lead: Row) -> str:
    """Return the number of units; of a share of single answers, how many of them these are."""
    units = count(lead.n_units or 0, unit_noun(design))
    share = is_share(design) or not has_mean(design)
    alone = lead.n == lead.n_units and design.repeats is None
    if not share or not alone or lead.estimate is None:
        return units
    return f"{count(round(lead.estimate * (lead.n or 0.0)))} of {units}"


# questions


def questions(a: SourcePage) -> Iterator[Block | None]:
    """Yield the questions in the order of a reader's interest."""
    yield mean_question(a)
    yield shares_question(a)
    yield repeats_block(a.design.repeats)

    def compute_again(cluster: Way) -> Result:
        again = compute_shares if a.mean is None else compute_mean
        return again(a.design, a.options, cluster)

    share = f"share of '{shorten(a.lead.term, 30)}'"
    yield dependence_block(
        declared_clusters(a.design),
        compute_again,
        rows="units",
        lead=a.lead_of,
        quantity=share if a.mean is None else quantity(a.design),
    )


def mean_question(a: SourcePage) -> Block | None:
    """Ask how high the mean is, over all units and at each level of their strata."""
    if a.mean is None:
        return None
    name, strata = quantity(a.design), pick_rows(a.mean.rows, stratum=True)
    ranges = [
        span_sentence(rows, f"the {name} by {as_words(stratum)}")
        for stratum, rows in rows_by(strata, "stratum").items()
    ]
    return ask_rows(
        "mean",
        f"How high was the {name}?",
        a.mean,
        [a.lead, *strata],
        quantity=name,
        names=label_of_mean,
        say=[f"The {name} was {sentences.estimate_text(a.lead)}.", *ranges],
        draw=interval_points(None),
        note="Differences between levels were not tested." * bool(strata),
    )


def shares_question(a: SourcePage) -> Block | None:
    """Ask how often each level occurs."""
    rows = shares_of_levels(a.shares)
    if not rows:
        return None
    top = max(rows, key=lambda row: row.estimate or 0.0)
    name = value_name(a.design)
    return ask_rows(
        "shares",
        f"How often did each level of {name} occur?",
        a.shares,
        rows,
        quantity=f"share of each level of {name}",
        names=row_term,
        say=[
            f"'{shorten(top.term, 40)}' occurred most: its share was {sentences.estimate_text(top)}."
        ],
        draw=interval_points(None, label="level"),
        note="CIs are unadjusted. Shares sum to 1.",
    )


# the page


def run(design: Ratings, options: StudyOptions) -> Outcome:
    """Answer: how high is the mean or share of this source, and how certain is that?"""
    check_single(design)
    a = compute(design, options)
    lead = a.lead
    results = [result for result in (a.mean, a.shares) if result is not None]
    answered = [block for block in questions(a) if block is not None]
    title = f"How high is the {quantity(design)}?"
    if not has_mean(design) and not is_yes_no(design):
        title = f"Which level of {value_name(design)} is the most frequent?"
    return page_of(
        "one-source",
        title,
        design,
        options,
        describe=describe(design),
        verdict=verdict(design, lead),
        answer=[answer(design, lead)],
        planning=halved(design.clusters, lead, lead.n_units, "the estimate", df=lead.df),
        leading={result.title: result for result in results},
        blocks=with_design_effect(answered, design.clusters, lead=a.lead_of),
        uses=USED,
        diagnostics=[values_diagnostic(design)],
        methods=methods(a, results),
    )


def answer(design: Ratings, lead: Row) -> str:
    """Return the mean, or the share of yes or of the most frequent level, in one sentence."""
    estimate = f"{sentences.estimate_text(lead)} ({sample(design, lead)})"
    if has_mean(design) or is_yes_no(design):
        return f"The {quantity(design)} was {estimate}."
    level = shorten(lead.term, 40)
    return f"The most frequent level of {value_name(design)} was '{level}', with a share of {estimate}."


def verdict(design: Ratings, lead: Row) -> Conclusion:
    """Return the mean or share in everyday terms, with what the data leave open."""
    if lead.estimate is None:
        return verdict_of(f"The data do not show the {quantity(design)}", certainty="open")
    ends = lead.ends()
    share = is_share(design) or not has_mean(design)
    open_range = within = ""
    if ends:
        low, high = (f"{round(100 * end)}" if share else f"{end:.2g}" for end in ends)
        within = f"{low} to {high}{' of 100' * share}"
        open_range = f"; the data leave open {within}"
    text = f"The {quantity(design)} is about {lead.estimate:.2g}"
    if share:
        repeated = design.repeats.share_of if design.repeats is not None else ""
        level = repeated or (design.levels[-1] if is_share(design) else lead.term)
        units = plural_of(unit_noun(design))
        text = f"'{shorten(level, 40)}' is the value of {of_ten(lead.estimate)} {units}"
    return verdict_of(text, open_range, certainty="interval", within=within)


def describe(design: Ratings) -> str:
    """Return the design in one line: kind, and n at every level."""
    refused = int((design.status == REFUSAL).sum())
    parts = [count(design.n_rows, "value")]
    if refused:
        parts.append(count(refused, "refusal"))
    parts.append(count(design.unit_count.sum(), unit_noun(design)))
    if design.repeats is not None:
        parts.append(each_answer(design.repeats))
    parts += [f"{design.scale} scale", *cluster_words(design)]
    return "Values of one source: " + ", ".join(parts)


def values_diagnostic(design: Ratings) -> Diagnostic:
    """Return whether every unit has a value."""
    check = "Does every unit have a value?"
    lost = int((design.unit_count * (design.level_counts().sum(axis=1) == 0)).sum())
    if not lost:
        return Diagnostic(check, "Yes.", "All units were used.")
    missing = f"No: {count(lost, 'unit has', 'units have')} none."
    return Diagnostic(check, missing, "Estimates are of the units with a value.")


def methods(a: SourcePage, results: Sequence[Result]) -> list[str]:
    """Return the methods: what was estimated, and the interval of each."""
    design = a.design
    what = f"Shares of the levels of {value_name(design)} were"
    if has_mean(design):
        what = f"The {quantity(design)} was"
    brief = f"{what} estimated over {count(design.unit_count.sum(), unit_noun(design))}."
    if design.repeats is not None:
        brief += " Repeated answers to a unit were averaged first."
    first, *further = results
    brief += f" {percent_of(a.options.level)} CIs: {first.inference}."
    return [brief, *(f"{result.title}: {result.inference}." for result in further)]
