#!/usr/bin/env python3
"""Check a proof that no network of listed parent sets scores more than a bound.

    python3 check.py SETS.jsonl PROOF.jsonl NETWORK.jsonl

Plain Python and exact whole numbers: no code of bnsl, no rounding but upwards. Exit code 0: the proof holds, and is
about the network. Checked are names, listed sets, types and ranges of numbers, cycles, and that total, bound and gap
in the header of NETWORK fit its scores. Other keys of SETS and NETWORK, a seed or a treewidth, are not read; of PROOF
they are refused.

The argument. A network takes one listed set of each variable, and its arcs close no cycle. A *cut* gives each set a
weight; in every network the weights of the sets taken add up to at least its *demand*. There are two kinds.
  cluster: in any order of a network the first k of some variables have fewer than k parents among them. So at least k
           of them take such a set (weight 1).
  half:    add up earlier cuts; each set then has a weight c, and the demand is D. Halve: c/2 rounded up, for sets of
           the variables `lowered` rounded down, which loses at most 1/2 for each of these, since each takes one set.
           So the demand is (D - number of lowered)/2, rounded up as weights are whole numbers. A weight above the
           demand counts as the demand, and demands above 100 count as 100.
With multipliers m >= 0, a network's score is at most its score plus the sum of m * (weight - demand). That is at most
the sum over variables of the best value of their sets, score + sum of m * weight, less the sum of m * demand.
  If this is no more than the bound, nothing is left to prove. Else each set is dropped that cannot be in a network of
  a higher score: the same sum with it in place of the best set of its variable is no more than the bound.
A *node* is some of the networks: the first has all of them, each other one those of an earlier node in which one
variable precedes another in an order. What its steps leave open must be covered by two nodes for both orders of a
pair, or, if it is marked `solved`, the best network of the sets left is found here by dynamic programming.
"""

import hashlib
import json
import math
import sys
from fractions import Fraction

CAP, MOST_BITS, MOST_TOGETHER = 100, 1000, 20
LIMIT = 1 << 62  # of the numbers of a proof
NONE = float("-inf")  # below every whole number

# Types of the keys that are read: string, integer, boolean, list, number, a number or null; ! must be there.
HEADER, RECORD = "format:s! version:i! variables:l!", "child:i! parents:l! scores:l!"
PROOF = f"{HEADER} sets:s! bits:i! bound:i! max_parents:i cuts:i! nodes:i!"
ABOUT = {"score", "ess", "rows", "data", "by", "created", "interrupted"}  # in a proof's header, not read
CLAIMS = f"{HEADER} total:o bound:n gap:n"
CLUSTER, HALF = "cluster:l! demand:i!", "half:l! lowered:l!"
NODE, STEP = "above:i! before:l steps:l solved:b", "cuts:l! multipliers:l! shift:i anew:b"
TYPES = {"s": (str,), "i": (int,), "b": (bool,), "l": (list,), "n": (int, float), "o": (int, float, type(None))}


def require(condition, message):
    if not condition:
        sys.exit(f"not proved: {message}")


def typed(fields, table, whose, others=()):
    """Refuse an object with a value of another type than its table says, or keys that are not there or in `others`.

    None for `others` allows all.
    """
    require(isinstance(fields, dict), f"{whose} is no object")
    kinds = dict(entry.split(":") for entry in table.split())
    for key, kind in kinds.items():
        require(key in fields or "!" not in kind, f"{whose} has no {key!r}")
        value = fields.get(key)
        fits = type(value) in TYPES[kind[0]] and (kind[0] != "i" or -(2**63) <= value < 2**64)
        require(fits or key not in fields, f"{whose}: {key!r} is of a wrong type")
    require(others is None or fields.keys() <= kinds.keys() | others, f"{whose} has unknown keys")


def numbers(values, most, whose, ascending=True):
    """These values, if they are different whole numbers from 0 below `most`."""
    are_right = all(type(v) is int and 0 <= v < most for v in values) and len(set(values)) == len(values)
    require(are_right, f"{whose}: {values} are not different whole numbers below {most}")
    require(not ascending or values == sorted(values), f"{whose}: {values} do not ascend")
    return values


