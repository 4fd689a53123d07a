#!/usr/bin/env python3
"""Check a proof that no network of listed parent sets scores more than a bound.

    python3 check.py SETS.jsonl PROOF.jsonl NETWORK.jsonl

Plain Python and exact whole numbers: no code of bnsl, no rounding but upwards. Exit code 0: the proof holds, and is
about the network, whose names, sets, cycles, total, bound and gap are checked. Other keys of SETS and
NETWORK are not read; of PROOF they are refused.

The argument. A network takes one listed set of each variable, and its arcs close no cycle. A *cut* gives each set a
weight; in every network the weights of the sets taken add up to at least its *demand*.
  cluster: in any order of a network the first k of some variables have fewer than k parents among them. So at least k
           of them take such a set (weight 1).
  half:    add up earlier cuts; each set then has a weight c, and the demand is D. Halve: c/2 rounded up, for sets of
           the variables `lowered` rounded down, which loses at most 1/2 for each of these, since each takes one set.
           So the demand is (D - number of lowered)/2, rounded up as weights are whole numbers. A weight above the
           demand counts as the demand, and demands above 100 count as 100.
With multipliers m >= 0, a network's score is at most its score plus the sum of m * (weight - demand). That is at most
the sum over variables of the best value of their sets, score + sum of m * weight, less the sum of m * demand. If this
is no more than the bound, nothing is left to prove. Else each set is dropped that cannot be in a network of a higher
score: the same sum with it in place of the best set of its variable is no more than the bound.
A *node* is some of the networks. The first has all of them; each other one has the networks of an earlier node in
which one variable precedes another in an order. Two nodes for both cases must cover what its steps leave open; or, if
it is marked `solved`, the best network of the sets left is found.
"""

import hashlib
import json
import math
import sys
from collections import Counter
from fractions import Fraction

CAP, MOST_BITS, MOST_TOGETHER, LIMIT = 100, 1000, 20, 1 << 62  # the last of the numbers of a proof
# Types of keys: string, integer, boolean, list, number, a number or null; different variables, ascending or not, and
# earlier cuts; ! must be there.
HEADER, RECORD = "format:s! version:i! variables:l!", "child:i! parents:l! scores:l!"
PROOF = f"{HEADER} sets:s! bits:i! bound:i! max_parents:i cuts:i! nodes:i!"
ABOUT = {"score", "ess", "rows", "data", "by", "created", "interrupted"}  # in a proof's header, not read
CLAIMS = f"{HEADER} total:o bound:n gap:n"
CUTS = {"cluster": "cluster:a! demand:i!", "half": "half:c! lowered:a!"}
NODE = "above:i! steps:l solved:b before:u"
STEP = "cuts:c! multipliers:l! shift:i anew:b"
TYPES = {"s": (str,), "i": (int,), "b": (bool,), "n": (int, float), "o": (int, float, type(None))}


def require(condition, message):
    if not condition:
        sys.exit(f"not proved: {message}")


def typed(fields, table, whose, limits=(0, 0), others=()):
    """Refuse other types than in the table, keys not there or in `others` (None: all), numbers not below `limits`."""
    require(isinstance(fields, dict), f"{whose} is no object")
    kinds = dict(entry.split(":") for entry in table.split())
    for key, kind in kinds.items():
        require(key in fields or "!" not in kind, f"{whose} has no {key!r}")
        value = fields.get(key)
        fits = type(value) in TYPES.get(kind[0], (list,)) and (kind[0] != "i" or -(2**63) <= value < 2**64)
        if fits and kind[0] in "auc":
            fits = all(type(v) is int and 0 <= v < limits[kind[0] == "c"] for v in value)
            fits = fits and len(set(value)) == len(value) and (kind[0] == "u" or value == sorted(value))
        require(fits or key not in fields, f"{whose}: {key!r} is of a wrong type, or its numbers are")
    require(others is None or fields.keys() <= kinds.keys() | others, f"{whose} has unknown keys")


