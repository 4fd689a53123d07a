"""Packages that libraries load wherever they are installed, and that the command line never uses.

pyarrow asks pandas whether a list is a table, numba asks scipy for matrix products and yaml for a file of settings
(refused, `bnsl_cli.running.compiler_settings`). The first two take a third of a second and 60 MB of a short run.
"""

from __future__ import annotations

import sys
from typing import Any

IDLE = ("pandas", "scipy", "yaml")


class _Refusal:
    """A finder of modules that says of idle packages that they are not installed."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """None, so that others look for the module; raises `ModuleNotFoundError` for an idle package."""
        if name in IDLE:
            raise ModuleNotFoundError(f"{name} is left out of this process", name=name)


_REFUSAL: Any = _Refusal()


def leave_out() -> None:
    """Let libraries find none of these packages in this process; for the command line only."""
    if _REFUSAL not in sys.meta_path:
        sys.meta_path.insert(0, _REFUSAL)
