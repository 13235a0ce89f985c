"""The rows of the table of a run that weren't imported, from the history of runs."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing
from typing import BinaryIO, cast
from zoneinfo import ZoneInfo

from importer import conf
from importer.models import ImportRun
from importer.package.item_result import ItemResult
from importer.runs import kept_packages, reading
from importer.runs.failed_objects import (
    WANTED,
    NoFailedObjects,
    TableNotKept,
    has_failed_objects,
    holders,
)
from importer.runs.options import ImportedTable
from importer.runs.report_filter import ReportFilter
from importer.tables.description_check import DescriptionRefused
from importer.tables.failed_rows import failed_rows, reasons_by_line
from importer.tables.packages import table_description


def rows_to_correct(run: ImportRun) -> BinaryIO:
    """Return a temporary CSV file with the rows that failed or were kept, each with the
    reason; the caller closes it.

    Raise NoFailedObjects and TableNotKept.
    """
    if not has_failed_objects(run):
        raise NoFailedObjects
    table = _table_of(run)
    with closing(table.file):
        rows = _rows(run, table)
        file = cast("BinaryIO", _temporary())
        try:
            file.writelines(rows)
            file.seek(0)
        except BaseException:
            file.close()
            raise
    return file


def _rows(run: ImportRun, table: ImportedTable) -> Iterator[bytes]:
    try:
        description = table_description(table.description)
    except DescriptionRefused:  # what it was imported into is gone
        raise TableNotKept from None
    reasons, zone = reasons_by_line(_entries(run)), ZoneInfo(run.time_zone)
    return failed_rows(table.file, description, reasons, zone=zone)


def _temporary() -> object:
    return tempfile.TemporaryFile(dir=conf.setting("TEMP_FOLDER"))


def _entries(run: ImportRun) -> Iterator[ItemResult]:
    for outcome in WANTED:
        yield from reading.entries_of(run, ReportFilter(outcome))


def _table_of(run: ImportRun) -> ImportedTable:
    for one in holders(run):
        table = kept_packages.opened_table(one)
        if table is not None:
            return table
    raise TableNotKept
