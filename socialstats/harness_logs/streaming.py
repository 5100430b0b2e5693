"""JSON read piece by piece, so that a large log never has to fit in memory as a whole."""

from __future__ import annotations

import codecs
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import IO, Any

from socialstats.errors import InputError, Problem
from socialstats.tables.limits import check_limit, depth_of, exceeded, limit

CHUNK = 1 << 22
SLACK = 16
NAN_FIX = "Write null, or leave the row out, and say so"
SPLIT = "Split the log, or convert it with its own harness first"
NOT_UTF8 = "Save the file as UTF-8, or copy it again if it was damaged"
JSON_FIX = "The file may be cut off: copy it again, or name another one"


class Spelled(float):
    """A number that remembers how it was written in its file: the last digit says how far it was rounded.

    Examples
    --------
    >>> Spelled("0.750"), Spelled("0.750").text
    (0.75, '0.750')
    """

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


# What is kept: all (None), some members of an object, or what a function makes of each element of a list. The member
# * stands for every other one
Shape = dict[str, Any] | list[Callable[[Any], Any]] | None


class JsonStream:
    """A cursor in a JSON text that is read as it is needed.

    Parameters
    ----------
    data
        UTF-8: bytes, or a binary stream of them.
    place
        Where the text is, for messages; the line is counted from its first line.
    start
        Byte offset of the stream's first byte in its file.
    nan
        Whether NaN and Infinity are allowed.

    Examples
    --------
    >>> stream = JsonStream(b'{"a": 1, "rows": [{"x": 2}, {"x": 3}]}', Problem(message="", source="f"))
    >>> [(key, list(stream.elements()) if key == "rows" else stream.value()) for key in stream.members()]
    [('a', 1), ('rows', [{'x': 2}, {'x': 3}])]
    """

    def __init__(
        self, data: bytes | IO[bytes], place: Problem, start: int = 0, *, nan: bool = False
    ) -> None:
        self._raw = io.BytesIO(data) if isinstance(data, bytes) else data
        self._place, self._offset = place, start
        self._bytes = codecs.getincrementaldecoder("utf-8")()
        self._text, self._at, self._ended = "", 0, False
        self._line = place.lines[0] if place.lines else 1
        self._decoder = json.JSONDecoder(
            parse_float=Spelled,
            parse_constant=None if nan else self._constant,
            object_pairs_hook=self._once,
        )
        if self.peek() == "\ufeff":
            self._at += 1

    def whole(self, shape: Shape = None) -> Any:
        """Return what a shape keeps of the one value there is; anything after it is an error."""
        holder: dict[str, Any] = {}
        self.keep(shape, holder, "")
        if self.peek():
            raise self.broken("there is text after the end of the JSON value")
        return holder[""]

    def members(self) -> Iterator[str]:
        """Yield the keys of an object; before the next one its value must be read, by `value` or `elements`."""
        for _ in self._items("{", "}"):
            key = self.value()
            if not isinstance(key, str):
                raise self.broken("a key that is no text")
            self._take(":")
            yield key

    def elements(self) -> Iterator[Any]:
        """Yield the elements of a list."""
        for _ in self._items("[", "]"):
            yield self.value()

    def _items(self, opening: str, closing: str) -> Iterator[None]:
        """Stop before each item of an object or a list, and take the commas between them."""
        self._take(opening)
        if self.peek() != closing:
            yield
            while self.peek() != closing:
                self._take(",")
                yield
        self._at += 1

    def keep(self, shape: Shape, holder: dict[str, Any], key: str) -> None:
        """Store what a shape keeps of the next value, member by member: what was read stays if it breaks."""
        holder[key] = None
        if isinstance(shape, list) and self.peek() == "[":
            holder[key] = [shape[0](element) for element in self.elements()]
        elif not isinstance(shape, dict) or self.peek() != "{":
            holder[key] = self.value()
        else:
            members = holder[key] = {}
            for name in self.members():
                if name in shape or "*" in shape:
                    self.keep(shape.get(name, shape.get("*")), members, name)
                else:
                    self.value()

    def _once(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) < len(pairs):
            twice = next(
                name
                for k, (name, _) in enumerate(pairs)
                if any(name == earlier for earlier, _ in pairs[:k])
            )
            raise self.broken(
                f"the key '{twice}' occurs twice in one object", fix="Keep one of the two."
            )
        return members

    def _constant(self, name: str) -> float:
        raise self.broken(f"{name} is no JSON number, and this format has none", fix=NAN_FIX)

    def peek(self) -> str:
        """Return the next character that is no white space, or nothing at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in " \t\r\n":
                self._at += 1
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def _take(self, character: str) -> None:
        present = self.peek()
        if present != character:
            raise self.broken(
                f"{character!r} is expected, {present!r} found"
                if present
                else "the text ends too early"
            )
        self._at += 1

    def value(self) -> Any:
        """Return the next value."""
        if not self.peek():
            raise self.broken("the text ends too early")
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                cut_off = (
                    error.msg.startswith("Unterminated") or error.pos >= len(self._text) - SLACK
                )
                if not cut_off or not self._more():
                    self._at = min(error.pos, len(self._text))
                    raise self.broken(f"not JSON ({error.msg.lower()})") from error
            except InputError:
                raise
            except RecursionError as error:
                raise self._too_deep() from error
            except ValueError as error:
                raise self.broken(
                    f"a number that cannot be read ({str(error).split(';')[0].lower()})"
                ) from error
            else:
                closed = isinstance(value, (str, dict, list)) or end < len(self._text) - SLACK
                if closed or self._ended:
                    if depth_of(value) > limit("depth"):
                        raise self._too_deep()
                    self._at = end
                    return value
                self._more()  # a number may go on

    def _too_deep(self) -> InputError:
        line = self._line + self._text.count("\n", 0, self._at)
        return exceeded("depth", self._place.source, line=line)

    def _more(self) -> bool:
        """Read on, at least doubling what is held, and forget what was read."""
        if self._ended:
            return False
        self._line += self._text.count("\n", 0, self._at)
        self._text, self._at = self._text[self._at :], 0
        check_limit("length", len(self._text), self._place.source, fix=SPLIT)
        block = self._raw.read(max(CHUNK, len(self._text)))
        self._ended = not block
        self._text += self._decode(block)
        return not self._ended

    def _decode(self, block: bytes) -> str:
        pending = len(self._bytes.getstate()[0])
        try:
            text = self._bytes.decode(block, final=not block)
        except UnicodeDecodeError as error:
            place = self._offset - pending + error.start
            message = f"byte 0x{error.object[error.start]:02x} at offset {place:,} is not UTF-8"
            self._text += error.object[: error.start].decode()
            self._at = len(self._text)
            raise self.broken(message, fix=NOT_UTF8) from error
        self._offset += len(block)
        return text

    def broken(self, message: str, fix: str = "") -> InputError:
        """Make an error at this place."""
        line = self._line + self._text.count("\n", 0, self._at)
        fixed = fix or self._place.fix or JSON_FIX
        return InputError(replace(self._place, message=message, lines=(line,), fix=fixed))
