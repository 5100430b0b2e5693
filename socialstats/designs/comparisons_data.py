"""The cells of paired comparisons: items, who won, factors of the rows; parts of them and several together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar

import numpy as np

from socialstats.arrays import AnyArray, BoolArray, FloatArray, IntArray
from socialstats.designs.aliases import (
    Fields,
    Levels,
    Names,
    Texts,
)
from socialstats.designs.cells import group, totals
from socialstats.designs.parts import (
    A_WON,
    B_WON,
    TIED,
    Covariate,
    Coverage,
    Design,
    Factor,
    FlowStep,
    Replies,
    StatusArray,
    named_factors,
    rename_labels,
    stack_factors,
    taken,
    taken_fields,
)
from socialstats.designs.scan import Scan, Spool
from socialstats.errors import DesignError, InputError, NothingToAnalyse
from socialstats.text import count, listing, quoted, shorten

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ComparisonsData(Design):
    """Paired comparisons, as cells; `Comparisons` documents the fields."""

    kind: ClassVar[Literal["comparisons"]] = "comparisons"
    items: Levels
    item_a: IntArray
    item_b: IntArray
    outcome: StatusArray
    first: StatusArray
    order_known: bool
    count: FloatArray
    weight: FloatArray
    weight_sq: FloatArray
    covariates: Mapping[str, Covariate] = field(default_factory=dict)
    weighted: bool = False
    ties_possible: bool = True
    cited: Factor | None = None
    refused: ComparisonsData | None = None
    unread: ComparisonsData | None = None
    replies: Replies | None = None
    scan: Scan | None = None

    def __repr__(self) -> str:
        parts = [f"{count(self.n_rows, 'row')}, {count(len(self.items), 'item')}"]
        if self.ties_possible:
            parts = [f"{parts[0]}, {count(self.n_ties, 'tie')}"]
        if self.covariate_names:
            parts.append(f"covariates {shorten(listing(self.covariate_names))}")
        if self.declared:
            parts.append(f"clusters {shorten(listing(list(self.declared)))}")
        return f"<Comparisons: {'; '.join(parts)}>"

    @property
    def declared(self) -> Levels:
        """Names of the declared clusters, of those that stay with the table first."""
        return (
            *(self.scan.clusters if self.scan else ()),
            *(factor.name for factor in self.clusters),
        )

    @property
    def n_rows(self) -> int:
        """Rows analysed."""
        return round(float(self.count.sum()))

    @property
    def n_ties(self) -> int:
        """Rows that are ties."""
        return int(self.count[self.outcome == TIED].sum())

    def aside(self, change: Callable[[Any], Any]) -> Fields:
        """Return what is made of ``refused`` and ``unread``, of those that there are."""
        parts = {"refused": self.refused, "unread": self.unread}
        return {name: change(part) for name, part in parts.items() if part is not None}

    @property
    def covariate_names(self) -> list[str]:
        """Names of all covariates, those that stay with the table among them, in the order in which they were read."""
        if self.scan is None or not self.scan.covariates:
            return [*self.covariates]
        place = [*self.columns]
        return sorted(
            {*self.covariates, *self.scan.covariates}, key=lambda name: place.index(f"{name}_a")
        )

    @property
    def coverage(self) -> Coverage | None:
        """How much of the replies the winners' probabilities tell; None where winners are drawn."""
        if self.replies is None:
            return None
        # NaN: the reply did not say what its other options would have
        tells = ~np.isnan(self.replies.rest)
        remainder = (
            float(np.average(self.replies.rest[tells], weights=self.count[tells]))
            if tells.any()
            else None
        )
        return Coverage(replies=self.n_rows, none=self.replies.none, rest=remainder)

    @property
    def pair(self) -> Factor:
        """The unordered pair of items, as a factor: the default cluster of repeated comparisons."""
        low = np.minimum(self.item_a, self.item_b)
        high = np.maximum(self.item_a, self.item_b)
        # one number for each pair, whichever item stood first
        keys, codes = np.unique(low * len(self.items) + high, return_inverse=True)
        levels = tuple(
            f"{self.items[k // len(self.items)]} | {self.items[k % len(self.items)]}" for k in keys
        )
        return Factor(name="pair", codes=codes.astype(np.int64), levels=levels)

    def labelled(self) -> list[Factor]:
        """Return every factor of the cells: `by`, what is cited, clusters."""
        return [factor for factor in (self.by, self.cited, *self.clusters) if factor is not None]

    def factors(self, names: Names | None = "declared") -> tuple[Factor, ...]:
        """Return the cluster factors by name.

        Parameters
        ----------
        names : str, sequence of str or None
            ``"declared"``: all declared clusters. ``"pair"``: the unordered pair, unless a declared cluster has
            that name. None: no clusters. Where winners are probabilities, no clusters are the single replies.

        Raises
        ------
        InputError
            If a name is neither a declared cluster, nor ``by``, nor ``"pair"``.

        Examples
        --------
        >>> from socialstats import Comparisons
        >>> design = Comparisons.from_frame({"item_a": ["x", "y"], "item_b": ["y", "x"], "winner": ["x", "x"]})
        >>> design.factors("pair")[0].levels
        ('x | y',)
        """
        if self.scan is not None and self.scan.named(names):
            named = quoted(self.scan.named(names))
            raise InputError(
                f"{self.source}: the clusters {named} stay with the table. Read them by whole()"
            )
        factors = named_factors(self.clusters, self.by, names, lambda: self.pair)
        return factors if factors or self.replies is None else (self.replies.factor,)

    def whole(self) -> Self:
        """Return the design with all its clusters and covariates in the cells, which are nearly as many as rows then.

        Examples
        --------
        >>> from socialstats import Comparisons
        >>> design = Comparisons.from_frame({"item_a": ["x"], "item_b": ["y"], "winner": ["x"]})
        >>> design.whole() is design
        True
        """
        if self.scan is None:
            return self
        cells = replace(self, scan=None)
        stays = self.scan.covariates or self.scan.clusters
        return with_all_columns(cells, self.scan) if stays else cells

    def take(self, mask: AnyArray, *, note: str = "cells taken") -> Self:
        """Return some cells as a design of their own, with the items and levels that they use; without refusals.

        Parameters
        ----------
        mask : (cells,) bool array
        note : str
            Label of the step in the flow.

        Raises
        ------
        NothingToAnalyse
            If no cell is taken.
        """

        index = np.flatnonzero(mask)
        if not len(index):
            raise NothingToAnalyse(f"{self.source}: no comparison is left ({note})")
        fields = drop_unused_items(take_columns(self, index), self.items)
        step = FlowStep(label=note, rows=round(fields["count"].sum()))
        return replace(
            self, **fields | {"flow": (*self.flow, step), "refused": None, "unread": None}
        )

    def split(self) -> dict[str, Self]:
        """Return one design a level of `by` (just this one, under ``"all"``, without `by`)."""

        aside = self.aside(Design.split if self.by is not None else lambda _: {})
        return {
            level: part
            if part is self
            else replace(part, **{name: of.get(level) for name, of in aside.items()})
            for level, part in Design.split(self).items()
        }

    def silent(self) -> dict[str, str]:
        """Return the levels of `by` that have replies and no choice, each with what its replies are."""
        # levels all of whose replies were refused or unreadable have no cell of their own
        with_choices = () if self.by is None else self.by.levels
        counts: dict[str, dict[str, int]] = {}
        split = self.aside(lambda part: Design.split(part) if part.by is not None else {})
        for name, levels in split.items():
            for level in levels.keys() - {*with_choices}:
                counts.setdefault(level, {"refused": 0, "unread": 0})[name] = levels[level].n_rows
        return {
            level: f"none of its {count(sum(n.values()), 'reply', 'replies')} is a choice ({count(n['refused'])} "
            f"refused, {count(n['unread'])} missing or unreadable)"
            for level, n in sorted(counts.items())
        }

    def drop_ties(self) -> Self:
        """Return the design without its ties (itself when there are none)."""
        if not self.n_ties:
            return self
        return self.take(self.outcome != TIED, note="ties left out")

    def swap(self) -> Self:
        """Exchange the sides a and b everywhere: items, outcome, covariates, who was shown first.

        Statistics of the comparisons stay the same.
        """
        swapped_outcomes = np.array([B_WON, A_WON, TIED], dtype=np.int8)
        scan = self.scan
        if scan is not None:
            turned = {name: (b, a) for name, (a, b) in scan.covariates.items()}
            scan = replace(scan, covariates=turned)
        covariates = {name: replace(c, a=c.b, b=c.a) for name, c in self.covariates.items()}
        swapped = replace(
            self,
            scan=scan,
            item_a=self.item_b,
            item_b=self.item_a,
            outcome=swapped_outcomes[self.outcome],
            # 1 where item_a was shown first, -1 where item_b was
            first=(-self.first).astype(np.int8),
            covariates=covariates,
            **self.aside(type(self).swap),
        )
        return merged(swapped)

    def relabel(self, labels: Mapping[str, str]) -> Self:
        """Give items new labels; items that `labels` does not name keep theirs.

        Raises
        ------
        InputError
            If a name is no item, or two items would share a label.
        """
        new = rename_labels(self.items, labels, "item")
        items = tuple(sorted(new))
        code = np.array([items.index(name) for name in new], dtype=np.int64)
        aside = self.aside(
            lambda part: part.relabel(
                {item: to for item, to in labels.items() if item in part.items}
            )
        )
        done = merged(
            replace(self, items=items, item_a=code[self.item_a], item_b=code[self.item_b], **aside)
        )
        # names of pairs are made of items' names, unless a column has them
        by_name = {"pair": done.pair} if "pair" not in self.columns.values() else {}
        return replace(
            done, clusters=tuple(by_name.get(factor.name, factor) for factor in done.clusters)
        )

    def group_of(self, covariate: str) -> Fields:
        """Return the value of a covariate for each item, where it belongs to the item (such as its domain).

        Raises
        ------
        DesignError
            If there is no such covariate, or an item has several values.
        """
        if self.scan is not None and covariate in self.scan.covariates:
            return self.whole().group_of(covariate)
        if covariate not in self.covariates:
            listed = quoted(self.covariate_names, 10) or "none"
            raise DesignError(f"{self.source}: no covariate '{covariate}'. Covariates: {listed}")
        sides = self.covariates[covariate]
        groups: Fields = {}
        for codes, values in ((self.item_a, sides.a), (self.item_b, sides.b)):
            for code, value in dict.fromkeys(zip(codes.tolist(), values.tolist(), strict=True)):
                item = self.items[code]
                # a group of items needs one value of each item in all of its comparisons
                if groups.setdefault(item, value) != value:
                    groups_text = f"'{groups[item]}' and '{value}'"
                    raise DesignError(
                        f"{self.source}: '{item}' has several values of '{covariate}' ({groups_text})"
                    )
        return dict(sorted(groups.items()))

    def table(self) -> pd.DataFrame:
        """Return the cells as a data frame: labels, outcome, who was shown first, counts, covariates, clusters."""
        import pandas as pd

        names = np.array(self.items, dtype=object)
        a = names[self.item_a]
        b = names[self.item_b]
        winner: AnyArray = np.full(len(a), None, dtype=object)
        for code, won in ((A_WON, a), (B_WON, b)):
            winner[self.outcome == code] = won[self.outcome == code]
        columns: Fields = {"item_a": a, "item_b": b, "winner": winner}
        columns |= {"tied": self.outcome == TIED}
        if self.order_known:
            columns["order"] = np.where(self.first > 0, names[self.item_a], names[self.item_b])
        for name, c in self.covariates.items():
            columns |= {f"{name}_a": c.a, f"{name}_b": c.b}
        columns |= {factor.name: factor.labels() for factor in self.labelled()}
        return pd.DataFrame(columns | {"count": self.count, "weight": self.weight})


