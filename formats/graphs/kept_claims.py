"""The facts in the header of a network, as one property of a file with parameters: score, gap, knowledge, local
scores.

The text is JSON, percent-encoded as names are (`mended_words.kept`). A digest also covers the variables, states and
arcs of the network. So claims that were edited, or whose file now has another network, are ignored with a warning.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import FormatError
from ..graph_records import BayesianNetwork
from ..records import Header, ParentSetRecord
from ..schemas import NETWORK
from ..textlines import Lines

_DIGEST = "sha256"
_SCORES = "scores"


def says_nothing(header: Header) -> bool:
    """Whether a header has only names and states, and the commands that wrote it, as for a structure from a foreign
    file.
    """
    return replace(header, lacks_isolated=False, by=(), created=None) == Header(header.variables)


def claims_of(model: BayesianNetwork) -> list[str]:
    """The text of the claims about a network; none if its header has none. The time of writing is left out, so that
    equal runs give equal bytes.
    """
    if model.header is None or says_nothing(model.header):
        return []
    from ..json_lines.jsonl_writer import encode_header

    fields = json.loads(encode_header(NETWORK.name, replace(model.header, variables=(), created=None)))
    del fields["variables"], fields["format"]
    if model.scores is not None and not np.isnan(model.scores).all():
        fields[_SCORES] = [None if score != score else score for score in model.scores.tolist()]
    fields[_DIGEST] = _digest(model, fields)
    return [_as_json(fields)]


def with_claims(model: BayesianNetwork, texts: Sequence[str], lines: Lines) -> BayesianNetwork:
    """The network with the header and local scores that a property of its file keeps, if these are sound.

    `texts`: the text, if there is one. `lines.warn` reports claims that are ignored.
    """
    if not texts:
        return model
    try:
        header, scores = _decoded(model, texts[0], lines)
    except (FormatError, ValueError, TypeError, RecursionError) as error:
        why = error.message if isinstance(error, FormatError) else str(error)
        lines.warn(f"{lines.source}: what the file says of score, gap and knowledge is ignored: {why}")
        return model
    return replace(model, variables=header.variables, header=header, scores=scores)


def _decoded(model: BayesianNetwork, text: str, lines: Lines) -> tuple[Header, np.ndarray]:
    """The header and the local scores.

    Raises `ValueError`, `TypeError`, `RecursionError`, `FormatError`: they are unsound.
    """
    from ..json_lines.jsonl import decode_header
    from .network_claims import check_while_reading

    try:
        fields = json.loads(text, parse_constant=_no_number)
    except ValueError:
        raise ValueError("it is no property that bnsl wrote") from None
    if not isinstance(fields, dict) or fields.pop(_DIGEST, None) != _digest(model, fields):
        raise ValueError("variables, states or arcs are others now, or it was edited")
    listed = fields.pop(_SCORES, None) or [None] * len(model.variables)
    if len(listed) != len(model.variables) or not all(s is None or type(s) in (int, float) for s in listed):
        raise ValueError("its local scores are not one number for each variable")
    scores = np.array(listed, dtype=np.float64)
    variables = [{"name": v.name, "states": list(v.known_states)} for v in model.variables]
    header = decode_header(lines, fields | {"format": NETWORK.name, "variables": variables}).header
    records = (
        ParentSetRecord.of(child, (sorted(parents),), (score,))
        for child, (parents, score) in enumerate(zip(model.parents, scores.tolist()))
    )
    for _ in check_while_reading(lines, header, records):
        pass
    return header, scores


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no JSON number")


def _as_json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def _digest(model: BayesianNetwork, fields: dict[str, Any]) -> str:
    """Digest of variables, states and arcs, and of all claims about them."""
    variables = [[v.name, v.states] for v in model.variables]
    text = _as_json([variables, [sorted(parents) for parents in model.parents], fields])
    return hashlib.sha256(text.encode()).hexdigest()[:32]
