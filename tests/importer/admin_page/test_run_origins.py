"""Where a run came from and what came of it, on its page, for all who may read it."""

from __future__ import annotations

import pytest

from importer.models import ImportRun
from importer.services import undo_run
from platform_site.processing import registry, services
from platform_site.scheduling import history
from platform_site.scheduling.execution import Ending, carry_out_job
from platform_site.scheduling.models import JobExecution
from tests.builders import code, edit_row, row_of, units
from tests.importer.admin_page.conftest import Visitor
from tests.processing.users import allow
from tests.scheduling.jobs import NOON, ImportUnits, a_job

pytestmark = pytest.mark.django_db(transaction=True)
EXECUTIONS = "/admin/scheduling/jobexecution/"


@pytest.fixture
def known():
    with registry.registered(ImportUnits):
        yield


@pytest.fixture
def reader(clerk, known):
    """Return somebody who may execute the processor, and no more than that."""
    user = clerk("add_unitofmeasure", "view_jobexecution")
    user.is_staff = True
    user.save()
    allow(user, ImportUnits)
    return type(user).objects.get(pk=user.pk)


@pytest.fixture
def execution(reader):
    """Return an execution of a job that has imported something and is not over."""
    job = a_job(reader, ImportUnits)
    history.claim(job, due_at=NOON, started_by="schedule")
    row = JobExecution.objects.get()
    carry_out_job(job, row.pk)
    return row


def the_run():
    return ImportRun.objects.real().get()


def test_a_run_of_a_processor_leads_to_its_page(reader):
    services.execute("ImportUnits", {}, user=reader)
    shown = Visitor(reader).text(run=the_run().run_id)
    assert 'via data processor <a href="/admin/processors/ImportUnits">' in shown
    assert "<form method" not in shown.partition('id="content"')[2]


def test_a_run_of_a_removed_processor_keeps_its_name(reader, admin):
    services.execute("ImportUnits", {}, user=reader)
    ImportRun.objects.update(starter="ImportYesterday")
    shown = Visitor(admin).text(run=the_run().run_id)
    assert "via data processor <b>ImportYesterday</b>" in shown


def test_a_run_of_a_job_leads_to_its_execution_and_back(execution, reader):
    page = f"{EXECUTIONS}{execution.pk}/change/"
    run_id = the_run().run_id
    shown = Visitor(reader).text(run=run_id)
    assert f'via scheduled job <a href="{page}">{execution.job.name}</a>' in shown
    back = Visitor(reader).client.get(page).content.decode()
    assert f'href="/admin/import?run={run_id}"' in back


def test_an_execution_that_failed_leads_to_its_run(execution, reader):
    history.end(execution, Ending(JobExecution.Status.FAILED, "Broken."), at=NOON)
    page = f"{EXECUTIONS}{execution.pk}/change/"
    back = Visitor(reader).client.get(page).content.decode()
    assert f'href="/admin/import?run={the_run().run_id}"' in back


def test_the_run_of_a_deleted_execution_leads_to_the_job(execution, admin):
    job = execution.job
    execution.delete()
    shown = Visitor(admin).text(run=the_run().run_id)
    assert f'<a href="/admin/scheduling/job/{job.pk}/change/">{job.name}</a>' in shown
    job.delete()
    shown = Visitor(admin).text(run=the_run().run_id)
    assert "via scheduled job" in shown
    assert "/admin/scheduling/job/" not in shown.partition('id="content"')[2]


def test_a_reader_learns_that_the_run_was_undone_without_a_link(reader, admin):
    services.execute("ImportUnits", {}, user=reader)
    run = the_run()
    undo = undo_run(run.run_id, user=admin)
    shown = Visitor(reader).text(run=run.run_id)
    assert "Undone by: corpus.a 1, admin," in shown
    assert str(undo.run_id) not in shown


def test_a_dry_run_its_import_and_a_decision_lead_to_each_other(run, admin, visitor):
    package = units("a")
    run(package)
    edit_row(row_of("UnitsOfMeasure", "a"), actor=admin, name="Mine")
    package.steps[0]["items"][0]["name"] = "Theirs"
    planned = visitor.dry_run(package)
    done = visitor.ended(visitor.post("import", plan=planned.run_id))
    answer = visitor.post("take-package", run=done.run_id, item=["unit:a"])
    decided = visitor.ended(answer)
    pages = {one.run_id: visitor.text(run=one.run_id) for one in (planned, done)}
    assert "Imported by: <a" in pages[planned.run_id]
    assert str(done.run_id) in pages[planned.run_id]
    assert "Plan of the dry run: <a" in pages[done.run_id]
    assert str(planned.run_id) in pages[done.run_id]
    assert "Kept rows decided by: <a" in pages[done.run_id]
    shown = visitor.text(run=decided.run_id)
    assert "Decision about rows that this run kept: <a" in shown
    assert str(done.run_id) in shown


def test_a_run_page_takes_few_queries_whatever_it_is_connected_with(
    run, visitor, django_assert_max_num_queries
):
    package = units("a", "b", "c").with_step("Items")
    for number in range(60):
        package.goods(f"item:{number}", f"I{number}", code("a"))
    done = run(package)
    for _ in range(12):
        ImportRun.objects.create(
            kind=ImportRun.Kind.DECISION,
            based_on_id=done.run_id,
            started_at=NOON,
            status="Completed",
        )
    visitor.text(run=done.run_id)
    with django_assert_max_num_queries(30):
        shown = visitor.text(run=done.run_id)
    assert shown.count("Kept rows decided by:") == 10
