"""A platform wheel: the pure one with machine code for each level of processor added.

python tests/tools/kernel_wheel.py PURE.whl -o dist [--levels x86-64-v3 ...]

Kernels and types are those that ``bnsl warm-up`` compiles from the wheel's own files, once per level with numba's
settings NUMBA_CPU_NAME and NUMBA_CPU_FEATURES; see `stages.kernels.shipped`. As they run, levels that this processor
lacks are left out. Of what numba stores only the machine code of kernels that Python calls is taken.

Two builds with the same versions of Python, numba and llvmlite have the same bytes if numba is in the same folder,
since errors of its own functions name their files. Runs of warm-up are limited by work, not by time, and numbers of
functions follow from their arguments (`stages.kernels.function_numbers`); hashes are seeded; `canonical` removes what
else is unstable in numba's files (shared parts of pickles, numbers of types, addresses in names); the archive is
sorted and undated.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import os
import pickle
import platform
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numba.core import types
from numba.core.serialize import NumbaPickler

if TYPE_CHECKING:
    from stages.kernels.shipped import ProcessorLevel

GLIBC = "2_17"
"""Machine code links nothing; its wheels run where those of numba do."""


def chosen(known: Sequence[ProcessorLevel], names: list[str]) -> list[ProcessorLevel]:
    """The levels with these names, all if none is named; `known` are those that this processor can run."""
    wanted = [level for level in known if level.processor in names or not names]
    if not wanted or not {level.processor for level in wanted} >= set(names):
        there = ", ".join(level.processor for level in known) or "none: install the pure wheel, which compiles"
        raise SystemExit(f"levels that this {platform.machine()} processor can run, so that kernels compile: {there}")
    return wanted


def compile_level(unpacked: Path, level: ProcessorLevel, cache: Path) -> Path:
    """Compile all kernels for a level; the folder of numba's cache."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    settings = {
        "PYTHONPATH": str(unpacked),
        "PYTHONHASHSEED": "0",
        "BNSL_FUNCTION_NUMBERS": "0",
        "NUMBA_CACHE_DIR": str(cache),
        "NUMBA_CPU_NAME": level.processor,
        "NUMBA_CPU_FEATURES": level.features,
    }
    # One process at a time: two that store variants of the same kernel could lose one.
    run = [sys.executable, "-P", "-m", "bnsl_cli", "warm-up", "-j", "1", "--quiet"]
    subprocess.run(run, env={**kept, **settings}, cwd=cache.parent, check=True)
    (folder,) = cache.glob("kernels-*")
    return folder


def take_machine_code(cached: Path, target: Path) -> None:
    """Copy the variants that have machine code, without bitcode."""
    from stages.kernels.kernel_cache import read_checked

    target.mkdir(parents=True)
    for index in sorted(cached.glob("*.nbi")):
        kept = {}
        for key, name in pickle.loads(read_checked(str(index))).items():
            (library, _, code), *rest = pickle.loads(read_checked(str(cached / name)))
            if code is not None:
                kept[key] = name
                write_checked(target / name, canonical(((library, None, code), *rest), name))
        if kept:
            write_checked(target / index.name, canonical(kept, index.name))


def write_checked(path: Path, content: bytes) -> None:
    """Write a file that `stages.kernels.kernel_cache.read_checked` reads."""
    from stages.kernels.kernel_cache import checksum_of

    path.write_bytes(checksum_of(path.name, content) + content)


class _Pickler(NumbaPickler):
    """Nothing is shared between parts of a pickle, and types lack their numbers in this process.

    Which equal strings and types are one object differs from run to run. Reading shares again what has to be, and
    numbers anew: numba has one object for each type and environment of a process.
    """

    def __init__(self, stream: io.BytesIO):
        super().__init__(stream, protocol=4)
        self.fast = True

    def reducer_override(self, obj):
        if isinstance(obj, types.Type):
            reduced: Any = obj.__reduce__()
            rebuild, (reconstructor, given, state) = reduced
            return rebuild, (reconstructor, given, {name: state[name] for name in state if name != "_code"})
        return super().reducer_override(obj)


