"""Late assembly: machine code is made once, for the kernels that Python calls, together with all their callees.

numba optimises and assembles each function when it is compiled, links the result into every caller and optimises it
there again: a kernel four calls deep is optimised four times. Here a kernel stays LLVM bitcode until Python calls
it; then it is linked with its callees, optimised and assembled as one module. A first run with an empty cache takes
about 30 % less processor time (`optimize --data`: 52 s instead of 74 s, measured on a busy machine).

numba has no public interface for this: `KernelLibrary` and `Kernel` override private methods. `install` checks that
they exist; see `compiler` for the fallback.
"""

import copy
import gc
from collections.abc import Iterator
from operator import attrgetter

from llvmlite.binding.newpassmanagers import create_new_function_pass_manager
from numba.core import event, types
from numba.core.codegen import JITCodeLibrary, ll
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import Environment
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.runtime import rtsys

from .kernel_cache import KernelCache

LOADS = 10
"""Attempts at loading machine code; an attempt fails only if a signal arrives within some microseconds."""

_USED_OF_LIBRARIES = (
    "_ensure_finalized",
    "_finalize_final_module",
    "_get_compiled_object",
    "_get_module_for_linking",
    "_optimize_final_module",
    "_optimize_functions",
    "_raise_if_finalized",
    "_set_compiled_object",
    "_unserialize",
    "enable_object_caching",
    "get_defined_functions",
    "get_pointer_to_function",
    "serialize_using_object_code",
)
_USED_OF_DISPATCHERS = ("_compile_for_args", "_insert", "add_overload", "compile", "get_call_template")
_USED_OF_CODE_GENERATOR = (
    "_data_layout",
    "_engine._defined_symbols",
    "_engine.get_global_value_address",
    "_library_class",
    "_module_pass_manager",
    "_pass_builder",  # LLVM's new pass managers
    "set_env",
)


class KernelLibrary(JITCodeLibrary):
    """The functions of one kernel: bitcode until the address of one of them is asked for, then machine code."""

    is_assembled = False
    _bitcode: list[bytes] | None = None

    def finalize(self):
        """Forbid additions; neither link nor optimise yet."""
        self._raise_if_finalized()
        for library in self._linking_libraries:
            self._reload_init.update(library._reload_init)
        self._finalized = True

    def get_pointer_to_function(self, name):
        """Address of the machine code of a function, assembled on demand; 0 if this library does not define it."""
        self._ensure_finalized()
        if not self.is_assembled:
            if not any(function.name == name for function in self.get_defined_functions()):
                return 0
            self._assemble()
        return super().get_pointer_to_function(name)

    def bitcode(self) -> list[bytes]:
        """Modules of this library and of its callees, direct and indirect, each caller before its callees.

        LLVM links only what earlier modules refer to, so callers come first.
        """
        if self._bitcode is None:
            callees: dict[bytes, None] = {}  # in reverse order, without repetitions
            for library in self._linking_libraries:
                callees.update(dict.fromkeys(reversed(_bitcode_of(library))))
            self._bitcode = [self._get_module_for_linking().as_bitcode(), *reversed(callees)]
        return self._bitcode

    def _optimize_functions(self, ll_module):
        """Simplify a kernel once, before it is linked into each of its callers: bitcode shrinks by more than half."""
        ll_module.data_layout = self._codegen._data_layout
        passes, builder = create_new_function_pass_manager(), self._codegen._pass_builder(opt=1)
        passes.add_sroa_pass()  # variables become values
        passes.add_instruction_combine_pass()
        passes.add_simplify_cfg_pass()
        for function in ll_module.functions:
            if not function.is_declaration:
                passes.run(function, builder)

    def _optimize_final_module(self):
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)

    @global_compiler_lock
    def _assemble(self):
        for module in self.bitcode()[1:]:
            self._final_module.link_in(ll.parse_bitcode(module))
        self._optimize_final_module()
        self._final_module.verify()
        self.is_assembled = True
        self._finalize_final_module()

    def serialize_using_object_code(self):
        """Content of a cache file: bitcode for callers, and machine code if there is any."""
        machine_code = None
        if self.is_assembled:
            names = [function.name for function in self.get_defined_functions()]
            machine_code = self._get_compiled_object(), names
        return self.name, self.bitcode(), machine_code

    @classmethod
    def _unserialize(cls, codegen, state):
        # LLVM asks for stored machine code by a callback to Python. An exception that a signal raises in that
        # callback is dropped (the program may raise it again later), and LLVM assembles the module without its
        # functions.
        for _ in range(LOADS):
            library = cls._load(codegen, *state)
            if not library.is_assembled or codegen._engine.get_global_value_address(state[2][1][0]):
                return library
        raise RuntimeError(f"the machine code of {state[0]} does not load")

    @classmethod
    def _load(cls, codegen, name, bitcode, machine_code):
        """A library made from the result of `serialize_using_object_code`."""
        library = codegen.create_library(name)
        library._bitcode = bitcode
        library._finalized = True
        if machine_code is not None:
            code, names = machine_code
            library.enable_object_caching()
            library._set_compiled_object(code)
            library.is_assembled = True
            library._finalize_final_module()
            codegen._engine._defined_symbols.update(names)
        return library


def _bitcode_of(library) -> list[bytes]:
    if isinstance(library, KernelLibrary):
        return library.bitcode()
    return [library._get_module_for_linking().as_bitcode()]  # compiled before `install`


