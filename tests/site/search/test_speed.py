"""The search in many rows: its queries, and its time."""

from __future__ import annotations

import pytest

from platform_site.records import row_search
from tests.catalogs.rows import a_unit, an_item
from tests.site.search.searcher import seen

pytestmark = pytest.mark.django_db
MOST_QUERIES = 14


def test_queries_are_as_many_however_many_rows_there_are(
    admin, django_assert_max_num_queries
):
    unit = a_unit().pk
    for number in range(3):
        an_item(code=f"PIPE-{number}", name="Copper", unitOfMeasureId=unit)
    admin.types("copper")
    with django_assert_max_num_queries(MOST_QUERIES) as few:
        admin.types("copper")
    for number in range(3, 40):
        an_item(code=f"PIPE-{number}", name="Copper", unitOfMeasureId=unit)
    with django_assert_max_num_queries(len(few)):
        admin.types("copper")


def test_all_names_are_compared_in_slices(admin, monkeypatch):
    monkeypatch.setattr(row_search, "NAMES_AT_ONCE", 24)
    unit = a_unit().pk
    an_item(code="B1", name="Copper", unitOfMeasureId=unit)
    for _ in range(9):
        an_item(name="Iron", unitOfMeasureId=unit)
    found = admin.answer("copper").context["found"]
    assert [hit.code for group in found.groups for hit in group.hits] == ["B1"]
    assert not found.unfinished


def test_a_search_without_time_says_where_to_go_on(admin, monkeypatch):
    monkeypatch.setattr(row_search, "NAMES_AT_ONCE", 24)
    monkeypatch.setattr("platform_site.site.search.views.TYPING_SECONDS", 0)
    monkeypatch.setattr("platform_site.site.search.views.PAGE_SECONDS", 0)
    unit = a_unit().pk
    an_item(code="B1", name="Copper", unitOfMeasureId=unit)
    for _ in range(9):
        an_item(name="Iron", unitOfMeasureId=unit)
    assert "press Enter" in admin.types("copper")
    page = admin.answer("copper")
    assert "Search in the lists: Items" in seen(page)
    assert "/admin/catalogs/item/?q=copper" in page.content.decode()
