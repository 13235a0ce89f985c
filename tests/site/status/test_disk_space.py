"""Free space on the disk: what readiness and the start page say of it, and when."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from django.test import Client

from platform_site.accounts.models import User
from platform_site.accounts.services import create_user
from platform_site.site.status import disk_space, health
from platform_site.site.status.disk_space import DiskSpace, disk_spaces, spaces_of
from platform_site.site.status.shared_check import SharedCheck

GIGABYTE = 1_000_000_000


@pytest.fixture
def free(monkeypatch):
    """Return how a test says how much is free on every disk."""

    def are(count):
        usage = shutil.disk_usage(Path.cwd())._replace(free=count)
        monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage)

    return are


@pytest.fixture
def start_page(client):
    def of(name):
        client.force_login(User.objects.get(username=name))
        answer = client.get("/admin/")
        assert answer.status_code == 200
        return answer.content.decode()

    return of


def readiness_now():
    """Return what a check finds, made in a thread of its own as they all are."""
    return SharedCheck(health._check, late="late")()


@pytest.mark.django_db(transaction=True)
def test_without_room_the_site_is_not_ready(free, settings):
    assert readiness_now() == ""
    free(disk_space.NONE_LEFT_BYTES - 1)
    reason = readiness_now()
    assert str(settings.PLATFORM_DATA_FOLDER) in reason
    assert "8,388,607 bytes are free" in reason
    free(disk_space.NONE_LEFT_BYTES)
    assert readiness_now() == ""


def test_a_probe_hears_of_a_full_disk(free, monkeypatch):
    monkeypatch.setattr(health, "_ready", SharedCheck(health._check, late=""))
    free(0)
    answer = Client().get("/health/ready")
    assert (answer.status_code, answer.content) == (503, b"Unhealthy")


@pytest.mark.django_db
def test_the_start_page_warns_while_there_is_time(free, start_page, settings):
    free(2 * GIGABYTE)
    assert "filling up" not in start_page("admin")
    free(GIGABYTE - 1)
    page = start_page("admin")
    assert f"The disk of {settings.PLATFORM_DATA_FOLDER} is filling up" in page
    free(1024)
    assert f"The disk of {settings.PLATFORM_DATA_FOLDER} is full" in start_page("admin")


def test_with_a_bucket_the_folder_of_attachments_does_not_count(settings, tmp_path):
    settings.PLATFORM_BLOBS_FOLDER = tmp_path / "blobs"
    assert settings.PLATFORM_BLOBS_FOLDER in disk_space._folders()
    settings.PLATFORM_BLOBS_BUCKET = object()
    assert settings.PLATFORM_BLOBS_FOLDER not in disk_space._folders()


@pytest.mark.django_db
def test_only_administrators_are_bothered_with_it(free, start_page):
    create_user(user_name="emma", password="p", roles=["employee"], is_staff=True)
    free(1024)
    assert "is full" not in start_page("emma")


def test_a_large_database_wants_room_for_itself_and_a_copy(settings, monkeypatch):
    settings.PLATFORM_WARN_BELOW_BYTES = None
    monkeypatch.setattr(disk_space, "_LITTLE_LEFT_BYTES", 10)
    database = settings.PLATFORM_DATA_FOLDER / "large.db"
    monkeypatch.setattr(disk_space, "_database_file", lambda: database)
    database.write_bytes(bytes(1000))
    Path(f"{database}-wal").write_bytes(bytes(500))
    assert {room.wanted for room in disk_spaces()} == {3000}


def test_the_setting_wins(settings):
    settings.PLATFORM_WARN_BELOW_BYTES = 0
    assert not any(room.is_little for room in disk_spaces())


def test_a_disk_is_named_once_even_by_a_folder_that_is_not_there_yet(tmp_path):
    folders = [tmp_path / "blobs" / "ab", tmp_path, tmp_path / "db"]
    (room,) = spaces_of(folders, 17)
    assert room == DiskSpace(folders[0], room.free, 17)
    assert room.free > 0
