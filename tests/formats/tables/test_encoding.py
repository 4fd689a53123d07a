"""From labels to states: order, missing cells, continuous columns, limits, states given by a header."""

from __future__ import annotations

import itertools
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive.states import encode as naive_encode

from bnsl.options.values import COLUMNS
from formats import open_dataset
from formats.data_records import Variable
from formats.errors import Inconsistent, UnsuitableData
from formats.provenance import fingerprint


def states(dataset):
    return [variable.states for variable in dataset.variables]


TWO = ["x", "y"]


class TestStates:
    def test_numbers_by_value_text_as_text(self, read):
        dataset = read(a=["10", "9", "-1", "10"], b=["10", "9", "x", "Y"])
        assert states(dataset) == [("-1", "9", "10"), ("10", "9", "Y", "x")]
        assert dataset.codes.tolist() == [[2, 1, 0, 2], [0, 1, 3, 2]]

    def test_equal_numbers_are_one_state(self, read):
        dataset = read(a=["1", "1.0", "2.5", "2.0", "1"])
        assert states(dataset) == [("1", "2.0", "2.5")]
        assert dataset.codes.tolist() == [[0, 0, 2, 1, 0]]

    @pytest.mark.parametrize("other", ["01", "1.00", "+1", "1e0", "1.", "1E0", "0001"])
    def test_other_spellings_are_labels(self, read, other):
        dataset = read(a=["1", other, "2"])
        assert sorted(states(dataset)[0]) == sorted(["1", other, "2"])
        assert len(set(dataset.codes[0].tolist())) == 3

    def test_numbers_spelled_otherwise_are_pointed_out_and_cut_by_a_rule_that_names_them(self, read):
        warnings: list[str] = []
        codes = [f"{code:05}" for code in range(100, 350, 5)]
        assert len(states(read(a=codes, warn=warnings.append))[0]) == 50
        assert "'a': labels of numbers not spelled as Python spells them, as '00100': each is a state" in warnings[0]
        assert "--discretize a=quantile:4 cuts them as numbers" in warnings[0]
        assert states(read(a=codes, discretize="a=quantile:2")) == [("<=220", ">220")]
        assert states(read(a=codes, discretize="*=median")) == [("<=220", ">220")]
        assert len(states(read(a=codes, discretize="median"))[0]) == 50
        many = [f"{code:05}" for code in range(400)]
        with pytest.raises(UnsuitableData, match=r"'a' \(400, labels of numbers not spelled .*, as '00000'\)"):
            read(a=many)

    def test_many_numbers_of_fixed_decimals_are_continuous(self, read):
        prices = [f"{cents / 100:.2f}" for cents in range(100, 350, 5)]
        for rules in ({}, {"discretize": "median"}):
            with pytest.raises(
                UnsuitableData, match=r"continuous column .*: 'a' \(50\)\n  use --discretize '\*=median'"
            ):
                read(a=prices, **rules)
        assert states(read(a=prices, discretize="*=median")) == [("<=2.2", ">2.2")]
        assert len(states(read(a=prices, categories="a"))[0]) == 50
        assert states(read(a=["1.10", "1.1", "2.00"])) == [("1.1", "1.10", "2.00")]

    def test_long_whole_numbers_stay_apart(self, read):
        dataset = read(a=["9007199254740993", "9007199254740992"])
        assert states(dataset) == [("9007199254740992", "9007199254740993")]

    def test_what_is_no_number(self, read):
        for label in ("inf", "0x1", "1_0", "1e", "e1", "..", "1e999", "--1", "٣"):
            assert states(read(a=["5", "10", label]))[0] == tuple(sorted(["5", "10", label])), label

    def test_numbers_of_absurd_exponents(self, read):
        assert states(read(a=["1e-99999999999999999999", "3"]))[0] == ("1e-99999999999999999999", "3")

    def test_intervals_by_their_ends(self, read):
        assert states(read(a=[">10", "2..10", "<=2"])) == [("<=2", "2..10", ">10")]

    def test_a_constant_column_is_reported(self, read):
        warnings = []
        assert states(read(a=["x", "x"], b=TWO, warn=warnings.append)) == [("x",), ("x", "y")]
        assert len(warnings) == 1
        assert "1 constant column (one state): 'a'; --drop 'a' leaves out what is constant" in warnings[0]

    def test_fingerprint_is_of_the_content(self, read):
        dataset = read(a=["1.0", "0"], b=TWO)
        assert dataset.fingerprint == fingerprint(dataset.variables, dataset.codes)
        assert dataset.fingerprint == read(a=[" 1.0", "0 "], b=TWO).fingerprint
        assert dataset.fingerprint != read(a=["1", "0"], b=TWO).fingerprint

    def test_256_states(self, read):
        dataset = read(a=[f"s{i:03}" for i in range(256)])
        assert dataset.codes.tolist() == [list(range(256))]


