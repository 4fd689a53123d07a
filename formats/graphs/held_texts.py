"""Names and labels in formats that cannot hold every text: these are refused before anything is written."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..errors import Inconsistent
from ..records import Parameters

_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def is_line(text: str) -> bool:
    """Whether a text is not empty and stays on its line: no control characters, line separators, surrogates."""
    return bool(text) and not _UNSEEN.search(text)


def quoted(text: str) -> str:
    """A text in double quotes, with backslashes before quotes and backslashes."""
    return '"' + re.sub(r'(["\\])', r"\\\1", text) + '"'


def require_held(model: Parameters, format: str, is_held: Callable[[str], bool]) -> None:
    """Raise `Inconsistent` for a name or a label that the format cannot hold."""
    remedy = "write it as .net.jsonl, which holds any text, or rename it in the data"
    for variable in model.variables:
        if not is_held(variable.name):
            raise Inconsistent(f"{format} cannot hold the name {variable.name!r}", remedy=remedy)
        for label in variable.known_states:
            if not is_held(label):
                message = f"{format} cannot hold the label {label!r} of the variable named {variable.name!r}"
                raise Inconsistent(message, remedy=remedy)


def strangers(model: Parameters, is_taken: Callable[[str], bool]) -> list[str]:
    """The names of variables whose name or labels strict readers do not take."""
    return [v.name for v in model.variables if not all(map(is_taken, (v.name, *v.known_states)))]
