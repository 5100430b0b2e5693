"""The permutation test of a statistic of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.custom.data import (
    AUTO,
    DataLike,
    DataSource,
    FactorNames,
    data_source,
    result_by_level,
)
from socialstats.custom.rechecks import recheck_permutations
from socialstats.custom.statistics import (
    Function,
    checked_statistic,
    lost_rows,
    numbers_sentence,
    row_counts,
    unvaried_reason,
)
from socialstats.designs.cells import several
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.habits import knows_habits
from socialstats.designs.options import texts
from socialstats.designs.paired import Paired
from socialstats.designs.ratings import Ratings
from socialstats.designs.redrawn import VectorPieces
from socialstats.errors import Caution, InputError
from socialstats.inference.dependence import small_sample_caution
from socialstats.progress import say
from socialstats.resampling.options import Alternative, checked_alternative, checked_seed
from socialstats.resampling.permutation import checked_draws
from socialstats.resampling.plans import ResamplingPlan
from socialstats.resampling.shuffles import TIE, Shuffle, p_of_draws
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.rows import add_cautions
from socialstats.text import count, listing, number, plural_of, shorten
from socialstats.voice import option

FLIPPED = ("condition", "winner", "sign")  # two sides that are exchanged
LEVEL = 0.05  # a test at this level needs enough arrangements
TEST_LEVEL = 0.95


@knows_habits
def permute(
    data: DataLike,
    function: Function,
    *,
    what: str | None = None,
    within: FactorNames = None,
    cluster: FactorNames = AUTO,
    unit: str | None = None,
    paired: bool | None = None,
    alternative: Alternative = "two_sided",
    permutations: int = 10_000,
    seed: int = 0,
) -> Result | ResultGroup:
    """Test any function of the data against exchanged labels.

    The independent thing is exchanged as a whole: a cluster, without clusters a unit. If each has one label, labels are
    shuffled between them. If they have several, those of a unit or cluster are shuffled within it, alike for all of its
    rows. The hypothesis is that labels say nothing: the data are as likely under each arrangement.

    Parameters
    ----------
    data, function, cluster, unit, paired
        As in `bootstrap`; one cluster factor.
    what : str, optional
        Whose labels are exchanged. Of `Paired` ``"condition"``, of `Groups` ``"group"``, of `Comparisons` ``"winner"``
        (the winner of whole pairs or clusters). Of `Ratings` ``"rater"``, a stratum, or a group of the raters, which is
        shuffled between raters. Of a table a column. Of one vector its ``"sign"``; of two that belong together
        ``"condition"`` or ``"pairings"`` (values of the second beside other values of the first); else ``"sample"``.
    within : str, sequence of str, or None
        Factors within whose levels labels are shuffled between units or clusters, such as blocks of a trial.
    alternative : {"two_sided", "greater", "less"}
        Two-sided p is twice the smaller of both tails. Numbers that only grow with a difference, such as F, need
        ``"greater"``.
    permutations : int
        Random arrangements, where there are more than 20,000 different ones; else all are computed.
    seed : int

    Returns
    -------
    Result
        A row for each number of the function: estimate and p. Of random arrangements p = (b + 1)/(B + 1). `extras`:
        ``null`` (arrangements, numbers), ``arrangements`` (how many different ones there are).

    Raises
    ------
    InputError
        As `bootstrap`; also for labels that cannot be exchanged, and two crossed factors.

    Notes
    -----
    The test is exact if labels are exchangeable, as where they were assigned at random. Clusters of different sizes,
    or groups with different variances, are not exchangeable under equal means alone. Few units have few arrangements:
    caution SS312 is given where no p below .05 is possible.

    References
    ----------
    Fisher, R. A. (1935). The design of experiments, section 21.
    Phipson, B., & Smyth, G. K. (2010). Permutation p-values should never be zero. doi:10.2202/1544-6115.1585

    Examples
    --------
    >>> from socialstats import Groups
    >>> import numpy as np
    >>> trial = Groups.from_samples([3, 5, 4, 6, 5], [2, 3, 4, 4], groups=("drug", "placebo"))
    >>> medians = lambda trial: np.median(trial.value[trial.group == 0]) - np.median(trial.value[trial.group == 1])
    >>> print(permute(trial, medians).sentence())
    Statistic was 1.50, p = .190 (permutation test, all 126 permutations; labels of 'group' shuffled between units;
    9 units).
    """
    side, start = checked_alternative(alternative), checked_seed(seed)
    draws = checked_draws(permutations, "permutations")

    def compute(part: DataLike) -> Result:
        columns = [*texts(what), *texts(within)]
        source = data_source(
            part, unit=unit, cluster=cluster, strata=None, paired=paired, further=columns
        )
        name = what or default_label(source)
        # a group of raters belongs to raters: these are what is exchanged
        if isinstance(part, Ratings) and name in part.rater_groups:
            source = exchanging_raters(source, cluster)
        return permutation_result(
            source, function, name, texts(within), alternative=side, permutations=draws, seed=start
        )

    return result_by_level(data, compute)


def default_label(source: DataSource) -> str:
    """Return what is exchanged by default."""
    pieces, design = source.pieces, source.design
    if isinstance(pieces, VectorPieces):
        if pieces.several:
            return "sample"
        return "sign" if len(pieces.vectors) == 1 else "condition"
    if isinstance(design, Paired):
        return "condition"
    if isinstance(design, Comparisons):
        return "winner"
    if pieces.groups:
        return pieces.groups
    raise InputError(
        f"say whose labels are exchanged: {option('what')}, one of {listing(list(pieces.factors), 12)}"
    )


def exchanging_raters(source: DataSource, cluster: FactorNames) -> DataSource:
    """Return a source whose raters are exchanged, as a group belongs to them."""
    if cluster not in (AUTO, "rater"):
        raise InputError(
            f"{option('cluster', cluster)}: a group of the raters is shuffled between raters, "
            f"{option('cluster', 'rater')}"
        )
    return replace(source, clusters=(source.pieces.factors["rater"],))


def shuffle_of(
    source: DataSource, plan: ResamplingPlan, name: str, within: Sequence[str]
) -> tuple[Shuffle, str]:
    """Return which labels are exchanged how, and the same in words."""
    pieces, block = source.pieces, plan.codes[0]
    noun = plural_of(plan.noun)
    if len(plan.factors) > 1:
        raise InputError(
            f"{option('cluster', plan.names)}: labels are exchanged between or within clusters of one "
            "factor. Name the one with fewer levels"
        )
    within_factors = [pieces.factor(factor_name, "within") for factor_name in within]
    pairings = name == "pairings" and isinstance(pieces, VectorPieces) and not pieces.several
    if pairings or (name in FLIPPED and name not in pieces.factors):
        # values beside other values of other clusters would break clusters up
        if pairings and plan.factors:
            raise InputError(
                f"{option('what', name)} takes values as independent. Leave {option('cluster')} out"
            )
        if within and not pairings:
            raise InputError(
                f"{option('within', list(within))}: {name}s are exchanged within {noun} already. Leave it out"
            )
        if not pairings:
            return Shuffle.flips(block), f"{name}s exchanged {plan.noun} by {plan.noun}"
    # (rows,) codes of the labels, and of the cells of all factors within which they stay
    label = np.arange(pieces.size) if pairings else pieces.factor(name, "what").codes
    stratum = None
    if within_factors:
        stratum = np.zeros(pieces.size, dtype=np.int64)
        for layer in within_factors:
            stratum = stratum * len(layer.levels) + layer.codes
    varies = several(block, label)  # units or clusters with several labels
    if pairings:
        return Shuffle.between(
            label, block, stratum
        ), "values of the second vector beside others of the first"
    if not len(varies):
        if stratum is not None and len(several(block, stratum)):
            raise InputError(
                f"{option('within', list(within))}: some {noun} lie in several levels. Name factors that "
                f"hold whole {noun}"
            )
        blocks = f" within levels of {listing(list(within))}" if within else ""
        return Shuffle.between(
            label, block, stratum
        ), f"labels of '{shorten(name)}' shuffled between {noun}{blocks}"
    if within:
        raise InputError(
            f"{option('within', list(within))}: {count(len(varies), plan.noun)} have several labels of "
            f"'{shorten(name)}', which are shuffled within them. Leave {option('within')} out, or name "
            f"{option('cluster', None)} or units that have one label each"
        )
    single_labelled = plan.sizes[0] - len(varies)
    if single_labelled and name != "rater":
        counts_text = (
            f"{count(len(varies), plan.noun)} have several labels of '{shorten(name)}', "
            f"and {single_labelled:,} have one"
        )
        fix = f"Name a factor within which labels are shuffled ({option('within')}), or {option('cluster', None)}"
        raise InputError(
            f"{counts_text}: they can be exchanged neither between them nor within all of them. {fix}"
        )
    blocks_text = f"{len(varies):,} of {plan.sizes[0]:,} {noun}" if single_labelled else noun
    return Shuffle.within(
        label, block
    ), f"labels of '{shorten(name)}' shuffled within {blocks_text}"


def permutation_result(
    source: DataSource,
    function: Function,
    name: str,
    within: Sequence[str],
    *,
    alternative: Alternative,
    permutations: int,
    seed: int,
) -> Result:
    """Test one design, table or set of vectors."""
    plan, pieces, statistic = source.plan, source.pieces, checked_statistic(source, function)
    shuffle, how = shuffle_of(source, plan, name, within)
    # p of random arrangements counts the observed one too, so that it is never 0 (Phipson & Smyth 2010)
    exact, n_arrangements = shuffle.listed, shuffle.arrangements
    if n_arrangements == 1:
        raise InputError(
            f"{how}: there is one arrangement only, so that nothing can be exchanged. Name other labels "
            f"({option('what')}) or other clusters"
        )
    n = n_arrangements if exact else permutations
    say(f"{n:,} permutations, {how}")
    label_codes = (
        shuffle.all_arrangements() if exact else shuffle.random_arrangements(permutations, seed)
    )
    null = statistic.table((pieces.labelled(name, codes) for codes in label_codes), n)
    lost, lost_cautions = lost_rows(
        statistic, np.isnan(null).sum(axis=0).tolist(), n, TEST_LEVEL, "permutation"
    )
    kind = f"all {n:,} permutations" if exact else f"{n:,} random permutations"
    rows = []
    for j, row in enumerate(statistic.rows):
        row = replace(row, method=f"{kind}, {SIDES[alternative]}", **row_counts(plan))
        rows.append(
            row_with_p(row, null[:, j], alternative, exact, lost[j], flipped=name in FLIPPED)
        )
    cautions = (
        *source.cautions,
        *lost_cautions,
        *few_arrangements(rows, n_arrangements, alternative),
    )
    rows = [add_cautions(row, cautions) for row in rows]
    inference = f"permutation test, {kind}; {how}; {plan.text()}"
    settings = {
        "what": name,
        "within": list(within),
        "cluster": plan.names,
        "alternative": alternative,
        "permutations": permutations,
        "seed": seed,
    }
    extras = {
        "null": null,
        "arrangements": n_arrangements,
        "exact": exact,
        "statistic": statistic,
        "plan": plan,
        "shuffle": shuffle,
    }
    return Result(
        metric="permute",
        title=f"Permutation test of {statistic.name}",
        inference=inference,
        rows=tuple(rows),
        counts=plan.counts(),
        fit={"nobs": pieces.size, "seed": None if exact else seed},
        settings=settings,
        cautions=cautions,
        references=("fisher1935", "phipsonsmyth2010"),
        design=source.design,
        words=numbers_sentence(rows, inference).replace(", no interval: ", ", no p: "),
        extras=extras,
        check=recheck_permutations,
    )


SIDES = {"two_sided": "two-sided", "greater": "one-sided (greater)", "less": "one-sided (less)"}


def row_with_p(
    row: Row, null: FloatArray, alternative: str, exact: bool, lost: str, *, flipped: bool
) -> Row:
    """Return a row with its p, or why there is none."""
    if row.estimate is None:
        return replace(row, undefined="the function has no number of these data", method=None)
    statistics = null[~np.isnan(null)]
    if lost or not len(statistics):
        return replace(row, undefined=lost or "no permutation has a number", reason="no_data")
    # a statistic that no exchange changes has p = 1 whatever the data are
    if np.ptp(statistics) <= TIE * float(np.abs(statistics).max()):
        return replace(row, undefined=unvaried_reason(True, "permutation"), reason="no_variation")
    p, error = p_of_draws(statistics, row.estimate, alternative, exact=exact)
    method = (
        row.method if exact else f"{row.method}, Monte-Carlo error {number(error, 4, bounded=True)}"
    )
    return replace(row, p_value=p, test="sign_flip" if flipped else "permutation", method=method)


def few_arrangements(
    rows: Sequence[Row], n_arrangements: int, alternative: str
) -> tuple[Caution, ...]:
    """Caution SS312: so few arrangements that no p can be below .05."""
    # two-sided p is twice the smaller tail
    sides = 2 if alternative == "two_sided" else 1
    if all(row.p_value is None for row in rows):
        return ()
    least = number(sides / n_arrangements, 3, bounded=True)
    return small_sample_caution(
        n_arrangements,
        sides / LEVEL,
        f"{n_arrangements:,} arrangements have no p below {least}",
        affects="the test",
        fix="collect more units or clusters",
        short="too few arrangements for a test at .05",
    )