class TestMissing:
    def test_error_names_columns_and_counts(self, read):
        with pytest.raises(UnsuitableData) as caught:
            read(a=["", "1", "?"], b=["x", "NA", "y"], c=["p", "q", "p"])
        text = str(caught.value)
        assert "missing cells in 2 columns: 'a' (2), 'b' (1)" in text
        assert "--missing drop to leave out 3 of 3 rows" in text and "--missing state" in text
        assert ", or --not-na '?' and --not-na 'NA' if these texts are labels; or leave them out" in text
        assert read(a=["", "1", "1"], b=["x", "NA", "y"], not_na=("NA",), missing="drop").n_rows == 2

    def test_the_remedy_names_the_text_that_may_be_a_label(self, read):
        for options, ending in (
            ({"b": ["x", "NA", "y"]}, ", or --not-na 'NA' if this text is a label"),
            ({"b": ["x", "", "y"]}, " a state 'NA'"),  # nothing was written
            ({"b": ["x", "none", "y"], "na": ("none",)}, " a state 'NA'"),  # as asked
        ):
            with pytest.raises(UnsuitableData) as caught:
                read(**options)
            assert str(caught.value).endswith(ending)

    def test_all_spellings(self, read):
        for label in ("NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "?", " ? "):
            with pytest.raises(UnsuitableData, match="'a' \\(1\\)"):
                read(a=["x", label], b=TWO)
        for label in ("None", "none", ".", "-"):  # a state among words, missing among numbers
            assert states(read(a=["x", label]))[0] == (label, "x")
            assert states(read(a=["1", "2", label], missing="state"))[0] == ("1", "2", "NA")
            assert states(read(a=["1", "x", label], missing="state"))[0] == tuple(sorted(["1", "x", label]))
        for label in ("na", "Nan", "missing"):
            assert read(a=["1", label]).n_rows == 2

    def test_further_spellings(self, read):
        assert states(read(a=["1", "2", "k. A."], missing="state", na=("k. A.",))) == [("1", "2", "NA")]
        assert states(read(a=["1", "-9.0", "-9"], missing="state", na=("-9",))) == [("1", "NA")]
        assert states(read(a=["x", "-"], missing="state", na=("-",))) == [("x", "NA")]

    def test_drop(self, read):
        warnings = []
        dataset = read(a=["1", "?", "2", "1"], b=["x", "z", "", "y"], missing="drop", warn=warnings.append)
        assert states(dataset) == [("1",), ("x", "y")]  # only what occurs in the rows kept
        assert dataset.codes.tolist() == [[0, 0], [0, 1]]
        assert "2 of 4 rows left out: missing cells" in warnings[0]

    def test_drop_decides_what_is_numeric(self, read):
        dataset = read(a=["9", "x", "10"], b=["p", "?", "q"], missing="drop")
        assert states(dataset)[0] == ("9", "10")

    def test_nothing_left(self, read):
        with pytest.raises(UnsuitableData, match="none of 2 rows is left"):
            read(a=["1", "?"], b=["?", "1"], missing="drop")

    def test_state_is_last(self, read):
        dataset = read(a=["?", "10", "9", ""], b=["a", "~", "NA", "a"], missing="state")
        assert states(dataset) == [("9", "10", "NA"), ("a", "~", "NA")]
        assert dataset.codes.tolist() == [[2, 1, 0, 2], [0, 1, 2, 0]]

    def test_only_missing(self, read):
        assert states(read(a=["?", "NA"], b=TWO, missing="state")) == [("NA",), ("x", "y")]

    def test_257th_state(self, read):
        cells = [f"s{i}" for i in range(256)] + ["?"]
        with pytest.raises(UnsuitableData, match=r"too many states in 1 column: 'a' \(257\)"):
            read(a=cells, missing="state")


class TestColumns:
    NUMBERS = tuple(range(40))

    def test_rules_by_column(self, read):
        columns = {"a": list(self.NUMBERS), "b": list(self.NUMBERS), "c": list(self.NUMBERS), "d": list(self.NUMBERS)}
        rules = ("median", "b=quantile:4", "c=cuts:9,19.5")
        dataset = read(**columns, discretize=rules, categories=("d",))
        assert [len(s) for s in states(dataset)] == [2, 4, 3, 40]
        assert states(dataset)[2] == ("<=9", "9..19.5", ">19.5")

    def test_cuts_apply_to_few_numbers_and_empty_intervals_join(self, read):
        dataset = read(a=["0", "1", "2"], discretize="a=cuts:0.5,7,9")
        assert states(dataset) == [("<=0.5", ">0.5")]
        assert states(read(a=["8", "9"], discretize="a=cuts:0.5,7,9")) == [("7..9",)]

    def test_columns_and_drop(self, read):
        columns = {"x1": TWO, "x2": TWO, "id": TWO, "age": TWO}
        assert read(**columns, drop=("id",)).names == ("x1", "x2", "age")
        assert read(**columns, columns=("x*", "age")).names == ("x1", "x2", "age")
        assert read(**columns, columns=("x2..age",), drop=("id",)).names == ("x2", "age")
        with pytest.raises(UnsuitableData, match=r"no column 'agf', which --drop names\n  similar: 'age'"):
            read(**columns, drop=("agf",))
        with pytest.raises(UnsuitableData, match="leave no column"):
            read(**columns, drop=("*",))
        with pytest.raises(UnsuitableData, match="no column 'y', which --discretize names"):
            read(**columns, discretize="y=median")

    def test_what_is_dropped_needs_no_states(self, read):
        assert read(a=list(self.NUMBERS), b=["?", "1"] * 20, c=TWO * 20, drop=("a", "b")).names == ("c",)


class TestSuspicions:
    def test_identifiers_and_stray_words_are_reported_together(self, read):
        warnings = []
        read(
            id=[f"p{i}" for i in range(50)],
            kg=[f"{i % 12}" for i in range(49)] + ["12 kg"],
            fine=["0", "1", "2", "3", "3+"] * 10,
            warn=warnings.append,
        )
        assert len(warnings) == 1 and "some columns may not be what you mean" in warnings[0]
        assert "'id': 50 states in 50 rows, as an identifier has; --drop 'id'" in warnings[0]
        assert "'kg': text, for 1 of 13 values is no number: '12 kg'" in warnings[0] and "--na '12 kg'" in warnings[0]

    def test_dashes_among_words_may_be_missing_cells(self, read):
        warnings = []
        columns = {"a": ["x", "-", "y"], "b": ["p", ".", "q"], "sign": ["+", "-", "-"], "n": ["1", "-", "2"]}
        read(**columns, missing="state", warn=warnings.append)
        assert "'a': '-' may mark missing cells; if it does, give --na - and --missing drop" in warnings[0]
        assert "'b': '.' may" in warnings[0] and "sign" not in warnings[0] and "'n'" not in warnings[0]
        warnings.clear()
        read(**columns, missing="state", na=("-", "."), warn=warnings.append)
        assert warnings == []

    def test_a_mark_is_pointed_out_once_for_all_columns(self, read):
        warnings = []
        columns = {name: ["0", "1", "*"] for name in "abcdefg"}
        read(**columns, word=["N.A.", "x", "y"], warn=warnings.append)
        assert len(warnings) == 1 and warnings[0].count("'*' may mark missing cells") == 1
        assert "\n  'a', 'b', 'c', 'd', 'e' and 2 more: '*' may" in warnings[0] and "--na '*'" in warnings[0]
        assert "'word': 'N.A.' may mark" in warnings[0]
        warnings.clear()
        dataset = read(**columns, na=("*",), missing="drop", warn=warnings.append)
        assert dataset.n_rows == 2 and "may not be" not in "".join(warnings)

    @pytest.mark.parametrize(
        ("cells", "marks"),
        [
            (["1", "2", "5", "99"], ["99"]),
            (["1", "2", "5", "-9"], ["-9"]),
            (["0", "1", "97", "98", "99"], ["97", "98", "99"]),
            (["0.5", "1.5", "-999"], ["-999"]),
            (["0.5", "60", "99"], []),
            (["-9", "-5", "3", "4"], []),
            (["1", "2", "7", "8", "9"], []),
            (["1", "99"], []),
            (["97", "98", "1", "2"], []),
        ],
    )
    def test_numbers_that_may_be_codes_of_missing_cells(self, read, cells, marks):
        warnings = []
        read(a=cells, warn=warnings.append)
        assert [mark for mark in cells if f"'{mark}' may mark" in "".join(warnings)] == marks
        assert all(f"--na {mark} " in warnings[0] for mark in marks)

    def test_labels_that_differ_only_in_case(self, read):
        warnings = []
        genes = {"allele": ["A", "a", "B", "b"], "gene": ["AA", "Aa", "aa", "AA"], "ion": ["Na", "K", "Na", "Ca"]}
        read(answer=["Yes", "yes", "YES", "no"], **genes, warn=warnings.append)
        assert warnings[0].count("\n") == 1
        assert "'answer': 'YES', 'Yes', 'yes' differ only in case; write them alike" in warnings[0]

    def test_dates_that_are_few_enough_are_reported(self, read):
        warnings = []
        read(a=[f"2024-03-{i % 28 + 1:02d}" for i in range(300)], warn=warnings.append)
        assert "'a': dates or times, as '2024-03-01'; replace dates by periods" in warnings[0]

    def test_states_that_repeat_are_nothing_odd(self, read):
        warnings = []
        read(a=[f"s{i % 30}" for i in range(300)], b=["0", "1", "?"] * 100, missing="drop", warn=warnings.append)
        assert all("may not be" not in message for message in warnings)

    def test_missing_and_continuous_columns_are_refused_together(self, read):
        with pytest.raises(UnsuitableData) as caught:
            read(a=list(range(30)), b=["x", "?"] * 15)
        text = str(caught.value)
        assert "missing cells in 1 column: 'b' (15); 1 continuous column" in text and "--discretize" in text


class TestLimits:
    def test_continuous(self, read):
        with pytest.raises(UnsuitableData) as caught:
            read(a=[i / 7 for i in range(21)], b=list(range(21)), c=TWO * 10 + ["x"])
        text = str(caught.value)
        assert "2 continuous columns (distinct numbers): 'a' (21), 'b' (21)" in text
        for way_out in ("--discretize median|quantile:K|width:K", "bnsl discretize", "--max-states N"):
            assert way_out in text
        assert len(text.splitlines()) == 2

    def test_20_numbers_are_states(self, read):
        assert len(states(read(a=list(range(20))))[0]) == 20
        assert len(states(read(a=[f"{i % 20}{'.0' * (i // 20)}" for i in range(40)]))[0]) == 20

    def test_too_many_labels(self, read):
        with pytest.raises(UnsuitableData, match=r"'a' \(257\)\n.*the limit is 256 states"):
            read(a=[f"s{i}" for i in range(257)])
        with pytest.raises(UnsuitableData, match=r"'a' \(5001, some not numbers, as 'k/a'\)"):
            read(a=[*range(5000), "k/a"])

    def test_many_columns_are_counted(self, read):
        columns = {f"c{i}": list(range(30)) for i in range(8)}
        with pytest.raises(UnsuitableData, match=r"8 continuous columns .*'c4' \(30\) and 3 more"):
            read(**columns)

    def test_all_offending_columns_are_left_out_by_the_printed_option(self, read):
        columns = {"x,1": range(30), "my name": [f"s{i}" for i in range(300)], "hole": ["?", *TWO], "fine": TWO}
        table = {f'"{name}"': list(itertools.islice(itertools.cycle(c), 300)) for name, c in columns.items()}
        with pytest.raises(UnsuitableData) as caught:
            read(**table)
        _, printed = str(caught.value).rsplit("; or leave them out: --drop ", 1)
        (typed,) = shlex.split(printed)
        names = COLUMNS.take(typed)
        assert names == ("x,1", "my name", "hole")
        assert read(**table, drop=names).names == ("fine",)

    def test_nothing_is_to_be_left_out_where_nothing_would_remain(self, read):
        with pytest.raises(UnsuitableData) as caught:
            read(a=list(range(30)))
        assert "--drop" not in str(caught.value)

    @pytest.mark.parametrize(
        ("cells", "finding"),
        [
            ([f"2024-01-05T{i:06d}" for i in range(300)], "dates or times, as '2024-01-05T000000'"),
            ([f"{i % 28}.{i % 12}.{1000 + i}" for i in range(300)], "dates or times, as '0.0.1000'"),
            ([f"{i // 60}:{i % 60:02d}" for i in range(300)], "dates or times, as '0:00'"),
            ([f'"1.{i:03d},14"' for i in range(300)], "numbers with commas, as '1.000,14'"),
            ([f"{i}-{i}" for i in range(300)], "'a' (300)"),
        ],
    )
    def test_kinds_of_labels_are_named(self, read, cells, finding):
        with pytest.raises(UnsuitableData) as caught:
            read(a=cells, b=TWO * 150)
        message, remedy = str(caught.value).splitlines()
        assert message.endswith(f"'a' (300, {finding})" if "as" in finding else finding)
        assert remedy.endswith("or leave it out: --drop 'a'")

    def test_max_states_replaces_both(self, read):
        assert len(states(read(a=list(range(256)), max_states=256))[0]) == 256
        with pytest.raises(UnsuitableData, match="continuous"):
            read(a=list(range(5)), max_states=4)
        with pytest.raises(UnsuitableData, match="--max-states is 4"):
            read(a=list("vwxyz"), max_states=4)

    @pytest.mark.parametrize(
        "options",
        [
            {"missing": "ignore"},
            {"unseen": "state"},
            {"max_states": 0},
            {"max_states": 257},
            {"discretize": "x"},
            {"discretize": "a=cuts:2,1"},
            {"discretize": "a=cuts:"},
            {"discretize": "=median"},
        ],
    )
    def test_impossible_options(self, read, options):
        with pytest.raises(ValueError):
            read(a=TWO, **options)


raw_labels = st.sampled_from(
    ["0", "1", "1.0", "-3", "2e1", "20", " 7", "x", "X ", "NA", "?", "", "nan", "inf", "<=2", "é", "0.10", ".1"]
)


class TestAgainstThePlainRules:
    @given(st.lists(st.tuples(raw_labels, raw_labels), min_size=1, max_size=25))
    def test_states_and_codes(self, tmp_path_factory, rows):
        path = tmp_path_factory.getbasetemp() / "plain.csv"
        path.write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in rows))
        dataset = open_dataset(str(path), delimiter=",", missing="state")
        for variable, codes, column in zip(dataset.variables, dataset.codes.tolist(), zip(*rows)):
            expected_states, expected_codes = naive_encode(list(column))
            assert list(variable.states) == expected_states
            assert codes == expected_codes

    @given(st.lists(st.tuples(raw_labels, raw_labels), min_size=1, max_size=25))
    def test_coding_by_the_own_header_changes_nothing(self, tmp_path_factory, rows):
        path = tmp_path_factory.getbasetemp() / "own.csv"
        path.write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in rows))
        dataset = open_dataset(str(path), delimiter=",", missing="state")
        again = open_dataset(str(path), delimiter=",", variables=dataset.variables)
        assert again.fingerprint == dataset.fingerprint


def test_numbered_variables_get_a_hint_about_names(read):
    known = (Variable("X0", ("0", "1")), Variable("X1", ("0", "1")))
    with pytest.raises(Inconsistent, match=r"no columns 'X0', 'X1'.*\n.*bnsl convert FILE --names \S*d\.csv"):
        read(a=["0", "1"], b=["0", "1"], variables=known)
