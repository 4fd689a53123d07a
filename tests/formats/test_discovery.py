"""What packages add to the tables: versions, names and endings that are taken, options that entries declare."""

from __future__ import annotations

import math
import sys
import types
import warnings
from importlib.metadata import EntryPoint, EntryPoints

import click
import pytest

from bnsl import plugin
from bnsl.plugin import (
    RESTARTED,
    SETS,
    SETS_TW,
    SearchMethod,
    SelectionMethod,
    counted,
    network_format,
    on_sets,
    own,
    penalised,
)
from bnsl_cli.main import cli
from formats import discovery, registry
from stages import optimize, parentsets
from stages.methods import ON_SETS, TAKEN, OwnValues, installed, own_options
from stages.optimize import OptimizeOptions
from stages.parentsets import ParentSetOptions
from stages.runtime.errors import StageError
from stages.scoring import scores

OURS = {row.target: row for row in registry.MAIN_FORMATS}
STEPS = own(10, "Steps.", least=1, metavar="N")


def search_method(*options: str, **declared):
    return SearchMethod("orders", "tries", {SETS: on_sets("mine.search", *options, **declared)})


def loaded(monkeypatch, group: str, table: object, **facts: object):
    """The rows of the group with the rows of one package, and the warning if they are left out."""
    module = types.ModuleType("mine")
    vars(module).update({"BNSL_PLUGIN_API": plugin.API_VERSION, "TABLE": table} | facts)
    monkeypatch.setitem(sys.modules, "mine", module)
    points = EntryPoints([EntryPoint("point", "mine:TABLE", group)])
    monkeypatch.setattr(discovery, "_points", lambda: points)
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always")
        if group == "bnsl.scores":
            rows = discovery.discovered(group, "scores", scores.MAIN_SCORES, scores._check)
        elif group == "bnsl.formats":
            rows = discovery.discovered(group, "formats", OURS, registry._check)
        else:
            of = optimize if group == "bnsl.searches" else parentsets
            rows = installed(group, of.MAIN_METHODS, {"restarts", "start", "orders", "tabu", *ON_SETS})
    return rows, " ".join(str(each.message) for each in met)


def test_a_method_declares_its_options(monkeypatch):
    variants = {SETS: on_sets("mine.a", *RESTARTED, steps=STEPS), SETS_TW: on_sets("mine.b", steps=STEPS)}
    table = {"mine": SearchMethod("orders", "tries", variants), "too": search_method(steps=STEPS)}
    rows, said = loaded(monkeypatch, "bnsl.searches", table)
    assert said == "" and rows["mine"].package == "(without a name)"
    assert own_options(OptimizeOptions, rows)["steps"].default == 10
    assert "steps" in rows["too"].options and "steps" not in own_options(OptimizeOptions)
    rows, said = loaded(
        monkeypatch, "bnsl.selections", {"mine": SelectionMethod("mine.s", "tries", own={"depth": STEPS})}
    )
    assert said == "" and rows["mine"].options == ("depth",)
    assert own_options(ParentSetOptions, rows).keys() == {"orders", "depth"}


def test_a_record_with_declared_options_can_be_a_key():
    records = [OptimizeOptions(own=OwnValues(steps=steps, kind=None)) for steps in (1, 1, 2)]
    assert len(set(records)) == 2


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ({"ils": search_method()}, "another method or an option has the name 'ils'"),
        ({"tabu": search_method()}, "another method or an option has the name 'tabu'"),
        ({"require": search_method()}, "another method or an option has the name 'require'"),
        ({"steps": search_method(steps=STEPS)}, "another method or an option has the name 'steps'"),
        ({"Mine": search_method()}, "'Mine' is no name of a method"),
        ({"mine": search_method("no_header")}, "there is no option 'no_header', which method 'mine' reads"),
        ({"mine": search_method("speed")}, "there is no option 'speed', which method 'mine' reads"),
        ({"mine": search_method(output=STEPS)}, "another option or a method has the name 'output'"),
        ({"mine": search_method(restarts=STEPS)}, "another option or a method has the name 'restarts'"),
        ({"mine": search_method(hc=STEPS)}, "another option or a method has the name 'hc'"),
        ({"mine": search_method(_steps=STEPS)}, "'_steps' is no name of an option"),
        ({"mine": search_method(steps=10)}, "the option 'steps' is not made by own(default, help)"),
        ({"mine": search_method(steps=own(1, "Steps.", needs="gone"))}, "there is no option 'gone'"),
        (
            {"mine": search_method(steps=STEPS), "too": search_method(steps=own(1, "Steps."))},
            "another option or a method has the name 'steps'",
        ),
        (
            {
                "mine": SearchMethod(
                    "orders", "tries", {t: on_sets("m", steps=own(1, "Steps.")) for t in (SETS, SETS_TW)}
                )
            },
            "another option or a method has the name 'steps'",
        ),
        ({"mine": SelectionMethod("mine.s", "tries")}, "'mine' is a SelectionMethod, no SearchMethod"),
        (7, "TypeError: 'int' object is not iterable"),
    ],
)
def test_methods_that_cannot_be_used_are_left_out_as_a_whole(monkeypatch, table, reason):
    rows, said = loaded(monkeypatch, "bnsl.searches", table)
    assert rows == optimize.MAIN_METHODS
    assert "entry point 'point' of bnsl.searches (mine:TABLE)" in said and reason in said


