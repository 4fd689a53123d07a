"""Options that a signature declares, as parameters of a command."""

import inspect
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypedDict, Unpack

import click
import pytest
from click.testing import CliRunner

from bnsl.options.methods import method_option
from bnsl.options.option import Argument, Option, options_of
from bnsl.options.values import COLUMNS, DURATION, OUTPUT, Number, Whole
from bnsl.running.errors import UsageError
from bnsl_cli.running.signatures import with_options
from stages.posterior import METHODS


class Limits(TypedDict, total=False):
    keep_mass: Annotated[float | None, Option("Keep sets.", Number(0, 1), "EPS", section="Budget")]
    rounds: Annotated[
        int, Option("Most rounds.", Whole(1), names=("-r", "--most-rounds"), default=3, section="Rounds")
    ]
    json: Annotated[bool, Option("JSON.", section="Budget")]


def of_limits(**options: Unpack[Limits]) -> None: ...


def result_of(function: Callable, *arguments: str) -> dict[str, Any]:
    """What a callback with the options of a function gets, by keyword."""
    found: list[dict[str, Any]] = []
    command = click.command(with_options(lambda **values: found.append(values), options_of(function).values()))
    result = CliRunner().invoke(command, arguments, standalone_mode=False)
    if result.exception:
        raise result.exception
    return found[0]


def parameters_of(function: Callable) -> dict[str, Any]:
    command = click.command(with_options(lambda **values: None, options_of(function).values()))
    return {str(parameter.name): parameter for parameter in command.params}


def test_values_are_passed_by_keyword():
    values = result_of(of_limits, "--keep-mass", "0.5", "-r", "7", "--json")
    assert values == {"keep_mass": 0.5, "rounds": 7, "json": True}
    assert result_of(of_limits) == {"keep_mass": None, "rounds": 3, "json": False}


def test_options_come_in_the_order_of_the_signature():
    options = parameters_of(of_limits)
    assert list(options) == ["keep_mass", "rounds", "json"]
    assert [option.section for option in options.values()] == ["Budget", "Rounds", "Budget"]
    assert options["rounds"].opts == ["-r", "--most-rounds"]
    assert options["keep_mass"].metavar == "EPS" and options["keep_mass"].help == "Keep sets."
    assert [option.show_default for option in options.values()] == [False, True, False]


Rounds = Annotated[int, Option("Most rounds.", Whole(1), default=3, section="Rounds")]


def changing(
    data: Annotated[Any, Argument("DATA", is_standard_input=True)] = None,
    *,
    rounds: Annotated[Rounds, "Rounds.", {"section": "Run"}] = 4,
    other: Annotated[str, Option("Needed.")],
    plain: int = 0,
) -> None: ...


def test_a_function_may_change_help_section_and_default():
    options = options_of(changing)
    assert list(options) == ["data", "rounds", "other"]  # a parameter without an option is none
    rounds = options["rounds"]
    assert (rounds.help, rounds.section, rounds.default, rounds.keyword) == ("Rounds.", "Run", 4, "rounds")
    assert options["other"].is_required and not options["data"].is_required and options["data"].positional


def test_annotations_in_text_are_read_alike():
    source = inspect.getsource(changing)
    namespace = {"Annotated": Annotated, "Any": Any, "Argument": Argument, "Option": Option, "Rounds": Rounds}
    exec(f"from __future__ import annotations\n{source}", namespace)
    read: Any = namespace["changing"]
    assert [vars(option) for option in options_of(read).values()] == [
        vars(option) for option in options_of(changing).values()
    ]


def test_values_out_of_their_limits_are_refused_by_name():
    for words, message in (
        (["--keep-mass", "2"], "2.0 is not in the range 0<=x<=1"),
        (["--keep-mass", "nan"], "not a finite number"),
        (["-r", "0"], "0 is not in the range x>=1"),
        (["-r", str(2**63)], r"9.223e\+18 is too large"),
    ):
        with pytest.raises(click.BadParameter, match=message):
            result_of(of_limits, *words)


class Further(TypedDict, total=False):
    time: Annotated[float | str | None, Option("Time.", DURATION)]
    kind: Annotated[Literal["good", "bad"], Option("Kind.", default="good")]
    columns: Annotated[str | list[str], Option("Columns.", COLUMNS, is_several=True, is_joined=True)]
    na: Annotated[str | list[str], Option("Missing.", is_several=True)]
    cpdag: Annotated[bool | None, Option("Class.", names=("--cpdag/--dag",))]
    output: Annotated[str, Option("File.", OUTPUT, names=("-o", "--output"), default="-")]
    pair: Annotated[tuple[str, str] | None, Option("Two.", nargs=2)]


def further(**options: Unpack[Further]) -> None: ...


def test_values_of_all_kinds():
    expected = {
        "time": None, "kind": "good", "columns": (), "na": (), "cpdag": None, "output": "-", "pair": None,
    }  # fmt: skip
    assert result_of(further) == expected
    line = "--time 1h30m --kind BAD --columns a,b --columns c --na x --na y --dag -o f --pair l r"
    expected |= {"time": 5400.0, "kind": "bad", "columns": ("a", "b", "c"), "na": ("x", "y"), "cpdag": False}
    assert result_of(further, *line.split()) == {**expected, "output": "f", "pair": ("l", "r")}


def of_method(method: Annotated[str | None, method_option(METHODS, "Default: dp.")] = None) -> None: ...


def test_every_method_has_a_flag():
    name = list(METHODS)[-1]
    assert result_of(of_method, f"--{name}") == result_of(of_method, "--method", name) == {"method": name}
    assert result_of(of_method) == {"method": None}


def of_data(data: Annotated[Any, Argument("DATA", is_standard_input=True)] = None) -> None: ...


def test_an_input_is_needed_on_a_terminal(monkeypatch: pytest.MonkeyPatch):
    assert result_of(of_data) == {"data": "-"}
    assert result_of(of_data, "d.csv") == {"data": "d.csv"}
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda self: True, raising=False)
    with pytest.raises(UsageError, match="no input: give DATA"):
        result_of(of_data)
