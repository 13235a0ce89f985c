"""The lines of the log that the operating page shows are those the product writes."""

from __future__ import annotations

import json
import logging
import re

import pytest

from platform_site.accounts.models import User
from platform_site.accounts.security_log import SignIn, note_sign_in
from platform_site.accounts.services import create_user, update_user
from platform_site.changes.services import ChangeOrigin, acting_as
from platform_site.log_context import logged_with
from platform_site.settings.configuration import APPLICATION_FOLDER
from platform_site.settings.env import read_settings
from platform_site.settings.log import logging_settings
from platform_site.site.host.log_lines import JsonFormatter, LineFormatter
from platform_site.site.web.access_log import log_access
from tests.docs.test_commands import blocks

pytestmark = pytest.mark.django_db
PAGE = APPLICATION_FOLDER / "docs" / "operating.md"
# What no two installations have alike.
TIME = re.compile(r"^[\d-]+ [\d:,]+|(?<=\"time\": \")[\dT:.+-]+")
NUMBER = re.compile(r'(?<=change=)"\d+"')


class Kept(logging.Handler):
    """Keeps each entry in both forms, as they were when it was written."""

    def __init__(self):
        super().__init__()
        made = logging_settings(read_settings({}))["formatters"]["line"]
        self.text = LineFormatter(made["format"], style=made["style"])
        self.lines, self.objects = [], []

    def emit(self, record):
        self.lines.append(self.text.format(record))
        self.objects.append(JsonFormatter().format(record))


@pytest.fixture
def kept(rf, django_capture_on_commit_callbacks):
    """Return what is written when that happens which the page tells of."""
    clerk = create_user(user_name="clerk", password="p", roles=["user"])
    handler, root = Kept(), logging.getLogger("platform")
    root.addHandler(handler)
    request = rf.get("/", REMOTE_ADDR="192.0.2.7")
    with logged_with(request_id="a81f02c4"):
        note_sign_in(SignIn.FAILED, user_name="clerk", request=request, via="page")
        log_access(
            address="192.0.2.7",
            method="POST",
            target="/admin/login/?next=/admin/",
            status=200,
            sent=4311,
            seconds=0.241,
            request_id="a81f02c4",
        )
    boss = User.objects.get(username="admin")
    known = {"request_id": "77d3b6e0", "address": "192.0.2.9", "via": "page"}
    with (
        django_capture_on_commit_callbacks(execute=True),
        logged_with(**known),
        acting_as(boss, ChangeOrigin.USER),
    ):
        update_user(user=clerk, roles=["employee"])
    root.removeHandler(handler)
    return handler


def without_chance(line):
    return NUMBER.sub("1", TIME.sub("then", line))


def test_the_lines_of_text_are_true(kept):
    *_output, text = blocks(PAGE, "text")
    shown = [without_chance(line) for line in text.splitlines()]
    assert [without_chance(line) for line in kept.lines] == shown


def test_the_lines_of_json_are_true(kept):
    [text] = blocks(PAGE, "json")
    shown = [without_chance(line) for line in text.splitlines()]
    assert [without_chance(line) for line in kept.objects[:2]] == shown


def test_every_member_is_explained(kept):
    page = PAGE.read_text(encoding="utf-8")
    members = {name for line in kept.objects for name in json.loads(line)}
    assert {"requestId", "change", "milliseconds"} <= members
    assert {name for name in members if f"`{name}`" not in page} == set()
