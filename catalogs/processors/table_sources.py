"""The data processors of table sources: one for each enabled source, under its name."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, BinaryIO, ClassVar, Final, cast

from django.conf import settings
from django.contrib.auth import get_permission_codename
from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from catalogs.processors.results import ImportResult, nothing_done, result_of
from importer.models import TableSource
from importer.registry import register_source_links, targets
from importer.services import (
    DescriptionRefused,
    ImportOptions,
    SourceDisabled,
    TableError,
    UnknownSource,
    find_source,
    get_source,
    import_table,
    list_sources,
)
from platform_site.accounts.rights import seed_roles
from platform_site.files.services import open_file
from platform_site.processing.errors import InvalidStateError
from platform_site.processing.fetch import FetchAnswer, FetchRequest, fetch
from platform_site.processing.processor import DataProcessor
from platform_site.processing.registry import register_provider
from platform_site.processing.rights import may_execute, record_right, remove_right
from platform_site.processing.values import BooleanField, FileField, Values

_IN_MEMORY: Final = 1 << 23
_CHUNK: Final = 1 << 20


class TableInput(Values):
    """How a table is imported."""

    continue_on_error = BooleanField(
        label=gettext_lazy("Continue on error"),
        help_text=gettext_lazy("Imports the other rows if some are wrong."),
        default=True,
    )
    dry_run = BooleanField(
        label=gettext_lazy("Dry run"),
        help_text=gettext_lazy("Shows what would happen, and writes nothing."),
        default=False,
    )


class _TableProcessor(DataProcessor):
    """What the processors of all sources have in common."""

    about: ClassVar[Any]
    target: ClassVar[str]
    Input = TableInput
    Result = ImportResult
    imports = True

    @classmethod
    def needs(cls) -> list[str]:
        """Return the rights to add and to change rows of the target."""
        found = targets().get(cls.target)
        if found is None:
            return []
        options = found.model._meta
        names = (get_permission_codename(verb, options) for verb in ("add", "change"))
        return [f"{options.app_label}.{name}" for name in names]

    def _import(
        self,
        source: TableSource,
        table: BinaryIO,
        data: Mapping[str, Any],
        user: Any,
    ) -> dict[str, Any]:
        options = ImportOptions(
            dry_run=data["dry_run"], continue_on_error=data["continue_on_error"]
        )
        return result_of(import_table(source, table, options, user=user))


class UploadedTable(_TableProcessor):
    """The processor of a source whose tables people upload."""

    about = gettext_lazy(
        "Imports a CSV or XLSX file into {target}, as the table source describes it."
    )

    class Input(TableInput):
        """The table, and how it is imported."""

        file = FileField(
            label=gettext_lazy("File"),
            help_text=gettext_lazy("The table, a CSV or XLSX file."),
            accept=".csv,.txt,.tsv,.xlsx",
            needed=True,
        )

    def execute(self, data: Mapping[str, Any], *, user: Any) -> Mapping[str, Any]:
        """Import the file through the source."""
        with _refusing("fileId"), open_file(data["file"]) as table:
            return self._import(_source(self), table, data, user)


class FetchedTable(_TableProcessor):
    """The processor of a source that fetches its tables from an address."""

    about = gettext_lazy(
        "Fetches a CSV or XLSX file and imports it into {target}, as the table source "
        "describes it. A file that has not changed since the last run is skipped."
    )

    def execute(self, data: Mapping[str, Any], *, user: Any) -> Mapping[str, Any]:
        """Fetch and import the table; remember it after an import without errors."""
        with _refusing(), tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as file:
            source, table = _source(self), cast("BinaryIO", file)
            known: dict[str, str] = {} if data["dry_run"] else source.fetched
            answer = fetch(_order(source, known.get("etag", "")), into=table)
            digest = "" if answer.not_modified else _digest(table)
            if answer.not_modified or digest == known.get("sha256"):
                return nothing_done(
                    _(
                        "The table hasn't changed since the last run; there is nothing "
                        "to do."
                    )
                )
            result = self._import(source, table, data, user)
            if not (data["dry_run"] or result["failed"] or result["message"]):
                _remember(source, answer, digest)
            return result


def _source(processor: DataProcessor) -> TableSource:
    return get_source(type(processor).__name__)


@contextmanager
def _refusing(given: str = "") -> Iterator[None]:
    """Raise InvalidStateError for what a source or a table refuses."""
    try:
        yield
    except TableError as refusal:
        raise InvalidStateError(str(refusal), given=given) from None
    except (DescriptionRefused, SourceDisabled, UnknownSource) as refusal:
        raise InvalidStateError(str(refusal)) from None


def _order(source: TableSource, etag: str) -> FetchRequest:
    headers = {"Accept": "text/csv, */*"}
    if etag:
        headers["If-None-Match"] = etag
    return FetchRequest(
        (source.origin or {})["url"],
        headers=headers,
        token="",
        limit=cast("int", settings.IMPORTER["MAX_PACKAGE_SIZE_BYTES"]),
        too_large=_("Ask the operator to increase Import:MaxPackageSizeBytes."),
        private=settings.PLATFORM_IMPORT_ALLOW_PRIVATE,
    )


def _digest(table: BinaryIO) -> str:
    table.seek(0)
    found = hashlib.sha256()
    while piece := table.read(_CHUNK):
        found.update(piece)
    table.seek(0)
    return found.hexdigest()


def _remember(source: TableSource, answer: FetchAnswer, digest: str) -> None:
    """Store what was imported, unless somebody has changed the source since."""
    kept = TableSource.objects.filter(pk=source.pk, version=source.version)
    kept.update(fetched={"etag": answer.etag, "sha256": digest})


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
    fetches = "url" in (source.origin or {})
    kind = FetchedTable if fetches else UploadedTable
    return _class(source.name, kind, str(source.description.get("target")))


@lru_cache(maxsize=1000)
def _class(name: str, kind: type[_TableProcessor], target: str) -> type[DataProcessor]:
    about = {"title": name, "description": format_lazy(kind.about, target=target)}
    own = {"__module__": __name__, "__doc__": kind.__doc__, "target": target}
    return type(name, (kind,), {**own, **about})


@receiver(post_save, sender=TableSource, dispatch_uid="platform.catalogs.source_saved")
def _record_right(instance: TableSource, **kwargs: Any) -> None:
    if record_right(_processor_of(instance)):
        # The built-in roles get it at once, and not only at the next start.
        seed_roles()


@receiver(
    post_delete, sender=TableSource, dispatch_uid="platform.catalogs.source_deleted"
)
def _remove_right(instance: TableSource, **kwargs: Any) -> None:
    remove_right(instance.name)


def _links(name: str, user: Any) -> list[tuple[str, str]]:
    """Return the pages on which a user executes a source, now or at night."""
    processor = SourceProcessors().find(name)
    if processor is None or not may_execute(user, processor):
        return []
    links = [(_("Execute now"), reverse("processor", args=[name]))]
    if issubclass(processor, FetchedTable) and user.has_perm("scheduling.add_job"):
        query = urlencode({"processor": name, "name": name})
        job = reverse("admin:scheduling_job_add")
        links.append((_("Plan a job for it"), f"{job}?{query}"))
    return links


register_provider(SourceProcessors())
register_source_links(_links)
