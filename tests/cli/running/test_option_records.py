"""Options that the library declares, as parameters of a command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click
import pytest
from click.testing import CliRunner

from bnsl.options.declared import argument, option, record, single
from bnsl.options.methods import method_option
from bnsl.options.values import COLUMNS, DURATION, FLAG, OUTPUT, Choice, Number, Whole
from bnsl.running.errors import UsageError
from bnsl_cli.running.option_records import packed
from stages.posterior import METHODS


@dataclass(frozen=True)
class Limits:
    keep_mass: float | None = option("Keep sets.", Number(0, 1), "EPS")
    rounds: int = option("Most rounds.", Whole(1), names=("-r", "--most-rounds"), default=3, section="Rounds")
    as_json: bool = option("JSON.", FLAG, absent=False)


def result_of(add: Any, *arguments: str) -> Any:
    """What a callback with the options of `add` gets, by keyword."""
    found: list[dict[str, Any]] = []
    command = click.command(add(lambda **values: found.append(values)))
    result = CliRunner().invoke(command, arguments, standalone_mode=False)
    if result.exception:
        raise result.exception
    return found[0]


def options_of(add: Any) -> dict[str, Any]:
    return {str(parameter.name): parameter for parameter in click.command(add(lambda **values: None)).params}


def test_values_are_passed_as_one_record():
    limits = packed("limits", record(Limits))
    values = result_of(limits, "--keep-mass", "0.5", "-r", "7", "--as-json")
    assert values == {"limits": Limits(keep_mass=0.5, rounds=7, as_json=True)}
    assert result_of(limits) == {"limits": Limits(keep_mass=None, rounds=3, as_json=False)}


def test_options_come_in_the_order_of_the_fields():
    options = options_of(packed("limits", record(Limits, "Budget")))
    assert list(options) == ["keep_mass", "rounds", "as_json"]
    assert [option.section for option in options.values()] == ["Budget", "Rounds", "Budget"]
    assert options["rounds"].opts == ["-r", "--most-rounds"]
    assert options["keep_mass"].metavar == "EPS" and options["keep_mass"].help == "Keep sets."
    assert [option.show_default for option in options.values()] == [False, True, False]


def test_a_command_may_change_an_option_or_have_none():
    add = packed("limits", record(Limits, changes={"rounds": {"help": "Rounds."}}, without=["as_json"]))
    options = options_of(add)
    assert options["rounds"].help == "Rounds." and "as_json" not in options
    assert result_of(add) == {"limits": Limits(keep_mass=None, rounds=3, as_json=False)}


def test_a_single_option():
    assert result_of(packed("most", single(Limits, "rounds")), "--most-rounds", "4") == {"most": 4}
    assert options_of(packed("rounds", single(Limits, "rounds", help="Rounds.")))["rounds"].help == "Rounds."


def test_values_out_of_their_limits_are_refused_by_name():
    for words, message in (
        (["--keep-mass", "2"], "2.0 is not in the range 0<=x<=1"),
        (["--keep-mass", "nan"], "not a finite number"),
        (["-r", "0"], "0 is not in the range x>=1"),
        (["-r", str(2**63)], r"9.223e\+18 is too large"),
    ):
        with pytest.raises(click.BadParameter, match=message):
            result_of(packed("limits", record(Limits)), *words)


@dataclass(frozen=True)
class Further:
    time: float | None = option("Time.", DURATION)
    kind: str = option("Kind.", Choice(("good", "bad")), default="good")
    columns: tuple[str, ...] = option("Columns.", COLUMNS, is_several=True, is_joined=True)
    na: tuple[str, ...] = option("Missing.", is_several=True)
    cpdag: bool | None = option("Class.", FLAG, names=("--cpdag/--dag",), default=None)
    output: str = option("File.", OUTPUT, names=("-o", "--output"), default="-")


def test_values_of_all_kinds():
    assert result_of(packed("got", record(Further)))["got"] == Further(None, "good", (), (), None, "-")
    line = "--time 1h30m --kind BAD --columns a,b --columns c --na x --na y --dag -o f"
    expected = Further(5400.0, "bad", ("a", "b", "c"), ("x", "y"), False, "f")
    assert result_of(packed("got", record(Further)), *line.split())["got"] == expected


def test_every_method_has_a_flag():
    add = packed("method", method_option(METHODS, "Default: dp."))
    name = list(METHODS)[-1]
    assert result_of(add, f"--{name}") == result_of(add, "--method", name) == {"method": name}
    assert result_of(add) == {"method": None}


def test_an_input_is_needed_on_a_terminal(monkeypatch: pytest.MonkeyPatch):
    data = packed("data", argument("DATA", is_standard_input=True))
    assert result_of(data) == {"data": "-"}
    assert result_of(data, "d.csv") == {"data": "d.csv"}
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda self: True, raising=False)
    with pytest.raises(UsageError, match="no input: give DATA"):
        result_of(data)
