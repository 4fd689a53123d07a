"""Widths of labels from the character advances of a common sans-serif typeface; no font is needed."""

from __future__ import annotations

FONT_SIZE = 12.0
"""Of labels, in pixels."""

_NARROW = frozenset("iIjl.,:;'|!()[]{}tfr-\"*/\\ ")
_WIDE = frozenset("mwMW@%&+=<>~")


def text_width(text: str) -> float:
    """Width of a label in pixels; an upper bound for most typefaces."""
    return FONT_SIZE * sum(map(_advance, text))


def _advance(character: str) -> float:
    """Advance of one character, in units of the font size."""
    if ord(character) > 0x2E7F:  # Chinese, Japanese, Korean: square
        return 1.0
    if character in _NARROW:
        return 0.36
    if character in _WIDE:
        return 0.9
    return 0.72 if character.isupper() else 0.6
