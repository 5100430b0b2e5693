"""Labels of stories: values cited, groups of roles, and a check of labels by human raters and judges."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.agreement.krippendorff_alpha import krippendorff_alpha
from socialstats.agreement.majority_vote_accuracy import majority_vote_accuracy
from socialstats.agreement.weighted_kappa import weighted_kappa
from socialstats.designs.cited import ChosenLabels, chosen_labels
from socialstats.designs.columns import ITEM_PAIRS
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.parts import OK
from socialstats.designs.people import is_people
from socialstats.designs.ratings import Ratings
from socialstats.designs.tables import groupings
from socialstats.errors import (
    MOST_PROBLEMS,
    DesignError,
    InputError,
    NothingToAnalyse,
    Problem,
    UndefinedStatistic,
)
from socialstats.figures import forest, heat
from socialstats.figures.heat import MOST_GROUPS
from socialstats.inference.dependence import settled_cluster
from socialstats.results import Result, Row
from socialstats.results.rows import matched_rows
from socialstats.sentences import estimate_text
from socialstats.shares.label_counts import label_counts
from socialstats.studies.estimates import Column, design_effect, ends, single, table_of
from socialstats.studies.page import Block, PageTable, StudyOptions
from socialstats.tables import Table as DataTable
from socialstats.text import as_words, capital, count, listing, number, percent_of, quoted, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

UNITS = ("unit", "scenario", "story", "item", "pair")
RATERS = ("rater", "annotator", "worker", "judge", "person", "model")
LABELS = ("label", "value", "rating", "answer", "vote")
KINDS = ("kind", "source", "rater_source")
REFERENCES = ("reference", "truth", "gold", "label", "designed")
CODINGS: tuple[tuple[str, ...], ...] = (("-1", "0", "1"), ("a", "tie", "b"))
RULES = {
    "split": "ties broken at random",
    "wrong": "ties counted as wrong",
    "drop": "ties excluded",
}
WEIGHTS = ("linear", "quadratic")
MANY = 1_000_000  # rows of one wrong label that are counted
ALL, UNEQUAL = "all stories", "stories of unequal urgency"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelCheck:
    """Labels of stories by several raters.

    Attributes
    ----------
    ratings : Ratings
        Ordinal: side a, tie, side b.
    reference : str
        The rater whose labels are the ones to check.
    people, judges : tuple of str
        The other raters; all are people where the table does not tell.
    """

    ratings: Ratings
    reference: str
    people: tuple[str, ...]
    judges: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """Results of a label check: accuracy by rule of ties, alpha by kind of rater, kappas by stories and weights.

    `problems` says what could not be computed, and why.
    """

    accuracy: Mapping[str, Result]
    alphas: Mapping[str, Result]
    kappas: Mapping[tuple[str, str], Mapping[str, Result]]
    problems: tuple[str, ...] = ()

    def all(self) -> tuple[Result, ...]:
        """Return every result."""
        kappas = (result for found in self.kappas.values() for result in found.values())
        return (*self.accuracy.values(), *self.alphas.values(), *kappas)

    def named(self) -> dict[str, Result]:
        """Return what other packages recompute, by a name that says what it is; no number twice.

        Of the rules for tied votes only the first brings the rows that do not depend on the rule.
        """
        found = {}
        for k, (rule, result) in enumerate(self.accuracy.items()):
            rows = result.rows if k == 0 else (result.row("accuracy"),)
            found[f"majority, {RULES[rule]}"] = replace(result, rows=rows)
        found |= {f"alpha of the {kind}": result for kind, result in self.alphas.items()}
        for (stories, weights), results in self.kappas.items():
            for rater, result in results.items():
                name = f"{weights} kappa of {shorten(rater, 30)}, {stories}"
                again = sum(key == name or key.startswith(f"{name} (") for key in found)
                found[f"{name} ({again + 1})" if again else name] = result
        return {f"Label check: {name}": result for name, result in found.items()}


def read_labels(table: DataTable) -> LabelCheck:
    """Read the labels of stories, one row a story and rater.

    Parameters
    ----------
    table : Table
        Columns of the story (``unit``, ``scenario``, ``story`` or ``item``), of the rater (``rater``, ``annotator``,
        ...) and of the label (``label``, ``value``, ...): -1, 0, 1 or A, Tie, B. One rater is called ``reference``
        (or ``truth``, ``gold``). Optional: ``kind`` (``person`` or ``human`` for people, anything else for judges).

    Raises
    ------
    DesignError
        If a column is missing.
    InputError
        For labels of another coding, no reference, or nobody beside it.
    """
    unit, rater, label = (
        named(table, part, names)
        for part, names in (("story", UNITS), ("rater", RATERS), ("label", LABELS))
    )
    kind = next(
        (name for name in KINDS if name in table.columns and name not in (unit, rater, label)), None
    )
    ratings = Ratings.from_frame(
        table,
        unit=unit,
        rater=rater,
        value=label,
        scale="ordinal",
        levels=coding(table, label),
        missing="drop",
        rater_groups=kind or (),
    )
    kinds = dict.fromkeys(ratings.raters, "")
    if kind is not None:
        factor = ratings.rater_groups[kind]
        given = [factor.levels[code] if code >= 0 else "" for code in factor.codes.tolist()]
        kinds = {
            name: own.strip().casefold() for name, own in zip(ratings.raters, given, strict=True)
        }
    reference = next(
        (name for word in REFERENCES for name in ratings.raters if word == name.strip().casefold()),
        None,
    )
    reference = reference or next(
        (name for name in ratings.raters if kinds[name] in REFERENCES), None
    )
    others = tuple(name for name in ratings.raters if name != reference)
    if reference is None:
        raise InputError(
            f"{table.source}: no rater is the reference that the labels are checked against (raters: "
            f"{listing([shorten(n, 30) for n in ratings.raters], most=8)}). Call its rater 'reference'"
        )
    if not others:
        raise InputError(f"{table.source}: no rater but the reference labelled a story")
    people = tuple(name for name in others if kind is None or is_people(kinds[name]))
    judges = tuple(name for name in others if name not in people)
    return LabelCheck(ratings=ratings, reference=reference, people=people, judges=judges)


def named(table: DataTable, part: str, names: Sequence[str]) -> str:
    """Return the column of a part, by the first of its names."""
    found = next((name for name in names if name in table.columns), None)
    if found is None:
        raise DesignError(
            f"{table.source}: no column for the {part} (looked for {listing(list(names))}). Columns: "
            f"{quoted(list(table.columns), 20)}. Rename the one that holds it to '{names[0]}'"
        )
    return found


def coding(table: DataTable, label: str) -> list[str]:
    """Return the three labels in order, as the table spells them.

    Raises
    ------
    InputError
        For labels that are neither -1, 0, 1 nor A, Tie, B.
    """
    seen = [
        str(text)
        for text in table.counts([label], None, frozenset())
        .columns[label]
        .labels(frozenset())
        .levels
    ]
    for words in CODINGS:
        spelled = {
            word: [
                text for text in seen if text.strip().casefold() in (word, f"+{word}", f"{word}.0")
            ]
            for word in words
        }
        if seen and sum(map(len, spelled.values())) == len(seen):
            return [text for word in words for text in (spelled[word] or [word])]
    strange = [
        text for text in seen if not any(text.strip().casefold() in words for words in CODINGS)
    ]
    raise InputError([_no_label(table, label, text) for text in (strange or seen)[:MOST_PROBLEMS]])


def _no_label(table: DataTable, column: str, text: str) -> Problem:
    """Return what is wrong with a text that stands where a label should, with its lines."""
    (rows,) = table.positions([column], [lambda row: row == (text,)], MANY)
    places = table.places(rows)
    return Problem(
        message=f"'{shorten(text)}' is no label",
        source=table.source,
        column=shorten(column),
        unit=table.unit,
        lines=tuple(places[row] for row in rows),
        n_rows=len(rows),
        fix="Write -1, 0, 1 or A, Tie, B (which situation is more urgent: that of role a, neither, that of role b)",
    )


def check_labels(check: LabelCheck, options: StudyOptions) -> Checked:
    """Compute accuracy of the majority of human raters, ordinal alphas, and kappas of each rater with the reference."""
    problems: list[str] = []

    def put(
        found: dict[str, Result],
        name: str,
        what: str,
        metric: Callable[..., Any],
        raters: Sequence[str],
        ratings: Ratings = check.ratings,
        **more: Any,
    ) -> None:
        try:
            found[name] = single(metric(ratings.of_raters(raters), **options.chosen(), **more))
        except (UndefinedStatistic, NothingToAnalyse, InputError) as error:
            problems.append(f"{what}: {str(error).split(chr(10))[0]}")

    accuracy: dict[str, Result] = {}
    alphas: dict[str, Result] = {}
    kappas: dict[tuple[str, str], dict[str, Result]] = {}
    truth = check.reference
    for rule in RULES if check.people else ():
        voters = [*check.people, truth]
        put(
            accuracy,
            rule,
            "majority vote accuracy",
            majority_vote_accuracy,
            voters,
            truth=truth,
            ties=rule,
        )
    for kind, raters in zip(LABELLERS, (check.people, check.judges), strict=True):
        if len(raters) > 1:
            put(alphas, kind, f"alpha of the {kind}", krippendorff_alpha, raters)
    for (stories, ratings), weights in product(of_stories(check), WEIGHTS):
        own = kappas.setdefault((stories, weights), {})
        for rater in (*check.people, *check.judges):
            pair, what = (truth, rater), f"kappa of {shorten(rater, 30)}, {stories}"
            put(own, rater, what, weighted_kappa, pair, ratings, weights=weights, pairs=pair)
    return Checked(
        accuracy=accuracy, alphas=alphas, kappas=kappas, problems=tuple(dict.fromkeys(problems))
    )


def of_stories(check: LabelCheck) -> tuple[tuple[str, Ratings], ...]:
    """Return the ratings of all stories, and of those to which the reference gives different urgencies."""
    ratings = check.ratings
    own = (ratings.rater == ratings.raters.index(check.reference)) & (ratings.status == OK)
    differs = np.zeros(len(ratings.units), dtype=bool)
    middle = next(
        (
            float(k)
            for k, name in enumerate(ratings.levels)
            if name.strip().casefold() in ("0", "tie")
        ),
        1.0,
    )
    differs[ratings.unit[own & (ratings.value != middle)]] = True
    whole = (ALL, ratings)
    if not differs.any() or differs.all():
        return (whole,)
    return whole, (UNEQUAL, ratings.take(differs[ratings.unit], note="urgencies differ"))


SHORT = {ALL: "all", UNEQUAL: "unequal"}
VOTES = {
    "accuracy": "majority is right",
    "single rater": "one rater is right",
    "unanimous": "all raters agree",
    "tied": "vote is tied",
}
LABELLERS = ("human raters", "judges")


def labels_block(check: LabelCheck, checked: Checked) -> Block:
    """Return the block: accuracy of the majority of human raters, alphas, and kappas with the reference."""
    kappas = tuple(
        replace(
            result.rows[0], term=f"{shorten(rater, 30)}: {weights}, {SHORT[stories]}", group=None
        )
        for (stories, weights), found in checked.kappas.items()
        for rater, result in found.items()
    )
    xlabel = "weighted kappa with the reference"
    return Block(
        id="labels",
        question="Did raters agree with the intended urgencies?",
        sentences=sentences(check, checked),
        draw=partial(forest, kappas, xlabel=xlabel, sort=False) if kappas else None,
        figure_title="Weighted κ of each rater with the reference",
        caption=caption_of(check, checked),
        tables=tables(check, checked),
        results=checked.all(),
    )


def caption_of(check: LabelCheck, checked: Checked) -> str:
    """Return the caption: weights, stories, raters, and how the intervals are made."""
    raters = [count(len(check.people), "human rater")] * bool(check.people)
    raters += [count(len(check.judges), "judge")] * bool(check.judges)
    results = [result for found in checked.kappas.values() for result in found.values()]
    made = ""
    if results:
        level = percent_of(results[0].settings["level"])
        made = f" {level} CIs ({results[0].inference.replace('units taken', 'stories taken')});"
    return (
        f"Points: κ with linear or quadratic weights, of all stories or those of unequal urgency ('unequal');{made} "
        f"n = {count(len(check.ratings.units), *STORY)}, {listing([*raters, 'the reference'])}."
    )


def sentences(check: LabelCheck, checked: Checked) -> tuple[str, ...]:
    """Return accuracy of the majority, agreement within human raters and judges, and with the reference."""
    said = []
    for rule, result in list(checked.accuracy.items())[:1]:
        said.append(
            f"The majority of {count(len(check.people), 'human rater')} gave the reference's label at a rate of "
            f"{estimate_text(result.row('accuracy'))} ({count(result.counts['units'], *STORY)}; {RULES[rule]})."
        )
    alphas = {kind: estimate_text(r.rows[0]) for kind, r in checked.alphas.items()}
    if alphas:
        each = [f"{alpha}, among {kind}" for kind, alpha in alphas.items()]
        said.append(f"Ordinal Krippendorff's α was {listing(each)}.")
    said += contrast(check, checked.kappas)
    if checked.problems:
        said.append(f"Not computed: {listing(list(checked.problems), most=4)}.")
    return tuple(said)


def contrast(
    check: LabelCheck, kappas: Mapping[tuple[str, str], Mapping[str, Result]]
) -> list[str]:
    """Return the range of the linear kappas of all stories, of human raters and of judges."""
    first = ranked(check, [kappas[ALL, WEIGHTS[0]]])
    if not first:
        return []
    ends = [
        f"{' to '.join(number(row.shown()) for row in outer(rows))} for {kind}"
        for kind, rows in first.items()
    ]
    return [*separated(first), f"Linear κ with the reference was {listing(ends)} (all stories)."]


def ranked(check: LabelCheck, kappas: Sequence[Mapping[str, Result]]) -> dict[str, list[Row]]:
    """Return the known kappas with the reference of people and of judges, smallest first, each under its rater."""
    found = {}
    for kind, raters in zip(LABELLERS, (check.people, check.judges), strict=True):
        named = [
            (name, r.rows[0]) for results in kappas for name, r in results.items() if name in raters
        ]
        rows = [replace(row, term=name) for name, row in named if row.estimate is not None]
        if rows:
            found[kind] = sorted(rows, key=lambda row: row.estimate or 0.0)
    return found


def outer(rows: Sequence[Row]) -> Sequence[Row]:
    """Return the first and the last, or the only one."""
    return rows if len(rows) < 2 else (rows[0], rows[-1])


def separated(ranks: Mapping[str, Sequence[Row]]) -> list[str]:
    """Return whether all judges agreed less with the reference than all human raters, as far as no CIs overlap."""
    if len(ranks) < len(LABELLERS):
        return []
    if any(r.conf_low is None or r.conf_high is None for rows in ranks.values() for r in rows):
        return ["Judges and human raters were not compared: some CI is undefined."]
    highs = {kind: max(r.conf_high or 0.0 for r in rows) for kind, rows in ranks.items()}
    lows = {kind: min(r.conf_low or 0.0 for r in rows) for kind, rows in ranks.items()}
    for less, more in (LABELLERS[::-1], LABELLERS):
        if highs[less] < lows[more]:
            return [
                f"{capital(less)} agreed less with the reference than {more}: all CIs were separate."
            ]
    return ["CIs of human raters and judges overlapped; no difference was tested."]


def tables(check: LabelCheck, checked: Checked) -> tuple[PageTable, ...]:
    """Return the tables of the majority, of alpha and of kappa."""
    shown: dict[str, Column] = {"Low": "conf_low", "High": "conf_high"}
    last: dict[str, Column] = {"Why not": "undefined"}
    what: dict[str, Column] = {"What": lambda r: VOTES[r.term], "Share": "estimate"}
    votes = [
        (RULES[rule], row)
        for k, (rule, result) in enumerate(checked.accuracy.items())
        for row in result.rows
        if row.term == "accuracy" or k == 0
    ]
    found = (
        table_of(
            [row for _, row in votes],
            "Majority of the human raters against the reference, by rule for tied votes",
            ("Rule", [rule for rule, _ in votes]),
            what | shown | {"Stories": _size} | last,
        ),
        table_of(
            [result.rows[0] for result in checked.alphas.values()],
            "Krippendorff's alpha (ordinal) without the reference",
            ("Among", list(checked.alphas)),
            {"Alpha": "estimate"} | shown | {"Labels": _size} | last,
        ),
        kappa_table(check, checked),
    )
    return tuple(table for table in found if table.cells)


def _size(row: Row) -> int:
    return int(row.n or 0)


def kappa_table(check: LabelCheck, checked: Checked) -> PageTable:
    """Return every rater's kappas with the reference: a line for each set of stories, columns for both weights."""
    cells: list[tuple[str | float | int | None, ...]] = []
    sets = dict.fromkeys(name for name, _ in checked.kappas)
    for stories, rater in product(sets, (*check.people, *check.judges)):
        found = [checked.kappas[stories, weights].get(rater) for weights in WEIGHTS]
        known = [result.rows[0] for result in found if result is not None]
        if known:
            numbers = [
                x
                for one in found
                for x in ((None, None, None) if one is None else ends(one.rows[0]))
            ]
            why = "; ".join(dict.fromkeys(row.undefined for row in known if row.undefined))
            cells.append((shorten(rater, 60), stories, *numbers, _size(known[0]), why or None))
    header = (
        "Rater",
        "Of",
        "Linear",
        "Low",
        "High",
        "Quadratic",
        "Low ",
        "High ",
        "Stories",
        "Why not",
    )
    return PageTable(
        "Weighted kappa with the reference, linear and quadratic weights", header, tuple(cells)
    )


