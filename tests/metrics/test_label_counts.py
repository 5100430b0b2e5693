"""Label counts: R's values, both ways to write them down, clusters, bad tables."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from socialstats.designs.label_lists import LabelLists
from socialstats.errors import DesignError, InputError, NothingToAnalyse
from socialstats.shares.label_counts import label_counts
from tests.golden_data import golden

ROWS = pd.DataFrame(
    {
        "story": ["s1", "s2", "s3", "s4", "s5", "s6"],
        "cites": ["care; duty", "care", "", "duty;fame; care", " care ;; care", None],
        "domain": ["home", "home", "home", "work", "work", "work"],
        "team": ["a", "a", "b", "b", "c", "c"],
    }
)


def exploded(rows=ROWS):
    long = rows.assign(cites=rows["cites"].fillna("").str.split(";")).explode("cites")
    long["cites"] = long["cites"].str.strip()
    keep = (long["cites"] != "") | ~long["story"].isin(long.loc[long["cites"] != "", "story"])
    return long[keep]


def test_both_denominators():
    result = label_counts(ROWS, labels="cites", sep=";")
    assert [r.estimate for r in result.rows[::3]] == [4, 2, 1]
    assert result.row("care (share of units)").estimate == 4 / 6
    assert result.row("care (share of labels)").estimate == 4 / 7
    assert (result.row("care (share of units)").n, result.row("care (share of labels)").n) == (6, 7)
    ends = proportion_confint(4, 6, method="wilson")
    row = result.row("care (share of units)")
    assert (row.conf_low, row.conf_high) == pytest.approx(ends)
    assert all(
        row.bounded for row in result.rows if "share of" in row.term
    )  # printed without a leading zero
    assert result.extras["without"] == {"all units": 2}
    assert result.extras["labels_per_unit"]["all units"] == pytest.approx(7 / 6)
    assert [c.code for c in result.cautions] == ["SS301"]
    assert "1 label cited more than once" in result.cautions[0].detail
    assert result.verify().ok
    assert result.sentence().startswith(
        "6 units cited 7 labels (1.17 per unit; 2 cited none), most often care by 4 units"
    )


@pytest.mark.parametrize(
    "options", [{}, {"group": "domain"}, {"group": "domain", "cluster": "team"}]
)
def test_one_row_a_label_is_the_same(options):
    lists = label_counts(ROWS, labels="cites", sep=";", unit="story", **options)
    rows = label_counts(exploded(), labels="cites", unit="story", **options)
    assert lists.rows == rows.rows
    assert lists.verify().ok


def test_groups_are_what_each_alone_gives():
    result = label_counts(ROWS, labels="cites", sep=";", group="domain")
    for name in ("home", "work"):
        alone = label_counts(ROWS[ROWS["domain"] == name], labels="cites", sep=";")
        for row in alone.rows:
            found = result.row(row.term, group=name)
            assert (found.estimate, found.std_error, found.conf_low) == (
                row.estimate,
                row.std_error,
                row.conf_low,
            )
    assert result.row("fame", group="home").estimate == 0
    assert result.row("fame (share of units)", group="home").conf_low == 0


def test_ratio_is_that_of_r():
    wanted = golden("sources")
    cites = [";".join(x for x, n in zip("xyz", line, strict=True) if n) for line in wanted["human"]]
    result = label_counts({"cites": cites}, labels="cites", sep=";")
    for label, one in zip("xyz", wanted["labels"], strict=True):
        assert result.row(label).estimate == one["units"]
        assert result.row(f"{label} (share of units)").estimate == pytest.approx(
            one["of_units"], rel=1e-12
        )
        row = result.row(f"{label} (share of labels)")
        numbers = (one["of_labels"], one["std_error"], one["df"])
        assert (row.estimate, row.std_error, row.df) == pytest.approx(numbers, rel=1e-9)
    assert result.verify().ok


def test_clusters_widen_the_intervals_as_cr2_says():
    rng = np.random.default_rng(1)
    team = np.repeat(np.arange(20), 6)
    likes = rng.random((20, 2)) < 0.5
    cites = [
        ";".join(x for x, c in zip("ab", likes[t] ^ (rng.random(2) < 0.1), strict=True) if c)
        for t in team
    ]
    rows = pd.DataFrame({"cites": cites, "team": team})
    plain, clustered = (
        label_counts(rows, labels="cites", sep=";", cluster=c).row("a (share of units)")
        for c in (None, "team")
    )
    means = np.array([["a" in x for x in cites]]).reshape(20, 6).mean(axis=1)
    assert clustered.std_error == pytest.approx(stats.sem(means), rel=1e-9)
    assert clustered.std_error > 1.8 * plain.std_error
    of_labels = label_counts(rows, labels="cites", sep=";", cluster="team").row(
        "a (share of labels)"
    )
    a, size = (
        np.array(x, float).reshape(20, 6).sum(axis=1)
        for x in (["a" in x for x in cites], [len(x.split(";")) if x else 0 for x in cites])
    )
    share = size / size.sum()
    e = (a - a.sum() / size.sum() * size) / size.sum()
    assert of_labels.std_error == pytest.approx(np.sqrt(np.sum(e**2 / (1 - share))), rel=1e-9)
    assert of_labels.n_clusters == 20


def test_bootstrap_is_near_the_closed_form():
    rng = np.random.default_rng(2)
    cites = [";".join(x for x in "abc" if rng.random() < 0.5) for _ in range(200)]
    for term in ("a (share of units)", "a (share of labels)"):
        closed = label_counts({"x": cites}, labels="x", sep=";").row(term)
        boot = label_counts({"x": cites}, labels="x", sep=";", ci="percentile", resamples=999).row(
            term
        )
        assert boot.estimate == closed.estimate
        assert boot.conf_high - boot.conf_low == pytest.approx(
            closed.conf_high - closed.conf_low, rel=0.12
        )


def test_alike_units_are_counted_together():
    many = pd.concat([ROWS] * 50, ignore_index=True)
    lists = LabelLists.from_frame(many, labels="cites", sep=";")
    assert len(lists.count) == 4
    assert lists.count.sum() == 300
    assert label_counts(lists).row("care").estimate == 200
    assert repr(lists) == "<LabelLists: 300 units, 350 labels cited>"


def test_a_label_that_is_cited_by_all_units():
    result = label_counts({"x": ["a", "a", "a"]}, labels="x", sep=";")
    row = result.row("a (share of labels)")
    assert row.estimate == row.conf_high == 1
    assert row.std_error is None
    assert 0.1 < row.conf_low < 0.5


def test_labels_of_strangers():
    rows = {"x": ["a; a (share of units)", "$x$;<b>", "a\nb"], "g": ["all units", "all units", "b"]}
    result = label_counts(rows, labels="x", sep=";", group="g")
    assert not result.tidy().duplicated(["term", "group"]).any()
    assert "\n" not in result.sentence()
    assert result.plot() is not None
    assert result.verify().ok
    assert result.sentence().startswith(
        "3 units cited 5 labels (1.67 per unit; each cited at least one)"
    )


def test_the_sentence_names_the_three_labels_cited_most_and_the_figure_has_every_row():
    rows = ROWS.assign(
        cites=["kin; duty", "care;fame", "", "duty;fame; care", " care ;; care;duty", "fame"]
    )
    result = label_counts(rows, labels="cites", sep=";", group="domain")
    said = result.sentence()
    assert said.startswith(
        "6 units cited 10 labels (1.67 per unit; 1 cited none), most often care by 3 units (share of"
    )
    named = [
        part.split(" by ")[0] for part in said.split("most often ")[1].split("; ") if " by " in part
    ]
    assert named == ["care", "duty", "fame"]
    low, high = proportion_confint(3, 6, method="wilson")
    assert f"(share of units .500, 95% CI [{low:.3f}, {high:.3f}]".replace("0.", ".") in said
    assert said.count("of labels .300") == 3
    shown = [text.get_text() for text in result.plot().get_yticklabels()]
    labels = ["care", "duty", "fame", "kin"]
    assert sorted(shown) == sorted(
        [*labels, *(f"{x} ({g})" for x in labels for g in ("home", "work"))]
    )
    many = {"x": [f"l{k:03}" for k in range(201)], "g": ["p", "q", "q"] * 67}
    whole = label_counts(many, labels="x", sep=";", group="g").plot().get_yticklabels()
    assert sorted(text.get_text() for text in whole) == [
        f"l{k:03}" for k in range(200)
    ]  # of all units, the first 200


@pytest.mark.parametrize(
    ("data", "options", "error", "match"),
    [
        (ROWS, {}, DesignError, "labels="),
        (ROWS, {"labels": "cites"}, DesignError, "unit="),
        (ROWS, {"labels": "cits", "sep": ";"}, DesignError, "labels='cites'"),
        (ROWS, {"labels": "cites", "sep": " "}, InputError, "white space"),
        (ROWS, {"labels": "cites", "sep": ";", "ci": "bca"}, InputError, "percentile"),
        (ROWS, {"labels": "cites", "sep": ";", "cluster": "village"}, DesignError, "village"),
        (
            pd.concat([ROWS, ROWS]),
            {"labels": "cites", "sep": ";", "unit": "story"},
            InputError,
            "has 2 rows",
        ),
        (
            exploded().assign(domain=list("abcdefghij")),
            {"labels": "cites", "unit": "story", "group": "domain"},
            InputError,
            "several values of 'domain'",
        ),
        (
            ROWS.assign(domain=["", *"bcdef"]),
            {"labels": "cites", "sep": ";", "group": "domain"},
            InputError,
            "missing",
        ),
        (ROWS.assign(cites=""), {"labels": "cites", "sep": ";"}, NothingToAnalyse, "no unit cites"),
        (
            LabelLists.from_frame(ROWS, labels="cites", sep=";"),
            {"sep": ","},
            InputError,
            "read already",
        ),
    ],
)
def test_bad_tables(data, options, error, match):
    with pytest.raises(error, match=match):
        label_counts(data, **options)
