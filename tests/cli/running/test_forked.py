"""Commands that tests fork from a loaded program end as those that start afresh."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from helpers.places import CASES
from helpers.processes import TIMEOUT, environment

SMALL = CASES / "data" / "small.csv"


def outcome(script: str, folder: Path, forked: bool) -> tuple[int, bytes, bytes]:
    result = subprocess.run(
        ["bash", "-o", "pipefail", "-c", script],
        cwd=folder,
        env=environment(forked, SOURCE_DATE_EPOCH="0"),
        capture_output=True,
        timeout=TIMEOUT,
        check=False,
    )
    return result.returncode, result.stdout, result.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "script",
    [
        "bnsl --version",
        f"bnsl entropy {SMALL} --format csv",
        f"bnsl parentsets {SMALL} --seed 1 --evaluations 20 | tee sets | bnsl optimize --seed 1 --evaluations 20 &&"
        " cat sets",
        f"bnsl optimize --data {SMALL} --seed 1 --evaluations 20",
        f"bnsl entropy - < {SMALL}",
        "bnsl entropy missing.csv",
        "bnsl entropy --no-such-option",
        f"bnsl convert {SMALL} --to csv >&-",
        "cd / && bnsl entropy nothing.csv",
        "BNSL_DEBUG=1 bnsl entropy missing.csv 2>&1 | tail -1",
    ],
)
def test_output_messages_and_exit_codes_agree(script: str, tmp_path: Path):
    assert outcome(script, tmp_path, True) == outcome(script, tmp_path, False)
