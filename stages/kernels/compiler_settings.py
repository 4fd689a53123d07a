"""Settings of numba that would end the process or make it run foreign code; refused before numba is loaded."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from ..runtime.errors import StageError

FILE = ".numba_config.yaml"
"""numba reads settings from such a file in the current folder, where files of others may lie: among them modules to
import and places of code.
"""


def check_compiler_settings(environment: Mapping[str, str] = os.environ) -> None:
    """Raise `StageError` for an unusable setting; numba reads all settings when it is loaded."""
    threads = environment.get("NUMBA_NUM_THREADS", "").strip()
    if re.fullmatch(r"[+-]?\d+", threads) and int(threads) < 1:
        raise StageError(
            f"NUMBA_NUM_THREADS is {threads} in the environment, and must be at least 1: unset it (-j gives threads)."
        )
    features = environment.get("NUMBA_CPU_FEATURES", "")
    if not re.fullmatch(r"(\s*[+-][\w.-]+\s*(,|$))*", features):
        raise StageError(
            f"NUMBA_CPU_FEATURES is {features!r} in the environment, no list such as +avx2,-fma: unset it."
        )
    if environment.get("NUMBA_CACHE_LOCATOR_CLASSES"):
        raise StageError(
            "NUMBA_CACHE_LOCATOR_CLASSES is set in the environment, and bnsl has a cache of its own: unset it "
            "(NUMBA_CACHE_DIR gives the folder)."
        )
    if os.path.exists(FILE):
        raise StageError(
            f"the current folder has a file {FILE}, which numba would take settings from: remove it, or run from "
            "another folder."
        )
