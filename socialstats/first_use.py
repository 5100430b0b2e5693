"""Functions of this package that are loaded when they are first called."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class AtFirstUse:
    """A function that is loaded when it is first called.

    Attributes
    ----------
    place : str
        Where it is: ``module:name``, in this package.

    Examples
    --------
    >>> AtFirstUse("text:capital")("urgency decides")
    'Urgency decides'
    """

    place: str

    def load(self) -> Callable[..., Any]:
        """Return the function itself."""
        module, _, name = self.place.partition(":")
        function: Callable[..., Any] = getattr(
            importlib.import_module(f"socialstats.{module}"), name
        )
        return function

    def __call__(self, *values: Any, **options: Any) -> Any:
        """Call the function."""
        return self.load()(*values, **options)
