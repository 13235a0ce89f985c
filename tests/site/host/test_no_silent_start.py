"""Starts as an operator meets them: nothing is begun anew, changed or opened without a
word."""

from __future__ import annotations

import os
import signal
import socket
import stat
import sys

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from tests.builders import units
from tests.first_start import started_once
from tests.site.host.processes import (
    LIMIT_SECONDS,
    announced,
    command,
    environment,
    start,
    stop,
)
from tests.site.host.upgrades import make_older, run

pytestmark = pytest.mark.process
OTHERS = stat.S_IRWXG | stat.S_IRWXO


@pytest.mark.skipif(os.name != "posix", reason="There are no modes.")
def test_what_is_written_is_readable_by_nobody_else_whatever_the_umask(tmp_path):
    """HOST-117, and all the rest of the data folder."""
    before = os.umask(0)
    try:
        served = start(tmp_path / "data")
        announced(served)
        token = {"Authorization": f"Bearer {served.sign_in()['token']}"}
        form = encode_multipart(BOUNDARY, {"file": SimpleUploadedFile("f", b"x")})
        kind = {"Content-Type": MULTIPART_CONTENT, **token}
        assert served.call("POST", "/api/v1/Files", form, **kind)[0] == 201
        package = tmp_path / "units.json"
        package.write_bytes(units("b").as_bytes())
        report = served.data / "report.json"
        for arguments in (
            ("import_package", str(package), "--report", str(report)),
            ("backup",),
            ("backup", str(served.data / "mine.db")),
        ):
            ended = run(served.data, *arguments)
            assert ended.returncode == 0, ended.stderr
        found = {p: p.stat().st_mode for p in (served.data, *served.data.rglob("*"))}
        stop(served)
    finally:
        os.umask(before)
    assert {"platform.db", "platform.db-wal", "report.json"} <= {p.name for p in found}
    open_to_others = [f"{p} {oct(mode)}" for p, mode in found.items() if mode & OTHERS]
    assert open_to_others == []


@pytest.mark.skipif(os.name != "posix", reason="There are no modes.")
def test_a_start_closes_the_database_and_the_key_to_other_users(data):
    loose = [
        data / "db",
        data / "db" / "platform.db",
        data / "keys" / "jwt-signing.key",
    ]
    for path in loose:
        path.chmod(path.stat().st_mode | 0o055)
    ended = run(data, "startup")
    assert ended.returncode == 0, ended.stderr
    assert [path for path in loose if path.stat().st_mode & OTHERS] == []
    assert f"Other users could read {data / 'db' / 'platform.db'}" in ended.stderr


def test_a_lost_database_is_not_begun_anew_without_a_word(data):
    database = data / "db" / "platform.db"
    ended = run(data, "backup")
    copy = ended.stdout.strip().removeprefix("Backup written: ")
    database.write_bytes(b"")
    for name in ("startup", "migrate"):
        ended = run(data, name)
        assert ended.returncode == 1
        assert f"{database} is damaged" in ended.stderr.splitlines()[-1]
        assert copy in ended.stderr.splitlines()[-1]
        assert "Traceback" not in ended.stderr
    database.unlink()
    ended = run(data, "startup", Platform__Database__MustExist="true")
    assert ended.returncode == 1
    assert not database.exists()
    ended = run(data, "startup")
    assert ended.returncode == 0, ended.stderr
    assert f"newest intact backup is {copy}" in ended.stderr
    assert database.exists()


def test_a_port_in_use_is_reported_before_anything_is_changed(data):
    make_older(data)
    before = (data / "db" / "platform.db").read_bytes()
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        url = f"http://127.0.0.1:{holder.getsockname()[1]}"
        ended = command("serve", env=environment(data, ASPNETCORE_URLS=url))
    assert ended.returncode == 1
    assert f"Cannot listen on {url}" in ended.stderr.splitlines()[-1]
    assert (data / "db" / "platform.db").read_bytes() == before
    assert not (data / "backups").exists()


def test_of_two_starts_on_one_port_the_later_one_gets_a_message(tmp_path):
    """Both may bind it while neither listens."""
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{other.getsockname()[1]}"
        served = start(tmp_path / "data", ASPNETCORE_URLS=url)
        # Its start goes on until the database is there, and listens at the end.
        while not (tmp_path / "data" / "db" / "platform.db").exists():
            assert served.process.poll() is None
        other.listen()
        assert served.process.wait(timeout=LIMIT_SECONDS) == 1
        served.process.stdout.close()
    told = (tmp_path / "stderr.txt").read_text("utf-8")
    assert f"Cannot listen on {url}" in told.splitlines()[-1]
    assert "Traceback" not in told


@pytest.mark.skipif(sys.platform == "win32", reason="There is no such signal.")
@pytest.mark.parametrize("under_nohup", [False, True])
def test_a_terminal_that_is_closed_ends_the_server_in_order(tmp_path, under_nohup):
    before = signal.signal(
        signal.SIGHUP, signal.SIG_IGN if under_nohup else signal.SIG_DFL
    )
    try:
        served = start(started_once(tmp_path / "data"))
    finally:
        signal.signal(signal.SIGHUP, before)
    try:
        announced(served)
        served.process.send_signal(signal.SIGHUP)
        if under_nohup:
            assert served.get("/health/live")[0] == 200
            assert stop(served) == 0
        else:
            assert served.process.wait(timeout=LIMIT_SECONDS) == 0
            assert served.process.stdout.read().endswith("Stopped.\n")
    finally:
        stop(served)


@pytest.mark.skipif(sys.platform == "win32", reason="Its processes have no signals.")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_server_begun_in_the_background_by_a_script_ends_in_order(tmp_path, number):
    """Shells begin such processes with SIGINT ignored."""
    before = signal.signal(number, signal.SIG_IGN)
    try:
        served = start(started_once(tmp_path / "data"))
    finally:
        signal.signal(number, before)
    try:
        announced(served)
        served.process.send_signal(number)
        assert served.process.wait(timeout=LIMIT_SECONDS) == 0
        assert served.process.stdout.read().endswith("Stopped.\n")
    finally:
        served.process.kill()
        served.process.stdout.close()


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("serve", {"ASPNETCORE_URLS": "nonsense://"}),
        ("serve", {"Provider": "Oracle"}),
        ("startup", {"Platform__Database__BackupsToKeep": "many"}),
        ("import_package", {"JwtOptions__Secret__FILE": "/no/such/file"}),
        (
            "serve",
            {
                "ASPNETCORE_URLS": "https://127.0.0.1:5443",
                "Kestrel__Certificates__Default__Path": "/no/such.pem",
                "Kestrel__Certificates__Default__KeyPath": "/no/such.key",
            },
        ),
    ],
)
def test_a_wrong_setting_ends_with_78_and_changes_nothing(tmp_path, name, settings):
    """Started again it would be as wrong: a supervisor is not to loop."""
    ended = command(name, env=environment(tmp_path / "data", **settings))
    assert ended.returncode == 78, ended.stderr
    assert "Traceback" not in ended.stderr
    assert not (tmp_path / "data").exists()
