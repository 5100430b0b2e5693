"""What a table may be whose columns fit no design by name: proposed by content, as commands, never taken as read.

Each generator looks for one shape and yields candidates with a score; a candidate is proposed only if its settings read
the table. The words and scores were chosen on 109 public tables of R and Python packages, and measured on 112 others.
"""

from __future__ import annotations

import csv
import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace

import narwhals as nw
import numpy as np

from socialstats.designs.aliases import Fields, Texts
from socialstats.designs.column_profile import ColumnProfile
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.group_columns import independent_groups, only_measure
from socialstats.designs.levels import other_spelling
from socialstats.designs.paired import Paired
from socialstats.designs.people import words_of_label
from socialstats.designs.profile import FEW_COLUMNS, MOST_COLUMNS, TableProfile
from socialstats.designs.settings import LISTS, SETTINGS, Settings
from socialstats.designs.suspects import mirror_suspects, standing_apart, votes
from socialstats.designs.tables import TOTALS
from socialstats.designs.vocabulary import CALLS, CANCELLED, COSTS, NO_TRIALS, SUMMARIES, bare
from socialstats.errors import NothingToAnalyse, SocialStatsError
from socialstats.proposals.deciding import NoDesign, mapped_columns, words
from socialstats.proposals.reading import read
from socialstats.proposals.readings.answers import long_tables
from socialstats.proposals.readings.boards import score_tables
from socialstats.proposals.readings.contests import contests, rank_columns, winners_and_losers
from socialstats.proposals.readings.crosstabs import counted_answers, counted_tables, square_tables
from socialstats.proposals.readings.doubts import LONE, doubts, unused
from socialstats.proposals.readings.proposal import ANSWERS, Proposal, Proposals
from socialstats.proposals.readings.refusals import refusal, what_is_needed
from socialstats.proposals.readings.wide import (
    fleiss_tables,
    pairs_of_a_plan,
    transposed_tables,
    wide_tables,
)
from socialstats.tables import Table, as_number, rows_where, rows_without
from socialstats.text import count, listing, quoted, shorten

MOST = 3  # proposals
MOST_GAPS = 20  # columns with gaps that are looked at, and kinds of rows
FEWEST = 3  # matched pairs of a proposal
LEAST = 4.4  # score from which a candidate is worth a line
SURE_BOARD = 9.0  # score of a long board beside which columns of one scale are no pair
PLAIN_CODE = 77  # a smaller number that stands apart may be a value
CONTESTED = 2.0  # taken from a reading that takes items or results of a comparison otherwise
SURE = 7.0  # score from which a proposal may stand beside an error about columns that fit a design by name

READINGS: tuple[Callable[[TableProfile], Proposals], ...] = (
    square_tables,
    counted_tables,
    winners_and_losers,
    contests,
    rank_columns,
    fleiss_tables,
    wide_tables,
    transposed_tables,
    pairs_of_a_plan,
    long_tables,
    score_tables,
    counted_answers,
)


def proposals(
    table: Table,
    settings: Settings,
    reads: Callable[[Settings], Fields],
    refused: list[str] | None = None,
) -> list[Proposal]:
    """Return at most three ways to read a table, the most likely first, each of which reads it.

    Parameters
    ----------
    table : Table
    settings : mapping
        Settings that were typed; they stay.
    reads : callable
        Settings -> settings that a report needs in addition; raises `SocialStatsError` where the table cannot be
        read so.
    refused : list of str, optional
        Is filled with what each candidate would have been, and why it cannot be read so.
    """
    if refusal(TableProfile(table)) or holds_costs(TableProfile(table)):
        return []
    table, left = without_notes(table)
    table, trials = only_trials(table)
    table, cancelled = without_cancelled(table)
    left = left | trials | {key: [*left.get(key, ()), *values] for key, values in cancelled.items()}
    profile = TableProfile(table)
    candidates = plausible(
        profile,
        [proposal for look in READINGS for proposal in look(profile) if proposal.score >= LEAST],
    )
    options = {
        **left,
        **{key: value for key, value in settings.items() if value not in (None, [], "")},
    }
    accepted: list[Proposal] = []
    for proposal in sorted(candidates, key=lambda p: -p.score):
        if (
            any(proposal.means == other.means for other in accepted)
            or sum(p.design == proposal.design for p in accepted) == MOST - 1
        ):
            continue
        completed = with_given(profile, with_codes(profile, proposal), options)
        if completed is None or any(same_settings(completed, other) for other in accepted):
            continue
        try:
            needed = reads(completed.settings)
        except SocialStatsError as error:
            if refused is not None:
                refused.append(
                    f"{proposal.design} ({proposal.means}): {str(error).splitlines()[0]}"
                )
            continue
        means = completed.means + needed.pop("note", "")
        accepted.append(replace(completed, options={**completed.options, **needed}, means=means))
        if len(accepted) == MOST:
            break
    return accepted


