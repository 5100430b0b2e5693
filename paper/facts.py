"""Demonstrate each line of the paper's table with the packages that are installed: ``python paper/facts.py``."""

from __future__ import annotations

import importlib
import importlib.metadata
import inspect
import re
import warnings
from collections.abc import Callable
from typing import Any

CLUSTERS = ("cluster", "clusters", "group", "groups")
GAMES = [(0, 1), (1, 2), (2, 0), (0, 2)]
RATINGS = [[1, 2, 3, 1, 2], [1, 2, 3, 2, 2]]


def named(function: Callable[..., Any]) -> set[str]:
    """Return the arguments of a function that name clusters."""
    return set(CLUSTERS) & set(inspect.signature(function).parameters)


def socialstats(package: Any) -> None:
    """Models and means take one cluster or two crossed ones, with errors CR2; other coefficients take clusters."""
    games = package.datasets.baseball()
    for cluster in ("pair", ["pair", "home"]):
        fit = package.bradley_terry(games, cluster=cluster)
        assert all(row.std_error is not None for row in fit.rows if row.role == "estimate")
    assert "CR2" in package.bradley_terry(games, cluster="pair").inference
    for name in (
        "mean_ratings",
        "paired_difference",
        "krippendorff_alpha",
        "weighted_kappa",
        "choice_shares",
    ):
        assert "cluster" in named(getattr(package, name)), name


def choix(package: Any) -> None:
    """Maximum likelihood returns strengths alone; expectation propagation a mean and a covariance."""
    assert package.ilsr_pairwise(3, GAMES).shape == (3,)
    mean, covariance = package.ep_pairwise(3, GAMES, alpha=1.0)
    assert (mean.shape, covariance.shape) == ((3,), (3, 3))
    assert not named(package.ilsr_pairwise) | named(package.ep_pairwise)


def evalica(package: Any) -> None:
    """Ratings have scores and no error; intervals come from a bootstrap of comparisons."""
    fields = package.BradleyTerryResult.__annotations__
    assert "scores" in fields
    assert not any("err" in name or "conf" in name for name in fields)
    assert "confidence_level" in inspect.signature(package.bootstrap).parameters
    assert callable(package.elo)
    assert (
        not named(package.bootstrap) | named(package.bradley_terry) | named(package.alpha_bootstrap)
    )


def arena_rank(package: Any) -> None:
    """Intervals are of the sandwich or the bootstrap."""
    model = importlib.import_module(f"{package.__name__}.models.bradley_terry").BradleyTerry
    assert "ci_method" in inspect.signature(model.compute_ratings_and_cis).parameters
    assert not named(model.compute_ratings_and_cis)


def krippendorff(package: Any) -> None:
    """Alpha is a number."""
    assert isinstance(
        float(package.alpha(reliability_data=RATINGS, level_of_measurement="nominal")), float
    )
    assert not named(package.alpha)


def irrcac(package: Any) -> None:
    """Each coefficient has a standard error, an interval and a p-value."""
    import pandas as pd

    table = importlib.import_module(f"{package.__name__}.raw").CAC
    for name in ("gwet", "krippendorff", "fleiss", "conger"):
        found = getattr(table(pd.DataFrame(RATINGS).T), name)()["est"]
        assert {"se", "confidence_interval", "p_value"} <= set(found)
    assert not named(table)


def pingouin(package: Any) -> None:
    """Tests, equivalence and effect sizes take no clusters."""
    for name in ("ttest", "tost", "compute_effsize", "compute_esci", "intraclass_corr"):
        assert not named(getattr(package, name)), name


def statsmodels(package: Any) -> None:
    """One-way clusters are CRV1 or CRV3, two-way CRV1, GEE reduces bias; no CR2 with degrees of freedom."""
    home = importlib.import_module(f"{package.__name__}.stats.sandwich_covariance")
    assert named(home.cov_cluster) == {"group"}
    assert {"group", "group2"} <= set(inspect.signature(home.cov_cluster_2groups).parameters)
    assert "CRV3" in inspect.getsource(home)
    assert "cr2" not in inspect.getsource(home).lower()
    gee = importlib.import_module(f"{package.__name__}.genmod.generalized_estimating_equations").GEE
    assert {"groups"} <= named(gee.__init__)
    assert '"bias_reduced"' in inspect.getsource(gee.fit)


def inspect_ai(package: Any) -> None:
    """Standard errors and intervals of a mean take one cluster."""
    home = importlib.import_module(f"{package.__name__}.scorer._metrics.std")
    text = inspect.getsource(home)
    for name in ("stderr", "ci", "ci_wilson"):
        arguments = re.search(rf"^def {name}\((.*?)\) -> ", text, re.M | re.S)
        assert arguments is not None, name
        assert "cluster: str | None = None" in arguments[1], name
    assert 'Literal["t", "bootstrap"]' in text


FACTS = {
    "socialstats": socialstats,
    "choix": choix,
    "evalica": evalica,
    "arena_rank": arena_rank,
    "krippendorff": krippendorff,
    "irrCAC": irrcac,
    "pingouin": pingouin,
    "statsmodels": statsmodels,
    "inspect_ai": inspect_ai,
}


def main() -> None:
    """Print which lines hold, with the version that was asked."""
    warnings.simplefilter("ignore")
    for name, holds in FACTS.items():
        try:
            package = importlib.import_module(name)
        except ImportError:
            print(f"{name}: not installed")
            continue
        holds(package)
        print(f"{name} {importlib.metadata.version(name.replace('_', '-'))}: holds")


if __name__ == "__main__":
    main()
