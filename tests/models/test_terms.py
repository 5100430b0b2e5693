"""Columns of terms against formulaic on a table that holds each row, and against R."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import numpy as np
import pandas as pd
import pytest
from formulaic import Formula, model_matrix

import socialstats as ss
from socialstats.choices.terms import columns_of_python, columns_of_terms
from socialstats.designs.terms import names_only, parse_formula, right_terms
from socialstats.errors import InputError

rng = np.random.default_rng(3)
X, Z = np.array([0.5, 1.0, 2.0, 3.5, 4.0, 7.0, 9.0]), np.array([1.0, 4.0, 2.0, 2.0, 3.0, 9.0, 5.0])
KIND, PLACE = np.array([*"abcabca"], dtype=object), np.array([*"nssnnsn"], dtype=object)
ROWS = np.array([1, 4, 2, 1, 3, 2, 5])
VALUES = {"x": X, "z": Z, "kind": KIND, "my place": PLACE}
FORMULAS = [
    "~ x",
    "~ x + z",
    "~ log(x)",
    "~ exp(x / 9)",
    "~ I(x**2)",
    "~ I(x * z - 2 / (x + 1))",
    "~ I(-x**2 + z**(-1))",
    "~ I(2**3**0.5 * x)",
    "~ center(x)",
    "~ scale(x)",
    "~ scale(log(x))",
    "~ I(scale(x)**2)",
    "~ poly(x)",
    "~ poly(x, 3)",
    "~ poly(x, degree=2)",
    "~ bs(x)",
    "~ bs(x, 5)",
    "~ bs(x, df=4, degree=2)",
    "~ kind",
    "~ C(kind)",
    "~ C(z)",
    "~ kind:x",
    "~ kind * x",
    "~ x * z",
    "~ kind + kind:`my place`",
    "~ (x + z + kind)**2",
    "~ x:z - x",
    "~ 0 + kind",
    "~ kind - 1 + x",
    "~ poly(x, 2):kind",
    "~ C(kind) * scale(z)",
    "~ x + x:x + (x)",
    "~ `my place`",
    "~ (x + z):(kind + `my place`)**2",
    "~ z + x * kind:`my place`",
    "~ x * z:kind",
    "~ (x + kind)**2:z - x",
]


@pytest.mark.parametrize("formula", FORMULAS)
def test_columns_are_those_of_formulaic_on_every_row(formula: str) -> None:
    """Formulaic is given each row as often as it occurs; its bases and means are those of all rows."""
    frame = pd.DataFrame(VALUES).loc[np.arange(7).repeat(ROWS)]
    wanted = model_matrix(formula.partition("~")[2], frame).drop(
        columns="Intercept", errors="ignore"
    )
    with names_only():
        found, names = columns_of_terms(right_terms(formula) or [], VALUES, ROWS.astype(float))
    assert list(names) == list(wanted.columns)
    np.testing.assert_allclose(
        found.repeat(ROWS, axis=0), wanted.to_numpy(dtype=float), rtol=1e-10, atol=1e-12
    )


def written(draw: Random, depth: int = 0) -> str:
    """Terms at random, joined by every operator of the grammar."""
    if depth > 2 or draw.random() < 0.3:
        return draw.choice(["x", "z", "kind", "`my place`"])
    one, other = written(draw, depth + 1), written(draw, depth + 1)
    sign = draw.choice(["+", "-", "*", ":", ":", "**"])
    if sign in "*:" and draw.random() < 0.5:
        one, other = (f"({side} + {draw.choice(['x', 'z', 'kind'])})" for side in (one, other))
        other += draw.choice(["", "**2"])
    text = f"({one} + {other})**{draw.randint(1, 3)}" if sign == "**" else f"{one} {sign} {other}"
    return f"({text})" if draw.random() < 0.3 else text


def calculated(draw: Random, depth: int = 0) -> str:
    """A calculation at random."""
    if depth > 2 or draw.random() < 0.3:
        return draw.choice(["x", "z", "2", "0.5"])
    one, other = calculated(draw, depth + 1), calculated(draw, depth + 1)
    sign = draw.choice(["+", "-", "*", "/", "**"])
    text = f"{one}{sign}2" if sign == "**" else f"{one} {sign} {other}"
    return f"({text})" if draw.random() < 0.3 else text


def test_operators_bind_as_in_formulaic_and_calculations_as_in_python() -> None:
    """Any 200 formulas name the same terms; any 200 calculations have the same values. Formulaic sorts its terms."""
    draw = Random(11)
    for _ in range(200):
        text = written(draw)
        ours = {
            frozenset(f.text for f in term) for term in parse_formula(f"~ {text}").right.values()
        }
        theirs = {frozenset(str(f).strip("`") for f in term.factors) for term in Formula(text)}
        assert {frozenset(one.strip("`") for one in term) for term in ours} == {
            t - {"1"} for t in theirs
        }, text
    for _ in range(200):
        text = calculated(draw)
        try:
            with np.errstate(all="ignore"):
                wanted = eval(text, {}, {"x": X, "z": Z})
        except ZeroDivisionError:
            continue
        if not np.all(np.isfinite(wanted)) or np.ndim(wanted) == 0:
            continue
        found, _ = columns_of_terms(right_terms(f"~ I({text})") or [], VALUES, ROWS.astype(float))
        np.testing.assert_allclose(found[:, 0], wanted, rtol=1e-12, err_msg=text)


@pytest.mark.parametrize(
    ("most", "more", "said"),
    [
        ("~ " + "x" * 1998, "~ " + "x" * 1999, "has 2,001 characters, and 2,000 are the most"),
        (
            "~ " + "(" * 20 + "x" + ")" * 20,
            "~ " + "(" * 21 + "x" + ")" * 21,
            "nested more than 20 levels deep",
        ),
        (
            "~ 0 + " + " + ".join(f"x{k}" for k in range(100)),
            "~ 0 + " + " + ".join(f"x{k}" for k in range(101)),
            "more than 100 terms",
        ),
        ("~ (x + z)**10", "~ (x + z)**11", "a whole number from 1 to 10"),
        ("~ poly(x, 10)", "~ poly(x, 11)", "degree of poly.*from 1 to 10"),
        ("~ bs(x, 50)", "~ bs(x, 51)", "df of bs.*from 1 to 50"),
        ("~ bs(x, degree=5)", "~ bs(x, degree=6)", "degree of bs.*from 1 to 5"),
        ("~ (x + z)**1", "~ (x + z)**0", "a whole number from 1 to 10"),
    ],
)
def test_limits_hold_from_the_first_number_beyond(most: str, more: str, said: str) -> None:
    with names_only():
        parse_formula(most)
        with pytest.raises(InputError, match=said):
            parse_formula(more)


def test_square_roots_which_formulaic_lacks() -> None:
    found, names = columns_of_terms(
        right_terms("~ sqrt(x) + I(sqrt(x) * z)") or [], VALUES, ROWS.astype(float)
    )
    assert names == ("sqrt(x)", "I(sqrt(x) * z)")
    np.testing.assert_array_equal(found, np.column_stack([np.sqrt(X), np.sqrt(X) * Z]))


def test_values_of_no_row_change_no_other() -> None:
    """As in predictions: new values are computed beside those of the fit."""
    terms = right_terms("~ scale(x) + poly(x, 2) + bs(x, df=4)") or []
    alone, _ = columns_of_terms(terms, VALUES, ROWS.astype(float))
    longer = {name: np.append(column, column[:1]) for name, column in VALUES.items()}
    longer["x"] = np.append(X, 6.5)
    beside, _ = columns_of_terms(terms, longer, np.append(ROWS, 0.0))
    np.testing.assert_array_equal(beside[:-1], alone)
    z = (6.5 - np.average(X, weights=ROWS)) / np.std(X.repeat(ROWS), ddof=1)
    assert beside[-1, 0] == pytest.approx(z, rel=1e-12)


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("~ log(x - 0.5)", r"log\(x - 0\.5\) is not a finite number where x = 0\.5"),
        ("~ I(x / (z - 1))", r"is not a finite number where x = 0\.5, z = 1\.0"),
        ("~ log(kind)", "'kind' holds text, such as 'a'"),
        ("~ I(kind)", "holds text.*Name the column alone"),
        ("~ poly(x, 7)", "of degree 7 needs 8 different values, and there are 7"),
        ("~ bs(x, df=9)", "with 9 columns needs 10 different values"),
        ("~ bs(x, df=2)", "2 degrees of freedom are fewer than the degree, 3"),
        ("~ scale(I(x - x))", "is not a finite number"),
    ],
)
def test_what_cannot_be_computed_is_named(formula: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        columns_of_terms(right_terms(formula) or [], VALUES, ROWS.astype(float))


def test_knots_on_repeated_values_are_refused() -> None:
    rows = np.array([1.0, 1, 1, 1, 1, 1, 90])
    with pytest.raises(InputError, match="knots fall on values that are repeated too often"):
        columns_of_terms(right_terms("~ bs(x, df=6)") or [], VALUES, rows)


def test_many_columns_are_refused_for_files_only() -> None:
    many = {"k": np.array([f"k{i}" for i in range(2_500)], dtype=object)}
    terms = right_terms("~ k") or []
    for formula, columns in (
        ("~ 0 + k", 2_500),
        ("~ 0 + k:x", 2_500),
        ("~ 0 + x + k", 2_501),
        ("~ 0 + k:j", 5_000),
    ):
        beside = {**many, "x": np.arange(2_500.0), "j": np.array(["a", "b"] * 1_250, dtype=object)}
        with (
            names_only(),
            pytest.raises(InputError, match=f"make {columns:,} columns, and 2,000 are the most"),
        ):
            columns_of_terms(right_terms(formula) or [], beside, np.ones(2_500))
    with (
        names_only(),
        pytest.raises(InputError, match="make 2,500 columns, and 2,000 are the most"),
    ):
        columns_of_terms(terms, many, np.ones(2_500))


def test_a_formula_that_runs_python_is_trained_on_every_row_too() -> None:
    frame = pd.DataFrame(VALUES)
    found, names = columns_of_python(" {scale(x)} + C(x > 2)", frame, ROWS.astype(float))
    grammar, _ = columns_of_terms(right_terms("~ scale(x)") or [], VALUES, ROWS.astype(float))
    assert names == ("scale(x)", "C(x > 2)[T.True]")
    np.testing.assert_allclose(found[:, :1], grammar, rtol=1e-12)


def test_the_grammar_reads_what_it_writes() -> None:
    for formula in FORMULAS:
        parts = parse_formula(formula)
        again = parse_formula(
            "~ 0 + "
            + " + ".join(":".join(f.text for f in term) or "1" for term in parts.right.values())
        )
        assert again.right == parts.right


@pytest.mark.parametrize(
    "formula", ["~ scale(x)", "~ poly(x, 2)", "~ bs(x, df=4)", "~ log(x)", "~ C(kind) + center(x)"]
)
def test_fits_are_those_of_r(formula: str) -> None:
    """tests/golden/formulas.R: glm() with the same terms of both sides, stacked; differences of their columns."""
    golden = json.loads(
        (Path(__file__).parents[1] / "golden" / "formulas.json").read_text(encoding="utf-8")
    )
    fit = ss.bradley_terry(golden["table"], formula, cluster=None)
    effects = {row.term: row for row in fit.rows if row.group == "covariate"}
    wanted = golden["fits"][formula]
    assert len(effects) == np.size(wanted["estimate"])
    np.testing.assert_allclose(
        [row.estimate for row in effects.values()], np.ravel(wanted["estimate"]), rtol=1e-6
    )
    np.testing.assert_allclose(
        [row.std_error for row in effects.values()], np.ravel(wanted["std_error"]), rtol=1e-6
    )
    assert fit.verify().ok


def test_the_first_level_of_a_category_is_the_reference() -> None:
    draw = np.random.default_rng(1)
    table = pd.DataFrame(
        {
            "item_a": draw.choice(list("pqr"), 300),
            "kind_a": draw.choice(["low", "mid", "high"], 300),
        }
    )
    table["item_b"] = table["item_a"].map({"p": "q", "q": "r", "r": "p"})
    table["kind_b"] = table["kind_a"].to_numpy()[::-1]
    table["winner"] = np.where(draw.random(300) < 0.5, table["item_a"], table["item_b"])

    def effects(levels: list[str] | None) -> dict[str, float]:
        kinds = {
            side: pd.Categorical(table[side], categories=levels) for side in ("kind_a", "kind_b")
        }
        named = table if levels is None else table.assign(**kinds)
        rows = ss.bradley_terry(named, "~ kind", covariates=["kind"]).rows
        return {
            row.term: row.estimate
            for row in rows
            if row.group == "covariate" and row.estimate is not None
        }

    alphabet, ordered = effects(None), effects(["low", "mid", "high"])
    assert set(alphabet) == {"kind[T.low]", "kind[T.mid]"}
    assert set(ordered) == {"kind[T.mid]", "kind[T.high]"}
    assert ordered["kind[T.high]"] == pytest.approx(-alphabet["kind[T.low]"], rel=1e-6)
    assert ordered["kind[T.mid]"] == pytest.approx(
        alphabet["kind[T.mid]"] - alphabet["kind[T.low]"], rel=1e-6
    )