def canonical(content: object, name: str) -> bytes:
    """Pickle of what numba stores, the same for equal contents.

    Parameters
    ----------
    name : str
        Another one for each content. numba names the functions that it makes of expressions on arrays by an address
        in memory; here their names contain a digest of this.
    """
    stream = io.BytesIO()
    _Pickler(stream).dump(content)
    numbers: dict[bytes, bytes] = {}

    def renamed(found: re.Match[bytes]) -> bytes:
        address = found[2]
        digest = hashlib.sha256(f"{name} {len(numbers)}".encode()).hexdigest()
        return found[1] + numbers.setdefault(address, digest[: len(address)].encode())

    return re.sub(rb"(__numba_array_expr_0x)([0-9a-f]+)", renamed, stream.getvalue())


def platform_tag() -> str:
    """Tag of this Python and platform."""
    place = sysconfig.get_platform()
    place = place.replace("linux", f"manylinux_{GLIBC}") if platform.libc_ver()[0] == "glibc" else place
    return f"cp{sys.version_info.major}{sys.version_info.minor}-none-{re.sub(r'[-.]', '_', place)}"


def write_wheel(unpacked: Path, target: Path, tag: str) -> None:
    """Pack a folder as a wheel with this tag; the same files give the same bytes."""
    (info,) = unpacked.glob("*.dist-info")
    about = re.sub(r"(?m)^Tag: .*\n", "", (info / "WHEEL").read_text())
    (info / "WHEEL").write_text(about.replace("Purelib: true", "Purelib: false").rstrip() + f"\nTag: {tag}\n\n")
    record = info / "RECORD"
    names = [str(p.relative_to(unpacked)) for p in sorted(unpacked.rglob("*")) if p.is_file() and p != record]
    lines = []
    for name in names:
        content = (unpacked / name).read_bytes()
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        lines.append(f"{name},sha256={digest},{len(content)}\n")
    own = str(record.relative_to(unpacked))
    record.write_text("".join([*lines, f"{own},,\n"]))
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name in [*names, own]:
            entry = zipfile.ZipInfo(name)
            entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
            wheel.writestr(entry, (unpacked / name).read_bytes())


def build(pure: Path, folder: Path, levels: list[str]) -> Path:
    """Write the platform wheel of a pure one into a folder; all levels of this machine by default."""
    with tempfile.TemporaryDirectory() as place:
        unpacked = Path(place, "wheel")
        zipfile.ZipFile(pure).extractall(unpacked)
        sys.path.insert(0, str(unpacked))
        from stages.kernels.shipped import FOLDER, levels_here

        wanted = chosen(levels_here(), levels)
        assert FOLDER.is_relative_to(unpacked), f"{FOLDER} is not of {pure}"
        with ThreadPoolExecutor() as pool:
            caches = [Path(place, level.processor) for level in wanted]
            found = list(pool.map(compile_level, [unpacked] * len(wanted), wanted, caches))
        for level, cached in zip(wanted, found):
            take_machine_code(cached, FOLDER / cached.name / level.processor)
        for entry in FOLDER.rglob("*.nbc"):
            # Messages of numba about arrays of different lengths do.
            assert str(unpacked).encode() not in entry.read_bytes(), f"{entry.name} contains the path of this build"
        for compiled in unpacked.rglob("__pycache__"):
            for file in compiled.iterdir():
                file.unlink()
            compiled.rmdir()
        tag = platform_tag()
        folder.mkdir(exist_ok=True)
        target = folder / pure.name.replace("py3-none-any", tag)
        write_wheel(unpacked, target, tag)
    return target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pure", type=Path)
    parser.add_argument("-o", dest="folder", type=Path, default=Path("dist"))
    parser.add_argument("--levels", nargs="*", default=[])
    given = parser.parse_args()
    wheel = build(given.pure, given.folder, given.levels)
    print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
