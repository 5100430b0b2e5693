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
        number = f"= {shorten(self.claim.printed)} " if self.claim.printed else ""
        verdict = "is reproduced" if self.verdict == "reproduced" else SAID[self.verdict].one
        text = f"{self.title} {number}{verdict}"
        defined = self.verdict in ("reproduced", "explained")
        if defined:
            text += f": {self.definition}"
        if self.verdict in ("explained", "not_reproduced") and self.recomputed is not None:
            text += f" (recomputed: {digits(self.recomputed)})"
        if self.reason:
            text += f"{'; ' if defined else ': '}{self.reason}"
        return text.rstrip(".") + "."

    @property
    def title(self) -> str:
        """The claim's name, with the part of the log that it is about."""
        return title_of(self.claim)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as built-in types."""
        return {**builtin_value(as_fields(self)), "sentence": self.sentence()}


def as_fields(record: Any) -> dict[str, Any]:
    """Return the fields of a dataclass, of those inside it as well."""
    values = {part.name: getattr(record, part.name) for part in fields(record)}
    return {name: as_fields(v) if is_dataclass(v) else v for name, v in values.items()}


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
        return not any(claim.wrong for claim in self.judged)

    def by_verdict(self, verdict: str) -> tuple[Judged, ...]:
        """Return the claims with a verdict."""
        return tuple(claim for claim in self.judged if claim.verdict == verdict)

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

        nothing = Claim(name="", quantity="other", printed="")
        columns = list(tidy_row(Judged(claim=nothing, verdict="not_computable")))
        return pd.DataFrame(list(map(tidy_row, self.judged)), columns=columns)

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
            "claims": [claim.to_dict() for claim in self.judged],
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


def tidy_row(judged: Judged) -> dict[str, Any]:
    """Return a claim as a row of `Checked.tidy`."""
    ours, claim = judged.own or Own(), judged.claim
    return {
        "name": claim.name,
        "quantity": claim.quantity,
        "about": about(claim),
        "printed": claim.printed,
        "verdict": judged.verdict,
        "recomputed": judged.recomputed,
        "definition": judged.definition,
        "value": judged.value,
        "tried": judged.tried,
        "matches": len(judged.matches),
        "discriminating": judged.discriminating,
        "own_estimate": ours.estimate,
        "own_std_error": ours.std_error,
        "own_conf_low": ours.conf_low,
        "own_conf_high": ours.conf_high,
        "n_units": ours.n_units,
        "n_clusters": ours.n_clusters,
        "reason": judged.reason,
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
    select = {name: shorten(str(value)) for name, value in claim.select.items() if value}
    leading = [value for name, value in select.items() if name in LEADING]
    following = [
        f"{shorten(name)} {value}" for name, value in select.items() if name not in LEADING
    ]
    return ", ".join([*leading, *following])


LEADING = ("task", "scorer", "filter")


def title_of(claim: Claim) -> str:
    """Return a claim's name with the rows that it is about, as far as the name does not say them.

    Examples
    --------
    >>> title_of(Claim(name="acc,none", quantity="mean", printed="1", select={"task": "boolq", "filter": "none"}))
    'acc,none (boolq)'
    """
    words = set(re.split(r"[^\w.\-/]+", claim.name))
    select = {name: value for name, value in claim.select.items() if value not in words}
    rows = about(replace(claim, select=select))
    return f"{shorten(claim.name)} ({rows})" if rows else shorten(claim.name)
