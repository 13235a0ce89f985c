"""Where the data folder lies, and what happens when it cannot be written."""

from __future__ import annotations

import errno
import stat
import tempfile
from pathlib import Path

import pytest

from platform_site.settings.data_folder import blobs_folder, prepare, resolve
from platform_site.settings.errors import StartRefusedError

APPLICATION = Path("/srv/application")


@pytest.mark.parametrize(
    ("data_path", "host_data_path", "expected"),
    [
        ("", "", "/srv/application"),
        ("state", "", "/srv/application/state"),
        ("./state/", "", "/srv/application/state"),
        ("../state", "", "/srv/state"),
        ("/var/state", "", "/var/state"),
        ("", "host", "/srv/application/host"),
        ("", "/var/host", "/var/host"),
        ("state", "/var/host", "/srv/application/state"),
    ],
)
def test_the_data_folder_follows_the_settings(data_path, host_data_path, expected):
    """HOST-063."""
    assert resolve(data_path, host_data_path, APPLICATION) == Path(expected)


def test_attachments_lie_under_the_data_folder(tmp_path):
    assert blobs_folder(tmp_path, "blobs") == tmp_path / "blobs"
    assert blobs_folder(tmp_path, "files") == tmp_path / "files"
    assert blobs_folder(tmp_path, "/srv/files") == Path("/srv/files")


def test_an_install_with_only_the_old_attachment_folder_keeps_it(tmp_path):
    old = tmp_path / "App_Data" / "blobs"
    old.mkdir(parents=True)
    assert blobs_folder(tmp_path, "blobs") == old
    assert blobs_folder(tmp_path, "files") == tmp_path / "files"
    (tmp_path / "blobs").mkdir()
    assert blobs_folder(tmp_path, "blobs") == tmp_path / "blobs"


def test_a_new_data_folder_is_for_the_applications_user_alone(tmp_path):
    folder = tmp_path / "deep" / "state"
    prepare(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert list(folder.iterdir()) == []


def test_a_data_folder_that_cannot_be_written_is_refused_with_its_path(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(StartRefusedError) as raised:
        prepare(tmp_path / "file" / "state")
    assert str(tmp_path / "file" / "state") in str(raised.value)
    assert "Platform__DataPath" in str(raised.value)


def test_a_full_disk_is_not_called_a_question_of_rights(tmp_path, monkeypatch):
    def full(**place):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    with pytest.raises(StartRefusedError, match="Free space on its disk") as refused:
        prepare(tmp_path)
    assert "write access" not in str(refused.value)
