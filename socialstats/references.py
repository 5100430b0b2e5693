"""The literature behind the methods: `references.bib`, cited by key everywhere else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from socialstats.errors import InputError

VENUES = {
    "article": "{journal}, {volume}({number}), {pages}",
    "book": "{publisher}",
    "incollection": "In {editors}, {booktitle} (pp. {pages}). {publisher}",
    "inproceedings": "{booktitle}, {pages}",
    "phdthesis": "DPhil thesis, {school}",
    "techreport": "{institution}, {type} {number}",
    "misc": "{howpublished}",
}
COMMENT = re.compile(r"(?:%.*\n|\s)*")
ENTRY = re.compile(r"@(?P<kind>\w+)\{(?P<key>[a-z0-9]+),\n(?P<fields>(?:  \w+ = \{.+\},?\n)+)\}")
FIELD = re.compile(r"  (\w+) = \{(.+)\},?\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A published work.

    Attributes
    ----------
    authors, year, title, venue, doi : str
        As a list of references prints them; `doi` is empty where the work has none.
    bibtex : str
        The entry of `references.bib`.
    """

    authors: str
    year: int
    title: str
    venue: str
    doi: str = ""
    bibtex: str

    def __str__(self) -> str:
        text = f"{self.authors} ({self.year}). {self.title}. {self.venue}."
        return f"{text} doi:{self.doi}" if self.doi else text


def read_bib(text: str) -> dict[str, Reference]:
    """Read BibTeX entries as `references.bib` writes them: one field a line, values in braces, comments after ``%``.

    Raises
    ------
    InputError
        For anything else, a kind of entry that `VENUES` lacks, a missing field, or a second entry of one key.

    Examples
    --------
    >>> read_bib("@book{a1, author = {A, B.}}")
    Traceback (most recent call last):
    socialstats.errors.InputError: references.bib line 1 is no entry or comment: '@book{a1, author = {A, B.}}'
    """
    references: dict[str, Reference] = {}
    place = 0
    while (place := COMMENT.match(text, place).end()) < len(text):  # type: ignore[union-attr]  # matches "" at least
        entry = ENTRY.match(text, place)
        line = text.count("\n", 0, place) + 1
        if entry is None:
            raise InputError(
                f"references.bib line {line} is no entry or comment: '{text[place:].splitlines()[0]}'"
            )
        fields = dict(FIELD.findall(entry["fields"]))
        try:
            if entry["key"] in references or len(fields) < entry["fields"].count("\n"):
                raise InputError(
                    f"references.bib line {line}: '{entry['key']}' or one of its fields stands twice"
                )
            references[entry["key"]] = _reference(entry["kind"], fields, entry[0])
        except KeyError as missing:
            raise InputError(
                f"references.bib line {line}: '{entry['key']}' lacks {missing}"
            ) from None
        place = entry.end()
    return references


def _reference(kind: str, fields: dict[str, str], entry: str) -> Reference:
    """Return the work of an entry; a KeyError names the kind or the field that is missing."""
    # BibTeX writes &, %, $, # and _ with a backslash, and a range of pages with two hyphens
    plain = {
        name: re.sub(r"\\([&%$#_])", r"\1", value.strip("{}")) for name, value in fields.items()
    }
    plain["pages"] = plain.get("pages", "").replace("--", "-")
    editors = [" ".join(name.split(", ")[::-1]) for name in plain.get("editor", "").split(" and ")]
    plain["editors"] = f"{_joined_names(editors)} (Ed{'s' * (len(editors) > 1)}.)"
    # articles without an issue have no brackets behind the volume
    venue = (
        VENUES[kind]
        if kind != "article" or "number" in plain
        else VENUES[kind].replace("({number})", "")
    )
    # APA sets Jr. behind the initials
    authors = [
        re.sub(r", (Jr\.), (.+)", r", \2, \1", name) for name in plain["author"].split(" and ")
    ]
    edition = f" ({plain['edition']} ed.)" if "edition" in plain else ""
    return Reference(
        authors=_joined_names(authors),
        year=int(plain["year"]),
        title=plain["title"] + edition,
        venue=venue.format_map(plain),
        doi=fields.get("doi", ""),
        bibtex=entry,
    )


def _joined_names(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])}, & {names[-1]}"


@cache
def all_references() -> dict[str, Reference]:
    """Return the works of `references.bib` by key, read when the first one is asked for."""
    return read_bib(Path(__file__).with_name("references.bib").read_text(encoding="utf-8"))


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
    return str(_known(key))


def bibtex(keys: str | Sequence[str]) -> str:
    """Return works as BibTeX entries, in the order given, each once.

    Raises
    ------
    InputError
        If a key is unknown.

    Examples
    --------
    >>> print(bibtex("holm1979"))
    @article{holm1979,
      author = {Holm, S.},
      title = {{A simple sequentially rejective multiple test procedure}},
      journal = {Scandinavian Journal of Statistics},
      volume = {6},
      number = {2},
      pages = {65--70},
      year = {1979}
    }
    """
    return "\n\n".join(
        _known(key).bibtex for key in dict.fromkeys([keys] if isinstance(keys, str) else keys)
    )


def _known(key: str) -> Reference:
    works = all_references()
    if key not in works:
        raise InputError(f"no reference '{key}'; references: {', '.join(sorted(works))}")
    return works[key]
