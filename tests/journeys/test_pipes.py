"""The import command in pipes of a shell."""

from __future__ import annotations

import subprocess

import pytest

from tests.builders import units
from tests.journeys.installation import LIMIT_SECONDS, MANAGE, SqliteInstallation

pytestmark = pytest.mark.process


def test_a_reader_that_leaves_early_is_no_error(tmp_path):
    installation = SqliteInstallation(tmp_path / "data")
    package = units(*(f"u{number}" for number in range(3000)))
    package.as_file(tmp_path / "units.json")
    script = (
        'set -o pipefail; cat units.json | "$@" import_package - --dry-run -v 0 '
        "--format jsonl | head -n 1"
    )
    ended = subprocess.run(
        ["bash", "-c", script, "bash", *MANAGE],
        cwd=tmp_path,
        env=installation.env,
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith('{"id":"unit:u0"')


def test_a_run_continues_without_readers_of_its_output(tmp_path):
    installation = SqliteInstallation(tmp_path / "data")
    units("pcs", "kg").as_file(tmp_path / "units.json")
    script = '"$@" import_package units.json 2>&1 | true; exit ${PIPESTATUS[0]}'
    ended = subprocess.run(
        ["bash", "-c", script, "bash", *MANAGE],
        cwd=tmp_path,
        env=installation.env,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    assert ended.returncode == 0
    done = installation.command("import_package", tmp_path / "units.json")
    assert "Unchanged" in done.stdout
