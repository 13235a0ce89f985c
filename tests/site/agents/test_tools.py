"""What an agent can do with its tools, and that its API key decides."""

from __future__ import annotations

import json

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from platform_site.accounts.api_keys import revoke_api_key
from platform_site.accounts.models import User
from platform_site.changes.models import ChangeEvent
from platform_site.site.agents import extra, sizes
from platform_site.site.agents.api_caller import ApiCaller, ApiRefused
from tests.builders import make_row
from tests.site.agents.callers import Agent
from tests.site.api.callers import a_user

pytestmark = pytest.mark.django_db
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


@pytest.fixture
def admin(db):
    return Agent("admin")


@pytest.fixture
def piece():
    actor = User.objects.get(username="admin")
    return make_row("UnitsOfMeasure", actor=actor, code="pcs", name="piece of work")


@pytest.fixture
def stranger(db):
    """Return an agent whose user may read nothing."""
    a_user("stranger")
    return Agent("stranger")


def test_an_agent_finds_and_reads_what_its_user_may_read(admin, piece):
    listed = {one["name"]: one for one in admin.call("list_catalogs")["catalogs"]}
    assert listed["UnitsOfMeasure"]["rows"] == 1
    assert listed["SalesOrders"]["kind"] == "document"

    described = admin.call("describe", catalog="Items")
    unit = {p["name"]: p for p in described["properties"]}["unitOfMeasureId"]
    assert unit["refersTo"] == "UnitsOfMeasure"

    [found] = admin.call("search", query="piece of")["rows"]
    assert (found["catalog"], found["id"]) == ("UnitsOfMeasure", piece.pk)
    assert found["link"].startswith("http://testserver/admin/")

    by_id = admin.call("get", catalog="UnitsOfMeasure", id=piece.pk)
    assert by_id["row"]["name"] == "piece of work"
    assert admin.call("get", catalog="UnitsOfMeasure", id="pcs") == by_id


def test_an_agent_learns_nothing_that_its_user_may_not_read(stranger, piece):
    assert stranger.call("list_catalogs") == {"catalogs": []}
    assert stranger.call("search", query="piece of")["rows"] == []
    for tool, more in (("describe", {}), ("get", {"id": piece.pk})):
        refused = stranger.refused(tool, catalog="UnitsOfMeasure", **more)
        assert refused["code"] == "not-allowed"
    refused = stranger.refused("dry_run_package", package={"format": "x"})
    assert "administrators only" in refused["detail"]


def test_refusals_say_what_is_wrong(admin):
    assert admin.refused("burn")["detail"].startswith("There is no tool burn")
    assert "required" in admin.refused("describe")["detail"]
    assert "list_catalogs" in admin.refused("describe", catalog="../Users")["detail"]
    assert admin.refused("get", catalog="Items", id=17)["code"] == "not-found"
    assert "code nix" in admin.refused("get", catalog="Items", id="nix")["detail"]
    assert "no run" in admin.refused("explain_run", runId="17")["detail"]
    too_large = admin.refused("dry_run_package", package={"x": "y" * 5_000_000})
    assert too_large["code"] == "too-large"


def test_tools_say_that_they_destroy_nothing(admin):
    tools = {one["name"]: one for one in admin.ask("tools/list")["result"]["tools"]}
    assert set(tools) == {
        "list_catalogs",
        "describe",
        "search",
        "get",
        "dry_run_package",
        "explain_run",
        "propose_import",
    }
    hints = {name: one["annotations"] for name, one in tools.items()}
    assert not any(one["destructiveHint"] for one in hints.values())
    writers = {name for name, one in hints.items() if not one["readOnlyHint"]}
    assert writers == {"dry_run_package", "propose_import"}
    assert "never instructions" in tools["search"]["description"]


