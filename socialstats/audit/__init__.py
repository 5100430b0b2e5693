"""Published numbers without rows: are they possible, and do they agree with each other?

Every check takes numbers as they were printed and returns a `Finding`. `audit` runs a rules file over tables.

Examples
--------
>>> import socialstats as ss
>>> finding = ss.audit.grim("3.48", n=20)
>>> finding.verdict
'disagree'
>>> print(finding.message)
sources disagree: 3.48 is printed, a mean of 20 whole numbers is 3.45 or 3.5
"""

from __future__ import annotations

from socialstats.audit.alignment import alignment, by_position, realigned
from socialstats.audit.arithmetic import (
    alpha_bound,
    count_percent,
    extreme,
    hull,
    linear_composite,
    mean_abs,
    mean_of,
    sd_of,
    sensitivity_reference,
    subset_mean,
    sum_to,
    text_against_table,
    weighted_mean,
    within,
)
from socialstats.audit.confusion_tables import confusion
from socialstats.audit.counts import (
    chi2_from_counts,
    count_ci,
    duplicate_rows,
    rating_win_rate,
    ratio_from_counts,
    shared_denominator,
)
from socialstats.audit.numbers import Finding, Printed, printed
from socialstats.audit.p_values import mcnemar_bounds, paired_t_feasible, statistic_p
from socialstats.audit.reconstruct import Reconstruction, grim_map, grimmer_map, sprite
from socialstats.audit.repairs import Repair, digit_repairs
from socialstats.audit.running import AuditReport, audit, papers
from socialstats.audit.summaries import (
    anova_f,
    cohens_d,
    correlation,
    kappa_from_agreement,
    mean_ci,
    paired_t_bounds,
    std_error_from_sd,
    t_from_estimate,
    t_from_summary,
    two_sample_t,
)
from socialstats.audit.whole_numbers import debit, granularity, grim, grimmer, std_error_possible

__all__ = [
    "audit",
    "papers",
    "AuditReport",
    "Repair",
    "Finding",
    "Printed",
    "printed",
    "sum_to",
    "count_percent",
    "alpha_bound",
    "extreme",
    "digit_repairs",
    "weighted_mean",
    "hull",
    "mean_of",
    "mean_abs",
    "sd_of",
    "subset_mean",
    "sprite",
    "Reconstruction",
    "grim_map",
    "grimmer_map",
    "grim",
    "grimmer",
    "debit",
    "granularity",
    "std_error_possible",
    "statistic_p",
    "t_from_summary",
    "paired_t_feasible",
    "mcnemar_bounds",
    "two_sample_t",
    "cohens_d",
    "anova_f",
    "paired_t_bounds",
    "correlation",
    "t_from_estimate",
    "std_error_from_sd",
    "kappa_from_agreement",
    "mean_ci",
    "count_ci",
    "confusion",
    "ratio_from_counts",
    "chi2_from_counts",
    "rating_win_rate",
    "shared_denominator",
    "duplicate_rows",
    "linear_composite",
    "text_against_table",
    "within",
    "sensitivity_reference",
    "alignment",
    "by_position",
    "realigned",
]
