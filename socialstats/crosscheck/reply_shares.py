"""Shares of replies recomputed: pandas' counts, errors by clusters, Wilson's ends as roots."""

from __future__ import annotations

import numpy as np

from socialstats.crosscheck.clusters import codes_of
from socialstats.crosscheck.people import Part
from socialstats.crosscheck.shares import mean_checks
from socialstats.designs.ratings import Ratings
from socialstats.results import Check, Result

ALL = "all sources"
STATUS = {"usable": [0], "missing or unreadable": [1], "refused": [2], "refused at most": [1, 2]}


def checks_of(result: Result) -> list[Check]:
    """Recompute every share from a table of replies."""
    from dataclasses import replace

    import pandas as pd

    design: Ratings = result.design
    source, checks = result.settings["source"], []
    at = np.repeat(np.arange(len(design.status)), design.unit_count[design.unit].astype(int))
    who = np.array(design.raters, dtype=object)[design.rater[at]]
    if source in design.rater_groups:
        factor = design.rater_groups[source]
        who = np.array([*factor.levels, None], dtype=object)[factor.codes[design.rater[at]]]
    table = pd.DataFrame(
        {
            "status": design.status[at],
            "who": who,
            "level": None,
            "rater": np.array(design.raters, dtype=object)[design.rater[at]],
        }
    )
    if result.settings["stratum"] is not None:
        of_unit = design.strata[result.settings["stratum"]]
        table["level"] = np.array(of_unit.levels, dtype=object)[of_unit.codes[design.unit[at]]]
    codes = codes_of(design.factors(result.settings["cluster"] or None), design.unit[at])
    if result.settings["units"]:
        codes = np.unique(design.unit[at], return_inverse=True)[1].reshape(-1, 1)
    given = replace(result, settings={**result.settings, "ci": "wilson", "resamples": 0, "seed": 0})
    for row in result.rows:
        own = np.ones(len(table), dtype=bool)
        for column, name in (("who", "source"), ("level", "stratum")):
            if row.label(name) not in (None, ALL):
                own &= (table[column] == row.label(name)).to_numpy()
        hits = table["status"].isin(STATUS[row.term]).to_numpy().astype(np.float64)[own]
        dense = codes[own]
        if codes.size:
            dense = np.column_stack([np.unique(code, return_inverse=True)[1] for code in dense.T])
        part = table[own]
        person = part["rater"].isin(result.extras["people"]) & (part["rater"].nunique() > 1)
        left = dense[:, 0] if codes.size else np.arange(len(part))
        people = Part.of(
            part.assign(person=person, left=left),
            hits[:, None],
            np.full(len(hits), 1 / len(hits)),
            alone=True,
        )
        checks += mean_checks(given, row, hits, np.ones(len(hits)), dense, float(len(hits)), people)
    return checks
