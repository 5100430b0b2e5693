"""What the page of every study must hold: structure, safety, sameness, possible numbers that stand in its tables."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import re
import subprocess
import sys
from math import exp
from pathlib import Path
from typing import Any

import pytest
from example_pages import RUN, STUDY_TESTS, made, read
from html_page import Page

from socialstats.results import builtin_value
from socialstats.studies import STUDIES
from socialstats.studies.page import Outcome
from socialstats_reports import as_json, read_results, render

sys.path.insert(0, str(STUDY_TESTS))
from study_examples import EXAMPLES, HOSTILE, PAGES, outcome_of
from study_tables import known_numbers

pytestmark = pytest.mark.slow  # whole pages

FETCHES = ("src", "href", "xlink:href", "action", "data", "poster", "srcset", "background")
DOI = "https://doi.org/10."  # a link that a reader may follow; nothing is fetched
IMPOSSIBLE = (
    "nan",
    "-0.00",
    "\u22120.00",
    "p = .000",
    "p = 0.000",
    "p < .000",
    "None",
    "inf",
    "Undefined",
    "Markup(",
)
DECIMAL = re.compile(r"(?<![\w.,])(?<!< )(?<!> )\u2212?\d*\.\d+(?![\w])")


@pytest.fixture(
    scope="module", params=PAGES
)  # all tests of a page follow one another: one worker makes it
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def html(name: str) -> str:
    return made(name)[1]


@pytest.fixture
def page(name: str) -> Page:
    return read(name)


def test_every_study_has_an_example() -> None:
    assert set(STUDIES) == set(EXAMPLES), (
        "add a small table to EXAMPLES of tests/studies/study_examples.py"
    )


def test_an_example_is_of_its_study(name: str) -> None:
    assert made(name)[0].study == PAGES[name][0]
    assert name not in EXAMPLES or PAGES[name][0] == name


def test_one_main_one_heading_a_language_and_no_level_skipped(page: Page) -> None:
    assert page.open == []
    assert len(page.tags("h1")) == len(page.tags("main")) == 1
    assert page.tags("html")[0]["lang"] == "en"
    levels = [int(tag[1]) for tag, _, _ in page.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert all(b <= a + 1 for a, b in itertools.pairwise(levels))
    ids = [attrs["id"] for _, attrs, _ in page.elements if "id" in attrs]
    assert len(ids) == len(set(ids))


def test_the_main_part_is_short(page: Page) -> None:
    assert page.prose <= 900
    main = [
        inside for tag, _, inside in page.elements if tag == "article" and "details" not in inside
    ]
    assert len(main) <= 8
    assert (
        len(
            [
                inside
                for tag, _, inside in page.elements
                if tag == "li" and inside[-1] == "ol" and "details" not in inside
            ]
        )
        <= 5
    )
    assert [
        attrs.get("open") for attrs in page.tags("details") if attrs.get("id") == "appendix"
    ] == [None]


def test_links_lead_somewhere_and_numbers_are_in_reading_order(page: Page) -> None:
    ids = {attrs.get("id") for _, attrs, _ in page.elements}
    inner = [
        str(attrs["href"])[1:] for attrs in page.tags("a") if str(attrs["href"]).startswith("#")
    ]
    assert inner
    assert set(inner) <= ids
    assert [
        attrs["href"] for tag, attrs, inside in page.elements if tag == "a" and "nav" in inside
    ][-1] == "#appendix"
    for kind in ("figure", "table"):
        found = [
            str(i).removeprefix(f"{kind}-")
            for _, a, _ in page.elements
            if str(i := a.get("id")).startswith(kind)
        ]
        main = [number for number in found if number[0] != "A"]
        assert found == [str(k + 1) for k in range(len(main))] + [
            f"A{k + 1}" for k in range(len(found) - len(main))
        ]
    for attrs in page.tags("ul"):
        if attrs.get("class") == "references":
            assert DOI in "".join(str(a.get("href")) for a in page.tags("a"))


def test_tables_have_captions_and_scoped_headers(page: Page) -> None:
    assert page.tags("table")
    assert len(page.tags("caption")) == len(page.tags("table"))
    assert all(th.get("scope") in ("row", "col") for th in page.tags("th"))


def test_figures_have_a_title(page: Page) -> None:
    figures = page.tags("svg")
    assert figures
    ids = {attrs.get("id") for _, attrs, _ in page.elements}
    titles = [
        attrs for tag, attrs, inside in page.elements if tag == "title" and inside[-1] == "svg"
    ]
    assert 2 * len(titles) == len(
        figures
    )  # the drawings for wide and for narrow screens share a title
    for figure in figures:
        assert figure["role"] == "img"
        assert set(str(figure["aria-labelledby"]).split()) <= ids


@pytest.mark.parametrize("hostile", [False, True])
def test_nothing_runs_and_nothing_is_fetched(name: str, hostile: bool) -> None:
    html, page = made(name, hostile)[1], read(name, hostile)
    assert [script.get("type") for script in page.tags("script")] == ["application/json"]
    for _, attrs, _ in page.elements:
        assert not [attr for attr in attrs if attr.startswith("on")]
        assert all(str(attrs[attr]).startswith(("#", DOI)) for attr in FETCHES if attr in attrs)
        assert "url(" not in str(attrs.get("style", "")).replace("url(#", "")
    outside = re.sub(r"<script.*?</script>", "", html, flags=re.S)
    assert not re.search(r"(?:src|href)\s*=\s*[\"']?\s*(?:https?:|//)", outside.replace(DOI, ""))
    assert not re.search(r"url\((?!#)", outside)
    assert "@import" not in html
    assert not {"iframe", "object", "embed", "form", "link", "base", "img"} & {
        tag for tag, _, _ in page.elements
    }


def test_strangers_strings_are_inert(name: str) -> None:
    plain, hostile = read(name), read(name, True)
    assert hostile.open == []
    shapes = {"details", "summary", "ol", "h4"}
    assert {tag for tag, _, _ in hostile.elements} <= {tag for tag, _, _ in plain.elements} | shapes
    html = made(name, True)[1]
    for bad in "\x00\u202e\u202c\u2028":
        assert bad not in html
    assert "r" * 241 not in hostile.text
    found = read_results(html)
    assert found["study"] == PAGES[name][0]
    assert any(text in str(found) for text in HOSTILE)


def test_the_page_is_the_same_bytes_again(name: str, html: str) -> None:
    assert render(outcome_of(name), **RUN) == html


def test_the_pages_are_the_same_bytes_in_another_process_under_another_hash_seed() -> None:
    """A new process makes all pages with the imports of the command line; this one made them in the tests' order."""
    seed = "0" if os.environ.get("PYTHONHASHSEED") == "4242" else "4242"
    paths = [str(Path(__file__).parent), str(STUDY_TESTS), *sys.path]
    code = (
        f"import sys; sys.path[:0] = {paths!r}\n"
        "import socialstats.cli, hashlib\n"
        "from study_examples import PAGES, outcome_of; from socialstats_reports import render\n"
        f"for name in PAGES:\n    text = render(outcome_of(name), **{RUN!r})\n"
        "    print(hashlib.sha256(text.encode()).hexdigest(), name)"
    )
    command, env = [sys.executable, "-c", code], os.environ | {"PYTHONHASHSEED": seed}
    run = subprocess.run(
        command, env=env, text=True, stdout=subprocess.PIPE, check=True, timeout=300
    )
    found = {
        name: digest for digest, name in (line.split(" ", 1) for line in run.stdout.splitlines())
    }
    assert found == {name: hashlib.sha256(made(name)[1].encode()).hexdigest() for name in PAGES}