def with_codes(profile: TableProfile, proposal: Proposal) -> Proposal:
    """Return a proposal that takes codes of missing answers, and labels that say why there is none, as missing."""
    columns = [c for part in (*ANSWERS, "winner") for c in proposal.parts.get(part, ())]
    codes = dict.fromkeys(label for column in columns for label in column.odd)
    declared = "levels" in proposal.options
    for column in (c for c in columns if c.numbers is not None and not declared):
        cells = profile.table.counts([column.name])
        labels = cells.columns[column.name].labels()
        rows = dict(zip(labels.numbers().tolist(), cells.n.tolist(), strict=True))
        odd = standing_apart({number: n for number, n in rows.items() if number == number})
        odd = [
            code
            for code in odd
            if abs(code) >= PLAIN_CODE or (code < 0 and (column.whole or rows[code] > 1))
        ]
        codes |= {level: None for level in column.levels if as_number(level) in odd}
    if not codes:
        return proposal
    options = {**proposal.options, "na": [*codes], "missing": "drop"}
    return replace(
        proposal, options=options, means=f"{proposal.means}; {quoted([*codes])} taken as missing"
    )


def with_given(profile: TableProfile, proposal: Proposal, typed: Settings) -> Proposal | None:
    """Return a proposal with what was typed in place of what it says; None where it takes a repeat as another part."""
    entries = words(typed.get("map"))
    parts: dict[str, list[ColumnProfile]] = {}
    for part, names in (entry.partition("=")[::2] for entry in entries):
        columns = [
            profile.column(name)
            for name in next(csv.reader([names]), [])
            if name in profile.table.columns
        ]
        parts.setdefault(part, []).extend(c for c in columns if c is not None)
    if any(
        c in parts.get("repeat", ())
        for part, columns in proposal.parts.items()
        if part != "repeat"
        for c in columns
    ):
        return None
    typed_parts = {part: columns for part, columns in parts.items() if columns}
    options = {**proposal.options, **{key: value for key, value in typed.items() if key != "map"}}
    return replace(
        proposal, parts={**proposal.parts, **typed_parts}, options=options, given=entries
    )


def same_settings(proposal: Proposal, second: Proposal) -> bool:
    """Whether two proposals say the same, frequencies aside."""
    return {**proposal.settings, "count": None} == {**second.settings, "count": None}


def holds_costs(profile: TableProfile) -> bool:
    """Whether all numbers of a table are prices, sizes and the like: nothing but groups can be compared by one."""
    numbers = [c for c in profile.varying() if not c.text and not c.numbers_rows]
    costs = profile.unjudged and bool(numbers) and all(c.called(COSTS, CALLS) for c in numbers)
    return costs and only_measure(profile, independent_groups(profile)) is None


