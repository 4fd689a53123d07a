"""Machine code of all kernels for each level of processor, as extension modules beside their sources.

PYTHONPATH=tests python -m tools.native.build [--levels x86_64_v3 ...]

Run it in the project's folder. Tiny runs of every command (`runs`) tell which kernels Python calls, and with which
types: one signature each. numba makes their bitcode; here it is linked with what it calls, optimised and assembled
for each level, also for levels that this processor lacks, and linked with `caller.c`. A file is used where the kernel
sources are unchanged since it was made (`stages.kernels.native`). The C compiler is `cc`, or what CC names.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import platform
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

HERE = Path(__file__).parent


class Level(NamedTuple):
    """A level of processors."""

    processor: str
    """LLVM's name."""
    features: str
    """Further features, as LLVM lists them."""
    fits: str
    """An expression in C: whether the processor has what the code uses."""


LEVELS: dict[str, dict[str, Level]] = {
    "x86_64": {
        "v4": Level(
            "x86-64-v4",
            "+avx512bitalg,+avx512vpopcntdq",  # counts bits in vectors: saves 10 % of the time of scoring
            '__builtin_cpu_supports("x86-64-v4") && __builtin_cpu_supports("avx512bitalg") && '
            '__builtin_cpu_supports("avx512vpopcntdq")',
        ),
        "v3": Level("x86-64-v3", "", '__builtin_cpu_supports("x86-64-v3")'),
        "v2": Level("x86-64-v2", "", '__builtin_cpu_supports("x86-64-v2")'),
    },
    "aarch64": {"v8": Level("generic", "", "1")},
}
"""By machine and name."""


class Row(NamedTuple):
    """A kernel that Python calls."""

    name: str
    symbol: str
    takes: str
    gives: str
    n_takes: int
    n_slots: tuple[int, int]


def recorded() -> list[tuple[Any, Any]]:
    """Kernels that Python calls and the one variant of each, from tiny runs in this process."""
    from . import runs

    runs.run_all()
    found: dict[str, tuple[Any, Any]] = {}
    for name, module in list(sys.modules.items()):
        if not (name.startswith("stages.") and ".kernels." in name):
            continue
        for kernel in vars(module).values():
            called = [
                variant for variant in getattr(kernel, "overloads", {}).values() if variant.library.is_assembled
            ]
            if called:
                (variant,) = called
                found[name_of(kernel.py_func)] = kernel, variant
    return [found[name] for name in sorted(found)]


def name_of(function: Any) -> str:
    """The name of a kernel in the table."""
    return f"{function.__module__}.{function.__qualname__}"


def file_of(level: str, folder: Path) -> Path:
    """The extension module of a level."""
    return folder / f"_native_{level}.abi3.so"


def linked(symbol: str, variant: Any) -> tuple[bytes, tuple[int, int]]:
    """Bitcode of a kernel, its callees and the entry point with this name, and the numbers of slots."""
    from llvmlite import binding

    from .entries import CONTEXT, entry_module

    entry, n_taken, n_given = entry_module(symbol, variant.fndesc)
    module = binding.parse_assembly(str(entry))
    module.data_layout = CONTEXT.codegen()._data_layout
    for code in variant.library.bitcode()[1:]:  # the first one is numba's wrapper for calls from Python
        module.link_in(binding.parse_bitcode(code))
    for function in module.functions:
        if not function.is_declaration and function.name != symbol:
            function.linkage = "linkonce_odr"
    return module.as_bitcode(), (n_taken, n_given)


def assemble(bitcode: dict[str, bytes], level: Level, folder: Path) -> None:
    """Write an object file for each module."""
    from llvmlite import binding

    from .entries import CONTEXT

    codegen = CONTEXT.codegen()
    machine = binding.Target.from_triple(binding.get_process_triple()).create_target_machine(
        opt=3, reloc="pic", codemodel="default", cpu=level.processor, features=level.features
    )
    codegen._tm = machine  # for which numba's passes then optimise
    for symbol, code in bitcode.items():
        module = binding.parse_bitcode(code)
        passes, builder = codegen._module_pass_manager()
        passes.run(module, builder)
        module.verify()
        for part in (*module.functions, *module.global_variables):
            if not part.is_declaration and part.linkage not in (binding.Linkage.internal, binding.Linkage.private):
                part.visibility = "hidden"
        (folder / f"{symbol}.o").write_bytes(machine.emit_object(module))


