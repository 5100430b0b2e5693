"""Sums and means that no head names: found by their numbers, told where they agree, and silent elsewhere."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import socialstats as ss
from socialstats.audit.findings.running import AuditReport
from socialstats.errors import NothingToAnalyse


def audited(folder: Path, *lines: str) -> AuditReport:
    (folder / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return ss.audit.audit(folder / "t.csv")


def scores(seed: int, rows: int, columns: int) -> list[list[float]]:
    draw = random.Random(seed)
    return [[round(draw.uniform(0.2, 0.9), 3) for _ in range(columns)] for _ in range(rows)]


@pytest.mark.parametrize("first", [True, False])
def test_a_column_that_is_the_mean_of_its_neighbours(tmp_path: Path, first: bool) -> None:
    lines = ["system,q,w,e,u"]
    for k, row in enumerate(scores(1, 9, 3)):
        cells = [f"{x:.3f}" for x in row]
        mean = f"{sum(row) / 3:.3f}"
        lines.append(",".join([f"s{k}", *([mean, *cells] if first else [*cells, mean])]))
    report = audited(tmp_path, *lines)
    title = "t: q = the means of w, e and u" if first else "t: u = the means of q, w and e"
    assert [(f.title, f.verdict) for f in report.findings] == [(title, "agree")] * 9
    wrong = lines[4].split(",")
    at = 1 if first else 4
    wrong[at] = f"{float(wrong[at]) + 0.1:.3f}"
    bad = audited(tmp_path, *lines[:4], ",".join(wrong), *lines[5:]).of("disagree")
    assert [(f.published, f.severity) for f in bad] == [(wrong[at], "minor")]
    assert "if these are the means of" in bad[0].message


def test_a_column_of_sizes_is_told_from_one_of_means(tmp_path: Path) -> None:
    lines = ["system,q,w,e,u"]
    for k, row in enumerate(scores(2, 10, 3)):
        signed = [x if (i + k) % 3 else -x for i, x in enumerate(row)]
        lines.append(f"s{k},{sum(row) / 3:.3f}," + ",".join(f"{x:.3f}" for x in signed))
    report = audited(tmp_path, *lines)
    assert {f.title for f in report.findings} == {"t: q = the mean sizes of w, e and u"}
    assert {f.verdict for f in report.findings} == {"agree"}


def test_a_level_that_is_the_mean_of_the_others_under_the_same_labels(tmp_path: Path) -> None:
    lines = ["phase,trait,score"]
    table = scores(3, 8, 4)
    for p in range(4):
        lines += [f"p{p},t{t},{row[p]:.3f}" for t, row in enumerate(table)]
    lines += [f"wrapup,t{t},{sum(row) / 4:.3f}" for t, row in enumerate(table)]
    report = audited(tmp_path, *lines)
    assert {f.title for f in report.findings} == {
        "t: wrapup = the means of the other levels of phase"
    }
    assert [f.verdict for f in report.findings] == ["agree"] * 8


def test_a_row_that_is_the_sum_of_the_others(tmp_path: Path) -> None:
    draw = random.Random(4)
    table = [[draw.randint(3, 90) for _ in range(6)] for _ in range(5)]
    lines = ["kind,c1,c2,c3,c4,c5,c6"]
    lines += [f"k{i}," + ",".join(map(str, row)) for i, row in enumerate(table)]
    lines.append("zusammen," + ",".join(str(sum(column)) for column in zip(*table, strict=True)))
    report = audited(tmp_path, *lines)
    found = [f for f in report.findings if f.rule == "sum_to"]
    assert {f.title for f in found} == {"t: zusammen = the sums of the other levels of kind"}
    assert [f.verdict for f in found] == ["agree"] * 6


def test_a_sum_of_some_neighbours_beside_years_and_sizes(tmp_path: Path) -> None:
    draw = random.Random(7)
    table = [(2001 + k, draw.randint(3, 60), draw.randint(3, 60)) for k in range(7)]
    report = audited(tmp_path, "jahr,x,y,z", *(f"{year},{x},{y},{x + y}" for year, x, y in table))
    assert {f.title for f in report.findings} == {"t: z = the sums of x and y"}


def test_a_table_of_many_misprints_is_no_relation(tmp_path: Path) -> None:
    lines = ["system,q,w,e,u"]
    for k, row in enumerate(scores(8, 80, 3)):
        lines.append(
            f"s{k}," + ",".join(f"{x:.3f}" for x in (*row, sum(row) / 3 + 0.2 * (k % 10 == 0)))
        )
    with pytest.raises(NothingToAnalyse):
        audited(tmp_path, *lines)


@pytest.mark.parametrize("seed", range(30))
def test_tables_without_a_relation_have_none(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    rows, columns = draw.randint(5, 25), draw.randint(3, 6)
    digits = draw.choice((1, 2, 3))
    lines = ["system," + ",".join(f"x{c}" for c in range(columns))]
    lines += [
        f"s{r}," + ",".join(f"{draw.gauss(0.5, 0.2):.{digits}f}" for _ in range(columns))
        for r in range(rows)
    ]
    with pytest.raises(NothingToAnalyse):
        audited(tmp_path, *lines)


@pytest.mark.parametrize(
    "row",
    [
        "{k},10,20,30,20",  # doses: the same in every row
        "{k},0.00,0.00,0.00,0.00",
        "{k},1,1,1,1",
    ],
)
def test_numbers_that_do_not_vary_are_no_evidence(tmp_path: Path, row: str) -> None:
    with pytest.raises(NothingToAnalyse):
        audited(tmp_path, "system,w,x,y,z", *(row.format(k=f"s{k}") for k in range(12)))


def test_f1_of_near_precision_and_recall_is_no_mean(tmp_path: Path) -> None:
    draw = random.Random(5)
    lines = ["system,first,second,third"]
    for k in range(20):
        p = draw.uniform(0.5, 0.9)
        r = p + draw.uniform(-0.02, 0.02)
        lines.append(f"s{k},{p:.3f},{r:.3f},{2 * p * r / (p + r):.3f}")
    with pytest.raises(NothingToAnalyse):
        audited(tmp_path, *lines)


def test_a_margin_that_a_head_names_is_checked_once(tmp_path: Path) -> None:
    lines = ["system,q,w,e,Average"]
    lines += [
        f"s{k}," + ",".join(f"{x:.3f}" for x in (*row, sum(row) / 3))
        for k, row in enumerate(scores(6, 9, 3))
    ]
    report = audited(tmp_path, *lines)
    assert {f.title for f in report.findings if f.rule == "mean_of"} == {"t: mean_of of Average"}
    columns = [[float(line.split(",")[c]) for line in lines[1:]] for c in range(1, 5)]
    lines.append("Mean," + ",".join(f"{sum(column) / 9:.3f}" for column in columns))
    report = audited(tmp_path, *lines)
    assert {f.title for f in report.findings if f.rule == "mean_of"} == {
        "t: mean_of of Average",
        "t: mean_of of Mean",
    }
