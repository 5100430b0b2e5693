"""Figures of pairs and of raters: what is drawn is what was given, at its place, counted when it is too much."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from socialstats.errors import InputError
from socialstats.figures import estimation, rater_heat, square, style, two_by_two
from socialstats.figures.estimation import chosen
from socialstats.results import Row
from tests.figures.drawn_marks import bars, colors, paths

HOSTILE = [
    "$x_1$ and $y$",
    "one $ only",
    "two\nlines\r\nthree",
    "nul\x00byte",
    "\u202eright to left\u202c",
    "\ud800",
    "x" * 300,
    "",
    "</script><script>alert(1)</script>",
    "%s {0}",
]
ROW = Row(term="difference", estimate=-0.5, conf_low=-1.25, conf_high=0.25, conf_level=0.95)


def texts(ax: Any) -> list[str]:
    return [t.get_text() for t in ax.texts]


def drawn(ax: Any) -> bytes:
    out = io.BytesIO()
    ax.figure.savefig(out, format="png", dpi=40)
    return out.getvalue()


def segments(ax: Any) -> list[tuple[float, float]]:
    """Both ends of each line from the first to the second condition."""
    pairs = [path for path in paths(ax) if [x for x, _ in path] == [0, 1]]
    return [(path[0][1], path[1][1]) for path in pairs]


def test_every_pair_is_a_line_and_the_mean_stands_with_its_interval_on_its_own_axis() -> None:
    ax = estimation(
        [1.0, 2.0, 3.0, 4.0], [2.0, 2.0, 5.0, 3.0], None, ROW, conditions=("before", "after")
    )
    left, right = ax.child_axes
    assert segments(left) == [(2, 1), (2, 2), (5, 3), (3, 4)]  # from the second to the first
    assert colors(left) == [
        style.LIGHT[name] for name in ("series-2", "muted", "series-2", "series-1")
    ]
    assert {"2.50", "3.00", "means and 4 pairs:", "2 fall", "1 rise", "1 stay"} <= set(texts(left))
    inks = {t.get_text(): t.get_color() for t in left.texts}
    assert (inks["1 rise"], inks["2 fall"]) == (style.LIGHT["series-1"], style.LIGHT["series-2"])
    assert "−0.50, 95% CI [−1.25, 0.25]" in texts(right)
    assert right.get_ylabel() == "before minus after"
    ends = [
        tuple(y for _, y in path) for path in paths(right) if [x for x, _ in path] == [-0.2, -0.2]
    ]
    assert ends == [(-1.25, 0.25)]
    assert drawn(ax)


def test_the_histogram_counts_pairs_in_bins_of_the_differences() -> None:
    ax = estimation([3, 3, 1], [2, 1, 1], [5, 10, 2], ROW, conditions=("a", "b"))
    drawn_bars = {
        round(low + height / 2, 1): width for _, low, width, height in bars(ax.child_axes[1])
    }
    assert drawn_bars[round(0.0 - 0.04, 1)] == pytest.approx(0.2)
    assert drawn_bars[round(1.0 - 0.04, 1)] == pytest.approx(0.5)
    assert drawn_bars[round(2.0 - 0.04, 1)] == pytest.approx(1.0)
    assert ax.child_axes[1].get_xlabel() == "pairs (longest bar: 10)"


def test_a_figure_of_other_units_than_pairs_says_so() -> None:
    ax = estimation(
        [1.0, 2.0, 4.0], [2.0, 2.5, 3.0], None, ROW, conditions=("a", "b"), unit="scenario"
    )
    assert "means and 3 scenarios:" in texts(ax.child_axes[0])
    assert ax.child_axes[1].get_xlabel() == "scenarios (longest bar: 1)"
    assert texts(estimation([], [], None, ROW, conditions=("a", "b"), unit="scenario")) == [
        "no scenarios to show"
    ]
    shares = estimation([1, 0, 1], [0, 0, 1], None, ROW, conditions=("a", "b"), unit="item")
    assert "3 items" in texts(shares.child_axes[0])


def test_too_many_pairs_are_thinned_evenly_and_counted() -> None:
    rng = np.random.default_rng(4)
    first, second = rng.normal(size=5000), rng.normal(size=5000)
    ax = estimation(first, second, None, ROW, conditions=("a", "b"), most=100)
    left = ax.child_axes[0]
    shown = np.array(segments(left))
    assert len(shown) == 100
    falls, rises = int((first < second).sum()), int((first > second).sum())
    assert texts(left)[2:] == [
        "means and 100 of 5,000 pairs; of all,",
        f"{falls:,} fall",
        f"{rises:,} rise",
    ]
    wanted = np.quantile(first - second, (0.25, 0.5, 0.75))
    assert np.quantile(shown[:, 0] - shown[:, 1], (0.25, 0.5, 0.75)) == pytest.approx(
        wanted, abs=0.05
    )
    order = rng.permutation(5000)
    again = estimation(first[order], second[order], None, ROW, conditions=("a", "b"), most=100)
    assert sorted(segments(again.child_axes[0])) == sorted(segments(left))


def test_thinning_follows_the_counts() -> None:
    picked = chosen(np.arange(4.0), np.zeros(4), np.array([97.0, 1.0, 1.0, 1.0]), 3)
    assert picked.tolist() == [0]


def test_answers_of_zero_and_one_are_drawn_as_shares_and_discordant_pairs() -> None:
    row = Row(term="difference", estimate=0.06, conf_low=-0.05, conf_high=0.17, conf_level=0.9)
    ax = estimation([1, 1, 0, 0], [1, 0, 1, 0], [60, 20, 14, 6], row, conditions=("old", "new"))
    left, right = ax.child_axes
    assert {"80.0%\n80 of 100", "74.0%\n74 of 100"} <= set(texts(left))
    assert [height for *_, height in bars(right)] == pytest.approx([0.20, -0.14])
    assert {"20", "14", "0.06, 90% CI [−0.05, 0.17]"} <= set(texts(right))
    assert [t.get_text() for t in right.get_xticklabels()] == ["difference", "only old", "only new"]
    low, high = right.get_ylim()
    assert low <= -0.05
    assert high >= 0.17


def test_numbers_that_happen_to_be_zero_and_one_can_be_drawn_as_numbers() -> None:
    ax = estimation([0, 1], [1, 1], None, ROW, conditions=("a", "b"), binary=False)
    assert segments(ax.child_axes[0]) == [(1, 0), (1, 1)]


def test_an_undefined_difference_is_written_out() -> None:
    ax = estimation(
        [1, 2],
        [2, 3],
        None,
        Row(term="d", undefined="all 2 differences equal 1"),
        conditions=("a", "b"),
    )
    assert "undefined: all 2 differences equal 1" in texts(ax.child_axes[1])
    assert texts(estimation([], [], None, ROW, conditions=("a", "b"))) == ["no pairs to show"]
    assert drawn(ax)


@pytest.mark.parametrize(
    ("first", "second", "count", "message"),
    [
        ([1, 2], [1], None, "first has 2 values, second 1, count 2"),
        ([1, np.nan], [1, 2], None, "needs finite numbers"),
        ([1, 2], [1, 2], [1], "count 1; pairs need one of each"),
    ],
)
def test_bad_pairs_are_refused(
    first: Sequence[float], second: Sequence[float], count: Any, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        estimation(first, second, count, ROW, conditions=("a", "b"))


def test_a_square_table_has_cells_shares_and_margins_at_their_places() -> None:
    ax = square([[20, 5], [12, 63]], levels=("no", "yes"), conditions=("before", "after"))
    at: dict[tuple[int, int], list[str]] = {}
    for t in ax.texts:
        x, y = t.xy  # type: ignore[attr-defined]
        at.setdefault((int(x), int(y)), []).append(t.get_text())
    assert [at[x, y][0] for y in (0, 1, 2) for x in (0, 1, 2)] == [
        "20",
        "5",
        "25",
        "12",
        "63",
        "75",
        "32",
        "68",
        "100",
    ]
    assert at[1, 0] == ["5", "5.0%"]
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("before", "after")
    ax = two_by_two(a=63, b=12, c=5, d=20, levels=("no", "yes"), conditions=("before", "after"))
    assert [t.get_text() for t in ax.texts][:6] == ["20", "20.0%", "5", "5.0%", "25", "25.0%"]


def test_bad_square_tables_are_refused() -> None:
    with pytest.raises(InputError, match="2 levels is 2 x 2, not"):
        square([1, 2], levels=("a", "b"), conditions=("x", "y"))
    with pytest.raises(InputError, match="finite and at least 0"):
        square([[1, -2], [1, 2]], levels=("a", "b"), conditions=("x", "y"))
    with pytest.raises(InputError, match="at most 12 levels, got 13"):
        square(np.ones((13, 13)), levels=[str(i) for i in range(13)], conditions=("x", "y"))
    assert texts(square(np.zeros((2, 2)), levels=("a", "b"), conditions=("x", "y"))) == [
        "no pairs to show"
    ]


def test_agreement_of_raters_is_symmetric_and_undefined_pairs_say_why() -> None:
    pairs = [
        ("ann", "bob", Row(term="k", estimate=0.7, n=40)),
        ("ann", "cy", Row(term="k", estimate=-0.2, n=39)),
        ("bob", "cy", Row(term="k", undefined="no variation")),
    ]
    ax = rater_heat(pairs)
    labels = [t.get_text() for t in ax.get_xticklabels()]
    assert labels == [t.get_text() for t in ax.get_yticklabels()] == ["ann", "bob", "cy"]
    assert texts(ax).count("0.70") == texts(ax).count("−0.20") == 2
    assert "1 value is undefined (cy: no variation)" in texts(ax)
    with pytest.raises(InputError, match="given twice"):
        rater_heat([pairs[0], ("bob", "ann", pairs[0][2])])
    with pytest.raises(InputError, match="'ann' is paired with itself"):
        rater_heat([("ann", "ann", pairs[0][2])])


@pytest.mark.parametrize("label", HOSTILE)
@pytest.mark.slow
def test_hostile_labels_are_drawn_literally(label: str) -> None:
    two = (label, f"{label} 2")
    for ax in (
        estimation([1, 2], [2, 4], None, ROW, conditions=two, ylabel=label),
        estimation(
            [1, 0], [1, 1], None, Row(term=label, undefined=label), conditions=two, ylabel=label
        ),
        square([[1, 2], [3, 4]], levels=two, conditions=two),
        rater_heat([(*two, Row(term=label, estimate=0.5, n=3))]),
    ):
        assert drawn(ax)


def test_texts_of_an_estimation_plot_do_not_overlap() -> None:
    rng = np.random.default_rng(0)
    first = rng.normal(1000, 20, 60)
    names = ("a condition with a long name", "another condition with a long name")
    numeric = estimation(first, first + rng.normal(5, 9, 60), None, ROW, conditions=names)
    binary = estimation([1, 1, 0, 0], [1, 0, 1, 0], [960, 20, 14, 6], ROW, conditions=names)
    for ax in (numeric, binary):
        ax.figure.draw_without_rendering()
        shown = []
        for panel in ax.child_axes:
            shown += [*panel.texts, *panel.get_xticklabels(), panel.xaxis.label, panel.yaxis.label]
        shown = [t for t in shown if t.get_text()]
        boxes = [(t.get_text(), t.get_window_extent()) for t in shown]
        for i, (text, box) in enumerate(boxes):
            assert box.x1 <= ax.figure.bbox.x1 + 1, text
            assert box.x0 >= -1, text
            for other, place in boxes[:i]:
                assert not box.overlaps(place), (text, other)


def test_paired_figures_draw_into_given_axes() -> None:
    from matplotlib.figure import Figure

    axes = Figure(figsize=(9, 9)).subplots(3, 1)
    assert estimation([1, 2], [2, 4], None, ROW, conditions=("a", "b"), ax=axes[0]) is axes[0]
    assert square([[1, 2], [3, 4]], levels=("a", "b"), conditions=("a", "b"), ax=axes[1]) is axes[1]
    assert rater_heat([("a", "b", ROW)], ax=axes[2]) is axes[2]
    assert drawn(axes[0])
