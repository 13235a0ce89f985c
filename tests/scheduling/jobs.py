"""Jobs to schedule, the processors they run, and a clock that only tests move."""

from __future__ import annotations

import datetime as dt
import itertools
import threading

from catalogs import constants
from importer.services import ImportOptions, import_package
from platform_site.processing.errors import InvalidStateError
from platform_site.processing.processor import DataProcessor
from platform_site.processing.values import (
    DateTimeField,
    FileField,
    IntegerField,
    TextField,
    Values,
)
from platform_site.scheduling.models import Job, JobExecution
from platform_site.scheduling.services import create_job
from tests.builders import stream, units

NOON = dt.datetime(2026, 1, 1, 12, tzinfo=dt.UTC)
_numbers = itertools.count(1)


class Note(DataProcessor):
    """Keep a text in a constant."""

    # What happens while it runs, for the tests to say.
    meanwhile = staticmethod(lambda: None)

    class Input(Values):
        """A text."""

        text = TextField(default="tick")
        day = DateTimeField(default=None, allow_null=True)

    class Result(Values):
        """What was kept."""

        kept = TextField()
        day = DateTimeField(allow_null=True)

    def execute(self, data, *, user):
        """Keep it."""
        type(self).meanwhile()
        constants.set_value(name="note", value=data["text"], actor=user)
        return {"kept": data["text"], "day": data["day"]}


class ImportUnits(DataProcessor):
    """Import two units of measure."""

    class Result(Values):
        """How many came in."""

        inserted = IntegerField()

    def execute(self, data, *, user):
        """Import."""
        report = import_package(stream(units("a", "b")), ImportOptions(), user=user)
        return {"inserted": report.counts["Inserted"]}


class ReadFile(DataProcessor):
    """Read a file."""

    class Input(Values):
        """A file."""

        file = FileField()

    def execute(self, data, *, user):
        """Read."""
        if data["file"] is None:
            raise InvalidStateError("No file chosen.")
        return {}


class MovedClock:
    """A clock that stands still until a test moves it."""

    def __init__(self, now):
        self._now = now
        self._moved = threading.Event()

    def now(self):
        return self._now

    def wait(self, seconds):
        """Wait to be moved; seldom longer, so that a failing test ends."""
        self._moved.wait(0.05)
        self._moved.clear()

    def move_to(self, instant):
        self._now = instant
        self._moved.set()

    def move(self, **distance):
        self.move_to(self._now + dt.timedelta(**distance))


def a_job(run_as, processor=Note, since=NOON, **values):
    """Create a job that somebody set up at noon."""
    schedule = {} if "cron" in values or "interval_seconds" in values else HOURLY
    plain = {"name": f"job {next(_numbers)}", "processor": processor.__name__}
    job = create_job(job=Job(run_as=run_as, **{**plain, **schedule, **values}))
    Job.objects.filter(pk=job.pk).update(since=since)
    job.refresh_from_db()
    return job


HOURLY = {"cron": "0 * * * *"}


def turn(scheduler):
    """Let a scheduler poll until it has nothing left to start or to record."""
    scheduler.poll()
    while scheduler._ended:
        scheduler.poll()


def executions(job):
    """Return what became of a job, the oldest first: (minutes after noon, status)."""
    rows = JobExecution.objects.filter(job=job).order_by("pk")
    return [((row.due_at - NOON).total_seconds() / 60, row.status) for row in rows]


def last(job):
    """Return the newest execution of a job."""
    return JobExecution.objects.filter(job=job).latest("pk")
