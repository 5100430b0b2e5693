"""Every statistic of the five papers by hand: closed forms or a few lines of numpy on tables of at most 20 rows.

The numbers of the statistics are those of docs/studies.md.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import socialstats as ss
from socialstats.designs.replies import trait_replies
from socialstats.designs.trait_ratings import trait_ratings
from socialstats.scales.bias_analysis import MCNEMAR, MID_P
from socialstats.scales.couples import mcnemar_bounds

DOC = Path(__file__).parents[2] / "docs" / "studies.md"
SHOWN: set[int] = set()
pytestmark = pytest.mark.filterwarnings("ignore")


def of(*numbers: int) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Say which statistics a test is about."""

    def noted(test: Callable[[], None]) -> Callable[[], None]:
        SHOWN.update(numbers)
        return test

    return noted


def small(rows: pd.DataFrame) -> pd.DataFrame:
    assert len(rows) <= 20
    return rows


def wilson(hits, n):
    z, p = stats.norm.ppf(0.975), hits / n
    reach = z * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    return tuple((p + z**2 / (2 * n) + side * reach) / (1 + z**2 / n) for side in (-1, 1))


def t_ends(values, level=0.95):
    low, high = stats.t.interval(level, len(values) - 1, np.mean(values), stats.sem(values))
    return float(low), float(high)


# --- 000: three roles, each pair under higher, equal and lower urgency, twice

CHOSEN = {("a", "b"): "aaabba", ("a", "c"): "aacacc", ("b", "c"): "bbbccb"}
URGENCY = [(3, 1), (3, 1), (2, 2), (2, 2), (1, 3), (1, 3)]
GROUPS = {"a": "family", "b": "work", "c": "work"}


def roles(chosen=CHOSEN) -> pd.DataFrame:
    return small(
        pd.DataFrame(
            [
                (x, y, u, v, won)
                for (x, y), wins in chosen.items()
                for (u, v), won in zip(URGENCY, wins, strict=True)
            ],
            columns=["item_a", "item_b", "urgency_a", "urgency_b", "winner"],
        )
    )


def rate(rows: pd.DataFrame, item: str, sign: int) -> tuple[list[float], list[int]]:
    """Win rates of an item over its opponents, and their sizes, where its urgency is higher (1), equal or lower."""
    sides = [
        rows.rename(
            columns={
                f"{k}_{s}": f"{k}_{t}" for k in ("item", "urgency") for s, t in (one, one[::-1])
            }
        )
        for one in (("a", "a"), ("a", "b"))
    ]
    both = pd.concat(sides)
    own = both[(both["item_a"] == item) & (np.sign(both["urgency_a"] - both["urgency_b"]) == sign)]
    won = (own["winner"] == item).groupby(own["item_b"])
    return won.mean().tolist(), won.size().tolist()


@of(1, 2)
def test_win_rates():
    rows = roles().drop(index=[1])  # one opponent met less often
    for weights in ("opponent", "pooled"):
        result = ss.win_rates(rows, covariates=["urgency"], weights=weights)
        for item, (name, sign) in itertools.product(
            "abc", (("higher", 1), ("equal", 0), ("lower", -1))
        ):
            p, n = rate(rows, item, sign)
            wanted = np.mean(p) if weights == "opponent" else np.average(p, weights=n)
            assert result.row(item, group=name).estimate == pytest.approx(wanted)


@of(3, 4, 5)
def test_sensitivity_its_parts_and_its_correction():
    chosen = {("a", "b"): "bbbbbb", ("a", "c"): "aacacc", ("b", "c"): "bbbccb"}
    result, total, better = ss.sensitivity(roles(chosen), covariates=["urgency"]), 0.0, 0.0
    for name, sign, target in (("higher", 1, 1), ("equal", 0, 0.5), ("lower", -1, 0)):
        rates = [rate(roles(chosen), item, sign) for item in "abc"]
        part = 100 * np.mean([(np.mean(p) - target) ** 2 for p, _ in rates])
        noise = 100 * np.mean([np.mean(p) * (1 - np.mean(p)) / (sum(n) - 1) for p, n in rates])
        assert result.row(f"S_{name}").estimate == pytest.approx(part)
        assert result.row(f"S_{name}_corrected").estimate == pytest.approx(max(part - noise, 0))
        total, better = total + part, better + part - noise
    assert result.row("S").estimate == pytest.approx(total)
    assert result.row("S_corrected").estimate == pytest.approx(max(better, 0))


@of(6)
def test_reference_lines():
    """Coins: 0.25 + 0 + 0.25 of bias, and each rate's variance 1/4 over n; a random order by all six orders."""
    lines = {
        line.label: line.value
        for line in ss.sensitivity(roles(), covariates=["urgency"]).extras["reference_lines"]
    }
    coins = 100 * (
        0.25 + 0 + 0.25 + 3 * 0.25 / 4
    )  # four comparisons an item and condition: two opponents, two each
    found = []
    for order in itertools.permutations("abc"):
        place = {item: k for k, item in enumerate(order)}
        rates = [np.mean([place[i] < place[j] for j in "abc" if j != i]) for i in "abc"]
        found.append(100 * sum(np.mean([(p - t) ** 2 for p in rates]) for t in (1, 0.5, 0)))
    assert lines["urgency rule"] == 0
    assert lines["coin flips"] == pytest.approx(coins)
    assert lines["random ranking"] == pytest.approx(np.mean(found))


def worths(rows: pd.DataFrame) -> dict[str, float]:
    """The paper's iteration: p_i = wins / sum of comparisons / (p_i + p_j), summing to 1."""
    p = dict.fromkeys("abc", 1 / 3)
    wins, met = rows["winner"].value_counts(), rows.groupby(["item_a", "item_b"]).size()
    for _ in range(2000):
        new = {
            i: wins[i]
            / sum(n / (p[i] + p[y if x == i else x]) for (x, y), n in met.items() if i in (x, y))
            for i in p
        }
        p = {i: value / sum(new.values()) for i, value in new.items()}
    return p


