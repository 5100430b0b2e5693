"""What a stranger met: ties, names that look alike, undefined rows, labels that act, outputs by suffix."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.cli import main
from socialstats.errors import DesignError, InputError, NothingToAnalyse
from socialstats.figures import axes as look
from socialstats.figures import forest
from socialstats.results import Row
from socialstats.studies import STUDIES, StudyOptions, run_study
from socialstats.studies.role_conflict.study import sensitivity_answer, verdict_on_covariate
from socialstats.tables import as_table
from socialstats.text import shortened

NAMES = [
    "claude-3-5-sonnet-20241022-v1:0",
    "meta-llama-3-70b-instruct-v1:0",
    "meta-llama-3-8b-instruct-v1:0",
]
DRAW = np.random.default_rng(3)
SCORES = pd.DataFrame(
    {"unit": np.repeat(range(40), 3), "rater": NAMES * 40, "value": DRAW.integers(1, 6, 120)}
)


def test_items_of_equal_strength_are_not_called_strongest_and_weakest() -> None:
    rows = [("A", "B", "A"), ("A", "B", "B")] * 9
    said = ss.bradley_terry(pd.DataFrame(rows, columns=["item_a", "item_b", "winner"])).sentence()
    assert said.startswith("All 2 items had equal log-strengths (0.00, approximate 95% CI [")
    rows += [(top, low, w) for top in "AB" for low in "CD" for w in (top, top, low)] * 3
    rows += [("C", "D", "C"), ("C", "D", "D")]
    said = ss.bradley_terry(pd.DataFrame(rows, columns=["item_a", "item_b", "winner"])).sentence()
    assert said.startswith("Of 4 items, A and B had the largest log-strength (")
    assert " and C and D the smallest (" in said


def test_models_that_are_always_right_rest_on_no_differing_unit() -> None:
    right = pd.DataFrame({"model": ["m", "n"] * 40, "item": np.repeat(range(40), 2), "score": 1})
    assert "SS212" not in {c.code for c in ss.leaderboard(right).cautions}
    three = right.copy()
    three.loc[[1, 21, 41], "score"] = 0
    mean, few = (c for c in ss.leaderboard(three).cautions if c.code == "SS212")
    assert mean.rows == ("n [mean]",)
    assert few.rows == ("difference",)
    assert few.detail == (
        "1 difference of 1 rests on fewer than 8 units whose scores differ. The least rests on 3 units"
    )
    assert few.short == "rare answers"


@pytest.mark.parametrize("function", [ss.spearman_rho, ss.weighted_kappa])
def test_pairs_of_raters_have_p_adjusted_over_all_pairs(function) -> None:
    result = function(SCORES, scale="ordinal")
    rows = [row for row in result.rows if " | " in row.term]
    p = [row.p_value for row in rows]
    wanted = [0.0] * len(p)
    for rank, k in enumerate(np.argsort(p)):  # Holm (1979), step by step
        before = max(wanted)
        wanted[int(k)] = max(before, min(1.0, (len(p) - rank) * p[int(k)]))
    assert [row.p_adjusted for row in rows] == pytest.approx(wanted, rel=1e-12)
    assert {row.family for row in rows} == {"pairs of raters"}
    assert all(row.p_adjusted is None for row in result.rows if " | " not in row.term)
    assert result.verify().ok
    two = function(SCORES[SCORES["rater"] != NAMES[0]], scale="ordinal")
    assert two.rows[0].p_adjusted is None


def test_shortened_labels_of_different_raters_differ() -> None:
    result = ss.spearman_rho(SCORES, scale="ordinal")
    terms = [row.term for row in result.rows]
    table = result.table_text().split("\n")[1:]
    assert len({line.split("  ")[0] for line in table}) == 3
    assert len({line.split("|:")[0][:60] for line in result.to_markdown().split("\n")[2:]}) == 3
    assert (
        len(
            {
                line.partition("&")[0]
                for line in result.to_latex().split("\\midrule\n")[1].split("\n")[:3]
            }
        )
        == 3
    )
    labels = [t.get_text() for t in result.plot().get_yticklabels()]
    assert len(set(labels)) == 3
    assert len(set(shortened(terms, 40))) == 3
    alike = [f"{'x' * 30}{k}{'y' * 30}" for k in range(12)]
    assert len(set(shortened(alike, 20))) == 12
    assert shortened(["same" * 20] * 2, 20)[0] == shortened(["same" * 20] * 2, 20)[1]


@pytest.mark.parametrize("letters", [40, 52, 60, 70])
def test_labels_and_ticks_are_inside_the_figure(letters: int) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    label = "claude-3-5-sonnet-20241022-v1:0 and meta-llama-3-70b-instruct-v1:0 x"
    rows = [
        Row(term=f"{label[: letters - 1]}{end}", estimate=0.5, conf_low=0.1, conf_high=0.9)
        for end in "ab"
    ]
    for axes in (forest(rows), forest([Row(term=label[:letters], undefined="one unit")])):
        for dpi in (72, 100, 200):
            axes.figure.set_dpi(dpi)
            FigureCanvasAgg(axes.figure).draw()
            at = [t.get_window_extent() for t in (*axes.get_yticklabels(), *axes.get_xticklabels())]
            assert min(box.x0 for box in at) / dpi > 0.1
            assert max(box.x1 for box in at) / dpi < axes.figure.get_figwidth() - 0.05


def test_characters_that_a_font_lacks_come_from_the_next_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import io

    import matplotlib as mpl

    with mpl.rc_context({"font.family": ["cmr10"], "axes.formatter.use_mathtext": True}):
        axes = forest([Row(term="Жук", estimate=0.5)])  # cmr10 has no Cyrillic, DejaVu Sans has
        assert axes.get_yticklabels()[0].get_text() == "Жук"
        axes.figure.savefig(
            io.BytesIO(), format="png"
        )  # a warning of a missing glyph would be an error
    monkeypatch.setattr(look, "FALLBACK", ())
    names = ["模型甲", "模型乙"]
    drawn = list(look.written(names).values())
    known = look._glyphs()
    assert len(set(drawn)) == 2
    coded = ["U+6A21U+578BU+7532", "U+6A21U+578BU+4E59"]
    assert drawn == (names if ord("模") in known else coded)


def test_why_a_row_is_undefined_stands_in_tidy_and_under_the_table() -> None:
    table = SCORES.copy()
    table.loc[table["rater"] == NAMES[0], "value"] = 3
    result = ss.spearman_rho(table, scale="ordinal")
    tidy = result.tidy()
    assert list(tidy.columns[-2:]) == ["undefined", "reason"]
    assert tidy["reason"].tolist() == ["no_variation", "no_variation", None]
    assert tidy["undefined"].str.contains("same score").sum() == 2
    (note,) = (line for line in result.summary().split("\n") if line.startswith("Undefined: "))
    assert "no variation" in note
    assert note.count(" | ") == 2
    assert "undefined for 2: no variation" in result.sentence()
    table.loc[table["rater"] == NAMES[1], "value"] = 2
    table.loc[(table["rater"] == NAMES[2]) & (table["unit"] > 0), "value"] = None
    said = ss.spearman_rho(table, scale="ordinal", missing="drop").sentence()
    assert "of 3 pairs of raters is undefined: " in said
    assert "no variation" in said
    assert "1 unit rated by both" in said


def test_labels_are_text_in_markdown() -> None:
    names = ["<b>A</b>", "*B*", "$x$", "a_b_c", "`c`", "[l](http://x.org)", "a|b"]
    rows = [
        (names[i], names[j], w) for i in range(7) for j in range(i) for w in (names[i], names[j])
    ]
    table = pd.DataFrame(rows, columns=["item_a", "item_b", "winner"])
    text = ss.bradley_terry(table, cluster=None).to_markdown()
    for escaped in (
        "&lt;b&gt;A&lt;/b&gt;",
        r"\*B\*",
        r"\$x\$",
        r"a\_b\_c",
        r"\`c\`",
        r"\[l\](http",
        r"a\|b",
    ):
        assert f"| {escaped}" in text
    assert "| std_error |" in text


@pytest.mark.parametrize(
    ("suffix", "head"),
    [
        (".tex", r"% \usepackage{booktabs"),
        (".md", "| term |"),
        (".csv", "term,by,group"),
        (".json", '{\n "socialstats"'),
        (".txt", "Spearman's rho"),
        ("", "Spearman's rho"),
    ],
)
def test_the_suffix_of_the_output_is_its_format(
    suffix: str, head: str, tmp_path: Path, capsys
) -> None:
    table, out = tmp_path / "t.csv", tmp_path / f"out{suffix}"
    SCORES.to_csv(table, index=False)
    words = ["estimate", "spearman_rho", str(table), "--scale", "ordinal", "-o", str(out)]
    assert main(words) == 0
    assert out.read_text().startswith(head)
    other = tmp_path / f"other{suffix}"
    assert main([*words[:-1], str(other), "--format", "csv"]) == 0
    assert other.read_text().startswith("term,by,group")
    capsys.readouterr()
    assert main([*words[:-1], str(tmp_path / "out.html")]) == 2
    assert "writes no html" in capsys.readouterr().err


def test_the_audit_refuses_a_suffix_that_it_does_not_write(tmp_path: Path, capsys) -> None:
    assert main(["audit", "--example", "simulated", "-o", str(tmp_path / "a.tex")]) == 2
    capsys.readouterr()


def test_intervals_at_another_level_equal_those_of_another_call() -> None:
    for function in (ss.spearman_rho, ss.krippendorff_alpha):
        again = function(SCORES, scale="ordinal", level=0.99).confint()
        pd.testing.assert_frame_equal(function(SCORES, scale="ordinal").confint(level=0.99), again)
    pairs = pd.DataFrame({"a": DRAW.normal(size=30), "b": DRAW.normal(size=30)})
    one = ss.paired_difference(pairs, first="a", second="b")
    two = ss.paired_difference(pairs, first="a", second="b", level=0.8)
    pd.testing.assert_frame_equal(one.confint(level=0.8), two.confint())
    with pytest.raises(InputError, match=r"level=0\.8"):
        ss.percent_agreement(SCORES, scale="ordinal").confint(level=0.8)


def test_intervals_at_another_level_end_where_the_quantity_does() -> None:
    first = [1.0] * 9 + [0.0, 1.0, 1.0]
    cells = pd.DataFrame(
        {"a": first, "b": [0.0] * 9 + [0.0, 1.0, 0.0], "s": [k // 2 for k in range(12)]}
    )
    few = ss.mcnemar(cells, first="a", second="b", cluster="s", test="robust_t")
    row = few.rows[0]
    from socialstats.inference.rows import row_at_level, with_t

    cut = with_t(Row(term="d", estimate=0.8), 0.09, 5.0, 0.9, within=(-1.0, 1.0))
    assert cut.conf_high < 1
    assert row_at_level(cut, 0.999).conf_high == 1.0
    assert "limits" not in few.to_dict()["terms"][0]
    assert row.conf_high <= 1


def test_every_rater_may_be_a_source() -> None:
    words = SCORES.assign(value=np.where(SCORES["value"] > 2, "yes", "no"))
    shares = ss.choice_shares(words, source="rater")
    assert {row.label("source") for row in shares.rows} >= set(NAMES)


def test_known_opposites_are_one_list() -> None:
    pairs = {
        "before": ["pass", "fail", "fail", "pass"] * 5,
        "after": ["fail", "pass", "fail", "pass"] * 5,
    }
    assert ss.mcnemar(pairs, first="before", second="after").design.levels == ("fail", "pass")
    answers = pd.DataFrame(
        {"unit": np.repeat(range(10), 2), "rater": ["a", "b"] * 10, "value": ["Ja", "Nein"] * 10}
    )
    assert ss.krippendorff_alpha(answers).design.levels == ("Nein", "Ja")
    two = ss.krippendorff_alpha(answers.replace({"Ja": "hot", "Nein": "cold"}))
    assert two.row("alpha").estimate == ss.krippendorff_alpha(answers).row("alpha").estimate
    board = ss.Ratings.from_frame(answers.replace({"Ja": "hot", "Nein": "cold"}))
    with pytest.raises(DesignError, match=r"'cold' and 'hot', but which counts as 1 is undeclared"):
        ss.leaderboard(board)


def test_levels_that_differ_by_case_are_named() -> None:
    pairs = {"before": ["yes", "YES", "no", "Yes"] * 5, "after": ["no", "yes", "no", "Yes"] * 5}
    with pytest.raises(
        DesignError, match=r"'YES' = 'Yes' = 'yes' but for case.*write each level in one way"
    ):
        ss.mcnemar(pairs, first="before", second="after")
    words = {"before": ["high", "low", "low"] * 5, "after": ["low", "high", "low"] * 5}
    either = r"columns 'before' and 'after'.*if 'low' counts as 1, or levels=\('low', 'high'\) if 'high' does$"
    with pytest.raises(DesignError, match=either):
        ss.mcnemar(words, first="before", second="after")


def test_a_decimal_comma_is_reported_in_its_own_column() -> None:
    table = {"unit": range(6), "vor": ["1,5", "2,5", "3,5"] * 2, "nach": ["1,5", "2.0", "4.5"] * 2}
    with pytest.raises(InputError) as caught:
        ss.paired_difference(table, first="vor", second="nach")
    lines = str(caught.value).split("\n")
    assert lines[0].startswith(
        "data frame row 0, columns 'vor' and 'nach': '1,5' is not spelled as a plain number (4 "
    )
    assert "(4 values: rows 0, 3)" in lines[0]
    assert lines[1].startswith("data frame row 1, column 'vor': '2,5' ")


def test_ratings_that_are_all_missing_are_nothing_to_analyse() -> None:
    empty = SCORES.assign(value=[None] * len(SCORES))
    for function in (ss.krippendorff_alpha, ss.percent_agreement, ss.weighted_kappa):
        with pytest.raises(NothingToAnalyse):
            function(empty)


def test_counts_are_whole_and_one_is_singular(tmp_path: Path) -> None:
    cited = pd.DataFrame({"unit": [1, 2, 3], "cites": ["a;b", "a", "b;c"]})
    text = ss.label_counts(cited, labels="cites", sep=";").summary()
    counted = [line for line in text.split("\n") if line.startswith("a ")]
    assert any(" 2 " in line for line in counted)
    assert "2.0000" not in text
    one = ss.krippendorff_alpha(
        pd.DataFrame({"unit": [1, 1, 2, 2], "rater": list("abab"), "value": [1] * 4})
    )
    assert any("1 level that occurs" in str(c) for c in one.cautions)
    pairs = ss.mcnemar(ss.Paired.from_cells(a=5, b=1, c=0, d=4))
    assert "Data: 10 pairs, 1 discordant pair\n" in pairs.summary()
    with pytest.raises(NothingToAnalyse, match=r"null is empty"):
        ss.percent_agreement("/dev/null")


def test_an_undefined_value_is_no_number_anywhere() -> None:
    tidy = ss.spearman_rho(SCORES.assign(value=3), scale="ordinal").tidy()
    assert tidy["estimate"].map(math.isnan).all()
    assert (tidy["reason"] == "no_variation").all()


def staged(models: dict[str, int], zero_like: str = "") -> pd.DataFrame:
    """Scores of models in so many scenarios each; those of `zero_like` are all alike."""
    rng = np.random.default_rng(8)
    rows = []
    for model, scenarios in models.items():
        for s in range(scenarios):
            for stage in ("baseline", "end"):
                scores = (10, 10) if model == zero_like else rng.integers(5, 16, 2)
                rows += [(model, f"s{s}", stage, judge, *scores) for judge in ("j1", "j2")]
    return pd.DataFrame(rows, columns=["model", "scenario", "stage", "judge", "open", "shy"])


def test_a_model_with_few_scenarios_does_not_erase_rows_of_all_models() -> None:
    table = staged({"a": 6, "b": 6, "c": 4, "lone": 1})
    design = ss.trait_ratings(table, traits=["open", "shy"])
    found = ss.trait_profile(design, weights={"open": 5.0, "shy": -5.0})
    row = found.row("end minus baseline", group="composite change by stage of all models")
    given = table.assign(value=5.0 * (table["open"] - table["shy"])).pivot_table(
        index="scenario", columns=["model", "stage"], values="value"
    )
    change = (given.xs("end", axis=1, level="stage") - given.xs("baseline", axis=1, level="stage"))[
        ["a", "b", "c"]
    ]
    by_scenario = change.dropna().mean(axis=1)  # those that all three have
    assert (row.estimate, row.n_units) == (pytest.approx(by_scenario.mean()), 4)
    assert found.extras["pooled"] == ["a", "b", "c"]
    (told,) = (c for c in found.cautions if c.code == "SS301")
    assert "'c' (4 of 6) and 'lone' (1 of 6); rows of all models are without 'lone'" in told.detail
    assert found.verify().ok
    as_units = ss.trait_profile(
        design, weights={"open": 5.0, "shy": -5.0}, unit_of_analysis="model", cluster=None
    )
    assert (
        as_units.row("end minus baseline", group="composite change by stage of all models").n_units
        == 3
    )


def test_alike_scenarios_have_the_error_of_the_zero() -> None:
    design = ss.trait_ratings(staged({"a": 5, "flat": 5}, "flat"), traits=["open", "shy"])
    texts = {
        "text": ["t1", "t1", "t2", "t2", "t3", "t3"],
        "judge": ["j1", "j2"] * 3,
        "open": [11, 12, 10, 9, 13, 12],
        "shy": [9, 10, 10, 11, 9, 9],
    }
    weights = {"open": 5.0, "shy": -5.0}
    zero = ss.judge_zeros(
        ss.trait_ratings(texts, traits=["open", "shy"], model=None, scenario="text"),
        weights=weights,
    )
    found = ss.trait_profile(design, weights=weights, zero=zero)
    row = found.row("flat", group="composite minus zero")
    assert (row.std_error, row.df) == pytest.approx((zero.error().std_error, 2.0))
    assert found.row("flat", group="composite").std_error is None
    assert found.verify().ok


def rule_followers(seed: int) -> ss.Comparisons:
    """Every choice of unequal urgency follows it; the first role wins the others."""
    rng = np.random.default_rng(seed)
    pairs = [(a, b) for a in "abcdef" for b in "abcdef" if a < b]
    rows = [(*pairs[k], *rng.integers(1, 4, 2)) for k in rng.integers(0, len(pairs), 200)]
    table = pd.DataFrame(rows, columns=["item_a", "item_b", "urgency_a", "urgency_b"])
    winner = np.where(table["urgency_b"] > table["urgency_a"], table["item_b"], table["item_a"])
    return ss.Comparisons.from_frame(table.assign(winner=winner), covariates=["urgency"])


def test_a_share_of_all_is_exactly_1_and_urgency_decides() -> None:
    rates = [ss.win_rates(rule_followers(seed), weights="pooled") for seed in range(12)]
    assert {found.row("all", group="higher").estimate for found in rates} == {1.0}
    s = ss.sensitivity(rule_followers(0), resamples=100)
    verdict = verdict_on_covariate(s, rates[0], "urgency")
    assert verdict.text == "Choices follow urgency wherever the two sides differ in it."
    *_, last = sensitivity_answer(s, "urgency")
    assert last.startswith("All of S came from comparisons of equal urgency")


def test_models_that_lack_units_are_a_caution_of_the_page_and_have_their_own_shares_of_replies() -> (
    None
):
    rng = np.random.default_rng(2)
    rows = [
        (u, f"p{k}", "human", v) for u in range(12) for k, v in enumerate(rng.integers(0, 4, 6))
    ]
    rows += [
        (u, m, "model", rng.integers(0, 4))
        for m in ("m1", "m2", "m3")
        for u in range(12)
        if m != "m3" or u > 2
    ]
    rows[-1] = (*rows[-1][:3], "no")
    frame = pd.DataFrame(rows, columns=["unit", "rater", "source", "value"])
    design = ss.Ratings.from_frame(
        frame, levels=list(range(4)), scale="ordinal", rater_source="source", refusal="no"
    )
    page = run_study(
        STUDIES["ordinal-alignment"], design, StudyOptions(resamples=100, verify=False)
    )
    assert "of 12 units these lack: 'm3' 3; all models share 9" in [c.detail for c in page.cautions]
    (block,) = (block for block in page.blocks if block.id == "replies")
    assert block.sentences == ("1 of 105 replies could not be used (.010), most from m3 (.111).",)


def test_models_without_a_result_are_no_members_of_a_group() -> None:
    made = {m: ss.mean_ratings(SCORES[SCORES["rater"] == m], scale="interval") for m in NAMES}
    with pytest.raises(InputError, match="'size' names 'typo', without a result"):
        ss.over_models(made, ["all units"], groups={"size": {NAMES[0]: "s", "typo": "s"}})


def test_differences_without_a_test_are_counted() -> None:
    three = [SCORES[SCORES["rater"] == m] for m in NAMES]
    three[2] = three[2][three[2]["unit"] < 1]
    made = {f"m{k}": ss.mean_ratings(own, scale="interval") for k, own in enumerate(three)}
    said = ss.compare_models(made).sentence()
    assert (
        "The tested difference between models was not significant. 2 differences could not be"
        in said
    )


@pytest.mark.slow
def test_prompts_that_pool_their_models_are_compared_on_the_models_of_all() -> None:
    rng = np.random.default_rng(3)
    sides = [("man", "woman"), ("woman", "man")]
    rows = [
        (p, f"s{s}", f"n{n}", *pair, m, answer)
        for s in range(4)
        for n in range(3)
        for pair in sides
        for m in ("m0", "m1", "m2")
        for answer in [-1 if (m == "m0") == (pair[0] == "man") else rng.choice([-1, 1])]
        for p in ("p1", "p2")
        if (m, p) != ("m0", "p2")
    ]
    names = ["prompt", "scenario", "pair", "group_first", "group_second", "model", "answer"]
    study = STUDIES["relationship-bias"]
    design = study.read(as_table(pd.DataFrame(rows, columns=names), "couples"), by="prompt")
    page = run_study(study, design, StudyOptions(resamples=100, verify=False))
    assert "was the same for all 2 prompts" in page.answer[0]  # the answers of m1 and m2 are
    assert page.answer[0].endswith("('m1' and 'm2'); left out: 'm0' (not at 'p2').")
    assert page.cautions[0].code == "SS342"


def test_a_notebook_shows_a_result_with_its_labels_escaped() -> None:
    rows = {"item_a": ["<b>x", "y"], "item_b": ["y", "<b>x"], "winner": ["<b>x", "y"]}
    result = ss.bradley_terry(ss.Comparisons.from_frame({**rows, "model": ["m", "m"]}, by="model"))
    for shown in (result._repr_html_(), result["m"]._repr_html_()):
        assert ">&lt;b&gt;x</td>" in shown
        assert "<b>x" not in shown
