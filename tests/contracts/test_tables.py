"""Every metric reads a table whose columns are named in the call. New entries in METRICS are tested unnamed."""

from __future__ import annotations

import inspect
import re
from dataclasses import asdict, replace

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import socialstats as ss
from socialstats.errors import InputError
from socialstats.metrics import METRICS
from tests.contracts.subjects import TRAITS, run, subject_of

each_metric = pytest.mark.parametrize("name", METRICS)
KEYWORDS = {
    "comparisons": "read_comparisons",
    "groups": "read_groups",
    "paired": "read_paired",
    "ratings": "read_ratings",
    "labels": "LabelLists.from_frame",
}
ENGINES = {
    "pandas": lambda rows, path: rows,
    "polars": lambda rows, path: pl.from_pandas(rows),
    "pyarrow": lambda rows, path: pa.Table.from_pandas(rows),
    "DuckDB": lambda rows, path: duckdb.connect().from_df(rows),
    "mapping": lambda rows, path: {str(column): rows[column].tolist() for column in rows},
    "file": lambda rows, path: rows.to_csv(path, index=False) or path,
    "path as text": lambda rows, path: rows.to_csv(path, index=False) or str(path),
}


def reading(name):
    """Return the keywords of the call; entropies of pairs need clusters that keep pairs whole."""
    return subject_of(name).reading() | ({"cluster": "pair"} if name == "choice_entropy" else {})


@pytest.fixture(scope="module")
def expected():
    """Rows of each metric of a design that was made first, with the options that the call with a table has."""
    cache = {}

    def get(name):
        if name not in cache:
            subject = subject_of(name)
            own = inspect.signature(METRICS[name].function).parameters
            used = {k: v for k, v in reading(name).items() if k == "cluster" and k in own}
            used |= {"order": True} if "order" in own else {}
            made = run(name, subject.design(subject.rows()), **used).rows
            cache[name] = [without_cautions(row) for row in made]
        return cache[name]

    return get


@each_metric
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.slow
def test_a_table_with_its_columns_named_gives_the_rows_of_the_design(
    name, engine, expected, tmp_path
):
    subject = subject_of(name)
    table = ENGINES[engine](subject.rows(), tmp_path / "rows.csv")
    found = [without_cautions(row) for row in run(name, table, **reading(name)).rows]
    if engine != "DuckDB":
        assert found == expected(name)
    for one, other in zip(
        found, expected(name), strict=True
    ):  # clusters that stay with a table are summed in parts
        assert asdict(one) == {key: close(value) for key, value in asdict(other).items()}


def without_cautions(row):
    """Return a row without cautions: a design can declare clusters that a call with a table does not read (SS201)."""
    return replace(row, cautions=())


def close(value):
    """Return a number as one that others equal up to rounding."""
    return pytest.approx(value, rel=1e-9, abs=1e-12) if isinstance(value, float) else value


LEFT = {"comparisons": "winner", "labels": "cites"}
RIGHT = {"comparisons": "1", "groups": "arm", "paired": "condition", "labels": "domain"}


@each_metric
def test_a_formula_means_the_keywords_that_it_names(name):
    subject, keys, design = subject_of(name), reading(name), METRICS[name].design
    own = inspect.signature(METRICS[name].function).parameters
    columns = {
        k: v
        for k, v in keys.items()
        if k in ("unit", "item_a", "strata", "rater_source", "rater_groups")
    }
    columns |= {"order": keys["order"]} if "order" in keys else {}
    left, right = LEFT.get(design, "value"), RIGHT.get(design, keys.get("rater", "rater"))
    if design == "comparisons" and "covariate" in own:
        right = "urgency"
    if "traits" in keys:
        left, right = " + ".join(keys["traits"]), "model"
    named = [f"{key}({text(value, ', ')})" for key, value in columns.items()]
    formula = f"{left} ~ {' + '.join([right, *named])} | {text(keys['cluster'], ' + ')}"
    rest = {
        k: v
        for k, v in keys.items()
        if k not in {*columns, "value", "traits", "cluster", "labels", "group"}
    }
    table = subject.rows()
    expected = run(name, table, **keys).rows
    assert run(name, formula, data=table, **rest).rows == expected
    assert run(name, table, formula=formula, **rest).rows == expected


def text(value, joint):
    return value if isinstance(value, str) else joint.join(value)


@each_metric
def test_the_docstring_says_where_the_columns_are_documented(name):
    doc = inspect.getdoc(METRICS[name].function)
    said = re.search(
        r"\*\*columns\n +Of a data frame or file: its columns, by the keywords of (.+)\.\n", doc
    )
    assert f"`{KEYWORDS[METRICS[name].design]}`" in said[1]
    first = next(iter(inspect.signature(METRICS[name].function).parameters))
    assert re.search(
        rf"^{first} : .*, data frame, mapping of columns, or path of a file$", doc, re.M
    )


