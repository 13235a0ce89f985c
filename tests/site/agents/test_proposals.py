"""Proposed imports: an agent proposes, a person checks and imports, or declines."""

from __future__ import annotations

from datetime import timedelta

import pytest

from importer.models import ImportRun, ProposedImport
from importer.runs import proposals
from importer.services import remove_expired
from platform_site.accounts.models import User
from platform_site.notices import notices_for
from tests.builders import model_of, units
from tests.importer import background
from tests.importer.admin_page.conftest import Visitor, told
from tests.site.agents.callers import Agent
from tests.site.api.callers import a_user

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def agent(db):
    """Return an agent whose user may read, but not import."""
    a_user("rita", "user")
    return Agent("rita")


@pytest.fixture
def person(db):
    yield Visitor(User.objects.get(username="admin"))
    background.finish_runs()


def proposed(agent, *codes, reason="The supplier has new units."):
    package = units(*codes).as_dict()
    return agent.call("propose_import", package=package, reason=reason)["proposalId"]


def state(agent, proposal):
    return agent.call("explain_run", runId=proposal)


def rows():
    return model_of("UnitsOfMeasure").objects.count()


def test_a_person_checks_and_imports_what_an_agent_proposed(agent, person):
    proposal = proposed(agent, "pcs", "kg")
    assert state(agent, proposal)["state"] == "Open"
    assert rows() == 0

    text = person.text()
    assert "The supplier has new units." in text
    assert "Check corpus.a" in text
    admin = User.objects.get(username="admin")
    assert "proposed import waits" in str([each.text for each in notices_for(admin)])

    dry_run = person.ended(person.post("check", proposal=proposal))
    assert (dry_run.dry_run, dry_run.counts["Inserted"], rows()) == (True, 2, 0)
    real = person.ended(person.post("import", plan=dry_run.run_id))
    assert (real.status, rows()) == (ImportRun.Status.COMPLETED, 2)

    settled = state(agent, proposal)
    assert (settled["state"], settled["runId"]) == ("Imported", str(real.run_id))
    assert "admin has imported it" in settled["summary"]
    assert "Check corpus.a" not in person.text()
    assert "imported this proposal already" in told(
        person.post("check", proposal=proposal), 409
    )


def test_a_declined_proposal_says_why(agent, person):
    proposal = proposed(agent, "pcs")
    answer = person.post("decline", proposal=proposal, answer="We count in boxes.")
    assert answer.status_code == 302
    declined = state(agent, proposal)
    assert (declined["state"], declined["answer"]) == ("Declined", "We count in boxes.")
    assert bytes(ProposedImport.objects.get().content) == b""
    for action in ("check", "decline"):
        assert "already" in told(person.post(action, proposal=proposal), 409)
    assert "no such proposal" in told(person.post("check", proposal="nix"), 404)
    assert ImportRun.objects.count() == 0


def test_only_administrators_decide(agent):
    proposal = proposed(agent, "pcs")
    visitor = Visitor(User.objects.get(username="rita"))
    assert visitor.post("check", proposal=proposal).status_code == 403
    assert visitor.post("decline", proposal=proposal).status_code == 403
    assert state(agent, proposal)["state"] == "Open"


def test_nobody_else_sees_a_proposal_but_administrators(agent):
    proposal = proposed(agent, "pcs")
    a_user("other", "user")
    assert Agent("other").refused("explain_run", runId=proposal)["detail"]
    assert state(Agent("admin"), proposal)["state"] == "Open"


def test_who_may_not_read_a_catalog_may_not_propose_for_it(db):
    a_user("stranger")
    stranger = Agent("stranger")
    package = units("pcs").as_dict()
    refused = stranger.refused("propose_import", package=package, reason="Please.")
    assert refused["code"] == "not-allowed"
    assert not ProposedImport.objects.exists()


def test_proposals_are_limited_and_expire(agent, monkeypatch):
    monkeypatch.setattr(proposals, "MOST_OPEN_PER_USER", 2)
    first = proposed(agent, "a")
    assert proposed(agent, "a") == first
    proposed(agent, "b")
    package = units("c").as_dict()
    refused = agent.refused("propose_import", package=package, reason="One more.")
    assert "Ask an administrator" in refused["detail"]
    for wrong in ({}, {"format": "x", "package": "y", "steps": []}):
        refused = agent.refused("propose_import", package=wrong, reason="Wrong.")
        assert refused["detail"].startswith("This isn't a package")

    long_ago = proposals.timezone.now() - proposals.KEPT_FOR - timedelta(minutes=1)
    ProposedImport.objects.update(proposed_at=long_ago)
    assert not proposals.open_proposals().exists()
    remove_expired()
    assert not ProposedImport.objects.exists()


def test_an_administrators_agent_tries_a_package(person):
    agent = Agent("admin")
    package = units("a").item("unit:b", code="a", name="taken").as_dict()
    tried = agent.call("dry_run_package", package=package)
    assert (tried["status"], tried["counts"]) == (
        "Completed",
        {"Inserted": 1, "Failed": 1},
    )
    [problem] = tried["problems"]
    assert (problem["code"], problem["property"]) == ("taken", "code")
    assert problem["remedy"]
    assert tried["firstObjects"]["Inserted"][0]["id"] == "unit:a"
    assert tried["link"].endswith(f"?run={tried['runId']}")
    assert agent.call("explain_run", runId=tried["runId"]) == tried
    assert rows() == 0
