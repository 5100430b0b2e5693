"""No key is written: in no coding, to no file, and to no proxy that nobody asked for."""

from __future__ import annotations

import base64
import codecs
import gzip
import html
import json
import os
import random
import re
import string
import subprocess
import sys
import unicodedata
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from socialstats.cli import main
from socialstats_collect.runfile import read_runfile
from socialstats_collect.secrets import HIDDEN, hide, is_here, remember
from tests.collect.asking import test_shapes
from tests.collect.raw import Connection, response, talking
from tests.collect.runs import attempts, collect, table, write_run
from tests.collect.server import Send, fails, says, serving

ANSWER = '{"Answer": "A"}'
KEY = "sk-very+secret/key=0123456789"
JWT = "eyJhbGciOiJSUzI1NiJ9.eyJhdWQiOiJodHRwcyJ9.Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4-_Zm9vYmFy"


def escaped(form: str, each: int = 1) -> Callable[[str], str]:
    return lambda key: "".join(
        form.format(ord(one)) if k % each == 0 else one for k, one in enumerate(key)
    )


def between(sign: str) -> Callable[[str], str]:
    return sign.join


CODINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "upper case": str.upper,
    "swapped case": str.swapcase,
    "spaced": between(" "),
    "a line each": between("\n"),
    "Windows lines": between("\r\n"),
    "broken over lines": lambda key: "\n    ".join(re.findall(".{1,7}", key)),
    "dots between": between("."),
    "hyphens between": between("-"),
    "nothing visible between": between("\u200b"),
    "a list of letters": lambda key: json.dumps([*key]),
    "percent": lambda key: quote(key, safe=""),
    "percent throughout": escaped("%{:02X}"),
    "percent in part": escaped("%{:02x}", 3),
    "percent twice": lambda key: quote(escaped("%{:02x}")(key)),
    "percent thrice": lambda key: quote(quote(escaped("%{:02x}")(key))),
    "quoted printable": escaped("={:02X}"),
    "base64": lambda key: base64.b64encode(key.encode()).decode(),
    "base64 for addresses": lambda key: base64.urlsafe_b64encode(key.encode()).decode(),
    "base64 after a letter": lambda key: base64.b64encode(b"x" + key.encode()).decode(),
    "base64 after two": lambda key: base64.b64encode(b"xy" + key.encode() + b"zz").decode(),
    "base64 in lines": lambda key: base64.encodebytes(b"key: " + key.encode()).decode(),
    "base64 of a part": lambda key: base64.b64encode(key[3:20].encode()).decode(),
    "base32": lambda key: base64.b32encode(b"abc" + key.encode()).decode(),
    "hexadecimal": lambda key: key.encode().hex(),
    "hexadecimal in pairs": lambda key: key.encode().hex(":").upper(),
    "hexadecimal numbers": lambda key: ", ".join(map(hex, key.encode())),
    "decimal numbers": lambda key: str([*key.encode()]),
    "JSON escapes": escaped("\\u{:04x}"),
    "JSON escapes in part": escaped("\\u{:04X}", 4),
    "JSON escapes twice": escaped("\\\\u{:04x}"),
    "Python escapes": escaped("\\x{:02x}"),
    "long escapes": escaped("\\U{:08x}"),
    "escapes with braces": escaped("\\u{{{:x}}}"),
    "octal escapes": escaped("\\{:03o}"),
    "escaped slashes": lambda key: key.replace("/", "\\/"),
    "HTML": html.escape,
    "HTML numbers": escaped("&#{};"),
    "HTML numbers in base 16": escaped("&#x{:x};"),
    "HTML names": lambda key: (
        key.replace("/", "&sol;").replace("+", "&plus;").replace("=", "&equals;")
    ),
    "reversed": lambda key: key[::-1],
    "reversed and spaced": lambda key: " ".join(key[::-1]),
    "UTF-16": lambda key: key.encode("utf-16-le").decode("latin-1"),
    "base64 of UTF-16": lambda key: base64.b64encode(key.encode("utf-16")).decode(),
    "hexadecimal of UTF-16": lambda key: key.encode("utf-16-be").hex(),
    "base64 twice": lambda key: base64.b64encode(
        base64.b64encode(b"key: " + key.encode())
    ).decode(),
    "base64 thrice": lambda key: base64.b64encode(
        base64.b64encode(base64.b64encode(key.encode()))
    ).decode(),
    "base64 of hexadecimal": lambda key: base64.urlsafe_b64encode(
        key.encode().hex().encode()
    ).decode(),
    "hexadecimal of base64": lambda key: base64.b64encode(key.encode()).hex(),
    "base64 of percent": lambda key: base64.b64encode(escaped("%{:02x}")(key).encode()).decode(),
    "base64 in upper case": lambda key: base64.b64encode(key.upper().encode()).decode(),
    "base64 of the reverse": lambda key: base64.b64encode(key[::-1].encode()).decode(),
    "full width": lambda key: "".join(chr(ord(one) + 0xFEE0) for one in key),
    "percent of IIS": escaped("%u{:04x}"),
    "code points": escaped("U+{:04X} "),
    "percent of base64": lambda key: escaped("%{:02x}")(base64.b64encode(key.encode()).decode()),
    "the first 12": lambda key: key[:12],
    "the last 12": lambda key: key[-12:],
    "12 within": lambda key: key[7:19],
    "13 within, spaced": lambda key: " ".join(key[7:20]),
}


