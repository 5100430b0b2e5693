"""Published numbers without rows: are they possible, and do they agree with each other?

Every check takes numbers as they were printed and returns a `Finding`. `audit` runs a rules file over tables.
"""

from __future__ import annotations

from socialstats.audit.agreement import linear_composite, sensitivity_reference, text_against_table, within
from socialstats.audit.alignment import alignment, by_position
from socialstats.audit.errors_of_means import std_error_possible
from socialstats.audit.feasible import mcnemar_bounds, paired_t_feasible, subset_mean
from socialstats.audit.finding import Finding
from socialstats.audit.grids import granularity, grim
from socialstats.audit.means import hull, mean_abs, mean_of, sd_of, weighted_mean
from socialstats.audit.numbers import Printed, printed
from socialstats.audit.p_values import statistic_p, t_from_summary
from socialstats.audit.papers import papers
from socialstats.audit.repairs import Repair, digit_repairs
from socialstats.audit.running import AuditReport, audit
from socialstats.audit.spreads import debit, grimmer
from socialstats.audit.sums import count_percent, sum_to

__all__ = [
    "audit", "papers", "AuditReport", "Repair", "Finding", "Printed", "printed",
    "sum_to", "count_percent", "digit_repairs", "weighted_mean", "hull", "mean_of", "mean_abs", "sd_of", "subset_mean",
    "grim", "grimmer", "debit", "granularity", "std_error_possible",
    "statistic_p", "t_from_summary", "paired_t_feasible", "mcnemar_bounds",
    "linear_composite", "text_against_table", "within", "sensitivity_reference", "alignment", "by_position",
]  # fmt: skip
