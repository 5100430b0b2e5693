"""What the rows of a comparison table cite, by the item that was chosen: from cells to label lists."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from socialstats.designs.comparisons import Comparisons
from socialstats.designs.label_lists import LabelLists, cited_labels, count_alike_units, split
from socialstats.designs.parts import A_WON, TIED, Factor
from socialstats.designs.suspects import label_cautions
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.text import quoted
from socialstats.voice import option

SEPARATORS = (";", "|", ",")
# the ten values of Schwartz (1992), which stories of the role-conflict study cite
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

__all__ = ["SCHWARTZ", "SEPARATORS", "ChosenLabels", "chosen_labels"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenLabels:
    """Labels cited by the rows that chose an item.

    Attributes
    ----------
    lists : LabelLists
        Units are rows; `group` is the group of the chosen item.
    sep : str
        What separated the labels of a row; empty where no row cites several.
    ties : int
        Rows without a chosen item, which are left out.
    """

    lists: LabelLists
    sep: str
    ties: int


def chosen_labels(
    design: Comparisons, group: str, *, sep: str | None = None, cluster: Any = None
) -> ChosenLabels:
    """Return the labels that each row cites, grouped by a covariate of the item that the row chose.

    Parameters
    ----------
    design : Comparisons
        With `cited`.
    group : str
        Covariate with one value each side, such as the domain of the role.
    sep : str, optional
        What stands between the labels of a row; by default the first of ``;``, ``|`` and ``,`` that any row has.
    cluster : str, sequence of str or None
        As in `Comparisons.factors`.

    Raises
    ------
    InputError
        If the design cites no labels, or has no such covariate.
    NothingToAnalyse
        If no row with a chosen item cites a label.

    Examples
    --------
    >>> rows = {"item_a": ["son", "son"], "item_b": ["judge", "judge"], "winner": ["son", "judge"],
    ...         "kind_a": ["family"] * 2, "kind_b": ["work"] * 2, "values": ["care;duty", "duty"]}
    >>> found = chosen_labels(Comparisons.from_frame(rows), "kind")
    >>> found.lists.labels, found.lists.group.levels
    (('care', 'duty'), ('family', 'work'))
    """
    if design.cited is None:
        raise InputError(
            f"no column of cited labels: name it with {option('values', 'COLUMN', '--map values=COLUMN')}"
        )
    if group not in design.covariates:
        raise InputError(
            f"no covariate '{group}'; covariates: {quoted(list(design.covariates)) or 'none'}"
        )
    texts = design.cited.levels
    separator = sep or next(
        (mark for mark in SEPARATORS if any(mark in text for text in texts)), ""
    )
    lists = [split(text, separator or None) for text in texts]
    chosen = np.flatnonzero(design.outcome != TIED)
    names, cited = cited_labels(lists, design.cited.codes[chosen])
    if not names:
        raise NothingToAnalyse(f"{design.source}: no row with a chosen item cites a label")
    sides = design.covariates[group]
    values = [
        str(value) for value in np.where(design.outcome == A_WON, sides.a, sides.b)[chosen].tolist()
    ]
    levels, codes = np.unique(values, return_inverse=True)
    factors = [
        Factor(name=f"{group} chosen", codes=codes.astype(np.int64), levels=tuple(levels.tolist()))
    ]
    factors += [
        replace(factor, codes=factor.codes[chosen], mixed=()) for factor in design.factors(cluster)
    ]
    base = LabelLists(
        labels=names,
        cited=cited,
        count=design.count[chosen],
        source=design.source,
        columns=(design.cited.name,),
        cautions=tuple(label_cautions({"labels": names})),
    )
    return ChosenLabels(
        lists=count_alike_units(base, factors, grouped=True), sep=separator, ties=design.n_ties
    )
