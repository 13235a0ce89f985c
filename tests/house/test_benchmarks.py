"""The benchmarks keep in step with the code they measure."""

from __future__ import annotations

import subprocess
import sys

import pytest

from platform_site.settings.configuration import APPLICATION_FOLDER
from tests.host.processes import LIMIT_SECONDS

pytestmark = pytest.mark.process
SMALL = "--provider Sqlite --objects 30 --documents 0 --served 0 --big 0 --rounds 1"


def test_every_measurement_of_an_import_works():
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks", *SMALL.split()],
        cwd=APPLICATION_FOLDER,
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "identical import : read and hash alone" in done.stdout