def plausible(profile: TableProfile, candidates: Sequence[Proposal]) -> list[Proposal]:
    """Return candidates that others, or what the table holds, leave standing.

    Groups of different units are no conditions. Columns of a long table of scores, or beside groups, are no pair unless
    their names say so. Times and costs make no board.
    """
    groups = independent_groups(profile)
    group, owner = (groups.group, groups.unit) if groups is not None else (None, None)
    boards = [proposal for proposal in candidates if proposal.options.get("study")]
    board = any(
        proposal.score >= SURE_BOARD and "raters" not in proposal.parts for proposal in boards
    )
    contest = max(
        (proposal for proposal in candidates if proposal.design == "comparisons"),
        key=lambda proposal: proposal.score,
        default=None,
    )
    contested = (
        {*contest.columns()} - {*words(contest.options.get("cluster"))}
        if contest is not None
        else set()
    )
    candidates = [
        replace(proposal, score=proposal.score - CONTESTED * uses_result(proposal, contested))
        for proposal in candidates
    ]
    standing = []
    for proposal in candidates:
        grouped = any(group in proposal.parts.get(part, ()) for part in ("condition", "rater"))
        wide = "raters" in proposal.parts or "first" in proposal.parts
        alone = (
            wide
            and (group is not None or board or profile.plan is not None)
            and bool(doubts(profile, proposal))
        )
        unjudged = (
            profile.unjudged and proposal in boards and bool({"raters", "task"} & {*proposal.parts})
        )
        owned = (
            groups is not None and groups.several and owner in proposal.parts.get("rater", ())
        )  # in one group each
        owned = owned and not proposal.parts.get("rater_source")
        if not (grouped or alone or unjudged or owned):
            standing.append(proposal)
    return standing


def compared(proposal: Proposal) -> set[str]:
    """Return the names of the columns whose labels a proposal compares."""
    return {c.name for c in proposal.parts.get("condition", ())}


def uses_result(proposal: Proposal, contested: set[str]) -> bool:
    """Whether a long reading takes an item or the result of a comparison as another part."""
    parts = [
        c.name
        for part in ("unit", "rater", "condition", "value")
        for c in proposal.parts.get(part, ())
    ]
    return proposal.design != "comparisons" and not {*parts}.isdisjoint(contested)


def without_notes(table: Table) -> tuple[Table, Fields]:
    """Return a table without rows that are none of its own, and the settings that leave them out.

    Such rows are the two further header rows of Qualtrics, and a last row of averages or totals.
    """
    if isinstance(table.frame, nw.LazyFrame):
        return table, {}  # no sheet has as many rows
    frame, notes = table.frame, []
    first = replace(table, data=frame.head(3))
    for name in filter(table.holds_labels, table.columns[:MOST_COLUMNS]):
        top = [text or "" for text in first.texts(name)]
        if len(top) == 3 and top[1].startswith('{"ImportId":'):
            notes = [(name, top[0]), (name, top[1])]
            break
    ends = frame.shape[0] > 3 and table.holds_labels(table.columns[0])
    last = replace(table, data=frame.tail(1)).texts(table.columns[0])[0] or "" if ends else ""
    if bare(last) in {*TOTALS, *SUMMARIES, "mean"}:
        notes.append((table.columns[0], last))
    for column, label in notes:
        table, _ = rows_without(table, column, label)
    return table, {"exclude": [f"{column}={label}" for column, label in notes]} if notes else {}


def without_cancelled(table: Table) -> tuple[Table, dict[str, list[str]]]:
    """Return a table without the rows that a column of true and false calls cancelled, and the setting for that."""
    profile = TableProfile(table)
    for column in (c for c in profile.every if c.called(CANCELLED) and c.filled == c.rows):
        if {label.casefold() for label in column.levels} == {"false", "true"}:
            true = next(label for label in column.levels if label.casefold() == "true")
            rows, _ = rows_without(table, column.name, true)
            return rows, {"exclude": [f"{column.name}={true}"]}
    return table, {}


def only_trials(table: Table) -> tuple[Table, Fields]:
    """Return a table with the trials of an experiment alone, and the setting that keeps them.

    Other rows are called instructions, practice and the like, and columns that trials have are empty in them.
    """
    profile = TableProfile(table)
    gaps = [c for c in profile.every if 0 < c.filled < c.rows][:MOST_GAPS]
    kinds = [
        c
        for c in profile.every
        if c.text and c.filled == c.rows and 1 < c.size <= MOST_GAPS and len(gaps) > 1
    ]
    for kind in kinds:
        trials = [label for label in kind.levels if not {*words_of_label(label)} & {*NO_TRIALS}]
        if len(trials) != 1 or kind.size < 2:
            continue
        only = [c for c in gaps if profile.filled_only(c, kind, trials[0])]
        if len(only) > 1:
            rows, _ = rows_where(table, kind.name, trials[0])
            return rows, {"where": [f"{kind.name}={trials[0]}"]}
    return table, {}


