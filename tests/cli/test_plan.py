"""Plan files on the command line: exclusions, hypotheses, deviations; and reports read back."""

from __future__ import annotations

import io
import json
import sys
import tomllib
from pathlib import Path

import pytest

from socialstats.cli import main
from socialstats.studies.plan_files import read_plan
from socialstats_reports import read_results

sys.path.insert(0, str(Path(__file__).parents[1] / "studies"))
from study_tables import answers, ratings

BASE = """
[study]
name = "paired"
status = "confirmatory"
data_seen = false
registered = "a public registry, entry 7"
[data]
conditions = ["reminded", "plain"]
cluster = "scenario"
exclude = ["scenario=s24", {rows = "item=s00-1", reason = "a typing error in the question"}]
[inference]
resamples = 200
seed = 7
"""
H1 = """
[[hypothesis]]
id = "H1"
text = "A reminder raises the share of right answers"
metric = "mcnemar"
alternative = "greater"
sesoi = 0.02
family = "main"
"""
QUIET = ("--no-verify", "-q")


@pytest.fixture
def data(tmp_path: Path) -> str:
    path = tmp_path / "answers.csv"
    answers().to_csv(path, index=False)
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    try:
        code = main(list(words))
    except SystemExit as stop:
        code = int(stop.code or 0)
    out = capsys.readouterr()
    return code, out.out, out.err


def page_of(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, data: str, plan: str, *more: str
) -> tuple[str, dict[str, object]]:
    """Write a plan, make its page, return the page and its JSON."""
    path, page = tmp_path / "plan.toml", tmp_path / "page.html"
    path.write_text(plan, encoding="utf-8")
    code, out, err = run(
        capsys, "report", data, "--plan", str(path), "-o", str(page), *QUIET, *more
    )
    assert (code, out) == (0, ""), err
    text = page.read_text(encoding="utf-8")
    return text, read_results(text)


def test_exclusions_are_counted_with_their_reasons(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, data: str
) -> None:
    text, found = page_of(capsys, tmp_path, data, BASE)
    frame = answers()
    steps = [(step["label"], step["rows"], step["note"]) for step in found["flow"]]  # type: ignore[attr-defined]
    assert steps[:3] == [
        ("rows read", len(frame), "answers.csv"),
        (
            "excluded: scenario is 's24'",
            int((frame["scenario"] == "s24").sum()),
            "--exclude scenario=s24",
        ),
        (
            "excluded: item is 's00-1'",
            int((frame["item"] == "s00-1").sum()),
            "a typing error in the question",
        ),
    ]
    assert "a typing error in the question" in text
    assert "191 units" in text
    assert found["run"]["facts"]["plan registered"] == "a public registry, entry 7"  # type: ignore[index]


def test_exclusion_on_the_command_line_is_a_deviation_and_may_match_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, data: str
) -> None:
    _, found = page_of(capsys, tmp_path, data, BASE, "--exclude", "scenario=none")
    assert found["flow"][1] == {  # type: ignore[index]
        "label": "excluded: scenario is 'none'",
        "rows": 0,
        "note": "--exclude scenario=none",
    }
    (deviation,) = found["run"]["deviations"]  # type: ignore[index]
    assert deviation.startswith(
        "exclude: the plan says ['scenario=s24', 'item=s00-1'], the command line"
    )
    code, _, err = run(capsys, "check", data, "--exclude", "nowhere=1")
    assert (code, "no column 'nowhere'" in err) == (2, True)
    code, _, err = run(capsys, "check", data, "--exclude", "scenario")
    assert (code, "--exclude scenario: write it as COLUMN=VALUE" in err) == (2, True)


@pytest.mark.slow
def test_a_plan_that_is_followed_has_no_deviation_but_unplanned_tests(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, data: str
) -> None:
    text, found = page_of(capsys, tmp_path, data, BASE)
    assert found["run"]["deviations"] == []  # type: ignore[index]
    assert "<p>None.</p>" in text
    text, found = page_of(capsys, tmp_path, data, BASE + H1)
    (deviation,) = found["run"]["deviations"]  # type: ignore[index]
    assert deviation.startswith("tests not in the plan, exploratory: ")
    block = found["blocks"][0]  # type: ignore[index]
    assert block["status"] == "confirmatory"
    assert block["sentences"][0].startswith(
        "H1 (A reminder raises the share of right answers) is supported: "
    )
    assert "'main' (m = 1)" in block["caption"]
    assert '<article id="hypotheses" class="confirmatory">' in text
    assert 'class="exploratory"' in text


