"""How wide a label is: advances of a common sans-serif typeface, so that boxes fit without a font at hand."""

from __future__ import annotations

FONT_SIZE = 12.0
"""Of labels, in pixels."""

_NARROW = frozenset("iIjl.,:;'|!()[]{}tfr-\"*/\\ ")
_WIDE = frozenset("mwMW@%&+=<>~")


def text_width(text: str) -> float:
    """Width of a label in pixels; on the safe side for most typefaces."""
    return FONT_SIZE * sum(map(_advance, text))


def _advance(character: str) -> float:
    """Of one character, in units of the font's size."""
    if ord(character) > 0x2E7F:  # Chinese, Japanese, Korean: square
        return 1.0
    if character in _NARROW:
        return 0.36
    if character in _WIDE:
        return 0.9
    return 0.72 if character.isupper() else 0.6
