"""ADA-Met: how far answers on an ordered scale lie from the mode of a reference's answers, unit by unit."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature
from typing import Any, Literal

from socialstats.designs.calls import TableLike, reads
from socialstats.designs.ratings import Ratings
from socialstats.halves import in_halves
from socialstats.metrics.ada_met.groups import grouped
from socialstats.metrics.ada_met.options import AlignmentCi, AlignmentOptions, Unparsed
from socialstats.metrics.ada_met.rows import Whole, distance_rows, share_rows, whole_rows
from socialstats.metrics.ada_met.state import State, first
from socialstats.metrics.ada_met.words import (
    cautions_of,
    counts_of,
    extras_of_result,
    inference_text,
    noisy_modes,
    plot,
    sentence,
)
from socialstats.models.modes import ModeTies
from socialstats.registry import Metric
from socialstats.results import Result, ResultGroup, by_levels

__all__ = ["METRIC", "ada_met"]


@reads(Ratings)
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

    The distance of a unit is |mode of the reference's answers - answer of the model| on the positions 0, 1, ..., k - 1
    of the levels (numeric levels: their numbers), and ADA-Met its mean over the units that both answered. Units are
    joined by their labels, never by position.

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
        Several levels with most answers: the mean of all of them, the lowest, the highest, the one nearest to the
        model's answer (too small a distance: caution SS304), or the unit is left out.
    refusal : {"max", "item_max", "exclude"} or float
        Distance of a refusal: the width of the scale (it may exceed that of any answer: with the mode in the middle
        of five levels no answer is farther than 2), the largest distance any answer could have, none (the unit is
        left out for this model), or a number.
    unparsed : {"exclude", "refusal"}
        Model answers that are missing: left out, or counted as refusals. Units not in a model's rows are left out.
    group : str, optional
        An attribute of the reference raters (a rater group): rows by group, paired differences, closest group.
    stratum : str, optional
        A declared stratum (or cluster) of the units: rows for each of its levels.
    ci : {"two_way", "centred", "percentile", "basic"}
        ``"two_way"``: a t interval for the distance expected with as many raters as these. Its variance is that over
        units, plus what reference raters, resampled with their modes computed anew, make units have in common:
        V_units + V_raters - V_both, so that the noise of single answers counts once. The others are bootstraps of
        raters and units at once, which count it twice (Owen 2007) and cover more than they say. The modes of resamples
        are noisier and lie farther off, so ``"centred"`` moves the percentiles until the mean of the resamples is the
        estimate; ``"percentile"`` keeps the extra distance; ``"basic"`` reflects the percentiles.
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
        Rows, `term` a model: all units (group None), then ``area = work`` for a stratum. With `group`: ``gender =
        woman``, the distance from the mode of these people; ``gender: man - woman``, the difference over the units
        that both have a mode for, less what the sizes of the two groups alone give (the modes of few people are
        noisier and lie farther off: the mean difference when the people are dealt anew to groups of these sizes).
        With ``ci="two_way"`` interval and p are those of one t; with a bootstrap p is that of permuting people.
        Holm over the pairs of a model. ``closest gender = woman``, the group of the smallest distance with the
        share of resamples in which it is again. ``share refused`` (and ``share unparsed``), and ``share refused,
        area = work``. ``share at distance 1``: of the units, by their distance rounded to whole steps (a half to
        the even one), on scales of 12 steps at most. Group ``reference line``: ``random human``, a random person
        against the mode of the others; ``always A``; ``uniform answer``. With ``ci="two_way"``, groups ``minus
        nearest = m1`` and ``minus constant = always A``: the paired difference in distance from the nearest model
        (of the sample) and from the best constant answer, on the units of both, Holm over the models; and
        ``population's mode``: the distance from the mode of the whole population, without the noise of modes of few
        answers, which adds distance; how fast it falls with the answers n is not known, and the interval reaches
        over the rates that can be: n^-1/2 to n^-1, down to n^-1/4 where the leading level is at most one answer
        ahead in more than a quarter of the units, and both ways where levels that are not neighbours nearly tie in
        more than .08 of them; undefined where more than half of the leads are that narrow.
        `extras`: ``share_tied``, ``share_narrow`` (of the units, with the leading level at most one answer ahead)
        and ``share_narrow_apart`` (of levels that are not beside it), ``design_effect`` (by model: the variance
        over that of independent units with the people held), ``units_left_out``, ``bootstrap_bias`` (by model),
        ``half_distance`` (of each model, with half of the answers of each unit), and with `group` ``group_raters``,
        ``group_answers`` (a unit), ``permuted_differences`` (what sizes alone give, taken off), ``permutation_p``
        (by pair and model), ``permutations`` behind both (with ``"two_way"`` at most 500, as no interval or p of a
        row rests on them), and ``permuted_closest`` (how often each group is the closest when people are permuted).

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
    Quenouille, M. H. (1956). Notes on bias in estimation. doi:10.1093/biomet/43.3-4.353
    Imbens, G. W., & Manski, C. F. (2004). doi:10.1111/j.1468-0262.2004.00555.x
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
        reference=reference, source=source, ties=ties, refusal=refusal, unparsed=unparsed, group=group,
        stratum=stratum, ci=ci, cluster=cluster, level=level, resamples=resamples, seed=seed,
    )  # fmt: skip
    options.check()
    return by_levels(ratings, "declared", lambda one: estimate(one, options), Ratings)


def by_attribute(ratings: Ratings, attributes: Sequence[str], **options: Any) -> dict[str, Result]:
    """Return what `ada_met` gives with each of several attributes as `group`; what they share is computed once.

    Parameters
    ----------
    ratings : Ratings
        Without a ``by`` factor.
    attributes : sequence of str
    **options
        Of `ada_met`.
    """
    first = {name: one.default for name, one in signature(ada_met).parameters.items() if one.default is not one.empty}
    states = []
    for name in attributes:
        chosen = AlignmentOptions(**{**first, **options, "group": name})
        chosen.check()
        states.append(State.of(ratings, chosen))
    if not states:
        return {}
    whole = whole_rows(states[0])
    found = in_halves(lambda k: assembled(states[k], whole), len(states), least=2)
    return dict(zip(attributes, found, strict=True))


def estimate(design: Ratings, options: AlignmentOptions) -> Result:
    """Compute the distances of one design."""
    state = State.of(design, options)
    return assembled(state, whole_rows(state))


def assembled(state: State, whole: Whole) -> Result:
    """Put the rows about all people together with those by group."""
    options = state.options
    groups = grouped(state)
    counts = counts_of(state)
    return Result(
        metric="ada_met",
        title="ADA-Met: mean distance from the mode of the reference",
        inference=inference_text(state),
        rows=(*whole.models, *groups.rows, *share_rows(state), *distance_rows(state), *whole.lines, *whole.population,
              *whole.gaps),
        counts=counts,
        fit={"nobs": counts["units"], "n_clusters": whole.models[0].n_clusters, "method": whole.models[0].method,
             "seed": options.seed, "resamples": options.resamples, **whole.found.facts(state)},
        settings=options.settings,
        cautions=first([*cautions_of(state), *noisy_modes(state, whole.found), *groups.cautions, whole.found.caution]),
        references=METRIC.references,
        design=state.design,
        extras={**extras_of_result(state, whole), **groups.extras},
    )  # fmt: skip


METRIC = Metric(
    name="ada_met",
    title="ADA-Met",
    design="ratings",
    function=ada_met,
    sentence=sentence,
    plot=plot,
    crosscheck="socialstats.crosscheck.ada_met:verify",
    estimand="Mean over units of the distance of a model's answer from the mode of the reference's answers, in levels.",
    assumptions=(
        "reference raters and units (or the named clusters) are independent draws from those of interest",
        "neighbouring levels are equally far apart (numeric levels: by their numbers)",
        "units are the same thing for reference and models: they are joined by their labels",
    ),
    references=(
        "owen2007",
        "satterthwaite1946",
        "quenouille1956",
        "imbensmanski2004",
        "davisonhinkley1997",
        "phipsonsmyth2010",
        "holm1979",
        "wilson1927",
    ),
    values="sources",
)
