"""The simulated data of four studies: bytes, seeds, labels, and the designs that their entries document."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

import socialstats.datasets as bundled
from socialstats.datasets import (
    datasets,
    describe,
    simulate_norm_goal,
    simulate_relationship_bias,
    simulate_social_norms,
    simulate_staged_values,
)
from socialstats.datasets.catalogue import DATA
from socialstats.datasets.simulating import (
    gauss_hermite,
    gzip_bytes,
    ranks,
    rounded,
    rounded_mean,
    write_files,
)
from socialstats.designs.paired import Paired
from socialstats.designs.ratings import Ratings

MODULES = [
    simulate_norm_goal,
    simulate_relationship_bias,
    simulate_social_norms,
    simulate_staged_values,
]
NAMES = ["norm_goal", "relationship_bias", "social_norms", "staged_values"]


@pytest.mark.parametrize("module", MODULES, ids=NAMES)
def test_generator_makes_the_committed_files_byte_for_byte(module: ModuleType) -> None:
    made = module.files()
    assert made
    for name, content in made.items():
        committed = DATA.joinpath(name).read_bytes()
        assert (gzip.decompress(committed) if name.endswith(".gz") else committed) == content


@pytest.mark.parametrize("module", MODULES, ids=NAMES)
def test_another_seed_makes_other_rows(module: ModuleType) -> None:
    assert module.simulate(seed=99) != module.simulate()


def test_files_have_no_date(tmp_path) -> None:
    write_files({"a.csv.gz": b"x\n1\n", "b.csv": b"y\n2\n"}, tmp_path)
    packed = (tmp_path / "a.csv.gz").read_bytes()
    assert packed[3:8] == b"\0" * 5  # no flags (file name), no time
    assert gzip.decompress(packed) == b"x\n1\n"
    assert packed == gzip_bytes(b"x\n1\n")
    assert (tmp_path / "b.csv").read_bytes() == b"y\n2\n"


def test_bundled_files_are_small() -> None:
    added = [describe(name).file for name in (*NAMES, "staged_values_controls")]
    assert sum(len(DATA.joinpath(name).read_bytes()) for name in added) < 300_000


@pytest.mark.parametrize("name", NAMES)
def test_truth_is_a_function_of_the_same_name(name: str) -> None:
    truth = getattr(bundled, f"{name}_truth")
    first = truth()
    assert truth() == first
    for mapping in (getattr(first, name) for name in first.__slots__):
        if isinstance(mapping, dict):
            mapping.clear()
    assert all(getattr(truth(), name) not in ({}, None) for name in first.__slots__)
    assert f"{name}_truth" in describe(name).about
    assert describe(name).simulated


LABELS = re.compile(
    r"(person \d{3}|run \d|model \d\d|judge \d|scenario \d\d|(woman|man|neutral) \d\d"
    r"|(woman|man|neutral)-(woman|man|neutral) \d\d)"
)
REAL = re.compile(
    "gpt|claude|llama|gemini|gemma|mistral|mixtral|qwen|grok|deepseek|phi-|zephyr|arctic|dbrx"
    "|openai|anthropic|google|meta |microsoft|alibaba",
    re.IGNORECASE,
)


@pytest.mark.parametrize(
    "entry", [entry for entry in datasets() if entry.name in (*NAMES, "staged_values_controls")]
)
def test_nobody_real_is_named(entry: bundled.Dataset) -> None:
    data = entry.load()
    for column in {"rater", "judge", "model", "name_first", "name_second", "pair"} & set(
        data.columns
    ):
        assert all(LABELS.fullmatch(label) for label in data[column].unique()), column
    texts = [
        label for column in data.select_dtypes(["str", "object"]) for label in data[column].unique()
    ]
    assert not [text for text in [*texts, str(entry)] if REAL.search(text)]
    assert all(text.isascii() and len(text) < 40 for text in texts)


@pytest.mark.parametrize(
    ("name", "check"),
    [
        (
            "norm_goal",
            lambda made: (made.n_rows, len(made.units), len(made.raters)) == (11_520, 160, 145),
        ),
        (
            "relationship_bias",
            lambda made: made.n_pairs == 577 and made.conditions == ("man", "woman"),
        ),
        (
            "social_norms",
            lambda made: (made.n_rows, len(made.units), len(made.raters)) == (24_037, 400, 111),
        ),
        (
            "staged_values",
            lambda made: (made.n_rows, len(made.raters)) == (2_880, 3) and len(made.split()) == 6,
        ),
    ],
)
def test_documented_design_works(name: str, check: Callable[[object], bool]) -> None:
    made = eval(
        describe(name).design, {"Ratings": Ratings, "Paired": Paired, "data": describe(name).load()}
    )
    assert check(made)


def test_quadrature_is_exact_for_polynomials() -> None:
    z, weight = gauss_hermite(5)
    moments = [float((weight * z**k).sum()) for k in range(9)]
    np.testing.assert_allclose(moments, [1, 0, 1, 0, 3, 0, 15, 0, 105], atol=1e-10)


@pytest.mark.parametrize(("mean", "sd"), [(2.0, 1.0), (9.6, 3.0), (19.5, 2.0), (-3.0, 1.0)])
def test_mean_of_rounded_normals_by_summing_over_the_values(mean: float, sd: float) -> None:
    """The direct sum of value x probability, with the probabilities of the ends open."""
    from scipy.stats import norm

    chance = [norm.cdf(k + 0.5, mean, sd) - norm.cdf(k - 0.5, mean, sd) for k in range(1, 20)]
    expected = sum(k * p for k, p in enumerate(chance, start=1)) + 20 * norm.sf(19.5, mean, sd)
    assert float(rounded_mean(np.array(mean), sd, 0, 20)) == pytest.approx(expected, abs=1e-12)


def test_rounding_and_ranks() -> None:
    assert rounded(np.array([-2.0, 0.49, 0.5, 1.5, 2.5, 9.0]), 0, 4).tolist() == [0, 0, 1, 2, 3, 4]
    dealt = ranks(np.random.Generator(np.random.PCG64(1)), 7, 3)
    assert (np.sort(dealt, axis=0) == np.arange(7)[:, None]).all()
