"""Words, strings and signs of the block languages of HUGIN, Netica, MSBN and older versions of GeNIe."""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from ...errors import Inconsistent, Malformed
from ...textlines import Lines

HUGIN_COMMENTS = r"%[^\n]*"
C_COMMENTS = r"//[^\n]*|/\*(?s:.*?)\*/"

MOST_NESTED = 20
"""Deepest nesting of blocks that is read."""


class Tokens:
    """Words, strings (with their opening quote kept) and signs, each with its place in the text."""

    def __init__(self, lines: Lines, comments: str = HUGIN_COMMENTS):
        self.lines = lines
        self.text = lines.text()
        self.found: list[tuple[str, int]] = []
        self.next = position = 0
        percent = "%" if comments == HUGIN_COMMENTS else ""
        token = re.compile(
            rf'\s+|(?:{comments})|("(?:[^"\\]|\\(?s:.))*"|[(){{}}=;|,]|(?:(?!//|/\*)[^\s"(){{}}=;|,{percent}])+)'
        )
        while position < len(self.text):
            match = token.match(self.text, position)
            if match is None:
                self.fail("a string or a comment is not closed", position)
            if match[1]:
                self.found.append((match[1], position))
            position = match.end()

    def fail(
        self, message: str, at: int, kind: type[Malformed] | type[Inconsistent] = Malformed, remedy: str | None = None
    ) -> NoReturn:
        """Raise an error at a place of the text."""
        self.lines.fail(message, kind=kind, line=self.text.count("\n", 0, at) + 1, remedy=remedy)

    @property
    def at(self) -> int:
        """Place of the next token."""
        return self.found[self.next][1] if self.next < len(self.found) else len(self.text)

    def peek(self) -> str:
        """The next token, empty at the end."""
        return self.found[self.next][0] if self.next < len(self.found) else ""

    def take(self, wanted: str = "") -> str:
        """The next token; it must equal `wanted`, if given."""
        token, at = self.peek(), self.at
        if not token:
            self.fail("the file ends early", at)
        if wanted and token != wanted:
            self.fail(f"expected {wanted!r}, got {token[:40]!r}", at)
        self.next += 1
        return token

    def take_name(self) -> str:
        """The next token, with parentheses that follow it without a blank: HUGIN takes ``cost(item)`` as a name."""
        start, word = self.at, self.take()
        end, depth = start + len(word), 0
        while depth or (self.peek() == "(" and self.at == end and word not in "(){}=;|,"):
            end = self.at + len(self.peek())
            depth += {"(": 1, ")": -1}.get(self.take(), 0)
        return self.text[start:end]

    def take_attributes(self) -> dict[str, tuple[list[str], int]]:
        """A block of ``key = value;``: the tokens of each value and its place."""
        found: dict[str, tuple[list[str], int]] = {}
        self.take("{")
        while self.peek() != "}":
            key = self.take()
            self.take("=")
            at, value = self.at, []
            while self.peek() not in (";", "}"):
                value.append(self.take())
            if self.peek() == ";":
                self.take()
            found[key] = (value, at)
        self.take("}")
        return found


def unquoted(token: str) -> str:
    """The text of a string or word; a string goes on behind a backslash at the end of a line."""
    return re.sub(r"\\(?:\n|(.))", r"\1", token[1:-1]) if token.startswith('"') else token


class Block(NamedTuple):
    """What stands between braces: the tokens and place of each value, and the blocks with the words before them."""

    values: dict[str, tuple[list[str], int]]
    blocks: list[tuple[list[str], Block, int]]

    def list_of(self, key: str) -> list[str]:
        """The words of a list, or of a single value, without parentheses and commas; empty without the key."""
        return [unquoted(token) for token in self.values.get(key, ([], 0))[0] if token not in "(),"]

    def block(self, key: str) -> Block:
        """The first block of this name; an empty one without it."""
        return next((block for words, block, _ in self.blocks if words == [key]), Block({}, []))


def _take_value(tokens: Tokens) -> list[str]:
    """A value up to its semicolon; a list ends with its last parenthesis, as Netica hides semicolons in comments."""
    value: list[str] = []
    depth = 0
    while tokens.peek() not in (";", "{", "}"):
        value.append(tokens.take())
        depth += {"(": 1, ")": -1}.get(value[-1], 0)
        if value[0] == "(" and depth == 0:
            break
    return value


def take_block(tokens: Tokens, depth: int = 0) -> Block:
    """A block of ``key = value;``, ``key = { ... };`` and ``word name { ... };`` with its braces."""
    if depth > MOST_NESTED:
        tokens.fail(f"blocks are nested more than {MOST_NESTED} deep", tokens.at)
    found = Block({}, [])
    tokens.take("{")
    while tokens.peek() != "}":
        at, words = tokens.at, []
        while tokens.peek() not in ("=", "{", ";", "}"):
            words.append(tokens.take())
        if tokens.peek() == "=" and words:
            tokens.take()
            at, value = tokens.at, _take_value(tokens)
            found.values[words[-1]] = (value, at)
        if tokens.peek() == "{":
            found.blocks.append((words, take_block(tokens, depth + 1), at))
        if tokens.peek() == ";":
            tokens.take()
        elif tokens.peek() == "=":
            tokens.fail("a value without a name", tokens.at)
    tokens.take("}")
    return found
