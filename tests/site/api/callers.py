"""Programs that call the API: signed in by a token, by a key, or not at all."""

from __future__ import annotations

import json

from rest_framework.test import APIClient

from platform_site.accounts.api_keys import create_api_key
from platform_site.accounts.models import User
from platform_site.accounts.services import create_user
from platform_site.site.api.problems import KINDS

PASSWORD = "a long pass phrase"
BASE = "/api/v1"


def checked(answer):
    """Return an answer; a refusal must have the members that every problem has."""
    if answer.status_code < 400:
        return answer
    assert answer["Content-Type"] == "application/problem+json", answer.content
    if answer.content:
        body = answer.json()
        kind = KINDS[body["code"]]
        assert body["type"] == f"/problems/{body['code']}"
        assert body["status"] == answer.status_code == kind.status
        assert body["title"]
        assert body["detail"]
        assert set(kind.members) <= set(body)
        assert set(body.get("errors", ())) == set(body.get("errorCodes", ()))
        assert ("errors" in body) == (answer.status_code == 400)
    return answer


class Caller:
    """Calls paths under the base of the API, and reads what they answer."""

    def __init__(self, **headers):
        self.client = APIClient(raise_request_exception=False)
        self.headers = headers

    def call(self, method, path, body=None, /, **headers):
        """Send a request; ``body`` is JSON, or bytes as they are."""
        path = path if path.startswith(BASE) else BASE + path
        content = body if isinstance(body, bytes) else json.dumps(body)
        data = "" if body is None else content
        named = {k.replace("_", "-"): v for k, v in headers.items()}
        kind = named.pop("Content-Type", "application/json" if data else "")
        answer = self.client.generic(
            method, path, data, content_type=kind, headers={**self.headers, **named}
        )
        return checked(answer)

    def get(self, path, /, **headers):
        return self.call("GET", path, **headers)

    def post(self, path, body=None, /, **headers):
        return self.call("POST", path, body, **headers)

    def put(self, path, body, /, **headers):
        return self.call("PUT", path, body, **headers)

    def patch(self, path, body, /, **headers):
        return self.call("PATCH", path, body, **headers)

    def delete(self, path, /, **headers):
        return self.call("DELETE", path, **headers)

    def made(self, path, /, **values):
        """Create a row and return it."""
        answer = self.post(path, values)
        assert answer.status_code == 201, answer.content
        return answer.json()


def sign_in(user_name, password=PASSWORD, **headers):
    """Return what the login answers."""
    body = {"userName": user_name, "password": password}
    return Caller().post("/Auth/login", body, **headers)


def refreshed(token):
    """Return what a refresh token is answered."""
    return Caller().post("/Auth/refresh", {"refreshToken": token})


def with_token(user_name, password=PASSWORD):
    """Return a caller signed in with a password."""
    token = sign_in(user_name, password).json()["token"]
    return Caller(Authorization=f"Bearer {token}")


def with_key(user_name):
    """Return a caller with a new API key of a user."""
    _row, text = create_api_key(user=User.objects.get(username=user_name), name="test")
    return Caller(**{"X-Api-Key": text})


def a_user(name, *roles):
    """Create a user with roles, who signs in with PASSWORD."""
    return create_user(user_name=name, password=PASSWORD, roles=roles)
