"""The queries of every list: as many for one row as for many, whatever is filtered."""

from __future__ import annotations

import itertools

import pytest
from django.apps import apps
from django.contrib import admin
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from catalogs import models as catalogs
from platform_site.changes.models import ChangeEvent
from platform_site.records.admin.columns import offered
from tests.catalogs.rows import a_folder, a_row, a_unit, a_warehouse, an_item, boss
from tests.documents.rows import World

pytestmark = [pytest.mark.django_db, pytest.mark.counts]

# That of ledger entries found by a word, whose references are searched first.
MOST_QUERIES = 18


def lists():
    """Return the business models that have a list."""
    own = [apps.get_app_config(name).get_models() for name in ("catalogs", "documents")]
    return [*filter(admin.site.is_registered, itertools.chain(*own)), ChangeEvent]


class Trade(World):
    """A world in which every list has rows, and more of them at every turn."""

    def grow(self, count):
        for number in range(count):
            folder = a_folder(parentId=None)
            item = an_item(parentId=folder.pk, unitOfMeasureId=a_unit().pk, price="2")
            partner = a_row(catalogs.Counterparty)
            a_row(catalogs.Account, isFolder=False, kind="asset")
            a_row(catalogs.BankAccount, currencyId=self.eur.pk)
            shelf = a_warehouse()
            about = {"counterpartyId": partner.pk, "warehouseId": shelf.pk}
            self.receipt((item, 5, 1), on=1, **about)
            self.issue((item, 2, 2), on=2, **about)
            self.order((item, 1, 2), on=3, **about)
            self.payment(number + 1, counterpartyId=partner.pk)


def queries(client, address):
    with CaptureQueriesContext(connection) as made:
        assert client.get(address).status_code == 200
    return len(made)


def addresses(model):
    """Return the list of a model, plain, searched and with all of its columns."""
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"
    address, pages = reverse(name), admin.site.get_model_admin(model)
    columns = ",".join(offered(pages, pages.list_display))
    return [address, f"{address}?q=C", f"{address}?cols={columns}"]


def test_no_list_asks_more_for_many_rows_than_for_a_few(client):
    client.force_login(boss())
    world = Trade()
    world.grow(2)
    # What a process asks only once has been asked then.
    queries(client, reverse("admin:catalogs_item_changelist"))
    few = {a: queries(client, a) for model in lists() for a in addresses(model)}
    world.grow(3)
    many = {address: queries(client, address) for address in few}
    assert many == few
    assert max(many.values()) <= MOST_QUERIES, many
