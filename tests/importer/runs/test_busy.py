"""The refusal during an import identifies it: package, run, user and time, in the
sentence and as data (OPEN-47)."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import msgspec
import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from importer.models import ImportRun
from importer.services import ImportInProgress, database_lock, import_lock
from tests.builders import units
from tests.importer.admin_page.conftest import Visitor, told
from tests.importer.api.conftest import Caller

pytestmark = pytest.mark.django_db(transaction=True)


def refused(run, **options):
    """Run a package during which another is started; return the refusal."""
    found = []

    def start_another(stage, done, total):
        if total and not found:
            with pytest.raises(ImportInProgress) as refusal:
                run(units("inner"))
            found.append(refusal.value)

    report = run(units("pcs", package="garden"), progress=start_another, **options)
    return report, found[0]


@pytest.mark.parametrize("dry_run", [False, True], ids=["import", "dry run"])
def test_the_refusal_names_package_run_user_and_time(run, dry_run):
    report, busy = refused(run, dry_run=dry_run)
    assert (busy.run_id, busy.package) == (report.run_id, "garden")
    assert busy.started_by == "admin"
    assert timezone.now() - busy.started_at < timedelta(minutes=1)
    what = "a dry run" if dry_run else "an import"
    words = f"{what} of garden (run {report.run_id}), started by admin at "
    assert words in str(busy)


def test_the_run_of_a_dead_process_is_not_named_as_holder(db):
    ImportRun.objects.create(
        package="dead",
        time_zone="UTC",
        started_by_name="admin",
        started_at=timezone.now() - timedelta(hours=1),
    )
    with (
        import_lock("somebody", "a reset"),
        pytest.raises(ImportInProgress) as refusal,
        import_lock("admin", "an import"),
    ):
        pass
    busy = refusal.value
    assert (busy.run_id, busy.package) == (None, None)
    assert "dead" not in str(busy)


def test_a_database_whose_clock_is_ahead_names_the_run_too(run, monkeypatch):
    with database_lock(0, Path()) as lock:
        kind = type(lock)
    holder = kind.holder

    def ahead(self):
        since = timezone.now() + timedelta(seconds=5)
        return msgspec.structs.replace(holder(self), since=since)

    monkeypatch.setattr(kind, "holder", ahead)
    report, busy = refused(run)
    assert (busy.run_id, busy.package) == (report.run_id, "garden")


def test_unknown_attributes_are_none():
    busy = ImportInProgress(None)
    known = (busy.run_id, busy.package, busy.started_by, busy.started_at)
    assert known == (None, None, None, None)
    assert str(busy).startswith("An import is in progress. ")


def test_page_and_endpoint_name_the_run(start, gate, admin):
    run_id = start(units("a", package="garden"))
    gate.wait_for_a_run()
    answer = Caller(admin).upload(units("b"))
    assert answer.status_code == 409
    assert f"an import of garden (run {run_id})" in answer.json()["detail"]
    refusal = told(Visitor(admin).upload(units("b")), 409)
    assert f"an import of garden (run {run_id})" in refusal


def test_the_command_names_the_run(start, gate, admin, tmp_path):
    run_id = start(units("a", package="garden"))
    gate.wait_for_a_run()
    file = units("b").as_file(tmp_path / "b.json")
    with pytest.raises(CommandError, match=f"garden .run {run_id}") as refusal:
        call_command("import_package", file, verbosity=0)
    assert refusal.value.returncode == 75


def test_another_run_is_not_named_as_holder(run):
    with (
        import_lock("the platform", "a look"),
        pytest.raises(ImportInProgress) as busy,
    ):
        run(units("a"), run_id=uuid4())
    assert busy.value.run_id is None
