"""Best-first selection from its description: lists of everything that is open, searched from end to end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Parents = tuple[int, ...]
Score = Callable[[Parents], float]


def united(parents: Parents, *more: int) -> Parents:
    """An ascending tuple."""
    return tuple(sorted({*parents, *more}))


def independence_selection(
    score: Score,
    n_states: Sequence[int],
    entropies: Sequence[float],
    child: int,
    candidates: Sequence[int],
    required: Parents,
    max_parents: int,
    penalty: float,
    evaluations: int,
) -> list[Parents]:
    """Sets in the order in which independence selection scores them (Scanagatta et al. 2015, section 4).

    `entropies` are N H(Y), `penalty` is that of one configuration (0 for none).
    """
    penalty *= configurations(n_states, required)
    explored = [required, *(united(required, y) for y in candidates)]
    exact = {(): score(required)} | {(y,): score(united(required, y)) for y in candidates}
    open_ones: list[tuple[float, Parents, int]] = []
    met: set[Parents] = set()

    def open_extensions(parents: Parents, best: float) -> None:
        q = configurations(n_states, parents)
        for y in set(candidates) - set(parents):
            s = n_states[y]
            if penalty <= 0 or best < -penalty * q * s:
                star = exact[parents] + exact[(y,)] + penalty * (q + s - q * s - 1) - exact[()]
                open_ones.append((-star, parents, y))

    if max_parents - len(required) >= 2:
        for y in candidates:
            open_extensions((y,), max(exact[(y,)], exact[()]))
    while open_ones and len(explored) < evaluations:
        open_ones.sort(key=lambda entry: (entry[0], (*entry[1], entry[2])))
        negative_star, parents, y = open_ones.pop(0)
        union = united(parents, y)
        if union in met:
            continue
        met.add(union)
        q, s = configurations(n_states, parents), n_states[y]
        unexplained = max(-(exact[parents] + penalty * q), 0.0)
        if penalty > 0 and min(unexplained, entropies[y]) <= penalty * q * (s - 1):
            continue
        exact[union] = score(united(required, *union))
        explored.append(united(required, *union))
        smallest = q * s * min(n_states[z] for z in candidates)
        theorem_2 = -negative_star + penalty * smallest > min(entropies[child], entropies[y])
        if len(union) < max_parents - len(required) and not (penalty > 0 and theorem_2):
            open_extensions(union, max(exact[union], exact[parents], exact[(y,)], exact[()]))
    return explored


def greedy_selection(
    score: Score,
    n_states: Sequence[int],
    candidates: Sequence[int],
    required: Parents,
    max_parents: int,
    penalty: float,
    evaluations: int,
    is_hopeless: Callable[[Parents, float], bool],
) -> list[Parents]:
    """Sets in the order in which greedy selection scores them; `is_hopeless` says that no superset can pay."""
    explored = [required]
    open_ones: list[tuple[float, Parents, int]] = []
    met: set[Parents] = set()

    def expand(parents: Parents, own: float) -> None:
        if len(parents) == max_parents or is_hopeless(parents, own):
            return
        for y in candidates:
            union = united(parents, y)
            if y in parents or union in met:
                continue
            met.add(union)
            if penalty <= 0 or own < -penalty * configurations(n_states, union):
                explored.append(union)
                open_ones.append((-score(union), parents, y))

    expand(required, score(required))
    while open_ones and len(explored) < evaluations:
        open_ones.sort(key=lambda entry: (entry[0], (*entry[1], entry[2])))
        negative, parents, y = open_ones.pop(0)
        expand(united(parents, y), -negative)
    return explored


def configurations(n_states: Sequence[int], parents: Parents) -> int:
    """Product of the numbers of states."""
    product = 1
    for parent in parents:
        product *= int(n_states[parent])
    return product
