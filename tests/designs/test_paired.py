"""Pairs from long tables: joined by key, the same from every engine, format and order of rows."""

from __future__ import annotations

import gzip
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from socialstats import Paired, read_paired
from socialstats.designs.paired_reading import PairedOptions
from socialstats.errors import CAUTIONS, InputError
from tests.designs.same import same

HOSTILE = [
    "007",
    "NA",
    "nan",
    "None",
    "1e5",
    "True",
    "</script>",
    'say "hi"',
    "two\nlines",
    "a,b",
    " x",
    "ü",
    "{}",
    "%s",
]
OPTIONS: dict[str, Any] = {
    "unit": "question",
    "condition": "prompt",
    "value": "score",
    "conditions": ("new", "old"),
    "by": "model",
    "cluster": ("story", "site"),
    "na": False,
}


def rows(seed: int = 3) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    n = len(HOSTILE) * 4
    names = np.repeat(HOSTILE, 4)
    model = np.tile(["m1", "m2"], n // 2)
    story = np.array([f"s{HOSTILE.index(name) % 5}" for name in names])
    frame = pd.DataFrame(
        {"question": names, "model": model, "prompt": np.tile(["new", "new", "old", "old"], n // 4)}
    )
    frame["story"], frame["site"] = story, np.where(np.char.equal(story, "s1"), "</a>", "b")
    frame["score"] = rng.integers(0, 4, n) / 2
    return frame.sample(frac=1, random_state=seed).reset_index(drop=True)


def by_hand(frame: pd.DataFrame) -> dict[tuple[Any, ...], int]:
    """Pair up with Python dictionaries, one row at a time."""
    values: dict[tuple[str, str], dict[str, float]] = {}
    where: dict[tuple[str, str], tuple[str, str]] = {}
    for r in frame.to_dict("records"):
        values.setdefault((r["question"], r["model"]), {})[r["prompt"]] = r["score"]
        where[r["question"], r["model"]] = (r["story"], r["site"])
    found: dict[tuple[Any, ...], int] = {}
    for key, pair in values.items():
        cell = (pair["new"], pair["old"], key[1], *where[key])
        found[cell] = found.get(cell, 0) + 1
    return found


def cells(design: Paired) -> dict[tuple[Any, ...], int]:
    assert design.by is not None
    factors = (design.by, *design.clusters)
    return {
        (design.first[k], design.second[k], *(f.levels[f.codes[k]] for f in factors)): int(
            design.count[k]
        )
        for k in range(len(design.count))
    }


def test_pairs_are_those_of_a_join_by_hand() -> None:
    frame = rows()
    design = Paired.from_frame(frame, **OPTIONS)
    assert cells(design) == by_hand(frame)
    assert design.n_pairs == len(frame) // 2
    assert design.conditions == ("new", "old")
    assert design.scale == "numeric"
    assert [(s.label, s.rows) for s in design.flow] == [
        ("rows read", 56),
        ("rows analysed", 56),
        ("pairs analysed", 28),
    ]
    assert design.cautions == ()
    parts = {"unit": "question", "condition": "prompt", "value": "score", "by": "model"}
    assert design.columns == parts | {"cluster1": "story", "cluster2": "site"}


def test_the_order_of_rows_says_nothing() -> None:
    expected = Paired.from_frame(rows(), **OPTIONS)
    for seed in range(5):
        shuffled = rows().sample(frac=1, random_state=seed)
        same(Paired.from_frame(shuffled, **OPTIONS), expected)


ENGINES = [
    "str",
    "object",
    "category",
    "dict",
    "polars",
    "polars-lazy",
    "polars-enum",
    "pyarrow",
    "duckdb",
    "Int64",
]


def through(frame: pd.DataFrame, engine: str) -> Any:
    import polars as pl
    import pyarrow as pa

    texts = [c for c in frame.columns if frame[c].dtype.kind not in "if"]
    if engine == "object":
        return frame.astype(object)
    if engine == "category":
        return frame.astype(dict.fromkeys(texts, "category"))
    if engine == "dict":
        return {c: frame[c].tolist() for c in frame.columns}
    if engine == "Int64":
        return frame.convert_dtypes()
    if engine == "pyarrow":
        return pa.Table.from_pandas(frame)
    if engine == "duckdb":
        import duckdb

        return duckdb.from_arrow(pa.Table.from_pandas(frame))
    other = pl.DataFrame({c: frame[c].tolist() for c in frame.columns})
    if engine == "polars-enum":
        kinds = {c: pl.Enum(sorted(set(frame[c]))) for c in texts}
        return other.with_columns(*(pl.col(c).cast(kind) for c, kind in kinds.items()))
    return other.lazy() if engine == "polars-lazy" else other


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_gives_the_same_pairs(engine: str) -> None:
    if engine == "duckdb":
        pytest.importorskip("duckdb")
    same(
        Paired.from_frame(through(rows(), engine), **OPTIONS), Paired.from_frame(rows(), **OPTIONS)
    )


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "tsv", "jsonl", "json", "parquet"])
def test_every_format_gives_the_same_pairs(suffix: str, tmp_path: Path) -> None:
    frame, path = rows(), tmp_path / f"answers.{suffix}"
    if suffix == "parquet":
        frame.to_parquet(path)
    elif suffix.startswith("json"):
        records = frame.to_dict("records")
        lines = "\n".join(json.dumps(r) for r in records)
        path.write_text(json.dumps(records) if suffix == "json" else lines)
    else:
        data = frame.to_csv(index=False, sep="\t" if suffix == "tsv" else ",").encode()
        path.write_bytes(gzip.compress(data) if suffix.endswith("gz") else data)
    design = read_paired(path, **OPTIONS)
    same(design, Paired.from_frame(rows(), **OPTIONS), but=("source", "flow"))
    assert design.source == path.name


def test_columns_are_found_by_their_usual_names() -> None:
    table = {"story": [1, 1, 2, 2], "arm": ["x", "y"] * 2, "answer": [1, 0, 1, 1]}
    assert Paired.from_frame(table).columns == {
        "unit": "story",
        "condition": "arm",
        "value": "answer",
    }
    table |= {"item": [7, 7, 8, 8]}
    assert Paired.from_frame(table, cluster="story").columns["unit"] == "item"
    assert Paired.from_frame(table, by="item").columns["unit"] == "story"


def long(values: Any, **options: Any) -> Paired:
    """Two conditions, v under x and the rest under y."""
    n = len(values) // 2
    table = {"unit": [*range(n), *range(n)], "condition": ["x"] * n + ["y"] * n, "value": values}
    return Paired.from_frame(table, conditions=("x", "y"), **options)


@pytest.mark.parametrize(
    ("values", "scale", "levels"),
    [
        ([0, 1, 1, 1], "binary", ("0", "1")),
        ([1, 1, 1, 1], "binary", ("0", "1")),
        ([0.0, 1.0, 0.0, 0.0], "binary", ("0", "1")),
        (["0", "1.0", "1", "0"], "binary", ("0", "1")),
        ([True, False, True, True], "binary", ("False", "True")),
        (np.array([True, False, True, True]), "binary", ("False", "True")),
        (["yes", "no", "no", "no"], "binary", ("no", "yes")),
        (["YES", "YES", "YES", "YES"], "binary", ("NO", "YES")),
        ([1, 2, 3, 1], "numeric", ()),
        (["1.5", "2", "3e0", "-1"], "numeric", ()),
        ([Decimal("1.5"), Decimal("2.50"), Decimal("1E+2"), Decimal(0)], "numeric", ()),
        (["c", "a", "b", "a"], "nominal", ("a", "b", "c")),
    ],
)
def test_scales_and_levels_that_need_no_declaration(
    values: Any, scale: str, levels: tuple[str, ...]
) -> None:
    design = long(values)
    assert (design.scale, design.levels) == (scale, levels)


@pytest.mark.parametrize(
    "kind", ["int8", "uint8", "int16", "uint64", "float32", "Int8", "UInt8", "Float64", "object"]
)
def test_small_integers_never_wrap(kind: str) -> None:
    top = 100 if kind.lower() == "int8" else 200
    design = long(pd.Series([1, 2, 3, top, 4, 9]).astype(kind))
    assert design.first.dtype == design.difference.dtype == np.float64
    assert sorted(design.difference.tolist()) == [1.0 - top, -6.0, -2.0]


@pytest.mark.parametrize("kind", ["bool", "boolean"])
def test_booleans_are_subtracted_as_numbers(kind: str) -> None:
    design = long(pd.Series([True, False, False, True]).astype(kind))
    assert sorted(design.difference.tolist()) == [-1.0, 1.0]


def test_declared_levels_say_which_is_one() -> None:
    values = ["good", "bad", "bad", "bad"]
    design = long(values, levels=("bad", "good"))
    assert (design.scale, design.levels, design.square().tolist()) == (
        "binary",
        ("bad", "good"),
        [[1, 0], [1, 0]],
    )
    assert long(values, levels=("good", "bad")).square().tolist() == [[0, 1], [0, 1]]
    ordered = pd.Categorical(values, categories=["good", "bad"], ordered=True)
    assert long(ordered).levels == ("good", "bad")
    nominal = long(values, scale="nominal")
    assert (nominal.scale, nominal.levels) == ("nominal", ("bad", "good"))
    assert long([1, 2, 2, 2], levels=(1, 2)).square().tolist() == [[0, 1], [0, 1]]
    assert long([1, 2, 2, 2], scale="nominal").levels == ("1", "2")
    assert long(["10", "9", "10", "9"], scale="nominal").levels == ("9", "10")
    assert long([0, 1, 1, 0], scale="numeric").levels == ()
    assert long(["a", "b", "b", "b"], levels=("a", "c", "b")).scale == "nominal"


def test_an_undeclared_order_of_conditions_is_said() -> None:
    table = {"unit": [1, 1], "condition": ["plain", "formal"], "value": [3, 5]}
    design = Paired.from_frame(table)
    assert design.conditions == ("formal", "plain")
    (note,) = design.cautions
    assert note.code == "SS310"
    assert note.severity == CAUTIONS["SS310"][0] == "info"
    assert note.detail == "differences are 'formal' minus 'plain' (the order of the letters)"
    assert (
        note.fix
        == "conditions=('plain', 'formal') (--conditions) turns them round, and declares the order"
    )
    declared = Paired.from_frame(table, conditions=("plain", "formal"))
    assert (declared.cautions, declared.difference.tolist()) == ((), [-2.0])
    ordered = pd.Categorical(["plain", "formal"], categories=["plain", "formal"], ordered=True)
    by_type = Paired.from_frame(pd.DataFrame(table | {"condition": ordered}))
    assert (by_type.conditions, by_type.cautions) == (("plain", "formal"), ())
    by_levels = Paired.from_frame(pd.DataFrame(table | {"condition": ordered.as_unordered()}))
    assert (by_levels.conditions, by_levels.cautions) == (("plain", "formal"), ())


@pytest.mark.parametrize(
    ("early", "late"),
    [
        ("before", "after"),
        ("pre", "post"),
        ("Pre-Test", "Post-Test"),
        ("pretest", "posttest"),
        ("t0", "t1"),
        ("T1", "T2"),
        ("baseline", "followup"),
        ("vorher", "nachher"),
        ("antes", "después"),
        ("avant", "après"),
        ("前测", "后测"),
    ],
)
def test_a_change_is_what_came_later_minus_what_came_before(early: str, late: str) -> None:
    rows = [(unit, when, value) for unit in (1, 2, 3) for when, value in ((early, 3), (late, 5))]
    table = pd.DataFrame(rows, columns=["unit", "time", "score"])
    design = Paired.from_frame(table)
    assert (design.conditions, design.difference.tolist()) == ((late, early), [2.0])
    assert not [note for note in design.cautions if note.code == "SS310"]
    turned = Paired.from_frame(table, conditions=(early, late))
    assert turned.difference.tolist() == [-2.0]
    levels = pd.Categorical(table["time"], categories=[early, late], ordered=True)
    assert Paired.from_frame(table.assign(time=levels)).conditions == (
        early,
        late,
    )  # a declared order counts more


def test_two_of_many_conditions_are_picked_and_the_rest_counted() -> None:
    table = {
        "unit": [1, 1, 1, 2, 2, 2],
        "condition": list("abc") * 2,
        "value": [1, 2, "x", 4, 5, "y"],
    }
    design = Paired.from_frame(table, conditions=("b", "a"))
    assert (design.n_pairs, design.scale, design.difference.tolist()) == (2, "numeric", [1.0, 1.0])
    assert [(s.label, s.rows) for s in design.flow[:3]] == [
        ("rows read", 6),
        ("other conditions", 2),
        ("rows analysed", 4),
    ]
    assert design.cautions == ()


def test_unmatched_units_are_listed_when_dropped() -> None:
    table = {"unit": [1, 1, 2, 3], "condition": ["a", "b", "a", "b"], "value": [1, 2, 3, 4]}
    design = Paired.from_frame(table, conditions=("a", "b"), unmatched="drop")
    assert design.unmatched == ("2", "3")
    assert [(s.label, s.rows) for s in design.flow] == [
        ("rows read", 4),
        ("units without a partner", 2),
        ("rows analysed", 2),
        ("pairs analysed", 1),
    ]
    (note,) = design.cautions
    assert str(note) == (
        "SS301 rows were excluded: units without a partner: 2 of 4 rows; units without a partner: '2' and '3'"
    )
    by = Paired.from_frame(
        table | {"m": ["p", "p", "p", "q"]}, conditions=("a", "b"), by="m", unmatched="drop"
    )
    assert by.unmatched == ("'2' (m 'p')", "'3' (m 'q')")


def test_a_pair_without_both_values_is_left_out_as_a_pair() -> None:
    table = {"unit": [1, 1, 2, 2], "condition": ["a", "b"] * 2, "value": [1.0, np.nan, 3.0, 4.5]}
    design = Paired.from_frame(table, conditions=("a", "b"), missing="drop")
    assert (design.n_pairs, design.unmatched) == (1, ())
    assert [(s.label, s.rows) for s in design.flow][1:3] == [
        ("pairs without both values", 2),
        ("rows analysed", 2),
    ]
    assert [c.code for c in design.cautions] == ["SS301"]
    marked = Paired.from_frame(
        table | {"value": ["1", "-", "3", "4.5"]}, conditions=("a", "b"), missing="drop", na="-"
    )
    assert marked.difference.tolist() == design.difference.tolist() == [-1.5]


def test_a_column_that_may_be_a_cluster_is_named() -> None:
    table = {
        "item": [k // 2 for k in range(12)],
        "time": ["a", "b"] * 6,
        "score": [1, 2, 3, 4, 5, 9, 2, 3, 1, 4, 6, 7],
        "scenario": list("uuuuvvwwxxyy"),
        "worker_id": list(range(12)),
        "note": list("xyxyxy" * 2),
        "school": list("aaaabbbbccdd"),
    }
    (note,) = [c for c in Paired.from_frame(table).cautions if c.code == "SS311"]
    assert (
        note.detail == "'scenario' (5 values), 6 units"
    )  # the school has too few values for standard errors
    assert note.fix.startswith("cluster='scenario' (--map cluster=scenario)")
    assert [c.code for c in Paired.from_frame(table, cluster="scenario").cautions] == ["SS310"]


def test_twins_among_labels_are_named() -> None:
    nominal = long(["Good", "good", "bad", "bad", "bad", "good"])
    assert [str(c) for c in nominal.cautions] == [
        "SS345 the order of levels was not used: 'bad', 'Good' and 'good' were compared as categories",
        "SS306 labels differ only in case, white space, character encoding or a final .0: levels: 'Good' = 'good'",
    ]


def test_swap_split_take_and_square() -> None:
    design = Paired.from_frame(rows(), **OPTIONS)
    swapped = design.swap()
    np.testing.assert_array_equal(swapped.difference, -design.difference)
    turned = Paired.from_frame(rows(), **(OPTIONS | {"conditions": ("old", "new")}))
    assert cells(turned) == cells(swapped)
    parts = design.split()
    assert {name: part.n_pairs for name, part in parts.items()} == {"m1": 14, "m2": 14}
    alone = rows().query("model == 'm1'")
    one = Paired.from_frame(alone, **{k: v for k, v in OPTIONS.items() if k != "by"})
    same(parts["m1"], one, but=("flow", "columns"))
    assert repr(design) == "<Paired: 28 pairs, new and old, numeric; clusters story and site>"


def test_the_cells_as_a_frame_make_the_same_design() -> None:
    design = Paired.from_frame(rows(), **OPTIONS)
    again = Paired.from_counts(
        design.table(),
        first="first",
        second="second",
        count="count",
        by="model",
        cluster=("story", "site"),
    )
    same(again, design, but=("conditions", "units", "flow", "columns"))
    assert again.units is None  # counted pairs have no names
    binary = long([True, False, True, True])
    assert binary.table().to_dict("list") == {
        "first": ["False", "True"],
        "second": ["True", "True"],
        "count": [1.0, 1.0],
    }


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.text(min_size=1, max_size=4),
            st.sampled_from(["p", "q"]),
            st.integers(0, 5),
            st.integers(0, 5),
        ),
        min_size=1,
        max_size=12,
        unique_by=lambda t: t[0],
    ),
    st.booleans(),
)
@pytest.mark.slow
def test_wide_is_long_made_wide(pairs: list[tuple[str, str, int, int]], binary: bool) -> None:
    values = [(x % 2, y % 2) if binary else (x, y) for _, _, x, y in pairs]
    names, story = [p[0] for p in pairs], [p[1] for p in pairs]
    wide = {"id": names, "story": story, "x": [v[0] for v in values], "y": [v[1] for v in values]}
    table = {
        "id": names * 2,
        "story": story * 2,
        "value": wide["x"] + wide["y"],
        "condition": ["x"] * len(names) + ["y"] * len(names),
    }
    a = Paired.from_wide(wide, first="x", second="y", unit="id", cluster="story", na=False)
    b = Paired.from_frame(table, conditions=("x", "y"), cluster="story", na=False)
    same(a, b, but=("flow", "columns"))
    same(
        Paired.from_wide(wide, first="x", second="y", cluster="story"), a, but=("units", "columns")
    )


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"missing": "omit"}, "missing='omit' is not an option. Choose from 'error', 'drop'"),
        ({"unmatched": "list"}, "unmatched='list' is not an option. Choose from 'error', 'drop'"),
        (
            {"scale": "ordinal"},
            "scale='ordinal' is not an option. Choose from 'binary', 'nominal', 'numeric', None",
        ),
        (
            {"levels": "low,high"},
            "levels='low,high' is one text. Pass a sequence: levels=['low', 'high']",
        ),
        ({"levels": ["a", "a"]}, "levels= names 'a' twice"),
        ({"levels": ["1", "1.0"]}, "levels= names '1' twice"),
        ({"levels": ["a"]}, "levels= needs at least two levels, not 'a'"),
        (
            {"levels": ["a", None]},
            "levels= needs at least one level, and no level may be empty or missing",
        ),
        ({"levels": "abc", "scale": "numeric"}, "levels='abc' is one text"),
        (
            {"levels": list("abc"), "scale": "binary"},
            "scale='binary' needs two levels (zero, one), not",
        ),
        (
            {"conditions": "ab"},
            "conditions='ab': name two, the first minus the second: conditions=('a', 'b')",
        ),
        (
            {"conditions": ("a", "a")},
            "conditions=('a', 'a'): the two conditions must be different and not empty",
        ),
    ],
)
def test_impossible_options_are_named(option: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        PairedOptions(**option)
    assert str(caught.value).startswith(message)
