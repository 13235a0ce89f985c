"""A client for the endpoints."""

from __future__ import annotations

import io
import json

import pytest
from rest_framework.test import APIClient

from tests.importer import background

BASE = "/api/v1/Import"


class Caller:
    """A client that calls the endpoints and checks the responses."""

    def __init__(self, user=None):
        self.client = APIClient(raise_request_exception=False)
        if user is not None:
            self.client.force_authenticate(user)

    def get(self, path, **query):
        return self.client.get(f"{BASE}/{path}", query)

    def post(self, path, body=None):
        return self.client.generic(
            "POST", f"{BASE}/{path}", json.dumps(body), content_type="application/json"
        )

    def upload(self, package, /, *, name="package.json", headers=None, **fields):
        content = package if isinstance(package, bytes) else package.as_bytes()
        file = io.BytesIO(content)
        file.name = name
        body = {"file": file, **fields}
        return self.client.post(
            f"{BASE}/run", body, format="multipart", headers=headers
        )

    def ended(self, answer):
        """Wait for the run that a response started; return it with its report."""
        assert answer.status_code == 202, answer.content
        background.finish_runs()
        return self.client.get(answer["Location"]).json()


@pytest.fixture
def calls(admin):
    """Return a caller who is the administrator."""
    yield Caller(admin)
    background.finish_runs()