NAMES = (
    "item",
    "role",
    "name",
    "label",
    *(one.removesuffix("_a") for one, _ in ITEM_PAIRS if one.endswith("_a")),
)


def read_item_groups(table: DataTable) -> Mapping[str, Mapping[str, str]]:
    """Read groupings of items, such as the gender, income or religion of roles.

    Parameters
    ----------
    table : Table
        One column that names the item (``item``, ``role``, ``name``, ...), and one for each grouping. An empty field:
        the item is in no group of that grouping.

    Returns
    -------
    mapping of grouping to mapping of item to group

    Raises
    ------
    DesignError
        If no column names the items, or there is no other column.
    InputError
        If an item has two rows.

    Examples
    --------
    >>> from socialstats.tables import as_table
    >>> read_item_groups(as_table({"role": ["nun", "judge"], "gender": ["female", ""]}))
    {'gender': {'nun': 'female'}}
    """
    return groupings(table, NAMES, "item")[1]


SCHWARTZ = (
    "self-direction",
    "stimulation",
    "hedonism",
    "achievement",
    "power",
    "security",
    "conformity",
    "tradition",
    "benevolence",
    "universalism",
)
HEADER = (
    "Chosen",
    "Value",
    "Stories that cite it",
    "Share of stories",
    "Low",
    "High",
    "Share of values",
    "Low ",
    "High ",
    "Stories",
    "Values",
    "Why not",
)
MOST_TOLD = 6
STORY, VALUE = ("story", "stories"), ("value", "values")


