"""docs/cautions.md lists every numbered caution."""

from __future__ import annotations

from pathlib import Path

from socialstats.cautions import ADVICE, page
from socialstats.errors import CAUTIONS


def test_the_page_is_current_and_lists_every_caution() -> None:
    written = (Path(__file__).parents[1] / "docs" / "cautions.md").read_text(encoding="utf-8")
    assert written == page()
    for code, (_, short) in CAUTIONS.items():
        assert f"| {code} | " in written
        assert f" | {short} | " in written


def test_every_caution_says_which_numbers_it_concerns_and_what_to_do() -> None:
    assert ADVICE.keys() == CAUTIONS.keys()
    assert all(concerned and advice.endswith(".") for concerned, advice in ADVICE.values())
