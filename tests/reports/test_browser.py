"""The page in a real browser: phone width, colour schemes, paper."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import PROGRAM, Chromium
from made_up import outcome

from socialstats.figures import style
from socialstats_reports import render

pytestmark = [
    pytest.mark.slow,
    pytest.mark.browser,
    pytest.mark.skipif(not (PROGRAM and shutil.which("bash")), reason="needs Chromium and bash"),
]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render(outcome(hostile=True)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    with Chromium() as chromium:
        yield chromium


def rgb(color: str) -> str:
    return "rgb({}, {}, {})".format(*(int(color[i : i + 2], 16) for i in (1, 3, 5)))


@pytest.mark.parametrize("width", [320, 400, 900, 1600])
def test_the_page_never_scrolls_sideways(browser: Chromium, page: Path, width: int) -> None:
    browser.open(page, width=width)
    browser.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert browser.evaluate("innerWidth") == width
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    assert browser.evaluate("document.querySelector('h1').getBoundingClientRect().right") <= width


@pytest.mark.parametrize("width", [400, 600, 900])
def test_figures_never_scroll(browser: Chromium, page: Path, width: int) -> None:
    browser.open(page, width=width)
    boxes = "[...document.querySelectorAll('figure')]"
    assert browser.evaluate(f"{boxes}.length") == 2
    assert browser.evaluate(
        f"{boxes}.every(b => b.scrollWidth <= b.clientWidth && b.clientWidth < {width})"
    )


def test_tab_stops_only_where_something_scrolls_on_a_phone(browser: Chromium, page: Path) -> None:
    browser.open(page, width=390)
    browser.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    wide = "[...document.querySelectorAll('{}')].map(b => b.scrollWidth > b.clientWidth)"
    assert set(browser.evaluate(wide.format("div[tabindex]"))) == {True}
    assert set(browser.evaluate(wide.format(".held:not(:has([tabindex])),.prose"))) == {False}
    first = "document.querySelector('.scroll th[scope=row]')"
    browser.evaluate(f"{first}.closest('.scroll').scrollLeft = 200")
    assert browser.evaluate(f"{first}.getBoundingClientRect().left") >= 0


@pytest.mark.parametrize(("dark", "palette"), [(False, style.LIGHT), (True, style.DARK)])
def test_page_and_figures_follow_the_colour_scheme(
    browser: Chromium, page: Path, dark: bool, palette: dict[str, str]
) -> None:
    browser.open(page, dark=dark)
    assert browser.evaluate("getComputedStyle(document.body).backgroundColor") == rgb(
        palette["surface"]
    )
    assert browser.evaluate("getComputedStyle(document.body).color") == rgb(palette["ink"])
    mark = "getComputedStyle(document.querySelector('svg circle').parentElement).fill"
    assert browser.evaluate(mark) in [rgb(palette[f"series-{i}"]) for i in range(1, 6)]


@pytest.mark.parametrize(("width", "height"), [(1000, 800), (390, 844)])
def test_the_verdict_and_the_short_answers_are_on_the_first_screen(
    browser: Chromium, page: Path, width: int, height: int
) -> None:
    browser.open(page, width=width, height=height)
    for part in (".verdict", ".short"):
        script = f"document.querySelector('{part}').getBoundingClientRect().bottom"
        assert browser.evaluate(script) < height


def test_no_labels_of_a_figure_overlap(browser: Chromium, page: Path) -> None:
    browser.open(page)
    script = """[...document.querySelectorAll('svg')].flatMap(svg => {
        const boxes = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
        return boxes.flatMap(([a, p], i) => boxes.slice(0, i).filter(([b, q]) =>
            Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1 &&
            Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 4).map(([b, q]) => a + ' / ' + b)); })"""
    assert browser.evaluate(script) == []


@pytest.mark.skipif(not shutil.which("pdftotext"), reason="no pdftotext on this machine")
def test_the_tables_of_the_main_part_are_printed_closed_or_open(
    browser: Chromium, page: Path, tmp_path: Path
) -> None:
    browser.open(page, dark=True)
    assert browser.evaluate("[...document.querySelectorAll('details.table')].every(d => !d.open)")
    browser.pdf(tmp_path / "page.pdf")
    command = ["pdftotext", "-layout", str(tmp_path / "page.pdf"), "-"]
    text = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout
    assert "Log-strength" in text  # a column of a collapsed table
    assert text.count("< .001") > 60
