"""Chains of a sampler that a later run continues: arrays and facts in one file, a zip archive of numpy.

The file is for the program that wrote it, not for exchange. No array holds Python objects, so reading runs no code.
"""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import numpy as np

from .chain_records import SavedChains
from .errors import Malformed, UnknownVersion
from .streams import open_output, read_bytes

FORMAT = "bnsl.chains"
VERSION = 2
"""2: networks are kept on the rungs where they stand, without a map of rungs."""


def write_chains(target: str, chains: SavedChains) -> None:
    """Write the chains; the file appears only when it is complete."""
    text = json.dumps({"format": FORMAT, "version": VERSION, **chains.facts})
    with open_output(target) as stream:
        arrays: dict[str, Any] = {"facts": np.frombuffer(text.encode(), dtype=np.uint8), **chains.arrays}
        np.savez(stream, **arrays)


def open_chains(source: str) -> SavedChains:
    """Read chains.

    Raises `Malformed`: the file is damaged or no file of chains; `UnknownVersion`: it is of another version.
    """
    remedy = "begin anew, without --resume"
    try:
        with np.load(io.BytesIO(read_bytes(source)), allow_pickle=False) as found:
            arrays = {name: found[name] for name in found.files}
        facts = json.loads(arrays.pop("facts").tobytes())
        is_ours = facts["format"] == FORMAT
    except (ValueError, KeyError, TypeError, EOFError, AttributeError, zipfile.BadZipFile):
        raise Malformed("these are no saved chains, or damaged ones", source=source, remedy=remedy) from None
    if not is_ours:
        raise Malformed("these are no saved chains", source=source, remedy=remedy)
    if facts["version"] != VERSION:
        raise UnknownVersion(f"saved chains of version {facts['version']}", source=source, remedy=remedy)
    return SavedChains(facts, arrays)
