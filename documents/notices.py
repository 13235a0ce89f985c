"""The notice about documents on the start page: how many the licence still allows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _

from documents.licence_guard import created_this_month
from documents.models import Document
from licensing.services import current_limits
from platform_site.accounts.services import is_administrator
from platform_site.notices import Notice, register, used


def documents(user: Any) -> Iterator[Notice]:
    """Yield how many of this month's documents are used (HOST-166)."""
    limit = current_limits().documents_per_month
    if limit is not None:
        text = _(
            "Documents this month: %(used)s of the %(limit)s allowed by the licence."
        )
        yield used(text, created_this_month(Document.kinds()), limit)


register(documents, seen_by=is_administrator)