def read(path, kind, version, table):
    """The lines of a file, its header, the objects that follow, and the names of its variables."""
    with open(path, "rb") as file:
        lines = [line.rstrip(b"\r\n") + b"\n" for line in file]
    try:
        # NaN and infinities are no JSON, and make it fail.
        header, *objects = [json.loads(line.decode(), parse_constant=int) for line in lines if line.strip()]
    except (ValueError, RecursionError) as error:
        require(False, f"{path} is no JSON: {error}")
    is_wanted = isinstance(header, dict) and header.get("format") == kind
    require(is_wanted, f"{path} is no {kind}: SETS is first, then PROOF, NETWORK")
    typed(header, table, path, ABOUT if table is PROOF else None)
    require(header["version"] == version, f"{path} is of another version")
    for variable in header["variables"]:
        typed(variable, "name:s!", f"{path}: a variable", None)
    names = [variable["name"] for variable in header["variables"]]
    require(names and all(names) and len(set(names)) == len(names), f"{path}: names are not different, or missing")
    return lines, header, objects, names


def read_lists(path, kind):
    """The header, the names of the variables, and of each variable its sets: a mask of the parents, and the score.

    Only a network may have null for a score, and lack the empty set.
    """
    _, header, records, names = read(path, kind, 1, CLAIMS if kind == "bnsl.network" else HEADER)
    n, lists = len(names), {}
    for record in records:
        typed(record, RECORD, path, None)
        child, sets, scores, own = record["child"], record["parents"], record["scores"], {}
        require(0 <= child < n and child not in lists, f"{path}: a variable has two lists, or is none")
        require(1 <= len(sets) == len(scores), f"{path}: the sets of variable {child} lack scores, or are none")
        for parents, score in zip(sets, scores):
            require(isinstance(parents, list) and child not in parents, f"{path}: a set of variable {child} is none")
            mask = sum(1 << p for p in numbers(parents, n, path, ascending=False))
            require(mask not in own, f"{path}: a set of variable {child} comes twice")
            is_known = type(score) in (int, float) and abs(score) <= 1e200
            is_right = is_known or (score is None and kind == "bnsl.network")
            require(is_right, f"{path}: a score is no number to be summed up")
            own[mask] = None if score is None else float(score)
        lists[child] = list(own.items())
    require(len(lists) == n, f"{path}: a variable has no list")
    return header, names, [lists[v] for v in range(n)]


def digest_of(lists):
    """The digest by which a proof names its lists."""
    digest = hashlib.sha256()
    for child, sets in enumerate(lists):
        lines = [f"{child} {','.join(map(str, bits_of(mask)))} {score.hex()}\n" for mask, score in sets]
        digest.update("".join(sorted(lines)).encode())
    return digest.hexdigest()


def bits_of(mask):
    """Places of the ones of a mask, ascending."""
    return [k for k in range(mask.bit_length()) if mask >> k & 1]


def read_proof(path, names):
    """The header, the cuts and the nodes of a proof about these variables; every number refers to something."""
    lines, header, rest, own_names = read(path, "bnsl.proof", 2, PROOF)
    require(own_names == names, "the proof is of other variables")
    require(rest and len(lines) == len(rest) + 1, "lines are missing, or empty")
    last = rest.pop()
    typed(last, "sha256:s!", "the last line")
    require(hashlib.sha256(b"".join(lines[:-1])).hexdigest() == last["sha256"], "wrong digest")
    n_cuts, n_nodes, most = header["cuts"], header["nodes"], header.get("max_parents", 0)
    require(n_cuts >= 0 < n_nodes and len(rest) == n_cuts + n_nodes, "lines are missing")
    require(0 <= header["bits"] <= MOST_BITS and most >= 0, "a negative number, or too many bits")
    cuts, nodes = rest[:n_cuts], rest[n_cuts:]
    for number, cut in enumerate(cuts):
        typed(cut, CLUSTER if "cluster" in cut else HALF, "a cut")
        numbers(cut.get("half", []), number, "a cut")
        numbers(cut.get("lowered", []) + cut.get("cluster", []), len(names), "a cut")
        require(1 <= cut.get("demand", 1) <= len(cut.get("cluster", "1")), "a cluster demands more than it has")
    for number, node in enumerate(nodes):
        typed(node, NODE, "a node")
        numbers(node.get("before", []), len(names), "a node", ascending=False)
        is_below = node["above"] == -1 if number == 0 else 0 <= node["above"] < number
        require(is_below and len(node.get("before", [])) == 2 * (number > 0), "a node is not below an earlier one")
        for step in node.get("steps", []):
            typed(step, STEP, "a step")
            are_right = all(type(m) is int and m >= 0 for m in step["multipliers"])
            require(are_right and len(step["multipliers"]) == len(step["cuts"]), "a step lacks a multiplier")
            require(0 <= step.get("shift", 0) <= MOST_BITS, "a shift is negative, or too large")
            numbers(step["cuts"], n_cuts, "a step")
    return header, cuts, nodes


