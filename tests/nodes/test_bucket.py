"""Nodes that share a bucket, and no folder."""

from __future__ import annotations

import contextlib
import hashlib

import pytest

from tests.builders import units
from tests.journeys.installation import PostgresInstallation, installed, wait_until
from tests.journeys.test_several_workers import Visitor
from tests.postgres_server import connection_to
from tests.s3_server import s3_server
from tests.site.host.processes import announced, command, environment, start, stop
from tests.site.host.test_bucket import download, upload

pytestmark = pytest.mark.process
UNDERWAY = ("Queued", "Running")
SHARED = {
    "Platform__Nodes": "many",
    "JwtOptions__Secret": "a signing key that all of the nodes have",
    "Logging__Access": "false",
}


@pytest.fixture
def bucket():
    with s3_server() as one:
        yield one


@pytest.fixture
def installation(tmp_path, bucket):
    chosen = {**SHARED, **bucket.settings("BlobStorage:S3")}
    with installed(PostgresInstallation, tmp_path / "A" / "data", **SHARED) as one:
        one.settings = {**chosen, **connection_to(one.database)}
        yield one


@contextlib.contextmanager
def node(installation, name):
    data = installation.data.parents[1] / name / "data"
    data.parent.mkdir(exist_ok=True)
    served = start(data, **installation.settings)
    try:
        announced(served)
        yield served
    finally:
        stop(served)


def refusal(installation, **settings):
    data = installation.data.parents[1] / "another" / "data"
    ended = command(
        "startup", env=environment(data, **{**installation.settings, **settings})
    )
    assert ended.returncode == 1, ended.stderr
    return ended.stderr.splitlines()[-1]


def test_files_and_kept_packages_of_one_node_are_read_by_another(installation, bucket):
    with node(installation, "A") as first, node(installation, "B") as second:
        token = first.sign_in()["token"]
        key = upload(first, token, b"a drawing")
        assert download(second, token, key)[1] == b"a drawing"
        # The package of a dry run is imported on the other node.
        visitor = Visitor(int(first.url.rpartition(":")[2]))
        package = units("kg").as_bytes()
        run = visitor.dry_run_of_file(package)
        wait_until(lambda: visitor.told(run)["status"] not in UNDERWAY)
        assert [name for name in bucket.objects if "/packages/" in name]
        visitor.port = int(second.url.rpartition(":")[2])
        done = visitor.press("import", hashlib.sha256(package).hexdigest())
        wait_until(lambda: visitor.told(done)["status"] not in UNDERWAY)
        assert visitor.told(done)["status"] == "Completed"
        rows = installation.rows("SELECT code FROM catalogs_unitofmeasure")
        assert ("kg",) in rows


def test_a_node_with_another_bucket_or_a_folder_is_refused(installation, bucket):
    with node(installation, "A"):
        elsewhere = bucket.settings("BlobStorage:S3", prefix="other")
        for settings in (elsewhere, dict.fromkeys(elsewhere, "")):
            told = refusal(installation, **settings)
            assert "in another place than the running ones: " in told
            assert "BlobStorage:S3" in told
        data = installation.data.parents[1] / "same" / "data"
        env = environment(data, **installation.settings)
        assert command("startup", env=env).returncode == 0
