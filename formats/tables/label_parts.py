"""Columns read in parts with one byte a cell, to hold a table of ten million rows in a quarter of the memory.

Readers decode a table part by part. Each part of a column becomes indices into its distinct values at once, and the
parts of a column get a common dictionary at the end.
"""

from __future__ import annotations

import pyarrow

N_NARROW = 256
"""Up to so many distinct values the indices are single bytes, else four."""


def narrow_part(values: pyarrow.Array) -> pyarrow.Array:
    """A part of a column as indices into its distinct values, of as few bytes as they need.

    Values that have no dictionaries, lists for example, remain as they are.
    """
    try:
        part = values if pyarrow.types.is_dictionary(values.type) else values.dictionary_encode()
    except NotImplementedError:
        return values
    return _with_indices(part, "uint8" if len(part.dictionary) <= N_NARROW else "int32")


def join_parts(parts: list[pyarrow.Array]) -> pyarrow.ChunkedArray:
    """A column of one or more parts from `narrow_part`, with a common dictionary if its type has one."""
    if len(parts) == 1 or not pyarrow.types.is_dictionary(parts[0].type):
        return pyarrow.chunked_array(parts)
    column = pyarrow.chunked_array([_with_indices(part, "int32") for part in parts])
    try:
        column = column.unify_dictionaries()
    except NotImplementedError:  # of nulls alone, for example
        return column
    joined = pyarrow.chunked_array(list(map(narrow_part, column.chunks))).combine_chunks()
    return joined if isinstance(joined, pyarrow.ChunkedArray) else pyarrow.chunked_array([joined])


def release_memory() -> None:
    """Return memory that decoding no longer needs to the system; pyarrow would keep it."""
    pyarrow.default_memory_pool().release_unused()


def _with_indices(part: pyarrow.DictionaryArray, width: str) -> pyarrow.DictionaryArray:
    return pyarrow.DictionaryArray.from_arrays(part.indices.cast(width), part.dictionary)
