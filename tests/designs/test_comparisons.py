"""Views and parts of a design, from counts, and properties that hold for every table."""

from __future__ import annotations

import csv
import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from socialstats.designs.comparisons import Comparisons
from socialstats.designs.files import read_comparisons
from socialstats.errors import DesignError, InputError, NothingToAnalyse

ROWS = {
    "item_a": ["p", "q", "r", "p", "p"],
    "item_b": ["q", "r", "p", "q", "r"],
    "winner": ["p", "tie", "p", "q", "tie"],
    "domain_a": ["x", "x", "y", "x", "x"],
    "domain_b": ["x", "y", "x", "x", "y"],
    "u_a": [1, 2, 3, 1, 2],
    "u_b": [2, 2, 1, 2, 1],
    "model": ["m", "m", "n", "n", "n"],
    "rater": ["1", "2", "1", "2", "3"],
    "order": ["p", "r", "r", "q", "p"],
}


def design(**options: Any) -> Comparisons:
    return Comparisons.from_frame(ROWS, **({"by": "model", "cluster": ("rater", "pair")} | options))


def cells(d: Comparisons) -> dict[tuple[Any, ...], tuple[float, float]]:
    table = d.table()
    keys = [c for c in table.columns if c not in ("count", "weight")]
    rows = (
        table.astype({"winner": object})
        .where(table.notna(), None)[keys]
        .itertuples(index=False, name=None)
    )
    return dict(zip(rows, zip(table["count"], table["weight"], strict=True), strict=True))


def test_factors_by_name() -> None:
    d = design()
    assert [f.name for f in d.factors("declared")] == ["rater", "pair"]
    assert [f.name for f in d.factors(("pair", "model"))] == ["pair", "model"]
    assert d.factors(None) == ()
    assert d.factors("pair")[0].levels == ("p | q", "p | r", "q | r")
    assert design(cluster=()).factors("declared") == ()
    with pytest.raises(
        InputError,
        match=r"no cluster 'worker'\. Clusters: 'model', 'rater', 'pair'; declare others",
    ):
        d.factors("worker")


def test_split_gives_one_design_a_level() -> None:
    parts = design().split()
    assert list(parts) == ["m", "n"]
    for level, part in parts.items():
        rows = pd.DataFrame(ROWS)
        alone = Comparisons.from_frame(
            rows[rows["model"] == level].reset_index(drop=True), cluster=("rater", "pair")
        )
        assert cells(part) == cells(alone)
        assert part.items == alone.items
        assert [f.levels for f in part.clusters] == [f.levels for f in alone.clusters]
        assert part.by is None
        assert part.flow[-1].label == f"model = {level}"
    assert list(design(by=None).split()) == ["all"]


def test_take_and_drop_ties() -> None:
    d = design()
    without = d.drop_ties()
    assert (without.n_rows, without.n_ties, without.flow[-1].rows) == (3, 0, 3)
    assert without.drop_ties() is without
    one = d.take(d.count > 0)
    assert cells(one) == cells(d)
    with pytest.raises(NothingToAnalyse, match="no comparison is left"):
        d.take(d.count > 99)


def test_swap_exchanges_the_sides_of_the_table() -> None:
    other = {"_a": "_b", "_b": "_a"}
    swapped = {
        next((c[:-2] + other[s] for s in other if c.endswith(s)), c): v for c, v in ROWS.items()
    }
    expected = Comparisons.from_frame(swapped, by="model", cluster=("rater", "pair"))
    assert cells(design().swap()) == cells(expected)
    assert cells(design().swap().swap()) == cells(design())


def test_relabel_keeps_the_comparisons() -> None:
    new = {"p": "z", "q": "a"}
    frame = pd.DataFrame(ROWS)
    columns = ["item_a", "item_b", "winner", "order"]
    frame[columns] = frame[columns].replace(new)
    expected = Comparisons.from_frame(frame, by="model", cluster="rater")
    found = design(cluster="rater").relabel(new)
    assert found.items == ("a", "r", "z")
    assert cells(found) == cells(expected)
    assert design().relabel(new).clusters[1].levels == ("a | r", "a | z", "r | z")
    with pytest.raises(InputError, match="two items would be called 'q'"):
        design().relabel({"p": "q"})
    with pytest.raises(InputError, match="'s': no such item"):
        design().relabel({"s": "t"})


