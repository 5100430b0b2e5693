"""Two choosers on the same pairs: the paired difference of S."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from socialstats.designs.comparisons import Comparisons
from socialstats.errors import UndefinedStatistic
from socialstats.inference.compare import with_resamples
from socialstats.models.conditions import Weighting, condition_table
from socialstats.models.pairs import common_pairs, pair_codes
from socialstats.models.sensitivity_index import PLUG_IN, TERMS, sensitivity_terms
from socialstats.resampling import Bootstrap, Units, bootstrap
from socialstats.resampling.engine import Replicates
from socialstats.results import FloatArray, Result, Row
from socialstats.text import count, interval, number, p_value

FEW = "no item has two comparisons under some condition in one of the designs"


def paired_difference(
    first: Comparisons,
    second: Comparisons,
    covariate: str,
    *,
    labels: tuple[str, str],
    weights: Weighting,
    unmatched: str,
    resamples: int,
    seed: int,
    level: float,
) -> Result:
    """Difference of S; see `socialstats.metrics.sensitivity.sensitivity_difference`."""
    from scipy.sparse import hstack

    one, two, pairs, cautions = common_pairs(first, second, unmatched)
    tables = [condition_table(design, covariate, weights).statistics for design in (one, two)]
    units = [Units.clusters(pair_codes(design, pairs)) for design in (one, two)]
    both = hstack([u.total(t) for u, t in zip(units, tables, strict=True)], format="csr")
    cut = tables[0].shape[1]

    def finish(sums: FloatArray) -> FloatArray:
        a = sensitivity_terms(np.ascontiguousarray(sums[:, :cut]), len(one.items))
        b = sensitivity_terms(np.ascontiguousarray(sums[:, cut:]), len(two.items))
        return np.concatenate([a - b, a, b], axis=1)

    shared = Units.clusters(np.arange(len(pairs), dtype=np.int64))
    boot = bootstrap(both, finish, shared, resamples=resamples, seed=seed)
    if np.isnan(boot.estimate[0]):
        raise UndefinedStatistic(f"S is undefined: it needs comparisons with higher, equal and lower {covariate}")
    lost = boot.caution("the intervals")
    return Result(
        metric="sensitivity",
        title=f"Difference in sensitivity to {covariate}: {labels[0]} minus {labels[1]}",
        inference=f"basic bootstrap intervals, {count(len(pairs), 'pair')} of items resampled in both together",
        rows=difference_rows(boot, labels, level, one.n_rows + two.n_rows),
        counts={"comparisons": one.n_rows + two.n_rows, "pairs": len(pairs)},
        fit={"n_clusters": len(pairs), "seed": seed, "resamples": resamples, "method": "basic"},
        settings={
            "covariate": covariate, "labels": labels, "weights": weights, "unmatched": unmatched,
            "cluster": "pair", "resamples": resamples, "seed": seed, "level": level,
        },
        cautions=(*cautions, lost) if lost else cautions,
        references=("davisonhinkley1997",),
        design=(one, two),
        extras={"bootstrap": boot},
    )  # fmt: skip


def difference_rows(boot: Bootstrap, labels: tuple[str, str], level: float, n: int) -> tuple[Row, ...]:
    """Rows of the differences (with intervals) and of both sides (without)."""
    m, groups = len(TERMS), boot.units.n_units
    base = Row(term="", group="difference", n=float(n), n_clusters=groups,
               method="basic bootstrap by pair; z from bootstrap s.e.")  # fmt: skip
    gaps = with_resamples(
        [replace(base, term=term, undefined=None if known else FEW) for term, known in
         zip(TERMS, ~np.isnan(boot.estimate[:m]), strict=True)],
        Replicates(estimate=boot.estimate[:m], replicates=boot.replicates[:, :m], n_degenerate=boot.n_degenerate[:m]),
        level, centre=boot.estimate[:m][PLUG_IN], tested=[term in TERMS[:2] for term in TERMS],
    )  # fmt: skip
    sides = [
        Row(term=term, group=label, undefined=FEW) if np.isnan(value) else
        Row(term=term, group=label, estimate=value, n_clusters=groups)
        for label, values in zip(labels, np.split(boot.estimate[m:], 2), strict=True)
        for term, value in zip(TERMS, values.tolist(), strict=True)
    ]  # fmt: skip
    return (*gaps, *sides)


def difference_sentence(result: Result) -> str:
    """Say the corrected difference (or the plug-in one), its interval and p."""
    row = result.row("S_corrected", group="difference")
    if row.estimate is None:
        row = result.row("S", group="difference")
    a, b = result.settings["labels"]
    ends = interval(row.conf_low, row.conf_high, level=result.settings["level"])
    kind = "corrected for noise" if row.term == "S_corrected" else "plug-in"
    settled = row.conf_low is not None and row.conf_high is not None and (row.conf_low > 0 or row.conf_high < 0)
    if not settled:
        verdict = f"The data do not settle whether {a} or {b} is closer to following {result.settings['covariate']}"
    else:
        near, far = (a, b) if (row.estimate or 0.0) < 0 else (b, a)
        verdict = f"{near} was closer to following {result.settings['covariate']} than {far}"
    test = f", {p_value(row.p_value)}" if row.p_value is not None else ""
    return f"{verdict}: difference in S ({a} minus {b}, {kind}) {number(row.estimate)}, {ends}{test}."