@pytest.mark.slow
def test_every_change_of_an_option_is_a_deviation(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, data: str
) -> None:
    _, found = page_of(
        capsys, tmp_path, data, BASE, "--seed", "8", "--level", "0.9", "--resamples", "200"
    )
    assert found["run"]["deviations"] == [  # type: ignore[index]
        "level: the plan says nothing, the command line 0.9",
        "seed: the plan says 7, the command line 8",
    ]
    plan = BASE.replace("data_seen = false", "data_seen = true")
    _, found = page_of(capsys, tmp_path, data, plan)
    assert "says that the data had been seen" in found["run"]["deviations"][0]  # type: ignore[index]


def test_without_a_plan_a_page_is_exploratory_and_lists_no_deviation(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, data: str
) -> None:
    page = tmp_path / "page.html"
    assert run(capsys, "report", data, "-o", str(page), "--resamples", "200", *QUIET)[0] == 0
    text = page.read_text(encoding="utf-8")
    assert "Deviations from the plan" not in text
    assert text.count('class="exploratory"') == text.count("<article")
    assert 'class="status"' not in text


WRONG = [
    (
        '[data]\nexclude = ["scenario"]\n',
        "exclude: 'scenario' names no rows (in [data]). Write \"column=value\"",
    ),
    ("[data]\nexclude = [{row = 'a=b'}]\n", "exclude: {'row': 'a=b'} names no rows (in [data])"),
    ("[data]\nexclude = [3]\n", "plan.toml line 2: exclude: 3 names no rows (in [data])"),
    (
        "[data]\nexlude = ['a=b']\n",
        "plan.toml line 2: unknown key 'exlude' (in [data]). Did you mean 'exclude'?",
    ),
    ("[[hypotesis]]\nid = 'H'\n", "unknown section [hypotesis]. Did you mean 'hypothesis'?"),
    ("[hypothesis]\nid = 'H'\n", "hypotheses are written [[hypothesis]]"),
    (
        "[[hypothesis]]\nid = 'H'\nmetrik = 'a'\n",
        "plan.toml line 3: unknown key 'metrik' (in [[hypothesis]] H). Did you mean 'metric'?",
    ),
    (
        "[[hypothesis]]\nmetric = 'mcnemar'\n",
        "no id (in [[hypothesis]] number 1). A hypothesis has an id",
    ),
    ("[[hypothesis]]\nid = 'H'\n", "no metric (in [[hypothesis]] H)"),
    (H1 + H1, "another hypothesis has this id (in [[hypothesis]] H1)"),
    (
        H1.replace("mcnemar", "mcnemra"),
        "[[hypothesis]] H1: there is no metric 'mcnemra'. Did you mean 'mcnemar'?",
    ),
    (
        H1.replace('"greater"', '"bigger"'),
        "alternative = 'bigger' is not one of two-sided, greater, less (in [[hypothesis]] H1)",
    ),
    (
        H1.replace("0.02", "-0.02"),
        "sesoi = -0.02 is not a size (in [[hypothesis]] H1). Write a number above 0",
    ),
    (H1 + "smallest_effect = 0.1\n", "sesoi and smallest_effect are one thing"),
    (
        H1 + "status = 'sure'\n",
        "status = 'sure' is not one of exploratory, confirmatory (in [[hypothesis]] H1)",
    ),
    (H1.replace("0.02", '"small"'), "sesoi = 'small' is not a number (in [[hypothesis]] H1)"),
    (
        "[study]\ndata_seen = 'no'\n",
        "plan.toml line 2: data_seen = 'no' is not true or false (in [study])",
    ),
    ("[study]\nname = true\n", "name = true is not text (in [study])"),
]


@pytest.mark.parametrize(("plan", "message"), WRONG)
def test_a_wrong_plan_says_what_is_wrong(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, data: str, plan: str, message: str
) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(plan, encoding="utf-8")
    page = tmp_path / "page.html"
    code, out, err = run(capsys, "report", data, "--plan", str(path), "-o", str(page), *QUIET)
    assert (code, out) == (2, "")
    assert message in err
    assert not page.exists()


def test_the_hypothesis_that_init_prints_works(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, data: str
) -> None:
    code, plan, _ = run(
        capsys, "init", data, "--conditions", "reminded,plain", "--exclude", "scenario=s24"
    )
    assert code == 0
    assert tomllib.loads(plan)["data"]["exclude"] == ["scenario=s24"]
    head, _, template = plan.partition("# [[hypothesis]]")
    lines = ["[[hypothesis]]", *(line.removeprefix("# ") for line in template.strip().split("\n"))]
    lines = [
        line.replace('["..."]', '["difference"]').replace('"..."', '"It helps."') for line in lines
    ]
    _, found = page_of(capsys, tmp_path, data, head + "\n".join(lines), "--resamples", "200")
    assert found["blocks"][0]["sentences"][0].startswith("H1 (It helps) is exploratory")  # type: ignore[index]
    assert found["blocks"][0]["tables"][0]["caption"] == "The plan's 1 hypothesis, 1 test"  # type: ignore[index]


