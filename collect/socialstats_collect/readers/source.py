"""What a path holds, looked at once: enough for every reader to say whether it is one of its logs."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from socialstats.errors import InputError, Problem
from socialstats_collect.readers.files import ZIP_MAGIC, files_in, head_of
from socialstats_collect.readers.streaming import JsonStream

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
    if start == b"[":
        first = _first_element(head, path.name)
        return Source(path=path, kind="list", first=first if isinstance(first, dict) else {})
    if start != b"{":
        return Source(path=path, kind="text")
    members, rest = _members(head, path.name)
    lines = rest.lstrip().startswith(b"{") or path.name.lower().removesuffix(".gz").endswith((".jsonl", ".ndjson"))
    return Source(path=path, kind="lines" if lines else "object", first=members)


def _entries(path: Path) -> tuple[str, ...]:
    try:
        with zipfile.ZipFile(path) as archive:
            return tuple(archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        message = f"{path.name}: the zip file is cut off or damaged ({str(error).lower()})"
        raise InputError(f"{message}. Copy it again, or wait until the run has ended") from error


def _members(head: bytes, name: str) -> tuple[dict[str, Any], bytes]:
    """Return the members of the first object as far as they go, and what follows it."""
    found: dict[str, Any] = {}
    raw = io.BytesIO(head)
    try:
        stream = JsonStream(raw, Problem(message="", source=name), nan=True)
        for key in stream.members():
            found[key] = None
            found[key] = stream.value(plain=True)
        return found, b"{" if stream.peek() == "{" else b""
    except InputError:  # a first look forgives what a reader will name
        return found, b""


def _first_element(head: bytes, name: str) -> Any:
    try:
        return next(JsonStream(io.BytesIO(head), Problem(message="", source=name), nan=True).elements(), None)
    except InputError:
        return None
