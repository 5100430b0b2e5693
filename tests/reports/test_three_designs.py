"""Pages of pairs and ratings in a real browser, and byte by byte."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from chromium import PROGRAM, Chromium

from socialstats.designs.paired import Paired
from socialstats.designs.ratings import Ratings
from socialstats.figures import style
from socialstats.studies import STUDIES, StudyOptions, run_study
from socialstats.studies.page import Outcome
from socialstats_reports import read_results, render

sys.path.insert(0, str(Path(__file__).parents[1] / "studies"))
from study_tables import LEVELS, answers, ratings, scores

FAST = StudyOptions(resamples=200, verify=False)
needs_browser = pytest.mark.skipif(
    not (PROGRAM and shutil.which("bash")), reason="needs Chromium and bash"
)
OVERLAPS = """[...document.querySelectorAll('svg')].flatMap(svg => {
    const boxes = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
    return boxes.flatMap(([a, p], i) => boxes.slice(0, i).filter(([b, q]) =>
        Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1 &&
        Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 4).map(([b, q]) => a + ' / ' + b)); })"""


def make(name: str) -> Outcome:
    """Answer a question on one of the three tables, with long labels in the ratings."""
    if name == "ratings":
        frame = ratings().replace(
            {"judge": {"gpt_4": "a judge with a very long name (70B, instruct)"}}
        )
        design = Ratings.from_frame(
            frame,
            levels=list(LEVELS),
            refusal="refused",
            strata="domain",
            cluster="story",
            rater_groups="kind",
        )
        return run_study(STUDIES["agreement"], design, FAST)
    if name == "answers":
        pairs = Paired.from_frame(answers(), conditions=("reminded", "plain"), cluster="scenario")
        return run_study(STUDIES["paired"], pairs, replace(FAST, smallest_effect=0.05))
    long = scores().replace(
        {"time": {"before": "before the long intervention", "after": "after the long intervention"}}
    )
    return run_study(STUDIES["paired"], Paired.from_frame(long), FAST)


@pytest.fixture(scope="module", params=["ratings", "answers", "scores"])
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / f"{request.param}.html"
    path.write_text(render(make(request.param)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    with Chromium() as chromium:
        yield chromium


@pytest.mark.slow
def test_a_page_is_the_same_bytes_again_and_self_contained(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert render(make(page.stem)) == text
    assert not re.search(
        r"(?:src|href)\s*=\s*[\"']?https?:(?!//doi\.org/10\.)|url\(\s*https?:", text
    )
    assert text.count("<script") == 1
    assert len(text) < 400_000
    assert "nan" not in re.sub(r"<[^>]*>|\{.*\}", " ", text).lower().split()
    found = read_results(text)
    assert found["blocks"][0]["results"][0]["terms"]
    for t in (t for b in found["blocks"] for r in b["results"] for t in r["terms"]):
        if (
            t.get("conf_low") is not None
            and t.get("conf_high") is not None
            and t.get("estimate") is not None
        ):
            assert t["conf_low"] <= t["estimate"] <= t["conf_high"]


@pytest.mark.browser
@needs_browser
@pytest.mark.parametrize("width", [320, 900])
def test_the_page_never_scrolls_sideways(browser: Chromium, page: Path, width: int) -> None:
    browser.open(page, width=width)
    browser.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert browser.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.browser
@needs_browser
def test_no_labels_of_a_figure_overlap(browser: Chromium, page: Path) -> None:
    browser.open(page)
    assert browser.evaluate(OVERLAPS) == []


@pytest.mark.browser
@needs_browser
@pytest.mark.parametrize("dark", [False, True])
def test_figures_follow_the_colour_scheme(browser: Chromium, page: Path, dark: bool) -> None:
    browser.open(page, dark=dark)
    palette = style.DARK if dark else style.LIGHT
    known = {
        "rgb({}, {}, {})".format(*(int(c[i : i + 2], 16) for i in (1, 3, 5)))
        for c in palette.values()
    }
    used = browser.evaluate(
        "[...new Set([...document.querySelectorAll('svg text')].map(t => getComputedStyle(t).fill))]"
    )
    assert set(used) <= known


@pytest.mark.browser
@needs_browser
@pytest.mark.slow
def test_words_of_tables_are_not_broken(browser: Chromium, page: Path) -> None:
    browser.open(page)
    browser.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    heads = "[...document.querySelectorAll('article td, article th')].filter(c => c.textContent.length < 14 && "
    heads += "!c.textContent.includes(' ')"
    tall = f"{heads} && c.clientHeight > 0 && [...c.childNodes].some(n => {{ const r = document.createRange(); "
    tall += (
        "r.selectNodeContents(n); return r.getClientRects().length > 1; })).map(c => c.textContent)"
    )
    assert browser.evaluate(tall) == []
