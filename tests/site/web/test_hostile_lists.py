"""Addresses and marks that no list of the administration makes: they narrow nothing, hold
nothing up and never end in an error."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from django.apps import apps
from django.contrib import admin
from django.test import Client
from django.urls import NoReverseMatch, reverse

from platform_site.changes.models import ChangeEvent
from tests.catalogs.rows import an_item, boss

pytestmark = pytest.mark.django_db

LARGE = "9" * 30
ENDLESS = "^(a+)+$"
LOOKUPS = ("", "__regex")
VALUES = ("\0", LARGE, "x", "9999-12-31T23:59-12:00", "0001-01-01", "9999-12-31")
EVERYWHERE = [
    *({"q": value} for value in ("\0", "a " * 2000, "%", LARGE, '"')),
    *({"p": value} for value in ("\0", LARGE, "-1", "x")),
    *({"o": value} for value in ("\0", LARGE, "-" + LARGE, "1.1.-1", "x")),
    {"nonsense": "1"},
    {"e": "1", "name__regex": ENDLESS},
    {"_facets": "\0"},
    {"pk__in": LARGE},
    {"date__year": LARGE},
    {"date__month": "1"},
]


@pytest.fixture
def visitor():
    client = Client(raise_request_exception=False)
    client.force_login(boss())
    an_item()
    return client


def lists():
    """Return the pages of every list, by model."""
    for model in filter(admin.site.is_registered, apps.get_models()):
        base = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        try:
            yield reverse(f"{base}_changelist"), admin.site.get_model_admin(model)
        except NoReverseMatch:
            continue


def asked(visitor, page, query):
    return visitor.get(f"{page}?{urlencode(query)}")


def parameters(page, visitor):
    """Return the parameters that the filters of a list have."""
    shown = (visitor.get(page).context or {}).get("cl")
    for spec in shown.filter_specs if shown else ():
        yield from spec.expected_parameters()


def test_no_list_is_filtered_by_a_column_its_page_does_not_offer(visitor):
    tried = 0
    for page, pages in lists():
        if "cl" not in (visitor.get(page).context or {}):
            continue  # it is a page of its own
        own = {*parameters(page, visitor), *getattr(pages, "linked_by", ())}
        for field in pages.model._meta.concrete_fields:
            for lookup in LOOKUPS:
                name = f"{field.attname}{lookup}"
                if name in own or name == f"{pages.date_hierarchy}__year":
                    continue
                answer = asked(visitor, page, {name: ENDLESS})
                led_back = getattr(answer, "url", "") == f"{page}?e=1"
                assert led_back or answer.status_code == 400, (page, name)
                tried += 1
    assert tried > 300


def test_a_hidden_column_answers_nobody_letter_by_letter(visitor):
    page = reverse("admin:accounts_user_changelist")
    for letter in "0123456789abcdef":
        answer = asked(visitor, page, {"token_stamp__startswith": letter})
        assert answer.url == f"{page}?e=1"


def test_whoever_is_led_back_to_the_whole_list_reads_why(visitor):
    page = reverse("admin:catalogs_item_changelist")
    answer = visitor.get(page, {"name__regex": "a"}, follow=True)
    assert "This list can&#x27;t be filtered that way" in answer.content.decode()


def test_no_value_in_the_address_of_a_list_is_an_error(visitor):
    for page, pages in lists():
        own = {*parameters(page, visitor), *getattr(pages, "linked_by", ())}
        if pages.date_hierarchy:
            own |= {f"{pages.date_hierarchy}__{part}" for part in ("year", "month")}
        for query in [{name: value} for name in own for value in VALUES]:
            answer = asked(visitor, page, query)
            assert answer.status_code in {200, 302, 400}, (page, query)


@pytest.mark.parametrize("query", EVERYWHERE, ids=lambda query: repr(query)[:30])
def test_no_other_parameter_of_a_list_is_an_error(visitor, query):
    for model in ("catalogs_unitofmeasure", "documents_stockmovement", "accounts_user"):
        page = reverse(f"admin:{model}_changelist")
        assert asked(visitor, page, query).status_code in {200, 302, 400}


def test_a_link_of_another_page_still_narrows(visitor):
    events = reverse("admin:changes_changeevent_changelist")
    run = "00000000-0000-4000-8000-000000000001"
    assert ChangeEvent.objects.exists()
    assert asked(visitor, events, {"run_id": run}).context["cl"].result_count == 0
    movements = reverse("admin:documents_stockmovement_changelist")
    own = {"document_type": "GoodsIssues", "document_id": 1}
    assert asked(visitor, movements, own).status_code == 200


def test_marks_that_no_row_has_are_refused_in_a_sentence(visitor):
    for page, pages in lists():
        request = visitor.get(page).wsgi_request
        for action in pages.get_actions(request):
            for mark in (LARGE, "-" + LARGE, "\0", "x"):
                form = {"action": action, "_selected_action": mark, "index": "0"}
                answer = visitor.post(page, form)
                assert answer.status_code == 302, (page, action, mark)
            assert "select rows again" in visitor.get(page).content.decode()


def test_a_key_no_row_can_have_is_no_error(visitor):
    for page, _pages in lists():
        for key in (LARGE, "-" + LARGE, "%00", "x", "1e999"):
            for shown in ("change", "history", "delete"):
                answer = visitor.get(f"{page}{key}/{shown}/")
                assert answer.status_code in {302, 400, 403, 404}, (page, key, shown)


@pytest.mark.parametrize("term", ["\0", "a " * 2000, LARGE])
def test_looking_up_takes_every_text(visitor, term):
    of = {"app_label": "documents", "model_name": "goodsissue", "field_name": "order"}
    answer = asked(visitor, "/admin/autocomplete/", {**of, "term": term})
    assert answer.status_code == 200
    assert answer.json()["results"] == []
