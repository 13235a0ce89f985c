"""The automation page: jobs, data processors and table sources in one place."""

from __future__ import annotations

import datetime as dt

import pytest
from django.contrib.auth.models import Permission
from django.utils import timezone

from importer.models import TableSource
from platform_site.accounts.models import User
from platform_site.accounts.seeding import seed_accounts
from platform_site.processing import registry
from platform_site.processing.rights import record_right
from platform_site.scheduling.job_states import recent_executions
from platform_site.scheduling.models import JobExecution
from tests.processing.users import a_person, allow, somebody_who_may
from tests.scheduling.jobs import Note, ReadFile, a_job

pytestmark = pytest.mark.django_db
PAGE = "/admin/automation/"
Status = JobExecution.Status


@pytest.fixture(autouse=True)
def known():
    with registry.registered(Note), registry.registered(ReadFile):
        yield


@pytest.fixture
def accounts(db):
    seed_accounts()


@pytest.fixture
def runner(accounts):
    return somebody_who_may(Note)


@pytest.fixture
def pages(client, accounts):
    client.force_login(User.objects.get(username="admin"))
    return client


def text_of(client):
    return " ".join(client.get(PAGE).content.decode().split())


def executed(job, *statuses, message="", **values):
    """Store executions, the oldest first, one a minute until now."""
    now = timezone.now()
    rows = [
        JobExecution(
            job=job,
            processor=job.processor,
            status=status,
            due_at=now - dt.timedelta(minutes=len(statuses) - number),
            started_by="jobs-scheduler",
            finished_at=None if status in JobExecution.UNFINISHED else now,
            message=message,
            **values,
        )
        for number, status in enumerate(statuses)
    ]
    return JobExecution.objects.bulk_create(rows)


def grant(person, *codenames):
    person.user_permissions.add(*Permission.objects.filter(codename__in=codenames))
    return person


def a_source(name="prices", origin=None):
    columns = [{"property": "code", "column": "c"}, {"property": "name", "column": "n"}]
    return TableSource.objects.create(
        name=name,
        description={"target": "Warehouses", "columns": columns, "key": ["code"]},
        origin=origin,
    )


def test_a_job_is_one_row_with_its_schedule_in_words(pages, runner):
    a_job(runner, name="Nightly note", cron="0 2 * * *", time_zone="Asia/Tokyo")
    text = text_of(pages)
    assert "Nightly note" in text
    assert "every night at 02:00" in text
    assert "(Asia/Tokyo)" in text
    assert "0 2 * * *</code>" in text
    assert runner.username in text
    assert '<span class="pill is-good">on</span>' in text
    assert "Needs attention" not in text


def test_each_of_the_last_executions_is_a_link_with_its_outcome(pages, runner):
    job = a_job(runner)
    good, bad = executed(job, Status.COMPLETED, Status.FAILED, message="No file.")
    text = text_of(pages)
    for execution, outcome in ((good, "Completed"), (bad, "Failed")):
        link = f"/admin/scheduling/jobexecution/{execution.pk}/change/"
        strip = text[text.index(f'<a href="{link}" title=') :]
        assert f": {outcome}</span>" in strip[: strip.index("</li>")]


def test_no_more_than_thirty_executions_are_shown(pages, runner):
    executed(a_job(runner), *[Status.COMPLETED] * 40)
    assert text_of(pages).count('class="run is-good"') == 30


def test_executions_without_changes_in_a_row_are_one_mark(pages, runner):
    job = a_job(runner)
    executed(job, *[Status.COMPLETED] * 3, folded=True)
    executed(job, Status.COMPLETED, quiet_streak=57)
    text = text_of(pages)
    assert text.count('class="run is-good"') == 1
    assert "57 runs without changes" in text


def test_a_failing_job_comes_first_and_says_since_when_and_why(pages, runner):
    a_job(runner, name="A good one")
    job = a_job(runner, name="B bad one")
    outcomes = (Status.COMPLETED, Status.FAILED, Status.FAILED)
    executed(job, *outcomes, message="The address is unknown.")
    text = text_of(pages)
    assert "Needs attention (1)" in text
    assert "The last 2 executions failed: The address is unknown." in text
    assert "failing since" in text
    jobs = text[text.index('id="jobs-title"') :]
    assert jobs.index("B bad one") < jobs.index("A good one")


def test_a_job_that_works_again_needs_no_attention(pages, runner):
    executed(a_job(runner), Status.FAILED, Status.COMPLETED)
    assert "Needs attention" not in text_of(pages)


