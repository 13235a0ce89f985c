"""How the search above all pages finds and shows documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from documents.numbering import codes_meant
from platform_site.records.admin import RecordAdmin
from platform_site.records.admin.formatting import day


class InSearchMixin(RecordAdmin):
    """Pages of documents, which are found by the ends of their numbers too."""

    def codes_meant(self, text: str) -> Sequence[str]:
        """Return the codes of which a text is the end: ``130`` or ``GI-130``."""
        return codes_meant(self.model, text)

    def note_in_search(self, row: Any) -> str:
        """Return the day and the counterparty."""
        return f"{day(row.date)} · {row.counterparty}"
