"""The design is in the log: what changed since is matched by content, told, or refused; nothing mixes in silence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from socialstats.cli import main
from tests.collect.runs import attempts, collect, table, write_run
from tests.collect.server import Send, says, serving


def echo(body: dict[str, Any], _: int) -> Send:
    """Answer with the question, so that a wrong row shows."""
    return says('{"Answer": "A"} to ' + str(body["messages"][-1]["content"]))


def items(folder: Path, text: str) -> None:
    (folder / "items.csv").write_text(text)


def texts(path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, tuple[str, str]]:
    """Item to its text and the reply in the table, which must name that text."""
    rows = table(path, capsys)
    for row in rows:
        assert not row["reply_text"] or row["text"] in row["reply_text"]
    return {row["item_id"]: (row["text"], row.get("kind", "")) for row in rows if row["answer"]}


def as_before(log: Path) -> list[dict[str, Any]]:
    """The lines of a log as version 0.1 wrote them: the items in one line, no numbers and no checksums."""
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    items = [line for line in lines if line["type"] == "item"]
    n = lines[0]["n_items"]
    run = lines[0] | {"rows": [[one["id"], one["columns"]] for one in items[:n]], "orders": 1}
    for name in ("format", "after", "n_items", "hosts", "items_file"):
        run.pop(name)
    old = [run, *(line for line in lines if line["type"] == "attempt")]
    return [
        {name: value for name, value in line.items() if name not in ("n", "sum")} for line in old
    ]


def test_metadata_is_corrected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(echo) as server:
        path = write_run(tmp_path, server.url)
        items(tmp_path, "item_id,text,kind\na,one,x\nb,two,x\n")
        assert collect(path) == 0
        items(tmp_path, "item_id,text,kind\na,one,y\nb,two,x\n")
        capsys.readouterr()
        assert main(["tidy", str(path.with_name("log.jsonl")), "-o", str(tmp_path / "t.csv")]) == 0
        assert "columns corrected: kind of 1 item" in capsys.readouterr().err
        assert texts(path, capsys) == {"a": ("one", "y"), "b": ("two", "x")}
        assert collect(path) == 0
        assert server.seen.total() == 2
        path.unlink()  # the log alone has the correction now
        assert texts(path, capsys) == {"a": ("one", "y"), "b": ("two", "x")}


def test_a_row_inserted_on_top_without_identifiers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(echo) as server:
        path = write_run(tmp_path, server.url)
        items(tmp_path, "text\none\ntwo\n")
        assert collect(path) == 0
        items(tmp_path, "text\nzero\none\ntwo\n")
        assert collect(path) == 0
        assert server.seen.total() == 3
    assert texts(path, capsys) == {"1": ("zero", ""), "2": ("one", ""), "3": ("two", "")}


@pytest.mark.parametrize("again", [True, False])
def test_renamed_swapped_and_removed(
    again: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(echo) as server:
        path = write_run(tmp_path, server.url)
        items(tmp_path, "item_id,text\na,one\nb,two\nc,three\nd,four\n")
        assert collect(path) == 0
        items(tmp_path, "item_id,text\na,two\nb,one\nnew,three\n")
        assert not again or collect(path) == 0
        assert server.seen.total() == 4
    assert texts(path, capsys) == {"a": ("two", ""), "b": ("one", ""), "new": ("three", "")}
    capsys.readouterr()
    assert main(["tidy", str(path.with_name("log.jsonl")), "-o", str(tmp_path / "t.csv")]) == 0
    said = capsys.readouterr().err
    assert "1 answer on record belong" in said
    assert again or ("'c' is now 'new'" in said and "1 item taken out of the table: 'd'" in said)


def test_an_added_item_leaves_the_others_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prompt = 'protocol = "who-is-right"'
    with serving(lambda *_: says("1")) as server:
        path = write_run(tmp_path, server.url)
        text = path.read_text().replace('protocol = { name = "template", parser = "json" }', prompt)
        path.write_text(
            "\n".join(line for line in text.splitlines() if not line.startswith("template"))
        )
        rows = [f"q{k},NAME1 and NAME2 {k},Ann,Bob" for k in range(100)]
        head = "item_id,text,name_first,name_second"
        items(tmp_path, "\n".join([head, *rows]))
        assert collect(path) == 0
        before = {row["item_id"]: row["option_order"] for row in table(path, capsys)}
        items(tmp_path, "\n".join([head, *rows[:50], "q00,NAME1 or NAME2,Ann,Bob", *rows[51:]]))
        assert collect(path) == 0
        assert server.seen.total() == 101
    after = {row["item_id"]: row["option_order"] for row in table(path, capsys)}
    assert len(after) == 100
    assert all(after[one] == order for one, order in before.items() if one != "q50")
    assert sum(order == "first is 1" for order in before.values()) == 50


def test_a_changed_text_keeps_the_one_that_was_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(echo) as server:
        path = write_run(tmp_path, server.url)
        assert collect(path) == 0
    items(tmp_path, (tmp_path / "items.csv").read_text().replace("story 1", "storey 1"))
    assert texts(path, capsys)["s1"] == ("story 1", "")
    assert main(["tidy", str(path.with_name("log.jsonl")), "-o", str(tmp_path / "t.csv")]) == 0
    assert (
        "texts of items.csv changed since; the table holds those that were asked: 's1'"
        in capsys.readouterr().err
    )


def test_other_words_are_refused_with_three_ways_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(echo) as server:
        path = write_run(tmp_path, server.url)
        assert collect(path) == 0
        path.write_text(path.read_text().replace("(A) or (B)?", "A or B?"))
        capsys.readouterr()
        assert collect(path) == 2
        assert server.seen.total() == 4
        said = capsys.readouterr().err
        for words in (
            "texts.prompt was",
            "4 units would be asked",
            "Restore the words",
            "(-o)",
            "--again",
        ):
            assert words in said
        assert collect(path, "--again") == 0
        assert server.seen.total() == 8
    assert all("A or B?" in row["reply_text"] for row in table(path, capsys))


def test_logs_are_merged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(echo) as server:
        for name, model in (("x", "m1"), ("y", "m2")):
            (tmp_path / name).mkdir()
            path = write_run(tmp_path / name, server.url)
            path.write_text(path.read_text().replace('"toy"', f'"{model}"'))
            assert collect(path) == 0
    logs = [str(tmp_path / name / "log.jsonl") for name in "xy"]
    path = tmp_path / "run.toml"
    assert main(["merge", *logs, logs[0], "-o", str(path.with_name("log.jsonl"))]) == 0
    rows = table(path, capsys)
    assert {(row["model"], row["item_id"]) for row in rows} == {
        (m, f"s{k}") for m in ("m1", "m2") for k in range(4)
    }
    assert len(rows) == 8
    assert {row["attempts"] for row in rows} == {"1"}
    assert (
        main(["tidy", str(path.with_name("log.jsonl")), "--methods", str(tmp_path / "m.txt")]) == 0
    )
    assert "Models asked: m1, m2" in (tmp_path / "m.txt").read_text()
    assert main(["merge", *logs, "-o", str(path.with_name("log.jsonl"))]) == 2
    glued = tmp_path / "glued.jsonl"
    glued.write_bytes(b"".join(Path(name).read_bytes() for name in logs))
    capsys.readouterr()
    assert main(["tidy", str(glued), "-o", str(tmp_path / "t.csv")]) == 0
    assert "8 rows from 8 units" in capsys.readouterr().err


def test_logs_that_ask_differently_are_not_merged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(echo) as server:
        for name, words in (("x", "(A) or (B)?"), ("y", "A, or B?")):
            (tmp_path / name).mkdir()
            path = write_run(tmp_path / name, server.url)
            path.write_text(path.read_text().replace("(A) or (B)?", words))
            assert collect(path) == 0
    logs = [str(tmp_path / name / "log.jsonl") for name in "xy"]
    assert main(["merge", *logs, "-o", str(tmp_path / "z.jsonl")]) == 2
    assert "runs that ask differently stand in one log: texts.prompt was" in capsys.readouterr().err
    assert not (tmp_path / "z.jsonl").exists()


def test_columns_of_items_never_disappear(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(echo) as server:
        path = write_run(tmp_path, server.url)
        items(
            tmp_path,
            "item_id,text,answer,rule,model,attempts,run_id,replicate\na,one,B,r,m,n,x,1\n",
        )
        assert collect(path) == 0
    (row,) = table(path, capsys)
    names = ("answer", "rule", "model", "attempts", "run_id")
    assert [row[f"item_{name}"] for name in names] == ["B", "r", "m", "n", "x"]
    assert (row["answer"], row["model"], row["attempts"], row["replicate"]) == (
        "A",
        "toy",
        "1",
        "1",
    )
    assert "item_replicate" not in row


def test_two_endpoints_are_a_column_and_a_caution(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(echo) as one, serving(echo) as other:
        path = write_run(tmp_path, one.url, limits="max_calls = 2", concurrency=1)
        assert collect(path) == 1
        path.write_text(
            path.read_text().replace(one.url, other.url).replace("max_calls = 2", "max_calls = 9")
        )
        assert collect(path) == 0
        hosts = {f"127.0.0.1:{one.port}", f"127.0.0.1:{other.port}"}
    assert {row["endpoint"] for row in table(path, capsys)} == hosts
    assert main(["tidy", str(path.with_name("log.jsonl")), "-o", str(tmp_path / "t.csv")]) == 0
    assert "toy answered under more than one endpoint" in capsys.readouterr().err


def test_a_log_of_version_0_1_is_read_and_gone_on_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(echo) as server:
        path = write_run(tmp_path, server.url)
        assert collect(path) == 0
        old = as_before(path.with_name("log.jsonl"))
        path.with_name("log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in old))
        assert len(texts(path, capsys)) == 4
        items(tmp_path, (tmp_path / "items.csv").read_text() + "s9,story 9\n")
        assert collect(path) == 0
        assert server.seen.total() == 5
    assert len(texts(path, capsys)) == 5
    assert len(attempts(path)) == 5


def test_a_page_says_that_a_model_was_not_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = "".join(f"u{k},m,{'AB'[k % 2]},toy-{1 + (k > 9)},h{k % 2}:80\n" for k in range(20))
    rows += "".join(f"u{k},n,{'ABB'[k % 3]},n-1,h:80\n" for k in range(20))
    (tmp_path / "t.csv").write_text(f"unit,model,value,model_returned,endpoint\n{rows}")
    said = [
        "report",
        str(tmp_path / "t.csv"),
        "--map",
        "rater=model",
        "--scale",
        "nominal",
        "--no-verify",
        "-q",
    ]
    assert main([*said, "--json", str(tmp_path / "t.json"), "-o", str(tmp_path / "t.html")]) == 0
    found = [
        one
        for one in json.loads((tmp_path / "t.json").read_text())["cautions"]
        if one["code"] == "SS343"
    ]
    assert [one["detail"] for one in found] == [
        "more than one name, 'm': 'toy-1' and 'toy-2'; more than one endpoint, 'm': 'h0:80' and 'h1:80'"
    ]


def test_a_model_called_na_is_proposed_as_a_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(echo) as server:
        path = write_run(tmp_path, server.url)
        path.write_text(path.read_text().replace('["toy"]', '["NA", "toy"]'))
        assert collect(path) == 0
    capsys.readouterr()
    assert main(["tidy", str(path.with_name("log.jsonl")), "-o", str(tmp_path / "t.csv")]) == 0
    assert capsys.readouterr().err.rstrip().endswith("--na ''")


def test_a_log_of_version_0_1_is_merged_with_a_new_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(echo) as server:
        for name, model in (("x", "m1"), ("y", "m2")):
            (tmp_path / name).mkdir()
            path = write_run(tmp_path / name, server.url)
            path.write_text(path.read_text().replace('"toy"', f'"{model}"'))
            assert collect(path) == 0
    old = tmp_path / "x" / "log.jsonl"
    old.write_text("".join(json.dumps(line) + "\n" for line in as_before(old)))
    logs = [str(old), str(tmp_path / "y" / "log.jsonl")]
    for k, several in enumerate((logs, logs[::-1])):
        merged = tmp_path / f"{k}.jsonl"
        assert main(["merge", *several, "-o", str(merged)]) == 0
        capsys.readouterr()
        assert main(["tidy", str(merged), "-o", str(tmp_path / "t.csv")]) == 0
        assert "8 rows from 8 units" in capsys.readouterr().err


def test_many_runs_of_one_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Runs that find the same items name an earlier run's, however many they are; orders stay, changes are told."""
    with serving(lambda *_: says("1")) as server:
        path = write_run(tmp_path, server.url)
        text = path.read_text().replace(
            'protocol = { name = "template", parser = "json" }', 'protocol = "who-is-right"'
        )
        text = "\n".join(line for line in text.splitlines() if not line.startswith("template"))
        rows = [f"q{k},NAME1 and NAME2 {k},Ann,Bob" for k in range(12)]
        items(tmp_path, "\n".join(["item_id,text,name_first,name_second", *rows]))
        for k in range(6):
            names = ", ".join(f'"m{m}"' for m in range(k + 1))
            path.write_text(text.replace('"toy"', names))
            if k == 2:
                items(tmp_path, (tmp_path / "items.csv").read_text().replace("q", "r"))
            assert collect(path) == 0
            assert server.seen.total() == 12 * (k + 1)
            assert len(table(path, capsys)) == 12 * (k + 1)
        items(tmp_path, (tmp_path / "items.csv").read_text().replace("NAME2 3", "NAME2 three"))
        assert collect(path) == 2
        assert server.seen.total() == 72
    assert "6 units would be asked again" in capsys.readouterr().err


