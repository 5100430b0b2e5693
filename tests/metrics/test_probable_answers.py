"""Distances, means, similarities and biases of replies that count with the probabilities of their levels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import entropy

import socialstats as ss
from socialstats import Ratings
from socialstats.designs.couples import couples_design
from socialstats.errors import DesignError
from socialstats.scales.bias_analysis import MCNEMAR, MID_P
from socialstats.scales.measures import distance_measure
from socialstats.shares.divergence import jensen_shannon
from socialstats.shares.reply_shares import reply_shares

LEVELS = ["0", "1", "2"]
P = [f"p_{level}" for level in LEVELS]


def norms() -> pd.DataFrame:
    """Three people and two models on four units; people's modes are 0, 1.5 (tied), 2 and 1."""
    people = {"u1": "001", "u2": "12", "u3": "222", "u4": "110"}
    rows: list[tuple[Any, ...]] = [
        (unit, f"h{k}", "human", level, None, None, None)
        for unit, said in people.items()
        for k, level in enumerate(said)
    ]
    rows += [
        ("u1", "m1", "model", "0", 0.7, 0.2, 0.1),
        ("u2", "m1", "model", "2", 0.0, 0.25, 0.5),
        ("u3", "m1", "model", "2", 0.2, 0.2, 0.6),
        ("u4", "m1", "model", "no", None, None, None),
        ("u1", "m2", "model", "1", None, None, None),
        ("u2", "m2", "model", "1", 0.0, 1.0, 0.0),
        ("u3", "m2", "model", "0", 0.5, 0.25, 0.25),
        ("u4", "m2", "model", "1", 0.1, 0.8, 0.1),
    ]
    return pd.DataFrame(rows, columns=["unit", "rater", "source", "value", *P])


def read(rows: pd.DataFrame, **more: Any) -> Ratings:
    options = {
        "levels": LEVELS,
        "scale": "ordinal",
        "rater_source": "source",
        "refusal": "no",
        "probabilities": "p_",
    }
    return Ratings.from_frame(rows, **{**options, **more})


FAR = {  # sum over levels of p |level - mode|; a refusal is 2 off
    "m1": [0.2 + 2 * 0.1, (0.25 * 0.5 + 0.5 * 0.5) / 0.75, 2 * 0.2 + 0.2, 2.0],
    "m2": [1.0, 0.5, 2 * 0.5 + 0.25, 0.1 + 0.1],
}


@pytest.mark.parametrize("more", [{}, {"probabilities": dict(zip(LEVELS, P, strict=True))}])
def test_ada_met_averages_the_distance_over_the_options_of_a_model(more: dict[str, Any]) -> None:
    found = ss.ada_met(read(norms(), **more), resamples=200)
    for model, far in FAR.items():
        row = found.row(model, group=None)
        assert row.estimate == pytest.approx(np.mean(far), abs=1e-8)
    own = found.row("m1", group="share at distance 0")
    assert own.estimate == pytest.approx(
        (0.7 + 0.6) / 4, abs=1e-8
    )  # half a level off is not the mode
    assert found.row("m1", group="share at distance 2").estimate == pytest.approx(
        (0.1 + 0.2 + 1) / 4, abs=1e-8
    )
    assert found.row("m1", group="share refused").estimate == 0.25
    assert found.title.endswith(", of probabilities")
    assert [c for c in found.verify().checks if c.ok is False] == []
    left_out = ss.ada_met(read(norms(), **more), resamples=200, refusal="exclude").row(
        "m1", group=None
    )
    assert left_out.estimate == pytest.approx(np.mean(FAR["m1"][:3]), abs=1e-8)


def test_probabilities_of_0_and_1_are_the_drawn_answers() -> None:
    rows = norms()
    known = rows["p_0"].notna()
    for level in LEVELS:
        rows.loc[known, f"p_{level}"] = (rows.loc[known, "value"] == level).astype(float)
    soft, drawn = (read(rows, probabilities=given) for given in ("p_", None))
    for metric, options in (
        (ss.ada_met, {"resamples": 200}),
        (ss.mean_ratings, {}),
        (ss.js_similarity, {}),
    ):
        one, two = (metric(design, **options).rows for design in (soft, drawn))
        assert [(r.term, r.estimate, r.std_error, r.conf_low, r.p_value) for r in one] == [
            (r.term, r.estimate, r.std_error, r.conf_low, r.p_value) for r in two
        ]


