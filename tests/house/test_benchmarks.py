"""The benchmarks keep in step with the code they measure."""

from __future__ import annotations

import subprocess
import sys

import pytest

from platform_site.settings.configuration import APPLICATION_FOLDER
from tests.environment import inherited_by_tests
from tests.site.host.processes import LIMIT_SECONDS

pytestmark = pytest.mark.process
PARTS = ("objects", "documents", "served", "big")
# What a part takes at least, and a line of what it prints.
SMALL = {
    "objects": ("30", "identical import : read and hash alone"),
    "documents": ("40", "the last batch : the first"),
    "served": ("200", "worst write"),
    "big": ("300", "peak memory"),
}


@pytest.mark.parametrize("part", PARTS)
def test_every_measurement_works(part):
    size, line = SMALL[part]
    sizes = [f"--{each}={size if each == part else 0}" for each in PARTS]
    done = measured("tests.benchmarks", *sizes, "--provider", "Sqlite", "--rounds", "1")
    assert done.returncode == 0, done.stderr
    assert line in done.stdout


def test_the_check_of_a_database_is_measured_beside_a_writer():
    done = measured("tests.benchmarks.database_check", "--mib", "2", "--rounds", "1")
    assert done.returncode == 0, done.stderr
    assert "commits beside it" in done.stdout


def measured(module, *arguments):
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=APPLICATION_FOLDER,
        env=inherited_by_tests(),
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
