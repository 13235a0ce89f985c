"""The log of a served installation: whole, one JSON object in each line, and without a
secret, whatever via one was given at."""

from __future__ import annotations

import http.cookiejar
import json
import re
import socket
import sqlite3
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime, timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from tests.builders import units
from tests.site.host.processes import announced, command, environment, start, stop

pytestmark = pytest.mark.process
ADMINS = "canary-of-the-administrator"
SECRETS = {
    "Platform__Seed__AdminPassword": ADMINS,
    "Platform__SecretKey": "canary-" + "s" * 43,
    "JwtOptions__Secret": "canary-" + "j" * 43,
    "Import__Sources__Shop__Url": "https://user:canary-in-url@shop.example/a",
    "Import__Sources__Shop__Token": "canary-" + "t" * 20,
}


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """Serve with JSON lines, go through every via, stop, and return what was told."""
    folder = tmp_path_factory.mktemp("told")
    log = folder / "stderr.txt"
    one = start(folder / "data", **SECRETS, Logging__Format="json")
    try:
        # With a password of its own there is no line about the documented one.
        assert "served at" in one.process.stdout.readline()
        imported(one)
        secrets = [*SECRETS.values(), *_sent_in_every_way(one)]
        fail(one)
        one.get("/admin/login/", **{"X-Request-ID": "the-last-one"})
    finally:
        status = stop(one)
    return LoggedAnswer(status, log.read_text(encoding="utf-8"), secrets)


class LoggedAnswer:
    def __init__(self, status, text, secrets):
        self.status, self.text, self.secrets = status, text, secrets
        self.entries = [json.loads(line) for line in text.split("\n")[:-1]]

    def of(self, logger, **members):
        return [
            entry
            for entry in self.entries
            if entry["logger"] == logger and members.items() <= entry.items()
        ]


def imported(one):
    """Start an import over the API, under a request id, and let it end by itself."""
    tokens = _post(one, "login", userName="admin", password=ADMINS)
    package = SimpleUploadedFile("units.json", units("pcs", "box").as_bytes())
    body = encode_multipart(BOUNDARY, {"file": package})
    headers = {
        "Content-Type": MULTIPART_CONTENT,
        "Authorization": f"Bearer {tokens['token']}",
        "X-Request-ID": "the-import",
    }
    assert one.call("POST", "/api/v1/Import/run", body, **headers)[0] == 202


def fail(one):
    """Let a request fail: a table of the installation is gone."""
    with sqlite3.connect(one.data / "db" / "platform.db") as database:
        database.execute("ALTER TABLE django_session RENAME TO gone")
    headers = {"Cookie": "sessionid=canary-session", "X-Request-ID": "the-failure"}
    status, _, page = one.get("/admin/", **headers)
    assert status == 500
    assert "the-failure" in page
    with sqlite3.connect(one.data / "db" / "platform.db") as database:
        database.execute("ALTER TABLE gone RENAME TO django_session")


def _sent_in_every_way(one):
    """Give secrets at each via, right ones and wrong ones, and return them."""
    yield from _interface(one)
    yield from _pages(one)
    made = command("create_api_key", "admin", env=environment(one.data, **SECRETS))
    key = made.stdout.strip()
    assert one.get("/api/v1/Account", **{"X-Api-Key": key})[0] == 200
    wrong = f"pk_{'0' * 8}_{'w' * 43}"
    assert one.get("/api/v1/Account", **{"X-Api-Key": wrong})[0] == 401
    one.get(f"/api/v1/Items?token=canary-query&key={wrong}&canary-bare")
    one.get(f"/{wrong}/")
    yield from (key[12:], wrong[12:], "canary-query", "canary-bare", "canary-session")


def _interface(one):
    tokens = _post(one, "login", userName="admin", password=ADMINS)
    yield from (tokens["token"].rpartition(".")[2], tokens["refreshToken"])
    _post(one, "login", userName="admin", password="canary-guess")
    _post(one, "login", userName="nobody", password="canary-other")
    changed = {"Authorization": f"Bearer {tokens['token']}"}
    body = {"oldPassword": "canary-old", "newPassword": "canary-new"}
    _post(one, "../Account/change-password", headers=changed, **body)
    again = _post(one, "refresh", refreshToken=tokens["refreshToken"])
    yield from (again["token"].rpartition(".")[2], again["refreshToken"])
    _post(one, "refresh", refreshToken="canary-refresh")
    one.get("/api/v1/Account", Authorization="Bearer canary-bearer")
    yield from ("canary-guess", "canary-other", "canary-old", "canary-new")
    yield from ("canary-refresh", "canary-bearer")


def _post(one, path, headers=None, **body):
    named = {"Content-Type": "application/json", **(headers or {})}
    path = f"/api/v1/Auth/{path}".replace("Auth/../", "")
    return json.loads(one.call("POST", path, json.dumps(body).encode(), **named)[2])


