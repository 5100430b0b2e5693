"""`check` tries what `report` would do; data from pipes; dates; ties of another name."""

from __future__ import annotations

import hashlib
import os
import re
import sys
import threading
from pathlib import Path

import pytest

from socialstats.cli import main
from socialstats_reports import read_results

sys.path.insert(0, str(Path(__file__).parents[1] / "studies"))
from study_examples import choices
from study_tables import answers, scores

QUICK = ("--resamples", "100", "--no-verify", "-q")


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    try:
        code = main(list(words))
    except SystemExit as stop:
        code = int(stop.code or 0)
    out = capsys.readouterr()
    return code, out.out, out.err


@pytest.fixture
def data(tmp_path: Path) -> str:
    path = tmp_path / "answers.csv"
    answers().to_csv(path, index=False)
    return str(path)


def test_a_plan_is_tried_without_writing_anything(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plan = tmp_path / "plan.toml"
    text = f"""
[study]
name = "paired"
[data]
file = "{data}"
conditions = ["reminded", "plain"]
cluster = "scenario"
[[hypothesis]]
id = "H1"
metric = "krippendorff_alpha"
"""
    plan.write_text(text, encoding="utf-8")
    before = sorted(tmp_path.iterdir())
    code, out, err = run(capsys, "check", "--plan", str(plan))
    assert code == 0, err
    assert "difference  reminded minus plain" in out
    assert re.search(r"report      study paired runs: \d questions, ", out)
    assert "deviation   planned test not run: H1: krippendorff_alpha is for ratings" in out
    assert "resamples" not in out
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (
            ("--study", "paired", "--smallest-effect", "3"),
            2,
            "differences of shares lie within -1 and 1",
        ),
        (("--study", "agreement"), 2, "no column for 'rater'"),
        (("--group", "domain"), 2, "--group has no effect on study paired"),
        (("--level", "2", "--study", "paired"), 2, "level must be between 0 and 1"),
        (("--controls", "x.csv"), 2, "--controls is for study staged-values"),
    ],
)
def test_what_the_report_refuses_check_refuses(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    data: str,
    words: tuple[str, ...],
    code: int,
    message: str,
) -> None:
    options = (data, "--conditions", "reminded,plain", *words)
    if "agreement" in words:
        options = (data, *words)
    told, _, err = run(capsys, "check", *options)
    assert told == code
    assert message in err
    assert message in run(capsys, "report", *options, "-o", str(tmp_path / "p.html"))[2]


def test_strengths_that_do_not_exist_are_found_by_trying(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "c.csv"
    path.write_text("item_a,item_b,winner\na,b,a\na,c,a\nb,c,b\n", encoding="utf-8")
    assert run(capsys, "check", str(path))[0] == 0
    code, out, err = run(capsys, "check", str(path), "--study", "comparisons")
    assert code == 3
    assert "strengths   not finite" in out
    assert "On the command line: --penalty firth" in err or "--prior" in err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_the_page_of_a_pipe_has_its_checksum(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = scores().to_csv(index=False).encode()
    pipe, page = tmp_path / "scores.csv", tmp_path / "page.html"
    os.mkfifo(pipe)
    threading.Thread(target=lambda: pipe.write_bytes(text), daemon=True).start()
    code, _, err = run(
        capsys, "report", str(pipe), "--conditions", "before,after", "-o", str(page), *QUICK
    )
    assert code == 0, err
    facts = read_results(page.read_text(encoding="utf-8"))["run"]["facts"]
    assert facts["sha256"] == hashlib.sha256(text).hexdigest()


@pytest.mark.parametrize("word", ["today", "2026-02-30", "2026-1-5", "20260105", "05.01.2026", ""])
def test_a_date_is_a_day(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, data: str, word: str
) -> None:
    code, out, err = run(capsys, "report", data, "--date", word, "-o", str(tmp_path / "p.html"))
    assert (code, out) == (2, "")
    assert f"{word!r} is no day written YYYY-MM-DD" in err


@pytest.mark.parametrize("epoch", ["x", "-1e99", "99999999999999999999"])
def test_an_epoch_is_a_number_of_seconds(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    data: str,
    epoch: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    words = (data, "--conditions", "reminded,plain", "-o", str(tmp_path / "p.html"), *QUICK)
    code, _, err = run(capsys, "report", *words)
    assert code == 2
    assert f"SOURCE_DATE_EPOCH={epoch} is no count of seconds since 1970" in err


def test_a_tie_of_another_name_stands_beside_tie(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    frame = choices(urgency=False)
    frame.loc[::9, "winner"] = "tie"
    frame.loc[::7, "winner"] = "no winner"
    path = tmp_path / "c.csv"
    frame.to_csv(path, index=False)
    code, _, err = run(capsys, "check", str(path))
    assert code == 2
    assert "'no winner'" in err
    assert "--tie" in err
    code, out, _ = run(capsys, "check", str(path), "--tie", "no winner")
    assert code == 0
    assert f"ties        {(frame['winner'].isin(['tie', 'no winner'])).sum()} (" in out
