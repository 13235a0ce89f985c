"""The texts and limits in the published schema, which come from models and serializers."""

from __future__ import annotations

import pytest
from django.utils import translation
from jsonschema import Draft202012Validator
from rest_framework import serializers

from catalogs.models import Item
from importer import registry
from importer.targets import TextField
from platform_site.settings.apps import added_labels
from tests.builders import a_package


def described(fields):
    for field in fields:
        yield field.name, field.description
        yield from described(field.lines)


# Whether properties of added apps are described is up to those who wrote them.
OWN = [
    name
    for name, target in registry.targets().items()
    if target.model._meta.app_label not in added_labels()
]


@pytest.mark.parametrize("name", OWN)
def test_every_property_has_a_description(name):
    spec = registry.targets()[name].describe()
    missing = [each for each, text in described(spec.fields) if not text]
    assert missing == []


def test_descriptions_are_the_english_help_texts_of_the_forms():
    with translation.override("de"):
        spec = registry.targets()["Items"].describe()
        assert str(Item._meta.get_field("barcode").help_text).startswith("Die ")
    with translation.override("en"):
        text = str(Item._meta.get_field("barcode").help_text)
    assert spec.field("barcode").description == text


def test_the_schema_knows_the_limits_of_values():
    definitions = registry.package_format().schema["$defs"]
    unit, currency, order = (
        definitions[f"item.{name}"]["properties"]
        for name in ("UnitsOfMeasure", "Currencies", "SalesOrders")
    )
    assert unit["code"]["type"] == "string"
    assert {"maxLength": 20} in unit["code"]["anyOf"]
    assert (currency["minorUnits"]["minimum"], currency["minorUnits"]["maximum"]) == (
        0,
        6,
    )
    assert order["lines"]["minItems"] == 1
    line = order["lines"]["items"]["properties"]
    assert line["quantity"]["exclusiveMinimum"] == 0
    assert line["price"]["minimum"] == 0
    formats = [each["then"]["format"] for each in definitions["dateTime"]["allOf"]]
    assert formats == ["date", "date-time"]


def test_a_text_of_control_characters_is_not_an_empty_text():
    """Some of them count as white space."""
    with pytest.raises(serializers.ValidationError) as refused:
        TextField(allow_blank=True).run_validation("\x1f")
    assert refused.value.get_codes() == ["control"]


def test_spaces_around_a_text_do_not_count_for_its_length(run):
    package = a_package().with_step("Currencies")
    package.item("c", code="EUR" + " " * 40, name="Euro")
    assert not run(package, dry_run=True).has_errors
    schema = registry.package_format().schema
    assert Draft202012Validator(schema).is_valid(package.as_dict())