@of(7, 8)
def test_worths_and_shares_of_preference():
    rows = roles()[["item_a", "item_b", "winner"]]
    fit, p = ss.bradley_terry(rows, cluster=None), worths(rows)
    assert {r.term: r.estimate for r in fit.worth().rows} == pytest.approx(p, abs=1e-8)
    shares = ss.preference_shares(fit, GROUPS, ci="delta")
    means = {"family": p["a"], "work": (p["b"] + p["c"]) / 2}
    for group, mean in means.items():
        assert shares.row(group, group="arithmetic").estimate == pytest.approx(
            mean / sum(means.values()), abs=1e-7
        )


def entropy(p: float) -> float:
    return float(-sum(x * math.log2(x) for x in (p, 1 - p) if x))


@of(9, 10)
def test_entropy_of_choices_and_its_paired_t():
    other = {("a", "b"): "aaaaab", ("a", "c"): "aacacc", ("b", "c"): "bbbbbb"}
    h = [
        [entropy(wins.count(pair[0]) / 6) for pair, wins in sorted(chosen.items())]
        for chosen in (CHOSEN, other)
    ]
    assert ss.choice_entropy(roles(), covariates=["urgency"]).row("H").estimate == pytest.approx(
        np.mean(h[0])
    )
    result = ss.choice_entropy_difference(roles(), roles(other), covariates=["urgency"])
    row, gap = result.row("H", group="difference"), np.subtract(*h)
    test = stats.ttest_rel(*h)
    assert (row.estimate, row.statistic, row.p_value) == pytest.approx(
        (gap.mean(), test.statistic, test.pvalue)
    )
    assert result.row("d_z", group="difference").estimate == pytest.approx(
        gap.mean() / gap.std(ddof=1)
    )


LABELS = pd.DataFrame(
    {
        "story": [*range(6)] * 3,
        "who": ["h1"] * 6 + ["h2"] * 6 + ["h3"] * 6,
        "more": [1, 1, 0, -1, 0, -1, 1, 0, 0, -1, 1, -1, 1, 1, 1, 0, 0, -1],
    }
)
TRUTH = dict(zip(map(str, range(6)), ["1", "1", "1", "-1", "0", "-1"], strict=True))
READ = {"unit": "story", "rater": "who", "value": "more", "levels": [-1, 0, 1], "scale": "ordinal"}


@of(11)
def test_majority_of_the_votes():
    found = ss.majority_vote_accuracy(small(LABELS), truth=TRUTH, **READ).row("accuracy")
    right = [
        pd.Series(g["more"]).mode().tolist() == [int(TRUTH[str(k)])]
        for k, g in LABELS.groupby("story")
    ]
    assert found.estimate == pytest.approx(np.mean(right))


def alpha(units: list[list[float]], distance) -> float:
    """Krippendorff's alpha: observed pairs within units over all pairs of pairable values."""
    units = [u for u in units if len(u) > 1]
    n = sum(map(len, units))
    seen = (
        sum(
            sum(distance(a, b) for a, b in itertools.permutations(u, 2)) / (len(u) - 1)
            for u in units
        )
        / n
    )
    every = [x for u in units for x in u]
    return 1 - seen / (
        sum(distance(a, b) for a, b in itertools.permutations(every, 2)) / n / (n - 1)
    )


def ordinal_distance(every: list[float]):
    levels = sorted(set(every))
    size = {x: every.count(x) for x in levels}

    def distance(a, b):
        low, high = sorted((a, b))
        return (sum(size[x] for x in levels if low <= x <= high) - (size[a] + size[b]) / 2) ** 2

    return distance


@of(12)
def test_ordinal_alpha_of_the_labels():
    units = LABELS.groupby("story")["more"].apply(list).tolist()
    wanted = alpha(units, ordinal_distance(LABELS["more"].tolist()))
    assert ss.krippendorff_alpha(LABELS, **READ).rows[0].estimate == pytest.approx(wanted)


def kappa(x, y, power: int) -> float:
    x, y = np.asarray(x), np.asarray(y)
    seen = np.mean(np.abs(x - y) ** power)
    return float(1 - seen / np.mean(np.abs(x[:, None] - y[None, :]) ** power))


@of(13)
def test_kappa_of_a_judge_and_the_label():
    two = LABELS[LABELS["who"] != "h3"]
    x, y = (two.loc[two["who"] == who, "more"].to_numpy() for who in ("h1", "h2"))
    for weights, power in (("linear", 1), ("quadratic", 2)):
        row = ss.weighted_kappa(two, weights=weights, **READ).row("h1 | h2")
        assert row.estimate == pytest.approx(kappa(x, y, power))


@of(14, 15)
def test_values_cited_and_those_never_cited():
    rows = {
        "story": [*range(5)],
        "cites": ["care;duty", "care", "duty", "care", ""],
        "chosen": list("ffwwf"),
    }
    levels = ("care", "duty", "power")
    result = ss.label_counts(rows, labels="cites", sep=";", group="chosen", levels=levels)
    table = np.array(
        [[name in cited.split(";") for name in levels] for cited in rows["cites"]], dtype=float
    )
    for group, inside in (
        (None, np.ones(5, bool)),
        ("f", np.array([True, True, False, False, True])),
    ):
        for k, name in enumerate(levels):
            one, total = table[inside, k].sum(), table[inside].sum()
            assert result.row(name, group=group).estimate == one
            assert result.row(f"{name} (share of units)", group=group).estimate == pytest.approx(
                one / inside.sum()
            )
            assert result.row(f"{name} (share of labels)", group=group).estimate == pytest.approx(
                one / total
            )
    never = result.row("power (share of units)", group=None)
    z2 = stats.norm.ppf(0.975) ** 2
    assert (never.conf_low, never.conf_high) == (
        0,
        pytest.approx(z2 / (5 + z2)),
    )  # Wilson's at 0 of 5


@of(16, 17)
def test_two_users_on_the_same_stories():
    other = {("a", "b"): "babbbb", ("a", "c"): "aaccca", ("b", "c"): "bbbccb"}
    one, two = roles(), roles(other)
    s = [ss.sensitivity(rows, covariates=["urgency"]).row("S").estimate for rows in (one, two)]
    gap = ss.sensitivity_difference(one, two, covariates=["urgency"]).row("S", group="difference")
    assert gap.estimate == pytest.approx(s[0] - s[1])
    named = [rows.assign(story=range(18)) for rows in (one, two)]
    found = ss.win_rate_difference(*named, covariates=["urgency"], cluster="story").row("a")
    mine = (one["item_a"] == "a") | (one["item_b"] == "a")
    b, c = (
        int(((x["winner"] == "a") & (y["winner"] != "a"))[mine].sum())
        for x, y in ((one, two), (two, one))
    )
    assert found.estimate == pytest.approx((b - c) / mine.sum())
    assert found.method.startswith(f"b = {b}, c = {c}")


