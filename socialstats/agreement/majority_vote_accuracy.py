"""Majority vote accuracy: how often the level that most raters chose is the true one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import multimode
from typing import Any, Literal, get_args

import numpy as np

from socialstats import sentences
from socialstats.agreement.kappa import units_by_stratum
from socialstats.agreement.rating_tables import NO_RATING, level_table, strata_of
from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.parts import OK, Factor
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, NothingToAnalyse, caution
from socialstats.inference.dependence import cluster_factors, share_cautions
from socialstats.matching import Match, match_keys
from socialstats.registry import Metric, reads
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.definitions import PlainSample, sample_of_mean
from socialstats.results.plots import forest_plot, rows_with_groups
from socialstats.shares.counts import (
    IntervalOptions,
    interval_options,
    merge_cells,
    share_row,
    shares_header,
)
from socialstats.text import count, quoted, shorten
from socialstats.voice import Word, check_allowed, option

Ties = Literal["split", "first_level", "wrong", "drop", "error"]
TIES: tuple[str, ...] = get_args(Ties)
Ci = Literal["auto", "wilson", "percentile", "basic", "bca"]
TERMS = ("accuracy", "single rater", "unanimous", "tied")
NO_UNIT = "no unit has votes and a true level"


@reads(Ratings, labels="single")
def majority_vote_accuracy(
    ratings: Ratings | TableLike,
    *,
    truth: str | Mapping[Any, Any] | None = None,
    ties: Ties = "split",
    stratum: str | None = None,
    ci: Ci = "auto",
    cluster: str | Sequence[str] | None = "declared",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate how often the level that most raters gave a unit is its true one.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        With a ``by`` factor: one result a level.
    truth : str or mapping
        Name of the rater whose ratings are the truth and who does not vote. Or the true level of each unit by the
        unit's label. Must be given.
    ties : {"split", "first_level", "wrong", "drop", "error"}
        Rule where several levels have most votes. ``"split"`` counts 1/m for a true level among m tied ones, the
        accuracy when ties are broken at random. ``"first_level"`` takes the first tied level in the declared order.
        ``"wrong"`` counts 0, ``"drop"`` excludes the unit, ``"error"`` names the units. Ties are always counted.
    stratum : str, optional
        A declared stratum of the units: rows for each of its levels follow those of all units.
    ci : {"auto", "wilson", "percentile", "basic", "bca"}
        As in `percent_agreement`.
    cluster : str, pair of str or None
        Declared clusters of units (two are taken as crossed); None takes units as independent.
    level : float
    resamples, seed : int
        Of the bootstrap intervals.
    **columns
        Of a data frame or file: its columns, by the keywords of `read_ratings`.

    Returns
    -------
    Result
        Rows, each a mean over units in [0, 1]: ``accuracy``, ``single rater``, ``unanimous``, ``tied``. ``accuracy`` is
        that of the majority, ``single rater`` that of one rater drawn at random.
        `group`: level of the stratum. Missing ratings and refusals are no votes. `extras`: ``votes`` (smallest and
        largest number a unit).

    Raises
    ------
    InputError
        Without `truth`, for a truth that is no rater or no level, ties under ``ties="error"``, or unknown options.
    NothingToAnalyse
        If no unit has both votes and a true level.

    References
    ----------
    Condorcet, M. J. A. N. de Caritat, marquis de (1785). Essai sur l'application de l'analyse. Imprimerie Royale.
    Wilson, E. B. (1927). doi:10.1080/01621459.1927.10502953
    Korn, E. L., & Graubard, B. I. (1998). Survey Methodology, 24(2), 193-201.

    Examples
    --------
    >>> import pandas as pd
    >>> from socialstats.designs.ratings import Ratings
    >>> rows = pd.DataFrame({"unit": ["p", "q"] * 3, "rater": ["ann"] * 2 + ["bob"] * 2 + ["cid"] * 2,
    ...                      "value": ["yes", "no", "yes", "yes", "no", "yes"]})
    >>> design = Ratings.from_frame(rows, levels=["no", "yes"], scale="ordinal")
    >>> majority_vote_accuracy(design, truth={"p": "yes", "q": "no"}).row("accuracy").estimate
    0.5
    """
    how = interval_options(ci, level, resamples, seed, get_args(Ci))
    check_allowed("ties", ties, TIES)
    settings = {
        "truth": truth,
        "ties": ties,
        "stratum": stratum,
        "cluster": cluster,
        **asdict(how),
    }
    # the rater who is the truth does not vote
    levels, voters = true_levels(ratings, truth)
    factors = cluster_factors(ratings, cluster)
    ballots = count_votes(ratings, levels, voters, factors)
    if not ballots.unit.size:
        raise NothingToAnalyse(f"{ratings.source}: {NO_UNIT}")
    values = {"accuracy": credit(ratings, ballots, ties)} | vote_facts(ballots)
    rows = []
    for group, among in units_by_stratum(ratings, stratum):
        of_stratum = () if group is None else (("stratum", group),)
        for term in TERMS:
            key = (("measure", term), *of_stratum)
            row = Row(term=term, group=group, key=key, role="estimate")
            rows.append(accuracy_row(row, values[term], ballots, among[ballots.unit], how))
    units, tied = int(ballots.weight.sum()), int(ballots.weight @ values["tied"])
    n_votes = ballots.votes.sum(axis=1)
    counts = {
        "units": units,
        "votes": int(ballots.weight @ n_votes),
        "ties": tied,
    }
    cautions = (*left_out_cautions(ratings, ballots), *share_cautions(ratings, factors, rows))
    extras = {
        "truth": truth,
        "votes": (float(min(n_votes)), float(max(n_votes))),
    }
    return Result(
        metric="majority_vote_accuracy",
        title="Majority vote accuracy",
        rows=tuple(rows),
        counts=counts,
        **shares_header(how, factors, rows, nobs=units, n_clusters=rows[0].n_clusters),
        settings=settings | {"truth": truth_text(ratings, truth)},
        cautions=cautions,
        references=METRIC.references,
        design=ratings,
        extras=extras,
    )


