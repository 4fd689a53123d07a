"""Cells of tables in memory come back with the types, categories and labels that they had."""

from __future__ import annotations

import datetime
import decimal
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.feather
import pytest
from pyarrow import parquet

import bnsl
from bnsl.running.errors import UsageError

N = 240
CODES = np.arange(N) % 3
"""A state of each row; all columns below are functions of it, so that any observed cell of a row gives the others."""
HOLES = np.arange(N) % 5 == 0

VALUES = {
    "text": ["b", "a", "c"],
    "number": [3, 1, 2],
    "float": [0.1, 2.0, -7.25],
    "truth": [True, False, True],
    "day": [datetime.date(2020, 1, day) for day in (1, 2, 3)],
    "moment": [datetime.datetime(2020, 1, 1, 10, 30, second) for second in (0, 1, 2)],
    "span": [datetime.timedelta(days=days) for days in (1, 2, 40)],
    "money": [decimal.Decimal(text) for text in ("1.50", "2.25", "10.00")],
}


def _pandas_kinds() -> dict[str, Any]:
    """A column of pandas of each kind, complete."""
    texts, numbers = np.array(VALUES["text"])[CODES], np.array(VALUES["number"])[CODES]
    moments = pandas.Series(VALUES["moment"])[CODES].reset_index(drop=True)
    scale = pandas.CategoricalDtype([5, 3, 1, 2], ordered=True)
    return {
        "object": pandas.Series(texts, dtype=object),
        "object of numbers": pandas.Series(numbers.tolist(), dtype=object),
        "object of days": pandas.Series(VALUES["day"], dtype=object)[CODES].reset_index(drop=True),
        "object of money": pandas.Series(VALUES["money"], dtype=object)[CODES].reset_index(drop=True),
        "str": pandas.Series(texts, dtype="str"),
        "string": pandas.Series(texts, dtype="string"),
        "float32": pandas.Series(numbers, dtype="float32"),
        "float64": pandas.Series(np.array(VALUES["float"])[CODES]),
        "Int8": pandas.Series(numbers, dtype="Int8"),
        "UInt64": pandas.Series(numbers, dtype="UInt64"),
        "Float64": pandas.Series(numbers, dtype="Float64"),
        "boolean": pandas.Series(CODES == 1, dtype="boolean"),
        "moments": moments,
        "nanoseconds": moments.astype("datetime64[ns]"),
        "zoned": moments.dt.tz_localize("Europe/Berlin"),
        "spans": pandas.Series(VALUES["span"])[CODES].reset_index(drop=True),
        "periods": pandas.Series(pandas.period_range("2020-01", periods=3, freq="M")[CODES]),
        "intervals": pandas.Series(pandas.interval_range(0.0, 3.0)[CODES]),
        "categories of text": pandas.Series(pandas.Categorical(texts, categories=["c", "z", "b", "a"])),
        "categories of numbers": pandas.Series(numbers).astype(scale),
        "categories of floats": pandas.Series(numbers / 2).astype("category"),
        "categories of truth": pandas.Series(CODES == 1).astype("category"),
        "categories of intervals": pandas.cut(pandas.Series(CODES + 0.5), [0, 1, 2, 3]),
        "categories of days": pandas.Series(VALUES["day"])[CODES].reset_index(drop=True).astype("category"),
        "arrow text": pandas.Series(texts, dtype=pandas.ArrowDtype(pyarrow.string())),
        "arrow number": pandas.Series(numbers, dtype=pandas.ArrowDtype(pyarrow.int16())),
        "arrow day": pandas.Series(pyarrow.array(VALUES["day"]).take(CODES).to_pylist(), dtype="date32[pyarrow]"),
    }


def _holed(column: pandas.Series) -> pandas.Series:
    """The column without the cells of some rows."""
    return column.reindex(np.where(HOLES, -1, np.arange(N))).reset_index(drop=True)


