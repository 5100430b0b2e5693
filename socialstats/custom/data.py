"""What a statistic of one's own is computed from: a design, a table or vectors, with what of it is independent."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Number
from typing import Any, TypeAlias

import numpy as np

from socialstats.designs.cells import joint_codes, several
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.options import texts
from socialstats.designs.parts import Design, Factor, Read
from socialstats.designs.redrawn import Pieces, TablePieces, VectorPieces, pieces_of, vectors_of
from socialstats.designs.suspects import cluster_suspects
from socialstats.designs.undeclared import candidates
from socialstats.designs.vocabulary import UNITS
from socialstats.errors import Caution, InputError, NothingToAnalyse, caution
from socialstats.inference.dependence import (
    LARGE,
    UNEVEN,
    cluster_factors,
    ignored_clusters,
    is_nested_in,
    settled_cluster,
    two_at_most,
)
from socialstats.resampling.plans import ResamplingPlan
from socialstats.results import Result, ResultGroup
from socialstats.results.result import each_level, with_cautions
from socialstats.tables import as_table, read_table
from socialstats.tables.joining import pandas_of
from socialstats.text import listing, number, percent, quoted
from socialstats.voice import option

# a design, data frame, mapping of columns, path of a file, vector, or tuple of vectors
DataLike: TypeAlias = Any
FactorNames: TypeAlias = Any  # names of factors; of vectors labels, one a value
AUTO, DECLARED = "auto", "declared"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DataSource:
    """Data of one level of `by`, in pieces, and how they are called.

    Attributes
    ----------
    pieces : Pieces
    design : object
        As the caller gave it; what results keep.
    spread : bool
        The function takes vectors as arguments of their own.
    clusters : tuple of Factor
        What `cluster` names.
    strata : Factor or None
        What `strata` names.
    cautions : tuple of Caution
        About columns that nobody declared.
    """

    pieces: Pieces
    design: Any
    spread: bool = False
    clusters: tuple[Factor, ...] = ()
    strata: Factor | None = None
    cautions: tuple[Caution, ...] = field(default=())

    @property
    def plan(self) -> ResamplingPlan:
        """What is drawn again."""
        return ResamplingPlan.from_factors(self.pieces, self.clusters, self.strata)


def result_by_level(data: DataLike, compute: Callable[[DataLike], Result]) -> Result | ResultGroup:
    """Return a result, or one for each level of the `by` of a design."""
    if not isinstance(data, Read):
        return compute(data)

    def of_level(part: Any) -> Result:
        return with_cautions(compute(part), part.cautions)

    if not isinstance(data, Design) or data.by is None:
        return of_level(data)
    return ResultGroup(by=data.by.name, results=each_level(data.by.name, data.split(), of_level))


def data_source(
    data: DataLike,
    *,
    unit: str | None,
    cluster: FactorNames,
    strata: FactorNames,
    paired: bool | None,
    further: Sequence[str] = (),
) -> DataSource:
    """Return data in pieces with the clusters and strata that a caller names.

    Parameters
    ----------
    data : design, data frame, mapping of columns, path, vector, or tuple of vectors
    unit : str, optional
        Column of a table whose labels name the units.
    cluster, strata : str, sequence of str, or None
        Factors of a design, columns of a table; of vectors labels, or a mapping of names to labels.
    paired : bool, optional
        Whether several vectors belong together row by row.
    further : sequence of str
        Further columns of a table that are factors.

    Raises
    ------
    InputError
        For data of another kind, names that are none, and options that the data do not take.
    """
    if isinstance(data, Read):
        refuse_options("a design", unit=unit, paired=paired)
        return source_of_design(data, cluster, strata)
    if is_table(data):
        refuse_options("a table", paired=paired)
        return source_of_table(data, unit, cluster, strata, further)
    refuse_options("vectors", unit=unit)
    return source_of_vectors(data, cluster, strata, paired)


def refuse_options(kind: str, **options: Any) -> None:
    """Raise InputError for options that data of a kind do not take."""
    for name, value in options.items():
        if value is not None:
            raise InputError(f"{option(name, value)} does not go with {kind}. Leave it out")


def is_table(data: Any) -> bool:
    """Return whether data are a table (or the path of one), and not a vector."""
    if isinstance(data, str | os.PathLike | Mapping):
        return True
    if data is None or isinstance(data, Number) or callable(data):
        return False
    return (
        not isinstance(data, np.ndarray | list | tuple)
        and np.ndim(getattr(data, "values", data)) != 1
    )


def source_of_design(design: Any, cluster: FactorNames, strata: FactorNames) -> DataSource:
    """Return a design in pieces."""
    if isinstance(design, Comparisons):
        design = design.whole()
    pieces = pieces_of(design)
    wanted: Any = settled_cluster(design, cluster) if isinstance(design, Comparisons) else cluster
    wanted = DECLARED if wanted == AUTO else wanted
    if wanted == DECLARED:
        clusters = tuple(
            pieces.factors[factor.name] for factor in cluster_factors(design, DECLARED)
        )
    else:
        clusters = tuple(pieces.factor(name, "cluster") for name in texts(wanted))
        two_at_most([factor.name for factor in clusters])
    # declared factors that hold no used cluster, nor lie in one: their dependence is not in the error
    ignored = [
        name
        for name in pieces.declared
        if not any(
            name == used.name or is_nested_in(pieces.factors[name], used) for used in clusters
        )
    ]
    cautions: tuple[Caution, ...] = ()
    if ignored:
        used_names = listing([f.name for f in clusters]) or f"single {pieces.noun}s"
        cautions = (ignored_clusters(quoted(ignored), used_names),)
    return with_units_and_strata(pieces, design, clusters, strata, cautions)


def source_of_table(
    data: Any, unit: str | None, cluster: FactorNames, strata: FactorNames, further: Sequence[str]
) -> DataSource:
    """Return a table in pieces."""
    import pandas as pd

    if isinstance(data, str | os.PathLike):
        data = pandas_of(read_table(data)).apply(as_numbers)
    elif not isinstance(data, pd.DataFrame):
        data = pandas_of(as_table(data))
    if not len(data):
        raise NothingToAnalyse("data frame has no rows: there is nothing to analyse")
    cluster_names = () if cluster in (AUTO, DECLARED) else texts(cluster)
    two_at_most(cluster_names)
    stratum_names = () if strata == AUTO else texts(strata)
    columns = (*([unit] if unit else []), *cluster_names, *stratum_names, *further)
    # cluster=None says that rows are independent; without a word of it, repeated labels are an error
    if not (unit or cluster_names) and cluster is not None:
        refuse_repeating(data, {str(name) for name in columns})
    pieces = TablePieces.of(data, columns, unit, "data frame")
    clusters = tuple(pieces.factors[name] for name in cluster_names)
    cautions: tuple[Caution, ...] = ()
    if not unit and not cluster_names:
        used, names = {str(name) for name in columns}, UNITS.names
        suspects = cluster_suspects(as_table(data), used, len(data), names=names, what="row")
        cautions = tuple(suspects)
    return with_units_and_strata(
        pieces, data, clusters, None if strata == AUTO else strata, cautions
    )


def refuse_repeating(data: Any, used: set[str]) -> None:
    """Refuse rows that may belong together, unless the caller says that they are independent.

    Raises
    ------
    InputError
        For columns of labels that repeat.
    """
    repeating = candidates(as_table(data), used, len(data), lambda _, column: not column.text)
    if repeating:
        raise InputError(
            f"rows share labels of {quoted(repeating, 4)}, and answers to one label are no independent units. Say "
            f"{option('unit', repeating[0])} or {option('cluster', repeating[0])}; or {option('cluster', None)}, where "
            "each row is a unit of its own"
        )


def as_numbers(column: Any) -> Any:
    """Return a column of a file as numbers where all of its values are; files have texts."""
    import pandas as pd

    try:
        return pd.to_numeric(column)
    except (TypeError, ValueError):
        return column


def source_of_vectors(
    data: Any, cluster: FactorNames, strata: FactorNames, paired: bool | None
) -> DataSource:
    """Return vectors in pieces."""
    is_several = isinstance(data, tuple) or (
        isinstance(data, list)
        and bool(data)
        and np.ndim(data[0]) == 1
        and not isinstance(data[0], str)
    )
    vectors = tuple(data) if is_several else (data,)
    if callable(data):
        raise InputError(
            "the first argument is the data, and the second a function of them: exchange the two"
        )
    if not is_several and np.ndim(data) == 0:
        raise InputError(
            f"a {type(data).__name__} is no design, table or vector. Pass a design (Ratings, Paired, "
            "Groups, Comparisons), a data frame, or vectors of values"
        )
    labels = labels_by_name("cluster", cluster) | labels_by_name("strata", strata)
    pieces = vectors_of(vectors, paired, labels)
    if not is_several:
        pieces = replace(pieces, data=pieces.vectors)
    names = [name for name in labels if name not in labels_by_name("strata", strata)]
    two_at_most(names)
    if pieces.several and names:
        raise InputError(
            f"{option('cluster')} of several samples: put them into one data frame, with a column for "
            "the sample and one for the cluster"
        )
    clusters = tuple(pieces.factors[name] for name in names)
    is_auto = strata is None or (isinstance(strata, str) and strata == AUTO)
    stratum_names = AUTO if is_auto else list(labels_by_name("strata", strata))
    return with_units_and_strata(pieces, data, clusters, stratum_names, ())


def labels_by_name(name: str, values: FactorNames) -> dict[str, Any]:
    """Return labels of vectors by the name of what they tell."""
    if values is None or (isinstance(values, str) and values in (AUTO, DECLARED)):
        return {}
    if isinstance(values, str):
        raise InputError(
            f"{option(name, values)}: vectors have no columns. Pass the labels, one a value"
        )
    if isinstance(values, Mapping):
        return dict(values)
    if (
        isinstance(values, list | tuple)
        and len(values)
        and np.ndim(values[0]) == 1
        and not isinstance(values[0], str)
    ):
        return {f"{name} {k + 1}": labels for k, labels in enumerate(values)}
    return {name: values}


def with_units_and_strata(
    pieces: Pieces,
    design: Any,
    clusters: tuple[Factor, ...],
    strata: FactorNames,
    cautions: tuple[Caution, ...],
) -> DataSource:
    """Return a source with its units and strata: without clusters units are drawn, and groups are strata."""
    if not clusters and pieces.unit:
        clusters = (pieces.factors[pieces.unit],)
    stratum: Factor | None = None
    if isinstance(strata, str) and strata == AUTO:
        stratum = groups_as_strata(pieces, clusters)
    elif names := texts(strata):
        factors = [pieces.factor(name, "strata") for name in names]
        stratum = factors[0] if len(factors) == 1 else joint_factor(factors)
    return DataSource(
        pieces=pieces,
        design=design,
        spread=isinstance(pieces, VectorPieces),
        clusters=clusters,
        strata=stratum,
        cautions=cautions,
    )


def groups_as_strata(pieces: Pieces, clusters: Sequence[Factor]) -> Factor | None:
    """Return the samples of a design as strata, unless clusters have units of several."""
    if not pieces.groups or len(clusters) > 1:
        return None
    groups = pieces.factors[pieces.groups]
    # a cluster with units of several groups cannot lie in a stratum
    cut = bool(clusters) and len(several(clusters[0].codes, groups.codes)) > 0
    return None if cut else groups


def joint_factor(factors: Sequence[Factor]) -> Factor:
    """Return the combinations of levels of several factors."""
    codes = joint_codes([factor.codes for factor in factors])
    first = np.unique(codes, return_index=True)[1]
    levels = tuple(
        ", ".join(factor.levels[factor.codes[k]] for factor in factors) for k in first.tolist()
    )
    return Factor(name=" x ".join(factor.name for factor in factors), codes=codes, levels=levels)


def cluster_size_cautions(plan: ResamplingPlan) -> tuple[Caution, ...]:
    """Caution SS211: of twenty clusters or more one holds a fifth, or their sizes are so uneven that few count."""
    if not plan.clustered or plan.fewest < 20:
        return ()
    shares = plan.shares()
    largest = max(float(share.max()) for share in shares)
    # Kish's effective number of clusters, 1 / sum of squared shares
    effective = min(float(1 / (share**2).sum()) for share in shares)
    if largest <= LARGE and effective >= plan.fewest / UNEVEN:
        return ()
    return (
        caution(
            "SS211",
            f"one cluster ({listing(plan.names)}) holds {percent(largest)} of the rows; {plan.fewest:,} clusters "
            f"count as about {number(effective, 1)} equal ones",
            affects="intervals and tests, which take clusters as alike",
            fix="see whether the conclusion holds without the largest clusters",
        ),
    )
