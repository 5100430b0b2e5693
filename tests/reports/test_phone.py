"""Figures drawn once for wide and once for narrow screens: nothing is lost, nothing overlaps."""

from __future__ import annotations

import itertools
import re
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from chromium import PROGRAM, Chromium

from socialstats.figures import (
    Bar,
    dumbbell,
    estimation,
    forest,
    heat,
    multiples,
    qq,
    ranks,
    shares,
    square,
    style,
    trajectories,
    wins,
)
from socialstats.figures.labels import text_width
from socialstats.figures.plot import Lines
from socialstats.results import Row
from socialstats_reports.page import palette_css
from socialstats_reports.svg import inline

CSS = Path(__file__).parents[2] / "reports" / "socialstats_reports" / "templates" / "report.css"
LONG = "an analysis with a name as long as names may become"
FAR = "the farthest possible answer"
STAGES = ("baseline", "stage 1", "stage 2", "debrief")


def row(term: str, value: float, group: str | None = None) -> Row:
    return Row(
        term=term,
        group=group,
        estimate=value,
        conf_low=value - 0.3,
        conf_high=value + 0.2,
        conf_level=0.95,
        n=90,
    )


MANY = [row(f"role {i}", 0.1 * i - 2) for i in range(40)]
FIGURES: dict[str, Callable[[], Any]] = {
    "forest": partial(forest, MANY, label="Role", ranks={r.term: (1, 9) for r in MANY}),
    "wide ticks": partial(forest, [row("alder", 0.75), row("douglas", -0.7)], ranks={}),
    "one row": partial(
        forest, [row("only", 0.3), Row(term="gone", undefined="never lost a comparison")]
    ),
    "long names": partial(forest, [row(f"{LONG} {i}", 100.0 * i) for i in range(4)]),
    "dumbbell": partial(
        dumbbell,
        [
            row(f"r {i}", 0.2 * k + 0.1 * i, g)
            for i in range(6)
            for k, g in enumerate(("higher", "equal", "lower"))
        ],
    ),
    "headings": partial(
        dumbbell,
        [row(f"r {i}", 0.2 * i, g) for i in range(3) for g in (FAR, "b")],
        targets={FAR: None, "b": None},
    ),
    "shares": partial(
        shares,
        [
            Bar(
                label=f"source {i}",
                section="all",
                rows=tuple(
                    Row(term=t, estimate=e)
                    for t, e in (("comply", 0.63), ("deviate", 0.07), ("escalate", 0.3))
                ),
            )
            for i in range(3)
        ],
    ),
    "heat": partial(
        heat,
        [
            row(a, 0.4, b)
            for a in ("family", "work", "religion")
            for b in ("family", "interpersonal")
        ],
    ),
    "square": partial(
        square, [[20, 5], [12, 63]], levels=("no", "yes"), conditions=("before", "after")
    ),
    "trajectories": partial(
        trajectories,
        [row(f"model {i}", i % 5 + 0.2 * k, s) for i in range(8) for k, s in enumerate(STAGES)],
        stages=STAGES,
        lines={"own zero": 1.0},
    ),
    "groups": partial(
        heat, [row(f"group {i}", 0.4, f"group {k}") for i in range(14) for k in range(14)]
    ),
    "seven levels": partial(
        square,
        [[20] * 7] * 7,
        levels=[f"level {i}" for i in range(7)],
        conditions=("before", "after"),
    ),
    "multiples": partial(
        multiples,
        {
            f"man - {other}": [row(f"scenario {i}", 0.1 * i - k) for i in range(9)]
            for k, other in enumerate(("woman", "neutral", "neither of both"))
        },
        label="Scenario",
        xlabel="Bias B",
    ),
    "qq": partial(
        qq,
        [0.1 * i * abs(i) for i in range(-9, 10)],
        labels=[f"item number {i}" for i in range(19)],
    ),
    "ranks": partial(
        ranks,
        [
            Row(
                term=f"model {i}",
                estimate=i + 1,
                conf_low=max(1, i - 1),
                conf_high=min(40, i + 3),
                conf_level=0.95,
            )
            for i in range(40)
        ],
        [
            Row(term=f"model {i}", estimate=i + 1, conf_low=max(1, i - 6), conf_high=min(40, i + 8))
            for i in range(40)
        ],
        label="Model",
    ),
    "wins": partial(wins, MANY),
    "few wins": partial(wins, MANY[::4]),
    "estimation": partial(
        estimation,
        [1.0, 2, 3, 5],
        [2.0, 2, 4, 3],
        None,
        row("d", -0.2),
        conditions=("one", "other"),
    ),
}