@pytest.mark.parametrize("kind", _pandas_kinds())
def test_pandas_columns_come_back(kind: str):
    column = _pandas_kinds()[kind]
    index = pandas.Index(np.arange(N) * 2 + 1, name="row")
    whole = pandas.DataFrame({"x": column.set_axis(index), "code": CODES, 7: CODES}, index=index)
    holed = whole.assign(x=_holed(column).set_axis(index))
    assert holed["x"].dtype == column.dtype
    learnt = bnsl.learn(whole, require=[("code", "x"), ("code", "7")], method="hc", seed=1, smoothing=1, quiet=True)
    expected = column.set_axis(index).rename("x")
    for network in (learnt, pickle.loads(pickle.dumps(learnt))):
        filled = network.impute(holed).to_pandas()
        pandas.testing.assert_series_equal(filled["x"], expected)
        assert filled.columns.tolist() == ["x", "code", 7] and filled.dtypes.tolist() == holed.dtypes.tolist()
        found = network.predict(whole.drop(columns="x"), "x")
        pandas.testing.assert_series_equal(found.to_pandas()["x"], expected)
        drawn = network.sample(5, seed=1).to_pandas()
        assert drawn["x"].dtype == column.dtype and drawn["code"].dtype == CODES.dtype
    kept = network.predict(holed, "code", keep="x").to_pandas()
    pandas.testing.assert_series_equal(kept["x"], holed["x"])
    # A table without any observed cell, or without the column, has the type learnt from.
    bare = network.impute(whole.assign(x=None)).to_pandas()
    pandas.testing.assert_series_equal(bare["x"], expected)
    added = network.impute(whole.drop(columns="x")).to_pandas()
    pandas.testing.assert_series_equal(added["x"], expected)


@pytest.mark.parametrize("gone", [None, np.nan, pandas.NA, pandas.NaT], ids=str)
@pytest.mark.parametrize(
    "values",
    [
        ["a", "b", "c"],
        ["a", 2, 2.5],
        [True, False, "no"],
        [b"a", b"b", b"c"],
        VALUES["day"],
        VALUES["moment"],
        VALUES["span"],
        VALUES["money"],
        [pandas.Interval(0, 1), pandas.Interval(1, 2), pandas.Interval(1, 3)],
        [pandas.Period("2020-01"), pandas.Period("2020-02"), pandas.Period("2020-02-01")],
    ],
    ids=lambda values: str(values[-1]),
)
def test_objects_come_back_whatever_stands_for_a_missing_one(values: list[Any], gone: Any):
    cells = [values[code] for code in CODES]
    holed = [gone if hole else cell for cell, hole in zip(cells, HOLES)]
    column = pandas.Series(holed, dtype=object, name="x")
    network = bnsl.learn({"x": column, "code": CODES}, missing="em", method="hc", smoothing=1, quiet=True)
    filled = network.impute(pandas.DataFrame({"x": column, "code": CODES})).to_pandas()["x"]
    assert filled.dtype == object
    assert [(type(cell), cell) for cell in filled] == [(type(cell), cell) for cell in cells]


def test_periods_of_one_text_are_refused():
    with pytest.raises(UsageError, match="of the same text: make them differ"):
        years = [pandas.Period("2020", freq) for freq in ("Y-DEC", "Y-JUN")]
        bnsl.learn({"x": pandas.Series(years * 9, dtype=object), "k": CODES[:18]}, quiet=True)


def _arrow_kinds() -> dict[str, pyarrow.Array]:
    """An Arrow array of three values of each type."""
    texts = pyarrow.array(VALUES["text"])
    found = {
        str(kind): texts.cast(kind) for kind in (pyarrow.string(), pyarrow.large_string(), pyarrow.string_view())
    }
    integers = [pyarrow.int8(), pyarrow.int64(), pyarrow.uint8(), pyarrow.uint64()]
    for kind in (*integers, pyarrow.float32(), pyarrow.float64(), pyarrow.decimal128(25, 2)):
        found[str(kind)] = pyarrow.array(VALUES["number"]).cast(kind)
    found["bool"] = pyarrow.array(VALUES["truth"])
    found["date32"] = pyarrow.array(VALUES["day"])
    found["date64"] = pyarrow.array(VALUES["day"], pyarrow.date64())
    for unit in ("s", "ms", "us", "ns"):
        found[f"timestamp {unit}"] = pyarrow.array(VALUES["moment"], pyarrow.timestamp(unit))
    found["zoned"] = pyarrow.array(VALUES["moment"], pyarrow.timestamp("us", "Europe/Berlin"))
    found["time"] = pyarrow.array([datetime.time(1, 2, 3), datetime.time(4), datetime.time(5, 0, 0, 20)])
    for value in (pyarrow.string(), pyarrow.string_view(), pyarrow.int64()):
        values = (
            pyarrow.array(["z", *VALUES["text"]]).cast(value)
            if value != pyarrow.int64()
            else pyarrow.array([9, 3, 1, 2])
        )
        for index in (pyarrow.int8(), pyarrow.uint32()):
            places = pyarrow.array([1, 2, 3], index)
            for ordered in (False, True):
                array = pyarrow.DictionaryArray.from_arrays(places, values, ordered=ordered)
                found[f"dictionary {value} {index} {ordered}"] = array
    return found


