"""Biases within the levels of a stratum, and the differences of two levels."""

from __future__ import annotations

import numpy as np

from socialstats.inference.compare import with_holm
from socialstats.metrics.relationship_bias.analysis import Analysis, analysis
from socialstats.metrics.relationship_bias.data import Data, of_stratum, unit_factor
from socialstats.metrics.relationship_bias.options import Options
from socialstats.metrics.relationship_bias.overall import drawn_errors, gap_row, joint, mean_absolute, size_rows
from socialstats.metrics.relationship_bias.rows import (
    SAME,
    bias_terms,
    linear_row,
    position_terms,
    score_terms,
    term_row,
)
from socialstats.results import Row


def stratum_rows(data: Data, options: Options) -> list[Row]:
    """Rows of each level of the stratum; of two levels, also of their difference."""
    if options.stratum is None:
        return []
    factor = unit_factor(data.design, options.stratum, "stratum")
    parts = {
        name: analysis(of_stratum(data, factor, code), options.aggregate)
        for code, name in enumerate(factor.levels)
        if np.any(factor.codes[data.answers.unit] == code)
    }
    rows: list[Row] = []
    sizes: dict[str, list[Row]] = {}
    for name, found in parts.items():
        group, known = f"{options.stratum} = {name}", joint(found)
        if mean_absolute(found) is not None:
            sizes[name] = size_rows(found, group, known, drawn_errors(known, options), options)
        rows += level_rows(found, group, sizes.get(name, []), options)
    if len(parts) == 2:
        (one, first), (two, second) = parts.items()
        rows += difference_rows(first, second, f"{one} - {two}", options)
        if len(sizes) == 2:
            rows.append(gap_row(sizes[one], sizes[two], f"{one} - {two}"))
    return rows


def level_rows(found: Analysis, group: str, sizes: list[Row], options: Options) -> list[Row]:
    """Biases, B_all and the effect of the position within one level."""
    rows = [term_row(found, term, options) for term in bias_terms(found, group)]
    position = found.linear(found.position())
    rows += sizes
    if position is not None:
        rows.append(linear_row(found.data, position, SAME, group, 1.0, options))
    if options.stratum_rows == "scores":
        terms = [*position_terms(found, group), *score_terms(found, group)]
        rows += [term_row(found, term, options) for term in terms if term.term != SAME]
    return rows


def difference_rows(first: Analysis, second: Analysis, group: str, options: Options) -> list[Row]:
    """Difference of each bias between two levels; scenarios and names that both share are allowed for."""
    rows = []
    for pair in first.data.pairs:
        one, two = first.linear(first.bias(pair)), second.linear(second.bias(pair))
        if one is not None and two is not None:
            label = first.data.label(pair)
            rows.append(linear_row(first.data, one.minus(two), label, group, 4.0, options))
    return with_holm(rows)
