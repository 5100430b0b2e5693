"""Who was shown first, on the command line: declared by `--order`, never taken from a column's place."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from socialstats import datasets
from socialstats.cli import main
from socialstats_reports import read_results
from tests.cli.test_init_guesses import page_of, planned

sys.path.insert(0, str(Path(__file__).parents[1] / "studies"))
from ordered_tables import BEATS, counted, zermelo

QUICK = ["--resamples", "100", "--no-verify", "-q"]


def report(frame: pd.DataFrame, folder: Path, *words: str) -> dict[str, Any]:
    """Return the numbers of the page of a table."""
    frame.to_csv(folder / "t.csv", index=False)
    assert (
        main(["report", str(folder / "t.csv"), "-o", str(folder / "p.html"), *QUICK, *words]) == 0
    )
    return read_results((folder / "p.html").read_text(encoding="utf-8"))


def estimates(page: dict[str, Any]) -> dict[str, float]:
    """The coefficients of the model of a page, by term."""
    return {term["term"]: term["estimate"] for term in page["blocks"][0]["results"][0]["terms"]}


def told(
    frame: pd.DataFrame, folder: Path, capsys: pytest.CaptureFixture[str], *words: str
) -> tuple[int, str]:
    """Return the exit code of `check`, and its line about the order or its error."""
    frame.to_csv(folder / "t.csv", index=False)
    code = main(["check", str(folder / "t.csv"), *words])
    out, err = capsys.readouterr()
    return code, err or next(line for line in out.splitlines() if line.startswith("order  "))


@pytest.mark.parametrize("names", [("item_a", "item_b"), ("left", "right"), ("home", "away")])
def test_the_page_of_a_table_without_an_order_has_the_strengths_of_python(
    names: tuple[str, str], tmp_path: Path
) -> None:
    frame = counted(BEATS).set_axis([*names, "winner"], axis=1)
    page = report(frame, tmp_path)
    assert estimates(page) == pytest.approx(zermelo(BEATS), abs=1e-6)
    assert page["answer"][0].startswith("C ranked first (log-strength 0.75")


@pytest.mark.parametrize(
    "order", [["--order", "item_a"], ["--order", "left"], ["--map", "order=left"]]
)
@pytest.mark.slow
def test_the_first_column_is_declared_whatever_it_is_called(
    order: list[str], tmp_path: Path
) -> None:
    frame = counted(BEATS).set_axis(["left", "right", "winner"], axis=1)
    page = report(frame, tmp_path, *order)
    assert estimates(page)["order"] == pytest.approx(-1.386, abs=0.001)
    assert page["answer"][0].startswith("A had the largest log-strength (")
    detail = next(c["detail"] for c in page["cautions"] if c["code"] == "SS111")
    assert detail.startswith("without the order effect, the strongest item was C (with it A)")


def test_the_second_column_shown_first_turns_the_sign(tmp_path: Path) -> None:
    first, second = (
        estimates(report(counted(BEATS), tmp_path, "--order", part))
        for part in ("item_a", "item_b")
    )
    assert second.pop("order") == pytest.approx(-first.pop("order"), abs=1e-9)
    assert second == pytest.approx(first, abs=1e-9)


WINS = {
    ("p", "q"): (5, 3),
    ("q", "p"): (3, 4),
    ("q", "r"): (4, 3),
    ("r", "q"): (2, 5),
    ("p", "r"): (5, 2),
}
MIXED = counted(WINS).set_axis(["left", "right", "winner"], axis=1)
NONE = "not declared: no order effect is estimated"


@pytest.mark.parametrize(
    ("frame", "words", "line"),
    [
        (MIXED.assign(order=MIXED["left"]), [], "column order"),
        (MIXED.assign(who=MIXED["left"]), ["--order", "who"], "column who"),
        (MIXED, ["--order", "item_a"], "first column, left (declared)"),
        (MIXED, ["--order", "item_b"], "second column, right (declared)"),
        (MIXED, [], NONE),
        (MIXED.assign(order=MIXED["left"]), ["--map", "order="], NONE),
        (MIXED.assign(order=MIXED["left"]), ["--order", ""], NONE),
        (
            counted(BEATS),
            [],
            f"{NONE} (labels are sorted in every row, so the columns do not show who was first)",
        ),
        (
            counted({("a", "b"): (2, 3), ("c", "b"): (3, 2), ("c", "a"): (2, 2)}),
            [],
            f"{NONE} (no pair is in both orders: an order effect would rest on the model alone)",
        ),
    ],
)
def test_check_says_what_declares_the_order(
    frame: pd.DataFrame,
    words: list[str],
    line: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert told(frame, tmp_path, capsys, *words) == (0, f"order       {line}")


RATINGS = pd.DataFrame({"unit": [1, 1, 2, 2], "rater": ["x", "y"] * 2, "value": [1, 2, 2, 2]})


@pytest.mark.parametrize(
    ("frame", "words", "error"),
    [
        (
            MIXED.assign(item_a=MIXED["left"]),
            ["--map", "item_a=left", "--map", "item_b=right", "--order", "item_a"],
            "--order item_a is the item column 'left' or the column of that name",
        ),
        (
            MIXED,
            ["--order", "item_a", "--map", "order=right"],
            "the order is said twice, by --order and by --map",
        ),
        (MIXED, ["--order", "nobody"], "no column 'nobody' (asked for as order)"),
        (RATINGS, ["--order", "item_a"], "--order is for comparisons"),
    ],
)
def test_an_order_that_cannot_be_meant_is_an_error(
    frame: pd.DataFrame,
    words: list[str],
    error: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, err = told(frame, tmp_path, capsys, *words)
    assert code == 2
    assert error in err


@pytest.mark.parametrize(
    ("words", "planned_order"),
    [
        (["--order", "item_a"], "item_a"),
        (["--order", "item_b"], "item_b"),
        ([], "first"),
        (["--map", "order="], ""),
    ],
)
@pytest.mark.slow
def test_a_plan_reads_the_order_as_it_was_declared(
    words: list[str], planned_order: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = MIXED.assign(first=MIXED["right"].where(MIXED.index % 4 == 0, MIXED["left"]))
    plan = planned(frame, tmp_path, capsys, *words)
    assert plan["data"]["order"] == planned_order
    assert "order" not in plan["data"]["map"]
    page = page_of(tmp_path, capsys)
    assert page["run"]["deviations"] == ["resamples: the plan says 2000, the command line 100"]
    assert estimates(page) == estimates(report(frame, tmp_path, *words))
    again = page_of(tmp_path, capsys, "--order", "right")
    assert (
        f"order: the plan says {planned_order!r}, the command line 'right'"
        in again["run"]["deviations"]
    )


def test_examples_have_the_order_effects_that_their_data_declare(tmp_path: Path) -> None:
    """The home advantage of Agresti (2002, p. 438) is 0.302; the columns of the citations are no order."""
    found = {}
    for name in ("baseball", "journal-citations"):
        assert main(["report", "--example", name, "-o", str(tmp_path / "p.html"), *QUICK]) == 0
        found[name] = estimates(read_results((tmp_path / "p.html").read_text(encoding="utf-8")))
    assert round(found["baseball"]["order"], 3) == 0.302
    assert set(found["journal-citations"]) == set(datasets.journal_citations()["item_a"]) | set(
        datasets.journal_citations()["item_b"]
    )
