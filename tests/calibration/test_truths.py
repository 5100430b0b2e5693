"""The truths that calibration compares with: each against another way to get it."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import integrate, optimize, stats
from scipy.special import expit

import socialstats


@pytest.fixture
def load(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    return importlib.import_module


@pytest.mark.parametrize("log_odds", [-3.0, 0.0, 0.7])
@pytest.mark.parametrize("sd", [0.0, 0.5, 1.0])
def test_marginal_probability_is_the_integral(load, log_odds, sd):
    found = load("simulate").marginal(np.array([log_odds]), sd)[0]
    exact = integrate.quad(lambda z: expit(log_odds + sd * z) * stats.norm.pdf(z), -12, 12)[0]
    assert found == pytest.approx(exact, abs=1e-9)


def test_pseudo_true_strengths_are_the_truth_without_an_effect_and_shrink_with_one(load):
    simulate = load("simulate")
    layout = simulate.Layout.role_conflict()
    truth = simulate.strengths(65, 0.8, np.random.default_rng(3))
    log_odds = truth[layout.a] - truth[layout.b]
    assert np.abs(layout.pseudo_true(log_odds, 0.0) - truth).max() < 1e-9
    slope = np.polyfit(truth, layout.pseudo_true(log_odds, 1.0), 1)[0]
    assert 0.8 < slope < 0.88  # about 1 / sqrt(1 + 0.35)


def test_strengths_closest_to_probabilities_maximise_the_expected_likelihood(load):
    studies = load("studies")
    truth = np.array([0.9, 0.2, -0.3, -0.8])
    gap = truth[:, None] - truth[None, :]
    assert studies.fit_to_probabilities(expit(gap)) == pytest.approx(truth, abs=1e-9)
    p = load("simulate").marginal(gap, 1.5)

    def loss(x):
        q = expit(x[:, None] - x[None, :])
        return -np.sum((p * np.log(q))[~np.eye(4, dtype=bool)])

    best = optimize.minimize(loss, truth, tol=1e-12).x
    assert studies.fit_to_probabilities(p) == pytest.approx(best - best.mean(), abs=1e-5)


def test_true_rates_are_what_win_rates_estimates(load):
    simulate, studies = load("simulate"), load("studies")
    layout = simulate.Layout.role_conflict()
    a_won = np.random.default_rng(1).random(len(layout.a)) < 0.5
    from socialstats import win_rates

    found = win_rates(layout.design(a_won, urgency=True))
    rates = studies.true_rates(layout, a_won.astype(float))
    for k, group in enumerate(("higher", "equal", "lower")):
        ours = [found.row(item, group=group).estimate for item in layout.items]
        assert ours == pytest.approx(rates[k], abs=1e-12)


def test_a_tally_counts_intervals_that_hold_and_leaves_out_those_that_do_not_exist(load):
    tally = load("tally").Tally("s", "t")
    rows = [
        SimpleNamespace(conf_low=lo, conf_high=hi)
        for lo, hi in ((0, 1), (2, 3), (None, None), (0, 5))
    ]
    tally.covers("m", "q", rows, [0.5, 0.5, 0.5, 4.0])
    tally.covers("m", "q", rows, [2.0, 2.5, 0.5, 9.0])
    only = tally.lines({("m", "q"): (0.4, 0.6)})[0]
    assert (only.share, only.simulations) == (pytest.approx(0.5), 2)
    assert only.error == pytest.approx(np.std([2 / 3, 1 / 3], ddof=1) / np.sqrt(2))
    assert only.holds


@pytest.mark.parametrize("reliability", [0.3, 0.8])
def test_joint_levels_of_two_raters_are_those_of_a_bivariate_normal(load, reliability):
    made = load("made")
    raters = made.Raters(reliability=reliability, shares=np.array([0.5, 0.3, 0.2]))
    joint = raters.joint()
    corner = stats.multivariate_normal.cdf(
        raters.cuts[:1].repeat(2), cov=[[1, reliability], [reliability, 1]]
    )
    assert joint[0, 0] == pytest.approx(corner, abs=1e-5)
    assert joint.sum(axis=0) == pytest.approx(raters.shares, abs=1e-6)


def test_true_kappa_and_alpha_are_those_of_a_large_sample(load):
    from socialstats import krippendorff_alpha, weighted_kappa

    made = load("made")
    two = made.Raters(reliability=0.6, shares=np.array([0.6, 0.2, 0.1, 0.06, 0.04]))
    three = made.Raters(reliability=0.6, shares=two.shares, missing=0.2, raters=3)
    rng = np.random.default_rng(2)
    kappa = weighted_kappa(two.draw(rng, 60_000)).rows[0]
    assert abs(kappa.estimate - made.quadratic_kappa(two.joint())) < 4 * kappa.std_error
    alpha = krippendorff_alpha(three.draw(rng, 60_000)).rows[0]
    assert abs(alpha.estimate - made.ordinal_alpha(three.joint())) < 4 * alpha.std_error


@pytest.mark.parametrize("shape", ["normal", "towards", "away"])
def test_true_effect_size(load, shape):
    design = load("made").differences(np.random.default_rng(1), 200_000, 0.5, shape)
    assert design.difference.mean() / design.difference.std() == pytest.approx(0.5, abs=0.015)


def test_answers_have_no_difference_on_average_and_depend_on_scenarios_and_pairs(load):
    made, rng = load("made"), np.random.default_rng(4)
    designs = [made.crossed_answers(rng, 29, 50, 1.0, 0.0) for _ in range(200)]
    means = np.array([d.difference.mean() for d in designs])
    assert abs(means.mean()) < 4 * means.std() / np.sqrt(200)
    # variance of a mean: share of differing answers, and 29 scenarios' effects E[(2 expit(u) - 1)^2] share^2
    effect = (
        integrate.quad(lambda u: (2 * expit(u) - 1) ** 2 * stats.norm.pdf(u), -9, 9)[0]
        * made.DISCORDANT**2
    )
    expected = (made.DISCORDANT - effect) / 1450 + effect / 29
    assert means.var(ddof=1) == pytest.approx(expected, rel=0.35)


def test_a_page_keeps_the_studies_that_were_not_run(load, tmp_path, monkeypatch):
    calibrate, tally = load("calibrate"), load("tally")
    monkeypatch.setattr(calibrate, "LINES", tmp_path / "lines.csv")
    more = {
        "method": "m (default)",
        "quantity": "q",
        "error": 0.1,
        "simulations": 9,
        "nominal": 0.95,
    }
    one, two, new = (
        tally.Line(study=study, setting="s", share=share, must=must, **more)
        for study, share, must in (
            ("One", 0.95, (0.925, 1.0)),
            ("Two", 0.5, None),
            ("Two", 0.75, None),
        )
    )
    calibrate.write_lines([one, two], keep=False)
    calibrate.write_lines([new], keep=True)
    assert tally.read(calibrate.LINES) == [one, new]
    page = calibrate.page_of_lines()
    assert page.startswith("# Calibration\n\n" + calibrate.TRUST.read_text(encoding="utf-8")[:20])
    assert (
        "| s | m (default) | q | **0.950** (0.925 to 1: holds) | 0.100 | 0.95 | 9 |  |  |" in page
    )
    assert "| s | m (default) | q | 0.750 | 0.100 | 0.95 | 9 |  |  |" in page
    assert "0.500" not in page
    assert "| Two: s | m (default) | q | 0.750 | 0.95 |  |  | not measured |" in page


def test_a_failure_is_silent_where_results_without_a_caution_fail_too(load):
    tally = load("tally").Tally("s", "t")
    doubt, other = ([SimpleNamespace(code=code)] for code in ("SS317", "SS106"))
    for held, said in ((0, doubt), (0, doubt), (1, other), (1, [])):
        tally.add("always held where silent", "q", held, said)
    for held, said in ((0, doubt), (0, other), (1, [])):
        tally.add("silent", "q", held, said)
    good, bad = tally.lines()
    assert (good.cautioned, good.silent, good.is_wrong, good.is_silent) == (0.5, 1.0, True, False)
    assert (bad.cautioned, bad.silent, bad.is_silent) == (pytest.approx(1 / 3), 0.5, True)


def test_widths_of_normal_intervals_of_a_known_error_are_those_of_the_oracle(load):
    widths, rng = load("tally").Widths("s", "t"), np.random.default_rng(3)
    for _ in range(2000):
        estimates = rng.normal(0, [1.0, 3.0])
        rows = [
            SimpleNamespace(estimate=x, conf_low=x - 1.96 * s, conf_high=x + 1.96 * s)
            for x, s in zip(estimates, (1.2, 3.6), strict=True)
        ]
        widths.add("m", "q", rows)
    assert widths.lines((0.0, 1.25))[0].share == pytest.approx(1.2, abs=0.04)


@pytest.mark.slow
def test_distances_of_ada_met_are_those_of_the_metric_and_of_a_large_population(load):
    study = load("alignment_studies")
    rng = np.random.default_rng(12)
    norms = study.Norms(200, 40)
    found = [socialstats.ada_met(norms.draw(rng), resamples=39) for _ in range(30)]
    each = np.array([[one.row(f"m{k}", group=None).estimate for k in (0, 1)] for one in found])
    error = each.std(axis=0, ddof=1) / np.sqrt(len(each))
    assert np.all(np.abs(each.mean(axis=0) - norms.expected(rng)) < 4 * error)
    many = study.Norms(4000, 2000)  # hardly any noise left in the modes
    people, asked, models = many.answers(rng)
    counts = np.stack([((people == level) & asked).sum(axis=0) for level in range(5)], axis=1)
    near = np.abs(counts.argmax(axis=1) - models).mean(axis=1)
    assert near == pytest.approx(
        study.without_noise(study.CLEAR), abs=0.04
    )  # four standard errors of 4,000 units


def test_similarity_and_shares_of_sources_are_what_many_units_give(load):
    source_studies = load("source_studies")
    design = source_studies.table(
        np.random.default_rng(2), 20_000, source_studies.MODELS["different"]
    )
    found = socialstats.choice_shares(design, permutations=99)
    for k, level in enumerate(source_studies.LEVELS):
        for name, shares in (
            ("human", source_studies.HUMAN),
            ("model", source_studies.MODELS["different"]),
        ):
            row = found.row(level, group=name)
            assert abs(row.estimate - shares[k]) < 4 * row.std_error
    counts = [np.array(list(found.extras["counts"][name].values())) for name in ("human", "model")]
    p, q = (x / x.sum() for x in counts)
    true = source_studies.similarity(source_studies.HUMAN, source_studies.MODELS["different"])
    assert source_studies.similarity(tuple(p), tuple(q)) == pytest.approx(true, abs=0.01)
    assert source_studies.similarity((0.5, 0.5), (0.5, 0.5)) == pytest.approx(1, abs=1e-12)


@pytest.mark.slow
def test_true_biases_are_those_of_very_many_scenarios_and_pairs(load):
    couples = load("couple_studies")
    made = couples.Couples(
        scenarios=400, pairs=60, liking=(0.0, 0.1, 0.5), taste_sd=0.5, pair_sd=0.3
    )
    from socialstats import relationship_bias

    result = relationship_bias(
        made.draw(np.random.default_rng(3)), groups=couples.GROUPS, resamples=99
    )
    for row, truth in zip(
        (r for r in result.rows if r.group == "bias"), made.truths(), strict=True
    ):
        assert abs(row.estimate - truth) < 4 * row.std_error
    assert made.bias(0, 2) == -made.bias(2, 0)
    nobody = couples.Couples(
        scenarios=2, pairs=2, liking=(0.3, 0.3, 0.3), taste_sd=0.5, pair_sd=0.3
    )
    assert nobody.truths() == pytest.approx(np.zeros(3), abs=1e-12)


def test_lines_are_written_as_they_are_read(load, tmp_path):
    calibrate, tally = load("calibrate"), load("tally")
    lines = tally.read(calibrate.LINES)
    tally.write(lines, tmp_path / "lines.csv")
    assert (tmp_path / "lines.csv").read_bytes() == calibrate.LINES.read_bytes()


def test_every_note_is_on_the_page(load):
    calibrate = load("calibrate")
    text = calibrate.page_of_lines()
    shown = [
        start for start in calibrate.READING if f"\n## {start}" in text or f"### {start}" in text
    ]
    assert [start for start in shown if calibrate.READING[start] not in text] == []


def test_equal_shares_are_equal_in_the_model_that_is_fitted(load):
    studies, groups = load("studies"), load("group_studies")
    for scale in ("arithmetic", "geometric"):
        truth = groups.equal_shares(3, True, scale, 1.0)
        assert truth[0] - np.delete(truth, 0).max() > 0.3
        seen = studies.fit_to_probabilities(
            load("simulate").marginal(truth[:, None] - truth[None, :], 1.0)
        )
        worth = np.exp(seen).reshape(3, 3)
        means = worth.mean(axis=1) if scale == "arithmetic" else np.exp(np.log(worth).mean(axis=1))
        assert means == pytest.approx(np.full(3, means.mean()), rel=1e-6)


def test_pooled_intervals_are_those_of_win_rates(load):
    import pandas as pd

    groups, n = load("group_studies"), np.array([6, 2, 4, 9, 3, 5])
    wins = np.array([4.0, 1.0, 0.0, 7.0, 3.0, 2.0])
    pairs = [(a, b) for a in range(4) for b in range(a + 1, 4)]
    rows = [
        (f"i{a}", f"i{b}", 2, 1, f"i{a}" if k < w else f"i{b}")
        for (a, b), m, w in zip(pairs, n, wins, strict=True)
        for k in range(m)
    ]
    table = pd.DataFrame(rows, columns=["item_a", "item_b", "urgency_a", "urgency_b", "winner"])
    row = socialstats.win_rates(table, weights="pooled").row("all", group="higher")
    low, high, _ = groups.pooled_intervals(wins[:, None], n)
    assert (row.conf_low, row.conf_high) == pytest.approx((low[0], high[0]), rel=1e-9)


@pytest.mark.parametrize("clusters", [0, 8])
def test_moments_of_the_chance_to_be_right_are_those_of_a_beta_distribution(load, clusters):
    found = load("function_studies").moments(0.8, clusters)
    if clusters:
        icc = load("function_studies").RELATED
        law = stats.beta(0.8 * (1 / icc - 1), 0.2 * (1 / icc - 1))
        assert found == pytest.approx([law.moment(k) for k in (1, 2, 3)])
    else:
        assert found == pytest.approx([0.8, 0.64, 0.512])


@pytest.mark.slow
def test_expected_entropy_of_pairs_is_that_of_many_tables(load):
    studies, rng = load("function_studies"), np.random.default_rng(6)
    assert studies.expected_entropy(4, 1) == pytest.approx(0.0, abs=1e-12)
    rows = [
        next(iter(studies.entropies(rng, 4, 8, 4).intervals.values()))[0][0].estimate
        for _ in range(300)
    ]
    error = np.std(rows) / np.sqrt(len(rows))
    assert abs(np.mean(rows) - studies.expected_entropy(4, 8)) < 4 * error


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "setting", "quantity"),
    [
        ("judge_agreement", "three even levels, 100 units", "kappas"),
        ("changed_means", "0.3 changed, 60 units, 3 replies each", "mean change"),
        ("js_similarity", "40 clusters of 5", "similarity"),
        ("ada_met", "40 clusters of 5", "distance"),
        ("leaderboard", "normal, 8 clusters of 5", "mean"),
        ("effect_sizes", "40 clusters of 5", "d_z"),
        ("paraphrase_spread", "skewed spreads, 60 scenarios", "change"),
    ],
)
def test_estimates_of_functions_are_close_to_their_truths(load, name, setting, quantity):
    draw, rng = load("function_studies").SUBJECTS[name][setting], np.random.default_rng(7)
    gaps = [row.estimate - truth for _ in range(60) for row, truth in draw(rng).intervals[quantity]]
    assert abs(np.mean(gaps)) < 4.5 * np.std(gaps) / np.sqrt(60)
