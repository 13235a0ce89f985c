"""The outcomes of objects and their rows, one by one."""

from __future__ import annotations

from decimal import Decimal

import pytest

from platform_site.changes.models import ChangeEvent
from platform_site.records import services
from platform_site.records.errors import Stale
from tests.builders import (
    a_package,
    code,
    edit_row,
    messages,
    model_of,
    outcomes,
    ref,
    row_of,
    units,
)

pytestmark = pytest.mark.django_db


def catalog_package():
    """Return folders, units and goods that refer to each other by id and by code."""
    return (
        a_package()
        .with_step("UnitsOfMeasure")
        .unit("unit:pcs", "pcs", name="Pieces")
        .with_step("Items")
        .folder("folder:tools", "tools")
        .goods("item:1", "1", ref("unit:pcs"), parentId=ref("folder:tools"), price=9)
        .goods("item:2", "2", code("pcs"), parentId=code("tools"), barcode="200")
    )


def events_of(row):
    return list(
        ChangeEvent.objects.filter(model=type(row).catalog_name, row_id=row.pk)
        .order_by("id")
        .values_list("action", "origin")
    )


def test_a_first_run_inserts_every_object(run):
    """IMP-127."""
    report = run(catalog_package())
    assert set(outcomes(report).values()) == {"Inserted"}
    first, second = row_of("Items", "1"), row_of("Items", "2")
    assert first.parent == second.parent == row_of("Items", "tools")
    assert first.unit_of_measure == second.unit_of_measure
    assert first.price == Decimal(9)
    assert second.barcode == "200"
    assert {r.row_id for r in report.items} >= {first.pk, second.pk}


def test_a_row_has_the_mark_of_its_object(run):
    """IMP-115 to IMP-117."""
    run(catalog_package(), continue_on_error=True)
    row = row_of("Items", "1")
    assert (row.import_origin, row.import_source) == ("Import", "corpus.a")
    assert row.import_key == "item:1"
    assert len(row.import_source_hash) == 64
    assert row.import_imported_at == row.modified == row.created
    assert not row.is_modified_after_import


def test_the_mark_of_demo_data_has_its_origin(run):
    """IMP-114."""
    run(a_package(origin="demoSeed").with_step("UnitsOfMeasure").unit("u", "pcs"))
    row = row_of("UnitsOfMeasure", "pcs")
    assert row.import_origin == "DemoSeed"
    assert events_of(row) == [("created", "Demo data")]


def test_a_second_run_writes_nothing_but_the_history(run, business):
    run(catalog_package())
    before = business()
    report = run(catalog_package())
    assert set(outcomes(report).values()) == {"Unchanged"}
    assert business() == before


def test_only_the_changed_object_is_updated(run, business):
    """IMP-069."""
    run(catalog_package())
    before = business()
    changed = catalog_package()
    changed.steps[1]["items"][1]["price"] = Decimal("9.50")
    report = run(changed)
    assert outcomes(report) == {
        "unit:pcs": "Unchanged",
        "folder:tools": "Unchanged",
        "item:1": "Updated",
        "item:2": "Unchanged",
    }
    (changes,) = [r.changes for r in report.items if r.id == "item:1"]
    assert changes == {"price": ["9.0000", "9.5000"]}
    row = row_of("Items", "1")
    assert row.price == Decimal("9.5")
    assert row.version == 2
    assert row.import_imported_at == row.modified > row.created
    after = business()
    table = model_of("Items")._meta.db_table
    untouched = [old for old in before[table] if old[0] != row.pk]
    assert [new for new in after[table] if new[0] != row.pk] == untouched
    assert len(after["changes_changeevent"]) == len(before["changes_changeevent"]) + 1


@pytest.mark.parametrize(
    ("written", "same"), [({"price": 9}, True), ({"price": Decimal("9.0")}, False)]
)
def test_numbers_are_compared_in_canonical_form(run, written, same):
    run(catalog_package())
    again = catalog_package()
    again.steps[1]["items"][1].update(written)
    outcome = outcomes(run(again))["item:1"]
    assert outcome == ("Unchanged" if same else "Updated")


def test_the_order_of_keys_changes_nothing(run):
    run(catalog_package())
    turned = catalog_package()
    for step in turned.steps:
        step["items"] = [dict(reversed(item.items())) for item in step["items"]]
    assert set(outcomes(run(turned)).values()) == {"Unchanged"}


def test_user_changes_are_kept(run, admin):
    """IMP-071, IMP-121."""
    run(units("pcs"))
    edit_row(row_of("UnitsOfMeasure", "pcs"), actor=admin, name="Mine")
    changed = units("pcs")
    changed.steps[0]["items"][0]["name"] = "Theirs"
    report = run(changed)
    assert outcomes(report) == {"unit:pcs": "SkippedUserModified"}
    assert row_of("UnitsOfMeasure", "pcs").name == "Mine"
    assert not report.has_errors