def test_groups_of_items() -> None:
    assert design().group_of("domain") == {"p": "x", "q": "x", "r": "y"}
    with pytest.raises(DesignError, match=r"'p' has several values of 'u' \('1\.0' and '2\.0'\)"):
        design().group_of("u")
    with pytest.raises(DesignError, match=r"no covariate 'age'\. Covariates: 'domain' and 'u'"):
        design().group_of("age")


def test_near_identical_labels_are_a_caution() -> None:
    rows = {
        "item_a": ["Nurse", "nurse ", "son"],
        "item_b": ["son", "son", "nurse "],
        "winner": ["son"] * 3,
    }
    (found,) = Comparisons.from_frame(rows).cautions
    said = "SS306 labels differ only in case, white space, character encoding or a final .0: items: 'Nurse' = 'nurse '"
    assert str(found) == said


def test_a_column_that_may_be_a_cluster_is_named_unless_it_lies_within_pairs() -> None:
    sides = [("p", "q"), ("q", "r"), ("r", "p")] * 4
    table = {
        "item_a": [a for a, _ in sides],
        "item_b": [b for _, b in sides],
        "winner": [a for a, _ in sides],
    }
    crossed = table | {"worker": list("uuuvvvwwwxyz")}
    (note,) = Comparisons.from_frame(crossed).cautions
    assert str(note) == (
        "SS311 a column that may hold clusters was not declared: 'worker' (6 values), 12 comparisons"
    )
    assert Comparisons.from_frame(crossed, cluster="worker").cautions == ()
    turned = {
        "item_a": [*table["item_a"][:6], *table["item_b"][6:]],
        "item_b": [*table["item_b"][:6], *table["item_a"][6:]],
    }
    stories = turned | {
        "winner": table["winner"],
        "story": list("abcdefabcdef"),
    }  # each in both orders of its pair
    assert [c.code for c in Comparisons.from_frame(stories).cautions] == ["SS328"]


def test_counts_are_comparisons() -> None:
    rows = {
        "item_a": ["p", "q"],
        "item_b": ["q", "r"],
        "wins_a": [3, 0],
        "wins_b": [1, 2],
        "ties": [0, 4],
    }
    found = Comparisons.from_counts(rows, ties="ties")
    long = (
        [("p", "q", "p")] * 3 + [("p", "q", "q")] + [("q", "r", "r")] * 2 + [("q", "r", "tie")] * 4
    )
    expected = Comparisons.from_frame(pd.DataFrame(long, columns=["item_a", "item_b", "winner"]))
    assert cells(found) == cells(expected)
    assert [(s.label, s.rows) for s in found.flow] == [
        ("rows read", 2),
        ("comparisons analysed", 10),
    ]
    with pytest.raises(NothingToAnalyse, match="every count is 0"):
        Comparisons.from_counts({"item_a": ["p"], "item_b": ["q"], "wins_a": [0], "wins_b": [0]})


def test_rows_of_frequency_zero_are_counted_as_left_out() -> None:
    rows = {
        "item_a": ["p", "q", "p"],
        "item_b": ["q", "r", "r"],
        "winner": ["p", "r", "p"],
        "n": [3, 2, 0],
    }
    found = Comparisons.from_frame(rows, count="n")
    assert [(s.label, s.rows) for s in found.flow[1:]] == [
        ("every count is 0", 1),
        ("comparisons analysed", 5),
    ]
    assert "1 of 3 rows (every count is 0: 1)" in [c.detail for c in found.cautions]


