"""What a list says that has nothing to show."""

from __future__ import annotations

import pytest
from django.urls import reverse

from tests.catalogs.rows import a_clerk, a_warehouse, boss

pytestmark = pytest.mark.django_db


def test_a_list_without_rows_leads_to_the_first_one(client):
    client.force_login(boss())
    page = client.get(reverse("admin:catalogs_warehouse_changelist")).content.decode()
    assert "There is nothing here yet." in page
    assert f'<a href="{reverse("admin:catalogs_warehouse_add")}">Add the first' in page
    assert 'name="action"' not in page


def test_who_may_not_add_is_not_asked_to(client):
    client.force_login(a_clerk("view_warehouse"))
    page = client.get(reverse("admin:catalogs_warehouse_changelist")).content.decode()
    assert "There is nothing here yet." in page
    assert "Add the first" not in page


def test_a_choice_that_leaves_nothing_leads_back_to_all(client):
    a_warehouse()
    client.force_login(boss())
    url = reverse("admin:catalogs_warehouse_changelist")
    page = client.get(url, {"q": "nowhere"}).content.decode()
    assert "No results for this selection." in page
    assert '<a href="?">Show all</a>' in page
    assert 'value="nowhere"' in page, "the search stays, to be corrected"
    assert "There is nothing" not in client.get(url).content.decode()
