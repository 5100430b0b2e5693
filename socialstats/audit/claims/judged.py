"""A claim with its verdict, and all claims of a log together."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from socialstats.audit.claims.own_estimates import Own
from socialstats.audit.claims.verdicts import SAID, WRONG, Verdict, digits, headline
from socialstats.errors import Caution
from socialstats.harness_logs.log import Claim
from socialstats.results.rows import builtin_value
from socialstats.text import shorten

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What became of a claim.

    Attributes
    ----------
    claim : Claim
    verdict : {"reproduced", "explained", "not_reproduced", "not_computable", "inconsistent"}
        ``explained``: the printed number is what another definition gives. ``inconsistent``: it cannot be, whatever
        the rows: it contradicts itself, another number of the log, or what the log declares.
    recomputed : float or None
        By the documented definition.
    definition : str
        The definition that gives the printed number (reproduced, explained), or the documented one.
    value : float or None
        What `definition` gives.
    matches : tuple of str
        Every other definition that was tried and gives the printed number too.
    tried : int
        Definitions tried, the documented one among them.
    discriminating : bool or None
        Whether `definition` alone gives the printed number; None where nothing else could be tried.
    reason : str
        Why, in a sentence; empty where the verdict says it all.
    own : Own or None
        Our own estimate beside it.
    """

    claim: Claim
    verdict: Verdict
    recomputed: float | None = None
    definition: str = ""
    value: float | None = None
    matches: tuple[str, ...] = ()
    tried: int = 0
    discriminating: bool | None = None
    reason: str = ""
    own: Own | None = None

    @property
    def wrong(self) -> bool:
        """Whether the number cannot stand."""
        return self.verdict in WRONG

    def explained(self, words: Sequence[str], value: float, reason: str = "") -> Judged:
        """Return the claim as one that other definitions give, the first of them leading."""
        return replace(
            self,
            verdict="explained",
            definition=words[0],
            value=value,
            matches=tuple(words[1:]),
            discriminating=len(words) == 1,
            reason=reason,
        )

    def sentence(self) -> str:
        """State the verdict in one sentence.

        Examples
        --------
        >>> claim = Claim(name="accuracy", quantity="mean", printed="0.75")
        >>> Judged(claim=claim, verdict="reproduced", recomputed=0.75, definition="mean").sentence()
        'accuracy = 0.75 is reproduced: mean.'
        """
        said = f"{self.title} {self.claim.printed and '= ' + shorten(self.claim.printed)}".rstrip()
        ours = "" if self.recomputed is None else f" (recomputed: {digits(self.recomputed)})"
        ending = "is reproduced" if self.verdict == "reproduced" else SAID[self.verdict].one
        ending += f": {self.definition}" if self.verdict in ("reproduced", "explained") else ""
        ending += ours if self.verdict in ("explained", "not_reproduced") else ""
        link = "; " if self.verdict in ("reproduced", "explained") else ": "
        return (f"{said} {ending}" + (f"{link}{self.reason}" if self.reason else "")).rstrip(
            "."
        ) + "."

    @property
    def title(self) -> str:
        """The claim's name, with the part of the log that it is about."""
        return title_of(self.claim)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as built-in types."""
        return {**builtin_value(as_fields(self)), "sentence": self.sentence()}


def as_fields(one: Any) -> dict[str, Any]:
    """Return the fields of a dataclass, of those inside it as well."""
    return {
        f.name: as_fields(v) if is_dataclass(v := getattr(one, f.name)) else v for f in fields(one)
    }


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Checked:
    """All claims of a log with their verdicts.

    Attributes
    ----------
    source : str
        Files of the log.
    harness, version : str
    judged : tuple of Judged
        In the order of the log.
    rows : mapping of str to int
        Rows by status.
    cautions : tuple of Caution
        Traps that this log shows.
    notes : tuple of str
        What the reader of the log had to say.
    """

    source: str
    judged: tuple[Judged, ...]
    harness: str = ""
    version: str = ""
    rows: Mapping[str, int] = field(default_factory=dict)
    cautions: tuple[Caution, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<{self.source}: {self.headline()}>"

    @property
    def ok(self) -> bool:
        """True when no number is wrong."""
        return not any(one.wrong for one in self.judged)

    def by_verdict(self, verdict: str) -> tuple[Judged, ...]:
        """Return the claims with a verdict."""
        return tuple(one for one in self.judged if one.verdict == verdict)

    def headline(self) -> str:
        """State in one line how many numbers stand."""
        return headline(self.judged)

    def summary(self) -> str:
        """Return the whole outcome as text."""
        from socialstats.audit.claims.show import as_text

        return as_text((self,))

    def tidy(self) -> pd.DataFrame:
        """Return one row a claim."""
        import pandas as pd

        none = tidy_row(
            Judged(claim=Claim(name="", quantity="other", printed=""), verdict="not_computable")
        )
        return pd.DataFrame([tidy_row(one) for one in self.judged], columns=list(none))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as built-in types."""
        return {
            "source": self.source,
            "harness": self.harness,
            "version": self.version,
            "headline": self.headline(),
            "ok": self.ok,
            "rows": dict(self.rows),
            "notes": list(self.notes),
            "claims": [one.to_dict() for one in self.judged],
            "cautions": [as_fields(c) for c in self.cautions],
        }


