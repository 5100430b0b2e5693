"""A server of raw bytes on loopback: what it sends, when, and how often is up to the test."""

from __future__ import annotations

import contextlib
import json
import re
import select
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tests.collect.server import says

Talk = Callable[["Connection"], None]
"""What happens on one connection; it is closed afterwards."""


def answer_to(item: str) -> str:
    """The content with which an item is answered: it names the item."""
    return '{"Answer": "A"} to ' + item


def response(
    item: str, *, head: str = "", status: str = "200 OK", body: bytes | None = None
) -> bytes:
    """A whole response that answers an item."""
    body = says(answer_to(item)).body if body is None else body
    lines = [
        f"HTTP/1.1 {status}",
        "content-type: application/json",
        head or f"content-length: {len(body)}",
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


@dataclass(slots=True)
class Connection:
    """One connection: its number, the items asked about on it, and the head of the last request."""

    socket: socket.socket
    number: int
    items: list[str] = field(default_factory=list)
    head: bytes = b""
    _rest: bytes = b""

    def read(self) -> str | None:
        """Read a request and return the item that it asks about; None where the client has closed the connection."""
        while (head := self._rest.find(b"\r\n\r\n")) < 0:
            if not self._more():
                return None
        length = int(
            (re.search(rb"(?i)content-length: (\d+)", self._rest[:head]) or [b"", b"0"])[1]
        )
        while len(self._rest) < head + 4 + length:
            if not self._more():
                return None
        self.head = self._rest[:head]
        body, self._rest = self._rest[head + 4 : head + 4 + length], self._rest[head + 4 + length :]
        item = "s" + str(json.loads(body)["messages"][-1]["content"]).split()[1]
        self.items.append(item)
        return item

    def _more(self) -> bool:
        data = self.socket.recv(65536)
        self._rest += data
        return bool(data)

    @property
    def asked(self) -> bool:
        """Whether a request has begun to arrive."""
        return bool(select.select([self.socket], [], [], 0)[0])

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)


@dataclass(slots=True)
class RawServer:
    """A running server: its port, and its connections."""

    port: int
    connections: list[Connection] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


@contextlib.contextmanager
def talking(talk: Talk) -> Iterator[RawServer]:
    """Serve connections on a free port until the block ends."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    server = RawServer(listener.getsockname()[1])

    def serve(connection: Connection) -> None:
        with contextlib.suppress(OSError), connection.socket:
            talk(connection)

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection = Connection(listener.accept()[0], len(server.connections))
                server.connections.append(connection)
                threading.Thread(target=serve, args=(connection,), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()
