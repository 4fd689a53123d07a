"""Who may import whom: the walls between formats, stages, kernels, the library and the command line.

A module that one neighbour alone imports joins it where the whole is about one thing and stays below 400 lines. All
the same, kernels stay apart from the Python that drives them: the folders named `kernels` are what is compiled, and a
digest of them tells whether compiled code is current.
"""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from helpers.places import ROOT
from helpers.sources import syntax_tree

import bnsl

STDLIB = frozenset(sys.stdlib_module_names)
ENGINES = {
    "cairosvg": "formats.pictures.rendered",
    "highspy": "stages.optimize.exact.linear_programme",
    "distributed": "stages.runtime.dask_workers",
    "cloudpickle": "stages.runtime.dask_workers",
}
"""Optional packages, and the one module that each is imported in, when it is needed."""

SLOW = frozenset(
    {"numpy", "numba", "llvmlite", "pyarrow", "pyarrow.parquet", "orjson", "highspy", "cairosvg", "distributed"}
    | {"cloudpickle", "concurrent.futures", "concurrent.futures.process", "multiprocessing", "statistics"}
)
"""Modules that take milliseconds to load; and so do kernels."""

LATE_MARK = "# Imported where needed, since loading takes time: "
"""Begins the comment at the top of a module with the names of what its functions import."""

HIDDEN = ("formats.printable", "formats.wording")
"""A module, and what its function imports: plain messages need no package, even if another one hides `formats`."""

REFUSING = ("stages.kernels.compiler_settings", "stages.kernels.jit")
"""Modules of kernels that refuse what the user has set or installed."""

TABLES = (
    "stages.methods",
    "stages.parentsets",
    "stages.optimize",
    "stages.effects",
    "stages.posterior",
    "stages.published",
    "stages.scoring.definitions",
    "stages.scoring.normalised_likelihood",
    "stages.scoring.scores",
    "formats.bounds",
    "formats.kinds",
    "formats.unread",
    "formats.printable",
    "formats.registry",
    "formats.temporaries",
    "formats.wording",
)
"""Tables of methods, scores, formats and words, and small records, which load with the library and the command line;
and what a handler of signals needs.
"""


LATE = (
    "bnsl.class_cuts",
    "bnsl.classifier",
    "bnsl.estimator",
    "bnsl.files.filled_rows",
    "bnsl.conversions.chosen_networks",
    "bnsl.conversions.class_members",
    "bnsl.conversions.converted_contents",
    "bnsl.conversions.other_packages",
    "bnsl.answers.effect_structures",
    "bnsl.answers.explained_arcs",
    "bnsl.answers.graph_answers",
    "bnsl.conversions.pictures",
    "bnsl.answers.query_answers",
    "bnsl.answers.query_rows",
    "bnsl.native_columns",
    "bnsl.native_tables",
)
"""Parts of the library that are imported inside functions, and that may import what these need at module level."""


