"""Reading and writing: every open_* and write_* function of the project, each loaded when first used.

Which formats there are is in `registry`. Sources are paths or ``-``; what a source holds is told by its content.
Targets appear only when complete.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .datasets import open_dataset, open_dataset_or_entropies
    from .entropies import open_entropies, write_entropies
    from .forests import open_forest, write_forest
    from .networks import open_bayesian_network, open_network, write_network
    from .parent_sets import open_parent_set_stream, open_parent_sets, write_parent_sets
    from .table_writer import open_table_writer

_HOMES = {
    "open_bayesian_network": "networks",
    "open_dataset": "datasets",
    "open_dataset_or_entropies": "datasets",
    "open_entropies": "entropies",
    "open_forest": "forests",
    "open_network": "networks",
    "open_parent_set_stream": "parent_sets",
    "open_parent_sets": "parent_sets",
    "open_table_writer": "table_writer",
    "write_entropies": "entropies",
    "write_forest": "forests",
    "write_network": "networks",
    "write_parent_sets": "parent_sets",
}

__all__ = [
    "open_bayesian_network",
    "open_dataset",
    "open_dataset_or_entropies",
    "open_entropies",
    "open_forest",
    "open_network",
    "open_parent_set_stream",
    "open_parent_sets",
    "open_table_writer",
    "write_entropies",
    "write_forest",
    "write_network",
    "write_parent_sets",
]


def __getattr__(name: str) -> Any:
    """Load the module that holds a function when the function is first asked for (PEP 562)."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{home}", __name__), name)


def __dir__() -> list[str]:
    return __all__
