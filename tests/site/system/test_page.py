"""The system page of administrators."""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from threading import Event

import pytest
from django.db import connection
from django.urls import reverse

from platform_site import __version__
from platform_site.accounts.models import User
from platform_site.accounts.seeding import seed_accounts
from platform_site.accounts.services import create_user
from platform_site.settings.configuration import active
from platform_site.site.archives import regular, service
from platform_site.site.host import recent_lines
from platform_site.site.host.archive_folder import (
    ArchiveState,
    BackupResult,
    OffsiteState,
    record_backup,
    record_drill,
    write_state,
)
from platform_site.site.system import health_checks, views

pytestmark = pytest.mark.django_db
PAGE = reverse("system")
DAMAGED = "platform-20261102T020000000000Z-damaged.db"
BACKUP = reverse("system-backup")
NAME = "platform-20261101T020000000000Z-by-hand.db"
ARCHIVE = "platform-20261103T023000000000Z-all.tar.gz.age"


@pytest.fixture
def pages(client):
    seed_accounts()
    client.force_login(User.objects.get(username="admin"))
    return client


@pytest.fixture
def data_folder(tmp_path, settings, monkeypatch):
    settings.PLATFORM_DATA_FOLDER = tmp_path
    there = replace(active(), data_folder=tmp_path)
    monkeypatch.setattr(views, "active", lambda: there)
    return tmp_path


@pytest.fixture
def a_backup(data_folder):
    folder = data_folder / "backups"
    folder.mkdir()
    (folder / NAME).write_bytes(b"a copy")
    (folder / DAMAGED).write_bytes(b"remains")
    return folder / NAME


@pytest.fixture
def an_archive(a_backup):
    path = a_backup.with_name(ARCHIVE)
    path.write_bytes(b"an archive")
    offsite = OffsiteState(place="", error="The bucket is full.")
    write_state(path, ArchiveState(verified_at="2026-11-03", offsite=offsite))
    return path


def text_of(client, **query):
    return " ".join(client.get(PAGE, query).content.decode().split())


def test_it_shows_version_licence_users_disk_and_database(pages):
    text = text_of(pages)
    for shown in (__version__, "Licence", "Users", "Free disk space", "Database"):
        assert shown in text
    assert {"sqlite": "SQLite", "postgresql": "PostgreSQL"}[connection.vendor] in text


def test_settings_are_shown_with_their_sources_and_without_secrets(pages):
    text = text_of(pages)
    assert "Jobs:ExecutionsToKeep" not in text or "default" in text
    assert "<code>Platform:Jobs:ExecutionsToKeep</code>" in text
    key = views.active().secret_key
    assert not key or key not in text


def test_what_is_no_name_of_a_setting_has_the_language_of_the_reader(pages):
    page = pages.get(PAGE, headers={"accept-language": "de"}).content.decode()
    _before, _section, table = page.partition('id="settings-title"')
    for said in ("Umgebung", "Datenordner", "abgeleitet", "eingebauter Standardwert"):
        assert said in table
    for said in ("built-in default", ">derived<", "Data folder"):
        assert said not in table


def test_it_says_what_is_wrong(pages, monkeypatch):
    assert "The database answers and is up to date." in text_of(pages)
    monkeypatch.setattr(health_checks, "_database_check", lambda: "it is on fire.")
    text = text_of(pages)
    assert '<span class="pill is-bad">Problem</span>' in text
    assert "It is on fire." in text


@pytest.mark.parametrize("roles", [["employee"], ["user"]])
def test_it_is_for_administrators_alone(client, roles, a_backup):
    seed_accounts()
    person = create_user(user_name="x", password="p", roles=roles, is_staff=True)
    client.force_login(person)
    download = reverse("system-download", args=[NAME])
    assert client.get(PAGE).status_code == 403
    assert client.get(download).status_code == 403
    assert client.post(BACKUP).status_code == 403
    assert client.get(reverse("system-backups")).status_code == 403


