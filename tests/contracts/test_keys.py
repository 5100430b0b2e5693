"""Units are matched by their labels: other units missing from each source, rows in another order, other labels.

A statistic on the units that several sources share is that of a table from which the other units are gone.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.datasets import norm_goal, relationship_bias, social_norms, staged_values
from socialstats.designs.model_scores import model_scores
from socialstats.errors import InputError
from socialstats.matching import match_keys
from socialstats.metrics import METRICS
from socialstats.results import Result, ResultGroup, Row
from socialstats.studies import STUDIES, StudyOptions, run_study
from socialstats.tables import as_table
from tests.contracts.subjects import (
    LabelsSubject,
    PairedSubject,
    RatingsSubject,
    SourcesSubject,
    TraitsSubject,
)

FIELDS = (
    "estimate",
    "std_error",
    "conf_low",
    "conf_high",
    "statistic",
    "df",
    "p_value",
    "p_adjusted",
    "n",
    "n_units",
    "n_clusters",
)
FAST = StudyOptions(resamples=100, verify=False)
RESAMPLED = (
    "percentile",
    "basic",
    "bca",
    "studentized",
)  # whose ends have few values, the same by chance
Rows = dict[Any, Row]


def lacking(
    frame: pd.DataFrame, source: str, unit: str, labels: Mapping[str, tuple[str, ...]]
) -> pd.DataFrame:
    """Drop some units of each source, others for each."""
    gone = [(frame[source] == label) & frame[unit].isin(units) for label, units in labels.items()]
    return frame[~np.logical_or.reduce(gone)]


def without(frame: pd.DataFrame, unit: str, labels: Mapping[str, tuple[str, ...]]) -> pd.DataFrame:
    """Drop the units that any source lacks."""
    return frame[~frame[unit].isin([name for units in labels.values() for name in units])]


def rows_of(found: Any, shared: Callable[[Row], bool] = lambda row: True) -> Rows:
    """Return the rows of a result, by what they are about."""
    if isinstance(found, ResultGroup):
        return {
            (level, *key): row
            for level, one in found.results.items()
            for key, row in rows_of(one, shared).items()
        }
    return {(found.metric, row.name, row.by, row.key): row for row in found.rows if shared(row)}


def unlike(one: Rows, other: Rows, fields: tuple[str, ...] = FIELDS) -> list[str]:
    """Return which numbers differ."""
    assert set(one) == set(other)
    assert one
    pairs = [
        (key, name, getattr(one[key], name), getattr(other[key], name))
        for key in one
        for name in fields
    ]
    return [f"{key} {name}: {a} and {b}" for key, name, a, b in pairs if not close(a, b)]


def close(a: float | None, b: float | None) -> bool:
    if a is None or b is None:
        return a is b
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)


def differences(row: Row) -> bool:
    return row.role == "difference"


@dataclass(frozen=True, kw_only=True)
class Case:
    """A number on shared units: the table, its columns of sources and units, the call, and which rows are shared."""

    frame: Callable[[], pd.DataFrame]
    call: Callable[[pd.DataFrame], Any]
    source: str = "rater"
    unit: str = "unit"
    shared: Callable[[Row], bool] = lambda row: True
    labels: tuple[str, ...] = ()

    def dropped(self) -> dict[str, tuple[str, ...]]:
        """Return for each source two units that it lacks, not those of another, nor the first or the last."""
        frame = self.frame()
        units, sources = (
            sorted(set(frame[self.unit])),
            self.labels or sorted(set(frame[self.source])),
        )
        return {label: tuple(units[2 + 3 * k : 4 + 3 * k]) for k, label in enumerate(sources)}


def two_raters(values: str = "any") -> pd.DataFrame:
    rows = RatingsSubject("ratings", (), values=values).rows()
    return rows[rows["rater"] != "cid"]


def numeric() -> dict[str, Any]:
    return RatingsSubject("ratings", (), values="numeric").reading() | {"scale": "interval"}


def ordinal() -> dict[str, Any]:
    return RatingsSubject("ratings", ()).reading()


def two_sources() -> pd.DataFrame:
    """Twenty-four people and one model."""
    rows = SourcesSubject("sources", ()).rows()
    return rows[(rows["source"] == "human") | (rows["rater"] == "m-one")]


def of_sources(**more: Any) -> dict[str, Any]:
    return SourcesSubject("sources", ()).reading() | more


def of_pairs(values: str) -> Case:
    subject = PairedSubject("paired", (), values=values)
    metric = {"numeric": ss.paired_difference, "binary": ss.mcnemar, "nominal": ss.symmetry}[values]
    return Case(
        frame=subject.rows,
        source="condition",
        call=lambda f: metric(f, **subject.reading(), missing="drop"),
    )


def of_models(metric: Any, reading: Mapping[str, Any]) -> Callable[[pd.DataFrame], Result]:
    """Compare raters as models, each of a table of its own."""
    return lambda frame: ss.compare_models(
        {name: metric(own, **reading) for name, own in frame.groupby("rater")}
    )


def two_tables(
    difference: Any, reading: Mapping[str, Any], source: str
) -> Callable[[pd.DataFrame], Result]:
    """Subtract the tables of two sources."""

    def call(frame: pd.DataFrame) -> Result:
        one, two = (own for _, own in frame.groupby(source))
        found: Result = difference(one, two, **reading)
        return found

    return call


def stories(seed: int = 5) -> pd.DataFrame:
    """Every pair of six items in four stories, answered by two models; the unit is the story, or the pair."""
    rng = np.random.default_rng(seed)
    keys = [
        (a, b, f"{a}{b}{k}", int(u), int(v), model)
        for a in "abcdef"
        for b in "abcdef"
        if a < b
        for k in range(6)
        for u, v in [rng.integers(1, 4, 2)]
        for model in ("m1", "m2")
    ]
    frame = pd.DataFrame(
        keys, columns=["item_a", "item_b", "story", "urgency_a", "urgency_b", "model"]
    )
    drive = (frame["urgency_a"] - frame["urgency_b"]) * np.where(frame["model"] == "m1", 1.0, 0.3)
    won = rng.random(len(frame)) < 1 / (1 + np.exp(-drive))
    return frame.assign(
        winner=np.where(won, frame["item_a"], frame["item_b"]),
        pair=frame["item_a"] + frame["item_b"],
    )


CHOICES = {"item_a": "item_a", "item_b": "item_b", "winner": "winner", "cluster": "story"}


def scored() -> pd.DataFrame:
    """Three models on sixty items in stories."""
    rng = np.random.default_rng(2)
    ease = rng.normal(size=60)
    rows = [
        (
            f"m{m}",
            f"i{k:02d}",
            f"s{k // 3:02d}",
            int(rng.random() < 1 / (1 + np.exp(-ease[k] - m / 2))),
        )
        for m in range(3)
        for k in range(60)
    ]
    return pd.DataFrame(rows, columns=["model", "item", "story", "score"])


CASES: dict[str, Case] = {
    "paired_difference": of_pairs("numeric"),
    "mcnemar": of_pairs("binary"),
    "symmetry": of_pairs("nominal"),
    "weighted_kappa": Case(frame=two_raters, call=lambda f: ss.weighted_kappa(f, **ordinal())),
    "krippendorff_alpha": Case(
        frame=two_raters, call=lambda f: ss.krippendorff_alpha(f, **ordinal())
    ),
    "percent_agreement": Case(
        frame=two_raters, call=lambda f: ss.percent_agreement(f, **ordinal())
    ),
    "cochran_q": Case(
        frame=lambda: RatingsSubject("ratings", (), values="binary").rows(),
        call=lambda f: ss.cochran_q(
            f, missing="drop", **RatingsSubject("ratings", (), values="binary").reading()
        ),
    ),
    "spearman_rho": Case(
        frame=lambda: two_raters("numeric"), call=lambda f: ss.spearman_rho(f, **numeric())
    ),
    "judge_agreement": Case(
        frame=two_sources, source="source", call=lambda f: ss.judge_agreement(f, **of_sources())
    ),
    "ada_met": Case(
        frame=two_sources,
        source="source",
        call=lambda f: ss.ada_met(f, resamples=100, **of_sources()),
    ),
    "choice_shares": Case(
        frame=two_sources,
        source="source",
        shared=lambda row: row.role in ("difference", "test"),
        call=lambda f: ss.choice_shares(f, permutations=100, **of_sources()),
    ),
    "js_similarity": Case(
        frame=two_sources,
        source="source",
        call=lambda f: ss.js_similarity(f, aggregate="unit", resamples=100, **of_sources()),
        shared=lambda row: row.role == "estimate" and row.label("source") != "human",
    ),
    "leaderboard": Case(
        frame=scored,
        source="model",
        unit="item",
        shared=differences,
        labels=("m0", "m1"),
        call=lambda f: ss.leaderboard(model_scores(f[f["model"] != "m2"], cluster="story")),
    ),
    "majority_vote_accuracy": Case(
        frame=two_raters,
        labels=("bob",),
        call=lambda f: ss.majority_vote_accuracy(
            f[f["rater"] == "ann"],
            truth=dict(f.loc[f["rater"] == "bob", ["unit", "value"]].to_numpy().tolist()),
            **ordinal(),
        ),
    ),
    "compare_models of mean_ratings": Case(
        frame=lambda: two_raters("numeric"),
        shared=differences,
        call=of_models(ss.mean_ratings, numeric()),
    ),
    "compare_models of sensitivity": Case(
        frame=stories,
        source="model",
        unit="pair",
        shared=differences,
        call=lambda f: ss.compare_models(
            {
                m: ss.sensitivity(own, order="item_a", resamples=100, item_a="item_a")
                for m, own in f.groupby("model")
            }
        ),
    ),
    "compare_models of trait_profile": Case(
        frame=TraitsSubject("traits", ()).rows,
        source="model",
        unit="scenario",
        shared=differences,
        call=lambda f: ss.compare_models(
            {
                m: ss.trait_profile(
                    own, **METRICS["trait_profile"].options, **TraitsSubject("traits", ()).reading()
                )
                for m, own in f.groupby("model")
            }
        ),
    ),
    "compare_models of ada_met": Case(
        frame=lambda: (
            SourcesSubject("sources", ()).rows().query("source == 'human' or rater != 'm-three'")
        ),
        labels=("m-one", "m-two"),
        shared=differences,
        call=lambda f: ss.compare_models(ss.ada_met(f, resamples=100, **of_sources())),
    ),
    "ratings_difference": Case(
        frame=lambda: two_raters("numeric"),
        call=two_tables(ss.ratings_difference, numeric() | {"resamples": 100}, "rater"),
    ),
    "win_rate_difference": Case(
        frame=stories,
        source="model",
        unit="story",
        call=two_tables(ss.win_rate_difference, CHOICES, "model"),
    ),
    "sensitivity_difference": Case(
        frame=stories,
        source="model",
        unit="pair",
        call=two_tables(
            ss.sensitivity_difference,
            {"order": "item_a", "unmatched": "drop", "resamples": 100},
            "model",
        ),
    ),
    "choice_entropy_difference": Case(
        frame=stories,
        source="model",
        unit="pair",
        call=two_tables(
            ss.choice_entropy_difference, {"order": "item_a", "unmatched": "drop"}, "model"
        ),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_other_units_missing_from_each_source_are_as_units_that_are_gone(name: str) -> None:
    case = CASES[name]
    frame, dropped = case.frame(), case.dropped()
    found, wanted = (
        case.call(table)
        for table in (
            lacking(frame, case.source, case.unit, dropped),
            without(frame, case.unit, dropped),
        )
    )
    assert unlike(rows_of(found, case.shared), rows_of(wanted, case.shared)) == []
    assert found.verify().ok, found.verify().tidy().to_string()


def crossed_outside() -> pd.DataFrame:
    """Three people and two models; 'bob' and 'gpt' lack the units whose pairs lie in several stories."""
    draw = np.random.default_rng(8)
    rows = []
    for k in range(24):
        crossed = k >= 16
        story, pair = f"s{k % 4}", f"p{k % 3}" if crossed else f"p{k % 4}{k % 8}"
        for rater in ("ann", "bob", "cyd", "gpt", "llama"):
            if not (crossed and rater in ("bob", "gpt")):
                source = "human" if len(rater) == 3 and rater != "gpt" else "model"
                rows.append((f"u{k:02d}", rater, source, int(draw.integers(1, 4)), story, pair))
    return pd.DataFrame(rows, columns=["unit", "rater", "source", "value", "story", "pair"])


@pytest.mark.parametrize("metric", ["weighted_kappa", "ada_met"])
def test_clusters_nested_in_the_units_of_a_number_are_so_whatever_the_other_units(
    metric: str,
) -> None:
    """Of two nested factors the coarser one alone counts, also where the units of other numbers cross them."""
    frame = crossed_outside()
    reading: dict[str, Any] = {
        "unit": "unit",
        "rater": "rater",
        "value": "value",
        "scale": "ordinal",
    }
    clusters = ["story", "pair"]
    if metric == "weighted_kappa":
        parts = (frame, frame[frame["rater"].isin(["ann", "bob"])])
        found, wanted = (ss.weighted_kappa(f, cluster=clusters, **reading) for f in parts)
        coarser = ss.weighted_kappa(parts[1], cluster="story", **reading)
        name = "ann | bob"
    else:
        reading |= {"rater_source": "source", "resamples": 100}
        parts = (frame, frame[frame["unit"] < "u16"])
        found, wanted = (ss.ada_met(f, cluster=clusters, **reading) for f in parts)
        coarser = ss.ada_met(parts[1], cluster="story", **reading)
        name = "gpt"
    errors = [result.row(name).std_error for result in (found, wanted, coarser)]
    assert errors[0] == pytest.approx(errors[1], rel=1e-12)
    assert errors[1] == pytest.approx(errors[2], rel=1e-12)
    for result in (found, wanted):
        assert result.verify().ok


SAID: dict[str, str] = {  # what a result says of units that one source lacks
    "ratings_difference": r"units? of both; [0-9]+ units only from",
    "win_rate_difference": r"stor(y|ies) of both; 2 stories only from 'first', 2 stories only from 'second'",
    "sensitivity_difference": "in only one of the designs",
    "choice_entropy_difference": "in only one of the designs",
    "compare_models of mean_ratings": "these lack: 'ann' [0-9]+ and 'bob' [0-9]+",
    "ada_met": "2 units? (of the reference )?without an answer of",
    "judge_agreement": "",
}


@pytest.mark.parametrize("name", [name for name, text in SAID.items() if text])
def test_units_that_one_source_lacks_are_said(name: str) -> None:
    case = CASES[name]
    found = case.call(lacking(case.frame(), case.source, case.unit, case.dropped()))
    assert any(re.search(SAID[name], caution.detail) for caution in found.cautions), [
        str(c) for c in found.cautions
    ]


def test_fits_of_other_pairs_are_refused_with_their_numbers() -> None:
    parts = [
        ss.bradley_terry(f[f["pair"] != left], order="item_a", prior=0.5)
        for left, (_, f) in zip(("ab", "cd"), stories().groupby("model"), strict=True)
    ]
    with pytest.raises(
        InputError, match="13 pairs of both; 1 pair only from 'first', 1 pair only from 'second'"
    ):
        ss.bradley_terry_difference(*parts)


def test_readings_of_other_replies_are_refused_with_their_numbers() -> None:
    rows = two_raters("numeric")
    one, two = (
        ss.Ratings.from_frame(rows[rows["unit"] != left], **numeric()) for left in ("q001", "q002")
    )
    with pytest.raises(
        InputError,
        match=r"replies of both; 2 replies only from 'value', 2 replies only from 'value'",
    ):
        ss.changed_shares(one, two)


def test_readings_are_matched_by_level_too() -> None:
    """The same rows, of which the second reading files two under other prompts."""
    rows = pd.DataFrame(
        {"unit": list("aabb"), "rater": "r", "prompt": ["p", "q"] * 2, "value": [1, 2, 3, 4]}
    )
    other = rows.assign(prompt=["p", "q", "q", "p"], value=[1, 2, 4, 4])
    one, two = (ss.Ratings.from_frame(f, by="prompt", levels=[1, 2, 3, 4]) for f in (rows, other))
    answers = ss.changed_shares(one, two)
    assert answers.counts["changed"] == 1  # unit b under p: 3 in one, 4 in the other
    assert answers.verify().ok


# ---- studies ----


def run_on(study: str, frame: pd.DataFrame, seed: int = 1, **reading: Any) -> Rows:
    """Return the rows of all results of a page."""
    read = STUDIES[study].read
    kinds: dict[str, Any] = {
        "comparisons": ss.Comparisons,
        "paired": ss.Paired,
        "ratings": ss.Ratings,
    }
    design = (
        read(as_table(frame))
        if read is not None and study != "leaderboard"
        else model_scores(frame, **reading)
        if study == "leaderboard"
        else kinds[STUDIES[study].design].from_frame(frame, **reading)
    )
    outcome = run_study(
        STUDIES[study], design, StudyOptions(resamples=100, verify=False, seed=seed)
    )
    return dict(page_rows(outcome.blocks))


def page_rows(blocks: Any) -> Iterator[tuple[Any, Row]]:
    for block in blocks:
        for k, result in enumerate(block.results):
            for row in result.rows:
                yield (block.id, k, result.metric, row.name, row.by, row.key), row


@dataclass(frozen=True, kw_only=True)
class Page:
    """A study with its table: the columns of its units and its sources, how it is read, and which rows are shared.

    `renamed` is the column whose labels change where it is not that of the units.
    """

    study: str
    frame: Callable[[], pd.DataFrame]
    unit: str
    source: str
    reading: Mapping[str, Any]
    renamed: str = ""
    shared: Callable[[Any, Row], bool] = lambda key, row: row.role == "difference"


def few(frame: pd.DataFrame, column: str, n: int) -> pd.DataFrame:
    return frame[frame[column].isin(list(dict.fromkeys(frame[column]))[:n])].reset_index(drop=True)


def judged() -> pd.DataFrame:
    rows = SourcesSubject("sources", ()).rows()
    rows = rows[rows["rater"].isin(["person 00", "person 01", "m-one", "m-three"])]
    level = {"low": 1, "medium": 2, "high": 4}
    return rows.assign(value=rows["value"].map(level)).drop(columns=["gender", "domain"])


def people_of(frame: pd.DataFrame, unit: str, n: int) -> pd.DataFrame:
    """A few units; all people and one model."""
    frame = few(frame, unit, n)
    model = next(iter(frame.loc[frame["source"] != "human", "rater"]))
    return frame[(frame["source"] == "human") | (frame["rater"] == model)].reset_index(drop=True)


PAGES: dict[str, Page] = {
    "agreement": Page(
        study="agreement",
        frame=judged,
        unit="unit",
        source="source",
        reading={
            "unit": "unit",
            "levels": [1, 2, 4],
            "scale": "interval",
            "rater_source": "source",
            "cluster": "story",
        },
        shared=lambda key, row: (
            key[:3] == ("means", 1, "paired_difference") or key[0] in ("judge", "judges")
        ),
    ),
    "compare-ratings": Page(
        study="compare-ratings",
        frame=lambda: two_raters("numeric").rename(columns={"rater": "model"}).assign(rater="r"),
        unit="unit",
        source="model",
        reading=numeric() | {"by": "model", "rater": "rater"},
    ),
    "compare": Page(
        study="compare",
        frame=stories,
        unit="pair",
        source="model",
        renamed="story",
        reading={"by": "model", "order": "item_a", "cluster": "story"},
        shared=lambda key, row: key[0].startswith("differences") and row.role == "difference",
    ),
    "leaderboard": Page(
        study="leaderboard",
        frame=lambda: scored().query("model != 'm2'"),
        unit="item",
        source="model",
        reading={"cluster": "story"},
    ),
    "paired": Page(
        study="paired",
        frame=PairedSubject("paired", ()).rows,
        unit="unit",
        source="condition",
        reading=PairedSubject("paired", ()).reading() | {"missing": "drop"},
        shared=lambda key, row: True,
    ),
    "norm-goal": Page(
        study="norm-goal",
        frame=lambda: people_of(few(norm_goal(), "pressure", 1), "scenario", 40),
        unit="scenario",
        source="source",
        reading={
            "unit": "scenario",
            "value": "action",
            "scale": "nominal",
            "rater_source": "source",
        },
        shared=lambda key, row: key[2] == "choice_shares" and row.role in ("difference", "test"),
    ),
    "ordinal-alignment": Page(
        study="ordinal-alignment",
        frame=lambda: people_of(social_norms(), "item", 30),
        unit="item",
        source="source",
        reading={
            "unit": "item",
            "value": "answer",
            "rater_source": "source",
            "levels": list("ABCDE"),
            "refusal": "F",
        },
        shared=lambda key, row: key[2] == "ada_met",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_a_page_on_shared_units_is_that_of_a_table_without_the_others(name: str) -> None:
    page = PAGES[name]
    frame = page.frame()
    units = sorted(set(frame[page.unit]))
    dropped = {
        label: tuple(units[1 + 2 * k : 3 + 2 * k])
        for k, label in enumerate(sorted(set(frame[page.source])))
    }
    found, wanted = (
        {
            key: row
            for key, row in run_on(page.study, table, **page.reading).items()
            if page.shared(key, row)
        }
        for table in (
            lacking(frame, page.source, page.unit, dropped),
            without(frame, page.unit, dropped),
        )
    )
    assert unlike(found, wanted) == []


MORE: dict[str, Page] = {
    "role-conflict": Page(
        study="role-conflict",
        frame=lambda: stories().query("model == 'm1'").drop(columns="model"),
        unit="story",
        source="item_a",
        reading={"order": "item_a", "cluster": "story"},
    ),
    "relationship-bias": Page(
        study="relationship-bias",
        unit="scenario",
        source="group_first",
        reading={},
        renamed="pair",
        frame=lambda: few(relationship_bias(), "scenario", 3),
    ),
    "staged-values": Page(
        study="staged-values",
        unit="scenario",
        source="model",
        reading={},
        frame=lambda: few(few(staged_values(), "scenario", 4), "model", 2),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", [*PAGES, *MORE])
def test_order_of_rows_and_labels_of_units_change_no_number_of_a_page(name: str) -> None:
    """Numbers that another seed does not change do not change with the order of rows and of the units' labels."""
    page = (PAGES | MORE)[name]
    frame, column = page.frame(), page.renamed or page.unit
    units = sorted(set(frame[column]))
    new = {label: f"v{len(units) - k:04d}" for k, label in enumerate(units)}
    turned = frame.assign(**{column: frame[column].map(new)}).sample(frac=1, random_state=4)
    one, other = (run_on(page.study, frame, seed, **page.reading) for seed in (1, 2))
    found = run_on(page.study, turned, **page.reading)
    labels = {key: relabelled(key, new) for key in one}
    assert set(found) == set(labels.values())
    fixed = [
        (key, field)
        for key in one
        for field in FIELDS
        if close(getattr(one[key], field), getattr(other[key], field))
        and not (one[key].interval in RESAMPLED and field.startswith("conf"))
    ]
    pairs = [
        (key, field, getattr(one[key], field), getattr(found[labels[key]], field))
        for key, field in fixed
    ]
    assert [pair for pair in pairs if not close(*pair[2:])] == []
    assert len(fixed) > len(one)


