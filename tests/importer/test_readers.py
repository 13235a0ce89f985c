"""The right to read the report of a run, by every way: administrators read all, the
user of a data processor or job the runs it started."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest
from django.test import Client
from rest_framework.test import APIClient

from importer import services
from importer.models import ImportRun
from platform_site.changes.history import link_runs
from platform_site.changes.models import ChangeEvent
from tests.builders import units
from tests.importer.admin_page.conftest import PAGE, Visitor

pytestmark = pytest.mark.django_db

StartedVia = ImportRun.StartedVia
OWN = [StartedVia.PROCESSOR, StartedVia.JOB]
OTHER = [started_via for started_via in StartedVia if started_via not in OWN]
WAYS = ["page", "json", "csv", "progress", "api"]
RIGHTS = ("add_unitofmeasure", "change_unitofmeasure")


@pytest.fixture
def starter(clerk):
    return clerk(*RIGHTS, name="starter")


@pytest.fixture
def someone_else(clerk):
    return clerk(*RIGHTS, name="someone-else")


def asked(way, user, run_id):
    """Return the response to one way of reading the report of a run."""
    if way == "api":
        caller = APIClient()
        if user is not None:
            caller.force_authenticate(user)
        return caller.get(f"/api/v1/Import/runs/{run_id}")
    browser = Client()
    if user is not None:
        browser.force_login(user)
    path = {
        "page": "",
        "json": "/report.json",
        "csv": "/report.csv",
        "progress": "/progress",
    }[way]
    return browser.get(PAGE + path, {"run": str(run_id)})


def content(answer):
    if answer.streaming:
        return b"".join(answer.streaming_content).decode()
    return answer.content.decode()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dry_run", [False, True], ids=["run", "dry run"])
@pytest.mark.parametrize("started_via", OWN)
def test_the_user_of_a_processor_or_job_may_read_its_run(
    run, starter, started_via, dry_run, way
):
    run_id = run(
        units("a"), user=starter, started_via=started_via, dry_run=dry_run
    ).run_id
    answer = asked(way, starter, run_id)
    assert answer.status_code == 200
    assert ("corpus" if way == "progress" else "unit:a") in content(answer)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("started_via", OTHER)
def test_runs_started_in_other_ways_are_for_administrators(
    run, starter, started_via, way
):
    run_id = run(units("a"), user=starter, started_via=started_via).run_id
    assert asked(way, starter, run_id).status_code == 403


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("started_via", OWN)
def test_others_do_not_learn_whether_a_run_exists(
    run, starter, someone_else, started_via, way
):
    run_id = run(units("a"), user=starter, started_via=started_via).run_id
    known, unknown = (asked(way, someone_else, which) for which in (run_id, uuid4()))
    assert (known.status_code, unknown.status_code) == (403, 403)
    assert "unit:a" not in content(known)
    if way == "api":
        assert known.json() == unknown.json()
        assert "isn't yours" in known.json()["detail"]
    assert asked(way, someone_else, "nonsense").status_code in (403, 404)
    assert asked(way, None, run_id).status_code in (302, 401)


@pytest.mark.parametrize("way", WAYS)
def test_an_administrator_reads_every_run(run, admin, starter, way):
    for started_via in StartedVia:
        run_id = run(units("a"), user=starter, started_via=started_via).run_id
        assert asked(way, admin, run_id).status_code == 200


@pytest.mark.parametrize("started_via", OWN)
def test_the_read_only_page_has_no_other_links(run, admin, starter, started_via):
    other = run(units("z", package="corpus.other")).run_id
    dry = run(units("a"), user=starter, started_via=started_via, dry_run=True).run_id
    real = run(units("a"), user=starter, started_via=started_via).run_id
    for run_id in (dry, real):
        page = content(asked("page", starter, run_id))
        assert '<form method="post"' not in page.partition('id="content"')[2]
        assert 'value="import"' not in page
        assert 'value="cancel"' not in page
        assert f'href="{PAGE}"' not in page
        assert str(other) not in page
        assert "corpus.other" not in page


def test_progress_shows_a_reader_no_other_run(run, admin, starter):
    mine = run(units("a"), user=starter, started_via=StartedVia.PROCESSOR).run_id
    ImportRun.objects.create(
        package="corpus.secret",
        status=ImportRun.Status.RUNNING,
        started_by=admin,
        started_by_name="admin",
        started_at="2026-01-01T00:00:00Z",
        time_zone="UTC",
    )
    assert "corpus.secret" not in content(asked("progress", starter, mine))
    visitor = Visitor(starter)
    assert visitor.get("/progress").status_code == 403
    assert visitor.get().status_code == 403


def test_a_starter_may_only_read(run, starter):
    run_id = run(units("a"), user=starter, started_via=StartedVia.JOB).run_id
    caller = APIClient()
    caller.force_authenticate(starter)
    base = "/api/v1/Import"
    assert caller.get(f"{base}/runs").status_code == 403
    assert caller.get(f"{base}/packages").status_code == 403
    assert caller.post(f"{base}/run", {}, format="json").status_code == 403
    assert caller.post(f"{base}/runs/{run_id}/cancel").status_code == 403
    visitor = Visitor(starter)
    for action in ("dry-run", "import", "cancel"):
        assert visitor.post(action, run=run_id, package="x").status_code == 403


def test_changes_link_to_permitted_reports(
    run, admin, starter, someone_else, django_assert_max_num_queries
):
    """IMP-315, IMP-316: the label links to the report for users who may read it."""
    mine = run(units("a", "b"), user=starter, started_via=StartedVia.PROCESSOR).run_id
    run(units("c", package="corpus.other"))
    events = list(ChangeEvent.objects.filter(run_id__isnull=False))
    link_runs(events, admin)
    assert all(event.run_link for event in events)
    with django_assert_max_num_queries(3):
        link_runs(events, starter)
    leads = {event.run_link for event in events if event.run_link}
    assert leads == {f"{PAGE}?run={mine}"}
    link_runs(events, someone_else)
    assert not any(event.run_link for event in events)


def test_a_link_to_a_dry_run_is_for_its_starter(run, starter, someone_else):
    dry = run(
        units("a"), user=starter, started_via=StartedVia.PROCESSOR, dry_run=True
    ).run_id
    assert list(services.run_links(starter, [dry, UUID(int=1)])) == [dry]
    assert services.run_links(someone_else, [dry]) == {}