C = TypeVar("C", bound=ComparisonsData)


def with_all_columns(cells: C, scan: Scan) -> C:
    """Return a design with the clusters and covariates that stayed with its table."""
    spool = Spool(scan, list(scan.covariates), scan.factors("declared"))
    rows = spool.whole()
    cell = rows["cell"].astype(np.int64)
    weight = rows["weight"].astype(np.float64)
    factors = []
    for k, factor in enumerate(spool.factors):
        codes = rows["codes"][:, k]
        texts = spool.texts(k)
        levels = sorted({texts[code] for code in np.unique(codes).tolist()})
        place = {text: code for code, text in enumerate(levels)}
        # the spool numbers levels as they were met; factors have theirs in order
        of_levels = np.array([place.get(text, -1) for text in texts], dtype=np.int64)
        factors.append(replace(factor, codes=of_levels[codes], levels=tuple(levels)))
    fields = take_columns(cells, cell) | {
        "count": np.ones(len(rows)),
        "weight": weight,
        "weight_sq": weight**2,
        "clusters": (*factors, *taken(cells.clusters, cell)),
    }
    for name, sides in zip(spool.names, rows["sides"].swapaxes(0, 1), strict=True):
        fields["covariates"][name] = Covariate(
            name=name, a=sides[:, 0].copy(), b=sides[:, 1].copy()
        )
    names = replace(cells, scan=scan).covariate_names
    fields["covariates"] = {name: fields["covariates"][name] for name in names}
    return merged(replace(cells, **fields))


