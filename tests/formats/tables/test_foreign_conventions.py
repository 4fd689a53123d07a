"""What other programs write into text tables besides names and values."""

import pytest

from formats import open_dataset
from formats.errors import Malformed, UnsuitableData


@pytest.fixture
def read(tmp_path):
    """Write text to a file and open it as a data set."""

    def run(content, **options):
        path = tmp_path / "d.csv"
        path.write_text(content)
        return open_dataset(str(path), **options)

    return run


@pytest.mark.parametrize("content", [",a,b\n0,x,2\n1,y,3\n", '"","a","b"\n"1","x",2\n"2","y",3\n'])
def test_row_numbers_are_no_variable(read, content):
    warnings = []
    assert read(content, warn=warnings.append).names == ("a", "b")
    assert "the first column, without a name, counts the rows: left out" in warnings[0]


@pytest.mark.parametrize("content", [",a,b\nr1,x,2\nr2,y,3\n", '"","a","b"\n"9","x",2\n"4","y",3\n'])
def test_row_names_are_no_variable(read, content):
    warnings = []
    assert read(content, warn=warnings.append).names == ("a", "b")
    assert "the first column, without a name, names the rows: left out" in warnings[0]


def test_a_first_column_without_a_name_that_repeats_is_refused(read):
    with pytest.raises(Malformed, match="no name for column 1 of 2"):
        read(",a\nr1,x\nr1,y\n")


@pytest.mark.parametrize(
    "content",
    ['"a" "b"\n"1" "x" "2"\n"2" "y" "3"\n', 'a\tb\n"New York"\tx\t2\nRome\ty\t3\n', "a,b\nr1,x,2\nr2,y,3\n"],
)
def test_row_names_above_which_no_name_stands(read, content):
    warnings = []
    dataset = read(content, warn=warnings.append)
    assert [(v.name, v.states) for v in dataset.variables] == [("a", ("x", "y")), ("b", ("2", "3"))]
    assert "one name fewer than there are columns" in warnings[0]


def test_rows_of_the_same_name_lack_a_name(read):
    with pytest.raises(Malformed, match="3 cells where 2 are expected") as caught:
        read("a,b\n0,x,2\n0,y,3\n")
    assert caught.value.line == 2
    with pytest.raises(Malformed, match="3 cells where 2 are expected"):
        read("a,b\n0,x,2\n1,y\n")


def test_row_numbers_of_pandas_read_back(read):
    assert read("Unnamed: 0,a\n0,x\n1,y\n").names == ("a",)
    assert read("Unnamed: 0,a\n0,x\n0,y\n").names == ("Unnamed: 0", "a")


def test_a_stray_cell_among_decimal_commas(read):
    """It is the one reported, and `--na` helps."""
    numbers = "".join(f"{n},5\n" for n in range(30))
    text = f"a;b\n12 kg;x\n{numbers}".replace(",5\n", ",5;y\n")
    dataset = read(text, na=("12 kg",), missing="state", discretize="median")
    assert dataset.variables[0].states == ("<=14.5", ">14.5", "NA")
    few = read("a;b\n12 kg;x\n1,5;y\n")
    assert few.variables[0].states == ("1,5", "12 kg")


def test_decimal_commas(read):
    warnings = []
    dataset = read("a;b;c\n1,5;x;1,2\n2;y;1,2,3\n2,25;?;1\n", missing="state", warn=warnings.append)
    assert [v.states for v in dataset.variables] == [("1.5", "2", "2.25"), ("x", "y", "NA"), ("1", "1,2", "1,2,3")]
    assert "decimal commas taken as points in 1 column: 'a'" in warnings[0]


def test_points_between_thousands(read):
    dataset = read("a;b\n1.073,14;x\n512,3;y\n-1.000.000,5;y\n")
    assert dataset.variables[0].states == ("-1000000.5", "512.3", "1073.14")


def test_commas_beside_points_stay(read):
    assert read("a;b\n1,5;1.5\n2;2.5\n").variables[0].states == ("1,5", "2")


@pytest.mark.parametrize("delimiter", [" ", ",", "\t"])
def test_numbers_of_states(read, delimiter):
    rows = [[3, 2, 4], *([i % 3, i % 2, i % 4] for i in range(12))]
    table = "\n".join(delimiter.join(map(str, row)) for row in (["a", "b", "c"], *rows)) + "\n"
    warnings = []
    dataset = read(table, warn=warnings.append)
    assert dataset.n_rows == 12 and [len(v.states) for v in dataset.variables] == [3, 2, 4]
    assert "holds the numbers of states" in warnings[0]


@pytest.mark.parametrize("layout", ["{} {} {}", "{},{},{}"])
def test_columns_with_numbers_of_states_are_not_continuous(read, layout):
    rows = [(30, 2, 4), *((i % 30, i % 2, i % 4) for i in range(300))]
    table = layout.format("a", "b", "c") + "\n" + "".join(layout.format(*row) + "\n" for row in rows)
    assert [len(v.states) for v in read(table).variables] == [30, 2, 4]
    assert len(read(table, discretize="median").variables[0].states) == 2
    with pytest.raises(UnsuitableData, match="continuous"):
        read(table, max_states=20)
    with pytest.raises(UnsuitableData, match="continuous"):
        read(table.replace("30,2,4\n", "").replace("30 2 4\n", ""))