@pytest.mark.parametrize("kind", _arrow_kinds())
@pytest.mark.parametrize("as_reader", [False, True])
def test_arrow_columns_come_back(kind: str, as_reader: bool):
    values = _arrow_kinds()[kind]
    plain = values.cast(pyarrow.string()) if values.type == pyarrow.string_view() else values
    cells = plain.take(pyarrow.array(CODES)).cast(values.type)
    holed = plain.take(pyarrow.array(CODES, mask=HOLES)).cast(values.type)
    field = pyarrow.field("x", values.type, metadata={"unit": "none"})
    schema = pyarrow.schema([field, pyarrow.field("code", pyarrow.int16())])
    codes = pyarrow.array(CODES, pyarrow.int16())
    whole, lacking = (pyarrow.Table.from_arrays([c, codes], schema=schema) for c in (cells, holed))
    parts = pyarrow.Table.from_batches(lacking.to_batches(max_chunksize=50))
    network = bnsl.learn(whole, require="code->x", method="hc", seed=1, smoothing=1, quiet=True)
    filled = network.impute(parts.to_reader() if as_reader else parts).to_arrow()
    assert filled.schema.equals(schema, check_metadata=True)
    assert filled["x"].to_pylist() == whole["x"].to_pylist()
    found = network.predict(whole.drop_columns("x"), "x", keep="code").to_arrow()
    assert found["x"].type == values.type and found["x"].to_pylist() == whole["x"].to_pylist()
    assert found["code"].type == pyarrow.int16()
    assert network.sample(3, seed=1)["x"].type == values.type


def _polars_kinds() -> dict[str, Any]:
    """A type of Polars, and three values of it."""
    text, number = VALUES["text"], VALUES["number"]
    return {
        "String": (polars.String, text),
        "Categorical": (polars.Categorical, text),
        "Enum": (polars.Enum(["z", "c", "b", "a"]), text),
        "Int8": (polars.Int8, number),
        "UInt64": (polars.UInt64, number),
        "Float32": (polars.Float32, number),
        "Boolean": (polars.Boolean, VALUES["truth"]),
        "Date": (polars.Date, VALUES["day"]),
        "Datetime": (polars.Datetime("ms", "Europe/Berlin"), VALUES["moment"]),
        "Time": (polars.Time, [datetime.time(1), datetime.time(2), datetime.time(3, 30)]),
        "Decimal": (polars.Decimal(10, 2), VALUES["money"]),
    }


@pytest.mark.parametrize("kind", _polars_kinds())
def test_polars_columns_come_back(kind: str):
    kind, values = _polars_kinds()[kind]
    x = polars.Series("x", values).cast(kind) if kind != polars.Datetime else polars.Series("x", values, dtype=kind)
    cells = x.gather(CODES)
    whole = polars.DataFrame({"x": cells, "code": CODES})
    holed = whole.with_columns(x=polars.when(polars.Series(~HOLES)).then(polars.col("x")))
    assert holed.schema == whole.schema
    network = bnsl.learn(whole, require="code->x", method="hc", seed=1, smoothing=1, quiet=True)
    assert network.impute(holed).to_polars().equals(whole)
    assert network.impute(holed).to_polars().schema == whole.schema
    found = network.predict(whole.drop("x"), "x").to_polars()
    assert found["x"].dtype == whole["x"].dtype and found["x"].equals(whole["x"])


