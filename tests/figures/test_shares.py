"""Stacked shares: every bar has its segments at their places, sections have headings, labels stay literal."""

from __future__ import annotations

from itertools import pairwise

import pytest
from matplotlib.colors import to_hex

from socialstats.errors import InputError
from socialstats.figures import Bar, shares, style
from socialstats.results import Row
from tests.figures.drawn_marks import bars as drawn_bars


def rows(*values: float | None) -> tuple[Row, ...]:
    return tuple(
        Row(term=f"level {k}", estimate=v, undefined=None if v is not None else "no rating")
        for k, v in enumerate(values)
    )


def test_segments_stand_end_to_end_and_small_ones_are_not_written() -> None:
    ax = shares(
        [
            Bar(label="human", rows=rows(0.5, 0.46, 0.04)),
            Bar(label="$x$", rows=rows(None, 1.0, 0.0)),
        ]
    )
    found = [(round(left, 3), round(width, 3)) for left, _, width, _ in drawn_bars(ax)]
    assert found == [(0.0, 0.5), (0.5, 0.46), (0.96, 0.04), (0.0, 1.0), (1.0, 0.0)]
    texts = [t.get_text() for t in ax.texts]
    assert {"50.0%", "46.0%", "100.0%", "level 0", "level 2"} <= set(texts)
    assert "4.0%" not in texts
    assert [t.get_text() for t in ax.get_yticklabels()] == ["human", "$x$"]


def test_sections_have_headings_once_and_bars_do_not_overlap() -> None:
    bars = [
        Bar(label=who, rows=rows(0.6, 0.4), section=part)
        for part in ("goal", "none")
        for who in ("a", "b")
    ]
    ax = shares(bars)
    texts = [t.get_text() for t in ax.texts]
    assert texts.count("goal") == texts.count("none") == 1
    spans = sorted({(low, low + height) for _, low, _, height in drawn_bars(ax)})
    assert all(low >= high for (_, high), (low, _) in pairwise(spans))
    ax.figure.draw_without_rendering()  # type: ignore[union-attr]


def test_nothing_too_much_and_other_levels_are_errors() -> None:
    with pytest.raises(InputError, match="at most 5 levels"):
        shares([Bar(label="a", rows=rows(*[1 / 6] * 6))])
    with pytest.raises(InputError, match="same levels"):
        shares([Bar(label="a", rows=rows(1.0)), Bar(label="b", rows=rows(0.5, 0.5))])
    assert shares([]).texts[0].get_text() == "no shares to show"


def test_ordered_levels_have_steps_of_one_colour() -> None:
    bars = [Bar(label="a", rows=rows(*[1 / 7] * 7))]
    found = [p.get_facecolor() for p in shares(bars, ordered=True).patches]
    assert [to_hex(color) for color in found] == [style.LIGHT[f"step-{k}"] for k in range(1, 8)]
    with pytest.raises(InputError, match="at most 7 levels"):
        shares([Bar(label="a", rows=rows(*[1 / 8] * 8))], ordered=True)
