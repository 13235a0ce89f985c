"""A PostgreSQL database has one server, whatever data folders there are, unless several
are meant."""

from __future__ import annotations

import contextlib
import socket

import psycopg
import pytest

from platform_site.site.host.empty_start import record_of_empty_start
from platform_site.site.host.server_lock import NAME
from tests.journeys.installation import PostgresInstallation, installed, wait_until
from tests.postgres_server import connection_to
from tests.site.host.processes import LIMIT_SECONDS, announced, environment, start, stop

pytestmark = pytest.mark.process
HOLDERS = (
    "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted"
    f" AND classid = {NAME} AND database ="
    " (SELECT oid FROM pg_database WHERE datname = current_database())"
)
# The earlier name of Platform:Nodes=many.
SEVERAL = {
    "Platform__Database__SeveralNodes": "true",
    "JwtOptions__Secret": "a signing key that all of the servers have",
}


@pytest.fixture
def installation(tmp_path):
    with installed(PostgresInstallation, tmp_path / "first" / "data") as one:
        yield one


@contextlib.contextmanager
def serving(installation, name="first", **settings):
    """Serve the database from a data folder of its own."""
    data = installation.data.parents[1] / name / "data"
    data.parent.mkdir(exist_ok=True)
    served = start(data, **connection_to(installation.database), **settings)
    try:
        announced(served)
        yield served
    finally:
        if served.process.poll() is None:
            stop(served)


def elsewhere(installation, **settings):
    """Start beside the server, in another data folder; return how that ended."""
    installation.env = environment(
        installation.data.parents[1] / "elsewhere" / "data",
        **connection_to(installation.database),
        **settings,
    )
    return installation.command("startup")


def test_a_second_server_on_the_database_is_refused(installation):
    with serving(installation) as served:
        for settings in ({}, SEVERAL):
            ended = elsewhere(installation, **settings)
            assert ended.returncode == 1
            told = ended.stderr.splitlines()[-1]
            assert told.startswith("Another Platform server uses the database (from ")
            assert "Platform:Nodes=many" in told
            assert "Traceback" not in ended.stderr
        assert served.get("/health/ready")[0] == 200
    assert elsewhere(installation).returncode == 0


def test_servers_that_know_of_each_other_share_it(installation):
    blobs = str(installation.data.parents[1] / "blobs")
    several = {**SEVERAL, "BlobStorage__LocalDiskRootPath": blobs}
    with serving(installation, **several), serving(installation, "other", **several):
        assert elsewhere(installation, **several).returncode == 0
        assert elsewhere(installation).returncode == 1
    # A single server again: the tables of the nodes don't matter to it.
    assert elsewhere(installation).returncode == 0


def test_a_killed_server_does_not_stand_in_the_way_of_the_next(installation):
    with serving(installation) as served:
        served.process.kill()
        served.process.wait(timeout=LIMIT_SECONDS)
        assert elsewhere(installation).returncode == 0


def test_a_lock_that_was_lost_is_taken_again(installation):
    with serving(installation) as served:
        ((lost,),) = installation.rows(HOLDERS)
        installation.rows(f"SELECT pg_terminate_backend({lost})")
        wait_until(
            lambda: installation.rows(HOLDERS) not in ([], [(lost,)]), served.process
        )
        assert elsewhere(installation).returncode == 1
        assert served.get("/health/ready")[0] == 200


def test_where_another_was_faster_the_one_that_lost_the_lock_ends(installation):
    with serving(installation) as served:
        ((lost,),) = installation.rows(HOLDERS)
        place = f"host=127.0.0.1 user=root dbname={installation.database}"
        with psycopg.connect(place, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s)", [lost])
            # It waits until it is free, and then has it before anybody looks again.
            other.execute("SELECT pg_advisory_lock(%s, 1)", [NAME])
            assert served.process.wait(timeout=LIMIT_SECONDS) == 0
        served.process.stdout.close()
        told = (served.data.parent / "stderr.txt").read_text("utf-8")
        assert "Another server took the database" in told


def test_where_it_must_exist_a_database_without_our_tables_is_refused(installation):
    must = {"Platform__Database__MustExist": "true"}
    assert elsewhere(installation, **must).returncode == 0
    # What a wrong name in the connection string leads to.
    installation.rows("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    ended = elsewhere(installation, **must)
    assert ended.returncode == 1
    told = ended.stderr.splitlines()[-1]
    assert installation.database in told
    assert "Platform:Database:MustExist" in told
    found = installation.rows("SELECT * FROM pg_tables WHERE schemaname = 'public'")
    assert found == []


def test_an_empty_database_beside_an_installation_gives_a_warning(installation):
    """HOST-096, for a database server."""
    assert "earlier installation" not in elsewhere(installation).stderr
    data = installation.data.parents[1] / "elsewhere" / "data"
    (data / "blobs" / "ab").mkdir(parents=True)
    (data / "blobs" / "ab" / "abcd").write_text("bytes")
    installation.rows("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    ended = elsewhere(installation)
    assert ended.returncode == 0
    assert f"The database {installation.database} has no tables" in ended.stderr
    assert f"{data / 'blobs'}. To keep the empty one, delete" in ended.stderr
    assert record_of_empty_start(data).exists()
    # The next start finds its tables.
    assert "earlier installation" not in elsewhere(installation).stderr


def test_a_port_in_use_is_reported_before_a_server_database_is_used(installation):
    installation.rows("DELETE FROM django_migrations WHERE app = 'sessions'")
    installation.rows("DROP TABLE django_session")
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        url = f"http://127.0.0.1:{holder.getsockname()[1]}"
        installation.env["ASPNETCORE_URLS"] = url
        ended = installation.command("serve")
    assert ended.returncode == 1
    assert f"Cannot listen on {url}" in ended.stderr.splitlines()[-1]
    where = "FROM django_migrations WHERE app = 'sessions'"
    assert installation.rows(f"SELECT * {where}") == []
