"""The second arrangement of figures for phones, and the shorter SVG: the same drawing, nothing lost, nothing twice."""

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

from socialstats.figures import Bar, dumbbell, estimation, forest, heat, shares, square, strip, trajectories
from socialstats.figures.strip import Mark
from socialstats.results import Row
from socialstats_reports.lean import short_path
from socialstats_reports.page import palette_css
from socialstats_reports.svg import inline

CSS = Path(__file__).parents[2] / "reports" / "socialstats_reports" / "templates" / "report.css"
LONG = "an analysis with a name as long as names may become"
FAR = "the farthest possible answer"
STAGES = ("baseline", "stage 1", "stage 2", "debrief")


def row(term: str, value: float, group: str | None = None) -> Row:
    return Row(
        term=term, group=group, estimate=value, conf_low=value - 0.3, conf_high=value + 0.2, conf_level=0.95, n=90
    )


MANY = [row(f"role {i}", 0.1 * i - 2) for i in range(40)]
FIGURES: dict[str, Callable[[], Any]] = {
    "forest": partial(forest, MANY, label="Role", ranks={r.term: (1, 9) for r in MANY}),
    "one row": partial(forest, [row("only", 0.3), Row(term="gone", undefined="never lost a comparison")]),
    "long names": partial(forest, [row(f"{LONG} {i}", 100.0 * i) for i in range(4)], digits=3),
    "dumbbell": partial(dumbbell, [row(f"r {i}", 0.2 * k + 0.1 * i, g) for i in range(6)
                                   for k, g in enumerate(("higher", "equal", "lower"))]),
    "headings": partial(dumbbell, [row(f"r {i}", 0.2 * i, g) for i in range(3) for g in (FAR, "b")],
                        targets={FAR: None, "b": None}),
    "shares": partial(shares, [Bar(label=f"source {i}", section="all", rows=tuple(
        Row(term=t, estimate=e) for t, e in (("comply", 0.63), ("deviate", 0.07), ("escalate", 0.3))))
        for i in range(3)]),
    "heat": partial(heat, [row(a, 0.4, b) for a in ("family", "work", "religion")
                           for b in ("family", "interpersonal")]),
    "square": partial(square, [[20, 5], [12, 63]], levels=("no", "yes"), conditions=("before", "after")),
    "trajectories": partial(trajectories, [row(f"model {i}", i % 5 + 0.2 * k, s) for i in range(8)
                                           for k, s in enumerate(STAGES)], stages=STAGES, lines={"own zero": 1.0}),
    "estimation": partial(estimation, [1.0, 2, 3, 5], [2.0, 2, 4, 3], None, row("d", -0.2),
                          conditions=("one", "other")),
}  # fmt: skip


def drawn(name: str) -> str:
    return str(inline(FIGURES[name], title=name, description=name, prefix="f1"))


@pytest.mark.parametrize("name", FIGURES)
def test_every_kind_of_figure_has_a_layout_for_phones(name: str) -> None:
    root = ElementTree.fromstring(drawn(name))
    assert "narrow" in root.attrib["class"].split()
    assert re.fullmatch(r"--r:[\d.]+/[\d.]+", root.attrib["style"])
    for group in root.findall("g"):
        assert "--t:scale(" in group.attrib["style"]


def test_a_heat_map_of_many_groups_keeps_its_width_and_scrolls() -> None:
    names = [f"group {i}" for i in range(14)]
    figure = partial(heat, [row(a, 0.4, b) for a in names for b in names])
    assert "narrow" not in str(inline(figure, title="t", description="d", prefix="f1"))


def test_all_texts_and_all_marks_are_still_there() -> None:
    root = ElementTree.fromstring(drawn("forest"))
    texts = [t.text for t in root.iter("text")]
    assert [t for t in texts if t and t.startswith("role ")] == [f"role {i}" for i in reversed(range(40))]
    assert texts.count("1\u20139") == 40
    assert len(list(root.iter("use"))) == 40
    paths = "".join(p.attrib["d"] for p in root.iter("path") if "series-1" in p.attrib.get("style", ""))
    assert paths.count("M") == paths.count("H") == 40  # 40 intervals in one path


