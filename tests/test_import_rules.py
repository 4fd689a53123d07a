"""Imports keep to the rules; what is counted by one door, circles, late imports, names of modules."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from helpers.import_rules import (
    HIDDEN,
    LATE_MARK,
    RULES,
    SLOW,
    broken_rules,
    imports_of,
    imports_of_file,
    is_kernel,
    module_name,
    package_of,
    sources,
    top_package,
)
from helpers.places import ROOT
from helpers.sources import syntax_tree

import bnsl


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
    circular = [m for m in paths if top_package(m) == package and m in _reachable(m, imports)]
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
    return module in SLOW or is_kernel(module)


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
        if top_package(module) not in ("formats", "stages"):
            continue
        loaded = _loaded_with(module, imported)
        late = {name for name in _late_imports(path) if (module, name) != HIDDEN}
        for name in sorted(late):
            if not any(map(_is_slow, _loaded_with(name, imported) - loaded)):
                broken.append(f"{module}: {name} stands at the top, loading it takes no time")
        names = {name.rpartition(".")[2] if top_package(name) in RULES else name for name in late}
        said = [line for line in path.read_text().splitlines() if line.startswith(LATE_MARK)]
        if [set(line.removeprefix(LATE_MARK).split(", ")) for line in said] != ([names] if names else []):
            broken.append(f"{module}: {LATE_MARK}{', '.join(sorted(names))}")
    assert broken == []


def test_two_modules_of_one_name_are_a_kernel_and_its_driver():
    """Packages have their own errors; else a base name of formats and stages says what is inside."""
    places: dict[str, list[str]] = {}
    for path in sources():
        module, _ = module_name(path)
        if top_package(module) in ("formats", "stages") and path.stem not in ("__init__", "errors"):
            places.setdefault(path.stem, []).append(module)
    twice = [modules for modules in places.values() if len(modules) > 1]
    assert [modules for modules in twice if len(modules) > 2 or sum(map(is_kernel, modules)) != 1] == []
