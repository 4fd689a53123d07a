"""Silent seconds of compiling say so: kernels are compiled once after an installation, when they are first used.

numba broadcasts what it compiles. A thread looks a few times a second whether numba is loaded and at work, so that
commands that need no kernels never load it.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

LOOK_SECONDS = 0.25
SILENT_SECONDS = 1.0
"""How long is compiled before a word is said, and between two words."""


def unwritable_cache() -> str | None:
    """The folder of compiled kernels if nothing can be stored there, so that each run compiles anew; else None."""
    numba: Any = sys.modules.get("numba")
    if numba is None:
        return None
    folder = nearest = os.path.abspath(numba.config.CACHE_DIR)
    while not os.path.exists(nearest):
        nearest = os.path.dirname(nearest)
    return None if os.access(nearest, os.W_OK | os.X_OK) else folder


class CompileWatch:
    """Tells about once a second, while kernels are compiled, how many have been, and how many there may be.

    Parameters
    ----------
    tell : callable
        Takes the number of kernels compiled so far, and of those that the run may need and that were not compiled
        before it; called from a thread of its own.
    """

    def __init__(self, tell: Callable[[int, int], None]):
        self._tell = tell
        self._is_over = threading.Event()
        self._listener: Any = None
        self._depth = 0
        self._finished: set[tuple[str, str]] = set()
        self._needed: set[tuple[str, str]] = set()

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
        since: float | None = None
        while not self._is_over.wait(LOOK_SECONDS):
            if self._listener is None and not self._listen():
                continue
            now = time.monotonic()
            if not self._depth:
                since = None
            elif since is None:
                since = now
                self._look_for_needed()
            elif now - since >= SILENT_SECONDS:
                since = now
                self._look_for_needed()
                self._tell(len(self._finished), len(self._needed))

    def _look_for_needed(self) -> None:
        from stages.runtime.reachable_kernels import kernels_to_compile

        # Python's parser counts its depth for all threads together: a total is missing once rather than the watch.
        with contextlib.suppress(SystemError):
            self._needed |= kernels_to_compile() | self._finished

    def _listen(self) -> bool:
        """Hear of every compilation, once numba is loaded."""
        events: Any = sys.modules.get("numba.core.event")
        if "stages.kernels.jit" not in sys.modules or not hasattr(events, "install_recorder"):
            return False
        watch = self

        class Listener(events.Listener):
            def on_start(self, _event: object) -> None:
                watch._depth += 1

            def on_end(self, event: Any) -> None:
                # The beginning of what was under way at first was not heard.
                watch._depth = max(0, watch._depth - 1)
                function = event.data["dispatcher"].py_func
                if function.__module__.startswith("stages."):  # numba compiles parts of its own, too
                    watch._finished.add((function.__module__, function.__name__))

        self._listener = Listener()
        events.register("numba:compile", self._listener)
        return True
