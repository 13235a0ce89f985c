"""An installation behind a proxy that ends TLS: what people and programs notice of it,
and what a stranger cannot make it believe."""

from __future__ import annotations

import http.client
import http.cookiejar
import json
import re
import socket
import ssl
import urllib.error
import urllib.parse
import urllib.request
from contextlib import closing

import pytest

from platform_site.accounts.built_in import DEFAULT_ADMIN_PASSWORD
from tests.first_start import started_once
from tests.journeys.installation import wait_until
from tests.site.host import proxy
from tests.site.host.processes import LIMIT_SECONDS, announced, free_port, start, stop

pytestmark = pytest.mark.process
MAX_FILE_BYTES = 1 << 20
# Not the address of the proxy, which is believed, but of its client.
CLIENT = "127.0.0.2"


class Site:
    """The installation as its users reach it."""

    def __init__(self, folder, secure, plain):
        self.folder, self.secure, self.plain = folder, secure, plain
        self.url = f"https://127.0.0.1:{secure}"
        self.trusting = ssl.create_default_context(cafile=folder / "site.pem")

    def ask(self, method, path, body=None, *, secure=True, **headers):
        """Return status, headers and body, asked from the address of a client."""
        port = self.secure if secure else self.plain
        if secure:
            client = http.client.HTTPSConnection(
                *("127.0.0.1", port),
                timeout=LIMIT_SECONDS,
                source_address=(CLIENT, 0),
                context=self.trusting,
            )
        else:
            client = http.client.HTTPConnection(
                "127.0.0.1", port, timeout=LIMIT_SECONDS
            )
        with closing(client):
            client.request(method, path, body, headers)
            answer = client.getresponse()
            return answer.status, answer.headers, answer.read()

    def tokens(self, password=DEFAULT_ADMIN_PASSWORD, **headers):
        body = json.dumps({"userName": "admin", "password": password})
        named = {"Content-Type": "application/json", **headers}
        return self.ask("POST", "/api/v1/Auth/login", body, **named)

    def browser(self):
        """Return a browser that keeps cookies and sends what browsers send."""
        return urllib.request.build_opener(
            urllib.request.HTTPSHandler(context=self.trusting),
            urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()),
        )

    def is_open(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.secure)) == 0


@pytest.fixture(
    scope="module", params=[True, False], ids=["whole bodies", "bodies in pieces"]
)
def site(request, tmp_path_factory):
    """Serve behind the proxy, which may pass bodies on while it still receives them."""
    proxy.needed()
    folder = tmp_path_factory.mktemp("proxy")
    secure, plain = free_port(), free_port()
    served = start(
        started_once(folder / "data"),
        ASPNETCORE_HTTPS_PORT=str(secure),
        AllowedHosts="127.0.0.1",
        BlobStorage__MaxFileSizeBytes=str(MAX_FILE_BYTES),
        Import__MaxPackageSizeBytes=str(MAX_FILE_BYTES),
    )
    try:
        announced(served)
        ports = {"plain": plain, "secure": secure}
        with proxy.proxied(folder, served.url, buffering=request.param, **ports):
            one = Site(folder, secure, plain)
            wait_until(one.is_open)
            yield one
    finally:
        stop(served)


def test_plain_http_leads_to_the_same_page_over_https(site):
    status, headers, _ = site.ask("GET", "/admin/login/?next=/x", secure=False)
    assert status == 307
    assert headers["Location"] == f"{site.url}/admin/login/?next=/x"


def test_a_person_signs_in_and_stays_signed_in(site):
    browser = site.browser()
    address = f"{site.url}/admin/login/"
    page = browser.open(address, timeout=LIMIT_SECONDS).read().decode()
    fields = {
        "csrfmiddlewaretoken": re.search(r'token" value="([^"]+)', page)[1],
        "username": "admin",
        "password": DEFAULT_ADMIN_PASSWORD,
        "next": "/admin/",
    }
    body = urllib.parse.urlencode(fields).encode()
    form = urllib.request.Request(address, body, {"Origin": site.url})
    answer = browser.open(form, timeout=LIMIT_SECONDS)
    assert answer.url.startswith(f"{site.url}/admin/")
    assert "/admin/logout/" in answer.read().decode()


def test_answers_ask_browsers_to_stay_with_https(site):
    status, headers, _ = site.ask("GET", "/admin/login/")
    assert status == 200
    assert headers["Strict-Transport-Security"] == "max-age=2592000"
    assert all("Secure" in cookie for cookie in headers.get_all("Set-Cookie"))


def test_links_in_answers_lead_to_the_address_that_was_asked(site):
    token = json.loads(site.tokens()[2])["token"]
    named = {"Authorization": f"Bearer {token}"}
    _, _, body = site.ask("GET", "/api/v1/Changes?pageSize=1", **named)
    assert json.loads(body)["next"].startswith(f"{site.url}/api/v1/Changes?")


def test_another_host_name_is_not_answered(site):
    status, _, body = site.ask("GET", "/api/v1/About", Host="else.example")
    assert status == 400
    assert "host name" in json.loads(body)["detail"]


def test_files_for_browsers_and_health_come_through(site):
    _, _, page = site.ask("GET", "/admin/login/")
    sheet = re.search(rb'href="(/static/[^"]+\.css)"', page)[1].decode()
    assert site.ask("GET", sheet)[0] == 200
    assert site.ask("GET", "/health/ready")[2] == b"Healthy"


def test_a_file_over_the_limit_is_refused_with_the_limit(site):
    """The answer comes while the proxy still sends; it must not be lost."""
    token = json.loads(site.tokens()[2])["token"]
    named = {"Authorization": f"Bearer {token}"}
    body = b"x" * (8 * MAX_FILE_BYTES)
    named["Content-Type"] = "multipart/form-data; boundary=b"
    for _ in range(5):
        status, _, told = site.ask("POST", "/api/v1/Files", body, **named)
        assert status == 413, told
        assert json.loads(told)["code"] == "too-large"


def test_the_log_has_the_client_and_not_what_it_says_it_is(site):
    status, _, _ = site.tokens("wrong", **{"X-Forwarded-For": "203.0.113.66"})
    assert status == 401
    log = (site.folder / "stderr.txt").read_text("utf-8")
    assert "203.0.113.66" not in log
    assert CLIENT in log
