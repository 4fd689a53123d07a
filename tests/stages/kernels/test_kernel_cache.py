"""The cache on disk is shared by copies of the sources, and faults in it cost time only."""

from __future__ import annotations

import shutil

import numba
import numpy as np
import pytest
from helpers.compiled import BY_NUMBA, late
from helpers.places import ROOT
from helpers.processes import run_python

from stages.kernels.jit import njit
from stages.kernels.kernel_cache import CheckedFiles, KernelCache


@late
def test_bitcode_does_not_replace_machine_code(tmp_path, monkeypatch):
    """As when another process called from Python what this one compiled as a callee."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))

    @njit
    def inner(value):
        return value + 1

    @njit
    def outer(value):
        return inner(value) + 1

    def is_stored_assembled():
        return KernelCache(inner.py_func).load_overload(types, inner.targetctx).library.is_assembled

    assert outer(1) == 3
    ((types, bitcode),) = inner.overloads.items()
    assert not is_stored_assembled()
    assert inner(1) == 2 and is_stored_assembled()
    inner._cache.save_overload(types, bitcode)
    assert is_stored_assembled()


@late
def test_code_for_other_types_is_not_taken(tmp_path, monkeypatch):
    """As when two processes that stored code at the same time gave their files the same name."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))

    def made():
        @njit
        def first(values):
            return values[0]

        return first

    numbers, halves = np.array([3, 4]), np.array([0.5, 1.5])
    earlier = made()
    assert (earlier(numbers), earlier(halves)) == (3, 0.5)
    stored = sorted(tmp_path.rglob("*.nbc"))
    assert len(stored) == 2
    shutil.copyfile(stored[0], stored[1])
    later, last = made(), made()
    assert (later(numbers), later(halves)) == (3, 0.5)
    assert (last(numbers), last(halves)) == (3, 0.5) and sum(last.stats.cache_hits.values()) == 2


@pytest.mark.slow
def test_copies_of_the_same_sources_share_what_is_compiled(tmp_path):
    code = (
        "import numpy as np; from stages.kernels.bits import has_bit; "
        "has_bit(np.zeros(1, np.uint64), 3); print(sum(has_bit.stats.cache_hits.values()))"
    )

    def cache_hits(root, is_fresh=False) -> str:
        environment = {
            "PYTHONPATH": str(root),
            "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
            "PATH": "/usr/bin:/bin",
        } | BY_NUMBA
        return run_python("-c", code, cwd=tmp_path, env=environment, is_fresh=is_fresh)

    shutil.copytree(ROOT / "stages", tmp_path / "copy" / "stages")
    assert [cache_hits(ROOT, is_fresh=True), cache_hits(tmp_path / "copy")] == ["0", "1"]
    changed = tmp_path / "copy" / "stages" / "kernels" / "dominance.py"
    changed.write_text(changed.read_text() + "# changed\n")
    assert cache_hits(tmp_path / "copy") == "0"


@pytest.mark.slow
def test_where_nothing_can_be_stored_kernels_run_all_the_same(tmp_path):
    """A read-only folder, which as root there is none of."""
    code = (
        "import numpy as np; from numba.core.caching import FunctionCache\n"
        "def refuse(*_): raise PermissionError(13, 'read-only')\n"
        "FunctionCache.save_overload = refuse\n"
        "from stages.kernels.bits import has_bit; print(has_bit(np.ones(1, np.uint64), 0))"
    )
    environment = {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path), "PATH": "/usr/bin:/bin"} | BY_NUMBA
    assert run_python("-c", code, cwd=tmp_path, env=environment) == "True" and not list(tmp_path.rglob("*.nbc"))


def damaged(content: bytes, way: str) -> bytes:
    middle = len(content) // 2
    return {
        "empty": b"",
        "cut short": content[:-1],
        "cut in the middle": content[:middle],
        "zeros": bytes(len(content)),
        "a bit": content[:middle] + bytes([content[middle] ^ 4]) + content[middle + 1 :],
        "the first bit": bytes([content[0] ^ 1]) + content[1:],
        "longer": content + b"\0",
        "backwards": content[::-1],
    }[way]


@pytest.mark.parametrize(
    "way", ["empty", "cut short", "cut in the middle", "zeros", "a bit", "the first bit", "longer", "backwards"]
)
def test_damaged_files_are_seen_and_replaced(tmp_path, way):
    files = CheckedFiles(str(tmp_path), "kernel", None)
    files.save("types", [1, 2])
    files.save("others", [3])
    for name in ("kernel.1.nbc", "kernel.nbi"):
        path = tmp_path / name
        path.write_bytes(damaged(path.read_bytes(), way))
        assert files.load("types") is None
        assert files.load("others") == (None if name.endswith("nbi") else [3])
        files.save("types", [1, 2])
        assert files.load("types") == [1, 2]


def test_files_in_each_others_place_are_seen(tmp_path):
    files = CheckedFiles(str(tmp_path), "kernel", None)
    files.save("types", [1, 2])
    files.save("others", [3])
    one, other = tmp_path / "kernel.1.nbc", tmp_path / "kernel.2.nbc"
    content = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(content)
    assert files.load("types") is None and files.load("others") is None
