"""An installation as its first start leaves it: made once in each process of the tests and
copied for whatever a test does next."""

from __future__ import annotations

import functools
import shutil
import tempfile
from pathlib import Path
from uuid import uuid4

from platform_site.accounts.built_in import DEFAULT_ADMIN_PASSWORD
from tests import postgres_server
from tests.site.host.processes import command, environment


def started_once(data):
    """Make a data folder that looks as after the first start; return it."""
    return shutil.copytree(_original() / "data", data)


def started_once_on_the_server(data, database):
    """Make a data folder and a PostgreSQL database that look as after the first start."""
    folder, original = _original_on_the_server()
    shutil.copytree(folder / "data", data)
    postgres_server.copy(original, database)


def forget():
    """Remove what the copies were made of."""
    if _original.cache_info().currsize:
        shutil.rmtree(_original(), ignore_errors=True)
        _original.cache_clear()
    if _original_on_the_server.cache_info().currsize:
        folder, database = _original_on_the_server()
        shutil.rmtree(folder, ignore_errors=True)
        postgres_server.drop(database)
        _original_on_the_server.cache_clear()


@functools.cache
def _original():
    return _started_first()


@functools.cache
def _original_on_the_server():
    database = f"first_{uuid4().hex}"
    postgres_server.create(database)
    try:
        return _started_first(**postgres_server.connection_to(database)), database
    except BaseException:
        postgres_server.drop(database)
        raise


def _started_first(**settings):
    """Return a new folder in which the data folder of an installation is."""
    folder = Path(tempfile.mkdtemp(prefix="platform-tests-"))
    # Chosen, so that no wizard stands before the start page.
    chosen = {"Platform__Seed__AdminPassword": DEFAULT_ADMIN_PASSWORD, **settings}
    ended = command("startup", env=environment(folder / "data", **chosen))
    assert ended.returncode == 0, ended.stderr
    return folder
