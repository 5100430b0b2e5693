"""Other packages whose functions recompute our numbers, and what stands for one that is not installed."""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterator
from typing import Any


class Absent(float):
    """Not a number: what a package that is not installed answers, whatever it is asked.

    Its attributes, items and calls are the same again, and so is each of the two ends of an interval. Arithmetic gives
    NaN. A check of a number against it says that the package is not installed (`compare`).

    Examples
    --------
    >>> ends = Absent()(3, 10, method="wilson")
    >>> low, high = ends
    >>> float(ends.pvalue), 1 - low, float(ends["Q"])
    (nan, nan, nan)
    """

    def __new__(cls) -> Absent:
        """Make a NaN."""
        return super().__new__(cls, math.nan)

    def __call__(self, *values: object, **options: object) -> Absent:
        """Answer any call."""
        return self

    def __getattr__(self, name: str) -> Absent:
        """Answer for any attribute; those that Python and numpy look up to learn a type do not exist."""
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, key: object) -> Absent:
        """Answer for any item."""
        return self

    def __iter__(self) -> Iterator[Absent]:
        """Return the two ends of an interval."""
        return iter((self, self))


def load_peer(module: str, name: str) -> Any:
    """Return what a module of another package calls so, or `Absent` where the package is not installed.

    Raises
    ------
    ModuleNotFoundError
        If the package is installed, and lacks the module.

    Examples
    --------
    >>> load_peer("math", "sqrt")(4.0), float(load_peer("no_such_package.stats", "test")([1, 2]).pvalue)
    (2.0, nan)
    """
    package = module.partition(".")[0]
    try:
        importlib.import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        return Absent()
    return getattr(importlib.import_module(module), name)
