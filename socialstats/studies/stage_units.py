"""Changes over the stages once more, with models in place of scenarios as the units of analysis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from socialstats.designs.ratings import Ratings
from socialstats.figures import forest
from socialstats.metrics.trait_profile import trait_profile
from socialstats.results import Result, Row
from socialstats.studies.estimates import rows_table
from socialstats.studies.outcome import Block, Table
from socialstats.studies.stage_words import change_name, changes, last_change, size_of, with_test
from socialstats.text import count, interval, level_text, number, shorten

FEWEST = 3  # models from which their variation says something


def by_models(design: Ratings, models: int, options: Mapping[str, Any]) -> Result | None:
    """Return composites with models as the units of analysis; None where there are fewer than three."""
    if models < FEWEST:
        return None
    found: Any = trait_profile(design, **{**options, "unit_of_analysis": "model", "cluster": None, "activation": None})
    result: Result = found
    return result


def units_block(pairs: Mapping[str, tuple[Result, Result]]) -> Block | None:
    """Return the changes with models as units beside those with scenarios as units.

    Parameters
    ----------
    pairs : mapping of str to pair of Result
        What is measured -> with scenarios, and with models as the units of analysis.
    """
    if not pairs:
        return None
    tables: list[Table] = []
    said, shown = [], []
    for what, (scenarios, models) in pairs.items():
        one, other = last_change(scenarios), last_change(models)
        n, m = count(models.counts["models"], "model"), count(scenarios.counts["scenarios"], "scenario")
        said.append(
            f"Change of {what}, {shorten(change_name(one), 50)}: with {m} as units {with_test(one)}"
            f"{size_text(scenarios, one)}; with {n} as units {with_test(other)}"
            f"{size_text(models, other)}."
        )
        shown += [replace(row, term=f"{what}, {unit}", group=None)
                  for row, unit in ((one, "scenarios as units"), (other, "models as units"))]  # fmt: skip
        rows = changes(models)
        names = [change_name(r) for r in rows]
        sizes = [s for r in rows for s in [size_of(models, r)] if s is not None]
        tables += [
            rows_table(
                rows, f"Changes of {what}, models as units (p (Holm): over stages)", term="Change", labels=names
            ),
            rows_table(sizes, f"d_z of the changes of {what}, models as units", term="Change", labels=names),
        ]
    said.append(
        "Scenarios as units: would these models change in other scenarios? Models as units: would other models change "
        "in these scenarios? The means are alike, their errors and d_z are not, so that a d_z needs its unit beside it."
    )
    return Block(
        id="units",
        question="Scenarios or models: whose variation counts?",
        sentences=tuple(said),
        draw=partial(forest, shown, sort=False, digits=2, xlabel="change of the last stage"),
        figure_title="Change of the last stage with either unit of analysis",
        caption=f"{level_text(shown[0].conf_level or 0.95)} intervals. Tests on the models' means alone (as in "
        "publications that average over scenarios first) are those with models as units.",
        tables=tuple(tables),
        results=tuple(models for _, models in pairs.values()),
    )


def size_text(result: Result, row: Row) -> str:
    """Write d_z of a change with its interval, after a comma."""
    size = size_of(result, row)
    if size is None or size.estimate is None:
        return ""
    text = f", d_z = {number(size.estimate)}"
    if size.conf_low is not None:
        text += f", {interval(size.conf_low, size.conf_high, level=size.conf_level or 0.95)}"
    return text
