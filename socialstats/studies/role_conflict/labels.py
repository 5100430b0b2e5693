"""Labels of stories: values cited, groups of roles, and a check of labels by people and judges."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.designs.cited import ChosenLabels, chosen_labels
from socialstats.designs.columns import ITEM_PAIRS
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.ratings import OK, Ratings
from socialstats.errors import SHOWN_AT_MOST, DesignError, InputError, NothingToAnalyse, Problem, UndefinedStatistic
from socialstats.figures import forest, heat
from socialstats.figures.heat import MOST_GROUPS
from socialstats.metrics.krippendorff_alpha import krippendorff_alpha
from socialstats.metrics.label_counts import cited_text, label_counts
from socialstats.metrics.majority_vote_accuracy import majority_vote_accuracy
from socialstats.metrics.weighted_kappa import weighted_kappa
from socialstats.results import Result, Row
from socialstats.studies.comparisons import default_cluster
from socialstats.studies.estimates import design_effect, numbers_text
from socialstats.studies.page import Block, StudyOptions, Table
from socialstats.studies.sources import HUMANS
from socialstats.tables import Table as DataTable
from socialstats.text import count, listing, number, quoted, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["value_block", "value_blocks"]


UNITS = ("unit", "scenario", "story", "item", "pair")
RATERS = ("rater", "annotator", "worker", "judge", "person", "model")
LABELS = ("label", "value", "rating", "answer", "vote")
KINDS = ("kind", "source", "rater_source")
REFERENCES = ("reference", "truth", "gold", "label", "designed")
CODINGS: tuple[tuple[str, ...], ...] = (("-1", "0", "1"), ("a", "tie", "b"))
RULES = {
    "split": "ties broken at random", "wrong": "ties counted as wrong", "drop": "ties left out",
}  # fmt: skip
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
        found = {
            f"majority, {RULES[rule]}": replace(result, rows=result.rows if k == 0 else (result.row("accuracy"),))
            for k, (rule, result) in enumerate(self.accuracy.items())
        }
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
    unit, rater, label = (named(table, part, names) for part, names in
                          (("story", UNITS), ("rater", RATERS), ("label", LABELS)))  # fmt: skip
    kind = next((name for name in KINDS if name in table.columns and name not in (unit, rater, label)), None)
    ratings = Ratings.from_frame(
        table, unit=unit, rater=rater, value=label, scale="ordinal", levels=coding(table, label), missing="drop",
        **({"rater_groups": kind} if kind else {}),
    )  # fmt: skip
    kinds = kinds_of(ratings, kind)
    reference = next((name for word in REFERENCES for name in ratings.raters if word == name.strip().casefold()), None)
    reference = reference or next((n for n in ratings.raters if kinds[n].strip().casefold() in REFERENCES), None)
    others = tuple(name for name in ratings.raters if name != reference)
    if reference is None:
        raise InputError(
            f"{table.source}: no rater is the reference that the labels are checked against (raters: "
            f"{listing([shorten(n, 30) for n in ratings.raters], most=8)}). Call its rater 'reference'"
        )
    if not others:
        raise InputError(f"{table.source}: nobody but the reference labelled a story")
    people = tuple(name for name in others if kind is None or kinds[name].strip().casefold() in HUMANS)
    return LabelCheck(
        ratings=ratings, reference=reference, people=people, judges=tuple(n for n in others if n not in people)
    )


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
    seen = [str(text) for text in table.counts([label], None, frozenset()).columns[label].labels(frozenset()).levels]
    for words in CODINGS:
        spelled = {word: [text for text in seen if text.strip().casefold() in (word, f"+{word}", f"{word}.0")]
                   for word in words}  # fmt: skip
        if seen and sum(map(len, spelled.values())) == len(seen):
            return [text for word in words for text in (spelled[word] or [word])]
    strange = [text for text in seen if not any(text.strip().casefold() in words for words in CODINGS)]
    raise InputError([_no_label(table, label, text) for text in (strange or seen)[:SHOWN_AT_MOST]])


def _no_label(table: DataTable, column: str, text: str) -> Problem:
    """Return what is wrong with a text that stands where a label should, with its lines."""
    (rows,) = table.positions([column], [lambda row: row == (text,)], MANY)
    places = table.places(rows)
    return Problem(
        message=f"'{shorten(text)}' is no label", source=table.source, column=shorten(column), unit=table.unit,
        lines=tuple(places[row] for row in rows), n_rows=len(rows),
        fix="Write -1, 0, 1 or A, Tie, B (which situation is more urgent: that of role a, neither, that of role b)",
    )  # fmt: skip


def kinds_of(ratings: Ratings, kind: str | None) -> dict[str, str]:
    """Return the kind of each rater; empty where the table does not tell."""
    if kind is None:
        return dict.fromkeys(ratings.raters, "")
    factor = ratings.rater_groups[kind]
    return {
        name: factor.levels[code] if code >= 0 else ""
        for name, code in zip(ratings.raters, factor.codes.tolist(), strict=True)
    }


def check_labels(check: LabelCheck, options: StudyOptions) -> Checked:
    """Compute accuracy of the people's majority, ordinal alphas, and kappas of every rater with the reference."""
    common: dict[str, Any] = {"level": options.level, "seed": options.seed, "resamples": options.resamples}
    problems: list[str] = []
    voters = partial(check.ratings.of_raters, [*check.people, check.reference])
    accuracy = {
        rule: attempt("majority vote accuracy", problems, majority_vote_accuracy, voters, truth=check.reference,
                      ties=rule, **common)
        for rule in (RULES if check.people else ())
    }  # fmt: skip
    alphas = {
        kind: attempt(f"alpha of the {kind}", problems, krippendorff_alpha, partial(check.ratings.of_raters, raters),
                      **common)
        for kind, raters in (("people", check.people), ("judges", check.judges)) if len(raters) > 1
    }  # fmt: skip
    kappas = {
        (stories, weights): kept({
            rater: attempt(f"kappa of {shorten(rater, 30)}, {stories}", problems, weighted_kappa,
                           partial(ratings.of_raters, [check.reference, rater]), weights=weights,
                           pairs=(check.reference, rater), **common)
            for rater in (*check.people, *check.judges)
        })
        for stories, ratings in of_stories(check) for weights in WEIGHTS
    }  # fmt: skip
    return Checked(accuracy=kept(accuracy), alphas=kept(alphas), kappas=kappas, problems=tuple(dict.fromkeys(problems)))


