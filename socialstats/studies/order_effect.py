"""The fit of a page beside the same fit without the order effect, and the conclusions that differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from socialstats.designs.comparisons import Comparisons
from socialstats.errors import Caution, caution
from socialstats.metrics.bradley_terry import BradleyTerryResult
from socialstats.results import Result, Row
from socialstats.studies.base import StudyOptions
from socialstats.studies.outcome import Table
from socialstats.studies.pair_model import default_cluster, fit_model, strongest
from socialstats.studies.verdicts import verdict
from socialstats.text import listing, shorten

SAME = 1e-8  # log-odds: strengths nearer than this share a rank, as in models/bradley_terry/ranks


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutOrder:
    """A fit of the page with the order effect, and the same fit without it."""

    fit: BradleyTerryResult
    plain: BradleyTerryResult


Pairs = Mapping[str, WithoutOrder]  # by level of the by factor, "" without one; empty where no fit has an order effect


def without_order(
    fit: BradleyTerryResult, design: Comparisons, options: StudyOptions, formula: str | None, level: str = ""
) -> dict[str, WithoutOrder]:
    """Fit the model of a page again without its order effect.

    Parameters
    ----------
    fit : BradleyTerryResult
    design : Comparisons
        What it was fitted to, with its default clusters.
    options : StudyOptions
    formula : str or None
    level : str
        Level of the by factor; empty without one.

    Returns
    -------
    dict of str to WithoutOrder
        Both fits under the level; nothing where the fit has no order effect.
    """
    if all(row.group != "order" for row in fit.rows):
        return {}
    plain = fit_model(design, options, formula, cluster=default_cluster(design), order=False)
    return {level: WithoutOrder(fit=fit, plain=plain)}


def conclusions(fit: BradleyTerryResult) -> dict[str, str]:
    """Return what a page concludes from a fit, by name: who leads, how surely, and the sign of every covariate."""
    rows = strongest(fit)
    top = [row.term for row in rows if (rows[0].estimate or 0.0) - (row.estimate or 0.0) <= SAME]
    found = {
        "the strongest item": listing([f"'{shorten(term)}'" for term in top]),
        "its lead": "reliable" if verdict(lead(rows, fit)) == "above" else "not reliable",
    }
    for row in fit.rows:
        if row.group == "covariate":
            size = row.estimate or 0.0
            sign = "zero" if abs(size) <= SAME else "positive" if size > 0 else "negative"
            certain = "not reliable" if verdict(row) == "open" else "reliable"
            found[f"the effect of '{shorten(row.term, 30)}'"] = f"{sign} and {certain}"
    return found


def lead(rows: Sequence[Row], fit: BradleyTerryResult) -> Row:
    """Return the difference between the first two of the strength rows, strongest first."""
    return fit.contrast({rows[0].term: 1.0, rows[1].term: -1.0}).rows[0]


def fits_table(pairs: Pairs) -> Table:
    """Return who leads, by how much, and the effects of covariates, with and without the order effect."""
    cells: list[tuple[str | float | None, ...]] = []
    effects: list[Row] = []
    for level, pair in pairs.items():
        for label, fit in (("with", pair.fit), ("without", pair.plain)):
            rows = strongest(fit)
            effects = [row for row in fit.rows if row.group == "covariate"]
            ends = [end for row in (lead(rows, fit), *effects) for end in (row.estimate, row.conf_low, row.conf_high)]
            cells.append((*([level] if level else []), label, rows[0].term, rows[0].estimate, rows[1].term, *ends))
    header = (*([] if "" in pairs else ["Level"]), "Order effect", "Strongest", "Log-strength", "Next", "Lead", "Low",
              "High", *(text for row in effects for text in (row.term, "Low", "High")))  # fmt: skip
    caption = "The fit with and without the order effect: strongest item, its lead (log-odds), effects of covariates"
    return Table(caption=caption, header=header, cells=tuple(cells))


def changes(pairs: Pairs) -> str:
    """Return which conclusions differ without the order effect, in words; empty where none does."""
    told = []
    for level, pair in pairs.items():
        own, plain = conclusions(pair.fit), conclusions(pair.plain)
        texts = [f"{name} is {plain[name]} (with it {own[name]})" for name in own if own[name] != plain[name]]
        told += [f"{shorten(level, 30)}: {listing(texts)}" if level else listing(texts)] if texts else []
    return f"without the order effect, {'; '.join(told)}" if told else ""


def changes_sentence(pairs: Pairs) -> str:
    """Return what would be concluded without the order effect, as a sentence."""
    said = changes(pairs) or "without the order effect, no conclusion on the strongest item, its lead or a sign differs"
    return f"{said[0].upper()}{said[1:]}."


def change_cautions(pairs: Pairs) -> tuple[Caution, ...]:
    """Return caution SS111 where a conclusion depends on the order effect."""
    said, fix = changes(pairs), "report both fits; randomise who is shown first within every pair"
    return (caution("SS111", said, affects="the answer and the strengths", fix=fix),) if said else ()


def plain_fits(pairs: Pairs) -> dict[str, Result]:
    """Return the fits without the order effect, by the name under which they are verified."""
    return {f"{shorten(level, 40)}{': ' if level else ''}without the order effect": pair.plain
            for level, pair in pairs.items()}  # fmt: skip
