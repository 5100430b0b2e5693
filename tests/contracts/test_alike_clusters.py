"""Clusters that are alike say nothing about their spread: no standard error, interval or test, whatever the rounding.

The tables are those of replies at temperature 0 whose replicates were declared as clusters. The same numbers come from
other orders of the rows and other names of units and clusters. Copies of different clusters are more clusters.
"""

from __future__ import annotations

import inspect
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.errors import SocialStatsError
from socialstats.metrics import METRICS
from socialstats.results import Result, ResultGroup, Row
from tests.contracts.subjects import Subject, run, subject_of

FEWER = {"resamples": 99, "flips": 99, "permutations": 99, "splits": 99}
UNITS_ALONE = {"people": "fixed"}  # people who are a sample differ, where units do not
NUMBERS = ("estimate", "std_error", "conf_low", "conf_high", "statistic", "df", "p_value")
PAIRED_WIDTH = 1e-9  # of an interval, relative: a narrower one is rounding
BY_PEOPLE = {"ada_met"}  # its errors are those of people too, who differ
APART = "ignoring clusters"
ORDERS: tuple[dict[str, Any], ...] = (
    {},
    {"seed": 3},
    {"name": "z{:02d}", "seed": 5, "turned": True},
)
EACH = (
    "comparisons",
    "labels",
    "paired",
)  # kinds whose clusters hold all rows; of others some units are enough
each_metric = pytest.mark.parametrize("metric", METRICS)


def clustered(subject: Subject, rows: pd.DataFrame, k: int, tag: str) -> pd.DataFrame:
    """One more copy of rows whose units and clusters have other names."""
    if subject.kind == "comparisons":
        return rows.assign(worker=rows["worker"] + tag)
    if subject.kind == "traits":
        return rows.assign(scenario=rows["scenario"] + tag)
    if subject.kind == "couples":
        return rows.assign(
            scenario=rows["scenario"] + tag, unit=rows["unit"] + tag, pair=rows["pair"] + tag
        )
    return rows.assign(story=rows["story"] + tag, unit=rows["unit"] + tag)


def alike(
    subject: Subject,
    k: int,
    *,
    rows: pd.DataFrame | None = None,
    name: str = "c{:02d}",
    seed: int | None = None,
    turned: bool = False,
) -> pd.DataFrame:
    """K clusters of the same rows, under names and in an order of one's choice."""
    block = subject.rows() if rows is None else rows
    if subject.kind in ("traits", "couples"):
        block = block[block["scenario"] == "s00"]
    elif subject.kind not in EACH:
        block = block[block["unit"].isin(block["unit"].unique()[:15])]
    parts = []
    for j in range(k):
        tag = name.format(k - 1 - j if turned else j)
        cluster = {"comparisons": "worker", "traits": "scenario", "couples": "scenario"}.get(
            subject.kind, "story"
        )
        part = block.assign(**{cluster: tag})
        if "unit" in part:
            part["unit"] = tag + block["unit"] if turned else block["unit"] + tag
        parts.append(part)
    table = pd.concat(parts, ignore_index=True)
    return (
        table if seed is None else table.iloc[np.random.default_rng(seed).permutation(len(table))]
    )


def options(metric: str, subject: Subject) -> dict[str, Any]:
    known = inspect.signature(METRICS[metric].function).parameters
    own = {"comparisons": {"cluster": "worker"}, "couples": {"cluster": "scenario"}}.get(
        subject.kind, {}
    )
    return {name: value for name, value in (FEWER | UNITS_ALONE | own).items() if name in known}


def rows_of(result: Result | ResultGroup) -> Iterator[Row]:
    for one in result.values() if isinstance(result, ResultGroup) else [result]:
        yield from one.rows


def renamed(rows: pd.DataFrame) -> pd.DataFrame:
    """Units and clusters under names in the opposite order, and the rows in another one."""
    out = rows.copy()
    for column in {"unit", "story", "scenario", "worker"} & set(rows):
        names = sorted(set(rows[column].astype(str)))
        new = {name: f"n{k:04d}" for k, name in enumerate(reversed(names))}
        out[column] = rows[column].astype(str).map(new)
    return out.sample(frac=1, random_state=4)


