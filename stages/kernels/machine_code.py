"""Machine code is made once, for what Python calls, together with all that it calls in turn.

numba optimises and assembles each function when it is compiled, puts the result into every function that calls it and
does all again there: a kernel four calls deep is optimised four times. Here a kernel that only other kernels call
stays as it was written down; what Python calls takes in all of its callees at once and is optimised and assembled as
one piece, with all in view when it is chosen what to inline. A first run with an empty cache takes about a fifth less
processor time (`parentsets --indep` 34.7 s in place of 42.6, `--greedy` 39.4 in place of 48.0, measured in pairs).

numba has no door for this: `WholeLibrary` overrides private methods of its libraries, `Kernel` of its dispatchers.
Where a release has others, `assemble_late` leaves numba as it is and kernels are compiled in its usual way.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator

from numba.core import event
from numba.core.codegen import JITCodeLibrary, ll
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.runtime import rtsys

from .reference_counts import holds_arrays

_RELIED_ON = (
    "_ensure_finalized",
    "_finalize_final_module",
    "_get_compiled_object",
    "_get_module_for_linking",
    "_optimize_final_module",
    "_optimize_functions",
    "_set_compiled_object",
    "_unserialize",
    "get_pointer_to_function",
    "serialize_using_object_code",
)


class WholeLibrary(JITCodeLibrary):
    """The functions of one kernel: as they were written down until a pointer to one that Python calls is wanted."""

    _is_assembled = False
    _parts: list[bytes] | None = None

    def finalize(self):
        """Nothing is added from here on; nothing is optimised yet."""
        self._raise_if_finalized()
        for library in self._linking_libraries:
            self._reload_init.update(library._reload_init)
        self._finalized = True

    def get_pointer_to_function(self, name):
        """Address of the machine code of a function, made now; 0 if this library does not define it."""
        self._ensure_finalized()
        if not self._is_assembled:
            if not any(function.name == name for function in self.get_defined_functions()):
                return 0
            self._assemble()
        return super().get_pointer_to_function(name)

    def parts(self) -> list[bytes]:
        """Bitcode of this library and of all that it calls, directly or not, each before what it calls itself.

        LLVM takes over what is called in a module so far and leaves out the rest, so callers come first.
        """
        if self._parts is None:
            callees: dict[bytes, None] = {}  # the last ones first, each once
            for library in self._linking_libraries:
                callees.update(dict.fromkeys(reversed(_parts_of(library))))
            self._parts = [self._get_module_for_linking().as_bitcode(), *reversed(callees)]
        return self._parts

    def _optimize_functions(self, ll_module):
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self):
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)

    @global_compiler_lock
    def _assemble(self):
        for part in self.parts()[1:]:
            self._final_module.link_in(ll.parse_bitcode(part))
        self._optimize_final_module()
        self._final_module.verify()
        self._is_assembled = True
        self._finalize_final_module()

    def serialize_using_object_code(self):
        """What the cache stores: machine code if there is any, else what callers of these functions link."""
        if not self._is_assembled:
            return self.name, "parts", self.parts()
        names = [function.name for function in self.get_defined_functions()]
        return self.name, "code", (self._get_compiled_object(), names)

    @classmethod
    def _unserialize(cls, codegen, state):
        name, kind, content = state
        library = codegen.create_library(name)
        library._finalized = True
        if kind == "parts":
            library._parts = content
            return library
        code, names = content
        library.enable_object_caching()
        library._set_compiled_object(code)
        library._is_assembled = True
        library._finalize_final_module()
        codegen._engine._defined_symbols.update(names)
        return library


def _parts_of(library) -> list[bytes]:
    if isinstance(library, WholeLibrary):
        return library.parts()
    return [library._get_module_for_linking().as_bitcode()]  # numba's own functions


class Kernel(CPUDispatcher):
    """A compiled function; a way in from Python is made, and machine code, when Python calls it."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.ways_in = {}
        self._called_from_python = False

    def _compile_for_args(self, *args, **kws):
        with global_compiler_lock, _no_collection():
            self._called_from_python = True
            try:
                return super()._compile_for_args(*args, **kws)
            finally:
                self._called_from_python = False

    def compile(self, sig):
        """Compile for these argument types; a kernel calls for it while it is compiled, or Python."""
        with global_compiler_lock:
            if not self._called_from_python:
                return super().compile(sig)
            self._called_from_python = False
            if sig not in self.ways_in:
                self.ways_in[sig] = self._load_way_in(sig) or self._compile_way_in(sig)
                self._insert([kind._code for kind in sig], self.ways_in[sig].entry_point, False)
            return self.ways_in[sig].entry_point

    def add_overload(self, cres):
        """Keep what was compiled; Python does not get to see it, there is no way in."""
        self.overloads[tuple(cres.signature.args)] = cres

    def _load_way_in(self, sig):
        way_in = self._ways_in.load_overload(sig, self.targetctx)
        if way_in is not None:
            self._cache_hits[sig] += 1
        return way_in

    def _compile_way_in(self, sig):
        # Said once more than for its parts, so that the seconds until there is machine code count as compiling.
        with event.trigger_event(
            "numba:compile", data={"dispatcher": self, "args": sig, "return_type": None}
        ):
            super().compile(sig)
            way_in = self._make_way_in(self.overloads[sig])
        self._ways_in.save_overload(sig, way_in)
        return way_in

    def _make_way_in(self, cres):
        """A function that Python can call, which takes the arrays out of their objects."""
        # Arrays are counted where one is handed back to Python.
        context = self.targetctx.subtarget(enable_nrt=holds_arrays(cres.signature.return_type))
        library = context.codegen().create_library(cres.library.name)
        library.enable_object_caching()
        context.create_cpython_wrapper(
            library, cres.fndesc, cres.environment, cres.call_helper, release_gil=True
        )
        library.add_linking_library(cres.library)
        library.add_linking_library(rtsys.library)
        entry_point = context.get_executable(library, cres.fndesc, cres.environment)
        return cres._replace(library=library, entry_point=entry_point, target_context=context)


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Python does not look for garbage meanwhile: millions of small objects are made and all are needed till the end.

    Looking through them again and again took an eighth of the time of a compilation.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def assemble_late() -> bool:
    """Make numba use `WholeLibrary` for what is compiled from now on, functions of its own that kernels call, too.

    Returns
    -------
    bool
        Whether it does; False, and nothing is changed, where this numba is built in another way.
    """
    codegen = cpu_target.target_context.codegen()
    if not all(hasattr(JITCodeLibrary, name) for name in _RELIED_ON):
        return False
    if not (hasattr(codegen, "set_env") and hasattr(codegen, "_pass_builder")):  # LLVM's older pass managers
        return False
    codegen._library_class = WholeLibrary
    set_address = codegen.set_env

    def set_env(env_name, env):
        if codegen._engine.get_global_value_address(env_name):  # not of what has no machine code
            set_address(env_name, env)

    codegen.set_env = set_env
    return True
