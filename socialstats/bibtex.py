"""The literature as BibTeX: one entry a work, made from the fields of `socialstats.references`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from socialstats.errors import InputError
from socialstats.references import REFERENCES, Reference

PAGES = r"(?P<pages>\d+(?:-\d+)?)"
KINDS: tuple[tuple[str, str], ...] = (
    ("article", rf"(?P<journal>.+), (?P<volume>\d+)(?:\((?P<number>[\d/]+)\))?, {PAGES}"),
    ("incollection", rf"In (?P<editor>.+) \(Eds?\.\), (?P<booktitle>.+) \(pp\. {PAGES}\)\. (?P<publisher>.+)"),
    ("inproceedings", rf"(?P<booktitle>(?:Findings|Proceedings) .+), {PAGES}"),
    ("phdthesis", r"(?:DPhil|PhD) thesis, (?P<school>.+)"),
    ("techreport", r"(?P<institution>University .+), (?P<type>Departmental Papers) (?P<number>\d+)"),
    ("misc", r"(?P<howpublished>arXiv.*)"),
    ("book", r"(?P<publisher>.+)"),
)  # how a venue is written, and the kind of entry that it makes; the last takes the rest
EDITION = re.compile(r"(?P<title>.+?) \((?P<edition>\d+(?:st|nd|rd|th)) ed\.\)")
INITIALS = re.compile(r"(?:[^\W\d_][^\W\d_]?\.[ -]?)+")
SPECIAL = str.maketrans({
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
})  # fmt: skip
PLAIN = ("doi", "year")  # fields that are printed as they are


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
    wanted = (keys,) if isinstance(keys, str) else tuple(dict.fromkeys(keys))
    unknown = [key for key in wanted if key not in REFERENCES]
    if unknown:
        raise InputError(f"no reference '{unknown[0]}'; references: {', '.join(sorted(REFERENCES))}")
    return "\n\n".join(entry(key, REFERENCES[key]) for key in wanted)


def entry(key: str, work: Reference) -> str:
    """Return one work as an entry; the kind follows from how its venue is written."""
    kind, venue = kind_of(work.venue)
    edition = EDITION.fullmatch(work.title)
    title = edition["title"] if edition else work.title
    fields = {"author": names(work.authors), "title": f"{{{escaped(title)}}}"}  # braces keep capitals
    fields |= {name: escaped(value) for name, value in venue.items()}
    if "editor" in venue:
        fields["editor"] = names(re.sub(r"((?:[A-Z]\. ?)+) ([A-Z][\w'-]+)", r"\2, \1", venue["editor"]))
    if "pages" in venue:
        fields["pages"] = venue["pages"].replace("-", "--")
    if edition:
        fields["edition"] = edition["edition"]
    fields |= {"year": str(work.year)} | ({"doi": work.doi} if work.doi else {})
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return f"@{kind}{{{key},\n{lines}\n}}"


def kind_of(venue: str) -> tuple[str, dict[str, str]]:
    """Return the kind of entry and the fields of a venue.

    Examples
    --------
    >>> kind_of("Biometrika, 39(3/4), 324-345")
    ('article', {'journal': 'Biometrika', 'volume': '39', 'number': '3/4', 'pages': '324-345'})
    >>> kind_of("Wiley")
    ('book', {'publisher': 'Wiley'})
    """
    for kind, pattern in KINDS:
        match = re.fullmatch(pattern, venue)
        if match is not None:
            return kind, {name: value for name, value in match.groupdict().items() if value is not None}
    raise InputError(f"venue '{venue}' is empty")


def names(authors: str) -> str:
    """Return authors joined by ``and``; what is not a list of surnames and initials stays whole, in braces.

    Examples
    --------
    >>> names("Bradley, R. A., & Terry, M. E."), names("Ford, L. R., Jr."), names("Student")
    ('Bradley, R. A. and Terry, M. E.', 'Ford, Jr., L. R.', '{Student}')
    """
    parts = re.split(r",\s*(?:&\s*)?|\s+&\s+", authors)
    found: list[str] = []
    for part in parts:
        if INITIALS.fullmatch(part) and found and ", " not in found[-1]:
            found[-1] = f"{found[-1]}, {part}"
        elif part in ("Jr.", "Sr.", "II", "III") and found and ", " in found[-1]:
            surname, _, initials = found[-1].partition(", ")
            found[-1] = f"{surname}, {part}, {initials}"
        else:
            found.append(part)
    if not all(", " in name for name in found):
        return f"{{{escaped(authors)}}}"
    return " and ".join(escaped(name) for name in found)


def escaped(text: str) -> str:
    """Return text with TeX's special characters escaped.

    Examples
    --------
    >>> escaped("Business & Economic_Statistics {50%}")
    'Business \\\\& Economic\\\\_Statistics \\\\{50\\\\%\\\\}'
    """
    return text.translate(SPECIAL)
