"""Docstrings against signatures; run by ``make lint``.

Every module, public class and public function has a docstring, and where one lists Parameters, their names are in
the signature, in its order. A parameter that the signature explains is not listed; an entry has a description or a
shape.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADING = "Parameters\n---"
SENTENCE = re.compile(r"^(?:- )?(`\**[a-z_]\w*`(?:, `\w+`)*)(?: \(.*?\))?: ", re.MULTILINE)
PACKAGES = ("bnsl", "bnsl_cli", "formats", "stages")


def documented_parameters(docstring: str) -> list[str] | None:
    """Names under the numpydoc heading Parameters, or at the start of sentences; None if there are none.

    A sentence names parameters as ``` `name`, `other` (shape): meaning```, as an item of a list if there are several.
    """
    match = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[^\n]*\n-{3,}\n|\Z)", docstring, re.DOTALL | re.MULTILINE)
    if match is None:
        return [name for line in SENTENCE.findall(docstring) for name in re.findall(r"\w+", line)] or None
    names = []
    for line in match.group(1).splitlines():
        if line and not line[0].isspace():
            names += [name.strip().lstrip("*") for name in line.split(":")[0].split(",")]
    return names


def signature_parameters(function: ast.FunctionDef) -> list[str]:
    """Names of all parameters but ``self`` and ``cls``."""
    arguments = function.args
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    names += [arguments.vararg.arg] if arguments.vararg else []
    names += [a.arg for a in arguments.kwonlyargs]
    names += [arguments.kwarg.arg] if arguments.kwarg else []
    return [name for name in names if name not in ("self", "cls")]


def _mismatch(owner: str, docstring: str | None, signature: list[str]) -> Iterator[str]:
    documented = documented_parameters(docstring or "")
    if documented is not None and documented != [name for name in signature if name in documented]:
        yield f"{owner}: documented parameters {documented}, signature {signature}"


def complaints(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[int, str]]:
    """Line and complaint for every public definition of a module or class body."""
    for node in body:
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or node.name.startswith("_"):
            continue
        if any(ast.unparse(each) == "overload" for each in node.decorator_list):
            continue
        name, docstring = prefix + node.name, ast.get_docstring(node)
        # Methods may go without: what a class overrides is documented where it is defined first.
        if docstring is None and not (prefix and isinstance(node, ast.FunctionDef)):
            yield node.lineno, f"{name}: no docstring"
        if isinstance(node, ast.FunctionDef):
            yield from ((node.lineno, text) for text in _mismatch(name, docstring, signature_parameters(node)))
        else:
            yield from _class_complaints(node, name, docstring)


def _class_complaints(node: ast.ClassDef, name: str, docstring: str | None) -> Iterator[tuple[int, str]]:
    for member in node.body:
        if isinstance(member, ast.FunctionDef) and member.name == "__init__":
            # Sentences of a class may name attributes as well: its parameters are those of a heading only.
            listed = docstring if HEADING in (docstring or "") else None
            yield from ((node.lineno, t) for t in _mismatch(name, listed, signature_parameters(member)))
    yield from complaints(node.body, f"{name}.")


def check_file(path: Path) -> Iterator[str]:
    """All complaints about one source file."""
    tree = ast.parse(path.read_text())
    place = path.relative_to(ROOT)
    if ast.get_docstring(tree) is None and tree.body:
        yield f"{place}:1: the module has no docstring"
    for line, text in complaints(tree.body):
        yield f"{place}:{line}: {text}"


def main() -> int:
    """Print all complaints; exit code 1 if there are any."""
    found = [
        text for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py")) for text in check_file(path)
    ]
    print("\n".join(found) or "docstrings agree with signatures")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