PACKED: dict[str, Callable[[str], str]] = {
    "base64 of gzip": lambda key: base64.b64encode(
        gzip.compress(b"Bearer " + key.encode(), mtime=0)
    ).decode(),
    "base64 of gzip after others": lambda key: (
        "a" * 99 + base64.b64encode(b"\xff" * 9 + gzip.compress(key.encode())).decode()
    ),
    "hexadecimal of zlib": lambda key: zlib.compress(key.encode()).hex(),
}  # not hidden where they are cut


def shown(text: str, coded: str) -> bool:
    """Whether 14 characters of what was sent stand in a text, whatever separates them."""
    bare, sent = (
        re.sub(r"[^a-z0-9%&#;\\]", "", unicodedata.normalize("NFKC", one).lower())
        for one in (text, coded)
    )
    return any(sent[k : k + 14] in bare for k in range(max(1, len(sent) - 13)))


@pytest.mark.parametrize("key", [KEY, JWT], ids=["key", "JWT"])
@pytest.mark.parametrize("coding", [*CODINGS, *PACKED])
def test_a_coded_key_is_hidden_and_all_else_stays(coding: str, key: str) -> None:
    remember(key)
    coded = (CODINGS | PACKED)[coding](key)
    for value in (f"é <{coded}> ü", {"a": [f"é <{coded}> ü", 1.5, None]}):
        hidden = hide(value)
        text = hidden if isinstance(hidden, str) else hidden["a"][0]
        assert text.startswith("é <")
        assert text.endswith("> ü")
        assert HIDDEN in text
        assert not shown(text, coded)


def test_keys_in_pieces() -> None:
    remember(KEY)
    assert hide([*KEY]) == [HIDDEN]
    assert hide([KEY[k : k + 7] for k in range(0, len(KEY), 7)]) == [HIDDEN]
    assert hide({"a": [KEY[:8], KEY[8:]], "b": 1}) == {"a": [KEY[:8], HIDDEN], "b": 1}
    assert hide({"usage.cost": f'["{CODINGS["base64 of a part"](KEY)}"]'}) == {
        "usage.cost": f'["{HIDDEN}="]'
    }
    assert hide({KEY: {"a": KEY}}) == {HIDDEN: {"a": HIDDEN}}


def test_random_keys_and_random_texts() -> None:
    rng = random.Random(5)
    letters = string.ascii_letters + string.digits + "-_.+/="
    for _ in range(40):
        key = "".join(rng.choices(letters, k=rng.randrange(20, 120)))
        remember(key)
        for coding, code in CODINGS.items():
            coded = code(key)
            assert not shown(hide(f"é {coded} ü"), coded), (key, coding)


