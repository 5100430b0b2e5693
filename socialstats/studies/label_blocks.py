"""The label check on the page: whom the reference agrees with, and how much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from socialstats.figures import forest
from socialstats.results import Result, Row
from socialstats.studies.estimates import numbers_text
from socialstats.studies.label_check import ALL, UNEQUAL, Checked, LabelCheck
from socialstats.studies.outcome import Block, Table
from socialstats.text import count, listing, shorten

SHORT = {ALL: "all", UNEQUAL: "unequal"}
RULES = {"split": "ties broken at random", "wrong": "ties counted as wrong", "drop": "ties left out"}


def labels_block(check: LabelCheck, checked: Checked) -> Block:
    """Return the block: accuracy of the people's majority, alphas, and kappas with the reference."""
    kappas = kappa_rows(check, checked)
    return Block(
        id="labels",
        question="Are the urgencies what people and judges take them for?",
        sentences=sentences(check, checked, kappas),
        draw=partial(forest, kappas, xlabel="weighted kappa with the reference", sort=False, digits=3)
        if kappas
        else None,
        figure_title="Agreement of every rater with the reference, by stories and weights",
        caption="Kappa is 1 for the same labels and 0 for agreement by chance. Linear weights count a tie for a side "
        "as half an error, quadratic ones as a quarter; a published 'weighted kappa' may be either, of all stories "
        "or of those that the reference gives unequal urgencies ('unequal').",
        tables=tables(checked, kappas),
        results=checked.all(),
    )


def kappa_rows(check: LabelCheck, checked: Checked) -> tuple[Row, ...]:
    """Return the kappa of every rater with the reference, labelled by rater, weights and stories."""
    rows = []
    for (stories, weights), found in checked.kappas.items():
        rows += [
            replace(result.rows[0], term=f"{shorten(rater, 30)}: {weights}, {SHORT[stories]}", group=None)
            for rater, result in found.items()
        ]
    return tuple(rows)


def sentences(check: LabelCheck, checked: Checked, kappas: Sequence[Row]) -> tuple[str, ...]:
    """Say the accuracy with its ties, the alphas, and between what the kappas lie."""
    said = []
    if checked.accuracy:
        rule, result = next(iter(checked.accuracy.items()))
        said.append(
            f"The majority of {count(len(check.people), 'person', 'people')} gave the reference's label: share "
            f"{numbers_text(result.row('accuracy'), digits=3, bounded=True)} of "
            f"{count(result.counts['units'], 'story', 'stories')} "
            f"({count(result.counts['ties'], 'tied vote')}; {RULES[rule]})."
        )
    for kind, result in checked.alphas.items():
        said.append(
            f"Krippendorff's alpha (ordinal) among the {kind}: {numbers_text(result.rows[0], digits=3, bounded=True)}."
        )
    for (stories, weights), found in checked.kappas.items():
        rows = {name: found[name].rows[0] for name in check.judges or check.people if name in found}
        known = {name: row for name, row in rows.items() if row.estimate is not None}
        if known:
            least, most = (pick(known, key=lambda name: known[name].estimate or 0.0) for pick in (min, max))
            said.append(
                f"Weighted kappa ({weights}) with the reference, {stories}: from "
                f"{numbers_text(known[least], digits=3, bounded=True)} ({shorten(least, 30)}) to "
                f"{numbers_text(known[most], digits=3, bounded=True)} ({shorten(most, 30)})."
            )
    if checked.problems:
        said.append(f"Not computed: {listing(list(checked.problems), most=4)}.")
    return tuple(said)


def tables(checked: Checked, kappas: Sequence[Row]) -> tuple[Table, ...]:
    """Return the tables of the majority, of alpha and of kappa."""
    votes = [
        (RULES[rule], row.term, *ends(row), int(row.n or 0), int(result.counts["ties"]), row.undefined)
        for rule, result in checked.accuracy.items()
        for row in result.rows
        if row.term == "accuracy" or rule == next(iter(checked.accuracy))
    ]
    header = ("Share", "Low", "High")
    found = [
        Table(
            caption="The people's majority against the reference, by what a tied vote counts",
            header=("Rule", "What", *header, "Stories", "Tied votes", "Why not"),
            cells=tuple(votes),
        )
    ]
    found.append(
        Table(
            caption="Krippendorff's alpha (ordinal) without the reference",
            header=("Among", "Alpha", "Low", "High", "n", "Why not"),
            cells=tuple(
                (kind, *ends(r.rows[0]), int(r.rows[0].n or 0), r.rows[0].undefined)
                for kind, r in checked.alphas.items()
            ),
        )
    )
    found.append(
        Table(
            caption="Weighted kappa with the reference",
            header=("Rater, weights, stories", "Kappa", "SE", "Low", "High", "Stories", "Why not"),
            cells=tuple((r.term, r.estimate, r.std_error, *ends(r)[1:], int(r.n or 0), r.undefined) for r in kappas),
        )
    )
    return tuple(table for table in found if table.cells)


def ends(row: Row) -> tuple[float | None, float | None, float | None]:
    """Return estimate and interval."""
    return row.estimate, row.conf_low, row.conf_high


def references_of(checked: Checked) -> tuple[str, ...]:
    """Return the literature of the label check."""
    results: tuple[Result, ...] = checked.all()
    return tuple(dict.fromkeys(key for result in results for key in result.references))
