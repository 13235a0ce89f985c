"""How runs were started, as stored in the history."""

from __future__ import annotations

import pytest
from django.core.management import call_command

from demo.seeding import seed
from importer.models import ImportRun
from platform_site.processing import registry, services
from platform_site.scheduling.execution import carry_out_job
from platform_site.scheduling.models import Job
from tests.builders import units
from tests.importer.admin_page.conftest import Visitor
from tests.importer.api.conftest import Caller
from tests.scheduling.jobs import ImportUnits

pytestmark = pytest.mark.django_db


def started_via():
    return ImportRun.objects.real().get().started_via


@pytest.fixture
def known():
    with registry.registered(ImportUnits):
        yield


@pytest.mark.django_db(transaction=True)
def test_a_run_of_the_page(admin):
    visitor = Visitor(admin)
    visitor.dry_run(units("a"))
    shown = visitor.ended(visitor.upload(units("a"), "import"))
    assert started_via() == "page"
    assert "via page" in visitor.text(run=shown.run_id)
    assert ">page</td>" in visitor.text()


@pytest.mark.django_db(transaction=True)
def test_a_run_of_the_api(admin):
    caller = Caller(admin)
    caller.ended(caller.upload(units("a")))
    assert started_via() == "api"


def test_a_run_of_the_command(admin, tmp_path):
    call_command("import_package", str(units("a").as_file(tmp_path / "a.json")))
    assert started_via() == "command"


def test_a_run_of_a_data_processor(admin, known):
    services.execute("ImportUnits", {}, user=admin)
    assert started_via() == "processor"


def test_a_run_of_a_job(admin, known):
    ending = carry_out_job(Job(name="j", processor="ImportUnits", run_as=admin))
    assert ending.status == "Completed", ending.message
    assert started_via() == "job"


def test_the_demo_data(admin):
    seed()
    assert started_via() == "demo"


def test_a_run_of_program_code(run):
    run(units("a"))
    assert started_via() == "code"


def test_the_history_is_filtered_by_how_runs_were_started(run, admin):
    run(units("a"), started_via=ImportRun.StartedVia.COMMAND)
    run(units("b", package="corpus.b"), started_via=ImportRun.StartedVia.API)
    page = Visitor(admin).text(how="command").partition('id="history"')[2]
    assert page.count('<th scope="row">') == 1
    assert '<option value="command" selected>command</option>' in page
