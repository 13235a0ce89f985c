"""What the history of a job says of an import that failed in part, and to whom it leads."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission

from catalogs.processors.results import ImportResult, result_of
from importer.models import ImportRun
from importer.services import ImportOptions, import_package
from platform_site.notifications.models import Notification
from platform_site.notifications.texts import text_of
from platform_site.processing import registry
from platform_site.processing.processor import DataProcessor
from platform_site.scheduling import history
from platform_site.scheduling.execution import carry_out_job
from platform_site.scheduling.models import JobExecution
from tests.builders import stream, units
from tests.catalogs.rows import boss
from tests.processing.users import somebody_who_may
from tests.scheduling.jobs import NOON, a_job

pytestmark = pytest.mark.django_db
LIST = "/admin/scheduling/jobexecution/"


class ImportNightly(DataProcessor):
    """Import three units of measure, one of them wrong."""

    Result = ImportResult

    def execute(self, data, *, user):
        """Import."""
        package = units("a", "b").item("unit:c", name="no code")
        options = ImportOptions(continue_on_error=True)
        return result_of(import_package(stream(package), options, user=user))


@pytest.fixture(autouse=True)
def known():
    with registry.registered(ImportNightly):
        yield


@pytest.fixture
def runner(db):
    person = somebody_who_may(ImportNightly, is_staff=True)
    names = ("add_unitofmeasure", "change_unitofmeasure", "view_jobexecution")
    person.user_permissions.add(*Permission.objects.filter(codename__in=names))
    return person


@pytest.fixture
def execution(runner):
    job = a_job(runner, ImportNightly)
    history.claim(job, due_at=NOON, started_by="schedule")
    row = JobExecution.objects.get()
    history.end(row, carry_out_job(job), at=NOON)
    return row


def page(client, user, address):
    client.force_login(user)
    return client.get(address).content.decode()


def test_an_execution_shows_what_failed_and_the_run_as_user_reads_the_report(
    client, execution, runner
):
    shown = page(client, runner, f"{LIST}{execution.pk}/change/")
    assert "<caption>What failed</caption>" in shown
    assert "steps[0].items[2]" in shown
    report = f"/admin/import?run={ImportRun.objects.get().pk}"
    assert f'href="{report}"' in shown
    assert client.get(report).status_code == 200


def test_others_see_the_failures_without_the_link(client, execution):
    other = somebody_who_may(ImportNightly, is_staff=True)
    other.user_permissions.add(Permission.objects.get(codename="view_jobexecution"))
    shown = page(client, other, f"{LIST}{execution.pk}/change/")
    assert "<caption>What failed</caption>" in shown
    assert "/admin/import" not in shown


def test_the_list_has_the_numbers_in_words(client, execution):
    listed = page(client, boss(), LIST)
    assert "Inserted: 2" in listed
    assert "Failed: 1" in listed
    assert "failures" not in listed


def test_the_result_of_a_processor_that_is_gone_is_shown_by_its_names(
    client, execution
):
    with registry.registered(ImportNightly):
        pass  # leaves it unknown
    try:
        shown = page(client, boss(), f"{LIST}{execution.pk}/change/")
        assert "<caption>failures</caption>" in shown
    finally:
        registry.register(ImportNightly)


def test_several_reasons_of_a_refusal_stand_one_below_the_other(runner):
    job = a_job(runner, ImportNightly)
    job.input = {"one": 1, "two": 2}
    assert len(carry_out_job(job).message.splitlines()) == 2


def test_an_import_with_errors_counts_as_a_failure_until_there_are_none(
    runner, monkeypatch
):
    job = a_job(runner, ImportNightly, name="Nightly")

    def night(number):
        at = NOON.replace(day=1 + number)
        row = history.claim(job, due_at=at, started_by="schedule")
        history.begin(row, at=at)
        history.end(row, carry_out_job(job, row.pk), at=at)

    for number in range(3):
        night(number)
    right = units("a", "b")
    monkeypatch.setattr(f"{__name__}.units", lambda *codes: _WithoutErrors(right))
    night(4)
    rows = Notification.objects.filter(user=runner).order_by("pk")
    assert [text_of(row, runner).text for row in rows] == [
        "The job “Nightly” ended, but its import had errors.",
        "The job “Nightly” failed or had errors 3 times in a row.",
        "The job “Nightly” works again. It had failed 3 times in a row.",
    ]
    assert "were not imported" in rows[0].reason


class _WithoutErrors:
    """A package to which a test adds its wrong object in vain."""

    def __init__(self, package):
        self.package = package

    def item(self, *_args, **_values):
        return self.package
