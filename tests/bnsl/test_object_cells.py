"""Cells that are Python objects, as columns."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pyarrow
import pytest
from helpers.processes import environment

from bnsl.object_cells import array_of_cells

CELLS = [
    ["a", None, "é", ""],
    [1, None, -(2**63), 2**63 - 1],
    [1.5, float("nan"), None, -0.0, float("inf")],
    [True, None, False],
    (1, 2),
    [],
    [None, None],
    [float("nan")],
    [1, 2.5],
    [np.int8(1), np.int8(2)],
    [b"x"],
]


@pytest.mark.parametrize("cells", CELLS, ids=str)
def test_the_array_is_that_of_pyarrow(cells):
    found, expected = array_of_cells(cells), pyarrow.array(cells, from_pandas=True)
    found.validate(full=True)
    assert found.type == expected.type and found.equals(expected)


@pytest.mark.parametrize("cells", [["\ud800"], [2**63]], ids=ascii)
def test_what_pyarrow_refuses_is_refused(cells):
    with pytest.raises(Exception) as expected:
        pyarrow.array(cells, from_pandas=True)
    with pytest.raises(expected.type):
        array_of_cells(cells)


FIRST_CALLS = r"""
import sys
import bnsl

rows = {"a": ["x", "y", "x"] * 20, "b": [1, 2, None] * 20, "c": [True, False, False] * 20}
network = bnsl.learn(rows, method="hc", missing="state", quiet=True)
network.save("n.bif")
with open("d.csv", "w") as file:
    file.writelines(["a,b\n", *["x,1\n", "y,2\n", "x,2\n"] * 20])
for lists in (bnsl.parentsets("d.csv", quiet=True), bnsl.parentsets(rows, missing="drop", quiet=True)):
    bnsl.optimize(lists, quiet=True)
bnsl.entropy("d.csv", quiet=True)
found = bnsl.optimize(data="d.csv", method="hc", quiet=True)
bnsl.fit(found, "d.csv", quiet=True)
bnsl.evaluate(found, data="d.csv", quiet=True)
bnsl.read("n.bif").query({"a": "x"})
by_numba = {"scipy"} if "numba" in sys.modules else set()  # it loads scipy where it compiles
print({"pandas", "scipy", "sklearn", "polars", "networkx"} & set(sys.modules) - by_numba)
"""


def test_first_calls_import_no_package_of_tables(tmp_path):
    """pandas takes longer than these calls themselves."""
    pytest.importorskip("pandas")
    result = subprocess.run([sys.executable, "-c", FIRST_CALLS], cwd=tmp_path, capture_output=True, env=environment())
    assert result.stdout.splitlines()[-1:] == [b"set()"], result
