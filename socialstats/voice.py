"""A setting that a message names, as the person at hand types it: ``levels=['a', 'b']``, or ``--levels a,b``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias

from socialstats.errors import InputError

Voice: TypeAlias = Callable[[str, Any, str], str]
"""Returns a setting as text, from its name in Python, its value and its words on the command line, if known."""


class Word(str):
    """A word that stands for a value, or a number as it is to be shown: said without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


NO_VALUE = Word()


def python(name: str, value: Any, typed: str) -> str:
    """Return a setting as a keyword of Python."""
    return f"{name}={value!r}" + (f" ({typed})" if typed else "")


_voice: ContextVar[Voice] = ContextVar("voice", default=python)


def option(name: str, value: Any = NO_VALUE, typed: str = "") -> str:
    """Return a setting as the person at hand types it; every message that names a setting calls this.

    Parameters
    ----------
    name : str
        Keyword in Python.
    value : object
        What to set it to; a `Word` is said without quotes. By default the setting is named alone.
    typed : str
        How the commands say it that read a table; in Python it stands behind the keyword.

    Returns
    -------
    str
        In Python ``name=value``; inside `speaking`, what that voice says. The text is made when this is called, so that
        no constant of a module may hold it.

    Examples
    --------
    >>> option("levels", ["low", "high"]), option("cluster"), option("levels", [Word("lowest"), ..., Word("highest")])
    ("levels=['low', 'high']", 'cluster=', 'levels=[lowest, Ellipsis, highest]')
    >>> with speaking(lambda name, value, typed: f"--{name} {value}"):
    ...     option("level", 0.9)
    '--level 0.9'
    """
    return _voice.get()(name, value, typed)


def check_allowed(name: str, value: Any, allowed: Sequence[Any]) -> None:
    """Raise `InputError` for a setting that is none of its values, with those there are.

    Examples
    --------
    >>> check_allowed("kind", "table", ["margins"])
    Traceback (most recent call last):
    socialstats.errors.InputError: kind='table' is not one of margins
    """
    if value not in allowed:
        raise InputError(f"{option(name, value)} is not one of {', '.join(map(str, allowed))}")


@contextmanager
def speaking(voice: Voice) -> Iterator[None]:
    """Name every setting inside with another voice."""
    token = _voice.set(voice)
    try:
        yield
    finally:
        _voice.reset(token)
