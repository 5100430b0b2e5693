"""docs/audit.md: every check is listed with its parameters, and its example of a rules file runs."""

from __future__ import annotations

import re
from pathlib import Path

import socialstats as ss
from socialstats.audit.checks.catalogue import CHECKS, TABLE_CHECKS
from socialstats.audit.rules.alignment import NEEDED

PAGE = (Path(__file__).parents[2] / "docs" / "audit.md").read_text(encoding="utf-8")


def test_every_check_and_parameter_is_documented() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| `")]
    for name, check in CHECKS.items():
        (row,) = [line for line in rows if re.search(rf"`{name}`", line.split("|")[1])]
        for parameter in {*check.required, *check.options} - {"rounding"}:
            assert f"`{parameter}" in row, (name, parameter)
    for name in TABLE_CHECKS:
        (row,) = [line for line in rows if f"`{name}`" in line.split("|")[1]]
        assert all(f"`{key}`" in row for key in NEEDED)


def test_every_check_is_public() -> None:
    for name, check in CHECKS.items():
        assert getattr(ss.audit, name) is check.function
        assert name in ss.audit.__all__
    assert "alignment" in ss.audit.__all__


def test_the_example_runs(tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(PAGE.split("```toml\n")[1].split("```")[0])
    (tmp_path / "table2.csv").write_text(
        "model,group,score,score_2,percent\nM-1,g,0.35,0.35,60\nM1,g,0.35,0.35,40\nMean,h,0,0,100\n"
    )
    for name in ("a", "b"):
        (tmp_path / f"table3{name}.csv").write_text(
            f"model,topic,score,score_2\nM-1,{name},0.350*,0.350\n"
            if name == "a"
            else "model,topic,score,score_2\nM1,b,0.350,0.350\n"
        )
    report = ss.audit.audit([], tmp_path / "rules.toml")
    assert report.tally()["disagree"] == 0
    assert [f.verdict for f in report.findings if f.rule == "weighted_mean"] == [
        "not_checkable",
        "not_checkable",
        "agree",
        "agree",
    ]
    assert [f.verdict for f in report.findings if f.rule == "sum_to"] == ["agree", "not_checkable"]
