"""Entry points in C's convention around compiled kernels, and texts that describe their types.

``int32 NAME(int64 *taken, int64 *given, void **exception)`` reads the arguments of a kernel from slots of eight bytes
and writes its results to others; it returns numba's status, and with an exception where that is described. An array
takes a slot for its data and one for each length, in C's order. A number takes one slot, a tuple the slots of its
entries.

A text has a letter for each type, as `caller.c` reads it:

    l i b L I B   whole numbers of 64, 32, 8 bits, with sign and without; d float64; ? bool
    Aln           a C-contiguous array of int64 (or another letter) of n dimensions
    (...)         a tuple; @module:class;(...) a `NamedTuple`, which results are made as
    G             a `numpy.random.Generator`
    n             None
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.registry import cpu_target

from stages.kernels import arguments
from stages.kernels.random_generators import MEMBERS, SOURCE

CONTEXT = cpu_target.target_context
SLOT, DOUBLE, ADDRESS = ir.IntType(64), ir.DoubleType(), ir.IntType(8).as_pointer()

TUPLES: Any = types.BaseTuple
NUMBERS = {name: letter for letter, name in arguments.NUMBERS.items()}


def text_of(kind: Any, names_classes: bool = False) -> str:
    """The text of a type; `names_classes`: with the class of each `NamedTuple`.

    Raises `TypeError` for a type that kernels must not take or give.
    """
    if isinstance(kind, TUPLES):
        made = getattr(kind, "instance_class", None)
        prefix = f"@{made.__module__}:{made.__qualname__};" if names_classes and made else ""
        return f"{prefix}({''.join(text_of(each, names_classes) for each in kind.types)})"
    if isinstance(kind, types.Array) and kind.layout == "C" and kind.mutable and str(kind.dtype) in NUMBERS:
        return f"A{NUMBERS[str(kind.dtype)]}{kind.ndim}"
    if isinstance(kind, types.NumPyRandomGeneratorType):
        return "G"
    if isinstance(kind, types.NoneType):
        return "n"
    if str(kind) in NUMBERS:
        return NUMBERS[str(kind)]
    raise TypeError(f"no kernel takes or gives {kind}")


class Slots:
    """Slots from an address on, read or written one after the other."""

    def __init__(self, builder: ir.IRBuilder, base: ir.Value):
        self.builder, self.base, self.used = builder, base, 0

    def _next(self, kind: ir.Type) -> ir.Value:
        place = self.builder.gep(self.base, [ir.Constant(SLOT, self.used)])
        self.used += 1
        return self.builder.bitcast(place, kind.as_pointer())

    def load(self, kind: ir.Type) -> ir.Value:
        """What the next slot holds."""
        return self.builder.load(self._next(kind))

    def store(self, value: ir.Value) -> None:
        """Fill the next slot."""
        self.builder.store(value, self._next(value.type))


def taken(kind: Any, slots: Slots) -> ir.Value:
    """An argument as numba passes it, made from its slots."""
    builder = slots.builder
    if isinstance(kind, TUPLES):
        return CONTEXT.make_tuple(builder, kind, [taken(each, slots) for each in kind.types])
    if isinstance(kind, types.Array):
        return _taken_array(kind, slots)
    if isinstance(kind, types.NumPyRandomGeneratorType):
        return _taken_generator(kind, slots)
    if isinstance(kind, types.NoneType):
        return CONTEXT.get_dummy_value()
    if kind == types.float64:
        return slots.load(DOUBLE)
    value, bits = slots.load(SLOT), 1 if kind == types.boolean else kind.bitwidth
    return builder.trunc(value, ir.IntType(bits)) if bits < SLOT.width else value


def _taken_array(kind: types.Array, slots: Slots) -> ir.Value:
    """Strides follow from the lengths; nobody counts references to it."""
    builder, array = slots.builder, CONTEXT.make_array(kind)(CONTEXT, slots.builder)
    data = slots.load(ADDRESS)
    shape = [slots.load(SLOT) for _ in range(kind.ndim)]
    item_size = ir.Constant(SLOT, CONTEXT.get_abi_sizeof(CONTEXT.get_data_type(kind.dtype)))
    strides: list[ir.Value] = []
    step = item_size
    for length in reversed(shape):
        strides.insert(0, step)
        step = builder.mul(step, length)
    CONTEXT.populate_array(
        array,
        data=builder.bitcast(data, array.data.type),
        shape=shape,
        strides=strides,
        itemsize=item_size,
        meminfo=ir.Constant(ADDRESS, None),
    )
    return array._getvalue()


def _taken_generator(kind: types.Type, slots: Slots) -> ir.Value:
    """The slot holds the address of numpy's ``bitgen_t``."""
    builder = slots.builder
    passed = cgutils.create_struct_proxy(kind)(CONTEXT, builder)
    source = cgutils.create_struct_proxy(SOURCE)(CONTEXT, builder)
    members = builder.bitcast(slots.load(ADDRESS), SLOT.as_pointer())
    for index, name in enumerate(MEMBERS):
        setattr(source, name, builder.load(builder.gep(members, [ir.Constant(SLOT, index)])))
    passed.bit_generator = source._getvalue()
    passed.parent = ir.Constant(ADDRESS, None)
    return passed._getvalue()


def give(kind: Any, value: ir.Value, slots: Slots) -> None:
    """Write a result; an array as its record of memory (which the caller has to release), data and lengths."""
    builder = slots.builder
    if isinstance(kind, TUPLES):
        for position, each in enumerate(kind.types):
            give(each, builder.extract_value(value, position), slots)
    elif isinstance(kind, types.Array):
        array = CONTEXT.make_array(kind)(CONTEXT, builder, value=value)
        slots.store(array.meminfo)
        slots.store(builder.bitcast(array.data, ADDRESS))
        for length in cgutils.unpack_tuple(builder, array.shape, kind.ndim):
            slots.store(length)
    elif kind == types.float64:
        slots.store(value)
    elif not isinstance(kind, types.NoneType):
        is_short = kind == types.boolean or kind.bitwidth < SLOT.width
        widen = builder.sext if getattr(kind, "signed", False) else builder.zext
        slots.store(widen(value, SLOT) if is_short else value)


def entry_module(name: str, fndesc: Any) -> tuple[ir.Module, int, int]:
    """A module with the entry point `name` of the function that numba describes, and the numbers of its slots."""
    module = CONTEXT.create_module(name)
    kind = ir.FunctionType(ir.IntType(32), [SLOT.as_pointer(), SLOT.as_pointer(), ADDRESS.as_pointer()])
    entry = ir.Function(module, kind, name)
    builder = ir.IRBuilder(entry.append_basic_block("entry"))
    convention, given_kind = CONTEXT.call_conv, fndesc.restype
    callee = ir.Function(module, convention.get_function_type(given_kind, fndesc.argtypes), fndesc.llvm_func_name)
    takes, gives = Slots(builder, entry.args[0]), Slots(builder, entry.args[1])
    arguments = [taken(each, takes) for each in fndesc.argtypes]
    status, value = convention.call_function(builder, callee, given_kind, fndesc.argtypes, arguments)
    with builder.if_then(status.is_error, likely=False):
        builder.store(builder.bitcast(status.excinfoptr, ADDRESS), entry.args[2])
        builder.ret(status.code)
    give(given_kind, value, gives)
    builder.ret(ir.Constant(ir.IntType(32), 0))
    return module, takes.used, gives.used
