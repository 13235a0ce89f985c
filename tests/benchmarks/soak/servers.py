"""The servers of a soak, with the demo company and some thousand items."""

from __future__ import annotations

import contextlib
import re
import tempfile
from pathlib import Path

from platform_site.accounts.built_in import DEFAULT_ADMIN_PASSWORD
from tests import first_start
from tests.benchmarks import workload
from tests.catalogs.processors.source import write_certificate
from tests.journeys.installation import (
    PostgresInstallation,
    SqliteInstallation,
    installed,
)
from tests.journeys.test_watched_folder import SAVE
from tests.nodes.cluster import cluster_in
from tests.postgres_server import connection_to
from tests.site.host.processes import announced, start, stop
from tests.webhooks.receiver import receiving

ITEMS = 5_000
LOOK_SECONDS, COSTS_SECONDS = 30, 300
# The defaults, which the clusters of tests make shorter.
_DEFAULTS = {"Platform__NodeTimeout": "30", "Logging__Access": "true"}
_PREPARE = """
from platform_site.accounts.models import User
from platform_site.scheduling.models import Job
from platform_site.scheduling.services import create_job, update_job
from platform_site.webhooks.services import create_webhook
admin = User.objects.get(username="admin")
for job in Job.objects.all():
    job.cron, job.interval_seconds = "", {look}
    update_job(job=job)
costs = Job(name="costs", processor="RecalculateCosts", interval_seconds={costs})
costs.run_as = admin
create_job(job=costs)
events = ["record.changed", "run.finished"]
values = {{"url": "{url}", "events": events, "models": ["SalesOrders"]}}
create_webhook(user=admin, values=values)
"""


class Node:
    """A server: its name, its process and its data folder."""

    def __init__(self, name, served):
        self.name, self.served = name, served

    @property
    def data(self):
        return self.served.data

    @property
    def address(self):
        return self.served.url.removeprefix("http://")

    @property
    def pid(self):
        return self.served.process.pid

    @property
    def log(self):
        return self.data.parent / "stderr.txt"


class Servers:
    """The nodes of one installation, the key of a program, and who is told of changes."""

    def __init__(self, installation, receiver):
        self.installation, self.receiver = installation, receiver
        self.nodes = []
        self.key = ""

    @property
    def database(self):
        """The name of its database on the server, empty for SQLite."""
        return getattr(self.installation, "database", "")

    def prepare(self, inbox, items, costs_seconds):
        """Fill the installation before it is served."""
        self.inbox = inbox / "units"
        self.command("seed_demo")
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            workload.write_big(file, items)
            file.flush()
            self.command("import_package", file.name, "--user", "admin")
        self.command("shell", "-c", SAVE)
        settings = {"look": LOOK_SECONDS, "costs": costs_seconds}
        prepare = _PREPARE.format(url=self.receiver.url, **settings)
        self.command("shell", "-c", prepare)
        made = self.command("create_api_key", "admin", "--name", "Soak")
        self.key = re.search(r"pk_\S+", made)[0]

    def command(self, *arguments):
        """Run a command to its end and return what it says."""
        done = self.installation.command(*arguments)
        if done.returncode:
            raise SystemExit(f"{arguments[0]} failed: {done.stdout}{done.stderr}")
        return done.stdout

    def keys(self, table, condition="1 = 1"):
        """Return the keys of rows."""
        query = f"SELECT id FROM {table} WHERE {condition} ORDER BY id"
        return [key for (key,) in self.installation.rows(query)]

    def stop(self):
        """End the servers as an operator does; return their exit codes by name."""
        return {node.name: stop(node.served) for node in self.nodes}


@contextlib.contextmanager
def served(provider, nodes, **company):
    """Serve a new installation on so many nodes, with so many items."""
    with contextlib.ExitStack() as life:
        folder = Path(life.enter_context(tempfile.TemporaryDirectory()))
        # What new installations are copied from goes at the end.
        life.callback(first_start.forget)
        certificate = write_certificate(folder)
        receiver = life.enter_context(receiving(certificate))
        settings = {
            "SSL_CERT_FILE": str(certificate),
            "Webhooks__AllowPrivate": "true",
            **_DEFAULTS,
        }
        kind = _one if nodes == 1 else _three
        yield life.enter_context(kind(folder, provider, receiver, settings, company))


@contextlib.contextmanager
def _one(folder, provider, receiver, settings, company):
    kind = SqliteInstallation if provider == "Sqlite" else PostgresInstallation
    data = folder / "A" / "data"
    data.parent.mkdir()
    with installed(kind, data, **settings) as installation:
        servers = Servers(installation, receiver)
        servers.prepare(data / "inbox", **company)
        if servers.database:
            settings = {**settings, **connection_to(servers.database)}
        password = {"Platform__Seed__AdminPassword": DEFAULT_ADMIN_PASSWORD}
        one = start(data, **settings, **password)
        servers.nodes.append(Node("A", one))
        try:
            announced(one)
            yield servers
        finally:
            one.process.kill()
            one.process.wait()


@contextlib.contextmanager
def _three(folder, _provider, receiver, settings, company):
    # Its nodes start with the company in their database.
    with cluster_in(folder, begun=False, **settings) as cluster:
        servers = Servers(cluster.installation, receiver)
        servers.prepare(folder / "inbox", **company)
        cluster.start()
        servers.nodes += [
            Node(name, node.served)
            for name, node in zip("ABC", cluster.nodes, strict=True)
        ]
        yield servers
