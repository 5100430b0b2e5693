"""The literature behind the methods: one entry a work, by subject, cited by key everywhere else."""

from __future__ import annotations

from socialstats.errors import InputError
from socialstats.references.agreement import AGREEMENT
from socialstats.references.comparisons import COMPARISONS
from socialstats.references.inference import INFERENCE
from socialstats.references.pairs import PAIRS
from socialstats.references.published import PUBLISHED
from socialstats.references.work import Reference

__all__ = ["REFERENCES", "Reference", "citation"]

REFERENCES: dict[str, Reference] = {**COMPARISONS, **PAIRS, **AGREEMENT, **INFERENCE, **PUBLISHED}


def citation(key: str) -> str:
    """Return a reference as text.

    Raises
    ------
    InputError
        If the key is unknown.

    Examples
    --------
    >>> citation("ford1957")
    'Ford, L. R., Jr. (1957). Solution of a ranking problem from binary comparisons. ...doi:10.2307/2308513'
    """
    if key not in REFERENCES:
        raise InputError(f"no reference '{key}'; references: {', '.join(sorted(REFERENCES))}")
    return str(REFERENCES[key])
