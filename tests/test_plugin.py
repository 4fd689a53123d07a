"""The example of a method in another package, found by its entry point as if it were installed."""

from __future__ import annotations

import json
import os
import tomllib

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
