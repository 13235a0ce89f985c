"""By which door a run came in: each writes its name into the history of runs."""

from __future__ import annotations

import pytest
from django.core.management import call_command

from demo.seeding import seed
from importer.models import ImportRun
from platform_site.processing import registry, services
from platform_site.scheduling.execution import carry_out
from platform_site.scheduling.models import Job
from tests.builders import units
from tests.importer.admin_page.conftest import Visitor
from tests.importer.api.conftest import Caller
from tests.scheduling.jobs import ImportUnits

pytestmark = pytest.mark.django_db


def door():
    return ImportRun.objects.get().door


@pytest.fixture
def known():
    with registry.registered(ImportUnits):
        yield


@pytest.mark.django_db(transaction=True)
def test_a_run_of_the_page(admin):
    visitor = Visitor(admin)
    visitor.dry_run(units("a"))
    shown = visitor.ended(visitor.upload(units("a"), "import"))
    assert door() == "page"
    assert "via page" in visitor.text(run=shown.run_id)
    assert "<td>page</td>" in visitor.text()


@pytest.mark.django_db(transaction=True)
def test_a_run_of_the_api(admin):
    caller = Caller(admin)
    caller.ended(caller.upload(units("a")))
    assert door() == "api"


def test_a_run_of_the_command(admin, tmp_path):
    call_command("import_package", str(units("a").as_file(tmp_path / "a.json")))
    assert door() == "command"


def test_a_run_of_a_data_processor(admin, known):
    services.execute("ImportUnits", {}, user=admin)
    assert door() == "processor"


def test_a_run_of_a_job(admin, known):
    ending = carry_out(Job(name="j", processor="ImportUnits", run_as=admin))
    assert ending.status == "Completed", ending.message
    assert door() == "job"


def test_the_demo_data(admin):
    seed()
    assert door() == "demo"


def test_a_run_of_program_code(run):
    run(units("a"))
    assert door() == "code"


def test_the_history_is_narrowed_to_a_door(run, admin):
    run(units("a"), door=ImportRun.Door.COMMAND)
    run(units("b", package="corpus.b"), door=ImportRun.Door.API)
    page = Visitor(admin).text(how="command").partition('id="history"')[2]
    assert page.count('<th scope="row">') == 1
    assert '<option value="command" selected>command</option>' in page
