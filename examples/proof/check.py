#!/usr/bin/env python3
"""Check a proof that no network of listed parent sets scores more than a bound.

    python3 check.py SETS.jsonl PROOF.jsonl NETWORK.jsonl

Plain Python and exact whole numbers: no code of bnsl, no rounding but upwards. Exit code 0: the proof holds.

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
import sys
from fractions import Fraction

CAP = 100
NONE = float("-inf")  # below every whole number


def read_sets(path, kind):
    """Names of the variables, and of each one its sets: pairs of the parents (a mask of bits) and the score."""
    with open(path, "rb") as file:
        header = json.loads(file.readline())
        require(header.get("format") == kind, f"{path} is no {kind}: SETS is first, then PROOF, NETWORK")
        names = [variable["name"] for variable in header["variables"]]
        lists = [[] for _ in names]
        for line in file:
            record = json.loads(line)
            for parents, score in zip(record["parents"], record["scores"]):
                lists[record["child"]].append((sum(1 << p for p in parents), float(score)))
    return names, lists


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


def read_proof(path):
    """The header, the cuts and the nodes of a proof whose digest is right."""
    with open(path, "rb") as file:
        lines = file.read().splitlines(keepends=True)
    require(hashlib.sha256(b"".join(lines[:-1])).hexdigest() == json.loads(lines[-1])["sha256"], "wrong digest")
    header, *rest = [json.loads(line) for line in lines[:-1]]
    require(header["format"] == "bnsl.proof" and header["version"] == 2, "no proof of version 2")
    require(len(rest) == header["cuts"] + header["nodes"], "lines are missing")
    return header, rest[: header["cuts"]], rest[header["cuts"] :]


def require(condition, message):
    if not condition:
        sys.exit(f"not proved: {message}")


def count_cluster(lists, cut):
    """The weights of a cluster's cut, as a dictionary by child and number of the set, and its demand."""
    members, demand = sorted(set(cut["cluster"])), cut["demand"]
    require(1 <= demand <= len(members), "a cluster demands more than it has")
    inside = sum(1 << v for v in members)
    weights = {(v, s): 1 for v in members for s, (m, _) in enumerate(lists[v]) if (m & inside).bit_count() < demand}
    return weights, min(demand, CAP)


def count_half(cut, number, counted):
    """The same of half of a sum of earlier cuts."""
    total, demand, lowered = {}, -len(set(cut["lowered"])), set(cut["lowered"])
    for part in set(cut["half"]):
        require(0 <= part < number, "a cut refers to a later one")
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
    for cut, multiplier in zip(step["cuts"], step["multipliers"], strict=True):
        require(isinstance(multiplier, int) and multiplier >= 0, "a multiplier is negative, or no whole number")
        after[cut] = multiplier << step.get("shift", 0)
    return after


def apply_step(multipliers, scores, allowed, counted, bound):
    """Drop sets by the multipliers of a step; True if no network of the sets can score more than the bound."""
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
    """The best score of a network of the sets allowed: dynamic programming over subsets of each component."""
    total = 0
    for component in components_of(lists, allowed):
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
    for step in node["steps"]:
        multipliers = changed(multipliers, step)
        if apply_step(multipliers, scores, allowed, counted, bound):
            return
    if node.get("solved") and all(allowed) and best_score(lists, scores, allowed) <= bound:
        return
    pairs = {tuple(nodes[child]["before"]) for child in below[number]}
    require(len(pairs) == 2 and len({tuple(sorted(pair)) for pair in pairs}) == 1, f"node {number} is left open")
    for child in below[number]:
        first, second = nodes[child]["before"]
        if after[second] >> first & 1 or first == second:
            require(first != second, "a pair is one variable")
            continue  # no order is left
        later = after[second] | 1 << second
        now = [old | later if v == first or old >> first & 1 else old for v, old in enumerate(after)]
        kept = [[s for s in own if not lists[v][s][0] & now[v]] for v, own in enumerate(allowed)]
        check(child, nodes, below, multipliers, kept, now, lists, scores, counted, bound)


def main(sets_path, proof_path, network_path):
    names, lists = read_sets(sets_path, "bnsl.parentsets")
    header, cuts, nodes = read_proof(proof_path)
    require(header["sets"] == digest_of(lists), "the proof is of other lists")
    unit = 2 ** header["bits"]
    scores = [[-((-Fraction(score) * unit) // 1) for _, score in own] for own in lists]  # rounded up
    most = header.get("max_parents", len(names))
    allowed = [[s for s, (mask, _) in enumerate(own) if mask.bit_count() <= most] for own in lists]
    counted = []
    for number, cut in enumerate(cuts):
        counted.append(count_cluster(lists, cut) if "cluster" in cut else count_half(cut, number, counted))
    below = {number: [] for number in range(len(nodes))}
    for number, node in enumerate(nodes[1:], 1):
        require(0 <= node["above"] < number, "a node is not below an earlier one")
        below[node["above"]].append(number)
    sys.setrecursionlimit(100_000)
    scores = [list(map(int, own)) for own in scores]
    check(0, nodes, below, {}, allowed, [0] * len(names), lists, scores, counted, header["bound"])
    _, chosen = read_sets(network_path, "bnsl.network")
    known = [dict(own) for own in lists]
    for v, own in enumerate(chosen):
        require(len(own) == 1 and own[0][0] in known[v], "this is no network of the lists")
    total = sum(Fraction(known[v][own[0][0]]) for v, own in enumerate(chosen))
    gap = Fraction(header["bound"], unit) - total
    about = f" of at most {most} parents each" if "max_parents" in header else ""
    print(f"proved: no network of these lists{about} scores more than {header['bound'] / unit:.6f} nats")
    print(f"this network scores {float(total):.6f}; gap {float(gap):.3g}, {float(abs(gap / total)):.3%}")


if __name__ == "__main__":
    main(*sys.argv[1:])