@pytest.mark.parametrize("value", ["-1", "2.5", "many", "inf"])
def test_counts_are_whole_numbers(value: str, tmp_path: Path) -> None:
    file = tmp_path / "pairs.csv"
    file.write_text(f"journal1,journal2,win1,win2\nx,y,1,2\n\ny,z,1,{value}\n")
    with pytest.raises(InputError) as caught:
        read_comparisons(file, item_a="journal1", item_b="journal2", wins_a="win1", wins_b="win2")
    assert str(caught.value) == (
        f"pairs.csv line 4, column 'win2': '{value}' is not a count. Counts are whole numbers from 0 upwards"
    )


LABELS = st.sampled_from(["p", "q", "r", "007", "NA", "</b>", "1e5"])
ROW = st.tuples(
    LABELS, LABELS, st.sampled_from("abt"), st.integers(1, 3), st.sampled_from(["m", "n"])
).filter(lambda row: row[0] != row[1])


def frame(rows: list[tuple[Any, ...]], weights: list[int] | None = None) -> pd.DataFrame:
    made = [
        {
            "item_a": a,
            "item_b": b,
            "winner": {"a": a, "b": b, "t": "tie"}[w],
            "u_a": u,
            "u_b": 4 - u,
            "rater": m,
        }
        for a, b, w, u, m in rows
    ]
    table = pd.DataFrame(made)
    if weights is not None:
        table["w"] = weights
    return table


@settings(max_examples=40, deadline=None)
@given(st.lists(ROW, min_size=1, max_size=25), st.integers(0, 9))
def test_row_order_changes_nothing(rows: list[tuple[Any, ...]], seed: int) -> None:
    shuffled = random.Random(seed).sample(rows, len(rows))
    x, y = (Comparisons.from_frame(frame(r), cluster="rater", na=False) for r in (rows, shuffled))
    assert x.items == y.items
    for name in ("item_a", "item_b", "outcome", "first", "count", "weight", "weight_sq"):
        np.testing.assert_array_equal(getattr(x, name), getattr(y, name))
    np.testing.assert_array_equal(x.clusters[0].codes, y.clusters[0].codes)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(ROW, st.integers(1, 3)), min_size=1, max_size=15))
def test_a_repeated_row_is_a_weight(weighted: list[tuple[tuple[Any, ...], int]]) -> None:
    repeated = [row for row, times in weighted for _ in range(times)]
    x = Comparisons.from_frame(frame(repeated), na=False)
    y = Comparisons.from_frame(
        frame([row for row, _ in weighted], [times for _, times in weighted]), weight="w", na=False
    )
    np.testing.assert_array_equal(x.item_a, y.item_a)
    np.testing.assert_array_equal(x.outcome, y.outcome)
    np.testing.assert_array_equal(x.weight, y.weight)
    assert y.n_rows == len(weighted)
    assert y.weighted
    assert not x.weighted


@settings(max_examples=40, deadline=None)
@given(st.lists(ROW, min_size=1, max_size=15))
@pytest.mark.slow
def test_swapping_twice_and_relabelling_back_is_nothing(rows: list[tuple[Any, ...]]) -> None:
    x = Comparisons.from_frame(frame(rows), na=False)
    assert cells(x.swap().swap()) == cells(x)
    new = {item: f"{k} {item}" for k, item in enumerate(reversed(x.items))}
    back = {v: k for k, v in new.items()}
    assert cells(x.relabel(new).relabel(back)) == cells(x)
    assert x.swap().n_ties == x.n_ties


ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)


@settings(max_examples=30, deadline=None)
@given(pairs=st.lists(st.tuples(ANY_TEXT, st.text("ab", min_size=1)), min_size=1, max_size=8))
def test_any_label_survives_a_csv_file(
    pairs: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    rows = [
        {"item_a": a, "item_b": b, "winner": a} for a, b in pairs if a != b and "tie" not in (a, b)
    ]
    if not rows:
        return
    file = tmp_path_factory.mktemp("labels") / "x.csv"
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, ["item_a", "item_b", "winner"], quoting=csv.QUOTE_ALL)
        writer.writeheader()
        writer.writerows(rows)
    assert read_comparisons(file, na=False).items == tuple(
        sorted({r["item_a"] for r in rows} | {r["item_b"] for r in rows})
    )
