"""Growing, shrinking and listing candidate sets from their definitions; nothing is remembered or sorted ahead.

`score` is any function of an ascending tuple of parents; sets compare by exact score, the first of equals.
"""

from __future__ import annotations


def with_one(parents, y):
    return tuple(sorted((*parents, y)))


def without_each(parents, required):
    return [tuple(p for p in parents if p != out) for out in parents if out not in required]


def grow_and_shrink(score, allowed, parents, required, largest, met):
    """Add the best allowed variable while that helps, then drop while that helps, until neither does.

    `met` receives every set that was chosen or compared with all its neighbours; returns the set reached.
    """
    while True:
        start = parents
        while len(parents) < largest:
            gains = {y: score(with_one(parents, y)) for y in sorted(allowed) if y not in parents}
            best = max(gains, key=gains.get, default=None)
            if best is None or gains[best] <= score(parents):
                break
            parents = with_one(parents, best)
            met.add(parents)
        grown = parents
        while True:
            smaller = without_each(parents, required)
            met.update(smaller)
            best = max(smaller, key=score, default=None)
            if best is None or score(best) <= score(parents):
                break
            parents = best
        if parents == grown:
            return parents
        assert score(parents) > score(start) or parents == start


def grow_then_shrink(score, allowed, required, largest):
    """The score when first the best allowed variable is added while that helps, then the worst parent dropped."""
    parents = required
    while len(parents) < largest:
        larger = [with_one(parents, y) for y in sorted(allowed - set(parents))]
        best = max(larger, key=score, default=parents)
        if score(best) <= score(parents):
            break
        parents = best
    while True:
        best = max(without_each(parents, required), key=score, default=parents)
        if score(best) <= score(parents):
            return score(parents)
        parents = best


def undominated(scores):
    """Sets that score strictly more than all their proper subsets, best first, ties by size and members."""
    kept = [p for p, s in scores.items() if not any(set(q) < set(p) and t >= s for q, t in scores.items())]
    return sorted(kept, key=lambda p: (-scores[p], len(p), p))