def truth_text(design: Ratings, truth: Any) -> str:
    """Return how the settings of a result name the truth: the rater, or how many units have a true level."""
    if isinstance(truth, str):
        return truth
    match = matched_truth(design, truth)
    if match.complete:
        return f"levels of {count(len(truth), 'unit')}, by label"
    return f"levels of {match.text('unit', ('the truth', 'the votes'))}"


EACH = {Word("unit"): Word("level")}


def true_levels(design: Ratings, truth: Any) -> tuple[IntArray, BoolArray]:
    """Return the true level of each unit (-1: not known), and which raters vote."""
    out = np.full(len(design.units), -1, dtype=np.int64)
    if isinstance(truth, str):
        if truth not in design.raters:
            raise InputError(
                f"{option('truth', shorten(truth))} is no rater; raters: {quoted(list(design.raters), most=10)}. "
                f"Or pass the true level of each unit: {option('truth', EACH)}"
            )
        judge = design.raters.index(truth)
        by_judge = (design.rater == judge) & (design.status == OK)
        # units without this rater's level stay -1, which is no level
        out[design.unit[by_judge]] = design.value[by_judge]
        return out, np.arange(len(design.raters)) != judge
    if not isinstance(truth, Mapping):
        raise InputError(
            f"majority_vote_accuracy needs the truth: {option('truth', 'name of a rater')}, or "
            f"{option('truth', EACH)}, not {shorten(repr(truth))}"
        )
    levels = {label: code for code, label in enumerate(design.levels)}
    scores = design.scores.tolist() if design.numeric else []
    codes = []
    for unit, value in truth.items():
        # a number names the level of that score, as labels of levels are texts
        is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        code = levels.get(
            str(value), scores.index(value) if is_number and value in scores else None
        )
        if code is None:
            listed = quoted(list(design.levels), most=10)
            raise InputError(
                f"the truth of unit '{shorten(str(unit))}' is '{shorten(str(value))}'; levels: {listed}"
            )
        codes.append(code)
    matched, places = matched_truth(design, truth).places
    out[places] = np.array(codes, dtype=np.int64)[matched]
    return out, np.ones(len(design.raters), dtype=bool)


