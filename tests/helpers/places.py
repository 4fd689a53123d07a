"""Where things lie in a checkout, wherever the test that asks for them is."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The checkout."""

TEST_DATA = ROOT / "tests" / "data"
SAMPLES = TEST_DATA / "formats"
"""Small files of every format, some from former versions."""

CASES = ROOT / "tests" / "cases"
"""Golden cases."""

EXAMPLE_DATA = ROOT / "bnsl" / "bundled"
