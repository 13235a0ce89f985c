"""A reverse proxy that ends TLS in front of a served installation, as operators have it."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import contextmanager

import pytest

from tests.environment import in_ci, inherited
from tests.site.host.certificates import make_certificate
from tests.site.host.processes import LIMIT_SECONDS

PROGRAM = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/bin")
# What docs/hosting.md asks of a proxy, in the words of one of them.
CONFIGURATION = """\
daemon off;
{user}
pid {folder}/proxy.pid;
error_log {folder}/errors.txt;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/answers;
    fastcgi_temp_path {folder}/unused;
    uwsgi_temp_path {folder}/unused;
    scgi_temp_path {folder}/unused;
    client_max_body_size 60m;
    proxy_http_version 1.1;
    proxy_request_buffering {buffering};
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    server {{
        listen 127.0.0.1:{plain};
        location / {{ proxy_pass {url}; }}
    }}
    server {{
        listen 127.0.0.1:{secure} ssl;
        ssl_certificate {folder}/site.pem;
        ssl_certificate_key {folder}/site.key;
        location / {{ proxy_pass {url}; }}
    }}
}}
"""


def needed():
    """Skip where there is no proxy; a machine for checks has to have one."""
    if PROGRAM is None:
        if in_ci():
            pytest.fail("nginx is missing; .ci/run installs it.")
        pytest.skip("There is no nginx on this machine.")


@contextmanager
def proxied(folder, url, *, plain, secure, buffering):
    """Serve an installation's address on two ports of a proxy, one of them with TLS."""
    make_certificate(folder)
    configuration = folder / "proxy.conf"
    configuration.write_text(
        CONFIGURATION.format(
            user="user root;" if os.geteuid() == 0 else "",
            folder=folder,
            url=url,
            plain=plain,
            secure=secure,
            buffering="on" if buffering else "off",
        ),
        encoding="utf-8",
    )
    arguments = [PROGRAM, "-c", str(configuration), "-e", str(folder / "errors.txt")]
    tested = subprocess.run(
        [*arguments, "-t"],
        env=inherited(),
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    assert tested.returncode == 0, tested.stderr
    process = subprocess.Popen(arguments, env=inherited())
    try:
        yield
    finally:
        process.terminate()
        process.wait(timeout=LIMIT_SECONDS)
