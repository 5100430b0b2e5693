"""Ratings as a long pandas table, one rating a row, with its source, its cell, and what is left out together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from socialstats.designs.ratings import Ratings
from socialstats.results import Result

if TYPE_CHECKING:
    import pandas as pd

REFUSED = "(refusal)"


def rated_table(result: Result, option: str) -> pd.DataFrame:
    """Return unit, value, source, cell, left (cluster, or unit), and whether clusters are declared, and crossed.

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
        out.loc[frame["status"] == "refusal", "value"] = REFUSED if REFUSED not in design.levels else f"{REFUSED} "
    (labels, cells), factors = cells_of(design, settings[option]), design.factors(settings["cluster"])
    out["cell"] = frame["unit"].map(dict(zip(design.units, labels, strict=True)))
    for k, factor in enumerate(factors):
        out[f"g{k}"] = frame["unit"].map(dict(zip(design.units, factor.codes.tolist(), strict=True)))
    out["left"] = out["g0"] if factors else out["unit"]
    out["clustered"], out["crossed"] = bool(factors), len(factors) == 2
    out = out.dropna(subset=["value", "source"])
    out.attrs["cells"] = cells
    return out


def cells_of(design: Ratings, names: str | Sequence[str] | None) -> tuple[list[str], list[str]]:
    """Return the cell of each unit, the levels of its strata joined, and all cells in order (none without strata)."""
    known = {**{factor.name: factor for factor in design.clusters}, **design.strata}
    factors = [known[name] for name in ([names] if isinstance(names, str) else names or [])]
    if not factors:
        return [""] * len(design.units), []
    of_units = list(zip(*(factor.codes.tolist() for factor in factors), strict=True))
    parts = {key: [f.levels[k] for f, k in zip(factors, key, strict=True)] for key in sorted(set(of_units))}
    labels = {key: ", ".join(part) for key, part in parts.items()}
    if len(set(labels.values())) < len(labels):  # 'a, b' and 'c' against 'a' and 'b, c'
        labels = {key: " | ".join(map(repr, part)) for key, part in parts.items()}
    return [labels[key] for key in of_units], list(labels.values())


def sources(design: Ratings, name: str) -> dict[str, str | None]:
    """Source of each rater; all raters are one source where there is no name."""
    if not name:
        return dict.fromkeys(design.raters, "all raters")
    group = design.rater_groups.get(name)
    labels = design.raters if group is None else [group.levels[c] if c >= 0 else None for c in group.codes.tolist()]
    return dict(zip(design.raters, labels, strict=True))
