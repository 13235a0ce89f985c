"""The start page: what it says to whom, in how few queries, and what a person did last."""

from __future__ import annotations

import datetime as dt
import re
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from importer.models import AppliedPackage, ImportRun
from platform_site import notices
from platform_site.accounts.models import User
from platform_site.accounts.services import create_user, set_password
from platform_site.scheduling.models import Job, JobExecution
from platform_site.site.host.archive_folder import (
    BackupResult,
    archive_name,
    record_backup,
)
from tests.catalogs.rows import a_clerk, a_warehouse, an_item

pytestmark = pytest.mark.django_db
Status = ImportRun.Status


@pytest.fixture
def boss():
    admin = User.objects.get(username="admin")
    set_password(user=admin, password="a long pass phrase")
    return admin


@pytest.fixture
def page(client, boss):
    client.force_login(boss)
    return client


def text_of(client):
    answer = client.get("/admin/")
    assert answer.status_code == 200, answer
    return re.sub(r"\s+", " ", answer.content.decode())


def loud(client):
    return [notice.text for notice in client.get("/admin/").context["attention"]]


def quiet(client):
    return [notice.text for notice in client.get("/admin/").context["quiet"]]


def a_run(package="prices", status=Status.COMPLETED, *, days=0.0, **values):
    return ImportRun.objects.create(
        package=package,
        status=status,
        time_zone="UTC",
        started_by_name="clerk",
        started_at=timezone.now() - dt.timedelta(days=days),
        **values,
    )


def a_job(name):
    return Job.objects.create(
        name=name, processor="RecalculateCosts", interval_seconds=3600
    )


def ended(job, status, *, days=0.0, message=""):
    return JobExecution.objects.create(
        job=job,
        processor=job.processor,
        status=status,
        due_at=timezone.now() - dt.timedelta(days=days),
        started_by="schedule",
        message=message,
    )


def test_when_all_is_well_the_page_says_so(page):
    assert "Nothing needs your attention." in text_of(page)


# -- what needs attention --------------------------------------------------------------


def test_a_package_with_a_newer_version_is_announced(page):
    AppliedPackage.objects.create(
        package="demo-company", version=0, applied_at=timezone.now()
    )
    (said,) = loud(page)
    assert "package demo-company is available; version 0 is imported." in said
    assert 'href="/admin/import"' in text_of(page)


def test_a_package_nobody_applied_is_only_noted(page):
    assert loud(page) == []
    said = (
        "The package demo-company comes with this installation and isn't imported yet."
    )
    assert said in quiet(page)


def test_a_failed_run_is_shown_until_the_package_goes_well(page):
    failed = a_run(status=Status.FAILED, days=1, has_errors=True)
    (said,) = loud(page)
    assert said.startswith("The import of prices by clerk on ")
    assert f"/admin/import?run={failed.run_id}" in text_of(page)
    a_run(package="other")
    assert len(loud(page)) == 1
    a_run()
    assert loud(page) == []


def test_a_package_that_cannot_be_read_has_no_name(page):
    a_run(package="", status=Status.FAILED, has_errors=True)
    (said,) = loud(page)
    assert said.startswith("clerk started an import on ")
    assert "whose package can't be read; see its report" in said


def test_runs_that_were_interrupted_or_left_objects_out_are_shown(page):
    a_run("a", Status.INTERRUPTED)
    a_run("b", has_errors=True)
    a_run("c", Status.RUNNING)
    a_run("d", Status.FAILED, days=8)
    a_run("e", Status.FAILED, days=2)
    said = " ".join(loud(page))
    assert "import of a by clerk" in said
    assert "was interrupted" in said
    assert "failed for some objects" in said
    assert "import of c" not in said
    assert "import of d" not in said
    assert "import of e" in said


def test_many_failed_runs_do_not_bury_the_page(page):
    for number in range(9):
        a_run(f"p{number}", Status.FAILED)
    said = loud(page)
    assert len(said) == 6
    assert "4 other import runs of the last 7 days failed or were interrupted." in said


def test_of_a_job_only_the_last_execution_counts(page):
    mended = a_job("mended")
    ended(mended, JobExecution.Status.FAILED, days=1)
    ended(mended, JobExecution.Status.COMPLETED)
    broken = a_job("broken")
    ended(broken, JobExecution.Status.COMPLETED, days=2)
    last = ended(broken, JobExecution.Status.FAILED, days=1, message="No file chosen.")
    ended(broken, JobExecution.Status.WAITING)
    ended(a_job("long ago"), JobExecution.Status.FAILED, days=9)
    (said,) = loud(page)
    assert said.startswith("The job “broken” failed on ")
    assert said.endswith("No file chosen.")
    assert f"/admin/scheduling/jobexecution/{last.pk}/change/" in text_of(page)


