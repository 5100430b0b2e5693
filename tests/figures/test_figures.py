"""Figures: every row is drawn, labels stay literal, nothing overlaps, nothing is remembered by pyplot."""

from __future__ import annotations

import io
import itertools
import math
import subprocess
import sys
from functools import partial

import pytest

from socialstats import figures
from socialstats.errors import InputError
from socialstats.figures import axes, dumbbell, forest, heat, style
from socialstats.figures.rows import LABEL_WIDTH
from socialstats.results import Row
from socialstats.studies.page import Block
from socialstats_reports.arrangement import described
from tests.figures.drawn_marks import bars, paths

HOSTILE = [
    "$x_1$ and $y$",
    "one $ only",
    "back\\slash \\$5",
    "a_b^c{}",
    "two\nlines\r\nthree",
    "nul\x00byte",
    "\u202eright to left\u202c",
    "\u05d0\u05d1\u05d2",
    "\u6f22\u5b57",
    "\U0001f600",
    "\ud800",
    "x" * 300,
    "",
    "%s {0}",
    "</script><script>alert(1)</script>",
    "]]>",
    "<img src=x onerror=alert(1)>",
]


def rows_of(terms: list[str]) -> list[Row]:
    return [
        Row(
            term=t,
            estimate=0.1 * i,
            conf_low=0.1 * i - 0.3,
            conf_high=0.1 * i + 0.2,
            conf_level=0.95,
        )
        for i, t in enumerate(terms)
    ]


def texts(ax: object) -> list[str]:
    return [t.get_text() for t in ax.texts]  # type: ignore[attr-defined]


def drawn(ax: object) -> bytes:
    out = io.BytesIO()
    ax.figure.savefig(out, format="png", dpi=40)  # type: ignore[attr-defined]
    return out.getvalue()


def line_through(ax: object, y: float) -> list[tuple[float, float]]:
    level = [path for path in paths(ax) if len(path) == 2 and path[0][1] == path[1][1] == y]
    return [(path[0][0], path[1][0]) for path in level]


def test_a_forest_is_sorted_and_draws_each_interval_at_its_place() -> None:
    ax = forest(rows_of(["low", "middle", "high"]), label="Item")
    labels = [t.get_text() for t in ax.get_yticklabels()]
    assert labels == ["high", "middle", "low"]
    assert list(ax.get_yticks()) == [2.0, 1.0, 0.0]
    assert line_through(ax, 2.0) == [pytest.approx((-0.1, 0.4))]
    assert line_through(ax, 0.0) == [pytest.approx((-0.3, 0.2))]
    assert {"0.20", "[−0.10, 0.40]", "95% CI", "Estimate", "Item"} <= set(texts(ax))


def test_a_forest_writes_out_undefined_rows_last() -> None:
    rows = [Row(term="gone", undefined="never lost"), *rows_of(["a", "b"])]
    ax = forest(rows)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["b", "a", "gone"]
    assert "undefined: never lost" in texts(ax)


def test_a_forest_shows_a_missing_interval_and_an_infinite_one() -> None:
    rows = [
        Row(term="no interval", estimate=1.0),
        Row(term="open", estimate=2.0, conf_low=1.0, conf_high=math.inf, conf_level=0.95),
    ]
    ax = forest(rows)
    assert {"no CI", "[1.00, ∞)"} <= set(texts(ax))
    assert line_through(ax, 1.0)[0][1] == ax.get_xlim()[1]
    assert drawn(ax)


def test_a_forest_has_rank_sets_and_comparison_intervals() -> None:
    ax = forest(rows_of(["a", "b"]), ranks={"a": (2, 2), "b": (1, 2)}, quasi={"a": 0.05})
    assert {"2", "1–2", "Ranks"} <= set(texts(ax))
    low, high = -1.959963984540054 * 0.05, 1.959963984540054 * 0.05
    assert pytest.approx((low, high)) in line_through(ax, 0.0)