def attempt(
    what: str, problems: list[str], metric: Callable[..., Any], ratings: Callable[[], Ratings], **options: Any
) -> Result | None:
    """Return the result of a metric on some ratings; None, and why in `problems`, where there is none."""
    try:
        result: Result = metric(ratings(), **options)
    except (UndefinedStatistic, NothingToAnalyse, InputError) as error:
        problems.append(f"{what}: {str(error).split(chr(10))[0]}")
        return None
    return result


def kept(found: Mapping[str, Result | None]) -> dict[str, Result]:
    """Return the results that exist."""
    return {name: result for name, result in found.items() if result is not None}


def of_stories(check: LabelCheck) -> tuple[tuple[str, Ratings], ...]:
    """Return the ratings of all stories, and of those to which the reference gives different urgencies."""
    ratings = check.ratings
    own = (ratings.rater == ratings.raters.index(check.reference)) & (ratings.status == OK)
    differs = np.zeros(len(ratings.units), dtype=bool)
    middle = next((float(k) for k, name in enumerate(ratings.levels) if name.strip().casefold() in ("0", "tie")), 1.0)
    differs[ratings.unit[own & (ratings.value != middle)]] = True
    whole = (ALL, ratings)
    if not differs.any() or differs.all():
        return (whole,)
    return whole, (UNEQUAL, ratings.take(differs[ratings.unit], note="urgencies differ"))


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


NAMES = ("item", "role", "name", "label", *(one.removesuffix("_a") for one, _ in ITEM_PAIRS if one.endswith("_a")))


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
    item = next((name for name in NAMES if name in table.columns), None)
    others = [name for name in table.columns if name != item]
    if item is None or not others:
        missing = "that names the item" if item is None else "of a grouping"
        raise DesignError(
            f"{table.source}: no column {missing} (columns: {quoted(list(table.columns), 20)}). One column is called "
            "'item' (or 'role'), every other one is a grouping"
        )
    counts = table.counts(list(table.columns))
    labels = {name: column.labels() for name, column in counts.columns.items()}
    items = [labels[item].levels[code] if code >= 0 else "" for code in labels[item].codes.tolist()]
    twice = sorted({name for name in items if items.count(name) > 1})
    if twice:
        raise InputError(f"{table.source}: '{shorten(twice[0])}' has several rows; give every item one")
    return {
        name: {
            one: labels[name].levels[code]
            for one, code in sorted(zip(items, labels[name].codes.tolist(), strict=True)) if code >= 0 and one
        }
        for name in others
    }  # fmt: skip


HEADER = ("Chosen", "Value", "Stories that cite it", "Share of stories", "Low", "High", "Share of values", "Low ",
          "High ", "Stories", "Values", "Why not")  # fmt: skip
MOST_TOLD = 6
STORY, VALUE = ("story", "stories"), ("value", "values")


def value_blocks(design: Comparisons, groups: list[str], options: StudyOptions) -> tuple[Block, ...]:
    """Return one block a grouping of the items, where the table says what each row cites; none otherwise."""
    if design.cited is None:
        return ()
    found = []
    for group in groups:
        try:
            chosen = chosen_labels(design, group, cluster=default_cluster(design))
        except NothingToAnalyse:
            continue
        common: dict[str, Any] = {"level": options.level, "resamples": options.resamples, "seed": options.seed}
        result, loose = (label_counts(chosen.lists, cluster=cluster, **common) for cluster in ("declared", None))
        found.append(value_block(result, chosen, group, spread(result, loose)))
    return tuple(found)


