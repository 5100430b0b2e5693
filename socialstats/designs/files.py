"""Files read as designs, by keywords or by a formula."""

from __future__ import annotations

from typing import Any

from socialstats.designs.calls import TableLike, open_table, takes_formula
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.groups import Groups
from socialstats.designs.paired import Paired
from socialstats.designs.ratings import Ratings
from socialstats.tables import Format


@takes_formula(Comparisons)
def read_comparisons(
    path: TableLike, *, format: Format | None = None, encoding: str | None = None, **options: Any
) -> Comparisons:
    """Read a file of paired comparisons.

    {file}
    **options
        As in `Comparisons.from_frame`; ``wins_a=``, ``wins_b=``, ``ties=`` as in `Comparisons.from_counts`;
        ``ranks=`` as in `Comparisons.from_ranks`.

    Returns
    -------
    Comparisons

    Raises
    ------
    InputError
        With file lines, up to 20 problems at once.
    NothingToAnalyse
        For files without a usable row.

    Notes
    -----
    A formula names the columns as well: ``read_comparisons("winner ~ 1 | judge", table)``. The winner is left; wins of
    both sides are ``wins_a + wins_b ~ 1``. Models have covariates of the sides on the right. {clusters}
    Other columns are terms called like the keyword: ``order(first)``. Every metric of comparisons takes the same
    formula; docs/formulas.md has the grammar.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "choices.csv"
    >>> _ = file.write_text("item_a,item_b,winner\\nnurse,son,nurse\\nson,judge,tie\\n")
    >>> read_comparisons(file).items
    ('judge', 'nurse', 'son')
    """
    return Comparisons.from_keywords(open_table(path, format, encoding), options)


@takes_formula(Paired)
def read_paired(
    path: TableLike, *, format: Format | None = None, encoding: str | None = None, **options: Any
) -> Paired:
    """Read a file of pairs: the same units under two conditions.

    {file}
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

    Notes
    -----
    A formula names the columns as well: ``read_paired("answer ~ condition + unit(question) | scenario", table)``. The
    value is left, the condition right; a table with one row per unit has ``after + before ~ 1``. {clusters}
    Other columns are terms called like the keyword: ``by(model)``. Every metric of pairs takes the same formula;
    docs/formulas.md has the grammar.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "answers.csv"
    >>> _ = file.write_text("question,prompt,correct\\n1,new,1\\n1,old,0\\n2,new,1\\n2,old,1\\n")
    >>> read_paired(file, conditions=("new", "old")).difference.mean()
    np.float64(0.5)
    """
    return Paired.from_keywords(open_table(path, format, encoding), options)


@takes_formula(Groups)
def read_groups(
    path: TableLike, *, format: Format | None = None, encoding: str | None = None, **options: Any
) -> Groups:
    """Read a file of two independent groups: different units under two conditions.

    {file}
    **options
        As in `Groups.from_frame`. Two vectors: `Groups.from_samples`; counts: `Groups.from_table`.

    Returns
    -------
    Groups

    Raises
    ------
    InputError
        With file lines, up to 20 problems at once; also for units that are in both groups.
    NothingToAnalyse
        For files in which a group has no usable row.

    Notes
    -----
    A formula names the columns as well: ``read_groups("score ~ arm | class", table)``. The value is left, the group
    right. {clusters}
    Other columns are terms called like the keyword: ``unit(person)``. Every metric of groups takes the same formula;
    docs/formulas.md has the grammar.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "trial.csv"
    >>> _ = file.write_text("person,arm,score\\n1,drug,4\\n2,drug,6\\n3,placebo,3\\n4,placebo,5\\n")
    >>> read_groups(file).n_units
    (2, 2)
    """
    return Groups.from_frame(open_table(path, format, encoding), **options)


@takes_formula(Ratings)
def read_ratings(
    path: TableLike, *, format: Format | None = None, encoding: str | None = None, **options: Any
) -> Ratings:
    """Read a file of ratings: who gave which unit which value.

    {file}
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

    Notes
    -----
    A formula names the columns as well: ``read_ratings("rating ~ judge + unit(item) | story", table)``. The value is
    left, the rater right; raters with a column each are ``ann + bob ~ 1``. {clusters}
    Other columns are terms called like the keyword: ``strata(domain)``. Every metric of ratings takes the same formula;
    docs/formulas.md has the grammar.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "ratings.csv"
    >>> _ = file.write_text("item,judge,rating\\n1,a,low\\n1,b,high\\n2,a,low\\n2,b,low\\n")
    >>> read_ratings(file, levels=["low", "high"]).raters
    ('a', 'b')
    """
    return Ratings.from_keywords(open_table(path, format, encoding), options)
