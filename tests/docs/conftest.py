"""A copy of the project for each page, with a reader in front of it."""

from __future__ import annotations

import shutil
import sys

import pytest

from platform_site.settings.configuration import APPLICATION_FOLDER as ROOT
from tests.docs.reader import Reader
from tests.house.test_house import project_files


@pytest.fixture
def reader(tmp_path):
    folder = tmp_path / "project"
    for path in project_files():
        copy = folder / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    (folder / ".venv").unlink(missing_ok=True)
    (folder / ".venv").symlink_to(sys.prefix)
    one = Reader(folder)
    yield one
    one.stops()
