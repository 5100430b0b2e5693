"""The study of couples: its numbers, its verdicts, what is missing, and tables at the edge."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from study_tables import stray_cells, stray_decimals

from socialstats import datasets, relationship_bias
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.results import Row
from socialstats.studies import STUDIES, StudyOptions, pick, run_study
from socialstats.studies.page import Outcome
from socialstats.studies.relationship_bias import favoured, filled, planning
from socialstats.tables import as_table

STUDY = STUDIES["relationship-bias"]
FAST = StudyOptions(resamples=200)
KEY = (("group", "a"), ("other", "b"))


def read(frame: pd.DataFrame, **options: object) -> object:
    assert STUDY.read is not None
    return STUDY.read(as_table(frame, "couples"), **options)


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return datasets.relationship_bias()


@pytest.fixture(scope="module")
def outcome(frame: pd.DataFrame) -> Outcome:
    return run_study(STUDY, read(frame), FAST)


def score(frame: pd.DataFrame, first: str, second: str) -> pd.Series:
    mine = frame[(frame["group_first"] == first) & (frame["group_second"] == second)]
    return mine["answer"].dropna().astype(float)


def bias(frame: pd.DataFrame, one: str, other: str) -> float:
    return score(frame, other, one).mean() - score(frame, one, other).mean()


@pytest.mark.slow
def test_every_number_of_the_page_is_in_tidy_and_verified(outcome: Outcome) -> None:
    own = ("Shift",)  # a difference of two cells of its row
    counted = (
        "First group both times",
        "Second group both times",
        "First name both times",
        "Second name both times",
        "Couples",
    )
    assert [cell for cell in stray_cells(outcome) if cell[0] not in (*own, *counted)] == []
    cells = outcome.blocks[0].results[0].extras["mcnemar_cells"]
    table = next(b for b in outcome.blocks if b.id == "tests").tables[1].cells
    assert [list(line[1:5]) for line in table] == [
        [int(v) for v in c.values()] for c in cells.values()
    ]
    texts = [*outcome.answer, *(s for b in outcome.blocks for s in b.sentences)]
    null = outcome.blocks[0].results[0].extras["null_mean"]["value"]
    assert stray_decimals(outcome, texts, {null, 0.05}) == []
    assert all(v.ok for v in outcome.verifications.values())
    assert len(outcome.verifications) == len({id(r) for b in outcome.blocks for r in b.results})


@pytest.mark.slow
def test_figures_are_drawn_and_texts_are_clean(outcome: Outcome) -> None:
    for block in outcome.blocks:
        if block.draw is not None:
            block.draw().figure.draw_without_rendering()
    texts = [
        *outcome.answer,
        *(s for b in outcome.blocks for s in b.sentences),
        *outcome.methods,
        outcome.design,
    ]
    texts += [d.found for d in outcome.diagnostics] + [b.caption for b in outcome.blocks]
    for text in texts:
        assert not re.search(
            r"\bnan\b|\bNone\b(?! of \d)|\binf\b|-0\.00|p = \.000|\(\)|  ", text
        ), text


@pytest.mark.slow
def test_the_numbers_are_those_of_a_recount(outcome: Outcome, frame: pd.DataFrame) -> None:
    tables = {t.caption.split(";")[0]: t for b in outcome.blocks for t in b.tables}
    for line in tables["Bias B of each pair of groups"].cells:
        assert line[1] == pytest.approx(bias(frame, *str(line[0]).split(" - ")))
    for name in ("topic", "kind"):
        for line in tables[f"Bias B by {name}"].cells:
            level, _, pair = str(line[0]).replace(", 1 scenario", "").rpartition(": ")
            assert line[1] == pytest.approx(bias(frame[frame[name] == level], *pair.split(" - ")))
    for line in tables["Bias B of each scenario"].cells:
        scenario, _, pair = str(line[0]).rpartition(": ")
        assert line[1] == pytest.approx(
            bias(frame[frame["scenario"] == scenario], *pair.split(" - "))
        )
    groups = sorted(set(frame["group_first"]))
    kinds = tables["Mean answer S of every kind of couple"].rows
    for row in kinds:
        first, second = row.label("first"), row.label("second")
        if row.label("orders"):
            means = [score(frame, a, b).mean() for a in groups for b in groups if a != b]
            assert row.estimate == pytest.approx(np.mean(means))
        elif first is not None:
            assert row.estimate == pytest.approx(score(frame, first, second).mean())
    assert len(kinds) == 11


@pytest.mark.slow
def test_small_multiples_show_the_scenarios(outcome: Outcome, frame: pd.DataFrame) -> None:
    block = next(b for b in outcome.blocks if b.id == "scenarios")
    (panels,) = block.draw.args  # type: ignore[union-attr]
    assert list(panels) == ["man - neutral", "man - woman", "neutral - woman"]
    theirs = {name: bias(part, "man", "woman") for name, part in frame.groupby("scenario")}
    assert {row.term: row.estimate for row in panels["man - woman"]} == pytest.approx(theirs)
    n = sum(gap > 0 for gap in theirs.values()), sum(gap < 0 for gap in theirs.values())
    assert f"{n[0]} above and {n[1]} below 0 (man - woman)" in block.sentences[0]


@pytest.mark.slow
def test_missing_answers_are_bounds(outcome: Outcome, frame: pd.DataFrame) -> None:
    rows = next(b for b in outcome.blocks if b.id == "missing").tables[0].cells
    found = {line[0]: line[1] for line in rows}
    lost = frame["answer"].isna()
    ahead = np.where(frame["group_first"] < frame["group_second"], -1, 1)
    for label, side in (
        ("missing answers for the first group", 1),
        ("missing answers for the second group", -1),
    ):
        other = frame.assign(answer=frame["answer"].astype(float).where(~lost, side * ahead))
        for pair in ("man - neutral", "man - woman", "neutral - woman"):
            assert found[f"{pair}: {label}"] == pytest.approx(bias(other, *pair.split(" - ")))
            assert (
                found[f"{pair}: {label}"] - found[f"{pair}: missing answers excluded"]
            ) * side >= 0
    design = read(frame)
    assert int((filled(design, 0).status != 0).sum()) == int(  # type: ignore[arg-type, attr-defined]
        (lost & (frame["group_first"] == frame["group_second"])).sum()
    )
    counts = {line[0]: line for line in outcome.data[0].cells}
    assert (
        sum(
            counts[f"{a}, {b}"][4]
            for a in ("man", "woman", "neutral")
            for b in ("man", "woman", "neutral")
        )
        == 19
    )
    assert counts["wording 0 (as written)"][1] == int((frame["rung"] == 0).sum())


@pytest.mark.slow
def test_the_answer_rests_on_the_corrected_b_all_and_on_adjusted_tests(outcome: Outcome) -> None:
    """SS304 touches B_all as it is, and SS206 the bias of man and neutral: B_all rests on it too."""
    main = outcome.blocks[0].results[0]
    (advice,) = (c for c in main.cautions if c.code == "SS304")
    assert "B_all corrected" in advice.fix
    size, biases = outcome.answer
    better, plain = (main.row(term, group="overall") for term in ("B_all corrected", "B_all"))
    assert f"(B_all, bias-corrected) was {better.estimate:.2f}, approximate 95% CI [" in size
    assert f"{plain.estimate:.2f}" not in size
    assert ("man - neutral", "bias") in main.extras["floored"]
    assert (
        "'man' versus 'neutral' names: not significant (B = −0.12, approximate 95% CI [" in biases
    )
    assert " 'woman' names were favoured over 'neutral' names (B = −0.37, 95% CI [" in biases
    woman = main.row("man - woman", group="bias")
    assert woman.p_value < 0.05 < woman.p_adjusted  # type: ignore[operator]
    assert (
        "'man' versus 'woman' names: not significant after Holm correction (B = −0.25, unadjusted 95% CI "
        "[−0.48, −0.03], p_Holm = .053)." in biases
    )
    assert "clusters: 29 of scenario x 90 of pair, design effect 2.6" in outcome.blocks[0].caption


@pytest.mark.slow
def test_mcnemars_test_is_in_the_appendix_beside_the_clustered_one(outcome: Outcome) -> None:
    block = next(b for b in outcome.blocks if b.id == "tests")
    assert block.part == "appendix"
    rows = [row for row in block.tables[0].rows if row.term == "man - neutral"]
    assert (rows[0].test, rows[0].role) == ("t", "estimate")
    assert rows[0].p_value == pytest.approx(0.283, abs=0.0005)
    (naive,) = (row for row in rows if row.test == "chi2")
    assert (naive.n, naive.df) == (571, 1)
    assert (naive.statistic, naive.p_value) == pytest.approx((4.25, 0.039), abs=0.005)


@pytest.mark.slow
def test_the_main_part_is_short(outcome: Outcome) -> None:
    main = [b for b in outcome.blocks if b.part == "main"]
    assert len(main) <= 8
    assert {"bias", "overall", "position", "scenarios", "stratum-topic", "stratum-kind"} <= {
        b.id for b in main
    }
    assert not any(b.id.startswith(("sizes", "multiverse", "missing", "tests")) for b in main)
    texts = [
        *outcome.answer,
        *(text for b in main for text in (b.question, *b.sentences, b.figure_title, b.caption)),
    ]
    assert len(" ".join(texts).split()) <= 700
    assert len(outcome.methods[0].split()) <= 60


@pytest.mark.slow
def test_halving_the_interval_of_b_all_takes_more_of_both_clusters(outcome: Outcome) -> None:
    assert outcome.planning == (
        "To know the mean absolute bias twice as precisely, collect about 79 more scenarios "
        "and 244 more pairs of names.",
    )


@pytest.mark.slow
def test_the_multiverse_holds_every_choice(outcome: Outcome) -> None:
    block = next(b for b in outcome.blocks if b.id == "multiverse-1")
    choices = {line[1] for line in block.tables[0].cells}
    assert choices == {
        "as on this page",
        "clusters",
        "interval",
        "weights",
        "missing answers",
        "rewordings",
        "leave one topic out",
        "leave one kind out",
    }


@pytest.mark.parametrize(
    ("row", "options", "text"),
    [
        (
            Row(term="a - b", key=KEY, estimate=0.3, p_value=0.001, p_adjusted=0.002),
            FAST,
            "'a' names were favoured over 'b' names",
        ),
        (
            Row(term="a - b", key=KEY, estimate=-0.3, p_value=0.001, p_adjusted=0.002),
            FAST,
            "'b' names were favoured over 'a' names",
        ),
        (
            Row(term="a - b", key=KEY, estimate=0.3, p_value=0.03, p_adjusted=0.09),
            FAST,
            "'a' versus 'b' names: not significant after Holm correction (B = 0.30, p_Holm = .090).",
        ),
        (
            Row(term="a - b", key=KEY, estimate=0.3, p_value=0.3, p_adjusted=0.9),
            FAST,
            "'a' versus 'b' names: not significant (B = 0.30, p_Holm = .900).",
        ),
        (
            Row(term="a - b", key=KEY, undefined="no answers"),
            FAST,
            "Bias for 'a' versus 'b' names is undefined: no answers.",
        ),
        (
            Row(term="a - b", key=KEY, estimate=0.3, conf_low=-0.1, conf_high=0.7, conf_level=0.95),
            FAST,
            "'a' versus 'b' names: inconclusive, the CI includes 0 (B = 0.30, 95% CI [−0.10, 0.70]).",
        ),
        (
            Row(term="a - b", key=KEY, estimate=0.3, undefined="one scenario"),
            FAST,
            "B for 'a' versus 'b' names was 0.30, no interval: one scenario.",
        ),
        (
            Row(
                term="a - b",
                key=KEY,
                estimate=0.01,
                conf_low=-0.03,
                conf_high=0.05,
                conf_level=0.95,
                p_value=0.6,
            ),
            replace(FAST, smallest_effect=0.1),
            "'a' names and 'b' names were equivalent within ±0.1 (95% CI [−0.03, 0.05]).",
        ),
    ],
)
def test_verdicts(row: Row, options: StudyOptions, text: str) -> None:
    assert favoured(row, options).startswith(text)


def test_a_sentence_does_not_change_the_name_of_a_group() -> None:
    row = Row(
        term="women - men",
        key=(("group", "women"), ("other", "men")),
        estimate=0.5,
        conf_low=0.1,
        conf_high=0.9,
        statistic=3.0,
        df=10.0,
        p_value=0.01,
    )
    assert favoured(row, StudyOptions()).startswith("'women' names were favoured over 'men' names")
    wide = favoured(replace(row, conf_low=-0.2, p_value=0.2), StudyOptions())
    assert wide.startswith("'women' versus 'men' names: not significant (B = 0.50")


@pytest.mark.slow
def test_two_groups_no_topics_one_order_of_some(frame: pd.DataFrame) -> None:
    two = frame[~frame["group_first"].eq("neutral") & ~frame["group_second"].eq("neutral")]
    two = two.drop(columns=["topic", "kind", "rung", "name_first", "name_second"])
    two = two[two["group_first"] != two["group_second"]].iloc[5:]
    outcome = run_study(STUDY, read(two), FAST)
    assert [
        b.id for b in outcome.blocks if b.id.startswith(("scenarios", "stratum", "multiverse"))
    ] == [
        "scenarios",
        "multiverse-1",
    ]
    answers = (
        two.assign(answer=two["answer"].astype(float))
        .groupby(["group_first", "group_second"])["answer"]
        .mean()
    )
    (said,) = next(b for b in outcome.blocks if b.id == "position").sentences
    assert (
        f"mean answer between names of two groups S = {answers.mean():.3f}".replace(
            "0.", "."
        ).replace("-", "−")
        in said
    )
    scenarios = next(b for b in outcome.blocks if b.id == "scenarios")
    assert (
        scenarios.sentences[1]
        == "These counts of signs are descriptive: whether scenarios differ was not tested."
    )
    orders = two.dropna(subset="answer").groupby(["scenario", "pair"]).size()
    assert outcome.diagnostics[0].found.startswith(f"{int((orders == 1).sum())} couples were not")


@pytest.mark.slow
def test_several_models_one_page_each(frame: pd.DataFrame) -> None:
    few = frame[frame["scenario"].isin(sorted(frame["scenario"].unique())[:12])]
    rng = np.random.default_rng(4)
    other = few.assign(answer=rng.choice([-1, 1], len(few)), rung=rng.integers(0, 5, len(few)))
    other = few.assign(answer=few["answer"].where(few["scenario"] < "scenario 04", -few["answer"]))
    both = pd.concat([few.assign(model="one"), other.assign(model="other")])
    outcome = run_study(STUDY, read(both, by="model"), replace(FAST, verify=False))
    assert {b.level for b in outcome.blocks} == {"", "one", "other"}
    assert [a.split(":")[0] for a in outcome.answer[-2:]] == ["one", "other"]


def test_what_the_study_refuses(frame: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="--cluster: this study takes scenario and pair"):
        read(frame, cluster=["topic"])
    with pytest.raises(InputError, match="'pair'"):
        read(frame.drop(columns="pair"))
    with pytest.raises(InputError, match="needs scenario, pair"):
        pick(
            STUDIES,
            "relationship-bias",
            STUDIES["staged-values"].read(  # type: ignore[misc]
                as_table(datasets.staged_values().iloc[:300], "x")
            ),
        )
    assert pick(STUDIES, None, read(frame)).name == "relationship-bias"  # type: ignore[arg-type]


@pytest.mark.slow
def test_groups_that_met_in_one_order_only(frame: pd.DataFrame) -> None:
    some = frame[(frame["group_first"] != "neutral") & (frame["scenario"] < "scenario 15")]
    outcome = run_study(STUDY, read(some), FAST)
    assert [b.id for b in outcome.blocks if b.id.startswith("multiverse")] == ["multiverse-1"]
    assert (
        "Bias for 'man' versus 'neutral' names is undefined: couples of these groups have answers in one order only."
        in outcome.answer[1]
    )
    assert all(v.ok for v in outcome.verifications.values())
    none = frame[(frame["group_first"] == "man") & (frame["group_second"] == "woman")]
    with pytest.raises(NothingToAnalyse, match="no pair of groups was answered in both orders"):
        run_study(STUDY, read(none), FAST)


@pytest.mark.slow
def test_hostile_names_stay_names(frame: pd.DataFrame) -> None:
    names = {"woman": "<b>w</b> - $x$", "man": "m = 'n' - o", "neutral": "neutral"}
    odd = frame[frame["scenario"] < "scenario 16"].assign(
        group_first=lambda d: d["group_first"].map(names),
        group_second=lambda d: d["group_second"].map(names),
        topic=lambda d: d["topic"] + " = x - y",
        kind=lambda d: d["kind"] + " - z",
    )
    outcome = run_study(STUDY, read(odd), FAST)
    block = next(b for b in outcome.blocks if b.id == "scenarios")
    assert [len(rows) for rows in block.draw.args[0].values()] == [15, 15, 15]  # type: ignore[union-attr]
    for shown in outcome.blocks:
        if shown.draw is not None:
            shown.draw().figure.draw_without_rendering()
    assert (
        "'<b>w</b> - $x$' names were" in outcome.answer[1]
        or "'<b>w</b> - $x$' versus" in outcome.answer[1]
    )


@pytest.mark.slow
def test_scores_by_kind_are_on_the_page(outcome: Outcome, frame: pd.DataFrame) -> None:
    table = next(
        t for b in outcome.blocks for t in b.tables if t.caption == "Mean answer S by kind"
    )
    means = frame.groupby(["kind", "group_first", "group_second"])["answer"].mean()
    shown = {
        (row.label("level"), row.label("first"), row.label("second")): row.estimate
        for row in table.rows
        if row.label("first")
    }
    assert shown == pytest.approx(dict(means.items()))


@pytest.mark.slow
def test_a_column_variant_is_the_wording_too(frame: pd.DataFrame) -> None:
    few = frame[frame["scenario"] < "scenario 08"].rename(columns={"rung": "variant"})
    few = few.assign(
        variant=few["variant"].map(lambda k: "original" if k == 0 else f"rewording {k}")
    )
    outcome = run_study(STUDY, read(few), replace(FAST, verify=False))
    assert any(str(line[0]) == "wording original (as written)" for line in outcome.data[0].cells)
    choices = {
        line[1]
        for line in next(b for b in outcome.blocks if b.id == "multiverse-1").tables[0].cells
    }
    assert "rewordings" in choices


@pytest.mark.slow
def test_sizes_by_topic_and_kind_have_intervals_and_a_lone_scenario_its_own(
    outcome: Outcome, frame: pd.DataFrame
) -> None:
    blocks = {b.id: b for b in outcome.blocks}
    pairs = (("man", "neutral"), ("man", "woman"), ("neutral", "woman"))
    for name in ("topic", "kind"):
        better, plain = (
            {str(row.label("level")).replace(", 1 scenario", ""): row for row in table.rows}
            for table in blocks[f"sizes-{name}"].tables[:2]
        )
        for level, part in frame.groupby(name):
            size = np.mean([abs(bias(part, *pair)) for pair in pairs])
            assert plain[level].estimate == pytest.approx(size)
            row = better[level]
            assert 0 <= row.conf_low <= row.estimate <= size <= row.conf_high <= 2
    (gap,) = blocks["sizes-kind"].tables[2].rows
    assert (gap.label("first level"), gap.label("second level")) == ("egalitarian", "traditional")
    assert gap.conf_low < gap.estimate < gap.conf_high
    lone = [line for line in blocks["sizes-topic"].tables[0].cells if ", 1 scenario" in line[0]]
    assert len(lone) == 1
    assert "could not be tested" not in blocks["stratum-topic"].sentences[0]
    alone = next(
        line
        for line in blocks["stratum-topic"].tables[0].cells
        if "1 scenario: man - woman" in line[0]
    )
    topic = str(alone[0]).partition(", 1 scenario")[0]
    only = relationship_bias(frame[frame["topic"] == topic], cluster="pair", resamples=99).row(
        "man - woman", group="bias"
    )
    assert (alone[1], alone[2], alone[3]) == pytest.approx(
        (only.estimate, only.std_error, only.conf_low)
    )


@pytest.mark.parametrize("words", [("1", "2"), ("NAME1", "NAME2"), ("first", "second")])
def test_other_words_for_both_names(frame: pd.DataFrame, words: tuple[str, str]) -> None:
    some = frame[frame["scenario"] < "scenario 05"]
    other = some.assign(answer=some["answer"].map({-1: words[0], 1: words[1]}))
    one, two = (relationship_bias(read(table)) for table in (some, other))
    assert [row.estimate for row in one.rows] == [row.estimate for row in two.rows]


def test_couples_of_one_group_need_no_names(frame: pd.DataFrame) -> None:
    some = frame[frame["scenario"] < "scenario 05"]
    bare = some[["scenario", "pair", "group_first", "group_second", "answer"]]
    one, two = (relationship_bias(read(table)) for table in (some, bare))
    assert [row.estimate for row in one.rows] == [row.estimate for row in two.rows]
    assert [row.std_error for row in one.rows] == pytest.approx([row.std_error for row in two.rows])
    with pytest.raises(InputError, match="rows"):
        read(pd.concat([bare, bare]))


def test_a_group_that_is_always_chosen_is_said_to_be(frame: pd.DataFrame) -> None:
    some = frame[
        (frame["scenario"] < "scenario 07")
        & frame["group_first"].ne("neutral")
        & frame["group_second"].ne("neutral")
    ]
    always = some.assign(answer=np.where(some["group_second"] == "woman", 1, -1))
    outcome = run_study(STUDY, read(always), FAST)
    assert (
        " 'woman' names were chosen over 'man' names in all 240 answers (B = −2"
        in outcome.answer[1]
    )
    assert all(v.ok for v in outcome.verifications.values())


@pytest.mark.slow
def test_several_models_pooled_and_one_by_one(frame: pd.DataFrame) -> None:
    """Models that favour opposite groups: the pooled B_all is small, the mean of theirs is not."""
    few = frame[frame["scenario"] < "scenario 13"].drop(columns=["rung"])
    other = few.assign(answer=few["answer"].where(few["scenario"] < "scenario 04", -few["answer"]))
    both = pd.concat([few.assign(model="one"), other.assign(model="other")])
    outcome = run_study(STUDY, read(both), FAST)
    block = next(b for b in outcome.blocks if b.id == "overall")
    rows = {line[0]: line for line in block.tables[0].cells}
    pairs = (("man", "neutral"), ("man", "woman"), ("neutral", "woman"))
    mean = np.mean([abs(bias(each, *pair)) for pair in pairs for each in (few, other)])
    assert rows["B_all"][1] == pytest.approx(np.mean([abs(bias(both, *pair)) for pair in pairs]))
    assert rows["B_all"][1] < 0.7 * mean
    assert rows["B_all of each of 2 models, averaged"][1] == pytest.approx(mean)
    assert "The mean of B_all (bias-corrected) over these 2 models was " in " ".join(
        block.sentences
    )
    drawn = [row.term for row in block.drawn]
    assert {"B_all corrected", "B_all corrected of each of 2 models, averaged"} <= set(drawn)
    assert all(v.ok for v in outcome.verifications.values())


def few_scenarios() -> pd.DataFrame:
    """Five scenarios in three topics, the last alone, with six pairs of names in both orders."""
    rng = np.random.default_rng(4)
    s, p, first = (x.ravel() for x in np.indices((5, 6, 2)))
    lean = rng.normal(0, 0.4, 5)[s] / 2
    group = np.array(["man", "woman"])
    return pd.DataFrame(
        {
            "scenario": [f"s{k}" for k in s],
            "topic": np.array(["chores", "money", "chores", "money", "travel"])[s],
            "group_first": group[first],
            "group_second": group[1 - first],
            "pair": [f"p{k}" for k in p],
            "answer": np.where(rng.random(len(s)) < 0.5 + np.where(first == 0, lean, -lean), -1, 1),
        }
    )


@pytest.fixture(scope="module")
def few() -> Outcome:
    return run_study(STUDY, read(few_scenarios()), FAST)


def least(detail: str) -> float:
    found = re.search(r"the least on about ([\d.]+);", detail)
    assert found is not None
    return float(found[1])


@pytest.mark.slow
def test_the_caution_about_few_clusters_states_the_minimum_and_links_to_its_tables(
    few: Outcome,
) -> None:
    from socialstats_reports.arrangement import arranged

    placed = arranged(few)
    stated = [s for s in (*placed.cautions, *placed.notes) if s.caution.code == "SS202"]
    assert len(stated) == 2  # all answers, and topics
    tables = {t.number: t.table for block in placed.blocks for t in block.tables}
    for said in stated:
        df = [
            row.df
            for number in said.tables
            for row in tables[number].rows
            if row.df is not None and said.caution in row.cautions
        ]
        assert all(value < 5 for value in df)
    topics = next(s for s in stated if "by topic" in s.caution.detail)
    pages = [table for block in few.blocks if block.id.endswith("-topic") for table in block.tables]
    shown = [
        r.df
        for t in pages
        for r in t.rows
        if r.df is not None and r.test == "t" and r.label("level") != "s4"
    ]
    assert least(topics.caution.detail) == round(min(shown), 1)
    linked = {tables[number].caption for number in topics.tables}
    assert any(caption.startswith("Bias B by topic") for caption in linked)
    assert any(
        caption.startswith("Differences of the biases between levels of topic")
        for caption in linked
    )


@pytest.mark.slow
def test_a_topic_with_one_scenario_has_no_test_of_a_difference_and_the_page_says_so(
    few: Outcome,
) -> None:
    block = next(b for b in few.blocks if b.id == "stratum-topic")
    why = "'travel' has a single scenario, so the variance between clusters is unknown"
    tested = "The difference between levels was not significant. 2 have no test."
    assert tested in block.sentences
    assert not any("travel" in text for text in block.sentences)
    gaps = block.tables[1].rows
    assert [row.undefined for row in gaps] == [None, why, why]
    assert [line[-1] for line in block.tables[1].cells] == [None, why, why]


def test_halving_b_all_allows_for_the_degrees_of_freedom_that_grow() -> None:
    from scipy import stats

    result = relationship_bias(few_scenarios())
    df = result.row("man - woman", group="bias").df
    assert df is not None
    (said,) = planning(result)
    more = [int(n) for n in re.findall(r"(\d+) more", said)]
    for n, extra in zip((5, 6), more, strict=True):
        reach = [stats.t.ppf(0.975, df * m / n) / m**0.5 for m in (n, n + extra - 1, n + extra)]
        assert reach[2] <= reach[0] / 2 < reach[1]
    assert more[0] < 3 * 5
