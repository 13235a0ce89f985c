"""Backups and restores that end in the middle: nothing is half done afterwards."""

from __future__ import annotations

import pytest

from platform_site.site.archives.errors import ArchiveError, Stopped
from platform_site.site.archives.keys import Keys
from platform_site.site.archives.making import make_archive
from platform_site.site.archives.restoring import restore_archive
from platform_site.site.host import pending_restore as pending
from platform_site.site.host.archive_folder import archives
from platform_site.site.host.instance_lock import only_instance
from platform_site.site.host.pending_restore import finish_restore, refuse_while_pending

# The locks ask which database the tests use.
pytestmark = pytest.mark.django_db
NO_KEYS = Keys()


class Killed(BaseException):
    """What ends the process at a moment that a test chooses."""


def restore(installation, archive, keys=NO_KEYS):
    return restore_archive(installation.configuration, archive, keys, replace=False)


def change(installation):
    """Change everything that an archive holds."""
    installation.execute("UPDATE accounts_user SET first_name = 'changed'")
    installation.add_file(b"later")
    (installation.data / "keys" / "jwt-signing.key").write_text("n" * 86)


# What a restore calls, in this order, from the moment the archive is unpacked.
BEFORE = ["_check", "_save_present"]
AFTER = ["_put_database", "put_blobs", "_put", "_put_licence", "finish_reset"]


@pytest.mark.parametrize("step", BEFORE)
def test_before_everything_is_checked_a_kill_changes_nothing(
    installation, tmp_path, monkeypatch, step
):
    archive = make_archive(installation.configuration, tmp_path / "a.tar.gz")
    change(installation)
    changed = installation.state()
    _kill(monkeypatch, f"platform_site.site.archives.restoring.{step}")
    # A killed process removes nothing.
    monkeypatch.setattr(pending.Staging, "remove", lambda self: None)
    with pytest.raises(Killed):
        restore(installation, archive)
    monkeypatch.undo()
    assert list(installation.data.glob("restore-*"))
    assert finish_restore(installation.configuration) is False
    assert installation.state() == changed
    assert not list(installation.data.glob("restore-*"))
    assert not list(installation.data.glob("blobs/.restore*"))


@pytest.mark.parametrize("again", ["start", "restore"])
@pytest.mark.parametrize("step", AFTER)
def test_afterwards_the_next_start_or_restore_completes_it(
    installation, tmp_path, monkeypatch, caplog, step, again
):
    archive = make_archive(installation.configuration, tmp_path / "a.tar.gz")
    before = installation.state()
    change(installation)
    later = set(installation.state()[1])
    _kill(monkeypatch, f"platform_site.site.host.pending_restore.{step}")
    with pytest.raises(Killed):
        restore(installation, archive)
    monkeypatch.undo()
    with pytest.raises(Exception, match="interrupted"):
        refuse_while_pending(installation.configuration)
    if again == "start":
        assert finish_restore(installation.configuration) is True
    else:
        restore(installation, archive)
    # Told when it is done, by whoever has done it.
    [line] = [one.fields for one in caplog.records if one.name == "platform.security"]
    assert (line["event"], line["row"]) == ("restore", "a.tar.gz")
    assert line["taken"]
    rows, files = installation.state()
    assert rows == before[0]
    # Files that the restored rows don't know stay.
    assert files.keys() == later
    assert {name: files[name] for name in before[1]} == before[1]
    refuse_while_pending(installation.configuration)
    # What was there is in backups/: rows and key.
    kept = [path.suffix for path in installation.data.glob("backups/*before-restore*")]
    assert {".db", ".key"} <= set(kept)


def _kill(monkeypatch, target):
    def killed(*_arguments, **_named):
        raise Killed

    monkeypatch.setattr(target, killed)


def test_a_backup_that_is_stopped_leaves_nothing(installation):
    calls = []

    def has_stopped():
        calls.append(1)
        return len(calls) > 2

    with pytest.raises(Stopped):
        make_archive(installation.configuration, has_stopped=has_stopped)
    assert list(installation.data.glob("backups/*")) == []


def test_what_a_killed_backup_left_is_removed_by_the_next(installation):
    folder = installation.data / "backups"
    (folder / ".platform-archive-x").mkdir(parents=True)
    (folder / ".platform-archive-x" / "platform.db").write_bytes(b"half")
    (folder / ".platform-20260101T000000000000Z-all.tar.gz.tmp").write_bytes(b"half")
    made = make_archive(installation.configuration)
    names = sorted(path.name for path in folder.iterdir())
    assert names == [made.name, f"{made.name}.json"]
    assert archives(folder)[0].is_good


def test_a_file_deleted_meanwhile_is_listed_and_not_fatal(installation, tmp_path):
    installation.add_file(b"gone").unlink()
    installation.add_file(b"changed").write_bytes(b"CHANGED")
    archive = make_archive(installation.configuration, tmp_path / "a.tar.gz")
    manifest = restore(installation, archive).manifest
    assert (manifest.missing, manifest.damaged) == (1, 1)
    assert len(manifest.missing_files) == 1


def test_a_restore_is_refused_while_a_server_runs(installation, tmp_path):
    archive = make_archive(installation.configuration, tmp_path / "a.tar.gz")
    before = installation.state()
    with (
        only_instance(installation.data),
        pytest.raises(Exception, match="Another Platform process"),
    ):
        restore(installation, archive)
    assert installation.state() == before


@pytest.mark.parametrize(
    ("version", "refused"), [("0.1.0", False), ("0.2.1", True), ("1.0", True)]
)
def test_an_older_archive_is_restored_and_a_newer_one_refused(
    installation, tmp_path, monkeypatch, version, refused
):
    monkeypatch.setattr("platform_site.site.archives.members.__version__", version)
    archive = make_archive(installation.configuration, tmp_path / "a.tar.gz")
    change(installation)
    changed = installation.state()
    if not refused:
        assert restore(installation, archive).manifest.version == version
        return
    with pytest.raises(ArchiveError, match=f"from version {version}"):
        restore(installation, archive)
    assert installation.state() == changed


def test_an_archive_with_unknown_migrations_is_refused(installation, tmp_path):
    installation.execute(
        "INSERT INTO django_migrations (app, name, applied)"
        " VALUES ('catalogs', '9999_later', '2026-01-01')"
    )
    archive = make_archive(installation.configuration, tmp_path / "a.tar.gz")
    with pytest.raises(ArchiveError, match=r"catalogs\.9999_later"):
        restore(installation, archive)


def test_secrets_are_not_in_an_archive(installation, tmp_path):
    installation.variables["Mail__Password"] = "hunter2hunter2"
    archive = make_archive(installation.configuration, tmp_path / "a.tar.gz")
    restored = restore(installation, archive)
    assert restored.manifest.secrets == ["Mail:Password"]
    text = (installation.data / "backups" / "restored-settings.json").read_text()
    assert "Platform:TimeZone" in text
    assert "hunter2" not in text


def test_a_full_disk_is_a_sentence(installation, monkeypatch):
    monkeypatch.setattr(
        "platform_site.site.archives.making.shutil.disk_usage",
        lambda _folder: type("usage", (), {"free": 1 << 20}),
    )
    with pytest.raises(ArchiveError, match="only 1 MiB are free"):
        make_archive(installation.configuration)


def test_a_file_is_never_overwritten(installation, tmp_path):
    there = tmp_path / "a.tar.gz"
    there.write_text("mine")
    with pytest.raises(ArchiveError, match="exists already"):
        make_archive(installation.configuration, there)
    assert there.read_text() == "mine"
