"""Order effect and covariates as columns: each side is evaluated alone, then side b is subtracted from side a."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.comparisons import Comparisons, Covariate
from socialstats.errors import InputError
from socialstats.text import count, shorten

ORDER = "order"
SMALLEST, LARGEST = 1e-7, 1e7  # differences beyond these make the information singular to working precision
PLAIN = re.compile(r"^[A-Za-z_]\w*(\s*\+\s*[A-Za-z_]\w*)*$")


def effect_columns(design: Comparisons, formula: str | None, *, order: bool) -> tuple[FloatArray, tuple[str, ...]]:
    """Return the (cells, k) matrix of differences and the names of its columns.

    Parameters
    ----------
    design : Comparisons
    formula : str or None
        One-sided formula in the names of the covariates without their side, such as ``"~ urgency + C(domain)"``.
    order : bool
        Adds a column that is +1 where item_a was shown first and -1 where item_b was.

    Raises
    ------
    InputError
        For a formula that cannot be evaluated, and covariates in a unit that no computer's numbers hold beside 1.
    """
    columns = [design.first.astype(np.float64)[:, None]] if order else []
    names: tuple[str, ...] = (ORDER,) if order else ()
    if formula is not None:
        matrix, found = _formula(design, formula)
        _refuse_sizes(matrix, found)
        columns.append(matrix)
        names += found
    n = len(design.item_a)
    return (np.hstack(columns) if columns else np.zeros((n, 0))), names


def _refuse_sizes(matrix: FloatArray, names: tuple[str, ...]) -> None:
    """Refuse columns whose differences are so large or small that their slope is lost in rounding."""
    for name, size in zip(names, np.abs(matrix).max(axis=0, initial=0.0).tolist(), strict=True):
        if size > LARGEST or 0 < size < SMALLEST:
            way = "divide" if size > 1 else "multiply"
            factor = count(10.0 ** abs(round(np.log10(size))))
            raise InputError(
                f"'{shorten(name)}' differs by up to {size:g} between the sides: its effect a unit would be "
                f"lost in rounding. Give it in a larger or smaller unit: {way} both columns by {factor}"
            )


def _formula(design: Comparisons, formula: str) -> tuple[FloatArray, tuple[str, ...]]:
    left, tilde, text = formula.partition("~")
    if not tilde or left.strip() or not text.strip():
        raise InputError(f"formula {formula!r} is not one-sided; write it like '~ urgency'")
    known = design.covariates
    if PLAIN.match(text.strip()):
        names = [name.strip() for name in text.split("+")]
        missing = [name for name in names if name not in known]
        if missing:
            _unknown(missing[0], design)
        if all(np.issubdtype(known[name].a.dtype, np.number) for name in names):
            return np.stack([known[name].a - known[name].b for name in names], axis=1), tuple(names)
    return _by_formulaic(design, text)


def _by_formulaic(design: Comparisons, text: str) -> tuple[FloatArray, tuple[str, ...]]:
    """Evaluate the formula once on the distinct values of both sides, stacked."""
    import pandas as pd
    from formulaic import model_matrix
    from formulaic.errors import FormulaicError

    used = [c for c in design.covariates.values() if is_used(c.name, text)]
    if not used:
        _unknown(text.strip(), design)
    codes, rows = _distinct(used)
    frame = pd.DataFrame({c.name: np.concatenate([c.a, c.b])[rows] for c in used})
    try:
        matrix = model_matrix(text, frame, na_action="raise")
    except (FormulaicError, NameError, ValueError) as error:
        raise InputError(
            f"formula '~{text}' cannot be evaluated: {error}. Covariates: {', '.join(design.covariates)}"
        ) from error
    keep = [j for j, name in enumerate(matrix.columns) if name != "Intercept"]
    values = np.asarray(matrix, dtype=np.float64)[:, keep]
    half = len(design.item_a)
    return values[codes[:half]] - values[codes[half:]], tuple(str(matrix.columns[j]) for j in keep)


def is_used(name: str, formula: str) -> bool:
    """Return whether the formula names this covariate (not just a longer name that holds it)."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", formula) is not None


def _distinct(used: list[Covariate]) -> tuple[Any, Any]:
    """Return for each of the 2 x cells sides the code of its combination of values, and one example of each."""
    key = np.zeros(2 * len(used[0].a), dtype=np.int64)
    for c in used:
        _, code = np.unique(np.concatenate([c.a, c.b]), return_inverse=True)
        key = key * (int(code.max()) + 1) + code.reshape(-1)
    _, example, codes = np.unique(key, return_index=True, return_inverse=True)
    return codes.reshape(-1), example


def _unknown(name: str, design: Comparisons) -> None:
    known = ", ".join(design.covariates) or "none"
    raise InputError(
        f"no covariate '{name}' in this design (covariates: {known}). "
        "A covariate X needs the columns X_a and X_b, or covariates={'X': ('left column', 'right column')}"
    )
