"""The data processors and the table sources as rows of the automation page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from catalogs.processors.table_processors import TableProcessor
from importer.models import TableSource
from importer.registry import may_import, targets
from importer.services import list_sources
from platform_site.processing.processor import DataProcessor
from platform_site.processing.services import about, allowed_processors
from platform_site.processing.uploads import needs_file
from platform_site.scheduling.models import Job


@dataclass(frozen=True, slots=True)
class ProcessorRow:
    """A data processor as the page shows it."""

    title: str
    description: str
    run_url: str
    schedule_url: str
    jobs: int


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A table source as the page shows it; links that a reader may not use are empty."""

    name: str
    url: str
    target: str
    origin: str
    enabled: bool
    run_url: str
    takes_file: bool
    schedule_url: str
    jobs: int


class ProcessorRows:
    """The rows for one reader, made from one look at the processors and sources."""

    def __init__(self, reader: Any, jobs: Iterable[Job]) -> None:
        self._reader = reader
        self._allowed = allowed_processors(reader)
        self._plans = reader.has_perm("scheduling.add_job")
        self._jobs = Counter(job.processor for job in jobs)

    def processors(self) -> list[ProcessorRow]:
        """Return what the reader may execute, without the table sources."""
        return [
            self._processor(each)
            for each in self._allowed
            if not issubclass(each, TableProcessor)
        ]

    def sources(self) -> list[SourceRow]:
        """Return the table sources that the reader may execute, or change."""
        mine = {
            each.__name__: each
            for each in self._allowed
            if issubclass(each, TableProcessor)
        }
        manages = may_import(self._reader)
        if not mine and not manages:
            return []
        return [
            self._source(each, mine, manages=manages)
            for each in list_sources()
            if manages or each.name in mine
        ]

    def _processor(self, processor: type[DataProcessor]) -> ProcessorRow:
        said = about(processor)
        return ProcessorRow(
            said.title,
            said.description,
            reverse("processor", args=[said.name]),
            self._schedule_url(processor),
            self._jobs[said.name],
        )

    def _source(
        self,
        source: TableSource,
        mine: Mapping[str, type[DataProcessor]],
        *,
        manages: bool,
    ) -> SourceRow:
        processor = mine.get(source.name)
        return SourceRow(
            source.name,
            reverse("import-page") if manages else "",
            _target(source),
            _origin(source),
            source.enabled,
            "" if processor is None else reverse("processor", args=[source.name]),
            processor is not None and needs_file(processor),
            "" if processor is None else self._schedule_url(processor),
            self._jobs[source.name],
        )

    def _schedule_url(self, processor: type[DataProcessor]) -> str:
        """Return the form of a new job, empty if no job can run the processor."""
        if not self._plans or needs_file(processor):
            return ""
        name = str(about(processor).title)
        query = urlencode({"processor": processor.__name__, "name": name})
        return f"{reverse('admin:scheduling_job_add')}?{query}"


def _target(source: TableSource) -> str:
    name = str(source.description.get("target"))
    found = targets().get(name)
    return name if found is None else str(found.model._meta.verbose_name_plural)


def _origin(source: TableSource) -> str:
    origin = source.origin or {}
    if "url" in origin:
        return str(origin["url"])
    if "folder" in origin:
        return _("folder %(name)s") % {"name": origin["folder"]}
    return _("files that people upload")
