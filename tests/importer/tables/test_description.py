"""Descriptions of tables as JSON: what is wrong with one is said with its place."""

from __future__ import annotations

import io

import pytest

from importer.tables.description_check import DescriptionRefused
from importer.tables.errors import TableError
from importer.tables.packages import table_description, write_package

GOOD = {
    "target": "Items",
    "columns": [
        {"column": "SKU", "property": "code"},
        {"column": "Name", "property": "name"},
    ],
    "key": ["code"],
}


def errors(**changes):
    with pytest.raises(DescriptionRefused) as refusal:
        table_description({**GOOD, **changes})
    return refusal.value.errors


@pytest.mark.parametrize(
    ("changes", "place", "sentence"),
    [
        ({"target": "Itemz"}, "target", 'did you mean "Items"'),
        ({"target": "RecalculateCosts"}, "target", "no table can be imported"),
        ({"kind": "document"}, "kind", "Items is a dictionary"),
        ({"colums": []}, "colums", 'did you mean "columns"'),
        ({"delimiter": ";;"}, "delimiter", "must be one character"),
        ({"decimal": ";"}, "decimal", "must be one of ,, ."),
        ({"encoding": "utf-9"}, "encoding", "no encoding of this name"),
        ({"encoding": "hex"}, "encoding", "no encoding of this name"),
        ({"dateFormat": "DD.MM"}, "dateFormat", "must have YYYY or YY, MM and DD"),
        ({"headerRow": -1}, "headerRow", "must be a line from 0"),
        ({"onMissing": "erase"}, "onMissing", "must be one of keep, report, delete"),
        ({"key": []}, "key", "name the properties that identify a row"),
        ({"key": ["barcode"]}, "key", "must be the property of a column"),
        ({"columns": []}, "columns", "must be a list of columns"),
        ({"name": "$list"}, "name", "must not start with $"),
        ({"groupBy": ["code"]}, "groupBy", "only rows that are lines"),
    ],
)
def test_a_wrong_key_is_refused(changes, place, sentence):
    assert sentence in errors(**changes)[place]


@pytest.mark.parametrize(
    ("column", "place", "sentence"),
    [
        ({"property": "prise", "column": "P"}, ".property", 'did you mean "price"'),
        ({"property": "code", "column": "P"}, ".property", "columns[0] is the same"),
        ({"property": "price"}, "", "needs a column, or a default"),
        ({"column": "P"}, ".property", "is required"),
        (
            {"property": "price", "column": "P", "lookup": "code"},
            ".lookup",
            "references",
        ),
        ({"property": "price", "column": "P", "lookup": "path"}, ".lookup", "parentId"),
        ({"property": "price", "column": "P", "lookup": "x"}, ".lookup", "one of code"),
        ({"property": "price", "column": "P", "valeus": {}}, ".valeus", "unknown key"),
        (
            {"property": "price", "column": "P", "values": {"a": []}},
            ".values",
            "must have",
        ),
    ],
)
def test_a_wrong_column_is_refused(column, place, sentence):
    found = errors(columns=[*GOOD["columns"], column])
    assert sentence in found[f"columns[2]{place}"]


def test_all_errors_are_told_at_once():
    assert set(errors(key=[], delimiter="ab")) == {"key", "delimiter"}


def test_lines_need_what_they_are_grouped_by():
    columns = [
        {"column": "No", "property": "code"},
        {"column": "Item", "property": "lines.itemId"},
    ]
    with pytest.raises(DescriptionRefused, match="equal in all lines"):
        table_description(
            {"target": "SalesOrders", "columns": columns, "key": ["code"]}
        )


def test_a_saved_source_is_a_description_too():
    saved = {**GOOD, "name": "supplier", "origin": None, "enabled": True}
    assert table_description(saved).package == "supplier"


def test_a_description_returns_as_it_came():
    assert table_description(GOOD).wire() == GOOD


def test_a_column_that_the_table_lacks_is_named_with_those_it_has():
    description = table_description(GOOD)
    with pytest.raises(TableError) as refusal:
        write_package(io.BytesIO(b"SKU;Nam\n1;x\n"), description, io.BytesIO())
    assert str(refusal.value) == (
        'the table has no column “Name”; did you mean "Nam"?; it has: SKU, Nam'
    )


def test_a_wrong_default_is_refused_before_the_run():
    wrong = {"property": "price", "default": "much"}
    description = table_description({**GOOD, "columns": [*GOOD["columns"], wrong]})
    with pytest.raises(TableError, match="the default of price"):
        write_package(io.BytesIO(b"SKU;Name\n1;x\n"), description, io.BytesIO())
