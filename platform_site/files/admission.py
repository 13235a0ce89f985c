"""How large a body may be, asked before it is taken in: the views that take uploads say
it of themselves (`importer.api.uploads.takes_uploads`), and the server asks here."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.urls import Resolver404, resolve


def takes_uploads_at(path: str) -> bool:
    """Return whether uploads are taken at a path at all; asks no database."""
    return _judge_at(path) is not None


def largest_upload(path: str, user: Any) -> int:
    """Return the bytes of the largest body `user` may send to a path, form included.

    0 if no uploads are taken, and for users who may not upload there; the view then
    says why. Asks the database for the rights of the user.
    """
    judge = _judge_at(path)
    return 0 if judge is None or not user.is_active else judge(user)


def _judge_at(path: str) -> Callable[[Any], int] | None:
    try:
        found = resolve(path)
    except Resolver404:
        return None
    declared: Callable[..., int] | None = getattr(found.func, "largest_upload", None)
    return declared and partial(declared, **found.kwargs)
