"""The tables of methods: every entry runs, is shown by a golden case, and its options exist."""

from __future__ import annotations

import importlib
import json
import pkgutil
from dataclasses import fields

import click
import pytest
from helpers.places import CASES
from helpers.processes import run_here

from bnsl.functions.taken_options import GOVERNED, takers_of
from bnsl_cli.main import cli
from stages import optimize, parentsets, published
from stages.methods import own_options
from stages.optimize import MAIN_METHODS, METHODS, OptimizeOptions, Task, choose_method, default_method
from stages.parentsets import ParentSetOptions

WAYS = [(name, task) for name, spec in METHODS.items() for task in spec.variants]

INPUTS = ("sets", "partial", "screen", "save_sets", "proof")
"""Inputs and outputs that methods name among their options and the command line opens."""


def shown_runs(stage: str) -> set[tuple[str, bool]]:
    """Methods whose results the golden cases show, and whether under a treewidth bound."""
    lines = (line for path in CASES.glob("*/*/expected_stdout") for line in path.read_text().splitlines())
    headers = [json.loads(line) for line in lines if line.startswith('{"format"')]
    entries = [entry for header in headers for entry in header.get("by", ()) if entry["stage"] == stage]
    return {(entry["options"]["method"], "treewidth" in entry["options"]) for entry in entries}


def test_every_way_of_optimize_has_a_golden_case():
    assert {(name, task.bounded) for name, task in WAYS} <= shown_runs("optimize")


def test_every_method_of_parentsets_has_a_golden_case():
    assert set(parentsets.METHODS) == {name for name, _ in shown_runs("parentsets")}


@pytest.mark.parametrize(("name", "task"), WAYS)
def test_modules_offer_what_the_driver_calls(name: str, task: Task):
    module = importlib.import_module(METHODS[name].variants[task].module)
    assert callable(getattr(module, "search_data" if task.on_data else "search"))
    if name in MAIN_METHODS:
        assert module.__name__.split(".")[2] == METHODS[name].family or task.bounded


@pytest.mark.parametrize("name", parentsets.METHODS)
def test_modules_of_parentsets_offer_a_search(name: str):
    assert callable(importlib.import_module(parentsets.METHODS[name].module).search_child)


def test_the_main_road_comes_first_and_every_paper_adds_its_methods():
    assert list(METHODS)[: len(MAIN_METHODS)] == list(MAIN_METHODS)
    assert list(parentsets.METHODS)[: len(parentsets.MAIN_METHODS)] == list(parentsets.MAIN_METHODS)
    papers = [module.name for module in pkgutil.iter_modules(published.__path__) if module.ispkg]
    for table, name in ((METHODS, "SEARCHES"), (parentsets.METHODS, "SELECTIONS")):
        declared = [getattr(importlib.import_module(f"stages.published.{paper}"), name, {}) for paper in papers]
        added = {method: spec for methods in declared for method, spec in methods.items()}
        assert sum(map(len, declared)) == len(added) and added.items() <= table.items()
    of_main = {spec.family for spec in MAIN_METHODS.values()}
    assert {METHODS[name].family for name in METHODS} == of_main | {"classifiers"}


@pytest.mark.parametrize("stage", ["optimize", "parentsets"])
def test_options_of_methods_can_be_given(stage: str):
    command = cli.get_command(click.Context(cli), stage)
    governed = GOVERNED if stage == "optimize" else {o for s in parentsets.METHODS.values() for o in s.options}
    assert governed <= {parameter.name for parameter in command.params}


@pytest.mark.parametrize("record", [OptimizeOptions, ParentSetOptions])
def test_own_options_have_takers(record: type):
    taken = GOVERNED if record is OptimizeOptions else {o for s in parentsets.METHODS.values() for o in s.options}
    assert set(own_options(record)) <= taken


def test_fields_named_by_methods_exist():
    for table, record, inputs in (
        (METHODS, OptimizeOptions, INPUTS),
        (parentsets.METHODS, ParentSetOptions, ("near",)),
    ):
        known = {field.name for field in fields(record)} | set(inputs)
        assert {option for spec in table.values() for option in spec.options} <= known


def test_takers():
    assert takers_of("iterations") == ["obs", "asobs without --tw"]
    assert takers_of("tabu") == ["hc", "mmhc"]
    assert "ils without --tw" in takers_of("init")
    assert takers_of("restarts", takes=False) == ["exact", "forest", "pricing", "tan", "kdb", "cll"]


def test_defaults():
    assert default_method(on_data=True) == "pricing"
    assert [default_method(width) for width in (1, 2)] == ["forest", "ils"]
    assert choose_method(OptimizeOptions(), 5)[0] == "exact"
    assert choose_method(OptimizeOptions(), 50)[0] == "ils"
    assert choose_method(OptimizeOptions(restarts=3), 5)[0] == "ils"
    assert choose_method(OptimizeOptions(treewidth=2), 5)[1].module == "stages.optimize.treewidth.bounded_search"
    with pytest.raises(ValueError, match="method hc does not search so: among listed sets"):
        choose_method(OptimizeOptions(method="hc"), 5)


def test_every_default_does_what_it_is_the_default_for():
    for task in (Task(), Task(bounded=True), Task(on_data=True), Task(on_data=True, bounded=True)):
        for width in (1, 3) if task.bounded else (None,):
            for is_small in (False, True):
                assert task in optimize.METHODS[default_method(width, task.on_data, is_small)].variants


def test_the_best_forest_starts_nowhere():
    result = run_here("optimize", "--data", "d.csv", "--tw", 1, "--start", "n.net.jsonl")
    assert result.returncode == 2 and b"--start is of no use with --tw 1" in result.stderr


@pytest.mark.parametrize("words", ["--asobs --kg", "--kg --method asobs", "--method=obs --asobs"])
def test_two_methods_are_refused(words: str):
    done = run_here("optimize", "sets.jsonl", *words.split())
    assert done.returncode == 2 and b"give one method" in done.stderr
