"""Tables of many rows are packed while they are read: same data, same messages, a part of the memory."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from formats.data_records import Dataset
from formats.errors import FormatError
from formats.tables import cell_storage, label_columns
from formats.tables.cell_storage import PackedCells
from formats.tables.datasets import open_dataset
from formats.tables.table_writer import open_table_writer
from stages.scoring.family_scorer import FamilyScorer

N_ROWS = 5000


def mixed_table() -> pa.Table:
    """Columns of all kinds, with nulls, more than 256 numbers, and labels that come late."""
    rng = np.random.default_rng(3)
    late = np.where(np.arange(N_ROWS) < 4000, "b", rng.choice(["a", "b", "c", " c"], N_ROWS))
    numbers = rng.normal(size=N_ROWS).round(3)
    dictionary = pa.DictionaryArray.from_arrays(rng.integers(0, 3, N_ROWS), ["x", "y", "z", "unused"])
    return pa.table(
        {
            "late": late,
            "whole": rng.integers(0, 5, N_ROWS),
            "truth": rng.random(N_ROWS) < 0.4,
            "numbers": numbers,
            "dictionary": dictionary,
            "holes": pa.array([None if k % 7 == 0 else ("u", "v")[k % 2] for k in range(N_ROWS)]),
            "nans": np.where(np.arange(N_ROWS) % 9 == 0, np.nan, np.arange(N_ROWS) % 3),
        }
    )


def written(tmp_path, suffix: str) -> str:
    path = str(tmp_path / f"table.{suffix}")
    if suffix == "parquet":
        parquet.write_table(mixed_table(), path, row_group_size=700)
    elif suffix == "arrow":
        with pa.ipc.new_file(path, mixed_table().schema) as sink:
            sink.write_table(mixed_table(), max_chunksize=600)
    else:
        from pyarrow import csv

        csv.write_csv(mixed_table(), path)
    return path


def read(path: str, **rules) -> Dataset | str:
    try:
        return open_dataset(path, **rules)
    except FormatError as error:
        return str(error)


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "csv"])
@pytest.mark.parametrize(
    "rules",
    [
        {"missing": "state", "discretize": "quantile:4"},
        {"missing": "drop", "discretize": "hartemink:2"},
        {"missing": "drop", "drop": ("numbers",), "weights": "whole"},
        {"missing": "keep", "drop": ("numbers",)},
        {},
    ],
)
def test_packed_tables_are_those_of_small_ones(monkeypatch, tmp_path, suffix: str, rules: dict):
    path = written(tmp_path, suffix)
    plain = read(path, **rules)
    for module in (label_columns, cell_storage):
        monkeypatch.setattr(module, "MANY_ROWS", 1500)
    packed = read(path, **rules)
    if isinstance(plain, str):
        assert packed == plain
        return
    assert isinstance(packed, Dataset) and isinstance(packed.codes, PackedCells)
    assert packed.variables == plain.variables and packed.fingerprint == plain.fingerprint
    assert np.array_equal(packed.plain_codes, plain.codes) and np.array_equal(packed.holes, plain.holes)
    assert np.array_equal(packed.rows([7, 3]).codes, plain.rows([7, 3]).codes) and not plain.codes[plain.holes].any()
    scorers = [FamilyScorer(dataset.filled(dataset.codes)) for dataset in (plain, packed)]
    assert len({scorer.local_score(0, (1, 2)) for scorer in scorers}) == 1
    assert np.array_equal(*(scorer.row_entropies for scorer in scorers))


def test_a_first_column_of_row_numbers_is_left_out(monkeypatch, tmp_path):
    path = str(tmp_path / "numbered.parquet")
    table = mixed_table().select(["late", "whole"])
    parquet.write_table(table.add_column(0, "Unnamed: 0", pa.array(np.arange(N_ROWS))), path)
    monkeypatch.setattr(label_columns, "MANY_ROWS", 1500)
    warnings: list[str] = []
    assert open_dataset(path, warn=warnings.append).names == ("late", "whole")
    assert any("counts the rows" in warning for warning in warnings)


READ = """
import sys
from formats.tables import cell_storage
cell_storage.MANY_ROWS = 1 << 18
from formats.tables.datasets import open_dataset
open_dataset(sys.argv[1])
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(int(peak.split()[1]) * 1024)
"""
"""Its own peak of memory: `ru_maxrss` may be that of the process that started it."""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_a_cell_takes_less_than_a_byte(tmp_path):
    from formats.data_records import Variable

    variables = tuple(Variable(f"v{k}", ("no", "yes")) for k in range(16))
    codes = np.random.default_rng(0).integers(0, 2, (16, 1 << 19)).astype(np.uint8)
    peaks = []
    for n_times in (1, 9):
        path = str(tmp_path / f"{n_times}.parquet")
        with open_table_writer(path, variables, "parquet") as writer:
            for _ in range(n_times):
                writer.write(codes)
        found = subprocess.run([sys.executable, "-c", READ, path], capture_output=True, text=True, check=True)
        peaks.append(int(found.stdout))
    # A bit for the label of each cell, one for its state, the file; and two bytes a row for the column at hand.
    assert peaks[1] - peaks[0] < 8 * codes.size
