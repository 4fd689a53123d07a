"""Networks whose families close no cycle, and the greedy one of them, by plain graphs."""

from __future__ import annotations


def closes_no_cycle(parents):
    """Whether the bipartite graph of variables and families is a forest."""
    neighbours = {("variable", v): set() for v in range(len(parents))}
    for child, family in enumerate(parents):
        if family:
            edge = ("family", child)
            neighbours[edge] = {("variable", v) for v in (child, *family)}
            for node in neighbours[edge]:
                neighbours[node].add(edge)
    seen = set()
    for first in neighbours:
        if first in seen:
            continue
        waiting = [(first, None)]
        while waiting:
            node, before = waiting.pop()
            if node in seen:
                return False
            seen.add(node)
            waiting += [(other, node) for other in neighbours[node] if other != before]
    return True


def greedy_families(lists, power):
    """Add the family of largest gain per number of parents to the `power`, as long as no cycle closes.

    `lists` has pairs of score and parents for each variable, best first; last sets with parents are required.
    """
    chosen = [sets[-1][1] for sets in lists]
    families = [
        ((score - sets[-1][0]) / len(parents) ** power, child, parents)
        for child, sets in enumerate(lists)
        for score, parents in sets[:-1]
    ]
    for gain, child, parents in sorted(families, key=lambda family: -family[0]):
        trial = [*chosen[:child], parents, *chosen[child + 1 :]]
        if gain > 0.0 and not chosen[child] and closes_no_cycle(trial):
            chosen = trial
    return chosen
