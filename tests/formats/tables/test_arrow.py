"""Arrow and Parquet in, table writers out: values, round trips, hostile input."""

from __future__ import annotations

import csv
import datetime
import decimal
import gzip
import os
import subprocess
import sys
import threading

import numpy as np
import pyarrow as pa
import pytest
from helpers.cases.arrow import to_stream
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather, parquet

import formats
from formats import open_dataset, open_table_writer
from formats.data_records import Dataset, Variable
from formats.errors import FormatError, Malformed, Truncated, UnsuitableData
from formats.tables import arrow


@pytest.fixture
def read(tmp_path):
    """Open an Arrow table, written as an Arrow stream, or bytes."""

    def run(table, **options):
        path = tmp_path / "d.arrow"
        path.write_bytes(table if isinstance(table, bytes) else to_stream(table))
        return open_dataset(str(path), **options)

    return run


def states(dataset):
    return [variable.states for variable in dataset.variables]


@pytest.mark.parametrize("options", [{"delimiter": ";"}, {"header": False}])
def test_options_about_text_are_refused(read, options):
    with pytest.raises(UnsuitableData, match="apply to text"):
        read(pa.table({"x": [0, 1]}), **options)


class TestTables:
    @pytest.mark.parametrize(
        ("values", "expected"),
        [
            (pa.array([0, 10, 9], pa.int64()), ("0", "9", "10")),
            (pa.array([0, 10, 9], pa.uint8()), ("0", "9", "10")),
            (pa.array([0.0, 10.0, 0.5]), ("0", "0.5", "10")),
            (pa.array([True, False, True]), ("False", "True")),
            (pa.array(["x", "y ", "x"]), ("x", "y ")),
            (pa.array(["x", "y", "x"], pa.large_string()), ("x", "y")),
            (pa.array(["x", "y", "x"], pa.string_view()), ("x", "y")),
            (pa.array([b"x", b"y", b"x"]), ("x", "y")),
            (pa.array(["x", "y", "x"]).dictionary_encode(), ("x", "y")),
            (pa.array([5, 5, 10]).dictionary_encode(), ("5", "10")),
            (pa.array([decimal.Decimal("1.50"), decimal.Decimal("1.5"), None]).drop_null(), ("1.5",)),
            (pa.array([datetime.date(2020, 2, 1), datetime.date(2019, 2, 1)]), ("2019-02-01", "2020-02-01")),
        ],
    )
    def test_types(self, read, values, expected):
        assert states(read(pa.table({"a": values}))) == [expected]

    def test_dictionaries_declare_states_in_their_order(self, read):
        values = pa.DictionaryArray.from_arrays(pa.array([2, 0, 2], pa.int8()), ["b", "unused", "a"])
        notes: list[str] = []
        dataset = read(pa.table({"a": values}), note=notes.append)
        assert states(dataset) == [("b", "unused", "a")] and dataset.codes.tolist() == [[2, 0, 2]]
        assert notes[0].endswith("rows in 1 column: 'a' (unused); --states observed leaves them out")
        dataset = read(pa.table({"a": values}), observed=True)
        assert states(dataset) == [("b", "a")] and dataset.codes.tolist() == [[1, 0, 1]]

    def test_nulls_are_missing(self, read):
        in_dictionary = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pa.array(["x", None]))
        table = pa.table(
            {"a": [1, None, 2], "b": [0.5, float("nan"), 1.0], "c": in_dictionary, "d": pa.nulls(3), "e": list("xyx")}
        )
        with pytest.raises(UnsuitableData, match=r"no cell .* 'd'; .* 3 columns: 'a' \(1\), 'b' \(1\), 'c' \(1\)"):
            read(table)
        dataset = read(table, missing="state")
        assert states(dataset) == [("1", "2", "NA"), ("0.5", "1", "NA"), ("x", "NA"), ("NA",), ("x", "y")]
        assert dataset.codes[0].tolist() == [0, 2, 1]

    def test_parts_with_different_dictionaries(self, read):
        parts = [pa.array(["x", "y"]).dictionary_encode(), pa.array(["z", None, "x"]).dictionary_encode()]
        dataset = read(pa.table({"a": pa.chunked_array(parts)}), missing="drop")
        assert dataset.codes.tolist() == [[0, 1, 2, 0]] and states(dataset) == [("x", "y", "z")]

    def test_infinite_numbers_are_no_numbers(self, read):
        with pytest.raises(UnsuitableData, match="some not numbers, as 'inf'"):
            read(pa.table({"a": [*np.linspace(0, 1, 300), float("inf")]}))

    def test_nested_values(self, read):
        with pytest.raises(UnsuitableData, match=r"column 'b': values of type list<.*> cannot be states"):
            read(pa.table({"a": [1, 2], "b": [[1], [2]]}))

    def test_row_labels_of_pandas(self, read):
        warnings = []
        dataset = read(pa.table({"a": [1, 0], "__index_level_0__": [7, 8]}), warn=warnings.append)
        assert dataset.names == ("a",) and "pandas" in warnings[0]

    def test_duplicate_names_and_no_columns(self, read):
        with pytest.raises(Malformed, match="duplicate column names"):
            read(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]))
        with pytest.raises(UnsuitableData, match="no rows"):
            read(pa.table({}))
        with pytest.raises(UnsuitableData, match="no rows"):
            read(pa.table({"a": pa.array([], pa.int8())}))

    def test_every_container_gives_the_same(self, read, tmp_path):
        table = pa.table({"a": [0, 1, 1], "b": ["x", "y", "x"]})
        expected = read(table).fingerprint
        feather.write_feather(table, tmp_path / "f", compression="lz4")
        parquet.write_table(table, tmp_path / "p")
        (tmp_path / "c").write_bytes(b"a,b\n0,x\n1,y\n1,x\n")
        (tmp_path / "z").write_bytes(gzip.compress(to_stream(table)))
        for name in "fpcz":
            assert open_dataset(str(tmp_path / name)).fingerprint == expected, name

    @pytest.mark.parametrize(
        "names",
        [("a", "b", "c"), ("a.x", "a.y", "b"), ("a", "a.x", "b"), ("a", "a-", "a.x"), ("a.", "a", "b")],
        ids=" ".join,
    )
    def test_columns_of_parquet_are_decoded_in_blocks(self, tmp_path, monkeypatch, names):
        cells = [[0, 1, 1, 0], ["x", "y", None, "x"], [True, False, True, True]]
        parquet.write_table(pa.table(cells, names=names), tmp_path / "p", row_group_size=3)
        whole = open_dataset(str(tmp_path / "p"), missing="state")
        monkeypatch.setattr(arrow, "_COLUMNS_AT_ONCE", 2)
        blocks = open_dataset(str(tmp_path / "p"), missing="state")
        assert whole.names == blocks.names == names
        assert whole.fingerprint == blocks.fingerprint and (whole.codes == blocks.codes).all()

    def test_columns_that_cannot_be_selected_by_name(self, tmp_path, monkeypatch):
        monkeypatch.setattr(arrow, "_COLUMNS_AT_ONCE", 1)
        parquet.write_table(pa.table([[0, 1], [1, 0]], names=["a", "a"]), tmp_path / "twice")
        with pytest.raises(Malformed, match="duplicate column names: 'a'"):
            open_dataset(str(tmp_path / "twice"))
        parquet.write_table(pa.table({"a": [{"x": 0, "y": 1}] * 2, "b": [0, 1]}), tmp_path / "nested")
        with pytest.raises(UnsuitableData, match=r"type struct.* cannot be states"):
            open_dataset(str(tmp_path / "nested"))

    def test_cut_inputs(self, read, tmp_path):
        table = pa.table({"a": ["0", "1"] * 50})
        parquet.write_table(table, tmp_path / "p")
        feather.write_feather(table, tmp_path / "f")
        for whole in (to_stream(table), (tmp_path / "p").read_bytes(), (tmp_path / "f").read_bytes()):
            for end in [*range(8, 40), *range(40, len(whole) - 8, 37)]:
                with pytest.raises(FormatError):
                    read(whole[:end])
        with pytest.raises(Truncated, match="ends early"):
            read((tmp_path / "p").read_bytes()[:-20])

    def test_a_stream_without_end_marker_is_reported(self, read):
        warnings = []
        assert read(to_stream(pa.table({"a": [0, 1]}))[:-8], warn=warnings.append).n_rows == 2
        assert "no end marker" in warnings[0]

    @given(st.data())
    def test_damaged_bytes(self, tmp_path_factory, data):
        folder = tmp_path_factory.getbasetemp()
        table = pa.table({"a": pa.array(["0", "1", None] * 5).dictionary_encode(), "b": ["x", "yy", "z"] * 5})
        container = data.draw(st.sampled_from(["stream", "feather", "parquet"]))
        if container == "stream":
            content = bytearray(to_stream(table))
        else:
            write = feather.write_feather if container == "feather" else parquet.write_table
            write(table, folder / "whole", compression="uncompressed" if container == "feather" else "none")
            content = bytearray((folder / "whole").read_bytes())
        for _ in range(data.draw(st.integers(1, 4))):
            content[data.draw(st.integers(8, len(content) - 1))] = data.draw(st.integers(0, 255))
        (folder / "damaged").write_bytes(content)
        try:
            assert isinstance(open_dataset(str(folder / "damaged"), missing="state"), Dataset)
        except FormatError as error:
            assert "damaged" in str(error)


