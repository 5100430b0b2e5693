"""Mean difference of two conditions on the same units."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.calls import TableLike, reads
from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.errors import Caution, InputError, UndefinedStatistic, caution
from socialstats.inference.clustered_mean import KINDS, ClusteredMean, clustered_mean, rounding, t_p_value
from socialstats.inference.dependence import (
    cluster_cautions,
    cluster_factors,
    cluster_text,
    mean_cautions,
    small_sample,
)
from socialstats.inference.how import RESAMPLED
from socialstats.inference.intervals import checked_level
from socialstats.inference.rows import with_ends, with_mean
from socialstats.models.effect_sizes import (
    ROUNDING_ERRORS,
    PairValues,
    SignedRank,
    Summary,
    checked_choice,
    checked_number,
    cluster_counts,
    condition_names,
    mean_interval,
    merged,
    pair_values,
    place_of,
    signed_rank,
    summary_of,
    whole,
)
from socialstats.registry import Metric
from socialstats.resampling import ALTERNATIVES, Alternative, ChanceTest, cluster_sums, sign_flip
from socialstats.resampling.permutation import checked_draws
from socialstats.results import Result, ResultGroup, Row, by_levels
from socialstats.results.rows import size_unit
from socialstats.tables import EPSILON
from socialstats.text import count, digits_of, interval, number, p_value

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MOST_FLIPPED = 20_000  # 100,000 flips of more take over a second, and their normal approximation is then right
FEWEST_FLIPS = 99
CROSSED_FLIPS = "signs cannot be flipped along two crossed factors at once; name one of them with cluster="


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of one call."""

    null: float
    alternative: Alternative
    cluster: str | Sequence[str] | None
    ci: str
    level: float
    resamples: int
    flips: int
    seed: int


def interval_of(
    lead: ClusteredMean, pairs: PairValues, factors: Sequence[Factor], options: Options
) -> tuple[tuple[float, float] | None, str]:
    """Return both ends of the interval (one may be infinite), or None and the reason."""
    if lead.undefined:
        return None, lead.undefined
    if options.ci == "closed":
        return lead.interval(options.level, alternative=options.alternative), ""
    two = options.alternative == "two_sided"
    found = mean_interval(
        pairs.difference, pairs.count, [f.codes for f in factors], ci=options.ci,
        level=options.level if two else 2 * options.level - 1, resamples=options.resamples, seed=options.seed,
    )  # fmt: skip
    if found.undefined[0]:
        return None, found.undefined[0]
    low, high = float(found.low[0]), float(found.high[0])
    if not low < high:
        return None, "all resamples give the same interval end: too few different units"
    return (
        low if options.alternative != "less" else -math.inf,
        high if options.alternative != "greater" else math.inf,
    ), ""


def shifted(pairs: PairValues, options: Options) -> FloatArray:
    """Differences minus the hypothesised mean, free of rounding noise."""
    tolerance = np.maximum(pairs.tolerance, ROUNDING_ERRORS * EPSILON * abs(options.null))
    return merged(pairs.difference - options.null, tolerance) if options.null else pairs.difference


def ranked(pairs: PairValues, options: Options) -> SignedRank | str:
    """Ranks of the differences, or why there are none."""
    try:
        return signed_rank(shifted(pairs, options), pairs.count)
    except UndefinedStatistic as error:
        return str(error)


def rank_variants(ranks: SignedRank, pairs: PairValues, options: Options) -> dict[str, float | None]:
    """All p-values of Wilcoxon's test: exact given the ranks, normal with and without correction, Pratt's zeros."""
    pratt = signed_rank(shifted(pairs, options), pairs.count, zeros="pratt")
    return {
        "v": ranks.v, "zeros": ranks.zeros, "p_exact": ranks.p_exact(options.alternative),
        "p_normal_corrected": ranks.p_normal(options.alternative),
        "p_normal": ranks.p_normal(options.alternative, corrected=False), "z_pratt": pratt.z(),
        "p_pratt": pratt.p_normal(options.alternative, corrected=False),
    }  # fmt: skip


