"""Files of paired comparisons."""

from __future__ import annotations

import os
from typing import Any

from socialstats.designs.comparisons import Comparisons
from socialstats.tables import Format


def read_comparisons(path: str | os.PathLike[str], *, format: Format | None = None, **options: Any) -> Comparisons:
    """Read a file of paired comparisons.

    Parameters
    ----------
    path : str or path
        csv, tsv, jsonl, json or parquet, gzipped or not; ``-`` for standard input.
    format : {"csv", "tsv", "jsonl", "json", "parquet"}, optional
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
