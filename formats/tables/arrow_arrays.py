"""Arrow arrays of texts and of numpy's values, and back, through their buffers.

pyarrow's own conversions (`pyarrow.array`, `pyarrow.scalar`, `to_numpy`, Python values as arguments of its functions)
import pandas where it is installed, which takes longer than a small table. They remain for values of any type that
callers hand over.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pyarrow

MOST_BYTES = 2**31 - 1
"""Most bytes of text in one array."""


def text_array(texts: Sequence[str | None]) -> pyarrow.StringArray:
    """An array of texts, null for None. Raises `ValueError` beyond 2 GiB of text."""
    encoded = [b"" if text is None else text.encode() for text in texts]
    ends = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(text) for text in encoded], out=ends[1:])
    if ends[-1] > MOST_BYTES:
        raise ValueError(f"{ends[-1]:,} bytes of text in one column; {MOST_BYTES:,} at most")
    is_null = np.array([text is None for text in texts], dtype=np.bool_)
    buffers = [_validity(is_null), pyarrow.py_buffer(ends.astype(np.int32)), pyarrow.py_buffer(b"".join(encoded))]
    return pyarrow.Array.from_buffers(pyarrow.string(), len(encoded), buffers)


@lru_cache(maxsize=16)
def text_scalar(text: str | None) -> pyarrow.StringScalar:
    """A text as an argument of Arrow's functions."""
    return text_array([text])[0]


def array_of(values: np.ndarray, is_null: np.ndarray | None = None) -> pyarrow.Array:
    """An array of truth values or numbers, shape (n,), of their own type; null where `is_null` (bool) says so.

    Numbers are not copied.
    """
    kind = pyarrow.from_numpy_dtype(values.dtype)
    data = np.packbits(values, bitorder="little") if values.dtype == np.bool_ else np.ascontiguousarray(values)
    validity = None if is_null is None else _validity(is_null)
    return pyarrow.Array.from_buffers(kind, len(values), [validity, pyarrow.py_buffer(data)])


def _validity(is_null: np.ndarray) -> pyarrow.Buffer | None:
    return pyarrow.py_buffer(np.packbits(~is_null, bitorder="little")) if is_null.any() else None


def numpy_of(array: pyarrow.Array) -> np.ndarray:
    """The truth values or numbers of an array, shape (n,); anything where it is null. Numbers are not copied."""
    data = array.buffers()[1] or b""
    if pyarrow.types.is_boolean(array.type):
        flags = np.unpackbits(np.frombuffer(data, dtype=np.uint8), count=array.offset + len(array), bitorder="little")
        return flags[array.offset :].view(np.bool_)
    kind = np.dtype(array.type.to_pandas_dtype())
    return np.frombuffer(data, kind, len(array), array.offset * kind.itemsize)


def figures_of(column: pyarrow.Array | pyarrow.ChunkedArray) -> np.ndarray:
    """The numbers of a column, shape (n,), of their own type; float64 with NaN for null if there are nulls."""
    array = column.combine_chunks() if isinstance(column, pyarrow.ChunkedArray) else column
    return np.where(numpy_of(array.is_null()), np.nan, numpy_of(array)) if array.null_count else numpy_of(array)
