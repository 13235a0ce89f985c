"""The work in the background of a soak: an import and a table every minute, and jobs."""

from __future__ import annotations

import os
import threading
import time

from tests.benchmarks import workload
from tests.benchmarks.soak.requests import Client
from tests.journeys.installation import wait_until
from tests.journeys.multipart import package_upload

OBJECTS, ROWS = 1_000, 100
EVERY = 60
_LOOK = 0.5
# The number of a client that isn't one of the users.
_NUMBER = 200


class Importer(threading.Thread):
    """Imports a package every minute, in turn with other values than before and with the
    same, and puts a table into the folder half a minute later."""

    def __init__(self, servers, journal):
        super().__init__(daemon=True, name="Importer")
        self.servers, self.journal = servers, journal
        self.client = Client(servers, journal, _NUMBER, **{"X-Api-Key": servers.key})
        self.imports, self.tables = [], 0

    def run(self):
        try:
            while not self.journal.over.is_set():
                self._minute(len(self.imports))
        except Exception as error:
            self.journal.fail(f"{self.name} ended: {error!r}")
            raise
        finally:
            self.client.close()

    def _minute(self, number):
        begun = self.journal.now
        changed = number % 2 == 0
        content = workload.package(OBJECTS, prefix="S", word=f"Version {number // 2}")
        body, kind = package_upload(content, queue="true")
        path = "/api/v1/Import/run"
        answer = self.client.ask("upload", "POST", path, body, expect=(202,), **kind)
        if answer.status == 202:
            self._watch(answer.json["runId"], changed, first=not number)
        self.imports.append({"at": begun, "seconds": self.journal.now - begun})
        if not self.journal.pause(max(0, begun + EVERY / 2 - self.journal.now)):
            self._put_table()
            self.journal.pause(max(0, begun + EVERY - self.journal.now))

    def _watch(self, run, changed, first):
        while True:
            path = f"Import/runs/{run}?limit=1"
            told = self.client.call("run", "GET", path).json or {"status": "Running"}
            if told["status"] not in ("Queued", "Running"):
                break
            time.sleep(_LOOK)
        wanted = "Inserted" if first else "Updated" if changed else "Unchanged"
        if told["status"] != "Completed" or told["counts"][wanted] < OBJECTS:
            self.journal.fail(f"Run {run}: {told['status']}, {told['counts']}")

    def _put_table(self):
        file = self.servers.inbox / f"table-{self.tables}.csv"
        file.parent.mkdir(parents=True, exist_ok=True)
        rows = (f"T{row};Unit {row} of {self.tables // 2}\n" for row in range(ROWS))
        part = file.with_suffix(".tmp")
        part.write_text("Code;Name\n" + "".join(rows), encoding="utf-8")
        # As old as a table that is complete.
        then = time.time() - 600
        os.utime(part, (then, then))
        part.rename(file)
        self.tables += 1


def ended(servers):
    """Let the jobs end; return how many executions of each and runs ended how."""
    rows = servers.installation.rows
    servers.command("shell", "-c", _DISABLE)
    unfinished = (
        "SELECT 1 FROM scheduling_jobexecution WHERE status IN ('Waiting', 'Running')"
        " UNION SELECT 1 FROM importer_importrun WHERE status IN ('Queued', 'Running')"
    )
    wait_until(lambda: not rows(unfinished))
    jobs = rows(
        "SELECT j.name, e.status, count(*) FROM scheduling_jobexecution e"
        " JOIN scheduling_job j ON j.id = e.job_id GROUP BY j.name, e.status"
    )
    runs = rows(
        "SELECT status, has_errors, count(*) FROM importer_importrun"
        " GROUP BY status, has_errors"
    )
    return {
        "jobs": {f"{name}: {status}": count for name, status, count in jobs},
        "runs": {
            f"{status}{' with errors' if wrong else ''}": count
            for status, wrong, count in runs
        },
    }


_DISABLE = """
from platform_site.scheduling.models import Job
Job.objects.update(enabled=False)
"""
