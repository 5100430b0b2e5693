"""Every data set: documented columns are the actual ones, and the published facts hold."""

from __future__ import annotations

import hashlib
import inspect
import re

import pandas as pd
import pytest

import socialstats.datasets as bundled
from socialstats.datasets import datasets, describe
from socialstats.datasets.page import page
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import InputError

NAMES = [data.name for data in datasets()]


def test_completion_lists_data_sets_and_no_internals() -> None:
    assert dir(bundled) == sorted([*NAMES, "datasets", "describe"])
    for name in bundled.__all__:
        assert hasattr(bundled, name)


@pytest.mark.parametrize("name", NAMES)
def test_documented_columns_are_the_columns(name: str) -> None:
    entry, data = describe(name), getattr(bundled, name)()
    assert [column.name for column in entry.columns] == list(data.columns)
    assert len(data) == entry.n_rows
    for column in entry.columns:
        whole = pd.api.types.is_integer_dtype(data[column.name])
        assert whole == column.kind.startswith("whole number"), column.name
        assert column.meaning
    gaps = [column.name for column in entry.columns if column.kind == "whole number or missing"]
    assert data.columns[data.isna().any()].tolist() == gaps
    assert data.attrs["simulated"] is entry.simulated


@pytest.mark.parametrize("name", NAMES)
def test_function_docstring_names_every_column(name: str) -> None:
    text = inspect.getdoc(getattr(bundled, name))
    assert text is not None
    named = set(re.findall(r"``(\w+)``", text))
    assert {column.name for column in describe(name).columns} <= named
    assert ("SIMULATED" in text) == describe(name).simulated


@pytest.mark.parametrize("name", NAMES)
def test_each_call_returns_a_new_frame(name: str) -> None:
    load = getattr(bundled, name)
    first = load()
    first.iloc[:, 0] = first.iloc[::-1, 0].to_numpy()
    first.attrs["simulated"] = "changed"
    pd.testing.assert_frame_equal(load(), describe(name).load())
    assert load().attrs["simulated"] is describe(name).simulated
    assert not load().equals(first)


def test_description_shows_everything() -> None:
    text = str(describe("role_conflict"))
    assert text.startswith("role_conflict: choices")
    assert "(SIMULATED)" in text.splitlines()[0]
    for column in describe("role_conflict").columns:
        assert f"  {column.name} " in text
    assert "(real)" in str(describe("baseball"))


def test_unknown_name_lists_what_there_is() -> None:
    with pytest.raises(
        InputError, match=r"no data set 'chess'. Data sets: role_conflict, .*, ice_hockey"
    ):
        describe("chess")


def test_text_that_looks_missing_or_numeric_stays_text() -> None:
    assert all(
        isinstance(day, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", day)
        for day in bundled.ice_hockey()["date"]
    )
    assert bundled.role_conflict_roles()["gender"].value_counts().to_dict() == {
        "": 51,
        "male": 7,
        "female": 7,
    }


def test_citations_are_stiglers() -> None:
    data = bundled.journal_citations().set_index(["item_a", "item_b"])
    assert data.loc[("Biometrika", "Comm Statist")].tolist() == [730, 33]
    assert data.loc[("JASA", "JRSS-B")].tolist() == [142, 325]
    assert int(data[["wins_a", "wins_b"]].to_numpy().sum()) == 3727


def test_baseball_is_a_double_round_robin() -> None:
    data = bundled.baseball()
    games = data["wins_a"] + data["wins_b"]
    met = data.assign(
        games=games,
        pair=[" ".join(sorted(p)) for p in zip(data["item_a"], data["item_b"], strict=True)],
    )
    assert (met.groupby("pair")["games"].sum() == 13).all()
    assert met["pair"].nunique() == 21
    assert data.set_index(["item_a", "item_b"]).loc[("Milwaukee", "Boston")].tolist() == [
        "Milwaukee",
        6,
        1,
    ]
    assert data["home"].equals(data["item_a"])
    assert len(data) == 42


def test_ice_hockey_winner_is_the_team_with_more_goals() -> None:
    games = bundled.ice_hockey()
    assert pd.concat([games["visitor"], games["opponent"]]).nunique() == 58
    expected = [
        v if a > b else o if b > a else "tie"
        for v, o, a, b in zip(
            games["visitor"],
            games["opponent"],
            games["visitor_goals"],
            games["opponent_goals"],
            strict=True,
        )
    ]
    assert games["winner"].tolist() == expected
    assert games["winner"].eq(games["visitor"]).sum() == 366
    assert games["winner"].eq(games["opponent"]).sum() == 592
    assert games["home_ice"].sum() == 1014
    assert games["date"].is_monotonic_increasing


def test_bundled_rows_are_these() -> None:
    from socialstats.datasets.catalogue import text

    digests = {
        entry.name: hashlib.sha256(text(entry.file).encode()).hexdigest()[:16]
        for entry in datasets()
    }
    assert digests == DIGESTS


DIGESTS = {
    "role_conflict": "5681bdf9223ad5e6",
    "role_conflict_labels": "f0e042058f38b2ef",
    "role_conflict_roles": "c6033e70f76d423a",
    "norm_goal": "f934362fae8ea134",
    "relationship_bias": "5d00848aabccb3b5",
    "social_norms": "4ce08f740bb05cff",
    "staged_values": "02fc2bc5cda9d1c8",
    "staged_values_controls": "f90bec0711bc52dc",
    "journal_citations": "6a5b1539cce6bb41",
    "baseball": "13bb5c99cf9372a8",
    "ice_hockey": "bbd75540baeb0cf6",
}


@pytest.mark.parametrize(
    ("name", "rows", "items", "ties", "covariates", "order_known"),
    [
        ("role_conflict", 13_914, 65, 0, ["urgency", "domain"], True),
        ("journal_citations", 3_727, 4, 0, [], False),
        ("baseball", 273, 7, 0, [], True),
        ("ice_hockey", 1_083, 58, 125, ["home"], False),
    ],
)
def test_documented_design_works(
    name: str, rows: int, items: int, ties: int, covariates: list[str], order_known: bool
) -> None:
    made = eval(describe(name).design, {"Comparisons": Comparisons, "data": describe(name).load()})
    assert (made.n_rows, len(made.items), made.n_ties) == (rows, items, ties)
    assert list(made.covariates) == covariates
    assert made.order_known is order_known
    if name == "baseball":
        assert (made.first == 1).all()


def test_role_conflict_needs_no_mapping() -> None:
    found = Comparisons.from_frame(bundled.role_conflict()).columns
    assert (found["item_a"], found["item_b"], found["winner"], found["order"]) == (
        "role_a",
        "role_b",
        "choice",
        "first",
    )


def test_page_is_the_catalogue() -> None:
    for entry in datasets():
        assert f"## {entry.name}" in page()
        for column in entry.columns:
            assert f"| `{column.name}` |" in page()
