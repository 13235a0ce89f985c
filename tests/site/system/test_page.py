"""The system page of administrators."""

from __future__ import annotations

import logging

import pytest
from django.db import connection
from django.urls import reverse

from platform_site import __version__
from platform_site.accounts.models import User
from platform_site.accounts.seeding import seed_accounts
from platform_site.accounts.services import create_user
from platform_site.settings.errors import StartRefusedError
from platform_site.site.host import recent_lines
from platform_site.site.system import health_checks, views

pytestmark = pytest.mark.django_db
PAGE = reverse("system")
BACKUP = reverse("system-backup")
NAME = "platform-20261101T020000000000Z-by-hand.db"


@pytest.fixture
def pages(client):
    seed_accounts()
    client.force_login(User.objects.get(username="admin"))
    return client


@pytest.fixture
def data_folder(tmp_path, settings):
    settings.PLATFORM_DATA_FOLDER = tmp_path
    return tmp_path


@pytest.fixture
def a_backup(data_folder):
    folder = data_folder / "backups"
    folder.mkdir()
    (folder / NAME).write_bytes(b"a copy")
    (folder / "platform-20261102T020000000000Z-damaged.db").write_bytes(b"remains")
    return folder / NAME


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


@pytest.mark.skipif(connection.vendor != "sqlite", reason="servers have own backups")
def test_backups_are_listed_and_downloaded(pages, a_backup):
    text = text_of(pages)
    assert NAME in text
    assert "damaged.db" not in text
    answer = pages.get(reverse("system-download", args=[NAME]))
    assert b"".join(answer.streaming_content) == b"a copy"
    assert f'filename="{NAME}"' in answer["Content-Disposition"]


@pytest.mark.parametrize("name", ["platform.db", "..%2F..%2Fplatform.db", "x"])
def test_nothing_but_a_backup_is_downloaded(pages, a_backup, name):
    assert pages.get(f"{BACKUP}{name}/").status_code == 404


def test_back_up_now_writes_a_copy_and_says_so(pages, data_folder, monkeypatch):
    asked = []

    def back_up(database, folder, file):
        asked.append(folder)
        return folder / "backups" / NAME

    monkeypatch.setattr(views, "sqlite_database", lambda configuration: "db")
    monkeypatch.setattr(views, "back_up", back_up)
    answer = pages.post(BACKUP, follow=True)
    assert asked == [data_folder]
    assert f"The backup {NAME} is written." in answer.content.decode()
    assert pages.get(BACKUP).status_code == 405


def test_a_backup_that_fails_says_why(pages, monkeypatch):
    def refuse(configuration):
        raise StartRefusedError("The disk is full.")

    monkeypatch.setattr(views, "sqlite_database", refuse)
    assert "The disk is full." in pages.post(BACKUP, follow=True).content.decode()


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
