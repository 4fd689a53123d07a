"""What a run may have to compile is read off the sources."""

from __future__ import annotations

import sys

from helpers.places import ROOT
from helpers.sources import syntax_tree

from stages.runtime.reachable_kernels import is_stored, kernels_to_compile, reachable_kernels


def of(*modules):
    return {f"{module.rpartition('.')[2]}.{name}" for module, name in reachable_kernels(modules)}


def test_called_kernels_and_their_parts():
    found = of("stages.optimize.treewidth.s2plus")
    assert {"s2plus.search_informative", "informative_clique.best_clique"} <= found
    assert "ktree_dp.solve_cliques" in found  # called by a module that this one imports
    assert "best_first.pop_state" in found  # a part of a kernel
    assert not any(name.startswith(("insertion_ils.", "kmax.")) for name in found)
    assert "moves.is_parent" not in of("stages.optimize.climbing.run")  # inlined
    assert of("formats.records", "stages.kernels.bits", "nonsense") == set()


def test_every_kernel_is_in_reach_of_some_stage():
    stages = [path for path in (ROOT / "stages").rglob("*.py") if "kernels" not in path.parts]
    found = reachable_kernels(".".join(path.relative_to(ROOT).with_suffix("").parts) for path in stages)
    for path in (ROOT / "stages" / "kernels").rglob("*.py"):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for node in syntax_tree(path).body:
            marks = [getattr(mark, "id", None) for mark in getattr(node, "decorator_list", ())]
            assert "njit" not in marks or (module, node.name) in found


def test_stored_ones_are_left_out(tmp_path, monkeypatch):
    kernel = ("stages.kernels.orders.windows", "search_window")
    assert not is_stored(kernel, str(tmp_path))
    (tmp_path / kernel[0]).mkdir()
    (tmp_path / kernel[0] / "windows.search_windows-7.py311.nbi").touch()
    assert not is_stored(kernel, str(tmp_path))
    (tmp_path / kernel[0] / "windows.search_window-7.py311.nbi").touch()
    assert is_stored(kernel, str(tmp_path))
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    assert kernels_to_compile() == set()
