"""Settings of numba that cannot be used are usage errors in the user's words."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.processes import run_bnsl


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("NUMBA_NUM_THREADS", "0", b"NUMBA_NUM_THREADS is 0 in the environment, and must be at least 1: unset it"),
        ("NUMBA_NUM_THREADS", "-3", b"NUMBA_NUM_THREADS is -3"),
        ("NUMBA_CPU_FEATURES", "nonsense", b"NUMBA_CPU_FEATURES is 'nonsense'"),
        ("NUMBA_CACHE_LOCATOR_CLASSES", "this.that", b"NUMBA_CACHE_LOCATOR_CLASSES is set"),
    ],
)
def test_wrong_settings_are_named(tmp_path: Path, name: str, value: str, reason: bytes):
    (tmp_path / "d.csv").write_text("a,b\n" + "0,x\n1,y\n" * 9)
    result = run_bnsl("parentsets", "d.csv", cwd=tmp_path, env={name: value})
    assert result.returncode == 2 and reason in b" ".join(result.stderr.split())


@pytest.mark.slow
def test_settings_beside_the_data_are_refused(tmp_path: Path):
    (tmp_path / "d.csv").write_text("a,b\n" + "0,x\n1,y\n" * 9)
    (tmp_path / ".numba_config.yaml").write_text("num_threads: 0\n")
    result = run_bnsl("parentsets", "d.csv", cwd=tmp_path, is_fresh=True)
    assert result.returncode == 2 and b"has a file .numba_config.yaml" in b" ".join(result.stderr.split())


@pytest.mark.slow
@pytest.mark.parametrize("value", ["0", "x"])
def test_what_does_no_harm_goes_on(tmp_path: Path, value: str):
    (tmp_path / "d.csv").write_text("a,b\n" + "0,x\n1,y\n" * 9)
    changes = {"OMP_NUM_THREADS": value, "OPENBLAS_NUM_THREADS": value, "MKL_NUM_THREADS": value}
    result = run_bnsl("entropy", "d.csv", cwd=tmp_path, env=changes, is_fresh=True)
    assert result.returncode == 0, result.stderr.decode()
