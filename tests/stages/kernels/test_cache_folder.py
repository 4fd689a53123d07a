"""Cached kernels run code of whoever wrote them: only folders that no one else can write to are used."""

from __future__ import annotations

import os
import pickle
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numba
import pytest
from helpers.compiled import BY_NUMBA
from helpers.places import ROOT
from helpers.processes import run_python

from stages.kernels.cache_folder import cache_root, why_not_trusted
from stages.kernels.kernel_cache import checksum_of

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


@pytest.fixture
def place() -> Iterator[Path]:
    """An empty folder below one where everybody may write, as ``/tmp``."""
    folder = tempfile.mkdtemp()
    yield Path(folder).resolve()
    shutil.rmtree(folder)


def test_the_root_is_named_by_the_environment(monkeypatch):
    monkeypatch.setenv("HOME", "/home/someone")
    assert cache_root({}) == "/home/someone/.cache/bnsl"
    assert cache_root({"XDG_CACHE_HOME": "/cache"}) == "/cache/bnsl"
    assert cache_root({"XDG_CACHE_HOME": "/cache", "NUMBA_CACHE_DIR": "/kernels"}) == "/kernels"


def test_a_new_folder_is_closed_to_others_whatever_the_umask(place):
    before = os.umask(0)
    try:
        assert why_not_trusted(f"{place}/a/bnsl", f"{place}/a/bnsl/kernels-1") is None
    finally:
        os.umask(before)
    for path in (place / "a", place / "a" / "bnsl", place / "a" / "bnsl" / "kernels-1"):
        assert path.stat().st_mode & 0o777 == 0o700
    assert why_not_trusted(f"{place}/a/bnsl", f"{place}/a/bnsl/kernels-1") is None


@pytest.mark.parametrize("root", ["kernels", "./~/.cache/bnsl", "~/.cache/bnsl", "../kernels"])
def test_a_relative_path_is_refused(root, place, monkeypatch):
    monkeypatch.chdir(place)
    assert why_not_trusted(root, f"{root}/kernels-1") == f"{root} is not an absolute path"
    assert not list(place.iterdir())


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o757, 0o1777])
@pytest.mark.parametrize("open_one", ["bnsl", "bnsl/kernels-1"])
def test_a_folder_that_others_can_write_to_is_refused(place, mode, open_one):
    folder = place / "bnsl" / "kernels-1"
    folder.mkdir(parents=True, mode=0o755)
    (place / open_one).chmod(mode)
    assert why_not_trusted(f"{place}/bnsl", str(folder)) == f"others may write to {place / open_one}"


def test_a_folder_in_which_others_can_replace_ours_is_refused(place):
    (place / "open").mkdir()
    (place / "open").chmod(0o777)
    root = f"{place}/open/mine/bnsl"
    assert why_not_trusted(root, f"{root}/k") == f"others may rename what is in {place}/open"
    (place / "open").chmod(0o1777)
    assert why_not_trusted(root, f"{root}/k") is None


@as_root
@pytest.mark.parametrize("given", ["bnsl", "bnsl/kernels-1"])
def test_a_folder_of_another_user_is_refused(place, given, monkeypatch):
    folder = place / "bnsl" / "kernels-1"
    folder.mkdir(parents=True, mode=0o755)
    os.chown(place / given, 12345, 12345)
    assert why_not_trusted(f"{place}/bnsl", str(folder)) == f"{place / given} belongs to another user"
    (place / "source.py").touch()
    os.chown(place / "source.py", 12345, 12345)
    monkeypatch.setattr("stages.kernels.cache_folder.__file__", f"{place}/source.py")  # whose code runs anyway
    assert why_not_trusted(f"{place}/bnsl", str(folder)) is None


def test_links_are_followed_before_folders_are_judged(place):
    (place / "open").mkdir()
    (place / "open").chmod(0o777)
    (place / "bnsl").symlink_to(place / "open")
    assert why_not_trusted(f"{place}/bnsl", f"{place}/bnsl/k") == f"others may write to {place}/open"


def test_what_cannot_be_created_is_named(place):
    (place / "file").touch()
    assert why_not_trusted(f"{place}/file/bnsl", f"{place}/file/bnsl/k").startswith(f"{place}/file/bnsl/k cannot be")


class Planted:
    """Unpickled, it creates a file."""

    def __init__(self, path: Path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


SCRIPT = """
import numpy as np
from stages.kernels.bits import has_bit
print(has_bit(np.ones(1, np.uint64), 0), has_bit._cache.cache_path)
"""


def run(cwd: Path, script: str = SCRIPT, **environment: str) -> str:
    """What a script prints in a process with this environment alone."""
    return run_python("-c", script, cwd=cwd, env={"PYTHONPATH": str(ROOT), **BY_NUMBA, **environment})


def plant(folder: Path, found: Path) -> None:
    """Replace every cached kernel by a pickle that leaves a trace, behind the checksum that belongs to it."""
    assert list(folder.glob("*.nbi"))
    content = pickle.dumps(Planted(found))
    for path in folder.glob("*.nbi"):
        path.write_bytes(checksum_of(path.name, content) + content)


@pytest.mark.slow
@pytest.mark.parametrize("variable", ["XDG_CACHE_HOME", "NUMBA_CACHE_DIR"])
def test_planted_kernels_are_not_read(place, variable):
    root = place / "cache" / "bnsl" if variable == "XDG_CACHE_HOME" else place / "cache"
    folder, trace = root / Path(numba.config.CACHE_DIR).name, place / "trace"
    settings = {variable: f"{place}/cache"}
    assert run(place, **settings) == f"True {folder}"
    plant(folder, trace)
    assert run(place, **settings) == f"True {folder}" and trace.exists()  # a folder of our own is read
    trace.unlink()
    plant(folder, trace)
    for path in (root, folder):
        path.chmod(0o777)
    assert run(place, **settings) == "True None" and not trace.exists()


@pytest.mark.slow
def test_without_a_home_no_cache_of_the_current_folder_is_used(place):
    """Neither HOME nor an entry of the user database names one."""
    script = "import pwd\ndef getpwuid(_): raise KeyError\npwd.getpwuid = getpwuid\n" + SCRIPT
    assert run(place, script) == "True None"
    assert not list(place.iterdir())