def finite(value: float) -> float | None:
    """Return a number, or None for one that does not exist."""
    return value if math.isfinite(value) else None


def none_of(tried: int, hints: Sequence[str] = ()) -> str:
    """State that no documented definition gives a number, and which other would.

    Examples
    --------
    >>> none_of(1), none_of(40)
    ('the one definition there is gives another number', 'none of 40 definitions gives it')
    >>> none_of(40, ["scores below 1"])
    'no documented definition gives it; it would fit: scores below 1'
    """
    if hints:
        return f"no documented definition gives it; it would fit: {hints[0]}"
    if tried == 1:
        return "the one definition there is gives another number"
    return f"none of {tried:,} definitions gives it"


def tidy_row(one: Judged) -> dict[str, Any]:
    """Return a claim as a row of `Checked.tidy`."""
    own, claim = one.own or Own(), one.claim
    return {
        "name": claim.name,
        "quantity": claim.quantity,
        "about": about(claim),
        "printed": claim.printed,
        "verdict": one.verdict,
        "recomputed": one.recomputed,
        "definition": one.definition,
        "value": one.value,
        "tried": one.tried,
        "matches": len(one.matches),
        "discriminating": one.discriminating,
        "own_estimate": own.estimate,
        "own_std_error": own.std_error,
        "own_conf_low": own.conf_low,
        "own_conf_high": own.conf_high,
        "n_units": own.n_units,
        "n_clusters": own.n_clusters,
        "reason": one.reason,
    }


def about(claim: Claim) -> str:
    """State which rows a claim is about.

    Examples
    --------
    >>> about(Claim(name="accuracy", quantity="mean", printed="1", select={"scorer": "match", "domain": "work"}))
    'match, domain work'
    """
    if "metric" in claim.select:  # a claim about a report's result
        first = f"{shorten(claim.select.get('term', ''))} of {shorten(claim.select['metric'])}"
        return ", ".join(
            [first, *(shorten(claim.select[key]) for key in ("group", "by") if key in claim.select)]
        )
    leading = [
        shorten(str(v))
        for name, v in claim.select.items()
        if name in ("task", "scorer", "filter") and v
    ]
    rest = [
        f"{shorten(name)} {shorten(str(value))}"
        for name, value in claim.select.items()
        if name not in ("task", "scorer", "filter") and value
    ]
    return ", ".join([*leading, *rest])


def title_of(claim: Claim) -> str:
    """Return a claim's name with the rows that it is about, as far as the name does not say them.

    Examples
    --------
    >>> title_of(Claim(name="acc,none", quantity="mean", printed="1", select={"task": "boolq", "filter": "none"}))
    'acc,none (boolq)'
    """
    said = set(re.split(r"[^\w.\-/]+", claim.name))
    rows = about(
        replace(
            claim, select={name: value for name, value in claim.select.items() if value not in said}
        )
    )
    return f"{shorten(claim.name)} ({rows})" if rows else shorten(claim.name)
