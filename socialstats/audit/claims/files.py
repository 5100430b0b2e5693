"""Claims files: numbers printed about a log, or about the results of a report, and the latter beside the rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, get_args

from socialstats.audit.claims.bench import may_be_printed, target_of
from socialstats.audit.claims.judged import Judged
from socialstats.audit.claims.own_estimates import Own
from socialstats.audit.claims.samples import label_of
from socialstats.audit.numbers import Printed
from socialstats.errors import InputError, Problem
from socialstats.harness_logs.log import Claim, Quantity
from socialstats.results import Result, Row
from socialstats.tables.toml_files import Allowed, read_toml, wrong_keys
from socialstats.text import quoted

QUANTITIES = get_args(Quantity)
SETTINGS: Allowed = {
    "reducer": str,
    "k": int,
    "cluster": str,
    "ddof": int,
    "conf_level": float,
    "method": str,
    "resamples": int,
    "by_size": bool,
    "weights": str,
    "errors": str,
    "macro": str,
    "decimals": int,
}
CLAIM_KEYS: Allowed = {
    "name": str,
    "quantity": QUANTITIES,
    "value": str | int | float,
    "select": dict,
    "parts": list,
    "settings": SETTINGS,
    "n": int,
    "source": str,
}
NEEDED = {
    "quantity": f"Allowed: {', '.join(QUANTITIES)}",
    "value": 'Write it as printed, in quotes: value = "0.810" keeps its last digit',
    "metric": 'Write which row of which table: metric = "..."',
    "term": 'Write which row of which table: term = "..."',
}
DEFAULT_NAMES = {"std_error": "standard error"}


def read_entries(
    path: str, allowed: Allowed, needed: Sequence[str]
) -> list[tuple[Mapping[str, Any], str, str]]:
    """Return the ``[[claim]]`` tables of a file, each with its number as printed and its place.

    Raises
    ------
    InputError
        For broken TOML, other sections, and a file without claims; with every unknown key and value.
    """
    content = read_toml(path)[1]
    sections = [key for key in content if key != "claim"]
    entries = content.get("claim")
    fix = 'Write one [[claim]] for each number: name, quantity, value = "0.812"'
    if sections:
        message = f"unknown section {quoted(sections)}"
        raise InputError(Problem(source=path, message=message, fix=fix))
    tables = isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries)
    if not tables or not entries:
        raise InputError(Problem(source=path, message="no [[claim]] in it", fix=fix))
    must = {key: NEEDED[key] for key in needed}
    problems = [
        replace(problem, source=f"{path} [[claim]] {i}")
        for i, entry in enumerate(entries, 1)
        for problem in wrong_keys(entry, allowed, needed=must)
    ]
    if problems:
        raise InputError(problems)
    claims = []
    for i, entry in enumerate(entries, 1):
        value = entry["value"]  # one without quotes is taken as TOML read it
        printed = value.strip() if isinstance(value, str) else repr(value)
        source = f", {entry['source']}" if entry.get("source") else ""
        claims.append((entry, printed, f"{path}: [[claim]] {i}{source}"))
    return claims


def read_claims(path: str) -> tuple[Claim, ...]:
    """Read a claims file about a log.

    Parameters
    ----------
    path : str
        TOML with one ``[[claim]]`` per number. Keys: ``quantity`` (see `Quantity`), ``value`` (as text, so that its
        digits are kept), ``name``, ``n``, ``source``. ``select`` has the rows it is about, column to value. ``parts``
        is a list of such tables, for numbers about several groups. ``settings`` says how it was computed.

    Returns
    -------
    tuple of Claim

    Raises
    ------
    InputError
        With every problem of the file: unknown keys and settings, values of the wrong kind.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "claims.toml"
    >>> _ = file.write_text('[[claim]]\\nquantity = "mean"\\nvalue = "0.812"\\nselect = { scorer = "choice" }')
    >>> read_claims(str(file))[0].printed
    '0.812'
    """
    claims = []
    for entry, printed, where in read_entries(path, CLAIM_KEYS, ("quantity", "value")):
        quantity = entry["quantity"]
        parts = [part for part in entry.get("parts", []) if isinstance(part, dict)]
        claim = Claim(
            name=str(entry.get("name") or DEFAULT_NAMES.get(quantity, quantity)),
            quantity=quantity,
            printed=printed,
            where=where,
            select=as_labels(entry.get("select", {})),
            parts=tuple(map(as_labels, parts)),
            settings=entry.get("settings", {}),
            n=entry.get("n"),
        )
        claims.append(claim)
    return tuple(claims)


def as_labels(select: Mapping[str, Any]) -> dict[str, str]:
    """Return a selection of rows with its values as text."""
    return {name: label_of(value) for name, value in select.items()}


RESULT_QUANTITIES: dict[str, Quantity] = {
    "estimate": "other",
    "std_error": "std_error",
    "conf_low": "conf_low",
    "conf_high": "conf_high",
    "statistic": "other",
    "df": "other",
    "p_value": "other",
    "p_adjusted": "other",
    "n": "count",
    "n_units": "count",
    "n_clusters": "count",
}
RESULT_KEYS: Allowed = {
    "name": str,
    "metric": str,
    "term": str,
    "by": str,
    "group": str,
    "quantity": tuple(RESULT_QUANTITIES),
    "value": str | int | float,
    "source": str,
}
PLACE = ("metric", "term", "group", "by")
P_VALUES = ("p_value", "p_adjusted")
SIGNED = ("estimate", "statistic", "conf_low", "conf_high")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A row of a result, and where it stands: metric, level of the by factor."""

    metric: str
    by: str
    row: Row

    def part(self, key: str) -> str:
        """Return metric, by, term or group; empty where it has none."""
        return str(getattr(self if key in ("metric", "by") else self.row, key) or "")


