"""Keys and passwords: read from the environment, sent to their endpoint, and hidden in everything that is written."""

from __future__ import annotations

import base64
import html
import ipaddress
import itertools
import json
import re
import sys
import traceback
import unicodedata
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from socialstats.errors import InputError, Problem

HIDDEN = "[hidden]"
SHORTEST = 6  # characters of a secret; a shorter word would be hidden within other words
PLACEHOLDERS = frozenset(
    {"ollama", "lm-studio", "sk-no-key-required", "not-needed", "no-key"}
)  # local servers document these
WINDOW = 12  # characters of a key that are hidden without the rest of it
SEED, STRIDE = 6, 7  # any 12 characters hold 6 that begin at a multiple of 7
LONGEST = 50_000  # characters of a text with a key in it; a longer one is hidden as a whole
ROUNDS = 4  # an escape may be escaped
ESCAPE = re.compile(
    r"[%=]([0-9a-f]{2})|\\+u0{4}00([0-9a-f]{2})|(?:\\+u|%u|U\+)([0-9a-f]{4})|\\+u\{0*([0-9a-f]{2})\}|\\+x([0-9a-f]{2})"
    r"|\\+([0-3][0-7]{2})|\\+[nrtbf]|&(?:#\d{2,7}|#x[0-9a-f]{2,6}|[a-z]{2,12});?",
    re.IGNORECASE,
)
"""Characters written as percent or quoted-printable codes, as escapes of JSON, Python or C, or as HTML entities."""
DECODERS: Mapping[Callable[[str], bytes], tuple[re.Pattern[str], int]] = {
    base64.urlsafe_b64decode: (re.compile("[A-Za-z0-9+/_-]{16,}"), 4),
    bytes.fromhex: (re.compile("[0-9A-Fa-f]{16,}"), 2),
}
"""Codings of bytes as letters: where they may stand, and how many letters belong together."""
CODINGS = 2  # what is coded may be coded again
PLAIN = re.compile(rb"[\0\t\n\r -~]{6,}")  # texts between other bytes, those in UTF-16 included
PACKED = re.compile(rb"\x1f\x8b\x08|x[\x01^\x9c\xda]")  # where gzip or zlib begin
OCTAL = 6  # the group of `ESCAPE` that is octal; all others are hexadecimal
LOWER = bytes.maketrans(bytes(range(65, 91)), bytes(range(97, 123)))
WORD = bytes(
    set(range(256)) - set(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
)
LOOSE = bytes({*range(33), *range(127, 256), *b"\"'`,\\"})
UNPRINTABLE = re.compile(
    r"[\x00-\x20\x7f\\]"
)  # characters that no address has, and that clients read differently
SENSITIVE = re.compile(
    r"key|token|secret|sig|auth|pass|pwd|cred|code", re.IGNORECASE
)  # parameters of an address


@dataclass(frozen=True, slots=True)
class _Decoding:
    """A text as somebody could read it, and where its characters stand in the text that is to be hidden.

    Attributes
    ----------
    text
        The characters.
    origin
        The text in which there were escapes; None where this is the text that is to be hidden.
    starts, places
        Where pieces begin, and where they began in the origin: what an escape stands for, and what follows it.
    """

    text: str
    origin: _Decoding | None = None
    starts: Sequence[int] = ()
    places: Sequence[int] = ()

    def place(self, k: int) -> int:
        """Return where a character stands in the text that is to be hidden."""
        if self.origin is None:
            return k
        piece = bisect_right(self.starts, k) - 1
        return self.origin.place(self.places[piece] + k - self.starts[piece])

    def unescaped(self) -> _Decoding:
        """Return the text with its escapes read once."""
        pieces: list[str] = []
        starts, places = [0], [0]
        length = past = 0
        for escape in ESCAPE.finditer(self.text):
            start, end = escape.span()
            signs = _character(escape)
            pieces += [self.text[past:start], signs]
            length += start - past
            starts += [length, length + len(signs)]
            places += [start, end]
            length += len(signs)
            past = end
        return _Decoding("".join([*pieces, self.text[past:]]), self, starts, places)

    def decoded(self) -> Iterator[tuple[int, int, str]]:
        """Yield start and end of what may be base64 or hexadecimal, and the texts in it, packed or not."""
        for decode, (pattern, group) in DECODERS.items():
            for run, start in itertools.product(pattern.finditer(self.text), range(group)):
                part = run[0][start:]
                data = decode(part[: len(part) // group * group])
                texts = [
                    text for block in (data, *_unpacked(data)) for text in PLAIN.findall(block)
                ]
                yield *run.span(), b"\n".join(texts).decode()

    def secrets(self, codings: int = CODINGS) -> Iterator[tuple[int, int]]:
        """Yield where secrets begin and end in the text that is to be hidden, also under so many codings."""
        reading = self
        for _ in range(ROUNDS + 1):
            spans = [span for needles in (_LOOSE, _WORD) for span in needles.spans(reading.text)]
            spans += [
                (start, end)
                for start, end, text in (reading.decoded() if codings else ())
                if _holds(text, codings - 1)
            ]
            for start, end in spans:
                yield reading.place(start), reading.place(end)
            following = reading.unescaped()
            if following.text == reading.text:
                return
            reading = following


@dataclass(slots=True)
class _Needles:
    """What is looked for in texts of which some bytes are dropped: any 12 characters of a secret, or a short one whole.

    Attributes
    ----------
    dropped
        Bytes that may stand between the characters of a secret.
    words
        Secrets, or codings of one, of fewer than 12 characters.
    windows, seeds
        Any 12 characters in a row of the others, and any 6.
    """

    dropped: bytes
    words: set[bytes] = field(default_factory=set)
    windows: set[bytes] = field(default_factory=set)
    seeds: set[bytes] = field(default_factory=set)

    def add(self, secret: str) -> None:
        """Look for a secret from now on."""
        text = self.bare(secret)
        if len(text) >= WINDOW:
            self.windows.update(text[k : k + WINDOW] for k in range(len(text) - WINDOW + 1))
            self.seeds.update(text[k : k + SEED] for k in range(len(text) - SEED + 1))
        elif len(text) >= SHORTEST:
            self.words.add(text)

    def bare(self, text: str) -> bytes:
        """Return a text in lower case without the bytes that are dropped."""
        plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
        return plain.encode("utf-8", "surrogatepass").translate(LOWER, self.dropped)

    def within(self, bare: bytes) -> bool:
        """Return whether a bare text holds a secret; any window has a seed at a multiple of the stride."""
        if any(word in bare for word in self.words):
            return True
        places = range(0, len(bare) - SEED + 1, STRIDE)
        near = (k for k in places if bare[k : k + SEED] in self.seeds)
        starts = (start for k in near for start in range(max(0, k - WINDOW + SEED), k + 1))
        return any(bare[start : start + WINDOW] in self.windows for start in starts)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where secrets begin and end in a text; they may overlap."""
        if not self.within(self.bare(text)):
            return
        places = [(byte, k) for k, sign in enumerate(text) for byte in self.bare(sign)]
        bare = bytes(byte for byte, _ in places)
        whole_words = [(len(word), {word}) for word in self.words]
        for length, words in [(WINDOW, self.windows), *whole_words]:
            for k in range(len(bare) - length + 1):
                if bare[k : k + length] in words:
                    yield places[k][1], places[k + length - 1][1] + 1


_LOOSE, _WORD = _Needles(LOOSE), _Needles(WORD)


def remember(*secrets: str) -> None:
    """Hide these texts, and any 12 characters of them, in everything that `hide` sees from now on.

    They are hidden in any case, reversed, with blanks, quotes or line breaks between their characters, escaped, and in
    base64, base32, hexadecimal or decimal codes. A secret of 12 letters and digits may have any signs between them.
    """
    for secret in {*secrets, *map(unquote, secrets)}:
        if len(secret) < SHORTEST or secret.lower() in PLACEHOLDERS:
            continue
        for form in (secret, secret[::-1]):
            _LOOSE.add(form)
            if len(_WORD.bare(form)) >= WINDOW:
                _WORD.add(form)
        for coding in _codings(secret.encode("utf-8", "surrogatepass")):
            _WORD.add(coding)


def _codings(secret: bytes) -> Iterator[str]:
    """Yield the codings of a secret, of those in base64 and base32 what no neighbouring byte changes."""
    yield secret.hex()
    yield "".join(f"0x{byte:02x}" for byte in secret)
    yield "".join(map(str, secret))
    for encode, bits, group in ((base64.b64encode, 6, 3), (base64.b32encode, 5, 5)):
        for before in range(group):
            coded = encode(bytes(before) + secret).decode().rstrip("=")
            first, last = -(-8 * before // bits), 8 * (before + len(secret)) // bits
            yield coded[first:last]


def hide(value: Any) -> Any:
    """Return a text, or a JSON value with all texts in it, without any key or password.

    Examples
    --------
    >>> remember("sk-example-0000")
    >>> hide({"error_message": "bad key sk-example-0000"})
    {'error_message': 'bad key [hidden]'}
    >>> hide("bad key s k - e x a m p l e - 0 0 0 0, or c2stZXhhbXBsZS0wMDAw, or %73k-%65xample%2D0000")
    'bad key [hidden], or [hidden], or [hidden]'
    """
    if isinstance(value, str):
        return _hidden(value)
    if not isinstance(value, dict | list | tuple) or not _holds(_dumped(value)):
        return value
    if isinstance(value, dict):
        hidden: Any = {hide(name): hide(inner) for name, inner in value.items()}
    else:
        hidden = [hide(inner) for inner in value]
    text = _dumped(hidden)
    try:
        return json.loads(_hidden(text)) if _holds(text) else hidden  # a secret in pieces
    except ValueError:  # that reached over brackets
        return HIDDEN


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _holds(text: str, codings: int = CODINGS) -> bool:
    """Return whether a text holds a secret."""
    return len(text) >= SHORTEST and any(True for _ in _Decoding(text).secrets(codings))


def _hidden(text: str) -> str:
    """Return a text with what is secret in it replaced, where it stands; a very long one is hidden as a whole."""
    if len(text) > LONGEST:
        return HIDDEN if _holds(text) else text
    pieces: list[str] = []
    past = 0
    for start, end in sorted(_Decoding(text).secrets()):
        # spans that overlap or touch are one
        if start > past or not pieces:
            pieces += [text[past:start], HIDDEN]
        past = max(past, end)
    return "".join([*pieces, text[past:]]) if pieces else text


def _unpacked(data: bytes) -> Iterator[bytes]:
    """Yield the first of what gzip or zlib packed within some bytes."""
    for start in PACKED.finditer(data):
        with suppress(zlib.error):
            block = data[start.start() : start.start() + LONGEST]
            yield zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(block, LONGEST)


def _character(escape: re.Match[str]) -> str:
    """Return what an escape stands for."""
    if escape[0][0] == "&":
        return html.unescape(escape[0])
    if escape.lastindex is None:
        return " "  # a line break or a tabulator
    return chr(int(escape[escape.lastindex], 8 if escape.lastindex == OCTAL else 16))


def print_hidden(
    kind: type[BaseException], error: BaseException, place: TracebackType | None
) -> None:
    """Print an unforeseen exception as Python does, without keys; for `sys.excepthook`."""
    sys.stderr.write(hide("".join(traceback.format_exception(kind, error, place))))


def cleaned(key: str, name: str) -> str:
    """Return a key without the blanks and line breaks around it.

    Raises
    ------
    InputError
        For a character that no header can hold; the key itself is not said.
    """
    key = key.strip().removeprefix("Bearer ").strip()
    remember(key, *key.split())
    if bad := [place for place, sign in enumerate(key, 1) if not "!" <= sign <= "~"]:
        message = f"character {bad[0]} of the {len(key)} in {name} cannot stand in a key"
        raise InputError(Problem(message=message, fix=f"Export {name} again, with the key alone."))
    return key


def is_here(host: str | None) -> bool:
    """Return whether a host is this machine.

    Examples
    --------
    >>> is_here("localhost"), is_here("127.0.0.2"), is_here("::1"), is_here("0.0.0.0"), is_here("example.org")
    (True, True, True, True, False)
    """
    try:
        address = ipaddress.ip_address(host or "")
    except ValueError:
        return f".{host}".rstrip(".").endswith(".localhost")
    address = getattr(address, "ipv4_mapped", None) or address
    return address.is_loopback or address.is_unspecified


def host_of(url: str) -> str:
    """Return an address's host and port, without what is secret in it: that is remembered.

    Raises
    ------
    InputError
        For an address that is none.

    Examples
    --------
    >>> host_of("http://me:word@127.0.0.1:8080/v1")
    '127.0.0.1:8080'
    """
    parts = address_parts(url, "http", "https")
    if parts is None:
        fix = 'Write it as "https://api.example.org/v1"; a port is at most 65535.'
        raise InputError(Problem(message="base_url is no address", fix=fix))
    remember(
        parts.password or "",
        *(value for name, value in parse_qsl(parts.query) if SENSITIVE.search(name)),
    )
    return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)


def address_parts(address: str, *schemes: str) -> SplitResult | None:
    """Return the parts of an address of some schemes; None where it is none.

    Examples
    --------
    >>> address_parts("ftp://example.org", "http", "https"), address_parts("http://a b/", "http")
    (None, None)
    """
    try:
        parts = urlsplit(address)
        valid = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return parts if valid and not UNPRINTABLE.search(address) else None
