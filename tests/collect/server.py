"""A scripted OpenAI-compatible server on loopback: real sockets, answers decided by a function of the request."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(slots=True, kw_only=True)
class Send:
    """What the server sends: a status, headers and a body; or it stalls, or cuts the connection."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    cut: bool = False
    reset: bool = False


def says(content: Any, *, finish: Any = "stop", model: str = "toy-1", **message: Any) -> Send:
    """A well-formed completion."""
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": content, **message},
        "finish_reason": finish,
    }
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
    whole = {
        "id": "r",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [choice],
        "usage": usage,
    }
    return Send(body=json.dumps(whole).encode(), headers={"content-type": "application/json"})


def fails(status: int, *, code: str = "", **headers: str) -> Send:
    """An error as endpoints send it."""
    body = {"error": {"message": f"status {status}", "type": "toy", "code": code or None}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Send(
        status=status,
        body=json.dumps(body).encode(),
        headers={"content-type": "application/json", **named},
    )


Script = Callable[[dict[str, Any], int], Send]
"""From a request's body, and how often this very prompt came before, to what is sent."""


@dataclass(slots=True)
class Server:
    """A running server: its address, how often each prompt came, and when."""

    port: int
    seen: Counter[str] = field(default_factory=Counter)
    times: dict[str, list[float]] = field(default_factory=dict)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


class _Quick(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that go away in the middle are part of the tests."""


@contextlib.contextmanager
def serving(script: Script) -> Iterator[Server]:
    """Serve a script on a free port until the block ends."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, *_: Any) -> None:
            pass

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            prompt = "\n".join(message["content"] for message in body["messages"])
            with lock:
                before = server.seen[prompt]
                server.seen[prompt] += 1
                server.times.setdefault(prompt, []).append(time.monotonic())
                server.bodies.append(body)
                server.keys.add(self.headers.get("authorization", ""))
            self._answer(script(body, before))

        def _answer(self, send: Send) -> None:
            time.sleep(send.delay)
            if send.reset:
                self.connection.setsockopt(
                    socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
                )
                for one in (self.wfile, self.rfile, self.connection):
                    one.close()
                self.close_connection = True
                return
            head = [f"HTTP/1.1 {send.status} X", f"content-length: {len(send.body)}"]
            head += [f"{name}: {value}" for name, value in send.headers.items()]
            data = ("\r\n".join(head) + "\r\n\r\n").encode() + send.body
            self.wfile.write(data[: len(data) - 5] if send.cut else data)
            if send.cut:
                self.close_connection = True

    http = _Quick(("127.0.0.1", 0), Handler)
    server = Server(http.server_port)
    thread = threading.Thread(
        target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
    )
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
