"""Who may upload files: whoever has the right to, and whoever may use something that
takes a file, which the apps above tell here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.utils.translation import gettext as _

from importer import NotAllowed, Problem

UPLOAD: Final = "files.add_storedfile"
_uses: list[Callable[[Any], bool]] = []


def register_use(is_open_to: Callable[[Any], bool]) -> None:
    """Let those upload who may use what takes a file; `is_open_to` says it of a user."""
    _uses.append(is_open_to)


def may_upload(user: Any) -> bool:
    """Return whether `user` may upload files at all."""
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