class Kernel(CPUDispatcher):
    """A compiled function; its wrapper for Python and its machine code are made when Python calls it."""

    _is_called_by_python = False

    def enable_caching(self):
        """Use the cache that all copies of the sources share."""
        self._cache = KernelCache(self.py_func)

    def _compile_for_args(self, *args, **kws):
        with global_compiler_lock:
            # A compilation makes millions of small objects and needs them all until it ends; garbage collections took
            # an eighth of its time.
            was_enabled = gc.isenabled()
            gc.disable()
            self._is_called_by_python = True
            try:
                return super()._compile_for_args(*args, **kws)
            finally:
                self._is_called_by_python = False
                if was_enabled:
                    gc.enable()

    def get_call_template(self, args, kws):
        """The variant for a call in another kernel.

        Literals are passed as numbers. numba would compile a variant for each literal, though the optimiser makes the
        same code where it inlines the kernel.
        """
        args, kws = tuple(map(_number, args)), {name: _number(kind) for name, kind in kws.items()}
        return super().get_call_template(args, kws)

    def compile(self, sig):
        """Compile for these argument types; called by Python, or while a caller is compiled."""
        with global_compiler_lock:
            is_called_by_python, self._is_called_by_python = self._is_called_by_python, False
            entry_point = super().compile(sig)
            compiled = self.overloads[sig]
            if self.targetoptions.get("_nrt") is False and _holds_arrays(compiled.signature.return_type):
                raise TypeError(f"{self.py_func.__name__} counts no references, so it must not return arrays")
            if not is_called_by_python or compiled.library.is_assembled:
                return entry_point
            # The first compilation ended with bitcode; this one ends with machine code.
            with event.trigger_event("numba:compile", {"dispatcher": self, "args": sig, "return_type": None}):
                compiled = _with_wrapper(compiled)
            self.targetctx.insert_user_function(compiled.entry_point, compiled.fndesc, [compiled.library])
            self.add_overload(compiled)
            self._cache.save_overload(sig, compiled)
            return compiled.entry_point

    def add_overload(self, cres):
        """Keep a compiled variant; Python's calls are dispatched to it once it has machine code."""
        if cres.library.is_assembled:
            super().add_overload(cres)
        else:
            self.overloads[tuple(cres.signature.args)] = cres


def _number(kind: types.Type) -> types.Type:
    return types.unliteral(kind) if isinstance(kind, (types.IntegerLiteral, types.BooleanLiteral)) else kind


def _holds_arrays(kind: types.Type) -> bool:
    return any(isinstance(part, types.Array) for part in _parts(kind))


def _parts(kind: types.Type) -> Iterator[types.Type]:
    """The types of a tuple's entries, nested tuples included; other types themselves."""
    entries = getattr(kind, "types", None)
    if entries is None:
        yield kind
    else:
        for entry in entries:
            yield from _parts(entry)


def _counts_references(compiled) -> bool:
    """Whether a wrapper has to count references: to returned arrays, or to objects made from arguments.

    Python keeps the arrays that it passes alive until the call returns.
    """
    passed = (part for kind in compiled.signature.args for part in _parts(kind))
    made = [part for part in passed if not isinstance(part, types.Array)]
    models = compiled.target_context.data_model_manager
    return any(models[kind].contains_nrt_meminfo() for kind in (compiled.signature.return_type, *made))


def _with_wrapper(compiled):
    """The compiled kernel with a wrapper that unpacks Python's arguments, assembled.

    If the wrapper counted references, each array passed would take an allocation: 2.2 microseconds a call for the 35
    of `counting.add_one.score_expansions`.

    The wrapper has an environment of its own (constants such as the types of returned arrays). numba keeps one
    environment per name in a process, and the environment of a kernel loaded as a callee would lack the wrapper's
    constants.
    """
    context = compiled.target_context.subtarget(enable_nrt=_counts_references(compiled))
    fndesc = copy.copy(compiled.fndesc)
    fndesc.env_name += ".python"
    environment = Environment.from_fndesc(fndesc)
    library = context.codegen().create_library(compiled.library.name)
    library.enable_object_caching()
    context.create_cpython_wrapper(library, fndesc, environment, compiled.call_helper, release_gil=True)
    library.add_linking_library(compiled.library)
    library.add_linking_library(rtsys.library)
    entry_point = context.get_executable(library, fndesc, environment)
    compiled = compiled._replace(library=library, fndesc=fndesc, environment=environment, entry_point=entry_point)
    used = compiled._find_referenced_environments()  # of the kernel itself and of its callees
    for each in used:
        library.codegen.set_env(each.env_name, each)
    return compiled._replace(referenced_envs=used)


def install() -> None:
    """Make numba use `KernelLibrary` for all that it compiles from now on, its own functions included.

    Raises `AttributeError`, and changes nothing, if this numba lacks something that late assembly needs.
    """
    codegen = cpu_target.target_context.codegen()
    attrgetter(*_USED_OF_LIBRARIES)(JITCodeLibrary)
    attrgetter(*_USED_OF_DISPATCHERS)(CPUDispatcher)
    attrgetter(*_USED_OF_CODE_GENERATOR)(codegen)
    set_address = codegen.set_env

    def set_env(env_name, env):
        if codegen._engine.get_global_value_address(env_name):  # 0 without machine code
            set_address(env_name, env)

    codegen._library_class = KernelLibrary
    codegen.set_env = set_env
