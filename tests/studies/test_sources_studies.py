"""The studies norm-goal and ordinal-alignment: every number in tidy(), verified; what was simulated comes out."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.multitest import multipletests
from study_tables import stray_cells, stray_decimals

from socialstats import datasets
from socialstats.agreement.krippendorff_alpha import krippendorff_alpha
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError
from socialstats.inference.halving import clusters_to_halve
from socialstats.results import Row
from socialstats.shares.sources import human_source, raters_of
from socialstats.studies import STUDIES, StudyOptions, pick, run_study
from socialstats.studies.estimates import equivalence_bounds
from socialstats.studies.page import Outcome
from socialstats.studies.row_picking import pick_rows
from socialstats.studies.row_sentences import tally_sentence
from socialstats.studies.sources import crossed
from socialstats.text import p_value

FAST = StudyOptions(resamples=200)
ACTIONS = ("comply", "deviate", "escalate")


def actions(shift: float = 2.0, seed: int = 5) -> pd.DataFrame:
    """24 scenarios of two domains under two pressures, by four people and three runs that lean to the last action."""
    rng = np.random.default_rng(seed)
    rows = []
    for s in range(24):
        for pressure in ("none", "goal"):
            for k in range(7):
                lean = shift if k >= 4 else 0.0
                odds = np.exp([1.0, float(pressure == "goal"), lean])
                rows.append(
                    (
                        f"s{s:02d}",
                        ("hiring", "finance")[s % 2],
                        pressure,
                        "model" if k >= 4 else "human",
                        f"r{k}",
                        ACTIONS[rng.choice(3, p=odds / odds.sum())],
                    )
                )
    return pd.DataFrame(
        rows, columns=["scenario", "domain", "pressure", "source", "rater", "action"]
    )


def norms(seed: int = 5) -> pd.DataFrame:
    """40 items of two areas: 24 people of two sexes and two ages (the old answer higher), three models."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(40):
        mean = rng.uniform(0.8, 2.6)
        for k in range(24):
            value = mean + (0.8 if k % 2 else -0.4) + 0.5 * rng.normal()
            rows.append(
                (
                    f"i{i:02d}",
                    ("home", "work")[i % 2],
                    "human",
                    f"p{k:02d}",
                    value,
                    ("f", "m")[k // 12],
                    ("young", "old")[k % 2],
                )
            )
        for name, bias in (("low", -0.6), ("high", 0.9), ("shy", 0.0)):
            value = None if name == "shy" and i % 8 == 3 else mean + bias + 0.3 * rng.normal()
            rows.append((f"i{i:02d}", ("home", "work")[i % 2], "model", name, value, None, None))
    frame = pd.DataFrame(rows, columns=["item", "area", "source", "rater", "value", "sex", "age"])
    letters = frame["value"].map(
        lambda v: "F" if pd.isna(v) else "ABCDE"[int(np.clip(round(v), 0, 4))]
    )
    return frame.assign(value=letters)


def choices_design(frame: pd.DataFrame) -> Ratings:
    return Ratings.from_frame(
        frame,
        unit="scenario",
        rater="rater",
        value="action",
        scale="nominal",
        rater_source="source",
        strata="domain",
        by="pressure",
    )


def norms_design(frame: pd.DataFrame) -> Ratings:
    return Ratings.from_frame(
        frame,
        unit="item",
        rater="rater",
        value="value",
        levels=list("ABCDE"),
        refusal="F",
        rater_source="source",
        strata="area",
        rater_groups=["sex", "age"],
    )


def models_design(frame: pd.DataFrame) -> Ratings:
    models = frame[frame["source"] == "model"].rename(columns={"rater": "model"})
    both = pd.concat(
        [
            models.assign(prompt="short"),
            models.assign(prompt="long", value=models["value"].iloc[::-1]),
        ]
    )
    return Ratings.from_frame(
        both[["item", "area", "model", "prompt", "value"]],
        unit="item",
        levels=list("ABCDE"),
        refusal="F",
        strata="area",
        by="prompt",
    )


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcome]:
    return {
        "norm-goal": run_study(STUDIES["norm-goal"], choices_design(actions()), FAST),
        "ordinal-alignment": run_study(STUDIES["ordinal-alignment"], norms_design(norms()), FAST),
        "models": run_study(STUDIES["ordinal-alignment"], models_design(norms()), FAST),
    }


