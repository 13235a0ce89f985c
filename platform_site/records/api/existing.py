"""The rows that requests name by their id, and the refusals of rows that aren't there."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from rest_framework.exceptions import APIException, NotFound

from platform_site.records.api.answers import time_text
from platform_site.records.models import Record


class Gone(APIException):
    """The refusal of a request for a deleted row."""

    status_code = 410
    default_code = "gone"

    def __init__(self, detail: str, row: Record) -> None:
        super().__init__(detail)
        # Nothing changes a deleted row but its return.
        self.members = {"deletedAt": time_text(row.modified)}


def existing(model: type[Record], pk: int, *, deleted: bool | None = False) -> Any:
    """Return a live row or, if requested, a deleted one; raise NotFound or Gone
    otherwise."""
    row = model.objects.filter(pk=pk).first()
    words = {"rows": model.catalog_name, "id": pk}
    if row is None:
        raise NotFound(_("The row %(id)s of %(rows)s doesn't exist.") % words)
    if deleted is False and row.is_deleted:
        sentence = _(
            "The row %(id)s of %(rows)s is deleted; restore it first. To read a deleted "
            "row, add deleted=true."
        )
        raise Gone(sentence % words, row)
    if deleted is True and not row.is_deleted:
        sentence = _(
            "The row %(id)s of %(rows)s isn't deleted; leave out deleted=true."
        )
        raise NotFound(sentence % words)
    return row