def test_an_unchanged_object_stays_unchanged_despite_a_user_change(run, admin):
    run(units("pcs"))
    edit_row(row_of("UnitsOfMeasure", "pcs"), actor=admin, name="Mine")
    assert outcomes(run(units("pcs"))) == {"unit:pcs": "Unchanged"}
    assert row_of("UnitsOfMeasure", "pcs").name == "Mine"


def test_overwrite_reverts_a_user_change(run, admin):
    run(units("pcs"))
    edit_row(row_of("UnitsOfMeasure", "pcs"), actor=admin, name="Mine")
    changed = units("pcs", onUserModified="overwrite")
    changed.steps[0]["items"][0]["name"] = "Theirs"
    assert outcomes(run(changed)) == {"unit:pcs": "Updated"}
    row = row_of("UnitsOfMeasure", "pcs")
    assert row.name == "Theirs"
    assert not row.is_modified_after_import


def test_overwrite_needs_a_step_that_applies_changes(run, admin):
    run(units("pcs"))
    edit_row(row_of("UnitsOfMeasure", "pcs"), actor=admin, name="Mine")
    changed = units("pcs", onUserModified="overwrite", onChange="skip")
    changed.steps[0]["items"][0]["name"] = "Theirs"
    assert outcomes(run(changed)) == {"unit:pcs": "SkippedDrift"}
    assert row_of("UnitsOfMeasure", "pcs").name == "Mine"


def test_saving_without_a_change_is_not_a_user_change(run, admin):
    run(units("pcs"))
    edit_row(row_of("UnitsOfMeasure", "pcs"), actor=admin, name="pcs", code="pcs")
    changed = units("pcs")
    changed.steps[0]["items"][0]["name"] = "Theirs"
    assert outcomes(run(changed)) == {"unit:pcs": "Updated"}


def test_a_changed_object_is_skipped_if_the_step_says_so(run, business):
    run(units("pcs"))
    before = business()
    changed = units("pcs", onChange="skip")
    changed.steps[0]["items"][0]["name"] = "Pieces"
    assert outcomes(run(changed)) == {"unit:pcs": "SkippedDrift"}
    assert business() == before


def test_an_object_with_a_new_id_is_another_and_the_old_row_stays(run):
    run(units("pcs"))
    renamed = units("pcs")
    renamed.steps[0]["items"][0].update({"$id": "unit:new", "code": "new"})
    assert outcomes(run(renamed)) == {"unit:new": "Inserted"}
    assert row_of("UnitsOfMeasure", "pcs").import_key == "unit:pcs"


def test_another_package_does_not_find_the_rows(run):
    run(units("pcs"))
    report = run(units("pcs", package="corpus.b"))
    assert outcomes(report) == {"unit:pcs": "Failed"}
    assert "code" in messages(report)["unit:pcs"]


def test_absent_properties_are_unchanged_and_null_clears(run):
    def package(**properties):
        return a_package().with_step("Counterparties").item("c", code="c", **properties)

    run(package(name="Old", phone="1", email="a@example.org", isCustomer=True))
    run(package(name="New", email=None))
    row = row_of("Counterparties", "c")
    assert (row.name, row.phone, row.email) == ("New", "1", "")
    assert row.is_customer


def test_null_clears_a_reference_and_a_number(run):
    package = catalog_package()
    run(package)
    package.steps[1]["items"][1].update({"parentId": None, "price": None})
    assert outcomes(run(package))["item:1"] == "Updated"
    row = row_of("Items", "1")
    assert (row.parent_id, row.price) == (None, None)


def test_codes_move_between_objects_in_the_order_of_the_package(run):
    run(units("a", "b"))
    moved = units("a", "b")
    moved.steps[0]["items"][0]["code"] = "c"
    moved.steps[0]["items"][1]["code"] = "a"
    assert set(outcomes(run(moved)).values()) == {"Updated"}
    assert row_of("UnitsOfMeasure", "a").import_key == "unit:b"
    assert row_of("UnitsOfMeasure", "c").import_key == "unit:a"


def test_a_code_is_not_free_before_its_row_changes(run):
    run(units("a", "b"))
    moved = units("b", "a")
    moved.steps[0]["items"][0]["code"] = "a"
    moved.steps[0]["items"][1]["code"] = "c"
    report = run(moved, continue_on_error=True)
    assert outcomes(report) == {"unit:b": "Failed", "unit:a": "Updated"}


def test_a_rows_version_and_the_services_agree_after_a_run(run, admin):
    run(units("pcs"))
    row = row_of("UnitsOfMeasure", "pcs")
    changed = units("pcs")
    changed.steps[0]["items"][0]["name"] = "Theirs"
    run(changed)
    with pytest.raises(Stale):
        services.update_record(row=row, data={"name": "Late"}, actor=admin)
