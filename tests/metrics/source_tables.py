"""Ratings of two sources made from counts, for tests."""

from __future__ import annotations

import numpy as np
import pandas as pd

from socialstats.designs.ratings import Ratings

LEVELS = ("x", "y", "z")


def rows_of(human, model, levels=LEVELS, **unit_columns):
    """One row a rating; the raters of a source are numbered within each unit."""
    rows = []
    for source, counts in (("human", human), ("model", model)):
        for u, line in enumerate(np.asarray(counts)):
            values = np.repeat(list(levels), np.asarray(line, dtype=int))
            more = {name: labels[u] for name, labels in unit_columns.items()}
            rows += [
                {
                    "unit": f"u{u:04d}",
                    "source": source,
                    "rater": f"{source[0]}{k}",
                    "value": v,
                    **more,
                }
                for k, v in enumerate(values)
            ]
    return pd.DataFrame(rows)


def sources(human, model, *, cluster=None, domain=None, levels=LEVELS, **options):
    """The design of counts of two sources."""
    columns = {name: x for name, x in (("story", cluster), ("domain", domain)) if x is not None}
    return Ratings.from_frame(
        rows_of(human, model, levels, **columns),
        scale="nominal",
        levels=list(levels),
        rater_source="source",
        strata=[c for c in columns if c == "domain"],
        cluster=[c for c in columns if c == "story"],
        **options,
    )


def drawn(seed, n, n_human, n_model, shares=(0.5, 0.3, 0.2), other=None, own=0.0, taste=0.5):
    """Counts of n units: people independent given the unit, a model whose own view of a unit its runs share."""
    rng = np.random.default_rng(seed)
    unit = rng.normal(0, taste, (n, 3))

    def counts(base, size, sd):
        w = np.asarray(base) * np.exp(unit + rng.normal(0, sd, (n, 3)))
        return rng.multinomial(size, w / w.sum(axis=1, keepdims=True))

    return counts(shares, n_human, 0.0), counts(other or shares, n_model, own)
