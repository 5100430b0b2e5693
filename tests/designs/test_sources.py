"""All formats and engines give identical cells."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from socialstats.designs.comparisons import Comparisons
from socialstats.designs.files import read_comparisons
from socialstats.errors import InputError, MissingDependency, NothingToAnalyse
from socialstats.tables import as_table, read_table

HOSTILE = [
    "007",
    "NA",
    "nan",
    "None",
    "1e5",
    "True",
    "null",
    "</script>",
    'say "hi"',
    "two\nlines",
    "a,b",
    " x",
    "ü",
]
OPTIONS: dict[str, Any] = {"cluster": "rater", "weight": "w", "by": "model", "na": False}


def rows(n: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    names = np.array(HOSTILE, dtype=object)
    a = rng.integers(0, len(names), n)
    b = (a + 1 + rng.integers(0, len(names) - 1, n)) % len(names)
    winner = names[np.where(rng.random(n) < 0.5, a, b)]
    winner[rng.random(n) < 0.3] = "tie"
    return pd.DataFrame(
        {
            "item_a": names[a],
            "item_b": names[b],
            "winner": winner,
            "order": names[np.where(rng.random(n) < 0.5, a, b)],
            "urgency_a": rng.integers(1, 4, n),
            "urgency_b": rng.integers(1, 4, n),
            "domain_a": names[a],
            "domain_b": names[b],
            "rater": rng.integers(1, 9, n).astype(str),
            "model": rng.choice(["m1", "m2"], n),
            "w": rng.integers(1, 5, n) / 2,
        }
    )


def same(x: Comparisons, y: Comparisons) -> None:
    assert x.items == y.items
    for name in ("item_a", "item_b", "outcome", "first", "count"):
        np.testing.assert_array_equal(getattr(x, name), getattr(y, name))
    np.testing.assert_allclose(x.weight, y.weight, rtol=1e-14)  # sums of halves, at most re-ordered
    np.testing.assert_allclose(x.weight_sq, y.weight_sq, rtol=1e-14)
    assert x.covariates.keys() == y.covariates.keys()
    for name, c in x.covariates.items():
        assert c.a.dtype == y.covariates[name].a.dtype
        np.testing.assert_array_equal(c.a, y.covariates[name].a)
        np.testing.assert_array_equal(c.b, y.covariates[name].b)
    for f, g in zip((x.by, *x.clusters), (y.by, *y.clusters), strict=True):
        assert f is not None
        assert g is not None
        assert (f.name, f.levels) == (g.name, g.levels)
        np.testing.assert_array_equal(f.codes, g.codes)


@pytest.fixture(scope="module")
def expected() -> Comparisons:
    """Cells counted by brute force with Python dictionaries are compared with the pandas path below."""
    return Comparisons.from_frame(rows(), **OPTIONS)


def test_cells_are_the_distinct_rows_counted_one_by_one(expected: Comparisons) -> None:
    frame = rows()
    counted: dict[tuple[object, ...], list[float]] = {}
    for r in frame.to_dict("records"):
        first = 1 if r["order"] == r["item_a"] else -1
        key = (
            r["item_a"],
            r["item_b"],
            r["winner"],
            first,
            float(r["urgency_a"]),
            float(r["urgency_b"]),
            r["model"],
            r["rater"],
        )
        sums = counted.setdefault(key, [0.0, 0.0, 0.0])
        sums[0] += 1
        sums[1] += r["w"]
        sums[2] += r["w"] ** 2
    design = expected
    found = {}
    for k in range(len(design.count)):
        a, b = design.items[design.item_a[k]], design.items[design.item_b[k]]
        assert design.by is not None
        key = (
            a,
            b,
            (a, b, "tie")[design.outcome[k]],
            int(design.first[k]),
            design.covariates["urgency"].a[k],
            design.covariates["urgency"].b[k],
            design.by.levels[design.by.codes[k]],
            design.clusters[0].levels[design.clusters[0].codes[k]],
        )
        found[key] = [design.count[k], design.weight[k], design.weight_sq[k]]
    assert found == counted
    assert design.n_rows == len(frame)
    assert design.n_ties == (frame["winner"] == "tie").sum()
    assert design.order_known


@pytest.mark.parametrize(
    "engine",
    [
        "str",
        "python-str",
        "object",
        "category",
        "dict",
        "polars",
        "polars-lazy",
        "polars-enum",
        "pyarrow",
        "pyarrow-chunked",
        "duckdb",
    ],
)
def test_every_engine_gives_the_same_cells(engine: str, expected: Comparisons) -> None:
    frame = rows()
    texts = [c for c in frame.columns if frame[c].dtype.kind not in "if"]
    if engine == "object":
        data: Any = frame.astype(dict.fromkeys(texts, object))
    elif engine == "python-str":
        data = frame.astype(dict.fromkeys(texts, pd.StringDtype("python", na_value=np.nan)))
    elif engine == "category":
        data = frame.astype(dict.fromkeys(texts, "category"))
    elif engine == "dict":
        data = {name: frame[name].tolist() for name in frame}
    elif engine.startswith("polars"):
        pl = pytest.importorskip("polars")
        data = pl.DataFrame({name: frame[name].tolist() for name in frame})
        data = data.lazy() if engine == "polars-lazy" else data
        if engine == "polars-enum":
            data = data.with_columns(
                pl.col("rater").cast(pl.Categorical), pl.col("winner").cast(pl.Categorical)
            )
    else:
        pa = pytest.importorskip("pyarrow")
        table = pa.table({name: frame[name].tolist() for name in frame})
        data = (
            pa.concat_tables([table.slice(0, 77), table.slice(77)])
            if engine == "pyarrow-chunked"
            else table
        )
        if engine == "duckdb":
            duckdb = pytest.importorskip("duckdb")
            data = duckdb.connect().from_arrow(table)
    before = frame.copy()
    same(Comparisons.from_frame(data, **OPTIONS).whole(), expected)
    pd.testing.assert_frame_equal(frame, before)


def write(frame: pd.DataFrame, path: Path) -> None:
    data = io.StringIO()
    name = path.name.removesuffix(".gz")
    if name.endswith("csv"):
        frame.to_csv(data, index=False)
    elif name.endswith("tsv"):
        frame.to_csv(data, index=False, sep="\t")
    elif name.endswith(("jsonl", "ndjson")):
        data.write("\n\n".join(json.dumps(r) for r in frame.to_dict("records")) + "\n")
    elif name.startswith("columns"):
        json.dump({c: frame[c].tolist() for c in frame}, data)
    else:
        json.dump(frame.to_dict("records"), data, indent=1)
    raw = data.getvalue().encode()
    path.write_bytes(gzip.compress(raw) if path.name.endswith(".gz") else raw)


def write_typed(frame: pd.DataFrame, path: Path) -> None:
    import pyarrow as pa
    import pyreadstat

    if path.suffix == ".arrows":
        table = pa.Table.from_pandas(frame)
        with pa.ipc.new_stream(path, table.schema) as stream:
            stream.write_table(table)
    elif path.suffix in (".sav", ".zsav"):
        pyreadstat.write_sav(frame, path, compress=path.suffix == ".zsav")
    elif path.suffix == ".dta":
        frame.to_stata(path, write_index=False, version=118)
    elif path.suffix in (".xlsx", ".ods"):
        frame.to_excel(path, index=False, engine="odf" if path.suffix == ".ods" else "openpyxl")
    else:
        (frame.to_parquet if path.suffix == ".parquet" else frame.to_feather)(path)


FILES = [
    "x.csv",
    "x.tsv",
    "x.jsonl",
    "x.ndjson",
    "x.json",
    "columns.json",
    "x.csv.gz",
    "x.tsv.gz",
    "x.jsonl.gz",
]


@pytest.mark.parametrize("name", FILES)
def test_every_file_format_gives_the_same_cells(
    name: str, tmp_path: Path, expected: Comparisons
) -> None:
    write(rows(), tmp_path / name)
    same(read_comparisons(tmp_path / name, **OPTIONS), expected)


@pytest.mark.parametrize(
    "suffix", ["parquet", "feather", "arrows", "dta", "sav", "zsav", "xlsx", "ods"]
)
@pytest.mark.slow
def test_files_of_other_programs_give_the_same_cells(
    suffix: str, tmp_path: Path, expected: Comparisons
) -> None:
    path = tmp_path / f"x.{suffix}"
    write_typed(rows(), path)
    same(read_comparisons(path, **OPTIONS), expected)
    (tmp_path / "unnamed").write_bytes(path.read_bytes())
    if suffix != "arrows":  # a stream has no mark
        same(read_comparisons(tmp_path / "unnamed", **OPTIONS), expected)


@pytest.mark.parametrize(
    "name", ["x.csv", "x.tsv", "x.jsonl", "x.json", "columns.json", "x.csv.gz"]
)
def test_standard_input_is_recognised_by_content(
    name: str, tmp_path: Path, expected: Comparisons, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(rows(), tmp_path / name)
    raw = io.BytesIO((tmp_path / name).read_bytes())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(raw))
    design = read_comparisons("-", **OPTIONS)
    same(design, expected)
    assert design.source == "stdin"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_line_ends_and_byte_order_marks_change_nothing(
    end: str, mark: bytes, tmp_path: Path
) -> None:
    frame = rows().replace("two\nlines", "two lines")
    text = frame.to_csv(index=False, lineterminator=end)
    (tmp_path / "x.csv").write_bytes(mark + text.encode())
    same(read_comparisons(tmp_path / "x.csv", **OPTIONS), Comparisons.from_frame(frame, **OPTIONS))


@pytest.mark.parametrize(
    ("suffix", "package", "extra"),
    [
        ("parquet", "pyarrow", "parquet"),
        ("feather", "pyarrow", "parquet"),
        ("sav", "pyreadstat", "spss"),
    ],
)
def test_without_its_package_a_format_names_the_extra(
    suffix: str, package: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_typed(rows(), tmp_path / f"x.{suffix}")
    monkeypatch.setitem(sys.modules, package, None)
    said = rf"x\.{suffix}: reading an? .* needs \w+: pip install 'socialstats\[{extra}\]', or save the table as CSV"
    with pytest.raises(MissingDependency, match=said):
        read_table(tmp_path / f"x.{suffix}")


def test_numeric_item_columns_become_their_text() -> None:
    design = Comparisons.from_frame(
        {"item_a": [1, 2], "item_b": [2.0, 10.0], "winner": ["1", "tie"]}
    )
    assert design.items == ("1", "10", "2")


@pytest.mark.parametrize("name", ["x.csv", "x.jsonl", "x.json", "x.dat"])
def test_an_empty_file_has_nothing_to_analyse(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"\xef\xbb\xbf\n \n")
    with pytest.raises(NothingToAnalyse) as caught:
        read_table(tmp_path / name)
    assert str(caught.value) == f"{name} is empty: there is nothing to analyse"


@pytest.mark.parametrize(
    "text", ["item_a,item_b,winner\n", "item_a,item_b,winner", "item_a,item_b,winner\n\n \n"]
)
def test_a_header_alone_has_nothing_to_analyse(text: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(NothingToAnalyse) as caught:
        read_table(tmp_path / "x.csv")
    assert str(caught.value) == "x.csv has a header but no rows: there is nothing to analyse"


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"item_a": [], "item_b": [], "winner": []}),
        {"item_a": [], "item_b": [], "winner": []},
    ],
)
def test_an_empty_frame_has_nothing_to_analyse(frame: object) -> None:
    with pytest.raises(NothingToAnalyse, match="data frame has no rows"):
        Comparisons.from_frame(frame)


@pytest.mark.parametrize("data", [[[1, 2]], "choices.csv", 3, None, ([1, 2], [2, 3])])
def test_what_is_no_table_is_refused(data: object) -> None:
    with pytest.raises(InputError, match="is not a table"):
        as_table(data)


def test_column_names_must_be_distinct_texts() -> None:
    frame = pd.DataFrame([[1, 2]], columns=["item_a", "item_a"])
    with pytest.raises(
        InputError, match=r"data frame: two columns are called 'item_a'\. Rename one of them"
    ):
        as_table(frame)
    with pytest.raises(InputError, match=r"the column name 0\.5 is not text"):
        as_table(pd.DataFrame([[1, 2]], columns=[0.5, 1.5]))
    assert as_table(pd.DataFrame([[1, 2]])).columns == ("0", "1")
    with pytest.raises(InputError, match="two columns are called '1'"):
        as_table({1: [1], "1": [2]})


def test_nested_values_are_no_labels() -> None:
    pl = pytest.importorskip("polars")
    columns = {"item_a": [["x"], ["y"]], "item_b": ["y", "x"], "winner": ["y", "x"]}
    for data in (pd.DataFrame(columns), pl.DataFrame(columns)):
        with pytest.raises(
            InputError, match="data frame, column 'item_a': it holds values that are no labels"
        ):
            Comparisons.from_frame(data)


def test_llmfao_is_read_as_published() -> None:
    path = Path(__file__).resolve().parents[2] / ".." / "shared" / "data" / "arena" / "llmfao.csv"
    if not path.exists():
        pytest.skip("shared/data/arena/llmfao.csv is not beside the project")
    design = read_comparisons(path, item_a="left", item_b="right", cluster=("worker", "prompt"))
    assert (len(design.items), design.n_rows) == (59, 8931)
    assert round(design.n_ties / design.n_rows, 2) == 0.39
    assert [(f.name, len(f.levels)) for f in design.clusters] == [("worker", 124), ("prompt", 13)]
    raw = pd.read_csv(path)
    assert design.n_ties == (raw["winner"] == "tie").sum()
    left_wins = raw.loc[raw["winner"] == "left", "left"].value_counts()
    right_wins = raw.loc[raw["winner"] == "right", "right"].value_counts()
    wins: Any = left_wins.add(right_wins, fill_value=0)
    for outcome, side in ((0, design.item_a), (1, design.item_b)):
        won = np.bincount(
            side[design.outcome == outcome],
            weights=design.count[design.outcome == outcome],
            minlength=59,
        )
        wins = wins.subtract(pd.Series(won, index=list(design.items)), fill_value=0)
    assert not wins.to_numpy().any()


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_other_delimiters_are_seen_in_the_header(
    delimiter: str, tmp_path: Path, expected: Comparisons
) -> None:
    rows().to_csv(tmp_path / "x.csv", sep=delimiter, index=False)
    same(read_comparisons(tmp_path / "x.csv", **OPTIONS), expected)


def test_categories_without_rows_are_no_items() -> None:
    kind = pd.CategoricalDtype(["left", "p", "q", "right"])
    frame = pd.DataFrame({"left": ["p", "q"], "right": ["q", "p"], "winner": ["left", "right"]})
    design = Comparisons.from_frame(frame.astype({"left": kind, "right": kind, "winner": kind}))
    assert design.items == ("p", "q")


def test_dates_are_labels() -> None:
    frame = pd.DataFrame(
        {"item_a": ["p"], "item_b": ["q"], "winner": ["q"], "day": pd.to_datetime(["2009-10-08"])}
    )
    assert Comparisons.from_frame(frame, cluster="day").clusters[0].levels == (
        "2009-10-08 00:00:00",
    )
