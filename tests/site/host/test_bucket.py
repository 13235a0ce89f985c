"""A server whose attachments are in a bucket: uploads and downloads, and the starts that
are refused because of the bucket."""

from __future__ import annotations

import json
import random
import urllib.request

import pytest

from tests.first_start import started_once
from tests.journeys.multipart import package_upload
from tests.s3_server import SECRET_KEY, s3_server
from tests.site.host.processes import announced, command, environment, start, stop

pytestmark = pytest.mark.process
GROUP = "BlobStorage:S3"
WRONG_SETTING = 78


@pytest.fixture
def bucket():
    with s3_server() as one:
        yield one


@pytest.fixture
def data(tmp_path):
    return started_once(tmp_path / "data")


def startup(data, *arguments, **settings):
    return command("startup", *arguments, env=environment(data, **settings))


def refusal(ended, code=1):
    """Return the last line of a refused start."""
    assert ended.returncode == code, ended.stdout + ended.stderr
    assert "Traceback" not in ended.stderr
    assert SECRET_KEY not in ended.stderr
    return ended.stderr.splitlines()[-1]


def upload(served, token, content):
    body, kind = package_upload(content)
    kind["Authorization"] = f"Bearer {token}"
    status, _, text = served.call("POST", "/api/v1/Files", body, **kind)
    assert status == 201, text
    return json.loads(text)["id"]


def download(served, token, key):
    request = urllib.request.Request(
        f"{served.url}/api/v1/Files/{key}", headers={"Authorization": f"Bearer {token}"}
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        assert answer.headers["Content-Disposition"].startswith("attachment")
        return answer.headers["Content-Length"], answer.read()


def test_a_server_stores_and_sends_files_of_a_bucket(data, bucket):
    contents = [b"", b"a drawing", random.Random(1).randbytes(20_000_000)]
    served = start(data, **bucket.settings(GROUP))
    try:
        announced(served)
        token = served.sign_in()["token"]
        keys = [upload(served, token, content) for content in contents]
        for key, content in zip(keys, contents, strict=True):
            assert download(served, token, key) == (str(len(content)), content)
        hexes = [key.replace("-", "") for key in keys]
        assert bucket.objects.keys() == {f"files/erp/{one[:2]}/{one}" for one in hexes}
        bucket.refusing = True
        named = {"Authorization": f"Bearer {token}"}
        status, headers, text = served.get(f"/api/v1/Files/{keys[1]}", **named)
        assert (status, json.loads(text)["code"]) == (503, "unavailable")
        assert headers["Retry-After"]
        # Everything else works, so the server stays in the load balancer.
        assert served.get("/health/ready")[0] == 200
    finally:
        assert stop(served) == 0
    assert not list((data / "blobs").rglob("*"))
    assert not list((data / "spool").iterdir())


def test_a_start_leaves_nothing_in_the_bucket(data, bucket):
    assert startup(data, **bucket.settings(GROUP)).returncode == 0
    assert bucket.objects == {}


@pytest.mark.parametrize("how", ["refusing", "cut", "full"])
def test_a_bucket_that_fails_refuses_the_start(data, bucket, how):
    setattr(bucket, how, True)
    told = refusal(startup(data, **bucket.settings(GROUP)))
    assert "The bucket of attachments s3://files/erp cannot be used." in told
    assert "Check the settings BlobStorage:S3 (variable BlobStorage__S3" in told


def test_a_bucket_that_does_not_exist_refuses_the_start(data, bucket):
    told = refusal(startup(data, **bucket.settings(GROUP, bucket="missing")))
    assert "The bucket of attachments s3://missing/erp cannot be used." in told


@pytest.mark.drill
def test_a_bucket_that_never_answers_refuses_the_start_in_time(data, bucket):
    bucket.hanging.set()
    # A command that waited for minutes would run into the limit of the tests.
    told = refusal(startup(data, **bucket.settings(GROUP)))
    assert "cannot be used" in told


def test_a_wrong_setting_refuses_the_start(data, bucket):
    settings = {**bucket.settings(GROUP), "BlobStorage__S3__Endpoint": "s3.example.com"}
    told = refusal(startup(data, **settings), WRONG_SETTING)
    assert "BlobStorage:S3:Endpoint (variable BlobStorage__S3__Endpoint)" in told
    assert "https://" in told


def test_a_missing_library_refuses_the_start_only_with_a_bucket(data, bucket, tmp_path):
    """Without a bucket nothing imports it."""
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "obstore.py").write_text("raise ImportError")
    hidden = {"PYTHONPATH": str(tmp_path / "hidden")}
    told = refusal(startup(data, **bucket.settings(GROUP), **hidden))
    assert "The library obstore is missing, which BlobStorage:S3 needs" in told
    (tmp_path / "hidden" / "obstore.py").write_text("raise SystemExit('imported')")
    assert startup(data, **hidden).returncode == 0


def test_the_preview_names_the_bucket_and_changes_nothing(data, bucket):
    ended = startup(data, "--check", **bucket.settings(GROUP))
    assert "Attachments: s3://files/erp" in ended.stdout
    assert "would change nothing" in ended.stdout
    assert {method for method, _path in bucket.requests} == {"GET"}
    bucket.refusing = True
    ended = startup(data, "--check", **bucket.settings(GROUP))
    assert "A start would be refused:" in ended.stdout
    assert "s3://files/erp cannot be used" in ended.stdout


def test_an_empty_database_beside_a_full_bucket_is_noticed(tmp_path, bucket):
    bucket.store("files/erp/ab/ab" + "0" * 30, b"bytes")
    ended = startup(tmp_path / "data", **bucket.settings(GROUP))
    assert ended.returncode == 0
    assert "Files of an earlier installation exist: s3://files/erp." in ended.stderr
