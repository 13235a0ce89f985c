"""The maximum size of a body, checked before it is received. Views that take uploads
declare it (`importer.api.uploads.takes_uploads`), and the server asks here."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.urls import Resolver404, resolve


def takes_uploads_at(path: str) -> bool:
    """Return whether a path takes uploads, without querying the database."""
    return _judge_at(path) is not None


def largest_upload(path: str, user: Any) -> int:
    """Return the maximum size of a body that `user` may send to a path, form included.

    It is 0 if the path takes no uploads or the user may not upload; the view then
    explains it. It queries the user's rights.
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
