"""Compare: how often each role is chosen by two prompts on the same stories, and shares of groups from beside."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from test_compare import FAST, ITEMS, block

import socialstats as ss
from socialstats.choices.win_rate_difference import win_rate_difference
from socialstats.errors import UndefinedStatistic
from socialstats.studies import STUDIES, run_study
from socialstats.studies.sources import RULES
from socialstats.text import number


def prompted(strengths: dict[str, float], seed: int, prompt: str, copies: int = 1) -> pd.DataFrame:
    """One choice a pair of items and pair of urgencies; the stories are those of every other prompt."""
    rng = np.random.default_rng(seed)
    rows = []
    for i, a in enumerate(ITEMS):
        for b in ITEMS[i + 1 :]:
            for story in range(9 * copies):
                ua, ub = story % 3, story // 3 % 3
                eta = 0.5 * (ua - ub) + strengths.get(a, 0.0) - strengths.get(b, 0.0)
                won = a if rng.random() < 1 / (1 + np.exp(-eta)) else b
                rows.append((a, b, won, ua, ub, f"{a}{b}{story}"))
    names = ["item_a", "item_b", "winner", "urgency_a", "urgency_b", "story"]
    return pd.DataFrame(rows, columns=names).assign(prompt=prompt)


def turned(frame: pd.DataFrame) -> pd.DataFrame:
    """The same comparisons with sides a and b exchanged in every other row."""
    out, odd = frame.copy(), np.arange(len(frame)) % 2 == 1
    for name in ("item", "urgency"):
        out.loc[odd, [f"{name}_a", f"{name}_b"]] = frame.loc[
            odd, [f"{name}_b", f"{name}_a"]
        ].to_numpy()
    return out


def read(frame: pd.DataFrame, **options: object) -> ss.Comparisons:
    return ss.Comparisons.from_frame(
        frame.drop(columns=["prompt", "story"] if not options else "prompt"), **options
    )  # type: ignore[arg-type]


PLAIN, FOND = prompted({"a": 0.5}, 1, "default"), prompted({"a": 0.5, "h": 2.0}, 2, "fond")


def test_differences_agree_with_a_count_by_hand() -> None:
    """Joined by pair and urgencies in pandas: b, c, n, mid-p and the plain mean."""
    result = win_rate_difference(read(turned(FOND)), read(PLAIN), labels=("fond", "default"))
    both = FOND.merge(
        PLAIN, on=["item_a", "item_b", "urgency_a", "urgency_b"], suffixes=("_1", "_2")
    )
    assert len(both) == 252
    for item in ITEMS:
        own = both[(both["item_a"] == item) | (both["item_b"] == item)]
        one, two = own["winner_1"] == item, own["winner_2"] == item
        b, c = int((one & ~two).sum()), int((~one & two).sum())
        row = result.row(item, group="item")
        assert row.n == len(own) == 63
        assert row.n_clusters == 7
        assert row.estimate == pytest.approx((b - c) / 63)
        k = min(b, c)
        p = min(1.0, 2 * binom.cdf(k, b + c, 0.5) - binom.pmf(k, b + c, 0.5))
        assert (
            f"b = {b}, c = {c}; mid-p of independent stories {number(p, 3, bounded=True)}"
            in str(row.method)
        )
    assert result.verify().ok


def test_errors_are_those_of_the_clustered_mcnemar_test() -> None:
    """The same stories as a Paired design, clustered by pair: robust t of `mcnemar`."""
    result = win_rate_difference(read(FOND), read(PLAIN), labels=("fond", "default"))
    both = pd.concat([FOND, PLAIN])
    own = both[(both["item_a"] == "h") | (both["item_b"] == "h")].assign(
        chosen=lambda f: (f["winner"] == "h").astype(int), pair=lambda f: f["item_a"] + f["item_b"]
    )
    paired = ss.Paired.from_frame(
        own[["story", "prompt", "chosen", "pair"]],
        unit="story",
        condition="prompt",
        value="chosen",
        conditions=("fond", "default"),
        cluster="pair",
    )
    test = ss.mcnemar(paired).row("robust_t", group="test")
    row = result.row("h", group="item")
    assert row.statistic == pytest.approx(test.statistic, abs=1e-12)
    assert row.df == pytest.approx(test.df, abs=1e-9)
    assert row.p_value == pytest.approx(test.p_value, rel=1e-9)


def test_sides_order_and_rows_do_not_matter() -> None:
    first = win_rate_difference(read(FOND), read(PLAIN), labels=("1", "2"))
    again = win_rate_difference(
        read(turned(FOND).sample(frac=1, random_state=1)), read(turned(PLAIN)), labels=("1", "2")
    )
    assert first.rows == again.rows
    back = win_rate_difference(read(PLAIN), read(FOND), labels=("2", "1"))
    for row, other in zip(first.rows, back.rows, strict=True):
        assert row.estimate == -(other.estimate or 0.0)
        assert row.p_value == other.p_value


def test_stories_that_cannot_be_told_apart_say_so_unless_a_cluster_does() -> None:
    one, two = prompted({}, 3, "x", copies=2), prompted({"h": 1.0}, 4, "y", copies=2)
    with pytest.raises(UndefinedStatistic, match="several rows share their items and covariates"):
        win_rate_difference(read(one), read(two), labels=("x", "y"))
    found = win_rate_difference(
        read(one, cluster="story"), read(two, cluster="story"), labels=("x", "y")
    )
    assert found.counts["stories"] == 28 * 18
    with pytest.raises(UndefinedStatistic, match="no story was answered by both"):
        win_rate_difference(
            read(PLAIN), read(PLAIN.assign(urgency_a=PLAIN["urgency_a"] + 5)), labels=("x", "y")
        )


def test_ties_are_left_out_and_counted_and_equal_answers_have_no_test() -> None:
    tied = PLAIN.assign(winner=np.where(np.arange(len(PLAIN)) < 5, "tie", PLAIN["winner"]))
    result = win_rate_difference(read(tied), read(PLAIN), labels=("tied", "default"))
    assert result.counts == {"stories": 247, "ties": 5}
    assert {(row.estimate, row.p_value) for row in result.rows} == {(0.0, None)}
    assert all("no story was answered differently" in str(row.undefined) for row in result.rows)


def test_the_page_has_each_role_adjusted_as_one_family() -> None:
    frame = pd.concat([PLAIN, FOND, prompted({"a": 0.5}, 5, "same")]).drop(columns="story")
    groups = {"kin": {"a": "yes", "b": "yes", "g": "no", "h": "no"}}
    outcome = run_study(
        STUDIES["compare"],
        ss.Comparisons.from_frame(frame, by="prompt"),
        replace(FAST, item_groups=groups),
    )
    found = block(outcome, "differences-items")
    assert "significant (Holm)" in found.sentences[0]
    assert found.sentences[1].startswith("The largest difference was for 'fond: h': ")
    assert found.tables[0].header == ("Item", "fond", "same")
    assert len(found.tables[0].cells) == 8
    assert all(v.ok for v in outcome.verifications.values())
    shares = {cells[0] for cells in block(outcome, "differences-shares").tables[0].cells}
    assert {"share of no", "share of yes"} <= shares
    fond = next(
        r for r in block(outcome, "differences-strengths").results if "fond minus" in r.title
    )
    worth = {
        name: np.exp(row.estimate or 0)
        for name in "abgh"
        for row in [fond.extras["fits"][0].row(name, group="strength")]
    }
    other = {
        name: np.exp(row.estimate or 0)
        for name in "abgh"
        for row in [fond.extras["fits"][1].row(name, group="strength")]
    }
    expected = [(w["a"] + w["b"]) / sum(w.values()) for w in (worth, other)]
    assert fond.row("share of yes").estimate == pytest.approx(expected[0] - expected[1])


def test_refusals_are_bounded_for_every_prompt() -> None:
    refusing = FOND.assign(winner=np.where(np.arange(len(FOND)) % 5 == 0, "no", FOND["winner"]))
    frame = pd.concat([PLAIN, refusing]).drop(columns="story")
    design = ss.Comparisons.from_frame(frame, by="prompt", refusal="no")
    outcome = run_study(STUDIES["compare"], design, replace(FAST, verify=False))
    (found,) = [one for one in outcome.blocks if one.id.startswith("refusals-")]
    assert found.level == "fond"
    assert found.results[0].design.n_rows == len(FOND) - 51
    rates = dict(zip(RULES.values(), found.drawn, strict=True))
    unequal = FOND["urgency_a"] != FOND["urgency_b"]
    higher = np.where(FOND["urgency_a"] > FOND["urgency_b"], FOND["item_a"], FOND["item_b"])
    gone = refusing["winner"] == "no"
    wins, n, r = (
        ((FOND["winner"] == higher) & unequal & ~gone).sum(),
        (unequal & ~gone).sum(),
        (unequal & gone).sum(),
    )
    for key, share in (
        ("refusals excluded", wins / n),
        ("all refusals counted against", wins / (n + r)),
        ("all refusals counted for", (wins + r) / (n + r)),
    ):
        assert rates[key].estimate == pytest.approx(share)
    assert "without the 51 refusals" in found.sentences[0]
    assert "differences-items" in [b.id for b in outcome.blocks]


def test_a_cluster_that_both_share_is_a_second_factor() -> None:
    """Stories by annotator: errors are those of pairs crossed with annotators, recomputed otherwise; not of stories."""
    by = {"annotator": [f"r{k % 7}" for k in range(len(PLAIN))]}
    one, two = (read(frame.assign(**by), cluster=["story", "annotator"]) for frame in (FOND, PLAIN))
    found = win_rate_difference(one, two)
    assert (
        found.inference
        == "t tests of the mean difference, clustered by annotator and pair of items (CR2)"
    )
    assert found.rows[0].n_clusters == 7
    assert found.verify().ok
    assert {row for row, field in found.verify().lacks() if field != "counts"} == set()
    alone = win_rate_difference(*(read(frame, cluster="story") for frame in (FOND, PLAIN)))
    assert "clustered by pair of items" in alone.inference
    assert [row.estimate for row in alone.rows] == [row.estimate for row in found.rows]
    assert all(row.std_error > 0.0 for row in found.rows)
