"""The entrance of the API leads to every list that the caller may read."""

from __future__ import annotations

import pytest

from platform_site.accounts.api_keys import create_api_key
from platform_site.accounts.models import User
from tests.site.api.callers import Caller

pytestmark = pytest.mark.django_db


def test_every_list_can_be_read(admin):
    index = admin.get("/api/v1").json()
    names = [each["name"] for each in index["lists"]]
    assert {"Items", "SalesOrders", "StockMovements", "Users", "Webhooks"} <= {*names}
    for each in index["lists"]:
        assert admin.get(f"{each['path']}").status_code == 200, each
    assert admin.get("/About").json()["version"] == index["version"]
    assert admin.client.get(index["description"]).status_code == 200


def test_titles_are_in_the_language_of_the_caller(admin):
    index = admin.get("/api/v1", Accept_Language="de").json()
    assert "Artikel" in [each["title"] for each in index["lists"]]


def test_nobody_learns_of_more_than_they_may_read(admin, reader):
    everything = {each["name"] for each in admin.get("/api/v1").json()["lists"]}
    mine = {each["name"] for each in reader.get("/api/v1").json()["lists"]}
    assert mine < everything
    assert "Users" not in mine
    assert Caller().get("/api/v1").status_code == 401


def test_a_key_sees_what_its_names_reach(admin):
    user = User.objects.get(username="admin")
    _row, text = create_api_key(user=user, name="few", scopes=["read", "Items"])
    found = Caller(**{"X-Api-Key": text}).get("/api/v1").json()["lists"]
    assert [each["name"] for each in found] == ["Items"]