def same_numbers(one: Result | ResultGroup, other: Result | ResultGroup) -> None:
    """Compare rows by their names: to 1e-9, or undefined in both."""
    others = {(row.term, row.group): row for row in rows_of(other)}
    for row in rows_of(one):
        again = others.get((row.term, row.group))
        drawn = row.test == "permutation"  # by other random numbers
        for name in NUMBERS if again is not None else ():
            if name == "p_value" and drawn:
                continue
            x, y = getattr(row, name), getattr(again, name)
            assert (x is None) == (y is None), (row.name, name, x, y)
            assert x is None or y == pytest.approx(x, rel=1e-9, abs=1e-12), (row.name, name)


def no_certainty(row: Row) -> None:
    """Say nothing that rests on the rounding of a variance of 0."""
    low, high = row.conf_low, row.conf_high
    if low is not None and high is not None and row.role != "rank":
        assert high - low > PAIRED_WIDTH * max(abs(low), abs(high)), row
    assert row.p_value is None or row.p_value > 1e-300, row
    assert row.std_error is None or row.std_error > 0, row


def nothing_by_clusters(metric: str, result: Result | ResultGroup) -> None:
    """No error of clusters, and no t, z or F that rests on one; a reason in its place."""
    for row in rows_of(result):
        no_certainty(row)
        if metric not in BY_PEOPLE and row.group != APART:
            assert row.std_error is None, row
            assert row.test not in ("t", "z", "f") or row.p_value is None, row
        if (
            row.conf_low is None
            and row.p_value is None
            and row.role in ("estimate", "difference", "effect_size")
        ):
            assert row.undefined, row


def resampled(metric: str) -> list[dict[str, str]]:
    """The intervals that the metric can be asked for, its own first."""
    option = inspect.signature(METRICS[metric].function, eval_str=True).parameters.get("ci")
    named = "" if option is None else str(option.annotation)
    return [{}, *({"ci": ci} for ci in ("percentile", "basic", "bca") if f"'{ci}'" in named)]


