"""Settings that a running server must follow: tokens, folders, callers from elsewhere."""

from __future__ import annotations

import json

import jwt
import pytest

from platform_site.settings.configuration import build
from platform_site.settings.env import read_settings
from tests.site.host.processes import announced, start, stop

pytestmark = pytest.mark.process
SECRET = "a secret that is long enough for everybody"
LISTED = ["https://shop.example", "https://desk.example:8443"]
SETTINGS = {
    "JwtOptions__Secret": SECRET,
    "JwtOptions__Issuer": "our issuer",
    "JwtOptions__Audience": "our audience",
    "JwtOptions__Expires": "00:10:00",
    "JwtOptions__RefreshExpiresToken": "2",
    "Platform__Cors__AllowedOrigins__0": LISTED[0],
    "Platform__Cors__AllowedOrigins__1": LISTED[1],
    "Platform__Cors__AllowedOrigins__2": "*",
    "Platform__Swagger__Enabled": "false",
    "ConnectionStrings__Sqlite": "Data Source=mine.db",
    "BlobStorage__LocalDiskRootPath": "files",
}


@pytest.fixture(scope="module", params=["Production", "Development"])
def served(request, tmp_path_factory):
    """Return a server in each environment: neither changes what is set (HOST-028)."""
    data = tmp_path_factory.mktemp("set") / "data"
    one = start(data, ASPNETCORE_ENVIRONMENT=request.param, **SETTINGS)
    try:
        announced(one)
        yield one
    finally:
        stop(one)


@pytest.fixture(scope="module")
def tokens(served):
    return served.sign_in()


@pytest.mark.parametrize(
    ("name", "seconds"), [("token", 600), ("refreshToken", 2 * 86_400)]
)
def test_tokens_are_signed_named_and_limited_as_set(tokens, name, seconds):
    """HOST-026, HOST-040 to HOST-045, HOST-139, HOST-141."""
    claims = jwt.decode(
        tokens[name],
        SECRET,
        algorithms=["HS256"],
        issuer="our issuer",
        audience="our audience",
    )
    assert claims["exp"] - claims["iat"] == seconds


def test_a_configured_secret_needs_no_key_file(served):
    """HOST-142."""
    assert not (served.data / "keys" / "jwt-signing.key").exists()


def test_relative_places_lie_under_the_data_folder(served, tokens):
    """HOST-049, HOST-067, HOST-071."""
    assert (served.data / "mine.db").is_file()
    part = (
        '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
        "bytes\r\n--x--\r\n"
    )
    named = {
        "Authorization": f"Bearer {tokens['token']}",
        "Content-Type": "multipart/form-data; boundary=x",
    }
    status, _, text = served.call("POST", "/api/v1/Files", part.encode(), **named)
    assert status == 201, text
    stored = [one for one in (served.data / "files").rglob("*") if one.is_file()]
    assert [one.read_text() for one in stored] == ["bytes"]
    assert stored[0].name == json.loads(text)["id"].replace("-", "")


@pytest.mark.parametrize("origin", LISTED)
def test_a_listed_site_may_call_with_credentials(served, origin):
    """HOST-028, HOST-059, HOST-153, HOST-154."""
    _, headers, _ = served.get("/api/v1/About", Origin=origin)
    assert headers["Access-Control-Allow-Origin"] == origin
    assert headers["Access-Control-Allow-Credentials"] == "true"
    asked = {"Access-Control-Request-Method": "PUT", "Origin": origin}
    status, headers, _ = served.call("OPTIONS", "/api/v1/Items", **asked)
    assert status == 200
    assert "PUT" in headers["Access-Control-Allow-Methods"]


@pytest.mark.parametrize(
    "origin", ["https://else.example", "null", "*", "http://shop.example"]
)
def test_no_other_site_is_allowed(served, origin):
    """HOST-154, HOST-155: `*` in the list allows nobody."""
    _, headers, _ = served.get("/api/v1/About", Origin=origin)
    assert "Access-Control-Allow-Origin" not in headers
    assert "Access-Control-Allow-Credentials" not in headers


def test_the_start_logs_allowed_origins_and_ignored_ones(served):
    log = (served.data.parent / "stderr.txt").read_text(encoding="utf-8")
    assert f"as the user who opens them: {', '.join(LISTED)}" in log
    assert "Platform:Cors:AllowedOrigins holds '*'" in log
    assert "still has the password that is published in the documentation" in log


@pytest.mark.parametrize("environment", ["Production", "Development"])
@pytest.mark.parametrize("listed", ["", "*"])
def test_without_a_list_no_site_is_allowed(environment, listed):
    """HOST-028, HOST-151, HOST-155, OPEN-100."""
    settings = read_settings(
        {
            "ASPNETCORE_ENVIRONMENT": environment,
            "Platform__Cors__AllowedOrigins__0": listed,
        }
    )
    assert build(settings).cors_origins == ()


@pytest.mark.parametrize("path", ["/swagger", "/swagger/v1/swagger.json"])
def test_the_documentation_is_off_where_it_is_switched_off(served, path):
    """HOST-057, HOST-058."""
    assert served.get(path)[0] == 404