def value_blocks(
    design: Comparisons, groups: list[str], options: StudyOptions
) -> tuple[Block, ...]:
    """Return one block a grouping of the items, where the table says what each row cites; none otherwise."""
    if design.cited is None:
        return ()
    found = []
    for group in groups:
        with suppress(NothingToAnalyse):
            dependent = settled_cluster(design, "auto", parameters=len(design.items) - 1)
            chosen = chosen_labels(design, group, cluster=dependent)
            levels = options.value_levels or ten_values(chosen.lists.labels)
            result, loose = (
                label_counts(chosen.lists, cluster=cluster, levels=levels, **options.chosen())
                for cluster in ("declared", None)
            )
            found.append(value_block(result, chosen, group, spread(result, loose)))
    return tuple(found)


def ten_values(cited: Sequence[str]) -> tuple[str, ...] | None:
    """Return Schwartz's (1992) ten values as the table spells them; None where some value cited is none of them.

    Examples
    --------
    >>> ten_values(("Security", "Self_Direction"))[:3], ten_values(("care",))
    (('Security', 'Self_Direction', 'Achievement'), None)
    """
    known = {name.casefold().replace("_", "-").replace(" ", "-"): name for name in cited}
    if not set(known) <= set(SCHWARTZ):
        return None
    large = all(name[:1].isupper() for name in cited)
    more = sorted(name for name in SCHWARTZ if name not in known)
    return (*cited, *(name.capitalize() if large else name for name in more))


