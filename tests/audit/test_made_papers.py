"""Whole papers go from file to verdict in one call: right ones without an alarm, wrong ones with their error named."""

from __future__ import annotations

from pathlib import Path

import pytest

import socialstats as ss
from socialstats.audit.findings.running import AuditReport
from socialstats.audit.findings.show import lead
from tests.audit.made_papers import FORMATS, PLANTED, as_md, numbers, planted


def audited(folder: Path, name: str, text: str) -> AuditReport:
    """Write a paper and audit it."""
    (folder / name).write_text(text, encoding="utf-8")
    return ss.audit.audit(folder / name)


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("seed", range(1, 5))
def test_a_right_paper_raises_no_alarm(seed: int, kind: str, tmp_path: Path) -> None:
    """Four tables and three test results are read in each format, with the same checks."""
    report = audited(tmp_path, f"paper.{kind}", FORMATS[kind](numbers(seed)))
    assert not report.of("disagree"), [(one.where, one.message) for one in report.of("disagree")]
    assert len({id(sheet) for sheet in report.book.sheets.values()}) == 4
    same = audited(tmp_path, "other.md", as_md(numbers(seed)))
    assert report.tally() == same.tally()


@pytest.mark.parametrize("name", PLANTED)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_planted_error_is_found(seed: int, name: str, tmp_path: Path) -> None:
    """It leads the report, with the sentence or the caption that it stands in."""
    report = audited(tmp_path, "paper.md", as_md(planted(numbers(seed), name)))
    assert report.of("disagree"), name
    assert "Sentence" in dict(lead(report))
