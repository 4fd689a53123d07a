"""Parts of help texts that are made from the tables of the program: methods, scores, formats."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable

from bnsl.files import targets
from stages import optimize, parentsets
from stages.methods import ON_DATA, ON_SETS
from stages.scoring.scores import SCORES

from ..running.pages import WIDTH

BOUNDS = {(False,): "without `--tw`", (True,): "with `--tw` only", (False, True): "with or without `--tw`"}
"""Words about ``--tw``, by whether the tasks of a method are bounded."""


def _optimize_item(name: str) -> str:
    spec = optimize.METHODS[name]
    inputs = " or ".join(
        word
        for word, on_data in (("SETS", False), ("`--data`", True))
        if any(task.on_data == on_data for task in spec.variants)
    )
    bound = BOUNDS[tuple(sorted({task.bounded for task in spec.variants}))]
    common = {*ON_SETS, *ON_DATA, "sets", "start"}
    names = dict.fromkeys(o for way in spec.variants.values() for o in way.options if o not in common)
    options = []
    for option in names:
        takes = [task for task, way in spec.variants.items() if option in way.options]
        where = "" if len(takes) == len(spec.variants) else f" ({'with' if takes[0].bounded else 'without'} `--tw`)"
        options.append(f"`--{option.replace('_', '-')}`{where}")
    return _item(name, f"{spec.family}; {inputs}, {bound}", spec.about, options)


def _item(name: str, place: str, about: str, options: Iterable[str]) -> str:
    own = ", ".join(options)
    text = f"- `{name}`{f' ({place})' if place else ''}: {about}.{f' Options: {own}.' if own else ''}"
    return textwrap.fill(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def _parentsets_item(name: str) -> str:
    spec = parentsets.METHODS[name]
    return _item(name, "", spec.about, (f"`--{option}`" for option in spec.options))


DERIVED: dict[str, Callable[[], str]] = {
    "optimize_methods": lambda: "\n".join(map(_optimize_item, optimize.METHODS)),
    "parentsets_methods": lambda: "\n".join(map(_parentsets_item, parentsets.METHODS)),
    "scores": lambda: "\n".join(_item(name, "", score.definition, ()) for name, score in SCORES.items()),
    "targets": lambda: "\n\n".join(f"{', '.join(family)}: {about}." for about, family in targets.FAMILIES.items()),
    "with_parameters": lambda: targets.WITH_PARAMETERS,
    "essential": lambda: ", ".join(targets.ESSENTIAL),
}
"""The text for each word in braces."""
