"""Settings of numba that cannot be used are errors in the user's words, where numba is loaded."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.compiled import BY_NUMBA, with_machine_code
from helpers.processes import run_bnsl

from stages.kernels.compiler_settings import FILE

pytestmark = pytest.mark.slow


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a table."""
    (tmp_path / "d.csv").write_text("a,b\n" + "0,x\n1,y\n" * 9)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("NUMBA_NUM_THREADS", "0", b"NUMBA_NUM_THREADS is 0 in the environment, and must be at least 1: unset it"),
        ("NUMBA_NUM_THREADS", "-3", b"NUMBA_NUM_THREADS is -3"),
        ("NUMBA_CPU_FEATURES", "nonsense", b"NUMBA_CPU_FEATURES is 'nonsense'"),
        ("NUMBA_CACHE_LOCATOR_CLASSES", "this.that", b"NUMBA_CACHE_LOCATOR_CLASSES is set"),
    ],
)
def test_wrong_settings_are_named(place: Path, name: str, value: str, reason: bytes):
    result = run_bnsl("parentsets", "d.csv", cwd=place, env={**BY_NUMBA, name: value})
    assert result.returncode == 1 and reason in b" ".join(result.stderr.split())
    assert result.stdout == b"" and b"Traceback" not in result.stderr


def test_a_setting_that_changes_code_is_read_without_another(place: Path):
    """Machine code that was made in advance does not keep it from being seen."""
    result = run_bnsl("parentsets", "d.csv", cwd=place, env={"NUMBA_CPU_FEATURES": "x"})
    assert result.returncode == 1 and b"NUMBA_CPU_FEATURES is" in result.stderr


def test_settings_beside_the_data_are_refused(place: Path):
    (place / FILE).write_text("num_threads: 0\n")
    result = run_bnsl("parentsets", "d.csv", cwd=place, is_fresh=True, env=BY_NUMBA)
    assert result.returncode == 1 and b"has a file .numba_config.yaml" in b" ".join(result.stderr.split())


@with_machine_code
def test_machine_code_reads_no_settings(place: Path):
    (place / FILE).write_text("num_threads: 0\n")
    given = {"NUMBA_NUM_THREADS": "0"}
    result = run_bnsl("parentsets", "d.csv", "-o", "s.jsonl", cwd=place, is_fresh=True, env=given)
    assert result.returncode == 0, result.stderr.decode()


@pytest.mark.parametrize("value", ["0", "x"])
def test_what_does_no_harm_goes_on(place: Path, value: str):
    changes = {"OMP_NUM_THREADS": value, "OPENBLAS_NUM_THREADS": value, "MKL_NUM_THREADS": value}
    result = run_bnsl("entropy", "d.csv", cwd=place, env=changes, is_fresh=True)
    assert result.returncode == 0, result.stderr.decode()
