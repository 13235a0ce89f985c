"""What the service manager hears of a server: it serves, lives and stops."""

from __future__ import annotations

import asyncio
import socket
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from platform_site.site.host import service_manager
from platform_site.site.host.service_manager import Progress, ServiceManager
from tests.first_start import started_once
from tests.site.host.processes import LIMIT_SECONDS, announced, start, stop


@pytest.fixture
def hearing():
    """Return a socket as a service manager has it, with a path short enough for one."""
    with (
        tempfile.TemporaryDirectory() as folder,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard,
    ):
        heard.bind(str(Path(folder, "notify")))
        heard.settimeout(LIMIT_SECONDS)
        yield heard


def until(heard, wanted):
    """Return all that is said until a line is heard."""
    lines = []
    while wanted not in lines:
        lines += heard.recv(4096).decode().split("\n")
    return lines


@pytest.mark.process
def test_a_server_says_that_it_starts_serves_lives_and_stops(hearing, tmp_path):
    data = started_once(tmp_path / "data")
    told = {"NOTIFY_SOCKET": hearing.getsockname(), "WATCHDOG_USEC": "100000"}
    one = start(data, **told)
    try:
        assert until(hearing, "READY=1")[0].startswith("STATUS=Starting")
        announced(one)
        # What is ready answers.
        assert one.get("/health/live")[0] == 200
        until(hearing, "WATCHDOG=1")
        until(hearing, "WATCHDOG=1")
    finally:
        status = stop(one)
    assert status == 0
    assert "READY=1" not in until(hearing, "STOPPING=1")


def reported(manager, is_alive, rounds):
    async def live():
        task = asyncio.create_task(manager.report_life(is_alive))
        for _ in range(rounds * 20):
            await asyncio.sleep(0)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    asyncio.run(live())


def test_a_server_that_hangs_says_nothing_more(hearing, caplog):
    environ = {"NOTIFY_SOCKET": hearing.getsockname(), "WATCHDOG_USEC": "1"}
    manager = ServiceManager(environ)
    reported(manager, lambda: False, 3)
    hearing.setblocking(False)
    with pytest.raises(BlockingIOError):
        hearing.recv(100)
    assert caplog.text.count("no longer told that the server is alive") == 1
    reported(manager, lambda: True, 1)
    assert hearing.recv(100) == b"WATCHDOG=1"


def test_threads_that_finish_nothing_for_long_are_stuck(monkeypatch):
    now = {"at": 1000.0}
    monkeypatch.setattr(service_manager.time, "monotonic", lambda: now["at"])
    state = {"finished": 5, "free": False}
    progress = Progress(lambda: state["finished"], lambda: state["free"])
    assert progress.is_made()
    now["at"] += service_manager.STUCK_SECONDS - 1
    assert progress.is_made()
    now["at"] += 2
    assert not progress.is_made()
    state["finished"] += 1
    assert progress.is_made()
    now["at"] += 10 * service_manager.STUCK_SECONDS
    state["free"] = True
    assert progress.is_made()


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"WATCHDOG_USEC": "1000000"},
        {"NOTIFY_SOCKET": "/nowhere", "WATCHDOG_USEC": "often"},
        {"NOTIFY_SOCKET": "/nowhere", "WATCHDOG_USEC": "1000000", "WATCHDOG_PID": "1"},
    ],
)
def test_nobody_who_waits_is_told_nothing(environ):
    assert ServiceManager(environ).pause_seconds == 0


def test_a_manager_that_cannot_be_reached_disturbs_nothing(caplog):
    manager = ServiceManager({"NOTIFY_SOCKET": "/nowhere/at/all"})
    manager.say("READY=1")
    manager.say("STOPPING=1")
    assert caplog.text.count("can't be notified") == 1
    ServiceManager({}).say("READY=1")
