"""Syntax trees of source files, parsed once for all tests of what the code looks like."""

from __future__ import annotations

import ast
import functools
from pathlib import Path


@functools.cache
def syntax_tree(path: Path) -> ast.Module:
    """The syntax tree of a source file, which no test changes."""
    return ast.parse(path.read_text())
