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
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for type checkers and editors; all are loaded when they are first used
    from .classifier import BayesianNetworkClassifier as BayesianNetworkClassifier
    from .files.network_inputs import read as read
    from .functions.average import average as average
    from .functions.convert import convert as convert
    from .functions.discretize import discretize as discretize
    from .functions.effects import effects as effects
    from .functions.entropy import entropy as entropy
    from .functions.evaluate import evaluate as evaluate
    from .functions.explain import explain as explain
    from .functions.fit import fit as fit
    from .functions.learn import learn as learn
    from .functions.optimize import optimize as optimize
    from .functions.parentsets import parentsets as parentsets
    from .functions.posterior import posterior as posterior
    from .functions.query import query as query
    from .functions.sample import sample as sample
    from .functions.screen import screen as screen
    from .networks import Network as Network
    from .results import ArcProbabilities as ArcProbabilities
    from .results import Forest as Forest
    from .results import Measures as Measures
    from .results import ParentSets as ParentSets
    from .running.errors import BnslError as BnslError
    from .running.errors import BugError as BugError
    from .running.errors import DataError as DataError
    from .running.errors import RunError as RunError
    from .running.errors import UsageError as UsageError
    from .tables import Table as Table

    __version__: str

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
    "networks": "Network",
    "results": "ArcProbabilities Forest Measures ParentSets",
    "files.network_inputs": "read",
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
    if name == "Network":
        from .running.function import documented_methods

        documented_methods(found)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
