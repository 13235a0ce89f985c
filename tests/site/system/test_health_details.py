"""The checks of the installation, for administrators and for the monitoring."""

from __future__ import annotations

import dataclasses
import datetime

import msgspec
import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from importer.models import ImportRun
from platform_site.accounts.seeding import seed_accounts
from platform_site.accounts.services import create_user
from platform_site.scheduling.models import Job, JobExecution
from platform_site.settings.configuration import activate, active, build
from platform_site.settings.env import read_settings
from platform_site.site.archives import last_backup
from platform_site.site.archives.last_backup import failures
from platform_site.site.host.archive_folder import (
    ArchiveState,
    BackupResult,
    OffsiteState,
    archive_name,
    now_text,
    record_drill,
    write_state,
)
from platform_site.site.host.last_start import LastStart
from platform_site.site.status.disk_space import DiskSpace
from platform_site.site.system import health_checks
from tests.site.system.details import PATH, checks

pytestmark = pytest.mark.django_db
KEY = "a-key-of-the-monitoring"


@pytest.fixture
def with_a_key():
    before = active()
    data = {"Platform__DataPath": str(before.data_folder)}
    activate({**data, "Platform__Metrics__Key": KEY}, folder=None)
    yield {"Authorization": f"Bearer {KEY}"}
    type(before)  # the same object comes back
    from platform_site.settings import configuration  # noqa: PLC0415 - only here

    configuration._Active.configuration = before


def test_every_check_has_a_state_and_a_sentence(admin):
    code, _state, found = checks(admin)
    assert code == 200
    names = {"backups", "database", "disk", "imports", "jobs", "licence"}
    names |= {"maintenance", "settings"}
    only_here = {"database-content"} if connection.vendor == "sqlite" else set()
    assert set(found) == names | only_here
    for check in found.values():
        assert check["status"] in ("ok", "warning", "problem")
        assert check["sentence"].endswith((".", ")"))


def test_a_database_that_cannot_be_used_is_a_503_with_its_reason(admin, database):
    database["trouble"] = "the database does not answer within 2 s"
    code, state, found = checks(admin)
    assert (code, state) == (503, "problem")
    sentence = "can't be used: There is no answer within 2 s. Check that it runs"
    assert sentence in found["database"]["sentence"]
    # They would wait for the same database.
    assert not {"imports", "jobs"} & set(found)


def test_a_filling_disk_a_failed_job_and_a_failed_import_are_warnings(
    admin, monkeypatch, tmp_path
):
    space = DiskSpace(tmp_path, free=2_000_000_000, wanted=3_000_000_000)
    monkeypatch.setattr(health_checks, "disk_spaces", lambda: [space])
    job = Job.objects.create(name="Nightly", processor="X", cron="0 3 * * *")
    now = timezone.now()
    JobExecution.objects.create(
        job=job,
        processor="X",
        status="Failed",
        due_at=now,
        finished_at=now,
        started_by="s",
        message="No file.",
    )
    ImportRun.objects.create(
        package="Shop", status="Failed", started_at=now, time_zone="UTC"
    )
    code, _state, found = checks(admin)
    assert code == 200
    warned = {name for name, check in found.items() if check["status"] == "warning"}
    assert {"disk", "jobs", "imports"} <= warned
    assert "Nightly" in found["jobs"]["sentence"]
    assert "counts for 7 days" in found["jobs"]["sentence"]
    assert "Shop" in found["imports"]["sentence"]
    assert "import the package again" in found["imports"]["sentence"]
    for said in (
        "1.9\xa0GB are free",
        "need 2.8\xa0GB",
        "Platform:Disk:WarnBelowBytes",
    ):
        assert said in found["disk"]["sentence"]


@pytest.mark.skipif(connection.vendor != "sqlite", reason="servers have own backups")
def test_an_old_backup_is_a_warning(admin, tmp_path):
    (tmp_path / "backups").mkdir()
    for age, state in ((5, "warning"), (1, "ok")):
        at = timezone.now() - datetime.timedelta(days=age)
        name = f"platform-{at:%Y%m%dT%H%M%S%f}Z-by-hand.db"
        (tmp_path / "backups" / name).write_bytes(b"")
        assert checks(admin)[2]["backups"]["status"] == state


