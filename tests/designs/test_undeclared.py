"""Dependence that nobody declared: told with its size where it is there, and no caution where it is not."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.designs.parts import Factor
from socialstats.designs.undeclared import (
    Dependence,
    candidates,
    component,
    dependence,
    group_scores,
    of_comparisons,
    of_pairs,
    of_ratings,
    reach,
    small_sample_factor,
    undeclared_cautions,
)
from socialstats.tables import as_table


def arena(draw: np.random.Generator, judges: float, n: int = 900) -> pd.DataFrame:
    """Coin flips of eight models; judges of an unknown name have tastes of their own, with this standard deviation."""
    a = draw.integers(0, 8, n)
    b = (a + draw.integers(1, 8, n)) % 8
    judge, story = draw.integers(0, 15, n), draw.integers(0, 80, n)
    taste = draw.normal(0, judges, (15, 8))
    won = draw.random(n) < 1 / (1 + np.exp(taste[judge, b] - taste[judge, a]))
    table = pd.DataFrame({"model_a": a, "model_b": b}).map("m{}".format)
    table["winner"] = np.where(won, table["model_a"], table["model_b"])
    return table.assign(wer=[f"w{k}" for k in judge], anlass=[f"s{k}" for k in story])


def board(draw: np.random.Generator, topics: float) -> pd.DataFrame:
    """Ratings of 150 units in 15 topics by four judges."""
    topic = draw.integers(0, 15, 150)
    values = (
        draw.normal(0, 1, (150, 1))
        + draw.normal(0, topics, (15, 4))[topic]
        + draw.normal(0, 1, (150, 4))
    )
    rows = [(k, f"r{m}", values[k, m], f"t{topic[k]}") for k in range(150) for m in range(4)]
    return pd.DataFrame(rows, columns=["item", "judge", "rating", "gebiet"])


def cautions(design: object) -> dict[str, str]:
    return {c.code: c.detail for c in design.cautions if c.code in ("SS311", "SS344")}  # type: ignore[attr-defined]


def test_tastes_of_judges_are_a_caution_with_their_size() -> None:
    table = arena(np.random.default_rng(1), 1.0)
    said = cautions(ss.read_comparisons(table))
    assert said["SS311"].startswith(
        "'wer' (15 values; with it as a cluster, standard errors are 1."
    )
    assert "'anlass'" in said["SS344"]
    declared = cautions(ss.read_comparisons(table, cluster="wer"))
    assert "SS311" not in declared


def test_numbers_of_judges_and_a_few_missing_labels_are_no_reason_to_look_away() -> None:
    table = arena(np.random.default_rng(1), 1.0)
    numbers = table.assign(wer=table["wer"].str[1:].astype(int))
    assert "'wer'" in cautions(ss.read_comparisons(numbers))["SS311"]
    holes = table.assign(wer=table["wer"].mask(np.arange(len(table)) % 200 == 7))
    assert "'wer'" in cautions(ss.read_comparisons(holes))["SS311"]


@pytest.mark.slow
def test_strengths_that_differ_much_are_no_dependence() -> None:
    """Forty models in thin pairs: a win is compared with the items' rates, which tell strong from weak."""
    draw = np.random.default_rng(6)
    fired = 0
    for _ in range(60):
        strength, n = draw.normal(0, 1.5, 40), 900
        a = draw.integers(0, 40, n)
        b = (a + draw.integers(1, 40, n)) % 40
        won = draw.random(n) < 1 / (1 + np.exp(strength[b] - strength[a]))
        share = 1 / np.arange(1, 16)
        judge = draw.choice(15, n, p=share / share.sum())
        table = pd.DataFrame({"model_a": a, "model_b": b}).map("m{}".format)
        table["winner"] = np.where(won, table["model_a"], table["model_b"])
        fired += "SS311" in cautions(
            ss.read_comparisons(table.assign(wer=[f"w{k}" for k in judge]))
        )
    assert fired <= 4


