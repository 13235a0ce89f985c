"""A SQLite installation on which archives are made and restored in this process."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from hashlib import sha256
from uuid import uuid4

import pytest

from platform_site.settings.configuration import build
from platform_site.settings.env import read_settings
from tests.first_start import started_once
from tests.site.archives.whole_installation import FILES
from tests.site.host.upgrades import content


class OnDisk:
    """A data folder, its configuration, and what is in it."""

    def __init__(self, data, settings):
        self.data = data
        self._settings = settings
        self.variables = {"Platform__DataPath": str(data)}
        settings.PLATFORM_DATA_FOLDER = data
        settings.PLATFORM_BLOBS_FOLDER = data / "blobs"
        settings.IMPORTER = {
            **settings.IMPORTER,
            "LOCK_FILE": data / "db" / ".import.lock",
            "UPLOAD_FOLDER": data / "blobs" / "packages",
        }

    @property
    def configuration(self):
        return build(read_settings(self.variables, None))

    @property
    def database(self):
        return self.data / "db" / "platform.db"

    def execute(self, statement, *values):
        with closing(sqlite3.connect(self.database)) as database:
            rows = database.execute(statement, values).fetchall()
            database.commit()
            return rows

    def add_file(self, text):
        """Store a file as an upload does; return its path."""
        key = uuid4()
        path = self.data / "blobs" / key.hex[:2] / key.hex
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
        self.execute(
            "INSERT INTO files_storedfile"
            " (id, name, content_type, size, sha256, uploaded_at)"
            " VALUES (?, 'x', 'text/plain', ?, ?, '2026-11-01')",
            *(key.hex, len(text), sha256(text).hexdigest()),
        )
        return path

    def state(self):
        """Return a hash of the rows, and the files and the key."""
        files = {
            str(path.relative_to(self.data)): path.read_bytes()
            for folder in ("blobs", "keys")
            for path in (self.data / folder).rglob("*")
            if path.is_file()
        }
        return content(self.database), files


@pytest.fixture
def installation(tmp_path, settings):
    one = OnDisk(started_once(tmp_path / "data"), settings)
    for text in FILES:
        one.add_file(text)
    return one
