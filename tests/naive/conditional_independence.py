"""G² from frequencies in dictionaries, and the exact permutation test of small tables."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence

Row = Sequence[int]


def likelihood_ratio(first: Row, second: Row, given: Sequence[Row]) -> float:
    """2 sum n log(n n_z / (n_xz n_yz)), over the cells that occur."""
    conditions = list(zip(*given)) if given else [()] * len(first)
    joint = Counter(zip(first, second, conditions))
    of_first, of_second = Counter(zip(first, conditions)), Counter(zip(second, conditions))
    of_given = Counter(conditions)
    return 2 * sum(
        n * math.log(n * of_given[z] / (of_first[x, z] * of_second[y, z])) for (x, y, z), n in joint.items()
    )


def permutation_share(first: Row, second: Row, given: Sequence[Row]) -> float:
    """The share of all permutations within the conditions whose statistic is as large."""
    conditions = list(zip(*given)) if given else [()] * len(first)
    places = [[k for k, z in enumerate(conditions) if z == value] for value in sorted(set(conditions))]
    observed = likelihood_ratio(first, second, given)
    as_large = total = 0
    for chosen in itertools.product(*(itertools.permutations(some) for some in places)):
        turned = list(second)
        for some, to in zip(places, chosen):
            for k, source in zip(some, to):
                turned[k] = second[source]
        total += 1
        as_large += likelihood_ratio(first, turned, given) >= observed - 1e-9
    return as_large / total