# --- 001: five scenarios, two people and a model asked twice

ACTIONS = pd.DataFrame(
    {
        "scenario": [*"pqrst"] * 4,
        "who": ["h1"] * 5 + ["h2"] * 5 + ["m1"] * 5 + ["m2"] * 5,
        "action": list("xyzxxxzzyxxxzxxxyxxx"),
        "source": ["human"] * 10 + ["model"] * 10,
        "domain": list("ddeee") * 4,
    }
)
AS_ACTIONS = {
    "unit": "scenario",
    "rater": "who",
    "value": "action",
    "scale": "nominal",
    "rater_source": "source",
}


def shares(rows: pd.DataFrame, source: str) -> np.ndarray:
    own = rows[rows["source"] == source]["action"]
    return np.array([(own == level).mean() for level in "xyz"])


def divergence(p, q) -> float:
    m = (np.asarray(p) + q) / 2
    return float(
        sum(np.sum(x[x > 0] * np.log2(x[x > 0] / m[x > 0])) for x in map(np.asarray, (p, q))) / 2
    )


@of(18, 19)
def test_shares_of_actions_and_their_difference():
    result = ss.choice_shares(
        small(ACTIONS), source="source", reference="human", permutations=99, **AS_ACTIONS
    )
    p, q = (shares(ACTIONS, who) for who in ("human", "model"))
    for k, level in enumerate("xyz"):
        assert result.row(level, group="human").estimate == pytest.approx(p[k])
        assert result.row(level, group="model - human").estimate == pytest.approx(q[k] - p[k])
    each = ACTIONS.assign(x=ACTIONS["action"] == "x").pivot_table(
        index="scenario", columns="source", values="x"
    )
    row = result.row("x", group="model - human")
    assert (row.conf_low, row.conf_high) == pytest.approx(t_ends(each["model"] - each["human"]))


@of(20)
def test_change_from_no_pressure():
    rows = ACTIONS.rename(columns={"scenario": "unit"})
    place = {"p": ("1", "none"), "q": ("1", "risk"), "r": ("2", "none"), "s": ("2", "risk")}
    rows = rows[rows["unit"] != "t"]
    rows = rows.assign(
        scenario=[place[u][0] for u in rows["unit"]], pressure=[place[u][1] for u in rows["unit"]]
    )
    result = ss.choice_shares(
        rows,
        unit="unit",
        rater="who",
        value="action",
        scale="nominal",
        rater_source="source",
        cluster="scenario",
        strata=["pressure"],
        stratum="pressure",
        base="none",
        source="source",
        reference="human",
        permutations=99,
    )
    own = rows[rows["source"] == "model"].assign(x=lambda r: r["action"] == "x")
    each = own.pivot_table(index="scenario", columns="pressure", values="x")
    row = next(
        r
        for r in result.rows
        if r.term == "x"
        and r.label("base")
        and r.label("source") == "model"
        and r.label("reference") is None
        and r.role == "difference"
    )
    assert row.estimate == pytest.approx((each["risk"] - each["none"]).mean())


@of(21, 22, 23)
def test_similarity_plug_in_corrected_and_by_cell():
    result = ss.js_similarity(
        ACTIONS, source="source", cell="domain", strata=["domain"], permutations=99, **AS_ACTIONS
    )

    def both(rows):
        plain = divergence(shares(rows, "human"), shares(rows, "model"))
        left = [
            divergence(*(shares(rows[rows["scenario"] != s], who) for who in ("human", "model")))
            for s in rows["scenario"].unique()
        ]
        return plain, plain - (len(left) - 1) * (np.mean(left) - plain), left

    plain, better, left = both(ACTIONS)
    row, beside = result.row("model", group=None), result.row("model (plug-in)", group=None)
    assert beside.estimate == pytest.approx(1 - plain)
    assert row.estimate == pytest.approx(min(max(1 - better, 0), 1))
    assert beside.std_error == pytest.approx(math.sqrt((len(left) - 1) * np.var(left)))
    cells = [1 - both(ACTIONS[ACTIONS["domain"] == d])[0] for d in "de"]
    assert [result.row("model (plug-in)", group=d).estimate for d in "de"] == pytest.approx(cells)
    assert result.row("model (plug-in)", group="mean of 2 cells").estimate == pytest.approx(
        np.mean(cells)
    )


@of(24)
def test_similarity_within_units():
    result = ss.js_similarity(
        ACTIONS, source="source", aggregate="unit", permutations=99, **AS_ACTIONS
    )
    each = [
        1 - divergence(shares(g, "human"), shares(g, "model"))
        for _, g in ACTIONS.groupby("scenario")
    ]
    assert result.row("model (plug-in)").estimate == pytest.approx(np.mean(each))


@of(25, 26)
def test_ceiling_of_people_plug_in_and_corrected():
    """Two people a scenario: a halving puts one of them in either half, and all 2^5 halvings are alike."""
    result = ss.js_similarity(ACTIONS, source="source", splits=4000, permutations=99, **AS_ACTIONS)
    pairs = [
        g["action"].tolist() for _, g in ACTIONS[ACTIONS["source"] == "human"].groupby("scenario")
    ]
    found = []
    for turned in itertools.product((False, True), repeat=5):
        halves = [[p[t ^ k] for p, t in zip(pairs, turned, strict=True)] for k in (False, True)]
        found.append(
            divergence(
                *([np.mean([x == level for x in half]) for level in "xyz"] for half in halves)
            )
        )
    plain, top = (result.row(f"human (split-half{end})") for end in (", plug-in", ""))
    assert plain.estimate == pytest.approx(
        1 - np.mean(found), abs=5 * np.std(found) / math.sqrt(4000)
    )
    # halves of one group of people differ by chance alone: to second order all of it is taken off

    def chance(
        units,
    ):  # variance of the halves' shares of each level: 4 m (n - m) / (n - 1) p (1 - p) a unit
        p = np.array([[np.mean([x == level for x in unit]) for level in "xyz"] for unit in units])
        mean, n = p.mean(axis=0), len(units)
        spread = (4 * p * (1 - p)).sum(axis=0)
        return float(np.sum(spread[mean > 0] / mean[mean > 0])) / n**2 / (8 * math.log(2))

    whole = chance(pairs)
    bias = 4 * (np.mean([chance(pairs[:k] + pairs[k + 1 :]) for k in range(5)]) - whole)
    assert top.estimate == pytest.approx(min(plain.estimate + bias, 1), abs=1e-9)


