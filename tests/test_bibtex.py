"""BibTeX of every reference: read back by a small parser of the grammar, nothing lost."""

from __future__ import annotations

import re

import pytest

from socialstats.errors import InputError
from socialstats.references import all_references, bibtex, citation, read_bib

REQUIRED = {
    "article": {"author", "title", "journal", "year"},
    "book": {"author", "title", "publisher", "year"},
    "incollection": {"author", "title", "booktitle", "publisher", "year"},
    "inproceedings": {"author", "title", "booktitle", "year"},
    "phdthesis": {"author", "title", "school", "year"},
    "techreport": {"author", "title", "institution", "year"},
    "misc": {"title"},
}


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


@pytest.mark.parametrize("key", all_references())
def test_a_reference_is_a_valid_entry_that_loses_nothing(key: str) -> None:
    work = all_references()[key]
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
    bare = re.sub(
        r"\\[&%$#_{}]", "", " ".join(value for name, value in fields.items() if name != "doi")
    )
    assert not set("&%$#_") & set(bare)


def test_several_works_stand_in_the_order_given_once_each() -> None:
    found = parse(bibtex(["holm1979", "ford1957", "holm1979"]))
    assert list(found) == ["holm1979", "ford1957"]
    assert found["ford1957"][1]["author"] == "Ford, Jr., L. R."
    assert parse(bibtex(list(all_references()))).keys() == all_references().keys()
    with pytest.raises(InputError, match=r"no reference 'nobody2000'; references: .*ford1957"):
        bibtex(["nobody2000"])


ARTICLE = (
    "@article{a1,\n  author = {Bee, A.},\n  title = {{T}},\n"
    "  journal = {J},\n  volume = {1},\n  pages = {2--3},\n  year = {1999}\n}\n"
)


def test_a_work_is_cited_as_its_entry_says() -> None:
    article = all_references()["fagerland2013"]
    assert article.venue == "BMC Medical Research Methodology, 13, 91"
    assert citation("ford1957").startswith("Ford, L. R., Jr. (1957). Solution")
    assert citation("cohen1988") == (
        "Cohen, J. (1988). Statistical power analysis for the behavioral sciences (2nd ed.). Lawrence Erlbaum."
    )
    assert citation("steigerfouladi1997").endswith(
        "In L. L. Harlow, S. A. Mulaik, & J. H. Steiger (Eds.), What if there were no significance tests? "
        "(pp. 221-257). Erlbaum."
    )
    assert citation("efrontibshirani1993").startswith("Efron, B., & Tibshirani, R. J. (1993).")
    assert "Chapman & Hall" in citation("efrontibshirani1993")


def test_a_file_of_references_is_read_strictly() -> None:
    assert str(read_bib(f"% comment\n\n{ARTICLE}")["a1"]) == "Bee, A. (1999). T. J, 1, 2-3."
    for wrong, message in (
        (ARTICLE + ARTICLE, "line 9: 'a1' or one of its fields stands twice"),
        (
            ARTICLE.replace("  volume = {1},\n", "  pages = {4},\n"),
            "line 1: 'a1' or one of its fields",
        ),
        (ARTICLE.replace("  volume = {1},\n", ""), "line 1: 'a1' lacks 'volume'"),
        (ARTICLE.replace("article", "letter"), "line 1: 'a1' lacks 'letter'"),
        (
            ARTICLE.replace("{Bee, A.}", '"Bee, A."'),
            "line 1 is no entry or comment: '@article{a1,'",
        ),
        (ARTICLE + "stray", "line 9 is no entry or comment: 'stray'"),
    ):
        with pytest.raises(InputError, match=re.escape(message)):
            read_bib(wrong)
