"""Entropy tables in and out: layout, round trips, hostile input."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from helpers.cases.arrow import to_stream
from helpers.cases.entropies import assert_same_entropies, entropy_table
from helpers.places import SAMPLES
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather, parquet

from formats import labels_or_entropies, open_dataset, open_entropies, write_entropies
from formats.errors import FormatError, Inconsistent, Malformed, Truncated, UnknownVersion
from formats.schemas import ENTROPY_COLUMNS
from formats.wording import ignore


class TestEntropies:
    def test_layout_is_that_of_the_contract(self, tmp_path):
        table = entropy_table()
        write_entropies(str(tmp_path / "h"), table)
        raw = pa.ipc.open_stream(str(tmp_path / "h")).read_all()
        assert raw.column_names == [column.name for column in ENTROPY_COLUMNS]
        types = [pa.string(), pa.int32(), pa.float64(), pa.list_(pa.float64(), 3)]
        assert raw.schema.types == types
        assert raw.column("conditional")[2].as_py() == table.conditional[2].tolist()
        assert list(raw.schema.metadata) == [b"bnsl"]
        header = json.loads(raw.schema.metadata[b"bnsl"])
        assert header["format"] == "bnsl.entropy" and header["version"] == 1
        assert header["rows"] == 1000 and header["data"] == "sha256:00ff"
        assert header["variables"][1] == {"name": "V1", "states": ["é", "x", "NA"]}
        assert header["variables"][2] == {"name": "V2", "states": None}

    @given(st.integers(1, 7), st.integers(0, 99), st.lists(st.text(min_size=1, max_size=4), unique=True, min_size=7))
    def test_round_trip(self, tmp_path_factory, n_variables, seed, names):
        path = str(tmp_path_factory.getbasetemp() / "trip.arrow")
        names = [name for name in names if name.isprintable()][:n_variables]
        names += [f"column {i}" for i in range(len(names), n_variables)]
        table = entropy_table(n_variables, seed, names)
        write_entropies(path, table)
        assert_same_entropies(open_entropies(path), table)

    def test_many_batches(self, tmp_path):
        table = entropy_table(800)  # 5 MB
        write_entropies(str(tmp_path / "h"), table)
        assert pa.ipc.open_stream(str(tmp_path / "h")).read_all().column(0).num_chunks > 1
        assert_same_entropies(open_entropies(str(tmp_path / "h")), table)

    def test_stored_file_of_version_1(self):
        table = open_entropies(str(SAMPLES / "entropies.v1.arrow"))
        assert [v.name for v in table.variables] == ["rain", "wet", "fünf"]
        assert [v.states for v in table.variables] == [("no", "yes"), ("no", "yes"), None]
        assert table.n_states.tolist() == [2, 2, 5] and table.rows == 12
        assert table.entropy.tolist() == [0.5, 0.25, 1.5]
        assert table.conditional.tolist() == [[0, 0.375, 0.5], [0.125, 0, 0.25], [1.5, 1.25, 0]]
        assert table.fingerprint == "sha256:" + "ab" * 32

    def test_same_bytes_again(self, tmp_path):
        for name in "ab":
            write_entropies(str(tmp_path / name), entropy_table())
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()

    def test_other_containers(self, tmp_path):
        table = entropy_table()
        write_entropies(str(tmp_path / "h"), table)
        raw = pa.ipc.open_stream(str(tmp_path / "h")).read_all()
        feather.write_feather(raw, tmp_path / "f")
        parquet.write_table(raw, tmp_path / "p")
        (tmp_path / "z").write_bytes(gzip.compress((tmp_path / "h").read_bytes()))
        for name in "fpz":
            assert_same_entropies(open_entropies(str(tmp_path / name)), table)

    @pytest.mark.slow
    def test_through_a_pipe(self):
        write = "from formats import *; from helpers.cases.entropies import *; write_entropies('-', entropy_table())"
        read = (
            "from formats import *; from helpers.cases.entropies import *;"
            "assert_same_entropies(open_entropies('-'), entropy_table())"
        )
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run([sys.executable, "-c", write], capture_output=True, check=True, env=environment)
        subprocess.run([sys.executable, "-c", read], input=done.stdout, check=True, env=environment)

    def test_distinguished_from_data(self, tmp_path):
        write_entropies(str(tmp_path / "h"), entropy_table())
        (tmp_path / "d").write_bytes(b"a,b\n0,1\n1,0\n")
        assert_same_entropies(labels_or_entropies(str(tmp_path / "h"), None, True, ignore), entropy_table())
        labels = labels_or_entropies(str(tmp_path / "d"), None, True, ignore)
        assert open_dataset(labels).fingerprint == open_dataset(str(tmp_path / "d")).fingerprint
        with pytest.raises(Malformed, match="this is an entropy table, not a data table"):
            open_dataset(str(tmp_path / "h"))
        with pytest.raises(Malformed, match="this is a table, not an entropy table"):
            open_entropies(str(tmp_path / "d"))
        (tmp_path / "e").write_bytes(to_stream(pa.table({"a": [1]})))
        with pytest.raises(Malformed, match="an Arrow table, but not an entropy table"):
            open_entropies(str(tmp_path / "e"))

    def test_not_finite(self, tmp_path):
        table = entropy_table()
        table.conditional[0, 1] = np.nan
        with pytest.raises(FormatError, match="not finite"):
            write_entropies(str(tmp_path / "h"), table)
        assert list(tmp_path.iterdir()) == []

    def test_missing_rows(self, tmp_path):
        table = entropy_table(800)
        write_entropies(str(tmp_path / "h"), table)
        reader = pa.ipc.open_stream(str(tmp_path / "h"))
        (tmp_path / "part").write_bytes(to_stream(pa.Table.from_batches([reader.read_next_batch()])))
        with pytest.raises(Truncated, match="of 800 variables arrived"):
            open_entropies(str(tmp_path / "part"))
        whole = (tmp_path / "h").read_bytes()
        for end in range(0, len(whole) - 8, 400_000):
            (tmp_path / "cut").write_bytes(whole[:end])
            with pytest.raises(FormatError):
                open_entropies(str(tmp_path / "cut"))
        (tmp_path / "unended").write_bytes(whole[:-8])  # all rows are there, so nothing is lost
        assert_same_entropies(open_entropies(str(tmp_path / "unended")), table)

    @pytest.mark.parametrize(
        ("change", "kind", "message"),
        [
            (lambda c, h: h.update(version=2), UnknownVersion, "version 2 of bnsl.entropy; this release reads 1"),
            (lambda c, h: h.pop("rows"), Malformed, "header .* incomplete"),
            (lambda c, h: h["variables"][0].pop("states"), Malformed, "header .* incomplete"),
            (lambda c, h: h.update(variables=3), Malformed, "header .* incomplete"),
            (lambda c, h: h["variables"].pop(), Inconsistent, "3 of 2 variables"),
            (lambda c, h: h["variables"][0].update(name="x"), Inconsistent, "row 0 is of variable 'V0'"),
            (lambda c, h: c["states"].__setitem__(0, 3), Inconsistent, "column 'V0': 3 states, but .* 2"),
            (lambda c, h: c["states"].__setitem__(2, 0), Inconsistent, "column 'V2': 0 states"),
            (
                lambda c, h: (c["states"].__setitem__(2, None), h["variables"][2].update(states=None)),
                Inconsistent,
                "column 'V2': nan states",
            ),
            (lambda c, h: c["entropy"].__setitem__(1, float("nan")), Inconsistent, "column 'V1': entropies must"),
            (lambda c, h: c["entropy"].__setitem__(1, -1.0), Inconsistent, "column 'V1': entropies must"),
            (lambda c, h: c["entropy"].__setitem__(1, None), Inconsistent, "column 'V1': entropies must"),
            (lambda c, h: c["conditional"][2].__setitem__(0, 9.0), Inconsistent, "column 'V2': entropies must"),
            (lambda c, h: c["conditional"][2].__setitem__(2, 0.01), Inconsistent, "column 'V2': entropies must"),
            (lambda c, h: c["conditional"][2].pop(), Malformed, "columns of an entropy table"),
            (lambda c, h: c.pop("entropy"), Malformed, "columns of an entropy table"),
        ],
    )
    def test_contradictions(self, tmp_path, change, kind, message):
        write_entropies(str(tmp_path / "h"), entropy_table())
        raw = pa.ipc.open_stream(str(tmp_path / "h")).read_all()
        columns, header = raw.to_pydict(), json.loads(raw.schema.metadata[b"bnsl"])
        change(columns, header)
        changed = pa.table(columns).replace_schema_metadata({"bnsl": json.dumps(header)})
        (tmp_path / "changed").write_bytes(to_stream(changed))
        with pytest.raises(kind, match=message) as caught:
            open_entropies(str(tmp_path / "changed"))
        assert "changed" in str(caught.value) and len(str(caught.value).splitlines()) <= 2

    @pytest.mark.parametrize(
        "change",
        [
            lambda t: t.drop_columns(["variable"]),
            lambda t: t.append_column("variable", t.column("variable")),
            lambda t: t.drop_columns(["states"]),
            lambda t: t.append_column("states", t.column("states")),
            lambda t: t.replace_schema_metadata({"bnsl": b'{"format":"bnsl.entropy","x":' + b"[" * 10**5}),
            lambda t: t.replace_schema_metadata({"bnsl": b"[" * 10**5 + b"]" * 10**5}),
            lambda t: t.replace_schema_metadata(
                {"bnsl": t.schema.metadata[b"bnsl"].replace(b"1000", b"1" + b"0" * 40)}
            ),
        ],
        ids=["no names", "names twice", "no states", "states twice", "deep key", "deep", "endless number"],
    )
    def test_odd_columns_and_metadata(self, tmp_path, change):
        write_entropies(str(tmp_path / "h"), entropy_table())
        raw = pa.ipc.open_stream(str(tmp_path / "h")).read_all()
        (tmp_path / "changed").write_bytes(to_stream(change(raw)))
        with pytest.raises(Malformed):
            open_entropies(str(tmp_path / "changed"))


def test_a_matrix_is_distinguished_from_data_and_refused(tmp_path):
    path = str(tmp_path / "h.csv")
    write_entropies(path, entropy_table(3, 1), "csv")
    with pytest.raises(Malformed, match="matrix of entropies"):
        open_dataset(path)
    with pytest.raises(Malformed, match="not one as Arrow or Parquet"):
        open_entropies(path)
