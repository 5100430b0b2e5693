"""Formulas of designs: what each part means, against the same call by keywords, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import socialstats as ss
from socialstats.designs.formulas import COLUMN_KEYWORDS, LISTS, SIDES, take_apart
from socialstats.errors import DesignError, InputError

rng = np.random.default_rng(5)
STORIES, ARMS = [f"s{k % 9}" for k in range(36)], ["new", "old"]
LONG = {
    "question": [k for k in range(36) for _ in ARMS],
    "arm": ARMS * 36,
    "answer": rng.integers(0, 6, 72).tolist(),
    "the story": [s for s in STORIES for _ in ARMS],
    "name": [k % 4 for k in range(36) for _ in ARMS],
    "model": [m for m in ["m1", "m2"] * 18 for _ in ARMS],
}
WIDE = {
    "after": rng.integers(0, 6, 36).tolist(),
    "before": rng.integers(0, 6, 36).tolist(),
    "story": STORIES,
}
ITEMS = [(a, b) for a in "wxyz" for b in "wxyz" if a != b] * 6
GAMES = {
    "left": [a for a, _ in ITEMS],
    "right": [b for _, b in ITEMS],
    "chosen": [pair[k] for pair, k in zip(ITEMS, rng.integers(0, 2, len(ITEMS)), strict=True)],
    "size_a": rng.integers(0, 4, len(ITEMS)).tolist(),
    "size_b": rng.integers(0, 4, len(ITEMS)).tolist(),
    "judge": [f"j{k % 7}" for k in range(len(ITEMS))],
    "day": [f"d{k % 5}" for k in range(len(ITEMS))],
}
NAMED = {"unit": "question", "condition": "arm", "value": "answer", "conditions": ("new", "old")}
PAIRED = "answer ~ arm + unit(question) | `the story` + name"
RATED = {
    "item": [k for k in range(12) for _ in "abc"],
    "judge": [*"abc"] * 12,
    "score": rng.integers(1, 4, 36).tolist(),
    "domain": [f"d{k % 4}" for k in range(12) for _ in "abc"],
}


def test_clusters_follow_the_bar_and_names_that_are_no_words_stand_in_backticks():
    found = ss.paired_difference(PAIRED, LONG, conditions=("new", "old"))
    assert found.rows == ss.paired_difference(LONG, cluster=["the story", "name"], **NAMED).rows
    assert found.settings["cluster"] == ["the story", "name"]


def test_formula_first_with_data_or_as_a_keyword():
    expected = ss.paired_difference(LONG, cluster=["the story", "name"], **NAMED).rows
    for call in (
        lambda: ss.paired_difference(PAIRED, data=LONG, conditions=("new", "old")),
        lambda: ss.paired_difference(LONG, formula=PAIRED, conditions=("new", "old")),
    ):
        assert call().rows == expected


def test_a_term_called_like_a_keyword_names_its_column():
    found = ss.paired_difference(PAIRED, LONG, conditions=("new", "old"), by="model")
    by = ss.paired_difference(PAIRED.replace("|", "+ by(model) |"), LONG, conditions=("new", "old"))
    assert by.by == "model"
    assert [by[m].rows for m in ("m1", "m2")] == [found[m].rows for m in ("m1", "m2")]


def test_two_columns_on_the_left_are_the_two_conditions():
    expected = ss.paired_difference(WIDE, first="after", second="before", cluster="story")
    assert ss.paired_difference("after + before ~ 1 | story", WIDE).rows == expected.rows


def test_raters_with_a_column_each():
    assert ss.krippendorff_alpha("after + before ~ 1 | story", WIDE).rows == (
        ss.krippendorff_alpha(WIDE, raters=["after", "before"], cluster="story").rows
    )


def test_comparisons_have_covariates_on_the_right():
    columns = {"winner": "chosen", "cluster": ["judge", "day"]}
    fit = ss.bradley_terry("chosen ~ size | judge + day", GAMES)
    assert fit.rows == ss.bradley_terry(GAMES, "~ size", **columns).rows
    assert ss.bradley_terry(GAMES, "chosen ~ size | judge + day").rows == fit.rows
    assert (
        ss.bradley_terry("chosen ~ 1 | judge + day", GAMES).rows
        == ss.bradley_terry(GAMES, **columns).rows
    )
    transformed = ss.bradley_terry(
        "chosen ~ np.sqrt(size) + I(size**2) | judge", GAMES, strengths="none"
    )
    assert transformed.settings["formula"] == "~ np.sqrt(size) + I(size ** 2)"
    rates = ss.win_rates("chosen ~ size | judge", GAMES)
    assert rates.rows == ss.win_rates(GAMES, "size", winner="chosen", cluster="judge").rows


def test_counts_of_wins():
    counts = {
        "item_a": [*"xxy"],
        "item_b": [*"yzz"],
        "won": [5, 3, 4],
        "lost": [2, 4, 3],
        "drawn": [1, 0, 2],
    }
    expected = ss.bradley_terry(counts, wins_a="won", wins_b="lost", ties="drawn")
    assert ss.bradley_terry("won + lost + drawn ~ 1", counts).rows == expected.rows


def test_ratings_and_designs_read_by_a_formula(tmp_path):
    formula = "score ~ judge + unit(item) + strata(domain)"
    expected = ss.Ratings.from_frame(
        RATED, unit="item", rater="judge", value="score", strata="domain"
    )
    read = ss.read_ratings(formula, RATED)
    assert (read.matrix() == expected.matrix()).all()
    assert list(read.strata) == ["domain"]
    design = ss.read_paired(PAIRED, LONG, conditions=("new", "old"))
    assert (
        ss.paired_difference(design).rows
        == ss.paired_difference(PAIRED, LONG, conditions=("new", "old")).rows
    )


def test_a_formula_of_two_tables():
    got = ss.sensitivity_difference(
        "chosen ~ size | judge", GAMES, GAMES, cluster="judge", resamples=200
    )
    expected = ss.sensitivity_difference(
        GAMES, GAMES, "size", winner="chosen", cluster="judge", resamples=200
    )
    assert got.rows == expected.rows


def test_without_a_left_side_the_response_is_found_by_name():
    table = {**LONG, "value": LONG["answer"]}
    del table["answer"]
    expected = ss.paired_difference(LONG, **NAMED).row("difference").estimate
    assert (
        ss.paired_difference("~ arm + unit(question)", table, conditions=ARMS)
        .row("difference")
        .estimate
        == expected
    )


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        (
            "answr ~ arm + unit(question)",
            r"no column 'answr' \(asked for as value\).*Did you mean value='answer'",
        ),
        (
            "answer ~ arm + unit(question) | nam",
            r"no column 'nam' \(asked for as cluster\).*cluster='name'",
        ),
        (
            "answer ~ arm + model",
            "has arm and model on the right, where one column, the condition is meant",
        ),
        ("answer + name + arm ~ 1", r"on the left, where first \+ second is meant"),
        ("answer ~ log(arm)", r"log\(arm\) on the right, where one column"),
        ("answer ~ arm | log(name)", r"cluster log\(name\) is no column"),
        ("answer ~ arm | name:model", "cluster name:model is no column"),
        ("answer ~ arm | name | model", "has two |"),
        ("answer ~ (1 | question)", "is no formula"),
        ("answer ~ .", "'.' names no column"),
        ("answer ~~ arm", "is no formula"),
        ("answer ~ arm + by(model, name)", "by= takes one"),
        ("answer ~ arm + by(model) + by(name)", r"names by\(\) twice"),
        ("answer ~ arm + cluster(name) | model", "names cluster= twice"),
        ("answer ~ arm + winner(name)", "has no option winner=, which formula"),
    ],
)
def test_what_is_refused(formula, said):
    with pytest.raises((InputError, DesignError), match=said):
        ss.paired_difference(formula, LONG, conditions=ARMS)


@pytest.mark.parametrize(
    ("beside", "said"),
    [
        ({"cluster": "model"}, "says cluster=.*and cluster='model' contradicts it"),
        ({"cluster": None}, "and cluster=None contradicts it"),
        ({"value": "name"}, "says value='answer', and value='name' contradicts it"),
        ({"formula": "answer ~ arm"}, "two formulas"),
    ],
)
def test_keywords_that_contradict_the_formula_are_refused(beside, said):
    with pytest.raises(InputError, match=said):
        ss.paired_difference(PAIRED, LONG, conditions=ARMS, **beside)
    agreeing = ss.paired_difference(
        PAIRED, LONG, conditions=ARMS, value="answer", cluster=["the story", "name"]
    )
    assert agreeing.rows == ss.paired_difference(PAIRED, LONG, conditions=ARMS).rows


def test_a_formula_needs_a_table_and_covariates_need_a_function_that_has_them():
    with pytest.raises(InputError, match="needs a table after it"):
        ss.paired_difference(PAIRED)
    with pytest.raises(
        InputError, match=r"choice_entropy\(\) takes no covariate, and formula .* has size"
    ):
        ss.choice_entropy("chosen ~ size", GAMES)
    with pytest.raises(InputError, match=r"no covariate 'sise'.*Did you mean 'size'"):
        ss.bradley_terry("chosen ~ sise", GAMES)


def test_a_path_with_a_tilde_is_a_path(tmp_path, monkeypatch):
    import pandas as pd

    monkeypatch.chdir(tmp_path)
    pd.DataFrame(GAMES).to_csv("games~1.csv", index=False)
    fit = ss.bradley_terry("games~1.csv", "~ size", winner="chosen")
    assert fit.rows == ss.bradley_terry(GAMES, "~ size", winner="chosen").rows
    assert (
        ss.win_rates("games~1.csv", "size", winner="chosen").rows
        == ss.win_rates(GAMES, "size", winner="chosen").rows
    )


def test_every_reader_of_a_metric_has_sides_whose_keywords_exist():
    from socialstats.designs.calls import keywords
    from socialstats.metrics import METRICS

    readers = {r for m in METRICS.values() for r in getattr(m.function, "readers", ())}
    for reader in readers:
        sides = SIDES[reader.__qualname__]
        assert {sides.single, *sides.several, *sides.right} <= set(keywords(reader))
        for key in (k for k in keywords(reader) if k in LISTS):
            assert key in COLUMN_KEYWORDS


def test_names_of_any_script_are_columns():
    assert take_apart("préférence ~ größe + unit(`id 1`, b)|ß").named == {"unit": ("id 1", "b")}
