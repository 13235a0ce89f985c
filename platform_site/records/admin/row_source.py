"""Where a row comes from, on the page *Source*: its package and run, or who created it,
and what its package says otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from importer import registry, services
from importer.models import ImportRun
from platform_site.changes.history import link_people, link_runs
from platform_site.changes.labels import labelled_changes, labels_of
from platform_site.changes.models import ChangeEvent
from platform_site.records.admin.information import events_of


@dataclass(frozen=True, slots=True)
class Difference:
    """A property whose value here isn't that of the package."""

    label: str
    here: str
    package: str


@dataclass(frozen=True, slots=True)
class KeptValues:
    """What the newest import of a package left as it was in a row."""

    run_id: UUID
    run_link: str
    key: str
    message: str
    differences: Sequence[Difference]
    # Whether the reader may decide, and nobody has yet.
    is_open: bool


@dataclass(frozen=True, slots=True)
class Source:
    """How a row came to be, the run that wrote it last, and its kept values."""

    created: ChangeEvent | None
    changed: ChangeEvent | None = None
    run: ImportRun | None = None
    run_link: str = ""
    may_undo: bool = False
    decision: KeptValues | None = None


def source_of(row: Any, user: Any) -> Source:
    """Return where a row comes from, as far as the reader may know.

    It takes few queries, however long the history is: each ends with its first event.
    """
    created = events_of(row).order_by("at", "id").first()
    if row.import_key is None:
        return _linked(Source(created), user)
    written = events_of(row).filter(run_id__isnull=False).first()
    run_id = None if written is None else written.reported_run
    links = {} if run_id is None else services.run_links(user, [run_id])
    run = services.get_run(run_id) if run_id in links else None
    changed = None
    if row.is_modified_after_import:
        changed = events_of(row).by_people().first()
    source = Source(
        created,
        changed,
        run,
        links.get(run_id, "") if run_id else "",
        run is not None
        and registry.may_import(user)
        and not services.why_not_undoable(run),
        _decision(row, user),
    )
    return _linked(source, user)


def _linked(source: Source, user: Any) -> Source:
    events = [each for each in (source.created, source.changed) if each is not None]
    link_runs(events, user)
    link_people(events, user)
    return source


def _decision(row: Any, user: Any) -> KeptValues | None:
    """Return what the newest import of the row's package kept, for those who may read
    its report."""
    if not registry.may_import(user):
        return None
    kept = services.kept_row(row.import_source, row.import_key)
    if kept is None:
        return None
    links = services.run_links(user, [kept.run.run_id])
    return KeptValues(
        kept.run.run_id,
        links.get(kept.run.run_id, ""),
        kept.entry.id,
        kept.entry.message,
        _differences(type(row), kept.entry),
        kept.waits,
    )


def _differences(model: Any, entry: Any) -> Sequence[Difference]:
    """Return the kept values: of a conflict, the last imported value is left out."""
    pairs: Mapping[str, Any] = {
        name: values[-2:]
        for name, values in {
            **(entry.differences or {}),
            **(entry.conflicts or {}),
        }.items()
    }
    (labelled,) = labelled_changes([pairs], labels_of(model))
    return [Difference(*each) for each in labelled]
