"""What installed packages add to the tables of methods, scores and formats, found by entry points.

An entry point names a dictionary in a module that imports `bnsl.plugin` and states its version, ``BNSL_PLUGIN_API =
1``. An entry point of another package that cannot be used is left out as a whole, with a `PlugInWarning`; packages of
this project are trusted. It imports the standard library only, since tables load with the command line.
"""

from __future__ import annotations

import dataclasses
import functools
import sys
import warnings
from collections.abc import Callable, Mapping
from importlib.metadata import Distribution, EntryPoint, EntryPoints, entry_points
from typing import Any, TypeVar

API_VERSION = 1
"""Version of `bnsl.plugin`; it grows when a formerly usable table becomes unusable."""

OURS = "bnsl-cli"
"""The distribution of this project."""

Row = TypeVar("Row")


class PlugInWarning(UserWarning):
    """The additions of another package are left out."""


class UnusableError(ValueError):
    """The problem with a declaration, in the words of the warning."""


_points = functools.cache(entry_points)


def discovered(
    group: str,
    noun: str,
    main: Mapping[str, Row],
    check: Callable[[str, Any, Mapping[str, Row], Mapping[str, Row]], None],
) -> dict[str, Row]:
    """The rows of `main`, then others of this project, then the rows of other packages, each with its `package`.

    `group` names the entry points; `noun` says, for the warning, what they add. ``check(name, row, present, found)``
    raises `UnusableError` for an unusable row of another package; `present` are the rows of earlier tables, `found`
    the earlier rows of its own table.
    """
    rows = dict(main)
    points: EntryPoints = _points().select(group=group)
    for point in sorted(points, key=lambda point: (_package_of(point) != OURS, point.name)):
        package = _package_of(point)
        if package == OURS:
            rows |= point.load()
            continue
        try:
            table = dict(point.load())
            _check_version(point)
            found: dict[str, Any] = {}
            for name, row in table.items():
                check(name, row, rows, found)
                found[name] = dataclasses.replace(row, package=package)
            rows |= found
        except (Exception, SystemExit) as error:
            reason = str(error) if isinstance(error, UnusableError) else f"{type(error).__name__}: {error}"
            warnings.warn(
                f"the {noun} of the package {package} are left out: its entry point {point.name!r} of {group} "
                f"({point.value}) cannot be used: {reason}; remove the package, or have it mended",
                PlugInWarning,
                stacklevel=3,
            )
    return rows


def _check_version(point: EntryPoint) -> None:
    """Refuse a table that states no version of `bnsl.plugin`, or another version."""
    version = getattr(sys.modules[point.module], "BNSL_PLUGIN_API", None)
    if version != API_VERSION:
        made_for = "states no version of bnsl.plugin" if version is None else f"is made for version {version!r} of it"
        raise UnusableError(
            f"the module {point.module} {made_for}, and this is version {API_VERSION} "
            f"(BNSL_PLUGIN_API = {API_VERSION} beside the table)"
        )


def _package_of(point: EntryPoint) -> str:
    return _name_of(point.dist) if point.dist is not None else "(without a name)"


@functools.cache
def _name_of(distribution: Distribution) -> str:
    """Its name; each look reads and parses the whole description of the package."""
    return distribution.name
