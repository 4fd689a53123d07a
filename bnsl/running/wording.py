"""Messages in the words of the caller: for Python, options become keywords instead of words with dashes.

Messages of the library, of formats and of stages spell options as a shell does. `in_python` replaces each by its
keyword, with the value that the message gives: ``--missing em`` is ``missing="em"``, ``--tw K`` is ``treewidth=K``.
"""

from __future__ import annotations

import functools
import importlib
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..options.values import MethodName, as_line

if TYPE_CHECKING:
    from ..options.declared import Option

MOST_SHOWN = 200
"""Longest value of a keyword that a line shows, characters."""

_SPELLED = re.compile(
    r"(?<![\w-])(--[a-z][a-z-]*|-j)(?![\w-])(?:[ =](?P<value>(?:'[^']*'|\"'\")+|[\w*@.:|>,-]*[\w*])(?![\w-]))?"
)


@functools.cache
def _keywords() -> dict[str, tuple[str, Option]]:
    """Keyword and option of each spelling over all functions; the first function with the spelling decides."""
    from bnsl import FUNCTIONS

    found: dict[str, tuple[str, Option]] = {}
    for name in FUNCTIONS:
        for spelling, known in keywords_by_spelling(getattr(importlib.import_module("bnsl"), name).keywords).items():
            found.setdefault(spelling, known)
    return found


def keywords_by_spelling(keywords: Mapping[str, Option]) -> dict[str, tuple[str, Option]]:
    """Keyword and option of each spelling of the options of these keywords."""
    return {
        spelling: (keyword, option)
        for keyword, option in keywords.items()
        if not option.positional
        for both in option.spellings
        for spelling in both.split("/")
    }


def in_python(message: str, keywords: Mapping[str, Option] | None = None) -> str:
    """The message with options as keywords; `keywords`, of the called function, take precedence."""
    if "-" not in message:
        return message
    own = keywords_by_spelling(keywords or {})
    return _SPELLED.sub(lambda match: _said(match, own), message)


def _said(match: re.Match[str], own: dict[str, tuple[str, Option]]) -> str:
    spelling, value = match[1], match["value"]
    known = own.get(spelling) or _keywords().get(spelling)
    if known is None:
        method = own.get("--method") or _keywords()["--method"]
        kind = method[1].kind
        is_method = isinstance(kind, MethodName) and spelling[2:] in [flag.name for flag in kind.flags]
        return f'method="{spelling[2:]}"{match[0][len(spelling) :]}' if is_method else match[0]
    keyword, option = known
    rest = match[0][len(spelling) :]
    if option.is_flag or option.is_count:
        state = "False" if spelling.startswith("--no-") or _is_second(option, spelling) else "True"
        return f"{keyword}={state}{rest}"
    if value is None or not _is_value(option, value):
        return f"{keyword}{rest}"
    is_name = (value.isalpha() and value.isupper()) or value.replace(".", "").isdigit()
    return f"{keyword}={value}" if is_name else f"{keyword}={_quoted(shlex.split(value)[0])}"


def _quoted(text: str) -> str:
    """A string as Python writes it, in double quotes unless it contains some."""
    return repr(text) if '"' in text else f'"{repr(text + chr(34))[1:-2]}"'


def _is_second(option: Option, spelling: str) -> bool:
    return any("/" in both and both.partition("/")[2] == spelling for both in option.spellings)


def _is_value(option: Option, text: str) -> bool:
    """Whether a word after an option is its value, not the next word of the sentence.

    Names that are plain words are values if they are quoted (`formats.wording.option_value`).
    """
    words = getattr(option.kind, "words", ())
    typed = not text.isalpha() or text.isupper()
    return typed or text in words


def mended(keywords: Mapping[str, Option], mend: Mapping[str, Any]) -> dict[str, Any]:
    """The options with which a function can read a table that it refused (`FormatError.mend`); empty if there are
    none.

    Missing cells are summed over if the function can do this, else their rows are dropped.
    """
    from formats.tables.problems import KEEP, KEEP_IN_EXPERIMENTS

    if not set(mend) <= set(keywords):
        return {}
    ways = {KEEP: ("em", "pairs", "drop"), KEEP_IN_EXPERIMENTS: ("em", "drop")}.get(mend.get("missing", ""))
    if ways is None:
        return dict(mend)
    words = keywords["missing"].kind.words
    return {**mend, "missing": next(word for word in ways if word in words)}


def python_line(name: str, inputs: Sequence[str], keywords: Mapping[str, Any]) -> str:
    """The call of a function with these inputs, by name, and these keywords."""
    return f"bnsl.{name}({', '.join([*inputs, *(f'{key}={_brief(value)}' for key, value in keywords.items())])})"


def _brief(value: Any) -> str:
    is_plain = isinstance(value, (str, int, float, list, tuple, bool))
    return repr(value).replace("'", '"') if is_plain and len(repr(value)) < MOST_SHOWN else "..."


def shell_words(keywords: Mapping[str, Option], options: Mapping[str, Any]) -> list[str]:
    """Options as the words of a command line."""
    words = []
    for name, value in options.items():
        spelling = max(keywords[name].spellings, key=len)
        words += [spelling, as_line(value) if isinstance(value, list) else str(value)]
    return words
