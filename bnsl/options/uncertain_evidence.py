"""Evidence of `bnsl.query` that is no certain state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..running.errors import UsageError
from .declared import option
from .values import Parsed, as_line

if TYPE_CHECKING:
    from ..running.function import Run


def _texts(value: Any) -> tuple[str, ...]:
    """A text as it is typed; from Python also a dict by name and state: a text for each variable."""
    if not isinstance(value, Mapping):
        return (str(value),)
    if not all(isinstance(numbers, Mapping) for numbers in value.values()):
        raise ValueError("a dict of dicts: the numbers of all states by variable and state")
    return tuple(
        f"{name}={as_line(f'{state}:{number}' for state, number in numbers.items())}"
        for name, numbers in value.items()
    )


NUMBERS = Parsed(
    "numbers", _texts, annotation="str | Iterable[str] | Mapping[str, Mapping[str, float]]", adapt=lambda value: value
)
"""Numbers of all states of a variable: ``NAME=STATE:NUMBER,...``."""


@dataclass(frozen=True)
class UncertainOptions:
    """Uncertain evidence; none by default."""

    likelihood: tuple[str, ...] = option(
        "Uncertain observation of a variable: the probabilities of what was seen given each of its states, up to a "
        "factor (likelihood evidence, also called virtual or soft); repeatable.",
        NUMBERS,
        "NAME=STATE:NUMBER,...",
        is_several=True,
        is_joined=True,
    )
    jeffrey: tuple[str, ...] = option(
        "The distribution that a variable has after all evidence (Jeffrey's rule): other variables keep their "
        "distributions given its states.",
        NUMBERS,
        "NAME=STATE:NUMBER,...",
        is_several=True,
        is_joined=True,
    )


def check_uncertain(_run: Run, given: UncertainOptions) -> None:
    """Allow one distribution: several would depend on their order."""
    if len(given.jeffrey) > 1:
        raise UsageError("--jeffrey takes one variable: the result for several would depend on their order.")
