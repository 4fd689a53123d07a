"""Words of messages that depend on counts, and where warnings go. Every package may import this."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable

Warn = Callable[[str], None]
"""Takes a message about input that is accepted but may surprise."""

_N_LISTED = 5


def ignore(message: str) -> None:
    """Drop a warning."""


def about(source: str, warn: Warn | None) -> Warn:
    """Pass messages about a file on to `warn`, with the file's name before them; None drops them."""
    return ignore if warn is None else lambda message: warn(f"{source}: {message}")


def plural(count: int, noun: str) -> str:
    """``1 row``, ``2 rows``, ``1,000 rows``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def with_article(noun: str) -> str:
    """``a dict``, ``an int``."""
    return f"{'an' if noun[:1].lower() in 'aeio' else 'a'} {noun}"


def type_of(value: object) -> str:
    """The type of an object, with its article; None itself."""
    return "None" if value is None else with_article(type(value).__name__)


def out_of(count: int, number: int, noun: str) -> str:
    """``3 of 9 variables``, ``all 9 variables``, ``the one variable``."""
    if count < number:
        return f"{count:,} of {plural(number, noun)}"
    return f"all {plural(number, noun)}" if number > 1 else f"the one {noun}"


def whole(count: float) -> str:
    """A whole number with all its digits; from 2^53 on with six, since floats have only about fifteen."""
    return f"{int(count):,}" if abs(count) < 2**53 else f"{count:.6g}"


def printable(text: str) -> str:
    """The text on one line; characters that would not be visible are escaped as Python writes them.

    Control characters could move the cursor or colour the terminal, others reverse the direction of writing; lone
    surrogates stand for undecodable bytes of file names.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def option_value(text: str) -> str:
    """A value after an option, quoted for a shell; a plain word is quoted too, so that it does not read as a word of
    the sentence.
    """
    quoted = shlex.quote(text)
    return f"'{text}'" if quoted == text and text.isalpha() else quoted


def listed(items: Iterable[str]) -> str:
    """The first five items and the number of the others."""
    items = list(items)
    more = f" and {len(items) - _N_LISTED} more" if len(items) > _N_LISTED else ""
    return ", ".join(items[:_N_LISTED]) + more
