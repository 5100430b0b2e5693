"""The study of ratings: coefficients, pairs of raters, strata, refusals, and ratings at the edge."""

from __future__ import annotations

import re
from dataclasses import replace

import krippendorff
import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score
from study_tables import LEVELS, ratings, stray_cells, stray_decimals

from socialstats import krippendorff_alpha, sentences, weighted_kappa
from socialstats.designs.ratings import Ratings
from socialstats.errors import NothingToAnalyse, UndefinedStatistic, caution
from socialstats.results import Result, Row
from socialstats.studies import STUDIES, StudyOptions, pick, run_study
from socialstats.studies.alphas import band_text
from socialstats.studies.page import Outcome
from socialstats.studies.ratings import answer
from socialstats.text import number

FAST = StudyOptions(resamples=200)
ORDERED = {"levels": list(LEVELS), "refusal": "refused"}


def report(frame: pd.DataFrame, options: StudyOptions = FAST, **reading: object) -> Outcome:
    return run_study(STUDIES["agreement"], Ratings.from_frame(frame, **reading), options)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def ordinal() -> Outcome:
    return report(ratings(), **ORDERED, strata="domain", cluster="story", rater_groups="kind")


@pytest.fixture(scope="module")
def nominal() -> Outcome:
    return report(ratings(), scale="nominal", na="refused")


@pytest.fixture(scope="module")
def interval() -> Outcome:
    rng = np.random.default_rng(2)
    frame = ratings()[["unit", "judge"]].assign(rating=lambda d: rng.normal(size=len(d)).round(3))
    return report(frame, scale="interval")


@pytest.mark.parametrize("name", ["ordinal", "nominal", "interval"])
def test_every_number_of_the_page_is_in_tidy_and_verified(
    name: str, request: pytest.FixtureRequest
) -> None:
    outcome: Outcome = request.getfixturevalue(name)
    assert stray_cells(outcome) == []
    texts = [*outcome.answer, *(s for b in outcome.blocks for s in b.sentences)]
    shifts = {row[3] for row in outcome.blocks[-1].tables[0].cells if row[3] is not None}
    assert stray_decimals(outcome, texts, {0.667, 0.8, *shifts}) == []  # type: ignore[arg-type]
    assert all(v.ok for v in outcome.verifications.values())
    assert len(outcome.verifications) == len({id(r) for b in outcome.blocks for r in b.results})


@pytest.mark.parametrize("name", ["ordinal", "nominal", "interval"])
def test_figures_are_drawn_and_texts_are_clean(name: str, request: pytest.FixtureRequest) -> None:
    outcome: Outcome = request.getfixturevalue(name)
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
        assert not re.search(r"\bnan\b|\bNone\b|\binf\b|-0\.00|p = \.000|\(\)|  ", text), text


def test_the_blocks_of_each_scale(ordinal: Outcome, nominal: Outcome, interval: Outcome) -> None:
    assert [b.id for b in ordinal.blocks] == [
        "judge",
        "agreement",
        "pairs",
        "stratum-1",
        "alphas",
        "dependence",
        "multiverse",
    ]
    assert [b.id for b in ordinal.blocks if b.part == "appendix"] == ["dependence", "multiverse"]
    assert [r.metric for r in nominal.blocks[0].results] == [
        "krippendorff_alpha",
        "fleiss_kappa",
        "gwet_ac",
        "weighted_kappa",
        "percent_agreement",
    ]
    assert [r.metric for r in interval.blocks[0].results] == [
        "krippendorff_alpha",
        "percent_agreement",
    ]
    assert "distinct values are numbers, not levels" in interval.diagnostics[1].found


def test_who_rated_what_is_a_recount(ordinal: Outcome) -> None:
    frame = ratings()
    refused = frame[frame["rating"] == "refused"].groupby("judge").size()
    rows = {row[0]: row[1:] for row in ordinal.data[0].cells}
    assert rows["gpt_4"] == (60 - refused["gpt_4"], refused["gpt_4"], 0, 0)
    assert rows["ann"] == (60, 0, 0, 0)
    gone = report(frame.drop(index=frame.index[:2]), replace(FAST, verify=False), **ORDERED)
    assert {row[0]: row[4] for row in gone.data[0].cells} == {"ann": 1, "bob": 1, "gpt_4": 0}


