"""The export of rows from their lists."""

from __future__ import annotations

import json

import pytest

from catalogs.models import Constant, Item, UnitOfMeasure
from tests.catalogs.rows import a_clerk, a_unit, an_item, boss
from tests.records.pages import act, said, url

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client):
    client.force_login(boss())
    return client


def test_the_selected_rows_are_exported_as_a_package(page):
    wanted, unit = an_item(code="A"), a_unit(code="pcs")
    an_item(code="B")
    answer = act(page, Item, "export_selected", [wanted])
    package = json.loads(b"".join(answer.streaming_content))
    assert package["package"] == "selection:Items"
    (step,) = package["steps"]
    assert [item["code"] for item in step["items"]] == ["A"]
    assert unit.pk


def test_rows_that_no_package_can_have_are_told_on_the_page(page):
    row = a_unit(code="bag", name="$5 bag")
    answer = act(page, UnitOfMeasure, "export_selected", [row])
    assert said(answer)[0].startswith("UnitsOfMeasure bag $5 bag: name:")


@pytest.mark.parametrize("model", [Item, Constant])
def test_only_who_may_import_is_offered_an_export(client, model):
    client.force_login(a_clerk("view_item", "view_constant"))
    an_item()
    page = client.get(url(model, "changelist")).content.decode()
    assert "export_selected" not in page


def test_rows_that_are_no_part_of_packages_are_not_offered_for_export(page):
    assert (
        "export_selected" not in page.get(url(Constant, "changelist")).content.decode()
    )
