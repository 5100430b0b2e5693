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

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from socialstats.audit.checks.arithmetic import alpha_bound as alpha_bound
    from socialstats.audit.checks.arithmetic import count_percent as count_percent
    from socialstats.audit.checks.arithmetic import extreme as extreme
    from socialstats.audit.checks.arithmetic import hull as hull
    from socialstats.audit.checks.arithmetic import linear_composite as linear_composite
    from socialstats.audit.checks.arithmetic import mean_abs as mean_abs
    from socialstats.audit.checks.arithmetic import mean_of as mean_of
    from socialstats.audit.checks.arithmetic import sd_of as sd_of
    from socialstats.audit.checks.arithmetic import sensitivity_reference as sensitivity_reference
    from socialstats.audit.checks.arithmetic import subset_mean as subset_mean
    from socialstats.audit.checks.arithmetic import sum_to as sum_to
    from socialstats.audit.checks.arithmetic import text_against_table as text_against_table
    from socialstats.audit.checks.arithmetic import weighted_mean as weighted_mean
    from socialstats.audit.checks.arithmetic import within as within
    from socialstats.audit.checks.confusion_tables import confusion as confusion
    from socialstats.audit.checks.counts import chi2_from_counts as chi2_from_counts
    from socialstats.audit.checks.counts import count_ci as count_ci
    from socialstats.audit.checks.counts import duplicate_rows as duplicate_rows
    from socialstats.audit.checks.counts import rating_win_rate as rating_win_rate
    from socialstats.audit.checks.counts import ratio_from_counts as ratio_from_counts
    from socialstats.audit.checks.counts import shared_denominator as shared_denominator
    from socialstats.audit.checks.p_values import mcnemar_bounds as mcnemar_bounds
    from socialstats.audit.checks.p_values import paired_t_feasible as paired_t_feasible
    from socialstats.audit.checks.p_values import statistic_p as statistic_p
    from socialstats.audit.checks.reconstruct import Reconstruction as Reconstruction
    from socialstats.audit.checks.reconstruct import grim_map as grim_map
    from socialstats.audit.checks.reconstruct import grimmer_map as grimmer_map
    from socialstats.audit.checks.reconstruct import sprite as sprite
    from socialstats.audit.checks.summaries import anova_f as anova_f
    from socialstats.audit.checks.summaries import cohens_d as cohens_d
    from socialstats.audit.checks.summaries import correlation as correlation
    from socialstats.audit.checks.summaries import kappa_from_agreement as kappa_from_agreement
    from socialstats.audit.checks.summaries import mean_ci as mean_ci
    from socialstats.audit.checks.summaries import paired_t_bounds as paired_t_bounds
    from socialstats.audit.checks.summaries import std_error_from_sd as std_error_from_sd
    from socialstats.audit.checks.summaries import t_from_estimate as t_from_estimate
    from socialstats.audit.checks.summaries import t_from_summary as t_from_summary
    from socialstats.audit.checks.summaries import two_sample_t as two_sample_t
    from socialstats.audit.checks.whole_numbers import debit as debit
    from socialstats.audit.checks.whole_numbers import granularity as granularity
    from socialstats.audit.checks.whole_numbers import grim as grim
    from socialstats.audit.checks.whole_numbers import grimmer as grimmer
    from socialstats.audit.checks.whole_numbers import std_error_possible as std_error_possible
    from socialstats.audit.findings.repairs import Repair as Repair
    from socialstats.audit.findings.repairs import digit_repairs as digit_repairs
    from socialstats.audit.findings.running import AuditReport as AuditReport
    from socialstats.audit.findings.running import audit as audit
    from socialstats.audit.findings.running import papers as papers
    from socialstats.audit.numbers import Finding as Finding
    from socialstats.audit.numbers import Printed as Printed
    from socialstats.audit.numbers import printed as printed
    from socialstats.audit.rules.alignment import alignment as alignment
    from socialstats.audit.rules.alignment import by_position as by_position
    from socialstats.audit.rules.alignment import realigned as realigned

# module -> its public names, which load at first use
_MODULES = {
    "rules.alignment": "alignment by_position realigned",
    "checks.arithmetic": (
        "alpha_bound count_percent extreme hull linear_composite mean_abs mean_of sd_of "
        "sensitivity_reference subset_mean sum_to text_against_table weighted_mean within"
    ),
    "checks.confusion_tables": "confusion",
    "checks.counts": (
        "chi2_from_counts count_ci duplicate_rows rating_win_rate ratio_from_counts "
        "shared_denominator"
    ),
    "numbers": "Finding Printed printed",
    "checks.p_values": "mcnemar_bounds paired_t_feasible statistic_p",
    "checks.reconstruct": "Reconstruction grim_map grimmer_map sprite",
    "findings.repairs": "Repair digit_repairs",
    "findings.running": "AuditReport audit papers",
    "checks.summaries": (
        "anova_f cohens_d correlation kappa_from_agreement mean_ci paired_t_bounds "
        "std_error_from_sd t_from_estimate t_from_summary two_sample_t"
    ),
    "checks.whole_numbers": "debit granularity grim grimmer std_error_possible",
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'socialstats.audit' has no attribute '{name}'")
    return getattr(importlib.import_module(f"socialstats.audit.{_HOME[name]}"), name)
