"""Data that can be read once: pipes, plain and gzipped, with their checksum."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from socialstats.errors import InputError
from socialstats.tables import read_table

TEXT = b"item_a,item_b,winner\nnurse,son,nurse\n\nson,nurse\n"
GOOD = b"item_a,item_b,winner\nnurse,son,nurse\nson,nurse,son\n"


def piped(path: Path, data: bytes) -> threading.Thread:
    """Write to a named pipe from a thread of its own."""
    os.mkfifo(path)
    thread = threading.Thread(target=lambda: path.write_bytes(data), daemon=True)
    thread.start()
    return thread


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
@pytest.mark.parametrize("zipped", [False, True])
def test_a_pipe_is_read_once(tmp_path: Path, zipped: bool) -> None:
    data = gzip.compress(GOOD, mtime=0) if zipped else GOOD
    thread = piped(tmp_path / "choices.csv", data)
    table = read_table(tmp_path / "choices.csv")
    thread.join(timeout=10)
    assert table.columns == ("item_a", "item_b", "winner")
    assert len(table.frame.to_native()) == 2  # type: ignore[union-attr, arg-type]
    assert table.sha256 is not None
    assert table.sha256() == hashlib.sha256(data).hexdigest()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_bad_lines_of_a_pipe_have_their_numbers(tmp_path: Path) -> None:
    piped(tmp_path / "choices.csv", TEXT)
    with pytest.raises(InputError, match="line 4"):
        read_table(tmp_path / "choices.csv")


def test_files_and_standard_input_have_a_checksum(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "choices.csv"
    path.write_bytes(GOOD)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(GOOD)))
    for table in (read_table(path), read_table("-")):
        assert table.sha256 is not None
        assert table.sha256() == hashlib.sha256(GOOD).hexdigest()
