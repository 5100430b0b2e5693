"""Claims about the results of a report: a printed number beside a row of a metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from socialstats.claims.file import RESULT_KEYS, ClaimsReading, printed_of, read_entries
from socialstats.claims.judged import Judged
from socialstats.claims.own import Own
from socialstats.claims.target import Target, target_of
from socialstats.claims.types import Claim, Quantity
from socialstats.errors import InputError
from socialstats.results import Result, Row
from socialstats.text import quoted

QUANTITIES: dict[str, Quantity] = {
    "estimate": "other", "std_error": "std_error", "conf_low": "conf_low", "conf_high": "conf_high",
    "statistic": "other", "df": "other", "p_value": "other", "p_adjusted": "other", "n": "count", "n_units": "count",
    "n_clusters": "count",
}  # fmt: skip
P_VALUES = ("p_value", "p_adjusted")
SIGNED = ("estimate", "statistic", "conf_low", "conf_high")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A row of a result, and where it stands: metric, level of the by factor."""

    metric: str
    by: str
    row: Row


def read_result_claims(path: str) -> tuple[Claim, ...]:
    """Read a claims file about a report's results.

    Parameters
    ----------
    path : str
        TOML with one ``[[claim]]`` a number. Keys: ``metric``, ``term`` and, where they are needed to tell rows apart,
        ``by`` and ``group`` (as in the metric's table); ``quantity`` (default ``estimate``); ``value`` as printed;
        ``name``; ``source``.

    Raises
    ------
    InputError
        With every problem of the file.
    """
    reading = ClaimsReading(path)
    found = []
    for i, entry in enumerate(read_entries(path), 1):
        where = f"[[claim]] {i}"
        reading.keys(where, entry, RESULT_KEYS)
        for key in ("metric", "term"):
            if key not in entry:
                reading.problem(where, f"no {key}", f'Write which row of which table: {key} = "..."')
        quantity = entry.get("quantity", "estimate")
        if quantity not in QUANTITIES:
            reading.problem(where, f"unknown quantity {quoted([str(quantity)])}", f"Allowed: {', '.join(QUANTITIES)}")
        printed = printed_of(reading, where, entry)
        found.append(claim_of(entry, str(quantity), printed, f"{path}: {where}"))
    reading.raise_any()
    return tuple(found)


def claim_of(entry: Mapping[str, Any], quantity: str, printed: str, where: str) -> Claim:
    """Turn a ``[[claim]]`` into a claim."""
    select = {key: str(entry[key]) for key in ("metric", "term", "group", "by") if entry.get(key) is not None}
    source = f", {entry['source']}" if entry.get("source") else ""
    return Claim(
        name=str(entry.get("name") or quantity), quantity=QUANTITIES.get(quantity, "other"), printed=printed,
        where=where + source, select=select, settings={"quantity": quantity},
    )  # fmt: skip


def check_results(results: Sequence[tuple[str, Result]], claims: Sequence[Claim]) -> tuple[Judged, ...]:
    """Compare claims with the rows of results.

    Parameters
    ----------
    results : sequence of (str, Result)
        Level of the by factor (empty without one), and result.
    claims : sequence of Claim
        As `read_result_claims` returns them.

    Returns
    -------
    tuple of Judged
        ``reproduced``: the row rounds to the printed number. ``explained``: the same row in percent, with the other
        sign, one-sided, adjusted (or not), or the same term in another group or level gives it.

    Examples
    --------
    >>> from socialstats.results import Result, Row
    >>> result = Result(metric="sensitivity", title="S", rows=(Row(term="S", estimate=0.3412),))
    >>> select = {"metric": "sensitivity", "term": "S"}
    >>> about = {"quantity": "estimate"}
    >>> claim = Claim(name="Table 1", quantity="other", printed="34.1", select=select, settings=about)
    >>> check_results([("", result)], [claim])[0].definition
    'in percent'
    """
    places = [
        Place(metric=result.metric, by=row.by or level, row=row) for level, result in results for row in result.rows
    ]
    return tuple(judge_result(claim, places) for claim in claims)


