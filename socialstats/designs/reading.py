"""Files of paired comparisons, of pairs and of ratings; which constructor reads a table of them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from socialstats.designs.build import build
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.options import Options
from socialstats.designs.paired import Paired
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError
from socialstats.tables import Format, as_table


def read_comparisons(path: str | os.PathLike[str], *, format: Format | None = None, **options: Any) -> Comparisons:
    """Read a file of paired comparisons.

    Parameters
    ----------
    path : str or path
        csv, tsv, jsonl, json, parquet, feather, Stata, SPSS, .xlsx or .ods, gzipped or not; ``-`` for standard input.
        One of several sheets is named after a colon: ``book.xlsx:Sheet1``.
    format : {"csv", "tsv", "jsonl", "json", "parquet", "feather", "dta", "sav", "xlsx", "ods"}, optional
        By default the suffix decides, then the content.
    **options
        As in `Comparisons.from_frame`; ``wins_a=``, ``wins_b=``, ``ties=`` as in `Comparisons.from_counts`.

    Returns
    -------
    Comparisons

    Raises
    ------
    InputError
        With file lines, up to 20 problems at once.
    NothingToAnalyse
        For files without a usable row.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "choices.csv"
    >>> _ = file.write_text("item_a,item_b,winner\\nnurse,son,nurse\\nson,judge,tie\\n")
    >>> read_comparisons(file).items
    ('judge', 'nurse', 'son')
    """
    return Comparisons.from_file(path, format=format, **options)


def read_paired(path: str | os.PathLike[str], *, format: Format | None = None, **options: Any) -> Paired:
    """Read a file of pairs: the same units under two conditions.

    Parameters
    ----------
    path : str or path
        csv, tsv, jsonl, json, parquet, feather, Stata, SPSS, .xlsx or .ods, gzipped or not; ``-`` for standard input.
        One of several sheets is named after a colon: ``book.xlsx:Sheet1``.
    format : {"csv", "tsv", "jsonl", "json", "parquet", "feather", "dta", "sav", "xlsx", "ods"}, optional
        By default the suffix decides, then the content.
    **options
        As in `Paired.from_frame`; with ``first=`` and ``second=`` as in `Paired.from_wide`.

    Returns
    -------
    Paired

    Raises
    ------
    InputError
        With file lines, up to 20 problems at once.
    NothingToAnalyse
        For files without a usable row.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "answers.csv"
    >>> _ = file.write_text("question,prompt,correct\\n1,new,1\\n1,old,0\\n2,new,1\\n2,old,1\\n")
    >>> read_paired(file, conditions=("new", "old")).difference.mean()
    np.float64(0.5)
    """
    return Paired.from_file(path, format=format, **options)


def read_ratings(path: str | os.PathLike[str], *, format: Format | None = None, **options: Any) -> Ratings:
    """Read a file of ratings: who gave which unit which value.

    Parameters
    ----------
    path : str or path
        csv, tsv, jsonl, json, parquet, feather, Stata, SPSS, .xlsx or .ods, gzipped or not; ``-`` for standard input.
        One of several sheets is named after a colon: ``book.xlsx:Sheet1``.
    format : {"csv", "tsv", "jsonl", "json", "parquet", "feather", "dta", "sav", "xlsx", "ods"}, optional
        By default the suffix decides, then the content.
    **options
        As in `Ratings.from_frame`; with ``raters=`` (their columns) or ``raters_in=`` as in `Ratings.from_wide`, with
        ``columns=`` as in `Ratings.from_counts`.

    Returns
    -------
    Ratings

    Raises
    ------
    InputError
        With file lines, up to 20 problems at once.
    NothingToAnalyse
        For files without a usable row.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "ratings.csv"
    >>> _ = file.write_text("item,judge,rating\\n1,a,low\\n1,b,high\\n2,a,low\\n2,b,low\\n")
    >>> read_ratings(file, levels=["low", "high"]).raters
    ('a', 'b')
    """
    return Ratings.from_file(path, format=format, **options)


def comparisons_of(data: Any, options: Mapping[str, Any]) -> Comparisons:
    """Make comparisons of a table, as `Comparisons.from_frame` or `from_counts` does.

    Raises
    ------
    InputError
        For a column of winners beside columns of counts, and as the constructors.
    """
    design = build(as_table(data), Options(**options))
    unused = [
        name for name in ("winner", "wins_a", "wins_b", "ties") if options.get(name) and name not in design.columns
    ]
    if unused:
        read = ", ".join(f"{name}={design.columns[name]!r}" for name in ("winner", "wins_a") if name in design.columns)
        raise InputError(
            f"{design.source}: {unused[0]}={options[unused[0]]!r} does not go with {read}: a table has one row per "
            "comparison and winner=, or counts and wins_a=, wins_b=, ties=. Leave one of them out"
        )
    return design


def paired_of(data: Any, options: Mapping[str, Any]) -> Paired:
    """Make pairs of a table by the constructor of `Paired` whose keywords are given.

    Raises
    ------
    InputError
        For columns of two layouts at once, and as the constructors.

    Examples
    --------
    >>> paired_of({"before": [3, 4], "after": [5, 4]}, {"first": "after", "second": "before"}).difference.tolist()
    [0.0, 2.0]
    """
    wide = [name for name in ("first", "second") if name in options]
    if len(wide) == 1:
        raise InputError(f"{wide[0]}={options[wide[0]]!r}: name both columns, first= and second=; differences are the "
                         "first minus the second")  # fmt: skip
    long = [name for name in ("condition", "value", "conditions") if options.get(name) is not None]
    if wide and long:
        raise InputError(
            f"{wide[0]}= names a column of a table with one row per unit, {long[0]}= belongs to a table with one row "
            f"per unit and condition. Leave {long[0]}= out, or name unit=, condition= and value="
        )
    return Paired.from_wide(data, **options) if wide else Paired.from_frame(data, **options)


def ratings_of(data: Any, options: Mapping[str, Any]) -> Ratings:
    """Make ratings of a table by the constructor of `Ratings` whose keywords are given.

    Raises
    ------
    InputError
        For columns of two layouts at once, and as the constructors.

    Examples
    --------
    >>> ratings_of({"ann": [1, 2, 3], "bob": [1, 2, 2]}, {"raters": ["ann", "bob"]}).raters
    ('ann', 'bob')
    """
    if "columns" in options:
        return Ratings.from_counts(data, **options)
    if not {"raters", "units", "raters_in"} & set(options):
        return Ratings.from_frame(data, **options)
    if options.get("value") is not None:
        raise InputError(
            f"value={options['value']!r} names the column of values where each row is one rating; raters= and units= "
            "name several columns of values. Leave one of them out"
        )
    return Ratings.from_wide(data, **{"raters_in": "rows" if "units" in options else "columns", **options})