def drawn(name: str) -> str:
    return str(inline(FIGURES[name], title=name, description=name, prefix="f1"))


def two(name: str) -> tuple[ElementTree.Element, ElementTree.Element]:
    root = ElementTree.fromstring(f"<p>{drawn(name)}</p>")
    wide, narrow = root
    return wide, narrow


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_drawn_for_wide_and_for_narrow_screens_with_one_name(name: str) -> None:
    wide, narrow = two(name)
    assert wide.attrib["class"].split()[:2] == ["drawing", "wide"]
    assert narrow.attrib["class"].split()[:2] == ["drawing", "narrow"]
    ids = [e.attrib["id"] for one in (wide, narrow) for e in one.iter() if "id" in e.attrib]
    assert len(ids) == len(set(ids))
    for one in (wide, narrow):
        assert set(one.attrib["aria-labelledby"].split()) <= set(ids)
    across = [float(one.attrib["viewBox"].split()[2]) for one in (wide, narrow)]
    assert across == pytest.approx([72 * 7.6, 72 * 3.3], abs=0.5)


def test_all_rows_are_in_both_drawings_or_both_ends_of_more_than_35() -> None:
    few = partial(forest, MANY[:35], label="Role")
    for one in ElementTree.fromstring(
        f"<p>{inline(few, title='t', description='d', prefix='f1')}</p>"
    ):
        texts = [t.text for t in one.iter("text")]
        assert [t for t in texts if t and t.startswith("role ")] == [
            f"role {i}" for i in reversed(range(35))
        ]
        assert len(list(one.iter("circle"))) == 35
    for one in two("forest"):
        texts = [t.text for t in one.iter("text")]
        shown = [*range(39, 31, -1), *range(7, -1, -1)]
        assert [t for t in texts if t and t.startswith("role ")] == [f"role {i}" for i in shown]
        assert any(t and "24 rows not drawn" in t for t in texts)
        assert texts.count("1\u20139") == len(list(one.iter("circle"))) == 16
        paths = "".join(
            path.attrib["d"]
            for group in one.iter("g")
            if "stroke:var(--series-1)" in group.attrib["style"]
            for path in group.iter("path")
        )
        assert paths.count("M") == paths.count("H") == 16  # 16 intervals in one path


@pytest.mark.parametrize("name", ["forest", "dumbbell", "ranks", "long names"])
def test_on_a_phone_no_line_passes_through_names_and_numbers(name: str) -> None:
    """Every text of a row stands beside the box of the marks, or on a band in the colour of the page."""
    with style.on_screen("narrow"):
        plot = FIGURES[name]()
    bands = [
        (path[0][1], mark.stroke.width / 2 / plot.points_up)
        for mark in plot.marks
        if isinstance(mark, Lines) and mark.stroke.color == "surface"
        for path in mark.paths
    ]
    texts = [t for t in plot.texts if t.of == "row" and t.place[1] < plot.y.limits[1]]
    assert len(texts) >= 8
    for text in texts:
        beside = text.place[0] == 1.0 and text.shift[0] - text_width(text.text) > 0
        middle = text.place[1] + text.shift[1] / plot.points_up
        assert beside or any(abs(middle - y) <= half for y, half in bands), text.text


def test_an_index_stands_lower_and_nothing_is_lost() -> None:
    drawing = str(
        inline(
            partial(forest, [row("d_z of 9 pairs", 0.2), row("cell_z", 0.1)]),
            title="t",
            description="d",
            prefix="f1",
        )
    )
    texts = [
        "".join(t.itertext()) for t in ElementTree.fromstring(f"<p>{drawing}</p>").iter("text")
    ]
    assert texts.count("dz of 9 pairs") == texts.count("cell_z") == 2
    assert drawing.count(">z</tspan>") == 2


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    if not (PROGRAM and shutil.which("bash")):
        pytest.skip("needs Chromium and bash")
    with Chromium() as chromium:
        yield chromium


def shown(browser: Chromium, tmp_path: Path, drawings: str, width: int) -> None:
    page = tmp_path / "figure.html"
    style = f"<style>{palette_css()}{CSS.read_text(encoding='utf-8')}</style>"
    page.write_text(
        f'<!DOCTYPE html><meta charset="utf-8"><meta name="viewport" content="width=device-width">{style}'
        f'<main><figure><div class="drawn">{drawings}</div></figure></main>',
        encoding="utf-8",
    )
    browser.open(page, width=width)


