"""A server with a certificate, and clients that mean it well, badly, or not at all."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import time
from contextlib import ExitStack, closing

import pytest

from tests.drill import seconds, times
from tests.first_start import started_once
from tests.site.host.certificates import make_certificate
from tests.site.host.processes import (
    LIMIT_SECONDS,
    announced,
    command,
    environment,
    free_port,
    start,
    stop,
)

pytestmark = pytest.mark.process
HALF_A_HEAD = b"GET /admin/login/ HTTP/1.1\r\nHost: loc"
HALF_A_BODY = (
    b"POST /admin/login/ HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 99\r\n\r\na="
)


class Site:
    def __init__(self, data, **more):
        self.plain, self.secure = free_port(), free_port()
        urls = f"http://127.0.0.1:{self.plain};https://127.0.0.1:{self.secure}"
        data.parent.mkdir(parents=True, exist_ok=True)
        certificate = make_certificate(data.parent)
        named = {"ASPNETCORE_URLS": urls, **certificate, **more}
        self.served = start(started_once(data), **named)
        self.served.url = f"http://127.0.0.1:{self.plain}"
        self.trusting = ssl.create_default_context(
            cafile=certificate["Kestrel__Certificates__Default__Path"]
        )

    def get(self, path, *, secure=True, **headers):
        if secure:
            client = http.client.HTTPSConnection(
                "127.0.0.1", self.secure, context=self.trusting, timeout=LIMIT_SECONDS
            )
        else:
            client = http.client.HTTPConnection(
                "127.0.0.1", self.plain, timeout=LIMIT_SECONDS
            )
        with closing(client):
            client.request("GET", path, headers=headers)
            answer = client.getresponse()
            answer.body = answer.read()
            return answer


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    one = Site(tmp_path_factory.mktemp("https") / "data")
    announced(one.served)
    one.served.process.stdout.readline()
    try:
        yield one
    finally:
        if one.served.process.poll() is None:
            stop(one.served)


def test_plain_http_leads_to_https_except_for_probes(site):
    """HOST-134, HOST-156, OPEN-102."""
    answer = site.get("/admin/login/?next=/x", secure=False)
    assert answer.status == 307
    expected = f"https://127.0.0.1:{site.secure}/admin/login/?next=/x"
    assert answer.headers["Location"] == expected
    assert "Strict-Transport-Security" not in answer.headers
    for path in ("/health/live", "/health/ready"):
        assert site.get(path, secure=False).body == b"Healthy"
        assert site.get(path).body == b"Healthy"


def test_https_answers_with_secure_cookies_and_asks_to_stay(site):
    """HOST-024, HOST-157, OPEN-101."""
    answer = site.get("/admin/login/")
    assert answer.status == 200
    assert answer.headers["Strict-Transport-Security"] == "max-age=2592000"
    assert "Secure" in answer.headers["Set-Cookie"]


def test_a_trusted_proxy_determines_the_scheme(site):
    """HOST-159, OPEN-103."""
    answer = site.get("/admin/login/", secure=False, **{"X-Forwarded-Proto": "https"})
    assert answer.status == 200
    assert "Strict-Transport-Security" in answer.headers


def test_behind_a_trusted_proxy_links_lead_to_https_and_to_the_host_asked_for(site):
    """HOST-159: another host that the proxy names is not believed."""
    forwarded = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "else.example"}
    token = site.served.sign_in(**forwarded)["token"]
    named = {"Authorization": f"Bearer {token}", **forwarded}
    answer = site.get("/api/v1/Changes?pageSize=1", secure=False, **named)
    following = json.loads(answer.body)["next"]
    assert following.startswith(f"https://127.0.0.1:{site.plain}/api/v1/Changes?")


def test_in_production_with_https_nothing_is_left_to_deploy(site):
    """HOST-023."""
    env = environment(site.served.data, ASPNETCORE_HTTPS_PORT="443")
    ended = command("check", "--deploy", "--fail-level", "WARNING", env=env)
    assert ended.returncode == 0, ended.stderr


def test_what_is_larger_than_a_stranger_may_send_is_refused_at_once(site):
    with closing(connected(site, secure=False)) as client:
        client.sendall(
            b"POST /admin/login/ HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n"
        )
        answer = client.recv(4096)
    assert answer.startswith(b"HTTP/1.1 401")
    assert b"application/problem+json" in answer


def connected(site, *, secure):
    port = site.secure if secure else site.plain
    return socket.create_connection(("127.0.0.1", port), timeout=LIMIT_SECONDS)


@pytest.mark.drill
def test_silent_and_slow_clients_do_not_make_others_wait(site):
    with ExitStack() as held:
        for _ in range(200):
            held.enter_context(closing(connected(site, secure=True)))
            half = held.enter_context(closing(connected(site, secure=False)))
            half.sendall(HALF_A_HEAD)
        for _ in range(20):
            slow = held.enter_context(closing(connected(site, secure=False)))
            slow.sendall(HALF_A_BODY)
        site.get("/health/live")
        waited = []
        for number in range(times(few=100, many=1500)):
            begun = time.perf_counter()
            path = "/health/live" if number % 2 else "/static/css/errors.css"
            assert site.get(path).status == 200
            waited.append(time.perf_counter() - begun)
    assert sorted(waited)[len(waited) * 99 // 100 - 1] < seconds(0.5)


def test_a_server_full_of_silent_clients_still_ends_in_time(tmp_path):
    site = Site(tmp_path / "data")
    announced(site.served)
    with ExitStack() as held:
        for _ in range(20):
            held.enter_context(closing(connected(site, secure=True)))
            half = held.enter_context(closing(connected(site, secure=False)))
            half.sendall(HALF_A_HEAD)
        assert site.get("/health/live").status == 200
        begun = time.monotonic()
        assert stop(site.served) == 0
        assert time.monotonic() - begun < seconds(30)


def test_headers_of_an_untrusted_proxy_are_ignored(tmp_path):
    """OPEN-103."""
    site = Site(tmp_path / "data", Platform__Proxy__Trusted="192.0.2.1")
    announced(site.served)
    try:
        forwarded = {"X-Forwarded-Proto": "https"}
        assert site.get("/admin/login/", secure=False, **forwarded).status == 307
    finally:
        stop(site.served)


def test_in_development_there_is_no_hsts_header(tmp_path):
    """HOST-157: a developer's machine serves other things under the same name."""
    site = Site(tmp_path / "data", ASPNETCORE_ENVIRONMENT="Development")
    announced(site.served)
    try:
        answer = site.get("/admin/login/")
        assert answer.status == 200
        assert "Strict-Transport-Security" not in answer.headers
        assert site.get("/admin/login/", secure=False).status == 307
    finally:
        stop(site.served)


def test_an_https_address_without_a_certificate_is_refused(tmp_path):
    """HOST-158."""
    env = environment(tmp_path / "data", ASPNETCORE_URLS="https://127.0.0.1:5443")
    ended = command("serve", env=env)
    assert ended.returncode == 78
    assert "needs a certificate" in ended.stderr
    assert not (tmp_path / "data").exists()