def spread(result: Result, loose: Result) -> float | None:
    """Return the median over all shares of the design effect of the clusters; None without clusters."""
    if not result.settings["cluster"]:
        return None
    pairs = [pair for pair in matched_rows(result.rows, loose.rows) if pair[0].std_error]
    effects = [effect for own, other in pairs if (effect := design_effect(own, other)) is not None]
    return statistics.median(effects) if effects else None


def value_block(result: Result, chosen: ChosenLabels, group: str, effect: float | None) -> Block:
    """Return the block: what is cited most where each group is chosen, its heat map, and both shares with intervals."""
    trios = [result.rows[k : k + 3] for k in range(0, len(result.rows), 3)]
    cells = tuple(
        (
            one.group or f"(any {group})",
            one.term,
            int(one.estimate or 0),
            *ends(of_units),
            *ends(of_labels),
            _size(of_units),
            _size(of_labels),
            of_units.undefined or of_labels.undefined,
        )
        for one, of_units, of_labels in trios
    )
    shares = [replace(of_labels, term=one.term, group=one.group) for one, _, of_labels in trios]
    shown, overall = ([r for r in shares if (r.group is None) == whole] for whole in (False, True))
    return Block(
        id=f"values-{group}",
        question=f"Which values were cited, by {as_words(group)} of the chosen role?",
        sentences=(cited_sentence(result), *leaders(shown, group)),
        draw=draw_of(tuple(shown), tuple(overall)),
        figure_title=f"Shares of values cited (rows) by {as_words(group)} of the chosen role (columns)",
        caption=caption_of_values(result, chosen, effect),
        tables=(PageTable(f"Values cited by {as_words(group)} of the chosen role", HEADER, cells),),
        results=(result,),
    )