@pytest.mark.slow
def test_a_forest_of_no_rows_says_so_and_of_201_rows_is_refused() -> None:
    assert texts(forest([])) == ["no rows to show"]
    with pytest.raises(InputError, match="at most 200 rows, got 201"):
        forest(rows_of([str(i) for i in range(201)]))
    assert drawn(forest(rows_of([str(i) for i in range(200)])))


def test_the_number_columns_of_a_forest_do_not_touch() -> None:
    rows = [
        Row(term="a", estimate=-12345.678, conf_low=-22345.6, conf_high=-2345.1, conf_level=0.95),
        Row(term="b", estimate=3.1, conf_low=2.0, conf_high=4.0, conf_level=0.95),
    ]
    ax = forest(rows, ranks={"a": (100, 200), "b": (1, 99)})
    ax.figure.draw_without_rendering()
    at_a = [t for t in ax.texts if t.xy[1] == 0.0]  # type: ignore[attr-defined]
    boxes = sorted((t.get_window_extent() for t in at_a), key=lambda box: box.x0)
    assert len(boxes) == 3
    assert all(left.x1 < right.x0 for left, right in itertools.pairwise(boxes))
    assert boxes[-1].x1 <= ax.figure.bbox.x1


@pytest.mark.parametrize("label", HOSTILE)
@pytest.mark.slow
def test_hostile_labels_are_drawn_literally_and_without_warnings(label: str) -> None:
    row = Row(
        term=label, group="higher", estimate=0.4, conf_low=0.3, conf_high=0.5, conf_level=0.95
    )
    gone = Row(term=label, group="lower", undefined=label)
    for ax in (
        forest([row, gone], label=label, xlabel=label),
        dumbbell([row, gone], xlabel=label),
        heat([row, gone], xlabel=label),
    ):
        assert drawn(ax)
    shown = forest([row]).get_yticklabels()[0]
    assert shown._preprocess_math(shown.get_text())[1] is False  # no mathtext
    cut = shown._preprocess_math(shown.get_text())[0]
    assert len(cut) <= LABEL_WIDTH
    assert cut.isprintable()
    if label.isascii() and label.isprintable() and len(label) <= 36:
        assert cut == label


def test_characters_without_a_glyph_are_kept_only_for_a_browser(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        axes, "_glyphs", lambda: frozenset(map(ord, "ab"))
    )  # whatever fonts there are
    ax = forest([Row(term="\u6f22a", estimate=0.5), Row(term="b", estimate=0.4)])
    assert [t.get_text() for t in ax.get_yticklabels()] == ["\ufffda", "b"]
    with style.on_screen("wide"):
        plot = forest([Row(term="\u6f22a", estimate=0.5)])
    assert [text for _, text in plot.y.ticks] == ["\u6f22a"]  # type: ignore[attr-defined]


def test_a_dumbbell_keeps_the_order_and_says_what_is_undefined() -> None:
    rows = [
        Row(term=t, group=g, estimate=e)
        for t, e in (("x", 0.2), ("y", 0.8))
        for g in ("higher", "equal")
    ]
    rows += [Row(term=t, group="lower", undefined="no comparison") for t in ("x", "y")]
    ax = dumbbell(rows)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["y", "x"]
    assert texts(ax).count("undef.") == 2
    assert "2 values are undefined (lower: no comparison)" in texts(ax)
    assert [t.get_text() for t in dumbbell(rows, order=["x", "y"]).get_yticklabels()] == ["x", "y"]


def test_a_dumbbell_draws_targets_and_refuses_unknown_conditions() -> None:
    ax = dumbbell([Row(term="x", group="now", estimate=2.0)], targets={"now": 3.0, "then": None})
    assert any([x for x, _ in path] == [3.0, 3.0] for path in paths(ax))
    with pytest.raises(InputError, match="no target for condition 'now'; targets name 'higher'"):
        dumbbell([Row(term="x", group="now", estimate=2.0)])


