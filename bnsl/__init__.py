"""The stages of bnsl from Python: functions named like the commands, with their options as keyword arguments.

>>> import bnsl
>>> network = bnsl.learn({"rain": ["no", "yes"] * 50, "wet": ["no", "yes"] * 50}, require="rain->wet", quiet=True)
>>> network.predict({"rain": ["yes"]}, "wet")["wet"].to_pylist()
['yes']

Tables are anything with ``__arrow_c_stream__`` (pandas, Polars, DuckDB, pyarrow), paths, or dicts of columns. Names
of this module are loaded when they are first used. ``bnsl help python`` is the guide.
"""

from __future__ import annotations

import importlib
from typing import Any

FUNCTIONS = (
    "entropy",
    "screen",
    "parentsets",
    "optimize",
    "learn",
    "posterior",
    "average",
    "query",
    "effects",
    "explain",
    "fit",
    "sample",
    "evaluate",
    "convert",
    "discretize",
)
"""The functions, each in a module of its name below `bnsl.functions`."""

_OTHERS = {
    "running.errors": "BnslError BugError DataError RunError UsageError",
    "classifier": "BayesianNetworkClassifier",
    "networks": "Network read",
    "results": "ArcProbabilities Forest ParentSets",
    "tables": "Table",
}
_MODULE_OF = {name: f"functions.{name}" for name in FUNCTIONS}
_MODULE_OF |= {name: module for module, names in _OTHERS.items() for name in names.split()}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> Any:
    """Load the module of a name on its first use (PEP 562)."""
    if name == "__version__":
        from formats.version import VERSION

        return VERSION
    if name not in _MODULE_OF:
        from .removed import removed

        raise AttributeError(removed(f"{__name__}.{name}", name) or f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(f".{_MODULE_OF[name]}", __name__), name)
    if name in FUNCTIONS:
        from .running.function import documented

        documented(found)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