def flipped_units(
    pairs: PairValues, factors: Sequence[Factor], options: Options
) -> tuple[FloatArray, FloatArray, float] | None:
    """Return what changes its sign (pairs, or sums of clusters) over its `size_unit`, how often each occurs, the unit.

    None for two factors.
    """
    if len(factors) == 2:
        return None
    values = shifted(pairs, options)
    unit = size_unit(values)
    if not factors:
        return values / unit, pairs.count, unit
    sums = cluster_sums(values / unit, pairs.count, factors[0].codes)
    return merged(sums, pairs.n * float(pairs.tolerance.max() / unit)), np.ones(len(sums)), unit


def flips_of(pairs: PairValues, factors: Sequence[Factor], options: Options) -> ChanceTest | str:
    """Run the sign-flip test of pairs or whole clusters (its statistic a mean), or say why there is none."""
    units = flipped_units(pairs, factors, options)
    if units is None:
        return CROSSED_FLIPS
    values, times, unit = units
    if times.sum() < 2:
        return f"a single {'cluster' if factors else 'pair'}: its sign alone cannot be tested"
    many = len(values) > MOST_FLIPPED
    try:
        test = sign_flip(
            values, times, alternative=options.alternative, flips=FEWEST_FLIPS if many else options.flips,
            seed=options.seed,
        )  # fmt: skip
    except UndefinedStatistic as error:
        return str(error)
    test = replace(test, statistic=test.statistic / float(pairs.n) * unit)
    if not many or test.exact:
        return test
    normal = normal_flips(pairs, factors, options)["p"]
    said = f"normal approximation: more than {count(MOST_FLIPPED)} different values"
    return replace(test, p_value=np.array([normal]), mc_error=np.zeros(1), draws=0, method=said)


def normal_flips(pairs: PairValues, factors: Sequence[Factor], options: Options) -> dict[str, float]:
    """Return the normal approximation of the sign-flip test, z = sum / sqrt(sum of squares); empty without a test."""
    units = flipped_units(pairs, factors, options)
    if units is None or not np.any(units[0]):
        return {}
    z = float(units[0] @ units[1] / math.sqrt(float(units[0] ** 2 @ units[1])))
    return {"z": z, "p": t_p_value(z, math.inf, options.alternative)}


def variants(pairs: PairValues, factors: Sequence[Factor]) -> dict[str, float]:
    """Standard errors of the other clustered estimators, where they exist."""
    if len(factors) != 1:
        return {}
    found: dict[str, float] = {}
    for kind in KINDS:
        one = clustered_mean(pairs.difference, pairs.count, [factors[0].codes], kind=kind, magnitude=pairs.magnitude)
        if not one.undefined:
            found[kind] = one.std_error
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike:
    """The mean of the means of clusters, and how far it is from the mean of all pairs.

    Attributes
    ----------
    mean : ClusteredMean
    gap : float
        Mean of the means less the mean of all pairs.
    p : float
        Of a t test that the gap is 0, with G - 1 degrees of freedom.
    """

    mean: ClusteredMean
    gap: float
    p: float


def clusters_alike(pairs: PairValues, factors: Sequence[Factor]) -> Alike | None:
    """Weigh the clusters of one factor alike; None where their numbers of pairs are all the same.

    A cluster with share f of the pairs and mean y adds f (y - m) to the error of the mean m of all pairs, and
    (y - u)/G to that of the mean u of the G means; the error of u - m is the root of G/(G-1) times the sum of squares
    of their differences.
    """
    if len(factors) != 1:
        return None
    code = np.unique(factors[0].codes, return_inverse=True)[1]
    n = np.bincount(code, pairs.count)
    if len(n) < 2 or not np.ptp(n):
        return None
    means = np.bincount(code, pairs.count * pairs.difference) / n
    mean = clustered_mean(means, np.ones(len(n)), magnitude=pairs.magnitude)
    share, overall = n / n.sum(), float(n @ means / n.sum())
    moved = (means - mean.mean) / len(n) - share * (means - overall)
    top = float(np.abs(moved).max()) or 1.0
    error = top * math.sqrt(len(n) / (len(n) - 1) * float((moved / top) @ (moved / top)))
    gap = mean.mean - overall
    p = t_p_value(gap / error, len(n) - 1.0) if error > rounding(means, len(n), pairs.magnitude) else 1.0
    return Alike(mean=mean, gap=gap, p=p)


