"""Kernels that only look into arrays which others own are compiled without reference counts.

numba counts references at every mention of an array, for each array of a named tuple: thousands of instructions in a
kernel of a hundred lines, most of which its optimiser removes again, for half of the time of a compilation. A kernel
that allocates nothing and returns no array has nothing to free, and its caller keeps the arrays alive.
"""

from __future__ import annotations

from numba.core import ir, types
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.typed_passes import AnnotateTypes, NativeLowering

from .values import KernelLowering

# What gives an array without making one: a field or an item of something that there is already.
_LOOKS = {"build_tuple", "exhaust_iter", "cast", "phi"}
# Types without references to count; anything not named here (lists, strings, ...) keeps its counts.
_PLAIN = (
    types.Number,
    types.Boolean,
    types.NoneType,
    types.Omitted,
    types.SliceType,
    types.SliceLiteral,
    types.RangeType,
    types.RangeIteratorType,
    types.ArrayIterator,
    types.Literal,
    types.Function,
    types.BoundFunction,
    types.Dispatcher,
    types.NumberClass,
    types.NamedTupleClass,
    types.ClassType,
    types.ExceptionClass,
    types.ExceptionInstance,
    types.Module,
    types.DType,
    types.NumPyRandomGeneratorType,
    types.EllipsisType,
)


class KernelCompiler(CompilerBase):
    """numba's usual way, with a look at who owns the arrays before machine instructions are written."""

    def define_pipelines(self):
        """The passes."""
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.add_pass_after(LeaveOutReferenceCounts, AnnotateTypes)
        pipeline.passes = [
            (KernelLowering if made is NativeLowering else made, text) for made, text in pipeline.passes
        ]
        pipeline.finalize()
        return [pipeline]


@register_pass(mutates_CFG=False, analysis_only=True)
class LeaveOutReferenceCounts(AnalysisPass):
    """Switch them off for a kernel that owns nothing."""

    _name = "leave_out_reference_counts"

    def __init__(self):
        AnalysisPass.__init__(self)

    def run_pass(self, state):
        """Judge by the types that were inferred."""
        if _owns_nothing(state):
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
        return False


def _owns_nothing(state) -> bool:
    """Whether no statement makes an array, and none is handed back."""
    typemap = state.typemap
    if holds_arrays(state.return_type) or not all(_is_plain(kind) for kind in typemap.values()):
        return False
    return not any(
        _may_allocate(statement, typemap)
        for block in state.func_ir.blocks.values()
        for statement in block.body
    )


def _may_allocate(statement, typemap) -> bool:
    if isinstance(statement, ir.SetItem | ir.StaticSetItem):
        # Rows given for rows may overlap, so numba copies them first.
        return any(
            holds_arrays(typemap[used.name]) for used in statement.list_vars() if used != statement.target
        )
    if not isinstance(statement, ir.Assign) or not holds_arrays(typemap[statement.target.name]):
        return False
    value = statement.value
    if not isinstance(value, ir.Expr):
        return False
    if value.op == "call":
        return not isinstance(typemap[value.func.name], types.NamedTupleClass)
    if value.op == "getattr":
        return isinstance(typemap[value.value.name], types.Array) and value.attr != "T"
    if value.op in ("getitem", "static_getitem"):
        # Rows chosen by an array are copied.
        return any(holds_arrays(typemap[used.name]) for used in value.list_vars() if used != value.value)
    return value.op not in _LOOKS


def holds_arrays(kind) -> bool:
    """Whether values of this type are arrays or tuples with arrays."""
    return isinstance(kind, types.Array) or (
        isinstance(kind, types.BaseTuple) and any(holds_arrays(part) for part in kind)
    )


def _is_plain(kind) -> bool:
    if isinstance(kind, types.BaseTuple):
        return all(_is_plain(part) for part in kind)
    if isinstance(kind, types.Pair):
        return _is_plain(kind.first_type) and _is_plain(kind.second_type)
    return isinstance(kind, (types.Array, *_PLAIN))
