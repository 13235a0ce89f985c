"""The identity of packages and objects, and the mark of a row."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, connection, models, transaction

from importer.services import get_report
from platform_site.changes.models import ChangeEvent
from platform_site.records import services
from platform_site.records.importing import RecordTarget
from tests.builders import (
    a_package,
    code,
    edit_row,
    make_row,
    messages,
    model_of,
    outcomes,
    ref,
    row_of,
    units,
)

pytestmark = pytest.mark.django_db

ASTRAL = "\U0001f4e6"
CONTROL = "a\0b"


@pytest.mark.parametrize("name", ["x" * 100, ASTRAL * 100, " ", "é", "a\tb"])
def test_a_package_may_have_any_name_of_up_to_a_hundred_characters(run, name):
    assert outcomes(run(units("pcs", package=name))) == {"unit:pcs": "Inserted"}
    assert row_of("UnitsOfMeasure", "pcs").import_source == name
    assert outcomes(run(units("pcs", package=name))) == {"unit:pcs": "Unchanged"}


@pytest.mark.parametrize("name", [ASTRAL * 101, CONTROL, "\x1b[31m", "$x"])
def test_invalid_package_names_are_refused_at_their_place(run, name):
    """OPEN-04."""
    report = run(units("pcs", package=name))
    assert [d.path for d in report.diagnostics if d.severity == "Error"] == ["package"]
    assert get_report(report.run_id).diagnostics == report.diagnostics
    assert not model_of("UnitsOfMeasure").objects.exists()


@pytest.mark.parametrize("key", ["x" * 200, ASTRAL * 200, " ", "é", "a\nb"])
def test_an_object_may_have_any_id_of_up_to_two_hundred_characters(run, key):
    package = a_package().with_step("UnitsOfMeasure").unit(key, "pcs")
    assert outcomes(run(package)) == {key: "Inserted"}
    assert row_of("UnitsOfMeasure", "pcs").import_key == key
    assert outcomes(run(package)) == {key: "Unchanged"}


@pytest.mark.parametrize("dry_run", [False, True])
def test_an_id_with_a_control_character_fails_only_its_object(run, dry_run):
    package = units("pcs").unit(CONTROL, "kg")
    for _ in range(2):
        report = run(package, continue_on_error=True, dry_run=dry_run)
        # Neither database keeps a NUL so that it could be found again.
        assert messages(report) == {
            "a\\u0000b": "steps[0].items[1].$id: must not contain control characters"
        }
    assert not model_of("UnitsOfMeasure").objects.filter(code="kg").exists()


def test_ids_that_look_alike_are_different_objects(run):
    keys = ["é", "e\u0301", "É", "x", "X", " x", "x "]
    package = a_package().with_step("UnitsOfMeasure")
    for number, key in enumerate(keys):
        package.unit(key, f"u{number}")
    assert run(package).counts["Inserted"] == len(keys)
    assert run(package).counts["Unchanged"] == len(keys)


def test_codes_that_look_alike_are_different_codes(run):
    codes = ["é", "e\u0301", "É", "ss", "ß", "x", "X"]
    package = units(*codes).with_step("Items")
    for number, each in enumerate(codes):
        package.goods(f"item:{number}", f"i{number}", code(each))
    assert run(package).counts["Inserted"] == 2 * len(codes)
    for number, each in enumerate(codes):
        assert row_of("Items", f"i{number}").unit_of_measure.code == each


def test_spaces_around_a_code_count_in_references_but_not_in_codes(run):
    package = units().unit("u", " pcs ").with_step("Items")
    package.goods("good", "1", code("pcs")).goods("bad", "2", code("pcs "))
    report = run(package, continue_on_error=True)
    assert list(messages(report)) == ["bad"]
    assert '"pcs "' in messages(report)["bad"]


def test_an_object_moved_to_another_catalog_leaves_its_old_row(run):
    run(units("pcs"))
    moved = a_package().with_step("Warehouses").item("unit:pcs", code="w", name="W")
    assert outcomes(run(moved)) == {"unit:pcs": "Inserted"}
    assert row_of("UnitsOfMeasure", "pcs").import_key == "unit:pcs"
    assert outcomes(run(moved)) == {"unit:pcs": "Unchanged"}


def test_rows_no_longer_in_the_package_are_ignored(run, business):
    run(units("pcs", "kg"))
    before = business()
    assert outcomes(run(units("kg"))) == {"unit:kg": "Unchanged"}
    assert business() == before


@pytest.mark.parametrize("version", [1, 6, 7, 2147483647])
def test_a_manual_run_accepts_any_version(run, version):
    run(units("pcs", package="p"))
    changed = a_package("p", version=version).with_step("UnitsOfMeasure")
    assert outcomes(run(changed.unit("unit:pcs", "kg"))) == {"unit:pcs": "Updated"}


def test_steps_and_objects_are_written_in_their_order(run):
    package = units("b", "a").with_step("Warehouses").item("w", code="w", name="W")
    package.with_step("UnitsOfMeasure").unit("c", "c")
    report = run(package)
    events = ChangeEvent.objects.filter(run_id=report.run_id).order_by("id")
    assert [event.row for event in events] == ["b b", "a a", "w W", "c c"]


def test_an_imported_row_equals_one_entered_by_a_user(run, admin):
    """OPEN-16."""
    values = {"code": "1", "name": "One", "email": "a@example.org"}
    entered = make_row("Counterparties", actor=admin, **{**values, "code": "2"})
    run(a_package().with_step("Counterparties").item("c", **values))
    row = row_of("Counterparties", "1")
    apart = {"id", "code", "created", "modified"}
    for field in row._meta.concrete_fields:
        if field.name not in apart and not field.name.startswith("import_"):
            assert getattr(row, field.name) == getattr(entered, field.name), field.name
    first, second = ChangeEvent.objects.filter(model="Counterparties")
    assert first.action == second.action == "created"
    assert set(first.changes) == set(second.changes)


def test_every_row_is_written_once_and_as_the_services_write(run, admin, monkeypatch):
    written, write = [], RecordTarget.write

    def counted(target, draft, mark):
        written.append(draft.row.code)
        write(target, draft, mark)

    monkeypatch.setattr(RecordTarget, "write", counted)
    run(units("pcs", "kg"))
    run(units("pcs").unit("unit:kg", "t"))
    data = {"code": "m", "name": "Metre"}
    services.create_record(model=model_of("UnitsOfMeasure"), data=data, actor=admin)
    assert written == ["pcs", "kg", "t", "m"]


def test_every_catalog_has_the_five_columns_of_the_mark(db):
    """IMP-113, OPEN-22."""
    for catalog in ("UnitsOfMeasure", "Items", "Accounts", "BankAccounts"):
        table = model_of(catalog)._meta.db_table
        with connection.cursor() as cursor:
            columns = connection.introspection.get_table_description(cursor, table)
        assert {c.name for c in columns} >= {
            "Import_Origin",
            "Import_Source",
            "Import_Key",
            "Import_SourceHash",
            "Import_ImportedAt",
        }


def test_marks_are_unique_per_table(run):
    """OPEN-22."""
    run(units("pcs", "kg"))
    row = row_of("UnitsOfMeasure", "kg")
    rows = models.QuerySet(type(row)).filter(pk=row.pk)
    with pytest.raises(IntegrityError), transaction.atomic():
        rows.update(import_key="unit:pcs")


def test_the_time_of_the_import_changes_only_when_the_engine_writes(run, admin):
    """IMP-121, OPEN-21."""
    run(units("pcs"))
    row = row_of("UnitsOfMeasure", "pcs")
    first = row.import_imported_at
    assert not row.is_modified_after_import
    run(units("pcs"))
    row = edit_row(row, actor=admin, name="Mine")
    assert row.import_imported_at == first
    assert row.is_modified_after_import
    changed = units("kg", onUserModified="overwrite")
    changed.steps[0]["items"][0]["$id"] = "unit:pcs"
    run(changed)
    row.refresh_from_db()
    assert row.import_imported_at > first
    assert not row.is_modified_after_import


def test_a_reference_finds_its_object_across_steps_and_catalogs(run):
    package = units("pcs").with_step("Items").folder("f", "F")
    package.with_step("Warehouses").item("w", code="w", name="W")
    package.with_step("Items").goods("g", "G", ref("unit:pcs"), parentId=ref("f"))
    assert not run(package).has_errors
    row = row_of("Items", "G")
    assert (row.unit_of_measure.code, row.parent.code) == ("pcs", "F")
