"""The fit of a page beside the same fit without the order effect, and the conclusions that differ."""

from __future__ import annotations

from collections.abc import Mapping
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

    def changes(self) -> list[str]:
        """Return the conclusions of the page that differ without the order effect, in words."""
        own, plain = conclusions(self.fit), conclusions(self.plain)
        return [f"{name} is {plain[name]} (with it {own[name]})" for name in own if own[name] != plain[name]]


def without_order(
    fit: BradleyTerryResult, design: Comparisons, options: StudyOptions, formula: str | None, level: str = ""
) -> dict[str, WithoutOrder]:
    """Fit the model of a page again without its order effect.

    Parameters
    ----------
    fit : BradleyTerryResult
    design : Comparisons
        What it was fitted to, by its default clusters.
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


def lead(fit: BradleyTerryResult) -> tuple[Row, Row, Row]:
    """Return the strongest item, the next one, and the difference of the two."""
    first, second = strongest(fit)[:2]
    return first, second, fit.contrast({first.term: 1.0, second.term: -1.0}).rows[0]


def conclusions(fit: BradleyTerryResult) -> dict[str, str]:
    """Return what a page concludes from a fit, by name: who leads, how surely, and the sign of every covariate."""
    first, _, gap = lead(fit)
    top = [row.term for row in strongest(fit) if (first.estimate or 0.0) - (row.estimate or 0.0) <= SAME]
    found = {
        "the strongest item": listing([f"'{shorten(term)}'" for term in top]),
        "its lead": "reliable" if verdict(gap) == "above" else "not reliable",
    }
    for row in (row for row in fit.rows if row.group == "covariate" and row.estimate is not None):
        sign = "positive" if row.estimate > SAME else "negative" if row.estimate < -SAME else "zero"
        certain = "not reliable" if verdict(row) == "open" else "reliable"
        found[f"the effect of '{shorten(row.term, 30)}'"] = f"{sign} and {certain}"
    return found


def fits_table(found: Mapping[str, WithoutOrder]) -> Table:
    """Return who leads, by how much, and the effects of covariates, with and without the order effect.

    Parameters
    ----------
    found : mapping of str to WithoutOrder
        By level of the by factor, as `without_order` returns it; not empty.
    """
    cells: list[tuple[str | float | None, ...]] = []
    for level, pair in found.items():
        for label, fit in (("with", pair.fit), ("without", pair.plain)):
            first, second, gap = lead(fit)
            effects = [row for row in fit.rows if row.group == "covariate"]
            cells.append((
                *([level] if level else []), label, first.term, first.estimate, second.term, gap.estimate,
                gap.conf_low, gap.conf_high,
                *(number for row in effects for number in (row.estimate, row.conf_low, row.conf_high)),
            ))  # fmt: skip
    header = [*(["Level"] if "" not in found else []), "Order effect", "Strongest", "Log-strength", "Next", "Lead"]
    names = [row.term for row in next(iter(found.values())).fit.rows if row.group == "covariate"]
    ends = ["Low", "High", *(text for name in names for text in (name, f"Low of {name}", f"High of {name}"))]
    return Table(
        caption="The fit with and without the order effect: strongest item, its lead (log-odds), effects of covariates",
        header=(*header, *ends), cells=tuple(cells),
    )  # fmt: skip


def changes_sentence(found: Mapping[str, WithoutOrder]) -> str:
    """Say what would be concluded otherwise without the order effect."""
    changed = {level: pair.changes() for level, pair in found.items()}
    told = [f"{f'{shorten(level, 30)}: ' if level else ''}{listing(texts)}" for level, texts in changed.items() if texts]
    if not told:
        return "Without the order effect, strongest item, certainty of its lead and signs of effects are the same."
    return f"Without the order effect, {'; '.join(told)}."


def change_cautions(found: Mapping[str, WithoutOrder]) -> tuple[Caution, ...]:
    """Return caution SS111 where a conclusion depends on the order effect."""
    if not any(pair.changes() for pair in found.values()):
        return ()
    said = changes_sentence(found).removesuffix(".")
    return (
        caution("SS111", f"{said[0].lower()}{said[1:]}", affects="the answer and the strengths",
                fix="report both fits; randomise who is shown first within every pair"),
    )  # fmt: skip


def plain_fits(found: Mapping[str, WithoutOrder]) -> dict[str, Result]:
    """Return the fits without the order effect by the name under which they are verified."""
    return {f"{f'{shorten(level, 40)}: ' if level else ''}without the order effect": p.plain for level, p in found.items()}
