"""Whether the packages with common names belong to this project."""

from __future__ import annotations

import importlib.util
from pathlib import Path


def foreign_package() -> str | None:
    """Reports a package of another project that hides one of this project, whose own one is in another folder."""
    home = Path(__file__).resolve().parents[2]
    for name in ("bnsl", "formats", "stages"):
        spec = importlib.util.find_spec(name)
        found = [Path(place).resolve() for place in (spec.submodule_search_locations or [])] if spec else []
        if home / name not in found:
            where = found[0] if found else (spec.origin if spec else "nowhere")
            return (
                f"another package named {name!r} hides ours: found {where}, expected {home / name}\n"
                "  Install bnsl-cli into an environment of its own, or run from another folder."
            )
    return None
