"""Claims of a paper: the sentence that makes one, whether a document has it, and how many numbers must bear it out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from fractions import Fraction

from socialstats.audit.documents import Passage
from socialstats.audit.numbers import MINUS_SIGNS, Basis, Finding
from socialstats.audit.sentences import plain
from socialstats.text import count, listing

SENTENCES = 3  # neighbouring ones that a quote may come from
WORDS_LEAST = 3  # shorter quotes are found in sentences that say something else
SHOWN = 5  # exceptions that a message names
LEFT_OUT = re.compile(r"\[?(?:\.\.\.|…)\]?")
WORD = re.compile(r"(?<![\w)])-?(?:\d+(?:[.,]\d+)*|\.\d+)|\w+|[%<>≤≥=±]")
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
STATUS = {
    "sentence": "",
    "quotation": "quoted by the rules; no document was given to look it up in",
    "note": "noted by the rules in other words than the paper's",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What a rule tests besides arithmetic.

    Attributes
    ----------
    sentence : str
        The sentence, or a part of it, as the rule gives it; as the document has it where it was found.
    place : str
        Where it stands.
    holds : str or int
        How many of the tested numbers must bear it out: ``all``, ``most``, ``some`` or exactly so many.
    basis : {"sentence", "quotation", "note"}
    """

    sentence: str
    place: str = ""
    holds: str | int = "all"
    basis: Basis = "quotation"

    @property
    def text(self) -> str:
        """The sentence with its place and whether it was looked up; a note stands without quotation marks."""
        said = self.sentence if self.basis == "note" else f"“{self.sentence}”"
        about = "; ".join(filter(None, (self.place, STATUS[self.basis])))
        return f"{said} ({about})" if about else said


def words_of(text: str) -> list[str]:
    """Return the words, numbers and relations of a text in the form in which quotes are compared.

    Examples
    --------
    >>> words_of("Grok’s mean is −22.7 (SD = 30.83), i.e. below llama-2-7b.")[:8]
    ['grok', 's', 'mean', 'is', '-22.7', 'sd', '=', '30.83']
    >>> words_of("1,546 pairs, p < .001")
    ['1546', 'pairs', 'p', '<', '0.001']
    """
    even = "".join("-" if sign in MINUS_SIGNS else sign for sign in plain(text).casefold())
    return [re.sub(r"^(-?)\.", r"\g<1>0.", word) for word in WORD.findall(THOUSANDS.sub("", even))]


def look_up(quote: str, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Return the neighbouring sentences of a document in which a quote stands; empty without any.

    Case, spaces and marks are not compared; words, numbers and their signs are. ``...`` stands for words left out of a
    sentence, or between neighbouring ones.

    Examples
    --------
    >>> said = [Passage(text="A beats B in all tasks.", source="a.md", line=2)]
    >>> [found.line for found in look_up("a beats b ... tasks", said)], look_up("A beats B in most tasks", said)
    ([2], ())
    """
    pieces = [piece for part in LEFT_OUT.split(quote) if (piece := " ".join(words_of(part)))]
    said = [" ".join(words_of(passage.text)) for passage in passages]
    for size in range(1, SENTENCES + 1):
        for first in range(len(said) - size + 1):
            if _in_order(pieces, f" {' '.join(said[first : first + size])} "):
                return tuple(passages[first : first + size])
    return ()


def _in_order(pieces: Sequence[str], text: str) -> bool:
    at = 0
    for piece in pieces:
        at = text.find(f" {piece} ", at)
        if at < 0:
            return False
        at += len(piece) + 1
    return bool(pieces)


def nearest(quote: str, passages: Sequence[Passage]) -> Passage:
    """Return the sentence of a document that is most like a quote."""
    wanted = words_of(quote)
    return max(passages, key=lambda one: SequenceMatcher(None, wanted, words_of(one.text), autojunk=False).ratio())


def weighed_claim(claim: Claim, findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings of a claim: each number where it is said of all, else one finding of how many bear it out.

    A disagreement with a claim is major only where the sentence was found in a document.
    """
    told = [
        replace(
            one,
            basis=claim.basis,
            passage=claim.sentence,
            severity="minor" if one.verdict == "disagree" and claim.basis != "sentence" else one.severity,
        )
        for one in findings
    ]
    return told if claim.holds == "all" or not told else [_counted(claim, told)]


def _counted(claim: Claim, findings: Sequence[Finding]) -> Finding:
    """Return whether as many numbers bear a claim out as it says; those that could not be decided may be either."""
    n = len(findings)
    yes, no = (sum(one.verdict == verdict for one in findings) for verdict in ("agree", "disagree"))
    least, most = _asked(claim.holds, n)
    expected = f"{least} of {n}" if least == most else f"at least {least} of {n}"
    open_ = n - yes - no
    base = replace(findings[0], cells=tuple(dict.fromkeys(cell for one in findings for cell in one.cells)),
                   where=f"{findings[0].where.partition(' line ')[0]}, {count(n, 'number')}", published=f"{yes} of {n}",
                   expected=expected, implied=None, noticed=0, neighbours=0, changes="", gap=Fraction(0))  # fmt: skip
    against = [one.where for one in findings if one.verdict == "disagree"]
    said = f"{yes} of {count(n, 'number')} bear the claim out, {expected} must"
    said += f"; not {listing([one.rpartition(': ')[2] for one in against], SHOWN)}" if against else ""
    said += f"; {open_} could not be decided" if open_ else ""
    base = replace(base, message=said, severity="none", details={"agree": yes, "disagree": no, "exceptions": against})
    if least <= yes and yes + open_ <= most:
        return replace(base, verdict="agree")
    if yes > most or yes + open_ < least:
        return replace(base, verdict="disagree", severity="major" if claim.basis == "sentence" else "minor", message=f"sources disagree: {said}",
                       gap=Fraction(max(least - yes, yes - most)))  # fmt: skip
    return replace(base, verdict="not_checkable")


def _asked(holds: str | int, n: int) -> tuple[int, int]:
    """Return the least and the largest count of numbers that bear out what is said of some, most or so many of n."""
    if isinstance(holds, int):
        return holds, holds
    return (1 if holds == "some" else n // 2 + 1), n
