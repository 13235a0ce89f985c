"""Texts that somebody typed or imported to harm the next reader: on every page they are
text, and in every query they are a value."""

from __future__ import annotations

import json

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import NoReverseMatch, reverse

from catalogs import models as catalogs
from documents import models as documents
from tests.catalogs.rows import a_row, an_item, boss
from tests.documents.rows import World

pytestmark = pytest.mark.django_db

HOSTILE = """<script>alert(1)</script>{{ 7|add:"7" }}{% debug %}"'><img src=x>"""
RAW = ("<script>alert(1)", "<img src=x>")
ESCAPED = "&lt;script&gt;alert(1)"
STATEMENTS = ["' OR '1'='1", "'; DROP TABLE catalogs_item; --", "%' UNION SELECT 1 --"]


@pytest.fixture
def signed_in():
    client = Client()
    client.force_login(boss())
    return client


@pytest.fixture
def hostile_rows():
    world = World()
    item = an_item(name=HOSTILE, description=HOSTILE, barcode="<b>")
    partner = a_row(catalogs.Counterparty, name=HOSTILE, address=HOSTILE)
    order = world.create(
        documents.SalesOrder,
        [(item, 1, 1)],
        counterpartyId=partner.pk,
        currencyId=world.eur.pk,
        comment=HOSTILE,
    )
    get_user_model().objects.create_user("guest", first_name=HOSTILE)
    return item, partner, order


def pages(row):
    """Return every page of the administration that is about a row."""
    base = f"admin:{row._meta.app_label}_{row._meta.model_name}"
    yield reverse(f"{base}_changelist")
    for page in ("change", "history", "delete"):
        yield reverse(f"{base}_{page}", args=[row.pk])


def every_list():
    for model in apps.get_models():
        if admin.site.is_registered(model):
            try:
                base = f"admin:{model._meta.app_label}_{model._meta.model_name}"
                yield reverse(f"{base}_changelist")
            except NoReverseMatch:
                continue


def test_every_page_shows_what_was_typed_as_text(signed_in, hostile_rows):
    addresses = [page for row in hostile_rows for page in pages(row)]
    shown = 0
    for address in [*addresses, *every_list(), "/admin/"]:
        answer = signed_in.get(address, follow=True)
        assert answer.status_code == 200, address
        text = answer.content.decode()
        assert [raw for raw in RAW if raw in text] == [], address
        shown += ESCAPED in text
    assert shown >= len(addresses)


def test_what_was_searched_for_is_shown_as_text(signed_in):
    for address in every_list():
        text = signed_in.get(address, {"q": HOSTILE}, follow=True).content.decode()
        assert [raw for raw in RAW if raw in text] == [], address


def test_the_api_answers_it_as_json_that_no_browser_takes_for_a_page(
    signed_in, hostile_rows
):
    item, _, _ = hostile_rows
    answer = signed_in.get(f"/api/v1/Items/{item.pk}")
    assert answer["Content-Type"].startswith("application/json")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert json.loads(answer.content)["name"] == HOSTILE


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_in_a_query_is_a_value(signed_in, statement):
    kept = an_item(code="KEPT")
    found = signed_in.get("/api/v1/Items", {"search": statement}).json()
    assert found["count"] == 0
    for name in ("ordering", "code", "page"):
        answer = signed_in.get("/api/v1/Items", {name: statement})
        assert answer.status_code in {200, 400}, name
        assert answer.json().get("count", 0) == 0
    page = signed_in.get(reverse("admin:catalogs_item_changelist"), {"q": statement})
    assert page.status_code == 200
    assert page.context["cl"].result_count == 0
    assert type(kept).objects.filter(pk=kept.pk).exists()
