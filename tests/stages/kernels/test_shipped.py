"""Machine code beside the code is used without compiling, where it suits; whatever else is compiled as ever."""

from __future__ import annotations

import os
import pickle
import platform
import shutil
import sys
import sysconfig
from pathlib import Path

import pytest
from helpers.places import ROOT
from helpers.processes import run_python
from numba.core import types
from numba.core.serialize import dumps
from tools.kernel_wheel import canonical, chosen, platform_tag

from stages.kernels.jit import KERNEL
from stages.kernels.shipped import LEVELS, levels_here, shipped_level

pytestmark = pytest.mark.skipif(KERNEL is None, reason="plain numba compiles")

BEST, OLDEST = LEVELS["x86_64"]
PROCESSORS = {
    "of today": dict.fromkeys(BEST.needed, True),
    "without AVX-512": dict.fromkeys(OLDEST.needed, True) | {"avx512f": False},
    "old": {"sse4.2": True, "avx2": False},
}


@pytest.mark.parametrize(
    ("processor", "there", "expected"),
    [
        ("of today", ["x86-64-v3", "x86-64-v4"], "x86-64-v4"),
        ("of today", ["x86-64-v3"], "x86-64-v3"),
        ("of today", [], None),
        ("without AVX-512", ["x86-64-v3", "x86-64-v4"], "x86-64-v3"),
        ("without AVX-512", ["x86-64-v4"], None),
        ("old", ["x86-64-v3", "x86-64-v4"], None),
    ],
)
def test_the_best_level_that_the_processor_has(tmp_path, monkeypatch, processor, there, expected):
    monkeypatch.setattr("llvmlite.binding.get_host_cpu_features", lambda: PROCESSORS[processor])
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    for level in there:
        (tmp_path / "kernels-1" / level).mkdir(parents=True)
    found = shipped_level("kernels-1", {"NUMBA_CACHE_DIR": "/x", "PATH": "/bin"}, tmp_path)
    assert (found and (found[0], found[1].processor)) == (expected and (tmp_path / "kernels-1" / expected, expected))
    assert shipped_level("kernels-2", {}, tmp_path) is None
    assert expected is None or expected in [level.processor for level in levels_here()]
    assert shipped_level("kernels-1", {"NUMBA_BOUNDSCHECK": "1"}, tmp_path) is None


@pytest.mark.parametrize(("there", "expected"), [(["generic"], "generic"), ([], None)])
def test_any_arm_processor_takes_the_one_level(tmp_path, monkeypatch, there, expected):
    monkeypatch.setattr("llvmlite.binding.get_host_cpu_features", lambda: {"neon": True, "sve": False})
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    (tmp_path / "kernels-1").mkdir()
    for level in there:
        (tmp_path / "kernels-1" / level).mkdir()
    found = shipped_level("kernels-1", {}, tmp_path)
    assert (found and found[1].processor) == expected


# ---- the wheel


@pytest.mark.parametrize(
    ("place", "libc", "tag"),
    [
        ("linux-x86_64", "glibc", "manylinux_2_17_x86_64"),
        ("linux-aarch64", "glibc", "manylinux_2_17_aarch64"),
        ("linux-aarch64", "", "linux_aarch64"),
        ("macosx-11.0-arm64", "", "macosx_11_0_arm64"),
    ],
)
def test_the_tag_names_python_and_platform(monkeypatch, place, libc, tag):
    monkeypatch.setattr(sysconfig, "get_platform", lambda: place)
    monkeypatch.setattr(platform, "libc_ver", lambda: (libc, "2.36"))
    assert platform_tag() == f"cp3{sys.version_info.minor}-none-{tag}"


def test_levels_are_chosen_by_name_and_the_known_ones_are_named():
    assert chosen(LEVELS["x86_64"], []) == list(LEVELS["x86_64"])
    assert chosen(LEVELS["aarch64"], ["generic"]) == list(LEVELS["aarch64"])
    for known, names, message in (
        (LEVELS["aarch64"], ["x86-64-v3"], "generic"),
        (LEVELS["x86_64"], ["x86-64-v3", "v4"], "x86-64-v4, x86-64-v3"),
        ((), [], "none: install the pure wheel"),
    ):
        with pytest.raises(SystemExit, match=message):
            chosen(known, names)


def test_equal_contents_have_the_same_bytes():
    """Whether parts of them are one object or two, whatever the numbers of types and addresses in names."""
    one, two = ("".join(["float", "64"]) for _ in range(2))
    assert dumps([one, one]) != dumps([one, two])
    assert canonical([one, one], "") == canonical([one, two], "")
    assert b"_code" in dumps(types.int64[::1]) and b"_code" not in canonical(types.int64[::1], "")
    names = [f"__numba_array_expr_0x7f{digits}B2v3" for digits in ("00d0", "1b20")]
    first, second = ([names[i] for i in order] for order in ((0, 1, 0), (1, 0, 1)))
    assert canonical(first, "kernel") == canonical(second, "kernel") != canonical(second, "other")
    assert len(set(pickle.loads(canonical(first, "kernel")))) == 2


# ---- a copy of the kernels with machine code

