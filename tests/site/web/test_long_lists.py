"""The pages of long lists: how they are ordered, and how far they are counted."""

from __future__ import annotations

import pytest

from catalogs.models import Item, Warehouse
from platform_site.changes.models import ChangeEvent
from platform_site.database import paging
from platform_site.database.paging import BigTablePaginator
from platform_site.site.overview import lists
from tests.catalogs.rows import a_warehouse, an_item, boss
from tests.records.pages import url

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client):
    client.force_login(boss())
    return client


@pytest.fixture
def many(monkeypatch):
    """Make twelve warehouses a long list, of which eight are counted, or four that are
    found."""
    for number in range(12):
        a_warehouse(code=f"W{number:02}", name="Shed")
    monkeypatch.setattr(BigTablePaginator, "most", 8)
    monkeypatch.setattr(lists, "MOST_FOUND", 4)
    monkeypatch.setattr(paging, "_FEW", 2)


def order(page, model, **query):
    listed = page.get(url(model, "changelist", **query)).context["cl"]
    return listed.queryset.query.order_by


def test_a_list_is_not_ordered_by_a_column_that_is_not_sortable(page):
    by_time, by_user = "0", "1"
    assert order(page, ChangeEvent, o=by_user) == ("-pk",)
    assert order(page, ChangeEvent, o=by_time) == ("at", "pk")


@pytest.mark.parametrize("sign", ["", "-"])
def test_the_key_follows_the_column_that_orders_a_list(page, sign):
    an_item()
    # After the boxes to select rows and the code.
    assert order(page, Item, o=f"{sign}2") == (f"{sign}name", f"{sign}pk")


@pytest.mark.usefixtures("many")
def test_a_search_is_counted_less_far_than_a_list(page):
    whole = page.get(url(Warehouse, "changelist"))
    assert whole.context["cl"].result_count == 8
    found = page.get(url(Warehouse, "changelist", q="shed"))
    assert found.context["cl"].result_count == 4
    assert "There are more than 4 rows." in found.content.decode()
    few = page.get(url(Warehouse, "changelist", q="W1"))
    assert few.context["cl"].result_count == 2


@pytest.mark.usefixtures("many")
def test_rows_that_are_not_counted_are_not_selected_with_the_others(page, monkeypatch):
    question = 'class="question'
    monkeypatch.setattr("platform_site.records.admin.RecordAdmin.list_per_page", 2)
    assert question not in page.get(url(Warehouse, "changelist")).content.decode()
    monkeypatch.setattr(BigTablePaginator, "most", 12)
    assert question in page.get(url(Warehouse, "changelist")).content.decode()
