"""The label check on the page: whom the reference agrees with, and how much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from socialstats.figures import forest
from socialstats.results import Result, Row
from socialstats.studies.estimates import numbers_text
from socialstats.studies.label_check import ALL, RULES, UNEQUAL, WEIGHTS, Checked, LabelCheck
from socialstats.studies.outcome import Block, Table
from socialstats.text import count, listing, number, shorten

SHORT = {ALL: "all", UNEQUAL: "unequal"}
VOTES = {"accuracy": "majority is right", "single rater": "one person is right", "unanimous": "all people agree",
         "tied": "vote is tied"}  # fmt: skip
LABELLERS = ("people", "judges")


def labels_block(check: LabelCheck, checked: Checked) -> Block:
    """Return the block: accuracy of the people's majority, alphas, and kappas with the reference."""
    kappas = kappa_rows(checked)
    return Block(
        id="labels",
        question="Are the urgencies what people and judges take them for?",
        sentences=sentences(check, checked),
        draw=partial(forest, kappas, xlabel="weighted kappa with the reference", sort=False, digits=3)
        if kappas
        else None,
        figure_title="Agreement of every rater with the reference, by weights and stories",
        caption=caption_of(check, checked),
        tables=tables(check, checked),
        results=checked.all(),
    )


def caption_of(check: LabelCheck, checked: Checked) -> str:
    """Say what kappa is, what the stories are, and how the intervals are made."""
    raters = [count(len(check.people), "person", "people")] * bool(check.people)
    raters += [count(len(check.judges), "judge")] * bool(check.judges)
    results = [result for found in checked.kappas.values() for result in found.values()]
    made = f" {results[0].inference.replace('units taken', 'stories taken')}." if results else ""
    stories = count(len(check.ratings.units), "story", "stories")
    return (
        f"{stories} labelled by {listing([*raters, 'the reference'])}. Kappa is 1 for the same labels and 0 for "
        "agreement by chance. Linear weights count a tie for a side as half an error, quadratic ones as a quarter; a "
        "published 'weighted kappa' may be either, of all stories or of those that the reference gives unequal "
        f"urgencies ('unequal').{made}"
    )


def kappa_rows(checked: Checked) -> tuple[Row, ...]:
    """Return the kappa of every rater with the reference, labelled by rater, weights and stories."""
    return tuple(
        replace(result.rows[0], term=f"{shorten(rater, 30)}: {weights}, {SHORT[stories]}", group=None)
        for (stories, weights), found in checked.kappas.items()
        for rater, result in found.items()
    )


def sentences(check: LabelCheck, checked: Checked) -> tuple[str, ...]:
    """Say how right people are, how much people and judges agree, and whether judges agree less."""
    said = []
    if checked.accuracy:
        rule, result = next(iter(checked.accuracy.items()))
        said.append(
            f"The majority of {count(len(check.people), 'person', 'people')} gave the reference's label: share "
            f"{numbers_text(result.row('accuracy'), digits=3, bounded=True)} of "
            f"{count(result.counts['units'], 'story', 'stories')} "
            f"({count(result.counts['ties'], 'tied vote')}; {RULES[rule]})."
        )
    if checked.alphas:
        each = [
            f"{numbers_text(r.rows[0], digits=3, bounded=True)} of the {kind}" for kind, r in checked.alphas.items()
        ]
        said.append(f"Krippendorff's alpha (ordinal) without the reference: {listing(each)}.")
    said += contrast(check, checked.kappas)
    if checked.problems:
        said.append(f"Not computed: {listing(list(checked.problems), most=4)}.")
    return tuple(said)


def contrast(check: LabelCheck, kappas: Mapping[tuple[str, str], Mapping[str, Result]]) -> list[str]:
    """Say between what the linear kappas of all stories lie, of people and of judges, and between what all kappas."""
    first, every = ranked(check, kappas, (ALL, WEIGHTS[0])), ranked(check, kappas, None)
    if not first:
        return []
    spans = [f"{kind} {' up to '.join(told(pair) for pair in extremes(rows))}" for kind, rows in first.items()]
    ends = [
        f"{kind} {' to '.join(number(row.estimate, 3, bounded=True) for _, row in extremes(rows))}"
        for kind, rows in every.items()
    ]
    said = [f"Linear weighted kappa with the reference, all stories: {'; '.join(spans)}."]
    if len(kappas) > 1:
        alone = ", all stories and those of unequal urgency alone" if any(key[0] == UNEQUAL for key in kappas) else ""
        said.append(f"Over {' and '.join(WEIGHTS)} weights{alone}: {listing(ends)}.")
    return [*settled(first), *said]