def test_how_united_the_raters_are_is_a_recount(ordinal: Outcome) -> None:
    votes = (
        ratings()
        .query("rating != 'refused'")
        .groupby("unit")["rating"]
        .agg(lambda v: sorted(v.value_counts()))
    )
    found = {row[0]: row[1] for row in ordinal.data[1].cells}
    assert found["all raters gave one level"] == sum(len(v) == 1 for v in votes)
    assert found["more than half gave one level"] == sum(v == [1, 2] for v in votes)
    assert found["several levels most frequent (a tie)"] == sum(
        v in ([1, 1], [1, 1, 1]) for v in votes
    )
    assert sum(int(str(n)) for n in found.values()) == 60


def test_a_judge_against_people_leads_beside_people_with_each_other_on_the_same_units(
    ordinal: Outcome,
) -> None:
    assert ordinal.title == "Does 'gpt_4' agree with people as people agree with each other?"
    gap, own, theirs = ordinal.blocks[0].results[0].rows
    (first, second), (third,) = ordinal.answer, ordinal.planning
    numbers = [number(x, 3, bounded=True) for x in (own.estimate, theirs.estimate)]
    assert (
        f"Kappa was {numbers[0]} for 'gpt_4' and {numbers[1]} among people, on the same 56 units."
        in first
    )
    assert second.startswith(
        "Agreement was Krippendorff's α (ordinal) = .598, approximate 95% CI ["
    )
    assert third.startswith("To know the difference twice as precisely, collect about ")
    assert ordinal.verdict is not None
    assert ordinal.verdict.text == (
        "The data do not show whether gpt_4 agrees more or less with people than people agree with each other."
    )
    both = (
        ratings()
        .query("rating != 'refused'")
        .pivot(index="unit", columns="judge", values="rating")
        .dropna()
    )
    assert theirs.estimate == pytest.approx(
        cohen_kappa_score(both["ann"], both["bob"], labels=list(LEVELS), weights="quadratic")
    )
    assert gap.estimate == pytest.approx((own.estimate or 0) - (theirs.estimate or 0))


def test_several_judges_are_compared_one_by_one_and_adjusted_together() -> None:
    frame, rng = ratings(), np.random.default_rng(1)
    coin = frame[frame["judge"] == "ann"].assign(
        judge="coin", kind="model", rating=rng.choice(LEVELS, 60)
    )
    outcome = report(pd.concat([frame, coin]), **ORDERED, rater_source="kind")
    assert outcome.title == "Do the 2 judges agree with people as people agree with each other?"
    assert outcome.answer[0].startswith(
        "1 of 2 differences in kappa (judge with people, minus people with each other) was significant (Holm)."
    )
    block = outcome.blocks[0]
    assert block.id == "judges"
    p = [row.p_value or 0.0 for row in block.results[0].rows if row.term == "difference"]
    assert [row.p_adjusted for row in block.results[1].rows] == pytest.approx(
        [2 * p[0], max(2 * p[0], p[1])]
    )
    assert stray_cells(outcome) == []
    assert stray_decimals(outcome, [*outcome.answer, *block.sentences], {0.667, 0.8}) == []


def test_one_person_beside_a_judge_is_told_what_would_be_needed() -> None:
    frame = ratings()
    outcome = report(frame[frame["judge"] != "bob"], **ORDERED, rater_source="kind")
    assert outcome.title == "Do the 2 raters agree?"
    assert [b.id for b in outcome.blocks][:2] == ["agreement", "judge"]
    assert outcome.answer[-1].startswith(
        "Judges could not be compared with people: no unit with a rating of this judge"
    )
    assert "have two or more people rate the units that the judge rated" in outcome.answer[-1]


def test_levels_of_a_by_factor_set_the_judge_against_people_in_each() -> None:
    frame = pd.concat([ratings(seed).assign(model=m) for seed, m in ((3, "m1"), (4, "m2"))])
    outcome = report(frame, **ORDERED, by="model", rater_source="kind")
    assert outcome.blocks[0].id == "levels"
    assert [row.term for row in outcome.blocks[0].results[0].rows] == ["m1", "m2"]
    assert "agreement with people" in outcome.answer[0].lower()
    assert "Differences between levels of model were not tested." in outcome.answer


def test_a_verdict_needs_five_independent_units(ordinal: Outcome) -> None:
    row = next(b for b in ordinal.blocks if b.id == "agreement").results[0].rows[0]
    few = replace(row, estimate=0.85, conf_low=0.81, conf_high=0.9, df=3.0, cautions=())
    assert band_text(few) == "too uncertain for a verdict (4 independent units or clusters)"
    assert band_text(replace(few, df=4.0)).startswith("reliably at least .80")


