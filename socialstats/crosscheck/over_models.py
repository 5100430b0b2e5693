"""Means, spreads and group differences over models recomputed: scipy's t tests, intervals of spreads by formula."""

from __future__ import annotations

from typing import Any

from socialstats.arrays import size_unit
from socialstats.crosscheck.row_arithmetic import (
    adjusted_checks,
    end_checks,
    field_checks,
    label,
    relative,
)
from socialstats.results import Check, Result, Row


def checks_of(result: Result) -> list[Check]:
    """Recompute every row from the values by model."""
    import numpy as np
    from scipy import stats

    checks: list[Check] = []
    level, factors = result.settings["level"], result.settings["groups"]
    families: dict[tuple[str, str | None], list[Row]] = {}
    for row in result.rows:
        name = row.label("number") or ""
        values, factor = result.extras["values"][name], row.label("factor")
        given = dict.fromkeys(values, "") if factor is None else factors[factor]
        parts = [
            np.array(
                [x for model, x in values.items() if model in given and given[model] == (at or "")]
            )
            for at in (row.label("one") or row.label("level"), row.label("other"))
        ]
        one, (low, high) = parts[0], result.extras["limits"][name]
        if row.role == "difference":
            families.setdefault((name, factor), []).append(row)
            low, high = low - high, high - low
        if row.estimate is None:
            continue
        if row.role == "spread":
            checks += spread_checks(row, one, level)
            continue
        unit = size_unit(*parts)
        value = (
            float(one.mean() - parts[1].mean()) if row.role == "difference" else float(one.mean())
        )
        checks.append(relative(label(row), row.estimate, value, "numpy", size=1.0))
        if row.std_error is None:
            continue
        pair = row.role == "difference"
        sized = [part / unit for part in parts]
        test: Any = (
            stats.ttest_ind(*sized, equal_var=False) if pair else stats.ttest_1samp(sized[0], 0)
        )
        ends = test.confidence_interval(level)
        checks += field_checks(
            row,
            statistic=float(test.statistic),
            df=float(test.df),
            p_value=float(test.pvalue),
            std_error=value / float(test.statistic or 1.0) or row.std_error,
        )
        limits = max(float(ends.low) * unit, low), min(float(ends.high) * unit, high)
        checks += end_checks(row, *limits, least=abs(value))
    for rows in families.values():
        checks += adjusted_checks(rows)
    return checks


def spread_checks(row: Row, values: Any, level: float) -> list[Check]:
    """Recompute a standard deviation, the wider limits of its two intervals, and its effective number of values."""
    import numpy as np
    from scipy import stats

    unit = size_unit(values)
    values = values / unit
    checks = [
        relative(
            label(row),
            (row.estimate or 0.0) / unit,
            float(np.std(values, ddof=1)),
            "numpy",
            size=1e-6 * float(np.abs(values).max()),
        )
    ]
    if row.conf_low is None:
        return checks
    n, z = len(values), float(stats.norm.ppf((1 + level) / 2))
    around = stats.trim_mean(values, 1 / (2 * np.sqrt(n - 4)))
    kurtosis = n * np.sum((values - around) ** 4) / np.sum((values - values.mean()) ** 2) ** 2
    c = n / (n - z)
    error = c * np.sqrt((kurtosis - (n - 3) / n) / (n - 1))
    low, high = np.log(c * values.var(ddof=1)) + np.array([-z, z]) * error
    left = np.array([np.delete(values, k).var(ddof=1) for k in range(n)])
    if left.min() > 1e-12 * left.max():
        whole = n * np.log(values.var(ddof=1)) - (n - 1) * np.log(left)
        df = min(max(2 / (2 / (n - 1) + float(stats.kurtosis(whole)) / n), 1.0), n - 1.0)
        ends = stats.t.interval(level, df, whole.mean(), whole.std(ddof=1) / np.sqrt(n))
        low, high = min(low, ends[0]), max(high, ends[1])
    effective = 2 * n / max(kurtosis - 1, 1.0)
    checks.append(
        relative(
            label(row, "effective values"), row.effective or 0.0, effective, "scipy", size=1e-9
        )
    )
    return [*checks, *end_checks(row, *(unit * np.exp(np.array([low, high]) / 2)).tolist())]
