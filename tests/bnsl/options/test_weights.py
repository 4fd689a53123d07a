"""``--weights``: every command that reads data answers as for the table with all rows written out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from bnsl_cli.main import cli

COUNTS = [(a, b, c, (7 * a + 5 * b * c + 3 * (a == b)) % 11) for a in (0, 1) for b in (0, 1, 2) for c in (0, 1)]
NETWORK = "[a][b|a][c|b]"
COMMANDS = {
    "entropy": "entropy {} --format csv",
    "screen": "screen --roots 0.5 {}",
    "parentsets": "parentsets --sequential {}",
    "optimize": "optimize --hc --seed 1 --evaluations 100 --data {}",
    "evaluate": "evaluate net.txt --no-treewidth --json --data {}",
    "fit": "fit net.txt {} --smoothing 1",
    "discretize": "discretize --discretize c=median {}",
}


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{a},{b},{c},{n}\n" for a, b, c, n in COUNTS)
    Path("counted.csv").write_text("a,b,c,freq\n" + rows)
    Path("all.csv").write_text("a,b,c\n" + "".join(f"{a},{b},{c}\n" * n for a, b, c, n in COUNTS))
    Path("net.txt").write_text(NETWORK)


def run(command: str) -> list:
    """What a command writes, without what headers say of options and time."""
    result = CliRunner().invoke(cli, command.split())
    assert result.exit_code == 0, result.stderr
    found = []
    for line in result.stdout.splitlines():
        fields = json.loads(line) if line.startswith('{"') else line
        found.append(
            {k: v for k, v in fields.items() if k not in ("by", "created")} if isinstance(fields, dict) else fields
        )
    return found


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_answers_are_those_of_all_rows(command: str):
    counted = run(command.format("counted.csv --weights freq"))
    assert counted == run(command.format("all.csv"))
    assert len(counted) >= 1


@pytest.mark.usefixtures("tables")
def test_weights_that_would_have_no_effect_are_refused():
    result = CliRunner().invoke(cli, ["query", "net.txt", "--evidence", "counted.csv", "--weights", "freq"])
    assert result.exit_code == 2 and "--weights needs --data" in result.stderr
    CliRunner().invoke(cli, ["entropy", "all.csv", "-o", "h.arrows"])
    result = CliRunner().invoke(cli, ["screen", "--roots", "0.5", "h.arrows", "--weights", "freq"])
    assert result.exit_code == 2 and "--weights applies to data, and h.arrows holds entropies" in result.stderr
