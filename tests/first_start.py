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

# What the copies were made of.
_folders: list[Path] = []
_databases: list[str] = []


def started_once(data, **settings):
    """Make a data folder that looks as after the first start with settings; return it."""
    return shutil.copytree(_original(**settings), data)


def started_once_on_the_server(data, database, **settings):
    """Make a data folder and a PostgreSQL database that look as after the first start."""
    original, template = _original_on_the_server(**settings)
    shutil.copytree(original, data)
    postgres_server.copy(template, database)


def forget():
    """Remove what the copies were made of."""
    while _folders:
        shutil.rmtree(_folders.pop(), ignore_errors=True)
    while _databases:
        postgres_server.drop(_databases.pop())
    _original.cache_clear()
    _original_on_the_server.cache_clear()


@functools.cache
def _original(**settings):
    """Return the data folder of an installation that was started once."""
    _folders.append(Path(tempfile.mkdtemp(prefix="platform-tests-")))
    data = _folders[-1] / "data"
    # Chosen, so that no wizard stands before the start page.
    chosen = {"Platform__Seed__AdminPassword": DEFAULT_ADMIN_PASSWORD, **settings}
    ended = command("startup", env=environment(data, **chosen))
    assert ended.returncode == 0, ended.stderr
    return data


@functools.cache
def _original_on_the_server(**settings):
    _databases.append(f"first_{uuid4().hex}")
    postgres_server.create(_databases[-1])
    connection = postgres_server.connection_to(_databases[-1])
    return _original(**connection, **settings), _databases[-1]