@pytest.mark.parametrize(
    ("version", "reason"),
    [(None, "states no version of bnsl.plugin"), (plugin.API_VERSION + 1, f"version {plugin.API_VERSION + 1} of it")],
)
def test_tables_of_another_version_are_left_out(monkeypatch, version, reason):
    for group in ("bnsl.searches", "bnsl.scores"):
        table = {"mine": search_method() if group == "bnsl.searches" else penalised("Mine", lambda n_rows: 2.0)}
        rows, said = loaded(monkeypatch, group, table, BNSL_PLUGIN_API=version)
        assert "mine" not in rows
        assert "the module mine" in said and reason in said and f"BNSL_PLUGIN_API = {plugin.API_VERSION}" in said


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ({"bic": penalised("BIC", lambda n_rows: 1.0)}, "another score has the name 'bic'"),
        ({"unknown": penalised("None", lambda n_rows: 1.0)}, "another score has the name 'unknown'"),
        ({"h-q": penalised("HQ", lambda n_rows: 1.0)}, "'h-q' is no name of a score"),
        ({"hq": lambda n_rows: 1.0}, "'hq' is not made by penalised(name, penalty) or counted(name, cell, row)"),
        ({"hq": scores.MAIN_SCORES["k2"]}, "'hq' is not made by penalised(name, penalty) or counted"),
    ],
)
def test_scores_that_cannot_be_used_are_left_out(monkeypatch, table, reason):
    rows, said = loaded(monkeypatch, "bnsl.scores", table)
    assert rows == scores.MAIN_SCORES and "the scores of the package" in said and reason in said


def test_scores_by_counts_join_the_table(monkeypatch):
    table = {"mine": counted("Mine", lambda counts, ess: counts * ess, lambda counts: counts, is_equivalent=True)}
    rows, said = loaded(monkeypatch, "bnsl.scores", table)
    assert said == "" and rows["mine"].takes_ess and rows["mine"].is_equivalent and rows["mine"].no_posterior
    assert not (rows["mine"].by_configurations or rows["mine"].bounds_supersets or rows["mine"].is_likelihood)
    assert rows["mine"].penalty_on(9) == 0.0


def format_of(called="a file of mine", suffix=".mine", **further):
    return network_format(called, suffix, "mine.format", "mine", **further)


def test_formats_join_the_table(monkeypatch):
    rows, said = loaded(monkeypatch, "bnsl.formats", {"own": format_of(), "tables": format_of(suffix=".own.oo .o-o")})
    assert said == "" and list(rows)[-2:] == ["own", "tables"] and rows["own"].package == "(without a name)"
    assert rows["own"].kind == "network" and format_of(has_parameters=True).kind == "network with parameters"
    assert (rows["own"].reader, rows["own"].writer) == ("mine.format:read", "mine.format:write")


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ({"bif": format_of()}, "another format has the name 'bif'"),
        ({"network": format_of()}, "another format has the name 'network'"),
        ({"bnsl.network": format_of()}, "'bnsl.network' is no name of a format"),
        ({"json": format_of()}, "another format has the name 'json'"),
        ({"table": format_of()}, "another format has the name 'table'"),
        ({"Own": format_of()}, "'Own' is no name of a format (small letters, digits, hyphens)"),
        ({"own": 7}, "'own' is not made by network_format(called, suffix, module, help)"),
        ({"own": registry.MAIN_FORMATS[0]}, "'own' is not made by network_format"),
        ({"own": format_of(suffix="")}, "'own' needs endings of file names in small letters, each with its dot"),
        ({"own": format_of(suffix="mine")}, "'own' needs endings of file names"),
        ({"own": format_of(suffix=".Mine")}, "'own' needs endings of file names"),
        ({"own": format_of(suffix=".bif")}, "the ending '.bif' of 'own' and '.bif' of another format are alike"),
        (
            {"own": format_of(suffix=".my.csv")},
            "the ending '.my.csv' of 'own' and '.csv' of another format are alike",
        ),
        ({"own": format_of(suffix=".jsonl")}, "the ending '.jsonl' of 'own' and '.sets.jsonl' of another format"),
        ({"own": format_of(suffix=".gz")}, "the ending '.gz' of 'own' and '.gz' of another format are alike"),
        ({"own": format_of(), "too": format_of()}, "the ending '.mine' of 'too' and '.mine' of another format"),
    ],
)
def test_formats_that_cannot_be_used_are_left_out(monkeypatch, table, reason):
    rows, said = loaded(monkeypatch, "bnsl.formats", table)
    assert rows == OURS and "the formats of the package" in said and reason in said


@pytest.mark.parametrize(
    ("penalty", "said"),
    [
        (lambda n_rows: math.log(math.log(n_rows)), "-0.366513"),
        (lambda n_rows: 0.0, "0"),
        (lambda n_rows: math.inf, "inf"),
        (lambda n_rows: math.log(0), "ValueError"),
    ],
)
def test_a_penalty_of_a_package_must_be_positive(monkeypatch, penalty, said):
    rows, _ = loaded(monkeypatch, "bnsl.scores", {"hq": penalised("Hannan-Quinn", penalty)})
    with pytest.raises(StageError, match=f"no positive penalty on 2 rows .{said}"):
        rows["hq"].penalty_on(2)


def test_names_that_options_take_are_those_of_the_commands():
    declared = {name for of in (OptimizeOptions, ParentSetOptions) for name in own_options(of)}
    declared |= {name for method in optimize.METHODS.values() for name in method.own}
    names = set()
    for command in ("optimize", "parentsets"):
        for option in cli.get_command(click.Context(cli), command).params:
            if option.name != "method":
                names |= {option.name, *(each.lstrip("-").replace("-", "_") for each in option.opts if len(each) > 2)}
    assert names - declared <= TAKEN
    assert TAKEN - names <= {"method", "own", "help"}


def test_every_name_of_the_stable_module_loads():
    assert all(getattr(plugin, name) is not None for name in plugin.__all__)
    assert set(dir(plugin)) == set(plugin.__all__)
    with pytest.raises(AttributeError, match="no attribute 'gone'"):
        plugin.gone  # noqa: B018
