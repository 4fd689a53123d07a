"""Parts of help texts that are made from the tables of the program: methods, scores, formats."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable

from bnsl.files import targets
from stages import optimize, parentsets
from stages.methods import ON_DATA, ON_SETS, SearchMethod
from stages.scoring.scores import SCORES

from ..running.section_options import WIDTH

BOUNDS = {(False,): "without `--tw`", (True,): "with `--tw` only", (False, True): "with or without `--tw`"}
"""Words about ``--tw``, by whether the tasks of a method are bounded."""


def method_rows() -> list[dict[str, str]]:
    """A row for each method: its command, family, input, whether it bounds the treewidth, own options, one line."""
    rows = []
    for name, spec in optimize.METHODS.items():
        row = {"command": "optimize", "method": name, "family": spec.family, "input": _inputs(spec)}
        rows.append(row | {"treewidth": _bound(spec), "options": ", ".join(_own_options(spec)), "about": spec.about})
    for name, selection in parentsets.METHODS.items():
        row = {"command": "parentsets", "method": name, "family": "", "input": "data", "treewidth": ""}
        options = ", ".join(f"--{option}" for option in selection.options)
        rows.append(row | {"options": options, "about": selection.about})
    return [{key: value.replace("`", "") for key, value in row.items()} for row in rows]


def _inputs(spec: SearchMethod) -> str:
    return " or ".join(
        word
        for word, on_data in (("SETS", False), ("`--data`", True))
        if any(task.on_data == on_data for task in spec.variants)
    )


def _bound(spec: SearchMethod) -> str:
    return BOUNDS[tuple(sorted({task.bounded for task in spec.variants}))]


def _optimize_item(name: str) -> str:
    spec = optimize.METHODS[name]
    return _item(name, f"{spec.family}; {_inputs(spec)}, {_bound(spec)}", spec.about, _own_options(spec))


def _own_options(spec: SearchMethod) -> list[str]:
    """The options that not all methods have, and whether they go with ``--tw``."""
    common = {*ON_SETS, *ON_DATA, "sets", "start"}
    names = dict.fromkeys(o for way in spec.variants.values() for o in way.options if o not in common)
    options = []
    for option in names:
        takes = [task for task, way in spec.variants.items() if option in way.options]
        where = "" if len(takes) == len(spec.variants) else f" ({'with' if takes[0].bounded else 'without'} `--tw`)"
        options.append(f"`--{option.replace('_', '-')}`{where}")
    return options


def _item(name: str, place: str, about: str, options: Iterable[str]) -> str:
    own = ", ".join(options)
    text = f"- `{name}`{f' ({place})' if place else ''}: {about}.{f' Options: {own}.' if own else ''}"
    return textwrap.fill(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def _parentsets_item(name: str) -> str:
    spec = parentsets.METHODS[name]
    return _item(name, "", spec.about, (f"`--{option}`" for option in spec.options))


TABLES: dict[str, Callable[[], str]] = {
    "optimize_methods": lambda: "\n".join(map(_optimize_item, optimize.METHODS)),
    "parentsets_methods": lambda: "\n".join(map(_parentsets_item, parentsets.METHODS)),
    "scores": lambda: "\n".join(_item(name, "", score.definition, ()) for name, score in SCORES.items()),
    "targets": lambda: "\n\n".join(f"{', '.join(family)}: {about}." for about, family in targets.FAMILIES.items()),
    "with_parameters": lambda: targets.WITH_PARAMETERS,
    "essential": lambda: ", ".join(targets.ESSENTIAL),
}
"""The text for each word in braces."""
