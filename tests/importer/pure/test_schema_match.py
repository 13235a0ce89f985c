"""The own check of valid headers, with ``jsonschema`` as its oracle."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, strategies as st
from jsonschema import Draft202012Validator

from importer import registry
from importer.package.header_check import HeaderCheck
from importer.package.schema_match import NotSupported, matches
from tests.drill import effort

NAMED = {"short": {"maxLength": 2}}
VALUES = [
    *(None, True, False, 0, 1, 2, 7, -1, "", "a", "ab", "abc", "1", [], [1], ["a", 1]),
    *({}, {"a": 1}, {"a": "abc"}, {"b": None}, {"a": True, "b": ["a"]}),
]
SCHEMAS = [
    *(True, False, {}, {"title": "x", "description": "y", "default": 1}),
    *({"type": name} for name in ("string", "integer", "boolean", "array", "object")),
    *({"type": "null"}, {"type": ["null", "integer"]}),
    *({"const": "a"}, {"const": True}, {"const": False}, {"enum": ["a", "1", True]}),
    *({"required": ["a"]}, {"required": ["a", "b"]}, {"required": []}),
    *({"dependentRequired": {"a": ["b"]}}, {"dependentRequired": {"b": ["a"]}}),
    *({"properties": {"a": {"type": "integer"}, "b": True}}, {"items": {"const": "a"}}),
    {"properties": {"a": True}, "additionalProperties": False},
    *({"additionalProperties": False}, {"additionalProperties": {"type": "string"}}),
    {"properties": {"a": True}, "additionalProperties": {"type": "null"}},
    *({"minLength": 2}, {"maxLength": 1}, {"minimum": 1}, {"maximum": 1}),
    *({"contains": {"const": "a"}}, {"contains": True}, {"maxItems": 1}),
    *({"pattern": "b"}, {"pattern": "^a$"}, {"not": {"type": "string"}}),
    *({of: [{"required": ["a"]}, {"type": "object"}]} for of in ("oneOf", "anyOf")),
    {"allOf": [{"minLength": 1}, {"maxLength": 2}]},
    {"if": {"required": ["a"]}, "then": {"required": ["b"]}},
    {"if": {"type": "string"}, "else": {"type": "null"}},
    {"if": {"type": "string"}, "then": {"$ref": "#/$defs/short"}, "else": False},
    {"$ref": "#/$defs/short", "minLength": 1},
]


@pytest.mark.parametrize("schema", SCHEMAS, ids=str)
def test_every_keyword_matches_what_jsonschema_finds_valid(schema):
    oracle = _oracle(schema)
    for value in VALUES:
        assert matches(schema, value, NAMED) == oracle.is_valid(value), value


@effort(100)
@given(
    schema=st.recursive(
        st.sampled_from(SCHEMAS),
        lambda inner: st.one_of(
            *(
                st.lists(inner, min_size=1, max_size=3).map(lambda s, of=of: {of: s})
                for of in ("oneOf", "anyOf", "allOf")
            ),
            inner.map(lambda s: {"not": s}),
            st.tuples(inner, inner, inner).map(
                lambda s: dict(zip(("if", "then", "else"), s, strict=True))
            ),
            inner.map(lambda s: {"properties": {"a": s}, "items": s}),
        ),
        max_leaves=6,
    ),
    value=st.sampled_from(VALUES),
)
def test_combined_keywords_match_what_jsonschema_finds_valid(schema, value):
    assert matches(schema, value, NAMED) == _oracle(schema).is_valid(value)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "integer"}, Decimal(1)),
        ({"minimum": 1}, 0.5),
        ({"const": 1}, 1),
        ({"enum": [[1]]}, [1]),
        ({"type": "number"}, 1),
        ({"uniqueItems": True}, [1, 1]),
        ({"patternProperties": {"a": {"type": "string"}}}, {}),
        ({"$ref": "other.json"}, 1),
    ],
)
def test_what_is_not_supported_is_left_to_jsonschema(schema, value):
    with pytest.raises(NotSupported):
        matches(schema, value, {})


def test_a_valid_package_needs_no_jsonschema():
    """Its import costs more time and memory than a small run."""
    check = HeaderCheck(registry.package_format().schema)
    header = {
        "format": "platform-import/1",
        "package": "a.b",
        "version": 1,
        "origin": "import",
        "configuration": "Trade",
        "steps": [
            {"dictionary": "Items", "items": [], "match": ["code"], "onChange": "skip"},
            {"dataProcessor": "RecalculateCosts", "items": [], "execute": "always"},
            {"document": "SalesOrders", "items": [], "submit": True},
            {"createFrom": "SalesOrders", "document": "GoodsIssues", "items": []},
        ],
    }
    assert check(header) == []
    assert "_validators" not in vars(check)
    assert check({**header, "version": "1"})
    assert "_validators" in vars(check)


def _oracle(schema):
    if isinstance(schema, bool):
        return Draft202012Validator(schema)
    return Draft202012Validator({**schema, "$defs": NAMED})
