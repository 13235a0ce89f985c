"""What the page of a run offers next: another dry run, the rest of an import, and the
restoration of a deleted row."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest

from importer.models import ImportRun
from platform_site.changes.models import ChangeEvent
from tests.builders import code, delete_row, edit_row, make_row, ref, row_of, units
from tests.importer.admin_page.conftest import Visitor, run_of, told

pytestmark = pytest.mark.django_db(transaction=True)
AGAIN, RESTORE = 'id="dry-run-again"', 'value="restore"'


def goods(unit):
    package = units("kg").with_step("Items")
    return package.goods("item:1", "I1", unit)


def fields(text, button):
    """Return the fields of the form with a button."""
    form = text[: text.index(button)].rpartition("<form")[2].partition("<button")[0]
    return dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))


@pytest.fixture
def deleted(admin):
    """Return a deleted unit that the package refers to."""
    row = make_row("UnitsOfMeasure", actor=admin, code="pcs", name="Pieces")
    delete_row(row, actor=admin)
    return row


def test_a_package_runs_dry_again_from_its_report(visitor, admin):
    wrong = visitor.dry_run(goods(code("pcs")), continue_on_error="on")
    text = visitor.text(run=wrong.run_id)
    make_row("UnitsOfMeasure", actor=admin, code="pcs", name="Pieces")
    again = visitor.ended(visitor.post("dry-run", **fields(text, AGAIN)))
    assert (again.dry_run, again.has_errors) == (True, False)
    assert (again.digest, again.time_zone) == (wrong.digest, wrong.time_zone)
    text = visitor.text(run=again.run_id)
    assert "Import these 2 changes" in text
    assert AGAIN not in text


def test_a_failed_import_offers_a_dry_run_of_the_same_package(visitor, admin):
    make_row("UnitsOfMeasure", actor=admin, code="pcs", name="Pieces")
    planned = visitor.dry_run(goods(code("pcs")))
    delete_row(row_of("UnitsOfMeasure", "pcs"), actor=admin)
    failed = visitor.ended(visitor.post("import", plan=planned.run_id))
    assert failed.has_errors
    again = fields(visitor.text(run=failed.run_id), AGAIN)
    assert again["again"] == str(failed.run_id)
    assert visitor.ended(visitor.post("dry-run", **again)).has_errors


def test_an_import_without_errors_offers_nothing_more(visitor, run):
    assert AGAIN not in visitor.text(run=run(units("a")).run_id)


def test_an_interrupted_import_is_continued_from_its_page(visitor):
    planned = visitor.dry_run(units("a", "b"))
    done = visitor.ended(visitor.post("import", plan=planned.run_id))
    ImportRun.objects.filter(pk=done.pk).update(status="Interrupted")
    text = visitor.text(run=done.run_id)
    assert "Continue the import" in text
    sent = fields(text, "Continue the import")
    rest = visitor.ended(visitor.post("import", **sent))
    assert (rest.status, rest.counts["Unchanged"]) == ("Completed", 2)


def test_a_package_that_is_no_longer_kept_is_refused(visitor, run):
    answer = visitor.post("dry-run", again=uuid4())
    assert "no longer kept" in told(answer, 404)
    answer = visitor.post("dry-run", again=run(units("a")).run_id)
    assert "no longer kept" in told(answer, 404)


def test_an_import_of_a_package_again_needs_a_clean_dry_run(visitor):
    """OPEN-57."""
    wrong = visitor.dry_run(goods(code("pcs")))
    answer = visitor.post("import", again=wrong.run_id)
    assert "Start a dry run of exactly this package first" in told(answer, 409)


def test_a_deleted_row_that_is_needed_is_restored_by_a_button(visitor, deleted):
    run_id = visitor.dry_run(goods(code("pcs"))).run_id
    text = visitor.text(run=run_id)
    assert "Restore the deleted row pcs Pieces, or refer to another." in text
    answer = visitor.post("restore", **fields(text, RESTORE))
    assert run_of(answer) == run_id
    text = visitor.text(run=run_id)
    assert "The row pcs Pieces has been restored." in text
    assert RESTORE not in text
    assert not row_of("UnitsOfMeasure", "pcs").is_deleted
    event = ChangeEvent.objects.filter(action="restored").get()
    assert (event.row_id, event.user_name) == (deleted.pk, "admin")


def test_a_row_that_a_user_deleted_is_restored_for_the_objects_that_name_it(
    visitor, run, admin
):
    package = units("kg").with_step("Items").goods("item:1", "I1", ref("unit:kg"))
    run(units("kg"))
    delete_row(row_of("UnitsOfMeasure", "kg"), actor=admin)
    text = visitor.text(run=visitor.dry_run(package).run_id)
    visitor.post("restore", **fields(text, RESTORE))
    assert not visitor.dry_run(package).has_errors


def test_a_restoration_that_is_refused_is_explained(visitor, deleted, admin):
    text = visitor.text(run=visitor.dry_run(goods(code("pcs"))).run_id)
    sent = fields(text, RESTORE)
    make_row("UnitsOfMeasure", actor=admin, code="pcs", name="Others")
    assert "pcs" in told(visitor.post("restore", **sent), 400)
    edit_row(row_of("UnitsOfMeasure", "pcs"), actor=admin, name="Changed")
    for wrong in ({"row": "x"}, {"row": "0"}, {"model": "Nothing"}):
        answer = visitor.post("restore", **{**sent, **wrong})
        assert "no such deleted row" in told(answer, 400)


def test_nobody_but_administrators_restores_rows_here(visitor, deleted, clerk):
    text = visitor.text(run=visitor.dry_run(goods(code("pcs"))).run_id)
    other = Visitor(clerk("change_unitofmeasure", "view_unitofmeasure"))
    assert other.post("restore", **fields(text, RESTORE)).status_code == 403
    deleted.refresh_from_db()
    assert deleted.is_deleted