def read_result_claims(path: str) -> tuple[Claim, ...]:
    """Read a claims file about a report's results.

    Parameters
    ----------
    path : str
        TOML with one ``[[claim]]`` a number. Keys: ``metric``, ``term`` and, where they are needed to tell rows apart,
        ``by`` and ``group`` (as in the metric's table); ``quantity`` (default ``estimate``). ``value`` as printed;
        ``name``; ``source``.

    Raises
    ------
    InputError
        With every problem of the file.
    """
    claims = []
    for entry, printed, where in read_entries(path, RESULT_KEYS, ("metric", "term", "value")):
        quantity = entry.get("quantity", "estimate")
        claim = Claim(
            name=str(entry.get("name") or quantity),
            quantity=RESULT_QUANTITIES[quantity],
            printed=printed,
            where=where,
            select={key: entry[key] for key in PLACE if key in entry},
            settings={"quantity": quantity},
        )
        claims.append(claim)
    return tuple(claims)


def check_results(
    results: Sequence[tuple[str, Result]], claims: Sequence[Claim]
) -> tuple[Judged, ...]:
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
        Place(metric=result.metric, by=row.by or level, row=row)
        for level, result in results
        for row in result.rows
    ]
    return tuple(judge_result(claim, places) for claim in claims)


def judge_result(claim: Claim, places: Sequence[Place]) -> Judged:
    """Return the verdict of one claim."""
    quantity = str(claim.settings["quantity"])
    base = Judged(claim=claim, verdict="not_computable")
    target = target_of(claim.printed, full=False)
    if target is None:
        return replace(base, reason=f"{quoted([claim.printed])} is not a number")
    if quantity in P_VALUES and not target.meets(Fraction(0), Fraction(1)):
        return replace(base, verdict="inconsistent", reason="a p-value lies between 0 and 1")
    try:
        place = find(claim, places)
    except InputError as error:
        return replace(base, reason=str(error))
    value = getattr(place.row, quantity)
    if value is None:
        why = place.row.undefined or "this metric does not have it"
        return replace(base, reason=f"the row of '{place.row.term}' has no {quantity}: {why}")
    base = replace(
        base,
        recomputed=float(value),
        value=float(value),
        definition="as on this page",
        own=own_of_row(place, quantity),
    )
    tried = list(variants(claim, place, places, quantity))
    fitting: dict[str, float] = {}
    for definition, number in tried:
        if may_be_printed(target, number):
            fitting.setdefault(definition, number)
    words = tuple(fitting)
    base = replace(base, tried=len(tried) + 1, discriminating=not words if tried else None)
    if may_be_printed(target, float(value)):
        return replace(base, verdict="reproduced", matches=words)
    if words:
        return base.explained(words, fitting[words[0]])
    return replace(base, verdict="not_reproduced", reason=distance(target, place.row, quantity))


def find(claim: Claim, places: Sequence[Place]) -> Place:
    """Return the one row that a claim is about; InputError names what there is."""
    fitting = list(places)
    for key in ("metric", "by", "term", "group"):
        label = claim.select.get(key)
        if label is None:
            continue
        labels = list(dict.fromkeys(p.part(key) for p in fitting if p.part(key)))
        fitting = [p for p in fitting if p.part(key) == label]
        if not fitting:
            there = quoted(labels, 8) or "none"
            raise InputError(f"this report has no {key} {quoted([label])}; there is {there}")
    rows = {(p.by, p.row): p for p in fitting}
    if len(rows) == 1:
        return fitting[0]
    ungrouped = [p for p in rows.values() if p.row.group is None]
    if len(ungrouped) == 1 and "group" not in claim.select:
        return ungrouped[0]
    key = "by" if len({p.by for p in fitting}) > 1 else "group"
    labels = [p.part(key) for p in fitting]
    raise InputError(f"several rows fit; say {key} = one of {quoted(labels, 8)}")


def variants(
    claim: Claim, place: Place, places: Sequence[Place], quantity: str
) -> Iterator[tuple[str, float]]:
    """Yield other definitions in words, with their numbers."""
    value = float(getattr(place.row, quantity))
    if quantity not in ("df", "n", "n_units", "n_clusters"):
        yield "in percent", 100 * value
    if quantity in SIGNED and value:
        yield "with the other sign", -value
    if quantity in P_VALUES:
        yield "one-sided", value / 2
        words = {"p_value": "not adjusted", "p_adjusted": "adjusted over the family"}
        (adjusting,) = words.keys() - {quantity}
        p = getattr(place.row, adjusting)
        if p is not None:
            yield words[adjusting], float(p)
    for near in places:
        number = getattr(near.row, quantity)
        alike = near.metric == place.metric and near.row.term == place.row.term
        if alike and near.row is not place.row and number is not None:
            where = ", ".join(part for part in (near.row.group, near.by) if part) or "the whole"
            yield f"the same term of {quoted([where])}", float(number)


def distance(target: Printed, row: Row, quantity: str) -> str:
    """State whether a number that is not reproduced lies in our interval."""
    if quantity != "estimate" or row.conf_low is None or row.conf_high is None:
        return ""
    inside = row.conf_low <= target.value <= row.conf_high
    return f"it lies {'within' if inside else 'outside'} our interval"


def own_of_row(place: Place, quantity: str) -> Own | None:
    """Return the row's estimate with its interval, beside a claim about an estimate."""
    row = place.row
    if quantity != "estimate":
        return None
    return Own(
        estimate=row.estimate,
        std_error=row.std_error,
        conf_low=row.conf_low,
        conf_high=row.conf_high,
        level=row.conf_level or 0.95,
        n_units=row.n_units,
        n_clusters=row.n_clusters,
        method=row.method or "",
        independent=False,
    )
