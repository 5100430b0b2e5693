"""Numbers of a result that are changed, to see whether its checks notice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from socialstats.results import Result, Verification


def unnoticed(result: Result, field: str, places: Sequence[int]) -> list[int]:
    """Change a field of several rows by two per cent, and return the rows whose change no check notices."""

    def change(numbers: Sequence[int]) -> Verification:
        rows = list(result.rows)
        for k in numbers:
            value = getattr(rows[k], field)
            rows[k] = replace(rows[k], **{field: 0.98 * value if value else 1e-3})
        return replace(result, rows=tuple(rows)).verify()

    agreed = change(places).numbers()
    # a check elsewhere may notice the change of a number that is not compared itself
    doubtful = [k for k in places if agreed.get((k, field)) is not False]
    return [k for k in doubtful if change([k]).ok]