@of(27)
def test_nominal_alpha_of_people():
    people = ACTIONS[ACTIONS["source"] == "human"].drop(columns="source")
    found = ss.krippendorff_alpha(
        people, unit="scenario", rater="who", value="action", scale="nominal"
    ).rows[0]
    units = people.groupby("scenario")["action"].apply(list).tolist()
    assert found.estimate == pytest.approx(alpha(units, lambda a, b: float(a != b)))


QUALITY = pd.DataFrame(
    {
        "unit": [*range(5)] * 3,
        "who": ["a"] * 5 + ["b"] * 5 + ["c"] * 5,
        "clear": [5, 4, 4, 2, 3, 5, 4, 3, 2, 3, 4, 5, 4, 1, 3],
    }
)
AS_QUALITY = {
    "unit": "unit",
    "rater": "who",
    "value": "clear",
    "levels": [1, 2, 3, 4, 5],
    "scale": "ordinal",
}


@of(28, 29)
def test_quality_ratings():
    means = QUALITY.groupby("unit")["clear"].mean()
    row = ss.mean_ratings(small(QUALITY), **AS_QUALITY).row("all units")
    p, z = (means.mean() - 1) / 4, stats.t.ppf(0.975, 4)
    share = z**2 * (stats.sem(means) / 4) ** 2 / (p * (1 - p))  # z^2 over effective answers
    ends = np.roots([1 + share, -(2 * p + share), p**2]).real  # Wilson's (1927)
    assert (row.estimate, row.conf_high, row.conf_low) == pytest.approx(
        (means.mean(), *(1 + 4 * ends))
    )
    wanted = alpha(
        QUALITY.groupby("unit")["clear"].apply(list).tolist(),
        ordinal_distance(QUALITY["clear"].tolist()),
    )
    assert ss.krippendorff_alpha(QUALITY, **AS_QUALITY).rows[0].estimate == pytest.approx(wanted)


@of(30)
def test_shares_of_refused_and_unreadable_replies():
    rows = ACTIONS.assign(action=["", "no answer", *ACTIONS["action"][2:]])
    result = ss.reply_shares(rows, source="source", refusal="no answer", cluster=None, **AS_ACTIONS)
    for kind in ("missing or unreadable", "refused"):
        row = result.row(kind, group="human")
        assert row.estimate == 0.1
        assert (row.conf_low, row.conf_high) == pytest.approx(wilson(1, 10))
        assert result.row(kind, group="model").estimate == 0


@of(30)
def test_shares_of_refused_replies_and_their_bounds_by_model_and_condition():
    """Lost at human, d: one refusal of four (p, q twice each), one unreadable; at model, e: three refusals of six."""
    action = [
        "no answer",
        "",
        *ACTIONS["action"][2:12],
        *["no answer"] * 3,
        *ACTIONS["action"][15:],
    ]
    result = ss.reply_shares(
        small(ACTIONS.assign(action=action)),
        source="source",
        stratum="domain",
        strata=["domain"],
        refusal="no answer",
        cluster=None,
        **AS_ACTIONS,
    )
    wanted = {
        "all sources": (4, 1, 20),
        "human": (1, 1, 10),
        "model": (3, 0, 10),
        "all sources, d": (1, 1, 8),
        "all sources, e": (3, 0, 12),
        "human, d": (1, 1, 4),
        "human, e": (0, 0, 6),
        "model, d": (0, 0, 4),
        "model, e": (3, 0, 6),
    }
    assert list(dict.fromkeys(row.group for row in result.rows)) == list(wanted)
    for group, (refused, lost, n) in wanted.items():
        best, worst = result.row("refused", group=group), result.row("refused at most", group=group)
        assert (best.estimate, worst.estimate) == pytest.approx((refused / n, (refused + lost) / n))
        low, high = wilson(refused, n)[0], wilson(refused + lost, n)[1]
        assert (best.conf_low, worst.conf_high) == pytest.approx((low, high))
        assert best.n == n
    assert result.row("usable", group="model, e").key == (
        ("kind", "usable"),
        ("source", "model"),
        ("stratum", "e"),
    )
    assert result.verify().ok
    with pytest.raises(ss.InputError, match="'who' is no declared stratum"):
        ss.reply_shares(ACTIONS, stratum="who", **AS_ACTIONS)


# --- 002: four scenarios of two kinds, two pairs of names in both orders, and couples of one group


