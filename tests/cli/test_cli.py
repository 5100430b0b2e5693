"""The command line as a user meets it: exit codes, messages, stdout and stderr."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import socialstats
from socialstats.cli import main
from socialstats.results import Check, Result, Verification

ROOT = Path(__file__).parents[2]
SMALL = "item_a,item_b,winner,order,worker\n" + "".join(
    f"{a},{b},{w},{f},{k % 7}\n"
    for k, (a, b, w, f) in enumerate(
        [
            ("nurse", "judge", "nurse", "nurse"),
            ("judge", "pilot", "judge", "pilot"),
            ("pilot", "nurse", "pilot", "pilot"),
            ("nurse", "pilot", "nurse", "pilot"),
            ("judge", "nurse", "judge", "nurse"),
            ("pilot", "judge", "pilot", "judge"),
            ("nurse", "judge", "nurse", "judge"),
        ]
        * 6
    )
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "choices.csv"
    path.write_text(SMALL)
    return path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    try:
        code = main(list(words))
    except SystemExit as stop:
        code = int(stop.code or 0)
    out = capsys.readouterr()
    return code, out.out, out.err


def test_help_loads_nothing_heavy() -> None:
    script = (
        "import sys\nfrom socialstats.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'pandas', 'scipy', 'matplotlib', 'sklearn', 'pingouin', 'statsmodels', 'openai', 'jinja2'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip().endswith("[]")


def test_a_csv_loads_no_reader_of_logs_and_nothing_of_audit_and_collect() -> None:
    script = (
        "import sys\nfrom socialstats.cli import main\n"
        "main(['check', 'examples/data/choices.csv'])\n"
        "rooms = ('socialstats.harness_logs', 'socialstats.audit', 'socialstats_collect', 'openai')\n"
        "print([name for name in sys.modules if name.startswith(rooms)])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip().endswith("[]")


@pytest.mark.slow
def test_import_loads_no_peer_no_figure_library_and_no_scipy_stats() -> None:
    script = (
        "import sys, socialstats as ss\n"
        "ss.bradley_terry({'item_a': ['x', 'y'], 'item_b': ['y', 'x'], 'winner': ['x', 'x']}, penalty='firth')\n"
        "heavy = {'sklearn', 'pingouin', 'openai', 'matplotlib', 'statsmodels', 'choix', 'scipy.stats'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "[]"


def test_every_public_name_loads() -> None:
    for name in socialstats.__all__:
        assert getattr(socialstats, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        socialstats.nonsense  # noqa: B018


def test_typo_in_command_and_option_is_answered_with_a_suggestion(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = run(capsys, "reprot")
    assert (code, out) == (2, "")
    assert "Did you mean 'report'?" in err
    code, out, err = run(capsys, "check", "x.csv", "--clustre", "a")
    assert code == 2
    assert "Did you mean '--cluster'?" in err


def test_check_says_what_is_in_the_table(capsys: pytest.CaptureFixture[str], table: Path) -> None:
    code, out, _ = run(capsys, "check", str(table), "--cluster", "worker")
    assert code == 0
    assert "42 comparisons of 3 items" in out
    assert "worker (7)" in out
    assert "strengths   finite" in out


def test_init_writes_a_plan_that_report_reads(
    capsys: pytest.CaptureFixture[str], table: Path, tmp_path: Path
) -> None:
    code, out, _ = run(capsys, "init", str(table), "--cluster", "worker")
    assert code == 0
    plan = tomllib.loads(out)
    assert plan["data"]["map"]["winner"] == "winner"
    assert plan["data"]["cluster"] == ["worker"]
    path = tmp_path / "plan.toml"
    path.write_text(out)
    page = tmp_path / "page.html"
    code, out, err = run(
        capsys, "report", str(table), "--plan", str(path), "--level", "0.9", "-o", str(page)
    )
    assert (code, out) == (0, ""), err
    text = page.read_text()
    assert "level: the plan says 0.95, the command line 0.9" in text
    assert "90% CI" in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[study]\nnaem = 'x'\n", "line 2: unknown key 'naem' (in [study]). Did you mean 'name'?"),
        ("[dta]\n", "line 1: unknown section [dta]. Did you mean 'data'?"),
        ("[inference]\nseed = 'x'\n", "line 2: seed = 'x' is not a whole number (in [inference])"),
        ("[study\n", "not a TOML file"),
    ],
)
def test_bad_plan_names_the_key(
    capsys: pytest.CaptureFixture[str], table: Path, tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(text)
    code, out, err = run(capsys, "report", str(table), "--plan", str(path))
    assert (code, out) == (2, "")
    assert message in err


def test_json_on_stdout_is_all_that_stdout_carries(
    capsys: pytest.CaptureFixture[str], table: Path
) -> None:
    code, out, _ = run(capsys, "report", str(table), "--json", "-", "--no-verify")
    assert code == 0
    assert json.loads(out)["study"] == "comparisons"


def test_fail_on_caution_exits_with_one(
    capsys: pytest.CaptureFixture[str], table: Path, tmp_path: Path
) -> None:
    page = str(tmp_path / "p.html")
    words = ["report", str(table), "--cluster", "worker", "-o", page, "--no-verify", "-q"]
    assert run(capsys, *words)[0] == 0
    assert run(capsys, *words, "--fail-on", "caution")[0] == 1


def test_a_number_that_is_recomputed_otherwise_is_a_caution_everywhere(
    capsys: pytest.CaptureFixture[str], table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = Check(
        quantity="A",
        ours=1.0,
        theirs=2.0,
        package="other",
        version="1",
        tolerance=0.1,
        ok=False,
        row=0,
        field="estimate",
    )
    monkeypatch.setattr(Result, "verify", lambda self: Verification(checks=(wrong,)))
    page = tmp_path / "p.html"
    code, _, err = run(
        capsys, "report", str(table), "--cluster", "worker", "-o", str(page), "--fail-on", "caution"
    )
    said = "SS402 an independent implementation disagrees: Strengths: 1 value ('A')"
    assert code == 1
    assert f"caution: {said}. Do not quote them until the difference is explained" in err
    assert "An independent implementation disagrees" in page.read_text()
    assert "SS402" in run(capsys, "show", str(page), "--json")[1]
    study = ("--cluster", "worker", "--study", "comparisons")
    code, out, err = run(capsys, "check", str(table), *study)
    assert code == 0
    assert "recomputed  " in out
    assert f"caution: {said}" in err


BAD = {
    "unbeaten": ("item_a,item_b,winner\nZ,A,Z\nZ,B,Z\nA,B,A\nB,A,B\n", 3, "'Z' never lost"),
    "two groups": (
        "item_a,item_b,winner\nA,B,A\nB,A,B\nX,Y,X\nX,Y,Y\n",
        3,
        "2 groups of items were never compared",
    ),
    "unknown winner": (
        "item_a,item_b,winner\nA,B,A\nA,B,C\nB,A,B\n",
        2,
        "line 3, column 'winner': 'C'",
    ),
    "missing column": ("item_a,other,winner\nA,B,A\n", 2, "no column for 'item_b'"),
    "empty": ("", 3, "empty"),
    "header only": ("item_a,item_b,winner\n", 3, "no rows"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_tables_get_the_right_error_and_write_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    text, expected, message = BAD[name]
    path = tmp_path / "bad.csv"
    path.write_text(text)
    page = tmp_path / "page.html"
    code, out, err = run(capsys, "report", str(path), "-o", str(page))
    assert (code, out) == (expected, "")
    assert message in err
    assert err.startswith("error: ")
    assert not page.exists()


def test_missing_file_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, err = run(capsys, "check", str(tmp_path / "nothing.csv"))
    assert code == 2
    assert "nothing.csv" in err


def test_byte_order_mark_and_hostile_label_make_a_safe_page(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    evil = "</script><img src=x onerror=alert(1)>" + "x" * 263
    text = SMALL.replace("nurse", f'"{evil}"')
    path = tmp_path / "bom.csv"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    page = tmp_path / "page.html"
    code, _, err = run(capsys, "report", str(path), "-o", str(page))
    assert code == 0, err
    html = page.read_text()
    assert "<img" not in html
    assert html.count("</script>") == html.count("<script type=")


def test_where_and_by(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rows = SMALL.splitlines()
    both = [rows[0] + ",model"] + [f"{r},{m}" for m in ("m1", "m2") for r in rows[1:]]
    path = tmp_path / "two.csv"
    path.write_text("\n".join(both) + "\n")
    code, out, _ = run(capsys, "check", str(path), "--where", "model=m1")
    assert code == 0
    assert "42 comparisons" in out
    code, _, err = run(capsys, "check", str(path), "--where", "model=m9")
    assert code == 3
    assert "no row has model = 'm9'" in err
    page = tmp_path / "by.html"
    code, _, err = run(capsys, "report", str(path), "--by", "model", "-o", str(page))
    assert code == 0, err
    text = page.read_text()
    assert "m1: Which item was preferred?" in text
    assert "m2: Which item was preferred?" in text


LISTINGS = [["studies"], ["datasets"], ["datasets", "baseball"], ["cite"], ["cite", "sensitivity"]]


@pytest.mark.parametrize("words", LISTINGS)
def test_listings(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    code, out, err = run(capsys, *words)
    assert (code, err) == (0, "")
    assert len(out) > 50


def test_data_set_as_csv_goes_back_in(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, _ = run(capsys, "datasets", "journal-citations", "--csv")
    assert code == 0
    path = tmp_path / "citations.csv"
    path.write_text(out)
    code, out, _ = run(capsys, "check", str(path))
    assert code == 0
    assert "of 4 items" in out


def test_ties_alone_have_one_way_out_and_a_quiet_page(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "ties.csv"
    path.write_text("item_a,item_b,winner\n" + "A,B,tie\nB,C,tie\nA,C,tie\n" * 3)
    words = ["report", str(path), "-o", str(tmp_path / "p.html")]
    assert main(words) == 3
    assert (
        capfd.readouterr()
        .err.splitlines()[-1]
        .endswith("Use --ties half, which makes all strengths equal")
    )
    assert (
        main([*words, "--penalty", "firth"]) == 3
    )  # a penalty of strengths keeps no tie parameter finite
    assert main([*words, "--ties", "half"]) == 0
    err = capfd.readouterr().err
    assert "Warning" not in err
    assert "3 of 3 items tied for first" in err


def test_pseudo_wins_are_offered_for_separate_groups_and_make_a_page(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "groups.csv"
    path.write_text("item_a,item_b,winner\nA,B,A\nB,A,B\nA,B,B\nX,Y,X\nX,Y,Y\n")
    assert main(["report", str(path), "-o", str(tmp_path / "p.html")]) == 3
    hint = capfd.readouterr().err.splitlines()[-1]
    assert hint == "  On the command line: --prior 0.5"
    assert main(["report", str(path), "--prior", "0.5", "-o", str(tmp_path / "p.html")]) == 0
    assert "Warning" not in capfd.readouterr().err


def test_python_dash_m_runs_the_command_line() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "socialstats", "--version"], capture_output=True, text=True, cwd=ROOT
    )
    assert done.stdout.startswith("socialstats ")


def test_the_data_are_never_overwritten(capsys: pytest.CaptureFixture[str], table: Path) -> None:
    before = table.read_bytes()
    for words in (["-o", str(table)], ["--json", str(table), "-o", "-"]):
        code, _, err = run(capsys, "report", str(table), "--no-verify", "-q", *words)
        assert code == 2
        assert "would be written over, though it is read" in err
    assert table.read_bytes() == before
    code, _, err = run(capsys, "report", str(table), "--no-verify", "-q", "-o", "-", "--json", "-")
    assert code == 2
    assert "give each its own place" in err


@pytest.mark.parametrize("name", ["page.pdf", "page.docx", "page.TXT", "page.csv"])
def test_a_report_is_a_page_of_html_or_markdown(
    capsys: pytest.CaptureFixture[str], table: Path, name: str
) -> None:
    page = table.with_name(name)
    code, _, err = run(capsys, "report", str(table), "-o", str(page))
    assert code == 2
    assert "report writes HTML" in err
    assert (
        "--json FILE writes every number, and 'socialstats show PAGE.html' prints a page as text"
        in err
    )
    assert not page.exists()


def test_only_pages_and_numbers_of_socialstats_are_replaced(
    capsys: pytest.CaptureFixture[str], table: Path
) -> None:
    page, numbers = table.with_name("page.html"), table.with_name("numbers.json")
    words = ["report", str(table), "--no-verify", "-q", "-o", str(page), "--json", str(numbers)]
    page.touch()
    assert run(capsys, *words)[0] == 0
    written = page.read_text()
    assert run(capsys, *words)[0] == 0
    assert page.read_text() == written
    for path in (page, numbers):
        kept = path.read_text()
        path.write_text("<html>mine</html>")
        code, _, err = run(capsys, *words)
        assert (code, path.read_text()) == (2, "<html>mine</html>")
        kind = "a page of socialstats" if path == page else "numbers of socialstats (JSON)"
        said = f"exists, and is a page of somebody else; {kind} would replace it"
        assert err == f"error: {path}: {said}. Name another file, or add --overwrite.\n"
        path.write_text(kept)


def test_the_plan_names_the_file_and_another_file_is_a_deviation(
    capsys: pytest.CaptureFixture[str], table: Path, tmp_path: Path
) -> None:
    _, text, _ = run(capsys, "init", str(table))
    plan = tmp_path / "plan.toml"
    plan.write_text(text)
    page = tmp_path / "page.html"
    assert run(capsys, "report", "--plan", str(plan), "-o", str(page), "--no-verify")[0] == 0
    other = tmp_path / "other.csv"
    other.write_bytes(table.read_bytes())
    assert (
        run(capsys, "report", str(other), "--plan", str(plan), "-o", str(page), "--no-verify")[0]
        == 0
    )
    assert "file: the plan says" in page.read_text()


def test_one_against_one_has_a_page_without_an_order_effect(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "ab.csv"
    path.write_text(
        "model_a,model_b,winner\n" + "gpt,claude,gpt\ngpt,claude,claude\ngpt,claude,gpt\n" * 20
    )
    page = tmp_path / "ab.html"
    code, _, err = run(capsys, "report", str(path), "-o", str(page))
    assert code == 0, err
    assert "gpt ranked first" in page.read_text().replace("&#39;", "'")


@pytest.mark.parametrize("words", [["--seed", "-1"], ["--resamples", "3"], ["--level", "95"]])
def test_impossible_options_are_bad_usage(
    capsys: pytest.CaptureFixture[str], table: Path, words: list[str]
) -> None:
    code, out, err = run(capsys, "report", str(table), "-q", *words)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")


def test_a_folder_is_no_page(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The error was "Is a directory"."""
    code, _, err = run(capsys, "show", str(tmp_path))
    assert code == 2
    assert (
        err == f"error: {tmp_path}: this is a folder. Name a page that 'socialstats report' wrote\n"
    )


