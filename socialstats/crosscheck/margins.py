"""Tests of rows of other results against a margin, computed again."""

from __future__ import annotations

from socialstats.crosscheck.long import compare
from socialstats.crosscheck.row_arithmetic import end_checks, field_checks, label, quantile, tail_p
from socialstats.results import Result, Verification

SMALLEST = 2.2250738585072014e-308  # the smallest float: no p is 0


def of_rows(result: Result) -> Verification:
    """Recompute tests of rows against a margin: what the source's own verification found, and scipy's tails."""
    source, at, options = result.extras["source"], result.extras["at"], result.settings
    again = source.verify().checks if source.title != "Difference" else ()
    step, bounds, checks = len(result.rows) // len(at), result.extras["bounds"], []
    for k, place in enumerate(at):
        row, *tests = result.rows[k * step : (k + 1) * step]
        for name in ("estimate", "std_error"):
            for one in (
                c for c in again if (c.row, c.field) == (place, name) and c.theirs is not None
            ):
                checks.append(
                    compare(
                        label(row, name),
                        getattr(row, name),
                        one.theirs,
                        package=one.package,
                        tolerance=one.tolerance,
                        why=one.note,
                    )
                )
        value, error = row.estimate or 0.0, row.std_error or 1.0
        df = tests[0].df
        why = "estimate less bound over its error, and scipy's tails"
        reach = quantile(2 * options["level"] - 1, df) * error
        checks += end_checks(row, value - reach, value + reach, "scipy", why, least=reach)
        values = [(value - bound) / error for bound in bounds]
        tails = [
            max(tail_p(t, df, side), SMALLEST)
            for t, side in zip(values, ("greater", "less"), strict=True)
        ]
        worse = 0 if tails[0] >= tails[1] else 1
        sides = (0,) if options["test"] == "noninferiority" else (0, 1, worse)
        for test, side in zip(tests, sides, strict=True):
            checks += field_checks(test, "scipy", why, statistic=values[side], p_value=tails[side])
            checks += (
                field_checks(test, "scipy", why, df=source.rows[place].df) if df is not None else []
            )
    return Verification(checks=tuple(checks))
