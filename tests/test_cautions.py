"""The page of cautions lists every numbered caution."""

from __future__ import annotations

from pathlib import Path

import pytest

from socialstats.cautions import ADVICE, CAUSES, cautions_page
from socialstats.cli import main
from socialstats.errors import CAUTIONS, caution

LINES = ["Cause:", "Effect:", "Remedy:"]


def test_the_page_lists_every_caution() -> None:
    text = cautions_page()
    for code, (_, short) in CAUTIONS.items():
        assert f"### {code}: {short}\n" in text


def test_every_caution_says_which_numbers_it_concerns_and_what_to_do() -> None:
    assert ADVICE.keys() == CAUTIONS.keys()
    assert all(concerned and advice.endswith(".") for concerned, advice in ADVICE.values())
    assert CAUSES.keys() < CAUTIONS.keys()
    assert all(cause.endswith(".") for cause in CAUSES.values())


def test_the_terminal_explains_a_caution_as_the_page_does(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["explain", "ss202", "SS105"]) == 0
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.splitlines() if line] == [
        "SS202",
        *LINES,
        "SS105",
        *LINES,
    ]
    assert all(text in out for code in ("SS202", "SS105") for text in ADVICE[code])
    assert main(["explain"]) == 0
    out = capsys.readouterr().out
    assert all(f"{code} (" in out for code in CAUTIONS)


def test_an_unknown_caution_is_an_error_that_lists_those_there_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["explain", "SS999"]) == 2
    assert "Cautions: SS101, " in capsys.readouterr().err


def test_cautions_of_a_table_are_followed_by_the_command_that_explains_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "answers.csv"
    table.write_text(
        "unit,rater,value,story\n"
        + "".join(
            f"u{k},{rater},{(k + shift) % 3},s{k % 4}\n"
            for k in range(12)
            for rater, shift in (("a", 0), ("b", k % 2))
        ),
        encoding="utf-8",
    )
    assert main(["check", str(table)]) == 0
    *cautions, last = capsys.readouterr().err.splitlines()
    codes = sorted({line.split()[1] for line in cautions})
    assert codes
    assert last == f"explained by: socialstats explain {' '.join(codes)}"


def test_a_setting_stands_in_the_advice_as_it_is_typed() -> None:
    written = caution("SS311", "'story'", affects="errors", fix='cluster = "story"')
    assert written.advice.endswith('. Write cluster = "story"')
    sentence = caution("SS312", "8 units", affects="the interval", fix="collect more units")
    assert sentence.advice.endswith(". Collect more units")
