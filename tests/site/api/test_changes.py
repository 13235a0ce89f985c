"""What is written over HTTP leaves one change event, which says by whom and how; and
who may read them."""

from __future__ import annotations

import pytest

from platform_site.accounts.models import User
from platform_site.accounts.services import set_password
from platform_site.changes.models import ChangeEvent
from tests.catalogs.rows import a_unit, an_item
from tests.site.api.callers import Caller, a_user, with_key, with_token

pytestmark = pytest.mark.django_db


def newest(*, since):
    """Return the events after a number of them, oldest first."""
    return list(ChangeEvent.objects.order_by("id")[since:])


@pytest.mark.parametrize(
    ("caller", "origin", "user"),
    [
        (lambda: with_token("emma"), "User", "emma"),
        (lambda: with_key("emma"), "API key", "emma"),
    ],
    ids=["token", "key"],
)
def test_every_write_has_one_event(caller, origin, user):
    a_user("emma", "employee")
    who = caller()
    before = ChangeEvent.objects.count()
    row = who.made("/UnitsOfMeasure", code="kg", name="Kilo")
    path = f"/UnitsOfMeasure/{row['id']}"
    who.patch(path, {"name": "Kilogram"})
    who.patch(path, {"name": "Kilogram"})
    who.delete(path)
    who.post(f"{path}/restore")
    who.patch(path, {"name": ""})
    events = newest(since=before)
    assert [event.action for event in events] == [
        "created",
        "updated",
        "deleted",
        "restored",
    ]
    assert {(event.user_name, event.origin) for event in events} == {(user, origin)}


def test_the_agent_is_named_as_such_whatever_it_signs_in_with():
    """HOST-087."""
    agent = User.objects.get(username="mcp-agent")
    set_password(user=agent, password="a long pass phrase")
    for number, caller in enumerate([with_token("mcp-agent"), with_key("mcp-agent")]):
        caller.patch("/Account", {"firstName": f"Agent {number}"})
    origins = [event.origin for event in ChangeEvent.objects.filter(user=agent)]
    assert origins == ["MCP agent", "MCP agent"]


def test_the_cookie_of_the_administration_counts_as_the_user():

    user = a_user("emma", "employee")
    caller = Caller()
    caller.client.force_login(user)
    caller.made("/UnitsOfMeasure", code="kg", name="Kilo")
    event = ChangeEvent.objects.first()
    assert (event.user_name, event.origin) == ("emma", "User")


def test_changes_are_read_by_row(employee):
    row = employee.made("/UnitsOfMeasure", code="kg", name="Kilo")
    employee.patch(f"/UnitsOfMeasure/{row['id']}", {"name": "Kilogram"})
    answer = employee.get(f"/Changes?model=UnitsOfMeasure&rowId={row['id']}")
    newer, older = answer.json()["results"]
    assert set(newer) == {
        "id",
        "at",
        "user",
        "userId",
        "action",
        "origin",
        "runId",
        "model",
        "rowId",
        "row",
        "changes",
    }
    assert newer["changes"] == {"name": ["Kilo", "Kilogram"]}
    assert (newer["user"], newer["origin"], newer["runId"]) == ("emma", "User", None)
    assert older["action"] == "created"


def test_wrong_questions_are_refused(admin):
    for query in ("rowId=x", "rowId=99999999999999999999", "runId=x"):
        answer = admin.get(f"/Changes?{query}")
        assert answer.status_code == 400
        assert set(answer.json()["errors"]) == {query.partition("=")[0]}


def test_everybody_sees_the_changes_of_what_they_may_view(reader, admin):
    a_unit()
    an_item()
    assert reader.get("/Changes?model=Items").json()["count"] == 1
    assert reader.get("/Changes?model=Users").json()["count"] == 0
    assert admin.get("/Changes?model=Users").json()["count"] > 0
    a_user("nina")
    assert with_token("nina").get("/Changes").json()["count"] == 0
