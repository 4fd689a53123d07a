"""Records whose fields declare options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click
import pytest
from click.testing import CliRunner

from bnsl_cli.running.option_records import option_field, packed, single


@dataclass(frozen=True)
class Limits:
    keep_mass: float | None = option_field("Keep sets.", click.FLOAT, "EPS")
    rounds: int = option_field("Most rounds.", names=("-r", "--most-rounds"), default=3, section="Rounds")
    as_json: bool = option_field("JSON.", is_flag=True, absent=False)


def result_of(add: Any, *arguments: str) -> Any:
    """What a callback with the options of `add` gets, by keyword."""
    found: list[dict[str, Any]] = []
    command = click.command(add(lambda **values: found.append(values)))
    result = CliRunner().invoke(command, arguments, standalone_mode=False)
    if result.exception:
        raise result.exception
    return found[0]


def options_of(add: Any) -> dict[str, click.Option]:
    return {parameter.name: parameter for parameter in click.command(add(lambda **values: None)).params}


def test_values_are_passed_as_one_record():
    values = result_of(packed("limits", Limits), "--keep-mass", "0.5", "-r", "7", "--as-json")
    assert values == {"limits": Limits(keep_mass=0.5, rounds=7, as_json=True)}
    assert result_of(packed("limits", Limits)) == {"limits": Limits(keep_mass=None, rounds=3, as_json=False)}


def test_options_come_in_the_order_of_the_fields():
    options = options_of(packed("limits", Limits, section="Budget"))
    assert list(options) == ["keep_mass", "rounds", "as_json"]
    assert [option.section for option in options.values()] == ["Budget", "Rounds", "Budget"]
    assert options["rounds"].opts == ["-r", "--most-rounds"]
    assert options["keep_mass"].metavar == "EPS" and options["keep_mass"].help == "Keep sets."


def test_a_command_may_change_an_option_or_have_none():
    add = packed("limits", Limits, changes={"rounds": {"help": "Rounds."}}, without=["as_json"])
    options = options_of(add)
    assert options["rounds"].help == "Rounds." and "as_json" not in options
    assert result_of(add) == {"limits": Limits(keep_mass=None, rounds=3, as_json=False)}


def test_combinations_are_refused():
    def check(_ctx: click.Context, limits: Limits) -> None:
        if limits.as_json and limits.keep_mass is None:
            raise click.UsageError("refused")

    with pytest.raises(click.UsageError, match="refused"):
        result_of(packed("limits", Limits, check=check), "--as-json")


def test_a_single_option():
    assert result_of(single(Limits, "rounds"), "--most-rounds", "4") == {"rounds": 4}
    assert options_of(single(Limits, "rounds", help="Rounds."))["rounds"].help == "Rounds."
