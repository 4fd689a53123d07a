"""Reading and writing: every open_* and write_* function of the project, each loaded when first used.

Which formats there are is in `registry`. Sources are paths or ``-``; what a source holds is told by its content.
Targets appear only when complete.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .graphs.networks import (
        open_bayesian_network,
        open_network,
        write_drawing,
        write_essential_graph,
        write_network,
    )
    from .json_lines.forests import open_forest, write_forest
    from .json_lines.network_streams import open_networks, pick_network
    from .sets.parent_sets import open_parent_set_stream, open_parent_sets, write_parent_sets
    from .tables.arc_probabilities import (
        arc_probabilities_or_lines,
        open_arc_probabilities,
        write_arc_probabilities,
    )
    from .tables.datasets import open_dataset, open_dataset_or_entropies, open_incomplete
    from .tables.entropies import open_entropies, write_entropies
    from .tables.table_writer import open_table_writer

_HOMES = {
    "arc_probabilities_or_lines": "tables.arc_probabilities",
    "open_arc_probabilities": "tables.arc_probabilities",
    "open_bayesian_network": "graphs.networks",
    "open_dataset": "tables.datasets",
    "open_dataset_or_entropies": "tables.datasets",
    "open_entropies": "tables.entropies",
    "open_forest": "json_lines.forests",
    "open_incomplete": "tables.datasets",
    "open_network": "graphs.networks",
    "open_networks": "json_lines.network_streams",
    "open_parent_set_stream": "sets.parent_sets",
    "open_parent_sets": "sets.parent_sets",
    "open_table_writer": "tables.table_writer",
    "pick_network": "json_lines.network_streams",
    "write_arc_probabilities": "tables.arc_probabilities",
    "write_drawing": "graphs.networks",
    "write_entropies": "tables.entropies",
    "write_essential_graph": "graphs.networks",
    "write_forest": "json_lines.forests",
    "write_network": "graphs.networks",
    "write_parent_sets": "sets.parent_sets",
}

__all__ = [
    "arc_probabilities_or_lines",
    "open_arc_probabilities",
    "open_bayesian_network",
    "open_dataset",
    "open_dataset_or_entropies",
    "open_entropies",
    "open_forest",
    "open_incomplete",
    "open_network",
    "open_networks",
    "open_parent_set_stream",
    "open_parent_sets",
    "open_table_writer",
    "pick_network",
    "write_arc_probabilities",
    "write_drawing",
    "write_entropies",
    "write_essential_graph",
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