def command(files: Texts, settings: Settings, name: str = "report") -> str:
    """Return a complete command line; `files` are those of the table, or ``--example NAME``.

    Examples
    --------
    >>> command(["a b.csv"], {"map": ["unit=ID"], "levels": ["low", "high"], "crosstab": True})
    "socialstats report 'a b.csv' --map unit=ID --levels low,high --crosstab"
    """
    typed = ["socialstats", name, *files]
    for key, value in settings.items():
        if key not in SETTINGS or value in (None, []):
            continue
        option = SETTINGS[key].option
        if value is True:
            typed.append(option)
        elif key in LISTS:
            typed += [option, joined(value)]
        else:
            texts = words(value if isinstance(value, str | list | tuple) else str(value))
            typed += [word for text in texts for word in (option, text)]
    return shlex.join(typed)


def estimate(files: Texts, proposal: Proposal) -> str:
    """Return the command line that estimates one metric."""
    typed = ["socialstats", "estimate", proposal.metric, *files]
    for part, columns in proposal.parts.items():
        typed += [f"--{part}", ",".join(c.name for c in columns)] if columns else []
    for key in ("groups", "cluster", "scale", "source", "choice"):
        typed += (
            [f"--{key}", ",".join(words(proposal.options[key]))]
            if proposal.options.get(key)
            else []
        )
    return shlex.join(typed)


def joined(labels: Texts) -> str:
    """Write labels with commas between, as `deciding.split_list` reads them."""
    return ",".join(
        '"' + v.replace('"', '""') + '"' if set(v) & {",", '"'} or v != v.strip() else v
        for v in labels
    )


def seen_words(table: Table) -> str:
    """Return what a table holds in a paragraph: rows, columns, and what stands in the first ones."""
    profile = TableProfile(table)
    contents = []
    for column in [*profile.every][:8]:
        levels, numbers = column.levels, column.numbers
        if numbers and len(levels) > FEW_COLUMNS:
            what = f"numbers from {min(numbers):g} to {max(numbers):g}"
        elif len(levels) <= FEW_COLUMNS:
            what = listing([shorten(level, 20) for level in levels], most=FEW_COLUMNS) or "nothing"
        else:
            what = (
                "a different label in each row" if column.unique else f"{count(len(levels))} labels"
            )
        contents.append(f"{column} ({what})")
    more = len(table.columns) - len(contents)
    further = f" and {count(more, 'further column')}" if more > 0 else ""
    size = f"{count(profile.rows, 'row')} and {count(len(table.columns), 'column')}"
    spelled = [
        (c, spelling) for c in profile.every if c.levels and (spelling := other_spelling(c.levels))
    ]
    odd = (
        f" {spelled[0][0]} holds numbers that are not plain. {spelled[0][1][1]}." if spelled else ""
    )
    wide = (
        f" Only the first {MOST_COLUMNS} columns were looked at."
        if len(table.columns) > MOST_COLUMNS
        else ""
    )
    coded = f" It is {table.encoding}." if table.encoding else ""
    how_made = f" In it, {table.entries}." if table.entries else ""
    return f"{shorten(table.source)} has {size}: {', '.join(contents)}{further}.{odd}{wide}{coded}{how_made}"


def reading(table: Table, settings: Settings) -> Fields:
    """Read a table as proposed; return what a report needs in addition.

    Raises
    ------
    SocialStatsError
        Where it cannot be read, or holds too little for a report.
    """
    # only proposals of comparisons need the graph of wins
    from socialstats.choices.bradley_terry.fitting import win_graph
    from socialstats.choices.bradley_terry.likelihoods import pair_data

    design = read(table, settings)
    if isinstance(design, Paired) and design.n_pairs < FEWEST:
        raise NothingToAnalyse(f"{table.source}: {count(design.n_pairs, 'pair')}")
    if not isinstance(design, Comparisons):
        return {}
    graph = win_graph(pair_data(design, np.zeros((len(design.item_a), 0)), ()))
    needed: Fields = {} if graph.connected else {"prior": "0.5"}
    return needed | (one_of_each(table, settings) if mirror_suspects(design, table.columns) else {})