def test_duckdb_columns_come_back():
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.execute("create type mood as enum ('sad', 'ok', 'glad')")
    connection.execute(
        "create table t as select i as row, (i % 3)::tinyint as code, "
        "(['sad','glad','ok'])[i % 3 + 1]::mood as mood, (['b','a','c'])[i % 3 + 1] as text, "
        "date '2020-01-01' + (i % 3)::int as day, (i % 3)::decimal(6, 2) as price, "
        "timestamp '2020-01-01 10:00:00' + (i % 3) * interval 1 minute as moment, i % 3 = 1 as truth "
        "from range(240) _(i)"
    )
    names = ["mood", "text", "day", "price", "moment", "truth"]
    whole = connection.sql("select code, mood, text, day, price, moment, truth from t order by row")
    emptied = ", ".join(f"case when row % 5 = 0 then null else {name} end as {name}" for name in names)
    holed = connection.sql(f"select code, {emptied} from t order by row")
    require = [("code", name) for name in names]
    network = bnsl.learn(whole, require=require, method="hc", seed=1, smoothing=1, quiet=True)
    filled, expected = network.impute(holed).to_arrow(), pyarrow.table(whole)
    assert filled.schema == pyarrow.table(holed).schema
    assert filled.to_pylist() == expected.to_pylist()


def test_a_scale_with_few_holes_keeps_all_that_was_observed():
    rng = np.random.default_rng(1)
    kind = pandas.CategoricalDtype([1, 2, 3, 4, 5], ordered=True)
    mood = rng.integers(1, 6, 400)
    survey = pandas.DataFrame(
        {f"q{i}": pandas.Series(np.clip(mood + rng.integers(-1, 2, 400), 1, 5)).astype(kind) for i in range(4)}
    )
    holed = survey.copy()
    for row, column in zip(rng.choice(400, 45, replace=False), rng.integers(0, 4, 45)):
        holed.iloc[row, column] = None
    filled = bnsl.learn(survey, method="hc", seed=1, quiet=True, smoothing=1).impute(holed).to_pandas()
    assert filled.dtypes.tolist() == [kind] * 4 and not filled.isna().any().any()
    assert (filled == survey)[holed.notna()].stack().all()


def test_a_state_that_the_column_lacks_joins_its_categories():
    whole = pandas.DataFrame({"a": [0, 1] * 60, "b": pandas.Categorical(["no", "yes"] * 60)})
    network = bnsl.learn(whole, method="hc", quiet=True, smoothing=1)
    few = pandas.DataFrame({"a": [0, 1], "b": pandas.Categorical(["no", None])})
    filled = network.impute(few).to_pandas()["b"]
    assert filled.tolist() == ["no", "yes"] and filled.cat.categories.tolist() == ["no", "yes"]
    numbers = pandas.DataFrame({"a": [0, 1], "b": pandas.Series([3.5, np.nan])})
    assert network.impute(numbers, unseen="missing").to_pandas()["b"].tolist() == ["no", "yes"]


def test_row_labels_are_no_variables(tmp_path: Path):
    index = pandas.Index([f"p{row}" for row in range(N)], name="patient")
    frame = pandas.DataFrame({"a": CODES, "b": pandas.Series(CODES, dtype="Int64").array}, index=index)
    table = pyarrow.Table.from_pandas(frame)
    parquet.write_table(table, tmp_path / "d.parquet")
    pyarrow.feather.write_feather(table, tmp_path / "d.feather")
    holed = frame.assign(b=frame["b"].where(~HOLES))
    parquet.write_table(pyarrow.Table.from_pandas(holed), tmp_path / "h.parquet")
    for source in (frame, table, tmp_path / "d.parquet", tmp_path / "d.feather"):
        network = bnsl.learn(source, method="hc", quiet=True, smoothing=1)
        assert network.variables == ("a", "b")
        for given in (holed, pyarrow.Table.from_pandas(holed), tmp_path / "h.parquet"):
            pandas.testing.assert_frame_equal(network.impute(given).to_pandas(), frame)


def test_a_reader_of_batches_is_a_table():
    table = pyarrow.table({"a": CODES, "b": CODES})
    assert len(bnsl.learn(table.to_reader(), quiet=True).arcs) == 1


