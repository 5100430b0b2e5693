"""Claims files: numbers that somebody printed elsewhere, written down to be checked."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from socialstats.claims.types import Claim, Quantity
from socialstats.errors import InputError, Problem
from socialstats.text import listing, quoted, shorten

QUANTITIES = get_args(Quantity)
KEYS: dict[str, type | tuple[type, ...]] = {
    "name": str, "quantity": str, "value": (str, int, float), "select": dict, "parts": list, "settings": dict,
    "n": int, "source": str,
}  # fmt: skip
RESULT_KEYS: dict[str, type | tuple[type, ...]] = {
    "name": str, "metric": str, "term": str, "by": str, "group": str, "quantity": str, "value": (str, int, float),
    "source": str,
}  # fmt: skip
SETTINGS: dict[str, type | tuple[type, ...]] = {
    "reducer": str, "k": int, "cluster": str, "ddof": int, "conf_level": float, "method": str, "resamples": int,
    "by_size": bool, "weights": str, "errors": str, "macro": str, "decimals": int,
}  # fmt: skip
NAMES: dict[type, str] = {str: "text", int: "a whole number", float: "a number", bool: "true or false",
                          dict: "a table { column = \"value\" }", list: "a list"}  # fmt: skip
DEFAULT_NAMES = {"std_error": "standard error"}


class ClaimsReading:
    """Problems found while a claims file is read."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.problems: list[Problem] = []

    def problem(self, where: str, message: str, fix: str = "") -> None:
        """Remember a problem."""
        self.problems.append(Problem(source=f"{self.source} {where}".strip(), message=message, fix=fix))

    def keys(self, where: str, entry: Mapping[str, Any], known: Mapping[str, type | tuple[type, ...]]) -> None:
        """Check keys and kinds of values."""
        for key, value in entry.items():
            if key not in known:
                close = difflib.get_close_matches(key, known, n=1)
                hint = f"Did you mean '{close[0]}'? " if close else ""
                self.problem(where, f"unknown key {quoted([key])}", f"{hint}Allowed: {', '.join(known)}")
            elif not is_kind(value, known[key]):
                kinds = known[key] if isinstance(known[key], tuple) else (known[key],)
                wanted = listing([NAMES[k] for k in kinds if isinstance(k, type)])  # type: ignore[union-attr]
                self.problem(where, f"{key} = {shorten(repr(value))} is not {wanted}")

    def raise_any(self) -> None:
        """Raise InputError with all problems."""
        if self.problems:
            raise InputError(self.problems)


def is_kind(value: Any, kind: type | tuple[type, ...]) -> bool:
    """Tell whether a TOML value is of a kind; a truth value is no number, a whole number is one."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if isinstance(value, bool):
        return bool in kinds
    return isinstance(value, kinds) or (float in kinds and isinstance(value, int))


def read_entries(path: str) -> tuple[Mapping[str, Any], ...]:
    """Return the ``[[claim]]`` tables of a file, unchecked.

    Raises
    ------
    InputError
        For broken TOML, other sections, and a file without claims.
    """
    try:
        content = tomllib.loads(Path(path).read_bytes().decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(Problem(source=path, message=f"not a TOML file: {error}")) from error
    others = [key for key in content if key != "claim"]
    entries = content.get("claim")
    fix = 'Write one [[claim]] for each number: name, quantity, value = "0.812"'
    if others:
        raise InputError(Problem(source=path, message=f"unknown section {quoted(others)}", fix=fix))
    if not isinstance(entries, list) or not entries or not all(isinstance(e, dict) for e in entries):
        raise InputError(Problem(source=path, message="no [[claim]] in it", fix=fix))
    return tuple(entries)


def read_claims(path: str) -> tuple[Claim, ...]:
    """Read a claims file about a log.

    Parameters
    ----------
    path : str
        TOML with one ``[[claim]]`` a number. Keys: ``quantity`` (see `Quantity`), ``value`` (as text, so that its
        digits are kept), ``name``, ``select`` (column to value: the rows it is about), ``parts`` (a list of such
        tables, for numbers about several groups), ``settings`` (how it was computed), ``n``, ``source``.

    Returns
    -------
    tuple of Claim

    Raises
    ------
    InputError
        With every problem of the file: unknown keys and settings, values of the wrong kind.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "claims.toml"
    >>> _ = file.write_text('[[claim]]\\nquantity = "mean"\\nvalue = "0.812"\\nselect = { scorer = "choice" }')
    >>> read_claims(str(file))[0].printed
    '0.812'
    """
    reading = ClaimsReading(path)
    found = [claim_of(reading, entry, i) for i, entry in enumerate(read_entries(path), 1)]
    reading.raise_any()
    return tuple(claim for claim in found if claim is not None)


def claim_of(reading: ClaimsReading, entry: Mapping[str, Any], number: int) -> Claim | None:
    """Turn a ``[[claim]]`` into a claim; None where it has problems, which `reading` remembers."""
    where = f"[[claim]] {number}"
    before = len(reading.problems)
    reading.keys(where, entry, KEYS)
    quantity = entry.get("quantity")
    if quantity is None or (isinstance(quantity, str) and quantity not in QUANTITIES):
        said = "no quantity" if quantity is None else f"unknown quantity {quoted([str(quantity)])}"
        reading.problem(where, said, f"Allowed: {', '.join(QUANTITIES)}")
    printed = printed_of(reading, where, entry)
    settings = entry.get("settings", {})
    if isinstance(settings, dict):
        reading.keys(f"{where} settings", settings, SETTINGS)
    select, parts = entry.get("select", {}), entry.get("parts", [])
    if len(reading.problems) > before:
        return None
    return Claim(
        name=str(entry.get("name") or DEFAULT_NAMES.get(str(quantity), str(quantity))),
        quantity=quantity,  # type: ignore[arg-type]
        printed=printed,
        where=f"{reading.source}: {where}" + (f", {entry['source']}" if entry.get("source") else ""),
        select={str(k): label(v) for k, v in select.items()},
        parts=tuple({str(k): label(v) for k, v in part.items()} for part in parts if isinstance(part, dict)),
        settings=settings,
        n=entry.get("n"),
    )


def printed_of(reading: ClaimsReading, where: str, entry: Mapping[str, Any]) -> str:
    """Return the number as printed; numbers without quotes are taken as TOML read them."""
    value = entry.get("value")
    if value is None:
        reading.problem(where, "no value", 'Write it as printed, in quotes: value = "0.810" keeps its last digit')
    return value.strip() if isinstance(value, str) else repr(value)


def label(value: Any) -> str:
    """Write a value of a selection as the rows' labels are written.

    Examples
    --------
    >>> label("work"), label(3), label(2.0), label(True)
    ('work', '3', '2', 'True')
    """
    from socialstats.claims.rows import label_of

    return label_of(value)
