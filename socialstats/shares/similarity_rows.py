"""Rows of similarities: corrected with interval and test, and plug-in."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.inference.rows import cut_at_limits, with_ends, with_t
from socialstats.paired.robust_tests import WaldTest
from socialstats.results import Row
from socialstats.results.rows import Reason
from socialstats.rounding import no_variation_reason
from socialstats.shares.counts import SourceCounts, StratumCells, free_label
from socialstats.shares.similarity import ALONE, JointTests, Similarities
from socialstats.shares.two_sources import f_text
from socialstats.text import count, shorten

PLAIN = "jackknife t of what as many ratings give on average"
OUTER = "wider limits of the jackknife t and of the corrected interval less the correction"
SINGLE = "a source with a single rating of a unit: that unit's divergence has no correction"
SINGLE_UNIT = "a single independent unit: no interval"
REASONS: dict[str, Reason] = {
    ALONE: "one_unit",
    SINGLE_UNIT: "one_unit",
    SINGLE: "unidentified",
    **{no_variation_reason(what): "no_variation" for what in ("units", "clusters", "resamples")},
}
CORRECTIONS = {
    "noncentral": "noncentral chi-square, lower end not above the jackknife t's",
    "t": "t interval with an allowance for the bias left",
}


def sized(
    row: Row, ratings: FloatArray, used: BoolArray, copies: FloatArray, codes: Sequence[IntArray]
) -> Row:
    """Add the numbers of ratings, units and clusters to a row."""
    return replace(
        row,
        n=float((ratings * copies)[used].sum()),
        n_units=int(copies[used].sum()),
        n_clusters=min((len(np.unique(code[used])) for code in codes), default=None),
    )


def undefined(row: Row, why: str) -> Row:
    """Return a row without an estimate or an interval, with the reason."""
    default: Reason = "no_data" if row.estimate is None else "no_interval"
    return replace(row, undefined=why, reason=REASONS.get(why, default))


def similarity_rows(
    data: SourceCounts,
    pair: tuple[int, int],
    similarities: Similarities,
    cells: StratumCells,
    codes: Sequence[IntArray],
    settings: Mapping[str, Any],
) -> list[tuple[Row, Row]]:
    """Two rows a group of units, corrected and plug-in, of one source."""
    name, within = data.sources[pair[1]], settings["aggregate"] == "unit"
    n = data.n[:, list(pair)]
    # within units both sources have to have rated
    entered = cells.units_in_groups((n > 0).sum(axis=1) > int(within))
    names = " and ".join(f"'{shorten(data.sources[k])}'" for k in pair)
    nothing = f"no ratings of both {names} in every cell"
    if within:
        nothing = f"no unit rated by both {names}"
    rows = []
    for k, label in enumerate(cells.groups):
        row = Row(
            term=name, group=label, key=(("source", name), *cells.key(label)), role="estimate"
        )
        row = sized(row, n.sum(axis=1), entered[:, k], data.copies, codes)
        term = free_label(f"{name} (plug-in)", data.sources)
        plain = replace(row, term=term, role="component", method="plug-in")
        if math.isnan(similarities.plain[k]):
            rows.append((undefined(row, nothing), undefined(plain, nothing)))
            continue
        corrected = corrected_row(row, similarities, k, settings)
        rows.append((corrected, plain_row(plain, similarities, k, settings)))
    return rows


def plain_row(row: Row, similarities: Similarities, k: int, settings: Mapping[str, Any]) -> Row:
    """Row of a plug-in similarity, with an interval of what as many ratings give on average.

    The interval is the jackknife's t; for pooled shares, its limits and those of the corrected interval minus the
    correction, whichever lies outside. The value is flat near equal shares, where t alone held .87 to .93 (6 to 200
    units, 3 to 30 ratings each; now .95 to .99).
    """
    error, df = float(similarities.error[k]), (row.n_clusters or row.n_units or 0) - 1.0
    if similarities.plain_df is not None:
        df = float(similarities.plain_df[k])
    divergence = float(similarities.plain[k])
    row = replace(row, estimate=1 - divergence, method=f"plug-in, {PLAIN}")
    if similarities.why[k] or not error > 0 or not df >= 1:
        units = "units" if row.n_clusters is None else "clusters"
        return undefined(row, similarities.why[k] or no_variation_reason(units))
    row = replace(with_t(row, error, df, settings["level"], within=(0.0, 1.0), test=False), df=df)
    if settings["ci"] != "noncentral":
        return row
    gain = divergence - float(similarities.corrected[k])
    low = min(float(row.conf_low or 0.0), float(similarities.low[k]) - gain)
    high = max(float(row.conf_high or 0.0), float(similarities.high[k]) - gain)
    method = f"plug-in, {OUTER}, {PLAIN.partition(' t ')[2]}"
    return with_ends(
        row, low, high, settings["level"], within=(0.0, 1.0), interval="outer_ends", method=method
    )


def corrected_row(row: Row, similarities: Similarities, k: int, settings: Mapping[str, Any]) -> Row:
    """Row of a corrected similarity with its interval and test."""
    row = tested(row, similarities, k, settings)
    similarity = 1 - float(similarities.corrected[k])
    if math.isnan(similarity):
        return undefined(row, SINGLE if settings["aggregate"] == "unit" else ALONE)
    row = cut_at_limits(row, similarity, (0.0, 1.0))
    if similarities.why[k]:
        return undefined(row, similarities.why[k])
    kind: Any = {"noncentral": "noncentral_chi2"}.get(settings["ci"], settings["ci"])
    df = None if similarities.df is None else float(similarities.df[k])
    low, high, error = (
        float(of_groups[k])
        for of_groups in (similarities.low, similarities.high, similarities.error)
    )
    return with_ends(
        row,
        low,
        high,
        settings["level"],
        within=(0.0, 1.0),
        hold=True,
        std_error=error or None,
        df=df,
        interval=kind,
    )


def tested(row: Row, similarities: Similarities, k: int, settings: Mapping[str, Any]) -> Row:
    """Add the method of correction, and the test of equal shares where there is one."""
    interval = CORRECTIONS.get(settings["ci"], f"{settings['ci']} bootstrap")
    jackknife = "jackknife" if settings["aggregate"] == "pooled" else "rating-jackknife"
    method = f"{jackknife}-corrected, {interval}"
    test = similarities.test
    alone = (row.n_clusters or row.n_units or 0) < 2
    if alone or test is None or k >= len(test.p_value) or math.isnan(test.p_value[k]):
        return replace(row, method=method)
    if isinstance(test, JointTests):
        wald = test.tests[k]
        assert isinstance(wald, WaldTest)
        method = f"{method}; {f_text(wald)}"
        return replace(row, statistic=wald.statistic, p_value=wald.p, test="f", method=method)
    return replace(
        row,
        statistic=float(test.statistic[k]),
        p_value=float(test.p_value[k]),
        test="permutation",
        method=f"{method}; {test.method}, {count(test.draws, 'draw')}",
    )
