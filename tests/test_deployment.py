"""Recipes of images and packages agree with the project; the module for Benchpress does what its rule promises."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import tomllib
from pathlib import Path

import numpy as np
import pytest
from helpers.places import ROOT
from helpers.processes import environment

from formats.graphs.structures import require_acyclic

PLACE = ROOT / "examples" / "deployment"
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = SETTINGS["project"]
RELEASE = SETTINGS["tool"]["setuptools_scm"]["fallback_version"].removesuffix(".dev0")
MODULE = PLACE / "benchpress" / "bnsl"


def listed_in_recipe(section: str) -> set[str]:
    text = (PLACE / "conda" / "recipe.yaml").read_text()
    lines = re.search(rf"^  {section}:\n((?:    - .*\n)+)", text, re.MULTILINE)
    assert lines is not None
    return {line.removeprefix("    - ").replace(" ", "") for line in lines[1].splitlines()}


def test_the_recipe_asks_for_what_the_project_needs():
    python = f"python{PROJECT['requires-python']}"
    assert listed_in_recipe("run") == {python, *PROJECT["dependencies"]}
    extras = PROJECT["optional-dependencies"]
    optional = {*extras["dask"], *extras["plot"]}
    assert listed_in_recipe("run_constraints") == {one.replace("matplotlib>", "matplotlib-base>") for one in optional}


def test_the_recipe_has_the_version_and_the_command():
    text = (PLACE / "conda" / "recipe.yaml").read_text()
    assert f'version: "{RELEASE}"' in text and "- setuptools-scm >=8" in text
    assert f"- bnsl = {PROJECT['scripts']['bnsl']}" in text


def test_the_citation_has_the_version():
    assert f"\nversion: {RELEASE}\n" in (ROOT / "CITATION.cff").read_text()


@pytest.mark.parametrize("name", ["Dockerfile", "apptainer.def"])
def test_images_install_the_wheel_of_an_earlier_stage(name):
    build, final = re.split(r"(?m)^(?=.*python:3\.\d+-slim$)", (PLACE / name).read_text())
    folders = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"}
    needed = {*folders, "LICENSE", "Makefile", "README.md", "pyproject.toml", "tests/tools"}
    assert folders and all(re.search(rf"(?m)^ *COPY .*{one}\b|^ +{one} /src/{one}$", build) for one in needed)
    assert "make -C /src clean wheel" in build and "/src/dist" in final and "/dist/bnsl_cli-*.whl" in final
    [extra] = re.findall(r"EXTRAS=(\w+)|\[(\w+)\]", final)
    assert {*extra} - {""} <= {*PROJECT["optional-dependencies"]}


def test_the_module_describes_itself():
    schema = json.loads((MODULE / "schema.json").read_text())
    item = schema["items"]
    asked = set(re.findall(r"snakemake_wildcards\[(\w+)\]", (MODULE / "script.sh").read_text()))
    assert asked - {"seed"} == set(item["properties"]) - {
        "id"
    }  # what the script asks for can be said, and nothing else
    assert all(set(example) == set(item["required"]) == set(item["properties"]) for example in item["examples"])
    about = json.loads((MODULE / "info.json").read_text())
    assert about["version"] == RELEASE and about["outputs"] == ["adjmat"]


@pytest.mark.slow
@pytest.mark.parametrize(("treewidth", "score", "ess"), [("None", "bic", "None"), ("1", "bdeu", "10")])
def test_the_script_of_the_module(tmp_path: Path, treewidth: str, score: str, ess: str):
    """As the workflow calls it; five rows only, so that the line of numbers of states could be taken for one."""
    (tmp_path / "d.csv").write_text("A,B,C\n2,2,2\n0,0,0\n1,1,0\n0,0,1\n1,1,1\n1,1,0\n")
    wildcards = {"seed": 1, "score": score, "ess": ess, "max_parents": "None", "treewidth": treewidth, "timeout": 1}
    outputs = {"adjmat": "adjmat.csv", "time": "time.txt", "ntests": "ntests.txt"}
    arrays = {"snakemake_wildcards": wildcards, "snakemake_input": {"data": "d.csv"}, "snakemake_output": outputs}
    declared = "\n".join(
        f"declare -A {name}=({' '.join(f'[{key}]={value}' for key, value in entries.items())})"
        for name, entries in arrays.items()
    )
    script = (MODULE / "script.sh").read_text()
    done = subprocess.run(
        ["bash", "-c", f"{declared}\n{script}"], cwd=tmp_path, env=environment(), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    names, *rows = [line.split(",") for line in (tmp_path / "adjmat.csv").read_text().splitlines()]
    assert names == ["A", "B", "C"] and len(rows) == 3 and all(len(row) == 3 for row in rows)
    assert sorted((rows[0][1], rows[1][0])) == ["0", "1"]  # A and B are equal: one arc between them
    assert float((tmp_path / "time.txt").read_text()) > 0
    assert (tmp_path / "ntests.txt").read_text() == "None\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["adjmat.csv", "d.csv", "ntests.txt", "time.txt"]


def test_the_study_draws_what_it_says(tmp_path: Path):
    spec = importlib.util.spec_from_file_location("study", PLACE / "benchpress" / "study.py")
    study = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(study)
    counts = []
    for seed in range(20):
        parents = study.random_graph(np.random.default_rng(seed))
        assert len(parents) == 80 and max(map(len, parents)) <= 5
        require_acyclic([f"X{v}" for v in range(80)], parents)
        counts.append(sum(map(len, parents)))
    assert 140 < sum(counts) / 20 < 165  # 160 pairs in the mean, some left out as sixth parents
    rows = study.rows_of([[], [0], [0, 1]], 20_000, np.random.default_rng(1))
    for code in range(4):
        chosen = rows[(rows[:, 0] == code % 2) & (rows[:, 1] == code // 2), 2]
        assert 0.07 < chosen.mean() < 0.93
    study.write_matrix(tmp_path / "m.csv", [[], [0], [0, 1]])
    assert (tmp_path / "m.csv").read_text() == "X0,X1,X2\n0,1,1\n0,0,1\n0,0,0\n"
    study.write_data(tmp_path / "d.csv", rows[:1])
    assert (tmp_path / "d.csv").read_text().startswith("X0,X1,X2\n2,2,2\n")