variables_for_writing = (
    Variable("a", ("0", "1")),
    Variable("b, c", ("x", "long label", 'with "quotes"')),
    Variable("d", ("<=1", "1..2", ">2", "NA")),
)


def write_table(path, codes, format_name, variables=variables_for_writing, n_batches=3):
    with open_table_writer(str(path), variables, format_name) as writer:
        for part in np.array_split(codes, n_batches, axis=1):
            writer.write(np.ascontiguousarray(part))


class TestWriters:
    @pytest.mark.parametrize("format_name", ["csv", "parquet", "arrow"])
    def test_round_trip(self, tmp_path, format_name):
        rng = np.random.default_rng(5)
        codes = np.stack([rng.integers(0, n, 1000, dtype=np.uint8) for n in (2, 3, 4)])
        write_table(tmp_path / "t", codes, format_name)
        dataset = open_dataset(str(tmp_path / "t"), variables=variables_for_writing)
        assert dataset.variables == variables_for_writing and (dataset.codes == codes).all()
        write_table(tmp_path / "u", codes, format_name, n_batches=7)
        if format_name != "arrow":  # there each batch is a message of its own
            assert (tmp_path / "t").read_bytes() == (tmp_path / "u").read_bytes()

    def test_csv_text(self, tmp_path):
        codes = np.array([[0, 1], [2, 0], [1, 3]], dtype=np.uint8)
        write_table(tmp_path / "t", codes, "csv")
        assert (tmp_path / "t").read_text() == 'a,"b, c",d\n0,"with ""quotes""",1..2\n1,x,NA\n'

    @given(st.lists(st.lists(st.text(max_size=3), min_size=1, max_size=4, unique=True), min_size=1, max_size=3))
    def test_csv_as_the_csv_module_reads_it(self, tmp_path_factory, labels):
        labels = [[label.replace("\0", "0") for label in column] for column in labels]
        path = tmp_path_factory.getbasetemp() / "any.csv"
        variables = tuple(Variable(f"{i}", tuple(column)) for i, column in enumerate(labels))
        n_rows = max(map(len, labels))
        codes = np.array([[row % len(column) for row in range(n_rows)] for column in labels], dtype=np.uint8)
        write_table(path, codes, "csv", variables, n_batches=1)
        with open(path, newline="") as stream:
            header, *rows = csv.reader(stream)
        assert header == [v.name for v in variables]
        assert rows == [[column[row % len(column)] for column in labels] for row in range(n_rows)]

    def test_blocks_of_wide_tables(self, tmp_path, monkeypatch):
        monkeypatch.setattr("formats.tables.table_writer._CSV_BLOCK", 100)
        rng = np.random.default_rng(6)
        codes = rng.integers(0, 3, (30, 50), dtype=np.uint8)
        variables = tuple(Variable(f"V{i}", ("0", "1", "22")) for i in range(30))
        write_table(tmp_path / "t", codes, "csv", variables)
        assert (open_dataset(str(tmp_path / "t"), variables=variables).codes == codes).all()

    def test_gzip_by_name(self, tmp_path):
        codes = np.zeros((3, 5), dtype=np.uint8)
        for name in ("t.csv.gz", "u.csv.gz"):
            write_table(tmp_path / name, codes, "csv")
        assert (tmp_path / "t.csv.gz").read_bytes()[:2] == b"\x1f\x8b"
        assert (tmp_path / "t.csv.gz").read_bytes() == (tmp_path / "u.csv.gz").read_bytes()
        assert open_dataset(str(tmp_path / "t.csv.gz")).n_rows == 5

    @pytest.mark.parametrize("format_name", ["csv", "parquet", "arrow"])
    def test_pipes(self, tmp_path, format_name):
        codes = np.tile(np.array([[0, 1], [2, 0], [1, 3]], dtype=np.uint8), 20)
        path = tmp_path / "pipe"
        os.mkfifo(path)
        writer = threading.Thread(target=write_table, args=(path, codes, format_name))
        writer.start()
        dataset = open_dataset(str(path), variables=variables_for_writing)
        writer.join()
        assert (dataset.codes == codes).all()

    @pytest.mark.parametrize("format_name", ["csv", "parquet", "arrow"])
    def test_failure_leaves_nothing(self, tmp_path, format_name):
        with (
            pytest.raises(RuntimeError),
            open_table_writer(str(tmp_path / "t"), variables_for_writing, format_name) as w,
        ):
            w.write(np.zeros((3, 5), dtype=np.uint8))
            raise RuntimeError
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.slow
    @pytest.mark.parametrize("format_name", ["parquet", "arrow"])
    def test_failure_into_a_pipe_does_not_look_whole(self, format_name):
        program = f"""
import numpy as np
from formats import open_table_writer
from formats.data_records import Variable
with open_table_writer("-", (Variable("a", ("0", "1")),), {format_name!r}) as writer:
    writer.write(np.zeros((1, 5), dtype=np.uint8))
    raise SystemExit(3)
"""
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
        assert done.returncode == 3 and done.stderr == b""
        ending = {"parquet": b"PAR1", "arrow": b"\xff\xff\xff\xff\0\0\0\0"}[format_name]
        assert not done.stdout[4:].endswith(ending)

    def test_wrong_use(self, tmp_path):
        with (
            pytest.raises(ValueError, match=r"unknown format .*csv, tsv, parquet, arrow, feather"),
            open_table_writer(str(tmp_path / "t"), (), "xls"),
        ):
            pass
        with pytest.raises(FormatError, match="column 'a': the labels"):
            write_table(tmp_path / "t", np.zeros((1, 1), np.uint8), "csv", (Variable("a"),))
        for codes in (np.zeros((2, 5), np.uint8), np.zeros((3, 5), np.int64)):
            with pytest.raises(TypeError, match="codes must be uint8 or int32"):
                write_table(tmp_path / "t", codes, "csv")


