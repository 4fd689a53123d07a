"""Commands on a table of eight variables, one for each method and task, that compile nearly every kernel."""

from __future__ import annotations

from collections.abc import Iterator

VARIABLES, ROWS = 8, 200
TABLE, SETS, NETWORK, SAMPLED = "table.csv", "sets.jsonl", "network.bif", "rows.csv"
SHORT = ("--seed", "1", "--time", "100ms", "--quiet", "-o", "/dev/null")
"""Kernels are compiled before the clock starts."""
QUIET = ("--quiet", "-o", "/dev/null")

QUESTIONS = (
    ["X0=0"],
    ["X0=0", "--joint", "X1,X2"],
    ["X0=0", "--mpe"],
    ["X0=0", "--samples", "3", "--seed", "1"],
    ["--evidence", SAMPLED, "--predict", "X1"],
    ["--evidence", SAMPLED, "--fill", "drawn", "--seed", "1"],
)


def table_text() -> str:
    """Rows in which each variable depends on the two before; every third one has three states."""
    lines = [",".join(f"V{i}" for i in range(VARIABLES))]
    for row in range(ROWS):
        cells = [row % 2, row // 2 % 2]
        for i in range(2, VARIABLES):
            noise = row * (2 * i + 1) % 11 < 2
            cells.append((cells[i - 1] + cells[i - 2] + noise) % (2 + (i % 3 == 2)))
        lines.append(",".join(map(str, cells)))
    return "\n".join(lines) + "\n"


def first_runs() -> list[list[str]]:
    """The commands that write the inputs of others: candidate parent sets, a network with parameters, and rows."""
    return [
        f"parentsets --max-parents 3 --quiet --time 100ms {TABLE} -o {SETS}".split(),
        f"sample --random 8 --rows 9 --network {NETWORK} --seed 1 --quiet -o {SAMPLED}".split(),
    ]


def tiny_runs(command: str) -> Iterator[list[str]]:
    """Arguments of `bnsl` for all methods of a command that compiles kernels, such as ``optimize``."""
    from stages.optimize import METHODS as SEARCHES
    from stages.parentsets import METHODS as IDENTIFICATIONS

    if command == "entropy":
        yield ["entropy", TABLE, "--quiet", "-o", "entropies.jsonl"]
    elif command == "screen":
        yield ["screen", "--roots", "0.5", TABLE, "--quiet", "-o", "screen.jsonl"]
    elif command == "parentsets":
        for method in IDENTIFICATIONS:
            yield ["parentsets", "--method", method, TABLE, *SHORT]
    elif command == "posterior":
        yield ["posterior", "--exact", SETS, "--quiet", "-o", "exact.arrows"]
        yield ["posterior", "--sampled", SETS, "--samples", "8", "--features", "ancestors", *SHORT]
    elif command == "query":
        yield from (["query", NETWORK, *question, *QUIET] for question in QUESTIONS)
    elif command == "fit":
        yield ["fit", NETWORK, SAMPLED, "--missing", "em", "--na", "0", "--seed", "1", *QUIET]
    else:
        for method, spec in SEARCHES.items():
            for task in spec.variants:
                given = ["--data", TABLE] if task.on_data else [SETS]
                bound = ["--tw", "2"] if task.bounded else []
                yield ["optimize", "--method", method, *given, *bound, *SHORT]
