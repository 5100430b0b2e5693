"""What can be wrong before the first call: each ends in a sentence that says what to do, and nothing is asked."""

from __future__ import annotations

import os
import zlib
from pathlib import Path

import pytest

from tests.collect.runs import collect, write_run

BAD = {
    "unknown key": (
        'order = "balanced"\ntemplat = "x"',
        "unknown key 'templat'. Did you mean 'template'?",
    ),
    "unknown order": (
        'order = "abba"',
        "order = 'abba' is not one of balanced, random, all, fixed",
    ),
    "bad type": ('seed = "one"', "seed = 'one' is not a whole number"),
    "no replicates": ("replicates = 0", "replicates = 0 is not positive"),
    "unknown limit": ("limits = { max_call = 3 }", "Cannot"),
}


@pytest.mark.parametrize(
    ("more", "words"), [one for name, one in BAD.items() if name != "unknown limit"]
)
def test_a_bad_run_file_names_the_key(
    more: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_run(tmp_path, "http://127.0.0.1:9/v1", more=more)
    assert collect(path) == 2
    assert words in capsys.readouterr().err
    assert not path.with_name("log.jsonl").exists()


def _edited(folder: Path, old: str, new: str) -> Path:
    path = write_run(folder, "http://127.0.0.1:9/v1")
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    return path


EDITS = {
    "missing column": ("{text}", "{txt}", "needs a column 'txt', but the items have only"),
    "hint": ("{text}", "{txt}", "Did you mean 'text'?"),
    "lone brace": ("{text}", "{text", "a lone '{' at character 1"),
    "no protocol": (
        'name = "template"',
        'name = "tempalte"',
        "no protocol 'tempalte'. Did you mean 'template'? Protocols: template",
    ),
    "unknown key of a protocol": (
        'name = "template"',
        'name = "template", parsr = "json"',
        "Did you mean 'parser'?",
    ),
    "no model": ('model = ["toy"]', "model = []", "no model"),
    "twice the model": ('model = ["toy"]', 'model = ["toy", "toy"]', "repeats one"),
    "no items": ("items.csv", "item.csv", "there is no such file"),
    "no url": ("base_url", "url", "unknown key 'endpoint.url'"),
    "limits": ("timeout = 5.0", "timeout = 0", "limits.timeout = 0 is not positive"),
    "not toml": ("[limits]", "[limits", "not a TOML file"),
    "no key": (
        "http://127.0.0.1:9/v1",
        "https://example.org/v1",
        "the environment has no OPENAI_API_KEY",
    ),
}


@pytest.mark.parametrize(("old", "new", "words"), EDITS.values(), ids=EDITS)
def test_mistakes_end_in_a_sentence(
    old: str,
    new: str,
    words: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    path = _edited(tmp_path, old, new)
    assert collect(path) == 2
    said = capsys.readouterr().err
    assert words in said
    assert "Traceback" not in said
    assert not path.with_name("log.jsonl").exists()


ITEMS = {
    "repeated id": (
        "item_id,text\na,x\nb,y\na,z\n",
        "line 4, column 'item_id': 'a' was already used in line 2",
    ),
    "same question": (
        "item_id,text\na,x\nb,x\n",
        "'b / model=toy' asks the very same as 'a / model=toy'",
    ),
    "no text": (
        "item_id,text\na,x\nb, \n",
        "item 'b' has nothing in 'text', which its question names. Fill it in",
    ),
    "cells": ("item_id,text\nb,z\na,x,y\n", "line 3: 3 fields where the header has 2"),
    "empty": ("item_id,text\n", "items.csv has a header but no rows"),
    "latin 1": ("item_id,text\na,\xe9\n", "is not UTF-8"),
}


@pytest.mark.parametrize(("text", "words"), ITEMS.values(), ids=ITEMS)
def test_bad_items_name_their_lines(
    text: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_run(tmp_path, "http://127.0.0.1:9/v1")
    (tmp_path / "items.csv").write_bytes(text.encode("latin-1"))
    assert collect(path) in {2, 3}
    assert words in capsys.readouterr().err


HUGE = "1" + "0" * 400
NUMBERS = {
    f"timeout = {HUGE}": "limits.timeout = 1000",
    f"patience = {HUGE}": "limits.patience = 1000",
    'patience = "0 s"': "limits.patience = '0 s' is no span of time",
    "timeout = 1e300": "limits.timeout = 1e+300 is not a finite number up to 1e+15",
}


@pytest.mark.parametrize("limit", NUMBERS)
def test_limits_beyond_all_bounds(
    limit: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = "timeout = 5.0" if limit.startswith("timeout") else "patience = 30.0"
    assert collect(_edited(tmp_path, old, limit)) == 2
    assert NUMBERS[limit] in capsys.readouterr().err


PRICES = {
    "input = 1.0": "no prices.toy.output. Write 0 where it is free",
    "output = 1.0": "no prices.toy.input. Write 0 where it is free",
    "": "no prices.toy.input. Write 0 where it is free",
    f"input = {HUGE}\noutput = 1": "is not a finite number of at least 0",
}


@pytest.mark.parametrize("prices", PRICES)
def test_prices_that_count_nothing(
    prices: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert collect(_edited(tmp_path, "[endpoint]", f"[prices.toy]\n{prices}\n[endpoint]")) == 2
    assert PRICES[prices] in capsys.readouterr().err


@pytest.mark.parametrize(
    "table", ["prices.tyo]\ninput = 1\noutput = 1", 'endpoints.tyo]\nbase_url = "http://x"']
)
def test_tables_of_a_model_that_is_not_asked(
    table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert collect(_edited(tmp_path, "[endpoint]", f"[{table}\n[endpoint]")) == 2
    assert "tyo: no such model is asked. Did you mean 'toy'?" in capsys.readouterr().err


VALUES = {
    "temperature = nan": "parameters.temperature = nan is no text, and no finite number",
    "stop = [inf]": "parameters.stop.1 = inf is no text",
    "user = 2020-01-01": "parameters.user = 2020-01-01 is no text",
    "user = { at = 07:32:00 }": "parameters.user.at = 07:32:00 is no text",
}


@pytest.mark.parametrize("value", VALUES)
def test_values_that_json_does_not_have(
    value: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _edited(tmp_path, "temperature = 0", value)
    assert collect(path) == 2
    assert VALUES[value] in capsys.readouterr().err
    assert not path.with_name("log.jsonl").exists()


OPTIONS = {
    "key = 2020-01-01": "protocol.key = 2020-01-01 is no text",
    "choices = 5": "protocol.choices = 5 is not a list",
    "labels = true": "protocol.labels = true is not a list",
}


@pytest.mark.parametrize("option", OPTIONS)
def test_options_of_another_kind(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert collect(_edited(tmp_path, 'parser = "json"', f'parser = "json", {option}')) == 2
    assert OPTIONS[option] in capsys.readouterr().err


@pytest.mark.parametrize("level", ["[[1]]", '[""]', "[{ a = 1 }]"])
def test_models_that_are_no_names(
    level: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert collect(_edited(tmp_path, '["toy"]', level)) == 2
    assert "factors.model has a level that is no name" in capsys.readouterr().err


def test_more_units_than_a_log_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _edited(tmp_path, "template =", "replicates = 1000000000000\ntemplate =")
    assert collect(path) == 2
    assert "4,000,000,000,000 units, and 10,000,000 are allowed" in capsys.readouterr().err


ADDRESSES = [
    "http://127.0.0.1:9/v1\\n",
    "http://127.0.0.1:9\\\\@x/",
    "http://127.0.0.1:9/\\u0000",
    "http://a b/",
]


@pytest.mark.parametrize("url", ADDRESSES)
def test_characters_that_no_address_has(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert collect(write_run(tmp_path, url)) == 2
    assert "base_url is no address" in capsys.readouterr().err


@pytest.mark.parametrize("more", [(), ("--dry-run",), ("--base-url", "http://127.0.0.1:9/v1")])
def test_an_endpoint_that_is_no_table(
    more: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_run(tmp_path, "http://127.0.0.1:9/v1", more='endpoint = "http://127.0.0.1:9/v1"')
    text = path.read_text()
    path.write_text(text.replace('[endpoint]\nbase_url = "http://127.0.0.1:9/v1"\n', ""))
    assert collect(path, *more) == 2
    assert "endpoint = 'http://127.0.0.1:9/v1' is not a table" in capsys.readouterr().err


def _endless(path: Path, kind: str) -> None:
    path.unlink(missing_ok=True)
    if kind == "a large file":
        with path.open("wb") as file:
            file.truncate(2**36)
    elif kind == "a pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")


ENDLESS = {
    "a large file": "limit 'document'",
    "a pipe": "limit 'writer'",
    "a device": "this is a device",
}


@pytest.mark.parametrize("kind", ENDLESS)
@pytest.mark.parametrize("name", ["run.toml", "prompt.txt"])
def test_files_without_an_end(
    name: str,
    kind: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOCIALSTATS_LIMITS", "writer=0.1")
    path = _edited(tmp_path, 'template = "{text} (A) or (B)?"', 'texts = "texts"')
    (tmp_path / "texts").mkdir()
    _endless(tmp_path / "texts" / name if name == "prompt.txt" else path, kind)
    assert collect(path, "--dry-run") == 2
    assert ENDLESS[kind] in capsys.readouterr().err


def test_a_folder_with_a_name_that_cannot_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert collect(_edited(tmp_path, 'template = "{text} (A) or (B)?"', 'texts = "te\\u0000"')) == 2
    assert "run.toml, texts: te" in capsys.readouterr().err


def test_a_dry_run_makes_no_call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_run(tmp_path, "http://127.0.0.1:9/v1", n=10, more="replicates = 3")
    assert collect(path, "--dry-run") == 0
    out = capsys.readouterr().out
    assert "10 items x 1 model x 3 replicates" in out
    assert "30 units, 0 finished before, 30 to ask" in out
    assert "at most 600 back" in out
    assert not path.with_name("log.jsonl").exists()


BOMBS = {
    "items.csv.gz": (b"item_id,text\na,", b"x" * 2**20, "134,217,728 bytes"),
    "items.tsv.gz": (b"item_id\ttext\n", b"a\tb\n" * 2**18, "2,000,000 lines"),
    "items.jsonl.gz": (b'{"item_id": "a", "text": "', b"x" * 2**20, "134,217,728 bytes"),
    "items.json.gz": (b"[", b'{"item_id": "a"}, ' * 2**16, "134,217,728 bytes"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_items_that_unpack_to_too_much(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head, block, words = BOMBS[name]
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    packed = (
        packer.compress(head)
        + b"".join(packer.compress(block) for _ in range(140))
        + packer.flush()
    )
    (tmp_path / name).write_bytes(packed)
    path = _edited(tmp_path, "items.csv", name)
    assert collect(path, "--dry-run") == 2
    assert f"{name}: more than {words} after unpacking" in capsys.readouterr().err


def test_a_dry_run_needs_no_endpoint_and_a_run_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_run(tmp_path, "http://127.0.0.1:1/v1")
    text = path.read_text()
    path.write_text(text.replace('base_url = "http://127.0.0.1:1/v1"', ""))
    assert collect(path, "--dry-run") == 0
    told = capsys.readouterr()
    assert "at most 4 calls" in told.out
    assert "the run file names no endpoint" in told.err
    assert collect(path) == 2
    assert "base_url" in capsys.readouterr().err
    path.write_text(text)
    assert collect(path, "--dry-run") == 0
    assert "endpoint" not in capsys.readouterr().err