def test_every_name_of_the_package_loads():
    for name in formats.__all__:
        assert callable(getattr(formats, name))
    assert set(formats.__all__) == set(dir(formats))
    with pytest.raises(AttributeError, match="open_nothing"):
        formats.open_nothing  # noqa: B018


# ---- what expands without measure


def expanding(kind: str) -> bytes:
    """Some kilobytes that stand for 80,000,000 cells or more."""
    sink = pa.BufferOutputStream()
    codes = pa.DictionaryArray.from_arrays(pa.array(np.zeros(10_000_000, np.int8)), ["x", "y"])
    table = pa.table({f"c{i}": codes for i in range(8)})
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    if kind == "parquet":
        parquet.write_table(table, sink, compression="zstd")
    elif kind == "stream":
        with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
            writer.write_table(table)
    elif kind == "file":
        with pa.ipc.new_file(sink, table.schema, options=options) as writer:
            writer.write_table(table)
    else:
        runs = pa.RunEndEncodedArray.from_arrays(pa.array([2**31 - 1], pa.int32()), ["x"])
        batch = pa.record_batch([runs], names=["a"])
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
    return sink.getvalue().to_pybytes()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["parquet", "stream", "file", "runs"])
def test_what_expands_without_measure_is_refused_unread(tmp_path, kind):
    path = tmp_path / "bomb"
    path.write_bytes(expanding(kind))
    assert path.stat().st_size < 300_000
    with pytest.raises(Malformed, match=r"too many to be true|bytes expand to"):
        open_dataset(str(path))


def test_compressed_tables_of_a_usual_size_are_read(tmp_path):
    path = tmp_path / "d.arrow"
    table = pa.table({"a": ["x", "y"] * 5000, "b": ["0"] * 9999 + ["1"]})
    for compression in ("zstd", "lz4"):
        feather.write_feather(table, str(path), compression=compression)
        assert open_dataset(str(path)).n_rows == 10_000
