"""SIGINT and SIGTERM: end at once, or, where a best-so-far result exists, stop the search and write it.

Outside `graceful_stop` a signal raises `Interrupted`, which unwinds the command (temporary files are removed)
and gives the exit code. Inside it the first signal only sets the event that budgets ask; the second raises.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator


class Interrupted(BaseException):
    """A signal asked us to end; like KeyboardInterrupt not an Exception, so that nobody swallows it."""

    def __init__(self, signal_number: int):
        super().__init__(signal_number)
        self.signal_number = signal_number


class StopRequest(threading.Event):
    """An event that remembers which signal set it."""

    signal_number: int | None = None

    @property
    def exit_code(self) -> int:
        """128 + signal number if a signal came, else 0."""
        return 0 if self.signal_number is None else 128 + self.signal_number


_current: StopRequest | None = None


def _on_signal(signal_number: int, _frame: object) -> None:
    if _current is None or _current.is_set():
        raise Interrupted(signal_number)
    _current.signal_number = signal_number
    _current.set()


def install_handlers() -> None:
    """Handle SIGINT and SIGTERM from now on, unless our parent had them ignored (nohup, background jobs)."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _on_signal)


@contextlib.contextmanager
def graceful_stop() -> Iterator[StopRequest]:
    """Within the block the first signal sets the yielded event instead of ending the command."""
    global _current
    _current = StopRequest()
    try:
        yield _current
    finally:
        _current = None
