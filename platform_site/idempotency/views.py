"""The `Idempotency-Key` in views: the header, the comparison of requests, and a
decorator for repeatable handlers."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable
from typing import Any

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from importer.api import key_of
from platform_site.idempotency.services import (
    Question,
    answered_once,
    carried_out_once,
)

Handler = Callable[..., Any]
_PIECE = 1 << 20


def repeatable(handler: Handler) -> Handler:
    """Make a handler whose work is one transaction repeatable with a key."""

    @functools.wraps(handler)
    def answer(view: APIView, request: Request, *args: Any, **kwargs: Any) -> Any:
        key = key_of(request)
        if key is None:
            return handler(view, request, *args, **kwargs)
        work = functools.partial(handler, view, request, *args, **kwargs)
        return answered_once(_question(request, key), _finished(view, request, work))

    return answer


def carried_out(
    view: APIView, request: Request, work: Handler, *, resumable: bool = False
) -> Any:
    """Handle a request whose work takes several transactions."""
    key = key_of(request)
    if key is None:
        return work()
    return carried_out_once(
        _question(request, key), _finished(view, request, work), resumable=resumable
    )


def _finished(
    view: APIView, request: Request, work: Handler
) -> Callable[[], HttpResponse]:
    """Return the final response, refusals included."""

    def answer() -> HttpResponse:
        try:
            given = work()
        except Exception as refusal:  # noqa: BLE001 - what is no refusal comes out again
            given = view.handle_exception(refusal)
        made: HttpResponse = view.finalize_response(request, given)
        if isinstance(made, Response):
            made.render()
        return made

    return answer


def _question(request: Request, key: str) -> Question:
    digest = hashlib.sha256(f"{request.method} {request.path}\n".encode())
    data: Any = request.data
    if hasattr(data, "lists"):
        for name, values in sorted(data.lists()):
            for value in values:
                digest.update(f"{name}\n".encode())
                _add(digest, value)
    else:
        text = json.dumps(data, sort_keys=True, default=str)
        digest.update(text.encode())
    return Question(str(request.user.pk), key, digest.hexdigest())


def _add(digest: Any, value: Any) -> None:
    """Add a form field to the digest; boundaries differ each time, fields don't."""
    if not hasattr(value, "chunks"):
        digest.update(f"{value}\n".encode())
        return
    digest.update(f"{value.name} {value.content_type}\n".encode())
    for piece in value.chunks(_PIECE):
        digest.update(piece)
    value.seek(0)
