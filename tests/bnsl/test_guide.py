"""The guide (`bnsl help python`), the README's lines and the notebook run as they stand."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from helpers.places import ROOT

import bnsl
from bnsl_cli.pages import page_text

NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


def python_of(text: str) -> str:
    """The blocks of Python, with short searches."""
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    return re.sub(r"\btime=\d+", "time=0.2", "\n".join(blocks))


@pytest.fixture
def place(tmp_path: Path, monkeypatch) -> Path:
    shutil.copy(ROOT / "tests" / "cases" / "data" / "small.csv", tmp_path / "d.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_the_guide_runs(place: Path):
    for package in ("pandas", "polars", "duckdb", "sklearn", "networkx"):
        pytest.importorskip(package)
    script = python_of(page_text("python"))
    assert script.count("bnsl.") >= 10
    exec(compile(script, "python.md", "exec"), {})
    assert (place / "net.bif").exists()


@pytest.mark.slow
def test_the_lines_of_the_readme_run():
    rows = bnsl.read(str(ROOT / "bnsl" / "bundled" / "asia.bif")).sample(500, seed=1)
    exec(compile(python_of((ROOT / "README.md").read_text()), "README.md", "exec"), {"table": rows, "rows": rows})


def test_the_guide_names_every_function_and_exception():
    text = page_text("python")
    names = set(bnsl.__all__)
    assert {name for name in names if not re.search(rf"\b{name}\b", text)} == set()


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_executed(notebook: Path):
    cells = [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    shown = [
        part for cell in cells for output in cell["outputs"] for part in output.get("data", {}).get("text/html", ())
    ]
    assert any("data:image/svg+xml" in part for part in shown)


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(notebook: Path, tmp_path: Path, monkeypatch):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    for package in ("ipykernel", "pandas", "polars", "duckdb", "sklearn", "networkx"):
        pytest.importorskip(package)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    opened = nbformat.read(notebook, as_version=4)
    (tmp_path / "bnsl").symlink_to(ROOT / "bnsl")
    folder = tmp_path / "examples"
    folder.mkdir()
    resources = {"metadata": {"path": str(folder)}}
    nbclient.NotebookClient(opened, timeout=600, kernel_name="python3", resources=resources).execute()
