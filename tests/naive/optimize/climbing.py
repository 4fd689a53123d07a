"""Hill climbing from its definition: every step looks at every neighbour of the graph. Nothing is cached.

`score` is any function of (child, tuple of parents). Gains are rounded to the grid on which ties are decided;
of equal gains an addition goes before a removal before a reversal, then the child with the lower rank, then the
lower parent.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

Score = Callable[[int, tuple[int, ...]], float]

KINDS = ("add", "remove", "reverse")
GRID = 2.0**-20


def is_acyclic(parents: Sequence[set[int]]) -> bool:
    """Take away variables without parents among the rest until none is left."""
    left = set(range(len(parents)))
    while left:
        free = {v for v in left if not left & parents[v]}
        if not free:
            return False
        left -= free
    return True


def apply_move(parents: Sequence[set[int]], kind: str, child: int, parent: int) -> list[set[int]]:
    """The neighbour that a move leads to; for a reversal, parent -> child becomes child -> parent."""
    changed = [set(p) for p in parents]
    if kind == "add":
        changed[child].add(parent)
    else:
        changed[child].remove(parent)
    if kind == "reverse":
        changed[parent].add(child)
    return changed


def neighbours(
    parents: Sequence[set[int]],
    max_parents: int | None = None,
    required: set[tuple[int, int]] = frozenset(),
    forbidden: set[tuple[int, int]] = frozenset(),
) -> list[tuple[str, int, int]]:
    """All moves to acyclic graphs that respect the constraints; arcs are (parent, child)."""
    moves = []
    for child, parent in itertools.permutations(range(len(parents)), 2):
        if parent in parents[child]:
            if (parent, child) in required:
                continue
            moves.append(("remove", child, parent))
            arcs = [(child, parent)]
            kind = "reverse"
        else:
            kind = "add"
            arcs = [(parent, child)]
        changed = apply_move(parents, kind, child, parent)
        fits = max_parents is None or all(len(changed[head]) <= max_parents for _, head in arcs)
        if fits and not forbidden & set(arcs) and is_acyclic(changed):
            moves.append((kind, child, parent))
    return moves


def gains_of(
    score: Score, parents: Sequence[set[int]], move: tuple[str, int, int], grid: float = GRID
) -> tuple[float, float]:
    """(what the loss of an arc brings, what the new arc brings), multiples of `grid`; 0 where the move has no
    such part.
    """
    kind, child, parent = move

    def family(v: int, p: set[int]) -> float:
        return score(v, tuple(sorted(p)))

    lost = new = 0.0
    if kind == "add":
        new = family(child, parents[child] | {parent}) - family(child, parents[child])
    else:
        lost = family(child, parents[child] - {parent}) - family(child, parents[child])
    if kind == "reverse":
        new = family(parent, parents[parent] | {child}) - family(parent, parents[parent])
    return round(lost / grid) * grid, round(new / grid) * grid


def climb(
    score: Score,
    start: Sequence[set[int]],
    grid=GRID,
    ranks=None,
    constrained=False,
    releases=False,
    trace=None,
    looks_ahead=False,
    **limits,
):
    """One climb from `start` to a local optimum: HC, with `constrained` one iteration of CHC, with `releases`
    FastCHC, with `looks_ahead` HC that turns tied arcs (`turned`). A step tests the moves one after the other, by
    parent, then by child, but those that are forbidden by then; whatever tests negative is forbidden for the tests
    that follow. The best move tested is taken. `trace`, a list, receives (move, forbidden-parent sets after the
    evaluation) of every step.
    """
    parents = [set(p) for p in start]
    n = len(parents)
    shut = [set() for _ in range(n)]
    while True:
        tested = {}
        for move in sorted(neighbours(parents, **limits), key=lambda m: (m[2], m[1], KINDS.index(m[0]))):
            if is_shut(shut, move):
                continue
            lost, new = gains_of(score, parents, move, grid)
            tested[move] = lost + new
            if constrained and (new < 0 or lost > 0):
                _, child, parent = move
                shut[child].add(parent)
                shut[parent].add(child)
        best = min(tested, key=lambda m: (-tested[m], *preference(m, ranks)), default=None)
        improves = best is not None and tested[best] > 0
        if trace is not None:
            trace.append((best if improves else None, [set(s) for s in shut]))
        if not improves:
            return parents
        if looks_ahead:
            best = turned(score, parents, best, tested, grid, limits)
        parents = apply_move(parents, *best)
        if releases and best[0] == "add":
            release(shut, parents, best[1], best[2])


def turned(score: Score, parents: Sequence[set[int]], move, gains: dict, grid, limits: dict) -> tuple[str, int, int]:
    """A new arc, or the arc in the other direction if it gains the same (`gains`, by move) and its child can gain
    more by a further parent.
    """
    kind, child, parent = move
    other = kind, parent, child
    if kind != "add" or other not in gains or gains[other] != gains[move]:
        return move
    first, second = (next_gain(score, parents, arc, grid, limits) for arc in (move, other))
    return other if second > first else move


def next_gain(score: Score, parents: Sequence[set[int]], move: tuple[str, int, int], grid, limits: dict) -> float:
    """Largest gain of a further parent of the child of a new arc; 0 if none gains."""
    graph = apply_move(parents, *move)
    further = [m for m in neighbours(graph, **limits) if m[0] == "add" and m[1] == move[1]]
    return max([0.0, *(gains_of(score, graph, m, grid)[1] for m in further)])


def climb_both_ways(climb_from, score: Score, judge: Score, *args, grid=GRID, **options) -> list[set[int]]:
    """The better result, by the scores of `judge`, of `climb_from` (`climb` or `climb_tabu`) with and without looking
    ahead; the first among equals.
    """
    first, second = (climb_from(score, *args, grid=grid, looks_ahead=ahead, **options) for ahead in (False, True))
    totals = [sum(judge(v, tuple(sorted(p))) for v, p in enumerate(graph)) for graph in (first, second)]
    return second if totals[1] > totals[0] + grid else first


def is_shut(shut: Sequence[set[int]], move: tuple[str, int, int]) -> bool:
    """The move adds an arc from a forbidden parent."""
    kind, child, parent = move
    return (kind == "add" and parent in shut[child]) or (kind == "reverse" and child in shut[parent])


def release(shut: Sequence[set[int]], parents: Sequence[set[int]], x: int, y: int) -> None:
    """After x and y were linked: pairs at distance two through that link may be tested again."""
    for one, other in ((x, y), (y, x)):
        for z in linked_to(parents, one) - {other}:
            shut[other].discard(z)
            shut[z].discard(other)


def linked_to(parents: Sequence[set[int]], variable: int) -> set[int]:
    """Parents and children."""
    return parents[variable] | {v for v in range(len(parents)) if variable in parents[v]}


def iterate_constrained(score: Score, start: Sequence[set[int]], iterations: int | None = None, **options):
    """CHC from its own result, forbidden-parent sets cleared: so many times (2iCHC: 2), or until nothing
    changes (iCHC).
    """
    parents = [set(p) for p in start]
    for _ in itertools.count() if iterations is None else range(iterations):
        result = climb(score, parents, constrained=True, **options)
        if result == parents:
            break
        parents = result
    return parents


def climb_tabu(
    score: Score, start: Sequence[set[int]], length: int, grid=GRID, ranks=None, looks_ahead=False, **limits
):
    """Hill climbing that goes on through worse graphs: the pairs of the last `length` moves are left alone unless
    a move leads to a new best graph; until ten times as many steps in a row brought none. The best is returned.
    Variables whose parents a step without gain has changed are last among equals from then on.
    """

    def total(graph: Sequence[set[int]]) -> float:
        return sum(score(v, tuple(sorted(p))) for v, p in enumerate(graph))

    parents = [set(p) for p in start]
    length = min(length, len(parents) * (len(parents) - 1) // 4)
    recent, ranks = [], list(range(len(parents))) if ranks is None else list(ranks)
    best, best_total, idle = parents, total(parents), 0
    while idle < 10 * length:
        options, gains = [], {}
        for move in neighbours(parents, **limits):
            gain = gains[move] = sum(gains_of(score, parents, move, grid))
            if {*move[1:]} not in recent[-length:] or gain > best_total - total(parents):
                options.append((-gain, *preference(move, ranks), move))
        if not options:
            break
        move, before = min(options)[-1], total(parents)
        if looks_ahead:
            move = turned(score, parents, move, gains, grid, limits)
        parents = apply_move(parents, *move)
        if total(parents) - before < grid:
            changed = {move[1], move[2]} if move[0] == "reverse" else {move[1]}
            order = sorted(range(len(parents)), key=lambda v: (v in changed, ranks[v]))
            ranks = [order.index(v) for v in range(len(parents))]
        recent.append({*move[1:]})
        idle += 1
        if total(parents) >= best_total + grid:
            best, best_total, idle = parents, total(parents), 0
    return best


def preference(move: tuple[str, int, int], ranks: Sequence[int] | None) -> tuple[int, int, int]:
    """The smaller, the sooner a move is taken among equals."""
    kind, child, parent = move
    return KINDS.index(kind), child if ranks is None else ranks[child], parent


def ranks_of(score: Score, n: int, grid=GRID) -> list[int]:
    """Ranks of the children in a climb that starts without arcs: what pairs say least about comes first."""
    empty = [set() for _ in range(n)]
    ties = [0.0] * n
    for one, other in itertools.combinations(range(n), 2):
        gain = max(0.0, gains_of(score, empty, ("add", one, other), grid)[1])
        ties[one] += gain**2
        ties[other] += gain**2
    order = sorted(range(n), key=ties.__getitem__)
    return [order.index(v) for v in range(n)]
