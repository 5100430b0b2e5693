"""BibTeX of every reference: read back by a small parser of the grammar, nothing lost."""

from __future__ import annotations

import re

import pytest

from socialstats.bibtex import bibtex, kind_of, names
from socialstats.errors import InputError
from socialstats.references import REFERENCES

REQUIRED = {
    "article": {"author", "title", "journal", "year"}, "book": {"author", "title", "publisher", "year"},
    "incollection": {"author", "title", "booktitle", "publisher", "year"},
    "inproceedings": {"author", "title", "booktitle", "year"}, "phdthesis": {"author", "title", "school", "year"},
    "techreport": {"author", "title", "institution", "year"}, "misc": {"title"},
}  # fmt: skip


def braced(text: str, start: int) -> int:
    """Return the place after the brace that closes the one at `start`; an escaped brace counts as text."""
    depth, place = 0, start
    while True:
        ch = text[place]
        if ch == "\\":
            place += 2
            continue
        depth += (ch == "{") - (ch == "}")
        place += 1
        if depth == 0:
            return place


def parse(text: str) -> dict[str, tuple[str, dict[str, str]]]:
    """Read entries of the form @kind{key, name = {value}, ...}; anything else is an error."""
    found = {}
    place = 0
    while place < len(text):
        head = re.compile(r"\s*@(\w+)\{([a-z0-9]+),\s*").match(text, place)
        assert head is not None, text[place : place + 80]
        place, fields = head.end(), {}
        while text[place] != "}":
            name = re.compile(r"(\w+) = (?=\{)").match(text, place)
            assert name is not None, text[place : place + 80]
            end = braced(text, name.end())
            assert name[1] not in fields
            fields[name[1]] = text[name.end() + 1 : end - 1]
            rest = re.compile(r",\s*|\s*(?=\})").match(text, end)
            assert rest is not None, text[end : end + 40]
            place = rest.end()
        place += 1
        assert head[2] not in found
        found[head[2]] = (head[1], fields)
    return found


@pytest.mark.parametrize("key", REFERENCES)
def test_a_reference_is_a_valid_entry_that_loses_nothing(key: str) -> None:
    work = REFERENCES[key]
    ((kind, fields),) = parse(bibtex(key)).values()
    assert REQUIRED[kind] <= set(fields)
    assert all(fields.values())
    assert fields["year"] == str(work.year)
    assert fields.get("doi", "") == work.doi
    unescaped = re.sub(r"\\([&%$#_{}])", r"\1", " ".join(fields.values()))
    for text in (work.title, work.venue, work.authors):
        words = set(re.findall(r"[^\W\d_]{3,}", text)) - {"Eds", "thesis", "DPhil", "PhD"}
        assert words <= set(re.findall(r"[^\W\d_]{3,}", unescaped))
        assert set(re.findall(r"\d+", text)) <= set(re.findall(r"\d+", unescaped))
    bare = re.sub(r"\\[&%$#_{}]", "", " ".join(value for name, value in fields.items() if name != "doi"))
    assert not set("&%$#_") & set(bare)


def test_several_works_stand_in_the_order_given_once_each() -> None:
    found = parse(bibtex(["holm1979", "ford1957", "holm1979"]))
    assert list(found) == ["holm1979", "ford1957"]
    assert found["ford1957"][1]["author"] == "Ford, Jr., L. R."
    assert parse(bibtex(list(REFERENCES))).keys() == REFERENCES.keys()
    with pytest.raises(InputError, match=r"no reference 'nobody2000'; references: .*ford1957"):
        bibtex(["nobody2000"])


def test_kinds_follow_from_the_venue() -> None:
    assert kind_of("BMC Medical Research Methodology, 13, 91")[1]["pages"] == "91"
    kind, venue = kind_of("In A. Bee & C. Dee (Eds.), A book, with commas (pp. 1-9). House")
    assert (kind, venue["booktitle"], venue["publisher"]) == ("incollection", "A book, with commas", "House")
    assert kind_of("DPhil thesis, University of Oxford") == ("phdthesis", {"school": "University of Oxford"})
    assert names("A, B. C., D, E., & F, G.") == "A, B. C. and D, E. and F, G."
    with pytest.raises(InputError):
        kind_of("")
