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

from helpers.places import ROOT
from helpers.sources import syntax_tree

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
    "bnsl.conversions.differences",
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


def top_package(module: str) -> str:
    return module.split(".")[0]


def _is_engine(module: str, found: Import) -> bool:
    """Whether an optional package is imported in its module, when it is needed."""
    return ENGINES.get(top_package(found.module)) == module and not found.at_module_level


def _broken_by_formats(module: str, found: Import) -> Iterator[str]:
    if (
        (module == "formats" or (module in TABLES and top_package(module) == "formats"))
        and found.at_module_level
        and top_package(found.module) not in STDLIB
        and found.module not in TABLES
    ):
        yield "the table of formats loads with the command line and imports the standard library only"
    if top_package(found.module) not in STDLIB | {"numpy", "pyarrow", "orjson", "formats"} and not _is_engine(
        module, found
    ):
        yield "formats may import the standard library, numpy, pyarrow and orjson only"


def is_kernel(module: str) -> bool:
    return module.startswith("stages.") and "kernels" in module.split(".")


def _is_published(module: str) -> bool:
    return module.startswith("stages.published")


def _is_paper(module: str) -> bool:
    """Whether it is a folder of published methods, which declares them."""
    parts = module.split(".")
    return _is_published(module) and len(parts) == 3 and not (ROOT / Path(*parts)).with_suffix(".py").exists()


def _broken_by_kernels(module: str, found: Import) -> Iterator[str]:
    is_refusal = found.module == "stages.runtime.errors" and module in REFUSING
    if not (
        top_package(found.module) in STDLIB | {"numpy", "numba", "llvmlite"} or is_kernel(found.module) or is_refusal
    ):
        yield "kernels may import numpy, numba and each other only"
    yield from _broken_by_the_main_road(module, found)


def _broken_by_the_main_road(module: str, found: Import) -> Iterator[str]:
    is_table = found.module == "stages.published" and module in ("stages.optimize", "stages.parentsets")
    if _is_published(found.module) and not (_is_published(module) or is_table):
        yield "the main road imports the table of published methods only, into its own tables"


def _broken_by_stages(module: str, found: Import) -> Iterator[str]:
    root, name = top_package(found.module), found.module
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
        "formats.pictures.curves",
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
    root = top_package(found.module)
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
    root = top_package(found.module)
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
    if is_kernel(module):
        return _broken_by_kernels(module, found)
    broken_by = RULES.get(top_package(module))
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