def test_only_an_api_key_opens_the_door(admin):
    browser = Client()
    browser.force_login(User.objects.get(username="admin"))
    answer = browser.post("/mcp", LIST, content_type="application/json")
    assert answer.status_code == 401
    assert answer.json()["code"] == "not-signed-in"
    assert admin.post(LIST, X_Api_Key="pk_00000000_" + 43 * "x").status_code == 401
    revoke_api_key(key=admin.key)
    assert admin.post(LIST).status_code == 401


def test_pages_of_other_sites_are_refused(admin, settings):
    settings.ALLOWED_HOSTS = ["testserver"]
    assert admin.post(LIST, Origin="http://evil.example").status_code == 403
    assert admin.post(LIST, Origin="http://testserver").status_code == 200
    assert admin.post(LIST, Host="evil.example").status_code == 400


def test_what_isnt_a_message_is_refused(admin):
    assert admin.post(b"{").status_code == 400
    assert admin.post(b"x" * (10 * 1024 * 1024 + 1)).status_code == 413
    opened = Client().get("/mcp", headers={"X-Api-Key": admin.secret})
    assert (opened.status_code, opened.json()["code"]) == (405, "method-not-allowed")


def test_without_the_extra_the_door_says_what_is_missing(admin, monkeypatch):
    monkeypatch.setattr(extra, "find_spec", lambda name: None)
    answer = admin.post(LIST)
    assert answer.status_code == 404
    assert "extra “mcp”" in answer.json()["detail"]


@pytest.mark.parametrize("given", ["", "pk_00000000_" + 43 * "x"])
def test_the_command_needs_a_key(monkeypatch, given):
    monkeypatch.setenv("PLATFORM_API_KEY", given)
    with pytest.raises(CommandError, match="create_api_key"):
        call_command("mcp")


def test_the_command_needs_the_extra(monkeypatch):
    monkeypatch.setattr(extra, "find_spec", lambda name: None)
    with pytest.raises(CommandError, match="extra “mcp”"):
        call_command("mcp")


def test_the_format_of_packages_can_be_read(admin, stranger):
    uris = [r["uri"] for r in admin.ask("resources/list")["result"]["resources"]]
    assert uris[0] == "platform://schema/package"
    read = admin.ask("resources/read", uri=uris[0])["result"]["contents"][0]["text"]
    assert "UnitsOfMeasure" in json.loads(read)["$defs"] or "UnitsOfMeasure" in read
    read = admin.ask("resources/read", uri="platform://docs/package-format")
    assert "platform-import/1" in read["result"]["contents"][0]["text"]
    assert "error" in admin.ask("resources/read", uri="platform://docs/../settings")
    assert "administrators" in str(stranger.ask("resources/read", uri=uris[0]))


def test_changes_of_an_agent_say_so(admin):
    api = ApiCaller({"SERVER_NAME": "testserver", "SERVER_PORT": "80"}, admin.secret)
    body = json.dumps({"code": "pcs", "name": "piece"}).encode()
    made = api.request(
        "POST", "UnitsOfMeasure", body=body, content_type="application/json"
    )
    assert api.answer(made)["code"] == "pcs"
    change = ChangeEvent.objects.latest("pk")
    assert (change.origin, change.user_name) == ("MCP agent", "admin")
    with pytest.raises(ApiRefused, match="exist"):
        api.get("UnitsOfMeasure", 0)


def test_long_answers_are_cut_and_say_so():
    rows = [{"name": "x" * 1000} for _ in range(300)]
    cut = sizes.capped({"summary": "many", "rows": rows, "few": [1]})
    assert len(sizes.as_text(cut)) <= sizes.LARGEST_ANSWER
    assert cut["rows"] == rows[: len(cut["rows"])] != []
    assert cut["few"] == [1]
    assert "too long" in cut["cut"]
    assert sizes.capped({"summary": "one", "text": "x" * 200_000})["summary"] == "one"
    assert sizes.capped({"rows": rows[:3]}) == {"rows": rows[:3]}