def draw_of(shown: tuple[Row, ...], overall: tuple[Row, ...]) -> partial[Axes] | None:
    """Return what draws the heat map; a forest of all rows together where it would have too many cells."""
    fits = max(len({row.term for row in shown}), len({row.group for row in shown})) <= MOST_GROUPS
    if not fits:
        return partial(forest, overall[:60], xlabel="share of values", reference=None)
    even = 1 / max(len(overall), 1)
    farthest = max((abs((row.estimate or even) - even) for row in shown), default=even) or even
    return partial(heat, shown, neutral=even, extreme=farthest, xlabel="chosen")


def caption_of_values(result: Result, chosen: ChosenLabels, effect: float | None) -> str:
    """Return the caption: what the shares are of, what was excluded, and how the intervals are made."""
    ties = f" {count(chosen.ties, 'tie')} excluded, as no role was chosen." if chosen.ties else ""
    made = result.inference.split("; ")[0]
    names = [
        f"{count(len(np.unique(f.codes)))} {'pairs of roles' if f.name == 'pair' else f'of {as_words(f.name)}'}"
        for f in chosen.lists.clusters
    ]
    made += f"; clusters: {' x '.join(names)}" if names else "; stories taken as independent"
    made += f"; median design effect {number(effect, 1)}" if names and effect is not None else ""
    return (
        "Cells: share of all values cited (sum 1 per column) and number of values; uncoloured: equal shares; "
        f"{percent_of(result.settings['level'])} CIs in the table ({made}); "
        f"n = {count(result.counts['units'], *STORY)}.{ties}"
    )


def cited_sentence(result: Result) -> str:
    """Return how many stories cited how many values."""
    per_unit, without = (
        next(iter(result.extras[name].values())) for name in ("labels_per_unit", "without")
    )
    none = f"; {count(without, *STORY)} cited none" if without else ""
    return (
        f"{count(result.counts['units'], *STORY)} cited {count(result.counts['labels cited'], *VALUE)} "
        f"({number(per_unit)} per story{none})."
    )


def leaders(rows: Sequence[Row], group: str) -> tuple[str, ...]:
    """Return the value with the largest share in each group."""
    best: dict[str, Row] = {}
    for row in rows:
        name = row.group or ""
        if (row.estimate or 0.0) > (best[name].estimate or 0.0 if name in best else 0.0):
            best[name] = row
    told = [
        f"{shorten(row.term, 40)} for {shorten(name, 40)} ({number(row.shown())})"
        for name, row in list(best.items())[:MOST_TOLD]
    ]
    said = f"The values with the largest shares were {listing(told, most=MOST_TOLD)}; ranks were not tested."
    return (said,) if told else ()
