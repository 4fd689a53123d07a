"""Which exception of the package stands for what ended a function."""

from __future__ import annotations

import errno

import pytest

import bnsl
from bnsl.running.errors import described
from bnsl.running.exit_codes import ExitCode
from formats.errors import Malformed
from stages.runtime.errors import StageError


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (bnsl.UsageError("no"), bnsl.UsageError, "no"),
        (Malformed("expected a network", source="n"), bnsl.DataError, "n: expected a network"),
        (StageError("nothing found"), bnsl.RunError, "nothing found"),
        (MemoryError(), bnsl.RunError, "out of memory"),
        (
            OSError(errno.ENOENT, "No such file", "no/f"),
            bnsl.RunError,
            "cannot write no/f: there is no folder no; make it first",
        ),
        (
            ZeroDivisionError("deep"),
            bnsl.BugError,
            f"this is a bug of bnsl {bnsl.__version__}: ZeroDivisionError: deep",
        ),
    ],
)
def test_exceptions_are_described(error: Exception, kind: type[bnsl.BnslError], said: str):
    found = described(error)
    assert type(found) is kind and str(found) == said


def test_each_exception_has_its_exit_code():
    codes = [kind.code for kind in (bnsl.UsageError, bnsl.DataError, bnsl.RunError, bnsl.BugError)]
    assert codes == [ExitCode.USAGE, ExitCode.BAD_DATA, ExitCode.FAILURE, ExitCode.BUG] == [2, 65, 1, 70]


def test_a_full_disk_comes_with_advice():
    assert "free some space and run again" in str(described(OSError(errno.ENOSPC, "No space left", "f")))
