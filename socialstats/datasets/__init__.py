"""Documented example data: one function a data set, each returning a new pandas data frame.

`datasets()` lists them, `describe(name)` says what every column is, where the rows come from, and whether they
are real or simulated.
"""

from __future__ import annotations

from socialstats.datasets.catalogue import Column, Dataset, datasets, describe
from socialstats.datasets.classics import baseball, ice_hockey, journal_citations
from socialstats.datasets.simulated import (
    RoleConflictTruth,
    role_conflict,
    role_conflict_roles,
    role_conflict_truth,
)

__all__ = [
    "baseball",
    "ice_hockey",
    "journal_citations",
    "role_conflict",
    "role_conflict_roles",
    "role_conflict_truth",
    "datasets",
    "describe",
    "Column",
    "Dataset",
    "RoleConflictTruth",
]
