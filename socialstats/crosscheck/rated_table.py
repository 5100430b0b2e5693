"""Ratings as a long pandas table, one rating a row, with its source, its cell, and what is left out together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from socialstats.designs.ratings import Ratings
from socialstats.models.rating_counts import REFUSED
from socialstats.models.source_counts import cells_of
from socialstats.results import Result

if TYPE_CHECKING:
    import pandas as pd


def rated_table(result: Result, option: str) -> pd.DataFrame:
    """Return unit, value, source, cell, left and right (clusters by both factors; one: the same; none: the unit), and
    whether clusters are declared, and crossed.

    Parameters
    ----------
    result : Result
        With settings ``source``, ``refusal``, ``cluster`` and that of the strata.
    option : str
        Name of the setting that names the strata. Their cells, in order, are in ``attrs["cells"]``.
    """
    import pandas as pd

    design: Ratings = result.design
    settings = result.settings
    frame = design.table()
    frame = frame.loc[frame.index.repeat(frame["count"].astype(int))]
    copy = frame.groupby(["unit", "rater"]).cumcount().astype(str)
    out = pd.DataFrame({"unit": frame["unit"] + " #" + copy, "value": frame["value"]})
    out["source"] = frame["rater"].map(sources(design, str(settings["source"])))
    if settings["refusal"] == "level":
        out.loc[frame["status"] == "refusal", "value"] = REFUSED
    cells, factors = cells_of(design, settings[option], option), design.factors(settings["cluster"])
    labels = [cells.labels[c] for c in cells.codes.tolist()] if cells.labels else [""] * len(design.units)
    out["cell"] = frame["unit"].map(dict(zip(design.units, labels, strict=True)))
    out["left"] = out["unit"]
    if factors:
        out["left"] = frame["unit"].map(dict(zip(design.units, factors[0].codes.tolist(), strict=True)))
    out["clustered"], out["crossed"] = bool(factors), len(factors) == 2
    out["right"] = out["left"]
    if len(factors) == 2:
        out["right"] = frame["unit"].map(dict(zip(design.units, factors[1].codes.tolist(), strict=True)))
    out = out.dropna(subset=["value", "source"])
    out.attrs["cells"] = cells.labels
    return out


def sources(design: Ratings, name: str) -> dict[str, str | None]:
    """Source of each rater; all raters are one source where there is no name."""
    if not name:
        return dict.fromkeys(design.raters, "all raters")
    group = design.rater_groups.get(name)
    labels = design.raters if group is None else [group.levels[c] if c >= 0 else None for c in group.codes.tolist()]
    return dict(zip(design.raters, labels, strict=True))
