"""Scratch arrays: large enough for the data."""

from __future__ import annotations

from stages.kernels.counting.packed_data import new_workspace


def test_scratch_arrays_have_the_sizes_asked_for():
    work = new_workspace(2, 5, 15, 3)
    assert work.wide.shape == (2, 5, 2) and work.cells.shape == (15, 2) and len(work.cell_of_row) == 128
    assert not work.histogram.any()
