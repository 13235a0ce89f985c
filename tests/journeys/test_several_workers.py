"""Imports under another WSGI server, in several processes that end and begin: what
outlives a request is in the database and in the data folder, not in a process."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlencode

import pytest

from platform_site.settings.configuration import APPLICATION_FOLDER
from tests.builders import units
from tests.journeys.installation import LIMIT_SECONDS, wait_until
from tests.journeys.multipart import package_upload
from tests.journeys.test_import_over_http import Administrator
from tests.site.host.processes import free_port

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform != "linux", reason="It reads /proc."),
]
# So many that a run is still in progress when somebody looks.
OBJECTS = 60_000


class Server:
    """A gunicorn with a worker of its own, on a port of its own."""

    def __init__(self, installation, log):
        self.port = free_port()
        bind = f"127.0.0.1:{self.port}"
        command = [sys.executable, "-m", "gunicorn", "--bind", bind]
        self.process = subprocess.Popen(
            [*command, "--threads", "4", "platform_site.wsgi"],
            env=installation.env,
            cwd=APPLICATION_FOLDER,
            stdout=log,
            stderr=subprocess.STDOUT,
        )

    def workers(self):
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
        return {int(child) for child in children.split()}

    def kill_workers(self):
        """Kill all workers; the server begins others."""
        killed = self.workers()
        for worker in killed:
            os.kill(worker, signal.SIGKILL)
        self.wait_for_others(killed)

    def restart_workers(self):
        """Have all workers end in order, and others begin."""
        old = self.workers()
        self.process.send_signal(signal.SIGHUP)
        self.wait_for_others(old)

    def wait_for_others(self, old):
        wait_until(lambda: self.workers() and not self.workers() & old, self.process)


@contextlib.contextmanager
def served(installation, folder):
    with (folder / "gunicorn.log").open("ab") as log:
        one = Server(installation, log)
        try:
            wait_until(lambda: answers(one.port), one.process)
            yield one
        finally:
            one.process.terminate()
            one.process.wait(timeout=LIMIT_SECONDS)


def answers(port):
    try:
        Administrator(port)
    except (OSError, TypeError):
        return False
    return True


class Visitor(Administrator):
    """An administrator who also uses the import page, on any server."""

    def at(self, server):
        """Turn to another server with the same cookies."""
        self.port = server.port
        return self

    def dry_run_of_file(self, content):
        token = self.cookies["csrftoken"]
        fields = {"action": "dry-run", "csrfmiddlewaretoken": token}
        body, kind = package_upload(content, **fields)
        return run_id(self._send("POST", "/admin/import", body, kind))

    def press(self, action, digest):
        token = self.cookies["csrftoken"]
        fields = {"action": action, "digest": digest, "csrfmiddlewaretoken": token}
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        body = urlencode(fields).encode()
        return run_id(self._send("POST", "/admin/import", body, kind))

    def told(self, run):
        answer = self.get(f"runs/{run}?limit=1")
        assert answer.status == 200, answer.text
        return json.loads(answer.text)

    def is_underway(self, run):
        told = self.told(run)
        assert told["status"] == "Running", told
        return bool(told["progress"]["total"] and told["progress"]["done"])

    def ended(self, run):
        wait_until(lambda: self.told(run)["status"] != "Running")
        return self.told(run)


def run_id(answer):
    assert answer.status == 302, answer.text
    return re.search(r"run=(.+)", answer.headers["Location"])[1]


def test_a_dry_run_and_its_file_outlive_the_workers(installation, tmp_path):
    """OPEN-45, OPEN-52."""
    package = units(*(f"u-{n}" for n in range(OBJECTS)), package="garden").as_bytes()
    digest = hashlib.sha256(package).hexdigest()
    with served(installation, tmp_path) as one, served(installation, tmp_path) as two:
        admin = Visitor(one.port)
        planned = admin.dry_run_of_file(package)
        # Every other process sees it, and refuses to begin another run beside it.
        admin.at(two)
        wait_until(lambda: admin.is_underway(planned))
        refusal = admin.upload(b"{}", dry_run=True)
        assert refusal.status == 409
        assert json.loads(refusal.text)["runId"] == planned
        one.kill_workers()
        two.kill_workers()
        for server in (one, two):
            told = admin.at(server).told(planned)
            assert (told["status"], told["dryRun"]) == ("Interrupted", True)
            assert "process ended" in told["report"]["diagnostics"][0]["message"]
        # The file is still there, so the dry run is repeated without sending it.
        again = admin.press("dry-run", digest)
        assert admin.at(one).ended(again)["counts"]["Inserted"] == OBJECTS
        assert not rows(installation)
        one.restart_workers()
        two.restart_workers()
        imported = admin.at(two).press("import", digest)
        admin.at(one)
        wait_until(lambda: admin.is_underway(imported))
        assert (
            admin._send("POST", f"/api/v1/Import/runs/{imported}/cancel").status == 202
        )
        told = admin.at(two).ended(imported)
        assert (told["status"], told["dryRun"]) == ("Interrupted", False)
        assert 0 < told["counts"]["Inserted"] == rows(installation) < OBJECTS
        listed = json.loads(admin.get("runs").text)
        assert [run["runId"] for run in listed] == [imported]


def test_stopping_a_worker_ends_its_run_properly(installation, tmp_path):
    package = units(*(f"u-{n}" for n in range(OBJECTS)), package="garden").as_bytes()
    with served(installation, tmp_path) as server:
        admin = Visitor(server.port)
        begun = admin.upload(package)
        wait_until(lambda: rows(installation) > 100, server.process)
    # Nobody has looked since: the worker itself has stored the end.
    stored = "SELECT status, done FROM importer_importrun"
    assert begun.status == 202
    assert installation.rows(stored) == [("Interrupted", rows(installation))]


def rows(installation):
    ((count,),) = installation.rows(
        "SELECT count(*) FROM catalogs_unitofmeasure WHERE code LIKE 'u-%'"
    )
    return count