def test_pairs_of_raters_are_one_family(ordinal: Outcome) -> None:
    block = next(b for b in ordinal.blocks if b.id == "pairs")
    assert [row[0] for row in block.tables[0].cells] == ["ann | bob", "ann | gpt_4", "bob | gpt_4"]
    rows = [r for r in block.results[-1].rows if r.p_value is not None]
    assert len(rows) >= 2
    p = sorted(r.p_value for r in rows)
    hand = {
        value: max((len(p) - j) * p[j] for j in range(k + 1)) for k, value in enumerate(p)
    }  # Holm's step-down
    assert [r.p_adjusted for r in rows] == pytest.approx([min(1, hand[r.p_value]) for r in rows])


def test_two_raters_get_their_square_table() -> None:
    frame = ratings()
    two = frame[frame["judge"] != "gpt_4"]
    outcome = report(two, **ORDERED)
    block = next(b for b in outcome.blocks if b.id == "pairs")
    wide = two.pivot(index="unit", columns="judge", values="rating")
    same = int((wide["ann"] == wide["bob"]).sum())
    assert f"the same level to {same} of 60 units" in block.sentences[0]
    multiverse = next(b for b in outcome.blocks if b.id == "multiverse")
    assert "rater left out" not in {row.group for row in multiverse.results[0].rows}


@pytest.mark.parametrize(
    ("low", "high", "band"),
    [
        (0.81, 0.9, "reliably at least .80, the customary minimum for firm conclusions"),
        (0.70, 0.9, "reliably at least .667, the customary minimum for tentative conclusions"),
        (0.3, 0.6, "reliably below .667, the customary minimum"),
        (0.3, 0.9, "inconclusive against .667, the customary minimum"),
        (None, None, ""),
    ],
)
def test_bands_follow_the_interval(
    ordinal: Outcome, low: float | None, high: float | None, band: str
) -> None:
    result = next(b for b in ordinal.blocks if b.id == "agreement").results[0]
    row = replace(result.rows[0], estimate=0.85, conf_low=low, conf_high=high, undefined="why")
    row = replace(row, cautions=())
    assert band_text(row) == band
    near = band_text(replace(row, cautions=(caution("SS312"),)))
    assert near == band.replace("reliably", "by its approximate interval")
    said = answer(replace(result, rows=(row,), cautions=()))
    assert said.startswith("Agreement was Krippendorff's α (ordinal) = .85")
    assert said.endswith(f"{band}." if band else ", no interval: why (60 units, 3 raters).")


def test_ratings_at_the_edge() -> None:
    frame = ratings()
    same = frame.assign(rating="low")
    outcome = report(same, **ORDERED)
    assert outcome.answer[0].startswith("Krippendorff's alpha (ordinal) is undefined: ")
    assert "inconclusive" not in " ".join(outcome.answer)
    shared = frame.groupby("unit")["rating"].transform("first")
    perfect = report(frame.assign(rating=shared), **ORDERED)
    assert perfect.answer[0].startswith(
        "Agreement was Krippendorff's α (ordinal) = 1.000, 95% CI [.848"
    )
    assert perfect.answer[0].endswith(
        "reliably at least .80, the customary minimum for firm conclusions."
    )
    for found in (outcome, perfect):
        assert stray_cells(found) == []
        for block in found.blocks:
            if block.draw is not None:
                block.draw()
    with pytest.raises((UndefinedStatistic, NothingToAnalyse)):
        report(frame[frame["judge"] == "ann"], **ORDERED)


def test_levels_of_a_by_factor_share_a_page() -> None:
    frame = pd.concat([ratings(seed).assign(model=m) for seed, m in ((3, "m1"), (4, "m2"))])
    outcome = report(frame, **ORDERED, by="model")
    assert [a.split(":")[0] for a in outcome.answer[-2:]] == ["m1", "m2"]
    assert outcome.answer[0] == outcome.blocks[0].results[0].sentence()
    assert stray_cells(outcome) == []


def test_the_study_is_picked_by_the_design() -> None:
    assert pick(STUDIES, None, Ratings.from_frame(ratings(), **ORDERED)).name == "agreement"  # type: ignore[arg-type]


def test_an_unknown_level_of_a_group_of_results_is_an_error_that_lists_them() -> None:
    from socialstats.agreement.krippendorff_alpha import krippendorff_alpha
    from socialstats.errors import InputError

    frame = pd.concat([ratings(seed).assign(model=m) for seed, m in ((3, "m1"), (4, "m2"))])
    group = krippendorff_alpha(Ratings.from_frame(frame, **ORDERED, by="model"))  # type: ignore[arg-type]
    assert list(group) == ["m1", "m2"]
    with pytest.raises(InputError, match="no level 'm3' of model; levels: m1 and m2"):
        group["m3"]  # type: ignore[index]


