"""SIGINT, SIGTERM and SIGHUP: the first during a search asks it to stop, any other ends the command, or the call.

Within `graceful_stop` the first signal sets the event that budgets check, and the search returns its best result so
far. Elsewhere a signal ends the process of a command at once, after its temporary files are removed, and a call from
Python with `KeyboardInterrupt`; so does the second signal of a search.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stages.runtime.budgets import Stop


class StopRequest(threading.Event):
    """An event that remembers which signal set it."""

    signal_number: int | None = None

    def __reduce__(self) -> tuple[type[Stop], tuple[()]]:
        from stages.runtime.budgets import Stop

        return Stop, ()

    @property
    def exit_code(self) -> int:
        """128 + signal number if a signal arrived, else 0."""
        return 0 if self.signal_number is None else 128 + self.signal_number


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _State(threading.local):
    """What the command of this thread does; signals arrive in the main thread only."""

    current: StopRequest | None = None  # the request of the innermost `graceful_stop`
    lost = ""


_state = _State()


def explain_interruption(lost: str) -> None:
    """Set the message for a signal that ends the command before its search has begun."""
    _state.lost = lost


def _is_request(signal_number: int) -> bool:
    """Whether a signal asked the search to stop: the first one, while there is a search."""
    request = _state.current
    # Not `is_set`: a second signal may arrive while `set` holds the event's lock, and must not wait for it.
    if request is None or request.signal_number is not None:
        return False
    request.signal_number = signal_number
    request.set()
    return True


def _why() -> str:
    """What is said about an interruption without a result."""
    if _state.current is not None:
        return "interrupted twice: the result so far is not written"
    return f"interrupted: {_state.lost}" if _state.lost else "interrupted"


def install_handlers(leave: Callable[[str], None]) -> None:
    """Handle signals as a command does from now on, unless the parent process ignores them (nohup, background jobs).

    `leave` is called before the process ends; it says why there is no result, and removes what must not stay.
    """

    def handle(signal_number: int, _frame: object) -> None:
        if _is_request(signal_number):
            return
        leave(_why())
        os._exit(128 + signal_number)

    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handle)


@contextlib.contextmanager
def interrupts_handled() -> Iterator[None]:
    """Handle SIGINT as calls from Python do within the block, and as before after it.

    Only in the main thread, the only one to get signals, and only where Python's own handler would raise
    KeyboardInterrupt.
    """
    _state.lost = ""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return

    def handle(signal_number: int, _frame: object) -> None:
        if not _is_request(signal_number):
            raise KeyboardInterrupt(_why())

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextlib.contextmanager
def graceful_stop() -> Iterator[StopRequest]:
    """Within the block the first signal sets the yielded event.

    A stage that has no result yet then ends as outside the block.
    """
    from stages.runtime.errors import NothingFoundError

    _state.current = request = StopRequest()
    try:
        yield request
    except NothingFoundError:
        number = request.signal_number
        handle = None if number is None else signal.getsignal(number)
        _state.current = None
        if number is not None and callable(handle):
            handle(number, None)  # which ends, as outside a search
        raise
    finally:
        _state.current = None
