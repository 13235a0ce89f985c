"""The codes of refusals, the same in all languages."""

from __future__ import annotations

import pytest
from django.utils import translation
from rest_framework import serializers

from importer import wire_fields
from importer.serializers import flatten


class Everything(serializers.Serializer):
    """A serializer with a field of every kind, none of which needs a database."""

    text = wire_fields.TextField(max_length=3, min_length=2, required=False)
    number = wire_fields.IntegerField(max_value=9, required=False)
    price = wire_fields.DecimalField(max_digits=4, decimal_places=2, required=False)
    yes = wire_fields.BooleanField(required=False)
    day = wire_fields.DateField(required=False)
    moment = wire_fields.DateTimeField(required=False)
    kind = wire_fields.ChoiceField(["a"], required=False)
    needed = wire_fields.TextField()


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"text": "abcd"}, "too-long"),
        ({"text": "a"}, "too-short"),
        ({"text": 5}, "not-a-text"),
        ({"text": "a\x00"}, "control-characters"),
        ({"number": "5"}, "not-a-number"),
        ({"number": 10}, "out-of-range"),
        ({"price": "x"}, "not-a-number"),
        ({"price": "1.234"}, "too-many-digits"),
        ({"price": "123"}, "too-many-digits"),
        ({"yes": "true"}, "not-a-boolean"),
        ({"day": "2026-02-30"}, "no-such-day"),
        ({"moment": "soon"}, "not-a-date"),
        ({"moment": "2026-02-03T10:00:00"}, "no-offset"),
        ({"kind": "b"}, "not-a-choice"),
        ({"needed": None}, "required"),
        ({"needed": ""}, "required"),
    ],
)
@pytest.mark.parametrize("language", ["en", "de"])
def test_each_refusal_of_a_field_has_a_code_in_every_language(given, code, language):
    with translation.override(language):
        bound = Everything(data={"needed": "x", **given})
        assert not bound.is_valid()
        (problem,) = flatten(bound.errors)
    assert (problem.path, problem.code) == (next(iter(given)), code)


def test_a_missing_property_has_the_code_required():
    bound = Everything(data={})
    assert not bound.is_valid()
    assert [p.code for p in flatten(bound.errors)] == ["required"]
