"""Studies of other packages: an entry point adds one, and what is no study is refused."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib.metadata import EntryPoint
from types import SimpleNamespace

import pytest

from socialstats import studies
from socialstats.errors import InputError
from socialstats.studies import STUDIES, studies_of_packages

OWN = replace(STUDIES["paired"], name="own")
NO_STUDY = {"name": "own"}


def offer(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Let a package offer objects of this module as studies."""
    points = [EntryPoint(name, f"{__name__}:{name}", studies.GROUP) for name in names]
    monkeypatch.setattr(studies, "entry_points", lambda group: points)
    module = SimpleNamespace(OWN=OWN, NO_STUDY=NO_STUDY, TAKEN=STUDIES["paired"])
    monkeypatch.setitem(sys.modules, __name__, module)


def test_a_package_adds_a_study(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, "OWN")
    assert studies_of_packages(STUDIES) == {"own": OWN}


@pytest.mark.parametrize(
    ("name", "message"), [("NO_STUDY", "is no Study"), ("TAKEN", "a study 'paired' already")]
)
def test_what_is_no_new_study_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, message: str
) -> None:
    offer(monkeypatch, name)
    with pytest.raises(InputError, match=message):
        studies_of_packages(STUDIES)


def test_a_name_is_offered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, "OWN", "OWN")
    with pytest.raises(InputError, match="a study 'own' already"):
        studies_of_packages(STUDIES)
