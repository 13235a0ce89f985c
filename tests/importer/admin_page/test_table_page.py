"""The page for tables: how a list is read, what is chosen, its dry run, and sources."""

from __future__ import annotations

import hashlib
import re

import pytest

from importer import services
from importer.models import ImportRun, TableSource
from tests.builders import make_row, model_of, row_of
from tests.importer import background
from tests.importer.admin_page.conftest import told
from tests.importer.admin_page.table_visitor import (
    SEVERAL,
    TABLE,
    TableVisitor,
    form_of,
    problems,
    properties,
)
from tests.importer.tables import lists

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def guest(admin):
    """Return a visitor who is the administrator, in an installation with units."""
    for code in ("pcs", "kg"):
        make_row("UnitsOfMeasure", actor=admin, code=code, name=code)
    yield TableVisitor(admin)
    background.finish_runs()


@pytest.fixture
def saved(guest):
    """Save the German price list as a source."""
    text = guest.choose(lists.GERMAN, "preise.csv")
    answer = guest.send(text, "save", name="supplier_17")
    assert answer.status_code == 302, answer.content
    return TableSource.objects.get()


def test_a_list_is_recognised_checked_and_imported_without_a_click(guest):
    text = guest.choose(lists.GERMAN, "preise.csv")
    assert properties(text) == {
        "Artikelnummer": "code",
        "Bezeichnung": "name",
        "ME": "unitOfMeasureId",
        "Warengruppe": "parentId",
        "EAN": "barcode",
        "Preis €": "price",
    }
    assert "recognised: cp1252" in text
    assert "1234.5" in text
    assert "&quot;auf Anfrage&quot; is not a number" in text
    assert problems(text) == []
    run = guest.ended(guest.send(text, "dry-run"))
    assert (run.dry_run, run.counts["Failed"], run.counts["Inserted"]) == (True, 1, 5)
    report = guest.text(run=run.run_id)
    assert "Import these 5 changes, without what failed" in report
    rest = {"plan": run.run_id, "continue_on_error": "on"}
    done = guest.ended(guest.post("import", **rest))
    assert (done.dry_run, done.counts["Inserted"]) == (False, 5)
    assert row_of("Items", "4713").price == 1234.5
    again = guest.ended(guest.send(text, "dry-run"))
    assert (again.counts["Failed"], again.counts["Unchanged"]) == (1, 5)


def test_a_dry_run_that_stopped_at_an_error_offers_no_rest(visitor):
    package = b"""{"format": "platform-import/1", "package": "p", "version": 1,
        "origin": "import", "configuration": "Trade", "steps": [{"dictionary":
        "UnitsOfMeasure", "items": [{"$id": "a", "code": "a", "name": "a"},
        {"$id": "b", "code": "a", "name": "b"}]}]}"""
    stopped = visitor.dry_run(package)
    assert "without what failed" not in visitor.text(run=stopped.run_id)
    went_on = visitor.dry_run(package, continue_on_error="on")
    assert "Import this change, without what failed" in visitor.text(run=went_on.run_id)


def test_a_column_is_chosen_and_another_is_left_out(guest):
    text = guest.choose(SEVERAL, target="Warehouses")
    assert properties(text) == {"code": "code", "name": "name", "other": ""}
    text = guest.shown(text, property=["code", "", "name"])
    assert properties(text) == {"code": "code", "name": "", "other": "name"}
    guest.ended(guest.send(text, "dry-run"))
    run = ImportRun.objects.dry().get()
    entries = services.report_entries(run.run_id)
    assert [entry.name for entry in entries] == ["1 x", "2 y"]


def test_another_target_starts_anew_and_another_format_too(guest):
    text = guest.choose(SEVERAL, target="Warehouses")
    text = guest.shown(text, property=["code", "", "name"])
    text = guest.shown(text, target="Currencies")
    assert properties(text) == {"code": "code", "name": "name", "other": ""}
    text = guest.shown(text, delimiter=",")
    assert properties(text) == {"code;name;other": ""}
    text = guest.shown(text, delimiter="", header_row="0")
    assert list(properties(text)) == ["A", "B", "C"]
    text = guest.shown(text, header_row="2000")
    assert "Line of the headers" in problems(text)[0]


