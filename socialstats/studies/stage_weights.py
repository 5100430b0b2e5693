"""Does the answer of the study of staged values hang on the weights of the traits?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from socialstats.figures import dumbbell
from socialstats.figures.forest import MOST_ROWS
from socialstats.results import Result, Row
from socialstats.studies.outcome import Block, Table
from socialstats.studies.stage_tables import cell_text
from socialstats.studies.stage_words import with_test
from socialstats.text import count, level_text, listing, shorten

LOWEST, HIGHEST, EQUAL = "lowest of other weights", "highest of other weights", "equal weights"
KINDS = {"highest": HIGHEST, "this page": "composite", "lowest": LOWEST, "equal": EQUAL}
OTHER, MINUS = "other weights", " minus these"


def of_group(result: Result, group: str) -> list[Row]:
    """Return the rows of a group, under their terms alone."""
    return [replace(r, group=None) for r in result.rows if r.group == group]


def weights_block(profile: Result) -> Block | None:
    """Return the composites under other weights, against the judges' own zero under the same weights where it is known.

    Parameters
    ----------
    profile : Result
        Of `trait_profile`, with models.
    """
    zero = " minus zero" if any(r.group == f"{LOWEST} minus zero" for r in profile.rows) else ""
    rows = {name: of_group(profile, f"{group}{zero}") for name, group in KINDS.items()}
    if not rows["lowest"]:
        return None
    every, gaps = (
        of_group(profile, f"{group} of all models") or of_group(profile, group) for group in (OTHER, OTHER + MINUS)
    )
    place = "the judges' own zero (under the same weights)" if zero else "0, as the judges gave it"
    shown = [replace(r, group=name, conf_low=None, conf_high=None) for name, found in rows.items() for r in found]
    return Block(
        id="weights",
        question="Does the answer hang on the weights of the traits?",
        sentences=(sides_text(rows, place, len(every)), gaps_text(gaps)),
        draw=partial(dumbbell, shown[: 4 * MOST_ROWS], targets=dict.fromkeys(KINDS), digits=1,
                     xlabel="composite minus the judges' own zero" if zero else "composite"),
        figure_title="Composite of each model under other weights",
        caption=f"{count(len(every), 'other set')} of weights: each trait 20 % up, 20 % down and left out, and all "
        "traits alike; positive and negative weights are then scaled to add up to 5 each. Lowest and highest: over "
        "these sets. Intervals are in the tables.",
        tables=(model_table(profile, rows, zero), set_table(every, gaps)),
    )  # fmt: skip


def sides_text(rows: dict[str, list[Row]], place: str, sets: int) -> str:
    """Say for which models some set of weights changes the side, or leaves it open."""
    here, low, high = ({r.term: r for r in rows[name]} for name in ("this page", "lowest", "highest"))
    known = [term for term, row in here.items() if row.estimate is not None and term in low and term in high]
    flips = [t for t in known if (low[t].estimate or 0.0) < 0 < (high[t].estimate or 0.0)]
    firm = [t for t in known if (low[t].conf_low or 0.0) > 0 or (high[t].conf_high or 0.0) < 0]
    others = [t for t in known if t not in firm]
    who = "the model" if len(known) == 1 else f"{count(len(firm))} of {count(len(known), 'model')}"
    many = f"{count(sets, 'set')} of weights"
    said = f"Against {place}, the interval of {who} lies on one side under every one of the {many}"
    if len(known) == 1 and not firm:
        said = f"Against {place}, some of the {many} leave the side of the model open"
    elif others:
        said += f"; some set leaves open the side of {listing([shorten(t, 40) for t in others], most=6)}"
    if flips:
        return f"{said}, and moves the estimate of {listing([shorten(t, 40) for t in flips], most=6)} across."
    return f"{said}. No estimate changes its sign."


def gaps_text(gaps: Sequence[Row]) -> str:
    """Say which set of weights moves the composite most, in pairs within scenarios."""
    known = [r for r in gaps if r.estimate is not None]
    if not known:
        return "No set of weights gives a difference."
    row = max(known, key=lambda r: abs(r.estimate or 0.0))
    return (
        f"The largest difference to the weights of this page, over all models and paired within scenarios, comes from "
        f"the set {shorten(plain(row.term), 60)}: {with_test(row)}."
    )


def plain(name: str) -> str:
    """Write the name of a set of weights with blanks."""
    return name.replace("_", " ")


def model_table(profile: Result, rows: dict[str, list[Row]], zero: str) -> Table:
    """Return each model under its lowest, highest and equal weights, with the difference to the weights of the page."""
    level = next((r.conf_level for r in rows["lowest"] if r.conf_level is not None), 0.95)
    cells = []
    for name in ("highest", "lowest", "equal"):
        gaps = {r.term: r for r in of_group(profile, f"{KINDS[name]}{zero}{MINUS}")}
        for row in rows[name]:
            which = plain((row.method or "").partition(", of ")[0]) if name != "equal" else EQUAL
            gap = gaps.get(row.term)
            cells.append((row.term, name, cell_text(row, 2), None if gap is None else cell_text(gap, 2), which))
    n = next((f"; n = {int(r.n):,}" for r in rows["lowest"] if r.n), "")
    against = " minus the judges' own zero" if zero else ""
    return Table(
        caption=f"Composite{against} of each model under other weights: estimate [{level_text(level)} CI]{n}",
        header=("Model", "Weights", "Composite", "Difference to this page", "Which"),
        cells=tuple(cells),
    )


def set_table(every: Sequence[Row], gaps: Sequence[Row]) -> Table:
    """Return the composite of all models under every set of weights, with its paired difference."""
    found = {r.term: r for r in gaps}
    level = next((r.conf_level for r in every if r.conf_level is not None), 0.95)
    return Table(
        caption=f"Composite under every set of weights, as the judges gave it: estimate [{level_text(level)} CI]; "
        f"difference to the weights of this page: the same, and p (Holm over {count(len(every), 'set')})",
        header=("Weights", "Composite", "Difference"),
        cells=tuple((plain(r.term), cell_text(r, 2), cell_text(found[r.term], 2)) for r in every if r.term in found),
    )
