"""Three nodes of one installation: real servers with a data folder each, one database and
one folder of attachments."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import re
import signal
from pathlib import Path

from platform_site.accounts.built_in import DEFAULT_ADMIN_PASSWORD
from tests.journeys.installation import PostgresInstallation, wait_until
from tests.journeys.multipart import package_upload
from tests.postgres_server import connection_to
from tests.site.host.processes import LIMIT_SECONDS, Served, announced, start

SECRET = "a signing key that all of the nodes of this installation share"
# Soon enough for a test; an operator has 30.
TIMEOUT = 8
_IMPORT = 0x494D5052


# The lock of the node that finds out what is due.
TICKING = 0x4A4F4253
_SKIPPED = re.compile(r"The job “often” is skipped at (\S+): it is still running")


class Node:
    """One server of the cluster, started again as often as wanted."""

    def __init__(self, cluster, name):
        self.cluster = cluster
        self.data = cluster.folder / name / "data"
        self.data.parent.mkdir()
        self.served: Served | None = None
        self.is_ready = False

    def start(self, **more):
        """Begin to start; `ready` waits for it."""
        self.is_ready = False
        self.served = start(self.data, **{**self.cluster.settings, **more})

    def ready(self):
        """Wait until it serves, and sign in once for all nodes."""
        announced(self.served)
        self.is_ready = True
        if not self.cluster.token:
            self.cluster.token = self.served.sign_in()["token"]

    @property
    def process(self):
        return self.served.process

    @property
    def port(self):
        return int(self.served.url.rpartition(":")[2])

    @property
    def log(self):
        return (self.data.parent / "stderr.txt").read_text("utf-8")

    def skipped(self):
        """Return when the job “often” was due while it was still running."""
        return {dt.datetime.fromisoformat(time) for time in _SKIPPED.findall(self.log)}

    def kill(self, number=signal.SIGKILL):
        """End it as a power failure does."""
        self.process.send_signal(number)
        if number == signal.SIGKILL:
            self.process.wait(timeout=LIMIT_SECONDS)
            self.process.stdout.close()

    def stop(self):
        """End it as an operator does; return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=LIMIT_SECONDS)
        self.process.stdout.close()
        return code

    def call(self, method, path, body=None, **headers):
        """Call the API as the administrator; return the status and what it answers."""
        named = {"Authorization": f"Bearer {self.cluster.token}", **headers}
        status, _, text = self.served.call(method, f"/api/v1/{path}", body, **named)
        return status, json.loads(text) if text else None

    def upload(self, content, **fields):
        """Start an import; return its identifier."""
        body, kind = package_upload(content, **fields)
        status, answer = self.call("POST", "Import/run", body, **kind)
        assert status == 202, answer
        return answer["runId"]

    def run(self, run_id):
        """Return what it tells of a run."""
        status, answer = self.call("GET", f"Import/runs/{run_id}?limit=1")
        assert status == 200, answer
        return answer

    def runs(self):
        return self.call("GET", "Import/runs")[1]


class Cluster:
    """The nodes, and what they share."""

    def __init__(self, folder, **more):
        self.folder = folder
        self.token = ""
        chosen = {
            "Platform__Nodes": "many",
            "Platform__NodeTimeout": str(TIMEOUT),
            "Import__ResumeInterrupted": "true",
            "JwtOptions__Secret": SECRET,
        }
        self.installation = PostgresInstallation(folder / "first" / "data", **chosen)
        self.settings = {
            **chosen,
            **connection_to(self.installation.database),
            "BlobStorage__LocalDiskRootPath": str(folder / "blobs"),
            "Import__FoldersPath": str(folder / "inbox"),
            "Platform__Seed__AdminPassword": DEFAULT_ADMIN_PASSWORD,
            "Logging__Access": "false",
            **more,
        }
        self.nodes = [Node(self, name) for name in "ABC"]

    def start(self):
        for node in self.nodes:
            node.start()
        for node in self.nodes:
            node.ready()

    def stop(self):
        for node in self.nodes:
            if node.served is not None:
                node.process.kill()
                node.process.wait(timeout=LIMIT_SECONDS)
                node.process.stdout.close()
        self.installation.drop()

    def rows(self, query):
        return self.installation.rows(query)

    def schedule(self, name, processor, seconds):
        """Insert a job, as if it had been entered now."""
        self.rows(
            "INSERT INTO scheduling_job (name, processor, input, cron,"
            " interval_seconds, time_zone, run_as_id, enabled, since)"
            f" SELECT '{name}', '{processor}', '{{}}', '', {seconds}, '', id, true,"
            " now() FROM accounts_user WHERE username = 'admin'"
        )

    def check_schedule(self, every, skipped=()):
        """Assert that each time of the job “often” is there once; return how many.

        The nodes, and ``skipped``, know of times at which it was still running.
        """
        rows = self.rows(
            "SELECT due_at FROM scheduling_jobexecution e JOIN scheduling_job j"
            " ON j.id = e.job_id WHERE j.name = 'often' ORDER BY due_at"
        )
        fired = [due for (due,) in rows]
        assert len(set(fired)) == len(fired)
        known = {*fired, *skipped}.union(*(node.skipped() for node in self.nodes))
        first, last = fired[0], fired[-1]
        step = dt.timedelta(seconds=every)
        wanted = {first + n * step for n in range(round((last - first) / step) + 1)}
        known = {one.replace(microsecond=0) for one in known}
        lost = {one.replace(microsecond=0) for one in wanted} - known
        assert not lost, sorted(lost)
        return len(fired)

    def importing(self, key=_IMPORT):
        """Return the node that holds a lock, that of imports, None if none does."""
        ports = self.rows(
            "SELECT a.client_port FROM pg_locks l JOIN pg_stat_activity a USING (pid)"
            f" WHERE l.locktype = 'advisory' AND l.granted AND l.classid = {key}"
            f" AND a.datname = '{self.installation.database}'"
        )
        for node in self.nodes:
            own = ports_of(node.process.pid) if node.process.poll() is None else set()
            if any(port in own for (port,) in ports):
                return node
        return None

    def holder(self, key=_IMPORT):
        """Wait until a node holds a lock, and return it."""
        found = []

        def look():
            node = self.importing(key)
            if node is not None:
                found.append(node)
            return found

        wait_until(look)
        return found[0]


def ports_of(pid):
    """Return the local ports of a process."""
    inodes = set()
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            target = str(descriptor.readlink())
            if target.startswith("socket:["):
                inodes.add(target[8:-1])
    ports = set()
    for line in Path(f"/proc/{pid}/net/tcp").read_text("ascii").splitlines()[1:]:
        words = line.split()
        if words[9] in inodes:
            ports.add(int(words[1].rpartition(":")[2], 16))
    return ports


@contextlib.contextmanager
def cluster_in(folder, *, begun=True, **more):
    """Start three nodes, or leave that to the caller, and end them with their database
    afterwards."""
    one = Cluster(folder, **more)
    try:
        if begun:
            one.start()
        yield one
    finally:
        one.stop()
