"""The folder of attachments that several nodes share, as readiness sees it."""

from __future__ import annotations

import pytest

from platform_site.files.stores import MARK
from platform_site.site.status import health, shared_folder
from platform_site.site.status.shared_check import SharedCheck


@pytest.fixture
def shared(settings, tmp_path):
    settings.PLATFORM_NODES, settings.PLATFORM_BLOBS_BUCKET = True, None
    settings.PLATFORM_BLOBS_FOLDER = folder = tmp_path / "blobs"
    folder.mkdir()
    (folder / MARK).write_text("the installation")
    return folder


def readiness_now():
    return SharedCheck(health._check, late="late")()


@pytest.mark.django_db(transaction=True)
def test_a_node_whose_shared_folder_is_not_mounted_is_not_ready(shared):
    assert readiness_now() == ""
    # What lies under a mount that is gone.
    (shared / MARK).unlink()
    reason = readiness_now()
    assert str(shared) in reason
    assert "not mounted on this node" in reason
    shared.rmdir()
    assert readiness_now() == reason


def test_a_bucket_and_the_folder_of_an_only_server_have_no_mark(shared, settings):
    (shared / MARK).unlink()
    settings.PLATFORM_BLOBS_BUCKET = object()
    assert shared_folder.folder_trouble() == ""
    settings.PLATFORM_BLOBS_BUCKET, settings.PLATFORM_NODES = None, False
    assert shared_folder.folder_trouble() == ""


def test_a_folder_that_cannot_be_read_is_missing(shared, monkeypatch):
    def stale(path):
        raise OSError("Stale file handle")

    monkeypatch.setattr(type(shared), "is_file", stale)
    assert shared_folder.missing_folder() == shared