IGNORING = "ignoring clusters"
ALIKE = "clusters weighing alike"
ALIKE_METHOD = "t of the means of clusters"


def lead_row(lead: ClusteredMean, ends: tuple[float, float] | None, why: str, options: Options) -> Row:
    """The mean difference with its test."""
    low, high = ends if ends is not None else (None, None)
    side = {"two_sided": "", "greater": "; no upper end", "less": "; no lower end"}[options.alternative]
    row = Row(
        term="difference", estimate=lead.mean, n=lead.n, n_units=int(lead.n), method=words(lead, options.ci) + side,
        n_clusters=min(lead.clusters) if lead.clusters else None,
    )  # fmt: skip
    row = with_mean(row, lead, options.level, null=options.null, alternative=options.alternative)
    return with_ends(row, low, high, options.level, why=why)


def words(lead: ClusteredMean, ci: str) -> str:
    """Name the test and the interval."""
    test = {
        "rows": "paired t", "CR2": "cluster-robust t (CR2, Satterthwaite df)",
        "two-way": "two-way cluster-robust t (CR2, Cochran df)",
    }[lead.kind]  # fmt: skip
    return test if ci == "closed" else f"{test}, {ci} bootstrap interval"


def mean_row(found: ClusteredMean, group: str, method: str, options: Options) -> Row:
    """Row of a t test beside the leading one."""
    row = Row(term="difference", group=group, estimate=found.mean, n=found.n, n_units=int(found.n), method=method)
    return with_mean(row, found, options.level, null=options.null, alternative=options.alternative)


def rank_row(ranks: SignedRank | str, clustered: bool, options: Options) -> Row:
    """Wilcoxon's test as R does it by default."""
    group = IGNORING if clustered else "test"
    if isinstance(ranks, str):
        return Row(term="wilcoxon", group=group, method="Wilcoxon signed rank", undefined=ranks)
    exact = ranks.p_exact(options.alternative) if ranks.exact_as_r else None
    how = "exact" if exact is not None else "normal, continuity-corrected"
    return Row(
        term="wilcoxon", group=group, statistic=ranks.v, n=ranks.n, n_units=int(ranks.n),
        p_value=exact if exact is not None else ranks.p_normal(options.alternative),
        method=f"Wilcoxon signed rank ({how}{', pairs taken as independent' if clustered else ''})",
    )  # fmt: skip


def flip_row(test: ChanceTest | str, lead: ClusteredMean, factors: Sequence[Factor], options: Options) -> Row:
    """The sign-flip test."""
    unit = "clusters" if factors else "pairs"
    if isinstance(test, str):
        return Row(term="sign_flip", group="test", method=f"sign flips of {unit}", undefined=test)
    drawn = f"{count(test.draws)} random flips, (b + 1)/(B + 1)" if test.draws else test.method
    how = "exact" if test.exact else drawn
    return Row(
        term="sign_flip", group="test", statistic=float(test.statistic[0]), p_value=float(test.p_value[0]),
        n=lead.n, n_units=int(lead.n), n_clusters=lead.clusters[0] if lead.clusters else None,
        method=f"sign flips of {unit} ({how})",
    )  # fmt: skip


def summary_rows(design: Paired, pairs: PairValues, summary: Summary) -> list[Row]:
    """Means and standard deviations of the conditions, of the difference, and their correlation."""
    n, rows = float(pairs.n), []
    sized, unit = pairs.sized()
    parts = zip(design.conditions, (sized.first, sized.second), (summary.sd_first, summary.sd_second), strict=True)
    for name, values, sd in parts:
        rows.append(Row(term=name, group="mean", estimate=float(sized.count @ values / n) * unit, n=n))
        rows.append(Row(term=name, group="sd", estimate=sd, n=n))
    rows.append(Row(term="difference", group="sd", estimate=summary.sd or 0.0, n=n))
    why = None if summary.r is not None else "a condition does not vary: no correlation"
    rows.append(Row(term="r", estimate=summary.r, n=n, undefined=why))
    return rows


FEW_UNITS = 20
LINE = 0.05


