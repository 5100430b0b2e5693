"""Accuracy, precision, recall, F1 and the like from one confusion table: is there any table that has all of them?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any, Literal

from socialstats.audit.checks.variants import FAR, Range, Variant, judge, nearly, span
from socialstats.audit.numbers import Finding, Printed, possible, printed, unchecked, whole
from socialstats.errors import InputError

TABLES = 2_000_000  # so many are tried one by one
# boxes that are left undecided, and halvings, after which a table counts as possible
BOXES, STEPS = 4_000, 30
CELLS = ("tp", "fp", "fn", "tn")


def _ratio(x: Any, y: Any) -> Any:
    """Divide arrays; 0 / 0 is 0, as scikit-learn has it."""
    import numpy as np

    x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
    return np.divide(x, y, out=np.zeros(x.shape), where=y != 0)


def metrics(tp: Any, fp: Any, fn: Any, tn: Any) -> dict[str, Any]:
    """Return every measure of a confusion table, or of arrays of them.

    Examples
    --------
    >>> {name: round(float(x), 3) for name, x in metrics(40, 10, 20, 30).items() if name in ("f1", "mcc")}
    {'f1': 0.727, 'mcc': 0.408}
    """
    import numpy as np

    tp, fp, fn, tn = (np.asarray(x, float) for x in (tp, fp, fn, tn))
    recall, specificity = _ratio(tp, tp + fn), _ratio(tn, tn + fp)
    return {
        "accuracy": _ratio(tp + tn, tp + fp + fn + tn),
        "precision": _ratio(tp, tp + fp),
        "recall": recall,
        "specificity": specificity,
        "f1": _ratio(2 * tp, 2 * tp + fp + fn),
        "balanced_accuracy": (recall + specificity) / 2,
        "mcc": _ratio(tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))),
    }


def confusion(
    *,
    tp: Any = None,
    fp: Any = None,
    fn: Any = None,
    tn: Any = None,
    n: Any = None,
    accuracy: Any = None,
    precision: Any = None,
    recall: Any = None,
    specificity: Any = None,
    f1: Any = None,
    balanced_accuracy: Any = None,
    mcc: Any = None,
    scale: int = 1,
    average: Literal["any", "binary"] = "any",
) -> Finding:
    """Check that one confusion table can have all the numbers that are printed of it.

    With all four counts each measure is computed. With n every whole table is tried, as long as they are few. Otherwise
    every prevalence, recall and precision is tried; all measures are monotone functions of them.

    Parameters
    ----------
    tp, fp, fn, tn, n : whole number, optional
    accuracy, precision, recall, specificity, f1, balanced_accuracy, mcc : printed number, optional
        Shares, percentages with ``%``, or numbers in percent with ``scale=100``.
    scale : int
    average : {"any", "binary"}
        ``any``: precision, recall and F1 may be averages over classes, unless a count or the specificity is given. Then
        only an F1 above the harmonic mean of precision and recall is impossible (its mean over classes is concave).

    Returns
    -------
    Finding
        ``details["instead"]`` names the numbers of which each, left out, leaves the others possible.

    Examples
    --------
    >>> confusion(tp=40, fp=10, fn=20, tn=30, f1="0.73", accuracy="0.75").message
    'sources disagree: accuracy = 0.75 is printed, the table of tp 40, fp 10, fn 20, tn 30 gives accuracy = 0.7'
    >>> confusion(precision="0.80", recall="0.60", f1="0.73").verdict
    'disagree'
    >>> confusion(n=50, accuracy="0.72", recall="0.67", specificity="0.80", average="binary").verdict
    'agree'
    """
    measures = {
        "accuracy": accuracy,
        "precision": precision,
        "recall": recall,
        "specificity": specificity,
        "f1": f1,
        "balanced_accuracy": balanced_accuracy,
        "mcc": mcc,
    }
    numbers = {name: printed(x).share(scale) for name, x in measures.items() if x is not None}
    cells = dict(zip(CELLS, (tp, fp, fn, tn), strict=True))
    counts = {name: whole(x, name, least=0) for name, x in cells.items() if x is not None}
    size = None if n is None else whole(n, "n")
    total = sum(counts.values())
    if size is not None and total > size:
        variants = [Variant(name="the sum", gives={"n": (Fraction(total), FAR)})]
        return judge("confusion", {"n": n}, variants, _in_words(counts))
    if size is not None and len(counts) == 3:
        counts |= {name: size - total for name in CELLS if name not in counts}
    if len(counts) == 4 or (counts and size is None):
        return _of_counts(counts, numbers if n is None else {**numbers, "n": printed(n)})
    if not numbers:
        raise InputError(
            "give a measure of the table: accuracy, precision, recall, specificity, f1, mcc ..."
        )
    if average == "any" and not counts and "specificity" not in numbers:
        return _of_classes(numbers)
    return _of_measures(numbers, counts, size)


def _in_words(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _of_measures(
    numbers: Mapping[str, Printed], counts: Mapping[str, int], size: int | None
) -> Finding:
    """Look for a table that has all measures; of a disagreement, which measures make it, and whether it is small."""
    ranges = {name: number.bounds for name, number in numbers.items()}
    text = ", ".join(f"{name} = {number.text}" for name, number in numbers.items())
    instead = []
    for name in numbers if len(numbers) > 1 else ():
        without = {key: ends for key, ends in ranges.items() if key != name}
        if _searched(without, counts, size):
            instead.append(name)
    last = list(numbers)[-1]
    table = f"table of {size or 'counts'}"
    explained = f"; without {' or '.join(instead)} one would" if instead else ""
    finding = possible(
        "confusion",
        text,
        {last: numbers[last]},
        lambda x: _searched({**ranges, last: x.bounds}, counts, size),
        yes=f"{text}: some {table} has all of them",
        no=f"no {table} has {text}{explained}",
    )
    if finding:
        return finding
    near = any(
        _searched({**ranges, name: number.shifted(step).bounds}, counts, size)
        for name, number in numbers.items()
        for step in (-1, 1)
    )
    return replace(
        finding,
        severity="minor" if near else "major",
        expected=f"another {' or '.join(instead)}".strip(),
        details={"instead": instead},
    )


def _of_counts(counts: Mapping[str, int], numbers: Mapping[str, Printed]) -> Finding:
    """Compare each number with that of the counts; of some counts only those that the others cannot change."""

    def table_of(rest: int) -> list[int]:
        return [counts.get(name, rest) for name in CELLS]

    def points_of(cells: Sequence[int]) -> dict[str, float]:
        return {k: float(x) for k, x in metrics(*cells).items()} | {"n": float(sum(cells))}

    # what the other counts do not change
    points, changed = points_of(table_of(0)), points_of(table_of(997))
    decided = {k: x for k, x in numbers.items() if points[k] == changed[k]}
    text = _in_words(counts)
    if not decided:
        message = f"{text} alone give none of {', '.join(numbers) or 'the measures'}: give the other counts"
        return unchecked("confusion", message)
    variants = [Variant(name="the table", gives={k: nearly(points[k]) for k in decided})]
    if len(counts) == 4:
        exchanged = points_of(table_of(0)[::-1])
        weights = {
            "the classes exchanged": 0.0,
            "the average over both classes": 0.5,
            "the one by size": (counts["tp"] + counts["fn"]) / max(points["n"], 1.0),
        }
        for name, w in weights.items():
            mixed = {k: nearly(w * points[k] + (1 - w) * exchanged[k]) for k in decided}
            variants.append(Variant(name=name, usual=False, gives=mixed))
    return judge("confusion", decided, variants, text)


def _of_classes(numbers: Mapping[str, Printed]) -> Finding:
    if not {"precision", "recall", "f1"} <= set(numbers):
        return unchecked(
            "confusion", "averages over classes may be any: give counts, or average='binary'"
        )
    precision, recall = numbers["precision"], numbers["recall"]
    highest = span(_harmonic_mean, precision.bounds, recall.bounds)[1]
    source = f"precision {precision.text} and recall {recall.text}"
    name = "an F1 of at most the harmonic mean"
    variants = [Variant(name=name, gives={"f1": (Fraction(0), highest)})]
    return judge("confusion", {"f1": numbers["f1"]}, variants, source)


def _harmonic_mean(x: float, y: float) -> float:
    return 2 * x * y / (x + y) if x + y > 0 else 0.0


def _searched(ranges: Mapping[str, Range], counts: Mapping[str, int], n: int | None) -> bool:
    """Return whether a table can have all measures within their ranges."""
    if n is None or (n + 1) ** (3 - len(counts)) > TABLES:
        return _boxes(ranges)
    tables = _whole_tables(tuple(counts.items()), n)
    fits = tables["accuracy"] >= 0
    for name, (low, high) in ranges.items():
        fits &= (tables[name] >= float(low) - 1e-12) & (tables[name] <= float(high) + 1e-12)
    return bool(fits.any())


@lru_cache(maxsize=2)
def _whole_tables(counts: tuple[tuple[str, int], ...], n: int) -> dict[str, Any]:
    """Return the measures of every table of n with some known counts."""
    import numpy as np

    fixed = dict(counts)
    axes = [np.array([fixed[name]]) if name in fixed else np.arange(n + 1) for name in CELLS]
    free = max(i for i, axis in enumerate(axes) if len(axis) > 1)  # it follows from the others
    axes[free] = np.zeros(1, int)
    cells = [cell.ravel() for cell in np.meshgrid(*axes, indexing="ij")]
    cells[free] = n - np.sum(cells, axis=0)
    fine = cells[free] >= 0
    return metrics(*(cell[fine] for cell in cells))


def _boxes(ranges: Mapping[str, Range]) -> bool:
    """Return whether some prevalence q, recall r and precision p have all measures: boxes that cannot are dropped.

    Each measure is monotone in q, r and p while the others stay, so that its range over a box is that of the corners:
    fp = q r (1 - p) / p, accuracy = 1 - q (1 - 2 r + r/p), mcc = (p - q) sqrt(r) / sqrt((1 - q)(p - q r)).
    """
    import numpy as np

    whole_range = Fraction(0), Fraction(1)
    axes = [whole_range, *(ranges.get(name, whole_range) for name in ("recall", "precision"))]
    boxes = np.clip(np.array([axes], dtype=np.float64), 0.0, 1.0)

    def measures(q: Any, r: Any, p: Any) -> dict[str, Any]:
        with np.errstate(all="ignore"):
            specificity = 1 - q * r * (1 - p) / p / (1 - q)
            return {
                "accuracy": 1 - q * (1 - 2 * r + r / p),
                "precision": p,
                "recall": r,
                "specificity": specificity,
                "f1": 2 * p * r / (p + r),
                "balanced_accuracy": (r + specificity) / 2,
                "mcc": (p - q) * np.sqrt(r) / np.sqrt((1 - q) * (p - q * r)),
            }

    for _ in range(STEPS):
        corners = [
            measures(*(boxes[:, axis, end] for axis, end in enumerate(at)))
            for at in product((0, 1), repeat=3)
        ]
        middle = boxes.mean(axis=2)
        at_middle = measures(*middle.T)
        # false positives are no more than the negatives: at the most favourable corner, and in the middle
        keep = _has_negatives(boxes[:, 0, 0], boxes[:, 1, 0], boxes[:, 2, 1], 1e-12)
        fits = _has_negatives(*middle.T)
        for name, (low, high) in ranges.items():
            values = np.array([corner[name] for corner in corners])
            unclear = np.isnan(values).any(axis=0)
            below = values.min(axis=0) <= float(high) + 1e-9
            above = values.max(axis=0) >= float(low) - 1e-9
            keep &= unclear | (below & above)
            fits &= (at_middle[name] >= float(low)) & (at_middle[name] <= float(high))
        if fits.any() or not keep.any():
            return bool(fits.any())
        boxes = boxes[keep]
        if len(boxes) > BOXES:
            break
        axis = np.argmax(boxes[:, :, 1] - boxes[:, :, 0], axis=1)
        low, high = boxes.copy(), boxes.copy()
        rows = np.arange(len(boxes))
        low[rows, axis, 1] = high[rows, axis, 0] = middle[keep][rows, axis]
        boxes = np.concatenate([low, high])
    return True


def _has_negatives(q: Any, r: Any, p: Any, slack: float = 0.0) -> Any:
    return q * r * (1 - p) <= (1 - q) * p + slack
