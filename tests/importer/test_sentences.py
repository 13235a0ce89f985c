"""The messages about wrong values: the value and the rule that it breaks."""

from __future__ import annotations

from decimal import Decimal

import pytest
from rest_framework import serializers

from importer import wire_fields
from importer.serializers import flatten
from importer.strict import StrictSerializer


class Everything(StrictSerializer):
    """A serializer with a value of each kind."""

    text = wire_fields.TextField(max_length=3, required=False)
    email = wire_fields.EmailField(required=False)
    choice = wire_fields.ChoiceField(["goods", "service"], required=False)
    truth = wire_fields.BooleanField(required=False)
    count = wire_fields.IntegerField(min_value=1, max_value=9, required=False)
    price = wire_fields.DecimalField(
        max_digits=6, decimal_places=4, min_value=Decimal("0.0001"), required=False
    )
    moment = wire_fields.DateTimeField(required=False)
    day = wire_fields.DateField(required=False)
    number = wire_fields.NumberField(required=False)
    uuid = wire_fields.UUIDField(required=False)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("text", 5, "5 isn't a string: give text in quotation marks."),
        ("text", {}, "An object isn't a string: give text in quotation marks."),
        ("text", ["a"], "An array isn't a string: give text in quotation marks."),
        ("text", True, "true isn't a string: give text in quotation marks."),
        ("count", 10**70, "A very large number is too large"),
        ("text", "", "This must not be empty."),
        ("text", None, "null is not allowed here: give a value, or leave the"),
        ("text", "long", '"long" is too long: give at most 3 characters.'),
        ("email", "a", '"a" isn\'t an e-mail address.'),
        ("choice", "good", '"good" isn\'t one of these: goods, service.'),
        ("choice", 1, "1 isn't one of these: goods, service."),
        ("truth", "yes", '"yes" isn\'t true or false.'),
        ("count", "1", '"1" isn\'t a whole number.'),
        ("count", 0, "0 is too small: give at least 1."),
        ("count", 10, "10 is too large: give at most 9."),
        ("price", "x", '"x" isn\'t a number. Example: 12.5.'),
        ("price", "0", '"0" is too small: give at least 0.0001.'),
        ("price", "1.23456", "has too many decimal places: give at most 4."),
        ("price", "123.4", "is too large: give at most 2 digits before"),
        (
            "moment",
            "2026-02-30",
            '"2026-02-30" isn\'t a date that exists: check the day and the month.',
        ),
        ("moment", "2026-02-30T10:00:00Z", "isn't a date that exists"),
        ("moment", "soon", '"soon" isn\'t a date: write it as YYYY-MM-DD'),
        (
            "day",
            "2026-13-01",
            '"2026-13-01" isn\'t a date that exists: check the day and the month.',
        ),
        ("day", "1.7.2026", '"1.7.2026" isn\'t a date: write it as YYYY-MM-DD.'),
        ("number", "x", '"x" isn\'t a whole number.'),
        ("uuid", "x", '"x" isn\'t a UUID.'),
    ],
)
def test_a_wrong_value_is_named_with_the_rule(name, value, sentence):
    asked = Everything(data={name: value})
    assert not asked.is_valid()
    (problem,) = flatten(asked.errors)
    assert problem.path == name
    assert sentence in problem.message
    assert "{" not in problem.message


def test_a_value_that_is_not_an_object_is_refused():
    with pytest.raises(serializers.ValidationError) as refused:
        Everything().run_validation([])
    (problem,) = flatten(refused.value.detail)
    assert problem.message == "Send a JSON object with the properties."