def cell_columns(design: ComparisonsData) -> list[AnyArray]:
    """Return every column that makes a cell, in canonical order."""
    columns: list[AnyArray] = [design.item_a, design.item_b, design.outcome, design.first]
    columns += [
        side for covariate in design.covariates.values() for side in (covariate.a, covariate.b)
    ]
    columns += [factor.codes for factor in design.labelled()]
    return [*columns, *([design.replies.codes] if design.replies else [])]


def merged(design: C) -> C:
    """Return the design with equal cells merged and cells in sorted order."""
    first, cell = group(cell_columns(design))
    sums = {"count": totals(cell, design.count, len(first))}
    for name in SUMS[1:]:
        sums[name] = (
            totals(cell, getattr(design, name), len(first)) if design.weighted else sums["count"]
        )
    scan = None if design.scan is None else design.scan.moved(cell)
    return replace(
        design, **take_columns(replace(design, scan=None), first, sums=()) | sums | {"scan": scan}
    )


CELLS = ("item_a", "item_b", "outcome", "first", "covariates", "by", "cited", "clusters", "replies")
SUMS = ("count", "weight", "weight_sq")


def take_columns(
    design: ComparisonsData, index: IntArray | BoolArray, *, sums: Texts = SUMS
) -> Fields:
    """Return the fields of some cells, and of their sums over rows those that are named."""
    scan = None if design.scan is None else design.scan.taken(index, len(design.count))
    return taken_fields(design, (*CELLS, *sums), index) | {"scan": scan}


