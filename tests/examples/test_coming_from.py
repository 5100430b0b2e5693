"""What users of R, scipy, statsmodels and pingouin type, and what is typed here: run, and compared with each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.errors import InputError
from tests.examples.coming_from import JOBS, OPTIONAL, Job, installed, names, others, page
from tests.golden_data import golden

KEPT, R = golden("coming_from_python"), golden("coming_from_r")
DATA = names()
KEPT_DIGITS = 1e-7  # optimisers stop where they stop


def kept(job: Job, package: str, code: str) -> dict[str, float]:
    """Return the values of a call as they are committed."""
    (found,) = [
        one["values"] for one in KEPT[job.key] if (one["package"], one["call"]) == (package, code)
    ]
    return dict(found)


def test_the_page_has_every_job_with_its_committed_values() -> None:
    text = page(KEPT, R)
    assert all(f"\n## {job.title[:1].upper()}{job.title[1:]}\n" in text for job in JOBS)
    assert [*KEPT] == [job.key for job in JOBS]
    assert {*R["jobs"]} <= {*KEPT}
    assert len(JOBS) >= 25


@pytest.mark.parametrize("name", R["data"])
def test_data_of_r_are_those_of_python(name: str) -> None:
    ours, theirs = np.asarray(DATA[name]), np.asarray(R["data"][name])
    assert (
        (ours == theirs).all()
        if ours.dtype.kind == "U"
        else ours == pytest.approx(theirs, abs=1e-12)
    )


THEIRS = [(job, one) for job in JOBS for one in job.theirs]


@pytest.mark.parametrize(
    ("job", "call"), THEIRS, ids=[f"{job.key}-{one.package}" for job, one in THEIRS]
)
def test_their_calls_give_what_the_page_says(job: Job, call: Any) -> None:
    values = kept(job, call.package, call.code)
    assert values.keys() == call.told.keys()
    if not installed(call.package):
        assert call.package in OPTIONAL
        pytest.skip(f"{call.package} is not installed")
    assert call.values(DATA) == pytest.approx(values, rel=KEPT_DIGITS, abs=KEPT_DIGITS)


@pytest.mark.parametrize("job", [job for job in JOBS if job.ours], ids=lambda job: job.key)
def test_our_calls_agree_with_theirs(job: Job) -> None:
    """Values of one label agree, but for those of which the page says that they differ: these do."""
    assert job.ours is not None
    ours = job.ours.values(DATA)
    assert ours == pytest.approx(kept(job, "socialstats", job.ours.code), rel=1e-9)
    compared, apart = 0, set[str]()
    for package, values in others(job, KEPT, R):
        for label in values.keys() & ours.keys():
            near = values[label] == pytest.approx(ours[label], rel=job.near, abs=job.near)
            compared += near
            apart |= set() if near else {f"{package} {label}"}
    assert apart == {*job.apart}
    assert compared or job.key == "icc"
    assert not apart or job.note


X, Y, THREE = (
    DATA["before"],
    DATA["after"],
    np.column_stack([DATA["ann"], DATA["bob"], DATA["cid"]]),
)
FIRST_TYPED: dict[str, tuple[Any, str]] = {
    "exact": (
        lambda: ss.mcnemar(DATA["x"], exact=True),
        "mcnemar() has no option exact=. Say test='exact'",
    ),
    "correct": (lambda: ss.mcnemar(DATA["x"], correct=False), "Say test='asymptotic'"),
    "level_of_measurement": (
        lambda: ss.krippendorff_alpha(*THREE.T, level_of_measurement="ordinal"),
        "Say scale='ordinal'",
    ),
    "confidence_level": (
        lambda: ss.paired_difference(X, Y, confidence_level=0.9),
        "Say level=0.9",
    ),
    "labels": (
        lambda: ss.weighted_kappa(*THREE.T[:2], labels=[1, 2, 3, 4]),
        "Say levels=[1, 2, 3, 4]",
    ),
    "bound": (
        lambda: ss.equivalence({"x": X, "y": Y}, first="x", second="y", bound=1),
        "Say margin=1",
    ),
    "array of raters": (
        lambda: ss.fleiss_kappa(THREE),
        "an array of 15 x 3 does not say who rated. "
        "A row for each rater: fleiss_kappa(data, raters_in='rows')",
    ),
    "list of raters": (
        lambda: ss.krippendorff_alpha(THREE.T.tolist()),
        "an array of 3 x 15 does not say who rated",
    ),
    "array of counts": (
        lambda: ss.two_proportions([[30, 70], [45, 55]]),
        "(count=[30, 45], nobs=[100, 100])",
    ),
    "numbers as labels": (
        lambda: ss.symmetry(DATA["ann"], DATA["bob"]),
        "Say scale='nominal' where they are labels",
    ),
}


@pytest.mark.parametrize("name", FIRST_TYPED)
def test_what_is_typed_first_and_is_no_call_of_ours_is_told_which_is(name: str) -> None:
    call, said = FIRST_TYPED[name]
    with pytest.raises(InputError) as caught:
        call()
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("theirs", "ours"), [("squared", "quadratic"), ("fc", "quadratic"), ("Equal-Spacing", "linear")]
)
def test_weights_have_the_names_of_other_packages(theirs: str, ours: str) -> None:
    found, wanted = (ss.weighted_kappa(*THREE.T[:2], weights=name) for name in (theirs, ours))
    assert found.rows == wanted.rows
    assert found.settings == wanted.settings
    assert found.verify().ok


def test_couples_are_predicted() -> None:
    fit = ss.bradley_terry(
        [("a", "b"), ("b", "a"), ("a", "c"), ("c", "b"), ("b", "c"), ("c", "a"), ("a", "b")]
    )
    wanted = fit.predict({"item_a": ["a", "c"], "item_b": ["b", "a"]})
    for couples in ([("a", "b"), ("c", "a")], np.array([["a", "b"], ["c", "a"]])):
        assert fit.predict(couples).rows == wanted.rows


def test_a_crosstab_of_groups_by_answers_is_counts() -> None:
    counts = pd.crosstab(
        pd.Series(["new"] * 100 + ["old"] * 100, name="arm"),
        pd.Series([1] * 30 + [0] * 70 + [1] * 45 + [0] * 55, name="passed"),
    )
    ours, wanted = (
        ss.two_proportions(counts),
        ss.two_proportions([1] * 30 + [0] * 70, [1] * 45 + [0] * 55),
    )
    for field in ("estimate", "conf_low", "conf_high", "p_value"):
        assert getattr(ours.rows[0], field) == getattr(wanted.rows[0], field)
    turned = ss.two_proportions(counts, groups=["old", "new"]).rows[0]
    assert (turned.term, turned.estimate) == ("difference", -wanted.rows[0].estimate)
    named = counts.rename(columns={0: "no", 1: "yes"})
    with pytest.raises(InputError, match="levels"):
        ss.two_proportions(named.rename(columns={"no": "blue", "yes": "red"}))
    assert ss.two_proportions(named, levels=["yes", "no"]).rows[0].estimate == pytest.approx(0.15)


def test_an_option_that_is_called_as_the_table_is_told() -> None:
    with pytest.raises(
        TypeError, match=r"paired is what stands first in the call\. Leave paired= out"
    ):
        ss.effect_sizes(X, Y, paired=True)


def test_arrays_of_raters_are_read_both_ways() -> None:
    wanted = ss.fleiss_kappa(*THREE.T).row("kappa").estimate
    assert ss.fleiss_kappa(THREE, raters_in="columns").row("kappa").estimate == wanted
    assert ss.fleiss_kappa(THREE.T, raters_in="rows").row("kappa").estimate == wanted
