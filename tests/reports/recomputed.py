"""Numbers of pages from the raw data, by numpy and scipy alone: nothing of socialstats is imported here.

Every function takes the rows of a CSV file as columns of texts and returns numbers by (metric, group, term, field), the
names that the JSON of a page has for them.
"""

from __future__ import annotations

import csv
import gzip
import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy import optimize, stats

Key = tuple[str, str, str, str]
Numbers = dict[Key, float]
Columns = Mapping[str, Any]
DATA = Path(__file__).parents[2] / "socialstats" / "datasets" / "data"


def read(name: str) -> Columns:
    """Return the columns of a bundled table."""
    with gzip.open(DATA / f"{name}.csv.gz", "rt", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return {
        head: np.array(column, dtype=object)
        for head, column in zip(rows[0], zip(*rows[1:], strict=True), strict=True)
    }


def codes(labels: Any) -> tuple[list[str], Any]:
    """Return the distinct labels in order, and the place of each row's label among them."""
    found, places = np.unique(np.asarray(labels, dtype=str), return_inverse=True)
    return [str(one) for one in found], places.reshape(-1)


def together(*columns: Any) -> Any:
    """Return one code for each combination of labels."""
    return codes(["\x1f".join(map(str, row)) for row in zip(*columns, strict=True)])[1]


def cluster_mean(values: Any, clusters: Any) -> tuple[float, float, float]:
    """Return a mean, its standard error by clusters (CR2 of a mean) and the number of clusters less one.

    With h the share of a cluster in all rows, its residual sum is divided by the root of 1 - h (Bell & McCaffrey 2002).
    """
    values = np.asarray(values, float)
    of = codes(clusters)[1]
    sums = np.bincount(of, values - values.mean())
    shares = np.bincount(of) / len(values)
    return (
        float(values.mean()),
        float(np.sqrt((sums**2 / (1 - shares)).sum()) / len(values)),
        float(shares.size - 1),
    )


def crossed_error(values: Any, clusters: Any, people: Any) -> float:
    """Return the standard error of a mean whose people are a sample too: V1 + V2 - V12, at least V1 and V2."""
    values = np.asarray(values, float)
    both = codes([f"{one} | {other}" for one, other in zip(clusters, people, strict=True)])[1]
    overlap = float((np.bincount(both, values - values.mean()) ** 2).sum()) / len(values) ** 2
    units, persons = (cluster_mean(values, of)[1] ** 2 for of in (clusters, people))
    return float(np.sqrt(max(units + persons - overlap, units, persons)))


def t_interval(estimate: float, error: float, df: float) -> tuple[float, float]:
    """Return a 95% t interval."""
    reach = stats.t.ppf(0.975, df) * error
    return float(estimate - reach), float(estimate + reach)


def paired_row(at: tuple[str, str, str], values: Any) -> Numbers:
    """Return mean, error, interval, t and p of one sample."""
    values = np.asarray(values, float)
    n = values.size
    mean, error = values.mean(), values.std(ddof=1) / np.sqrt(n)
    low, high = t_interval(mean, error, n - 1)
    found = {
        "estimate": mean,
        "std_error": error,
        "conf_low": low,
        "conf_high": high,
        "df": n - 1.0,
        "statistic": mean / error,
        "p_value": 2 * stats.t.sf(abs(mean / error), n - 1),
    }
    return {(*at, field): float(value) for field, value in found.items()}


def bradley_terry(first: Any, second: Any, won: Any, beside: Any) -> tuple[list[str], Any]:
    """Return the items and the maximum-likelihood strengths (sum zero), then the coefficients of `beside`."""
    items, place = codes([*first, *second])
    n = len(won)
    one, two = place[:n], place[n:]
    design = np.zeros((n, len(items) - 1 + beside.shape[1]))
    last = len(items) - 1
    for at, sign in ((one, 1.0), (two, -1.0)):
        known = at < last
        np.add.at(design, (np.flatnonzero(known), at[known]), sign)
    design[:, last:] = beside

    def loss(b: Any) -> Any:
        eta = design @ b
        return np.logaddexp(0, eta).sum() - won @ eta

    def slope(b: Any) -> Any:
        return design.T @ (1 / (1 + np.exp(-(design @ b))) - won)

    def curvature(b: Any) -> Any:
        p = 1 / (1 + np.exp(-(design @ b)))
        return (design * (p * (1 - p))[:, None]).T @ design

    made = optimize.minimize(
        loss,
        np.zeros(design.shape[1]),
        jac=slope,
        hess=curvature,
        method="trust-exact",
        options={"gtol": 1e-10},
    )
    found = made.x
    for _ in range(3):  # to full precision
        found = found - np.linalg.solve(curvature(found), slope(found))
    strengths = np.append(found[:last], 0.0)
    return items, np.concatenate([strengths - strengths.mean(), found[last:]])


def role_conflict() -> Numbers:
    """Strengths, win rates by urgency, S, win rates between domains and the entropy of pairs."""
    d = read("role_conflict")
    a, b, won = d["role_a"], d["role_b"], (d["choice"] == d["role_a"]).astype(float)
    gap = d["urgency_a"].astype(int) - d["urgency_b"].astype(int)
    shown = np.where(d["first"] == a, 1.0, -1.0)
    found: Numbers = {}
    items, fit = bradley_terry(a, b, won, np.column_stack([shown, gap]))
    for name, value in zip([*items, "order", "urgency"], fit, strict=True):
        group = name if name == "order" else "covariate" if name == "urgency" else "strength"
        found["bradley_terry", group, name, "estimate"] = float(value)

    who, whom = np.concatenate([a, b]), np.concatenate([b, a])
    wins, lead = np.concatenate([won, 1 - won]), np.concatenate([gap, -gap])
    items, of = codes(who)
    targets, s = {"higher": 1.0, "equal": 0.5, "lower": 0.0}, 0.0
    for condition, sign in (("higher", 1), ("equal", 0), ("lower", -1)):
        here = np.sign(lead) == sign
        rates = np.full(len(items), np.nan)
        for k, item in enumerate(items):
            mine = here & (of == k)
            opponents, at = codes(whom[mine])
            rates[k] = (
                np.mean(np.bincount(at, wins[mine]) / np.bincount(at)) if opponents else np.nan
            )
            found["win_rates", condition, item, "estimate"] = float(rates[k])
        part = 100 * float(np.nanmean((rates - targets[condition]) ** 2))
        found["sensitivity", "plug_in", f"S_{condition}", "estimate"] = part
        s += part
    found["sensitivity", "plug_in", "S", "estimate"] = s

    one, two = d["domain_a"], d["domain_b"]
    for x, y in itertools.permutations(sorted(set(one)), 2):
        met = ((one == x) & (two == y)) | ((one == y) & (two == x))
        share = np.where(one[met] == x, won[met], 1 - won[met]).mean()
        found["group_win_rates", str(y), str(x), "estimate"] = float(share)
    return found


def norm_goal() -> Numbers:
    """Shares of people and of the model, their differences with clusters of scenario, and the similarity."""
    d = read("norm_goal")
    kept = np.isin(d["action"], ("comply", "deviate", "escalate"))
    d = {name: column[kept] for name, column in d.items()}
    model = d["source"] != "human"
    found: Numbers = {}
    pressures = list(dict.fromkeys(d["pressure"]))
    names, of = codes(d["scenario"])
    k = len(names)
    for action in ("comply", "deviate", "escalate"):
        chosen = (d["action"] == action).astype(float)
        for pressure in (None, *pressures):
            inside = np.ones(len(chosen), bool) if pressure is None else d["pressure"] == pressure
            parts = []
            for source, rows in (("human", inside & ~model), ("model", inside & model)):
                group = source if pressure is None else f"{source}, {pressure}"
                mean, error, _ = cluster_mean(chosen[rows], d["scenario"][rows])
                if source == "human":
                    error = crossed_error(chosen[rows], d["scenario"][rows], d["rater"][rows])
                found["choice_shares", group, action, "estimate"] = mean
                found["choice_shares", group, action, "std_error"] = error
                parts.append((mean, rows))
            (p, _people), (q, _answers) = parts
            group = "model - human" + ("" if pressure is None else f", {pressure}")
            found["choice_shares", group, action, "estimate"] = q - p
    for group, inside in (
        (None, np.ones(len(of), bool)),
        *((p, d["pressure"] == p) for p in pressures),
    ):
        shares = [
            np.array(
                [np.mean(d["action"][rows] == one) for one in ("comply", "deviate", "escalate")]
            )
            for rows in (inside & ~model, inside & model)
        ]
        middle = sum(shares) / 2
        divergence = sum(np.sum(one * np.log2(one / middle)) for one in shares) / 2
        found["js_similarity", str(group), "model (plug-in)", "estimate"] = float(1 - divergence)
    assert k == 160
    return found


def social_norms() -> Numbers:
    """Distances from the mode of the people, by model and area; shares of exact matches."""
    d = read("social_norms")
    order = "ABCDE"
    level = np.array(
        [order.find(one) if len(one) == 1 and one in order else -1 for one in d["answer"]]
    )
    refused = d["answer"] == "F"
    human = d["source"] == "human"
    items, of = codes(d["item"])
    votes = np.zeros((len(items), 5))
    np.add.at(votes, (of[human & (level >= 0)], level[human & (level >= 0)]), 1)
    tied = votes == votes.max(1, keepdims=True)
    places = np.where(tied, np.arange(5), np.nan)
    mode = np.nanmean(places, 1)
    found: Numbers = {}
    area = dict(zip(d["item"], d["area"], strict=True))
    areas = np.array([area[one] for one in items])
    for name in sorted(set(d["rater"][~human])):
        rows = (d["rater"] == name) & ~human
        distance = np.full(len(items), np.nan)
        distance[of[rows]] = np.where(refused[rows], 4.0, np.abs(level[rows] - mode[of[rows]]))
        distance[of[rows & (level < 0) & ~refused]] = np.nan
        found["ada_met", "number", name, "estimate"] = found[
            "ada_met", "None", name, "estimate"
        ] = np.nanmean(distance)
        for one in sorted(set(areas)):
            found["ada_met", f"area = {one}", name, "estimate"] = float(
                np.nanmean(distance[areas == one])
            )
    return found


def relationship_bias() -> Numbers:
    """S of every kind of couple, B of each pair of groups, B_all, and B of each scenario."""
    d = read("relationship_bias")
    kept = np.isin(d["answer"], ("-1", "1"))
    d = {name: column[kept] for name, column in d.items()}
    score = d["answer"].astype(float)
    one, two = d["group_first"], d["group_second"]
    groups, found = sorted(set(one) | set(two)), Numbers()
    s: dict[tuple[str, str], float] = {}
    for x, y in itertools.product(groups, repeat=2):
        rows = (one == x) & (two == y)
        s[x, y] = float(score[rows].mean())
        found[
            "relationship_bias",
            *(("score", f"{x}, {y}") if x != y else ("position", x)),
            "estimate",
        ] = s[x, y]
    sizes = []
    for x, y in itertools.combinations(groups, 2):
        bias = s[y, x] - s[x, y]
        sizes.append(abs(bias))
        found["relationship_bias", "bias", f"{x} - {y}", "estimate"] = bias
        for a, b in ((x, y), (y, x)):
            found["relationship_bias", "score", f"{a}, {b}", "n"] = float(
                ((one == a) & (two == b)).sum()
            )
    found["relationship_bias", "position, mean", "same groups", "estimate"] = float(
        np.mean([s[x, x] for x in groups])
    )
    found["relationship_bias", "position, both orders", "different groups", "estimate"] = float(
        np.mean([s[x, y] for x, y in itertools.permutations(groups, 2)])
    )
    found["relationship_bias", "overall", "B_all", "estimate"] = float(np.mean(sizes))
    for x in groups:
        found["relationship_bias", "position", x, "n"] = float(((one == x) & (two == x)).sum())
    for factor in ("topic", "kind"):
        levels = [
            one for one in sorted(set(d[factor])) if len(set(d["scenario"][d[factor] == one])) > 1
        ]
        for level, (x, y) in itertools.product(levels, itertools.combinations(groups, 2)):
            here = d[factor] == level
            difference = (
                score[here & (one == y) & (two == x)].mean()
                - score[here & (one == x) & (two == y)].mean()
            )
            found["adjust", f"{factor} = {level}", f"{x} - {y}", "estimate"] = float(difference)
    return found


WEIGHTS = {
    "tradition": -1.125,
    "authority_deference": -1.125,
    "risk_aversion": -0.875,
    "individual_responsibility": -0.875,
    "moral_certainty": -1.0,
    "progress": 1.0,
    "egalitarianism": 1.125,
    "openness": 1.125,
    "collective_responsibility": 0.875,
    "nuanced_pragmatism": 0.875,
}


def staged_values() -> Numbers:
    """Composites of every model, by stage, with scenarios as units; of all models and by stage with models as units."""
    d = read("staged_values")
    d = {
        name: column[d["wording"] == "1"] for name, column in d.items()
    }  # the other wordings have a block of their own
    value = sum(weight * d[trait].astype(float) for trait, weight in WEIGHTS.items())
    (models, m), (stages, t), (scenarios, k) = (
        codes(d[name]) for name in ("model", "stage", "scenario")
    )
    sums, counts = (np.zeros((len(models), len(stages), len(scenarios))) for _ in range(2))
    np.add.at(sums, (m, t, k), value)
    np.add.at(counts, (m, t, k), 1)
    cells = sums / counts
    found: Numbers = {}
    for i, model in enumerate(models):
        found |= paired_row(("trait_profile", "composite", model), cells[i].mean(0))
        for j, stage in enumerate(stages):
            found |= paired_row(("trait_profile", f"composite: {stage}", model), cells[i, j])
    found |= paired_row(
        ("trait_profile", "composite of all models", "composite"), cells.mean((1, 2))
    )
    for j, stage in enumerate(stages):
        found |= paired_row(
            ("trait_profile", "composite by stage of all models", stage), cells[:, j].mean(1)
        )
        if stage != "baseline":
            change = (cells[:, j] - cells[:, stages.index("baseline")]).mean(1)
            term = f"{stage} minus baseline"
            found |= paired_row(
                ("trait_profile", "composite change by stage of all models", term), change
            )
            d_z = float(change.mean() / change.std(ddof=1))
            found["trait_profile", "composite d_z by stage of all models", term, "estimate"] = d_z
    return found


def comparisons(d: Columns) -> Numbers:
    """Strengths with and without the order effect, worths, ranks and numbers of comparisons."""
    won = (d["winner"] == d["item_a"]).astype(float)
    shown = np.where(d["order"] == d["item_a"], 1.0, -1.0)
    items, fit = bradley_terry(d["item_a"], d["item_b"], won, shown[:, None])
    found: Numbers = {("bradley_terry", "order", "order", "estimate"): float(fit[-1])}
    worth = np.exp(fit[:-1]) / np.exp(fit[:-1]).sum()
    _, of = codes([*d["item_a"], *d["item_b"]])
    for k, item in enumerate(items):
        found["bradley_terry", "strength", item, "estimate"] = float(fit[k])
        found["bradley_terry", "strength", item, "n"] = float((of == k).sum())
        found["bradley_terry", "worth", item, "estimate"] = float(worth[k])
        found["bradley_terry", "rank", item, "estimate"] = 1.0 + float((fit[:-1] > fit[k]).sum())
    return found


def paired(d: Columns) -> Numbers:
    """McNemar's table and tests, the t test of cluster means, and the difference without each cluster."""
    right = d["correct"].astype(int)
    units, of = codes(d["item"])
    one, two = (np.zeros(len(units), int) for _ in range(2))
    for values, name in ((one, "reminded"), (two, "plain")):
        rows = d["condition"] == name
        values[of[rows]] = right[rows]
    _, cluster = codes([unit.split("-")[0] for unit in units])
    found: Numbers = {}
    n, gap = len(units), one - two
    b, c = int((gap > 0).sum()), int((gap < 0).sum())
    cells = {
        "both": (one & two).sum(),
        "first only": b,
        "second only": c,
        "neither": ((1 - one) & (1 - two)).sum(),
    }
    for name, count in cells.items():
        found["mcnemar", "cell", name, "n"] = float(count)
        found["mcnemar", "cell", name, "estimate"] = float(count) / n
    found["mcnemar", "proportion", "reminded", "estimate"] = float(one.mean())
    found["mcnemar", "proportion", "plain", "estimate"] = float(two.mean())
    found["mcnemar", "None", "odds_ratio", "estimate"] = b / c
    found["mcnemar", "None", "cohens_g", "estimate"] = b / (b + c) - 0.5
    alone = "ignoring clusters"
    found["mcnemar", alone, "exact", "p_value"] = float(stats.binomtest(b, b + c).pvalue)
    found["mcnemar", alone, "mid_p", "p_value"] = 2 * float(stats.binom.cdf(c, b + c, 0.5)) - float(
        stats.binom.pmf(c, b + c, 0.5)
    )
    for name, statistic in (
        ("asymptotic", (b - c) ** 2 / (b + c)),
        ("continuity", (abs(b - c) - 1) ** 2 / (b + c)),
    ):
        found["mcnemar", alone, name, "statistic"] = float(statistic)
        found["mcnemar", alone, name, "p_value"] = float(stats.chi2.sf(statistic, 1))
    found["mcnemar", alone, "difference", "std_error"] = float(
        np.sqrt(b + c - (b - c) ** 2 / n) / n
    )
    sums, sizes = np.bincount(cluster, gap), np.bincount(cluster)
    at = ("mcnemar", "test", "cluster_means_t")
    found |= {
        key: value
        for key, value in paired_row(at, sums / sizes).items()
        if not key[3].startswith("conf")
    }
    found["mcnemar", "None", "difference", "estimate"] = float(gap.mean())
    mean, error, df = cluster_mean(gap, cluster)
    for field, value in {"std_error": error, "statistic": mean / error, "df": df}.items():
        found["mcnemar", "None", "difference", field] = value
    for field, value in zip(("conf_low", "conf_high"), t_interval(mean, error, df), strict=True):
        found["mcnemar", "None", "difference", field] = value
    obuchowski = gap.sum() ** 2 / (sums**2).sum()
    found["mcnemar", "test", "durkalski", "statistic"] = float(
        (sums / sizes).sum() ** 2 / ((sums / sizes) ** 2).sum()
    )
    found["mcnemar", "test", "durkalski", "p_value"] = float(
        stats.chi2.sf(found["mcnemar", "test", "durkalski", "statistic"], 1)
    )
    assert obuchowski > 0
    for k in range(len(sizes)):
        value = float(gap[cluster != k].mean())
        found["paired_difference", "without this scenario", f"s{k:02d}", "estimate"] = value
    return found


def paired_numbers(d: Columns) -> Numbers:
    """The paired t test, its parts, effect sizes, Wilcoxon's test, and all of it without the largest outlier."""
    units, of = codes(d["subject"])
    after, before = (np.zeros(len(units)) for _ in range(2))
    for values, name in ((after, "after"), (before, "before")):
        rows = d["time"] == name
        values[of[rows]] = d["score"][rows].astype(float)
    found: Numbers = {}
    gap = after - before
    found |= paired_row(("paired_difference", "None", "difference"), gap)
    for name, values in (("after", after), ("before", before)):
        found["paired_difference", "mean", name, "estimate"] = float(values.mean())
        found["paired_difference", "sd", name, "estimate"] = float(values.std(ddof=1))
    found["paired_difference", "sd", "difference", "estimate"] = float(gap.std(ddof=1))
    r = float(np.corrcoef(after, before)[0, 1])
    found["paired_difference", "None", "r", "estimate"] = r
    d_z = float(gap.mean() / gap.std(ddof=1))
    variances = [values.var(ddof=1) for values in (after, before)]
    sizes = {
        "d_z": d_z,
        "d_av": gap.mean() / np.sqrt(sum(variances) / 2),
        "d_rm": d_z * np.sqrt(2 * (1 - r)),
    }
    for name, value in sizes.items():
        found["effect_sizes", "None", name, "estimate"] = float(value)
    (
        found["equivalence", "None", "difference", "conf_low"],
        found["equivalence", "None", "difference", "conf_high"],
    ) = (
        float(
            gap.mean()
            + sign * stats.t.ppf(0.95, gap.size - 1) * gap.std(ddof=1) / np.sqrt(gap.size)
        )
        for sign in (-1, 1)
    )
    return found


def alpha(table: Any, ordered: bool) -> float:
    """Return Krippendorff's alpha of units x raters, -1 where there is no rating (Krippendorff 2011)."""
    levels = int(table.max()) + 1
    together = np.zeros((levels, levels))
    for row in table:
        known = row[row >= 0]
        if known.size > 1:
            for i, j in itertools.permutations(range(known.size), 2):
                together[known[i], known[j]] += 1 / (known.size - 1)
    totals = together.sum(1)
    distance = 1.0 - np.eye(levels)
    if ordered:
        for c, k in itertools.combinations(range(levels), 2):
            distance[c, k] = distance[k, c] = (
                totals[c : k + 1].sum() - (totals[c] + totals[k]) / 2
            ) ** 2
    expected = (np.outer(totals, totals) - np.diag(totals)) / (totals.sum() - 1)
    return float(1 - (together * distance).sum() / (expected * distance).sum())


def kappa(one: Any, two: Any) -> float:
    """Return quadratic weighted kappa."""
    kept = (one >= 0) & (two >= 0)
    levels = int(max(one.max(), two.max())) + 1
    cells = np.zeros((levels, levels))
    np.add.at(cells, (one[kept], two[kept]), 1 / kept.sum())
    weights = (np.arange(levels)[:, None] - np.arange(levels)) ** 2
    return float(
        1 - (cells * weights).sum() / (np.outer(cells.sum(1), cells.sum(0)) * weights).sum()
    )


def agreement(d: Columns) -> list[tuple[Key, float]]:
    """Alphas of all raters, of strata, with refusals, of analysis variants; kappas and agreement of pairs."""
    order = {"low": 0, "medium": 1, "high": 2}
    (units, u), (raters, j) = codes(d["unit"]), codes(d["judge"])
    table = np.full((len(units), len(raters)), -1)
    table[u, j] = [order.get(value, -1) for value in d["rating"]]
    refusals = table.copy()
    refused = d["rating"] == "refused"
    refusals[u[refused], j[refused]] = 3
    domain = np.array([dict(zip(d["unit"], d["domain"], strict=True))[unit] for unit in units])
    none = ("krippendorff_alpha", "None", "alpha", "estimate")
    found = [
        (none, alpha(table, True)),
        (none, alpha(table, False)),
        (none, alpha(refusals, False)),
    ]
    found.append((("gwet_ac", "None", "AC2", "n"), float((table >= 0).sum())))
    for one in sorted(set(domain)):
        part = table[domain == one]
        found.append((("krippendorff_alpha", one, "alpha", "estimate"), alpha(part, True)))
        found.append((("krippendorff_alpha", one, "alpha", "n"), float((part >= 0).sum())))
    # the strata whose alphas are tested, together as one family
    for one in ("family", "work"):
        part = table[domain == one]
        found.append((("adjust", one, "alpha", "estimate"), alpha(part, True)))
        found.append((("adjust", one, "alpha", "n"), float((part >= 0).sum())))
    whole = table[(table >= 0).all(1)]
    multiverse = {
        ("as on this page", "ordinal, all raters"): table,
        ("clusters", "units independent"): table,
        ("interval", "bootstrap, percentile"): table,
        ("missing ratings", "units that all raters rated"): whole,
    }
    multiverse |= {
        ("rater left out", f"without {name}"): np.delete(table, k, 1)
        for k, name in enumerate(raters)
    }
    for (group, term), part in multiverse.items():
        found.append((("krippendorff_alpha", group, term, "estimate"), alpha(part, True)))
        found.append(
            (
                ("krippendorff_alpha", group, term, "n"),
                float((part[(part >= 0).sum(1) > 1] >= 0).sum()),
            )
        )
    found.append(
        (("krippendorff_alpha", "scale", "nominal scale", "estimate"), alpha(table, False))
    )
    kappas = []
    for x, y in itertools.combinations(range(len(raters)), 2):
        kept = (table[:, x] >= 0) & (table[:, y] >= 0)
        name = f"{raters[x]} | {raters[y]}"
        kappas.append(kappa(table[:, x], table[:, y]))
        found.append((("weighted_kappa", "None", name, "estimate"), kappas[-1]))
        found.append((("weighted_kappa", "None", name, "n"), float(kept.sum())))
        same = table[kept, x] == table[kept, y]
        found.append((("percent_agreement", "None", name, "estimate"), float(same.mean())))
        found.append((("percent_agreement", "None", name, "n"), float(kept.sum())))
    found.append((("weighted_kappa", "None", "mean", "estimate"), float(np.mean(kappas))))
    rated = [
        ((table[:, [x, y]] >= 0).all(1)).sum()
        for x, y in itertools.combinations(range(len(raters)), 2)
    ]
    for term in ("mean", "pooled"):
        found.append((("weighted_kappa", "None", term, "n"), float(sum(rated))))
    for term in ("difference", "judge with people"):
        found.append((("judge_agreement", "gpt_4", term, "n"), float(sum(rated[1:]))))
    within = []
    for row in table:
        known = row[row >= 0]
        within.append(np.mean([a == b for a, b in itertools.combinations(known, 2)]))
    found.append((("percent_agreement", "None", "all pairs", "estimate"), float(np.mean(within))))
    found.append((("percent_agreement", "None", "all pairs", "n"), float(len(within))))
    for part in (table, refusals):
        found.append(((*none[:3], "n"), float((part[(part >= 0).sum(1) > 1] >= 0).sum())))
    found.append(
        (
            ("judge_agreement", "gpt_4", "people with people", "estimate"),
            quadratic_alpha(table[:, :2][(table >= 0).all(1)]),
        )
    )
    return found


def quadratic_alpha(table: Any) -> float:
    """Return quadratic kappa of two raters."""
    return kappa(table[:, 0], table[:, 1])


def leaderboard(d: Columns) -> Numbers:
    """Means by task, means of tasks, ranks, and differences on shared items with independent items."""
    correct = d["correct"].astype(float)
    names, tasks = sorted(set(d["model"])), sorted(set(d["task"]))
    keys = [f"{task}\x1f{item}" for task, item in zip(d["task"], d["item"], strict=True)]
    units, of = codes(keys)
    task_of = np.array([unit.split("\x1f")[0] for unit in units])
    table = np.full((len(names), len(units)), np.nan)
    table[[names.index(one) for one in d["model"]], of] = correct
    found: Numbers = {}
    shared = ~np.isnan(table).any(0)
    means = []
    for name, row in zip(names, table, strict=True):
        by_task = [float(np.nanmean(row[task_of == task])) for task in tasks]
        means.append(float(np.mean(by_task)))
        found["leaderboard", "mean", name, "estimate"] = means[-1]
        found["leaderboard", "mean", name, "n"] = float((~np.isnan(row)).sum())
        found["leaderboard", "mean over units", name, "estimate"] = float(np.nanmean(row))
        on_shared = [row[shared & (task_of == task)].mean() for task in tasks]
        found["leaderboard", "mean on shared units", name, "estimate"] = float(np.mean(on_shared))
        for task, value in zip(tasks, by_task, strict=True):
            found["leaderboard", f"task: {task}", name, "estimate"] = value
            found["leaderboard", f"task: {task}", name, "n"] = float(
                (~np.isnan(row[task_of == task])).sum()
            )
    for (i, one), (j, two) in itertools.combinations(enumerate(names), 2):
        gap = table[i] - table[j]
        parts = [gap[(task_of == task) & ~np.isnan(gap)] for task in tasks]
        mean = float(np.mean([part.mean() for part in parts]))
        found["leaderboard", "difference", f"{one} - {two}", "estimate"] = mean
        error = np.sqrt(sum(part.var(ddof=1) / part.size for part in parts)) / len(parts)
        found["leaderboard", "difference", f"{one} - {two}", "std_error"] = float(error)
    for name, mean in zip(names, means, strict=True):
        found["leaderboard", "rank", name, "estimate"] = 1.0 + float(
            sum(other > mean for other in means)
        )
    return found
