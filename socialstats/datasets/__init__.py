"""Documented example data: one function a data set, each returning a new pandas data frame.

`datasets()` lists them, `describe(name)` says what every column is, where the rows come from, and whether they
are real or simulated. What a simulation put in is returned by the function whose name ends in ``_truth``.

Examples
--------
>>> import socialstats as ss
>>> ss.datasets.baseball().head(2).to_dict("list")
{'item_a': ['Milwaukee', 'Milwaukee'], 'item_b': ['Detroit', 'Toronto'], 'home': ['Milwaukee', 'Milwaukee'],
'wins_a': [4, 4], 'wins_b': [3, 2]}
>>> print(ss.datasets.describe("baseball").title)
Home and away wins in the American League East, 1987 season
"""

from __future__ import annotations

from socialstats.datasets.bundled import (
    baseball,
    ice_hockey,
    journal_citations,
    norm_goal,
    norm_goal_truth,
    relationship_bias,
    relationship_bias_truth,
    role_conflict,
    role_conflict_labels,
    role_conflict_roles,
    role_conflict_truth,
    social_norms,
    social_norms_truth,
    staged_values,
    staged_values_controls,
    staged_values_truth,
)
from socialstats.datasets.catalogue import Column, Dataset, datasets, describe
from socialstats.datasets.truths import (
    NormGoalTruth,
    RelationshipBiasTruth,
    RoleConflictTruth,
    SocialNormsTruth,
    StagedValuesTruth,
)

__all__ = [
    "baseball",
    "ice_hockey",
    "journal_citations",
    "role_conflict",
    "role_conflict_labels",
    "role_conflict_roles",
    "role_conflict_truth",
    "norm_goal",
    "norm_goal_truth",
    "relationship_bias",
    "relationship_bias_truth",
    "social_norms",
    "social_norms_truth",
    "staged_values",
    "staged_values_controls",
    "staged_values_truth",
    "datasets",
    "describe",
    "Column",
    "Dataset",
    "RoleConflictTruth",
    "NormGoalTruth",
    "RelationshipBiasTruth",
    "SocialNormsTruth",
    "StagedValuesTruth",
]


def __dir__() -> list[str]:
    """List what a reader looks for: the data sets, and the two functions that tell of them."""
    return [*(data.name for data in datasets()), "datasets", "describe"]
