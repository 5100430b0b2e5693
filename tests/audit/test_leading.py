"""What a disagreement changes, its sentence, and which one leads."""

from __future__ import annotations

from pathlib import Path

import socialstats as ss
from socialstats.audit.documents.passages import Passage
from socialstats.audit.findings.leading import leading, told
from socialstats.audit.findings.running import AuditReport
from socialstats.audit.findings.show import lead
from socialstats.audit.numbers import Finding
from socialstats.cli.audit import rendered

TABLE = """model,scenario,a,b,total
m1,work,10,20,30
m2,work,11,20,61
m3,work,12,20,32
m1,home,10,50,60
"""
RULES = '[[rule]]\ncheck = "sum_to"\nparts = ["a", "b"]\ntotal = "total"\ncounts = true\n'


def audited(folder: Path, table: str = TABLE, rules: str = RULES) -> AuditReport:
    """Audit a table by rules."""
    (folder / "t.csv").write_text(table)
    (folder / "r.toml").write_text(rules)
    return ss.audit.audit(folder / "t.csv", folder / "r.toml")


def test_the_order_is_compared_among_rows_that_differ_in_one_label(tmp_path: Path) -> None:
    """m2 leads the models on work with 61, not with 31; m1 on home is no rival of it."""
    (bad,) = audited(tmp_path).of("disagree")
    assert bad.changes == "With 31 instead of 61, m2 (work) lies below m3 in total."


def test_a_change_of_sign_is_named(tmp_path: Path) -> None:
    """A printed mean of 0.4 whose parts lie below 0."""
    (bad,) = audited(
        tmp_path,
        "model,a,b,m\nm1,-0.5,-0.3,0.4\n",
        '[[rule]]\ncheck = "mean_of"\nvalue = "m"\nparts = ["a", "b"]\n',
    ).of("disagree")
    assert bad.changes == "The sign is negative by the other numbers."


def test_what_changes_no_order_and_no_sign_says_nothing(tmp_path: Path) -> None:
    """A total of 33 instead of 32 stays between its neighbours."""
    (bad,) = audited(tmp_path, TABLE.replace("61", "31").replace("20,32", "20,33")).of("disagree")
    assert bad.changes == ""


def test_the_sentence_prints_the_number_and_most_of_the_row(tmp_path: Path) -> None:
    """Neither another number that begins alike, nor a sentence about another model."""
    report = audited(tmp_path)
    (bad,) = report.of("disagree")
    cells = [report.book.sheets["table"].cell(1, column) for column in ("a", "b", "total")]
    passages = [
        Passage(text=text, source="p", line=k)
        for k, text in enumerate(
            (
                "Model m2 had a total of 610 at work.",
                "There were 61 people.",
                "For m2 the total was 61.",
                "m3 had 61.",
            )
        )
    ]
    assert told(bad, cells, report.book.sheets, passages).passage == "For m2 the total was 61."
    assert told(bad, cells, report.book.sheets, passages[:1]).passage == ""


def test_a_major_one_leads_then_one_that_changes_something() -> None:
    """Severity before consequences before the gap."""
    first = Finding(
        rule="a",
        verdict="disagree",
        message="",
        severity="minor",
        changes="all",
        gap=ss.audit.printed(9).value,
    )
    second = Finding(
        rule="b", verdict="disagree", message="", severity="major", gap=ss.audit.printed(5).value
    )
    third = Finding(rule="c", verdict="disagree", message="", severity="major", changes="the order")
    assert leading([first, second, third]) is third
    assert leading([first, second]) is second
    assert leading([Finding(rule="d", verdict="agree", message="")]) is None


def test_every_format_leads_with_it(tmp_path: Path) -> None:
    """Text, Markdown, JSON and the page."""
    import socialstats_reports

    report = audited(tmp_path)
    names = dict(lead(report))
    assert names["What it changes"] == "With 31 instead of 61, m2 (work) lies below m3 in total."
    page = socialstats_reports.render_audit([report])
    for text in (*(rendered(kind, report, False) for kind in ("text", "md", "json")), page):
        assert "31 instead of 61" in text
    assert page.index("Gravest disagreement") < page.index("Sources disagree")
