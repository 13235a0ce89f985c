"""One published folder for all tests that only look at it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from tests.site.host.processes import command, environment


def publish(folder):
    ended = command("publish", str(folder), env=environment(folder.parent / "data"))
    assert ended.returncode == 0, ended.stderr
    assert str(folder / "platform") in ended.stdout
    assert not (folder.parent / "data").exists()
    return folder


@pytest.fixture(scope="session")
def place():
    """Return a folder that other users can reach, which those of pytest are not."""
    with tempfile.TemporaryDirectory(prefix="platform-publish-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture(scope="session")
def published(place):
    """Publish, and carry the folder to another place where nothing may be written."""
    if os.name != "posix":
        pytest.skip("It starts a shell script.")
    moved = publish(place / "out").rename(place / "some where else")
    for path in [moved, *moved.rglob("*")]:
        path.chmod(path.stat().st_mode & ~0o222)
    yield moved
    for path in [moved, *moved.rglob("*")]:
        path.chmod(path.stat().st_mode | 0o200)
