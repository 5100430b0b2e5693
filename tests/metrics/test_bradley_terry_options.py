"""Formulas, weights, by=, clusters, hostile labels, invariances; statsmodels or the definition as reference."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from socialstats.choices.bradley_terry import BradleyTerryResult, bradley_terry
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import InputError, MleDoesNotExist, SocialStatsError
from socialstats.results import ResultGroup
from tests.golden_data import golden_frame


def rows(ties=True):
    frame = golden_frame("crossed.csv.gz")
    return frame if ties else frame[frame["winner"] != "tie"]


def design(frame, **options):
    return Comparisons.from_frame(frame, **({"order": "first"} | options))


def glm(frame, extra, weights=None):
    """Logistic regression on the rows with every item but the first, extra columns last."""
    items = sorted(set(frame["item_a"]) | set(frame["item_b"]))[1:]
    x = np.column_stack(
        [(frame["item_a"] == i).astype(float) - (frame["item_b"] == i) for i in items] + extra
    )
    y = (frame["winner"] == frame["item_a"]).astype(float).to_numpy()
    return items, sm.GLM(y, x, family=sm.families.Binomial(), freq_weights=weights).fit(tol=1e-13)


def test_a_categorical_formula_is_a_regression_on_differences_of_dummies():
    frame = rows(ties=False).assign(
        kind_a=lambda d: d["urgency_a"].map("k{}".format),
        kind_b=lambda d: d["urgency_b"].map("k{}".format),
    )
    dummies = [(frame["kind_a"] == k).astype(float) - (frame["kind_b"] == k) for k in ("k2", "k3")]
    _, theirs = glm(frame, [*dummies, np.where(frame["first"] == frame["item_a"], 1.0, -1.0)])
    for formula in ("~ C(kind)", "~ kind"):
        fit = bradley_terry(design(frame), formula, order=True, cluster="declared")
        names = [n for n in fit.names if n not in fit.items]
        assert names[0] == "order"
        assert ["k2" in names[1], "k3" in names[2]] == [True, True]
        ours = [fit.row(n) for n in (*names[1:], "order")]
        np.testing.assert_allclose([r.estimate for r in ours], theirs.params[-3:], atol=1e-9)
        np.testing.assert_allclose([r.std_error for r in ours], theirs.bse[-3:], rtol=1e-7)
        assert [r.group for r in ours] == ["covariate", "covariate", "order"]


def test_transformations_in_a_formula_apply_to_each_side():
    frame = rows(ties=False)
    x = np.log(frame["urgency_a"]) - np.log(frame["urgency_b"])
    _, theirs = glm(frame, [x])
    row = bradley_terry(design(frame), "~ np.log(urgency)", cluster="declared", order=False).rows[
        -1
    ]
    assert row.estimate == pytest.approx(theirs.params[-1], abs=1e-9)
    assert row.std_error == pytest.approx(theirs.bse[-1], rel=1e-7)


def test_strengths_explained_by_a_covariate_alone():
    frame = rows(ties=False)
    x = (frame["urgency_a"] - frame["urgency_b"]).to_numpy(float)
    theirs = sm.Logit((frame["winner"] == frame["item_a"]).to_numpy(float), x).fit(
        disp=0, tol=1e-12
    )
    fit = bradley_terry(
        design(frame), "~ urgency", strengths="none", cluster="declared", order=False
    )
    assert fit.row("urgency").estimate == pytest.approx(theirs.params[0], abs=1e-9)
    assert fit.row("urgency").std_error == pytest.approx(theirs.bse[0], rel=1e-7)
    assert fit.log_likelihood == pytest.approx(theirs.llf, rel=1e-12)
    assert fit.fit["df"] == 1
    assert fit.verify().ok
    with pytest.raises(SocialStatsError, match="strengths"):
        fit.ranks()


def test_weights_weigh():
    frame = rows(ties=False).assign(w=lambda d: 0.5 + (np.arange(len(d)) % 7) / 3)
    items, theirs = glm(frame, [], frame["w"].to_numpy())
    fit = bradley_terry(design(frame, weight="w"), reference="i01", cluster="declared", order=False)
    np.testing.assert_allclose([fit.row(i).estimate for i in items], theirs.params, atol=1e-9)
    score = (
        theirs.model.exog
        * (frame["w"] * (theirs.model.endog - theirs.fittedvalues)).to_numpy()[:, None]
    )
    bread = theirs.normalized_cov_params
    wanted = np.sqrt(np.diagonal(bread @ score.T @ score @ bread))
    np.testing.assert_allclose([fit.row(i).std_error for i in items], wanted, rtol=1e-7)
    assert "SS207" in [c.code for c in fit.cautions]


@pytest.mark.parametrize("ties", ["davidson", "rao_kupper", "half"])
def test_duplicates_have_the_estimates_of_weight_two(ties):
    frame = rows()
    twice = np.arange(len(frame)) % 3 == 0
    one = bradley_terry(
        design(pd.concat([frame, frame[twice]])),
        ties=ties,
        vcov="model",
        cluster="declared",
        order=False,
    )
    two = bradley_terry(
        design(frame.assign(w=1.0 + twice), weight="w"),
        ties=ties,
        vcov="model",
        cluster="declared",
        order=False,
    )
    for a, b in zip(one.rows, two.rows, strict=True):
        assert (a.estimate, a.std_error) == pytest.approx((b.estimate, b.std_error), rel=1e-9)
    assert one.log_likelihood == pytest.approx(two.log_likelihood, rel=1e-12)


def test_half_ties_get_the_sandwich_by_row():
    frame = rows()
    items = sorted(set(frame["item_a"]) | set(frame["item_b"]))[1:]
    x = np.column_stack(
        [(frame["item_a"] == i).astype(float) - (frame["item_b"] == i) for i in items]
    )
    y = np.select([frame["winner"] == frame["item_a"], frame["winner"] == "tie"], [1.0, 0.5], 0.0)
    theirs = sm.GLM(y, x, family=sm.families.Binomial()).fit(tol=1e-13, cov_type="HC0")
    fit = bradley_terry(
        design(frame), ties="half", reference="i01", cluster="declared", order=False
    )
    np.testing.assert_allclose([fit.row(i).estimate for i in items], theirs.params, atol=1e-9)
    np.testing.assert_allclose([fit.row(i).std_error for i in items], theirs.bse, rtol=1e-7)
    model = bradley_terry(design(frame), ties="half", vcov="model", cluster="declared", order=False)
    assert (
        np.mean(
            [
                a.std_error / b.std_error
                for a, b in zip(
                    model.rows,
                    bradley_terry(design(frame), ties="half", cluster="declared", order=False).rows,
                    strict=True,
                )
            ]
        )
        > 1.03
    )
    assert fit.fit["aic"] is None
    assert "SS105" in [c.code for c in fit.cautions]


def test_every_level_of_by_is_the_fit_of_its_rows():
    frame = rows().assign(model=lambda d: np.where(np.arange(len(d)) % 2, "m1", "m2"))
    group = bradley_terry(design(frame, by="model"), order=True, cluster="declared")
    assert isinstance(group, ResultGroup)
    assert list(group) == ["m1", "m2"]
    for level in group:
        alone = bradley_terry(
            design(frame[frame["model"] == level]), order=True, cluster="declared"
        )
        assert group[level].coef() == pytest.approx(alone.coef(), abs=1e-12)
    together = bradley_terry(design(frame, by="model"), order=True, by=None, cluster="declared")
    assert isinstance(together, BradleyTerryResult)
    assert together.coef() == pytest.approx(
        bradley_terry(design(frame), order=True, cluster="declared").coef(), abs=1e-9
    )
    assert set(group.tidy()["by"]) == {"m1", "m2"}


def test_three_declared_clusters_need_a_choice():
    frame = rows().assign(third=lambda d: np.where(np.arange(len(d)) % 2, "x", "y"))
    with pytest.raises(InputError, match="two"):
        bradley_terry(
            design(frame, cluster=("worker", "prompt", "third")), cluster="declared", order=False
        )


def test_a_single_cluster_is_an_error():
    frame = rows().assign(only="all")
    with pytest.raises(InputError, match="single level"):
        bradley_terry(design(frame, cluster="only"), cluster="declared", order=False)


def test_nested_clusters_are_the_coarser_one():
    frame = rows().assign(team=lambda d: d["worker"].str[:2])
    both = bradley_terry(design(frame, cluster=("worker", "team")), cluster="declared", order=False)
    one = bradley_terry(design(frame, cluster="team"), cluster="declared", order=False)
    np.testing.assert_allclose(both.vcov(), one.vcov(), atol=1e-14)


def test_an_item_named_like_a_term_is_never_mistaken_for_it():
    frame = rows(ties=False).replace(
        {c: {"i03": "order", "i04": "urgency"} for c in ("item_a", "item_b", "winner", "first")}
    )
    plain = bradley_terry(design(frame), cluster="declared", order=False)
    assert plain.row("order").group == "strength"
    for options in ({"order": True}, {"formula": "~ urgency"}):
        with pytest.raises(InputError, match="relabel"):
            bradley_terry(design(frame), **options)
    assert (
        bradley_terry(
            design(frame).relabel({"order": "the order", "urgency": "u"}),
            order=True,
            cluster="declared",
        )
        .verify()
        .ok
    )


def test_hostile_labels_pass_through():
    names = {"i01": "</script><b>", "i02": "x" * 300, "i03": "=cmd()", "i04": "a - b"}
    frame = rows().replace(dict.fromkeys(("item_a", "item_b", "winner", "first"), names))
    fit, plain = (
        bradley_terry(design(frame), cluster="declared", order=False),
        bradley_terry(design(rows()), cluster="declared", order=False),
    )
    for old, new in names.items():
        assert fit.strengths[new] == pytest.approx(plain.strengths[old], abs=1e-9)
    assert fit.verify().ok


def test_without_an_order_column_the_first_item_counts_as_shown_first():
    frame = rows(ties=False).drop(columns="first")
    fit = bradley_terry(Comparisons.from_frame(frame), order=True, cluster="declared")
    _, theirs = glm(frame, [np.ones(len(frame))])
    assert fit.row("order").estimate == pytest.approx(theirs.params[-1], abs=1e-9)
    noted = next(c for c in fit.cautions if c.code == "SS106")
    assert noted.severity == "caution"
    assert "order='item_a'" in noted.fix
    declared = bradley_terry(
        Comparisons.from_frame(frame, order="item_a"), order=True, cluster="declared"
    )
    assert declared.coef() == fit.coef()
    assert "SS106" not in [c.code for c in declared.cautions]


GAMES = st.lists(
    st.tuples(st.integers(0, 3), st.integers(1, 3), *[st.integers(0, 2)] * 3, st.booleans()),
    min_size=12,
    max_size=50,
)


def frame_of(games, names=("p", "q", "r", "s"), swap=False):
    out = []
    for a, gap, result, u, v, first in games:
        b = (a + gap) % 4
        winner = ("tie", names[a], names[b])[result]
        shown = names[a] if first else names[b]
        one = (names[a], names[b], u, v)
        out.append(((one[1], one[0], one[3], one[2]) if swap else one) + (winner, shown))
    return pd.DataFrame(out, columns=["item_a", "item_b", "x_a", "x_b", "winner", "first"])


def estimate(frame, **options):
    try:
        fit = bradley_terry(design(frame), **{"order": False, "cluster": "declared", **options})
    except SocialStatsError as error:
        return type(error)
    return {r.term: (r.estimate, r.std_error) for r in fit.rows}, fit.log_likelihood


def close(one, two, negated=()):
    if isinstance(one, type) or isinstance(two, type):
        assert one is two
        return
    assert one[1] == pytest.approx(two[1], rel=1e-9, abs=1e-9)
    assert set(one[0]) == set(two[0])
    for term, (value, error) in one[0].items():
        sign = -1 if term in negated else 1
        assert value == pytest.approx(sign * two[0][term][0], abs=1e-6, rel=1e-6)
        assert error == pytest.approx(two[0][term][1], rel=1e-5)


OPTIONS = st.sampled_from(
    [
        {"ties": "half", "vcov": "model"},
        {"prior": 0.5},
        {"prior": 0.5, "order": True, "formula": "~ x"},
        {"order": True},
        {"penalty": "firth", "ties": "half"},
    ]
)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(GAMES, OPTIONS, st.randoms(use_true_random=False))
@pytest.mark.slow
def test_property_order_of_rows_labels_and_sides(games, options, random):
    base = estimate(frame_of(games), **options)
    mixed = random.sample(games, len(games))
    close(base, estimate(frame_of(mixed), **options))
    close(base, estimate(frame_of(games, swap=True), **options))
    names = dict(zip("pqrs", "zyvu", strict=True))
    other = estimate(frame_of(games, names=tuple(names.values())), **options)
    if not isinstance(other, type):
        back = {new: old for old, new in names.items()}
        other = ({back.get(term, term): v for term, v in other[0].items()}, other[1])
    close(base, other)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(GAMES)
def test_property_exchanging_who_was_first_changes_the_sign_of_the_order_effect(games):
    turned = [(*g[:5], not g[5]) for g in games]
    options = {"order": True, "prior": 0.5}
    close(
        estimate(frame_of(games), **options),
        estimate(frame_of(turned), **options),
        negated=("order",),
    )


@settings(max_examples=20, deadline=None, derandomize=True)
@given(GAMES)
def test_property_exchanging_winners_and_losers_changes_the_sign_of_strengths(games):
    turned = [(a, gap, (0, 2, 1)[result], u, v, first) for a, gap, result, u, v, first in games]
    one, two = (estimate(frame_of(g), prior=1.0) for g in (games, turned))
    close(one, two, negated=("p", "q", "r", "s"))


@settings(max_examples=25, deadline=None, derandomize=True)
@given(GAMES)
def test_property_a_finite_estimate_is_found_exactly_when_it_exists(games):
    """Without ties: by Ford's condition on the table of wins, from its transitive closure."""
    decided = [g for g in games if g[2]]
    frame = frame_of(decided) if decided else None
    if frame is None:
        return
    items = sorted(set(frame["item_a"]) | set(frame["item_b"]))
    beats = {
        (w, b if w == a else a)
        for a, b, w in zip(frame["item_a"], frame["item_b"], frame["winner"], strict=True)
    }
    for k in items:
        beats |= {(i, j) for i in items for j in items if (i, k) in beats and (k, j) in beats}
    exists = all((i, j) in beats for i in items for j in items if i != j)
    found = estimate(frame)
    assert exists == isinstance(found, tuple)
    if not exists:
        assert found is MleDoesNotExist
