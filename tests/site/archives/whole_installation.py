"""Installations with rows and files, and what is in them, for the tests of archives."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from uuid import uuid4

import psycopg

from tests.journeys.installation import SqliteInstallation
from tests.postgres_server import TO_SERVER

FILES = [b"a drawing", b"", b"x" * 300_000]


def add_files(installation):
    """Store files as uploads do; return their paths."""
    return [_add_file(installation, content) for content in FILES]


def _add_file(installation, content):
    key = uuid4()
    path = installation.data / "blobs" / key.hex[:2] / key.hex
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    execute(
        installation,
        "INSERT INTO files_storedfile"
        " (id, name, content_type, size, sha256, uploaded_at) VALUES"
        f" ('{name_of(installation, key)}', 'drawing', 'text/plain', {len(content)},"
        f" '{digest}', '2026-11-01 12:00:00')",
    )
    return path


def name_of(installation, key):
    """Return a key as the database has it."""
    return key.hex if isinstance(installation, SqliteInstallation) else str(key)


def execute(installation, statement):
    """Change the database."""
    if isinstance(installation, SqliteInstallation):
        with closing(sqlite3.connect(installation.data / "db/platform.db")) as database:
            database.execute(statement)
            database.commit()
        return
    with psycopg.connect(f"{TO_SERVER} dbname={installation.database}") as database:
        database.execute(statement)


def tables(installation):
    """Return the names of the tables."""
    if isinstance(installation, SqliteInstallation):
        query = "SELECT name FROM sqlite_master WHERE type = 'table'"
    else:
        query = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    return sorted(name for (name,) in installation.rows(query))


def content_of(installation):
    """Return a hash of everything that an installation holds: rows, files and key."""
    digest = hashlib.sha256()
    for table in tables(installation):
        rows = sorted(map(repr, installation.rows(f'SELECT * FROM "{table}"')))
        digest.update(repr((table, rows)).encode())
    for folder in ("blobs", "keys"):
        for path in sorted((installation.data / folder).rglob("*")):
            if path.is_file():
                name = str(path.relative_to(installation.data))
                digest.update(name.encode() + path.read_bytes())
    return digest.hexdigest()
