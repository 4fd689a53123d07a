"""`bnsl parentsets`: scores of all listed sets, dominance, order of the list, and what complete lists claim."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from naive.parentsets import prune_dominated

from .program import Case, expect, expect_close, margin, score_options

MOST_SETS = 130
"""Sets within the limits up to which all are scored, to judge what a list leaves out."""

MOST_SCORED = 40
"""Listed sets of a table that are scored again."""

LARGEST_EXPONENT = 700.0
"""Of an exponential function that is a floating-point number."""


class ListLimits(NamedTuple):
    """What the lists are asked for.

    Attributes
    ----------
    keep_mass : float or None
    forbidden, required : set of (parent, child)
    """

    score: str
    ess: float
    most_parents: int
    keep_mass: float | None
    forbidden: set[tuple[int, int]]
    required: set[tuple[int, int]]

    def required_of(self, child: int) -> set[int]:
        """Parents that a child must have."""
        return {p for p, c in self.required if c == child}

    def candidates(self, child: int, n_variables: int) -> list[int]:
        """Variables that may be parents of a child."""
        return [v for v in range(n_variables) if v != child and (v, child) not in self.forbidden]

    def sets(self, child: int, n_states: Sequence[int]) -> list[tuple[int, ...]] | None:
        """All sets within the limits, or None if they are too many.

        A column of one state takes part where that is required only: it changes no score.
        """
        required = self.required_of(child)
        candidates = [
            v for v in self.candidates(child, len(n_states)) if v in required or min(n_states[v], n_states[child]) > 1
        ]
        sizes = range(len(required), min(self.most_parents, len(candidates)) + 1)
        if sum(math.comb(len(candidates), size) for size in sizes) > MOST_SETS:
            return None
        every = (s for size in sizes for s in itertools.combinations(candidates, size))
        return [s for s in every if required <= set(s)]


def check(case: Case) -> None:
    """Lists by a random method under random limits."""
    table, rng = case.table, case.rng
    method = rng.choice(("sequential", "sequential", "sequential", "grow", "grow", "indep", "greedy"))
    limits, options = _draw_limits(case)
    budget = []
    if case.chance(0.3):
        budget = ["--evaluations", str(rng.choice((1, 2, 3, 5, 10, 30)))]
    if method == "grow" and case.chance(0.6):
        budget += ["--orders", str(rng.randint(1, 12))]
    line = ["parentsets", case.data, "--method", method, *options, *budget, "--seed", str(rng.randrange(99))]
    records = case.run(*line).json_lines()
    expect(records[0]["score"] == limits.score and records[0]["rows"] == table.n_rows, "wrong score or rows")
    expect([v["name"] for v in records[0]["variables"]] == list(table.names), "wrong names")
    expect([v["states"] for v in records[0]["variables"]] == list(map(list, table.states)), "wrong states")
    expect([r["child"] for r in records[1:]] == list(range(table.n_variables)), "not one record for each variable")
    for record in records[1:]:
        check_record(case, record, limits)
        if method == "sequential" and not budget:
            finished = record.get("complete") or record.get("fixed")
            expect(finished, f"sequential did not complete the list of child {record['child']}")


def _draw_limits(case: Case) -> tuple[ListLimits, list[str]]:
    """Limits and the options that ask for them."""
    table, rng = case.table, case.rng
    score, ess = case.draw_score()
    options = score_options(score, ess)
    most = table.n_variables - 1
    if table.n_variables > 8 or case.chance(0.35):
        most = 1 if table.n_variables > 66 else rng.randint(0 if table.n_variables <= 8 else 1, 3)
        most = min(most, 2) if table.n_variables > 8 else most
        options += ["--max-parents", str(most)]
    keep_mass = None
    if case.chance(0.2):
        keep_mass = rng.choice((0.0, 0.5, 0.1, 1e-3))
        options += ["--keep-mass", repr(keep_mass)]
    arcs = [(p, c) for p in range(table.n_variables) for c in range(table.n_variables) if p != c]
    forbidden, required = set(), set()
    if case.chance(0.15) and arcs:
        forbidden = set(rng.sample(arcs, min(len(arcs), rng.randint(1, 4))))
    if case.chance(0.1) and most >= 1 and (possible := [arc for arc in arcs if arc not in forbidden]):
        required = {rng.choice(possible)}
    for option, chosen in (("--forbid", forbidden), ("--require", required)):
        for parent, child in sorted(chosen):
            options += [option, f"{table.names[parent]}->{table.names[child]}"]
    return ListLimits(score, ess, most, keep_mass, forbidden, required), options


def check_record(case: Case, record: Mapping[str, Any], limits: ListLimits) -> None:
    """One child's list."""
    child, n = record["child"], case.table.n_variables
    sets, scores = list(map(tuple, record["parents"])), record["scores"]
    required, candidates = limits.required_of(child), set(limits.candidates(child, n))
    expect(len(set(sets)) == len(sets) == len(scores), f"a set of child {child} is listed twice")
    expect(tuple(sorted(required)) in sets, f"child {child} lacks its smallest set")
    for members in sets:
        expect(list(members) == sorted(set(members)), f"set {members} of child {child} is not ascending")
        expect(required <= set(members) <= candidates, f"set {members} of child {child} breaks the constraints")
        expect(len(members) <= max(limits.most_parents, len(required)), f"set {members} of {child} is too large")
    keys = [(-score, len(members), members) for members, score in zip(sets, scores)]
    expect(keys == sorted(keys), f"the list of child {child} is not in order")
    listed = dict(zip(sets, scores))
    chosen = sets if len(sets) <= MOST_SCORED else case.rng.sample(sets, MOST_SCORED)
    for members in chosen if n <= 8 or child < 10 or case.chance(0.1) else ():
        expected = case.scores.score(child, members, limits.score, limits.ess)
        what = f"{limits.score} of {child} given {members}"
        expect_close(listed[members], expected, what, n_rows=case.table.n_rows)
    if limits.keep_mass is None:
        _check_dominance(child, listed)
    if n <= 8 and (within := limits.sets(child, case.table.n_states)) is not None:
        every = {members: case.scores.score(child, members, limits.score, limits.ess) for members in within}
        _check_unlisted(record, listed, every, limits, case.table.n_rows)