def test_the_ratio_is_that_of_the_fits() -> None:
    table = arena(np.random.default_rng(2), 1.5)
    detail = cautions(ss.read_comparisons(table))["SS311"]
    told = float(detail.partition("standard errors are ")[2].partition(" (strengths)")[0])
    errors = [
        np.mean(
            [
                error
                for row in ss.bradley_terry(table, cluster=way).rows[:8]
                if (error := row.std_error)
            ]
        )
        for way in (None, "wer")
    ]
    assert told == pytest.approx(errors[1] / errors[0], rel=0.15)


def test_a_measurement_and_an_order_are_no_clusters() -> None:
    table = arena(np.random.default_rng(3), 0.0)
    table = table.assign(
        confidence=np.where(table["winner"] == table["model_a"], 5, 1), position="x"
    )
    assert "confidence" not in "".join(cautions(ss.read_comparisons(table)).values())


def test_moments_of_the_statistic_are_those_of_random_signs() -> None:
    draw = np.random.default_rng(4)
    scores, codes, n = draw.normal(0, 1, (60, 3)), draw.integers(0, 7, 60), np.ones(60)
    signs = draw.choice([-1.0, 1.0], (20_000, 60))
    sums = np.stack([signs[:, codes == g] @ scores[codes == g] for g in range(7)])
    drawn = (sums**2).sum(axis=(0, 2))
    observed, expected, p = component(scores, codes, n)
    assert drawn.mean() == pytest.approx(expected, rel=0.02)
    assert np.mean(drawn >= observed) == pytest.approx(p, abs=0.05)


@pytest.mark.slow
def test_healthy_tables_have_no_caution_and_dependent_ones_do() -> None:
    draw = np.random.default_rng(5)

    def share(tables: list[object]) -> float:
        return float(np.mean(["SS311" in cautions(design) for design in tables]))

    assert share([ss.read_comparisons(arena(draw, 0.0)) for _ in range(100)]) <= 0.06
    assert share([ss.Ratings.from_frame(board(draw, 0.0)) for _ in range(100)]) <= 0.06
    assert share([ss.read_comparisons(arena(draw, 0.8)) for _ in range(40)]) >= 0.9
    assert share([ss.Ratings.from_frame(board(draw, 0.6)) for _ in range(40)]) >= 0.9


@pytest.mark.parametrize("factor", [1e-300, 1e-150, 1e100, 1e150, 1e300])
def test_sizes_of_values_do_not_matter(factor: float) -> None:
    """Fourth powers of scores leave the range of floats; a warning would be an error here."""
    draw = np.random.default_rng(5)
    change = draw.normal(0.0, 1.0, 60) + np.repeat(draw.normal(0.0, 2.0, 12), 5)
    pairs = pd.DataFrame({"unit": np.repeat(range(60), 2), "condition": ["new", "old"] * 60})
    pairs["gebiet"] = [f"g{k // 5:02d}" for k in pairs["unit"]]
    values = np.column_stack([change, np.zeros(60)]).ravel()
    roles = {"unit": "unit", "condition": "condition", "value": "value"}
    plain, large = (
        cautions(ss.Paired.from_frame(pairs.assign(value=values * by), **roles))
        for by in (1.0, factor)
    )
    assert "SS311" in plain
    assert plain["SS311"] == large["SS311"]
    ratings = board(np.random.default_rng(4), 1.5)
    plain, large = (
        cautions(ss.read_ratings(ratings.assign(rating=ratings["rating"] * by), scale="interval"))
        for by in (1.0, factor)
    )
    assert plain == large


def test_few_clusters_enlarge_the_variance_and_the_critical_value() -> None:
    assert small_sample_factor(5) == pytest.approx(5 / 4)
    assert reach(5) == pytest.approx(
        2.776445, abs=1e-6
    )  # t with 4 degrees of freedom, from a printed table
    assert reach(np.inf) == pytest.approx(1.959964, abs=1e-6)


def games(draw: np.random.Generator, first: str, second: str, n: int = 900) -> pd.DataFrame:
    """Two games of a pair in a row, whose outcomes go together; judges of an unknown name have strong tastes."""
    table = arena(draw, 1.0, n).rename(columns={"winner": first})
    again = np.where(draw.random(n) < 0.8, table[first], table["model_a"])
    return table.assign(**{second: np.where(draw.random(n) < 0.1, "tie", again)})