def test_no_impossible_number_is_printed(page: Page) -> None:
    for wrong in IMPOSSIBLE:
        assert not re.search(
            rf"(?<![A-Za-z'\u2018]){re.escape(wrong)}(?![A-Za-z0-9]| of )", page.text
        ), wrong


def test_intervals_hold_their_estimates(name: str, html: str) -> None:
    found = read_results(html)
    terms = [
        term for block in found["blocks"] for result in block["results"] for term in result["terms"]
    ]
    held = [
        t
        for t in terms
        if all(t.get(key) is not None for key in ("estimate", "conf_low", "conf_high"))
    ]
    assert held
    for term in held:
        assert term["conf_low"] <= term["estimate"] <= term["conf_high"], term
    for t in terms:
        assert t.get("p_value") is None or 0 < t["p_value"] <= 1
        assert t.get("p_adjusted") is None or t["p_adjusted"] >= (t.get("p_value") or 0)


def test_numbers_of_sentences_are_in_the_tables(name: str) -> None:
    outcome = made(name)[0]
    shown = {float(v.replace("\u2212", "-").replace(",", "")) for v in cells(read(name))}
    known = (
        known_numbers(outcome)
        | shown
        | {float(outcome.settings.get("level", 0.95)), *extras(outcome)}
    )
    known |= rank_sets(outcome) | odds(outcome) | contests(outcome) | turned_gaps(outcome)
    sentences = [*outcome.answer, *(text for block in outcome.blocks for text in block.sentences)]
    assert any(DECIMAL.search(text) for text in sentences)
    for text in sentences:
        for word in DECIMAL.findall(text):
            assert is_known(word, text, known), f"{word} in: {text}"


