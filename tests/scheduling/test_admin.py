"""The pages of jobs and executions, as an administrator uses them."""

from __future__ import annotations

import datetime as dt

import pytest
from django.contrib.auth.models import Permission
from django.contrib.messages import get_messages
from django.urls import reverse

from platform_site.accounts.models import User
from platform_site.accounts.services import create_user
from platform_site.changes.models import ChangeEvent
from platform_site.scheduling import history
from platform_site.scheduling.execution import Ending, Status
from platform_site.scheduling.models import Job, JobExecution
from tests.scheduling.jobs import NOON, a_job, last

pytestmark = pytest.mark.django_db(transaction=True)
LIST = reverse("admin:scheduling_job_changelist")
ADD = reverse("admin:scheduling_job_add")
EXECUTIONS = reverse("admin:scheduling_jobexecution_changelist")
NEXT_RUNS = reverse("admin:scheduling_job_next_runs")


@pytest.fixture
def pages(client, accounts):
    client.force_login(User.objects.get(username="admin"))
    return client


def url(row, page="change"):
    name = f"admin:scheduling_{row._meta.model_name}_{page}"
    return reverse(name, args=[row.pk])


def typed(**values):
    runner = User.objects.get(username="jobs-scheduler")
    plain = {
        "name": "Nightly note",
        "processor": "Note",
        "input": "{}",
        "run_as": runner.pk,
        "enabled": "on",
        "cron": "0 2 * * *",
        "interval_seconds": "",
        "time_zone": "",
    }
    return {**plain, **values}


def errors(answer):
    assert answer.status_code == 200
    form = answer.context["adminform"].form
    return {name: " ".join(texts) for name, texts in form.errors.items()}


def ended(job, status, *, message="", result=None, minute=0):
    at = NOON + dt.timedelta(minutes=minute)
    history.claim(job, due_at=at, started_by="jobs-scheduler")
    execution = last(job)
    history.begin(execution, at=at)
    history.end(execution, Ending(status, message, result or {}), at=at)
    return last(job)


def test_a_job_is_created_and_leaves_one_event(pages):
    assert pages.post(ADD, typed()).status_code == 302
    job = Job.objects.get()
    assert (job.cron, job.enabled, job.run_as.username) == (
        "0 2 * * *",
        True,
        "jobs-scheduler",
    )
    event = ChangeEvent.objects.get(model="Jobs")
    assert (event.action, event.user_name) == ("created", "admin")
    assert event.changes["runAs"] == [None, "jobs-scheduler"]


def test_the_form_offers_the_processors_and_the_default_user(pages):
    """IMP-201."""
    form = pages.get(ADD).context["adminform"].form
    assert "Note" in dict(form.fields["processor"].choices)
    assert form["run_as"].value() == User.objects.get(username="jobs-scheduler").pk


@pytest.mark.parametrize(
    ("values", "field", "sentence"),
    [
        ({"cron": ""}, "cron", "either a cron expression or an interval"),
        ({"interval_seconds": "60"}, "cron", "either a cron expression or an interval"),
        ({"cron": "0 25 * * *"}, "cron", "a valid hour"),
        ({"cron": "", "interval_seconds": "0"}, "interval_seconds", "greater than"),
        ({"input": "[1]"}, "input", "Enter a JSON object"),
        ({"input": "{"}, "input", "valid JSON"),
        ({"input": '{"text": "a", "text": "b"}'}, "input", "the key “text” twice"),
        ({"time_zone": "localtime"}, "time_zone", "localtime"),
        (
            {"input": '{"colour": 1}'},
            "input",
            'colour: Unknown property "colour".',
        ),
        ({"input": '{"text": 7}'}, "input", "Text:"),
        ({"processor": "Nothing"}, "processor", "Nothing"),
        ({"run_as": ""}, "run_as", "required"),
        ({"time_zone": "Nowhere"}, "time_zone", "Nowhere"),
    ],
)
def test_problems_are_shown_at_their_field(pages, values, field, sentence):
    found = errors(pages.post(ADD, typed(**values)))
    assert sentence in found[field]
    assert not Job.objects.exists()


def test_two_jobs_cannot_have_one_name(pages):
    pages.post(ADD, typed())
    assert "already exists" in errors(pages.post(ADD, typed()))["name"]


