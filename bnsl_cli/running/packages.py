"""Whether the packages with common names belong to this project."""

from __future__ import annotations

import importlib.util
import os


def foreign_package() -> str | None:
    """Reports a package of another project that hides one of this project, whose own one is in another folder."""
    home = os.path.realpath(f"{__file__}/../../..")
    for name in ("bnsl", "formats", "stages"):
        spec = importlib.util.find_spec(name)
        found = [os.path.realpath(place) for place in (spec.submodule_search_locations or [])] if spec else []
        expected = os.path.join(home, name)
        if expected not in found:
            where = found[0] if found else (spec.origin if spec else "nowhere")
            return (
                f"another package named {name!r} hides ours: found {where}, expected {expected}\n"
                "  Install bnsl-cli into an environment of its own, or run from another folder."
            )
    return None
