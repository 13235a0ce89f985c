"""Some three hundred invalid packages: each is refused at its place, without other
effects."""

from __future__ import annotations

import io
import json
import re

import pytest
from django.core.management import call_command
from django.db import transaction

from importer.services import import_package
from platform_site.accounts.models import User
from tests.builders import (
    a_package,
    code,
    delete_row,
    empty_tables,
    make_row,
    messages,
    model_of,
    outcomes,
    ref,
    stream,
)
from tests.importer.bad.documents import DOCUMENTS
from tests.importer.bad.headers import HEADERS, STEPS
from tests.importer.bad.items import ITEMS
from tests.importer.bad.refused import REFUSED, TWIN
from tests.importer.bad.row import PACKAGE_ID, Found
from tests.importer.bad.texts import TEXTS

pytestmark = pytest.mark.django_db

TABLE = [*TEXTS, *HEADERS, *STEPS, *ITEMS, *REFUSED, *DOCUMENTS]
each_bad_package = pytest.mark.parametrize(
    "bad", TABLE, ids=[bad.name.replace(" ", "_") for bad in TABLE]
)
_PLACES = re.compile(r"(?:^|; )(steps\[\d+\]\S*): ")


@pytest.fixture(scope="module", autouse=True)
def stock(django_db_setup, django_db_blocker):
    """Create rows that the packages can conflict with, once for all tests."""
    with django_db_blocker.unblock():
        fill(User.objects.get(username="admin"))
    yield
    with django_db_blocker.unblock():
        empty_tables()


def fill(admin):
    def make(catalog, code, **values):
        return make_row(catalog, actor=admin, **{"code": code, "name": code, **values})

    pieces = make("UnitsOfMeasure", "pcs")
    make("UnitsOfMeasure", "t1", name=TWIN)
    make("UnitsOfMeasure", "t2", name=TWIN)
    delete_row(make("UnitsOfMeasure", "gone"), actor=admin)
    make("Items", "tools", isFolder=True)
    plain = {"isFolder": False, "category": "goods", "unitOfMeasureId": pieces.pk}
    hammer = make("Items", "hammer", **plain)
    order = {
        "date": "2026-03-01T12:00:00Z",
        "counterpartyId": make("Counterparties", "partner").pk,
        "currencyId": make("Currencies", "EUR").pk,
        "lines": [{"itemId": hammer.pk, "quantity": "1", "price": "2"}],
    }
    make_row("SalesOrders", actor=admin, code="SO-MINE", **order)
    package = a_package(PACKAGE_ID).with_step("Items")
    package.folder("folder:a", "a").folder("folder:b", "b", parentId=ref("folder:a"))
    package.goods("item:known", "known", code("pcs"))
    assert not import_package(stream(package), user=admin).has_errors


def imported(bad, folder, *options):
    """Run the command on an invalid package and return the printed report."""
    file = folder / "package.json"
    file.write_bytes(bad.content)
    printed = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command(
            "import_package",
            str(file),
            "--format=json",
            *options,
            stdout=printed,
            verbosity=0,
        )
    assert ended.value.code == 1
    return json.loads(printed.getvalue())


def diagnosed(report):
    """Return the paths of the error diagnostics, taken from their messages."""
    errors = [d for d in report["diagnostics"] if d["severity"] == "Error"]
    assert all(d["message"].startswith(f"{d['path']}: ") for d in errors)
    return [d["path"] for d in errors]


def blamed(report):
    """Return the paths in the entries of failed objects."""
    failed = [item for item in report["items"] if item["outcome"] == "Failed"]
    return [path for item in failed for path in _PLACES.findall(item["message"])]


def said(report):
    texts = [d["message"] for d in report["diagnostics"]]
    return "\n".join(texts + [item["message"] for item in report["items"]])


def by_outcome(report):
    found = {}
    for item in report["items"]:
        found.setdefault(item["outcome"], []).append(item["id"])
    return found


def test_the_table_is_long_and_names_each_package_once():
    assert len(TABLE) > 200
    assert {bad.found for bad in TABLE} == set(Found)


@each_bad_package
def test_a_run_stops_at_the_error_of_a_bad_package(bad, tmp_path, business):
    """IMP-051, IMP-130, OPEN-01, OPEN-02, OPEN-12."""
    before = business()
    report = imported(bad, tmp_path)
    assert (report["status"], report["hasErrors"]) == ("Failed", True)
    assert bad.says in said(report)
    assert diagnosed(report) == list(bad.paths)
    if bad.found is Found.IN_PACKAGE:
        assert report["items"] == []
    else:
        assert blamed(report) == list(bad.paths)
        assert tuple(by_outcome(report)["Failed"]) == bad.bad
    if bad.found.before_any_write:
        assert business() == before
        return
    # The objects before the bad one are in, nothing behind it is.
    warehouses = model_of("Warehouses").objects
    assert list(warehouses.values_list("code", flat=True)) == ["before"]
    assert "after" not in {item["id"] for item in report["items"]}
    assert any(
        "reached" in d["message"]
        for d in report["diagnostics"]
        if d["severity"] == "Info"
    )


@each_bad_package
def test_continuing_leaves_out_the_bad_object_and_what_needs_it(
    bad, tmp_path, business
):
    before = business()
    report = imported(bad, tmp_path, "--continue-on-error")
    assert bad.says in said(report)
    if bad.found is Found.IN_PACKAGE:
        assert (report["status"], report["items"]) == ("Failed", [])
        assert diagnosed(report) == list(bad.paths)
        assert business() == before
        return
    assert report["status"] == "Completed"
    assert blamed(report) == [*bad.paths, *bad.dependants]
    found = by_outcome(report)
    dependants = ["dependant"] if bad.dependants else []
    assert found["Failed"] == [*bad.bad, *dependants]
    assert {"before", "after"} <= set(found["Inserted"])
    if dependants:
        (entry,) = (i for i in report["items"] if i["id"] == "dependant")
        assert entry["message"] == (
            f"{bad.dependants[0]}: Referenced object '{bad.bad[0]}' failed"
        )
    warehouses = model_of("Warehouses").objects
    assert set(warehouses.values_list("code", flat=True)) == {"before", "after"}


@each_bad_package
def test_a_dry_run_reports_the_same_errors_and_writes_nothing(
    bad, tmp_path, everything
):
    before = everything()
    planned = imported(bad, tmp_path, "--dry-run")
    assert everything() == before
    real = imported(bad, tmp_path, "--continue-on-error")
    assert diagnosed(planned) == diagnosed(real)

    def told(report):
        return [(i["id"], i["outcome"], i["message"]) for i in report["items"]]

    assert told(planned) == told(real)
    assert planned["counts"] == real["counts"]


@each_bad_package
def test_the_window_size_makes_no_difference(bad, run):
    def attempt(**options):
        with transaction.atomic():
            report = run(bad.content, **options)
            transaction.set_rollback(True)
        found = [d for d in report.diagnostics if d.path != "$"]
        return outcomes(report), messages(report), found

    for options in ({}, {"continue_on_error": True}, {"dry_run": True}):
        assert attempt(window=1, **options) == attempt(window=1000, **options)