def cells(page: Page) -> list[str]:
    """Return every number that stands in a cell of a table."""
    return [word for text in page.cells for word in re.findall(r"\u2212?[\d,]*\.?\d+", text)]


def extras(outcome: Outcome) -> set[float]:
    """Return the numbers beside the rows: counts, fits, named values of the metrics, and 1 - level."""
    found: set[float] = set()

    def collect(value: Any) -> None:
        if isinstance(value, dict):
            for inner in value.values():
                collect(inner)
        elif isinstance(value, list | tuple):
            for inner in value:
                collect(inner)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found.add(float(value))

    for result in (result for block in outcome.blocks for result in block.results):
        collect(builtin_value(result.extras))
        collect(builtin_value(result.fit))
        collect(builtin_value(result.counts))
        collect(builtin_value(result.settings))
    level = float(outcome.settings.get("level", 0.95))
    smallest = outcome.settings.get("smallest_effect")
    return (
        found | {1 - level, 0.5} | ({smallest, -smallest} if isinstance(smallest, float) else set())
    )


def rank_sets(outcome: Outcome) -> set[float]:
    """Return the mean size of the rank sets of each result of ranks."""
    results = [
        result
        for block in outcome.blocks
        for result in block.results
        if "rank" in result.title.lower()
    ]
    sizes = [
        [r.conf_high - r.conf_low + 1 for r in result.rows if r.conf_low and r.conf_high]
        for result in results
    ]
    return {sum(size) / len(size) for size in sizes if size}


def odds(outcome: Outcome) -> set[float]:
    """Return the odds (and intervals of odds) that log-odds stand for."""
    rows = [row for block in outcome.blocks for result in block.results for row in result.rows]
    rows = [row for row in rows if row.group in ("covariate", "order", "tie", "effect")]
    return {
        exp(v)
        for row in rows
        for v in (row.estimate, row.conf_low, row.conf_high)
        if v is not None and v < 50
    }


def turned_gaps(outcome: Outcome) -> set[float]:
    """Return differences of models the other way round: sentences name the model with the larger number first."""
    rows = [
        row
        for block in outcome.blocks
        for result in block.results
        if "by_model" in result.extras
        for row in result.rows
        if row.group == "difference"
    ]
    fields = ("estimate", "conf_low", "conf_high", "statistic")
    return {-value for row in rows for name in fields if (value := getattr(row, name)) is not None}


def contests(outcome: Outcome) -> set[float]:
    """Return the chance of a weaker item (by one sd) whose covariate is one step higher: 1 / (1 + exp(sd - step))."""
    results = [result for block in outcome.blocks for result in block.results]
    sds = {result.extras["sd"] for result in results if isinstance(result.extras.get("sd"), float)}
    steps = {row.estimate for result in results for row in result.rows if row.group == "covariate"}
    return {1 / (1 + exp(sd - step)) for sd in sds for step in steps if step is not None}


def is_known(word: str, text: str, known: set[float]) -> bool:
    """Tell whether a decimal is the rounding of a known number, or of its percentage where the text has one."""
    value, digits = float(word.replace("\u2212", "-")), len(word.partition(".")[2])
    scales = (1, 100) if "%" in text else (1,)
    return any(abs(scale * x - value) <= 10.0**-digits * 0.51 for x in known for scale in scales)


@pytest.mark.parametrize("hostile", [False, True])
def test_size(name: str, hostile: bool) -> None:
    assert len(made(name, hostile)[1].encode()) < 600_000


def test_the_json_is_that_of_the_outcome(name: str, html: str) -> None:
    found = read_results(html)
    assert {key: value for key, value in found.items() if key != "run"} == json.loads(
        as_json(made(name)[0])
    )
