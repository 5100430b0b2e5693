"""socialstats validate, and report --claims, as a user meets them."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from socialstats.cli import main


def run(capsys, *words):
    try:
        code = main([str(word) for word in words])
    except SystemExit as stop:
        code = int(stop.code or 0)
    out = capsys.readouterr()
    return code, out.out, out.err


def inspect_log(tmp_path, *, accuracy=0.75, name="log.json"):
    """A small log in the shape that Inspect writes, 8 samples, 6 right."""
    right = [1, 1, 0, 1, 1, 0, 1, 1]
    samples = [
        {
            "id": i,
            "epoch": 1,
            "input": "?",
            "target": "A",
            "metadata": {"story": f"s{i // 2}"},
            "scores": {"match": {"value": "C" if ok else "I", "answer": "A"}},
        }
        for i, ok in enumerate(right)
    ]
    error = (6 * 0.25**2 + 2 * 0.75**2) / 7 / 8
    metrics = {
        "accuracy": {"name": "accuracy", "value": accuracy, "params": {}},
        "stderr": {"name": "stderr", "value": error**0.5, "params": {}},
    }
    log = {
        "version": 2,
        "status": "success",
        "eval": {
            "task": "t",
            "model": "m",
            "dataset": {},
            "config": {"epochs": 1},
            "packages": {"inspect_ai": "0.3.285"},
            "scorers": [
                {
                    "name": "match",
                    "metrics": [
                        {"name": "accuracy", "options": {}},
                        {"name": "stderr", "options": {}},
                    ],
                }
            ],
        },
        "results": {
            "total_samples": 8,
            "completed_samples": 8,
            "scores": [{"name": "match", "scorer": "match", "params": {}, "metrics": metrics}],
        },
        "samples": samples,
    }
    path = tmp_path / name
    path.write_text(json.dumps(log))
    return path


def test_a_right_log_exits_with_0_and_says_so_first(tmp_path, capsys):
    code, out, err = run(capsys, "validate", inspect_log(tmp_path))
    assert (code, err) == (0, "")
    assert out.splitlines()[:2] == ["log.json (inspect 0.3.285)", "Both numbers stand."]
    assert "\x1b" not in out


@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
def test_a_terminal_has_colour_unless_it_does_not_want_it(
    tmp_path, capsys, monkeypatch, no_color, coloured
):
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert ("\x1b[32mStand" in run(capsys, "validate", inspect_log(tmp_path))[1]) == coloured


def test_a_wrong_number_exits_with_1_and_is_named(tmp_path, capsys):
    code, out, _ = run(capsys, "validate", inspect_log(tmp_path, accuracy=0.8))
    assert code == 1
    assert "1 of 2 numbers stand" in out
    assert "accuracy (match) = 0.8" in out
    assert "no whole number of ones among 8" in out


def test_an_explained_number_exits_with_0(tmp_path, capsys):
    (tmp_path / "c.toml").write_text(
        '[[claim]]\nquantity = "mean"\nvalue = "75.0"\nselect = { scorer = "match" }'
    )
    code, out, _ = run(capsys, "validate", inspect_log(tmp_path), "--claims", tmp_path / "c.toml")
    assert code == 0
    assert "in percent" in out
    code, out, _ = run(capsys, "validate", inspect_log(tmp_path, accuracy=75.0))
    assert code == 1  # Inspect prints no percentages
    assert "it would fit: mean; in percent" in out


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("x.json", "{"),
        ("x.md", "# log.json"),
        ("x.html", "<!DOCTYPE"),
        ("x.txt", "log.json (inspect"),
    ],
)
def test_the_format_follows_the_name_of_the_file(tmp_path, capsys, name, start):
    code, out, err = run(capsys, "validate", inspect_log(tmp_path), "-o", tmp_path / name)
    assert (code, out) == (0, "")
    assert str(tmp_path / name) in err
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)


def test_json_on_stdout_holds_every_number(tmp_path, capsys):
    code, out, _ = run(
        capsys, "validate", inspect_log(tmp_path), "--format", "json", "--cluster", "story"
    )
    found = json.loads(out)
    assert (code, found["ok"]) == (0, True)
    own = found["logs"][0]["claims"][0]["own"]
    assert (own["n_units"], own["n_clusters"], own["cluster"]) == (8, 4, "story")


def test_several_logs_are_summed_up(tmp_path, capsys):
    logs = [inspect_log(tmp_path), inspect_log(tmp_path, accuracy=0.5, name="other.json")]
    code, out, _ = run(capsys, "validate", *logs)
    assert code == 1
    assert out.startswith("2 logs: 3 of 4 numbers stand; 1 is not reproduced.")


CLAIMS = '[[claim]]\nname = "Table 1"\nquantity = "mean"\nvalue = "{}"\nselect = {{ scorer = "match" }}\n'


def test_claims_beside_the_logs_own_and_alone(tmp_path, capsys):
    log, claims = inspect_log(tmp_path, accuracy=0.5), tmp_path / "claims.toml"
    claims.write_text(CLAIMS.format("0.8"))
    code, out, _ = run(capsys, "validate", log, "--claims", claims)
    assert code == 1
    assert "Table 1 (match) = 0.8" in out
    code, out, _ = run(capsys, "validate", log, "--claims", claims, "--only-claims")
    assert (code, out.splitlines()[1]) == (0, "The one number stands.")
    claims.write_text(CLAIMS.format("0.80"))
    assert run(capsys, "validate", log, "--claims", claims, "--only-claims")[0] == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--only-claims"], "--claims FILE"),
        (["--cluster", "scene"], "no column 'scene' to cluster by"),
        (["--harness", "nope"], "nope"),
        (["--format", "pdf"], "pdf"),
    ],
)
def test_bad_options_exit_with_2(tmp_path, capsys, words, said):
    code, out, err = run(capsys, "validate", inspect_log(tmp_path), *words)
    assert (code, out) == (2, "")
    assert said in err


def test_a_log_is_never_overwritten(tmp_path, capsys):
    log = inspect_log(tmp_path)
    before = log.read_bytes()
    assert run(capsys, "validate", log, "-o", log)[0] == 2
    assert log.read_bytes() == before


def test_broken_claims_name_the_key(tmp_path, capsys):
    claims = tmp_path / "claims.toml"
    claims.write_text('[[claim]]\nquantity = "meen"\nvalue = "1"\n')
    code, _, err = run(capsys, "validate", inspect_log(tmp_path), "--claims", claims)
    assert code == 2
    assert "quantity = 'meen' is not one of mean" in err


def test_the_page_is_self_contained_and_escapes(tmp_path, capsys):
    run(capsys, "validate", inspect_log(tmp_path), "-o", tmp_path / "x.html")
    page = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert "Which of the printed numbers were reproduced?" in page
    assert 'src="http' not in page


@pytest.mark.slow
def test_claims_stand_above_the_results_of_a_report(tmp_path, capsys):
    table, claims, found = tmp_path / "answers.csv", tmp_path / "claims.toml", tmp_path / "r.json"
    rows = [
        (f"q{i}", c, int(i % 3 == 0 or (c == "new" and i % 2)))
        for i in range(40)
        for c in ("old", "new")
    ]
    table.write_text("unit,condition,value\n" + "".join(f"{u},{c},{v}\n" for u, c, v in rows))
    words = ("report", table, "--no-verify", "-o", tmp_path / "r.html", "--json", found)
    assert run(capsys, *words)[0] == 0
    result = json.loads(found.read_text())["blocks"][0]["results"][0]
    row = next(row for row in result["terms"] if row.get("estimate") and "group" not in row)
    claims.write_text(
        f'[[claim]]\nmetric = "{result["metric"]}"\nterm = "{row["term"]}"\nvalue = "{row["estimate"]:.3f}"\n'
        f'[[claim]]\nmetric = "{result["metric"]}"\nterm = "{row["term"]}"\nvalue = "{100 * row["estimate"]:.2f}"\n'
    )
    code, _, err = run(capsys, *words, "--claims", claims)
    block = json.loads(found.read_text())["blocks"][0]
    assert code == 0
    assert "Claims checked: 1 of 2 numbers stand; 1 rests on another definition." in err
    assert block["id"] == "claims"
    assert [cells[3] for cells in block["tables"][0]["cells"]] == ["another definition", "stands"]


@pytest.mark.slow
def test_a_wrong_claim_makes_the_report_exit_with_1(tmp_path, capsys):
    claims = tmp_path / "claims.toml"
    claims.write_text('[[claim]]\nmetric = "sensitivity"\nterm = "S"\nvalue = "12.34"\n')
    code, _, err = run(
        capsys,
        "report",
        "--example",
        "role-conflict",
        "--no-verify",
        "--resamples",
        "100",
        "--claims",
        claims,
        "-o",
        tmp_path / "r.html",
    )
    assert code == 1
    assert "Claims checked: 0 of 1 number stands; 1 is not reproduced." in err
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert page.index("Were the claimed numbers reproduced?") < page.index("claims sha256")


def test_a_summary_for_a_pull_request_and_junit(tmp_path, capsys):
    import xml.etree.ElementTree as ET

    log = inspect_log(tmp_path, accuracy=0.8)
    code, out, _ = run(capsys, "validate", log, "--format", "md")
    assert code == 1
    assert sum(line.startswith("| ---") for line in out.splitlines()) == 1
    assert out.index("accuracy (match)") < out.index("stderr (match)")
    assert "**1 of 2 numbers stand" in out
    code, out, _ = run(capsys, "validate", log, "--format", "junit")
    suite = ET.fromstring(out)
    assert (code, suite.get("tests"), suite.get("failures")) == (1, "2", "1")
    assert "no whole number of ones" in suite.find("testsuite/testcase/failure").text
    run(capsys, "validate", log, "-o", tmp_path / "x.xml")
    assert ET.parse(tmp_path / "x.xml").getroot().tag == "testsuites"
