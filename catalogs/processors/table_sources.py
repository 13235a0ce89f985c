"""The data processors of table sources: one for each enabled source, under its name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.text import format_lazy
from django.utils.translation import gettext as _

from catalogs.processors.table_processors import (
    FetchedTable,
    MadeTable,
    TableProcessor,
    UploadedTable,
)
from catalogs.processors.watched_folders import FolderTables, watch
from importer.models import TableSource
from importer.registry import Changes, SourceHooks, register_source_hooks
from importer.services import find_source, list_sources
from platform_site.accounts.rights import seed_roles
from platform_site.accounts.security_log import record_security_change
from platform_site.processing.made_files import unattended_makers
from platform_site.processing.processor import DataProcessor
from platform_site.processing.registry import register_provider
from platform_site.processing.rights import may_execute, record_right, remove_right
from platform_site.processing.services import about

_KINDS: Mapping[str, type[TableProcessor]] = {
    "url": FetchedTable,
    "folder": FolderTables,
    "processor": MadeTable,
    "": UploadedTable,
}


class SourceProcessors:
    """The processors of the enabled sources."""

    def find(self, name: str) -> type[DataProcessor] | None:
        """Return the processor of a source, None if it can't be used."""
        source = find_source(name)
        return _processor_of(source) if source and source.enabled else None

    def all(self) -> Iterable[type[DataProcessor]]:
        """Return the processors of all enabled sources."""
        return [_processor_of(each) for each in list_sources().filter(enabled=True)]


def _processor_of(source: TableSource) -> type[DataProcessor]:
    origin = source.origin or {}
    key = next(iter(_KINDS.keys() & origin.keys()), "")
    target = str(source.description.get("target"))
    return _class(source.name, key, target, origin.get(key, ""))


@lru_cache(maxsize=1000)
def _class(name: str, key: str, target: str, origin: str) -> type[DataProcessor]:
    kind = _KINDS[key]
    words = {"target": target, "origin": origin}
    about = {"title": name, "description": format_lazy(kind.about, **words)}
    own = {"__module__": __name__, "__doc__": kind.__doc__, **words}
    return type(name, (kind,), {**own, **about})


@receiver(post_save, sender=TableSource, dispatch_uid="platform.catalogs.source_saved")
def _record_right(instance: TableSource, **kwargs: Any) -> None:
    if record_right(_processor_of(instance)):
        # The built-in roles get it at once, and not only at the next start.
        seed_roles()
    watch(instance)


@receiver(
    post_delete, sender=TableSource, dispatch_uid="platform.catalogs.source_deleted"
)
def _remove_right(instance: TableSource, **kwargs: Any) -> None:
    remove_right(instance.name)


class PlatformSources(SourceHooks):
    """What the product adds to saved sources of tables."""

    def links(self, name: str, user: Any) -> list[tuple[str, str]]:
        """Return the pages on which a user executes a source, now or at night."""
        processor = SourceProcessors().find(name)
        if processor is None or not may_execute(user, processor):
            return []
        links = [(_("Execute now"), reverse("processor", args=[name]))]
        # A folder has its job already.
        can_wait = issubclass(processor, (FetchedTable, MadeTable))
        if can_wait and user.has_perm("scheduling.add_job"):
            query = urlencode({"processor": name, "name": name})
            job = reverse("admin:scheduling_job_add")
            links.append((_("Plan a job for it"), f"{job}?{query}"))
        return links

    def makers(self) -> dict[str, str]:
        """Return the processors that make files without asking for one."""
        found = unattended_makers().items()
        return {name: about(each).title for name, each in found}

    def record(self, action: str, source: TableSource, changes: Changes) -> None:
        """Record a change of a source: it decides what jobs import, and as whom."""
        record_security_change(action, source, changes)


register_provider(SourceProcessors())
register_source_hooks(PlatformSources())
