"""Noisy-MAX nodes against all outcomes of their causes; XMLBIF before 0.3; what is refused, and who converts it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from helpers.parameter_files import open_parameters

from formats.errors import FormatError


def plain_noisy_max(columns: list[list[np.ndarray]], leak: np.ndarray) -> np.ndarray:
    """The table by all outcomes of the causes: the strongest state, the first in the list, wins."""
    sizes = [len(parent) for parent in columns]
    table = np.zeros((*sizes, len(leak)))
    for states in np.ndindex(*sizes):
        causes = [leak, *(parent[state] for parent, state in zip(columns, states))]
        for outcome in itertools.product(range(len(leak)), repeat=len(causes)):
            table[states][min(outcome)] += np.prod([cause[k] for cause, k in zip(causes, outcome)])
    return table


def xdsl(sizes: list[int], n_states: int, parameters, strengths: str, kind: str = "noisymax") -> str:
    def states(n):
        return "".join(f'<state id="s{k}" />' for k in range(n))

    parents = "".join(
        f'<cpt id="P{i}">{states(n)}<probabilities>{" ".join([str(1 / n)] * n)}</probabilities></cpt>'
        for i, n in enumerate(sizes)
    )
    names = " ".join(f"P{i}" for i in range(len(sizes)))
    numbers = " ".join(map(repr, map(float, parameters)))
    return (
        f'<?xml version="1.0"?><smile version="1.0" id="n"><nodes>{parents}<{kind} id="C">{states(n_states)}'
        f"<parents>{names}</parents><strengths>{strengths}</strengths><parameters>{numbers}</parameters></{kind}>"
        "</nodes></smile>"
    )


def adder(sizes: list[int], n_states: int, parameters, weights: str) -> str:
    text = xdsl(sizes, n_states, parameters, "", "noisyadder")
    return text.replace("<strengths></strengths>", f"<dstates>0</dstates><weights>{weights}</weights>")


def read(path, text: str):
    path.write_text(text)
    return open_parameters(str(path))


@pytest.mark.parametrize(("sizes", "n_states"), [([2, 2, 2], 2), ([2, 3], 3), ([3], 4), ([2, 4, 3], 3), ([], 3)])
@pytest.mark.parametrize("is_reversed", [False, True])
@pytest.mark.parametrize("by_strength", [True, False])
def test_a_table_of_all_outcomes(tmp_path, sizes, n_states, is_reversed, by_strength):
    """With strengths in the order of the states or the other way round, and columns in either order."""
    rng = np.random.default_rng(len(sizes) + n_states)
    nothing = np.eye(n_states)[-1]
    ranked = [[*rng.dirichlet(np.ones(n_states), size - 1), nothing] for size in sizes]  # from the strongest
    leak = rng.dirichlet(np.ones(n_states))
    of_state = [parent[::-1] if is_reversed else parent for parent in ranked]
    written = ranked if by_strength else of_state
    parameters = [number for parent in written for column in parent for number in column] + leak.tolist()
    orders = [range(size)[::-1] if is_reversed else range(size) for size in sizes]
    strengths = " ".join(str(k) for order in orders for k in order)
    model = read(tmp_path / "n.xdsl", xdsl(sizes, n_states, parameters, strengths))
    np.testing.assert_allclose(model.tables[-1], plain_noisy_max(of_state, leak), atol=1e-12)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (xdsl([3], 2, [0.9, 0.1, 0.5, 0.5, 0, 1, 0, 1], "1 2 0"), "has two meanings"),
        (xdsl([2], 2, [0.9, 0.1, 0.5, 0.5, 0, 1], "1 0"), "has two meanings"),
        (xdsl([2], 2, [0.9, 0.1, 0, 1], "0 1"), "needs 6 parameters"),
        (xdsl([2], 2, [0.9, 0.3, 0, 1, 0, 1], "0 1"), "does not sum to 1"),
        (xdsl([2], 2, [0.9, 0.1, 0, 1, 0, 1], "0 1 2"), "needs 2 strengths"),
        (xdsl([2] * 24, 2, [0.5] * 98, " ".join(["0 1"] * 24)), "of 24 parents has 33,554,432 cells"),
        (xdsl([2], 2, [0.9, 0.1, 0, 1, 0, 1], "0 1", "noisyadder"), "its element strengths is not known"),
        (adder([2], 2, [0.9, 0.1, 0, 1, 0, 1], "1"), "needs 2 weights"),
        (adder([2], 2, [0.9, 0.1, 0, 1, 0, 1], "0 0"), "needs 2 weights"),
        (adder([2], 2, [0.9, 0.1, 0, 1], "1 1"), "needs 6 parameters"),
        (xdsl([2], 2, [1.0], "0 1", "decision"), "of kind decision"),
    ],
)
def test_what_is_refused(tmp_path, text, said):
    with pytest.raises(FormatError, match=said) as caught:
        read(tmp_path / "n.xdsl", text)
    assert "parameters" in said or "strengths" in said or "sum" in said or "weights" in said or caught.value.remedy


def early(table: str, more: str = "") -> str:
    states = "".join(f"<VALUE>{s}</VALUE>" for s in "xyz")
    return (
        '<?XML VERSION="1.0"?>\n<!DOCTYPE BIF [ <!ELEMENT BIF ( NETWORK )*> ]>\n<BIF><NETWORK><NAME>n</NAME>'
        f"<VARIABLE><NAME>a</NAME><TYPE>discrete</TYPE><VALUE>0</VALUE><VALUE>1</VALUE></VARIABLE>"
        f"<VARIABLE><NAME>b</NAME><TYPE>discrete</TYPE>{states}</VARIABLE>"
        "<PROBABILITY><FOR>a</FOR><TABLE>0.25 0.75</TABLE></PROBABILITY>"
        f"<PROBABILITY><FOR>b</FOR><GIVEN>a</GIVEN>{more}<TABLE>{table}</TABLE></PROBABILITY></NETWORK></BIF>"
    )


def test_before_xmlbif_03_the_variable_varies_slowest(tmp_path):
    model = read(tmp_path / "n.xml", early("0.1 0.5 <!-- x --> 0.2 0.25 0.7 0.25"))
    assert [v.states for v in model.variables] == [("0", "1"), ("x", "y", "z")]
    np.testing.assert_allclose(model.tables[1], [[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]])
    with pytest.raises(FormatError, match="has 5 probabilities where 6 are needed"):
        read(tmp_path / "n.xml", early("0.1 0.5 0.2 0.25 0.7"))
    with pytest.raises(FormatError, match="and has ENTRY"):
        read(tmp_path / "n.xml", early("0.1 0.5 0.2 0.25 0.7 0.25", "<ENTRY><TABLE>1 0 0</TABLE></ENTRY>"))


def test_a_noisy_or_by_hand(tmp_path):
    """0.89, 0.57 and 0.53 alone, 0.01 for nothing: all three miss with 0.11 · 0.43 · 0.47 · 0.99."""
    parameters = [0.89, 0.11, 0, 1, 0.57, 0.43, 0, 1, 0.53, 0.47, 0, 1, 0.01, 0.99]
    table = read(tmp_path / "n.xdsl", xdsl([2, 2, 2], 2, parameters, "0 1 0 1 0 1")).tables[-1]
    assert table[0, 0, 0, 0] == pytest.approx(0.9779913, abs=5e-8) and table[1, 1, 1, 0] == pytest.approx(0.01)


def test_a_noisy_adder_by_hand(tmp_path):
    parameters = [0.2, 0.8, 0.0, 1.0, 0.5, 0.5, 0.6, 0.4, 0.0, 1.0, 0.1, 0.9]  # of states of P0, of P1, of the leak
    path, said = tmp_path / "n.xdsl", []
    path.write_text(adder([2, 3], 2, parameters, "1 2.5 0.5"))
    table = open_parameters(str(path), warn=said.append).tables[-1]
    assert len(said) == 1 and "noisy-adder node 'C' is read as the weighted average" in said[0]
    assert table.shape == (2, 3, 2)
    assert table[0, 1, 0] == pytest.approx((1 * 0.2 + 2.5 * 0.6 + 0.5 * 0.1) / 4.0)
    assert table[1, 2].tolist() == pytest.approx([0.5 * 0.1 / 4.0, (1.0 + 2.5 + 0.5 * 0.9) / 4.0])
