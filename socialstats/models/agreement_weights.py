"""Agreement weights: how much two raters who chose two levels agree, from 0 (not at all) to 1 (the same level).

One place for kappa, Gwet's coefficients and percent agreement. Distances between levels are those of their numbers
where the levels are numbers (a level that nobody used changes nothing), else of their declared positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from socialstats.arrays import AnyArray, FloatArray
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, caution
from socialstats.results.scaling import scaled
from socialstats.text import listing, quoted, shorten

WeightsName = Literal["unweighted", "linear", "quadratic", "ordinal", "ratio"]
WEIGHTS: tuple[str, ...] = get_args(WeightsName)
WeightsKind = Literal["agreement", "disagreement"]
KINDS: tuple[str, ...] = get_args(WeightsKind)
NEAR = 1e-12


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


def weights_of(design: Ratings, weights: Any = None, *, kind: str = "agreement") -> AgreementWeights:
    """Return the agreement weights of a design's levels.

    Parameters
    ----------
    design : Ratings
    weights : str, (levels, levels) matrix or None
        None: unweighted for nominal levels, quadratic for all others.
    kind : {"agreement", "disagreement"}
        What a matrix holds.

    Raises
    ------
    InputError
        As `agreement_weights`; also for distances between levels that are declared to have no order.
    """
    name = weights if isinstance(weights, str) else "custom"
    if weights is None:
        name = weights = "unweighted" if design.scale == "nominal" else "quadratic"
    if name not in ("unweighted", "custom") and name in WEIGHTS and design.scale == "nominal" and not design.numeric:
        raise InputError(
            f"weights='{name}' needs levels in an order, and these are nominal: {quoted(list(design.levels))}. "
            "Declare levels=[lowest, ..., highest] and scale='ordinal', or use weights='unweighted'"
        )
    matrix = agreement_weights(weights, design.scores, kind=kind, levels=design.levels)
    return AgreementWeights(name=name, matrix=matrix, cautions=numbers_taken(design, name))


def numbers_taken(design: Ratings, name: str) -> tuple[Caution, ...]:
    """Caution SS330: weights follow the numbers of ordinal levels (as irrCAC), not their ranks (as vcd, psych)."""
    if design.scale != "ordinal" or not design.numeric or name not in ("linear", "quadratic", "ratio"):
        return ()
    steps = np.diff(np.sort(scaled(design.scores)))
    if len(steps) < 2 or np.ptp(steps) <= NEAR * steps.max():
        return ()
    said = f"weights='{name}' take the distances of the numbers {listing(design.levels, 6)}, not of their ranks"
    return (caution("SS330", said, affects="the coefficient", fix="weights='ordinal' takes ranks, or pass a matrix"),)


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
        With x the scores and d = x_i - x_j: linear 1 - |d|/range, quadratic 1 - (d/range)^2 (Cohen 1968), ratio
        1 - (d/(x_i + x_j))^2 over its largest value, ordinal 1 - C(m, 2)/C(k, 2) with m the number of levels from i
        to j, both included (Gwet 2014).
        A data frame is put in the order of `levels` by its labels.
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
        For an unknown name, scores that are equal or not finite, ratio weights of negative scores, or a matrix that
        is not square, symmetric, of the right size and of the `kind` that was declared.

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
        raise InputError(f"scores of the levels must be different finite numbers, not {shorten(str(x.tolist()))}")
    if kind not in KINDS:
        raise InputError(f"kind='{kind}' is not one of {', '.join(KINDS)}")
    if not isinstance(weights, str):
        return from_matrix(in_order(weights, levels), len(x), kind)
    if weights not in WEIGHTS:
        raise InputError(f"weights='{shorten(weights)}' is not one of {', '.join(WEIGHTS)}, nor a matrix")
    if kind != "agreement":
        raise InputError(f"kind='{kind}' describes a matrix; weights='{weights}' need none: leave kind out")
    return np.ones((1, 1)) if len(x) == 1 else 1 - distances(weights, x)


def distances(name: str, x: FloatArray) -> FloatArray:
    """Distances between levels as a share of the largest one, (levels, levels)."""
    k = len(x)
    x = scaled(x)
    far = np.abs(x[:, None] - x[None, :])
    if name == "unweighted":
        return 1 - np.eye(k)
    if name == "ordinal":  # C(m, 2), m = steps + 1 levels from one to the other in the order of the scores
        rank = np.argsort(np.argsort(x))
        steps = np.abs(rank[:, None] - rank[None, :]).astype(np.float64)
        raw = (steps + 1) * steps / 2
    elif name == "ratio":
        if np.any(x < 0):
            raise InputError(f"weights='ratio' needs levels of at least 0, not {x.min():g}; use 'quadratic'")
        both = x[:, None] + x[None, :]
        raw = np.divide(far, both, out=np.zeros_like(far), where=both > 0) ** 2
    else:
        raw = far / far.max() if name == "linear" else (far / far.max()) ** 2
    share: FloatArray = raw / raw.max()
    return share


def in_order(weights: Any, levels: Sequence[str] | None) -> AnyArray:
    """Return a matrix as an array; a labelled one (data frame) in the order of the levels."""
    if hasattr(weights, "loc") and hasattr(weights, "columns") and levels is not None:
        names = [[str(label) for label in labels] for labels in (weights.index, weights.columns)]
        unlabelled = [str(i) for i in range(len(levels))]
        if names[0] == names[1] == unlabelled and set(unlabelled) != set(levels):
            return np.asarray(weights)
        for part, found in zip(("rows", "columns"), names, strict=True):
            if sorted(found) != sorted(levels):
                raise InputError(
                    f"the {part} of the weights are {quoted(found)}, the levels {quoted(list(levels))}; "
                    "name both alike, or pass a plain matrix in the order of the levels"
                )
        rows, columns = ([found.index(level) for level in levels] for found in names)
        return np.asarray(weights)[np.ix_(rows, columns)]
    return np.asarray(weights)


def from_matrix(weights: AnyArray, k: int, kind: str) -> FloatArray:
    """Check a custom matrix and return it as agreement weights."""
    try:
        w = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"a matrix of weights must hold numbers ({shorten(str(error))})") from error
    if w.shape != (k, k):
        size = " x ".join(map(str, w.shape)) or "a single number"
        raise InputError(f"the weights are {size}; {k} levels need a {k} x {k} matrix, in the order of the levels")
    if not np.all(np.isfinite(w)):
        raise InputError("the matrix of weights has cells that are missing or infinite; fill all of them")
    if np.abs(w - w.T).max() > NEAR * max(1.0, np.abs(w).max()):
        i, j = np.argwhere(np.abs(w - w.T) > NEAR * max(1.0, np.abs(w).max()))[0]
        raise InputError(
            f"the weights are not symmetric: row {i + 1}, column {j + 1} is {w[i, j]:g} and row {j + 1}, column "
            f"{i + 1} is {w[j, i]:g}; raters are exchangeable, give both the same"
        )
    return agreement(w) if kind == "agreement" else disagreement(w)


def agreement(w: FloatArray) -> FloatArray:
    """Check agreement weights: ones on the diagonal, all between 0 and 1, some below 1."""
    diagonal = np.diag(w)
    if np.any(np.abs(diagonal - 1) > NEAR):
        hint = "; these look like disagreement weights: pass kind='disagreement'" if not diagonal.any() else ""
        raise InputError(f"agreement weights have 1 on the diagonal, these have {diagonal.tolist()}{hint}")
    if w.min() < 0 or w.max() > 1 + NEAR:
        wrong = w.min() if w.min() < 0 else w.max()
        raise InputError(f"agreement weights lie between 0 and 1, not {wrong:g}; rescale them")
    if len(w) > 1 and w.min() >= 1:
        raise InputError("all agreement weights are 1: every choice would agree with every other")
    return np.minimum(w, 1.0)


def disagreement(v: FloatArray) -> FloatArray:
    """Turn disagreement weights (zeros on the diagonal, none negative, some positive) into agreement weights."""
    diagonal = np.diag(v)
    if np.any(np.abs(diagonal) > NEAR):
        hint = "; these look like agreement weights: pass kind='agreement'" if np.all(diagonal == 1) else ""
        raise InputError(f"disagreement weights have 0 on the diagonal, these have {diagonal.tolist()}{hint}")
    if v.min() < 0:
        raise InputError(f"disagreement weights are not negative, these have {v.min():g}")
    if len(v) == 1:
        return np.ones((1, 1))
    if v.max() <= 0:
        raise InputError("all disagreement weights are 0: every choice would agree with every other")
    w: FloatArray = 1 - v / v.max()
    return w