@each_metric
@pytest.mark.parametrize("k", [2, 5, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.slow
def test_clusters_that_are_alike_have_no_error_whatever_their_names_and_order(
    metric: str, k: int
) -> None:
    subject = subject_of(metric)
    if (
        metric == "choice_entropy"
    ):  # a pair's entropy needs all its comparisons: no cluster may split it
        pytest.skip("clusters are whole pairs")
    for ci in resampled(metric) if k == 5 else [{}]:
        asked, made = {**options(metric, subject), **ci}, []
        for order in ORDERS:
            try:
                made.append(run(metric, subject.design(alike(subject, k, **order)), **asked))
            except SocialStatsError as error:
                assert len(str(error)) > 10  # noqa: PT017
        for result in made:
            nothing_by_clusters(metric, result)
            same_numbers(made[0], result)
        if made:
            verification = made[0].verify()
            assert verification.ok, verification.tidy().to_string()


@each_metric
@pytest.mark.slow
def test_copies_of_different_clusters_are_more_clusters(metric: str) -> None:
    """The same estimates; errors fall by the root of the number of copies, but for corrections of small samples."""
    subject = subject_of(metric)
    if metric == "choice_entropy":
        pytest.skip("clusters are whole pairs")

    def result(k: int) -> dict[tuple[str, str | None], Row]:
        rows = pd.concat(
            [clustered(subject, subject.rows(), k, f"-{j:02d}") for j in range(k)],
            ignore_index=True,
        )
        made = run(metric, subject.design(rows), **options(metric, subject))
        return {(row.term, row.group): row for row in rows_of(made)}

    one = result(1)
    for k in (2, 5):
        for name, row in result(k).items():
            no_certainty(row)
            before = one[name]
            if before.undefined is None:
                assert row.undefined is None, row
            corrected = metric in (
                "js_similarity",
                "relationship_bias",
                "sensitivity",
            ) or "d_z" in str(name)
            corrected = corrected or row.role == "spread"
            if row.role in ("rank", "test", "count") or metric == "label_counts":
                continue
            if before.estimate is not None and row.estimate is not None and not corrected:
                assert row.estimate == pytest.approx(before.estimate, rel=0.02, abs=1e-9), name
            if before.std_error and row.std_error and metric not in BY_PEOPLE | {"js_similarity"}:
                assert 0.75 < before.std_error / row.std_error / k**0.5 < 1.6, (name, k)


@each_metric
@pytest.mark.slow
def test_constant_values_and_single_clusters_have_no_interval_of_rounding(metric: str) -> None:
    subject = subject_of(metric)
    for name, rows in subject.degenerate().items():
        made = []
        for table in (rows, rows.iloc[::-1], renamed(rows)):
            try:
                made.append(
                    run(
                        metric,
                        subject.design(table.reset_index(drop=True)),
                        **options(metric, subject),
                    )
                )
            except SocialStatsError:
                made.append(None)
        assert len({found is None for found in made}) == 1, name
        for found in made:
            for row in rows_of(found) if found is not None else ():
                no_certainty(row)
        for found in made[1:] if made[0] is not None else ():
            same_numbers(made[0], found)


# --- what is made of other results --------------------------------------------------------------------------------


def turned(rows: pd.DataFrame, column: str, to: Any, share: int, *by: str) -> pd.DataFrame:
    """Other values in some rows, which are the same in every copy of a cluster."""
    said = rows[list(by)].astype(str).agg(" ".join, axis=1)
    hit = said.map(lambda text: zlib.crc32(text.encode()) % share == 0)
    return rows.assign(**{column: rows[column].where(~hit, to)})


def comparisons(k: int, order: dict[str, Any]) -> list[Any]:
    subject = subject_of("win_rates")
    plain = subject.rows()
    other = turned(plain, "winner", plain["item_b"], 4, "item_a", "item_b", "urgency_a")
    return [subject.design(alike(subject, k, rows=rows, **order)) for rows in (plain, other)]


def ratings(k: int, order: dict[str, Any]) -> list[Any]:
    subject = subject_of("mean_ratings")
    plain = subject.rows()
    rows = plain, turned(plain, "value", "4", 5, "unit", "rater")
    return [subject.design(alike(subject, k, rows=one, **order)) for one in rows]


def design(metric: str, k: int, order: dict[str, Any]) -> Any:
    subject = subject_of(metric)
    return subject.design(alike(subject, k, **order))


def levels_of_pairs(k: int, order: dict[str, Any]) -> Any:
    subject = subject_of("paired_difference")
    plain = subject.rows()
    later = np.where(plain["condition"] == "after", plain["unit"].str[-1].astype(int) / 10, 0.0)
    parts = [
        alike(
            subject, k, rows=plain.assign(value=plain["value"] + shift * later, model=name), **order
        )
        for name, shift in (("x", 0.0), ("y", 0.4), ("z", 1.0))
    ]
    return ss.paired_difference(pd.concat(parts), by="model", **subject.reading(), flips=99)


DERIVED: dict[str, Callable[[int, dict[str, Any]], Any]] = {
    "bradley_terry_difference": lambda k, o: ss.bradley_terry_difference(
        *map(ss.bradley_terry, comparisons(k, o))
    ),
    "penalised": lambda k, o: ss.bradley_terry(comparisons(k, o)[0], penalty="firth"),
    "prior": lambda k, o: ss.bradley_terry(comparisons(k, o)[0], prior=0.5),
    "rao_kupper": lambda k, o: ss.bradley_terry(comparisons(k, o)[0], ties="rao_kupper"),
    "pairwise": lambda k, o: ss.bradley_terry(comparisons(k, o)[0]).pairwise(),
    "worth": lambda k, o: ss.bradley_terry(comparisons(k, o)[0]).worth(),
    "predict": lambda k, o: ss.bradley_terry(comparisons(k, o)[0]).predict("ash", "birch"),
    "contrast": lambda k, o: ss.bradley_terry(comparisons(k, o)[0]).contrast("ash - birch"),
    "resampled strengths": lambda k, o: ss.bradley_terry(comparisons(k, o)[0]).bootstrap(
        by="cluster", resamples=99
    ),
    "compare sensitivities": lambda k, o: ss.compare_models(
        {f"m{j}": ss.sensitivity(d, cluster="worker") for j, d in enumerate(comparisons(k, o))}
    ),
    "compare means": lambda k, o: ss.compare_models(
        {f"m{j}": ss.mean_ratings(d) for j, d in enumerate(ratings(k, o))}
    ),
    "compare alphas": lambda k, o: ss.compare_models(
        {f"m{j}": ss.krippendorff_alpha(d) for j, d in enumerate(ratings(k, o))}
    ),
    "compare similarities": lambda k, o: ss.js_similarity(
        design("js_similarity", k, o), aggregate="unit", splits=99, permutations=99, people="fixed"
    ),
    "compare levels of pairs": lambda k, o: ss.compare_models(levels_of_pairs(k, o)),
    "ratings_difference": lambda k, o: ss.ratings_difference(*ratings(k, o), resamples=99),
    "changed_means": lambda k, o: ss.changed_means(*ratings(k, o)),
    "changed_shares": lambda k, o: ss.changed_shares(*ratings(k, o)),
    "equivalence": lambda k, o: ss.equivalence(design("equivalence", k, o), margin=0.3),
    "multiverse": lambda k, o: ss.multiverse(
        "mean_ratings",
        "the mean",
        [
            ss.Variant(
                label=ci, choice="intervals", compute=lambda: ss.mean_ratings(ratings(k, o)[0])
            )
            for ci in ("a", "b")
        ],
        reference=0.0,
    ),
}


@pytest.mark.parametrize("name", DERIVED)
@pytest.mark.slow
def test_what_is_made_of_clusters_that_are_alike_has_no_error(name: str) -> None:
    for k in (2, 5):
        made = [DERIVED[name](k, order) for order in ORDERS[:2]]
        nothing_by_clusters(name, made[0])
        same_numbers(made[0], made[1])
        assert made[0].verify().ok


def test_rank_sets_of_clusters_that_are_alike_hold_every_rank() -> None:
    fit = ss.bradley_terry(comparisons(5, {})[0])
    for found in (
        fit.ranks(),
        fit.ranks(kind="simultaneous"),
        ss.leaderboard(design("leaderboard", 5, {})).ranks(),
    ):
        n = len(found.rows)
        assert {(row.conf_low, row.conf_high) for row in found.rows} == {(1.0, float(n))}
    with pytest.raises(ss.UndefinedStatistic, match="standard errors"):
        fit.quasi_variances()


def test_a_joint_test_of_clusters_that_are_alike_is_refused() -> None:
    subject = subject_of("bradley_terry")
    fits = [
        ss.bradley_terry(subject.design(alike(subject, 5)), order=order) for order in (False, True)
    ]
    lead = fits[1].anova(fits[0]).rows[0]
    assert lead.p_value is None
    assert "the clusters are alike in a combination" in str(lead.undefined)
    joint = [
        r
        for r in ss.multinomial_logit(design("multinomial_logit", 20, {})).rows
        if r.group == "all at once"
    ]
    assert joint
    assert all(
        row.p_value is None and "alike in a combination" in str(row.undefined) for row in joint
    )
    wald = ss.symmetry(design("symmetry", 20, {})).row("robust_wald")
    assert wald.p_value is None
    assert "the clusters are alike" in str(wald.undefined)


@pytest.mark.parametrize("distinct", [2, 3])
def test_a_joint_test_needs_more_different_clusters_than_terms(distinct: int) -> None:
    """Copies of two or three different clusters: three terms have no covariance of full rank, however many copies."""
    rng = np.random.default_rng(1)
    subject = subject_of("multinomial_logit")
    rows = subject.rows()
    stories = rows["story"].unique()[:distinct]
    parts = [
        rows[rows["story"] == story].assign(
            story=f"{story} {j}", unit=lambda r, j=j: r["unit"] + f" {j}"
        )
        for story in stories
        for j in range(8)
    ]
    table = pd.concat(parts, ignore_index=True)
    table["domain"] = np.where(table["unit"].str[3].astype(int) % 2, "work", "home")
    result = ss.multinomial_logit(
        subject.design(table.sample(frac=1, random_state=int(rng.integers(9))))
    )
    for row in result.rows:
        if row.group == "all at once" and (row.df is None or row.df >= distinct):
            assert row.p_value is None
            assert row.undefined


def test_a_margin_is_not_tested_by_rows_that_ignore_the_clusters() -> None:
    found = ss.paired_difference(design("paired_difference", 5, {}), flips=99)
    assert found.row("difference", group=APART).std_error is not None
    with pytest.raises(ss.InputError, match="the clusters are alike"):
        ss.equivalence(found, margin=0.3)