@pytest.mark.parametrize("name", [NAME, ARCHIVE])
def test_backups_are_listed_and_downloaded(pages, an_archive, name):
    text = text_of(pages)
    assert name in text
    # The log on the page may name those of other tests.
    assert DAMAGED not in text
    assert "whole installation · encrypted · read again" in text
    answer = pages.get(reverse("system-download", args=[name]))
    content = (an_archive.parent / name).read_bytes()
    assert b"".join(answer.streaming_content) == content
    assert f'filename="{name}"' in answer["Content-Disposition"]


def test_the_last_drill_and_what_failed_are_shown(pages, an_archive):
    text = text_of(pages)
    assert "none yet" in text
    assert "lost together with this machine" in text
    folder, at = an_archive.parent, "2026-11-03T04:00:00+00:00"
    record_drill(folder, BackupResult(at=at, problems=["A row is missing."]))
    record_backup(folder, BackupResult(at=at, problems=["The disk is full."]))
    text = text_of(pages)
    assert "A row is missing." in text
    assert "The disk is full." in text
    record_drill(folder, BackupResult(at=at, unchecked=["It is encrypted."]))
    text = text_of(pages)
    assert 'is-warn">not restored</span>' in text
    assert "It is encrypted." in text
    assert "passed</span>" not in text
    record_drill(folder, BackupResult(at=at, rows=7))
    assert 'is-good">passed</span>' in text_of(pages)


@pytest.mark.parametrize("name", ["platform.db", "..%2F..%2Fplatform.db", "x"])
def test_nothing_but_a_backup_is_downloaded(pages, a_backup, name):
    assert pages.get(f"{BACKUP}{name}/").status_code == 404


def test_back_up_now_works_in_the_background_and_once_at_a_time(
    pages, data_folder, monkeypatch
):
    begun, may_end, done = Event(), Event(), []

    def back_up_now(configuration, has_stopped):
        begun.set()
        may_end.wait(60)
        done.append(configuration.data_folder)

    monkeypatch.setattr(regular, "back_up_now", back_up_now)
    monkeypatch.setattr(regular, "send_waiting", lambda *_: None)
    assert "The backup has begun" in pages.post(BACKUP, follow=True).content.decode()
    assert begun.wait(60)
    assert "is being made already" in pages.post(BACKUP, follow=True).content.decode()
    section = reverse("system-backups")
    # It asks again until the archive is complete.
    assert "every 2s" in pages.get(section).content.decode()
    may_end.set()
    end = time.monotonic() + 60
    while service.is_backing_up():
        assert time.monotonic() < end
        Event().wait(0.01)
    assert done == [data_folder]
    assert "every 2s" not in pages.get(section).content.decode()
    assert pages.get(BACKUP).status_code == 405


@pytest.fixture
def log(monkeypatch):
    lines = recent_lines.deque(maxlen=3)
    monkeypatch.setattr(recent_lines, "_lines", lines)
    handler = recent_lines.RecentLines()
    log = logging.Logger("platform.test")  # noqa: LOG001 - without others' handlers
    log.addHandler(handler)
    return log


def test_the_log_shows_its_latest_lines_by_level(pages, log):
    log.info("all is well")
    log.error("<b>it broke</b>")
    text = text_of(pages)
    assert "all is well" in text
    assert "&lt;b&gt;it broke&lt;/b&gt;" in text
    errors = text_of(pages, level="ERROR")
    assert "it broke" in errors
    assert "all is well" not in errors
    assert pages.get(PAGE, {"level": "nonsense"}).status_code == 200


def test_only_the_latest_lines_are_kept_and_requests_are_left_out(log):
    for number in range(5):
        log.info("line %d", number)
    log.name = "platform.access"
    log.info("GET / 200")
    assert [line.text for line in recent_lines.recent_lines()] == [
        "line 4",
        "line 3",
        "line 2",
    ]


@pytest.mark.counts
def test_the_page_asks_few_queries(pages, django_assert_max_num_queries):
    with django_assert_max_num_queries(20):
        pages.get(PAGE)