def _check_dominance(child: int, listed: Mapping[tuple[int, ...], float]) -> None:
    """No listed set has a listed proper subset of the same score or a better one."""
    for members, score in listed.items():
        if len(members) > 6:
            continue
        for size in range(len(members)):
            for subset in itertools.combinations(members, size):
                if listed.get(subset, -math.inf) >= score:
                    expect(False, f"set {members} of child {child} is dominated by {subset}")


def _check_unlisted(
    record: Mapping[str, Any],
    listed: Mapping[tuple[int, ...], float],
    every: dict[tuple[int, ...], float],
    limits: ListLimits,
    n_rows: int,
) -> None:
    """What the record claims of the sets that it does not list."""
    child = record["child"]
    spare = math.inf if limits.keep_mass == 0.0 else math.log(1.0 / (limits.keep_mass or 1.0))
    rounding = margin(*every.values(), n_rows=n_rows)
    if record.get("complete"):
        for members in prune_dominated(every, spare - rounding):
            expect(members in listed, f"complete list of child {child} lacks {members}")
    if spare < math.inf:
        for members in listed.keys() - prune_dominated(every, spare + rounding).keys():
            smaller = (s for s in listed if set(s) < set(members))
            expect(
                all(listed[s] < listed[members] + spare + rounding for s in smaller),
                f"set {members} of child {child} is listed and dominated",
            )
    unlisted = {members: score for members, score in every.items() if members not in listed}
    if record.get("unlisted") is not None:
        undominated = prune_dominated(every).keys() & unlisted.keys()
        best = max((every[members] for members in undominated), default=-math.inf)
        bound = record["unlisted"]
        expect(bound >= best - rounding, f"child {child}: unlisted {best} exceeds the bound {bound}")
    if record.get("left_out") is not None and unlisted:
        sums: dict[tuple[int, ...], float] = {}
        for members, score in unlisted.items():
            best_set = max((s for s in listed if set(s) < set(members)), key=listed.__getitem__)
            sums[best_set] = sums.get(best_set, 0.0) + math.exp(min(score - listed[best_set], LARGEST_EXPONENT))
        found = max(sums.values())
        limit = record["left_out"] * (1 + rounding) + 1e-300
        expect(found <= limit, f"child {child}: sets left out weigh {found}, more than {record['left_out']}")
