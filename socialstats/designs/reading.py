"""Files of paired comparisons, of pairs and of ratings."""

from __future__ import annotations

import os
from typing import Any

from socialstats.designs.comparisons import Comparisons
from socialstats.designs.paired import Paired
from socialstats.designs.ratings import Ratings
from socialstats.tables import Format


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
        As in `Paired.from_frame`; with ``first=`` and ``second=`` as in `Paired.from_wide`, with ``count=`` as in
        `Paired.from_counts`.

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
        As in `Ratings.from_frame`; with ``raters_in=`` as in `Ratings.from_wide`, with ``columns=`` as in
        `Ratings.from_counts`.

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
