"""What the tests of machine code that is made in advance need: a compiler, and a machine that it is made for."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import sysconfig
from pathlib import Path

import pytest
from helpers.compiled import late
from tools.native.build import LEVELS

COMPILER = os.environ.get("CC", "cc")
HEADER = Path(sysconfig.get_path("include"), "Python.h")

needs_build = [
    late,
    pytest.mark.slow,
    pytest.mark.skipif(
        sys.platform != "linux" or platform.machine() not in LEVELS, reason="no machine code is made for this machine"
    ),
    pytest.mark.skipif(not (shutil.which(COMPILER.split()[0]) and HEADER.exists()), reason="no C compiler"),
]