@pytest.mark.parametrize(
    "first", [(3, 2, 3), (2, 1, 3), (30, 20, 40), ("x", 2, 4)], ids=["a state", "codes", "sizes", "text"]
)
def test_a_row_is_no_line_of_counts(read, first):
    rows = [first, *((i % 3, i % 2, i % 4) for i in range(12))]
    table = "a,b,c\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
    assert read(table).n_rows == 13


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_numbers_of_states_between_blanks(read, delimiter):
    """However few the columns and rows: it can be no row."""
    warnings = []
    dataset = read(f"a{delimiter}b\n3 2\nx{delimiter}0\n1{delimiter}1\n", warn=warnings.append)
    assert dataset.n_rows == 2 and dataset.variables[0].states == ("1", "x")
    assert "holds the numbers of states" in warnings[0]


@pytest.mark.parametrize("line", ["3", "3 2 2", "3 0", "3 -1", "3 x"])
def test_a_short_line_is_no_line_of_counts(read, line):
    with pytest.raises(Malformed, match="1 cell where 2 are expected"):
        read(f"a,b\n{line}\nx,0\n1,1\n")


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("a,b,\n0,x,\n1,y,\n", ("a", "b")),
        ("a,b\n0,x,\n1,y,\n", ("a", "b")),
        ("a\tb\t\n0\tx\t\n1\ty\t\n", ("a", "b")),
        ("a,\n0,\n1,\n", ("a",)),
        (',a,b,\n1,0,x,\n2,1,y,""\n', ("a", "b")),
    ],
)
def test_a_delimiter_at_the_end_of_every_line_begins_no_column(read, content, names):
    warnings = []
    dataset = read(content, warn=warnings.append)
    assert (dataset.names, dataset.n_rows) == (names, 2)
    assert sum("every line ends with a delimiter" in message for message in warnings) == 1


def test_a_delimiter_at_the_end_of_every_line_without_header(read):
    warnings = []
    assert read("0,x,\n1,y,\n", header=False, warn=warnings.append).names == ("V0", "V1")
    assert "ends with a delimiter" in warnings[0]


def test_a_last_column_with_a_name_or_a_cell_is_a_column(read):
    with pytest.raises(Malformed, match="no name for column 3 of 3"):
        read("a,b,\n0,x,\n1,y,2\n")
    with pytest.raises(UnsuitableData, match="no cell is observed in 1 column: 'c'"):
        read("a,b,c\n0,x,\n1,y,\n")
    assert read("0,x,\n1,y,2\n", header=False, missing="state").names == ("V0", "V1", "V2")
    with pytest.raises(Malformed, match="2 cells where 3 are expected"):
        read("a,b,\n0,x\n1,y\n")


@pytest.mark.parametrize("first", ["sep=;", "SEP=;", '"sep=;"', "\ufeffsep=;"])
def test_a_line_of_spreadsheets_that_names_the_delimiter(read, first):
    warnings: list[str] = []
    dataset = read(f"{first}\r\na;b,c\r\n1;x\r\n2;y\r\n", warn=warnings.append)
    assert dataset.names == ("a", "b,c") and dataset.n_rows == 2
    assert len(warnings) == 1 and "names the delimiter; it is no row" in warnings[0]
    with pytest.raises(Malformed) as caught:
        read(f"{first}\na;b\n1;x\n2\n")
    assert caught.value.line == 4


@pytest.mark.parametrize("n_ends", [1, 2, 3])
@pytest.mark.parametrize("is_in_header", [True, False])
def test_delimiters_at_line_ends(read, n_ends, is_in_header):
    warnings: list[str] = []
    ends = "," * n_ends
    text = f"a,b{ends if is_in_header else ''}\n1,x{ends}\n2,y{ends}\n"
    dataset = read(text, warn=warnings.append)
    assert [variable.states for variable in dataset.variables] == [("1", "2"), ("x", "y")]
    assert len(warnings) == 1 and "every line ends with" in warnings[0]
    with pytest.raises((Malformed, UnsuitableData)):
        read(text.replace("2,y" + ends, "2,y" + ends + "z"))


def test_a_cross_table_of_counts_is_refused(read):
    with pytest.raises(UnsuitableData, match=r"cross table of counts, with rows 'male', 'female'\n.*--weights"):
        read(",low,high\nmale,12,30\nfemale,40,8\n")
    assert read(",low,high\nr1,1,0\nr2,1,1\nr3,0,1\nr4,0,0\n").n_rows == 4
    assert read(",low,high\nr1,a,30\nr2,b,31\n").n_rows == 2
    assert read(",low,high\n1,12,30\n2,40,8\n").n_rows == 2
