"""Every option of every command has its argument, of the same default, and nothing else has one."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys

import click
import pytest
from bnsl.commands import NOT_LEARNT
from helpers.processes import environment

import bnsl
from bnsl_cli.main import cli

FUNCTIONS = [
    "entropy",
    "screen",
    "parentsets",
    "optimize",
    "posterior",
    "average",
    "query",
    "fit",
    "sample",
    "evaluate",
    "convert",
]


def command_of(name: str) -> click.Command:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    return command


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_option_has_its_argument_and_every_argument_its_option(name: str):
    command = command_of(name)
    shown = inspect.signature(getattr(bnsl, name)).parameters
    positional = {p.name for p in command.params if isinstance(p, click.Argument)}
    expected = set(positional)
    for parameter in command.params:
        if not isinstance(parameter, click.Option) or not parameter.expose_value:
            continue
        spelled = {text.lstrip("-").replace("-", "_") for text in parameter.opts}
        if parameter.name == "method":
            spelled = {"method"}  # --NAME is --method NAME
        fitting = (spelled - positional) or {parameter.name}
        assert fitting & set(shown), parameter.opts
        expected |= fitting & set(shown)
    assert expected == set(shown)
    assert {p.name for p in shown.values() if p.kind is p.POSITIONAL_OR_KEYWORD} == positional


@pytest.mark.parametrize("name", FUNCTIONS)
def test_defaults_are_those_of_the_command(name: str):
    options = {p.name: p for p in command_of(name).params if isinstance(p, click.Option)}
    by_spelling = {max(p.opts, key=len).lstrip("-").replace("-", "_"): p for p in options.values()}
    for argument in inspect.signature(getattr(bnsl, name)).parameters.values():
        option = by_spelling.get(argument.name) or options.get(argument.name)
        if argument.kind is argument.KEYWORD_ONLY and option is not None and argument.name != "method":
            assert (argument.default is argument.empty) == option.required
            if isinstance(option.default, (bool, int, float, str, tuple)):
                assert argument.default == option.default, argument.name
            elif not option.required:
                assert argument.default in (None, False, ()), argument.name


@pytest.mark.parametrize("name", [*FUNCTIONS, "learn"])
def test_help_names_every_argument_once(name: str):
    function = getattr(bnsl, name)
    lines = function.__doc__.splitlines()
    assert all(lines.count(argument) == 1 for argument in inspect.signature(function).parameters)


def test_learn_has_the_options_of_a_search_on_data():
    of_optimize = set(inspect.signature(bnsl.optimize).parameters)
    assert set(inspect.signature(bnsl.learn).parameters) == of_optimize - set(NOT_LEARNT) | {"smoothing"}


def test_names_of_the_package_are_those_that_load():
    pytest.importorskip("sklearn")
    assert set(dir(bnsl)) == set(bnsl.__all__)
    for name in bnsl.__all__:
        module = importlib.import_module(getattr(bnsl, name).__module__)
        assert getattr(module, name) is getattr(bnsl, name)
    with pytest.raises(AttributeError, match="nothing"):
        bnsl.nothing  # noqa: B018


def test_importing_loads_next_to_nothing():
    script = """
import sys, time
started = time.process_time()
import bnsl
seconds = time.process_time() - started
heavy = {"numba", "pyarrow", "numpy", "click", "rich", "sklearn", "pandas", "networkx"} & set(sys.modules)
bnsl.optimize
late = {"numba", "pyarrow", "numpy", "rich", "sklearn", "pandas", "networkx"} & set(sys.modules)
print(seconds < 0.2, heavy, late)
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, env=environment(), check=True)
    assert result.stdout == b"True set() set()\n", result