@each_metric
def test_columns_named_beside_a_design_are_an_error(name):
    subject = subject_of(name)
    key = next(key for key in subject.reading() if key not in ("cluster", "scale"))
    with pytest.raises(
        InputError, match=rf"{key}= tells how to read a table, (but|and) this .*already"
    ):
        run(name, subject.design(subject.rows()), **{key: "unit"})


@each_metric
@pytest.mark.parametrize("made", [True, False])
def test_a_misspelt_keyword_is_an_error_with_a_suggestion(name, made):
    subject = subject_of(name)
    key = next(iter(subject.reading()))
    table = subject.design(subject.rows()) if made else subject.rows()
    with pytest.raises(
        InputError, match=rf"{name}\(\) has no option {key}x=\. Did you mean {key}= \?"
    ):
        run(name, table, **{f"{key}x": "unit"})


@each_metric
def test_what_is_no_table_is_an_error_that_says_what_to_pass(name):
    said = r"a set (is not a table\. Pass a data frame|has no order, and holds equal values once\. Pass a list)"
    with pytest.raises(InputError, match=said):
        run(name, {1, 2}, **subject_of(name).reading())


PAIRS = {"story": [*"sstuvw"], "old": [2, 3, 4, 4, 2, 5], "new": [3, 5, 4, 6, 5, 5]}
LONG = {
    "post": [1, 1, 1, 2, 2, 2, 3, 3, 3],
    "who": [*"abcabcabc"],
    "said": [1, 2, 1, 3, 3, 2, 2, 2, 1],
    "forum": [*"xxxyyyxxx"],
}


def test_one_row_a_unit_is_read_by_its_two_columns():
    pairs = ss.Paired.from_wide(PAIRS, first="new", second="old", cluster="story")
    assert (
        ss.paired_difference(PAIRS, first="new", second="old", cluster="story").rows
        == ss.paired_difference(pairs).rows
    )


def test_raters_of_a_table_with_one_row_a_unit_are_its_columns():
    wide = {"post": [1, 2, 3], "a": [1, 3, 2], "b": [2, 3, 2], "c": [1, 2, 1]}
    named = {"unit": "post", "scale": "ordinal"}
    design = ss.Ratings.from_frame(LONG, unit="post", rater="who", value="said", scale="ordinal")
    for metric in (ss.krippendorff_alpha, ss.weighted_kappa):
        assert metric(wide, raters=["a", "b", "c"], **named).rows == metric(design).rows


def test_raters_of_a_table_with_one_rating_a_row_are_labels():
    named = {"unit": "post", "rater": "who", "value": "said", "scale": "ordinal"}
    design = ss.Ratings.from_frame(LONG, **named)
    found = ss.krippendorff_alpha(LONG, raters=["a", "b"], **named)
    assert found.rows == ss.krippendorff_alpha(design, raters=["a", "b"]).rows
    assert found.rows != ss.krippendorff_alpha(design).rows


def test_a_stratum_that_a_metric_is_asked_for_is_declared():
    named = {"unit": "post", "rater": "who", "value": "said", "scale": "ordinal"}
    design = ss.Ratings.from_frame(LONG, strata="forum", **named)
    expected = ss.percent_agreement(design, stratum="forum").rows
    assert ss.percent_agreement(LONG, stratum="forum", **named).rows == expected
    with pytest.raises(InputError, match=r"no column 'forrum'.*Did you mean .*'forum'"):
        ss.percent_agreement(LONG, stratum="forrum", **named)


def test_a_source_that_a_metric_is_asked_for_is_declared():
    rows = subject_of("ada_met").rows().rename(columns={"source": "kind"})
    named = {"unit": "unit", "levels": ["low", "medium", "high"], "refusal": "refused"}
    found = ss.choice_shares(rows, source="kind", stratum="domain", **named)
    design = ss.Ratings.from_frame(rows, rater_source="kind", strata="domain", **named)
    assert found.rows == ss.choice_shares(design, stratum="domain").rows


def test_a_name_that_a_metric_and_a_table_share_is_the_metrics_where_it_lists_the_value():
    rows = subject_of("krippendorff_alpha").rows()
    rows.loc[0, "value"] = "refused"
    named = {"unit": "unit", "levels": ["low", "medium", "high"]}
    as_label = ss.krippendorff_alpha(rows, refusal="refused", **named)
    assert (
        as_label.rows
        == ss.krippendorff_alpha(ss.Ratings.from_frame(rows, refusal="refused", **named)).rows
    )
    with pytest.raises(InputError, match="'refused'"):
        ss.krippendorff_alpha(rows, refusal="level", **named)
    raw = ss.equivalence(PAIRS, first="new", second="old", low=-3, high=3, scale="raw")
    assert (
        raw.rows
        == ss.equivalence(PAIRS, first="new", second="old", low=-3, high=3, scale="numeric").rows
    )
    ties = {"a": ["x", "x"], "b": ["y", "y"], "won": [3, 2], "lost": [2, 3], "drawn": [1, 2]}
    columns = {"item_a": "a", "item_b": "b", "wins_a": "won", "wins_b": "lost"}
    design = ss.Comparisons.from_counts(ties, ties="drawn", **columns)
    assert ss.bradley_terry(ties, ties="drawn", **columns).rows == ss.bradley_terry(design).rows
    assert ss.bradley_terry(ties, ties="half", **columns).rows != ss.bradley_terry(design).rows


