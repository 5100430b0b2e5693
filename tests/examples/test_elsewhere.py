"""Names of functions of other packages say what to write here, and what they say runs."""

from __future__ import annotations

import ast
import importlib

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.elsewhere import ABSENT, CALLS

RNG = np.random.default_rng(3)
X, Y = RNG.normal(size=20), RNG.normal(size=20)
LABELS = RNG.choice(["a", "b", "c"], (2, 40))
BEATS = [("A", "B"), ("B", "A"), ("A", "C"), ("C", "B"), ("B", "C")]
SCOPE = {
    "ss": ss,
    "pd": pd,
    "x": X,
    "y": Y,
    "first": LABELS[0],
    "second": LABELS[1],
    "array": RNG.integers(0, 2, (12, 3)),
    "p": [0.01, 0.04],
    "winners": [won for won, _ in BEATS],
    "losers": [lost for _, lost in BEATS],
    "function": lambda *data: np.mean(data[0] - data[1]) if len(data) > 1 else np.mean(data[0]),
    **dict(zip(("ann", "bob", "cid"), RNG.integers(1, 5, (3, 30)).tolist(), strict=True)),
}


@pytest.mark.parametrize("names", CALLS)
def test_the_call_runs(names: str) -> None:
    for said in CALLS[names].split(", ss."):
        call = f"ss.{said.removeprefix('ss.')}".partition(" of ")[0]
        tree = ast.parse(call, mode="eval")
        functions = [
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == "ss"
        ]
        assert {*functions} <= {*dir(ss)}
        if names == "multinom MNLogit":  # its table of people and models is in docs/coming-from.md
            continue
        assert eval(call, {**SCOPE, "table": BEATS}) is not None


@pytest.mark.parametrize("name", [name for names in CALLS for name in names.split()])
def test_the_name_is_told(name: str) -> None:
    with pytest.raises(AttributeError, match=rf"no attribute '{name}'\. Write ss\."):
        getattr(ss, name)


@pytest.mark.parametrize("names", ABSENT)
def test_what_is_not_here_is_elsewhere(names: str) -> None:
    module, _, function = ABSENT[names].rpartition(".")
    assert hasattr(pytest.importorskip(module), function)
    for name in names.split():
        with pytest.raises(AttributeError, match=rf"There is none: {ABSENT[names]} has it$"):
            getattr(ss, name)


def test_misspelt_and_unknown_names() -> None:
    with pytest.raises(AttributeError, match="Did you mean 'bradley_terry'"):
        _ = ss.bradley_tery  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"no attribute 'zzzz'$"):
        _ = ss.zzzz  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"no attribute '_private'$"):
        _ = ss._private  # type: ignore[attr-defined]
    assert not hasattr(importlib.import_module("socialstats"), "ttest_rel")
