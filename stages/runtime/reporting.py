"""Messages of a stage while it runs. The command line turns them into lines and bars on stderr."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

Offer = Callable[[], Any]
"""Makes the best network so far, or None where there is none yet."""


class Reporter(Protocol):
    """Receiver of a stage's messages; implementations decide what is shown and where."""

    def detail(self, message: str) -> None:
        """A setting or an intermediate result; shown with ``-v``."""

    def warn(self, message: str) -> None:
        """Something the user should know although the run goes on."""

    def summary(self, message: str) -> None:
        """The closing line of a stage."""

    def progress(
        self, done: int, total: int | None, counted: str, network: Offer | None = None, **facts: object
    ) -> None:
        """Work done so far; called often, implementations show a few of the calls.

        `counted` is the unit of `done` and `total` (None if unknown), in the plural; `network` makes the network of a
        search; `facts` are short names and values to show, the most important first.
        """


class NullReporter:
    """Discards all messages; for use from Python and in tests."""

    def detail(self, message: str) -> None:
        pass

    def warn(self, message: str) -> None:
        pass

    def summary(self, message: str) -> None:
        pass

    def progress(
        self, done: int, total: int | None, counted: str, network: Offer | None = None, **facts: object
    ) -> None:
        pass


class ChangedNetworks:
    """A reporter that forwards everything, and of each network so far what `change` makes of it; None for nothing."""

    def __init__(self, reporter: Reporter, change: Callable[[Any], Any]):
        self._reporter = reporter
        self._change = change
        self.detail, self.warn, self.summary = reporter.detail, reporter.warn, reporter.summary

    def progress(
        self, done: int, total: int | None, counted: str, network: Offer | None = None, **facts: object
    ) -> None:
        changed = None if network is None else partial(self._changed, network)
        self._reporter.progress(done, total, counted, changed, **facts)

    def _changed(self, network: Offer) -> Any:
        found = network()
        return None if found is None else self._change(found)


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