NAMES = ["norm-goal", "ordinal-alignment", "models"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.slow
def test_every_number_of_the_page_is_in_tidy_and_verified(
    name: str, outcomes: dict[str, Outcome]
) -> None:
    outcome = outcomes[name]
    shifts = [
        cell for cell in stray_cells(outcome) if cell[0] not in ("Shift", "p (ratings independent)")
    ]
    assert shifts == []
    texts = [
        *outcome.answer,
        *(s for b in outcome.blocks if b.id != "multiverse" for s in b.sentences),
    ]
    beside = ("design_effect", "df_denominator")
    extras = [
        set(r.extras.get(name, {}).values())
        for b in outcome.blocks
        for r in b.results
        for name in beside
    ]
    assert stray_decimals(outcome, texts, {0.05, 0.95}.union(*extras)) == []
    assert outcome.verifications
    assert all(v.ok for v in outcome.verifications.values())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.slow
def test_figures_are_drawn_and_texts_are_clean(name: str, outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes[name]
    for block in outcome.blocks:
        if block.draw is not None:
            block.draw().figure.draw_without_rendering()
    texts = [
        *outcome.answer,
        *(s for b in outcome.blocks for s in b.sentences),
        *outcome.methods,
        outcome.design,
    ]
    for text in texts:
        assert not re.search(
            r"\bnan\b|\bNone\b(?! of \d)|\binf\b|-0\.00|p = \.000|\(\)|  ", text
        ), text


def test_a_by_factor_becomes_part_of_the_unit_and_units_become_clusters() -> None:
    frame = actions()
    design = crossed(choices_design(frame))
    assert len(design.units) == 48
    assert list(design.units) == sorted(design.units)
    assert [c.name for c in design.clusters] == ["scenario"]
    assert len(design.clusters[0].levels) == 24
    table = design.table()
    back = table.assign(scenario=table["unit"].str.split(", ").str[0])[
        ["scenario", "pressure", "rater", "value"]
    ]
    want = frame[["scenario", "pressure", "rater", "action"]].rename(columns={"action": "value"})
    keys = ["scenario", "pressure", "rater"]
    pd.testing.assert_frame_equal(
        back.sort_values(keys, ignore_index=True).astype(object),
        want.sort_values(keys, ignore_index=True).astype(object),
    )
    source = human_source(design)
    assert source is not None
    assert (source.name, source.human, source.others) == ("source", "human", ("model",))


@pytest.mark.slow
def test_shares_are_counts_of_the_table(outcomes: dict[str, Outcome]) -> None:
    frame, result = actions(), outcomes["norm-goal"].blocks[0].results[0]

    def share(row: Row, source: str | None) -> float:
        part = frame[frame["source"] == source]
        pressure = row.label("stratum")
        part = part if pressure is None else part[part["pressure"] == pressure]
        return float((part["action"] == row.term).mean())

    shares = pick_rows(result.rows)
    assert len(shares) == 18
    for row in shares:
        assert row.estimate == pytest.approx(share(row, row.label("source")))
    gaps = pick_rows(result.rows, "difference", base=False)
    assert len(gaps) == 9
    for row in gaps:  # all units were rated by both
        assert row.estimate == pytest.approx(share(row, "model") - share(row, "human"))
    tests = pick_rows(result.rows, "test", base=False)
    assert {row.group for row in tests} == {
        "model - human",
        "model - human, goal",
        "model - human, none",
    }


def test_shares_are_practically_equal_only_where_every_interval_of_the_tests_of_equivalence_is_inside() -> (
    None
):
    design = choices_design(actions(0.0))
    gaps = [
        r
        for r in run_study(STUDIES["norm-goal"], design, FAST).blocks[0].results[0].rows
        if r.term in ACTIONS and r.group == "model - human" and r.by is None
    ]
    far = max(abs(end) for r in map(equivalence_bounds, gaps) for end in (r.conf_low, r.conf_high))
    said = [
        run_study(
            STUDIES["norm-goal"],
            design,
            StudyOptions(resamples=200, verify=False, smallest_effect=far * by),
        )
        for by in (1.01, 0.99)
    ]
    assert len(gaps) == 3
    assert (
        said[0]
        .answer[0]
        .startswith(
            "The choices of the model were equivalent to those of human raters in every share within ±"
        )
    )
    assert (
        said[1]
        .answer[0]
        .startswith(
            "The choices of the model did not differ significantly from those of human raters"
        )
    )


def test_a_source_that_differs_is_told_from_one_that_does_not() -> None:
    yes = run_study(
        STUDIES["norm-goal"],
        choices_design(actions(2.0)),
        StudyOptions(resamples=200, verify=False),
    )
    no = run_study(
        STUDIES["norm-goal"],
        choices_design(actions(0.0)),
        StudyOptions(resamples=200, verify=False),
    )
    tested = "cluster permutation test, p < .001"
    assert yes.answer[0].startswith(
        f"The choices of the model differed from those of human raters ({tested})"
    )
    assert no.answer[0].startswith(
        "The choices of the model did not differ significantly from those of human raters ("
    )


def test_tests_without_p_are_not_called_insignificant() -> None:
    """Not significant, significant and undefined are told apart; p = 0 is significant."""
    rows = [
        Row(term="a", p_value=0.0),
        Row(term="b", p_value=0.4),
        Row(term="c", undefined="one cluster"),
    ]
    assert (
        tally_sentence(rows, "difference")
        == "1 of 2 differences was significant (Holm). 1 has no test."
    )
    assert tally_sentence([*rows[1:], rows[1]], "difference") == (
        "None of 2 differences was significant (Holm). 1 has no test."
    )
    assert tally_sentence(rows[2:]) == "No difference has a test: one cluster."


@pytest.mark.slow
def test_the_main_part_of_norm_goal_is_short() -> None:
    table = datasets.norm_goal()
    design = Ratings.from_frame(
        table,
        unit="scenario",
        rater="rater",
        value="action",
        scale="nominal",
        rater_source="source",
        strata="domain",
        by="pressure",
    )
    outcome = run_study(STUDIES["norm-goal"], design, replace(FAST, verify=False))
    main = [b for b in outcome.blocks if b.part == "main"]
    assert [b.id for b in main] == [
        "shares",
        "differences-1",
        "changes",
        "similarity",
        "differences-2",
        "cells",
        "agreement",
    ]
    texts = [
        *outcome.answer,
        *(text for b in main for text in (b.question, *b.sentences, b.figure_title, b.caption)),
    ]
    assert len(" ".join(texts).split()) <= 700
    assert len(outcome.methods[0].split()) <= 60
    (planned,) = outcome.planning
    assert planned.startswith(
        "To know the difference of the model for 'escalate' twice as precisely, collect about 47"
    )
    assert outcome.opening == "shares"


@pytest.mark.slow
def test_the_nearest_model_and_the_closest_people_are_found(outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes["ordinal-alignment"]
    assert [b.id for b in outcome.blocks] == [
        "distance",
        "refusals",
        "closest",
        "agreement",
        "near",
        "group-2",
        "groups-alike",
        "models",
        "models-differences",
        "stratum-1",
        "matches",
        "replies",
        "multiverse",
    ]
    assert [b.id for b in outcome.blocks if b.part == "main"] == [b.id for b in outcome.blocks[:7]]
    table = next(b for b in outcome.blocks if b.id == "closest").tables[0]
    closest = {(row[0], row[1]): row[2] for row in table.cells}
    assert closest["low", "age"] == "young"
    assert closest["high", "age"] == "old"


def test_the_answer_says_which_models_may_be_nearest_and_which_beat_a_constant() -> None:
    frame = norms().query("rater != 'shy'")
    frame = frame.assign(value=frame["value"].where(frame["rater"] != "high", "E"))
    twin = frame.query("rater == 'low'").assign(rater="low twin")
    value = twin["value"].where(twin["item"] != "i03", "C")  # one answer of forty is another
    outcome = run_study(
        STUDIES["ordinal-alignment"],
        norms_design(pd.concat([frame, twin.assign(value=value)])),
        FAST,
    )
    distances = next(b for b in outcome.blocks if b.id == "distance")
    main = distances.results[0]
    constant = [r for r in main.rows if (r.group or "").startswith("minus constant = ")]
    clear = [r for r in constant if r.p_adjusted is not None and r.p_adjusted < 0.05]
    near, far = sum((r.estimate or 0) < 0 for r in clear), sum((r.estimate or 0) > 0 for r in clear)
    others = {r.term: r.p_adjusted for r in main.rows if r.label("nearest")}
    assert {name for name, p in others.items() if p is not None and p < 0.05} == {"high"}
    first = next(r.label("nearest") for r in main.rows if r.label("nearest"))
    twin = next(name for name in others if name != "high")
    assert outcome.answer[0] == main.sentence()
    assert (
        f"'{first}' was significantly closer than 1 of the 2 other models; '{twin}' did not differ from it "
        "significantly (Holm)."
    ) in outcome.answer[0]
    assert (
        f"{near} of 3 models {'was' if near == 1 else 'were'} significantly closer and {far} farther"
        in outcome.answer[0]
    )
    for kind in ("nearest", "constant"):
        assert any(all(row.label(kind) for row in table.rows) for table in distances.tables)


def test_models_that_are_as_far_are_not_called_nearest() -> None:
    frame = norms()
    people = frame["source"] == "human"
    outcome = run_study(
        STUDIES["ordinal-alignment"],
        norms_design(frame.assign(value=np.where(people, frame["value"], "F"))),
        FAST,
    )
    assert outcome.answer[0].startswith(
        "The distance from the mode of the human answers was the same for all 3 models: 4.00"
    )
    assert not any("smallest" in said for said in outcome.answer)


@pytest.mark.slow
def test_alphas_of_models_and_people_are_compared_on_the_same_units(
    outcomes: dict[str, Outcome],
) -> None:
    block = next(b for b in outcomes["ordinal-alignment"].blocks if b.id == "agreement")
    gaps = [r for r in block.results if r.title.startswith("Alpha (")]
    assert [g.title for g in gaps] == [
        "Alpha (ordinal): model minus human",
        "Alpha (nominal): model minus human",
    ]
    design = norms_design(norms())
    source = human_source(design)
    assert source is not None
    for gap, scale in zip(gaps, ("ordinal", "nominal"), strict=True):
        own = [
            krippendorff_alpha(
                design.of_raters(raters_of(design, source, who)), scale=scale, resamples=200
            )
            for who in ("model", "human")
        ]
        one, two = (found.rows[0].estimate for found in own)
        assert gap.rows[0].estimate == pytest.approx(one - two, abs=1e-12)
        assert gap.verify().ok
        wrong = replace(gap, rows=(replace(gap.rows[0], estimate=gap.rows[0].estimate * 1.02),))
        assert not wrong.verify().ok
    low, high = gaps[0].rows[0].conf_low, gaps[0].rows[0].conf_high
    (said,) = (text for text in block.sentences if "raters" in text)
    assert ("did not differ significantly" in said) == (low <= 0 <= high)


def test_people_and_models_who_answer_alike_are_not_told_apart_by_alpha() -> None:
    frame = norms().query("rater != 'shy'")
    people = frame.query("source == 'human'").drop(columns=["sex", "age"])
    twins = people.assign(source="model", rater="m" + people["rater"])
    table = pd.concat([people, twins])
    design = Ratings.from_frame(
        table,
        unit="item",
        rater="rater",
        value="value",
        levels=list("ABCDE"),
        rater_source="source",
    )
    block = next(
        b
        for b in run_study(STUDIES["ordinal-alignment"], design, FAST).blocks
        if b.id == "agreement"
    )
    gap = next(r for r in block.results if r.title.startswith("Alpha (ordinal)"))
    assert gap.rows[0].estimate == pytest.approx(0.0, abs=1e-12)
    said = " ".join(block.sentences)
    assert "between 'model' raters and 'human' raters was 0.000, no interval: " in said
    assert "inconclusive" not in said


def test_captions_say_units_people_and_the_design_effect() -> None:
    outcome = run_study(STUDIES["ordinal-alignment"], norms_design(norms()), FAST)
    distances = next(b for b in outcome.blocks if b.id == "distance")
    assert "n = 40" in distances.caption
    effects = sorted(distances.results[0].extras["design_effect"].values())
    assert distances.caption.endswith(
        f"The design effect of sampling 24 human raters was {effects[1]:.1f} (median over models)."
    )
    assert all(effect >= 1 for effect in effects)


def test_groups_that_are_equally_close_have_no_closest() -> None:
    frame = norms()
    frame = frame[frame["item"] < "i12"]
    people = frame["source"] == "human"
    same = frame.assign(value=np.where(people, "C", frame["value"]))
    outcome = run_study(STUDIES["ordinal-alignment"], norms_design(same), FAST)
    assert "closest" not in [b.id for b in outcome.blocks]
    assert not any("the closest" in text for text in outcome.answer)
    distances = next(b for b in outcome.blocks if b.id == "groups-alike").tables[0].rows
    for model in ("low", "high", "shy"):
        assert len({row.estimate for row in distances if row.label("model") == model}) == 1


def test_a_difference_on_fewer_units_than_the_shares_is_said() -> None:
    """The model did not answer where people were asked alone: share minus share is not the paired difference."""
    frame = actions()
    gone = (frame["source"] == "model") & frame["scenario"].isin(
        sorted(set(frame["scenario"]))[::3]
    )
    said = []
    for table in (frame, frame[~gone]):
        outcome = run_study(STUDIES["norm-goal"], choices_design(table), FAST)
        texts = [
            s for b in outcome.blocks for s in b.sentences if "The largest difference was" in s
        ]
        said.append(["(difference on the units that both have = " in s for s in texts])
    assert not any(said[0])
    assert any(said[1])


@pytest.mark.slow
def test_alphas_of_models_alone_are_those_of_the_metric_by_level(
    outcomes: dict[str, Outcome],
) -> None:
    parts = models_design(norms()).split()
    shown = {r.term: r.estimate for r in _agreement_rows(outcomes["models"])}
    for level, part in parts.items():
        for kind, options in (
            ("nominal", {"scale": "nominal"}),
            ("ordinal", {}),
            ("nominal, refusals as a level", {"scale": "nominal", "refusal": "level"}),
        ):
            want = krippendorff_alpha(part, **options).row("alpha").estimate  # type: ignore[arg-type,union-attr]
            assert shown[f"{level}: {kind}"] == pytest.approx(want)


def _agreement_rows(outcome: Outcome) -> list:  # type: ignore[type-arg]
    return next(b for b in outcome.blocks if b.id == "agreement").draw.args[0]  # type: ignore[union-attr]


@pytest.mark.slow
def test_groups_without_a_significant_difference_share_one_heat_map_and_one_table(
    outcomes: dict[str, Outcome],
) -> None:
    outcome = outcomes["ordinal-alignment"]
    block = next(b for b in outcome.blocks if b.id == "groups-alike")
    assert block.sentences == (
        "None of 3 differences between groups by sex was significant (Holm).",
    )
    assert [len(table.cells) for table in block.tables] == [6, 3]
    assert "within each model, over the pairs of groups of all attributes" in block.caption
    cells = block.draw.args[0]  # type: ignore[union-attr]
    assert {(r.term, r.group) for r in cells} == {
        (m, g) for m in ("low", "high", "shy") for g in ("sex: f", "sex: m")
    }
    adjusted = {
        (r.term, r.label("attribute")): r.p_adjusted
        for b in outcome.blocks
        if b.id == "closest"
        for result in b.results
        for r in result.rows
    }
    clear = sum(p < 0.05 for p in adjusted.values())
    tally = next(text for text in outcome.answer if "between the closest" in text)
    assert tally.startswith(f"{clear} of 6 differences")


@pytest.mark.slow
def test_the_threshold_of_groups_of_people_follows_the_level() -> None:
    frame = norms()
    close = frame.assign(
        value=frame["value"].where(frame["age"] != "old", frame["value"].shift(-1))
    )
    strict, loose = (
        run_study(
            STUDIES["ordinal-alignment"],
            norms_design(close),
            StudyOptions(resamples=200, verify=False, level=level),
        )
        for level in (0.95, 0.4)
    )
    told = []
    for outcome, alpha in ((strict, 0.05), (loose, 0.6)):
        block = next(b for b in outcome.blocks if b.id == "closest")
        p = [row.p_adjusted for row in block.tables[0].rows if row.p_adjusted is not None]
        told.append(sum(value < alpha for value in p))
        tally = next(text for text in outcome.answer if "between the closest" in text)
        assert tally.startswith(f"{told[-1] or 'None'} of {len(p)} differences")
    assert told[0] < told[1]


@pytest.mark.slow
def test_the_halving_sentence_counts_units_and_raters(outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes["ordinal-alignment"]
    main = next(b for b in outcome.blocks if b.id == "distance").results[0]
    low = min((r for r in main.rows if r.group is None), key=lambda r: r.estimate or 0.0)
    more = clusters_to_halve(low, 40)
    assert more is not None
    assert outcome.planning == (
        f"To know the distance of '{low.term}' twice as precisely, collect about {more} more units and "
        f"{-(-more * 24 // 40)} more human raters.",
    )


def test_which_study_a_table_gets() -> None:
    assert pick(STUDIES, None, choices_design(actions())).name == "norm-goal"
    assert pick(STUDIES, None, norms_design(norms())).name == "ordinal-alignment"
    assert pick(STUDIES, None, models_design(norms())).name == "ordinal-alignment"
    people = Ratings.from_frame(
        norms()[["item", "rater", "value"]], unit="item", levels=[*"ABCDEF"]
    )
    assert pick(STUDIES, None, people).name == "agreement"
    few = norms()[lambda d: d["rater"].isin(["p00", "p01", "low"])]
    assert pick(STUDIES, None, norms_design(few)).name == "agreement"  # two people have no mode
    with pytest.raises(InputError, match=r"cannot be run|needs unit, rater, value"):
        pick(STUDIES, "norm-goal", people)


def test_labels_that_look_like_names_of_rows_keep_their_tests() -> None:
    frame = norms().replace({"sex": {"f": "x - y", "m": "closest = z"}, "age": {"young": "old: b"}})
    outcome = run_study(
        STUDIES["ordinal-alignment"], norms_design(frame), StudyOptions(resamples=200, verify=False)
    )
    differences, stability = next(b for b in outcome.blocks if b.id == "closest").tables
    assert len(differences.cells) == len(stability.cells) == 6
    assert all(row.p_value is not None for row in differences.rows)
    assert all(row.estimate is not None for row in stability.rows)


def test_changes_from_no_pressure_are_those_of_the_table_whatever_the_sources_are_called() -> None:
    frame = actions().assign(
        source=lambda f: f["source"].replace("model", "a model")
    )  # before human in order
    outcome = run_study(
        STUDIES["norm-goal"], choices_design(frame), StudyOptions(resamples=200, verify=False)
    )
    block = next(b for b in outcome.blocks if b.id == "changes")
    wide = (
        frame.assign(hit=frame["action"] == "escalate")
        .groupby(["source", "scenario", "pressure"])["hit"]
        .mean()
    )
    moved = (wide.xs("goal", level="pressure") - wide.xs("none", level="pressure")).unstack(
        "source"
    )
    beyond, changes, tests = block.tables
    (gap,) = pick_rows(beyond.rows, "difference", level="escalate", source="a model")
    assert gap.estimate == pytest.approx((moved["a model"] - moved["human"]).mean())
    for source in ("human", "a model"):
        (row,) = pick_rows(changes.rows, "difference", level="escalate", source=source)
        assert row.estimate == pytest.approx(moved[source].mean())
    assert "difference between changes was for '" in block.sentences[0]
    assert len(tests.cells) == 3  # both sources, and their difference


def test_refusals_of_the_model_bound_its_difference() -> None:
    frame = actions()
    refused = (frame["source"] == "model") & (frame.index % 5 == 0)
    frame.loc[refused, "action"] = "no answer"
    design = Ratings.from_frame(
        frame,
        unit="scenario",
        rater="rater",
        value="action",
        scale="nominal",
        rater_source="source",
        by="pressure",
        refusal="no answer",
    )
    outcome = run_study(STUDIES["norm-goal"], design, StudyOptions(resamples=200, verify=False))
    block = next(b for b in outcome.blocks if b.id == "refusals")
    without, against, favour = (row[1] for row in block.tables[0].cells)
    assert against < without < favour
    model, human = frame[frame["source"] == "model"], frame[frame["source"] == "human"]
    place = next(a for a in ACTIONS if f"'{a}'" in block.question)
    people = (human["action"] == place).mean()
    assert against == pytest.approx((model["action"] == place).mean() - people)
    assert favour == pytest.approx(model["action"].isin([place, "no answer"]).mean() - people)


def many_sources(k: int = 6) -> pd.DataFrame:
    """Actions by people and k sources like them, of which the last leans and the one before refuses everything."""
    rng = np.random.default_rng(3)
    people = actions()[lambda d: d["source"] == "human"]
    parts = [people]
    for j in range(k):
        own = people[people["rater"] == "r0"].assign(source=f"s{j}", rater=f"s{j}")
        parts.append(own.assign(action=rng.permutation(own["action"])))
    parts[-1] = parts[-1].assign(action=ACTIONS[0])
    parts[-2] = parts[-2].assign(action="no answer")
    return pd.concat(parts, ignore_index=True)


def test_of_many_sources_blocks_speak_of_the_significant_ones_and_name_those_that_refused() -> None:
    design = Ratings.from_frame(
        many_sources(),
        unit="scenario",
        rater="rater",
        value="action",
        scale="nominal",
        rater_source="source",
        by="pressure",
        refusal="no answer",
    )
    outcome = run_study(STUDIES["norm-goal"], design, StudyOptions(resamples=200, verify=False))
    said = {block.id: block.sentences for block in outcome.blocks}
    rows = [
        row
        for block in outcome.blocks
        if block.id == "differences-1"
        for row in block.tables[0].rows
    ]
    clear = [row for row in rows if row.p_adjusted is not None and row.p_adjusted < 0.05]
    assert "of 15 differences in shares from human raters" in said["shares"][0]
    assert said["shares"][1].startswith(f"s5 chose '{ACTIONS[0]}' more")
    assert ": s5 " in said["differences-1"][0]
    assert said["differences-1"][-1].startswith(f"{len(clear)} of ")
    assert {row.label("source") for row in clear} == {"s5"}
    assert any("similarity of s4 is undefined: " in text for text in outcome.answer)
    assert outcome.title == "How similar were the choices of 6 sources and of human raters?"
    (lost,) = [c.detail for c in outcome.cautions if c.code == "SS342"]
    assert "'s4' 48 (48 refused)" in lost


def test_differences_of_all_units_have_a_table_and_tests_of_sources_are_a_family() -> None:
    """The claims `chose more often than people (Holm)` go by rows of a table; three sources are three tests."""
    rng = np.random.default_rng(3)
    rows = [
        (f"u{u}", f"{who} {k}", who, rng.choice(ACTIONS, p=p))
        for u in range(40)
        for who, n, p in (
            ("human", 5, (0.5, 0.3, 0.2)),
            ("m1", 2, (0.1, 0.3, 0.6)),
            ("m2", 2, (0.5, 0.3, 0.2)),
            ("m3", 2, (0.35, 0.35, 0.3)),
        )
        for k in range(n)
    ]
    frame = pd.DataFrame(rows, columns=["unit", "rater", "source", "value"])
    outcome = run_study(
        STUDIES["norm-goal"],
        Ratings.from_frame(frame, scale="nominal", rater_source="source"),
        FAST,
    )
    block = next(b for b in outcome.blocks if b.id == "shares")
    gaps, tests = (t for t in block.tables if "all units" in t.caption)
    picked = block.results[0].rows
    assert gaps.caption.endswith("p (Holm): over the actions of each source")
    assert gaps.rows == tuple(pick_rows(picked, "difference"))
    p = [row.p_value for row in pick_rows(picked, "test") if row.test == "f"]
    theirs = multipletests(p, method="holm")[1]
    at = tests.header.index("p (Holm)")
    for who, adjusted, cells in zip(("m1", "m2", "m3"), theirs, tests.cells, strict=True):
        assert cells[at] == pytest.approx(adjusted, rel=1e-9)
        said = next(text for text in outcome.answer if text.startswith(f"The choices of {who} "))
        assert f"(F test, {p_value(adjusted, name='p_Holm')})" in said
        assert ("did not differ significantly" in said) == (adjusted >= 0.05)
