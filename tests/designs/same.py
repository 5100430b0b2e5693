"""Compare two designs field by field."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from socialstats.designs.parts import Factor, UnitNames


def same(x: Any, y: Any, *, but: tuple[str, ...] = ()) -> None:
    """Every field is the same, arrays element by element with their types."""
    assert type(x) is type(y)
    for one in fields(x):
        if one.name not in but:
            same_value(getattr(x, one.name), getattr(y, one.name), one.name)


def same_value(a: Any, b: Any, name: str) -> None:
    if isinstance(a, np.ndarray):
        assert a.dtype == b.dtype, name
        np.testing.assert_array_equal(a, b, err_msg=name)
    elif isinstance(a, Factor):
        assert (a.name, a.levels) == (b.name, b.levels)
        np.testing.assert_array_equal(a.codes, b.codes, err_msg=name)
    elif isinstance(a, tuple) and a and isinstance(a[0], Factor):
        assert len(a) == len(b)
        for f, g in zip(a, b, strict=True):
            same_value(f, g, name)
    elif isinstance(a, dict):
        assert a.keys() == b.keys()
        for key in a:
            same_value(a[key], b[key], key)
    elif isinstance(a, UnitNames):
        same_units(a, b)
    else:
        assert a == b, name


def same_units(a: UnitNames, b: UnitNames | None) -> None:
    """Each unit has the same name and cell."""
    assert b is not None
    assert a.names() == b.names()
    np.testing.assert_array_equal(a.cell, b.cell, err_msg="cells of units")
