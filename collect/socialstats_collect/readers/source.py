"""What a path holds, looked at once: enough for every reader to say whether it is one of its logs."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from socialstats.errors import InputError, Problem
from socialstats_collect.readers.files import ZIP_MAGIC, files_in, head_of
from socialstats_collect.readers.streaming import CHUNK, JsonStream

DEPTH = 2
Kind = Literal["folder", "zip", "object", "list", "lines", "text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A path and a first look at its content.

    Parameters
    ----------
    path
    kind
        ``object``, ``list``: one JSON value; ``lines``: one JSON object a line; ``text``: anything else.
    first
        Leading members of the object, or the first element or line when it is an object; members that lie beyond the
        first megabytes are absent.
    names
        Files of the folder, or entries of the zip.
    trouble
        What broke the first look, for a file that no reader knows.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "battles.jsonl"
    >>> _ = file.write_text('{"model_a": "m1"}\\n{"model_a": "m2"}\\n')
    >>> look(file).kind, look(file).first
    ('lines', {'model_a': 'm1'})
    """

    path: Path
    kind: Kind
    first: dict[str, Any] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    trouble: str = ""

    def has(self, *keys: str) -> bool:
        """Tell whether the first look found all these members."""
        return all(key in self.first for key in keys)


def look(path: Path) -> Source:
    """Look at a file or folder.

    Raises
    ------
    InputError
        If there is none, it cannot be read, or it is a zip that is cut off.
    """
    if path.is_dir():
        return Source(path=path, kind="folder", names=files_in(path))
    head = head_of(path)
    if head.startswith(ZIP_MAGIC):
        return Source(path=path, kind="zip", names=_entries(path))
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if start not in (b"[", b"{"):
        return Source(path=path, kind="text")
    first, rest, trouble = _first(head, path.name, start == b"[")
    if start == b"[":
        return Source(path=path, kind="list", first=first, trouble=trouble)
    lines = rest.startswith("{") or path.name.lower().removesuffix(".gz").endswith((".jsonl", ".ndjson"))
    return Source(path=path, kind="lines" if lines else "object", first=first, trouble=trouble)


def _entries(path: Path) -> tuple[str, ...]:
    try:
        with zipfile.ZipFile(path) as archive:
            return tuple(archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        message = f"{path.name}: the zip file is cut off or damaged ({str(error).lower()})"
        raise InputError(f"{message}. Copy it again, or wait until the run has ended") from error


def _first(head: bytes, name: str, is_list: bool) -> tuple[dict[str, Any], str, str]:
    """Return the members of the first object as far as they go, what follows it, and what broke it.

    A first look forgives what a reader will name, and that the head may end in the middle of a value.
    """
    found: dict[str, Any] = {}
    try:
        stream = JsonStream.of(head, Problem(message="", source=name), nan=True)
        if is_list:
            element = next(stream.elements(), None)
            return (element if isinstance(element, dict) else {}), "", ""
        _fill(found, stream, DEPTH)
        return found, stream.peek(), ""
    except InputError as error:
        cut = len(head) >= CHUNK and "not UTF-8" not in str(error)
        return found, "", "" if cut else str(error)


def _fill(found: dict[str, Any], stream: JsonStream, depth: int) -> None:
    """Put the members of an object in place as they are read, so that what was read stays when the head ends."""
    for key in stream.members():
        found[key] = None
        if depth and stream.peek() == "{":
            inner: dict[str, Any] = {}
            found[key] = inner
            _fill(inner, stream, depth - 1)
        else:
            found[key] = stream.value(plain=True)
