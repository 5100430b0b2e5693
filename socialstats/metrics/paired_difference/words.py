"""Sentence, figure and cautions of a mean difference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from socialstats.designs.parts import Factor
from socialstats.errors import Caution, caution
from socialstats.inference.clustered_mean import ClusteredMean
from socialstats.inference.dependence import small_sample
from socialstats.inference.how import RESAMPLED
from socialstats.metrics.paired_difference.analysis import Alike, Options
from socialstats.metrics.paired_difference.rows import ALIKE, IGNORING
from socialstats.models.pair_values import PairValues, condition_names, place_of
from socialstats.results import Result, Row
from socialstats.text import count, digits_of, interval, number, p_value

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
