"""The endpoint that exports rows as a package."""

from __future__ import annotations

import json

import pytest

from tests.builders import make_row
from tests.importer.exports.exporting import exported

pytestmark = pytest.mark.django_db


@pytest.fixture
def kg(admin):
    return make_row("UnitsOfMeasure", actor=admin, code="kg", name="kilogram")


def body(answer):
    return b"".join(answer.streaming_content)


def test_rows_are_sent_as_the_file_of_a_package(kg, calls):
    answer = calls.get("export", dictionary="UnitsOfMeasure,Items")
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/json"
    assert 'filename="export-unitsofmeasureitems.json"' in answer["Content-Disposition"]
    assert body(answer) == exported("UnitsOfMeasure", "Items")


def test_filters_name_and_version_can_be_given(kg, calls):
    made = {"package": "mine", "version": "3"}
    answer = calls.get("export", dictionary="UnitsOfMeasure", where="code=g", **made)
    found = json.loads(body(answer))
    assert (found["package"], found["version"], found["steps"]) == ("mine", 3, [])


@pytest.mark.parametrize(
    ("query", "property"),
    [
        ({}, "dictionary"),
        ({"dictionary": "Constants"}, "dictionary"),
        ({"dictionary": "Items", "where": "prise=3"}, "prise"),
        ({"dictionary": "Items", "version": "0"}, "version"),
        ({"dictionary": "Items", "package": "$x"}, "package"),
    ],
)
def test_a_wrong_query_is_refused_with_its_property(calls, db, query, property):
    answer = calls.get("export", **query)
    assert answer.status_code == 400
    assert [*answer.json()["errors"]] == [property]


def test_rows_that_no_package_can_have_are_named(admin, calls):
    make_row("UnitsOfMeasure", actor=admin, code="bag", name="$5 bag")
    answer = calls.get("export", dictionary="UnitsOfMeasure")
    assert answer.status_code == 400
    assert [*answer.json()["errors"]] == ["UnitsOfMeasure bag $5 bag: name"]
