"""The command that finds what nobody needs in the blob folder."""

from __future__ import annotations

import datetime
import io
import os
import uuid

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import TestCase
from django.utils import timezone

from platform_site.files import blobs, cleaning
from platform_site.files.models import StoredFile
from platform_site.files.services import store_file
from tests.processing.users import an_uploader

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folder(tmp_path, settings):
    settings.PLATFORM_BLOBS_FOLDER = tmp_path / "blobs"
    return settings.PLATFORM_BLOBS_FOLDER


def clean(*options):
    out = io.StringIO()
    with TestCase.captureOnCommitCallbacks(execute=True):
        call_command("clean_files", *options, stdout=out)
    return out.getvalue()


def a_file(*, days=0):
    upload = SimpleUploadedFile("list.csv", b"bytes", "text/csv")
    file = store_file(upload=upload, user=an_uploader())
    at = timezone.now() - datetime.timedelta(days=days)
    StoredFile.objects.filter(pk=file.pk).update(uploaded_at=at)
    return file


def make_old(path):
    past = timezone.now().timestamp() - 3 * 24 * 3600
    os.utime(path, (past, past))
    return path


def a_blob(key, *, old=True):
    blobs.write(key, [b"x"], limit=1)
    path = blobs.path_of(key)
    return make_old(path) if old else path


def test_a_clean_folder_has_nothing_to_delete():
    a_file()
    assert clean() == "There is nothing to delete.\n"


def test_a_folder_that_is_not_there_yet_is_clean():
    assert clean() == "There is nothing to delete.\n"


def test_it_only_reports_by_default():
    old, orphan = a_file(days=2), uuid.uuid4()
    path = a_blob(orphan)
    said = clean()
    assert f"unused     {old.pk}" in said
    assert f"unknown    {orphan}" in said
    assert "Nothing was deleted" in said
    assert path.exists()
    assert StoredFile.objects.filter(pk=old.pk).exists()


def test_with_delete_it_deletes_unused_files_but_not_new_ones():
    old, new, orphan = a_file(days=2), a_file(), uuid.uuid4()
    path = a_blob(orphan)
    just_written = a_blob(uuid.uuid4(), old=False)
    assert "All of them were deleted." in clean("--delete")
    assert not path.exists()
    assert not blobs.path_of(old.pk).exists()
    assert list(StoredFile.objects.all()) == [new]
    assert blobs.path_of(new.pk).exists()
    assert just_written.exists()
    assert clean() == "There is nothing to delete.\n"


def test_what_a_broken_upload_left_is_removed_once_it_is_old():
    key = uuid.uuid4()
    path = a_blob(key, old=False)
    part = path.rename(path.with_suffix(".part"))
    assert clean() == "There is nothing to delete.\n"
    make_old(part)
    assert f"abandoned  {key.hex}.part" in clean("--delete")
    assert not part.exists()


def test_what_somebody_else_put_there_is_left_alone(folder):
    stranger = folder / "ab" / "notes.txt"
    stranger.parent.mkdir(parents=True)
    stranger.write_text("mine", encoding="utf-8")
    make_old(stranger)
    assert clean("--delete") == "There is nothing to delete.\n"
    assert stranger.exists()


def test_missing_bytes_are_reported_and_their_row_is_kept():
    file = a_file()
    blobs.remove(file.pk)
    said = clean("--delete")
    assert f"missing    {file.pk}" in said
    assert StoredFile.objects.filter(pk=file.pk).exists()


def test_what_others_refer_to_is_in_use(monkeypatch):
    file = a_file(days=2)

    class Relation:
        """A table whose rows refer to files: the files themselves will do."""

        related_model = StoredFile

        class field:
            name = "pk"

    monkeypatch.setattr(cleaning, "_references", lambda: [Relation])
    assert clean("--delete") == "There is nothing to delete.\n"
    assert StoredFile.objects.filter(pk=file.pk).exists()


def test_a_folder_that_cannot_be_read_is_a_sentence(monkeypatch):
    def refuse():
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(blobs, "all_keys", refuse)
    with pytest.raises(CommandError, match="cannot be cleaned: Permission denied"):
        clean()
