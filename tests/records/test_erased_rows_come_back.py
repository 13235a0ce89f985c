"""What becomes of a marked row at the next run, after a person deleted or erased it."""

from __future__ import annotations

import io
import json

import pytest

from catalogs.models import Warehouse
from importer.services import import_package
from platform_site.records import services
from tests.catalogs.rows import boss

pytestmark = pytest.mark.django_db(transaction=True)


def run():
    package = {
        "format": "platform-import/1",
        "package": "tests.warehouses",
        "version": 1,
        "origin": "import",
        "configuration": "Trade",
        "steps": [
            {
                "dictionary": "Warehouses",
                "items": [{"$id": "wh:1", "code": "M", "name": "Main"}],
            }
        ],
    }
    stream = io.BytesIO(json.dumps(package).encode())
    report = import_package(stream, user=boss())
    return [str(item.outcome) for item in report.items]


def test_an_erased_row_is_inserted_anew():
    assert run() == ["Inserted"]
    first = Warehouse.objects.get()
    services.erase_record(row=first, actor=boss())
    assert run() == ["Inserted"]
    assert Warehouse.objects.get().pk != first.pk


def test_a_deleted_row_stays_deleted():
    assert run() == ["Inserted"]
    services.delete_record(row=Warehouse.objects.get(), actor=boss())
    assert run() == ["SkippedDeleted"]
    assert Warehouse.objects.get().is_deleted


def test_opening_and_saving_a_row_in_the_administration_is_no_change(client):
    client.force_login(boss())
    assert run() == ["Inserted"]
    row = Warehouse.objects.get()
    answer = client.post(
        f"/admin/catalogs/warehouse/{row.pk}/change/",
        {"code": "M", "name": "Main", "address": "", "expected_version": row.version},
    )
    assert answer.status_code == 302
    assert not Warehouse.objects.get().is_modified_after_import
    assert run() == ["Unchanged"]
