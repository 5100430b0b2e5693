"""Weights of agreement between levels: of names, of scores and of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from socialstats.agreement.rating_counts import NO_PAIR
from socialstats.arrays import AnyArray, FloatArray, scale_free
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, NothingToAnalyse, caution
from socialstats.text import count, listing, quoted, shorten
from socialstats.voice import Word, check_allowed, option

WeightsName = Literal["unweighted", "linear", "quadratic", "ordinal", "ratio"]
WEIGHTS: tuple[str, ...] = get_args(WeightsName)
WeightsKind = Literal["agreement", "disagreement"]
KINDS: tuple[str, ...] = get_args(WeightsKind)
NEAR = 1e-12  # share of the largest weight within which weights are equal
# weights as irr, statsmodels and vcd call them
SPELLED = {
    "squared": "quadratic",
    "fc": "quadratic",
    "Fleiss-Cohen": "quadratic",
    "equal": "linear",
    "ca": "linear",
    "Equal-Spacing": "linear",
}
MOST_LEVELS = 2000  # a table of weights of this many levels takes 32 MB


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AgreementWeights:
    """Weights with the name they go by.

    Attributes
    ----------
    name : str
        One of `WEIGHTS`, or ``"custom"``.
    matrix : (levels, levels) float64 array
        Symmetric, between 0 and 1, ones on the diagonal.
    cautions : tuple of Caution
        SS330, where ordinal levels are numbers at unequal distances.
    """

    name: str
    matrix: FloatArray
    cautions: tuple[Caution, ...] = ()


def weights_of(
    design: Ratings, weights: Any = "auto", *, kind: str = "agreement"
) -> AgreementWeights:
    """Return the agreement weights of a design's levels.

    Parameters
    ----------
    design : Ratings
    weights : str or (levels, levels) matrix
        ``"auto"``: unweighted for nominal levels, quadratic for all others. Names of irr, vcd and statsmodels are
        taken too.
    kind : {"agreement", "disagreement"}
        What a matrix holds.

    Raises
    ------
    InputError
        As `agreement_weights`; also for distances between levels that are declared to have no order, and for None:
        other packages mean unweighted agreement by it, or their default.
    NothingToAnalyse
        Without a rating.
    """
    if not design.levels:
        raise NothingToAnalyse(f"{design.source}: {NO_PAIR}")
    weights = SPELLED.get(weights, weights) if isinstance(weights, str) else weights
    name = weights if isinstance(weights, str) else "custom"
    if weights is None:
        raise InputError(
            f"{option('weights', None)} is unweighted in scikit-learn, and elsewhere the default. Say "
            f"{option('weights', 'unweighted')}, or {option('weights', 'quadratic')}; {option('weights', 'auto')} is "
            "the first for nominal levels, and the second for all others"
        )
    if name == "auto":
        name = weights = "unweighted" if design.scale == "nominal" else "quadratic"
    needs_order = name in WEIGHTS and name != "unweighted"
    if needs_order and design.scale == "nominal" and not design.numeric:
        raise InputError(
            f"{option('weights', name)} needs levels in an order, and these are nominal: "
            f"{quoted(list(design.levels))}. Declare "
            f"{option('levels', [Word('lowest'), Word('...'), Word('highest')])} and {option('scale', 'ordinal')}, or "
            f"use {option('weights', 'unweighted')}"
        )
    matrix = agreement_weights(weights, design.scores, kind=kind, levels=design.levels)
    return AgreementWeights(name=name, matrix=matrix, cautions=score_cautions(design, name))


def score_cautions(design: Ratings, name: str) -> tuple[Caution, ...]:
    """Caution SS330: weights follow the numbers of ordinal levels (as irrCAC), not their ranks (as vcd, psych)."""
    if (
        design.scale != "ordinal"
        or not design.numeric
        or name not in ("linear", "quadratic", "ratio")
    ):
        return ()
    steps = np.diff(np.sort(scale_free(design.scores)))
    if len(steps) < 2 or np.ptp(steps) <= NEAR * steps.max():
        return ()
    distances = f"the distances of the numbers {listing(design.levels, 6)}, not of their ranks"
    message = f"{option('weights', name)} take {distances}"
    fix = f"{option('weights', 'ordinal')} takes ranks, or pass a matrix"
    return (caution("SS330", message, affects="the coefficient", fix=fix),)


def agreement_weights(
    weights: Any,
    scores: Sequence[float] | FloatArray,
    *,
    kind: str = "agreement",
    levels: Sequence[str] | None = None,
) -> FloatArray:
    """Return the (levels, levels) matrix of agreement weights.

    Parameters
    ----------
    weights : {"unweighted", "linear", "quadratic", "ordinal", "ratio"} or (levels, levels) matrix
        With x the scores and d = x_i - x_j: linear 1 - abs(d)/range, quadratic 1 - (d/range)^2 (Cohen 1968), ratio 1 -
        (d/(x_i + x_j))^2 over its largest value, ordinal 1 - C(m, 2)/C(k, 2) with m the number of levels from i to j,
        both included (Gwet 2014). A data frame is put in the order of `levels` by its labels.
    scores : (levels,) array
        Numbers of the levels, all different.
    kind : {"agreement", "disagreement"}
        What a matrix holds: agreement has ones on its diagonal, disagreement zeros. Disagreement weights v (of any
        size) become 1 - v/max(v).
    levels : sequence of str, optional
        Labels, for messages and to order a data frame.

    Returns
    -------
    (levels, levels) float64 array
        Symmetric, between 0 and 1, ones on the diagonal.

    Raises
    ------
    InputError
        For an unknown name, scores that are equal or not finite, or ratio weights of negative scores. Also for a matrix
        that is not square, symmetric, of the right size and of the `kind` that was declared.

    References
    ----------
    Cohen, J. (1968). Weighted kappa. doi:10.1037/h0026256
    Gwet, K. L. (2014). Handbook of inter-rater reliability (4th ed.). Advanced Analytics.

    Examples
    --------
    >>> agreement_weights("quadratic", [1, 2, 5]).round(4).tolist()
    [[1.0, 0.9375, 0.0], [0.9375, 1.0, 0.4375], [0.0, 0.4375, 1.0]]
    >>> agreement_weights([[0, 1, 3], [1, 0, 6], [3, 6, 0]], [1, 2, 3], kind="disagreement")[0].tolist()
    [1.0, 0.8333333333333334, 0.5]
    """
    x = np.asarray(scores, dtype=np.float64)
    if x.ndim != 1 or not len(x) or not np.all(np.isfinite(x)) or len(np.unique(x)) != len(x):
        raise InputError(
            f"scores of the levels must be different finite numbers, not {shorten(str(x.tolist()))}"
        )
    check_allowed("kind", kind, KINDS)
    if not isinstance(weights, str):
        return from_matrix(order_by_levels(weights, levels), len(x), kind)
    if weights not in WEIGHTS:
        raise InputError(
            f"{option('weights', shorten(weights))} is not one of {', '.join(WEIGHTS)}, nor a matrix"
        )
    if kind != "agreement":
        raise InputError(
            f"{option('kind', kind)} describes a matrix; {option('weights', weights)} need none: leave "
            "kind out"
        )
    return np.ones((1, 1)) if len(x) == 1 else 1 - level_distances(weights, x)


def level_distances(name: str, x: FloatArray) -> FloatArray:
    """Distances between levels as a share of the largest one, (levels, levels)."""
    k = len(x)
    x = scale_free(x)
    gap = np.abs(x[:, None] - x[None, :])
    if name == "unweighted":
        return 1 - np.eye(k)
    if name == "ordinal":
        # C(m, 2), m = steps + 1 levels from one to the other in the order of the scores
        rank = np.argsort(np.argsort(x))
        steps = np.abs(rank[:, None] - rank[None, :]).astype(np.float64)
        raw = (steps + 1) * steps / 2
    elif name == "ratio":
        if np.any(x < 0):
            raise InputError(
                f"{option('weights', 'ratio')} needs levels of at least 0, not {x.min():g}; use "
                "'quadratic'"
            )
        total = x[:, None] + x[None, :]
        raw = np.divide(gap, total, out=np.zeros_like(gap), where=total > 0) ** 2
    else:
        raw = gap / gap.max() if name == "linear" else (gap / gap.max()) ** 2
    share: FloatArray = raw / raw.max()
    return share


def order_by_levels(weights: Any, levels: Sequence[str] | None) -> AnyArray:
    """Return a matrix as an array; a labelled one (data frame) in the order of the levels."""
    if hasattr(weights, "loc") and hasattr(weights, "columns") and levels is not None:
        names = [[str(label) for label in labels] for labels in (weights.index, weights.columns)]
        unlabelled = [str(i) for i in range(len(levels))]
        if names[0] == names[1] == unlabelled and set(unlabelled) != set(levels):
            return np.asarray(weights)
        for part, labels in zip(("rows", "columns"), names, strict=True):
            if sorted(labels) != sorted(levels):
                raise InputError(
                    f"the {part} of the weights are {quoted(labels)}, the levels {quoted(list(levels))}; "
                    "name both alike, or pass a plain matrix in the order of the levels"
                )
        rows, columns = ([labels.index(level) for level in levels] for labels in names)
        return np.asarray(weights)[np.ix_(rows, columns)]
    return np.asarray(weights)


def from_matrix(weights: AnyArray, k: int, kind: str) -> FloatArray:
    """Check a custom matrix and return it as agreement weights."""
    try:
        w = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"a matrix of weights must hold numbers ({shorten(str(error))})"
        ) from error
    if w.shape != (k, k):
        size = " x ".join(map(str, w.shape)) or "a single number"
        raise InputError(
            f"the weights are {size}; {k} levels need a {k} x {k} matrix, in the order of the levels"
        )
    if not np.all(np.isfinite(w)):
        raise InputError(
            "the matrix of weights has cells that are missing or infinite; fill all of them"
        )
    if np.abs(w - w.T).max() > NEAR * max(1.0, np.abs(w).max()):
        i, j = np.argwhere(np.abs(w - w.T) > NEAR * max(1.0, np.abs(w).max()))[0]
        raise InputError(
            f"the weights are not symmetric: row {i + 1}, column {j + 1} is {w[i, j]:g} and row {j + 1}, column "
            f"{i + 1} is {w[j, i]:g}; raters are exchangeable, give both the same"
        )
    # what stands on the diagonal of this kind of weights
    on, other_kind = (1, "disagreement") if kind == "agreement" else (0, "agreement")
    diagonal = np.diag(w)
    if np.any(np.abs(diagonal - on) > NEAR):
        hint = (
            f"; these look like {other_kind} weights: pass {option('kind', other_kind)}"
            if np.all(diagonal == 1 - on)
            else ""
        )
        raise InputError(
            f"{kind} weights have {on} on the diagonal, these have {diagonal.tolist()}{hint}"
        )
    if kind == "agreement" and (w.min() < 0 or w.max() > 1 + NEAR):
        beyond = w.min() if w.min() < 0 else w.max()
        raise InputError(f"agreement weights lie between 0 and 1, not {beyond:g}; rescale them")
    if w.min() < 0:
        raise InputError(f"disagreement weights are not negative, these have {w.min():g}")
    if len(w) == 1:
        return np.ones((1, 1))
    if np.all(w >= 1) if kind == "agreement" else w.max() <= 0:
        raise InputError(f"all {kind} weights are {on}: every choice would agree with every other")
    return np.minimum(w, 1.0) if kind == "agreement" else 1 - w / w.max()


def reliability_weights(design: Ratings, weights: Any, kind: str, refusal: str) -> AgreementWeights:
    """Return the weights of the levels, with a row and column for refusals where these are a level.

    Raises
    ------
    InputError
        If there are too many levels for a table of weights, or a refusal is a level and the levels are weighted.
    """
    if len(design.levels) > MOST_LEVELS:
        raise InputError(
            f"{count(len(design.levels), 'different value')}, too many for levels of agreement (at most "
            f"{count(MOST_LEVELS)}): group the values, or use krippendorff_alpha(scale='interval')"
        )
    agreement = weights_of(design, weights, kind=kind)
    if refusal == "missing":
        return agreement
    if agreement.name != "unweighted":
        raise InputError(
            f"{option('refusal', 'level')} needs {option('weights', 'unweighted')}: '{agreement.name}' has "
            "no place for a refusal"
        )
    return AgreementWeights(name=agreement.name, matrix=np.eye(len(design.levels) + 1))
