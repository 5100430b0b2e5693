"""Several labels a unit: what each unit cites, from a text column of lists or from one row per label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray, IntArray, unique_rows
from socialstats.designs.aliases import Levels, Names, NaTexts, Texts
from socialstats.designs.cells import totals
from socialstats.designs.options import texts
from socialstats.designs.parts import Factor, FlowStep, Read, named_factors
from socialstats.designs.rows import FILL, Rows, begin
from socialstats.designs.schema import NAMING, NEEDED, Finder, Roles, plain_parts
from socialstats.designs.suspects import label_cautions
from socialstats.errors import DesignError, InputError, NothingToAnalyse, caution
from socialstats.tables import as_table, missing_labels
from socialstats.text import count as counted
from socialstats.text import quoted
from socialstats.voice import option

__all__ = ["LabelLists"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class LabelLists(Read):
    """Units and the labels they cite, alike units counted together.

    Attributes
    ----------
    labels : tuple of str
        Sorted by code point.
    cited : (cells, labels) float64 array
        1 where the units of a cell cite the label.
    count : (cells,) float64 array
        Units in the cell.
    group : Factor or None
        Codes run over the cells, as those of `clusters`.
    clusters : tuple of Factor
    flow, source, columns, cautions
        As in `Comparisons`.

    Examples
    --------
    >>> import socialstats as ss
    >>> lists = ss.LabelLists.from_frame({"values": ["care, honesty", "care"]}, labels="values", sep=", ")
    >>> lists.labels, lists.cited.tolist()
    (('care', 'honesty'), [[1.0, 0.0], [1.0, 1.0]])
    """

    labels: Levels
    cited: FloatArray
    count: FloatArray
    group: Factor | None = None
    columns: Levels = ()

    def __repr__(self) -> str:
        cites = int(self.count @ self.cited.sum(axis=1))
        return f"<LabelLists: {counted(int(self.count.sum()), 'unit')}, {counted(cites, 'label')} cited>"

    def factors(self, names: Names | None = "declared") -> tuple[Factor, ...]:
        """Return the cluster factors by name; as `Comparisons.factors`."""
        return named_factors(self.clusters, None, names)

    def declared(self, levels: Texts) -> LabelLists:
        """Return the same lists with every label that could be cited, in this order.

        Raises
        ------
        InputError
            For a label that is cited and not among them, or one named twice.
        """
        named_levels = tuple(map(str, texts(levels)))
        if lost := [name for name in self.labels if name not in named_levels]:
            raise InputError(
                f"{self.source}: {quoted(lost, 10)} cited, and not among {option('levels', list(named_levels))}"
            )
        if not isinstance(levels, str) and len(named_levels) < len(levels):
            raise InputError(f"{option('levels', list(levels))}: name each label once")
        cited = np.zeros((len(self.count), len(named_levels)))
        cited[:, [named_levels.index(name) for name in self.labels]] = self.cited
        return replace(self, labels=named_levels, cited=cited)

    @classmethod
    def from_frame(
        cls,
        data: Any,
        *,
        labels: str,
        unit: str | None = None,
        sep: str | None = None,
        group: str | None = None,
        cluster: Names = (),
        na: NaTexts = (),
        source: str = "data frame",
    ) -> LabelLists:
        """Read lists of labels.

        Parameters
        ----------
        data : data frame, mapping of columns, or Table
        labels : str
            Column of the labels.
        unit : str, optional
            Column that names the unit; needed without `sep`, else each row is a unit.
        sep : str, optional
            A row holds all labels of its unit, with this text between them. None: one label per row.
        group : str, optional
            Column whose levels are compared; it belongs to the unit.
        cluster : str or sequence of str
            Columns whose units are not independent of each other.
        na : str or sequence of str
            Texts that mean that no label was cited. An empty field means so too.
        source : str

        Raises
        ------
        DesignError, InputError, NothingToAnalyse

        Examples
        --------
        >>> lists = LabelLists.from_frame({"cites": ["care; duty", "care", ""]}, labels="cites", sep=";")
        >>> lists.labels, (lists.count @ lists.cited).tolist(), float(lists.count.sum())
        (('care', 'duty'), [2.0, 1.0], 3.0)
        """
        if sep is not None and not str(sep).strip():
            raise InputError(
                f"{option('sep', sep)}: labels are trimmed, so that white space cannot separate them"
            )
        if sep is None and unit is None:
            raise DesignError(
                f"say which column names the unit ({option('unit')}), or what separates the labels of a "
                f"row ({option('sep')})"
            )
        table = as_table(data, source)
        finder = Finder(table)
        roles = finder.roles(PARTS, labels=labels, unit=unit, group=group, cluster=cluster)
        if labels in roles.of("cluster"):
            finder.miss(
                "cluster", f"labels and cluster are the same column '{labels}'", ["cluster"]
            )
        finder.finish()
        rows = begin(table, roles.columns(), missing_labels(na), roles.of(*NAMING))
        rows.set_missing_aside(roles.of(*NEEDED), drop=False, fix=FILL)
        if sep is not None and unit is not None:
            cure = (
                f"A row holds a whole unit here; with one label per row leave {option('sep')} out"
            )
            rows.refuse_repeats([unit], cure)
        elif unit is not None:
            rows.refuse_several(roles, ["unit"])
        rows.raise_if_any()
        return lists_of_units(rows, roles, sep)


PARTS = plain_parts("labels:value unit group cluster")


def lists_of_units(rows: Rows, roles: Roles, sep: str | None) -> LabelLists:
    """Turn rows into units with their labels, and count alike units together."""
    column = roles["labels"]
    unit = roles["unit"]
    index = np.flatnonzero(rows.use)
    coded = rows.labels(column)
    # the last one: no label
    lists = [split(text, sep) for text in coded.levels] + [[]]
    names, cited = cited_labels(lists, coded.codes[index])
    if not names:
        raise NothingToAnalyse(f"{rows.table.source}: no unit cites a label")
    repeats = sum(len(labels) - len({*labels}) for labels in lists)
    at = index
    times = rows.n[index]
    if sep is None:
        key = rows.key([unit])[index]
        _, first, dense = np.unique(key, return_index=True, return_inverse=True)
        sums = np.zeros((len(first), len(names)))
        np.add.at(sums, dense, cited * times[:, None])
        repeats = int((sums - (sums > 0)).sum())
        cited = (sums > 0).astype(np.float64)
        at = index[first]
        times = np.ones(len(first))
    factors = rows.factors((*roles.of("group"), *roles.of("cluster")), at)
    detail = f"{counted(repeats, 'label')} cited more than once by a unit, counted once"
    notes = [caution("SS301", detail, affects="counts of labels")] if repeats else []
    lists_of = LabelLists(
        labels=names,
        cited=cited,
        count=times,
        flow=(*rows.flow, FlowStep(label="units analysed", rows=int(times.sum()))),
        source=rows.table.source,
        columns=tuple(roles.of("value", "unit")),
        cautions=(*notes, *label_cautions({"labels": names})),
    )
    return count_alike_units(lists_of, factors, grouped=bool(roles["group"]))


def cited_labels(lists: Sequence[Texts], codes: IntArray) -> tuple[Levels, FloatArray]:
    """Return the labels that units cite, and which of them each unit does.

    Parameters
    ----------
    lists : sequence of sequence of str
    codes : (units,) int64 array
        The list of each unit.

    Returns
    -------
    labels : tuple of str
    cited : (units, labels) float64 array

    Examples
    --------
    >>> labels, cited = cited_labels([["care", "duty"], [], ["order"]], np.array([1, 0]))
    >>> labels, cited.tolist()
    (('care', 'duty'), [[0.0, 0.0], [1.0, 1.0]])
    """
    labels = tuple(sorted({label for k in np.unique(codes).tolist() for label in lists[k]}))
    place = {label: k for k, label in enumerate(labels)}
    marks = np.zeros((len(lists), len(labels)))
    for k, held in enumerate(lists):
        marks[k, [place[label] for label in held if label in place]] = 1.0
    return labels, marks[codes]


def split(text: str, sep: str | None) -> list[str]:
    """Return the labels of a text: trimmed, without empty ones.

    Examples
    --------
    >>> split("care; duty;;care ", ";")
    ['care', 'duty', 'care']
    """
    parts = [text] if sep is None else text.split(sep)
    return [part.strip() for part in parts if part.strip()]


def count_alike_units(lists: LabelLists, factors: Sequence[Factor], *, grouped: bool) -> LabelLists:
    """Count units with the same labels, group and clusters together."""
    _, first, cell = unique_rows(
        np.column_stack([*(factor.codes for factor in factors), lists.cited])
    )
    labels_in_use = [replace(factor, codes=factor.codes[first], mixed=()) for factor in factors]
    return replace(
        lists,
        cited=lists.cited[first],
        count=totals(cell, lists.count, len(first)),
        group=labels_in_use[0] if grouped else None,
        clusters=tuple(labels_in_use[1:] if grouped else labels_in_use),
    )
