"""What the page of pairs says about its design, its checks and its methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from socialstats.designs.paired import Paired
from socialstats.results import Result
from socialstats.studies.base import StudyOptions
from socialstats.studies.estimates import cluster_words, label_of
from socialstats.studies.outcome import Diagnostic
from socialstats.studies.paired_blocks import minus
from socialstats.studies.paired_levels import methods_of_levels
from socialstats.text import count, level_text, listing, number, shorten

if TYPE_CHECKING:
    from socialstats.studies.paired import Numbers


def describe(design: Paired) -> str:
    """Return the design in one line: kind, and n at every level."""
    parts = [f"{count(design.n_pairs, 'unit')} under two conditions", f"{design.scale} values", *cluster_words(design)]
    if design.unmatched:
        parts.append(f"{count(len(design.unmatched), 'unit')} left out for want of a partner")
    return "Pairs: " + ", ".join(parts)


def diagnostics(design: Paired) -> tuple[Diagnostic, ...]:
    """Say whether every unit has its partner, and how even the clusters are."""
    n = len(design.unmatched)
    found = [
        Diagnostic(
            check="Does every unit have a value under both conditions?",
            found=f"No: {count(n)} left out ({listing([shorten(u, 30) for u in design.unmatched])})." if n else "Yes.",
            so_what="The difference is that of complete pairs." if n else "Pairs were joined by key, not by position.",
        )
    ]
    for factor in design.clusters:
        sizes = [0.0] * len(factor.levels)
        for code, times in zip(factor.codes.tolist(), design.count.tolist(), strict=True):
            sizes[code] += times
        uneven = max(sizes) > 4 * min(sizes)
        found.append(
            Diagnostic(
                check=f"How even are the clusters of {shorten(factor.name, 40)}?",
                found=f"{count(len(sizes))} clusters of {span(min(sizes), max(sizes))}.",
                so_what="Uneven clusters make intervals less reliable." if uneven else "Even enough.",
            )
        )  # fmt: skip
    return tuple(found)


def span(least: float, most: float) -> str:
    """Write the sizes of clusters.

    Examples
    --------
    >>> span(4, 4), span(1, 12)
    ('4 pairs each', '1 to 12 pairs')
    """
    return f"{count(least, 'pair')} each" if least == most else f"{count(least)} to {count(most, 'pair')}"


def methods(design: Paired, numbers: Numbers, options: StudyOptions) -> tuple[str, ...]:
    """Return the methods paragraphs."""
    lead = numbers.main
    text = f"{lead.title}. Every difference is {minus(design)}. Uncertainty: {lead.inference}; "
    text += f"{level_text(options.level)} intervals."
    if design.scale == "binary":
        text += f" {binary_methods(design, lead)}"
    if numbers.levels is not None:
        text += f" {methods_of_levels(options.level)}"
    if design.clusters:
        text += " The clustered test leads; tests that take pairs as independent are shown beside it."
    more = []
    if numbers.sizes is not None:
        more.append(f"Standardised differences: {numbers.sizes.inference}.")
    if numbers.bounds is not None and numbers.bounds is not lead:
        more.append(
            f"A difference counts as practically nothing when two one-sided tests at "
            f"{number(1 - options.level, 3, bounded=True)} reject both bounds ({numbers.bounds.inference})."
        )
    return (text, " ".join(more)) if more else (text,)


def binary_methods(design: Paired, result: Result) -> str:
    """Name the test that leads and the interval of each size, and say what Cohen's g is."""
    row, odds, g = (result.row(term) for term in ("difference", "odds_ratio", "cohens_g"))
    interval, _, test = (row.method or "").partition("; ")
    how = [f"difference: {interval}"] if interval else []
    how += [f"{label_of(other)}: {other.method}" for other in (odds, g) if other.method]
    first = shorten(design.conditions[0], 40)
    tested = f"Leading test: {test}. " if test else ""
    return (
        f"{tested}Intervals: {'; '.join(how)}. Cohen's g is the share of {first} among the pairs that have "
        f"'{shorten(design.levels[1], 30)}' under one condition only, minus one half."
    )
