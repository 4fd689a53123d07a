"""A drawing of a network as PDF or PNG: the SVG picture, rendered by the package cairosvg or by a program."""

# Imported where needed, since loading takes time: cairosvg
from __future__ import annotations

import math
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable

from ..errors import FormatError
from ..graph_records import Drawing
from .svg import svg_text

SCALE = 2.0
"""Pixels of a PNG for a pixel of the SVG picture."""
MOST_PIXELS, MOST_SIDE = 5e7, 32_000.0
"""Largest PNG; a larger picture has a smaller scale. Cairo draws no more than 32,767 pixels a side."""

PROGRAMS: dict[str, Callable[[str, float], list[str]]] = {
    "rsvg-convert": lambda kind, scale: ["--format", kind, "--zoom", f"{scale:g}"],
    "inkscape": lambda kind, scale: [
        "--pipe",
        f"--export-type={kind}",
        f"--export-dpi={96 * scale:g}",
        "--export-filename=-",
    ],
}
"""Arguments for a kind of picture and its scale; the program reads SVG and writes to standard output."""


class NoRenderer(FormatError):
    """Nothing is installed that makes the picture, or it fails."""


def pdf_bytes(drawing: Drawing) -> bytes:
    """The picture as a PDF document of one page, a pixel being 1/96 inch. Raises `NoRenderer`."""
    return _rendered(svg_text(drawing), "pdf", 1.0)


def png_bytes(drawing: Drawing) -> bytes:
    """The picture as PNG on white, at twice the size of the SVG picture, less where that is too large. Raises
    `NoRenderer`.
    """
    text = svg_text(drawing)
    return _rendered(text, "png", png_scale(text))


def png_scale(text: str) -> float:
    """Pixels of the PNG for a pixel of an SVG picture."""
    width, height = (float(side) for side in re.findall(r'<svg[^>]* width="([\d.]+)" height="([\d.]+)"', text)[0])
    return min(SCALE, math.sqrt(MOST_PIXELS / (width * height)), MOST_SIDE / max(width, height))


def _rendered(text: str, kind: str, scale: float) -> bytes:
    try:
        import cairosvg
    except (ImportError, OSError):  # the package finds no Cairo library
        return _by_program(text, kind, scale)
    return (cairosvg.svg2pdf if kind == "pdf" else cairosvg.svg2png)(bytestring=text.encode(), scale=scale)


def _by_program(text: str, kind: str, scale: float) -> bytes:
    name = next(filter(shutil.which, PROGRAMS), None)
    if name is None:
        raise NoRenderer(
            f"{kind} pictures are made by the package cairosvg, by rsvg-convert or by inkscape; none is installed",
            remedy="pip install cairosvg (and the Cairo library), or write svg, which needs none of them",
        )
    # No pipe: writing to a program that has ended would end this one.
    with tempfile.TemporaryFile() as picture:
        picture.write(text.encode())
        picture.seek(0)
        words = [name, *PROGRAMS[name](kind, scale)]
        done = subprocess.run(words, stdin=picture, capture_output=True, check=False)
    if done.returncode or not done.stdout:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise NoRenderer(f"{name} made no {kind} picture: {said[-1] if said else 'no message'}")
    return done.stdout
