"""Words, strings and signs of HUGIN's language."""

from __future__ import annotations

import re
from typing import NoReturn

from ...errors import Inconsistent, Malformed
from ...textlines import Lines

_TOKEN = re.compile(r'\s+|%[^\n]*|("(?:[^"\\]|\\(?s:.))*"|[(){}=;|,]|[^\s"(){}=;|,%]+)')


class Tokens:
    """Words, strings (with their opening quote kept) and signs, each with its place in the text."""

    def __init__(self, lines: Lines):
        self.lines = lines
        self.text = lines.text()
        self.found: list[tuple[str, int]] = []
        self.next = position = 0
        while position < len(self.text):
            match = _TOKEN.match(self.text, position)
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