def test_columns_of_a_text_file_are_numbers_or_texts(tmp_path: Path):
    lines = [f"{code},{'abc'[code]},0{code},{code / 2}" for code in CODES]
    (tmp_path / "d.csv").write_text("\n".join(["n,t,z,f", *lines]) + "\n")
    lines[0], lines[1] = ",a,00,0.0", "1,,01,"
    (tmp_path / "h.csv").write_text("\n".join(["n,t,z,f", *lines]) + "\n")
    network = bnsl.learn(tmp_path / "d.csv", method="hc", quiet=True, smoothing=1)
    filled = network.impute(tmp_path / "h.csv", columns=["n", "t", "f"]).to_pandas()
    assert filled["n"].tolist() == CODES.tolist() and filled["n"].dtype == np.int64
    assert filled["t"].tolist() == ["abc"[code] for code in CODES]
    assert filled["f"].tolist() == (CODES / 2).tolist() and filled["f"].dtype == np.float64
    assert network.impute(tmp_path / "h.csv").to_pandas()["z"].tolist() == [f"0{code}" for code in CODES]


def test_dates_are_states():
    days = pandas.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03 10:20:30.5"], format="ISO8601").as_unit("ns")[
        CODES
    ]
    network = bnsl.learn({"code": CODES, "day": days}, method="hc", quiet=True, smoothing=1)
    for value in (
        pandas.Timestamp("2020-01-02"),
        np.datetime64("2020-01-02"),
        datetime.datetime(2020, 1, 2),
        "2020-01-02",
    ):
        found = network.query({"day": value}, variables=["code"]).to_pylist()
        assert max(found, key=lambda row: row["probability"])["state"] == "1"
        assert network.do({"day": value}).query(variables=["day"])["probability"].to_pylist() == [0.0, 1.0, 0.0]
    coarse = pandas.DataFrame({"day": days.as_unit("ms")})
    assert network.predict(coarse, "code").to_pandas()["code"].tolist() == CODES.tolist()


def test_discretized_rows_keep_their_labels_where_none_is_left_out():
    frame = pandas.DataFrame({"x": np.arange(40) / 10}, index=np.arange(40) * 3)
    cut = bnsl.discretize(frame, discretize="median", quiet=True).to_pandas()
    assert cut.index.equals(frame.index)
    frame.iloc[0, 0] = np.nan
    assert len(bnsl.discretize(frame, discretize="median", missing="drop", quiet=True).to_pandas()) == 39
    rows = frame.to_dict("records")[1:]
    assert len(bnsl.discretize(rows, discretize="median", quiet=True).to_pandas()) == 39


def test_names_of_pandas_in_a_table_of_arrow_come_back():
    frame = pandas.DataFrame({0: CODES, 1: pandas.Series(CODES, dtype="Int64")})
    network = bnsl.learn(frame, method="hc", quiet=True, smoothing=1)
    holed = frame.mask(pandas.DataFrame({0: False, 1: HOLES}))
    filled = network.impute(pyarrow.Table.from_pandas(holed)).to_pandas()
    pandas.testing.assert_frame_equal(filled, frame)
    labelled = pyarrow.Table.from_pandas(frame.set_index(pandas.Index(CODES, name="row")))
    found = network.predict(labelled, "1", keep="0").to_pandas()
    assert found["1"].dtype == "Int64" and found["0"].tolist() == CODES.tolist()
    added = network.impute(labelled.drop_columns("1"))
    assert added["1"].to_pylist() == CODES.tolist() and added.to_pandas()[1].tolist() == CODES.tolist()


def test_the_type_of_whole_numbers_stays_where_they_were_cut():
    whole = {"x": np.arange(40), "k": np.arange(40) // 20}
    network = bnsl.learn(whole, discretize="x=median", method="hc", quiet=True, smoothing=1)
    given = pandas.DataFrame({"x": pandas.array([None, 3, 6, None], dtype="Int16"), "k": [0, 0, 0, 1]})
    filled = network.impute(given).to_pandas()["x"]
    assert filled.dtype == "Int16" and filled.tolist() == [
        3,
        3,
        6,
        19,
    ]  # the lower middle one; above the cut at 19 none is observed
    drawn = network.impute(given, how="drawn", seed=3).to_pandas()["x"]
    assert drawn.dtype == "Int16" and drawn[0] in (3, 6)
