from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import Ratings
from socialstats.errors import DesignError, InputError, NothingToAnalyse
from socialstats.inference.adjusted_p import holm
from socialstats.paired.cochran_q import cochran_q
from socialstats.paired.matched_pairs import cochran_q as q_test
from socialstats.paired.mcnemar import mcnemar
from tests.golden_data import golden, golden_frame

RATERS = ("m1", "m2", "m3", "m4", "m5")


def ratings_of(table, *, counts=None, clusters=(), levels=("no", "yes")):
    """Ratings from a table of 0, 1 and NaN: units by raters."""
    table = np.asarray(table, dtype=float)
    unit, rater = (x.ravel() for x in np.indices(table.shape))
    missing = np.isnan(table.ravel())
    known = tuple(
        Factor(
            name=name,
            codes=np.asarray(c, dtype=np.int64),
            levels=tuple(str(k) for k in range(max(c) + 1)),
        )
        for name, c in clusters
    )
    return Ratings(
        units=tuple(f"u{k:03d}" for k in range(len(table))),
        raters=RATERS[: table.shape[1]],
        levels=levels,
        scores=np.arange(len(levels), dtype=float),
        scale="nominal",
        unit=unit.astype(np.int64),
        rater=rater.astype(np.int64),
        value=np.where(missing, -1, table.ravel()).astype(np.int64),
        status=missing.astype(np.int8),
        clusters=known,
        unit_count=np.ones(len(table)) if counts is None else np.asarray(counts, float),
    )


def simulated(seed=2, units=90, raters=3, clusters=15):
    rng = np.random.default_rng(seed)
    story = np.arange(units) % clusters
    shared = rng.normal(size=units)[:, None] + 0.5 * rng.normal(size=(clusters, raters))[story]
    return (shared + rng.normal(size=(units, raters)) > 0).astype(float), story


def test_the_golden():
    entry = golden("cochran_q")
    r = entry["r"]
    row = (result := cochran_q(ratings_of(golden_frame("cochran_q.csv")))).row("cochran_q")
    assert (row.statistic, row.df, row.p_value) == pytest.approx(
        (r["statistic"], r["df"], r["p"]), rel=entry["rtol"]
    )
    ours = golden("mcnemar")["cochran"]
    assert row.p_value == pytest.approx(ours["p"], rel=1e-12)
    assert row.group == "test"
    assert result.verify().ok


def test_two_raters_are_mcnemar():
    table, _ = simulated(raters=2)
    design = Paired(
        conditions=("m1", "m2"),
        scale="binary",
        levels=("no", "yes"),
        first=table[:, 0],
        second=table[:, 1],
        count=np.ones(len(table)),
    )
    one, two = mcnemar(design), cochran_q(ratings_of(table))
    assert two.row("cochran_q").statistic == pytest.approx(one.row("asymptotic").statistic)
    difference = two.row("m1 - m2")
    assert difference.estimate == pytest.approx(one.rows[0].estimate)
    assert (difference.conf_low, difference.conf_high) == pytest.approx(
        (one.rows[0].conf_low, one.rows[0].conf_high)
    )
    assert difference.p_value == pytest.approx(one.rows[0].p_value)


def test_q_from_its_definition():
    """Cochran's (1950) first form: k(k-1) sum (C_j - mean C)^2 / sum R_i (k - R_i)."""
    table, _ = simulated(raters=4)
    k, columns, rows = 4, table.sum(axis=0), table.sum(axis=1)
    value = k * (k - 1) * np.sum((columns - columns.mean()) ** 2) / np.sum(rows * (k - rows))
    assert q_test(table, np.ones(len(table))).statistic == pytest.approx(value)


def test_unit_counts_are_units():
    table, story = simulated()
    counts = np.random.default_rng(5).integers(1, 4, len(table))
    index = np.repeat(np.arange(len(table)), counts)
    for clusters in ((), (("story", story),)):
        one = cochran_q(ratings_of(table, counts=counts, clusters=clusters))
        long = tuple((name, c[index]) for name, c in clusters)
        two = cochran_q(ratings_of(table[index], clusters=long))
        for x, y in zip(one.rows, two.rows, strict=True):
            assert (x.estimate, x.conf_low, x.statistic, x.p_value, x.n) == pytest.approx(
                (y.estimate, y.conf_low, y.statistic, y.p_value, y.n)
            )
        assert one.verify().ok


