"""The version of this program, as it was installed: for headers of files, ``--version`` and workers elsewhere."""

from __future__ import annotations

from importlib import metadata

try:
    VERSION = metadata.version("bnsl-cli")
except metadata.PackageNotFoundError:  # a folder of sources that was never installed
    VERSION = "0+unknown"
