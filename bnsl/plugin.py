"""What other packages may import to add methods, scores and formats: the names here stay, or `API_VERSION` grows.

A package names dictionaries under entry points: ``bnsl.searches`` (`SearchMethod`), ``bnsl.selections``
(`SelectionMethod`), ``bnsl.scores`` (`penalised`, `counted`), ``bnsl.formats`` (`network_format`). The module with a
dictionary states the version that it is made for; a method's module offers one function, a format's module two::

    BNSL_PLUGIN_API = 1

    def search(table, options, budget, reporter):  # on_sets: among listed sets; returns a SearchResult
    def search_data(scorer, options, budget, reporter, table=None):  # on_data: scores families; a SearchResult
    def search_child(scorer, child, limits, budget):  # SelectionMethod: parent sets of one child; FoundSets
    def read(text):  # network_format: a PlainNetwork
    def write(network):  # network_format: the text of a PlainNetwork

``options.own`` (for a selection ``limits.own``) has the values of the options that the entry declares.
``examples/plugin`` is a package to start from. Importing this module loads only the standard library and the tables;
parts that searches need are loaded when first used. So import it in the modules of methods, not beside the
dictionaries.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from formats.discovery import API_VERSION as API_VERSION
from formats.kinds import PlainNetwork as PlainNetwork
from formats.kinds import network_format as network_format
from stages.methods import DATA as DATA
from stages.methods import DATA_TW as DATA_TW
from stages.methods import RESTARTED as RESTARTED
from stages.methods import SETS as SETS
from stages.methods import SETS_TW as SETS_TW
from stages.methods import SearchMethod as SearchMethod
from stages.methods import SelectionMethod as SelectionMethod
from stages.methods import on_data as on_data
from stages.methods import on_sets as on_sets
from stages.methods import own as own
from stages.scoring.definitions import counted as counted
from stages.scoring.definitions import penalised as penalised

if TYPE_CHECKING:
    from formats.errors import Malformed as Malformed
    from formats.records import ParentSetTable as ParentSetTable
    from stages.lists.order_decoding import choose_consistent as choose_consistent
    from stages.lists.order_decoding import sets_tested as sets_tested
    from stages.lists.set_lists import index_table as index_table
    from stages.optimize import OptimizeOptions as OptimizeOptions
    from stages.optimize.bounds.anytime_bound import AnytimeBound as AnytimeBound
    from stages.optimize.orders.initial_orders import make_sampler as make_sampler
    from stages.optimize.restarts import Attempt as Attempt
    from stages.optimize.restarts import local_search_rules as local_search_rules
    from stages.optimize.restarts import run_restarts as run_restarts
    from stages.optimize.restarts import sampling_rules as sampling_rules
    from stages.optimize.result import SearchResult as SearchResult
    from stages.optimize.result import listed_result as listed_result
    from stages.optimize.result import total_score as total_score
    from stages.parentsets.child_search import ChildLimits as ChildLimits
    from stages.parentsets.child_search import FoundSets as FoundSets
    from stages.runtime.budgets import Budget as Budget
    from stages.runtime.errors import StageError as StageError
    from stages.runtime.reporting import Reporter as Reporter
    from stages.runtime.seeding import task_generator as task_generator
    from stages.scoring.family_scorer import FamilyScorer as FamilyScorer

_LATE = {
    "formats.errors": "Malformed",
    "formats.records": "ParentSetTable",
    "stages.lists.order_decoding": "choose_consistent sets_tested",
    "stages.lists.set_lists": "index_table",
    "stages.optimize": "OptimizeOptions",
    "stages.optimize.bounds.anytime_bound": "AnytimeBound",
    "stages.optimize.orders.initial_orders": "make_sampler",
    "stages.optimize.restarts": "Attempt local_search_rules run_restarts sampling_rules",
    "stages.optimize.result": "SearchResult listed_result total_score",
    "stages.parentsets.child_search": "ChildLimits FoundSets",
    "stages.runtime.budgets": "Budget",
    "stages.runtime.errors": "StageError",
    "stages.runtime.reporting": "Reporter",
    "stages.runtime.seeding": "task_generator",
    "stages.scoring.family_scorer": "FamilyScorer",
}
_MODULE_OF = {name: module for module, names in _LATE.items() for name in names.split()}

__all__ = [
    "API_VERSION",
    "DATA",
    "DATA_TW",
    "PlainNetwork",
    "RESTARTED",
    "SETS",
    "SETS_TW",
    "SearchMethod",
    "SelectionMethod",
    "counted",
    "network_format",
    "on_data",
    "on_sets",
    "own",
    "penalised",
    *_MODULE_OF,
]


def __getattr__(name: str) -> Any:
    """Load the module of a name on its first use (PEP 562)."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return __all__