def test_incomplete_units_are_dropped_and_counted_or_an_error():
    table, _ = simulated()
    holes = table.copy()
    holes[[3, 8, 20], [0, 1, 2]] = np.nan
    result = cochran_q(ratings_of(holes))
    whole = cochran_q(ratings_of(np.delete(table, [3, 8, 20], axis=0)))
    assert result.row("cochran_q").statistic == pytest.approx(whole.row("cochran_q").statistic)
    assert result.counts["units"] == 87
    caution = next(c for c in result.cautions if c.code == "SS301")
    assert "3 units" in caution.detail
    assert result.verify().ok
    with pytest.raises(InputError, match=r"3 units not rated by all 3 raters.*missing='drop'"):
        cochran_q(ratings_of(holes), missing="error")


def test_clusters_lead_and_differences_have_holms_p():
    table, story = simulated()
    result = cochran_q(ratings_of(table, clusters=(("story", story),)))
    assert result.row("robust_wald").group == "test"
    assert result.row("cochran_q").group == "ignoring clusters"
    rows = [r for r in result.rows if r.group == "difference"]
    assert [r.term for r in rows] == ["m1 - m2", "m1 - m3", "m2 - m3"]
    assert [r.p_adjusted for r in rows] == pytest.approx(
        holm(np.array([r.p_value for r in rows])).tolist()
    )
    assert result.row("robust_wald").df == 2
    assert result.extras["df_denominator"] == pytest.approx(13)
    assert result.verify().ok
    alone = cochran_q(ratings_of(table, clusters=(("story", story),)), cluster=None)
    assert "SS201" in {c.code for c in alone.cautions}
    assert alone.row("cochran_q").group == "test"


def test_two_raters_and_clusters_are_the_robust_t():
    table, story = simulated(raters=2)
    result = cochran_q(ratings_of(table, clusters=(("story", story),)))
    t, f = result.row("m1 - m2"), result.row("robust_wald")
    assert f.statistic == pytest.approx(t.statistic**2)
    assert f.p_value == pytest.approx(t.p_value)


def test_two_crossed_factors():
    table, story = simulated()
    prompt = np.arange(90) // 15
    result = cochran_q(ratings_of(table, clusters=(("story", story), ("prompt", prompt))))
    assert 0 < result.row("robust_wald").p_value < 1
    assert result.verify().ok


def test_raters_that_never_disagree():
    table = np.repeat(simulated()[0][:, :1], 3, axis=1)
    for clusters in ((), (("story", simulated()[1]),)):
        result = cochran_q(ratings_of(table, clusters=clusters))
        lead = next(r for r in result.rows if r.group == "test")
        assert (lead.statistic, lead.p_value) == (0.0, 1.0)
        assert "SS314" in {c.code for c in result.cautions}
        assert result.verify().ok


def test_errors_that_can_be_acted_on():
    table, _ = simulated()
    with pytest.raises(DesignError, match=r"takes two levels, these ratings have 3"):
        cochran_q(ratings_of(table, levels=("no", "so", "yes")))
    with pytest.raises(DesignError, match="there is one, 'm1'"):
        cochran_q(ratings_of(table[:, :1]))
    never = np.where(np.indices(table.shape).sum(axis=0) % 3 == 0, np.nan, table)
    with pytest.raises(NothingToAnalyse, match=r"of_raters\(\)"):
        cochran_q(ratings_of(never))
    with pytest.raises(InputError, match="missing='keep' is not one of drop, error"):
        cochran_q(ratings_of(table), missing="keep")
    with pytest.raises(InputError, match="takes Ratings, not Paired"):
        cochran_q(
            Paired(
                conditions=("a", "b"),
                scale="binary",
                levels=("0", "1"),
                first=np.ones(1),
                second=np.ones(1),
                count=np.ones(1),
            )
        )


def test_many_raters_have_no_pairwise_rows():
    rng = np.random.default_rng(1)
    design = ratings_of(np.zeros((30, 5)))
    table = (rng.random((30, 24)) < 0.4).astype(float)
    unit, rater = (x.ravel().astype(np.int64) for x in np.indices(table.shape))
    many = replace(
        design,
        raters=tuple(f"m{k:02d}" for k in range(24)),
        unit=unit,
        rater=rater,
        value=table.ravel().astype(np.int64),
        status=np.zeros(table.size, dtype=np.int8),
    )
    result = cochran_q(many)
    assert not [r for r in result.rows if r.group == "difference"]
    assert result.row("cochran_q").df == 23
    assert result.verify().ok
