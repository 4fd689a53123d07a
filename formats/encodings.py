"""What text that is not UTF-8 may be encoded in, for messages. Standard library only."""

from __future__ import annotations

import re

_EAST_ASIAN = (("gbk", "Chinese"), ("big5", "traditional Chinese"), ("shift_jis", "Japanese"), ("euc-kr", "Korean"))
_OF_BYTES = (("cp1252", "Western European"), ("cp1251", "Cyrillic"), ("cp1250", "Central European"))
_RUNS = re.compile(rb"[\x80-\xff]+")
_MOST_BYTES = 1 << 20


def encoding_remedy(data: bytes) -> str:
    """The command that converts text to UTF-8, with the encodings in which these bytes are text.

    Letters of a byte stand mostly alone among others, as in Western European text; letters of East Asian encodings
    and of other alphabets form runs.
    """
    data = data[:_MOST_BYTES]
    runs = _RUNS.findall(data)
    n_alone = sum(len(run) == 1 for run in runs)
    known = (*_OF_BYTES, *_EAST_ASIAN) if 2 * n_alone > len(runs) else (*_EAST_ASIAN, *_OF_BYTES)
    found = [(name, language) for name, language in known if _is_text(data, name)][:4]
    if not found:
        return "convert it first, from the encoding that it has: iconv -f ENCODING -t utf-8 FILE > NEW"
    (first, language), *others = found
    alternatives = "".join(f", -f {name} if {other}" for name, other in others)
    return f"convert it first: iconv -f {first} -t utf-8 FILE > NEW, if it is {language}{alternatives}"


def _is_text(data: bytes, encoding: str) -> bool:
    """Whether bytes decode to printable text; the last ones may be cut off."""
    try:
        text = data[: data.rfind(b"\n") + 1 or len(data)].decode(encoding)
    except UnicodeDecodeError:
        return False
    return all(character.isprintable() or character.isspace() for character in text)