def own_cautions(
    rows: tuple[Row, ...], lead: ClusteredMean, pairs: PairValues, options: Options
) -> tuple[Caution, ...]:
    """Cautions SS206 (floored variance), SS312 (small sample) and SS316 (tests on both sides of the line)."""
    found = []
    if lead.floored:
        found.append(caution("SS206", "V1 + V2 - V12 was below the larger of V1 and V2, which took its place",
                             affects="standard error, interval, t"))  # fmt: skip
    if options.ci != "closed" and not (lead.clusters and options.ci in RESAMPLED):  # of those SS202 speaks
        units = min((*lead.clusters, pairs.n))
        said = f"a bootstrap of {units} units"
        found += small_sample(units, FEW_UNITS, said, affects="the interval", fix="ci='closed'")
    tests = {r.method: r.p_value for r in rows if r.p_value is not None and r.group not in (IGNORING, ALIKE)}
    sides = {p <= 1 - options.level for p in tests.values()}
    if len(sides) == 2:
        said = "; ".join(f"{name}: {p_value(p)}" for name, p in tests.items())
        found.append(caution("SS316", said, short=f"tests disagree about the {100 * (1 - options.level):g} % line"))
    return tuple(found)


def weights_tell(alike: Alike | None, lead: ClusteredMean) -> tuple[Caution, ...]:
    """Caution SS303: clusters with more pairs differ from those with fewer."""
    if alike is None or alike.p >= LINE:
        return ()
    said = (
        f"clusters with more pairs weigh more: the mean is {number(lead.mean)} over all pairs and "
        f"{number(alike.mean.mean)} over clusters (difference {number(alike.gap)}, {p_value(alike.p)})"
    )
    return (
        caution("SS303", said, short="clusters have different numbers of pairs, and these tell", affects="the estimand",
                fix=f"say which mean is meant; group '{ALIKE}' has that over clusters"),
    )  # fmt: skip


def references(factors: Sequence[Factor], options: Options) -> tuple[str, ...]:
    """Keys of the works behind these numbers."""
    keys = ["student1908", "wilcoxon1945", "fisher1935"]
    if len(factors) == 1:
        keys += ["bellmccaffrey2002", "pustejovskytipton2018"]
    if len(factors) == 2:
        keys += ["bellmccaffrey2002", "cameron2011", "cochran1964"]
    return (*keys, *({"bca": ("efron1987",), "closed": ()}.get(options.ci, ("davisonhinkley1997",))))


def sentence(result: Result) -> str:
    """Say the mean difference, its interval and test."""
    row, names = result.rows[0], condition_names(result.design)
    where, digits = place_of(result.counts), digits_of(row.std_error)
    text = f"The mean difference ({names[0]} minus {names[1]}) was {number(row.estimate, digits)}"
    text += f" over {count(row.n or 0, 'pair')}{where}"
    if row.statistic is None:
        return f"{text}; {row.undefined}."
    ends = result.extras["interval"]
    span = (
        interval(ends[0], ends[1], digits, level=result.settings["level"])
        if ends
        else f"interval undefined ({row.undefined})"
    )
    null = result.settings["null"]
    test = f"t({df_text(row.df)}) = {number(row.statistic)}, {p_value(row.p_value)}"
    kind = "" if result.settings["alternative"] == "two_sided" else f" (one-sided: {result.settings['alternative']})"
    against = f" against {number(null)}" if null else ""
    robust = "" if not row.n_clusters else ", cluster-robust"
    return f"{text}, {span}, {test}{kind}{against}{robust}."


