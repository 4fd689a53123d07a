"""SIGINT, SIGTERM and SIGHUP: end at once, or, where a best-so-far result exists, stop the search and write it.

Outside `graceful_stop` a signal raises `Interrupted`, which unwinds the command (temporary files are removed)
and gives the exit code. Inside it the first signal only sets the event that budgets ask; the second raises, and so
does one that comes before the search has begun, while its kernels are compiled.

A terminal sends its signals to all commands of a pipe. While a command waits for the one before it
(`read_patiently`), the first of them is therefore only remembered: the writer hands over what it has, and the
command goes on with that.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import stat
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from importlib.machinery import ExtensionFileLoader
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from stages.runtime.budgets import StopSignal


class Interrupted(BaseException):
    """A signal asked us to end; like KeyboardInterrupt not an Exception, so that nobody swallows it.

    Parameters
    ----------
    signal_number : int
    lost : str
        What there is not because of it, and what to do.
    """

    def __init__(self, signal_number: int, lost: str = ""):
        super().__init__(signal_number)
        self.signal_number = signal_number
        self.lost = lost

    def __str__(self) -> str:
        return f"interrupted: {self.lost}" if self.lost else "interrupted"


def interruption_behind(error: BaseException | None) -> Interrupted | None:
    """The signal that an error hides, if one does.

    Python before 3.12 makes a `RuntimeError` of whatever is raised while a class is being built, and other
    packages may answer an interruption with errors of their own.
    """
    while error is not None and not isinstance(error, Interrupted):
        error = error.__cause__ or error.__context__
    return error


class StopRequest(threading.Event):
    """An event that remembers which signal set it."""

    signal_number: int | None = None

    def __reduce__(self) -> tuple[Callable[[], StopSignal], tuple[()]]:
        from stages.runtime.budgets import arriving_stop

        return arriving_stop, ()

    @property
    def exit_code(self) -> int:
        """128 + signal number if a signal came, else 0."""
        return 0 if self.signal_number is None else 128 + self.signal_number


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
FROM_TERMINAL = (signal.SIGINT, signal.SIGHUP)
"""Signals that a terminal sends to every command of a pipe."""
PATIENCE = 10.0
"""Seconds that a search may take when its input was handed over by an interrupted command."""

AGAIN_SECONDS = 0.01
"""How soon a signal that Python dropped comes again."""

_LOADING = (ExtensionFileLoader.create_module.__code__, ExtensionFileLoader.exec_module.__code__)

_current: StopRequest | None = None
_lost = ""
_patient = False
_remembered: int | None = None
_dropped: int | None = None


def remembered_signal() -> int | None:
    """The signal that came while we waited for the command before us, if one did."""
    return _remembered


def say_if_interrupted(lost: str) -> None:
    """What to say if a signal ends the command before its search has begun."""
    global _lost
    _lost = lost


@contextlib.contextmanager
def read_patiently() -> Iterator[None]:
    """Within the block the first signal of a terminal waits until standard input, if it is a pipe, has ended."""
    global _patient, _remembered
    _patient, _remembered = True, None
    try:
        yield
    finally:
        _patient = False


def _waits_for_writer() -> bool:
    """Whether standard input is a pipe that someone may still write to, or that holds something unread."""
    try:
        if not stat.S_ISFIFO(os.fstat(0).st_mode):
            return False
        poll = select.poll()
        poll.register(0, select.POLLIN | select.POLLHUP)
        events = dict(poll.poll(0)).get(0, 0)
    except OSError:
        return False
    return bool(events & select.POLLIN) or not events & select.POLLHUP


def _on_signal(signal_number: int, frame: FrameType | None) -> None:
    global _remembered, _dropped
    # What is raised would be dropped for good, or met by compiled code that knows of no errors there.
    if _is_sending_again(frame) or _is_loading_extension(frame):
        _dropped = signal_number
        signal.setitimer(signal.ITIMER_REAL, AGAIN_SECONDS)
        return
    waits = _patient and _current is None and _remembered is None
    if waits and signal_number in FROM_TERMINAL and _waits_for_writer():
        _remembered = signal_number
        return
    if _current is None or _is_compiling_first(frame):
        raise Interrupted(signal_number, _lost)
    # Not `is_set`: a second signal may come while `set` holds the event's lock, and must not wait for it.
    if _current.signal_number is not None:
        raise Interrupted(signal_number)
    _current.signal_number = signal_number
    _current.set()


def install_handlers() -> None:
    """Handle signals from now on, unless our parent had them ignored (nohup, background jobs)."""
    _install(_on_signal)
    signal.signal(signal.SIGALRM, _on_alarm)
    sys.unraisablehook = _send_again


def _send_again(unraisable: Any) -> None:
    """A signal that came in a finaliser, where Python drops what is raised, comes again a moment later."""
    global _dropped
    error = unraisable.exc_value
    if not isinstance(error, Interrupted):
        sys.__unraisablehook__(unraisable)
        return
    _dropped = error.signal_number
    signal.setitimer(signal.ITIMER_REAL, AGAIN_SECONDS)


def _on_alarm(_signal_number: int, frame: FrameType | None) -> None:
    global _dropped
    number, _dropped = _dropped, None
    if number is not None:
        _on_signal(number, frame)


def _is_sending_again(frame: FrameType | None) -> bool:
    return _runs_below(frame, (_send_again.__code__,))


def _is_loading_extension(frame: FrameType | None) -> bool:
    """Whether a compiled module is being initialised; some, such as orjson, then end the process at any error."""
    return _runs_below(frame, _LOADING)


def _is_compiling_first(frame: FrameType | None) -> bool:
    """Whether the search waits for its kernels."""
    warm_up: Any = sys.modules.get("stages.runtime.warm_up")
    return warm_up is not None and _runs_below(frame, (warm_up.compile_first.__code__,))


def _runs_below(frame: FrameType | None, functions: Sequence[CodeType]) -> bool:
    """Whether one of these functions has called what runs in `frame`, directly or not."""
    while frame is not None and frame.f_code not in functions:
        frame = frame.f_back
    return frame is not None


def install_early_handlers() -> None:
    """Until `install_handlers`, a signal ends the process without a word: there is nothing to tidy up yet."""
    _install(_exit_on_signal)


def _exit_on_signal(signal_number: int, _frame: object) -> NoReturn:
    os._exit(128 + signal_number)


def _install(handler: Callable[[int, FrameType | None], None]) -> None:
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


@contextlib.contextmanager
def graceful_stop() -> Iterator[StopRequest]:
    """Within the block the first signal sets the yielded event instead of ending the command.

    A stage that has nothing to hand over then ends the command as outside the block.
    """
    from stages.runtime.errors import NothingFoundError

    global _current
    _current = request = StopRequest()
    try:
        yield request
    except NothingFoundError as error:
        if request.signal_number is None:
            raise
        raise Interrupted(request.signal_number, _lost) from error
    finally:
        _current = None
