"""The cache of compiled kernels: its folder changes with any kernel source."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest
from helpers.places import ROOT

from stages.kernels.jit import _source_digest
from stages.kernels.kernel_cache import use_cache


def test_every_source_counts(tmp_path, monkeypatch):
    """A changed line in any folder of kernels gives another digest, other files do not matter."""
    folder = tmp_path / "kernels" / "family"
    folder.mkdir(parents=True)
    (tmp_path / "kernels" / "jit.py").write_text("a = 1")
    (folder / "one.py").write_text("b = 1")
    monkeypatch.setattr("stages.kernels.jit.__file__", str(tmp_path / "kernels" / "jit.py"))
    before = _source_digest()
    (folder / "notes.txt").write_text("nothing compiled")
    assert _source_digest() == before
    (folder / "one.py").write_text("b = 2")
    assert _source_digest() != before


@pytest.mark.slow
def test_the_environment_overrides_the_folder(tmp_path):
    code = "import numba, stages.kernels.jit; print(numba.config.CACHE_DIR)"
    environment = {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path), "PATH": "/usr/bin:/bin"}
    found = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == str(tmp_path)


@pytest.mark.slow
def test_copies_of_the_same_sources_share_what_is_compiled(tmp_path):
    code = (
        "import numpy as np; from stages.kernels.bits import has_bit; "
        "has_bit(np.zeros(1, np.uint64), 3); print(sum(has_bit.stats.cache_hits.values()))"
    )

    def cache_hits(root) -> str:
        environment = {
            "PYTHONPATH": str(root),
            "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
            "PATH": "/usr/bin:/bin",
        }
        run = [sys.executable, "-c", code]
        settings = {"env": environment, "cwd": tmp_path, "capture_output": True, "text": True, "check": True}
        return subprocess.run(run, **settings).stdout.strip()

    (tmp_path / "copy" / "stages").mkdir(parents=True)
    shutil.copytree(ROOT / "stages" / "kernels", tmp_path / "copy" / "stages" / "kernels")
    (tmp_path / "copy" / "stages" / "__init__.py").touch()
    assert [cache_hits(ROOT), cache_hits(tmp_path / "copy")] == ["0", "1"]
    changed = tmp_path / "copy" / "stages" / "kernels" / "dominance.py"
    changed.write_text(changed.read_text() + "# changed\n")
    assert cache_hits(tmp_path / "copy") == "0"


def test_what_is_not_compiled_has_no_cache():
    assert use_cache(len, "stamp") is len


@pytest.mark.slow
def test_where_nothing_can_be_stored_kernels_run_all_the_same(tmp_path):
    """A read-only folder, which as root there is none of."""
    code = (
        "import numpy as np; from numba.core.caching import FunctionCache\n"
        "def refuse(*_): raise PermissionError(13, 'read-only')\n"
        "FunctionCache.save_overload = refuse\n"
        "from stages.kernels.bits import has_bit; print(has_bit(np.ones(1, np.uint64), 0))"
    )
    environment = {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path), "PATH": "/usr/bin:/bin"}
    run = [sys.executable, "-c", code]
    found = subprocess.run(run, env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "True" and not list(tmp_path.rglob("*.nbc"))
