"""Modes of counted answers on an ordered scale, and how far every possible answer lies from them."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from socialstats.arrays import BoolArray, FloatArray

ModeTies = Literal["mean", "low", "high", "nearest", "drop"]
MODE_TIES: tuple[str, ...] = get_args(ModeTies)
RefusalRule = Literal["max", "item_max", "exclude"]
REFUSAL_RULES: tuple[str, ...] = get_args(RefusalRule)
MOST_SETS = 1024  # sets of levels whose modes are worked out beforehand


def mode_distances(
    counts: FloatArray, scores: FloatArray, ties: str, refusal: str | float
) -> tuple[FloatArray, BoolArray]:
    """Return how far each level, and a refusal, lies from the mode of each row of counts.

    Parameters
    ----------
    counts : (..., k) float64 array
        Answers of each level; any numbers from 0 upwards.
    scores : (k,) float64 array, ascending
        Positions of the levels.
    ties : {"mean", "low", "high", "nearest", "drop"}
        Several levels with most answers: the mean of the scores of all of them, the lowest, the highest, the one
        nearest to the answer, or no mode.
    refusal : {"max", "item_max", "exclude"} or float
        Distance of a refusal: the width of the scale, the largest distance of any level from this mode, none (0 is
        filled in), or a number.

    Returns
    -------
    distances : (..., k + 1) float64 array
        The last column is the refusal. 0 where there is no mode.
    known : (...) bool array
        Whether there is a mode.

    Examples
    --------
    >>> distances, known = mode_distances(np.array([[0.0, 3, 3, 0]]), np.arange(4.0), "mean", "max")
    >>> distances.tolist(), known.tolist()
    ([[1.5, 0.5, 0.5, 1.5, 3.0]], [True])
    """
    most = largest(counts)
    known = most > 0
    tied = [counts[..., level] == most for level in range(len(scores))]
    if ties == "drop":
        known = known & (np.sum(tied, axis=0, dtype=np.int64) == 1)
    out = np.empty_like(counts, shape=(*counts.shape[:-1], len(scores) + 1))  # laid out as the counts are
    if ties == "nearest":
        out[..., :-1] = nearest_distances(np.stack(tied, axis=-1), scores)
    else:
        mode = modes_of(tied, scores, ties)
        for level, score in enumerate(scores):
            np.abs(mode - score, out=out[..., level])
    out[..., -1] = refused_distance(out[..., :-1], scores, refusal)
    if not known.all():
        out[~known] = 0.0
    return out, known


def largest(counts: FloatArray) -> FloatArray:
    """Return the largest of each row, (..., k) to (...); level by level, which for few levels is the fastest."""
    most = np.copy(counts[..., 0])
    for level in range(1, counts.shape[-1]):
        np.maximum(most, counts[..., level], out=most)
    return most


def modes_of(tied: list[BoolArray], scores: FloatArray, ties: str) -> FloatArray:
    """Return one score for the tied levels, k arrays of (...) to (...); of few levels each set is worked out once."""
    sets = 1 << len(scores)
    if sets <= MOST_SETS < tied[0].size:
        code = np.zeros_like(tied[0], dtype=np.uint16)
        for level, one in enumerate(tied):
            code |= one * np.uint16(1 << level)
        each = modes_of([np.arange(sets) >> level & 1 > 0 for level in range(len(scores))], scores, ties)
        return np.asarray(each[code.astype(np.intp)])
    total, size = (np.zeros_like(tied[0], dtype=np.float64) for _ in range(2))
    order = list(zip(tied, scores.tolist(), strict=True))
    if ties in ("low", "high"):
        for one, score in reversed(order) if ties == "low" else order:
            np.copyto(total, score, where=one)  # the last one written stands
        return total
    for one, score in order:
        total += one * score
        size += one
    return np.asarray(total / np.maximum(size, 1.0))


def nearest_distances(top: BoolArray, scores: FloatArray) -> FloatArray:
    """Return the distance of each level from the nearest of the tied ones, (..., k)."""
    out = np.full(top.shape, np.inf)
    for level, score in enumerate(scores):
        reach = np.where(top[..., level, None], np.abs(scores - score), np.inf)
        np.minimum(out, reach, out=out)
    return np.where(np.isfinite(out), out, 0.0)


def refused_distance(distances: FloatArray, scores: FloatArray, refusal: str | float) -> FloatArray | float:
    """Return the distance that a refusal counts."""
    if refusal == "item_max":
        return np.asarray(distances.max(axis=-1))
    if refusal == "max":
        return float(scores[-1] - scores[0])
    return 0.0 if isinstance(refusal, str) else float(refusal)