def test_the_same_requests_are_no_other_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(echo) as server:
        path = write_run(tmp_path, server.url)
        assert collect(path) == 0
        path.write_text(path.read_text().replace("{text}", "{txt}"))
        items(tmp_path, (tmp_path / "items.csv").read_text().replace("text", "txt"))
        assert collect(path) == 0
        assert server.seen.total() == 4


def test_two_unicode_forms_of_one_identifier(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(echo) as server:
        path = write_run(tmp_path, server.url)
        items(tmp_path, "item_id,text\n\u00e91,caf\u00e9\n")
        assert collect(path) == 0
        items(tmp_path, "item_id,text\ne\u03011,cafe\u0301\n")
        assert collect(path) == 2
        assert "text has the same letters in another Unicode form" in capsys.readouterr().err
        items(tmp_path, "item_id,text\ne\u03011,one\n\u00e91,two\n")
        assert collect(path) == 2
        assert server.seen.total() == 1
    assert "was already used in line 2" in capsys.readouterr().err


def test_a_kill_while_the_design_is_written_asks_nothing_twice(tmp_path: Path) -> None:
    """A run that wrote some of its items only replaces no design: orders drawn before stay."""
    with serving(lambda *_: says("1")) as server:
        path = write_run(tmp_path, server.url)
        old = 'protocol = { name = "template", parser = "json" }'
        text = path.read_text().replace(old, 'protocol = "who-is-right"')
        path.write_text(
            "\n".join(line for line in text.splitlines() if not line.startswith("template"))
        )
        rows = [f"q{k},NAME1 and NAME2 {k},Ann,Bob" for k in range(20)]
        head = "item_id,text,name_first,name_second"
        items(tmp_path, "\n".join([head, *rows]))
        assert collect(path) == 0
        log = path.with_name("log.jsonl")
        begun = len(log.read_text().splitlines())
        items(tmp_path, "\n".join([head, *rows, "q20,NAME1 or NAME2,Ann,Bob"]))
        assert collect(path) == 0
        log.write_text("".join(log.read_text().splitlines(keepends=True)[: begun + 8]))
        assert collect(path) == 0
        assert server.seen.total() == 22  # the one answer that was cut off is asked again