def test_the_plan_of_the_documentation_works(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, data: str
) -> None:
    text = (Path(__file__).parents[2] / "docs" / "plan.md").read_text(encoding="utf-8")
    plan = text.partition("```toml\n")[2].partition("```")[0]
    _, found = page_of(capsys, tmp_path, data, plan.replace("resamples = 2000", "resamples = 200"))
    first, second = found["blocks"][0]["sentences"]  # type: ignore[index]
    assert first.startswith(
        "H1 (A reminder raises the share of right answers) is supported: difference ."
    )
    assert second.startswith(
        "H2 (In standard deviations of the differences, too) is exploratory, with"
    )
    assert not [text for text in found["run"]["deviations"] if "not run" in text]  # type: ignore[index]


def test_hostile_words_of_a_plan_are_inert(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, data: str
) -> None:
    evil = "</script><script>alert(1)</script>"
    plan = BASE.replace("a typing error in the question", evil) + H1.replace(
        "A reminder", evil
    ).replace("main", evil)
    text, found = page_of(capsys, tmp_path, data, plan.replace("entry 7", evil))
    assert text.count("<script") == 1
    assert evil in found["blocks"][0]["sentences"][0]  # type: ignore[index]


@pytest.fixture
def page(capsys: pytest.CaptureFixture[str], tmp_path: Path, data: str) -> Path:
    page_of(capsys, tmp_path, data, BASE + H1)
    return tmp_path / "page.html"


def test_show_reads_a_report_back(capsys: pytest.CaptureFixture[str], page: Path) -> None:
    code, out, err = run(capsys, "show", str(page))
    assert (code, err) == (0, "")
    found = read_results(page.read_text(encoding="utf-8"))
    assert out.split("\n")[0] == found["title"]
    for text in (
        *found["answer"],
        *found["blocks"][0]["sentences"],
        found["run"]["plan_sha256"],
        "confirmatory",
    ):
        assert text in out
    code, out, err = run(capsys, "show", str(page), "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == found


def test_show_reads_stdin(
    capsys: pytest.CaptureFixture[str], page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(page.read_bytes())))
    assert run(capsys, "show", "-", "--json")[1] == run(capsys, "show", str(page), "--json")[1]


ELEMENT = '<script type="application/json" id="socialstats-results">{}</script>'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<p>another page</p>", "it was not made by socialstats report"),
        (ELEMENT.format("{oops").encode(), "holds no JSON"),
        (ELEMENT.format("[1]").encode(), "holds no results"),
        (
            ELEMENT.format('{"study": "s"}').encode(),
            "not written by this version of socialstats (KeyError('title'))",
        ),
        (b"\xff\xfe<p>", "not a page of text"),
    ],
)
def test_show_refuses_other_pages(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "other.html"
    path.write_bytes(content)
    code, out, err = run(capsys, "show", str(path))
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {path}: ")
    assert message in err


def test_show_of_a_missing_file_is_bad_input(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, out, err = run(capsys, "show", str(tmp_path / "none.html"))
    assert (code, out) == (2, "")
    assert "there is no such file" in err


def test_show_prints_no_control_characters(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path, made = tmp_path / "ratings.csv", tmp_path / "page.html"
    ratings().replace({"judge": {"ann": "ann\x1b[31m\u202e"}}).to_csv(path, index=False)
    words = ("--levels", "low,medium,high", "--refusal", "refused", "--resamples", "200", *QUIET)
    assert run(capsys, "report", str(path), *words, "-o", str(made))[0] == 0
    code, out, _ = run(capsys, "show", str(made))
    assert code == 0
    assert not {"\x1b", "\u202e"} & set(out)
    assert "\\u001b" in run(capsys, "show", str(made), "--json")[1]


def test_cite_prints_bibtex(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "cite", "mcnemar", "--bibtex")
    assert code == 0
    assert out.startswith("@article{")
    assert "journal = {Psychometrika}" in out


def test_a_plan_saved_with_a_mark_of_its_encoding_is_read(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_bytes(b'\xef\xbb\xbf[study]\nname = "comparisons"\n')
    plan = read_plan(str(path))
    assert plan.values == {"study": "comparisons"}
    assert plan.text.startswith("[study]")
