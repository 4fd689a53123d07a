"""Networks as text: a line ``child: parent parent`` for each variable. Names hold no blanks and no colons."""

from bnsl.plugin import Malformed, PlainNetwork


def read(text):
    """The network of a file."""
    parents = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        child, colon, others = line.partition(":")
        if not colon:
            raise Malformed(f"expected 'child: parents', got {line[:40]!r}", line=number)
        if child.strip() in parents:
            raise Malformed(f"variable {child.strip()!r} comes twice", line=number)
        parents[child.strip()] = others.split()
    return PlainNetwork(parents)


def write(network):
    """The text of a network; a `ValueError` is shown to the user."""
    for name in network.parents:
        if not name or ":" in name or name.split() != [name]:
            raise ValueError(f"the name {name!r} has a blank or a colon")
    return "".join(" ".join([f"{child}:", *parents]) + "\n" for child, parents in network.parents.items())
