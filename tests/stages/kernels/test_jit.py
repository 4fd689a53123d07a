"""The cache of compiled kernels: its folder changes with any kernel source."""

from __future__ import annotations

import subprocess
import sys

import numba
import pytest
from helpers.places import ROOT

from stages.kernels.jit import KERNEL, STAGES, source_digest


def test_every_source_counts(tmp_path):
    """A changed line in any folder of kernels gives another digest; so does a moved file; other files do not."""
    folder = tmp_path / "kernels" / "family"
    published = tmp_path / "published" / "paper" / "kernels"
    for place in (folder, published):
        place.mkdir(parents=True)
        (place / "one.py").write_text("b = 1")
    (tmp_path / "kernels" / "jit.py").write_text("a = 1")
    digests = [source_digest(tmp_path)]
    (folder / "notes.txt").write_text("nothing compiled")
    (tmp_path / "driver.py").write_text("c = 1")
    assert source_digest(tmp_path) == digests[0]
    for path in (folder / "one.py", published / "one.py", tmp_path / "kernels" / "jit.py"):
        path.write_text("b = 2")
        digests.append(source_digest(tmp_path))
    (folder / "one.py").rename(folder / "two.py")
    digests.append(source_digest(tmp_path))
    assert len(set(digests)) == 5


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_kernels_are_assembled_late():
    """The fallback is silent; with the versions of numba that we allow it is not taken."""
    assert KERNEL is not None


@pytest.mark.slow
def test_the_environment_overrides_the_folder(tmp_path):
    code = "import numba, stages.kernels.jit; print(numba.config.CACHE_DIR)"
    environment = {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path), "PATH": "/usr/bin:/bin"}
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == str(tmp_path / f"kernels-{source_digest(STAGES)}")
