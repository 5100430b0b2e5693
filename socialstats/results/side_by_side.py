"""Results side by side as one table for a paper: models, metrics or fits in columns, their terms in rows."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from socialstats.errors import InputError, MissingDependency
from socialstats.results.latex import escaped as latex_escaped
from socialstats.results.latex import latex
from socialstats.results.result import Result, ResultGroup
from socialstats.results.rows import Role, Row, checked_level
from socialstats.results.word import word_file
from socialstats.tables.writing import Kind, opened_whole
from socialstats.text import (
    MISSING,
    as_given,
    brackets,
    count,
    level_text,
    listing,
    number,
    p_value,
    quoted,
    shorten,
    with_article,
)
from socialstats.text import markdown as escaped
from socialstats.voice import option

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ResultTable", "table"]

Below = Literal["interval", "std_error", "p_value", "none"]
What = Literal["group", "term", "below", "foot"]
SHOWN: tuple[Role, ...] = ("estimate", "difference", "effect_size")
FIT = {"loglik": "Log-likelihood", "aic": "AIC"}
LEVELS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
OVER, UNDER = "border-top:1px solid;", "border-bottom:1px solid;"
NUMBER = "text-align:right;white-space:nowrap;padding-left:1em;"
STARS = "* p < .05, ** p < .01, *** p < .001"
WORD = Kind("a Word file of socialstats", lambda path: _is_ours(path))


@dataclass(frozen=True, slots=True)
class Line:
    """One printed line: what it is, its label, and a cell for each result."""

    what: What
    label: str
    cells: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ResultTable:
    """Results side by side; made by `table`.

    Attributes
    ----------
    title : str
    names : tuple of str
        Head of each column of numbers.
    lines : tuple of Line
        Groups, terms, what stands below their estimates, and the sizes of the data.
    notes : tuple of str
        What the numbers are, why some are missing, and the cautions of the results.
    results : mapping of str to Result

    Examples
    --------
    >>> import socialstats as ss
    >>> pairs = {"before": [1, 2, 2, 4], "after": [2, 2, 5, 6]}
    >>> table = ss.table({"change": ss.paired_difference(pairs, first="after", second="before")}, terms=["difference"])
    >>> table.names, [line.label for line in table.lines][:2]
    (('change',), ['difference', ''])
    >>> print(table.to_markdown().splitlines()[0])
    |  | change |
    """

    title: str
    names: tuple[str, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...]
    results: Mapping[str, Result]

    def __repr__(self) -> str:
        return f"<ResultTable: {count(len(self.names), 'result')} ({listing(list(self.names), most=5)})>"

    def __str__(self) -> str:
        return self.to_text()

    def tidy(self) -> pd.DataFrame:
        """Return the terms of all results, below each other, with the name of the result in column ``result``."""
        import pandas as pd

        parts: list[pd.DataFrame] = [
            one.tidy(all=True).assign(result=name) for name, one in self.results.items()
        ]
        found = pd.concat(parts, ignore_index=True)
        return found[[name for name in found if name == "estimate" or found[name].notna().any()]]

    def to_text(self) -> str:
        """Return the table as aligned text."""
        indent = "  " if self.grouped else ""
        grid = [(indent * (one.what == "term") + one.label, *one.cells) for one in self.lines]
        grid.insert(0, ("", *self.names))
        widths = [
            max(len(line[k]) for line in grid if k < len(line)) for k in range(len(self.names) + 1)
        ]
        cells = [[c.rjust(w) for c, w in zip(line[1:], widths[1:], strict=False)] for line in grid]
        printed = [
            "  ".join([line[0].ljust(widths[0]), *own])
            for line, own in zip(grid, cells, strict=True)
        ]
        rule, foot = "-" * (sum(widths) + 2 * len(self.names)), self.foot + 1
        body = [
            printed[0],
            rule,
            *printed[1:foot],
            *([rule] if foot < len(printed) else []),
            *printed[foot:],
            rule,
        ]
        return "\n".join(
            [*([self.title] if self.title else []), *(line.rstrip() for line in body), *self.notes]
        )

    def to_markdown(self) -> str:
        """Return the table in Markdown; groups stand in bold."""
        lines = [
            ["", *self.names],
            *([one.label, *one.cells, *[""] * len(self.names)] for one in self.lines),
        ]
        safe = [
            [escaped(cell, sys.maxsize) for cell in line[: len(self.names) + 1]] for line in lines
        ]
        bold = [
            f"**{line[0]}**" if one.what == "group" else line[0]
            for one, line in zip(self.lines, safe[1:], strict=True)
        ]
        body = [
            safe[0],
            [":--", *["--:"] * len(self.names)],
            *([b, *line[1:]] for b, line in zip(bold, safe[1:], strict=True)),
        ]
        text = "\n".join(f"| {' | '.join(line)} |" for line in body)
        title = [f"**{escaped(self.title)}**"] if self.title else []
        return "\n\n".join([*title, text, *(escaped(note, sys.maxsize) for note in self.notes)])

    def to_latex(self) -> str:
        r"""Return a LaTeX table with the rules of package booktabs; with a title it is a float that has a caption."""
        wide, group, before = len(self.names) + 1, "", []
        for k, one in enumerate(self.lines):
            group += "\\midrule\n" if k == self.foot else ""
            if one.what == "group":
                group += (
                    rf"\multicolumn{{{wide}}}{{l}}{{\textit{{{latex_escaped(one.label)}}}}} \\"
                    + "\n"
                )
                continue
            before.append(group + (r"\quad " if one.what == "term" and self.grouped else ""))
            group = ""
        notes = rf"\par\smallskip\noindent{{\footnotesize\textit{{Note.}} {latex_escaped(' '.join(self.notes))}\par}}"
        return latex(
            ["", *self.names],
            self.printed_cells(),
            [True, *[False] * len(self.names)],
            before=before,
            caption=latex_escaped(self.title),
            notes=notes if self.notes else "",
        )

    def to_html(self) -> str:
        """Return the table in HTML, with rules as in print."""
        heads = "".join(
            f'<th scope="col" style="{NUMBER}{UNDER}">{escape(name)}</th>' for name in self.names
        )
        rows = []
        for k, one in enumerate(self.lines):
            rule = (OVER if k == self.foot else "") + (UNDER if k == len(self.lines) - 1 else "")
            if one.what == "group":
                rows.append(
                    f'<tr><th colspan="{len(self.names) + 1}" scope="rowgroup" style="text-align:left;'
                    f'font-weight:normal;font-style:italic">{escape(one.label)}</th></tr>'
                )
                continue
            indent = "padding-left:1.5em;" if self.grouped and one.what == "term" else ""
            cells = "".join(f'<td style="{NUMBER}{rule}">{escape(cell)}</td>' for cell in one.cells)
            rows.append(
                f'<tr><th scope="row" style="text-align:left;font-weight:normal;{indent}{rule}">'
                f"{escape(one.label)}</th>{cells}</tr>"
            )
        title = (
            f'<caption style="text-align:left;font-weight:bold">{escape(self.title)}</caption>'
            if self.title
            else ""
        )
        notes = f"<p><i>Note.</i> {escape(' '.join(self.notes))}</p>" if self.notes else ""
        return (
            f'<table style="border-collapse:collapse;{OVER}">{title}<thead><tr><td style="{UNDER}"></td>{heads}'
            f"</tr></thead><tbody>{''.join(rows)}</tbody></table>{notes}"
        )

    _repr_html_ = to_html

    def to_great_tables(self) -> Any:
        """Return the table as a ``great_tables.GT``, to be styled further.

        Raises
        ------
        MissingDependency
            Without great_tables (extra ``tables``).
        """
        try:
            from great_tables import GT, html
        except ImportError as error:
            raise MissingDependency(
                "to_great_tables() needs great_tables: pip install 'socialstats[tables]'"
            ) from error
        import pandas as pd

        group, rows = "", []
        for one in self.lines:
            group = {"group": one.label, "foot": ""}.get(one.what, group)
            if one.what != "group":
                cells = [
                    cell.replace(", ", ",\u00a0") if one.what == "below" else cell
                    for cell in one.cells
                ]
                rows.append([escape(group), *map(escape, (one.label, *cells))])
        columns = [str(k) for k in range(len(self.names) + 2)]
        frame = pd.DataFrame(rows, columns=columns)
        made = GT(frame, rowname_col="1", groupname_col="0" if self.grouped else None)
        made = made.cols_label(
            {k: html(escape(name)) for k, name in zip(columns[2:], self.names, strict=True)}
        )
        made = made.cols_align("right", columns[2:])
        made = made if self.grouped else made.cols_hide(["0"])
        made = made.tab_header(html(escape(self.title))) if self.title else made
        for note in self.notes:
            made = made.tab_source_note(html(escape(note)))
        return made

    def to_word(self, path: str | Path) -> None:
        """Write the table as a Word file with rules above, below and under its head.

        Parameters
        ----------
        path : str or Path
            A file that exists is replaced only if this function wrote it.

        Raises
        ------
        InputError
            Where something stands that would be lost.
        MissingDependency
            Without python-docx (extra ``tables``).
        """
        try:
            made = word_file(self, WORD.name)
        except ImportError as error:
            raise MissingDependency(
                "to_word() needs python-docx: pip install 'socialstats[tables]'"
            ) from error
        with opened_whole(path, WORD) as file:
            file.write(made)

    def printed_cells(self) -> list[tuple[str, ...]]:
        """Return the cells of all lines but those of groups, the label first."""
        return [(one.label, *one.cells) for one in self.lines if one.what != "group"]

    @property
    def grouped(self) -> bool:
        """Whether terms stand in groups."""
        return any(one.what == "group" for one in self.lines)

    @property
    def foot(self) -> int:
        """Index of the first line of the sizes of the data."""
        return next((k for k, one in enumerate(self.lines) if one.what == "foot"), len(self.lines))


def table(
    results: Result | ResultGroup | Sequence[Result] | Mapping[str, Result],
    *,
    names: Sequence[str] | None = None,
    terms: Sequence[str] | None = None,
    roles: Sequence[Role] = SHOWN,
    below: Below = "interval",
    stars: bool = False,
    level: float | None = None,
    title: str = "",
) -> ResultTable:
    """Return results side by side: one column for each, one line for each term, groups of terms under their names.

    Parameters
    ----------
    results : Result, ResultGroup, sequence or mapping of str to Result
        A mapping and a group bring the names of the columns.
    names : sequence of str, optional
        Names of the columns; those of a sequence are (1), (2), ... by default, and a note says what each is.
    terms : sequence of str, optional
        Terms to show, in this order; by default all, in the order of the results.
    roles : sequence of str
        Roles of the rows to show (`Row.role`); rows without a role are shown too.
    below : {"interval", "std_error", "p_value", "none"}
        What stands below each estimate.
    stars : bool
        Whether p values get stars; adjusted p values where a result has them.
    level : float, optional
        Confidence level of all intervals; by default the one that all results have.
    title : str

    Returns
    -------
    ResultTable
        With ``to_text``, ``to_markdown``, ``to_latex``, ``to_html``, ``to_great_tables``, ``to_word`` and ``tidy``.

    Raises
    ------
    InputError
        If there is no result, a name is given twice, a term or a role is in no result, or levels differ.

    Examples
    --------
    >>> import socialstats as ss
    >>> journals = ss.datasets.journal_citations()
    >>> fits = {"ML": ss.bradley_terry(journals), "Firth": ss.bradley_terry(journals, penalty="firth")}
    >>> print(ss.table(fits, terms=["JASA"]))
                              ML         Firth
    ------------------------------------------
    JASA                    0.31          0.31
                    [0.23, 0.39]  [0.23, 0.39]
    ------------------------------------------
    n of rows              3,727         3,727
    n of items                 4             4
    n of pairs                 6             6
    Log-likelihood     −1,622.89     −1,622.89
    AIC                 3,251.78
    ------------------------------------------
    Below the estimates: 95% CIs. Inference: model-based standard errors.
    Caution on ML and Firth: SS202 few clusters.
    Caution on Firth: SS102 strengths were kept finite by a penalty or prior.
    """
    held = _named(results, names)
    if below not in get_args(Below):
        raise InputError(
            f"below must be one of {quoted(get_args(Below), 9)}, not {shorten(repr(below), 40)}"
        )
    rows = {name: _chosen(one, terms, roles, level) for name, one in held.items()}
    found = {(_group_of(row), row.term) for own in rows.values() for row in own}
    _check_terms(terms, found, held)
    levels = sorted(
        {row.conf_level for own in rows.values() for row in own if row.conf_level is not None}
    )
    if below == "interval" and len(levels) > 1:
        raise InputError(
            f"the intervals have different levels ({listing([as_given(x) for x in levels])}): "
            f"give one with {option('level', 0.95)}"
        )
    undefined: dict[str, str] = {}
    lines = (*_term_lines(rows, terms, below, stars, undefined), *_foot_lines(held))
    numbered = names is None and isinstance(results, Sequence)
    said = "; ".join(f"{name} {one.title}" for name, one in held.items())
    notes = (
        *([f"{said}."] if numbered else []),
        *_notes(held, rows, below, stars, levels, undefined),
    )
    return ResultTable(title=title, names=tuple(held), lines=lines, results=held, notes=notes)


def _named(results: Any, names: Sequence[str] | None) -> dict[str, Result]:
    """Return the results by the names of their columns."""
    found = results.results if isinstance(results, ResultGroup) else results
    found = [found] if isinstance(found, Result) else found
    if not isinstance(found, Mapping | Sequence) or isinstance(found, str) or not found:
        raise InputError(
            "table() takes results: [fit1, fit2], {'first': fit1, 'second': fit2}, or those by a factor"
        )
    held = list(found.values()) if isinstance(found, Mapping) else list(found)
    wrong = [type(one).__name__ for one in held if not isinstance(one, Result)]
    if wrong:
        raise InputError(f"table() takes results, and one of them is {with_article(wrong[0])}")
    given = (
        [*map(str, found)]
        if isinstance(found, Mapping)
        else [f"({k})" for k in range(1, len(held) + 1)]
    )
    given = given if names is None else [str(name) for name in names]
    if len(given) != len(held) or len(set(given)) < len(given):
        raise InputError(
            f"names must be {count(len(held), 'different name')}, one for each result, not {quoted(given, 9)}"
        )
    return dict(zip(given, held, strict=True))


def _chosen(
    result: Result, terms: Sequence[str] | None, roles: Sequence[Role], level: float | None
) -> list[Row]:
    unknown = sorted({*roles} - {*get_args(Role)})
    if unknown:
        raise InputError(
            f"no row has the role {quoted(unknown)}; roles: {listing([*get_args(Role)], 20)}"
        )
    rows = result.rows if level is None else result.rows_at(checked_level(level))
    return [
        row
        for row in rows
        if (row.role is None or row.role in roles) and (terms is None or row.term in terms)
    ]


def _check_terms(
    terms: Sequence[str] | None, found: Iterable[tuple[str, str]], held: Mapping[str, Result]
) -> None:
    known = {term for _, term in found}
    if missing := [term for term in terms or () if term not in known]:
        there = dict.fromkeys(row.term for one in held.values() for row in one.rows)
        raise InputError(f"no result has the term {quoted(missing)}; terms: {quoted([*there], 20)}")
    if not known:
        theirs = sorted({str(row.role) for one in held.values() for row in one.rows if row.role})
        raise InputError(
            f"no row of these results has one of the roles: give {option('roles')} some of theirs, {quoted(theirs, 9)}"
        )


def _group_of(row: Row) -> str:
    return ", ".join(part for part in (row.by, row.group) if part)


def _term_lines(
    rows: Mapping[str, list[Row]],
    terms: Sequence[str] | None,
    below: Below,
    stars: bool,
    undefined: dict[str, str],
) -> Iterable[Line]:
    """Yield the lines of groups and terms: groups in the order in which they are met, and terms within them."""
    cells: dict[str, dict[str, dict[str, Row]]] = {}
    for name, own in rows.items():
        for row in own:
            same = cells.setdefault(_group_of(row), {}).setdefault(row.term, {})
            if name in same:
                raise InputError(
                    f"term '{shorten(row.term)}' stands twice in {name}: choose rows with {option('roles')}"
                )
            same[name] = row
    for group, held in cells.items():
        if len(cells) > 1:
            yield Line("group", group or "All")
        for term in held if terms is None else [term for term in terms if term in held]:
            yield from _pair_of_lines(
                term, [held[term].get(name) for name in rows], below, stars, undefined
            )


def _pair_of_lines(
    term: str, rows: Sequence[Row | None], below: Below, stars: bool, undefined: dict[str, str]
) -> Iterable[Line]:
    """Yield a term's line of estimates and the line below it, with as many decimals in every column."""
    digits = max((row.decimals for row in rows if row is not None), default=2)

    def note(row: Row) -> str:
        repeats, k = divmod(len(undefined), 26)
        letter = undefined.setdefault(
            row.undefined or "no estimate", chr(ord("a") + k) * (1 + repeats)
        )
        return f"{MISSING} ({letter})"

    def estimate(row: Row) -> str:
        return (
            note(row)
            if row.estimate is None
            else number(row.shown(digits=digits)) + (_stars(row) if stars else "")
        )

    def under(row: Row) -> str:
        ends = row.ends(digits)
        if row.estimate is None or (below == "interval" and ends is None):
            return note(row) if row.estimate is not None and row.undefined else ""
        if below == "interval" and ends is not None:
            return brackets(*ends)
        if below == "std_error":
            return "" if row.std_error is None else f"({number(row.shown('std_error', digits))})"
        return "" if _p_of(row) is None else p_value(_p_of(row))

    yield Line("term", term, tuple("" if row is None else estimate(row) for row in rows))
    cells = tuple("" if row is None or below == "none" else under(row) for row in rows)
    if any(cells):
        yield Line("below", "", cells)


