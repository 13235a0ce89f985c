"""The commands `serve` and `startup`, run as the operator runs them."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import socket
import sqlite3
import stat
import time
from contextlib import closing

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from platform_site import __version__
from platform_site.accounts.seeding import DEFAULT_ADMIN_PASSWORD
from platform_site.settings.configuration import APPLICATION_FOLDER
from tests.builders import units
from tests.drill import seconds
from tests.first_start import started_once
from tests.site.host.processes import (
    LIMIT_SECONDS,
    announced,
    command,
    environment,
    files_of_the_program,
    free_port,
    start,
    stop,
)

pytestmark = pytest.mark.process
EMPTY = {"home", "temporary", "working"}


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """Serve from an empty folder, with an empty home, as a data folder that is named
    as it is seen from the program."""
    folder = tmp_path_factory.mktemp("served")
    for name in EMPTY:
        (folder / name).mkdir()
    places = {
        "Platform__DataPath": os.path.relpath(folder / "data", APPLICATION_FOLDER),
        "HOME": str(folder / "home"),
        "TMPDIR": str(folder / "temporary"),
    }
    before = files_of_the_program()
    with contextlib.chdir(folder / "working"):
        one = start(folder / "data", **places)
    one.places, one.program_before = places, before
    try:
        one.announcement = announced(one)
        yield one
    finally:
        if one.process.poll() is None:
            stop(one)


def test_the_server_prints_its_address_and_the_first_sign_in(served):
    """HOST-025."""
    assert served.url in served.announcement
    assert f"admin with the password {DEFAULT_ADMIN_PASSWORD}" in served.announcement


@pytest.mark.parametrize("path", ["/health/live", "/health/ready"])
def test_a_probe_gets_its_one_word_for_any_host(served, path):
    """HOST-124, HOST-126, HOST-127, HOST-146, OPEN-120."""
    status, headers, body = served.get(path, Host="no such host")
    assert (status, body) == (200, "Healthy")
    assert headers["Content-Type"] == "text/plain"


def test_the_root_leads_to_a_sign_in_page_with_its_style(served):
    """HOST-003."""
    status, _, body = served.get("/")
    assert status == 200
    assert "Platform" in body
    assert 'name="password"' in body
    assert served.get("/static/admin/css/base.css")[0] == 200


@pytest.mark.drill
def test_answers_on_a_kept_connection_come_at_once(served):
    """Head and body are sent apart; the second must not wait for the client's word."""
    address, _, port = served.url.removeprefix("http://").partition(":")
    waited = []
    with closing(http.client.HTTPConnection(address, int(port))) as client:
        for _ in range(20):
            begun = time.perf_counter()
            client.request("GET", "/health/live")
            client.getresponse().read()
            waited.append(time.perf_counter() - begun)
    # The system of the client waits for 40 ms before it confirms what it has.
    assert sorted(waited)[5] < seconds(0.035)


def test_everything_on_disk_lies_in_the_data_folder(served):
    """HOST-020, HOST-060, HOST-066, HOST-067, HOST-074."""
    key = served.data / "keys" / "jwt-signing.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert (served.data / "db" / "platform.db").is_file()
    assert stat.S_IMODE(served.data.stat().st_mode) == 0o700


def test_whatever_is_done_writes_into_no_other_folder(served, monkeypatch):
    """HOST-038."""
    named = {"Authorization": f"Bearer {served.sign_in()['token']}"}

    def sent(path, content):
        form = encode_multipart(BOUNDARY, {"file": SimpleUploadedFile("f", content)})
        kind = {"Content-Type": MULTIPART_CONTENT, **named}
        return served.call("POST", path, form, **kind)

    # More than is kept in memory.
    assert sent("/api/v1/Files", b"x" * 5_000_000)[0] == 201
    status, headers, text = sent("/api/v1/Import/run", units("a").as_bytes())
    assert status == 202, text
    run, limit = {"status": "Running"}, time.monotonic() + LIMIT_SECONDS
    while run["status"] == "Running" and time.monotonic() < limit:
        run = json.loads(served.get(headers["Location"], **named)[2])
    assert run["status"] == "Completed"
    monkeypatch.chdir(served.data.parent / "working")
    ended = command("backup", env=environment(served.data, **served.places))
    assert ended.returncode == 0, ended.stderr
    found = {path.name for path in served.data.iterdir()}
    assert {"backups", "blobs", "db", "keys"} <= found
    inside = served.data.parent.rglob("*")
    others = [path for path in inside if served.data not in (path, *path.parents)]
    assert {path.name for path in others} == {"stderr.txt", *EMPTY}
    assert files_of_the_program() == served.program_before


def test_the_data_folder_is_logged_with_its_absolute_path(served):
    """HOST-064: it was set relative."""
    log = (served.data.parent / "stderr.txt").read_text(encoding="utf-8")
    assert f"Data folder: {served.data} (variable Platform__DataPath)\n" in log
    assert [line.split(": ")[-1] for line in log.splitlines()[:3]] == [
        __version__,
        "Production",
        "Sqlite",
    ]


