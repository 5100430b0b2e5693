"""When no finite estimate exists: who is to blame, and the ways out. Fixtures A, B, C and Z."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from socialstats.choices.bradley_terry import bradley_terry
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import InputError, MleDoesNotExist, NotIdentified

ABC = [("A", "B", 3, 2), ("B", "C", 3, 2), ("A", "C", 4, 1)]
XY = [("X", "Y", 3, 2)]
UNBEATEN = [("Z", x, 3, 0) for x in "ABC"]
WINLESS = [("Z", x, 0, 3) for x in "ABC"]
ONE_WAY = [(x, y, 2, 0) for x in "ABC" for y in "XY"]
BROKEN = {
    "unbeaten": ABC + UNBEATEN,
    "winless": ABC + WINLESS,
    "two": ABC + XY,
    "one way": ABC + XY + ONE_WAY,
}


def design(rows):
    return Comparisons.from_counts(
        pd.DataFrame(rows, columns=["item_a", "item_b", "wins_a", "wins_b"])
    )


def failure(rows, **options):
    with pytest.raises(MleDoesNotExist) as error:
        bradley_terry(design(rows), **options)
    return error.value


@pytest.mark.parametrize("solver", ["newton", "mm"])
def test_an_unbeaten_item_is_named(solver):
    error = failure(BROKEN["unbeaten"], solver=solver)
    assert error.unbeaten == ("Z",)
    assert error.winless == ()
    assert not error.separate
    assert set(error.components) == {("A", "B", "C"), ("Z",)}
    assert "'Z' never lost" in str(error)
    assert "penalty='firth'" in str(error)


def test_a_winless_item_is_named():
    error = failure(BROKEN["winless"])
    assert error.winless == ("Z",)
    assert error.unbeaten == ()
    assert "'Z' never won" in str(error)


def test_groups_never_compared_are_named():
    error = failure(BROKEN["two"])
    assert error.separate
    assert error.components == (("A", "B", "C"), ("X", "Y"))
    assert "never compared" in str(error)
    for name in "ABCXY":
        assert f"'{name}'" in str(error)
    assert "components='separate'" in str(error)


def test_wins_in_one_direction_are_named():
    error = failure(BROKEN["one way"])
    assert not error.separate
    assert error.components == (("A", "B", "C"), ("X", "Y"))
    assert error.unbeaten == error.winless == ()
    assert "one direction" in str(error)
    assert "'X' and 'Y'" in str(error)


@pytest.mark.parametrize("name", BROKEN)
def test_pseudo_wins_are_finite_for_every_table(name):
    fit = bradley_terry(design(BROKEN[name]), prior=0.5)
    assert all(abs(r.estimate) < 5 and 0 < r.std_error < 5 for r in fit.rows)
    assert [c.code for c in fit.cautions].count("SS102") == 1
    if name == "unbeaten":
        assert max(fit.strengths, key=fit.strengths.get) == "Z"


@pytest.mark.parametrize("name", ["unbeaten", "winless", "one way"])
def test_firth_is_finite_where_everything_was_compared(name):
    fit = bradley_terry(design(BROKEN[name]), penalty="firth")
    assert all(abs(r.estimate) < 5 and 0 < r.std_error < 5 for r in fit.rows)
    order = sorted(fit.strengths, key=fit.strengths.get)
    assert {
        "unbeaten": order[-1] == "Z",
        "winless": order[0] == "Z",
        "one way": set(order[:2]) == {"X", "Y"},
    }[name]


def test_firth_cannot_join_groups_never_compared():
    assert failure(BROKEN["two"], penalty="firth").separate


def test_separate_components_are_fits_of_their_own():
    group = bradley_terry(design(BROKEN["one way"]), components="separate")
    alone = bradley_terry(design(ABC))
    assert group["component 1"].strengths == pytest.approx(alone.strengths, abs=1e-12)
    assert set(group["component 2"].strengths) == {"X", "Y"}
    lone = bradley_terry(design(BROKEN["unbeaten"]), components="separate")
    row = lone["component 2"].rows[0]
    assert (row.term, row.estimate) == ("Z", None)
    assert row.undefined == "it never lost"
    assert "Z" in lone["component 2"].sentence()
    assert set(lone.tidy()["term"]) == set("ABCZ")


def tied(*rows):
    return Comparisons.from_frame(pd.DataFrame(rows, columns=["item_a", "item_b", "winner"]))


def test_a_tie_is_an_edge_both_ways():
    rows = [("A", "B", "A"), ("A", "B", "B"), ("B", "C", "C"), ("B", "C", "tie")]
    for ties in ("davidson", "half", "rao_kupper"):
        fit = bradley_terry(tied(*rows), ties=ties)
        assert all(abs(r.estimate) < 10 for r in fit.rows)
    with pytest.raises(MleDoesNotExist):
        bradley_terry(tied(*rows).drop_ties())


@pytest.mark.parametrize(("ties", "term"), [("davidson", "log_nu"), ("rao_kupper", "log_theta")])
def test_wins_and_ties_that_never_contradict_have_no_finite_tie_parameter(ties, term):
    """A beats B once and ties once: p_A / p_B and nu can grow together for ever, at likelihood 1/4."""
    design = tied(("A", "B", "A"), ("A", "B", "tie"), ("B", "C", "C"), ("B", "C", "tie"))
    with pytest.raises(MleDoesNotExist) as error:
        bradley_terry(design, ties=ties)
    assert error.value.terms == (term,)
    assert "prior=0.5" in str(error.value)
    assert all(abs(r.estimate) < 10 for r in bradley_terry(design, ties=ties, prior=0.5).rows)
    assert all(abs(r.estimate) < 10 for r in bradley_terry(design, ties="half").rows)


def test_long_lists_are_cut():
    rows = [(f"w{k:03d}", "base", 0, 2) for k in range(40)] + [("base", "top", 1, 1)]
    message = str(failure(rows))
    assert "and 35 more" in message
    assert len(message) < 500


def rows_with(covariate=None, n=60, seed=4):
    rng = np.random.default_rng(seed)
    items = np.array(list("ABCD"))
    pairs = [rng.choice(4, 2, replace=False) for _ in range(n)]
    x = rng.integers(1, 4, (n, 2))
    frame = pd.DataFrame(
        {
            "item_a": items[[p[0] for p in pairs]],
            "item_b": items[[p[1] for p in pairs]],
            "x_a": x[:, 0],
            "x_b": x[:, 1],
            "first": items[[p[k] for p, k in zip(pairs, rng.integers(0, 2, n), strict=True)]],
        }
    )
    frame["winner"] = np.where(rng.random(n) < 0.5, frame["item_a"], frame["item_b"])
    return frame


def test_separation_by_order_names_the_order_effect():
    rows = rows_with()
    rows["winner"] = rows["first"]
    with pytest.raises(MleDoesNotExist) as error:
        bradley_terry(Comparisons.from_frame(rows, order="first"), order=True)
    assert error.value.terms == ("order",)
    assert "separation" in str(error.value)
    fit = bradley_terry(Comparisons.from_frame(rows, order="first"), order=True, penalty="firth")
    assert 2 < fit.row("order").estimate < 10


def test_separation_by_a_covariate_names_it():
    rows = rows_with()
    rows = rows[rows["x_a"] != rows["x_b"]]
    rows["winner"] = np.where(rows["x_a"] > rows["x_b"], rows["item_a"], rows["item_b"])
    with pytest.raises(MleDoesNotExist) as error:
        bradley_terry(Comparisons.from_frame(rows, order="first"), "~ x", order=True)
    assert error.value.terms == ("x",)


def test_separation_with_ties_needs_ties_on_the_boundary():
    rows = rows_with()
    sign = np.sign(rows["x_a"] - rows["x_b"])
    rows["winner"] = np.select([sign > 0, sign < 0], [rows["item_a"], rows["item_b"]], "tie")
    for ties in ("davidson", "rao_kupper"):
        with pytest.raises(MleDoesNotExist) as error:
            bradley_terry(Comparisons.from_frame(rows, order="first"), "~ x", ties=ties)
        assert error.value.terms == ("x",)
    rows.loc[rows.index[sign > 0][0], "winner"] = "tie"
    fit = bradley_terry(Comparisons.from_frame(rows, order="first"), "~ x", ties="davidson")
    assert np.isfinite(fit.row("x").estimate)


def test_a_property_of_the_items_is_not_identified():
    rows = rows_with()
    size = {"A": 1.0, "B": 2.5, "C": 2.0, "D": 5.0}
    rows["size_a"], rows["size_b"] = rows["item_a"].map(size), rows["item_b"].map(size)
    design = Comparisons.from_frame(rows, order="first")
    with pytest.raises(NotIdentified) as error:
        bradley_terry(design, "~ x + size")
    assert error.value.terms == ("size",)
    assert "strengths='none'" in str(error.value)
    fit = bradley_terry(design, "~ size", strengths="none", order=False)
    assert [r.term for r in fit.rows] == ["size"]


def test_collinear_and_constant_covariates_are_not_identified():
    rows = rows_with()
    rows["y_a"], rows["y_b"] = 2 * rows["x_a"] + 1, 2 * rows["x_b"] + 1
    rows["k_a"], rows["k_b"] = 7.0, 7.0
    design = Comparisons.from_frame(rows, order="first")
    with pytest.raises(NotIdentified) as error:
        bradley_terry(design, "~ x + y")
    assert error.value.terms == ("x", "y")
    assert "they are combinations of each other. Exclude one of them" in str(error.value)
    with pytest.raises(NotIdentified) as error:
        bradley_terry(design, "~ k")
    assert error.value.terms == ("k",)
    assert "never differ" in str(error.value)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"ties": "draw"}, "'davidson'"),
        ({"vcov": "hc3"}, "'sandwich'"),
        ({"solver": "lbfgs"}, "'newton'"),
        ({"level": 95}, "between 0 and 1"),
        ({"prior": -1}, "pseudo-wins"),
        ({"reference": "Q"}, "not an item"),
        ({"ties": "davidson"}, "needs ties"),
        ({"strengths": "none"}, "needs a formula"),
        ({"penalty": "firth", "prior": 1.0}, "choose one"),
        ({"solver": "mm", "order": True}, "strengths only"),
        ({"vcov": "cluster"}, "needs a cluster"),
        ({"formula": "urgency"}, "one-sided"),
        ({"formula": "~ urgency"}, "no covariate 'urgency'"),
        ({"cluster": "worker"}, "no cluster 'worker'"),
        ({"by": "model"}, "not declared"),
    ],
)
def test_wrong_options_say_what_is_allowed(options, says):
    with pytest.raises(InputError, match=says):
        bradley_terry(design(ABC), **options)
