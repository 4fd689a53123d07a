"""Searching a table whose stream ended early."""

from __future__ import annotations

from formats.data_records import Variable
from formats.records import Header, ParentSetRecord, ParentSetTable
from stages.lists.fill_missing import fill_missing
from stages.optimize import OptimizeOptions
from stages.optimize.driver import run
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter

HEADER = Header(tuple(map(Variable, "abc")), score="bic", rows=10)
RECORDS = [
    ParentSetRecord.of(0, ((2,), ()), (-3.0, -5.0)),
    ParentSetRecord.of(1, (), ()),
    ParentSetRecord.of(2, ((1,), ()), (-2.0, -4.0)),
]


def test_a_whole_table_is_returned_as_it_is():
    whole = ParentSetTable.from_records(HEADER, [RECORDS[0], ParentSetRecord.of(1, ((),), (-1.0,)), RECORDS[2]])
    assert fill_missing(whole) == (whole, [])


def test_a_missing_variable_becomes_a_root_outside_of_the_total():
    table, missing = fill_missing(ParentSetTable.from_records(HEADER, RECORDS))
    assert missing == [1]
    network, _ = run(table, OptimizeOptions("obs", restarts=5), Budget(), NullReporter())
    assert network.parents == ((2,), (), (1,))
    assert network.header.extra["total"] == -5.0
    assert network.header.extra["unscored"] == [1]