def matched_truth(design: Ratings, truth: Mapping[Any, Any]) -> Match:
    """Match the units whose true level is given with those of the design, by label."""
    return match_keys(map(str, truth), design.units)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ballots:
    """Votes of the units that have votes and a true level.

    Attributes
    ----------
    unit : (n,) int64 array
        Index of the unit in the design.
    votes : (n, levels) float64 array
    truth : (n,) int64 array
    weight : (n,) float64 array
        Alike units.
    codes : tuple of (n,) int64 arrays
        Clusters.
    """

    unit: IntArray
    votes: FloatArray
    truth: IntArray
    weight: FloatArray
    codes: tuple[IntArray, ...]


def count_votes(
    design: Ratings, truth: IntArray, voters: BoolArray, factors: Sequence[Factor]
) -> Ballots:
    """Count the votes of each unit by level."""
    n_levels, n_units = len(design.levels), len(design.units)
    cast = (design.status == OK) & voters[design.rater]
    # one bincount over units x levels: code of a cell = unit * levels + level
    cell = design.unit[cast] * n_levels + design.value[cast]
    votes = (
        np.bincount(cell, minlength=n_units * n_levels)
        .reshape(n_units, n_levels)
        .astype(np.float64)
    )
    units = np.flatnonzero((votes.sum(axis=1) > 0) & (truth >= 0))
    codes = tuple(factor.codes[units] for factor in factors)
    return Ballots(
        unit=units,
        votes=votes[units],
        truth=truth[units],
        weight=design.unit_count[units],
        codes=codes,
    )


def credit(design: Ratings, ballots: Ballots, ties: str) -> FloatArray:
    """Return how right the majority of each unit is, in [0, 1]; NaN where a tie leaves the unit out."""
    top = ballots.votes == ballots.votes.max(axis=1, keepdims=True)  # (n, levels): most votes
    n_tied, index = top.sum(axis=1), np.arange(len(top))
    if ties == "error" and np.any(n_tied > 1):
        tied_units = [design.units[u] for u in ballots.unit[n_tied > 1].tolist()]
        raise InputError(
            f"{count(len(tied_units), 'unit')} with tied votes: {quoted(tied_units)}. "
            f"Say what a tie counts: {option('ties')} one of {', '.join(TIES[:-1])}"
        )
    right = top[index, ballots.truth].astype(np.float64)
    # argmax takes the first of equal numbers, and levels are in their declared order
    if ties == "first_level":
        return np.where(top.argmax(axis=1) == ballots.truth, 1.0, 0.0)
    # 1/m is the expected accuracy where one of m tied levels is drawn
    of_tied: Any = {"split": right / n_tied, "drop": np.nan}.get(ties, 0.0)
    credits: FloatArray = np.where(n_tied > 1, of_tied, right)
    return credits


def vote_facts(ballots: Ballots) -> dict[str, FloatArray]:
    """Return for each unit the share of right votes, whether all votes agree, and whether the vote is tied."""
    votes = ballots.votes
    total, most = votes.sum(axis=1), votes.max(axis=1)
    # a rater drawn at random is right with the share of votes for the true level
    return {
        "single rater": votes[np.arange(len(votes)), ballots.truth] / total,
        "unanimous": (most == total).astype(np.float64),
        "tied": ((votes == most[:, None]).sum(axis=1) > 1).astype(np.float64),
    }


def accuracy_row(
    row: Row, values: FloatArray, ballots: Ballots, among: BoolArray, how: IntervalOptions
) -> Row:
    """Fill a row with a mean over units."""
    kept = among & ~np.isnan(values)
    if not kept.any():
        # with ties="drop" units are left where every vote is tied
        why = NO_UNIT if not among.any() else "every vote is tied, and ties are left out"
        return replace(row, n=0.0, n_units=0, undefined=why, reason="no_data")
    weight = ballots.weight[kept]
    # each vote is an answer of a single rater; other shares have one answer a unit
    answers = weight.sum()
    if row.term == "single rater":
        answers = weight @ ballots.votes[kept].sum(axis=1)
    codes = [code[kept] for code in ballots.codes]
    return share_row(row, merge_cells(values[kept], weight, codes, float(answers)), how)


