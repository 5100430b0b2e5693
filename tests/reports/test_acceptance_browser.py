"""Pages of every study in a real Chromium: paper, phone, both colour schemes."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from chromium import PROGRAM, Chromium
from example_pages import STUDY_TESTS, made

import socialstats_reports
from socialstats.metrics import METRICS
from socialstats.studies.plan import Hypothesis, with_hypotheses
from socialstats_reports import render

sys.path.insert(0, str(STUDY_TESTS))
from study_examples import FAST, PAGES, paired

pytestmark = [
    pytest.mark.slow,
    pytest.mark.browser,
    pytest.mark.skipif(not (PROGRAM and shutil.which("bash")), reason="needs Chromium and bash"),
]
PLANNED = "paired, with a plan"
OVERLAPS = """[...document.querySelectorAll('svg')].flatMap(svg => {
    const boxes = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
    return boxes.flatMap(([a, p], i) => boxes.slice(0, i).filter(([b, q]) =>
        Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1 &&
        Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 4).map(([b, q]) => a + ' / ' + b)); })"""
CONTRASTS = """(() => {
    const channel = v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
    const light = c => { const [r, g, b] = c.match(/[\\d.]+/g).map(Number);
        return .2126 * channel(r) + .7152 * channel(g) + .0722 * channel(b); };
    const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
        if (!/, 0\\)$/.test(c) && c !== 'transparent') return c; } return 'rgb(255, 255, 255)'; };
    return [...document.querySelectorAll('p, li, td, th, caption, h1, h2, h3, summary, figcaption, dt, dd, pre, .code')]
        .filter(e => e.textContent.trim() && e.getClientRects().length).map(e => {
            const [a, b] = [light(getComputedStyle(e).color), light(ground(e))].sort((x, y) => y - x);
            return (a + .05) / (b + .05); }).reduce((x, y) => Math.min(x, y), 21); })()"""


# texts of figures: each on the shapes that were drawn before it at its middle, or on the page; an outline of 3 will do
IN_FIGURES = """(() => {
    const channel = v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
    const light = c => .2126 * channel(c[0]) + .7152 * channel(c[1]) + .0722 * channel(c[2]);
    const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
        return (x + .05) / (y + .05); };
    const color = (text, opacity) => { const c = (text.match(/[\\d.]+/g) || []).map(Number);
        return c.length ? [c.slice(0, 3), (c.length > 3 ? c[3] : 1) * opacity] : [[0, 0, 0], 0]; };
    const over = ([top, a], below) => top.map((v, i) => v * a + below[i] * (1 - a));
    const opacity = e => e.tagName === 'svg' ? 1 : +getComputedStyle(e).opacity * opacity(e.parentElement);
    const surface = color(getComputedStyle(document.body).backgroundColor, 1)[0];
    const found = [];
    for (const svg of document.querySelectorAll('svg')) {
        if (!svg.getClientRects().length) continue;
        const filled = [];
        for (const e of svg.querySelectorAll('path, rect, text')) {
            if (e.closest('defs')) continue;
            const s = getComputedStyle(e), fill = color(s.fill, +s.fillOpacity * opacity(e));
            if (e.tagName !== 'text') { if (fill[1]) filled.push([e, fill]); continue; }
            const box = e.getBoundingClientRect();
            const x = (box.left + box.right) / 2, y = (box.top + box.bottom) / 2;
            let ground = surface;
            for (const [shape, paint] of filled) {
                const point = new DOMPoint(x, y).matrixTransform(shape.getScreenCTM().inverse());
                if (shape.isPointInFill(point)) ground = over(paint, ground);
            }
            const line = s.stroke !== 'none' && ratio(over(color(s.stroke, 1), ground), ground);
            const contrast = ratio(over(fill, ground), ground);
            found.push([e.textContent, line ? Math.max(contrast, line * 1.5) : contrast]);
        }
    }
    return found;
})()"""


def html_of(name: str) -> str:
    """Return the page of an example, or that of pairs with hypotheses on it."""
    if name != PLANNED:
        return made(name)[1]
    design = paired(False)
    asked = [
        Hypothesis(
            id="H1", metric="mcnemar", alternative="greater", text="Reminders help", family="main"
        ),
        Hypothesis(id="H2", metric="mcnemar", terms=("odds_ratio",), family="main"),
        Hypothesis(id="H3", metric="cochran_q", status="exploratory"),
    ]
    outcome, deviations = with_hypotheses(made("paired")[0], asked, design, replace(FAST), METRICS)
    return render(outcome, plan_sha256="ab" * 32, deviations=deviations, status="confirmatory")


@pytest.fixture(scope="module", params=[*PAGES, PLANNED])
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / f"{re.sub('[^a-z]+', '-', request.param)}.html"
    path.write_text(html_of(request.param), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    with Chromium() as chromium:
        yield chromium


@pytest.mark.skipif(not shutil.which("pdftotext"), reason="no pdftotext on this machine")
def test_what_is_closed_is_printed_once_it_is_opened(
    browser: Chromium, page: Path, tmp_path: Path
) -> None:
    def printed() -> str:
        browser.pdf(tmp_path / "page.pdf")
        command = ["pdftotext", "-layout", str(tmp_path / "page.pdf"), "-"]
        return subprocess.run(
            command, check=True, capture_output=True, text=True, timeout=60
        ).stdout

    browser.open(page)
    closed = printed()
    assert "To quote" in closed
    assert closed.count("\f") <= 10
    assert "Verification" not in closed
    browser.evaluate("document.getElementById('appendix').open = true")
    opened = printed()
    assert "Verification" in opened
    assert ("Codes of cautions" in opened) == ('id="codes"' in page.read_text(encoding="utf-8"))
    assert "@article{" not in opened  # the BibTeX is for copying, not for paper


@pytest.mark.skipif(not shutil.which("pdftotext"), reason="no pdftotext on this machine")
def test_a_sentence_is_printed_on_the_page_of_its_figure(browser: Chromium, tmp_path: Path) -> None:
    """Pages that are filled to 20 heights before a question, its sentence and a figure of 6 cm."""
    css = (Path(socialstats_reports.__file__).parent / "templates" / "report.css").read_text(
        encoding="utf-8"
    )
    parts = [
        f"<div style='height:{height}mm;break-before:page'></div><h3>Question {height}?</h3><p>Sentence {height}.</p>"
        f"<figure><div style='height:6cm'></div><figcaption>Figure {height}.</figcaption></figure>"
        for height in range(100, 240, 7)
    ]
    path = tmp_path / "page.html"
    path.write_text(
        f"<!doctype html><style>{css}</style><main>{''.join(parts)}</main>", encoding="utf-8"
    )
    browser.open(path)
    browser.pdf(tmp_path / "page.pdf")
    command = ["pdftotext", "-layout", str(tmp_path / "page.pdf"), "-"]
    text = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout
    found = [
        [re.findall(rf"{word} (\d+)", page) for word in ("Question", "Sentence", "Figure")]
        for page in text.split("\f")
    ]
    assert all(question == sentence == figure for question, sentence, figure in found)
    assert sum(len(question) for question, _, _ in found) == len(parts)


@pytest.mark.parametrize("width", [320, 900])
def test_the_page_never_scrolls_sideways(browser: Chromium, page: Path, width: int) -> None:
    browser.open(page, width=width)
    browser.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert browser.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [390, 900])
def test_no_labels_of_a_figure_overlap(browser: Chromium, page: Path, width: int) -> None:
    browser.open(page, width=width)
    assert browser.evaluate(OVERLAPS) == []


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_can_be_read(browser: Chromium, page: Path, dark: bool) -> None:
    browser.open(page, dark=dark)
    browser.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert browser.evaluate(CONTRASTS) >= 4.5


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 900])
def test_every_text_of_a_figure_can_be_read(
    browser: Chromium, page: Path, width: int, dark: bool
) -> None:
    browser.open(page, width=width, dark=dark)
    browser.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    contrasts = browser.evaluate(IN_FIGURES)
    assert len(contrasts) > 3, contrasts
    assert [text for text, contrast in contrasts if contrast < 4.5] == []


def test_exploratory_blocks_have_a_dotted_border(browser: Chromium, page: Path) -> None:
    browser.open(page)
    styles = browser.evaluate(
        "[...document.querySelectorAll('article')].map(a => [a.className, getComputedStyle(a).borderLeftStyle])"
    )
    assert styles
    for name, border in styles:
        assert (border == "dotted") == (name == "exploratory")
    assert ({name for name, _ in styles} == {"exploratory"}) == ("plan" not in page.stem)
