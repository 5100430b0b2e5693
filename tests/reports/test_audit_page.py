"""The page of an audit: findings first, strangers' strings inert, the same bytes, every finding in its JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from html_page import Page

import socialstats as ss
from socialstats_reports import render_audit

HOSTILE = (
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7*7 }}",
    "a\x07b",
    "\u202eabc",
    "x" * 3000,
)


@pytest.fixture
def report(tmp_path: Path) -> ss.audit.AuditReport:
    rows = "".join(
        '"' + label.replace('"', '""') + f'",40,{5.17 + i / 100:.2f},x\n'
        for i, label in enumerate(HOSTILE)
    )
    (tmp_path / "t.csv").write_text(f"label,n,mean,<b>\n{rows}", encoding="utf-8")
    (tmp_path / "r.toml").write_text(
        "title = '<script>alert(2)</script>'\nsource = '</title>'\n"
        "[[rule]]\nname = '<i>one</i>'\nnote = '<u>note</u>'\ncheck = 'grim'\nmean = 'mean'\nn = 'n'\n"
        "[[rule]]\nname = 'two'\ncheck = 'grim'\nmean = 'mean'\nn = 400\n"
        "[[rule]]\nname = 'three'\ncheck = 'grim'\nmean = 'mean'\nn = 0\n"
    )
    return ss.audit.audit(tmp_path / "t.csv", tmp_path / "r.toml")


def test_structure_and_order(report: ss.audit.AuditReport) -> None:
    page = Page(render_audit([report], command="socialstats audit t.csv"))
    assert page.open == []
    assert len(page.tags("h1")) == len(page.tags("main")) == 1
    assert all("scope" in th for th in page.tags("th"))
    assert len(page.tags("caption")) == len(page.tags("table"))
    order = [
        page.text.index(h)
        for h in (
            "Sources disagree",
            "What agrees",
            "Uninformative checks",
            "What could not be checked",
            "Methods",
            "Reproduce",
        )
    ]
    assert order == sorted(order)


def test_nothing_runs_and_nothing_is_fetched(report: ss.audit.AuditReport) -> None:
    html = render_audit([report])
    page = Page(html)
    assert [tag.get("type") for tag in page.tags("script")] == ["application/json"]
    assert not page.tags("img")
    assert not re.search(r"https?://", re.sub(r"<script.*?</script>", "", html, flags=re.S))
    assert not any(name.startswith("on") for _, attrs, _ in page.elements for name in attrs)
    assert "<i>one" not in html
    assert "49" not in page.text.replace("2.49", "") or "{{ 7*7 }}" in page.text
    assert "\x07" not in html
    assert "\u202e" not in page.text


def test_same_bytes_and_all_findings_as_json(report: ss.audit.AuditReport) -> None:
    html = render_audit([report, report], title="Two")
    assert html == render_audit([report, report], title="Two")
    embedded = html.split('id="socialstats-audit">')[1].split("</script>")[0]
    audits = json.loads(embedded)["audits"]
    assert [len(a["findings"]) for a in audits] == [18, 18]
    assert audits[0]["tally"] == report.tally()


def test_every_disagreement_stands_on_the_page_with_both_numbers(
    report: ss.audit.AuditReport,
) -> None:
    text = Page(render_audit([report])).text
    for finding in report.of("disagree"):
        assert finding.published in text
        assert finding.expected in text
