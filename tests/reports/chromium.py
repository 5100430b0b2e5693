"""A headless Chromium driven through its debugging pipe: real viewports, media features and printing."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any

PROGRAM = next(
    (
        found
        for name in ("chromium", "chromium-browser", "google-chrome")
        if (found := shutil.which(name))
    ),
    "",
)
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
    "--hide-scrollbars",
)


class Chromium:
    """One page of a headless browser; use as a context manager."""

    def __enter__(self) -> Chromium:
        self.profile = tempfile.mkdtemp(prefix="socialstats-chromium-")
        from_us, self.to = os.pipe()
        self.back, to_us = os.pipe()
        shell = f'exec "$0" "$@" 3<&{from_us} 4>&{to_us}'
        self.process = subprocess.Popen(
            [
                "bash",
                "-c",
                shell,
                PROGRAM,
                *FLAGS,
                f"--user-data-dir={self.profile}",
                "about:blank",
            ],
            pass_fds=(from_us, to_us),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            close_fds=True,
        )
        os.close(from_us)
        os.close(to_us)
        self.buffer = b""
        self.count = 0
        self.session = ""
        try:
            self.attach()
        except OSError:
            self.__exit__(None, None, None)
            raise
        return self

    def attach(self) -> None:
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        self.call("Page.enable")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.terminate()
        self.process.wait(timeout=20)
        os.close(self.to)
        os.close(self.back)
        shutil.rmtree(self.profile, ignore_errors=True)

    def receive(self) -> dict[str, Any]:
        while b"\0" not in self.buffer:
            chunk = os.read(self.back, 1 << 16)
            if not chunk:
                raise OSError("Chromium closed its debugging pipe")
            self.buffer += chunk
        message, _, self.buffer = self.buffer.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise OSError(f"{method}: {answer['error']}")
                return dict(answer["result"])

    def open(self, page: Path, *, width: int = 900, height: int = 1000, dark: bool = False) -> None:
        scheme = "dark" if dark else "light"
        self.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        self.call("Page.navigate", url=page.as_uri())
        while self.receive().get("method") != "Page.loadEventFired":
            pass

    def evaluate(self, script: str) -> Any:
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True)["result"]
        return result.get("value")

    def screenshot(self, to: Path, *, full: bool = False) -> None:
        data = self.call("Page.captureScreenshot", captureBeyondViewport=full)["data"]
        to.write_bytes(base64.b64decode(data))

    def pdf(self, to: Path) -> None:
        to.write_bytes(
            base64.b64decode(
                self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"]
            )
        )
