"""Role conflict: values cited, labels checked, refusals bounded and groups of roles from a table of their own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from study_examples import FAST, choices

import socialstats as ss
from socialstats.designs.parts import A_WON, B_WON, TIED
from socialstats.errors import DesignError, InputError
from socialstats.results import Row
from socialstats.studies import STUDIES, StudyOptions, run_study
from socialstats.studies.page import Block, Outcome
from socialstats.studies.role_conflict.labels import (
    LabelCheck,
    check_labels,
    labels_question,
    read_item_groups,
    read_labels,
    rows_of_metric,
)
from socialstats.studies.role_conflict.shares import adjust_shares, by_other_mean, share_sentences
from socialstats.studies.role_conflict.variants import filled, s_of, share_of
from socialstats.studies.row_picking import pick_rows
from socialstats.tables import as_table

STUDY = STUDIES["role-conflict"]


@pytest.fixture(scope="module")
def labels() -> LabelCheck:
    return read_labels(as_table(ss.datasets.role_conflict_labels()))


@pytest.fixture(scope="module")
def outcome(labels: LabelCheck) -> Outcome:
    frame = ss.datasets.role_conflict()
    frame.loc[np.random.default_rng(5).random(len(frame)) < 0.03, "choice"] = "refused"
    groups = read_item_groups(as_table(ss.datasets.role_conflict_roles()))
    options = StudyOptions(resamples=200, labels=labels, item_groups=groups)
    return run_study(STUDY, ss.Comparisons.from_frame(frame, refusal="refused"), options)


def block(outcome: Outcome, name: str) -> Block:
    return next(b for b in outcome.blocks if b.id == name)


@pytest.mark.slow
def test_every_question_of_the_paper_is_on_the_page_and_verified(outcome: Outcome) -> None:
    ids = {b.id for b in outcome.blocks}
    assert {"values-domain", "labels", "refusals-share", "refusals-s", "shares"} <= ids
    assert outcome.verifications
    assert [name for name, v in outcome.verifications.items() if not v.ok] == []
    assert all(
        b.draw is None or b.draw()
        for b in outcome.blocks
        if b.id.startswith(("values", "labels", "refus"))
    )


@pytest.mark.slow
def test_true_shares_of_values_lie_in_their_intervals(outcome: Outcome) -> None:
    """50 intervals at 95%: at least 43 hold the truth with probability .998 (binomial)."""
    truth = ss.datasets.role_conflict_truth().values
    rows = block(outcome, "values-domain").results[0].rows
    held = []
    for row in rows:
        if row.group is not None and row.label("denominator") == "units":
            true = truth[row.group][row.label("label") or ""]
            assert row.conf_low is not None
            assert row.conf_high is not None
            held.append(row.conf_low <= true <= row.conf_high)
    assert len(held) == 50
    assert sum(held) >= 43


@pytest.mark.slow
def test_both_denominators_of_a_value(outcome: Outcome) -> None:
    rows = pick_rows(block(outcome, "values-domain").results[0].rows, None, group="family")
    counts = {row.label("label"): row.estimate for row in rows if row.role == "count"}
    assert len(counts) == 10
    shares = [row for row in rows if row.role == "estimate"]
    assert len(shares) == 20
    for row in shares:
        assert row.estimate == pytest.approx((counts[row.label("label")] or 0) / (row.n or 1))
    of_values = pick_rows(shares, denominator="labels")
    assert sum(row.estimate or 0 for row in of_values) == pytest.approx(1)


def test_the_majority_is_as_right_as_its_people_are(labels: LabelCheck) -> None:
    """Accuracy of three independent votes by enumeration of what people say, ties broken at random."""
    truth = ss.datasets.role_conflict_truth()
    p, expected = truth.person_right, {}
    for true, chance in (
        ("side", {"side": p, "tie": 0.9 * (1 - p), "other": 0.1 * (1 - p)}),
        ("tie", {"tie": p, "side": (1 - p) / 2, "other": (1 - p) / 2}),
    ):
        total = 0.0
        for votes in product(chance, repeat=3):
            most = max(votes.count(v) for v in votes)
            tied = {v for v in votes if votes.count(v) == most}
            total += np.prod([chance[v] for v in votes]) * (true in tied) / len(tied)
        expected[true] = total
    reference = labels.ratings.of_raters(["reference"])
    ties = float(np.mean([labels.ratings.levels[v] == "Tie" for v in reference.value.tolist()]))
    (row,) = rows_of_metric(
        check_labels(labels, FAST),
        "majority_vote_accuracy",
        measure="accuracy",
        rule="ties broken at random",
    )
    assert row.conf_low is not None
    assert row.conf_high is not None
    assert row.conf_low < ties * expected["tie"] + (1 - ties) * expected["side"] < row.conf_high


def test_kappas_agree_with_scikit_learn(labels: LabelCheck) -> None:
    from sklearn.metrics import cohen_kappa_score

    wide = ss.datasets.role_conflict_labels().pivot(
        index="scenario", columns="rater", values="label"
    )
    codes = wide.replace({"A": 0, "Tie": 1, "B": 2}).astype(int)
    kappas = rows_of_metric(check_labels(labels, FAST), "weighted_kappa")
    assert len(kappas) == 2 * 2 * 6
    for row in kappas:
        part = codes if row.label("stories") == "all stories" else codes[codes["reference"] != 1]
        rater = (row.label("pair") or "").removeprefix("reference | ")
        theirs = cohen_kappa_score(
            part["reference"], part[rater], weights=row.label("weights"), labels=[0, 1, 2]
        )
        assert row.estimate == pytest.approx(theirs, abs=1e-12)
        assert row.n == len(part)


@pytest.mark.parametrize("words", [("-1", "0", "1"), ("a", "TIE", "b"), (-1, 0, 1)])
def test_labels_may_be_numbers_or_words(words: tuple[object, ...], labels: LabelCheck) -> None:
    frame = ss.datasets.role_conflict_labels()
    coded = frame.assign(label=frame["label"].map(dict(zip(("A", "Tie", "B"), words, strict=True))))
    again = check_labels(read_labels(as_table(coded)), FAST)
    first = check_labels(labels, FAST)
    assert again.keys() == first.keys()
    for name, result in first.items():
        assert again[name].rows[0].estimate == pytest.approx(result.rows[0].estimate)


def test_tables_of_labels_that_cannot_be_checked_say_what_to_do() -> None:
    frame = ss.datasets.role_conflict_labels()
    with pytest.raises(
        InputError,
        match=r"row \d+, column 'label': 'maybe' is none of the levels .*\. Write -1, 0, 1 or A, Tie, B",
    ):
        read_labels(as_table(frame.replace({"label": {"Tie": "maybe"}})))
    with pytest.raises(InputError, match=r"no rater is the reference.*Call its rater 'reference'"):
        read_labels(as_table(frame[frame["rater"] != "reference"]))
    with pytest.raises(InputError, match="no rater but the reference"):
        read_labels(as_table(frame[frame["rater"] == "reference"]))
    with pytest.raises(DesignError, match=r"no column for the rater \(looked for rater, annotator"):
        read_labels(as_table(frame.rename(columns={"rater": "who"})))


def test_without_kinds_all_raters_are_people() -> None:
    found = read_labels(as_table(ss.datasets.role_conflict_labels().drop(columns="kind")))
    assert {kind: len(raters) for kind, raters in found.kinds.items()} == {
        "human raters": 6,
        "judges": 0,
    }


@pytest.mark.slow
def test_groups_of_some_roles_are_shares_of_those_roles_only(outcome: Outcome) -> None:
    shares = next(
        r for r in block(outcome, "shares").results if r.title == "Preference shares by gender"
    )
    rows = [r for r in shares.rows if r.group == "arithmetic"]
    assert {r.term: r.n_units for r in rows} == {"female": 7, "male": 7}
    assert sum(r.estimate or 0 for r in rows) == pytest.approx(1)
    fit = block(outcome, "strengths").results[0]
    roles = ss.datasets.role_conflict_roles()
    worth = {
        g: np.mean(
            [
                np.exp(fit.row(n, group="strength").estimate)
                for n in roles["role"][roles["gender"] == g]
            ]
        )
        for g in ("female", "male")
    }
    female = next(r for r in rows if r.term == "female")
    assert female.estimate == pytest.approx(worth["female"] / sum(worth.values()))
    assert female.conf_low is not None
    assert female.conf_high is not None
    assert female.conf_low < 0.5 < female.conf_high  # gender has no effect, by construction
    (worths,) = (t for t in block(outcome, "worth").tables if "Gender" in t.header)
    assert sum(not cells[worths.header.index("Gender")] for cells in worths.cells) == 51


def test_tables_of_groups_are_checked() -> None:
    with pytest.raises(InputError, match="'nun' has several rows"):
        read_item_groups(as_table({"role": ["nun", "nun"], "gender": ["f", "m"]}))
    with pytest.raises(DesignError, match="no column that names the item"):
        read_item_groups(as_table({"who": ["nun"], "gender": ["f"]}))
    with pytest.raises(DesignError, match="no column of a grouping"):
        read_item_groups(as_table({"role": ["nun"]}))


def small() -> ss.Comparisons:
    frame = choices(seed=3)
    frame.loc[::9, "winner"] = "refused"
    return ss.Comparisons.from_frame(frame, cluster="story", refusal="refused")


def test_bounds_by_refusals_agree_with_a_plain_count() -> None:
    frame = choices(seed=3)
    refused = np.zeros(len(frame), dtype=bool)
    refused[::9] = True
    more = frame["urgency_a"] > frame["urgency_b"]
    unequal = (frame["urgency_a"] != frame["urgency_b"]).to_numpy()
    wins = (np.where(frame["winner"] == frame["item_a"], more, ~more) & unequal & ~refused).sum()
    n, r = (unequal & ~refused).sum(), (unequal & refused).sum()
    expected = {"drop": wins / n, "against": wins / (n + r), "for": (wins + r) / (n + r)}
    for rule, share in expected.items():
        row = share_of(small(), "urgency", FAST, rule).row("all", group="higher")  # type: ignore[arg-type]
        assert row.estimate == pytest.approx(share)


def test_s_is_larger_when_refusals_count_against_urgency() -> None:
    drop, against, favour = (
        s_of(small(), "urgency", FAST, rule).row("S").estimate
        for rule in ("drop", "against", "for")
    )
    assert favour < drop < against  # type: ignore[operator]
    design = small()
    assert design.refused is not None
    whole = filled(design, "urgency", "for")
    assert whole.n_rows == design.n_rows + design.refused.n_rows
    sign = np.sign(design.refused.covariates["urgency"].a - design.refused.covariates["urgency"].b)
    assert whole.n_ties == design.refused.count[sign == 0].sum()
    assert set(filled(design, "urgency", "against").outcome.tolist()) <= {A_WON, B_WON, TIED}


def test_no_refusals_no_labels_no_values_no_block() -> None:
    ids = [
        b.id
        for b in run_study(
            STUDY, ss.Comparisons.from_frame(choices(), cluster="story"), FAST
        ).blocks
    ]
    assert not [name for name in ids if name.startswith(("values", "labels", "refusals"))]


def test_values_leave_every_other_number_as_it_is() -> None:
    frame = choices()
    cited = frame.assign(values=np.where(np.arange(len(frame)) % 3, "care;duty", "power"))
    plain, more = (
        run_study(STUDY, ss.Comparisons.from_frame(f, cluster="story"), FAST)
        for f in (frame, cited)
    )
    others = [b for b in more.blocks if not b.id.startswith("values")]
    assert [b.sentences for b in others] == [b.sentences for b in plain.blocks]
    assert [b.tables for b in others] == [b.tables for b in plain.blocks]


def test_hostile_values_and_labels_are_drawn_and_kept() -> None:
    frame = choices()
    cited = frame.assign(values=np.where(np.arange(len(frame)) % 2, "<b>x</b>;$a_1$", "r" * 300))
    found = block(
        run_study(STUDY, ss.Comparisons.from_frame(cited, cluster="story"), FAST), "values-domain"
    )
    assert found.draw is not None
    found.draw()
    assert any("<b>x</b>" in str(cells[0]) for cells in found.tables[0].cells)


def test_settings_do_not_hold_what_stands_beside_the_table(labels: LabelCheck) -> None:
    echoed = replace(FAST, labels=labels, item_groups={"g": {"a": "b"}}).echo()
    assert not {"labels", "item_groups"} & set(echoed)


def said(frame: pd.DataFrame) -> str:
    check = read_labels(as_table(frame))
    found = labels_question(check, check_labels(check, FAST), "labels of urgency")
    assert found is not None
    return " ".join(found.sentences)


def test_judges_agree_less_only_where_no_interval_reaches_a_persons() -> None:
    frame = ss.datasets.role_conflict_labels()
    assert (
        "Judges agreed less with the reference than human raters: all CIs were separate."
        in said(frame)
    )
    swapped = frame.assign(kind=frame["kind"].replace({"judge": "person", "person": "judge"}))
    assert "Human raters agreed less with the reference than judges" in said(swapped)
    mixed = frame.assign(kind=frame["kind"].where(frame["rater"] != "judge 3", "person"))
    assert "CIs of human raters and judges overlapped; no difference was tested." in said(mixed)
    alone = frame[frame["kind"] != "judge"]
    assert "agreed less" not in said(alone)
    assert "judges" not in said(alone)


@pytest.mark.slow
def test_checks_of_labels_have_their_own_names_and_no_number_twice(outcome: Outcome) -> None:
    found = {
        name: v for name, v in outcome.verifications.items() if name.startswith("Label check: ")
    }
    assert len(found) == 3 + 2 + 24
    assert "Label check: linear kappa of judge 1, all stories" in found
    once = {
        name
        for name, v in found.items()
        for check in v.checks
        if check.quantity.startswith("single rater")
    }
    assert once == {"Label check: majority, ties broken at random"}
    assert not any("values-domain" in name for name in outcome.verifications)


@pytest.mark.slow
def test_the_block_of_values_speaks_of_stories_and_says_the_design_effect(outcome: Outcome) -> None:
    found = block(outcome, "values-domain")
    shown = " ".join((*found.sentences, found.caption, *found.tables[0].header))
    assert "unit" not in shown
    assert "Median design effect: 1." in found.caption
    assert " stories cited " in found.sentences[0]


def test_refusals_between_equals_are_no_ties() -> None:
    """The bounds count such a refusal as half a win for each role; the table of the page has no tie."""
    design = small()
    assert not design.n_ties
    page = run_study(STUDY, design, FAST)
    assert any(block.id == "refusals-s" for block in page.blocks)
    assert not [c for c in page.cautions if c.code == "SS105"]
    (said,) = next(block for block in page.blocks if block.id == "refusals-s").sentences
    assert "; counting all refusals against the higher urgency gives " in said


def test_groups_said_to_differ_and_others_add_up_and_depend_on_the_mean_where_said() -> None:
    """All groups are named or counted: both of two groups, and those with another side by the geometric mean."""
    shares = {
        "kind": {"a": (0.5, 0.30), "b": (0.3, 0.36), "c": (0.2, 0.34)},
        "kinship": {"kin": (0.7, 0.7), "non-kin": (0.3, 0.3)},
    }
    p = {"a": 1e-5, "b": 0.9, "c": 1e-4, "kin": 1e-6, "non-kin": 1e-6}
    results = {
        grouping: result_of(
            Row(
                term=group,
                group=scale,
                key=(("group", group), ("scale", scale), ("grouping", grouping)),
                role="estimate",
                estimate=pair[k],
                statistic=pair[k] - 1 / len(groups),
                p_value=p[group],
                n_units=5,
            )
            for group, pair in groups.items()
            for k, scale in enumerate(("arithmetic", "geometric"))
        )
        for grouping, groups in shares.items()
    }
    rows, adjusted = adjust_shares(results)
    assert adjusted is not None
    assert len(adjusted.rows) == 4  # two groups are one test
    assert [row.label("group") for row in rows] == ["a", "b", "c", "kin", "non-kin"]
    assert [row.p_adjusted is None for row in rows] == [False] * 4 + [True]
    assert share_sentences(rows) == [
        "3 of 4 differences from an equal share were significant (Holm).",
        "More than an equal share was held by kind: a and kinship: kin.",
        "Less than an equal share was held by kind: c.",
    ]
    every = [row for result in results.values() for row in result.rows]
    turned = by_other_mean(rows, every, {"kind": 1 / 3, "kinship": 1 / 2})
    assert [text.partition(" was ")[0] for text in turned] == [
        f"By the geometric mean, the share of {group} (kind)" for group in "ac"
    ]


def result_of(rows: Iterable[Row]) -> ss.Result:
    return ss.Result(metric="preference_shares", title="Shares", rows=tuple(rows), inference="none")


def test_an_effect_of_urgency_that_is_not_significant_is_said_not_to_be() -> None:
    seen = set()
    for slope in (0.0, 1.0):
        frame = choices(seed=3)
        rng = np.random.default_rng(4)
        up = 1 / (1 + np.exp(-slope * (frame["urgency_a"] - frame["urgency_b"])))
        frame["winner"] = np.where(rng.random(len(frame)) < up, frame["item_a"], frame["item_b"])
        page = run_study(STUDY, ss.Comparisons.from_frame(frame), FAST)
        fit = next(
            r
            for b in page.blocks
            for r in b.results
            if any(row.group == "covariate" for row in r.rows)
        )
        clear = (fit.row("urgency", group="covariate").p_value or 0.0) < 0.05
        said = "Each unit of urgency multiplied the odds of being chosen by"
        if not clear:
            said = "The effect of one unit of urgency was not significant"
        assert sum(text.startswith(said) for text in page.answer) == 1
        seen.add(clear)
    assert seen == {True, False}
