"""Text from files made safe for a terminal: names, labels and file names."""

from __future__ import annotations

MOST = 4000
"""Longest line of a message, characters."""


def printable(text: str) -> str:
    """The text on one line, with every character that would not show itself escaped as Python writes it.

    Control characters could move the cursor or colour the terminal, others turn the direction of writing; lone
    surrogates stand for bytes of file names that are no text.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def printable_lines(message: str) -> str:
    """A message, whose line ends are meant, made printable line by line; very long lines are cut."""
    lines = [printable(line) for line in message.split("\n")]
    return "\n".join(line if len(line) <= MOST else f"{line[:MOST]}..." for line in lines)
