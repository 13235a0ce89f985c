"""Uploads of the import page: who may use them, and when they are removed."""

from __future__ import annotations

import os
import stat
import sys
from datetime import timedelta
from unittest import mock

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError
from django.utils import timezone

from importer import services
from importer.models import PackageUpload
from importer.runs import package_uploads

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folder(importer_settings, tmp_path):
    """Set an upload folder for the test, which doesn't exist yet."""
    importer_settings(UPLOAD_FOLDER=tmp_path / "uploads")
    return tmp_path / "uploads"


def stored(user, content=b"{}", name="p.json"):
    return package_uploads.store(SimpleUploadedFile(name, content), user)


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_an_upload_is_found_only_by_its_user_and_bytes(admin, clerk):
    other = clerk()
    upload = stored(admin, b"[1]")
    with package_uploads.opened(package_uploads.find(admin, upload.digest)) as file:
        assert file.read() == b"[1]"
    assert package_uploads.latest(admin) == upload
    assert package_uploads.find(other, upload.digest) is None
    assert package_uploads.latest(other) is None
    assert package_uploads.find(admin, "0" * 64) is None


@pytest.mark.skipif(sys.platform == "win32", reason="There are no such modes.")
def test_files_are_private_and_not_named_by_users(admin, folder):
    upload = stored(admin, name="../../p.json")
    assert files(folder) == [upload.id.hex]
    assert stat.S_IMODE((folder / upload.id.hex).stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_the_same_bytes_are_kept_once_for_each_user(admin, clerk, folder):
    stored(admin)
    again = stored(admin, name="again.json")
    other = stored(clerk())
    assert files(folder) == sorted([again.id.hex, other.id.hex])
    assert package_uploads.latest(admin).name == "again.json"


def test_a_user_has_five_uploads_and_all_together_twenty(admin, clerk, folder):
    kept = [stored(admin, f"[{n}]".encode()) for n in range(7)]
    assert files(folder) == sorted(one.id.hex for one in kept[2:])
    for number in range(4):
        user = clerk(name=f"clerk{number}")
        for n in range(5):
            stored(user, f"[{n}]".encode())
    assert PackageUpload.objects.count() == len(files(folder)) == 20
    assert package_uploads.latest(admin) is None


def test_housekeeping_removes_expired_uploads(admin, clerk, folder):
    services.remove_expired()  # there is no folder yet
    leaver = clerk()
    old, new, lost = stored(admin), stored(admin, b"[]"), stored(leaver)
    leaver.delete()  # the row goes with its user
    services.remove_expired()
    assert len(files(folder)) == 3  # the file of a row that is just being written
    day = timedelta(hours=24, minutes=1)
    PackageUpload.objects.filter(pk=old.pk).update(uploaded_at=timezone.now() - day)
    long_ago = (timezone.now() - day).timestamp()
    for one in (new, lost):
        os.utime(folder / one.id.hex, (long_ago, long_ago))
    assert package_uploads.find(admin, old.digest) is None
    services.remove_expired()
    assert files(folder) == [new.id.hex]


def test_an_upload_whose_file_is_missing_must_be_sent_again(admin, folder):
    older, upload = stored(admin), stored(admin, b"[]")
    (folder / upload.id.hex).unlink()
    assert package_uploads.find(admin, upload.digest) is None
    assert package_uploads.latest(admin) == older
    with pytest.raises(FileNotFoundError):
        package_uploads.opened(upload)


def test_a_failed_insert_leaves_no_file(admin, folder):
    refusal = OperationalError("attempt to write a readonly database")
    with (
        mock.patch.object(PackageUpload, "save", side_effect=refusal),
        pytest.raises(OperationalError),
    ):
        stored(admin)
    assert files(folder) == []


def test_a_file_removed_by_another_process_does_not_stop_housekeeping(
    admin, folder, monkeypatch
):
    upload = stored(admin)
    monkeypatch.setattr(package_uploads, "_names", lambda storage: ["gone"])
    services.remove_expired()
    assert package_uploads.latest(admin) == upload


def test_an_upload_is_stored_with_two_queries(admin, django_assert_num_queries):
    with django_assert_num_queries(2):
        stored(admin)