def judge_result(claim: Claim, places: Sequence[Place]) -> Judged:
    """Return the verdict of one claim."""
    quantity = str(claim.settings["quantity"])
    base = Judged(claim=claim, verdict="not_computable")
    target = target_of(claim.printed, full=False)
    if target is None:
        return replace(base, reason=f"{quoted([claim.printed])} is no number")
    if quantity in P_VALUES and (target.high < 0 or target.low > 1):
        return replace(base, verdict="inconsistent", reason="a p-value lies between 0 and 1")
    try:
        place = find(claim, places)
    except InputError as error:
        return replace(base, reason=str(error))
    value = getattr(place.row, quantity)
    if value is None:
        said = place.row.undefined or "this metric does not have it"
        return replace(base, reason=f"the row of '{place.row.term}' has no {quantity}: {said}")
    base = replace(base, recomputed=float(value), value=float(value), definition="as on this page",
                   own=own_of(place, quantity))  # fmt: skip
    tried = list(variants(claim, place, places, quantity))
    words = tuple(dict.fromkeys(said for said, number in tried if target.holds(number)))
    base = replace(base, tried=len(tried) + 1, discriminating=not words if tried else None)
    if target.holds(float(value)):
        return replace(base, verdict="reproduced", matches=words)
    if words:
        return replace(base, verdict="explained", definition=words[0], matches=words[1:],
                       value=next(n for said, n in tried if said == words[0]),
                       discriminating=len(words) == 1)  # fmt: skip
    return replace(base, verdict="not_reproduced", reason=distance(target, place.row, quantity))


def find(claim: Claim, places: Sequence[Place]) -> Place:
    """Return the one row that a claim is about; InputError names what there is."""
    found = list(places)
    for key in ("metric", "by", "term", "group"):
        wanted = claim.select.get(key)
        if wanted is None:
            continue
        known = list(dict.fromkeys(part_of(p, key) for p in found if part_of(p, key)))
        found = [p for p in found if part_of(p, key) == wanted]
        if not found:
            raise InputError(f"this report has no {key} {quoted([wanted])}; there is {quoted(known, 8) or 'none'}")
    rows = {(p.by, p.row): p for p in found}
    leading = [p for p in rows.values() if p.row.group is None] if "group" not in claim.select else []
    if len(rows) > 1 and len(leading) == 1:
        return leading[0]
    if len(rows) > 1:
        key = "by" if len({p.by for p in found}) > 1 else "group"
        raise InputError(f"several rows fit; say {key} = one of {quoted([part_of(p, key) for p in found], 8)}")
    return found[0]


def part_of(place: Place, key: str) -> str:
    """Return metric, by, term or group of a row; empty where it has none."""
    if key in ("metric", "by"):
        return str(getattr(place, key))
    return str(getattr(place.row, key) or "")


def variants(claim: Claim, place: Place, places: Sequence[Place], quantity: str) -> Iterator[tuple[str, float]]:
    """Yield other definitions in words, with their numbers."""
    value = float(getattr(place.row, quantity))
    if quantity not in ("df", "n", "n_units", "n_clusters"):
        yield "in percent", 100 * value
    if quantity in SIGNED and value:
        yield "with the other sign", -value
    if quantity in P_VALUES:
        yield "one-sided", value / 2
        other = getattr(place.row, P_VALUES[1 - P_VALUES.index(quantity)])
        if other is not None:
            yield ("not adjusted" if quantity == "p_adjusted" else "adjusted over the family"), float(other)
    for near in places:
        number = getattr(near.row, quantity)
        same = near.metric == place.metric and near.row.term == place.row.term and near.row is not place.row
        if same and number is not None:
            where = ", ".join(part for part in (near.row.group or "", near.by) if part) or "the whole"
            yield f"the same term of {quoted([where])}", float(number)


def distance(target: Target, row: Row, quantity: str) -> str:
    """Say whether a number that is not reproduced lies in our interval."""
    if quantity != "estimate" or row.conf_low is None or row.conf_high is None:
        return ""
    inside = row.conf_low <= target.value <= row.conf_high
    return f"it lies {'within' if inside else 'outside'} our interval"


def own_of(place: Place, quantity: str) -> Own | None:
    """Return the row's estimate with its interval, beside a claim about an estimate."""
    row = place.row
    if quantity != "estimate":
        return None
    return Own(
        estimate=row.estimate, std_error=row.std_error, conf_low=row.conf_low, conf_high=row.conf_high,
        level=row.conf_level or 0.95, n_units=row.n_units, n_clusters=row.n_clusters, method=row.method or "",
        independent=False,
    )  # fmt: skip
