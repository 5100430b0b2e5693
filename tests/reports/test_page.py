"""The page: structure, safety, determinism, and that it says what the outcome says."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from html_page import Page
from made_up import CODES, HOSTILE, outcome

from socialstats.errors import InputError, UndefinedStatistic, caution
from socialstats.figures import forest, style
from socialstats.studies.page import Block, PageTable
from socialstats_reports import as_json, read_results, render, table_of
from socialstats_reports.arrangement import arranged
from socialstats_reports.data import ELEMENT

CSP = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
RUN = {
    "command": "socialstats report data.csv",
    "facts": {"data": "data.csv", "sha256": "ab" * 32},
    "status": "exploratory",
    "plan_text": "[study]\ntitle = 'x'\n",
    "plan_sha256": "cd" * 32,
    "deviations": ("seed changed",),
}


@pytest.fixture(scope="module")
def html() -> str:
    return render(outcome(), **RUN)


@pytest.fixture(scope="module")
def hostile_html() -> str:
    evil = HOSTILE[0]
    facts = {"data": evil}
    return render(
        outcome(hostile=True),
        command=evil,
        facts=facts,
        plan_text=evil,
        plan_sha256="ef",
        deviations=(evil,),
    )


@pytest.fixture(scope="module")
def page(html: str) -> Page:
    return Page(html)


def test_structure(page: Page) -> None:
    assert page.open == []
    assert (
        len(page.tags("h1"))
        == len(page.tags("main"))
        == len(page.tags("title")) - len(page.tags("svg")) // 2
        == 1
    )
    assert page.tags("html")[0]["lang"] == "en"
    assert page.tags("a")[0] == {"class": "skip", "href": "#main"}
    assert page.tags("th")
    assert all(th["scope"] in ("row", "col") for th in page.tags("th"))
    assert len(page.tags("caption")) == len(page.tags("table")) == 5
    assert [m["content"] for m in page.tags("meta") if m.get("http-equiv")] == [CSP]
    sections = [s["id"] for s in page.tags("section")]
    assert sections == [
        "cautions",
        "results",
        "methods",
        "quote",
        "terms",
        "notes",
        "data",
        "diagnostics",
        "verification",
        "references",
        "reproduce",
        "plan",
        "codes",
    ]


def test_headings_never_skip_a_level(page: Page) -> None:
    levels = [int(tag[1]) for tag, _, _ in page.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert all(b <= a + 1 for a, b in itertools.pairwise(levels))


def test_figures_are_named_and_ids_are_unique(page: Page) -> None:
    ids = [attrs["id"] for _, attrs, _ in page.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    figures = page.tags("svg")
    assert len(figures) == 4  # two figures, each for wide and for narrow screens
    for figure in figures:
        assert figure["role"] == "img"
        assert set(str(figure["aria-labelledby"]).split()) <= set(ids)
    for attrs in (attrs for _, attrs, _ in page.elements):
        for name in ("href", "xlink:href"):
            if name in attrs and not str(attrs[name]).startswith("https://doi.org/10."):
                assert str(attrs[name])[1:] in ids
        if "clip-path" in attrs:
            assert str(attrs["clip-path"])[5:-1] in ids


def test_figures_take_colours_and_fonts_from_the_page(html: str) -> None:
    drawings = re.findall(r"<svg.*?</svg>", html, re.S)
    for drawing in drawings:
        assert not re.search(r"#[0-9a-f]{6}", drawing)
        assert "font-family" not in drawing
        assert "<style" not in drawing
        assert "metadata" not in drawing
        assert set(re.findall(r"var\(--([\w-]+)\)", drawing)) <= set(style.LIGHT)
    assert "role number 3" in drawings[2]  # text stays text
    assert len(drawings[2]) < 60_000


def test_nothing_runs_and_nothing_is_fetched(html: str, page: Page) -> None:
    assert [s.get("type") for s in page.tags("script")] == ["application/json"]
    for _, attrs, _ in page.elements:
        assert not any(name.startswith("on") for name in attrs)
        for name in ("src", "href", "xlink:href", "style", "action", "data"):
            assert "//" not in str(attrs.get(name, "")).removeprefix("https://doi.org/10.")
    assert not re.search(r"url\((?!#)", html)
    assert "@import" not in html
    assert not {"iframe", "object", "embed", "form", "link", "base"} & {
        tag for tag, _, _ in page.elements
    }


def test_what_the_outcome_says_is_on_the_page(page: Page) -> None:
    made = outcome()
    for text in (
        made.title,
        made.design,
        made.study,
        made.simulated,
        "never beaten",
        "Cautions (5)",
        "undefined: it never lost a comparison",
        "14,000",
        "numbers of this page was recomputed by independent code and agrees.",
        "Recomputed, of all: estimates 1 of 100; ",
        "Not recomputed: counts and ranks ",
        "Reasons in the table below: no other package has it (1).",
        "socialstats report data.csv",
        "ab" * 32,
        "cd" * 32,
        "seed changed",
        "seed 7",
        "3×10⁻¹⁰",
        "Ford, L. R., Jr. (1957)",
        "Holm, S. (1979)",
        "title = 'x'",
        "14,000 rows read, 13,914 rows analysed",
    ):
        assert text in page.text, text
    assert page.text.count("Ford, L. R., Jr. (1957).") == 1
    assert page.text.index("S = 41.63") < page.text.index("Cautions (5)")


def test_at_most_five_cautions_are_open_and_notes_follow_in_the_appendix(page: Page) -> None:
    items = [
        inside
        for tag, attrs, inside in page.elements
        if tag == "li" and attrs.get("class") in ("caution", "info")
    ]
    assert len(items) == 7
    assert sum("details" in inside for inside in items) == 2
    many = replace(outcome(), cautions=tuple(caution(code, "seen") for code in ("SS103", *CODES)))
    assert len(arranged(many).cautions) == 5
    assert [said.caution.severity for said in arranged(many).cautions] == ["caution"] * 5


def test_cautions_link_to_what_they_touch_and_a_stop_stands_first() -> None:
    made = outcome()
    stop = caution("SS101", "two groups")
    held = replace(made.blocks[0].results[0], cautions=(stop,))
    block = replace(made.blocks[0], results=(held,), draw=partial(forest, held.rows))
    page = Page(
        render(replace(made, cautions=(*made.cautions, stop), blocks=(made.blocks[1], block)))
    )
    links = [attrs["href"] for tag, attrs, inside in page.elements if tag == "a" and "ol" in inside]
    assert links[:3] == ["#figure-2", "#table-1", "#SS101"]
    aside = arranged(
        replace(
            made,
            cautions=(caution("SS103"),),
            blocks=(
                replace(
                    block, part="appendix", results=(replace(held, cautions=(caution("SS103"),)),)
                ),
            ),
        )
    )
    assert not aside.cautions
    assert [said.caution.code for said in aside.notes] == ["SS103"]


def test_the_main_part_takes_eight_blocks_and_its_words_and_the_rest_goes_to_the_appendix() -> None:
    long = Block(id="b", question="Was it so?", sentences=("word " * 200,))
    blocks = tuple(replace(long, id=f"b{k}") for k in range(12))
    assert [p.part for p in arranged(replace(outcome(), blocks=blocks)).blocks].count(
        "main"
    ) in range(2, 5)
    short = tuple(replace(b, sentences=()) for b in blocks)
    assert [p.part for p in arranged(replace(outcome(), blocks=short)).blocks] == ["main"] * 8 + [
        "appendix"
    ] * 4
    few = replace(outcome(), blocks=blocks[:5])
    kept = [
        sum(p.part == "main" for p in arranged(few, told).blocks) for told in ((), ("word " * 250,))
    ]
    assert kept[1] < kept[0]  # deviations from the plan are read too
    table = PageTable(caption="t", header=("a", "b"), cells=(("x " * 1300, 1.0),))
    found = arranged(replace(outcome(), blocks=(replace(long, tables=(table,)),)))
    assert found.words < 900  # words of tables do not count
    drawn = replace(long, id="last", draw=lambda: None)
    kept_block = arranged(replace(outcome(), blocks=(*blocks, drawn)[-8:])).part("main")[-1]
    assert kept_block.block.id == "last"  # the figure of the opening stays


def test_the_opening_and_earlier_captions_are_not_said_again() -> None:
    """A result with more statistics is the same result; with another number it is not."""
    first = Block(
        id="a",
        question="Was it so?",
        sentences=("It rose (d = 0.2, t(9) = 2.1).", "It rose (d = 0.4)."),
        draw=lambda: None,
        caption="Points with 95% CIs by the t distribution. n = 9.",
    )
    again = replace(
        first, id="b", sentences=("It fell.",), caption=f"{first.caption} Lines: means."
    )
    made = replace(outcome(), answer=("It rose (d = 0.2).",), planning=(), blocks=(first, again))
    shown = arranged(made).part("main")
    assert [one.sentences for one in shown] == [("It rose (d = 0.4).",), ("It fell.",)]
    assert shown[0].caption == first.caption
    assert shown[1].caption == "n = 9. Lines: means. Otherwise as Figure 1."


def test_what_open_cautions_link_to_is_marked_for_print() -> None:
    plain = outcome()
    stop = caution("SS101", "two groups")
    held = replace(plain.blocks[0].results[0], cautions=(stop,))
    block = replace(plain.blocks[0], results=(held,), draw=partial(forest, held.rows))
    linked = replace(plain, cautions=(stop,), blocks=(plain.blocks[1], block))
    assert arranged(linked).referred == {"figure 2", "table 1"}
    marked = {
        attrs["id"]
        for _, attrs, _ in Page(render(linked)).elements
        if "referred" in str(attrs.get("class")).split()
    }
    assert marked == {"figure-2", "table-1"}
    assert not arranged(replace(linked, cautions=())).referred


def test_figures_and_tables_are_numbered_in_reading_order(page: Page) -> None:
    numbers = re.findall(r"(Figure|Table) (A?\d+)\.", page.text)
    assert list(dict.fromkeys(numbers)) == [
        ("Figure", "1"),
        ("Table", "1"),
        ("Figure", "2"),
        ("Table", "A1"),
        ("Table", "A2"),
        ("Table", "A3"),
        ("Table", "A4"),
    ]


def test_the_text_has_no_impossible_numbers(page: Page) -> None:
    for wrong in (
        "nan",
        "-0.00",
        "\u22120.00",
        "p = .000",
        "p = 0.000",
        "None",
        "inf ",
        "Undefined",
        "Markup(",
    ):
        assert not re.search(rf"(?<![A-Za-z]){re.escape(wrong)}(?![a-z0-9])", page.text), wrong


@pytest.mark.slow
def test_hostile_strings_are_inert(hostile_html: str) -> None:
    page, plain = (
        Page(hostile_html),
        Page(render(outcome(), plan_text="x", plan_sha256="ef", deviations=("x",), command="x")),
    )
    assert page.open == []
    assert {tag for tag, _, _ in page.elements} == {tag for tag, _, _ in plain.elements}
    assert len(page.tags("script")) == 1
    assert not page.tags("img")
    for _, attrs, _ in page.elements:
        assert not any(name.startswith("on") for name in attrs)
    assert "{{ 7 * 7 }}" in page.text
    for bad in "\x00\u202e\u202c\u2028\ud800":
        assert bad not in hostile_html
    assert "alert(1)" in page.text  # shown, not run
    assert "SS403" in page.text
    hostile_html.encode("utf-8")


def test_no_more_elements_with_hostile_strings_than_without(hostile_html: str) -> None:
    plain = Page(
        render(
            outcome(),
            plan_text="x",
            plan_sha256="ef",
            deviations=("x",),
            command="x",
            facts={"data": "x"},
        )
    )
    hostile = Page(hostile_html)

    def rows(page: Page) -> int:
        return len(page.tags("tr"))

    assert rows(hostile) == rows(plain)
    assert len(hostile.tags("table")) == len(plain.tags("table"))


def test_long_labels_are_cut_on_the_page_and_whole_in_the_json(hostile_html: str) -> None:
    page = Page(hostile_html)
    assert "r" * 241 not in page.text
    terms = [t["term"] for t in read_results(hostile_html)["blocks"][0]["results"][0]["terms"]]
    assert "r" * 300 in terms
    assert HOSTILE[0] in terms
    assert "nul\x00nul" in terms


def test_the_numbers_are_in_the_page_as_json(html: str) -> None:
    found = read_results(html)
    assert found["run"]["command"] == "socialstats report data.csv"
    terms = found["blocks"][0]["results"][0]["terms"]
    assert len(terms) == 65
    assert terms[0]["estimate"] == outcome().blocks[0].results[0].rows[0].estimate
    assert terms[-1]["undefined"] == "it never lost a comparison"
    assert {k: v for k, v in found.items() if k != "run"} == json.loads(as_json(outcome()))
    raw = html[html.index(f'id="{ELEMENT}">') :].partition(">")[2].partition("</script>")[0]
    assert not set("<>&\u2028\u2029") & set(raw)
    with pytest.raises(InputError, match="was not made by socialstats report"):
        read_results("<p>another page</p>")


@pytest.mark.slow
def test_the_page_is_the_same_bytes_every_time_and_under_another_hash_seed(html: str) -> None:
    assert render(outcome(), **RUN) == html
    here = Path(__file__).parent
    code = (
        f"import sys, hashlib; sys.path[:0] = {[str(here), *sys.path]!r}\n"
        f"from made_up import outcome; from socialstats_reports import render\n"
        f"print(hashlib.sha256(render(outcome(), **{RUN!r}).encode()).hexdigest())"
    )
    seed = "0" if os.environ.get("PYTHONHASHSEED") == "4242" else "4242"
    command, env = [sys.executable, "-c", code], os.environ | {"PYTHONHASHSEED": seed}
    done = subprocess.run(command, env=env, check=True, capture_output=True, text=True, timeout=120)
    assert done.stdout == hashlib.sha256(html.encode()).hexdigest() + "\n"


def test_no_date_unless_one_is_given(html: str) -> None:
    assert not re.search(r"20[2-9]\d-\d\d-\d\d", html)
    assert "2026-03-01" in render(outcome(), date="2026-03-01")


def test_size(html: str, hostile_html: str) -> None:
    assert len(html.encode()) < 200_000
    assert len(hostile_html.encode()) < 250_000


def test_columns_without_values_are_left_out_and_numbers_are_flush_right(
    html: str, page: Page
) -> None:
    assert ">Empty<" not in html
    assert '<th scope="col" class="num">Log-strength</th>' in html
    assert '<th scope="col" class="num">p</th>' in html
    assert '<th scope="col">Role</th>' in html


def test_an_undefined_figure_is_said_not_drawn() -> None:
    def draw() -> object:
        raise UndefinedStatistic("item 'x' never lost")

    block = Block(
        id="b",
        question="?",
        sentences=("See below.",),
        draw=draw,
        tables=(PageTable(caption="c", header=("a",), cells=()),),
    )  # type: ignore[arg-type]
    text = Page(render(replace(outcome(), blocks=(block,)))).text
    assert "Figure 1 is undefined: item 'x' never lost." in text


def test_an_outcome_with_nothing_optional_renders() -> None:
    bare = replace(
        outcome(),
        cautions=(),
        blocks=(),
        flow=(),
        data=(),
        diagnostics=(),
        methods=(),
        references=(),
        verifications={},
        settings={},
        simulated="",
    )
    page = Page(render(bare))
    assert page.open == []
    assert "No caution or note applies to the main results." in page.text
    assert "No numbers were found." in page.text
    assert "simulated" not in page.text.casefold()


def test_pyplot_keeps_no_figure_of_the_page() -> None:
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    render(outcome())
    assert plt.get_fignums() == before


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (1, "1 label is too long or holds characters"),
        (2, "2 labels are too long or hold characters"),
    ],
)
def test_the_note_on_labels_counts_in_grammar(labels: int, said: str) -> None:
    cells = tuple((str(k) * 300, 1.0) for k in range(labels))
    block = Block(
        id="x",
        question="q",
        sentences=(),
        tables=(PageTable(caption="c", header=("a", "b"), cells=cells),),
    )
    assert said in Page(render(replace(outcome(), blocks=(block,), data=()))).text


def test_columns_have_decimals_of_their_own() -> None:
    table = PageTable(
        caption="c", header=("a", "b", "c"), cells=(("x", 0.123456, 7.5),), digits=(3, 5, 0)
    )
    block = Block(id="x", question="q", sentences=(), tables=(table,))
    text = Page(render(replace(outcome(), blocks=(block,), data=()))).text
    assert "0.12346" in text
    assert "7.5" not in text.split("0.12346")[1].split("Methods")[0]


@pytest.mark.parametrize(("rows", "shown"), [(200, 200), (201, 30), (2000, 30)])
def test_long_tables_show_both_ends_and_name_the_command_that_prints_all(
    rows: int, shown: int
) -> None:
    cells = tuple((f"item {k}", float(k)) for k in range(rows))
    block = Block(
        id="strengths",
        question="Which?",
        sentences=(),
        tables=(PageTable("Strengths", ("Item", "x"), cells),),
    )
    html = render(replace(outcome(), blocks=(block,), data=()))
    found = re.findall(r"<th scope=row>(item \d+)</th>", html)
    assert found == [f"item {k}" for k in range(rows) if shown == rows or not 15 <= k < rows - 15]
    left = f"{rows - 30:,} row{'s' if rows > 31 else ''} not shown"
    assert (left in html) == (shown < rows)
    results = read_results(html)
    (number,) = [t["number"] for b in results["blocks"] for t in b["tables"]]
    assert table_of(results, number, "csv").splitlines()[1:] == [
        f"item {k},{k}.0" for k in range(rows)
    ]
    assert table_of(results, number, "md").count("item ") == rows
    assert (
        f"“socialstats show PAGE --table {number} --format csv” prints all {rows:,} rows" in html
    ) == (shown < rows)


def test_a_term_is_explained_where_it_first_stands_and_in_the_list(page: Page) -> None:
    linked = [attrs for tag, attrs, _ in page.elements if attrs.get("class") == "term"]
    listed = [attrs["id"] for tag, attrs, inside in page.elements if tag == "dd" and "id" in attrs]
    assert linked
    assert [link["aria-describedby"] for link in linked] == [
        name for name in listed if str(name).startswith("term-")
    ]
    for link in linked:
        assert link["href"] == f"#{link['aria-describedby']}"
        assert str(link["data-explain"]) in page.text


def test_terms_of_the_users_labels_and_of_code_are_left_alone() -> None:
    from socialstats_reports.glossary import explain_terms

    text = (
        "<pre>odds</pre><svg><text>odds</text></svg><a href='#x'>odds</a><p>Against all odds.</p>"
    )
    explained, terms = explain_terms(text)
    assert list(terms) == ["odds"]
    assert explained.startswith("<pre>odds</pre><svg><text>odds</text></svg><a href='#x'>odds</a>")
    assert explain_terms("<p>periods of coddled pandas</p>") == (
        "<p>periods of coddled pandas</p>",
        {},
    )
