"""A bucket that fails: a sentence and the status 503, in time, and nothing half-written."""

from __future__ import annotations

import sys
import time
import uuid

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from platform_site.database.failures import Failure, counted_failures
from platform_site.files import blobs, bucket, cleaning
from platform_site.files.models import StoredFile
from platform_site.files.services import open_file, store_file
from platform_site.settings.s3_place import StorageUnavailable
from tests.processing.users import an_uploader
from tests.s3_server import SECRET_KEY

pytestmark = pytest.mark.django_db
FILES = "/api/v1/Files"


@pytest.fixture
def server(in_bucket, monkeypatch):
    """A bucket for whose answers nobody waits long."""
    soon = bucket.Patience(1, 1, 0.2)
    opened = bucket.open_bucket
    monkeypatch.setattr(
        "platform_site.files.stores.open_bucket", lambda place: opened(place, soon)
    )
    return in_bucket.server


@pytest.fixture
def browser():
    client = Client(raise_request_exception=False)
    client.force_login(an_uploader())
    return client


def an_upload(content=b"bytes"):
    return SimpleUploadedFile("list.csv", content, "text/csv")


def fail(server, how):
    if how == "hanging":
        server.hanging.set()
    elif how == "gone":
        server.shutdown()
        server.server_close()
        bucket.open_bucket.cache_clear()
    else:
        setattr(server, how, True)


EACH_FAILURE = pytest.mark.parametrize("how", ["refusing", "hanging", "full", "gone"])


@EACH_FAILURE
def test_an_upload_is_told_to_be_tried_again_and_leaves_nothing(server, browser, how):
    fail(server, how)
    begun, before = time.monotonic(), counted_failures()[Failure.STORAGE]
    answer = browser.post(FILES, {"file": an_upload()})
    assert time.monotonic() - begun < 10
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert "storage of files doesn't answer" in answer.json()["detail"]
    assert answer["Retry-After"]
    assert counted_failures()[Failure.STORAGE] == before + 1
    assert not StoredFile.objects.exists()
    assert server.objects == {}


@pytest.mark.parametrize("how", ["refusing", "hanging", "cut", "gone"])
def test_a_download_is_told_to_be_tried_again(server, browser, how, caplog):
    key = browser.post(FILES, {"file": an_upload()}).json()["id"]
    fail(server, how)
    answer = browser.get(f"{FILES}/{key}")
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    # The file is known to be there, so nobody is told to upload it again.
    assert "upload" not in answer.json()["detail"]
    assert "The bucket files" in caplog.text
    assert "Traceback" not in caplog.text
    assert SECRET_KEY not in caplog.text


def test_a_page_with_an_upload_says_so(server):
    client = Client(raise_request_exception=False)
    client.force_login(an_uploader(is_superuser=True, is_staff=True))
    server.refusing = True
    given = {"fileId": an_upload(b"code;name\n1;Trowel\n"), "timeZone": ""}
    answer = client.post("/admin/processors/ImportItemsFromCsv", given)
    assert answer.status_code == 503
    assert "storage of files doesn&#x27;t answer" in answer.content.decode()


def test_a_part_that_is_refused_leaves_nothing(server):
    """A large file is uploaded in parts, of which none is seen before the last."""
    content = b"x" * (2 * bucket.PART_BYTES + 1)
    server.refused_part = 2
    with pytest.raises(StorageUnavailable):
        store_file(upload=an_upload(content), user=an_uploader())
    assert server.objects == {}
    # The begun upload was given up, too.
    assert server.parts == {}


def test_a_large_file_is_never_read_only_in_part(server):
    content = b"x" * (2 * bucket.PART_BYTES + 1)
    file = store_file(upload=an_upload(content), user=an_uploader())
    server.cut = True
    with pytest.raises(StorageUnavailable):
        open_file(file)


def test_a_bucket_that_lost_bytes_of_an_upload_is_noticed(server):
    server.loses = True
    with pytest.raises(StorageUnavailable, match="4 bytes instead of 5"):
        store_file(upload=an_upload(), user=an_uploader())
    assert not StoredFile.objects.exists()


def test_bytes_that_cannot_be_deleted_are_found_later(server, in_bucket, caplog):
    key = uuid.uuid4()
    blobs.write(key, [b"x"], limit=1)
    server.refusing = True
    cleaning.discard(key)
    assert "clean_files will find them" in caplog.text
    server.refusing = False
    in_bucket.make_old(blobs.name_of(key))
    assert cleaning.find_leftovers().unknown == [key]


def test_the_command_that_cleans_says_what_failed(server):
    server.refusing = True
    with pytest.raises(CommandError, match="cannot be cleaned: The bucket files"):
        call_command("clean_files")


def test_a_missing_library_is_named_with_its_setting(server, monkeypatch):
    bucket.open_bucket.cache_clear()
    monkeypatch.setitem(sys.modules, "obstore", None)
    with pytest.raises(StorageUnavailable, match="BlobStorage:S3 needs") as raised:
        blobs.read(uuid.uuid4())
    assert "pip install obstore" in str(raised.value)


def test_keys_are_in_no_representation(settings, in_bucket):
    assert SECRET_KEY not in repr(settings.PLATFORM_BLOBS_BUCKET)
