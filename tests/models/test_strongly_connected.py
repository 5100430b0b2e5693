"""Strong connectivity of many replicates at once, against one replicate at a time by scipy."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from socialstats.choices.bradley_terry.fitting import strongly_connected


def one_by_one(data, w):
    found = []
    for r in range(w.shape[2]):
        up, down = w[0, :, r] + w[2, :, r] > 0, w[1, :, r] + w[2, :, r] > 0
        winner = np.concatenate([data.a[up], data.b[down]])
        loser = np.concatenate([data.b[up], data.a[down]])
        graph = csr_array(
            (np.ones(len(winner)), (winner, loser)), shape=(data.n_items, data.n_items)
        )
        found.append(connected_components(graph, directed=True, connection="strong")[0] == 1)
    return np.array(found)


@pytest.mark.parametrize("items", [2, 3, 7, 12])
@pytest.mark.parametrize("reps", [1, 8, 13, 43])
@pytest.mark.parametrize("present", [0.15, 0.4, 0.8])
def test_every_replicate_agrees_with_scipy(items, reps, present):
    rng = np.random.default_rng([items, reps, int(100 * present)])
    a, b = np.triu_indices(items, k=1)
    data = SimpleNamespace(a=a, b=b, n_items=items)
    for ties in (0.0, 0.1):
        w = (
            rng.random((3, len(a), reps)) < np.array([present, present, ties])[:, None, None]
        ).astype(float)
        assert np.array_equal(strongly_connected(data, w), one_by_one(data, w))


def test_a_long_chain_is_followed_to_its_end():
    items = 40
    data = SimpleNamespace(a=np.arange(items - 1), b=np.arange(1, items), n_items=items)
    w = np.ones((3, items - 1, 9))
    w[2] = 0
    w[1, 17, 4] = 0  # in replicate 4 the lower half never beats the upper
    assert np.flatnonzero(~strongly_connected(data, w)).tolist() == [4]