def test_texts_without_keys_stay_as_they_are() -> None:
    remember(KEY, "hunter2hunter2", "ollama")
    text = (Path(__file__).parents[3] / "docs" / "collect.md").read_text()
    for one in (
        text,
        text.upper(),
        f'{{"a": "100% \\u0041 &amp; {HIDDEN}"}}',
        "A secret key. Ollama says 0123.",
        "\ud800",
    ):
        assert hide(one) is one
    value = {"a": [1, 2.5, None, True, float("inf"), "é\n"], "b": (1, 2)}
    assert hide(value) is value


HEADERS = {
    "x-request-id": "{}",
    "retry-after": "{}",
    "www-authenticate": 'Bearer realm="{}"',
    "set-cookie": "k={}",
}


def replies(coded: str) -> Iterator[Send]:
    """Every place of a reply in which an endpoint could repeat a key."""
    plain = coded.encode("utf-8", "replace")
    headers = {name: form.format(quote(coded)) for name, form in HEADERS.items()}
    logprobs = {"content": [{"token": one, "logprob": -0.1, "top_logprobs": []} for one in coded]}
    whole = json.loads(says(f"{ANSWER} {coded}", reasoning_content=coded, refusal=coded).body)
    whole["choices"][0]["logprobs"] = logprobs
    whole["usage"] = {"prompt_tokens": coded, "cost": [coded]}
    yield Send(body=json.dumps(whole).encode(), headers=headers)
    yield Send(body=json.dumps(whole, ensure_ascii=False).encode().replace(b"usage", b"us"))
    yield says(
        [
            {"type": "text", "text": coded[: len(coded) // 2]},
            {"type": "text", "text": coded[len(coded) // 2 :]},
        ]
    )
    yield says(
        None,
        tool_calls=[{"function": {"name": coded, "arguments": json.dumps({"k": coded})}}, [coded]],
    )
    yield says(ANSWER, model=coded, finish=f"stop.{coded}")
    yield says(ANSWER, finish=f"content_filter: {coded}")
    yield fails(400, code=coded)
    yield Send(
        status=403,
        body=json.dumps(
            {"error": {"message": "moderation", "metadata": {"reasons": [coded]}}}
        ).encode(),
    )
    yield Send(status=500, body=b"<p>" + plain + b"</p>", headers=headers)
    yield Send(body=plain)
    yield Send(body=b"x" * 1990 + plain * 5)
    yield Send(
        status=429,
        body=json.dumps({"error": {"code": "insufficient_quota", "message": coded}}).encode(),
    )


def texts(folder: Path) -> Iterator[str]:
    """All that was written, with the bodies that were kept."""
    for path in folder.rglob("*"):
        yield path.name
        if path.is_file() and path.suffix != ".toml":
            yield path.read_text("utf-8", "replace")
    for line in attempts(folder / "run.toml"):
        yield "\n".join(map(str, line.values()))
        if "raw" in line:
            yield zlib.decompress(base64.b64decode(line["raw"])).decode()


FEW = [
    "as it is",
    "spaced",
    "percent twice",
    "base64 after a letter",
    "JSON escapes",
    "HTML numbers",
    "reversed",
]


@pytest.mark.parametrize(
    "coding",
    [*FEW, *(pytest.param(one, marks=pytest.mark.slow) for one in CODINGS if one not in FEW)],
)
def test_no_coded_key_is_written(
    coding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TOY_KEY", KEY)
    coded = CODINGS[coding](KEY)
    sends = [*replies(coded)]

    def script(body: dict[str, Any], before: int) -> Send:
        item = int(str(body["messages"]).split("story ")[1].split()[0])
        return says(ANSWER) if before else sends[item]

    with serving(script) as server:
        path = write_run(
            tmp_path,
            server.url,
            n=len(sends),
            patience=60.0,
            attempts=1,
            concurrency=2,
            more="raw = true",
        )
        path.write_text(path.read_text().replace("[limits]", 'key_env = "TOY_KEY"\n[limits]'))
        codes = [collect(path) for _ in range(6)]  # some replies end a run
        assert codes[-1] == 0
        assert collect(path, "--dry-run") == 0
    log = str(path.with_name("log.jsonl"))
    main(
        [
            "tidy",
            log,
            "-o",
            str(tmp_path / "t.csv"),
            "--methods",
            str(tmp_path / "m.txt"),
            "--summary",
        ]
    )
    main(["tidy", log, "-o", str(tmp_path / "t.jsonl")])
    said = capsys.readouterr()
    assert len({line["item_id"] for line in attempts(path)}) == len(sends)
    for text in (said.out, said.err, *texts(tmp_path)):
        assert not shown(text, coded)
        assert not shown(text, KEY)


@pytest.mark.parametrize("place", [0, 10, 58])
def test_a_short_key_within_a_hash_hides_no_answer(
    place: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(lambda *_: says(ANSWER)) as server:
        path = write_run(tmp_path, server.url, n=2)
        (unit, *_) = read_runfile(path).design.units()
        key = next(read_runfile(path).design.protocol.conversation(unit)).key[place : place + 6]
        monkeypatch.setenv("OPENAI_API_KEY", key)
        assert collect(path) == 0
        assert collect(path) == 0
        assert server.seen.total() == 2
        assert server.keys == {f"Bearer {key}"}
    assert [row["answer"] for row in table(path, capsys)] == ["A", "A"]


REFUSED = {
    "of the file": 'api_key = "{}"',
    "of the endpoint": '[endpoint]\nbase_url = "http://127.0.0.1:9"\napi_key = "{}"',
    "of a header": '[endpoint]\nbase_url = "http://127.0.0.1:9"\nheaders = {{ x = "{}" }}',
    "of Azure": '[parameters]\n"api-key" = "{}"',
    "within parameters": '[parameters]\nextra_body = {{ provider = [{{ Authorization = "Bearer {}" }}] }}',
    "extra headers": '[parameters]\nextra_headers = {{ "X-Api-Key" = "{}" }}',
    "of judges": '[judges]\nmodels = ["j"]\nparameters = {{ access_token = "{}" }}',
    "of one model": '[endpoints.toy]\nbase_url = "http://127.0.0.1:9"\npassword = "{}"',
    "in a text": 'system = "use {}"',
    "in a name": '[endpoint]\nbase_url = "http://127.0.0.1:9"\nkey_env = "{}"',
    "in an address": '[endpoint]\nbase_url = "http://127.0.0.1:9/?key={}"',
}


@pytest.mark.parametrize("place", REFUSED)
def test_a_key_in_a_run_file_is_refused(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    key = "sk_live_0123456789abcdefX"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    monkeypatch.delenv(key, raising=False)
    (tmp_path / "items.csv").write_text("item_id,text\na,x\n")
    path = tmp_path / "run.toml"
    text = 'protocol = "template"\nitems = "items.csv"\ntemplate = "{text}"\norder = "fixed"\n'
    more = REFUSED[place].format(key)
    begins = "" if more.startswith("[") else f"{more}\n"
    rest = more if more.startswith("[") else ""
    endpoint = (
        "" if rest.startswith("[endpoint]") else '[endpoint]\nbase_url = "https://example.org/v1"\n'
    )
    path.write_text(f'{text}{begins}[factors]\nmodel = ["toy"]\n{endpoint}{rest}\n')
    assert collect(path) == 2
    said = capsys.readouterr().err
    assert key not in said
    assert "run.toml: " in said
    assert any(
        words in said
        for words in (
            "does not belong in a run file",
            "stands in the run file",
            "is not the name of a variable",
        )
    )
    assert not path.with_name("log.jsonl").exists()


@pytest.mark.parametrize("file", ["items.csv", "texts/prompt.txt"])
@pytest.mark.parametrize(
    "content", ["item_id,text\na,my {}\n", "item_id,text\n{},x\n", "item_id,text,{}\na,x,y\n"]
)
def test_a_key_in_items_or_texts_is_refused(
    file: str,
    content: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", JWT)
    path = write_run(tmp_path, "http://127.0.0.1:9/v1")
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "prompt.txt").write_text("{text}")
    path.write_text(re.sub("template = .*", 'texts = "texts"', path.read_text()))
    (tmp_path / file).write_text(content.format(JWT))
    assert collect(path) == 2
    said = capsys.readouterr().err
    assert (
        f"the key of OPENAI_API_KEY stands in {'items.csv' if file == 'items.csv' else 'the texts'}"
        in said
    )
    assert JWT not in said


def test_names_that_are_no_keys_are_allowed(tmp_path: Path) -> None:
    path = write_run(tmp_path, "http://127.0.0.1:9/v1")
    schema = 'response_format = { type = "json_schema", json_schema = { password = { type = "string" } } }'
    text = path.read_text().replace('parser = "json"', 'parser = "json", key = "Answer"')
    text = text.replace("temperature = 0", "temperature = 0, top_k = 5, logit_bias = { token = 1 }")
    path.write_text(
        text.replace("[limits]", f"[judges]\nmodels = []\nparameters = {{ {schema} }}\n[limits]")
    )
    assert read_runfile(path).design.protocol.settings.judge_parameters


def test_keys_in_the_address_are_sent_and_hidden(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sent: list[bytes] = []

    def talk(connection: Connection) -> None:
        connection.read()
        sent.append(connection.head)
        connection.send(
            response(
                "x",
                body=says(f"{ANSWER} q0123456789abcdef 2024-10-21", model="q0123456789ABCDEF").body,
            )
        )

    with talking(talk) as server:
        path = write_run(
            tmp_path, f"{server.url}?api-version=2024-10-21&key=q0123456789abcdef", n=1
        )
        assert collect(path) == 0
    assert b"/v1/chat/completions?api-version=2024-10-21&key=q0123456789abcdef" in sent[0]
    (line,) = attempts(path)
    assert line["content"] == f"{ANSWER} {HIDDEN} 2024-10-21"
    said = capsys.readouterr()
    assert (
        "0123456789abcdef"
        not in path.with_name("log.jsonl").read_text().lower() + (said.out + said.err).lower()
    )


def test_a_traceback_shows_no_key(tmp_path: Path) -> None:
    path = write_run(tmp_path, "http://127.0.0.1:9/v1")
    code = (
        "import sys, socialstats_collect.run as run\n"
        "async def broken(self):\n"
        "    from socialstats_collect.client import client_of\n"
        "    client = client_of(self.runfile.endpoint, self.runfile.endpoint.key(), self.runfile.limits)\n"
        "    raise RuntimeError(f'{client} {client.api_key} ' + client.api_key.encode().hex())\n"
        "run.Run.go = broken\n"
        "from socialstats.cli import main\n"
        "main(['collect', sys.argv[1]])\n"
    )
    environment = {**os.environ, "OPENAI_API_KEY": KEY, "PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "RuntimeError: <openai.AsyncOpenAI object" in ended.stderr
    assert not shown(ended.stderr, KEY)
    assert not shown(ended.stderr, KEY.encode().hex())


PROXIES = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


def _through(connection: Connection) -> None:
    if connection.read():
        connection.send(response("x", body=says(ANSWER).body))


@pytest.fixture
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*PROXIES, "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.mark.usefixtures("no_proxies")
@pytest.mark.parametrize("trust", ["", "trust_env = true\n"], ids=["not trusted", "trusted"])
def test_proxies_of_the_environment_never_see_calls_to_this_machine(
    trust: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with talking(_through) as proxy, serving(lambda *_: says(ANSWER)) as server:
        for name in PROXIES:
            monkeypatch.setenv(name, f"http://me:word-0123456@127.0.0.1:{proxy.port}")
        path = write_run(tmp_path, server.url, n=2)
        path.write_text(path.read_text().replace("[limits]", f"{trust}[limits]"))
        assert collect(path) == 0
        assert (len(proxy.connections), server.seen.total()) == (0, 2)


@pytest.mark.usefixtures("no_proxies")
@pytest.mark.parametrize(
    ("setting", "calls"),
    [("", 0), ("trust_env = true", 1), ('proxy = "http://127.0.0.1:{}"', 1)],
    ids=str,
)
def test_proxies_are_used_where_the_run_file_says_so(
    setting: str, calls: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with talking(_through) as proxy:
        if "proxy =" not in setting:
            monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
            monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        path = write_run(tmp_path, "http://models.invalid/v1", n=1, patience=0.3)
        path.write_text(
            path.read_text().replace("[limits]", f"{setting.format(proxy.port)}\n[limits]")
        )
        assert collect(path) == (0 if calls else 4)
        assert len(proxy.connections) == calls


@pytest.mark.usefixtures("no_proxies")
@pytest.mark.parametrize("host", ["127.0.0.2", "0.0.0.0", "LOCALHOST"])
def test_other_names_of_this_machine(
    host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with serving(lambda *_: says(ANSWER)) as server:
        path = write_run(tmp_path, server.url.replace("127.0.0.1", host), n=1, patience=0.3)
        path.write_text(path.read_text().replace("[limits]", "trust_env = true\n[limits]"))
        assert is_here(host.lower())
        if host != "127.0.0.2":  # the server listens elsewhere
            assert collect(path) == 0


@pytest.mark.usefixtures("no_proxies")
@pytest.mark.parametrize("name", ["SSL_CERT_FILE", "SSLKEYLOGFILE"])
def test_certificates_that_are_not_there(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from pip._vendor import certifi

    monkeypatch.setenv(
        "SSL_CERT_FILE", certifi.where()
    )  # without one the other variable is not read
    monkeypatch.setenv(name, str(tmp_path / "nowhere" / "file"))
    assert collect(write_run(tmp_path, "https://127.0.0.1:9/v1")) == 2
    said = "the certificates cannot be read: No such file or directory. Correct SSL_CERT_FILE"
    assert said in capsys.readouterr().err


@pytest.mark.usefixtures("no_proxies")
def test_a_netrc_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login me password word\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    monkeypatch.delenv("OPENAI_API_KEY")
    with serving(lambda *_: says(ANSWER)) as server:
        assert collect(write_run(tmp_path, server.url, n=1)) == 0
        assert server.keys == {""}


BAD_PROXIES = {
    'proxy = "somewhere"': "endpoint.proxy is no address",
    'proxy = "ftp://x:1"': "endpoint.proxy is no address",
    'proxy = "http://x:99999"': "endpoint.proxy is no address",
    'proxy = "http://me:word-0123456@x:1"': "endpoint.proxy has a user or a password",
    'proxy = "socks5://x:1"': "the proxy cannot be used",
    "proxy = 5": "endpoint.proxy = 5 is not text",
    'trust_env = "yes"': "endpoint.trust_env = 'yes' is not true or false",
}


@pytest.mark.usefixtures("no_proxies")
@pytest.mark.parametrize("setting", BAD_PROXIES)
def test_a_proxy_that_is_none_ends_in_a_sentence(
    setting: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_run(tmp_path, "http://127.0.0.1:9/v1")
    path.write_text(path.read_text().replace("[limits]", f"{setting}\n[limits]"))
    assert collect(path) == 2
    said = capsys.readouterr().err
    assert BAD_PROXIES[setting] in said
    assert "word-0123456" not in said


def test_rot13_is_no_secret() -> None:
    """A coding that changes letters one by one is not looked for: the documents say what is."""
    remember(KEY)
    assert hide(codecs.encode(KEY, "rot13")) == codecs.encode(KEY, "rot13")


def test_replies_of_any_shape_with_keys_in_them(monkeypatch: pytest.MonkeyPatch) -> None:
    remember(KEY)
    coded = [code(KEY) for code in CODINGS.values()]
    monkeypatch.setattr(
        test_shapes, "ODD", [*coded, *([one] for one in coded), KEY[:8], KEY[8:], [*KEY], 1, None]
    )
    for seed in range(200):
        for body in test_shapes.bodies(seed):
            test_shapes.check(body, random.Random(seed).choice([200, 400, 500]))