def drop_unused_items(fields: Fields, items: Levels) -> Fields:
    """Re-code the item columns of some cells to the items that they use."""
    # numbers of items have no gaps: matrices have a row for each
    there = np.zeros(len(items), dtype=bool)
    there[fields["item_a"]] = there[fields["item_b"]] = True
    if there.all():
        return fields | {"items": items}
    place = np.cumsum(there) - 1
    return fields | {
        "items": tuple(item for item, used in zip(items, there.tolist(), strict=True) if used),
        "item_a": place[fields["item_a"]],
        "item_b": place[fields["item_b"]],
    }


def combine_designs(left: C, right: C) -> C:
    """Return the comparisons of both designs, which were read from the same columns.

    Examples
    --------
    >>> from socialstats import Comparisons
    >>> rows = {"item_a": ["x", "y"], "item_b": ["y", "z"], "winner": ["x", "z"]}
    >>> parts = [Comparisons.from_frame({name: [column[k]] for name, column in rows.items()}) for k in (0, 1)]
    >>> combine_designs(*parts).items, combine_designs(*parts).n_rows
    (('x', 'y', 'z'), 2)
    """
    items = tuple(sorted({*left.items, *right.items}))
    place = {item: code for code, item in enumerate(items)}

    def stacked(name: str) -> AnyArray:
        return np.append(getattr(left, name), getattr(right, name))

    def codes(name: str) -> AnyArray:
        return np.concatenate(
            [
                np.array([place[item] for item in design.items])[getattr(design, name)]
                for design in (left, right)
            ]
        )

    covariates = {}
    for name, of_left in left.covariates.items():
        of_right = right.covariates.get(name)
        if of_right is not None:
            covariates[name] = replace(
                of_left, a=np.append(of_left.a, of_right.a), b=np.append(of_left.b, of_right.b)
            )
    clusters_of_right = {factor.name: factor for factor in right.clusters}
    clusters = [
        stack_factors([factor, clusters_of_right[factor.name]])
        for factor in left.clusters
        if factor.name in clusters_of_right
    ]
    rows: Fields = {name: stacked(name) for name in ("outcome", "first", *SUMS)}
    sides: Fields = {name: codes(name) for name in ("item_a", "item_b")}
    joint = replace(
        left,
        items=items,
        covariates=covariates,
        clusters=tuple(clusters),
        replies=joint_replies(left.replies, right.replies),
        by=None,
        cited=None,
        refused=None,
        unread=None,
        **sides,
        **rows,
    )
    return merged(joint)


def joint_replies(first: Replies | None, then: Replies | None) -> Replies | None:
    """Return the replies of two tables, which stay different ones."""
    if first is None or then is None:
        return None
    return replace(
        first,
        codes=np.append(first.codes, then.codes + first.codes.max(initial=-1) + 1),
        rest=np.append(first.rest, then.rest),
        none=first.none + then.none,
    )


def without_cited(design: C) -> C:
    """Return the design without the labels that its rows cite: fewer cells, the same comparisons."""
    return design if design.cited is None else merged(replace(design, cited=None))
