"""What the log says of jobs: each line names the execution, its user and its run."""

from __future__ import annotations

import json
import logging
import socket

import pytest

from importer.models import ImportRun
from platform_site.site.host.log_lines import JsonFormatter
from tests.scheduling.jobs import ImportUnits, ReadFile, a_job, last, turn

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def lines():
    """Return the entries of the platform, in the form of JSON."""
    found, formatter = [], JsonFormatter()

    class Kept(logging.Handler):
        def emit(self, record):
            found.append(json.loads(formatter.format(record)))

    handler, log = Kept(), logging.getLogger("platform")
    log.addHandler(handler)
    yield found
    log.removeHandler(handler)


def test_a_failed_job_is_a_warning_with_its_reason(scheduler, clock, runner, lines):
    job = a_job(runner, processor=ReadFile)
    clock.move(hours=1)
    turn(scheduler)
    [told] = [line for line in lines if "ended: Failed" in line["message"]]
    assert told["level"] == "WARNING"
    assert told["message"] == (
        f"The job “{job}” ended: Failed on {socket.gethostname()} after 0.0 s. "
        "No file chosen."
    )


def test_every_line_of_a_job_has_its_execution_and_user(
    scheduler, clock, runner, lines
):
    job = a_job(runner, processor=ImportUnits)
    clock.move(hours=1)
    lines.clear()
    turn(scheduler)
    # The clock made a jump, and the creation of the job is not its execution.
    told = [
        line for line in lines if "jobExecution" in line or "job" in line["message"]
    ]
    told = [line for line in told if "The scheduler" not in line["message"]]
    told = [line for line in told if 'event="change"' not in line["message"]]
    messages = " ".join(line["message"] for line in told)
    assert f"The job “{job}” begins on {socket.gethostname()}." in messages
    assert "ended" in messages
    execution = str(last(job).pk)
    assert {line.get("jobExecution") for line in told} == {execution}
    assert {line.get("user") for line in told} == {runner.username}
    assert ImportRun.objects.filter(starter__contains=execution).exists()
