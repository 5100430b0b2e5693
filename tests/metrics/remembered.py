"""Pure functions that are asked the same many times answer from memory.

Tests that change one number after the other verify the same data each time: what another implementation makes of the
data does not depend on the number that was changed, and need not be computed again. What is asked with any other
argument is computed.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import pickle
from collections.abc import Callable
from typing import Any

import pytest


def remember(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Let functions, by their full names where they are called, answer from memory until the test ends."""
    for name in names:
        module, _, function = name.rpartition(".")
        owner = importlib.import_module(module)
        monkeypatch.setattr(owner, function, once(getattr(owner, function)))


def once(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with a memory; its key is every byte of the arguments."""
    known: dict[bytes, Any] = {}
    listed = inspect.isgeneratorfunction(function)

    @functools.wraps(function)
    def asked(*arguments: Any, **options: Any) -> Any:
        key = pickle.dumps((arguments, options))
        if key not in known:
            answer = function(*arguments, **options)
            known[key] = list(answer) if listed else answer
        return known[key]

    return asked
