"""Errors of means of units with sampling weights recomputed: sums of squares, or by cluster."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.clusters import Errors, errors_by

LINEARISED = "n / (n - 1) sum of squared w (x - m) / sum w; clusters: CR2; Satterthwaite's df of the shares of weights"


def weighted_errors(x: FloatArray, w: FloatArray, codes: Any) -> Errors:
    """Return the errors of a weighted mean of units, (units, factors) codes of clusters."""
    f = w / w.sum()
    e = f * (x - f @ x)
    found = errors_by(e, f, codes)
    if np.size(codes) or not found.known:
        return found
    variance = len(x) / (len(x) - 1) * float(e @ e)
    return replace(found, variance=variance, plain=variance)
