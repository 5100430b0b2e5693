"""Claims of a paper: the sentence that makes one, whether a document has it, and how many numbers must bear it out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from fractions import Fraction

from socialstats.audit.documents import Passage
from socialstats.audit.numbers import MINUS_SIGNS, Basis, Finding, Severity, Verdict
from socialstats.audit.sentences import plain
from socialstats.text import listing

SENTENCES = 3  # neighbouring ones that a quote may come from
WORDS_LEAST = 3  # shorter quotes are found in sentences that say something else
SHOWN = 5  # exceptions that a message names
LEFT_OUT = re.compile(r"\[?(?:\.\.\.|…)\]?")
SPACELESS = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"  # no spaces between words: by sign
WORD = re.compile(rf"(?<![\w)])-?(?:\d+(?:[.,]\d+)*|\.\d+)|[{SPACELESS}]|[^\W{SPACELESS}]+|[%<>≤≥=±]")
THOUSANDS = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])")
DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d)")
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
    >>> words_of("1,546 pairs, p < .001; 0,625 Punkte")
    ['1546', 'pairs', 'p', '<', '0.001', '0.625', 'punkte']
    """
    even = "".join("-" if sign in MINUS_SIGNS else sign for sign in plain(text).casefold())
    even = DECIMAL_COMMA.sub(".", THOUSANDS.sub(lambda number: number[0].replace(",", ""), even))
    return [re.sub(r"^(-?)\.", r"\g<1>0.", word) for word in WORD.findall(even)]


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


def looked_up(claim: Claim, documents: Sequence[Sequence[Passage]]) -> Claim | None:
    """Return a claim as one of the documents has it, with its place there; None where no document has it."""
    for passages in documents:
        found = look_up(claim.sentence, passages)
        if found:
            where = f"{found[0].source} line {found[0].line}"
            return replace(
                claim, basis="sentence", sentence=" ".join(one.text for one in found),
                place=f"{claim.place}, {where}" if claim.place else where,
            )  # fmt: skip
    return None


def nearest(quote: str, documents: Sequence[Sequence[Passage]]) -> Passage:
    """Return the sentence that is most like a quote."""
    compared = SequenceMatcher(b=words_of(quote), autojunk=False)

    def likeness(passage: Passage) -> float:
        compared.set_seq1(words_of(passage.text))
        return compared.ratio()

    return max((passage for passages in documents for passage in passages), key=likeness)


def weighed_claim(claim: Claim, findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings of a claim: each number where it is said of all, else one finding of how many bear it out.

    A disagreement with a claim is major only where the sentence was found in a document.
    """
    if claim.holds != "all" and findings:
        return [_counted(claim, findings)]
    looked_up = claim.basis == "sentence"
    return [
        replace(
            one, basis=claim.basis, passage=claim.sentence,
            severity=one.severity if looked_up or one.verdict != "disagree" else "minor",
        )
        for one in findings
    ]  # fmt: skip


def _counted(claim: Claim, findings: Sequence[Finding]) -> Finding:
    """Return whether as many numbers bear a claim out as it says; those that could not be decided may be either."""
    first, n = findings[0], len(findings)
    agree = sum(one.verdict == "agree" for one in findings)
    against = [one.where for one in findings if one.verdict == "disagree"]
    undecided = n - agree - len(against)
    least, most = _asked(claim.holds, n)
    verdict: Verdict = "not_checkable"
    if least <= agree and agree + undecided <= most:
        verdict = "agree"
    elif agree > most or agree + undecided < least:
        verdict = "disagree"
    expected = f"{least} of {n}" if least == most else f"at least {least} of {n}"
    message = "sources disagree: " if verdict == "disagree" else ""
    message += f"the claim holds for {agree} of {n}, and is made for {expected}"
    if against:
        message += f"; it fails for {listing([one.rpartition(': ')[2] for one in against], SHOWN)}"
    if undecided:
        message += f"; {undecided} could not be decided"
    severity: Severity = "none" if verdict != "disagree" else "major" if claim.basis == "sentence" else "minor"
    return Finding(
        rule=first.rule, title=first.title, verdict=verdict, severity=severity, basis=claim.basis, message=message,
        published=f"{agree} of {n}", expected=expected, gap=Fraction(max(least - agree, agree - most, 0)),
        where=first.where.partition(" line ")[0], cells=tuple(dict.fromkeys(c for one in findings for c in one.cells)),
        passage=claim.sentence, details={"agree": agree, "disagree": len(against), "exceptions": against},
    )  # fmt: skip


def _asked(holds: str | int, n: int) -> tuple[int, int]:
    """Return the least and the largest count of numbers that bear out what is said of some, most or so many of n."""
    if isinstance(holds, int):
        return holds, holds
    return (1 if holds == "some" else n // 2 + 1), n
