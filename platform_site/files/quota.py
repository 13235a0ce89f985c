"""The quota of a user's unreferenced files. Files in use and deleted files don't
count."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db.models import Sum
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from importer import LimitReached
from platform_site.files.cleaning import remove_unused, unreferenced


def bytes_allowed() -> int | None:
    """Return the quota of a user in bytes, None for no limit."""
    allowed: int = settings.PLATFORM_BYTES_PER_USER
    return allowed or None


def make_room(user: Any, size: int) -> None:
    """Delete old unused files of a user if `size` more bytes would exceed the quota."""
    allowed = bytes_allowed()
    if allowed is not None and _used(user) + size > allowed:
        remove_unused(user)


def refuse_beyond_quota(user: Any, size: int) -> None:
    """Raise LimitReached if `size` more bytes would exceed the quota.

    It must be called in the transaction that records the file.
    """
    allowed = bytes_allowed()
    if allowed is None:
        return
    # Of two concurrent uploads the second waits here and counts the first.
    people = get_user_model()._default_manager.select_for_update(no_key=True)
    list(people.filter(pk=user.pk).values_list("pk"))
    used = _used(user)
    if used + size <= allowed:
        return
    message = _(
        "There is no space for this file of %(size)s bytes: your unused uploads take "
        "up %(used)s of %(allowed)s bytes. Each is removed a day after its upload; "
        "if you can't wait, ask an administrator (setting "
        "BlobStorage:MaxBytesPerUser)."
    )
    figures = {"size": size, "used": used, "allowed": allowed}
    shown = {
        name: number_format(figure, force_grouping=True)
        for name, figure in figures.items()
    }
    reason = message % shown
    raise LimitReached.of(reason, limit="bytesPerUser", used=used, allowed=allowed)


def _used(user: Any) -> int:
    own = unreferenced().filter(uploaded_by_id=user.pk)
    return int(own.aggregate(total=Sum("size"))["total"] or 0)