@pytest.mark.parametrize("coded", ["labels", "sides", "words"])
def test_a_column_of_outcomes_is_never_recommended_as_a_cluster(coded: str) -> None:
    table = games(np.random.default_rng(3), "g1_winner", "game2")
    if coded != "labels":
        words = {"sides": ("model_a", "model_b"), "words": ("1. better", "2. better")}[coded]
        for column in ("g1_winner", "game2"):
            side = table[column].where(
                table[column] == "tie", np.where(table[column] == table["model_a"], *words)
            )
            table[column] = side
    reading = (
        {"winner": "g1_winner"}
        if coded != "words"
        else {"winner": "g1_winner", "winner_coding": "side"}
    )
    said = " ".join(cautions(ss.read_comparisons(table, **reading)).values())
    assert "'wer'" in said
    assert "game2" not in said


def test_judges_that_are_called_like_items_are_clusters_all_the_same() -> None:
    table = arena(np.random.default_rng(1), 1.0)
    table["wer"] = "m" + (table["wer"].str[1:].astype(int) % 8).astype(str)
    assert "'wer'" in " ".join(cautions(ss.read_comparisons(table)).values())


def test_ratings_of_another_question_are_no_clusters() -> None:
    draw = np.random.default_rng(5)
    table = board(draw, 1.5)
    words = np.array(["low", "middling", "high", "top"])
    table["rating"] = words[np.clip(np.round(table["rating"] + 1.5), 0, 3).astype(int)]
    table["ton"] = table.groupby("item")["rating"].transform("first")
    said = " ".join(cautions(ss.read_ratings(table, levels=[*words], scale="ordinal")).values())
    assert "'gebiet'" in said
    assert "'ton'" not in said


def test_scores_of_pairs_and_groups_are_distances_from_the_means() -> None:
    pairs = ss.Paired.from_wide(
        {"x": [1.0, 4.0, 4.0, 9.0], "y": [0.0, 1.0, 1.0, 2.0]}, first="x", second="y", unit=False
    )
    assert 2 in pairs.count
    scores = of_pairs(pairs)["the difference"][:, 0]
    mean = np.average(pairs.difference, weights=pairs.count)
    np.testing.assert_allclose(scores, pairs.difference - mean)
    groups = ss.Groups.from_frame(
        {"group": list("aaabbbb"), "value": [1.0, 2, 2, 5, 5, 5, 9]}, unit=False
    )
    scores = group_scores(groups)["the difference"][:, 0]
    for side, sign in ((0, 1), (1, -1)):
        own = groups.group == side
        n, x = groups.count[own], groups.value[own]
        mean = np.average(x, weights=n)
        np.testing.assert_allclose(scores[own], sign * (x - mean) / n.sum())


