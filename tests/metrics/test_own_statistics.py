"""Statistics of one's own: against R's boot, scipy, our own metrics, loops; what is drawn, and what is said."""

from __future__ import annotations

import json
import math
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.designs.redrawn import pieces_of
from socialstats.errors import DesignError, InputError, NothingToAnalyse
from tests.contracts.subjects import subject_of

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "own_statistics.json").read_text())
boot = partial(ss.bootstrap, resamples=199)


def ratio(x, u):
    return x.sum() / u.sum()


def gap(one, other):
    return one.mean() - other.mean()


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    unit, rater = np.repeat(np.arange(12), 6), np.tile(list("abcdef"), 12)
    y = rng.normal(size=12)[unit] + rng.normal(size=72)
    return pd.DataFrame(
        {"unit": unit, "rater": rater, "site": unit // 4, "y": y, "x": rng.normal(size=72)}
    )


class TestAgainstR:
    @pytest.mark.parametrize("ci", ["percentile", "basic", "bca"])
    def test_intervals_of_the_same_resamples(self, ci):
        r = GOLDEN["city"]
        data = np.array(r["x"], dtype=float), np.array(r["u"], dtype=float)
        row = ss.bootstrap(data, ratio, paired=True, ci=ci, resamples=999, seed=7).rows[0]
        assert (row.estimate, row.std_error) == pytest.approx((r["estimate"], r["se"]), rel=1e-12)
        assert (row.conf_low, row.conf_high) == pytest.approx(r[ci], rel=1e-12)
        assert row.interval == ci

    @pytest.mark.parametrize("ci", ["percentile", "basic"])
    def test_two_samples_are_drawn_within(self, ci):
        r = GOLDEN["gravity"]
        g, s = np.array(r["g"], dtype=float), np.array(r["s"])
        row = ss.bootstrap((g[s == 1], g[s == 2]), gap, ci=ci, resamples=999, seed=7).rows[0]
        assert (row.estimate, row.std_error) == pytest.approx((r["estimate"], r["se"]), rel=1e-12)
        assert (row.conf_low, row.conf_high) == pytest.approx(r[ci], rel=1e-12)
        named = pd.DataFrame({"g": g, "s": s})
        same = ss.bootstrap(
            named,
            lambda t: gap(t.g[t.s == 1], t.g[t.s == 2]),
            strata="s",
            ci=ci,
            resamples=999,
            seed=7,
        ).rows[0]
        assert same.conf_low == pytest.approx(row.conf_low, rel=1e-12)

    def test_jackknives(self):
        r = GOLDEN["city"]
        found = ss.jackknife((np.array(r["x"]), np.array(r["u"])), ratio, paired=True)
        assert found.rows[0].std_error == pytest.approx(r["jackknife_se"], rel=1e-12)
        assert found.extras["bias"]["ratio"] == pytest.approx(r["jackknife_bias"], rel=1e-10)
        assert found.row("ratio", group="bias corrected").estimate == pytest.approx(
            r["estimate"] - r["jackknife_bias"], rel=1e-12
        )
        g, s = np.array(GOLDEN["gravity"]["g"], dtype=float), np.array(GOLDEN["gravity"]["s"])
        two = ss.jackknife((g[s == 1], g[s == 2]), gap).rows[0]
        assert (two.std_error, two.df) == pytest.approx(
            (GOLDEN["gravity"]["jackknife_se"], GOLDEN["gravity"]["df"]), rel=1e-12
        )

    def test_clusters_and_crossed_factors(self):
        r = GOLDEN["clusters"]
        npk = pd.DataFrame({name: r[name] for name in ("yield", "N", "block")})
        row = ss.jackknife(
            npk, lambda t: t["yield"][t["N"] == 1].sum() / t["yield"].sum(), cluster="block"
        ).rows[0]
        assert (row.estimate, row.std_error) == pytest.approx((r["estimate"], r["se"]), rel=1e-10)
        assert (row.df, row.n_clusters, row.n) == (5, 6, 24)
        r = GOLDEN["crossed"]
        crossed = pd.DataFrame({name: r[name] for name in ("y", "day", "row")})
        two = ss.jackknife(crossed, lambda t: math.log(t["y"].mean()), cluster=("day", "row"))
        assert two.rows[0].std_error == pytest.approx(r["se"], rel=1e-10)
        assert 4 <= two.rows[0].df <= 5

    def test_exact_permutations(self):
        r = GOLDEN["medians"]
        x = np.array(r["x"])
        medians = lambda a, b: np.median(a) - np.median(b)  # noqa: E731
        less, greater, both = (
            ss.permute((x[:6], x[6:]), medians, paired=False, alternative=side).rows[0].p_value
            for side in ("less", "greater", "two-sided")
        )
        assert (less, greater) == pytest.approx((r["less"], r["greater"]), rel=1e-12)
        assert both == pytest.approx(2 * min(less, greater), rel=1e-12)
        row = ss.permute(np.array(GOLDEN["flips"]["d"]), np.mean, alternative="greater").rows[0]
        assert (row.p_value, row.test) == (
            pytest.approx(GOLDEN["flips"]["greater"], rel=1e-12),
            "sign_flip",
        )


class TestAgainstScipy:
    def test_permutation_tests_of_each_kind(self):
        from scipy.stats import permutation_test

        rng = np.random.default_rng(3)
        x, y = rng.lognormal(size=6), rng.lognormal(size=6)
        r = lambda a, b: np.corrcoef(a, b)[0, 1]  # noqa: E731
        for ours, kind, statistic, their_data, their_statistic in (
            ({"paired": False}, "independent", gap, (x, y), gap),
            ({"paired": True}, "samples", gap, (x, y), gap),
            ({"paired": True, "what": "pairings"}, "pairings", r, (y,), lambda b: r(x, b)),
        ):
            for side in ("two-sided", "greater", "less"):
                p = ss.permute((x, y), statistic, alternative=side, **ours).rows[0].p_value
                theirs = permutation_test(
                    their_data,
                    their_statistic,
                    permutation_type=kind,
                    alternative=side,
                    n_resamples=np.inf,
                )
                assert p == pytest.approx(theirs.pvalue, rel=1e-12), (kind, side)

    def test_bca_of_many_resamples(self):
        from scipy.stats import bootstrap

        x = np.random.default_rng(1).lognormal(size=40)
        ours = ss.bootstrap(x, np.std, ci="bca", resamples=4000).rows[0]
        theirs = bootstrap(
            (x,), np.std, n_resamples=20_000, rng=np.random.default_rng(2)
        ).confidence_interval
        assert (ours.conf_low, ours.conf_high) == pytest.approx(theirs, rel=0.05)


class TestAgainstOurMetrics:
    @pytest.mark.parametrize("ci", ["percentile", "basic", "bca"])
    def test_alpha_in_clusters(self, ci):
        subject = subject_of("krippendorff_alpha")
        design = subject.design(subject.rows())
        own = boot(design, ss.krippendorff_alpha, ci=ci).rows[0]
        ours = ss.krippendorff_alpha(design, ci=ci, resamples=199).rows[0]
        numbers = [
            (row.estimate, row.std_error, row.conf_low, row.conf_high) for row in (own, ours)
        ]
        assert numbers[0] == pytest.approx(numbers[1], rel=1e-9)
        assert (own.term, own.limits) == (ours.term, ours.limits)

    def test_units_are_drawn_without_clusters(self):
        subject = subject_of("krippendorff_alpha")
        design = subject.design(subject.rows())
        own = boot(design, ss.krippendorff_alpha, ci="percentile", cluster=None)
        ours = ss.krippendorff_alpha(design, ci="percentile", resamples=199, cluster=None)
        assert own.rows[0].std_error == pytest.approx(
            ours.rows[0].std_error, rel=0.15
        )  # alike units are cells there
        assert own.rows[0].n_units == 72
        assert [said.code for said in own.cautions if said.code == "SS201"]

    def test_win_rates_by_pair(self):
        subject = subject_of("win_rates")
        design = ss.Comparisons.from_frame(subject.rows().drop(columns=["worker", "first"]))
        share = lambda d: d.count[d.outcome == 0].sum() / d.count.sum()  # noqa: E731
        found = boot(design, share)
        assert found.settings["cluster"] == ["pair"]
        assert found.rows[0].n_clusters == len(design.pair.levels)

    def test_jackknife_of_a_mean_is_the_t_interval(self):
        x = np.random.default_rng(2).normal(size=15)
        own = ss.jackknife(x, np.mean, null=0).rows[0]
        t = ss.paired_difference(ss.Paired.one_sample(x)).rows[0]
        for name in (
            "estimate",
            "std_error",
            "df",
            "statistic",
            "p_value",
            "conf_low",
            "conf_high",
        ):
            assert getattr(own, name) == pytest.approx(getattr(t, name), rel=1e-9), name

    def test_sign_flips_of_pairs_in_clusters(self):
        subject = subject_of("paired_difference")
        design = subject.design(subject.rows()[lambda t: t["story"] < "s10"])
        row = ss.permute(design, lambda d: np.average(d.difference, weights=d.count)).rows[0]
        sums = np.bincount(design.clusters[0].codes, design.difference * design.count)
        every = np.array(list(product([-1, 1], repeat=len(sums)))) @ sums
        seen = sums.sum()
        tails = [(every >= seen - 1e-9).mean(), (every <= seen + 1e-9).mean()]
        assert row.p_value == pytest.approx(min(1.0, 2 * min(tails)), rel=1e-12)


class TestWhatIsDrawn:
    def test_units_drawn_twice_are_two_and_clusters_stay_whole(self):
        subject = subject_of("krippendorff_alpha")
        design = subject.design(subject.rows())
        sizes = set()

        def seen(part):
            story = part.clusters[0]
            assert list(part.units) == sorted(set(part.units))
            assert len(part.unit_count) == len(part.units) == len(story.codes)
            assert set(part.raters) == set(design.raters)
            pairs = part.unit * len(part.raters) + part.rater
            assert len(np.unique(pairs)) == len(pairs)  # no unit has two ratings of one rater
            of = {
                s.partition("#")[0]: n
                for s, n in zip(story.levels, np.bincount(story.codes), strict=True)
            }
            sizes.update(of.items())
            return len(story.levels)

        found = boot(design, seen)
        assert found.rows[0].reason == "no_variation"  # as many clusters each time
        whole = design.clusters[0]
        assert sizes == set(zip(whole.levels, np.bincount(whole.codes), strict=True))

    def test_crossed_factors_multiply(self, table):
        times = {}

        def seen(t):
            first = t["unit"].astype(str) + t["rater"]
            assert not t.duplicated(["unit", "rater"]).any()
            times[len(times)] = len(t)
            return t["y"].mean() + 0 * len(first)

        found = boot(table, seen, cluster=("unit", "rater"))
        assert set(times.values()) >= {72}
        assert found.rows[0].n_clusters == 6
        assert "12 of unit x 6 of rater" in found.inference

    def test_strata_keep_their_sizes(self, table):
        def seen(t):
            assert t.groupby("site")["unit"].nunique().tolist() == [4, 4, 4]
            return t["y"].mean()

        assert boot(table, seen, unit="unit", strata="site").extras["lost"] == {}

    def test_pieces_drawn_in_their_order_are_the_design(self):
        for name in ("paired_difference", "two_means", "win_rates", "krippendorff_alpha"):
            subject = subject_of(name)
            pieces = pieces_of(subject.design(subject.rows()))
            again = pieces.drawn(np.arange(pieces.size), {}).table()
            pd.testing.assert_frame_equal(again, pieces.data.table())

    def test_groups_of_raters_are_drawn_with_their_raters(self):
        subject = subject_of("mean_ratings")
        rows = subject.rows()
        kinds = {"ann": "x", "bob": "z", "cid": "z"}
        design = ss.Ratings.from_frame(
            rows.assign(kind=rows["rater"].map(kinds)), **subject.reading(), rater_groups="kind"
        )
        pieces = pieces_of(design)
        index = np.repeat(np.arange(pieces.size), 2)
        drawn = pieces.drawn(index, {"kind": np.tile([0, 1], pieces.size)})
        assert drawn.units == design.units
        assert drawn.raters == ("ann", "ann#2", "bob", "bob#2", "cid", "cid#2")
        kind = drawn.rater_groups["kind"]
        assert [kind.levels[code] for code in kind.codes] == ["x", "x#2", "z", "z#2", "z", "z#2"]

    def test_names_of_units_follow(self):
        rows = {"item": [1, 1, 2, 2, 3, 3], "time": ["b", "a"] * 3, "score": [3, 5, 4, 4, 1, 7]}
        pieces = pieces_of(ss.Paired.from_frame(rows, conditions=("a", "b")))
        index, copy = np.array([0, 0, 2]), np.array([0, 1, 0])
        drawn = pieces.drawn(index, {"": copy})
        assert len(set(drawn.units.names())) == 3
        by_name = dict(zip(drawn.units.names(), drawn.difference[drawn.units.cell], strict=True))
        assert sorted(by_name.values()) == sorted(pieces.data.difference[index])

    def test_numbers_of_a_table_stay_numbers(self, table):
        kinds = []

        def seen(t):
            kinds.append((t["unit"].dtype.kind, t["rater"].dtype.kind, t.index.is_unique))
            return t["y"].mean()

        boot(table, seen, cluster=("unit", "rater"))
        assert set(kinds) == {("i", "O", True)}

    def test_same_seed_same_numbers(self, table):
        mean = lambda t: t["y"].mean()  # noqa: E731
        one, same, other = (boot(table, mean, unit="unit", seed=seed) for seed in (1, 1, 2))
        assert json.dumps(one.to_dict()) == json.dumps(same.to_dict())
        assert one.rows[0].conf_low != other.rows[0].conf_low


class TestWhatTheFunctionReturns:
    def test_numbers_by_name(self, table):
        value = {"m": table["y"].mean(), "v": table["y"].var()}
        for wrap in (dict, pd.Series):
            found = boot(
                table,
                lambda t, wrap=wrap: wrap({"m": t["y"].mean(), "v": t["y"].var()}),
                cluster=None,
            )
            assert found.coef() == pytest.approx(value)
        assert list(boot(table, lambda t: t[["x", "y"]].mean(), cluster=None).coef()) == ["x", "y"]
        two = boot(table, lambda t: [t["y"].mean(), 1 + t["y"].mean()], cluster=None)
        assert list(two.coef()) == ["statistic 1", "statistic 2"]

    def test_results_of_this_package(self):
        subject = subject_of("mean_ratings")
        found = ss.bootstrap(subject.design(subject.rows()), ss.mean_ratings, resamples=59)
        assert found.row("all units").limits == (1.0, 4.0)
        assert found.row("work").group == "mean by domain"

    def test_none_and_nan_are_no_numbers(self, table):
        found = boot(table, lambda t: {"a": t["y"].mean(), "b": None, "c": math.nan}, cluster=None)
        assert [row.undefined is None for row in found.rows] == [True, False, False]

    @pytest.mark.parametrize(
        ("function", "said"),
        [
            (lambda t: "high", "not a number"),
            (lambda t: t, "not a number|several numbers"),
            (lambda t: {}, "no number"),
            (lambda t: t["z"].mean(), "failed on the data themselves: KeyError"),
            (3, "is a function"),
            (lambda t: np.random.random(), "draws random numbers"),  # noqa: NPY002
        ],
    )
    def test_anything_else_is_an_error(self, table, function, said):
        with pytest.raises(InputError, match=said):
            boot(table, function, cluster=None)


class TestWhatIsSaid:
    def test_lost_resamples(self):
        x = np.array([1.0, 2, 3, 4, 5, 6, 7, 8, 9, 10])

        def few(v):
            if 10 not in v:
                raise ZeroDivisionError("no ten")
            return v.mean()

        row = boot(x, few).rows[0]
        assert "had no number: ZeroDivisionError: no ten" in row.undefined
        rare = boot(x, lambda v: v.mean() if len(np.unique(v)) > 4 else math.nan, resamples=1999)
        assert rare.rows[0].conf_low is not None
        assert rare.extras["lost"] or not rare.extras["lost"]

    def test_functions_of_other_data(self, table):
        whole = table["y"].copy()
        row = boot(table, lambda t: whole.mean(), cluster=None).rows[0]
        assert row.undefined.startswith("every resample had the same number")
        left = ss.jackknife(table, lambda t: whole.mean(), cluster=None).rows[0]
        assert left.undefined.startswith("every row left out had the same")
        shuffled = ss.permute(
            table, lambda t: whole.mean(), what="x", permutations=99, cluster=None
        )
        assert shuffled.rows[0].p_value is None

    def test_order_and_labels(self, table):
        found = boot(table, lambda t: t["y"].iloc[0], cluster=None)
        assert "SS214" in [said.code for said in found.cautions]
        clean = boot(table, lambda t: t["y"].mean(), cluster="unit")
        assert "SS214" not in [said.code for said in clean.cautions]

    def test_counts_must_be_read(self):
        pairs = ss.Paired.from_cells(a=7, b=15, c=8, d=20)
        with pytest.raises(InputError, match="Weight by its count"):
            boot(pairs, lambda d: d.difference.mean())
        found = boot(pairs, lambda d: np.average(d.difference, weights=d.count), ci="percentile")
        assert found.rows[0].estimate == pytest.approx(7 / 50)
        assert found.rows[0].n == 50

    def test_few_and_uneven_clusters(self, table):
        said = {c.code for c in boot(table, lambda t: t["y"].mean(), cluster="unit").cautions}
        assert {"SS202", "SS312"} <= said
        three = boot(table, lambda t: t["y"].mean(), cluster="site").rows[0]
        assert "too few to resample" in three.undefined
        size = np.repeat(np.arange(25), [60, *[2] * 24])
        big = pd.DataFrame({"c": size, "y": np.random.default_rng(0).normal(size=len(size))})
        assert "SS211" in {c.code for c in boot(big, lambda t: t["y"].mean(), cluster="c").cautions}

    def test_a_cluster_that_is_not_named(self, table):
        named = table.rename(columns={"unit": "story"})
        assert "SS311" in {
            c.code for c in boot(named, lambda t: t["y"].mean(), cluster=None).cautions
        }
        assert "SS311" not in {
            c.code for c in boot(named, lambda t: t["y"].mean(), cluster="story").cautions
        }

    def test_too_few_arrangements(self):
        found = ss.permute((np.array([1.0, 2, 3]), np.array([4.0, 5, 6])), gap, paired=False)
        assert found.rows[0].p_value == pytest.approx(0.1)
        assert [c.short for c in found.cautions] == ["too few arrangements for a test at .05"]

    @pytest.mark.parametrize(
        ("options", "error", "said"),
        [
            ({"cluster": "village"}, DesignError, "no column 'village'"),
            ({"cluster": ("unit", "site")}, InputError, "lies in one of 'site'"),
            ({"cluster": ("unit", "rater", "site")}, InputError, "at most two"),
            ({"cluster": "rater", "strata": "site"}, InputError, "lie in several strata"),
            (
                {"cluster": ("unit", "rater"), "strata": "site"},
                InputError,
                "not drawn within strata",
            ),
            ({"cluster": "site", "strata": "site"}, InputError, "single cluster"),
            ({"paired": True}, InputError, "does not go with a table"),
            ({"ci": "t"}, InputError, "not one of expanded"),
            ({"level": 95}, InputError, "between 0 and 1"),
            ({"resamples": 10}, InputError, "at least 39"),
            ({"resamples": 2.5}, InputError, "whole number"),
            ({"seed": -1}, InputError, "seed"),
        ],
    )
    def test_wrong_options(self, table, options, error, said):
        with pytest.raises(error, match=said):
            boot(table, lambda t: t["y"].mean(), **options)

    def test_wrong_data(self, table):
        mean = lambda t: t["y"].mean()  # noqa: E731
        with pytest.raises(NothingToAnalyse):
            boot(table.iloc[:0], mean)
        with pytest.raises(InputError, match="missing value"):
            boot(table.assign(unit=table["unit"].where(table["unit"] > 0)), mean, unit="unit")
        with pytest.raises(InputError, match="paired=True"):
            boot((np.ones(3), np.ones(3)), gap)
        with pytest.raises(InputError, match="row by row"):
            boot((np.ones(3), np.ones(4)), gap, paired=True)
        with pytest.raises(InputError, match="no design, table or vector"):
            boot(3, mean)
        with pytest.raises(InputError, match="exchange the two"):
            boot(np.mean, np.arange(5.0))
        with pytest.raises(InputError, match="may lack 'return'"):
            boot(np.arange(5.0), lambda values: None)
        lacking = boot(np.full(5, np.nan), np.mean)
        assert repr(lacking).endswith("(why a number is missing: summary())")
        assert "Undefined: 'mean'" in lacking.summary()
        with pytest.raises(InputError, match="have no columns"):
            boot(np.arange(5.0), np.mean, cluster="unit")
        with pytest.raises(InputError, match="one label a value"):
            boot(np.arange(5.0), np.mean, cluster=[1, 2])


class TestExchanges:
    def test_arms_of_clusters_within_blocks(self, table):
        arms = table.assign(arm=np.where(table["unit"] % 2, "a", "b"))
        arm_gap = lambda t: t.groupby("arm")["y"].mean().diff().iloc[-1]  # noqa: E731
        free = ss.permute(arms, arm_gap, what="arm", cluster="unit")
        assert free.extras["arrangements"] == math.comb(12, 6)
        blocked = ss.permute(arms, arm_gap, what="arm", cluster="unit", within="site")
        assert blocked.extras["arrangements"] == math.comb(4, 2) ** 3
        inside = ss.permute(arms, arm_gap, what="arm", cluster="site")
        assert inside.extras["arrangements"] == 2**3
        with pytest.raises(InputError, match="have several labels"):
            ss.permute(arms, arm_gap, what="arm", cluster="site", within="site")

    def test_raters_and_their_groups(self):
        subject = subject_of("mean_ratings")
        rows = subject.rows()
        design = ss.Ratings.from_frame(
            rows.assign(kind=np.where(rows["rater"] == "ann", "x", "z")),
            **subject.reading(),
            rater_groups="kind",
        )

        def first_minus_others(d):
            ann = d.rater == d.raters.index("ann")
            return d.scores[d.value[ann]].mean() - d.scores[d.value[~ann]].mean()

        found = ss.permute(design, first_minus_others, what="rater", permutations=199)
        assert "within clusters" in found.inference
        kinds = ss.permute(
            design,
            lambda d: d.scores[d.value[d.rater_groups["kind"].codes[d.rater] == 0]].mean(),
            what="kind",
        )
        assert kinds.extras["arrangements"] == 3
        assert kinds.rows[0].p_value >= 1 / 3
        work = lambda d: d.scores[d.value[d.strata["domain"].codes[d.unit] == 1]].mean()  # noqa: E731
        between = ss.permute(design, work, what="domain", permutations=199)
        assert "between clusters" in between.inference

    def test_clusters_of_one_label_beside_others_of_several(self, table):
        arms = table.assign(
            arm=np.where(table["site"] == 0, "a", np.where(table["unit"] % 2, "a", "b"))
        )
        with pytest.raises(InputError, match="have several labels of 'arm', and 1 have one"):
            ss.permute(arms, lambda t: t["y"].mean(), what="arm", cluster="site")

    def test_winners_of_pairs(self):
        subject = subject_of("win_rates")
        design = ss.Comparisons.from_frame(subject.rows().drop(columns=["worker", "first"]))
        spread = lambda d: ((d.outcome == 0) * d.count).sum() / d.count.sum()  # noqa: E731
        found = ss.permute(design, spread, permutations=199)
        assert "winners exchanged cluster by cluster" in found.inference

    def test_random_p_is_never_zero(self):
        x = np.arange(40.0)
        row = ss.permute((x, x + 100), gap, paired=False, permutations=999).rows[0]
        assert row.p_value == pytest.approx(2 / 1000)

    def test_nothing_to_exchange(self, table):
        with pytest.raises(InputError, match="one arrangement only"):
            ss.permute(table.assign(one=1), lambda t: t["y"].mean(), what="one", cluster=None)
        with pytest.raises(InputError, match="say whose labels"):
            ss.permute(table, lambda t: t["y"].mean(), cluster=None)


def test_levels_of_by_have_results_of_their_own():
    subject = subject_of("krippendorff_alpha")
    rows = subject.rows()
    both = pd.concat([rows.assign(model="m"), rows.assign(model="n")])
    boot = partial(ss.bootstrap, resamples=59)
    found = boot(subject.design(both, by="model"), ss.krippendorff_alpha)
    assert list(found) == ["m", "n"]
    alone = boot(subject.design(rows), ss.krippendorff_alpha)
    assert found["m"].rows[0].conf_low == alone.rows[0].conf_low


def test_other_tables_and_vectors(tmp_path, table):
    import polars as pl

    mean = lambda t: t["y"].mean()  # noqa: E731
    table.to_csv(tmp_path / "t.csv", index=False)
    same = [
        boot(data, mean, unit="unit").rows[0].conf_low
        for data in (table, pl.from_pandas(table), table.to_dict("list"), str(tmp_path / "t.csv"))
    ]
    assert same == pytest.approx([same[0]] * 4)
    values = [
        boot(data, np.mean).rows[0].conf_low
        for data in (table["y"], table["y"].to_numpy(), list(table["y"]))
    ]
    assert values == pytest.approx([values[0]] * 3)
    assert boot(table[["x", "y"]].to_numpy(), lambda m: m[:, 0].mean()).rows[0].n == 72
    labels = table["unit"].to_numpy()
    clustered = boot(table["y"].to_numpy(), np.mean, cluster=labels)
    assert clustered.rows[0].n_clusters == 12


class TestJackknifeOfRoughNumbers:
    def test_a_median_has_no_interval(self):
        x = np.random.default_rng(0).normal(size=30)
        found = ss.jackknife(x, np.median)
        assert "not smooth" in found.rows[0].undefined
        assert found.rows[0].std_error is None
        assert len(found.rows) == 1  # and no bias
        assert found.verify().ok

    @pytest.mark.parametrize("seed", range(5))
    def test_smooth_numbers_of_few_values_have_one(self, seed):
        rng = np.random.default_rng(seed)
        yes = (rng.random(40) < 0.3).astype(float)
        likert = rng.integers(1, 6, size=40).astype(float)
        assert ss.jackknife(yes, np.mean).rows[0].conf_low is not None
        both = ss.jackknife(
            (likert, yes), lambda a, b: {"sd": a.std(), "r": np.corrcoef(a, b)[0, 1]}, paired=True
        )
        assert all(row.conf_low is not None for row in both.rows[:2])


def test_huge_and_tiny_numbers():
    x = np.random.default_rng(0).normal(size=30) + 1
    for estimate in (boot, ss.jackknife):
        plain, *others = (estimate(x * unit, np.mean) for unit in (1.0, 2.0**700, 2.0**-700))
        for other, unit in zip(others, (2.0**700, 2.0**-700), strict=True):
            for name in ("estimate", "std_error", "conf_low", "conf_high"):
                assert getattr(other.rows[0], name) / unit == pytest.approx(
                    getattr(plain.rows[0], name), rel=1e-12
                )
            assert other.verify().ok


def test_an_autocorrelation_is_told_that_resamples_have_no_order():
    walk = pd.Series(np.random.default_rng(0).normal(size=40).cumsum())
    found = boot(walk, lambda s: s.autocorr())
    (said,) = (c for c in found.cautions if c.code == "SS214")
    assert "in another order" in said.detail


def test_checks_notice_wrong_numbers(table):
    from dataclasses import replace

    numbers = lambda t: {"mean": t["y"].mean(), "r": t["x"].corr(t["y"])}  # noqa: E731
    for result in (
        boot(table, numbers, cluster=("unit", "rater")),
        boot(table, numbers, unit="unit", strata="site", ci="basic"),
        ss.jackknife(table, numbers, cluster=("unit", "rater"), null=0.1),
        ss.jackknife(table, numbers, unit="unit", strata="site"),
        ss.permute(table, numbers, what="y", permutations=99, cluster=None),
    ):
        assert result.verify().ok
        for name in ("estimate", "std_error", "conf_low", "df", "p_value"):
            if getattr(result.rows[1], name) is not None:
                rows = list(result.rows)
                rows[1] = replace(rows[1], **{name: getattr(rows[1], name) + 0.001})
                assert not replace(result, rows=tuple(rows)).verify().ok, name


@pytest.mark.parametrize(
    "names", [("model", "item", "sample"), ("sys", "kpi_ref", "pass_no"), ("who", "Aufgabe", "x7")]
)
def test_rows_that_repeat_are_no_units_by_default(names: tuple[str, str, str]) -> None:
    model, item, sample = names
    rows = [(m, f"q{k:02d}", r) for m in ("a", "b") for k in range(40) for r in range(5)]
    table = pd.DataFrame(rows, columns=[model, item, sample])
    table["y"] = np.random.default_rng(3).normal(size=len(table))

    def gap(data: pd.DataFrame) -> float:
        return float(np.subtract(*data.groupby(model)["y"].mean()))

    for call in (ss.bootstrap, ss.jackknife, lambda *a, **k: ss.permute(*a, what=model, **k)):
        with pytest.raises(InputError, match=f"rows share labels of '{item}'"):
            call(table, gap)
        assert call(table, gap, unit=item).rows[0].n_units == 40
        assert call(table, gap, cluster=None).rows[0].n_units == 400