def _pages(one):
    jar = http.cookiejar.CookieJar()
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
    url = f"{one.url}/admin/login/?next=/admin/"
    for password in ("canary-page", ADMINS):
        page = browser.open(url).read().decode()
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[1]
        form = {"csrfmiddlewaretoken": token, "username": "admin", "password": password}
        browser.open(url, urllib.parse.urlencode(form).encode())
        yield from (token, password)
    cookies = {cookie.name: cookie.value for cookie in jar}
    yield from cookies.values()
    form = {"csrfmiddlewaretoken": cookies["csrftoken"]}
    browser.open(f"{one.url}/admin/logout/", urllib.parse.urlencode(form).encode())


def test_every_line_is_an_object_with_time_level_and_logger(told):
    """OPEN-121."""
    assert told.status == 0
    assert len(told.entries) > 30
    for entry in told.entries:
        assert {"time", "level", "logger", "message"} <= set(entry)
        assert datetime.fromisoformat(entry["time"]).utcoffset() == timedelta()


def test_no_secret_is_in_a_line_however_it_was_sent(told):
    assert len(told.secrets) > 20
    assert [secret for secret in told.secrets if secret in told.text] == []
    assert "pbkdf2_" not in told.text


@pytest.mark.parametrize(
    ("via", "results"),
    [
        ("page", {"failed", "succeeded"}),
        ("API", {"failed", "succeeded"}),
        ("refresh", {"failed", "succeeded"}),
        ("API key", {"failed"}),
        ("own password", {"failed"}),
    ],
)
def test_every_attempt_to_sign_in_is_logged(told, via, results):
    lines = told.of("platform.security", event="sign-in", via=via)
    assert {line["result"] for line in lines} == results
    assert all(line["address"] == "127.0.0.1" for line in lines)
    assert all(line["requestId"] for line in lines)


def test_nothing_is_lost_when_it_stops(told):
    [answer] = told.of("platform.access", requestId="the-last-one")
    assert (answer["status"], answer["path"]) == (200, "/admin/login/")


def test_a_failure_is_one_object_with_its_traceback(told):
    [entry] = told.of("django.request", requestId="the-failure")
    assert entry["level"] == "ERROR"
    assert entry["exception"].startswith("Traceback (most recent call last):\n")
    [answer] = told.of("platform.access", requestId="the-failure")
    assert answer["status"] == 500


def test_every_line_of_an_import_has_its_request_run_and_user(told):
    lines = told.of("platform.importer")
    assert [line["message"].split()[2] for line in lines] == ["begins", "ended:"]
    assert len({line["runId"] for line in lines}) == 1
    for line in lines:
        assert (line["requestId"], line["user"]) == ("the-import", "admin")
        assert line["runId"] in line["message"]


def test_a_command_writes_its_lines_in_the_same_form(tmp_path):
    ended = command("startup", env=environment(tmp_path, Logging__Format="json"))
    assert ended.returncode == 0, ended.stderr
    assert all(json.loads(line)["time"] for line in ended.stderr.splitlines())


def test_a_wrong_format_ends_the_start_with_a_sentence(tmp_path):
    ended = command("startup", env=environment(tmp_path, Logging__Format="xml"))
    assert ended.returncode != 0
    assert ended.stderr == (
        "Logging:Format is 'xml' (variable Logging__Format), but must be text or json.\n"
    )


def test_the_access_log_can_be_switched_off(data):
    one = start(data, Logging__Access="false")
    try:
        announced(one)
        status, headers, _ = one.get("/admin/login/")
        assert (status, len(headers["X-Request-ID"])) == (200, 32)
    finally:
        stop(one)
    text = (data.parent / "stderr.txt").read_text(encoding="utf-8")
    assert "platform.access" not in text


def test_hostile_requests_leave_lines_and_no_traceback(data):
    one = start(data, AllowedHosts="127.0.0.1")
    try:
        announced(one)
        for request in (
            b"GET /admin/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
            b"GET /admin/ HTTP/1.1\r\nHost: a b\r\n\r\n",
            b"GET /%0a%1b[2J%ff HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
            b"POST /admin/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n",
            b"no request at all\r\n\r\n",
            b"GET /static/../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
            b"GET /admin/?" + b"x" * 20_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        ):
            assert answered(one, request) in (400, 403, 404, 302), request
    finally:
        stop(one)
    lines = (data.parent / "stderr.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not re.match(r"\d{4}-\d\d-\d\d ", line)] == []
    assert "evil.example" in "".join(lines)
    assert "\x1b" not in "".join(lines)


def answered(one, request):
    address = one.url.removeprefix("http://").split(":")
    with socket.create_connection((address[0], int(address[1])), timeout=30) as client:
        client.sendall(request)
        return int(client.makefile("rb").readline().split()[1])
