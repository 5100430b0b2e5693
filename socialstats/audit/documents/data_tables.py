"""Tables of words and names that the readers of documents and columns use."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any


@cache
def data_tables(name: str) -> dict[str, Any]:
    """Return the tables of a file beside this one."""
    path = Path(__file__).with_name("data") / f"{name}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))