def boxes(browser: Chromium, selector: str) -> list[tuple[str, float, float, float, float]]:
    found = browser.evaluate(
        f"[...document.querySelectorAll('{selector}')].map(e => {{ const b = e.getBoundingClientRect();"
        " return [e.textContent, b.left, b.right, b.top, b.bottom]; }).filter(b => b[2] > b[1])"
    )
    return [tuple(box) for box in found]


def letters(browser: Chromium) -> float:
    """Return the size of the smallest letters that are shown, in pixels."""
    return float(
        browser.evaluate(
            "Math.min(...[...document.querySelectorAll('svg')].filter(s => s.clientWidth > 0).flatMap(s => "
            "[...s.querySelectorAll('text')].map(t => parseFloat(getComputedStyle(t).fontSize) * s.clientWidth / "
            "s.viewBox.baseVal.width)))"
        )
    )


@pytest.mark.browser
@pytest.mark.parametrize("width", [320, 390])
@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.slow
def test_on_a_phone_everything_is_inside_readable_and_apart(
    browser: Chromium, tmp_path: Path, name: str, width: int
) -> None:
    shown(browser, tmp_path, drawn(name), width)
    frame = boxes(browser, ".drawn")[0]
    assert browser.evaluate(
        "(b => b.scrollWidth <= b.clientWidth)(document.querySelector('.drawn'))"
    )
    texts, marks = boxes(browser, ".narrow text"), boxes(browser, ".narrow :is(circle,path[d$=z])")
    for what, left, right, top, bottom in (*texts, *marks):
        assert frame[1] - 1 <= left, what
        assert right <= frame[2] + 1, what
        assert frame[3] - 1 <= top, what
        assert bottom <= frame[4] + 1, what
    for (one, *a), (other, *b) in itertools.combinations(texts, 2):
        across = min(a[1], b[1]) - max(a[0], b[0])
        assert across <= 1 or min(a[3], b[3]) - max(a[2], b[2]) <= 4, (one, other)
    assert letters(browser) >= (12.0 if width == 390 else 9.6)  # pixels


@pytest.mark.browser
def test_on_a_phone_the_marks_of_a_row_are_below_its_name_and_above_the_next(
    browser: Chromium, tmp_path: Path
) -> None:
    shown(browser, tmp_path, drawn("forest"), 390)
    names = [box for box in boxes(browser, ".narrow text") if box[0].startswith("role ")]
    marks = boxes(browser, ".narrow :is(circle,path[d$=z])")
    assert len(names) == len(marks) == 16
    for (_, left, _, _, bottom), (_, _, _, top, low), after in itertools.zip_longest(
        names, marks, names[1:]
    ):
        assert left == pytest.approx(names[0][1], abs=1)  # flush left
        assert bottom - 3 <= top
        assert after is None or low <= after[3] + 3


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
def test_on_a_wide_screen_everything_is_inside_and_apart(
    browser: Chromium, tmp_path: Path, name: str
) -> None:
    shown(browser, tmp_path, drawn(name), 900)
    assert boxes(browser, ".narrow") == []
    frame = boxes(browser, ".drawn")[0]
    texts = boxes(browser, ".wide text")
    for what, left, right, top, bottom in texts:
        assert (frame[1] - 1 <= left, right <= frame[2] + 1) == (True, True), what
        assert (frame[3] - 1 <= top, bottom <= frame[4] + 1) == (True, True), what
    for (one, *a), (other, *b) in itertools.combinations(texts, 2):
        across = min(a[1], b[1]) - max(a[0], b[0])
        assert across <= 1 or min(a[3], b[3]) - max(a[2], b[2]) <= 4, (one, other)
    assert letters(browser) >= 8 * 47 * 17 * 0.9 / (72 * 7.6)


def points_on_paper(height: float) -> float:
    """Return the size of 8 pt letters of a wide figure on A4, where it is at most 176 mm wide and 23 cm high."""
    return 8 * min(176 / 25.4 / 7.6, 23 / 2.54 / height)


@pytest.mark.parametrize("name", FIGURES)
def test_letters_of_every_figure_are_at_least_seven_points_on_a4(name: str) -> None:
    wide, _ = two(name)
    assert points_on_paper(float(wide.attrib["viewBox"].split()[3]) / 72) >= 7
    sizes = re.findall(r"font-size:([\d.]+)px", ElementTree.tostring(wide, encoding="unicode"))
    assert min(map(float, sizes), default=9.0) >= 8
