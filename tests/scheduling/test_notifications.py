"""Who is told about a job that fails, how often, and what the bell shows of it."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.utils import translation

from platform_site.accounts.models import User
from platform_site.changes.services import ChangeOrigin, acting_as
from platform_site.notifications.models import LastingFailure, Notification
from platform_site.notifications.texts import text_of
from platform_site.scheduling import history
from platform_site.scheduling.execution import Ending
from platform_site.scheduling.models import JobExecution
from platform_site.scheduling.services import delete_job
from tests.processing.users import a_person
from tests.scheduling.jobs import NOON, a_job

pytestmark = pytest.mark.django_db
Status = JobExecution.Status
PAGE = "/admin/notifications/"


@pytest.fixture
def owner(db):
    return a_person(is_staff=True, password="p")


@pytest.fixture
def night(owner):
    """Return a function that lets a job end in a night."""

    def night(job, number, status=Status.FAILED, message="No connection."):
        at = NOON.replace(day=1 + number)
        execution = history.claim(job, due_at=at, started_by="jobs-scheduler")
        history.begin(execution, at=at)
        history.end(execution, Ending(status, message), at=at)

    return night


def told(user):
    """Return what a user was told, the oldest first."""
    with translation.override("en"):
        rows = Notification.objects.filter(user=user).order_by("pk")
        return [text_of(row, user).text for row in rows]


def signed_in(user):
    client = Client()
    client.force_login(user)
    return client


def test_a_lasting_failure_is_told_at_first_at_the_third_time_and_weekly(owner, night):
    job = a_job(owner, name="Prices")
    for number in range(20):
        night(job, number)
    assert told(owner) == [
        "The job “Prices” failed.",
        "The job “Prices” failed 3 times in a row.",
        "The job “Prices” failed 10 times in a row.",
        "The job “Prices” failed 17 times in a row.",
    ]


def test_that_it_works_again_is_told_once(owner, night):
    job = a_job(owner, name="Prices")
    night(job, 0, Status.COMPLETED, "")
    night(job, 1)
    night(job, 2)
    night(job, 3, Status.COMPLETED, "")
    night(job, 4, Status.COMPLETED, "")
    night(job, 5)
    assert told(owner) == [
        "The job “Prices” failed.",
        "The job “Prices” works again. It had failed 2 times in a row.",
        "The job “Prices” failed.",
    ]


def test_an_interrupted_job_is_told_with_its_reason(owner):
    job = a_job(owner)
    history.claim(job, due_at=NOON, started_by="jobs-scheduler")
    assert history.interrupt_unfinished(at=NOON) == 1
    told_of = Notification.objects.get(user=owner)
    assert "stopped before" in told_of.reason


def test_the_end_of_a_job_and_its_notification_are_stored_together(
    owner, night, monkeypatch
):
    def broken(*arguments, **more):
        raise RuntimeError

    job = a_job(owner)
    monkeypatch.setattr(history, "notify_owners", broken)
    with pytest.raises(RuntimeError):
        night(job, 0)
    assert JobExecution.objects.get(job=job).status == Status.RUNNING


def test_who_changed_the_job_and_whom_it_runs_as_are_told(owner, night):
    maker, other = a_person(is_staff=True), a_person(is_staff=True)
    with acting_as(maker, ChangeOrigin.USER):
        job = a_job(owner)
    night(job, 0)
    assert len(told(owner)) == len(told(maker)) == 1
    assert told(other) == []


def test_administrators_are_told_when_no_owner_can_sign_in(owner, night):
    boss = User.objects.create_superuser("boss", password="p")
    User.objects.filter(pk=owner.pk).update(is_active=False)
    night(a_job(owner), 0)
    assert told(owner) == []
    assert len(told(boss)) == 1


def test_a_deleted_job_leaves_no_count(owner, night):
    job = a_job(owner)
    night(job, 0)
    delete_job(job=job)
    assert not LastingFailure.objects.exists()
    assert len(told(owner)) == 1


def test_the_bell_counts_until_all_is_read(owner, night):
    night(a_job(owner, name="Prices"), 0, message="<b>No</b> connection.")
    pages = signed_in(owner)
    assert '<span class="unread">1<' in pages.get("/admin/").text
    shown = pages.get(PAGE).text
    assert "The job “Prices” failed." in shown
    assert "&lt;b&gt;No&lt;/b&gt; connection." in shown
    assert pages.post(PAGE).status_code == 302
    assert '<span class="unread">' not in pages.get("/admin/").text


def test_one_is_marked_as_read_and_nobody_elses(owner, night):
    night(a_job(owner), 0)
    night(a_job(owner), 0)
    first = Notification.objects.earliest("pk")
    stranger = signed_in(a_person(is_staff=True))
    for wrong in (str(first.pk), "x", "9" * 30, "²", ""):
        assert stranger.post(PAGE, {"id": wrong}).status_code == 302
    assert Notification.objects.filter(read_at=None).count() == 2
    assert "No connection." not in stranger.get(PAGE).text
    signed_in(owner).post(PAGE, {"id": str(first.pk)})
    assert Notification.objects.get(read_at=None).pk != first.pk


def test_the_link_is_for_those_who_may_see_the_execution(owner, night):
    night(a_job(owner), 0)
    link = f"/admin/scheduling/jobexecution/{JobExecution.objects.get().pk}/change/"
    assert link not in signed_in(owner).get(PAGE).text
    right = Permission.objects.get(codename="view_jobexecution")
    owner.user_permissions.add(right)
    pages = signed_in(owner)
    assert link in pages.get(PAGE).text
    assert pages.get(link).status_code == 200


@pytest.mark.counts
def test_the_page_asks_no_more_for_more_notifications(
    owner, night, django_assert_max_num_queries
):
    job = a_job(owner)
    for number in range(20):
        night(job, number, Status.COMPLETED if number % 2 else Status.FAILED)
    pages = signed_in(owner)
    with django_assert_max_num_queries(10):
        assert pages.get(PAGE).text.count("<li") >= 20
