"""Every option of every command that a function declares has its keyword, of the same default."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys

import click
import pytest
from helpers.processes import environment

import bnsl
from bnsl.running.function import Function
from bnsl_cli.main import cli

OF_THE_SHELL = {
    "output",
    "format_name",
    "as_json",
    "stats",
    "resume",
    "answers",
    "points",
    "strengths",
    "save_network",
}
"""Options of commands about files and formats of results, which objects have instead."""
KEPT = {"convert": {"output"}, "evaluate": {"strengths"}}
"""Of these names, options that a function has: a file to write, or an input."""
WITH_COMMAND = [name for name in bnsl.FUNCTIONS if name != "learn"]


def options_of(name: str) -> dict[str, click.Parameter]:
    """The parameters of a command by name: one for ``--method`` and its flags."""
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    found: dict[str, click.Parameter] = {}
    for parameter in command.params:
        if parameter.expose_value:
            found.setdefault(str(parameter.name), parameter)
    return found


def function_of(name: str) -> Function:
    return getattr(bnsl, name)


@pytest.mark.parametrize("name", WITH_COMMAND)
def test_every_option_has_its_keyword_and_every_keyword_its_option(name: str):
    function = function_of(name)
    shell = options_of(name).keys() - {"quiet", "verbose"}
    fields = {option.field for option in function.keywords.values()}
    assert len(fields) == len(function.keywords)
    assert fields <= shell
    assert shell - fields <= OF_THE_SHELL - KEPT.get(name, set())
    shown = inspect.signature(function).parameters
    assert set(shown) == {*function.keywords, "quiet", "verbose"}


@pytest.mark.parametrize("name", WITH_COMMAND)
def test_a_keyword_is_the_spelling_of_its_option(name: str):
    function, options = function_of(name), options_of(name)
    names = {option.field for option in function.keywords.values() if option.positional}
    for keyword, option in function.keywords.items():
        parameter = options[option.field]
        if option.positional:
            assert isinstance(parameter, click.Argument) and keyword == option.field
        else:
            spelled = {text.lstrip("-").replace("-", "_") for text in parameter.opts}
            assert keyword in spelled or (keyword == option.field and spelled & names), keyword
    kinds = {p.name: p.kind for p in inspect.signature(function).parameters.values()}
    assert {keyword for keyword, kind in kinds.items() if kind is inspect.Parameter.POSITIONAL_OR_KEYWORD} == names


@pytest.mark.parametrize("name", WITH_COMMAND)
def test_defaults_are_those_of_the_command(name: str):
    function, options = function_of(name), options_of(name)
    shown = inspect.signature(function).parameters
    for keyword, option in function.keywords.items():
        parameter, default = options[option.field], shown[keyword].default
        assert (default is inspect.Parameter.empty) == parameter.required
        if isinstance(parameter.default, (bool, int, float, str, tuple)):
            assert default == parameter.default, keyword
        elif not parameter.required:
            assert default in (None, False, ()), keyword


@pytest.mark.parametrize("name", bnsl.FUNCTIONS)
def test_help_names_every_argument_once(name: str):
    function = function_of(name)
    lines = str(function.__doc__).splitlines()
    for argument in inspect.signature(function).parameters:
        assert sum(line.startswith(f"{argument} : ") for line in lines) == 1, argument


def test_learn_has_the_options_of_a_search_on_data():
    without = {"sets", "partial", "bootstrap", "resample", "workers"}
    of_fit = {"smoothing", "smoothing_for", "smooth_towards"}
    assert set(function_of("learn").keywords) == set(function_of("optimize").keywords) - without | of_fit
    assert next(iter(function_of("learn").keywords)) == "data"


def test_names_of_the_package_are_those_that_load():
    pytest.importorskip("sklearn")
    assert set(dir(bnsl)) == set(bnsl.__all__)
    for name in bnsl.__all__:
        value = getattr(bnsl, name)
        module = importlib.import_module(value.__module__)
        assert getattr(module, name) is value and value.__name__ == name
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
