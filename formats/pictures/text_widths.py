"""Widths of texts in pictures, and sizes of the boxes around names."""

from __future__ import annotations

FONT_SIZE = 12.0
"""Of labels, in pixels."""
BOX_HEIGHT = 24.0
"""Of a box with its name alone, pixels."""
BOX_PADDING = 9.0

# Widths of labels follow the advances of a common sans-serif typeface; no font is needed.
_NARROW = frozenset("iIjl.,:;'|!()[]{}tfr-\"*/\\ ")
_WIDE = frozenset("mwMW@%&+=<>~")


def text_width(text: str, size: float = FONT_SIZE) -> float:
    """Width of a text in pixels; an upper bound for most typefaces."""
    return size * sum(map(_advance, text))


def _advance(character: str) -> float:
    """Advance of one character, in units of the font size."""
    if ord(character) > 0x2E7F:  # Chinese, Japanese, Korean: square
        return 1.0
    if character in _NARROW:
        return 0.36
    if character in _WIDE:
        return 0.9
    return 0.72 if character.isupper() else 0.6
