"""Networks with parameters in HUGIN's ``.net`` language, read and written.

Chance nodes with states and potentials with a complete table are read; positions and other attributes are skipped,
findings with a warning. A row may hold weights, such as ``( 10 90 )`` or ``( 1 1 )``, as HUGIN writes them before it
compiles a network. A potential without data is uniform.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from ...graph_records import BayesianNetwork
from ...textlines import Lines
from ..findings import Finding, findings_in, warn_of_findings
from ..kept_claims import claims_of, with_claims
from ..mended_words import as_words, kept, original, restored
from ..parameter_tables import Families
from .tokens import Tokens, unquoted


def _as_identifier(name: str) -> str:
    """A name of letters, digits and ``_``, as HUGIN demands, for any text."""
    base = re.sub(r"[^A-Za-z0-9_]", "_", name)
    if not re.match(r"[A-Za-z_]", base) or base in ("net", "node", "potential", "utility", "decision"):
        base = f"_{base}"
    return base


def _identifiers(names: list[str]) -> list[str]:
    taken: set[str] = set()
    made = []
    for name in names:
        base = _as_identifier(name)
        # A name that is already an identifier keeps it, even if its variable comes later.
        candidate, suffix = base, 2
        while candidate in taken or (candidate != name and candidate in names):
            candidate, suffix = f"{base}_{suffix}", suffix + 1
        taken.add(candidate)
        made.append(candidate)
    return made


def _is_plain(text: str) -> bool:
    """Whether a string of the file holds a text as it is: pyAgrum refuses escaped quotes."""
    return text.isprintable() and not set(text) & set('"\\')


def _property(key: str, texts: Sequence[str], words: Sequence[str]) -> str:
    return "" if list(texts) == list(words) else f'  bnsl_{key} = "{kept(texts)}";\n'


def _nested(table: np.ndarray) -> str:
    if table.ndim == 1:
        return "( " + " ".join(map(repr, table.tolist())) + " )"
    return "(" + "".join(map(_nested, table)) + ")"


def hugin_text(network: BayesianNetwork) -> str:
    """The text of a ``.net`` file; names that HUGIN cannot hold become labels of generated identifiers.

    Texts that no label can hold are kept in attributes. Data are nested by the parents as listed; the states of the
    child vary fastest, then the states of the last parent.
    """
    identifiers = _identifiers([v.name for v in network.variables])
    title = as_words([network.name], _is_plain)
    parts = ["net\n{\n", f'  name = "{title[0]}";\n' if network.name != "unknown" else ""]
    parts += [_property("name", [network.name], title), _property("claims", claims_of(network), []), "}\n"]
    for variable, identifier in zip(network.variables, identifiers):
        label, states = as_words([variable.name], _is_plain), as_words(variable.known_states, _is_plain)
        parts.append(f"node {identifier}\n{{\n")
        parts.append(f'  label = "{label[0]}";\n' if label[0] != identifier else "")
        parts.append("  states = ( " + " ".join(f'"{state}"' for state in states) + " );\n")
        parts.append(_property("name", [variable.name], label))
        parts.append(_property("states", variable.known_states, states) + "}\n")
    for child, (parents, table) in enumerate(zip(network.parents, network.tables)):
        given = " | " + " ".join(identifiers[p] for p in parents) if parents else ""
        parts.append(f"potential ( {identifiers[child]}{given} )\n{{\n  data = {_nested(table)};\n}}\n")
    return "".join(parts)


def _kept(attributes: dict[str, tuple[list[str], int]]) -> dict[str, list[str]]:
    """The texts that our writer replaced, and its claims."""
    found = {
        key: unquoted("".join(attributes.get(f"bnsl_{key}", ([], 0))[0])) for key in ("name", "states", "claims")
    }
    return {key: restored(text) for key, text in found.items() if text}


def _findings(owner: str, attributes: dict[str, tuple[list[str], int]]) -> Iterator[Finding]:
    """The findings among the attributes of a block."""
    return findings_in(owner, {key: " ".join(map(unquoted, value)) for key, (value, _) in attributes.items()})


def _read_node(tokens: Tokens, families: Families) -> Iterator[Finding]:
    """A chance node; a label made by this program's writer is its name. Yields its findings."""
    at = tokens.at
    identifier = tokens.take_name()
    attributes = tokens.take_attributes()
    states, at = attributes.get("states", ([], at))
    names = [unquoted(token) for token in states if token not in "(),"]
    label = unquoted("".join(attributes.get("label", ([], 0))[0]))
    # Labels of other programs are descriptions: a label counts as the name only if the writer here would make this
    # identifier from it.
    is_made = label and re.fullmatch(re.escape(_as_identifier(label)) + r"(_\d+)?", identifier)
    families.add_variable(identifier, label if is_made else identifier, names, at)
    families.variables[-1] = original(families.variables[-1], _kept(attributes))
    yield from _findings(families.variables[-1].name, attributes)


def _read_potential(tokens: Tokens, families: Families) -> Iterator[Finding]:
    """A potential: the child comes first, data are nested by the parents as listed. Yields its findings."""
    head = tokens.at
    tokens.take("(")
    names = []
    while (name := tokens.take_name()) != ")":
        if name not in ("|", ","):
            names.append(name)
    family, attributes = [*names[1:], *names[:1]], tokens.take_attributes()
    yield from _findings(names[0] if names else "", attributes)
    if "data" in attributes:
        data, at = attributes["data"]
        families.add_table(family, [token for token in data if token not in "(),"], at)
        return
    if models := [key for key in attributes if key.startswith("model")]:
        message = f"the potential of {names[0] if names else '?'!r} is an expression ({models[0]}), no table"
        tokens.fail(message, head, remedy="compile the network in HUGIN, and save it with its tables")
    shape = families.shape(members := families.family(family, head))
    families.store(members, np.full(shape, 1.0 / shape[-1]), head)
    tokens.lines.warn(f"{tokens.lines.source}: the potential of {names[0]!r} has no data: it is uniform, as in HUGIN")


def read_hugin(lines: Lines) -> BayesianNetwork:
    """Read a HUGIN network of chance nodes."""
    tokens = Tokens(lines)
    families = Families(tokens.fail, takes_weights=True)
    name, claims = "unknown", []
    findings: list[Finding] = []
    while tokens.peek():
        at = tokens.at
        keyword = tokens.take()
        if keyword == "net":
            attributes = tokens.take_attributes()
            findings += _findings("", attributes)
            held = _kept(attributes)
            given = " ".join(map(unquoted, attributes.get("name", ([], at))[0]))
            name, claims = held.get("name", [given or name])[0], held.get("claims", [])
        elif keyword == "node" or (keyword == "discrete" and tokens.take("node")):
            findings += _read_node(tokens, families)
        elif keyword == "potential":
            findings += _read_potential(tokens, families)
        else:
            message = f"expected net, node or potential, got {keyword[:40]!r}: only chance nodes are read"
            tokens.fail(message, at)
    warn_of_findings(lines, findings)
    return with_claims(families.network(name), claims, lines)
