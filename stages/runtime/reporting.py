"""Messages of a stage while it runs. The command line turns them into lines and bars on stderr."""

from __future__ import annotations

from typing import Protocol


class Reporter(Protocol):
    """Receiver of a stage's messages; implementations decide what is shown and where."""

    def detail(self, message: str) -> None:
        """A setting or an intermediate result; shown with ``-v``."""

    def warn(self, message: str) -> None:
        """Something the user should know although the run goes on."""

    def summary(self, message: str) -> None:
        """The closing line of a stage."""

    def progress(self, done: int, total: int | None, counted: str, **facts: object) -> None:
        """Work done so far; called often, implementations show a few of the calls.

        `counted` is the unit of `done` and `total` (None if unknown), in the plural; `facts` are short names and
        values, the most important first.
        """


class NullReporter:
    """Discards all messages; for use from Python and in tests."""

    def detail(self, message: str) -> None:
        pass

    def warn(self, message: str) -> None:
        pass

    def summary(self, message: str) -> None:
        pass

    def progress(self, done: int, total: int | None, counted: str, **facts: object) -> None:
        pass


def duration_text(seconds: float) -> str:
    """A time span in suitable units: 8.0 s, 42 s, 3m 20s, 2h 05m, 3 days."""
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60:02d}s"
    if whole >= 48 * 3600:
        return f"{whole // 86400:,} days" if whole < 86400 * 36500 else "centuries"
    return f"{whole // 3600}h {whole % 3600 // 60:02d}m"
