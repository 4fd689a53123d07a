"""`bnsl optimize`: networks are sound, their scores add up, and bounds, gaps and claims hold against the optimum."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from naive.networks import best_choice, is_acyclic
from naive.optimize.treewidth import elimination_width, moral_edges, treewidth
from naive.parentsets import prune_dominated

from ..tables import Table
from .networks import Lists, ParentSet, check_network, header
from .program import Case, Difference, expect, expect_close, margin, score_options

ON_LISTS = ("exact", "exact", "exact", "ils", "obs", "asobs", "winasobs")
BOUNDED = ("ils", "ils", "asobs", "kg", "kastar", "kmax", "s2", "s2plus")
ON_DATA = ("hc", "chc", "chc-star", "ichc", "2ichc", "fastchc", "mmhc")
CELL_BOUNDED = ("ils", "asobs", "kg", "kmax")

PROVED = "optimal among"

NONE_FOUND = "no network of listed sets was found"
"""What a search by orders says of lists without a set of the required parents alone, if all its orders failed."""

MOST_BOUNDED = 4
"""Variables up to which the best network of bounded treewidth is found by trying all."""


def check(case: Case) -> None:
    """A search among listed sets, or on the table."""
    if case.table.n_variables <= 5 and case.chance(0.4):
        check_on_data(case)
    else:
        check_on_lists(case)


def check_on_data(case: Case) -> None:
    """A search that scores families on demand."""
    table, rng = case.table, case.rng
    n = table.n_variables
    score, ess = case.draw_score()
    options, most, bound = score_options(score, ess), n - 1, None
    method = rng.choice(ON_DATA) if case.chance(0.5) else "pricing"
    if case.chance(0.3):
        most = rng.randint(1, 3)
        options += ["--max-parents", str(most)]
    if method == "pricing" and n > 1 and case.chance(0.4):
        bound = rng.randint(1, 3)
        most = min(most, bound)
        options += ["--tw", str(bound)]
    line = ["optimize", "--data", case.data, "--method", method, *options, "--seed", str(rng.randrange(99))]
    if case.chance(0.4):
        line += ["--evaluations", str(rng.choice((1, 5, 30)))]
    answer = case.run(*line)
    records = answer.json_lines()
    lists = _all_lists(case, score, ess, min(most, n - 1))
    parents = _check_families(records, lists)
    if bound is not None:
        _check_width(records[0], parents, bound, table.n_states)
    if "all networks" in records[0].get("bound_relative_to", ""):
        wide = "of any treewidth" in records[0]["bound_relative_to"]
        _check_claims(records[0], answer.messages, lists, bound, None, wide)
    elif "gap" in records[0]:
        _check_gap(records[0])


def _all_lists(case: Case, score: str, ess: float, most: int) -> Lists:
    """Scores of all sets of at most `most` parents."""
    n = case.table.n_variables
    lists = []
    for child in range(n):
        others = [v for v in range(n) if v != child]
        sets = (s for size in range(most + 1) for s in itertools.combinations(others, size))
        lists.append({s: case.scores.score(child, s, score, ess) for s in sets})
    return lists


def check_on_lists(case: Case) -> None:
    """A search among lists made here: of the table, or random with many ties."""
    table, rng = _few_variables(case), case.rng
    n, n_states = table.n_variables, table.n_states
    lists, fixed = _random_lists(case, table)
    text = [header(table, "parentsets", score="unknown")]
    text += [_record(child, sets, child in fixed) for child, sets in enumerate(lists)]
    path = case.write("lists.sets.jsonl", "".join(json.dumps(line) + "\n" for line in text))
    bound, cells = None, None
    method = rng.choice(ON_LISTS)
    options = []
    if case.chance(0.45):
        bound = rng.randint(1, 3)
        method = "forest" if bound == 1 and case.chance(0.6) else rng.choice(BOUNDED)
        options += ["--tw", str(bound)]
        if method in CELL_BOUNDED and not fixed and case.chance(0.3):
            cells = rng.choice((max(n_states), 2 * max(n_states), max(n_states) ** 2))
            options += ["--max-table", str(cells)]
    if method not in ("exact", "forest"):
        options += ["--evaluations", str(rng.choice((1, 3, 10)))]
    required, allowed = {}, lists
    if n > 1 and not fixed:
        required, allowed, knowledge = _draw_knowledge(case, table, lists)
        options += knowledge
    line = ["optimize", path, "--method", method, *options, "--seed", str(rng.randrange(99))]
    answer = case.run(*line, codes=(0, 1) if fixed or cells or required else (0,))
    if answer.code == 1 and method not in ("exact", "forest") and NONE_FOUND in answer.messages:
        return
    if answer.code == 1:
        optimum = best_score(allowed, bound, n_states, cells)
        expect(optimum in (None, -math.inf), f"a network of score {optimum} exists: {answer.messages}")
        return
    records = answer.json_lines()
    parents = _check_families(records, allowed)
    if bound is not None:
        _check_width(records[0], parents, bound, n_states, cells)
    proved = _check_claims(records[0], answer.messages, allowed, bound, cells)
    expect(proved or method not in ("exact", "forest"), f"{method} did not prove its network optimal")


def _draw_knowledge(case: Case, table: Table, lists: Lists) -> tuple[dict[int, int], Lists, list[str]]:
    """Parents that children must have, the sets that knowledge allows, and its options."""
    rng, n, names = case.rng, len(lists), table.names
    forbidden: set[tuple[int, int]] = set()
    if case.chance(0.15):
        forbidden = {(p, c) for p, c in (rng.sample(range(n), 2) for _ in range(rng.randint(1, 3)))}
    required = _required(case, lists, forbidden) if case.chance(0.25) else {}
    options = [word for p, c in sorted(forbidden) for word in ("--forbid", f"{names[p]}->{names[c]}")]
    options += [word for c, p in required.items() for word in ("--require", f"{names[p]}->{names[c]}")]
    allowed = [
        {s: v for s, v in sets.items() if not forbidden & {(p, c) for p in s} and required.get(c, -1) in (-1, *s)}
        for c, sets in enumerate(lists)
    ]
    return required, allowed, options


def _required(case: Case, lists: Lists, forbidden: set[tuple[int, int]]) -> dict[int, int]:
    """Parents that some children must have, each in a listed set, mostly not alone; none comes later in an order."""
    rng, n = case.rng, len(lists)
    place = {v: k for k, v in enumerate(rng.sample(range(n), n))}
    required = {}
    for child in rng.sample(range(n), rng.randint(1, min(2, n))):
        sets = [s for s in lists[child] if not forbidden & {(p, child) for p in s}]
        parents = sorted({p for s in sets for p in s if place[p] < place[child]})
        if parents:
            required[child] = rng.choice(parents)
    return required


def _few_variables(case: Case) -> Table:
    """The table, or some columns of it where trying all networks takes too long."""
    most = case.rng.choice((MOST_BOUNDED, MOST_BOUNDED, 5, 6, 8))
    n = case.table.n_variables
    return case.table if n <= most else case.table.select(case.rng.sample(range(n), most))


def _random_lists(case: Case, table: Table) -> tuple[Lists, set[int]]:
    """Scores of some sets of every child, and the children that must take their only set."""
    rng, n = case.rng, table.n_variables
    ties, tendency = case.chance(0.3), rng.choice((-2.0, 1.0, 6.0))
    fixed = {rng.randrange(n)} if case.chance(0.1) else set()
    lists: Lists = []
    for child in range(n):
        others = [v for v in range(n) if v != child]
        sets: dict[ParentSet, float] = {(): -50.0}
        for _ in range(rng.randint(0, 14)):
            members = tuple(sorted(rng.sample(others, rng.randint(0, min(3, n - 1)))))
            drawn = -50.0 + tendency * len(members) + rng.gauss(0.0, 6.0)
            sets[members] = float(round(drawn)) if ties else drawn
        if child in fixed:
            sets = dict([rng.choice(list(sets.items()))])
        elif case.chance(0.8):
            sets = prune_dominated(sets)
        lists.append(sets)
    return lists, fixed


def _record(child: int, sets: Mapping[ParentSet, float], is_fixed: bool) -> dict[str, Any]:
    ordered = sorted(sets, key=lambda s: (-sets[s], len(s), s))
    record = {"child": child, "parents": list(map(list, ordered)), "scores": [sets[s] for s in ordered]}
    return record | ({"fixed": True} if is_fixed else {})


def _check_families(records: Sequence[Mapping[str, Any]], lists: Lists) -> list[ParentSet]:
    """Every family is one of those allowed and has its score; the parents."""
    parents = check_network(records, len(lists))
    n_rows = records[0].get("rows") or 1
    for child, (record, sets) in enumerate(zip(records[1:], lists)):
        expect(parents[child] in sets, f"child {child} took {parents[child]}, which is not among its sets")
        expect_close(
            record["scores"][0], sets[parents[child]], f"score of {child} given {parents[child]}", n_rows=n_rows
        )
    return parents


def _check_width(
    head: Mapping[str, Any],
    parents: Sequence[ParentSet],
    bound: int,
    n_states: Sequence[int],
    cells: int | None = None,
) -> None:
    """The elimination order of the header has the width it states, within the bound."""
    stated, edges = head["treewidth"], moral_edges(parents)
    order = stated["elimination"]
    expect(sorted(order) == list(range(len(parents))), f"{order} is no elimination order")
    width = elimination_width(edges, order)
    expect(stated["bound"] == bound and stated["width"] == width <= bound, f"width {width} of {stated}")
    if len(parents) <= 5:
        expect(treewidth(edges) <= bound, "the treewidth exceeds its bound")
    if cells is not None:
        largest = _largest_table(edges, order, n_states)
        expect(stated["table"] == largest <= cells, f"largest table {largest}, not {stated['table']} of {cells}")


def _largest_table(edges: Any, order: Sequence[int], n_states: Sequence[int]) -> int:
    """Cells of the largest clique table that elimination meets."""
    neighbours = {v: {u for edge in edges if v in edge for u in edge} - {v} for v in order}
    largest = 0
    for vertex in order:
        around = neighbours.pop(vertex)
        largest = max(largest, n_states[vertex] * math.prod(n_states[u] for u in around))
        for u in around:
            neighbours[u] = (neighbours[u] | around) - {u, vertex}
    return largest


def best_score(lists: Lists, bound: int | None, n_states: Sequence[int], cells: int | None) -> float | None:
    """The best total of an acyclic network, within bounds; minus infinity if there is none, None if too large."""
    if bound is None:
        return _best_by_subsets(lists)
    n = len(lists)
    if n > MOST_BOUNDED:
        return None

    def is_within(parents: Sequence[ParentSet]) -> bool:
        edges = moral_edges(parents)
        if not is_acyclic(parents) or treewidth(edges) > bound:
            return False
        return cells is None or any(
            elimination_width(edges, order) <= bound and _largest_table(edges, order, n_states) <= cells
            for order in itertools.permutations(range(n))
        )

    return best_choice([sorted(((v, s) for s, v in sets.items()), reverse=True) for sets in lists], is_within)


def _best_by_subsets(lists: Lists) -> float:
    """The best network on a set of variables has a sink among them (Silander and Myllymäki 2006)."""
    n = len(lists)
    ranked = [sorted(((score, sum(1 << p for p in s)) for s, score in sets.items()), reverse=True) for sets in lists]
    best = [0.0] + [-math.inf] * ((1 << n) - 1)
    for members in range(1, 1 << n):
        for sink in range(n):
            if members >> sink & 1:
                rest = members & ~(1 << sink)
                local = next((score for score, s in ranked[sink] if s & ~rest == 0), -math.inf)
                best[members] = max(best[members], best[rest] + local)
    return best[-1]


def _check_gap(head: Mapping[str, Any]) -> None:
    """Bound, gap and total agree."""
    rounding = margin(head["total"], n_rows=head.get("rows") or 1)
    expect(head["gap"] >= -rounding, f"the gap {head['gap']} is negative")
    expect_close(head["gap"], head["bound"] - head["total"], "gap", rounding)


def _check_claims(
    head: Mapping[str, Any], messages: str, lists: Lists, bound: int | None, cells: int | None, wide: bool = False
) -> bool:
    """Bound and claim against the optimum; whether the network is claimed to be one.

    `wide` means that bound and claim are about networks of any treewidth.
    """
    optimum = best_score(lists, bound, [] if cells is None else _states_of(head), cells)
    total, rounding = head["total"], margin(head["total"], n_rows=head.get("rows") or 1)
    proved = PROVED in messages
    if "bound" in head:
        _check_gap(head)
        proved = proved or head["gap"] <= 0.0
    if optimum is None:
        return proved
    if total > optimum + rounding:
        raise Difference(f"the total {total} exceeds the optimum {optimum}")
    if "bound" in head:
        least = best_score(lists, None, [], None) if wide else optimum
        expect(least is not None and head["bound"] >= least - rounding, f"bound {head['bound']} below {least}")
    if proved:
        expect_close(total, optimum, "a network that is claimed to be optimal", rounding)
    return proved


def _states_of(head: Mapping[str, Any]) -> list[int]:
    return [len(variable["states"]) for variable in head["variables"]]
