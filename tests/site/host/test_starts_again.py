"""What is still there when an installation is started again, here or elsewhere: the
accounts, who is signed in, its files, its id."""

from __future__ import annotations

import contextlib
import json

import jwt
import pytest

from tests.first_start import started_once
from tests.site.host.processes import announced, start, stop

pytestmark = pytest.mark.process
KEY = ("keys", "jwt-signing.key")


@contextlib.contextmanager
def serving(data, **settings):
    served = start(data, **settings)
    try:
        announced(served)
        yield served
    finally:
        stop(served)


def uploaded(served, token):
    body = (
        b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
        b"bytes\r\n--x--\r\n"
    )
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    status, _, text = served.call(
        "POST", "/api/v1/Files", body, **kind, Authorization=f"Bearer {token}"
    )
    assert status == 201, text
    return json.loads(text)["id"]


def test_a_carried_data_folder_is_the_same_installation(tmp_path):
    """HOST-020, HOST-026, HOST-032, HOST-049, HOST-060, HOST-065, HOST-070, HOST-084,
    HOST-119, HOST-130, HOST-151.
    """
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    with serving(tmp_path / "here" / "data") as first:
        token = first.sign_in()["token"]
        file = uploaded(first, token)
        status, about = first.about(token)
        assert status == 200
        # Nobody is let in from elsewhere unless somebody says so (HOST-151).
        _, headers, _ = first.get("/api/v1/About", Origin="https://else.example")
        assert not [name for name in headers if name.startswith("Access-Control")]
    (tmp_path / "here" / "data").rename(tmp_path / "there" / "data")
    with serving(tmp_path / "there" / "data") as second:
        assert second.about(token) == (200, about)
        named = {"Authorization": f"Bearer {token}"}
        assert second.get(f"/api/v1/Files/{file}", **named)[2] == "bytes"
        assert list((second.data / "blobs").rglob(file.replace("-", "")))
    assert not (tmp_path / "here" / "data").exists()


def test_tokens_live_as_long_as_the_key_they_are_signed_with(tmp_path):
    """HOST-033, HOST-116, HOST-120, HOST-142 to HOST-144."""
    data, secret = (
        started_once(tmp_path / "data"),
        "one secret that two installations share",
    )
    with serving(data) as first:
        token = first.sign_in()["token"]
        # Whoever reads the key can make tokens, so the folder is private.
        key = data.joinpath(*KEY).read_text("ascii")
        claims = jwt.decode(token, key, ["HS256"], audience="platform")
        made = jwt.encode({**claims, "jti": "made by hand"}, key, "HS256")
        assert first.about(made)[0] == 200
    with serving(data, JwtOptions__Secret=secret) as configured:
        assert configured.about(token)[0] == 401
        shared = configured.sign_in()["token"]
    data.joinpath(*KEY).unlink()
    with serving(data) as renewed:
        assert renewed.about(token)[0] == 401
        assert data.joinpath(*KEY).read_text("ascii") != key
    with serving(tmp_path / "other", JwtOptions__Secret=secret) as other:
        assert other.about(token)[0] == 401
        assert jwt.decode(shared, secret, ["HS256"], audience="platform")
        assert other.about(shared)[0] == 200