KERNELS = """
import numpy as np
from stages.kernels.jit import njit

@njit
def inner(values):
    total = 0.0
    for value in values:
        total += np.log(value)
    return total

@njit
def outer(values):
    return inner(values) + 1

@njit
def failing(value):
    if value < 0:
        raise ValueError("negative", value)
    return np.full(2, value)
"""

SCRIPT = """
import sys, numpy as np
from numba.core import event
class Compiled(event.Listener):
    names = []
    def on_start(self, _event): pass
    def on_end(self, event): self.names.append(event.data["dispatcher"].py_func.__name__)
event.register("numba:compile", Compiled())
from stages.kernels.extra import failing, inner, outer
values = np.arange(1.0, 5.0)
for name in sys.argv[1:]:
    if name == "failing":
        print(failing(3).tolist(), end=" ")
        try:
            failing(-2)
        except ValueError as error:
            print(*error.args, end=" ")
    else:
        print(round(globals()[name](values), 6), end=" ")
print(*sorted(set(Compiled.names) & {"failing", "inner", "outer"}))
"""

TAKE = """
import sys
from pathlib import Path
sys.path.append(sys.argv[3])
from kernel_wheel import take_machine_code
from stages.kernels.shipped import FOLDER
(cached,) = Path(sys.argv[1]).glob("kernels-*")
take_machine_code(cached, FOLDER / cached.name / sys.argv[2])
"""


AGAIN = """
import pickle, sys
sys.path.append(sys.argv[1])
from kernel_wheel import canonical
from stages.kernels.kernel_cache import read_checked
from stages.kernels.shipped import FOLDER
entries = {entry.name: read_checked(str(entry)) for entry in FOLDER.rglob("*extra.*.nbc")}
print([canonical(pickle.loads(entry), name) == entry for name, entry in entries.items()])
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """A copy of the package whose machine code was compiled for the oldest level."""
    place = tmp_path_factory.mktemp("shipped")
    shutil.copytree(ROOT / "stages", place / "code" / "stages")
    (place / "code" / "stages" / "kernels" / "extra.py").write_text(KERNELS)
    level = LEVELS[platform.machine()][-1]
    settings = {"NUMBA_CPU_NAME": level.processor, "NUMBA_CPU_FEATURES": level.features}
    assert run(place / "code", "outer", "failing", cache=place / "cache", is_fresh=True, **settings).endswith(
        "failing inner outer"
    )
    tools = str(ROOT / "tests" / "tools")
    python(TAKE, str(place / "cache"), level.processor, tools, cwd=place, PYTHONPATH=str(place / "code"))
    return place / "code"


def run(code: Path, *names: str, cache: Path, is_fresh: bool = False, **settings: str) -> str:
    given = {"PYTHONPATH": str(code), "NUMBA_CACHE_DIR": str(cache), **settings}
    return python(SCRIPT, *names, cwd=code, is_fresh=is_fresh, **given)


def python(script: str, *arguments: str, cwd: Path, is_fresh: bool = False, **settings: str) -> str:
    """What a script prints in a process of its own."""
    return run_python(
        "-c", script, *arguments, cwd=cwd, env={"PATH": os.environ["PATH"], **settings}, is_fresh=is_fresh
    )


@pytest.mark.slow
def test_nothing_is_compiled_or_written(copy, tmp_path):
    assert run(copy, "outer", "failing", cache=tmp_path) == "4.178054 [3, 3] negative -2"
    assert not list(tmp_path.rglob("*.nb?"))


@pytest.mark.slow
def test_entries_read_and_written_again_are_the_same(copy):
    tools = str(ROOT / "tests" / "tools")
    assert python(AGAIN, tools, cwd=copy, is_fresh=True, PYTHONPATH=str(copy)) == "[True, True]"


@pytest.mark.slow
def test_what_callers_need_is_compiled_beside_it(copy, tmp_path):
    """Python did not call `inner`, whose bitcode is not there; `outer` then compiles for other types."""
    assert run(copy, "outer", "inner", "outer", cache=tmp_path) == "4.178054 3.178054 4.178054 inner"
    code = SCRIPT.replace("values =", "outer(np.arange(1.0, 3.0)); values =").replace("1.0, 5.0)", "1, 5)")
    again = python(code, "outer", "inner", cwd=copy, PYTHONPATH=str(copy), NUMBA_CACHE_DIR=str(tmp_path))
    assert again == "4.178054 3.178054 inner outer"


@pytest.mark.slow
@pytest.mark.parametrize("setting", ["NUMBA_BOUNDSCHECK", "NUMBA_OPT"])
def test_other_settings_of_numba_compile(copy, tmp_path, setting):
    assert run(copy, "outer", cache=tmp_path, **{setting: "1"}) == "4.178054 inner outer"


@pytest.mark.slow
def test_damage_and_changed_sources_cost_time_only(copy, tmp_path):
    other = shutil.copytree(copy, tmp_path / "other")
    for file in other.rglob("extra.outer*.nbc"):
        file.write_bytes(file.read_bytes()[:1000])
    assert run(other, "outer", "failing", cache=tmp_path / "a") == "4.178054 [3, 3] negative -2 inner outer"
    changed = other / "stages" / "kernels" / "extra.py"
    changed.write_text(changed.read_text().replace("+ 1", "+ 2"))
    assert run(other, "outer", cache=tmp_path / "b") == "5.178054 inner outer"