def count_cluster(lists, cut):
    """The weights of a cluster's cut, as a dictionary by child and number of the set, and its demand."""
    members, demand = cut["cluster"], cut["demand"]
    inside = sum(1 << v for v in members)
    weights = {(v, s): 1 for v in members for s, (m, _) in enumerate(lists[v]) if (m & inside).bit_count() < demand}
    return weights, min(demand, CAP)


def count_half(cut, counted):
    """The same of half of a sum of earlier cuts."""
    total, demand, lowered = {}, -len(cut["lowered"]), set(cut["lowered"])
    for part in cut["half"]:
        weights, needed = counted[part]
        demand += needed
        for place, weight in weights.items():
            total[place] = total.get(place, 0) + weight
    demand = max(0, min((demand + 1) // 2, CAP))
    halves = {place: min((weight + (place[0] not in lowered)) // 2, demand) for place, weight in total.items()}
    return {place: weight for place, weight in halves.items() if weight}, demand


def changed(multipliers, step):
    """Multipliers by cut after a step; it has those that differ from the step before, in this node or above it."""
    after = {} if step.get("anew") else dict(multipliers)
    for cut, multiplier in zip(step["cuts"], step["multipliers"]):
        after[cut] = multiplier << step.get("shift", 0)
    return after


def apply_step(multipliers, scores, allowed, counted, bound):
    """Drop sets by the multipliers of a step; True if no network of the sets can score more than the bound."""
    largest = max(abs(score) for own in scores for score in own)
    require(largest + CAP * sum(multipliers.values()) < LIMIT, "the numbers of the proof are too large for its unit")
    values = [list(own) for own in scores]
    priced = 0
    for cut, multiplier in multipliers.items():
        weights, demand = counted[cut]
        priced += multiplier * demand
        for (child, s), weight in weights.items():
            values[child][s] += multiplier * weight
    if not all(allowed):
        return True  # a variable has no set left
    best = [max(values[v][s] for s in own) for v, own in enumerate(allowed)]
    above = sum(best) - priced - bound
    if above > 0:
        for v, own in enumerate(allowed):
            allowed[v] = [s for s in own if best[v] - values[v][s] < above]
    return above <= 0


def components_of(lists, allowed):
    """Variables that can be on a common cycle, by their reachability along arcs of the sets allowed."""
    n = len(lists)
    reached = [0] * n
    for v, own in enumerate(allowed):
        for s in own:
            reached[v] |= lists[v][s][0]
    for w in range(n):
        for v in range(n):
            if reached[v] >> w & 1:
                reached[v] |= reached[w]
    left, components = set(range(n)), []
    while left:
        v = min(left)
        together = [w for w in left if w == v or (reached[v] >> w & 1 and reached[w] >> v & 1)]
        components.append(together)
        left -= set(together)
    return components


def best_score(lists, scores, allowed):
    """The best score of a network of the sets allowed: dynamic programming over subsets of each component.

    Infinity where a component, or a score, is too large.
    """
    largest = sum(max(abs(scores[v][s]) for s in own) for v, own in enumerate(allowed))
    total = 0 if largest < LIMIT // 2 else math.inf
    for component in components_of(lists, allowed):
        if len(component) > MOST_TOGETHER:
            return math.inf
        place = {v: k for k, v in enumerate(component)}
        size = 1 << len(component)
        fitting = []  # of each variable, by the mask of those that come before it: its best score
        for v in component:
            own = [NONE] * size
            for s in allowed[v]:
                mask = sum(1 << place[p] for p in bits_of(lists[v][s][0]) if p in place)
                own[mask] = max(own[mask], scores[v][s])
            for bit in (1 << k for k in range(len(component))):
                for low in range(bit):  # a set that fits the mask without a bit fits the mask with it
                    with_bit = slice(low + bit, size, 2 * bit)
                    own[with_bit] = map(max, own[with_bit], own[low : size : 2 * bit])
            fitting.append(own)
        best = [0] + [NONE] * (size - 1)  # of each set of variables that comes first in an order
        for first in range(size):
            for k, own in enumerate(fitting):
                if not first >> k & 1:
                    best[first | 1 << k] = max(best[first | 1 << k], best[first] + own[first])
        total += best[-1]
    return total


def check(number, nodes, below, multipliers, allowed, after, lists, scores, counted, bound):
    """Check a node and those below it; `after[v]` is the mask of the variables that come after v."""
    node = nodes[number]
    for step in node.get("steps", []):
        multipliers = changed(multipliers, step)
        if apply_step(multipliers, scores, allowed, counted, bound):
            return
    if node.get("solved") and (not all(allowed) or best_score(lists, scores, allowed) <= bound):
        return
    pairs = {tuple(nodes[child]["before"]) for child in below[number]}
    require(len(pairs) == 2 and len({tuple(sorted(pair)) for pair in pairs}) == 1, f"node {number} is left open")
    for child in below[number]:
        first, second = nodes[child]["before"]
        if after[second] >> first & 1:
            continue  # no order is left
        later = after[second] | 1 << second
        now = [old | later if v == first or old >> first & 1 else old for v, old in enumerate(after)]
        kept = [[s for s in own if not lists[v][s][0] & now[v]] for v, own in enumerate(allowed)]
        check(child, nodes, below, multipliers, kept, now, lists, scores, counted, bound)


def claims_fit(header, scores):
    """Whether total, bound and gap of a network's header fit its scores and each other, but for rounding."""

    def rounding(sum_):
        return max(1e-6, 1e-9 * abs(sum_))

    total, bound, gap = (header.get(key) for key in ("total", "bound", "gap"))
    is_least = gap is None or gap >= -rounding(total or 0)
    if total is None:
        return is_least
    is_sum = None in scores or abs(total - math.fsum(scores)) <= rounding(math.fsum(map(abs, scores)))
    is_above = bound is None or bound >= total - rounding(total)
    is_gap = bound is None or gap is None or abs(bound - total - gap) <= rounding(total)
    return is_least and is_sum and is_above and is_gap


def score_of(path, names, lists, most):
    """The score of a network, from the lists; it has a listed set of at most `most` parents of each, and no cycle."""
    header, own_names, families = read_lists(path, "bnsl.network")
    require(set(own_names) == set(names), "network and proof have different variables")
    require(all(len(own) == 1 for own in families), f"{path} has more than one set of a variable")
    require(claims_fit(header, [own[0][1] for own in families]), f"{path}: the claims of its header do not fit")
    parents = {name: [own_names[p] for p in bits_of(own[0][0])] for name, own in zip(own_names, families)}
    chosen = [sum(1 << names.index(parent) for parent in parents[name]) for name in names]
    require(all(mask in dict(own) for mask, own in zip(chosen, lists)), "this is no network of the lists")
    require(all(mask.bit_count() <= most for mask in chosen), "the proof is about fewer parents")
    left, first = set(range(len(names))), 0
    while ready := [v for v in left if not chosen[v] & ~first]:
        left -= set(ready)
        first |= sum(1 << v for v in ready)
    require(not left, f"the arcs form a cycle: of {', '.join(names[v] for v in sorted(left))}")
    return sum(Fraction(dict(own)[mask]) for mask, own in zip(chosen, lists))


def main(sets_path, proof_path, network_path):
    _, names, lists = read_lists(sets_path, "bnsl.parentsets")
    header, cuts, nodes = read_proof(proof_path, names)
    require(header["sets"] == digest_of(lists), "the proof is of other lists")
    unit, bound, most = 2 ** header["bits"], header["bound"], header.get("max_parents", len(names))
    scores = [[-(int(-Fraction(score) * unit // 1)) for _, score in own] for own in lists]  # rounded up
    allowed = [[s for s, (mask, _) in enumerate(own) if mask.bit_count() <= most] for own in lists]
    counted = []
    for cut in cuts:
        counted.append(count_cluster(lists, cut) if "cluster" in cut else count_half(cut, counted))
    below = {number: [] for number in range(len(nodes))}
    for number, node in enumerate(nodes[1:], 1):
        below[node["above"]].append(number)
    sys.setrecursionlimit(100_000)
    check(0, nodes, below, {}, allowed, [0] * len(names), lists, scores, counted, bound)
    total = score_of(network_path, names, lists, most)
    gap = Fraction(bound, unit) - total
    about = f" of at most {most} parents each" if "max_parents" in header else ""
    print(f"proved: no network of these lists{about} scores more than {bound / unit:.6f} nats")
    share = float(abs(gap / total)) if total else 0.0
    print(f"this network scores {float(total):.6f}; gap {float(gap):.3g}, {share:.3%}")


if __name__ == "__main__":
    main(*sys.argv[1:])
