"""The importer works in a project that has none of the product's other packages."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from django.conf import settings

from tests.environment import inherited

CONNECTION = ("HOST", "PORT", "USER", "PASSWORD")


def database():
    """Return the settings of a PostgreSQL database beside that of the other tests, or
    None where these use SQLite."""
    ours = settings.DATABASES["default"]
    if not ours["ENGINE"].endswith("postgresql"):
        return None
    connection = {key: ours[key] for key in CONNECTION if key in ours}
    engine, name = "django.db.backends.postgresql", f"{ours['NAME']}_alone"
    return {**connection, "ENGINE": engine, "NAME": name}


@pytest.mark.django_db  # On PostgreSQL too, whose keys aren't all numbers.
def test_the_importer_works_alone():
    checks = [sys.executable, "-m", "django", "test", "tests.importer_alone"]
    options = ["--settings", "tests.importer_alone.settings", "-p", "checks*.py"]
    environment = {**inherited(), "LIBRARY_DATABASE": json.dumps(database())}
    done = subprocess.run(
        [*checks, *options, "--noinput"],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "Ran 0 tests" not in done.stderr, "the checks were not found"


def test_the_importer_works_without_its_extras():
    program = [sys.executable, "-m", "tests.importer_alone.without_extras"]
    done = subprocess.run(program, env=inherited(), capture_output=True, text=True)
    assert done.stdout.splitlines() == ["['Inserted']", "['Unchanged']"], done.stderr
