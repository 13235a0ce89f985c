"""The limit: the same rows and events through the driver, each pair its transaction."""

from __future__ import annotations

import uuid

from django.db import connection
from django.utils import timezone

from importer.runs.durability import relaxed

_ITEM = (
    "code, name, is_folder, category, barcode, price, description, unit_of_measure_id,"
    ' parent_id, version, created, modified, is_deleted, "Import_Origin", "Import_Source",'
    ' "Import_Key", "Import_SourceHash", "Import_ImportedAt"'
)
_EVENT = "at, user_name, action, origin, run_id, model, row_id, row, changes"


def write(objects):
    """Insert rows into the tables of the product, as durably as the importer does."""
    row_text = _insert("catalogs_item", _ITEM)
    event_text = _insert("changes_changeevent", _EVENT)
    run_id = connection.ops.adapt_unknown_value(uuid.uuid4().hex)
    adapted = connection.ops.adapt_datetimefield_value
    begin = "BEGIN IMMEDIATE" if connection.vendor == "sqlite" else "BEGIN"
    with relaxed():
        # No cursor of Django's, which would cost more than the statements.
        execute = connection.connection.cursor().execute
        unit = execute("SELECT min(id) FROM catalogs_unitofmeasure").fetchone()[0]
        parent = execute("SELECT min(id) FROM catalogs_item").fetchone()[0]
        for n in range(objects):
            stamp = adapted(timezone.now())
            row = [f"R-{n}", f"Item number {n}", False, "goods", f"40{n:011}", "1.25"]
            row += [f"What there is to say of number {n}", unit, parent, 1, stamp]
            row += [stamp, False, "Import", "raw", f"item:{n}", "0" * 64, stamp]
            event = [stamp, "admin", "created", "Import", run_id, "Items", n, f"R-{n}"]
            execute(begin)
            execute(row_text, row)
            execute(event_text, [*event, '{"code": [null, "x"]}'])
            execute("COMMIT")


def _insert(table, columns):
    mark = "?" if connection.vendor == "sqlite" else "%s"
    marks = ", ".join([mark] * len(columns.split(",")))
    return f"INSERT INTO {table} ({columns}) VALUES ({marks})"
