"""JSON Schemas against what is written and read: golden cases, files of former versions, damaged lines."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner
from helpers.places import CASES, SAMPLES
from hypothesis import given
from hypothesis import strategies as st

from bnsl_cli.commands.formats import json_schema
from bnsl_cli.main import cli
from formats import open_forest, open_network, open_parent_sets
from formats.errors import FormatError

READERS = {"parentsets": open_parent_sets, "network": open_network, "forest": open_forest}
VALIDATORS = {name: jsonschema.Draft202012Validator(json_schema(name)) for name in (*READERS, "trace", "measures")}


def golden_lines() -> Iterator[tuple[Path, str, dict[str, Any]]]:
    """Case, format and object of every line of JSON that a golden case expects, but for data."""
    for path in sorted(CASES.glob("*/*/expected_stdout")):
        name = ""
        for line in path.read_text().splitlines():
            fields = json.loads(line) if line.startswith("{") else {}
            if "format" in fields:
                name = fields["format"].removeprefix("bnsl.")
            if "format" in fields or "child" in fields:
                yield path.parent, name, fields
            elif "network" in fields:
                yield path.parent, "measures", fields


def test_golden_lines_are_valid_and_every_key_of_theirs_is_named():
    strict = {name: jsonschema.Draft202012Validator(closed(VALIDATORS[name].schema)) for name in VALIDATORS}
    seen = set()
    for case, name, fields in golden_lines():
        error = jsonschema.exceptions.best_match(strict[name].iter_errors(fields))
        assert error is None, f"{case}: {error.message}"
        seen |= {name, *fields}
    assert seen >= {*READERS, "measures", "by", "treewidth", "calibration", "shd", "fixed", "unlisted"}


def closed(schema: Any) -> Any:
    """The schema with every key refused that it does not name; options and the like may hold any."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    own = {key: closed(value) for key, value in schema.items()}
    return own | {"additionalProperties": False} if "properties" in own and "$schema" not in own else own


@pytest.mark.parametrize("name", ["parentsets", "network", "forest"])
def test_files_of_former_versions_are_valid(name: str):
    lines = (SAMPLES / f"{'sets' if name == 'parentsets' else name}.v1.jsonl").read_text().splitlines()
    for line in lines:
        VALIDATORS[name].validate(json.loads(line))


@pytest.mark.parametrize("name", VALIDATORS)
def test_schemas_are_schemas(name: str):
    jsonschema.Draft202012Validator.check_schema(VALIDATORS[name].schema)
    printed = CliRunner().invoke(cli, ["formats", name, "--schema"])
    assert json.loads(printed.stdout) == VALIDATORS[name].schema


@pytest.mark.parametrize("name", ["entropy", "arc-probabilities"])
def test_tables_have_none(name: str):
    result = CliRunner().invoke(cli, ["formats", name, "--schema"])
    assert result.exit_code == 2 and "is a table in Arrow" in result.stderr


def test_schema_needs_a_name():
    assert CliRunner().invoke(cli, ["formats", "--schema"]).exit_code == 2
    assert CliRunner().invoke(cli, ["formats", "network", "--schema", "--json"]).exit_code == 2


# ---- the readers refuse what a schema refuses

VALUES = st.sampled_from([None, True, 1, -2.5, "x", [], [1], ["x"], [[0]], {}, {"a": 1}])


@pytest.mark.parametrize("name", READERS)
@given(data=st.data())
def test_what_a_reader_takes_is_valid(tmp_path_factory, name: str, data: st.DataObject):
    path = SAMPLES / f"{'sets' if name == 'parentsets' else name}.v1.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    changed = copy.deepcopy(data.draw(st.sampled_from(lines)))
    place = lines.index(changed)
    keys = [*VALIDATORS[name].schema["$defs"]["header" if "format" in changed else "record"]["properties"]]
    key, value = data.draw(st.sampled_from(keys)), data.draw(VALUES)
    if data.draw(st.booleans()):
        changed.pop(key, None)
    else:
        changed[key] = value
    target = tmp_path_factory.getbasetemp() / f"{name}.jsonl"
    target.write_text("".join(json.dumps(line) + "\n" for line in [*lines[:place], changed, *lines[place + 1 :]]))
    try:
        READERS[name](str(target))
    except FormatError:
        return
    VALIDATORS[name].validate(changed)
