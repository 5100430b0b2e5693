"""What long work says while it goes on: a line for whoever listens, such as the command line."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TextIO

# seconds without a line
PATIENCE = 2.0
Listener = Callable[[str, bool], None]
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)
_telling: ContextVar[Callable[[str], None] | None] = ContextVar("telling", default=None)


def say(message: str, *, slow: bool = False) -> None:
    """Report what is done next; nothing happens where no one listens.

    Parameters
    ----------
    message : str
        One line, such as ``"weighted kappa of 44,850 pairs of raters"``.
    slow : bool
        True: this is known to take seconds.

    Examples
    --------
    >>> with listening(lambda message, slow: print(message)):
    ...     say("alpha of 600 units")
    alpha of 600 units
    """
    listener = _listener.get()
    if listener is not None:
        listener(message, slow)


def announce(message: str) -> bool:
    """State what a reader waits for, or took for granted; return whether anyone listens (`telling`)."""
    listener = _telling.get()
    if listener is not None:
        listener(message)
    return listener is not None


@contextmanager
def telling(listener: Callable[[str], None]) -> Iterator[None]:
    """Send what readers say inside to a function.

    Examples
    --------
    >>> with telling(print):
    ...     _ = announce("waiting for data from stdin")
    waiting for data from stdin
    """
    token = _telling.set(listener)
    try:
        yield
    finally:
        _telling.reset(token)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Send what is said inside to a function of the message and of whether the work is slow."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def to_stream(stream: TextIO) -> Listener:
    """Return a listener that writes a line where work is slow, or after two seconds without one."""
    last = time.monotonic()

    def write(message: str, slow: bool) -> None:
        # one clock for slow and quick work: a line of either resets it
        nonlocal last
        if slow or time.monotonic() - last > PATIENCE:
            last = time.monotonic()
            print(message, file=stream, flush=True)

    return write
