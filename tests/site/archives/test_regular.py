"""The regular work on archives: when they are made, what is told, and restore drills."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from platform_site.accounts.models import User
from platform_site.accounts.seeding import seed_accounts
from platform_site.notifications.backup_texts import backup_text
from platform_site.notifications.models import Notification
from platform_site.settings.errors import SettingsError
from platform_site.site.archives import regular
from platform_site.site.archives.backup_settings import backup_settings
from platform_site.site.archives.due import is_backup_due, is_drill_due, next_backup
from platform_site.site.archives.encryption import new_identity
from platform_site.site.archives.errors import ArchiveError
from platform_site.site.archives.making import (
    archive_lock,
    make_archive,
    make_archive_alone,
)
from platform_site.site.host.archive_folder import (
    BackupResult,
    archive_name,
    archives,
    last_backup,
    last_drill,
    record_backup,
    record_drill,
)

pytestmark = pytest.mark.django_db
IDENTITY, RECIPIENT = new_identity()


def never():
    return False


@pytest.fixture
def folder(installation):
    path = installation.data / "backups"
    path.mkdir(exist_ok=True)
    return path


def taken(folder, moment):
    (folder / archive_name(moment, encrypted=False)).write_bytes(b"archive")


def at(text):
    return datetime.fromisoformat(f"{text}+00:00")


def test_a_missed_time_is_made_up_and_a_failure_repeated_each_hour(
    installation, folder
):
    installation.variables["Platform__TimeZone"] = "Europe/Berlin"
    chosen = backup_settings(installation.configuration)
    # A new installation waits for its first night.
    assert not is_backup_due(chosen, datetime.now(UTC))
    taken(folder, at("2026-11-01T12:00:00"))
    assert next_backup(chosen) == at("2026-11-02T01:30:00")
    assert is_backup_due(chosen, at("2026-11-05T09:00:00"))
    record_backup(
        folder, BackupResult(at="2026-11-02T01:31:00+00:00", problems=["full"])
    )
    assert next_backup(chosen) == at("2026-11-02T02:31:00")
    taken(folder, at("2026-11-02T03:00:00"))
    assert next_backup(chosen) == at("2026-11-03T01:30:00")


def test_off_makes_none(installation, folder):
    installation.variables["Backup__Schedule"] = "off"
    assert next_backup(backup_settings(installation.configuration)) is None


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("Schedule", "at night", "isn't a schedule"),
        ("Passphrase", "short", "at least 12 characters"),
        ("Recipients__0", "age1nonsense", "such as age1…"),
        ("Identity", RECIPIENT, "such as AGE-SECRET-KEY-1…"),
        ("Offsite__Command", "copy 'it", "can't be split"),
        ("Offsite__S3__Endpoint", "minio:9000", "must begin with https://"),
    ],
    ids=["schedule", "passphrase", "recipients", "identity", "command", "endpoint"],
)
def test_a_wrong_setting_is_named_with_its_source(installation, key, value, sentence):
    installation.variables |= {
        "Backup__Offsite__S3__Bucket": "b" if "S3" in key else "",
        f"Backup__{key}": value,
    }
    with pytest.raises(SettingsError, match=sentence) as refused:
        backup_settings(installation.configuration)
    assert "Backup__" in str(refused.value)


def test_settings_that_exclude_each_other_are_refused(installation):
    installation.variables |= {
        "Backup__Passphrase": "six words that nobody would guess",
        "Backup__Recipients__0": RECIPIENT,
    }
    with pytest.raises(SettingsError, match="keep one"):
        backup_settings(installation.configuration)


def test_a_due_archive_is_made_tried_and_the_older_ones_removed(installation, folder):
    installation.variables["Backup__KeepNumber"] = "2"
    for day in range(1, 5):
        taken(folder, at(f"2026-11-0{day}T02:30:00"))
    regular.do_what_is_due(installation.configuration, never)
    found = archives(folder)
    assert [one.is_good for one in found] == [True, False]
    assert last_backup(folder).ok
    drill = last_drill(folder)
    assert drill.ok, drill.problems
    assert drill.archive == found[0].name
    assert drill.blobs == 3
    assert drill.rows > 100
    # Nothing is due any more.
    before = sorted(path.name for path in folder.iterdir())
    regular.do_what_is_due(installation.configuration, never)
    assert sorted(path.name for path in folder.iterdir()) == before


def test_only_what_nobody_asked_for_counts_as_a_night(installation, folder):
    installation.variables["Backup__KeepNumber"] = "2"
    for day in (1, 2):
        taken(folder, datetime.now(UTC) - timedelta(days=day))
    # Back up now, and backup --all.
    regular.back_up_now(installation.configuration, never)
    make_archive(installation.configuration)
    found = archives(folder)
    assert [one.is_by_hand for one in found] == [True, True, False, False]
    assert "-by-hand-all.tar.gz" in found[0].name


def test_another_process_that_is_at_it_is_left_alone(installation, folder):
    taken(folder, at("2026-11-01T02:30:00"))
    with archive_lock(installation.configuration) as lock:
        assert lock.take()
        regular.back_up_now(installation.configuration, never)
    assert len(archives(folder)) == 1
    assert last_backup(folder) is None


def test_a_backup_that_fails_is_told_once_and_so_is_the_next_good_one(
    installation, folder, monkeypatch
):
    seed_accounts()

    def fail(*_arguments, **_named):
        raise ArchiveError("The disk is full.")

    monkeypatch.setattr(regular, "make_archive_alone", fail)
    regular.back_up_now(installation.configuration, never)
    regular.back_up_now(installation.configuration, never)
    assert last_backup(folder).problems == ["The disk is full."]
    monkeypatch.setattr(regular, "make_archive_alone", make_archive_alone)
    regular.back_up_now(installation.configuration, never)
    admin = User.objects.get(username="admin")
    kinds = Notification.objects.filter(user=admin).order_by("pk")
    assert list(kinds.values_list("kind", flat=True)) == [
        "BackupFailed",
        "BackupRecovered",
    ]
    assert last_backup(folder).ok


def test_a_drill_finds_a_damaged_file_a_lost_account_and_a_flipped_byte(
    installation, folder
):
    seed_accounts()
    installation.add_file(b"changed").write_bytes(b"CHANGED")
    installation.execute("UPDATE accounts_user SET is_active = 0")
    regular.back_up_now(installation.configuration, never)
    regular.hold_drill(installation.configuration, never)
    problems = " ".join(last_drill(folder).problems)
    assert re.search(r"The file [0-9a-f-]{36} differs", problems)
    assert "No active account" in problems
    newest = archives(folder)[0].path
    content = bytearray(newest.read_bytes())
    content[len(content) // 2] ^= 1
    newest.write_bytes(content)
    regular.hold_drill(installation.configuration, never)
    assert "damaged" in last_drill(folder).problems[0]
    [note] = Notification.objects.filter(user__username="admin")
    assert note.subject == "drill"
    assert not list(folder.glob(".platform-drill*"))


def test_without_the_private_key_a_drill_says_what_it_could_not_check(
    installation, folder, caplog
):
    caplog.set_level("INFO", "platform.backups")
    installation.variables["Backup__Recipients__0"] = RECIPIENT
    regular.back_up_now(installation.configuration, never)
    [archive] = archives(folder)
    assert archive.is_encrypted
    assert archive.state.only_bytes
    regular.hold_drill(installation.configuration, never)
    drill = last_drill(folder)
    assert drill.ok
    assert not drill.is_complete
    assert "only the bytes" in drill.unchecked[0]
    assert "Set Backup:Identity" in drill.unchecked[0]
    assert archive.name in caplog.text
    assert "restored and checked" not in caplog.text
    archive.path.with_name(f"{archive.name}.json").unlink()
    regular.hold_drill(installation.configuration, never)
    assert "nothing was compared" in last_drill(folder).unchecked[0]
    installation.variables["Backup__Identity"] = IDENTITY
    regular.hold_drill(installation.configuration, never)
    assert last_drill(folder).is_complete
    assert last_drill(folder).rows > 100
    assert "was restored and checked by" in caplog.text


def test_without_the_passphrase_a_drill_names_its_setting(installation, folder):
    installation.variables["Backup__Passphrase"] = "six words that nobody would guess"
    regular.back_up_now(installation.configuration, never)
    del installation.variables["Backup__Passphrase"]
    regular.hold_drill(installation.configuration, never)
    assert (
        "Set Backup:Passphrase to have it restored" in last_drill(folder).unchecked[0]
    )


def test_the_end_of_failed_drills_is_no_success_if_nothing_was_restored(
    installation, folder
):
    seed_accounts()
    installation.variables["Backup__Recipients__0"] = RECIPIENT
    regular.back_up_now(installation.configuration, never)
    [archive] = archives(folder)
    content = archive.path.read_bytes()
    archive.path.write_bytes(content + b"x")
    regular.hold_drill(installation.configuration, never)
    archive.path.write_bytes(content)
    regular.hold_drill(installation.configuration, never)
    told = Notification.objects.filter(user__username="admin", kind="BackupRecovered")
    assert "restored no backup" in backup_text(told.get())
    assert "only the bytes" in told.get().reason


def test_a_drill_is_due_each_month_and_the_day_after_a_failure(installation, folder):
    chosen = backup_settings(installation.configuration)
    now = datetime.now(UTC)
    assert not is_drill_due(chosen, now)
    taken(folder, now)
    assert is_drill_due(chosen, now)
    good = BackupResult(at=now.isoformat())
    record_drill(folder, good)
    assert not is_drill_due(chosen, now + timedelta(days=29))
    assert is_drill_due(chosen, now + timedelta(days=31))
    record_drill(folder, BackupResult(at=now.isoformat(), problems=["damaged"]))
    assert is_drill_due(chosen, now + timedelta(days=2))
    assert not is_drill_due(replace(chosen, drill_every=None), now)
