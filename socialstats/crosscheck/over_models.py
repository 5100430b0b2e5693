"""Means, spreads and group differences over models once more: scipy's t tests, Bonett's interval by its formula."""

from __future__ import annotations

from typing import Any

from socialstats.crosscheck.row_arithmetic import adjusted_checks, end_checks, field_checks, label, relative
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
        parts = [np.array([x for model, x in values.items() if model in given and given[model] == (at or "")])
                 for at in (row.label("one") or row.label("level"), row.label("other"))]  # fmt: skip
        one, (low, high) = parts[0], result.extras["limits"][name]
        if row.role == "difference":
            families.setdefault((name, factor), []).append(row)
            low, high = low - high, high - low
        if row.estimate is None:
            continue
        if row.role == "spread":
            checks.append(relative(label(row), row.estimate, float(np.std(one, ddof=1)), "numpy", size=1e-9))
            checks += end_checks(row, *bonett(one, level)) if row.conf_low is not None else []
            continue
        value = float(one.mean() - parts[1].mean()) if row.role == "difference" else float(one.mean())
        checks.append(relative(label(row), row.estimate, value, "numpy", size=1.0))
        if row.std_error is None:
            continue
        pair = row.role == "difference"
        test: Any = stats.ttest_ind(*parts, equal_var=False) if pair else stats.ttest_1samp(one, 0)
        ends = test.confidence_interval(level)
        checks += field_checks(row, statistic=float(test.statistic), df=float(test.df), p_value=float(test.pvalue),
                               std_error=value / float(test.statistic or 1.0) or row.std_error)  # fmt: skip
        checks += end_checks(row, max(float(ends.low), low), min(float(ends.high), high), least=abs(value))
    for rows in families.values():
        checks += adjusted_checks(rows)
    return checks


def bonett(values: Any, level: float) -> tuple[float, float]:
    """Interval of a standard deviation by Bonett's equations, with scipy's trimmed mean."""
    import numpy as np
    from scipy import stats

    n, z = len(values), float(stats.norm.ppf((1 + level) / 2))
    around = stats.trim_mean(values, 1 / (2 * np.sqrt(n - 4)))
    kurtosis = n * np.sum((values - around) ** 4) / np.sum((values - values.mean()) ** 2) ** 2
    c = n / (n - z)
    error = c * np.sqrt((kurtosis - (n - 3) / n) / (n - 1))
    ends = np.exp(np.log(c * values.var(ddof=1)) + np.array([-z, z]) * error)
    return float(np.sqrt(ends[0])), float(np.sqrt(ends[1]))
