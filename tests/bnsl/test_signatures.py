"""Options of commands and keywords of functions: the same names and defaults, and those of the last release."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import click
import pytest
from helpers.option_tables import option_table, table_text
from helpers.processes import environment

import bnsl
from bnsl.options.data import KEPT
from bnsl.options.option import options_of
from bnsl.options.values import Choice
from bnsl_cli.main import cli
from stages.fit import TOWARDS
from stages.methods import own_options
from stages.optimize import OptimizeOptions
from stages.parentsets import ParentSetOptions
from stages.posterior import PosteriorOptions

TABLE = Path(__file__).parents[1] / "cli" / "options.txt"


def test_options_are_those_of_the_table(regenerate: bool):
    """What users may type: `pytest --regenerate` writes the table anew, and its changes belong to the changelog."""
    text = table_text(option_table())
    if regenerate:
        TABLE.write_text(text)
    assert text.splitlines() == TABLE.read_text().splitlines()


@pytest.mark.parametrize("name", [name for name in bnsl.FUNCTIONS if name != "learn"])
def test_keywords_and_options_are_the_same(name: str):
    function = getattr(bnsl, name)
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    shell = {str(parameter.name): parameter for parameter in command.params}
    shown = inspect.signature(function).parameters
    assert set(shown) == {*options_of(function), "quiet", "verbose"}
    for keyword, parameter in shown.items():
        option = shell[keyword]
        is_positional = parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
        assert is_positional == isinstance(option, click.Argument)
        assert (parameter.default is inspect.Parameter.empty) == option.required
        if isinstance(option.default, (bool, int, float, str, tuple)) and keyword != "quiet":
            assert parameter.default == option.default, keyword


@pytest.mark.parametrize("name", bnsl.FUNCTIONS)
def test_help_names_every_argument_once(name: str):
    function = getattr(bnsl, name)
    lines = str(function.__doc__).splitlines()
    for argument in inspect.signature(function).parameters:
        assert sum(line.startswith(f"{argument} : ") for line in lines) == 1, argument


def test_methods_of_a_network_list_the_options_that_they_pass_on():
    for method in ("query", "predict", "impute", "fit", "sample", "explain", "evaluate"):
        called = getattr(bnsl.Network, method)
        parameters = inspect.signature(called).parameters
        assert "options" not in parameters and "states" in parameters, method
        assert get_type_hints(called).keys() - {"return"} == parameters.keys() - {"self"}, method
    assert "smoothing" in inspect.signature(bnsl.Network.query).parameters
    assert "table" not in list(inspect.signature(bnsl.Network.predict).parameters)[3:]


@pytest.mark.parametrize(
    ("name", "record"),
    [("parentsets", ParentSetOptions), ("optimize", OptimizeOptions), ("posterior", PosteriorOptions)],
)
def test_options_of_methods_have_the_types_of_the_stage(name: str, record: type):
    """The names and types stand in the signature for type checkers; the stage declares all else."""
    options, of_stage = options_of(getattr(bnsl, name)), own_options(record)
    types = {field.name: eval(field.type) for field in fields(record) if field.name in of_stage}
    for keyword, own in of_stage.items():
        if not own.choices:
            assert options[keyword].type == types[keyword], keyword


def literal_words(of: Any) -> tuple[str, ...]:
    """The words of a `Literal`, alone or in a union."""
    found = [each for each in (of, *get_args(of)) if get_origin(each) is Literal]
    return get_args(found[0]) if found else ()


@pytest.mark.parametrize("name", bnsl.FUNCTIONS)
def test_words_that_type_checkers_know_are_those_that_are_taken(name: str):
    words_of = {keyword: literal_words(option.type) for keyword, option in options_of(getattr(bnsl, name)).items()}
    for keyword, words in words_of.items():
        kind = options_of(getattr(bnsl, name))[keyword].kind
        assert not words or words == kind.words, keyword
        # Names of methods are too many to list, and formats depend on the command.
        assert words or type(kind) is not Choice or keyword in ("score", "to"), keyword


def test_words_are_those_of_the_stages():
    assert literal_words(options_of(bnsl.fit)["smooth_towards"].type) == TOWARDS
    assert literal_words(options_of(bnsl.learn)["smooth_towards"].type) == TOWARDS
    how = bnsl.Network.impute.__annotations__["how"]
    assert literal_words(how) == options_of(bnsl.query)["fill"].kind.words
    taken = [options_of(getattr(bnsl, name)).get("missing") for name in bnsl.FUNCTIONS]
    words = {word for option in taken if option is not None for word in literal_words(option.type)}
    assert words == {"error", "drop", "state", *KEPT}


def test_learn_has_the_options_of_a_search_on_data():
    without = {"sets", "partial", "bootstrap", "resample", "workers"}
    of_fit = {"smoothing", "smoothing_for", "smooth_towards"}
    assert set(options_of(bnsl.learn)) == set(options_of(bnsl.optimize)) - without | of_fit
    assert next(iter(options_of(bnsl.learn))) == "data"


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
