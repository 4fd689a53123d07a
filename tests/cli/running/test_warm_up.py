"""The runs of ``bnsl warm-up``: every method once for each kind of task, and what it says.

That all of them succeed is tested where they are the cover of the kernels (`stages/kernels/test_signatures.py`).
"""

from __future__ import annotations

import pytest
from helpers.processes import run_bnsl

from bnsl_cli.commands.warm_up import table_text, tiny_runs
from stages.optimize import METHODS as SEARCHES
from stages.parentsets import METHODS as IDENTIFICATIONS


def test_every_method_runs_for_each_of_its_tasks():
    methods = [run[2] for run in tiny_runs("parentsets") if run[1] == "--method"]
    assert methods == list(IDENTIFICATIONS)
    runs = list(tiny_runs("optimize"))
    tasks = {(run[2], "--data" in run, "--tw" in run) for run in runs if run[1] == "--method"}
    assert tasks == {(name, *task) for name, spec in SEARCHES.items() for task in spec.variants}


def test_the_table_has_binary_and_three_state_columns():
    rows = [line.split(",") for line in table_text().splitlines()[1:]]
    assert {len(set(column)) for column in zip(*rows, strict=True)} == {2, 3}


@pytest.mark.slow
def test_warm_up_refuses_a_folder_that_is_not_used(tmp_path):
    result = run_bnsl("warm-up", "entropy", cwd=tmp_path, env={"NUMBA_CACHE_DIR": "kernels"})
    assert result.returncode == 1 and b"kernels is not an absolute path" in result.stderr
