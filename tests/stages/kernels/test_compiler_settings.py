"""Settings of numba that cannot be used are named, others pass."""

from __future__ import annotations

import pytest

from stages.kernels.compiler_settings import FILE, check_compiler_settings
from stages.runtime.errors import StageError


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("NUMBA_NUM_THREADS", value) for value in ("0", "-3", " +0 ", "00")),
        *(("NUMBA_CPU_FEATURES", value) for value in ("nonsense", "avx2", "+avx2 -fma", "+avx2,,-fma", "+", ",")),
        ("NUMBA_CACHE_LOCATOR_CLASSES", "this.that"),
    ],
)
def test_unusable_settings_are_named(tmp_path, monkeypatch, name, value):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StageError, match=rf"^{name} is .* in the environment.*unset it"):
        check_compiler_settings({name: value})


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"NUMBA_NUM_THREADS": "1", "NUMBA_CPU_FEATURES": "", "NUMBA_CACHE_LOCATOR_CLASSES": ""},
        {"NUMBA_NUM_THREADS": "many"},  # numba says so itself, and goes on
        {"NUMBA_CPU_FEATURES": "+avx2, -fma,+sse4.2"},
    ],
)
def test_other_settings_pass(tmp_path, monkeypatch, given):
    monkeypatch.chdir(tmp_path)
    check_compiler_settings(given)


def test_a_file_of_settings_in_the_current_folder_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / FILE).touch()
    with pytest.raises(StageError, match=rf"the current folder has a file {FILE}.*remove it"):
        check_compiler_settings({})