def test_a_wrong_choice_does_not_suggest_the_option_that_was_typed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main(["show", "page.html", "--table", "1", "--format", "odt"])
    err = capsys.readouterr().err
    assert "invalid choice: 'odt'" in err
    assert "Did you mean" not in err


def test_a_part_that_ends_with_the_word_is_suggested() -> None:
    from socialstats.proposals.deciding import map_parts

    with pytest.raises(socialstats.InputError, match="Did you mean 'rater_source'"):
        map_parts(["source=kind"], "ratings")


@pytest.mark.parametrize(
    "words", [["--na=--"], ["--tie=--"], ["--where=--"], ["--cluster=--"], ["--map=--"]]
)
def test_two_hyphens_are_the_value_of_an_option(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: list[str]
) -> None:
    """Tables write '--' where a value is missing; argparse took it out of ``--na=--`` before Python 3.13."""
    path = tmp_path / "choices.csv"
    path.write_text(SMALL + "nurse,pilot,--,pilot,1\n")
    code = main(["check", str(path), "--missing", "drop", *words])
    told = capsys.readouterr()
    if words[0] in ("--na=--", "--tie=--"):
        assert code == 0
        assert f"rows analysed: {42 + words[0].startswith('--tie')}" in told.out
    else:
        assert code == 2
        assert told.err.startswith("error: ")
        assert "--" in told.err.removeprefix(f"error: {words[0][:-3]}")