def test_the_password_of_the_documentation_is_a_problem_until_it_is_changed(client):
    admin = User.objects.get(username="admin")
    client.force_login(admin)
    assert "still has the password" in loud(client)[0]
    assert 'href="/admin/password_change/"' in text_of(client)
    set_password(user=admin, password="a long pass phrase")
    client.force_login(admin)
    assert loud(client) == []


def test_a_limit_is_shown_and_a_warning_when_it_is_reached(page):
    there = User.objects.filter(is_service=False).count()
    assert f"Users: {there} of the 5 allowed." in quiet(page)
    for number in range(5 - there):
        create_user(user_name=f"u{number}", password="a long pass phrase")
    (said,) = loud(page)
    assert said.startswith("Users: 5 of the 5 allowed. At the limit no")
    assert said.endswith("get a licence for more.")
    assert "Documents this month: 0 of the 1,000 allowed." in quiet(page)


def test_a_licence_that_cannot_be_used_is_a_problem(page, configure):
    configure(TOKEN="nonsense")
    assert any(
        said.startswith("The licence can't be used, so the limits")
        for said in loud(page)
    )


def test_a_good_licence_is_noted_with_its_end(page, licensed):
    licensed(exp=int(dt.datetime(2099, 5, 1, tzinfo=dt.UTC).timestamp()))
    assert any("until 1 May 2099" in said for said in quiet(page))
    assert not any("licence allows" in said for said in quiet(page))


def test_the_last_backup_is_shown(page, settings, tmp_path):
    settings.PLATFORM_DATA_FOLDER = tmp_path
    assert any("There is no backup yet" in said for said in quiet(page))
    assert "/admin/system/#backups-title" in page.get("/admin/").content.decode()
    folder = tmp_path / "backups"
    folder.mkdir()
    for name in (
        "platform-20260102T030405000000Z-by-hand.db",
        "platform-20260101T030405000000Z-before-documents.0002_created.db",
        "platform-20260301T030405000000Z-damaged.db",
    ):
        (folder / name).touch()
    assert not any("The last backup" in said for said in quiet(page))
    (said,) = loud(page)
    assert said.startswith("The last backup is from 2 Jan 2026")
    assert "None was made when it was due. Make one with “Back up now”" in said
    (folder / "platform-20260203T030405000000Z-all.tar.gz").touch()
    result = BackupResult(
        at="2026-02-04T02:31:00+00:00", problems=["The disk is full."]
    )
    record_backup(folder, result)
    failed, old = loud(page)
    assert failed == "The last backup failed: The disk is full."
    assert old.startswith("The last backup is from 3 Feb 2026")
    now = timezone.now()
    (folder / archive_name(now, encrypted=False)).touch()
    assert any(f"The last backup is from {now.day} " in said for said in quiet(page))
    assert loud(page) == [failed]


def test_a_part_that_breaks_does_not_shut_the_page(page, monkeypatch, caplog):
    def broken(user):
        raise OSError("the disk is gone")

    monkeypatch.setattr(notices, "_sources", [(broken, lambda user: True)])
    assert loud(page) == [
        "Part of this page can't be shown; see the server log for the reason."
    ]
    assert "the disk is gone" in caplog.text


# -- who sees what ---------------------------------------------------------------------


def test_a_clerk_sees_nothing_that_is_for_administrators(client):
    a_run(status=Status.FAILED)
    ended(a_job("nightly"), JobExecution.Status.FAILED)
    client.force_login(a_clerk("view_warehouse"))
    assert (loud(client), quiet(client)) == ([], [])
    text = text_of(client)
    assert "Warehouses" in text
    assert "Nothing needs your attention." in text
    assert "Jobs" not in text


# -- what a person did last ------------------------------------------------------------


def test_the_latest_changes_of_a_person_lead_to_their_rows(page, client):
    clerk = a_clerk("view_warehouse", "add_warehouse")
    a_warehouse(code="M", name="Main")
    client.force_login(clerk)
    assert "You haven't made any changes by hand yet." in text_of(client)
    typed = {"code": "N", "name": "New <shed>"}
    client.post("/admin/catalogs/warehouse/add/", typed)
    text = text_of(client)
    assert re.search(r'<a href="/admin/catalogs/warehouse/\d+/">N New &lt;', text)
    assert "M Main" not in text


# -- what it costs ---------------------------------------------------------------------


def queries(client):
    with CaptureQueriesContext(connection) as made:
        client.get("/admin/")
    return len(made)


@pytest.mark.counts
def test_the_page_asks_no_more_however_much_there_is(page):
    queries(page)
    few = queries(page)
    for number in range(20):
        a_run(f"p{number}", Status.FAILED, has_errors=True, run_id=uuid4())
        ended(a_job(f"job {number}"), JobExecution.Status.FAILED)
        an_item()
    # One more counts the runs that are not shown.
    assert queries(page) <= few + 1
    assert few <= 31
