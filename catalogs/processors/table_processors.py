"""The data processors of table sources: of tables that people upload, that are fetched,
and that another processor makes. Those of folders are in `watched_folders`."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, BinaryIO, ClassVar, Final, cast

from django.conf import settings
from django.contrib.auth import get_permission_codename
from django.utils.translation import gettext as _, gettext_lazy

from catalogs.processors.results import ImportResult, nothing_done, result_of
from importer.models import TableSource
from importer.registry import targets
from importer.services import (
    DescriptionRefused,
    ImportOptions,
    Report,
    SourceDisabled,
    TableError,
    UnknownSource,
    get_source,
    import_table,
)
from platform_site.context_values import assigned
from platform_site.files.services import open_file
from platform_site.processing.errors import InvalidStateError
from platform_site.processing.fetch import FetchRequest, fetch
from platform_site.processing.made_files import made_file
from platform_site.processing.processor import DataProcessor
from platform_site.processing.registry import find_processor
from platform_site.processing.rights import rights_needed
from platform_site.processing.services import prepare, run
from platform_site.processing.values import BooleanField, FileField, Values

_IN_MEMORY: Final = 1 << 23
_CHUNK: Final = 1 << 20
_being_made: ContextVar[frozenset[str]] = ContextVar(
    "platform_tables_being_made", default=frozenset()
)


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


class TableProcessor(DataProcessor):
    """What the processors of all sources have in common."""

    about: ClassVar[Any]
    target: ClassVar[str]
    origin: ClassVar[str]
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

    @property
    def source(self) -> TableSource:
        """Return the source; raise UnknownSource if it was deleted just now."""
        return get_source(type(self).__name__)

    def load(
        self, source: TableSource, table: BinaryIO, data: Mapping[str, Any], user: Any
    ) -> Report:
        """Import a table through a source, and return the report."""
        return import_table(source, table, options_of(data), user=user)


class UploadedTable(TableProcessor):
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
        with refusing("fileId"), open_file(data["file"]) as table:
            return result_of(self.load(self.source, table, data, user))


class MadeTable(TableProcessor):
    """The processor of a source whose tables another processor makes."""

    about = gettext_lazy(
        "Imports the CSV or XLSX file that the data processor {origin} makes into {target}, "
        "as the table source describes it. A file that has not changed since the last run "
        "is skipped."
    )

    @classmethod
    def needs(cls) -> list[str]:
        """Return the rights of the import, and those of the other processor."""
        maker = find_processor(cls.origin)
        return [*super().needs(), *(rights_needed(maker) if maker else ())]

    def execute(self, data: Mapping[str, Any], *, user: Any) -> Mapping[str, Any]:
        """Execute the other processor as `user`, also in a dry run, and import its file;
        remember it after an import without errors."""
        with refusing():
            source = self.source
            with _making(source.name):
                ready = prepare(
                    (source.origin or {}).get("processor", ""), {}, user=user
                )
                file = made_file(run(ready, user=user), user)
            if file is None:
                return nothing_done(_("There is no new table; there is nothing to do."))
            if not data["dry_run"] and file.sha256 == source.fetched.get("sha256"):
                return nothing_done(_unchanged())
            with open_file(file) as table:
                result = result_of(self.load(source, table, data, user))
            _remember_if_clean(source, data, result, {"sha256": file.sha256})
            return result


class FetchedTable(TableProcessor):
    """The processor of a source that fetches its tables from an address."""

    about = gettext_lazy(
        "Fetches a CSV or XLSX file and imports it into {target}, as the table source "
        "describes it. A file that has not changed since the last run is skipped."
    )

    def execute(self, data: Mapping[str, Any], *, user: Any) -> Mapping[str, Any]:
        """Fetch and import the table; remember it after an import without errors."""
        with refusing(), tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as file:
            source, table = self.source, cast("BinaryIO", file)
            known: dict[str, str] = {} if data["dry_run"] else source.fetched
            answer = fetch(_order(source, known.get("etag", "")), into=table)
            digest = "" if answer.not_modified else digest_of(table)
            if answer.not_modified or digest == known.get("sha256"):
                return nothing_done(_unchanged())
            result = result_of(self.load(source, table, data, user))
            fetched = {"etag": answer.etag, "sha256": digest}
            _remember_if_clean(source, data, result, fetched)
            return result


def options_of(data: Mapping[str, Any]) -> ImportOptions:
    """Return the options of an import with the values of an input."""
    return ImportOptions(
        dry_run=data["dry_run"], continue_on_error=data["continue_on_error"]
    )


@contextmanager
def refusing(given: str = "") -> Iterator[None]:
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


def digest_of(table: BinaryIO) -> str:
    """Return the SHA-256 of a table, and go back to its begin."""
    table.seek(0)
    found = hashlib.sha256()
    while piece := table.read(_CHUNK):
        found.update(piece)
    table.seek(0)
    return found.hexdigest()


def _unchanged() -> str:
    return _("The table hasn't changed since the last run; there is nothing to do.")


def _remember_if_clean(
    source: TableSource,
    data: Mapping[str, Any],
    result: Mapping[str, Any],
    fetched: Mapping[str, str],
) -> None:
    """Store what was imported without errors, unless somebody has changed the source
    since."""
    if data["dry_run"] or result["failed"] or result["message"]:
        return
    kept = TableSource.objects.filter(pk=source.pk, version=source.version)
    kept.update(fetched=fetched)


@contextmanager
def _making(name: str) -> Iterator[None]:
    """Refuse a table that is made by executing, however far, its own source."""
    if name in _being_made.get():
        sentence = _(
            "The table source “%(name)s” can't be executed by the data processor that "
            "makes its table."
        )
        raise InvalidStateError(sentence % {"name": name})
    with assigned(_being_made, _being_made.get() | {name}):
        yield
