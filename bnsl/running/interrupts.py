"""SIGINT, SIGTERM and SIGHUP: they end the command, or, within `graceful_stop`, stop its search.

Outside `graceful_stop` a signal raises `Interrupted`, which unwinds the command (temporary files are removed) and
gives the exit code. Within it the first signal only sets the event that budgets check, and the search returns its
best result so far. The second signal raises, and so does one that arrives while kernels are compiled, since there is
no result yet.

A terminal sends its signals to all commands of a pipe. While a command waits for the one before it
(`read_patiently`), the first of these signals is only remembered: the writer ends its output, and the command works
on this output.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stages.runtime.budgets import Stop


class Interrupted(BaseException):
    """A signal asked the command to end; like KeyboardInterrupt not an Exception, so that no handler swallows it.

    `lost`: the missing results, and what to do about them.
    """

    def __init__(self, signal_number: int, lost: str = ""):
        super().__init__(signal_number)
        self.signal_number = signal_number
        self.lost = lost

    def __str__(self) -> str:
        return f"interrupted: {self.lost}" if self.lost else "interrupted"


def interruption_behind(error: BaseException | None) -> Interrupted | None:
    """The `Interrupted` among the causes of an error, if there is one.

    Python before 3.12 raises a `RuntimeError` for any exception while a class is built, and other packages may answer
    an interruption with errors of their own.
    """
    while error is not None and not isinstance(error, Interrupted):
        error = error.__cause__ or error.__context__
    return error


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
FROM_TERMINAL = (signal.SIGINT, signal.SIGHUP)
"""Signals that a terminal sends to every command of a pipe."""
PATIENCE = 10.0
"""Seconds of a search whose input comes from an interrupted command."""
RESEND_SECONDS = 0.01
"""Delay after which a signal that Python dropped is handled again."""


class _State(threading.local):
    """What the command of this thread does; signals arrive in the main thread only."""

    current: StopRequest | None = None  # the request of the innermost `graceful_stop`
    lost = ""
    patient = False
    remembered: int | None = None  # signal that arrived while the command waited for its input
    deferred: int | None = None  # signal to be handled again: after the section that defers signals, or by the alarm
    defers = False


_state = _State()


def remembered_signal() -> int | None:
    """The signal that arrived while the command waited for the one before it, if any."""
    return _state.remembered


def explain_interruption(lost: str) -> None:
    """Set the message for a signal that ends the command before its search has begun."""
    _state.lost = lost


@contextlib.contextmanager
def read_patiently() -> Iterator[None]:
    """Within the block the first signal of a terminal waits until standard input, if it is a pipe, has ended."""
    _state.patient, _state.remembered = True, None
    try:
        yield
    finally:
        _state.patient = False


@contextlib.contextmanager
def deferred_signals() -> Iterator[None]:
    """Within the block signals are recorded, and the last is handled at its end."""
    _state.defers = True
    try:
        yield
    finally:
        _state.defers = False
        _handle_deferred()


def _waits_for_writer() -> bool:
    """Whether standard input is a pipe that has a writer, or unread data."""
    try:
        if not stat.S_ISFIFO(os.fstat(0).st_mode):
            return False
        poll = select.poll()
        poll.register(0, select.POLLIN | select.POLLHUP)
        events = dict(poll.poll(0)).get(0, 0)
    except OSError:
        return False
    # A pipe whose writers are gone reports a hang-up; its last data may still be unread.
    return bool(events & select.POLLIN) or not events & select.POLLHUP


def _on_signal(signal_number: int, _frame: object = None) -> None:
    # A deferred signal is handled soon: another one takes its place, since an exception raised meanwhile would be
    # dropped.
    if _state.defers or _state.deferred is not None:
        _state.deferred = signal_number
        return
    waits = _state.patient and _state.current is None and _state.remembered is None
    if waits and signal_number in FROM_TERMINAL and _waits_for_writer():
        _state.remembered = signal_number
        return
    if _state.current is None or _compiles_first():
        raise Interrupted(signal_number, _state.lost)
    # Not `is_set`: a second signal may arrive while `set` holds the event's lock, and must not wait for it.
    if _state.current.signal_number is not None:
        raise Interrupted(signal_number)
    _state.current.signal_number = signal_number
    _state.current.set()


def _compiles_first() -> bool:
    """Whether the search waits for its kernels."""
    warm_up: Any = sys.modules.get("stages.runtime.warm_up")
    return warm_up is not None and warm_up.is_compiling()


def install_handlers() -> None:
    """Handle signals from now on, unless the parent process ignores them (nohup, background jobs)."""
    _install(_on_signal)
    signal.signal(signal.SIGALRM, _handle_deferred)
    sys.unraisablehook = _resend


def _resend(unraisable: Any) -> None:
    """Handle a signal again that arrived in a finaliser, where Python drops exceptions."""
    error = unraisable.exc_value
    if not isinstance(error, Interrupted):
        sys.__unraisablehook__(unraisable)
        return
    _state.deferred = error.signal_number
    signal.setitimer(signal.ITIMER_REAL, RESEND_SECONDS)


def _handle_deferred(*_: object) -> None:
    # Cleared first: `_on_signal` would defer it again.
    number, _state.deferred = _state.deferred, None
    if number is not None:
        _on_signal(number)


@contextlib.contextmanager
def interrupts_handled() -> Iterator[None]:
    """Handle SIGINT as a command does within the block, and as before after it.

    Only in the main thread, the only one to get signals, and only where Python's own handler would raise
    KeyboardInterrupt.
    """
    _state.lost = ""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, _on_signal)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def install_early_handlers() -> None:
    """Until `install_handlers`, a signal ends the process silently: there is nothing to remove yet."""
    _install(lambda signal_number, _frame: os._exit(128 + signal_number))


def _install(handler: Callable[[int, object], None]) -> None:
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


@contextlib.contextmanager
def graceful_stop() -> Iterator[StopRequest]:
    """Within the block the first signal sets the yielded event instead of ending the command.

    A stage that has no result yet then ends the command as outside the block.
    """
    from stages.runtime.errors import NothingFoundError

    _state.current = request = StopRequest()
    try:
        yield request
    except NothingFoundError as error:
        if request.signal_number is None:
            raise
        raise Interrupted(request.signal_number, _state.lost) from error
    finally:
        _state.current = None