def relabelled(key: Any, new: Mapping[str, str]) -> Any:
    """Put the new labels of units where a row is about one."""
    block, k, metric, name, by, about = key
    about = tuple((dimension, new.get(label, label)) for dimension, label in about)
    for old, label in new.items():
        name = name.replace(old, label)
    return block, k, metric, name, by, about


# ---- the function ----


def test_keys_that_repeat_are_refused() -> None:
    with pytest.raises(InputError, match="'u1' and 'u3' occurs more than once"):
        match_keys(["u0", "u1", "u2"], ["u1", "u1", "u3", "u3"])


def test_values_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match=r"columns of \[3, 1\] values for \[3, 2\] keys"):
        match_keys("abc", "bc").values(np.zeros(3), np.zeros(1))


def test_matching_is_that_of_a_join() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        sides = [rng.permutation(20)[: rng.integers(0, 20)] for _ in range(3)]
        frames = [
            pd.DataFrame({"key": side, f"x{k}": rng.normal(size=len(side))})
            for k, side in enumerate(sides)
        ]
        joined = frames[0].merge(frames[1], on="key").merge(frames[2], on="key")
        found = match_keys(*sides)
        assert list(found.keys) == joined["key"].tolist()
        for k, values in enumerate(
            found.values(*(frame[f"x{k}"].to_numpy() for k, frame in enumerate(frames)))
        ):
            assert values.tolist() == joined[f"x{k}"].tolist()
        assert [set(lone) for lone in found.unmatched] == [
            set(side) - set(found.keys) for side in map(list, sides)
        ]
        assert found.complete == all(set(side) == set(sides[0]) for side in sides)


def test_labels_of_one_table_need_no_units() -> None:
    """Label lists have one source: nothing is matched, and the order of rows does not matter."""
    subject = LabelsSubject("labels", ())
    rows = subject.rows()
    one, other = (
        ss.label_counts(table, **subject.reading())
        for table in (rows, rows.sample(frac=1, random_state=1))
    )
    assert unlike(rows_of(one), rows_of(other)) == []
