"""The address `/mcp`: the Model Context Protocol over HTTP, one message per request."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from platform_site.accounts.authentication import ApiKeyAuthentication
from platform_site.site.agents.api_caller import ApiCaller
from platform_site.site.agents.extra import is_installed, missing
from platform_site.site.api.parsers import LARGEST_BODY, BodyTooLarge
from platform_site.site.api.problems import problem


@extend_schema(exclude=True)
class AgentView(APIView):
    """The door of agents: an API key, and no cookie, opens it."""

    authentication_classes = [ApiKeyAuthentication]

    def post(self, request: Request) -> HttpResponse:
        """Answer a message of the protocol."""
        if not is_installed():
            return problem("not-found", missing())
        outside = request._request
        # Django judges the host by AllowedHosts, the SDK the Origin.
        host = outside.get_host()
        body = outside.read(LARGEST_BODY + 1)
        if len(body) > LARGEST_BODY:
            raise BodyTooLarge
        protocol: Any = import_module("platform_site.site.agents.protocol")
        exchange = protocol.AgentExchange(_scope(request, host), body)
        protocol.answer(
            ApiCaller(outside.META, outside.META["HTTP_X_API_KEY"]),
            exchange,
            host=host,
            origins=[
                f"{outside.scheme}://{host}",
                *settings.CORS_ALLOWED_ORIGINS,
            ],
            most_bytes=LARGEST_BODY,
        )
        response = HttpResponse(exchange.content, status=exchange.status)
        for name, value in exchange.headers:
            response[name] = value
        return response


def _scope(request: Request, host: str) -> dict[str, Any]:
    given = {name.lower(): value for name, value in request.headers.items()}
    headers = {**given, "host": host}.items()
    return {
        "type": "http",
        "http_version": "1.1",
        "method": request.method,
        "scheme": request._request.scheme,
        "path": request.path,
        "raw_path": request.path.encode(),
        "query_string": b"",
        "headers": [(n.encode("latin-1"), v.encode("latin-1")) for n, v in headers],
    }
