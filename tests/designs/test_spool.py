"""Covariates that stay with the table give the numbers of a design that holds each row as a cell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import socialstats as ss
from socialstats.choices.bradley_terry.likelihoods import information, log_likelihood, score
from socialstats.designs import covariates, scan

FIELDS = ("estimate", "std_error", "df", "conf_low", "p_value")


def untried(made: Any) -> list[str]:
    """Cautions but those on columns that were tried as clusters, which a table in memory has."""
    return [c.code for c in made.cautions if c.code not in ("SS311", "SS344")]


def votes(n: int = 3000, items: int = 8) -> pd.DataFrame:
    """Comparisons with a length (a number of its own in each row), a size (whole numbers) and a kind (three values)."""
    rng = np.random.default_rng(1)
    a = rng.integers(0, items, n)
    b = (a + 1 + rng.integers(0, items - 1, n)) % items
    length, size, kind = (
        rng.normal(5, 2, (2, n)),
        rng.gamma(2, 100, (2, n)).astype(int),
        rng.integers(0, 3, (2, n)),
    )
    prompt, judge = rng.integers(0, 60, n), rng.integers(0, 500, n)
    eta = (
        0.3 * (a - b)
        + 0.2 * (length[0] - length[1])
        + 0.001 * (size[0] - size[1])
        + rng.normal(size=60)[prompt]
    )
    first, u = 1 / (1 + np.exp(-eta)), rng.random(n)
    names = np.array([f"m{k}" for k in range(items)])
    return pd.DataFrame(
        {
            "item_a": names[a],
            "item_b": names[b],
            "length_a": length[0],
            "length_b": length[1],
            "size_a": size[0],
            "size_b": size[1],
            "kind_a": kind[0],
            "kind_b": kind[1],
            "judge": judge,
            "prompt": [f"p{k}" for k in prompt],
            "winner": np.select(
                [u < 0.8 * first, u > 1 - 0.8 * (1 - first)], [names[a], names[b]], "tie"
            ),
            "order": np.where(rng.random(n) < 0.5, names[a], names[b]),
            "w": rng.integers(1, 4, n).astype(float),
        }
    )


def of_duckdb(frame: pd.DataFrame) -> Any:
    return duckdb.connect().from_df(frame)


ENGINES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "duckdb": of_duckdb,
    "polars": lambda frame: pl.from_pandas(frame).lazy(),
    "pandas": lambda frame: frame,
}
CASES: list[tuple[str, Mapping[str, Any]]] = [
    ("~ length", {}),
    ("~ kind + size + length", {"order": True, "cluster": "prompt"}),
    ("~ size + C(kind)", {"cluster": "judge", "ties": "rao_kupper"}),
    ("~ length + size", {"cluster": ["prompt", "judge"], "weight": "w", "reference": "m2"}),
    ("~ length", {"cluster": "pair"}),
    ("~ length + kind", {"vcov": "sandwich", "weight": "w"}),
    ("~ size", {"ties": "half"}),
    ("~ size + length", {"strengths": "none"}),
]


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, sizes in (
        (covariates, {"MANY_VALUES": 500, "EAGER_ROWS": 1000}),
        (scan, {"SPOOL_ROWS": 300, "SORTED_ROWS": 700}),
    ):
        for name, value in sizes.items():
            monkeypatch.setattr(module, name, value)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Return a fit whose rows are cells."""

    def fit(frame: pd.DataFrame, *args: Any, **given: Any) -> Any:
        with monkeypatch.context() as patch:
            patch.setattr(covariates, "MANY_VALUES", 10**9)
            return ss.bradley_terry(frame, *args, **given)

    return fit


def numbers(result: Any) -> np.ndarray[Any, Any]:
    return np.array([[getattr(row, name) for name in FIELDS] for row in result.rows], dtype=float)


