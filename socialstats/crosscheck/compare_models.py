"""Comparisons of models recomputed: numbers from sums, errors unit by unit, Holm by statsmodels, ranks by scipy."""

from __future__ import annotations

from typing import Any

from socialstats.crosscheck.clusters import crossing, errors_by
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.row_arithmetic import (
    adjusted_checks,
    adjusted_p,
    both_ends,
    end_checks,
    kurtosis_df,
    label,
    relative,
    statistic_checks,
    t_ends,
)
from socialstats.results import Check, Result

SUMS = "its sums over all units"
LEFT_OUT = "each unit left out, then CR2 and two crossed factors by sums written out"
PART = 1_000_000  # numbers of sums without a unit that are held at once


def checks_of(result: Result) -> list[Check]:
    """Recompute numbers, differences with their errors, adjusted p-values and rank sets."""
    rows, numbers = result.rows, {one.row.term: one for one in result.extras["numbers"]}
    own = [row for row in rows if row.group == "number" and row.estimate is not None]
    checks = []
    for row in own:
        one = numbers[row.term]
        corrected = result.metric == "js_similarity"  # corrected for the jackknife's bias, then cut
        theirs = min(max(one.value, 0.0), 1.0) if corrected else float(one.finish(total_of(one))[0]) - one.bias
        checks.append(relative(label(row, "estimate"), row.estimate, theirs, "numpy", SUMS, 1e-8, 1.0))
    gaps = [row for row in rows if row.role == "difference" and row.estimate is not None]
    known: dict[tuple[str, int], Any] = {}
    for row in gaps:
        pair = [numbers[row.label(side) or ""] for side in ("model", "minus")]
        checks += difference_checks(row, pair, result, known)
        if row.std_error is None and row.conf_low is not None:
            ends = both_ends(row.estimate or 0.0, *(next(r for r in own if r.term == one.row.term) for one in pair))
            checks += end_checks(row, *ends, "numpy", "the intervals of both models")
    checks += adjusted_checks(gaps)
    return [*checks, *rank_checks(result, own)]


def total_of(one: Any, at: Any = None) -> Any:
    """Return the sums over (some) units as one row."""
    import numpy as np

    sums = one.sums if at is None else one.sums[at]
    return np.asarray(sums.sum(axis=0), dtype=np.float64).reshape(1, -1)


def difference_checks(row: Any, pair: list[Any], result: Result, known: dict[tuple[str, int], Any]) -> list[Check]:
    """Recompute a difference, and what each unit of both adds to it."""
    import numpy as np

    places = [{name: k for k, name in enumerate(one.units)} for one in pair]
    common = [name for name in pair[0].units if name in places[1]]
    at = [np.array([place[name] for name in common]) for place in places]
    whole = all(len(common) == len(one.units) for one in pair)
    theirs = [one.value if whole else float(one.finish(total_of(one, i))[0]) - one.bias
              for one, i in zip(pair, at, strict=True)]  # fmt: skip
    checks = [relative(label(row, "estimate"), row.estimate, theirs[0] - theirs[1], "numpy", SUMS, 1e-8, 1.0)]
    if row.std_error is not None:
        moves = [moves_of(one, i, known) for one, i in zip(pair, at, strict=True)]
        codes = np.array([np.unique(np.array(labels)[at[0]], return_inverse=True)[1] for labels in pair[0].clusters]).T
        n = len(common)
        errors = errors_by(moves[0] - moves[1], np.full(n, 1 / n), crossing(codes) if codes.size else codes)
        checks.append(relative(label(row, "s.e."), row.std_error, errors.variance**0.5, "numpy", LEFT_OUT, 1e-6))
        df = errors.df
        if codes.ndim < 2 and not (pair[0].linear and pair[1].linear):
            df = min(df, kurtosis_df(moves[0] - moves[1]))
        elif codes.shape[-1] == 1 and not (pair[0].linear and pair[1].linear):
            df = min(df, kurtosis_df(np.bincount(codes[:, 0], moves[0] - moves[1])))
        reach = result.extras["kind"].reach
        cut = None if reach == float("inf") else (-reach, reach)
        checks += [*statistic_checks(row, df=df), *t_ends(row, result.settings["level"], df, cut=cut)]
    return checks


def moves_of(one: Any, at: Any, known: dict[tuple[str, int], Any]) -> Any:
    """Return what each of some units adds to a number; of all its units computed once."""
    import numpy as np

    key = one.row.term, hash(at.tobytes())
    if key not in known:
        total, rows = total_of(one, at), one.sums[at]
        parts = np.array_split(np.arange(len(at)), max(1, len(at) * total.shape[1] // PART))
        left = np.concatenate([one.finish(total - (rows[k] if isinstance(rows, np.ndarray) else rows[k].toarray()))
                               for k in parts])  # fmt: skip
        known[key] = (left.mean() - left) * (len(left) - 1) / len(left)
    return known[key]


def rank_checks(result: Result, own: list[Any]) -> list[Check]:
    """Count the ranks by scipy, and the sets from statsmodels' adjusted p-values."""
    import numpy as np
    from scipy.stats import rankdata

    sign = -1.0 if result.settings["best"] == "highest" else 1.0
    ranks = rankdata([sign * round(row.estimate, 10) for row in own], method="min")
    tests = [row for row in result.rows if row.role == "difference" and row.p_value is not None]
    p = adjusted_p([row.p_value for row in tests]) if tests else []
    better, worse = dict.fromkeys((row.term for row in own), 0), dict.fromkeys((row.term for row in own), 0)
    for row, adjusted in zip(tests, p, strict=True):
        if adjusted <= 1 - result.settings["level"]:
            one, two = (row.label(side) or "" for side in ("model", "minus"))
            first, last = (one, two) if sign * (row.estimate or 0.0) < 0 else (two, one)
            better[last] += 1
            worse[first] += 1
    found = {row.term: row for row in result.rows if row.group == "rank"}
    checks, why = [], "the pairs found different counted"
    for one, rank in zip(own, np.asarray(ranks).tolist(), strict=True):
        row = found[one.term]
        ends = min(1 + better[one.term], rank), max(len(own) - worse[one.term], rank)
        checks += [
            compare(label(row, name), ours, float(theirs), package="scipy", tolerance=0, why=why)
            for name, ours, theirs in (("estimate", row.estimate, rank), ("low", row.conf_low, ends[0]),
                                       ("high", row.conf_high, ends[1]))
        ]  # fmt: skip
    return checks
