"""What the servers of a soak hold, seen from outside: every five seconds, each node with
its children."""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path

EVERY = 5
_MB = 1e6
_TICKS = os.sysconf("SC_CLK_TCK")
# What is taken of a node, and of the installation.
OF_NODE = ("rss", "pss", "threads", "descriptors", "cpu", "children", "spool", "log")
OF_ALL = ("at", "database", "wal", "connections")


class Sampler(threading.Thread):
    """Takes samples until the soak is over: megabytes, seconds and numbers."""

    def __init__(self, servers, journal):
        super().__init__(daemon=True, name="Sampler")
        self.servers, self.journal = servers, journal
        self.common = {name: [] for name in OF_ALL}
        self.nodes = {
            node.name: {name: [] for name in OF_NODE} for node in servers.nodes
        }

    def run(self):
        try:
            while True:
                self._take()
                if self.journal.pause(EVERY - self.journal.now % EVERY):
                    return
        except Exception as error:
            self.journal.fail(f"{self.name} ended: {error!r}")
            raise

    def _take(self):
        at = round(self.journal.now, 1)
        for node in self.servers.nodes:
            _add(self.nodes[node.name], of_node(node))
        _add(self.common, {"at": at, **of_installation(self.servers)})


def of_node(node):
    """Return what the process of a node and its children hold."""
    family = list(_family(node.pid))
    found = [_of_process(pid) for pid in family]
    taken = {name: round(sum(one[name] for one in found), 2) for name in found[0]}
    return {
        **taken,
        "children": len(family) - 1,
        "spool": _size(node.data / "spool"),
        "log": _size(node.log),
    }


def of_installation(servers):
    """Return the size of its database, and how many connections that has."""
    if not servers.database:
        file = servers.nodes[0].data / "db" / "platform.db"
        wal = file.with_name(f"{file.name}-wal")
        return {"database": _size(file), "wal": _size(wal), "connections": 0}
    ((size, connections),) = servers.installation.rows(
        "SELECT pg_database_size(current_database()),"
        " (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND pid <> pg_backend_pid())"
    )
    return {"database": round(size / _MB, 2), "wal": 0, "connections": connections}


def _add(columns, values):
    for name, value in values.items():
        columns[name].append(value)


def _family(pid):
    """Yield a process and its descendants."""
    yield pid
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            for child in (task / "children").read_text().split():
                yield from _family(int(child))


def _of_process(pid):
    folder = Path("/proc", str(pid))
    status = _fields(folder / "status")
    user, system = (folder / "stat").read_text().rpartition(")")[2].split()[11:13]
    return {
        "rss": int(status["VmRSS"].split()[0]) * 1024 / _MB,
        "pss": int(_fields(folder / "smaps_rollup")["Pss"].split()[0]) * 1024 / _MB,
        "threads": int(status["Threads"]),
        "descriptors": len(list((folder / "fd").iterdir())),
        "cpu": (int(user) + int(system)) / _TICKS,
    }


def _fields(file):
    """Return the named values of a file of the kernel."""
    pairs = (line.partition(":") for line in file.read_text().splitlines())
    return {name: value.strip() for name, _, value in pairs}


def _size(path):
    """Return the megabytes of a file, or of everything in a folder."""
    total = 0
    for one in [path, *path.rglob("*")] if path.is_dir() else [path]:
        with contextlib.suppress(OSError):
            total += one.stat().st_size if one.is_file() else 0
    return round(total / _MB, 2)