def read(path, kind, version, table):
    """The lines of a file, its header, the objects that follow, and the names of its variables."""
    with open(path, "rb") as file:
        lines = [line.rstrip(b"\r\n") + b"\n" for line in file]
    try:  # NaN and infinities are no JSON, and make it fail
        header, *objects = [json.loads(line.decode(), parse_constant=int) for line in lines if line.strip()]
    except (ValueError, RecursionError) as error:
        require(False, f"{path} is no JSON: {error}")
    is_of_kind = isinstance(header, dict) and header.get("format") == kind and header.get("version") == version
    require(is_of_kind, f"{path} is no {kind} of version {version}: SETS is first, then PROOF, NETWORK")
    typed(header, table, path, (0, 0), ABOUT if table is PROOF else None)
    for variable in header["variables"]:
        typed(variable, "name:s!", f"{path}: a variable", (0, 0), None)
    names = [variable["name"] for variable in header["variables"]]
    require(names and all(names) and len(set(names)) == len(names), f"{path}: names are not different, or missing")
    return lines, header, objects, names


def read_lists(path, kind, table):
    """The header, the names of the variables, and of each variable its sets: the parents and the score."""
    _, header, records, names = read(path, kind, 1, table)
    n, lists = len(names), {}
    for record in records:
        typed(record, RECORD, path, (0, 0), None)
        child, sets, scores, own = record["child"], record["parents"], record["scores"], {}
        is_right = 0 <= child < n and child not in lists and 1 <= len(sets) == len(scores)
        require(is_right, f"{path}: variable {child} is none, has two lists, or sets that lack scores")
        for parents, score in zip(sets, scores):
            typed({"set": parents}, "set:u!", f"{path}: variable {child}", (n, 0))
            is_score = abs(score) <= 1e200 if type(score) in (int, float) else score is None and table is CLAIMS
            is_new = child not in parents and frozenset(parents) not in own
            require(is_score and is_new, f"{path}: a set of variable {child} comes twice, or lacks a score")
            own[frozenset(parents)] = None if score is None else float(score)
        lists[child] = list(own.items())
    require(len(lists) == n, f"{path}: a variable has no list")
    return header, names, [lists[v] for v in range(n)]


def read_proof(path, names):
    """The header, the cuts with their kinds and the nodes of a proof about these variables, all well formed."""
    lines, header, rest, own_names = read(path, "bnsl.proof", 2, PROOF)
    is_whole = own_names == names and rest and len(lines) == len(rest) + 1
    require(is_whole, "the proof is of other variables, or lines are missing or empty")
    last = rest.pop()
    typed(last, "sha256:s!", "the last line")
    require(hashlib.sha256(b"".join(lines[:-1])).hexdigest() == last["sha256"], "wrong digest")
    n, n_cuts, n_nodes, most = len(names), header["cuts"], header["nodes"], header.get("max_parents", 0)
    are_right = n_cuts >= 0 < n_nodes and 0 <= header["bits"] <= MOST_BITS and most >= 0
    require(are_right and len(rest) == n_cuts + n_nodes, "lines are missing, or a number of the header out of range")
    cuts, nodes = rest[:n_cuts], rest[n_cuts:]
    for number, cut in enumerate(cuts):
        typed(cut, CUTS["cluster" if "cluster" in cut else "half"], "a cut", (n, number))
        is_right = "half" in cut or 1 <= cut["demand"] <= len(cut["cluster"])
        require(is_right, f"cut {number} has a demand out of range")
    for number, node in enumerate(nodes):
        typed(node, NODE, "a node", (n, 0))
        is_below = node["above"] == -1 if number == 0 else 0 <= node["above"] < number
        is_right = is_below and len(node.get("before", ())) == 2 * (number > 0)
        require(is_right, "a node is not below an earlier one")
        for step in node.get("steps", []):
            typed(step, STEP, "a step", (0, n_cuts))
            require(all(type(m) is int and m >= 0 for m in step["multipliers"]), "a multiplier is none")
            are_right = len(step["multipliers"]) == len(step["cuts"]) and 0 <= step.get("shift", 0) <= MOST_BITS
            require(are_right, "a step lacks a multiplier, or its shift is negative or too large")
    return header, cuts, nodes