def test_a_column_that_splits_the_table_splits_the_results():
    rows = {**LONG, "model": [*"mmmmmmmmm"]}
    found = ss.krippendorff_alpha(
        rows, unit="post", rater="who", value="said", by="model", scale="nominal"
    )
    assert list(found) == ["m"]
    games = {
        "item_a": [*"xxxxxx"],
        "item_b": [*"yyyyyy"],
        "winner": [*"xxyxyy"],
        "judge": [*"mmmnnn"],
    }
    assert list(ss.bradley_terry(games, by="judge")) == ["m", "n"]
    with pytest.raises(InputError, match=r"takes one fit, and these are 2, by judge"):
        ss.preference_shares(ss.bradley_terry(games, by="judge"), {"x": "one", "y": "two"})


def test_columns_of_two_layouts_are_an_error():
    with pytest.raises(
        InputError, match="first= names a column of a table with one row per unit, value= belongs"
    ):
        ss.paired_difference(PAIRS, first="new", second="old", value="old")
    with pytest.raises(InputError, match="name both columns, first= and second="):
        ss.paired_difference(PAIRS, first="new")
    with pytest.raises(
        InputError, match="value='new' names the column of values where each row is one rating"
    ):
        ss.weighted_kappa(PAIRS, raters=["old", "new"], value="new")
    won = {"item_a": ["x", "x"], "item_b": ["y", "y"], "winner": ["x", "y"], "draws": [1, 0]}
    with pytest.raises(InputError, match="ties='draws' does not go with winner='winner'"):
        ss.bradley_terry(won, ties="draws")
    with pytest.raises(InputError, match="ties='davidsonn' is not one of"):
        ss.bradley_terry(won, ties="davidsonn")
    with pytest.raises(InputError, match="different layouts"):
        ss.trait_profile({}, traits=["a"], unit="b")
    with pytest.raises(InputError, match="format='csv' says what a file holds"):
        ss.mcnemar(PAIRS, first="new", second="old", format="csv")


def test_rows_of_an_array_are_units_where_the_call_says_so():
    rows = [[1, 2], [2, 2], [3, 1]]
    found = ss.krippendorff_alpha(np.array(rows), raters_in="columns")
    assert found.rows == ss.krippendorff_alpha(rows, raters_in="columns").rows
    assert (
        found.rows
        == ss.krippendorff_alpha({"a": [1, 2, 3], "b": [2, 2, 1]}, raters=["a", "b"]).rows
    )


def test_a_call_without_a_table_names_the_function():
    with pytest.raises(TypeError, match=r"mcnemar\(\): missing a required argument: 'paired'"):
        ss.mcnemar(first="new", second="old")


def test_trait_scores_are_read_from_a_table_with_one_score_a_row():
    wide = subject_of("trait_profile").rows()
    wide = wide[wide["wording"] == "plain"].rename(columns={"model": "llm"})
    keys = ["llm", "scenario", "stage", "judge"]
    long = wide.melt(
        id_vars=keys,
        value_vars=["caring", "open", "strict", "wary"],
        var_name="trait",
        value_name="score",
    )
    long["answer"] = long["llm"] + long["scenario"] + long["stage"] + long["trait"]
    weights = dict(zip(TRAITS, (2.5, 2.5, -2.5, -2.5), strict=True))
    one = ss.trait_profile(wide, model="llm", cluster="scenario", weights=weights, wording=None)
    two = ss.trait_profile(
        long,
        unit="answer",
        rater="judge",
        value="score",
        model="llm",
        cluster="scenario",
        scale="interval",
        weights=weights,
    )
    assert one.rows == two.rows


def test_differences_of_two_tables_read_both_by_the_same_columns():
    rows = subject_of("sensitivity").rows()
    first, second = rows.iloc[::2], rows.iloc[1::2]
    designs = [ss.Comparisons.from_frame(part, order="first") for part in (first, second)]
    for metric in (ss.choice_entropy_difference, ss.sensitivity_difference):
        assert (
            metric(first, second, order="first", unmatched="drop").rows
            == metric(*designs, unmatched="drop").rows
        )
