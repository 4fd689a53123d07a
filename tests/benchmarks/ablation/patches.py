"""Patches of the loaded program, and counters of what it does.

A place is written ``module:name`` or ``module:Class.method``: the module is the one that looks the name up.
"""

from __future__ import annotations
import __future__

import functools
import importlib
import inspect
import textwrap
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple
from unittest import mock


class Value(NamedTuple):
    """Another value at a place: a constant, or a whole function."""

    place: str
    value: Any

    def made(self) -> Any:
        original = resolved(self.place)[2]
        if self.value is original:
            raise ValueError(f"{self.place} has this value already")
        return self.value


class Wrapped(NamedTuple):
    """A function made from the one at a place."""

    place: str
    wrap: Callable[[Any], Any]

    def made(self) -> Any:
        return self.wrap(resolved(self.place)[2])


class Text(NamedTuple):
    """The function at a place with other source text; the old text must occur in it exactly once."""

    place: str
    old: str
    new: str

    def made(self) -> Any:
        _, name, original = resolved(self.place)
        source = textwrap.dedent(inspect.getsource(original))
        if (n := source.count(self.old)) != 1:
            raise ValueError(f"{self.place}: {self.old!r} occurs {n} times")
        flags = __future__.annotations.compiler_flag
        found: dict[str, Any] = {}
        exec(compile(source.replace(self.old, self.new), self.place, "exec", flags), original.__globals__, found)
        return found[name]


Patch = Value | Wrapped | Text


def resolved(place: str) -> tuple[Any, str, Any]:
    """The owner of a place, its name there, and what it has now."""
    module, _, path = place.partition(":")
    *owners, name = path.split(".")
    owner = functools.reduce(getattr, owners, importlib.import_module(module))
    return owner, name, getattr(owner, name)


class Acts(NamedTuple):
    """When a part acts: in calls of the function at a place for which `when` (result, *arguments) is true."""

    place: str
    when: Callable[..., bool] | None = None


@contextmanager
def applied(patches: tuple[Patch, ...]) -> Iterator[None]:
    """Within the block, the program is patched. Raises `ValueError` if a patch does not match."""
    with ExitStack() as stack:
        for patch in patches:
            new = patch.made()
            owner, name, _ = resolved(patch.place)
            stack.enter_context(mock.patch.object(owner, name, new))
        yield


@contextmanager
def counted(acts: dict[str, Acts]) -> Iterator[dict[str, int]]:
    """Within the block, calls in which a part acts are counted, by part."""
    counts = dict.fromkeys(acts, 0)

    def counting(part: str, when: Callable[..., bool] | None) -> Callable[[Any], Any]:
        def wrap(original: Any) -> Any:
            @functools.wraps(original)
            def call(*args: Any, **options: Any) -> Any:
                result = original(*args, **options)
                counts[part] += when is None or bool(when(result, *args))
                return result

            return call

        return wrap

    with applied(tuple(Wrapped(act.place, counting(part, act.when)) for part, act in acts.items())):
        yield counts
