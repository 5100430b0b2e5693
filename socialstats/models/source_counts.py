"""Ratings by source: how often each source (people, a model) gave each unit each level, and cells of units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import OK, REFUSAL, Ratings
from socialstats.errors import Caution, InputError, NothingToAnalyse, caution
from socialstats.models.rating_counts import REFUSALS, REFUSED
from socialstats.text import count, quoted, shorten

EACH_RATER = "rater"
USUAL = "source"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SourceCounts:
    """Ratings by unit, source and level.

    Attributes
    ----------
    name : str
        What the sources are called; empty where all raters are one source.
    sources, levels : tuple of str
    counts : (units, sources, levels) float64 array
    copies : (units,) float64 array
        Alike units.
    left_out : int
        Ratings of raters without a source.
    """

    name: str
    sources: tuple[str, ...]
    levels: tuple[str, ...]
    counts: FloatArray
    copies: FloatArray
    left_out: int = 0

    @property
    def n(self) -> FloatArray:
        """(units, sources) float64 array: ratings."""
        sizes: FloatArray = self.counts.sum(axis=2)
        return sizes

    def index(self, source: str, option: str) -> int:
        """Return the place of a source, or raise InputError listing those there are."""
        if source not in self.sources:
            raise InputError(
                f"{option}='{shorten(source)}' is no {self.name or USUAL}; there are {quoted(self.sources, 10)}"
            )
        return self.sources.index(source)


def source_counts(design: Ratings, source: str | None, refusal: str, *, alone: bool = False) -> SourceCounts:
    """Count the ratings of each source.

    Parameters
    ----------
    design : Ratings
    source : str or None
        A declared group of raters, or ``"rater"``: each rater is a source. None: the only declared group, or the one
        called source; without any, each rater is a source (with `alone`, all raters are one).
    refusal : {"missing", "level"}
    alone : bool

    Raises
    ------
    InputError
        For an unknown group or option, or several groups of which none is called source.
    NothingToAnalyse
        If there is no rating.
    """
    if refusal not in REFUSALS:
        raise InputError(f"refusal='{refusal}' is not one of {', '.join(REFUSALS)}")
    factor = source_factor(design, source, alone)
    levels, value, given = design.levels, design.value, design.status == OK
    if refusal == "level" and np.any(design.status == REFUSAL):
        refused = REFUSED if REFUSED not in levels else f"{REFUSED} "
        value = np.where(design.status == REFUSAL, len(levels), value)
        levels, given = (*levels, refused), given | (design.status == REFUSAL)
    code = factor.codes[design.rater]
    used = given & (code >= 0)
    if not used.any():
        raise NothingToAnalyse(f"{design.source}: no rating has a value and a source")
    shape = len(design.units), len(factor.levels), len(levels)
    place = (design.unit[used] * shape[1] + code[used]) * shape[2] + value[used]
    counts = np.bincount(place, minlength=shape[0] * shape[1] * shape[2]).reshape(shape).astype(np.float64)
    return SourceCounts(
        name=factor.name, sources=factor.levels, levels=levels, counts=counts, copies=design.unit_count,
        left_out=int((given & (code < 0)).sum()),
    )  # fmt: skip


def source_factor(design: Ratings, source: str | None, alone: bool) -> Factor:
    """Return the source of each rater as a factor."""
    groups, n = design.rater_groups, len(design.raters)
    if source is None and groups:
        if len(groups) > 1 and USUAL not in groups:
            raise InputError(f"several groups of raters are declared: say source= one of {quoted(list(groups), 10)}")
        source = USUAL if USUAL in groups else next(iter(groups))
    if source is None and alone:
        return Factor(name="", codes=np.zeros(n, dtype=np.int64), levels=("all raters",))
    if source is not None and source in groups:
        return groups[source]
    if source not in (None, EACH_RATER):
        listed = quoted([*groups, EACH_RATER], 10)
        raise InputError(f"source='{shorten(str(source))}' is no declared group of raters; use one of {listed}")
    if not design.raters_known:
        raise InputError("who gave which rating is not known: raters cannot be compared as sources")
    return Factor(name=EACH_RATER, codes=np.arange(n, dtype=np.int64), levels=design.raters)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cells:
    """Cells of units: the levels of a stratum, or the combinations of several that occur.

    Attributes
    ----------
    names : tuple of str
        The strata; empty where all units are one cell.
    labels : tuple of str
        In the order of the strata's levels.
    codes : (units,) int64 array
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    codes: IntArray


def cells_of(design: Ratings, names: str | Sequence[str] | None, option: str) -> Cells:
    """Return the cells that declared strata (or clusters) make.

    Raises
    ------
    InputError
        If nothing of a name is declared.
    """
    wanted = () if names is None else (names,) if isinstance(names, str) else tuple(names)
    known = {**{factor.name: factor for factor in design.clusters}, **design.strata}
    for name in wanted:
        if name not in known:
            listed = quoted(list(known), 10) or "none"
            raise InputError(f"{option}='{shorten(str(name))}' is no stratum. Declared: {listed}; declare with strata=")
    if not wanted:
        return Cells(names=(), labels=(), codes=np.zeros(len(design.units), dtype=np.int64))
    factors = [known[name] for name in wanted]
    keys, codes = np.unique(np.column_stack([f.codes for f in factors]), axis=0, return_inverse=True)
    parts = [[f.levels[k] for f, k in zip(factors, key, strict=True)] for key in keys.tolist()]
    labels = [", ".join(part) for part in parts]
    if len(set(labels)) < len(labels):  # 'a, b' and 'c' against 'a' and 'b, c'
        labels = [" | ".join(repr(p) for p in part) for part in parts]
    return Cells(names=wanted, labels=tuple(labels), codes=codes.ravel().astype(np.int64))


def free_label(wanted: str, taken: Sequence[str]) -> str:
    """Return a label of our own that no label of the data has."""
    while wanted in taken:
        wanted += "'"
    return wanted


def source_cautions(data: SourceCounts) -> tuple[Caution, ...]:
    """Caution SS301 when raters have no source."""
    if not data.left_out:
        return ()
    said = f"{count(data.left_out, 'rating')} of raters without a '{shorten(data.name)}'"
    return (caution("SS301", said, affects="all rows", fix="give every rater one, or choose another source="),)