def same(found: Any, wanted: Any) -> None:
    assert [row.term for row in found.rows] == [row.term for row in wanted.rows]
    np.testing.assert_allclose(numbers(found), numbers(wanted), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", range(len(CASES)))
def test_fits_are_those_of_cells(case: int, engine: str, held: Any) -> None:
    formula, given = CASES[case]
    frame = votes()
    found, wanted = (
        ss.bradley_terry(ENGINES[engine](frame), formula, **given),
        held(frame, formula, **given),
    )
    assert found.state.streamed
    assert not wanted.state.streamed
    assert "every row" in found.inference
    same(found, wanted)
    assert found.log_likelihood == pytest.approx(wanted.log_likelihood, rel=1e-13)
    assert untried(found) == untried(wanted)


def test_the_reference_is_a_logistic_regression() -> None:
    import statsmodels.api as sm

    frame = votes().query("winner != 'tie'")
    fit = ss.bradley_terry(of_duckdb(frame), "~ length", cluster=None, order=False)
    items = sorted({*frame.item_a})
    x = np.column_stack(
        [
            *((frame.item_a == item).astype(float) - (frame.item_b == item) for item in items[1:]),
            frame.length_a - frame.length_b,
        ]
    )
    won = (frame.winner == frame.item_a).to_numpy()
    peer = sm.GLM(won, x, family=sm.families.Binomial()).fit(tol=1e-12)
    row = fit.row("length")
    assert row.estimate == pytest.approx(peer.params[-1], rel=1e-8)
    assert row.std_error == pytest.approx(peer.bse[-1], rel=1e-8)
    assert fit.log_likelihood == pytest.approx(peer.llf, rel=1e-12)


@pytest.mark.parametrize("weight", [None, "w"])
def test_rows_that_are_drawn_again_are_refused(weight: str | None) -> None:
    design = ss.Comparisons.from_frame(of_duckdb(votes()).filter("random() < .5"), weight=weight)
    with pytest.raises(ss.InputError, match="a second reading gave other rows than the first"):
        ss.bradley_terry(design, "~ length")


def test_cells_are_those_without_the_covariates() -> None:
    frame = votes()
    design = ss.Comparisons.from_frame(of_duckdb(frame), cluster="prompt")
    known = ["item_a", "item_b", "winner", "order", "kind_a", "kind_b"]
    assert len(design.count) == len(frame.value_counts(known))
    assert design.covariate_names == ["length", "size", "kind"]
    assert design.scan is not None
    assert [*design.scan.covariates] == ["length", "size"]


def test_what_needs_the_covariates_in_memory_reads_them(held: Any) -> None:
    frame = votes()
    given = {"cluster": "prompt"}
    found, wanted = (
        ss.bradley_terry(of_duckdb(frame), "~ length", **given),
        held(frame, "~ length", **given),
    )
    pd.testing.assert_frame_equal(found.design.whole().table(), wanted.design.table())
    pd.testing.assert_frame_equal(found.design.swap().whole().table(), wanted.design.swap().table())
    same(found.goodness_of_fit(), wanted.goodness_of_fit())
    same(found.bootstrap(resamples=60, level=0.9), wanted.bootstrap(resamples=60, level=0.9))
    several = {"by": "cluster", "scheme": "poisson", "resamples": 60, "level": 0.9}
    same(found.bootstrap(**several), wanted.bootstrap(**several))
    new = {"covariates": {"length": (7.0, 3.5)}}
    expected = found.predict("m0", "m1", **new)
    same(expected, wanted.predict("m0", "m1", **new))
    for derived in (
        expected,
        found.worth(),
        found.contrast("m0 - m1"),
        found.effect_in_sds("length"),
    ):
        assert not any(check.ok is False for check in derived.crosscheck().checks)
    checks = found.crosscheck().checks
    assert sum(check.ok is True for check in checks) > 20
    assert not any(check.ok is False for check in checks)
    lazy, eager = (
        ss.win_rates(of_duckdb(frame), covariate="kind"),
        ss.win_rates(frame, covariate="kind"),
    )
    same(lazy, eager)


@pytest.mark.parametrize(
    ("formula", "given"),
    [
        ("~ np.exp(length / 9)", {}),
        ("~ length", {"prior": 1.0}),
        ("~ length:kind", {}),
        ("~ length", {"penalty": "firth"}),
    ],
)
def test_other_terms_and_penalties_take_cells(formula: str, given: Any, held: Any) -> None:
    frame = votes(1500)
    found = ss.bradley_terry(of_duckdb(frame), formula, **given)
    assert not found.state.streamed
    same(found, held(frame, formula, **given))


def test_each_level_has_its_own_rows(held: Any) -> None:
    frame = votes().assign(model=lambda f: np.where(f.judge % 2, "x", "y"))
    found, wanted = (
        ss.bradley_terry(of_duckdb(frame), "~ length", by="model"),
        held(frame, "~ length", by="model"),
    )
    for level in ("x", "y"):
        same(found[level], wanted[level])


@pytest.mark.parametrize("formula", ["~ length", "~ length + size"])
def test_separation_is_found_in_rows_that_pass_by(formula: str) -> None:
    frame = votes().query("winner != 'tie'")
    far = np.random.default_rng(3).gamma(2, 1, len(frame)) + 0.1
    frame = frame.assign(
        length_a=np.where(frame.winner == frame.item_a, far, -far), length_b=0.5 * far * 1e-3
    )
    with pytest.raises(ss.MleDoesNotExist, match="'length' predicts the outcomes perfectly"):
        ss.bradley_terry(of_duckdb(frame), formula)


@pytest.mark.parametrize("ties", ["davidson", "rao_kupper", "half"])
def test_sums_over_rows_that_pass_by_are_those_of_cells(ties: str, held: Any) -> None:
    frame = votes()
    streamed = ss.bradley_terry(of_duckdb(frame), "~ length", ties=ties).fitted_state
    whole = held(frame, "~ length", ties=ties).fitted_state
    beta = 3 * whole.fitted.beta + 0.1
    sums = streamed.data.rows.at(streamed.model, beta)
    predictors = whole.data.eta_tau(beta)[0]
    assert sums.largest == pytest.approx(np.abs(predictors).max(), rel=1e-12)
    of_cells = whole.data, whole.model, beta
    assert sums.loglik == pytest.approx(log_likelihood(*of_cells), rel=1e-11)
    np.testing.assert_allclose(sums.score, score(*of_cells, whole.data.w), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(sums.information, information(*of_cells), rtol=1e-9, atol=1e-9)


def test_large_predictors_are_no_separation(held: Any) -> None:
    frame = votes()
    frame.loc[[3, 40, 77], "length_a"] = 900.0
    found = ss.bradley_terry(of_duckdb(frame), "~ length")
    same(found, held(frame, "~ length"))


def test_missing_numbers_are_named_with_their_rows(held: Any) -> None:
    frame = votes()
    frame.loc[[5, 9], "length_a"] = np.nan
    with pytest.raises(
        ss.InputError, match=r"'length_a': the value is missing \(2 rows: rows 5, 9\)"
    ):
        ss.bradley_terry(of_duckdb(frame), "~ length")
    found = ss.bradley_terry(of_duckdb(frame), "~ length", missing="drop")
    assert found.counts["rows"] == len(frame) - 2
    same(found, held(frame, "~ length", missing="drop"))


def test_codes_of_missing_numbers_are_no_numbers(held: Any) -> None:
    frame = votes()
    frame.loc[[5, 9], "size_a"] = 99999
    same(
        ss.bradley_terry(of_duckdb(frame), "~ size", na="99999", missing="drop"),
        held(frame, "~ size", na="99999", missing="drop"),
    )


@pytest.mark.parametrize(
    ("change", "formula", "said"),
    [
        ({"length_a": lambda f: f.length_b}, "~ length", "cannot tell 'length' apart"),
        (
            {f"size_{side}": lambda f, side=side: 2 * f[f"length_{side}"] + 1 for side in "ab"},
            "~ length + size + kind",
            "'length' and 'size' apart: they are combinations of each other. Exclude one of them",
        ),
        (
            {f"size_{side}": 7.0 for side in "ab"},
            "~ length + size",
            "'size' apart: they never differ",
        ),
        (
            {"length_a": lambda f: f.length_a * 1e9},
            "~ length",
            "'length' differs by up to .* divide both columns",
        ),
        ({}, "~ lenght", "no covariate 'lenght' .*covariates: length, size, kind"),
    ],
)
def test_errors_are_those_of_cells(change: Any, formula: str, said: str) -> None:
    with pytest.raises((ss.InputError, ss.NotIdentified), match=said):
        ss.bradley_terry(of_duckdb(votes().assign(**change)), formula)


def test_covariates_of_items_make_cells() -> None:
    size = {f"m{k}": 7.5 + k for k in range(8)}
    frame = votes().assign(
        weight_a=lambda f: f.item_a.map(size), weight_b=lambda f: f.item_b.map(size)
    )
    frame = frame.drop(columns=["length_a", "length_b", "size_a", "size_b"])
    assert ss.Comparisons.from_frame(of_duckdb(frame)).scan is None


def test_no_more_rows_are_in_memory_than_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of the file that are held at once are few; they are all seen."""
    from socialstats.tables import batches

    monkeypatch.setattr(batches, "BATCH_ROWS", 200)
    held: list[int] = []
    frombuffer = np.frombuffer

    def noticed(*args: Any, **given: Any) -> Any:
        found = frombuffer(*args, **given)
        if found.dtype.names:  # rows, not counts of cells
            held.append(len(found))
        return found

    monkeypatch.setattr(np, "frombuffer", noticed)
    frame = votes()
    fit = ss.bradley_terry(of_duckdb(frame), "~ length", cluster="judge")
    assert fit.state.streamed == ("length",)
    assert sum(held) >= 2 * len(frame)
    assert max(held) <= 700 + frame.judge.value_counts().max()
