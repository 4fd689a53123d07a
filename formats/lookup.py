"""Rows of the registry by name, by ending and by kind, and the functions that they name."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import Any

from .kinds import Format, Kind
from .registry import COMPRESSED, FORMATS


def find_format(name: str, rows: Iterable[Format] = FORMATS) -> Format:
    """The format of a name, with or without ``bnsl.``; a `ValueError` if there is none among the rows."""
    for row in rows:
        if name in (row.name, row.target):
            return row
    raise ValueError(f"unknown format {name!r}; known are {', '.join(row.target for row in rows)}")


def named_formats(path: str) -> list[Format]:
    """The formats whose ending a file name has, ``.gz`` and ``.zst`` removed; most often one or none.

    Of several endings that fit, the longest counts: ``.net.jsonl`` is no ``.jsonl``.
    """
    name = path.lower()
    for packed in COMPRESSED:
        name = name.removesuffix(packed)
    lengths = {row.name: max((len(s) for s in row.suffixes if name.endswith(s)), default=0) for row in FORMATS}
    longest = max(lengths.values())
    return [row for row in FORMATS if longest and lengths[row.name] == longest]


def formats_of(*kinds: Kind, written: bool = False) -> list[Format]:
    """The formats of these kinds that are read, or those that are `written`."""
    return [row for row in FORMATS if row.kind in kinds and (row.writer if written else row.reader)]


def load(place: str) -> Callable[..., Any]:
    """The function or class that a row names as ``module:name``."""
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(f".{module}", __package__), name)


def load_writer(name: str, *kinds: Kind) -> Callable[..., Any]:
    """The writer of a format of one of these kinds; a `ValueError` if no such format is written."""
    return load(find_format(name, formats_of(*kinds, written=True)).writer)
