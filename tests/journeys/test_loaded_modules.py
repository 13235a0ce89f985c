"""What an import loads: its memory and its start are measured, this is their guard."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.builders import units
from tests.journeys.installation import LIMIT_SECONDS, MANAGE, SqliteInstallation

pytestmark = pytest.mark.process

# Each takes megabytes, and no valid package on an installation without a licence
# needs any of them.
NOT_NEEDED = {
    "cryptography",
    "jsonschema",
    "openpyxl",
    "platform_site.urls",
    "rest_framework_simplejwt",
    "tqdm",
    "xlsxwriter",
}


def test_an_import_loads_neither_pages_nor_tools_of_other_work(tmp_path):
    installation = SqliteInstallation(tmp_path / "data")
    package = units("pcs").as_file(tmp_path / "units.json")
    ended = subprocess.run(
        [sys.executable, "-X", "importtime", *MANAGE[1:], "import_package", package],
        env=installation.env,
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout
    loaded = {line.rpartition("|")[2].strip() for line in ended.stderr.splitlines()}
    assert "importer.pipeline.run" in loaded
    assert loaded.isdisjoint(NOT_NEEDED)
