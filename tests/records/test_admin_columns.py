"""The columns of lists: what is offered, what is shown, and how."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils.html import strip_tags

from catalogs.models import Item
from tests.catalogs.rows import a_folder, a_unit, an_item, boss
from tests.records.lists import opened
from tests.records.pages import url

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client):
    client.force_login(boss())
    return client


def cells(answer):
    """Return the texts of the first row, by the labels of their columns."""
    row = re.search(r"<tbody>\s*<tr>(.*?)</tr>", answer.content.decode(), re.S)[1]
    found = re.findall(r'<t[dh][^>]*?(?: data-label="([^"]*)")?>(.*?)</t[dh]>', row)
    return {label: strip_tags(text).strip() for label, text in found}


def test_a_row_has_its_code_once_and_names_what_it_refers_to(page):
    folder, unit = a_folder(code="F", name="Food"), a_unit(code="pcs", name="piece")
    an_item(
        code="A", name="Rice", parentId=folder.pk, unitOfMeasureId=unit.pk, price="2"
    )
    shown = cells(opened(page, Item, q="Rice"))
    assert (shown["Unit of measure"], shown["In folder"]) == ("pcs", "Food")
    assert (shown["Name"], shown["Price"]) == ("Rice", "2.00")


def test_other_columns_are_chosen_in_the_address(page):
    an_item(code="A", name="Rice", barcode="4711")
    answer = opened(page, Item, cols="barcode,name")
    assert cells(answer) == {"": "Rice", "Barcode": "4711"}
    columns = answer.context["cl"].columns
    assert [one.name for one in columns if one.shown] == ["barcode", "name"]
    offered = {one.name for one in columns}
    assert offered >= {"code", "name", "price_shown", "description", "barcode"}
    assert "price" not in offered, "its column is there already, in another format"


def test_a_form_sends_each_column_by_itself(page):
    an_item(code="A", name="Rice")
    path = url(Item, "changelist")
    answer = page.get(f"{path}?cols=name&cols=code")
    shown = [one.name for one in answer.context["cl"].columns if one.shown]
    assert shown == ["name", "code"]


def test_a_column_that_a_list_does_not_have_is_refused(page):
    answer = page.get(url(Item, "changelist", cols="code,import_key"), follow=True)
    assert "filtered that way" in answer.content.decode()


def test_an_order_by_name_holds_whichever_columns_there_are(page):
    an_item(code="A", name="Wheat")
    an_item(code="B", name="Rice")
    for cols in ("code,name", "name,code", "name"):
        answer = opened(page, Item, cols=cols, o="-name")
        names = [row.name for row in answer.context["cl"].result_list]
        assert names == ["Wheat", "Rice"], cols
        assert answer.context["cl"].named_order == "-name"


def test_a_row_without_its_code_is_still_a_link(page):
    row = an_item(code="A", barcode="4711")
    text = opened(page, Item, cols="barcode,description").content.decode()
    assert f'<a href="{url(row, "row")}' in text


@pytest.mark.counts
def test_chosen_references_cost_no_query_for_each_row(page):
    def queries():
        with CaptureQueriesContext(connection) as made:
            opened(page, Item, cols="code,parent,unit_of_measure,barcode")
        return len(made)

    def add(count):
        for _ in range(count):
            an_item(parentId=a_folder().pk, unitOfMeasureId=a_unit().pk)

    add(2)
    few = queries()
    add(20)
    assert queries() == few
