"""Bit tricks on 64-bit words, compiled to the processor's own instructions."""

from __future__ import annotations

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

if numba.config.DISABLE_JIT:

    def popcount(word):
        """Number of set bits of a uint64."""
        return np.uint64(int(word).bit_count())

    def lowest_bit(word):
        """Position of the lowest set bit of a non-zero uint64."""
        value = int(word)
        return np.uint64((value & -value).bit_length() - 1)

else:

    @intrinsic
    def popcount(typing_context, word):
        """Number of set bits of a uint64 (LLVM ``ctpop``); loops over it vectorise."""

        def generate(context, builder, signature, arguments):
            return builder.ctpop(arguments[0])

        return types.uint64(types.uint64), generate

    @intrinsic
    def lowest_bit(typing_context, word):
        """Position of the lowest set bit of a non-zero uint64 (LLVM ``cttz``)."""

        def generate(context, builder, signature, arguments):
            zero_is_undefined = ir.Constant(ir.IntType(1), 1)
            return builder.cttz(arguments[0], zero_is_undefined)

        return types.uint64(types.uint64), generate
