"""Reference values of tests/golden: read them, and join them by name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

GOLDEN = Path(__file__).with_name("golden")
SHARED = Path(__file__).resolve().parents[2] / "shared"


def golden(name: str) -> dict[str, Any]:
    """Return tests/golden/<name>.json."""
    return json.loads((GOLDEN / f"{name}.json").read_text())


def golden_frame(name: str) -> pd.DataFrame:
    """Return tests/golden/<name> (a csv, perhaps .gz) as a data frame."""
    return pd.read_csv(GOLDEN / name, keep_default_na=False)


def by_name(rows: Iterable[Mapping[str, Any]], value: str = "estimate") -> dict[str, float]:
    """Map each row's term (or item) to one of its values."""
    return {row.get("term", row.get("item")): row[value] for row in rows}


def covariance(entry: Mapping[str, Any], names: Iterable[str]) -> np.ndarray:
    """Return a covariance matrix of a golden file in the order of `names`."""
    place = {name: k for k, name in enumerate(entry["names"])}
    index = [place[name] for name in names]
    return np.asarray(entry["matrix"], dtype=float)[np.ix_(index, index)]
