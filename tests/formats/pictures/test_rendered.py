"""PDF and PNG come from cairosvg, or from a program, whichever is there."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from formats.pictures import rendered
from formats.pictures.svg import svg_text

from .test_pictures import drawing_of


@pytest.fixture
def without_package(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "cairosvg", None)


def program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_the_package_gets_the_svg_picture(monkeypatch: pytest.MonkeyPatch):
    def made(kind):
        return lambda bytestring, scale: f"{kind} {scale:g} ".encode() + bytestring

    monkeypatch.setitem(sys.modules, "cairosvg", SimpleNamespace(svg2pdf=made("pdf"), svg2png=made("png")))
    drawing = drawing_of()
    assert rendered.pdf_bytes(drawing) == b"pdf 1 " + svg_text(drawing).encode()
    assert rendered.png_bytes(drawing) == b"png 2 " + svg_text(drawing).encode()


@pytest.mark.parametrize("name", rendered.PROGRAMS)
def test_a_program_takes_its_place(name: str, without_package, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    program(tmp_path, name, 'echo "$@"; while read -r line; do echo "$line"; done')
    monkeypatch.setenv("PATH", str(tmp_path))
    asked, *picture = rendered.png_bytes(drawing_of()).decode().splitlines()
    assert "png" in asked and ("192" in asked or "--zoom 2" in asked)
    assert picture == [line.strip() for line in svg_text(drawing_of()).splitlines()]
    program(tmp_path, name, 'echo "no fonts" >&2; exit 3')
    with pytest.raises(rendered.NoRenderer, match=f"{name} made no pdf picture: no fonts"):
        rendered.pdf_bytes(drawing_of())


def test_without_either_the_message_names_them(without_package, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(rendered.NoRenderer, match=r"cairosvg, by rsvg-convert or by inkscape.*\n  pip install"):
        rendered.pdf_bytes(drawing_of())


@pytest.mark.parametrize(("size", "scale"), [((300, 200), 2.0), ((10_000, 20_000), 0.5), ((64_000, 100), 0.5)])
def test_large_pictures_have_fewer_pixels(size: tuple[int, int], scale: float):
    assert rendered.png_scale(f'<svg width="{size[0]}" height="{size[1]}">') == pytest.approx(scale)
