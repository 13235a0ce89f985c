"""The notice about proposed imports on the start page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _, ngettext

from importer import registry, services
from platform_site.notices import Notice, NoticeSeverity, register


def proposed_imports(user: Any) -> Iterator[Notice]:
    """Yield how many proposed imports wait."""
    count = services.open_proposals().count()
    if count:
        text = ngettext(
            "A proposed import waits for you to check it.",
            "%(count)s proposed imports wait for you to check them.",
            count,
        ) % {"count": count}
        page = reverse("import-page")
        yield Notice(NoticeSeverity.WARNING, text, page, _("Show the import page"))


register(proposed_imports, seen_by=registry.may_import)