def test_refusals_are_set_beside_alpha_on_the_same_scale(ordinal: Outcome) -> None:
    block = next(b for b in ordinal.blocks if b.id == "alphas")
    rows = {cells[0]: cells[1] for cells in block.tables[1].cells}
    whole, people = "all raters", "kind human (2 raters)"
    kinds = ("nominal, refusals as a level", "nominal", "ordinal")
    names = [f"{part}: {kind}" for part in (whole, people) for kind in kinds]
    # people refused nothing
    assert list(rows) == [name for name in names if name != f"{people}: {kinds[0]}"]
    assert rows[f"{whole}: {kinds[0]}"] != rows[f"{whole}: nominal"]
    lead = next(b for b in ordinal.blocks if b.id == "agreement").results[0].rows[0]
    assert rows[f"{whole}: ordinal"] == lead.estimate


def test_ratings_that_are_all_alike_have_no_interval_in_the_methods() -> None:
    table = {"unit": [k // 3 for k in range(24)], "rater": list("xyz") * 8, "value": ["agree"] * 24}
    outcome = report(pd.DataFrame(table), scale="nominal")
    assert outcome.methods[0].endswith(
        "There was no test or CI: no variation; every rating is 'agree', so agreement "
        "by chance is complete."
    )
    assert outcome.methods[-1] == "Percent agreement: Wilson intervals; units taken as independent."
    assert not {"SS301", "SS312"} & {c.code for c in outcome.cautions}


def test_the_methods_have_the_right_article(ordinal: Outcome, nominal: Outcome) -> None:
    assert ordinal.methods[2].startswith("Ratings were on an ordinal scale of")
    assert nominal.methods[1].startswith("Ratings were on a nominal scale of")
    assert all(len(outcome.methods[0].split()) <= 60 for outcome in (ordinal, nominal))


def test_declared_numbers_are_levels_that_no_caution_calls_undeclared() -> None:
    frame = (
        ratings()
        .query("rating != 'refused'")
        .replace({"rating": {level: k for k, level in enumerate(LEVELS, 1)}})
    )
    told = report(frame, replace(FAST, verify=False), levels=["1", "2", "3"])
    assert "SS310" not in {c.code for c in told.cautions}
    assert "Ratings were on an interval scale of 3 levels. Levels were declared." in told.methods[1]
    silent = report(frame, replace(FAST, verify=False))
    assert "SS310" in {c.code for c in silent.cautions}
    assert "Levels were not declared" in silent.methods[1]


def test_the_axis_of_the_coefficients_is_true_of_percent_agreement(nominal: Outcome) -> None:
    draw = nominal.blocks[0].draw
    assert draw is not None
    assert "percent agreement: 0 = none" in draw().get_xlabel()


def test_alpha_under_other_choices_is_alpha_of_these_choices(
    ordinal: Outcome, nominal: Outcome
) -> None:
    block = ordinal.blocks[-1]
    assert block.id == "multiverse"
    rows = {r.term: r for r in block.results[0].rows}
    assert list(rows)[:3] == ["ordinal, all raters", "nominal scale", "bootstrap, percentile"]
    assert {
        "units independent",
        "without ann",
        "without bob",
        "without gpt_4",
        "units that all raters rated",
    } <= set(rows)
    frame = ratings().replace({"rating": {"refused": np.nan}}).dropna()
    whole = frame[frame.groupby("unit")["judge"].transform("size") == 3]
    codes = {level: k for k, level in enumerate(LEVELS)}

    def alpha(table: pd.DataFrame, scale: str) -> float:
        wide = table.assign(rating=table["rating"].map(codes)).pivot(
            index="judge", columns="unit", values="rating"
        )
        return float(
            krippendorff.alpha(
                wide.to_numpy(dtype=float), level_of_measurement=scale, value_domain=[0, 1, 2]
            )
        )

    assert rows["nominal scale"].estimate == pytest.approx(alpha(frame, "nominal"))
    assert rows["units that all raters rated"].estimate == pytest.approx(alpha(whole, "ordinal"))
    assert rows["without bob"].estimate == pytest.approx(
        alpha(frame[frame["judge"] != "bob"], "ordinal")
    )
    assert "scale" not in {r.group for r in nominal.blocks[-1].results[0].rows}


def test_a_rater_who_never_varies_is_linked_to_the_pairs() -> None:
    """The caution about kappa linked to the table of coefficients alone."""
    frame = pd.DataFrame(
        {
            "unit": np.repeat(np.arange(30), 3),
            "rater": ["a", "b", "c"] * 30,
            "value": np.tile([1, 2, 2, 2, 1, 2], 15),
        }
    )
    frame.loc[frame["rater"] == "c", "value"] = 2
    found = report(frame, replace(FAST, verify=False), scale="ordinal")
    pairs = next(block for block in found.blocks if block.id == "pairs")
    assert "SS313" in {c.code for result in pairs.results for c in result.cautions}


def test_a_rater_who_gave_one_level_is_set_aside_in_answer_and_pairs() -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 60)
    rows = [
        (u, name, str(truth[u] if rng.random() < 0.85 else rng.integers(0, 3)))
        for u in range(60)
        for name in ("ana", "ben", "cleo")
        if (u, name) != (7, "ana")
    ]
    rows += [(u, "dan", "1") for u in range(60)]
    frame = pd.DataFrame(rows, columns=["unit", "rater", "value"])
    found = report(frame, scale="nominal")
    assert found.design.endswith("4 ratings for 59 units and fewer for the others")
    without = krippendorff_alpha(frame[frame.rater != "dan"], scale="nominal").rows[0]
    said = f"Without 'dan', who always gave '1', it was {sentences.estimate_text(without)}."
    assert said in found.answer
    pairs = next(b for b in found.blocks if b.id == "pairs")
    assert pairs.sentences[0].startswith("Kappa of 3 pairs of raters who both varied lay")
    assert "dan" not in pairs.sentences[0]
    assert pairs.sentences[1].startswith(
        "Kappa says nothing of 3 other pairs: 'dan' always gave '1'"
    )


def two_raters() -> pd.DataFrame:
    """150 units of two raters, three of which they rate differently."""
    values = ["a"] * 138 + ["b"] * 12
    other = [*values[:137], "b", *values[138:148], "a", "a"]
    return pd.DataFrame({"unit": range(150), "ann": values, "bob": other}).melt(
        "unit", var_name="rater"
    )


def test_cautions_name_the_coefficients_that_they_are_about() -> None:
    """SS317 and SS329 spoke of a coefficient; the table had five, and n of ratings, pairs and units."""
    found = run_study(
        STUDIES["agreement"],
        Ratings.from_frame(two_raters(), scale="nominal"),
        StudyOptions(verify=False),
    )
    for code in ("SS317", "SS329"):
        (said,) = (c for c in found.cautions if c.code == code)
        assert "Krippendorff's alpha (nominal)" in said.detail, said
        others = (
            "Fleiss' kappa (unweighted), Gwet's AC1 (unweighted) and Cohen's kappa (unweighted)"
        )
        assert said.detail.endswith(f"The same applies to {others}"), said
    table = found.blocks[0].tables[0]
    at = table.header.index("Units")
    assert [line[at] for line in table.cells] == [150] * 5
    assert "n" not in table.header


def test_of_several_kappas_only_those_that_a_caution_names_are_approximate() -> None:
    frame = pd.concat(
        [
            two_raters(),
            two_raters().query("rater == 'ann' and unit % 2").assign(rater="cat", value="b"),
        ]
    )
    rare = frame["rater"].eq("cat") & frame["unit"].lt(130)
    result = weighted_kappa(
        frame.assign(value=frame["value"].where(~rare, "a")), scale="nominal", pairs="all"
    )
    (said,) = (c for c in result.cautions if c.code == "SS317")
    assert said.rows is not None
    assert set(said.rows) < {row.term for row in result.rows}
    assert said.detail.startswith("few units determine Cohen's kappa (unweighted) of '")


@pytest.mark.parametrize("code", ["SS312", "SS317", "SS329"])
def test_without_an_interval_there_is_no_caution_about_intervals(code: str) -> None:
    """Twenty differences of 0 have no interval, and the page warned that it was too short."""
    rows = (Row(term="d_z", undefined="the differences do not vary"),)
    assert (
        Result(metric="effect_sizes", title="x", rows=rows, cautions=(caution(code),)).cautions
        == ()
    )
    shown = (*rows, Row(term="d", conf_low=0.0, conf_high=1.0))
    assert (
        len(
            Result(metric="effect_sizes", title="x", rows=shown, cautions=(caution(code),)).cautions
        )
        == 1
    )
    other = (caution(code, rows=("d_z",)),)
    assert Result(metric="effect_sizes", title="x", rows=shown, cautions=other).cautions == ()
