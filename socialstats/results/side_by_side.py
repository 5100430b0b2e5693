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
    listing,
    number,
    p_value,
    percent_of,
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
# ranks, tests and sizes of the data have numbers in other units, and are shown when asked for
ROLES: tuple[Role, ...] = ("estimate", "difference", "effect_size")
# facts of a fit that have a line, and its label
FIT = {"loglik": "Log-likelihood", "aic": "AIC"}
LEVELS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
# styles of cells in HTML: a rule above or below, and numbers
OVER = "border-top:1px solid;"
UNDER = "border-bottom:1px solid;"
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

        frames: list[pd.DataFrame] = [
            result.tidy(all=True).assign(result=name) for name, result in self.results.items()
        ]
        # all columns first, so that those of the results agree; then the ones that hold a value
        frame = pd.concat(frames, ignore_index=True)
        return frame[[name for name in frame if name == "estimate" or frame[name].notna().any()]]

    def to_text(self) -> str:
        """Return the table as aligned text."""
        indent = "  " if self.grouped else ""
        grid = [(indent * (line.what == "term") + line.label, *line.cells) for line in self.lines]
        grid.insert(0, ("", *self.names))
        widths = [
            max(len(line[k]) for line in grid if k < len(line)) for k in range(len(self.names) + 1)
        ]
        cells = [[c.rjust(w) for c, w in zip(line[1:], widths[1:], strict=False)] for line in grid]
        printed = [
            "  ".join([line[0].ljust(widths[0]), *numbers])
            for line, numbers in zip(grid, cells, strict=True)
        ]
        rule = "-" * (sum(widths) + 2 * len(self.names))
        foot = self.foot + 1
        terms = printed[1:foot]
        sizes = printed[foot:]
        body = [printed[0], rule, *terms, *([rule] if sizes else []), *sizes, rule]
        title = [self.title] if self.title else []
        return "\n".join([*title, *(line.rstrip() for line in body), *self.notes])

    def to_markdown(self) -> str:
        """Return the table in Markdown; groups stand in bold."""
        n = len(self.names)
        body = [["", *(escaped(name, sys.maxsize) for name in self.names)], [":--", *["--:"] * n]]
        for line in self.lines:
            label = escaped(line.label, sys.maxsize)
            label = f"**{label}**" if line.what == "group" else label
            # a line of a group has no cells of its own
            cells = [escaped(cell, sys.maxsize) for cell in line.cells] or [""] * n
            body.append([label, *cells])
        text = "\n".join(f"| {' | '.join(cells)} |" for cells in body)
        title = [f"**{escaped(self.title)}**"] if self.title else []
        return "\n\n".join([*title, text, *(escaped(note, sys.maxsize) for note in self.notes)])

    def to_latex(self) -> str:
        r"""Return a LaTeX table with the rules of package booktabs; with a title it is a float that has a caption."""
        # a group's heading is LaTeX that stands before its first line of cells
        n_columns = len(self.names) + 1
        group = ""
        before = []
        for k, line in enumerate(self.lines):
            group += "\\midrule\n" if k == self.foot else ""
            if line.what == "group":
                group += (
                    rf"\multicolumn{{{n_columns}}}{{l}}{{\textit{{{latex_escaped(line.label)}}}}} \\"
                    + "\n"
                )
                continue
            before.append(group + (r"\quad " if line.what == "term" and self.grouped else ""))
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
        for k, line in enumerate(self.lines):
            rule = (OVER if k == self.foot else "") + (UNDER if k == len(self.lines) - 1 else "")
            if line.what == "group":
                rows.append(
                    f'<tr><th colspan="{len(self.names) + 1}" scope="rowgroup" style="text-align:left;'
                    f'font-weight:normal;font-style:italic">{escape(line.label)}</th></tr>'
                )
                continue
            indent = "padding-left:1.5em;" if self.grouped and line.what == "term" else ""
            cells = "".join(
                f'<td style="{NUMBER}{rule}">{escape(cell)}</td>' for cell in line.cells
            )
            rows.append(
                f'<tr><th scope="row" style="text-align:left;font-weight:normal;{indent}{rule}">'
                f"{escape(line.label)}</th>{cells}</tr>"
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

        group = ""
        rows = []
        for line in self.lines:
            group = {"group": line.label, "foot": ""}.get(line.what, group)
            if line.what != "group":
                # intervals are not broken after their comma
                cells = [
                    cell.replace(", ", ",\u00a0") if line.what == "below" else cell
                    for cell in line.cells
                ]
                rows.append([escape(group), *map(escape, (line.label, *cells))])
        columns = [str(k) for k in range(len(self.names) + 2)]
        frame = pd.DataFrame(rows, columns=columns)
        gt = GT(frame, rowname_col="1", groupname_col="0" if self.grouped else None)
        gt = gt.cols_label(
            {k: html(escape(name)) for k, name in zip(columns[2:], self.names, strict=True)}
        )
        gt = gt.cols_align("right", columns[2:])
        gt = gt if self.grouped else gt.cols_hide(["0"])
        gt = gt.tab_header(html(escape(self.title))) if self.title else gt
        for note in self.notes:
            gt = gt.tab_source_note(html(escape(note)))
        return gt

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
            content = word_file(self, WORD.name)
        except ImportError as error:
            raise MissingDependency(
                "to_word() needs python-docx: pip install 'socialstats[tables]'"
            ) from error
        with opened_whole(path, WORD) as file:
            file.write(content)

    def printed_cells(self) -> list[tuple[str, ...]]:
        """Return the cells of all lines but those of groups, the label first."""
        return [(line.label, *line.cells) for line in self.lines if line.what != "group"]

    @property
    def grouped(self) -> bool:
        """Whether terms stand in groups."""
        return any(line.what == "group" for line in self.lines)

    @property
    def foot(self) -> int:
        """Index of the first line of the sizes of the data."""
        return next(
            (k for k, line in enumerate(self.lines) if line.what == "foot"), len(self.lines)
        )


def table(
    results: Result | ResultGroup | Sequence[Result] | Mapping[str, Result],
    *,
    names: Sequence[str] | None = None,
    terms: Sequence[str] | None = None,
    roles: Sequence[Role] = ROLES,
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
    by_name = _results_by_name(results, names)
    if below not in get_args(Below):
        raise InputError(
            f"below must be one of {quoted(get_args(Below), 9)}, not {shorten(repr(below), 40)}"
        )
    rows = {name: _select_rows(result, terms, roles, level) for name, result in by_name.items()}
    selected_rows = [row for selected in rows.values() for row in selected]
    _check_terms(terms, {(_group_name(row), row.term) for row in selected_rows}, by_name)
    # intervals of different levels below each other would be misread
    levels = sorted({row.conf_level for row in selected_rows if row.conf_level is not None})
    if below == "interval" and len(levels) > 1:
        raise InputError(
            f"the intervals have different levels ({listing([as_given(x) for x in levels])}): "
            f"give one with {option('level', 0.95)}"
        )
    undefined: dict[str, str] = {}
    lines = (*_term_lines(rows, terms, below, stars, undefined), *_foot_lines(by_name))
    unnamed = names is None and isinstance(results, Sequence)
    titles = "; ".join(f"{name} {result.title}" for name, result in by_name.items())
    notes = (
        *([f"{titles}."] if unnamed else []),
        *_note_lines(by_name, rows, below, stars, levels, undefined),
    )
    return ResultTable(title=title, names=tuple(by_name), lines=lines, results=by_name, notes=notes)


def _results_by_name(results: Any, names: Sequence[str] | None) -> dict[str, Result]:
    """Return the results by the names of their columns."""
    collection = results.results if isinstance(results, ResultGroup) else results
    collection = [collection] if isinstance(collection, Result) else collection
    if (
        not isinstance(collection, Mapping | Sequence)
        or isinstance(collection, str)
        or not collection
    ):
        raise InputError(
            "table() takes results: [fit1, fit2], {'first': fit1, 'second': fit2}, or those by a factor"
        )
    chosen = list(collection.values()) if isinstance(collection, Mapping) else list(collection)
    wrong = [type(result).__name__ for result in chosen if not isinstance(result, Result)]
    if wrong:
        raise InputError(f"table() takes results, and one of them is {with_article(wrong[0])}")
    if names is not None:
        labels = [str(name) for name in names]
    elif isinstance(collection, Mapping):
        labels = [*map(str, collection)]
    else:
        labels = [f"({k})" for k in range(1, len(chosen) + 1)]
    if len(labels) != len(chosen) or len(set(labels)) < len(labels):
        raise InputError(
            f"names must be {count(len(chosen), 'different name')}, one for each result, not {quoted(labels, 9)}"
        )
    return dict(zip(labels, chosen, strict=True))


def _select_rows(
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
    terms: Sequence[str] | None,
    groups_and_terms: Iterable[tuple[str, str]],
    by_name: Mapping[str, Result],
) -> None:
    present = {term for _, term in groups_and_terms}
    if missing := [term for term in terms or () if term not in present]:
        terms_of_results = dict.fromkeys(
            row.term for result in by_name.values() for row in result.rows
        )
        raise InputError(
            f"no result has the term {quoted(missing)}; terms: {quoted([*terms_of_results], 20)}"
        )
    if not present:
        roles = {row.role for result in by_name.values() for row in result.rows}
        existing = quoted(sorted(str(role) for role in roles if role), 9)
        raise InputError(
            f"no row of these results has one of the roles: give {option('roles')} some of theirs, {existing}"
        )


def _group_name(row: Row) -> str:
    return ", ".join(part for part in (row.by, row.group) if part)


def _term_lines(
    rows: Mapping[str, list[Row]],
    terms: Sequence[str] | None,
    below: Below,
    stars: bool,
    undefined: dict[str, str],
) -> Iterable[Line]:
    """Yield the lines of groups and terms: groups in the order in which they are met, and terms within them."""
    # group -> term -> name of the column -> row
    cells: dict[str, dict[str, dict[str, Row]]] = {}
    for name, selected in rows.items():
        for row in selected:
            by_column = cells.setdefault(_group_name(row), {}).setdefault(row.term, {})
            if name in by_column:
                raise InputError(
                    f"term '{shorten(row.term)}' stands twice in {name}: choose rows with {option('roles')}"
                )
            by_column[name] = row
    for group, rows_of_term in cells.items():
        if len(cells) > 1:
            yield Line("group", group or "All")
        order = rows_of_term if terms is None else [t for t in terms if t in rows_of_term]
        for term in order:
            yield from _lines_of_term(
                term, [rows_of_term[term].get(name) for name in rows], below, stars, undefined
            )


def _lines_of_term(
    term: str, rows: Sequence[Row | None], below: Below, stars: bool, undefined: dict[str, str]
) -> Iterable[Line]:
    """Yield a term's line of estimates and the line below it, with as many decimals in every column."""
    # one term has the same decimals for all results, those of the most precise one
    digits = max((row.decimals for row in rows if row is not None), default=2)

    def footnote_mark(row: Row) -> str:
        # a, b, ..., z, aa, bb, ...
        repeats, k = divmod(len(undefined), 26)
        letter = undefined.setdefault(
            row.undefined or "no estimate", chr(ord("a") + k) * (1 + repeats)
        )
        return f"{MISSING} ({letter})"

    def estimate_text(row: Row) -> str:
        if row.estimate is None:
            return footnote_mark(row)
        return number(row.shown(digits=digits)) + (_stars(row) if stars else "")

    def text_below(row: Row) -> str:
        ends = row.ends(digits)
        # an estimate without an interval has the letter of its reason below it
        if row.estimate is None or (below == "interval" and ends is None):
            return footnote_mark(row) if row.estimate is not None and row.undefined else ""
        if below == "interval" and ends is not None:
            return brackets(*ends)
        if below == "std_error":
            return "" if row.std_error is None else f"({number(row.shown('std_error', digits))})"
        p = _tested_p(row)
        return "" if p is None else p_value(p)

    yield Line("term", term, tuple("" if row is None else estimate_text(row) for row in rows))
    cells = tuple("" if row is None or below == "none" else text_below(row) for row in rows)
    if any(cells):
        yield Line("below", "", cells)


def _tested_p(row: Row) -> float | None:
    return row.p_value if row.p_adjusted is None else row.p_adjusted


def _stars(row: Row) -> str:
    p = _tested_p(row)
    return "" if p is None else next((mark for limit, mark in LEVELS if p < limit), "")


def _foot_lines(by_name: Mapping[str, Result]) -> Iterable[Line]:
    """Yield the sizes of the data, log-likelihood and AIC, each where some result has it."""
    for what in dict.fromkeys(what for result in by_name.values() for what in result.counts):
        cells = [result.counts.get(what) for result in by_name.values()]
        yield Line("foot", f"n of {what}", tuple("" if n is None else number(n, 0) for n in cells))
    for name, label in FIT.items():
        values = [result.fit.get(name) for result in by_name.values()]
        if any(value is not None for value in values):
            yield Line(
                "foot", label, tuple("" if value is None else number(value, 2) for value in values)
            )


def _note_lines(
    by_name: Mapping[str, Result],
    rows: Mapping[str, list[Row]],
    below: Below,
    stars: bool,
    levels: Sequence[float],
    undefined: Mapping[str, str],
) -> Iterable[str]:
    """Yield what the numbers are, why some are missing, and the cautions."""
    what = {
        "interval": f"{percent_of(levels[0]) if levels else ''} CIs",
        "std_error": "standard errors",
        "p_value": "p values",
        "none": "",
    }[below]
    ways: dict[str, list[str]] = {}
    for name, result in by_name.items():
        ways.setdefault(result.inference, []).append(name)
    inference = "; ".join(
        f"{way} ({listing(columns, most=9)})" if len(ways) > 1 else way
        for way, columns in ways.items()
        if way
    )
    if what and inference:
        yield f"Below the estimates: {what.strip()}. Inference: {inference}."
    if stars or below == "p_value":
        is_adjusted = any(
            row.p_adjusted is not None for selected in rows.values() for row in selected
        )
        adjusted = "Holm-adjusted where a family is tested" if is_adjusted else "unadjusted"
        yield f"{STARS}; p values are {adjusted}." if stars else f"P values are {adjusted}."
    for reason, letter in undefined.items():
        yield f"({letter}) {reason}."
    cautions: dict[str, dict[str, None]] = {}
    # a caution that several results have is printed once, with their names
    for name, result in by_name.items():
        for caution in (c for c in result.cautions if c.severity != "info"):
            cautions.setdefault(f"{caution.code} {caution.short}", {})[name] = None
    for text, columns in cautions.items():
        where = f" on {listing([*columns], most=9)}" if len(by_name) > 1 else ""
        yield f"Caution{where}: {text}."


def _is_ours(path: Path) -> bool:
    """Return whether a file is a Word file that `ResultTable.to_word` wrote."""
    # a Word file is a zip archive, whose properties hold the comment that `word_file` writes
    try:
        with zipfile.ZipFile(path) as archive:
            return WORD.name.encode() in archive.read("docProps/core.xml")
    except (zipfile.BadZipFile, KeyError, OSError):
        return False