def ranked(
    check: LabelCheck, kappas: Mapping[tuple[str, str], Mapping[str, Result]], only: tuple[str, str] | None
) -> dict[str, list[tuple[str, Row]]]:
    """Return the known kappas with the reference of people and of judges, smallest first; those of one key or all."""
    found = {}
    for kind, raters in zip(LABELLERS, (check.people, check.judges), strict=True):
        rows = [
            (name, result.rows[0])
            for key, results in kappas.items()
            for name, result in results.items()
            if only in (None, key) and name in raters
        ]
        rows = [(name, row) for name, row in rows if row.estimate is not None]
        if rows:
            found[kind] = sorted(rows, key=lambda pair: pair[1].estimate or 0.0)
    return found


def extremes(rows: Sequence[tuple[str, Row]]) -> Sequence[tuple[str, Row]]:
    """Return the smallest and the largest, or the only one."""
    return rows if len(rows) < 2 else (rows[0], rows[-1])


def told(pair: tuple[str, Row]) -> str:
    """Write a kappa with its interval and its rater."""
    return f"{numbers_text(pair[1], digits=3, bounded=True)} ({shorten(pair[0], 30)})"


def settled(ranks: Mapping[str, Sequence[tuple[str, Row]]]) -> list[str]:
    """Say whether all judges agree less with the reference than all people, as far as intervals stay apart."""
    if len(ranks) < len(LABELLERS):
        return []
    highs = {kind: [1.0 if r.conf_high is None else r.conf_high for _, r in rows] for kind, rows in ranks.items()}
    lows = {kind: [-1.0 if r.conf_low is None else r.conf_low for _, r in rows] for kind, rows in ranks.items()}
    for less, more in (LABELLERS[::-1], LABELLERS):
        if max(highs[less]) < min(lows[more]):
            return [
                f"{less.capitalize()} agree less with the reference than {more}: even the highest interval of the "
                f"{less} lies below the lowest of the {more}."
            ]
    return ["Whether people or judges agree more with the reference is not settled for all of them: intervals overlap."]


def tables(check: LabelCheck, checked: Checked) -> tuple[Table, ...]:
    """Return the tables of the majority, of alpha and of kappa."""
    votes = [
        (RULES[rule], VOTES[row.term], *ends(row), int(row.n or 0), row.undefined)
        for k, (rule, result) in enumerate(checked.accuracy.items())
        for row in result.rows
        if row.term == "accuracy" or k == 0
    ]
    alphas = [
        (kind, *ends(r.rows[0]), int(r.rows[0].n or 0), r.rows[0].undefined) for kind, r in checked.alphas.items()
    ]
    found = (
        Table(
            caption="The people's majority against the reference, by what a tied vote counts",
            header=("Rule", "What", "Share", "Low", "High", "Stories", "Why not"),
            cells=tuple(votes),
        ),
        Table(
            caption="Krippendorff's alpha (ordinal) without the reference",
            header=("Among", "Alpha", "Low", "High", "Labels", "Why not"),
            cells=tuple(alphas),
        ),
        kappa_table(check, checked),
    )
    return tuple(table for table in found if table.cells)


def kappa_table(check: LabelCheck, checked: Checked) -> Table:
    """Return every rater's kappas with the reference: a line for each set of stories, columns for both weights."""
    cells: list[tuple[str | float | int | None, ...]] = []
    for stories in dict.fromkeys(name for name, _ in checked.kappas):
        for rater in (*check.people, *check.judges):
            found = [checked.kappas[stories, weights].get(rater) for weights in WEIGHTS]
            rows = [None if result is None else result.rows[0] for result in found]
            known = [row for row in rows if row is not None]
            if known:
                numbers = [x for row in rows for x in ((None, None, None) if row is None else ends(row))]
                why = "; ".join(dict.fromkeys(row.undefined for row in known if row.undefined))
                cells.append((shorten(rater, 60), stories, *numbers, int(known[0].n or 0), why or None))
    return Table(
        caption="Weighted kappa with the reference, linear and quadratic weights",
        header=("Rater", "Of", "Linear", "Low", "High", "Quadratic", "Low ", "High ", "Stories", "Why not"),
        cells=tuple(cells),
    )


def ends(row: Row) -> tuple[float | None, float | None, float | None]:
    """Return estimate and interval."""
    return row.estimate, row.conf_low, row.conf_high


def references_of(checked: Checked) -> tuple[str, ...]:
    """Return the literature of the label check."""
    results: tuple[Result, ...] = checked.all()
    return tuple(dict.fromkeys(key for result in results for key in result.references))
