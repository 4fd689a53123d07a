"""Commands on a table of eight variables that call each kernel which Python can call: every method once for each kind
of task.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from click.testing import CliRunner

COMMANDS = ("parentsets", "optimize", "posterior", "query", "fit", "entropy", "screen")

VARIABLES, ROWS = 8, 200
TABLE, BINARY, PATTERNS, NETWORK, SAMPLED = "table.csv", "binary.csv", "patterns.txt", "network.bif", "rows.csv"
SETS, CONSTRAINED = "sets.jsonl", "constrained.jsonl"
QUIET = ("--quiet", "-o", "/dev/null")
SHORT = ("--seed", "1", "--evaluations", "200", *QUIET)
"""A limit of work, not of time: each run calls the same kernels."""

PATHS = ("--patterns", PATTERNS, "--answers", "answers.csv")
QUESTIONS = (
    ["X0=0"],
    ["X0=0", "--joint", "X1,X2"],
    ["X0=0", "--mpe"],
    ["X0=0", "--samples", "3", "--seed", "1"],
    ["X0=0", "--approximate", "100", "--seed", "1"],
    ["--evidence", SAMPLED, "--predict", "X1"],
    ["--evidence", SAMPLED, "--fill", "drawn", "--seed", "1"],
)

VARIANTS = (
    ["--method", "asobs", CONSTRAINED],
    ["--method", "ils", CONSTRAINED, "--tw", "2"],
    ["--method", "s2plus", CONSTRAINED, "--tw", "2"],
    ["--method", "hc", "--data", TABLE, "--restarts", "3", "--perturb", "9"],
)
"""Further searches, which need further kernels."""

REQUIRED = {"target": "V0"}
"""Values of the options that methods require."""


def run_all() -> None:
    """Run them in this process, in a folder of their own. Raises `AssertionError` if one fails."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        write_inputs(Path())
        for arguments in (*first_runs(), *(run for name in COMMANDS for run in tiny_runs(name))):
            run(arguments)


def run(arguments: list[str]) -> None:
    """Run ``bnsl`` with these arguments."""
    from bnsl_cli.main import cli

    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, (arguments, result.output, result.exception)


def write_inputs(folder: Path) -> None:
    """Write the inputs that no command writes."""
    (folder / TABLE).write_text(table_text(), encoding="utf-8")
    (folder / BINARY).write_text(table_text(2), encoding="utf-8")
    (folder / PATTERNS).write_text("V0 ~> V7\n", encoding="utf-8")


def table_text(most_states: int = 3) -> str:
    """Rows in which each variable depends on the two before; every third one has the most states."""
    lines = [",".join(f"V{i}" for i in range(VARIABLES))]
    for row in range(ROWS):
        cells = [row % 2, row // 2 % 2]
        for i in range(2, VARIABLES):
            noise = row * (2 * i + 1) % 11 < 2
            cells.append((cells[i - 1] + cells[i - 2] + noise) % (most_states if i % 3 == 2 else 2))
        lines.append(",".join(map(str, cells)))
    return "\n".join(lines) + "\n"


def first_runs() -> list[list[str]]:
    """The commands that write the inputs of others: candidate parent sets, a network with parameters, and rows."""
    identify = f"parentsets --max-parents 3 --quiet --seed 1 --evaluations 200 {TABLE}"
    return [
        f"{identify} -o {SETS}".split(),
        f"{identify} --require V0,V1 --forbid *,V2 -o {CONSTRAINED}".split(),
        f"sample --random 8 --rows 9 --network {NETWORK} --seed 1 --quiet -o {SAMPLED}".split(),
    ]


def tiny_runs(command: str) -> Iterator[list[str]]:
    """Arguments of ``bnsl`` for all methods of a command that calls kernels, such as ``optimize``."""
    from stages.parentsets import METHODS as IDENTIFICATIONS
    from stages.scoring.scores import SCORES

    if command == "entropy":
        yield ["entropy", TABLE, "--quiet", "-o", "entropies.arrows"]
    elif command == "screen":
        yield ["screen", "--roots", "0.5", TABLE, "--quiet", "-o", "screen.forest.jsonl"]
    elif command == "parentsets":
        for method in IDENTIFICATIONS:
            yield ["parentsets", "--method", method, TABLE, *SHORT]
        for score in SCORES:
            yield ["parentsets", "--sequential", "--score", score, TABLE, *SHORT]
        yield ["parentsets", "--sequential", BINARY, *SHORT]
        # Sums over cells are then inexact, so sets are scored one by one.
        yield ["parentsets", "--sequential", "--score", "bdeu", "--ess", "1e-12", TABLE, *SHORT]
    elif command == "posterior":
        yield ["posterior", "--exact", SETS, "--quiet", "-o", "exact.arrows"]
        yield ["posterior", "--sampled", SETS, "--samples", "8", "--features", "ancestors", "--seed", "1", *QUIET]
        yield ["posterior", "--sampled", SETS, "--samples", "8", "--seed", "1", *QUIET, *PATHS]
    elif command == "query":
        yield from (["query", NETWORK, *question, *QUIET] for question in QUESTIONS)
    elif command == "fit":
        yield ["fit", NETWORK, SAMPLED, "--missing", "em", "--na", "0", "--seed", "1", *QUIET]
    else:
        yield from _searches()


def _searches() -> Iterator[list[str]]:
    from stages.optimize import INITS, METHODS

    for method, spec in METHODS.items():
        for task in spec.variants:
            given = ["--data", TABLE] if task.on_data else [SETS]
            bound = ["--tw", "2"] if task.bounded else []
            needed = [f"--{name}={value}" for name, value in REQUIRED.items() if name in spec.options]
            yield ["optimize", "--method", method, *given, *bound, *needed, *SHORT]
    yield from (["optimize", "--method", "obs", "--init", init, SETS, *SHORT] for init in INITS)
    yield from (["optimize", *variant, *SHORT] for variant in VARIANTS)


if __name__ == "__main__":
    run_all()
