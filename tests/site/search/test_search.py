"""What the search above all pages finds, for whom, and in which order."""

from __future__ import annotations

import datetime as dt

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client
from django.utils import timezone

from catalogs import models as catalogs
from importer.models import ImportRun
from platform_site.records.services import delete_record
from tests.catalogs.rows import a_clerk, a_row, a_unit, an_item, boss
from tests.documents.rows import World
from tests.site.search.searcher import TYPING, Searcher, seen

pytestmark = pytest.mark.django_db


# -- codes and names --------------------------------------------------------------------


@pytest.mark.parametrize("typed", ["Pump-7", "pump-7", "PUMP-7", "  pump-7 "])
def test_a_code_is_found_however_it_is_typed(admin, typed):
    an_item(code="PUMP-7", name="Something")
    assert admin.groups(typed)["Items"] == ["PUMP-7"]


def test_the_exact_code_comes_first_then_beginnings_of_codes_and_names(admin):
    an_item(code="Q3", name="A tall nail")
    an_item(code="NAIL-2", name="Long")
    an_item(code="Q1", name="Nail, short")
    an_item(code="NAIL", name="Any")
    assert admin.groups("nail")["Items"] == ["NAIL", "NAIL-2", "Q1", "Q3"]


def test_the_kind_with_the_best_match_is_listed_first(admin):
    a_row(catalogs.Counterparty, code="T1", name="The Rice Company")
    an_item(code="RICE", name="Rice")
    assert list(admin.groups("rice"))[:2] == ["Items", "Counterparties"]


@pytest.mark.parametrize("typed", ["молоко", "МОЛОКО", "Молоко", "молоко свежее"])
def test_names_in_cyrillic_are_found_whatever_their_case(admin, typed):
    an_item(code="M1", name="Молоко свежее")
    assert admin.groups(typed)["Items"] == ["M1"]


def test_a_list_finds_the_same_names_in_cyrillic(admin):
    an_item(code="M1", name="Свежее Молоко")
    found = admin.client.get("/admin/catalogs/item/", {"q": "молоко"})
    assert [row.code for row in found.context["cl"].result_list] == ["M1"]


def test_all_words_must_be_in_the_name(admin):
    an_item(code="B1", name="Copper pipe, short")
    an_item(code="B2", name="Copper wire")
    assert admin.groups("pipe copper")["Items"] == ["B1"]


def test_a_bar_code_finds_its_item(admin):
    an_item(code="B1", name="Tea", barcode="4006381333931")
    assert admin.groups("4006381333931")["Items"] == ["B1"]


def test_two_letters_are_compared_with_codes_alone(admin):
    an_item(code="B1", name="Oil")
    an_item(code="IL", name="Water")
    assert admin.groups("il")["Items"] == ["IL"]


def test_what_matches_is_marked(admin):
    an_item(code="B1", name="Copper <pipe>")
    answer = admin.answer("pipe", **TYPING).content.decode()
    assert "Copper &lt;<mark>pipe</mark>&gt;" in answer


def test_what_is_found_leads_to_the_page_to_read_it(admin):
    item = an_item(code="B1", name="Tea")
    answer = admin.answer("tea", **TYPING).content.decode()
    assert f'href="/admin/catalogs/item/{item.pk}/"' in answer


def test_five_of_a_kind_are_shown_with_a_link_to_the_list(admin):
    unit = a_unit().pk
    for number in range(7):
        an_item(code=f"PIPE-{number}", unitOfMeasureId=unit)
    answer = admin.answer("pipe", **TYPING)
    assert admin.groups("pipe")["Items"] == [f"PIPE-{n}" for n in range(5)]
    assert "More in Items" in seen(answer)
    assert "/admin/catalogs/item/?q=pipe" in answer.content.decode()


# -- documents --------------------------------------------------------------------------


def test_a_document_is_found_by_the_end_of_its_number(admin):
    world = World()
    now = timezone.now()
    today = now.strftime("%Y-%m-%dT%H:%M:%SZ")
    code = f"GI-{now:%Y}-000130"
    issue = world.issue((world.rice, 1, 2), on=today, code=code, post=False)
    for typed in ("130", "GI-130", "gi 130", issue.code, "gi-"):
        assert admin.groups(typed)["Goods issues"] == [issue.code], typed
    assert "Partner" in admin.types("gi-130")


def test_the_newest_documents_come_first(admin):
    world = World()
    for number in range(8):
        world.order((world.rice, 1, 2), code=f"TEST-{number}")
    codes = admin.groups("test")["Sales orders"]
    assert codes == [f"TEST-{number}" for number in (7, 6, 5, 4, 3)]


# -- deleted rows -----------------------------------------------------------------------


def test_deleted_rows_are_found_only_if_nothing_else_is(admin):
    gone = an_item(code="OLD-1", name="Oldest")
    delete_record(row=gone, actor=boss())
    assert "OLD-1 Oldest Deleted" in admin.types("old-1")
    assert "Oldest Deleted" in admin.types("oldest")
    an_item(code="NEW-1", name="The oldest of the living")
    assert admin.groups("oldest")["Items"] == ["NEW-1"]


# -- rights -----------------------------------------------------------------------------


def test_nobody_finds_rows_that_he_may_not_view(admin):
    an_item(code="SECRET", name="Secret thing")
    a_row(catalogs.Counterparty, code="C-SECRET", name="Secret person")
    clerk = Searcher(a_clerk("view_counterparty"))
    assert list(clerk.groups("secret")) == ["Counterparties"]
    assert set(admin.groups("secret")) == {"Items", "Counterparties"}


def test_pages_and_actions_are_found_by_those_who_may_open_them(admin):
    assert "New goods issue" in admin.types("new goods")
    assert admin.groups("items")["Pages"] == ["Items"]
    clerk = Searcher(a_clerk("view_item"))
    assert clerk.groups("items")["Pages"] == ["Items"]
    assert "Actions" not in clerk.groups("new")


def test_users_are_found_by_those_who_may_view_users(admin):
    get_user_model().objects.create_user("annabell", email="anna@example.com")
    assert admin.groups("annab")["Users"] == ["annabell"]
    assert admin.groups("anna@example")["Users"] == ["annabell"]
    assert "Users" not in Searcher(a_clerk("view_item")).groups("annab")


def test_runs_are_found_by_administrators_alone(admin):
    run = ImportRun.objects.create(
        package="price-list",
        time_zone="UTC",
        started_by_name="clerk",
        started_at=timezone.now() - dt.timedelta(days=1),
    )
    number = str(run.run_id)
    for typed in ("price", number, number[:8], run.run_id.hex):
        assert admin.groups(typed)["Imports"] == [number[:8]], typed
    assert "Imports" not in Searcher(a_clerk("view_item")).groups("price")


def test_processors_are_found_by_those_who_may_execute_them(admin):
    found = admin.groups("import items from a csv")
    assert found["Data processors"] == ["Import items from a CSV file"]
    clerk = a_clerk()
    assert "Data processors" not in Searcher(clerk).groups("import items")
    right = Permission.objects.get(codename="ExecuteImportItemsFromCsv")
    clerk.user_permissions.add(right)
    assert "Data processors" in Searcher(clerk).groups("import items")


def test_a_visitor_is_asked_to_sign_in():
    page = Client().get("/admin/search/?q=rice")
    assert page.status_code == 302
    assert page["Location"].startswith("/admin/login/")
    typing = Client().get("/admin/search/?q=rice", headers=TYPING)
    assert typing["HX-Refresh"] == "true"
    assert typing.content == b""
