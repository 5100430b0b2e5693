"""ADA-Met: the mean distance of a model's answers from the mode of the people's answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from socialstats import sentences
from socialstats.agreement.kappa import units_by_stratum
from socialstats.arrays import BoolArray, FloatArray
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.parts import MISSING, REFUSAL
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, caution
from socialstats.halves import in_halves
from socialstats.inference.compare import rows_with_holm
from socialstats.inference.dependence import (
    cluster_cautions,
    cluster_text,
    small_sample_caution,
)
from socialstats.inference.how import RESAMPLED
from socialstats.registry import Metric, reads
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.rows import lowest_and_highest, undefined_text
from socialstats.scales.alignment import (
    NOT_ASKED,
    ModeTies,
    Panel,
    Targets,
    TwoWay,
    constant_shares,
    model_shares,
    resample_people,
)
from socialstats.scales.alignment_groups import rows_by_group
from socialstats.scales.alignment_intervals import (
    METHODS,
    AlignmentCi,
    AlignmentOptions,
    AlignmentState,
    FilledRows,
    Unparsed,
    fill_intervals,
    two_way_means,
)
from socialstats.scales.plain_alignment import sample_alignment
from socialstats.shares.counts import IntervalOptions, merge_cells, probabilities_text, share_row
from socialstats.text import count, number, quoted, shorten
from socialstats.voice import option

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["METRIC", "ada_met"]


LINE = "reference line"
PAIRED = "{ci}, on the units that both answered; p of the same t, Holm over the models"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AllPeopleRows:
    """Rows about all people.

    Attributes
    ----------
    models, lines, differences : list of Row
        Models (all units, then strata); reference lines; models less the nearest one, and less the best constant.
    filled : FilledRows
        All of them.
    effects : dict of model to float
        Design effects: variance over that of units taken as independent, with the people held (Kish, 1965).
    """

    models: list[Row]
    lines: list[Row]
    differences: list[Row]
    filled: FilledRows
    effects: dict[str, float]


def targets_of_all_people(state: AlignmentState) -> tuple[list[Row], list[FloatArray]]:
    """Name the models over all units, the models by stratum, and the answers that need no model; with their shares."""
    shares = model_shares(state.answers)
    rows = list[Row]()
    targets = list[FloatArray]()
    for level, among in units_by_stratum(state.design, state.options.stratum):
        inside = among[state.answers.unit].astype(np.float64)[:, None]  # (units, 1)
        for model, shares_of_model in zip(state.models, shares, strict=True):
            row = Row(term=model, role="estimate", key=(("model", model),))
            if level is not None:
                row = replace(
                    row,
                    group=f"{state.options.stratum} = {level}",
                    key=(*row.key, ("stratum", level)),
                )
            rows.append(row)
            targets.append(shares_of_model * inside)
    line = Row(term="uniform answer", group=LINE, role="reference", key=(("line", "uniform"),))
    rows += [
        replace(line, term=f"always {label}", key=(("line", "constant"), ("answer", label)))
        for label in state.answers.labels
    ]
    rows.append(line)
    return rows, [*targets, *constant_shares(state.answers)]


class PairedDifference(NamedTuple):
    """The distance of a model less that of another answer to the same units.

    Attributes
    ----------
    row : Row
        Its names.
    shares, minus : (units, levels + 1) arrays
        Shares of each possible answer, the last a refusal: of the model, and of what is subtracted.
    """

    row: Row
    shares: FloatArray
    minus: FloatArray


def paired_differences(
    state: AlignmentState, rows: Sequence[Row], shares: Sequence[FloatArray]
) -> list[PairedDifference]:
    """Return the differences from the nearest model (of several) and from the best constant answer, without numbers."""
    answers = state.answers
    m = len(state.models)
    k = len(state.answers.scores)
    distances, has_mode = answers.distances(answers.pooled_counts[None])
    differences = []
    # rows are models, models by stratum, k constant answers, and the uniform answer
    constants = range(len(rows) - k - 1, len(rows) - 1)
    for kind, candidates in (("nearest", range(m)), ("constant", constants)):
        targets = Targets.from_shares([shares[j] for j in candidates])
        mean_distances = targets.means(distances, answers.weight * has_mode)[0]
        if np.isnan(mean_distances).all() or (kind == "nearest" and m == 1):
            continue
        best = candidates[int(np.nanargmin(mean_distances))]
        for j, model in enumerate(state.models):
            if j != best:
                key = (("model", model), (kind, rows[best].label("answer") or rows[best].term))
                row = Row(
                    term=model,
                    group=f"minus {kind} = {rows[best].term}",
                    role="difference",
                    key=key,
                    method=PAIRED.format(ci=METHODS[state.options.ci]),
                )
                differences.append(PairedDifference(row, shares[j], shares[best]))
    return differences


def rows_of_all_people(state: AlignmentState) -> AllPeopleRows:
    """Rows of models, of the reference lines and of differences between them."""
    answers = state.answers
    o = state.options
    m = len(state.models)
    rows, shares = targets_of_all_people(state)
    why = state.no_resampling(len(answers.people))
    two_way = o.ci == "two_way"
    paired = paired_differences(state, rows, shares) if two_way and not why[0] else []
    ceiling = Row(
        term=f"random {state.reference}",
        group=LINE,
        role="reference",
        key=(("line", "ceiling"),),
        method=f"{METHODS[o.ci]}, with the modes of the others held",
    )
    targets = Targets.from_shares([*shares, *(d.shares for d in paired)], [d.minus for d in paired])
    panel = Panel.everyone(answers, targets)
    means = two_way_means(state, panel)
    drawn = list[FloatArray]()
    if not why[0]:
        watched, resampled_sets = (means, 0) if two_way else ([], 2)
        drawn = resample_people(
            panel, watched, state.clusters, o.resamples, o.seed, kept=resampled_sets
        )
    names = [*rows, *(difference.row for difference in paired), ceiling]
    filled = fill_intervals(state, names, means, drawn, why)
    effects = {}
    if two_way and not why[0]:
        # one person and no clusters: the variance of means over independent units
        independent = TwoWay(
            Targets.from_shares(shares[:m]), panel.sample()[0], answers.weight, (), 1
        ).units
        error = means[0].spread()[0][:m]
        effects = {
            model: float(e**2 / v)
            for model, e, v in zip(state.models, error, independent, strict=True)
            if v > 0 and e > 0
        }
    differences = []
    for kind in ("nearest", "constant"):
        tests = [row for row in filled.rows[len(rows) : -1] if row.label(kind)]
        differences += rows_with_holm(tests, family=f"models, {kind}")
    return AllPeopleRows(
        models=[row for row in filled.rows if row.role == "estimate"],
        lines=[filled.rows[-1], *(row for row in filled.rows[:-1] if row.role == "reference")],
        differences=differences,
        filled=filled,
        effects=effects,
    )


AT = "share at distance"
MOST_STEPS = 12  # steps of a scale up to which its distances have rows
# name of the rows, label in their key, and code of the status
SHARES = (("share refused", "refused", REFUSAL), ("share unparsed", "unparsed", MISSING))


def refusal_share_rows(state: AlignmentState) -> list[Row]:
    """Shares of refusals of each model among the answers asked for, and of unparsed answers where there are any."""
    statuses = state.answers.status
    rows = []
    for level, among in units_by_stratum(state.design, state.options.stratum):
        place = "" if level is None else f", {state.options.stratum} = {level}"
        stratum_key = () if level is None else (("stratum", level),)
        for name, kind, code in SHARES if (statuses == MISSING).any() else SHARES[:1]:
            for model, status in zip(state.models, statuses, strict=True):
                row = Row(
                    term=model,
                    group=f"{name}{place}",
                    key=(("model", model), ("share", kind), *stratum_key),
                )
                eligible = among[state.answers.unit] & (status != NOT_ASKED)
                rows.append(fill_share(state, row, (status == code).astype(np.float64), eligible))
    return rows


def distance_rows(state: AlignmentState) -> list[Row]:
    """Share of the units of each model at each distance, rounded up to whole steps: only the mode itself is at 0."""
    answers = state.answers
    rows = []
    # distances of declared numbers can have hundreds of steps: such scales have no rows of them
    steps = float(answers.scores[-1] - answers.scores[0])
    if not 1 <= steps <= MOST_STEPS:
        return []
    distances, has_mode = answers.distances(answers.pooled_counts)
    for model, shares in zip(state.models, model_shares(answers), strict=True):
        counts = shares.any(axis=1) & (has_mode > 0)
        # (units, levels + 1); a refusal may be farther away than any level
        steps_away = np.ceil(distances.round(9))
        farthest = steps_away[counts][shares[counts] > 0].max(initial=0.0)
        for step in range(int(max(steps, farthest)) + 1):
            key = ("model", model), ("distance", str(step))
            row = Row(term=model, group=f"{AT} {step}", key=key)
            rows.append(fill_share(state, row, ((steps_away == step) * shares).sum(axis=1), counts))
    return rows


def fill_share(state: AlignmentState, row: Row, hit: FloatArray, counts: BoolArray) -> Row:
    """Share of one kind of answer of one model, over the units that count; a probability counts as a part of one."""
    row = replace(row, role="component")
    if not counts.any():
        text = "not asked about these units"
        return replace(row, n=0.0, n_units=0, undefined=text, reason="no_data")
    o = state.options
    how = IntervalOptions(ci="wilson", level=o.level, resamples=o.resamples, seed=o.seed)
    weight = state.answers.weight[counts]
    codes = [c[counts] for c in state.clusters]
    # sums of probabilities vary less than counts, and have no largest number of hits
    most = math.inf if np.any(hit[counts] % 1) else float(weight.sum())
    return share_row(row, merge_cells(hit[counts], weight, codes, most), how)


FEW_PEOPLE = 20
NOISY = 0.5  # standard errors
# rule of refusals -> what is said of it
COUNTED = {
    "max": "counted as the width of the scale",
    "item_max": "counted as the farthest possible answer",
    "exclude": "excluded",
}
MOST_PLOTTED = 60


def inference_text(state: AlignmentState) -> str:
    """Describe how the intervals were obtained."""
    o = state.options
    units = cluster_text(state.factors, "units")
    how = f"two-way bootstrap of {state.reference} raters and units, {o.ci} intervals"
    if o.ci == "two_way":
        how = (
            f"t intervals with the variance over units and over resampled {state.reference} raters"
        )
    return f"{how}, {count(o.resamples, 'resample')}, seed {o.seed}; {units}"


def count_data(state: AlignmentState) -> dict[str, int]:
    """Number of units, reference raters and answers, models, and units with tied modes."""
    answers = state.answers
    # columns of the table of people are the levels of each unit
    answers_of_person = answers.table @ np.repeat(answers.weight, len(answers.scores))
    return {
        "units": int(answers.weight.sum()),
        "reference raters": len(answers.people),
        "reference answers": int(answers_of_person.sum()),
        "models": len(answers.models),
        "units with tied modes": int(answers.weight[state.tied].sum()),
    }


def design_cautions(state: AlignmentState, ties: int) -> tuple[Caution, ...]:
    """Cautions on clusters, what was left out, refusals, ties, few people, undeclared distances."""
    # a bootstrap has no degrees of freedom, by which few clusters are told otherwise
    drawn = [None] if state.options.ci in RESAMPLED else None
    cautions = [
        *cluster_cautions(state.design, state.factors, df=drawn),
        *left_out_cautions(state),
        *refusal_cautions(state),
    ]
    if state.options.ties == "nearest" and ties:
        text = f"the nearest of tied modes was chosen for {count(ties, 'unit')} after the answer was known"
        cautions.append(
            caution(
                "SS333",
                text,
                affects="every distance, which is too small",
                fix=f"use {option('ties', 'mean')}",
            )
        )
    people = len(state.answers.people)
    cautions += small_sample_caution(
        people,
        FEW_PEOPLE,
        count(people, "reference rater"),
        basis=count(people, "reference rater"),
        affects="intervals, which may be anticonservative",
        fix=f"ask at least {FEW_PEOPLE} people",
    )
    if not state.design.numeric:
        text = (
            f"distances between levels were not declared; levels count as 0 to "
            f"{len(state.answers.scores) - 1} in order"
        )
        cautions.append(caution("SS310", text, affects="every distance"))
    return tuple(cautions)


def left_out_cautions(state: AlignmentState) -> list[Caution]:
    """Caution SS301: units of models without a reference answer, and the other way round."""
    answers = state.answers
    cautions = []
    if answers.left_out:
        text = f"{count(len(answers.left_out), 'unit')} without an answer of the reference: {quoted(answers.left_out)}"
        cautions.append(
            caution("SS301", text, affects="every row", fix="check that units are spelled alike")
        )
    if answers.unanswered:
        text = f"{count(answers.unanswered, 'unit')} of the reference without an answer of a model"
        cautions.append(caution("SS301", text, affects="which units are compared"))
    return cautions


def noisy_modes_caution(state: AlignmentState, filled: FilledRows, answers: int) -> list[Caution]:
    """Caution SS333: where the modes rest on few answers, their noise is part of the distance."""
    models = filled.rows[: len(state.models)]
    noisy = [
        (float(bias), row)
        for bias, row in zip(filled.bias, models, strict=False)
        if bias > NOISY * (0.0 if row.std_error is None else row.std_error)
    ]
    if not noisy:
        return []
    bias, worst = max(noisy, key=lambda bias_and_row: bias_and_row[0])
    answers_per_unit = number(answers / max(float(state.answers.weight.sum()), 1.0), 1)
    text = (
        f"modes rest on {answers_per_unit} answers per unit on average, which inflates distances; most that of "
        f"'{shorten(worst.term, 30)}' ({number(worst.estimate)}), by {number(bias)}"
    )
    fix = "interpret them as distances from modes of as many raters as these"
    return [
        caution(
            "SS333",
            text,
            affects="distances, small ones most",
            fix=fix,
            rows=[row.term for _, row in noisy],
        )
    ]


def refusal_cautions(state: AlignmentState) -> list[Caution]:
    """Caution SS315: how refusals and unparsed answers count, and how many exceed any possible answer."""
    answers = state.answers
    o = state.options
    refused, unparsed = (int((answers.status == code).sum()) for code in (REFUSAL, MISSING))
    if not refused and not unparsed:
        return []
    rule = COUNTED.get(o.refusal) or f"counted as {number(o.refusal)} levels"
    text = f"{count(refused, 'refusal')} {rule}"
    if unparsed:
        rule = "counted as refusals" if o.unparsed == "refusal" else "excluded"
        text += f"; {count(unparsed, 'unparsed answer')} {rule}"
    k = len(answers.scores)
    distances, _ = answers.distances(answers.pooled_counts)  # (units, k + 1), the last of a refusal
    farther = distances[:, k] > distances[:, :k].max(axis=1) + 1e-12
    beyond = int(((answers.answer == k) & farther).sum())
    if beyond:
        text += f"; {count(beyond)} assigned distances exceed any possible answer's"
    fix = "compare the other rules: farthest possible answer, excluded"
    return [caution("SS315", text, affects="distances of models that refuse", fix=fix)]


def sentence(result: Result) -> str:
    """State the smallest and the largest distance, refusals, and the distances of one person and of random answers."""
    n = result.counts
    away = f"the mode of the {shorten(result.settings['reference'], 30)} answers"
    among = f"{count(n['units'], 'unit')}, {count(n['reference raters'], 'reference rater')}"
    rows = [row for row in result.rows if row.group is None]
    estimated = sorted(
        (row for row in rows if row.estimate is not None), key=lambda row: row.estimate or 0.0
    )
    if not estimated:
        return sentences.no_number(f"The distance from {away}", undefined_text(rows))
    low, high = lowest_and_highest(estimated)
    near, far = (quoted([row.term for row in end], 3) for end in (low, high))
    first, last = (sentences.estimate_text(row) for row in (low[0], high[0]))
    # low and high hold all that tie
    if len(estimated) == 1:
        distances = f"The distance of {near} from {away} was {first} ({among})."
    elif len(low) == len(estimated):
        models = count(len(estimated), "model")
        distances = f"The distance from {away} was the same for all {models}: {first} ({among})."
    else:
        distances = (
            f"{near} had the shortest distance from {away}, ADA-Met = {first} ({among}). {far} had the longest, "
            f"{last}."
        )
    ceiling, uniform = (
        next(row for row in result.rows if row.label("line") == kind)
        for kind in ("ceiling", "uniform")
    )
    at_random = f"answer at random would be {number(uniform.estimate)} levels from the mode."
    lines = f"An {at_random}"
    if ceiling.estimate:
        person = (
            f"One reference rater was {number(ceiling.estimate)} levels from the mode of the others"
        )
        lines = f"{person}; an {at_random}"
    comparisons = (nearest_sentence(result), constant_sentence(result))
    refusals = refusals_text(result, estimated)
    return " ".join(text for text in (distances, f"{refusals}{lines}", *comparisons) if text)


def tested_against(result: Result, kind: str) -> list[Row]:
    """Return the tested differences of models from the ``nearest`` model or the best ``constant`` answer."""
    return [row for row in result.rows if row.label(kind) and row.p_adjusted is not None]


def nearest_sentence(result: Result) -> str:
    """State from how many other models the nearest one differs significantly; nothing without tests."""
    tested = tested_against(result, "nearest")
    if not tested:
        return ""
    alike = [row.term for row in tested if not sentences.is_significant(row)]
    first = shorten(tested[0].label("nearest") or "", 40)
    models = count(len(tested), "other model")
    # no test shows that models are as near
    if len(alike) == len(tested):
        return f"'{first}' was not significantly closer than the {models} (Holm)."
    exceptions = f"; {quoted(alike)} did not differ from it significantly" if alike else ""
    closer = count(len(tested) - len(alike))
    return f"'{first}' was significantly closer than {closer} of the {models}{exceptions} (Holm)."


def constant_sentence(result: Result) -> str:
    """State how many models were closer than the best constant answer; nothing without tests."""
    tested = tested_against(result, "constant")
    if not tested:
        return ""
    significant = [row for row in tested if sentences.is_significant(row)]
    # a negative difference is a smaller distance
    closer = sum((row.estimate or 0.0) < 0 for row in significant)
    always = f"always answering '{tested[0].label('constant')}'"
    if not significant:
        models = count(len(tested), "model")
        return (
            f"Compared with {always}, none of {models} was significantly closer or farther (Holm)."
        )
    return (
        f"Compared with {always}, {count(closer)} of {count(len(tested), 'model')} "
        f"{'was' if closer == 1 else 'were'} significantly closer and {count(len(significant) - closer)} "
        "farther (Holm)."
    )


def refusals_text(result: Result, estimated: Sequence[Row]) -> str:
    """State how many units the nearest and the farthest model refused."""
    ends = [estimated[0], estimated[-1]]
    if len(estimated) == 1:
        ends = ends[:1]
    elif ends[0].estimate == ends[1].estimate:  # neither is nearest or farthest
        ends = []
    shares = {
        r.term: r.estimate
        for r in result.rows
        if r.label("share") == "refused" and r.label("stratum") is None
    }
    rates = [
        f"'{shorten(row.term)}' had a refusal rate of {number(shares[row.term], 3, bounded=True)}"
        for row in ends
        if shares.get(row.term)
    ]
    return f"{' and '.join(rates)}. " if rates else ""


def plot(
    result: Result, ax: Axes | None = None, *, group: str | None = None, **options: Any
) -> Axes:
    """Draw the distance of each model between the ceiling and the floor, the smallest first.

    Parameters
    ----------
    result : Result
    ax : Axes, optional
    group : str, optional
        Draw the rows of this group (``"area = work"``) in place of all units, or those of all groups of an attribute or
        stratum (``"area"``), one line a model.
    **options
        Of `socialstats.figures.forest`, or of `socialstats.figures.dumbbell` for several groups.

    Raises
    ------
    InputError
        For a group that the result does not have.
    """
    from socialstats.figures import dumbbell, forest

    # "area" names several groups, "area = work" one
    groups = dict.fromkeys(row.group for row in result.rows if row.group)
    several = [name for name in groups if name.startswith(f"{group} = ")]
    if group is not None and group not in groups and not several:
        raise InputError(f"no group '{shorten(group)}'; groups: {quoted([*groups], 12)}")
    rows = [row for row in result.rows if row.group == group or row.group in several]
    rows = sorted(rows, key=lambda row: (row.estimate is None, row.estimate or 0.0))
    settings: dict[str, Any] = {"xlabel": "mean distance from the mode of the reference (levels)"}
    if several:
        models = list(dict.fromkeys(row.term for row in rows))[:MOST_PLOTTED]
        settings |= {"targets": dict.fromkeys(several), "order": models}
        return dumbbell(
            [row for row in rows if row.term in models], ax=ax, **{**settings, **options}
        )
    lines = (
        [r for r in result.rows if r.label("line") in ("ceiling", "uniform")]
        if group is None
        else []
    )
    plotted = [replace(row, group=None) for row in (*lines[:1], *rows[:MOST_PLOTTED], *lines[1:])]
    return forest(plotted, ax=ax, **{**settings, "sort": False, "reference": None, **options})


@reads(Ratings, labels="shares")
def ada_met(
    ratings: Ratings | TableLike,
    *,
    reference: str | None = None,
    source: str = "source",
    ties: ModeTies = "mean",
    refusal: Literal["max", "item_max", "exclude"] | float = "max",
    unparsed: Unparsed = "exclude",
    group: str | None = None,
    stratum: str | None = None,
    ci: AlignmentCi = "two_way",
    cluster: str | Sequence[str] | None = "declared",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate how far each model's answers lie from the mode of the reference's answers to the same unit.

    The distance of a unit is abs(mode of the reference's answers - answer of the model). Levels count as 0, 1, ..., k -
    1 (numeric levels: their numbers). ADA-Met is its mean over the units that both answered. Units are joined by their
    labels, never by position.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        Long table with a group of raters that says who is the reference (``rater_source=``). Raters of all other
        sources are the models. Ordinal or numeric levels. With a ``by`` factor: one result a level.
    reference : str, optional
        Level of `source` that is the reference; ``"human"`` by default.
    source : str
        The rater group that tells sources apart (by default also the one declared by ``rater_source=``).
    ties : {"mean", "low", "high", "nearest", "drop"}
        Rule for several levels with most answers: their mean, the lowest, the highest, or the one nearest to the
        model's answer. The nearest gives too small a distance (SS333). With ``"drop"`` the unit is excluded.
    refusal : {"max", "item_max", "exclude"} or float
        Distance of a refusal: the width of the scale, the largest distance of any possible answer, or a number. With
        ``"exclude"`` the unit is excluded for this model. The width may exceed any possible answer's distance: with the
        mode in the middle of five levels that is 2.
    unparsed : {"exclude", "refusal"}
        Missing answers of models are excluded, or counted as refusals. Units not in a model's rows are excluded.
    group : str, optional
        An attribute of the reference raters (a rater group): rows by group, paired differences, closest group.
    stratum : str, optional
        A declared stratum (or cluster) of the units: rows for each of its levels.
    ci : {"two_way", "centred", "percentile", "basic"}
        ``"two_way"``: a t interval for the distance expected with as many raters as these. Its variance is that over
        units, plus what reference raters, resampled with their modes computed anew, make units have in common:
        V_units + V_raters - V_both, so that the noise of single answers counts once. The others are bootstraps of
        raters and units at once, which count it twice (Owen 2007) and cover more than they say. The modes of resamples
        are noisier, which inflates distances. ``"centred"`` moves the percentiles until the mean of the resamples is
        the estimate; ``"percentile"`` keeps the extra distance; ``"basic"`` reflects the percentiles.
    cluster : str, pair of str or None
        Declared clusters of units (two: crossed), resampled whole; None takes units as independent.
    level : float
    resamples, seed : int
        Of the bootstrap, and of the permutations.
    **columns
        Of a data frame or file: its columns, by the keywords of `read_ratings`.

    Returns
    -------
    Result
        Rows, `term` a model: all units (group None), then ``area = work`` for a stratum.

        With `group`: ``gender = woman`` is the distance from the mode of these people. ``gender: man - woman`` is the
        difference over the units for which both have a mode, corrected for group size. The correction is the mean
        difference when people are assigned at random to groups of these sizes. With ``ci="two_way"`` interval and p are
        those of one t; with a bootstrap p is that of permuting people. Holm is over the pairs of a model. ``closest
        gender = woman`` is the group of the smallest distance, with the share of resamples in which it is again.

        ``share refused`` (and ``share unparsed``), and ``share refused, area = work``. ``share at distance 1``: of the
        units, by their distance rounded up to whole steps (0: the mode itself), on scales of 12 steps at most.

        Group ``reference line``: ``random human``, a random person against the mode of the others; ``always A``;
        ``uniform answer``. With ``ci="two_way"`` also ``minus nearest = m1`` and ``minus constant = always A``: the
        paired differences from the nearest model and from the best constant answer, Holm over the models.

        `extras`: ``share_tied``, ``design_effect``, ``units_left_out``, ``bootstrap_bias``. The design effect (by
        model) is the variance over that of independent units with the people held. With `group` also
        ``group_raters``, ``group_answers`` (per unit), ``permuted_differences`` (the correction for group size),
        ``permutation_p``, ``permutations`` and ``permuted_closest``. With ``"two_way"`` at most 500 permutations are
        made, as no interval or p of a row uses them. ``permuted_closest`` says how often each group is the closest when
        people are permuted.

    Raises
    ------
    InputError
        For unknown options, sources, attributes or strata, and nominal levels.
    NothingToAnalyse
        If no unit has an answer of the reference and of a model.

    References
    ----------
    Owen, A. B. (2007). The pigeonhole bootstrap. doi:10.1214/07-AOAS122
    Satterthwaite, F. E. (1946). Biometrics Bulletin, 2(6), 110-114. doi:10.2307/3002019
    Davison, A. C., & Hinkley, D. V. (1997). Bootstrap methods and their application. doi:10.1017/CBO9780511802843
    Phipson, B., & Smyth, G. K. (2010). doi:10.2202/1544-6115.1585
    Holm, S. (1979). Scandinavian Journal of Statistics, 6(2), 65-70.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = pd.DataFrame({
    ...     "unit": ["p", "p", "p", "q", "q", "q", "p", "q"], "rater": ["ann", "bob", "cid"] * 2 + ["m1"] * 2,
    ...     "source": ["human"] * 6 + ["model"] * 2, "value": ["A", "A", "C", "B", "C", "B", "C", "B"]})
    >>> design = Ratings.from_frame(rows, levels=["A", "B", "C"], rater_source="source")
    >>> ada_met(design, resamples=99).row("m1", group=None).estimate  # |0 - 2| and |1 - 1|
    1.0
    """
    options = AlignmentOptions(
        reference=reference,
        source=source,
        ties=ties,
        refusal=refusal,
        unparsed=unparsed,
        group=group,
        stratum=stratum,
        ci=ci,
        cluster=cluster,
        level=level,
        resamples=resamples,
        seed=seed,
    )
    options.check_all()
    return estimate(ratings, options)


