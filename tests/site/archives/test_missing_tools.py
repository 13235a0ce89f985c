"""What is said where PostgreSQL's client programs are missing; no server is needed."""

from __future__ import annotations

from unittest.mock import MagicMock

import pytest

from platform_site.site.archives import checking, manifest as names, regular
from platform_site.site.archives.checking import check_archive
from platform_site.site.archives.keys import Keys
from platform_site.site.archives.writing import ArchiveWriter
from platform_site.site.host.archive_folder import last_backup
from platform_site.site.host.postgres_tools import PostgresTools
from tests.site.archives.test_archive_files import manifest

pytestmark = pytest.mark.django_db
REMEDY = "the package postgresql-client"


@pytest.fixture
def without_tools(installation, tmp_path, monkeypatch):
    """Return an installation on a server whose programs aren't on this machine."""
    installation.variables |= {
        "Provider": "PostgreSql",
        "ConnectionStrings__PostgreSql": "Host=localhost;Database=x;Username=x",
        "Backup__PostgresTools": str(tmp_path),
    }
    server = MagicMock()
    server.__enter__.return_value = server
    server.info.server_version = 150_008
    monkeypatch.setattr(PostgresTools, "connect", lambda *_any, **_options: server)
    return installation


def test_a_backup_says_what_to_install(without_tools):
    regular.back_up_now(without_tools.configuration, lambda: False)
    [problem] = last_backup(without_tools.data / "backups").problems
    assert problem.startswith("pg_dump isn't in /")
    assert REMEDY in problem
    assert "set Backup:PostgresTools" in problem


@pytest.mark.parametrize("may_create", [True, False])
def test_a_drill_says_what_to_install(without_tools, tmp_path, monkeypatch, may_create):
    monkeypatch.setattr(checking, "_may_create", lambda tools: may_create)
    file = tmp_path / "a.tar.gz"
    with ArchiveWriter(file, Keys()) as writer:
        writer.add_bytes(names.POSTGRES, b"a dump")
        writer.finish(lambda checksums: manifest(writer, checksums, blobs=0))
    found = check_archive(without_tools.configuration, file, Keys())
    [problem] = found.problems
    assert problem.startswith("It can't be restored: pg_restore isn't in /")
    assert REMEDY in problem
