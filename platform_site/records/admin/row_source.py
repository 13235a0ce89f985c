"""Where a row comes from, on the page *Source*: its package and run, or who created it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from importer.services import run_links
from platform_site.changes.models import ChangeEvent
from platform_site.records.admin.information import events_of


@dataclass(frozen=True, slots=True)
class Source:
    """How a row came to be, and its last import if it has one."""

    created: ChangeEvent | None
    written: ChangeEvent | None = None
    run_link: str = ""


def source_of(row: Any, user: Any) -> Source:
    """Return where a row comes from, as far as the reader may know."""
    created = events_of(row).order_by("at", "id").first()
    if row.import_key is None:
        return Source(created)
    written = events_of(row).filter(run_id__isnull=False).first()
    run_id = None if written is None else written.reported_run
    links = {} if run_id is None else run_links(user, [run_id])
    return Source(created, written, "".join(links.values()))
