from __future__ import annotations

import importlib
from pathlib import Path
from types import SimpleNamespace

import pytest


@pytest.fixture
def page(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    return importlib.import_module("page")


def line(tool, cpu, target=0.0, **more):
    entry = SimpleNamespace(
        tool=tool,
        what="fit",
        errors="none",
        target=target,
        calls=more.pop("calls", 2),
        by_first=more.pop("by_first", False),
    )
    return {
        "entry": entry,
        "first": cpu,
        "cpu": cpu,
        "wall": cpu,
        "peak": 100.0,
        "gap": None,
    } | more


def test_a_ratio_says_whether_its_target_is_met(page):
    ours = line("socialstats", 0.01)
    assert page.verdict(line("peer", 0.02, target=1.5), ours, "cpu") == "**2x** (target 1.5x: met)"
    assert (
        page.verdict(line("peer", 0.012, target=1.5), ours, "cpu")
        == "**1.2x** (target 1.5x: not met)"
    )
    assert page.verdict(line("peer", 25.0), ours, "cpu") == "2,500x"


def test_a_tool_called_once_is_compared_with_our_first_call(page):
    ours, theirs = (
        line("socialstats", 0.01, first=0.1),
        line("peer", 1.0, target=20.0, first=1.5, calls=1),
    )
    assert page.verdict(theirs, ours, "first") == "**15x** (target 20x: not met)"
    assert page.verdict(theirs, ours, "cpu") == ""
    compiled = line("peer", 0.1, target=20.0, first=3.0, by_first=True)
    assert page.verdict(compiled, ours, "first") == "**30x** (target 20x: met)"
    assert page.verdict(compiled, ours, "cpu") == "10x"


def test_times_are_printed_in_their_unit(page):
    assert [page.seconds(x) for x in (0.00482, 0.2451, 12.34, 5120.0)] == [
        "4.82 ms",
        "0.245 s",
        "12.3 s",
        "5,120 s",
    ]


def test_only_what_stands_between_the_markers_of_the_tour_changes(page, tmp_path):
    tour = tmp_path / "tour.md"
    head = "\n".join(page.HEAD)
    tour.write_text(
        f"before\n{page.START}\n{head}\n| a | 1 | x | 2 |\n| b | 1 | y | 2 |\n{page.END}\nafter\n"
    )
    page.put_into_tour(tour, {"b": ["| b | 9 | y | 8 |"], "c": ["| c | 3 | z | 4 |"]}, keep=True)
    kept = f"{head}\n| a | 1 | x | 2 |\n| b | 9 | y | 8 |\n| c | 3 | z | 4 |"
    assert tour.read_text() == f"before\n{page.START}\n{kept}\n{page.END}\nafter\n"
    page.put_into_tour(tour, {"d": ["| d | 3 | z | 4 |"]})
    assert (
        tour.read_text() == f"before\n{page.START}\n{head}\n| d | 3 | z | 4 |\n{page.END}\nafter\n"
    )
    tour.write_text("no markers\n")
    page.put_into_tour(tour, {})
    assert tour.read_text() == "no markers\n"
    page.put_into_tour(tmp_path / "absent.md", {})
    assert not (tmp_path / "absent.md").exists()


def test_sections_that_were_not_measured_are_kept(page):
    old = page.page({"One": "## One\n\n| 1 |\n", "Two": "## Two\n\n| 2 |\n"})
    plan = {"two": ("Two", ())}
    ours = line("socialstats", 0.2)
    ours["entry"].seconds = 0.5
    new = page.page(page.kept(old) | page.sections(plan, {"two": [ours]}, {}, {}))
    assert "## One\n\n| 1 |\n" in new
    assert "| 2 |" not in new
    assert "Ours: 0.2 s (target 0.5 s: met)." in new


def test_the_words_of_the_page_are_those_of_its_generator(page):
    text = (Path(__file__).parents[2] / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert page.page(page.kept(text)) == text
    assert [name for name, note in page.NOTES.items() if note not in text] == []


@pytest.mark.parametrize(
    ("ours", "theirs", "data"),
    [
        ("ours_kappa", "sklearn_kappa", "two_raters"),
        ("ours_alpha", "krippendorff_loop", "many_raters"),
        ("ours_flips", "scipy_flips", "differences"),
        ("ours_crossed", "numpy_crossed", "persons_by_items"),
    ],
)
def test_both_sides_of_a_benchmark_compute_the_same(monkeypatch, ours, theirs, data):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    tools = importlib.import_module("agreement_tools")
    made = getattr(tools, data)()
    one, two = (getattr(tools, name)(99) for name in (ours, theirs))
    assert one(one.prepare(made)) == pytest.approx(two(two.prepare(made)), rel=1e-12)


def test_pages_say_whether_time_and_size_are_in_bounds(page):
    one = {
        "name": "role-conflict",
        "wall": 7.0,
        "cpu": 9.0,
        "peak": 300.0,
        "bytes": 800_000,
        "target": 10.0,
        "same": True,
        "turns": 3,
    }
    text = page.report_times.section([one, one | {"wall": 12.0, "bytes": 1_200_000, "same": False}])
    assert "| role-conflict | 7.0 s (target 10 s: met) | 9.0 s | 300 | 800 | yes |" in text
    assert (
        "| role-conflict | 12.0 s (target 10 s: not met) | 9.0 s | 300 | 1,200 (target 1,000: not met) | no |"
        in text
    )
