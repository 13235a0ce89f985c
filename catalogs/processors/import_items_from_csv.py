"""A data processor that imports items from a CSV price list: it makes a package with
one object per row and runs the import engine."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from django.conf import settings
from django.utils.translation import gettext as _, gettext_lazy

from catalogs.processors.csv_table import Row, read_rows
from catalogs.processors.failures import TablePlaces
from catalogs.processors.results import ImportResult, result_of
from importer import FORMAT
from importer.services import ImportOptions, import_package
from platform_site.files.models import StoredFile
from platform_site.files.services import open_file
from platform_site.processing.errors import InvalidStateError
from platform_site.processing.processor import DataProcessor
from platform_site.processing.registry import register
from platform_site.processing.values import BooleanField, FileField, Values

# Part of the mark of every row; with another name all rows would be written again.
PACKAGE: Final = "items-csv"
MOST_CHARACTERS: Final = 5 * 1024 * 1024
HEADER: Final = ("code", "name", "unit", "parent")
# The column of each property.
COLUMNS: Final = {
    "$id": "code",
    "code": "code",
    "name": "name",
    "unitOfMeasureId": "unit",
    "parentId": "parent",
}


@register
class ImportItemsFromCsv(DataProcessor):
    """An import of items from a file with the columns code, name, unit, parent."""

    title = gettext_lazy("Import items from a CSV file")
    description = gettext_lazy(
        "Each row of the file becomes an item, identified by its code. The first "
        "line is code;name;unit;parent and the encoding is UTF-8; unit and parent "
        "are codes of a unit of measure and of a folder of items."
    )

    class Input(Values):
        """The file, and whether to run dry."""

        file = FileField(
            label=gettext_lazy("File"),
            help_text=gettext_lazy("The price list, a CSV file."),
            accept=".csv",
            needed=True,
        )
        dry_run = BooleanField(
            label=gettext_lazy("Dry run"),
            help_text=gettext_lazy("Shows what would happen, and writes nothing."),
            default=False,
        )

    Result = ImportResult
    imports = True

    def execute(self, data: Mapping[str, Any], *, user: Any) -> Mapping[str, Any]:
        """Run the engine over the rows and return its counts."""
        rows = read_rows(text_of(data["file"]), HEADER, key="code", given="fileId")
        options = ImportOptions(dry_run=data["dry_run"], continue_on_error=True)
        stream = io.BytesIO(json.dumps(package_of(rows)).encode())
        report = import_package(stream, options, user=user)
        return result_of(report, TablePlaces([row.line for row in rows], COLUMNS))


def text_of(file: StoredFile) -> str:
    """Return the text of a file; raise InvalidStateError if it is too long or not
    UTF-8."""
    with (
        open_file(file) as stream,
        io.TextIOWrapper(stream, encoding="utf-8-sig", newline="") as lines,
    ):
        try:
            text = lines.read(MOST_CHARACTERS + 1)
        except UnicodeDecodeError:
            message = _("The file isn't UTF-8 text; save it as “CSV UTF-8”.")
            raise InvalidStateError(message) from None
    if len(text) > MOST_CHARACTERS:
        raise InvalidStateError(_("The file is too large."))
    return text


def package_of(rows: Iterable[Row]) -> dict[str, Any]:
    """Return the package of the rows (IMP-181 to IMP-191)."""
    return {
        "format": FORMAT,
        "package": PACKAGE,
        "version": 1,
        "origin": "import",
        "configuration": settings.PLATFORM_CONFIGURATION,
        "steps": [
            {
                "dictionary": "Items",
                "match": ["code"],
                "items": [_item(row) for row in rows],
            }
        ],
    }


def _item(row: Row) -> dict[str, Any]:
    code, name, unit, parent = (row.values[column] for column in HEADER)
    item = {
        # The business key, so that the order of the file doesn't matter.
        "$id": f"item:{code}",
        "isFolder": False,
        "code": code,
        "name": name,
        "category": "goods",
        "unitOfMeasureId": {"$code": unit},
    }
    return {**item, "parentId": {"$code": parent}} if parent else item
