"""Write ``bnsl/__init__.pyi``: the functions of the package with the types of their keywords, for editors and mypy.

Signatures come from the declarations of the options, types of results from the docstrings. Where these name further
types and the options that decide, as in "Network or list of Network ... with `bootstrap`", a function gets overloads:
one without these options, and one with each of them.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import bnsl
from bnsl.options.declared import Option
from bnsl.running.function import MESSAGES, Function

STUB = Path(bnsl.__file__).with_suffix(".pyi")

HEAD = '''"""The functions of bnsl with the types of their keywords. Made by `make docs` from the declared options."""

import os
from collections.abc import Iterable, Mapping
from typing import Any, Literal, overload

{imports}

Source = Any
"""A path, a table (pandas, Polars, DuckDB, pyarrow, a dict of columns) or a result of this package."""

__version__: str
FUNCTIONS: tuple[str, ...]
'''


def stub() -> str:
    """The text of the stub."""
    imports = "\n".join(
        f"from .{module} import {name} as {name}"
        for name, module in sorted(vars(bnsl)["_MODULE_OF"].items(), key=lambda item: (item[1], item[0]))
        if name not in bnsl.FUNCTIONS
    )
    definitions = [text for name in bnsl.FUNCTIONS for text in _definitions(getattr(bnsl, name))]
    return "\n".join([HEAD.format(imports=imports), *definitions])


def is_current() -> bool:
    """Whether the stub says what the declarations say, however it is laid out."""
    return ast.unparse(ast.parse(STUB.read_text())) == ast.unparse(ast.parse(stub()))


def _definitions(function: Function) -> list[str]:
    kinds, switches = _returned(function)
    if not switches or len(kinds) == 1:
        return [_definition(function, " | ".join(kinds), {})]
    first = max(1, len(kinds) - len(switches))  # types that no option decides between
    options = {switch: function.keywords[switch] for switch in switches[: len(kinds) - first]}
    absent = {switch: f"{switch}: {_absent(option)} = {option.default!r}" for switch, option in options.items()}
    definitions = [_definition(function, " | ".join(kinds[:first]), absent)]
    for kind, (switch, option) in zip(kinds[first:], options.items(), strict=True):
        given = "Literal[True]" if option.is_flag else option.kind.annotation
        definitions.append(_definition(function, kind, absent | {switch: f"{switch}: {given}"}))
    return [f"@overload\n{each}" for each in definitions]


def _absent(option: Option) -> str:
    return f"Literal[{option.default!r}]" if option.default is not None else "None"


def _returned(function: Function) -> tuple[list[str], list[str]]:
    """Types of the result, and the options that decide between them."""
    found = re.search(r"Returns\n-------\n(.+)\n((?:    .+\n)*)", function.__doc__ or "")
    assert found, function.__name__
    kinds = [_type(text) for text in re.split(r",? or |, ", found[1])]
    named = dict.fromkeys(re.findall(r"`(\w+)`", found[2]))
    return kinds, [name for name in named if name in function.keywords]


def _type(text: str) -> str:
    several = text.removeprefix("list of ")
    kind = "dict[str, Any]" if several == "dict" else several
    return f"list[{kind}]" if several != text else kind


def _definition(function: Function, returned: str, instead: dict[str, str]) -> str:
    positional = [_parameter(n, o, instead) for n, o in function.keywords.items() if o.positional]
    named = [_parameter(n, o, instead) for n, o in function.keywords.items() if not o.positional]
    named += [f"{o.field}: {type(o.default).__name__} = {o.default!r}" for o in MESSAGES]
    lines = [*positional, "*", *named]
    return f"def {function.__name__}(\n" + "".join(f"    {line},\n" for line in lines) + f") -> {returned}: ...\n"


def _parameter(name: str, option: Option, instead: dict[str, str]) -> str:
    if name in instead:
        return instead[name]
    if option.positional and option.is_several:
        one = option.kind.annotation
        return f"{name}: {one} | Iterable[{one}] | Mapping[str, Any] = ()"
    return f"{name}: {option.annotation}" + ("" if option.is_required else f" = {option.default!r}")


if __name__ == "__main__":
    STUB.write_text(stub())
