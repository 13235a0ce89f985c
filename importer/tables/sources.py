"""The services of saved sources: list, save and delete them, and import a table
through one.

A source is what ``docs/tables.md`` describes: a description of tables under a name,
where they come from, and whether it can be used.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, BinaryIO, cast
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from importer import conf, registry
from importer.models import TableSource
from importer.package.printable_text import printable
from importer.package.suggestions import did_you_mean
from importer.pipeline.ports import Stale
from importer.pipeline.report import Report
from importer.runs.options import ImportedTable, ImportOptions, zone_for
from importer.runs.starting import import_package, start_run
from importer.tables.description import TableDescription
from importer.tables.description_check import DescriptionRefused
from importer.tables.errors import TableError
from importer.tables.failed_rows import failed_rows, failures_by_line
from importer.tables.packages import package_of, table_description, write_package
from importer.tables.source_changes import record_change
from importer.tables.source_check import NAME, fill, mapping_of, taken, wrong_name

__all__ = [
    "DescriptionRefused",
    "SourceDisabled",
    "TableError",
    "TableSource",
    "UnknownSource",
    "create_source",
    "delete_source",
    "description_of_source",
    "failed_rows_of",
    "find_source",
    "get_source",
    "import_table",
    "list_sources",
    "package_file",
    "package_of_source",
    "source_values",
    "start_table",
    "update_source",
]

_LONGEST_SHOWN = 200
EMPTY_DESCRIPTION: dict[str, Any] = {
    "format": None,
    "encoding": None,
    "delimiter": None,
    "decimal": None,
    "dateFormat": None,
    "sheet": None,
    "headerRow": None,
    "columns": [],
    "key": [],
    "groupBy": [],
    "match": [],
    "onChange": None,
    "onUserModified": None,
    "onMissing": None,
}


class UnknownSource(LookupError):
    """No source has this name."""

    def __init__(self, name: str) -> None:
        known = list(list_sources().values_list("name", flat=True))
        shown = printable(name[:_LONGEST_SHOWN])
        sentence = _("There is no table source “%(name)s”.") % {"name": shown}
        super().__init__(sentence + did_you_mean(shown, known, sentence=True))


class SourceDisabled(Exception):
    """The refusal to import through a disabled source."""

    def __init__(self, source: TableSource) -> None:
        sentence = _("The table source “%(name)s” is disabled; enable it first.")
        super().__init__(sentence % {"name": source.name})


def list_sources() -> QuerySet[TableSource]:
    """Return all sources by name."""
    return TableSource.objects.all()


def get_source(name: str) -> TableSource:
    """Return a source by its name; raise UnknownSource."""
    found = find_source(name)
    if found is None:
        raise UnknownSource(name)
    return found


def find_source(name: str) -> TableSource | None:
    """Return a source by its name, None if there is none."""
    if not NAME.fullmatch(name):  # a database may refuse such a text
        return None
    return TableSource.objects.filter(name=name).first()


def source_values(source: TableSource) -> dict[str, Any]:
    """Return a source as the API shows it."""
    described = {**source.description}
    described.pop("name", None)
    target = described.pop("target", None)
    known = registry.targets().get(target)
    return {
        "name": source.name,
        "target": target,
        "kind": None if known is None else known.spec.kind,
        **EMPTY_DESCRIPTION,
        **described,
        "origin": source.origin,
        "enabled": source.enabled,
    }


def create_source(given: Any) -> TableSource:
    """Create a source from its values; raise DescriptionRefused with their errors."""
    values = mapping_of(given)
    name = values.get("name")
    wrong = wrong_name(name)
    source = TableSource(name="" if wrong else str(name))
    fill(source, values, {"name": wrong} if wrong else {})
    try:
        with transaction.atomic():
            source.save(force_insert=True)
            record_change("created", source, {}, source_values(source))
    except IntegrityError:  # somebody else was faster
        raise DescriptionRefused({"name": taken()}) from None
    return source


def update_source(
    name: str, given: Any, *, expected_version: int | None = None
) -> TableSource:
    """Change some values of a source, and return it.

    Raise UnknownSource, DescriptionRefused with the errors, and Stale if another
    version than ``expected_version`` is stored, or somebody saves it just now.
    """
    source = get_source(name)
    if expected_version not in (None, source.version):
        raise _stale(source)
    values, before, errors = mapping_of(given), source_values(source), {}
    if values.get("name", name) != name:
        errors["name"] = _(
            "the name of a source doesn't change: rights, jobs and the marks of rows "
            "refer to it; create another source"
        )
    fill(source, {**before, "kind": None, **values}, errors)
    # What was imported before may come out otherwise now.
    source.fetched = {}
    with transaction.atomic():
        stored = TableSource.objects.filter(pk=source.pk, version=source.version)
        # It locks the row until it is saved.
        if not stored.update(version=source.version + 1):
            raise _stale(get_source(name))
        source.version += 1
        source.save(force_update=True)
        record_change("updated", source, before, source_values(source))
    return source


def delete_source(name: str, *, expected_version: int | None = None) -> None:
    """Delete a source. Rows and runs stay; raise UnknownSource, or Stale for another
    version."""
    source = get_source(name)
    if expected_version not in (None, source.version):
        raise _stale(source)
    with transaction.atomic():
        record_change("deleted", source, source_values(source), {})
        source.delete()


def description_of_source(source: TableSource) -> TableDescription:
    """Return how the tables of a source are read.

    Raise DescriptionRefused if the installation no longer has what it names.
    """
    return table_description(source.description)


@contextmanager
def package_of_source(
    source: TableSource, table: BinaryIO, options: ImportOptions, user: Any
) -> Iterator[BinaryIO]:
    """Yield the package that a table becomes for a run, as a temporary file.

    Raise TableError, DescriptionRefused, SourceDisabled and UnknownTimeZone.
    """
    if not source.enabled:
        raise SourceDisabled(source)
    description = description_of_source(source)
    with package_of(table, description, zone=zone_for(options, user)) as package:
        yield package


def package_file(
    source: TableSource, table: BinaryIO, options: ImportOptions, user: Any
) -> BinaryIO:
    """Return the package that a table becomes, to keep, as a file that removes itself.

    Raise what ``package_of_source`` raises, except for a disabled source.
    """
    description = description_of_source(source)
    zone = zone_for(options, user)
    folder = conf.setting("TEMP_FOLDER")
    file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - it is sent later
    try:
        write_package(table, description, cast("BinaryIO", file), zone=zone)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return cast("BinaryIO", file)


def failed_rows_of(
    source: TableSource,
    table: BinaryIO,
    report: Report,
    options: ImportOptions,
    user: Any,
) -> Iterator[bytes]:
    """Yield a CSV file of the rows of a table that a run couldn't import, with the
    reasons; raise what ``package_of_source`` raises."""
    return failed_rows(
        table,
        description_of_source(source),
        failures_by_line(report.items),
        zone=zone_for(options, user),
    )


def import_table(
    source: TableSource, table: BinaryIO, options: ImportOptions, *, user: Any
) -> Report:
    """Import a table through a source now, and return the report.

    Raise what ``package_of_source`` and ``import_package`` raise.
    """
    kept = ImportedTable(table, source.description)
    with package_of_source(source, table, options, user) as package:
        return import_package(package, _of(source, options), user=user, table=kept)


def start_table(
    source: TableSource,
    table: BinaryIO,
    options: ImportOptions,
    *,
    user: Any,
    queue: bool = False,
) -> UUID:
    """Start the import of a table through a source in the background, and return the
    identifier of its run.

    The package is made first. Raise what ``package_of_source`` and ``start_run`` raise.
    """
    how: dict[str, Any] = {"user": user, "queue": queue}
    kept = ImportedTable(table, source.description)
    with package_of_source(source, table, options, user) as package:
        return start_run(package, _of(source, options), table=kept, **how)


def _of(source: TableSource, options: ImportOptions) -> ImportOptions:
    """Return the options with which a run remembers its source."""
    if not options.started_via or ":" in options.started_via:
        return options
    return replace(options, started_via=f"{options.started_via}:{source.name}")


def _stale(source: TableSource) -> Stale:
    stale = Stale()
    stale.version = source.version
    return stale
