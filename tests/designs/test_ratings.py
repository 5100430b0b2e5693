"""Ratings from long tables: levels, scale, refusals, and what belongs to units and raters."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from socialstats import Ratings, read_ratings
from socialstats.designs.ratings_options import RatingsOptions
from socialstats.errors import InputError
from tests.designs.same import same
from tests.designs.test_paired import ENGINES, HOSTILE, through

OPTIONS: dict[str, Any] = {
    "unit": "item",
    "rater": "judge",
    "value": "rating",
    "levels": ["low", "NA", "high"],
    "refusal": "no answer",
    "rater_source": "kind",
    "rater_groups": "age",
    "strata": "domain",
    "cluster": "story",
    "by": "model",
    "na": False,
}
WORDS = ["low", "NA", "high", "no answer", ""]


def rows(seed: int = 5) -> pd.DataFrame:
    """Every judge rates every item of every model; some refuse, some values are missing."""
    rng = np.random.default_rng(seed)
    judges = [
        ("1", "human", "young"),
        ("1", "model", "-"),
        ("ü", "human", "old"),
        ("</td>", "model", "-"),
    ]
    records = [
        (
            item,
            judge,
            kind,
            age,
            f"d{HOSTILE.index(item) % 3}",
            f"s{HOSTILE.index(item) % 6}",
            model,
        )
        for item in HOSTILE
        for judge, kind, age in judges
        for model in ("m1", "m2")
    ]
    frame = pd.DataFrame(
        records, columns=["item", "judge", "kind", "age", "domain", "story", "model"]
    )
    words = np.array(WORDS, dtype=object)
    frame["rating"] = words[rng.choice(5, len(frame), p=[0.3, 0.2, 0.3, 0.1, 0.1])]
    return frame.sample(frac=0.9, random_state=seed).reset_index(drop=True)


def test_ratings_are_those_of_the_rows_one_by_one() -> None:
    frame = rows()
    design = Ratings.from_frame(frame, **OPTIONS)
    names = {("human", "1"): "human: 1", ("model", "1"): "model: 1"}
    expected = {}
    for r in frame.to_dict("records"):
        word = r["rating"]
        status = "refusal" if word == "no answer" else "ok" if word else "missing"
        rater = names.get((r["kind"], r["judge"]), r["judge"])
        key = (r["item"], rater, r["model"])
        expected[key] = (
            word if status == "ok" else None,
            status,
            r["domain"],
            r["story"],
            r["kind"],
            r["age"],
        )
    columns = ["value", "status", "domain", "story", "kind", "age"]
    table = design.table()
    found = {
        (r["unit"], r["rater"], r["model"]): tuple(None if r[c] != r[c] else r[c] for c in columns)
        for r in table.to_dict("records")
    }
    assert found == expected
    assert design.units == tuple(sorted(HOSTILE))
    assert design.raters == ("</td>", "human: 1", "model: 1", "ü")
    assert (design.levels, design.scale, design.levels_declared, design.numeric) == (
        ("low", "NA", "high"),
        "ordinal",
        True,
        False,
    )
    assert design.scores.tolist() == [0.0, 1.0, 2.0]
    assert design.n_rows == sum(status == "ok" for _, status, *_ in expected.values())
    assert design.columns == {
        "unit": "item",
        "rater": "judge",
        "value": "rating",
        "by": "model",
        "rater_source": "kind",
        "rater_group1": "age",
        "stratum1": "domain",
        "cluster1": "story",
    }


def test_the_flow_counts_refusals_and_missing_ratings() -> None:
    frame = rows()
    design = Ratings.from_frame(frame, **OPTIONS)
    refused, missing = (frame["rating"] == "no answer").sum(), (frame["rating"] == "").sum()
    assert [(s.label, s.rows) for s in design.flow] == [
        ("rows read", len(frame)),
        ("no value in 'rating'", missing),
        ("refusals", refused),
        ("ratings analysed", len(frame) - refused - missing),
    ]
    (note,) = design.cautions
    assert (note.code, note.detail) == (
        "SS315",
        f"{refused} refusals and {missing} missing ratings of {len(frame)}",
    )


def test_the_order_of_rows_says_nothing() -> None:
    expected = Ratings.from_frame(rows(), **OPTIONS)
    for seed in range(5):
        same(Ratings.from_frame(rows().sample(frac=1, random_state=seed), **OPTIONS), expected)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_gives_the_same_ratings(engine: str) -> None:
    if engine == "duckdb":
        pytest.importorskip("duckdb")
    same(
        Ratings.from_frame(through(rows(), engine), **OPTIONS),
        Ratings.from_frame(rows(), **OPTIONS),
    )


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "tsv", "jsonl", "json", "parquet"])
def test_every_format_gives_the_same_ratings(suffix: str, tmp_path: Path) -> None:
    frame, path = rows(), tmp_path / f"ratings.{suffix}"
    if suffix == "parquet":
        frame.to_parquet(path)
    elif suffix.startswith("json"):
        records = frame.to_dict("records")
        path.write_text(
            json.dumps(records) if suffix == "json" else "\n".join(map(json.dumps, records))
        )
    else:
        data = frame.to_csv(index=False, sep="\t" if suffix == "tsv" else ",").encode()
        path.write_bytes(gzip.compress(data) if suffix.endswith("gz") else data)
    same(
        read_ratings(path, **OPTIONS), Ratings.from_frame(rows(), **OPTIONS), but=("source", "flow")
    )


def table(values: Any, **other: Any) -> dict[str, Any]:
    n = len(values)
    return {
        "item": [k // 2 for k in range(n)],
        "judge": ["a", "b"] * (n // 2),
        "rating": values,
        **other,
    }


def rated(values: Any, **options: Any) -> Ratings:
    return Ratings.from_frame(pd.DataFrame(table(values)), **options)


@pytest.mark.parametrize(
    ("values", "options", "levels", "scores", "scale", "declared"),
    [
        ([3, 1, 10, 1], {}, ("1", "3", "10"), [1, 3, 10], "interval", False),
        (["3", "1.0", "10", "1"], {}, ("1", "3", "10"), [1, 3, 10], "interval", False),
        (
            np.array([3, 1, 200, 1], dtype="uint8"),
            {},
            ("1", "3", "200"),
            [1, 3, 200],
            "interval",
            False,
        ),
        ([-1, 0.5, 2, 2], {}, ("-1", "0.5", "2"), [-1, 0.5, 2], "interval", False),
        (
            [3, 1, 4, 1],
            {"levels": range(1, 6)},
            ("1", "2", "3", "4", "5"),
            [1, 2, 3, 4, 5],
            "interval",
            True,
        ),
        ([3, 1, 4, 1], {"levels": [4, 3, 1]}, ("4", "3", "1"), [4, 3, 1], "interval", True),
        ([3, 1, 4, 1], {"scale": "ordinal"}, ("1", "3", "4"), [1, 3, 4], "ordinal", False),
        ([3, 1, 4, 1], {"scale": "ratio"}, ("1", "3", "4"), [1, 3, 4], "ratio", False),
        (["10", "9", "9", "9"], {"scale": "nominal"}, ("9", "10"), [9, 10], "nominal", False),
        (
            ["lo", "hi", "lo", "lo"],
            {"levels": ["lo", "mid", "hi"]},
            ("lo", "mid", "hi"),
            [0, 1, 2],
            "ordinal",
            True,
        ),
        (["lo", "hi", "lo", "lo"], {"scale": "nominal"}, ("hi", "lo"), [0, 1], "nominal", False),
        (
            ["x", "no", "NA", "NA"],
            {"scale": "nominal", "na": False},
            ("NA", "no", "x"),
            [0, 1, 2],
            "nominal",
            False,
        ),
        ([True, False, True, True], {}, ("False", "True"), [0, 1], "nominal", False),
        (["yes", "no", "no", "no"], {}, ("no", "yes"), [0, 1], "nominal", False),
        (["yes", "no", "no", "no"], {"scale": "ordinal"}, ("no", "yes"), [0, 1], "ordinal", False),
    ],
)
def test_levels_and_scales(
    values: Any, options: dict[str, Any], levels: Any, scores: Any, scale: str, declared: bool
) -> None:
    design = rated(values, **options)
    assert (design.levels, design.scores.tolist(), design.scale) == (levels, scores, scale)
    assert design.levels_declared is declared
    noted = [c.code for c in design.cautions]
    assert noted == ([] if declared or "scale" in options or scale == "ordinal" else ["SS310"])


def test_an_ordered_categorical_brings_its_levels() -> None:
    words = ["low", "high", "low", "low"]
    order = ["low", "middle", "high"]
    ordered = rated(pd.Categorical(words, categories=order, ordered=True))
    assert (ordered.levels, ordered.scale, ordered.levels_declared) == (
        tuple(order),
        "ordinal",
        True,
    )
    enum = pl.DataFrame(table(words)).with_columns(pl.col("rating").cast(pl.Enum(order)))
    pandas = pd.DataFrame(table(pd.Categorical(words, categories=order, ordered=True)))
    duck = duckdb.connect()
    duck.execute("create type level as enum ('low', 'middle', 'high')")
    plain = duck.from_df(pandas.astype({"rating": str})).select(
        "* replace (rating::level as rating)"
    )
    for data in (enum, enum.lazy(), enum.to_arrow(), pa.Table.from_pandas(pandas), plain):
        same(Ratings.from_frame(data), ordered)
    halves = [pa.Table.from_pandas(pandas.iloc[:2]), pa.Table.from_pandas(pandas.iloc[2:])]
    same(Ratings.from_frame(pa.concat_tables(halves)), ordered)
    three = [*words[:3], "middle"]
    unordered = pa.Table.from_pandas(pd.DataFrame(table(pd.Categorical(three, categories=order))))
    with pytest.raises(InputError, match="order is undeclared"):
        Ratings.from_frame(unordered)
    with pytest.raises(InputError, match="order is undeclared"):
        rated(pd.Categorical(three, categories=order))
    two = rated(pd.Categorical(words, categories=order))  # two levels need no order
    assert (two.levels, two.scale, two.levels_declared) == (("high", "low"), "nominal", False)
    refused = rated(
        pd.Categorical([*words[:3], "-"], categories=["-", *order], ordered=True), refusal="-"
    )
    assert (refused.levels, refused.n_rows) == (tuple(order), 3)


def test_a_status_column_decides_what_is_a_rating() -> None:
    values = [1, 2, 3, 4, None, 6, 7, 8]
    status = ["ok", "Refusal", "parse error", None, "ok", "OK", "refusal", "timeout"]
    design = Ratings.from_frame(table(values, status=status), status="status")
    assert design.table()["status"].tolist() == [
        "ok",
        "refusal",
        "missing",
        "missing",
        "missing",
        "ok",
        "refusal",
        "missing",
    ]
    assert [(s.label, s.rows) for s in design.flow] == [
        ("rows read", 8),
        ("status 'parse error'", 1),
        ("status 'timeout'", 1),
        ("no status", 1),
        ("no value in 'rating'", 1),
        ("refusals", 2),
        ("ratings analysed", 2),
    ]
    assert design.levels == ("1", "6")


def test_only_namesakes_of_two_sources_get_longer_names() -> None:
    data = table([1, 2, 1, 2], src=["h", "h", "m", "h"]) | {"judge": ["1", "2", "1", "2"]}
    design = Ratings.from_frame(data, rater_source="src")
    assert design.raters == ("2", "h: 1", "m: 1")
    kinds = design.rater_groups["src"]
    assert [kinds.levels[code] for code in kinds.codes.tolist()] == ["h", "h", "m"]
    assert Ratings.from_frame(data).raters == ("1", "2")
    clash = {
        "item": [1, 1, 1],
        "judge": ["1", "1", "h: 1"],
        "src": ["h", "m", "h"],
        "rating": [1, 2, 1],
    }
    assert Ratings.from_frame(clash, rater_source="src").raters == ("h: 1", "h: h: 1", "m: 1")


def test_a_rater_without_a_group_is_in_none_of_its_levels() -> None:
    data = {
        "item": [1, 1, 1, 2, 2, 2],
        "judge": ["a", "m", "z"] * 2,
        "rating": [1, 2, 3] * 2,
        "age": ["20", None, "30"] * 2,
        "src": ["h", "m", "h"] * 2,
    }
    design = Ratings.from_frame(data, rater_groups="age", rater_source="src", scale="ordinal")
    age = design.rater_groups["age"]
    assert (age.codes.tolist(), age.levels) == ([0, -1, 1], ("20", "30"))
    assert design.table()["age"].fillna("none").tolist() == ["20", "none", "30"] * 2
    some = design.of_raters(["m", "z"]).rater_groups["age"]
    assert (some.codes.tolist(), some.levels) == ([-1, 0], ("30",))
    turned = design.relabel_raters({"a": "zz"})
    assert (turned.raters, turned.rater_groups["age"].codes.tolist()) == (
        ("m", "z", "zz"),
        [-1, 1, 0],
    )
    alone = design.of_raters(["m"]).rater_groups["age"]
    assert (alone.codes.tolist(), alone.levels) == ([-1], ())


def test_columns_are_found_by_their_usual_names() -> None:
    data = {"question_id": [1, 1], "annotator": ["a", "b"], "label": ["x", "y"]}
    design = Ratings.from_frame(data, scale="nominal")
    assert design.columns == {"unit": "question_id", "rater": "annotator", "value": "label"}


def test_more_raters_than_units_and_undeclared_clusters_are_said() -> None:
    data = {
        "item": ["u", "u", "u", "v"],
        "judge": list("abca"),
        "rating": [1, 1, 2, 2],
        "topic": [1, 1, 1, 1],
    }
    codes = {c.code: str(c) for c in Ratings.from_frame(data, scale="ordinal").cautions}
    assert codes == {
        "SS309": "SS309 more raters than units: rows and columns may be exchanged: 3 raters, 2 units"
    }
    more = table([1, 1, 2, 2, 1, 2] * 2, topic=list("xxxxyyzzvvww"), domain=list("xxxxxxyyyyyy"))
    (note,) = Ratings.from_frame(more, scale="ordinal").cautions
    assert (
        str(note)
        == "SS311 a column that may hold clusters was not declared: 'topic' (5 values), 6 units"
    )
    assert Ratings.from_frame(more, scale="ordinal", strata="topic").cautions == ()


def test_one_rater_and_single_ratings_can_be_read() -> None:
    design = Ratings.from_frame({"item": [1, 2], "judge": ["a", "a"], "rating": [1, 2]})
    assert (design.raters, design.matrix().tolist()) == (("a",), [[0.0], [1.0]])
    nothing = Ratings.from_frame(
        {"item": [1, 2], "judge": ["a", "b"], "rating": [None, None]}, scale="nominal"
    )
    assert (nothing.n_rows, nothing.levels) == (0, ())


def test_matrix_counts_and_square_agree_with_the_rows() -> None:
    frame = rows().query("model == 'm1'")
    design = Ratings.from_frame(frame, **{k: v for k, v in OPTIONS.items() if k != "by"})
    wide = {
        (r["unit"], r["rater"]): r["value"]
        for r in design.table().to_dict("records")
        if r["status"] == "ok"
    }
    for i, unit in enumerate(design.units):
        for j, rater in enumerate(design.raters):
            code = design.matrix()[i, j]
            assert (None if np.isnan(code) else design.levels[int(code)]) == wide.get((unit, rater))
    a, b = "human: 1", "ü"
    expected = np.zeros((3, 3))
    for unit in design.units:
        if (unit, a) in wide and (unit, b) in wide:
            expected[design.levels.index(wide[unit, a]), design.levels.index(wide[unit, b])] += 1
    np.testing.assert_array_equal(design.square(a, b), expected)
    np.testing.assert_array_equal(design.square(b, a), expected.T)
    assert design.level_counts().sum() == design.n_rows
    with pytest.raises(
        InputError, match=r"'c': no such rater\. Raters: '</td>', 'human: 1', 'model: 1' and 'ü'"
    ):
        design.square("c", b)


def test_other_names_of_the_raters() -> None:
    design = Ratings.from_frame(rows(), **OPTIONS)
    swap = {"ü": "</td>", "</td>": "ü"}
    turned = design.relabel_raters(swap)
    one = turned.table().replace({"rater": swap})
    keys = ["model", "unit", "rater"]
    pd.testing.assert_frame_equal(
        one.sort_values(keys).reset_index(drop=True),
        design.table().sort_values(keys).reset_index(drop=True),
    )
    same(turned.relabel_raters(swap), design)
    with pytest.raises(InputError, match="two raters would be called 'ü'"):
        design.relabel_raters({"human: 1": "ü"})
    with pytest.raises(InputError, match="'x': no such rater"):
        design.relabel_raters({"x": "y"})


def test_parts_of_the_design() -> None:
    design = Ratings.from_frame(rows(), **OPTIONS)
    parts = design.split()
    alone = Ratings.from_frame(
        rows().query("model == 'm1'"), **{k: v for k, v in OPTIONS.items() if k != "by"}
    )
    same(parts["m1"], alone, but=("flow", "columns", "cautions"))
    domains = design.split_units("domain")
    assert sum(part.n_rows for part in domains.values()) == design.n_rows
    assert design.of_raters(["ü"]).raters == ("ü",)
    assert repr(design).startswith(
        f"<Ratings: {design.n_rows} ratings, 14 units, 4 raters, 3 levels, ordinal"
    )


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"missing": "omit"}, "missing='omit' is not an option. Choose from 'error', 'drop'"),
        (
            {"scale": "numeric"},
            "scale='numeric' is not an option. Choose from 'nominal', 'ordinal', 'interval', 'ratio', None",
        ),
        (
            {"levels": "low,high"},
            "levels='low,high' is one text. Pass a sequence: levels=['low', 'high']",
        ),
        ({"levels": ["a", "b", "a"]}, "levels= names 'a' twice"),
        ({"levels": []}, "levels= needs at least one level, and no level may be empty or missing"),
        ({"levels": 3}, "levels=3 is not a sequence of labels"),
        (
            {"levels": ["a", "b"], "refusal": "b"},
            "'b' is declared as a level and as a refusal or missing value",
        ),
        (
            {"levels": ["a", "b"], "refusal": "a"},
            "'a' is declared as a level and as a refusal or missing value",
        ),
        (
            {"levels": ["a", "b"], "na": "a"},
            "'a' is declared as a level and as a refusal or missing value",
        ),
        (
            {"levels": ["a", "b"], "scale": "interval"},
            "levels=: scale='interval' needs numbers, and 'a' is none. Say scale='ordinal' with levels= in order "
            "(--scale ordinal --levels a,b,c), or scale='nominal'",
        ),
        (
            {"levels": [-1, 0], "scale": "ratio"},
            "levels=: scale='ratio' needs numbers from 0 upwards, and '-1' is negative. Say scale='interval' "
            "(--scale interval)",
        ),
    ],
)
def test_impossible_options_are_named(option: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        RatingsOptions(**option)
    assert str(caught.value).startswith(message)


def test_coverage_counts_replies_with_probabilities_and_those_of_the_same_raters_without() -> None:
    """A model with three of five replies told, of which one holds .9 of the chance; a rater who never tells any."""
    told = [(0.5, 0.5), (0.6, 0.3), None, (1.0, 0.0), None]
    rows = [(f"u{k}", "m", "yes", *(p or (None, None))) for k, p in enumerate(told)]
    rows += [(f"u{k}", "ann", "no", None, None) for k in range(5)] + [("u5", "m", None, None, None)]
    frame = pd.DataFrame(rows, columns=["unit", "rater", "value", "p_yes", "p_no"])
    design = Ratings.from_frame(
        frame, levels=["yes", "no"], scale="nominal", probabilities="p_", missing="drop"
    )
    found = design.coverage
    assert found is not None
    assert (found.replies, found.none) == (3, 2)
    assert found.rest == pytest.approx(0.1 / 3)
    assert (
        Ratings.from_frame(
            frame[["unit", "rater", "value"]], scale="nominal", missing="drop"
        ).coverage
        is None
    )
