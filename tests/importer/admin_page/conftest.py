"""A browser without scripts for tests of the import page."""

from __future__ import annotations

import io
import re
from uuid import UUID

import pytest
from django.test import Client

from importer import services
from tests.importer import background

PAGE = "/admin/import"


class Visitor:
    """A client that opens the page and sends its forms."""

    def __init__(self, user=None, **options):
        self.client = Client(raise_request_exception=False, **options)
        if user is not None:
            self.client.force_login(user)

    def get(self, path="", **query):
        return self.client.get(PAGE + path, query)

    def text(self, path="", **query):
        answer = self.get(path, **query)
        assert answer.status_code == 200, answer.content
        return answer.content.decode()

    def post(self, action, **fields):
        return self.client.post(PAGE, {"action": action, **fields})

    def upload(self, package, action="dry-run", *, name="package.json", **fields):
        content = package if isinstance(package, bytes) else package.as_bytes()
        file = io.BytesIO(content)
        file.name = name
        return self.post(action, file=file, **fields)

    def ended(self, answer):
        """Wait for the run that a response redirects to, and return it."""
        run_id = run_of(answer)
        background.finish_runs()
        return services.get_run(run_id)

    def dry_run(self, package, **fields):
        return self.ended(self.upload(package, **fields))


def run_of(answer):
    """Return the run that a response redirects to."""
    assert answer.status_code == 302, answer.content
    return UUID(re.fullmatch(r"/admin/import\?run=(.+)", answer["Location"])[1])


def told(answer, status):
    """Check the status of a refusal and return its sentence."""
    text = answer.content.decode()
    assert answer.status_code == status, text
    return re.search(r'class="errornote"[^>]*>(.*?)</p>', text, re.DOTALL)[1]


def import_button(text):
    """Return the tag of the Import button of the demo company."""
    buttons = re.findall(r'<button[^>]*value="import"[^>]*>', text)
    return next(button for button in buttons if "demo-company" in button)


@pytest.fixture
def visitor(admin):
    """Return a visitor who is the administrator."""
    yield Visitor(admin)
    background.finish_runs()
