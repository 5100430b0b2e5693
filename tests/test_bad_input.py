"""The contract for bad input: one case for every row of the design notes' table, by its words.

Each case is a call and what it must give: an error that names the place and the cure, or the documented special
value with its reason. Nothing here may become 0, p = 0, NaN or a number that was never measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.errors import InputError, NothingToAnalyse, SocialStatsError, UndefinedStatistic
from socialstats.paired.noncentral_t import noncentrality_interval
from socialstats.resampling import PlanUnits, bootstrap_sums, choose

AB = ["a", "b"]
AGREEMENT = (ss.weighted_kappa, ss.krippendorff_alpha, ss.fleiss_kappa, ss.gwet_ac)


def two_raters(table, levels=AB, scale="nominal"):
    return ss.Ratings.from_table(table, levels=levels, scale=scale)


def pairs(first, second, **options):
    return ss.Paired.from_wide({"x": first, "y": second}, first="x", second="y", **options)


def long(*rows, **options):
    frame = pd.DataFrame(rows, columns=["unit", "rater", "value"])
    return ss.Ratings.from_frame(frame, **options)


@dataclass(frozen=True)
class Raises:
    """An error of a type whose message says all of this."""

    type: type[Exception]
    says: tuple[str, ...]

    def check(self, call):
        with pytest.raises(self.type) as caught:
            call()
        for words in self.says:
            assert words in str(caught.value), str(caught.value)


@dataclass(frozen=True)
class Gives:
    """A result whose row `term` has these fields; ``undefined`` and ``caution`` are looked for as words."""

    term: str
    fields: dict[str, Any]
    undefined: str = ""
    caution: str = ""
    group: str | None = None

    def check(self, call):
        result = call()
        row = result.row(self.term, group=self.group)
        for name, value in self.fields.items():
            got = getattr(row, name)
            assert got == (value if value is None else pytest.approx(value, rel=1e-9, abs=1e-12)), (
                name,
                got,
            )
        if self.undefined:
            assert self.undefined in (row.undefined or ""), row
        if self.caution:
            assert self.caution in [c.code for c in result.cautions], result.cautions
        assert "nan" not in result.sentence().lower()


def case(name, call, *wanted):
    return pytest.param(call, wanted, id=name)


def of_each(function_name, call, wanted):
    return [
        case(f"{function_name}: {f.__name__}", lambda f=f: call(f), wanted[f.__name__])
        for f in AGREEMENT
    ]


CONSTANT_SAME = two_raters([[5, 0], [0, 0]])
ONE_CONSTANT = two_raters([[5, 0], [3, 0]])
PERFECT = two_raters([[4, 0], [0, 3]])
NO_VARIATION = {
    "fields": {"estimate": None, "conf_low": None, "p_value": None},
    "undefined": "no variation",
}
TERMS = {
    "weighted_kappa": "rater 1 | rater 2",
    "krippendorff_alpha": "alpha",
    "fleiss_kappa": "kappa",
    "gwet_ac": "AC1",
}
NO_WIDTH = {
    "estimate": 1.0,
    "std_error": None,
    "conf_low": None,
    "conf_high": None,
    "p_value": None,
}

CASES = [
    # both raters constant, same value
    *of_each(
        "both raters constant",
        lambda f: f(CONSTANT_SAME),
        {
            **{name: Gives(TERMS[name], **NO_VARIATION) for name in TERMS if name != "gwet_ac"},
            "gwet_ac": Gives(
                "AC1", {"estimate": 1.0, "std_error": None, "conf_high": 1.0, "p_value": None}
            ),
        },
    ),
    *[
        case(
            f"both raters constant, raise: {f.__name__}",
            lambda f=f: f(CONSTANT_SAME, on_undefined="raise"),
            Raises(UndefinedStatistic, ("no variation",)),
        )
        for f in AGREEMENT[:3]
    ],
    *[
        case(
            f"both raters constant, declared value: {f.__name__}",
            lambda f=f: f(CONSTANT_SAME, on_undefined=1.0),
            Gives(TERMS[f.__name__], NO_WIDTH, undefined="on_undefined"),
        )
        for f in AGREEMENT[:3]
    ],
    case(
        "percent agreement of constant raters exists",
        lambda: ss.percent_agreement(CONSTANT_SAME),
        Gives("rater 1 | rater 2", {"estimate": 1.0, "n_units": 5}),
    ),
    # one rater constant
    case(
        "one rater constant",
        lambda: ss.weighted_kappa(ONE_CONSTANT),
        Gives(
            "rater 1 | rater 2",
            {"estimate": 0.0, "conf_low": None, "std_error": None, "p_value": None},
            undefined="",
            caution="SS313",
        ),
    ),
    # perfect agreement
    *of_each(
        "perfect agreement",
        lambda f: f(PERFECT),
        {
            name: Gives(term, {"estimate": 1.0, "conf_high": 1.0, "std_error": None})
            for name, term in TERMS.items()
        },
    ),
    # zero discordant
    case(
        "zero discordant: p",
        lambda: ss.mcnemar(ss.Paired.from_cells(a=5, b=0, c=0, d=4)),
        Gives("difference", {"estimate": 0.0, "p_value": 1.0}, caution="SS314"),
    ),
    case(
        "zero discordant: statistic",
        lambda: ss.mcnemar(ss.Paired.from_cells(a=5, b=0, c=0, d=4)),
        Gives("asymptotic", {"statistic": None, "p_value": None}, undefined="0/0", group="test"),
    ),
    case(
        "zero discordant: odds ratio",
        lambda: ss.mcnemar(ss.Paired.from_cells(a=5, b=0, c=0, d=4)),
        Gives("odds_ratio", {"estimate": None, "conf_low": None}, undefined="∞"),
    ),
    # b = c with continuity correction
    case(
        "b equal to c",
        lambda: ss.mcnemar(ss.Paired.from_cells(a=5, b=2, c=2, d=4)),
        Gives("continuity", {"statistic": 0.0, "p_value": 1.0}, group="test"),
    ),
    # negative, NaN, fractional, infinite counts
    *[
        case(
            f"count {bad}",
            lambda bad=bad: ss.Paired.from_cells(a=5, b=bad, c=2, d=4),
            Raises(InputError, ("b", str(bad))),
        )
        for bad in (-1, float("nan"), 2.5, float("inf"))
    ],
    *[
        case(
            f"count {bad} in a table",
            lambda bad=bad: two_raters([[5, bad], [2, 4]]),
            Raises(InputError, (str(bad).removesuffix(".0"),)),
        )
        for bad in (-1, float("nan"), 2.5, float("inf"))
    ],
    # two raw vectors of length 2 taken for a table
    case(
        "two vectors are no table",
        lambda: ss.Paired.from_table(([1, 0], [1, 1, 0])),
        Raises(InputError, ("square",)),
    ),
    case(
        "one vector is no table",
        lambda: ss.Paired.from_table([1, 0, 1, 1]),
        Raises(InputError, ("square",)),
    ),
    # n = 0, n = 1
    case("no pair", lambda: pairs([], []), Raises(NothingToAnalyse, ("no rows",))),
    case(
        "one pair: mean",
        lambda: ss.paired_difference(pairs([1.5], [2.0])),
        Raises(SocialStatsError, ("2 pairs",)),
    ),
    case(
        "one pair: effect size",
        lambda: ss.effect_sizes(pairs([1.5], [2.0])),
        Raises(SocialStatsError, ("2 pairs",)),
    ),
    # unequal lengths
    case("unequal lengths", lambda: pairs([1, 2, 3], [1, 2]), Raises(InputError, ("length",))),
    # no variation of the differences
    case(
        "differences all equal",
        lambda: ss.paired_difference(pairs([1.0, 2.0, 3.0], [0.0, 1.0, 2.0])),
        Gives(
            "difference",
            {"estimate": 1.0, "statistic": None, "p_value": None, "conf_low": None},
            undefined="equal 1",
        ),
    ),
    case(
        "differences equal but for rounding",
        lambda: ss.effect_sizes(pairs([0.1, 0.7, 1.1], [1.1, 1.7, 2.1])),
        Gives("d_z", {"estimate": None, "conf_low": None}, undefined="differences"),
    ),
    # NaN in pairs
    case(
        "NaN in a pair",
        lambda: pairs([1.0, np.nan, 3.0], [0.0, 1.0, 5.0]),
        Raises(InputError, ("missing", "row 1")),
    ),
    case(
        "NaN in a pair, dropped",
        lambda: ss.paired_difference(
            pairs([1.0, np.nan, 3.0, 4.0], [0.0, 1.0, 5.0, 1.0], missing="drop", unmatched="drop")
        ),
        Gives("difference", {"estimate": 2 / 3, "n": 3}, caution="SS301"),
    ),
    # small integers that wrap
    *[
        case(
            f"{kind.__name__} does not wrap",
            lambda kind=kind: ss.paired_difference(
                pairs(np.array([1, 2, 3], dtype=kind), np.array([2, 4, 9], dtype=kind))
            ),
            Gives("difference", {"estimate": -3.0}),
        )
        for kind in (np.int8, np.uint8, np.int16, np.uint64)
    ],
    case(
        "bool",
        lambda: ss.mcnemar(pairs(np.array([True, False, True]), np.array([False, False, False]))),
        Gives("difference", {"estimate": 2 / 3}),
    ),
    # texts without an order
    case(
        "texts without an order",
        lambda: long(("u", "x", "low"), ("u", "y", "high"), ("v", "y", "so")),
        Raises(InputError, ("levels=", "'high'", "'low'", "scale='nominal'")),
    ),
    case(
        "a value outside the levels",
        lambda: long(("u", "x", "low"), ("u", "y", "hi"), levels=["low", "high"]),
        Raises(InputError, ("'hi'", "row 1", "column 'value'")),
    ),
    # one rater, no unit rated twice, nothing
    *[
        case(
            f"one rater: {f.__name__}",
            lambda f=f: f(long(("u", "x", 1), ("v", "x", 2), scale="ordinal")),
            Raises(SocialStatsError, ("rater",)),
        )
        for f in AGREEMENT
    ],
    *[
        case(
            f"no unit rated twice: {f.__name__}",
            lambda f=f: f(long(("u", "x", 1), ("v", "y", 2), scale="ordinal")),
            Raises(SocialStatsError, ("unit",)),
        )
        for f in AGREEMENT
    ],
    case(
        "no rating",
        lambda: ss.Ratings.from_frame({"unit": [], "rater": [], "value": []}),
        Raises(NothingToAnalyse, ("no rows",)),
    ),
    # duplicate rating
    case(
        "a rating given twice",
        lambda: long(("u", "x", 1), ("u", "y", 2), ("u", "x", 2)),
        Raises(InputError, ("'u'", "'x'", "rows 0, 2")),
    ),
    # p-values
    *[
        case(
            f"p = {p}",
            lambda p=p: ss.adjust([0.01, p], family="two tests"),
            Raises(InputError, (str(p), "between 0 and 1")),
        )
        for p in (1.5, -0.1)
    ],
]


@pytest.mark.parametrize(("call", "wanted"), CASES)
def test_bad_input_gives_what_the_contract_says(call, wanted):
    for one in wanted:
        one.check(call)


def test_categories_keep_their_order_and_unused_levels():
    order = pd.CategoricalDtype(["low", "medium", "high"], ordered=True)
    frame = pd.DataFrame(
        {
            "unit": [1, 1, 2, 2, 3, 3],
            "rater": list("xyxyxy"),
            "value": pd.Series(["low", "low", "high", "high", "low", "high"], dtype=order),
        }
    )
    design = ss.Ratings.from_frame(frame)
    assert design.levels == ("low", "medium", "high")
    assert design.scale == "ordinal"


def test_more_raters_than_units_is_remarked():
    frame = pd.DataFrame(
        [(u, r, (u + r) % 3) for u in range(2) for r in range(5)],
        columns=["unit", "rater", "value"],
    )
    assert "SS309" in [c.code for c in ss.Ratings.from_frame(frame, scale="ordinal").cautions]


def test_missing_p_values_are_not_counted_in_the_family():
    rows = ss.adjust([0.01, None, 0.03], family="three tests", method="holm").rows
    assert [row.p_adjusted for row in rows] == [pytest.approx(0.02), None, pytest.approx(0.03)]
    assert rows[1].undefined


def test_resamples_without_an_estimate_are_counted_and_left_out():
    """Half the resamples of two clusters hold one of them twice: no variation, no estimate."""
    table = np.array([[1.0, 1.0], [0.0, 1.0], [1.0, 1.0], [0.0, 1.0]])

    def finish(sums):
        share = sums[:, :1] / sums[:, 1:]
        return np.where((share > 0) & (share < 1), share, np.nan)

    boot = bootstrap_sums(
        table, finish, PlanUnits.clusters(np.array([0, 1, 0, 1])), resamples=800, seed=3
    )
    assert 300 < boot.n_degenerate[0] < 500
    caution = boot.caution()
    assert caution is not None
    assert caution.code == "SS204"
    interval = choose("percentile", boot)
    assert np.isnan(
        interval.low[0]
    )  # what is left holds each cluster once: these resamples are alike
    assert "resamples are alike" in interval.undefined[0]


@pytest.mark.parametrize(("t", "df"), [(-4.18490813529003, 16), (12.0, 5), (-30.0, 40), (0.0, 3)])
def test_noncentral_t_has_no_hole_where_the_distribution_function_has(t, df):
    """scipy gives nan for opposite signs far apart; the ends must exist and swap with the sign of t."""
    low, high = noncentrality_interval(t, df, level=0.95)
    assert low < t < high
    mirrored = noncentrality_interval(-t, df, level=0.95)
    assert mirrored == pytest.approx((-high, -low), rel=1e-9, abs=1e-9)
