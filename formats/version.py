"""The version of this program, as it was installed: for headers of files, ``--version`` and workers elsewhere."""

from __future__ import annotations

import contextlib
import os
import re
import sys


def _installed() -> str:
    """The version in the name of the folder that describes the installation.

    `importlib.metadata` would load a library for mail to read what the folder holds, at every start.
    """
    for place in sys.path:
        with contextlib.suppress(OSError):
            for name in os.listdir(place or "."):
                if found := re.fullmatch(r"bnsl_cli-(.+)\.dist-info", name):
                    return found[1]
    return "0+unknown"  # a folder of sources that was never installed


VERSION = _installed()