def _p_of(row: Row) -> float | None:
    return row.p_value if row.p_adjusted is None else row.p_adjusted


def _stars(row: Row) -> str:
    p = _p_of(row)
    return "" if p is None else next((mark for limit, mark in LEVELS if p < limit), "")


def _foot_lines(held: Mapping[str, Result]) -> Iterable[Line]:
    """Yield the sizes of the data, log-likelihood and AIC, each where some result has it."""
    for what in dict.fromkeys(what for one in held.values() for what in one.counts):
        cells = [one.counts.get(what) for one in held.values()]
        yield Line("foot", f"n of {what}", tuple("" if n is None else number(n, 0) for n in cells))
    for name, label in FIT.items():
        values = [one.fit.get(name) for one in held.values()]
        if any(value is not None for value in values):
            yield Line(
                "foot", label, tuple("" if value is None else number(value, 2) for value in values)
            )


def _notes(
    held: Mapping[str, Result],
    rows: Mapping[str, list[Row]],
    below: Below,
    stars: bool,
    levels: Sequence[float],
    undefined: Mapping[str, str],
) -> Iterable[str]:
    """Yield what the numbers are, why some are missing, and the cautions."""
    what = {
        "interval": f"{level_text(levels[0]) if levels else ''} CIs",
        "std_error": "standard errors",
        "p_value": "p values",
        "none": "",
    }[below]
    ways: dict[str, list[str]] = {}
    for name, one in held.items():
        ways.setdefault(one.inference, []).append(name)
    said = "; ".join(
        f"{way} ({listing(own, most=9)})" if len(ways) > 1 else way
        for way, own in ways.items()
        if way
    )
    if what and said:
        yield f"Below the estimates: {what.strip()}. Inference: {said}."
    if stars or below == "p_value":
        families = sorted(
            {row.family or "" for own in rows.values() for row in own if row.p_adjusted is not None}
        )
        adjusted = (
            "p values are Holm-adjusted where a family is tested."
            if families
            else "p values are unadjusted."
        )
        yield f"{STARS}; {adjusted}" if stars else adjusted[0].upper() + adjusted[1:]
    for reason, letter in undefined.items():
        yield f"({letter}) {reason}."
    cautions: dict[str, dict[str, None]] = {}
    for name, one in held.items():
        for caution in (c for c in one.cautions if c.severity != "info"):
            cautions.setdefault(f"{caution.code} {caution.short}", {})[name] = None
    for text, own in cautions.items():
        yield f"Caution{f' on {listing([*own], most=9)}' if len(held) > 1 else ''}: {text}."


def _is_ours(path: Path) -> bool:
    """Return whether a file is a Word file that `ResultTable.to_word` wrote."""
    try:
        with zipfile.ZipFile(path) as archive:
            return WORD.name.encode() in archive.read("docProps/core.xml")
    except (zipfile.BadZipFile, KeyError, OSError):
        return False
