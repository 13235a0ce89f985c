"""The cost per object of tables, beside the same rows in a package."""

from __future__ import annotations

import csv
import io
import json
import random
from itertools import chain

import xlsxwriter

from importer.tables.packages import package_of, table_description
from tests.benchmarks import ours, workload
from tests.benchmarks.objects import empty
from tests.benchmarks.timing import Timings

# The folder and the units of the rows.
_BEFORE = "W"
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


def measure(objects, rounds):
    """Return µs per object, of each form in each round."""
    timings = Timings()
    empty()
    ours.imported(workload.package(objects, prefix=_BEFORE), "Inserted", objects)
    for number in range(rounds):
        forms = {"package": package, "CSV": csv_list, "XLSX": xlsx_list}
        order = list(forms)
        random.shuffle(order)
        for form in order:
            data = forms[form](objects, f"{form[0]}{number}N")
            with timings.of(form, unit=objects / 1e6):
                _imported(data, form, objects)
    return {"lists": timings.figures}


def _imported(data, form, objects):
    if form == "package":
        ours.imported(data, "Inserted", objects)
        return
    described = table_description({**DESCRIPTION, "name": f"list-{form}"})
    with package_of(io.BytesIO(data), described) as source:
        report = ours.run(source)
    assert report.counts["Inserted"] >= objects, report.counts


def rows(objects, prefix, before=_BEFORE):
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


def csv_list(objects, prefix, before=_BEFORE):
    """Return the rows as a CSV file."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=";")
    writer.writerow(HEADERS)
    writer.writerows(rows(objects, prefix, before))
    return text.getvalue().encode()


def xlsx_list(objects, prefix, before=_BEFORE):
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