def test_what_a_job_may_not_do_is_said_before_it_fails(pages, accounts):
    record_right(Note)
    a_job(User.objects.get(username="jobs-scheduler"), name="Powerless")
    text = text_of(pages)
    assert "Needs attention (1)" in text
    assert "“jobs-scheduler” lacks these rights: Note" in text
    assert "can&#x27;t run" in text


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda job: User.objects.filter(pk=job.run_as_id).delete(), "was deleted"),
        (
            lambda job: User.objects.filter(pk=job.run_as_id).update(is_active=False),
            "is disabled",
        ),
        (
            lambda job: type(job).objects.update(processor="Gone"),
            "“Gone” doesn't exist",
        ),
    ],
    ids=["account deleted", "account disabled", "processor gone"],
)
def test_a_job_that_cannot_run_says_why(pages, runner, spoil, sentence):
    spoil(a_job(runner))
    assert sentence in text_of(pages).replace("&#x27;", "'")


def test_a_job_that_is_off_needs_no_attention(pages, accounts):
    a_job(User.objects.get(username="jobs-scheduler"), enabled=False)
    text = text_of(pages)
    assert "Needs attention" not in text
    assert '<span class="pill is-quiet">off</span>' in text


def test_processors_are_run_and_scheduled_from_here(pages):
    text = text_of(pages)
    assert 'href="/admin/processors/Note"' in text
    assert "/admin/scheduling/job/add/?processor=Note&amp;name=Note" in text


def test_table_sources_say_where_their_tables_come_from(pages):
    a_source("uploaded")
    a_source("fetched", {"url": "https://lists.example/a.csv"})
    text = text_of(pages)
    sources = text[text.index('id="sources-title"') : text.index("processors-title")]
    assert "https://lists.example/a.csv" in sources
    assert "files that people upload" in sources
    assert "Load a file" in sources
    assert "/admin/scheduling/job/add/?processor=fetched" in sources
    assert "job/add/?processor=uploaded" not in sources
    assert "processors/uploaded" not in text[text.index("processors-title") :]


def test_somebody_who_executes_one_processor_sees_only_that(client, accounts):
    a_job(User.objects.get(username="jobs-scheduler"), name="Secret job")
    a_source("hidden")
    person = a_person(is_staff=True)
    allow(person, Note)
    client.force_login(person)
    text = text_of(client)
    assert 'href="/admin/processors/Note"' in text
    assert "ReadFile" not in text
    assert "Secret job" not in text
    assert "hidden" not in text[text.index("sources-title") :].split("<h2")[0]
    assert "Schedule<" not in text


def test_readers_of_jobs_run_nothing_and_see_no_executions(client, runner):
    executed(a_job(runner, name="Nightly"), Status.COMPLETED)
    client.force_login(grant(a_person(is_staff=True), "view_job"))
    text = text_of(client)
    assert "Nightly" in text
    assert "/run/" not in text
    assert "jobexecution" not in text
    assert "New job" not in text


def test_a_job_of_an_account_with_more_rights_cannot_be_run(client, runner):
    admin = User.objects.get(username="admin")
    mine = a_job(runner, name="Mine")
    a_job(admin, name="Theirs")
    editor = a_person(is_staff=True)
    allow(editor, Note)
    client.force_login(grant(editor, "view_job", "change_job"))
    text = text_of(client)
    assert f"/admin/scheduling/job/{mine.pk}/run/" in text
    assert text.count("/run/") == 1


def test_others_are_refused(client, accounts):
    client.force_login(a_person(is_staff=True))
    assert client.get(PAGE).status_code == 403


@pytest.mark.counts
def test_the_page_asks_no_more_for_more_jobs_and_executions(
    pages, runner, django_assert_max_num_queries
):
    for number in range(12):
        person = somebody_who_may(Note)
        executed(a_job(person), *[Status.COMPLETED] * 40)
        a_source(f"source_{number}")
    with django_assert_max_num_queries(25):
        pages.get(PAGE)


def test_many_jobs_are_shown_in_pages(pages, runner):
    for number in range(52):
        a_job(runner, name=f"Job {number:02}")
    assert "Job 51" not in text_of(pages)
    second = pages.get(PAGE, {"page": 2}).content.decode()
    assert "Job 51" in second
    assert "Job 01" not in second


def test_the_newest_executions_of_a_job_are_found_beside_those_of_others(runner):
    few, many, none = a_job(runner), a_job(runner), a_job(runner)
    executed(few, Status.COMPLETED)
    executed(many, *[Status.COMPLETED] * 5, Status.FAILED)
    found = recent_executions([few, many, none], count=3)
    assert [each.status for each in found[many.pk]] == [
        "Failed",
        "Completed",
        "Completed",
    ]
    assert len(found[few.pk]) == 1
    assert found[none.pk] == []
