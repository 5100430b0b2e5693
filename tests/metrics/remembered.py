"""Pure functions that are asked the same many times answer from memory.

Tests that change one number after the other verify the same data each time: what another implementation makes of the
data does not depend on the number that was changed, and need not be computed again. What is asked with any other
argument is computed.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import io
import marshal
import pickle
from collections.abc import Callable
from types import FunctionType
from typing import Any

import pytest


def remember(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Let functions, by their full names where they are called, answer from memory until the test ends."""
    for name in names:
        module, _, function = name.rpartition(".")
        owner = importlib.import_module(module)
        monkeypatch.setattr(owner, function, once(getattr(owner, function)))


def once(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with a memory; its key is every byte of the arguments, functions by code and what it sees."""
    known: dict[bytes, Any] = {}
    listed = inspect.isgeneratorfunction(function)

    @functools.wraps(function)
    def asked(*arguments: Any, **options: Any) -> Any:
        key = bytes_of((arguments, options))
        if key not in known:
            answer = function(*arguments, **options)
            known[key] = list(answer) if listed else answer
        return known[key]

    return asked


class Written(pickle.Pickler):
    """Writes functions that have no name of their own as their code and the values around it."""

    def reducer_override(self, thing: Any) -> Any:
        if not isinstance(thing, FunctionType) or "<" not in thing.__qualname__:
            return NotImplemented
        around = [cell.cell_contents for cell in thing.__closure__ or ()]
        return tuple, ((marshal.dumps(thing.__code__), around, thing.__defaults__),)


def bytes_of(thing: Any) -> bytes:
    """Return what tells two arguments apart."""
    out = io.BytesIO()
    Written(out).dump(thing)
    return out.getvalue()
