"""An installation as its first start leaves it: made once in each process of the tests and
copied for whatever a test does next."""

from __future__ import annotations

import functools
import shutil
import tempfile
from pathlib import Path

from platform_site.accounts.built_in import DEFAULT_ADMIN_PASSWORD
from tests.site.host.processes import command, environment


def started_once(data):
    """Make a data folder that looks as after the first start; return it."""
    return shutil.copytree(_original() / "data", data)


def forget():
    """Remove what the copies were made of."""
    if _original.cache_info().currsize:
        shutil.rmtree(_original(), ignore_errors=True)
        _original.cache_clear()


@functools.cache
def _original():
    folder = Path(tempfile.mkdtemp(prefix="platform-tests-"))
    # Chosen, so that no wizard stands before the start page.
    chosen = {"Platform__Seed__AdminPassword": DEFAULT_ADMIN_PASSWORD}
    ended = command("startup", env=environment(folder / "data", **chosen))
    assert ended.returncode == 0, ended.stderr
    return folder
