"""An agent that speaks the protocol by plain requests, as a client of the SDK would."""

from __future__ import annotations

import json

from django.test import Client

from platform_site.accounts.api_keys import create_api_key
from platform_site.accounts.models import User


class Agent:
    """An agent with the API key of a user."""

    def __init__(self, user_name):
        user = User.objects.get(username=user_name)
        self.key, self.secret = create_api_key(user=user, name="an agent")
        self.headers = {"X-Api-Key": self.secret}

    def post(self, message, **headers):
        given = {"Accept": "application/json", **self.headers, **headers}
        return Client(raise_request_exception=False).post(
            "/mcp",
            message if isinstance(message, bytes) else json.dumps(message).encode(),
            content_type="application/json",
            headers={k.replace("_", "-"): v for k, v in given.items() if v},
        )

    def ask(self, method, **params):
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = self.post(message)
        assert answer.status_code == 200, answer.content
        return answer.json()

    def call(self, tool, /, **arguments):
        """Call a tool that must succeed, and return its object."""
        result = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        assert not result["isError"], result
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        return result["structuredContent"]

    def refused(self, tool, /, **arguments):
        """Call a tool that must refuse, and return the problem."""
        result = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        assert result["isError"], result
        return result["structuredContent"]
