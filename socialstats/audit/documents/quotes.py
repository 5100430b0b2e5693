"""Claims of a paper: the sentence that makes one, whether a document has it, and how many numbers must bear it out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from fractions import Fraction

from socialstats.audit.documents.data_tables import data_tables
from socialstats.audit.documents.passages import Passage
from socialstats.audit.documents.sentences import plain_text
from socialstats.audit.numbers import MINUS_SIGNS, Basis, Finding, Severity, Verdict
from socialstats.text import listing

SENTENCES = 3  # neighbouring ones that a quote may come from
WORDS_LEAST = 3  # shorter quotes are found in sentences that say something else
SHOWN = 5  # exceptions that a message names
LEFT_OUT = re.compile(r"\[?(?:\.\.\.|…)\]?")
SPACELESS = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"  # no spaces between words: by sign
WORD = re.compile(
    rf"(?<![\w)])-?(?:\d+(?:[.,]\d+)*|\.\d+)|[{SPACELESS}]|[^\W{SPACELESS}]+|[%<>≤≥=±]"
)
THOUSANDS = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])")
DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d)")
WORDS = data_tables("words")["quotes"]
FILLING, NEGATIONS = frozenset(WORDS["filling"]), frozenset(WORDS["negations"])
ENDINGS: Sequence[str] = WORDS["endings"]
COUNTS: Sequence[str] = WORDS["counts"]
QUANTITIES: Mapping[str, Sequence[str]] = WORDS["quantities"]
STATUS = {
    "sentence": "",
    "words": "found by the words of the rules' note",
    "quotation": "quoted by the rules; no document was given to look it up in",
    "note": "noted by the rules in other words than the paper's",
}
# letters of the shortest word that may have an ending: "b" is a name, not the stem of "bed"
INFLECTED = 3


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
    basis : {"sentence", "words", "quotation", "note"}
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
    even = "".join("-" if sign in MINUS_SIGNS else sign for sign in plain_text(text).casefold())
    even = DECIMAL_COMMA.sub(".", THOUSANDS.sub(lambda number: number[0].replace(",", ""), even))
    return [re.sub(r"^(-?)\.", r"\g<1>0.", word) for word in WORD.findall(even)]


def said_of(words: Sequence[str]) -> list[str]:
    """Return of how many the words of a sentence speak: ``all``, ``most``, ``some``, and whole numbers.

    Examples
    --------
    >>> said_of(words_of("Seven of 8 models lead in most tasks.")), said_of(words_of("It is the most accurate."))
    (['most', '7', '8'], [])
    """
    plain = [
        word
        for before, word in zip(["", *words], words, strict=False)
        if (before, word) != ("the", "most")
    ]
    kinds = [name for name, several in QUANTITIES.items() if not {*plain}.isdisjoint(several)]
    numbers = [str(COUNTS.index(word)) if word in COUNTS else word for word in plain]
    return kinds + [number for number in numbers if number.isdecimal()]


def contradicts(spoken: Sequence[str], holds: str | int) -> bool:
    """Return whether a sentence speaks of another quantity; numbers are another one only for a claim of a number."""
    quantities = (
        spoken if isinstance(holds, int) else [word for word in spoken if word in QUANTITIES]
    )
    return bool(quantities) and str(holds) not in quantities


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
    texts = [" ".join(words_of(passage.text)) for passage in passages]
    for size in range(1, SENTENCES + 1):
        for first in range(len(texts) - size + 1):
            if _in_order(pieces, f" {' '.join(texts[first : first + size])} "):
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


def say_alike(note: str, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Return the first sentence of a document that has every word of a note, in any order; empty without any.

    Endings are not compared, nor are words that say nothing alone. A sentence that denies something, and a note that
    does not, are not alike.

    Examples
    --------
    >>> said = [Passage(text="Across all models, finance is consistently the lowest of four.", source="a.md", line=2)]
    >>> [one.line for one in say_alike("lowest in finance for all models", said)], say_alike("finance is low", said)
    ([2], ())
    """
    words = {*words_of(note)} - FILLING
    for passage in passages:
        there = {*words_of(passage.text)}
        denies = there & NEGATIONS == words & NEGATIONS
        if (
            words
            and denies
            and all(any(_alike(word, candidate) for candidate in there) for word in words)
        ):
            return (passage,)
    return ()


def _alike(first: str, second: str) -> bool:
    """Return whether two words are one, but for an ending."""
    short, long = sorted((first, second), key=len)
    return first == second or (
        len(short) >= INFLECTED and long.startswith(short) and long[len(short) :] in ENDINGS
    )


