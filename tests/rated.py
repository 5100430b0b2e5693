"""Tables of ratings for tests: a matrix of units by raters as the long table that people have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from socialstats.designs.ratings import Ratings


def long_table(matrix: Any, clusters: dict[str, Sequence[Any]] | None = None) -> pd.DataFrame:
    """One row a rating; None, NaN and empty text are missing and left out."""
    rows = []
    for u, line in enumerate(np.asarray(matrix, dtype=object)):
        for r, value in enumerate(line):
            if value is None or value == "" or value != value:
                continue
            extra = {name: values[u] for name, values in (clusters or {}).items()}
            rows.append({"unit": f"u{u:04d}", "rater": f"r{r:03d}", "value": value, **extra})
    return pd.DataFrame(rows)


def ratings(
    matrix: Any, clusters: dict[str, Sequence[Any]] | None = None, **options: Any
) -> Ratings:
    """The design of a matrix of units by raters; `clusters` are declared."""
    return Ratings.from_frame(
        long_table(matrix, clusters), cluster=tuple(clusters or ()), **options
    )
