"""Options of a command line."""

from __future__ import annotations

import pytest

from socialstats.designs.options import map_options
from socialstats.errors import InputError


def test_entries_become_options() -> None:
    assert map_options(
        ["win_a=w1", "wins_b=w2", "cluster=x", "cluster=y", "column_a=c=1", "column_b=d"]
    ) == {
        "wins_a": "w1",
        "wins_b": "w2",
        "cluster": ("x", "y"),
        "covariates": {"column": ("c=1", "d")},
    }


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (["item_a"], "--map item_a: write part=column"),
        (["=x"], "--map =x: write part=column"),
        (["item_a=x", "item_a=y"], "--map item_a=y: 'item_a' is mapped twice"),
        (["winer=x"], "--map winer=x: no part 'winer'. Parts: item_a, item_b, winner"),
        (["u_a=x"], "--map: covariate 'u' needs both sides: u_a=COLUMN and u_b=COLUMN"),
    ],
)
def test_entries_that_say_nothing_are_refused(entries: list[str], message: str) -> None:
    with pytest.raises(InputError) as caught:
        map_options(entries)
    assert str(caught.value).startswith(message)
