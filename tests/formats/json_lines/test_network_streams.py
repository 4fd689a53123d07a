"""Networks one behind the other in one stream."""

from __future__ import annotations

import dataclasses
import io

import pytest
from helpers.cases.graphs import THREE, network_of

from formats import open_network, open_networks, pick_network, write_network
from formats.errors import FormatError, Inconsistent, Truncated
from formats.json_lines.network_lines import network_text
from formats.textlines import Lines

OTHER = network_of([(), (), ()], ["x", "y", "z"])
TEXTS = [network_text(network) for network in (THREE, OTHER, THREE)]


def read(text: str):
    return list(open_networks(Lines(io.BytesIO(text.encode()))))


@pytest.mark.parametrize("n_networks", [1, 2, 3])
@pytest.mark.parametrize("between", ["", "\n", "\n \n"])
def test_all_come_back(n_networks, between):
    found = read(between.join(TEXTS[:n_networks]))
    assert [network.parents for network in found] == [THREE.parents, OTHER.parents, THREE.parents][:n_networks]
    assert [network.header.names[0] for network in found] == ["A", "x", "A"][:n_networks]


def test_they_come_one_by_one():
    stream = open_networks(Lines(io.BytesIO((TEXTS[0] + "nonsense\n").encode())))
    assert next(stream).parents == THREE.parents
    with pytest.raises(FormatError, match="5"):
        next(stream)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            TEXTS[0] + TEXTS[1][:-5],
            r"inside a line: 2 of 3 variables arrived, without z \(in network 2, after 1 whole network\)",
        ),
        (
            TEXTS[0].rsplit("\n", 2)[0] + "\n" + TEXTS[1],
            r"ends early: 2 of 3 .* \(in network 1, after 0 whole networks\)",
        ),
        (TEXTS[0] + TEXTS[1][:40], r"inside its header \(in network 2, after 1 whole network\)"),
    ],
)
def test_a_torn_stream_says_what_came_whole(text, message):
    with pytest.raises(Truncated, match=message) as raised:
        read(text)
    assert "--partial" in str(raised.value)


def test_errors_are_reported_with_the_line():
    wrong = TEXTS[1].replace('"child":1,"parents":[[]]', '"child":1,"parents":[[7]]')
    with pytest.raises(Inconsistent, match="<stream>:7:"):
        read(TEXTS[0] + wrong)


def test_no_input_is_an_error():
    with pytest.raises(FormatError, match="empty"):
        read("")


def test_another_format_is_one_network(tmp_path):
    path = str(tmp_path / "n.dot")
    write_network(path, THREE, "dot")
    assert [network.parents for network in open_networks(path)] == [THREE.parents]


@pytest.mark.parametrize("second", [0, 1])
def test_one_network_is_wanted(second):
    """A network that comes twice is two, too."""
    with pytest.raises(Inconsistent, match="<stream>:5: a second network begins"):
        open_network(io.BytesIO((TEXTS[0] + "\n" * second + TEXTS[second]).replace("\n\n", "\n").encode()))


def scored(total: float | None):
    extra = {} if total is None else {"total": total}
    return network_text(dataclasses.replace(OTHER, header=dataclasses.replace(OTHER.header, extra=extra)))


def test_one_is_picked():
    def pick(texts, place):
        return pick_network(Lines(io.BytesIO("".join(texts).encode())), place)

    assert pick(TEXTS, 2).header.names == OTHER.header.names
    best = pick([scored(total) for total in (-3.0, -1.0, -2.0)], None)
    assert best.header.extra["total"] == -1.0
    with pytest.raises(Inconsistent, match="no network 4: the stream has 3 networks"):
        pick(TEXTS, 4)
    with pytest.raises(Inconsistent, match="network 2 has no total score"):
        pick([scored(-1.0), scored(None)], None)
