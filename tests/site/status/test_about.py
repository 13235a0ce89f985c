"""What an installation says of itself, and the licence agreement."""

from __future__ import annotations

import uuid

import pytest

from licensing.services import agreement_text
from platform_site import __version__
from tests.site.api.callers import Caller, a_user, with_token

pytestmark = pytest.mark.django_db


def about():
    a_user("emma")
    return with_token("emma").get("/About").json()


def test_about_has_an_id_that_stays_the_version_and_the_licence_status():
    """HOST-130, HOST-131, HOST-132; a user without any role may ask (HOST-133).
    OPEN-85."""
    found = about()
    assert found == {
        "installationId": str(uuid.UUID(found["installationId"])),
        "version": __version__,
        "status": "free",
    }
    again = with_token("emma").get("/About").json()
    assert again["installationId"] == found["installationId"]


@pytest.mark.parametrize(
    ("token", "status"), [("nonsense", "invalid"), ("", "free"), (None, "licensed")]
)
def test_the_status_follows_the_licence(configure, licensed, token, status):
    """HOST-053, HOST-054, HOST-094."""
    if token is not None:
        configure(TOKEN=token)
    assert about()["status"] == status


def test_anybody_may_read_the_licence_agreement():
    """HOST-148."""
    answer = Caller().get("/About/license-agreement")
    assert answer.status_code == 200
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.content.decode() == agreement_text()
