"""Which file of machine code is used."""

from __future__ import annotations

import importlib
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.native_build import needs_build
from helpers.native_files import file_name
from helpers.places import ROOT
from helpers.processes import run_python
from helpers.sample_kernels import DIGEST

import stages.kernels
from stages.kernels import native as choosing

pytestmark = needs_build


@pytest.fixture
def choice(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., object]:
    """A function that names the file which is used if these are there."""
    monkeypatch.setattr(choosing, "SETTING", None)
    (folder / file_name("text")).write_text("no machine code")
    whole = (folder / file_name("sampler")).read_bytes()
    (folder / file_name("half")).write_bytes(whole[: len(whole) // 2])
    (folder / file_name("head")).write_bytes(whole[:40])
    monkeypatch.setattr(choosing, "FOLDER", str(tmp_path))
    monkeypatch.setattr(choosing, "source_digest", lambda stages: DIGEST)
    monkeypatch.setattr(stages.kernels, "__path__", [str(tmp_path)])

    def chosen(*names: str) -> str | None:
        for name in names:
            shutil.copy(folder / file_name(name), tmp_path)
        importlib.invalidate_caches()
        found = choosing._machine_code()
        for name in names:
            sys.modules.pop(f"stages.kernels._native_{name}", None)
        return found and next(name for name in names if Path(found.__file__).name == file_name(name))

    return chosen


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([], None),
        (["sample"], "sample"),
        (["unfit"], None),
        (["stale"], None),
        (["text"], None),
        (["half"], None),
        (["head"], None),
        (["sample", "half"], "sample"),
        (["sample", "stale"], "sample"),
        (["sample", "unfit"], "sample"),
        (["sample", "sampler"], "sampler"),
        (["sample", "stale", "unfit", "text"], "sample"),
    ],
)
def test_the_best_file_that_suits_is_used(choice, names, expected):
    assert choice(*names) == expected


def test_no_file_is_used_where_a_setting_asks_for_other_code(choice, monkeypatch):
    monkeypatch.setattr(choosing, "SETTING", "NUMBA_OPT")
    assert choice("sample") is None


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ((), None),
        (("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_WARNINGS", "NUMBA_CUDA_DRIVER"), None),
        (("NUMBA_OPT",), "NUMBA_OPT"),
        (("NUMBA_WARNINGS", "NUMBA_CPU_NAME"), "NUMBA_CPU_NAME"),
        (("NUMBA_BOUNDSCHECK",), "NUMBA_BOUNDSCHECK"),
    ],
)
def test_settings_that_change_code_ask_for_other_code(names, expected, tmp_path):
    given = {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"], "HOME": str(tmp_path), **dict.fromkeys(names, "1")}
    code = "from stages.kernels import native; print(native.SETTING)"
    assert run_python("-c", code, cwd=tmp_path, env=given) == str(expected)