@pytest.mark.skipif(connection.vendor == "microsoft", reason="It has other backups.")
def test_a_copy_of_the_database_does_not_make_an_old_archive_young(admin, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    old = timezone.now() - datetime.timedelta(days=5)
    (folder / archive_name(old, encrypted=False)).write_bytes(b"")
    name = f"platform-{timezone.now():%Y%m%dT%H%M%S%f}Z-by-hand.db"
    (folder / name).write_bytes(b"")
    assert checks(admin)[2]["backups"]["status"] == "warning"


@pytest.fixture
def scheduled(monkeypatch, tmp_path):
    """Return how a test sets when backups are made, and how old the installation is."""

    def set_up(schedule, days):
        given = {"Platform__DataPath": str(tmp_path), "Backup__Schedule": schedule}
        configuration = build(read_settings(given))
        monkeypatch.setattr(last_backup, "active", lambda: configuration)
        at = timezone.now() - datetime.timedelta(days=days)
        (tmp_path / "db").mkdir(exist_ok=True)
        record = LastStart("0.2.0", at.isoformat(timespec="seconds"))
        (tmp_path / "db" / "last-start.json").write_bytes(msgspec.json.encode(record))

    return set_up


@pytest.mark.skipif(connection.vendor == "microsoft", reason="It has other backups.")
def test_a_backup_is_missed_when_its_time_has_passed_for_a_day(
    admin, tmp_path, scheduled
):
    scheduled("30 2 * * *", days=0.5)
    found = checks(admin)[2]["backups"]
    # The first night of an installation has to pass.
    assert (found["status"], found["sentence"]) == ("ok", "There is no backup yet.")
    scheduled("30 2 * * *", days=4)
    found = checks(admin)[2]["backups"]
    assert found["status"] == "warning"
    assert "None was made when it was due" in found["sentence"]
    assert loud(admin) == [found["sentence"]]
    (tmp_path / "backups").mkdir()
    at = timezone.now() - datetime.timedelta(days=4)
    (tmp_path / "backups" / archive_name(at, encrypted=False)).write_bytes(b"")
    assert checks(admin)[2]["backups"]["status"] == "warning"
    # Each week, in two days: it was due five days ago, before the last one.
    scheduled(f"0 0 * * {(timezone.now().isoweekday() + 2) % 7}", days=9)
    assert checks(admin)[2]["backups"]["status"] == "ok"
    assert loud(admin) == []


@pytest.mark.skipif(connection.vendor == "microsoft", reason="It has other backups.")
def test_without_a_schedule_a_recent_backup_is_asked_for(admin, tmp_path, scheduled):
    scheduled("off", days=0)
    found = checks(admin)[2]["backups"]
    assert found["status"] == "warning"
    assert "Backup:Schedule is off" in found["sentence"]
    assert loud(admin) == [found["sentence"]]
    (tmp_path / "backups").mkdir()
    for days, status in ((3, "warning"), (1, "ok")):
        at = timezone.now() - datetime.timedelta(days=days)
        name = archive_name(at, encrypted=False, by_hand=True)
        (tmp_path / "backups" / name).write_bytes(b"")
        assert checks(admin)[2]["backups"]["status"] == status
    assert loud(admin) == []


@pytest.mark.skipif(connection.vendor == "microsoft", reason="It has other backups.")
def test_off_may_mean_that_another_node_makes_them(admin, scheduled, monkeypatch):
    scheduled("off", days=9)
    several = dataclasses.replace(last_backup.active(), has_nodes=True)
    monkeypatch.setattr(last_backup, "active", lambda: several)
    assert checks(admin)[2]["backups"]["status"] == "ok"


def loud(client):
    """Return what needs attention on the start page, of backups."""
    notices = client.get("/admin/").context["attention"]
    return [one.text for one in notices if one.link.endswith("#backups-title")]


@pytest.fixture
def copied_to(monkeypatch, tmp_path):
    """Return the folder to which archives are copied."""
    place = tmp_path / "elsewhere"
    given = {
        "Platform__DataPath": str(tmp_path),
        "Backup__Offsite__Folder": str(place),
    }
    monkeypatch.setattr(last_backup, "active", lambda: build(read_settings(given)))
    return place


@pytest.mark.skipif(connection.vendor == "microsoft", reason="It has other backups.")
def test_a_copy_or_a_drill_that_failed_is_a_problem(admin, tmp_path, copied_to):
    folder = tmp_path / "backups"
    folder.mkdir()
    archive = folder / archive_name(timezone.now(), encrypted=False)
    archive.write_bytes(b"")
    assert checks(admin)[2]["backups"]["status"] == "ok"
    state = OffsiteState(place=str(copied_to), error="There is no folder.")
    write_state(archive, ArchiveState(offsite=state))
    found = checks(admin)[2]["backups"]
    assert found["status"] == "problem"
    assert "isn't copied off this machine: There is no folder." in found["sentence"]
    write_state(archive, ArchiveState(offsite=OffsiteState(place=str(copied_to))))
    assert checks(admin)[2]["backups"]["status"] == "ok"
    result = BackupResult(at=now_text(), problems=["Rows are missing."])
    record_drill(folder, result)
    assert (
        "restore drill failed: Rows are missing."
        in (checks(admin)[2]["backups"]["sentence"])
    )
    assert failures() == {"backup": "", "offsite": "", "drill": "Rows are missing."}


def test_others_are_refused(client, database):
    seed_accounts()
    assert client.get(PATH).status_code == 401
    client.force_login(create_user(user_name="x", password="p", roles=["employee"]))
    assert client.get(PATH).status_code == 403
    # Nobody has the key of an installation without one.
    answer = client.get(PATH, headers={"Authorization": "Bearer "})
    assert answer.status_code == 401
    assert answer.json()["code"] == "not-signed-in"


def test_the_key_of_the_metrics_opens_it_without_a_query(
    client, database, with_a_key, django_assert_num_queries
):
    database["trouble"] = "gone"
    with django_assert_num_queries(0):
        assert checks(client, **with_a_key)[0] == 503
    assert client.get(PATH, headers={"Authorization": "Bearer x"}).status_code == 401


@pytest.fixture
def with_https(settings):
    settings.PLATFORM_HTTPS_PORT = 443
    settings.SECURE_SSL_REDIRECT = True


def test_over_plain_http_it_takes_the_key_and_nobody_elses_credentials(
    admin, with_a_key, with_https
):
    assert checks(admin, **with_a_key)[0] == 200
    answer = admin.get(PATH)  # with the session of an administrator
    assert answer.status_code == 401
    assert "Platform:Metrics:Key" in answer.json()["detail"]
    assert admin.get(PATH, secure=True).status_code == 200


def test_the_system_page_shows_every_check(admin, database):
    text = admin.get(reverse("system")).content.decode()
    for check in health_checks.health_checks():
        assert check.state.word in text
    assert "The settings have no warnings." in text
