"""SPRITE, its bounds and the maps: against brute force, R's rsprite2, and samples that are known to exist."""

from __future__ import annotations

import itertools
import json
import math
import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

import socialstats as ss
from socialstats.audit.checks.whole_samples import (
    all_samples,
    mean_and_skew,
    range_of,
    some_samples,
)
from socialstats.audit.numbers import printed
from socialstats.cli import main
from socialstats.errors import InputError
from tests.figures.drawn_marks import is_filled
from tests.golden_data import GOLDEN

CASES = json.loads((GOLDEN / "sprite.json").read_text())


def brute(
    mean: str, sd: str, n: int, low: int, high: int, items: int, ddof: int
) -> set[tuple[int, ...]]:
    """Return the counts of every multiset of scores whose mean and sd are printed so, in exact fractions."""
    middle, spread = printed(mean), printed(sd)
    found = set()
    for scores in itertools.combinations_with_replacement(range(low * items, high * items + 1), n):
        center = Fraction(sum(scores), n * items)
        variance = sum((Fraction(y, items) - center) ** 2 for y in scores) / (n - ddof)
        if (
            middle.holds(center)
            and max(spread.bounds[0], Fraction(0)) ** 2 <= variance <= spread.bounds[1] ** 2
        ):
            counted = Counter(scores)
            found.add(tuple(counted[y] for y in range(low * items, high * items + 1)))
    return found


def test_every_sample_and_no_other_as_brute_force_finds_them() -> None:
    draw, impossible = random.Random(17), 0
    for _ in range(80):
        n, low, width = draw.randint(2, 7), draw.choice([0, 1, -2]), draw.randint(1, 5)
        items, ddof, decimals = draw.choice([1, 1, 2]), draw.choice([0, 1]), draw.choice([1, 2])
        mean, sd = draw.uniform(low, low + width), draw.uniform(0, width / 1.5)
        if draw.random() < 0.6:
            y = [draw.randint(low * items, (low + width) * items) / items for _ in range(n)]
            mean = sum(y) / n
            sd = math.sqrt(sum((v - mean) ** 2 for v in y) / (n - ddof))
        texts = f"{mean:.{decimals}f}", f"{sd:.{decimals}f}"
        wanted = brute(*texts, n, low, low + width, items, ddof)
        found = ss.audit.sprite(*texts, n, low=low, high=low + width, items=items, ddof=ddof)
        assert found.complete
        assert set(found.samples) == wanted, texts
        assert (found.finding.verdict == "disagree") == (not wanted)
        impossible += not wanted
    assert 10 < impossible < 70


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['mean']} {case['sd']} {case['n']}")
def test_samples_of_rsprite2_are_among_ours(case: dict[str, object]) -> None:
    given = {key: case[key] for key in ("low", "high", "items")}
    found = ss.audit.sprite(case["mean"], case["sd"], case["n"], **given)
    assert found.complete
    assert {tuple(counts) for counts in case["samples"]} <= set(found.samples)


def test_integer_programs_give_the_bounds_of_complete_search() -> None:
    for n, low, high, squares in (
        (20, 1, 5, {44: (123, 130)}),
        (18, 1, 7, {62: (250, 252)}),
        (9, -3, 3, {0: (20, 30), 1: (20, 30)}),
    ):
        every = all_samples(n, low, high, squares, most=10**5, steps=10**6)
        for end in (0, -1):
            weights = np.eye(high - low + 1)[end]
            wanted = (min(s[end] for s in every), max(s[end] for s in every))
            assert range_of(n, low, high, squares, weights) == wanted


def test_equal_numbers_are_one_sample_whose_bounds_meet() -> None:
    assert range_of(10, 1, 5, {30: (90, 90)}, np.arange(1.0, 6.0)) == (30, 30)
    with pytest.raises(InputError, match="no whole numbers"):
        range_of(10, 1, 5, {30: (91, 91)}, np.arange(1.0, 6.0))


def test_walks_find_different_samples_with_the_printed_numbers_and_the_seed_repeats_them() -> None:
    found = ss.audit.sprite("4.30", "1.50", 100, low=1, high=7, samples=25, seed=3)
    assert not found.complete
    assert len(set(found.samples)) == len(found.samples) == 25
    for sample in found.samples:
        scores = np.repeat(np.arange(1, 8), sample)
        assert f"{scores.mean():.2f}" == "4.30"
        assert f"{scores.std(ddof=1):.2f}" == "1.50"
    again = ss.audit.sprite("4.30", "1.50", 100, low=1, high=7, samples=25, seed=3)
    assert again.samples == found.samples
    for some, every in ((found.lowest, found.exact_lowest), (found.highest, found.exact_highest)):
        assert some is not None
        assert every is not None
        assert every[0] <= some[0] <= some[1] <= every[1]
    assert "there may be more" in found.message
    assert "over the samples found" in found.message


