"""Golden cases: ``cases/STAGE/SLUG/cmd`` is run by the shell, its output compared with what is stored.

A case is a folder with ``cmd`` (which runs in a scratch folder with a copy of ``cases/data``), ``expected_stdout``,
``expected_stderr`` and ``exit_code``; the version that headers name is stored as 0.1.0. Text must agree exactly,
decimal numbers to a relative 1e-9: logarithms differ in the last bit between machines. ``pytest --regenerate``
rewrites the expectations; review ``git diff``.
"""

from __future__ import annotations

import math
import re
import shutil
from pathlib import Path

import pytest
from helpers.places import CASES
from helpers.processes import run_shell

from formats.version import VERSION

DECIMAL = re.compile(r"(-?\d[\d,]*\.\d+(?:[eE][-+]?\d+)?)")

pytestmark = pytest.mark.slow


def differences(found: str, expected: str) -> list[str]:
    """Lines that differ by more than the last digits of decimals."""
    pairs = zip([*found.splitlines(), "<end>"], [*expected.splitlines(), "<end>"], strict=False)
    return [f"{one!r} instead of {other!r}" for one, other in pairs if not agree(one, other)]


def agree(one: str, other: str) -> bool:
    ours, theirs = DECIMAL.split(one), DECIMAL.split(other)
    if len(ours) != len(theirs) or ours[::2] != theirs[::2]:
        return False
    numbers = ((float(a.replace(",", "")), float(b.replace(",", ""))) for a, b in zip(ours[1::2], theirs[1::2]))
    return all(math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) for a, b in numbers)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("a 1.5", "a 1.5", True),
        ("a 1.5", "a 1.500000000001", True),
        ("a 1.5", "a 1.50001", False),
        ("a 1.5", "b 1.5", False),
        ("a 15", "a 16", False),
        ("[-1,234.5]", "[-1,234.5000000001]", True),
        ("x", "", False),
    ],
)
def test_comparison(one: str, other: str, same: bool):
    assert (differences(one, other) == []) is same


@pytest.mark.parametrize(
    "case", sorted(path.parent for path in CASES.glob("*/*/cmd")), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_case(case: Path, tmp_path: Path, regenerate: bool):
    place = Path(shutil.copytree(CASES / "data", tmp_path / "place"))
    result = run_shell((case / "cmd").read_text(), place, SOURCE_DATE_EPOCH="0")
    found = {
        "expected_stdout": result.stdout.decode().replace(f'"version":"{VERSION}"', '"version":"0.1.0"'),
        "expected_stderr": result.stderr.decode(),
        "exit_code": f"{result.returncode}\n",
    }
    if regenerate:
        for name, text in found.items():
            (case / name).write_text(text)
    wrong = [f"{name}: {text}" for name in found for text in differences(found[name], (case / name).read_text())]
    assert wrong == [], (case / "cmd").read_text()
