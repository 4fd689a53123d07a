"""The drawing of a large network: a frame for each cluster, with the layers of its variables inside, and links
between the frames for the arcs between clusters. A cluster is a group of limited size of variables that many arcs
join.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from formats.graph_records import Arc, Clusters, Link
from formats.pictures.text_widths import text_width
from formats.printable import abbreviated
from stages.graphs import Parents, topological_order

from .box_layout import Orders, place

PADDING = 20.0
"""Between a frame and the boxes in it, pixels."""
SMALL = 4
"""Number of variables up to which clusters, and variables without arcs, share one frame."""
LINKS_EACH = 2
"""Links that are drawn for each cluster, the strongest first; a link that is among them at either end is drawn."""
FIRST_VIEW = 2000.0
"""Length of the longer side at which titles of frames are to be read, pixels."""
TITLE = 15.0
"""Size of the typeface of titles in that view."""
BOLD = 1.08
"""Width of bold letters in the widths of plain ones."""
SIZES_TRIED = 3
"""Number of sizes of titles that are tried; each makes the picture a little larger."""
TITLE_LENGTH = 16
"""Characters of a variable's name in a title; longer ones are abbreviated in the middle."""


def largest_cluster(n_variables: int) -> int:
    """The size that clusters do not pass, save by small ones that join them."""
    return max(25, min(120, n_variables // 30))


def place_clusters(
    parents: Parents, labels: Sequence[str], width: np.ndarray, height: np.ndarray, weight: dict[Arc, float]
) -> tuple[np.ndarray, np.ndarray, list[np.ndarray], Clusters]:
    """Centres of all boxes, the points through which each arc goes, in the order of `weight`, and the clusters with
    their frames.

    Arcs between clusters are straight; pictures draw links of frames for them. `weight`: positive, of every arc.
    """
    n = len(parents)
    groups = find_clusters(n, weight, largest_cluster(n))
    small = sorted(v for group in groups if len(group) <= SMALL for v in group)
    groups = [group for group in groups if len(group) > SMALL] + ([small] if small else [])
    of = np.empty(n, dtype=np.int64)
    for number, group in enumerate(groups):
        of[group] = number
    x, y = np.zeros(n), np.zeros(n)
    lines: dict[Arc, np.ndarray] = {}
    inner = np.zeros((len(groups), 2))
    for number, group in enumerate(groups):
        inner[number] = _place_group(group, parents, weight, (width, height), (x, y, lines))
    links = _links(of, parents, weight)
    shown = _strongest(links, len(groups))
    above: list[list[int]] = [[] for _ in groups]
    for a, b in shown:
        above[b].append(a)
    joined = dict.fromkeys(shown, 1.0)
    short = abbreviated(labels, TITLE_LENGTH)
    named = tuple(_title(group, parents, short, of) for group in groups)
    title, frames, ends, routes = _place_frames(inner, named, above, joined)
    corners = ends - inner / 2 + [0.0, 0.75 * title]
    x, y = x + corners[of, 0], y + corners[of, 1]
    for arc, line in lines.items():
        lines[arc] = line + corners[of[arc[0]]]
    half = np.column_stack((width, height)) / 2
    straight = (lines[arc] if arc in lines else _straight(np.column_stack((x, y)), half, arc) for arc in weight)
    routes = [_to_frames(line, ends, frames / 2, pair) for pair, line in zip(joined, routes)]
    found = tuple(Link(a, b, *links[a, b], line) for (a, b), line in zip(joined, routes))
    centre_x, centre_y = ends.T
    clusters = Clusters(
        of, centre_x, centre_y, frames[:, 0], frames[:, 1], named, title, found, len(links) - len(found)
    )
    return x, y, list(straight), clusters


def _straight(centre: np.ndarray, half: np.ndarray, arc: Arc) -> np.ndarray:
    """The straight line of an arc between the edges of boxes; `half`: half their sizes, shape (n_variables, 2)."""
    step = centre[arc[1]] - centre[arc[0]]
    shares = [float(np.min(half[v] / np.maximum(np.abs(step), 1e-9))) for v in arc]
    return centre[list(arc)] + step * np.array([[shares[0]], [-shares[1]]])


def _to_frames(line: np.ndarray, centre: np.ndarray, half: np.ndarray, pair: Arc) -> np.ndarray:
    """The line of a link, from the space around one frame to that around the other, with its ends at the frames."""
    (upper, lower), reach = pair, half[:, 0] - PADDING / 2
    ends = np.clip(line[[0, -1], 0], (centre[:, 0] - reach)[[upper, lower]], (centre[:, 0] + reach)[[upper, lower]])
    start, end = (ends[0], centre[upper, 1] + half[upper, 1]), (ends[1], centre[lower, 1] - half[lower, 1])
    return np.concatenate(([start], line, [end]))


def _place_frames(
    inner: np.ndarray, titles: Sequence[str], above: Parents, joined: Mapping[Arc, float]
) -> tuple[float, np.ndarray, np.ndarray, list[np.ndarray]]:
    """Size of the titles, sizes and centres of the frames, and the points of their links.

    `inner`: width and height of what each frame holds, shape (n, 2). The size of titles is right for a picture whose
    frames are as wide as what they hold; then frames become as wide as their titles.
    """
    size, orders = TITLE, Orders()
    for _ in range(SIZES_TRIED):
        frames = inner + np.array([0.0, 1.5 * size])
        wide, high = (frames + 2 * size).T
        x, y, _ = place(above, joined, wide, high, orders)
        extent = max(np.ptp(centre + sign * half) for centre, half in zip((x, y), frames.T / 2) for sign in (-1, 1))
        size = TITLE * max(1.0, float(extent) / FIRST_VIEW)
    named = np.array([text_width(title, 1.0) for title in titles]) * BOLD
    frames = np.column_stack((np.maximum(inner[:, 0], size * (named + 1.0)), inner[:, 1] + 1.5 * size))
    wide, high = (frames + 2 * size).T
    x, y, routes = place(above, joined, wide, high, orders)
    return size, frames, np.column_stack((x, y)), routes


def _place_group(
    group: Sequence[int],
    parents: Parents,
    weight: Mapping[Arc, float],
    sizes: tuple[np.ndarray, np.ndarray],
    found: tuple[np.ndarray, np.ndarray, dict[Arc, np.ndarray]],
) -> tuple[float, float]:
    """Place the variables of a cluster, its frame's corner at the origin; returns the size of the frame."""
    (width, height), (x, y, lines) = sizes, found
    inside = {v: i for i, v in enumerate(group)}
    own = [[inside[p] for p in parents[v] if p in inside] for v in group]
    inner = {(p, i): weight[group[p], group[i]] for i, family in enumerate(own) for p in family}
    x[group], y[group], points = place(own, inner, width[group], height[group])
    aside = [(x[group] - width[group] / 2), (x[group] + width[group] / 2), *(line[:, 0] for line in points)]
    left, right = min(float(a.min()) for a in aside), max(float(a.max()) for a in aside)
    x[group] += PADDING - left
    y[group] += PADDING
    for (p, i), line in zip(inner, points):
        lines[group[p], group[i]] = line + np.array([PADDING - left, PADDING])
    bottom = float((y[group] + height[group] / 2).max())
    return right - left + 2 * PADDING, bottom + PADDING


def _links(of: np.ndarray, parents: Parents, weight: Mapping[Arc, float]) -> dict[Arc, tuple[int, float]]:
    """Number and weight of the arcs between each two clusters, the one that is higher in the network first."""
    rank = np.empty(len(parents))
    rank[topological_order(parents)] = np.arange(len(parents))
    mean = np.bincount(of, weights=rank) / np.bincount(of)
    count: Counter[Arc] = Counter()
    sums: dict[Arc, float] = {}
    for arc, value in weight.items():
        a, b = sorted((int(of[arc[0]]), int(of[arc[1]])), key=lambda g: (mean[g], g))
        if a != b:
            count[a, b] += 1
            sums[a, b] = sums.get((a, b), 0.0) + value
    return {pair: (number, sums[pair]) for pair, number in count.items()}


def _strongest(links: dict[Arc, tuple[int, float]], n_clusters: int) -> list[Arc]:
    """The links that are among the strongest ones of a cluster at either end."""
    taken = [0] * n_clusters
    found = []
    for pair in sorted(links, key=lambda pair: (-links[pair][1], pair)):
        if min(taken[g] for g in pair) < LINKS_EACH:
            found.append(pair)
        for g in pair:
            taken[g] += 1
    return sorted(found)


def _title(group: Sequence[int], parents: Parents, labels: Sequence[str], of: np.ndarray) -> str:
    """The variable with the most arcs inside, and the number of the others."""
    degree: Counter[int] = Counter()
    for v in group:
        inner = [p for p in parents[v] if of[p] == of[v]]
        degree.update([v] * len(inner) + inner)
    if not degree:
        return f"{len(group)} without arcs"
    if len(degree) < len(group):
        return f"{len(group)} in small groups or without arcs"
    return f"{labels[min(group, key=lambda v: (-degree[v], v))]} + {len(group) - 1}"


def find_clusters(n_variables: int, weight: Mapping[Arc, float], largest: int) -> list[list[int]]:
    """Disjoint groups of at most `largest` variables that join what strong arcs join; ascending by first member.

    In rounds, pairs of groups merge, the ones with the most weight for their sizes first (heavy-edge matching,
    Karypis and Kumar 1998). A group that stays small joins its strongest neighbour, which may then have
    up to twice as many. `weight` of an arc is positive. Variables without arcs are groups of one.
    """
    group = list(range(n_variables))
    size = [1] * n_variables
    while pairs := _pairs(group, weight, size, largest):
        target = list(range(n_variables))
        is_taken = [False] * n_variables
        for a, b in pairs:
            if not (is_taken[a] or is_taken[b]):
                is_taken[a] = is_taken[b] = True
                target[b] = a
                size[a] += size[b]
        group = [target[g] for g in group]
    for (a, b), _ in sorted(_between(group, weight).items(), key=lambda item: (-item[1], item[0])):
        small, other = sorted((group[a], group[b]), key=lambda g: (size[g], g))
        if small != other and size[small] < largest / 4 and size[small] + size[other] <= 2 * largest:
            size[other] += size[small]
            group = [other if g == small else g for g in group]
    members: dict[int, list[int]] = {}
    for v, g in enumerate(group):
        members.setdefault(g, []).append(v)
    return sorted(members.values())


def _between(group: Sequence[int], weight: Mapping[Arc, float]) -> Counter[Arc]:
    """Weight between each two groups, by their numbers, the smaller first."""
    found: Counter[Arc] = Counter()
    for (parent, child), value in weight.items():
        a, b = sorted((group[parent], group[child]))
        if a != b:
            found[a, b] += value  # type: ignore[assignment]
    return found


def _pairs(group: Sequence[int], weight: Mapping[Arc, float], size: Sequence[int], largest: int) -> list[Arc]:
    """Pairs of groups that may merge, the best first."""
    found = _between(group, weight)
    able = [pair for pair in found if size[pair[0]] + size[pair[1]] <= largest]
    return sorted(able, key=lambda pair: (-found[pair] / (size[pair[0]] * size[pair[1]]) ** 0.5, pair))
