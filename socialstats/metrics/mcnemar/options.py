"""What a caller may choose, and what each choice is called."""

from __future__ import annotations

from typing import Literal, get_args

from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.errors import DesignError, InputError
from socialstats.inference.intervals import checked_level
from socialstats.text import quoted

TestName = Literal[
    "auto", "mid_p", "exact", "asymptotic", "continuity", "robust_t", "score", "cluster_means_t", "sign_flip",
    "obuchowski", "durkalski", "yang", "eliasziw",
]  # fmt: skip
OddsRatioInterval = Literal["exact", "wilson", "wald"]
DifferenceInterval = Literal["tango", "newcombe", "bonett_price", "agresti_min", "wald"]

PAIR_TESTS = {
    "mid_p": "McNemar's mid-p test",
    "exact": "exact McNemar test",
    "asymptotic": "McNemar's chi-square test",
    "continuity": "McNemar's chi-square test, continuity-corrected",
}
CLUSTER_TESTS = {
    "robust_t": "cluster-robust t test",
    "score": "cluster-robust score test",
    "cluster_means_t": "t test of cluster means",
    "sign_flip": "exact sign-flip test of clusters",
    "obuchowski": "Obuchowski's test",
    "durkalski": "Durkalski's test",
    "yang": "Yang's test",
    "eliasziw": "Eliasziw and Donner's test",
}
TEST_NAMES = PAIR_TESTS | CLUSTER_TESTS
ODDS_RATIO_NAMES = {"exact": "exact interval", "wilson": "Wilson's interval", "wald": "Wald's interval"}


def check_options(test: str, odds_ratio_ci: str, difference_ci: str, level: float) -> None:
    """Raise InputError for an option that is not one of those allowed."""
    for name, value, allowed in (
        ("test", test, get_args(TestName)),
        ("odds_ratio_ci", odds_ratio_ci, get_args(OddsRatioInterval)),
        ("difference_ci", difference_ci, get_args(DifferenceInterval)),
    ):
        if value not in allowed:
            raise InputError(f"{name}={value!r} is not one of {', '.join(allowed)}")
    checked_level(level)


def chosen_test(test: str, factors: tuple[Factor, ...]) -> str:
    """Return the test that leads: mid-p for independent pairs; "auto" where clusters are to decide.

    Raises
    ------
    InputError
        If the test takes pairs as independent and clusters are used, or needs clusters that are not there.
    """
    if test == "auto":
        return "auto" if factors else "mid_p"
    names = quoted([f.name for f in factors])
    if test in PAIR_TESTS and factors:
        raise InputError(f"test='{test}' takes pairs as independent, but clusters {names} are used; cluster=None "
                         "ignores them, test='auto' takes the cluster-robust test")  # fmt: skip
    if test in CLUSTER_TESTS and not factors:
        raise InputError(f"test='{test}' needs clusters; declare a column with cluster= when making the design")
    if test not in ("robust_t", "score") and len(factors) == 2:
        raise InputError(f"test='{test}' takes one cluster factor, got {names}; test='robust_t' takes two crossed ones")
    return test


def check_binary(design: Paired) -> None:
    """Raise DesignError for values that are not of two levels, naming the metric that takes them."""
    if design.scale == "binary":
        return
    other = "symmetry() takes k levels" if design.scale == "nominal" else "paired_difference() takes numbers"
    if design.scale == "nominal" and len(design.levels) == 2:
        other = "say which of the two counts as one: levels=(zero, one) when making the design"
    raise DesignError(
        f"{design.source}: McNemar's test takes values of two levels, these are {design.scale}"
        f"{f' with {len(design.levels)} levels' if design.levels else ''}; {other}"
    )
