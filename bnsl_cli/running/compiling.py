"""Progress of compilation: kernels are compiled when they are first used, once after an installation.

numba announces each compilation. A thread looks a few times a second whether numba is loaded and compiling, so
commands that need no kernels never load it.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Any

LOOK_SECONDS = 0.25
SILENT_SECONDS = 1.0
"""Seconds of compilation before the first report, and between two reports."""


class CompileWatch:
    """Reports about once a second, while kernels are compiled, how many have been and how long this took.

    `report`: takes the number of kernels compiled so far and the seconds of compilation; called from a thread of its
    own.
    """

    def __init__(self, report: Callable[[int, float], None]):
        self._report = report
        self._is_over = threading.Event()
        self._listener: Any = None
        self._depth = 0
        self._begun = 0.0
        self._seconds = 0.0
        self._finished: set[tuple[str, str]] = set()

    def start(self) -> None:
        """Watch from now on."""
        threading.Thread(target=self._watch, name="bnsl-compiling", daemon=True).start()

    def close(self) -> None:
        """Watch no longer."""
        self._is_over.set()
        if self._listener is not None:
            sys.modules["numba.core.event"].unregister("numba:compile", self._listener)
            self._listener = None

    def _watch(self) -> None:
        reported = 0.0
        while not self._is_over.wait(LOOK_SECONDS):
            if self._listener is None and not self._listen():
                continue
            if self._depth:
                seconds = self._seconds + time.monotonic() - self._begun
                if seconds - reported >= SILENT_SECONDS:
                    reported = seconds
                    self._report(len(self._finished), seconds)

    def _listen(self) -> bool:
        """Receive numba's events, once it is loaded."""
        events: Any = sys.modules.get("numba.core.event")
        if "stages.kernels.jit" not in sys.modules or not hasattr(events, "install_recorder"):
            return False
        watch = self

        class Listener(events.Listener):
            def on_start(self, _event: object) -> None:
                if not watch._depth:
                    watch._begun = time.monotonic()
                # Compilations are nested: a kernel that is called is compiled while its caller is. Only the outermost
                # is timed.
                watch._depth += 1

            def on_end(self, event: Any) -> None:
                if watch._depth:  # else it started before the listener was registered
                    watch._depth -= 1
                    if not watch._depth:
                        watch._seconds += time.monotonic() - watch._begun
                function = event.data["dispatcher"].py_func
                if function.__module__.startswith("stages."):  # numba compiles functions of its own, too
                    watch._finished.add((function.__module__, function.__name__))

        self._listener = Listener()
        events.register("numba:compile", self._listener)
        return True
