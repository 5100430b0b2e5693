"""Modes of counted answers, and how far each level lies from them."""

from __future__ import annotations

import numpy as np

from socialstats.arrays import BoolArray, FloatArray

FEW_LEVELS = 8  # a byte holds which of so many levels have the most answers


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
        Where several levels have the most answers: the mean of their scores, the lowest, the highest, the one nearest
        to the answer, or no mode.
    refusal : {"max", "item_max", "exclude"} or float
        Distance of a refusal: the width of the scale, the largest distance of any level from this mode, none (0 is
        filled in), or a number.

    Returns
    -------
    distances : (..., k + 1) float64 array
        The last column is the refusal. 0 where there is no mode.
    has_mode : (...) bool array

    Examples
    --------
    >>> distances, has_mode = mode_distances(np.array([[0.0, 3, 3, 0]]), np.arange(4.0), "mean", "max")
    >>> distances.tolist(), has_mode.tolist()
    ([[1.5, 0.5, 0.5, 1.5, 3.0]], [True])
    """
    k = counts.shape[-1]
    if k <= FEW_LEVELS and counts.size > k << k:
        return looked_up_distances(counts, scores, ties, refusal)
    most = counts.max(axis=-1)
    has_mode = most > 0
    tied = counts == most[..., None]
    if ties == "drop":
        has_mode = has_mode & (tied.sum(axis=-1) == 1)
    # laid out as the counts are
    distances = np.empty_like(counts, shape=(*counts.shape[:-1], len(scores) + 1))
    if ties == "nearest":
        gaps = np.abs(np.subtract.outer(scores, scores))
        distances[..., :-1] = np.where(tied[..., None], gaps, np.inf).min(axis=-2)
    else:
        if ties == "low":
            mode = scores[tied.argmax(axis=-1)]
        elif ties == "high":
            mode = scores[::-1][tied[..., ::-1].argmax(axis=-1)]
        else:
            mode = (tied * scores).sum(axis=-1) / tied.sum(axis=-1)
        np.abs(mode[..., None] - scores, out=distances[..., :-1])
    if isinstance(refusal, str):
        width, farthest = float(scores[-1] - scores[0]), distances[..., :-1].max(axis=-1)
        distances[..., -1] = {"max": width, "item_max": farthest, "exclude": 0.0}[refusal]
    else:
        distances[..., -1] = refusal
    distances[~has_mode] = 0.0
    return distances, has_mode


def looked_up_distances(
    counts: FloatArray, scores: FloatArray, ties: str, refusal: str | float
) -> tuple[FloatArray, BoolArray]:
    """Return the same as `mode_distances`, which is called once for all sets of levels that may have most answers."""
    k = counts.shape[-1]
    most = counts.max(axis=-1)
    # a bit for each level that has the most answers
    bits = np.zeros_like(most, dtype=np.uint8)
    for level in range(k):
        bits |= (counts[..., level] == most).astype(np.uint8) << np.uint8(level)
    bits *= most > 0
    place = bits.astype(np.intp)
    sets = (np.arange(1 << k)[:, None] >> np.arange(k)) & 1
    of_sets, has_mode = mode_distances(sets.astype(np.float64), scores, ties, refusal)
    distances = np.empty_like(counts, shape=(*most.shape, k + 1))
    for level in range(k + 1):
        distances[..., level] = of_sets[:, level][place]
    return distances, has_mode[place]
