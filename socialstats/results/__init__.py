"""What every metric returns. A row leaves empty what does not apply to it; the columns are fixed."""

from socialstats.results.result import Result, ResultGroup, results_by_model
from socialstats.results.rows import GLANCE_COLUMNS, TEXT_COLUMNS, TIDY_COLUMNS, Row, builtin_value
from socialstats.results.verification import (
    KINDS,
    Check,
    Recomputed,
    Tally,
    Verification,
    Verifications,
    as_published,
    combine_verifications,
    verified_text,
)

__all__ = [
    "Check",
    "GLANCE_COLUMNS",
    "KINDS",
    "Recomputed",
    "Result",
    "ResultGroup",
    "Row",
    "TEXT_COLUMNS",
    "TIDY_COLUMNS",
    "Tally",
    "Verification",
    "Verifications",
    "combine_verifications",
    "as_published",
    "builtin_value",
    "results_by_model",
    "verified_text",
]
