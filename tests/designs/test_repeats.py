"""Repeated answers are no units: tables of known truth, through every door, under names that nobody knows."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import socialstats as ss
from socialstats.cli import main

NAMES = (
    ("model", "item", "epoch", "score"),
    ("llm", "question_id", "sample", "correct"),
    ("system", "problem", "zug", "accuracy"),
    ("model", "case_id", "seed", "y"),
)


def answers(
    names: tuple[str, str, str, str],
    *,
    models: int = 2,
    items: int = 40,
    most: int = 5,
    holes: bool = False,
    seed: int,
) -> pd.DataFrame:
    """Answers of 0 and 1 whose chance differs by model and item: repeats share it, and are otherwise independent."""
    draw = np.random.default_rng(seed)
    chance = draw.beta(0.6, 0.6, (models, items))
    rows = [
        (f"m{m}", f"q{i:03d}", k, int(draw.random() < chance[m, i]))
        for i in range(items)
        for m in range(models)
        for k in range(int(draw.integers(1, most + 1)) if holes else most)
        if not (holes and draw.random() < 0.08)
    ]
    return pd.DataFrame(rows, columns=[*names])


def by_items(
    table: pd.DataFrame, names: tuple[str, str, str, str]
) -> tuple[float, float, int, float]:
    """Difference of m1 and m0, its standard error, df and p: a paired t test of the means of items."""
    model, item, _, value = names
    means = table.groupby([item, model])[value].mean().unstack()[["m0", "m1"]].dropna()
    d = means["m1"] - means["m0"]
    test = stats.ttest_rel(means["m1"], means["m0"])
    return float(d.mean()), float(d.std(ddof=1) / np.sqrt(len(d))), len(d) - 1, float(test.pvalue)


def rows_of(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            found.extend([node] if "estimate" in node and "p_value" in node else [])
            for value in node.values():
                walk(value)
        elif isinstance(node, list):
            for value in node:
                walk(value)

    walk(json.loads(path.read_text(encoding="utf-8")))
    return found


def paged(
    table: pd.DataFrame, folder: Path, capsys: pytest.CaptureFixture[str]
) -> list[dict[str, Any]]:
    """The rows of the page of `report`, or of the first command that it proposes."""
    file, numbers = folder / "answers.csv", folder / "page.json"
    table.to_csv(file, index=False)
    out = ["-o", str(folder / "page.html"), "--json", str(numbers), "--no-verify"]
    if main(["report", str(file), *out]) == 2:
        told = capsys.readouterr()
        proposed = [
            line
            for line in (told.out + told.err).splitlines()
            if line.startswith("  socialstats report ")
        ]
        assert main([*shlex.split(proposed[0])[1:], *out]) == 0
    return rows_of(numbers)


@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("names", NAMES, ids=lambda names: names[2])
def test_the_first_advice_tests_on_items(
    names: tuple[str, str, str, str],
    holes: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    table = answers(names, holes=holes, seed=len(names[2]))
    estimate, error, df, p = by_items(table, names)
    rows = [
        row
        for row in paged(table, tmp_path, capsys)
        if row["std_error"] == pytest.approx(error, rel=1e-9)
    ]
    assert rows
    assert abs(rows[0]["estimate"]) == pytest.approx(abs(estimate), rel=1e-9)
    assert rows[0]["df"] == pytest.approx(df)
    assert rows[0]["p_value"] == pytest.approx(p, rel=1e-8)
    assert rows[0]["n_units"] == df + 1


@pytest.mark.parametrize("names", NAMES[:2], ids=lambda names: names[2])
def test_python_gives_the_same_in_one_call(names: tuple[str, str, str, str]) -> None:
    table = answers(names, seed=11)
    estimate, error, df, p = by_items(table, names)
    pairs = ss.paired_difference(table, condition=names[0], conditions=("m1", "m0")).rows[0]
    board = ss.leaderboard(table, rater=names[0]).row("m0 - m1")
    for row, sign in ((pairs, 1), (board, -1)):
        assert row.estimate == pytest.approx(sign * estimate, abs=1e-12)
        assert (row.std_error, row.df, row.p_value) == pytest.approx((error, df, p), rel=1e-8)


def test_a_declared_column_and_none_at_all_give_the_same() -> None:
    table = answers(("model", "item", "k", "score"), seed=3)
    found = ss.Paired.from_frame(table, conditions=("m1", "m0"))
    declared = ss.Paired.from_frame(table, conditions=("m1", "m0"), repeat="k")
    unnumbered = ss.Paired.from_frame(table.drop(columns="k"), conditions=("m1", "m0"), repeat=True)
    for design in (declared, unnumbered):
        assert sorted(design.difference.tolist()) == sorted(found.difference.tolist())
    assert found.repeats is not None
    assert unnumbered.repeats is not None
    assert (found.repeats.columns, unnumbered.repeats.columns) == (("k",), ())
    with pytest.raises(ss.InputError, match="say repeat=True"):
        ss.Paired.from_frame(table.drop(columns="k"), conditions=("m1", "m0"))


def test_variance_within_units_is_that_of_an_analysis_of_variance() -> None:
    names = ("model", "item", "epoch", "score")
    table = answers(names, holes=True, seed=5).assign(
        score=lambda d: d["score"] + np.arange(len(d)) % 7
    )
    design = ss.model_scores(table)
    assert design.repeats is not None
    for model in ("m0", "m1"):
        cells = table[table["model"] == model].groupby("item")["score"]
        inside = float(
            ((cells.size() - 1) * cells.var().fillna(0)).sum() / (cells.size() - 1).sum()
        )
        part = design.repeats.of_source(model)
        assert part.within == pytest.approx(inside)
        assert part.reciprocal == pytest.approx(float((1 / cells.size()).mean()))
        assert part.answers.sum() == cells.size().sum()


def test_labels_of_exchangeable_repeats_do_not_matter() -> None:
    names = ("model", "item", "sample", "correct")
    table = answers(names, seed=8)
    draw = np.random.default_rng(1)
    other = table.assign(
        sample=table.groupby(["model", "item"])["sample"].transform(lambda x: draw.permutation(x))
    )
    first, second = (ss.paired_difference(t, conditions=("m1", "m0")) for t in (table, other))
    assert first.rows == second.rows


@pytest.mark.slow
def test_null_tables_are_rejected_as_often_as_promised() -> None:
    names = ("model", "item", "sample", "correct")
    rejected = []
    for seed in range(400):
        table = answers(names, items=30, seed=seed)
        p = ss.paired_difference(table, conditions=("m1", "m0")).rows[0].p_value
        rejected.append(p is not None and p < 0.05)
    assert 0.02 < np.mean(rejected) < 0.09  # binomial limits of .05 in 400 tables, at .001


def test_shares_of_numbers_are_those_of_the_answers() -> None:
    table = answers(("model", "item", "sample", "correct"), seed=2)
    found = ss.choice_shares(table, source="rater")
    means = table.groupby(["model", "item"])["correct"].mean().groupby("model").mean()
    for row in found.rows:
        if row.role == "estimate" and row.label("level") == "1":
            assert row.estimate == pytest.approx(means[row.label("source")], abs=1e-8)


@pytest.mark.parametrize(
    "metric", [ss.percent_agreement, ss.fleiss_kappa, ss.majority_vote_accuracy]
)
def test_labels_are_not_counted_from_means(metric: Any) -> None:
    table = answers(("model", "item", "sample", "correct"), seed=2)
    with pytest.raises(ss.InputError, match=r"unit=\['item', 'sample'\].* and cluster='item'"):
        metric(table)


def test_one_answer_a_unit_is_what_mcnemar_takes() -> None:
    table = answers(("model", "item", "sample", "correct"), seed=2)
    with pytest.raises(ss.DesignError, match=r"means of repeated answers\. paired_difference"):
        ss.mcnemar(table, conditions=("m1", "m0"))


def test_items_numbered_anew_in_each_task_are_units_of_their_task() -> None:
    draw = np.random.default_rng(4)
    rows = [
        (m, level, i, level_shift + easy + draw.normal(0, 0.2) + (m == "m1") * 0.1)
        for level, level_shift in (("p", 0.0), ("q", 0.3), ("r", -0.2))
        for i, easy in enumerate(draw.normal(0, 1, 30))
        for m in ("m0", "m1")
    ]
    table = pd.DataFrame(rows, columns=["model", "area", "item", "score"])
    with pytest.raises(ss.InputError, match=r"part of what a unit is: say unit=\['item', 'area'\]"):
        ss.leaderboard(table)
    assert ss.leaderboard(table, unit=["item", "area"]).row("m0 - m1").n_units == 90


def test_a_second_scorer_is_no_repeat_unless_it_is_said() -> None:
    table = answers(("model", "item", "judge", "score"), seed=6)
    with pytest.raises(ss.InputError, match="Take their mean with repeat='judge'"):
        ss.leaderboard(table, rater="model")
    assert ss.leaderboard(table, rater="model", repeat="judge").row("m0 - m1").n_units == 40


def test_a_weak_name_gives_way_to_more_labels() -> None:
    table = answers(("model", "stimulus_code", "sample", "correct"), seed=6)
    with pytest.raises(ss.InputError, match=r"Say unit='stimulus_code' \(.*\) and repeat='sample'"):
        ss.paired_difference(table, conditions=("m1", "m0"))


def test_repeats_of_comparisons_lie_within_clusters() -> None:
    draw = np.random.default_rng(0)
    pairs = [(a, b) for a in "abcdef" for b in "abcdef" if a < b]
    rows = [(a, b, run, a if draw.random() < 0.6 else b) for a, b in pairs for run in range(4)]
    table = pd.DataFrame(rows, columns=["item_a", "item_b", "run", "winner"])
    assert [c.name for c in ss.Comparisons.from_frame(table, repeat="run").clusters] == ["pair"]
    declared = ss.Comparisons.from_frame(
        table.assign(story=range(len(table))), repeat="run", cluster="story"
    )
    assert [c.name for c in declared.clusters] == ["story"]


def test_pages_tell_what_more_answers_would_buy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = answers(("model", "item", "sample", "correct"), items=60, seed=9)
    file, page = tmp_path / "samples.csv", tmp_path / "page.html"
    table.to_csv(file, index=False)
    assert main(["report", str(file), "-o", str(page), "--no-verify"]) == 0
    assert "60 items, 5 answers each" in capsys.readouterr().err
    assert main(["show", str(page)]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert (
        "5 more answers of each source to a unit (twice as many) would narrow its interval by about"
        in told
    )


def test_a_label_without_a_number_says_nothing_on_what_its_column_is() -> None:
    """A scorer that failed on every item has no range to compare; its median would be a warning."""
    rows = [
        (f"m{m}", f"q{k:02d}", scorer, value)
        for m in range(2)
        for k in range(20)
        for scorer, value in (("kurz", float(k % 3 + m)), ("lang", 500.0 + 40 * k), ("arm", None))
    ]
    table = pd.DataFrame(rows, columns=["model", "item", "art", "score"])
    with pytest.raises(ss.InputError) as caught:
        ss.leaderboard(table)
    with pytest.raises(ss.InputError) as without:
        ss.leaderboard(table[table["art"] != "arm"])
    for error in (caught, without):
        assert "column 'art' tells them apart" in str(error.value)
        assert "These are numbers of different kinds" in str(error.value)


def test_rows_without_an_answer_are_not_counted_as_answers() -> None:
    rows = [(f"q{k}", m, s, float(k + s)) for k in range(8) for m in ("a", "b") for s in range(3)]
    table = pd.DataFrame(rows, columns=["item", "model", "sample", "score"])
    table.loc[[0, 7], "score"] = None
    (note,) = (c.detail for c in ss.leaderboard(table).cautions if c.code == "SS341")
    assert note.startswith("46 answers to 16 means, 2 to 3 each")


@pytest.mark.parametrize(
    "changed",
    [
        lambda design: design.take(design.rater == 1),
        lambda design: design.take(np.arange(len(design.value)) % 3 != 0),
        lambda design: design.of_raters(["m2", "m0"]),
        lambda design: design.relabel_raters({"m0": "z", "m2": "y"}),
    ],
    ids=["rater", "thirds", "of_raters", "relabel_raters"],
)
def test_shares_of_answers_follow_their_ratings(changed: Callable[[Any], Any]) -> None:
    """Answers that became shares stand where their ratings stand, in designs of some ratings too."""
    draw = np.random.default_rng(2)
    rows = [
        (f"q{unit}", f"m{model}", k, int(draw.integers(1, 4)))
        for unit in range(7)
        for model in range(3)
        for k in range(int(draw.integers(1, 5)))
    ]
    table = pd.DataFrame(rows, columns=["unit", "rater", "epoch", "value"])
    design = ss.Ratings.from_frame(
        table, unit="unit", rater="rater", repeat="epoch", scale="interval"
    )
    done = changed(design.of_answers())
    shared = done.shared
    assert sorted(shared.place.tolist()) == [*range(len(done.value))]
    np.testing.assert_array_equal(done.probabilities[shared.place], shared.shares)
    names = [shared.sources[code] for code in shared.source.tolist()]
    assert names == [done.raters[done.rater[place]] for place in shared.place.tolist()]


def test_what_is_kept_of_answers_is_that_of_each_unit_and_rater() -> None:
    """Their number, variance, shares of levels and first one; missing answers are none."""
    draw = np.random.default_rng(1)
    rows = [
        (f"q{i}", f"m{m}", k, float(draw.integers(1, 4)))
        for i in range(8)
        for m in range(2)
        for k in range(int(draw.integers(1, 5)))
    ]
    table = pd.DataFrame(rows, columns=["unit", "rater", "epoch", "value"])
    lost = [3, *table.index[(table["unit"] == "q5") & (table["rater"] == "m1")]]
    table.loc[lost, "value"] = np.nan  # q5 has no answer of m1
    design = ss.Ratings.from_frame(
        table, unit="unit", rater="rater", repeat="epoch", scale="interval", missing="drop"
    )
    found = design.repeats
    assert found is not None
    known = table.dropna().sort_values("epoch").groupby(["unit", "rater"])["value"]
    assert len(found.answers) == len(known) == 15
    for k, place in enumerate(found.place.tolist()):
        key = (design.units[design.unit[place]], design.raters[design.rater[place]])
        answers = known.get_group(key)
        assert found.sources[found.source[k]] == key[1]
        assert design.scores[design.value[place]] == pytest.approx(answers.mean())
        assert found.answers[k] == len(answers)
        assert found.variance[k] == pytest.approx(answers.var(), nan_ok=True)
        assert found.shares is not None
        assert found.first is not None
        shares = [(answers == float(level)).mean() for level in found.levels]
        np.testing.assert_allclose(found.shares[k], shares)
        assert found.levels[found.first[k]] == f"{answers.iloc[0]:g}"
    pooled = [g for _, g in known if len(g) > 1 and g.name is not None]
    assert found.fewest == known.size().min()
    assert found.most == known.size().max()
    assert found.reciprocal == pytest.approx((1 / known.size()).mean())
    squares = sum(((g - g.mean()) ** 2).sum() for g in pooled)
    assert found.within == pytest.approx(squares / sum(len(g) - 1 for g in pooled))
