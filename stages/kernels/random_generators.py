"""Passing random generators to kernels: read from numpy's C interface, without running Python.

numba reads the functions of a generator by calling ``ctypes.cast``, a Python function, and does not check whether
that succeeded: if a signal arrives just then and its handler raises, the process crashes. It also keeps every
generator that is passed, with 64 bytes a call. numpy documents a C structure with the same functions, which is read
here. All generators get a type of this module; numba's methods of generators apply to it as well.
"""

from contextlib import contextmanager

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import NativeValue, models, register_model, typeof_impl, unbox

MEMBERS = ("state", "fnptr_next_uint64", "fnptr_next_uint32", "fnptr_next_double")
"""numba's names of the first members of ``bitgen_t``; each member is one pointer."""

SOURCE = types.NumPyRandomBitGeneratorType("bit_generator")


class GeneratorType(types.NumPyRandomGeneratorType):
    """numba's type of all random generators."""


GENERATOR = GeneratorType("generator")
typeof_impl.register(np.random.Generator)(lambda _generator, _context: GENERATOR)


@register_model(GeneratorType)
class GeneratorModel(models.StructModel):
    """What kernels hold of a generator; no references are counted."""

    def __init__(self, manager, kind):
        super().__init__(manager, kind, [("bit_generator", SOURCE), ("parent", types.pyobject)])


@unbox(GeneratorType)
def unbox_generator(kind, generator, call):
    """The state and the functions of a `numpy.random.Generator`, which Python keeps alive until the call returns."""
    builder, pointer = call.builder, cgutils.voidptr_t
    passed = cgutils.create_struct_proxy(kind)(call.context, builder)
    passed.parent = generator
    source = cgutils.create_struct_proxy(SOURCE)(call.context, builder)
    is_missing = cgutils.alloca_once_value(builder, cgutils.true_bit)
    with _attribute(call, generator, "bit_generator") as owner, _attribute(call, owner, "capsule") as capsule:
        signature = ir.FunctionType(pointer, (pointer, pointer))
        address_in = cgutils.get_or_insert_function(builder.module, signature, "PyCapsule_GetPointer")
        name_of_capsule = call.context.insert_const_string(builder.module, "BitGenerator")
        address = builder.call(address_in, (capsule, name_of_capsule))
        with builder.if_then(cgutils.is_not_null(builder, address)):
            members = builder.bitcast(address, cgutils.intp_t.as_pointer())
            for index, name in enumerate(MEMBERS):
                setattr(source, name, builder.load(cgutils.gep(builder, members, index)))
            builder.store(cgutils.false_bit, is_missing)
    passed.bit_generator = source._getvalue()
    return NativeValue(passed._getvalue(), is_error=builder.load(is_missing))


@contextmanager
def _attribute(call, owner, name):
    """Code with an attribute that its owner keeps alive; left out where Python raises instead."""
    attribute = call.pyapi.object_getattr_string(owner, name)
    with call.builder.if_then(cgutils.is_not_null(call.builder, attribute)):
        yield attribute
        call.pyapi.decref(attribute)
