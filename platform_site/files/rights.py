"""The right to upload files: an explicit right, or the right to use something that
takes files, which other apps register here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.utils.translation import gettext as _

from importer import NotAllowed, Problem

UPLOAD: Final = "files.add_storedfile"
_uses: list[Callable[[Any], bool]] = []


def register_use(is_open_to: Callable[[Any], bool]) -> None:
    """Register something that takes files; `is_open_to` returns whether a user may use
    it."""
    _uses.append(is_open_to)


def may_upload(user: Any) -> bool:
    """Return whether `user` may upload files."""
    return bool(user.has_perm(UPLOAD)) or any(is_open_to(user) for is_open_to in _uses)


def authorise_upload(user: Any) -> None:
    """Raise NotAllowed for a user who may not upload files."""
    if may_upload(user):
        return
    message = _(
        "“%(user)s” may not upload files; ask an administrator for the right %(right)s,"
        " or for the right to execute a data processor that takes a file."
    )
    words = {"user": user, "right": UPLOAD}
    raise NotAllowed([Problem("", message % words, "not-allowed")], UPLOAD)