def test_a_walk_needs_no_luck_for_large_samples() -> None:
    assert len(some_samples(3600, 1, 5, {15624: (70160, 70170)}, wanted=5, seed=1, tries=5)) == 5


def test_moments_of_a_sample() -> None:
    mean, skew = mean_and_skew((2, 1, 0, 1), 1)  # 1, 1, 2, 4
    assert mean == 2
    assert skew == pytest.approx(
        1.5 / 1.5**1.5
    )  # mean cube (-1 - 1 + 0 + 8)/4, mean square (1 + 1 + 0 + 4)/4
    assert math.isnan(mean_and_skew((0, 3), 1)[1])


def test_impossible_numbers_and_bad_input() -> None:
    found = ss.audit.sprite("3.44", "2.47", 18, low=1, high=7)
    assert not found.samples
    assert found.finding.verdict == "disagree"
    assert "sources disagree" in found.message
    assert found.plot().texts[0].get_text() == "no sample has this mean and standard deviation"
    for wrong in ({"low": 5, "high": 1}, {"low": 1, "high": 900}, {"low": 1, "high": 5, "ddof": 2}):
        with pytest.raises(InputError):
            ss.audit.sprite("3.0", "1.0", 10, **wrong)


def test_equal_scores_have_no_skew() -> None:
    found = ss.audit.sprite("3.00", "0.00", 10, low=1, high=5)
    assert found.samples == ((0, 0, 10, 0, 0),)
    assert found.skew is None
    assert "skew is undefined" in found.message


def test_maps_mark_the_printed_values_and_say_so() -> None:
    ax = ss.audit.grim_map(range(10, 12), decimals=1, values=[("5.2", 10), ("5.5", 11)])
    assert all(is_filled(ax, k / 10, n) for k in range(10) for n in (10, 11))
    assert not is_filled(ax, 1.1, 10)
    # tenths: every one of 10; of 11 each of k/11 rounded: 0 .1 .2 .3 .4 (5/11 = .45) .5 .6 .7 .8 .9, all as well
    assert ax.get_label().endswith(
        "20 of 20 cells are possible (100%). Marked as possible: 5.2 and 5.5."
    )
    ax = ss.audit.grim_map(range(40, 41), values=[("5.19", 40)])
    wanted = {math.floor(100 * k / 40 + 0.5) % 100 for k in range(40)} | {
        math.ceil(100 * k / 40 - 0.5) for k in range(40)
    }
    assert {k for k in range(100) if is_filled(ax, k / 100, 40)} == wanted
    assert "Marked as impossible: 5.19." in ax.get_label()
    ax = ss.audit.grimmer_map("3.44", "2.47", 18, around=3)
    for k in range(-3, 4):
        for i in range(-3, 4):
            pair = f"{3.44 + i / 100:.2f}", f"{2.47 + k / 100:.2f}"
            filled = is_filled(ax, 3.44 + i / 100, 2.47 + k / 100)
            assert filled == (ss.audit.grimmer(*pair, 18).verdict != "disagree")
    with pytest.raises(InputError):
        ss.audit.grim_map(range(1, 5), decimals=3)


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "--reconstruct", "2.2", "1.3", "20", "1", "5"]) == 0
    assert capsys.readouterr().out.startswith(
        "All 71 samples with this mean and standard deviation were found."
    )
    assert main(["audit", "--reconstruct", "2.2", "1.3", "20", "1", "5", "--format", "json"]) == 0
    held = json.loads(capsys.readouterr().out)
    assert (len(held["samples"]), held["complete"], held["exact_lowest"]) == (71, True, [0.2, 0.55])
    assert (
        main(["audit", "--reconstruct", "3.44", "2.47", "18", "1", "7", "--fail-on", "disagree"])
        == 1
    )
    assert main(["audit", "t.csv", "--reconstruct", "3.44", "2.47", "18", "1", "7"]) == 2
    assert main(["audit", "--reconstruct", "x", "2.47", "18", "1", "7"]) == 2
