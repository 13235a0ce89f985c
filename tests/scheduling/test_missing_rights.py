"""The rights that the account of a job lacks: shown before it is saved, and granted."""

from __future__ import annotations

import pytest

from importer.models import TableSource
from platform_site.accounts.models import Role, User
from platform_site.accounts.roles import save_role
from platform_site.accounts.services import create_user
from platform_site.changes.models import ChangeEvent
from platform_site.scheduling.models import Job
from tests.accounts.users import rights

pytestmark = pytest.mark.django_db
ADD = "/admin/scheduling/job/add/"
PREVIEW = "/admin/scheduling/job/next-runs/"
RECALCULATE = "RecalculateCosts"


@pytest.fixture
def scheduler(accounts):
    return User.objects.get(username="jobs-scheduler")


@pytest.fixture
def pages(client, accounts):
    client.force_login(User.objects.get(username="admin"))
    return client


def sent(user, **changed):
    fields = {
        "name": "Costs",
        "processor": RECALCULATE,
        "input": "{}",
        "run_as": user.pk,
        "enabled": "on",
        "cron": "0 2 * * *",
        "interval_seconds": "",
        "time_zone": "",
    }
    return {**fields, **changed}


def asked(pages, user, processor=RECALCULATE):
    query = {"processor": processor, "run_as": user.pk}
    return pages.get(PREVIEW, query).content.decode()


def said(answer):
    return [str(message) for message in answer.context["messages"]]


def test_missing_rights_are_shown_while_the_job_is_typed(pages, scheduler):
    text = asked(pages, scheduler)
    assert "“jobs-scheduler” lacks these rights: Recalculate costs" in text
    assert "Goods issues: post" in text
    assert "lacks" not in asked(pages, User.objects.get(username="admin"))
    assert "lacks" not in asked(pages, scheduler, "Nothing")
    assert (
        pages.get(PREVIEW, {"processor": RECALCULATE, "run_as": "x"}).status_code == 200
    )


def test_a_source_needs_the_rights_on_its_target(pages, scheduler):
    columns = [{"property": "code", "column": "c"}, {"property": "name", "column": "n"}]
    TableSource.objects.create(
        name="stores",
        description={"target": "Warehouses", "columns": columns, "key": ["code"]},
        origin={"url": "https://lists.example/a.csv"},
    )
    text = asked(pages, scheduler, "stores")
    assert "Warehouses: enter" in text
    assert "Warehouses: change" in text


def test_a_job_is_saved_with_a_warning(pages, scheduler):
    answer = pages.post(ADD, sent(scheduler), follow=True)
    assert Job.objects.count() == 1
    assert any(
        "The job will fail: “jobs-scheduler” lacks" in one for one in said(answer)
    )
    page = pages.get(f"/admin/scheduling/job/{Job.objects.get().pk}/change/")
    assert "lacks these rights" in page.content.decode()
    assert not Role.objects.filter(name__startswith="Execute").exists()


def test_missing_rights_are_granted_by_a_role(pages, scheduler):
    answer = pages.post(ADD, sent(scheduler, grant="on"), follow=True)
    assert any("got these rights" in one for one in said(answer))
    role = Role.objects.get(name=f"Execute{RECALCULATE}")
    given = set(role.permissions.values_list("codename", flat=True))
    assert given == {f"Execute{RECALCULATE}", "post_goodsissue"}
    user = User.objects.get(pk=scheduler.pk)
    assert user.has_perm("documents.post_goodsissue")
    assert "lacks" not in asked(pages, user)
    changed = ChangeEvent.objects.filter(user_name="admin")
    assert {e.model for e in changed} >= {"Roles", "Users", "Jobs"}


def test_nobody_grants_what_they_do_not_have(client, accounts):
    planner = create_user(user_name="planner", password="a long pass phrase")
    planner.is_staff = True
    planner.save()
    role = Role(name="planners")
    own = [f"scheduling.{verb}_job" for verb in ("add", "view")]
    own += [f"accounts.{verb}_role" for verb in ("add", "change", "view")]
    own += [f"accounts.{verb}_user" for verb in ("change", "view")]
    own.append(f"processing.Execute{RECALCULATE}")
    save_role(role=role, permissions=rights(*own))
    planner.groups.add(role)
    worker = create_user(user_name="worker", password="a long pass phrase")
    client.force_login(planner)
    answer = client.post(ADD, sent(worker, grant="on"), follow=True)
    assert Job.objects.count() == 1, answer.content
    assert any("You may not grant them" in one for one in said(answer))
    assert not worker.groups.exists()


@pytest.fixture
def costs_job(pages, scheduler):
    pages.post(ADD, sent(scheduler, grant="on"))
    return Job.objects.get()


def test_taking_a_right_from_a_role_says_which_job_will_fail(pages, costs_job):
    role = Role.objects.get(name=f"Execute{RECALCULATE}")
    page = f"/admin/accounts/role/{role.pk}/change/"
    answer = pages.post(page, {"name": role.name, "permissions": []}, follow=True)
    assert any("The job “Costs” will fail: “jobs-scheduler”" in t for t in said(answer))


def test_a_change_that_breaks_no_job_says_nothing_of_jobs(pages, costs_job):
    role = Role.objects.get(name=f"Execute{RECALCULATE}")
    kept = list(role.permissions.values_list("pk", flat=True))
    page = f"/admin/accounts/role/{role.pk}/change/"
    form = {"name": "Costs at night", "permissions": kept}
    answer = pages.post(page, form, follow=True)
    assert not any("will fail" in text for text in said(answer))


def test_disabling_an_account_says_which_job_will_fail(pages, costs_job):
    worker = create_user(user_name="worker", password="p", roles=["admin"])
    Job.objects.update(run_as=worker)
    page = f"/admin/accounts/user/{worker.pk}/change/"
    shown = pages.get(page).context["adminform"].form
    groups = [group.pk for group in worker.groups.all()]
    form = {"username": "worker", "groups": groups, "seen": shown["seen"].value()}
    form["sign_in"] = "disabled"
    answer = pages.post(page, form, follow=True)
    assert not User.objects.get(pk=worker.pk).is_active
    assert any("The account “worker” is disabled." in text for text in said(answer))
