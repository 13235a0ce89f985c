"""What the page of a row tells of its past: Change information and the history."""

from __future__ import annotations

import re
from uuid import UUID

import pytest
from django.db.models import QuerySet

from catalogs.models import Warehouse
from importer.package.shapes import Mark
from importer.pipeline.ports import Write
from platform_site.changes.services import ChangeOrigin, acting_as, record_change
from platform_site.records import services
from tests.catalogs.rows import (
    a_clerk,
    a_folder,
    a_unit,
    a_warehouse,
    an_item,
    boss,
    stored,
)
from tests.records.pages import save, url

pytestmark = pytest.mark.django_db
RUN = UUID("00000000-0000-0000-0000-000000000001")


@pytest.fixture
def page(client):
    client.force_login(boss())
    return client


def imported():
    order = Write({"code": "M", "name": "Main"}, boss())
    with acting_as(boss(), ChangeOrigin.IMPORT, RUN):
        draft = services.prepare(order, Warehouse)
        return services.commit(draft, Mark("Import", "our.shop", "wh:1", "0" * 64))


def information(client, row):
    """Return the read-only lines of a page, label to value."""
    text = client.get(url(row, "change")).content.decode()
    lines = re.findall(
        r'<label>([^<]*):</label>\s*<div class="readonly">(.*?)</div>', text, re.S
    )
    return {label: re.sub("<[^>]*>", "", value).strip() for label, value in lines}


def history(client, row):
    """Return the lines of the history page as texts."""
    text = client.get(url(row, "history")).content.decode()
    body = text.split("<tbody>")[1].split("</tbody>")[0]
    lines = [re.sub(r"<[^>]*>", " ", line) for line in body.split("</tr>")[:-1]]
    return [" ".join(line.split()) for line in lines]


def test_a_user_created_row_shows_when_and_by_whom_and_no_import(page):
    with acting_as(a_clerk(), ChangeOrigin.USER):
        row = a_warehouse()
    told = information(page, row)
    assert set(told) == {"Created", "Modified", "Version"}
    assert re.search(r"\d{4}.* by clerk\d+$", told["Created"])
    assert told["Version"] == "1"


def test_an_imported_row_shows_where_it_came_from(page):
    """IMP-317 to IMP-321, OPEN-81."""
    told = information(page, imported())
    assert told["Origin"] == "Import"
    assert told["Package"] == "our.shop"
    assert told["Key"] == "wh:1"
    assert re.search(r"\d{4}", told["Imported at"])
    assert told["Modified after import"] == "no"


def test_demo_data_is_called_as_in_the_change_history(page):
    row = imported()
    QuerySet(type(row)).filter(pk=row.pk).update(import_origin="DemoSeed")
    assert information(page, stored(row))["Origin"] == "Demo data"


def test_an_imported_row_leads_an_administrator_to_the_run_that_wrote_it_last(page):
    row = imported()
    save(page, row, name="By hand")
    report = f'<a href="/admin/import?run={RUN}">'
    assert f"{report}Report of the run</a>" in page.get(url(row, "change")).text
    assert page.get(url(row, "history")).text.count(f"{report}Import</a>") == 1


def test_who_is_no_administrator_is_led_to_no_report(client):
    row = imported()
    client.force_login(a_clerk("view_warehouse", "change_warehouse"))
    told = information(client, row)
    assert told["Origin"] == "Import"
    assert "Imported by" not in told
    assert "run=" not in client.get(url(row, "history")).text


def test_a_user_change_after_the_import_is_shown(page):
    """IMP-322."""
    row = imported()
    save(page, row, name="By hand")
    told = information(page, Warehouse.objects.get())
    assert told["Modified after import"] == "yes"
    assert told["Version"] == "2"


def test_the_history_shows_who_did_what_newest_first(page):
    row = imported()
    save(page, row, name="By hand", address="Road 1")
    lines = history(page, row)
    assert len(lines) == 2
    assert "boss updated User Name : Main → By hand Address : — → Road 1" in lines[0]
    assert "boss created Import Code : M Name : Main" in lines[1]


def test_the_history_shows_rows_and_choices_in_words(page):
    unit, folder = a_unit(code="kg", name="kilogram"), a_folder(code="F", name="Food")
    row = an_item(unitOfMeasureId=unit.pk)
    services.update_record(
        row=row,
        data={"parentId": folder.pk, "category": "service", "price": "2"},
        actor=boss(),
    )
    newest, oldest = history(page, row)
    assert "In folder : — → F Food" in newest
    assert "Category : goods → service" in newest
    assert "Price : — → 2.00" in newest
    assert "Unit of measure : kg kilogram" in oldest
    assert "Folder : no" in oldest


def test_the_history_of_another_table_is_not_mixed_in(page):
    row = a_warehouse(name="Main")
    record_change(
        action="updated",
        model="UnitsOfMeasure",
        row_id=row.pk,
        row="kg",
        changes={"name": ["Main", "kilogram"]},
    )
    assert len(history(page, row)) == 1
    assert "kilogram" not in history(page, row)[0]


def test_the_history_shows_what_people_typed_as_text(page):
    row = a_warehouse(name="<script>alert(1)</script>")
    text = page.get(url(row, "history")).content.decode()
    assert "<script>alert(1)</script>" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_a_long_history_comes_in_pages(page):
    row = a_warehouse(name="Name 0")
    for number in range(1, 53):
        row = services.update_record(
            row=row, data={"name": f"Name {number}"}, actor=boss()
        )
    text = page.get(url(row, "history")).content.decode()
    assert "→ Name 52<" in text
    assert "→ Name 2<" not in text
    older = page.get(url(row, "history", p=2)).content.decode()
    assert "→ Name 2<" in older
    assert page.get(url(row, "history", p="x")).status_code == 200
