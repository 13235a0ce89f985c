"""Every migration can be written for SQL Server; whether that server takes it, no test
here can tell."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest
from django.db.migrations.loader import MigrationLoader

from platform_site.settings.configuration import APPLICATION_FOLDER
from tests.site.host.processes import LIMIT_SECONDS, environment

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(
        importlib.util.find_spec("mssql") is None,
        reason="The optional extra 'sqlserver' is not installed.",
    ),
]


def test_the_sql_of_every_migration_can_be_written(tmp_path):
    """HOST-172."""
    ended = subprocess.run(
        [sys.executable, "-m", "tests.sql_server.written_sql"],
        cwd=APPLICATION_FOLDER,
        env=environment(
            tmp_path / "data",
            Provider="SqlServer",
            ConnectionStrings__SqlServer="Server=db;Database=p;User Id=u;Password=p",
        ),
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    names = {".".join(key) for key in MigrationLoader(None).disk_migrations}
    assert {name for name in names if f"-- {name}\n" not in ended.stdout} == set()
    assert "CREATE TABLE [catalogs_item]" in ended.stdout
    assert "CREATE TABLE [documents_goodsreceipt]" in ended.stdout