def test_a_mean_rating_is_the_mean_of_expected_values() -> None:
    found = ss.mean_ratings(read(norms()))
    expected = {
        "m1": [0.2 + 0.2, (0.25 + 1.0) / 0.75, 0.2 + 1.2],
        "m2": [1.0, 1.0, 0.25 + 0.5, 0.8 + 0.2],
    }
    for model, values in expected.items():
        assert found.row(model).estimate == pytest.approx(np.mean(values), abs=1e-8)
    units = [
        np.mean([0, 0, 1, 0.4, 1]),
        np.mean([1, 2, 5 / 3, 1]),
        np.mean([2, 2, 2, 1.4, 0.75]),
        np.mean([1, 1, 0, 1]),
    ]
    row = found.row("all units")
    assert row.estimate == pytest.approx(np.mean(units), abs=1e-8)
    assert row.std_error == pytest.approx(np.std(units, ddof=1) / 2, rel=1e-7)
    assert [c for c in found.verify().checks if c.ok is False] == []


def test_the_distance_of_differences_between_prompts_is_the_same() -> None:
    design = read(norms())
    found = distance_measure(design, design.of_raters(["m1"]))
    assert found is not None
    assert found.finish(found.statistics.sum(axis=0)[None])[0, 0] == pytest.approx(
        np.mean(FAR["m1"]), abs=1e-8
    )


def test_differences_of_tables_are_verified_and_refusals_stay_what_they_are() -> None:
    other = norms()
    other[P] = other[["p_2", "p_0", "p_1"]].to_numpy()
    one, two = (read(rows) for rows in (norms(), other))
    found = ss.ratings_difference(one, two, resamples=200)
    assert [c for c in found.verify().checks if c.ok is False] == []
    assert reply_shares(one, source="rater").row("refused", group="m1").estimate == 0.25


def test_pooled_similarity_is_that_of_the_mean_probabilities() -> None:
    rng = np.random.default_rng(4)
    rows: list[tuple[Any, ...]] = []
    for u in range(20):
        base = rng.dirichlet([3.0, 2.0, 1.0])
        rows += [
            (f"u{u}", f"h{k}", "human", rng.choice(LEVELS, p=base), None, None, None)
            for k in range(4)
        ]
        rows.append(
            (f"u{u}", "m", "model", rng.choice(LEVELS, p=base), *rng.dirichlet([2.0, 2.0, 2.0]))
        )
    table = pd.DataFrame(rows, columns=["unit", "rater", "source", "value", *P])
    found = ss.js_similarity(read(table))
    human = [(table[table["source"] == "human"]["value"] == level).mean() for level in LEVELS]
    model = table[table["source"] == "model"][P].mean().to_numpy()
    assert found.row("model (plug-in)").estimate == pytest.approx(
        1 - jensen_shannon(np.array(human), model), abs=1e-8
    )
    sides = np.stack(
        [
            (
                table[table["source"] == "human"]
                .groupby("unit")["value"]
                .value_counts()
                .unstack(fill_value=0)
                / 80
            ).to_numpy(),
            table[table["source"] == "model"].set_index("unit")[P].sort_index() / 20,
        ]
    )
    whole = sides.sum(axis=1)
    left = [float(jensen_shannon(*(whole - sides[:, u]))) for u in range(20)]
    value = float(jensen_shannon(*whole))
    assert found.row("model").estimate == pytest.approx(
        1 - value + 19 * (np.mean(left) - value), abs=1e-8
    )
    assert [c for c in found.verify().checks if c.ok is False] == []
    inside, drawn = (
        ss.js_similarity(read(table, probabilities=p), aggregate="unit") for p in ("p_", None)
    )
    assert inside.row("model (plug-in)").estimate == drawn.row("model (plug-in)").estimate
    turned = ss.js_similarity(read(table), reference="model")
    assert "which have no halves" in str(turned.row("model (split-half)").undefined)