def test_a_heat_map_colours_by_distance_from_neutral() -> None:
    ax = heat(
        [
            Row(term="a", group="b", estimate=0.9, n=10),
            Row(term="b", group="a", estimate=0.1, n=10),
            Row(term="a", group="a", undefined="not compared"),
        ]
    )
    faces = [patch.get_facecolor() for patch in ax.patches]
    at = {bar[:2]: face for bar, face in zip(bars(ax), faces, strict=True)}
    high, low, gone = (at[place] for place in ((1, 0), (0, 1), (0, 0)))
    assert high[2] > high[0]  # blue
    assert low[0] > low[2]  # orange
    assert high[3] == pytest.approx(low[3])
    assert gone[3] < high[3]
    assert {"0.90", "n 10", "undefined", "1 value is undefined (a: not compared)"} <= set(texts(ax))
    with pytest.raises(InputError, match="given twice"):
        heat([Row(term="a", group="b", estimate=0.9)] * 2)


def test_figures_draw_into_given_axes() -> None:
    from matplotlib.figure import Figure

    axes = Figure(figsize=(8, 8)).subplots(2, 2).ravel()
    row = Row(term="x", group="higher", estimate=0.4, conf_low=0.3, conf_high=0.5, conf_level=0.95)
    assert forest([row], ax=axes[0]) is axes[0]
    assert dumbbell([row], ax=axes[1]) is axes[1]
    assert heat([row], ax=axes[3]) is axes[3]
    assert drawn(axes[0])


def test_neither_importing_nor_drawing_touches_pyplot() -> None:
    code = (
        "import sys, socialstats.figures as f; assert 'matplotlib' not in sys.modules\n"
        "from socialstats.results import Row\n"
        "f.forest([Row(term='a', estimate=1.0)]); assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=120)


def luminance(color: str) -> float:
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """WCAG 2.2 contrast ratio."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("palette", [style.LIGHT, style.DARK], ids=["light", "dark"])
def test_palettes_have_contrast(palette: dict[str, str]) -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    for name in ("ink", "muted", *(f"series-{i}" for i in range(1, 6))):
        assert contrast(palette[name], palette["surface"]) >= 4.5, name
    assert contrast(palette["ink"], palette["hair"]) >= 4.5  # code blocks
    steps = [palette[f"step-{k}"] for k in range(1, style.STEPS + 1)]
    for fill, ink in style.fills(style.STEPS, ordered=True):
        assert contrast(palette[fill], palette[ink]) >= 4.5, fill
    assert all(contrast(a, b) >= 1.3 for a, b in itertools.pairwise(steps))
    away = [contrast(step, palette["surface"]) for step in steps]
    assert away == sorted(away)  # a higher level is farther from the surface, in light and dark
    assert list(style.LIGHT) == list(style.DARK)
    assert len(set(style.LIGHT.values())) == len(style.LIGHT)  # each colour stands for one variable


def test_every_figure_knows_its_kind_of_chart() -> None:
    drawn = [getattr(figures, name) for name in figures.__all__ if name.islower()]
    assert [f.__name__ for f in drawn if not getattr(f, "chart", "")] == []
    draw = partial(figures.two_by_two, a=1, b=2, c=3, d=4)
    block = Block(id="b", question="Which?", sentences=(), draw=draw, figure_title="Both answers")
    assert described(block) == "Table of counts of Both answers."


@pytest.mark.parametrize(
    "values", [[1e12, 1e12 + 1e-4], [1e20, 1e20], [0.0, 0.0], [1e-150, 2e-150], [-3.0, 5.0]]
)
def test_axes_have_limits_that_matplotlib_can_draw(values: list[float]) -> None:
    from matplotlib import pyplot

    from socialstats.figures.ticks import padded

    low, high = padded(values)
    assert low < min(values)
    assert max(values) < high
    _, axes = pyplot.subplots()
    axes.set_xlim(low, high)
    pyplot.close("all")
