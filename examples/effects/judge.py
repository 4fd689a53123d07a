"""Estimated effects against true ones: mean squared errors, and how many intervals hold the truth.

judge.py errors NETWORK ROWS SEED...      rows drawn from a network with parameters; four sources of structures
judge.py coverage VARIABLES ROWS SEED...  networks and parameters drawn from the prior, then rows; the posterior

One CSV line for each seed and method: errors are means over all ordered pairs and states of P(effect | do(cause)),
`zero` counts the pairs without an effect alone, `covered` are 90 % intervals that hold the truth.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import bnsl

ESS = 4.0
"""Equivalent sample size of the prior of drawn networks and of its estimates."""

REPLICATES = 20
"""Of the bootstrap."""

Key = tuple[str, str, str, str]


def true_effects(network: bnsl.Network) -> dict[Key, float]:
    """P(effect state | do(cause state)) by truncated factorisation in the network."""
    found = {}
    for cause, states in network.states.items():
        for state in states or ():
            for row in network.do({cause: state}).query(quiet=True).to_pylist():
                if row["variable"] != cause:
                    found[cause, state, row["variable"], row["state"]] = row["probability"]
    return found


def line(name: str, rows: int, seed: int, method: str, table: bnsl.Table, truth: dict[Key, float]) -> str:
    """The figures of one table of effects."""
    found = {(r["cause"], r["cause_state"], r["effect"], r["effect_state"]): r for r in table.to_pylist()}
    keys = list(truth)
    true = np.array([truth[key] for key in keys])
    value, lower, upper = (np.array([found[key][c] for key in keys]) for c in ("probability", "lower", "upper"))
    by_pair: dict[tuple[str, str, str], list[float]] = {}
    for (cause, _, effect, state), probability in truth.items():
        by_pair.setdefault((cause, effect, state), []).append(probability)
    is_zero = np.array([np.ptp(by_pair[cause, effect, state]) < 1e-9 for cause, _, effect, state in keys])
    squares = (value - true) ** 2
    covered = (lower <= true) & (true <= upper)
    zero = squares[is_zero].mean() if is_zero.any() else float("nan")
    figures = squares.mean(), zero, covered.mean(), (upper - lower).mean()
    return ",".join([name, str(rows), str(seed), method, *(f"{figure:.6g}" for figure in figures)])


def errors(path: str, rows: int, seeds: list[int]) -> Iterator[str]:
    """The posterior, the single best network, its essential graph, the bootstrap."""
    truth, name = true_effects(bnsl.read(path)), Path(path).name.partition(".")[0]
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            data = bnsl.sample(path, rows=rows, seed=seed, quiet=True)
            given = {"data": data, "seed": 1, "quiet": True}
            search = {"score": "bdeu", "states": path, "quiet": True}
            sets = bnsl.parentsets(data, method="sequential", max_parents=3, keep_mass=1e-4, **search)
            best = bnsl.optimize(sets, seed=1, quiet=True)
            yield line(name, rows, seed, "posterior", bnsl.effects(sets, **given), truth)
            yield line(name, rows, seed, "single", bnsl.effects(best, **given), truth)
            graph = f"{folder}/{seed}.dot"
            Path(graph).write_text(bnsl.convert(best, to="dot", cpdag=True, quiet=True))
            yield line(name, rows, seed, "ida", bnsl.effects(graph, states=path, **given), truth)
            replicates = bnsl.optimize(data=data, method="hc", max_parents=3, bootstrap=REPLICATES, seed=1, **search)
            yield line(name, rows, seed, "bootstrap", bnsl.effects(replicates, **given), truth)


def drawn_network(n: int, rng: np.random.Generator) -> str:
    """A network from the prior in BIF: uniform over networks, parameters as BDeu supposes; states are 2 or 3."""
    while True:  # draws matrices of arcs until one has no cycle
        matrix = np.triu(np.ones((n, n)), 1) > 0
        arcs = np.zeros((n, n), dtype=bool)
        kind = rng.integers(0, 3, (n, n))
        arcs[matrix & (kind == 1)] = True
        arcs |= (matrix & (kind == 2)).T
        if not np.linalg.matrix_power(arcs.astype(int), n).any():
            break
    states = rng.integers(2, 4, n)
    text = ["network drawn {\n}\n"]
    for v in range(n):
        labels = ", ".join(map(str, range(states[v])))
        text.append(f"variable V{v} {{\n  type discrete [ {states[v]} ] {{ {labels} }};\n}}\n")
    for v in range(n):
        parents = np.flatnonzero(arcs[:, v])
        shape = tuple(states[parents])
        cells = ESS / (states[v] * int(np.prod(shape)))
        given = f" | {', '.join(f'V{p}' for p in parents)}" if len(parents) else ""
        text.append(f"probability ( V{v}{given} ) {{\n")
        for place in np.ndindex(*shape):
            numbers = ", ".join(f"{p:.12f}" for p in rng.dirichlet(np.full(states[v], cells)))
            beside = f"({', '.join(map(str, place))})" if place else "table"
            text.append(f"  {beside} {numbers};\n")
        text.append("}\n")
    return "".join(text)


def coverage(n: int, rows: int, seeds: list[int]) -> Iterator[str]:
    """The posterior on rows of networks from the prior."""
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            path = f"{folder}/{seed}.bif"
            Path(path).write_text(drawn_network(n, np.random.default_rng([seed, n])))
            data = bnsl.sample(path, rows=rows, seed=seed, quiet=True)
            sets = bnsl.parentsets(
                data, method="sequential", score="bdeu", ess=ESS, keep_mass=0, states=path, quiet=True
            )
            found = bnsl.effects(sets, data=data, seed=seed, quiet=True)
            yield line(f"drawn{n}", rows, seed, "posterior", found, true_effects(bnsl.read(path)))


def main() -> None:
    what, source, rows, *seeds = sys.argv[1:]
    print("network,rows,seed,method,error,zero,covered,width")
    numbers = [int(seed) for seed in seeds]
    found = errors(source, int(rows), numbers) if what == "errors" else coverage(int(source), int(rows), numbers)
    for text in found:
        print(text, flush=True)


if __name__ == "__main__":
    main()
