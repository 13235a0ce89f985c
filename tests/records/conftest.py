"""Who opens the pages of a row: somebody with all rights, and somebody with a few."""

from __future__ import annotations

import pytest

from tests.catalogs.rows import a_clerk, boss

RIGHTS = (
    "view_item",
    "add_item",
    "change_item",
    "view_warehouse",
    "add_warehouse",
    "change_warehouse",
    "view_account",
    "add_account",
    "view_unitofmeasure",
)


@pytest.fixture(params=["superuser", "clerk"])
def who(request):
    return boss() if request.param == "superuser" else a_clerk(*RIGHTS)


@pytest.fixture
def page(client, who):
    client.force_login(who)
    return client
