"""Test results in sentences: right ones agree, wrong ones are noticed, what is no test is not read."""

from __future__ import annotations

import csv
import re
import time
from collections import Counter
from pathlib import Path

import pytest
from sentences import GOLDEN, NO_TESTS, right_sentences, wrong_sentences

from socialstats.audit.documents import Passage
from socialstats.audit.numbers import Finding
from socialstats.audit.prose import findings_in, plain


def read(*texts: str) -> list[Finding]:
    """Findings of sentences of one document."""
    return findings_in([Passage(text=text, source="paper.md", line=k) for k, text in enumerate(texts, 1)])


def one(text: str) -> Finding:
    (found,) = read(text)
    return found


def test_right_sentences_agree() -> None:
    for text in right_sentences():
        found = read(text)
        assert found, text
        for finding in found:
            assert finding.verdict == "agree", (text, finding.message)


def test_what_is_no_test_is_not_read() -> None:
    assert len(NO_TESTS) == 80
    for text in NO_TESTS:
        assert not read(text), (text, read(text)[0].message)