def looked_up(claim: Claim, documents: Sequence[Sequence[Passage]]) -> Claim | None:
    """Return a claim as one of the documents has it, with its place there; None where no document has its quote.

    A note is looked up among the sentences that do not speak of another quantity: word by word, and then by its words.
    It stays a note where none has them, and then no place of the paper is known for it.
    """
    noted = claim.basis == "note"
    if noted:
        documents = [
            [
                passage
                for passage in passages
                if not contradicts(said_of(words_of(passage.text)), claim.holds)
            ]
            for passages in documents
        ]
    for passages in documents:
        if sentences := look_up(claim.sentence, passages):
            return _claim_with_place(claim, "sentence", sentences)
    for passages in documents if noted else []:
        if sentences := say_alike(claim.sentence, passages):
            return _claim_with_place(claim, "words", sentences)
    return replace(claim, place="" if documents else claim.place) if noted else None


def _claim_with_place(claim: Claim, basis: Basis, sentences: Sequence[Passage]) -> Claim:
    """Return a claim with the sentences in which it was found."""
    where = f"{sentences[0].source} line {sentences[0].line}"
    return replace(
        claim,
        basis=basis,
        sentence=" ".join(passage.text for passage in sentences),
        place=f"{claim.place}, {where}" if claim.place else where,
    )


def nearest(quote: str, documents: Sequence[Sequence[Passage]]) -> Passage:
    """Return the sentence that is most like a quote."""
    compared = SequenceMatcher(b=words_of(quote), autojunk=False)

    def likeness(passage: Passage) -> float:
        compared.set_seq1(words_of(passage.text))
        return compared.ratio()

    return max((passage for passages in documents for passage in passages), key=likeness)


def weighed_claim(claim: Claim, findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings of a claim: each number where it is said of all, else one finding of how many bear it out.

    A disagreement is as strong as its evidence. It is as severe as its numbers where a document has the sentence word
    by word. It is minor where the sentence was found by the words of a note, or is only quoted, and where a note has
    its place. A note without a place is one finding, which is not checkable: nobody is known to claim it.
    """
    if claim.basis == "note" and not claim.place:
        return [_noted(claim, findings)]
    if claim.holds != "all":
        return [_counted(claim, findings)]
    return [
        replace(
            finding,
            basis=claim.basis,
            passage=claim.sentence,
            severity=_strength(claim, finding.verdict, finding.severity),
        )
        for finding in findings
    ]


def _strength(claim: Claim, verdict: Verdict, severity: Severity) -> Severity:
    """Return how severe a finding of a claim is, when its numbers alone are so severe."""
    if verdict != "disagree":
        return "none"
    return severity if claim.basis == "sentence" else "minor"


def _counted(claim: Claim, findings: Sequence[Finding]) -> Finding:
    """Return whether as many numbers bear a claim out as it says; those that could not be decided may be either."""
    tally, n = _tallied(claim, findings), len(findings)
    agree, against = tally.details["agree"], tally.details["disagree"]
    undecided = n - agree - against
    least, most = _asked(claim.holds, n)
    verdict: Verdict = "not_checkable"
    if least <= agree and agree + undecided <= most:
        verdict = "agree"
    elif agree > most or agree + undecided < least:
        verdict = "disagree"
    expected = f"{least} of {n}" if least == most else f"at least {least} of {n}"
    lead = "sources disagree: " if verdict == "disagree" else ""
    return replace(
        tally,
        verdict=verdict,
        severity=_strength(claim, verdict, "major"),
        expected=expected,
        message=f"{lead}the claim holds for {agree} of {n}, and is made for {expected}{tally.message}",
        gap=Fraction(max(least - agree, agree - most, 0)),
    )


def _noted(claim: Claim, findings: Sequence[Finding]) -> Finding:
    """Return of how many numbers a note is true; that is no verdict on the paper."""
    tally = _tallied(claim, findings)
    message = f"noted, not quoted: the note is true of {tally.published}{tally.message}"
    return replace(tally, message=message)


def _tallied(claim: Claim, findings: Sequence[Finding]) -> Finding:
    """Return all findings of a claim as one: how many agree, and as its message which ones do not."""
    first, n = findings[0], len(findings)
    agree = sum(finding.verdict == "agree" for finding in findings)
    against = [finding.where for finding in findings if finding.verdict == "disagree"]
    undecided = n - agree - len(against)
    labels = [where.rpartition(": ")[2].replace(", ", " / ") for where in against]
    message = f"; it fails for {listing(labels, SHOWN)}" if against else ""
    message += f"; {undecided} could not be decided" if undecided else ""
    return Finding(
        rule=first.rule,
        title=first.title,
        verdict="not_checkable",
        basis=claim.basis,
        message=message,
        published=f"{agree} of {n}",
        where=first.where.partition(" line ")[0],
        cells=tuple(dict.fromkeys(c for finding in findings for c in finding.cells)),
        passage=claim.sentence,
        details={"agree": agree, "disagree": len(against), "exceptions": against},
    )


def _asked(holds: str | int, n: int) -> tuple[int, int]:
    """Return the least and the largest count of numbers that bear out what is said of some, most or so many of n."""
    if isinstance(holds, int):
        return holds, holds
    return (1 if holds == "some" else n // 2 + 1), n
