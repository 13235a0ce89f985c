"""Copies of archives off the machine: to a folder, a bucket, and by a command."""

from __future__ import annotations

import shlex
import sys
from datetime import UTC, datetime, timedelta

import pytest

from platform_site.accounts.models import User
from platform_site.accounts.seeding import seed_accounts
from platform_site.notifications.models import Notification
from platform_site.notifications.texts import text_of
from platform_site.site.archives import offsite, regular
from platform_site.site.host.archive_folder import (
    archive_name,
    archives,
    write_state,
)
from tests.s3_server import SECRET_KEY, s3_server

pytestmark = pytest.mark.django_db


def never():
    return False


@pytest.fixture
def archive(installation):
    """An archive of two parts, as large as a bucket takes them."""
    folder = installation.data / "backups"
    folder.mkdir(exist_ok=True)
    path = folder / archive_name(datetime.now(UTC), encrypted=False)
    path.write_bytes(b"0123456789" * 1_000_000)
    return path


def send(installation):
    regular.send_waiting(installation.configuration, never)
    return archives(installation.data / "backups")[0].state.offsite


def try_again(installation):
    """Let the pause after a failure pass, and try again."""
    one = archives(installation.data / "backups")[0]
    one.state.offsite.next_at = ""
    write_state(one.path, one.state)
    return send(installation)


def sentences():
    """Return what administrators are told, and forget it."""
    seed_accounts()
    admin = User.objects.get(username="admin")
    found = [text_of(row, admin).text for row in Notification.objects.order_by("pk")]
    Notification.objects.all().delete()
    return found


def test_a_folder_gets_each_archive_once(installation, archive, tmp_path):
    there = tmp_path / "share"
    installation.variables["Backup__Offsite__Folder"] = str(there)
    failed = send(installation)
    assert "is it mounted?" in failed.error
    assert not there.exists()
    there.mkdir()
    # It waits for a while after a failure.
    assert send(installation).error
    assert try_again(installation).sent_at
    copy = there / archive.name
    assert copy.read_bytes() == archive.read_bytes()
    copy.unlink()
    send(installation)
    assert not copy.exists()


def test_failures_are_told_seldom_and_the_recovery_once(
    installation, archive, tmp_path
):
    seed_accounts()
    there = tmp_path / "share"
    installation.variables["Backup__Offsite__Folder"] = str(there)
    send(installation)
    assert sentences() == ["A backup couldn't be copied off the machine."]
    try_again(installation)
    assert sentences() == []
    state = try_again(installation)
    assert sentences() == [
        "A backup couldn't be copied off the machine, 3 times in a row."
    ]
    pause = datetime.fromisoformat(try_again(installation).next_at) - datetime.now(UTC)
    assert timedelta(minutes=70) < pause < timedelta(minutes=81)
    assert sentences() == []
    there.mkdir()
    state = try_again(installation)
    assert state.sent_at
    assert sentences() == ["Backups are copied off the machine again."]
    send(installation)
    assert sentences() == []


@pytest.fixture
def bucket(installation):
    with s3_server() as server:
        installation.variables |= server.settings("Backup:Offsite:S3", "backups")
        yield server


def test_a_bucket_gets_the_archive_in_parts(installation, archive, bucket):
    state = send(installation)
    assert not state.error
    assert state.place == "s3://backups/erp"
    assert bucket.objects == {f"backups/erp/{archive.name}": archive.read_bytes()}


def test_a_bucket_that_refuses_is_tried_again_later(installation, archive, bucket):
    bucket.refusing = True
    state = send(installation)
    assert "The bucket backups" in state.error
    assert SECRET_KEY not in state.error
    assert bucket.objects == {}
    bucket.refusing = False
    assert try_again(installation).sent_at


def test_a_wrong_key_of_a_bucket_is_a_sentence(installation, archive, bucket):
    installation.variables["Backup__Offsite__S3__SecretKey"] = "another"
    assert "The bucket backups" in send(installation).error


def test_a_missing_library_is_named(installation, archive, bucket, monkeypatch):
    monkeypatch.setitem(sys.modules, "obstore", None)
    assert "obstore is missing" in send(installation).error


def test_a_command_gets_the_path(installation, archive, tmp_path):
    copied = tmp_path / "copied"
    program = "import shutil, sys; shutil.copy(sys.argv[1], sys.argv[2] + sys.argv[3])"
    words = [sys.executable, "-c", program, "{file}", f"{copied}-", "{name}"]
    installation.variables["Backup__Offsite__Command"] = shlex.join(words)
    assert send(installation).sent_at
    assert (tmp_path / f"copied-{archive.name}").stat().st_size == 10_000_000


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        (
            f"{sys.executable} -c \"import sys; sys.exit('no space')\"",
            "status 1: no space",
        ),
        ("/does/not/exist --now", "can't be run"),
    ],
)
def test_a_command_that_fails_says_why(installation, archive, program, sentence):
    installation.variables["Backup__Offsite__Command"] = program
    assert sentence in send(installation).error


def test_a_command_is_ended_when_the_server_stops(installation, archive):
    program = f'{sys.executable} -c "import time; time.sleep(600)"'
    installation.variables["Backup__Offsite__Command"] = program
    chosen = regular.backup_settings(installation.configuration)
    with pytest.raises(offsite.Stopped):
        offsite.send(chosen.offsite, archives(chosen.folder)[0], lambda: True)