def count_cluster(cut, lists):
    """The weights of a cluster by child and number of the set, and its demand."""
    own, demand = set(cut["cluster"]), cut["demand"]
    fewer = [(v, s) for v in own for s, (parents, _) in enumerate(lists[v]) if len(parents & own) < demand]
    return dict.fromkeys(fewer, 1), min(demand, CAP)


def count_half(cut, counted):
    """The same of half of a sum of earlier cuts."""
    total, demand, lowered = Counter(), -len(cut["lowered"]), set(cut["lowered"])
    for part in cut["half"]:
        total.update(counted[part][0])
        demand += counted[part][1]
    demand = max(0, min((demand + 1) // 2, CAP))
    return {at: min((c + (at[0] not in lowered)) // 2, demand) for at, c in total.items()}, demand


def apply_step(multipliers, scores, allowed, counted, bound):
    """Drop sets by the multipliers of a step; True if no network of the others can score more than the bound."""
    largest, values, priced = max(abs(score) for own in scores for score in own), [list(own) for own in scores], 0
    for cut, multiplier in multipliers.items():
        weights, demand = counted[cut]
        largest += multiplier * CAP
        priced += multiplier * demand
        for (child, s), weight in weights.items():
            values[child][s] += multiplier * weight
    require(largest < LIMIT, "the numbers of the proof are too large for its unit")
    best = [max(values[v][s] for s in own) for v, own in enumerate(allowed)]
    above = sum(best) - priced - bound
    allowed[:] = [[s for s in own if best[v] - values[v][s] < above] for v, own in enumerate(allowed)]
    return above <= 0


def components_of(lists, allowed):
    """Variables that can be on a common cycle: they reach the same ones along arcs of the sets allowed."""
    reached, together = [{v}.union(*(lists[v][s][0] for s in own)) for v, own in enumerate(allowed)], {}
    for w in range(len(lists)):
        reached = [some | reached[w] if w in some else some for some in reached]
    for v, some in enumerate(reached):
        together.setdefault(frozenset(some), []).append(v)
    return together.values()


def best_score(lists, scores, allowed):
    """The best score of a network of the sets allowed, by subsets of components; infinite if these are too large."""
    largest = sum(max(abs(scores[v][s]) for s in own) for v, own in enumerate(allowed))
    total = 0 if largest < LIMIT // 2 else math.inf
    for component in components_of(lists, allowed):
        if len(component) > MOST_TOGETHER:
            return math.inf
        place, size = {v: k for k, v in enumerate(component)}, 1 << len(component)
        fitting = []  # of each variable, by the mask of those that come before it: its best score
        for v in component:
            own = [-math.inf] * size
            for s in allowed[v]:
                mask = sum(1 << place[p] for p in lists[v][s][0] if p in place)
                own[mask] = max(own[mask], scores[v][s])
            for bit in (1 << k for k in range(len(component))):
                for low in range(bit):  # a set that fits the mask without a bit fits the mask with it
                    with_bit = slice(low + bit, size, 2 * bit)
                    own[with_bit] = map(max, own[with_bit], own[low : size : 2 * bit])
            fitting.append(own)
        best = [0] + [-math.inf] * (size - 1)  # of each set of variables that comes first in an order
        for first in range(size):
            for k, own in enumerate(fitting):
                if not first >> k & 1:
                    best[first | 1 << k] = max(best[first | 1 << k], best[first] + own[first])
        total += best[-1]
    return total


def check(number, multipliers, allowed, after, given):
    """Check a node and the nodes below it; `after[v]` are the variables that come after v."""
    nodes, lists, scores, counted, bound = given
    if not all(allowed):
        return  # a variable has no set left
    for step in nodes[number].get("steps", []):
        new = {cut: m << step.get("shift", 0) for cut, m in zip(step["cuts"], step["multipliers"])}
        multipliers = new if step.get("anew") else multipliers | new
        if apply_step(multipliers, scores, allowed, counted, bound):
            return
    if nodes[number].get("solved") and best_score(lists, scores, allowed) <= bound:
        return
    below = [child for child, node in enumerate(nodes) if node["above"] == number]
    pairs = {tuple(nodes[child]["before"]) for child in below}
    require(len(pairs) == 2 and pairs == {(b, a) for a, b in pairs}, f"node {number} is left open")
    for child in below:
        a, b = nodes[child]["before"]
        if a in after[b]:
            continue  # no order is left
        now = [old | after[b] | {b} if v == a or a in old else old for v, old in enumerate(after)]
        kept = [[s for s in own if not lists[v][s][0] & now[v]] for v, own in enumerate(allowed)]
        check(child, multipliers, kept, now, given)


def claims_fit(header, scores):
    """Whether total, bound and gap of a network's header fit its scores and each other, but for rounding."""
    total, bound, gap = (header.get(key) for key in ("total", "bound", "gap"))
    size = max(1e-6, 1e-9 * abs(total or 0))
    fits = [gap is None or gap >= -size]
    if total is not None and None not in scores:
        fits.append(abs(total - math.fsum(scores)) <= max(1e-6, 1e-9 * math.fsum(map(abs, scores))))
    if total is not None and bound is not None:
        fits.append(bound >= total - size and (gap is None or abs(bound - total - gap) <= size))
    return all(fits)


def score_of(path, names, lists, most):
    """The score of a network by the lists; it has listed sets, of at most `most` parents, and no cycle."""
    header, own_names, families = read_lists(path, "bnsl.network", CLAIMS)
    is_of_names = set(own_names) == set(names) and all(len(own) == 1 for own in families)
    require(is_of_names, f"{path} has other variables, or more than one set of a variable")
    require(claims_fit(header, [own[0][1] for own in families]), f"{path}: the claims of its header do not fit")
    chosen = [frozenset(names.index(own_names[p]) for p in families[own_names.index(name)][0][0]) for name in names]
    are_listed = all(parents in dict(own) and len(parents) <= most for parents, own in zip(chosen, lists))
    require(are_listed, "this is no network of the lists, or the proof is about fewer parents")
    left, first = set(range(len(names))), set()
    while ready := {v for v in left if chosen[v] <= first}:
        left, first = left - ready, first | ready
    require(not left, f"the arcs form a cycle: of {', '.join(names[v] for v in sorted(left))}")
    return sum(Fraction(dict(own)[parents]) for parents, own in zip(chosen, lists))


def main(sets_path, proof_path, network_path):
    _, names, lists = read_lists(sets_path, "bnsl.parentsets", HEADER)
    header, cuts, nodes = read_proof(proof_path, names)
    text = ""
    for child, own in enumerate(lists):
        text += "".join(sorted(f"{child} {','.join(map(str, sorted(p)))} {score.hex()}\n" for p, score in own))
    require(header["sets"] == hashlib.sha256(text.encode()).hexdigest(), "the proof is of other lists")
    n, unit, bound = len(names), 2 ** header["bits"], header["bound"]
    most, counted = header.get("max_parents", n), []
    for cut in cuts:
        counted.append(count_half(cut, counted) if "half" in cut else count_cluster(cut, lists))
    allowed = [[s for s, (parents, _) in enumerate(own) if len(parents) <= most] for own in lists]
    scores = [[-(int(-Fraction(score) * unit // 1)) for _, score in own] for own in lists]  # rounded up
    sys.setrecursionlimit(100_000)
    check(0, {}, allowed, [frozenset()] * n, (nodes, lists, scores, counted, bound))
    total = score_of(network_path, names, lists, most)
    gap = Fraction(bound, unit) - total
    about = f" of at most {most} parents each" * (most < n)
    print(f"proved: no network of these lists{about} scores more than {bound / unit:.6f} nats")
    share = float(abs(gap / total)) if total else 0.0
    print(f"this network scores {float(total):.6f}; gap {float(gap):.3g}, {share:.3%}")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: python3 check.py SETS.jsonl PROOF.jsonl NETWORK.jsonl")
    main(*sys.argv[1:])