def left_out_cautions(design: Ratings, ballots: Ballots) -> tuple[Caution, ...]:
    """Caution SS301 when units have no vote or no true level."""
    lost = int(design.unit_count.sum() - ballots.weight.sum())
    if not lost:
        return ()
    detail = f"{count(lost, 'unit')} without votes or without a true level"
    return (caution("SS301", detail, affects="all rows", fix="give the truth of every unit"),)


def sentence(result: Result) -> str:
    """State how often the majority was right, and one rater."""
    row = result.row("accuracy", group=result.rows[0].group)
    # a page of several rules for ties shows the single rater once
    singles = [rate for rate in result.rows if rate.term == "single rater"]
    ties = count(result.counts["ties"], "tied vote")
    if row.estimate is None:
        return sentences.no_number("the accuracy of the majority vote", f"{row.undefined} ({ties})")
    units = count(row.n or 0, "unit")
    accuracy = (
        f"The accuracy of the majority vote was {sentences.estimate_text(row)} ({units}, {ties})."
    )
    if not singles:
        return accuracy
    return f"{accuracy} That of a single rater was {sentences.estimate_text(singles[0])}."


def sample_voted_units(result: Result) -> Iterator[PlainSample]:
    """Yield the units that have votes and a true level, with what each counts in each row."""
    design, settings = result.design, result.settings
    table = level_table(design, "missing")
    truth = result.extras["truth"]
    if isinstance(truth, str):
        judge = design.raters.index(truth)
        true_codes = table[:, judge].tolist()
        # the judge does not vote
        table = np.delete(table, judge, axis=1)
    else:
        code_of = {str(unit): code_of_level(design, value) for unit, value in truth.items()}
        true_codes = [code_of.get(unit, NO_RATING) for unit in design.units]
    values = np.full((len(design.units), len(TERMS)), np.nan)
    n_votes = np.zeros(len(design.units))
    for unit, true_code in enumerate(true_codes):
        votes = [code for code in table[unit].tolist() if code != NO_RATING]
        if votes and true_code != NO_RATING:
            values[unit] = ballot_values(votes, true_code, settings["ties"])
            n_votes[unit] = len(votes)
    factors = design.factors(settings["cluster"])
    for group, among in strata_of(design, settings["stratum"]):
        for term, value in zip(TERMS, values.T, strict=True):
            here = np.where(among, value, np.nan)
            # a vote is an answer of a single rater; other rows have one answer a unit
            cast = n_votes if term == "single rater" else np.ones(len(n_votes))
            answers = float((design.unit_count * cast)[~np.isnan(here)].sum())
            yield sample_of_mean((group, term), here, design.unit_count, factors, answers)


def ballot_values(votes: list[int], truth: int, ties: str) -> tuple[float, ...]:
    """Return what the votes of a unit count in the rows of `TERMS`, from the modes of Python's statistics module.

    Examples
    --------
    >>> ballot_values([1, 1, 2, 2], 2, "split"), ballot_values([1, 1, 2, 2], 2, "first_level")
    ((0.5, 0.5, 0.0, 1.0), (0.0, 0.5, 0.0, 1.0))
    """
    modes = multimode(votes)
    tied = len(modes) > 1
    accuracy = (truth in modes) / len(modes)
    if tied and ties != "split":
        accuracy = {"first_level": float(min(modes) == truth), "drop": np.nan}.get(ties, 0.0)
    single_rater = votes.count(truth) / len(votes)
    return accuracy, single_rater, float(len(set(votes)) == 1), float(tied)


def code_of_level(design: Ratings, value: Any) -> int:
    """Return the code of a level by its label, or by its number."""
    if str(value) in design.levels:
        return list(design.levels).index(str(value))
    return [float(score) for score in design.scores].index(float(value))


METRIC = Metric(
    name="majority_vote_accuracy",
    title="Majority vote accuracy",
    design="ratings",
    function=majority_vote_accuracy,
    sentence=sentence,
    plot=forest_plot(rows_with_groups, xlabel="Share of units", reference=None),
    definition=Definition(samples=sample_voted_units),
    estimand="Mean over units of whether the level that most raters chose is the true one.",
    assumptions=("units (or the named clusters of units) are independent", "the truth is right"),
    references=("condorcet1785", "wilson1927", "korngraubard1998"),
    options={"truth": "cid"},
)
