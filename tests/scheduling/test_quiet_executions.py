"""Executions that changed nothing are shown together, so that a job of every minute
doesn't hide the others."""

from __future__ import annotations

import datetime as dt

import pytest

from catalogs.processors.results import ImportResult, nothing_done
from platform_site.accounts.models import User
from platform_site.processing import registry
from platform_site.processing.processor import DataProcessor
from platform_site.scheduling import history
from platform_site.scheduling.execution import Ending, Status
from platform_site.scheduling.models import JobExecution
from tests.scheduling.jobs import NOON, Note, a_job, last

pytestmark = pytest.mark.django_db
LIST = "/admin/scheduling/jobexecution/"
NOTHING = {"inserted": 0, "unchanged": 2000, "message": "Nothing to do."}


class Watch(DataProcessor):
    """A processor with the result of an import."""

    Result = ImportResult

    def execute(self, data, *, user):
        return nothing_done("Nothing to do.")


@pytest.fixture(autouse=True)
def known():
    with registry.registered(Watch), registry.registered(Note):
        yield


@pytest.fixture
def job(runner):
    return a_job(runner, processor=Watch)


def ended(job, result=NOTHING, status=Status.COMPLETED, minute=0):
    at = NOON + dt.timedelta(minutes=minute)
    history.claim(job, due_at=at, started_by="jobs-scheduler")
    history.end(last(job), Ending(status, result=result), at=at)


def listed(client, **query):
    client.force_login(User.objects.get(username="admin"))
    return client.get(LIST, query)


def test_executions_without_changes_are_one_row(client, job):
    for minute in range(57):
        ended(job, minute=minute)
    page = listed(client)
    assert page.context["cl"].result_count == 1
    assert "57 runs without changes" in page.content.decode()


def test_each_of_them_can_be_shown(client, job):
    for minute in range(3):
        ended(job, minute=minute)
    assert listed(client, every="1").context["cl"].result_count == 3


def test_a_change_or_a_failure_has_a_row_and_begins_anew(client, job):
    ended(job)
    ended(job, minute=1)
    ended(job, {**NOTHING, "updated": 3}, minute=2)
    ended(job, minute=3)
    ended(job, {}, Status.FAILED, minute=4)
    ended(job, minute=5)
    assert listed(client).context["cl"].result_count == 5
    streaks = JobExecution.objects.order_by("pk").values_list("quiet_streak", flat=True)
    assert list(streaks) == [1, 2, 0, 1, 0, 1]


def test_other_jobs_do_not_interrupt_a_row_of_them(job, runner):
    other = a_job(runner, processor=Watch)
    for minute in range(2):
        ended(job, minute=minute)
        ended(other, minute=minute)
    assert last(job).quiet_streak == last(other).quiet_streak == 2


def test_a_result_that_says_something_is_a_change(runner):
    job = a_job(runner)
    for minute in range(2):
        ended(job, {"kept": "tick", "day": None}, minute=minute)
    assert JobExecution.objects.filter(folded=False).count() == 2
