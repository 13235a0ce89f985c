"""The start page: packages, the history with its filters, and the run in progress."""

from __future__ import annotations

import re
from pathlib import Path
from uuid import uuid4

import pytest
from django.utils import timezone

from importer.models import ImportRun
from importer.services import LockUnusable
from importer.sources import EmbeddedPackage
from tests.builders import units
from tests.importer import background
from tests.importer.admin_page.conftest import Visitor, run_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def visitor(admin):
    return Visitor(admin)


def listed(text):
    """Return the number of runs in the history."""
    return text.partition('id="history"')[2].count('<th scope="row">')


def a_run(**values):
    plain = {
        "run_id": uuid4(),
        "package": "corpus.a",
        "version": 1,
        "time_zone": "UTC",
        "started_by_name": "admin",
        "started_at": timezone.now(),
        "status": "Completed",
    }
    return ImportRun.objects.create(**{**plain, **values})


def test_an_empty_history_explains_how_to_start(visitor):
    """HOST-085."""
    assert "Start with a dry run" in visitor.text()


def test_packages_show_their_versions_and_errors(visitor, monkeypatch, tmp_path, run):
    """IMP-274, OPEN-50."""
    good, bad = (tmp_path / name for name in ("good.json", "bad.json"))
    units("a", package="corpus.good").as_file(good)
    bad.write_text("{")

    def found():
        return [
            EmbeddedPackage(good, "corpus.good", 1, "import", "Trade"),
            EmbeddedPackage(bad, "bad", error="It ends too early <b>."),
        ]

    monkeypatch.setattr("importer.runs.reading.embedded_packages", found)
    page = visitor.text()
    assert "not applied yet" in page
    assert "It ends too early &lt;b&gt;." in page
    run(units("a", package="corpus.good"))
    assert "applied: version 1" in visitor.text()


def test_the_absence_of_packages_is_stated(visitor, monkeypatch):
    monkeypatch.setattr("importer.runs.reading.embedded_packages", list)
    assert "No packages came with this installation" in visitor.text()


def test_the_history_can_be_filtered(visitor):
    a_run()
    a_run(package="corpus.b", started_by_name="clerk")
    a_run(package="corpus.b", status="Failed")
    assert listed(visitor.text()) == 3
    assert listed(visitor.text(package="corpus.b")) == 2
    assert listed(visitor.text(package="corpus.b", who="clerk")) == 1
    assert listed(visitor.text(status="Failed")) == 1
    assert "No run matches." in visitor.text(package="corpus.z")
    assert listed(visitor.text(status="Exploded")) == 3


@pytest.mark.django_db(transaction=True)
def test_an_undone_import_is_marked_and_its_file_not_offered_again(visitor):
    visitor.dry_run(units("pcs"))
    planned = ImportRun.objects.dry().get()
    background.finish_runs()
    assert '"imp-button imp-primary" name="action" value="import"' in visitor.text()
    done = visitor.ended(visitor.post("import", plan=planned.pk))
    visitor.ended(visitor.post("undo", run=done.pk))
    text = visitor.text()
    assert text.count('imp-together">undone</span>') == 1
    assert '"imp-button imp-primary" name="action" value="import"' not in text


def test_the_history_is_paged(visitor):
    """IMP-274."""
    for _ in range(45):
        a_run()
    assert listed(visitor.text()) == 20
    assert listed(visitor.text(page=3)) == 5
    assert "page 3 of 3" in visitor.text(page=99)
    assert "page=2#history" in visitor.text(package="corpus.a")


@pytest.mark.counts
def test_the_page_takes_few_queries_whatever_the_history(
    visitor, django_assert_max_num_queries
):
    for number in range(25):
        a_run(package=f"corpus.{number}", started_by_name=f"user {number}")
    with django_assert_max_num_queries(18):
        visitor.text()


def test_the_run_of_a_dead_process_is_not_shown_as_running(visitor):
    dead = a_run(status="Running")
    page = visitor.text()
    assert "import-running" in page
    assert "Import of corpus.a by admin" not in page
    dead.refresh_from_db()
    assert dead.status == "Interrupted"


def test_an_unusable_lock_does_not_prevent_reading(visitor, monkeypatch):
    def unusable(*asked):
        raise LockUnusable(Path("lock"), OSError("no"))

    monkeypatch.setattr("importer.runs.dead_runs.import_lock", unusable)
    left = a_run(status="Running")
    assert "Import of corpus.a by admin" in visitor.text()
    assert "You can leave this page" in visitor.text(run=left.run_id)
    assert visitor.get("/progress", run=left.run_id).status_code == 200


@pytest.mark.django_db(transaction=True)
class TestTheRunThatGoesOn:
    def test_every_administrator_sees_it(self, visitor, gate, admin):
        visitor.dry_run(units("a"))
        digest = re.search('name="digest" value="([^"]+)"', visitor.text())[1]
        run_id = run_of(visitor.post("import", digest=digest))
        gate.wait_for_a_run()
        other = Visitor(admin)
        assert "Import of corpus.a by admin" in other.text()
        box = other.text("/progress")
        assert "<progress" in box
        assert 'value="cancel"' in box
        gate.open()
        ended = other.text("/progress", run=run_id)
        assert "The import of corpus.a has ended." in ended
        assert "import-running" in other.text("/progress")

    def test_its_page_waits_for_the_end_and_is_reloaded(self, visitor, gate):
        visitor.dry_run(units("a"))
        digest = re.search('name="digest" value="([^"]+)"', visitor.text())[1]
        run_id = run_of(visitor.post("import", digest=digest))
        gate.wait_for_a_run()
        assert "You can leave this page" in visitor.text(run=run_id)
        going = visitor.get("/progress", run=run_id, here=1)
        assert "HX-Refresh" not in going.headers
        gate.open()
        ended = visitor.get("/progress", run=run_id, here=1)
        assert ended["HX-Refresh"] == "true"
        assert "Change events of this run" in visitor.text(run=run_id)
