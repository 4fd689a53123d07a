"""Methods of other packages, found by their entry points as if installed: the example, and some that fail."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path

import pytest
from helpers.places import ROOT
from helpers.processes import run_bnsl

EXAMPLE = ROOT / "examples" / "plugin"
SETS = {"A": [(-5.0, [])], "B": [(-1.0, ["A"]), (-4.0, [])], "C": [(-2.0, ["B"]), (-3.0, [])]}


@pytest.fixture
def installed(tmp_path):
    """Environment in which the example is on the path, with the metadata that installing it writes."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    metadata = tmp_path / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n")
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
        for group, points in project["entry-points"].items()
    ]
    (metadata / "entry_points.txt").write_text("\n".join(lines))
    return {"PYTHONPATH": os.pathsep.join(map(str, (ROOT, EXAMPLE, tmp_path)))}


@pytest.mark.slow
def test_a_method_of_another_package_runs(installed, tmp_path):
    table = tmp_path / "sets.jkl"
    table.write_text(
        f"{len(SETS)}\n"
        + "".join(
            f"{name} {len(sets)}\n" + "".join(" ".join(map(str, (score, len(p), *p))) + "\n" for score, p in sets)
            for name, sets in SETS.items()
        )
    )
    for chosen in (("--method", "random-orders"), ("--random-orders",)):
        result = run_bnsl("optimize", *chosen, "--restarts", 30, "--seed", 1, table, env=installed)
        assert result.returncode == 0, result.stderr.decode()
        header = json.loads(result.stdout.splitlines()[0])
        assert header["total"] == -8.0
        assert header["restarts"] == 30
    assert b"random-orders" in run_bnsl("optimize", "--help", env=installed).stdout
    assert b"random-orders" not in run_bnsl("optimize", "--help").stdout
    result = run_bnsl("optimize", "--random-orders", "--tabu", 3, table, env=installed)
    assert result.returncode == 2


def packaged(folder: Path, name: str, group: str, source: str) -> dict[str, str]:
    """Environment with a package of one module, which an entry point of `group` names."""
    (folder / f"{name}.py").write_text(source)
    metadata = folder / f"{name}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Name: {name}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[{group}]\npoint = {name}:METHODS\n")
    return {"PYTHONPATH": os.pathsep.join(map(str, (ROOT, folder)))}


SEARCH = """
from stages.methods import DATA, SETS, SearchMethod, SelectionMethod, on_data, on_sets
METHODS = {NAME: SearchMethod("orders", "fails", {SETS: on_sets(__name__), DATA: on_data(__name__)})}
def search(table, options, budget, reporter):
    return 1 / 0
def search_data(scorer, options, budget, reporter):
    import numpy as np
    from stages.optimize.result import SearchResult
    return SearchResult(((1,), (0,)), np.full(2, -1.0), -2.0)  # a cycle
"""
SELECTION = """
from stages.methods import SelectionMethod
METHODS = {NAME: SelectionMethod(__name__, "fails")}
def search_child(scorer, child, limits, budget):
    raise KeyError(child)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import gone", "ModuleNotFoundError: No module named 'gone'"),
        (SEARCH.replace("NAME", "'ils'"), "another method or an option has the name 'ils'"),
    ],
)
def test_a_package_that_cannot_be_used_is_left_out(tmp_path, source, reason):
    env = packaged(tmp_path, "broken", "bnsl.searches", source)
    (tmp_path / "d.csv").write_text("a,b\n" + "0,x\n1,y\n" * 20)
    for words in ("optimize --data d.csv --hc --seed 1", "optimize --help", "help methods", "optimize --help-all"):
        result, usual = (run_bnsl(*words.split(), cwd=tmp_path, env=given) for given in (env, {}))
        assert result.returncode == 0
        assert result.stdout == usual.stdout or b'"created"' in result.stdout
        message = result.stderr.decode()
        assert message.count("the methods of the package broken are left out") == 1 and reason in message
        assert "bug of bnsl" not in message and "broken:METHODS" in message
    assert run_bnsl("formats", env=env).stderr == b""


@pytest.mark.slow
def test_what_fails_in_a_method_of_another_package_is_told_of_that_package(tmp_path):
    (tmp_path / "d.csv").write_text("a,b\n" + "0,x\n1,y\n" * 20)
    env = packaged(tmp_path, "sorry", "bnsl.searches", SEARCH.replace("NAME", "'mine'"))
    assert run_bnsl("parentsets", "d.csv", "-o", "s.jsonl", cwd=tmp_path).returncode == 0
    for words, error in (
        ("optimize s.jsonl --mine", "ZeroDivisionError: division by zero"),
        ("optimize --data d.csv --mine", "VerificationError: "),
        ("optimize --data d.csv --mine --bootstrap 3 -j 2", "VerificationError: "),
    ):
        result = run_bnsl(*words.split(), cwd=tmp_path, env=env)
        assert result.returncode == 1 and result.stdout == b""
        assert f"method 'mine' of the package sorry failed, {error}" in result.stderr.decode()
        assert b"bug of bnsl" not in result.stderr
    env = packaged(tmp_path, "sorry_too", "bnsl.selections", SELECTION.replace("NAME", "'worse'"))
    for jobs in (1, 2):
        result = run_bnsl("parentsets", "d.csv", "--worse", "-j", jobs, cwd=tmp_path, env=env)
        assert result.returncode == 1
        assert b"method 'worse' of the package sorry_too failed, KeyError: 0" in result.stderr
