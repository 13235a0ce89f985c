"""Searches that ignore case, in every alphabet and on both databases."""

from __future__ import annotations

import pytest

from catalogs.models import UnitOfMeasure
from tests.catalogs.rows import a_unit

pytestmark = pytest.mark.django_db
NAMES = ["Молоко свежее", "Öl", "Straße", "100% Wolle"]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("молоко", "Молоко свежее"),
        ("МОЛОКО СВЕЖЕЕ", "Молоко свежее"),
        ("СВЕЖ", "Молоко свежее"),
        ("öl", "Öl"),
        ("ÖL", "Öl"),
        ("straße", "Straße"),
        ("0% w", "100% Wolle"),
        ("WOLLE", "100% Wolle"),
        ("stra", "Straße"),
        ("0%", "100% Wolle"),
    ],
)
def test_a_name_contains_what_was_typed_in_any_case(typed, found):
    for name in NAMES:
        a_unit(name=name)
    rows = UnitOfMeasure.objects.filter(name__icontains=typed)
    assert [row.name for row in rows] == [found]


def test_a_name_begins_with_what_was_typed_in_any_case():
    for name in NAMES:
        a_unit(name=name)
    rows = UnitOfMeasure.objects.filter(name__istartswith="молоко")
    assert [row.name for row in rows] == ["Молоко свежее"]
    assert not UnitOfMeasure.objects.filter(name__istartswith="свежее").exists()
