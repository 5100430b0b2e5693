"""Two choosers on the same pairs: the paired difference of S."""

from __future__ import annotations

import numpy as np

from socialstats.designs.comparisons import Comparisons
from socialstats.errors import UndefinedStatistic
from socialstats.inference.intervals import two_sided_p
from socialstats.models.conditions import Weighting, condition_table
from socialstats.models.pairs import common_pairs, pair_codes
from socialstats.models.sensitivity_index import PLUG_IN, TERMS, sensitivity_terms
from socialstats.resampling import Bootstrap, Units, basic, bootstrap
from socialstats.results import FloatArray, Result, Row
from socialstats.text import count, interval, number, p_value


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
    m = len(TERMS)
    ends = basic(
        boot, level=level, centre=np.concatenate([boot.estimate[i * m : (i + 1) * m][PLUG_IN] for i in range(3)])
    )
    rows, flat, errors = [], boot.is_constant, boot.std_error
    for j, value in enumerate(boot.estimate):
        term, block = TERMS[j % m], j // m
        if np.isnan(value):
            why = "no item has two comparisons under some condition in one of the designs"
            rows.append(Row(term=term, group=("difference", *labels)[block], undefined=why))
            continue
        if block:
            rows.append(Row(term=term, group=labels[block - 1], estimate=float(value), n_clusters=boot.units.n_units))
            continue
        if flat[j]:
            same = "every resample gives the same difference: no interval, no test"
            rows.append(Row(term=term, group="difference", estimate=float(value), undefined=same))
            continue
        se = float(errors[j])
        tested = term in TERMS[:2] and se > 0
        z = float(value) / se if tested else None
        rows.append(
            Row(
                term=term, group="difference", estimate=float(value), std_error=se,
                conf_low=float(min(ends.low[j], value)), conf_high=float(max(ends.high[j], value)),
                conf_level=level,
                statistic=z, p_value=None if z is None else float(two_sided_p(np.array(z))),
                n=float(n), n_clusters=boot.units.n_units, method="basic bootstrap by pair; z from bootstrap s.e.",
            )
        )  # fmt: skip
    return tuple(rows)


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
