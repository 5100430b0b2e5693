"""Cautions of clusters, few degrees of freedom and rare answers: where each begins, its numbers, the rows it names."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest

from socialstats import Comparisons, Paired
from socialstats.designs.parts import Factor
from socialstats.errors import Caution, InputError
from socialstats.inference.dependence import (
    cluster_cautions,
    cluster_factors,
    cluster_facts,
    cluster_text,
    drawn_cautions,
    few_df,
    few_pairs,
    is_nested_in,
    largest_share,
    rare_answers,
    rare_level_cautions,
    rarer,
    robust_cautions,
    settled_cluster,
    share_cautions,
    small_clusters,
    spread_cautions,
    too_few_to_resample,
    unevenness,
)
from socialstats.results import Row


def factor(codes: Any, name: str = "story") -> Factor:
    codes = np.asarray(codes, dtype=np.int64)
    return Factor(name=name, codes=codes, levels=tuple(map(str, range(codes.max() + 1))))


def design(*factors: Factor) -> Paired:
    n = len(factors[0].codes)
    ones = np.ones(n)
    return Paired(
        conditions=("a", "b"),
        first=ones,
        second=0 * ones,
        count=ones,
        scale="numeric",
        clusters=factors,
    )


def row(term: str = "x", **facts: Any) -> Row:
    return Row(
        **{
            "term": term,
            "estimate": 0.5,
            "conf_low": 0.4,
            "conf_high": 0.6,
            "conf_level": 0.95,
            **facts,
        }
    )


def codes_of(cautions: tuple[Caution, ...]) -> list[str]:
    return [one.code for one in cautions]


def test_fewer_than_five_degrees_of_freedom_are_few_and_their_rows_are_named() -> None:
    rows = [
        row("a", df=4.99),
        row("b", df=5.0),
        row("c", df=2.0),
        row("d"),
        row("e", df=1.24, group="g"),
    ]
    (told,) = few_df([4.99, 5.0, 2.0, 1.24], rows, where=" by topic", beside=["overall"])
    assert told.code == "SS202"
    assert told.detail.startswith(
        "3 numbers by topic rest on few effective clusters, the least on about 1.2;"
    )
    assert told.rows == ("a", "c", rows[4].name, "overall")
    assert few_df([5.0, 6.0], rows) == ()
    assert few_df([3.0])[0].detail.startswith(
        "1 number rests on few effective clusters, the least on about 3.0;"
    )


@pytest.mark.parametrize(("levels", "few"), [(19, True), (20, False)])
def test_fewer_than_twenty_clusters_are_few_where_resamples_tell_no_degrees_of_freedom(
    levels: int, few: bool
) -> None:
    story = factor(np.repeat(np.arange(levels), 2))
    found = cluster_cautions(design(story), [story], df=[None])
    assert codes_of(found) == ["SS202"] * few
    assert [one.detail for one in found] == [f"{levels} levels of 'story'"] * few
    assert cluster_cautions(design(story), [story], df=[9.0]) == ()
    assert codes_of(cluster_cautions(design(story), [story], df=[9.0, None])) == ["SS202"] * few


@pytest.mark.parametrize(("raters", "told"), [(19, False), (20, True)])
def test_of_two_factors_both_have_twenty_clusters_or_none_is_too_large(
    raters: int, told: bool
) -> None:
    story, rater = factor(np.arange(80) // 2), factor(np.arange(80) % raters, "rater")
    for factors in ([story, rater], [rater, story]):
        found = cluster_cautions(design(*factors), factors, df=[9.0], largest=0.5)
        assert codes_of(found) == ["SS211"] * told


def test_dependence_that_is_not_used_is_named_unless_it_lies_within_what_is() -> None:
    story, chapter = (
        factor(np.repeat(np.arange(20), 4)),
        factor(np.repeat(np.arange(40), 2), "chapter"),
    )
    judge, one = factor(np.tile(np.arange(4), 20), "judge"), factor(np.zeros(80, dtype=int), "site")
    whole = design(story, chapter, judge, one)
    (told,) = cluster_cautions(whole, [story], df=[9.0])
    assert (told.code, told.detail) == ("SS201", "'judge' declared, intervals use story")
    (told,) = cluster_cautions(whole, [chapter], df=[9.0])
    assert told.detail == "'story' and 'judge' declared, intervals use chapter"
    (told,) = cluster_cautions(whole, [], df=[9.0])
    assert told.detail == "'story', 'chapter' and 'judge' declared, intervals use single rows"
    assert is_nested_in(chapter, story)
    assert not is_nested_in(story, chapter)
    assert is_nested_in(story, one)


@pytest.mark.parametrize(
    ("largest", "effective", "levels", "told"),
    [
        (0.2, 20 / 3, 20, False),
        (0.21, 20 / 3, 20, True),
        (0.2, 6.6, 20, True),
        (0.21, 6.6, 19, False),
    ],
)
def test_one_of_twenty_clusters_that_holds_a_fifth_or_clusters_that_count_as_a_third(
    largest: float, effective: float, levels: int, told: bool
) -> None:
    story = factor(np.arange(levels))
    found = cluster_cautions(design(story), [story], df=[9.0], largest=largest, effective=effective)
    assert codes_of(found) == ["SS211"] * told
    for one in found:
        assert one.detail == (
            f"one cluster (story) holds {100 * largest:.1f}% of a number; 20 clusters count as about {effective:.1f} "
            "equal ones"
        )
    part = cluster_cautions(design(story), [story], df=[9.0], largest=0.21, among=19)
    assert part == ()  # the number rests on a part of them


def test_rare_answers_of_clusters_count_by_their_effective_number_and_unevenness() -> None:
    """24 clusters with df 11 are two to an effective one: fewer than 20 effective answers of the rarer kind are few."""
    story = factor(np.arange(24))
    facts = {"n_clusters": 24, "leverage": 0.1, "n": 240.0, "df": 11.0}
    rows = [
        row("rare", estimate=0.1, effective=199.0, **facts),
        row("enough", estimate=0.1, effective=200.0, **facts),
        row("common", estimate=0.95, effective=100.0, **facts),
        row("none", estimate=0.0, effective=100.0, **facts),
        row("no end", estimate=0.1, effective=10.0, **{**facts, "leverage": None}),
        row("scale", estimate=1.2, effective=99.0, limits=(1.0, 3.0), **facts),
    ]
    assert [unevenness(one) for one in rows[:2]] == [2.0, 2.0]
    (told,) = share_cautions(design(story), [story], rows)
    assert told.code == "SS212"
    assert told.detail.startswith("3 shares rest on few effective answers of the rarer kind")
    assert told.detail.endswith("the least on about 5.0")  # .05 of 100
    assert told.rows == ("rare", "common", "scale")
    assert rarer(rows[5]) == pytest.approx(9.9)
    even = [row("x", estimate=0.1, effective=n, **{**facts, "df": 23.0}) for n in (99.0, 100.0)]
    (told,) = share_cautions(design(story), [story], even)
    assert told.detail.startswith("1 share rests on")
    facts_of = cluster_facts(
        [*rows, row("y", leverage=0.3, df=4.5), row("z", leverage=0.9, conf_low=None)]
    )
    assert facts_of == {"effective_df": 4.5, "largest_leverage": 0.3}


def test_the_most_uneven_number_of_twenty_clusters_or_more_tells_how_many_they_count_as() -> None:
    story = factor(np.arange(30))
    rows = [
        row(
            "a", df=8.0, n_clusters=30, leverage=0.1, effective=1e4, n=9e9
        ),  # 30/9 to an effective one
        row("b", df=5.0, n_clusters=19, leverage=0.5, effective=1e4, n=9e9),  # fewer than twenty
        row("c", df=24.0, n_clusters=30, leverage=0.15, effective=1e4, n=9e9),
    ]
    (told,) = share_cautions(design(story), [story], rows)
    assert told.code == "SS211"
    assert (
        told.detail
        == "one cluster (story) holds 15.0% of a number; 30 clusters count as about 9.0 equal ones"
    )


@pytest.mark.parametrize(
    ("clusters", "n", "small"),
    [(19, 76.0, True), (19, 77.0, False), (20, 40.0, False), (0, 0.0, False), (1, 4.0, True)],
)
def test_small_clusters(clusters: int, n: float, small: bool) -> None:
    assert small_clusters(row(n_clusters=clusters, n=n)) == small
    assert small_clusters(row(n_clusters=clusters, n_units=int(n))) == small


def test_fewer_than_four_effective_answers_of_the_rarer_kind() -> None:
    def score(term: str, p: float, n: float, **more: Any) -> Row:
        return row(term, estimate=p, effective=n, interval="score", **more)

    rows = [
        score("few", 0.05, 79.0),
        score("enough", 0.05, 80.0),
        score("high", 0.99, 100.0),
        score("none", 0.0, 9.0),
        score("clusters", 0.05, 20.0, leverage=0.2),
        row("t", estimate=0.05, effective=20.0),
        score("scale", 4.8, 50.0, limits=(1.0, 5.0)),
    ]
    (told,) = rare_answers(rows)
    assert told.rows == ("few", "high", "scale")
    assert told.detail.startswith(
        "3 means rest on fewer than 4 effective answers of the rarer kind, the least on about"
    )
    assert told.detail.endswith("about 1.0")
    assert rare_answers(rows[1:2]) == ()
    assert rare_answers(rows[:1])[0].detail.startswith("1 mean rests on")


def test_numbers_of_people_near_an_end_and_their_differences() -> None:
    key = {"role": "estimate", "limits": (0.0, 1.0)}
    rows = [
        row("a", estimate=0.09, key=(("level", "yes"),), **key),
        row("b", estimate=0.1, key=(("level", "no"),), **key),
        row("gap", estimate=0.3, role="difference", key=(("level", "yes"), ("source", "m"))),
        row("other", estimate=0.3, role="difference", key=(("level", "no"), ("source", "m"))),
        row("free", estimate=0.01, role="estimate"),
        row("df", df=4.0, role="estimate"),
    ]
    found = drawn_cautions(rows, 10)
    assert codes_of(found) == ["SS202", "SS212"]
    assert found[0].rows == ("df",)
    assert found[1].rows == ("a", "gap")
    assert found[1].detail.startswith(
        "1 number of people is so near an end of the scale that fewer than one of 10 people"
    )
    assert codes_of(drawn_cautions(rows[1:5], 10)) == []
    both = drawn_cautions(rows[:2], 9)
    assert both[0].detail.startswith("2 numbers of people are so near")
    assert both[0].rows == ("a", "b")


@pytest.mark.parametrize(
    ("carriers", "units", "clusters", "told"),
    [
        ([9, 50], 60, None, 9),
        ([10, 50], 60, None, None),
        ([9, 50], 99, None, 9),
        ([9, 50], 100, None, None),
        ([19, 50], 200, 39, 19),
        ([20, 50], 200, 39, None),
        ([9, 50], 200, 40, None),
        ([0, 50], 60, None, None),
        ([1, 0, 50], 60, None, 1),
    ],
)
def test_levels_that_few_units_carry(
    carriers: list[int], units: int, clusters: int | None, told: int | None
) -> None:
    found = rare_level_cautions(np.array(carriers, dtype=float), units, clusters)
    verb = "1 unit" if told == 1 else f"{told} units"
    wanted = (
        []
        if told is None
        else [f"only {verb} of {units} {'carries' if told == 1 else 'carry'} some level"]
    )
    assert [one.detail for one in found] == wanted
    assert codes_of(found) == ["SS312"] * len(wanted)


def test_standard_deviations_of_fewer_than_100_values_and_of_long_tails() -> None:
    spread = [
        row(str(n), role="spread", n_units=n, effective=e)
        for n, e in ((150, 100.0), (150, 99.0), (100, 60.0), (200, 200.0))
    ]
    (told,) = spread_cautions(spread, "unit")
    assert told.code == "SS317"
    assert told.detail.startswith("the values behind 2 standard deviations of 4 have long tails")
    few = [*spread, row("few", role="spread", n_units=99, effective=10.0), row("mean", n_units=5)]
    one, other = spread_cautions(few, "unit")
    assert (one.code, other.code) == ("SS312", "SS317")
    assert one.detail == "99 units of a standard deviation are too few to show long tails"
    assert other.detail.startswith("the values behind 2 standard deviations of 5")
    assert spread_cautions(few[-1:], "unit") == ()


def test_coefficients_with_borrowed_variances_few_df_or_one_decisive_cluster() -> None:
    errors = cast(
        Any,
        SimpleNamespace(
            unit=np.array([0.005, 0.3, 0.02, 0.9]), refused=np.array([False] * 3 + [True])
        ),
    )
    terms = ["a", "b", "c", "d"]
    found = list(robust_cautions("story", terms, [4.9, 5.0, None, 2.0], errors, 0.5, fix="do"))
    assert codes_of(tuple(found)) == ["SS208", "SS202"]
    assert found[0].detail.startswith(
        "up to 30.0% of the variance of 2 coefficients (most: 'b') was not estimable"
    )
    assert found[0].rows == ("b", "c")
    assert found[1].detail.startswith(
        "'d' rests on about 2.0 effective clusters (2 coefficients on fewer than 5);"
    )
    assert found[1].rows == ("a", "d")
    calm = cast(Any, SimpleNamespace(unit=np.array([0.01]), refused=np.array([False])))
    (told,) = robust_cautions("story", ["a"], [9.0], calm, 0.51, fix="do")
    assert (told.code, told.detail) == (
        "SS210",
        "one cluster (story) has 51.0% of the leverage of a coefficient",
    )
    assert list(robust_cautions("story", ["a"], [9.0], calm, 0.5, fix="do")) == []
    assert [
        one.code for one in robust_cautions("story", terms, [9.0] * 4, errors, 0.9, fix="do")
    ] == ["SS208"]


def games(pairs: int, repeats: int = 2, **more: Any) -> Comparisons:
    """The first so many pairs of seven items, each compared so often."""
    every = [(f"i{a}", f"i{b}") for a in range(7) for b in range(a + 1, 7)][:pairs]
    rows = pd.DataFrame(
        [(a, b, a if k % 2 else b) for a, b in every for k in range(repeats)],
        columns=["item_a", "item_b", "winner"],
    )
    return Comparisons.from_frame(rows.assign(worker=np.arange(len(rows)) % 3), **more)


def test_pairs_are_clusters_where_five_more_of_them_repeat_than_strengths_are_estimated() -> None:
    assert settled_cluster(games(11), "auto", parameters=6) == "pair"
    assert settled_cluster(games(10), "auto", parameters=6) is None
    assert settled_cluster(games(11, repeats=1), "auto", parameters=6) is None  # none repeats
    assert settled_cluster(games(10), "auto") == "pair"
    assert settled_cluster(games(10, cluster="worker"), "auto", parameters=6) == "declared"
    assert settled_cluster(games(10), None) is None
    assert few_pairs(games(11), 6) == ()
    assert few_pairs(games(10, repeats=1), 6) == ()
    (told,) = few_pairs(games(10), 6)
    assert told.detail.startswith(
        "10 pairs for 6 differences of strengths hardly separate effects of pairs"
    )
    assert told.fix.startswith("compare more pairs of items")
    assert few_pairs(games(21), 20)[0].fix.startswith("name what rows depend on")  # all 21 met
    assert few_pairs(games(20), 20)[0].fix.startswith("compare more pairs")


def test_words_and_shares_of_clusters() -> None:
    story, judge = factor([0, 0, 1, 2, 2, 2]), factor([0, 1, 0, 1, 0, 1], "judge")
    weight = np.array([2.0, 1.0, 4.0, 1.0, 1.0, 1.0])
    assert largest_share(weight, [story]) == 0.4
    assert largest_share(weight, [story, judge]) == 0.7  # 2 + 4 + 1 of 10
    assert largest_share(weight, []) == 0.0
    assert cluster_text([story, judge]) == "clusters: 3 of story x 2 of judge"
    assert cluster_text([factor([0, 1], "pair")]) == "clusters: 2 pairs of items"
    assert cluster_text([factor([0, 1], "pair")], "units") == "clusters: 2 of pair"
    assert cluster_text([], "units") == "units taken as independent"
    assert too_few_to_resample([story, factor([0, 1, 2, 3, 4, 5])]).startswith(
        "3 clusters: too few to resample"
    )
    assert too_few_to_resample([factor([0, 1, 2, 3])]) == ""
    assert too_few_to_resample([]) == ""
    three = design(story, judge, factor([0, 1, 2, 3, 4, 5], "word"))
    with pytest.raises(InputError, match="at most two crossed cluster factors"):
        cluster_factors(three, "declared")
