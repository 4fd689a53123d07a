"""Local scores from their definitions: dictionaries of counts, `math.log` and `math.lgamma`, nothing else."""

from __future__ import annotations

import decimal
import functools
import math
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal

Rows = Sequence[Sequence[int]]


def count_family(rows: Rows, child: int, parents: Sequence[int]) -> tuple[Counter, Counter]:
    """Counts N_xπ, keyed by (parents' states, child's state), and N_π, keyed by the parents' states."""
    configurations = [tuple(row[p] for p in parents) for row in rows]
    return Counter(zip(configurations, (row[child] for row in rows))), Counter(configurations)


def n_configurations(n_states: Sequence[int], parents: Sequence[int]) -> int:
    """Number of parent configurations, occurring or not."""
    return math.prod(int(n_states[p]) for p in parents)


def log_likelihood(rows: Rows, child: int, parents: Sequence[int]) -> float:
    """Sum over the cells that occur of N_xπ ln(N_xπ / N_π)."""
    joint, marginal = count_family(rows, child, parents)
    return math.fsum(n * math.log(n / marginal[pi]) for (pi, _), n in joint.items())


def n_parameters(n_states: Sequence[int], child: int, parents: Sequence[int]) -> int:
    """Free parameters of a family: one less than the child's states for every parent configuration."""
    return (int(n_states[child]) - 1) * n_configurations(n_states, parents)


def dirichlet_score(rows: Rows, n_states: Sequence[int], child: int, parents: Sequence[int], alpha: float) -> float:
    """Log marginal likelihood with the Dirichlet parameter `alpha` in every cell."""
    joint, marginal = count_family(rows, child, parents)
    total = alpha * int(n_states[child])
    terms = [math.lgamma(total) - math.lgamma(total + n) for n in marginal.values()]
    terms += [math.lgamma(alpha + n) - math.lgamma(alpha) for n in joint.values()]
    return math.fsum(terms)


def local_score(
    rows: Rows, n_states: Sequence[int], child: int, parents: Sequence[int], score: str = "bic", ess: float = 1.0
) -> float:
    """Local score in nats of `child` given `parents`: ``ll``, ``bic``, ``aic``, ``bdeu``, ``k2``, ``bds``, ``fnml``,
    ``qnml``.

    `rows` is a list of rows, each a tuple of codes; `n_states` holds every variable's number of states.
    """
    if score == "ll":
        return log_likelihood(rows, child, parents)
    if score == "bic":
        penalty = 0.5 * math.log(len(rows)) * n_parameters(n_states, child, parents)
        return log_likelihood(rows, child, parents) - penalty
    if score == "aic":
        return log_likelihood(rows, child, parents) - n_parameters(n_states, child, parents)
    if score == "bdeu":
        alpha = ess / (int(n_states[child]) * n_configurations(n_states, parents))
        return dirichlet_score(rows, n_states, child, parents, alpha)
    if score == "k2":
        return dirichlet_score(rows, n_states, child, parents, 1.0)
    if score == "bds":
        n_occurring = len({tuple(row[p] for p in parents) for row in rows})
        return dirichlet_score(rows, n_states, child, parents, ess / (int(n_states[child]) * n_occurring))
    if score == "fnml":
        _, marginal = count_family(rows, child, parents)
        return log_likelihood(rows, child, parents) - math.fsum(
            log_regret(n, int(n_states[child])) for n in marginal.values()
        )
    if score == "qnml":
        with_child, alone = (*parents, child), tuple(parents)
        return normalised(rows, n_states, with_child) - normalised(rows, n_states, alone)
    raise ValueError(f"unknown score {score!r}")


def normalised(rows: Rows, n_states: Sequence[int], variables: Sequence[int]) -> float:
    """Logarithm of the normalised maximum likelihood of some variables, taken as one with a state for each
    combination of theirs.
    """
    counts = Counter(tuple(row[v] for v in variables) for row in rows)
    likelihood = math.fsum(n * math.log(n / len(rows)) for n in counts.values())
    return likelihood - log_regret(len(rows), n_configurations(n_states, variables))


@functools.cache
def log_regret(n_rows: int, n_states: int) -> float:
    """Logarithm of the sum over all sequences of `n_rows` rows of their maximum likelihood, to fifty digits.

    By two states and the recurrence of Kontkanen and Myllymäki (2007); for more than 1,000 states by the sum of
    Mononen and Myllymäki (2008).
    """
    if n_states == 1:
        return 0.0
    with decimal.localcontext(prec=60):
        if n_states > 1000:
            total = term = Decimal(1)
            for k in range(n_rows):
                term *= Decimal((n_rows - k) * (n_states - 1 + k)) / (n_rows * (k + 1))
                total += term
            return float(total.ln())
        before, found = Decimal(1), of_two_states(n_rows)
        for r in range(1, n_states - 1):
            before, found = found, found + before * n_rows / r
        return float(found.ln())


def of_two_states(n_rows: int) -> Decimal:
    """The sum for two states, by the number of rows in the first one."""
    ways, total, n = Decimal(1), Decimal(0), Decimal(n_rows)
    for k in range(n_rows + 1):
        total += ways * (k / n) ** k * ((n_rows - k) / n) ** (n_rows - k) if 0 < k < n_rows else 1
        ways *= Decimal(n_rows - k) / (k + 1)
    return total


def network_score(
    rows: Rows, n_states: Sequence[int], parents: Sequence[Sequence[int]], score: str = "bic", ess: float = 1.0
) -> float:
    """Sum of the local scores of a network whose `parents` are listed by child."""
    return math.fsum(local_score(rows, n_states, c, pa, score, ess) for c, pa in enumerate(parents))
