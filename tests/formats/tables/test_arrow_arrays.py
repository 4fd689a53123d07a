"""Arrow arrays made through their buffers equal the arrays that pyarrow itself makes."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pyarrow
import pytest
from helpers.places import ROOT

from formats.tables.arrow_arrays import array_of, figures_of, numpy_of, text_array, text_scalar

TEXTS = [[], ["a"], [None], ["", "é", None, "日本", "a\0b", "", None] * 5]
VALUES = [
    np.empty(0, dtype=np.int32),
    np.empty(0, dtype=np.bool_),
    np.arange(-3, 30, dtype=np.int64)[::2],
    np.array([0, 255], dtype=np.uint8),
    np.array([1.5, np.nan, -np.inf]),
    np.arange(19) % 3 == 1,
]


@pytest.mark.parametrize("texts", TEXTS, ids=len)
def test_texts(texts: list[str | None]):
    array = text_array(texts)
    array.validate(full=True)
    assert array.equals(pyarrow.array(texts, pyarrow.string())) and array.null_count == texts.count(None)


def test_a_text_that_has_no_bytes_is_refused():
    with pytest.raises(UnicodeEncodeError):
        text_array(["\ud800"])


def test_more_text_than_an_array_holds_is_refused(monkeypatch):
    monkeypatch.setattr("formats.tables.arrow_arrays.MOST_BYTES", 5)
    assert text_array(["ab", None, "cde"]).to_pylist() == ["ab", None, "cde"]
    with pytest.raises(ValueError, match="6 bytes of text in one column; 5 at most"):
        text_array(["ab", None, "cdef"])


@pytest.mark.parametrize("text", ["", "x", None])
def test_scalars(text: str | None):
    assert text_scalar(text).equals(pyarrow.scalar(text, pyarrow.string()))


@pytest.mark.parametrize("values", VALUES, ids=lambda values: f"{values.dtype}-{len(values)}")
def test_values_and_back(values: np.ndarray):
    array = array_of(values)
    array.validate(full=True)
    assert str(array) == str(pyarrow.array(values)) and array.type == pyarrow.array(values).type
    for part, ours in ((array, values), (array.slice(1), values[1:]), (array.slice(3, 9), values[3:12])):
        assert numpy_of(part).dtype == values.dtype
        np.testing.assert_array_equal(numpy_of(part), ours)


@pytest.mark.parametrize("values", VALUES, ids=lambda values: f"{values.dtype}-{len(values)}")
def test_nulls(values: np.ndarray):
    is_null = np.arange(len(values)) % 2 == 1
    array = array_of(values, is_null)
    array.validate(full=True)
    assert str(array) == str(pyarrow.array(values, mask=is_null))
    np.testing.assert_array_equal(numpy_of(array)[~is_null], values[~is_null])


def test_figures_are_nan_where_a_column_is_null():
    column = pyarrow.chunked_array([[1, None], [], [3]], pyarrow.int32())
    np.testing.assert_array_equal(figures_of(column), [1, np.nan, 3])
    whole = figures_of(pyarrow.array([1, 2], pyarrow.int32()))
    assert whole.dtype == np.int32 and whole.tolist() == [1, 2]


def test_an_array_of_another_library_without_memory():
    empty = pyarrow.Array.from_buffers(pyarrow.int32(), 0, [None, None])
    assert numpy_of(empty).shape == (0,)


def test_readers_and_writers_leave_conversions_that_load_pandas_alone():
    conversion = re.compile(r"pyarrow\.(array|scalar|repeat)\(|\.to_numpy\(|\.from_py(list|dict)\(")
    files = [*Path(ROOT, "formats").rglob("*.py")]
    found = [f"{path}: {line}" for path in files for line in path.read_text().splitlines() if conversion.search(line)]
    assert files and found == []
