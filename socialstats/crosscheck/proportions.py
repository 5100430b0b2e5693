"""A difference of two proportions once more, by statsmodels."""

from __future__ import annotations

from collections.abc import Sequence

from socialstats.crosscheck.row_arithmetic import end_checks, label, relative, statistic_checks
from socialstats.results import Check, Row


def two_proportions(row: Row, counts: Sequence[tuple[float, float]]) -> list[Check]:
    """Recompute difference, statistic, p and Wald's interval of (hits, ratings) of two groups."""
    from statsmodels.stats.proportion import confint_proportions_2indep

    (a, n), (b, m) = counts
    checks = [relative(label(row), row.estimate, a / n - b / m, "numpy", size=1.0)]
    if row.conf_low is None:
        return checks
    ends = confint_proportions_2indep(a, n, b, m, method="wald", compare="diff", alpha=1 - (row.conf_level or 0.95))
    return [*checks, *statistic_checks(row), *end_checks(row, float(ends[0]), float(ends[1]), "statsmodels")]
