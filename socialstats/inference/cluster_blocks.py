"""Rows in blocks of whole clusters: their order, their scores, and the intersections of two factors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from scipy import sparse

from socialstats.arrays import FloatArray, IntArray

# whitened rows, residuals, clusters by factor
Block = tuple[sparse.csr_array, FloatArray, tuple[IntArray, ...]]
# the same with the clusters of one factor
SortedBlock = tuple[sparse.csr_array, FloatArray, IntArray]
# a factor -> rows in blocks, each of whole clusters of that factor
Blocks = Callable[[int], Iterable[Block]]


class Intersections(NamedTuple):
    """The cells in which clusters of two factors meet.

    Attributes
    ----------
    n_cells : int
        Clusters of the intersection.
    n_clusters : int
        Clusters of one of the factors; as many where it is nested in the other.
    products : (p, p) array
        Products of scores, summed over the clusters of the intersection.
    """

    n_cells: int
    n_clusters: int
    products: FloatArray


def factor_intersections(blocks: Blocks, factor: int, p: int) -> Intersections:
    """Return the intersections of two factors, from blocks of whole clusters of `factor`."""
    n_cells, n_clusters, products = 0, 0, np.zeros((p, p))
    for rows, residuals, factors in blocks(factor):
        cluster, crossed = factors[factor], factors[1 - factor]
        cells, cell_of_row = np.unique(
            cluster * (int(crossed.max(initial=0)) + 1) + crossed, return_inverse=True
        )
        # (cells, p)
        u = cluster_scores(rows, residuals, cell_of_row, len(cells))
        # blocks hold whole clusters, so that no cluster is counted twice
        n_cells, n_clusters = n_cells + len(cells), n_clusters + len(np.unique(cluster))
        products = products + np.asarray((u.T @ u).todense())
    return Intersections(n_cells, n_clusters, products)


def sort_by_cluster(rows: sparse.csr_array, residuals: FloatArray, codes: IntArray) -> SortedBlock:
    """Return rows sorted by cluster."""
    if not np.any(np.diff(codes) < 0):
        return rows, residuals, codes
    order = np.argsort(codes, kind="stable")
    return sparse.csr_array(rows[order]), residuals[order], codes[order]


def cluster_scores(
    rows: sparse.csr_array, residuals: FloatArray, codes: IntArray, size: int
) -> sparse.csr_array:
    """Return the score of each cluster, (size, p)."""
    # a sum of residual times row for each cluster, as one sparse product
    member = sparse.csr_array((residuals, (codes, np.arange(len(codes)))), shape=(size, len(codes)))
    return sparse.csr_array(member @ rows)
