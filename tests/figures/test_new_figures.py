"""Small multiples, Q-Q plots, rank intervals and expected wins: everything given is drawn, at its place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex

from socialstats.errors import InputError
from socialstats.figures import multiples, qq, ranks, style, wins
from socialstats.figures.qq import MOST_POINTS, quantiles
from socialstats.results import Row
from tests.figures.drawn_marks import spans


def row(term: str, value: float | None, undefined: str | None = None) -> Row:
    if value is None:
        return Row(term=term, undefined=undefined or "no answers")
    return Row(
        term=term, estimate=value, conf_low=value - 0.3, conf_high=value + 0.2, conf_level=0.95
    )


def texts(ax: Any) -> list[str]:
    return [t.get_text() for t in ax.texts]


def test_panels_share_the_scale_and_the_line_of_each_term() -> None:
    ax = multiples({"one": [row("a", 0.1), row("b", 0.5)], "two": [row("b", 2.0), row("c", None)]})
    one, two = ax.child_axes
    assert [t.get_text() for t in one.get_yticklabels()] == ["b", "a", "c"]
    assert one.get_xlim() == two.get_xlim()
    assert spans(one) == {2.0: pytest.approx((0.2, 0.7)), 1.0: pytest.approx((-0.2, 0.3))}
    assert spans(two) == {2.0: pytest.approx((1.7, 2.2))}
    assert texts(two) == ["two", "undefined"]
    assert [list(line.get_xdata()) for line in two.lines if line.get_marker() == "o"] == [[2.0]]


def test_more_panels_than_fit_beside_go_into_another_line_inside_the_frame() -> None:
    ax = multiples({f"panel {i}": [row("a", 0.1 * i)] for i in range(6)}, columns=3, sort=False)
    ax.figure.draw_without_rendering()  # type: ignore[union-attr]
    boxes = [panel.get_window_extent() for panel in ax.child_axes]
    frame = ax.get_window_extent()
    assert len({round(box.y0) for box in boxes}) == 2
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert all(frame.x0 - 1 <= box.x0 and box.x1 <= frame.x1 + 1 for box in boxes)
    assert all(frame.y0 - 1 <= box.y0 and box.y1 <= frame.y1 + 1 for box in boxes)


def test_bad_panels_are_refused_and_no_panels_say_so() -> None:
    with pytest.raises(InputError, match="panel 'x' has a term twice"):
        multiples({"x": [row("a", 1.0), row("a", 2.0)]})
    with pytest.raises(InputError, match="at most 12 panels"):
        multiples({str(i): [row("a", 1.0)] for i in range(13)})
    assert texts(multiples({})) == ["no rows to show"]


def test_quantiles_and_band_are_those_of_r() -> None:
    z, low, high = quantiles(5, 0.95)  # R 4: qnorm(ppoints(5)); qnorm(qbeta(c(.025, .975), 1, 5))
    assert z.tolist() == pytest.approx([-1.1797611, -0.4972006, 0, 0.4972006, 1.1797611], abs=1e-6)
    assert (low[0], high[0]) == pytest.approx((-2.572334, 0.05473134), abs=1e-6)
    z, _, high = quantiles(12, 0.9)
    assert z[:2].tolist() == pytest.approx([-1.7316644, -1.1503494], abs=1e-6)
    assert high[2] == pytest.approx(-0.1557744, abs=1e-6)


def test_every_difference_is_drawn_in_order_and_the_farthest_from_the_mean_is_named() -> None:
    values = [0.2, -1.0, 0.4, 9.0, 0.1]
    ax = qq(values, labels=["a", "b", "c", "far one", "e"])
    marks = {line.get_marker(): np.asarray(line.get_ydata()).tolist() for line in ax.lines}
    assert marks["o"] == [-1.0, 0.1, 0.2, 0.4]
    assert marks["D"] == [9.0]
    far = abs(9.0 - np.mean(values)) / np.std(values, ddof=1)
    assert texts(ax) == [f"far one: 9.00 ({far:.1f} SD from the mean)"]
    assert (
        ax.get_label()
        == "Normal Q-Q plot of Difference, 5 pairs, −1.00 to 9.00; 95% pointwise band."
    )


def test_counts_of_cells_are_pairs_and_many_pairs_are_thinned() -> None:
    ax = qq([1.0, 2.0, 4.0], [2, 3, 1])
    shown = [
        v
        for line in ax.lines
        if line.get_marker() in "oD"
        for v in np.asarray(line.get_ydata()).tolist()
    ]
    assert sorted(shown) == [1.0, 1.0, 2.0, 2.0, 2.0, 4.0]
    many = np.random.default_rng(2).normal(size=5000)
    ax = qq(many)
    shown = [
        v
        for line in ax.lines
        if line.get_marker() in "oD"
        for v in np.asarray(line.get_ydata()).tolist()
    ]
    assert len(shown) in (MOST_POINTS, MOST_POINTS + 1)
    assert {many.min(), many.max()} <= set(shown)
    assert "300 of 5,000 pairs drawn" in str(ax.get_label())


def test_differences_without_spread_say_why_and_bad_ones_are_refused() -> None:
    assert texts(qq([1.0, 1.0, 1.0])) == ["no Q-Q plot: all differences are equal"]
    assert texts(qq([1.0, 2.0], unit="scenario")) == ["no Q-Q plot: 2 scenarios: too few"]
    with pytest.raises(InputError, match="finite"):
        qq([1.0, float("nan"), 2.0])
    with pytest.raises(InputError, match="whole counts"):
        qq([1.0, 2.0, 3.0], [1, 0.5, 1])
    with pytest.raises(InputError, match="as many counts and labels"):
        qq([1.0, 2.0], labels=["a"])


def place(term: str, rank: float, low: float, high: float) -> Row:
    return Row(term=term, estimate=rank, conf_low=low, conf_high=high, conf_level=0.95)


def test_ranks_stand_in_order_with_both_intervals() -> None:
    marginal = [
        place("second", 2, 1, 3),
        place("first", 1, 1, 1),
        place("third", 3, 2, 3),
        row("gone", None),
    ]
    ax = ranks(marginal, [place("second", 2, 1, 3), place("first", 1, 1, 2)])
    assert [t.get_text() for t in ax.get_yticklabels()] == ["first", "second", "third", "gone"]
    lines = {lines.get_linewidth()[0]: lines.get_segments() for lines in ax.collections}
    broad = [(a[0, 1], a[0, 0], a[1, 0]) for a in lines[5]]
    thin = [(a[0, 1], a[0, 0], a[1, 0]) for a in lines[1.3]]
    third = 1 / 3
    assert broad == [
        pytest.approx(one)
        for one in ((3, 1 - third, 1 + third), (2, 1 - third, 3 + third), (1, 2 - third, 3 + third))
    ]
    assert thin == [
        pytest.approx(one) for one in ((3, 1 - third, 2 + third), (2, 1 - third, 3 + third))
    ]
    assert {
        "undefined",
        "undef.",
        "[1, 1]",
        "[1, 2]",
        "Marginal",
        "Simult.",
        "\u2500 95% simultaneous",
    } <= set(texts(ax))
    assert (
        ax.get_label()
        == "Rank intervals, 3 items, from first to third; 2 marginal intervals hold rank 1."
    )
    assert "Simult." not in texts(ranks(marginal))


def test_bad_ranks_are_refused_and_no_ranks_say_so() -> None:
    with pytest.raises(InputError, match="no marginal rank interval of b"):
        ranks([place("a", 1, 1, 1)], [place("b", 1, 1, 1)])
    with pytest.raises(InputError, match="at most 200 items, got 201"):
        ranks([place(str(i), i, i, i) for i in range(201)])
    assert texts(ranks([])) == ["no ranks to show"]


def test_expected_wins_are_those_of_bradley_and_terry_in_the_order_of_strength() -> None:
    strengths = {"b": 0.0, "a": 1.0, "c": -2.0}
    ax = wins([row(name, value) for name, value in strengths.items()])
    names = [t.get_text() for t in ax.get_yticklabels()]
    assert names == [t.get_text() for t in ax.get_xticklabels()] == ["a", "b", "c"]
    shown = {t.xy: t.get_text() for t in ax.texts}  # type: ignore[attr-defined]
    for y, one in enumerate(names):
        for x, other in enumerate(names):
            odds = np.exp(strengths[one]) / np.exp(strengths[other])
            wanted = f"{odds / (1 + odds):.2f}".removeprefix("0")
            assert shown.get((x + 0.5, y + 0.5)) == (wanted if x != y else None)
    blue = [p for p in ax.patches if to_hex(p.get_facecolor()) == style.LIGHT["series-1"]]
    assert len(blue) == 3
    places = [patch.get_xy()[0] for patch in blue]  # type: ignore[attr-defined]
    assert all(x > y for x, y in places)  # above the diagonal


def test_of_many_items_the_strongest_and_weakest_are_drawn() -> None:
    ax = wins([row(f"item {i}", 0.1 * i) for i in range(60)] + [row("lost", None)])
    names = [t.get_text() for t in ax.get_yticklabels()]
    assert names == [f"item {i}" for i in (*range(59, 42, -1), *range(16, -1, -1))]
    assert "26 items between the strongest and the weakest 17 not drawn" in texts(ax)
    assert "1 item without a strength left out" in texts(ax)
    assert any("orange" in text for text in texts(ax))
    with pytest.raises(InputError, match="an item is given twice"):
        wins([row("a", 1.0), row("a", 2.0)])
    assert texts(wins([row("a", 1.0)])) == ["no two items with\nstrengths to\ncompare"]