def test_scores_of_ratings_sum_to_zero_and_those_of_labels_in_each_unit() -> None:
    rng = np.random.default_rng(2)
    rows = {"unit": np.repeat(np.arange(12), 3), "rater": ["a", "b", "c"] * 12}
    numbers = ss.Ratings.from_frame(rows | {"value": rng.integers(1, 6, 36)}, scale="interval")
    x = numbers.matrix() + 1
    scores = of_ratings(numbers)
    apart = x - x.mean(axis=0)
    np.testing.assert_allclose(scores["means"][:, 0], apart.mean(axis=1))
    np.testing.assert_allclose(scores["differences"], apart - apart.mean(axis=1, keepdims=True))
    texts = np.array(["red", "green", "blue"])[rng.integers(0, 3, 36)]
    labels = ss.Ratings.from_frame(rows | {"value": texts}, scale="nominal")
    shares = of_ratings(labels)["shares"]
    np.testing.assert_allclose(labels.unit_count @ shares, 0, atol=1e-12)
    np.testing.assert_allclose(shares.sum(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(
        shares + 3 * labels.level_counts().mean(axis=0) / 3, labels.level_counts()
    )


def test_scores_of_comparisons_have_the_variance_of_the_wins_of_a_pair() -> None:
    """Without bias: m / (m - 1) of m comparisons; the other item has the negative of a score."""
    rows = arena(np.random.default_rng(3), 1.0).drop(columns=["wer", "anlass"])
    design = ss.read_comparisons(rows)
    scores = of_comparisons(design)["strengths"]
    np.testing.assert_allclose(scores.sum(axis=1), 0)
    low = np.minimum(design.item_a, design.item_b)
    own = scores[np.arange(len(low)), low]
    won = (design.outcome == 0) == (design.item_a == low)
    for code in np.unique(design.pair.codes):
        mine = design.pair.codes == code
        wins = np.repeat(won[mine], design.count[mine].astype(int)).astype(float)
        assert own[mine] @ design.count[mine] == pytest.approx(0, abs=1e-9)
        spread = len(wins) * wins.var(ddof=1) if len(wins) > 1 else 0.0
        assert design.count[mine] @ own[mine] ** 2 == pytest.approx(spread)


@pytest.mark.parametrize("declared", [(), (6,), (6, 30)])
def test_a_column_lengthens_intervals_by_errors_and_quantiles(declared: tuple[int, ...]) -> None:
    rng = np.random.default_rng(4)
    code, n = np.arange(120) % 10, np.ones(120)
    scores = (rng.normal(size=120) + 2 * rng.normal(size=10)[code])[:, None]

    def of(levels: int, name: str) -> Factor:
        codes = rng.integers(0, levels, 120)
        codes[:levels] = np.arange(levels)
        return Factor(name=name, codes=codes, levels=tuple(map(str, range(levels))))

    factors = tuple(of(levels, f"f{levels}") for levels in declared)
    column = Factor(name="judge", codes=code, levels=tuple(map(str, range(10))))
    (found,) = dependence(column, factors, {"the difference": scores}, n)

    def variance(codes: np.ndarray, levels: int) -> float:
        sums = np.bincount(codes, scores[:, 0])
        return float(sums @ sums) * levels / (levels - 1)

    base = max([float((scores**2).sum()), *(variance(f.codes, len(f.levels)) for f in factors)])
    assert found.ratio == pytest.approx(np.sqrt(variance(code, 10) / base))
    fewest = min(declared, default=np.inf)
    longer = reach(min(10, fewest)) / reach(fewest)
    assert found.longer == pytest.approx(found.ratio * longer)
    assert (found.column, found.family, found.labels) == ("judge", "the difference", 10)


@pytest.mark.parametrize(("wins", "thin"), [((2, 1, 0, 3), False), ((2, 1, 0, 2), True)])
def test_wins_of_pairs_of_three_rows_are_compared_with_the_pair_and_of_fewer_with_the_items(
    wins: tuple[int, ...], thin: bool
) -> None:
    """Items a, b and c; b won or lost against a and c. Rates: a 2 of 3, c all, b the rest."""
    a_won, b_won, b_over_c, c_won = wins
    rows = [("a", "b", "a")] * a_won + [("a", "b", "b")] * b_won
    rows += [("b", "c", "b")] * b_over_c + [("b", "c", "c")] * c_won
    design = ss.read_comparisons(pd.DataFrame(rows, columns=["model_a", "model_b", "winner"]))
    scores = of_comparisons(design)
    assert set(scores) == {"strengths"}
    first = scores["strengths"][(design.item_a == 0) & (design.outcome == 0)][0]
    met = a_won + b_won + b_over_c + c_won
    expected = 0.5 + a_won / 3 - (b_won + b_over_c) / met if thin else 2 / 3
    size = 1 - expected if thin else (1 - expected) * np.sqrt(3 / 2)
    np.testing.assert_allclose(first, [size, -size, 0])


def test_scores_of_ties_are_distances_from_their_share_and_none_where_all_or_none_are_tied() -> (
    None
):
    def of(ties: int, won: int) -> dict[str, np.ndarray]:
        rows = [("a", "b", "tie")] * ties + [("a", "b", "a")] * won + [("a", "b", "b")] * won
        table = pd.DataFrame(rows, columns=["model_a", "model_b", "winner"])
        design = ss.read_comparisons(table)
        tied = design.outcome == 2
        return {name: np.sort(x[:, 0]) for name, x in of_comparisons(design).items()} | {
            "tied": tied
        }

    np.testing.assert_allclose(of(6, 1)["ties"], [-0.75, -0.75, 0.25])
    np.testing.assert_allclose(of(1, 6)["ties"], [-1 / 13, -1 / 13, 12 / 13])
    assert "ties" not in of(4, 0)
    assert "ties" not in of(0, 4)


def test_scores_of_the_order_effect_are_those_of_the_item_shown_first() -> None:
    table = pd.DataFrame(
        [("a", "b", "a", "a")] * 2 + [("a", "b", "b", "b")] + [("b", "a", "a", "b")],
        columns=["model_a", "model_b", "winner", "first"],
    )
    design = ss.read_comparisons(table, order="first")
    scores = of_comparisons(design)
    sign = np.where(design.item_a == 0, 1, -1) * design.first
    low = scores["strengths"][:, 0]
    np.testing.assert_allclose(scores["the order effect"][:, 0], low * sign)
    assert np.ptp(sign) == 2


def test_ratings_by_one_rater_have_no_differences_and_gaps_count_for_nothing() -> None:
    single = ss.Ratings.from_frame(
        {"unit": range(4), "rater": ["a"] * 4, "value": [1, 2, 4, 5]}, scale="interval"
    )
    scores = of_ratings(single)
    assert set(scores) == {"means"}
    np.testing.assert_allclose(scores["means"][:, 0], [-2, -1, 1, 2])
    gaps = ss.Ratings.from_frame(
        {"unit": [0, 0, 1, 1, 2], "rater": [*"ababa"], "value": [1, 4, 2, 2, 6]}, scale="interval"
    )
    scores = of_ratings(gaps)
    apart = np.array([[-2, 1], [-1, -1], [3, np.nan]])  # from the means 3 and 3 of the raters
    means = np.nanmean(apart, axis=1)
    np.testing.assert_allclose(scores["means"][:, 0], means)
    np.testing.assert_allclose(scores["differences"], np.nan_to_num(apart - means[:, None]))


def test_scores_of_labels_of_groups_and_pairs_are_those_of_each_level() -> None:
    groups = ss.Groups.from_frame(
        {"group": [*"aaabbbb"], "value": ["x", "y", "z", "x", "x", "z", "z"]},
        unit=False,
        scale="nominal",
    )
    scores = group_scores(groups)["the difference"]
    assert scores.shape[1] == 3
    for side, sign in ((0, 1), (1, -1)):
        mine = groups.group == side
        n = groups.count[mine]
        levels = np.eye(3)[groups.value[mine].astype(int)]
        share = n @ levels / n.sum()
        np.testing.assert_allclose(scores[mine], sign * (levels - share) / n.sum())
    pairs = ss.Paired.from_wide(
        {"x": [*"pqrp"], "y": [*"qqpr"]}, first="x", second="y", unit=False, scale="nominal"
    )
    first, second = (np.eye(3)[codes.astype(int)] for codes in (pairs.first, pairs.second))
    change = first - second
    np.testing.assert_allclose(
        of_pairs(pairs)["the difference"], change - pairs.count @ change / pairs.count.sum()
    )


def effect(column: str, p: float, ratio: float = 2.0, family: str = "means") -> Dependence:
    return Dependence(
        column=column, family=family, labels=9, ratio=ratio, longer=1.5 * ratio, p_value=p
    )


@pytest.mark.parametrize(
    ("effects", "clear", "rest"),
    [
        ([effect("a", 0.02)], "a", ""),
        ([effect("a", 0.021)], "", "a"),
        ([effect("a", 0.005), effect("b", 0.01), effect("c", 0.5)], "ab", "c"),
        ([effect("c", 0.5), effect("b", 0.011), effect("a", 0.005)], "a", "cb"),
        ([effect("a", 0.007), effect("b", 0.001, ratio=1.0)], "", "ab"),
        ([effect("a", 0.001, ratio=1.01), effect("b", 0.02)], "ab", ""),
        ([effect("a", 0.001), effect("a", 0.9, family="order"), effect("b", 0.9)], "a", "b"),
        ([], "", ""),
    ],
)
def test_columns_are_clear_by_holms_steps_where_errors_grow(
    effects: list[Dependence], clear: str, rest: str
) -> None:
    told = {c.code: c.detail for c in undeclared_cautions(effects)}
    for code, columns in (("SS311", clear), ("SS344", rest)):
        assert re.findall(r"'(\w)' \(", told.get(code, "")) == [*columns]
    assert [*told] == ["SS311"] * bool(clear) + ["SS344"] * bool(rest)


@pytest.mark.parametrize(
    ("effects", "clear"),
    [
        ([effect("topic", 0.1)], ["topic"]),
        ([effect("topic", 0.11)], []),
        ([effect("a", 0.021), effect("topic", 0.04)], ["topic"]),
        ([effect("a", 0.01), effect("topic", 0.06)], ["a", "topic"]),
    ],
)
def test_a_column_called_like_a_cluster_needs_less_evidence(
    effects: list[Dependence], clear: list[str]
) -> None:
    """Three topics give a test little power: of null tables with large effects of topics, 23% had no caution."""
    told = {c.code: c.detail for c in undeclared_cautions(effects)}
    assert re.findall(r"'(\w+)' \(", told.get("SS311", "")) == clear


def test_families_of_a_column_are_told_together_with_the_widest_interval() -> None:
    both = [effect("a", 0.001, 2.0), effect("a", 0.5, 3.0, "order")]
    (said,) = undeclared_cautions(both)
    assert "'a' (9 values; " in said.detail
    assert "2.00 (means) and 3.00 (order) times as large" in said.detail
    assert said.detail.endswith("intervals up to 4.5 times as long)")


def tried(rows: int = 40, units: float | None = None, **columns: list[object]) -> list[str]:
    table = as_table(pd.DataFrame({"score": np.arange(rows) % 7, **columns}))
    return candidates(table, {"score"}, rows if units is None else units, lambda *_: False)


def labels(n: int, rows: int = 40) -> list[object]:
    return [f"l{k % n}" for k in range(rows)]


@pytest.mark.parametrize(
    ("columns", "names"),
    [
        ({"z": labels(3)}, ["z"]),
        ({"z": labels(2)}, []),
        ({"z": labels(20)}, ["z"]),
        ({"z": labels(21)}, []),
        ({"z": [None] * 8 + labels(4)[:32]}, ["z"]),
        ({"z": [None] * 9 + labels(4)[:31]}, []),
        ({"z": [k % 5 for k in range(40)]}, []),
        ({"judge": [k % 5 for k in range(40)]}, ["judge"]),
        ({"judge_id": [k % 5 - 2 for k in range(40)]}, []),
        ({"z": [k % 14 for k in range(40)]}, ["z"]),
        ({"age": labels(5)}, []),
        ({"rating": labels(5)}, []),
        ({"position": labels(5)}, []),
        ({f"z{k}": labels(5) for k in "abcdef"}, [f"z{k}" for k in "abcde"]),
    ],
)
def test_columns_whose_labels_repeat_are_tried(
    columns: dict[str, list[object]], names: list[str]
) -> None:
    assert tried(**columns) == names


def test_columns_of_few_rows_and_of_outcomes_are_not_tried() -> None:
    assert tried(20, z=labels(4, 20)) == ["z"]
    assert tried(19, z=labels(4, 19)) == []
    assert tried(z=labels(4), units=8) == ["z"]
    assert tried(z=labels(4), units=7) == []
    table = as_table(
        pd.DataFrame({"z": labels(4), "judge": labels(4), "rater": [k % 4 for k in range(40)]})
    )
    assert candidates(table, set(), 40, lambda *_: True) == ["rater"]
    assert candidates(table, {"rater"}, 40, lambda *_: False) == ["z", "judge"]
