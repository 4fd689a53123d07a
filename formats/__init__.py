"""Reading and writing files: the functions that other packages call, each loaded on first use.

`registry` lists all formats. A source is a path or ``-``, and its format is detected by content. A target appears
only when it is complete. Errors of input are `errors.FormatError`, with file and line.
"""

from __future__ import annotations

import importlib
from typing import Any

_FUNCTIONS = {
    "graphs.arc_tables": "write_arc_table",
    "graphs.network_files": "open_graph open_network open_networks pick_network "
    "write_drawing write_essential_graph write_network",
    "json_lines.proof_lines": "open_proof write_proof",
    "json_lines.screening_forests": "open_forest write_forest",
    "sets.parent_sets": "open_parent_set_stream open_parent_sets write_parent_sets",
    "tables.results.arc_probabilities": "arc_probabilities_or_lines open_arc_probabilities write_arc_probabilities",
    "tables.datasets": "labels_or_entropies open_dataset",
    "tables.results.entropy_tables": "open_entropies write_entropies",
    "tables.table_writer": "open_table_writer",
}
_MODULE_OF = {name: module for module, names in _FUNCTIONS.items() for name in names.split()}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> Any:
    """Load the module of a function on its first use (PEP 562)."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_MODULE_OF[name]}", __name__), name)


def __dir__() -> list[str]:
    return __all__