def df_text(df: float | None) -> str:
    """Write degrees of freedom: whole ones without decimals."""
    return number(df, 0 if df is not None and abs(df - round(df)) < 1e-9 else 1)


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the pairs, their differences, and the mean difference with its interval."""
    from socialstats.figures.estimation import estimation

    design = result.design
    return estimation(
        design.first, design.second, design.count, result.rows[0], ax=ax,
        **{"conditions": design.conditions, "reference": result.settings["null"], **options},
    )  # fmt: skip


CIS = ("closed", "percentile", "basic", "bca", "studentized")


@reads(Paired)
def paired_difference(
    paired: Paired | TableLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two_sided",
    cluster: str | Sequence[str] | None = "declared",
    ci: Literal["closed", "percentile", "basic", "bca", "studentized"] = "closed",
    level: float = 0.95,
    resamples: int = 2000,
    flips: int = 100_000,
    seed: int = 0,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate and test the mean difference of two conditions on the same units: first minus second.

    Independent pairs: paired t. One cluster factor: CR2 errors, t with Satterthwaite's degrees of freedom. Two
    crossed factors: the largest of V1, V2 and V1 + V2 - V12, t with Cochran's df. Beside it Wilcoxon's signed-rank and
    a sign-flip test (of whole clusters).

    Parameters
    ----------
    paired : Paired, data frame, mapping of columns, or path of a file
        Numbers, or two levels (0 and 1). With a ``by`` factor: one result a level of it.
    null : float
        Mean difference under the hypothesis (for one sample: the value it is compared with).
    alternative : {"two_sided", "greater", "less"}
        One-sided: the interval has one end, the other is infinite.
    cluster : str, sequence of str or None
        ``"declared"``: all declared clusters; one or two names; None takes pairs as independent (caution SS201).
    ci : {"closed", "percentile", "basic", "bca", "studentized"}
        ``"closed"`` is the t interval; the others resample pairs, clusters, or two crossed factors (percentile and
        basic only). Standard error, t, df and p stay those of the t test.
    level : float
    resamples : int
        Of the bootstrap.
    flips : int
        Random sign patterns where the exact distribution of the sign-flip test takes too long (with more than 20,000
        different values its normal approximation takes their place).
    seed : int
    **columns
        Of a data frame or file: its columns, by the keywords of `read_paired`.

    Returns
    -------
    Result
        ``difference`` (estimate, s.e., interval, t, df, p against `null`). Group ``"test"``: ``wilcoxon`` (statistic V;
        exact below 50 differences without ties and zeros, else normal with continuity correction, as R's
        ``wilcox.test``) and ``sign_flip`` (statistic: mean difference minus `null`). With clusters the t test of
        independent pairs and Wilcoxon's stand in group ``"ignoring clusters"``. One factor whose clusters have
        different numbers of pairs: group ``"clusters weighing alike"`` has the mean of their means, with its t test.
        Groups ``"mean"`` and ``"sd"``: of
        each condition, and the sd of the difference; ``r``: correlation of the conditions. `extras`: all p-values of
        Wilcoxon's test (``wilcoxon``), the Monte-Carlo error of the sign flips (``flip_error``) and their normal
        approximation (``flip_normal``), both ends of the interval (``interval``), the variants of the clustered error
        (``std_errors``), with two factors the root of V1 + V2 - V12 without the floor of V1 and V2
        (``unfloored_std_error``, None where that is not positive). All differences equal: no test
        of the mean, and the row says so.

    Raises
    ------
    InputError
        For an unknown option or cluster, or fewer than two pairs.
    DesignError
        For nominal values.

    References
    ----------
    Student. (1908). The probable error of a mean. doi:10.1093/biomet/6.1.1
    Bell, R. M., & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with multi-stage
    samples. Survey Methodology, 28(2), 169-181.
    Wilcoxon, F. (1945). Individual comparisons by ranking methods. doi:10.2307/3001968
    Fisher, R. A. (1935). The design of experiments, section 21.

    Examples
    --------
    >>> scores = {"before": [2, 3, 4, 4, 2], "after": [3, 5, 4, 6, 5]}
    >>> print(paired_difference(scores, first="after", second="before").sentence())
    The mean difference (after minus before) was 1.60 over 5 pairs, 95% CI [0.18, 3.02], t(4) = 3.14, p = .035.
    """
    checked_level(level)
    checked_choice(alternative, ALTERNATIVES, "alternative")
    checked_choice(ci, CIS, "ci")
    if alternative != "two_sided" and level <= 0.5:
        raise InputError(f"a one-sided interval needs a level above 0.5, not {level!r}")
    options = Options(
        null=checked_number(null, "null"), alternative=alternative, cluster=cluster, ci=ci, level=level,
        resamples=resamples, flips=checked_draws(flips, "flips"), seed=seed,
    )  # fmt: skip
    return by_levels(paired, "declared", lambda one: estimate(one, options), Paired)