def test_an_edit_leaves_an_event_of_what_changed(pages, runner):
    job = a_job(runner)
    data = typed(name=job.name, cron=job.cron, run_as=runner.pk, input='{"text": "x"}')
    assert pages.post(url(job), data).status_code == 302
    event = ChangeEvent.objects.filter(model="Jobs").latest("id")
    assert event.changes == {"input": [{}, {"text": "x"}]}
    job.refresh_from_db()
    # Its schedule is the same, so an interval would keep its grid.
    assert job.since == NOON
    assert pages.post(url(job), data).status_code == 302
    assert ChangeEvent.objects.filter(model="Jobs").count() == 2


def test_a_job_whose_processor_went_can_still_be_switched_off(pages, runner):
    job = a_job(runner)
    Job.objects.update(processor="Gone")
    assert "Gone (no longer exists)" in pages.get(url(job)).content.decode()
    data = typed(name=job.name, processor="Gone", run_as=runner.pk, enabled="")
    assert pages.post(url(job), data).status_code == 302
    job.refresh_from_db()
    assert not job.enabled


def test_the_list_says_when_a_job_is_due_and_how_it_ended(pages, runner):
    job, off = a_job(runner, cron="0 2 * * 1"), a_job(runner, enabled=False)
    ended(job, Status.COMPLETED)
    ended(job, Status.FAILED, message="No file chosen.", minute=1)
    page = pages.get(LIST).content.decode()
    assert "every Monday at 02:00" in page
    assert ", 02:00:00 UTC" in page
    assert "Failed" in page
    assert "Completed" not in page
    assert off.name in page
    assert "switched off" in page


@pytest.mark.counts
def test_the_list_asks_no_more_for_more_jobs(
    pages, runner, django_assert_max_num_queries
):
    for minute in range(12):
        ended(a_job(runner), Status.COMPLETED, minute=minute)
    with django_assert_max_num_queries(12):
        pages.get(LIST)


def test_a_schedule_that_cannot_be_read_breaks_no_page(pages, runner):
    job = a_job(runner)
    Job.objects.update(cron="x y z * q", time_zone="Nowhere/Atall")
    assert "never: its schedule cannot be read" in pages.get(LIST).content.decode()
    assert pages.get(url(job)).status_code == 200


def test_the_page_of_a_job_shows_its_next_five_runs(pages, runner):
    job = a_job(runner, cron="30 2 * * *", time_zone="Asia/Tokyo")
    page = pages.get(url(job)).content.decode()
    assert page.count(", 02:30:00 JST</li>") == 5
    assert "every night at 02:30" in page


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ({"cron": "0 2 * * *", "time_zone": "Asia/Tokyo"}, "02:00:00 JST"),
        ({"interval_seconds": "600"}, "every 10 minutes"),
        ({"cron": "0 25 * * *"}, "a valid hour"),
        ({}, "Enter either a cron expression or an interval."),
        ({"cron": "* * * * *", "interval_seconds": "60"}, "Enter either"),
        ({"cron": "0 2 * * *", "time_zone": "Nowhere"}, "a known time zone"),
        ({"cron": "0 2 * * *", "time_zone": "../../etc"}, "a known time zone"),
        ({"interval_seconds": "9" * 40}, "Enter either"),
        ({"interval_seconds": "-5"}, "Enter either"),
        ({"interval_seconds": "99999999"}, "less than or equal"),
        ({"cron": "<script>"}, "five parts"),
        ({"cron": "0 0 * * <b>"}, "&lt;b&gt;"),
        ({"cron": "\0 0 * * *"}, "Null characters"),
        ({"cron": "1 " * 300}, "at most 200"),
    ],
)
def test_a_schedule_is_explained_while_it_is_typed(pages, query, shown):
    answer = pages.get(NEXT_RUNS, query)
    assert answer.status_code == 200
    assert shown in answer.content.decode()


