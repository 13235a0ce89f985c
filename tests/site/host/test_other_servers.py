"""Serving with another server than the product's own, which the entry point allows."""

from __future__ import annotations

import subprocess
import sys

import pytest

from platform_site.settings.configuration import APPLICATION_FOLDER
from tests.first_start import started_once
from tests.site.host.processes import environment

pytestmark = pytest.mark.process
ASK = """
import io
from wsgiref.util import setup_testing_defaults
from platform_site.wsgi import application
environ = {"PATH_INFO": "/health/ready"}
setup_testing_defaults(environ)
answer = application(environ, lambda status, headers: print(status))
print(b"".join(answer).decode())
"""


def test_any_standard_server_can_serve_it_and_is_warned(tmp_path):
    """HOST-006, HOST-029: what `serve` does besides is then the operator's care."""
    env = environment(started_once(tmp_path / "data"))
    ended = subprocess.run(
        [sys.executable, "-c", ASK],
        cwd=APPLICATION_FOLDER,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stdout.splitlines() == ["200 OK", "Healthy"], ended.stderr
    assert "run 'manage.py startup' before each start" in ended.stderr
    assert "Scheduled jobs don't run" in ended.stderr
