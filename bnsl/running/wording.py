"""Messages in the words of the caller: for Python, options become keywords instead of words with dashes.

Messages of the library, of formats and of stages spell options, inputs and commands as a shell does. `in_python`
replaces each option by its keyword, with the value that the message gives: ``--missing em`` is ``missing="em"``,
``--tw K`` is ``treewidth=K``; each input by the argument that takes it: ``SETS`` is ``sets``; and each command by a
call: ``bnsl fit NETWORK DATA`` is ``bnsl.fit(network, data)``.
"""

from __future__ import annotations

import functools
import importlib
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..options.values import Input, MethodName, as_line

if TYPE_CHECKING:
    from ..options.option import Option

MOST_SHOWN = 200
"""Longest value of a keyword that a line shows, characters."""

# An input is no word of a quotation, of a foreign format, or of a sentence about one: a NETWORK, <NETWORK>.
_SPELLED = re.compile(
    r"(?<![\w-])(?P<option>--[a-z][a-z-]*|-j)(?![\w-])"
    r"(?:[ =](?P<value>(?:'[^']*'|\"'\")+|[\w*@.:|>,-]*[\w*])(?![\w-]))?"
    r"|(?<![\w<'\"=-])(?<!\ba )(?P<input>NAME=STATE|[A-Z]{4,})(?![\w>'\"=-])"
    r"|\bbnsl (?P<command>[a-z]+)\b"
)
_INPUTS = {"DATA": "data", "SETS": "sets", "NETWORK": "network", "NETWORKS": "networks"}
"""Inputs that messages name to callers of functions without such an argument."""


@functools.cache
def _keywords() -> dict[str, tuple[str, Option]]:
    """Keyword and option of each spelling over all functions; the first function with the spelling decides."""
    from bnsl import FUNCTIONS

    found: dict[str, tuple[str, Option]] = {}
    for name in FUNCTIONS:
        for spelling, known in keywords_by_spelling(_options_of(name)).items():
            found.setdefault(spelling, known)
    return found


def _options_of(name: str) -> dict[str, Option]:
    """The options of a function of the library."""
    from ..options.option import options_of

    return options_of(getattr(importlib.import_module(f"bnsl.functions.{name}"), name))


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
    from bnsl import FUNCTIONS

    said, end = [], 0
    while match := _SPELLED.search(message, end):
        said.append(message[end : match.start()])
        is_command = match["command"] in FUNCTIONS
        text, end = _call(message, match) if is_command else _said(match, keywords or {})
        said.append(text)
    return "".join(said) + message[end:]


def _call(message: str, command: re.Match[str]) -> tuple[str, int]:
    """The call of a function for a command with the inputs and options after its name, and where these end."""
    keywords = _options_of(command["command"])
    arguments, end = [], command.end()
    while (match := _SPELLED.match(message, end + 1)) and message[end] == " " and not match["command"]:
        text, after = _said(match, keywords)
        if text == match[0] and match["option"]:  # the shell alone has it: so the command is one of the shell
            return message[command.start() : after], after
        if text == match[0]:
            break
        arguments.append(text if match["input"] or "=" in text else f"{text}=...")
        end = after
    called = f"bnsl.{command['command']}"
    return f"{called}({', '.join(arguments)})" if arguments else called, end


def _said(match: re.Match[str], keywords: Mapping[str, Option]) -> tuple[str, int]:
    """An option or an input as a keyword, and where it ends in the message."""
    spelling, value = match["option"], match["value"]
    if spelling is None:
        return _inputs_of(keywords).get(match["input"] or "", match[0]), match.end()
    own = keywords_by_spelling(keywords)
    known = own.get(spelling) or _keywords().get(spelling)
    if known is None:
        method = own.get("--method") or _keywords()["--method"]
        kind = method[1].kind
        is_method = isinstance(kind, MethodName) and spelling[2:] in [flag.name for flag in kind.flags]
        return (f'method="{spelling[2:]}"' if is_method else spelling), match.end("option")
    keyword, option = known
    if option.is_flag:
        is_off = spelling.startswith("--no-") or _is_second(option, spelling)
        return f"{keyword}={not is_off}", match.end("option")
    if value is None or not _is_value(option, value):
        return keyword, match.end("option")
    if value.isalpha() and value.isupper():  # stands for a value
        return f"{keyword}={'...' if isinstance(option.kind, Input) else value}", match.end()
    is_number = value.replace(".", "").isdigit()
    return f"{keyword}={value if is_number else _quoted(shlex.split(value)[0])}", match.end()


def _inputs_of(keywords: Mapping[str, Option]) -> dict[str, str]:
    """The argument of each input, by its word in messages."""
    own = {
        word: keyword
        for keyword, option in keywords.items()
        if option.positional
        for word in option.spellings[0].split("|")
    }
    return _INPUTS | own


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
    if not is_plain or len(repr(value)) >= MOST_SHOWN:
        return "..."
    return repr(value) if '"' in repr(value) else repr(value).replace("'", '"')


def shell_words(keywords: Mapping[str, Option], options: Mapping[str, Any]) -> list[str]:
    """Options as the words of a command line."""
    words = []
    for name, value in options.items():
        spelling = max(keywords[name].spellings, key=len)
        words += [spelling, as_line(value) if isinstance(value, list) else str(value)]
    return words