@pytest.mark.parametrize("cluster", [(), "area"])
def test_entropies_of_units_and_of_single_replies(cluster: Any) -> None:
    """Model m replies twice to each of four units; one reply to the last has no probabilities."""
    rng = np.random.default_rng(8)
    rows = [
        (
            f"u{u}",
            "ab"[u % 2],
            f"run {r}",
            "m",
            rng.choice(LEVELS),
            *rng.dirichlet([1.0, 1.0, 1.0]) * 0.9,
        )
        for u in range(4)
        for r in range(2)
    ]
    rows += [(f"u{u}", "ab"[u % 2], "h", "human", LEVELS[u % 3], *[None] * 3) for u in range(4)]  # type: ignore[misc]
    table = pd.DataFrame(rows, columns=["unit", "area", "rater", "source", "value", *P])
    table.loc[7, P] = None
    found = ss.choice_shares(
        read(table, scale="nominal", strata="area", cluster=cluster), stratum="area"
    )
    shares = table[P].astype(float).div(table[P].astype(float).sum(axis=1), axis=0)
    replies = pd.Series([entropy(p, base=2) for p in shares[:7].to_numpy()])
    units = np.array(
        [entropy(shares.iloc[[2 * u, 2 * u + 1]].mean().to_numpy(), base=2) for u in range(3)]
    )
    assert found.row("H_reply", group="m").estimate == pytest.approx(replies.mean(), abs=1e-8)
    assert found.row("H", group="m").estimate == pytest.approx(units.mean(), abs=1e-8)
    assert found.row("H", group="m, a").estimate == pytest.approx(units[[0, 2]].mean(), abs=1e-8)
    assert found.row("H_reply", group="m, b").estimate == pytest.approx(
        replies[[2, 3, 6]].mean(), abs=1e-8
    )
    assert not [
        row for row in found.rows if row.label("entropy") and row.label("source") == "human"
    ]
    if not cluster:
        assert found.row("H", group="m").std_error == pytest.approx(
            units.std(ddof=1) / np.sqrt(3), rel=1e-6
        )
    assert [c for c in found.verify().checks if c.ok is False] == []
    assert not [
        row
        for row in ss.choice_shares(read(table, probabilities=None)).rows
        if row.label("entropy")
    ]


def couples() -> pd.DataFrame:
    rng, rows = np.random.default_rng(3), []
    for s in range(5):
        for first, second in (("w", "m"), ("m", "w"), ("w", "w"), ("m", "m")):
            p = float(rng.uniform(0.1, 0.9))
            rows.append(
                (
                    f"s{s}",
                    "ann & bob",
                    first,
                    second,
                    1 if rng.random() < p else -1,
                    0.9 * (1 - p),
                    0.9 * p,
                )
            )
    columns = ["scenario", "pair", "group_first", "group_second", "answer", "p_first", "p_second"]
    return pd.DataFrame(rows, columns=columns)


def test_bias_is_of_the_expected_scores_and_nothing_that_takes_drawn_answers_has_a_number() -> None:
    rows = couples()
    found = ss.relationship_bias(
        rows, probabilities="p_", groups=("w", "m"), cluster="scenario", resamples=200
    )
    rows["score"] = (rows["p_second"] - rows["p_first"]) / (rows["p_first"] + rows["p_second"])
    means = rows.pivot_table(
        index="scenario", columns=["group_first", "group_second"], values="score"
    )
    gaps = means["m", "w"] - means["w", "m"]
    row = found.row("w - m", group="bias")
    assert row.estimate == pytest.approx(gaps.mean(), abs=1e-8)
    assert row.std_error == pytest.approx(gaps.std(ddof=1) / np.sqrt(5), rel=1e-6)
    assert found.row("w", group="position").estimate == pytest.approx(
        means["w", "w"].mean(), abs=1e-8
    )
    for group in (MCNEMAR, MID_P):
        assert "takes answers that were drawn" in str(found.row("w - m", group=group).undefined)
    assert [c for c in found.verify().checks if c.ok is False] == []
    assert "SS205" not in {c.code for c in found.cautions}


def test_couples_without_columns_of_probabilities_say_so() -> None:
    with pytest.raises(DesignError, match=r"(?s)no column 'q_first'.*no column 'q_second'"):
        couples_design(couples(), probabilities="q_")


def test_couples_whose_probabilities_are_0_and_1_are_the_drawn_answers() -> None:
    rows = couples()
    rows["p_first"], rows["p_second"] = (rows["answer"] == -1) * 1.0, (rows["answer"] == 1) * 1.0
    soft, drawn = (
        ss.relationship_bias(rows, probabilities=p, resamples=200).rows for p in ("p_", None)
    )
    assert [(r.term, r.group, r.estimate, r.conf_low, r.p_value) for r in soft] == [
        (r.term, r.group, r.estimate, r.conf_low, r.p_value) for r in drawn
    ]