def one_of_each(table: Table, settings: Settings) -> Fields:
    """Return the rows to keep of comparisons that occur from both sides; a note where no column tells these apart."""
    profile = TableProfile(table)
    for column in (c for c in profile.every if c.size == 2 and c.filled == c.rows):
        sides = [
            [*words(settings.get("where")), f"{column.name}={level}"]
            for level in column.levels[::-1]
        ]
        try:
            first, second = (read(table, {**settings, "where": where}) for where in sides)
        except SocialStatsError:
            continue
        if not isinstance(first, Comparisons) or not isinstance(second, Comparisons):
            continue
        if votes(first) == votes(second, turned=True):
            clusters = [
                c.name for c in first.clusters if len(c.levels) < first.n_rows
            ]  # no row alone is one
            note = "; each contest is a row from either side, and one of these is kept"
            return {"where": sides[0], "cluster": clusters, "note": note}
    return {
        "note": "; each contest is a row from either side: keep one of these first, in a column for --where"
    }


def nothing_found(table: Table, refused: Texts) -> str:
    """Return why nothing is proposed: the likeliest reading that was refused, a table of one column, or no shape."""
    profiles = TableProfile(table).columns
    nested = [name for name in table.columns[:MOST_COLUMNS] if name not in profiles]
    if refused and not nested:
        return f"What it may be cannot be read: {refused[0]}"
    if nested:
        return (
            f"{quoted([shorten(name, 30) for name in nested], 4)} {'hold' if len(nested) > 1 else 'holds'} lists or "
            "objects, which no design reads. Write a row for each of their entries, with a column for each field."
        )
    if len(table.columns) == 1:
        return (
            "It has one column: fields are told apart by commas, semicolons, tabs or, with texts in quotes, spaces. "
            "Write it with one of these between the fields."
        )
    return "No two columns of items, no two conditions and no raters were recognised in it."


def proposed(error: NoDesign, files: Texts, output: str = "") -> tuple[bool, str]:
    """Return whether commands may be meant, and these in lines with what the table holds.

    The lines are empty where there is nothing to add. `output` is the page that was asked for, which the commands keep.
    """
    refused: list[str] = []
    accepted = proposals(
        error.table, error.settings, lambda settings: reading(error.table, settings), refused
    )
    accepted = [
        proposal for proposal in accepted if not proposal.metric or files[0] != "--example"
    ]  # estimate reads files alone
    profile = TableProfile(without_notes(error.table)[0])
    refused_table = refusal(TableProfile(error.table))
    lacks = (
        [f"{refused_table}."]
        if refused_table
        else what_is_needed(profile, "value" in mapped_columns(error.settings))
    )
    fits = accepted and accepted[0].score >= SURE and accepted[0].design in (error.design, "groups")
    fits = fits or (
        bool(error.apart) and any(error.apart in compared(proposal) for proposal in accepted[:1])
    )
    if error.design and not fits:
        return False, "\n".join(lacks)  # its names fit a design: what is wrong was said
    lines = [f"By what it holds: {seen_words(error.table)}", *lacks]
    if not accepted:
        more = [] if lacks else [nothing_found(error.table, refused)]
        return False, "\n".join([*lines, *more])
    warnings = [doubts(profile, proposal) for proposal in accepted]
    weak = all(warnings)
    warnings = warnings if len(accepted) > 1 or weak else [LONE[accepted[0].design]]
    alone = "This is the one reading that was found" if weak else "It may be this"
    intro = "It may be one of these, the most likely first" if len(accepted) > 1 else alone
    lines.append(f"{intro}{'; nothing in the names confirms it' if weak else ''}:")
    page = [*files, "-o", output] if output else files
    for proposal, against in zip(accepted, warnings, strict=True):
        typed = estimate(files, proposal) if proposal.metric else command(page, proposal.settings)
        lines += [
            f"  {typed}",
            f"      {proposal.design}: {proposal.means}{unused(profile, proposal)}",
        ]
        lines += [f"      Check first: {against}"] if against else []
    return True, "\n".join(lines)