class Import(NamedTuple):
    """One imported module, made absolute, and whether it loads with the importing module."""

    line: int
    module: str
    at_module_level: bool


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def _walk(node: ast.AST, at_module_level: bool) -> Iterator[tuple[ast.AST, bool]]:
    """All statements, and whether each runs as the module loads."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            continue
        inside = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)) or _is_type_checking(child)
        yield child, at_module_level and not inside
        yield from _walk(child, at_module_level and not inside)


def imports_of(tree: ast.Module, package: str) -> list[Import]:
    """All imports of a module that lives in `package`, relative ones resolved."""
    found = []
    for node, top in _walk(tree, True):
        if isinstance(node, ast.Import):
            found += [Import(node.lineno, alias.name, top) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            names = [alias.name for alias in node.names]
            # `from . import orders` names submodules, `from stages import workers` may.
            is_package = (ROOT / module.replace(".", "/")).is_dir()
            found += [
                Import(node.lineno, f"{module}.{name}" if is_package and _is_module(module, name) else module, top)
                for name in names
            ]
    return found


def _is_module(package: str, name: str) -> bool:
    place = ROOT / package.replace(".", "/") / name
    return place.is_dir() or place.with_suffix(".py").exists()


def _root(module: str) -> str:
    return module.split(".")[0]


def _is_engine(module: str, found: Import) -> bool:
    """Whether an optional package is imported in its module, when it is needed."""
    return ENGINES.get(_root(found.module)) == module and not found.at_module_level


def _broken_by_formats(module: str, found: Import) -> Iterator[str]:
    if (
        (module == "formats" or (module in TABLES and _root(module) == "formats"))
        and found.at_module_level
        and _root(found.module) not in STDLIB
        and found.module not in TABLES
    ):
        yield "the table of formats loads with the command line and imports the standard library only"
    if _root(found.module) not in STDLIB | {"numpy", "pyarrow", "orjson", "formats"} and not _is_engine(
        module, found
    ):
        yield "formats may import the standard library, numpy, pyarrow and orjson only"


def _is_kernel(module: str) -> bool:
    return module.startswith("stages.") and "kernels" in module.split(".")


def _is_published(module: str) -> bool:
    return module.startswith("stages.published")


def _is_paper(module: str) -> bool:
    """Whether it is a folder of published methods, which declares them."""
    parts = module.split(".")
    return _is_published(module) and len(parts) == 3 and not (ROOT / Path(*parts)).with_suffix(".py").exists()


def _broken_by_kernels(module: str, found: Import) -> Iterator[str]:
    is_refusal = found.module == "stages.runtime.errors" and module in REFUSING
    if not (_root(found.module) in STDLIB | {"numpy", "numba", "llvmlite"} or _is_kernel(found.module) or is_refusal):
        yield "kernels may import numpy, numba and each other only"
    yield from _broken_by_the_main_road(module, found)


def _broken_by_the_main_road(module: str, found: Import) -> Iterator[str]:
    is_table = found.module == "stages.published" and module in ("stages.optimize", "stages.parentsets")
    if _is_published(found.module) and not (_is_published(module) or is_table):
        yield "the main road imports the table of published methods only, into its own tables"


def _broken_by_stages(module: str, found: Import) -> Iterator[str]:
    root, name = _root(found.module), found.module
    of_formats = (
        "formats.records",
        "formats.graphs.arc_groups",
        "formats.arc_priors",
        "formats.bounds",
        "formats.data_records",
        "formats.tables.cell_storage",
        "formats.graph_records",
        "formats.proof_records",
        "formats.graphs.algorithms",
        "formats.graphs.structures",
        "formats.schemas",
        "formats.sets.listed_sets",
        "formats.errors",
        "formats.printable",
        "formats.pictures.text_widths",
        "formats.wording",
        "formats.version",
    )
    ours = name.startswith("stages") or name in of_formats
    is_engine = _is_engine(module, found)
    if not (root in STDLIB | {"numpy"} or ours or is_engine):
        yield "stages may import numpy, stages, and records, graphs, errors and words of formats only"
    yield from _broken_by_the_main_road(module, found)
    is_table = module in ("stages", "stages.scoring", *TABLES) or _is_paper(module)
    is_light = root in STDLIB or name in TABLES or _is_paper(name)
    if is_table and found.at_module_level and not is_light:
        yield "tables load with the command line and import the standard library and each other only"


def _broken_by_the_library(module: str, found: Import) -> Iterator[str]:
    root = _root(found.module)
    if root in ("click", "bnsl_cli"):
        yield "the library knows nothing of the command line"
    if root == "rich" and (found.at_module_level or module != "bnsl.running.live_reporter"):
        yield "only progress on a terminal needs rich, inside functions"
    if module == "bnsl" and found.at_module_level and root not in STDLIB:
        yield "import bnsl loads the standard library only"
    yield from _broken_by_lateness(module, found)
    is_light = root in STDLIB | {"bnsl"} or found.module in TABLES
    if found.at_module_level and module not in LATE and not is_light:
        yield "at module level the library imports tables, the rest inside functions"


def _broken_by_the_command_line(module: str, found: Import) -> Iterator[str]:
    root = _root(found.module)
    if root in ("numpy", "numba", "pyarrow") and module.startswith("bnsl_cli.commands"):
        yield "commands do no arithmetic"
    yield from _broken_by_lateness(module, found)
    if found.at_module_level and not (root in STDLIB | {"click", "bnsl_cli", "bnsl"} or found.module in TABLES):
        yield "at module level the command line imports click, the library and tables, the rest inside callbacks"


def _broken_by_lateness(module: str, found: Import) -> Iterator[str]:
    if found.at_module_level and found.module in LATE and module not in LATE:
        yield "what runs late is imported inside functions"


RULES = {
    "formats": _broken_by_formats,
    "stages": _broken_by_stages,
    "bnsl": _broken_by_the_library,
    "bnsl_cli": _broken_by_the_command_line,
}
"""The rules of each package, by its name."""


def broken_rules(module: str, found: Import) -> Iterator[str]:
    """Which rules an import of `module` breaks."""
    if _is_kernel(module):
        return _broken_by_kernels(module, found)
    broken_by = RULES.get(_root(module))
    if broken_by is None:
        return iter([f"unknown package {module}"])
    return broken_by(module, found)


def module_name(path: Path) -> tuple[str, str]:
    """Dotted name of a source file and of the package it lives in."""
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    package = ".".join(parts[:-1])
    return (package if parts[-1] == "__init__" else ".".join(parts)), package


def package_of(module: str) -> str:
    return module if module in ("stages.optimize", "stages.published") else module.rpartition(".")[0]


@functools.cache
def imports_of_file(path: Path) -> list[Import]:
    """All imports of a source file."""
    return imports_of(syntax_tree(path), module_name(path)[1])


def sources() -> list[Path]:
    return [
        p for package in ("formats", "stages", "bnsl_cli", "bnsl") for p in sorted((ROOT / package).rglob("*.py"))
    ]


@pytest.mark.parametrize(
    ("module", "source", "complaint"),
    [
        ("formats.x", "import click", "formats may"),
        ("formats.registry", "import numpy", "standard library only"),
        ("formats.kinds", "import numpy", "standard library only"),
        ("formats.registry", "from .records import Network", "standard library only"),
        ("formats.x", "def f():\n from stages.runtime.budgets import Budget", "formats may"),
        ("stages.kernels.x", "from stages.runtime.workers import ordered_map", "kernels may"),
        ("stages.kernels.x", "from ..workers import ordered_map", "kernels may"),
        ("stages.kernels.x", "from ..runtime.errors import StageError", "kernels may"),
        ("stages.kernels.jit", "from ..runtime.budget import Budget", "kernels may"),
        ("stages.published.p.kernels.x", "from stages.runtime.workers import ordered_map", "kernels may"),
        ("stages.optimize.x", "def f():\n from stages.published.p.x import f", "the table of published"),
        ("stages.kernels.x", "from stages.published.p.kernels.x import f", "the table of published"),
        ("stages.optimize", "def f():\n from stages.published.p import SEARCHES", "the table of published"),
        ("stages.optimize.driver", "def f():\n from stages.published import SEARCHES", "the table of published"),
        ("stages.posterior", "from stages.kernels.bits import has_bit", "each other only"),
        ("stages.published.p", "from stages.kernels.bits import has_bit", "each other only"),
        ("stages.x", "def f():\n import numba", "stages may"),
        ("stages.x", "from formats import open_dataset", "stages may"),
        ("stages.optimize.x", "def f():\n import highspy", "stages may"),
        ("stages.optimize.exact.linear_programme", "import highspy", "stages may"),
        ("stages.runtime.workers", "def f():\n from distributed import Client", "stages may"),
        ("stages.optimize", "import numpy", "standard library and each other only"),
        ("bnsl_cli.commands.x", "def f():\n import numpy", "no arithmetic"),
        ("bnsl_cli.x", "from formats import open_dataset", "inside callbacks"),
        ("bnsl_cli.x", "from stages.optimize.driver import run", "inside callbacks"),
        ("bnsl_cli.commands.x", "from bnsl.conversions.converted_contents import convert_data", "inside functions"),
        ("bnsl_cli.x", "import rich", "inside callbacks"),
        ("formats.x", "def f():\n import bnsl", "formats may"),
        ("stages.x", "def f():\n from bnsl.running.errors import UsageError", "stages may"),
        ("stages.x", "def f():\n from bnsl_cli.main import cli", "stages may"),
        ("bnsl", "from stages.optimize import METHODS", "standard library only"),
        ("bnsl.x", "def f():\n import click", "nothing of the command line"),
        ("bnsl.x", "def f():\n from bnsl_cli.main import cli", "nothing of the command line"),
        ("bnsl.x", "import pyarrow", "inside functions"),
        ("bnsl.x", "from stages.optimize.driver import run", "inside functions"),
        ("bnsl.functions.x", "from ..answers.query_answers import answer", "inside functions"),
        ("bnsl.running.live_reporter", "import rich", "inside functions"),
        ("bnsl.x", "def f():\n import rich", "needs rich"),
    ],
)
def test_rules_catch(module: str, source: str, complaint: str):
    (found,) = imports_of(ast.parse(source), package_of(module))
    assert any(complaint in text for text in broken_rules(module, found))


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("formats.x", "import pyarrow.csv"),
        ("stages.kernels.x", "from .jit import njit"),
        ("stages.kernels.jit", "from ..runtime.errors import StageError"),
        ("stages.x", "from stages.kernels.orders.set_lists import SetLists"),
        ("stages.published.p.x", "from stages.optimize.restarts import Attempt"),
        ("stages.published.p.x", "from .kernels.x import f"),
        ("stages.published.p", "from stages.methods import SETS"),
        ("stages.published", "from . import scanagatta_2015"),
        ("stages.optimize", "from stages.published import SEARCHES"),
        ("stages.x", "from formats.records import Dataset"),
        ("stages.optimize.exact.linear_programme", "def f():\n import highspy"),
        ("stages.runtime.dask_workers", "def f():\n from distributed import Client"),
        ("bnsl_cli.x", "from stages.optimize import METHODS"),
        ("stages.optimize", "from stages.methods import own"),
        ("bnsl_cli.x", "from formats.registry import FORMATS"),
        ("bnsl_cli.x", "from formats.kinds import Kind"),
        ("formats.registry", "import importlib"),
        ("formats.registry", "from .kinds import Format"),
        ("bnsl_cli.commands.x", "def f():\n from formats import open_dataset"),
        ("bnsl_cli.commands.x", "from bnsl.functions.optimize import optimize"),
        ("bnsl_cli.x", "import click"),
        ("bnsl.x", "from stages.optimize import METHODS"),
        ("bnsl.x", "from formats.registry import FORMATS"),
        ("bnsl.x", "def f():\n import networkx"),
        ("bnsl.x", "def f():\n from stages.fit import fit_parameters"),
        ("bnsl.functions.x", "def f():\n from ..answers.query_answers import answer"),
        ("bnsl.answers.query_answers", "import numpy"),
        ("bnsl.running.live_reporter", "def f():\n from rich.console import Console"),
        ("bnsl.estimator", "from sklearn.base import BaseEstimator"),
    ],
)
def test_rules_allow(module: str, source: str):
    (found,) = imports_of(ast.parse(source), package_of(module))
    assert list(broken_rules(module, found)) == []


@pytest.mark.slow
def test_imports_keep_the_rules():
    broken = []
    for path in sources():
        module, _ = module_name(path)
        for found in imports_of_file(path):
            broken += [f"{path.relative_to(ROOT)}:{found.line}: {text}" for text in broken_rules(module, found)]
    assert broken == []


@pytest.mark.slow
def test_data_are_counted_by_one_door():
    """Whoever scores asks `FamilyScorer`; compiled searches that expand sets by themselves get its tables."""
    ways = {"PairScores", "CliqueScorer", "SetFunctions"}
    door, makers, counters = "stages.scoring.family_scorer", set(), set()
    for path in sources():
        module, _ = module_name(path)
        calls = (node.func for node in ast.walk(syntax_tree(path)) if isinstance(node, ast.Call))
        if ways & {call.id for call in calls if isinstance(call, ast.Name)}:
            makers.add(module)
        counting = {found.module for found in imports_of_file(path) if ".kernels.counting." in found.module}
        counting -= {f"stages.kernels.counting.{name}" for name in ("sets_by_size", "score_tables")}
        if counting and not module.startswith(("stages.scoring.", "stages.kernels.")):
            counters.add(module)
    assert makers == {door}
    assert counters == {f"stages.published.scanagatta_2015.kernels.{name}" for name in ("greedy", "independence")}


def _reachable(module: str, imported: dict[str, set[str]]) -> set[str]:
    """Modules that a module imports, or that these import."""
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        for name in imported[waiting.pop()] - seen:
            seen.add(name)
            waiting.append(name)
    return seen


def test_formats_import_in_no_circle():
    """Not inside functions either; and what the registry loads by name knows nothing of who loads it."""
    from formats.kinds import Kind
    from formats.registry import FORMATS

    imported: dict[str, set[str]] = {}
    for path in sorted((ROOT / "formats").rglob("*.py")):
        imported[module_name(path)[0]] = {found.module for found in imports_of_file(path)}
    # the front of the package names its modules for type checkers and loads them by name
    imported["formats"] = set()
    imported = {module: {name for name in names if name in imported} for module, names in imported.items()}
    reachable = {module: _reachable(module, imported) for module in imported}
    assert [module for module, names in reachable.items() if module in names] == []
    for row in FORMATS:
        if row.kind not in (Kind.FOREST, Kind.ENTROPIES, Kind.TRACE, Kind.ARC_PROBABILITIES, Kind.PROOF):
            for place in filter(None, (row.reader, row.writer.replace(".tables.table_writer:", ".streams:"))):
                loaded = reachable[f"formats{place.partition(':')[0]}"]
                assert not {"formats.detection", "formats.registry"} & loaded, place


@pytest.mark.parametrize("package", ["bnsl", "bnsl_cli", "formats", "stages"])
def test_no_files_import_each_other_in_a_circle(package: str):
    # Imports inside functions and for type checking count: who reads one file of a circle must read all.
    paths = {module_name(path)[0]: path for path in sources()}
    imports: dict[str, set[str]] = {}
    for module, path in paths.items():
        imports[module] = {each.module for each in imports_of_file(path)} & (paths.keys() - {module})
    # For type checkers the front of the package names the functions, and methods of a network have their keywords.
    imports["bnsl"] = set()
    imports["bnsl.networks"] -= {f"bnsl.functions.{name}" for name in bnsl.FUNCTIONS}
    circular = [m for m in paths if _root(m) == package and m in _reachable(m, imports)]
    assert circular == []


def _late_imports(path: Path) -> set[str]:
    """What the functions of a source file import; not what only type checkers read."""
    package = module_name(path)[1]
    functions = [node for node in ast.walk(syntax_tree(path)) if isinstance(node, ast.FunctionDef)]
    bodies = [ast.Module(function.body, []) for function in functions]
    return {found.module for body in bodies for found in imports_of(body, package)}


def _loaded_with(module: str, imported: dict[str, set[str]]) -> set[str]:
    """The module, the packages that it is in, and all that loads with them."""
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += [name.rpartition(".")[0]] if "." in name else []
            waiting += imported.get(name, ())
    return seen


def _is_slow(module: str) -> bool:
    return module in SLOW or _is_kernel(module)


@pytest.mark.slow
def test_functions_of_formats_and_stages_import_what_is_slow_to_load():
    """All else stands at the top; and a comment there says once what functions import."""
    paths = {module_name(path)[0]: path for path in sources()}
    imported = {
        module: {found.module for found in imports_of_file(path) if found.at_module_level}
        for module, path in paths.items()
    }
    broken = []
    for module, path in paths.items():
        if _root(module) not in ("formats", "stages"):
            continue
        loaded = _loaded_with(module, imported)
        late = {name for name in _late_imports(path) if (module, name) != HIDDEN}
        for name in sorted(late):
            if not any(map(_is_slow, _loaded_with(name, imported) - loaded)):
                broken.append(f"{module}: {name} stands at the top, loading it takes no time")
        names = {name.rpartition(".")[2] if _root(name) in RULES else name for name in late}
        said = [line for line in path.read_text().splitlines() if line.startswith(LATE_MARK)]
        if [set(line.removeprefix(LATE_MARK).split(", ")) for line in said] != ([names] if names else []):
            broken.append(f"{module}: {LATE_MARK}{', '.join(sorted(names))}")
    assert broken == []


def test_two_modules_of_one_name_are_a_kernel_and_its_driver():
    """Packages have their own errors; else a base name of formats and stages says what is inside."""
    places: dict[str, list[str]] = {}
    for path in sources():
        module, _ = module_name(path)
        if _root(module) in ("formats", "stages") and path.stem not in ("__init__", "errors"):
            places.setdefault(path.stem, []).append(module)
    twice = [modules for modules in places.values() if len(modules) > 1]
    assert [modules for modules in twice if len(modules) > 2 or sum(map(_is_kernel, modules)) != 1] == []