def test_paths_are_written_short_and_say_the_same() -> None:
    def points(d: str) -> list[tuple[str, list[float]]]:
        return [
            (c, [float(x) for x in re.findall(r"-?[\d.]+", rest)])
            for c, rest in re.findall(r"([A-Za-z])([^A-Za-z]*)", d)
        ]

    for d in ("M 1 2 L 3 4 L -5.25 -6 z", "M 0 2.5 C 0.73 2.5 -1.43 2.46 1.94 1.94"):
        assert points(short_path(d)) == points(d)
        assert len(short_path(d)) < len(d)
    assert short_path("M 1.5 2 L 1.5 -7") == "M1.5 2V-7"
    assert short_path("M 1.5 2 L -1.5 2") == "M1.5 2H-1.5"


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
        f'<main><figure><div class="scroll">{drawings}</div></figure></main>', encoding="utf-8",
    )  # fmt: skip
    browser.open(page, width=width)


def boxes(browser: Chromium, selector: str) -> list[tuple[str, float, float, float, float]]:
    found = browser.evaluate(
        f"[...document.querySelectorAll('{selector}')].map(e => {{ const b = e.getBoundingClientRect();"
        " return [e.textContent, b.left, b.right, b.top, b.bottom]; }).filter(b => b[2] > b[1])"
    )
    return [tuple(box) for box in found]


@pytest.mark.browser
@pytest.mark.parametrize("width", [320, 390])
@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.slow
def test_on_a_phone_everything_is_inside_readable_and_apart(
    browser: Chromium, tmp_path: Path, name: str, width: int
) -> None:
    shown(browser, tmp_path, drawn(name), width)
    frame = boxes(browser, ".scroll")[0]
    assert browser.evaluate("(b => b.scrollWidth <= b.clientWidth)(document.querySelector('.scroll'))")
    texts, marks = boxes(browser, "svg text"), boxes(browser, "svg use")
    for what, left, right, top, bottom in (*texts, *marks):
        assert frame[1] - 1 <= left, what
        assert right <= frame[2] + 1, what
        assert frame[3] - 1 <= top, what
        assert bottom <= frame[4] + 1, what
    for (one, *a), (other, *b) in itertools.combinations(texts, 2):
        across = min(a[1], b[1]) - max(a[0], b[0])
        assert across <= 1 or min(a[3], b[3]) - max(a[2], b[2]) <= 4, (one, other)
    for _, left, right, top, bottom in marks:
        assert (right - left) / (bottom - top) == pytest.approx(1, abs=0.15)  # no mark is stretched
    letters = [min(bottom - top, right - left) for what, left, right, top, bottom in texts if len(what.strip()) > 2]
    assert min(letters) >= 0.024 * width  # 7.5 px on 320 px
    assert max(letters) <= 0.06 * width


@pytest.mark.browser
def test_on_a_phone_the_marks_of_a_row_are_below_its_name_and_above_the_next(browser: Chromium, tmp_path: Path) -> None:
    shown(browser, tmp_path, drawn("forest"), 390)
    names = [box for box in boxes(browser, "svg text") if box[0].startswith("role ")]
    marks = boxes(browser, "svg use")
    assert len(names) == len(marks) == 40
    for (_, left, _, _, bottom), (_, _, _, top, low), after in itertools.zip_longest(names, marks, names[1:]):
        assert left == pytest.approx(names[0][1], abs=1)  # flush left
        assert bottom - 3 <= top
        assert after is None or low <= after[3] + 3


@pytest.mark.browser
@pytest.mark.slow
def test_the_number_line_has_a_drawing_for_phones_and_one_for_other_screens(browser: Chromium, tmp_path: Path) -> None:
    marks = [Mark(label="a model with a long name", value=0.4, low=0.3, high=0.5),
             Mark(label="coin flips", value=0.52, kind="reference")]  # fmt: skip
    draw = partial(strip, marks, xlabel="share")
    both = inline(draw, title="t", description="d", prefix="a") + inline(
        partial(draw, inches=4.3), title="t", description="d", prefix="b", name="phone"
    )
    for width, phone in ((390, True), (900, False)):
        shown(browser, tmp_path, both, width)
        seen = browser.evaluate("[...document.querySelectorAll('svg')].map(s => s.getBoundingClientRect().width > 0)")
        assert seen == [not phone, phone]
        assert browser.evaluate("(b => b.scrollWidth <= b.clientWidth)(document.querySelector('.scroll'))")