def couples(models=("m",), seed=1) -> pd.DataFrame:
    rng, rows = np.random.default_rng(seed), []
    for model, s, (first, second) in itertools.product(
        models, range(4 // len(models) + 1), ("wm", "mw")
    ):
        pairs = range(2) if len(models) == 1 else range(1)
        rows += [
            (model, f"s{s}", f"p{k}", first, second, int(rng.choice([-1, 1])), "te"[s % 2])
            for k in pairs
        ]
    names = ["model", "scenario", "pair", "group_first", "group_second", "answer", "kind"]
    return small(pd.DataFrame(rows, columns=names))


def score(rows, first="w", second="m", keep=slice(None)):
    own = rows[keep] if not isinstance(keep, slice) else rows
    return own[(own["group_first"] == first) & (own["group_second"] == second)]["answer"].mean()


def b_of(rows):
    return score(rows, "m", "w") - score(rows)


FEW = {"resamples": 99, "groups": ("w", "m")}


@of(31, 32, 33, 34)
def test_scores_bias_its_size_and_what_chance_gives():
    rows = couples()
    result = ss.relationship_bias(rows, **FEW)
    assert result.row("w, m", group="score").estimate == pytest.approx(score(rows))
    row, size = result.row("w - m", group="bias"), result.row("B_all", group="overall")
    assert row.estimate == pytest.approx(b_of(rows))
    assert size.estimate == pytest.approx(abs(b_of(rows)))
    null = result.row("B_all", group="overall, without any bias")
    assert null.estimate == pytest.approx(row.std_error * math.sqrt(2 / math.pi))
    alone = ss.relationship_bias(rows, cluster="scenario", **FEW).row("w - m", group="bias")
    sums = []  # CR2 of equal clusters: sums of what each scenario adds to both means, over 1 - 1/G
    for _, g in rows.groupby("scenario"):
        off = [
            (1 if a == "m" else -1) * (x - score(rows, a, "w" if a == "m" else "m")) / 10
            for a, x in zip(g["group_first"], g["answer"], strict=True)
        ]
        sums.append(sum(off))
    assert alone.std_error == pytest.approx(math.sqrt(sum(np.square(sums)) / (1 - 1 / 5)))


@of(35)
def test_the_place_alone():
    rows = couples().assign(group_second=lambda r: r["group_first"])
    rows = pd.concat([rows[rows["scenario"] < "s2"], couples()[lambda r: r["scenario"] >= "s2"]])
    result = ss.relationship_bias(small(rows), **FEW)
    assert result.row("w", group="position").estimate == pytest.approx(score(rows, "w", "w"))
    both = np.mean([score(rows, g, g) for g in "wm"])
    assert result.row("same groups", group="position, mean").estimate == pytest.approx(both)
    apart = ss.relationship_bias(couples(), cluster=None, **FEW)
    row = apart.row("different groups", group="position, both orders")
    orders = [couples()[lambda r, a=a: r["group_first"] == a]["answer"].astype(float) for a in "wm"]
    assert row.estimate == pytest.approx(np.mean([x.mean() for x in orders]))
    assert row.std_error == pytest.approx(
        math.sqrt(sum(x.var(ddof=0) / len(x) for x in orders)) / 2, rel=0.03
    )
    assert apart.verify().ok


@of(36, 37, 38, 39, 40)
def test_levels_of_a_stratum_their_differences_and_all_alike():
    rows = couples()
    result = ss.relationship_bias(rows, stratum="kind", stratum_rows="scores", **FEW)
    part = dict(list(rows.groupby("kind")))
    for kind, own in part.items():
        assert result.row("w - m", group=f"kind = {kind}").estimate == pytest.approx(b_of(own))
        assert result.row("B_all", group=f"kind = {kind}").estimate == pytest.approx(abs(b_of(own)))
    assert result.row("w - m", group="e - t").estimate == pytest.approx(
        b_of(part["e"]) - b_of(part["t"])
    )
    assert result.row("w, m", group="e - t").estimate == pytest.approx(
        score(part["e"]) - score(part["t"])
    )
    alike = result.row("w - m", group="levels of kind alike")
    assert alike.estimate == pytest.approx((b_of(part["e"]) + b_of(part["t"])) / 2)


@of(41, 42)
def test_mcnemar_and_its_bounds():
    rows = couples()
    result = ss.relationship_bias(rows, **FEW)
    wide = rows.pivot_table(index=["scenario", "pair"], columns="group_first", values="answer")
    b, c = (
        int(((wide["w"] == -1) & (wide["m"] == 1)).sum()),
        int(((wide["w"] == 1) & (wide["m"] == -1)).sum()),
    )
    chi, mid = (result.row("w - m", group=group) for group in (MCNEMAR, MID_P))
    assert (chi.statistic, chi.estimate) == pytest.approx(
        ((b - c) ** 2 / (b + c), 2 * (b - c) / len(wide))
    )
    tail = stats.binom.cdf(min(b, c), b + c, 0.5) - stats.binom.pmf(min(b, c), b + c, 0.5) / 2
    assert mid.p_value == pytest.approx(min(2 * tail, 1))
    low, high = mcnemar_bounds(chi.estimate, len(wide))
    assert low - 1e-9 <= chi.statistic <= high + 1e-9
    assert (low, high) == pytest.approx(
        (len(wide) * chi.estimate**2 / 4, len(wide) * abs(chi.estimate) / 2)
    )


@of(43, 44)
def test_models_together_and_groups_of_models():
    rows = couples(("m1", "m2", "m3"), seed=4)
    rows = rows.assign(safety=rows["model"].map({"m1": "yes", "m2": "yes", "m3": "no"}))
    each = {m: b_of(g) for m, g in rows.groupby("model")}
    pooled = ss.relationship_bias(rows, aggregate="rater", **FEW)
    assert pooled.row("w - m", group="bias").estimate == pytest.approx(np.mean(list(each.values())))
    assert pooled.row("B_all", group="overall").estimate == pytest.approx(
        np.mean(np.abs(list(each.values())))
    )
    tuned = ss.relationship_bias(
        rows, aggregate="rater", stratum="safety", rater_groups=["safety"], **FEW
    )
    gap = each["m3"] - (each["m1"] + each["m2"]) / 2
    assert tuned.row("w - m", group="no - yes").estimate == pytest.approx(gap)
    by_model = ss.relationship_bias(rows, by="model", **FEW)
    models = ss.over_models(
        by_model,
        [("w - m", "bias"), ("B_all", "overall")],
        groups={"safety": {"m1": "yes", "m2": "yes", "m3": "no"}},
    )
    row, x = models.row("w - m [bias]", group="mean over models"), list(each.values())
    low, high = t_ends(x)
    assert (row.estimate, row.conf_low, row.conf_high) == pytest.approx(
        (np.mean(x), max(low, -2), min(high, 2))
    )
    assert models.row("w - m [bias]", group="SD over models").estimate == pytest.approx(
        np.std(x, ddof=1)
    )
    assert models.row("B_all [overall]", group="safety = yes").estimate == pytest.approx(
        np.mean(np.abs(x[:2]))
    )


@of(45)
def test_names_taken_for_their_gender():
    rows = pd.DataFrame(
        {
            "name": [*"abcd"] * 3,
            "phrasing": [1] * 4 + [2] * 4 + [3] * 4,
            "answer": list("fmfmfmmmffmm"),
        }
    )
    found = ss.majority_vote_accuracy(
        small(rows),
        unit="name",
        rater="phrasing",
        value="answer",
        scale="nominal",
        truth={"a": "f", "b": "m", "c": "f", "d": "m"},
    )
    assert found.row("accuracy").estimate == 0.75  # of c two of three phrasings say m


# --- 003: four rules, three people and two models

NORMS = pd.DataFrame(
    {
        "rot": ["1"] * 5 + ["2"] * 5 + ["3"] * 5 + ["4"] * 5,
        "who": ["h1", "h2", "h3", "m1", "m2"] * 4,
        "answer": [
            "4",
            "4",
            "3",
            "3",
            "4",
            "2",
            "2",
            "0",
            "2",
            "no",
            "1",
            "3",
            "1",
            "3",
            "2",
            "3",
            "3",
            "0",
            "3",
            "1",
        ],
    }
)
NORMS = NORMS.assign(
    source=NORMS["who"].str[0].map({"h": "human", "m": "model"}),
    area=NORMS["rot"].map({"1": "x", "2": "x", "3": "y", "4": "y"}),
    age=NORMS["who"].map({"h1": "old", "h2": "young", "h3": "young"}).fillna(""),
)
AS_NORMS = {
    "unit": "rot",
    "rater": "who",
    "value": "answer",
    "levels": [*"01234"],
    "scale": "ordinal",
    "refusal": "no",
    "rater_source": "source",
}
ADA = {"reference": "human", "source": "source", "resamples": 100}


def distances(model: str, people=("h1", "h2", "h3")) -> dict[str, float]:
    """From the mean of all tied modes; a refusal counts as the width of the scale."""
    out = {}
    for rot, g in NORMS.groupby("rot"):
        modes = g[g["who"].isin(people)]["answer"].astype(int).mode()
        said = g[g["who"] == model]["answer"].item()
        out[rot] = 4.0 if said == "no" else abs(modes.mean() - int(said))
    return out


@of(46, 47, 50)
def test_distances_of_models_by_area_and_refusals():
    result = ss.ada_met(small(NORMS), stratum="area", strata=["area"], **ADA, **AS_NORMS)
    for model in ("m1", "m2"):
        d = distances(model)
        assert result.row(model, group=None).estimate == pytest.approx(np.mean(list(d.values())))
        assert result.row(model, group="area = x").estimate == pytest.approx(
            np.mean([d["1"], d["2"]])
        )
    assert result.row("m2", group="share refused").estimate == 0.25


@of(48, 49)
def test_distances_to_groups_of_people_and_the_closest():
    result = ss.ada_met(NORMS, group="age", rater_groups=["age"], **ADA, **AS_NORMS)
    for model, (group, people) in itertools.product(
        ("m1", "m2"), (("old", ["h1"]), ("young", ["h2", "h3"]))
    ):
        wanted = np.mean(list(distances(model, people).values()))
        assert result.row(model, group=f"age = {group}").estimate == pytest.approx(wanted)
    closest = [r for r in result.rows if (r.group or "").startswith("closest age")]
    assert [r.term for r in closest] == ["m1", "m2"]
    for row in closest:
        own = {
            g: np.mean(list(distances(row.term, p).values()))
            for g, p in (("old", ["h1"]), ("young", ["h2", "h3"]))
        }
        assert row.group == f"closest age = {min(own, key=own.get)}"


@of(51)
def test_exact_matches():
    people = NORMS[NORMS["source"] == "human"].drop(columns="source")
    truth = dict(zip("1234", NORMS[NORMS["who"] == "m1"]["answer"], strict=True))
    reading = {k: v for k, v in AS_NORMS.items() if k != "rater_source"}
    found = ss.majority_vote_accuracy(people, truth=truth, **reading).row("accuracy")
    modes = [g["answer"].mode().tolist() for _, g in people.groupby("rot")]
    assert found.estimate == np.mean(
        [(truth[str(k + 1)] in m) / len(m) for k, m in enumerate(modes)]
    )


@of(52)
def test_alpha_of_a_family_of_models_and_of_people():
    for who in (["h1", "h2", "h3"], ["m1", "m2"]):
        own = NORMS[NORMS["who"].isin(who) & (NORMS["answer"] != "no")]
        units = own.groupby("rot")["answer"].apply(lambda x: [int(v) for v in x]).tolist()
        every = [x for u in units if len(u) > 1 for x in u]
        for scale, distance in (
            ("nominal", lambda a, b: float(a != b)),
            ("ordinal", ordinal_distance(every)),
        ):
            found = ss.krippendorff_alpha(NORMS, raters=who, **{**AS_NORMS, "scale": scale})
            assert found.rows[0].estimate == pytest.approx(alpha(units, distance)), (who, scale)


@of(53)
def test_the_table_of_annotators_counts_people_and_answers():
    from socialstats.studies.ordinal_alignment.study import people_table

    design = ss.Ratings.from_frame(NORMS, rater_groups=["age"], **AS_NORMS)
    cells = people_table(design, ["h1", "h2", "h3"], ["age"]).cells
    assert [line[:3] for line in cells] == [("all", "", 3), ("age", "old", 1), ("age", "young", 2)]
    assert [line[4] for line in cells] == [12, 4, 8]


# --- 004: two models, three scenarios, three stages, one judge

STAGES = ("baseline", "stage 1", "stage 2")
SCORES = pd.DataFrame(
    [
        (m, s, stage, "j", *(int(x) for x in np.random.default_rng([k, s, t]).integers(4, 18, 3)))
        for (k, m), s, (t, stage) in itertools.product(
            enumerate(("m1", "m2")), range(3), enumerate(STAGES)
        )
    ],
    columns=["model", "scenario", "stage", "judge", "open", "fair", "strict"],
)
WEIGHTS = {"open": 2.0, "fair": 3.0, "strict": -5.0}
COMPOSITE = sum(w * (SCORES[t] - 10) for t, w in WEIGHTS.items())
CELLS = SCORES.assign(c=COMPOSITE).pivot_table(
    index=["model", "scenario"], columns="stage", values="c"
)


def profile(**options):
    return ss.trait_profile(small(SCORES), weights=WEIGHTS, **options)


def over(cells, model=None):
    """Values of the scenarios: of one model, or the mean over models."""
    return cells.xs(model, level="model") if model else cells.groupby("scenario").mean()


def test_replies_of_stages_that_were_refused_or_not_scored():
    """Of m1 stage 1 was refused once and blocked once, of m2 one baseline was not scored; one score is unread."""
    said = SCORES.assign(answer_status="ok", reply_status="ok").astype(
        dict.fromkeys(WEIGHTS, object)
    )
    at = {
        ("m1", 0, "stage 1"): ("refusal", "ok"),
        ("m1", 1, "stage 1"): ("missing", "blocked"),
        ("m2", 2, "baseline"): ("missing", "truncated"),
    }
    for (model, scenario, stage), status in at.items():
        own = (said["model"] == model) & (said["scenario"] == scenario) & (said["stage"] == stage)
        said.loc[own, [*WEIGHTS]] = None
        said.loc[own, ["answer_status", "reply_status"]] = status
    said.loc[0, ["open", "answer_status"]] = [None, "unparsed"]
    design = trait_ratings(small(said), traits=[*WEIGHTS])
    assert np.bincount(design.status).tolist() == [18 * 3 - 10, 3 + 1, 6]
    plain = trait_ratings(said.drop(columns=["answer_status", "reply_status"]), traits=[*WEIGHTS])
    assert design.value.tolist() == plain.value.tolist()
    result = ss.reply_shares(trait_replies(design), source="rater", stratum="stage", cluster=None)
    wanted = {
        "all sources": (2, 1, 18),
        "m1": (2, 0, 9),
        "m2": (0, 1, 9),
        "m1, stage 1": (2, 0, 3),
        "m1, stage 2": (0, 0, 3),
        "m2, baseline": (0, 1, 3),
        "all sources, baseline": (0, 1, 6),
    }
    for group, (refused, lost, n) in wanted.items():
        best, worst = result.row("refused", group=group), result.row("refused at most", group=group)
        assert (best.estimate, worst.estimate) == pytest.approx((refused / n, (refused + lost) / n))
        assert (best.conf_low, worst.conf_high) == pytest.approx(
            (wilson(refused, n)[0], wilson(refused + lost, n)[1])
        )
    assert result.verify().ok


@of(54, 55)
def test_composites_against_0_and_spreads():
    result, course = profile(), CELLS.mean(axis=1)
    for model in ("m1", "m2"):
        row, x = result.row(model, group="composite"), over(course, model)
        test = stats.ttest_1samp(x, 0)
        assert (row.estimate, row.statistic, row.p_value) == pytest.approx(
            (x.mean(), test.statistic, test.pvalue)
        )
        spread = result.row(model, group="composite: SD over scenarios")
        assert spread.estimate == pytest.approx(x.std(ddof=1))
        assert spread.undefined == "no interval of a spread below 5 values"
    means = course.groupby("model").mean()
    assert result.row("composite", group="composite: SD over models").estimate == pytest.approx(
        means.std(ddof=1)
    )


@of(56)
def test_trait_means_and_means_of_groups_of_traits():
    result = profile(trait_groups={"up": ["open", "fair"], "down": ["strict"]})
    for model, g in SCORES.groupby("model"):
        assert result.row("open", group=f"score: {model}").estimate == pytest.approx(
            g["open"].mean()
        )
        up = g[["open", "fair"]].mean(axis=1).groupby(g["scenario"]).mean()
        row = result.row(model, group="score of traits: up minus down")
        gap = up - g["strict"].groupby(g["scenario"]).mean()
        low, high = t_ends(gap)
        assert (row.estimate, row.conf_low, row.conf_high) == pytest.approx(
            (gap.mean(), max(low, -20), min(high, 20))
        )


@of(57)
def test_active_traits():
    result = profile()
    for model, g in SCORES.groupby("model"):
        n = (g[list(WEIGHTS)] >= 14).sum(axis=1).groupby(g["scenario"]).mean()
        row, (low, high) = result.row(model, group="activation"), t_ends(n)
        assert (row.estimate, row.conf_low, row.conf_high) == pytest.approx(
            (n.mean(), max(low, 0), min(high, 3))
        )


@of(58, 59)
def test_changes_from_the_baseline_between_stages_and_of_the_play():
    result, cells = profile(changes="all"), over(CELLS)
    play = cells[["stage 1", "stage 2"]].mean(axis=1) - cells["baseline"]
    wanted = {
        "stage 1 minus baseline": cells["stage 1"] - cells["baseline"],
        "stage 2 minus stage 1": cells["stage 2"] - cells["stage 1"],
        "mean of the stages of the play minus baseline": play,
    }
    for term, gap in wanted.items():
        row = next(r for r in result.rows if r.term == term and r.role == "difference")
        size = next(r for r in result.rows if r.term == term and r.role == "effect_size")
        assert (row.estimate, row.statistic) == pytest.approx(
            (gap.mean(), stats.ttest_1samp(gap, 0).statistic)
        )
        assert size.estimate == pytest.approx(gap.mean() / gap.std(ddof=1))
    models = profile(changes="all", unit_of_analysis="model")
    gap = (CELLS["stage 1"] - CELLS["baseline"]).groupby("model").mean()
    size = next(
        r for r in models.rows if r.term == "stage 1 minus baseline" and r.role == "effect_size"
    )
    assert size.estimate == pytest.approx(
        gap.mean() / gap.std(ddof=1)
    )  # the paper's: models as units


@of(60)
def test_commitment_by_stage():
    rows = (
        SCORES.drop(columns=["fair", "strict"])
        .assign(open=lambda r: r["open"] % 6)
        .rename(columns={"open": "commitment"})
    )
    result = ss.trait_profile(
        rows,
        weights={"commitment": 1.0},
        free_weights=True,
        centre=0,
        activation=None,
        limits=(0, 5),
    )
    for (model, stage), g in rows.groupby(["model", "stage"]):
        row, (low, high) = result.row(model, group=f"composite: {stage}"), t_ends(g["commitment"])
        assert row.estimate == pytest.approx(g["commitment"].mean())
        if row.conf_low is not None:
            assert (row.conf_low, row.conf_high) == pytest.approx((max(low, 0), min(high, 5)))


@of(61)
def test_spread_over_wordings():
    open_ = np.random.default_rng(3).integers(4, 17, 18)
    parts = itertools.product(range(3), ("stage 1", "stage 4"), "abc")
    rows = pd.DataFrame(
        [("m", *part, "j", int(x), 20 - int(x)) for part, x in zip(parts, open_, strict=True)],
        columns=["model", "scenario", "stage", "wording", "judge", "open", "strict"],
    )
    result = ss.paraphrase_spread(small(rows), weights={"open": 5.0, "strict": -5.0})
    c = rows.assign(c=5 * (rows["open"] - 10) - 5 * (rows["strict"] - 10))
    sd = c.groupby(["scenario", "stage"])["c"].std(ddof=1).unstack()
    assert result.row("stage 1", group="spread").estimate == pytest.approx(sd["stage 1"].mean())
    change = next(r for r in result.rows if r.group == "change" and r.role == "difference")
    gap = (
        (sd["stage 4"] - sd["stage 1"])
        if change.term.startswith("stage 4")
        else (sd["stage 1"] - sd["stage 4"])
    )
    assert change.estimate == pytest.approx(gap.mean())
    ranks = next(r for r in result.rows if r.role == "test")
    assert ranks.p_value == pytest.approx(
        stats.wilcoxon(gap, alternative="greater", method="exact").pvalue
    )


@of(62)
def test_kappa_of_two_judges_at_a_stage():
    scores = ([3, 5, 8, 2, 9], [4, 5, 7, 1, 9])
    rows = pd.DataFrame(
        {
            "unit": [*range(5)] * 2,
            "judge": ["a"] * 5 + ["b"] * 5,
            "value": [*scores[0], *scores[1]],
            "stage": ["one"] * 3 + ["two"] * 2 + ["one"] * 3 + ["two"] * 2,
        }
    )
    result = ss.weighted_kappa(
        small(rows),
        weights="quadratic",
        rater="judge",
        strata=["stage"],
        stratum="stage",
        levels=[*range(1, 10)],
    )
    assert result.row("a | b", group="one").estimate == pytest.approx(
        kappa(scores[0][:3], scores[1][:3], 2)
    )


@of(63)
def test_the_judges_own_zero():
    texts = pd.DataFrame(
        {
            "scenario": ["balanced 1", "balanced 2", "left"] * 2,
            "judge": ["j"] * 3 + ["k"] * 3,
            "open": [10, 12, 15, 11, 9, 16],
            "fair": [11, 9, 14, 12, 10, 15],
            "strict": [9, 11, 5, 10, 10, 4],
        }
    )
    controls = ss.trait_ratings(small(texts), traits=list(WEIGHTS), model=None)
    zero = ss.judge_zeros(controls, weights=WEIGHTS, texts=["balanced 1", "balanced 2"])
    c = sum(w * (texts[t] - 10) for t, w in WEIGHTS.items())
    wanted = c[texts["scenario"] != "left"].groupby(texts["judge"]).mean()
    assert dict(zero) == pytest.approx(wanted.to_dict())
    result = profile(zero={"j": zero["j"]})
    assert result.row("m1", group="composite minus zero").estimate == pytest.approx(
        over(CELLS.mean(axis=1), "m1").mean() - wanted["j"]
    )


@of(64)
def test_other_weights():
    result = profile()
    equal = {
        "open": 2.5,
        "fair": 2.5,
        "strict": -5.0,
    }  # of equal size, then half of ten on either side
    c = sum(w * (SCORES[t] - 10) for t, w in equal.items()).groupby(SCORES["model"]).mean()
    for model in ("m1", "m2"):
        assert result.row(model, group="equal weights").estimate == pytest.approx(c[model])


@of(65)
def test_entropy_of_traits():
    result = profile(entropy="nats")
    p = SCORES[list(WEIGHTS)].div(SCORES[list(WEIGHTS)].sum(axis=1), axis=0)
    h = -(p * np.log(p)).sum(axis=1).groupby(SCORES["scenario"]).mean()
    assert result.row("entropy", group="entropy of all models").estimate == pytest.approx(h.mean())


@of(66)
def test_stances():
    rows = {
        "answer": [*range(6)],
        "stance": ["agrees", "agrees", "refuses", "agrees", "evades", "agrees"],
        "model": list("aaabbb"),
    }
    result = ss.label_counts(rows, labels="stance", unit="answer", group="model")
    assert result.row("agrees (share of units)", group="a").estimate == pytest.approx(2 / 3)
    assert result.row("evades (share of units)", group="a").estimate == 0


def test_every_statistic_of_the_table_is_here_and_the_other_way_round():
    text = DOC.read_text(encoding="utf-8")
    statistics, elements = text.split("## The protocols")
    assert (
        {int(n) for n in re.findall(r"^\| (\d+) \|", statistics, re.M)}
        == set(range(1, 67))
        == SHOWN
    )
    assert [int(n) for n in re.findall(r"^\| (\d+) \|", elements, re.M)] == list(range(1, 37))


BESIDE = {
    "labels",
    "names",
    "stances",
    "values-domain",
    "refusals",
    "replies",
    "units",
    "group-1",
}  # data of their own, or options


@pytest.mark.slow
@pytest.mark.parametrize(
    "study",
    ["role-conflict", "norm-goal", "relationship-bias", "ordinal-alignment", "staged-values"],
)
def test_the_places_of_the_table_are_on_the_pages(study: str) -> None:
    from study_examples import EXAMPLES

    from socialstats.studies import STUDIES
    from socialstats.studies.page import StudyOptions
    from socialstats.studies.running import run_study

    (text,) = re.findall(rf"--study {study}`\)\n(.*?)\n##", DOC.read_text(encoding="utf-8"), re.S)
    several = (
        "differences-s",
        "differences-e",
        "differences-i",
        "levels",
    )  # pages of several levels
    named = {
        anchor for anchor in re.findall(r"`#([\w-]+)`", text) if not anchor.startswith(several)
    }
    page = run_study(
        STUDIES[study], EXAMPLES[study](False), StudyOptions(verify=False, resamples=100)
    )
    assert named - {block.id for block in page.blocks} <= BESIDE
