"""The places of blobs: what is true of a folder is true of a bucket."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

import pytest

from platform_site.files.bucket import open_bucket
from platform_site.settings.env import read_settings
from platform_site.settings.s3_place import s3_place
from tests.s3_server import s3_server

LONG = timedelta(days=3)
PREFIX = "files/erp/"


class InFolder:
    """A folder of blobs, and what a test does there behind the back of the program."""

    def __init__(self, folder):
        self.folder = folder

    def names(self):
        files = (path for path in self.folder.rglob("*") if path.is_file())
        return sorted(path.relative_to(self.folder).as_posix() for path in files)

    def put(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def make_old(self, name):
        past = (datetime.now(UTC) - LONG).timestamp()
        os.utime(self.folder / name, (past, past))


class InBucket:
    """A bucket with a prefix, and the same."""

    def __init__(self, server):
        self.server = server

    def names(self):
        return sorted(key.removeprefix(PREFIX) for key in self.server.objects)

    def put(self, name, content):
        self.server.store(PREFIX + name, content)

    def make_old(self, name):
        self.server.modified[PREFIX + name] = datetime.now(UTC) - LONG


@pytest.fixture
def in_folder(settings, tmp_path):
    """Blobs in a folder, which doesn't exist yet."""
    settings.PLATFORM_BLOBS_FOLDER = tmp_path / "blobs"
    settings.PLATFORM_BLOBS_BUCKET = None
    return InFolder(tmp_path / "blobs")


@pytest.fixture
def in_bucket(settings, tmp_path):
    """Blobs in a bucket, which is empty."""
    with s3_server() as server:
        settings.PLATFORM_BLOBS_FOLDER = tmp_path / "blobs"
        variables = server.settings("BlobStorage:S3")
        place = s3_place(read_settings(variables, None), "BlobStorage:S3")
        settings.PLATFORM_BLOBS_BUCKET = place
        yield InBucket(server)
        open_bucket.cache_clear()


@pytest.fixture(params=["folder", "bucket"])
def place(request):
    """Both, one after the other."""
    return request.getfixturevalue(f"in_{request.param}")
