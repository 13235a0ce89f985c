"""The paths of messages, and the messages for values of wrong types."""

from __future__ import annotations

from decimal import Decimal

import pytest

from importer.package import paths
from importer.package.fields import FieldKind, FieldSpec
from importer.package.wire_values import fits, misfit, short


@pytest.mark.parametrize(
    ("keys", "path"),
    [
        ([], "$"),
        (["version"], "version"),
        (["steps", 0], "steps[0]"),
        (
            ["steps", 0, "items", 12, "lines", 2, "itemId"],
            "steps[0].items[12].lines[2].itemId",
        ),
        (["x" * 300], "x" * 100),
    ],
)
def test_a_path_counts_from_zero_and_stays_short(keys, path):
    """OPEN-39."""
    assert paths.of_keys(keys) == path


@pytest.mark.parametrize(
    ("base", "inner", "path"),
    [
        ("steps[0]", "", "steps[0]"),
        ("steps[0]", "name", "steps[0].name"),
        ("steps[0]", "[1].name", "steps[0][1].name"),
        ("", "name", "name"),
        (paths.item_path(3, 4), "$id", "steps[3].items[4].$id"),
    ],
)
def test_a_path_can_be_continued(base, inner, path):
    assert paths.inside(base, inner) == path


GOOD = {
    FieldKind.TEXT: ["", "a", " $", "1"],
    FieldKind.INTEGER: [0, -1, 10**30],
    FieldKind.DECIMAL: [1, Decimal("1.5"), "1.50", "-0", "007", 10**14 - 1],
    FieldKind.BOOLEAN: [True, False],
    FieldKind.DATE: ["2024-01-01", "$now", "$today-1d", "no date"],
    FieldKind.DATE_TIME: ["2024-01-01T00:00:00Z", "$today"],
    FieldKind.CHOICE: ["a", "b"],
}
BAD = {
    FieldKind.TEXT: [1, True, "$", "$now", [], {}, Decimal(1)],
    FieldKind.INTEGER: [True, Decimal("1.0"), "1", [], 1.0],
    FieldKind.DECIMAL: [
        True,
        "1e5",
        "",
        " 1",
        "+1",
        "1.",
        ".5",
        "NaN",
        10**14,
        -(10**14),
        Decimal("1E3000000"),
        Decimal("-1E+14"),
        {},
    ],
    FieldKind.BOOLEAN: [0, 1, "true", "", Decimal(1)],
    FieldKind.DATE: [20240101, "$tomorrow", "$today ", []],
    FieldKind.DATE_TIME: [0, "$", "$now+1d"],
    FieldKind.CHOICE: ["A", "", 1, True, [], {}],
}


@pytest.mark.parametrize("kind", list(GOOD))
def test_each_kind_of_property_takes_its_values_and_no_others(kind):
    fitting = fits(FieldSpec("x", kind, choices=("a", "b")))
    assert [value for value in GOOD[kind] if not fitting(value)] == []
    assert [value for value in BAD[kind] if fitting(value)] == []


@pytest.mark.parametrize("kind", [*GOOD, FieldKind.REFERENCE, FieldKind.LINES])
def test_whatever_does_not_fit_is_refused_in_one_short_sentence(kind):
    field = FieldSpec("x", kind, choices=("a", "b"))
    wild = [10**2000, Decimal("1E3000000"), "x" * 5000, {"a": 1}, [1], True, "$x"]
    for value in [*BAD.get(kind, []), *wild]:
        sentence = misfit(field, value)
        assert 5 < len(sentence) < 200
        assert ",," not in sentence


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        (True, "true"),
        (0, "0"),
        ("a", '"a"'),
        ({}, "an object"),
        ([], "an array"),
        pytest.param("a" * 58, '"' + "a" * 58 + '"', id="long"),
        pytest.param("a" * 59, '"' + "a" * 55 + '..."', id="too long"),
        pytest.param(10**5000, "a very large number", id="huge"),
    ],
)
def test_a_value_is_shown_as_the_package_writes_it(value, shown):
    assert short(value) == shown


def test_a_misplaced_token_is_named_as_a_token():
    text = FieldSpec("x", FieldKind.TEXT)
    assert misfit(text, "$now") == 'the token "$now" is allowed only in a date'
    assert "isn't a token" in misfit(text, "$100")
