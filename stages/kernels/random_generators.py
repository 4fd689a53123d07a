"""Passing random generators to kernels: read from numpy's C interface, without running Python.

numba reads the functions of a generator by calling ``ctypes.cast``, a Python function, and does not check whether
that succeeded: if a signal arrives just then and its handler raises, the process crashes. It also keeps every
generator that is passed, with 64 bytes a call. numpy documents a C structure with the same functions, which is read
here.
"""

from contextlib import contextmanager

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.boxing import unbox_numpy_random_generator
from numba.core.pythonapi import _unboxers
from numba.extending import NativeValue

CAPSULE_NAME = "BitGenerator"
"""Name of the capsule that holds numpy's ``bitgen_t``."""

MEMBERS = {"state": 0, "state_address": 0, "fnptr_next_uint64": 1, "fnptr_next_uint32": 2, "fnptr_next_double": 3}
"""numba's names of the first members of ``bitgen_t``, with their places: each is one pointer."""


def install_unboxing() -> None:
    """Read generators so in all that numba compiles from now on, unless this numba reads them in a way of its own."""
    if _unboxers.functions.get(types.NumPyRandomGeneratorType) is unbox_numpy_random_generator:
        _unboxers.functions[types.NumPyRandomGeneratorType] = unbox_generator


def unbox_generator(kind, generator, call):
    """The state and the functions of a `numpy.random.Generator`, which Python keeps alive until the call returns."""
    builder, pointer = call.builder, cgutils.voidptr_t
    passed = cgutils.create_struct_proxy(kind)(call.context, builder)
    passed.parent = generator
    passed.meminfo = pointer(None)  # no references are counted
    source = cgutils.create_struct_proxy(types.NumPyRandomBitGeneratorType("bit_generator"))(call.context, builder)
    is_missing = cgutils.alloca_once_value(builder, cgutils.true_bit)
    with _attribute(call, generator, "bit_generator") as bit_generator:
        source.parent = bit_generator
        with _attribute(call, bit_generator, "capsule") as capsule:
            capsule_name = call.context.insert_const_string(builder.module, CAPSULE_NAME)
            signature = ir.FunctionType(pointer, (pointer, pointer))
            address_in = cgutils.get_or_insert_function(builder.module, signature, "PyCapsule_GetPointer")
            address = builder.call(address_in, (builder.bitcast(capsule, pointer), capsule_name))
            with builder.if_then(cgutils.is_not_null(builder, address)):
                members = builder.bitcast(address, cgutils.intp_t.as_pointer())
                for name, index in MEMBERS.items():
                    setattr(source, name, builder.load(cgutils.gep(builder, members, index)))
                builder.store(cgutils.false_bit, is_missing)
    passed.bit_generator = source._getvalue()
    return NativeValue(passed._getvalue(), is_error=builder.load(is_missing))


@contextmanager
def _attribute(call, owner, name):
    """Code with an attribute, which its owner keeps alive; left out where Python raises instead."""
    attribute = call.pyapi.object_getattr_string(owner, name)
    with call.builder.if_then(cgutils.is_not_null(call.builder, attribute)):
        yield attribute
        call.pyapi.decref(attribute)
