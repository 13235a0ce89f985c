"""The same rows as CSV, as XLSX and as a package; nothing here needs Django.

`python -m tests.benchmarks.list_files FORM ROWS FOLDER FILE` writes a table.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from itertools import chain
from pathlib import Path

import xlsxwriter

from tests.benchmarks import workload

# The folder and the units of the rows.
BEFORE = "W"
HEADERS = ("code", "name", "parent", "unit", "barcode", "price", "description")
DESCRIPTION = {
    "target": "Items",
    "key": ["code"],
    "decimal": ".",
    "columns": [
        {"property": "code", "column": "code"},
        {"property": "name", "column": "name"},
        {"property": "parentId", "column": "parent", "lookup": "code"},
        {"property": "unitOfMeasureId", "column": "unit", "lookup": "code"},
        {"property": "barcode", "column": "barcode"},
        {"property": "price", "column": "price"},
        {"property": "description", "column": "description"},
        {"property": "isFolder", "default": False},
        {"property": "category", "default": "goods"},
    ],
}


def rows(objects, prefix, before=BEFORE):
    """Yield the cells of each row."""
    for number in range(objects):
        one = workload.item(number, prefix=prefix)
        unit = f"{before}U{number % workload.UNITS}"
        yield (
            *(one["code"], one["name"], before, unit),
            *(one["barcode"], one["price"], one["description"]),
        )


def package(objects, prefix):
    """Return the rows as a package."""
    items = []
    for number, (_code, _name, parent, unit, *_others) in enumerate(
        rows(objects, prefix)
    ):
        references = {"parentId": {"$code": parent}, "unitOfMeasureId": {"$code": unit}}
        items.append({**workload.item(number, prefix=prefix), **references})
    steps = [{"dictionary": "Items", "items": items}]
    return workload.encoded(f"list-{prefix.lower()}", steps)


def csv_list(objects, prefix, before=BEFORE):
    """Return the rows as a CSV file."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=";")
    writer.writerow(HEADERS)
    writer.writerows(rows(objects, prefix, before))
    return text.getvalue().encode()


def xlsx_list(objects, prefix, before=BEFORE):
    """Return the rows as an XLSX file."""
    file = io.BytesIO()
    with xlsxwriter.Workbook(file, {"constant_memory": True}) as book:
        sheet = book.add_worksheet()
        for line, cells in enumerate(chain([HEADERS], rows(objects, prefix, before))):
            sheet.write_row(line, 0, cells)
    return file.getvalue()


def described():
    """Return the description as a file has it."""
    return json.dumps(DESCRIPTION)


if __name__ == "__main__":
    form, count, folder, file = sys.argv[1:]
    write = {"CSV": csv_list, "XLSX": xlsx_list}[form]
    Path(file).write_bytes(write(int(count), form[0], folder))
