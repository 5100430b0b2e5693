"""Keys and passwords: read from the environment, sent to their endpoint, and hidden in everything that is written."""

from __future__ import annotations

import base64
import json
from functools import cache
from typing import Any
from urllib.parse import quote, urlsplit

from socialstats.errors import InputError, Problem

SHORTEST = 6  # characters; a shorter word (none, test) is nobody's key, and would be hidden within others
HIDDEN = "[hidden]"
_SECRETS: set[str] = set()


def remember(*secrets: str) -> None:
    """Hide these texts, as they are and in the usual codings, in everything that `hide` sees from now on."""
    for one in secrets:
        if len(one) >= SHORTEST:
            coded = base64.b64encode(one.encode()).decode().rstrip("=")
            _SECRETS.update((one, quote(one, safe=""), coded, json.dumps(one)[1:-1], one[::-1]))
    _ordered.cache_clear()


@cache
def _ordered() -> tuple[str, ...]:
    return tuple(sorted(_SECRETS, key=len, reverse=True))


def hide(value: Any) -> Any:
    """Return a text, or a JSON value with all texts in it, without any key or password.

    Examples
    --------
    >>> remember("sk-example-0000")
    >>> hide({"error_message": "bad key sk-example-0000"})
    {'error_message': 'bad key [hidden]'}
    """
    if not _SECRETS:
        return value
    if isinstance(value, str):
        for one in _ordered():
            if one in value:
                value = value.replace(one, HIDDEN)
        return value
    if isinstance(value, dict):
        return {hide(name): hide(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [hide(one) for one in value]
    return value


def cleaned(key: str, name: str) -> str:
    """Return a key without the blanks and line breaks around it.

    Raises
    ------
    InputError
        For a character that no header can hold; the key itself is not said.
    """
    key = key.strip().removeprefix("Bearer ").strip()
    remember(key, *key.split())
    if bad := [place for place, one in enumerate(key, 1) if not "!" <= one <= "~"]:
        message = f"character {bad[0]} of the {len(key)} in {name} cannot stand in a key"
        raise InputError(Problem(message=message, fix=f"Export {name} again, with the key alone."))
    return key


def host_of(url: str) -> str:
    """Return an address's host and port, without user and password, which are remembered as secrets.

    Raises
    ------
    InputError
        For an address that is none.

    Examples
    --------
    >>> host_of("http://me:word@127.0.0.1:8080/v1")
    '127.0.0.1:8080'
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or parts.scheme not in ("http", "https"):
        fix = 'Write it as "https://api.example.org/v1"; a port is at most 65535.'
        raise InputError(Problem(message="base_url is no address", fix=fix))
    remember(parts.password or "", parts.query)
    return f"{host}:{port}" if port else host
