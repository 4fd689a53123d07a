"""Knowledge on the command line: patterns of names, files of Tetrad."""

from __future__ import annotations

import json

import pytest
from helpers.processes import run_here

ROWS = "smoke,asia,lung,x1\n" + "".join(f"{i % 2},{(i // 2) % 2},{i % 2},{(i // 4) % 2}\n" for i in range(64))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "d.csv").write_text(ROWS)
    return tmp_path


def recorded(folder, *options: str) -> dict:
    result = run_here("optimize", "-q", "--data", "d.csv", "--hc", "--seed", "1", *options, cwd=folder)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout.splitlines()[0])["by"][-1]["options"]


def test_patterns_forbid_all_arcs_into_a_variable(folder):
    options = recorded(folder, "--forbid", "*->smoke", "--require", "smoke->l*")
    assert options["forbid"] == ["asia->smoke", "lung->smoke", "x1->smoke"]
    assert options["require"] == ["smoke->lung"]


@pytest.mark.parametrize("option", ["--tiers", "--forbid", "--require"])
def test_a_file_of_tetrad_counts_as_a_whole(folder, option):
    (folder / "k.txt").write_text(
        "/knowledge\naddtemporal\n1* smoke asia\n2 lung\nforbiddirect\nx1 lung\nrequiredirect\nsmoke x1\n"
    )
    value = "k.txt" if option == "--tiers" else "@k.txt"
    options = recorded(folder, option, value)
    assert options["tiers"] == [["smoke", "asia"], ["lung"]]
    assert options["require"] == ["smoke->x1"]
    assert options["forbid"] == ["asia->smoke", "smoke->asia", "x1->lung"]


def test_two_sets_of_tiers_are_refused(folder):
    (folder / "k.txt").write_text("/knowledge\naddtemporal\n1 smoke\n2 lung\n")
    (folder / "t.txt").write_text("lung\nsmoke\n")
    options = ("--data", "d.csv", "--hc", "--tiers", "t.txt", "--forbid", "@k.txt")
    result = run_here("optimize", *options, cwd=folder)
    assert result.returncode == 2 and b"several files give different tiers" in result.stderr


def test_a_pattern_that_nothing_is_like_is_an_error(folder):
    result = run_here("optimize", "--data", "d.csv", "--hc", "--forbid", "y*->smoke", cwd=folder)
    assert result.returncode == 2 and b"--forbid: 'y*' is no variable of the data" in result.stderr
