"""Uploaded files: what is kept of them, where, and what is refused."""

from __future__ import annotations

import errno
import hashlib
import os
import random
import stat
import uuid

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from platform_site.files import blobs
from platform_site.files.bucket import PART_BYTES
from platform_site.files.models import StoredFile
from platform_site.files.services import (
    ANY_TYPE,
    FileTooLarge,
    FileUnusable,
    open_file,
    readable_file,
    store_file,
)
from tests.processing.users import an_uploader

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def everywhere(place):
    """Try everything in a folder and in a bucket."""


def an_upload(content=b"bytes", name="list.csv", content_type="text/csv"):
    upload = SimpleUploadedFile("x", content, content_type)
    upload._name = name
    return upload


def test_a_file_is_kept_under_its_guid_with_what_is_known_of_it(place):
    person = an_uploader()
    file = store_file(upload=an_upload(b"some bytes"), user=person)
    assert (file.name, file.content_type, file.size) == ("list.csv", "text/csv", 10)
    assert file.sha256 == hashlib.sha256(b"some bytes").hexdigest()
    assert file.uploaded_by == person
    assert place.names() == [f"{file.pk.hex[:2]}/{file.pk.hex}"]
    with open_file(file) as stream:
        assert stream.read() == b"some bytes"
        assert stream.seek(5) == 5
        assert stream.read() == b"bytes"


@pytest.mark.parametrize("size", [0, 1, PART_BYTES, 2 * PART_BYTES + 1])
def test_a_file_of_any_size_is_read_as_it_was_written(size):
    content = random.Random(size).randbytes(size)
    file = store_file(upload=an_upload(content), user=an_uploader())
    assert (file.size, file.sha256) == (size, hashlib.sha256(content).hexdigest())
    with open_file(file) as stream:
        assert stream.read() == content


def test_only_the_application_may_read_it(in_folder):
    store_file(upload=an_upload(), user=an_uploader())
    (name,) = in_folder.names()
    path = in_folder.folder / name
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\temp\\a.csv", "a.csv"),
        ("a\r\nX: y\0.csv", "a__X: y_.csv"),
        ("\u202egnp.exe", "_gnp.exe"),
        ("\u2066gnp\u2069\u200f.exe", "_gnp__.exe"),
        ("n" * 300 + ".csv", "n" * 251 + ".csv"),
        ("Прайс лист.csv", "Прайс лист.csv"),
        ("", "file"),
        (None, "file"),
    ],
)
def test_a_name_is_for_reading_only(place, given, kept):
    file = store_file(upload=an_upload(name=given), user=an_uploader())
    assert file.name == kept
    assert place.names() == [f"{file.pk.hex[:2]}/{file.pk.hex}"]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("text/csv; charset=utf-8", "text/csv"),
        ("IMAGE/PNG", "image/png"),
        ("text/html\r\nX: y", ANY_TYPE),
        ("nonsense", ANY_TYPE),
        ("a/" + "b" * 200, ANY_TYPE),
        ("", ANY_TYPE),
        (None, ANY_TYPE),
    ],
)
def test_a_type_is_kept_only_if_it_is_one(given, kept):
    file = store_file(upload=an_upload(content_type=given), user=an_uploader())
    assert file.content_type == kept


def test_the_limit_is_exact_and_leaves_nothing_behind(place, settings):
    settings.PLATFORM_MAX_FILE_SIZE = 5
    store_file(upload=an_upload(b"12345"), user=an_uploader())
    with pytest.raises(FileTooLarge, match="at most 5 bytes"):
        store_file(upload=an_upload(b"123456"), user=an_uploader())
    assert len(place.names()) == StoredFile.objects.count() == 1


class Broken:
    """An upload whose connection breaks."""

    name, content_type = "a.csv", "text/csv"

    def chunks(self):
        yield b"some"
        raise OSError(self.number, os.strerror(self.number))

    def __init__(self, number):
        self.number = number


def test_a_disk_that_fails_is_a_sentence_and_leaves_nothing(place):
    with pytest.raises(FileUnusable, match="Input/output error"):
        store_file(upload=Broken(errno.EIO), user=an_uploader())
    assert place.names() == []
    assert not StoredFile.objects.exists()


def test_a_full_disk_is_no_fault_of_the_file_and_leaves_nothing(place):
    with pytest.raises(OSError, match="No space left on device"):
        store_file(upload=Broken(errno.ENOSPC), user=an_uploader())
    assert place.names() == []
    assert not StoredFile.objects.exists()


def test_without_its_row_no_bytes_stay(place, monkeypatch):
    def refuse(**values):
        raise RuntimeError

    monkeypatch.setattr(StoredFile.objects, "create", refuse)
    with pytest.raises(RuntimeError):
        store_file(upload=an_upload(), user=an_uploader())
    assert place.names() == []


def test_missing_bytes_are_said_in_a_sentence():
    file = store_file(upload=an_upload(), user=an_uploader())
    blobs.remove(file.pk)
    with pytest.raises(FileUnusable, match=r"“list\.csv” are missing"):
        open_file(file)


def test_only_the_uploader_and_administrators_may_read():
    mine, other = an_uploader(), an_uploader()
    boss = an_uploader(is_superuser=True)
    file = store_file(upload=an_upload(), user=mine)
    assert readable_file(key=file.pk, user=mine) == file
    assert readable_file(key=file.pk, user=boss) == file
    assert readable_file(key=file.pk, user=other) is None
    assert readable_file(key=uuid.uuid4(), user=boss) is None
