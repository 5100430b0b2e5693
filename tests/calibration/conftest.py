"""The scripts of `make calibrate` import each other as scripts do; the tests of this folder load what they need."""

from __future__ import annotations

from pathlib import Path

collect_ignore = [
    path.name
    for path in Path(__file__).parent.glob("*.py")
    if not path.name.startswith(("test_", "conftest"))
]