def spread(result: Result, loose: Result) -> float | None:
    """Return the median over all shares of the design effect of the clusters; None without clusters."""
    if not result.settings["cluster"]:
        return None
    pairs = ((own, other) for own, other in zip(result.rows, loose.rows, strict=True) if own.std_error)
    effects = [effect for own, other in pairs if (effect := design_effect(own, other)) is not None]
    return statistics.median(effects) if effects else None


def value_block(result: Result, chosen: ChosenLabels, group: str, effect: float | None) -> Block:
    """Return the block: what is cited most where each group is chosen, its heat map, and both shares with intervals."""
    trios = [result.rows[k : k + 3] for k in range(0, len(result.rows), 3)]
    cells = tuple(
        (
            one.group or f"(any {group})", one.term, int(one.estimate or 0), *_share(of_units), *_share(of_labels),
            int(of_units.n or 0), int(of_labels.n or 0), of_units.undefined or of_labels.undefined,
        )
        for one, of_units, of_labels in trios
    )  # fmt: skip
    shown = tuple(
        replace(of_labels, term=one.term, group=one.group) for one, _, of_labels in trios if one.group is not None
    )
    overall = tuple(replace(of_labels, term=one.term) for one, _, of_labels in trios if one.group is None)
    return Block(
        id=f"values-{group}",
        question=f"Which values are cited, by {group} of the chosen role?",
        sentences=(cited_text(result, unit=STORY, label=VALUE), *leaders(shown, group)),
        draw=draw_of(shown, overall),
        figure_title=f"Share of the values cited where the column's {group} was chosen",
        caption=caption_of_values(result, chosen, effect),
        tables=(Table(caption=f"Values cited by {group} of the chosen role", header=HEADER, cells=cells),),
        results=(result,),
    )


def draw_of(shown: tuple[Row, ...], overall: tuple[Row, ...]) -> partial[Axes] | None:
    """Return what draws the heat map; a forest of all rows together where it would have too many cells."""
    fits = max(len({row.term for row in shown}), len({row.group for row in shown})) <= MOST_GROUPS
    if not fits:
        return partial(forest, overall[:60], xlabel="share of values", digits=3, reference=None)
    even = 1 / max(len(overall), 1)
    farthest = max((abs((row.estimate or even) - even) for row in shown), default=even) or even
    return partial(heat, shown, neutral=even, extreme=farthest, xlabel="chosen")


def caption_of_values(result: Result, chosen: ChosenLabels, effect: float | None) -> str:
    """Say how the values were told apart, what the shares are of, what was left out, and how the intervals are made."""
    apart = (
        f"Values of a story are separated by '{chosen.sep}'. " if chosen.sep else "A story cites one value at most. "
    )
    ties = f" {count(chosen.ties, 'tie')} left out: no role was chosen." if chosen.ties else ""
    return (
        f"{apart}Shares of stories add to the number of values a story cites, shares of values to 1; a published count "
        f"by domain may mean either. No colour: as often as if all values were cited alike; n: values cited there. "
        f"{count(result.counts['units'], *STORY)}; {made_by(result, chosen, effect)}.{ties}"
    )


def made_by(result: Result, chosen: ChosenLabels, effect: float | None) -> str:
    """Say how the intervals are made, and what the clusters do to the variances."""
    made = result.inference.split("; ")[0]
    if not chosen.lists.clusters:
        return f"{made}; stories taken as independent"
    names = " x ".join(
        f"{count(len(np.unique(f.codes)))} {'pairs of roles' if f.name == 'pair' else f'of {shorten(f.name, 40)}'}"
        for f in chosen.lists.clusters
    )
    return f"{made}; clusters: {names}" + ("" if effect is None else f" (design effect {number(effect, 1)}, median)")


def leaders(rows: tuple[Row, ...], group: str) -> tuple[str, ...]:
    """Name the value with the largest share in each group, with its interval."""
    best: dict[str, Row] = {}
    for row in rows:
        name = row.group or ""
        if (row.estimate or 0.0) > (best[name].estimate or 0.0 if name in best else 0.0):
            best[name] = row
    if not best:
        return ()
    told = [
        f"{shorten(name, 40)}: {shorten(row.term, 40)} ({numbers_text(row, digits=3, bounded=True)})"
        for name, row in list(best.items())[:MOST_TOLD]
    ]  # fmt: skip
    return (f"Largest share of the values cited, by {group} of the chosen role: {'; '.join(told)}.",)


def _share(row: Row) -> tuple[float | None, float | None, float | None]:
    return row.estimate, row.conf_low, row.conf_high