def results_by_attribute(
    ratings: Ratings, attributes: Sequence[str], **options: Any
) -> dict[str, Result]:
    """Return what `ada_met` gives with each of several attributes as `group`; what they share is computed once.

    Parameters
    ----------
    ratings : Ratings
        Without a ``by`` factor.
    attributes : sequence of str
    **options
        Of `ada_met`.
    """
    defaults = {
        name: parameter.default
        for name, parameter in signature(ada_met).parameters.items()
        if parameter.default is not parameter.empty
    }
    # rows about all people do not depend on the attribute
    states = []
    for name in attributes:
        chosen = AlignmentOptions(**{**defaults, **options, "group": name})
        chosen.check_all()
        states.append(AlignmentState.from_design(ratings, chosen))
    if not states:
        return {}
    all_people = rows_of_all_people(states[0])
    results = in_halves(lambda k: assemble_result(states[k], all_people), len(states), least=2)
    return dict(zip(attributes, results, strict=True))


def estimate(design: Ratings, options: AlignmentOptions) -> Result:
    """Compute the distances of one design."""
    state = AlignmentState.from_design(design, options)
    return assemble_result(state, rows_of_all_people(state))


def assemble_result(state: AlignmentState, all_people: AllPeopleRows) -> Result:
    """Combine the rows about all people with those by group."""
    options = state.options
    counts = count_data(state)
    rows, group_cautions, extras = rows_by_group(state)
    # the first rows are those of the models over all units, one bias each
    biases = zip(state.models, all_people.filled.bias.tolist(), strict=False)
    extras = {
        "share_tied": float(state.tied.mean()),
        "units_left_out": state.answers.left_out,
        "bootstrap_bias": {model: bias for model, bias in biases if not np.isnan(bias)},
        "design_effect": all_people.effects,
        **extras,
    }
    first = all_people.models[0]
    fit = {
        "nobs": counts["units"],
        "n_clusters": first.n_clusters,
        "method": first.method,
        "seed": options.seed,
        "resamples": options.resamples,
        "effective_df": all_people.filled.df,
        "largest_leverage": state.leverage,
    }
    cautions = [
        *design_cautions(state, counts["units with tied modes"]),
        *noisy_modes_caution(state, all_people.filled, counts["reference answers"]),
        *group_cautions,
        all_people.filled.caution,
    ]
    return Result(
        metric="ada_met",
        title="ADA-Met: mean distance from the mode of the reference"
        + probabilities_text(state.design),
        inference=inference_text(state),
        rows=(
            *all_people.models,
            *rows,
            *refusal_share_rows(state),
            *distance_rows(state),
            *all_people.lines,
            *all_people.differences,
        ),
        counts=counts,
        fit=fit,
        settings=asdict(options) | {"reference": state.reference},
        cautions=tuple(dict.fromkeys(c for c in cautions if c is not None)),
        references=METRIC.references,
        design=state.design,
        extras=extras,
    )


METRIC = Metric(
    name="ada_met",
    title="ADA-Met",
    design="ratings",
    function=ada_met,
    sentence=sentence,
    plot=plot,
    definition=Definition(samples=sample_alignment),
    estimand="Mean over units of the distance of a model's answer from the mode of the reference's answers, in levels.",
    assumptions=(
        "reference raters and units (or the named clusters) are independent draws from those of interest",
        "neighbouring levels are equally far apart (numeric levels: by their numbers)",
        "units are the same thing for reference and models: they are joined by their labels",
    ),
    references=(
        "owen2007",
        "satterthwaite1946",
        "davisonhinkley1997",
        "phipsonsmyth2010",
        "holm1979",
        "wilson1927",
    ),
    values="sources",
)
