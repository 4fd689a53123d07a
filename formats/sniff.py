"""Which format is this? Told from the first bytes, without seeking and without trusting file names."""

from __future__ import annotations

import re

HEAD_SIZE = 1 << 16
"""Bytes that are enough to tell formats apart."""

ARROW_KINDS = ("arrow-stream", "arrow-file", "parquet")

_MAGIC = (
    (b"\xff\xff\xff\xff", "arrow-stream"),
    (b"ARROW1", "arrow-file"),
    (b"PAR1", "parquet"),
    (b"FEA1", "feather-v1"),
    (b"\x1f\x8b", "gzip"),
    (b"PK\x03\x04", "zip"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"BZh", "bzip2"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\x89HDF", "hdf5"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)

_DESCRIPTIONS = {
    "empty": "empty input",
    "arrow-stream": "an Arrow stream",
    "arrow-file": "an Arrow file",
    "parquet": "a Parquet file",
    "entropy": "an entropy table",
    "feather-v1": "a Feather file of version 1",
    "gzip": "doubly compressed data",
    "zip": "a zip archive (or a spreadsheet)",
    "xz": "xz-compressed data",
    "bzip2": "bzip2-compressed data",
    "zstd": "Zstandard-compressed data",
    "hdf5": "an HDF5 file",
    "utf-16": "UTF-16 text",
    "parentsets": "a parent-set file",
    "network": "a network file",
    "forest": "a screening forest",
    "json": "JSON that is none of ours",
    "bif": "a BIF network",
    "xml": "an XML file",
    "pss": "a URLearning score file",
    "jkl": "a jkl score file",
    "modelstring": "a model string",
    "table": "a text table",
    "binary": "binary data",
}

_OUR_FORMAT = re.compile(rb'"format"\s*:\s*"bnsl\.([a-z]+)"')
# A comment is matched in one way only: many of them must not take exponential time.
_COMMENT = rb"(?://[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)"
_BIF = re.compile(rb"\s*(?:" + _COMMENT + rb"\s*)*(?:network|variable)\s+[^,;\t]*\{")
_MODEL_STRING = re.compile(rb"\s*(?:\[[^\[\]\n|]+(?:\|[^\[\]\n]+)?\])+\s*$")
_TEXT_CONTROLS = bytes(range(0x20, 0x100)) + b"\t\n\r\f\x1b"
_BOM = b"\xef\xbb\xbf"


def sniff(head: bytes) -> str:
    """Name the format of an input.

    Parameters
    ----------
    head : bytes
        Its first bytes; `HEAD_SIZE` are plenty.

    Returns
    -------
    str
        ``arrow-stream``, ``arrow-file``, ``parquet``; ``parentsets``, ``network``, ``forest``; ``json`` (an object
        that is none of ours); ``jkl``, ``pss``, ``bif``, ``xml``, ``modelstring``; ``table`` for other text;
        ``empty``, ``binary``, ``utf-16``, and names of compressions and archives that are not read.
    """
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            return kind
    if head.translate(None, _TEXT_CONTROLS):
        return "binary"
    text = head.removeprefix(_BOM)
    if not text.strip():
        return "empty"
    return _sniff_json(text) or _sniff_exchange(text) or "table"


def _sniff_json(text: bytes) -> str | None:
    if not re.match(rb'\s*\{\s*["}]', text):
        return None
    ours = _OUR_FORMAT.search(text.lstrip().split(b"\n", 1)[0])
    kind = ours.group(1).decode() if ours else "json"
    return kind if kind in _DESCRIPTIONS else "json"


def _sniff_exchange(text: bytes) -> str | None:
    if text.lstrip().startswith(b"<"):
        return "xml" if re.match(rb"\s*<[?!a-zA-Z]", text) else None
    if _BIF.match(text):
        return "bif"
    lines = [
        line.split() for line in text.split(b"\n") if line.strip() and not line.lstrip().startswith(b"#")
    ]
    if lines and lines[0][0] == b"META" and len(lines[0]) > 1:
        return "pss"
    if _is_jkl(lines):
        return "jkl"
    return "modelstring" if _MODEL_STRING.match(text) else None


def _is_jkl(lines: list[list[bytes]]) -> bool:
    # The number of variables alone, then a variable and its number of sets: no table is so ragged.
    if len(lines) < 2 or len(lines[0]) != 1 or len(lines[1]) != 2:
        return False
    return lines[0][0].isdigit() and lines[1][1].isdigit()


def describe(kind: str) -> str:
    """A name from `sniff` as messages put it."""
    return _DESCRIPTIONS[kind]
