"""Lines of arcs: SVG paths, widths and shades by the strength of the arc, arrowheads."""

from __future__ import annotations

import numpy as np

from ..graph_records import Clusters, Link, Strength
from .curves import curves

FULL_WIDTH = 4.0
"""Width of the line of an arc of strength 1, pixels; other widths are proportional."""
LEAST_WIDTH = 0.6
HEAD_LENGTH = 12.0
HEAD_WIDTH = 9.0
NOTCH = 0.75
"""Length of an arrowhead at the line, as a share of its length at the sides."""


def line_width(strength: Strength) -> float:
    """Width of the line between two variables, by the probability that they are joined in either direction."""
    return max(LEAST_WIDTH, FULL_WIDTH * strength.either)


def line_opacity(strength: Strength) -> float:
    """Opacity of the line: weak arcs are paler, too."""
    return 0.3 + 0.7 * min(1.0, strength.either)


def head_opacity(strength: Strength) -> float:
    """Opacity of an arrowhead: that of its line where the direction is certain, 0 where the opposite one is equally
    probable.
    """
    share = strength.arc / strength.either if strength.either else 0.0
    return line_opacity(strength) * max(0.0, min(1.0, 2 * share - 1))


def link_width(link: Link, clusters: Clusters) -> float:
    """Width of the line of a link between clusters, by its weight; grows with the titles of the frames."""
    most = max(other.weight for other in clusters.links)
    return clusters.title_size * (0.05 + 0.4 * (link.weight / most) ** 0.5)


def shortened(line: np.ndarray, opacity: float) -> np.ndarray:
    """The line, shortened so that it does not protrude beside the tip of an opaque arrowhead."""
    step = line[-1] - line[-2]
    length = float(np.hypot(*step))
    line = line.copy()
    line[-1] -= step * min(NOTCH * HEAD_LENGTH * opacity, 0.9 * length) / max(length, 1e-9)
    return line


def head(line: np.ndarray, width: float) -> np.ndarray:
    """Corners of the arrowhead at the end of a line, the tip first; larger at wider lines; shape (4, 2)."""
    step = line[-1] - line[-2]
    along = step / max(float(np.hypot(*step)), 1e-9)
    aside = np.array([-along[1], along[0]]) * (HEAD_WIDTH + 0.6 * width) / 2
    back = line[-1] - HEAD_LENGTH * along
    return np.array([line[-1], back + aside, line[-1] - NOTCH * HEAD_LENGTH * along, back - aside])


def number(value: float) -> str:
    """A coordinate to a tenth of a pixel in the shortest form."""
    return f"{round(float(value), 1):g}" if abs(value) < 1e5 else f"{value:.1f}"


def path(line: np.ndarray) -> str:
    """The path of the curve through points, shape (n_points, 2), whose y rises or falls throughout."""
    start = f"M{_point(line[0])}"
    if len(line) == 2:
        return f"{start}L{_point(line[1])}"
    return start + "".join(f"C{_point(one)} {_point(other)} {_point(end)}" for one, other, end in curves(line))


def _point(point: np.ndarray) -> str:
    return f"{number(point[0])},{number(point[1])}"
