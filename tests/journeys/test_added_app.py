"""An app of one's own from its first file to the day it is no longer wanted."""

from __future__ import annotations

import json

import pytest

from tests.site.host.processes import command, environment, start, stop

pytestmark = pytest.mark.process


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


def done(*arguments, env):
    ended = command(*arguments, env=env)
    assert ended.returncode == 0, ended.stderr
    return ended


def brands(data):
    """Write the app, and return the environment that names it."""
    done("start_module", "brands", env=environment(data))
    env = environment(data, Platform__Apps__0="brands")
    done("makemigrations", "brands", env=env)
    return env


def answers(data, paths, **more):
    """Return what a server of these settings answers the first administrator."""
    served = start(data, **more)
    try:
        assert served.process.stdout.readline()
        token = {"Authorization": f"Bearer {served.sign_in()['token']}"}
        return [served.get(f"/api/v1/{path}", **token) for path in paths]
    finally:
        stop(served)


def test_an_app_that_is_no_longer_named_leaves_its_rows_and_their_history(data):
    env = brands(data)
    done("startup", env=env)
    assert "Inserted" in done("import_package", "brands", env=env).stdout

    alone = done("startup", env=environment(data))
    assert "no longer in Platform:Apps: brands. They are kept." in alone.stderr
    paths = ["Changes?model=Brands", "Import/runs", "Brands"]
    changes, runs, gone = answers(data, paths)
    assert (changes[0], json.loads(changes[2])["count"]) == (200, 2)
    assert (runs[0], json.loads(runs[2])[0]["package"]) == (200, "brands")
    assert gone[0] == 404

    ((status, _headers, rows),) = answers(data, ["Brands"], Platform__Apps="brands")
    assert (status, json.loads(rows)["count"]) == (200, 2)
    assert "Unchanged" in done("import_package", "brands", env=env).stdout

    (migration,) = (data / "apps" / "brands" / "migrations").glob("0001*")
    migration.unlink()
    # Of an app that is named the database may know nothing newer, as of the product.
    ended = command("startup", env=env)
    assert ended.returncode == 1
    assert "does not know: brands.0001_initial" in ended.stderr
