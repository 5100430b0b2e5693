"""Two choosers on the same pairs: the paired difference of S."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import UndefinedStatistic
from socialstats.inference.compare import with_jackknife, with_resamples
from socialstats.models.conditions import Weighting, condition_table
from socialstats.models.pairs import common_pairs, pair_codes
from socialstats.models.sensitivity_index import CORRECTED, PLUG_IN, TERMS, sensitivity_terms
from socialstats.resampling import Units, bootstrap, jackknife
from socialstats.resampling.engine import Replicates
from socialstats.results import Result, Row
from socialstats.text import count, interval, number, p_value

METHODS = {
    "jackknife": "jackknife t by pair, around the corrected value",
    "basic": "basic bootstrap by pair; z from bootstrap s.e.",
}
FEW = "no item has two comparisons under some condition in one of the designs"


def paired_difference(
    first: Comparisons,
    second: Comparisons,
    covariate: str,
    *,
    labels: tuple[str, str],
    weights: Weighting,
    unmatched: str,
    ci: str,
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
    left = jackknife(both, finish, shared) if ci == "jackknife" and len(pairs) > 1 else None
    if left is None or np.isnan(left.estimate[1]):
        ci = "basic"  # no corrected value, as where every pair is met once
    n, terms = one.n_rows + two.n_rows, len(TERMS)
    names = [Row(term=t, group="difference", n=float(n), n_clusters=len(pairs), method=METHODS[ci]) for t in TERMS]
    tested = [term in TERMS[:2] for term in TERMS]
    if ci == "jackknife" and left is not None:
        estimate, lost, centre = left.estimate, None, left.estimate[:terms][CORRECTED]
        gaps = with_jackknife(names, estimate[:terms], left.std_error[:terms], centre, len(pairs) - 1.0, level, tested)
    else:
        boot = bootstrap(both, finish, shared, resamples=resamples, seed=seed)
        estimate, lost = boot.estimate, boot.caution("the intervals")
        own = Replicates(
            estimate=estimate[:terms], replicates=boot.replicates[:, :terms], n_degenerate=boot.n_degenerate[:terms]
        )
        gaps = with_resamples(names, own, level, centre=estimate[:terms][PLUG_IN], tested=tested)
    if np.isnan(estimate[0]):
        raise UndefinedStatistic(f"S is undefined: it needs comparisons with higher, equal and lower {covariate}")
    rows = [replace(row, undefined=FEW, method=None, n=None, n_clusters=None) if row.estimate is None else row
            for row in gaps]  # fmt: skip
    for label, values in zip(labels, np.split(estimate[terms:], 2), strict=True):
        rows += [Row(term=term, group=label, undefined=FEW) if math.isnan(value) else
                 Row(term=term, group=label, estimate=value, n_clusters=len(pairs))
                 for term, value in zip(TERMS, values.tolist(), strict=True)]  # fmt: skip
    said = "jackknife t intervals" if ci == "jackknife" else "basic bootstrap intervals"
    drawn = {"seed": seed, "resamples": resamples} if ci == "basic" else {}
    return Result(
        metric="sensitivity",
        title=f"Difference in sensitivity to {covariate}: {labels[0]} minus {labels[1]}",
        inference=f"{said}, {count(len(pairs), 'pair')} of items left out (or resampled) in both together",
        rows=tuple(rows),
        counts={"comparisons": n, "pairs": len(pairs)},
        fit={"n_clusters": len(pairs), "method": ci, **drawn},
        settings={
            "covariate": covariate, "labels": labels, "weights": weights, "unmatched": unmatched, "ci": ci,
            "cluster": "pair", "resamples": resamples, "seed": seed, "level": level,
        },
        cautions=(*cautions, lost) if lost else cautions,
        references=("efrontibshirani1993",) if ci == "jackknife" else ("davisonhinkley1997",),
        design=(one, two),
    )  # fmt: skip


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
