"""What all commands of collecting do: they speak on stderr without keys, and refuse systems that they cannot use."""

from __future__ import annotations

import os
import sys

from socialstats.errors import InputError
from socialstats_collect.secrets import hide

DONE = 0


def refuse_windows() -> None:
    """Raise where a log cannot be read at a place in it.

    Raises
    ------
    InputError
        On Windows.
    """
    if not hasattr(os, "pread"):
        raise InputError("collect and tidy need Linux or macOS: on Windows, run them in WSL")


def say_hidden(text: str) -> None:
    """Print a line on stderr, without keys."""
    print(hide(text), file=sys.stderr)
