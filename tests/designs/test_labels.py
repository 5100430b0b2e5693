"""Labels that look alike: a caution that says where they differ."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest

from socialstats.cli import main
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.paired import Paired
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError
from socialstats.tables.spelling import spelling_key, twins

NFC, NFD, WIDE, HIDDEN = "caf\u00e9", "cafe\u0301", "\uff21", "A\u200b"


def alike(design: Any) -> list[str]:
    assert all(c.severity == "caution" for c in design.cautions if c.code == "SS306")
    return [c.detail for c in design.cautions if c.code == "SS306"]


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        (NFC, NFD, "'cafe\u0301' (U+0065 U+0301) = 'caf\u00e9' (U+00E9)"),
        ("A", HIDDEN, "'A' = 'A' (U+200B at the end)"),
        ("A", WIDE, "'A' (U+0041) = '\uff21' (U+FF21)"),
        ("a b", "a\u00a0b", "'a b' (U+0020) = 'a b' (U+00A0)"),
        ("a\u00adb", "ab", "'ab' = 'ab' (U+00AD)"),
        ("\u2764", "\u2764\ufe0f", "'\u2764' = '\u2764' (U+FE0F at the end)"),
        ("Nurse", "nurse ", "'Nurse' = 'nurse '"),
        ("Strasse", "stra\u00dfe", "'Strasse' (U+0073 U+0073) = 'stra\u00dfe' (U+00DF)"),
    ],
)
def test_items_that_look_alike_are_shown_with_what_differs(one: str, other: str, said: str) -> None:
    rows = {"item_a": [one, other, one], "item_b": ["son"] * 3, "winner": ["son"] * 3}
    assert len(Comparisons.from_frame(rows).items) == 3
    found = [detail.removeprefix("items: ") for detail in alike(Comparisons.from_frame(rows))]
    assert [sorted(found[0].split(" = "))] == [sorted(said.split(" = "))]


@pytest.mark.parametrize(
    "pair", [("x1", "x2"), ("a", "\u0430"), ("re\u0301sume", "resume"), ("ab", "a b"), ("+1", "-1")]
)
def test_labels_that_differ_to_the_eye_or_in_script_are_no_twins(pair: tuple[str, str]) -> None:
    assert twins(pair) == []


def test_every_column_of_labels_that_is_reported_by_name_is_looked_at() -> None:
    n = 8
    names, others = ["u1", "u2"] * (n // 2), [NFC, NFC, NFD, NFD] * (n // 4)
    base: dict[str, Any] = {
        "unit": [f"u{k // 2}" for k in range(n)],
        "rater": ["x", "X "] * (n // 2),
    }
    base |= {"value": ["yes", "no"] * (n // 2), "kind": ["k", "k", "K", "K"] * 2, "topic": others}
    ratings = Ratings.from_frame(
        base | {"sex": ["f", "F"] * 4},
        scale="nominal",
        strata="kind",
        cluster="topic",
        rater_groups="sex",
    )
    assert [detail.partition(":")[0] for detail in alike(ratings)] == [
        "raters",
        "column 'topic'",
        "column 'kind'",
        "column 'sex'",
    ]
    paired = Paired.from_frame(
        {
            "unit": names,
            "condition": ["on", "on", "On", "On"] * 2,
            "value": [1, 2, 3, 4] * 2,
            "model": ["m"] * 4 + ["M"] * 4,
        },
        by="model",
    )
    assert [detail.partition(":")[0] for detail in alike(paired)] == [
        "conditions",
        "column 'model'",
    ]
    comparisons = Comparisons.from_frame(
        {
            "item_a": ["p", "q"] * 4,
            "item_b": ["q", "p"] * 4,
            "winner": ["p"] * n,
            "model": others,
            "worker": ["w", "W"] * 4,
        },
        by="model",
        cluster="worker",
    )
    assert [detail.partition(":")[0] for detail in alike(comparisons)] == [
        "column 'model'",
        "column 'worker'",
    ]


@pytest.mark.parametrize(
    "make",
    [
        lambda rows: rows,
        lambda rows: duckdb.connect().from_df(rows),
        lambda rows: pl.from_pandas(rows).lazy(),
    ],
)
def test_clusters_that_stay_with_a_table_and_numbers_of_programs_are_looked_at(make: Any) -> None:
    """Clusters of a lazy table had no caution, nor had '3' of one part of a table and '3.0' of another."""
    judges = ["3", "3.0", "w", "W ", "v1", "v1.0", "-4.0", "-4"]
    rows = pd.DataFrame(
        {
            "item_a": ["p", "q"] * 8,
            "item_b": ["q", "p"] * 8,
            "winner": ["p", "q", "p", "p"] * 4,
            "judge": judges * 2,
        }
    )
    found = alike(Comparisons.from_frame(make(rows), cluster="judge"))
    assert found == ["column 'judge': '-4' = '-4.0', '3' = '3.0' and 'W ' = 'w'"]


def test_a_winner_that_looks_like_an_item_is_a_question() -> None:
    for winner, meant in ((NFD, "'caf\u00e9' (U+00E9)"), ("caf\u00e9\u200b", "'caf\u00e9'")):
        with pytest.raises(InputError) as caught:
            Comparisons.from_frame({"item_a": [NFC], "item_b": ["son"], "winner": [winner]})
        assert f"Did you mean {meant}? " in str(caught.value)


@pytest.mark.slow
def test_the_caution_is_on_the_terminal_and_on_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sides = ((NFC, NFD, NFC), (NFD, NFC, NFC), (NFC, NFD, NFD), (NFD, NFC, NFD))
    rows = ["item_a,item_b,winner", *(",".join(row) for row in sides for _ in range(4))]
    (tmp_path / "x.csv").write_text("\n".join(rows))
    assert (
        main(["report", str(tmp_path / "x.csv"), "--no-verify", "-o", str(tmp_path / "x.html")])
        == 0
    )
    assert "caution: SS306" in capsys.readouterr().err
    page = (tmp_path / "x.html").read_text()
    assert "U+0065 U+0301" in page
    assert "U+00E9" in page


@pytest.mark.parametrize(
    "label", ["  The\tNurse ", "\u0130stanbul", "\ufb01ne", "\u1e9b\u0323", "a\u200d\u00a0b"]
)
def test_what_is_plain_stays_so(label: str) -> None:
    again: Callable[[str], str] = spelling_key
    assert again(spelling_key(label)) == spelling_key(label)
