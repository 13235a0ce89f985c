"""How many bytes a user may have in files that nothing refers to yet: what is in use, and
what was cleaned up, does not count."""

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
    """Return how many such bytes a user may have, None for any number."""
    allowed: int = settings.PLATFORM_BYTES_PER_USER
    return allowed or None


def make_room(user: Any, size: int) -> None:
    """Remove the old unused files of a user if `size` more bytes have no room else."""
    allowed = bytes_allowed()
    if allowed is not None and _used(user) + size > allowed:
        remove_unused(user)


def refuse_beyond_quota(user: Any, size: int) -> None:
    """Raise LimitReached if a user has no room for `size` more bytes.

    To be called in the transaction that records the file.
    """
    allowed = bytes_allowed()
    if allowed is None:
        return
    # Two uploads of one user at once: the second waits here, and counts the first.
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
