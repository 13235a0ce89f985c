"""Users, roles, keys and jobs over HTTP: who may, what is never shown, and the rules of
the pages."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.utils import timezone

from platform_site.accounts.models import ApiKey, User
from platform_site.changes.models import ChangeEvent
from platform_site.scheduling.models import Job, JobExecution
from tests.site.api.callers import Caller, a_user, with_token

pytestmark = pytest.mark.django_db
LISTS = ("Users", "Roles", "ApiKeys", "Jobs", "JobExecutions")


@pytest.fixture
def job():
    made = Job.objects.create(
        name="Nightly", processor="RecalculateCosts", cron="0 2 * * *"
    )
    JobExecution.objects.create(
        job=made,
        processor="RecalculateCosts",
        status="Failed",
        due_at=timezone.now(),
        message="No stock.",
    )
    return made


def test_lists_are_for_those_who_may_view_them(admin, reader, job):
    for name in LISTS:
        page = admin.get(f"/{name}").json()
        assert set(page) == {"count", "next", "previous", "results"}
        for row in page["results"]:
            assert admin.get(f"/{name}/{row['id']}").json() == row
        refused = reader.get(f"/{name}")
        assert refused.status_code == 403
        assert refused.json()["right"].endswith(f".view_{name.lower()[:-1]}")
        assert admin.get(f"/{name}/999999").json()["code"] == "not-found"
        assert Caller().get(f"/{name}").status_code == 401


def test_no_secret_is_ever_shown(admin):
    made = admin.made("/ApiKeys", name="shop")
    user = User.objects.get(username="admin")
    digest = ApiKey.objects.get().digest
    shown = "".join(admin.get(f"/{name}").content.decode() for name in LISTS)
    for secret in (made["key"], digest, user.password, user.token_stamp or "\0"):
        assert secret not in shown


def test_users_are_filtered(admin):
    a_user("emma", "employee")
    for query in ("userName=emma", "role=employee", "isService=false&role=employee"):
        (found,) = admin.get(f"/Users?{query}").json()["results"]
        assert (found["userName"], found["roles"]) == ("emma", ["employee"])
    assert admin.get("/Users?isActive=false&userName=emma").json()["count"] == 0
    assert admin.get("/Users?isActive=x").status_code == 400


def test_a_user_gets_roles_and_is_deactivated(admin):
    user = a_user("emma", "employee")
    their = with_token("emma")
    answer = admin.patch(f"/Users/{user.pk}", {"roles": ["user"]})
    assert answer.json()["roles"] == ["user"]
    row = admin.patch(f"/Users/{user.pk}", {"isActive": False}).json()
    assert not row["isActive"]
    assert their.get("/Account").status_code == 401
    assert admin.patch(f"/Users/{user.pk}", row).status_code == 200
    events = ChangeEvent.objects.filter(model="Users", row_id=user.pk)
    assert events.filter(action="updated").count() == 2


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"roles": ["nothing"]}, "roles"),
        ({"userName": "eve"}, "userName"),
        ({"isActive": "no"}, "isActive"),
        ({"password": "x"}, "password"),
    ],
)
def test_wrong_changes_of_users_are_refused(admin, change, named):
    user = a_user("emma", "employee")
    answer = admin.patch(f"/Users/{user.pk}", change)
    assert set(answer.json()["errors"]) == {named}


def test_the_last_administrator_stays(admin):
    first, second = User.objects.get(username="admin"), a_user("bea", "admin")
    own = admin.patch(f"/Users/{first.pk}", {"isActive": False})
    assert "own account" in own.json()["errors"]["isActive"][0]
    bea = with_token("bea")
    assert bea.patch(f"/Users/{first.pk}", {"isActive": False}).status_code == 200
    last = bea.patch(f"/Users/{second.pk}", {"roles": ["user"]})
    assert last.status_code == 400
    assert "last administrator" in last.json()["errors"]["roles"][0]
    assert bea.patch(f"/Users/{second.pk}", {"roles": ["admin"]}).status_code == 200


def test_nobody_gives_more_rights_than_their_own(admin):
    helper = a_user("hugo")
    helper.user_permissions.set(
        Permission.objects.filter(codename__in=("view_user", "change_user"))
    )
    other = a_user("emma")
    answer = with_token("hugo").patch(f"/Users/{other.pk}", {"roles": ["admin"]})
    assert answer.status_code == 403
    boss = User.objects.get(username="admin")
    answer = with_token("hugo").patch(f"/Users/{boss.pk}", {"isActive": False})
    assert answer.status_code == 403


def test_a_key_is_shown_once_and_works_until_it_is_revoked(admin):
    a_user("emma", "employee")
    expires = (timezone.now() + timedelta(days=1)).isoformat()
    answer = admin.post(
        "/ApiKeys",
        {"userName": "emma", "name": "shop", "scopes": ["read"], "expires": expires},
    )
    made = answer.json()
    assert answer.status_code == 201
    assert answer["Location"].endswith(f"/api/v1/ApiKeys/{made['id']}")
    assert answer["Cache-Control"] == "no-store"
    key = Caller(**{"X-Api-Key": made["key"]})
    assert key.get("/Account").json()["userName"] == "emma"
    row = admin.get(f"/ApiKeys/{made['id']}").json()
    assert row == {**{n: v for n, v in made.items() if n != "key"}, **_used(row)}
    assert (row["scopes"], row["isValid"]) == (["read"], True)
    revoked = admin.post(f"/ApiKeys/{made['id']}/revoke").json()
    assert not revoked["isValid"]
    assert key.get("/Account").status_code == 401
    assert admin.delete(f"/ApiKeys/{made['id']}").status_code == 204
    assert admin.get(f"/ApiKeys/{made['id']}").status_code == 404


def _used(row):
    return {"lastUsedAt": row["lastUsedAt"]}


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({}, "name"),
        ({"name": "x", "userName": "nobody"}, "userName"),
        ({"name": "x", "userName": "jobs-scheduler"}, "userName"),
        ({"name": "x", "expires": "2020-01-01"}, "expires"),
        ({"name": "x", "scopes": "read"}, "scopes"),
        ({"name": "x", "scope": ["read"]}, "scope"),
    ],
)
def test_wrong_keys_are_refused(admin, body, named):
    answer = admin.post("/ApiKeys", body)
    assert answer.status_code == 400
    assert set(answer.json()["errors"]) == {named}


def test_jobs_say_when_they_run_and_executions_how_they_ended(admin, job):
    (row,) = admin.get("/Jobs?enabled=true").json()["results"]
    assert (row["name"], row["runAs"]) == ("Nightly", None)
    assert row["nextRun"] is not None
    (execution,) = admin.get(f"/JobExecutions?jobId={job.pk}").json()["results"]
    assert (execution["status"], execution["message"]) == ("Failed", "No stock.")
    assert admin.get("/JobExecutions?status=Completed").json()["count"] == 0
    assert admin.get("/JobExecutions?dueTo=2020-01-01").json()["count"] == 0
