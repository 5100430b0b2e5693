"""Pairs as a data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import AnyArray, FloatArray
from socialstats.designs.paired import Paired

if TYPE_CHECKING:
    import pandas as pd


def table_of(design: Paired) -> pd.DataFrame:
    """Return the cells as a data frame; `Paired.table` documents it."""
    import pandas as pd

    names = np.array(design.levels, dtype=object)

    def shown(values: FloatArray) -> AnyArray:
        return values if design.scale == "numeric" else names[values.astype(np.int64)]

    columns: dict[str, Any] = {"first": shown(design.first), "second": shown(design.second), "count": design.count}
    for factor in (*([design.by] if design.by else []), *design.clusters):
        name = factor.name if factor.name not in columns else f"{factor.name} (cluster)"
        columns[name] = np.array(factor.levels, dtype=object)[factor.codes]
    return pd.DataFrame(columns)