def estimate(design: Paired, options: Options) -> Result:
    """Compute the tests of one design."""
    pairs = pair_values(design)
    factors = cluster_factors(design, options.cluster)
    codes = [factor.codes for factor in factors]
    lead = clustered_mean(pairs.difference, pairs.count, codes, magnitude=pairs.magnitude)
    ends, why = interval_of(lead, pairs, factors, options)
    rows = [lead_row(lead, ends, why, options)]
    alike = clusters_alike(pairs, factors)
    if alike is not None:
        rows.append(mean_row(alike.mean, ALIKE, ALIKE_METHOD, options))
    alone = clustered_mean(pairs.difference, pairs.count, magnitude=pairs.magnitude)
    if factors:
        rows.append(mean_row(alone, IGNORING, "paired t, pairs taken as independent", options))
    ranks, flipped = ranked(pairs, options), flips_of(pairs, factors, options)
    rows += [rank_row(ranks, bool(factors), options), flip_row(flipped, lead, factors, options)]
    summary = summary_of(pairs)
    rows += summary_rows(design, pairs, summary)
    found = tuple(rows)
    return Result(
        metric="paired_difference",
        title=f"Mean difference: {' minus '.join(condition_names(design))}",
        inference=f"{words(lead, options.ci)}; {cluster_text(factors, 'pairs')}",
        rows=found,
        counts={"pairs": pairs.n, **cluster_counts(factors)},
        fit=fit_of(lead, pairs, factors, options),
        settings={name: getattr(options, name) for name in Options.__dataclass_fields__},
        cautions=(
            *dependence(design, factors, lead, options), *own_cautions(found, lead, pairs, options),
            *weights_tell(alike, lead),
        ),
        references=references(factors, options),
        design=design,
        extras={
            "wilcoxon": {} if isinstance(ranks, str) else rank_variants(ranks, pairs, options),
            "flip_error": None if isinstance(flipped, str) else float(flipped.mc_error[0]),
            "flip_normal": normal_flips(pairs, factors, options), "interval": ends,
            "std_errors": variants(pairs, factors), "lead": lead, "bounds": (options.null,),
            **({"unfloored_std_error": lead.unfloored_std_error} if lead.kind == "two-way" else {}),
        },
    )  # fmt: skip


def dependence(design: Paired, factors: Sequence[Factor], lead: ClusteredMean, options: Options) -> tuple[Caution, ...]:
    """Cautions about clusters; of the t interval also about the shape of the differences."""
    if options.ci != "closed":
        dfs = [] if lead.undefined else [None if options.ci in RESAMPLED else lead.df]
        return cluster_cautions(design, factors, df=dfs, largest=lead.largest)
    fix = "ci='studentized'" if len(factors) < 2 else ""
    return mean_cautions(design, factors, [lead], fix=fix)


def fit_of(lead: ClusteredMean, pairs: PairValues, factors: Sequence[Factor], options: Options) -> dict[str, Any]:
    """Values of the glance table."""
    drawn = options.ci != "closed"
    known = bool(factors) and not lead.undefined
    return {
        "nobs": pairs.n, "n_clusters": min(lead.clusters) if lead.clusters else None,
        "df": whole(lead.df), "method": words(lead, options.ci), "seed": options.seed,
        "resamples": options.resamples if drawn else None, "effective_df": lead.df if known else None,
        "largest_leverage": lead.largest if known else None,
    }  # fmt: skip


METRIC = Metric(
    name="paired_difference",
    title="Mean difference of pairs",
    design="paired",
    function=paired_difference,
    sentence=sentence,
    plot=plot,
    crosscheck="socialstats.crosscheck.paired_difference:verify",
    estimand="Mean over pairs of the value under the first condition minus that under the second.",
    assumptions=(
        "pairs (or the named clusters of pairs) are independent",
        "t: the mean difference is close to normal; Wilcoxon and sign flips: differences are symmetric about null",
    ),
    references=("student1908", "wilcoxon1945", "fisher1935"),
    swap="none",
    values="numeric",
)
