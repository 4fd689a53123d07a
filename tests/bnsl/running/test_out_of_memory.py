"""Exhausted memory is a failed run, not a bug, whatever exception says so."""

from __future__ import annotations

import errno
import resource
import sys

import pytest
from helpers.processes import ROOT, run_shell

import bnsl
from bnsl.running.exit_codes import ExitCode
from bnsl_cli.main import describe_failure
from formats.tables.tabular import check_address_space

ALWAYS = [
    MemoryError(),
    OSError(errno.ENOMEM, "Cannot allocate memory"),
    ImportError("libarrow.so: failed to map segment from shared object"),
]
UNDER_A_LIMIT = [
    RuntimeError("can't start new thread"),
    OSError("Could not find/load shared object file 'libllvmlite.so'"),
    Exception("Unknown error: Failed to launch worker thread: Resource temporarily unavailable"),
]


def limit_addresses(monkeypatch: pytest.MonkeyPatch, limit: int | None):
    found = resource.RLIM_INFINITY if limit is None else limit
    monkeypatch.setattr(resource, "getrlimit", lambda _: (found, found))


@pytest.mark.parametrize("limit", [None, 300 << 20])
@pytest.mark.parametrize("error", [*ALWAYS, *UNDER_A_LIMIT], ids=repr)
def test_what_exhausted_memory_looks_like(error: Exception, limit: int | None, monkeypatch):
    limit_addresses(monkeypatch, limit)
    code, message = describe_failure(error)
    if limit is None:
        assert (code == ExitCode.FAILURE and message == "out of memory") == (error in ALWAYS)
    else:
        assert code == ExitCode.FAILURE
        assert message.startswith("out of memory: the limit on address space is 300 MiB (ulimit -v)\n  Raise it")


def test_wide_text_is_refused_before_it_is_parsed(monkeypatch):
    limit_addresses(monkeypatch, 4 << 30)
    check_address_space(9_999)
    check_address_space(200_000)
    with pytest.raises(MemoryError) as raised:
        check_address_space(300_000)
    code, message = describe_failure(raised.value)
    assert code == ExitCode.FAILURE
    assert message == (
        "out of memory: the limit on address space is 4,096 MiB (ulimit -v)\n"
        "  Reading 300,000 columns needs about 5,208 MiB: ulimit -v 5333600."
    )
    limit_addresses(monkeypatch, None)
    check_address_space(10**9)


@pytest.mark.parametrize(
    ("error", "limit", "said"),
    [
        (OSError(errno.ENOMEM, "no memory"), None, "the gains of all pairs of"),
        (OSError(errno.ENOMEM, "no memory"), 1 << 30, "the limit on address space is 1,024 MiB"),
        (OSError("Could not find/load shared object file"), 1 << 30, "the limit on address space is 1,024 MiB"),
    ],
)
def test_a_limit_on_address_space_is_not_taken_for_wide_data(
    monkeypatch, error: OSError, limit: int | None, said: str
):
    limit_addresses(monkeypatch, limit)

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("stages.optimize.climbing.climber.new_climb_state", fail)
    with pytest.raises(bnsl.BnslError, match=said):
        bnsl.optimize(data={"a": [0, 1, 1], "b": [1, 0, 1], "c": [0, 0, 1]}, method="hc", quiet=True)


def test_the_cause_counts(monkeypatch):
    try:
        try:
            raise MemoryError
        except MemoryError as cause:
            raise RuntimeError("compiling failed") from cause
    except RuntimeError as error:
        assert describe_failure(error) == (ExitCode.FAILURE, "out of memory")
    assert describe_failure(RuntimeError("else"))[0] == ExitCode.BUG


@pytest.mark.slow
def test_a_limit_on_addresses(tmp_path):
    table = ROOT / "tests" / "cases" / "data" / "small.csv"
    result = run_shell(f"ulimit -v 150000; {sys.executable} -m bnsl_cli parentsets {table}", tmp_path)
    assert result.returncode == 1
    assert b"out of memory: the limit on address space is 146 MiB (ulimit -v)" in result.stderr
