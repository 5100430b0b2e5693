"""Half characters in JSON: no text, and refused with their line; whole ones are kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from socialstats.errors import InputError
from socialstats.tables import read_table


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("half", [chr(0xD83D), chr(0xDC4D), chr(0xDFFF) + chr(0xD800)])
def test_half_a_character_is_refused_with_its_line(tmp_path: Path, half: str) -> None:
    rows = [
        {"item": "a", "judge": "x", "label": "yes"},
        {"item": "b", "judge": "x", "label": f"no {half}"},
    ]
    lines = write(tmp_path / "r.jsonl", "\n".join(json.dumps(row) for row in rows))
    with pytest.raises(InputError, match=r"r\.jsonl line 2: .*\\ud[0-9a-f]{3} is half a character"):
        read_table(lines)
    whole = write(tmp_path / "r.json", json.dumps(rows))
    with pytest.raises(InputError, match=r"r\.json: .* is half a character"):
        read_table(whole)
    name = write(tmp_path / "n.jsonl", json.dumps({f"item{half}": 1}))
    with pytest.raises(InputError, match="is half a character"):
        read_table(name)


def test_two_halves_are_one_character(tmp_path: Path) -> None:
    text = json.dumps({"item": "\U0001f44d", "label": "\\ud83d as words"})
    assert "\\ud83d" in text
    frame = read_table(write(tmp_path / "r.jsonl", text)).frame
    assert frame.to_native()["item"].tolist() == ["\U0001f44d"]  # type: ignore[union-attr, index, call-overload]
