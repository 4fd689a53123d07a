"""The wheel with machine code of kernels: its name, its metadata, and what it refuses."""

from __future__ import annotations

import base64
import hashlib
import os
import platform
import re
import sysconfig
import zipfile
from pathlib import Path

import pytest
from tools.native.build import digest_of_sources, file_of, is_current
from tools.native.wheel import make, platform_tag, without_numba

FOLDER = Path("stages", "kernels")
PURE = "bnsl_cli-1.2-py3-none-any.whl"
METADATA = (
    "Name: bnsl-cli\nRequires-Dist: numpy>=2.0\nRequires-Dist: numba<0.69,>=0.61\nProvides-Extra: compile\n"
    'Requires-Dist: numba<0.69,>=0.61; extra == "compile"\n\nAbout numba.\n'
)


@pytest.fixture
def pure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A pure wheel in the current folder, which also has its sources."""
    monkeypatch.chdir(tmp_path)
    FOLDER.mkdir(parents=True)
    (FOLDER / "one.py").write_text("a = 1\n")
    with zipfile.ZipFile(PURE, "w") as wheel:
        wheel.writestr("stages/kernels/one.py", "a = 1\n")
        wheel.writestr("bnsl_cli-1.2.dist-info/METADATA", METADATA)
        wheel.writestr("bnsl_cli-1.2.dist-info/WHEEL", "Root-Is-Purelib: true\nTag: py3-none-any\n\n")
        wheel.writestr("bnsl_cli-1.2.dist-info/RECORD", "")
    return tmp_path / PURE


def write_machine_code(level: str, *versions: str) -> Path:
    """A file that names its digest and the versions of glibc that it needs."""
    path = file_of(level, FOLDER)
    words = [digest_of_sources(Path("stages")), *(f"GLIBC_{version}" for version in versions)]
    path.write_bytes(b"\0".join(word.encode() for word in words))
    return path


@pytest.mark.parametrize(
    ("place", "libc", "tag"),
    [
        ("linux-x86_64", "glibc", "cp311-abi3-manylinux_2_14_x86_64"),
        ("linux-aarch64", "glibc", "cp311-abi3-manylinux_2_14_aarch64"),
        ("linux-x86_64", "", "cp311-abi3-linux_x86_64"),
    ],
)
def test_the_tag_names_the_newest_functions_of_glibc(pure, monkeypatch, place, libc, tag):
    monkeypatch.setattr(sysconfig, "get_platform", lambda: place)
    monkeypatch.setattr(platform, "libc_ver", lambda: (libc, "2.36"))
    assert platform_tag([write_machine_code("v2", "2.4", "2.14"), write_machine_code("v3", "2.2.5", "2.9")]) == tag


def test_the_wheel_requires_numba_as_an_extra_alone():
    requirements = [line for line in without_numba(METADATA).splitlines() if "numba" in line]
    assert requirements == ['Requires-Dist: numba<0.69,>=0.61; extra == "compile"', "About numba."]


def test_the_wheel_has_the_machine_code_and_says_so(pure: Path):
    files = [write_machine_code("v2", "2.14"), write_machine_code("v3", "2.14")]
    made = make(pure, Path("dist"))
    assert re.fullmatch(r"bnsl_cli-1\.2-cp311-abi3-\w+\.whl", made.name)
    with zipfile.ZipFile(made) as wheel:
        content = {name: wheel.read(name) for name in wheel.namelist()}
    for path in [*files, FOLDER / "one.py"]:
        assert content[str(path)] == path.read_bytes()
    about = content["bnsl_cli-1.2.dist-info/WHEEL"].decode()
    assert about == f"Root-Is-Purelib: false\nTag: {made.stem.removeprefix('bnsl_cli-1.2-')}\n\n"
    assert content["bnsl_cli-1.2.dist-info/METADATA"].decode() == without_numba(METADATA)
    record = "bnsl_cli-1.2.dist-info/RECORD"
    rows = [line.split(",") for line in content.pop(record).decode().splitlines()]
    digests = {
        name: "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        for name, data in content.items()
    }
    assert rows == [*([name, digests[name], str(len(content[name]))] for name in sorted(content)), [record, "", ""]]


def test_the_same_files_give_the_same_bytes(pure: Path):
    path = write_machine_code("v2", "2.14")
    first = make(pure, Path("dist")).read_bytes()
    os.utime(path, (1e9, 1e9))
    assert make(pure, Path("again")).read_bytes() == first


@pytest.mark.parametrize("change", ["none there", "another source", "another file beside"])
def test_machine_code_of_other_sources_is_refused(pure: Path, change: str):
    if change != "none there":
        write_machine_code("v3", "2.14")
    if change == "another file beside":
        file_of("v2", FOLDER).write_bytes(b"GLIBC_2.14")
    if change == "another source":
        with zipfile.ZipFile(pure, "a") as wheel:
            wheel.writestr("stages/kernels/two.py", "b = 1\n")
    with pytest.raises(SystemExit, match="has no machine code of the sources in"):
        make(pure, Path("dist"))
    assert not Path("dist").exists()


def test_only_what_is_not_current_is_made_again(pure: Path):
    path, digest = write_machine_code("v2"), digest_of_sources(Path("stages"))
    assert is_current(path, digest)
    assert not is_current(path, "f" * 16) and not is_current(file_of("v3", FOLDER), digest)
    os.utime(path, (1e9, 1e9))  # older than what makes it
    assert not is_current(path, digest)