def table_text(rows: list[Row], level: Level, digest: str, module: str) -> str:
    """The header that `caller.c` includes."""
    signature = '(int64_t *, int64_t *, void **) __attribute__((visibility("hidden")))'
    return "\n".join(
        [
            *(f"int32_t {row.symbol}{signature};" for row in rows),
            "static const Row rows[] = {",
            *(f'    {{"{row.name}", "{row.takes}", "{row.gives}", {row.n_takes}, {row.symbol}}},' for row in rows),
            "};",
            f"#define N_ROWS {len(rows)}",
            f"#define MOST_ARGUMENTS {max(row.n_takes for row in rows) or 1}",
            f"#define MOST_TAKEN {max(row.n_slots[0] for row in rows) or 1}",
            f"#define MOST_GIVEN {max(row.n_slots[1] for row in rows) or 1}",
            f'#define DIGEST "{digest}"',
            f"#define FITS {level.fits}",
            f"#define MODULE PyInit_{module}",
            "",
        ]
    )


def link(rows: list[Row], level: Level, digest: str, folder: Path, target: Path) -> None:
    """Link the object files of a level with the caller: an extension module."""
    module = target.name.partition(".")[0]
    (folder / "table.h").write_text(table_text(rows, level, digest, module))
    objects = sorted(map(str, folder.glob("*.o")))
    options = [
        "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Werror", "-Wl,--gc-sections", "-Wl,-s",
        f"-I{folder}", f"-I{HERE}", f"-I{sysconfig.get_path('include')}", f"-I{np.get_include()}",
    ]  # fmt: skip
    sources = [str(HERE / name) for name in ("caller.c", "numba_runtime.c")]
    compiler = os.environ.get("CC", "cc").split()
    subprocess.run([*compiler, *options, "-o", str(target), *sources, *objects, "-lm"], check=True)
    ctypes.PyDLL(str(target))  # raises OSError for names that nothing defines


def build(variants: list[tuple[Any, Any]], levels: dict[str, Level], digest: str, folder: Path) -> list[Path]:
    """Write the extension modules of kernels, given with their compiled variants, for some levels."""
    from .entries import text_of

    rows, bitcode = [], {}
    for number, (kernel, variant) in enumerate(variants):
        symbol, kinds = f"bnsl_{number:03d}", variant.fndesc.argtypes
        bitcode[symbol], n_slots = linked(symbol, variant)
        gives = text_of(variant.fndesc.restype, names_classes=True)
        takes = "".join(map(text_of, kinds))
        rows.append(Row(name_of(kernel.py_func), symbol, takes, gives, len(kinds), n_slots))
    made = []
    for name, level in levels.items():
        target = file_of(name, folder)
        with tempfile.TemporaryDirectory() as place:
            assemble(bitcode, level, Path(place))
            link(rows, level, digest, Path(place), target)
        made.append(target)
    return made


def digest_of_sources(stages: Path) -> str:
    """The digest that machine code of these sources has."""
    from stages.kernels.native import source_digest

    return source_digest(str(stages))


def is_current(path: Path, digest: str) -> bool:
    """Whether a file was made of these kernels, by the files of this folder as they are."""
    newest = max(source.stat().st_mtime for source in HERE.iterdir() if source.is_file())
    return path.exists() and path.stat().st_mtime > newest and digest.encode() in path.read_bytes()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    known = {f"{platform.machine()}_{name}": level for name, level in LEVELS.get(platform.machine(), {}).items()}
    parser.add_argument("--levels", nargs="*", choices=list(known), default=list(known))
    wanted = parser.parse_args().levels
    if sys.platform != "linux":
        raise SystemExit(
            "machine code is made on Linux so far: elsewhere numba compiles kernels when they are called"
        )
    os.environ["NUMBA_OPT"] = "3"  # numba's default; with settings of numba's, no earlier file is used
    folder = Path("stages", "kernels")
    digest = digest_of_sources(Path("stages"))
    levels = {name: known[name] for name in wanted if not is_current(file_of(name, folder), digest)}
    for path in build(recorded(), levels, digest, folder) if levels else ():
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
