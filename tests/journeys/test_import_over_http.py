"""Imports over HTTP in a server of its own: large uploads, other processes, the end."""

from __future__ import annotations

import http.client
import json
import re
import signal
import sys
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest
from filelock import FileLock

from platform_site.accounts.seeding import DEFAULT_ADMIN_PASSWORD
from tests.builders import units
from tests.journeys.installation import LIMIT_SECONDS, SqliteInstallation, wait_until
from tests.journeys.multipart import package_upload

pytestmark = pytest.mark.process
LARGEST = 50 * 1024 * 1024
MOST_GROWTH_KB = 150 * 1024


class Administrator:
    """Signs in on the administration pages and calls the endpoints with the cookie."""

    def __init__(self, port):
        self.port = port
        self.cookies = {}
        page = self._send("GET", "/admin/login/").text
        fields = {
            "username": "admin",
            "password": DEFAULT_ADMIN_PASSWORD,
            "csrfmiddlewaretoken": re.search(r'token" value="([^"]+)', page)[1],
        }
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        self._send("POST", "/admin/login/", urlencode(fields).encode(), kind)

    def _send(self, method, path, body=None, headers=None):
        together = {
            "Cookie": "; ".join(f"{k}={v}" for k, v in self.cookies.items()),
            "X-CSRFToken": self.cookies.get("csrftoken", ""),
            **(headers or {}),
        }
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT_SECONDS)
        line.request(method, path, body, together)
        answer = line.getresponse()
        for cookie in answer.headers.get_all("Set-Cookie") or []:
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        text = answer.read().decode()
        line.close()
        return SimpleNamespace(status=answer.status, text=text, headers=answer.headers)

    def page(self, path):
        return self._send("GET", path)

    def get(self, path):
        return self._send("GET", f"/api/v1/Import/{path}")

    def upload(self, content, *, dry_run=False, queue=False):
        fields = {"dryRun": str(dry_run).lower(), "queue": str(queue).lower()}
        body, kind = package_upload(content, **fields)
        return self._send("POST", "/api/v1/Import/run", body, kind)

    def run(self, answer):
        """Return the run an answer began, as it is now."""
        assert answer.status == 202, answer.text
        return json.loads(self._send("GET", answer.headers["Location"]).text)

    def ended(self, answer):
        """Wait for the end of the run an answer began, and return it."""
        wait_until(lambda: self.run(answer)["status"] != "Running")
        return self.run(answer)


@pytest.fixture
def served(tmp_path):
    """Return an installation, its server process and its administrator."""
    one = SqliteInstallation(tmp_path / "data")
    with one.serving() as process:
        admin = Administrator(one.port)
        yield SimpleNamespace(installation=one, process=process, admin=admin)


def padded(size):
    content = units("a", "b").as_bytes()
    return content + b" " * (size - len(content))


@pytest.mark.skipif(sys.platform != "linux", reason="It asks Linux for the memory.")
def test_an_upload_of_the_largest_size_leaves_memory_alone(served):
    def peak():
        status = Path(f"/proc/{served.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1])

    served.admin.get("packages")
    before = peak()
    begun = served.admin.upload(padded(LARGEST), dry_run=True)
    assert served.admin.ended(begun)["counts"]["Inserted"] == 2
    refused = served.admin.upload(padded(LARGEST + 1))
    assert (refused.status, "52,428,800" in refused.text) == (413, True)
    assert peak() - before < MOST_GROWTH_KB


def test_an_import_of_another_process_keeps_the_server_from_starting_one(served):
    """HOST-001, HOST-002."""
    lock = served.installation.data / "db" / ".import.lock"
    with FileLock(lock):
        assert served.admin.upload(units("a").as_bytes()).status == 409
    begun = served.admin.upload(units("a").as_bytes())
    assert served.admin.ended(begun)["status"] == "Completed"


@pytest.mark.skipif(sys.platform == "win32", reason="There is no SIGTERM to send.")
def test_stopping_a_server_ends_its_import_properly(served):
    package = units(*(f"u{number}" for number in range(50_000)))
    begun = served.admin.upload(package.as_bytes())
    wait_until(lambda: served.admin.run(begun)["counts"]["Inserted"] > 0)
    served.process.send_signal(signal.SIGTERM)
    out, err = served.process.communicate(timeout=30)
    assert (served.process.returncode, "Stopped." in out) == (0, True), err
    ((status, done),) = served.installation.rows(
        "SELECT status, done FROM importer_importrun"
    )
    assert status == "Interrupted"
    ((written,),) = served.installation.rows(
        "SELECT count(*) FROM catalogs_unitofmeasure"
    )
    assert 0 < done == written < 50_000
