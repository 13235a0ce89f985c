"""The command that finds what nobody needs among the blobs."""

from __future__ import annotations

import datetime
import io
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
def everywhere(place):
    """Try everything in a folder and in a bucket."""


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


@pytest.fixture
def a_blob(place):
    """Return how a test stores a blob without a row; returns its name."""

    def stored(key, *, old=True):
        blobs.write(key, [b"x"], limit=1)
        name = blobs.name_of(key)
        if old:
            place.make_old(name)
        return name

    return stored


def test_a_clean_folder_has_nothing_to_delete():
    a_file()
    assert clean() == "There is nothing to delete.\n"


def test_a_folder_that_is_not_there_yet_is_clean():
    assert clean() == "There is nothing to delete.\n"


def test_it_only_reports_by_default(place, a_blob):
    old, orphan = a_file(days=2), uuid.uuid4()
    name = a_blob(orphan)
    said = clean()
    assert f"unused     {old.pk}" in said
    assert f"unknown    {orphan}" in said
    assert "Nothing was deleted" in said
    assert name in place.names()
    assert StoredFile.objects.filter(pk=old.pk).exists()


def test_with_delete_it_deletes_unused_files_but_not_new_ones(place, a_blob):
    a_file(days=2)
    new = a_file()
    a_blob(uuid.uuid4())
    just_written = a_blob(uuid.uuid4(), old=False)
    assert "All of them were deleted." in clean("--delete")
    assert list(StoredFile.objects.all()) == [new]
    assert place.names() == sorted([blobs.name_of(new.pk), just_written])
    assert clean() == "There is nothing to delete.\n"


def test_of_many_blobs_all_leftovers_are_found(place, a_blob):
    """A bucket lists them on several pages."""
    files = [a_file() for _ in range(5)]
    orphans = [uuid.uuid4() for _ in range(9)]
    for orphan in orphans:
        a_blob(orphan)
    said = clean("--delete")
    assert all(f"unknown    {orphan}" in said for orphan in orphans)
    assert place.names() == sorted(blobs.name_of(file.pk) for file in files)


def test_what_a_broken_upload_left_is_removed_once_it_is_old(in_folder):
    name = f"{blobs.name_of(uuid.uuid4())}.part"
    in_folder.put(name, b"half")
    assert clean() == "There is nothing to delete.\n"
    in_folder.make_old(name)
    assert f"abandoned  {name}" in clean("--delete")
    assert in_folder.names() == []


@pytest.mark.parametrize("name", ["ab/notes.txt", "packages/" + "0" * 32, ".mark"])
def test_what_somebody_else_put_there_is_left_alone(place, name):
    place.put(name, b"mine")
    place.make_old(name)
    assert clean("--delete") == "There is nothing to delete.\n"
    assert place.names() == [name]


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


def test_a_place_that_cannot_be_read_is_a_sentence(monkeypatch):
    def refuse():
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(blobs, "contents", refuse)
    with pytest.raises(CommandError, match="cannot be cleaned: Permission denied"):
        clean()