def test_run_now_asks_for_an_execution_and_leads_to_the_history(pages, runner):
    job = a_job(runner)
    answer = pages.post(url(job, "run"))
    assert answer.url == f"{EXECUTIONS}?job__id__exact={job.pk}"
    assert "starts in a moment" in str(next(iter(get_messages(answer.wsgi_request))))
    execution = last(job)
    assert (execution.status, execution.started_by) == ("Waiting", "admin")
    again = pages.post(url(job, "run"))
    said = [str(message) for message in get_messages(again.wsgi_request)]
    assert any("already running" in sentence for sentence in said)
    assert JobExecution.objects.count() == 1


def test_chosen_jobs_are_run_together(pages, runner):
    jobs = [a_job(runner), a_job(runner)]
    data = {"action": "run_chosen", "_selected_action": [job.pk for job in jobs]}
    assert pages.post(LIST, data).status_code == 302
    assert JobExecution.objects.filter(status="Waiting").count() == 2


def test_run_now_is_no_link_and_knows_its_job(pages, runner):
    job = a_job(runner)
    assert pages.get(url(job, "run")).status_code == 405
    assert pages.post(f"{LIST}4711/run/").status_code == 404
    assert pages.post(f"{LIST}x/run/").status_code == 404


def test_a_deleted_job_takes_its_executions_along_and_leaves_an_event(pages, runner):
    job, other = a_job(runner), a_job(runner)
    ended(job, Status.COMPLETED)
    pages.post(url(job, "delete"), {"post": "yes"})
    data = {"action": "delete_selected", "_selected_action": [other.pk], "post": "yes"}
    pages.post(LIST, data)
    assert not Job.objects.exists()
    assert not JobExecution.objects.exists()
    deleted = ChangeEvent.objects.filter(model="Jobs", action="deleted")
    assert {event.row for event in deleted} == {job.name, other.name}


def test_an_execution_is_shown_with_its_result_or_the_reason(pages, runner):
    job = a_job(runner)
    good = ended(job, Status.COMPLETED, result={"kept": "a <b>", "rows": 3})
    bad = ended(job, Status.FAILED, message="No file chosen.", minute=1)
    page = pages.get(url(good)).content.decode()
    assert "a &lt;b&gt;" in page
    assert "No file chosen." in pages.get(url(bad)).content.decode()
    listed = pages.get(EXECUTIONS).content.decode()
    assert "rows: 3, Kept: a &lt;b&gt;" in listed
    assert "No file chosen." in listed


def test_executions_are_filtered_by_job_and_status(pages, runner):
    job, other = a_job(runner), a_job(runner)
    ended(job, Status.FAILED)
    ended(other, Status.COMPLETED, minute=1)
    for query, count in (
        ({"job__id__exact": job.pk}, 1),
        ({"status__exact": "Failed"}, 1),
        ({"status__exact": "Waiting"}, 0),
        ({"q": other.name}, 1),
    ):
        assert pages.get(EXECUTIONS, query).context["cl"].result_count == count


def test_an_execution_is_never_edited(pages, runner):
    execution = ended(a_job(runner), Status.FAILED)
    assert pages.get(f"{EXECUTIONS}add/").status_code == 403
    assert pages.post(url(execution), {"status": "Completed"}).status_code == 403
    assert pages.post(url(execution, "delete"), {"post": "yes"}).status_code == 403


def test_an_employee_sees_no_jobs_unless_the_right_is_granted(client, accounts, runner):
    job = a_job(runner)
    clerk = create_user(user_name="clerk", password="p", roles=["employee"])
    client.force_login(clerk)
    for path in (LIST, ADD, url(job), EXECUTIONS, NEXT_RUNS):
        assert client.get(path).status_code == 403
    assert client.post(url(job, "run")).status_code == 403
    clerk.user_permissions.add(Permission.objects.get(codename="view_job"))
    assert client.get(url(job)).status_code == 200
    assert "Run now" not in client.get(url(job)).content.decode()
    assert client.post(url(job, "run")).status_code == 403


def test_the_history_of_a_job_calls_the_processor_by_its_title(pages):
    pages.post(ADD, typed(processor="RecalculateCosts"))
    page = pages.get(url(Job.objects.get(), "history")).content.decode()
    assert "Recalculate costs" in page
    assert "RecalculateCosts" not in page


def test_that_no_processor_was_chosen_is_said_once(pages):
    wrong = errors(pages.post(ADD, typed(processor="")))
    assert wrong["processor"] == "This field is required."
