"""Texts that describe the types of a kernel, and types that no kernel may have."""

from __future__ import annotations

import pytest
from helpers.sample_kernels import Pair
from numba.core import types
from tools.native.entries import text_of

from stages.kernels.random_generators import GENERATOR


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (types.int64, "l"), (types.int32, "i"), (types.int8, "b"), (types.uint64, "L"), (types.uint32, "I"),
        (types.uint8, "B"), (types.float64, "d"), (types.boolean, "?"), (types.none, "n"), (GENERATOR, "G"),
        (types.float64[:, :, ::1], "Ad3"), (types.boolean[::1], "A?1"), (types.UniTuple(types.int64, 2), "(ll)"),
        (types.Tuple((types.int8, types.Tuple((types.int32[::1], types.none)))), "(b(Ai1n))"),
        (types.NamedTuple((types.int64[::1], types.float64), Pair), "(Al1d)"),
    ],
)  # fmt: skip
def test_types_as_texts(kind, text):
    assert text_of(kind) == text
    classes = "@helpers.sample_kernels:Pair;" if isinstance(kind, types.NamedTuple) else ""
    assert text_of(kind, names_classes=True) == classes + text


@pytest.mark.parametrize(
    "kind",
    [
        types.int16, types.float32, types.complex128, types.unicode_type, types.ListType(types.int64),
        types.int64[:], types.int64[:, :], types.int64[::1, :], types.float32[::1],
        types.Array(types.int64, 1, "C", readonly=True), types.Tuple((types.int64, types.float32)),
        types.Optional(types.int64), types.IntegerLiteral(3),
    ],
)  # fmt: skip
def test_types_that_kernels_must_not_have(kind):
    with pytest.raises(TypeError, match="no kernel takes or gives"):
        text_of(kind)
