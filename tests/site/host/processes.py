"""The installation as processes of its own: commands and a server on a free port, for
the tests that run what an operator runs."""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from platform_site.accounts.built_in import DEFAULT_ADMIN_PASSWORD
from platform_site.settings.configuration import APPLICATION_FOLDER
from tests.environment import inherited

LIMIT_SECONDS = 180


@dataclass
class Served:
    data: Path
    url: str
    process: subprocess.Popen[str]

    def get(self, path, **headers):
        return self.call("GET", path, **headers)

    def sign_in(self, **headers):
        """Return what the login over the API answers the first administrator."""
        body = {"userName": "admin", "password": DEFAULT_ADMIN_PASSWORD}
        named = {"Content-Type": "application/json", **headers}
        status, _, text = self.call(
            "POST", "/api/v1/Auth/login", json.dumps(body).encode(), **named
        )
        assert status == 200, text
        return json.loads(text)

    def about(self, token):
        """Return status and body of what the installation says of itself."""
        named = {"Authorization": f"Bearer {token}"}
        status, _, text = self.get("/api/v1/About", **named)
        return status, json.loads(text)

    def call(self, method, path, body=None, **headers):
        request = urllib.request.Request(
            f"{self.url}{path}", body, headers, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=LIMIT_SECONDS) as answer:
                return answer.status, answer.headers, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read().decode()

    def database(self):
        return sqlite3.connect(self.data / "db" / "platform.db")


def files_of_the_program():
    """Return all that lies in its folder, but for what Python and tools keep there."""
    found = set()
    for folder, folders, files in os.walk(APPLICATION_FOLDER):
        kept = [name for name in folders if name[0] != "." and name != "__pycache__"]
        folders[:] = kept
        found |= {Path(folder, name) for name in (*kept, *files)}
    return found


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def environment(data, **more):
    return {**inherited(), "Platform__DataPath": str(data), **more}


def command(*arguments, env):
    return subprocess.run(
        [sys.executable, str(APPLICATION_FOLDER / "manage.py"), *arguments],
        env=env,
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )


def start(data, **more):
    url = f"http://127.0.0.1:{free_port()}"
    process = subprocess.Popen(
        [sys.executable, str(APPLICATION_FOLDER / "manage.py"), "serve"],
        env=environment(data, **{"ASPNETCORE_URLS": url, **more}),
        stdout=subprocess.PIPE,
        stderr=(data.parent / "stderr.txt").open("w", encoding="utf-8"),
        text=True,
    )
    return Served(data, url, process)


def announced(served):
    """Return what the server prints up to its sign-in line; reading waits for it."""
    lines = [served.process.stdout.readline(), served.process.stdout.readline()]
    assert lines[0], (served.data.parent / "stderr.txt").read_text(encoding="utf-8")
    return "".join(lines)


def stop(served):
    served.process.send_signal(signal.SIGTERM)
    try:
        return served.process.wait(timeout=LIMIT_SECONDS)
    finally:
        served.process.kill()
        served.process.stdout.close()
