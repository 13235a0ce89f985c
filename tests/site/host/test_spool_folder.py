"""Where temporary files are made, and what becomes of those of a killed process."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from django.core.files.uploadhandler import TemporaryFileUploadHandler

from platform_site.site.host.spool_folder import use_spool_folder


@pytest.fixture
def spool(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", tempfile.gettempdir())
    folder = tmp_path / "spool"
    folder.mkdir()
    (folder / "left").write_bytes(b"by a process that was killed")
    use_spool_folder(tmp_path)
    return folder


def test_what_a_killed_process_left_is_gone(spool):
    assert list(spool.iterdir()) == []


def test_an_upload_is_taken_in_under_the_data_folder(spool):
    """HOST-038."""
    handler = TemporaryFileUploadHandler()
    handler.new_file("file", "a.json", "application/json", 1)
    try:
        assert Path(handler.file.temporary_file_path()).parent == spool
    finally:
        handler.file.close()
