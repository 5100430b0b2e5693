"""What strangers send: cut off, too large, in other encodings, leading out of the folder."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
from pathlib import Path

import pytest

from socialstats.errors import InputError, Problem
from socialstats.harness_logs import files, read_log, streaming
from socialstats.harness_logs.files import look
from socialstats.harness_logs.streaming import JsonStream, Spelled
from socialstats.tables.limits import VARIABLE
from tests.harness_logs.logs import SAMPLES, dump, header, sample, zipped


def stream(data: bytes, **rest: bool) -> JsonStream:
    return JsonStream(data, Problem(message="", source="log.json"), **rest)


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 64])
def test_values_read_in_pieces_are_those_of_json(
    chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "CHUNK", chunk)
    value = {
        "text": 'q"uo\\te\n é 😀 \u2028',
        "numbers": [0, -1, 1.5, 2e-9, 123456789012345678901234567890],
        "rows": [{"a": [[], {}, [None, True, False]]}, "x" * 100, 17],
        "empty": {},
        "": "",
    }
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=3)):
        assert stream(text.encode()).whole() == value
        held = stream(b"\xef\xbb\xbf" + text.encode())
        found = {
            key: list(held.elements()) if key == "rows" else held.value() for key in held.members()
        }
        assert found == value
        assert held.peek() == ""


def test_numbers_keep_how_they_are_spelled() -> None:
    found = stream(b"[0.750, 7, 1e-3]").whole()
    assert [n.text for n in found if isinstance(n, Spelled)] == ["0.750", "1e-3"]
    assert found == [0.75, 7, 0.001]


@pytest.mark.parametrize("chunk", [1, 64])
def test_of_a_value_only_what_the_shape_names_is_kept(
    chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "CHUNK", chunk)
    tests = [
        {"id": 1, "said": "long", "response": {"output": "a", "raw": "b"}},
        7,
        {"response": "plain"},
    ]
    whole = {
        "version": 3,
        "other": {"x": [1]},
        "runs": {"a": {"keep": 0.50, "drop": 1}, "b": None},
        "tests": tests,
    }
    shape = {
        "version": None,
        "runs": {"*": {"keep": None}},
        "tests": [lambda test: type(test).__name__],
    }
    assert stream(json.dumps(whole).encode()).whole(shape) == {
        "version": 3,
        "runs": {"a": {"keep": 0.5}, "b": None},
        "tests": ["dict", "int", "dict"],
    }
    with pytest.raises(InputError, match="text after the end"):
        stream(json.dumps(whole).encode() + b" 1").whole(shape)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"a": 1,\n "b": tru}', "line 2: not JSON"),
        (b'{"a": [1, 2', "line 1: not JSON"),
        (b'{"a": "never closed', "not JSON"),
        (b'{"a": 1} {"b": 2}', "text after the end"),
        (b"", "ends too early"),
        (b'{"a": NaN}', "NaN is no JSON number"),
        (b'{"a": -Infinity}', "-Infinity is no JSON number"),
        (b"[" * 100_000, "nested more than 200 deep"),
        (b"[" + b"9" * 5000 + b"]", "a number that cannot be read"),
        (b'{"a": "x\x01y"}', "not JSON"),
    ],
)
def test_broken_json_is_named_with_its_line(data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        stream(data).whole()


@pytest.mark.parametrize("chunk", [1, 5, 1 << 22])
def test_bytes_that_are_no_utf8_are_named_with_their_offset(
    chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "CHUNK", chunk)
    data = '{"é": "'.encode() + b'\xff"}'
    with pytest.raises(InputError, match=f"byte 0xff at offset {data.index(0xFF)} is not UTF-8"):
        stream(data).whole()


def test_a_line_that_is_no_object_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"a": 1}\n\n{"a": 2\n{"a": 3}\n')
    with pytest.raises(InputError, match=r"x\.jsonl line 3: not JSON"):
        list(files.json_lines(path))
    path.write_bytes(b'{"a": 1}\n[2]\n')
    with pytest.raises(InputError, match="line 2: not a JSON object"):
        list(files.json_lines(path))
    path.write_bytes(b'{"a": 1}\n{"b": "\xe9"}\n')
    with pytest.raises(InputError, match="line 2: byte 0xe9 at offset 16"):
        list(files.json_lines(path))
    path.write_bytes(b'{"a": 1}\n{"b": NaN}\n')
    with pytest.raises(InputError, match="line 2: NaN"):
        list(files.json_lines(path))
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n{"b": 2}')
    assert list(files.json_lines(path)) == [(1, {"a": 1}), (2, {"b": 2})]


def test_sizes_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = dump(tmp_path / "x.json", {"a": "x" * 5000})
    packed = tmp_path / "x.json.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert files.load_json(packed) == {"a": "x" * 5000}
    monkeypatch.setenv(VARIABLE, "bytes=1000")
    for large in (path, packed):
        with pytest.raises(
            InputError, match=r"more than 1,000 bytes.*SOCIALSTATS_LIMITS=bytes=10000"
        ):
            files.load_json(large)
    monkeypatch.setenv(VARIABLE, "length=100, files=1")
    with pytest.raises(
        InputError, match="line 1: a line, or a single value, has more than 100 bytes"
    ):
        list(files.json_lines(path))
    (tmp_path / "other").write_text("")
    with pytest.raises(InputError, match="more than 1 files"):
        files.files_in(tmp_path)


def test_one_value_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "CHUNK", 10)
    monkeypatch.setenv(VARIABLE, "length=100")
    with pytest.raises(InputError, match="a single value, has more than 100 bytes"):
        stream(b'["' + b"x" * 1000 + b'"]').whole()


def test_a_gzip_that_is_cut_off_is_named(tmp_path: Path) -> None:
    path = tmp_path / "runs.json.gz"
    path.write_bytes(
        gzip.compress(
            json.dumps({"run": {"scenario_tasks": {}}, "x": os.urandom(4000).hex()}).encode()
        )[:-600]
    )
    with pytest.raises(InputError, match=r"runs\.json\.gz.*cut off or damaged"):
        read_log(path)


def test_nothing_outside_the_folder_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (tmp_path / "secret.json").write_text("{}")
    (folder / "link.json").symlink_to(tmp_path / "secret.json")
    for name in ("../secret.json", "link.json", str(tmp_path / "secret.json")):
        with pytest.raises(InputError, match="leads out of the folder"):
            files.inside(folder, name)
    assert files.inside(folder, "new.json") == folder / "new.json"


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="not a regular file"), files.open_bytes(tmp_path / "pipe"):
        pass
    with pytest.raises(InputError, match="no such file"):
        read_log(tmp_path / "absent.json")


def entries() -> dict[str, object]:
    return {"header.json": header(), "summaries.json": [sample("a", scores={"match": "C"})]}


def test_a_truncated_zip_is_named(tmp_path: Path) -> None:
    path = zipped(tmp_path / "x.eval", entries())
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(InputError, match=r"x\.eval: the zip file is cut off or damaged"):
        read_log(path)


@pytest.mark.parametrize("zstd", [False, True])
def test_an_entry_that_is_damaged_is_named(zstd: bool, tmp_path: Path) -> None:
    path = zipped(tmp_path / "x.eval", entries(), zstd=zstd)
    data = bytearray(path.read_bytes())
    data[60:90] = os.urandom(30)
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"header\.json: .*(damaged|checksum)"):
        read_log(path)


@pytest.mark.parametrize("zstd", [False, True])
def test_a_zip_bomb_is_stopped_early(
    zstd: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "RATIO_FROM", 1 << 20)
    path = zipped(
        tmp_path / "x.eval",
        {**entries(), "summaries.json": b"[" + b" " * (1 << 24) + b"]"},
        zstd=zstd,
    )
    read: list[int] = []
    kept = files.Archive._bounded

    def counted(self: files.Archive, raw: io.BufferedReader, entry: object, place: str) -> bytes:
        try:
            return kept(self, raw, entry, place)  # type: ignore[arg-type]
        finally:
            read.append(self._expanded)

    monkeypatch.setattr(files.Archive, "_bounded", counted)
    with pytest.raises(
        InputError, match=r"summaries\.json: it unpacks to more than 400 times its size"
    ):
        read_log(path)
    assert read[-1] < 1 << 23  # of 16 MiB


@pytest.mark.parametrize("package", files.ZSTD_READERS)
def test_every_package_reads_zstd_in_frames(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(package)
    monkeypatch.setattr(files, "ZSTD_READERS", {package: files.ZSTD_READERS[package]})
    path = zipped(tmp_path / "x.eval", entries(), zstd=True, frames=3)
    assert read_log(path).rows["value"].tolist() == [1.0]
    cut = bytearray(path.read_bytes())
    cut[60:90] = os.urandom(30)
    path.write_bytes(cut)
    with pytest.raises(InputError, match=r"header\.json: .*(damaged|checksum)"):
        read_log(path)


@pytest.mark.parametrize("setting", ["length=10", "bytes=3000", "files=1"])
def test_entries_and_their_sum_are_bounded(
    setting: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = zipped(tmp_path / "x.eval", {**entries(), "reductions.json": b"[" + b" " * 4000 + b"]"})
    monkeypatch.setenv(VARIABLE, setting)
    with pytest.raises(InputError, match=r"[Ss]plit the log"):
        read_log(path)


@pytest.mark.parametrize(
    "name", ["../../evil.json", "/etc/evil.json", "samples\\..\\..\\evil.json"]
)
def test_entries_that_lead_out_of_the_archive_are_refused(name: str, tmp_path: Path) -> None:
    path = zipped(tmp_path / "x.eval", {**entries(), name: {}})
    with pytest.raises(InputError, match="leads out of the archive"):
        read_log(path)


def test_other_ways_of_packing_are_named(tmp_path: Path) -> None:
    path = zipped(tmp_path / "x.eval", entries(), zstd=True)
    path.write_bytes(
        path.read_bytes().replace(
            (93).to_bytes(2, "little") + b"\0\0\0\0", (98).to_bytes(2, "little") + b"\0\0\0\0"
        )
    )
    with pytest.raises(InputError, match="packed by method 98; deflate and zstd are read"):
        read_log(path)
    path = zipped(tmp_path / "y.eval", entries())
    flagged = re.sub(
        b"(PK\1\2.{4}).", b"\\g<1>\1", path.read_bytes(), flags=re.DOTALL
    )  # bit 0: encrypted
    path.write_bytes(flagged)
    with pytest.raises(InputError, match="packed with a password"):
        read_log(path)


def test_zstd_without_a_package_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from socialstats.errors import MissingDependency

    path = zipped(tmp_path / "x.eval", entries(), zstd=True)
    for name in ("compression", "compression.zstd", "zstandard", "pyarrow"):
        monkeypatch.setitem(__import__("sys").modules, name, None)
    with pytest.raises(MissingDependency, match=r"pip install 'socialstats\[zstd\]'"):
        read_log(path)


def test_unknown_files_say_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(
        InputError,
        match=r"x\.json: no known log \(its keys: 'a' and 'b'\)\. Looked for: logs of inspect.*lm-eval",
    ):
        read_log(dump(tmp_path / "x.json", {"a": 1, "b": 2}))
    with pytest.raises(
        InputError, match=r"no harness 'ispect'\. Did you mean 'inspect'\? Harnesses: inspect, "
    ):
        read_log(dump(tmp_path / "x.json", {"a": 1}), harness="ispect")
    (tmp_path / "y.txt").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="no known log"):
        read_log(tmp_path / "y.txt")
    (tmp_path / "z").write_bytes(b"")
    with pytest.raises(InputError, match="no known log"):
        read_log(tmp_path / "z")


def test_a_first_look_tells_lines_from_one_object(tmp_path: Path) -> None:
    one, two = tmp_path / "a", tmp_path / "b"
    one.write_text('{"a": 1,\n "b": [1, 2]}\n')
    two.write_text('{"a": 1}\n{"a": 2}\n')
    assert (look(one).kind, look(one).first) == ("object", {"a": 1, "b": [1, 2]})
    assert (look(two).kind, look(two).first) == ("lines", {"a": 1})


def test_forms_are_kinds_and_patterns_of_what_the_first_look_found(tmp_path: Path) -> None:
    source = look(dump(tmp_path / "a", {"results": {"toy": {"acc,none": 1}}, "x": 2}))
    assert source.fits([("lines", "x"), ("object list", "results.*.*,*", "x")])
    assert not source.fits([("lines", "x"), ("object", "results.*.*,*", "y"), ("object", "toy")])
    (tmp_path / "b.csv").write_text('one;"two, or more";three\n1;2;3\n')
    assert look(tmp_path / "b.csv").fits([("text", "one", "two, or more")])


LARGE = (
    "inspect/fixtures/log_formats.json",
    "lm_eval/group_weighted",
    "promptfoo/out.json",
    "promptfoo/out.jsonl",
    "deepeval/test_run_sample.json",
    "politicsbench/sample_fixture_runs.json",
    "arena/battles.jsonl",
    "helm/run_3trials/per_instance_stats.json",
    "openai_evals/oa_sample.jsonl",
)


@pytest.mark.parametrize("name", LARGE)
def test_logs_larger_than_the_first_look_are_known(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not SAMPLES.exists():
        pytest.skip("shared/data/harness_samples is not beside the project")
    whole = read_log(SAMPLES / name)
    size = 1500
    head_of = files.head_of
    monkeypatch.setattr(files, "head_of", lambda path: head_of(path, size))
    monkeypatch.setattr(files, "CHUNK", size)
    assert read_log(SAMPLES / name).rows.equals(whole.rows)


def test_a_large_file_that_is_broken_later_is_an_error_of_its_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = dump(
        tmp_path / "x.json",
        {**header(), "samples": [sample(k, scores={"m": 1}) for k in range(50)]},
    )
    path.write_text(path.read_text()[:-100])
    head_of = files.head_of
    monkeypatch.setattr(files, "head_of", lambda path: head_of(path, 500))
    monkeypatch.setattr(files, "CHUNK", 500)
    with pytest.raises(InputError, match=r"x\.json line 1: (not JSON|the text ends too early)"):
        read_log(path)
