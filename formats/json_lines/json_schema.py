"""JSON Schema (draft 2020-12) of objects and of lines of our formats, derived from the keys in `schemas`.

A schema allows keys that it does not name, as readers do; so it holds for every file of its version.
"""

from __future__ import annotations

from typing import Any

from ..schemas import FOREST, NETWORK, PARTS, FileFormat, Key

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def lines_schema(spec: FileFormat) -> dict[str, Any]:
    """The schema of each line of a format: a header if it has the key ``format``, else a record."""
    header, record = object_schema(spec.header), object_schema(spec.record)
    header["properties"]["format"]["const"] = spec.name
    header["properties"]["version"]["const"] = spec.version
    if spec in (NETWORK, FOREST):
        for name in ("parents", "scores"):
            record["properties"][name] |= {"minItems": 1, "maxItems": 1}
    return {
        "$schema": DRAFT,
        "title": f"Line of {spec.name}, version {spec.version}",
        "type": "object",
        "if": {"required": ["format"]},
        "then": {"$ref": "#/$defs/header"},
        "else": {"$ref": "#/$defs/record"},
        "$defs": {"header": header, "record": record},
    }


def record_schema(title: str, keys: tuple[Key, ...]) -> dict[str, Any]:
    """The schema of lines that are all of one kind."""
    return {"$schema": DRAFT, "title": title, **object_schema(keys)}


def object_schema(keys: tuple[Key, ...]) -> dict[str, Any]:
    """The schema of an object with these keys, the optional ones included."""
    return {
        "type": "object",
        "required": [key.name for key in keys if key.required],
        "properties": {key.name: _value_schema(key) for key in keys},
    }


def _value_schema(key: Key) -> dict[str, Any]:
    schema = _type_schema(key.type)
    if key.name in PARTS:
        part = object_schema(PARTS[key.name])
        schema = part if key.type == "object" else schema | {"items": part}
    if key.nullable:
        schema["type"] = [schema["type"], "null"]
    return schema | {"description": f"{key.meaning}; {key.unit}" if key.unit else key.meaning}


def _type_schema(name: str) -> dict[str, Any]:
    base, _, item = name.partition("<")
    if base == "list":
        return {"type": "array", "items": _type_schema(item[:-1])}
    names = base.split("|")
    return {"type": names if len(names) > 1 else base}