def test_a_second_server_on_the_same_data_folder_is_refused(served):
    """HOST-029, HOST-170, OPEN-104."""
    other = f"http://127.0.0.1:{free_port()}"
    ended = command("serve", env=environment(served.data, ASPNETCORE_URLS=other))
    assert ended.returncode == 1
    assert str(served.data) in ended.stderr.splitlines()[-1]
    assert "Traceback" not in ended.stderr
    assert served.get("/health/live")[0] == 200


def test_a_port_in_use_is_refused_with_a_sentence(served, tmp_path):
    env = environment(tmp_path / "data", ASPNETCORE_URLS=served.url)
    ended = command("serve", env=env)
    assert ended.returncode == 1
    assert f"Cannot listen on {served.url}" in ended.stderr.splitlines()[-1]
    assert "Traceback" not in ended.stderr


def test_a_signal_ends_the_server_with_status_zero_and_it_starts_again(tmp_path):
    """HOST-118."""
    first = start(started_once(tmp_path / "data"))
    announced(first)
    key = (tmp_path / "data" / "keys" / "jwt-signing.key").read_bytes()
    assert stop(first) == 0
    second = start(tmp_path / "data")
    announced(second)
    assert stop(second) == 0
    assert (tmp_path / "data" / "keys" / "jwt-signing.key").read_bytes() == key


def test_a_request_in_progress_is_finished_before_the_end(tmp_path):
    served = start(started_once(tmp_path / "data"))
    announced(served)
    port = int(served.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=LIMIT_SECONDS) as client:
        # The body is announced but not sent yet: the view waits for it.
        client.sendall(
            b"POST /admin/login/ HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Type: application/x-www-form-urlencoded\r\n"
            b"Cookie: csrftoken=x\r\nContent-Length: 3\r\n\r\n"
        )
        wait_until_taken(served)
        served.process.send_signal(signal.SIGTERM)
        client.sendall(b"a=b")
        assert client.recv(12).startswith(b"HTTP/1.1 403")
    assert served.process.wait(timeout=LIMIT_SECONDS) == 0
    served.process.stdout.close()


def wait_until_taken(served):
    """Ask something else on another connection: the earlier request came before it."""
    assert served.get("/health/live")[0] == 200


def test_startup_alone_prepares_the_installation_and_can_be_repeated(tmp_path):
    """HOST-019, HOST-096."""
    env = environment(tmp_path / "data")
    for _ in range(2):
        ended = command("startup", env=env)
        assert ended.returncode == 0, ended.stderr
        assert f"Ready: {tmp_path / 'data'}" in ended.stdout
    with sqlite3.connect(tmp_path / "data" / "db" / "platform.db") as database:
        names = database.execute("SELECT username FROM accounts_user").fetchall()
    assert {"admin", "mcp-agent", "jobs-scheduler"} <= {name for (name,) in names}


def test_migrate_alone_works_on_a_fresh_installation(tmp_path):
    ended = command("migrate", env=environment(tmp_path / "data"))
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "data" / "db" / "platform.db").is_file()


def test_a_damaged_key_stops_the_start_with_a_sentence(tmp_path):
    key = tmp_path / "data" / "keys" / "jwt-signing.key"
    key.parent.mkdir(parents=True)
    key.write_text("short", encoding="ascii")
    ended = command("startup", env=environment(tmp_path / "data"))
    assert ended.returncode == 1
    assert str(key) in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_short_secret_is_reported_but_not_shown(tmp_path):
    env = environment(started_once(tmp_path / "data"), JwtOptions__Secret="hunter2")
    ended = command("startup", env=env)
    assert ended.returncode == 0
    assert "JwtOptions:Secret is shorter than 32 bytes" in ended.stderr
    assert "hunter2" not in ended.stderr + ended.stdout


def test_a_database_server_that_is_away_stops_the_start_with_a_sentence(tmp_path):
    env = environment(
        tmp_path / "data",
        Provider="PostgreSql",
        ConnectionStrings__PostgreSql=(
            f"Host=127.0.0.1;Port={free_port()};Database=x;Password=hunter2"
        ),
    )
    ended = command("startup", env=env)
    assert ended.returncode == 1
    assert "The database cannot be used" in ended.stderr.splitlines()[-1]
    assert "Traceback" not in ended.stderr
    assert "hunter2" not in ended.stderr
    assert not list((tmp_path / "data").glob("db/*.db"))


def test_a_killed_server_does_not_stand_in_the_way_of_the_next_start(tmp_path):
    served = start(started_once(tmp_path / "data"))
    announced(served)
    served.process.kill()
    served.process.wait(timeout=LIMIT_SECONDS)
    served.process.stdout.close()
    ended = command("startup", env=environment(tmp_path / "data"))
    assert ended.returncode == 0, ended.stderr


def test_without_https_pages_and_cookies_work_over_plain_http(served):
    status, headers, _ = served.get("/admin/login/")
    assert status == 200
    assert "csrftoken" in headers["Set-Cookie"]
    assert "Secure" not in headers["Set-Cookie"]


def test_a_start_warns_about_exposure(served):
    log = (served.data.parent / "stderr.txt").read_text(encoding="utf-8")
    assert "still has the password that is published in the documentation" in log
    assert "plain HTTP" in log
