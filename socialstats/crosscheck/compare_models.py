"""Models compared once more: numbers from sums, errors unit by unit, Holm by statsmodels, ranks by scipy."""

from __future__ import annotations

from typing import Any

from socialstats.crosscheck.clusters import crossing, errors_by
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.row_arithmetic import (
    adjusted_checks,
    adjusted_p,
    label,
    relative,
    statistic_checks,
    t_ends,
)
from socialstats.results import Check, Result

SUMS = "its sums over all units"
LEFT_OUT = "each unit left out in a loop, then CR2 with Satterthwaite's df entry by entry"
MOST = 4_000  # units of the differences whose errors are computed again, one difference at least


def checks_of(result: Result) -> list[Check]:
    """Recompute numbers, differences with their errors, adjusted p-values and rank sets."""
    rows, numbers = result.rows, {one.row.term: one for one in result.extras["numbers"]}
    own = [row for row in rows if row.group == "number" and row.estimate is not None]
    checks = []
    for row in own:
        one = numbers[row.term]
        corrected = result.metric == "js_similarity"  # the jackknife's bias is taken off, and the value cut
        theirs = min(max(one.value, 0.0), 1.0) if corrected else float(one.finish(total_of(one))[0])
        checks.append(relative(label(row, "estimate"), row.estimate, theirs, "numpy", SUMS, 1e-8, 1.0))
    gaps = [row for row in rows if row.role == "difference" and row.estimate is not None]
    left = MOST
    for row in gaps:
        pair = [numbers[row.label(side) or ""] for side in ("model", "minus")]
        checks += difference_checks(row, pair, result, again=left > 0)
        left -= row.n_units or 0
    checks += adjusted_checks(gaps)
    return [*checks, *rank_checks(result, own)]


def total_of(one: Any, at: Any = None) -> Any:
    """Return the sums over (some) units as one row."""
    import numpy as np

    sums = one.sums if at is None else one.sums[at]
    return np.asarray(sums.sum(axis=0), dtype=np.float64).reshape(1, -1)


def difference_checks(row: Any, pair: list[Any], result: Result, *, again: bool) -> list[Check]:
    """Recompute a difference; of the first ones also what each unit adds to it."""
    import numpy as np

    common = [name for name in pair[0].units if name in set(pair[1].units)]
    places = [{name: k for k, name in enumerate(one.units)} for one in pair]
    at = [np.array([place[name] for name in common]) for place in places]
    whole = all(len(common) == len(one.units) for one in pair)
    theirs = [one.value if whole else float(one.finish(total_of(one, i))[0]) for one, i in zip(pair, at, strict=True)]
    checks = [relative(label(row, "estimate"), row.estimate, theirs[0] - theirs[1], "numpy", SUMS, 1e-8, 1.0)]
    df = row.df
    if again and row.std_error is not None:
        moves = [moves_of(one, i) for one, i in zip(pair, at, strict=True)]
        codes = np.array([np.unique([pair[0].clusters[k][u] for u in at[0]], return_inverse=True)[1]
                          for k in range(len(pair[0].clusters))]).T  # fmt: skip
        n = len(common)
        errors = errors_by(moves[0] - moves[1], np.full(n, 1 / n), crossing(codes) if codes.size else codes)
        checks.append(relative(label(row, "s.e."), row.std_error, errors.variance**0.5, "numpy", LEFT_OUT, 1e-6))
    elif row.std_error is not None:
        checks.append(compare(label(row, "s.e."), row.std_error, None, package="numpy", tolerance=0, why="",
                              note=f"only those of the first differences, up to {MOST:,} units"))  # fmt: skip
    reach = result.extras["kind"].reach
    cut = None if reach == float("inf") else (-reach, reach)
    return [*checks, *statistic_checks(row, df=df), *t_ends(row, result.settings["level"], df, cut=cut)]


def moves_of(one: Any, at: Any) -> Any:
    """Return what each of some units adds to a number, one after the other."""
    import numpy as np

    total = total_of(one, at)
    rows = one.sums[at]
    dense = rows if isinstance(rows, np.ndarray) else rows.toarray()
    left = np.array([float(one.finish(total - unit[None])[0]) for unit in dense])
    away = left.mean() - left
    return away * (len(left) - 1) / len(left)


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
            first, last = (one, two) if sign * row.estimate < 0 else (two, one)
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
