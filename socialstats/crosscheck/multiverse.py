"""Multiverses recomputed: rows of a multiverse, and differences of independent parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from socialstats.crosscheck.row_arithmetic import label, relative, statistic_checks, t_ends
from socialstats.results import KINDS, Check, Result, Row, as_published

OWN = "socialstats"


def checks_of(result: Result) -> Iterator[Check]:
    """Recompute the estimate that lies farthest from the page's own by the crosscheck of its metric.

    The rows must also be those of the analyses that they name: one that is not is a check that fails.
    """
    leads: Mapping[str, Row] = result.extras["leads"]
    base = leads[result.rows[0].term].estimate or 0.0
    farthest = max(leads, key=lambda label: abs((leads[label].estimate or 0.0) - base))
    own, shown = result.extras["results"][farthest], {row.term: row for row in result.rows}
    made = [(row, name, getattr(row, name)) for row in result.rows for name in KINDS]
    for row, name, ours in made:
        if row.estimate is not None and ours != (theirs := getattr(leads[row.term], name)):
            yield Check(
                quantity=f"{row.term}: {name}",
                ours=ours,
                theirs=theirs,
                package=OWN,
                version="",
                tolerance=0.0,
                ok=False,
                why="copied from the analysis of that name",
            )
    lead = next(k for k, row in enumerate(own.rows) if row is leads[farthest])
    for check in own.verify():
        named = replace(check, quantity=f"{farthest}: {check.quantity}", row=None, field="")
        if check.row == lead and check.ours is not None and check.field in KINDS:
            yield replace(
                named, ours=as_published(check.ours, getattr(shown[farthest], check.field))
            )
        elif check.ok is not None:
            yield named
    others = "of all analyses, the one farthest from the page's own was recomputed"
    for row, name, ours in made:
        if row.term != farthest and ours is not None:
            yield Check(
                quantity=f"{row.term}: {name}",
                ours=ours,
                theirs=None,
                package="",
                version="",
                tolerance=0.0,
                ok=None,
                note=others,
                lack="variants",
            )


def part_gap_checks(result: Result) -> list[Check]:
    """Recompute every difference from the two rows behind it."""
    import math

    import numpy as np

    checks: list[Check] = []
    for row, (one, two) in zip(result.rows, result.extras["pairs"], strict=True):
        if row.estimate is None or row.std_error is None:
            continue
        values = np.array(
            [[r.estimate, r.std_error, (r.n_clusters or r.n_units or 2) - 1] for r in (one, two)]
        )
        variances = np.square(values[:, 1])
        df = float(variances.sum() ** 2 / (variances**2 / values[:, 2]).sum())
        checks.append(
            relative(
                label(row, "estimate"),
                row.estimate,
                float(-np.diff(values[:, 0])[0]),
                "numpy",
                size=1.0,
            )
        )
        checks.append(
            relative(
                label(row, "s.e."), row.std_error, float(np.linalg.norm(values[:, 1])), "numpy"
            )
        )
        checks += statistic_checks(row, df=df) + t_ends(
            row, row.conf_level or 0.95, df, cut=row.limits or (-math.inf, math.inf)
        )
    return checks
