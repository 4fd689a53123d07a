"""Headless Chromium, driven over a pipe by its debugging protocol; no package is needed."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe"),
)
BEGIN = "import os, sys; [os.dup2(int(sys.argv[i]), i + 2) for i in (1, 2)]; os.execv(sys.argv[3], sys.argv[3:])"
"""Begins a program whose descriptors 3 and 4 are the ends of pipes: its first two arguments."""
KEYS = {"Tab": 9, "Enter": 13, "Escape": 27}
SPOKEN = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")


class Chromium:
    """A browser with one page; `said` are the messages on its console and its errors, as JSON."""

    def __init__(self, profile: Path):
        assert CHROMIUM is not None
        (taken, sent), (received, given) = os.pipe(), os.pipe()
        orders, answers = (fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (taken, given))
        begun = [sys.executable, "-c", BEGIN, str(orders), str(answers), CHROMIUM, *FLAGS]
        self.process = subprocess.Popen(
            [*begun, f"--user-data-dir={profile}"], stderr=subprocess.DEVNULL, pass_fds=(orders, answers)
        )
        for end in (taken, given, orders, answers):
            os.close(end)
        self.sent, self.received = os.fdopen(sent, "wb", 0), os.fdopen(received, "rb")
        self.numbers, self.session, self.said = count(1), "", list[str]()
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Page"):
            self.ask(f"{domain}.enable")

    def __enter__(self) -> Chromium:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.process.terminate()
        self.process.wait()
        self.sent.close()
        self.received.close()

    def open(self, address: str, width: int = 1400, height: int = 900, scheme: str = "light") -> None:
        """Show a page in a window of this size."""
        self.said.clear()
        self.ask("Page.navigate", url="about:blank")
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.ask("Page.navigate", url=address)
        self.run("new Promise(done => document.readyState === 'complete' ? done() : addEventListener('load', done))")
        self.wait()

    def ask(self, method: str, **values: Any) -> dict[str, Any]:
        """The answer to a command of the protocol; what the page says meanwhile is kept."""
        number = next(self.numbers)
        request = {"id": number, "method": method, "params": values}
        if self.session:
            request["sessionId"] = self.session
        self.sent.write(json.dumps(request).encode() + b"\0")
        while True:
            message = self._message()
            if message.get("method") in SPOKEN:
                self.said.append(json.dumps(message["params"]))
            if message.get("id") == number:
                assert "error" not in message, message
                return message["result"]

    def _message(self) -> dict[str, Any]:
        read = bytearray()
        while (byte := self.received.read(1)) != b"\0":
            assert byte, "Chromium ended"
            read += byte
        return json.loads(read)

    def run(self, script: str) -> Any:
        """The value of an expression in the page, awaited."""
        found = self.ask("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait(self) -> None:
        """Wait until the page has painted what is due."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def press(self, *keys: str) -> None:
        """Press keys one after another."""
        for key in keys:
            held = {"key": key, "windowsVirtualKeyCode": KEYS.get(key, ord(key[0].upper()))}
            text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
            self.ask("Input.dispatchKeyEvent", type="keyDown", text=text, **held)
            self.ask("Input.dispatchKeyEvent", type="keyUp", **held)
        self.wait()

    def point(self, x: float, y: float, *kinds: str) -> None:
        """Move the pointer to a place, and do this there: mousePressed, mouseReleased."""
        for kind in ("mouseMoved", *kinds):
            button = "none" if kind == "mouseMoved" else "left"
            self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, clickCount=len(kinds) // 2)
        self.wait()