def test_values_for_all_rows_are_those_that_the_target_has(guest, admin):
    text = guest.choose(b"code;name\n1;One\n", "artikel.csv", target="Items")
    assert problems(text) == [
        "No column is chosen for Unit of measure, which every row needs."
    ]
    assert re.findall(r'<option value="(\w+)"', _select(text, "unitOfMeasureId")) == [
        "kg",
        "pcs",
    ]
    text = guest.shown(text, **{"constant-unitOfMeasureId": "kg", "more": "price"})
    text = guest.shown(text, **{"constant-price": "dear"})
    assert problems(text) == ["The default of price: &quot;dear&quot; is not a number"]
    text = guest.shown(text, **{"constant-price": "12,50"})
    run = guest.ended(guest.send(text, "dry-run"))
    assert (run.counts["Inserted"], run.has_errors) == (1, False)


def _select(text, name):
    return re.search(f'name="constant-{name}">(.*?)</select>', text, re.DOTALL)[1]


def test_an_upload_of_the_import_page_that_is_a_table_leads_here(visitor):
    answer = visitor.upload(SEVERAL, name="Lager.CSV")
    digest = hashlib.sha256(SEVERAL).hexdigest()
    assert answer["Location"] == f"{TABLE}?file={digest}"
    again = visitor.post("dry-run", digest=digest)
    assert again["Location"] == f"{TABLE}?file={digest}"
    text = visitor.client.get(answer["Location"]).content.decode()
    assert form_of(text)["target"] == ["Warehouses"]


def test_a_source_is_saved_used_changed_and_deleted(guest, saved):
    assert saved.description["decimal"] == ","
    assert saved.description["dateFormat"] == "DD.MM.YYYY"
    assert not saved.description.keys() & {"encoding", "delimiter", "headerRow"}
    text = guest.choose(lists.GERMAN, "preise.csv", source="supplier_17")
    assert "A" not in problems(text)
    assert form_of(text)["version"] == ["1"]
    run = guest.ended(guest.send(text, "dry-run"))
    assert (run.package, run.starter) == ("supplier_17", "supplier_17")
    changed = {"encoding": "cp1250", "on_missing": "report", "decimal": "."}
    answer = guest.send(text, "save", url="https://lists.example/a.csv", **changed)
    assert answer.status_code == 302, answer.content
    saved.refresh_from_db()
    assert saved.version == 2
    assert saved.origin == {"url": "https://lists.example/a.csv"}
    assert saved.description["encoding"] == "cp1250"
    assert saved.description["onMissing"] == "report"
    # Somebody else has saved it in the meantime.
    assert "changed" in told(guest.send(text, "save"), 412).lower()
    page = guest.client.get(TABLE).content.decode()
    assert "https://lists.example/a.csv" in page
    assert 'href="/admin/processors/supplier_17"' in page
    assert "scheduling/job/add/?processor=supplier_17" in page
    sent = {"action": "delete", "source": "supplier_17", "version": "1"}
    assert guest.client.post(TABLE, sent).status_code == 412
    assert guest.client.post(TABLE, {**sent, "version": "2"}).status_code == 302
    assert not TableSource.objects.exists()


def test_a_source_whose_columns_the_table_lacks_says_which(guest, saved):
    text = guest.choose(SEVERAL, source="supplier_17")
    assert any("Artikelnummer" in one for one in problems(text))
    assert 'value="dry-run" disabled' in text


def test_documents_are_grouped_by_what_identifies_them(guest, admin):
    for target, code in (("Currencies", "EUR"), ("Counterparties", "C1")):
        make_row(target, actor=admin, code=code, name=code)
    unit = model_of("UnitsOfMeasure").objects.get(code="pcs")
    for code in ("4711", "4713"):
        make_row(
            "Items",
            actor=admin,
            code=code,
            name=code,
            isFolder=False,
            category="goods",
            unitOfMeasureId=unit.pk,
        )
    text = guest.choose(lists.ORDERS, "orders.csv")
    assert form_of(text)["target"] == ["SalesOrders"]
    assert properties(text)["Artikel"] == "lines.itemId"
    run = guest.ended(guest.send(text, "dry-run"))
    assert (run.counts["Inserted"], run.counts["Failed"]) == (1, 2)
