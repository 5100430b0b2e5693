"""Adjusted p-values by statsmodels."""

from __future__ import annotations

import gc
from collections.abc import Sequence


def adjusted_p(p_values: Sequence[float | None], method: str = "holm") -> list[float]:
    """Return statsmodels' adjusted p-values of one family, each of which has one.

    For Holm's method statsmodels has Python search the whole heap for garbage, which takes longer than everything
    else here and is asked again for every family of a page. What is on the heap is set aside during the call.

    Examples
    --------
    >>> adjusted_p([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    from statsmodels.stats.multitest import multipletests

    another = gc.get_freeze_count() > 0  # whoever set something aside before decides when it returns
    if not another:
        gc.freeze()
    try:
        return [float(p) for p in multipletests(list(p_values), method=method)[1]]
    finally:
        if not another:
            gc.unfreeze()
