"""Marks of tests that need compiled kernels, and the setting with which numba compiles them."""

from __future__ import annotations

import pytest

from stages.kernels.compiler import KERNEL
from stages.kernels.jit import IS_PLAIN
from stages.kernels.native import MACHINE_CODE

compiled = pytest.mark.skipif(IS_PLAIN, reason="nothing is compiled")
late = pytest.mark.skipif(IS_PLAIN or KERNEL is None, reason="nothing is compiled, or by plain numba")
with_machine_code = pytest.mark.skipif(MACHINE_CODE is None, reason="make native has not been run for these kernels")

BY_NUMBA = {"NUMBA_OPT": "3"}
"""Environment of a process that uses no machine code made in advance; the value is numba's default."""
